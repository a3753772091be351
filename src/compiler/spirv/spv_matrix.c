/* SPDX-License-Identifier: MIT
 *
 * Linear algebra on flattened vectors and matrices; matrices are stored by columns.
 */
#include "compiler/spirv/spv.h"

struct ir_instr *spv_dot(struct ir_builder *b, struct ir_instr *const *x, struct ir_instr *const *y, uint32_t n)
{
    struct ir_instr *sum = ir_build2(b, IR_FMUL, x[0], y[0]);
    for (uint32_t i = 1; i < n; i++)
        sum = ir_build2(b, IR_FADD, sum, ir_build2(b, IR_FMUL, x[i], y[i]));
    return sum;
}

/* Columns and rows; a vector is one column, a scalar one by one. */
struct shape {
    uint32_t columns, rows;
};

static struct shape shape_of(struct spv *s, const struct spv_type *t)
{
    if (t->kind == SPV_TYPE_MATRIX)
        return (struct shape){t->count, t->elem->count};
    if (t->kind == SPV_TYPE_VECTOR)
        return (struct shape){1, t->count};
    if (!spv_is_scalar(t))
        spv_invalid(s, "the operand is not a matrix, vector or scalar");
    return (struct shape){1, 1};
}

/* out[c][r] = sum over k of x[k][r] * y[c][k] */
static void multiply(struct spv *s, struct shape xs, struct ir_instr **x, struct shape ys, struct ir_instr **y,
                     struct ir_instr **out)
{
    for (uint32_t c = 0; c < ys.columns; c++) {
        for (uint32_t r = 0; r < xs.rows; r++) {
            struct ir_instr *row[4] = {NULL};
            for (uint32_t k = 0; k < xs.columns; k++)
                row[k] = x[k * xs.rows + r];
            out[c * xs.rows + r] = spv_dot(&s->b, row, y + c * ys.rows, xs.columns);
        }
    }
}

static void matrix_product(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct shape xs = shape_of(s, spv_type_of(s, in->words[3])), ys = shape_of(s, spv_type_of(s, in->words[4]));
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    if (in->op == SpvOpVectorTimesMatrix) /* the vector is a row */
        xs = (struct shape){xs.rows, 1};
    if (xs.columns != ys.rows || type->scalars != xs.rows * ys.columns)
        spv_invalid(s, "the sizes of a product do not match");
    multiply(s, xs, x, ys, y, spv_define(s, in->words[2], type, spv_new_scalars(s, type->scalars)));
}

static void times_scalar(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (spv_type_of(s, in->words[3])->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **x = spv_value(s, in->words[3]), *y = spv_scalar(s, in->words[4]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = ir_build2(&s->b, IR_FMUL, x[i], y);
    spv_define(s, in->words[2], type, out);
}

static void outer_product(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    uint32_t rows = spv_type_of(s, in->words[3])->scalars, columns = spv_type_of(s, in->words[4])->scalars;
    if (type->scalars != rows * columns)
        spv_invalid(s, "the sizes of a product do not match");
    struct ir_instr **x = spv_value(s, in->words[3]), **y = spv_value(s, in->words[4]);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = ir_build2(&s->b, IR_FMUL, x[i % rows], y[i / rows]);
    spv_define(s, in->words[2], type, out);
}

static void transpose(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct shape from = shape_of(s, spv_type_of(s, in->words[3]));
    const uint32_t words = spv_scalar_of(type)->scalars; /* of a component */
    struct ir_instr **x = spv_value(s, in->words[3]);
    if (type->scalars != from.columns * from.rows * words || spv_type_of(s, in->words[3])->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t c = 0; c < from.columns; c++)
        for (uint32_t r = 0; r < from.rows; r++)
            for (uint32_t k = 0; k < words; k++)
                out[words * (r * from.columns + c) + k] = x[words * (c * from.rows + r) + k];
    spv_define(s, in->words[2], type, out);
}

static void dot(struct spv *s, const struct spv_instr *in)
{
    uint32_t n = spv_type_of(s, in->words[3])->scalars;
    if (!n || spv_type_of(s, in->words[4])->scalars != n)
        spv_invalid(s, "a dot product of vectors of %u and %u components", n, spv_type_of(s, in->words[4])->scalars);
    struct ir_instr *d = spv_dot(&s->b, spv_value(s, in->words[3]), spv_value(s, in->words[4]), n);
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), d);
}

bool spv_translate_matrix(struct spv *s, const struct spv_instr *in)
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
    case SpvOpTranspose:
        transpose(s, in);
        return true;
    default:
        return false;
    }
}
