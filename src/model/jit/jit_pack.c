/* SPDX-License-Identifier: MIT
 *
 * Emits the pack and unpack modes, as gpu_alu_pack.c defines them.
 */
#include "model/jit/jit_emit.h"

static LLVMValueRef shl(struct jit_emitter *e, LLVMValueRef a, unsigned by)
{
    return by ? LLVMBuildShl(e->b, a, jit_splat(e, by), "") : a;
}

static LLVMValueRef lshr(struct jit_emitter *e, LLVMValueRef a, unsigned by)
{
    return by ? LLVMBuildLShr(e->b, a, jit_splat(e, by), "") : a;
}

static LLVMValueRef ashr(struct jit_emitter *e, LLVMValueRef a, unsigned by)
{
    return LLVMBuildAShr(e->b, a, jit_splat(e, by), "");
}

static LLVMValueRef clamp(struct jit_emitter *e, LLVMValueRef a, int32_t low, int32_t high)
{
    LLVMValueRef l = jit_splat(e, (uint32_t)low), h = jit_splat(e, (uint32_t)high);

    a = jit_select(e, jit_compare(e, LLVMIntSLT, a, l), l, a);
    return jit_select(e, jit_compare(e, LLVMIntSGT, a, h), h, a);
}

/* -- unpack ------------------------------------------------------------------------------------------------------- */

/* `half`: a 16-bit float in the low bits of each word. */
static LLVMValueRef half_to_float(struct jit_emitter *e, LLVMValueRef half)
{
    LLVMValueRef sign = shl(e, jit_and(e, half, 0x8000u), 16), rest = shl(e, jit_and(e, half, 0x7fffu), 13);
    LLVMValueRef exponent = jit_and(e, half, 0x7c00u), zero = jit_splat(e, 0);
    /* rebias: normal numbers by 112, infinity and NaN by 224, to exponent 255 */
    LLVMValueRef bias = jit_select(e, jit_compare(e, LLVMIntEQ, exponent, jit_splat(e, 0x7c00u)),
                                   jit_splat(e, 224u << 23), jit_splat(e, 112u << 23));

    bias = jit_select(e, jit_compare(e, LLVMIntEQ, exponent, zero), zero, bias);
    return LLVMBuildOr(e->b, sign, LLVMBuildAdd(e->b, rest, bias, ""), "");
}

/* byte / 255, rounded toward zero. With has_fma, it is a product with the reciprocal in two parts, of which the lower
 * is rounded up. That is exact to 48 bits, and no quotient except 255 / 255 = 1 is so close to the next float above
 * that the error matters. */
static LLVMValueRef byte_to_float(struct jit_emitter *e, LLVMValueRef byte)
{
    const uint32_t high = 0x3b808080u, low = 0x2f808081u;
    LLVMValueRef x = jit_itof(e, byte);

    if (!e->has_fma)
        return jit_words(e, jit_float_raw(e, JIT_FDIV, x, jit_floats(e, jit_splat(e, 0x437f0000u))));
    return jit_words(e, jit_fma(e, x, jit_floats(e, jit_splat(e, high)),
                                jit_float_raw(e, JIT_FMUL, x, jit_floats(e, jit_splat(e, low)))));
}

LLVMValueRef jit_unpack(struct jit_emitter *e, unsigned mode, bool to_float, LLVMValueRef in)
{
    LLVMValueRef byte;

    switch (mode) {
    case QPU_UNPACK_16A:
        return to_float ? half_to_float(e, jit_and(e, in, 0xffff)) : ashr(e, shl(e, in, 16), 16);
    case QPU_UNPACK_16B:
        return to_float ? half_to_float(e, lshr(e, in, 16)) : ashr(e, in, 16);
    case QPU_UNPACK_8D_REP:
        return LLVMBuildMul(e->b, lshr(e, in, 24), jit_splat(e, 0x01010101u), "");
    case QPU_UNPACK_8A:
    case QPU_UNPACK_8B:
    case QPU_UNPACK_8C:
    case QPU_UNPACK_8D:
        byte = jit_and(e, lshr(e, in, 8 * (mode & 3)), 0xff);
        return to_float ? byte_to_float(e, byte) : byte;
    default:
        return in;
    }
}

/* -- pack --------------------------------------------------------------------------------------------------------- */

static LLVMValueRef float_to_half(struct jit_emitter *e, LLVMValueRef word)
{
    LLVMValueRef sign = jit_and(e, lshr(e, word, 16), 0x8000u), magnitude = jit_and(e, word, 0x7fffffffu);
    LLVMValueRef rounded = lshr(e, LLVMBuildAdd(e->b, magnitude, jit_splat(e, 0x1fffu - (112u << 23)), ""), 13);
    LLVMValueRef large = jit_compare(e, LLVMIntUGE, magnitude, jit_splat(e, 143u << 23));
    LLVMValueRef small = jit_compare(e, LLVMIntULT, magnitude, jit_splat(e, 113u << 23));
    LLVMValueRef half = LLVMBuildOr(e->b, sign, jit_select(e, large, jit_splat(e, 0x7c00u), rounded), "");

    return jit_select(e, small, jit_splat(e, 0), half);
}

/* Moves a field to its position in the word. */
static struct jit_result to_field(struct jit_emitter *e, LLVMValueRef field, unsigned shift, uint32_t mask)
{
    return (struct jit_result){shl(e, field, shift), NULL, mask << shift};
}

static struct jit_result to_all_bytes(struct jit_emitter *e, LLVMValueRef byte)
{
    return (struct jit_result){LLVMBuildMul(e->b, byte, jit_splat(e, 0x01010101u), ""), NULL, ~0u};
}

struct jit_result jit_pack_a(struct jit_emitter *e, unsigned mode, bool is_float, LLVMValueRef in)
{
    LLVMValueRef field;

    switch (mode) {
    case QPU_PACK_A_16A:
    case QPU_PACK_A_16B:
    case QPU_PACK_A_16A_SAT:
    case QPU_PACK_A_16B_SAT:
        if (is_float)
            field = float_to_half(e, in);
        else
            field = jit_and(e, mode >= QPU_PACK_A_32_SAT ? clamp(e, in, INT16_MIN, INT16_MAX) : in, 0xffff);
        return to_field(e, field, mode == QPU_PACK_A_16B || mode == QPU_PACK_A_16B_SAT ? 16 : 0, 0xffff);
    case QPU_PACK_A_8888:
        return to_all_bytes(e, jit_and(e, in, 0xff));
    case QPU_PACK_A_8888_SAT:
        return to_all_bytes(e, clamp(e, in, 0, 255));
    case QPU_PACK_A_8A:
    case QPU_PACK_A_8B:
    case QPU_PACK_A_8C:
    case QPU_PACK_A_8D:
        return to_field(e, jit_and(e, in, 0xff), 8 * (mode & 3), 0xff);
    case QPU_PACK_A_8A_SAT:
    case QPU_PACK_A_8B_SAT:
    case QPU_PACK_A_8C_SAT:
    case QPU_PACK_A_8D_SAT:
        return to_field(e, clamp(e, in, 0, 255), 8 * (mode & 3), 0xff);
    default:
        return (struct jit_result){in, NULL, ~0u};
    }
}

/* Converts a float to 8-bit unorm. Negative values and -0 become 0. */
static LLVMValueRef unorm8(struct jit_emitter *e, LLVMValueRef word)
{
    LLVMValueRef zero = jit_splat(e, 0), one = jit_splat(e, 0x3f800000u), scaled;

    word = jit_select(e, jit_compare(e, LLVMIntSLE, word, zero), zero, word);
    word = jit_select(e, jit_compare(e, LLVMIntSGT, word, one), one, word);
    scaled = jit_float_raw(e, JIT_FMUL, jit_floats(e, word), jit_floats(e, jit_splat(e, 0x437f0000u)));
    scaled = jit_float_raw(e, JIT_FADD, scaled, jit_floats(e, jit_splat(e, 0x3f000000u)));
    return LLVMBuildFPToSI(e->b, scaled, e->t.words, "");
}

struct jit_result jit_pack_mul(struct jit_emitter *e, unsigned mode, LLVMValueRef in, LLVMValueRef nsz)
{
    switch (mode) {
    case QPU_PACK_MUL_8888:
        return to_all_bytes(e, unorm8(e, nsz));
    case QPU_PACK_MUL_8A:
    case QPU_PACK_MUL_8B:
    case QPU_PACK_MUL_8C:
    case QPU_PACK_MUL_8D:
        return to_field(e, unorm8(e, nsz), 8 * (mode & 3), 0xff);
    default:
        return (struct jit_result){in, NULL, ~0u};
    }
}
