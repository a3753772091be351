/* SPDX-License-Identifier: MIT
 *
 * Lowers float functions to what the chip has. The SFU's reciprocal, square root, exponential and logarithm give 13
 * bits, of which this code relies on 10 to 12. That is enough for relaxed-precision operations. For all others the
 * results are refined, or replaced by polynomials, until they meet Vulkan's limits. [hardware.md 2.3.3, 2.3.4;
 * src/model/gpu/gpu_sfu_tables.c]
 *
 * Coefficients are fitted over Chebyshev nodes; comments give their relative errors.
 */
#include "compiler/lower/lower.h"

static struct ir_instr *constant(struct ir_builder *b, float f)
{
    return ir_const_f(b, f);
}

/* Horner's scheme; `c` holds the highest coefficient first. */
static struct ir_instr *polynomial(struct ir_builder *b, struct ir_instr *x, const float *c, uint32_t n)
{
    struct ir_instr *sum = constant(b, c[0]);
    for (uint32_t i = 1; i < n; i++)
        sum = ir_fadd(b, ir_fmul(b, sum, x), constant(b, c[i]));
    return sum;
}

static struct ir_instr *absolute(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build2(b, IR_FMAXABS, x, x);
}

static struct ir_instr *word_op(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t c)
{
    return ir_build2(b, op, x, ir_const(b, c));
}

/* ---------------------------------------------------------------- reciprocal and roots */

/* Newton: r (2 - x r). At 0 and infinity the result stays unchanged, because on the chip 0 times infinity is 0. */
static struct ir_instr *reciprocal(struct ir_builder *b, struct ir_instr *x, uint32_t steps)
{
    struct ir_instr *r = ir_build1(b, IR_SFU_RECIP, x);
    for (uint32_t i = 0; i < steps; i++)
        r = ir_fmul(b, r, ir_fsub(b, constant(b, 2), ir_fmul(b, x, r)));
    return r;
}

/* Newton: r (1.5 - x r r/2). With h = r/2 no intermediate result overflows or underflows, for any normal x. For the
 * root itself, the last step uses x r instead of r. The last step of the inverse root adds a small correction instead
 * of multiplying by a factor close to 1, which has lost bits: 1.8 ULP instead of 2.5, the limit is 2. */
static struct ir_instr *root(struct ir_builder *b, struct ir_instr *x, uint32_t steps, bool is_inverse)
{
    struct ir_instr *r = ir_build1(b, IR_SFU_RSQRT, x);
    if (!steps)
        return is_inverse ? r : ir_fmul(b, x, r);
    struct ir_instr *h = ir_fmul(b, r, constant(b, 0.5f));
    for (;; steps--) {
        struct ir_instr *g = ir_fmul(b, x, r), *gh = ir_fmul(b, g, h);
        if (steps == 1 && is_inverse)
            return ir_fadd(b, r, ir_fmul(b, r, ir_fsub(b, constant(b, 0.5f), gh)));
        struct ir_instr *factor = ir_fsub(b, constant(b, 1.5f), gh);
        if (steps == 1)
            return ir_fmul(b, g, factor);
        h = ir_fmul(b, h, factor);
        r = ir_fadd(b, h, h);
    }
}

/* Newton steps that take the SFU's 10 bits to the required precision. */
static uint32_t newton_steps(const struct ir_instr *instr)
{
    return instr->relaxed ? 0 : instr->imm == 1 ? 1 : 2;
}

/* ---------------------------------------------------------------- exponential and logarithm */

/* 2^x = 2^i 2^f with f in [-0.5, 0.5]: a polynomial for 2^f, relative error 2e-9, then i is added to the exponent. */
static struct ir_instr *exponential(struct ir_builder *b, struct ir_instr *x)
{
    static const float c[] = {
        0.000153533612f, 0.00133988749f, 0.00961843736f, 0.0555033247f, 0.240226479f, 0.693147203f, 1};
    x = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, constant(b, -127)), constant(b, 128));
    struct ir_instr *sign_half = word_op(b, IR_OR, word_op(b, IR_AND, x, 0x80000000), util_fui(0.5f));
    struct ir_instr *i = ir_build1(b, IR_FTOI, ir_fadd(b, x, sign_half));
    struct ir_instr *f = ir_fsub(b, x, ir_build1(b, IR_ITOF, i));
    struct ir_instr *p = polynomial(b, f, c, ARRAY_SIZE(c));
    struct ir_instr *out = ir_build2(b, IR_IADD, p, word_op(b, IR_SHL, i, 23));
    struct ir_instr *is_tiny = ir_build2(b, IR_FLT, x, constant(b, -126));
    return ir_sel(b, is_tiny, ir_const(b, 0), out);
}

/* x = 2^e m with m in [sqrt(1/2), sqrt(2)); log2(m) is odd in s = (m - 1) / (m + 1), relative error 7.5e-10. */
static struct ir_instr *logarithm(struct ir_builder *b, struct ir_instr *x, uint32_t of_zero)
{
    static const float c[] = {0.432137438f, 0.576699532f, 0.961798979f, 2.88539008f};
    const uint32_t root_half = 0x3f3504f3;
    struct ir_instr *shifted = word_op(b, IR_ISUB, x, root_half);
    struct ir_instr *e = word_op(b, IR_ASR, shifted, 23);
    struct ir_instr *m = ir_build2(b, IR_ISUB, x, word_op(b, IR_SHL, e, 23));
    struct ir_instr *one = constant(b, 1);
    struct ir_instr *s = ir_fmul(b, ir_fsub(b, m, one), reciprocal(b, ir_fadd(b, m, one), 2));
    struct ir_instr *log_m = ir_fmul(b, polynomial(b, ir_fmul(b, s, s), c, ARRAY_SIZE(c)), s);
    struct ir_instr *out = ir_fadd(b, ir_build1(b, IR_ITOF, e), log_m);
    struct ir_instr *infinite = ir_const(b, 0x7f800000);
    out = ir_sel(b, ir_build2(b, IR_IEQ, x, infinite), infinite, out);
    struct ir_instr *is_zero = ir_build2(b, IR_FEQ, x, ir_const(b, 0));
    return ir_sel(b, is_zero, ir_const(b, of_zero), out);
}

#define MINUS_INFINITY 0xff800000u
#define MINUS_ENORMOUS 0xf899999au /* -2.5e34: finite, and good enough as log2(0) where only its power is used */

static struct ir_instr *power(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, bool relaxed)
{
    struct ir_instr *log = relaxed ? ir_build1(b, IR_SFU_LOG2, x) : logarithm(b, x, MINUS_ENORMOUS);
    struct ir_instr *product = ir_fmul(b, log, y);
    return relaxed ? ir_build1(b, IR_SFU_EXP2, product) : exponential(b, product);
}

/* ---------------------------------------------------------------- trigonometry */

/* sin(2 pi t). The fraction f of t lies in (-1, 1). sin(2 pi |f|) = -sin(2 pi (|f| - 1/2)), and symmetry reduces the
 * argument to u in [0, 1/4]: a polynomial with relative error 9.4e-7 (2.2e-4 for the relaxed one). Neither exceeds
 * 1. */
static struct ir_instr *sine_of_turns(struct ir_builder *b, struct ir_instr *t, bool relaxed)
{
    static const float exact[] = {-71.4754258f, 81.3954410f, -41.3389452f, 6.28317943f};
    static const float rough[] = {74.4459686f, -41.1620483f, 6.28181553f};
    struct ir_instr *f = ir_fsub(b, t, ir_build1(b, IR_ITOF, ir_build1(b, IR_FTOI, t)));
    struct ir_instr *half = constant(b, 0.5f), *h = ir_fsub(b, absolute(b, f), half), *a = absolute(b, h);
    struct ir_instr *u = ir_build2(b, IR_FMIN, a, ir_fsub(b, half, a));
    struct ir_instr *p = polynomial(b, ir_fmul(b, u, u), relaxed ? rough : exact, relaxed ? 3 : 4);
    struct ir_instr *sign = word_op(b, IR_AND, ir_build2(b, IR_XOR, h, f), 0x80000000);
    sign = word_op(b, IR_XOR, sign, 0x80000000);
    return ir_build2(b, IR_XOR, ir_fmul(b, p, u), sign);
}

static struct ir_instr *sine(struct ir_builder *b, struct ir_instr *x, float phase, bool relaxed)
{
    struct ir_instr *t = ir_fmul(b, x, constant(b, 0.159154943f));
    return sine_of_turns(b, phase != 0 ? ir_fadd(b, t, constant(b, phase)) : t, relaxed);
}

/* ---------------------------------------------------------------- rounding */

/* Beyond 2^23 every float is an integer already, and the conversions would overflow. */
static struct ir_instr *keep_if_large(struct ir_builder *b, struct ir_instr *x, struct ir_instr *rounded)
{
    return ir_sel(b, ir_build2(b, IR_FGE, absolute(b, x), constant(b, 8388608)), x, rounded);
}

static struct ir_instr *truncate(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build1(b, IR_ITOF, ir_build1(b, IR_FTOI, x));
}

/* `is_finite`: |x| is below 2^31. Relaxed-precision numbers are, except infinity. */
static struct ir_instr *floor_of(struct ir_builder *b, struct ir_instr *x, bool is_finite)
{
    struct ir_instr *t = truncate(b, x);
    struct ir_instr *down = ir_sel(b, ir_build2(b, IR_FLT, x, t), ir_fsub(b, t, constant(b, 1)), t);
    return is_finite ? down : keep_if_large(b, x, down);
}

static struct ir_instr *ceil_of(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *t = truncate(b, x);
    struct ir_instr *up = ir_sel(b, ir_build2(b, IR_FLT, t, x), ir_fadd(b, t, constant(b, 1)), t);
    return keep_if_large(b, x, up);
}

/* x - y floor(x / y). The quotient may be wrong in its last bits, so next to a whole number its floor may be off by
 * one. Then the remainder has the wrong sign or is as large as y. The remainder is computed again from the corrected
 * quotient, because the product was truncated. */
static struct ir_instr *modulo(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, bool relaxed)
{
    struct ir_instr *whole = floor_of(b, ir_fmul(b, x, reciprocal(b, y, relaxed ? 0 : 2)), relaxed);
    struct ir_instr *remainder = ir_fsub(b, x, ir_fmul(b, y, whole));
    if (relaxed)
        return remainder;
    struct ir_instr *has_wrong_sign = ir_build2(b, IR_ILT, ir_build2(b, IR_XOR, remainder, y), ir_const(b, 0));
    struct ir_instr *is_below = ir_build2(b, IR_BAND, has_wrong_sign, ir_build2(b, IR_FNE, remainder, ir_const(b, 0)));
    struct ir_instr *is_above = ir_build2(b, IR_FGE, absolute(b, remainder), absolute(b, y));
    struct ir_instr *one = constant(b, 1);
    whole = ir_sel(b, is_above, ir_fadd(b, whole, one), whole);
    whole = ir_sel(b, is_below, ir_fsub(b, whole, one), whole);
    return ir_fsub(b, x, ir_fmul(b, y, whole));
}

/* Rounds to the nearest, halves to even: the fraction is exact and is compared with one half. */
static struct ir_instr *round_of(struct ir_builder *b, struct ir_instr *x, bool is_relaxed)
{
    struct ir_instr *sign = word_op(b, IR_AND, x, 0x80000000);
    struct ir_instr *half = constant(b, 0.5f);
    if (is_relaxed) { /* halves away from zero; larger numbers and infinity become 2^23 */
        x = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, constant(b, -8388608)), constant(b, 8388608));
        return truncate(b, ir_fadd(b, x, ir_build2(b, IR_OR, sign, half)));
    }
    struct ir_instr *i = ir_build1(b, IR_FTOI, x), *t = ir_build1(b, IR_ITOF, i);
    struct ir_instr *remainder = absolute(b, ir_fsub(b, x, t));
    /* odd numbers round away from zero at one half or more, even ones only above one half */
    struct ir_instr *odd = word_op(b, IR_AND, i, 1);
    struct ir_instr *away = ir_build2(b, IR_ILT, ir_build2(b, IR_ISUB, half, odd), remainder);
    struct ir_instr *step = ir_build2(b, IR_OR, sign, constant(b, 1));
    return keep_if_large(b, x, ir_sel(b, away, ir_fadd(b, t, step), t));
}

/* ---------------------------------------------------------------- unsigned conversions */

static struct ir_instr *to_unsigned(struct ir_builder *b, struct ir_instr *x, bool relaxed)
{
    struct ir_instr *low = ir_build1(b, IR_FTOI, x);
    if (relaxed)
        return low;
    struct ir_instr *limit = constant(b, 2147483648.0f);
    struct ir_instr *high = word_op(b, IR_XOR, ir_build1(b, IR_FTOI, ir_fsub(b, x, limit)), 0x80000000);
    return ir_sel(b, ir_build2(b, IR_FGE, x, limit), high, low);
}

/* Where bit 31 is set, x is halved first; the bit shifted out is kept as a sticky bit. */
static struct ir_instr *from_unsigned(struct ir_builder *b, struct ir_instr *x, bool relaxed)
{
    struct ir_instr *plain = ir_build1(b, IR_ITOF, x);
    if (relaxed)
        return plain;
    struct ir_instr *half = ir_build2(b, IR_OR, word_op(b, IR_SHR, x, 1), word_op(b, IR_AND, x, 1));
    half = ir_build1(b, IR_ITOF, half);
    return ir_sel(b, ir_build2(b, IR_ILT, x, ir_const(b, 0)), ir_fadd(b, half, half), plain);
}

/* ---------------------------------------------------------------- equality */

/* True for 0 and for finite values far from 0: their difference from another value is 0 only if both are equal. */
static bool has_safe_difference(const struct ir_instr *x)
{
    uint32_t magnitude = x->imm & 0x7fffffff;
    switch (x->op) {
    case IR_CONST:
        return !magnitude || (magnitude >= util_fui(0x1p-100f) && magnitude < 0x7f800000);
    case IR_UNPACK_F:
        return x->imm >= 2; /* bytes */
    case IR_ITOF:
    case IR_UTOF:
        return true;
    default:
        return false;
    }
}

/* The chip compares by subtracting. Two infinities have no difference, and a difference below 2^-126 is flushed to 0.
 * So where operands may be infinite or that small, x == y is computed as min(x, y) >= max(x, y). Relaxed-precision
 * operands are never that large or small. */
static bool can_compare_by_difference(const struct ir_instr *x, const struct ir_instr *y)
{
    return x->relaxed || y->relaxed || has_safe_difference(x) || has_safe_difference(y);
}

static struct ir_instr *equality(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    if (can_compare_by_difference(x, y))
        return NULL;
    struct ir_instr *low = ir_build2(b, IR_FMIN, x, y), *high = ir_build2(b, IR_FMAX, x, y);
    return ir_build2(b, op == IR_FEQ ? IR_FGE : IR_FLT, low, high);
}

/* ---------------------------------------------------------------- the pass */

static struct ir_instr *lower(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_instr *x = instr->src_count > 0 ? instr->src[0].def : NULL;
    struct ir_instr *y = instr->src_count > 1 ? instr->src[1].def : NULL;
    bool relaxed = instr->relaxed;
    switch ((enum ir_op)instr->op) {
    case IR_FEQ:
    case IR_FNE:
        return equality(b, instr->op, x, y);
    case IR_FNEG:
        return ir_fsub(b, ir_const(b, 0), x);
    case IR_FABS:
        return absolute(b, x);
    case IR_FSAT:
        return ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const(b, 0)), constant(b, 1));
    case IR_FRCP:
        return reciprocal(b, x, newton_steps(instr));
    case IR_FRSQ:
        return root(b, x, newton_steps(instr), true);
    case IR_FSQRT:
        return root(b, x, newton_steps(instr), false);
    case IR_FDIV:
        return ir_fmul(b, x, reciprocal(b, y, newton_steps(instr)));
    case IR_FEXP2:
        return relaxed ? ir_build1(b, IR_SFU_EXP2, x) : exponential(b, x);
    case IR_FLOG2:
        return relaxed ? ir_build1(b, IR_SFU_LOG2, x) : logarithm(b, x, MINUS_INFINITY);
    case IR_FPOW:
        return power(b, x, y, relaxed);
    case IR_FSIN:
        return sine(b, x, 0, relaxed);
    case IR_FCOS:
        return sine(b, x, 0.25f, relaxed);
    case IR_FFLOOR:
        return floor_of(b, x, false);
    case IR_FCEIL:
        return ceil_of(b, x);
    case IR_FTRUNC:
        return keep_if_large(b, x, truncate(b, x));
    case IR_FROUND:
        return round_of(b, x, relaxed && instr->imm == 1);
    case IR_FFRACT:
        return ir_fsub(b, x, floor_of(b, x, relaxed)); /* undefined for infinity, as mod is */
    case IR_FMOD:
        return modulo(b, x, y, relaxed);
    case IR_FTOU:
        return to_unsigned(b, x, relaxed);
    case IR_UTOF:
        return from_unsigned(b, x, relaxed);
    default:
        return NULL;
    }
}

bool ir_lower_math(struct ir_shader *shader)
{
    bool changed = false;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!(ir_op_infos[instr->op].flags & IR_H) && instr->op != IR_FEQ && instr->op != IR_FNE)
                continue;
            struct ir_builder b = ir_before(shader, instr);
            struct ir_instr *by = lower(&b, instr);
            if (!by)
                continue;
            ir_replace_uses(instr, by);
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}
