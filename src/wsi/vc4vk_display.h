/* SPDX-License-Identifier: MIT
 *
 * Displays: a VkDisplayKHR is a connector, a VkDisplayModeKHR one of its modes, and a display plane the primary plane
 * of a CRTC. All of them belong to the physical device and live as long as it does. Which connectors are plugged in is
 * queried from the kernel each time.
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
    struct util_list modes; /* guarded by the physical device's lock; modes are never removed */
};

struct vc4vk_display_mode {
    struct vc4vk_object base;
    struct util_list link;
    struct vc4vk_display *display;
    drmModeModeInfo info;
};

VC4VK_DEFINE_HANDLE(vc4vk_display, VkDisplayKHR, VK_OBJECT_TYPE_DISPLAY_KHR)
VC4VK_DEFINE_HANDLE(vc4vk_display_mode, VkDisplayModeKHR, VK_OBJECT_TYPE_DISPLAY_MODE_KHR)

/* The KMS device with the physical device's displays. NULL when there are none, or when out of memory. */
struct vc4vk_kms *vc4vk_display_kms(struct vc4vk_physical_device *physical);

#endif
