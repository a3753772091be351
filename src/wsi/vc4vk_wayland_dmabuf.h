/* SPDX-License-Identifier: MIT
 *
 * zwp_linux_dmabuf_v1: buffers of a compositor that are the swapchain's own images.
 *
 * Which layouts the compositor reads it says by events of the global (version 3), or by feedback for the surface
 * (version 4): a table of formats with modifiers, and tranches of it, each for a device. Only what is for our device
 * counts, and only where the compositor's main device is ours: another device would have to read through the CPU's
 * memory, and may not be able to.
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
    const char *node_path;              /* of our device */
    uint32_t format;                    /* of DRM, that is looked for */
    bool has_linear, has_tiles;         /* offered for that format */
    /* While feedback comes: */
    struct vc4vk_wayland_format *table; /* malloc'ed */
    size_t table_B;
    bool main_is_ours, tranche_is_ours, tranche_has_linear, tranche_has_tiles;
};

/* Binds the global, whose events come to the registry's queue. False: a version that says nothing of modifiers. */
bool vc4vk_wayland_dmabuf_bind(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_registry *registry, uint32_t name,
                               uint32_t version);
/* What is offered for the surface, after the round trip that brought the global. False when the compositor is gone. */
bool vc4vk_wayland_dmabuf_ask(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                              struct wl_event_queue *queue, struct wl_surface *surface);
bool vc4vk_wayland_dmabuf_offers(const struct vc4vk_wayland_dmabuf *dmabuf, uint64_t modifier);

/* A picture in memory behind a descriptor, which stays the caller's. */
struct vc4vk_wayland_picture {
    int fd;
    uint32_t offset_B, stride_B, width_px, height_px;
    uint64_t modifier; /* offered */
};

/* A buffer of it, to be destroyed by the caller; NULL when the compositor cannot read it, or is gone. */
struct wl_buffer *vc4vk_wayland_dmabuf_buffer(struct vc4vk_wayland_dmabuf *dmabuf, struct wl_display *display,
                                              struct wl_event_queue *queue,
                                              const struct vc4vk_wayland_picture *picture);
void vc4vk_wayland_dmabuf_finish(struct vc4vk_wayland_dmabuf *dmabuf);

#endif
