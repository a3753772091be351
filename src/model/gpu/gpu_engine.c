/* SPDX-License-Identifier: MIT
 *
 * The CPU engine: user programs on all cores of the host. Each thread has twelve QPUs with a VPM and semaphores of
 * their own and takes one group of requests after the other; the mutex is one for all, so that atomics are.
 *
 * Jobs with control lists run on a chip of the engine's own, made when it is first needed, with threads of its own.
 *
 * An engine runs one job at a time. The calling thread works too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_alu.h"
#include "model/gpu/gpu_engine.h"
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_user.h"
#include "model/model.h"
#include "util/environment.h"
#include "util/thread.h"

#define MAX_THREADS 64u
#define CHUNK       16u /* requests without a group that a thread takes at once */

struct engine_thread {
    struct model_engine *engine;
    struct gpu_user *user;
    pthread_t thread;
};

struct model_engine {
    struct gpu_memory memory; /* of the job; first, see is_mapped */
    struct model_engine_range *ranges;
    unsigned range_count, range_capacity;

    pthread_mutex_t run_mutex; /* one job at a time */
    struct engine_thread threads[MAX_THREADS];
    unsigned thread_count; /* the caller's, 0, included */
    struct gpu *gpu;       /* for control lists; NULL until it is needed, under run_mutex */

    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t work, idle;
    unsigned generation, busy;
    bool quits;

    /* The job. */
    const struct model_engine_job *job;
    unsigned group;            /* requests of a group */
    _Atomic unsigned next;     /* group that nobody has taken yet */
    struct gpu_user_share share;
    _Atomic unsigned completed, stray_accesses;
    enum gpu_status status;    /* the first that failed, under mutex */
    const char *message;

    struct gpu_stats stats; /* of the job, where it is counted; under run_mutex */
};

/* ---------------------------------------------------------------- the address map */

static const struct model_engine_range *find_range(const struct gpu_memory *mem, uint32_t addr)
{
    const struct model_engine *engine = (const struct model_engine *)mem;
    unsigned low = 0, high = engine->range_count;
    while (low < high) { /* the first range that ends behind addr */
        unsigned mid = (low + high) / 2;
        const struct model_engine_range *r = &engine->ranges[mid];
        if (addr - r->addr < r->size_B)
            return r;
        if (r->addr > addr)
            high = mid;
        else
            low = mid + 1;
    }
    return NULL;
}

static bool is_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    const struct model_engine_range *r = find_range(mem, addr);
    return r && size_B <= r->size_B - (addr - r->addr);
}

static bool range_at(const struct gpu_memory *mem, uint32_t addr, uint32_t *first_out, uint32_t *size_B_out)
{
    const struct model_engine_range *r = find_range(mem, addr);
    if (!r)
        return false;
    *first_out = r->addr;
    *size_B_out = r->size_B;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct model_engine_range *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int set_memory(struct model_engine *engine, void *memory, const struct model_engine_range *ranges,
                      unsigned count)
{
    if (count > engine->range_capacity) {
        struct model_engine_range *more = realloc(engine->ranges, count * sizeof *more);
        if (!more)
            return -ENOMEM;
        engine->ranges = more;
        engine->range_capacity = count;
    }
    if (count)
        memcpy(engine->ranges, ranges, count * sizeof *engine->ranges);
    qsort(engine->ranges, count, sizeof *engine->ranges, by_address);
    engine->range_count = count;
    engine->memory =
        (struct gpu_memory){.base = memory, .size_B = UINT32_MAX, .is_mapped = is_mapped, .range_at = range_at};
    return 0;
}

/* ---------------------------------------------------------------- running */

static void fail(struct model_engine *engine, enum gpu_status status, const char *message)
{
    pthread_mutex_lock(&engine->mutex);
    if (engine->status == GPU_OK) {
        engine->status = status;
        engine->message = message;
    }
    pthread_mutex_unlock(&engine->mutex);
    atomic_store(&engine->share.stop, true);
}

static void run_groups(struct model_engine *engine, struct gpu_user *user)
{
    const struct model_engine_job *job = engine->job;
    struct gpu_fp_mode mode = gpu_fp_enter();
    gpu_user_begin_job(user);
    while (!atomic_load(&engine->share.stop)) {
        unsigned first = atomic_fetch_add(&engine->next, 1) * engine->group;
        if (first >= job->request_count)
            break;
        unsigned count = MIN2(engine->group, job->request_count - first);
        struct gpu_user_request requests[GPU_USER_GROUP_MAX];
        struct gpu_user_result result;
        const char *message;
        for (unsigned n = 0; n < count; n++) {
            const struct model_user_request *r = &job->requests[first + n];
            requests[n] = (struct gpu_user_request){r->code_addr, r->uniforms_addr, r->uniforms_count};
        }
        enum gpu_status status =
            gpu_user_run(user, requests, count, util_deadline_ns(job->timeout_ns), &result, &message);
        atomic_fetch_add(&engine->completed, result.completed);
        atomic_fetch_add(&engine->stray_accesses, result.stray_accesses);
        if (status != GPU_OK)
            fail(engine, status, message);
    }
    gpu_fp_leave(mode);
}

static void *thread_main(void *arg)
{
    struct engine_thread *t = arg;
    struct model_engine *engine = t->engine;
    unsigned seen = 0;
    pthread_mutex_lock(&engine->mutex);
    for (;;) {
        while (!engine->quits && engine->generation == seen)
            pthread_cond_wait(&engine->work, &engine->mutex);
        if (engine->quits)
            break;
        seen = engine->generation;
        pthread_mutex_unlock(&engine->mutex);
        run_groups(engine, t->user);
        pthread_mutex_lock(&engine->mutex);
        if (!--engine->busy)
            pthread_cond_signal(&engine->idle);
    }
    pthread_mutex_unlock(&engine->mutex);
    return NULL;
}

static void begin(struct model_engine *engine, const struct model_engine_job *job)
{
    pthread_mutex_lock(&engine->mutex);
    engine->job = job;
    engine->group = job->group > 1 ? job->group : CHUNK;
    engine->status = GPU_OK;
    engine->message = NULL;
    atomic_store(&engine->next, 0);
    atomic_store(&engine->completed, 0);
    atomic_store(&engine->stray_accesses, 0);
    atomic_store(&engine->share.stop, false);
    atomic_store(&engine->share.mutex_holder, GPU_MUTEX_FREE);
    if (job->request_count > engine->group && !job->stats) { /* more than one thread has something to do */
        engine->busy = engine->thread_count - 1;
        engine->generation++;
        pthread_cond_broadcast(&engine->work);
    }
    pthread_mutex_unlock(&engine->mutex);
}

static void finish(struct model_engine *engine, struct model_user_result *out)
{
    pthread_mutex_lock(&engine->mutex);
    while (engine->busy)
        pthread_cond_wait(&engine->idle, &engine->mutex);
    pthread_mutex_unlock(&engine->mutex);
    *out = (struct model_user_result){.completed = engine->completed, .stray_accesses = engine->stray_accesses,
                                      .message = engine->message};
}

int model_engine_run(struct model_engine *engine, const struct model_engine_job *job, struct model_user_result *out)
{
    *out = (struct model_user_result){0};
    if (job->group > GPU_USER_GROUP_MAX)
        return -EINVAL;
    pthread_mutex_lock(&engine->run_mutex);
    int err = set_memory(engine, job->memory, job->ranges, job->range_count);
    if (!err) {
        if (job->stats) { /* by one thread alone */
            gpu_stats_begin(&engine->stats, job->stats, MODEL_STAGE_USER);
            gpu_user_take_stats(engine->threads[0].user, &engine->stats);
        }
        begin(engine, job);
        run_groups(engine, engine->threads[0].user);
        gpu_user_take_stats(engine->threads[0].user, NULL);
        finish(engine, out);
        if (engine->status != GPU_OK)
            err = engine->status == GPU_OUT_OF_HOST_MEMORY ? -ENOMEM : -ETIMEDOUT;
    }
    pthread_mutex_unlock(&engine->run_mutex);
    return err;
}

/* ---------------------------------------------------------------- control lists */

static int make_gpu(struct model_engine *engine)
{
    int err = gpu_create(&engine->memory, engine->thread_count, &engine->gpu);
    if (!err)
        err = gpu_use_engine(engine->gpu, &engine->share);
    if (err) {
        gpu_destroy(engine->gpu);
        engine->gpu = NULL;
    }
    return err;
}

int gpu_engine_begin_lists(struct model_engine *engine, void *memory, const struct model_engine_range *ranges,
                           unsigned count, struct gpu **out)
{
    pthread_mutex_lock(&engine->run_mutex);
    int err = set_memory(engine, memory, ranges, count);
    if (!err && !engine->gpu)
        err = make_gpu(engine);
    if (err) {
        pthread_mutex_unlock(&engine->run_mutex);
        return err;
    }
    atomic_store(&engine->share.stop, false);
    atomic_store(&engine->share.mutex_holder, GPU_MUTEX_FREE);
    *out = engine->gpu;
    return 0;
}

void gpu_engine_end_lists(struct model_engine *engine)
{
    pthread_mutex_unlock(&engine->run_mutex);
}

/* ---------------------------------------------------------------- life */

static bool start_thread(struct model_engine *engine, unsigned n)
{
    struct engine_thread *t = &engine->threads[n];
    *t = (struct engine_thread){.engine = engine, .user = gpu_user_create(&engine->memory)};
    if (!t->user)
        return false;
    gpu_user_share(t->user, &engine->share, n * MODEL_ENGINE_QPUS);
    if (n && util_thread_create(&t->thread, "vc4-engine", thread_main, t)) {
        gpu_user_destroy(t->user);
        return false;
    }
    return true;
}

int model_engine_create(unsigned threads, struct model_engine **out)
{
    struct model_engine *engine = calloc(1, sizeof *engine);
    if (!threads)
        threads = util_environment_number("VC4VK_MODEL_THREADS", MAX_THREADS);
    unsigned wanted = CLAMP(threads ? threads : util_cpu_count(), 1u, MAX_THREADS);
    if (!engine)
        return -ENOMEM;
    if (pthread_mutex_init(&engine->run_mutex, NULL) || pthread_mutex_init(&engine->mutex, NULL) ||
        util_cond_init(&engine->work) || util_cond_init(&engine->idle)) {
        free(engine);
        return -ENOMEM;
    }
    while (engine->thread_count < wanted && start_thread(engine, engine->thread_count))
        engine->thread_count++;
    if (!engine->thread_count) { /* fewer than wanted will do */
        model_engine_destroy(engine);
        return -ENOMEM;
    }
    *out = engine;
    return 0;
}

unsigned model_engine_qpu_count(const struct model_engine *engine)
{
    return (engine->thread_count + 1) * MODEL_ENGINE_QPUS; /* the binner of control lists has one, too */
}

void model_engine_destroy(struct model_engine *engine)
{
    if (!engine)
        return;
    pthread_mutex_lock(&engine->mutex);
    engine->quits = true;
    pthread_cond_broadcast(&engine->work);
    pthread_mutex_unlock(&engine->mutex);
    for (unsigned n = 0; n < engine->thread_count; n++) {
        if (n)
            pthread_join(engine->threads[n].thread, NULL);
        gpu_user_destroy(engine->threads[n].user);
    }
    pthread_cond_destroy(&engine->work);
    pthread_cond_destroy(&engine->idle);
    pthread_mutex_destroy(&engine->mutex);
    pthread_mutex_destroy(&engine->run_mutex);
    gpu_destroy(engine->gpu);
    free(engine->ranges);
    free(engine);
}
