/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_headless_surface: surfaces without a display. Images are paced as on other surfaces and then dropped.
 */
#include <stdlib.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "wsi/vc4vk_wsi.h"

static void headless_target_destroy(struct vc4vk_target *target)
{
    free(target);
}

static void headless_target_copy(struct vc4vk_target *target, const uint8_t *pixels, uint32_t stride_B,
                                 VkRect2D changed)
{
}

static VkResult headless_target_show(struct vc4vk_target *target)
{
    return VK_SUCCESS;
}

static const struct vc4vk_target_ops headless_target_ops = {
    .destroy = headless_target_destroy,
    .copy = headless_target_copy,
    .show = headless_target_show,
};

static VkResult headless_get_extent(struct vc4vk_surface *surface, VkExtent2D *extent_out)
{
    *extent_out = (VkExtent2D){VC4VK_ANY_EXTENT, VC4VK_ANY_EXTENT};
    return VK_SUCCESS;
}

static VkResult headless_create_target(struct vc4vk_surface *surface, const struct vc4vk_device *device,
                                       const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out)
{
    struct vc4vk_target *target = malloc(sizeof *target);
    if (!target)
        return vc4vk_oom(surface);
    *target = (struct vc4vk_target){.ops = &headless_target_ops, .extent = info->imageExtent};
    *out = target;
    return VK_SUCCESS;
}

static const struct vc4vk_surface_ops headless_surface_ops = {
    .get_extent = headless_get_extent,
    .create_target = headless_create_target,
    .composite_alpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
    .places_images = true,
};

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateHeadlessSurfaceEXT(VkInstance _instance,
                                                              const VkHeadlessSurfaceCreateInfoEXT *pCreateInfo,
                                                              const VkAllocationCallbacks *pAllocator,
                                                              VkSurfaceKHR *pSurface)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct vc4vk_surface *surface = vc4vk_new(vc4vk_alloc_choose(instance->alloc, pAllocator), struct vc4vk_surface,
                                              VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!surface)
        return vc4vk_oom(instance);
    vc4vk_object_init(&surface->base, VK_OBJECT_TYPE_SURFACE_KHR);
    surface->ops = &headless_surface_ops;
    *pSurface = vc4vk_surface_to_handle(surface);
    return VK_SUCCESS;
}
