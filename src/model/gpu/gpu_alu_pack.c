/* SPDX-License-Identifier: MIT
 *
 * Pack and unpack units [guide p.30-32 tables 6-9].
 */
#include "model/gpu/gpu_alu.h"

/* -- scalar conversions ------------------------------------------------------------------------------------------- */

/* Half denormals become float denormals. Every float operation treats those as 0, so half denormals count as 0. */
uint32_t gpu_half_to_float(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, mantissa = half & 0x3ffu;

    if (!exponent)
        return sign | mantissa << 13;
    if (exponent == 31)
        return sign | 0x7f800000u | mantissa << 13;
    return sign | (exponent + 112) << 23 | mantissa << 13;
}

/* NaN and overflow give infinity, results in the half-denormal range give +0. The mantissa is rounded away from zero
 * [VC4C, from tests on a Pi; its result tables have 3f7fffff as 3c00]. */
uint32_t gpu_float_to_half(uint32_t word)
{
    uint32_t sign = word >> 16 & 0x8000u, magnitude = word & 0x7fffffffu, rounded;

    if (magnitude < 113u << 23)
        return 0;
    if (magnitude >= 143u << 23)
        return sign | 0x7c00u;
    rounded = (magnitude - (112u << 23) + 0x1fff) >> 13; /* to 0x7c00 at most */
    return sign | rounded;
}

/* byte / 255, rounded toward zero because of the mode set by gpu_fp_enter(). */
uint32_t gpu_unorm8_to_float(uint32_t byte)
{
    return util_fui((float)(int32_t)byte / 255.0f);
}

/* -- unpack ------------------------------------------------------------------------------------------------------- */

#define UNPACK(expression)                                                                                             \
    for (unsigned l = 0; l < QPU_LANES; l++) {                                                                         \
        uint32_t word = in->u[l];                                                                                      \
        out->u[l] = (expression);                                                                                      \
    }

void gpu_unpack_a(unsigned mode, bool to_float, const union gpu_vec *in, union gpu_vec *out)
{
    unsigned shift = 8 * (mode & 3); /* of the modes 8a to 8d */

    switch (mode) {
    case QPU_UNPACK_16A:
        if (to_float)
            UNPACK(gpu_half_to_float(word & 0xffff))
        else
            UNPACK((uint32_t)(int32_t)(int16_t)word)
        break;
    case QPU_UNPACK_16B:
        if (to_float)
            UNPACK(gpu_half_to_float(word >> 16))
        else
            UNPACK((uint32_t)((int32_t)word >> 16))
        break;
    case QPU_UNPACK_8D_REP:
        UNPACK((word >> 24) * 0x01010101u)
        break;
    case QPU_UNPACK_8A:
    case QPU_UNPACK_8B:
    case QPU_UNPACK_8C:
    case QPU_UNPACK_8D:
        if (to_float)
            UNPACK(gpu_unorm8_to_float(word >> shift & 0xff))
        else
            UNPACK(word >> shift & 0xff)
        break;
    default:
        *out = *in;
    }
}

void gpu_unpack_r4(unsigned mode, const union gpu_vec *in, union gpu_vec *out)
{
    gpu_unpack_a(mode, true, in, out);
}

/* -- pack --------------------------------------------------------------------------------------------------------- */

static uint32_t clamp_s16(uint32_t word)
{
    return (uint32_t)CLAMP((int32_t)word, INT16_MIN, INT16_MAX) & 0xffff;
}

static uint32_t clamp_u8(uint32_t word)
{
    return (uint32_t)CLAMP((int32_t)word, 0, 255);
}

/* Sets each lane to `field`, multiplied by `spread` to shift or replicate it to its place in the word. */
#define PACK(field, spread)                                                                                            \
    for (unsigned l = 0; l < QPU_LANES; l++) {                                                                         \
        uint32_t word = in->u[l];                                                                                      \
        out->u[l] = (field) * (spread);                                                                                \
    }

uint32_t gpu_pack_a(unsigned mode, bool is_float, const union gpu_vec *in, union gpu_vec *out)
{
    unsigned byte = mode & 3; /* of the modes 8a to 8d */

    switch (mode) {
    case QPU_PACK_A_16A:
    case QPU_PACK_A_16B:
    case QPU_PACK_A_16A_SAT:
    case QPU_PACK_A_16B_SAT: {
        bool high = mode == QPU_PACK_A_16B || mode == QPU_PACK_A_16B_SAT;
        uint32_t spread = high ? 0x10000u : 1u;
        if (is_float)
            PACK(gpu_float_to_half(word), spread)
        else if (mode >= QPU_PACK_A_32_SAT)
            PACK(clamp_s16(word), spread)
        else
            PACK(word & 0xffff, spread)
        return high ? 0xffff0000u : 0xffffu;
    }
    case QPU_PACK_A_8888:
        PACK(word & 0xff, 0x01010101u)
        return ~0u;
    case QPU_PACK_A_8888_SAT:
        PACK(clamp_u8(word), 0x01010101u)
        return ~0u;
    case QPU_PACK_A_8A:
    case QPU_PACK_A_8B:
    case QPU_PACK_A_8C:
    case QPU_PACK_A_8D:
        PACK(word & 0xff, 1u << 8 * byte)
        return 0xffu << 8 * byte;
    case QPU_PACK_A_8A_SAT:
    case QPU_PACK_A_8B_SAT:
    case QPU_PACK_A_8C_SAT:
    case QPU_PACK_A_8D_SAT:
        PACK(clamp_u8(word), 1u << 8 * byte)
        return 0xffu << 8 * byte;
    default: /* no pack, and 32_SAT, which gpu_add_saturate() has done */
        *out = *in;
        return ~0u;
    }
}

/* Saturated f * 255 as an integer, rounded to nearest as the guide says: an 8-bit channel that is read, unpacked (which
 * truncates) and packed again must come back unchanged, or masked and blended writes would darken the bits that they
 * keep. Another source truncates: UNVERIFIED, decided here. NaN behaves like infinity of its sign. */
static inline uint32_t unorm8(uint32_t word)
{
    uint32_t clamped = (int32_t)word <= 0 ? 0 : word >= 0x3f800000u ? 0x3f800000u : word;

    return (uint32_t)(int32_t)(util_uif(clamped) * 255.0f + 0.5f);
}

uint32_t gpu_pack_mul(unsigned mode, const union gpu_vec *in, union gpu_vec *out)
{
    unsigned byte = mode & 3;

    switch (mode) {
    case QPU_PACK_MUL_8888:
        PACK(unorm8(word), 0x01010101u)
        return ~0u;
    case QPU_PACK_MUL_8A:
    case QPU_PACK_MUL_8B:
    case QPU_PACK_MUL_8C:
    case QPU_PACK_MUL_8D:
        PACK(unorm8(word), 1u << 8 * byte)
        return 0xffu << 8 * byte;
    default: /* reserved modes return the word unchanged */
        *out = *in;
        return ~0u;
    }
}
