/* SPDX-License-Identifier: MIT
 *
 * Points of a program: an instruction, and the effects of earlier instructions that are still pending. Follows them
 * from instruction to instruction. Does not use LLVM.
 */
#ifndef JIT_POINT_H
#define JIT_POINT_H

#include "model/jit/jit_program.h"

#define JIT_NO_REGISTER 0xffu

/* State of a texture unit's FIFO, known at compile time: the parameter count of each request whose result is waiting,
 * and the parameters already written for the next request. */
struct jit_tmu {
    uint8_t count, params[GPU_TMU_FIFO];
    uint8_t configs, written; /* of the next request: uniforms taken; a bit for each of S, T, R, B */
};

struct jit_point {
    uint32_t pc;
    uint8_t sfu_delay, switch_delay, end_delay; /* as in struct gpu_qpu_core */
    uint8_t fresh[2];                           /* file registers that the last instruction wrote: not readable yet */
    struct jit_tmu tmu[2];
};

/* Drops what does not matter at the point, so that equal points compare equal. */
struct jit_point jit_point_canonical(const struct qpu_instr *i, struct jit_point point);
bool jit_point_same(const struct jit_point *a, const struct jit_point *b);
bool jit_point_is_clean(const struct jit_point *point); /* nothing is pending */
/* Moves the point past its instruction `i`. A branch in it or before is not followed. */
void jit_point_step(const struct qpu_instr *i, struct jit_point *point);

/* The steps of a texture unit. */
bool jit_tmu_has_room(const struct jit_tmu *tmu, unsigned params);
void jit_tmu_push(struct jit_tmu *tmu, unsigned params);
void jit_tmu_pop(struct jit_tmu *tmu); /* needs a result */

#endif
