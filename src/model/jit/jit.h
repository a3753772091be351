/* SPDX-License-Identifier: MIT
 *
 * The door between the driver and libvc4vk_jit.so, which turns QPU programs into host code (docs/jit.md). Both sides
 * are built from the same tree and share the layout of struct gpu_qpu_core; the library holds LLVM, and the driver
 * loads it when a program has run often enough to be worth it.
 *
 * Compiled code does what the interpreter does, bit for bit, and calls the interpreter's own functions for what it does
 * not do itself.
 */
#ifndef JIT_JIT_H
#define JIT_JIT_H

#include "model/gpu/gpu_qpu_state.h"
#include "model/gpu/gpu_sfu.h"

#define JIT_VERSION 8u

/* How compiled code comes back. At JIT_WAITS and JIT_YIELDS, which only user programs know, core->native_point says
 * where to go on, and core->native_progressed whether something was done. */
enum jit_exit {
    JIT_ENDED,
    JIT_FAULT,  /* core->fault and core->pc are set */
    JIT_WAITS,  /* stands at a semaphore or the mutex */
    JIT_YIELDS, /* has run for long */
    JIT_BAILOUT,   /* the interpreter goes on: all of its state is in the core */
    JIT_NO_SUCH_POINT, /* there is no such point: nothing was done */
};

/* A point of user programs: the head of the loop at an instruction, with nothing in flight. */
#define JIT_LOOP_POINT(index) (UINT32_C(0x80000000) | (index))

/* `point`: 0 at the start. In the mode of gpu_fp_enter(). */
typedef gpu_qpu_native jit_fn;

/* What earlier instructions have begun: the fields of struct gpu_qpu_core by these names. */
static inline uint32_t jit_flight(unsigned sfu_delay, unsigned switch_delay, unsigned end_delay,
                                  const uint8_t fresh_write[2])
{
    return sfu_delay | switch_delay << 4 | end_delay << 8 | (uint32_t)fresh_write[0] << 16 |
           (uint32_t)fresh_write[1] << 24;
}

/* The interpreter's functions. */
struct jit_calls {
    void (*read)(struct gpu_qpu_core *core, unsigned side, unsigned raddr, union gpu_vec *out);
    void (*write)(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const union gpu_vec *value,
                  const union gpu_vec *mask);
    void (*signal)(struct gpu_qpu_core *core, unsigned sig);
    uint32_t (*uniform_at)(struct gpu_qpu_core *core, uint32_t addr);
    bool (*uniforms_at)(struct gpu_qpu_core *core, uint32_t addr, uint32_t count);
    /* Runs `count` instructions from `pc` on, which only read and write registers, uniforms and varyings. `flight`:
     * jit_flight(). */
    void (*interpret)(struct gpu_qpu_core *core, uint32_t pc, uint32_t count, uint32_t flight, uint32_t uniforms_addr,
                      uint32_t varying);
    /* Before JIT_BAILOUT: what is not in the core yet, but for registers and texture units that hold something. */
    void (*leave)(struct gpu_qpu_core *core, uint32_t pc, uint32_t flight, uint32_t uniforms_addr, uint32_t varying);
    /* A float operation with corners: `op` of the add unit, or where there is none, fmul. */
    void (*exact)(struct gpu_qpu_core *core, uint32_t op, const union gpu_vec *a, const union gpu_vec *b,
                  union gpu_vec *out);
    const struct gpu_sfu_tables *(*sfu_tables)(void);
    void (*rotate)(const union gpu_vec *in, unsigned by, bool full, union gpu_vec *out);
    void (*load_words)(struct gpu_qpu_core *core, unsigned window, const union gpu_vec *addr, union gpu_vec *result);
    uint32_t (*load_word)(struct gpu_qpu_core *core, unsigned window, uint32_t addr);
    void (*sample)(struct gpu_qpu_core *core, unsigned unit, union gpu_vec *result);
    void (*find_texture)(struct gpu_qpu_core *core, unsigned near, uint32_t p0, uint32_t p1);
    void (*misuse_tmu)(struct gpu_qpu_core *core, enum gpu_tmu_misuse how);
    void (*vpm_setup_read)(struct gpu_qpu_core *core, uint32_t setup);
    void (*vpm_setup_write)(struct gpu_qpu_core *core, uint32_t setup);
    void (*vpm_read)(struct gpu_qpu_core *core, union gpu_vec *out);
    void (*vpm_write)(struct gpu_qpu_core *core, const union gpu_vec *value, const union gpu_vec *mask);
    void (*dma_load)(struct gpu_qpu_core *core, uint32_t addr);
    void (*dma_store)(struct gpu_qpu_core *core, uint32_t addr);
    void (*dma_load_lanes)(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
    void (*dma_store_lanes)(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
    bool (*atomic_lanes)(struct gpu_qpu_core *core, enum gpu_atomic what, struct gpu_atomic_lanes *lanes);
    void (*semaphore)(struct gpu_qpu_core *core, uint32_t word);
    bool (*mutex_waits)(const struct gpu_qpu_core *core); /* takes it where it is free */
    void (*take_mutex)(struct gpu_qpu_core *core);        /* stalls for it: programs of the pipelines */
    void (*check_limit)(struct gpu_qpu_core *core);
};

/* A program: its first instruction is where it begins. */
struct jit_source {
    const uint64_t *words;
    uint32_t count;
    uint32_t kind;  /* enum qpu_program_kind */
    bool has_user;  /* runs with a struct gpu_user_io */
    bool keeps_all; /* tests: leaves all registers and flags in the core at the end */
};

/* Which instructions of the host code may use. */
enum jit_host {
    JIT_HOST_BEST,
    JIT_HOST_BASE, /* SSE2; NEON */
    JIT_HOST_AVX2, /* as BASE elsewhere, and where it is missing */
};

struct jit_library {
    /* JIT_VERSION, sizes of both structs, JIT_IDENTITY of jit_identity_gen.h: others belong to another build. */
    uint32_t version, core_B, calls_B;
    const char *identity; /* read only where the version is right */
    /* Once, before all else. False: this host is not served. */
    bool (*start)(const struct jit_calls *calls, enum jit_host host);
    /* From any threads. A file for jit_code_load(), malloc'ed; NULL with a static message: the interpreter keeps the
     * program. */
    void *(*compile)(const struct jit_source *source, size_t *size_out_B, const char **message_out);
};

/* The library's only symbol. */
#define JIT_SYMBOL "vc4vk_jit_library"
const struct jit_library *vc4vk_jit_library(void);

#endif
