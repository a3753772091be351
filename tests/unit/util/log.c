/* SPDX-License-Identifier: MIT
 *
 * Tests log domains: which listeners receive which messages, and that a listener never runs under a driver lock or on a
 * thread that others wait for.
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

static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER; /* guards line and thread of all recorders */

/* A listener that records what it receives. */
struct recorder {
    struct util_log_listener listener; /* must be the first member */
    struct util_log_domain *domain;
    pthread_mutex_t *lock;         /* taken while `hear` runs; may be NULL */
    bool unlistens, logs;          /* `hear` removes the listener; `hear` makes a driver call that logs */
    _Atomic uint32_t begun, heard; /* calls of `hear` begun and finished */
    _Atomic bool released;
    pthread_t thread; /* on which `hear` ran last */
    char line[80];
};

static void hear(struct util_log_listener *listener, enum util_log_level level, const char *line)
{
    struct recorder *recorder = (struct recorder *)listener;
    atomic_fetch_add(&recorder->begun, 1);
    if (recorder->lock)
        pthread_mutex_lock(recorder->lock);
    pthread_mutex_lock(&last_lock);
    strncpy(recorder->line, line, sizeof recorder->line - 1);
    recorder->thread = pthread_self();
    pthread_mutex_unlock(&last_lock);
    if (recorder->logs) {
        struct util_log_call call;
        util_log_call_begin(&call, recorder->domain);
        util_error("said by the listener");
        util_log_call_end(&call);
    }
    if (recorder->unlistens)
        util_log_unlisten(recorder->domain, listener);
    if (recorder->lock)
        pthread_mutex_unlock(recorder->lock);
    atomic_fetch_add(&recorder->heard, 1);
}

static void release(struct util_log_listener *listener)
{
    atomic_store(&((struct recorder *)listener)->released, true);
}

static void listen_to(struct recorder *recorder, struct util_log_domain *domain)
{
    recorder->listener.hear = hear;
    recorder->listener.release = release;
    recorder->domain = domain;
    util_log_listen(domain, &recorder->listener);
}

static bool reaches(const _Atomic uint32_t *count, uint32_t wanted)
{
    const uint64_t deadline_ns = util_now_ns() + LONG_NS;
    while (atomic_load(count) < wanted && util_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(count) == wanted;
}

static bool is_released_in_time(const struct recorder *recorder)
{
    const uint64_t deadline_ns = util_now_ns() + LONG_NS;
    while (!atomic_load(&recorder->released) && util_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&recorder->released);
}

static void ignore_line(void *data, enum util_log_level level, const char *line)
{
}

static int set_up(void **state)
{
    util_log_set_sink(ignore_line, NULL);
    *state = util_log_domain_create();
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    util_log_domain_destroy(*state);
    util_log_set_sink(NULL, NULL);
    return 0;
}

/* -- which listener receives which message ------------------------------------------------------------------------- */

static void a_domain_hears_its_own(void **state)
{
    struct util_log_domain *other = util_log_domain_create();
    struct recorder a = {0}, b = {0};
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
    assert_int_equal(a.heard, 0); /* messages are delivered at the end of the call */
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
    struct recorder plain = {0}, perf = {.listener.wants_perf = true};
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

/* -- driver threads ------------------------------------------------------------------------------------------------ */

struct worker {
    pthread_mutex_t *lock;
    _Atomic bool is_done;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    pthread_mutex_lock(worker->lock);
    util_warn("from a thread");
    pthread_mutex_unlock(worker->lock);
    atomic_store(&worker->is_done, true);
    return NULL;
}

/* A driver thread belongs to the domain of the call that started it. It does not wait for the listener. Here the
 * listener waits for a lock that the test holds while it joins the driver thread. */
static void a_thread_is_heard_and_waits_for_nobody(void **state)
{
    pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER, application_lock = PTHREAD_MUTEX_INITIALIZER;
    struct recorder recorder = {.lock = &application_lock};
    struct worker worker = {.lock = &driver_lock};
    struct util_log_call call;
    pthread_t thread;
    listen_to(&recorder, *state);
    util_log_call_begin(&call, *state);
    pthread_mutex_lock(&application_lock);
    assert_int_equal(util_thread_create(&thread, "work", work, &worker), 0);
    pthread_join(thread, NULL);
    util_log_call_end(&call); /* the message was not raised by this call */
    assert_int_equal(recorder.heard, 0);
    pthread_mutex_unlock(&application_lock);
    assert_true(reaches(&recorder.heard, 1));
    assert_string_equal(recorder.line, "from a thread");
    assert_false(pthread_equal(recorder.thread, pthread_self()));
    util_log_unlisten(*state, &recorder.listener);
}

enum { PRINTS = 3000 };

static void *print_much(void *arg)
{
    for (int i = 0; i < PRINTS; i++)
        util_log(UTIL_LOG_PRINT, "message %d", i);
    util_warn("a warning behind them");
    return NULL;
}

/* What shaders print is heard by listeners who want it, before their removal returns, and displaces no other message.
 */
static void prints_are_heard_by_those_who_want_them(void **state)
{
    struct recorder plain = {0}, prints = {.listener.wants_prints = true};
    struct util_log_call call;
    pthread_t thread;
    listen_to(&plain, *state);
    assert_false(util_log_wants_prints(*state));
    assert_false(util_log_wants_prints(NULL));
    listen_to(&prints, *state);
    assert_true(util_log_wants_prints(*state));
    util_log_call_begin(&call, *state);
    assert_int_equal(util_thread_create(&thread, "prints", print_much, NULL), 0);
    util_log_call_end(&call);
    pthread_join(thread, NULL);
    util_log_unlisten(*state, &prints.listener);
    assert_int_equal(prints.heard, PRINTS + 1);
    assert_string_equal(prints.line, "a warning behind them");
    assert_int_equal(plain.heard, 1);
    assert_false(util_log_wants_prints(*state));
    util_log_unlisten(*state, &plain.listener);
}

/* While a call is suspended, messages are delivered like a driver thread's, not at the end of the call. */
static void a_suspended_call_hears_nothing(void **state)
{
    struct recorder recorder = {0};
    struct util_log_call call;
    listen_to(&recorder, *state);
    util_log_call_begin(&call, *state);
    struct util_log_call *suspended = util_log_call_suspend();
    util_warn("of the work");
    util_log_call_resume(suspended);
    assert_true(reaches(&recorder.heard, 1));
    util_warn("of the call");
    assert_int_equal(recorder.heard, 1);
    util_log_call_end(&call);
    assert_int_equal(recorder.heard, 2);
    util_log_unlisten(*state, &recorder.listener);
}

static void say_task(struct util_pool_work *work, unsigned slot)
{
    for (uint32_t task; util_pool_take(work, slot, &task);)
        util_warn("task");
}

/* Helper threads of the pool log to the domain of the caller whose work they run. */
static void the_pool_speaks_for_its_caller(void **state)
{
    enum { TASKS = 50 };
    struct util_log_domain *other = util_log_domain_create();
    struct recorder a = {0}, b = {0};
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
    assert_true(reaches(&a.heard, TASKS));
    assert_true(reaches(&b.heard, TASKS));
    util_pool_unref();
    util_log_unlisten(*state, &a.listener);
    util_log_unlisten(other, &b.listener);
    util_log_domain_destroy(other);
}

static void what_concerns_all_is_heard_by_all(void **state)
{
    struct util_log_domain *other = util_log_domain_create();
    struct recorder a = {0}, b = {0};
    listen_to(&a, *state);
    listen_to(&b, other);
    struct util_log_domain *before = util_log_domain_set(util_log_domain_all());
    util_warn("of the process");
    util_log_domain_set(before);
    assert_true(reaches(&a.heard, 1));
    assert_true(reaches(&b.heard, 1));
    util_log_unlisten(*state, &a.listener);
    util_log_unlisten(other, &b.listener);
    util_log_domain_destroy(other);
}

/* -- listeners that call the driver -------------------------------------------------------------------------------- */

static void a_listener_may_end_itself_and_call(void **state)
{
    struct recorder recorder = {.unlistens = true, .logs = true};
    struct util_log_call call;
    listen_to(&recorder, *state);
    util_log_call_begin(&call, *state);
    util_warn("first");
    util_warn("second");
    util_log_call_end(&call);
    assert_int_equal(recorder.heard, 1);
    assert_string_equal(recorder.line, "first");
    assert_true(recorder.released);
}

/* A listener that receives a driver thread's message waits for a lock held by the thread that removes the listener. The
 * removal must not wait for the listener. */
static void ending_a_listener_that_waits_for_us_ends(void **state)
{
    pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER, application_lock = PTHREAD_MUTEX_INITIALIZER;
    struct recorder recorder = {.lock = &application_lock};
    struct worker worker = {.lock = &driver_lock};
    struct util_log_call call;
    pthread_t thread;
    listen_to(&recorder, *state);
    util_log_call_begin(&call, *state);
    pthread_mutex_lock(&application_lock);
    assert_int_equal(util_thread_create(&thread, "work", work, &worker), 0);
    pthread_join(thread, NULL);
    assert_true(reaches(&recorder.begun, 1));
    util_log_unlisten(*state, &recorder.listener);
    assert_false(recorder.released); /* it is still used */
    pthread_mutex_unlock(&application_lock);
    util_log_call_end(&call);
    assert_true(reaches(&recorder.heard, 1));
    assert_true(is_released_in_time(&recorder));
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

/* Listeners are added and removed while other threads log. */
static void listeners_come_and_go(void **state)
{
    enum { THREADS = 3, ROUNDS = 200 };
    struct flood f = {.domain = *state};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(util_thread_create(&threads[i], "flood", flood, &f), 0);
    for (int i = 0; i < ROUNDS; i++) {
        struct recorder *recorder = calloc(1, sizeof *recorder);
        assert_non_null(recorder);
        listen_to(recorder, *state);
        if (i % 8 == 0)
            assert_true(reaches(&recorder->begun, 1) || recorder->begun > 1);
        util_log_unlisten(*state, &recorder->listener);
        assert_true(is_released_in_time(recorder)); /* a thread may have been about to call it */
        free(recorder);
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
        CASE(prints_are_heard_by_those_who_want_them),
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
