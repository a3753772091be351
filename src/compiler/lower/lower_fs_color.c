/* SPDX-License-Identifier: MIT
 *
 * Computes the tile buffer word from a fragment program's colour. Blending, logic operations, the write mask and the
 * conversion to the target's format are all done in code, because the chip has none of them.
 */
#include "compiler/lower/lower_fs_outputs.h"

/* -- blending ------------------------------------------------------------------------------------------------------ */

struct blend {
    struct ir_builder *b;
    const struct vc4c_fragment_key *key;
    struct ir_instr *src[4], *second[4], *dst[4], *constants[4];
};

static struct ir_instr *one_minus(struct ir_builder *b, struct ir_instr *x)
{
    return ir_fsub(b, ir_const_f(b, 1), x);
}

static enum vc4c_blend_range blend_range(const struct vc4c_fragment_key *key)
{
    switch (hw_format_kind(key->color_format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return VC4C_BLEND_RANGE_UNORM;
    case HW_KIND_SNORM:
        return VC4C_BLEND_RANGE_SNORM;
    default:
        return VC4C_BLEND_RANGE_ANY;
    }
}

static struct ir_instr *blend_constant(struct blend *bl, uint32_t c)
{
    if (!bl->constants[c])
        bl->constants[c] = ir_uniform(bl->b, VC4C_UNIFORM_BLEND_CONSTANT, 0, c + blend_range(bl->key));
    return bl->constants[c];
}

static struct ir_instr *factor(struct blend *bl, enum vc4c_blend_factor f, uint32_t c)
{
    struct ir_builder *b = bl->b;
    switch (f) {
    case VC4C_BLEND_ZERO:
        return ir_const(b, 0);
    case VC4C_BLEND_ONE:
        return ir_const_f(b, 1);
    case VC4C_BLEND_SRC_COLOR:
        return bl->src[c];
    case VC4C_BLEND_ONE_MINUS_SRC_COLOR:
        return one_minus(b, bl->src[c]);
    case VC4C_BLEND_DST_COLOR:
        return bl->dst[c];
    case VC4C_BLEND_ONE_MINUS_DST_COLOR:
        return one_minus(b, bl->dst[c]);
    case VC4C_BLEND_SRC_ALPHA:
        return bl->src[3];
    case VC4C_BLEND_ONE_MINUS_SRC_ALPHA:
        return one_minus(b, bl->src[3]);
    case VC4C_BLEND_DST_ALPHA:
        return bl->dst[3];
    case VC4C_BLEND_ONE_MINUS_DST_ALPHA:
        return one_minus(b, bl->dst[3]);
    case VC4C_BLEND_CONSTANT_COLOR:
        return blend_constant(bl, c);
    case VC4C_BLEND_ONE_MINUS_CONSTANT_COLOR:
        return one_minus(b, blend_constant(bl, c));
    case VC4C_BLEND_CONSTANT_ALPHA:
        return blend_constant(bl, 3);
    case VC4C_BLEND_ONE_MINUS_CONSTANT_ALPHA:
        return one_minus(b, blend_constant(bl, 3));
    case VC4C_BLEND_SRC_ALPHA_SATURATE:
        return c == 3 ? ir_const_f(b, 1) : ir_build2(b, IR_FMIN, bl->src[3], one_minus(b, bl->dst[3]));
    case VC4C_BLEND_SRC1_COLOR:
        return bl->second[c];
    case VC4C_BLEND_ONE_MINUS_SRC1_COLOR:
        return one_minus(b, bl->second[c]);
    case VC4C_BLEND_SRC1_ALPHA:
        return bl->second[3];
    case VC4C_BLEND_ONE_MINUS_SRC1_ALPHA:
        return one_minus(b, bl->second[3]);
    }
    return ir_const(b, 0);
}

static struct ir_instr *blend_channel(struct blend *bl, uint32_t c)
{
    const struct vc4c_fragment_key *key = bl->key;
    struct ir_builder *b = bl->b;
    enum vc4c_blend_op op = c == 3 ? key->alpha_op : key->color_op;
    if (op == VC4C_BLEND_OP_MIN || op == VC4C_BLEND_OP_MAX)
        return ir_build2(b, op == VC4C_BLEND_OP_MIN ? IR_FMIN : IR_FMAX, bl->src[c], bl->dst[c]);
    struct ir_instr *src = ir_fmul(b, bl->src[c], factor(bl, c == 3 ? key->src_alpha : key->src_color, c));
    struct ir_instr *dst = ir_fmul(b, bl->dst[c], factor(bl, c == 3 ? key->dst_alpha : key->dst_color, c));
    switch (op) {
    case VC4C_BLEND_OP_SUBTRACT:
        return ir_fsub(b, src, dst);
    case VC4C_BLEND_OP_REVERSE_SUBTRACT:
        return ir_fsub(b, dst, src);
    default:
        return ir_fadd(b, src, dst);
    }
}

/* -- logic operations ---------------------------------------------------------------------------------------------- */

static struct ir_instr *logic(struct ir_builder *b, enum vc4c_logic_op op, struct ir_instr *s, struct ir_instr *d)
{
    struct ir_instr *not_s = ir_build1(b, IR_NOT, s), *not_d = ir_build1(b, IR_NOT, d);
    switch (op) {
    case VC4C_LOGIC_CLEAR:
        return ir_const(b, 0);
    case VC4C_LOGIC_AND:
        return ir_build2(b, IR_AND, s, d);
    case VC4C_LOGIC_AND_REVERSE:
        return ir_build2(b, IR_AND, s, not_d);
    case VC4C_LOGIC_COPY:
        return s;
    case VC4C_LOGIC_AND_INVERTED:
        return ir_build2(b, IR_AND, not_s, d);
    case VC4C_LOGIC_NO_OP:
        return d;
    case VC4C_LOGIC_XOR:
        return ir_build2(b, IR_XOR, s, d);
    case VC4C_LOGIC_OR:
        return ir_build2(b, IR_OR, s, d);
    case VC4C_LOGIC_NOR:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_OR, s, d));
    case VC4C_LOGIC_EQUIVALENT:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_XOR, s, d));
    case VC4C_LOGIC_INVERT:
        return not_d;
    case VC4C_LOGIC_OR_REVERSE:
        return ir_build2(b, IR_OR, s, not_d);
    case VC4C_LOGIC_COPY_INVERTED:
        return not_s;
    case VC4C_LOGIC_OR_INVERTED:
        return ir_build2(b, IR_OR, not_s, d);
    case VC4C_LOGIC_NAND:
        return ir_build1(b, IR_NOT, ir_build2(b, IR_AND, s, d));
    case VC4C_LOGIC_SET:
        return ir_const(b, UINT32_MAX);
    }
    return s;
}

/* -- the word ------------------------------------------------------------------------------------------------------ */

/* Bits of the word that the write mask lets the program change; UINT32_MAX when it covers every channel in the word. */
static uint32_t written_bits(const struct vc4c_fragment_key *key)
{
    if (key->pairs_alpha)
        return (key->write_mask & BIT(key->color_word) ? 0xffffu : 0u) | (key->write_mask & BIT(3) ? 0xffff0000u : 0u);
    const struct hw_format_info *info = hw_format_info(key->color_format);
    uint32_t bits = 0, all = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t from = info->swizzle[i];
        if (from >= HW_SWIZZLE_0)
            continue;
        const struct hw_channel *c = &info->channel[from];
        if (c->shift / 32 != key->color_word)
            continue;
        uint32_t mask = (c->bits == 32 ? UINT32_MAX : BIT(c->bits) - 1) << c->shift % 32;
        all |= mask;
        bits |= key->write_mask & BIT(i) ? mask : 0;
    }
    return bits == all ? UINT32_MAX : bits;
}

static bool is_float_like(enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    return kind != HW_KIND_UINT && kind != HW_KIND_SINT;
}

/* The format of a word that holds one channel and alpha. */
static enum hw_format pair_format(const struct vc4c_fragment_key *key)
{
    switch (hw_format_kind(key->color_format)) {
    case HW_KIND_UNORM:
        return HW_FORMAT_R16G16_UNORM;
    case HW_KIND_SNORM:
        return HW_FORMAT_R16G16_SNORM;
    default:
        return HW_FORMAT_R16G16_FLOAT;
    }
}

static bool has_logic_op(const struct vc4c_fragment_key *key)
{
    enum hw_kind kind = hw_format_kind(key->color_format);
    return key->logic_op != VC4C_LOGIC_COPY && kind != HW_KIND_FLOAT && kind != HW_KIND_UFLOAT && kind != HW_KIND_SRGB;
}

bool ir_needs_old_color(const struct vc4c_fragment_key *key)
{
    return (key->blend_enable && is_float_like(key->color_format) && key->logic_op == VC4C_LOGIC_COPY) ||
           has_logic_op(key) || written_bits(key) != UINT32_MAX;
}

bool ir_writes_color(const struct vc4c_fragment_key *key)
{
    return key->color_format != HW_FORMAT_NONE && written_bits(key) &&
           !(has_logic_op(key) && key->logic_op == VC4C_LOGIC_NO_OP);
}

/* Clamps a blend input to the range of the format, as blending requires. */
static struct ir_instr *clamp_to_format(struct ir_builder *b, enum hw_format format, struct ir_instr *x)
{
    switch (hw_format_kind(format)) {
    case HW_KIND_UNORM:
    case HW_KIND_SRGB:
        return ir_build1(b, IR_FSAT, x);
    case HW_KIND_SNORM:
        return ir_build2(b, IR_FMIN, ir_build2(b, IR_FMAX, x, ir_const_f(b, -1)), ir_const_f(b, 1));
    default:
        return x;
    }
}

/* The byte-vector operation that blends four unorm8 channels in one instruction, or IR_MOV if there is none. It
 * operates on the source after rounding; that gives the same result as rounding afterwards. */
static enum ir_op bytes_op(const struct vc4c_fragment_key *key)
{
    static const uint16_t ops[] = {IR_V8ADDS, IR_V8SUBS, IR_V8SUBS, IR_V8MIN, IR_V8MAX};
    const struct hw_format_info *info = hw_format_info(key->color_format);
    bool has_factors = key->color_op < VC4C_BLEND_OP_MIN;
    for (uint32_t i = 0; i < 4; i++)
        if (info->swizzle[i] >= HW_SWIZZLE_0 || info->channel[info->swizzle[i]].bits != 8)
            return IR_MOV;
    if (hw_format_kind(key->color_format) != HW_KIND_UNORM || key->color_op != key->alpha_op ||
        key->color_op >= ARRAY_SIZE(ops))
        return IR_MOV;
    if (has_factors && (key->src_color != VC4C_BLEND_ONE || key->dst_color != VC4C_BLEND_ONE ||
                        key->src_alpha != VC4C_BLEND_ONE || key->dst_alpha != VC4C_BLEND_ONE))
        return IR_MOV;
    return (enum ir_op)ops[key->color_op];
}

static struct ir_instr *blend_bytes(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *word,
                                    struct ir_instr *old)
{
    bool is_reverse = key->color_op == VC4C_BLEND_OP_REVERSE_SUBTRACT;
    return ir_build2(b, bytes_op(key), is_reverse ? old : word, is_reverse ? word : old);
}

/* Unpacks the channels of the old colour that the word holds, and alpha if it is apart. The pipeline's key ensures that
 * no others are needed. */
static void unpack_old(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *old,
                       struct ir_instr *alpha, struct ir_instr *out[4])
{
    struct ir_instr *words[4] = {NULL}, *pair[4];
    words[3] = alpha;
    words[key->pairs_alpha ? 0 : key->color_word] = old;
    if (!key->pairs_alpha) {
        ir_unpack_format(b, key->color_format, words, out);
        return;
    }
    ir_unpack_format(b, pair_format(key), words, pair);
    for (uint32_t i = 0; i < 3; i++)
        out[i] = pair[0];
    out[3] = pair[1];
}

static struct ir_instr *pack_new(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *color[4])
{
    struct ir_instr *pair[4] = {color[key->color_word], color[3], ir_const(b, 0), ir_const(b, 0)};
    return key->pairs_alpha ? ir_pack_format(b, pair_format(key), 0, pair)
                            : ir_pack_format(b, key->color_format, key->color_word, color);
}

/* -- dithering ----------------------------------------------------------------------------------------------------- */

static struct ir_instr *bit_of(struct ir_builder *b, struct ir_instr *x, uint32_t bit, uint32_t to)
{
    x = ir_build2(b, IR_AND, x, ir_const(b, BIT(bit)));
    return to > bit ? ir_build2(b, IR_SHL, x, ir_const(b, to - bit)) : x;
}

/* The ordered pattern of 4 x 4 pixels (Bayer's matrix), from -15/32 to 15/32: its number has the bits of x ^ y and y in
 * turn, the lowest first. */
static struct ir_instr *pattern(struct ir_builder *b)
{
    struct ir_instr *y = ir_build0(b, IR_FRAG_Y), *both = ir_build2(b, IR_XOR, ir_build0(b, IR_FRAG_X), y);
    struct ir_instr *low = ir_build2(b, IR_OR, bit_of(b, both, 0, 3), bit_of(b, y, 0, 2));
    struct ir_instr *high =
        ir_build2(b, IR_OR, bit_of(b, both, 1, 1), ir_build2(b, IR_SHR, bit_of(b, y, 1, 1), ir_const(b, 1)));
    struct ir_instr *number = ir_build1(b, IR_ITOF, ir_build2(b, IR_OR, low, high));
    return ir_fadd(b, ir_fmul(b, number, ir_const_f(b, 1.0f / 16)), ir_const_f(b, 1.0f / 32 - 0.5f));
}

/* Adds less than half of a step to each channel. What a channel can represent exactly stays as it is. */
static void dither(struct ir_builder *b, const struct vc4c_fragment_key *key, struct ir_instr *color[4])
{
    const struct hw_format_info *info = hw_format_info(key->color_format);
    struct ir_instr *by = pattern(b);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t from = info->swizzle[i];
        if (from >= HW_SWIZZLE_0 || info->channel[from].kind != HW_KIND_UNORM || info->channel[from].bits >= 8)
            continue;
        const float step = 1.0f / (float)(BIT(info->channel[from].bits) - 1);
        color[i] = ir_fadd(b, color[i], ir_fmul(b, by, ir_const_f(b, step)));
    }
}

struct ir_instr *ir_color_word(struct ir_builder *b, const struct vc4c_fragment_key *key, const struct ir_fs_outputs *o,
                               struct ir_instr *old)
{
    enum hw_format format = key->color_format;
    struct ir_instr *out[4], *word;
    for (uint32_t i = 0; i < 4; i++)
        out[i] = o->color[i];
    bool blends = key->blend_enable && is_float_like(format) && key->logic_op == VC4C_LOGIC_COPY;
    bool blends_bytes = blends && bytes_op(key) != IR_MOV;
    if (blends && !blends_bytes) {
        struct blend bl = {.b = b, .key = key};
        unpack_old(b, key, old, o->old_alpha, bl.dst);
        for (uint32_t i = 0; i < 4; i++)
            bl.src[i] = clamp_to_format(b, format, o->color[i]);
        for (uint32_t i = 0; i < 4; i++)
            bl.second[i] = clamp_to_format(b, format, o->second[i]);
        for (uint32_t i = 0; i < 4; i++)
            out[i] = blend_channel(&bl, i);
    }
    if (key->dithers)
        dither(b, key, out);
    word = pack_new(b, key, out);
    if (blends_bytes)
        word = blend_bytes(b, key, word, old);
    if (has_logic_op(key))
        word = logic(b, key->logic_op, word, old);
    uint32_t bits = written_bits(key);
    if (bits == UINT32_MAX)
        return word;
    word = ir_build2(b, IR_AND, word, ir_const(b, bits));
    return ir_build2(b, IR_OR, word, ir_build2(b, IR_AND, old, ir_const(b, ~bits)));
}
