/* SPDX-License-Identifier: MIT
 *
 * Inside of a front, for vc4c.c.
 */
#ifndef COMPILER_VC4C_FRONT_H
#define COMPILER_VC4C_FRONT_H

#include "compiler/ir/ir.h"

#define VC4C_MAX_ARENA_B ((size_t)512 << 20)

struct vc4c_front {
    const struct util_alloc *alloc;
    struct util_arena arena;
    struct ir_shader *shader; /* in the arena; optimised, numbered, not lowered */
    enum vc4c_stage stage;
};

/* Runs `run` with a limit on the arena. False when memory did not suffice: it was left in the middle. */
bool vc4c_guarded(struct util_arena *arena, void (*run)(void *data), void *data);

#endif
