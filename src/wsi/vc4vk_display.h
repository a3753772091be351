/* SPDX-License-Identifier: MIT
 *
 * VkDisplayKHR is a connector, VkDisplayModeKHR one of its modes, a display plane the primary plane of a CRTC. All are
 * the physical device's and live as long; what is plugged in is asked anew each time.
 */
#ifndef WSI_VC4VK_DISPLAY_H
#define WSI_VC4VK_DISPLAY_H

#include "wsi/vc4vk_kms.h"
#include "wsi/vc4vk_wsi.h"

struct vc4vk_display {
    struct vc4vk_object base;
    struct util_list link;
    struct vc4vk_physical_device *physical;
    struct vc4vk_kms *kms;
    uint32_t connector;
    char name[32];          /* "HDMI-A-1" */
    struct util_list modes; /* under the physical device's lock, and only added to */
};

struct vc4vk_display_mode {
    struct vc4vk_object base;
    struct util_list link;
    struct vc4vk_display *display;
    drmModeModeInfo info;
};

VC4VK_DEFINE_HANDLE(vc4vk_display, VkDisplayKHR, VK_OBJECT_TYPE_DISPLAY_KHR)
VC4VK_DEFINE_HANDLE(vc4vk_display_mode, VkDisplayModeKHR, VK_OBJECT_TYPE_DISPLAY_MODE_KHR)

/* Where the physical device's displays are; NULL: it has none, nor will it, or there is no memory. */
struct vc4vk_kms *vc4vk_display_kms(struct vc4vk_physical_device *physical);

#endif
