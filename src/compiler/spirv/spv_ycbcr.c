/* SPDX-License-Identifier: MIT
 *
 * Y'CbCr conversion of texels read from multi-planar images: swizzle, range expansion and model conversion, in the
 * order that Vulkan prescribes ("Sampler Y'CbCr Conversion").
 */
#include "compiler/spirv/spv.h"
#include "hw/format.h"

const struct vc4c_conversion *spv_ycbcr_conversion(const struct spv *s, const struct spv_texture *t)
{
    for (uint32_t i = 0; t->has_sampler && i < s->entry->conversion_count; i++) {
        const struct vc4c_conversion *c = &s->entry->conversions[i];
        if (c->set == t->sampler_set && c->binding == t->sampler_binding && c->index == t->sampler_index)
            return c;
    }
    return NULL;
}

static struct ir_instr *scaled(struct ir_builder *b, struct ir_instr *x, float factor, float bias)
{
    return ir_build2(b, IR_FADD, ir_build2(b, IR_FMUL, x, ir_const_f(b, factor)), ir_const_f(b, bias));
}

static void swizzle(struct ir_builder *b, const uint8_t map[4], struct ir_instr *rgba[4])
{
    struct ir_instr *const from[4] = {rgba[0], rgba[1], rgba[2], rgba[3]};
    for (uint32_t i = 0; i < 4; i++)
        rgba[i] = map[i] <= HW_SWIZZLE_W ? from[map[i] - HW_SWIZZLE_X] : ir_const_f(b, map[i] == HW_SWIZZLE_1);
}

/* Range expansion: from [0, 1], where 1 is the largest number of `bits` bits, to [0, 1] of luma and [-0.5, 0.5] of
 * chroma. */
static void expand_range(struct ir_builder *b, const struct vc4c_conversion *c, struct ir_instr *rgba[4])
{
    const float largest = (float)(BIT(c->bits) - 1), steps = (float)BIT(c->bits - 8);
    const float middle = 128 * steps;
    if (c->narrow) {
        rgba[1] = scaled(b, rgba[1], largest / (219 * steps), -16.0f / 219);
        rgba[0] = scaled(b, rgba[0], largest / (224 * steps), -128.0f / 224);
        rgba[2] = scaled(b, rgba[2], largest / (224 * steps), -128.0f / 224);
    } else {
        rgba[0] = ir_build2(b, IR_FADD, rgba[0], ir_const_f(b, -middle / largest));
        rgba[2] = ir_build2(b, IR_FADD, rgba[2], ir_const_f(b, -middle / largest));
    }
}

/* Model conversion from the weights of red and blue in luma, which determine all coefficients. */
static void to_rgb(struct ir_builder *b, float red, float blue, struct ir_instr *rgba[4])
{
    const float green = 1 - red - blue;
    struct ir_instr *y = rgba[1], *cr = rgba[0], *cb = rgba[2];
    struct ir_instr *less = ir_build2(b, IR_FADD, ir_build2(b, IR_FMUL, cr, ir_const_f(b, 2 * (1 - red) * red / green)),
                                      ir_build2(b, IR_FMUL, cb, ir_const_f(b, 2 * (1 - blue) * blue / green)));
    rgba[0] = ir_build2(b, IR_FADD, y, ir_build2(b, IR_FMUL, cr, ir_const_f(b, 2 * (1 - red))));
    rgba[1] = ir_build2(b, IR_FSUB, y, less);
    rgba[2] = ir_build2(b, IR_FADD, y, ir_build2(b, IR_FMUL, cb, ir_const_f(b, 2 * (1 - blue))));
}

void spv_convert_ycbcr(struct ir_builder *b, const struct vc4c_conversion *conversion, struct ir_instr *rgba[4])
{
    swizzle(b, conversion->swizzle, rgba);
    if (conversion->model != VC4C_MODEL_RGB)
        expand_range(b, conversion, rgba);
    switch ((enum vc4c_color_model)conversion->model) {
    case VC4C_MODEL_RGB:
    case VC4C_MODEL_YCBCR:
        break;
    case VC4C_MODEL_BT709:
        to_rgb(b, 0.2126f, 0.0722f, rgba);
        break;
    case VC4C_MODEL_BT601:
        to_rgb(b, 0.299f, 0.114f, rgba);
        break;
    case VC4C_MODEL_BT2020:
        to_rgb(b, 0.2627f, 0.0593f, rgba);
        break;
    }
}
