/* SPDX-License-Identifier: MIT
 *
 * Surfaces of X11 windows, shared by VK_KHR_xcb_surface and VK_KHR_xlib_surface.
 */
#ifndef WSI_VC4VK_SURFACE_XCB_H
#define WSI_VC4VK_SURFACE_XCB_H

#include <xcb/xcb.h>
#include "wsi/vc4vk_wsi.h"

/* Creates a surface of a window. With `owns_connection` the connection is closed with the surface, or at once on error.
 */
VkResult vc4vk_create_window_surface(struct vc4vk_instance *instance, const VkAllocationCallbacks *alloc,
                                     xcb_connection_t *connection, bool owns_connection, xcb_window_t window,
                                     VkSurfaceKHR *surface_out);

/* Whether a visual of this depth and these masks has the swapchain's pixel layout: 32-bit words with blue lowest. */
bool vc4vk_pixels_fit(uint32_t depth, uint32_t red_mask, uint32_t green_mask, uint32_t blue_mask);

#endif
