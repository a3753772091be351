/* SPDX-License-Identifier: MIT
 *
 * Computes the address of a texel that is read word by word: the layouts of hw/layout.h as code. [hardware.md 4.2, 4.5]
 *
 * An offset is the sum of a part that depends on x and a part that depends on y, slice and level, so that CSE can merge
 * the common parts of the texels of one filter. The lookup itself clamps offsets past either end.
 */
#include "compiler/lower/lower_tex.h"

/* A 64-byte microtile. log2_cpp: bytes per texel; log2_w, log2_h: its size in texels. */
struct utile {
    uint32_t log2_cpp, log2_w, log2_h, row_B;
};

static struct utile utile_of(const struct ir_tex_lookup *l)
{
    static const struct utile utiles[3] = {{0, 3, 3, 8}, {1, 3, 2, 16}, {2, 2, 2, 16}};
    uint32_t texel_B = hw_format_info(l->class->format)->block_B;
    return utiles[texel_B == 1 ? 0 : texel_B == 2 ? 1 : 2]; /* larger texels are stored as planes of words */
}

/* ---------------------------------------------------------------- short forms */

static struct ir_instr *shl(struct ir_builder *b, struct ir_instr *x, uint32_t by)
{
    return by ? ir_build2(b, IR_SHL, x, ir_const(b, by)) : x;
}

static struct ir_instr *shr(struct ir_builder *b, struct ir_instr *x, uint32_t by)
{
    return by ? ir_build2(b, IR_SHR, x, ir_const(b, by)) : x;
}

static struct ir_instr *low_bits(struct ir_builder *b, struct ir_instr *x, uint32_t mask)
{
    return ir_build2(b, IR_AND, x, ir_const(b, mask));
}

static struct ir_instr *add(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return x && y ? ir_build2(b, IR_IADD, x, y) : x ? x : y;
}

static struct ir_instr *mul(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, IR_MUL24, x, y);
}

/* ---------------------------------------------------------------- words that differ between levels */

struct level_words {
    struct ir_instr *pitch, *offset;
};

static struct level_words level_uniforms(struct ir_tex_lookup *l, uint32_t level)
{
    return (struct level_words){ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_PITCH, level),
                                ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_LEVEL, level)};
}

/* Pitch and offset of the texel's level, selected among the levels of the class. The two select chains are interleaved,
 * so that no comparison result has to stay live for the second one. */
static struct level_words level_words(struct ir_tex_lookup *l, struct ir_instr *level)
{
    struct ir_builder *b = l->b;
    if (l->class->levels <= 1)
        return (struct level_words){.pitch = ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_PITCH, 0)};
    if (!level || ir_is_const(level))
        return level_uniforms(l, level ? MIN2(level->imm, l->class->levels - 1u) : 0);
    struct level_words out = level_uniforms(l, l->class->levels - 1u);
    for (uint32_t i = l->class->levels - 1u; i-- > 0;) {
        struct ir_instr *here = ir_build2(b, IR_IEQ, level, ir_const(b, i));
        struct level_words words = level_uniforms(l, i);
        out.pitch = ir_sel(b, here, words.pitch, out.pitch);
        out.offset = ir_sel(b, here, words.offset, out.offset);
    }
    return out;
}

/* ---------------------------------------------------------------- layouts: the x part and the y part */

struct parts {
    struct ir_instr *x, *y;
};

static struct parts raster_parts(struct ir_tex_lookup *l, const struct ir_tex_texel *t, struct ir_instr *pitch,
                                 uint32_t log2_cpp)
{
    return (struct parts){shl(l->b, t->x, log2_cpp), t->y ? mul(l->b, t->y, pitch) : NULL};
}

/* Microtiles in raster order. With r = x mod w, x * 64 / w - r * (64 / w - cpp) selects the tile and the texel in its
 * row. */
static struct parts lt_parts(struct ir_tex_lookup *l, const struct ir_tex_texel *t, struct ir_instr *pitch)
{
    struct ir_builder *b = l->b;
    struct utile u = utile_of(l);
    uint32_t column_B = 64u >> u.log2_w;
    struct ir_instr *back = mul(b, low_bits(b, t->x, (1u << u.log2_w) - 1), ir_const(b, column_B - (1u << u.log2_cpp)));
    struct parts out = {.x = ir_build2(b, IR_ISUB, shl(b, t->x, util_log2(column_B)), back)};
    if (t->y)
        out.y = add(b, mul(b, shr(b, t->y, u.log2_h), pitch),
                    mul(b, low_bits(b, t->y, (1u << u.log2_h) - 1), ir_const(b, u.row_B)));
    return out;
}

/* Four samples per pixel: blocks of 32 x 32 pixels, each 2 x 2 pixels in 64 bytes. */
static struct parts ms_parts(struct ir_tex_lookup *l, const struct ir_tex_texel *t, struct ir_instr *pitch)
{
    struct ir_builder *b = l->b;
    struct ir_instr *x = add(b, shl(b, shr(b, t->x, 5), 14), shl(b, low_bits(b, shr(b, t->x, 1), 15), 6));
    struct ir_instr *y = add(b, mul(b, shr(b, t->y, 5), pitch), shl(b, low_bits(b, shr(b, t->y, 1), 15), 10));
    y = add(b, y, shl(b, low_bits(b, t->y, 1), 3));
    return (struct parts){add(b, x, shl(b, low_bits(b, t->x, 1), 2)),
                          add(b, y, t->sample ? shl(b, t->sample, 4) : NULL)};
}

/*
 * T: 4 KiB tiles of 2 x 2 sub-tiles of 4 x 4 microtiles; odd rows of tiles run backwards. With U and V the column and
 * row of the sub-tile, column U of an even row lies U * 2048 bytes from its start, column U of an odd row as far from
 * its end, and bit 10 is U xor V. So bits 10:0 are the bits from x xor the bits from y, and the rest is U * 2048,
 * inverted for odd rows, plus the offset of the row.
 */
static struct ir_instr *t_offset(struct ir_tex_lookup *l, const struct ir_tex_texel *t, struct ir_instr *pitch)
{
    struct ir_builder *b = l->b;
    struct utile u = utile_of(l);
    struct ir_instr *y = t->y ? t->y : ir_const(b, 0);
    struct ir_instr *column = shr(b, t->x, u.log2_w + 2), *row = shr(b, y, u.log2_h + 2);
    struct ir_instr *low_x = ir_build2(b, IR_OR, shl(b, low_bits(b, t->x, (1u << u.log2_w) - 1), u.log2_cpp),
                                       shl(b, low_bits(b, shr(b, t->x, u.log2_w), 3), 6));
    low_x = ir_build2(b, IR_OR, low_x, shl(b, low_bits(b, column, 1), 10));
    /* bits of y: rows of a microtile, then the microtile and sub-tile fields, which are adjacent */
    struct ir_instr *low_y = ir_build2(b, IR_OR, mul(b, low_bits(b, y, (1u << u.log2_h) - 1), ir_const(b, u.row_B)),
                                       shl(b, low_bits(b, shr(b, y, u.log2_h), 7), 8));
    struct ir_instr *odd = ir_build2(b, IR_ASR, shl(b, row, 30), ir_const(b, 31)); /* all ones or 0 */
    struct ir_instr *row_end = ir_build2(b, IR_AND, odd, ir_build2(b, IR_ISUB, pitch, ir_const(b, 2047)));
    struct ir_instr *row_B = add(b, mul(b, shr(b, row, 1), pitch), row_end);
    struct ir_instr *tiles_B = ir_build2(b, IR_XOR, shl(b, column, 11), odd);
    return add(b, add(b, ir_build2(b, IR_XOR, low_x, low_y), tiles_B), row_B);
}

/* ---------------------------------------------------------------- images */

static struct ir_instr *add_slice(struct ir_tex_lookup *l, const struct ir_tex_texel *t, struct ir_instr *base)
{
    struct ir_builder *b = l->b;
    if (!t->slice)
        return base;
    return add(b, base, shl(b, mul(b, t->slice, ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_LAYER, 0)), 12));
}

struct ir_instr *ir_direct_offset(struct ir_tex_lookup *l, const struct ir_tex_texel *t)
{
    struct ir_builder *b = l->b;
    struct level_words words = level_words(l, t->level);
    struct ir_instr *pitch = words.pitch, *base = add_slice(l, t, words.offset);
    struct parts p;
    switch ((enum hw_direct_layout)l->class->layout) {
    case HW_DIRECT_RASTER:
        p = raster_parts(l, t, pitch, utile_of(l).log2_cpp);
        break;
    case HW_DIRECT_RASTER_INTERLEAVED:
        p = raster_parts(l, t, pitch, util_log2(hw_format_info(l->class->format)->block_B));
        break;
    case HW_DIRECT_MS:
        p = ms_parts(l, t, pitch);
        break;
    case HW_DIRECT_T: {
        struct ir_instr *t_layout = t_offset(l, t, pitch);
        if (l->class->levels <= 1)
            return add(b, t_layout, base);
        p = lt_parts(l, t, pitch);
        struct ir_instr *level = t->level ? t->level : ir_const(b, 0);
        struct ir_instr *is_t = ir_build2(b, IR_ILT, level, ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_T_LEVELS, 0));
        return add(b, ir_sel(b, is_t, t_layout, add(b, p.x, p.y)), base);
    }
    default:
        p = lt_parts(l, t, pitch);
        break;
    }
    return add(b, p.x, add(b, p.y, base));
}

/* ---------------------------------------------------------------- buffers */

struct ir_instr *ir_direct_buffer_offset(struct ir_tex_lookup *l, struct ir_instr *index)
{
    const uint32_t texel_B = hw_format_info(l->class->format)->block_B;
    if (texel_B == 12)
        return add(l->b, shl(l->b, index, 3), shl(l->b, index, 2));
    return shl(l->b, index, util_log2(texel_B));
}

/* ---------------------------------------------------------------- words */

static struct ir_instr *load(struct ir_tex_lookup *l, struct ir_instr *offset)
{
    struct ir_instr *word = ir_build1(l->b, IR_DIRECT_TEX, offset);
    word->imm = l->texture;
    return word;
}

/* Bytes from the first word of a texel to word `i`. */
static struct ir_instr *word_distance(struct ir_tex_lookup *l, uint32_t i)
{
    struct ir_builder *b = l->b;
    if (l->sample->dim == IR_DIM_BUFFER || l->class->layout == HW_DIRECT_RASTER_INTERLEAVED)
        return ir_const(b, 4 * i);
    struct ir_instr *plane = ir_tex_uniform(l, VC4C_UNIFORM_DIRECT_WORD, 0);
    return i == 1 ? plane : i == 2 ? shl(b, plane, 1) : add(b, shl(b, plane, 1), plane);
}

void ir_direct_words(struct ir_tex_lookup *l, struct ir_instr *offset, struct ir_instr *words[4])
{
    struct ir_builder *b = l->b;
    uint32_t texel_B = hw_format_info(l->class->format)->block_B, needed = ir_tex_needed_words(l);
    for (uint32_t i = 0; i < 4; i++)
        if (needed & BIT(i))
            words[i] = load(l, i ? add(b, offset, word_distance(l, i)) : offset);
    if (texel_B < 4) /* a shift uses the low five bits of its count: the position within the word */
        words[0] = ir_build2(b, IR_SHR, words[0], shl(b, offset, 3));
}
