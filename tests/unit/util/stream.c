/* SPDX-License-Identifier: MIT
 *
 * Tests util/stream.h: a stream grows by chunks without moving data, and after a failed allocation it stays failed
 * while writes remain harmless.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "util/stream.h"

static void grows_by_chunks_and_gathers(void **state)
{
    struct util_stream s;
    util_stream_init(&s, 64, NULL);
    uint8_t *first = util_stream_reserve(&s, 7);
    memset(first, 0xaa, 7);
    for (uint32_t i = 0; i < 1000; i++)
        memcpy(util_stream_reserve(&s, 14), "0123456789abcd", 14);
    assert_int_equal(s.size_B, 7 + 14 * 1000);
    assert_true(s.chunk_count > 100);
    assert_int_equal(first[6], 0xaa);

    uint8_t all[7 + 14 * 1000];
    util_stream_gather(&s, all);
    assert_int_equal(all[0], 0xaa);
    for (uint32_t i = 0; i < 1000; i++)
        assert_memory_equal(all + 7 + 14 * i, "0123456789abcd", 14);
    util_stream_finish(&s);
}

static void splits_long_writes(void **state)
{
    struct util_stream s;
    util_stream_init(&s, 64, NULL);
    uint8_t in[1000], out[1000];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    util_stream_write(&s, in, 3);
    util_stream_write(&s, in + 3, sizeof in - 3);
    util_stream_gather(&s, out);
    assert_memory_equal(in, out, sizeof in);
    util_stream_reset(&s);
    assert_int_equal(s.size_B, 0);
    assert_int_equal(s.chunk_count, 1);
    util_stream_finish(&s);
}

struct failing {
    int left;
};

static void *failing_alloc(void *data, size_t size_B, size_t align_B)
{
    struct failing *f = data;
    return f->left-- > 0 ? malloc(size_B) : NULL;
}

static void failing_free(void *data, void *ptr)
{
    free(ptr);
}

static void failure_sticks(void **state)
{
    struct failing f = {.left = 1};
    struct util_alloc alloc = {&f, failing_alloc, failing_free};
    struct util_stream s;
    util_stream_init(&s, 64, &alloc);
    for (int i = 0; i < 10; i++)
        memset(util_stream_reserve(&s, 48), i, 48);
    util_stream_write(&s, "lost", 4);
    assert_true(s.failed);
    assert_int_equal(s.size_B, 48);
    f.left = 1000;
    util_stream_reset(&s);
    assert_false(s.failed);
    util_stream_write(&s, "kept", 4);
    assert_int_equal(s.size_B, 4);
    util_stream_finish(&s);
}

/* Places stay valid while the stream grows, including the end of an empty stream and of a full chunk. */
static void places_stay(void **state)
{
    struct util_stream s;
    struct util_stream_place places[10];
    uint8_t out[10 * 32];
    util_stream_init(&s, 64, NULL);
    for (uint32_t i = 0; i < 10; i++) {
        places[i] = util_stream_end(&s);
        memset(util_stream_reserve(&s, 32), (int)i, 32);
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(places[i].in_stream_B, 32 * i);
        util_stream_gather_from(&s, places[i], s.size_B - 32 * i, out);
        for (uint32_t j = i; j < 10; j++)
            assert_int_equal(out[32 * (j - i)], j);
    }
    util_stream_finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_by_chunks_and_gathers),
        cmocka_unit_test(splits_long_writes),
        cmocka_unit_test(failure_sticks),
        cmocka_unit_test(places_stay),
    };
    return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
