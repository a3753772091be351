/* SPDX-License-Identifier: MIT
 *
 * What every kind of surface must do of VK_KHR_present_id, VK_KHR_present_wait, VK_EXT_surface_maintenance1 and
 * VK_EXT_swapchain_maintenance1. The tests of the platforms call this with their own surfaces.
 */
#ifndef VKT_PRESENT_WAITS_H
#define VKT_PRESENT_WAITS_H

#include "vkt_present.h"

/* `extent`: of the swapchains, as large as the surface if it has a size. `can_tear`: the surface has all four modes. */
void vkt_present_check_waits(struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent, bool can_tear);

#endif
