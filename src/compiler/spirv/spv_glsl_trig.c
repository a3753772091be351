/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450: natural exponential and logarithm, trigonometric, inverse trigonometric and hyperbolic functions.
 * Vulkan allows atan and atan2 4,096 ULP, and derives the error of the others from formulas, which are used here.
 */
#include <math.h>
#include "compiler/spirv/spv.h"

#define PI      3.14159265358979f
#define PI_HALF 1.57079632679490f

static struct ir_instr *mul_const(struct ir_builder *b, struct ir_instr *x, float f)
{
    return ir_build2(b, IR_FMUL, x, ir_const_f(b, f));
}

static struct ir_instr *add_const(struct ir_builder *b, struct ir_instr *x, float f)
{
    return ir_build2(b, IR_FADD, x, ir_const_f(b, f));
}

/* atan on [0, 1], relative error 4.4e-6 (a fit over Chebyshev nodes). */
static struct ir_instr *atan_unit(struct ir_builder *b, struct ir_instr *x)
{
    static const float c[] = {-0.01348203686f, 0.05748162963f, -0.1212433931f,
                              0.1956378185f,   -0.3329949352f, 0.9999956465f};
    struct ir_instr *x2 = ir_build2(b, IR_FMUL, x, x), *sum = ir_const_f(b, c[0]);
    for (uint32_t i = 1; i < ARRAY_SIZE(c); i++)
        sum = add_const(b, ir_build2(b, IR_FMUL, sum, x2), c[i]);
    return ir_build2(b, IR_FMUL, sum, x);
}

/* Gives x, which must be positive, the sign of `of`. */
static struct ir_instr *copy_sign(struct ir_builder *b, struct ir_instr *x, struct ir_instr *of)
{
    return ir_build2(b, IR_OR, x, ir_build2(b, IR_AND, of, ir_const(b, 0x80000000)));
}

static struct ir_instr *arc_tangent(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *a = ir_build1(b, IR_FABS, x);
    struct ir_instr *is_steep = ir_build2(b, IR_FLT, ir_const_f(b, 1), a);
    struct ir_instr *t = atan_unit(b, ir_build3(b, IR_SEL, is_steep, ir_build1(b, IR_FRCP, a), a));
    struct ir_instr *steep = ir_build2(b, IR_FSUB, ir_const_f(b, PI_HALF), t);
    return copy_sign(b, ir_build3(b, IR_SEL, is_steep, steep, t), x);
}

/* atan2 from |y| and |x|: divides the smaller of the two by the larger, then corrects the angle for the octant. */
static struct ir_instr *atan2_by_octant(struct ir_builder *b, struct ir_instr *y, struct ir_instr *x,
                                        struct ir_instr *ay, struct ir_instr *ax)
{
    struct ir_instr *infinite = ir_const(b, 0x7f800000), *is_steep = ir_build2(b, IR_FLT, ax, ay);
    struct ir_instr *large = ir_build2(b, IR_FMAX, ax, ay), *small = ir_build2(b, IR_FMIN, ax, ay);
    struct ir_instr *t = ir_build2(b, IR_FDIV, small, large); /* 0 / 0 gives 0 */
    if (!b->relaxed)
        t = ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, small, infinite), ir_const_f(b, 1), t);
    t = atan_unit(b, t);
    t = ir_build3(b, IR_SEL, is_steep, ir_build2(b, IR_FSUB, ir_const_f(b, PI_HALF), t), t);
    struct ir_instr *is_left = ir_build2(b, IR_ILT, x, ir_const(b, 0)); /* tests the sign bit, so that -0 counts as
                                                                         * left */
    t = ir_build3(b, IR_SEL, is_left, ir_build2(b, IR_FSUB, ir_const_f(b, PI), t), t);
    return copy_sign(b, t, y);
}

static struct ir_instr *arc_tangent2_small(struct ir_builder *b, struct ir_instr *y, struct ir_instr *x)
{
    return atan2_by_octant(b, y, x, ir_build1(b, IR_FABS, y), ir_build1(b, IR_FABS, x));
}

/* Divides the largest numbers by four, because their reciprocals are denormals, which the chip flushes to 0. */
static struct ir_instr *arc_tangent2(struct ir_builder *b, struct ir_instr *y, struct ir_instr *x)
{
    if (b->relaxed)
        return arc_tangent2_small(b, y, x);
    struct ir_instr *ax = ir_build1(b, IR_FABS, x), *ay = ir_build1(b, IR_FABS, y);
    struct ir_instr *is_huge = ir_build2(b, IR_FGE, ir_build2(b, IR_FMAX, ax, ay), ir_const_f(b, 0x1p126f));
    struct ir_instr *scale = ir_build3(b, IR_SEL, is_huge, ir_const_f(b, 0.25f), ir_const_f(b, 1));
    return atan2_by_octant(b, y, x, ir_build2(b, IR_FMUL, ay, scale), ir_build2(b, IR_FMUL, ax, scale));
}

/* sqrt(1 - x^2) */
static struct ir_instr *co_sine(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *rest = ir_build2(b, IR_FSUB, ir_const_f(b, 1), ir_build2(b, IR_FMUL, x, x));
    return ir_build1(b, IR_FSQRT, ir_build2(b, IR_FMAX, rest, ir_const(b, 0)));
}

/* The factors are the floats just above log2(e) and ln(2): the chip truncates products, so the error is on both sides
 * of 0. */
struct ir_instr *spv_exp(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build1(b, IR_FEXP2, mul_const(b, x, 1.44269514f));
}

struct ir_instr *spv_log(struct ir_builder *b, struct ir_instr *x)
{
    return mul_const(b, ir_build1(b, IR_FLOG2, x), 0.69314724f);
}

/* (exp(x) op exp(-x)) / 2 */
static struct ir_instr *hyperbolic(struct ir_builder *b, enum ir_op op, struct ir_instr *x)
{
    struct ir_instr *up = spv_exp(b, x), *down = spv_exp(b, ir_build1(b, IR_FNEG, x));
    return mul_const(b, ir_build2(b, op, up, down), 0.5f);
}

/* Clamps x to +-10: beyond, the quotient rounds to +-1 or the number before, and exp would overflow to infinity. Where
 * a mode asks for special values, infinities have to give exactly +-1. */
static struct ir_instr *tanh_of(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *limited = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const_f(b, -10)), ir_const_f(b, 10));
    struct ir_instr *sine = hyperbolic(b, IR_FSUB, limited), *cosine = hyperbolic(b, IR_FADD, limited);
    struct ir_instr *out = ir_build2(b, IR_FDIV, sine, cosine);
    if (!b->float_op)
        return out;
    struct ir_instr *size = ir_build1(b, IR_FABS, x), *one = copy_sign(b, ir_const_f(b, 1), x);
    struct ir_instr *is_finite = ir_build2(b, IR_ILT, size, ir_const(b, 0x7f800000));
    return ir_build3(b, IR_SEL, is_finite, out, one);
}

/* log(|x| + sqrt(x^2 + 1)) with the sign of x */
static struct ir_instr *asinh_of(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *a = ir_build1(b, IR_FABS, x);
    struct ir_instr *root = ir_build1(b, IR_FSQRT, add_const(b, ir_build2(b, IR_FMUL, x, x), 1));
    return copy_sign(b, spv_log(b, ir_build2(b, IR_FADD, a, root)), x);
}

static struct ir_instr *acosh_of(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *root = ir_build1(b, IR_FSQRT, add_const(b, ir_build2(b, IR_FMUL, x, x), -1));
    return spv_log(b, ir_build2(b, IR_FADD, x, root));
}

static struct ir_instr *atanh_of(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *one = ir_const_f(b, 1);
    struct ir_instr *ratio = ir_build2(b, IR_FDIV, ir_build2(b, IR_FADD, one, x), ir_build2(b, IR_FSUB, one, x));
    return mul_const(b, spv_log(b, ratio), 0.5f);
}

struct ir_instr *spv_glsl_trig(struct ir_builder *b, uint32_t op, struct ir_instr *const *x)
{
    switch (op) {
    case GLSLstd450Tan:
        return ir_build2(b, IR_FDIV, ir_build1(b, IR_FSIN, x[0]), ir_build1(b, IR_FCOS, x[0]));
    case GLSLstd450Asin:
        return arc_tangent2_small(b, x[0], co_sine(b, x[0]));
    case GLSLstd450Acos:
        return arc_tangent2_small(b, co_sine(b, x[0]), x[0]);
    case GLSLstd450Atan:
        return arc_tangent(b, x[0]);
    case GLSLstd450Atan2:
        return arc_tangent2(b, x[0], x[1]);
    case GLSLstd450Sinh:
        return hyperbolic(b, IR_FSUB, x[0]);
    case GLSLstd450Cosh:
        return hyperbolic(b, IR_FADD, x[0]);
    case GLSLstd450Tanh:
        return tanh_of(b, x[0]);
    case GLSLstd450Asinh:
        return asinh_of(b, x[0]);
    case GLSLstd450Acosh:
        return acosh_of(b, x[0]);
    case GLSLstd450Atanh:
        return atanh_of(b, x[0]);
    default:
        return NULL;
    }
}
