/* SPDX-License-Identifier: MIT
 *
 * User programs: starts requests on free QPUs and runs the QPUs in turns of some instructions each, in the order of
 * their numbers. A program that would stall ends its turn. If every QPU stalls, nothing can change any more: a
 * deadlock.
 *
 * Semaphores keep their values between runs, as on the chip. The VPM starts with a pattern, so that a program that
 * relies on another's leftovers shows.
 */
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
    struct gpu_user_io *io;
    struct gpu_user_share own; /* used if `io` does not have another one */
    struct gpu_stats *stats;   /* for all cores; NULL: not counted */
};

static void reset(struct gpu_user *user)
{
    memset(user->io->semaphore, 0, sizeof user->io->semaphore);
    if (user->io->share == &user->own)
        atomic_store(&user->own.mutex_holder, GPU_MUTEX_FREE);
}

struct gpu_user_io *gpu_user_io_create(struct gpu_user_share *share, unsigned first_qpu)
{
    struct gpu_user_io *io = aligned_alloc(64, util_align((uint32_t)sizeof *io, 64));
    if (!io)
        return NULL;
    memset(io, 0, sizeof *io);
    io->share = share;
    io->first_qpu = first_qpu;
    io->is_engine = true;
    return io;
}

struct gpu_user *gpu_user_create(const struct gpu_memory *mem)
{
    struct gpu_user *user = calloc(1, sizeof *user);
    struct gpu_user_io *io = aligned_alloc(64, util_align((uint32_t)sizeof *io, 64));

    if (!user || !io || pthread_mutex_init(&user->mutex, NULL)) {
        free(user);
        free(io);
        return NULL;
    }
    memset(io, 0, sizeof *io);
    user->mem = mem;
    user->io = io;
    user->qpu_count = CHIP_QPUS;
    io->share = &user->own;
    reset(user);
    return user;
}

void gpu_user_share(struct gpu_user *user, struct gpu_user_share *share, unsigned first_qpu)
{
    user->io->share = share;
    user->io->first_qpu = first_qpu;
    user->io->is_engine = true;
    user->qpu_count = QPUS_MAX;
}

void gpu_user_begin_job(struct gpu_user *user)
{
    pthread_mutex_lock(&user->mutex);
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
    free(user->io);
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
    gpu_qpu_set_stats(user->core[q], user->stats);
    user->run[q] = (struct gpu_qpu_run){
        .kind = QPU_PROGRAM_USER,
        .code_addr = request->code_addr,
        .uniforms_addr = request->uniforms_addr,
        .uniforms_count = request->uniforms_count > ANY_UNIFORMS ? 0 : request->uniforms_count,
        .limit = limit,
        .user = user->io,
        .qpu = user->io->first_qpu + q,
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
    unsigned holder = atomic_load(&user->io->share->mutex_holder);

    return user->io->share != &user->own &&
           (holder == GPU_MUTEX_FREE || holder - user->io->first_qpu >= user->qpu_count);
}

static enum gpu_status run_all(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                               struct util_work_limit *limit, unsigned *completed, const char **message_out)
{
    unsigned started = 0, stuck = 0;

    while (*completed < count) {
        bool progressed = false;

        for (unsigned q = 0; q < user->qpu_count && started < count; q++) {
            if (user->busy[q])
                continue;
            enum gpu_status status = start(user, q, &requests[started], limit, message_out);
            if (status != GPU_OK)
                return status;
            started++;
        }
        for (unsigned q = 0; q < user->qpu_count; q++) {
            if (!user->busy[q])
                continue;
            enum gpu_qpu_progress progress = gpu_qpu_advance_user(user->core[q], SLICE, message_out);
            if (progress == GPU_QPU_FAULT) {
                warn_at_pc(user, q, *message_out);
                return GPU_HANG;
            }
            if (progress == GPU_QPU_ENDED) {
                user->busy[q] = false;
                ++*completed;
            }
            progressed |= progress != GPU_QPU_BLOCKED;
        }
        if (progressed) {
            stuck = 0;
            continue;
        }
        /* All QPUs are blocked. A free mutex may have been released since they tried, but not STUCK_LIMIT times without
         * any of them getting it. */
        if (atomic_load(&user->io->share->mutex_holder) == GPU_MUTEX_FREE)
            stuck++;
        if (!waits_for_others(user) || stuck > STUCK_LIMIT)
            return deadlock(user, message_out);
        if (user->io->share->stop || util_work_limit_is_reached(limit)) {
            *message_out = "a user program on another thread keeps the mutex";
            return GPU_HANG;
        }
        sched_yield();
    }
    return GPU_OK;
}

enum gpu_status gpu_user_run(struct gpu_user *user, const struct gpu_user_request *requests, unsigned count,
                             struct util_work_limit *limit, struct gpu_user_result *result_out,
                             const char **message_out)
{
    struct gpu_user_io *io = user->io;
    unsigned completed = 0;

    *message_out = NULL;
    pthread_mutex_lock(&user->mutex);
    io->interrupts = io->stray_accesses = io->stray_addr = 0;
    for (unsigned row = 0; row < GPU_USER_VPM_ROWS; row++) {
        for (unsigned l = 0; l < QPU_LANES; l++)
            io->vpm[row][l] = VPM_POISON;
    }
    enum gpu_status status = run_all(user, requests, count, limit, &completed, message_out);
    if (status != GPU_OK) {
        memset(user->busy, 0, sizeof user->busy);
        reset(user);
    }
    if (io->stray_accesses)
        util_warn("model: %" PRIu32 " elements of VPM DMA outside of mapped memory, the first at 0x%08" PRIx32,
                  io->stray_accesses, io->stray_addr);
    *result_out = (struct gpu_user_result){completed, io->interrupts, io->stray_accesses};
    pthread_mutex_unlock(&user->mutex);
    return status;
}
