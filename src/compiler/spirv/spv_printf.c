/* SPDX-License-Identifier: MIT
 *
 * DebugPrintf of NonSemantic.DebugPrintf, for programs that shall print (vc4c_entry.prints). Each lane takes words of
 * the program's print memory by an atomic addition and stores a message there: the number of the call, and the values
 * of the arguments. The host makes the text of it (vc4c_print.c).
 *
 * The instruction belongs to a non-semantic set, so no mistake in it makes a module invalid: a call without a format is
 * left out, and an argument that is not a number or a vector of numbers has no words.
 */
#include <string.h>
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_small.h"

#define DEBUG_PRINTF 1u /* the number of the set's only instruction */

/* ---------------------------------------------------------------- arguments */

static uint8_t scalar_type(const struct spv_type *t)
{
    switch (t->kind) {
    case SPV_TYPE_BOOL:
        return VC4C_PRINT_BOOL;
    case SPV_TYPE_INT:
        return t->bits == 64 ? (t->is_signed ? VC4C_PRINT_INT64 : VC4C_PRINT_UINT64)
                             : (t->is_signed ? VC4C_PRINT_INT : VC4C_PRINT_UINT);
    case SPV_TYPE_FLOAT:
        return t->bits == 64 ? VC4C_PRINT_FLOAT64 : VC4C_PRINT_FLOAT;
    default:
        return VC4C_PRINT_NOTHING;
    }
}

static struct vc4c_print_arg argument(struct spv *s, uint32_t id)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_VALUE && v->kind != SPV_CONSTANT && v->kind != SPV_UNDEF)
        return (struct vc4c_print_arg){0};
    const struct spv_type *scalar = v->type->kind == SPV_TYPE_VECTOR ? v->type->elem : v->type;
    const struct vc4c_print_arg arg = {scalar_type(scalar),
                                       v->type->kind == SPV_TYPE_VECTOR ? (uint8_t)v->type->count : 1};
    return arg.type == VC4C_PRINT_NOTHING || arg.count > VC4C_PRINT_COMPONENTS ? (struct vc4c_print_arg){0} : arg;
}

/* ---------------------------------------------------------------- calls */

static const char *format_of(const struct spv *s, const struct spv_instr *in)
{
    if (in->count < 6 || in->words[4] != DEBUG_PRINTF)
        return NULL;
    const struct spv_instr string = spv_instr_at(s->m, s->m->defs[in->words[5]]);
    return string.op == SpvOpString ? (const char *)(string.words + 2) : NULL;
}

/* The call at the instruction's offset, or NULL. An inlined function has its calls once for each time. */
static struct ir_print_call *find_call(struct ir_shader *shader, uint32_t offset)
{
    for (struct ir_print_call *call = shader->prints; call; call = call->next)
        if (call->offset == offset)
            return call;
    return NULL;
}

static struct ir_print_call *add_call(struct spv *s, const struct spv_instr *in, const char *format)
{
    struct ir_print_call *call = util_arena_new(s->arena, struct ir_print_call);
    *call = (struct ir_print_call){.next = s->shader->prints, .offset = in->offset, .number = s->shader->print_count++};
    call->print.words = 1;
    for (uint32_t i = 6; i < in->count && call->print.arg_count < VC4C_PRINT_ARGS; i++) {
        const struct vc4c_print_arg arg = argument(s, in->words[i]);
        call->print.args[call->print.arg_count++] = arg;
        call->print.words += vc4c_print_arg_words(&arg);
    }
    const size_t length = strnlen(format, VC4C_PRINT_FORMAT_B - 1);
    char *copy = util_arena_alloc(s->arena, length + 1);
    memcpy(copy, format, length);
    call->format = copy;
    s->shader->prints = call;
    return call;
}

/* The address behind the message's first word, or VC4C_ENGINE_NULL where the memory is full. Its first word counts all
 * words that lanes have asked for. */
static struct ir_instr *take_words(struct spv *s, uint32_t words)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *memory = ir_uniform(b, VC4C_UNIFORM_ENGINE_PRINT, 0, 0), *count = ir_const(b, words);
    struct ir_instr *at = ir_build3(b, IR_ENGINE_ATOMIC, memory, count, count);
    at->imm = VC4C_SITE_ATOMIC_ADD;
    struct ir_instr *fits = ir_build2(b, IR_ULT, at, ir_const(b, VC4C_PRINT_WORDS - words + 1));
    struct ir_instr *offset = ir_build2(b, IR_SHL, at, ir_const(b, 2));
    struct ir_instr *address = ir_build2(b, IR_IADD, ir_build2(b, IR_IADD, memory, ir_const(b, 4)), offset);
    return ir_build3(b, IR_SEL, fits, address, ir_const(b, VC4C_ENGINE_NULL));
}

static void store(struct spv *s, struct ir_instr *message, uint32_t *word, struct ir_instr *value)
{
    struct ir_builder *b = &s->b;
    if (value->value.bits == 1)
        value = ir_build3(b, IR_SEL, value, ir_const(b, 1), ir_const(b, 0));
    spv_store_word(s, *word ? ir_build2(b, IR_IADD, message, ir_const(b, 4 * *word)) : message, value);
    ++*word;
}

void spv_translate_printf(struct spv *s, const struct spv_instr *in)
{
    const char *format = format_of(s, in);
    if (!format)
        return;
    struct ir_print_call *call = find_call(s->shader, in->offset);
    if (!call && s->shader->print_count == VC4C_PRINT_CALLS)
        return;
    if (!call)
        call = add_call(s, in, format);
    struct ir_instr *message = take_words(s, call->print.words);
    uint32_t word = 0;
    store(s, message, &word, ir_const(&s->b, call->number + 1));
    for (uint32_t i = 0; i < call->print.arg_count; i++) {
        if (call->print.args[i].type == VC4C_PRINT_NOTHING)
            continue;
        struct ir_instr **scalars = spv_value(s, in->words[6 + i]);
        const struct spv_type *type = spv_type_of(s, in->words[6 + i]);
        for (uint32_t k = 0; k < vc4c_print_arg_words(&call->print.args[i]); k++)
            store(s, message, &word, spv_widened(&s->b, spv_scalar_at(type, k), scalars[k]));
    }
}
