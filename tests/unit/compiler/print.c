/* SPDX-License-Identifier: MIT
 *
 * Texts of printf in shaders: conversions, hostile formats, messages that no program can have stored, and calls that
 * reach the compiled program.
 *
 * Argument: the module of corpus/cs_printf.comp.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/vc4c.h"
#include "util/utf8.h"

#define TEXT_B 200

static const char *module_name;

/* ---------------------------------------------------------------- conversions */

static void conversions(void **state)
{
    static const union {
        double f;
        uint64_t words;
    } third = {.f = 1.0 / 3};
    const struct {
        const char *format, *expected;
        struct vc4c_print_arg args[4];
        uint32_t words[8];
    } cases[] = {
        {"plain", "plain", {{0}}, {0}},
        {"%d|%i|%u",
         "-5|7|4294967291",
         {{VC4C_PRINT_INT, 1}, {VC4C_PRINT_INT, 1}, {VC4C_PRINT_UINT, 1}},
         {-5u, 7, -5u}},
        {"%5d|%-5d|%05d|%+d",
         "   -5|7    |00007|+7",
         {{VC4C_PRINT_INT, 1}, {VC4C_PRINT_INT, 1}, {VC4C_PRINT_INT, 1}, {VC4C_PRINT_INT, 1}},
         {-5u, 7, 7, 7}},
        {"%x %X %#x %o",
         "beef BEEF 0xbeef 17",
         {{VC4C_PRINT_UINT, 1}, {VC4C_PRINT_UINT, 1}, {VC4C_PRINT_UINT, 1}, {VC4C_PRINT_UINT, 1}},
         {0xbeef, 0xbeef, 0xbeef, 15}},
        {"%f %.2f %e %g",
         "1.500000 1.50 1.500000e+00 1.5",
         {{VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_FLOAT, 1}},
         {0x3fc00000, 0x3fc00000, 0x3fc00000, 0x3fc00000}},
        {"%1.2v4f",
         "1.50, 1.50, 1.50, -1.50",
         {{VC4C_PRINT_FLOAT, 4}},
         {0x3fc00000, 0x3fc00000, 0x3fc00000, 0xbfc00000}},
        {"%v2d %v3u", "1, -1 1, 2, 3", {{VC4C_PRINT_INT, 2}, {VC4C_PRINT_UINT, 3}}, {1, -1u, 1, 2, 3}},
        {"%v2d", "1, 2", {{VC4C_PRINT_INT, 4}}, {1, 2, 3, 4}},
        {"%v4d", "1, 2", {{VC4C_PRINT_INT, 2}}, {1, 2}},
        {"%d", "1, 2", {{VC4C_PRINT_INT, 2}}, {1, 2}},
        {"%lu %ul %lx %ld",
         "4294967296 8589934592 100000000 -1",
         {{VC4C_PRINT_UINT64, 1}, {VC4C_PRINT_UINT64, 1}, {VC4C_PRINT_UINT64, 1}, {VC4C_PRINT_INT64, 1}},
         {0, 1, 0, 2, 0, 1, -1u, -1u}},
        {"%ul", "5l", {{VC4C_PRINT_UINT, 1}}, {5}},
        {"%.3f", "0.333", {{VC4C_PRINT_FLOAT64, 1}}, {(uint32_t)third.words, (uint32_t)(third.words >> 32)}},
        {"%d %u", "1 0", {{VC4C_PRINT_BOOL, 1}, {VC4C_PRINT_BOOL, 1}}, {1, 0}},
        /* a letter that does not fit the type */
        {"%d %x %f",
         "-1 bfc00000 3.000000",
         {{VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_INT, 1}},
         {0xbfc00000, 0xbfc00000, 3}},
        {"%d %u", "9223372036854775807 0", {{VC4C_PRINT_FLOAT, 1}, {VC4C_PRINT_FLOAT, 1}}, {0x7f800000, 0x7fc00000}},
        {"%d %d", "7 (no value)", {{VC4C_PRINT_INT, 1}}, {7}},
        {"%d %d", "(not a number) 7", {{VC4C_PRINT_NOTHING, 0}, {VC4C_PRINT_INT, 1}}, {7}},
        /* what is no conversion stands as it is */
        {"100% %% %", "100% % %", {{0}}, {0}},
        {"%n%s%p%c %d", "%n%s%p%c 7", {{VC4C_PRINT_INT, 1}}, {7}},
        {"%v5d %v %*d %1$d %hd", "%v5d %v %*d %1$d %hd", {{VC4C_PRINT_INT, 1}}, {7}},
        {"%99999999999d",
         "                                                               7",
         {{VC4C_PRINT_INT, 1}},
         {7}},
        {"%-+ #0-+ #0d|", "+7|", {{VC4C_PRINT_INT, 1}}, {7}},
        {"a\x1b[2Jb\tc\nd\x80\xff", "a?[2Jb\tc\nd" UTIL_UTF8_REPLACEMENT UTIL_UTF8_REPLACEMENT, {{0}}, {0}},
        {"\xc3\xa9", "\xc3\xa9", {{0}}, {0}},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char text[TEXT_B];
        struct vc4c_print print = {.words = 1};
        for (uint16_t k = 0; k < ARRAY_SIZE(cases[i].args); k++) {
            print.args[k] = cases[i].args[k];
            if (print.args[k].type != VC4C_PRINT_NOTHING)
                print.arg_count = k + 1; /* one that is not a number counts if another one follows */
        }
        vc4c_print_text(cases[i].format, &print, cases[i].words, text, sizeof text);
        if (strcmp(text, cases[i].expected))
            fail_msg("\"%s\": \"%s\", not \"%s\"", cases[i].format, text, cases[i].expected);
    }
}

/* ---------------------------------------------------------------- hostile formats */

static bool is_utf8(const char *text)
{
    while (*text) {
        const size_t length = util_utf8_length(text);
        if (!length)
            return false;
        text += length;
    }
    return true;
}

/* Random formats, with as many conversions as possible, into texts of all lengths. Whatever is given, the text ends
 * within its memory and is UTF-8. */
static void hostile_formats(void **state)
{
    static const char set[] = "%%%%%%dduuxXfeEgGaAoilv234.0123456789*#+- $hjzntspcS\x80\xc3\xa9\xff\n\x01";
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char format[40], text[TEXT_B];
        uint32_t words[8 * VC4C_PRINT_ARGS];
        struct vc4c_print print = {.words = 1};
        for (size_t i = 0; i < sizeof format; i++) {
            seed = seed * 1664525 + 1013904223;
            format[i] = set[(seed >> 16) % (sizeof set - 1)];
        }
        format[(seed >> 8) % sizeof format] = 0;
        for (size_t i = 0; i < ARRAY_SIZE(words); i++)
            words[i] = seed = seed * 1664525 + 1013904223;
        print.arg_count = (uint16_t)((seed >> 20) % (VC4C_PRINT_ARGS + 1));
        for (uint32_t i = 0; i < print.arg_count; i++)
            print.args[i] = (struct vc4c_print_arg){(uint8_t)((words[i] >> 8) % VC4C_PRINT_TYPES),
                                                    (uint8_t)(1 + (words[i] >> 16) % 4)};
        const size_t size_B = 1 + (seed >> 4) % (sizeof text - 1);
        memset(text, 'x', sizeof text);
        vc4c_print_text(format, &print, words, text, size_B);
        assert_non_null(memchr(text, 0, size_B));
        assert_int_equal(text[size_B], 'x');
        assert_true(is_utf8(text));
    }
}

/* ---------------------------------------------------------------- messages */

static struct vc4c_module *read_module(void)
{
    static uint32_t words[1 << 14];
    struct vc4c_module *module = NULL;
    FILE *f = fopen(module_name, "rb");
    assert_non_null(f);
    const size_t count = fread(words, sizeof words[0], ARRAY_SIZE(words), f);
    fclose(f);
    assert_int_equal(vc4c_module_create(words, 4 * count, NULL, &module, NULL), VC4C_OK);
    return module;
}

static void compile(const struct vc4c_module *module, bool prints, struct vc4c_program *out)
{
    const struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_COMPUTE, .prints = prints};
    const struct vc4c_key key = {.target = VC4C_TARGET_CPU_ENGINE};
    struct vc4c_error error;
    if (vc4c_compile(&entry, VC4C_PROGRAM_COMPUTE, &key, NULL, out, &error))
        fail_msg("%s", error.text);
}

static void calls_reach_the_program(void **state)
{
    struct vc4c_module *module = read_module();
    struct vc4c_program silent, program, again;
    char text[TEXT_B];
    static uint32_t words[VC4C_PRINT_WORDS];
    compile(module, false, &silent);
    compile(module, true, &program);
    assert_int_equal(silent.print_count, 0);
    assert_int_equal(silent.site_count, 0);
    assert_int_equal(program.print_count, 2);
    assert_true(program.site_count > 0);
    assert_true(vc4c_program_is_valid(&program));

    const size_t size_B = vc4c_program_write(&program, NULL);
    void *bytes = malloc(size_B);
    vc4c_program_write(&program, bytes);
    assert_int_equal(vc4c_program_read(bytes, size_B, NULL, &again), VC4C_OK);
    assert_int_equal(again.print_count, 2);
    assert_memory_equal(again.print_text, program.print_text, program.print_text_B);
    free(bytes);

    const uint32_t message[] = {1, 4, 1, 0x3f800000, 0x3f000000, 0xbf800000, -4u, 7, 2, 3};
    memcpy(words, message, sizeof message);
    uint32_t at = vc4c_print_message(&program, words, 0, text, sizeof text);
    assert_string_equal(text, "4 of 01: 1.0, 0.5, -1.0, -4, 7");
    assert_int_equal(at, 8);
    at = vc4c_print_message(&program, words, at, text, sizeof text);
    assert_string_equal(text, "round");
    assert_int_equal(at, 9);
    assert_int_equal(vc4c_print_message(&program, words, at, text, sizeof text), 0); /* there is no third call */
    assert_int_equal(vc4c_print_message(&program, words, 10, text, sizeof text), 0);
    words[VC4C_PRINT_WORDS - 1] = 1; /* its arguments would lie behind the memory */
    assert_int_equal(vc4c_print_message(&program, words, VC4C_PRINT_WORDS - 1, text, sizeof text), 0);
    assert_int_equal(vc4c_print_message(&program, words, UINT32_MAX, text, sizeof text), 0);

    program.prints[1].format_B = program.print_text_B; /* what a damaged cache could hold */
    assert_false(vc4c_program_is_valid(&program));
    vc4c_program_finish(&silent);
    vc4c_program_finish(&program);
    vc4c_program_finish(&again);
    vc4c_module_destroy(module);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),
        cmocka_unit_test(hostile_formats),
        cmocka_unit_test(calls_reach_the_program),
    };
    if (argc != 2)
        return 2;
    module_name = argv[1];
    return cmocka_run_group_tests_name("compiler_print", tests, NULL, NULL);
}
