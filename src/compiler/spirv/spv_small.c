/* SPDX-License-Identifier: MIT
 *
 * Instructions on numbers of 8 and 16 bits (spv_small.h has the rules). Most are translated as if they had 32 bits:
 * their operands are replaced by wider ones for as long as that takes, and floats among the results are rounded
 * afterwards.
 */
#include "compiler/spirv/spv_small.h"
#include "compiler/spirv/spv_engine.h"

/* How an instruction wants its integers: it does not look at the bits above them, or it wants zeros or the sign there.
 */
enum extension { AS_THEY_ARE, WITH_ZEROS, WITH_SIGN };

/* ---------------------------------------------------------------- which instructions */

static const struct row {
    uint16_t first, last; /* opcodes */
    uint8_t extension;
} rows[] = {
    {SpvOpConvertFToU, SpvOpConvertFToS, AS_THEY_ARE},
    {SpvOpConvertSToF, SpvOpConvertSToF, WITH_SIGN},
    {SpvOpConvertUToF, SpvOpConvertUToF, WITH_ZEROS},
    {SpvOpSNegate, SpvOpFMul, AS_THEY_ARE}, /* negations, sums, differences, products */
    {SpvOpUDiv, SpvOpUDiv, WITH_ZEROS},
    {SpvOpSDiv, SpvOpSDiv, WITH_SIGN},
    {SpvOpFDiv, SpvOpFDiv, AS_THEY_ARE},
    {SpvOpUMod, SpvOpUMod, WITH_ZEROS},
    {SpvOpSRem, SpvOpSMod, WITH_SIGN},
    {SpvOpFRem, SpvOpDot, AS_THEY_ARE}, /* and all products of vectors and matrices */
    {SpvOpIEqual, SpvOpUGreaterThan, WITH_ZEROS},
    {SpvOpSGreaterThan, SpvOpSGreaterThan, WITH_SIGN},
    {SpvOpUGreaterThanEqual, SpvOpUGreaterThanEqual, WITH_ZEROS},
    {SpvOpSGreaterThanEqual, SpvOpSGreaterThanEqual, WITH_SIGN},
    {SpvOpULessThan, SpvOpULessThan, WITH_ZEROS},
    {SpvOpSLessThan, SpvOpSLessThan, WITH_SIGN},
    {SpvOpULessThanEqual, SpvOpULessThanEqual, WITH_ZEROS},
    {SpvOpSLessThanEqual, SpvOpSLessThanEqual, WITH_SIGN},
    {SpvOpShiftRightLogical, SpvOpShiftRightLogical, WITH_ZEROS},
    {SpvOpShiftRightArithmetic, SpvOpShiftRightArithmetic, WITH_SIGN},
    {SpvOpShiftLeftLogical, SpvOpNot, AS_THEY_ARE}, /* only the low five bits of a distance count */
    {SpvOpBitFieldInsert, SpvOpBitFieldUExtract, WITH_ZEROS},
    {SpvOpBitCount, SpvOpBitCount, WITH_ZEROS},
    {SpvOpDPdx, SpvOpFwidthCoarse, AS_THEY_ARE},
    {SpvOpGroupNonUniformAllEqual, SpvOpGroupNonUniformAllEqual, WITH_ZEROS},
    {SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformFMul, AS_THEY_ARE},
    {SpvOpGroupNonUniformSMin, SpvOpGroupNonUniformSMin, WITH_SIGN},
    {SpvOpGroupNonUniformUMin, SpvOpGroupNonUniformFMin, WITH_ZEROS},
    {SpvOpGroupNonUniformSMax, SpvOpGroupNonUniformSMax, WITH_SIGN},
    {SpvOpGroupNonUniformUMax, SpvOpGroupNonUniformFMax, WITH_ZEROS},
    {SpvOpGroupNonUniformBitwiseAnd, SpvOpGroupNonUniformBitwiseXor, AS_THEY_ARE},
};

static enum extension extension_of_function(uint32_t function)
{
    switch (function) {
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450SMin:
    case GLSLstd450SMax:
    case GLSLstd450SClamp:
    case GLSLstd450FindSMsb:
    case GLSLstd450Ldexp:
        return WITH_SIGN;
    default:
        return WITH_ZEROS;
    }
}

/* False: not an instruction that is translated here. */
static bool find_extension(const struct spv_instr *in, enum extension *out)
{
    if (in->op == SpvOpExtInst) {
        *out = extension_of_function(in->words[4]);
        return true;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (in->op >= rows[i].first && in->op <= rows[i].last) {
            *out = rows[i].extension;
            return true;
        }
    }
    return false;
}

/* ---------------------------------------------------------------- operands */

#define MAX_OPERANDS 4

/* Ids whose values are replaced. */
struct replaced {
    uint32_t ids[MAX_OPERANDS], count;
    struct spv_id were[MAX_OPERANDS];
};

static bool has_small_scalars(const struct spv_type *t)
{
    for (uint32_t i = 0; i < t->scalars && i < 16; i++)
        if (spv_is_small(spv_scalar_at(t, i)))
            return true;
    return false;
}

static struct ir_instr *widened(struct spv *s, const struct spv_type *t, enum extension how, struct ir_instr *x)
{
    if (!spv_is_small(t))
        return x;
    if (t->kind == SPV_TYPE_FLOAT)
        return spv_half_operand(&s->b, x);
    return how == AS_THEY_ARE ? x : spv_extended(&s->b, x, t->bits, how == WITH_SIGN);
}

static void replace(struct spv *s, struct replaced *r, uint32_t id, enum extension how)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_VALUE && v->kind != SPV_CONSTANT && v->kind != SPV_UNDEF)
        return; /* a pointer, or a mistake that the translation finds */
    const struct spv_type *type = spv_type_of(s, id);
    for (uint32_t i = 0; i < r->count; i++)
        if (r->ids[i] == id)
            return;
    if (type->scalars > 16 || !has_small_scalars(type) || r->count == MAX_OPERANDS)
        return;
    struct ir_instr **x = spv_value(s, id), **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = widened(s, spv_scalar_at(type, i), how, x[i]);
    r->ids[r->count] = id;
    r->were[r->count++] = *v;
    s->ids[id] = (struct spv_id){.kind = SPV_VALUE, .type = type, .scalars = out};
}

static struct replaced replace_operands(struct spv *s, const struct spv_instr *in, enum extension how)
{
    struct replaced r = {.count = 0};
    uint32_t first = in->op == SpvOpExtInst ? 5 : 3, end = MIN2(in->count, first + MAX_OPERANDS);
    if (in->op >= SpvOpGroupNonUniformElect && in->op <= SpvOpGroupNonUniformQuadSwap) {
        first = in->op == SpvOpGroupNonUniformAllEqual ? 4 : 5; /* the only value */
        end = first + 1;
    }
    for (uint32_t i = first; i < end && i < in->count; i++)
        replace(s, &r, in->words[i], how);
    return r;
}

/* ---------------------------------------------------------------- results */

/* The lanes of a scan that have nothing to combine get the identity of 32 bits, whose low bits are another number. */
static struct ir_instr *within_range(struct spv *s, uint16_t op, uint32_t bits, struct ir_instr *x)
{
    struct ir_builder *b = &s->b;
    const uint32_t most = (1u << (bits - 1)) - 1;
    if (op == SpvOpGroupNonUniformSMin)
        return ir_build2(b, IR_IMIN, x, ir_const(b, most));
    return op == SpvOpGroupNonUniformSMax ? ir_build2(b, IR_IMAX, x, ir_const(b, ~most)) : x;
}

static void narrow_result(struct spv *s, const struct spv_instr *in)
{
    const struct spv_id *result = &s->ids[in->words[2]];
    if (result->kind != SPV_VALUE)
        return;
    const struct spv_type *type = result->type;
    struct ir_instr **wide = result->scalars, **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        const struct spv_type *t = spv_scalar_at(type, i);
        out[i] = spv_is_small(t) && t->kind == SPV_TYPE_FLOAT ? spv_half_result(&s->b, wide[i]) : wide[i];
        if (spv_is_small(t) && t->kind == SPV_TYPE_INT)
            out[i] = within_range(s, in->op, t->bits, out[i]);
    }
    spv_define(s, in->words[2], type, out);
}

static void translate_wide(struct spv *s, const struct spv_instr *in)
{
    if (in->op == SpvOpExtInst)
        spv_translate_glsl(s, in);
    else if (!spv_translate_subgroup(s, in) && !spv_translate_alu(s, in) && !spv_translate_composite(s, in))
        spv_unsupported(s, "this instruction on numbers of 8 or 16 bits");
}

/* ---------------------------------------------------------------- dispatch */

static bool uses_small(struct spv *s, const struct spv_instr *in)
{
    return (s->has_16_bits && (spv_uses(s, in, SPV_TYPE_FLOAT, 16) || spv_uses(s, in, SPV_TYPE_INT, 16))) ||
           (s->has_8_bits && spv_uses(s, in, SPV_TYPE_INT, 8));
}

/* Interpolation moves values of inputs, which are converted when they are loaded. */
static bool interpolates(const struct spv_instr *in)
{
    return in->op == SpvOpExtInst && in->words[4] >= GLSLstd450InterpolateAtCentroid &&
           in->words[4] <= GLSLstd450InterpolateAtOffset;
}

bool spv_translate_small(struct spv *s, const struct spv_instr *in)
{
    enum extension how;
    if ((spv_is_move(in) && in->op != SpvOpBitcast) || interpolates(in) || !uses_small(s, in))
        return false;
    if (in->op == SpvOpBitcast) {
        spv_small_bitcast(s, in);
        return true;
    }
    if (spv_translate_small_ints(s, in) || spv_translate_halves(s, in))
        return true;
    if (!find_extension(in, &how))
        spv_unsupported(s, "this instruction on numbers of 8 or 16 bits");
    struct replaced r = replace_operands(s, in, how);
    translate_wide(s, in);
    narrow_result(s, in);
    for (uint32_t i = 0; i < r.count; i++)
        if (r.ids[i] != in->words[2])
            s->ids[r.ids[i]] = r.were[i];
    return true;
}
