/* SPDX-License-Identifier: MIT
 *
 * Presentation with the X extensions DRI3 and Present: swapchain images become pixmaps of the server. The server flips
 * to them or copies from them, and reports when it no longer reads them.
 */
#ifndef WSI_VC4VK_XCB_PRESENT_H
#define WSI_VC4VK_XCB_PRESENT_H

#include <xcb/present.h>
#include <xcb/xcb.h>
#include "wsi/vc4vk_wsi.h"

struct vc4vk_xcb_present {
    xcb_connection_t *connection;
    xcb_window_t window;
    uint8_t depth;
    bool has_modifiers; /* DRI3 1.2; without it images are raster and the server queries the kernel for the layout */
    bool has_linear, has_tiles;
    xcb_present_event_t event_id;
    xcb_special_event_t *events; /* NULL: not in use */
    int wake_fd;
    xcb_pixmap_t pixmaps[VC4VK_MAX_SWAPCHAIN_IMAGES]; /* XCB_NONE: not there */
    uint32_t held;                                    /* bit mask of the pixmaps that the server reads */
    uint32_t serial, completed;                       /* serials of the last image presented and of the last shown */
    uint64_t msc;                                     /* vertical blank at which the last one was shown */
    VkExtent2D window_extent;
    bool is_lost;
};

/* Initialises `p` and returns true if the server can show this device's images without copies by the driver. */
bool vc4vk_xcb_present_init(struct vc4vk_xcb_present *p, xcb_connection_t *connection, xcb_window_t window,
                            const xcb_get_geometry_reply_t *geometry, const char *node_path);
void vc4vk_xcb_present_finish(struct vc4vk_xcb_present *p);

bool vc4vk_xcb_present_adopt(struct vc4vk_xcb_present *p, const struct vc4vk_target *target, uint32_t image, int fd,
                             uint32_t offset_B, uint32_t stride_B);
/* Frees the pixmaps of all adopted images. */
void vc4vk_xcb_present_free_pixmaps(struct vc4vk_xcb_present *p);

/* As in struct vc4vk_target_ops. */
VkResult vc4vk_xcb_present_show(struct vc4vk_xcb_present *p, struct vc4vk_target *target);
void vc4vk_xcb_present_wait_until_visible(struct vc4vk_xcb_present *p, struct vc4vk_target *target);
VkResult vc4vk_xcb_present_wait(struct vc4vk_xcb_present *p, struct vc4vk_target *target);
void vc4vk_xcb_present_wake(struct vc4vk_xcb_present *p);

#endif
