/* SPDX-License-Identifier: MIT
 *
 * X11 windows, by whatever library the application talks to the server.
 */
#ifndef WSI_VC4VK_SURFACE_XCB_H
#define WSI_VC4VK_SURFACE_XCB_H

#include <xcb/xcb.h>
#include "wsi/vc4vk_wsi.h"

/* A surface of a window. `owns_connection`: the connection is closed with the surface, and on an error at once. */
VkResult vc4vk_create_window_surface(struct vc4vk_instance *instance, const VkAllocationCallbacks *alloc,
                                     xcb_connection_t *connection, bool owns_connection, xcb_window_t window,
                                     VkSurfaceKHR *surface_out);

/* Whether a window of this depth and of these masks can hold our pictures: 32-bit words with blue lowest. */
bool vc4vk_pixels_fit(uint32_t depth, uint32_t red_mask, uint32_t green_mask, uint32_t blue_mask);

#endif
