/* SPDX-License-Identifier: MIT
 *
 * Texels of storage images to words and back, in the format that the image's type names. Where it names none, the
 * descriptor says which it is, and the program has code for all that there may be.
 */
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv_engine.h"

struct storage_format {
    uint8_t spirv;  /* SpvImageFormat */
    uint8_t format; /* enum hw_format */
};

static const struct storage_format formats[] = {
    {SpvImageFormatRgba32f, HW_FORMAT_R32G32B32A32_FLOAT},
    {SpvImageFormatRgba32i, HW_FORMAT_R32G32B32A32_SINT},
    {SpvImageFormatRgba32ui, HW_FORMAT_R32G32B32A32_UINT},
    {SpvImageFormatRg32f, HW_FORMAT_R32G32_FLOAT},
    {SpvImageFormatRg32i, HW_FORMAT_R32G32_SINT},
    {SpvImageFormatRg32ui, HW_FORMAT_R32G32_UINT},
    {SpvImageFormatR32f, HW_FORMAT_R32_FLOAT},
    {SpvImageFormatR32i, HW_FORMAT_R32_SINT},
    {SpvImageFormatR32ui, HW_FORMAT_R32_UINT},
    {SpvImageFormatRgba16f, HW_FORMAT_R16G16B16A16_FLOAT},
    {SpvImageFormatRgba16i, HW_FORMAT_R16G16B16A16_SINT},
    {SpvImageFormatRgba16ui, HW_FORMAT_R16G16B16A16_UINT},
    {SpvImageFormatRgba16, HW_FORMAT_R16G16B16A16_UNORM},
    {SpvImageFormatRgba16Snorm, HW_FORMAT_R16G16B16A16_SNORM},
    {SpvImageFormatRg16f, HW_FORMAT_R16G16_FLOAT},
    {SpvImageFormatRg16i, HW_FORMAT_R16G16_SINT},
    {SpvImageFormatRg16ui, HW_FORMAT_R16G16_UINT},
    {SpvImageFormatRg16, HW_FORMAT_R16G16_UNORM},
    {SpvImageFormatRg16Snorm, HW_FORMAT_R16G16_SNORM},
    {SpvImageFormatR16f, HW_FORMAT_R16_FLOAT},
    {SpvImageFormatR16i, HW_FORMAT_R16_SINT},
    {SpvImageFormatR16ui, HW_FORMAT_R16_UINT},
    {SpvImageFormatR16, HW_FORMAT_R16_UNORM},
    {SpvImageFormatR16Snorm, HW_FORMAT_R16_SNORM},
    {SpvImageFormatRgba8, HW_FORMAT_R8G8B8A8_UNORM},
    {SpvImageFormatRgba8Snorm, HW_FORMAT_R8G8B8A8_SNORM},
    {SpvImageFormatRgba8i, HW_FORMAT_R8G8B8A8_SINT},
    {SpvImageFormatRgba8ui, HW_FORMAT_R8G8B8A8_UINT},
    {SpvImageFormatRg8, HW_FORMAT_R8G8_UNORM},
    {SpvImageFormatRg8Snorm, HW_FORMAT_R8G8_SNORM},
    {SpvImageFormatRg8i, HW_FORMAT_R8G8_SINT},
    {SpvImageFormatRg8ui, HW_FORMAT_R8G8_UINT},
    {SpvImageFormatR8, HW_FORMAT_R8_UNORM},
    {SpvImageFormatR8Snorm, HW_FORMAT_R8_SNORM},
    {SpvImageFormatR8i, HW_FORMAT_R8_SINT},
    {SpvImageFormatR8ui, HW_FORMAT_R8_UINT},
    {SpvImageFormatRgb10A2, HW_FORMAT_R10G10B10A2_UNORM},
    {SpvImageFormatRgb10a2ui, HW_FORMAT_R10G10B10A2_UINT},
    {SpvImageFormatR11fG11fB10f, HW_FORMAT_R11G11B10_UFLOAT},
};

static const struct storage_format *format_of(struct spv *s, const struct spv_type *image)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (formats[i].spirv == image->format)
            return &formats[i];
    spv_unsupported(s, "a storage image of format %u", image->format);
}

uint32_t spv_texel_size_B(struct spv *s, const struct spv_type *image)
{
    return image->format == SpvImageFormatUnknown ? 0 : hw_format_info(format_of(s, image)->format)->block_B;
}

/* ---------------------------------------------------------------- one format */

static uint32_t word_count(const struct storage_format *f)
{
    return MAX2(hw_format_info(f->format)->block_B / 4, 1u);
}

static void pack(struct spv *s, const struct storage_format *f, struct ir_instr *const rgba[4],
                 struct ir_instr *words[4])
{
    for (uint32_t i = 0; i < word_count(f); i++)
        words[i] = ir_pack_format(&s->b, f->format, i, rgba);
}

/* ---------------------------------------------------------------- any format */

/* Can an image of this type have that format? */
static bool suits(const struct spv_type *image, const struct storage_format *f)
{
    enum hw_kind kind = hw_format_kind(f->format);
    if (image->elem->kind != SPV_TYPE_INT)
        return kind != HW_KIND_SINT && kind != HW_KIND_UINT;
    return kind == (image->elem->is_signed ? HW_KIND_SINT : HW_KIND_UINT);
}

static uint32_t new_words(struct spv *s)
{
    uint32_t variable = spv_new_ir_variable(s, 4, 32);
    for (uint32_t i = 0; i < 4; i++)
        spv_store_var(s, variable, i, ir_const(&s->b, 0));
    return variable;
}

/* Runs the code for the format that it is. */
static void convert_any(struct spv *s, const struct spv_type *image, struct ir_instr *format, bool is_pack,
                        struct ir_instr *const in[4], struct ir_instr *out[4])
{
    uint32_t variable = new_words(s);
    for (uint32_t k = 0; k < ARRAY_SIZE(formats); k++) {
        if (!suits(image, &formats[k]))
            continue;
        struct ir_if *nif = spv_begin_element(s, format, formats[k].format);
        if (is_pack)
            pack(s, &formats[k], in, out);
        else
            ir_unpack_format(&s->b, formats[k].format, in, out);
        for (uint32_t i = 0; i < (is_pack ? word_count(&formats[k]) : 4); i++)
            spv_store_var(s, variable, i, out[i]);
        spv_end_element(s, nif);
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = spv_load_var(s, variable, i);
}

void spv_unpack_texel(struct spv *s, const struct spv_type *image, struct ir_instr *format,
                      struct ir_instr *const words[4], struct ir_instr *rgba[4])
{
    if (image->format == SpvImageFormatUnknown)
        convert_any(s, image, format, false, words, rgba);
    else
        ir_unpack_format(&s->b, format_of(s, image)->format, words, rgba);
}

void spv_pack_texel(struct spv *s, const struct spv_type *image, struct ir_instr *format,
                    struct ir_instr *const rgba[4], struct ir_instr *words[4])
{
    if (image->format == SpvImageFormatUnknown)
        convert_any(s, image, format, true, rgba, words);
    else
        pack(s, format_of(s, image), rgba, words);
}
