/* SPDX-License-Identifier: MIT
 *
 * Clears rectangles of images: converts clear values to texels and fills rows with them.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- values */

static void pack_color(enum hw_format format, const VkClearColorValue *value, uint8_t texel_out[16])
{
    union hw_texel texel;
    memcpy(&texel, value, sizeof texel);
    memset(texel_out, 0, 16);
    hw_format_pack(format, &texel, texel_out);
}

uint32_t vc4vk_clear_color_word(enum hw_format format, uint32_t word, const VkClearColorValue *value)
{
    uint8_t texel[16];
    uint32_t out;
    pack_color(hw_format_in_word(format), value, texel);
    memcpy(&out, texel + 4 * word, sizeof out);
    return out;
}

uint32_t vc4vk_clear_depth_word(float depth)
{
    if (!(depth > 0.0f)) /* NaN too */
        return 0;
    return depth >= 1.0f ? 0xffffffu : (uint32_t)(depth * 16777216.0f);
}

/* ---------------------------------------------------------------- the operation */

/* Clears a depth or stencil aspect: bits of Z24S8 words, or texels of a plane of its own. */
static bool clear_aspect(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect,
                         const VkClearDepthStencilValue *value)
{
    enum hw_format storage = vc4vk_image_plane(place->image, place->aspect)->format;
    bool stencil = place->aspect == VK_IMAGE_ASPECT_STENCIL_BIT;
    if (storage == HW_FORMAT_Z24S8)
        return vc4vk_image_fill_words(place, rect, stencil ? value->stencil : vc4vk_clear_depth_word(value->depth) << 8,
                                      stencil ? 0xffu : 0xffffff00u);
    uint8_t texel[16] = {(uint8_t)value->stencil};
    union hw_texel depth = {.f = {CLAMP(value->depth, 0.0f, 1.0f)}};
    if (!stencil)
        hw_format_pack(storage, &depth, texel);
    return vc4vk_image_fill(place, rect, texel);
}

struct clear_layer {
    const struct vc4vk_clear_image *clear;
    struct vc4vk_image_place place; /* `aspect` is COLOR, also when depth and stencil are cleared */
};

static bool clear_color_rows(const struct clear_layer *layer, const struct hw_copy_rect *rect)
{
    uint8_t texel[16];
    pack_color(layer->clear->format, &layer->clear->value.color, texel);
    return vc4vk_image_fill(&layer->place, rect, texel);
}

/* Clears both aspects at once where memory holds them in one word. */
static bool clear_depth_rows(const struct clear_layer *layer, const struct hw_copy_rect *rect)
{
    const VkClearDepthStencilValue *value = &layer->clear->value.depthStencil;
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT,
                             aspects = layer->clear->aspects & both;
    struct vc4vk_image_place place = layer->place;
    if (aspects == both && vc4vk_image_plane(place.image, both)->format == HW_FORMAT_Z24S8) {
        const uint32_t word = vc4vk_clear_depth_word(value->depth) << 8 | (value->stencil & 0xff);
        return vc4vk_image_fill(&place, rect, &word);
    }
    bool done = true;
    for (place.aspect = VK_IMAGE_ASPECT_DEPTH_BIT; place.aspect <= VK_IMAGE_ASPECT_STENCIL_BIT; place.aspect <<= 1)
        if (aspects & place.aspect)
            done &= clear_aspect(&place, rect, value);
    return done;
}

static bool clear_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct clear_layer *layer = data;
    const VkRect2D *r = &layer->clear->rect;
    const struct hw_copy_rect rect = {(uint32_t)r->offset.x, begin, r->extent.width, end - begin};
    return layer->clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT ? clear_color_rows(layer, &rect)
                                                             : clear_depth_rows(layer, &rect);
}

VkResult vc4vk_run_clear_image(void *arguments)
{
    const struct vc4vk_clear_image *c = arguments;
    const uint32_t samples = c->image->samples, first = (uint32_t)c->rect.offset.y;
    bool done = true;
    if (!vc4vk_condition_holds(c->condition))
        return VK_SUCCESS;
    for (uint32_t i = 0; i < c->layers * samples; i++) {
        const struct clear_layer layer = {c, {c->image, VK_IMAGE_ASPECT_COLOR_BIT, c->level,
                                              c->first_layer + i / samples, i % samples}};
        const uint64_t row_B = (uint64_t)c->image->planes[0].layout.cpp * c->image->plane_count * c->rect.extent.width;
        done &= vc4vk_run_bands(c->parallel, first, first + c->rect.extent.height, row_B, clear_rows, &layer);
    }
    return done ? VK_SUCCESS : vc4vk_errorf(c->image, VK_ERROR_MEMORY_MAP_FAILED, "clear: image memory is not mapped");
}
