/* SPDX-License-Identifier: MIT
 *
 * Bit fields, additions with carry, subtractions with borrow, and products of double width.
 */
#include "compiler/spirv/spv.h"

/* A mask with the low `count` bits set; count is 0 to 32. */
static struct ir_instr *low_bits(struct ir_builder *b, struct ir_instr *count)
{
    struct ir_instr *shift = ir_build2(b, IR_ISUB, ir_const(b, 32), count); /* the chip shifts by this mod 32 */
    struct ir_instr *mask = ir_build2(b, IR_SHR, ir_const(b, 0xffffffff), shift);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, count, ir_const(b, 0)), ir_const(b, 0), mask);
}

static struct ir_instr *insert(struct ir_builder *b, struct ir_instr *base, struct ir_instr *value,
                               struct ir_instr *offset, struct ir_instr *count)
{
    struct ir_instr *mask = ir_build2(b, IR_SHL, low_bits(b, count), offset);
    struct ir_instr *kept = ir_build2(b, IR_AND, base, ir_build1(b, IR_NOT, mask));
    return ir_build2(b, IR_OR, kept, ir_build2(b, IR_AND, ir_build2(b, IR_SHL, value, offset), mask));
}

static struct ir_instr *extract_unsigned(struct ir_builder *b, struct ir_instr *base, struct ir_instr *offset,
                                         struct ir_instr *count)
{
    return ir_build2(b, IR_AND, ir_build2(b, IR_SHR, base, offset), low_bits(b, count));
}

static struct ir_instr *extract_signed(struct ir_builder *b, struct ir_instr *base, struct ir_instr *offset,
                                       struct ir_instr *count)
{
    struct ir_instr *down = ir_build2(b, IR_ISUB, ir_const(b, 32), count);
    struct ir_instr *top = ir_build2(b, IR_SHL, base, ir_build2(b, IR_ISUB, down, offset));
    struct ir_instr *field = ir_build2(b, IR_ASR, top, down);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, count, ir_const(b, 0)), ir_const(b, 0), field);
}

static void bit_field(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    uint32_t values = in->op == SpvOpBitFieldInsert ? 2 : 1;
    struct ir_instr **x[2] = {NULL};
    for (uint32_t i = 0; i < values; i++) {
        if (spv_type_of(s, in->words[3 + i])->scalars != type->scalars)
            spv_invalid(s, "operand and result have different sizes");
        x[i] = spv_value(s, in->words[3 + i]);
    }
    struct ir_instr *offset = spv_index(s, in->words[3 + values]), *count = spv_index(s, in->words[4 + values]);
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < type->scalars; i++) {
        if (in->op == SpvOpBitFieldInsert)
            out[i] = insert(&s->b, x[0][i], x[1][i], offset, count);
        else if (in->op == SpvOpBitFieldUExtract)
            out[i] = extract_unsigned(&s->b, x[0][i], offset, count);
        else
            out[i] = extract_signed(&s->b, x[0][i], offset, count);
    }
}

static struct ir_instr *one_if(struct ir_builder *b, struct ir_instr *cond)
{
    return ir_build3(b, IR_SEL, cond, ir_const(b, 1), ir_const(b, 0));
}

/* Instructions whose result is a struct of two equal members: low part, then carry, borrow or high part. */
static void extended_arithmetic(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    uint32_t n = spv_type_of(s, in->words[3])->scalars;
    if (type->scalars != 2 * n || spv_type_of(s, in->words[4])->scalars != n)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_builder *b = &s->b;
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < n; i++) {
        switch (in->op) {
        case SpvOpIAddCarry:
            out[i] = ir_build2(b, IR_IADD, x[i], y[i]);
            out[n + i] = one_if(b, ir_build2(b, IR_ULT, out[i], x[i]));
            break;
        case SpvOpISubBorrow:
            out[i] = ir_build2(b, IR_ISUB, x[i], y[i]);
            out[n + i] = one_if(b, ir_build2(b, IR_ULT, x[i], y[i]));
            break;
        default:
            out[i] = ir_build2(b, IR_IMUL, x[i], y[i]);
            out[n + i] = ir_build2(b, in->op == SpvOpUMulExtended ? IR_UMULH : IR_IMULH, x[i], y[i]);
            break;
        }
    }
}

bool spv_translate_bits(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        bit_field(s, in);
        return true;
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        extended_arithmetic(s, in);
        return true;
    default:
        return false;
    }
}
