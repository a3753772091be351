/* SPDX-License-Identifier: MIT
 *
 * Tests the IR's text form: printed text parses and prints to the same text again, and parse errors give their line.
 * Tests the validator with programs that each break one rule, and the divergence analysis.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/ir/ir.h"

static char *print(struct ir_shader *shader)
{
    char *text;
    size_t size_B;
    FILE *f = open_memstream(&text, &size_B);
    ir_print(f, shader);
    fclose(f);
    return text;
}

static const char everything[] =
    "shader fragment\n"
    "primitive lines\n"
    "writes_z_late\n"
    "texture 0 1 0 0 1 0 0\n"
    "buffer 0 2 0 0\n"
    "input 0 0 0 0 0\n"
    "input 0 1 1 0 0\n"
    "table 18 0x1 0x2 0x3 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0 0x0\n"
    "    0x3f800000 0x5\n"
    "table 1 0x7\n"
    "variable 4 32\n"
    "variable 1 1\n"
    "{\n"
    "    %0 = varying [0]\n"
    "    %1 = const 0x3f000000 ; 0.5\n"
    "    ?2 = flt %0 %1\n"
    "    if ?2 {\n"
    "        %3 = fmul.relaxed %0 %1\n"
    "    } else {\n"
    "        %4 = fadd.exact %0 %1\n"
    "    }\n"
    "    %5 = phi %3 %4\n"
    "    loop rolled {\n"
    "        %6 = phi %5 %8\n"
    "        %7 = uniform push data=0x10\n"
    "        %8 = fadd %6 %7\n"
    "        ?9 = fge %8 %1\n"
    "        if ?9 {\n"
    "            break\n"
    "        } else {\n"
    "        }\n"
    "    }\n"
    "    %11 = const 0x0\n"
    "    store_var [0 3] %8\n"
    "    store_var [1 0] ?9\n"
    "    ?14 = load_var [1 0]\n"
    "    %15 = uniform buffer_word data=0x20\n"
    "    %16 = tex texture=0 has_r=0 has_b=1 param_count=3 ( tex_p0 ) ( tex_p1 data=0x1 ) ( tex_p2_lod data=0x1 ) "
    "%0 %1 %15\n"
    "    %17 = unpack_f [3] %16\n"
    "    %18 = sample dim=1 kind=1 coord_count=2 has_lod=1 offset0=-3 %0 %1 %17\n"
    "    %19 = sample_result [2] %18\n"
    "    ?20 = const 0x1\n"
    "    %21 = load_table [0 786436] %11\n"
    "    tlb_color_store %21 ?20\n"
    "}\n";

static void survives_the_round_trip(void **state)
{
    struct util_arena arena;
    util_arena_init(&arena, NULL);
    char error[200] = "";
    struct ir_shader *shader = ir_parse(&arena, everything, error, sizeof error);
    assert_string_equal(error, "");
    const char *message = ir_validate(shader, false);
    assert_null(message);
    ir_renumber(shader);
    char *text = print(shader);
    assert_string_equal(text, everything);
    free(text);
    util_arena_finish(&arena);
}

static void errors_name_their_line(void **state)
{
    static const struct { const char *text, *error;
    } cases[] = {
        {"", "line 1: 'shader' expected, not ''"},
        {"shader pixel {}", "line 1: 'pixel' is none of 'coordinate', ..."},
        {"shader fragment\n{\n%0 = fnord\n}", "line 3: 'fnord' is no operation"},
        {"shader fragment\n{\n%0 = const 1\n%1 = fadd %0\n}", "line 5: 'fadd' takes 2 sources, not 1"},
        {"shader fragment\n{\n%0 = const 1\n%0 = const 2 }", "line 4: value 0 is defined twice"},
        {"shader fragment\n{\n%0 = mov %1 }", "line 3: value 1 is used and never defined"},
        {"shader fragment\n{\n?0 = varying [0] }", "line 3: 'varying' gives 32 bits"},
        {"shader fragment\n{", "line 2: '}' is missing"},
        {"shader fragment\ntable 0\n{ }", "line 2: a table of 0 words"},
        {"shader fragment\ntable 300000 0\n{ }", "line 2: a table of 300000 words"},
        {"shader fragment\ntable 1 7 table 1 7\n{ }", "line 2: two tables are equal"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        char error[200] = "";
        assert_null(ir_parse(&arena, cases[i].text, error, sizeof error));
        assert_string_equal(error, cases[i].error);
        util_arena_finish(&arena);
    }
}

static void rules_are_checked(void **state)
{
    static const struct { const char *body, *part; bool lowered;
    } cases[] = {
        {"%0 = const 1 if ?1 { ?1 = const 1 } else {}", "does not dominate its if"},
        {"?0 = const 1 if ?0 { %1 = const 1 } else {}\n %2 = mov %1", "does not dominate its use"},
        {"?0 = const 1 %1 = fadd ?0 ?0", "wrong width"},
        {"%0 = const 1 %1 = phi %0", "not at the head"},
        {"?0 = const 1 if ?0 {} else {}\n ?1 = phi ?0", "does not match the predecessors"},
        {"break", "outside of any loop"},
        {"loop { break\n %0 = const 1\n}", "not the end of a block"},
        {"%0 = const 1 %1 = fneg %0", "high-level", true},
        {"%0 = const 1 %1 = load_var [0 0]", "no such variable"},
        {"%0 = varying [3]", "no such input"},
        {"?0 = const 1 loop { %1 = phi %2 %2\n %2 = const 5\n if ?0 { break } else {}\n }",
         "not available in its predecessor"},
        {"%0 = const 1 %1 = load_table [0] %0", "no such table"},
        {"?0 = const 1 if ?0 { %1 = const 1 } else { %2 = const 2 }\n %3 = phi %2 %1",
         "not available in its predecessor"},
        /* valid programs */
        {"?0 = const 1 loop { if ?0 { break } else { %1 = const 1 }\n %2 = mov %1\n }", NULL},
        {"?0 = const 1 loop { %1 = const 1\n if ?0 { break } else {}\n }\n %2 = mov %1", NULL},
        {"?0 = const 1 %9 = const 2 loop { %1 = phi %9 %1 %2\n if ?0 { continue } else {}\n %2 = mov %1\n }", NULL},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        char error[200] = "";
        char *text = util_arena_printf(&arena, "shader fragment {\n%s\n}", cases[i].body);
        struct ir_shader *shader = ir_parse(&arena, text, error, sizeof error);
        assert_string_equal(error, "");
        const char *message = ir_validate(shader, cases[i].lowered);
        if (!cases[i].part)
            assert_null(message);
        else if (!message || !strstr(message, cases[i].part))
            fail_msg("%s: '%s' instead of '%s'", cases[i].body, message ? message : "valid", cases[i].part);
        util_arena_finish(&arena);
    }
}

static void accesses_stay_in_their_table(void **state)
{
    static const struct {
        uint32_t imm2;
        const char *part;
    } cases[] = {
        {0, NULL},
        {4 | 12u << 16, NULL},
        {12 | 12u << 16, NULL},
        {16u << 16, "more than the whole table"},
        {8 | 4u << 16, "not one of its access"},
        {2 | 4u << 16, "not one of its access"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        char error[200] = "";
        char *text = util_arena_printf(
            &arena, "shader fragment table 4 1 2 3 4 {\n%%0 = const 1 %%1 = load_table [0 %u] %%0\n}", cases[i].imm2);
        struct ir_shader *shader = ir_parse(&arena, text, error, sizeof error);
        assert_string_equal(error, "");
        const char *message = ir_validate(shader, false);
        if (cases[i].part)
            assert_non_null(message ? strstr(message, cases[i].part) : NULL);
        else
            assert_null(message);
        util_arena_finish(&arena);
    }
}

static void equal_tables_are_one(void **state)
{
    static const uint32_t words[] = {1, 2, 3, 1, 2, 3, 1, 2};
    struct util_arena arena;
    uint32_t table;
    util_arena_init(&arena, NULL);
    struct ir_shader *shader = ir_shader_create(&arena, VC4C_PROGRAM_FRAGMENT);
    assert_true(ir_table_add(shader, words, 3, &table));
    assert_int_equal(table, 0);
    assert_true(ir_table_add(shader, words + 3, 3, &table));
    assert_int_equal(table, 0);
    assert_true(ir_table_add(shader, words + 3, 2, &table));
    assert_int_equal(table, 1);
    assert_true(ir_table_add(shader, words + 1, 3, &table));
    assert_int_equal(table, 2);
    assert_int_equal(shader->table_words, 8);
    assert_false(ir_table_add(shader, words, 0, &table));
    uint32_t *large = util_arena_new_array(&arena, uint32_t, IR_MAX_TABLE_WORDS);
    assert_false(ir_table_add(shader, large, IR_MAX_TABLE_WORDS, &table));
    assert_true(ir_table_add(shader, large, IR_MAX_TABLE_WORDS - 8, &table));
    assert_false(ir_table_add(shader, words, 1, &table));
    util_arena_finish(&arena);
}

/* The words are those that the back end's clamps lead to. */
static void offsets_are_clamped(void **state)
{
    static const uint32_t words[8] = {0};
    static const struct {
        uint32_t offset_B, imm2, at_B;
    } cases[] = {
        {0, 0, 0},
        {28, 0, 28},
        {32, 0, 28},
        {0x7fffffff, 0, 28},
        {0x80000000, 0, 0},
        {UINT32_MAX, 0, 0},
        {6, 0, 4},
        {16, 8 | 12u << 16, 24},
        {20, 8 | 12u << 16, 24},
        {UINT32_MAX, 12 | 12u << 16, 12},
        {4, 28 | 28u << 16, 28},
    };
    const struct ir_table table = {words, ARRAY_SIZE(words), 0};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(ir_table_offset_B(&table, cases[i].offset_B, cases[i].imm2), cases[i].at_B);
}

/* `divergent` has one digit per value, in the order of the text. */
static void divergence_spreads(void **state)
{
    static const struct { const char *body; const char *divergent; } cases[] = {
        {"%0 = uniform push %1 = element %2 = fadd %0 %0\n %3 = fadd %0 %1", "0101"},
        {"?0 = const 1 %1 = const 2 if ?0 {} else {}\n %2 = phi %1 %1", "000"},
        {"%0 = element ?1 = ieq %0 %0\n if ?1 {} else {}\n %2 = phi %0 %0", "111"},
        {"%0 = element ?1 = ieq %0 %0\n"
         "%2 = const 0 loop { %3 = phi %2 %4\n %4 = iadd %3 %2\n if ?1 { break } else {}\n }",
         "110110"},
        {"%0 = const 1 ?1 = ieq %0 %0\n"
         "%2 = const 0 loop { %3 = phi %2 %4\n %4 = iadd %3 %2\n if ?1 { break } else {}\n }",
         "000000"},
        {"%0 = element ?1 = ieq %0 %0\n ?2 = any ?1", "110"},
    };
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct util_arena arena;
        util_arena_init(&arena, NULL);
        char error[200] = "";
        char *text = util_arena_printf(&arena, "shader fragment {\n%s\n}", cases[i].body);
        struct ir_shader *shader = ir_parse(&arena, text, error, sizeof error);
        assert_string_equal(error, "");
        assert_null(ir_validate(shader, false));
        ir_renumber(shader);
        ir_analyse_divergence(shader);
        ir_for_each_block(block, shader)
            ir_for_each_instr(instr, block)
                assert_int_equal(instr->value.divergent, cases[i].divergent[instr->value.index] == '1');
        util_arena_finish(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_the_round_trip), cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(rules_are_checked),       cmocka_unit_test(accesses_stay_in_their_table),
        cmocka_unit_test(equal_tables_are_one),    cmocka_unit_test(offsets_are_clamped),
        cmocka_unit_test(divergence_spreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
