/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: operations over a subgroup. Votes and bitwise operations treat each word by itself, as those of
 * spv_subgroup.c do; sums, products, minima and maxima are combined as 64-bit floats are.
 */
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_engine.h"
#include "compiler/spirv/spv_int64.h"

#define OPERATION(name, expression)                                                                                    \
    static struct ir_f64 name(struct ir_builder *b, const struct ir_f64 *x)                                            \
    {                                                                                                                  \
        return expression;                                                                                             \
    }

OPERATION(add, ir_i64_add(b, x[0], x[1]))
OPERATION(multiply, ir_i64_mul(b, x[0], x[1]))
OPERATION(umin, ir_f64_sel(b, ir_i64_ult(b, x[0], x[1]), x[0], x[1]))
OPERATION(smin, ir_f64_sel(b, ir_i64_slt(b, x[0], x[1]), x[0], x[1]))
OPERATION(umax, ir_f64_sel(b, ir_i64_ult(b, x[0], x[1]), x[1], x[0]))
OPERATION(smax, ir_f64_sel(b, ir_i64_slt(b, x[0], x[1]), x[1], x[0]))

static const struct spv_double_combination operations[] = {
    {SpvOpGroupNonUniformIAdd, add, 0},
    {SpvOpGroupNonUniformIMul, multiply, 1},
    {SpvOpGroupNonUniformUMin, umin, UINT64_MAX},
    {SpvOpGroupNonUniformSMin, smin, INT64_MAX},
    {SpvOpGroupNonUniformUMax, umax, 0},
    {SpvOpGroupNonUniformSMax, smax, UINT64_C(1) << 63},
};

bool spv_combine_int64(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformBitwiseXor:
        return spv_translate_subgroup(s, in);
    default:
        break;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(operations); i++) {
        if (operations[i].op != in->op)
            continue;
        spv_define_int64s(s, in, spv_double_combine(s, in, &operations[i], spv_int64s(s, in->words[5])));
        return true;
    }
    return false;
}
