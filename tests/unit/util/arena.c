/* SPDX-License-Identifier: MIT
 *
 * util/arena.h: zeroed, aligned, limits and failures reported both ways.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
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
        fail_msg("came back");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_are_zeroed_aligned_and_apart),
        cmocka_unit_test(the_limit_holds),
        cmocka_unit_test(out_of_memory_jumps),
        cmocka_unit_test(text),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
