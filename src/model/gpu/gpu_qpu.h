/* SPDX-License-Identifier: MIT
 *
 * The QPU: runs one 16-lane program from its encoded words. Private interface between the shader core and its users
 * (vertex pipe, rasteriser, tile buffer). A user fills the io struct, runs the program and implements the callbacks.
 *
 * A core belongs to one worker thread of the model. It holds decoded programs, the texture units and registers. Cores
 * share nothing and need no lock. A program with two hardware threads runs as one thread, so a thread switch only has
 * the effect that it has on the chip: r0-r5 and the flags are lost, here replaced by a poison pattern [guide p.20].
 *
 * All runs must happen between gpu_fp_enter() and gpu_fp_leave() (gpu_alu.h), called by the owner of the worker thread.
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
/* From now on, the time of the core's runs is added to `times`. `vertex_part`: where runs of vertex programs count. */
void gpu_qpu_set_times(struct gpu_qpu_core *core, struct gpu_times *times, enum gpu_part vertex_part);

/* From now on, the core counts what it does and interprets everything. NULL: stop counting. */
void gpu_qpu_set_stats(struct gpu_qpu_core *core, struct gpu_stats *stats);
struct gpu_stats *gpu_qpu_stats(const struct gpu_qpu_core *core);

/* Drops decoded programs and texture state: memory may have changed. Call before each bin or render job. */
void gpu_qpu_begin_job(struct gpu_qpu_core *core);

/* The program at a bus address, decoded once per job. NULL with a static message if it has no end, lies outside mapped
 * memory, or host memory is short. */
const struct gpu_qpu_program *gpu_qpu_program_get(struct gpu_qpu_core *core, uint32_t code_addr,
                                                  const char **message_out);

/* Coefficients of one varying: VARYING reads a * dx + b * dy of the lane, and r5 becomes c in all lanes. */
struct gpu_varying {
    float a, b, c, unused; /* padding: host code reads four floats at once */
};

#define GPU_QUADS (QPU_LANES / 4)

/* A batch of 16 fragments: four quads, from up to four primitives that share all state. Lane l belongs to quad l >> 2;
 * in the quad x = l & 1, y = (l >> 1) & 1. */
struct gpu_fragment_io {
    _Alignas(64) uint32_t x_px[QPU_LANES];
    uint32_t y_px[QPU_LANES];
    uint32_t ms_flags[QPU_LANES];       /* covered samples; changed by the program and z_test. 0: a helper lane */
    uint32_t rev_flag[QPU_LANES];       /* 1: back facing */
    float w[QPU_LANES];                 /* A15 at start: W, already inverted from the interpolated 1/W */
    uint32_t z[QPU_LANES];              /* B15 at start: 24-bit depth, offset included */
    float dx[QPU_LANES], dy[QPU_LANES]; /* pixel centre relative to the point where a varying equals its c */

    /* In the order in which the program must read them; point and line coordinates come first [hardware notes 6.2].
     * Reading more of them stalls the chip: the run ends as a hang. Reading fewer is reported the same way. */
    const struct gpu_varying *varyings[GPU_QUADS]; /* of each quad's primitive; never NULL when varying_count > 0 */
    unsigned varying_count;

    /* Tile buffer callbacks. `lanes` has one bit per lane whose condition holds. The callee counts the samples for
     * color_load and for color_store with `all_samples` false, both from 0 at the start of the run. */
    void (*stencil_setup)(struct gpu_fragment_io *io, uint32_t word);
    void (*z_test)(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes); /* ANDs into ms_flags */
    void (*color_store)(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples);
    void (*color_load)(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES]);
};

/* Vertex and coordinate programs: the VPM as 64 rows of 16 columns, one column per vertex. Input and output areas are
 * separate, and both start at row 0. */
#define GPU_VPM_ROWS    64
#define GPU_OUTPUT_ROWS 151 /* CPU engine: its vertex programs may write more varyings than the chip allows */
struct gpu_vertex_io {
    uint32_t (*in)[QPU_LANES];  /* GPU_VPM_ROWS rows of attributes */
    uint32_t (*out)[QPU_LANES]; /* rows written by the program: GPU_VPM_ROWS, on the CPU engine GPU_OUTPUT_ROWS */
};

/* State shared by user programs: the part of the VPM that setup words can address, and the synchronisation units. VPM
 * DMA transfers complete immediately, so no program ever waits for one. */
#define GPU_USER_VPM_ROWS   128
#define GPU_USER_SEMAPHORES 16
#define GPU_SEMAPHORE_MAX   15 /* the chip's */
#define GPU_MUTEX_FREE      UINT_MAX
/* State shared by the QPUs of all threads of the CPU engine. */
struct gpu_user_share {
    _Atomic unsigned mutex_holder; /* QPU number or GPU_MUTEX_FREE */
    _Atomic bool stop;             /* a program failed: all others must end */
};
struct gpu_user_semaphores {
    uint8_t count[GPU_USER_SEMAPHORES]; /* 0 to `max` */
    uint8_t max;                        /* GPU_SEMAPHORE_MAX; higher on the CPU engine */
};
struct gpu_user_io {
    _Alignas(64) uint32_t vpm[GPU_USER_VPM_ROWS][QPU_LANES];
    struct gpu_user_semaphores *semaphores; /* `own`, or those of the first 16 QPUs of the thread */
    struct gpu_user_semaphores own;
    struct gpu_user_share *share;
    unsigned first_qpu;  /* number of the first QPU that uses this */
    bool is_engine;      /* CPU engine: programs may read and write all rows, not only the first GPU_VPM_ROWS */
    bool filters_stores; /* DMA stores to other bytes than `kept` are dropped */
    const struct gpu_kept_stores *kept;
    unsigned kept_count;
    uint32_t interrupts;                    /* one bit per QPU that wrote a value other than 0 to HOST_INT */
    uint32_t stray_accesses, stray_addr;    /* DMA elements outside mapped memory: count, first address */
};

struct gpu_qpu_run {
    const struct gpu_qpu_program *program; /* unused by user programs */
    enum qpu_program_kind kind;
    uint32_t uniforms_addr;
    struct util_work_limit *limit;    /* checked on backward branches only; NULL: none */
    bool strict;                      /* for tests: reading an unwritten register, accumulator or flag ends the run */
    struct gpu_fragment_io *fragment; /* QPU_PROGRAM_FRAGMENT */
    struct gpu_vertex_io *vertex;     /* QPU_PROGRAM_VERTEX */

    /* QPU_PROGRAM_USER, and graphics programs on the CPU engine, which see the upper rows of this VPM beside their own
     * rows. */
    struct gpu_user_io *user;
    unsigned qpu; /* the QPU number that the program reads */
    /* QPU_PROGRAM_USER */
    uint32_t code_addr;
    uint32_t uniforms_count; /* reading more of them is a fault; 0: no limit */
};

/* GPU_OK, or GPU_HANG with a static message: time limit reached, a stall that never ends (more varyings, VPM words or
 * texture results read than there are), a branch out of the program, an operation that is not modelled. */
enum gpu_status gpu_qpu_run(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, const char **message_out);

/* User programs run in slices, so that programs that wait for each other can take turns on one host thread. `run` must
 * stay valid until the end. The extent of user code is not known, so it is decoded page by page as execution reaches
 * it. */
enum gpu_qpu_progress {
    GPU_QPU_RUNNING, /* made progress; may now be waiting for a semaphore or the mutex */
    GPU_QPU_BLOCKED, /* waiting, without progress in this slice */
    GPU_QPU_ENDED,
    GPU_QPU_FAULT, /* with a static message */
};
enum gpu_qpu_progress gpu_qpu_start_user(struct gpu_qpu_core *core, const struct gpu_qpu_run *run,
                                         const char **message_out);
enum gpu_qpu_progress gpu_qpu_advance_user(struct gpu_qpu_core *core, unsigned instrs, const char **message_out);
/* Bus address of the next instruction, or of the faulting one. */
uint32_t gpu_qpu_pc(const struct gpu_qpu_core *core);

#endif
