/* SPDX-License-Identifier: MIT
 *
 * Cuts a long program into pieces, which are compiled each for itself. A piece is a range of instructions. Its entries
 * are the points at which control comes from other pieces; they are numbered from 1. The state that is live at an entry
 * is in the core, in the interpreter's form. So code may be entered from the interpreter too, and the interpreter may
 * go on where code leaves a piece. Driver and library make the same plan of a program. Does not use LLVM.
 */
#ifndef JIT_PLAN_H
#define JIT_PLAN_H

#include "model/jit/jit_point.h"

struct jit_piece {
    uint32_t begin, end; /* instructions */
    uint32_t entry_count;
    struct jit_point *entries; /* canonical */
};

struct jit_plan {
    uint32_t count;
    struct jit_piece *pieces; /* in the order of their instructions; the first holds the program's start */
};

/* Marks the first instruction of each piece as a leader of the program. `piece_instrs`: length of the pieces;
 * 0: JIT_PIECE_INSTRS, and programs of up to JIT_WHOLE_INSTRS are one piece. False with a static message. */
bool jit_plan_make(struct jit_program *program, uint32_t piece_instrs, struct jit_plan *out, const char **message_out);
void jit_plan_free(struct jit_plan *plan); /* accepts a zeroed struct */

/* Whether a program of `count` instructions has more than one piece. */
bool jit_plan_is_cut(uint32_t count, uint32_t piece_instrs);
uint32_t jit_plan_piece_of(const struct jit_plan *plan, uint32_t pc);
/* Number of an entry, or 0. The point must be canonical. */
uint32_t jit_plan_entry(const struct jit_plan *plan, const struct jit_point *point);

#endif
