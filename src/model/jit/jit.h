/* SPDX-License-Identifier: MIT
 *
 * The interface between the driver and libvc4vk_jit.so, which compiles QPU programs to host code (docs/jit.md). The
 * library holds LLVM; the driver loads it once a program has run often enough to be worth compiling. Both sides are
 * built from the same tree and share the layout of struct gpu_qpu_core.
 *
 * Host code gives the same results as the interpreter, bit for bit. It calls the interpreter's functions (struct
 * jit_calls) for operations that it does not implement itself.
 */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "model/gpu/gpu_qpu_state.h"
#include "model/gpu/gpu_sfu.h"

#define JIT_VERSION 9u

/* Why host code returned. JIT_WAITS and JIT_YIELDS occur in user programs only: core->native_point is then the resume
 * point, and core->native_progressed tells whether the program made progress. JIT_CONTINUES occurs in pieces only. */
enum jit_exit {
    JIT_ENDED,
    JIT_FAULT,         /* core->fault and core->pc are set */
    JIT_WAITS,         /* blocked at a semaphore or the mutex */
    JIT_YIELDS,        /* gives up its turn after many backward branches */
    JIT_BAILOUT,       /* the interpreter must continue: the core holds the whole state */
    JIT_NO_SUCH_POINT, /* the program has no such resume point: nothing was done */
    JIT_CONTINUES,     /* in another piece, at core->native_point: the core holds the whole state */
};

/* Entry `number` of a piece (jit_plan.h), or a resume point with a higher number. 0 is the start of the program. */
#define JIT_PIECE_POINT(piece, number) ((uint32_t)(piece) << 16 | (number))
#define JIT_PIECE_OF_POINT(point)      ((point) >> 16)
#define JIT_PIECES_MAX                 0x7fffu
#define JIT_PIECE_POINTS_MAX           0xffffu

/* Resume point of a user program at a loop head (index of its instruction), where nothing is in flight. */
#define JIT_LOOP_POINT(index) (UINT32_C(0x80000000) | (index))
#define JIT_IS_LOOP_POINT(point)    ((point) >> 31)
#define JIT_LOOP_POINT_INDEX(point) ((point) % UINT32_C(0x80000000))

/* Signature of host code. `point`: 0 to start the program, or a resume point. Needs the FP mode of gpu_fp_enter(). */
typedef gpu_qpu_native jit_fn;

/* Packs the effects of earlier instructions that are still pending: the struct gpu_qpu_core fields of these names. */
static inline uint32_t jit_flight(unsigned sfu_delay, unsigned switch_delay, unsigned end_delay,
                                  const uint8_t fresh_write[2])
{
    return sfu_delay | switch_delay << 4 | end_delay << 8 | (uint32_t)fresh_write[0] << 16 |
           (uint32_t)fresh_write[1] << 24;
}

/* The interpreter's functions, for host code to call. */
struct jit_calls {
    void (*read)(struct gpu_qpu_core *core, unsigned side, unsigned raddr, union gpu_vec *out);
    void (*write)(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const union gpu_vec *value,
                  const union gpu_vec *mask);
    void (*signal)(struct gpu_qpu_core *core, unsigned sig);
    uint32_t (*uniform_at)(struct gpu_qpu_core *core, uint32_t addr);
    bool (*uniforms_at)(struct gpu_qpu_core *core, uint32_t addr, uint32_t count);
    /* Interprets `count` instructions from `pc` on. They may access registers, uniforms and varyings only. `flight`:
     * see jit_flight(). */
    void (*interpret)(struct gpu_qpu_core *core, uint32_t pc, uint32_t count, uint32_t flight, uint32_t uniforms_addr,
                      uint32_t varying);
    /* A float operation with full handling of special values: `op` of the add unit, or fmul if it is QPU_A_NOP. */
    void (*exact)(struct gpu_qpu_core *core, uint32_t op, const union gpu_vec *a, const union gpu_vec *b,
                  union gpu_vec *out);
    const struct gpu_sfu_tables *(*sfu_tables)(void);
    void (*rotate)(const union gpu_vec *in, unsigned by, bool full, union gpu_vec *out);
    void (*load_words)(struct gpu_qpu_core *core, unsigned window, const union gpu_vec *addr, union gpu_vec *result);
    uint32_t (*load_word)(struct gpu_qpu_core *core, unsigned window, uint32_t addr);
    void (*sample)(struct gpu_qpu_core *core, unsigned unit, union gpu_vec *result);
    void (*find_texture)(struct gpu_qpu_core *core, unsigned index, uint32_t p0, uint32_t p1);
    void (*misuse_tmu)(struct gpu_qpu_core *core, enum gpu_tmu_misuse how);
    void (*vpm_setup_read)(struct gpu_qpu_core *core, uint32_t setup);
    void (*vpm_setup_write)(struct gpu_qpu_core *core, uint32_t setup);
    void (*vpm_read)(struct gpu_qpu_core *core, union gpu_vec *out);
    void (*vpm_write)(struct gpu_qpu_core *core, const union gpu_vec *value, const union gpu_vec *mask);
    void (*dma_load)(struct gpu_qpu_core *core, const union gpu_vec *addr);
    void (*dma_store)(struct gpu_qpu_core *core, const union gpu_vec *addr);
    void (*dma_load_lanes)(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
    void (*dma_store_lanes)(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
    bool (*atomic_lanes)(struct gpu_qpu_core *core, enum gpu_atomic what, struct gpu_atomic_lanes *lanes);
    void (*semaphore)(struct gpu_qpu_core *core, uint32_t word);
    bool (*mutex_waits)(const struct gpu_qpu_core *core); /* takes the mutex if it is free */
    void (*take_mutex)(struct gpu_qpu_core *core);        /* stalls until it is free; not for user programs */
    void (*check_limit)(struct gpu_qpu_core *core);
    /* For jit_pieces.c; not for user programs. `start` initialises the state in the core. `interpret_range` interprets
     * up to an instruction outside of [begin, end), and returns false at the program's end or a fault. */
    void (*start)(struct gpu_qpu_core *core);
    bool (*interpret_range)(struct gpu_qpu_core *core, uint32_t begin, uint32_t end);
};

/* A program, or one piece of a long program. It starts at its first instruction. */
struct jit_source {
    const uint64_t *words;
    uint32_t count;
    uint32_t kind;  /* enum qpu_program_kind */
    bool has_user;  /* runs with a struct gpu_user_io */
    bool keeps_all; /* for tests: at the end, all registers and flags are in the core */
    uint32_t piece, piece_instrs; /* which piece to compile, and jit_plan_make()'s argument: 0, except in tests */
};

/* The instruction-set level that host code may use. */
enum jit_host {
    JIT_HOST_BEST,
    JIT_HOST_BASE, /* SSE2; NEON */
    JIT_HOST_AVX2, /* as JIT_HOST_BASE on hosts without AVX2 */
};

struct jit_library {
    /* JIT_VERSION, the sizes of struct gpu_qpu_core and struct jit_calls, and JIT_IDENTITY of jit_identity_gen.h. The
     * driver rejects a library with any other value: it belongs to another build. */
    uint32_t version, core_B, calls_B;
    const char *identity; /* valid only if the version matches */
    /* Must be called before compile(). False: this host is not supported. */
    bool (*start)(const struct jit_calls *calls, enum jit_host host);
    /* Thread safe. Returns a malloc'ed file for jit_code_load(). NULL with a static message: the program cannot be
     * compiled and must be interpreted. */
    void *(*compile)(const struct jit_source *source, size_t *size_out_B, const char **message_out);
};

/* The library's only exported symbol. */
#define JIT_SYMBOL "vc4vk_jit_library"
const struct jit_library *vc4vk_jit_library(void);

#endif
