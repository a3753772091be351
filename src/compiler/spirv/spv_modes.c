/* SPDX-License-Identifier: MIT
 *
 * Execution modes of the entry point: OpExecutionMode and OpExecutionModeId.
 *
 * Float controls: modes that the arithmetic of a width cannot obey are refused, because results would be wrong without
 * a word. Most others ask for little: 32-bit arithmetic is the chip's, which rounds to zero, and flushes denormals
 * where it does not only move bits; results of 16 bits are rounded to nearest; 64-bit arithmetic is IEEE 754's. NaN,
 * infinities and the sign of zero cost more (spv_special.c), which brings denormals of 16 bits along, and so does
 * rounding 32 bits to nearest (spv_nearest.c).
 */
#include "compiler/spirv/spv_engine.h"
#include "util/bitset.h"

/* ---------------------------------------------------------------- float controls */

static bool is_obeyed(uint32_t mode, uint32_t bits)
{
    if (mode == SpvExecutionModeSignedZeroInfNanPreserve)
        return bits == 16 || bits == 32 || bits == 64;
    switch (bits) {
    case 16:
        return mode == SpvExecutionModeDenormPreserve || mode == SpvExecutionModeRoundingModeRTE;
    case 32:
        return mode == SpvExecutionModeDenormFlushToZero || mode == SpvExecutionModeRoundingModeRTZ ||
               mode == SpvExecutionModeRoundingModeRTE;
    case 64:
        return mode == SpvExecutionModeDenormPreserve || mode == SpvExecutionModeRoundingModeRTE;
    default:
        return false;
    }
}

static const char *float_mode_name(uint32_t mode)
{
    switch (mode) {
    case SpvExecutionModeDenormPreserve:
        return "DenormPreserve";
    case SpvExecutionModeDenormFlushToZero:
        return "DenormFlushToZero";
    case SpvExecutionModeSignedZeroInfNanPreserve:
        return "SignedZeroInfNanPreserve";
    case SpvExecutionModeRoundingModeRTE:
        return "RoundingModeRTE";
    default:
        return "RoundingModeRTZ";
    }
}

static void read_float_mode(struct spv *s, const struct spv_instr *in)
{
    const uint32_t mode = in->words[2], bits = in->words[3];
    if (!is_obeyed(mode, bits))
        spv_unsupported(s, "%s of %u-bit floats", float_mode_name(mode), bits);
    s->flushes_32 |= mode == SpvExecutionModeDenormFlushToZero;
    s->rounds_32_to_zero |= mode == SpvExecutionModeRoundingModeRTZ;
    s->rounds_32_to_nearest |= mode == SpvExecutionModeRoundingModeRTE && bits == 32;
    /* special values need exact conversions of halves, which keep denormals */
    if (mode == SpvExecutionModeSignedZeroInfNanPreserve || (mode == SpvExecutionModeDenormPreserve && bits == 16))
        s->float_modes[bits / 32].is_special = true;
}

static bool computes_floats(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpExtInst:
        return s->ids[in->words[3]].kind == SPV_GLSL_SET;
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpDot:
    case SpvOpFConvert:
    case SpvOpDPdx:
    case SpvOpDPdy:
    case SpvOpDPdxFine:
    case SpvOpDPdyFine:
    case SpvOpDPdxCoarse:
    case SpvOpDPdyCoarse:
        return true;
    default:
        return false;
    }
}

/* Not all operations flush: absolute values, minima and maxima only move bits, and the optimiser replaces sums with
 * zero and products with one by their operands. */
void spv_flush_results(struct spv *s, const struct spv_instr *in)
{
    struct ir_builder *b = &s->b;
    if (!computes_floats(s, in) || s->ids[in->words[2]].kind != SPV_VALUE)
        return;
    const struct spv_id *result = &s->ids[in->words[2]];
    struct ir_instr *const *negated = in->op == SpvOpFNegate ? spv_value(s, in->words[3]) : NULL;
    for (uint32_t i = 0; i < result->type->scalars; i++) {
        const struct spv_type *t = spv_scalar_at(result->type, i);
        if (t->kind != SPV_TYPE_FLOAT || t->bits != 32)
            continue;
        struct ir_instr *x = result->scalars[i];
        if (negated) /* the chip subtracts from zero, which does not give the zero that a flushed denormal becomes */
            x = ir_build2(b, IR_XOR, negated[i], ir_const(b, 0x80000000));
        struct ir_instr *exponent = ir_build2(b, IR_AND, x, ir_const(b, 0x7f800000));
        struct ir_instr *zero = ir_build2(b, IR_AND, x, ir_const(b, 0x80000000));
        result->scalars[i] = ir_build3(b, IR_SEL, ir_build2(b, IR_IEQ, exponent, ir_const(b, 0)), zero, x);
    }
}

/* ---------------------------------------------------------------- fast-math modes */

#define KNOWS_NUMBERS_ONLY (SpvFPFastMathModeNotNaNMask | SpvFPFastMathModeNotInfMask | SpvFPFastMathModeNSZMask)
#define ROUNDS_DIFFERENTLY                                                                                             \
    (SpvFPFastMathModeAllowContractMask | SpvFPFastMathModeAllowReassocMask | SpvFPFastMathModeAllowTransformMask)

/* Arithmetic whose mode does not allow all of contraction, reassociation and transformation is translated as with
 * NoContraction. Nothing is done with reciprocals that AllowRecip would have to allow. */
static struct spv_float_mode mode_of(uint32_t fast_math)
{
    return (struct spv_float_mode){.is_exact = (fast_math & ROUNDS_DIFFERENTLY) != ROUNDS_DIFFERENTLY,
                                   .is_special = (fast_math & KNOWS_NUMBERS_ONLY) != KNOWS_NUMBERS_ONLY};
}

/* Notes what operations take whose decoration asks for special values. SPIR-V lets undecorated operations of an entry
 * point without a default lose NaN. But an operation is also in charge of what is contracted into it, and a NaN among
 * its operands is only worth preserving if it arrives there: products are expected to bring it to decorated sums
 * [CTS vktSpvAsmFloatControls2Tests.cpp, OID_FMA]. */
static void find_special_operands(struct spv *s)
{
    spv_for_each_instr(in, s->m)
    {
        const char *operands = spv_op_info(in.op)->operands;
        const struct spv_decor *d =
            operands[0] == 't' && operands[1] == 'r' ? spv_decor(s, in.words[2]) : &spv_no_decor;
        if (!d->has_fast_math || !mode_of(d->fast_math).is_special)
            continue;
        if (!s->special_operands)
            s->special_operands = util_arena_new_array(s->arena, uint64_t, UTIL_BITSET_WORDS(s->m->id_count));
        uint32_t first;
        const uint32_t end = spv_value_operands(&in, &first);
        for (uint32_t at = first; at < end; at++)
            util_bitset_set(s->special_operands, in.words[at]);
    }
}

void spv_read_fast_math_modes(struct spv *s)
{
    find_special_operands(s);
    const uint32_t function = s->m->words[s->entry_point + 2];
    spv_for_each_instr(in, s->m)
    {
        if (in.op == SpvOpFunction)
            break;
        if (in.op != SpvOpExecutionModeId || in.words[1] != function ||
            in.words[2] != SpvExecutionModeFPFastMathDefault)
            continue;
        s->offset = in.offset;
        const struct spv_type *type = spv_type(s, in.words[3]);
        if (type->kind != SPV_TYPE_FLOAT)
            spv_invalid(s, "the type of a fast-math mode is not a float");
        s->float_modes[type->bits / 32] = mode_of(spv_const_word(s, in.words[4]));
    }
}

/* Operations of which spv_keep_special_values knows what it changes: those that compute, and comparisons. */
static bool is_arithmetic(struct spv *s, const struct spv_instr *in)
{
    switch (in->op) {
    case SpvOpFwidth:
    case SpvOpFwidthFine:
    case SpvOpFwidthCoarse:
    case SpvOpGroupNonUniformFAdd:
    case SpvOpGroupNonUniformFMul:
    case SpvOpGroupNonUniformFMin:
    case SpvOpGroupNonUniformFMax:
        return true;
    default:
        return computes_floats(s, in) || (in->op >= SpvOpFOrdEqual && in->op <= SpvOpFUnordGreaterThanEqual);
    }
}

struct spv_float_mode spv_float_mode(struct spv *s, const struct spv_instr *in, const struct spv_decor *d)
{
    struct spv_float_mode mode = {.is_exact = d->exact};
    const bool is_operand =
        !d->has_fast_math && s->special_operands && util_bitset_test(s->special_operands, in->words[2]);
    for (uint32_t bits = 16; bits <= 64; bits *= 2) {
        struct spv_float_mode of_width = d->has_fast_math ? mode_of(d->fast_math) : s->float_modes[bits / 32];
        of_width.is_special |= is_operand;
        if (!(of_width.is_exact || of_width.is_special) || !spv_uses(s, in, SPV_TYPE_FLOAT, bits))
            continue;
        mode.is_exact |= of_width.is_exact;
        mode.is_special |= of_width.is_special && bits != 64; /* those of 64 bits always are */
    }
    mode.is_special = mode.is_special && is_arithmetic(s, in);
    return mode;
}

/* ---------------------------------------------------------------- all modes */

static void refuse_mode(struct spv *s, uint32_t mode)
{
    const char *name = spv_mode_name(mode);
    if (name)
        spv_unsupported(s, "execution mode %s", name);
    spv_unsupported(s, "execution mode %u", mode);
}

/* Modes of geometry shaders. False: another mode. */
static bool read_geometry_mode(struct spv *s, const struct spv_instr *in)
{
    struct vc4c_geometry *g = &s->shader->geometry;
    switch (in->words[2]) {
    case SpvExecutionModeInputPoints:
        g->input_vertices = 1;
        return true;
    case SpvExecutionModeInputLines:
        g->input_vertices = 2;
        return true;
    case SpvExecutionModeTriangles:
        g->input_vertices = 3;
        return true;
    case SpvExecutionModeInputLinesAdjacency:
        g->input_vertices = 4;
        return true;
    case SpvExecutionModeInputTrianglesAdjacency:
        g->input_vertices = 6;
        return true;
    case SpvExecutionModeOutputPoints:
        g->output_vertices = 1;
        return true;
    case SpvExecutionModeOutputLineStrip:
        g->output_vertices = 2;
        return true;
    case SpvExecutionModeOutputTriangleStrip:
        g->output_vertices = 3;
        return true;
    case SpvExecutionModeOutputVertices:
        if (in->words[3] > VC4C_MAX_EMITTED)
            spv_unsupported(s, "%u emitted vertices, the limit is %u", in->words[3], VC4C_MAX_EMITTED);
        g->max_vertices = in->words[3];
        return true;
    case SpvExecutionModeInvocations:
        if (!in->words[3] || in->words[3] > VC4C_MAX_GEOMETRY_INVOCATIONS)
            spv_unsupported(s, "%u invocations of a geometry shader, the limit is %u", in->words[3],
                            VC4C_MAX_GEOMETRY_INVOCATIONS);
        g->invocations = (uint8_t)in->words[3];
        return true;
    default:
        return false;
    }
}

static void read_mode(struct spv *s, const struct spv_instr *in)
{
    if ((s->entry->stage == VC4C_STAGE_GEOMETRY && read_geometry_mode(s, in)) || spv_read_tessellation_mode(s, in) ||
        spv_read_mesh_mode(s, in))
        return;
    switch (in->words[2]) {
    case SpvExecutionModeEarlyFragmentTests:
        s->shader->early_fragment_tests = true;
        break;
    case SpvExecutionModePostDepthCoverage:
        s->shader->post_depth_coverage = true;
        break;
    case SpvExecutionModeLocalSize:
        for (int i = 0; i < 3; i++)
            s->shader->local_size[i] = in->words[3 + i];
        break;
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeRoundingModeRTZ:
        read_float_mode(s, in);
        break;
    case SpvExecutionModeXfb:
        s->shader->captures = s->entry->stage == VC4C_STAGE_VERTEX || s->entry->stage == VC4C_STAGE_GEOMETRY ||
                              s->entry->stage == VC4C_STAGE_TESS_EVALUATION;
        break;
    case SpvExecutionModePixelInterlockOrderedEXT:
        s->shader->orders_pixels = true;
        break;
    case SpvExecutionModePixelInterlockUnorderedEXT: /* invocations at one pixel run one after another */
    case SpvExecutionModeSampleInterlockOrderedEXT:  /* and those at one sample in the order of primitives */
    case SpvExecutionModeSampleInterlockUnorderedEXT:
    case SpvExecutionModeOriginUpperLeft:
    case SpvExecutionModeDepthReplacing: /* the store to FragDepth tells all that matters; the modes are hints */
    case SpvExecutionModeDepthGreater:
    case SpvExecutionModeDepthLess:
    case SpvExecutionModeDepthUnchanged:
    case SpvExecutionModeStencilRefReplacingEXT:        /* the same of FragStencilRefEXT */
    case SpvExecutionModeSubgroupUniformControlFlowKHR: /* lanes always run together again where control flow merges */
    case SpvExecutionModeMaximallyReconvergesKHR:
    case SpvExecutionModeQuadDerivativesKHR: /* derivatives are differences of the lanes of a quad */
        break;
    case SpvExecutionModeDerivativeGroupLinearKHR:
    case SpvExecutionModeDerivativeGroupQuadsKHR:
        s->shader->has_quads = true;
        s->shader->is_ordered_by_quads = in->words[2] == SpvExecutionModeDerivativeGroupQuadsKHR;
        break;
    case SpvExecutionModeRequireFullQuadsKHR:
        s->requires_full_quads = s->shader->kind == VC4C_PROGRAM_FRAGMENT;
        break;
    default:
        refuse_mode(s, in->words[2]);
    }
}

void spv_read_modes(struct spv *s)
{
    uint32_t function = s->m->words[s->entry_point + 2];
    spv_for_each_instr(in, s->m)
    {
        s->offset = in.offset;
        if (in.op == SpvOpExecutionMode && in.words[1] == function)
            read_mode(s, &in);
        else if (in.op == SpvOpExecutionModeId && in.words[1] == function &&
                 in.words[2] != SpvExecutionModeLocalSizeId &&     /* read by spv_read_local_size */
                 in.words[2] != SpvExecutionModeFPFastMathDefault) /* read by spv_read_fast_math_modes */
            refuse_mode(s, in.words[2]);
    }
    s->offset = s->entry_point;
}
