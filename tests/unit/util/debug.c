/* SPDX-License-Identifier: MIT
 *
 * Tests util/debug.h: debug words are parsed, and unknown words are reported without affecting the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "util/debug.h"
#include "util/log.h"

static char reported[256];

static void remember(void *data, enum util_log_level level, const char *line)
{
    strncat(reported, line, sizeof reported - strlen(reported) - 1);
}

static void words(void **state)
{
    util_log_set_sink(remember, NULL);
    assert_int_equal(util_debug_parse(NULL), 0);
    assert_int_equal(util_debug_parse(""), 0);
    assert_int_equal(util_debug_parse("perf"), UTIL_DEBUG_PERF);
    assert_int_equal(util_debug_parse("perf,tiny"), UTIL_DEBUG_PERF | UTIL_DEBUG_TINY);
    assert_string_equal(reported, "");
    assert_int_equal(util_debug_parse("per,jobs,tinyy"), UTIL_DEBUG_JOBS);
    assert_non_null(strstr(reported, "'per'"));
    assert_non_null(strstr(reported, "'tinyy'"));
    util_log_set_sink(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
    };
    return cmocka_run_group_tests_name("debug", tests, NULL, NULL);
}
