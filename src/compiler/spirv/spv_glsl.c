/* SPDX-License-Identifier: MIT
 *
 * GLSL.std.450: the functions that work component by component, and dispatch to the other families.
 */
#include <math.h>
#include "compiler/spirv/spv_special.h"

/* ---------------------------------------------------------------- one to one */

static const struct {
    uint8_t glsl;
    uint16_t ir;
} rows[] = {
    {GLSLstd450Round, IR_FROUND},
    {GLSLstd450RoundEven, IR_FROUND},
    {GLSLstd450Trunc, IR_FTRUNC},
    {GLSLstd450FAbs, IR_FABS},
    {GLSLstd450Floor, IR_FFLOOR},
    {GLSLstd450Ceil, IR_FCEIL},
    {GLSLstd450Fract, IR_FFRACT},
    {GLSLstd450Sin, IR_FSIN},
    {GLSLstd450Cos, IR_FCOS},
    {GLSLstd450Pow, IR_FPOW},
    {GLSLstd450Exp2, IR_FEXP2},
    {GLSLstd450Log2, IR_FLOG2},
    {GLSLstd450Sqrt, IR_FSQRT},
    {GLSLstd450InverseSqrt, IR_FRSQ},
    {GLSLstd450FMin, IR_FMIN},
    {GLSLstd450NMin, IR_FMIN},
    {GLSLstd450FMax, IR_FMAX},
    {GLSLstd450NMax, IR_FMAX},
    {GLSLstd450UMin, IR_UMIN},
    {GLSLstd450UMax, IR_UMAX},
    {GLSLstd450SMin, IR_IMIN},
    {GLSLstd450SMax, IR_IMAX},
};

static uint32_t find_row(uint32_t op)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].glsl == op)
            return rows[i].ir;
    return IR_OP_COUNT;
}

/* ---------------------------------------------------------------- small expansions */

static struct ir_instr *clamp(struct ir_builder *b, enum ir_op min, enum ir_op max, struct ir_instr *const *x)
{
    return ir_build2(b, min, ir_build2(b, max, x[0], x[1]), x[2]);
}

static struct ir_instr *fsign(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *zero = ir_const(b, 0);
    struct ir_instr *negative =
        ir_build3(b, IR_SEL, ir_build2(b, IR_FLT, x, zero), ir_const_f(b, -1), zero);
    return ir_build3(b, IR_SEL, ir_build2(b, IR_FLT, zero, x), ir_const_f(b, 1), negative);
}

static struct ir_instr *mix(struct ir_builder *b, struct ir_instr *const *x)
{
    if (b->relaxed) { /* one operation less, but not exactly y at a = 1 */
        struct ir_instr *step = ir_build2(b, IR_FMUL, ir_build2(b, IR_FSUB, x[1], x[0]), x[2]);
        return ir_build2(b, IR_FADD, x[0], step);
    }
    struct ir_instr *rest = ir_build2(b, IR_FSUB, ir_const_f(b, 1), x[2]);
    return ir_build2(b, IR_FADD, ir_build2(b, IR_FMUL, x[0], rest), ir_build2(b, IR_FMUL, x[1], x[2]));
}

static struct ir_instr *smooth_step(struct ir_builder *b, struct ir_instr *const *x)
{
    struct ir_instr *t = ir_build2(b, IR_FDIV, ir_build2(b, IR_FSUB, x[2], x[0]), ir_build2(b, IR_FSUB, x[1], x[0]));
    t = ir_build1(b, IR_FSAT, t);
    struct ir_instr *twice = ir_build2(b, IR_FADD, t, t);
    return ir_build2(b, IR_FMUL, ir_build2(b, IR_FMUL, t, t), ir_build2(b, IR_FSUB, ir_const_f(b, 3), twice));
}

static struct ir_instr *find_msb(struct ir_builder *b, struct ir_instr *x)
{
    return ir_build2(b, IR_ISUB, ir_const(b, 31), ir_build1(b, IR_CLZ, x));
}

static struct ir_instr *integer(struct ir_builder *b, uint32_t op, struct ir_instr *const *x)
{
    struct ir_instr *zero = ir_const(b, 0);
    switch (op) {
    case GLSLstd450SAbs:
        return ir_build2(b, IR_IMAX, x[0], ir_build2(b, IR_ISUB, zero, x[0]));
    case GLSLstd450SSign:
        return ir_build2(b, IR_IMIN, ir_build2(b, IR_IMAX, x[0], ir_const(b, UINT32_MAX)), ir_const(b, 1));
    case GLSLstd450UClamp:
        return clamp(b, IR_UMIN, IR_UMAX, x);
    case GLSLstd450SClamp:
        return clamp(b, IR_IMIN, IR_IMAX, x);
    case GLSLstd450FindILsb:
        return find_msb(b, ir_build2(b, IR_AND, x[0], ir_build2(b, IR_ISUB, zero, x[0])));
    case GLSLstd450FindSMsb:
        return find_msb(b, ir_build2(b, IR_XOR, x[0], ir_build2(b, IR_ASR, x[0], ir_const(b, 31))));
    case GLSLstd450FindUMsb:
        return find_msb(b, x[0]);
    default:
        return NULL;
    }
}

static struct ir_instr *floating(struct ir_builder *b, uint32_t op, struct ir_instr *const *x)
{
    switch (op) {
    case GLSLstd450FSign:
        return fsign(b, x[0]);
    case GLSLstd450Radians:
        return ir_build2(b, IR_FMUL, x[0], ir_const_f(b, (float)(M_PI / 180)));
    case GLSLstd450Degrees:
        return ir_build2(b, IR_FMUL, x[0], ir_const_f(b, (float)(180 / M_PI)));
    case GLSLstd450Exp:
        return spv_exp(b, x[0]);
    case GLSLstd450Log:
        return spv_log(b, x[0]);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return clamp(b, IR_FMIN, IR_FMAX, x);
    case GLSLstd450FMix:
        return mix(b, x);
    case GLSLstd450Step:
        return ir_build3(b, IR_SEL, ir_build2(b, IR_FLT, x[1], x[0]), ir_const(b, 0), ir_const_f(b, 1));
    case GLSLstd450SmoothStep:
        return smooth_step(b, x);
    case GLSLstd450Fma:
        return ir_build2(b, IR_FADD, ir_build2(b, IR_FMUL, x[0], x[1]), x[2]);
    default:
        return NULL;
    }
}

/* The functions on floats. NULL: none of them. */
static struct ir_instr *float_function(struct spv *s, uint32_t op, struct ir_instr *const *x)
{
    struct ir_instr *out = floating(&s->b, op, x);
    return out ? out : spv_glsl_trig(&s->b, op, x);
}

static struct ir_instr *one_scalar(struct spv *s, uint32_t op, struct ir_instr *const *x, uint32_t count)
{
    const uint32_t row = find_row(op);
    struct ir_instr *out;
    if (row != IR_OP_COUNT) {
        if (ir_op_infos[row].sources != count)
            return NULL;
        out = ir_build(&s->b, row, 0, count, x);
        if (out->op == IR_FROUND)
            out->imm = op == GLSLstd450Round; /* ties may round either way */
        if (!(ir_op_infos[row].flags & IR_F))
            return out;
    } else {
        out = float_function(s, op, x);
        if (!out)
            return integer(&s->b, op, x);
    }
    return s->b.float_op ? spv_keep_nan(&s->b, op, x, count, out) : out;
}

/* ---------------------------------------------------------------- dispatch */

static const uint8_t source_counts[] = {
    [GLSLstd450Atan2] = 2,  [GLSLstd450Pow] = 2,        [GLSLstd450FMin] = 2,   [GLSLstd450UMin] = 2,
    [GLSLstd450SMin] = 2,   [GLSLstd450FMax] = 2,       [GLSLstd450UMax] = 2,   [GLSLstd450SMax] = 2,
    [GLSLstd450FClamp] = 3, [GLSLstd450UClamp] = 3,     [GLSLstd450SClamp] = 3, [GLSLstd450FMix] = 3,
    [GLSLstd450Step] = 2,   [GLSLstd450SmoothStep] = 3, [GLSLstd450Fma] = 3,    [GLSLstd450NMin] = 2,
    [GLSLstd450NMax] = 2,   [GLSLstd450NClamp] = 3,
};

static void component_wise(struct spv *s, const struct spv_instr *in)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    uint32_t op = in->words[4], count = op < ARRAY_SIZE(source_counts) && source_counts[op] ? source_counts[op] : 1;
    if (in->count != 5u + count)
        spv_unsupported(s, "%s", spv_glsl_name(op));
    struct ir_instr **x[3] = {NULL};
    for (uint32_t i = 0; i < count; i++) {
        if (spv_type_of(s, in->words[5 + i])->scalars != type->scalars)
            spv_invalid(s, "operand and result have different sizes");
        x[i] = spv_value(s, in->words[5 + i]);
    }
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++) {
        struct ir_instr *scalars[3] = {x[0][i], count > 1 ? x[1][i] : NULL, count > 2 ? x[2][i] : NULL};
        out[i] = one_scalar(s, op, scalars, count);
        if (!out[i])
            spv_unsupported(s, "%s", spv_glsl_name(op));
    }
    spv_define(s, in->words[2], type, out);
}

/* Interpolation functions. False: not of this family. */
static bool interpolate(struct spv *s, const struct spv_instr *in)
{
    const uint32_t op = in->words[4];
    struct ir_instr *offset[2];
    if (op < GLSLstd450InterpolateAtCentroid || op > GLSLstd450InterpolateAtOffset)
        return false;
    if (in->count != (op == GLSLstd450InterpolateAtCentroid ? 6 : 7))
        spv_invalid(s, "%s with %u words, which is the wrong number of operands", spv_glsl_name(op), in->count);
    if (op == GLSLstd450InterpolateAtOffset && spv_type_of(s, in->words[6])->scalars != 2)
        spv_invalid(s, "the offset of InterpolateAtOffset must have two components");
    for (uint32_t axis = 0; axis < 2; axis++) {
        if (op == GLSLstd450InterpolateAtOffset) {
            offset[axis] = spv_value(s, in->words[6])[axis];
            continue;
        }
        offset[axis] = op == GLSLstd450InterpolateAtSample
                           ? ir_build1(&s->b, IR_SAMPLE_OFFSET, spv_scalar(s, in->words[6]))
                           : ir_build0(&s->b, IR_CENTROID_OFFSET);
        offset[axis]->imm = axis;
    }
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_pointer *p = spv_pointer(s, in->words[5]);
    if (p->type->scalars != type->scalars)
        spv_invalid(s, "operand and result have different sizes");
    spv_define(s, in->words[2], type, spv_load_input_at(s, p, offset));
    return true;
}

void spv_translate_glsl(struct spv *s, const struct spv_instr *in)
{
    if (interpolate(s, in))
        return;
    if (!spv_translate_glsl_geometry(s, in) && !spv_translate_glsl_pack(s, in) && !spv_translate_glsl_parts(s, in))
        component_wise(s, in);
}
