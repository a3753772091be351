/* SPDX-License-Identifier: MIT
 *
 * The chip: executes encoded control lists and QPU code that lie in its memory, and nothing else. The kernel half
 * passes it bus addresses, as the kernel does in CTnCA and CTnEA.
 */
#ifndef GPU_GPU_H
#define GPU_GPU_H

#include <stdatomic.h>
#include "util/macros.h"

/* All memory that the chip sees. Bus address A lies at base + A if A is mapped. Owned by the kernel half. */
struct gpu_memory {
    uint8_t *base;
    uint32_t size_B;     /* of the address space; any bus address below it may be passed to gpu_mem_at() */
    /* Whether [addr, addr + size_B) is mapped. Unmapped reads yield 0 and unmapped writes are dropped. */
    bool (*is_mapped)(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B);
    /* The mapped range around an address, so that frequent accesses can skip is_mapped(). False: the address is not
     * mapped. NULL if ranges are not known. A range found during a job stays mapped until the job ends. */
    bool (*range_at)(const struct gpu_memory *mem, uint32_t addr, uint32_t *first_out, uint32_t *size_B_out);
};

struct model_stats;
struct model_counts;
struct gpu; /* both threads of the control-list executor and the worker threads */

enum gpu_status {
    GPU_OK,
    GPU_HANG,     /* time limit reached, HALT, a semaphore that is never incremented, a broken list */
    GPU_NO_BIN_MEMORY, /* the overspill callback returned false */
    GPU_OUT_OF_HOST_MEMORY,
};

/* Supplies the binner with more tile allocation memory, as the kernel does on the out-of-memory interrupt. `get`
 * returns address and size, or false when there is no more. */
struct gpu_overspill {
    void *data;
    bool (*get)(void *data, uint32_t *addr_out, uint32_t *size_B_out);
};

/* Sources of the performance counters by the chip's numbers [guide table 82]; only those that the model counts. None
 * depends on the number of rendering threads. */
enum gpu_count {
    GPU_COUNT_PRIMS_WITHOUT_PIXELS = 0, /* counted in each tile */
    GPU_COUNT_PRIMS = 1,                /* counted in each tile */
    GPU_COUNT_QUADS_CLIPPED = 2,        /* by early Z */
    GPU_COUNT_QUADS = 3,
    GPU_COUNT_QUADS_FAILING = 5,        /* all pixels fail the depth and stencil test */
    GPU_COUNT_QUADS_PASSING = 6,
    GPU_COUNT_QUADS_WRITTEN = 9,        /* to the colour buffer */
    GPU_COUNT_PRIMS_OUTSIDE = 10,       /* outside the viewport; binner */
    GPU_COUNT_PRIMS_TO_CLIP = 11,       /* binner */
    GPU_COUNT_PRIMS_REVERSED = 12,      /* discarded because of their winding; binner */
    GPU_COUNTS = 30
};

/* What a job shows of itself while it runs, for registers that a host reads, and how it is cancelled. Any thread may
 * read all of it and set `cancelled` at any time; the values are of different moments. The caller initialises it. */
struct gpu_monitor {
    _Atomic uint32_t ca;                     /* address of the record that is executed, in a tile list of that list */
    _Atomic uint32_t ra;                     /* where a tile list returns to; 0: no tile list is walked */
    _Atomic uint32_t flushes;                /* flush records executed; binning */
    _Atomic uint32_t returns;                /* tile lists that have ended; rendering */
    _Atomic uint32_t pool_next, pool_left_B; /* the unused rest of the tile allocation memory; binning */
    atomic_bool is_prefixing;                /* configured, but no tile list has begun; binning */
    atomic_bool cancelled;                   /* end the job with GPU_HANG as soon as possible */
};

struct gpu_bin_job {
    uint32_t ct0ca, ct0ea;
    struct gpu_overspill overspill;
    uint64_t limit_ns; /* of processor time of the binning thread */
    uint64_t *counts; /* GPU_COUNTS counters to add to; NULL: do not count */
    struct model_stats *stats; /* the job's cost; NULL: do not count */
    struct model_counts *engine_counts; /* of jobs of the CPU engine; NULL: do not count */
    struct gpu_monitor *monitor;        /* NULL: nobody watches */
};

struct gpu_render_job {
    uint32_t ct1ca, ct1ea;
    uint64_t limit_ns; /* of processor time of a rendering thread, per tile */
    uint64_t *counts; /* as above */
    struct model_stats *stats;
    struct model_counts *engine_counts;
    struct gpu_monitor *monitor;
    /* Called if the list waits for a semaphore that is 0: true once it may have been incremented, false if the job is
     * to fail. NULL: it fails. */
    bool (*await_semaphore)(void *data);
    void *await_data;
};

/* A user program, as written to SRQUA, SRQUL and SRQPC. */
struct gpu_user_request {
    uint32_t code_addr, uniforms_addr;
    uint32_t uniforms_count; /* reading more of them is a fault; 0 or more than 1023: no limit */
};

/* Where further user programs come from while others run, and who is told. Called from within gpu_run_user_source(). */
struct gpu_user_source {
    void *data;
    /* The next request, or false if there is none. `idle`: no program can go on without a further one, or none runs, so
     * that the function may wait; false then ends the run. */
    bool (*next)(void *data, bool idle, struct gpu_user_request *out);
    /* That many more programs have ended, and these QPUs (a bit each) have raised the host interrupt since the last
     * call. */
    void (*report)(void *data, unsigned completed, uint32_t interrupts);
    const atomic_bool *cancelled; /* NULL: cannot be cancelled */
};

struct gpu_user_result {
    unsigned completed;      /* requests that ended, as SRQCS counts them */
    uint32_t interrupts;     /* one bit per QPU that raised the host interrupt, as in DBQITC */
    uint32_t stray_accesses; /* VPM DMA elements outside mapped memory: read as 0, writes dropped */
};

/* `mem` must outlive the chip. `threads`: how many threads may render at the same time, as in util_pool_ref(). */
int gpu_create(const struct gpu_memory *mem, unsigned threads, struct gpu **out) UTIL_MUST_CHECK;
void gpu_destroy(struct gpu *gpu);

struct gpu_user_share;
/* For the CPU engine: lets programs of bin and render jobs use VPM DMA and the mutex. They share the mutex with the
 * other users of `share`. The QPU numbers of the workers advance in steps of 16; the binner's follow. 0 or -ENOMEM. */
int gpu_use_engine(struct gpu *gpu, struct gpu_user_share *share) UTIL_MUST_CHECK;
/* From now on, DMA stores of programs to other bytes than these are dropped. `binning_only`: of coordinate programs
 * only. NULL: no stores are dropped. The array stays the caller's and must remain valid during the next jobs. */
struct gpu_kept_stores {
    uint32_t addr, size_B;
};
void gpu_keep_stores(struct gpu *gpu, const struct gpu_kept_stores *kept, unsigned count, bool binning_only);
/* Number of VPM DMA elements outside mapped memory since the last call. */
uint32_t gpu_take_stray_accesses(struct gpu *gpu);

/* One bin and one render job may run at the same time, from two threads. For any status but GPU_OK, `message_out` is
 * static text with the reason, or NULL. */
enum gpu_status gpu_run_bin(struct gpu *gpu, const struct gpu_bin_job *job, const char **message_out);
enum gpu_status gpu_run_render(struct gpu *gpu, const struct gpu_render_job *job, const char **message_out);
/* The longest processor time that one thread spent on the last render job. */
uint64_t gpu_render_work_ns(const struct gpu *gpu);

/* Runs user programs until all have ended. Request n starts when one of the twelve QPUs is free, on the one with the
 * lowest number. Results are the same on every run. Semaphores keep the values that programs leave; a run that fails
 * resets them. GPU_HANG: a program did something illegal, all programs wait for each other, or the limit was reached.
 */
enum gpu_status gpu_run_user(struct gpu *gpu, const struct gpu_user_request *requests, unsigned count,
                             uint64_t limit_ns, struct gpu_user_result *result_out, const char **message_out);
/* The same for programs that come one by one. The limit is of each program: it begins anew whenever one starts.
 * Programs that wait for each other are a deadlock only when the source, told that all are idle, has no further
 * request. */
enum gpu_status gpu_run_user_source(struct gpu *gpu, const struct gpu_user_source *source, uint64_t limit_ns,
                                    struct gpu_user_result *result_out, const char **message_out);

/* The semaphore that the binning thread increments and the rendering thread waits for. */
unsigned gpu_semaphore(struct gpu *gpu);
void gpu_reset_semaphore(struct gpu *gpu);
/* Sets the semaphores and the mutex of user programs to what they are after a reset. No user program may run. */
void gpu_reset_user(struct gpu *gpu);

#endif
