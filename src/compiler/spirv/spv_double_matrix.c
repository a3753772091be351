/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: products of vectors and matrices. Each loop over rows or columns stands in the program once.
 */
#include "compiler/lower/lower_rounds.h"
#include "compiler/spirv/spv_double.h"

/* ---------------------------------------------------------------- products */

struct shape {
    uint32_t columns, rows;
};

/* sums[r] += sum over k of x[k][r] y[k], for all rows r of the matrix x, in two loops. The matrix goes round: it is the
 * same afterwards. */
static void add_products(struct spv *s, struct shape shape, struct ir_f64 *x, struct ir_f64 *y, struct ir_f64 *sums)
{
    struct ir_builder *b = &s->b;
    const uint32_t n = shape.columns * shape.rows, all = n + shape.columns + shape.rows;
    struct spv_double_state first = spv_double_state(s, all), next = spv_double_state(s, all);
    uint32_t at = 0;
    spv_double_push(&first, x, n);
    spv_double_push(&first, y, shape.columns);
    spv_double_push(&first, sums, shape.rows);
    struct ir_rounds r = ir_rounds_begin(b, first.words, first.count, shape.columns);
    spv_double_pull(r.states, &at, x, x, n);
    spv_double_pull(r.states, &at, y, y, shape.columns);
    spv_double_pull(r.states, &at, sums, sums, shape.rows);

    struct spv_double_state inner_first = spv_double_state(s, n + shape.rows), inner_next = spv_double_state(s, n + shape.rows);
    spv_double_push(&inner_first, x, n);
    spv_double_push(&inner_first, sums, shape.rows);
    struct ir_rounds inner = ir_rounds_begin(b, inner_first.words, inner_first.count, shape.rows);
    at = 0;
    spv_double_pull(inner.states, &at, x, x, n);
    spv_double_pull(inner.states, &at, sums, sums, shape.rows);
    struct ir_f64 sum = ir_f64_add(b, sums[0], ir_f64_mul(b, x[0], y[0]));
    spv_double_move_up(x, n, x[0]);
    spv_double_move_up(sums, shape.rows, sum);
    ir_rounds_leave(b, &inner);
    spv_double_push(&inner_next, x, n);
    spv_double_push(&inner_next, sums, shape.rows);
    ir_rounds_end(b, &inner, inner_next.words);

    ir_rounds_leave(b, &r);
    spv_double_move_up(y, shape.columns, y[0]);
    spv_double_push(&next, x, n);
    spv_double_push(&next, y, shape.columns);
    spv_double_push(&next, sums, shape.rows);
    ir_rounds_end(b, &r, next.words);
}

static struct spv_doubles zeros(struct spv *s, uint32_t n)
{
    struct spv_doubles out = spv_doubles_new(s, n);
    for (uint32_t i = 0; i < n; i++)
        out.x[i] = ir_f64_const(&s->b, -0.0); /* which added to any number gives that number */
    return out;
}

static struct spv_doubles copy(struct spv *s, struct spv_doubles x)
{
    struct spv_doubles out = spv_doubles_new(s, x.n);
    for (uint32_t i = 0; i < x.n; i++)
        out.x[i] = x.x[i];
    return out;
}

/* Column c of the result is the matrix x times column c of y: a loop over the columns around those of add_products. */
static struct spv_doubles multiply(struct spv *s, struct shape xs, struct spv_doubles x, struct shape ys,
                                   struct spv_doubles y)
{
    struct ir_builder *b = &s->b;
    x = copy(s, x);
    y = copy(s, y);
    struct spv_doubles out = zeros(s, xs.rows * ys.columns);
    spv_spend(s, out.n * xs.columns);
    if (ys.columns == 1) {
        add_products(s, xs, x.x, y.x, out.x);
        return out;
    }
    const uint32_t all = x.n + y.n + out.n;
    struct spv_double_state first = spv_double_state(s, all), next = spv_double_state(s, all);
    uint32_t at = 0;
    spv_double_push(&first, x.x, x.n);
    spv_double_push(&first, y.x, y.n);
    spv_double_push(&first, out.x, out.n);
    struct ir_rounds r = ir_rounds_begin(b, first.words, first.count, ys.columns);
    spv_double_pull(r.states, &at, x.x, x.x, x.n);
    spv_double_pull(r.states, &at, y.x, y.x, y.n);
    spv_double_pull(r.states, &at, out.x, out.x, out.n);
    struct spv_doubles column = copy(s, (struct spv_doubles){y.x, ys.rows}), sums = zeros(s, xs.rows);
    struct spv_doubles whole = copy(s, x);
    add_products(s, xs, whole.x, column.x, sums.x);
    for (uint32_t i = 0; i < xs.rows; i++)
        spv_double_move_up(out.x, out.n, sums.x[i]);
    ir_rounds_leave(b, &r);
    for (uint32_t i = 0; i < ys.rows; i++)
        spv_double_move_up(y.x, y.n, y.x[0]);
    spv_double_push(&next, x.x, x.n); /* the matrix as it was */
    spv_double_push(&next, y.x, y.n);
    spv_double_push(&next, out.x, out.n);
    ir_rounds_end(b, &r, next.words);
    return out;
}

struct ir_f64 spv_double_dot(struct spv *s, struct spv_doubles x, struct spv_doubles y)
{
    if (x.n == 1)
        return ir_f64_mul(&s->b, x.x[0], y.x[0]);
    return multiply(s, (struct shape){x.n, 1}, x, (struct shape){1, y.n}, y).x[0];
}

/* ---------------------------------------------------------------- instructions */

static struct shape shape_of(const struct spv_type *t)
{
    if (t->kind == SPV_TYPE_MATRIX)
        return (struct shape){t->count, t->elem->count};
    return (struct shape){1, t->kind == SPV_TYPE_VECTOR ? t->count : 1};
}

static void matrix_product(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = spv_doubles(s, in->words[3]), y = spv_doubles(s, in->words[4]);
    struct shape xs = shape_of(spv_type_of(s, in->words[3])), ys = shape_of(spv_type_of(s, in->words[4]));
    if (in->op == SpvOpVectorTimesMatrix) /* the vector is a row */
        xs = (struct shape){xs.rows, 1};
    if (xs.columns != ys.rows)
        spv_invalid(s, "the sizes of a product do not match");
    spv_define_doubles(s, in, multiply(s, xs, x, ys, y));
}

/* Each component of x with each of y: n = x.n y.n products. */
static void outer_product(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = spv_doubles(s, in->words[3]), y = spv_doubles(s, in->words[4]);
    if (x.n > 4 || y.n > 4)
        spv_invalid(s, "an outer product of something else than vectors");
    struct spv_doubles factors[2] = {spv_doubles_new(s, x.n * y.n), spv_doubles_new(s, x.n * y.n)};
    for (uint32_t i = 0; i < x.n * y.n; i++) {
        factors[0].x[i] = x.x[i % x.n];
        factors[1].x[i] = y.x[i / x.n];
    }
    spv_define_doubles(s, in, spv_map_doubles(s, spv_double_mul, SPV_DOUBLE_LONG, factors, 2));
}

static void times_scalar(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = spv_doubles(s, in->words[3]), y = spv_doubles(s, in->words[4]);
    struct spv_doubles factors[2] = {x, spv_doubles_new(s, x.n)};
    if (y.n != 1)
        spv_invalid(s, "a factor of %u components instead of a scalar", y.n);
    for (uint32_t i = 0; i < x.n; i++)
        factors[1].x[i] = y.x[0];
    spv_define_doubles(s, in, spv_map_doubles(s, spv_double_mul, SPV_DOUBLE_LONG, factors, 2));
}

static void dot(struct spv *s, const struct spv_instr *in)
{
    struct spv_doubles x = spv_doubles(s, in->words[3]), y = spv_doubles(s, in->words[4]);
    if (x.n != y.n)
        spv_invalid(s, "a dot product of vectors of %u and %u components", x.n, y.n);
    struct ir_f64 sum = spv_double_dot(s, x, y);
    spv_define_doubles(s, in, (struct spv_doubles){&sum, 1});
}

bool spv_translate_double_matrix(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpDot:
        dot(s, in);
        return true;
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
        times_scalar(s, in);
        return true;
    case SpvOpMatrixTimesVector:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesMatrix:
        matrix_product(s, in);
        return true;
    case SpvOpOuterProduct:
        outer_product(s, in);
        return true;
    default:
        return false;
    }
}
