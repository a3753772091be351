/* SPDX-License-Identifier: MIT
 *
 * Reads and writes rows of an image's texels on the CPU, in the layout that Vulkan defines for buffers. Texels that are
 * stored differently (depth and stencil as Z24S8, small colours as one word each) are converted.
 */
#ifndef TRANSFER_VC4VK_IMAGE_IO_H
#define TRANSFER_VC4VK_IMAGE_IO_H

#include "device/vc4vk_memory.h"

/* One aspect of one level of one layer (or slice), of one sample. */
struct vc4vk_image_place {
    const struct vc4vk_image *image;
    VkImageAspectFlags aspect; /* one bit */
    uint32_t level, layer, sample;
};

/* The layers of an image, or the slices of a 3D image, that a region of a copy names. */
void vc4vk_region_layers(const struct vc4vk_image *image, const VkImageSubresourceLayers *sub, int32_t z,
                         uint32_t depth, uint32_t *first_out, uint32_t *count_out);

/* The size of one element (texel, or block) in the layout that is read and written. */
uint32_t vc4vk_image_io_element_B(const struct vc4vk_image_place *place);
/* The size of an element in pixels: 1 x 1 unless compressed. */
void vc4vk_image_io_block_px(const struct vc4vk_image_place *place, uint32_t *w_out, uint32_t *h_out);

/* The level that holds the elements: its size is in elements. */
const struct hw_level *vc4vk_image_io_level(const struct vc4vk_image_place *place);

/* Read and write a rectangle, which must lie inside the level. False when the image is not bound, or its memory cannot
 * be mapped. */
bool vc4vk_image_read(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                      uint32_t stride_B) UTIL_MUST_CHECK;
bool vc4vk_image_write(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, const void *rows,
                       uint32_t stride_B) UTIL_MUST_CHECK;

/* Reads texels, decoded if the image is compressed; and their format. */
enum hw_format vc4vk_image_io_texel_format(const struct vc4vk_image_place *place);
bool vc4vk_image_read_texels(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, void *rows,
                             uint32_t stride_B) UTIL_MUST_CHECK;

/* Fills the rectangle with the bits of `word` selected by `mask`, for images with 4 bytes per texel. */
bool vc4vk_image_fill_words(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect, uint32_t word,
                            uint32_t mask) UTIL_MUST_CHECK;
/* Fills the rectangle with a texel of up to 16 bytes, as it is stored. */
bool vc4vk_image_fill(const struct vc4vk_image_place *place, const struct hw_copy_rect *rect,
                      const void *texel) UTIL_MUST_CHECK;

/* Whether both store their texels alike, so that a copy needs no conversion. Depth and stencil: only for all
 * aspects. */
bool vc4vk_image_storage_matches(const struct vc4vk_image_place *from, const struct vc4vk_image_place *to,
                                 VkImageAspectFlags aspects);
/* Copies texels without conversion between rectangles of one size. If vc4vk_image_storage_matches is false for these
 * aspects, sets *fits_out to false and copies nothing. False when memory cannot be mapped. */
bool vc4vk_image_copy(const struct vc4vk_image_place *from, const struct hw_copy_rect *from_rect,
                      const struct vc4vk_image_place *to, const struct hw_copy_rect *to_rect,
                      VkImageAspectFlags aspects, bool *fits_out) UTIL_MUST_CHECK;
void vc4vk_fill_words(void *to, size_t count, uint32_t word);

#endif
