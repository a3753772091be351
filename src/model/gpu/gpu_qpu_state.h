/* SPDX-License-Identifier: MIT
 *
 * State of a QPU core. Private to gpu_qpu*.c and the JIT.
 */
#ifndef GPU_QPU_STATE_H
#define GPU_QPU_STATE_H

#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_solid.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_tmu.h"
#include "model/gpu/gpu_simd.h"

/* Contents of unwritten registers: a large negative number as a float, an unmapped address as an address. */
#define GPU_POISON 0xdeadbeefu

/* A decoded instruction with everything that does not depend on run-time state. */
struct gpu_qpu_op {
    struct qpu_instr instr;
    gpu_alu_fn add, mul; /* NULL: nothing to compute */
    uint32_t small_imm;
    uint8_t rotate;        /* 0 none, 1..15, 16: by r5 */
    bool rotate_full;      /* both mul operands are r0-r3 */
    bool unpack_float;     /* an operation that consumes floats reads file A */
    bool reads_a, reads_b; /* some ALU operand uses the value of the read port */
    bool pops;             /* some read port names a peripheral */
    bool special;          /* does more than ALU work on registers: peripheral reads, signals */
    uint8_t pack_mul;      /* mode of the mul packer, or 0 */
    uint8_t pack_file;     /* mode of the file A packer, or 0 */
};

struct jit_calls;
struct jit_cache;
struct jit_unit;
struct jit_pieces;
/* Host code of a program; `point` is the entry point, see model/jit/jit.h. */
typedef uint32_t (*gpu_qpu_native)(struct gpu_qpu_core *core, uint32_t point);

struct gpu_qpu_program {
    struct jit_unit *unit; /* compile unit, or NULL; requested by the first run */
    bool unit_requested;
    uint8_t unit_kind; /* of the first run: enum qpu_program_kind, and whether it had a user io */
    bool unit_user;
    uint32_t code_addr;
    uint32_t count;
    uint32_t named[2];  /* registers of files A and B that any instruction names */
    bool solid_checked; /* `solid` is valid */
    struct gpu_solid_program solid;
    struct gpu_qpu_op ops[];
};

struct gpu_flags {
    union gpu_vec z, n, c; /* all ones or zero */
};

/* State of VPM reads or writes, as programmed by a setup word [guide p.54-58]. */
struct gpu_vpm_access {
    uint32_t setup;
    uint32_t addr;      /* next vector, in the units of the setup's mode */
    unsigned remaining; /* vectors left to read */
    bool valid;
};

/* VPM DMA state, as programmed by setup words [guide p.58-60]. */
struct gpu_vpm_dma {
    uint32_t store_setup, store_stride, load_setup, load_pitch_B;
};

/* A range of the job's memory that is known to be mapped. Each place that accesses memory has its own window, because
 * it mostly accesses the same range again. */
#define GPU_WINDOWS 32u
enum { GPU_WINDOW_LOADS, GPU_WINDOW_DMA, GPU_WINDOW_LANES, GPU_WINDOW_HOST_CODE }; /* the rest: of host code */
struct gpu_window {
    uint32_t addr, size_B;
    uint32_t words_B; /* a word may start at offsets below this; 0: invalid. Below 2^31 */
};

#define GPU_TMU_FIFO 8

#define GPU_NEAREST_SLOTS 16u /* cached texture descriptions for host code, one per place in the program */

/* The request that a program is building, and the FIFO of results that it has not read yet. */
struct gpu_tmu_port {
    struct gpu_tmu_request request;
    unsigned outstanding_params; /* of requests whose results were not read yet; the request FIFO holds 8 */
    unsigned head, count;
    uint8_t params[GPU_TMU_FIFO];
    union gpu_vec result[GPU_TMU_FIFO];
};

/* Operation of the loop with which programs update single words under the mutex. It works lane by lane: a DMA load of
 * the word into its column of one row, new words from that row into another row, and a DMA store of the column. See
 * gpu_qpu_atomic.c. */
enum gpu_atomic {
    GPU_ATOMIC_ADD,
    GPU_ATOMIC_SUB,
    GPU_ATOMIC_IMIN,
    GPU_ATOMIC_IMAX,
    GPU_ATOMIC_UMIN,
    GPU_ATOMIC_UMAX,
    GPU_ATOMIC_AND,
    GPU_ATOMIC_OR,
    GPU_ATOMIC_XOR,
    GPU_ATOMIC_FADD, /* from here on, and UMIN and UMAX, the program leaves the new words in r3 */
    GPU_ATOMIC_FMIN,
    GPU_ATOMIC_FMAX,
    GPU_ATOMIC_EXCHANGE,
    GPU_ATOMIC_COMPARE,
};
struct gpu_atomic_lanes {
    union gpu_vec addr, data, compare;
    union gpu_vec row;                 /* out: the value of r3 at the end */
    uint32_t load, store, read;        /* setup words: both transfers for lane 0, and the read of the row */
};

struct gpu_qpu_core {
    /* Registers. The two files are side 0 (A) and side 1 (B). */
    union gpu_vec file[2][32];
    union gpu_vec acc[6]; /* r0..r5 */
    struct gpu_flags flags;
    union gpu_vec sfu_result;
    union gpu_vec varying_c; /* becomes r5 at the end of the instruction that read a varying */

    /* State of the current run. */
    const struct gpu_qpu_program *program;
    const struct gpu_qpu_run *run;
    uint32_t pc;                                              /* index of the instruction */
    uint32_t next_pc;                                         /* where a taken branch goes after its delay slots */
    const struct gpu_qpu_program *next_program;
    uint8_t branch_delay, switch_delay, end_delay, sfu_delay; /* instructions until it takes effect; 0: not pending */
    uint8_t fresh_write[2]; /* file register that the last instruction wrote (not yet readable), or 0xff */
    uint32_t uniforms_addr;
    uint32_t uniforms_page; /* page known to be mapped, or 1 */
    struct gpu_window uniforms_window; /* for host code */
    uint32_t uniforms_end;  /* end of the stream, or 1: no limit */
    unsigned varying;       /* next one to read */
    bool r5_pending;
    struct gpu_vpm_access vpm_read, vpm_write;
    struct gpu_vpm_dma dma;
    unsigned branches; /* backward ones, for the limit */
    const char *fault; /* static message; ends the run */

    struct jit_pieces *pieces; /* of the running program, if it is long: jit_pieces.h */

    /* User programs as host code. */
    struct jit_unit *user_unit; /* of the last user program, or NULL */
    uint32_t user_addr;         /* code address of user_unit, or 1 */
    bool user_checked;          /* user_unit was compared with this job's memory */
    gpu_qpu_native native;      /* NULL: interpreted */
    uint32_t native_point;      /* entry point for the next slice */
    uint32_t native_progressed;      /* whether it made progress in this slice */
    uint64_t user_counted;      /* value of `steps` when a run of user_unit was last counted */

    /* Strict runs: one bit per register that was written. The flags count as one register. */
    uint32_t file_valid[2], acc_valid;
    bool flags_valid;

    struct gpu_tmu_port tmu_port[2];
    struct gpu_tmu *tmu;
    struct gpu_nearest near[GPU_NEAREST_SLOTS];
    struct gpu_atomic_lanes atomic_lanes; /* for host code */

    const struct gpu_memory *mem;
    struct gpu_window window[GPU_WINDOWS];
    const struct gpu_simd *simd;       /* NULL: use the scalar loops */
    const struct jit_calls *calls;     /* for host code */
    struct jit_cache *jit;             /* NULL: interpret everything */
    struct gpu_qpu_program **programs; /* of this job */
    unsigned program_count, program_capacity;

    struct gpu_times *times; /* NULL: not measured */
    enum gpu_part vertex_part;

    union gpu_vec own_rows[QPU_OWN_ROWS]; /* CPU engine: rows of the VPM that only this QPU has */

    struct gpu_stats *stats; /* NULL: not counted */
    uint64_t steps;          /* instructions interpreted since the core was created */
    struct model_program_stats *counted; /* of the running user program, or NULL */
};

/* Returns a pointer to `size_B` mapped bytes and moves the window there. NULL if not all of them are mapped. */
uint8_t *gpu_qpu_memory(struct gpu_qpu_core *core, unsigned window, uint32_t addr, uint32_t size_B);

/* The same if the window covers them already, else NULL. */
static inline uint8_t *gpu_qpu_in_window(const struct gpu_qpu_core *core, unsigned window, uint32_t addr,
                                         uint32_t size_B)
{
    const struct gpu_window *w = &core->window[window];
    uint32_t offset = addr - w->addr;

    return offset < w->size_B && size_B <= w->size_B - offset ? core->mem->base + addr : NULL;
}

/* The CPU engine maps nothing below this address. Programs use such addresses on purpose in lanes that have nothing to
 * transfer, so accesses are not reported as stray. */
#define GPU_NULL_PAGE_END 4096u
#define GPU_CLOCK_ADDR    2048u /* in the null page of the CPU engine: gpu_qpu_dma.c */
static inline bool gpu_qpu_is_null_page(const struct gpu_qpu_core *core, uint32_t addr)
{
    return addr < GPU_NULL_PAGE_END && core->mem->range_at;
}

/* gpu_qpu_io.c: read and write addresses above 31. `mask`: the lanes whose condition holds. */
void gpu_qpu_read_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned raddr, union gpu_vec *out);
void gpu_qpu_write_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const union gpu_vec *value,
                              const union gpu_vec *mask);
void gpu_qpu_signal(struct gpu_qpu_core *core, unsigned sig);
uint32_t gpu_qpu_pop_uniform(struct gpu_qpu_core *core);
/* Reads the uniform at an address and moves uniforms_window there, up to the end of the stream. May set the fault. */
uint32_t gpu_qpu_uniform_at(struct gpu_qpu_core *core, uint32_t addr);
/* Moves uniforms_window so that it covers `count` uniforms from `addr` on. False if that is not possible; the window is
 * then empty. */
bool gpu_qpu_uniforms_at(struct gpu_qpu_core *core, uint32_t addr, uint32_t count);
#define QPU_SEMAPHORE_DECREMENT BIT(4)
/* How often a semaphore instruction takes or gives: once on the chip. */
static inline uint8_t gpu_qpu_semaphore_times(uint32_t word, bool is_engine)
{
    return (uint8_t)(is_engine ? 1 + (word >> 8 & 63) : 1);
}

/* Loads words. The low two bits of an address are ignored; unmapped words read as 0. */
void gpu_qpu_load_words(struct gpu_qpu_core *core, unsigned window, const union gpu_vec *addr, union gpu_vec *result);
uint32_t gpu_qpu_load_word(struct gpu_qpu_core *core, unsigned window, uint32_t addr);
/* Performs the texture lookup that the port's request describes. May set the fault. */
void gpu_qpu_sample(struct gpu_qpu_core *core, unsigned unit, union gpu_vec *result);
void gpu_qpu_find_texture(struct gpu_qpu_core *core, unsigned near, uint32_t p0, uint32_t p1);
enum gpu_tmu_misuse { GPU_TMU_FULL, GPU_TMU_EMPTY, GPU_TMU_TOO_MANY };
void gpu_qpu_misuse_tmu(struct gpu_qpu_core *core, enum gpu_tmu_misuse how); /* sets the fault */
void gpu_qpu_semaphore(struct gpu_qpu_core *core, uint32_t word); /* only if it does not have to wait */

/* gpu_qpu_vpm.c */
void gpu_vpm_setup_read(struct gpu_qpu_core *core, uint32_t setup);
void gpu_vpm_setup_write(struct gpu_qpu_core *core, uint32_t setup);
void gpu_vpm_read(struct gpu_qpu_core *core, union gpu_vec *out);
void gpu_vpm_write(struct gpu_qpu_core *core, const union gpu_vec *value, const union gpu_vec *mask);

/* gpu_qpu_strict.c: gpu_strict_before() sets the fault if the instruction reads something unwritten; gpu_strict_after()
 * records what it wrote. */
void gpu_strict_start(struct gpu_qpu_core *core);
void gpu_strict_before(struct gpu_qpu_core *core, const struct gpu_qpu_op *op);
void gpu_strict_after(struct gpu_qpu_core *core, const struct gpu_qpu_op *op);

/* gpu_qpu_dma.c: user programs only. */
void gpu_vpm_dma_setup(struct gpu_qpu_core *core, bool store, uint32_t setup);
/* Lane 0's address counts, with a setup for lanes all of them. */
void gpu_vpm_dma_store(struct gpu_qpu_core *core, const union gpu_vec *addr);
void gpu_vpm_dma_load(struct gpu_qpu_core *core, const union gpu_vec *addr);
/* For each lane: writes the setup word, which increases by `step` from lane to lane, and then the lane's address.
 * Programs move single words in this way. */
void gpu_vpm_dma_store_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
void gpu_vpm_dma_load_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);

/* gpu_qpu_atomic.c */
/* Executes all sixteen rounds. False if the setups do not match the pattern; nothing was done then. */
bool gpu_qpu_atomic_lanes(struct gpu_qpu_core *core, enum gpu_atomic what, struct gpu_atomic_lanes *lanes);
/* gpu_qpu_vpm.c: the row that the next vector is read from or written to, if it is a horizontal vector of words; else
 * NULL. */
uint32_t *gpu_vpm_row_to_read(struct gpu_qpu_core *core, uint32_t setup);
uint32_t *gpu_vpm_row_to_write(struct gpu_qpu_core *core);
/* Updates the read state as if a read setup had been written and its row read. */
void gpu_vpm_skip_read(struct gpu_qpu_core *core, uint32_t setup);
/* gpu_qpu_dma.c: the row for DMA setups that address a word in each column of one row; else NULL. */
uint32_t *gpu_vpm_dma_word_row(struct gpu_qpu_core *core, uint32_t setup, bool store);
uint8_t *gpu_vpm_dma_word(struct gpu_qpu_core *core, uint32_t addr); /* NULL if unmapped; counted as stray */

/* gpu_qpu_report.c: with VC4VK_DEBUG=hang, prints the state of the program at the fault. */
void gpu_qpu_report(const struct gpu_qpu_core *core);

/* gpu_qpu_program.c */
/* The decoded page of code around a bus address; unmapped words become breakpoints. NULL with a static message if the
 * address is not that of a mapped instruction, or host memory is short. */
#define GPU_CODE_PAGE_B 4096u
/* Length of the program at an address in instructions, as far as it can be found without running it. 0 with a message
 * if it has no end. */
uint32_t gpu_qpu_program_length(const struct gpu_memory *mem, uint32_t code_addr, const char **message_out);
const struct gpu_qpu_program *gpu_qpu_code_page(struct gpu_qpu_core *core, uint32_t addr, const char **message_out);
void gpu_qpu_forget_programs(struct gpu_qpu_core *core);

/* Host code for a run that is about to start. NULL: interpret it. */
gpu_qpu_native gpu_qpu_native_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run);
gpu_qpu_native gpu_qpu_native_user_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run);

/* gpu_qpu.c. Runs a bin or render program as host code; `native` NULL: interprets it. */
enum gpu_status gpu_qpu_run_as(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native,
                               const char **message_out);
void gpu_qpu_start_native(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native);
/* Continues a user program in host code at the interpreter's position, if the host code has an entry point there. */
void gpu_qpu_enter_native(struct gpu_qpu_core *core, gpu_qpu_native native);
/* Functions that host code calls. */
const struct jit_calls *gpu_qpu_jit_calls(void);

#endif
