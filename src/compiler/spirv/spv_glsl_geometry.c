/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450: functions of whole vectors and matrices.
 */
#include "compiler/spirv/spv.h"

/* ---------------------------------------------------------------- vectors */

struct vec {
    struct ir_instr **x;
    uint32_t n;
};

static struct vec operand(struct spv *s, const struct spv_instr *in, uint32_t i)
{
    if (5 + i >= in->count)
        spv_invalid(s, "%s has too few operands", spv_glsl_name(in->words[4]));
    const struct spv_type *t = spv_type_of(s, in->words[5 + i]);
    if (spv_scalar_of(t)->kind != SPV_TYPE_FLOAT || t->scalars > 16)
        spv_invalid(s, "an operand of %s is not a float vector or matrix", spv_glsl_name(in->words[4]));
    return (struct vec){spv_value(s, in->words[5 + i]), t->scalars};
}

/* The same, but fails unless the operand has as many scalars as `like`. */
static struct vec operand_like(struct spv *s, const struct spv_instr *in, uint32_t i, struct vec like)
{
    struct vec v = operand(s, in, i);
    if (v.n != like.n)
        spv_invalid(s, "operands of %s have different sizes", spv_glsl_name(in->words[4]));
    return v;
}

static void define(struct spv *s, const struct spv_instr *in, struct ir_instr **x, uint32_t n)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (type->scalars != n)
        spv_invalid(s, "the result type has %u scalars instead of %u", type->scalars, n);
    spv_define(s, in->words[2], type, x);
}

static void define_scalar(struct spv *s, const struct spv_instr *in, struct ir_instr *x)
{
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), x);
}

static struct ir_instr *length(struct ir_builder *b, struct vec v)
{
    return v.n == 1 ? ir_build1(b, IR_FABS, v.x[0]) : ir_build1(b, IR_FSQRT, spv_dot(b, v.x, v.x, v.n));
}

static void distance(struct spv *s, const struct spv_instr *in)
{
    struct vec x = operand(s, in, 0), y = operand_like(s, in, 1, x), d = {spv_new_scalars(s, x.n), x.n};
    for (uint32_t i = 0; i < x.n; i++)
        d.x[i] = ir_build2(&s->b, IR_FSUB, x.x[i], y.x[i]);
    define_scalar(s, in, length(&s->b, d));
}

static void cross(struct spv *s, const struct spv_instr *in)
{
    struct vec x = operand(s, in, 0), y = operand_like(s, in, 1, x);
    if (x.n != 3)
        spv_invalid(s, "a cross product of vectors of %u components, which must be 3", x.n);
    struct ir_instr **out = spv_new_scalars(s, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        struct ir_instr *plus = ir_build2(&s->b, IR_FMUL, x.x[j], y.x[k]);
        out[i] = ir_build2(&s->b, IR_FSUB, plus, ir_build2(&s->b, IR_FMUL, x.x[k], y.x[j]));
    }
    define(s, in, out, 3);
}

static void normalize(struct spv *s, const struct spv_instr *in)
{
    struct vec v = operand(s, in, 0);
    struct ir_instr *scale = ir_build1(&s->b, IR_FRSQ, spv_dot(&s->b, v.x, v.x, v.n));
    struct ir_instr **out = spv_new_scalars(s, v.n);
    for (uint32_t i = 0; i < v.n; i++)
        out[i] = ir_build2(&s->b, IR_FMUL, v.x[i], scale);
    define(s, in, out, v.n);
}

static void face_forward(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct vec n = operand(s, in, 0), i = operand_like(s, in, 1, n), ref = operand_like(s, in, 2, n);
    struct ir_instr *keep = ir_build2(b, IR_FLT, spv_dot(b, ref.x, i.x, n.n), ir_const(b, 0));
    struct ir_instr **out = spv_new_scalars(s, n.n);
    for (uint32_t k = 0; k < n.n; k++)
        out[k] = ir_build3(b, IR_SEL, keep, n.x[k], ir_build1(b, IR_FNEG, n.x[k]));
    define(s, in, out, n.n);
}

/* I - 2 dot(N, I) N */
static void reflect(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct vec i = operand(s, in, 0), n = operand_like(s, in, 1, i);
    struct ir_instr *d = spv_dot(b, n.x, i.x, n.n), *twice = ir_build2(b, IR_FADD, d, d);
    struct ir_instr **out = spv_new_scalars(s, n.n);
    for (uint32_t k = 0; k < n.n; k++)
        out[k] = ir_build2(b, IR_FSUB, i.x[k], ir_build2(b, IR_FMUL, twice, n.x[k]));
    define(s, in, out, n.n);
}

/* k = 1 - eta^2 (1 - dot(N, I)^2); 0 where k < 0, else eta I - (eta dot(N, I) + sqrt(k)) N */
static void refract(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct vec i = operand(s, in, 0), n = operand_like(s, in, 1, i), eta = operand(s, in, 2);
    if (eta.n != 1)
        spv_invalid(s, "the eta of Refract has %u components, which must be 1", eta.n);
    struct ir_instr *one = ir_const_f(b, 1), *d = spv_dot(b, n.x, i.x, n.n), *e = eta.x[0];
    struct ir_instr *sine2 = ir_build2(b, IR_FSUB, one, ir_build2(b, IR_FMUL, d, d));
    struct ir_instr *k = ir_build2(b, IR_FSUB, one, ir_build2(b, IR_FMUL, ir_build2(b, IR_FMUL, e, e), sine2));
    struct ir_instr *is_total = ir_build2(b, IR_FLT, k, ir_const(b, 0));
    struct ir_instr *scale = ir_build2(b, IR_FADD, ir_build2(b, IR_FMUL, e, d), ir_build1(b, IR_FSQRT, k));
    struct ir_instr **out = spv_new_scalars(s, n.n);
    for (uint32_t c = 0; c < n.n; c++) {
        struct ir_instr *bent =
            ir_build2(b, IR_FSUB, ir_build2(b, IR_FMUL, e, i.x[c]), ir_build2(b, IR_FMUL, scale, n.x[c]));
        out[c] = ir_build3(b, IR_SEL, is_total, ir_const(b, 0), bent);
    }
    define(s, in, out, n.n);
}

/* ---------------------------------------------------------------- matrices */

/* Element in column c and row r of an n by n matrix. */
static struct ir_instr *element(struct ir_instr **m, uint32_t n, uint32_t c, uint32_t r)
{
    return m[c * n + r];
}

/* Determinant of an n by n matrix without column `skip_c` and row `skip_r` (skip_c = n: of the whole matrix). */
static struct ir_instr *minor_of(struct spv *s, struct ir_instr **m, uint32_t n, uint32_t skip_c, uint32_t skip_r)
{
    struct ir_instr *left[16];
    uint32_t size = skip_c < n ? n - 1 : n, at = 0;
    for (uint32_t c = 0; c < n; c++)
        for (uint32_t r = 0; r < n; r++)
            if (c != skip_c && r != skip_r)
                left[at++] = element(m, n, c, r);
    if (size == 1)
        return left[0];
    struct ir_instr *sum = NULL;
    for (uint32_t c = 0; c < size; c++) {
        struct ir_instr *term = ir_build2(&s->b, IR_FMUL, element(left, size, c, 0), minor_of(s, left, size, c, 0));
        sum = !sum ? term : ir_build2(&s->b, c % 2 ? IR_FSUB : IR_FADD, sum, term);
    }
    return sum;
}

static uint32_t square_size(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *t = spv_type_of(s, in->words[5]);
    if (t->kind != SPV_TYPE_MATRIX || t->count != t->elem->count)
        spv_invalid(s, "not a square matrix");
    return t->count;
}

static void determinant(struct spv *s, const struct spv_instr *in)
{
    struct vec m = operand(s, in, 0);
    uint32_t n = square_size(s, in);
    define_scalar(s, in, minor_of(s, m.x, n, n, n));
}

/* The determinant ad - bc of a 2 by 2 matrix with the sign that IEEE 754 gives to zero: it is -0 where ad is -0 and bc
 * is +0. The chip's products have no negative zero. */
static struct ir_instr *with_sign_of_zero(struct ir_builder *b, struct ir_instr **m, struct ir_instr *determinant)
{
    struct ir_instr *ad = ir_build2(b, IR_FMUL, m[0], m[3]), *bc = ir_build2(b, IR_FMUL, m[2], m[1]);
    struct ir_instr *are_zero = ir_build2(b, IR_IEQ, ir_build2(b, IR_OR, ad, bc), ir_const(b, 0));
    struct ir_instr *signs =
        ir_build2(b, IR_AND, ir_build2(b, IR_XOR, m[0], m[3]), ir_build1(b, IR_NOT, ir_build2(b, IR_XOR, m[2], m[1])));
    struct ir_instr *zero = ir_build2(b, IR_AND, signs, ir_const(b, 0x80000000));
    return ir_build3(b, IR_SEL, are_zero, zero, determinant);
}

static void inverse(struct spv *s, const struct spv_instr *in)
{
    struct vec m = operand(s, in, 0);
    uint32_t n = square_size(s, in);
    struct ir_instr *all = minor_of(s, m.x, n, n, n);
    if (n == 2 && spv_scalar_of(spv_type_of(s, in->words[5]))->bits == 16) /* infinities are likely among halves */
        all = with_sign_of_zero(&s->b, m.x, all);
    struct ir_instr *scale = ir_build1(&s->b, IR_FRCP, all);
    struct ir_instr **out = spv_new_scalars(s, m.n);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t r = 0; r < n; r++) {
            struct ir_instr *cofactor = minor_of(s, m.x, n, r, c);
            struct ir_instr *signed_scale = (c + r) % 2 ? ir_build1(&s->b, IR_FNEG, scale) : scale;
            out[c * n + r] = ir_build2(&s->b, IR_FMUL, cofactor, signed_scale);
        }
    }
    define(s, in, out, m.n);
}

bool spv_translate_glsl_geometry(struct spv *s, const struct spv_instr *in)
{
    switch (in->words[4]) {
    case GLSLstd450Length:
        define_scalar(s, in, length(&s->b, operand(s, in, 0)));
        return true;
    case GLSLstd450Distance:
        distance(s, in);
        return true;
    case GLSLstd450Cross:
        cross(s, in);
        return true;
    case GLSLstd450Normalize:
        normalize(s, in);
        return true;
    case GLSLstd450FaceForward:
        face_forward(s, in);
        return true;
    case GLSLstd450Reflect:
        reflect(s, in);
        return true;
    case GLSLstd450Refract:
        refract(s, in);
        return true;
    case GLSLstd450Determinant:
        determinant(s, in);
        return true;
    case GLSLstd450MatrixInverse:
        inverse(s, in);
        return true;
    default:
        return false;
    }
}
