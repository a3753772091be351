/* SPDX-License-Identifier: MIT
 *
 * Compares util/bitset.h with an array of booleans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "util/bitset.h"

#define BITS 200

static void random_operations_agree_with_an_array(void **state)
{
    uint64_t set[UTIL_BITSET_WORDS(BITS)] = {0};
    bool reference[BITS] = {0};
    srand(1);
    for (int i = 0; i < 10000; i++) {
        uint32_t bit = (uint32_t)rand() % BITS;
        if (rand() & 1)
            util_bitset_set(set, bit);
        else
            util_bitset_clear(set, bit);
        reference[bit] = util_bitset_test(set, bit);
        uint32_t from = (uint32_t)rand() % BITS, next = from;
        while (next < BITS && !reference[next])
            next++;
        assert_int_equal(util_bitset_next(set, from, BITS), next);
    }
    uint32_t count = 0, expected = 0;
    util_bitset_for_each(bit, set, BITS) {
        assert_true(reference[bit]);
        count++;
    }
    for (uint32_t i = 0; i < BITS; i++)
        expected += reference[i];
    assert_int_equal(count, expected);
}

static void or_says_whether_it_changed(void **state)
{
    uint64_t a[2] = {1, 0}, b[2] = {1, 4};
    assert_true(util_bitset_or(a, b, 2));
    assert_false(util_bitset_or(a, b, 2));
    assert_int_equal(a[1], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_an_array),
        cmocka_unit_test(or_says_whether_it_changed),
    };
    return cmocka_run_group_tests_name("bitset", tests, NULL, NULL);
}
