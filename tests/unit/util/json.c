/* SPDX-License-Identifier: MIT
 *
 * Tests the JSON writer: escapes, in files and in HTML, and the places of commas and line breaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "util/json.h"
#include "util/utf8.h"

static char written[1024];

static void put(void *data, const char *text, size_t size_B)
{
    assert_true(strlen(written) + size_B < sizeof written);
    strncat(written, text, size_B);
}

static struct util_json begin(void)
{
    written[0] = 0;
    return (struct util_json){.put = put};
}

static void check_string(const char *text, bool is_in_html, const char *expected)
{
    struct util_json json = begin();
    json.is_in_html = is_in_html;
    util_json_string(&json, NULL, text);
    assert_string_equal(written, expected);
}

static void strings_are_escaped(void **state)
{
    check_string("plain", false, "\"plain\"");
    check_string(NULL, false, "\"\"");
    check_string("a\"b\\c\n\x7f", false, "\"a\\\"b\\\\c\\u000a\\u007f\"");
    check_string("</script>&", false, "\"</script>&\"");
    check_string("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7", false,
                 "\"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\xa7\"");
}

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
    check_string("a\xffz", false, "\"a\\ufffdz\"");
    check_string("cut \xe2\x82", false, "\"cut \\ufffd\\ufffd\"");
}

static void strings_do_not_end_a_script(void **state)
{
    check_string("a\"b\\c\n", true, "\"a\\u0022b\\u005cc\\u000a\"");
    check_string("</script><!--", true, "\"\\u003c/script\\u003e\\u003c!--\"");
    check_string("\xff", true, "\"\\ufffd\"");
}

static void values_are_separated(void **state)
{
    struct util_json json = begin();
    util_json_object(&json, NULL, UTIL_JSON_INLINE);
    util_json_string(&json, "a \"key\"", "b");
    util_json_bool(&json, "yes", true);
    util_json_number(&json, "number", "%d.%03d", 3, 7);
    util_json_array(&json, "empty", UTIL_JSON_LINES);
    util_json_end(&json);
    util_json_array(&json, "list", UTIL_JSON_INLINE);
    util_json_object(&json, NULL, UTIL_JSON_INLINE);
    util_json_raw(&json, "\"raw\": 1, \"members\": 2");
    util_json_bool(&json, "no", false);
    util_json_end(&json);
    util_json_number(&json, NULL, "%u", 1u);
    util_json_end(&json);
    util_json_end(&json);
    assert_int_equal(json.depth, 0);
    assert_string_equal(written, "{\"a \\\"key\\\"\": \"b\", \"yes\": true, \"number\": 3.007, \"empty\": [], "
                                 "\"list\": [{\"raw\": 1, \"members\": 2, \"no\": false}, 1]}");
}

static void lines_are_indented(void **state)
{
    struct util_json json = begin();
    util_json_object(&json, NULL, UTIL_JSON_LINES);
    util_json_array(&json, "a", UTIL_JSON_LINES);
    util_json_number(&json, NULL, "%u", 1u);
    util_json_array(&json, NULL, UTIL_JSON_INLINE);
    util_json_number(&json, NULL, "%u", 2u);
    util_json_number(&json, NULL, "%u", 3u);
    util_json_end(&json);
    util_json_end(&json);
    util_json_bool(&json, "b", false);
    util_json_end(&json);
    assert_string_equal(written, "{\n  \"a\": [\n    1,\n    [2, 3]\n  ],\n  \"b\": false\n}");
}

static void members_have_no_braces(void **state)
{
    struct util_json json = begin();
    json.depth = UTIL_JSON_MEMBERS;
    util_json_number(&json, "a", "%u", 1u);
    util_json_array(&json, "b", UTIL_JSON_INLINE);
    util_json_end(&json);
    assert_int_equal(json.depth, UTIL_JSON_MEMBERS);
    assert_string_equal(written, "\"a\": 1, \"b\": []");
}

static void containers_nest_to_the_maximum(void **state)
{
    struct util_json json = begin();
    for (uint32_t i = 0; i < UTIL_JSON_MAX_DEPTH; i++)
        util_json_array(&json, NULL, UTIL_JSON_INLINE);
    for (uint32_t i = 0; i < UTIL_JSON_MAX_DEPTH; i++)
        util_json_end(&json);
    assert_int_equal(strlen(written), 2 * UTIL_JSON_MAX_DEPTH);
    assert_int_equal(strspn(written, "["), UTIL_JSON_MAX_DEPTH);
}

static void characters_are_recognised(void **state)
{
    assert_int_equal(util_utf8_length("a"), 1);
    assert_int_equal(util_utf8_length("\xc3\xbc"), 2);
    assert_int_equal(util_utf8_length("\xe2\x82\xac"), 3);
    assert_int_equal(util_utf8_length("\xf4\x8f\xbf\xbf"), 4);
    assert_int_equal(util_utf8_length("\xc0\xbc"), 0);         /* '<' in two bytes */
    assert_int_equal(util_utf8_length("\xed\xa0\x80"), 0);     /* a surrogate */
    assert_int_equal(util_utf8_length("\xf4\x90\x80\x80"), 0); /* beyond Unicode */
    assert_int_equal(util_utf8_length("\xbf"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
        cmocka_unit_test(strings_do_not_end_a_script),
        cmocka_unit_test(values_are_separated),
        cmocka_unit_test(lines_are_indented),
        cmocka_unit_test(members_have_no_braces),
        cmocka_unit_test(containers_nest_to_the_maximum),
        cmocka_unit_test(characters_are_recognised),
    };
    return cmocka_run_group_tests_name("util_json", tests, NULL, NULL);
}
