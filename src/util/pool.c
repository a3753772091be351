/* SPDX-License-Identifier: MIT
 *
 * Every thread of a work has a slot with a range of tasks, one 64-bit word: its owner takes from the front, a thief cuts
 * off the rear half, both by compare and swap. At first the caller has them all. The word is all
 * there is of a slot, so one that looks the same is the same.
 *
 * Who wakes a helper: a work that begins wakes one, which wakes the next if there is still something to steal. A
 * short work thus costs its caller one wake at most.
 */
#include "util/environment.h"
#include "util/log.h"
#include "util/pool.h"
#include "util/thread.h"

#define MAX_HELPERS (UTIL_POOL_MAX - 1)

static struct pool {
    pthread_mutex_t life_mutex; /* of ref and unref */
    unsigned refs;

    _Atomic unsigned limit; /* threads that shall work at the same time */
    _Atomic unsigned busy;  /* threads that do, callers among them */

    pthread_mutex_t mutex; /* of all below */
    pthread_cond_t wake;
    struct util_list works; /* that helpers may join */
    pthread_t helpers[MAX_HELPERS];
    unsigned helper_count;
    unsigned sleepers; /* helpers that sleep and have not been called */
    unsigned calls;    /* helpers that have been called and still sleep */
    bool has_failed;   /* to start a thread: not tried again */
    bool quits;
} pool = {
    .life_mutex = PTHREAD_MUTEX_INITIALIZER,
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .works = {&pool.works, &pool.works},
};

/* -- ranges of tasks ---------------------------------------------------------------------------------------------- */

static uint64_t make_range(uint32_t begin, uint32_t end)
{
    return (uint64_t)end << 32 | begin;
}

static uint32_t begin_of(uint64_t range)
{
    return (uint32_t)range;
}

static uint32_t end_of(uint64_t range)
{
    return (uint32_t)(range >> 32);
}

static uint32_t length_of(uint64_t range)
{
    return end_of(range) - begin_of(range);
}

/* What tasks rely on was written before the work began, under the lock; so the words need no order of their own. */
static uint64_t load(const struct util_pool_slot *slot)
{
    return atomic_load_explicit(&slot->tasks, memory_order_relaxed);
}

static bool replace(struct util_pool_slot *slot, uint64_t *from, uint64_t to)
{
    return atomic_compare_exchange_weak_explicit(&slot->tasks, from, to, memory_order_relaxed, memory_order_relaxed);
}

static bool take_first(struct util_pool_slot *slot, uint32_t *task_out)
{
    uint64_t range = load(slot);
    while (length_of(range)) {
        if (replace(slot, &range, make_range(begin_of(range) + 1, end_of(range)))) {
            *task_out = begin_of(range);
            return true;
        }
    }
    return false;
}

/* Moves the rear half of the longest range into `mine`, which is empty. False: there is nothing to steal. */
static bool steal(struct util_pool_work *work, struct util_pool_slot *mine)
{
    for (;;) {
        struct util_pool_slot *victim = NULL;
        uint64_t longest = 0;
        for (unsigned i = 0; i < work->slots; i++) {
            uint64_t range = load(&work->slot[i]);
            if (length_of(range) > length_of(longest)) {
                longest = range;
                victim = &work->slot[i];
            }
        }
        if (!victim)
            return false;
        const uint32_t middle = begin_of(longest) + length_of(longest) / 2;
        if (replace(victim, &longest, make_range(begin_of(longest), middle))) {
            atomic_store_explicit(&mine->tasks, make_range(middle, end_of(longest)), memory_order_relaxed);
            return true;
        }
    }
}

static bool has_tasks(const struct util_pool_work *work)
{
    for (unsigned i = 0; i < work->slots; i++)
        if (length_of(load(&work->slot[i])))
            return true;
    return false;
}

/* -- who works ---------------------------------------------------------------------------------------------------- */

/* A processor for a helper; false: all have one who works. */
static bool begin_to_help(void)
{
    unsigned busy = atomic_load(&pool.busy);
    while (busy < atomic_load(&pool.limit))
        if (atomic_compare_exchange_weak(&pool.busy, &busy, busy + 1))
            return true;
    return false;
}

/* A helper gives way: so many as are too many, and no more. */
static bool yield(void)
{
    unsigned busy = atomic_load_explicit(&pool.busy, memory_order_relaxed);
    while (busy > atomic_load_explicit(&pool.limit, memory_order_relaxed))
        if (atomic_compare_exchange_weak(&pool.busy, &busy, busy - 1))
            return true;
    return false;
}

static void *helper_main(void *arg);

/* Calls a helper, or makes one. */
static void call_helper_locked(void)
{
    if (atomic_load(&pool.busy) >= atomic_load(&pool.limit))
        return;
    if (pool.sleepers) {
        pool.sleepers--;
        pool.calls++;
        pthread_cond_signal(&pool.wake);
        return;
    }
    if (pool.has_failed || pool.helper_count >= MIN2(atomic_load(&pool.limit) - 1, MAX_HELPERS))
        return;
    const unsigned index = pool.helper_count;
    if (util_thread_create(&pool.helpers[index], "vc4vk-pool", helper_main, (void *)(uintptr_t)index)) {
        util_warn("%u of %u helper threads can be started", index, atomic_load(&pool.limit) - 1);
        pool.has_failed = true;
    } else {
        pool.helper_count++;
    }
}

/* Those who were too many may come back when one stops who made up the number. */
static void stop_working(void)
{
    if (atomic_fetch_sub(&pool.busy, 1) != atomic_load(&pool.limit))
        return;
    pthread_mutex_lock(&pool.mutex);
    if (!util_list_is_empty(&pool.works))
        call_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
}

/* -- helpers ------------------------------------------------------------------------------------------------------ */

/* The work with the fewest helpers that another one is of use to. */
static struct util_pool_work *choose_locked(void)
{
    struct util_pool_work *best = NULL;
    util_list_for_each (struct util_pool_work, work, &pool.works, link)
        if (work->helpers + 1 < work->slots && (!best || work->helpers < best->helpers) &&
            !atomic_load(&work->is_closed) && has_tasks(work))
            best = work;
    return best && begin_to_help() ? best : NULL;
}

/* The helper's own slot where it is free: what lies in it is warm. */
static unsigned take_slot_locked(struct util_pool_work *work, unsigned index)
{
    unsigned slot = index + 1;
    if (slot >= work->slots || work->taken_slots >> slot & 1)
        slot = (unsigned)__builtin_ctzll(~work->taken_slots);
    work->taken_slots |= UINT64_C(1) << slot;
    return slot;
}

static void help_locked(struct util_pool_work *work, unsigned index)
{
    const unsigned slot = take_slot_locked(work, index);
    work->slot[slot].has_yielded = false;
    work->helpers++;
    if (has_tasks(work))
        call_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
    util_log_domain_set(work->domain);
    work->run(work, slot);
    util_log_domain_set(NULL);
    pthread_mutex_lock(&pool.mutex);
    if (!work->slot[slot].has_yielded)
        atomic_fetch_sub(&pool.busy, 1); /* and looks for other work itself */
    work->taken_slots &= ~(UINT64_C(1) << slot);
    if (--work->helpers == 0 && work->is_over)
        pthread_cond_signal(&work->done);
}

static void *helper_main(void *arg)
{
    const unsigned index = (unsigned)(uintptr_t)arg;
    util_log_domain_set(NULL);
    pthread_mutex_lock(&pool.mutex);
    while (!pool.quits) {
        struct util_pool_work *work = choose_locked();
        if (work) {
            help_locked(work, index);
            continue;
        }
        pool.sleepers++;
        while (!pool.calls && !pool.quits)
            pthread_cond_wait(&pool.wake, &pool.mutex);
        if (pool.calls)
            pool.calls--;
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

/* -- works -------------------------------------------------------------------------------------------------------- */

bool util_pool_take(struct util_pool_work *work, unsigned slot, uint32_t *task_out)
{
    struct util_pool_slot *mine = &work->slot[slot];
    if (slot && yield()) {
        mine->has_yielded = true; /* others steal what it leaves */
        return false;
    }
    do {
        while (take_first(mine, task_out))
            if (*task_out < atomic_load_explicit(&work->end, memory_order_relaxed))
                return true;
    } while (steal(work, mine));
    return false;
}

void util_pool_truncate(struct util_pool_work *work, uint32_t task)
{
    uint32_t end = atomic_load(&work->end);
    while (task < end && !atomic_compare_exchange_weak(&work->end, &end, task))
        ;
}

void util_pool_close(struct util_pool_work *work)
{
    atomic_store(&work->is_closed, true);
}

static void run_shared(struct util_pool_work *work)
{
    work->taken_slots = 1;
    work->helpers = 0;
    work->is_over = false;
    pthread_mutex_lock(&pool.mutex);
    util_list_add_tail(&pool.works, &work->link);
    call_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
    work->run(work, 0);
    pthread_mutex_lock(&pool.mutex);
    util_list_del(&work->link);
    work->is_over = true;
    while (work->helpers)
        pthread_cond_wait(&work->done, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
    /* Tasks on their way from one slot to another are seen in neither: a helper may have had some when the caller found
     * nothing more, and have given way since. */
    while (has_tasks(work))
        work->run(work, 0);
}

void util_pool_run(struct util_pool_work *work)
{
    const unsigned limit = MIN2(atomic_load_explicit(&pool.limit, memory_order_relaxed), UTIL_POOL_MAX);
    work->slots = CLAMP(work->slots, 1, MAX2(limit, 1));
    bool is_shared = work->slots > 1 && work->count > 1;
    if (is_shared && pthread_cond_init(&work->done, NULL))
        is_shared = false;
    if (!is_shared)
        work->slots = 1;
    work->domain = util_log_domain_current();
    atomic_init(&work->end, work->count);
    atomic_init(&work->is_closed, false);
    atomic_init(&work->slot[0].tasks, make_range(0, work->count));
    for (unsigned i = 1; i < work->slots; i++)
        atomic_init(&work->slot[i].tasks, 0);
    atomic_fetch_add(&pool.busy, 1);
    if (is_shared) {
        run_shared(work);
        pthread_cond_destroy(&work->done);
    } else {
        work->run(work, 0);
    }
    stop_working();
}

/* -- life --------------------------------------------------------------------------------------------------------- */

/* A child has none of its parent's threads, and a lock that one of them had would stay locked. */
static void begin_again_in_child(void)
{
    const unsigned refs = pool.refs, limit = atomic_load(&pool.limit);
    pool = (struct pool){
        .life_mutex = PTHREAD_MUTEX_INITIALIZER,
        .mutex = PTHREAD_MUTEX_INITIALIZER,
        .wake = PTHREAD_COND_INITIALIZER,
        .works = {&pool.works, &pool.works},
        .refs = refs,
    };
    atomic_init(&pool.limit, limit);
}

static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, begin_again_in_child))
        util_warn("threads cannot be started in children of this process");
}

unsigned util_pool_ref(unsigned threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    if (!threads)
        threads = util_environment_number("VC4VK_MODEL_THREADS", 256);
    if (!threads)
        threads = util_cpu_count();
    threads = MIN2(threads, UTIL_POOL_MAX);
    pthread_mutex_lock(&pool.life_mutex);
    if (!pool.refs++)
        atomic_store(&pool.limit, 0);
    if (threads > atomic_load(&pool.limit))
        atomic_store(&pool.limit, threads);
    pthread_mutex_unlock(&pool.life_mutex);
    return threads;
}

static void end_helpers(void)
{
    pthread_mutex_lock(&pool.mutex);
    pool.quits = true;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.mutex);
    for (unsigned i = 0; i < pool.helper_count; i++)
        pthread_join(pool.helpers[i], NULL);
    pthread_mutex_lock(&pool.mutex);
    pool.helper_count = pool.sleepers = pool.calls = 0;
    pool.has_failed = pool.quits = false;
    pthread_mutex_unlock(&pool.mutex);
}

void util_pool_unref(void)
{
    pthread_mutex_lock(&pool.life_mutex);
    if (--pool.refs == 0)
        end_helpers();
    pthread_mutex_unlock(&pool.life_mutex);
}

unsigned util_pool_test_helpers(void)
{
    pthread_mutex_lock(&pool.mutex);
    const unsigned count = pool.helper_count;
    pthread_mutex_unlock(&pool.mutex);
    return count;
}
