/* SPDX-License-Identifier: MIT
 *
 * Packs and unpacks texels of storage images in the format of the bound view. That is the format that the image's type
 * declares, unless the entry states another one. If it is unknown when the program is compiled, the program contains
 * code for all formats that are possible, and the descriptor selects one at run time.
 */
#include "compiler/lower/lower.h"
#include "compiler/spirv/spv_engine.h"

struct storage_format {
    uint8_t spirv;  /* SpvImageFormat; Unknown: the format has no name in SPIR-V */
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
    {SpvImageFormatUnknown, HW_FORMAT_B8G8R8A8_UNORM},
    {SpvImageFormatUnknown, HW_FORMAT_B8G8R8A8_SNORM},
    {SpvImageFormatUnknown, HW_FORMAT_B8G8R8A8_UINT},
    {SpvImageFormatUnknown, HW_FORMAT_B8G8R8A8_SINT},
};

enum hw_format spv_declared_format(struct spv *s, const struct spv_type *image)
{
    if (image->elem->bits == 64)
        return image->elem->is_signed ? HW_FORMAT_R32G32_SINT : HW_FORMAT_R32G32_UINT;
    if (image->format == SpvImageFormatUnknown)
        return HW_FORMAT_NONE;
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (formats[i].spirv == image->format)
            return (enum hw_format)formats[i].format;
    spv_unsupported(s, "a storage image of format %u", image->format);
}

static bool is_known(enum hw_format format)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (formats[i].format == format)
            return true;
    return false;
}

/* Can an image of this type have this format? */
static bool suits(const struct spv_type *image, enum hw_format format)
{
    enum hw_kind kind = hw_format_kind(format);
    if (image->elem->kind != SPV_TYPE_INT)
        return kind != HW_KIND_SINT && kind != HW_KIND_UINT;
    return kind == (image->elem->is_signed ? HW_KIND_SINT : HW_KIND_UINT);
}

/* The format that the entry states for the binding; HW_FORMAT_NONE: only the descriptor knows it; HW_FORMAT_COUNT: none
 * is stated. */
static enum hw_format given_format(const struct spv *s, const struct spv_var *var)
{
    for (uint32_t i = 0; i < s->entry->stored_format_count; i++) {
        const struct vc4c_stored_format *f = &s->entry->stored_formats[i];
        if (f->set == var->decor->set && f->binding == var->decor->binding)
            return f->format == VC4C_FORMAT_ANY ? HW_FORMAT_NONE : (enum hw_format)f->format;
    }
    return HW_FORMAT_COUNT;
}

/* The format to use for a binding. A stated format whose numeric kind or width differs from the shader's is not valid
 * in Vulkan. If it has the size of the declared format, that one is used; otherwise the format counts as unknown, and
 * no code matches it at run time. */
struct spv_texel_format spv_texel_format(struct spv *s, const struct spv_var *var, const struct spv_type *image)
{
    enum hw_format format = spv_declared_format(s, image);
    const enum hw_format given = given_format(s, var);
    const bool is_given = given == HW_FORMAT_NONE || (given < HW_FORMAT_COUNT && is_known(given));
    if (is_given && (given == HW_FORMAT_NONE || (suits(image, given) && image->elem->bits == 32)))
        format = given;
    else if (is_given && hw_format_info(format)->block_B != hw_format_info(given)->block_B)
        format = HW_FORMAT_NONE;
    const uint32_t size_B = format == HW_FORMAT_NONE ? 0 : hw_format_info(format)->block_B;
    return (struct spv_texel_format){image, format, size_B};
}

/* ---------------------------------------------------------------- one format */

static uint32_t word_count(enum hw_format format)
{
    return MAX2(hw_format_info(format)->block_B / 4, 1u);
}

static void pack(struct spv *s, enum hw_format format, struct ir_instr *const rgba[4], struct ir_instr *words[4])
{
    for (uint32_t i = 0; i < word_count(format); i++)
        words[i] = ir_pack_format(&s->b, format, i, rgba);
}

/* ---------------------------------------------------------------- any format */

static uint32_t new_words(struct spv *s)
{
    uint32_t variable = spv_new_ir_variable(s, 4, 32);
    for (uint32_t i = 0; i < 4; i++)
        spv_store_var(s, variable, i, ir_const(&s->b, 0));
    return variable;
}

/* Emits code for every format that suits the image; the format `word` selects the one that runs. */
static void convert_any(struct spv *s, const struct spv_type *image, struct ir_instr *word, bool is_pack,
                        struct ir_instr *const in[4], struct ir_instr *out[4])
{
    uint32_t variable = new_words(s);
    for (uint32_t k = 0; k < ARRAY_SIZE(formats); k++) {
        const enum hw_format format = (enum hw_format)formats[k].format;
        if (!suits(image, format))
            continue;
        struct ir_if *nif = spv_begin_element(s, word, format);
        if (is_pack)
            pack(s, format, in, out);
        else
            ir_unpack_format(&s->b, format, in, out);
        for (uint32_t i = 0; i < (is_pack ? word_count(format) : 4); i++)
            spv_store_var(s, variable, i, out[i]);
        spv_end_element(s, nif);
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = spv_load_var(s, variable, i);
}

void spv_unpack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                      struct ir_instr *const words[4], struct ir_instr *rgba[4])
{
    if (f->format == HW_FORMAT_NONE)
        convert_any(s, f->image, word, false, words, rgba);
    else
        ir_unpack_format(&s->b, f->format, words, rgba);
}

void spv_pack_texel(struct spv *s, const struct spv_texel_format *f, struct ir_instr *word,
                    struct ir_instr *const rgba[4], struct ir_instr *words[4])
{
    if (f->format == HW_FORMAT_NONE)
        convert_any(s, f->image, word, true, rgba, words);
    else
        pack(s, f->format, rgba, words);
}
