/* SPDX-License-Identifier: MIT
 *
 * Functions. Every call is inlined, because the chip has no stack. The ids of a function get new values each time it is
 * inlined. This is sound because SPIR-V forbids recursion, which is checked here.
 */
#include "compiler/spirv/spv.h"

#define MAX_CALL_DEPTH 64

/* ---------------------------------------------------------------- finding functions and blocks */

void spv_find_functions(struct spv *s, uint32_t offset)
{
    while (offset < s->m->word_count) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        if (in.op == SpvOpFunction)
            s->ids[in.words[2]] = (struct spv_id){.kind = SPV_FUNCTION, .offset = offset};
        else if (in.op == SpvOpLabel)
            s->ids[in.words[1]] = (struct spv_id){.kind = SPV_LABEL, .offset = offset};
        else if (in.op == SpvOpUndef) /* allowed in functions too; used like a constant */
            s->ids[in.words[2]] = (struct spv_id){.kind = SPV_UNDEF, .type = spv_type(s, in.words[1])};
        offset += in.count;
    }
}

uint32_t spv_label_offset(struct spv *s, uint32_t id)
{
    if (s->ids[id].kind != SPV_LABEL)
        spv_invalid(s, "the target of a branch is not a label");
    return s->ids[id].offset;
}

/* ---------------------------------------------------------------- inlining */

static uint32_t check_not_recursive(struct spv *s, uint32_t id)
{
    uint32_t depth = 0;
    for (const struct spv_function *f = s->function; f; f = f->caller, depth++)
        if (f->id == id)
            spv_invalid(s, "a function calls itself, directly or through others");
    if (depth >= MAX_CALL_DEPTH)
        spv_unsupported(s, "calls nested more than %u deep", MAX_CALL_DEPTH);
    return s->ids[id].offset;
}

/* Binds the parameters and returns the first label. */
static uint32_t bind_parameters(struct spv *s, uint32_t offset, const uint32_t *args, uint32_t arg_count)
{
    uint32_t bound = 0;
    for (offset += spv_instr_at(s->m, offset).count; offset < s->m->word_count;) {
        struct spv_instr in = spv_instr_at(s->m, offset);
        if (in.op == SpvOpLabel) {
            if (bound != arg_count)
                spv_invalid(s, "a call with %u arguments, the function has %u parameters", arg_count, bound);
            return in.words[1];
        }
        if (in.op == SpvOpFunctionParameter) {
            if (bound == arg_count)
                spv_invalid(s, "a call with %u arguments, the function has more parameters", arg_count);
            const struct spv_id *arg = &s->ids[args[bound++]];
            const struct spv_type *type = spv_type(s, in.words[1]);
            bool is_value = arg->kind == SPV_VALUE || arg->kind == SPV_CONSTANT || arg->kind == SPV_UNDEF;
            if (is_value ? arg->type->scalars != type->scalars : arg->kind != SPV_POINTER && arg->kind != SPV_TEXTURE)
                spv_invalid(s, "argument %u does not match the type of its parameter", bound - 1);
            s->ids[in.words[2]] = *arg;
        } else if (in.op != SpvOpLine && in.op != SpvOpNoLine && in.op != SpvOpExtInst) {
            break; /* an extended instruction here can only be of a set without meaning */
        }
        offset += in.count;
    }
    spv_unsupported(s, "a function without a body");
}

/* Returns NULL if the function never returns. */
static struct spv_function *inline_function(struct spv *s, uint32_t id, const uint32_t *args, uint32_t arg_count)
{
    if (s->ids[id].kind != SPV_FUNCTION)
        spv_invalid(s, "the callee is not a function");
    uint32_t offset = check_not_recursive(s, id);
    struct spv_function *f = util_arena_new(s->arena, struct spv_function);
    *f = (struct spv_function){.caller = s->function, .id = id,
                               .result = spv_type(s, s->m->words[offset + 1]),
                               .result_variables = s->shader->variable_count};
    if (f->result->scalars > SPV_MAX_SCALARS || (!spv_has_values(f->result) && f->result->kind != SPV_TYPE_VOID))
        spv_unsupported(s, "a function that returns %u scalars, the limit is %u", f->result->scalars, SPV_MAX_SCALARS);
    for (uint32_t i = 0; i < f->result->scalars; i++)
        spv_new_ir_variable(s, 1, spv_scalar_bits(spv_scalar_at(f->result, i)));
    spv_collect_phis(s, offset);
    uint32_t label = bind_parameters(s, offset, args, arg_count);
    s->function = f;
    bool returns = spv_translate_body(s, label);
    s->function = f->caller;
    return returns ? f : NULL;
}

void spv_inline_entry(struct spv *s, uint32_t function_id)
{
    inline_function(s, function_id, NULL, 0);
}

bool spv_translate_call(struct spv *s, const struct spv_instr *in)
{
    struct spv_function *f = inline_function(s, in->words[3], in->words + 4, in->count - 4u);
    if (!f)
        return false;
    if (f->result->kind == SPV_TYPE_VOID)
        return true;
    struct ir_instr **out = spv_define(s, in->words[2], f->result, NULL);
    for (uint32_t i = 0; i < f->result->scalars; i++)
        out[i] = spv_load_var(s, f->result_variables + i, 0);
    return true;
}
