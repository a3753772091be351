/* SPDX-License-Identifier: MIT
 *
 * Tests util/list.h: adding, removing, splicing and iterating.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "util/list.h"

struct item {
    int value;
    struct util_list link;
};

static int as_number(const struct util_list *head)
{
    int number = 0;
    for (const struct util_list *l = head->next; l != head; l = l->next)
        number = number * 10 + container_of(l, const struct item, link)->value;
    return number;
}

static void adding_removing_and_splicing(void **state)
{
    struct util_list a, b;
    struct item items[5] = {{1, {0}}, {2, {0}}, {3, {0}}, {4, {0}}, {5, {0}}};
    util_list_init(&a);
    util_list_init(&b);
    assert_true(util_list_is_empty(&a));
    util_list_add_tail(&a, &items[1].link);
    util_list_add_head(&a, &items[0].link);
    util_list_add_tail(&a, &items[2].link);
    assert_int_equal(as_number(&a), 123);
    util_list_add_tail(&b, &items[3].link);
    util_list_add_before(&items[3].link, &items[4].link);
    assert_int_equal(as_number(&b), 54);
    util_list_splice_tail(&a, &b);
    util_list_splice_tail(&a, &b); /* an empty list changes nothing */
    assert_int_equal(as_number(&a), 12354);
    assert_true(util_list_is_empty(&b));
    util_list_for_each_safe(struct item, it, &a, link)
        if (it->value & 1)
            util_list_del(&it->link);
    assert_int_equal(as_number(&a), 24);
    util_list_del(&items[0].link); /* deleting an item twice is allowed */
    assert_int_equal(util_list_first(&a, struct item, link)->value, 2);
    assert_int_equal(util_list_last(&a, struct item, link)->value, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding_removing_and_splicing),
    };
    return cmocka_run_group_tests_name("list", tests, NULL, NULL);
}
