/* SPDX-License-Identifier: MIT
 *
 * YCbCr conversions. They are compiled into the programs that sample through them; this file only translates them to
 * the compiler's terms.
 */
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

static uint8_t vk_to_swizzle(VkComponentSwizzle swizzle, uint32_t component)
{
    switch (swizzle) {
    case VK_COMPONENT_SWIZZLE_IDENTITY:
        return (uint8_t)(HW_SWIZZLE_X + component);
    case VK_COMPONENT_SWIZZLE_ZERO:
        return HW_SWIZZLE_0;
    case VK_COMPONENT_SWIZZLE_ONE:
        return HW_SWIZZLE_1;
    case VK_COMPONENT_SWIZZLE_R:
    case VK_COMPONENT_SWIZZLE_G:
    case VK_COMPONENT_SWIZZLE_B:
    case VK_COMPONENT_SWIZZLE_A:
        return (uint8_t)(HW_SWIZZLE_X + (swizzle - VK_COMPONENT_SWIZZLE_R));
    default: /* unknown */
        return (uint8_t)(HW_SWIZZLE_X + component);
    }
}

/* Cosited chroma needs a shift of the coordinates. Midpoint chroma samples are where the filter expects them anyway. */
static bool is_shifted(VkChromaLocation location, uint32_t log2)
{
    return log2 && location == VK_CHROMA_LOCATION_COSITED_EVEN;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateSamplerYcbcrConversionKHR(
    VkDevice _device, const VkSamplerYcbcrConversionCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
    VkSamplerYcbcrConversion *pYcbcrConversion)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    const struct vc4vk_format *format = vc4vk_format(pCreateInfo->format);
    const struct vc4vk_planar *planar = format ? format->planar : NULL;
    if (!planar)
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED,
                            "YCbCr conversion of format %d: it is not a planar format", pCreateInfo->format);
    if ((uint32_t)pCreateInfo->ycbcrModel > VK_SAMPLER_YCBCR_MODEL_CONVERSION_YCBCR_2020)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "YCbCr conversion: unknown model %d", pCreateInfo->ycbcrModel);
    struct vc4vk_ycbcr *ycbcr = vc4vk_new(alloc, struct vc4vk_ycbcr, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!ycbcr)
        return vc4vk_oom(device);
    vc4vk_object_init(&ycbcr->base, VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION);
    const VkComponentSwizzle *swizzle = &pCreateInfo->components.r; /* r, g, b, a follow each other */
    ycbcr->conversion = (struct vc4vk_conversion){
        .planes = planar->plane_count,
        .bits = planar->bits,
        .model = (uint8_t)pCreateInfo->ycbcrModel, /* ORDER enum vc4c_color_model is Vulkan's order */
        .narrow = pCreateInfo->ycbcrRange == VK_SAMPLER_YCBCR_RANGE_ITU_NARROW,
        .shift_x = is_shifted(pCreateInfo->xChromaOffset, planar->log2_x),
        .shift_y = is_shifted(pCreateInfo->yChromaOffset, planar->log2_y),
    };
    for (uint32_t i = 0; i < 4; i++)
        ycbcr->conversion.swizzle[i] = vk_to_swizzle(swizzle[i], i);
    *pYcbcrConversion = vc4vk_ycbcr_to_handle(ycbcr);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroySamplerYcbcrConversionKHR(VkDevice _device, VkSamplerYcbcrConversion ycbcr,
                                                               const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), vc4vk_ycbcr_from_handle(ycbcr));
}
