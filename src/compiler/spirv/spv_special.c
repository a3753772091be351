/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on floats that preserves NaN, infinities and the sign of zero: SignedZeroInfNanPreserve, and fast-math
 * modes without NotNaN, NotInf or NSZ. The chip has no NaN, and 0 times anything is 0 there. So what the translation
 * builds of operations on floats goes through spv_keep_special_values (the builder's `float_op`), which builds the
 * chip's operation and chooses other results where an operand is special. Operations keep their own rounding, and flush
 * denormals.
 *
 * What remains of NaN in the expansions of functions (minima in their midst would lose it) is for spv_keep_nan.
 */
#include "compiler/spirv/spv_special.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define NAN_BITS 0x7fc00000u

typedef struct ir_instr instr; /* short: the functions below are expressions of them */

/* ---------------------------------------------------------------- classes of numbers */

static instr *op_c(struct ir_builder *b, enum ir_op op, instr *x, uint32_t c)
{
    return ir_build2(b, op, x, ir_const(b, c));
}

static instr *sign_of(struct ir_builder *b, instr *x)
{
    return op_c(b, IR_AND, x, SIGN);
}

static instr *size_of(struct ir_builder *b, instr *x)
{
    return op_c(b, IR_AND, x, ~SIGN);
}

static instr *is_nan(struct ir_builder *b, instr *x)
{
    return ir_build2(b, IR_ILT, ir_const(b, INFINITE), size_of(b, x));
}

static instr *is_infinite(struct ir_builder *b, instr *x)
{
    return op_c(b, IR_IEQ, size_of(b, x), INFINITE);
}

/* Zero, and denormals, which count as zero. */
static instr *is_zero(struct ir_builder *b, instr *x)
{
    return op_c(b, IR_IEQ, op_c(b, IR_AND, x, INFINITE), 0);
}

static instr *either(struct ir_builder *b, instr *x, instr *y)
{
    return ir_build2(b, IR_BOR, x, y);
}

static instr *both(struct ir_builder *b, instr *x, instr *y)
{
    return ir_build2(b, IR_BAND, x, y);
}

static instr *choose(struct ir_builder *b, instr *cond, instr *x, instr *y)
{
    return ir_build3(b, IR_SEL, cond, x, y);
}

static instr *nan_if(struct ir_builder *b, instr *cond, instr *x)
{
    return choose(b, cond, ir_const(b, NAN_BITS), x);
}

static instr *any_nan(struct ir_builder *b, instr *x, instr *y)
{
    return either(b, is_nan(b, x), is_nan(b, y));
}

/* ---------------------------------------------------------------- sums, products, quotients */

/* x + y, of which the chip's sum is `sum`. Only -0 and -0 have a sum of -0. */
static instr *sum_of(struct ir_builder *b, instr *x, instr *y, instr *sum)
{
    instr *is_difference = op_c(b, IR_IEQ, ir_build2(b, IR_XOR, x, y), SIGN); /* of equal numbers */
    instr *zero = sign_of(b, ir_build2(b, IR_AND, x, y));
    instr *out = choose(b, is_zero(b, sum), zero, sum);
    return nan_if(b, either(b, any_nan(b, x, y), both(b, is_difference, is_infinite(b, x))), out);
}

static instr *product_of(struct ir_builder *b, instr *x, instr *y, instr *product)
{
    instr *sign = sign_of(b, ir_build2(b, IR_XOR, x, y));
    instr *infinite = either(b, is_infinite(b, x), is_infinite(b, y));
    instr *is_undefined = both(b, infinite, either(b, is_zero(b, x), is_zero(b, y)));
    instr *size = choose(b, infinite, ir_const(b, INFINITE), size_of(b, product));
    return nan_if(b, either(b, any_nan(b, x, y), is_undefined), ir_build2(b, IR_OR, size, sign));
}

static instr *quotient_of(struct ir_builder *b, instr *x, instr *y, instr *quotient)
{
    instr *sign = sign_of(b, ir_build2(b, IR_XOR, x, y));
    instr *x_infinite = is_infinite(b, x), *y_infinite = is_infinite(b, y), *x_zero = is_zero(b, x),
          *y_zero = is_zero(b, y);
    instr *is_undefined = either(b, both(b, x_infinite, y_infinite), both(b, x_zero, y_zero));
    instr *size = choose(b, either(b, x_zero, y_infinite), ir_const(b, 0), size_of(b, quotient));
    size = choose(b, either(b, x_infinite, y_zero), ir_const(b, INFINITE), size);
    return nan_if(b, either(b, any_nan(b, x, y), is_undefined), ir_build2(b, IR_OR, size, sign));
}

/* x - y floor(x / y): a remainder of zero has the sign of y. */
static instr *remainder_of(struct ir_builder *b, instr *x, instr *y, instr *remainder)
{
    instr *out = choose(b, is_zero(b, remainder), sign_of(b, y), remainder);
    return nan_if(b, either(b, any_nan(b, x, y), either(b, is_infinite(b, x), is_zero(b, y))), out);
}

/* ---------------------------------------------------------------- roots, functions */

static instr *is_below_zero(struct ir_builder *b, instr *x)
{
    return both(b, op_c(b, IR_ILT, x, 0), ir_build1(b, IR_BNOT, is_zero(b, x)));
}

static instr *root_of(struct ir_builder *b, enum ir_op op, instr *x, instr *root)
{
    const bool is_inverse = op == IR_FRSQ;
    instr *of_zero = is_inverse ? op_c(b, IR_OR, sign_of(b, x), INFINITE) : sign_of(b, x);
    instr *out = choose(b, is_infinite(b, x), ir_const(b, is_inverse ? 0 : INFINITE), root);
    out = nan_if(b, either(b, is_nan(b, x), is_below_zero(b, x)), out);
    return choose(b, is_zero(b, x), of_zero, out);
}

static instr *function_of(struct ir_builder *b, enum ir_op op, instr *x, instr *out)
{
    switch (op) {
    case IR_FLOG2:
        return nan_if(b, either(b, is_nan(b, x), is_below_zero(b, x)), out);
    case IR_FSIN:
        out = choose(b, is_zero(b, x), x, out);
        return nan_if(b, either(b, is_nan(b, x), is_infinite(b, x)), out);
    case IR_FCOS:
    case IR_FFRACT:
        return nan_if(b, either(b, is_nan(b, x), is_infinite(b, x)), out);
    case IR_FFLOOR:
    case IR_FCEIL:
    case IR_FTRUNC:
    case IR_FROUND: /* the result has the sign of x, also where it is zero */
        return nan_if(b, is_nan(b, x), ir_build2(b, IR_OR, size_of(b, out), sign_of(b, x)));
    default: /* FEXP2, FSAT, derivatives */
        return nan_if(b, is_nan(b, x), out);
    }
}

/* ---------------------------------------------------------------- minima and comparisons */

static bool is_nonzero_constant(const instr *x)
{
    return x->op == IR_CONST && x->imm & ~SIGN;
}

/* Of a number and NaN, the number; of zeros, -0 is below 0. */
static instr *extreme_of(struct ir_builder *b, enum ir_op op, instr *x, instr *y, instr *extreme)
{
    if (!is_nonzero_constant(x) && !is_nonzero_constant(y)) {
        instr *any_bit = ir_build2(b, IR_OR, x, y);
        instr *zero = op == IR_FMIN ? any_bit : ir_build2(b, IR_AND, x, y);
        extreme = choose(b, op_c(b, IR_IEQ, size_of(b, any_bit), 0), zero, extreme);
    }
    return choose(b, is_nan(b, x), y, choose(b, is_nan(b, y), x, extreme));
}

/* Ordered, but FNE. */
static instr *comparison_of(struct ir_builder *b, enum ir_op op, instr *x, instr *y, instr *result)
{
    instr *is_unordered = any_nan(b, x, y);
    return op == IR_FNE ? either(b, is_unordered, result) : both(b, ir_build1(b, IR_BNOT, is_unordered), result);
}

struct ir_instr *spv_is_unordered(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return any_nan(b, x, y);
}

/* ---------------------------------------------------------------- operations as they are built */

static instr *special(struct ir_builder *b, enum ir_op op, uint32_t count, instr *const *x, instr *plain)
{
    switch (op) {
    case IR_FADD:
        return sum_of(b, x[0], x[1], plain);
    case IR_FSUB:
        return sum_of(b, x[0], op_c(b, IR_XOR, x[1], SIGN), plain);
    case IR_FMUL:
        return product_of(b, x[0], x[1], plain);
    case IR_FDIV:
        return quotient_of(b, x[0], x[1], plain);
    case IR_FRCP:
        return quotient_of(b, ir_const_f(b, 1), x[0], plain);
    case IR_FMOD:
        return remainder_of(b, x[0], x[1], plain);
    case IR_FPOW:
        return nan_if(b, any_nan(b, x[0], x[1]), plain);
    case IR_FMIN:
    case IR_FMAX:
        return extreme_of(b, op, x[0], x[1], plain);
    case IR_FEQ:
    case IR_FNE:
    case IR_FLT:
    case IR_FGE:
        return comparison_of(b, op, x[0], x[1], plain);
    case IR_FSQRT:
    case IR_FRSQ:
        return root_of(b, op, x[0], plain);
    case IR_FLOG2:
    case IR_FEXP2:
    case IR_FSIN:
    case IR_FCOS:
    case IR_FFRACT:
    case IR_FFLOOR:
    case IR_FCEIL:
    case IR_FTRUNC:
    case IR_FROUND:
    case IR_FSAT:
    case IR_DDX:
    case IR_DDY:
        return function_of(b, op, x[0], plain);
    default:
        return plain;
    }
}

struct ir_instr *spv_keep_special_values(struct ir_builder *b, enum ir_op op, uint32_t count, struct ir_instr *const *x)
{
    if (op == IR_FNEG)
        return op_c(b, IR_XOR, x[0], SIGN);
    if (op == IR_FABS)
        return size_of(b, x[0]);
    return special(b, op, count, x, ir_build(b, op, 32, count, x));
}

/* ---------------------------------------------------------------- functions of GLSL.std.450 */

/* Whether f(0) = 0 and f(-0) = -0. */
static bool is_odd(uint32_t function)
{
    switch (function) {
    case GLSLstd450Tan:
    case GLSLstd450Asin:
    case GLSLstd450Atan:
    case GLSLstd450Sinh:
    case GLSLstd450Tanh:
    case GLSLstd450Asinh:
    case GLSLstd450Atanh:
    case GLSLstd450FSign:
        return true;
    default:
        return false;
    }
}

/* Whether the function chooses among numbers, of which NaN is none. The sign of NaN is 0. */
static bool skips_nan(uint32_t function)
{
    switch (function) {
    case GLSLstd450FSign:
    case GLSLstd450FMin:
    case GLSLstd450FMax:
    case GLSLstd450FClamp:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450NClamp:
    case GLSLstd450Step:
        return true;
    default:
        return false;
    }
}

/* NaN; for arcsines and arccosines, also what is outside of [-1, 1]. */
static instr *has_no_result(struct ir_builder *b, uint32_t function, instr *x)
{
    if (function != GLSLstd450Asin && function != GLSLstd450Acos)
        return is_nan(b, x);
    instr *size = size_of(b, x);
    return ir_build2(b, IR_ILT, ir_const_f(b, 1), size);
}

struct ir_instr *spv_keep_nan(struct ir_builder *b, uint32_t function, struct ir_instr *const *x, uint32_t count,
                              struct ir_instr *out)
{
    if (is_odd(function))
        out = choose(b, is_zero(b, x[0]), sign_of(b, x[0]), out);
    for (uint32_t i = 0; i < count && !skips_nan(function); i++)
        out = nan_if(b, has_no_result(b, function, x[i]), out);
    return out;
}

/* Infinities have a fraction of 0, and all fractions have the sign of x. */
struct ir_instr *spv_fraction(struct ir_builder *b, struct ir_instr *x, struct ir_instr *whole)
{
    instr *rest = ir_build2(b, IR_FSUB, x, whole);
    if (!b->float_op)
        return rest;
    instr *has_fraction = ir_build1(b, IR_BNOT, is_infinite(b, x));
    rest = choose(b, has_fraction, rest, ir_const(b, 0));
    return ir_build2(b, IR_OR, rest, sign_of(b, x));
}
