/* SPDX-License-Identifier: MIT
 *
 * Mutates SPIR-V modules so that most remain well formed: every instruction keeps an operand layout of the grammar, but
 * its meaning becomes wrong. Mutations replace ids, types, numbers (from a table of interesting ones), opcodes (by
 * others with the same layout), decorations, image types, storage classes and branch targets, and make types contain
 * themselves. Instructions are removed, duplicated, moved, made up, or copied from another module.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdint.h>

struct mutate_module {
    const uint32_t *words;
    uint32_t count;
};

/* Applies one mutation. Returns the new number of words, at most `room`. `state`: of the random numbers, not 0.
 * `donors`: well-formed modules from which instructions are copied. */
uint32_t mutate(uint32_t *words, uint32_t count, uint32_t room, uint64_t *state, const struct mutate_module *donors,
                uint32_t donor_count);

/* The next random number below `below`, from the sequence of `state`. */
uint32_t mutate_rnd(uint64_t *state, uint32_t below);

#endif
