/* SPDX-License-Identifier: MIT
 *
 * Converts texel and vertex formats in code, from words to channels and back, as the table in hw/format describes them.
 */
#include <math.h>
#include "compiler/lower/lower.h"

/* ---------------------------------------------------------------- sRGB */

/* The smallest float that is not below 1 / divisor. The chip truncates products, so divisor times this is exactly 1. */
static struct ir_instr *reciprocal(struct ir_builder *b, uint32_t divisor)
{
    float x = (float)(1 / (double)divisor);
    return ir_const_f(b, (double)x * divisor < 1 ? nextafterf(x, 1) : x);
}

/* Vulkan's curve without powers: x / 12.92 and, above the knee, a polynomial in the distance s from it that begins with
 * s^2, so that both parts meet without a step. Five additions and five multiplications, two to each instruction.
 *
 * The coefficients are optimal for the 256 byte values, each error weighted by the square root of the curve's step to
 * the next byte (Remez exchange, the knee searched in steps of 0.0005), with the value 1 at 1. The third coefficient
 * was then raised bit by bit until the chip's truncating arithmetic gives 1, too. The error is at most 0.12 of a byte
 * (unit test formats). */
struct ir_instr *ir_srgb_to_linear(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *line = ir_fmul(b, x, ir_const_f(b, 0.0773993805f));
    struct ir_instr *s = ir_build2(b, IR_FMAX, ir_fsub(b, x, ir_const_f(b, 0.0419999994f)), ir_const(b, 0));
    struct ir_instr *curve = ir_fadd(b, ir_fmul(b, s, ir_const_f(b, -0.101403497f)), ir_const_f(b, 0.48358956f));
    curve = ir_fadd(b, ir_fmul(b, s, curve), ir_const_f(b, 0.635055959f));
    return ir_fadd(b, line, ir_fmul(b, ir_fmul(b, s, s), curve));
}

/* The 11 bits of the SFU are enough for an 8-bit result. */
static struct ir_instr *power(struct ir_builder *b, struct ir_instr *x, float y)
{
    return ir_build1(b, IR_SFU_EXP2, ir_fmul(b, ir_build1(b, IR_SFU_LOG2, x), ir_const_f(b, y)));
}

struct ir_instr *ir_linear_to_srgb(struct ir_builder *b, struct ir_instr *x)
{
    struct ir_instr *knee = ir_const_f(b, 0.0031308f), *low = ir_fmul(b, x, ir_const_f(b, 12.92f));
    /* The logarithm of 0 would be infinite, and infinities are slow where the host runs the program. */
    struct ir_instr *root = power(b, ir_build2(b, IR_FMAX, x, knee), 1 / 2.4f);
    struct ir_instr *high = ir_fsub(b, ir_fmul(b, root, ir_const_f(b, 1.055f)), ir_const_f(b, 0.055f));
    return ir_sel(b, ir_build2(b, IR_FGE, x, knee), high, low);
}

/* ---------------------------------------------------------------- one channel out of a word */

struct ir_instr *ir_unpack_part_f(struct ir_builder *b, struct ir_instr *word, uint32_t part)
{
    struct ir_instr *x = ir_build1(b, IR_UNPACK_F, word);
    x->imm = part;
    return x;
}

/* The bit field as an integer. Fields that the chip's unpack modes cover cost nothing. */
static struct ir_instr *field(struct ir_builder *b, struct ir_instr *word, uint32_t shift, uint32_t bits,
                              bool is_signed)
{
    if (bits == 32)
        return word;
    if ((bits == 8 && !is_signed) || (bits == 16 && is_signed && shift % 16 == 0)) {
        struct ir_instr *x = ir_build1(b, IR_UNPACK_I, word);
        x->imm = bits == 8 ? 2 + shift / 8 : shift / 16;
        return x;
    }
    if (is_signed) {
        uint32_t up = 32 - bits - shift;
        word = up ? ir_build2(b, IR_SHL, word, ir_const(b, up)) : word;
        return ir_build2(b, IR_ASR, word, ir_const(b, 32 - bits));
    }
    word = shift ? ir_build2(b, IR_SHR, word, ir_const(b, shift)) : word;
    return shift + bits == 32 ? word : ir_build2(b, IR_AND, word, ir_const(b, (1u << bits) - 1));
}

static struct ir_instr *unorm(struct ir_builder *b, struct ir_instr *word, uint32_t shift, uint32_t bits)
{
    if (bits == 8)
        return ir_unpack_part_f(b, word, 2 + shift / 8);
    struct ir_instr *x = ir_build1(b, IR_ITOF, field(b, word, shift, bits, false));
    return bits == 1 ? x : ir_fmul(b, x, reciprocal(b, (1u << bits) - 1));
}

static struct ir_instr *snorm(struct ir_builder *b, struct ir_instr *word, uint32_t shift, uint32_t bits)
{
    struct ir_instr *x = ir_build1(b, IR_ITOF, field(b, word, shift, bits, true));
    if (bits > 2)
        x = ir_fmul(b, x, reciprocal(b, (1u << (bits - 1)) - 1));
    return ir_build2(b, IR_FMAX, x, ir_const_f(b, -1));
}

/* The smallest denormal of an unsigned float of 10 or 11 bits: 2^-14 / 2^mantissa bits. */
static float smallest_denormal(uint32_t bits)
{
    return ldexpf(1, -14 - (int)(bits - 5));
}

/* Such a float is a half without the sign and the lowest mantissa bits. The chip flushes denormal halves, so the field
 * times the smallest denormal provides those; where the exponent is above 1 that product is less than the number. */
static struct ir_instr *unsigned_float(struct ir_builder *b, struct ir_instr *word, uint32_t shift, uint32_t bits)
{
    struct ir_instr *x = field(b, word, shift, bits, false);
    struct ir_instr *tiny = ir_fmul(b, ir_build1(b, IR_ITOF, x), ir_const_f(b, smallest_denormal(bits)));
    return ir_build2(b, IR_FMAX, ir_unpack_part_f(b, ir_build2(b, IR_SHL, x, ir_const(b, 15 - bits)), 0), tiny);
}

static struct ir_instr *unpack_channel(struct ir_builder *b, struct hw_channel c, struct ir_instr *word)
{
    uint32_t shift = c.shift % 32;
    switch ((enum hw_kind)c.kind) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return unorm(b, word, shift, c.bits);
    case HW_KIND_SNORM:
        return snorm(b, word, shift, c.bits);
    case HW_KIND_USCALED:
        return ir_build1(b, c.bits == 32 ? IR_UTOF : IR_ITOF, field(b, word, shift, c.bits, false));
    case HW_KIND_SSCALED:
        return ir_build1(b, IR_ITOF, field(b, word, shift, c.bits, true));
    case HW_KIND_UINT:
        return field(b, word, shift, c.bits, false);
    case HW_KIND_SINT:
        return field(b, word, shift, c.bits, true);
    case HW_KIND_FLOAT:
        return c.bits == 32 ? word : ir_unpack_part_f(b, word, shift / 16);
    case HW_KIND_UFLOAT:
        return unsigned_float(b, word, shift, c.bits);
    case HW_KIND_NONE:
        break;
    }
    return ir_const(b, 0);
}

struct ir_instr *ir_unpack_half(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                                uint32_t component)
{
    const struct hw_format_info *info = hw_format_info(format);
    const uint32_t from = format == HW_FORMAT_NONE ? HW_SWIZZLE_0 : info->swizzle[component];
    if (from >= HW_SWIZZLE_0)
        return NULL;
    const struct hw_channel c = info->channel[from];
    struct ir_instr *word = words[c.shift / 32];
    if (c.kind != HW_KIND_FLOAT || c.bits != 16 || !word)
        return NULL;
    return c.shift % 32 ? ir_build2(b, IR_SHR, word, ir_const(b, c.shift % 32)) : word;
}

/* Three 9-bit mantissas and one exponent, biased by 15. */
static void unpack_shared_exponent(struct ir_builder *b, struct ir_instr *word, struct ir_instr *out[4])
{
    struct ir_instr *exponent = ir_build2(b, IR_SHR, word, ir_const(b, 27));
    struct ir_instr *biased = ir_build2(b, IR_IADD, exponent, ir_const(b, 127 - 15 - 9));
    struct ir_instr *scale = ir_build2(b, IR_SHL, biased, ir_const(b, 23));
    for (uint32_t i = 0; i < 3; i++)
        out[i] = ir_fmul(b, ir_build1(b, IR_ITOF, field(b, word, 9 * i, 9, false)), scale);
    out[3] = ir_const_f(b, 1);
}

/* ---------------------------------------------------------------- whole texels */

static bool is_integer(enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    return kind == HW_KIND_UINT || kind == HW_KIND_SINT;
}

void ir_unpack_format(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                      struct ir_instr *out[4])
{
    ir_unpack_format_at(b, format, words, 0, out);
}

void ir_unpack_format_at(struct ir_builder *b, enum hw_format format, struct ir_instr *const words[4],
                         uint32_t first_bit, struct ir_instr *out[4])
{
    const struct hw_format_info *info = hw_format_info(format);
    if (format == HW_FORMAT_R9G9B9E5_UFLOAT) {
        unpack_shared_exponent(b, words[0], out);
        return;
    }
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = format == HW_FORMAT_NONE ? (i == 3 ? HW_SWIZZLE_1 : HW_SWIZZLE_0) : info->swizzle[i];
        if (from == HW_SWIZZLE_0) {
            out[i] = ir_const(b, 0);
        } else if (from == HW_SWIZZLE_1) {
            out[i] = is_integer(format) ? ir_const(b, 1) : ir_const_f(b, 1);
        } else {
            struct hw_channel c = info->channel[from];
            c.shift = (uint8_t)(c.shift + first_bit);
            struct ir_instr *word = words[c.shift / 32];
            out[i] = word ? unpack_channel(b, c, word) : ir_const(b, 0);
            if (word && c.kind == HW_KIND_SRGB)
                out[i] = ir_srgb_to_linear(b, out[i]);
        }
    }
}

bool ir_can_pack_format(enum hw_format format)
{
    const struct hw_format_info *info = hw_format_info(format);
    switch (hw_format_kind(format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SNORM:
    case HW_KIND_UINT:
    case HW_KIND_SINT:
    case HW_KIND_FLOAT:
    case HW_KIND_SRGB:
        return info->block_w == 1 && info->channels > 0;
    case HW_KIND_UFLOAT:
        return format == HW_FORMAT_R11G11B10_UFLOAT;
    default:
        return false;
    }
}

/* Rounds a clamped float times `scale` to the nearest integer. */
static struct ir_instr *to_fixed(struct ir_builder *b, struct ir_instr *x, float scale)
{
    return ir_build1(b, IR_FTOI, ir_build1(b, IR_FROUND, ir_fmul(b, x, ir_const_f(b, scale))));
}

/* The inverse of unsigned_float(). Numbers above the largest finite one become that one; infinity stays infinity. */
static struct ir_instr *pack_unsigned_float(struct ir_builder *b, struct ir_instr *x, uint32_t bits)
{
    uint32_t mantissa_bits = bits - 5;
    float largest = ldexpf((float)((2u << mantissa_bits) - 1), 15 - (int)mantissa_bits);
    struct ir_instr *infinite = ir_const(b, 0x7f800000), *zero = ir_const(b, 0);
    struct ir_instr *is_infinite = ir_build2(b, IR_IEQ, x, infinite);
    x = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, zero), ir_const_f(b, largest));
    struct ir_instr *half = ir_build2(b, IR_PACK_HALF, ir_sel(b, is_infinite, infinite, x), zero);
    struct ir_instr *small = ir_build2(b, IR_FMIN, x, ir_const_f(b, ldexpf(1, -14)));
    struct ir_instr *steps = to_fixed(b, small, 1 / smallest_denormal(bits));
    half = ir_build2(b, IR_IADD, half, ir_const(b, 1u << (14 - bits))); /* to the nearest */
    return ir_build2(b, IR_IMAX, ir_build2(b, IR_SHR, half, ir_const(b, 15 - bits)), steps);
}

/* Two floats that were halves keep all their bits, which the chip's conversion would not. */
static struct ir_instr *pack_halves(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *low = ir_exact_half(b, x), *high = ir_exact_half(b, y);
    if (!low || !high || (x->op == IR_CONST && y->op == IR_CONST))
        return ir_build2(b, IR_PACK_HALF, x, y);
    return ir_build2(b, IR_PACK_I16, low, high);
}

static struct ir_instr *pack_channel(struct ir_builder *b, struct hw_channel c, struct ir_instr *x)
{
    uint32_t mask = c.bits == 32 ? UINT32_MAX : (1u << c.bits) - 1;
    switch ((enum hw_kind)c.kind) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return to_fixed(b, ir_build1(b, IR_FSAT, x), (float)mask);
    case HW_KIND_SNORM:
        x = ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const_f(b, -1)), ir_const_f(b, 1));
        return ir_build2(b, IR_AND, to_fixed(b, x, (float)(mask >> 1)), ir_const(b, mask));
    case HW_KIND_UINT:
        return c.bits == 32 ? x : ir_build2(b, IR_UMIN, x, ir_const(b, mask));
    case HW_KIND_SINT:
        if (c.bits == 32)
            return x;
        x = ir_build2(b, IR_IMIN, x, ir_const(b, mask >> 1));
        x = ir_build2(b, IR_IMAX, x, ir_const(b, ~(mask >> 1)));
        return ir_build2(b, IR_AND, x, ir_const(b, mask));
    case HW_KIND_FLOAT:
        return c.bits == 32 ? x : pack_halves(b, x, ir_const(b, 0));
    case HW_KIND_UFLOAT:
        return pack_unsigned_float(b, x, c.bits);
    default:
        return ir_const(b, 0);
    }
}

/* Which component (0 to 3 for R, G, B, A) is stored in channel `channel` of the texel; 4: none. */
static uint32_t component_of(const struct hw_format_info *info, uint32_t channel)
{
    for (uint32_t i = 0; i < 4; i++)
        if (info->swizzle[i] == channel)
            return i;
    return 4;
}

static struct ir_instr *pack_bytes(struct ir_builder *b, const struct hw_format_info *info,
                                   struct ir_instr *const rgba[4])
{
    struct ir_instr *bytes[4];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = component_of(info, i);
        bytes[i] = from < 4 ? rgba[from] : ir_const(b, 0);
    }
    return ir_build(b, IR_PACK_UNORM8, 0, 4, bytes);
}

static bool is_bytes(const struct hw_format_info *info)
{
    for (uint32_t i = 0; i < info->channels; i++)
        if (info->channel[i].bits != 8 || info->channel[i].shift != 8 * i ||
            (info->channel[i].kind != HW_KIND_UNORM && info->channel[i].kind != HW_KIND_SRGB))
            return false;
    return true;
}

/* True when every word is a pair of 16-bit floats. */
static bool is_halves(const struct hw_format_info *info)
{
    return info->channels % 2 == 0 && info->channel[0].kind == HW_KIND_FLOAT && info->channel[0].bits == 16;
}

struct ir_instr *ir_pack_format(struct ir_builder *b, enum hw_format format, uint32_t word_index,
                                struct ir_instr *const rgba[4])
{
    const struct hw_format_info *info = hw_format_info(format);
    struct ir_instr *in[4], *word = NULL;
    for (uint32_t i = 0; i < 4; i++) {
        in[i] = rgba[i];
        if (hw_format_is_srgb(format) && i < 3)
            in[i] = ir_linear_to_srgb(b, ir_build1(b, IR_FSAT, rgba[i]));
    }
    if (is_bytes(info))
        return pack_bytes(b, info, in);
    if (is_halves(info)) /* two to a word, in order */
        return pack_halves(b, in[2 * word_index], in[2 * word_index + 1]);
    for (uint32_t i = 0; i < info->channels; i++) {
        uint32_t from = component_of(info, i), shift = info->channel[i].shift;
        if (from == 4 || shift / 32 != word_index)
            continue;
        struct ir_instr *part = pack_channel(b, info->channel[i], in[from]);
        if (shift % 32)
            part = ir_build2(b, IR_SHL, part, ir_const(b, shift % 32));
        word = word ? ir_build2(b, IR_OR, word, part) : part;
    }
    return word ? word : ir_const(b, 0);
}
