/* SPDX-License-Identifier: MIT
 *
 * Rows of an image's texels on the CPU, in the layout that Vulkan gives them in buffers. Where memory holds other words
 * (depth and stencil as Z24S8, small colours in words of their own), they are converted on the way.
 */
#ifndef CMDBUF_VC4VK_IMAGE_IO_H
#define CMDBUF_VC4VK_IMAGE_IO_H

#include "device/vc4vk_memory.h"

/* One aspect of one level of one layer (or slice), of one sample. */
struct vc4vk_image_place {
    const struct vc4vk_image *image;
    VkImageAspectFlags aspect; /* one bit */
    uint32_t level, layer, sample;
};

/* Whether the image has these aspects, this level and these layers (or slices), and memory. Whoever records an
 * operation on the CPU asks: what reads and writes texels believes it. */
bool vc4vk_image_has(const struct vc4vk_image *image, VkImageAspectFlags aspects, uint32_t level, uint32_t first_layer,
                     uint32_t layers);
/* The same for what a region of a copy names: slices from `z` of 3D images, layers of others. Aspects that the format
 * has not are taken out. */
bool vc4vk_image_has_region(const struct vc4vk_image *image, VkImageSubresourceLayers *sub, int32_t z, uint32_t depth);

/* Bytes of one element (texel, or block) as it is read and written here. */
uint32_t vc4vk_image_io_element_B(const struct vc4vk_image_place *place);
/* Pixels to elements: 1 unless compressed. */
void vc4vk_image_io_block_px(const struct vc4vk_image_place *place, uint32_t *w_out, uint32_t *h_out);

/* The level's size, in elements. */
const struct hw_level *vc4vk_image_io_level(const struct vc4vk_image_place *place);

/* False when the image is not bound, or its memory cannot be mapped. The rectangle lies in the level. */
bool vc4vk_image_read(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                      uint32_t stride_B) UTIL_MUST_CHECK;
bool vc4vk_image_write(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const void *rows,
                       uint32_t stride_B) UTIL_MUST_CHECK;

/* Decodes the blocks that these layers of an image of blocks hold. */
bool vc4vk_image_decode(const struct vc4vk_image *blocks, uint32_t first_layer, uint32_t layers) UTIL_MUST_CHECK;

/* Texels, decoded where the image is compressed, and what they are then. */
enum hw_format vc4vk_image_io_texel_format(const struct vc4vk_image_place *place);
bool vc4vk_image_read_texels(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                             uint32_t stride_B) UTIL_MUST_CHECK;

/* Fills the rectangle with `word` where `mask` has ones, for storage of 4 bytes a texel. */
bool vc4vk_image_fill_words(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint32_t word,
                            uint32_t mask) UTIL_MUST_CHECK;
/* Fills it with a texel of any size up to 16 bytes, as memory holds it. */
bool vc4vk_image_fill(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect,
                      const void *texel) UTIL_MUST_CHECK;

/* Does memory hold the same of both, word for word? Of depth and stencil all aspects. */
bool vc4vk_image_hold_the_same(const struct vc4vk_image_place *from, const struct vc4vk_image_place *to,
                               VkImageAspectFlags aspects);
/* Texels as memory holds them, between rectangles of one size, where both hold the same for these aspects: else
 * `fits_out` is false, and nothing happens. False when memory is not there. */
bool vc4vk_image_copy(const struct vc4vk_image_place *from, const struct hw_copy_rect *from_rect,
                      const struct vc4vk_image_place *to, const struct hw_copy_rect *to_rect,
                      VkImageAspectFlags aspects, bool *fits_out) UTIL_MUST_CHECK;
void vc4vk_fill_words(void *to, size_t count, uint32_t word);

/* Depth as the tile buffer's 24 bits, from [0,1]. */
uint32_t vc4vk_depth_to_24(float depth);

#endif
