/* SPDX-License-Identifier: MIT
 *
 * User programs: starts requests on free QPUs and runs the QPUs in turns of some instructions each, in the order of
 * their numbers. A program that would stall ends its turn. If every QPU stalls, nothing can change any more: a
 * deadlock.
 *
 * The CPU engine has more QPUs than the chip. They come in sets of 16 with a VPM each, because setup words address no
 * more rows than 16 QPUs need. All QPUs of a thread share the semaphores of the first set.
 *
 * Semaphores keep their values between runs, as on the chip. The VPM starts with a pattern, so that a program that
 * relies on another's leftovers shows.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_user.h"
#include "util/log.h"
#include "util/thread.h"

#define CHIP_QPUS    12
#define QPUS_MAX     GPU_USER_GROUP_MAX /* CPU engine: all requests of a group run at once */
#define SLICE        64                 /* instructions per turn */
#define STUCK_LIMIT  1000
#define VPM_POISON   0xbad0face
#define ANY_UNIFORMS 1023 /* the length of longer streams is not checked */

struct gpu_user {
    const struct gpu_memory *mem;
    pthread_mutex_t mutex;               /* guards everything below */
    struct gpu_qpu_core *core[QPUS_MAX]; /* created on first use */
    struct gpu_qpu_run run[QPUS_MAX];
    bool busy[QPUS_MAX];
    bool is_used[QPUS_MAX]; /* has run a program of this job */
    unsigned qpu_count;
    unsigned set_count;
    struct gpu_user_io *io[GPU_USER_SETS]; /* by set of QPUs */
    struct gpu_user_share own;             /* used if `io` does not have another one */
    struct gpu_stats *stats;   /* for all cores; NULL: not counted */
};

static void reset(struct gpu_user *user)
{
    memset(user->io[0]->own.count, 0, sizeof user->io[0]->own.count);
    if (user->io[0]->share == &user->own)
        atomic_store(&user->own.mutex_holder, GPU_MUTEX_FREE);
}

static struct gpu_user_io *create_io(struct gpu_user_share *share)
{
    struct gpu_user_io *io = aligned_alloc(64, util_align((uint32_t)sizeof *io, 64));
    if (!io)
        return NULL;
    memset(io, 0, sizeof *io);
    io->share = share;
    io->semaphores = &io->own;
    io->own.max = GPU_SEMAPHORE_MAX;
    return io;
}

struct gpu_user_io *gpu_user_io_create(struct gpu_user_share *share, unsigned first_qpu)
{
    struct gpu_user_io *io = create_io(share);
    if (!io)
        return NULL;
    io->first_qpu = first_qpu;
    io->is_engine = true;
    return io;
}

struct gpu_user *gpu_user_create(const struct gpu_memory *mem)
{
    struct gpu_user *user = calloc(1, sizeof *user);
    if (!user)
        return NULL;
    user->io[0] = create_io(&user->own);
    if (!user->io[0] || pthread_mutex_init(&user->mutex, NULL)) {
        free(user->io[0]);
        free(user);
        return NULL;
    }
    user->mem = mem;
    user->qpu_count = CHIP_QPUS;
    user->set_count = 1;
    reset(user);
    return user;
}

int gpu_user_share(struct gpu_user *user, struct gpu_user_share *share, unsigned first_qpu, unsigned step)
{
    for (unsigned i = 0; i < GPU_USER_SETS; i++) {
        struct gpu_user_io *io = i ? create_io(share) : user->io[0];
        if (!io)
            return -ENOMEM;
        user->io[i] = io;
        io->share = share;
        io->semaphores = &user->io[0]->own;
        io->first_qpu = first_qpu + i * step;
        io->is_engine = true;
    }
    user->io[0]->own.max = QPUS_MAX;
    user->set_count = GPU_USER_SETS;
    user->qpu_count = QPUS_MAX;
    return 0;
}

void gpu_user_begin_job(struct gpu_user *user, const struct gpu_kept_stores *kept, unsigned count)
{
    pthread_mutex_lock(&user->mutex);
    for (unsigned i = 0; i < GPU_USER_SETS && user->io[i]; i++) {
        user->io[i]->filters_stores = kept != NULL;
        user->io[i]->kept = kept;
        user->io[i]->kept_count = count;
    }
    for (unsigned q = 0; q < user->qpu_count; q++) {
        if (user->is_used[q])
            gpu_qpu_begin_job(user->core[q]);
        user->is_used[q] = false;
    }
    pthread_mutex_unlock(&user->mutex);
}

void gpu_user_set_stats(struct gpu_user *user, struct gpu_stats *stats)
{
    pthread_mutex_lock(&user->mutex);
    user->stats = stats;
    pthread_mutex_unlock(&user->mutex);
}

void gpu_user_destroy(struct gpu_user *user)
{
    if (!user)
        return;
    for (unsigned q = 0; q < user->qpu_count; q++)
        gpu_qpu_core_destroy(user->core[q]);
    pthread_mutex_destroy(&user->mutex);
    for (unsigned i = 0; i < GPU_USER_SETS; i++)
        free(user->io[i]);
    free(user);
}

static void warn_at_pc(const struct gpu_user *user, unsigned q, const char *what)
{
    util_warn("model: user program on QPU %u at 0x%08" PRIx32 ": %s", q, gpu_qpu_pc(user->core[q]), what);
}

/* Starts a request on QPU `q`. */
static enum gpu_status start(struct gpu_user *user, unsigned q, const struct gpu_user_request *request,
                             struct util_work_limit *limit, const char **message_out)
{
    if (!user->core[q] && gpu_qpu_core_create(user->mem, &user->core[q])) {
        *message_out = "out of memory for a QPU";
        return GPU_OUT_OF_HOST_MEMORY;
    }
    struct gpu_user_io *io = user->io[q / GPU_USER_SET];
    gpu_qpu_set_stats(user->core[q], user->stats);
    user->run[q] = (struct gpu_qpu_run){
        .kind = QPU_PROGRAM_USER,
        .code_addr = request->code_addr,
        .uniforms_addr = request->uniforms_addr,
        .uniforms_count = request->uniforms_count > ANY_UNIFORMS ? 0 : request->uniforms_count,
        .limit = limit,
        .user = io,
        .qpu = io->first_qpu + q % GPU_USER_SET,
    };
    user->is_used[q] = true;
    if (gpu_qpu_start_user(user->core[q], &user->run[q], message_out) == GPU_QPU_FAULT)
        return GPU_HANG;
    user->busy[q] = true;
    return GPU_OK;
}

static enum gpu_status deadlock(const struct gpu_user *user, const char **message_out)
{
    for (unsigned q = 0; q < user->qpu_count; q++) {
        if (user->busy[q])
            warn_at_pc(user, q, "waits for a semaphore or the mutex");
    }
    *message_out = "deadlock: every user program waits for a semaphore or the mutex";
    return GPU_HANG;
}

/* Whether the mutex is shared with other threads and is free or held by a program of another thread, which will release
 * it. */
static bool waits_for_others(const struct gpu_user *user)
{
    const unsigned holder = atomic_load(&user->io[0]->share->mutex_holder);

    for (unsigned i = 0; i < user->set_count; i++)
        if (holder - user->io[i]->first_qpu < GPU_USER_SET)
            return false;
    return user->io[0]->share != &user->own;
}

/* Where a run's programs come from, and what it has done. */
struct run {
    struct gpu_user *user;
    const struct gpu_user_source *source;
    struct util_work_limit *limit;
    uint64_t limit_ns;  /* of each program, or 0: `limit` is of all together */
    unsigned qpu_count; /* QPUs that are used */
    unsigned running, completed;
    unsigned reported;   /* completed programs that the source knows of */
    uint32_t interrupts; /* likewise */
    const char *message;
};

static void report(struct run *r)
{
    uint32_t interrupts = 0;
    if (!r->source->report)
        return;
    for (unsigned i = 0; i < r->user->set_count; i++)
        interrupts |= r->user->io[i]->interrupts;
    if (r->completed == r->reported && interrupts == r->interrupts)
        return;
    r->source->report(r->source->data, r->completed - r->reported, interrupts & ~r->interrupts);
    r->reported = r->completed;
    r->interrupts = interrupts;
}

/* Starts requests on the free QPUs. */
static enum gpu_status start_all(struct run *r, bool idle)
{
    struct gpu_user *user = r->user;
    for (unsigned q = 0; q < r->qpu_count; q++) {
        struct gpu_user_request request;
        if (user->busy[q])
            continue;
        if (!r->source->next(r->source->data, idle, &request))
            break;
        if (r->limit_ns && user->core[q]) /* memory may have changed since the program before */
            gpu_qpu_begin_job(user->core[q]);
        const enum gpu_status status = start(user, q, &request, r->limit, &r->message);
        if (status != GPU_OK)
            return status;
        if (r->limit_ns) {
            util_work_limit_begin(r->limit, r->limit_ns);
            r->limit->cancelled = r->source->cancelled;
        }
        r->running++;
        idle = false;
    }
    return GPU_OK;
}

/* Gives each running program its turn. `*progressed_out`: whether any of them was not blocked. */
static enum gpu_status advance_all(struct run *r, bool *progressed_out)
{
    struct gpu_user *user = r->user;
    for (unsigned q = 0; q < r->qpu_count; q++) {
        if (!user->busy[q])
            continue;
        const enum gpu_qpu_progress progress = gpu_qpu_advance_user(user->core[q], SLICE, &r->message);
        if (progress == GPU_QPU_FAULT) {
            warn_at_pc(user, q, r->message);
            return GPU_HANG;
        }
        if (progress == GPU_QPU_ENDED) {
            user->busy[q] = false;
            r->running--;
            r->completed++;
        }
        *progressed_out |= progress != GPU_QPU_BLOCKED;
    }
    return GPU_OK;
}

static enum gpu_status run_all(struct run *r)
{
    struct gpu_user *user = r->user;
    unsigned stuck = 0;

    for (bool idle = true;;) {
        const unsigned before = r->running;
        enum gpu_status status = start_all(r, idle);
        if (status != GPU_OK)
            return status;
        if (!r->running)
            return GPU_OK;
        if (idle && before && r->running == before && !waits_for_others(user))
            return deadlock(user, &r->message);
        bool progressed = false;
        status = advance_all(r, &progressed);
        report(r);
        if (status != GPU_OK)
            return status;
        idle = !r->running || !progressed;
        if (progressed) {
            stuck = 0;
            continue;
        }
        /* All QPUs are blocked. A free mutex may have been released since they tried, but not STUCK_LIMIT times without
         * any of them getting it. */
        if (atomic_load(&user->io[0]->share->mutex_holder) == GPU_MUTEX_FREE)
            stuck++;
        if (stuck > STUCK_LIMIT)
            return deadlock(user, &r->message);
        if (user->io[0]->share->stop || util_work_limit_is_reached(r->limit)) {
            r->message = "a user program on another thread keeps the mutex";
            return GPU_HANG;
        }
        sched_yield();
    }
}

static void begin_run(struct gpu_user_io *io)
{
    io->interrupts = io->stray_accesses = io->stray_addr = 0;
    for (unsigned row = 0; row < GPU_USER_VPM_ROWS; row++) {
        for (unsigned l = 0; l < QPU_LANES; l++)
            io->vpm[row][l] = VPM_POISON;
    }
}

static void end_run(const struct gpu_user_io *io, struct gpu_user_result *result)
{
    if (io->stray_accesses)
        util_warn("model: %" PRIu32 " elements of VPM DMA outside of mapped memory, the first at 0x%08" PRIx32,
                  io->stray_accesses, io->stray_addr);
    result->interrupts |= io->interrupts;
    result->stray_accesses += io->stray_accesses;
}

static enum gpu_status run_source(struct run *r, struct gpu_user_result *result_out, const char **message_out)
{
    struct gpu_user *user = r->user;
    const unsigned sets = MIN2(user->set_count, util_div_round_up(MAX2(r->qpu_count, 1u), GPU_USER_SET));

    pthread_mutex_lock(&user->mutex);
    for (unsigned i = 0; i < sets; i++)
        begin_run(user->io[i]);
    enum gpu_status status = run_all(r);
    if (status != GPU_OK) {
        memset(user->busy, 0, sizeof user->busy);
        reset(user);
    }
    *result_out = (struct gpu_user_result){.completed = r->completed};
    for (unsigned i = 0; i < sets; i++)
        end_run(user->io[i], result_out);
    pthread_mutex_unlock(&user->mutex);
    *message_out = r->message;
    return status;
}

enum gpu_status gpu_user_run_source(struct gpu_user *user, const struct gpu_user_source *source,
                                    struct util_work_limit *limit, uint64_t limit_ns,
                                    struct gpu_user_result *result_out, const char **message_out)
{
    struct run r = {.user = user, .source = source, .limit = limit, .limit_ns = limit_ns, .qpu_count = user->qpu_count};
    return run_source(&r, result_out, message_out);
}

struct request_list {
    const struct gpu_user_request *requests;
    unsigned next, count;
};

static bool next_of_list(void *data, bool idle, struct gpu_user_request *out)
{
    struct request_list *list = data;
    if (list->next == list->count)
        return false;
    *out = list->requests[list->next++];
    return true;
}

enum gpu_status gpu_user_run(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                             struct util_work_limit *limit, struct gpu_user_result *result_out,
                             const char **message_out)
{
    struct request_list list = {.requests = requests, .count = count};
    const struct gpu_user_source source = {.data = &list, .next = next_of_list};
    struct run r = {.user = user, .source = &source, .limit = limit, .qpu_count = MIN2(user->qpu_count, count)};
    return run_source(&r, result_out, message_out);
}

void gpu_user_reset(struct gpu_user *user)
{
    pthread_mutex_lock(&user->mutex);
    reset(user);
    pthread_mutex_unlock(&user->mutex);
}
