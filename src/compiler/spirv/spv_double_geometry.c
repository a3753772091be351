/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450 on 64-bit floats: functions of whole vectors and matrices.
 */
#include "compiler/lower/lower_rounds.h"
#include "compiler/spirv/spv_double.h"

static struct spv_doubles operand(struct spv *s, const struct spv_instr *in, uint32_t i)
{
    if (5 + i >= in->count)
        spv_invalid(s, "%s has too few operands", spv_glsl_name(in->words[4]));
    return spv_doubles(s, in->words[5 + i]);
}

/* The same, but fails unless the operand has as many components as `like`. */
static struct spv_doubles operand_like(struct spv *s, const struct spv_instr *in, uint32_t i, struct spv_doubles like)
{
    struct spv_doubles x = operand(s, in, i);
    if (x.n != like.n)
        spv_invalid(s, "operands of %s have different sizes", spv_glsl_name(in->words[4]));
    return x;
}

static void define_scalar(struct spv *s, const struct spv_instr *in, struct ir_f64 x)
{
    spv_define_doubles(s, in, (struct spv_doubles){&x, 1});
}

/* n times x */
static struct spv_doubles repeated(struct spv *s, struct ir_f64 x, uint32_t n)
{
    struct spv_doubles out = spv_doubles_new(s, n);
    for (uint32_t i = 0; i < n; i++)
        out.x[i] = x;
    return out;
}

static struct spv_doubles map2(struct spv *s, spv_double_op op, struct spv_doubles x, struct spv_doubles y)
{
    return spv_map_doubles(s, op, SPV_DOUBLE_LONG, (const struct spv_doubles[]){x, y}, 2);
}

/* ---------------------------------------------------------------- vectors */

static struct ir_f64 length(struct spv *s, struct spv_doubles x)
{
    return x.n == 1 ? ir_f64_abs(&s->b, x.x[0]) : ir_f64_sqrt(&s->b, spv_double_dot(s, x, x));
}

static void distance(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = operand(s, in, 0), y = operand_like(s, in, 1, x);
    define_scalar(s, in, length(s, map2(s, spv_double_sub, x, y)));
}

static struct ir_f64 difference_of_products(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_sub(b, ir_f64_mul(b, x[0], x[1]), ir_f64_mul(b, x[2], x[3]));
}

static void cross(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = operand(s, in, 0), y = operand_like(s, in, 1, x), factors[4];
    if (x.n != 3)
        spv_invalid(s, "a cross product of vectors of %u components, which must be 3", x.n);
    for (uint32_t k = 0; k < 4; k++)
        factors[k] = spv_doubles_new(s, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        factors[0].x[i] = x.x[j];
        factors[1].x[i] = y.x[k];
        factors[2].x[i] = x.x[k];
        factors[3].x[i] = y.x[j];
    }
    spv_define_doubles(s, in, spv_map_doubles(s, difference_of_products, SPV_DOUBLE_LONG, factors, 4));
}

static void normalize(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = operand(s, in, 0);
    spv_define_doubles(s, in, map2(s, spv_double_div, x, repeated(s, length(s, x), x.n)));
}

static void face_forward(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct spv_doubles n = operand(s, in, 0), i = operand_like(s, in, 1, n), ref = operand_like(s, in, 2, n);
    struct ir_instr *keep = ir_f64_lt(b, spv_double_dot(s, ref, i), ir_f64_const(b, 0));
    struct spv_doubles out = spv_doubles_new(s, n.n);
    for (uint32_t k = 0; k < n.n; k++)
        out.x[k] = ir_f64_sel(b, keep, n.x[k], ir_f64_neg(b, n.x[k]));
    spv_define_doubles(s, in, out);
}

/* x - y z */
static struct ir_f64 minus_product(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_sub(b, x[0], ir_f64_mul(b, x[1], x[2]));
}

/* I - 2 dot(N, I) N */
static void reflect(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles i = operand(s, in, 0), n = operand_like(s, in, 1, i);
    struct ir_f64 d = spv_double_dot(s, n, i);
    struct spv_doubles x[3] = {i, n, repeated(s, ir_f64_add(&s->b, d, d), i.n)};
    spv_define_doubles(s, in, spv_map_doubles(s, minus_product, SPV_DOUBLE_LONG, x, 3));
}

/* k = 1 - eta^2 (1 - dot(N, I)^2); 0 where k < 0, else eta I - (eta dot(N, I) + sqrt(k)) N */
static void refract(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct spv_doubles i = operand(s, in, 0), n = operand_like(s, in, 1, i), eta = operand(s, in, 2), x[4];
    if (eta.n != 1)
        spv_invalid(s, "the eta of Refract has %u components, which must be 1", eta.n);
    struct ir_f64 one = ir_f64_const(b, 1), d = spv_double_dot(s, n, i), e = eta.x[0];
    struct ir_f64 sine2 = minus_product(b, (const struct ir_f64[]){one, d, d});
    struct ir_f64 k = minus_product(b, (const struct ir_f64[]){one, ir_f64_mul(b, e, e), sine2});
    struct ir_instr *is_total = ir_f64_lt(b, k, ir_f64_const(b, 0));
    x[0] = repeated(s, e, i.n);
    x[1] = i;
    x[2] = repeated(s, ir_f64_add(b, ir_f64_mul(b, e, d), ir_f64_sqrt(b, k)), i.n);
    x[3] = n;
    struct spv_doubles out = spv_map_doubles(s, difference_of_products, SPV_DOUBLE_LONG, x, 4);
    for (uint32_t c = 0; c < out.n; c++)
        out.x[c] = ir_f64_sel(b, is_total, ir_f64_const(b, 0), out.x[c]);
    spv_define_doubles(s, in, out);
}

/* ---------------------------------------------------------------- matrices */

/* Determinants of the last `size` rows of an n by n matrix, for each set of as many columns: out.x[set], where bit c of
 * `set` tells that column c takes part. */
static struct spv_doubles minors(struct spv *s, struct spv_doubles m, uint32_t n, uint32_t size)
{
    struct spv_doubles out = spv_doubles_new(s, 1u << n);
    if (size == 1) {
        for (uint32_t c = 0; c < n; c++)
            out.x[1u << c] = m.x[c * n + n - 1];
        return out;
    }
    struct spv_doubles smaller = minors(s, m, n, size - 1), factors[2] = {spv_doubles_new(s, 16), spv_doubles_new(s, 16)};
    uint32_t count = 0, sets = 0, at = 0;
    for (uint32_t term = 0; term < size; term++) {
        for (uint32_t set = 0; set < 1u << n; set++) {
            if ((uint32_t)__builtin_popcount(set) != size)
                continue;
            uint32_t left = set;
            for (uint32_t k = 0; k < term; k++)
                left &= left - 1;
            const uint32_t c = (uint32_t)__builtin_ctz(left);
            struct ir_f64 entry = m.x[c * n + n - size];
            factors[0].x[count] = term % 2 ? ir_f64_neg(&s->b, entry) : entry;
            factors[1].x[count++] = smaller.x[set & ~(1u << c)];
        }
        sets = term ? sets : count;
    }
    factors[0].n = factors[1].n = count;
    struct spv_doubles products = map2(s, spv_double_mul, factors[0], factors[1]), sums = {products.x, sets};
    for (uint32_t term = 1; term < size; term++)
        sums = map2(s, spv_double_add, sums, (struct spv_doubles){products.x + term * sets, sets});
    for (uint32_t set = 0; set < 1u << n; set++)
        if ((uint32_t)__builtin_popcount(set) == size)
            out.x[set] = sums.x[at++];
    return out;
}

static uint32_t square_size(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *t = in->count > 5 ? spv_type_of(s, in->words[5]) : NULL;
    if (!t || t->kind != SPV_TYPE_MATRIX || t->count != t->elem->count)
        spv_invalid(s, "not a square matrix");
    return t->count;
}

/* Of three columns, the product of the first with the cross product of the others: the conformance suite allows for the
 * rounding of that order only. */
static void determinant(struct spv *s, const struct spv_instr *in)
{
    const uint32_t n = square_size(s, in);
    struct spv_doubles m = operand(s, in, 0), turned = spv_doubles_new(s, n * n);
    for (uint32_t i = 0; i < n * n; i++)
        turned.x[i] = m.x[n == 3 ? i % n * n + i / n : i];
    define_scalar(s, in, minors(s, turned, n, n).x[(1u << n) - 1]);
}

/* The cofactors of row 0, by columns. */
static void cofactors(struct spv *s, struct spv_doubles m, uint32_t n, struct ir_f64 *out)
{
    struct spv_doubles of_sets = minors(s, m, n, n - 1);
    for (uint32_t c = 0; c < n; c++) {
        out[c] = of_sets.x[((1u << n) - 1) & ~(1u << c)];
        if (c % 2)
            out[c] = ir_f64_neg(&s->b, out[c]);
    }
}

/* Row 0 goes to the end, the others move up. For an even size this changes the sign of the determinant, so then the
 * sign of one row changes, too; that of the row that moves. */
static struct spv_doubles next_row(struct spv *s, struct spv_doubles m, uint32_t n)
{
    struct spv_doubles out = spv_doubles_new(s, n * n);
    for (uint32_t c = 0; c < n; c++) {
        for (uint32_t r = 0; r + 1 < n; r++)
            out.x[c * n + r] = m.x[c * n + r + 1];
        out.x[c * n + n - 1] = n % 2 ? m.x[c * n] : ir_f64_neg(&s->b, m.x[c * n]);
    }
    return out;
}

/* Cofactors of all rows, row by row, in a loop over the rows. */
static struct spv_doubles all_cofactors(struct spv *s, struct spv_doubles m, uint32_t n)
{
    const uint32_t all = n * n;
    struct spv_double_state first = spv_double_state(s, 2 * all), next = spv_double_state(s, 2 * all);
    struct spv_doubles out = repeated(s, ir_f64_const(&s->b, 0), all), turned = spv_doubles_new(s, all);
    uint32_t at = 0;
    spv_double_push(&first, m.x, all);
    spv_double_push(&first, out.x, all);
    struct ir_rounds r = ir_rounds_begin(&s->b, first.words, first.count, n);
    spv_double_pull(r.states, &at, m.x, turned.x, all);
    spv_double_pull(r.states, &at, out.x, out.x, all);
    for (uint32_t i = 0; i + n < all; i++)
        out.x[i] = out.x[i + n];
    cofactors(s, turned, n, out.x + all - n);
    ir_rounds_leave(&s->b, &r);
    spv_double_push(&next, next_row(s, turned, n).x, all);
    spv_double_push(&next, out.x, all);
    ir_rounds_end(&s->b, &r, next.words);
    return out;
}

/* Column c of the inverse is made of the cofactors of row c, over the determinant. */
static void inverse(struct spv *s, const struct spv_instr *in)
{
    const uint32_t n = square_size(s, in);
    struct spv_doubles m = operand(s, in, 0), out = all_cofactors(s, m, n), row = spv_doubles_new(s, n);
    for (uint32_t c = 0; c < n; c++)
        row.x[c] = m.x[c * n];
    struct ir_f64 whole = spv_double_dot(s, row, (struct spv_doubles){out.x, n});
    spv_define_doubles(s, in, map2(s, spv_double_div, out, repeated(s, whole, n * n)));
}

bool spv_translate_double_geometry(struct spv *s, const struct spv_instr *in)
{
    switch (in->words[4]) {
    case GLSLstd450Length:
        define_scalar(s, in, length(s, operand(s, in, 0)));
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
