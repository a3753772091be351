/* SPDX-License-Identifier: MIT
 *
 * A decoded program with the analysis that the compiler needs for each instruction. Does not use LLVM.
 */
#ifndef JIT_PROGRAM_H
#define JIT_PROGRAM_H

#include "model/jit/jit.h"

/* Programs of more instructions are refused: host memory for the analysis. */
/* Longer programs are cut into pieces of about JIT_PIECE_INSTRS (jit_plan.h). [measured: docs/performance.md. Half of
 * that compiles no faster, and twice as much by up to a third slower; code is equally fast] */
#define JIT_WHOLE_INSTRS 768u
#define JIT_PIECE_INSTRS 256u
#define JIT_MAX_INSTRS   (1u << 17)

/* Live registers. `file`: a bit for each register of file A, then of file B. `acc`: r0 to r5, and bit JIT_LIVE_FLAGS
 * for the flags. */
#define JIT_LIVE_FLAGS 8u
struct jit_live {
    uint64_t file;
    uint32_t acc;
};

struct jit_op {
    struct qpu_instr instr;
    bool reached, leader; /* leader: starts a basic block, as a branch target or where a user program may block */
    bool waits;           /* takes the mutex or a semaphore */
    uint32_t target;      /* branches: index of the target */
    struct jit_live live; /* before this instruction */
};

struct jit_program {
    uint32_t kind;
    bool has_user, keeps_all;
    uint32_t count;
    struct jit_op *ops;
};

/* Decodes and analyses a program. False with a static message if it cannot be compiled and must be interpreted. */
bool jit_program_read(const struct jit_source *source, struct jit_program *out, const char **message_out);
void jit_program_free(struct jit_program *program);

/* Whether the JIT_MOVE_INSTRS instructions from `at` on transfer one word per lane by VPM DMA. */
#define JIT_MOVE_INSTRS (2u * QPU_LANES)
bool jit_program_moves_lanes(const struct jit_program *program, uint32_t at, bool *store_out);

/* Whether the atomic loop of CPU-engine programs (jit_atomic_find.c) begins at `at`, and its parameters. `scratch`,
 * `data` and `compare` are file registers, 0-31 in file A and 32-63 in file B. */
struct jit_atomic {
    enum gpu_atomic what;
    uint8_t scratch, data, compare;
    uint32_t count; /* instructions, including the branch's delay slots */
};
bool jit_program_is_atomic(const struct jit_program *program, uint32_t at, struct jit_atomic *out);

static inline bool jit_op_is_alu(const struct qpu_instr *i)
{
    return i->sig != QPU_SIG_BRANCH && i->sig != QPU_SIG_LOAD_IMM;
}

/* Whether the instruction ends the program after its two delay slots. */
bool jit_program_ends(const struct qpu_instr *i);

/* The condition of one ALU's operation, QPU_COND_NEVER for a NOP: see decode_alu() in gpu_qpu_program.c. */
unsigned jit_op_cond(const struct qpu_instr *i, bool mul);

#endif
