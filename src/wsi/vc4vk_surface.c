/* SPDX-License-Identifier: MIT
 *
 * Entry points of VK_KHR_surface. Capabilities are the same on every platform except for the size and for the
 * properties that only display surfaces have.
 */
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "wsi/vc4vk_wsi.h"

static const VkSurfaceFormatKHR formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_PASS_THROUGH_EXT}, /* of VK_EXT_swapchain_colorspace */
};

static uint32_t format_count(const struct vc4vk_surface *surface, const struct vc4vk_physical_device *physical)
{
    const bool has_all = surface->ops->passes_colors_through && physical->instance->enabled.EXT_swapchain_colorspace;
    return ARRAY_SIZE(formats) - !has_all;
}

/* ORDER: modes that never tear come first. */
static const VkPresentModeKHR present_modes[] = {
    VK_PRESENT_MODE_FIFO_KHR,
    VK_PRESENT_MODE_MAILBOX_KHR,
    VK_PRESENT_MODE_FIFO_RELAXED_KHR,
    VK_PRESENT_MODE_IMMEDIATE_KHR,
};
#define MODES_WITHOUT_TEARING 2u

static uint32_t present_mode_count(const struct vc4vk_surface *surface)
{
    return surface->ops->never_tears ? MODES_WITHOUT_TEARING : ARRAY_SIZE(present_modes);
}

bool vc4vk_surface_has_format(const struct vc4vk_surface *surface, const struct vc4vk_physical_device *physical,
                              VkFormat format, VkColorSpaceKHR color_space)
{
    for (uint32_t i = 0; i < format_count(surface, physical); i++)
        if (formats[i].format == format && formats[i].colorSpace == color_space)
            return true;
    return false;
}

bool vc4vk_surface_has_present_mode(const struct vc4vk_surface *surface, VkPresentModeKHR mode)
{
    for (uint32_t i = 0; i < present_mode_count(surface); i++)
        if (present_modes[i] == mode)
            return true;
    return false;
}

VkResult vc4vk_surface_get_capabilities(struct vc4vk_surface *surface, VkSurfaceCapabilitiesKHR *out)
{
    VkExtent2D extent;
    VkResult result = surface->ops->get_extent(surface, &extent);
    if (result != VK_SUCCESS)
        return result;
    bool is_free = extent.width == VC4VK_ANY_EXTENT;
    *out = (VkSurfaceCapabilitiesKHR){
        .minImageCount = VC4VK_MIN_SWAPCHAIN_IMAGES,
        .maxImageCount = VC4VK_MAX_SWAPCHAIN_IMAGES,
        .currentExtent = extent,
        .minImageExtent = is_free ? (VkExtent2D){1, 1} : extent,
        .maxImageExtent = is_free ? (VkExtent2D){VC4VK_MAX_SWAPCHAIN_PX, VC4VK_MAX_SWAPCHAIN_PX} : extent,
        .maxImageArrayLayers = 1,
        .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .supportedCompositeAlpha = surface->ops->composite_alpha,
        .supportedUsageFlags = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                               VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                               VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    };
    return VK_SUCCESS;
}

/* Copies as many of `count` items as fit into the application's array (NULL: returns only their number). */
static VkResult copy_array(uint32_t *count_inout, void *out, const void *items, uint32_t count, size_t item_B)
{
    if (!out) {
        *count_inout = count;
        return VK_SUCCESS;
    }
    uint32_t given = MIN2(*count_inout, count);
    memcpy(out, items, given * item_B);
    *count_inout = given;
    return given < count ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice physicalDevice,
                                                                        uint32_t queueFamilyIndex,
                                                                        VkSurfaceKHR _surface, VkBool32 *pSupported)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, _surface);
    VkExtent2D extent;
    VkResult result = surface->ops->get_extent(surface, &extent);
    *pSupported = result == VK_SUCCESS; /* the CPU presents, so every queue can */
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceCapabilitiesKHR(
    VkPhysicalDevice physicalDevice, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *pSurfaceCapabilities)
{
    return vc4vk_surface_get_capabilities(vc4vk_surface_from_handle(surface), pSurfaceCapabilities);
}

/* -- VK_EXT_surface_maintenance1 ---------------------------------------------------------------------------------- */

VkPresentScalingFlagsEXT vc4vk_surface_scaling(const struct vc4vk_surface *surface)
{
    return surface->ops->places_images ? VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT : 0;
}

VkPresentGravityFlagsEXT vc4vk_surface_gravity(const struct vc4vk_surface *surface)
{
    return surface->ops->places_images ? VK_PRESENT_GRAVITY_MIN_BIT_EXT : 0;
}

static void fill_scaling(const struct vc4vk_surface *surface, const VkSurfaceCapabilitiesKHR *caps,
                         VkSurfacePresentScalingCapabilitiesEXT *out)
{
    const bool is_placed = surface->ops->places_images;
    out->supportedPresentScaling = vc4vk_surface_scaling(surface);
    out->supportedPresentGravityX = out->supportedPresentGravityY = vc4vk_surface_gravity(surface);
    out->minScaledImageExtent = is_placed ? (VkExtent2D){1, 1} : caps->minImageExtent;
    out->maxScaledImageExtent =
        is_placed ? (VkExtent2D){VC4VK_MAX_SWAPCHAIN_PX, VC4VK_MAX_SWAPCHAIN_PX} : caps->maxImageExtent;
}

/* The presenter takes the mode from each image (vc4vk_presenter.c), so any two modes of a surface are compatible. */
static void fill_compatible_modes(const struct vc4vk_surface *surface, const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                  VkSurfacePresentModeCompatibilityEXT *out)
{
    const VkSurfacePresentModeEXT *asked = vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT);
    const bool has_mode = asked && vc4vk_surface_has_present_mode(surface, asked->presentMode);
    const uint32_t count = has_mode ? present_mode_count(surface) : 0;
    (void)copy_array(&out->presentModeCount, out->pPresentModes, present_modes, count, sizeof present_modes[0]);
}

/* -- queries ------------------------------------------------------------------------------------------------------ */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceCapabilities2KHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSurfaceInfo2KHR *pSurfaceInfo,
    VkSurfaceCapabilities2KHR *pSurfaceCapabilities)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, pSurfaceInfo->surface);
    VkResult result = vc4vk_surface_get_capabilities(surface, &pSurfaceCapabilities->surfaceCapabilities);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_for_each_in_chain(s, pSurfaceCapabilities->pNext)
    {
        switch (s->sType) {
        case VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR:
            ((VkSurfaceProtectedCapabilitiesKHR *)s)->supportsProtected = VK_FALSE;
            break;
        case VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT:
            fill_scaling(surface, &pSurfaceCapabilities->surfaceCapabilities,
                         (VkSurfacePresentScalingCapabilitiesEXT *)s);
            break;
        case VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT:
            fill_compatible_modes(surface, pSurfaceInfo, (VkSurfacePresentModeCompatibilityEXT *)s);
            break;
        default:
            break;
        }
    }
    return VK_SUCCESS;
}

/* VK_EXT_display_surface_counter. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceCapabilities2EXT(
    VkPhysicalDevice physicalDevice, VkSurfaceKHR _surface, VkSurfaceCapabilities2EXT *pSurfaceCapabilities)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, _surface);
    VkSurfaceCapabilitiesKHR known;
    VkResult result = vc4vk_surface_get_capabilities(surface, &known);
    if (result != VK_SUCCESS)
        return result;
    pSurfaceCapabilities->minImageCount = known.minImageCount;
    pSurfaceCapabilities->maxImageCount = known.maxImageCount;
    pSurfaceCapabilities->currentExtent = known.currentExtent;
    pSurfaceCapabilities->minImageExtent = known.minImageExtent;
    pSurfaceCapabilities->maxImageExtent = known.maxImageExtent;
    pSurfaceCapabilities->maxImageArrayLayers = known.maxImageArrayLayers;
    pSurfaceCapabilities->supportedTransforms = known.supportedTransforms;
    pSurfaceCapabilities->currentTransform = known.currentTransform;
    pSurfaceCapabilities->supportedCompositeAlpha = known.supportedCompositeAlpha;
    pSurfaceCapabilities->supportedUsageFlags = known.supportedUsageFlags;
    pSurfaceCapabilities->supportedSurfaceCounters =
        surface->ops->counts_vblanks ? VK_SURFACE_COUNTER_VBLANK_BIT_EXT : 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice physicalDevice,
                                                                        VkSurfaceKHR surface,
                                                                        uint32_t *pSurfaceFormatCount,
                                                                        VkSurfaceFormatKHR *pSurfaceFormats)
{
    uint32_t count =
        format_count(vc4vk_surface_from_handle(surface), vc4vk_physical_device_from_handle(physicalDevice));
    return copy_array(pSurfaceFormatCount, pSurfaceFormats, formats, count, sizeof formats[0]);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfaceFormats2KHR(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSurfaceInfo2KHR *pSurfaceInfo, uint32_t *pSurfaceFormatCount,
    VkSurfaceFormat2KHR *pSurfaceFormats)
{
    uint32_t count = format_count(vc4vk_surface_from_handle(pSurfaceInfo->surface),
                                  vc4vk_physical_device_from_handle(physicalDevice));
    if (!pSurfaceFormats) {
        *pSurfaceFormatCount = count;
        return VK_SUCCESS;
    }
    *pSurfaceFormatCount = MIN2(*pSurfaceFormatCount, count);
    for (uint32_t i = 0; i < *pSurfaceFormatCount; i++)
        pSurfaceFormats[i].surfaceFormat = formats[i];
    return *pSurfaceFormatCount < count ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice physicalDevice,
                                                                             VkSurfaceKHR surface,
                                                                             uint32_t *pPresentModeCount,
                                                                             VkPresentModeKHR *pPresentModes)
{
    return copy_array(pPresentModeCount, pPresentModes, present_modes,
                      present_mode_count(vc4vk_surface_from_handle(surface)), sizeof present_modes[0]);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroySurfaceKHR(VkInstance _instance, VkSurfaceKHR _surface,
                                                   const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, _surface);
    if (surface && surface->ops->finish)
        surface->ops->finish(surface);
    vc4vk_free(vc4vk_alloc_choose(instance->alloc, pAllocator), surface);
}

/* -- device groups: each has one device -----------------------------------------------------------------------------
 */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDeviceGroupPresentCapabilitiesKHR(
    VkDevice device, VkDeviceGroupPresentCapabilitiesKHR *pDeviceGroupPresentCapabilities)
{
    memset(pDeviceGroupPresentCapabilities->presentMask, 0, sizeof pDeviceGroupPresentCapabilities->presentMask);
    pDeviceGroupPresentCapabilities->presentMask[0] = 1;
    pDeviceGroupPresentCapabilities->modes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDeviceGroupSurfacePresentModesKHR(VkDevice device, VkSurfaceKHR surface,
                                                                          VkDeviceGroupPresentModeFlagsKHR *pModes)
{
    *pModes = VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetPhysicalDevicePresentRectanglesKHR(VkPhysicalDevice physicalDevice,
                                                                           VkSurfaceKHR _surface, uint32_t *pRectCount,
                                                                           VkRect2D *pRects)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, _surface);
    VkRect2D whole = {0};
    VkResult result = surface->ops->get_extent(surface, &whole.extent);
    return result == VK_SUCCESS ? copy_array(pRectCount, pRects, &whole, 1, sizeof whole) : result;
}
