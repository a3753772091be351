/* SPDX-License-Identifier: MIT
 *
 * Floats of 64 bits, two words each, low word first: arithmetic, comparisons and conversions component by component.
 */
#include "compiler/spirv/spv_double.h"
#include "compiler/spirv/spv_small.h"

/* ---------------------------------------------------------------- arithmetic */

/* x - y trunc(x / y) */
static struct ir_f64 rem(struct ir_builder *b, const struct ir_f64 *x)
{
    struct ir_f64 times = ir_f64_trunc(b, ir_f64_div(b, x[0], x[1]));
    return ir_f64_fma(b, ir_f64_neg(b, times), x[1], x[0]);
}

/* x - y floor(x / y) */
static struct ir_f64 mod(struct ir_builder *b, const struct ir_f64 *x)
{
    struct ir_f64 times = ir_f64_floor(b, ir_f64_div(b, x[0], x[1]));
    return ir_f64_fma(b, ir_f64_neg(b, times), x[1], x[0]);
}

static const struct arithmetic {
    uint16_t op;
    uint8_t sources, size;
    spv_double_op build;
} arithmetic[] = {
    {SpvOpFNegate, 1, SPV_DOUBLE_SHORT, spv_double_neg}, {SpvOpFAdd, 2, SPV_DOUBLE_LONG, spv_double_add},
    {SpvOpFSub, 2, SPV_DOUBLE_LONG, spv_double_sub},     {SpvOpFMul, 2, SPV_DOUBLE_LONG, spv_double_mul},
    {SpvOpFDiv, 2, SPV_DOUBLE_LONG, spv_double_div},     {SpvOpFRem, 2, SPV_DOUBLE_LONG, rem},
    {SpvOpFMod, 2, SPV_DOUBLE_LONG, mod},
};

/* ---------------------------------------------------------------- comparisons */

#define COMPARISON(name, expression)                                                                                   \
    static struct ir_f64 name(struct ir_builder *b, const struct ir_f64 *x)                                            \
    {                                                                                                                  \
        return (struct ir_f64){expression, NULL};                                                                      \
    }
#define NOT(x) ir_build1(b, IR_BNOT, x)

COMPARISON(is_nan, ir_f64_is_nan(b, x[0]))
COMPARISON(is_inf, ir_f64_is_inf(b, x[0]))
COMPARISON(ordered_equal, ir_f64_eq(b, x[0], x[1]))
COMPARISON(unordered_equal, ir_build2(b, IR_BOR, ir_f64_eq(b, x[0], x[1]), ir_f64_is_unordered(b, x[0], x[1])))
COMPARISON(ordered_not_equal, NOT(ir_build2(b, IR_BOR, ir_f64_eq(b, x[0], x[1]), ir_f64_is_unordered(b, x[0], x[1]))))
COMPARISON(unordered_not_equal, NOT(ir_f64_eq(b, x[0], x[1])))
COMPARISON(ordered_less, ir_f64_lt(b, x[0], x[1]))
COMPARISON(ordered_greater, ir_f64_lt(b, x[1], x[0]))
COMPARISON(ordered_less_equal, ir_f64_le(b, x[0], x[1]))
COMPARISON(ordered_greater_equal, ir_f64_le(b, x[1], x[0]))
COMPARISON(unordered_less, NOT(ir_f64_le(b, x[1], x[0])))
COMPARISON(unordered_greater, NOT(ir_f64_le(b, x[0], x[1])))
COMPARISON(unordered_less_equal, NOT(ir_f64_lt(b, x[1], x[0])))
COMPARISON(unordered_greater_equal, NOT(ir_f64_lt(b, x[0], x[1])))

static const struct arithmetic comparisons[] = {
    {SpvOpIsNan, 1, 0, is_nan},
    {SpvOpIsInf, 1, 0, is_inf},
    {SpvOpFOrdEqual, 2, 0, ordered_equal},
    {SpvOpFUnordEqual, 2, 0, unordered_equal},
    {SpvOpFOrdNotEqual, 2, 0, ordered_not_equal},
    {SpvOpFUnordNotEqual, 2, 0, unordered_not_equal},
    {SpvOpFOrdLessThan, 2, 0, ordered_less},
    {SpvOpFOrdGreaterThan, 2, 0, ordered_greater},
    {SpvOpFOrdLessThanEqual, 2, 0, ordered_less_equal},
    {SpvOpFOrdGreaterThanEqual, 2, 0, ordered_greater_equal},
    {SpvOpFUnordLessThan, 2, 0, unordered_less},
    {SpvOpFUnordGreaterThan, 2, 0, unordered_greater},
    {SpvOpFUnordLessThanEqual, 2, 0, unordered_less_equal},
    {SpvOpFUnordGreaterThanEqual, 2, 0, unordered_greater_equal},
};

static const struct arithmetic *find(const struct arithmetic *rows, uint32_t count, uint16_t op)
{
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

static struct spv_doubles apply(struct spv *s, const struct arithmetic *row, const struct spv_instr *in, uint32_t bits)
{
    struct ir_f64 *sources[SPV_MAX_DOUBLE_SOURCES];
    uint32_t n = 0;
    if (in->count != 3u + row->sources)
        spv_invalid(s, "%u operands instead of %u", in->count - 3u, row->sources);
    for (uint32_t i = 0; i < row->sources; i++) {
        struct spv_doubles x = spv_doubles(s, in->words[3 + i]);
        if (i && x.n != n)
            spv_invalid(s, "operands have different sizes");
        n = x.n;
        sources[i] = x.x;
    }
    return spv_each_double(s, row->build, row->size, n, sources, row->sources, bits);
}

/* ---------------------------------------------------------------- conversions */

#define CONVERSION(name, expression)                                                                                   \
    static struct ir_f64 name(struct ir_builder *b, const struct ir_f64 *x)                                            \
    {                                                                                                                  \
        return expression;                                                                                             \
    }
#define WORD(x) ((struct ir_f64){x, NULL})

CONVERSION(from_i32, ir_f64_from_i32(b, x->lo))
CONVERSION(from_u32, ir_f64_from_u32(b, x->lo))
CONVERSION(from_i64, ir_f64_from_i64(b, *x))
CONVERSION(from_u64, ir_f64_from_u64(b, *x))
CONVERSION(from_f32, ir_f64_from_f32(b, x->lo))
CONVERSION(from_f16, ir_f64_from_f16(b, x->lo))
CONVERSION(to_i32, WORD(ir_f64_to_i32(b, *x)))
CONVERSION(to_u32, WORD(ir_f64_to_u32(b, *x)))
CONVERSION(to_i64, ir_f64_to_i64(b, *x))
CONVERSION(to_u64, ir_f64_to_u64(b, *x))
CONVERSION(to_f32, WORD(ir_f64_to_f32(b, *x, false)))
CONVERSION(to_f32_toward_zero, WORD(ir_f64_to_f32(b, *x, true)))
CONVERSION(to_f16, WORD(ir_f64_to_f16(b, *x, false)))
CONVERSION(to_f16_toward_zero, WORD(ir_f64_to_f16(b, *x, true)))
CONVERSION(same, *x)

static spv_double_op float_conversion(struct spv *s, const struct spv_instr *in, uint32_t from, uint32_t to)
{
    const bool toward_zero = spv_decor(s, in->words[2])->rounds_to_zero || (to == 32 && s->rounds_32_to_zero);
    if (from != 64)
        return from == 32 ? from_f32 : from_f16;
    if (to == 64)
        return same;
    return to == 32 ? (toward_zero ? to_f32_toward_zero : to_f32) : toward_zero ? to_f16_toward_zero : to_f16;
}

static bool convert(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]), *to = spv_scalar_of(type);
    const struct spv_type *from = spv_scalar_of(spv_type_of(s, in->words[3]));
    const bool from_float = in->op != SpvOpConvertSToF && in->op != SpvOpConvertUToF;
    const bool to_float = in->op != SpvOpConvertFToS && in->op != SpvOpConvertFToU;
    if (from->kind != (from_float ? SPV_TYPE_FLOAT : SPV_TYPE_INT) ||
        to->kind != (to_float ? SPV_TYPE_FLOAT : SPV_TYPE_INT))
        spv_invalid(s, "the operand or result of a conversion is not of the kind that the instruction converts");
    struct spv_doubles x = spv_double_numbers(s, in->words[3]);
    const bool is_signed = in->op == SpvOpConvertSToF || in->op == SpvOpConvertFToS;
    spv_double_op op;
    if (in->op == SpvOpFConvert) {
        op = float_conversion(s, in, from->bits, to->bits);
    } else if (to_float) {
        op = from->bits == 64 ? (is_signed ? from_i64 : from_u64) : is_signed ? from_i32 : from_u32;
        for (uint32_t i = 0; i < x.n; i++)
            x.x[i].lo = spv_extended(&s->b, x.x[i].lo, from->bits, is_signed);
    } else {
        op = to->bits == 64 ? (is_signed ? to_i64 : to_u64) : is_signed ? to_i32 : to_u32;
    }
    struct ir_f64 *sources[1] = {x.x};
    struct spv_doubles out = spv_each_double(s, op, SPV_DOUBLE_SHORT, x.n, sources, 1, to->bits == 64 ? 64 : 32);
    if (!spv_is_scalar(type) && type->kind != SPV_TYPE_VECTOR && type->kind != SPV_TYPE_MATRIX)
        spv_invalid(s, "the result of a conversion is not a number or a vector");
    spv_define_double_results(s, in, out);
    return true;
}

/* ---------------------------------------------------------------- dispatch */

static bool has_64_bits(const struct spv_type *t)
{
    return t->scalars == 2 && spv_scalar_bits(spv_scalar_of(t)) == 32;
}

/* A vector of two words and a number of 64 bits have the same scalars. */
static void move_words(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (in->count != 6 || !has_64_bits(type) || !has_64_bits(spv_type_of(s, in->words[5])))
        spv_invalid(s, "%s takes and gives 64 bits", spv_glsl_name(in->words[4]));
    spv_define(s, in->words[2], type, spv_value(s, in->words[5]));
}

static bool extended_instruction(struct spv *s, const struct spv_instr *in)
{
    if (in->words[4] == GLSLstd450PackDouble2x32 || in->words[4] == GLSLstd450UnpackDouble2x32) {
        move_words(s, in);
        return true;
    }
    return spv_translate_double_geometry(s, in) || spv_translate_double_glsl(s, in);
}

bool spv_translate_double(struct spv *s, const struct spv_instr *in)
{
    const struct arithmetic *row;
    switch (in->op) {
    case SpvOpExtInst:
        return extended_instruction(s, in);
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpFConvert:
        return convert(s, in);
    default:
        break;
    }
    if ((row = find(arithmetic, ARRAY_SIZE(arithmetic), in->op))) {
        spv_define_doubles(s, in, apply(s, row, in, 64));
        return true;
    }
    if ((row = find(comparisons, ARRAY_SIZE(comparisons), in->op))) {
        if (spv_scalar_of(spv_type(s, in->words[1]))->kind != SPV_TYPE_BOOL)
            spv_invalid(s, "the result of a comparison is not a boolean");
        spv_define_double_results(s, in, apply(s, row, in, 1));
        return true;
    }
    return spv_translate_double_matrix(s, in) || spv_translate_double_subgroup(s, in);
}
