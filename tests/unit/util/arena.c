/* SPDX-License-Identifier: MIT
 *
 * Tests util/arena.h: allocations are zeroed and aligned, the limit is enforced, and a failure either returns NULL or
 * jumps to on_oom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "util/arena.h"

static void allocations_are_zeroed_aligned_and_apart(void **state)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    uint8_t *last = NULL;
    for (size_t i = 1; i < 3000; i++) {
        size_t align_B = (size_t)1 << i % 7;
        uint8_t *p = util_arena_alloc_aligned(&arena, i, align_B);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % align_B, 0);
        for (size_t k = 0; k < i; k++)
            assert_int_equal(p[k], 0);
        for (size_t k = 0; k < i; k++)
            p[k] = (uint8_t)i;
        if (last)
            assert_int_equal(last[0], (uint8_t)(i - 1));
        last = p;
    }
    util_arena_finish(&arena);
}

static void the_limit_holds(void **state)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    arena.limit_B = 1000;
    assert_non_null(util_arena_alloc(&arena, 900));
    assert_null(util_arena_alloc(&arena, 101));
    assert_non_null(util_arena_alloc(&arena, 100));
    assert_null(util_arena_alloc_array(&arena, SIZE_MAX / 2, 4));
    util_arena_finish(&arena);
}

static void out_of_memory_jumps(void **state)
{
    struct util_arena arena;
    jmp_buf on_oom;
    util_arena_init(&arena, NULL);
    arena.limit_B = 100;
    arena.on_oom = &on_oom;
    if (!setjmp(on_oom)) {
        util_arena_alloc(&arena, 101);
        fail_msg("util_arena_alloc returned instead of jumping to on_oom");
    }
    util_arena_finish(&arena);
}

static void text(void **state)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    assert_string_equal(util_arena_strdup(&arena, "name"), "name");
    assert_string_equal(util_arena_printf(&arena, "%s %d", "word", 7), "word 7");
    util_arena_finish(&arena);
}

/* A block that one arena returns is reused by the next. Larger allocations do not go into the cache. */
static void blocks_are_cached(void **state)
{
    struct util_arena_cache cache;
    struct util_arena arena, other;
    util_arena_cache_init(&cache, NULL);
    util_arena_init_cached(&arena, &cache);
    util_arena_init_cached(&other, &cache);
    char *first = util_arena_alloc_raw(&arena, 100), *second = util_arena_alloc_raw(&arena, 20);
    assert_true(second >= first + 100 && second < first + 128 + UTIL_ARENA_GAP_B);
    assert_int_equal((uintptr_t)second % 16, 0);
    memset(util_arena_alloc_raw(&arena, 1 << 20), 1, 1 << 20);
    assert_null(cache.blocks);
    util_arena_finish(&arena);
    assert_non_null(cache.blocks);
    const char *again = util_arena_alloc(&other, 100);
    assert_ptr_equal(again, first);
    assert_int_equal(again[0], 0);
    assert_null(cache.blocks);
    util_arena_finish(&other);
    util_arena_cache_drop(&cache);
    assert_null(cache.blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed_aligned_and_apart),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(out_of_memory_jumps),
        cmocka_unit_test(text),
        cmocka_unit_test(blocks_are_cached),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
