/* SPDX-License-Identifier: MIT
 *
 * Component-wise instructions: arithmetic, comparisons, conversions, selection, derivatives. A table lists those that
 * are a single IR operation; small functions expand the rest.
 */
#include "compiler/spirv/spv_special.h"

/* ---------------------------------------------------------------- one to one */

struct row {
    uint16_t spv, ir;
    bool swapped; /* swap the sources: a > b is b < a */
};

static const struct row rows[] = {
    {SpvOpFNegate, IR_FNEG},
    {SpvOpIAdd, IR_IADD},
    {SpvOpFAdd, IR_FADD},
    {SpvOpISub, IR_ISUB},
    {SpvOpFSub, IR_FSUB},
    {SpvOpIMul, IR_IMUL},
    {SpvOpFMul, IR_FMUL},
    {SpvOpUDiv, IR_UDIV},
    {SpvOpSDiv, IR_IDIV},
    {SpvOpFDiv, IR_FDIV},
    {SpvOpUMod, IR_UMOD},
    {SpvOpSRem, IR_IREM},
    {SpvOpSMod, IR_IMOD},
    {SpvOpFMod, IR_FMOD},
    {SpvOpShiftRightLogical, IR_SHR},
    {SpvOpShiftRightArithmetic, IR_ASR},
    {SpvOpShiftLeftLogical, IR_SHL},
    {SpvOpBitwiseOr, IR_OR},
    {SpvOpBitwiseXor, IR_XOR},
    {SpvOpBitwiseAnd, IR_AND},
    {SpvOpNot, IR_NOT},
    {SpvOpBitReverse, IR_BITREV},
    {SpvOpBitCount, IR_BITCOUNT},
    {SpvOpConvertFToU, IR_FTOU},
    {SpvOpConvertFToS, IR_FTOI},
    {SpvOpConvertSToF, IR_ITOF},
    {SpvOpConvertUToF, IR_UTOF},
    {SpvOpLogicalNotEqual, IR_BXOR},
    {SpvOpLogicalOr, IR_BOR},
    {SpvOpLogicalAnd, IR_BAND},
    {SpvOpLogicalNot, IR_BNOT},
    {SpvOpIEqual, IR_IEQ},
    {SpvOpINotEqual, IR_INE},
    {SpvOpUGreaterThan, IR_ULT, true},
    {SpvOpSGreaterThan, IR_ILT, true},
    {SpvOpUGreaterThanEqual, IR_UGE},
    {SpvOpSGreaterThanEqual, IR_IGE},
    {SpvOpULessThan, IR_ULT},
    {SpvOpSLessThan, IR_ILT},
    {SpvOpULessThanEqual, IR_UGE, true},
    {SpvOpSLessThanEqual, IR_IGE, true},
    /* the chip has no NaN: ordered and unordered comparisons are the same (but see adjust_order) */
    {SpvOpFOrdEqual, IR_FEQ},
    {SpvOpFUnordEqual, IR_FEQ},
    {SpvOpFOrdNotEqual, IR_FNE},
    {SpvOpFUnordNotEqual, IR_FNE},
    {SpvOpFOrdLessThan, IR_FLT},
    {SpvOpFUnordLessThan, IR_FLT},
    {SpvOpFOrdGreaterThan, IR_FLT, true},
    {SpvOpFUnordGreaterThan, IR_FLT, true},
    {SpvOpFOrdLessThanEqual, IR_FGE, true},
    {SpvOpFUnordLessThanEqual, IR_FGE, true},
    {SpvOpFOrdGreaterThanEqual, IR_FGE},
    {SpvOpFUnordGreaterThanEqual, IR_FGE},
    {SpvOpDPdx, IR_DDX},
    {SpvOpDPdy, IR_DDY},
    {SpvOpDPdxFine, IR_DDX},
    {SpvOpDPdyFine, IR_DDY},
    {SpvOpDPdxCoarse, IR_DDX},
    {SpvOpDPdyCoarse, IR_DDY},
};

static const struct row *find_row(uint16_t op)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].spv == op)
            return &rows[i];
    return NULL;
}

/* ---------------------------------------------------------------- small expansions */

#define INFINITY_WITHOUT_SIGN 0xff000000u /* shifted left by one */

static struct ir_instr *fwidth(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *dx = ir_build1(b, IR_FABS, ir_build1(b, IR_DDX, x));
    return ir_build2(b, IR_FADD, dx, ir_build1(b, IR_FABS, ir_build1(b, IR_DDY, x)));
}

/* x - y * trunc(x / y): magnitude |x| mod |y|, sign of x */
static struct ir_instr *frem(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *size = ir_build2(b, IR_FMOD, ir_build1(b, IR_FABS, x), ir_build1(b, IR_FABS, y));
    return ir_build2(b, IR_OR, size, ir_build2(b, IR_AND, x, ir_const(b, 0x80000000)));
}

static struct ir_instr *is_nan(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build2(b, IR_ULT, ir_const(b, INFINITY_WITHOUT_SIGN), ir_build2(b, IR_SHL, x, ir_const(b, 1)));
}

/* Converts to a half and back. NaN and -0 are handled here, because the chip makes them infinity and 0. */
static struct ir_instr *quantize(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *half = ir_build1(b, IR_UNPACK_F, ir_build2(b, IR_PACK_HALF, x, ir_const(b, 0)));
    half = ir_build2(b, IR_OR, half, ir_build2(b, IR_AND, x, ir_const(b, 0x80000000)));
    return ir_build3(b, IR_SEL, is_nan(b, x), x, half);
}

/* Instructions that take several IR operations. `x`: one scalar of each source. NULL: not of this family. */
static struct ir_instr *expand(struct ir_builder *b, uint16_t op, struct ir_instr *const *x)
{
    switch (op) {
    case SpvOpSNegate:
        return ir_build2(b, IR_ISUB, ir_const(b, 0), x[0]);
    case SpvOpFRem:
        return frem(b, x[0], x[1]);
    case SpvOpLogicalEqual:
        return ir_build1(b, IR_BNOT, ir_build2(b, IR_BXOR, x[0], x[1]));
    case SpvOpIsNan:
        return is_nan(b, x[0]);
    case SpvOpIsInf:
        return ir_build2(b, IR_IEQ, ir_const(b, INFINITY_WITHOUT_SIGN), ir_build2(b, IR_SHL, x[0], ir_const(b, 1)));
    case SpvOpFwidth:
    case SpvOpFwidthFine:
    case SpvOpFwidthCoarse:
        return fwidth(b, x[0]);
    case SpvOpQuantizeToF16:
        return quantize(b, x[0]);
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpExpectKHR: /* the value; the expected one is a hint */
        return x[0];
    default:
        return NULL;
    }
}

/* ---------------------------------------------------------------- component by component */

#define MAX_SOURCES 3

static uint32_t source_count(const struct spv_instr *in)
{
    return MIN2(in->count - 3u, MAX_SOURCES);
}

static bool is_component_wise(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpSNegate:
    case SpvOpFRem:
    case SpvOpLogicalEqual:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpFwidth:
    case SpvOpFwidthFine:
    case SpvOpFwidthCoarse:
    case SpvOpQuantizeToF16:
    case SpvOpBitcast:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpExpectKHR:
        return true;
    default:
        return find_row(in->op) != NULL;
    }
}

/* The row's comparison is ordered, except FNE. */
static struct ir_instr *adjust_order(struct spv *s, uint16_t op, struct ir_instr *const *x, struct ir_instr *result)
{
    switch (op) {
    case SpvOpFUnordEqual:
    case SpvOpFUnordLessThan:
    case SpvOpFUnordGreaterThan:
    case SpvOpFUnordLessThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        return ir_build2(&s->b, IR_BOR, result, spv_is_unordered(&s->b, x[0], x[1]));
    case SpvOpFOrdNotEqual:
        return ir_build2(&s->b, IR_BAND, result, ir_build1(&s->b, IR_BNOT, spv_is_unordered(&s->b, x[0], x[1])));
    default:
        return result;
    }
}

/* The operation on booleans that corresponds to one on integers; any other operation is returned as it is. */
static enum ir_op boolean_op(enum ir_op op)
{
    switch (op) {
    case IR_OR:
        return IR_BOR;
    case IR_AND:
        return IR_BAND;
    case IR_XOR:
    case IR_INE:
    case IR_IEQ:
        return IR_BXOR; /* whose result is inverted for IR_IEQ */
    case IR_NOT:
        return IR_BNOT;
    default:
        return op;
    }
}

/* Booleans as operands of operations on integers are invalid. Halide 19 writes them (its pow), and other drivers take
 * them as truth values. NULL: the operands are not booleans, or there is no such operation. */
static struct ir_instr *build_boolean(struct spv *s, enum ir_op op, struct ir_instr *const *x, uint32_t count)
{
    const enum ir_op boolean = boolean_op(op);
    for (uint32_t i = 0; i < count; i++)
        if (x[i]->value.bits != 1)
            return NULL;
    if (boolean == op)
        return NULL;
    struct ir_instr *srcs[2] = {x[0], count == 2 ? x[1] : NULL};
    struct ir_instr *result = ir_build(&s->b, boolean, 0, count, srcs);
    return op == IR_IEQ ? ir_build1(&s->b, IR_BNOT, result) : result;
}

/* The operand is no float, so ir_build() does not ask the builder's float_op. */
static struct ir_instr *convert_to_nearest(struct spv *s, enum ir_op op, struct ir_instr *x)
{
    s->b.float_op = NULL;
    struct ir_instr *result = spv_round_to_nearest(&s->b, op, 1, &x);
    s->b.float_op = spv_round_to_nearest;
    return result;
}

static struct ir_instr *build_row(struct spv *s, const struct row *row, struct ir_instr *const *x, uint32_t count)
{
    const struct ir_op_info *info = &ir_op_infos[row->ir];
    if (count != info->sources)
        spv_invalid(s, "%u operands instead of %u", count, info->sources);
    struct ir_instr *boolean = build_boolean(s, row->ir, x, count);
    if (boolean)
        return boolean;
    struct ir_instr *srcs[2] = {x[row->swapped && count == 2], count == 2 ? x[!row->swapped] : NULL};
    if ((row->ir == IR_ITOF || row->ir == IR_UTOF) && s->b.float_op == spv_round_to_nearest)
        return convert_to_nearest(s, row->ir, x[0]);
    struct ir_instr *result = ir_build(&s->b, row->ir, 0, count, srcs);
    return s->b.float_op ? adjust_order(s, row->spv, x, result) : result;
}

static void component_wise(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct row *row = find_row(in->op);
    struct ir_instr **x[MAX_SOURCES] = {NULL};
    uint32_t count = source_count(in);
    for (uint32_t i = 0; i < count; i++) {
        if (spv_type_of(s, in->words[3 + i])->scalars != type->scalars)
            spv_invalid(s, "operand and result have different sizes");
        x[i] = spv_value(s, in->words[3 + i]);
    }
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *scalars[MAX_SOURCES] = {NULL};
        for (uint32_t k = 0; k < count; k++)
            scalars[k] = x[k][i];
        out[i] = row ? build_row(s, row, scalars, count) : expand(&s->b, in->op, scalars);
        if (out[i]->value.bits != spv_scalar_bits(spv_scalar_at(type, i)))
            spv_invalid(s, "the result has another type");
    }
    spv_define(s, in->words[2], type, out);
}

static void select_value(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *cond_type = spv_type_of(s, in->words[3]);
    const uint32_t words = MAX2(spv_scalar_of(type)->scalars, 1u); /* of a component */
    if (spv_type_of(s, in->words[4])->scalars != type->scalars ||
        spv_type_of(s, in->words[5])->scalars != type->scalars || spv_scalar_of(cond_type)->kind != SPV_TYPE_BOOL ||
        (cond_type->scalars != 1 && cond_type->scalars * words != type->scalars))
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **cond = spv_value(s, in->words[3]), **x = spv_value(s, in->words[4]),
                    **y = spv_value(s, in->words[5]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = ir_build3(&s->b, IR_SEL, cond[cond_type->scalars == 1 ? 0 : i / words], x[i], y[i]);
    spv_define(s, in->words[2], type, out);
}

/* OpAny, OpAll */
static void reduce(struct spv *s, const struct spv_instr *in, enum ir_op op)
{
    const struct spv_type *type = spv_type_of(s, in->words[3]);
    if (spv_scalar_of(type)->kind != SPV_TYPE_BOOL)
        spv_invalid(s, "not a vector of booleans");
    struct ir_instr **x = spv_value(s, in->words[3]), *all = x[0];
    for (uint32_t i = 1; i < type->scalars; i++)
        all = ir_build2(&s->b, op, all, x[i]);
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), all);
}

bool spv_translate_alu(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpSelect:
        select_value(s, in);
        return true;
    case SpvOpAny:
        reduce(s, in, IR_BOR);
        return true;
    case SpvOpAll:
        reduce(s, in, IR_BAND);
        return true;
    default:
        break;
    }
    if (!is_component_wise(s, in))
        return spv_translate_bits(s, in);
    if (in->op == SpvOpCopyObject && s->ids[in->words[3]].kind != SPV_VALUE &&
        s->ids[in->words[3]].kind != SPV_UNDEF && s->ids[in->words[3]].kind != SPV_CONSTANT)
        s->ids[in->words[2]] = s->ids[in->words[3]]; /* pointers, images */
    else
        component_wise(s, in);
    return true;
}
