/* SPDX-License-Identifier: MIT
 *
 * The CPU engine: runs user programs on all cores of the host. Each participating thread of the pool (util/pool.h) has
 * 64 QPUs with VPMs and semaphores of their own, and runs one group of requests after another. The QPUs' mutex is
 * shared by all threads, so that atomic operations work across them.
 *
 * Jobs with control lists run on a struct gpu of the engine's own, created on first use.
 *
 * An engine runs one job at a time, in the order of the calls. The calling thread takes part.
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
#include "util/pool.h"
#include "util/thread.h"

#define CHUNK 16u /* ungrouped requests that a thread takes at once */

struct model_engine {
    struct gpu_memory memory; /* of the job; must be the first member, find_range() casts */
    struct model_engine_range *ranges;
    unsigned range_count, range_capacity;

    /* One job at a time, in the order of the calls: a plain mutex would let a thread with many jobs go on and on. */
    pthread_mutex_t turn_mutex; /* guards the next three */
    pthread_cond_t turn_changed;
    uint64_t next_turn, turn;
    unsigned thread_count;                /* that may take part, the calling thread included */
    struct gpu_user *user[UTIL_POOL_MAX]; /* per pool slot; NULL until first used, except slot 0 */
    struct gpu *gpu;                      /* for control lists; NULL until first used; of the running job */

    /* The job. */
    struct gpu_user_share share;
    _Atomic unsigned completed, stray_accesses;
    pthread_mutex_t mutex;  /* guards status and message */
    enum gpu_status status; /* of the first group that failed */
    const char *message;

    struct gpu_stats stats; /* of the job, if it is counted; of the running job */
};

/* ---------------------------------------------------------------- the address map */

static const struct model_engine_range *find_range(const struct gpu_memory *mem, uint32_t addr)
{
    const struct model_engine *engine = (const struct model_engine *)mem;
    unsigned low = 0, high = engine->range_count;
    while (low < high) { /* binary search; the ranges are sorted and disjoint */
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

struct job {
    struct util_pool_work work; /* one task per group */
    struct model_engine *engine;
    const struct model_engine_job *job;
    const struct gpu_kept_stores *kept;
    unsigned group;   /* requests per group */
    uint64_t work_ns; /* the longest processor time of one thread; under the engine's mutex */
};

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

static int create_user(struct model_engine *engine, unsigned slot)
{
    struct gpu_user *user = gpu_user_create(&engine->memory);
    if (!user)
        return -ENOMEM;
    if (gpu_user_share(user, &engine->share, slot * GPU_USER_SET, model_engine_qpu_count(engine))) {
        gpu_user_destroy(user);
        return -ENOMEM;
    }
    engine->user[slot] = user;
    return 0;
}

static enum gpu_status run_group(const struct job *j, struct gpu_user *user, unsigned group,
                                 struct util_work_limit *limit, const char **message_out)
{
    struct model_engine *engine = j->engine;
    const unsigned first = group * j->group, count = MIN2(j->group, j->job->request_count - first);
    struct gpu_user_request requests[GPU_USER_GROUP_MAX];
    struct gpu_user_result result;
    for (unsigned n = 0; n < count; n++) {
        const struct model_user_request *r = &j->job->requests[first + n];
        requests[n] = (struct gpu_user_request){r->code_addr, r->uniforms_addr, r->uniforms_count};
    }
    enum gpu_status status = gpu_user_run(user, requests, count, limit, &result, message_out);
    atomic_fetch_add(&engine->completed, result.completed);
    atomic_fetch_add(&engine->stray_accesses, result.stray_accesses);
    return status;
}

static void run_groups(struct util_pool_work *work, unsigned slot)
{
    struct job *j = container_of(work, struct job, work);
    struct model_engine *engine = j->engine;
    if (!engine->user[slot] && create_user(engine, slot)) { /* cannot fail for slot 0, which always exists */
        util_pool_close(work);
        return;
    }
    struct util_work_clock clock;
    const uint64_t begin_ns = util_work_clock_begin(&clock);
    struct gpu_fp_mode mode = gpu_fp_enter();
    gpu_user_begin_job(engine->user[slot], j->kept, j->job->kept_count);
    for (uint32_t group; util_pool_take(work, slot, &group);) { /* takes all: util_pool_run() waits for every task */
        const char *message = "its workgroups end, but together they take longer than VC4VK_HANG_MS allows";
        enum gpu_status status = GPU_HANG;
        const uint64_t now_ns = util_work_clock_ns(&clock), work_ns = now_ns - begin_ns;
        if (work_ns < j->job->timeout_ns) { /* checked here: a short group may never check the clock itself */
            struct util_work_limit limit;
            util_work_limit_begin_at(&limit, now_ns, MIN2(j->job->group_timeout_ns, j->job->timeout_ns - work_ns));
            status = run_group(j, engine->user[slot], group, &limit, &message);
        }
        if (status == GPU_OK)
            continue;
        util_pool_truncate(work, 0);
        fail(engine, status, message);
    }
    gpu_fp_leave(mode);
    const uint64_t work_ns = util_thread_time_ns() - begin_ns;
    pthread_mutex_lock(&engine->mutex);
    j->work_ns = MAX2(j->work_ns, work_ns);
    pthread_mutex_unlock(&engine->mutex);
}

static uint64_t run(struct model_engine *engine, const struct model_engine_job *job, const struct gpu_kept_stores *kept)
{
    struct job j;
    j.work_ns = 0;
    j.kept = kept;
    j.group = job->group > 1 ? job->group : CHUNK;
    j.work.run = run_groups;
    j.work.count = util_div_round_up(job->request_count, j.group);
    j.work.slots = job->stats ? 1 : engine->thread_count; /* counted jobs run on one thread */
    j.engine = engine;
    j.job = job;
    engine->status = GPU_OK;
    engine->message = NULL;
    atomic_store(&engine->completed, 0);
    atomic_store(&engine->stray_accesses, 0);
    atomic_store(&engine->share.stop, false);
    atomic_store(&engine->share.mutex_holder, GPU_MUTEX_FREE);
    util_pool_run(&j.work);
    return j.work_ns;
}

/* Waits until the jobs of earlier calls have ended. */
static void begin_turn(struct model_engine *engine)
{
    pthread_mutex_lock(&engine->turn_mutex);
    for (const uint64_t own = engine->next_turn++; engine->turn != own;)
        pthread_cond_wait(&engine->turn_changed, &engine->turn_mutex);
    pthread_mutex_unlock(&engine->turn_mutex);
}

static void end_turn(struct model_engine *engine)
{
    pthread_mutex_lock(&engine->turn_mutex);
    if (++engine->turn != engine->next_turn)
        pthread_cond_broadcast(&engine->turn_changed);
    pthread_mutex_unlock(&engine->turn_mutex);
}

int model_engine_run(struct model_engine *engine, const struct model_engine_job *job, struct model_user_result *out)
{
    *out = (struct model_user_result){0};
    if (job->group > GPU_USER_GROUP_MAX)
        return -EINVAL;
    struct gpu_kept_stores *kept = NULL;
    if (job->kept_stores) {
        kept = calloc(MAX2(job->kept_count, 1u), sizeof *kept);
        if (!kept)
            return -ENOMEM;
        for (unsigned i = 0; i < job->kept_count; i++)
            kept[i] = (struct gpu_kept_stores){job->kept_stores[i].addr, job->kept_stores[i].size_B};
    }
    begin_turn(engine);
    int err = set_memory(engine, job->memory, job->ranges, job->range_count);
    if (!err) {
        if (job->stats) {
            gpu_stats_begin(&engine->stats, job->stats, MODEL_STAGE_USER);
            gpu_user_set_stats(engine->user[0], &engine->stats);
        }
        const uint64_t run_ns = run(engine, job, kept);
        gpu_user_set_stats(engine->user[0], NULL);
        *out = (struct model_user_result){.completed = engine->completed,
                                          .stray_accesses = engine->stray_accesses,
                                          .message = engine->message,
                                          .run_ns = run_ns};
        if (engine->status != GPU_OK)
            err = engine->status == GPU_OUT_OF_HOST_MEMORY ? -ENOMEM : -ETIMEDOUT;
    }
    end_turn(engine);
    free(kept);
    return err;
}

/* ---------------------------------------------------------------- control lists */

static int create_gpu(struct model_engine *engine)
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
    begin_turn(engine);
    int err = set_memory(engine, memory, ranges, count);
    if (!err && !engine->gpu)
        err = create_gpu(engine);
    if (err) {
        end_turn(engine);
        return err;
    }
    atomic_store(&engine->share.stop, false);
    atomic_store(&engine->share.mutex_holder, GPU_MUTEX_FREE);
    *out = engine->gpu;
    return 0;
}

void gpu_engine_end_lists(struct model_engine *engine)
{
    end_turn(engine);
}

/* ---------------------------------------------------------------- life */

int model_engine_create(unsigned threads, struct model_engine **out)
{
    struct model_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return -ENOMEM;
    if (pthread_mutex_init(&engine->mutex, NULL))
        goto fail;
    if (pthread_mutex_init(&engine->turn_mutex, NULL))
        goto fail_mutex;
    if (pthread_cond_init(&engine->turn_changed, NULL))
        goto fail_turn;
    engine->thread_count = util_pool_ref(threads);
    if (create_user(engine, 0)) {
        model_engine_destroy(engine);
        return -ENOMEM;
    }
    *out = engine;
    return 0;

fail_turn:
    pthread_mutex_destroy(&engine->turn_mutex);
fail_mutex:
    pthread_mutex_destroy(&engine->mutex);
fail:
    free(engine);
    return -ENOMEM;
}

unsigned model_engine_qpu_count(const struct model_engine *engine)
{
    return (engine->thread_count + 1) * GPU_USER_SET; /* the binner of control lists has a set, too */
}

void model_engine_destroy(struct model_engine *engine)
{
    if (!engine)
        return;
    gpu_destroy(engine->gpu);
    for (unsigned i = 0; i < engine->thread_count; i++)
        gpu_user_destroy(engine->user[i]);
    pthread_mutex_destroy(&engine->mutex);
    pthread_cond_destroy(&engine->turn_changed);
    pthread_mutex_destroy(&engine->turn_mutex);
    util_pool_unref();
    free(engine->ranges);
    free(engine);
}
