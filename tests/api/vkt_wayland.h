/* SPDX-License-Identifier: MIT
 *
 * A Wayland client with one surface, and its compositor, for the tests of presentation.
 */
#ifndef VKT_WAYLAND_H
#define VKT_WAYLAND_H

#define VK_USE_PLATFORM_WAYLAND_KHR
#include <wayland-client.h>
#include "tiny_compositor.h"
#include "vkt_present.h"

struct vkt_wayland_client {
    struct tiny_compositor compositor;
    struct wl_display *display;
    struct wl_compositor *globals;
    struct wl_surface *surface;
    VkSurfaceKHR vk_surface;
};

/* Starts a compositor as its options say. */
void vkt_wayland_open(struct vkt_wayland_client *c, const struct vkt_present *p, struct tiny_compositor options);
void vkt_wayland_close(struct vkt_wayland_client *c, const struct vkt_present *p, bool is_stopped);

/* `frames` pictures that are all of one colour, of a swapchain of their own; the compositor is asked about them
 * afterwards. */
void vkt_wayland_show(struct vkt_wayland_client *c, const struct vkt_present *p, VkPresentModeKHR mode,
                      uint32_t frames);

#endif
