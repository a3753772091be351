/* SPDX-License-Identifier: MIT
 *
 * Task and mesh shaders: their execution modes, their place among the workgroups of the application, and where the
 * records of vertices and primitives, and the payload, are. [SPV_EXT_mesh_shader]
 *
 * A run has one row of workgroups, whatever the draw's grid is, because it may have a part of the grid, or the meshes
 * of several tasks. So what the application sees of a workgroup's place is read from the workgroup's input. The numbers
 * of vertices, primitives and mesh workgroups are those of the first invocation; the caller clamps them. No index of an
 * output leads outside of the workgroup's memory.
 */
#include "compiler/spirv/spv_engine.h"

static bool is_task(const struct spv *s)
{
    return s->entry->stage == VC4C_STAGE_TASK;
}

static bool is_mesh(const struct spv *s)
{
    return s->entry->stage == VC4C_STAGE_MESH;
}

bool spv_has_groups(const struct spv *s)
{
    return vc4c_is_mesh_stage(s->entry->stage);
}

/* ---------------------------------------------------------------- modes */

static uint16_t read_count(struct spv *s, const struct spv_instr *in, const char *what, uint32_t most)
{
    const uint32_t count = in->words[3];
    if (count > most)
        spv_unsupported(s, "a mesh of %u %s, the limit is %u", count, what, most);
    return (uint16_t)count;
}

bool spv_read_mesh_mode(struct spv *s, const struct spv_instr *in)
{
    struct vc4c_mesh *mesh = &s->shader->mesh;
    if (!is_mesh(s))
        return false;
    switch (in->words[2]) {
    case SpvExecutionModeOutputVertices:
        mesh->max_vertices = read_count(s, in, "vertices", VC4C_MAX_MESH_VERTICES);
        return true;
    case SpvExecutionModeOutputPrimitivesEXT:
        mesh->max_primitives = read_count(s, in, "primitives", VC4C_MAX_MESH_PRIMITIVES);
        return true;
    case SpvExecutionModeOutputPoints:
        mesh->corners = 1;
        return true;
    case SpvExecutionModeOutputLinesEXT:
        mesh->corners = 2;
        return true;
    case SpvExecutionModeOutputTrianglesEXT:
        mesh->corners = 3;
        return true;
    default:
        return false;
    }
}

/* ---------------------------------------------------------------- the workgroup */

static struct ir_instr *of_group(struct spv *s, enum vc4c_records_word base, enum vc4c_records_word stride)
{
    struct ir_instr *number = spv_builtin(s, SpvBuiltInWorkgroupId, 0); /* in the run */
    return spv_add(s, spv_records_word(s, base), ir_build2(&s->b, IR_MUL24, number, spv_records_word(s, stride)));
}

static struct ir_instr *group_word(struct spv *s, uint32_t word)
{
    return ir_build1(&s->b, IR_ENGINE_FETCH, spv_add_const(s, s->group_input, 4 * word));
}

void spv_begin_group(struct spv *s)
{
    if (!spv_has_groups(s))
        return;
    if (is_mesh(s) && !s->shader->mesh.corners)
        spv_invalid(s, "a mesh shader without output primitives");
    s->group_input = of_group(s, VC4C_RECORDS_INPUT, VC4C_RECORDS_INPUT_STRIDE);
    s->group_output = of_group(s, VC4C_RECORDS_OUTPUT, VC4C_RECORDS_OUTPUT_STRIDE);
    s->payload = group_word(s, VC4C_GROUP_PAYLOAD);
    if (is_mesh(s)) {
        s->mesh_vertices = spv_add_const(s, s->group_output, VC4C_MESH_HEADER_B);
        s->mesh_primitives = spv_add(s, s->group_output, spv_records_word(s, VC4C_RECORDS_PRIMITIVES));
    }
}

struct ir_instr *spv_group_builtin(struct spv *s, uint32_t number, uint32_t component)
{
    if (!spv_has_groups(s))
        return NULL;
    const uint32_t c = MIN2(component, 2u);
    switch (number) {
    case SpvBuiltInWorkgroupId:
        return group_word(s, VC4C_GROUP_ID + c);
    case SpvBuiltInNumWorkgroups:
        return group_word(s, VC4C_GROUP_COUNT + c);
    case SpvBuiltInGlobalInvocationId: {
        struct ir_instr *size = ir_const(&s->b, s->shader->local_size[c]);
        struct ir_instr *before = ir_build2(&s->b, IR_MUL24, group_word(s, VC4C_GROUP_ID + c), size);
        return spv_add(s, before, spv_builtin(s, SpvBuiltInLocalInvocationId, c));
    }
    case SpvBuiltInDrawIndex:
        return ir_uniform(&s->b, VC4C_UNIFORM_DRAW, 0, 2);
    default:
        return NULL;
    }
}

/* ---------------------------------------------------------------- outputs */

static bool is_primitive_builtin(uint32_t number)
{
    switch (number) {
    case SpvBuiltInPrimitivePointIndicesEXT:
    case SpvBuiltInPrimitiveLineIndicesEXT:
    case SpvBuiltInPrimitiveTriangleIndicesEXT:
    case SpvBuiltInCullPrimitiveEXT:
    case SpvBuiltInPrimitiveId:
    case SpvBuiltInLayer:
    case SpvBuiltInViewportIndex:
        return true;
    default:
        return false;
    }
}

bool spv_is_of_mesh(const struct spv *s, const struct spv_var *var)
{
    return is_mesh(s) && var->storage == SpvStorageClassOutput;
}

bool spv_is_of_primitives(const struct spv *s, const struct spv_var *var)
{
    const struct spv_type *block = var->type->kind == SPV_TYPE_ARRAY ? var->type->elem : var->type;
    if (!spv_is_of_mesh(s, var))
        return false;
    bool is = var->decor->per_primitive || is_primitive_builtin(var->decor->builtin);
    for (uint32_t i = 0; i < block->count && block->kind == SPV_TYPE_STRUCT; i++)
        is |= block->layouts[i]->per_primitive || is_primitive_builtin(block->layouts[i]->builtin);
    return is;
}

uint32_t spv_mesh_primitive_word(uint32_t number, uint32_t location, uint32_t component)
{
    switch (number) {
    case SpvBuiltInPrimitivePointIndicesEXT:
    case SpvBuiltInPrimitiveLineIndicesEXT:
    case SpvBuiltInPrimitiveTriangleIndicesEXT:
        return component < 3 ? VC4C_MESH_INDEX + component : VC4C_RECORD_WORDS;
    case SpvBuiltInCullPrimitiveEXT:
        return VC4C_MESH_CULL;
    case SPV_NO_NUMBER:
    case SpvBuiltInPrimitiveId:
    case SpvBuiltInLayer:
    case SpvBuiltInViewportIndex:
        return spv_record_word(number, location, component);
    default: /* the shading rate, which changes nothing */
        return VC4C_RECORD_WORDS;
    }
}

struct ir_instr *spv_mesh_record(struct spv *s, const struct spv_var *var, struct ir_instr *index)
{
    const bool is_primitive = spv_is_of_primitives(s, var);
    const uint32_t count = MAX2(is_primitive ? s->shader->mesh.max_primitives : s->shader->mesh.max_vertices, 1);
    struct ir_instr *clamped = ir_build2(&s->b, IR_UMIN, index, ir_const(&s->b, count - 1));
    struct ir_instr *stride =
        spv_records_word(s, is_primitive ? VC4C_RECORDS_PRIMITIVE_STRIDE : VC4C_RECORDS_VERTEX_STRIDE);
    return spv_record_address(s, is_primitive ? s->mesh_primitives : s->mesh_vertices, stride, clamped, count);
}

void spv_note_mesh_word(struct spv *s, const struct spv_var *var, uint32_t word)
{
    struct vc4c_mesh *mesh = &s->shader->mesh;
    const bool is_primitive = spv_is_of_primitives(s, var);
    if (is_primitive && word < VC4C_RECORD_LAYER) {
        mesh->culls |= word == VC4C_MESH_CULL;
    } else if (word < VC4C_RECORD_WORDS) {
        s->shader->mesh_words[word / 32] |= BIT(word % 32);
        mesh->primitive_words[word / 32] |= is_primitive ? BIT(word % 32) : 0;
    }
}

/* ---------------------------------------------------------------- payload */

void spv_create_payload(struct spv *s)
{
    uint64_t end_B = 0;
    for (uint32_t i = 0; i < s->var_count; i++) {
        struct spv_var *var = s->vars[i];
        if (var->storage != SpvStorageClassTaskPayloadWorkgroupEXT || !var->is_interface)
            continue;
        s->offset = s->m->defs[var->id];
        if (!spv_has_values(var->type))
            spv_unsupported(s, "a payload without a size");
        var->shared_B = (uint32_t)end_B;
        end_B += 4ull * var->type->scalars;
        if (end_B > VC4C_MAX_PAYLOAD_B)
            spv_unsupported(s, "a payload of %llu bytes, the limit is %u", (unsigned long long)end_B,
                            VC4C_MAX_PAYLOAD_B);
    }
    if (!spv_has_groups(s) && end_B)
        spv_invalid(s, "a payload in a stage other than task and mesh");
    s->shader->mesh.payload_B = (uint32_t)end_B;
    s->offset = s->entry_point;
}

/* ---------------------------------------------------------------- instructions */

/* Stores words of the first invocation to the beginning of the workgroup's output. */
static void store_header(struct spv *s, const uint32_t *ids, uint32_t count)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *index = spv_builtin(s, SpvBuiltInLocalInvocationIndex, 0);
    struct ir_instr *is_first = ir_build2(b, IR_IEQ, index, ir_const(b, 0));
    for (uint32_t i = 0; i < count; i++) {
        struct ir_instr *address =
            ir_build3(b, IR_SEL, is_first, spv_add_const(s, s->group_output, 4 * i), ir_const(b, VC4C_ENGINE_NULL));
        ir_build2(b, IR_STORE_RECORD, address, spv_scalar(s, ids[i]))->imm = IR_RECORD_ADDRESS;
    }
}

bool spv_translate_mesh(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpSetMeshOutputsEXT)
        return false;
    if (!is_mesh(s))
        spv_invalid(s, "mesh outputs are set in a stage other than mesh");
    store_header(s, &in->words[1], 2);
    return true;
}

void spv_emit_tasks(struct spv *s, const struct spv_instr *in)
{
    if (!is_task(s))
        spv_invalid(s, "mesh tasks are emitted in a stage other than task");
    store_header(s, &in->words[1], 3);
}
