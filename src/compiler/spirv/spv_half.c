/* SPDX-License-Identifier: MIT
 *
 * Floats of 16 bits: the instructions that look at their bits. Comparisons of halves are comparisons of integers, exact
 * for denormals, infinities and signed zeros, and know NaN.
 */
#include "compiler/spirv/spv_small.h"
#include "compiler/spirv/spv_special.h"

#define HALF_INFINITY 0x7c00u
#define HALF_NAN      0x7e00u

static struct ir_instr *op2(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, op, x, y);
}

static struct ir_instr *op_c(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, op, x, ir_const(b, word));
}

static bool is_half(const struct spv_type *t)
{
    const struct spv_type *scalar = t->kind == SPV_TYPE_VECTOR || t->kind == SPV_TYPE_MATRIX ? spv_scalar_of(t) : t;
    return scalar->kind == SPV_TYPE_FLOAT && scalar->bits == 16;
}

static struct ir_instr *size_of(struct ir_builder *b, struct ir_instr *x)
{
    return op_c(b, IR_AND, x, 0x7fff);
}

/* ---------------------------------------------------------------- comparisons */

static const struct comparison {
    uint16_t op, compare;
    bool swapped, is_unordered; /* true where an operand is NaN */
} comparisons[] = {
    {SpvOpFOrdEqual, IR_IEQ},
    {SpvOpFUnordEqual, IR_IEQ, .is_unordered = true},
    {SpvOpFOrdNotEqual, IR_INE},
    {SpvOpFUnordNotEqual, IR_INE, .is_unordered = true},
    {SpvOpFOrdLessThan, IR_ILT},
    {SpvOpFUnordLessThan, IR_ILT, .is_unordered = true},
    {SpvOpFOrdGreaterThan, IR_ILT, .swapped = true},
    {SpvOpFUnordGreaterThan, IR_ILT, .swapped = true, .is_unordered = true},
    {SpvOpFOrdLessThanEqual, IR_IGE, .swapped = true},
    {SpvOpFUnordLessThanEqual, IR_IGE, .swapped = true, .is_unordered = true},
    {SpvOpFOrdGreaterThanEqual, IR_IGE},
    {SpvOpFUnordGreaterThanEqual, IR_IGE, .is_unordered = true},
};

/* All bits set in negative numbers. */
static struct ir_instr *sign_mask(struct ir_builder *b, struct ir_instr *x)
{
    return op_c(b, IR_ASR, op_c(b, IR_SHL, x, 16), 31);
}

/* An integer with the order of the number, in which -0 comes before 0. */
static struct ir_instr *rank(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *negative = sign_mask(b, x);
    return op2(b, IR_XOR, size_of(b, x), negative);
}

/* The same, but both zeros are 0. */
static struct ir_instr *value_rank(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *negative = sign_mask(b, x);
    return op2(b, IR_ISUB, op2(b, IR_XOR, size_of(b, x), negative), negative);
}

static struct ir_instr *compare(struct ir_builder *b, const struct comparison *c, struct ir_instr *x,
                                struct ir_instr *y)
{
    struct ir_instr *larger = op2(b, IR_IMAX, size_of(b, x), size_of(b, y));
    struct ir_instr *left = value_rank(b, c->swapped ? y : x), *right = value_rank(b, c->swapped ? x : y);
    struct ir_instr *holds = op2(b, (enum ir_op)c->compare, left, right);
    if (c->is_unordered)
        return op2(b, IR_BOR, holds, op2(b, IR_ILT, ir_const(b, HALF_INFINITY), larger));
    return op2(b, IR_BAND, holds, op_c(b, IR_ILT, larger, HALF_INFINITY + 1));
}

static const struct comparison *find_comparison(uint16_t op)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(comparisons); i++)
        if (comparisons[i].op == op)
            return &comparisons[i];
    return NULL;
}

static void translate_comparison(struct spv *s, const struct spv_instr *in, const struct comparison *c)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_type *x_type = spv_type_of(s, in->words[3]), *y_type = spv_type_of(s, in->words[4]);
    if (!is_half(x_type) || !is_half(y_type) || x_type->scalars != type->scalars || y_type->scalars != type->scalars ||
        spv_scalar_of(type)->kind != SPV_TYPE_BOOL)
        spv_invalid(s, "the operands and the result of a comparison have different types");
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_define(s, in->words[2], type, NULL);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = compare(&s->b, c, x[i], y[i]);
}

/* ---------------------------------------------------------------- sums */

/* NaN if an operand is NaN; the chip's sum would be infinite. */
static struct ir_instr *sum(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *out = spv_half_result(b, op2(b, op, spv_half_operand(b, x), spv_half_operand(b, y)));
    struct ir_instr *larger = size_of(b, x);
    if (y->op != IR_CONST || (y->imm & 0x7fff) > HALF_INFINITY)
        larger = op2(b, IR_IMAX, larger, size_of(b, y));
    return ir_build3(b, IR_SEL, op2(b, IR_ILT, ir_const(b, HALF_INFINITY), larger), ir_const(b, HALF_NAN), out);
}

static void translate_sum(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_type *x_type = spv_type_of(s, in->words[3]), *y_type = spv_type_of(s, in->words[4]);
    if (!is_half(type) || !is_half(x_type) || !is_half(y_type) || x_type->scalars != type->scalars ||
        y_type->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = sum(&s->b, in->op == SpvOpFAdd ? IR_FADD : IR_FSUB, x[i], y[i]);
    spv_define(s, in->words[2], type, out);
}

/* ---------------------------------------------------------------- one operand */

enum bits_of_half { NONE, IS_NAN, IS_INF, NEGATED, ABSOLUTE };

static enum bits_of_half operation(const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpIsNan:
        return IS_NAN;
    case SpvOpIsInf:
        return IS_INF;
    case SpvOpFNegate:
        return NEGATED;
    case SpvOpExtInst:
        return in->words[4] == GLSLstd450FAbs && in->count == 6 ? ABSOLUTE : NONE;
    default:
        return NONE;
    }
}

static void translate_bits(struct spv *s, const struct spv_instr *in, enum bits_of_half operation)
{
    struct ir_builder *b = &s->b;
    const uint32_t operand = in->words[in->op == SpvOpExtInst ? 5 : 3];
    const struct spv_type *type = spv_type(s, in->words[1]), *x_type = spv_type_of(s, operand);
    const bool is_test = operation == IS_NAN || operation == IS_INF;
    if (!is_half(x_type) || x_type->scalars != type->scalars ||
        (is_test ? spv_scalar_of(type)->kind != SPV_TYPE_BOOL : !is_half(type)))
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, operand), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        if (operation == IS_NAN)
            out[i] = op2(b, IR_ILT, ir_const(b, HALF_INFINITY), size_of(b, x[i]));
        else if (operation == IS_INF)
            out[i] = op_c(b, IR_IEQ, size_of(b, x[i]), HALF_INFINITY);
        else
            out[i] = operation == NEGATED ? op_c(b, IR_XOR, x[i], 0x8000) : size_of(b, x[i]);
    }
    spv_define(s, in->words[2], type, out);
}

/* ---------------------------------------------------------------- minima and maxima */

/* The larger or smaller number, where -0 is below 0; of a number and NaN, the number if `skips_nan`. */
static struct ir_instr *extreme(struct ir_builder *b, bool is_max, bool skips_nan, struct ir_instr *x,
                                struct ir_instr *y)
{
    struct ir_instr *ranks[2] = {rank(b, x), rank(b, y)}, *const numbers[2] = {x, y};
    for (uint32_t i = 0; i < 2 && skips_nan; i++) {
        struct ir_instr *is_nan = op2(b, IR_ILT, ir_const(b, HALF_INFINITY), size_of(b, numbers[i]));
        ranks[i] = ir_build3(b, IR_SEL, is_nan, ir_const(b, is_max ? 0x80000000 : 0x7fffffff), ranks[i]);
    }
    struct ir_instr *is_second = op2(b, IR_ILT, ranks[!is_max], ranks[is_max]);
    return ir_build3(b, IR_SEL, is_second, y, x);
}

static struct ir_instr *limited(struct ir_builder *b, uint32_t function, struct ir_instr *const *x)
{
    const bool skips_nan = function == GLSLstd450NMin || function == GLSLstd450NMax || function == GLSLstd450NClamp;
    switch (function) {
    case GLSLstd450FMin:
    case GLSLstd450NMin:
        return extreme(b, false, skips_nan, x[0], x[1]);
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        return extreme(b, true, skips_nan, x[0], x[1]);
    default:
        return extreme(b, false, skips_nan, extreme(b, true, skips_nan, x[0], x[1]), x[2]);
    }
}

/* The number of operands of a function that chooses among its operands; 0: another function. */
static uint32_t choices(const struct spv_instr *in)
{
    if (in->op != SpvOpExtInst)
        return 0;
    switch (in->words[4]) {
    case GLSLstd450FMin:
    case GLSLstd450NMin:
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        return 2;
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return 3;
    default:
        return 0;
    }
}

static void translate_choice(struct spv *s, const struct spv_instr *in, uint32_t count)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct ir_instr **x[3] = {NULL};
    if (in->count != 5 + count || !is_half(type))
        spv_invalid(s, "%s with operands of another type", spv_glsl_name(in->words[4]));
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_type *t = spv_type_of(s, in->words[5 + i]);
        if (!is_half(t) || t->scalars != type->scalars)
            spv_invalid(s, "operand and result have different sizes");
        x[i] = spv_value(s, in->words[5 + i]);
    }
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *const one[3] = {x[0][i], x[1][i], count > 2 ? x[2][i] : NULL};
        out[i] = limited(&s->b, in->words[4], one);
    }
    spv_define(s, in->words[2], type, out);
}

/* ---------------------------------------------------------------- square roots */

/* The chip's square root of infinity is 0; that of any number above 2^32 becomes infinite as a half. */
static struct ir_instr *root(struct ir_builder *b, struct ir_instr *x)
{
    if (b->float_op)
        return spv_half_result(b, ir_build1(b, IR_FSQRT, x));
    return spv_half_result(b, ir_build1(b, IR_FSQRT, op2(b, IR_FMIN, x, ir_const_f(b, 0x1p100f))));
}

static void translate_sqrt(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (!is_half(type) || !is_half(spv_type_of(s, in->words[5])) ||
        spv_type_of(s, in->words[5])->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[5]), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = root(&s->b, spv_half_operand(&s->b, x[i]));
    spv_define(s, in->words[2], type, out);
}

/* Length of a vector, or of the difference of two. */
static void translate_length(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    const struct spv_type *type = spv_type_of(s, in->words[5]);
    const uint32_t n = type->scalars, last = in->words[in->count - 1];
    if (type->kind != SPV_TYPE_VECTOR || !is_half(type) || !is_half(spv_type_of(s, last)) ||
        spv_type_of(s, last)->scalars != n || !is_half(spv_type(s, in->words[1])))
        spv_invalid(s, "operands and result of %s have different types", spv_glsl_name(in->words[4]));
    struct ir_instr **x = spv_value(s, in->words[5]), **y = spv_value(s, last), *d[4];
    for (uint32_t i = 0; i < n; i++) {
        d[i] = spv_half_operand(b, x[i]);
        if (in->words[4] == GLSLstd450Distance)
            d[i] = op2(b, IR_FSUB, d[i], spv_half_operand(b, y[i]));
    }
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), root(b, spv_dot(b, d, d, n)));
}

/* False: not one of these functions. */
static bool translate_root(struct spv *s, const struct spv_instr *in)
{
    if (in->op != SpvOpExtInst)
        return false;
    const bool is_distance = in->words[4] == GLSLstd450Distance && in->count == 7;
    const bool is_length = in->words[4] == GLSLstd450Length && in->count == 6;
    if (in->words[4] == GLSLstd450Sqrt && in->count == 6)
        translate_sqrt(s, in);
    else if ((is_length || is_distance) && spv_type_of(s, in->words[5])->kind == SPV_TYPE_VECTOR)
        translate_length(s, in); /* that of a scalar is its absolute value */
    else
        return false;
    return true;
}

/* ---------------------------------------------------------------- modf */

/* The whole part goes through a pointer, as a half. */
static void modf_of(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_pointer *p = spv_pointer(s, in->words[6]);
    if (!is_half(type) || !is_half(spv_type_of(s, in->words[5])) || !is_half(p->type) ||
        spv_type_of(s, in->words[5])->scalars != type->scalars || p->type->scalars != type->scalars)
        spv_invalid(s, "operands and result of Modf have different types");
    struct ir_instr **x = spv_value(s, in->words[5]), **whole = spv_new_scalars(s, type->scalars);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *f = spv_half_operand(b, x[i]), *w = ir_build1(b, IR_FTRUNC, f);
        whole[i] = spv_half_result(b, w);
        out[i] = spv_half_result(b, spv_fraction(b, f, w));
    }
    spv_store(s, p, whole);
    spv_define(s, in->words[2], type, out);
}

bool spv_translate_halves(struct spv *s, const struct spv_instr *in)
{
    const struct comparison *c = find_comparison(in->op);
    const enum bits_of_half bits = operation(in);
    if (c && in->count == 5) {
        translate_comparison(s, in, c);
        return true;
    }
    if (in->op == SpvOpFAdd || in->op == SpvOpFSub) {
        translate_sum(s, in);
        return true;
    }
    if (bits) {
        translate_bits(s, in, bits);
        return true;
    }
    if (choices(in)) {
        translate_choice(s, in, choices(in));
        return true;
    }
    if (translate_root(s, in))
        return true;
    if (in->op == SpvOpExtInst && in->words[4] == GLSLstd450Modf && in->count == 7) {
        modf_of(s, in);
        return true;
    }
    return false;
}
