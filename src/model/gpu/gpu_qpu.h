/* SPDX-License-Identifier: MIT
 *
 * The QPU: runs one 16-lane program from its encoded words. Private door between the shader core on one side and the
 * vertex pipe, rasteriser and tile buffer on the other: they fill the io struct, run, and serve its callbacks.
 *
 * A core is what one worker thread of the model owns: decoded programs, the texture units, registers. Cores share
 * nothing and need no lock. A program with two hardware threads runs as one thread at a time: a thread switch then
 * only costs what it costs on the chip, r0-r5 and the flags, which become a poison pattern [guide p.20].
 *
 * All runs happen between gpu_fp_enter() and gpu_fp_leave() (gpu_alu.h), called by whoever owns the worker thread.
 */
#ifndef GPU_QPU_H
#define GPU_QPU_H

#include <limits.h>
#include <stdatomic.h>
#include "hw/qpu.h"
#include "model/gpu/gpu.h"
#include "model/gpu/gpu_times.h"
#include "util/thread.h"

struct gpu_qpu_core;
struct gpu_stats;       /* gpu_stats.h */
struct gpu_qpu_program; /* owned by the core, valid until the next gpu_qpu_begin_job */

/* 0 or -ENOMEM. */
int gpu_qpu_core_create(const struct gpu_memory *mem, struct gpu_qpu_core **out) UTIL_MUST_CHECK;
/* NULL is accepted. */
void gpu_qpu_core_destroy(struct gpu_qpu_core *core);
/* The core's runs are added to `times` from now on; those of vertices as this part. */
void gpu_qpu_take_times(struct gpu_qpu_core *core, struct gpu_times *times, enum gpu_part vertex_part);

/* What the core does from now on is counted, and all of it interpreted; NULL: it is not. */
void gpu_qpu_take_stats(struct gpu_qpu_core *core, struct gpu_stats *stats);
struct gpu_stats *gpu_qpu_stats(const struct gpu_qpu_core *core);

/* Forgets decoded programs and texture state: memory may have changed. Once before each bin or render job. */
void gpu_qpu_begin_job(struct gpu_qpu_core *core);

/* The program at a bus address, decoded once per job. NULL with a static message when it has no end, lies outside
 * mapped memory or host memory is short. */
const struct gpu_qpu_program *gpu_qpu_program_get(struct gpu_qpu_core *core, uint32_t code_addr,
                                                  const char **message_out);

/* Coefficients of one varying: VARYING reads a * dx + b * dy of the lane, and r5 becomes c in all lanes. */
struct gpu_varying {
    float a, b, c, unused; /* host code reads four at once */
};

#define GPU_QUADS (QPU_LANES / 4)

/* A batch of 16 fragments: four quads, from up to four primitives that share all state. Lane l belongs to quad l >> 2;
 * in the quad x = l & 1, y = (l >> 1) & 1. */
struct gpu_fragment_io {
    _Alignas(64) uint32_t x_px[QPU_LANES];
    uint32_t y_px[QPU_LANES];
    uint32_t ms_flags[QPU_LANES];       /* covered samples; the program and z_test change it. 0: a helper lane */
    uint32_t rev_flag[QPU_LANES];       /* 1: back facing */
    float w[QPU_LANES];                 /* A15 at start: W, already inverted from the interpolated 1/W */
    uint32_t z[QPU_LANES];              /* B15 at start: 24-bit depth, offset included */
    float dx[QPU_LANES], dy[QPU_LANES]; /* pixel centre relative to the point where the varyings' c holds */

    /* In the order in which the program must read them; point and line coordinates come first [hardware notes 6.2].
     * Reading more of them stalls the chip: the run ends as a hang. Reading fewer is reported the same way. */
    const struct gpu_varying *varyings[GPU_QUADS]; /* of each quad's primitive; never NULL when varying_count > 0 */
    unsigned varying_count;

    /* Tile buffer. `lanes` has a bit for each lane whose condition holds. The callee keeps the count of samples for
     * color_load and of color_store with `all_samples` false, both from 0 at the start of the run. */
    void (*stencil_setup)(struct gpu_fragment_io *io, uint32_t word);
    void (*z_test)(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes); /* ANDs into ms_flags */
    void (*color_store)(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples);
    void (*color_load)(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES]);
};

/* Vertex and coordinate programs: the VPM as 64 rows of 16 columns, a column per vertex; both areas start at row 0. */
#define GPU_VPM_ROWS    64
#define GPU_OUTPUT_ROWS 144 /* of the CPU engine's vertex programs: more varyings than the chip has */
struct gpu_vertex_io {
    uint32_t (*in)[QPU_LANES];  /* GPU_VPM_ROWS rows of attributes */
    uint32_t (*out)[QPU_LANES]; /* rows that the program writes: GPU_VPM_ROWS, GPU_OUTPUT_ROWS on the CPU engine */
};

/* What user programs share: the part of the VPM that setup words can name, and the units that keep them in step. Loads
 * and stores of the VPM DMA are done at once, so nobody ever waits for them. */
#define GPU_USER_VPM_ROWS   128
#define GPU_USER_SEMAPHORES 16
#define GPU_MUTEX_FREE      UINT_MAX
/* What the QPUs of several threads share, where there are several. */
struct gpu_user_share {
    _Atomic unsigned mutex_holder; /* QPU number or GPU_MUTEX_FREE */
    _Atomic bool stop;             /* somebody failed: all shall end */
};
struct gpu_user_io {
    _Alignas(64) uint32_t vpm[GPU_USER_VPM_ROWS][QPU_LANES];
    uint8_t semaphore[GPU_USER_SEMAPHORES]; /* 0 to 15 */
    struct gpu_user_share *share;
    unsigned first_qpu; /* number of the first of its QPUs */
    bool is_engine;     /* programs of the CPU engine read and write all rows, not the lower half alone */
    bool keeps_few;     /* DMA stores to anything but these bytes are dropped */
    const struct gpu_kept_stores *kept;
    unsigned kept_count;
    uint32_t interrupts;                    /* a bit for each QPU that wrote something but 0 to HOST_INT */
    uint32_t stray_accesses, stray_addr;    /* elements of DMA rows outside of mapped memory, the first one's address */
};

struct gpu_qpu_run {
    const struct gpu_qpu_program *program; /* unused by user programs */
    enum qpu_program_kind kind;
    uint32_t uniforms_addr;
    struct util_work_limit *limit;    /* looked at on backward branches only; NULL: none */
    bool strict;                      /* tests: using a register, accumulator or flag that holds nothing ends the run */
    struct gpu_fragment_io *fragment; /* QPU_PROGRAM_FRAGMENT */
    struct gpu_vertex_io *vertex;     /* QPU_PROGRAM_VERTEX */

    /* QPU_PROGRAM_USER, and programs of graphics on the CPU engine: they see the upper rows of this VPM beside their
     * own */
    struct gpu_user_io *user;
    unsigned qpu; /* what the program reads as QPU number */
    /* QPU_PROGRAM_USER */
    uint32_t code_addr;
    uint32_t uniforms_count; /* reading more of them is a fault; 0: any number */
};

/* GPU_OK, or GPU_HANG with a static message: past the limit, a stall that never ends (too many varyings, VPM reads
 * or texture results asked for), a branch out of the program, an operation the model does not have. */
enum gpu_status gpu_qpu_run(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, const char **message_out);

/* User programs run in slices, so that those that wait for each other take turns on one host thread. `run` stays valid
 * until the end. Their code has no known extent: it is decoded page by page where execution gets. */
enum gpu_qpu_progress {
    GPU_QPU_RUNNING, /* did something; may stand at a semaphore or the mutex now */
    GPU_QPU_BLOCKED, /* stands at one, and did nothing */
    GPU_QPU_ENDED,
    GPU_QPU_FAULT, /* with a static message */
};
enum gpu_qpu_progress gpu_qpu_start_user(struct gpu_qpu_core *core, const struct gpu_qpu_run *run,
                                         const char **message_out);
enum gpu_qpu_progress gpu_qpu_advance_user(struct gpu_qpu_core *core, unsigned instrs, const char **message_out);
/* Bus address of the instruction that comes next, or that made the fault. */
uint32_t gpu_qpu_pc(const struct gpu_qpu_core *core);

#endif
