/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450 on 64-bit floats: the functions that work component by component.
 */
#include "compiler/spirv/spv_double.h"

/* ---------------------------------------------------------------- functions of one component */

#define FUNCTION(name, expression)                                                                                     \
    static struct ir_f64 name(struct ir_builder *b, const struct ir_f64 *x)                                            \
    {                                                                                                                  \
        return expression;                                                                                             \
    }

FUNCTION(round_even, ir_f64_round_even(b, x[0]))
FUNCTION(trunc_of, ir_f64_trunc(b, x[0]))
FUNCTION(floor_of, ir_f64_floor(b, x[0]))
FUNCTION(ceil_of, ir_f64_ceil(b, x[0]))
FUNCTION(fract, ir_f64_sub(b, x[0], ir_f64_floor(b, x[0])))
FUNCTION(absolute, ir_f64_abs(b, x[0]))
FUNCTION(sign_of, ir_f64_sign(b, x[0]))
FUNCTION(root, ir_f64_sqrt(b, x[0]))
FUNCTION(inverse_root, ir_f64_div(b, ir_f64_const(b, 1), ir_f64_sqrt(b, x[0])))
FUNCTION(minimum, ir_f64_min(b, x[0], x[1]))
FUNCTION(maximum, ir_f64_max(b, x[0], x[1]))
FUNCTION(n_minimum, ir_f64_nmin(b, x[0], x[1]))
FUNCTION(n_maximum, ir_f64_nmax(b, x[0], x[1]))
FUNCTION(clamp, ir_f64_min(b, ir_f64_max(b, x[0], x[1]), x[2]))
FUNCTION(n_clamp, ir_f64_nmin(b, ir_f64_nmax(b, x[0], x[1]), x[2]))
FUNCTION(multiply_add, ir_f64_fma(b, x[0], x[1], x[2]))
FUNCTION(load_exponent, ir_f64_ldexp(b, x[0], x[1].lo))
FUNCTION(step, ir_f64_sel(b, ir_f64_lt(b, x[1], x[0]), ir_f64_const(b, 0), ir_f64_const(b, 1)))

/* x (1 - a) + y a, which is y at a = 1 */
static struct ir_f64 mix(struct ir_builder *b, const struct ir_f64 *x)
{
    struct ir_f64 rest = ir_f64_sub(b, ir_f64_const(b, 1), x[2]);
    return ir_f64_add(b, ir_f64_mul(b, x[0], rest), ir_f64_mul(b, x[1], x[2]));
}

/* t^2 (3 - 2 t), with t clamped to [0, 1] */
static struct ir_f64 smooth_step(struct ir_builder *b, const struct ir_f64 *x)
{
    struct ir_f64 zero = ir_f64_const(b, 0), one = ir_f64_const(b, 1);
    struct ir_f64 t = ir_f64_div(b, ir_f64_sub(b, x[2], x[0]), ir_f64_sub(b, x[1], x[0]));
    t = ir_f64_min(b, ir_f64_max(b, t, zero), one);
    struct ir_f64 slope = ir_f64_fma(b, ir_f64_const(b, -2), t, ir_f64_const(b, 3));
    return ir_f64_mul(b, ir_f64_mul(b, t, t), slope);
}

static const struct row {
    uint8_t glsl, sources, size;
    spv_double_op build;
} rows[] = {
    {GLSLstd450Round, 1, SPV_DOUBLE_SHORT, round_even},
    {GLSLstd450RoundEven, 1, SPV_DOUBLE_SHORT, round_even},
    {GLSLstd450Trunc, 1, SPV_DOUBLE_SHORT, trunc_of},
    {GLSLstd450FAbs, 1, SPV_DOUBLE_SHORT, absolute},
    {GLSLstd450FSign, 1, SPV_DOUBLE_SHORT, sign_of},
    {GLSLstd450Floor, 1, SPV_DOUBLE_SHORT, floor_of},
    {GLSLstd450Ceil, 1, SPV_DOUBLE_SHORT, ceil_of},
    {GLSLstd450Fract, 1, SPV_DOUBLE_LONG, fract},
    {GLSLstd450Sqrt, 1, SPV_DOUBLE_LONG, root},
    {GLSLstd450InverseSqrt, 1, SPV_DOUBLE_LONG, inverse_root},
    {GLSLstd450FMin, 2, SPV_DOUBLE_SHORT, minimum},
    {GLSLstd450FMax, 2, SPV_DOUBLE_SHORT, maximum},
    {GLSLstd450FClamp, 3, SPV_DOUBLE_LONG, clamp},
    {GLSLstd450NMin, 2, SPV_DOUBLE_SHORT, n_minimum},
    {GLSLstd450NMax, 2, SPV_DOUBLE_SHORT, n_maximum},
    {GLSLstd450NClamp, 3, SPV_DOUBLE_LONG, n_clamp},
    {GLSLstd450FMix, 3, SPV_DOUBLE_LONG, mix},
    {GLSLstd450Step, 2, SPV_DOUBLE_SHORT, step},
    {GLSLstd450SmoothStep, 3, SPV_DOUBLE_LONG, smooth_step},
    {GLSLstd450Fma, 3, SPV_DOUBLE_LONG, multiply_add},
};

static bool component_wise(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x[SPV_MAX_DOUBLE_SOURCES];
    uint32_t at = 0;
    while (at < ARRAY_SIZE(rows) && rows[at].glsl != in->words[4])
        at++;
    if (at == ARRAY_SIZE(rows))
        return false;
    if (in->count != 5u + rows[at].sources)
        spv_invalid(s, "%s with %u operands instead of %u", spv_glsl_name(in->words[4]), in->count - 5u, rows[at].sources);
    for (uint32_t i = 0; i < rows[at].sources; i++)
        x[i] = spv_doubles(s, in->words[5 + i]);
    spv_define_doubles(s, in, spv_map_doubles(s, rows[at].build, (enum spv_double_size)rows[at].size, x, rows[at].sources));
    return true;
}

/* ---------------------------------------------------------------- parts of numbers */

/* The words of a vector of 32-bit integers as numbers. */
static struct spv_doubles integers(struct spv *s, uint32_t id, uint32_t n)
{
    const struct spv_type *type = spv_type_of(s, id), *scalar = spv_scalar_of(type);
    if (scalar->kind != SPV_TYPE_INT || scalar->bits != 32 || type->scalars != n)
        spv_invalid(s, "the exponents are not 32-bit integers, as many as there are numbers");
    struct ir_instr **words = spv_value(s, id);
    struct spv_doubles out = spv_doubles_new(s, n);
    for (uint32_t i = 0; i < n; i++)
        out.x[i] = (struct ir_f64){words[i], NULL};
    return out;
}

static void translate_ldexp(struct spv *s, const struct spv_instr *in)
{
    if (in->count != 7)
        spv_invalid(s, "Ldexp with %u operands instead of 2", in->count - 5u);
    struct spv_doubles x[2] = {spv_doubles(s, in->words[5])};
    x[1] = integers(s, in->words[6], x[0].n);
    spv_define_doubles(s, in, spv_map_doubles(s, load_exponent, SPV_DOUBLE_LONG, x, 2));
}

/* The fraction, with the sign of x, from x and its integral part. */
static struct ir_f64 fraction(struct ir_builder *b, const struct ir_f64 *x)
{
    struct ir_f64 rest = ir_f64_sub(b, x[0], x[1]);
    struct ir_instr *sign = ir_build2(b, IR_AND, x[0].hi, ir_const(b, 0x80000000)), *is_inf = ir_f64_is_inf(b, x[0]);
    rest = ir_f64_sel(b, is_inf, ir_f64_const(b, 0), rest);
    return (struct ir_f64){rest.lo, ir_build2(b, IR_OR, rest.hi, sign)};
}

/* Both results as lists of scalars, one behind the other; the second has as many as are returned. */
static uint32_t modf_of(struct spv *s, struct spv_doubles x, struct ir_instr **out)
{
    struct spv_doubles sources[2] = {x, spv_map_doubles(s, trunc_of, SPV_DOUBLE_SHORT, &x, 1)};
    struct spv_doubles rest = spv_map_doubles(s, fraction, SPV_DOUBLE_LONG, sources, 2);
    for (uint32_t i = 0; i < x.n; i++) {
        out[2 * i] = rest.x[i].lo;
        out[2 * i + 1] = rest.x[i].hi;
        out[2 * (x.n + i)] = sources[1].x[i].lo;
        out[2 * (x.n + i) + 1] = sources[1].x[i].hi;
    }
    return 2 * x.n;
}

static uint32_t frexp_of(struct spv *s, struct spv_doubles x, struct ir_instr **out)
{
    for (uint32_t i = 0; i < x.n; i++) {
        struct ir_f64 half = ir_f64_frexp(&s->b, x.x[i], &out[2 * x.n + i]);
        out[2 * i] = half.lo;
        out[2 * i + 1] = half.hi;
    }
    return x.n;
}

/* The second result is stored through a pointer, or both results form a struct. */
static void two_results(struct spv *s, const struct spv_instr *in, bool is_frexp, bool is_struct)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (in->count != (is_struct ? 6 : 7))
        spv_invalid(s, "%s with %u operands", spv_glsl_name(in->words[4]), in->count - 5u);
    struct spv_doubles x = spv_doubles(s, in->words[5]);
    struct ir_instr **out = spv_new_scalars(s, 4 * x.n);
    uint32_t second = is_frexp ? frexp_of(s, x, out) : modf_of(s, x, out);
    if (type->scalars != 2 * x.n + (is_struct ? second : 0))
        spv_invalid(s, "operand and result have different sizes");
    for (uint32_t i = 0; i < type->scalars; i++)
        if (spv_scalar_bits(spv_scalar_at(type, i)) != 32)
            spv_invalid(s, "the result of %s has booleans", spv_glsl_name(in->words[4]));
    if (!is_struct) {
        const struct spv_pointer *p = spv_pointer(s, in->words[6]);
        if (p->type->scalars != second || spv_scalar_bits(spv_scalar_of(p->type)) != 32)
            spv_invalid(s, "the pointer points to %u scalars instead of %u", p->type->scalars, second);
        spv_store(s, p, out + 2 * x.n);
    }
    spv_define(s, in->words[2], type, out);
}

bool spv_translate_double_glsl(struct spv *s, const struct spv_instr *in)
{
    const uint32_t op = in->words[4];
    switch (op) {
    case GLSLstd450Ldexp:
        translate_ldexp(s, in);
        return true;
    case GLSLstd450Modf:
    case GLSLstd450ModfStruct:
    case GLSLstd450Frexp:
    case GLSLstd450FrexpStruct:
        two_results(s, in, op == GLSLstd450Frexp || op == GLSLstd450FrexpStruct,
                    op == GLSLstd450ModfStruct || op == GLSLstd450FrexpStruct);
        return true;
    default:
        return component_wise(s, in);
    }
}
