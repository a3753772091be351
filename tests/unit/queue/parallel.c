/* SPDX-License-Identifier: MIT
 *
 * Bands of long operations: each is run exactly once, also with several callers at the same time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <cmocka.h>
#include "engine/vc4vk_parallel.h"
#include "util/thread.h"

enum { BANDS = 1000, ROUNDS = 200, CALLERS = 3 };

struct marks {
    atomic_uint runs[BANDS];
};

static void mark(void *data, uint32_t band)
{
    struct marks *marks = data;
    atomic_fetch_add(&marks->runs[band], 1);
}

static bool are_all(const struct marks *marks, uint32_t count)
{
    for (uint32_t i = 0; i < BANDS; i++)
        if (atomic_load(&marks->runs[i]) != (i < count ? 1 : 0))
            return false;
    return true;
}

static void each_band_is_run_once(void **state)
{
    static struct marks marks;
    struct vc4vk_parallel parallel;
    vc4vk_parallel_init(&parallel);
    for (uint32_t count = 0; count <= BANDS; count += count < 10 ? 1 : 99) {
        memset(&marks, 0, sizeof marks);
        vc4vk_parallel_for(&parallel, count, mark, &marks);
        assert_true(are_all(&marks, count));
    }
    vc4vk_parallel_finish(&parallel);
}

struct caller {
    struct vc4vk_parallel *parallel;
    struct marks marks;
    bool good;
};

static void *caller_main(void *arg)
{
    struct caller *c = arg;
    c->good = true;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        memset(&c->marks, 0, sizeof c->marks);
        vc4vk_parallel_for(c->parallel, BANDS, mark, &c->marks);
        c->good &= are_all(&c->marks, BANDS);
    }
    return NULL;
}

static void several_may_ask(void **state)
{
    static struct caller callers[CALLERS];
    struct vc4vk_parallel parallel;
    pthread_t threads[CALLERS];
    vc4vk_parallel_init(&parallel);
    for (uint32_t i = 0; i < CALLERS; i++) {
        callers[i].parallel = &parallel;
        assert_int_equal(util_thread_create(&threads[i], "caller", caller_main, &callers[i]), 0);
    }
    for (uint32_t i = 0; i < CALLERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(callers[i].good);
    }
    vc4vk_parallel_finish(&parallel);
}

/* Finishing without any work, and finishing a zeroed struct. */
static void idle_ones_end(void **state)
{
    struct vc4vk_parallel parallel = {0};
    vc4vk_parallel_finish(&parallel);
    vc4vk_parallel_init(&parallel);
    vc4vk_parallel_finish(&parallel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_band_is_run_once),
        cmocka_unit_test(several_may_ask),
        cmocka_unit_test(idle_ones_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
