/* SPDX-License-Identifier: MIT
 *
 * The pool of threads: each task is done once, whoever asks at the same time; there are no more threads at work than
 * there may be; helpers end with the last who may want them, and begin again in a child of the process.
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
    unsigned cut, closer;                 /* the task that cuts, UINT32_MAX: none; the slot that closes, 0: none */
    _Atomic unsigned *at_work, *most;     /* threads that are in `run`, of all works; NULL: not counted */
    _Atomic unsigned slots;               /* that were seen, a bit each */
    _Atomic bool is_held;                 /* the caller waits in its first task until a helper has done one */
    unsigned spins;
};

static void count_in(struct tasks *t)
{
    const unsigned now = atomic_fetch_add(t->at_work, 1) + 1;
    unsigned most = atomic_load(t->most);
    while (now > most && !atomic_compare_exchange_weak(t->most, &most, now))
        ;
}

static void do_tasks(struct util_pool_work *work, unsigned slot)
{
    struct tasks *t = container_of(work, struct tasks, work);
    if (slot && slot == t->closer) {
        util_pool_close(work);
        return;
    }
    for (uint32_t task; util_pool_take(work, slot, &task);) {
        if (t->at_work)
            count_in(t);
        atomic_fetch_or(&t->slots, 1u << slot);
        atomic_fetch_add(&t->runs[task], 1);
        if (task == t->cut)
            util_pool_truncate(work, task + 1);
        if (slot)
            atomic_store(&t->is_held, false);
        while (!slot && atomic_load(&t->is_held))
            sched_yield();
        for (volatile unsigned i = 0; i < t->spins; i++)
            ;
        if (t->at_work)
            atomic_fetch_sub(t->at_work, 1);
    }
}

static struct tasks *begin(struct tasks *t, uint32_t count, unsigned slots)
{
    memset(t, 0, sizeof *t);
    t->work.run = do_tasks;
    t->work.count = count;
    t->work.slots = slots;
    t->cut = UINT32_MAX;
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

/* The first task waits for a helper: it has to come, and steal. */
static void helpers_come(void **state)
{
    static struct tasks t;
    assert_int_equal(util_pool_ref(2), 2);
    assert_int_equal(util_pool_test_helpers(), 0);
    for (unsigned i = 0; i < 20; i++) {
        begin(&t, 2 + i, 2);
        atomic_store(&t.is_held, true);
        util_pool_run(&t.work);
        assert_true(are_done(&t, 2 + i));
        assert_true(atomic_load(&t.slots) & 2); /* the caller may have come too late for any */
        assert_int_equal(util_pool_test_helpers(), 1);
    }
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 0);
}

/* What was cut off is not done, what lies before it is. */
static void cuts_keep_what_is_before(void **state)
{
    static struct tasks t;
    util_pool_ref(THREADS);
    for (uint32_t cut = 0; cut < TASKS; cut += 37) {
        begin(&t, TASKS, THREADS)->cut = cut;
        util_pool_run(&t.work);
        for (uint32_t i = 0; i <= cut; i++)
            assert_int_equal(atomic_load(&t.runs[i]), 1);
        for (uint32_t i = cut; i < TASKS; i++)
            assert_in_range(atomic_load(&t.runs[i]), 0, 1);
    }
    /* Alone, nothing behind it is. */
    begin(&t, TASKS, 1)->cut = 5;
    util_pool_run(&t.work);
    assert_true(are_done(&t, 6));
    util_pool_unref();
}

static void closed_works_end(void **state)
{
    static struct tasks t;
    util_pool_ref(THREADS);
    for (unsigned closer = 1; closer < THREADS; closer++) {
        begin(&t, TASKS, THREADS)->closer = closer;
        util_pool_run(&t.work);
        assert_true(are_done(&t, TASKS));
    }
    util_pool_unref();
}

struct caller {
    struct tasks tasks;
    _Atomic unsigned *at_work, *most;
    bool good;
};

static void *caller_main(void *arg)
{
    struct caller *c = arg;
    c->good = true;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        begin(&c->tasks, TASKS, THREADS);
        c->tasks.at_work = c->at_work;
        c->tasks.most = c->most;
        c->tasks.spins = i % 4 * 50;
        util_pool_run(&c->tasks.work);
        c->good &= are_done(&c->tasks, TASKS);
    }
    return NULL;
}

static void several_may_ask(void **state)
{
    static struct caller callers[CALLERS];
    _Atomic unsigned at_work = 0, most = 0;
    pthread_t threads[CALLERS];
    util_pool_ref(THREADS);
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i].at_work = &at_work;
        callers[i].most = &most;
        assert_int_equal(util_thread_create(&threads[i], "caller", caller_main, &callers[i]), 0);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].good);
    }
    assert_in_range(util_pool_test_helpers(), 1, THREADS - 1);
    /* A helper may be within a task when a caller comes, so for the length of a task there may be more than THREADS. */
    assert_in_range(atomic_load(&most), 1, THREADS - 1 + CALLERS);
    util_pool_unref();
    assert_int_equal(util_pool_test_helpers(), 0);
}

/* Works so short that callers come and go while helpers steal: who gives way leaves tasks behind, with nobody else there
 * to do them but the caller, who may have seen nothing left by then. */
static void *hasty_main(void *arg)
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
        assert_int_equal(util_thread_create(&threads[i], "hasty", hasty_main, &callers[i]), 0);
    for (uint32_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].good);
    }
    util_pool_unref();
}

/* Two users, one number of threads: nobody gets more because there are two. */
static void users_share(void **state)
{
    static struct tasks t;
    util_pool_ref(2);
    util_pool_ref(2);
    for (unsigned i = 0; i < 10; i++) {
        begin(&t, 8, 8);
        atomic_store(&t.is_held, true);
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

#if !defined(__SANITIZE_THREAD__) && !defined(VKT_CANNOT_FORK) /* the former ends a child that starts threads */
#define CAN_FORK 1

static void children_have_their_own(void **state)
{
    static struct tasks t;
    util_pool_ref(2);
    begin(&t, 2, 2);
    atomic_store(&t.is_held, true);
    util_pool_run(&t.work);
    pid_t child = fork();
    if (!child) {
        alarm(60);
        bool good = util_pool_test_helpers() == 0 && util_pool_ref(2) == 2;
        begin(&t, 2, 2);
        atomic_store(&t.is_held, true); /* ends with a helper of the child's own */
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
