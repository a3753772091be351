/* SPDX-License-Identifier: MIT
 *
 * The chip: executes encoded control lists and QPU code in its memory, and nothing else. The kernel half calls it with
 * bus addresses, as the kernel writes CTnCA and CTnEA.
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "util/macros.h"

/* All memory that the chip sees: bus address A lies at base + A for the ranges that are mapped. The kernel half owns
 * it. */
struct gpu_memory {
    uint8_t *base;
    uint32_t size_B;     /* of the address space; every bus address below it may be looked at with gpu_mem */
    /* Whether [addr, addr + size_B) is mapped: reads outside yield 0, writes are dropped, both are reported. */
    bool (*is_mapped)(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B);
    /* Mapped bytes around an address, for those who look there often; false: none. NULL: nobody can tell. What a job
     * has found stays mapped until its end. */
    bool (*range_at)(const struct gpu_memory *mem, uint32_t addr, uint32_t *first_out, uint32_t *size_B_out);
};

struct model_stats;
struct gpu; /* state shared by both threads of the control-list executor, worker threads */

enum gpu_status {
    GPU_OK,
    GPU_HANG,     /* endless loop past the limit, HALT, semaphore that never comes, broken list */
    GPU_NO_BIN_MEMORY, /* the overspill callback had nothing */
    GPU_OUT_OF_HOST_MEMORY,
};

/* More tile allocation memory for the binner, as the kernel gives it on the out-of-memory interrupt: address and size,
 * false when there is none. */
struct gpu_overspill {
    void *data;
    bool (*get)(void *data, uint32_t *addr_out, uint32_t *size_B_out);
};

/* Sources of the performance counters, by the chip's numbers [guide table 82]: those that the model counts. None
 * depends on how many threads render. */
enum gpu_count {
    GPU_COUNT_PRIMS_WITHOUT_PIXELS = 0, /* in a tile, for every tile */
    GPU_COUNT_PRIMS = 1,                /* likewise */
    GPU_COUNT_QUADS_CLIPPED = 2,        /* by early Z */
    GPU_COUNT_QUADS = 3,
    GPU_COUNT_QUADS_FAILING = 5,        /* the depth and stencil test, with all their pixels */
    GPU_COUNT_QUADS_PASSING = 6,
    GPU_COUNT_QUADS_WRITTEN = 9,        /* to the colour buffer */
    GPU_COUNT_PRIMS_OUTSIDE = 10,       /* of the viewport; binner */
    GPU_COUNT_PRIMS_TO_CLIP = 11,       /* binner */
    GPU_COUNT_PRIMS_REVERSED = 12,      /* and discarded for it; binner */
    GPU_COUNTS = 30
};

struct gpu_bin_job {
    uint32_t ct0ca, ct0ea;
    struct gpu_overspill overspill;
    uint64_t limit_ns; /* of the processor time of the thread that bins */
    uint64_t *counts; /* GPU_COUNTS of them, which are added to; NULL: nobody wants to know */
    struct model_stats *stats; /* what the job costs; NULL likewise */
};

struct gpu_render_job {
    uint32_t ct1ca, ct1ea;
    uint64_t limit_ns; /* likewise, of a thread that renders, for a tile */
    uint64_t *counts; /* as above */
    struct model_stats *stats;
};

/* A program for the QPUs themselves, as SRQUA, SRQUL and SRQPC hand it over. */
struct gpu_user_request {
    uint32_t code_addr, uniforms_addr;
    uint32_t uniforms_count; /* reading more of them is a fault; 0 and more than 1023 stand for any number */
};

struct gpu_user_result {
    unsigned completed;      /* requests, as SRQCS counts them */
    uint32_t interrupts;     /* a bit for each QPU that raised the host interrupt, as in DBQITC */
    uint32_t stray_accesses; /* elements of VPM DMA rows outside of mapped memory: read as 0, not written */
};

/* `mem` must outlive the chip. `threads` that render at the same time, as util_pool_ref has it. */
int gpu_create(const struct gpu_memory *mem, unsigned threads, struct gpu **out) UTIL_MUST_CHECK;
void gpu_destroy(struct gpu *gpu);

struct gpu_user_share;
/* For the CPU engine: programs of bin and render jobs may use VPM DMA and the mutex, which they share with `share`'s
 * other users. Their QPUs have numbers in steps of 16, the binner's behind those of the workers. 0 or -ENOMEM. */
int gpu_use_engine(struct gpu *gpu, struct gpu_user_share *share) UTIL_MUST_CHECK;
/* From now on, DMA stores of programs, or of coordinate programs alone, to anything but these bytes are dropped; NULL:
 * none are. The array stays the caller's, and has to be there for the next jobs. */
struct gpu_kept_stores {
    uint32_t addr, size_B;
};
void gpu_keep_stores(struct gpu *gpu, const struct gpu_kept_stores *kept, unsigned count, bool of_binning_alone);
/* Since the last call: elements of VPM DMA outside of mapped memory. */
uint32_t gpu_take_stray_accesses(struct gpu *gpu);

/* One bin and one render job may run at the same time, from two threads. `message_out` (static text or NULL) says why
 * on anything but GPU_OK. */
enum gpu_status gpu_run_bin(struct gpu *gpu, const struct gpu_bin_job *job, const char **message_out);
enum gpu_status gpu_run_render(struct gpu *gpu, const struct gpu_render_job *job, const char **message_out);
/* The most processor time that a thread has spent on the last render job. */
uint64_t gpu_render_work_ns(const struct gpu *gpu);

/* Runs user programs to their ends: request n starts when a QPU of twelve is free, on the lowest. What they do is
 * the same on every run. Semaphores stay as the programs leave them until a run fails, as if a reset followed.
 * GPU_HANG: one of them did what a program must not, all wait for each other, or the limit is reached. */
enum gpu_status gpu_run_user(struct gpu *gpu, const struct gpu_user_request *requests, unsigned count,
                             uint64_t limit_ns, struct gpu_user_result *result_out, const char **message_out);

#endif
