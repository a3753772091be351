/* SPDX-License-Identifier: MIT
 *
 * What a QPU core holds. Private to gpu_qpu*.c.
 */
#ifndef GPU_QPU_STATE_H
#define GPU_QPU_STATE_H

#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_solid.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_tmu.h"
#include "model/gpu/gpu_simd.h"

/* Registers that nobody wrote hold this: as a float a large negative number, as an address one that is not mapped. */
#define GPU_POISON 0xdeadbeefu

/* An instruction with everything that is known before it runs. */
struct gpu_qpu_op {
    struct qpu_instr instr;
    gpu_alu_fn add, mul; /* NULL: nothing to compute */
    uint32_t small_imm;
    uint8_t rotate;        /* 0 none, 1..15, 16: by r5 */
    bool rotate_full;      /* both mul operands are r0-r3 */
    bool unpack_float;     /* an operation that consumes floats reads file A */
    bool reads_a, reads_b; /* some mux wants the value of the read port */
    bool pops;             /* some read port names a peripheral */
    bool special;          /* anything but ALU work on registers: see step() */
    uint8_t pack_mul;      /* mode of the mul packer, or 0 */
    uint8_t pack_file;     /* mode of the file A packer, or 0 */
};

struct jit_calls;
struct jit_cache;
struct jit_unit;
/* Host code of a program, see model/jit/jit.h. */
typedef uint32_t (*gpu_qpu_native)(struct gpu_qpu_core *core, uint32_t point);

struct gpu_qpu_program {
    struct jit_unit *unit; /* for the compiler, or NULL; asked for by the first run */
    bool asked;
    uint8_t asked_kind; /* of that run: enum qpu_program_kind, and whether it had a user io */
    bool asked_user;
    uint32_t code_addr;
    uint32_t count;
    uint32_t named[2]; /* registers of either file that some instruction names */
    bool is_judged;    /* whether it is solid */
    struct gpu_solid_program solid;
    struct gpu_qpu_op ops[];
};

struct gpu_flags {
    union gpu_vec z, n, c; /* all ones or zero */
};

/* Reads or writes of the VPM as a setup word programs them [guide p.54-58]. */
struct gpu_vpm_access {
    uint32_t setup;
    uint32_t addr;      /* next vector, in the units of the setup's mode */
    unsigned remaining; /* vectors left to read */
    bool valid;
};

/* VPM DMA as setup words programmed it [guide p.58-60]. */
struct gpu_vpm_dma {
    uint32_t store_setup, store_stride, load_setup, load_pitch_B;
};

/* A range of the job's memory that is known to be mapped. There is one for each place that goes to memory, as each
 * mostly goes to the same range again. */
#define GPU_WINDOWS 32u
enum { GPU_WINDOW_LOADS, GPU_WINDOW_DMA, GPU_WINDOW_LANES, GPU_WINDOW_HOST_CODE }; /* the rest is host code's */
struct gpu_window {
    uint32_t addr, size_B;
    uint32_t words_B; /* where in it a word may begin; none at first. Below 2^31 */
};

#define GPU_TMU_FIFO 8

#define GPU_NEAREST_SLOTS 16u /* textures that host code looks up by itself: places of the program, as with windows */

/* What a program has written for its next request, and the results that wait for it. */
struct gpu_tmu_port {
    struct gpu_tmu_request request;
    unsigned outstanding_params; /* of requests whose results were not taken: the request FIFO holds 8 */
    unsigned head, count;
    uint8_t params[GPU_TMU_FIFO];
    union gpu_vec result[GPU_TMU_FIFO];
};

/* The loop of programs that change single words under the mutex, lane by lane: a DMA load of the word
 * to its column of one row, new words from that row to another, and a DMA store of the column. */
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
    GPU_ATOMIC_EXCHANGE,
    GPU_ATOMIC_COMPARE,
};
struct gpu_atomic_lanes {
    union gpu_vec addr, data, compare;
    union gpu_vec row;                 /* out: what r3 holds at the end */
    uint32_t load, store, read;        /* setup words: of both transfers, of lane 0, and of the row's reading */
};

struct gpu_qpu_core {
    /* Registers. The two files are side 0 (A) and side 1 (B). */
    union gpu_vec file[2][32];
    union gpu_vec acc[6]; /* r0..r5 */
    struct gpu_flags flags;
    union gpu_vec sfu_result;
    union gpu_vec varying_c; /* becomes r5 at the end of the instruction that read a varying */

    /* One run. */
    const struct gpu_qpu_program *program;
    const struct gpu_qpu_run *run;
    uint32_t pc;                                              /* index of the instruction */
    uint32_t next_pc;                                         /* where a taken branch goes after its delay slots */
    const struct gpu_qpu_program *next_program;
    uint8_t branch_delay, switch_delay, end_delay, sfu_delay; /* instructions until it happens; 0 = nothing */
    uint8_t fresh_write[2]; /* file register that the last instruction wrote (not readable yet), or 0xff */
    uint32_t uniforms_addr;
    uint32_t uniforms_page; /* page known to be mapped, or 1 */
    struct gpu_window uniforms_window; /* host code's */
    uint32_t uniforms_end;  /* behind the last one that there is, or 1 */
    unsigned varying;       /* next one to read */
    bool r5_pending;
    struct gpu_vpm_access vpm_read, vpm_write;
    struct gpu_vpm_dma dma;
    unsigned branches; /* backward ones, for the limit */
    const char *fault; /* static message; ends the run */

    /* User programs as host code. */
    struct jit_unit *user_unit; /* of the last one, or NULL */
    uint32_t user_addr;         /* whose; or 1 */
    bool user_looked;           /* it was the same in this job's memory */
    gpu_qpu_native native;      /* NULL: interpreted */
    uint32_t native_point;      /* where it goes on */
    uint32_t native_progressed;      /* whether it did something since it went on */
    uint64_t user_counted;      /* of `steps`: those before have been counted as runs of user_unit */

    /* Strict runs: what holds a value, a bit for each register. The flags count as one. */
    uint32_t file_valid[2], acc_valid;
    bool flags_valid;

    struct gpu_tmu_port tmu_port[2];
    struct gpu_tmu *tmu;
    struct gpu_nearest near[GPU_NEAREST_SLOTS];
    struct gpu_atomic_lanes atomic_lanes; /* host code's */

    const struct gpu_memory *mem;
    struct gpu_window window[GPU_WINDOWS];
    const struct gpu_simd *wide;       /* NULL: the plain way */
    const struct jit_calls *calls;     /* for host code */
    struct jit_cache *jit;             /* NULL: everything is interpreted */
    struct gpu_qpu_program **programs; /* of this job */
    unsigned program_count, program_capacity;

    struct gpu_times *times; /* NULL: nobody wants to know */
    enum gpu_part vertex_part;

    struct gpu_stats *stats; /* NULL: nothing is counted */
    uint64_t steps;          /* instructions that were interpreted, ever */
    struct model_program_stats *counted; /* of the user program that runs, or NULL */
};

/* Where `size_B` bytes lie, which the window is moved to; NULL: they are not all mapped. */
uint8_t *gpu_qpu_memory(struct gpu_qpu_core *core, unsigned window, uint32_t addr, uint32_t size_B);

/* The same where the window covers them already. */
static inline uint8_t *gpu_qpu_in_window(const struct gpu_qpu_core *core, unsigned window, uint32_t addr,
                                         uint32_t size_B)
{
    const struct gpu_window *w = &core->window[window];
    uint32_t offset = addr - w->addr;

    return offset < w->size_B && size_B <= w->size_B - offset ? core->mem->base + addr : NULL;
}

/* The CPU engine maps nothing below. Programs go there on purpose, in lanes that have nothing to transfer. */
#define GPU_NOWHERE_END 4096u
static inline bool gpu_qpu_is_nowhere(const struct gpu_qpu_core *core, uint32_t addr)
{
    return addr < GPU_NOWHERE_END && core->mem->range_at;
}

/* gpu_qpu_io.c: what the read and write addresses above 31 do. `lanes` are those whose condition holds. */
void gpu_qpu_read_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned raddr, union gpu_vec *out);
void gpu_qpu_write_peripheral(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const union gpu_vec *value,
                              const union gpu_vec *mask);
void gpu_qpu_signal(struct gpu_qpu_core *core, unsigned sig);
uint32_t gpu_qpu_pop_uniform(struct gpu_qpu_core *core);
/* The uniform at an address, which moves the window: up to the end of the stream. May set the fault. */
uint32_t gpu_qpu_uniform_at(struct gpu_qpu_core *core, uint32_t addr);
/* Moves the window to where it has `count` uniforms from `addr` on. False: it has to go without. */
bool gpu_qpu_uniforms_at(struct gpu_qpu_core *core, uint32_t addr, uint32_t count);
#define QPU_SEMAPHORE_DECREMENT BIT(4)
#define QPU_SEMAPHORE_MAX       15
/* Words at addresses whose low two bits are ignored; 0 where nothing is mapped. */
void gpu_qpu_load_words(struct gpu_qpu_core *core, unsigned window, const union gpu_vec *addr, union gpu_vec *result);
uint32_t gpu_qpu_load_word(struct gpu_qpu_core *core, unsigned window, uint32_t addr);
/* A texture lookup, by the port's request. */
void gpu_qpu_sample(struct gpu_qpu_core *core, unsigned unit, union gpu_vec *result);
void gpu_qpu_find_texture(struct gpu_qpu_core *core, unsigned near, uint32_t p0, uint32_t p1);
enum gpu_tmu_misuse { GPU_TMU_FULL, GPU_TMU_EMPTY, GPU_TMU_TOO_MANY };
void gpu_qpu_misuse_tmu(struct gpu_qpu_core *core, enum gpu_tmu_misuse how); /* sets the fault */
void gpu_qpu_semaphore(struct gpu_qpu_core *core, uint32_t word); /* where it does not have to wait */

/* gpu_qpu_vpm.c */
void gpu_vpm_setup_read(struct gpu_qpu_core *core, uint32_t setup);
void gpu_vpm_setup_write(struct gpu_qpu_core *core, uint32_t setup);
void gpu_vpm_read(struct gpu_qpu_core *core, union gpu_vec *out);
void gpu_vpm_write(struct gpu_qpu_core *core, const union gpu_vec *value, const union gpu_vec *mask);

/* gpu_qpu_strict.c: before an instruction, sets the fault when it uses what holds nothing; after it, notes what it
 * wrote. */
void gpu_strict_start(struct gpu_qpu_core *core);
void gpu_strict_before(struct gpu_qpu_core *core, const struct gpu_qpu_op *op);
void gpu_strict_after(struct gpu_qpu_core *core, const struct gpu_qpu_op *op);

/* gpu_qpu_dma.c: user programs only. */
void gpu_vpm_dma_setup(struct gpu_qpu_core *core, bool store, uint32_t setup);
void gpu_vpm_dma_store(struct gpu_qpu_core *core, uint32_t addr);
void gpu_vpm_dma_load(struct gpu_qpu_core *core, uint32_t addr);
/* For each lane: writes the setup, which grows by `step` from lane to lane, and the lane's address. As programs do to
 * move single words. */
void gpu_vpm_dma_store_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);
void gpu_vpm_dma_load_lanes(struct gpu_qpu_core *core, uint32_t setup, uint32_t step, const union gpu_vec *addr);

/* gpu_qpu_atomic.c */
/* All sixteen rounds. False: something is not as such programs have it, and nothing was done. */
bool gpu_qpu_atomic_lanes(struct gpu_qpu_core *core, enum gpu_atomic what, struct gpu_atomic_lanes *lanes);
/* gpu_qpu_vpm.c: rows that a setup's next vector lies in, when it is a row of words; or NULL. */
uint32_t *gpu_vpm_row_to_read(const struct gpu_qpu_core *core, uint32_t setup);
uint32_t *gpu_vpm_row_to_write(const struct gpu_qpu_core *core);
/* As if a read setup had been written, and its row read. */
void gpu_vpm_skip_read(struct gpu_qpu_core *core, uint32_t setup);
/* gpu_qpu_dma.c: the same of DMA setups that name a word in each column of a row. */
uint32_t *gpu_vpm_dma_word_row(struct gpu_qpu_core *core, uint32_t setup, bool store);
uint8_t *gpu_vpm_dma_word(struct gpu_qpu_core *core, uint32_t addr); /* NULL, and counted: nothing is there */

/* gpu_qpu_report.c: under VC4VK_DEBUG=hang, what the program was doing when its fault was set. */
void gpu_qpu_report(const struct gpu_qpu_core *core);

/* gpu_qpu_program.c */
/* The page of code around a bus address, decoded; words that are not mapped are breakpoints. NULL with a static message
 * when the address is not that of a mapped instruction, or host memory is short. */
#define GPU_CODE_PAGE_B 4096u
/* Instructions of the program at an address, as far as its end can be told without running it; 0 with a message. */
uint32_t gpu_qpu_program_length(const struct gpu_memory *mem, uint32_t code_addr, const char **message_out);
const struct gpu_qpu_program *gpu_qpu_code_page(struct gpu_qpu_core *core, uint32_t addr, const char **message_out);
void gpu_qpu_forget_programs(struct gpu_qpu_core *core);

/* Host code for a run that is about to start, or NULL: interpret it. */
gpu_qpu_native gpu_qpu_native_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run);
gpu_qpu_native gpu_qpu_native_user_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run);

/* gpu_qpu.c. Runs a program of the pipelines as host code; `native` NULL: interpreted. */
enum gpu_status gpu_qpu_run_as(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native,
                               const char **message_out);
void gpu_qpu_start_native(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native);
/* Lets host code go on where the interpreter stands in a user program, when that is a point of it. */
void gpu_qpu_enter_native(struct gpu_qpu_core *core, gpu_qpu_native native);
/* What host code calls. */
const struct jit_calls *gpu_qpu_jit_calls(void);

#endif
