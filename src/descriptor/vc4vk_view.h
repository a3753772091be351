/* SPDX-License-Identifier: MIT
 *
 * Image views, buffer views, samplers and YCbCr conversions. Views and samplers own their surface states in the block
 * pool.
 */
#ifndef DESCRIPTOR_VC4VK_VIEW_H
#define DESCRIPTOR_VC4VK_VIEW_H

#include "descriptor/vc4vk_state_pool.h"
#include "descriptor/vc4vk_surface_state.h"
#include "device/vc4vk_memory.h"
#include "device/vc4vk_object.h"

struct vc4vk_image_view {
    struct vc4vk_object base;
    struct vc4vk_image *image;
    VkImageViewType type;
    VkFormat vk_format;
    const struct vc4vk_format *format; /* of the view */
    enum hw_format storage;            /* texel layout in memory, as attachments load and store it */
    VkImageAspectFlags aspects;
    VkComponentMapping mapping; /* identity resolved */
    uint32_t base_level, levels, base_layer, layers;
    uint32_t width_px, height_px;       /* of the base level */
    uint32_t depth;                     /* slices of a 3D view's base level, from base_layer on; else 1 */
    struct vc4vk_state sampled;         /* colour or depth; size 0 when the usage has no shader access */
    struct vc4vk_state sampled_stencil; /* the stencil aspect; size 0 unless the view has it */
    struct vc4vk_state sliced;          /* some slices, for storage images; size 0: those use `sampled` */
    struct vc4vk_state chroma[2];       /* the second and third plane of a whole planar image */
    /* VK_EXT_multisampled_render_to_single_sampled: a view like this one of four samples for each pixel, for passes
     * that draw so. Owned; NULL before the first one. */
    _Atomic(struct vc4vk_image_view *) samples;
};

struct vc4vk_sampler {
    struct vc4vk_object base;
    struct vc4vk_state state;
};

struct vc4vk_ycbcr {
    struct vc4vk_object base;
    struct vc4vk_conversion conversion; /* copied into samplers */
};

struct vc4vk_buffer_view {
    struct vc4vk_object base;
    struct vc4vk_buffer *buffer;
    enum hw_format format;
    struct vc4vk_state state;
};

VC4VK_DEFINE_HANDLE(vc4vk_image_view, VkImageView, VK_OBJECT_TYPE_IMAGE_VIEW)
VC4VK_DEFINE_HANDLE(vc4vk_sampler, VkSampler, VK_OBJECT_TYPE_SAMPLER)
VC4VK_DEFINE_HANDLE(vc4vk_ycbcr, VkSamplerYcbcrConversion, VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION)
VC4VK_DEFINE_HANDLE(vc4vk_buffer_view, VkBufferView, VK_OBJECT_TYPE_BUFFER_VIEW)

/* The view's `samples`, which is created if there is none. Its contents are undefined between passes. */
VkResult vc4vk_image_view_samples(struct vc4vk_device *device, struct vc4vk_image_view *view,
                                  const struct vc4vk_image_view **out);

/* For attachments: the plane of the view, and the offset in the BO of its base level in layer base_layer + `layer`. */
static inline const struct vc4vk_image_plane *vc4vk_image_view_plane(const struct vc4vk_image_view *view)
{
    return vc4vk_image_plane(view->image, view->aspects == VK_IMAGE_ASPECT_STENCIL_BIT ? VK_IMAGE_ASPECT_STENCIL_BIT
                                                                                       : view->format->aspects);
}

/* For colour attachments: the words of a texel, and the plane that holds one of them. Smaller texels have one word;
 * where the only plane has larger texels, it holds all words. */
static inline uint32_t vc4vk_image_view_words(const struct vc4vk_image_view *view)
{
    return MAX2(view->image->plane_count, vc4vk_image_view_plane(view)->layout.cpp / 4);
}

static inline const struct vc4vk_image_plane *vc4vk_image_view_word_plane(const struct vc4vk_image_view *view,
                                                                          uint32_t word)
{
    return vc4vk_image_view_plane(view) + (view->image->plane_count > 1 ? word : 0);
}

static inline uint64_t vc4vk_image_view_offset_B(const struct vc4vk_image_view *view, uint32_t layer)
{
    return vc4vk_image_level_offset_B(view->image, vc4vk_image_view_plane(view), view->base_level,
                                      view->base_layer + layer);
}

#endif
