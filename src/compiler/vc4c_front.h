/* SPDX-License-Identifier: MIT
 *
 * The contents of a front, for vc4c.c.
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

/* Runs `run` with a size limit on the arena. False if memory ran out; `run` was then left by longjmp. */
bool vc4c_guarded(struct util_arena *arena, void (*run)(void *data), void *data);

#endif
