/* SPDX-License-Identifier: MIT
 *
 * Log domains: who hears what, and that a listener runs under no lock and on no thread that others wait for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "util/log.h"
#include "util/pool.h"
#include "util/thread.h"

#define LONG_NS UINT64_C(20000000000)

static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER; /* of what ears have heard last */

struct ear {
    struct util_log_listener listener; /* first */
    struct util_log_domain *domain;
    pthread_mutex_t *takes; /* while it hears; may be NULL */
    bool leaves, speaks;    /* ends itself; logs, and makes a call */
    _Atomic uint32_t begun, heard;
    _Atomic bool released;
    pthread_t thread; /* that it heard last on */
    char line[80];
};

static void hear(struct util_log_listener *listener, enum util_log_level level, const char *line)
{
    struct ear *ear = (struct ear *)listener;
    atomic_fetch_add(&ear->begun, 1);
    if (ear->takes)
        pthread_mutex_lock(ear->takes);
    pthread_mutex_lock(&last_lock);
    strncpy(ear->line, line, sizeof ear->line - 1);
    ear->thread = pthread_self();
    pthread_mutex_unlock(&last_lock);
    if (ear->speaks) {
        struct util_log_call call;
        util_log_call_begin(&call, ear->domain);
        util_error("said by the listener");
        util_log_call_end(&call);
    }
    if (ear->leaves)
        util_log_unlisten(ear->domain, listener);
    if (ear->takes)
        pthread_mutex_unlock(ear->takes);
    atomic_fetch_add(&ear->heard, 1);
}

static void release(struct util_log_listener *listener)
{
    atomic_store(&((struct ear *)listener)->released, true);
}

static void listen_to(struct ear *ear, struct util_log_domain *domain)
{
    ear->listener.hear = hear;
    ear->listener.release = release;
    ear->domain = domain;
    util_log_listen(domain, &ear->listener);
}

static bool becomes(const _Atomic uint32_t *count, uint32_t wanted)
{
    const uint64_t deadline_ns = util_now_ns() + LONG_NS;
    while (atomic_load(count) < wanted && util_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(count) == wanted;
}

static bool becomes_released(const struct ear *ear)
{
    const uint64_t deadline_ns = util_now_ns() + LONG_NS;
    while (!atomic_load(&ear->released) && util_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&ear->released);
}

static void swallow(void *data, enum util_log_level level, const char *line)
{
}

static int set_up(void **state)
{
    util_log_set_sink(swallow, NULL);
    *state = util_log_domain_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    util_log_domain_destroy(*state);
    util_log_set_sink(NULL, NULL);
    return 0;
}

/* -- who hears what ------------------------------------------------------------------------------------------------ */

static void a_domain_hears_its_own(void **state)
{
    struct util_log_domain *other = util_log_domain_create();
    struct ear a = {0}, b = {0};
    struct util_log_call call, inner;
    listen_to(&a, *state);
    listen_to(&b, other);
    util_error("of no domain");
    util_log_call_begin(&call, *state);
    util_error("of a");
    util_log_call_begin(&inner, other);
    util_error("of b");
    util_log_call_end(&inner);
    assert_int_equal(b.heard, 1);
    assert_string_equal(b.line, "of b");
    assert_int_equal(a.heard, 0); /* its call has not ended */
    util_log_call_end(&call);
    assert_int_equal(a.heard, 1);
    assert_string_equal(a.line, "of a");
    assert_int_equal(b.heard, 1);
    util_log_call_begin(&call, NULL);
    util_error("of none");
    util_log_call_end(&call);
    util_log_unlisten(*state, &a.listener);
    assert_true(a.released);
    util_log_call_begin(&call, *state);
    util_error("too late");
    util_log_call_end(&call);
    assert_int_equal(a.heard, 1);
    util_log_unlisten(other, &b.listener);
    util_log_domain_destroy(other);
}

static void performance_is_heard_by_those_who_want_it(void **state)
{
    struct ear plain = {0}, perf = {.listener.wants_perf = true};
    struct util_log_call call;
    listen_to(&plain, *state);
    assert_false(util_log_wants_perf());
    listen_to(&perf, *state);
    assert_true(util_log_wants_perf());
    util_log_call_begin(&call, *state);
    util_perf("slow");
    util_warn("odd");
    util_log_call_end(&call);
    assert_int_equal(plain.heard, 1);
    assert_int_equal(perf.heard, 2);
    util_log_unlisten(*state, &plain.listener);
    util_log_unlisten(*state, &perf.listener);
    assert_false(util_log_wants_perf());
}

/* -- threads of the driver ------------------------------------------------------------------------------------------
 */

struct worker {
    pthread_mutex_t *holds;
    _Atomic bool is_done;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    pthread_mutex_lock(worker->holds);
    util_warn("from a thread");
    pthread_mutex_unlock(worker->holds);
    atomic_store(&worker->is_done, true);
    return NULL;
}

/* A thread works for the domain of the call that has started it. It does not wait for the listener, which waits here
 * for a lock that this thread holds while it waits for the other. */
static void a_thread_is_heard_and_waits_for_nobody(void **state)
{
    pthread_mutex_t of_driver = PTHREAD_MUTEX_INITIALIZER, of_application = PTHREAD_MUTEX_INITIALIZER;
    struct ear ear = {.takes = &of_application};
    struct worker worker = {.holds = &of_driver};
    struct util_log_call call;
    pthread_t thread;
    listen_to(&ear, *state);
    util_log_call_begin(&call, *state);
    pthread_mutex_lock(&of_application);
    assert_int_equal(util_thread_create(&thread, "work", work, &worker), 0);
    pthread_join(thread, NULL);
    util_log_call_end(&call); /* it was not this call that said it */
    assert_int_equal(ear.heard, 0);
    pthread_mutex_unlock(&of_application);
    assert_true(becomes(&ear.heard, 1));
    assert_string_equal(ear.line, "from a thread");
    assert_false(pthread_equal(ear.thread, pthread_self()));
    util_log_unlisten(*state, &ear.listener);
}

/* A call that does a thread's work is not where that is heard. */
static void a_suspended_call_hears_nothing(void **state)
{
    struct ear ear = {0};
    struct util_log_call call;
    listen_to(&ear, *state);
    util_log_call_begin(&call, *state);
    struct util_log_call *suspended = util_log_call_suspend();
    util_warn("of the work");
    util_log_call_resume(suspended);
    assert_true(becomes(&ear.heard, 1));
    util_warn("of the call");
    assert_int_equal(ear.heard, 1);
    util_log_call_end(&call);
    assert_int_equal(ear.heard, 2);
    util_log_unlisten(*state, &ear.listener);
}

static void say_task(struct util_pool_work *work, unsigned slot)
{
    for (uint32_t task; util_pool_take(work, slot, &task);)
        util_warn("task");
}

/* Helpers of the pool work for whoever has called them, in turn. */
static void the_pool_speaks_for_its_caller(void **state)
{
    enum { TASKS = 50 };
    struct util_log_domain *other = util_log_domain_create();
    struct ear a = {0}, b = {0};
    struct util_log_call call;
    listen_to(&a, *state);
    listen_to(&b, other);
    util_pool_ref(4);
    for (int i = 0; i < 2; i++) {
        struct util_pool_work pool_work = {.run = say_task, .count = TASKS, .slots = 4};
        util_log_call_begin(&call, i ? other : *state);
        util_pool_run(&pool_work);
        util_log_call_end(&call);
    }
    assert_true(becomes(&a.heard, TASKS));
    assert_true(becomes(&b.heard, TASKS));
    util_pool_unref();
    util_log_unlisten(*state, &a.listener);
    util_log_unlisten(other, &b.listener);
    util_log_domain_destroy(other);
}

static void what_concerns_all_is_heard_by_all(void **state)
{
    struct util_log_domain *other = util_log_domain_create();
    struct ear a = {0}, b = {0};
    listen_to(&a, *state);
    listen_to(&b, other);
    struct util_log_domain *before = util_log_domain_set(util_log_domain_all());
    util_warn("of the process");
    util_log_domain_set(before);
    assert_true(becomes(&a.heard, 1));
    assert_true(becomes(&b.heard, 1));
    util_log_unlisten(*state, &a.listener);
    util_log_unlisten(other, &b.listener);
    util_log_domain_destroy(other);
}

/* -- listeners that do something ------------------------------------------------------------------------------------
 */

static void a_listener_may_end_itself_and_call(void **state)
{
    struct ear ear = {.leaves = true, .speaks = true};
    struct util_log_call call;
    listen_to(&ear, *state);
    util_log_call_begin(&call, *state);
    util_warn("first");
    util_warn("second");
    util_log_call_end(&call);
    assert_int_equal(ear.heard, 1);
    assert_string_equal(ear.line, "first");
    assert_true(ear.released);
}

/* A listener of a thread of the driver waits for a lock that the thread holds which ends it. */
static void ending_a_listener_that_waits_for_us_ends(void **state)
{
    pthread_mutex_t of_driver = PTHREAD_MUTEX_INITIALIZER, of_application = PTHREAD_MUTEX_INITIALIZER;
    struct ear ear = {.takes = &of_application};
    struct worker worker = {.holds = &of_driver};
    struct util_log_call call;
    pthread_t thread;
    listen_to(&ear, *state);
    util_log_call_begin(&call, *state);
    pthread_mutex_lock(&of_application);
    assert_int_equal(util_thread_create(&thread, "work", work, &worker), 0);
    pthread_join(thread, NULL);
    assert_true(becomes(&ear.begun, 1));
    util_log_unlisten(*state, &ear.listener);
    assert_false(ear.released); /* it is still used */
    pthread_mutex_unlock(&of_application);
    util_log_call_end(&call);
    assert_true(becomes(&ear.heard, 1));
    assert_true(becomes_released(&ear));
}

struct flood {
    struct util_log_domain *domain;
    _Atomic bool stop;
};

static void *flood(void *arg)
{
    struct flood *f = arg;
    struct util_log_call call;
    while (!atomic_load(&f->stop)) {
        util_log_call_begin(&call, f->domain);
        util_warn("flood");
        util_log_call_end(&call);
        struct util_log_domain *before = util_log_domain_set(f->domain);
        util_warn("flood of a thread");
        util_log_domain_set(before);
    }
    return NULL;
}

/* Listeners come and go while others speak. */
static void listeners_come_and_go(void **state)
{
    enum { THREADS = 3, ROUNDS = 200 };
    struct flood f = {.domain = *state};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(util_thread_create(&threads[i], "flood", flood, &f), 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct ear *ear = calloc(1, sizeof *ear);
        assert_non_null(ear);
        listen_to(ear, *state);
        if (i % 8 == 0)
            assert_true(becomes(&ear->begun, 1) || ear->begun > 1);
        util_log_unlisten(*state, &ear->listener);
        assert_true(becomes_released(ear)); /* a thread may have been about to tell it */
        free(ear);
    }
    atomic_store(&f.stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_domain_hears_its_own),
        CASE(performance_is_heard_by_those_who_want_it),
        CASE(a_thread_is_heard_and_waits_for_nobody),
        CASE(a_suspended_call_hears_nothing),
        CASE(the_pool_speaks_for_its_caller),
        CASE(what_concerns_all_is_heard_by_all),
        CASE(a_listener_may_end_itself_and_call),
        CASE(ending_a_listener_that_waits_for_us_ends),
        CASE(listeners_come_and_go),
    };
#undef CASE
    return cmocka_run_group_tests_name("util_log", tests, NULL, NULL);
}
