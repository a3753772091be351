/* SPDX-License-Identifier: MIT
 *
 * Prints the text form of the IR (docs/ir-text.md). ir_parse.c reads the output back to the same shader.
 */
#include <inttypes.h>
#include <string.h>
#include "compiler/ir/ir_names.h"

const char *const ir_program_kind_names[4] = {"coordinate", "vertex", "fragment", "compute"};
const char *const ir_primitive_names[3] = {"triangles", "lines", "points"};

static const char *const uniform_kind_names[VC4C_UNIFORM_KINDS] = {
    [VC4C_UNIFORM_CONSTANT] = "constant",
    [VC4C_UNIFORM_PUSH] = "push",
    [VC4C_UNIFORM_BUFFER_WORD] = "buffer_word",
    [VC4C_UNIFORM_BUFFER_LIMIT] = "buffer_limit",
    [VC4C_UNIFORM_BUFFER_BASE] = "buffer_base",
    [VC4C_UNIFORM_BUFFER_SIZE] = "buffer_size",
    [VC4C_UNIFORM_TABLE_LIMIT] = "table_limit",
    [VC4C_UNIFORM_TABLE_BASE] = "table_base",
    [VC4C_UNIFORM_TEX_P0] = "tex_p0",
    [VC4C_UNIFORM_TEX_P1] = "tex_p1",
    [VC4C_UNIFORM_TEX_P2_LOD] = "tex_p2_lod",
    [VC4C_UNIFORM_TEX_ZERO] = "tex_zero",
    [VC4C_UNIFORM_TEX_BORDER] = "tex_border",
    [VC4C_UNIFORM_TEX_WIDTH_F] = "tex_width_f",
    [VC4C_UNIFORM_TEX_HEIGHT_F] = "tex_height_f",
    [VC4C_UNIFORM_TEX_DEPTH_F] = "tex_depth_f",
    [VC4C_UNIFORM_TEX_RCP_WIDTH_F] = "tex_rcp_width_f",
    [VC4C_UNIFORM_TEX_RCP_HEIGHT_F] = "tex_rcp_height_f",
    [VC4C_UNIFORM_TEX_RCP_DEPTH_F] = "tex_rcp_depth_f",
    [VC4C_UNIFORM_TEX_WIDTH_I] = "tex_width_i",
    [VC4C_UNIFORM_TEX_HEIGHT_I] = "tex_height_i",
    [VC4C_UNIFORM_TEX_DEPTH_I] = "tex_depth_i",
    [VC4C_UNIFORM_TEX_LEVELS_I] = "tex_levels_i",
    [VC4C_UNIFORM_TEX_SAMPLES_I] = "tex_samples_i",
    [VC4C_UNIFORM_TEX_LOD_BIAS_F] = "tex_lod_bias_f",
    [VC4C_UNIFORM_TEX_LOD_MIN_F] = "tex_lod_min_f",
    [VC4C_UNIFORM_TEX_LOD_MAX_F] = "tex_lod_max_f",
    [VC4C_UNIFORM_TEX_BASE_LEVEL_F] = "tex_base_level_f",
    [VC4C_UNIFORM_TEX_LAST_LEVEL_F] = "tex_last_level_f",
    [VC4C_UNIFORM_TEX_MIP_LINEAR_I] = "tex_mip_linear_i",
    [VC4C_UNIFORM_DIRECT_LIMIT] = "direct_limit",
    [VC4C_UNIFORM_DIRECT_BASE] = "direct_base",
    [VC4C_UNIFORM_DIRECT_LEVEL] = "direct_level",
    [VC4C_UNIFORM_DIRECT_PITCH] = "direct_pitch",
    [VC4C_UNIFORM_DIRECT_LAYER] = "direct_layer",
    [VC4C_UNIFORM_DIRECT_WORD] = "direct_word",
    [VC4C_UNIFORM_DIRECT_T_LEVELS] = "direct_t_levels",
    [VC4C_UNIFORM_VIEWPORT_SCALE_X_16] = "viewport_scale_x_16",
    [VC4C_UNIFORM_VIEWPORT_SCALE_Y_16] = "viewport_scale_y_16",
    [VC4C_UNIFORM_VIEWPORT_SCALE_Z] = "viewport_scale_z",
    [VC4C_UNIFORM_VIEWPORT_OFFSET_Z] = "viewport_offset_z",
    [VC4C_UNIFORM_BLEND_CONSTANT] = "blend_constant",
    [VC4C_UNIFORM_STENCIL] = "stencil",
    [VC4C_UNIFORM_BASE_VERTEX] = "base_vertex",
    [VC4C_UNIFORM_INSTANCE_INDEX] = "instance_index",
    [VC4C_UNIFORM_DRAW] = "draw",
    [VC4C_UNIFORM_VIEW_INDEX] = "view_index",
    [VC4C_UNIFORM_VIEWPORT_INDEX] = "viewport_index",
    [VC4C_UNIFORM_SAMPLE_MASK] = "sample_mask",
    [VC4C_UNIFORM_SAMPLE_ID] = "sample_id",
    [VC4C_UNIFORM_SAMPLE_OFFSET] = "sample_offset",
    [VC4C_UNIFORM_COUNT] = "count",
    [VC4C_UNIFORM_RECENTRE_SCALE] = "recentre_scale",
    [VC4C_UNIFORM_RECENTRE_OFFSET] = "recentre_offset",
    [VC4C_UNIFORM_POLYGON] = "polygon",
    [VC4C_UNIFORM_FRAG_COORD_OFFSET] = "frag_coord_offset",
    [VC4C_UNIFORM_EXPR] = "expr",
    [VC4C_UNIFORM_STREAM_ADDRESS] = "stream_address",
    [VC4C_UNIFORM_ENGINE_ENTRY] = "engine_entry",
    [VC4C_UNIFORM_ENGINE_STATES] = "engine_states",
    [VC4C_UNIFORM_ENGINE_PUSH] = "engine_push",
    [VC4C_UNIFORM_ENGINE_MEMORY] = "engine_memory",
    [VC4C_UNIFORM_ENGINE_SHARED] = "engine_shared",
    [VC4C_UNIFORM_ENGINE_SCRATCH] = "engine_scratch",
    [VC4C_UNIFORM_ENGINE_SCRATCH_B] = "engine_scratch_B",
    [VC4C_UNIFORM_ENGINE_COLOR] = "engine_color",
    [VC4C_UNIFORM_ENGINE_COLOR_PITCH] = "engine_color_pitch",
    [VC4C_UNIFORM_ENGINE_VERTICES] = "engine_vertices",
    [VC4C_UNIFORM_ENGINE_PRINT] = "engine_print",
    [VC4C_UNIFORM_WORKGROUP_FIRST] = "workgroup_first",
    [VC4C_UNIFORM_WORKGROUP_END] = "workgroup_end",
    [VC4C_UNIFORM_WORKGROUP_Y] = "workgroup_y",
    [VC4C_UNIFORM_WORKGROUP_Z] = "workgroup_z",
    [VC4C_UNIFORM_WORKGROUP_COUNT] = "workgroup_count",
    [VC4C_UNIFORM_SUBGROUP] = "subgroup",
    [VC4C_UNIFORM_RECORDS] = "records",
};

const char *ir_uniform_kind_name(enum vc4c_uniform_kind kind)
{
    return (unsigned)kind < VC4C_UNIFORM_KINDS && uniform_kind_names[kind] ? uniform_kind_names[kind] : "?";
}

uint32_t ir_op_imms(enum ir_op op)
{
    switch (op) {
    case IR_ATTRIBUTE:
    case IR_LOAD_INPUT:
    case IR_LOAD_INPUT_AT:
    case IR_STORE_OUTPUT:
    case IR_LOAD_RECORD:
    case IR_LOAD_BUILTIN:
    case IR_STORE_BUILTIN:
    case IR_LOAD_VAR:
    case IR_STORE_VAR:
        return 2;
    case IR_CONST:
    case IR_UNPACK_F:
    case IR_UNPACK_I:
    case IR_PACK_UNORM8_PART:
    case IR_VARYING:
    case IR_POP_VARYING:
    case IR_POINT_COORD:
    case IR_CENTROID_OFFSET:
    case IR_SAMPLE_OFFSET:
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
    case IR_SAMPLE_RESULT:
    case IR_LOAD_BUFFER:
    case IR_ENGINE_ATOMIC:
    case IR_ROTATE:
    case IR_SPILL_STORE:
    case IR_SPILL_LOAD:
    case IR_ENGINE_STORE:
        return 1;
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- instructions */

static void print_name(FILE *to, const struct ir_instr *def)
{
    if (!def)
        fputs("%none", to);
    else
        fprintf(to, "%s%" PRIu32, def->value.bits == 1 ? "?" : "%", def->value.index);
}

static void print_uniform(FILE *to, const struct vc4c_uniform *u)
{
    fprintf(to, " %s", ir_uniform_kind_name(u->kind));
    if (u->ref)
        fprintf(to, " ref=%u", u->ref);
    if (u->data)
        fprintf(to, " data=0x%" PRIx32, u->data);
}

static void print_tex(FILE *to, const struct ir_tex *tex)
{
    fprintf(to, " texture=%u has_r=%u has_b=%u param_count=%u", tex->texture, tex->has_r, tex->has_b, tex->param_count);
    for (uint32_t i = 0; i < tex->param_count; i++) {
        fputs(" (", to);
        print_uniform(to, &tex->p[i]);
        fputs(" )", to);
    }
}

static void print_sample(FILE *to, const struct ir_sample *sample)
{
    if (sample->texture)
        fprintf(to, " texture=%u", sample->texture);
#define X(field)                                                                                                       \
    if (sample->field)                                                                                                 \
        fprintf(to, " " #field "=%u", sample->field);
    IR_SAMPLE_FIELDS(X)
#undef X
    for (int i = 0; i < 3; i++)
        if (sample->offset[i])
            fprintf(to, " offset%d=%d", i, sample->offset[i]);
}

static void print_imms(FILE *to, const struct ir_instr *instr)
{
    uint32_t count = ir_op_imms(instr->op);
    if (instr->op == IR_CONST) {
        fprintf(to, " 0x%" PRIx32, instr->imm);
        return;
    }
    if (instr->imm2)
        count = 2;
    else if (instr->imm && !count)
        count = 1;
    if (count == 1)
        fprintf(to, " [%" PRIu32 "]", instr->imm);
    else if (count == 2)
        fprintf(to, " [%" PRIu32 " %" PRIu32 "]", instr->imm, instr->imm2);
}

void ir_print_instr(FILE *to, const struct ir_instr *instr)
{
    if (instr->value.bits) {
        print_name(to, instr);
        fputs(" = ", to);
    }
    fputs(ir_op_infos[instr->op].text, to);
    if (instr->relaxed)
        fputs(".relaxed", to);
    if (instr->exact)
        fputs(".exact", to);
    print_imms(to, instr);
    if (instr->op == IR_UNIFORM)
        print_uniform(to, &instr->uniform);
    else if (instr->op == IR_TEX)
        print_tex(to, &instr->tex);
    else if (instr->op == IR_SAMPLE)
        print_sample(to, &instr->sample);
    for (uint32_t i = 0; i < instr->src_count; i++) {
        fputc(' ', to);
        print_name(to, instr->src[i].def);
    }
    if (instr->op == IR_CONST && instr->value.bits == 32 && (instr->imm >> 23 & 0xff) - 64 < 128)
        fprintf(to, " ; %g", (double)util_uif(instr->imm));
    fputc('\n', to);
}

/* ---------------------------------------------------------------- control flow */

static void print_list(FILE *to, struct util_list *list, int depth);

static void indent(FILE *to, int depth)
{
    fprintf(to, "%*s", 4 * depth, "");
}

static void print_node(FILE *to, struct ir_node *node, int depth)
{
    switch ((enum ir_node_kind)node->kind) {
    case IR_NODE_BLOCK:
        ir_for_each_instr(instr, ir_node_as_block(node)) {
            indent(to, depth);
            ir_print_instr(to, instr);
        }
        break;
    case IR_NODE_IF: {
        struct ir_if *nif = ir_node_as_if(node);
        indent(to, depth);
        fputs("if ", to);
        print_name(to, nif->cond.def);
        fputs(" {\n", to);
        print_list(to, &nif->then_list, depth + 1);
        indent(to, depth);
        fputs("} else {\n", to);
        print_list(to, &nif->else_list, depth + 1);
        indent(to, depth);
        fputs("}\n", to);
        break;
    }
    case IR_NODE_LOOP:
        indent(to, depth);
        fputs(ir_node_as_loop(node)->rolled ? "loop rolled {\n" : "loop {\n", to);
        print_list(to, &ir_node_as_loop(node)->body, depth + 1);
        indent(to, depth);
        fputs("}\n", to);
        break;
    }
}

static void print_list(FILE *to, struct util_list *list, int depth)
{
    util_list_for_each(struct ir_node, node, list, link)
        print_node(to, node, depth);
}

/* ---------------------------------------------------------------- shader */

static void print_tables(FILE *to, struct ir_shader *shader)
{
    for (uint32_t i = 0; i < shader->texture_count; i++) {
        const struct vc4c_texture_ref *t = &shader->textures[i];
        fprintf(to, "texture %u %u %u %u %u %u %u\n", t->image_set, t->image_binding, t->image_index, t->sampler_set,
                t->sampler_binding, t->sampler_index, t->fetch_only);
    }
    for (uint32_t i = 0; i < shader->buffer_count; i++) {
        const struct vc4c_buffer_ref *b = &shader->buffers[i];
        fprintf(to, "buffer %u %u %u %u\n", b->set, b->binding, b->index, b->storage);
    }
    for (uint32_t i = 0; i < shader->input_count; i++) {
        const struct vc4c_varying *v = &shader->inputs[i];
        fprintf(to, "input %u %u %u %u %u\n", v->location, v->component, v->flat, v->noperspective, v->point_coord);
    }
    for (uint32_t i = 0; i < shader->attribute_count; i++) {
        const struct vc4c_attribute *a = &shader->attributes[i];
        fprintf(to, "attribute %u %u %u\n", a->location, a->vpm_B, a->size_B);
    }
    for (uint32_t i = 0; i < shader->expr_count; i++) {
        const struct vc4c_expr *e = &shader->exprs[i];
        fprintf(to, "expr %u %u %u %u", e->op, e->src[0], e->src[1], e->src[2]);
        print_uniform(to, &e->word);
        fputc('\n', to);
    }
    for (uint32_t i = 0; i < shader->table_count; i++) {
        const struct ir_table *t = &shader->tables[i];
        fprintf(to, "table %" PRIu32, t->count);
        for (uint32_t k = 0; k < t->count; k++)
            fprintf(to, "%s0x%" PRIx32, k && k % 16 == 0 ? "\n    " : " ", t->words[k]);
        fputc('\n', to);
    }
    for (uint32_t i = 0; i < shader->variable_count; i++)
        fprintf(to, "variable %" PRIu32 " %u\n", shader->variables[i].words, shader->variables[i].bits);
}

void ir_print(FILE *to, struct ir_shader *shader)
{
    fprintf(to, "shader %s\n", ir_program_kind_names[shader->kind]);
    if (shader->primitive)
        fprintf(to, "primitive %s\n", ir_primitive_names[shader->primitive]);
    if (shader->writes_z_late)
        fputs("writes_z_late\n", to);
    if (shader->reads_color)
        fputs("reads_color\n", to);
    if (shader->is_engine)
        fputs("engine\n", to);
    if (shader->lowered)
        fputs("lowered\n", to);
    print_tables(to, shader);
    fputs("{\n", to);
    print_list(to, &shader->body, 1);
    fputs("}\n", to);
}
