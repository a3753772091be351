/* SPDX-License-Identifier: MIT
 *
 * Copies between images, and between images and buffers. Texels that both sides store alike are copied as they are;
 * others are converted to the layout that Vulkan defines for buffers and back.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "transfer/vc4vk_bands.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_transfer.h"

/* ---------------------------------------------------------------- geometry */

static struct hw_copy_rect elements(const struct vc4vk_image_place *place, VkOffset3D offset, VkExtent3D extent)
{
    uint32_t w, h;
    vc4vk_image_io_block_px(place, &w, &h);
    return (struct hw_copy_rect){(uint32_t)offset.x / w, (uint32_t)offset.y / h, util_div_round_up(extent.width, w),
                                 util_div_round_up(extent.height, h)};
}

/* Clips the rectangle to the level, so that invalid usage cannot access memory outside of it. False: nothing is
 * left. */
static bool clip(const struct vc4vk_image_place *place, struct hw_copy_rect *rect)
{
    const struct hw_level *level = vc4vk_image_io_level(place);
    if (rect->x_el >= level->width_el || rect->y_el >= level->height_el)
        return false;
    rect->width_el = MIN2(rect->width_el, level->width_el - rect->x_el);
    rect->height_el = MIN2(rect->height_el, level->height_el - rect->y_el);
    return rect->width_el && rect->height_el;
}

static VkResult not_mapped(const void *object)
{
    return vc4vk_errorf(object, VK_ERROR_MEMORY_MAP_FAILED, "copy: memory is not mapped");
}

/* ---------------------------------------------------------------- buffers and images */

/* The rows of one layer, in linear memory and in the image. */
struct linear_rows {
    struct vc4vk_image_place place;
    struct hw_copy_rect rect;
    uint8_t *rows; /* the first row of `rect` */
    uint32_t stride_B;
    bool to_image;
};

static bool copy_linear_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct linear_rows *l = data;
    const struct hw_copy_rect rect = {l->rect.x_el, begin, l->rect.width_el, end - begin};
    uint8_t *rows = l->rows + (size_t)(begin - l->rect.y_el) * l->stride_B;
    return l->to_image ? vc4vk_image_write(&l->place, &rect, rows, l->stride_B)
                       : vc4vk_image_read(&l->place, &rect, rows, l->stride_B);
}

bool vc4vk_copy_memory_image(const struct vc4vk_memory_image *c, const VkBufferImageCopy *r)
{
    uint32_t first, layers, block_w, block_h;
    VkImageAspectFlags aspect = r->imageSubresource.aspectMask;
    const struct vc4vk_image *image = vc4vk_image_of_aspect(c->image, &aspect);
    vc4vk_region_layers(image, &r->imageSubresource, r->imageOffset.z, r->imageExtent.depth, &first, &layers);
    struct vc4vk_image_place place = {image, aspect, r->imageSubresource.mipLevel, first, 0};
    struct hw_copy_rect rect = elements(&place, r->imageOffset, r->imageExtent);
    vc4vk_image_io_block_px(&place, &block_w, &block_h);
    const uint32_t element_B = vc4vk_image_io_element_B(&place);
    const uint32_t row_el = r->bufferRowLength ? util_div_round_up(r->bufferRowLength, block_w) : rect.width_el;
    const uint32_t rows = r->bufferImageHeight ? util_div_round_up(r->bufferImageHeight, block_h) : rect.height_el;
    const uint64_t stride_B = (uint64_t)row_el * element_B, layer_B = stride_B * rows;
    if (!clip(&place, &rect))
        return true;
    const uint64_t needed_B = stride_B * (rect.height_el - 1) + (uint64_t)rect.width_el * element_B;
    bool done = true;
    for (uint32_t i = 0; i < layers && done; i++) {
        uint64_t at_B = r->bufferOffset + i * layer_B;
        if (at_B > c->memory_B || needed_B > c->memory_B - at_B || stride_B > UINT32_MAX)
            break; /* beyond the end of the buffer: undefined by the specification, so not copied */
        place.layer = first + i;
        const struct linear_rows rows_of_layer = {place, rect, c->memory + at_B, (uint32_t)stride_B, c->to_image};
        done = vc4vk_run_bands(c->parallel, rect.y_el, rect.y_el + rect.height_el, 2 * stride_B, copy_linear_rows,
                               &rows_of_layer);
    }
    return done;
}

VkResult vc4vk_run_copy_buffer_image(void *arguments)
{
    const struct vc4vk_copy_buffer_image *c = arguments;
    uint8_t *map = c->buffer->bo ? kmd_bo_map(c->buffer->bo) : NULL;
    if (!map)
        return not_mapped(c->image);
    const struct vc4vk_memory_image rows = {c->parallel, map + c->buffer->offset_B, c->buffer->size_B, c->image,
                                            c->to_image};
    for (uint32_t i = 0; i < c->count; i++)
        if (!vc4vk_copy_memory_image(&rows, &c->regions[i]))
            return not_mapped(c->image);
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- images and images */

#define STRIP_ROWS 8u /* copied at a time: whole rows of microtiles */
#define STRIP_B    16384u

/* A copy of one aspect of one layer. */
struct copied_layer {
    struct vc4vk_image_place from, to;
    struct hw_copy_rect from_rect, to_rect; /* of one size */
    VkImageAspectFlags aspects;             /* of the whole copy, which does one after the other */
};

/* Copies rows of the target. Each piece is read completely before it is written, so copies within one image are safe as
 * long as the regions do not overlap, which the specification requires. */
static bool copy_rows(const void *data, uint32_t begin, uint32_t end)
{
    const struct copied_layer *l = data;
    const struct hw_copy_rect to_rows = {l->to_rect.x_el, begin, l->to_rect.width_el, end - begin};
    const struct hw_copy_rect from_rows = {l->from_rect.x_el, l->from_rect.y_el + (begin - l->to_rect.y_el),
                                           l->to_rect.width_el, end - begin};
    bool fits;
    if (!vc4vk_image_copy(&l->from, &from_rows, &l->to, &to_rows, l->aspects, &fits))
        return false;
    if (fits)
        return true;
    const uint32_t element_B = vc4vk_image_io_element_B(&l->from);
    const uint32_t piece_el = STRIP_B / STRIP_ROWS / element_B; /* a multiple of 64 */
    const uint32_t right = l->to_rect.x_el + l->to_rect.width_el;
    uint8_t piece[STRIP_B];
    for (uint32_t y = begin, rows; y < end; y += rows) {
        rows = MIN2(end - y, STRIP_ROWS - y % STRIP_ROWS);
        for (uint32_t x = l->to_rect.x_el, count; x < right; x += count) {
            count = MIN2(right - x, piece_el - x % piece_el);
            const struct hw_copy_rect to = {x, y, count, rows};
            const struct hw_copy_rect from = {l->from_rect.x_el + (x - l->to_rect.x_el),
                                              l->from_rect.y_el + (y - l->to_rect.y_el), count, rows};
            if (!vc4vk_image_read(&l->from, &from, piece, count * element_B) ||
                !vc4vk_image_write(&l->to, &to, piece, count * element_B))
                return false;
        }
    }
    return true;
}

static bool copy_layer(const struct vc4vk_copy_image *c, struct copied_layer l)
{
    if (!clip(&l.from, &l.from_rect) || !clip(&l.to, &l.to_rect))
        return true;
    l.from_rect.width_el = l.to_rect.width_el = MIN2(l.from_rect.width_el, l.to_rect.width_el);
    l.from_rect.height_el = l.to_rect.height_el = MIN2(l.from_rect.height_el, l.to_rect.height_el);
    const uint64_t row_B = UINT64_C(2) * l.to_rect.width_el * vc4vk_image_io_element_B(&l.to);
    return vc4vk_run_bands(c->parallel, l.to_rect.y_el, l.to_rect.y_el + l.to_rect.height_el, row_B, copy_rows, &l);
}

/* The aspect of the target that one aspect of the source is copied to; 0: none. VK_KHR_maintenance8 allows copies
 * between colours and one aspect of depth and stencil. */
static VkImageAspectFlags target_aspect(VkImageAspectFlags aspect, VkImageAspectFlags to_aspects)
{
    if (to_aspects & aspect)
        return aspect;
    const bool one_is_color = (aspect | to_aspects) & VK_IMAGE_ASPECT_COLOR_BIT;
    return one_is_color && util_is_pow2(to_aspects) ? to_aspects : 0;
}

static bool copy_image_region(const struct vc4vk_copy_image *c, const VkImageCopy *r)
{
    uint32_t from_first, to_first, from_count, to_count;
    /* A plane may be copied to a plane or to an image without planes, so the two aspects may differ. */
    VkImageAspectFlags from_aspects = r->srcSubresource.aspectMask, to_aspects = r->dstSubresource.aspectMask;
    const struct vc4vk_image *from_image = vc4vk_image_of_aspect(c->from, &from_aspects);
    const struct vc4vk_image *to_image = vc4vk_image_of_aspect(c->to, &to_aspects);
    vc4vk_region_layers(from_image, &r->srcSubresource, r->srcOffset.z, r->extent.depth, &from_first, &from_count);
    vc4vk_region_layers(to_image, &r->dstSubresource, r->dstOffset.z, r->extent.depth, &to_first, &to_count);
    const uint32_t samples = MIN2(from_image->samples, to_image->samples);
    bool done = true;
    for (VkImageAspectFlags a = VK_IMAGE_ASPECT_COLOR_BIT; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1) {
        const VkImageAspectFlags to_aspect = target_aspect(a, to_aspects);
        if (!(from_aspects & a) || !to_aspect)
            continue;
        for (uint32_t i = 0; i < MIN2(from_count, to_count) * samples && done; i++) {
            const uint32_t layer = i / samples, sample = i % samples;
            struct vc4vk_image_place from = {from_image, a, r->srcSubresource.mipLevel, from_first + layer, sample};
            struct vc4vk_image_place to = {to_image, to_aspect, r->dstSubresource.mipLevel, to_first + layer, sample};
            if (vc4vk_image_io_element_B(&from) != vc4vk_image_io_element_B(&to))
                continue; /* invalid usage: incompatible formats */
            struct hw_copy_rect from_rect = elements(&from, r->srcOffset, r->extent);
            uint32_t w, h;
            vc4vk_image_io_block_px(&to, &w, &h);
            struct hw_copy_rect to_rect = {(uint32_t)r->dstOffset.x / w, (uint32_t)r->dstOffset.y / h,
                                           from_rect.width_el, from_rect.height_el};
            done = copy_layer(c, (struct copied_layer){from, to, from_rect, to_rect, r->srcSubresource.aspectMask});
        }
    }
    return done;
}

VkResult vc4vk_run_copy_image(void *arguments)
{
    const struct vc4vk_copy_image *c = arguments;
    for (uint32_t i = 0; i < c->count; i++)
        if (!copy_image_region(c, &c->regions[i]))
            return not_mapped(c->from);
    return VK_SUCCESS;
}
