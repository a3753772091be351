/* SPDX-License-Identifier: MIT
 *
 * A program before it is compiled: decoded, and what must be known of each instruction's surroundings. Knows no LLVM.
 */
#ifndef JIT_PROGRAM_H
#define JIT_PROGRAM_H

#include "model/jit/jit.h"

#define JIT_MAX_INSTRS 4096u

/* What an instruction's successors may read: a bit for each register of both files (A below B), and of r0 to r5; bit
 * JIT_LIVE_FLAGS of the latter. */
#define JIT_LIVE_FLAGS 8u
struct jit_live {
    uint64_t file;
    uint32_t acc;
};

struct jit_op {
    struct qpu_instr instr;
    bool reached, leader; /* leader: somebody branches here, or goes on here after a wait */
    bool waits;           /* takes the mutex or a semaphore */
    uint32_t target;      /* of a branch: index */
    struct jit_live live; /* before it */
};

struct jit_program {
    uint32_t kind;
    bool has_user, keeps_all;
    uint32_t count;
    struct jit_op *ops;
};

/* Decodes and examines. False with a static message when the program is not for the compiler: the interpreter keeps it.
 */
bool jit_program_read(const struct jit_source *source, struct jit_program *out, const char **message_out);
void jit_program_free(struct jit_program *program);

/* Whether the instructions from `at` on move single words by VPM DMA, lane by lane: JIT_MOVE_INSTRS of them. */
#define JIT_MOVE_INSTRS (2u * QPU_LANES)
bool jit_program_moves_lanes(const struct jit_program *program, uint32_t at, bool *store_out);

/* Whether at `at` begins the loop that changes words lane by lane, and what it is made of. Places are registers of both
 * files, A below B. */
struct jit_atomic {
    enum gpu_atomic what;
    uint8_t scratch, data, compare;
    uint32_t count; /* instructions, with the delay slots of its branch */
};
bool jit_program_is_atomic(const struct jit_program *program, uint32_t at, struct jit_atomic *out);

static inline bool jit_op_is_alu(const struct qpu_instr *i)
{
    return i->sig != QPU_SIG_BRANCH && i->sig != QPU_SIG_LOAD_IMM;
}

/* Whether a half of an ALU instruction does anything: see decode_alu in gpu_qpu_program.c. */
unsigned jit_op_cond(const struct qpu_instr *i, bool mul);

#endif
