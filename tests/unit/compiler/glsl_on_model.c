/* SPDX-License-Identifier: MIT
 *
 * The shaders of glsl/ once more, from SPIR-V to QPU code, run by the model's interpreter: the numbers of their comments
 * have to come out of the chip's arithmetic, with its rounding and the worst case of its SFU.
 *
 * To see all 32 bits of a result, the fragment shader is made a vertex program in front of the back end: location 0 goes
 * to the VPM, and its input comes from there.
 */
#include <stdlib.h>
#include "../compiler_qpu/harness.h"
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv.h"
#include "glsl_expect.h"

static char **arguments;
static int argument_count;

/* ---------------------------------------------------------------- the shader as a vertex program */

static void store_outputs(struct ir_shader *shader)
{
    struct ir_instr *out[4] = {NULL};
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op == IR_STORE_OUTPUT && instr->imm == 0)
                out[instr->imm2] = instr->src[0].def;
            if (instr->op == IR_STORE_OUTPUT || instr->op == IR_STORE_BUILTIN || instr->op == IR_DISCARD)
                ir_remove(instr);
        }
    }
    struct ir_builder b = ir_at_end(shader, ir_list_last(&shader->body));
    for (uint32_t i = 0; i < 4; i++)
        ir_build1(&b, IR_VPM_STORE, out[i] ? out[i] : ir_const(&b, 0));
}

static bool load_inputs(struct ir_shader *shader)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (instr->op == IR_DDX || instr->op == IR_DDY || instr->op == IR_LOAD_BUILTIN)
                return false; /* only fragments have these */
            if (instr->op != IR_LOAD_INPUT)
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *raw = ir_build0(&b, IR_ATTRIBUTE);
            raw->imm = instr->imm2;
            ir_replace_uses(instr, raw);
            ir_remove(instr);
        }
    }
    shader->attributes[0] = (struct vc4c_attribute){.size_B = 16};
    shader->attribute_count = 1;
    shader->attribute_size_B = 16;
    return true;
}

/* The text of the lowered program, or NULL when it makes no vertex program. Freed by the caller. */
static char *lowered_text(const struct vc4c_entry *entry, struct util_arena *arena)
{
    struct ir_shader *shader;
    struct vc4c_error error = {{0}};
    char *text = NULL;
    size_t size_B;
    if (spv_to_ir(entry, VC4C_PROGRAM_VERTEX, arena, &shader, &error))
        fail_msg("%s", error.text);
    ir_optimise(shader);
    store_outputs(shader);
    if (!load_inputs(shader) || ir_lower_buffers(shader, &error))
        return NULL;
    ir_lower_int(shader);
    ir_lower_math(shader);
    ir_optimise(shader);
    ir_lower_loop_exits(shader);
    ir_renumber(shader);
    FILE *f = open_memstream(&text, &size_B);
    ir_print(f, shader);
    fclose(f);
    return text;
}

/* ---------------------------------------------------------------- running */

static char *compile_file(const char *name)
{
    static uint32_t words[1 << 16];
    struct util_arena arena;
    struct vc4c_module *module = NULL;
    struct vc4c_error error = {{0}};
    FILE *f = fopen(name, "rb");
    size_t count = f ? fread(words, 4, ARRAY_SIZE(words), f) : 0;
    if (f)
        fclose(f);
    if (vc4c_module_create(words, count * 4, NULL, &module, &error))
        fail_msg("%s: %s", name, error.text);
    struct vc4c_entry entry = {.module = module, .name = "main", .stage = VC4C_STAGE_FRAGMENT};
    util_arena_init(&arena, NULL);
    char *text = lowered_text(&entry, &arena);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    return text;
}

static bool run_shader(struct harness *h, const char *source, const char *spv)
{
    struct expected e;
    char *text = compile_file(spv);
    if (!text || !glsl_read(source, &e)) {
        free(text);
        return true;
    }
    harness_compile(h, text);
    memcpy(h->push, e.push, sizeof h->push);
    memcpy(h->mem.base + HARNESS_DATA, e.buffer, sizeof e.buffer);
    h->buffer_size_B = 4 * MAX2(e.buffer_words, 1u);
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t lane = 0; lane < QPU_LANES; lane++)
            h->vpm_in[c][lane] = glsl_input(0, c, lane);
    harness_run(h);
    bool ok = glsl_check(source, &e, (const uint32_t(*)[QPU_LANES])h->vpm_out);
    if (!ok && getenv("VERBOSE"))
        printf("%s\n", text);
    free(text);
    return ok;
}

static void corpus(void **state)
{
    int failed = 0;
    for (int i = 1; i + 1 < argument_count; i += 2)
        failed += !run_shader(*state, arguments[i], arguments[i + 1]);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    arguments = argv;
    argument_count = argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(corpus, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
