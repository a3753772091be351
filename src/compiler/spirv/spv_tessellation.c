/* SPDX-License-Identifier: MIT
 *
 * Tessellation stages: their execution modes, and where the records and words of patches are.
 *
 * Vertices of patches have any index, and invocations of a control shader read what others have written. So inputs of
 * patches, and all outputs of control shaders, live in memory (spv_io_memory.c), where vc4c.h says: a word of a vertex
 * is in its record, a word of a whole patch among the patch's own words. No index leads outside of them.
 *
 * The invocations of as many patches as fit are the lanes of one subgroup; a patch of more than 16 vertices has two
 * subgroups of its own. Either way they form a workgroup, so barriers are those of compute shaders.
 */
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"
#include "hw/qpu.h"

#define ROW_B (4u * QPU_LANES)

static bool is_control(const struct spv *s)
{
    return s->entry->stage == VC4C_STAGE_TESS_CONTROL;
}

static bool is_tessellation(const struct spv *s)
{
    return is_control(s) || s->entry->stage == VC4C_STAGE_TESS_EVALUATION;
}

/* ---------------------------------------------------------------- modes */

static void read_output_vertices(struct spv *s, uint32_t count)
{
    if (!count || count > VC4C_MAX_PATCH_VERTICES)
        spv_unsupported(s, "output patches of %u vertices, the limit is %u", count, VC4C_MAX_PATCH_VERTICES);
    s->shader->tessellation.output_vertices = (uint8_t)count;
}

bool spv_read_tessellation_mode(struct spv *s, const struct spv_instr *in)
{
    struct vc4c_tessellation *t = &s->shader->tessellation;
    if (!is_tessellation(s))
        return false;
    switch (in->words[2]) {
    case SpvExecutionModeOutputVertices:
        read_output_vertices(s, in->words[3]);
        return true;
    case SpvExecutionModeTriangles:
        t->domain = VC4C_DOMAIN_TRIANGLES;
        return true;
    case SpvExecutionModeQuads:
        t->domain = VC4C_DOMAIN_QUADS;
        return true;
    case SpvExecutionModeIsolines:
        t->domain = VC4C_DOMAIN_ISOLINES;
        return true;
    case SpvExecutionModeSpacingEqual:
        t->spacing = VC4C_SPACING_EQUAL;
        return true;
    case SpvExecutionModeSpacingFractionalEven:
        t->spacing = VC4C_SPACING_EVEN;
        return true;
    case SpvExecutionModeSpacingFractionalOdd:
        t->spacing = VC4C_SPACING_ODD;
        return true;
    case SpvExecutionModeVertexOrderCw:
        t->order = VC4C_ORDER_CLOCKWISE;
        return true;
    case SpvExecutionModeVertexOrderCcw:
        t->order = VC4C_ORDER_COUNTERCLOCKWISE;
        return true;
    case SpvExecutionModePointMode:
        t->point_mode = 1;
        return true;
    default:
        return false;
    }
}

void spv_begin_tessellation(struct spv *s)
{
    struct vc4c_tessellation *t = &s->shader->tessellation;
    if (!is_control(s))
        return;
    if (!t->output_vertices)
        t->output_vertices = s->entry->patch_vertices;
    if (!t->output_vertices || t->output_vertices > VC4C_MAX_PATCH_VERTICES)
        spv_invalid(s, "a tessellation control shader without OutputVertices");
    s->shader->local_size[0] = vc4c_patches_per_group(t->output_vertices) * t->output_vertices;
}

/* ---------------------------------------------------------------- the lane's patch */

static struct ir_instr *multiply(struct spv *s, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(&s->b, IR_MUL24, x, y);
}

/* x / d for x below 32 and d up to 16: m = 2^10 / d, rounded up, exceeds 2^10 / d by less than 1, so that m x / 2^10
 * exceeds x / d by less than 32 / 2^10, which is less than 1 / d. */
static struct ir_instr *divide(struct spv *s, struct ir_instr *x, uint32_t d)
{
    return ir_build2(&s->b, IR_SHR, multiply(s, x, ir_const(&s->b, 0x3ffu / d + 1)), ir_const(&s->b, 10));
}

static void begin_control_patch(struct spv *s)
{
    struct ir_builder *b = &s->b;
    const uint32_t vertices = s->shader->tessellation.output_vertices, per_group = vc4c_patches_per_group(vertices);
    struct ir_instr *group = spv_builtin(s, SpvBuiltInWorkgroupId, 0),
                    *lane = spv_builtin(s, SpvBuiltInLocalInvocationIndex, 0);
    struct ir_instr *first = multiply(s, group, spv_records_word(s, VC4C_RECORDS_OUTPUT_STRIDE)), *number = group;
    s->patch_vertices = spv_add(s, spv_records_word(s, VC4C_RECORDS_OUTPUT), first);
    s->patch_invocation = lane;
    if (per_group > 1) {
        struct ir_instr *in_group = divide(s, lane, vertices);
        struct ir_instr *lanes_before = multiply(s, in_group, ir_const(b, vertices));
        number = spv_add(s, multiply(s, group, ir_const(b, per_group)), in_group);
        s->patch_invocation = ir_build2(b, IR_ISUB, lane, lanes_before);
        s->patch_vertices = spv_add(s, s->patch_vertices, ir_build2(b, IR_SHL, lanes_before, ir_const(b, 2)));
    }
    s->patch_input = spv_add(s, spv_records_word(s, VC4C_RECORDS_INPUT),
                             multiply(s, number, spv_records_word(s, VC4C_RECORDS_INPUT_STRIDE)));
    s->patch_own =
        spv_add(s, spv_records_word(s, VC4C_RECORDS_PATCHES), multiply(s, number, ir_const(b, VC4C_PATCH_B)));
}

static struct ir_instr *evaluation_word(struct spv *s, uint32_t word)
{
    struct ir_instr *load = ir_build0(&s->b, IR_LOAD_INPUT);
    load->imm = word / 4;
    load->imm2 = word % 4;
    return load;
}

void spv_begin_patch(struct spv *s)
{
    if (is_control(s)) {
        begin_control_patch(s);
    } else if (is_tessellation(s)) {
        s->patch_vertices = evaluation_word(s, VC4C_EVALUATION_VERTICES);
        s->patch_own = evaluation_word(s, VC4C_EVALUATION_PATCH);
    }
}

struct ir_instr *spv_patch_builtin(struct spv *s, uint32_t number, uint32_t component)
{
    if (!is_tessellation(s))
        return NULL;
    switch (number) {
    case SpvBuiltInPatchVertices:
        return spv_records_word(s, VC4C_RECORDS_PATCH_VERTICES);
    case SpvBuiltInPrimitiveId:
        return is_control(s) ? ir_build1(&s->b, IR_ENGINE_FETCH, spv_add_const(s, s->patch_input, 4 * VC4C_CONTROL_ID))
                             : evaluation_word(s, VC4C_EVALUATION_ID);
    case SpvBuiltInInvocationId:
        return is_control(s) ? s->patch_invocation : NULL;
    case SpvBuiltInTessCoord:
        return is_control(s) ? NULL : evaluation_word(s, VC4C_EVALUATION_COORD + MIN2(component, 2u));
    default:
        return NULL;
    }
}

/* ---------------------------------------------------------------- variables */

static bool is_level(uint32_t number)
{
    return number == SpvBuiltInTessLevelOuter || number == SpvBuiltInTessLevelInner;
}

bool spv_is_of_whole_patch(const struct spv_var *var)
{
    const struct spv_type *block = var->type;
    while (block->kind == SPV_TYPE_ARRAY)
        block = block->elem;
    bool is = var->decor->patch || is_level(var->decor->builtin);
    for (uint32_t i = 0; i < block->count && block->kind == SPV_TYPE_STRUCT; i++)
        is |= block->layouts[i]->patch || is_level(block->layouts[i]->builtin);
    return is;
}

bool spv_is_of_patch(const struct spv *s, const struct spv_var *var)
{
    if (var->storage == SpvStorageClassOutput)
        return is_control(s);
    if (var->storage != SpvStorageClassInput || !is_tessellation(s))
        return false;
    /* some compilers decorate TessCoord with Patch */
    return var->type->kind == SPV_TYPE_ARRAY || is_level(var->decor->builtin) || var->decor->builtin == SPV_NO_NUMBER;
}

uint32_t spv_patch_word(uint32_t number, uint32_t location, uint32_t component)
{
    switch (number) {
    case SPV_NO_NUMBER:
        return VC4C_PATCH_USER + 4 * location + component;
    case SpvBuiltInTessLevelOuter:
        return component < 4 ? VC4C_PATCH_OUTER + component : VC4C_PATCH_WORDS;
    case SpvBuiltInTessLevelInner:
        return component < 2 ? VC4C_PATCH_INNER + component : VC4C_PATCH_WORDS;
    default:
        return VC4C_PATCH_WORDS;
    }
}

/* ---------------------------------------------------------------- addresses */

/* The address of the record of a vertex in the control program's input. */
static struct ir_instr *input_record(struct spv *s, struct ir_instr *vertex)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *index = ir_build2(b, IR_UMIN, vertex, ir_const(b, VC4C_MAX_PATCH_VERTICES - 1));
    return ir_build1(b, IR_ENGINE_FETCH, spv_add(s, s->patch_input, ir_build2(b, IR_SHL, index, ir_const(b, 2))));
}

struct ir_instr *spv_patch_record(struct spv *s, const struct spv_var *var, struct ir_instr *vertex)
{
    struct ir_builder *b = &s->b;
    const uint32_t vertices = is_control(s) ? s->shader->tessellation.output_vertices : VC4C_MAX_PATCH_VERTICES;
    if (is_control(s) && var->storage == SpvStorageClassInput)
        return input_record(s, vertex);
    struct ir_instr *last =
        is_control(s) ? ir_const(b, vertices - 1)
                      : ir_build2(b, IR_ISUB, spv_records_word(s, VC4C_RECORDS_PATCH_VERTICES), ir_const(b, 1));
    struct ir_instr *index = ir_build2(b, IR_UMIN, vertex, last);
    return spv_record_address(s, s->patch_vertices, spv_records_word(s, VC4C_RECORDS_VERTEX_STRIDE), index, vertices);
}
