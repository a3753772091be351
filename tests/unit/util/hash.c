/* SPDX-License-Identifier: MIT
 *
 * Compares util/hash.h with an array during random insertions and removals, and tests failing allocations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include "util/hash.h"

#define KEYS 500

static void random_operations_agree_with_an_array(void **state)
{
    struct util_hash_table table;
    int values[KEYS];
    void *reference[KEYS] = {0};
    uint32_t count = 0;
    util_hash_table_init(&table, NULL);
    srand(2);
    for (int i = 0; i < 50000; i++) {
        uint32_t key = (uint32_t)rand() % KEYS;
        if (rand() % 3) {
            assert_true(util_hash_table_insert(&table, &key, sizeof key, &values[i % KEYS]));
            count += !reference[key];
            reference[key] = &values[i % KEYS];
        } else {
            assert_ptr_equal(util_hash_table_remove(&table, &key, sizeof key), reference[key]);
            count -= reference[key] != NULL;
            reference[key] = NULL;
        }
        uint32_t probe = (uint32_t)rand() % KEYS;
        assert_ptr_equal(util_hash_table_lookup(&table, &probe, sizeof probe), reference[probe]);
        assert_int_equal(table.count, count);
    }
    uint32_t walked = 0;
    util_hash_table_for_each(entry, &table)
        walked++;
    assert_int_equal(walked, count);
    util_hash_table_finish(&table);
}

static void *alloc_until(void *data, size_t size_B, size_t align_B)
{
    int *left = data;
    return (*left)-- > 0 ? malloc(size_B) : NULL;
}

static void alloc_free(void *data, void *ptr)
{
    free(ptr);
}

static void failures_leave_the_table_as_it_was(void **state)
{
    for (int allowed = 0; allowed < 40; allowed++) {
        int left = allowed;
        struct util_alloc alloc = {&left, alloc_until, alloc_free};
        struct util_hash_table table;
        util_hash_table_init(&table, &alloc);
        uint32_t key = 0;
        while (util_hash_table_insert(&table, &key, sizeof key, &left))
            key++;
        assert_int_equal(table.count, key);
        for (uint32_t k = 0; k < key; k++)
            assert_ptr_equal(util_hash_table_lookup(&table, &k, sizeof k), &left);
        assert_null(util_hash_table_lookup(&table, &key, sizeof key));
        util_hash_table_finish(&table);
    }
}

static void hashes_differ(void **state)
{
    const uint8_t zeros[32] = {0};
    for (size_t i = 0; i < sizeof zeros; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(util_hash_bytes(zeros, i, 0) != util_hash_bytes(zeros, k, 0));
    assert_true(util_hash_bytes("a", 1, 0) != util_hash_bytes("a", 1, 1));
}

/* Files of the program cache contain hashes. The values are those of `xxhsum -H1`. */
static void hashes_are_equal_everywhere(void **state)
{
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    assert_true(util_hash_bytes("", 0, 0) == UINT64_C(0xef46db3751d8e999));
    assert_true(util_hash_bytes(text, 3, 0) == UINT64_C(0x1c2dcb4b9024d73d));
    assert_true(util_hash_bytes(text, 36, 0) == UINT64_C(0x69196c1b3af0bff9));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_an_array),
        cmocka_unit_test(failures_leave_the_table_as_it_was),
        cmocka_unit_test(hashes_differ),
        cmocka_unit_test(hashes_are_equal_everywhere),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
