/* SPDX-License-Identifier: MIT
 *
 * Surfaces of displays. Swapchain images are copied to dumb buffers (one shown, one about to be shown, one to copy to)
 * and flipped at the vertical blank. Nothing ever tears, so the only present modes are FIFO and MAILBOX. In FIFO the
 * chip's own display scans the swapchain images out directly: it reads their layout, and CPU reads from their memory
 * would be slow.
 *
 * While another program is master of the display (another virtual terminal), or while the display is turned off, images
 * count as shown, at the mode's pace: the application runs as with a hidden window. The last image is shown when that
 * ends. A display that is pulled out is a lost surface.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "util/log.h"
#include "util/thread.h"
#include "wsi/vc4vk_display.h"

#define BUFFERS           3u
#define CONNECTOR_POLL_NS UINT64_C(250000000) /* interval of checks whether the display is still plugged in */

struct display_surface {
    struct vc4vk_surface base;
    struct vc4vk_display *display;
    drmModeModeInfo mode;
    uint32_t plane; /* plane index, which is the index of the CRTC */
    VkExtent2D extent;
};

struct display_target {
    struct vc4vk_target base;
    struct vc4vk_kms_output output;
    struct util_list buffers;
    struct {
        struct vc4vk_kms_buffer *buffer;
        VkRect2D stale; /* area that has changed since the last copy to this buffer */
    } places[BUFFERS];
    struct vc4vk_kms_buffer *copied;                              /* holds the next frame */
    struct vc4vk_kms_buffer *adopted[VC4VK_MAX_SWAPCHAIN_IMAGES]; /* with shows_images: the swapchain images */
    VkExtent2D visible;                                           /* part of the images that fits the mode */
    uint32_t scanned_out; /* with shows_images: bit mask of the image that the display scans out */
    uint64_t polled_ns;
    _Atomic uint64_t vblanks;
    bool is_unavailable; /* another program is master, or the display is turned off */
};

static struct display_target *display_target(struct vc4vk_target *target)
{
    return container_of(target, struct display_target, base);
}

/* -- targets ------------------------------------------------------------------------------------------------------ */

static void display_target_destroy(struct vc4vk_target *base)
{
    struct display_target *target = display_target(base);
    vc4vk_kms_output_finish(&target->output, &target->buffers);
    free(target);
}

static VkRect2D clip(VkRect2D rect, VkExtent2D to)
{
    const uint32_t x = MIN2((uint32_t)rect.offset.x, to.width), y = MIN2((uint32_t)rect.offset.y, to.height);
    return (VkRect2D){{(int32_t)x, (int32_t)y},
                      {MIN2(rect.extent.width, to.width - x), MIN2(rect.extent.height, to.height - y)}};
}

static void display_target_copy(struct vc4vk_target *base, const uint8_t *pixels, uint32_t stride_B, VkRect2D changed)
{
    struct display_target *target = display_target(base);
    uint32_t free_place = 0;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        target->places[i].stale = vc4vk_rect_union(target->places[i].stale, changed);
        if (!vc4vk_kms_buffer_is_busy(&target->output, target->places[i].buffer))
            free_place = i;
    }
    struct vc4vk_kms_buffer *buffer = target->copied = target->places[free_place].buffer;
    vc4vk_copy_pixels(buffer->map, buffer->pitch_B, pixels, stride_B,
                      clip(target->places[free_place].stale, target->visible));
    target->places[free_place].stale = (VkRect2D){0};
}

/* Checks the connector once per interval; false in between. */
static bool is_pulled_out(struct display_target *target)
{
    const uint64_t now_ns = util_now_ns();
    if (now_ns < target->polled_ns + CONNECTOR_POLL_NS)
        return false;
    target->polled_ns = now_ns;
    return !vc4vk_kms_is_connected(target->output.kms, target->output.connector);
}

/* With a third image, one can be kept to be shown when the display is available again. */
static bool has_third_image(const struct display_target *target)
{
    return target->base.shows_images && target->adopted[2];
}

static VkResult display_target_show(struct vc4vk_target *base)
{
    struct display_target *target = display_target(base);
    base->needs_retry = false;
    if (is_pulled_out(target))
        return vc4vk_errorf(NULL, VK_ERROR_SURFACE_LOST_KHR, "present: the display has been pulled out");
    int err = vc4vk_kms_flip(&target->output, base->shows_images ? target->adopted[base->image] : target->copied);
    if (err == -EACCES || err == -EHOSTDOWN) {
        if (!target->is_unavailable)
            util_info("display: %s; nothing is shown until that ends",
                      err == -EACCES ? "another program is DRM master" : "it is turned off");
        target->is_unavailable = base->needs_retry = true;
        base->held = target->scanned_out | (has_third_image(target) ? BIT(base->image) : 0);
        base->free_ns = util_now_ns() + target->output.refresh_ns;
        if (vc4vk_present_mode_is_fifo(base->mode))
            usleep((useconds_t)(target->output.refresh_ns / 1000));
        return VK_SUCCESS;
    }
    if (err)
        return vc4vk_errorf(NULL, VK_ERROR_SURFACE_LOST_KHR, "present: the display refuses the flip: %s",
                            strerror(-err));
    target->is_unavailable = false;
    if (base->shows_images) {
        vc4vk_kms_wait_for_flip(&target->output);
        base->held = target->scanned_out = BIT(base->image);
    }
    base->free_ns = vc4vk_kms_next_vblank(&target->output);
    return VK_SUCCESS;
}

static void display_target_wait_until_visible(struct vc4vk_target *base)
{
    struct display_target *target = display_target(base);
    if (!target->is_unavailable)
        vc4vk_kms_wait_for_flip(&target->output);
}

static int create_buffers(struct display_target *target)
{
    for (uint32_t i = 0; i < BUFFERS; i++) {
        int err = vc4vk_kms_buffer_create(target->output.kms, target->output.mode.hdisplay,
                                          target->output.mode.vdisplay, &target->places[i].buffer);
        if (err)
            return err;
        util_list_add_tail(&target->buffers, &target->places[i].buffer->link);
        target->places[i].stale.extent = target->visible;
    }
    return 0;
}

static bool display_target_adopt(struct vc4vk_target *base, uint32_t image, int fd, uint32_t offset_B,
                                 uint32_t stride_B)
{
    struct display_target *target = display_target(base);
    const drmModeModeInfo *mode = &target->output.mode;
    if (vc4vk_kms_buffer_adopt(target->output.kms, mode->hdisplay, mode->vdisplay, fd, offset_B, stride_B,
                               &target->adopted[image]))
        return false;
    util_list_add_tail(&target->buffers, &target->adopted[image]->link);
    return true;
}

static VkResult display_target_after_refusal(struct vc4vk_target *base)
{
    util_perf("present: the display cannot scan out the swapchain's images: they are copied");
    base->wants_images = false;
    return create_buffers(display_target(base)) ? vc4vk_oom(NULL) : VK_SUCCESS;
}

/* The counter stands still while the display shows nothing. */
static VkResult display_target_count_vblanks(struct vc4vk_target *base, uint64_t *count_out)
{
    struct display_target *target = display_target(base);
    struct vc4vk_kms_vblank vblank;
    if (!vc4vk_kms_is_connected(target->output.kms, target->output.connector))
        return VK_ERROR_OUT_OF_DATE_KHR;
    if (!vc4vk_kms_vblank(target->output.kms, target->output.connector, &vblank))
        target->vblanks = vblank.count;
    *count_out = target->vblanks;
    return VK_SUCCESS;
}

static const struct vc4vk_target_ops display_target_ops = {
    .destroy = display_target_destroy,
    .copy = display_target_copy,
    .show = display_target_show,
    .wait_until_visible = display_target_wait_until_visible,
    .adopt = display_target_adopt,
    .after_refusal = display_target_after_refusal,
    .count_vblanks = display_target_count_vblanks,
};

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

static struct display_surface *display_surface(struct vc4vk_surface *surface)
{
    return container_of(surface, struct display_surface, base);
}

static VkResult display_surface_get_extent(struct vc4vk_surface *base, VkExtent2D *extent_out)
{
    struct display_surface *surface = display_surface(base);
    if (!vc4vk_kms_is_connected(surface->display->kms, surface->display->connector))
        return vc4vk_errorf(base, VK_ERROR_SURFACE_LOST_KHR, "display %s is not connected", surface->display->name);
    *extent_out = surface->extent;
    return VK_SUCCESS;
}

static VkResult fail(struct display_surface *surface, int err)
{
    const char *name = surface->display->name;
    switch (-err) {
    case EBUSY:
        return vc4vk_errorf(surface, VK_ERROR_NATIVE_WINDOW_IN_USE_KHR, "display %s already has a swapchain", name);
    case ENOMEM:
        return vc4vk_oom(surface);
    case EACCES:
        return vc4vk_errorf(surface, VK_ERROR_INITIALIZATION_FAILED, "display %s: another program is DRM master", name);
    default:
        return vc4vk_errorf(surface, VK_ERROR_SURFACE_LOST_KHR, "display %s: %s", name, strerror(-err));
    }
}

static VkResult display_surface_create_target(struct vc4vk_surface *base, const struct vc4vk_device *device,
                                              const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out)
{
    struct display_surface *surface = display_surface(base);
    VkExtent2D extent;
    VkResult result = display_surface_get_extent(base, &extent);
    if (result != VK_SUCCESS)
        return result;
    struct display_target *target = calloc(1, sizeof *target);
    if (!target)
        return vc4vk_oom(base);
    const drmModeModeInfo *mode = &surface->mode;
    target->base = (struct vc4vk_target){.ops = &display_target_ops, .extent = info->imageExtent, .keeps_pace = true};
    target->visible =
        clip((VkRect2D){.extent = info->imageExtent}, (VkExtent2D){mode->hdisplay, mode->vdisplay}).extent;
    util_list_init(&target->buffers);
    /* With a kernel device path the device is the chip, and these are its own displays. */
    const bool is_always_fifo = !vc4vk_swapchain_may_use_mode(info, VK_PRESENT_MODE_MAILBOX_KHR);
    target->base.wants_images = is_always_fifo && surface->display->physical->kmd.path[0] &&
                                info->imageExtent.width == mode->hdisplay && info->imageExtent.height == mode->vdisplay;
    const bool replaces = info->oldSwapchain != VK_NULL_HANDLE;
    int err = vc4vk_kms_output_init(&target->output, surface->display->kms, surface->plane, surface->display->connector,
                                    mode, replaces);
    if (err) {
        free(target);
        return fail(surface, err);
    }
    err = target->base.wants_images ? 0 : create_buffers(target);
    if (err) {
        display_target_destroy(&target->base);
        return fail(surface, err);
    }
    *out = &target->base;
    return VK_SUCCESS;
}

static const struct vc4vk_surface_ops display_surface_ops = {
    .get_extent = display_surface_get_extent,
    .create_target = display_surface_create_target,
    .composite_alpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
    .never_tears = true,
    .places_images = true,
    .passes_colors_through = true,
    .counts_vblanks = true,
};

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateDisplayPlaneSurfaceKHR(VkInstance _instance,
                                                                  const VkDisplaySurfaceCreateInfoKHR *pCreateInfo,
                                                                  const VkAllocationCallbacks *pAllocator,
                                                                  VkSurfaceKHR *pSurface)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    VC4VK_FROM_HANDLE(vc4vk_display_mode, mode, pCreateInfo->displayMode);
    if (pCreateInfo->planeIndex >= mode->display->kms->crtc_count)
        return vc4vk_errorf(instance, VK_ERROR_INITIALIZATION_FAILED, "display %s: plane %u, there are only %u",
                            mode->display->name, pCreateInfo->planeIndex, mode->display->kms->crtc_count);
    struct display_surface *surface = vc4vk_new(vc4vk_alloc_choose(instance->alloc, pAllocator), struct display_surface,
                                                VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!surface)
        return vc4vk_oom(instance);
    vc4vk_object_init(&surface->base.base, VK_OBJECT_TYPE_SURFACE_KHR);
    surface->base.ops = &display_surface_ops;
    surface->display = mode->display;
    surface->mode = mode->info;
    surface->plane = pCreateInfo->planeIndex;
    surface->extent = pCreateInfo->imageExtent;
    *pSurface = vc4vk_surface_to_handle(&surface->base);
    return VK_SUCCESS;
}
