/* SPDX-License-Identifier: MIT
 *
 * Tests the text functions of the inspector's pages: HTML stays well-formed for any names that applications supply.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "inspect/inspect_text.h"

static void check(void (*put)(struct inspect_text *, const char *), const char *plain, const char *expected)
{
    struct inspect_text text = {0};
    put(&text, plain);
    inspect_put_bytes(&text, "", 1);
    assert_false(text.failed);
    assert_string_equal(text.data, expected);
    inspect_text_finish(&text);
}

static void markup_is_escaped(void **state)
{
    check(inspect_put_text, "plain", "plain");
    check(inspect_put_text, NULL, "");
    check(inspect_put_text, "</script><b a='1' c=\"2\">&amp;",
          "&lt;/script&gt;&lt;b a=&#39;1&#39; c=&quot;2&quot;&gt;&amp;amp;");
    check(inspect_put_text, "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f");
}

#define REPLACEMENT "\xef\xbf\xbd"

static void bytes_that_are_no_text_are_replaced(void **state)
{
    check(inspect_put_text, "a\x01z", "a" REPLACEMENT "z");
    check(inspect_put_text, "a\xffz", "a" REPLACEMENT "z");
    check(inspect_put_text, "cut \xc3", "cut " REPLACEMENT);
    check(inspect_put_text, "long \xc0\xbc", "long " REPLACEMENT REPLACEMENT);                    /* '<' in two bytes */
    check(inspect_put_text, "\xed\xa0\x80", REPLACEMENT REPLACEMENT REPLACEMENT);                 /* a surrogate */
    check(inspect_put_text, "\xf4\x90\x80\x80", REPLACEMENT REPLACEMENT REPLACEMENT REPLACEMENT); /* beyond Unicode */
}

static void base64(const char *plain, const char *expected)
{
    struct inspect_text text = {0};
    inspect_put_base64(&text, (const uint8_t *)plain, strlen(plain));
    assert_int_equal(text.size_B, strlen(expected));
    assert_memory_equal(text.data, expected, text.size_B);
    inspect_text_finish(&text);
}

static void base64_is_padded(void **state)
{
    base64("foobar", "Zm9vYmFy");
    base64("fooba", "Zm9vYmE=");
    base64("foob", "Zm9vYg==");
}

static void numbers_have_commas(void **state)
{
    struct inspect_text text = {0};
    inspect_put_number(&text, 0);
    inspect_put(&text, " ");
    inspect_put_number(&text, 999);
    inspect_put(&text, " ");
    inspect_put_number(&text, 1234567);
    inspect_put(&text, " ");
    inspect_put_bytes_of(&text, 3 << 20);
    inspect_put_bytes(&text, "", 1);
    assert_string_equal(text.data, "0 999 1,234,567 3072.0 KiB");
    inspect_text_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),   cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(base64_is_padded),    cmocka_unit_test(numbers_have_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
