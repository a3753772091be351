/* SPDX-License-Identifier: MIT
 *
 * Changes modules of SPIR-V so that most remain well formed: every instruction keeps a layout of the grammar, and what
 * is wrong is what it means. Ids of other kinds, other types, numbers from a table of interesting ones, other
 * operations of the same layout, other decorations, image types and storage classes, jumps to other blocks, types that
 * hold themselves; instructions that are gone, twice there, elsewhere, made up, or taken from another module.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdint.h>

struct mutate_module {
    const uint32_t *words;
    uint32_t count;
};

/* Changes one thing. Returns the new number of words, at most `room`. `state`: of the random numbers, not 0. `donors`:
 * well-formed modules that instructions are taken from. */
uint32_t mutate(uint32_t *words, uint32_t count, uint32_t room, uint64_t *state, const struct mutate_module *donors,
                uint32_t donor_count);

/* The next random number below `below`, of the same sequence. */
uint32_t mutate_rnd(uint64_t *state, uint32_t below);

#endif
