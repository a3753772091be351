/* SPDX-License-Identifier: MIT
 *
 * printf in programs of the CPU engine: every lane that runs prints each of its messages once, with arguments of all
 * types. Messages that do not fit are lost, and nothing is stored behind the memory. Programs that do not print contain
 * nothing of it.
 */
#include <stdio.h>
#include "harness.h"

enum { SIZE = 20, GROUPS = 2, TEXT_B = 96, MAX_TEXTS = 20000, GUARD = 16 };

static char (*texts)[TEXT_B];
static uint32_t text_count;

/* Runs the shader and collects what it printed. */
static void run(struct harness *h, bool prints, uint32_t rounds)
{
    uint32_t *out = harness_alloc(h, 4 * SIZE * GROUPS), *memory = harness_alloc(h, VC4C_PRINT_MEMORY_B + 4 * GUARD);
    memset(memory + VC4C_PRINT_MEMORY_B / 4, 0xee, 4 * GUARD);
    h->print = prints ? memory : NULL;
    memcpy(h->push, &rounds, sizeof rounds);
    harness_bind(h, 0, 0, out, 4 * SIZE * GROUPS);
    harness_dispatch(h, "printf", NULL, 0, GROUPS, 1, 1);
    for (uint32_t i = 0; i < SIZE * GROUPS; i++)
        assert_int_equal(out[i], i % SIZE);
    for (uint32_t i = 0; i < GUARD; i++)
        assert_int_equal(memory[VC4C_PRINT_MEMORY_B / 4 + i], 0xeeeeeeee);
    text_count = 0;
    for (uint32_t at = 0; (at = vc4c_print_message(&h->program, memory + 1, at, texts[text_count], TEXT_B));)
        assert_true(++text_count < MAX_TEXTS);
}

static uint32_t count_of(const char *text)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text_count; i++)
        count += !strcmp(texts[i], text);
    return count;
}

static void expect(uint32_t count, const char *text)
{
    if (count_of(text) != count)
        fail_msg("\"%s\" %u times, expected %u; the first of %u messages is \"%s\"", text, count_of(text), count,
                 text_count, texts[0]);
}

static void arguments_of_all_types(void **state)
{
    char text[TEXT_B];
    uint32_t all = 0;
    run(*state, true, 0);
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t i = 0; i < SIZE; i++) {
            const int prints = i % 3 == 1;
            snprintf(text, sizeof text, "%u/%u %u.0, 0.5, -1.0 -%u %d beef", i, group, i, i, i > 9);
            expect(prints, text);
            snprintf(text, sizeof text, "%u/%u -%u %llx %.2f", i, group, i, (unsigned long long)i << 36, i / 4.0);
            expect(prints, text);
            snprintf(text, sizeof text, "%u/%u -%u %u %.3f, -2.000", i, group, i, 65535 - i, i * 0.125);
            expect(prints, text);
            snprintf(text, sizeof text, "%u twice", i + 100 * group);
            expect(2, text);
            all += 2 + 3 * prints;
        }
    }
    assert_int_equal(text_count, all);
}

static void messages_beyond_the_memory_are_lost(void **state)
{
    struct harness *h = *state;
    run(h, true, 1000);
    assert_true(h->print[0] > VC4C_PRINT_WORDS);
    const uint32_t rounds = count_of("round");
    assert_in_range(rounds, VC4C_PRINT_WORDS / 2, GROUPS * SIZE * 1000 - 1);
    for (uint32_t i = 0; i < text_count; i++) /* those that fitted are whole */
        assert_true(!strcmp(texts[i], "round") || strstr(texts[i], " twice") || strchr(texts[i], '/'));
    assert_true(text_count > rounds); /* what lanes print before their rounds */
}

static void nothing_is_printed_unasked(void **state)
{
    struct harness *h = *state;
    run(h, true, 0);
    const uint32_t printing = h->program.instruction_count;
    run(h, false, 5);
    assert_int_equal(text_count, 0);
    assert_int_equal(h->program.print_count, 0);
    assert_true(h->program.instruction_count * 4 < printing);
    for (uint32_t i = 0; i < h->program.uniform_count; i++)
        assert_int_not_equal(h->program.uniforms[i].kind, VC4C_UNIFORM_ENGINE_PRINT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, harness_setup, harness_teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {TEST(arguments_of_all_types), TEST(messages_beyond_the_memory_are_lost),
                                       TEST(nothing_is_printed_unasked)};
    harness_args = argv;
    harness_arg_count = argc;
    texts = malloc(sizeof texts[0] * MAX_TEXTS);
    const int failed = cmocka_run_group_tests_name("compiler_engine_printf", tests, NULL, NULL);
    free(texts);
    return failed;
}
