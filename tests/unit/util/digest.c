/* SPDX-License-Identifier: MIT
 *
 * Compares util/digest.h with NIST's example values for SHA-256 [FIPS 180-4].
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/digest.h"

static void expect(struct util_digest digest, const char *hex)
{
    char text[2 * UTIL_DIGEST_B + 1];
    for (unsigned i = 0; i < UTIL_DIGEST_B; i++)
        snprintf(text + 2 * i, 3, "%02x", digest.bytes[i]);
    assert_string_equal(text, hex);
}

static void examples(void **state)
{
    static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    char *many = malloc(1000000);
    assert_non_null(many);
    memset(many, 'a', 1000000);
    expect(util_digest_bytes("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(util_digest_bytes("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(util_digest_bytes(two_blocks, 56), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect(util_digest_bytes(many, 1000000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    for (unsigned cut_B = 0; cut_B <= 56; cut_B++)
        expect(util_digest_two(two_blocks, cut_B, two_blocks + cut_B, 56 - cut_B),
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    free(many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples)};
    return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
