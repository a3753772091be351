/* SPDX-License-Identifier: MIT
 *
 * Tests the clocks of processor time: work counts, sleep does not, and an estimate is never more than a millisecond
 * ahead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>
#include "util/thread.h"

#define NS_PER_MS UINT64_C(1000000)

/* An estimate adds what passes on the monotonic clock between its reading and that of the thread's clock. */
static void an_estimate_is_close(void **state)
{
    struct util_work_clock clock;
    uint64_t before_ns = util_work_clock_begin(&clock);
    assert_true(before_ns <= util_thread_time_ns());
    for (int i = 0; i < 100000; i++) {
        const uint64_t least_ns = util_thread_time_ns(), now_ns = util_work_clock_ns(&clock),
                       most_ns = util_thread_time_ns() + NS_PER_MS;
        assert_true(least_ns <= now_ns && now_ns <= most_ns);
    }
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * (long)NS_PER_MS}, NULL);
}

static void sleep_is_no_work(void **state)
{
    struct util_work_clock clock;
    struct util_work_limit limit;
    const uint64_t begin_ns = util_work_clock_begin(&clock);
    util_work_limit_begin_at(&limit, begin_ns, 30 * NS_PER_MS);
    sleep_ms(60);
    assert_true(util_work_clock_ns(&clock) - begin_ns < 30 * NS_PER_MS);
    assert_false(util_work_limit_is_reached(&limit));
}

static void work_reaches_a_limit(void **state)
{
    struct util_work_limit limit;
    const uint64_t begin_ns = util_thread_time_ns();
    util_work_limit_begin(&limit, 5 * NS_PER_MS);
    assert_true(util_work_limit_left_ns(&limit) <= 5 * NS_PER_MS);
    while (!util_work_limit_is_reached(&limit))
        ;
    assert_true(util_thread_time_ns() - begin_ns >= 5 * NS_PER_MS);
    assert_int_equal(util_work_limit_left_ns(&limit), 0);
    util_work_limit_begin(&limit, UTIL_FOREVER_NS);
    assert_false(util_work_limit_is_reached(&limit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_estimate_is_close),
        cmocka_unit_test(sleep_is_no_work),
        cmocka_unit_test(work_reaches_a_limit),
    };
    return cmocka_run_group_tests_name("util_thread", tests, NULL, NULL);
}
