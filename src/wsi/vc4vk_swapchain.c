/* SPDX-License-Identifier: MIT
 *
 * Entry points of VK_KHR_swapchain and its extensions: creates swapchains and their images, acquires, queues and
 * releases images, waits until they are shown. The presenter thread (vc4vk_presenter.c) shows them.
 */
#include <string.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"
#include "queue/vc4vk_sync.h"
#include "util/thread.h"
#include "wsi/vc4vk_swapchain.h"

#define LOSS_POLL_NS UINT64_C(100000000)

/* -- images ------------------------------------------------------------------------------------------------------- */

/* View formats are not limited to the application's list: all formats of the same texel size have the same layout. */
static VkImageCreateFlags image_flags(const VkSwapchainCreateInfoKHR *info)
{
    const bool is_mutable = info->flags & VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    return is_mutable ? VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT : 0;
}

/* Images are raster if they are copied for presentation or if programs store to them. */
static VkImageTiling image_tiling(const struct vc4vk_target *target, VkImageUsageFlags usage)
{
    const bool is_tiled = target->wants_images && target->modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED &&
                          !(usage & VK_IMAGE_USAGE_STORAGE_BIT);
    return is_tiled ? VK_IMAGE_TILING_OPTIMAL : VK_IMAGE_TILING_LINEAR;
}

static VkResult create_image(struct vc4vk_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                             const VkAllocationCallbacks *alloc, struct vc4vk_swapchain_image *out)
{
    VkDevice handle = vc4vk_device_to_handle(swapchain->device);
    const VkImageCreateInfo image_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = image_flags(info),
        .imageType = VK_IMAGE_TYPE_2D,
        .format = info->imageFormat,
        .extent = {info->imageExtent.width, info->imageExtent.height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = swapchain->base.tiling,
        .usage = info->imageUsage,
    };
    VkResult result = vc4vk_CreateImage(handle, &image_info, alloc, &out->image);
    if (result != VK_SUCCESS)
        return result == VK_ERROR_FORMAT_NOT_SUPPORTED ? VK_ERROR_INITIALIZATION_FAILED : result;
    VkMemoryRequirements needs;
    vc4vk_GetImageMemoryRequirements(handle, out->image, &needs);
    const VkExportMemoryAllocateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                              .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkMemoryAllocateInfo memory_info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = swapchain->target->wants_images ? &share : NULL,
        .allocationSize = needs.size,
    };
    result = vc4vk_AllocateMemory(handle, &memory_info, alloc, &out->memory);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_BindImageMemory(handle, out->image, out->memory, 0);
    VC4VK_FROM_HANDLE(vc4vk_image, image, out->image);
    image->is_presentable = true;
    const struct vc4vk_image_plane *plane = vc4vk_image_plane(image, VK_IMAGE_ASPECT_COLOR_BIT);
    out->pixels = (const uint8_t *)image->memory->map + plane->offset_B + plane->layout.level[0].offset_B;
    out->stride_B = plane->layout.level[0].stride_B;
    return VK_SUCCESS;
}

static void destroy_images(struct vc4vk_swapchain *swapchain, const VkAllocationCallbacks *alloc)
{
    for (uint32_t i = 0; i < swapchain->image_count; i++) {
        struct vc4vk_swapchain_image *image = &swapchain->images[i];
        vc4vk_DestroyImage(vc4vk_device_to_handle(swapchain->device), image->image, alloc);
        vc4vk_FreeMemory(vc4vk_device_to_handle(swapchain->device), image->memory, alloc);
        *image = (struct vc4vk_swapchain_image){0};
    }
    swapchain->image_count = 0;
}

static VkResult create_images(struct vc4vk_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                              const VkAllocationCallbacks *alloc)
{
    const struct vc4vk_target *target = swapchain->target;
    uint32_t count = MAX2(info->minImageCount, VC4VK_MIN_SWAPCHAIN_IMAGES);
    if (target->wants_images)
        count = MAX2(count, target->min_images);
    VkResult result = VK_SUCCESS;
    swapchain->base.tiling = image_tiling(target, info->imageUsage);
    while (result == VK_SUCCESS && swapchain->image_count < count)
        result = create_image(swapchain, info, alloc, &swapchain->images[swapchain->image_count++]);
    return result;
}

/* Whether the image has the layout of the modifier. Small images are LT-tiled, for which there is no modifier. */
static bool has_modifier(const struct vc4vk_swapchain_image *image, uint64_t modifier)
{
    VC4VK_FROM_HANDLE(vc4vk_image, of, image->image);
    const enum hw_tiling tiling = vc4vk_image_plane(of, VK_IMAGE_ASPECT_COLOR_BIT)->layout.level[0].tiling;
    return modifier == DRM_FORMAT_MOD_LINEAR || tiling == HW_TILING_T;
}

static bool adopt_image(struct vc4vk_target *target, const struct vc4vk_swapchain_image *image, uint32_t index)
{
    VC4VK_FROM_HANDLE(vc4vk_memory, memory, image->memory);
    struct kmd_bo *bo = memory->part.bo;
    int fd;
    /* The BO's tiling is set as well, for importers that query the layout from the kernel. */
    if (!has_modifier(image, target->modifier) || kmd_bo_set_tiling(bo, target->modifier) || kmd_bo_export_fd(bo, &fd))
        return false;
    const uint32_t offset_B = memory->part.offset_B + (uint32_t)(image->pixels - (const uint8_t *)memory->map);
    bool is_adopted = target->ops->adopt(target, index, fd, offset_B, image->stride_B);
    close(fd);
    return is_adopted;
}

/* Whether the target has adopted all images. */
static bool adopt_images(struct vc4vk_swapchain *swapchain)
{
    bool is_adopted = true;
    for (uint32_t i = 0; i < swapchain->image_count && is_adopted; i++)
        is_adopted = adopt_image(swapchain->target, &swapchain->images[i], i);
    return is_adopted;
}

/* Creates the images in the layout that the target wants. If the target refuses them, repeats with the next layout that
 * it asks for, until it accepts the images or has them copied. */
static VkResult provide_images(struct vc4vk_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                               const VkAllocationCallbacks *alloc)
{
    struct vc4vk_target *target = swapchain->target;
    VkResult result = create_images(swapchain, info, alloc);
    while (result == VK_SUCCESS && target->wants_images && !target->shows_images) {
        target->shows_images = adopt_images(swapchain);
        if (target->shows_images)
            break;
        destroy_images(swapchain, alloc);
        result = target->ops->after_refusal(target);
        if (result == VK_SUCCESS)
            result = create_images(swapchain, info, alloc);
    }
    return result;
}

/* -- create and destroy ------------------------------------------------------------------------------------------- */

bool vc4vk_swapchain_may_use_mode(const VkSwapchainCreateInfoKHR *info, VkPresentModeKHR mode)
{
    const VkSwapchainPresentModesCreateInfoEXT *modes =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT);
    for (uint32_t i = 0; modes && i < modes->presentModeCount; i++)
        if (modes->pPresentModes[i] == mode)
            return true;
    return mode == info->presentMode;
}

/* NULL when the surface has all the modes that presents may ask for. */
static const char *check_modes(const struct vc4vk_surface *surface, const VkSwapchainCreateInfoKHR *info)
{
    const VkSwapchainPresentModesCreateInfoEXT *modes =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT);
    for (uint32_t i = 0; modes && i < modes->presentModeCount; i++)
        if (!vc4vk_surface_has_present_mode(surface, modes->pPresentModes[i]))
            return "the surface does not have all modes of VkSwapchainPresentModesCreateInfoEXT";
    return NULL;
}

/* NULL when the surface can scale and place images like that. */
static const char *check_scaling(const struct vc4vk_surface *surface, const VkSwapchainCreateInfoKHR *info)
{
    const VkSwapchainPresentScalingCreateInfoEXT *scaling =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT);
    const VkPresentGravityFlagsEXT gravity = vc4vk_surface_gravity(surface);
    if (!scaling || !(scaling->scalingBehavior & ~vc4vk_surface_scaling(surface) ||
                      (scaling->presentGravityX | scaling->presentGravityY) & ~gravity))
        return NULL;
    return "the surface does not have the scaling or gravity of VkSwapchainPresentScalingCreateInfoEXT";
}

static VkResult check_create_info(struct vc4vk_device *device, const VkSwapchainCreateInfoKHR *info)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, info->surface);
    const char *why = NULL;
    if (!vc4vk_surface_has_format(surface, device->physical, info->imageFormat, info->imageColorSpace))
        why = "the surface does not have this format";
    else if (!vc4vk_surface_has_present_mode(surface, info->presentMode))
        why = "the surface does not have this present mode";
    else if (info->minImageCount > VC4VK_MAX_SWAPCHAIN_IMAGES)
        why = "more images than the surface's maxImageCount";
    else if (info->flags & VK_SWAPCHAIN_CREATE_PROTECTED_BIT_KHR)
        why = "protected images are not supported";
    else if (info->imageArrayLayers != 1)
        why = "images have exactly one layer";
    else if (!info->imageExtent.width || !info->imageExtent.height ||
             info->imageExtent.width > VC4VK_MAX_SWAPCHAIN_PX || info->imageExtent.height > VC4VK_MAX_SWAPCHAIN_PX)
        why = "the extent is 0 or larger than the surface's maxImageExtent";
    if (!why)
        why = check_modes(surface, info);
    if (!why)
        why = check_scaling(surface, info);
    if (!why)
        return VK_SUCCESS;
    return vc4vk_errorf(device, VK_ERROR_INITIALIZATION_FAILED, "swapchain of %ux%u, %u images, format %d, mode %d: %s",
                        info->imageExtent.width, info->imageExtent.height, info->minImageCount, info->imageFormat,
                        info->presentMode, why);
}

static bool init_locks(struct vc4vk_swapchain *swapchain)
{
    if (pthread_mutex_init(&swapchain->lock, NULL))
        return false;
    if (!util_cond_init(&swapchain->changed))
        return true;
    pthread_mutex_destroy(&swapchain->lock);
    return false;
}

static void destroy(struct vc4vk_swapchain *swapchain, const VkAllocationCallbacks *alloc)
{
    vc4vk_presenter_stop(swapchain);
    destroy_images(swapchain, alloc);
    if (swapchain->target)
        swapchain->target->ops->destroy(swapchain->target);
    pthread_cond_destroy(&swapchain->changed);
    pthread_mutex_destroy(&swapchain->lock);
    vc4vk_free(alloc, swapchain);
}

static VkResult init_swapchain(struct vc4vk_swapchain *swapchain, const VkSwapchainCreateInfoKHR *info,
                               const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_surface, surface, info->surface);
    VkResult result = surface->ops->create_target(surface, swapchain->device, info, &swapchain->target);
    if (result == VK_SUCCESS)
        swapchain->target->mode = info->presentMode;
    if (result == VK_SUCCESS)
        result = provide_images(swapchain, info, alloc);
    swapchain->last_acquired = swapchain->image_count - 1;
    return result == VK_SUCCESS ? vc4vk_presenter_start(swapchain) : result;
}

static VkDeviceMemory memory_of_image(const struct vc4vk_swapchain_memory *base, uint32_t index)
{
    const struct vc4vk_swapchain *swapchain = (const struct vc4vk_swapchain *)base;
    return index < swapchain->image_count ? swapchain->images[index].memory : VK_NULL_HANDLE;
}

/* Ends acquisition: images already acquired or queued are still presented. */
static void retire(struct vc4vk_swapchain *swapchain)
{
    pthread_mutex_lock(&swapchain->lock);
    swapchain->is_retired = true;
    vc4vk_presenter_wake_locked(swapchain);
    pthread_mutex_unlock(&swapchain->lock);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateSwapchainKHR(VkDevice _device, const VkSwapchainCreateInfoKHR *pCreateInfo,
                                                        const VkAllocationCallbacks *pAllocator,
                                                        VkSwapchainKHR *pSwapchain)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    vc4vk_drop_unknown_bits(device, VC4VK_BITS_SWAPCHAIN_FLAGS, pCreateInfo->flags);
    struct vc4vk_swapchain *old = vc4vk_swapchain_get(device, pCreateInfo->oldSwapchain);
    if (old)
        retire(old);
    vc4vk_swapchain_put(device, old);
    VkResult result = check_create_info(device, pCreateInfo);
    if (result == VK_SUCCESS && kmd_device_is_lost(device->kmd))
        result = VK_ERROR_DEVICE_LOST;
    if (result != VK_SUCCESS)
        return result;
    struct vc4vk_swapchain *swapchain = vc4vk_new(alloc, struct vc4vk_swapchain, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!swapchain || !init_locks(swapchain)) {
        vc4vk_free(alloc, swapchain);
        return vc4vk_oom(device);
    }
    vc4vk_object_init(&swapchain->base.base, VK_OBJECT_TYPE_SWAPCHAIN_KHR);
    swapchain->base.memory_of_image = memory_of_image;
    swapchain->device = device;
    swapchain->mode = swapchain->new_mode = pCreateInfo->presentMode;
    for (uint32_t mode = 0; mode < 32; mode++)
        if (vc4vk_swapchain_may_use_mode(pCreateInfo, (VkPresentModeKHR)mode))
            swapchain->modes |= BIT(mode);
    result = init_swapchain(swapchain, pCreateInfo, alloc);
    if (result != VK_SUCCESS) {
        destroy(swapchain, alloc);
        return result;
    }
    vc4vk_swapchain_memory_publish(device, &swapchain->base);
    *pSwapchain = (VkSwapchainKHR)(uintptr_t)swapchain;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroySwapchainKHR(VkDevice _device, VkSwapchainKHR _swapchain,
                                                     const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain_memory *base = vc4vk_swapchain_memory_withdraw(device, _swapchain);
    struct vc4vk_swapchain *swapchain = (struct vc4vk_swapchain *)base;
    if (!swapchain)
        return;
    retire(swapchain); /* wakes threads that wait for an image */
    vc4vk_swapchain_memory_wait_unused(device, base);
    destroy(swapchain, vc4vk_alloc_choose(device->alloc, pAllocator));
}

static VkResult get_images(const struct vc4vk_swapchain *swapchain, uint32_t *pSwapchainImageCount,
                           VkImage *pSwapchainImages)
{
    if (!swapchain) {
        *pSwapchainImageCount = 0;
        return VK_ERROR_OUT_OF_DATE_KHR;
    }
    if (!pSwapchainImages) {
        *pSwapchainImageCount = swapchain->image_count;
        return VK_SUCCESS;
    }
    *pSwapchainImageCount = MIN2(*pSwapchainImageCount, swapchain->image_count);
    for (uint32_t i = 0; i < *pSwapchainImageCount; i++)
        pSwapchainImages[i] = swapchain->images[i].image;
    return *pSwapchainImageCount < swapchain->image_count ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetSwapchainImagesKHR(VkDevice _device, VkSwapchainKHR _swapchain,
                                                           uint32_t *pSwapchainImageCount, VkImage *pSwapchainImages)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, _swapchain);
    VkResult result = get_images(swapchain, pSwapchainImageCount, pSwapchainImages);
    vc4vk_swapchain_put(device, swapchain);
    return result;
}

/* -- acquire ------------------------------------------------------------------------------------------------------ */

/* The next free image in round-robin order; image_count when there is none. */
static uint32_t find_free_locked(const struct vc4vk_swapchain *swapchain)
{
    for (uint32_t i = 1; i <= swapchain->image_count; i++) {
        uint32_t image = (swapchain->last_acquired + i) % swapchain->image_count;
        if (swapchain->images[image].state == VC4VK_IMAGE_FREE)
            return image;
    }
    return swapchain->image_count;
}

static VkResult acquire(struct vc4vk_swapchain *swapchain, uint64_t timeout_ns, uint32_t *image_out)
{
    uint64_t deadline_ns = util_deadline_ns(timeout_ns);
    VkResult result = VK_TIMEOUT;
    bool in_time = true;
    pthread_mutex_lock(&swapchain->lock);
    while (result == VK_TIMEOUT) {
        uint32_t image = find_free_locked(swapchain);
        if (kmd_device_is_lost(swapchain->device->kmd)) {
            result = VK_ERROR_DEVICE_LOST;
        } else if (swapchain->is_retired) {
            result = VK_ERROR_OUT_OF_DATE_KHR;
        } else if (swapchain->status < 0) {
            result = swapchain->status;
        } else if (image < swapchain->image_count) {
            swapchain->images[image].state = VC4VK_IMAGE_ACQUIRED;
            swapchain->last_acquired = *image_out = image;
            result = swapchain->status;
        } else if (timeout_ns == 0) {
            result = VK_NOT_READY;
        } else if (!in_time) {
            break;
        } else {
            vc4vk_presenter_poll_now_locked(swapchain);
            in_time = util_cond_wait_until(&swapchain->changed, &swapchain->lock, deadline_ns);
        }
    }
    pthread_mutex_unlock(&swapchain->lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AcquireNextImageKHR(VkDevice _device, VkSwapchainKHR _swapchain, uint64_t timeout,
                                                         VkSemaphore semaphore, VkFence fence, uint32_t *pImageIndex)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, _swapchain);
    VkResult result = swapchain ? acquire(swapchain, timeout, pImageIndex) : VK_ERROR_OUT_OF_DATE_KHR;
    vc4vk_swapchain_put(device, swapchain);
    if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR) {
        vc4vk_semaphore_signal_at(&device->queue_device, semaphore, &VC4VK_TIMESTAMPS_RETIRED);
        vc4vk_fence_signal_at(&device->queue_device, fence, &VC4VK_TIMESTAMPS_RETIRED);
    }
    return result;
}

/* Device groups have one device, so the device mask is ignored. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_AcquireNextImage2KHR(VkDevice device,
                                                          const VkAcquireNextImageInfoKHR *pAcquireInfo,
                                                          uint32_t *pImageIndex)
{
    return vc4vk_AcquireNextImageKHR(device, pAcquireInfo->swapchain, pAcquireInfo->timeout, pAcquireInfo->semaphore,
                                     pAcquireInfo->fence, pImageIndex);
}

/* -- present ------------------------------------------------------------------------------------------------------ */

/* The timestamps at which the images are finished. With one semaphore they are that semaphore's. With several
 * semaphores, or one shared with other processes (which has no timestamps), they are those of commands that wait for
 * them. Without semaphores they are the queue's last ones. On failure no semaphore has been consumed. */
static VkResult take_waits(struct vc4vk_queue *queue, const VkPresentInfoKHR *info,
                           struct vc4vk_timestamp_set *ready_out)
{
    if (!info->waitSemaphoreCount) {
        *ready_out = vc4vk_queue_last_timestamps(queue);
        return VK_SUCCESS;
    }
    if (info->waitSemaphoreCount == 1 && !vc4vk_semaphore_is_shared(queue->device, info->pWaitSemaphores[0])) {
        *ready_out = vc4vk_semaphore_take(queue->device, info->pWaitSemaphores[0]);
        return VK_SUCCESS;
    }
    *ready_out = VC4VK_TIMESTAMPS_RETIRED;
    return vc4vk_queue_submit_waits(queue, info->pWaitSemaphores, info->waitSemaphoreCount, ready_out);
}

/* Combines two results: an error wins over VK_SUBOPTIMAL_KHR, which wins over VK_SUCCESS. */
static VkResult worse_result(VkResult a, VkResult b)
{
    if (a < 0 || b < 0)
        return a < 0 ? a : b;
    return a != VK_SUCCESS ? a : b;
}

/* The bounding box of the regions of VK_KHR_incremental_present; the whole image when there are none. */
static VkRect2D changed_area(const struct vc4vk_swapchain *swapchain, const VkPresentInfoKHR *info, uint32_t index)
{
    const VkExtent2D extent = swapchain->target->extent;
    const VkPresentRegionsKHR *regions = vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PRESENT_REGIONS_KHR);
    const VkPresentRegionKHR *region = regions && regions->pRegions ? &regions->pRegions[index] : NULL;
    VkRect2D area = {0};
    for (uint32_t i = 0; region && i < region->rectangleCount; i++) {
        const VkRectLayerKHR *r = &region->pRectangles[i];
        if (r->offset.x < 0 || r->offset.y < 0 || (uint64_t)r->offset.x + r->extent.width > extent.width ||
            (uint64_t)r->offset.y + r->extent.height > extent.height)
            return (VkRect2D){.extent = extent}; /* invalid usage: must not make the copy write out of bounds */
        area = vc4vk_rect_union(area, (VkRect2D){r->offset, r->extent});
    }
    return region && region->rectangleCount ? area : (VkRect2D){.extent = extent};
}

static VkResult present_to(struct vc4vk_device *device, const VkPresentInfoKHR *info, uint32_t index,
                           struct vc4vk_timestamp_set ready)
{
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, info->pSwapchains[index]);
    if (!swapchain)
        return VK_ERROR_OUT_OF_DATE_KHR;
    const VkSwapchainPresentModeInfoEXT *modes =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT);
    const VkPresentIdKHR *ids = vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PRESENT_ID_KHR);
    const struct vc4vk_present_request request = {
        .image = info->pImageIndices[index],
        .ready = ready,
        .changed = changed_area(swapchain, info, index),
        .mode = modes && modes->pPresentModes ? &modes->pPresentModes[index] : NULL,
        .id = ids && ids->pPresentIds ? ids->pPresentIds[index] : 0,
    };
    VkResult result = vc4vk_presenter_push(swapchain, &request);
    vc4vk_swapchain_put(device, swapchain);
    return result;
}

/* A present fence is signalled when rendering has finished. The semaphores have been taken when this function returns,
 * and destroying the swapchain shows what is pending, so a program may do either from then on. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_QueuePresentKHR(VkQueue _queue, const VkPresentInfoKHR *pPresentInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_queue, queue, _queue);
    struct vc4vk_device *device = vc4vk_device_from_queue(queue);
    struct vc4vk_timestamp_set ready;
    VkResult result = take_waits(queue, pPresentInfo, &ready);
    if (kmd_device_is_lost(queue->device->kmd))
        result = VK_ERROR_DEVICE_LOST;
    const bool is_enqueued = result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
    const VkSwapchainPresentFenceInfoEXT *fences =
        vc4vk_find_in_chain(pPresentInfo->pNext, VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT);
    VkResult all = result;
    for (uint32_t i = 0; i < pPresentInfo->swapchainCount; i++) {
        if (!is_enqueued) { /* the application still owns the image and may try again */
            if (pPresentInfo->pResults)
                pPresentInfo->pResults[i] = result;
            continue;
        }
        VkResult one = present_to(device, pPresentInfo, i, ready);
        if (fences && fences->pFences)
            vc4vk_fence_signal_at(&device->queue_device, fences->pFences[i], &ready);
        one = worse_result(result, one);
        if (pPresentInfo->pResults)
            pPresentInfo->pResults[i] = one;
        all = worse_result(all, one);
    }
    inspect_end_by_present(queue->device->scheduler.inspect);
    return all;
}

/* -- VK_KHR_present_wait ------------------------------------------------------------------------------------------ */

/* Whether an image that reaches the id is still to be shown. */
static bool is_id_pending_locked(const struct vc4vk_swapchain *swapchain, uint64_t id)
{
    for (uint32_t i = 0; i < swapchain->pending_count; i++)
        if (swapchain->pending[i].id >= id)
            return true;
    return false;
}

/* Wakes now and then, because nothing signals the swapchain when the device is lost. False: it is too late. */
static bool sleep_locked(struct vc4vk_swapchain *swapchain, uint64_t deadline_ns)
{
    const uint64_t wake_ns = MIN2(deadline_ns, util_deadline_ns(LOSS_POLL_NS));
    return util_cond_wait_until(&swapchain->changed, &swapchain->lock, wake_ns) || util_now_ns() < deadline_ns;
}

/* An id that no present has had yet may come, unless the swapchain is retired. */
static VkResult wait_for_id(struct vc4vk_swapchain *swapchain, uint64_t id, uint64_t timeout_ns)
{
    const uint64_t deadline_ns = util_deadline_ns(timeout_ns);
    VkResult result = VK_TIMEOUT;
    bool in_time = true;
    pthread_mutex_lock(&swapchain->lock);
    while (result == VK_TIMEOUT) {
        if (swapchain->shown_id >= id)
            result = VK_SUCCESS;
        else if (kmd_device_is_lost(swapchain->device->kmd))
            result = VK_ERROR_DEVICE_LOST;
        else if (swapchain->status < 0)
            result = swapchain->status;
        else if (swapchain->is_retired && !swapchain->is_presenting && !is_id_pending_locked(swapchain, id))
            result = VK_ERROR_OUT_OF_DATE_KHR;
        else if (!in_time)
            break;
        else
            in_time = sleep_locked(swapchain, deadline_ns);
    }
    pthread_mutex_unlock(&swapchain->lock);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_WaitForPresentKHR(VkDevice _device, VkSwapchainKHR _swapchain, uint64_t presentId,
                                                       uint64_t timeout)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, _swapchain);
    VkResult result = swapchain ? wait_for_id(swapchain, presentId, timeout) : VK_ERROR_OUT_OF_DATE_KHR;
    vc4vk_swapchain_put(device, swapchain);
    return result;
}

/* -- VK_EXT_swapchain_maintenance1 -------------------------------------------------------------------------------- */

/* Images that are not acquired stay as they are. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ReleaseSwapchainImagesEXT(VkDevice _device,
                                                               const VkReleaseSwapchainImagesInfoEXT *pReleaseInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, pReleaseInfo->swapchain);
    if (!swapchain)
        return VK_SUCCESS; /* its images are gone */
    pthread_mutex_lock(&swapchain->lock);
    for (uint32_t i = 0; i < pReleaseInfo->imageIndexCount; i++) {
        const uint32_t image = pReleaseInfo->pImageIndices[i];
        if (image < swapchain->image_count && swapchain->images[image].state == VC4VK_IMAGE_ACQUIRED)
            swapchain->images[image].state = VC4VK_IMAGE_FREE;
    }
    pthread_cond_broadcast(&swapchain->changed);
    pthread_mutex_unlock(&swapchain->lock);
    vc4vk_swapchain_put(device, swapchain);
    return VK_SUCCESS;
}
