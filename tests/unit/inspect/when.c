/* SPDX-License-Identifier: MIT
 *
 * Tests the parsing of VC4VK_INSPECT: its directory, and the frames it selects.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "inspect/inspect_selection.h"

static struct inspect_selection selection;

static void check(const char *value, const char *dir, bool by_submits)
{
    assert_true(inspect_selection_parse(&selection, value));
    assert_string_equal(selection.dir, dir);
    assert_int_equal(selection.by_submits, by_submits);
}

static void the_first_frame_unless_others_are_named(void **state)
{
    check("no-such-dir", "no-such-dir", false);
    assert_true(inspect_selection_has(&selection, 1));
    assert_false(inspect_selection_has(&selection, 2));
    check("no-such-dir:submits", "no-such-dir", true);
    assert_true(inspect_selection_has(&selection, 1));
}

static void numbers_and_ranges(void **state)
{
    check("no-such-dir:3,10-12,submits,50-", "no-such-dir", true);
    const uint64_t in[] = {3, 10, 11, 12, 50, UINT64_MAX}, out[] = {1, 2, 4, 9, 13, 49};
    for (unsigned i = 0; i < ARRAY_SIZE(in); i++)
        assert_true(inspect_selection_has(&selection, in[i]));
    for (unsigned i = 0; i < ARRAY_SIZE(out); i++)
        assert_false(inspect_selection_has(&selection, out[i]));
}

/* A suffix that is not a valid list of frames is part of the directory name. */
static void colons_in_names(void **state)
{
    check("a:b", "a:b", false);
    check("a:b:7", "a:b", false);
    assert_true(inspect_selection_has(&selection, 7));
    assert_false(inspect_selection_has(&selection, 1));
    const char *const wrong[] = {"a:0", "a:3-2", "a:3,", "a:,3", "a:-3", "a:3x", "a:18446744073709551616"};
    for (unsigned i = 0; i < ARRAY_SIZE(wrong); i++)
        check(wrong[i], wrong[i], false);
}

static void what_is_no_name(void **state)
{
    char name[INSPECT_DIR_MAX_B + 1];
    memset(name, 'x', sizeof name);
    name[INSPECT_DIR_MAX_B] = 0;
    assert_false(inspect_selection_parse(&selection, ""));
    assert_false(inspect_selection_parse(&selection, ":3"));
    assert_false(inspect_selection_parse(&selection, name));
    name[INSPECT_DIR_MAX_B - 1] = 0;
    assert_true(inspect_selection_parse(&selection, name));
}

static void a_file_asks_for_one_frame(void **state)
{
    char dir[] = "/tmp/vc4vk-inspect-XXXXXX", now[64];
    assert_non_null(mkdtemp(dir));
    check(dir, dir, false);
    snprintf(now, sizeof now, "%s/now", dir);
    assert_false(inspect_selection_has(&selection, 5));
    close(open(now, O_CREAT | O_WRONLY, 0600));
    assert_true(inspect_selection_has(&selection, 6));
    assert_false(inspect_selection_has(&selection, 7));
    assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_frame_unless_others_are_named),
        cmocka_unit_test(numbers_and_ranges),
        cmocka_unit_test(colons_in_names),
        cmocka_unit_test(what_is_no_name),
        cmocka_unit_test(a_file_asks_for_one_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
