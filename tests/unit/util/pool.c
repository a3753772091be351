/* SPDX-License-Identifier: MIT
 *
 * Tests the thread pool: each task runs exactly once, even with several callers at the same time. No more threads run
 * than allowed. Helper threads end with the last reference, and a forked child starts its own.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "util/pool.h"
#include "util/thread.h"

enum { TASKS = 1000, ROUNDS = 200, CALLERS = 3, THREADS = 4 };

struct tasks {
    struct util_pool_work work;
    atomic_uint runs[TASKS];
    unsigned truncate_at;                    /* the task that truncates the work; UINT32_MAX: none */
    unsigned closing_slot;                   /* the slot that closes the work; 0: none */
    _Atomic unsigned *running, *max_running; /* threads inside a task, over all works; NULL: not counted */
    _Atomic unsigned slots;                  /* bit mask of the slots that ran tasks */
    _Atomic bool waits_for_helper;           /* the caller waits in its first task until a helper has run one */
    unsigned spins;
};

static void count_running(struct tasks *t)
{
    const unsigned now = atomic_fetch_add(t->running, 1) + 1;
    unsigned max_running = atomic_load(t->max_running);
    while (now > max_running && !atomic_compare_exchange_weak(t->max_running, &max_running, now))
        ;
}

static void do_tasks(struct util_pool_work *work, unsigned slot)
{
    struct tasks *t = container_of(work, struct tasks, work);
    if (slot && slot == t->closing_slot) {
        util_pool_close(work);
        return;
    }
    for (uint32_t task; util_pool_take(work, slot, &task);) {
        if (t->running)
            count_running(t);
        atomic_fetch_or(&t->slots, 1u << slot);
        atomic_fetch_add(&t->runs[task], 1);
        if (task == t->truncate_at)
            util_pool_truncate(work, task + 1);
        if (slot)
            atomic_store(&t->waits_for_helper, false);
        while (!slot && atomic_load(&t->waits_for_helper))
            sched_yield();
        for (volatile unsigned i = 0; i < t->spins; i++)
            ;
        if (t->running)
            atomic_fetch_sub(t->running, 1);
    }
}

static struct tasks *begin(struct tasks *t, uint32_t count, unsigned slots)
{
    memset(t, 0, sizeof *t);
    t->work.run = do_tasks;
    t->work.count = count;
    t->work.slots = slots;
    t->truncate_at = UINT32_MAX;
    return t;
}

static bool are_done(const struct tasks *t, uint32_t count)
{
    for (uint32_t i = 0; i < TASKS; i++)
        if (atomic_load(&t->runs[i]) != (i < count ? 1 : 0))
            return false;
    return true;
}

static void each_task_is_done_once(void **state)
{
    static struct tasks t;
    assert_int_equal(util_pool_ref(THREADS), THREADS);
    for (uint32_t count = 0; count <= TASKS; count += count < 10 ? 1 : 99) {
        for (unsigned slots = 0; slots <= THREADS + 2; slots++) {
            util_pool_run(&begin(&t, count, slots)->work);
            assert_true(are_done(&t, count));
        }
    }
    util_pool_unref();
}

/* The caller's first task waits for a helper, so a helper must start and steal a task. */
static void helpers_come(void **state)
{
    static struct tasks t;
    assert_int_equal(util_pool_ref(2), 2);
    assert_int_equal(util_pool_test_helpers(), 0);
    for (unsigned i = 0; i < 20; i++) {
        begin(&t, 2 + i, 2);
        atomic_store(&t.waits_for_helper, true);
        util_pool_run(&t.work);
        assert_true(are_done(&t, 2 + i));
        assert_true(atomic_load(&t.slots) & 2); /* helpers may have run all tasks */
        assert_int_equal(util_pool_test_helpers(), 1);
    }
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 0);
}

/* All tasks up to the truncating one run. Later ones may be skipped. */
static void cuts_keep_what_is_before(void **state)
{
    static struct tasks t;
    util_pool_ref(THREADS);
    for (uint32_t truncate_at = 0; truncate_at < TASKS; truncate_at += 37) {
        begin(&t, TASKS, THREADS)->truncate_at = truncate_at;
        util_pool_run(&t.work);
        for (uint32_t i = 0; i <= truncate_at; i++)
            assert_int_equal(atomic_load(&t.runs[i]), 1);
        for (uint32_t i = truncate_at; i < TASKS; i++)
            assert_in_range(atomic_load(&t.runs[i]), 0, 1);
    }
    /* With one thread, no later task runs. */
    begin(&t, TASKS, 1)->truncate_at = 5;
    util_pool_run(&t.work);
    assert_true(are_done(&t, 6));
    util_pool_unref();
}

static void closed_works_end(void **state)
{
    static struct tasks t;
    util_pool_ref(THREADS);
    for (unsigned closing_slot = 1; closing_slot < THREADS; closing_slot++) {
        begin(&t, TASKS, THREADS)->closing_slot = closing_slot;
        util_pool_run(&t.work);
        assert_true(are_done(&t, TASKS));
    }
    util_pool_unref();
}

struct caller {
    struct tasks tasks;
    _Atomic unsigned *running, *max_running;
    bool good;
};

static void *caller_main(void *arg)
{
    struct caller *c = arg;
    c->good = true;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        begin(&c->tasks, TASKS, THREADS);
        c->tasks.running = c->running;
        c->tasks.max_running = c->max_running;
        c->tasks.spins = i % 4 * 50;
        util_pool_run(&c->tasks.work);
        c->good &= are_done(&c->tasks, TASKS);
    }
    return NULL;
}

static void several_may_ask(void **state)
{
    static struct caller callers[CALLERS];
    _Atomic unsigned running = 0, max_running = 0;
    pthread_t threads[CALLERS];
    util_pool_ref(THREADS);
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i].running = &running;
        callers[i].max_running = &max_running;
        assert_int_equal(util_thread_create(&threads[i], "caller", caller_main, &callers[i]), 0);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].good);
    }
    assert_in_range(util_pool_test_helpers(), 1, THREADS - 1);
    /* A helper yields only after its task, so after a new caller begins there may be more than THREADS for a while. */
    assert_in_range(atomic_load(&max_running), 1, THREADS - 1 + CALLERS);
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 0);
}

/* Works so short that callers begin and finish while helpers steal. A helper that yields to a new caller leaves stolen
 * tasks undone. The work's own caller must then run them, although it may already have seen no task left. */
static void *short_works_main(void *arg)
{
    struct caller *c = arg;
    c->good = true;
    for (uint32_t i = 0; i < 50 * ROUNDS; i++) {
        const uint32_t count = 2 + i % 7;
        begin(&c->tasks, count, 2);
        util_pool_run(&c->tasks.work);
        for (uint32_t n = 0; n < count; n++)
            c->good &= atomic_load(&c->tasks.runs[n]) == 1;
    }
    return NULL;
}

static void nothing_is_left_behind(void **state)
{
    static struct caller callers[CALLERS];
    pthread_t threads[CALLERS];
    util_pool_ref(2);
    for (uint32_t i = 0; i < CALLERS; i++)
        assert_int_equal(util_thread_create(&threads[i], "hasty", short_works_main, &callers[i]), 0);
    for (uint32_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].good);
    }
    util_pool_unref();
}

/* Two references share the same threads: a second reference does not add any. */
static void users_share(void **state)
{
    static struct tasks t;
    util_pool_ref(2);
    util_pool_ref(2);
    for (unsigned i = 0; i < 10; i++) {
        begin(&t, 8, 8);
        atomic_store(&t.waits_for_helper, true);
        util_pool_run(&t.work);
    }
    assert_int_equal(util_pool_test_helpers(), 1);
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 1);
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 0);
}

static void it_comes_and_goes(void **state)
{
    static struct tasks t;
    for (unsigned i = 0; i < 300; i++) {
        util_pool_ref(3);
        if (i % 3)
            util_pool_run(&begin(&t, 16, 3)->work);
        util_pool_unref();
        assert_int_equal(util_pool_test_helpers(), 0);
    }
}

#if !defined(__SANITIZE_THREAD__) && !defined(VKT_CANNOT_FORK) /* TSan aborts a forked child that starts threads */
#define CAN_FORK 1

static void children_have_their_own(void **state)
{
    static struct tasks t;
    util_pool_ref(2);
    begin(&t, 2, 2);
    atomic_store(&t.waits_for_helper, true);
    util_pool_run(&t.work);
    pid_t child = fork();
    if (!child) {
        alarm(60);
        bool good = util_pool_test_helpers() == 0 && util_pool_ref(2) == 2;
        begin(&t, 2, 2);
        atomic_store(&t.waits_for_helper, true); /* cleared by a helper of the child's own */
        util_pool_run(&t.work);
        good &= are_done(&t, 2) && util_pool_test_helpers() == 1;
        util_pool_unref();
        _exit(good ? 0 : 1);
    }
    assert_true(child > 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(util_pool_test_helpers(), 1);
    util_pool_unref();
}
#endif

static void variable_tells_how_many(void **state)
{
    setenv("VC4VK_MODEL_THREADS", "3", 1);
    assert_int_equal(util_pool_ref(0), 3);
    assert_int_equal(util_pool_ref(5), 5);
    setenv("VC4VK_MODEL_THREADS", "200", 1);
    assert_int_equal(util_pool_ref(0), UTIL_POOL_MAX);
    unsetenv("VC4VK_MODEL_THREADS");
    assert_int_equal(util_pool_ref(0), MIN2(util_cpu_count(), UTIL_POOL_MAX));
    for (unsigned i = 0; i < 4; i++)
        util_pool_unref();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_task_is_done_once),
        cmocka_unit_test(helpers_come),
        cmocka_unit_test(cuts_keep_what_is_before),
        cmocka_unit_test(closed_works_end),
        cmocka_unit_test(several_may_ask),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(users_share),
        cmocka_unit_test(it_comes_and_goes),
#ifdef CAN_FORK
        cmocka_unit_test(children_have_their_own),
#endif
        cmocka_unit_test(variable_tells_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
