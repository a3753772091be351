/* SPDX-License-Identifier: MIT
 *
 * Numbers of 64 bits: sums, products, minima and maxima over a subgroup, and for floats the vote for equal values. The
 * steps are those of spv_subgroup.c; the components of a vector are looked at one by one in a loop.
 */
#include "compiler/lower/lower_rounds.h"
#include "compiler/spirv/spv_double.h"
#include "compiler/spirv/spv_subgroup.h"
#include "hw/qpu.h"

static struct ir_f64 minimum(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_nmin(b, x[0], x[1]);
}

static struct ir_f64 maximum(struct ir_builder *b, const struct ir_f64 *x)
{
    return ir_f64_nmax(b, x[0], x[1]);
}

static const struct spv_double_combination operations[] = {
    {SpvOpGroupNonUniformFAdd, spv_double_add, 0},
    {SpvOpGroupNonUniformFMul, spv_double_mul, 0x3ff0000000000000},
    {SpvOpGroupNonUniformFMin, minimum, 0x7ff0000000000000},
    {SpvOpGroupNonUniformFMax, maximum, 0xfff0000000000000},
};

static struct ir_f64 identity(struct spv *s, const struct spv_double_combination *o)
{
    return (struct ir_f64){ir_const(&s->b, (uint32_t)o->identity), ir_const(&s->b, (uint32_t)(o->identity >> 32))};
}

static struct ir_f64 rotate(struct spv *s, struct ir_f64 x, uint32_t n)
{
    return (struct ir_f64){spv_subgroup_rotate(s, x.lo, n), spv_subgroup_rotate(s, x.hi, n)};
}

static struct ir_f64 two(struct spv *s, const struct spv_double_combination *o, struct ir_f64 x, struct ir_f64 y)
{
    return o->build(&s->b, (const struct ir_f64[]){x, y});
}

static struct ir_f64 reduce(struct spv *s, const struct spv_double_combination *o, struct ir_f64 x, uint32_t cluster)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *lane = ir_build0(b, IR_ELEMENT);
    for (uint32_t bit = 1; bit < cluster; bit *= 2) {
        struct ir_instr *is_upper = ir_build2(b, IR_INE, ir_build2(b, IR_AND, lane, ir_const(b, bit)), ir_const(b, 0));
        x = two(s, o, x, ir_f64_sel(b, is_upper, rotate(s, x, QPU_LANES - bit), rotate(s, x, bit)));
    }
    return x;
}

static struct ir_f64 scan(struct spv *s, const struct spv_double_combination *o, struct ir_f64 x, bool is_exclusive)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *lane = ir_build0(b, IR_ELEMENT);
    for (uint32_t n = 1; n < QPU_LANES; n *= 2) {
        struct ir_f64 sum = two(s, o, rotate(s, x, QPU_LANES - n), x);
        x = ir_f64_sel(b, ir_build2(b, IR_UGE, lane, ir_const(b, n)), sum, x);
    }
    if (!is_exclusive)
        return x;
    struct ir_instr *is_first = ir_build2(b, IR_IEQ, lane, ir_const(b, 0));
    return ir_f64_sel(b, is_first, identity(s, o), rotate(s, x, QPU_LANES - 1));
}

/* Lanes that are combined; larger clusters than a subgroup are undefined behaviour, but valid in code that never runs.
 */
static uint32_t cluster_size(struct spv *s, const struct spv_instr *in)
{
    if (in->words[4] != SpvGroupOperationClusteredReduce)
        return QPU_LANES;
    uint32_t size = in->count > 6 ? spv_const_word(s, in->words[6]) : 0;
    if (!size || (size & (size - 1)))
        spv_unsupported(s, "clusters of %u lanes, which is not a power of two", size);
    return MIN2(size, QPU_LANES);
}

static struct ir_f64 combine(struct spv *s, const struct spv_instr *in, const struct spv_double_combination *o,
                             struct ir_f64 x)
{
    x = ir_f64_sel(&s->b, spv_subgroup_active(s), x, identity(s, o));
    switch (in->words[4]) {
    case SpvGroupOperationReduce:
    case SpvGroupOperationClusteredReduce:
        return reduce(s, o, x, cluster_size(s, in));
    case SpvGroupOperationInclusiveScan:
    case SpvGroupOperationExclusiveScan:
        return scan(s, o, x, in->words[4] == SpvGroupOperationExclusiveScan);
    default:
        spv_unsupported(s, "group operation %u", in->words[4]);
    }
}

/* In each round the first number is the operand, and its result becomes the last one. */
struct spv_doubles spv_double_combine(struct spv *s, const struct spv_instr *in,
                                      const struct spv_double_combination *o, struct spv_doubles x)
{
    if (spv_const_word(s, in->words[3]) != SpvScopeSubgroup)
        spv_unsupported(s, "a group operation whose scope is not Subgroup");
    struct spv_double_state first = spv_double_state(s, x.n), next = spv_double_state(s, x.n);
    struct spv_doubles out = spv_doubles_new(s, x.n);
    uint32_t at = 0;
    if (x.n == 1) {
        out.x[0] = combine(s, in, o, x.x[0]);
        return out;
    }
    spv_double_push(&first, x.x, x.n);
    struct ir_rounds r = ir_rounds_begin(&s->b, first.words, first.count, x.n);
    spv_double_pull(r.states, &at, x.x, out.x, x.n);
    spv_double_move_up(out.x, x.n, combine(s, in, o, out.x[0]));
    ir_rounds_leave(&s->b, &r);
    spv_double_push(&next, out.x, x.n);
    ir_rounds_end(&s->b, &r, next.words);
    return out;
}

static void vote(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    struct spv_doubles x = spv_doubles(s, in->words[4]);
    struct ir_instr *differs = ir_const_bool(b, false);
    for (uint32_t i = 0; i < x.n; i++) {
        struct ir_f64 first = {spv_subgroup_of_first(s, x.x[i].lo), spv_subgroup_of_first(s, x.x[i].hi)};
        differs = ir_build2(b, IR_BOR, differs, ir_build1(b, IR_BNOT, ir_f64_eq(b, x.x[i], first)));
    }
    spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), spv_subgroup_nowhere(s, differs));
}

bool spv_translate_double_subgroup(struct spv *s, const struct spv_instr *in)
{
    if (in->op < SpvOpGroupNonUniformElect || in->op > SpvOpGroupNonUniformQuadSwap)
        return false;
    if (in->op == SpvOpGroupNonUniformAllEqual) {
        if (spv_const_word(s, in->words[3]) != SpvScopeSubgroup)
            spv_unsupported(s, "a group operation whose scope is not Subgroup");
        vote(s, in);
        return true;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(operations); i++) {
        if (operations[i].op != in->op)
            continue;
        spv_define_doubles(s, in, spv_double_combine(s, in, &operations[i], spv_doubles(s, in->words[5])));
        return true;
    }
    return false;
}
