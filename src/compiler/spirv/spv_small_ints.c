/* SPDX-License-Identifier: MIT
 *
 * Integers of 8 and 16 bits: the instructions whose results depend on where the number ends, and bit casts between
 * numbers of different widths.
 */
#include "compiler/spirv/spv_small.h"

static struct ir_instr *op2(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, op, x, y);
}

static struct ir_instr *op_c(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, op, x, ir_const(b, word));
}

/* ---------------------------------------------------------------- two results, reversed bits */

/* Low part, then carry, borrow or high part. */
static void two_parts(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *t = spv_type_of(s, in->words[3]);
    const uint32_t n = t->scalars, bits = spv_scalar_of(t)->bits;
    struct ir_builder *b = &s->b;
    if (!n || n > 4 || type->scalars != 2 * n || spv_type_of(s, in->words[4])->scalars != n)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_new_scalars(s, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_instr *l = spv_extended(b, x[i], bits, in->op == SpvOpSMulExtended);
        struct ir_instr *r = spv_extended(b, y[i], bits, in->op == SpvOpSMulExtended);
        if (in->op == SpvOpISubBorrow) {
            out[i] = op2(b, IR_ISUB, l, r);
            out[n + i] = op_c(b, IR_SHR, out[i], 31);
            continue;
        }
        out[i] = op2(b, in->op == SpvOpIAddCarry ? IR_IADD : IR_IMUL, l, r);
        out[n + i] = op_c(b, IR_SHR, out[i], bits);
    }
    spv_define(s, in->words[2], type, out);
}

static void reverse_bits(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (spv_type_of(s, in->words[3])->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = op_c(&s->b, IR_SHR, ir_build1(&s->b, IR_BITREV, x[i]), 32 - spv_scalar_at(type, i)->bits);
    spv_define(s, in->words[2], type, out);
}

bool spv_translate_small_ints(struct spv *s, const struct spv_instr *in)
{
    const bool has_two_parts = in->op >= SpvOpIAddCarry && in->op <= SpvOpSMulExtended;
    if ((!has_two_parts && in->op != SpvOpBitReverse) || !spv_is_small(spv_scalar_of(spv_type_of(s, in->words[3]))))
        return false;
    if (has_two_parts)
        two_parts(s, in);
    else
        reverse_bits(s, in);
    return true;
}

/* ---------------------------------------------------------------- bit casts */

/* A scalar or a vector as a row of bits. */
static const struct spv_type *row_of_bits(struct spv *s, const struct spv_type *t, uint32_t *bits_out)
{
    const struct spv_type *number = t->kind == SPV_TYPE_VECTOR ? t->elem : t;
    if (number->kind != SPV_TYPE_INT && number->kind != SPV_TYPE_FLOAT)
        spv_invalid(s, "a bit cast of what is neither a number nor a vector of numbers");
    *bits_out = number->bits * (t->kind == SPV_TYPE_VECTOR ? t->count : 1);
    return number;
}

/* Joins numbers of `bits` bits into words, the first one lowest. */
static void join(struct ir_builder *b, struct ir_instr *const *x, uint32_t n, uint32_t bits, struct ir_instr **words)
{
    const uint32_t in_word = 32 / bits;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t at = i % in_word;
        struct ir_instr *part = at + 1 == in_word ? x[i] : spv_extended(b, x[i], bits, false);
        if (!at)
            words[i / in_word] = part;
        else
            words[i / in_word] = op2(b, IR_OR, words[i / in_word], op_c(b, IR_SHL, part, bits * at));
    }
}

void spv_small_bitcast(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *from = spv_type_of(s, in->words[3]);
    uint32_t bits, from_bits;
    const struct spv_type *to_number = row_of_bits(s, type, &bits), *number = row_of_bits(s, from, &from_bits);
    if (bits != from_bits)
        spv_invalid(s, "a bit cast of %u bits to %u", from_bits, bits);
    struct ir_instr **x = spv_value(s, in->words[3]), **words = spv_new_scalars(s, (bits + 31) / 32);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars && number->bits == to_number->bits; i++)
        out[i] = x[i];
    if (number->bits != to_number->bits) {
        if (number->bits < 32)
            join(&s->b, x, from->scalars, number->bits, words);
        else
            words = x;
        const uint32_t in_word = to_number->bits < 32 ? 32 / to_number->bits : 1;
        for (uint32_t i = 0; i < type->scalars; i++) {
            const uint32_t at = to_number->bits * (i % in_word);
            out[i] = at ? op_c(&s->b, IR_SHR, words[i / in_word], at) : words[i / in_word];
        }
    }
    spv_define(s, in->words[2], type, out);
}
