/* SPDX-License-Identifier: MIT
 *
 * Every thread of a work has a slot with a range of tasks in one 64-bit word. The owner takes tasks from the front, a
 * thief takes the rear half, both by compare-and-swap. At first the caller's slot holds all tasks. The word is the
 * whole state of a range, so an unchanged word means an unchanged range and ABA is no problem.
 *
 * A work that begins wakes one helper, which wakes the next if there is still something to steal. A short work thus
 * costs its caller one wake at most.
 */
#include "util/environment.h"
#include "util/log.h"
#include "util/pool.h"
#include "util/thread.h"

#define MAX_HELPERS (UTIL_POOL_MAX - 1)

static struct pool {
    pthread_mutex_t life_mutex; /* serialises ref and unref */
    unsigned refs;

    _Atomic unsigned limit; /* maximum number of threads that work at the same time */
    _Atomic unsigned busy;  /* number of threads that work, callers included */

    pthread_mutex_t mutex; /* guards all fields below */
    pthread_cond_t wake;
    struct util_list works; /* works that helpers may join */
    pthread_t helpers[MAX_HELPERS];
    unsigned helper_count;
    unsigned sleeping;  /* helpers that sleep and have not been signalled */
    unsigned signalled; /* helpers that have been signalled and have not woken yet */
    bool has_failed;    /* a thread could not be started; not tried again */
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

/* Relaxed order suffices: what the tasks read was written before the work began, under the lock. */
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

/* Moves the rear half of the longest range into `mine`, which is empty. False when there is nothing to steal. */
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

/* -- worker slots ------------------------------------------------------------------------------------------------- */

/* Claims a worker slot for a helper. False when the limit of working threads is reached. */
static bool claim_worker(void)
{
    unsigned busy = atomic_load(&pool.busy);
    while (busy < atomic_load(&pool.limit))
        if (atomic_compare_exchange_weak(&pool.busy, &busy, busy + 1))
            return true;
    return false;
}

/* Releases the helper's worker slot if more threads work than the limit allows. Only the surplus yields. */
static bool yield_if_surplus(void)
{
    unsigned busy = atomic_load_explicit(&pool.busy, memory_order_relaxed);
    while (busy > atomic_load_explicit(&pool.limit, memory_order_relaxed))
        if (atomic_compare_exchange_weak(&pool.busy, &busy, busy - 1))
            return true;
    return false;
}

static void *helper_main(void *arg);

/* Wakes a helper, or starts a new one. */
static void wake_helper_locked(void)
{
    if (atomic_load(&pool.busy) >= atomic_load(&pool.limit))
        return;
    if (pool.sleeping) {
        pool.sleeping--;
        pool.signalled++;
        pthread_cond_signal(&pool.wake);
        return;
    }
    if (pool.has_failed || pool.helper_count >= MIN2(atomic_load(&pool.limit) - 1, MAX_HELPERS))
        return;
    const unsigned index = pool.helper_count;
    if (util_thread_create(&pool.helpers[index], "vc4vk-pool", helper_main, (void *)(uintptr_t)index)) {
        util_warn("worker pool: only %u of %u helper threads could be started", index, atomic_load(&pool.limit) - 1);
        pool.has_failed = true;
    } else {
        pool.helper_count++;
    }
}

/* Releases the caller's worker slot. If all slots were in use, a helper can now join a work. */
static void release_worker(void)
{
    if (atomic_fetch_sub(&pool.busy, 1) != atomic_load(&pool.limit))
        return;
    pthread_mutex_lock(&pool.mutex);
    if (!util_list_is_empty(&pool.works))
        wake_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
}

/* -- helpers ------------------------------------------------------------------------------------------------------ */

/* Selects the work with the fewest helpers among those that can use another one, and claims a worker slot for it. */
static struct util_pool_work *choose_work_locked(void)
{
    struct util_pool_work *best = NULL;
    util_list_for_each (struct util_pool_work, work, &pool.works, link)
        if (work->helpers + 1 < work->slots && (!best || work->helpers < best->helpers) &&
            !atomic_load(&work->is_closed) && has_tasks(work))
            best = work;
    return best && claim_worker() ? best : NULL;
}

/* Prefers the slot of the helper's own index: its data is in the helper's cache. */
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
        wake_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
    util_log_domain_set(work->domain);
    work->run(work, slot);
    util_log_domain_set(NULL);
    pthread_mutex_lock(&pool.mutex);
    if (!work->slot[slot].has_yielded)
        atomic_fetch_sub(&pool.busy, 1); /* no wake: this helper looks for other work itself */
    work->taken_slots &= ~(UINT64_C(1) << slot);
    if (--work->helpers == 0 && work->is_finished)
        pthread_cond_signal(&work->done);
}

static void *helper_main(void *arg)
{
    const unsigned index = (unsigned)(uintptr_t)arg;
    util_log_domain_set(NULL);
    pthread_mutex_lock(&pool.mutex);
    while (!pool.quits) {
        struct util_pool_work *work = choose_work_locked();
        if (work) {
            help_locked(work, index);
            continue;
        }
        pool.sleeping++;
        while (!pool.signalled && !pool.quits)
            pthread_cond_wait(&pool.wake, &pool.mutex);
        if (pool.signalled)
            pool.signalled--;
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

/* -- works -------------------------------------------------------------------------------------------------------- */

bool util_pool_take(struct util_pool_work *work, unsigned slot, uint32_t *task_out)
{
    struct util_pool_slot *mine = &work->slot[slot];
    if (slot && yield_if_surplus()) {
        mine->has_yielded = true; /* other threads steal the remaining tasks */
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
    work->is_finished = false;
    pthread_mutex_lock(&pool.mutex);
    util_list_add_tail(&pool.works, &work->link);
    wake_helper_locked();
    pthread_mutex_unlock(&pool.mutex);
    work->run(work, 0);
    pthread_mutex_lock(&pool.mutex);
    util_list_del(&work->link);
    work->is_finished = true;
    while (work->helpers)
        pthread_cond_wait(&work->done, &pool.mutex);
    pthread_mutex_unlock(&pool.mutex);
    /* A range that steal() moves is in neither slot for a moment. A helper may have been moving one when the caller
     * found nothing left, and may have yielded since. */
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
    release_worker();
}

/* -- creation and destruction ------------------------------------------------------------------------------------- */

/* A child process has no helper threads, and a lock that one of them held would stay locked. */
static void reset_after_fork(void)
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

static void install_fork_handler(void)
{
    if (pthread_atfork(NULL, NULL, reset_after_fork))
        util_warn("worker pool: pthread_atfork failed: child processes cannot run parallel work");
}

unsigned util_pool_ref(unsigned threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install_fork_handler);
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
    pool.helper_count = pool.sleeping = pool.signalled = 0;
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
