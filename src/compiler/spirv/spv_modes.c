/* SPDX-License-Identifier: MIT
 *
 * Execution modes of the entry point: OpExecutionMode and OpExecutionModeId.
 *
 * Float controls: a mode that the arithmetic of a width obeys anyway asks for nothing. All others are refused, because
 * results would be wrong without a word. 32-bit arithmetic is the chip's: it rounds to zero and flushes denormals.
 * 64-bit arithmetic is IEEE 754's.
 */
#include "compiler/spirv/spv_engine.h"

/* ---------------------------------------------------------------- float controls */

static bool is_obeyed(uint32_t mode, uint32_t bits)
{
    switch (bits) {
    case 32:
        return mode == SpvExecutionModeDenormFlushToZero || mode == SpvExecutionModeRoundingModeRTZ;
    case 64:
        return mode == SpvExecutionModeDenormPreserve || mode == SpvExecutionModeRoundingModeRTE ||
               mode == SpvExecutionModeSignedZeroInfNanPreserve;
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
}

/* ---------------------------------------------------------------- all modes */

static void read_mode(struct spv *s, const struct spv_instr *in)
{
    switch (in->words[2]) {
    case SpvExecutionModeEarlyFragmentTests:
        s->shader->early_fragment_tests = true;
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
    case SpvExecutionModeOriginUpperLeft:
    case SpvExecutionModeDepthReplacing: /* the store to FragDepth tells all that matters; the modes are hints */
    case SpvExecutionModeDepthGreater:
    case SpvExecutionModeDepthLess:
    case SpvExecutionModeDepthUnchanged:
    case SpvExecutionModeSubgroupUniformControlFlowKHR: /* lanes always run together again where control flow merges */
        break;
    default:
        spv_unsupported(s, "execution mode %u", in->words[2]);
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
                 in.words[2] != SpvExecutionModeLocalSizeId) /* read by spv_read_local_size */
            spv_unsupported(s, "execution mode %u", in.words[2]);
    }
    s->offset = s->entry_point;
}
