/* SPDX-License-Identifier: MIT
 *
 * Changes modules of SPIR-V so that most remain well formed: every instruction keeps a layout of the grammar, and what
 * is wrong is what it means. Ids of other kinds, other types, other operations of the same layout, jumps to other
 * blocks, types that hold themselves, instructions that are gone, twice there, or elsewhere.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdint.h>

/* Changes one thing. Returns the new number of words, at most `room`. `state`: of the random numbers, not 0. */
uint32_t mutate(uint32_t *words, uint32_t count, uint32_t room, uint64_t *state);

#endif
