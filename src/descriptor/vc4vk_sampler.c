/* SPDX-License-Identifier: MIT
 *
 * Samplers: translates filters and wrap modes to the texture unit's bits, and keeps LOD clamps and border colours for
 * shader code.
 */
#include <math.h>
#include <string.h>
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"

static enum hw_tex_wrap vk_to_wrap(VkSamplerAddressMode mode)
{
    switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
        return HW_WRAP_REPEAT;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
        return HW_WRAP_MIRROR;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER:
        return HW_WRAP_BORDER;
    default:
        return HW_WRAP_CLAMP;
    }
}

/* MINFILT names the filter within a level first, then the one between levels [guide p.43 table 16]. */
static enum hw_tex_min vk_to_min_filter(VkFilter filter, VkSamplerMipmapMode mip)
{
    bool between = mip == VK_SAMPLER_MIPMAP_MODE_LINEAR;
    if (filter == VK_FILTER_LINEAR)
        return between ? HW_MIN_LIN_MIP_LIN : HW_MIN_LIN_MIP_NEAR;
    return between ? HW_MIN_NEAR_MIP_LIN : HW_MIN_NEAR_MIP_NEAR;
}

/* A custom colour of the other kind is undefined, here black. Its format is not needed: the colour is packed for each
 * view that the sampler is used with. */
static void fill_border(struct vc4vk_sampler_state *state, VkBorderColor color,
                        const VkSamplerCustomBorderColorCreateInfoEXT *custom)
{
    if (custom && color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT)
        memcpy(state->border, custom->customBorderColor.float32, sizeof state->border);
    else if (custom && color == VK_BORDER_COLOR_INT_CUSTOM_EXT)
        memcpy(state->border_int, custom->customBorderColor.uint32, sizeof state->border_int);
    if (color == VK_BORDER_COLOR_FLOAT_CUSTOM_EXT || color == VK_BORDER_COLOR_INT_CUSTOM_EXT)
        return;
    bool alpha = color != VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK && color != VK_BORDER_COLOR_INT_TRANSPARENT_BLACK;
    bool white = color == VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE || color == VK_BORDER_COLOR_INT_OPAQUE_WHITE;
    for (uint32_t i = 0; i < 4; i++) {
        state->border_int[i] = i == 3 ? alpha : white;
        state->border[i] = (float)state->border_int[i];
    }
}

/* How many lookups an anisotropic filter makes is the implementation's choice: one, if it does not average them. */
static void fill_reduction(struct vc4vk_sampler_state *state, const VkSamplerReductionModeCreateInfo *info)
{
    if (!info ||
        (info->reductionMode != VK_SAMPLER_REDUCTION_MODE_MIN && info->reductionMode != VK_SAMPLER_REDUCTION_MODE_MAX))
        return;
    state->filters |= info->reductionMode == VK_SAMPLER_REDUCTION_MODE_MIN ? HW_FILTER_LEAST : HW_FILTER_GREATEST;
    state->anisotropy = 0;
}

static void fill_state(struct vc4vk_sampler_state *state, const VkSamplerCreateInfo *info)
{
    uint32_t wraps = (uint32_t)vk_to_wrap(info->addressModeV) << 2 | (uint32_t)vk_to_wrap(info->addressModeU);
    uint32_t mag = (uint32_t)(info->magFilter != VK_FILTER_LINEAR) << 7;
    uint32_t single = info->minFilter == VK_FILTER_LINEAR ? HW_MIN_LINEAR : HW_MIN_NEAREST;
    state->p1_mip = wraps | mag | (uint32_t)vk_to_min_filter(info->minFilter, info->mipmapMode) << 4;
    state->p1_single = wraps | mag | single << 4;
    state->p1_wraps = wraps;
    state->lod_bias = info->mipLodBias;
    state->lod_min = info->minLod;
    state->lod_max = info->maxLod;
    /* ORDER VkCompareOp is the chip's own order of comparisons. */
    const VkCompareOp compare =
        (uint32_t)info->compareOp <= VK_COMPARE_OP_ALWAYS ? info->compareOp : VK_COMPARE_OP_ALWAYS;
    state->compare = info->compareEnable ? (uint8_t)(1 + compare) : 0;
    state->unnormalized = info->unnormalizedCoordinates != VK_FALSE;
    state->min_mag_differ = info->magFilter != info->minFilter;
    state->uses_border = info->addressModeU == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER ||
                         info->addressModeV == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    if (info->anisotropyEnable)
        state->anisotropy =
            info->maxAnisotropy > 1 ? (uint8_t)MIN2(ceilf(info->maxAnisotropy), VC4VK_MAX_ANISOTROPY) : 1;
    fill_border(state, info->borderColor,
                vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT));
    state->wraps = (uint8_t)((uint32_t)vk_to_wrap(info->addressModeW) << 4 | wraps);
    if (info->flags & VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT)
        state->wraps |= HW_WRAPS_PER_FACE;
    for (uint32_t i = 0; i < 3; i++)
        if ((&info->addressModeU)[i] == VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE)
            state->mirrors |= (uint8_t)(HW_SAMPLING_MIRROR_S << i);
    state->filters = (uint8_t)((info->magFilter == VK_FILTER_LINEAR ? HW_FILTER_MAG_LINEAR : 0) |
                               (info->minFilter == VK_FILTER_LINEAR ? HW_FILTER_MIN_LINEAR : 0) |
                               (info->mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? HW_FILTER_MIP_LINEAR : 0));
    fill_reduction(state, vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SAMPLER_REDUCTION_MODE_CREATE_INFO));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateSampler(VkDevice _device, const VkSamplerCreateInfo *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, VkSampler *pSampler)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    struct vc4vk_state_pool *pool;
    VkResult result = vc4vk_device_state_pool(device, &pool);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_drop_unknown_bits(device, VC4VK_BITS_SAMPLER_FLAGS, pCreateInfo->flags);
    struct vc4vk_sampler *sampler = vc4vk_new(alloc, struct vc4vk_sampler, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!sampler)
        return vc4vk_oom(device);
    vc4vk_object_init(&sampler->base, VK_OBJECT_TYPE_SAMPLER);
    if (!vc4vk_state_get(pool, VC4VK_SURFACE_STATE_B, &sampler->state)) {
        vc4vk_free(alloc, sampler);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "sampler: the block pool is full");
    }
    struct vc4vk_surface_state *state = sampler->state.map;
    state->kind = VC4VK_STATE_SAMPLER;
    fill_state(&state->sampler, pCreateInfo);
    const VkSamplerYcbcrConversionInfo *conversion_info =
        vc4vk_find_in_chain(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
    if (conversion_info && conversion_info->conversion)
        state->sampler.conversion = vc4vk_ycbcr_from_handle(conversion_info->conversion)->conversion;
    *pSampler = vc4vk_sampler_to_handle(sampler);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroySampler(VkDevice _device, VkSampler _sampler,
                                                const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_sampler, sampler, _sampler);
    struct vc4vk_state_pool *pool = vc4vk_device_slot_peek(device, VC4VK_SLOT_DESCRIPTOR);
    if (!sampler)
        return;
    vc4vk_state_put(pool, sampler->state);
    vc4vk_private_data_forget(device, &sampler->base.private_number);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), sampler);
}
