/* SPDX-License-Identifier: MIT
 *
 * Integers of 64 bits, two words each, low word first: arithmetic, shifts and comparisons component by component.
 */
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_int64.h"
#include "compiler/spirv/spv_small.h"

bool spv_is_int64(const struct spv_type *t)
{
    const struct spv_type *scalar = spv_scalar_of(t);
    return (t->kind == SPV_TYPE_INT || t->kind == SPV_TYPE_VECTOR) && scalar->kind == SPV_TYPE_INT &&
           scalar->bits == 64;
}

static bool is_integer(const struct spv_type *t)
{
    return (t->kind == SPV_TYPE_INT || t->kind == SPV_TYPE_VECTOR) && spv_scalar_of(t)->kind == SPV_TYPE_INT;
}

static uint32_t components(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_VECTOR ? t->count : 1;
}

struct spv_doubles spv_int64s(struct spv *s, uint32_t id)
{
    if (!spv_is_int64(spv_type_of(s, id)))
        spv_invalid(s, "the operand is not made of 64-bit integers");
    return spv_double_numbers(s, id);
}

void spv_define_int64s(struct spv *s, const struct spv_instr *in, struct spv_doubles x)
{
    if (!spv_is_int64(spv_type(s, in->words[1])))
        spv_invalid(s, "the result type is not made of 64-bit integers");
    spv_define_double_results(s, in, x);
}

/* ---------------------------------------------------------------- operations of one component */

#define OPERATION(name, expression)                                                                                    \
    static struct ir_f64 name(struct ir_builder *b, const struct ir_f64 *x)                                            \
    {                                                                                                                  \
        return expression;                                                                                             \
    }
#define COMPARISON(name, expression) OPERATION(name, ((struct ir_f64){expression, NULL}))
#define NOT(x)                       ir_build1(b, IR_BNOT, x)
#define EACH(op)                                                                                                       \
    ((struct ir_f64){ir_build2(b, op, x[0].lo, x[1].lo), ir_build2(b, op, x[0].hi, x[1].hi)})

OPERATION(negate, ir_i64_negate_if(b, x[0], ir_const(b, UINT32_MAX)))
OPERATION(complement, ((struct ir_f64){ir_build1(b, IR_NOT, x->lo), ir_build1(b, IR_NOT, x->hi)}))
OPERATION(add, ir_i64_add(b, x[0], x[1]))
OPERATION(subtract, ir_i64_sub(b, x[0], x[1]))
OPERATION(multiply, ir_i64_mul(b, x[0], x[1]))
OPERATION(udiv, ir_i64_udiv(b, x[0], x[1]))
OPERATION(umod, ir_i64_umod(b, x[0], x[1]))
OPERATION(sdiv, ir_i64_sdiv(b, x[0], x[1]))
OPERATION(srem, ir_i64_srem(b, x[0], x[1]))
OPERATION(smod, ir_i64_smod(b, x[0], x[1]))
OPERATION(bit_or, EACH(IR_OR))
OPERATION(bit_xor, EACH(IR_XOR))
OPERATION(bit_and, EACH(IR_AND))
OPERATION(shift_left, ir_i64_shl(b, x[0], x[1].lo))
OPERATION(shift_right, ir_i64_shr(b, x[0], x[1].lo))
OPERATION(shift_right_signed, ir_i64_asr(b, x[0], x[1].lo))
OPERATION(absolute, ir_i64_abs(b, x[0]))
OPERATION(sign, ir_i64_sign(b, x[0]))
OPERATION(umin, ir_f64_sel(b, ir_i64_ult(b, x[1], x[0]), x[1], x[0]))
OPERATION(smin, ir_f64_sel(b, ir_i64_slt(b, x[1], x[0]), x[1], x[0]))
OPERATION(umax, ir_f64_sel(b, ir_i64_ult(b, x[0], x[1]), x[1], x[0]))
OPERATION(smax, ir_f64_sel(b, ir_i64_slt(b, x[0], x[1]), x[1], x[0]))
OPERATION(uclamp, umin(b, (const struct ir_f64[]){umax(b, x), x[2]}))
OPERATION(sclamp, smin(b, (const struct ir_f64[]){smax(b, x), x[2]}))
COMPARISON(equal, ir_i64_eq(b, x[0], x[1]))
COMPARISON(not_equal, NOT(ir_i64_eq(b, x[0], x[1])))
COMPARISON(uless, ir_i64_ult(b, x[0], x[1]))
COMPARISON(sless, ir_i64_slt(b, x[0], x[1]))
COMPARISON(ugreater, ir_i64_ult(b, x[1], x[0]))
COMPARISON(sgreater, ir_i64_slt(b, x[1], x[0]))
COMPARISON(ugreater_equal, NOT(ir_i64_ult(b, x[0], x[1])))
COMPARISON(sgreater_equal, NOT(ir_i64_slt(b, x[0], x[1])))
COMPARISON(uless_equal, NOT(ir_i64_ult(b, x[1], x[0])))
COMPARISON(sless_equal, NOT(ir_i64_slt(b, x[1], x[0])))

struct row {
    uint16_t op;
    uint8_t sources, size;
    spv_double_op build;
};

static const struct row arithmetic[] = {
    {SpvOpSNegate, 1, SPV_DOUBLE_SHORT, negate},   {SpvOpNot, 1, SPV_DOUBLE_SHORT, complement},
    {SpvOpIAdd, 2, SPV_DOUBLE_SHORT, add},         {SpvOpISub, 2, SPV_DOUBLE_SHORT, subtract},
    {SpvOpIMul, 2, SPV_DOUBLE_SHORT, multiply},    {SpvOpUDiv, 2, SPV_DOUBLE_LONG, udiv},
    {SpvOpSDiv, 2, SPV_DOUBLE_LONG, sdiv},         {SpvOpUMod, 2, SPV_DOUBLE_LONG, umod},
    {SpvOpSRem, 2, SPV_DOUBLE_LONG, srem},         {SpvOpSMod, 2, SPV_DOUBLE_LONG, smod},
    {SpvOpBitwiseOr, 2, SPV_DOUBLE_SHORT, bit_or}, {SpvOpBitwiseXor, 2, SPV_DOUBLE_SHORT, bit_xor},
    {SpvOpBitwiseAnd, 2, SPV_DOUBLE_SHORT, bit_and},
};

static const struct row shifts[] = {
    {SpvOpShiftLeftLogical, 2, SPV_DOUBLE_SHORT, shift_left},
    {SpvOpShiftRightLogical, 2, SPV_DOUBLE_SHORT, shift_right},
    {SpvOpShiftRightArithmetic, 2, SPV_DOUBLE_SHORT, shift_right_signed},
};

static const struct row comparisons[] = {
    {SpvOpIEqual, 2, SPV_DOUBLE_SHORT, equal},
    {SpvOpINotEqual, 2, SPV_DOUBLE_SHORT, not_equal},
    {SpvOpUGreaterThan, 2, SPV_DOUBLE_SHORT, ugreater},
    {SpvOpSGreaterThan, 2, SPV_DOUBLE_SHORT, sgreater},
    {SpvOpUGreaterThanEqual, 2, SPV_DOUBLE_SHORT, ugreater_equal},
    {SpvOpSGreaterThanEqual, 2, SPV_DOUBLE_SHORT, sgreater_equal},
    {SpvOpULessThan, 2, SPV_DOUBLE_SHORT, uless},
    {SpvOpSLessThan, 2, SPV_DOUBLE_SHORT, sless},
    {SpvOpULessThanEqual, 2, SPV_DOUBLE_SHORT, uless_equal},
    {SpvOpSLessThanEqual, 2, SPV_DOUBLE_SHORT, sless_equal},
};

/* By numbers of GLSL.std.450. Those that find bits take 32-bit integers only. */
static const struct row functions[] = {
    {GLSLstd450SAbs, 1, SPV_DOUBLE_SHORT, absolute}, {GLSLstd450SSign, 1, SPV_DOUBLE_SHORT, sign},
    {GLSLstd450UMin, 2, SPV_DOUBLE_SHORT, umin},     {GLSLstd450SMin, 2, SPV_DOUBLE_SHORT, smin},
    {GLSLstd450UMax, 2, SPV_DOUBLE_SHORT, umax},     {GLSLstd450SMax, 2, SPV_DOUBLE_SHORT, smax},
    {GLSLstd450UClamp, 3, SPV_DOUBLE_SHORT, uclamp}, {GLSLstd450SClamp, 3, SPV_DOUBLE_SHORT, sclamp},
};

static const struct row *find(const struct row *rows, uint32_t count, uint32_t op)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

/* `first`: the word of the first operand; `bits`: of the result, 64 or 1. */
static struct spv_doubles apply(struct spv *s, const struct row *row, const struct spv_instr *in, uint32_t first,
                                uint32_t bits)
{
    struct ir_f64 *sources[SPV_MAX_DOUBLE_SOURCES];
    uint32_t n = 0;
    if (in->count != first + row->sources)
        spv_invalid(s, "%u operands instead of %u", in->count - first, row->sources);
    for (uint32_t i = 0; i < row->sources; i++) {
        struct spv_doubles x = spv_int64s(s, in->words[first + i]);
        if (i && x.n != n)
            spv_invalid(s, "operands have different sizes");
        n = x.n;
        sources[i] = x.x;
    }
    return spv_each_double(s, row->build, row->size, n, sources, row->sources, bits);
}

/* ---------------------------------------------------------------- shifts */

/* The amounts of a shift, as words: those of 8 and 16 bits without what is above them. */
static struct spv_doubles amounts(struct spv *s, uint32_t id)
{
    struct spv_doubles out = spv_double_numbers(s, id);
    const uint32_t bits = spv_scalar_of(spv_type_of(s, id))->bits;
    for (uint32_t i = 0; i < out.n; i++) {
        out.x[i].lo = spv_extended(&s->b, out.x[i].lo, bits, false);
        out.x[i].hi = NULL;
    }
    return out;
}

/* A shift of an integer of at most 32 bits by an amount of 64. */
static struct ir_instr *shift_word(struct ir_builder *b, uint16_t op, struct ir_instr *x, uint32_t bits,
                                   struct ir_instr *amount)
{
    if (op == SpvOpShiftLeftLogical)
        return ir_build2(b, IR_SHL, x, amount);
    const bool is_signed = op == SpvOpShiftRightArithmetic;
    return ir_build2(b, is_signed ? IR_ASR : IR_SHR, spv_extended(b, x, bits, is_signed), amount);
}

static bool shift(struct spv *s, const struct spv_instr *in)
{
    const struct row *row = find(shifts, ARRAY_SIZE(shifts), in->op);
    if (!row)
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]), *base = spv_type_of(s, in->words[3]),
                          *by = spv_type_of(s, in->words[4]);
    if (!is_integer(type) || !is_integer(base) || !is_integer(by) || components(base) != components(by) ||
        spv_scalar_of(type)->bits != spv_scalar_of(base)->bits)
        spv_invalid(s, "the operands or the result of a shift are no integers, or of different sizes");
    struct spv_doubles x = spv_double_numbers(s, in->words[3]), amount = amounts(s, in->words[4]);
    if (spv_is_int64(base)) {
        struct ir_f64 *sources[] = {x.x, amount.x};
        spv_define_int64s(s, in, spv_each_double(s, row->build, row->size, x.n, sources, 2, 64));
        return true;
    }
    for (uint32_t i = 0; i < x.n; i++)
        x.x[i].lo = shift_word(&s->b, in->op, x.x[i].lo, spv_scalar_of(base)->bits, amount.x[i].lo);
    spv_define_double_results(s, in, x);
    return true;
}

/* ---------------------------------------------------------------- results of two numbers */

static struct ir_f64 one_if(struct ir_builder *b, struct ir_instr *cond)
{
    return (struct ir_f64){ir_build3(b, IR_SEL, cond, ir_const(b, 1), ir_const(b, 0)), ir_const(b, 0)};
}

static void low_and_high(struct ir_builder *b, uint16_t op, struct ir_f64 x, struct ir_f64 y, struct ir_f64 *low,
                         struct ir_f64 *high)
{
    switch (op) {
    case SpvOpIAddCarry:
        *low = ir_i64_add(b, x, y);
        *high = one_if(b, ir_i64_ult(b, *low, x));
        break;
    case SpvOpISubBorrow:
        *low = ir_i64_sub(b, x, y);
        *high = one_if(b, ir_i64_ult(b, x, y));
        break;
    default:
        *low = ir_i64_mul(b, x, y);
        *high = op == SpvOpUMulExtended ? ir_i64_umulh(b, x, y) : ir_i64_smulh(b, x, y);
        break;
    }
}

static bool extended_arithmetic(struct spv *s, const struct spv_instr *in)
{
    if (in->op < SpvOpIAddCarry || in->op > SpvOpSMulExtended)
        return false;
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct spv_doubles x = spv_int64s(s, in->words[3]), y = spv_int64s(s, in->words[4]);
    if (x.n != y.n || type->kind != SPV_TYPE_STRUCT || type->count != 2 || !spv_is_int64(type->members[0]) ||
        !spv_is_int64(type->members[1]) || type->scalars != 4 * x.n)
        spv_invalid(s, "operands and result have different sizes");
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < x.n; i++) {
        struct ir_f64 low, high;
        low_and_high(&s->b, in->op, x.x[i], y.x[i], &low, &high);
        out[2 * i] = low.lo;
        out[2 * i + 1] = low.hi;
        out[2 * (x.n + i)] = high.lo;
        out[2 * (x.n + i) + 1] = high.hi;
    }
    return true;
}

/* ---------------------------------------------------------------- dispatch */

bool spv_translate_int64(struct spv *s, const struct spv_instr *in)
{
    const struct row *row;
    if (in->op == SpvOpExtInst) {
        if (!(row = find(functions, ARRAY_SIZE(functions), in->words[4])))
            spv_unsupported(s, "%s of 64-bit integers", spv_glsl_name(in->words[4]));
        spv_define_int64s(s, in, apply(s, row, in, 5, 64));
        return true;
    }
    if ((row = find(arithmetic, ARRAY_SIZE(arithmetic), in->op))) {
        spv_define_int64s(s, in, apply(s, row, in, 3, 64));
        return true;
    }
    if ((row = find(comparisons, ARRAY_SIZE(comparisons), in->op))) {
        if (spv_scalar_of(spv_type(s, in->words[1]))->kind != SPV_TYPE_BOOL)
            spv_invalid(s, "the result of a comparison is not a boolean");
        spv_define_double_results(s, in, apply(s, row, in, 3, 1));
        return true;
    }
    if (in->op >= SpvOpBitFieldInsert && in->op <= SpvOpBitFieldUExtract && !spv_is_int64(spv_type(s, in->words[1])))
        return spv_translate_bits(s, in); /* of 32 bits, whose place is told by 64 */
    return shift(s, in) || extended_arithmetic(s, in) || spv_convert_int64(s, in) || spv_combine_int64(s, in);
}
