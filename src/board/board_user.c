/* SPDX-License-Identifier: MIT
 *
 * User programs: the queue of requests in front of the QPU scheduler [guide p.89-91]. A thread of the host takes
 * requests from it and runs the programs in the chip, up to twelve at the same time. A program that never ends, or does
 * what is not allowed, leaves the scheduler hung, until a reset.
 */
#include <errno.h>
#include "board/board_private.h"
#include "util/log.h"
#include "util/thread.h"

#define NS_PER_MS UINT64_C(1000000)

/* struct gpu_user_source.next. Programs that all wait for a semaphore may be waiting for one that is still to come. */
static bool next_request(void *data, bool idle, struct gpu_user_request *out)
{
    struct board_v3d *v3d = data;
    struct board_user *user = &v3d->user;
    pthread_mutex_lock(&v3d->mutex);
    while (idle && user->running && !user->length && !atomic_load(&user->cancelled))
        pthread_cond_wait(&v3d->changed, &v3d->mutex);
    const bool has_request = user->length && !atomic_load(&user->cancelled);
    if (has_request) {
        *out = user->queue[user->first];
        user->first = (user->first + 1) % SRQ_DEPTH;
        user->length--;
        user->running++;
    }
    pthread_mutex_unlock(&v3d->mutex);
    return has_request;
}

static void report(void *data, unsigned completed, uint32_t interrupts)
{
    struct board_v3d *v3d = data;
    struct board_user *user = &v3d->user;
    pthread_mutex_lock(&v3d->mutex);
    const bool level_before = board_interrupt_level(v3d);
    user->running -= completed;
    user->completed += (uint8_t)completed;
    user->interrupts |= interrupts & user->interrupts_enabled;
    board_unlock(v3d, level_before);
}

/* Runs programs until the queue is empty and all have ended. The mutex is held, but not while the chip works. */
static void execute(struct board_v3d *v3d)
{
    struct board_user *user = &v3d->user;
    const struct gpu_user_source source = {
        .data = v3d, .next = next_request, .report = report, .cancelled = &user->cancelled};
    struct gpu_user_result result;
    const char *message = NULL;

    atomic_store(&user->cancelled, false);
    user->is_executing = true;
    pthread_mutex_unlock(&v3d->mutex);
    const enum gpu_status status =
        gpu_run_user_source(v3d->gpu, &source, v3d->machine.limit_ms * NS_PER_MS, &result, &message);
    pthread_mutex_lock(&v3d->mutex);
    user->is_executing = false;
    user->running = 0;
    if (status != GPU_OK && !atomic_load(&user->cancelled)) {
        util_warn("v3d: user programs hang: %s", message);
        user->is_hung = true;
    }
    pthread_cond_broadcast(&v3d->changed);
}

static void *user_main(void *arg)
{
    struct board_v3d *v3d = arg;
    const struct board_user *user = &v3d->user;
    pthread_mutex_lock(&v3d->mutex);
    while (!v3d->ends) {
        if (user->length && !user->is_hung && !v3d->resets)
            execute(v3d);
        else
            pthread_cond_wait(&v3d->changed, &v3d->mutex);
    }
    pthread_mutex_unlock(&v3d->mutex);
    return NULL;
}

int board_user_init(struct board_v3d *v3d)
{
    if (util_thread_create(&v3d->user.thread, "v3d-user", user_main, v3d))
        return -EAGAIN;
    v3d->user.has_thread = true;
    return 0;
}

void board_user_finish(struct board_v3d *v3d)
{
    if (v3d->user.has_thread)
        pthread_join(v3d->user.thread, NULL);
}

bool board_user_cancel(struct board_v3d *v3d)
{
    atomic_store(&v3d->user.cancelled, true);
    pthread_cond_broadcast(&v3d->changed);
    return v3d->user.is_executing;
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

void board_user_request(struct board_v3d *v3d, uint32_t code_addr)
{
    struct board_user *user = &v3d->user;
    user->requested++;
    if (user->has_error)
        return;
    if (user->length == SRQ_DEPTH) {
        user->has_error = true;
        return;
    }
    user->queue[(user->first + user->length++) % SRQ_DEPTH] = (struct gpu_user_request){
        .code_addr = code_addr,
        .uniforms_addr = user->uniforms_count ? user->uniforms_addr : 0,
        .uniforms_count = user->uniforms_count,
    };
    pthread_cond_broadcast(&v3d->changed);
}

uint32_t board_user_status(const struct board_v3d *v3d)
{
    const struct board_user *user = &v3d->user;
    return (uint32_t)user->completed << SRQCS_COMPLETED_SHIFT | (uint32_t)user->requested << SRQCS_REQUESTED_SHIFT |
           (user->has_error ? SRQCS_ERROR : 0) | user->length;
}

void board_user_control(struct board_v3d *v3d, uint32_t value)
{
    struct board_user *user = &v3d->user;
    if (value & BIT(SRQCS_COMPLETED_SHIFT))
        user->completed = 0;
    if (value & BIT(SRQCS_REQUESTED_SHIFT))
        user->requested = 0;
    if (value & SRQCS_ERROR)
        user->has_error = false;
    if (value & SRQCS_CLEAR_QUEUE)
        user->length = 0;
}
