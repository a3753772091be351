/* SPDX-License-Identifier: MIT
 *
 * Storage images and storage texel buffers on the CPU engine. Images are in raster order or, with four samples, tile
 * buffer dumps. Texels are packed and unpacked in the format of the view (spv_storage_format.c). Reads outside of the
 * image give zero, and stores there do nothing.
 */
#include <stddef.h>
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv_engine.h"

/* ---------------------------------------------------------------- addresses */

static struct ir_instr *image_word(struct spv *s, const struct spv_pointer *p, uint32_t field_B)
{
    return spv_descriptor_word(s, p->var, p->element, p->element_index, field_B);
}

#define IMAGE_WORD(s, p, field) image_word(s, p, offsetof(struct hw_engine_descriptor, field))

/* The address of a texel, and whether the coordinates are inside of the image. */
struct texel {
    struct ir_instr *inside, *address;
    struct ir_instr *word_stride; /* NULL: the words of the texel are adjacent */
};

/* The offset of texel x in its row. Texels of images that are wider than a word may be in planes of words, so their
 * stride comes from the descriptor. */
static struct ir_instr *row_offset(struct spv *s, const struct spv_pointer *p, const struct spv_type *image,
                                   struct ir_instr *x)
{
    const uint32_t texel_B = spv_texel_format(s, p->var, image).size_B;
    bool is_known = texel_B && (texel_B <= 4 || image->dim == SpvDimBuffer);
    return ir_build2(&s->b, IR_MUL24, x, is_known ? ir_const(&s->b, texel_B) : IMAGE_WORD(s, p, texel_stride_B));
}

static struct ir_instr *bits_at(struct ir_builder *b, struct ir_instr *x, uint32_t from, uint32_t count, uint32_t to)
{
    struct ir_instr *bits = ir_build2(b, IR_SHR, x, ir_const(b, from));
    bits = ir_build2(b, IR_AND, bits, ir_const(b, (uint32_t)(BIT(count) - 1)));
    return ir_build2(b, IR_SHL, bits, ir_const(b, to));
}

/* The offset of a word in a dump: blocks of 32 x 32 pixels, in them 2 x 2 pixels for each sample. [hw/layout.h] */
static struct ir_instr *dump_offset(struct spv *s, const struct spv_pointer *p, struct ir_instr *const *coord,
                                    struct ir_instr *sample)
{
    struct ir_builder *b = &s->b;
    struct ir_instr *x = coord[0], *y = coord[1];
    struct ir_instr *pitch = ir_build2(b, IR_SHL, IMAGE_WORD(s, p, row_stride_B), ir_const(b, 5));
    struct ir_instr *row = ir_build2(b, IR_MUL24, ir_build2(b, IR_SHR, y, ir_const(b, 5)), pitch);
    struct ir_instr *parts[] = {bits_at(b, x, 5, 16, 14), bits_at(b, x, 1, 4, 6), bits_at(b, x, 0, 1, 2),
                                bits_at(b, y, 1, 4, 10),  bits_at(b, y, 0, 1, 3), bits_at(b, sample, 0, 2, 4)};
    for (uint32_t i = 0; i < ARRAY_SIZE(parts); i++)
        row = ir_build2(b, IR_IADD, row, parts[i]);
    return row;
}

/* `sample`: the sample index for multisampled images, else NULL. */
static struct texel texel_at(struct spv *s, const struct spv_pointer *p, const struct spv_type *image,
                             struct ir_instr *const *coord, uint32_t coord_count, struct ir_instr *sample)
{
    struct ir_builder *b = &s->b;
    bool is_flat = image->dim == SpvDim1D || image->dim == SpvDimBuffer;
    uint32_t wanted = (is_flat ? 1u : image->dim == SpvDim2D ? 2u : 3u) + (image->arrayed && image->dim != SpvDimCube);
    if (image->multisampled != (sample != NULL) || (sample && image->dim != SpvDim2D) || coord_count < wanted)
        spv_unsupported(s, "a storage image of dimension %u, arrayed %u, multisampled %u with %u coordinates",
                        image->dim, image->arrayed, image->multisampled, coord_count);
    struct ir_instr *y = is_flat ? NULL : coord[1], *z = wanted > (is_flat ? 1u : 2u) ? coord[wanted - 1] : NULL;
    struct ir_instr *inside = ir_build2(b, IR_ULT, coord[0], IMAGE_WORD(s, p, width));
    if (y)
        inside = ir_build2(b, IR_BAND, inside, ir_build2(b, IR_ULT, y, IMAGE_WORD(s, p, height)));
    if (sample)
        inside = ir_build2(b, IR_BAND, inside, ir_build2(b, IR_ULT, sample, ir_const(b, 4)));
    struct ir_instr *at = sample ? dump_offset(s, p, coord, sample) : row_offset(s, p, image, coord[0]);
    if (y && !sample)
        at = ir_build2(b, IR_IADD, at, ir_build2(b, IR_MUL24, y, IMAGE_WORD(s, p, row_stride_B)));
    if (z) { /* layers may be larger than 2^24 bytes */
        inside = ir_build2(b, IR_BAND, inside, ir_build2(b, IR_ULT, z, IMAGE_WORD(s, p, depth)));
        at = ir_build2(b, IR_IADD, at, ir_build2(b, IR_IMUL, z, IMAGE_WORD(s, p, layer_stride_B)));
    }
    return (struct texel){.inside = inside,
                          .address = ir_build2(b, IR_IADD, IMAGE_WORD(s, p, address), at),
                          .word_stride = image->dim == SpvDimBuffer ? NULL : IMAGE_WORD(s, p, word_stride_B)};
}

/* The address of word `i` of a texel; VC4C_ENGINE_NULL outside of the image or where `exists` is false (NULL: always
 * exists). */
static struct ir_instr *word_address(struct ir_builder *b, const struct texel *t, uint32_t i, struct ir_instr *exists)
{
    struct ir_instr *distance = ir_const(b, 4 * i), *address = t->address, *inside = t->inside;
    if (i && t->word_stride)
        distance = i == 1 ? t->word_stride : ir_build2(b, IR_IMUL, t->word_stride, ir_const(b, i));
    if (i)
        address = ir_build2(b, IR_IADD, address, distance);
    if (exists)
        inside = ir_build2(b, IR_BAND, inside, exists);
    return ir_build3(b, IR_SEL, inside, address, ir_const(b, VC4C_ENGINE_NULL));
}

/* The Sample operand among the image operands, which begin at `at`; NULL if there is none. */
static struct ir_instr *sample_operand(struct spv *s, const struct spv_instr *in, uint32_t at)
{
    const bool has_one = in->count > at + 1 && (in->words[at] & SpvImageOperandsSampleMask);
    if (has_one && (in->words[at] & (SpvImageOperandsSampleMask - 1)))
        spv_unsupported(s, "image operands 0x%x with a storage image", in->words[at]);
    return has_one ? spv_scalar(s, in->words[at + 1]) : NULL;
}

/* ---------------------------------------------------------------- reads and stores */

/* Does a texel of unknown format have a complete word `i`? */
static struct ir_instr *has_word(struct ir_builder *b, struct ir_instr *texel_B, uint32_t i)
{
    return ir_build2(b, IR_ULT, ir_const(b, 4 * i + 3), texel_B);
}

static bool is_int64(const struct spv_type *t)
{
    const struct spv_type *scalar = t->kind == SPV_TYPE_VECTOR ? t->elem : t;
    return scalar->kind == SPV_TYPE_INT && scalar->bits == 64;
}

static void check_texel(struct spv *s, const struct spv_type *image, const struct spv_type *texel)
{
    if (is_int64(texel) != (image->elem->bits == 64))
        spv_invalid(s, "texels and their image differ in width");
}

/* Images of 64-bit integers: does the view have texels of this size? NULL: it is known to have. */
static struct ir_instr *is_wide_view(struct spv *s, const struct spv_pointer *p, const struct spv_type *image)
{
    if (spv_texel_format(s, p->var, image).size_B)
        return NULL;
    return ir_build2(&s->b, IR_IEQ, IMAGE_WORD(s, p, texel_B), ir_const(&s->b, 8));
}

/* The only channel of an image of 64-bit integers is two words. */
static void read_wide(struct spv *s, const struct spv_instr *in, const struct spv_texture *t, const struct texel *texel)
{
    const struct spv_type *type = spv_type(s, in->words[1]);
    struct ir_instr *exists = is_wide_view(s, t->pointer, t->image);
    const bool may_change = spv_image_may_change(s, t->pointer->var);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = i < 2 ? spv_load_word(s, word_address(&s->b, texel, i, exists), may_change) : ir_const(&s->b, i == 6);
    if (type->scalars > 6) { /* the missing channels are 0, 0, 1, but without a view all are 0 */
        struct ir_instr *has_view = ir_build2(&s->b, IR_ULT, ir_const(&s->b, 0), IMAGE_WORD(s, t->pointer, width));
        if (exists)
            has_view = ir_build2(&s->b, IR_BAND, has_view, exists);
        out[6] = ir_build3(&s->b, IR_SEL, has_view, out[6], ir_const(&s->b, 0));
    }
    spv_define(s, in->words[2], type, out);
}

static void write_wide(struct spv *s, const struct spv_texture *t, const struct texel *texel, struct ir_instr **value)
{
    struct ir_instr *exists = is_wide_view(s, t->pointer, t->image);
    for (uint32_t i = 0; i < 2; i++)
        spv_store_word(s, word_address(&s->b, texel, i, exists), value[i]);
}

static void image_read(struct spv *s, const struct spv_instr *in, const struct spv_texture *t)
{
    struct ir_builder *b = &s->b;
    const struct spv_type *type = spv_type(s, in->words[1]);
    const struct spv_texel_format format = spv_texel_format(s, t->pointer->var, t->image);
    const uint32_t known_B = format.size_B;
    bool may_change = spv_image_may_change(s, t->pointer->var);
    struct ir_instr *words[4] = {NULL}, *rgba[4], *format_word = NULL, *texel_B = NULL;
    const struct texel texel = texel_at(s, t->pointer, t->image, spv_value(s, in->words[4]),
                                        spv_type_of(s, in->words[4])->scalars, sample_operand(s, in, 5));
    check_texel(s, t->image, type);
    if (is_int64(type)) {
        read_wide(s, in, t, &texel);
        return;
    }
    if (!known_B) {
        format_word = IMAGE_WORD(s, t->pointer, format);
        texel_B = IMAGE_WORD(s, t->pointer, texel_B);
    }
    if (known_B < 4) /* the texel may begin within a word */
        words[0] = spv_load_part(s, word_address(b, &texel, 0, NULL), may_change);
    for (uint32_t i = known_B < 4; i < (known_B ? known_B / 4 : 4); i++)
        words[i] = spv_load_word(s, word_address(b, &texel, i, known_B ? NULL : has_word(b, texel_B, i)), may_change);
    spv_unpack_texel(s, &format, format_word, words, rgba);
    if (!type->scalars || type->scalars > 4)
        spv_invalid(s, "a texel of %u scalars", type->scalars);
    struct ir_instr **out = spv_new_scalars(s, type->scalars);
    for (uint32_t i = 0; i < type->scalars; i++)
        out[i] = rgba[i];
    spv_define(s, in->words[2], type, out);
}

static void store_texel(struct spv *s, const struct texel *texel, struct ir_instr *const words[4], uint32_t texel_B)
{
    if (texel_B < 4)
        spv_store_part(s, word_address(&s->b, texel, 0, NULL), words[0], texel_B);
    for (uint32_t i = 0; i < texel_B / 4; i++)
        spv_store_word(s, word_address(&s->b, texel, i, NULL), words[i]);
}

/* Emits stores for every possible texel size; `texel_B` selects the one that runs. */
static void store_unknown(struct spv *s, const struct texel *texel, struct ir_instr *const words[4],
                          struct ir_instr *texel_B)
{
    static const uint8_t sizes_B[] = {1, 2, 4, 8, 16};
    for (uint32_t i = 0; i < ARRAY_SIZE(sizes_B); i++) {
        struct ir_if *nif = spv_begin_element(s, texel_B, sizes_B[i]);
        store_texel(s, texel, words, sizes_B[i]);
        spv_end_element(s, nif);
    }
}

static void image_write(struct spv *s, const struct spv_instr *in, const struct spv_texture *t)
{
    const struct spv_texel_format format = spv_texel_format(s, t->pointer->var, t->image);
    const uint32_t known_B = format.size_B, count = spv_type_of(s, in->words[3])->scalars;
    struct ir_instr **value = spv_value(s, in->words[3]), *rgba[4], *words[4];
    const struct texel texel = texel_at(s, t->pointer, t->image, spv_value(s, in->words[2]),
                                        spv_type_of(s, in->words[2])->scalars, sample_operand(s, in, 4));
    check_texel(s, t->image, spv_type_of(s, in->words[3]));
    if (t->image->elem->bits == 64) {
        write_wide(s, t, &texel, value);
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        rgba[i] = i < count ? value[i] : ir_const(&s->b, 0);
    spv_pack_texel(s, &format, known_B ? NULL : IMAGE_WORD(s, t->pointer, format), rgba, words);
    if (known_B)
        store_texel(s, &texel, words, known_B);
    else
        store_unknown(s, &texel, words, IMAGE_WORD(s, t->pointer, texel_B));
}

static void texel_pointer(struct spv *s, const struct spv_instr *in)
{
    const struct spv_pointer *image = spv_pointer(s, in->words[3]);
    const struct spv_type *type = spv_type(s, in->words[1]);
    if (!image->var || image->type->kind != SPV_TYPE_IMAGE || type->kind != SPV_TYPE_POINTER)
        spv_invalid(s, "the operand is not a pointer to an image, or the result is not a pointer");
    struct spv_pointer *p = util_arena_new(s->arena, struct spv_pointer);
    *p = (struct spv_pointer){.type = type->elem, .storage = SpvStorageClassImage, .var = image->var};
    struct ir_instr *sample = image->type->multisampled ? spv_scalar(s, in->words[5]) : NULL;
    const struct texel texel =
        texel_at(s, image, image->type, spv_value(s, in->words[4]), spv_type_of(s, in->words[4])->scalars, sample);
    struct ir_instr *exists = image->type->elem->bits == 64 ? is_wide_view(s, image, image->type) : NULL;
    p->address = word_address(&s->b, &texel, 0, exists);
    if (image->type->elem->bits == 64)
        p->address_high = word_address(&s->b, &texel, 1, exists);
    spv_define_pointer(s, in->words[2], p);
}

static void query_size(struct spv *s, const struct spv_instr *in, const struct spv_texture *t)
{
    struct ir_builder *b = &s->b;
    const struct spv_type *type = spv_type(s, in->words[1]);
    bool is_flat = t->image->dim == SpvDim1D || t->image->dim == SpvDimBuffer;
    uint32_t count = type->scalars, at = 0;
    struct ir_instr **out = spv_new_scalars(s, MAX2(count, 3u)), *layers = IMAGE_WORD(s, t->pointer, depth);
    out[at++] = IMAGE_WORD(s, t->pointer, width);
    if (!is_flat)
        out[at++] = IMAGE_WORD(s, t->pointer, height);
    if (t->image->dim == SpvDimCube)
        layers = ir_build2(b, IR_UDIV, layers, ir_const(b, 6));
    if (t->image->arrayed || t->image->dim == SpvDim3D)
        out[at++] = layers;
    if (at != count)
        spv_invalid(s, "the size of this image has %u components", at);
    spv_define(s, in->words[2], type, out);
}

/* Images have one sample or four, null descriptors none. */
static struct ir_instr *query_samples(struct spv *s, const struct spv_texture *t)
{
    struct ir_builder *b = &s->b;
    if (!(s->entry->robustness & VC4C_ROBUST_NULLS))
        return ir_const(b, 4);
    struct ir_instr *is_bound = ir_build2(b, IR_INE, IMAGE_WORD(s, t->pointer, width), ir_const(b, 0));
    return ir_build3(b, IR_SEL, is_bound, ir_const(b, 4), ir_const(b, 0));
}

/* The storage image that the id refers to, or NULL. Programs with storage images run on the CPU engine. */
static const struct spv_texture *storage_image(struct spv *s, uint32_t id)
{
    if (s->ids[id].kind != SPV_TEXTURE)
        return NULL;
    const struct spv_texture *t = s->ids[id].texture;
    bool is_storage = t->image && t->image->sampled == 2 && t->image->dim != SpvDimSubpassData && t->pointer;
    return is_storage ? t : NULL;
}

bool spv_translate_storage_image(struct spv *s, const struct spv_instr *in)
{
    const struct spv_texture *t;
    switch (in->op) {
    case SpvOpImageRead:
        t = storage_image(s, in->words[3]);
        if (t)
            image_read(s, in, t);
        return t != NULL;
    case SpvOpImageWrite:
        t = storage_image(s, in->words[1]);
        if (!t)
            spv_invalid(s, "the operand is not a storage image");
        image_write(s, in, t);
        return true;
    case SpvOpImageTexelPointer:
        texel_pointer(s, in);
        return true;
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod: /* not valid, but naga 30 has it for textureDimensions(): a view has one level */
        t = storage_image(s, in->words[3]);
        if (t && in->op == SpvOpImageQuerySizeLod && (t->image->multisampled || t->image->dim == SpvDimBuffer))
            spv_invalid(s, "the image has no levels");
        if (t)
            query_size(s, in, t);
        return t != NULL;
    case SpvOpImageQuerySamples:
        t = storage_image(s, in->words[3]);
        if (t && !t->image->multisampled)
            spv_invalid(s, "the image is not multisampled");
        if (t)
            spv_define_scalar(s, in->words[2], spv_type(s, in->words[1]), query_samples(s, t));
        return t != NULL;
    default:
        return false;
    }
}
