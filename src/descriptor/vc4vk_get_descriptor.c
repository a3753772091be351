/* SPDX-License-Identifier: MIT
 *
 * vkGetDescriptorEXT: the bytes of one descriptor, as vkUpdateDescriptorSets stores them in memory of sets
 * (vc4vk_set_arrays.h). Resources are null where the application says so, and where they have no address.
 */
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "descriptor/vc4vk_engine_descriptor.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_entrypoints_gen.h"

/* A descriptor of any type. */
union descriptor {
    struct hw_engine_descriptor engine;
    struct hw_view_descriptor view;
    struct hw_sampler_descriptor sampler;
    struct {
        struct hw_view_descriptor view;
        struct hw_sampler_descriptor sampler;
    } combined;
    struct vc4vk_planar_descriptor planar;
};

/* ---------------------------------------------------------------- images and samplers */

static const struct vc4vk_surface_state null_state = {.kind = VC4VK_STATE_NULL};

static const struct vc4vk_surface_state *state_of(const struct vc4vk_state *state)
{
    return state->size_B ? state->map : &null_state;
}

static const struct vc4vk_surface_state *view_state(const VkDescriptorImageInfo *info)
{
    const struct vc4vk_image_view *view = info ? vc4vk_image_view_from_handle(info->imageView) : NULL;
    if (!view)
        return &null_state;
    return state_of(view->sampled.size_B ? &view->sampled : &view->sampled_stencil);
}

static struct hw_view_descriptor view_descriptor(const struct vc4vk_surface_state *state)
{
    return vc4vk_view_descriptor(state, vc4vk_surface_state_addr(state));
}

static struct hw_sampler_descriptor sampler_descriptor(VkSampler handle)
{
    const struct vc4vk_sampler *sampler = vc4vk_sampler_from_handle(handle);
    return vc4vk_sampler_descriptor(sampler ? state_of(&sampler->state) : &null_state);
}

static void fill_chroma(const struct vc4vk_surface_state *state, uint32_t i, struct vc4vk_planar_descriptor *out)
{
    const struct hw_view_descriptor view = view_descriptor(state);
    out->chroma.address[i] = view.address;
    out->chroma.limit_B[i] = view.limit_B;
    out->chroma.width_px[i] = (uint16_t)view.width_px;
    out->chroma.height_px[i] = view.height_px;
    out->chroma.stride_dw[i] = view.level_stride_dw[0];
    out->chroma.layer_stride_B[i] = view.layer_stride_B;
    out->chroma.format[i] = view.format;
    out->chroma.layout[i] = view.layout;
    out->chroma.t_levels[i] = view.t_levels;
    out->chroma.cpp[i] = (uint8_t)view.cpp;
    memcpy(out->chroma.swizzle[i], view.swizzle, sizeof view.swizzle);
}

static void get_combined(const VkDescriptorImageInfo *info, union descriptor *out)
{
    const struct vc4vk_image_view *view = info ? vc4vk_image_view_from_handle(info->imageView) : NULL;
    out->view = view_descriptor(view_state(info));
    for (uint32_t i = 0; view && view->format->planar && i < 2; i++)
        fill_chroma(state_of(&view->chroma[i]), i, &out->planar);
    if (info && !(view && view->format->planar))
        out->combined.sampler = sampler_descriptor(info->sampler);
}

static struct hw_engine_descriptor storage_image(const VkDescriptorImageInfo *info)
{
    const struct vc4vk_image_view *view = info ? vc4vk_image_view_from_handle(info->imageView) : NULL;
    const struct vc4vk_surface_state *state = view && view->sliced.size_B ? view->sliced.map : view_state(info);
    const uint32_t addr = vc4vk_surface_state_addr(state);
    return addr ? vc4vk_engine_descriptor(state, addr) : (struct hw_engine_descriptor){0};
}

/* ---------------------------------------------------------------- buffers */

/* The state of a range whose BO begins at the address, which fits 32 bits. A null state without a range. */
static struct vc4vk_surface_state buffer_state(const VkDescriptorAddressInfoEXT *info, bool has_texels)
{
    struct vc4vk_surface_state state = null_state;
    const enum hw_format format = has_texels && info ? vc4vk_format_hw(info->format) : HW_FORMAT_NONE;
    if (!info || !info->address || info->address > UINT32_MAX || (has_texels && format == HW_FORMAT_NONE))
        return state;
    const uint32_t size_B = (uint32_t)MIN2(info->range, UINT32_MAX - info->address);
    state.kind = VC4VK_STATE_BUFFER;
    state.buffer = (struct vc4vk_buffer_state){.size_B = size_B, .format = (uint8_t)format};
    if (has_texels)
        state.buffer.texels = size_B / hw_format_info(format)->block_B;
    return state;
}

static struct hw_engine_descriptor storage_buffer(const VkDescriptorAddressInfoEXT *info, bool has_texels)
{
    const struct vc4vk_surface_state state = buffer_state(info, has_texels);
    return vc4vk_engine_descriptor(&state, state.kind == VC4VK_STATE_BUFFER ? (uint32_t)info->address : 0);
}

static struct hw_view_descriptor uniform_texels(const VkDescriptorAddressInfoEXT *info)
{
    const struct vc4vk_surface_state state = buffer_state(info, true);
    return vc4vk_view_descriptor(&state, state.kind == VC4VK_STATE_BUFFER ? (uint32_t)info->address : 0);
}

/* ---------------------------------------------------------------- */

/* Returns the size of the descriptor; 0 for types that have none. */
static size_t get(const VkDescriptorGetInfoEXT *info, union descriptor *out)
{
    const VkDescriptorDataEXT *data = &info->data;
    switch (info->type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        if (data->pSampler)
            out->sampler = sampler_descriptor(*data->pSampler);
        break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        get_combined(data->pCombinedImageSampler, out);
        break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        out->view = view_descriptor(view_state(data->pSampledImage));
        break;
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        out->view = view_descriptor(view_state(data->pInputAttachmentImage));
        return sizeof out->view;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        out->engine = storage_image(data->pStorageImage);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        out->view = uniform_texels(data->pUniformTexelBuffer);
        break;
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        out->engine = storage_buffer(data->pStorageTexelBuffer, true);
        break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        out->engine = storage_buffer(data->pUniformBuffer, false);
        break;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        out->engine = storage_buffer(data->pStorageBuffer, false);
        break;
    default:
        return 0;
    }
    return vc4vk_descriptor_memory_B(info->type);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_GetDescriptorEXT(VkDevice device, const VkDescriptorGetInfoEXT *pDescriptorInfo,
                                                  size_t dataSize, void *pDescriptor)
{
    union descriptor descriptor;
    memset(&descriptor, 0, sizeof descriptor);
    const size_t size_B = get(pDescriptorInfo, &descriptor);
    memcpy(pDescriptor, &descriptor, MIN2(size_B, dataSize));
}
