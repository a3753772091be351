/* SPDX-License-Identifier: MIT */
#include "queue/vc4vk_parallel.h"
#include "util/log.h"
#include "util/thread.h"

int vc4vk_parallel_init(struct vc4vk_parallel *p)
{
    *p = (struct vc4vk_parallel){.helper_count = 0};
    int err = pthread_mutex_init(&p->mutex, NULL);
    if (err)
        return err;
    err = pthread_cond_init(&p->wake, NULL);
    if (err) {
        pthread_mutex_destroy(&p->mutex);
        return err;
    }
    err = pthread_cond_init(&p->done, NULL);
    if (err) {
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->mutex);
    }
    p->is_ready = !err;
    return err;
}

void vc4vk_parallel_finish(struct vc4vk_parallel *p)
{
    if (!p->is_ready)
        return;
    pthread_mutex_lock(&p->mutex);
    p->stop = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    for (uint32_t i = 0; i < p->helper_count; i++)
        pthread_join(p->helpers[i], NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
}

static void take_bands(struct vc4vk_parallel *p)
{
    for (uint32_t band; (band = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->count;)
        p->run(p->data, band);
}

static void *helper_main(void *arg)
{
    struct vc4vk_parallel *p = arg;
    uint32_t round = 0; /* the newest that this helper has worked on */
    pthread_mutex_lock(&p->mutex);
    for (;;) {
        while (!p->stop && (p->round == round || !p->is_open))
            pthread_cond_wait(&p->wake, &p->mutex);
        if (p->stop)
            break;
        round = p->round;
        p->working++;
        pthread_mutex_unlock(&p->mutex);
        take_bands(p);
        pthread_mutex_lock(&p->mutex);
        if (--p->working == 0)
            pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* One fewer than there are cores: the caller works, too. Who cannot have them does without. */
static void start_locked(struct vc4vk_parallel *p)
{
    p->has_started = true;
    const uint32_t wanted = MIN2(util_cpu_count() - 1, VC4VK_MAX_HELPERS);
    while (p->helper_count < wanted &&
           !util_thread_create(&p->helpers[p->helper_count], "vc4vk-helper", helper_main, p))
        p->helper_count++;
    if (p->helper_count < wanted)
        util_warn("%u of %u helper threads started", p->helper_count, wanted);
}

/* Takes the helpers for an operation; false: somebody else has them, or there are none. */
static bool begin(struct vc4vk_parallel *p, uint32_t count, void (*run)(void *data, uint32_t band), void *data)
{
    pthread_mutex_lock(&p->mutex);
    if (!p->has_started && !p->is_taken)
        start_locked(p);
    const bool mine = !p->is_taken && p->helper_count;
    if (mine) {
        p->is_taken = p->is_open = true;
        p->count = count;
        p->run = run;
        p->data = data;
        atomic_store_explicit(&p->next, 0, memory_order_relaxed);
        p->round++;
        pthread_cond_broadcast(&p->wake);
    }
    pthread_mutex_unlock(&p->mutex);
    return mine;
}

void vc4vk_parallel_for(struct vc4vk_parallel *p, uint32_t count, void (*run)(void *data, uint32_t band), void *data)
{
    if (count < 2 || !begin(p, count, run, data)) {
        for (uint32_t i = 0; i < count; i++)
            run(data, i);
        return;
    }
    take_bands(p);
    pthread_mutex_lock(&p->mutex);
    p->is_open = false; /* who has not woken up so far is not waited for */
    while (p->working)
        pthread_cond_wait(&p->done, &p->mutex);
    p->is_taken = false;
    pthread_mutex_unlock(&p->mutex);
}
