/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_wayland_surface. If the chip renders and the compositor can read its buffers (vc4vk_wayland_dmabuf.h), the
 * swapchain images themselves are committed to the surface. Otherwise they are copied to memory shared with the
 * compositor (wl_shm). The wl_display belongs to the application, whose threads read its events as well. The target
 * therefore has an event queue of its own, and the presenter reads events by the rules of
 * wl_display_prepare_read_queue().
 *
 * FIFO waits for the frame event of the previous commit, which follows the compositor's clock. A hidden surface gets no
 * frame events, so the wait times out and the application continues slowly. In MAILBOX an image is committed as soon as
 * it is finished, and the compositor uses the newest at its own tick. Nothing is committed before it is finished, so a
 * compositor never waits for the chip. The application gets an image back only when the compositor has released its
 * buffer.
 */
#define VK_USE_PLATFORM_WAYLAND_KHR
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <wayland-client.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "util/log.h"
#include "util/thread.h"
#include "wsi/vc4vk_wayland_dmabuf.h"
#include "wsi/vc4vk_wsi.h"

#define BYTES_PER_PIXEL  4u
#define BUFFERS          3u /* one shown, one about to be shown, one to copy to */
#define IMAGES           3u /* one shown, one about to be shown, one for the application */
#define EVENT_TIMEOUT_NS UINT64_C(100000000)
#define MAX_POLL_MS      UINT64_C(1000000)

struct wayland_surface {
    struct vc4vk_surface base;
    struct wl_display *display; /* the application's */
    struct wl_surface *surface; /* the application's */
};

struct wayland_buffer {
    struct wl_buffer *proxy;
    uint8_t *pixels;
    VkRect2D stale;    /* area that has changed since the last copy to this buffer */
    bool is_displayed; /* committed, and not yet released by the compositor */
};

struct wayland_target {
    struct vc4vk_target base;
    struct wl_display *display;
    struct wl_event_queue *queue;
    struct wl_surface *surface; /* a wrapper whose events go to `queue` */
    struct wl_shm *shm;
    struct wl_callback *frame; /* FIFO: pending frame event of the last commit with one; NULL: none */
    struct wayland_buffer buffers[BUFFERS];
    struct wayland_buffer *copied; /* holds the next frame */
    void *map;
    size_t map_B;
    bool is_opaque;
    struct vc4vk_wayland_dmabuf dmabuf;
    struct wayland_buffer images[VC4VK_MAX_SWAPCHAIN_IMAGES]; /* with shows_images: the swapchain images */
    int wake_fd;
    bool can_be_woken; /* by wake_fd; true while wait() runs */
};

static struct wayland_target *wayland_target(struct vc4vk_target *target)
{
    return container_of(target, struct wayland_target, base);
}

static VkResult lost(void *object)
{
    return vc4vk_errorf(object, VK_ERROR_SURFACE_LOST_KHR,
                        "Wayland surface: the connection to the compositor is lost, or it has no wl_shm");
}

/* -- events ------------------------------------------------------------------------------------------------------- */

static void on_release(void *data, struct wl_buffer *proxy)
{
    ((struct wayland_buffer *)data)->is_displayed = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = on_release};

static void on_frame(void *data, struct wl_callback *callback, uint32_t time_ms)
{
    struct wayland_target *target = data;
    wl_callback_destroy(callback);
    target->frame = NULL;
}

static const struct wl_callback_listener frame_listener = {.done = on_frame};

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    struct wayland_target *target = data;
    if (!target->shm && strcmp(interface, wl_shm_interface.name) == 0)
        target->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    if (target->dmabuf.node_path && !target->dmabuf.global && !strcmp(interface, "zwp_linux_dmabuf_v1"))
        vc4vk_wayland_dmabuf_bind(&target->dmabuf, registry, name, version);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {.global = on_global, .global_remove = on_global_remove};

/* Polls the socket for `events`. False at the deadline and when woken by wake_fd. */
static bool wait_for_socket(struct wayland_target *target, short events, uint64_t deadline_ns)
{
    uint64_t now_ns = util_now_ns();
    int time_ms = now_ns < deadline_ns ? (int)MIN2((deadline_ns - now_ns) / 1000000 + 1, MAX_POLL_MS) : 0;
    struct pollfd fds[2] = {{.fd = wl_display_get_fd(target->display), .events = events},
                            {.fd = target->wake_fd, .events = POLLIN}};
    return poll(fds, target->can_be_woken ? 2 : 1, time_ms) > 0 && fds[0].revents;
}

/* Sends all requests. False when the connection is lost or the compositor does not read any more. */
static bool flush(struct wayland_target *target)
{
    uint64_t deadline_ns = util_now_ns() + 10 * EVENT_TIMEOUT_NS;
    while (wl_display_flush(target->display) < 0)
        if (errno != EAGAIN || !wait_for_socket(target, POLLOUT, deadline_ns))
            return false;
    return true;
}

/* Dispatches events until `is_done`. False at the deadline and when the connection is lost. */
static bool dispatch_until(struct wayland_target *target, bool (*is_done)(const struct wayland_target *),
                           uint64_t deadline_ns)
{
    for (;;) {
        if (wl_display_dispatch_queue_pending(target->display, target->queue) < 0)
            return false;
        if (is_done(target))
            return true;
        if (wl_display_prepare_read_queue(target->display, target->queue) < 0)
            continue; /* events have arrived meanwhile: dispatch them first */
        if (!flush(target) || !wait_for_socket(target, POLLIN, deadline_ns)) {
            wl_display_cancel_read(target->display);
            return false;
        }
        if (wl_display_read_events(target->display) < 0)
            return false;
    }
}

/* -- targets ------------------------------------------------------------------------------------------------------ */

static void destroy_buffers(struct wayland_buffer *buffers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (buffers[i].proxy)
            wl_buffer_destroy(buffers[i].proxy);
        buffers[i] = (struct wayland_buffer){0};
    }
}

static void wayland_target_destroy(struct vc4vk_target *base)
{
    struct wayland_target *target = wayland_target(base);
    if (target->frame)
        wl_callback_destroy(target->frame);
    destroy_buffers(target->buffers, BUFFERS);
    destroy_buffers(target->images, ARRAY_SIZE(target->images));
    vc4vk_wayland_dmabuf_finish(&target->dmabuf);
    if (target->shm)
        wl_shm_destroy(target->shm);
    if (target->surface)
        wl_proxy_wrapper_destroy(target->surface);
    if (target->queue)
        wl_event_queue_destroy(target->queue);
    if (target->map)
        munmap(target->map, target->map_B);
    wl_display_flush(target->display);
    if (target->wake_fd >= 0)
        close(target->wake_fd);
    free(target);
}

static struct wayland_buffer *free_buffer(const struct wayland_target *target)
{
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (!target->buffers[i].is_displayed)
            return (struct wayland_buffer *)&target->buffers[i];
    return NULL;
}

static bool has_free_buffer(const struct wayland_target *target)
{
    return free_buffer(target) != NULL;
}

static uint32_t held_images(const struct wayland_target *target)
{
    uint32_t held = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(target->images); i++)
        held |= target->images[i].is_displayed ? BIT(i) : 0;
    return held;
}

static bool no_frame_is_due(const struct wayland_target *target)
{
    return !target->frame;
}

static void wayland_target_copy(struct vc4vk_target *base, const uint8_t *pixels, uint32_t stride_B, VkRect2D changed)
{
    struct wayland_target *target = wayland_target(base);
    for (uint32_t i = 0; i < BUFFERS; i++)
        target->buffers[i].stale = vc4vk_rect_union(target->buffers[i].stale, changed);
    /* If the compositor holds all buffers, this frame is dropped. show() finds out whether the connection is lost. */
    target->copied =
        dispatch_until(target, has_free_buffer, util_now_ns() + EVENT_TIMEOUT_NS) ? free_buffer(target) : NULL;
    if (!target->copied)
        return;
    vc4vk_copy_pixels(target->copied->pixels, base->extent.width * BYTES_PER_PIXEL, pixels, stride_B,
                      target->copied->stale);
    target->copied->stale = (VkRect2D){0};
}

static void commit(struct wayland_target *target, struct wayland_buffer *buffer)
{
    wl_surface_attach(target->surface, buffer->proxy, 0, 0);
    if (wl_proxy_get_version((struct wl_proxy *)target->surface) >= WL_SURFACE_DAMAGE_BUFFER_SINCE_VERSION)
        wl_surface_damage_buffer(target->surface, 0, 0, INT32_MAX, INT32_MAX);
    else
        wl_surface_damage(target->surface, 0, 0, INT32_MAX, INT32_MAX);
    if (vc4vk_present_mode_is_fifo(target->base.mode) && !target->frame) {
        target->frame = wl_surface_frame(target->surface);
        if (target->frame)
            wl_callback_add_listener(target->frame, &frame_listener, target);
    }
    buffer->is_displayed = true;
    wl_surface_commit(target->surface);
}

static VkResult wayland_target_show(struct vc4vk_target *base)
{
    struct wayland_target *target = wayland_target(base);
    if (vc4vk_present_mode_is_fifo(base->mode))
        (void)dispatch_until(target, no_frame_is_due, util_now_ns() + EVENT_TIMEOUT_NS);
    struct wayland_buffer *next = base->shows_images ? &target->images[base->image] : target->copied;
    if (next)
        commit(target, next);
    target->copied = NULL;
    base->held = held_images(target);
    return flush(target) && !wl_display_get_error(target->display) ? VK_SUCCESS : VK_ERROR_SURFACE_LOST_KHR;
}

/* The frame event says that the compositor has used the commit. */
static void wayland_target_wait_until_visible(struct vc4vk_target *base)
{
    struct wayland_target *target = wayland_target(base);
    (void)dispatch_until(target, no_frame_is_due, util_now_ns() + EVENT_TIMEOUT_NS);
    base->held = held_images(target);
}

static bool create_buffers(struct wayland_target *target);

static bool wayland_target_adopt(struct vc4vk_target *base, uint32_t image, int fd, uint32_t offset_B,
                                 uint32_t stride_B)
{
    struct wayland_target *target = wayland_target(base);
    const struct vc4vk_wayland_image info = {
        .fd = fd,
        .offset_B = offset_B,
        .stride_B = stride_B,
        .width_px = base->extent.width,
        .height_px = base->extent.height,
        .modifier = base->modifier,
    };
    struct wl_buffer *proxy = vc4vk_wayland_dmabuf_buffer(&target->dmabuf, target->display, target->queue, &info);
    if (!proxy)
        return false;
    target->images[image].proxy = proxy;
    wl_buffer_add_listener(proxy, &buffer_listener, &target->images[image]);
    return true;
}

/* Order of fallbacks: T tiles, raster, copies. */
static VkResult wayland_target_after_refusal(struct vc4vk_target *base)
{
    struct wayland_target *target = wayland_target(base);
    destroy_buffers(target->images, ARRAY_SIZE(target->images));
    if (wl_display_get_error(target->display))
        return lost(NULL);
    if (base->modifier != DRM_FORMAT_MOD_LINEAR && target->dmabuf.has_linear) {
        base->modifier = DRM_FORMAT_MOD_LINEAR;
        return VK_SUCCESS;
    }
    util_perf("present: the compositor refuses the swapchain's images: they are copied");
    base->wants_images = false;
    if (!target->shm)
        return lost(NULL);
    return create_buffers(target) ? VK_SUCCESS : vc4vk_oom(NULL);
}

static bool has_image_back(const struct wayland_target *target)
{
    return target->base.held & ~held_images(target);
}

static VkResult wayland_target_wait(struct vc4vk_target *base)
{
    struct wayland_target *target = wayland_target(base);
    target->can_be_woken = true;
    (void)dispatch_until(target, has_image_back, UTIL_FOREVER_NS);
    target->can_be_woken = false;
    uint64_t wakes;
    (void)!read(target->wake_fd, &wakes, sizeof wakes); /* does not block */
    base->held = held_images(target);
    return wl_display_get_error(target->display) ? VK_ERROR_SURFACE_LOST_KHR : VK_SUCCESS;
}

static void wayland_target_wake(struct vc4vk_target *base)
{
    const uint64_t one = 1;
    if (base->shows_images)
        (void)!write(wayland_target(base)->wake_fd, &one, sizeof one);
}

static const struct vc4vk_target_ops wayland_target_ops = {
    .destroy = wayland_target_destroy,
    .copy = wayland_target_copy,
    .show = wayland_target_show,
    .wait_until_visible = wayland_target_wait_until_visible,
    .adopt = wayland_target_adopt,
    .after_refusal = wayland_target_after_refusal,
    .wait = wayland_target_wait,
    .wake = wayland_target_wake,
};

/* Binds the globals and waits for their events. False when the connection is lost. */
static bool bind_globals(struct wayland_target *target)
{
    struct wl_display *wrapper = wl_proxy_create_wrapper(target->display);
    if (!wrapper)
        return false;
    wl_proxy_set_queue((struct wl_proxy *)wrapper, target->queue);
    struct wl_registry *registry = wl_display_get_registry(wrapper);
    wl_proxy_wrapper_destroy(wrapper);
    if (!registry)
        return false;
    wl_registry_add_listener(registry, &registry_listener, target);
    bool ok = wl_display_roundtrip_queue(target->display, target->queue) >= 0;
    wl_registry_destroy(registry);
    return ok && vc4vk_wayland_dmabuf_ask(&target->dmabuf, target->display, target->queue, target->surface);
}

static bool create_buffers(struct wayland_target *target)
{
    uint32_t width = target->base.extent.width, height = target->base.extent.height;
    size_t buffer_B = (size_t)width * height * BYTES_PER_PIXEL;
    void *map;
    int fd = vc4vk_shared_pixels_create(BUFFERS * buffer_B, &map);
    if (fd < 0)
        return false;
    target->map = map;
    target->map_B = BUFFERS * buffer_B;
    struct wl_shm_pool *pool = wl_shm_create_pool(target->shm, fd, (int32_t)target->map_B);
    close(fd); /* libwayland sends a duplicate */
    if (!pool)
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        struct wayland_buffer *buffer = &target->buffers[i];
        buffer->pixels = (uint8_t *)map + i * buffer_B;
        buffer->stale.extent = target->base.extent;
        buffer->proxy = wl_shm_pool_create_buffer(pool, (int32_t)(i * buffer_B), (int32_t)width, (int32_t)height,
                                                  (int32_t)(width * BYTES_PER_PIXEL),
                                                  target->is_opaque ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888);
        if (buffer->proxy)
            wl_buffer_add_listener(buffer->proxy, &buffer_listener, buffer);
        ok = ok && buffer->proxy;
    }
    wl_shm_pool_destroy(pool); /* the buffers keep its memory */
    return ok;
}

/* -- surfaces ----------------------------------------------------------------------------------------------------- */

static struct wayland_surface *wayland_surface(struct vc4vk_surface *surface)
{
    return container_of(surface, struct wayland_surface, base);
}

static VkResult wayland_surface_get_extent(struct vc4vk_surface *base, VkExtent2D *extent_out)
{
    if (wl_display_get_error(wayland_surface(base)->display))
        return lost(base);
    *extent_out = (VkExtent2D){VC4VK_ANY_EXTENT, VC4VK_ANY_EXTENT}; /* a wl_surface is as large as its buffer */
    return VK_SUCCESS;
}

/* Whether the compositor can read the swapchain images; chooses their layout. T tiles are preferred: a compositor that
 * runs on the chip samples tiles directly, but needs another copy of raster images. VC4VK_SHOWN needs raster images. */
static bool choose_images(struct wayland_target *target)
{
    struct vc4vk_target *base = &target->base;
    base->modifier = target->dmabuf.has_tiles && !vc4vk_present_dump_is_enabled() ? DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED
                                                                                  : DRM_FORMAT_MOD_LINEAR;
    base->wants_images = vc4vk_wayland_dmabuf_offers(&target->dmabuf, base->modifier);
    base->min_images = IMAGES;
    base->replaces = true;
    return base->wants_images;
}

static VkResult wayland_surface_create_target(struct vc4vk_surface *base, const struct vc4vk_device *device,
                                              const VkSwapchainCreateInfoKHR *info, struct vc4vk_target **out)
{
    struct wayland_surface *surface = wayland_surface(base);
    struct wayland_target *target = calloc(1, sizeof *target);
    if (!target)
        return vc4vk_oom(base);
    target->base = (struct vc4vk_target){.ops = &wayland_target_ops, .extent = info->imageExtent, .keeps_pace = true};
    target->display = surface->display;
    target->is_opaque = info->compositeAlpha == VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    if (device->physical->kmd.path[0]) /* empty for the model, whose memory other processes cannot read */
        target->dmabuf.node_path = device->physical->kmd.path;
    target->dmabuf.format = target->is_opaque ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888;
    target->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    target->queue = wl_display_create_queue(surface->display);
    target->surface = wl_proxy_create_wrapper(surface->surface);
    VkResult result = VK_SUCCESS;
    if (!target->queue || !target->surface || target->wake_fd < 0) {
        result = vc4vk_oom(base);
        goto fail;
    }
    wl_proxy_set_queue((struct wl_proxy *)target->surface, target->queue);
    if (!bind_globals(target))
        result = lost(base);
    else if (choose_images(target))
        result = VK_SUCCESS;
    else if (!target->shm)
        result = lost(base);
    else if (!create_buffers(target))
        result = vc4vk_oom(base);
    if (result == VK_SUCCESS) {
        *out = &target->base;
        return VK_SUCCESS;
    }

fail:
    wayland_target_destroy(&target->base);
    return result;
}

static const struct vc4vk_surface_ops wayland_surface_ops = {
    .get_extent = wayland_surface_get_extent,
    .create_target = wayland_surface_create_target,
    .composite_alpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR,
};

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateWaylandSurfaceKHR(VkInstance _instance,
                                                             const VkWaylandSurfaceCreateInfoKHR *pCreateInfo,
                                                             const VkAllocationCallbacks *pAllocator,
                                                             VkSurfaceKHR *pSurface)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    struct wayland_surface *surface = vc4vk_new(vc4vk_alloc_choose(instance->alloc, pAllocator), struct wayland_surface,
                                                VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!surface)
        return vc4vk_oom(instance);
    vc4vk_object_init(&surface->base.base, VK_OBJECT_TYPE_SURFACE_KHR);
    surface->base.ops = &wayland_surface_ops;
    surface->display = pCreateInfo->display;
    surface->surface = pCreateInfo->surface;
    *pSurface = vc4vk_surface_to_handle(&surface->base);
    return VK_SUCCESS;
}

/* Every compositor has wl_shm, and both formats in use are mandatory there. */
VKAPI_ATTR VkBool32 VKAPI_CALL vc4vk_GetPhysicalDeviceWaylandPresentationSupportKHR(VkPhysicalDevice physicalDevice,
                                                                                    uint32_t queueFamilyIndex,
                                                                                    struct wl_display *display)
{
    return wl_display_get_error(display) == 0;
}
