/* SPDX-License-Identifier: MIT
 *
 * Tests util/environment.h: numbers in range are accepted, and everything else is reported and ignored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "util/environment.h"
#include "util/log.h"

static char reported[256];

static void remember(void *data, enum util_log_level level, const char *line)
{
    strncat(reported, line, sizeof reported - strlen(reported) - 1);
}

static uint32_t number(const char *text)
{
    reported[0] = '\0';
    setenv("VC4VK_TEST", text, 1);
    return util_environment_number("VC4VK_TEST", 300);
}

static void numbers(void **state)
{
    util_log_set_sink(remember, NULL);
    unsetenv("VC4VK_TEST");
    assert_int_equal(util_environment_number("VC4VK_TEST", 300), 0);
    assert_int_equal(number(""), 0);
    assert_int_equal(number("1"), 1);
    assert_int_equal(number("300"), 300);
    assert_string_equal(reported, "");
    static const char *const bad[] = {"0", "301", "-1", "3x", "many", "99999999999999999999999"};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(number(bad[i]), 0);
        assert_non_null(strstr(reported, "VC4VK_TEST="));
    }
    util_log_set_sink(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
