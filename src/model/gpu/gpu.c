/* SPDX-License-Identifier: MIT
 *
 * The chip: both threads of the control-list executor, and the worker threads that render tiles. Each worker has a QPU
 * core and a tile buffer of its own; which tile runs on which worker changes nothing in the result.
 *
 * The thread that asks for rendering works too, so `threads` = 1 starts no thread at all.
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
#include "util/thread.h"

#define THREADS_MAX 64

/* Why a render job failed: by its first task that did, whatever ran at the same time. */
struct failure {
    uint32_t task;
    enum gpu_status status;
    const char *message;
};

struct gpu {
    const struct gpu_memory *mem; /* the kernel half's, which may be part of something larger */
    struct gpu_ptb *ptb;
    struct gpu_user *user;
    struct gpu_user_io *engine[THREADS_MAX + 1]; /* of the workers, then of the binner; NULL: the chip */
    struct gpu_user_share *share;                /* NULL likewise */

    /* Of the rendering thread, incremented by the binning thread. */
    pthread_mutex_t semaphore_mutex;
    unsigned semaphore;

    struct gpu_vertex_cache *cache;
    struct gpu_rcl rcl;
    struct gpu_worker *worker[THREADS_MAX];
    unsigned thread_count; /* workers; worker 0 is the caller of gpu_run_render */

    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t work_cond, idle_cond;
    pthread_t thread[THREADS_MAX];
    unsigned started; /* threads, workers 1 to `started` */
    bool quit;
    bool shared;      /* threads may join in */
    unsigned busy;    /* threads that have */
    uint32_t next_task;
    struct failure failure; /* task == task_count: none */

    /* VC4VK_DEBUG=perf: of the workers, then of the binner. */
    struct gpu_times times[THREADS_MAX + 1];
    uint64_t bin_ns, render_ns; /* of whole jobs, each by its thread */
    uint64_t render_jobs;

    struct gpu_stats bin_stats, render_stats; /* of the jobs that run, where they are counted */
};

struct thread_start {
    struct gpu *gpu;
    unsigned index;
};

/* -- rendering -- */

static bool is_task_left_locked(const struct gpu *gpu)
{
    return gpu->next_task < gpu->rcl.task_count && gpu->failure.status == GPU_OK;
}

/* UINT32_MAX when there is nothing left to do. */
static uint32_t take_task(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->mutex);
    uint32_t task = is_task_left_locked(gpu) ? gpu->next_task++ : UINT32_MAX;
    pthread_mutex_unlock(&gpu->mutex);
    return task;
}

static void report_failure(struct gpu *gpu, uint32_t task, const struct gpu_worker *worker)
{
    pthread_mutex_lock(&gpu->mutex);
    if (gpu->failure.status == GPU_OK || task < gpu->failure.task)
        gpu->failure = (struct failure){task, worker->status, worker->message};
    if (gpu->share) /* the program may have kept the mutex */
        atomic_store(&gpu->share->stop, true);
    pthread_mutex_unlock(&gpu->mutex);
}

static void run_tasks(struct gpu *gpu, struct gpu_worker *worker)
{
    struct gpu_fp_mode mode = gpu_fp_enter();
    for (uint32_t task; (task = take_task(gpu)) != UINT32_MAX;)
        if (!gpu_rcl_run_task(&gpu->rcl, &gpu->rcl.tasks[task], worker))
            report_failure(gpu, task, worker);
    gpu_fp_leave(mode);
}

/* A thread that wakes late finds nothing left, and nobody has waited for it. */
static void *thread_main(void *arg)
{
    struct thread_start start = *(struct thread_start *)arg;
    struct gpu *gpu = start.gpu;
    free(arg);
    pthread_mutex_lock(&gpu->mutex);
    for (;;) {
        while (!gpu->quit && !(gpu->shared && is_task_left_locked(gpu)))
            pthread_cond_wait(&gpu->work_cond, &gpu->mutex);
        if (gpu->quit)
            break;
        gpu->busy++;
        pthread_mutex_unlock(&gpu->mutex);
        run_tasks(gpu, gpu->worker[start.index]);
        pthread_mutex_lock(&gpu->mutex);
        if (--gpu->busy == 0)
            pthread_cond_signal(&gpu->idle_cond);
    }
    pthread_mutex_unlock(&gpu->mutex);
    return NULL;
}

static void run_on_all_threads(struct gpu *gpu)
{
    /* Tiles that come twice must be done in order. */
    bool shared = gpu->started > 0 && gpu->rcl.task_count > 1 && !gpu->rcl.tile_repeats && !gpu->worker[0]->stats;
    pthread_mutex_lock(&gpu->mutex);
    gpu->next_task = 0;
    gpu->failure = (struct failure){.status = GPU_OK};
    gpu->shared = shared;
    pthread_mutex_unlock(&gpu->mutex);
    for (unsigned i = 0; shared && i < MIN2(gpu->started, gpu->rcl.task_count - 1); i++)
        pthread_cond_signal(&gpu->work_cond);

    run_tasks(gpu, gpu->worker[0]);

    pthread_mutex_lock(&gpu->mutex);
    gpu->shared = false;
    while (gpu->busy)
        pthread_cond_wait(&gpu->idle_cond, &gpu->mutex);
    pthread_mutex_unlock(&gpu->mutex);
}

static bool take_semaphore(struct gpu *gpu)
{
    pthread_mutex_lock(&gpu->semaphore_mutex);
    bool up = gpu->semaphore > 0;
    gpu->semaphore -= up;
    pthread_mutex_unlock(&gpu->semaphore_mutex);
    return up;
}

/* Says once per job that tile lists were damaged, by the first tile of the first worker that saw it. */
static void report_damage(const struct gpu *gpu)
{
    for (unsigned i = 0; i <= gpu->started; i++) {
        const struct gpu_worker *w = gpu->worker[i];
        if (w->damage) {
            util_warn("model: the list of tile (%u, %u) is damaged, its rest is not drawn: %s", w->damage_column,
                      w->damage_row, w->damage);
            return;
        }
    }
}

static void add_counts(const struct gpu *gpu, uint64_t *counts)
{
    for (unsigned i = 0; counts && i <= gpu->started; i++)
        for (unsigned n = 0; n < GPU_COUNTS; n++)
            counts[n] += gpu->worker[i]->fep.counts[n];
}

/* A job that is counted runs on the caller's thread alone. */
static void take_stats(struct gpu *gpu, struct model_stats *out)
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
    gpu_worker_take_stats(gpu->worker[0], &gpu->render_stats);
    out->render_begin_ns = util_now_ns();
}

static void give_stats_back(struct gpu *gpu, struct model_stats *out)
{
    gpu_worker_take_stats(gpu->worker[0], NULL);
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
    /* The kernel half bins before it renders: what has not come by now never will. */
    if (gpu->rcl.waits && !take_semaphore(gpu)) {
        *message_out = "render list waits for a semaphore that no binning list incremented";
        return GPU_HANG;
    }
    gpu_vertex_cache_reset(gpu->cache);
    for (unsigned i = 0; i <= gpu->started; i++)
        gpu_worker_begin_job(gpu->worker[i], job->deadline_ns);
    take_stats(gpu, job->stats);
    run_on_all_threads(gpu);
    give_stats_back(gpu, job->stats);
    report_damage(gpu);
    add_counts(gpu, job->counts);
    for (unsigned i = 0; i <= gpu->started; i++)
        gpu_worker_end_job(gpu->worker[i]);
    gpu->render_ns += util_now_ns() - begin_ns;
    gpu->render_jobs++;
    *message_out = gpu->failure.message;
    return gpu->failure.status;
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
        gpu_qpu_take_stats(gpu->ptb->pipe.core, &gpu->bin_stats);
    }
    enum gpu_status status = gpu_ptb_run(gpu->ptb, job, &increments_semaphore, message_out);
    gpu_qpu_take_stats(gpu->ptb->pipe.core, NULL);
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
                             uint64_t deadline_ns, struct gpu_user_result *result_out, const char **message_out)
{
    struct gpu_fp_mode mode = gpu_fp_enter();
    gpu_user_begin_job(gpu->user);
    enum gpu_status status = gpu_user_run(gpu->user, requests, count, deadline_ns, result_out, message_out);
    gpu_fp_leave(mode);
    return status;
}

/* -- the CPU engine -- */

int gpu_use_engine(struct gpu *gpu, struct gpu_user_share *share)
{
    for (unsigned i = 0; i <= gpu->thread_count; i++) {
        gpu->engine[i] = gpu_user_io_create(share, i * 16);
        if (!gpu->engine[i])
            return -ENOMEM;
    }
    gpu->share = share;
    for (unsigned i = 0; i < gpu->thread_count; i++)
        gpu->worker[i]->fep.user = gpu->worker[i]->pipe.user = gpu->engine[i];
    gpu->ptb->pipe.user = gpu->engine[gpu->thread_count];
    return 0;
}

void gpu_keep_stores(struct gpu *gpu, const struct gpu_kept_stores *kept, unsigned count, bool of_binning_alone)
{
    for (unsigned i = 0; gpu->share && i <= gpu->thread_count; i++) {
        gpu->engine[i]->keeps_few =
            kept && (i == gpu->thread_count || !of_binning_alone); /* the binner's is the last */
        gpu->engine[i]->kept = kept;
        gpu->engine[i]->kept_count = count;
    }
}

uint32_t gpu_take_stray_accesses(struct gpu *gpu)
{
    uint32_t count = 0;
    for (unsigned i = 0; gpu->share && i <= gpu->thread_count; i++) {
        count += gpu->engine[i]->stray_accesses;
        gpu->engine[i]->stray_accesses = 0;
    }
    return count;
}

/* -- times -- */

static void take_times(struct gpu *gpu)
{
    if (!util_debug(UTIL_DEBUG_PERF))
        return;
    for (unsigned i = 0; i < gpu->thread_count; i++) {
        gpu->worker[i]->times = &gpu->times[i];
        gpu_qpu_take_times(gpu->worker[i]->pipe.core, &gpu->times[i], GPU_PART_VERTICES);
    }
    gpu_qpu_take_times(gpu->ptb->pipe.core, &gpu->times[gpu->thread_count], GPU_PART_COORDINATES);
}

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
              ms[GPU_PART_COORDINATES], (double)gpu->render_ns * 1e-6 / (double)gpu->render_jobs, gpu->started + 1,
              ms[GPU_PART_CLEARS], ms[GPU_PART_LOADS], ms[GPU_PART_VERTICES], ms[GPU_PART_FRAGMENTS],
              ms[GPU_PART_LISTS] - ms[GPU_PART_VERTICES] - ms[GPU_PART_FRAGMENTS] - ms[GPU_PART_CLEARS],
              ms[GPU_PART_STORES]);
}

/* -- life -- */

static int start_thread(struct gpu *gpu, unsigned index)
{
    struct thread_start *start = malloc(sizeof *start);
    if (!start)
        return ENOMEM;
    *start = (struct thread_start){gpu, index};
    int err = util_thread_create(&gpu->thread[index], "gpu", thread_main, start);
    if (err)
        free(start);
    return err;
}

int gpu_create(const struct gpu_memory *mem, unsigned threads, struct gpu **out)
{
    struct gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return -ENOMEM;
    gpu->mem = mem;
    gpu->thread_count = CLAMP(threads, 1, THREADS_MAX);
    pthread_mutex_init(&gpu->semaphore_mutex, NULL);
    pthread_mutex_init(&gpu->mutex, NULL);
    pthread_cond_init(&gpu->work_cond, NULL);
    pthread_cond_init(&gpu->idle_cond, NULL);

    int err = ENOMEM;
    gpu->ptb = gpu_ptb_create(gpu->mem);
    gpu->cache = gpu_vertex_cache_create();
    gpu->user = gpu_user_create(gpu->mem);
    if (!gpu->ptb || !gpu->cache || !gpu->user)
        goto fail;
    for (unsigned i = 0; i < gpu->thread_count; i++) {
        gpu->worker[i] = gpu_worker_create(gpu->mem, gpu->cache);
        if (!gpu->worker[i])
            goto fail;
        if (i > 0 && (err = start_thread(gpu, i)))
            goto fail;
        gpu->started = i;
        err = ENOMEM;
    }
    take_times(gpu);
    *out = gpu;
    return 0;

fail:
    gpu_destroy(gpu);
    return -err;
}

void gpu_destroy(struct gpu *gpu)
{
    if (!gpu)
        return;
    pthread_mutex_lock(&gpu->mutex);
    gpu->quit = true;
    pthread_cond_broadcast(&gpu->work_cond);
    pthread_mutex_unlock(&gpu->mutex);
    for (unsigned i = 1; i <= gpu->started; i++)
        pthread_join(gpu->thread[i], NULL);
    print_times(gpu);
    for (unsigned i = 0; i < gpu->thread_count; i++)
        gpu_worker_destroy(gpu->worker[i]);
    gpu_vertex_cache_destroy(gpu->cache);
    gpu_ptb_destroy(gpu->ptb);
    gpu_user_destroy(gpu->user);
    for (unsigned i = 0; i < ARRAY_SIZE(gpu->engine); i++)
        free(gpu->engine[i]);
    gpu_rcl_finish(&gpu->rcl);
    pthread_cond_destroy(&gpu->idle_cond);
    pthread_cond_destroy(&gpu->work_cond);
    pthread_mutex_destroy(&gpu->mutex);
    pthread_mutex_destroy(&gpu->semaphore_mutex);
    free(gpu);
}
