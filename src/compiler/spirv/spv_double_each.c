/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: operands and results, and operations on all components of vectors and matrices. See spv_double.h about
 * the loops.
 */
#include "compiler/lower/lower_rounds.h"
#include "compiler/spirv/spv_double.h"

/* ---------------------------------------------------------------- operands and results */

bool spv_is_double(const struct spv_type *t)
{
    const struct spv_type *scalar = spv_scalar_of(t);
    return (spv_is_scalar(t) || t->kind == SPV_TYPE_VECTOR || t->kind == SPV_TYPE_MATRIX) &&
           scalar->kind == SPV_TYPE_FLOAT && scalar->bits == 64;
}

struct spv_doubles spv_doubles_new(struct spv *s, uint32_t n)
{
    return (struct spv_doubles){util_arena_new_array(s->arena, struct ir_f64, n), n};
}

struct spv_doubles spv_double_numbers(struct spv *s, uint32_t id)
{
    const struct spv_type *type = spv_type_of(s, id), *scalar = spv_scalar_of(type);
    const bool is_number = scalar->kind == SPV_TYPE_FLOAT || scalar->kind == SPV_TYPE_INT;
    if (!is_number || !(spv_is_scalar(type) || type->kind == SPV_TYPE_VECTOR || type->kind == SPV_TYPE_MATRIX))
        spv_invalid(s, "the operand is not a number, a vector or a matrix");
    struct ir_instr **words = spv_value(s, id);
    struct spv_doubles out = spv_doubles_new(s, type->scalars / scalar->scalars);
    for (uint32_t i = 0; i < out.n; i++)
        out.x[i] = scalar->scalars == 2 ? (struct ir_f64){words[2 * i], words[2 * i + 1]} : (struct ir_f64){words[i], NULL};
    return out;
}

struct spv_doubles spv_doubles(struct spv *s, uint32_t id)
{
    if (!spv_is_double(spv_type_of(s, id)))
        spv_invalid(s, "the operand is not made of 64-bit floats");
    return spv_double_numbers(s, id);
}

void spv_define_double_results(struct spv *s, const struct spv_instr *in, struct spv_doubles x)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    const uint32_t words = x.x[0].hi ? 2 : 1;
    if (type->scalars != words * x.n)
        spv_invalid(s, "the result type has %u words instead of %u", type->scalars, words * x.n);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < x.n; i++) {
        out[words * i] = x.x[i].lo;
        if (words == 2)
            out[2 * i + 1] = x.x[i].hi;
    }
    spv_define(s, in->words[2], type, out);
}

void spv_define_doubles(struct spv *s, const struct spv_instr *in, struct spv_doubles x)
{
    if (!spv_is_double(spv_type(s, in->words[1])))
        spv_invalid(s, "the result type is not made of 64-bit floats");
    spv_define_double_results(s, in, x);
}

/* ---------------------------------------------------------------- operations of one component */

struct ir_f64 spv_double_add(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_add(b, x[0], x[1]);
}

struct ir_f64 spv_double_sub(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_sub(b, x[0], x[1]);
}

struct ir_f64 spv_double_mul(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_mul(b, x[0], x[1]);
}

struct ir_f64 spv_double_div(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_div(b, x[0], x[1]);
}

struct ir_f64 spv_double_neg(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_neg(b, x[0]);
}

/* ---------------------------------------------------------------- component by component */

static void push(struct spv_double_state *t, struct ir_f64 x)
{
    t->words[t->count++] = x.lo;
    if (x.hi)
        t->words[t->count++] = x.hi;
}

void spv_double_push(struct spv_double_state *t, const struct ir_f64 *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        push(t, x[i]);
}

void spv_double_pull(struct ir_instr *const *words, uint32_t *at, const struct ir_f64 *like, struct ir_f64 *out,
                     uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        out[i].lo = words[(*at)++];
        out[i].hi = like[i].hi ? words[(*at)++] : NULL;
    }
}

struct spv_double_state spv_double_state(struct spv *s, uint32_t numbers)
{
    return (struct spv_double_state){.words = spv_new_scalars(s, 2 * numbers)};
}

void spv_double_move_up(struct ir_f64 *x, uint32_t n, struct ir_f64 last)
{
    for (uint32_t i = 0; i + 1 < n; i++)
        x[i] = x[i + 1];
    x[n - 1] = last;
}

/* In each round the first number of every source is the operand, and the result becomes the last number of the results,
 * which move up: after n rounds they are in order. */
static struct spv_doubles in_loop(struct spv *s, spv_double_op op, uint32_t n, struct ir_f64 *const sources[],
                                  uint32_t source_count, struct ir_f64 empty)
{
    struct spv_double_state first = spv_double_state(s, (source_count + 1) * n), next = spv_double_state(s, (source_count + 1) * n);
    struct spv_doubles out = spv_doubles_new(s, n);
    struct ir_f64 *x[SPV_MAX_DOUBLE_SOURCES], operands[SPV_MAX_DOUBLE_SOURCES];
    uint32_t at = 0;
    for (uint32_t k = 0; k < source_count; k++)
        spv_double_push(&first, sources[k], n);
    for (uint32_t i = 0; i < n; i++)
        push(&first, out.x[i] = empty);
    struct ir_rounds r = ir_rounds_begin(&s->b, first.words, first.count, n);
    for (uint32_t k = 0; k < source_count; k++) {
        x[k] = spv_doubles_new(s, n).x;
        spv_double_pull(r.states, &at, sources[k], x[k], n);
        operands[k] = x[k][0];
        spv_double_move_up(x[k], n, x[k][n - 1]);
        spv_double_push(&next, x[k], n);
    }
    spv_double_pull(r.states, &at, out.x, out.x, n);
    spv_double_move_up(out.x, n, op(&s->b, operands));
    spv_double_push(&next, out.x, n);
    ir_rounds_leave(&s->b, &r);
    ir_rounds_end(&s->b, &r, next.words);
    return out;
}

struct spv_doubles spv_each_double(struct spv *s, spv_double_op op, enum spv_double_size size, uint32_t n,
                                   struct ir_f64 *const sources[], uint32_t source_count, uint32_t bits)
{
    spv_spend(s, n);
    if (n > 1 && size == SPV_DOUBLE_LONG) {
        struct ir_instr *none = bits == 1 ? ir_const_bool(&s->b, false) : ir_const(&s->b, 0);
        return in_loop(s, op, n, sources, source_count, (struct ir_f64){none, bits == 64 ? none : NULL});
    }
    struct spv_doubles out = spv_doubles_new(s, n);
    for (uint32_t i = 0; i < n; i++) {
        struct ir_f64 operands[SPV_MAX_DOUBLE_SOURCES] = {{NULL, NULL}};
        for (uint32_t k = 0; k < source_count; k++)
            operands[k] = sources[k][i];
        out.x[i] = op(&s->b, operands);
    }
    return out;
}

struct spv_doubles spv_map_doubles(struct spv *s, spv_double_op op, enum spv_double_size size,
                                   const struct spv_doubles *x, uint32_t source_count)
{
    struct ir_f64 *sources[SPV_MAX_DOUBLE_SOURCES];
    for (uint32_t k = 0; k < source_count; k++) {
        if (x[k].n != x[0].n)
            spv_invalid(s, "operands have different sizes");
        sources[k] = x[k].x;
    }
    return spv_each_double(s, op, size, x[0].n, sources, source_count, 64);
}
