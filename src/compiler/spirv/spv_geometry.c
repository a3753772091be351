/* SPDX-License-Identifier: MIT
 *
 * What is special about shaders that write records: their lanes, and the vertices that geometry shaders emit.
 *
 * A geometry shader's outputs are variables, like those of other stages. Emitting a vertex stores them to the record of
 * the next vertex of this invocation, together with a word that says whether the vertex begins a strip and for which
 * stream it is. Vertices beyond the declared maximum are dropped, so no shader leaves its memory.
 */
#include "compiler/spirv/spv_engine.h"
#include "hw/qpu.h"

void spv_begin_records(struct spv *s)
{
    const bool is_geometry = s->entry->stage == VC4C_STAGE_GEOMETRY;
    struct vc4c_geometry *g = &s->shader->geometry;
    if (s->shader->kind != VC4C_PROGRAM_COMPUTE || s->entry->stage == VC4C_STAGE_COMPUTE)
        return;
    s->shader->writes_records = true;
    s->shader->records_stage = s->entry->stage;
    if (spv_has_groups(s))
        return;
    s->shader->local_size[0] = QPU_LANES;
    s->shader->local_size[1] = s->shader->local_size[2] = 1;
    if (is_geometry && (!g->input_vertices || !g->output_vertices))
        spv_invalid(s, "a geometry shader without input or output primitive");
    if (is_geometry && !g->invocations)
        g->invocations = 1;
}

void spv_begin_emitting(struct spv *s)
{
    if (s->entry->stage != VC4C_STAGE_GEOMETRY)
        return;
    s->emitted_variable = spv_new_ir_variable(s, 1, 32);
    spv_store_var(s, s->emitted_variable, 0, ir_const(&s->b, 0));
    for (uint32_t i = 0; i < VC4C_MAX_STREAMS; i++)
        spv_store_var(s, spv_new_ir_variable(s, 1, 32), 0, ir_const(&s->b, VC4C_EMITTED_BEGINS));
}

void spv_end_emitting(struct spv *s)
{
    struct ir_instr *count = spv_load_var(s, s->emitted_variable, 0);
    ir_build2(&s->b, IR_STORE_RECORD, ir_const(&s->b, 0), count)->imm = IR_RECORD_COUNT;
}

/* The stream of EmitStreamVertex or EndStreamPrimitive. */
static uint32_t stream_of(struct spv *s, const struct spv_instr *in)
{
    const uint32_t stream = spv_const_word(s, in->words[1]);
    if (stream >= VC4C_MAX_STREAMS)
        spv_unsupported(s, "stream %u, the limit is %u", stream, VC4C_MAX_STREAMS - 1);
    return stream;
}

static void emit_vertex(struct spv *s, uint32_t stream)
{
    struct ir_builder *b = &s->b;
    const uint32_t begins = s->emitted_variable + 1 + stream;
    struct ir_instr *number = spv_load_var(s, s->emitted_variable, 0);
    struct ir_if *fits = ir_push_if(b, ir_build2(b, IR_ULT, number, ir_const(b, s->shader->geometry.max_vertices)));
    struct ir_instr *control = spv_load_var(s, begins, 0);
    if (stream)
        control = ir_build2(b, IR_OR, control, ir_const(b, stream << VC4C_EMITTED_STREAM));
    ir_build2(b, IR_STORE_RECORD, number, control)->imm = IR_RECORD_CONTROL;
    spv_store_record(s, number);
    spv_store_var(s, begins, 0, ir_const(b, 0));
    spv_store_var(s, s->emitted_variable, 0, ir_build2(b, IR_IADD, number, ir_const(b, 1)));
    ir_push_else(b, fits);
    ir_pop_if(b, fits);
}

static void end_strip(struct spv *s, uint32_t stream)
{
    spv_store_var(s, s->emitted_variable + 1 + stream, 0, ir_const(&s->b, VC4C_EMITTED_BEGINS));
}

bool spv_translate_emit(struct spv *s, const struct spv_instr *in)
{
    const bool emits = in->op == SpvOpEmitVertex || in->op == SpvOpEmitStreamVertex;
    if (!emits && in->op != SpvOpEndPrimitive && in->op != SpvOpEndStreamPrimitive)
        return false;
    if (s->entry->stage != VC4C_STAGE_GEOMETRY)
        spv_invalid(s, "vertices are emitted in a stage other than geometry");
    const bool names_stream = in->op == SpvOpEmitStreamVertex || in->op == SpvOpEndStreamPrimitive;
    const uint32_t stream = names_stream ? stream_of(s, in) : 0;
    if (emits)
        emit_vertex(s, stream);
    else
        end_strip(s, stream);
    return true;
}
