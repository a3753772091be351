/* SPDX-License-Identifier: MIT
 *
 * Lines of the source code survive to the instructions of the QPU: each operation of lines.frag that only one line has
 * must be found in the code as compiled from this line. The shader is compiled with OpLine (glslang -g) and with
 * NonSemantic.Shader.DebugInfo.100 (-gVS); both must name the same lines, give the same code as without debug
 * information, and hold the text. Damaged debug information must tell no line, and must not be read beyond its end.
 * VERBOSE prints the line of every instruction.
 *
 * Arguments: the shader, its modules without debug information, with -g, and with -gVS.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "compiler/vc4c.h"
#include "hw/qpu.h"
#include "spv_gen.h"

enum { PLAIN, OP_LINE, DEBUG_INFO, KINDS };
enum { ROOT_LINE = 8, LOOKUP_LINE = 13, QUOTIENT_LINE = 19 };

struct input {
    uint32_t words[1 << 14];
    size_t count;
};

static struct input inputs[KINDS];
static const char *shader;

static void read_input(const char *name, struct input *out)
{
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    out->count = fread(out->words, sizeof out->words[0], ARRAY_SIZE(out->words), f);
    fclose(f);
}

static struct vc4c_module *create(const struct input *in)
{
    struct vc4c_module *module = NULL;
    struct vc4c_error error;
    if (vc4c_module_create(in->words, in->count * 4, NULL, &module, &error))
        fail_msg("%s", error.text);
    return module;
}

static void compile(const struct vc4c_module *module, struct vc4c_program *out)
{
    const struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    struct vc4c_key key = {
        .fs = {.color_format = HW_FORMAT_R8G8B8A8_UNORM, .write_mask = 15, .samples = 1, .logic_op = VC4C_LOGIC_COPY},
        .class_count = 1};
    struct vc4c_error error;
    key.classes[0] = (struct hw_sampling_class){
        .method = HW_SAMPLE_NATIVE, .format = HW_FORMAT_R8G8B8A8_UNORM, .swizzle = {0, 1, 2, 3}};
    if (vc4c_compile(&entry, VC4C_PROGRAM_FRAGMENT, &key, NULL, out, &error))
        fail_msg("%s", error.text);
}

/* Does the instruction write one of these registers? */
static bool writes(uint64_t word, unsigned waddr, unsigned other)
{
    const struct qpu_instr in = qpu_decode(word);
    if (in.sig == QPU_SIG_BRANCH)
        return false;
    return (in.cond_add && (in.waddr_add == waddr || in.waddr_add == other)) ||
           (in.cond_mul && (in.waddr_mul == waddr || in.waddr_mul == other));
}

/* Every instruction that writes `waddr` or `other` comes from the line, and there is one. */
static void expect_line(const struct vc4c_program *program, const struct vc4c_lines *lines, unsigned waddr,
                        unsigned other, uint32_t line)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        if (!writes(program->code[i], waddr, other))
            continue;
        found++;
        if (lines->lines[i].line != line)
            fail_msg("instruction %u writes register %u; line %u, not %u", i, waddr, lines->lines[i].line, line);
    }
    assert_true(found);
}

static void lines_reach_the_code(int kind)
{
    struct vc4c_module *module = create(&inputs[kind]);
    struct vc4c_program program;
    struct vc4c_lines lines;
    uint32_t known = 0;
    compile(module, &program);
    assert_true(vc4c_module_lines(module, program.origins, program.instruction_count, NULL, &lines));
    assert_int_equal(lines.source_count, 1);
    assert_non_null(strstr(lines.sources[0].name, shader));
    assert_non_null(lines.sources[0].text);
    assert_non_null(strstr(lines.sources[0].text, "return inversesqrt(x); // line 8"));
    expect_line(&program, &lines, QPU_W_TMU0_S, QPU_W_TMU1_S, LOOKUP_LINE);
    expect_line(&program, &lines, QPU_W_SFU_RSQRT, QPU_W_SFU_RSQRT, ROOT_LINE);
    expect_line(&program, &lines, QPU_W_SFU_RECIP, QPU_W_SFU_RECIP, QUOTIENT_LINE);
    for (uint32_t i = 0; i < program.instruction_count; i++) {
        assert_int_equal(lines.lines[i].source, 0);
        assert_true(lines.lines[i].line <= 21);
        known += lines.lines[i].line != 0;
        if (getenv("VERBOSE")) {
            char text[256];
            const struct qpu_instr in = qpu_decode(program.code[i]);
            qpu_print(&in, text, sizeof text);
            printf("# %u: line %u: %s\n", i, lines.lines[i].line, text);
        }
    }
    printf("# %u of %u instructions have a line\n", known, program.instruction_count);
    assert_true(known * 4 >= program.instruction_count * 3);
    vc4c_lines_finish(&lines);
    vc4c_program_finish(&program);
    vc4c_module_destroy(module);
}

static void op_lines(void **state)
{
    lines_reach_the_code(OP_LINE);
}

static void debug_lines(void **state)
{
    lines_reach_the_code(DEBUG_INFO);
}

static void code_is_the_same(void **state)
{
    struct vc4c_program programs[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        struct vc4c_module *module = create(&inputs[kind]);
        struct vc4c_lines lines;
        compile(module, &programs[kind]);
        assert_int_equal(
            vc4c_module_lines(module, programs[kind].origins, programs[kind].instruction_count, NULL, &lines),
            kind != PLAIN);
        vc4c_lines_finish(&lines);
        assert_int_equal(programs[kind].instruction_count, programs[PLAIN].instruction_count);
        assert_memory_equal(programs[kind].code, programs[PLAIN].code, 8 * programs[kind].instruction_count);
        vc4c_module_destroy(module);
    }
    for (int kind = 0; kind < KINDS; kind++)
        vc4c_program_finish(&programs[kind]);
}

/* ---------------------------------------------------------------- hostile debug information */

/* The word of the first instruction `op`; for extended instructions, of the first with this number. */
static uint32_t find(const struct input *in, uint16_t op, uint32_t number)
{
    for (uint32_t at = 5; at < in->count; at += in->words[at] >> 16)
        if ((in->words[at] & 0xffff) == op && (op != SpvOpExtInst || in->words[at + 4] == number))
            return at;
    fail_msg("no instruction %u in the module", op);
    return 0;
}

/* The lines of all offsets; the module must not become unreadable. Returns how many are known. */
static uint32_t count_lines(const struct input *in)
{
    struct vc4c_module *module = create(in);
    struct vc4c_lines lines;
    uint32_t *offsets = malloc(in->count * sizeof *offsets), known = 0;
    for (uint32_t i = 0; i < in->count; i++)
        offsets[i] = i;
    if (vc4c_module_lines(module, offsets, (uint32_t)in->count, NULL, &lines)) {
        for (uint32_t i = 0; i < in->count; i++)
            known += lines.lines[i].line != 0;
        vc4c_lines_finish(&lines);
    }
    free(offsets);
    vc4c_module_destroy(module);
    return known;
}

static void damaged(void **state)
{
    static struct input in;
    const uint32_t op_line = find(&inputs[OP_LINE], SpvOpLine, 0);
    const uint32_t debug_line = find(&inputs[DEBUG_INFO], SpvOpExtInst, 103);
    const uint32_t source = find(&inputs[DEBUG_INFO], SpvOpExtInst, 35);
    const uint32_t all = count_lines(&inputs[DEBUG_INFO]);
    assert_true(all > 100);
    assert_true(count_lines(&inputs[OP_LINE]) > 100);
    assert_int_equal(count_lines(&inputs[PLAIN]), 0);

    in = inputs[OP_LINE]; /* the file is a type, not a string */
    in.words[op_line + 1] = in.words[find(&in, SpvOpTypeVoid, 0) + 1];
    assert_true(count_lines(&in) < count_lines(&inputs[OP_LINE]));

    in = inputs[DEBUG_INFO]; /* the line is a type, not a constant */
    in.words[debug_line + 6] = in.words[find(&in, SpvOpTypeVoid, 0) + 1];
    assert_true(count_lines(&in) < all);

    in = inputs[DEBUG_INFO]; /* the source is a string, not a source */
    in.words[debug_line + 5] = in.words[find(&in, SpvOpString, 0) + 1];
    assert_true(count_lines(&in) < all);

    in = inputs[DEBUG_INFO]; /* the source's file is itself: only the OpLine of functions, which is there too, tells a
                                line */
    in.words[source + 5] = in.words[source + 2];
    assert_true(3 * count_lines(&in) < all);

    in = inputs[DEBUG_INFO]; /* a set of another name */
    in.words[find(&in, SpvOpExtInstImport, 0) + 2] ^= 0x20;
    struct vc4c_module *module = NULL;
    if (!vc4c_module_create(in.words, in.count * 4, NULL, &module, NULL))
        vc4c_module_destroy(module);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(op_lines),
        cmocka_unit_test(debug_lines),
        cmocka_unit_test(code_is_the_same),
        cmocka_unit_test(damaged),
    };
    if (argc != 2 + KINDS)
        return 2;
    shader = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
    for (int kind = 0; kind < KINDS; kind++)
        read_input(argv[2 + kind], &inputs[kind]);
    return cmocka_run_group_tests_name("compiler_lines", tests, NULL, NULL);
}
