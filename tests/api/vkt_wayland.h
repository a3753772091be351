/* SPDX-License-Identifier: MIT
 *
 * A Wayland client with one surface, and the compositor it is connected to, for the tests of presentation.
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

/* Starts a compositor with these options and connects the client to it. */
void vkt_wayland_open(struct vkt_wayland_client *c, const struct vkt_present *p, struct tiny_compositor options);
void vkt_wayland_close(struct vkt_wayland_client *c, const struct vkt_present *p, bool is_stopped);

/* Presents `frames` frames of one colour to a swapchain of its own; ends with a round trip, so that the compositor's
 * results can be read. */
void vkt_wayland_show(struct vkt_wayland_client *c, const struct vkt_present *p, VkPresentModeKHR mode,
                      uint32_t frames);

#endif
