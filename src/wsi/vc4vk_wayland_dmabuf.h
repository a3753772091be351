/* SPDX-License-Identifier: MIT
 *
 * zwp_linux_dmabuf_v1: turns swapchain images into buffers that the compositor reads directly.
 *
 * The compositor announces the layouts that it can read: in version 3 by events of the global, in version 4 by feedback
 * for the surface. Feedback is a table of formats with modifiers, and tranches of that table, each for one device. Only
 * tranches for the driver's own device count, and only if that is the compositor's main device as well: another device
 * would have to read the memory across devices and may be unable to.
 */
#ifndef WSI_VC4VK_WAYLAND_DMABUF_H
#define WSI_VC4VK_WAYLAND_DMABUF_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-client.h>

struct zwp_linux_dmabuf_v1;

struct vc4vk_wayland_dmabuf {
    struct zwp_linux_dmabuf_v1 *global; /* owned; NULL: not bound */
    const char *node_path;              /* of the driver's own device */
    uint32_t format;                    /* DRM format of the images */
    bool has_linear, has_tiles;         /* modifiers offered for that format */
    /* While feedback is received: */
    struct vc4vk_wayland_format *table; /* malloc'ed */
    size_t table_B;
    bool main_is_ours, tranche_is_ours, tranche_has_linear, tranche_has_tiles;
};

/* Binds the global; its events go to the registry's queue. False for a version without modifiers. */
bool vc4vk_wayland_dmabuf_bind(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_registry *registry, uint32_t name,
                               uint32_t version);
/* Queries the modifiers offered for the surface. Call it after the round trip that announced the global. False when the
 * connection is lost. */
bool vc4vk_wayland_dmabuf_ask(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                              struct wl_event_queue *queue, struct wl_surface *surface);
bool vc4vk_wayland_dmabuf_offers(const struct vc4vk_wayland_dmabuf *dmabuf, uint64_t modifier);

/* A swapchain image as a file descriptor with its layout; the descriptor stays the caller's. */
struct vc4vk_wayland_image {
    int fd;
    uint32_t offset_B, stride_B, width_px, height_px;
    uint64_t modifier; /* must be offered */
};

/* Creates a buffer, which the caller destroys. NULL when the compositor cannot read it or the connection is lost. */
struct wl_buffer *vc4vk_wayland_dmabuf_buffer(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                                              struct wl_event_queue *queue, const struct vc4vk_wayland_image *image);
void vc4vk_wayland_dmabuf_finish(struct vc4vk_wayland_dmabuf *dmabuf);

#endif
