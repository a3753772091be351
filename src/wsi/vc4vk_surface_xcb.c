/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_xcb_surface. If the X server runs on the chip that renders, the swapchain images become pixmaps of the server
 * (vc4vk_xcb_present.h): with T tiles if the server supports them, else raster. Otherwise images are copied to memory
 * shared with the X server (MIT-SHM 1.2 with a memfd), which puts them into the window; without shared memory they are
 * sent through the connection. The connection belongs to the application and may be used by several threads. All
 * requests that can fail are checked, so that no error of the driver's requests appears among the application's events.
 */
#define VK_USE_PLATFORM_XCB_KHR
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <drm_fourcc.h>
#include <xcb/shm.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "util/log.h"
#include "wsi/vc4vk_surface_xcb.h"
#include "wsi/vc4vk_xcb_present.h"

struct xcb_surface {
    struct vc4vk_surface base;
    xcb_connection_t *connection; /* the application's, unless owns_connection */
    bool owns_connection;
    xcb_window_t window;
};

struct xcb_target {
    struct vc4vk_target base;
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_gcontext_t gc;
    uint8_t depth;
    uint32_t size_B;
    uint8_t *pixels; /* the shared segment, or malloc'ed */
    bool is_shared;
    xcb_shm_seg_t segment; /* with is_shared */
    struct vc4vk_xcb_present present; /* with shows_images, instead of the copies above */
};

#define BYTES_PER_PIXEL 4u
#define IMAGES          3u /* one shown, one about to be shown, one for the application */

/* -- requests ----------------------------------------------------------------------------------------------------- */

/* Waits until the server has processed a checked request. Returns whether it succeeded. */
static bool succeeded(xcb_connection_t *connection, xcb_void_cookie_t cookie)
{
    xcb_generic_error_t *error = xcb_request_check(connection, cookie);
    bool ok = !error && !xcb_connection_has_error(connection);
    free(error);
    return ok;
}

/* NULL when the window does not exist any more or the connection is lost. The caller frees the reply. */
static xcb_get_geometry_reply_t *get_geometry(xcb_connection_t *connection, xcb_window_t window)
{
    xcb_generic_error_t *error = NULL;
    xcb_get_geometry_reply_t *geometry =
        xcb_get_geometry_reply(connection, xcb_get_geometry(connection, window), &error);
    free(error);
    return geometry;
}

/* -- shared memory ------------------------------------------------------------------------------------------------ */

static bool server_takes_descriptors(xcb_connection_t *connection)
{
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(connection, &xcb_shm_id);
    if (!extension || !extension->present)
        return false;
    xcb_generic_error_t *error = NULL;
    xcb_shm_query_version_reply_t *version =
        xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), &error);
    bool ok = version && (version->major_version > 1 || (version->major_version == 1 && version->minor_version >= 2));
    free(version);
    free(error);
    return ok;
}

static bool share_memory(struct xcb_target *target)
{
    if (!server_takes_descriptors(target->connection))
        return false;
    void *pixels;
    int fd = vc4vk_shared_pixels_create(target->size_B, &pixels);
    if (fd < 0)
        return false;
    target->segment = xcb_generate_id(target->connection);
    /* xcb closes the descriptor. */
    if (!succeeded(target->connection, xcb_shm_attach_fd_checked(target->connection, target->segment, fd, 1))) {
        munmap(pixels, target->size_B);
        return false;
    }
    target->pixels = pixels;
    return true;
}

/* -- targets ------------------------------------------------------------------------------------------------------ */

static struct xcb_target *xcb_target(struct vc4vk_target *target)
{
    return container_of(target, struct xcb_target, base);
}

static void xcb_target_destroy(struct vc4vk_target *base)
{
    struct xcb_target *target = xcb_target(base);
    vc4vk_xcb_present_finish(&target->present);
    if (target->is_shared) {
        (void)succeeded(target->connection, xcb_shm_detach_checked(target->connection, target->segment));
        munmap(target->pixels, target->size_B);
    } else {
        free(target->pixels);
    }
    if (target->gc)
        (void)succeeded(target->connection, xcb_free_gc_checked(target->connection, target->gc));
    free(target);
}

static void xcb_target_copy(struct vc4vk_target *base, const uint8_t *pixels, uint32_t stride_B, VkRect2D changed)
{
    vc4vk_copy_pixels(xcb_target(base)->pixels, base->extent.width * BYTES_PER_PIXEL, pixels, stride_B, changed);
}

/* Always puts the whole image: a window without backing store loses what was covered. */
static bool put_shared(struct xcb_target *target)
{
    uint16_t width = (uint16_t)target->base.extent.width, height = (uint16_t)target->base.extent.height;
    return succeeded(target->connection,
                     xcb_shm_put_image_checked(target->connection, target->window, target->gc, width, height, 0, 0,
                                               width, height, 0, 0, target->depth, XCB_IMAGE_FORMAT_Z_PIXMAP,
                                               0 /* no event */, target->segment, 0));
}

/* Sends the image in bands that fit a request. */
static bool put_through_connection(struct xcb_target *target)
{
    uint32_t row_B = target->base.extent.width * BYTES_PER_PIXEL;
    uint32_t max_B = xcb_get_maximum_request_length(target->connection) * 4 - (uint32_t)sizeof(xcb_put_image_request_t);
    uint32_t band_rows = MAX2(max_B / row_B, 1u);
    for (uint32_t y = 0; y < target->base.extent.height; y += band_rows) {
        uint32_t rows = MIN2(band_rows, target->base.extent.height - y);
        xcb_void_cookie_t cookie =
            xcb_put_image_checked(target->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, target->window, target->gc,
                                  (uint16_t)target->base.extent.width, (uint16_t)rows, 0, (int16_t)y, 0, target->depth,
                                  rows * row_B, target->pixels + (size_t)y * row_B);
        if (!succeeded(target->connection, cookie))
            return false;
    }
    return true;
}

static VkResult xcb_target_show(struct vc4vk_target *base)
{
    struct xcb_target *target = xcb_target(base);
    if (base->shows_images)
        return vc4vk_xcb_present_show(&target->present, base);
    bool ok = target->is_shared ? put_shared(target) : put_through_connection(target);
    xcb_get_geometry_reply_t *geometry = ok ? get_geometry(target->connection, target->window) : NULL;
    if (!geometry)
        return VK_ERROR_SURFACE_LOST_KHR;
    bool fits = geometry->width == base->extent.width && geometry->height == base->extent.height;
    free(geometry);
    return fits ? VK_SUCCESS : VK_SUBOPTIMAL_KHR;
}

static VkResult lost(void *object)
{
    return vc4vk_errorf(object, VK_ERROR_SURFACE_LOST_KHR,
                        "X11 surface: the window was destroyed or the connection to the X server is lost");
}

static VkResult prepare_copies(struct xcb_target *target)
{
    xcb_gcontext_t gc = xcb_generate_id(target->connection);
    uint32_t without_exposures = 0; /* GraphicsExpose events would go to the application */
    if (!succeeded(target->connection, xcb_create_gc_checked(target->connection, gc, target->window,
                                                             XCB_GC_GRAPHICS_EXPOSURES, &without_exposures)))
        return lost(NULL);
    target->gc = gc;
    target->is_shared = share_memory(target);
    if (target->is_shared)
        return VK_SUCCESS;
    util_perf("present: the X server does not support shared memory: images are sent through the connection");
    target->pixels = malloc(target->size_B);
    return target->pixels ? VK_SUCCESS : vc4vk_oom(NULL);
}

static void xcb_target_wait_until_visible(struct vc4vk_target *base)
{
    if (base->shows_images)
        vc4vk_xcb_present_wait_until_visible(&xcb_target(base)->present, base);
}

static bool xcb_target_adopt(struct vc4vk_target *base, uint32_t image, int fd, uint32_t offset_B, uint32_t stride_B)
{
    return vc4vk_xcb_present_adopt(&xcb_target(base)->present, base, image, fd, offset_B, stride_B);
}

/* Order of fallbacks: T tiles, raster, copies. */
static VkResult xcb_target_after_refusal(struct vc4vk_target *base)
{
    struct xcb_target *target = xcb_target(base);
    vc4vk_xcb_present_free_pixmaps(&target->present);
    if (base->modifier != DRM_FORMAT_MOD_LINEAR && target->present.has_linear) {
        base->modifier = DRM_FORMAT_MOD_LINEAR;
        return VK_SUCCESS;
    }
    util_perf("present: the X server refuses the swapchain's images: they are copied");
    vc4vk_xcb_present_finish(&target->present);
    base->wants_images = base->keeps_pace = false;
    return prepare_copies(target);
}

static VkResult xcb_target_wait(struct vc4vk_target *base)
{
    return vc4vk_xcb_present_wait(&xcb_target(base)->present, base);
}

static void xcb_target_wake(struct vc4vk_target *base)
{
    if (base->shows_images)
        vc4vk_xcb_present_wake(&xcb_target(base)->present);
}

static const struct vc4vk_target_ops xcb_target_ops = {
    .destroy = xcb_target_destroy,
    .copy = xcb_target_copy,
    .show = xcb_target_show,
    .wait_until_visible = xcb_target_wait_until_visible,
    .adopt = xcb_target_adopt,
    .after_refusal = xcb_target_after_refusal,
    .wait = xcb_target_wait,
    .wake = xcb_target_wake,
};

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

static struct xcb_surface *xcb_surface(struct vc4vk_surface *surface)
{
    return container_of(surface, struct xcb_surface, base);
}

static VkResult xcb_surface_get_extent(struct vc4vk_surface *base, VkExtent2D *extent_out)
{
    struct xcb_surface *surface = xcb_surface(base);
    xcb_get_geometry_reply_t *geometry = get_geometry(surface->connection, surface->window);
    if (!geometry)
        return lost(base);
    *extent_out = (VkExtent2D){geometry->width, geometry->height};
    free(geometry);
    return VK_SUCCESS;
}

/* Sets wants_images if the server can show the swapchain images, and chooses their layout. VC4VK_SHOWN needs raster
 * images. */
static void choose_images(struct xcb_target *target, const struct vc4vk_device *device,
                          const xcb_get_geometry_reply_t *geometry)
{
    struct vc4vk_target *base = &target->base;
    const char *node_path = device->physical->kmd.path; /* empty for the model, whose memory is process-private */
    if (!node_path[0] ||
        !vc4vk_xcb_present_init(&target->present, target->connection, target->window, geometry, node_path))
        return;
    const bool wants_tiles = target->present.has_tiles && !vc4vk_present_dump_is_enabled();
    base->wants_images = true;
    base->modifier = wants_tiles ? DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED : DRM_FORMAT_MOD_LINEAR;
    base->min_images = IMAGES;
    base->keeps_pace = base->replaces = true;
}

static VkResult xcb_surface_create_target(struct vc4vk_surface *base, const struct vc4vk_device *device,
                                          const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out)
{
    VkExtent2D extent = info->imageExtent;
    struct xcb_surface *surface = xcb_surface(base);
    xcb_get_geometry_reply_t *geometry = get_geometry(surface->connection, surface->window);
    if (!geometry)
        return lost(base);
    struct xcb_target *target = calloc(1, sizeof *target);
    if (!target) {
        free(geometry);
        return vc4vk_oom(base);
    }
    target->base = (struct vc4vk_target){.ops = &xcb_target_ops, .extent = extent};
    target->connection = surface->connection;
    target->window = surface->window;
    target->depth = geometry->depth;
    target->size_B = extent.width * extent.height * BYTES_PER_PIXEL;
    choose_images(target, device, geometry);
    free(geometry);
    VkResult result = target->base.wants_images ? VK_SUCCESS : prepare_copies(target);
    if (result == VK_SUCCESS)
        *out = &target->base;
    else
        xcb_target_destroy(&target->base);
    return result;
}

static void xcb_surface_finish(struct vc4vk_surface *base)
{
    struct xcb_surface *surface = xcb_surface(base);
    if (surface->owns_connection)
        xcb_disconnect(surface->connection);
}

static const struct vc4vk_surface_ops xcb_surface_ops = {
    .finish = xcb_surface_finish,
    .get_extent = xcb_surface_get_extent,
    .create_target = xcb_surface_create_target,
    .composite_alpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
    .places_images = true,
};

VkResult vc4vk_create_window_surface(struct vc4vk_instance *instance, const VkAllocationCallbacks *alloc,
                                     xcb_connection_t *connection, bool owns_connection, xcb_window_t window,
                                     VkSurfaceKHR *surface_out)
{
    struct xcb_surface *surface = vc4vk_new(alloc, struct xcb_surface, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!surface) {
        if (owns_connection)
            xcb_disconnect(connection);
        return vc4vk_oom(instance);
    }
    vc4vk_object_init(&surface->base.base, VK_OBJECT_TYPE_SURFACE_KHR);
    surface->base.ops = &xcb_surface_ops;
    surface->connection = connection;
    surface->owns_connection = owns_connection;
    surface->window = window;
    *surface_out = vc4vk_surface_to_handle(&surface->base);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateXcbSurfaceKHR(VkInstance _instance,
                                                         const VkXcbSurfaceCreateInfoKHR *pCreateInfo,
                                                         const VkAllocationCallbacks *pAllocator,
                                                         VkSurfaceKHR *pSurface)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    return vc4vk_create_window_surface(instance, vc4vk_alloc_choose(instance->alloc, pAllocator),
                                       pCreateInfo->connection, false, pCreateInfo->window, pSurface);
}

bool vc4vk_pixels_fit(uint32_t depth, uint32_t red_mask, uint32_t green_mask, uint32_t blue_mask)
{
    return (depth == 24 || depth == 32) && red_mask == 0xff0000 && green_mask == 0x00ff00 && blue_mask == 0x0000ff;
}

static bool visual_fits(uint8_t depth, const xcb_visualtype_t *visual)
{
    return (visual->_class == XCB_VISUAL_CLASS_TRUE_COLOR || visual->_class == XCB_VISUAL_CLASS_DIRECT_COLOR) &&
           vc4vk_pixels_fit(depth, visual->red_mask, visual->green_mask, visual->blue_mask);
}

VKAPI_ATTR VkBool32 VKAPI_CALL vc4vk_GetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice physicalDevice,
                                                                                uint32_t queueFamilyIndex,
                                                                                xcb_connection_t *connection,
                                                                                xcb_visualid_t visual_id)
{
    if (xcb_connection_has_error(connection))
        return VK_FALSE;
    xcb_screen_iterator_t screen = xcb_setup_roots_iterator(xcb_get_setup(connection));
    for (; screen.rem; xcb_screen_next(&screen)) {
        xcb_depth_iterator_t depth = xcb_screen_allowed_depths_iterator(screen.data);
        for (; depth.rem; xcb_depth_next(&depth)) {
            xcb_visualtype_iterator_t visual = xcb_depth_visuals_iterator(depth.data);
            for (; visual.rem; xcb_visualtype_next(&visual))
                if (visual.data->visual_id == visual_id && visual_fits(depth.data->depth, visual.data))
                    return VK_TRUE;
        }
    }
    return VK_FALSE;
}
