/* SPDX-License-Identifier: MIT */
#include "as_vertex.h"
#include <stdlib.h>
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv.h"
#include "glsl_expect.h"

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
                return false; /* only fragment programs have these */
            if (instr->op != IR_LOAD_INPUT)
                continue;
            if (instr->imm >= AS_VERTEX_ROWS / 4)
                return false;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *raw = ir_build0(&b, IR_ATTRIBUTE);
            raw->imm = 4 * instr->imm + instr->imm2;
            ir_replace_uses(instr, raw);
            ir_remove(instr);
        }
    }
    shader->attributes[0] = (struct vc4c_attribute){.size_B = 4 * AS_VERTEX_ROWS};
    shader->attribute_count = 1;
    shader->attribute_size_B = 4 * AS_VERTEX_ROWS;
    return true;
}

char *as_vertex_text(const struct vc4c_entry *entry, struct util_arena *arena)
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
    ir_optimise(shader);
    ir_hoist_uniforms(shader);
    ir_lower_int(shader);
    ir_lower_math(shader);
    shader->lowered = true;
    ir_optimise(shader);
    ir_lower_loop_exits(shader);
    ir_renumber(shader);
    FILE *f = open_memstream(&text, &size_B);
    ir_print(f, shader);
    fclose(f);
    return text;
}

char *as_vertex_file(const char *name)
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
    char *text = as_vertex_text(&entry, &arena);
    util_arena_finish(&arena);
    vc4c_module_destroy(module);
    return text;
}

void as_vertex_inputs(struct harness *h)
{
    for (uint32_t row = 0; row < AS_VERTEX_ROWS; row++)
        for (uint32_t lane = 0; lane < QPU_LANES; lane++)
            h->vpm_in[row][lane] = glsl_input(row / 4, row % 4, lane);
}
