/* SPDX-License-Identifier: MIT
 *
 * Lowers the inputs and outputs of stages that write records (vc4c.h) to accesses of memory by address. Lane l of
 * workgroup x runs vertex, or invocation of a geometry shader, 16 x + l. Its inputs are in block x of the input, its
 * record in block x of the output.
 *
 * The inputs were written before the program began, so they are read through the texture unit. A program that stores to
 * memory of the application cannot change them.
 */
#include "compiler/lower/lower.h"
#include "hw/qpu.h"
#include "spv_gen.h"

#define ROW_B (4 * QPU_LANES)

struct records {
    struct ir_builder b;             /* at the program's start */
    struct ir_instr *input, *output; /* addresses of this lane's first word */
    enum vc4c_stage stage;
};

uint32_t ir_record_word_of(const struct ir_instr *store)
{
    const uint32_t at = store->imm, component = store->imm2;
    if (store->op == IR_STORE_BUILTIN)
        return at == SpvBuiltInPosition    ? VC4C_RECORD_POSITION + component
               : at == SpvBuiltInPointSize ? VC4C_RECORD_POINT_SIZE
                                           : VC4C_RECORD_WORDS;
    if (at < IR_USER_LOCATIONS)
        return VC4C_RECORD_USER + 4 * at + component;
    if (at == VC4C_TARGET_LOCATION)
        return component == VC4C_TARGET_PRIMITIVE ? VC4C_RECORD_PRIMITIVE : VC4C_RECORD_LAYER + component;
    if (at >= IR_CULL_LOCATION && at < IR_CULL_LOCATION + 2)
        return VC4C_RECORD_CULL + 4 * (at - IR_CULL_LOCATION) + component;
    return at < IR_CLIP_LOCATION + 2 ? VC4C_RECORD_CLIP + 4 * (at - IR_CLIP_LOCATION) + component : VC4C_RECORD_WORDS;
}

static struct ir_instr *word_of(struct ir_builder *b, enum vc4c_records_word word)
{
    return ir_uniform(b, VC4C_UNIFORM_RECORDS, 0, word);
}

/* The address of this lane's word in the first row of block x. */
static struct ir_instr *lane_address(struct ir_builder *b, struct ir_instr *x, enum vc4c_records_word base,
                                     enum vc4c_records_word stride)
{
    struct ir_instr *block = ir_build2(b, IR_MUL24, x, word_of(b, stride));
    struct ir_instr *lane = ir_build2(b, IR_SHL, ir_build0(b, IR_ELEMENT), ir_const(b, 2));
    return ir_build2(b, IR_IADD, ir_build2(b, IR_IADD, word_of(b, base), block), lane);
}

static struct ir_instr *row(struct ir_builder *b, struct ir_instr *first, uint32_t number)
{
    return number ? ir_build2(b, IR_IADD, first, ir_const(b, number * ROW_B)) : first;
}

static struct ir_instr *fetch(struct ir_builder *b, struct ir_instr *first, uint32_t number)
{
    return ir_build1(b, IR_ENGINE_FETCH, row(b, first, number));
}

static void begin(struct records *r, struct ir_shader *shader)
{
    r->b = ir_at_start(shader, ir_first_block(shader));
    struct ir_instr *x = ir_build(&r->b, IR_LOAD_BUILTIN, 32, 0, NULL);
    x->imm = SpvBuiltInWorkgroupId;
    r->input = lane_address(&r->b, x, VC4C_RECORDS_INPUT, VC4C_RECORDS_INPUT_STRIDE);
    r->output = lane_address(&r->b, x, VC4C_RECORDS_OUTPUT, VC4C_RECORDS_OUTPUT_STRIDE);
    r->stage = shader->records_stage;
}

/* ---------------------------------------------------------------- inputs */

/* NULL: a built-in that all compute programs have, or none. */
static struct ir_instr *vertex_builtin(struct records *r, struct ir_builder *b, const struct ir_instr *load)
{
    switch (load->imm) {
    case SpvBuiltInVertexIndex:
        return fetch(b, r->input, VC4C_VERTEX_INPUT_INDEX);
    case SpvBuiltInInstanceIndex:
        return fetch(b, r->input, VC4C_VERTEX_INPUT_INSTANCE);
    case SpvBuiltInBaseVertex:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 0);
    case SpvBuiltInBaseInstance:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 1);
    case SpvBuiltInDrawIndex:
        return ir_uniform(b, VC4C_UNIFORM_DRAW, 0, 2);
    default:
        return NULL;
    }
}

static struct ir_instr *geometry_builtin(struct records *r, struct ir_builder *b, const struct ir_instr *load)
{
    switch (load->imm) {
    case SpvBuiltInPrimitiveId:
        return fetch(b, r->input, VC4C_PRIMITIVE_ID);
    case SpvBuiltInInvocationId:
        return fetch(b, r->input, VC4C_PRIMITIVE_INVOCATION);
    default:
        return NULL;
    }
}

static struct ir_instr *lower_load(struct records *r, struct ir_builder *b, const struct ir_instr *load)
{
    switch (load->op) {
    case IR_LOAD_INPUT:
        return fetch(b, r->input, 4 * load->imm + load->imm2);
    case IR_LOAD_RECORD:
        return fetch(b, fetch(b, r->input, load->imm2), load->imm);
    default:
        if (load->imm == SpvBuiltInViewIndex)
            return ir_uniform(b, VC4C_UNIFORM_VIEW_INDEX, 0, 0);
        return r->stage == VC4C_STAGE_GEOMETRY ? geometry_builtin(r, b, load)
               : r->stage == VC4C_STAGE_VERTEX ? vertex_builtin(r, b, load)
                                               : NULL;
    }
}

/* ---------------------------------------------------------------- outputs */

static void store(struct ir_builder *b, struct ir_instr *address, struct ir_instr *value)
{
    if (value->op != IR_UNDEF)
        ir_build2(b, IR_ENGINE_STORE, address, value);
}

/* Emitted vertices lie behind the row with their number, and each is behind its own control word. */
static void lower_emitted(struct records *r, struct ir_builder *b, const struct ir_instr *instr)
{
    if (instr->imm == IR_RECORD_ADDRESS) {
        store(b, instr->src[0].def, instr->src[1].def);
        return;
    }
    if (instr->imm == IR_RECORD_COUNT) {
        store(b, r->output, instr->src[1].def);
        return;
    }
    struct ir_instr *offset = ir_build2(b, IR_MUL24, instr->src[0].def, word_of(b, VC4C_RECORDS_VERTEX_STRIDE));
    struct ir_instr *vertex = ir_build2(b, IR_IADD, r->output, offset);
    store(b, row(b, vertex, instr->imm == IR_RECORD_CONTROL ? 1 : 2 + instr->imm), instr->src[1].def);
}

static enum vc4c_result lower(struct records *r, struct ir_instr *instr, struct vc4c_error *error)
{
    struct ir_builder b = ir_before(r->b.shader, instr);
    struct ir_instr *by;
    switch (instr->op) {
    case IR_LOAD_INPUT:
        if (instr->imm >= VC4C_MAX_APPLICATION_ATTRIBUTES)
            return ir_lower_error(error, VC4C_UNSUPPORTED, instr, "vertex attribute at location %u is not supported",
                                  instr->imm);
        break;
    case IR_LOAD_RECORD:
    case IR_LOAD_BUILTIN:
        break;
    case IR_STORE_OUTPUT:
    case IR_STORE_BUILTIN:
        if (ir_record_word_of(instr) < VC4C_RECORD_WORDS)
            store(&b, row(&b, r->output, ir_record_word_of(instr)), instr->src[0].def);
        ir_remove(instr);
        return VC4C_OK;
    case IR_STORE_RECORD:
        lower_emitted(r, &b, instr);
        ir_remove(instr);
        return VC4C_OK;
    default:
        return VC4C_OK;
    }
    by = lower_load(r, &b, instr);
    if (by) {
        ir_replace_uses(instr, by);
        ir_remove(instr);
    }
    return VC4C_OK;
}

enum vc4c_result ir_lower_records(struct ir_shader *shader, struct vc4c_error *error)
{
    struct records r;
    begin(&r, shader);
    enum vc4c_result result = VC4C_OK;
    ir_for_each_block(block, shader)
        ir_for_each_instr_safe(instr, block)
            if (result == VC4C_OK)
                result = lower(&r, instr, error);
    return result;
}
