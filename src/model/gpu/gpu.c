/* SPDX-License-Identifier: MIT
 *
 * The chip: the binning and the rendering thread of the control-list executor, and the workers that render tiles. A
 * worker is a QPU core with a tile buffer. It belongs to one slot of the thread pool (util/pool.h) and is created when
 * a thread first uses that slot; the thread that calls gpu_run_render() takes slot 0. Results do not depend on which
 * worker renders which tile.
 */
#include <errno.h>
#include <stdlib.h>
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_ptb.h"
#include "model/gpu/gpu_rcl.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_user.h"
#include "util/debug.h"
#include "util/log.h"
#include "util/pool.h"
#include "util/thread.h"

#define THREADS_MAX UTIL_POOL_MAX

/* Why a render job failed. When several tasks fail, the one with the lowest number counts, whatever the timing. */
struct failure {
    uint32_t task;
    enum gpu_status status;
    const char *message;
};

struct gpu {
    const struct gpu_memory *mem; /* owned by the kernel half, where it may be part of a larger struct */
    struct gpu_ptb *ptb;
    struct gpu_user *user;
    struct gpu_user_share *share; /* NULL on the chip: programs of bin and render jobs have no VPM of their own */
    struct gpu_user_io *engine[THREADS_MAX + 1]; /* per worker, then the binner's; NULL on the chip */
    const struct gpu_kept_stores *kept;          /* for the workers, from gpu_keep_stores() */
    unsigned kept_count;

    /* The rendering thread waits for it, the binning thread increments it. */
    pthread_mutex_t semaphore_mutex;
    unsigned semaphore;

    struct gpu_vertex_cache *cache;
    struct gpu_rcl rcl;
    unsigned thread_count; /* that may render at the same time, the caller of gpu_run_render included */

    uint64_t job, limit_ns;                 /* of the render job; numbers start at 1 */
    struct gpu_monitor *monitor;            /* likewise; NULL: nobody watches */
    uint64_t work_ns;                       /* the longest processor time of one thread; under `mutex` */
    struct gpu_worker *worker[THREADS_MAX]; /* per pool slot; NULL until first used, except slot 0 */
    uint64_t worker_job[THREADS_MAX];       /* the last job that the worker took part in */

    pthread_mutex_t mutex; /* guards `failure` */
    struct failure failure;

    /* VC4VK_DEBUG=perf: per worker, then the binner's. */
    struct gpu_times times[THREADS_MAX + 1];
    uint64_t bin_ns, render_ns; /* wall time of whole jobs */
    uint64_t render_jobs;

    struct gpu_stats bin_stats, render_stats; /* of the current jobs, if they are counted */
};

/* -- workers ------------------------------------------------------------------------------------------------------ */

static int create_engine_io(struct gpu *gpu, unsigned index)
{
    gpu->engine[index] = gpu_user_io_create(gpu->share, index * 16);
    return gpu->engine[index] ? 0 : -ENOMEM;
}

static void set_worker_times(struct gpu *gpu, unsigned index)
{
    if (!util_debug(UTIL_DEBUG_PERF))
        return;
    gpu->worker[index]->times = &gpu->times[index];
    gpu_qpu_set_times(gpu->worker[index]->pipe.core, &gpu->times[index], GPU_PART_VERTICES);
}

static int create_worker(struct gpu *gpu, unsigned index)
{
    struct gpu_worker *worker = gpu_worker_create(gpu->mem, gpu->cache);
    if (!worker)
        return -ENOMEM;
    if (gpu->share && create_engine_io(gpu, index)) {
        gpu_worker_destroy(worker);
        return -ENOMEM;
    }
    worker->fep.user = worker->pipe.user = gpu->engine[index];
    gpu->worker[index] = worker;
    set_worker_times(gpu, index);
    return 0;
}

static void filter_stores(struct gpu_user_io *io, const struct gpu_kept_stores *kept, unsigned count)
{
    if (!io)
        return;
    io->filters_stores = kept != NULL;
    io->kept = kept;
    io->kept_count = count;
}

/* Prepares the worker of a slot for the current job. A thread that returns to its slot during the job finds the worker
 * as it left it. 0 or -ENOMEM. */
static int begin_job_on_worker(struct gpu *gpu, unsigned index)
{
    if (!gpu->worker[index] && create_worker(gpu, index))
        return -ENOMEM;
    if (gpu->worker_job[index] == gpu->job)
        return 0;
    gpu->worker_job[index] = gpu->job;
    filter_stores(gpu->engine[index], gpu->kept, gpu->kept_count);
    gpu_worker_begin_job(gpu->worker[index], gpu->limit_ns, gpu->monitor);
    return 0;
}

/* The next worker from `*index` on that took part in the current job, or NULL. */
static struct gpu_worker *next_worker(const struct gpu *gpu, unsigned *index)
{
    while (*index < gpu->thread_count) {
        const unsigned i = (*index)++;
        if (gpu->worker_job[i] == gpu->job)
            return gpu->worker[i];
    }
    return NULL;
}

/* -- rendering ---------------------------------------------------------------------------------------------------- */

struct render {
    struct util_pool_work work;
    struct gpu *gpu;
};

static void report_failure(struct gpu *gpu, uint32_t task, const struct gpu_worker *worker)
{
    pthread_mutex_lock(&gpu->mutex);
    if (gpu->failure.status == GPU_OK || task < gpu->failure.task)
        gpu->failure = (struct failure){task, worker->status, worker->message};
    if (gpu->share) /* the failed program may still hold the mutex */
        atomic_store(&gpu->share->stop, true);
    pthread_mutex_unlock(&gpu->mutex);
}

static void render_tiles(struct util_pool_work *work, unsigned slot)
{
    struct gpu *gpu = container_of(work, struct render, work)->gpu;
    if (begin_job_on_worker(gpu, slot)) { /* cannot fail for slot 0, whose worker always exists */
        util_pool_close(work);
        return;
    }
    struct gpu_worker *worker = gpu->worker[slot];
    const uint64_t begin_ns = util_thread_time_ns();
    struct gpu_fp_mode mode = gpu_fp_enter();
    for (uint32_t task; util_pool_take(work, slot, &task);) {
        if (gpu_rcl_run_task(&gpu->rcl, &gpu->rcl.tasks[task], worker))
            continue;
        report_failure(gpu, task, worker);
        util_pool_truncate(work, task); /* earlier tasks still run: if one of them fails, its message counts */
    }
    gpu_fp_leave(mode);
    const uint64_t work_ns = util_thread_time_ns() - begin_ns;
    pthread_mutex_lock(&gpu->mutex);
    gpu->work_ns = MAX2(gpu->work_ns, work_ns);
    pthread_mutex_unlock(&gpu->mutex);
}

static void render(struct gpu *gpu)
{
    /* A tile that occurs twice must be rendered in order, and a counted job runs on one thread. */
    const bool is_parallel = !gpu->rcl.tile_repeats && !gpu->worker[0]->stats;
    struct render r;
    r.work.run = render_tiles;
    r.work.count = gpu->rcl.task_count;
    r.work.slots = is_parallel ? gpu->thread_count : 1;
    r.gpu = gpu;
    gpu->failure = (struct failure){.status = GPU_OK};
    gpu->work_ns = 0;
    util_pool_run(&r.work);
}

static bool take_semaphore(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->semaphore_mutex);
    bool up = gpu->semaphore > 0;
    gpu->semaphore -= up;
    pthread_mutex_unlock(&gpu->semaphore_mutex);
    return up;
}

/* Warns once per job about damaged tile lists; names the first damaged tile of the first worker that saw one. */
static void report_damage(const struct gpu *gpu)
{
    const struct gpu_worker *w;
    for (unsigned i = 0; (w = next_worker(gpu, &i));) {
        if (w->damage) {
            util_warn("model: the list of tile (%u, %u) is damaged, its rest is not drawn: %s", w->damage_column,
                      w->damage_row, w->damage);
            return;
        }
    }
}

static void add_counts(const struct gpu *gpu, uint64_t *counts)
{
    const struct gpu_worker *w;
    for (unsigned i = 0; counts && (w = next_worker(gpu, &i));)
        for (unsigned n = 0; n < GPU_COUNTS; n++)
            counts[n] += w->fep.counts[n];
}

static void add_fragments(const struct gpu *gpu, struct model_counts *out)
{
    const struct gpu_worker *w;
    for (unsigned i = 0; out && (w = next_worker(gpu, &i));)
        out->fragments += w->fep.fragments;
}

static void end_job_on_workers(struct gpu *gpu)
{
    struct gpu_worker *w;
    for (unsigned i = 0; (w = next_worker(gpu, &i));)
        gpu_worker_end_job(w);
}

/* A counted job runs on the calling thread only. */
static void begin_stats(struct gpu *gpu, struct model_stats *out)
{
    const struct gpu_rcl *rcl = &gpu->rcl;
    uint32_t columns = 0, rows = 0;
    if (!out || !rcl->task_count)
        return;
    for (uint32_t i = 0; i < rcl->op_count; i++) {
        columns = MAX2(columns, rcl->ops[i].column + 1u);
        rows = MAX2(rows, rcl->ops[i].row + 1u);
    }
    gpu_stats_begin(&gpu->render_stats, out, MODEL_STAGE_VERTEX);
    gpu_stats_set_tiles(&gpu->render_stats, columns, rows,
                        rcl->tasks[0].ms_4x ? GPU_TLB_MS_WIDTH_PX : GPU_TLB_WIDTH_PX);
    gpu_worker_set_stats(gpu->worker[0], &gpu->render_stats);
    out->render_begin_ns = util_now_ns();
}

static void end_stats(struct gpu *gpu, struct model_stats *out)
{
    gpu_worker_set_stats(gpu->worker[0], NULL);
    if (!out)
        return;
    add_counts(gpu, out->chip_counts);
    out->render_end_ns = util_now_ns();
}

enum gpu_status gpu_run_render(struct gpu *gpu, const struct gpu_render_job *job, const char **message_out)
{
    const uint64_t begin_ns = util_now_ns();
    *message_out = NULL;
    enum gpu_status status = gpu_rcl_read(&gpu->rcl, gpu->mem, job, message_out);
    if (status != GPU_OK)
        return status;
    gpu->monitor = job->monitor;
    /* The kernel half finishes binning before it renders: a semaphore that is still 0 stays 0. */
    while (gpu->rcl.waits && !take_semaphore(gpu)) {
        if (job->await_semaphore && job->await_semaphore(job->await_data))
            continue;
        *message_out = "render list waits for a semaphore that no binning list incremented";
        return GPU_HANG;
    }
    gpu_vertex_cache_reset(gpu->cache);
    gpu->job++;
    gpu->limit_ns = job->limit_ns;
    begin_stats(gpu, job->stats);
    render(gpu);
    end_stats(gpu, job->stats);
    report_damage(gpu);
    add_counts(gpu, job->counts);
    add_fragments(gpu, job->engine_counts);
    end_job_on_workers(gpu);
    gpu->render_ns += util_now_ns() - begin_ns;
    gpu->render_jobs++;
    *message_out = gpu->failure.message;
    return gpu->failure.status;
}

uint64_t gpu_render_work_ns(const struct gpu *gpu)
{
    return gpu->work_ns;
}

/* -- binning -- */

enum gpu_status gpu_run_bin(struct gpu *gpu, const struct gpu_bin_job *job, const char **message_out)
{
    bool increments_semaphore = false;
    const uint64_t begin_ns = util_now_ns();
    struct gpu_fp_mode mode = gpu_fp_enter();
    *message_out = NULL;
    if (job->stats) {
        gpu_stats_begin(&gpu->bin_stats, job->stats, MODEL_STAGE_COORDINATE);
        gpu_qpu_set_stats(gpu->ptb->pipe.core, &gpu->bin_stats);
    }
    enum gpu_status status = gpu_ptb_run(gpu->ptb, job, &increments_semaphore, message_out);
    gpu_qpu_set_stats(gpu->ptb->pipe.core, NULL);
    gpu_fp_leave(mode);
    if (job->stats) {
        job->stats->bin_begin_ns = begin_ns;
        job->stats->bin_end_ns = util_now_ns();
    }
    gpu->bin_ns += util_now_ns() - begin_ns;
    if (increments_semaphore) {
        pthread_mutex_lock(&gpu->semaphore_mutex);
        gpu->semaphore++;
        pthread_mutex_unlock(&gpu->semaphore_mutex);
    }
    return status;
}

/* -- user programs -- */

enum gpu_status gpu_run_user(struct gpu *gpu, const struct gpu_user_request *requests, unsigned count,
                             uint64_t limit_ns, struct gpu_user_result *result_out, const char **message_out)
{
    struct gpu_fp_mode mode = gpu_fp_enter();
    struct util_work_limit limit;
    gpu_user_begin_job(gpu->user, NULL, 0);
    util_work_limit_begin(&limit, limit_ns);
    enum gpu_status status = gpu_user_run(gpu->user, requests, count, &limit, result_out, message_out);
    gpu_fp_leave(mode);
    return status;
}

enum gpu_status gpu_run_user_source(struct gpu *gpu, const struct gpu_user_source *source, uint64_t limit_ns,
                                    struct gpu_user_result *result_out, const char **message_out)
{
    struct gpu_fp_mode mode = gpu_fp_enter();
    struct util_work_limit limit;
    gpu_user_begin_job(gpu->user, NULL, 0);
    util_work_limit_begin(&limit, limit_ns);
    enum gpu_status status = gpu_user_run_source(gpu->user, source, &limit, limit_ns, result_out, message_out);
    gpu_fp_leave(mode);
    return status;
}

/* -- semaphores -- */

unsigned gpu_semaphore(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->semaphore_mutex);
    const unsigned value = gpu->semaphore;
    pthread_mutex_unlock(&gpu->semaphore_mutex);
    return value;
}

void gpu_reset_semaphore(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->semaphore_mutex);
    gpu->semaphore = 0;
    pthread_mutex_unlock(&gpu->semaphore_mutex);
}

void gpu_reset_user(struct gpu *gpu)
{
    gpu_user_reset(gpu->user);
}

/* -- the CPU engine -- */

int gpu_use_engine(struct gpu *gpu, struct gpu_user_share *share)
{
    gpu->share = share;
    if (create_engine_io(gpu, 0) || create_engine_io(gpu, gpu->thread_count))
        return -ENOMEM;
    gpu->worker[0]->fep.user = gpu->worker[0]->pipe.user = gpu->engine[0];
    gpu->ptb->pipe.user = gpu->engine[gpu->thread_count]; /* its slot follows the workers' slots */
    return 0;
}

void gpu_keep_stores(struct gpu *gpu, const struct gpu_kept_stores *kept, unsigned count, bool binning_only)
{
    gpu->kept = binning_only ? NULL : kept;
    gpu->kept_count = count;
    filter_stores(gpu->engine[gpu->thread_count], kept, count);
}

uint32_t gpu_take_stray_accesses(struct gpu *gpu)
{
    uint32_t count = 0;
    for (unsigned i = 0; i <= gpu->thread_count; i++) {
        if (!gpu->engine[i])
            continue;
        count += gpu->engine[i]->stray_accesses;
        gpu->engine[i]->stray_accesses = 0;
    }
    return count;
}

/* -- times -- */

static void print_times(const struct gpu *gpu)
{
    double ms[GPU_PARTS] = {0};
    if (!util_debug(UTIL_DEBUG_PERF) || !gpu->render_jobs)
        return;
    for (unsigned i = 0; i <= gpu->thread_count; i++)
        for (unsigned part = 0; part < GPU_PARTS; part++)
            ms[part] += (double)gpu->times[i].ns[part] * 1e-6 / (double)gpu->render_jobs;
    util_info("model: %llu jobs, each: binning %.3f ms (coordinate programs %.3f), rendering %.3f ms on %u threads, "
              "together: clears %.3f, loads %.3f, vertex programs %.3f, fragment programs %.3f, other drawing %.3f, "
              "stores %.3f",
              (unsigned long long)gpu->render_jobs, (double)gpu->bin_ns * 1e-6 / (double)gpu->render_jobs,
              ms[GPU_PART_COORDINATES], (double)gpu->render_ns * 1e-6 / (double)gpu->render_jobs, gpu->thread_count,
              ms[GPU_PART_CLEARS], ms[GPU_PART_LOADS], ms[GPU_PART_VERTICES], ms[GPU_PART_FRAGMENTS],
              ms[GPU_PART_LISTS] - ms[GPU_PART_VERTICES] - ms[GPU_PART_FRAGMENTS] - ms[GPU_PART_CLEARS],
              ms[GPU_PART_STORES]);
}

/* -- life -- */

int gpu_create(const struct gpu_memory *mem, unsigned threads, struct gpu **out)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return -ENOMEM;
    gpu->mem = mem;
    gpu->thread_count = util_pool_ref(threads);
    pthread_mutex_init(&gpu->semaphore_mutex, NULL);
    pthread_mutex_init(&gpu->mutex, NULL);
    gpu->ptb = gpu_ptb_create(gpu->mem);
    gpu->cache = gpu_vertex_cache_create();
    gpu->user = gpu_user_create(gpu->mem);
    if (!gpu->ptb || !gpu->cache || !gpu->user || create_worker(gpu, 0)) {
        gpu_destroy(gpu);
        return -ENOMEM;
    }
    if (util_debug(UTIL_DEBUG_PERF))
        gpu_qpu_set_times(gpu->ptb->pipe.core, &gpu->times[gpu->thread_count], GPU_PART_COORDINATES);
    *out = gpu;
    return 0;
}

void gpu_destroy(struct gpu *gpu)
{
    if (!gpu)
        return;
    print_times(gpu);
    for (unsigned i = 0; i < gpu->thread_count; i++)
        gpu_worker_destroy(gpu->worker[i]);
    gpu_vertex_cache_destroy(gpu->cache);
    gpu_ptb_destroy(gpu->ptb);
    gpu_user_destroy(gpu->user);
    for (unsigned i = 0; i < ARRAY_SIZE(gpu->engine); i++)
        free(gpu->engine[i]);
    gpu_rcl_finish(&gpu->rcl);
    pthread_mutex_destroy(&gpu->mutex);
    pthread_mutex_destroy(&gpu->semaphore_mutex);
    util_pool_unref();
    free(gpu);
}
