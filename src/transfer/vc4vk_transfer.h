/* SPDX-License-Identifier: MIT
 *
 * The work of the copy engine: transfers of buffers and images by the CPU, row by row. Each transfer is a struct of
 * arguments and a function that runs it on a thread of the engine; `parallel` lends it threads of the pool for bands of
 * rows. The arguments belong to the caller and name objects that must live as long as the transfer; nothing is kept.
 * Regions that lie outside of an image or a buffer are clipped, so that invalid usage cannot reach other memory. The
 * functions return VK_ERROR_MEMORY_MAP_FAILED when memory cannot be mapped; query results are then not copied.
 */
#ifndef TRANSFER_VC4VK_TRANSFER_H
#define TRANSFER_VC4VK_TRANSFER_H

#include "device/vc4vk_condition.h"
#include "device/vc4vk_memory.h"
#include "engine/vc4vk_parallel.h"
#include "queue/vc4vk_query.h"

/* ---------------------------------------------------------------- checks */

/* Whether the image has these aspects, this level and these layers (or slices), and memory. To be checked when a
 * transfer is recorded: running it does not check this again. */
bool vc4vk_image_has(const struct vc4vk_image *image, VkImageAspectFlags aspects, uint32_t level, uint32_t first_layer,
                     uint32_t layers);
/* The same for a region of a copy: slices from `z` on of a 3D image, layers of any other. Removes from `sub` the
 * aspects that the format does not have. */
bool vc4vk_image_has_region(const struct vc4vk_image *image, VkImageSubresourceLayers *sub, int32_t z, uint32_t depth);

/* ---------------------------------------------------------------- buffers */

struct vc4vk_copy_buffer {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_buffer *from, *to;
    uint32_t count;
    const VkBufferCopy *regions;
};
VkResult vc4vk_run_copy_buffer(void *arguments);

struct vc4vk_fill_buffer {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_buffer *to;
    VkDeviceSize offset_B, size_B;
    uint32_t word;
    const void *data; /* of an update, instead of `word`; NULL: a fill */
};
VkResult vc4vk_run_fill_buffer(void *arguments);

/* ---------------------------------------------------------------- images */

struct vc4vk_copy_buffer_image {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_buffer *buffer;
    const struct vc4vk_image *image;
    bool to_image;
    uint32_t count;
    const VkBufferImageCopy *regions;
};
VkResult vc4vk_run_copy_buffer_image(void *arguments);

/* An image, and rows of texels in mapped memory. */
struct vc4vk_memory_image {
    struct vc4vk_parallel *parallel;
    uint8_t *memory;
    uint64_t memory_B;
    const struct vc4vk_image *image;
    bool to_image;
};
/* Copies a region at once, whose bufferOffset is an offset in the memory. False when the image cannot be mapped. */
bool vc4vk_copy_memory_image(const struct vc4vk_memory_image *c, const VkBufferImageCopy *region) UTIL_MUST_CHECK;

struct vc4vk_copy_image {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_image *from, *to;
    uint32_t count;
    const VkImageCopy *regions;
};
VkResult vc4vk_run_copy_image(void *arguments);

struct vc4vk_blit_image {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_image *from, *to;
    bool linear;
    uint32_t count;
    const VkImageBlit *regions; /* with numbers of layers, not VK_REMAINING_ARRAY_LAYERS */
};
VkResult vc4vk_run_blit_image(void *arguments);

/* Resolves four samples. Regions name one aspect of level 0 of the source. */
struct vc4vk_resolve_image {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_image *from, *to;
    enum hw_format from_format, to_format; /* in the layout of copies; texels of one size */
    uint32_t count;
    const VkImageResolve *regions;
    VkResolveModeFlagBits mode; /* of depth and stencil: sample 0, minimum or maximum; 0: colours, their mean */
};
VkResult vc4vk_run_resolve_image(void *arguments);
/* The reverse: copies pixels of an image of one sample to all their samples in level 0 of another one. */
struct vc4vk_replicate_image {
    struct vc4vk_parallel *parallel;
    const struct vc4vk_image *from, *to; /* of one format */
    VkImageAspectFlags aspects;
    uint32_t from_level, from_layer, to_layer, layers;
    VkRect2D rect; /* clipped to both */
};
VkResult vc4vk_run_replicate_image(void *arguments);

struct vc4vk_clear_image {
    const struct vc4vk_image *image;
    enum hw_format format;      /* of the texels written (a view's may differ from the image's) */
    VkImageAspectFlags aspects; /* COLOR, or DEPTH and STENCIL */
    uint32_t level, first_layer, layers;
    VkRect2D rect; /* clipped to the level */
    VkClearValue value;
    const struct vc4vk_condition *condition; /* or NULL */
    struct vc4vk_parallel *parallel; /* set when the clear is recorded */
};
VkResult vc4vk_run_clear_image(void *arguments);
/* Clear values as words of the tile buffer; `word` selects a word of the texel. Depth is converted as the chip converts
 * the depth of fragments: times 2^24, truncated; 1.0 saturates. */
uint32_t vc4vk_clear_color_word(enum hw_format format, uint32_t word, const VkClearColorValue *value);
uint32_t vc4vk_clear_depth_word(float depth);

/* Decodes layers of an image of blocks into the compressed image that it belongs to. */
struct vc4vk_decode_image {
    const struct vc4vk_image *blocks;
    uint32_t first_layer, layers;
};
VkResult vc4vk_run_decode_image(void *arguments);
/* The same. False when memory cannot be mapped. */
bool vc4vk_image_decode(const struct vc4vk_image *blocks, uint32_t first_layer, uint32_t layers) UTIL_MUST_CHECK;

/* ---------------------------------------------------------------- queries */

/* A query whose samples are counted in some bits of each counter. */
struct vc4vk_counter {
    struct vc4vk_query_range query; /* one query */
    uint32_t shift;                 /* where its bits begin */
    uint32_t bits;                  /* 0 to 32 */
};

/* Adds the counters of an occlusion count, one word per pixel and sample, to the queries that they belong to. */
struct vc4vk_sum_counters {
    struct kmd_bo *bo;
    uint32_t stride_B; /* of a row of pixels; with several samples of blocks of 32 x 32 pixels */
    uint32_t samples;
    VkRect2D area;
    uint32_t count;
    const struct vc4vk_counter *counters;
};
VkResult vc4vk_run_sum_counters(void *arguments);

/* Writes the results of queries to a buffer. Those that are not available yet count as never begun. */
struct vc4vk_copy_query_results {
    struct vc4vk_query_range range;
    const struct vc4vk_buffer *to;
    VkDeviceSize offset_B, stride_B;
    VkQueryResultFlags flags;
};
VkResult vc4vk_run_copy_query_results(void *arguments);

#endif
