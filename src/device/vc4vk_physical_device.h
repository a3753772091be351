/* SPDX-License-Identifier: MIT
 *
 * Physical devices: what is reported of a device the kernel interface found.
 */
#ifndef DEVICE_VC4VK_PHYSICAL_DEVICE_H
#define DEVICE_VC4VK_PHYSICAL_DEVICE_H

#include "device/vc4vk_device.h"

VkResult vc4vk_physical_device_create(struct vc4vk_instance *instance, const struct kmd_physical *kmd,
                                      struct vc4vk_physical_device **out);
/* NULL is accepted. */
void vc4vk_physical_device_destroy(struct vc4vk_physical_device *physical);

/* vc4vk_limits.c: only what is true today. */
void vc4vk_fill_limits(VkPhysicalDeviceLimits *limits);
void vc4vk_fill_features(VkPhysicalDeviceFeatures *features);

/* vc4vk_features.c: structs of a chain. Fills the one that it knows; checks those that vkCreateDevice is given. */
void vc4vk_fill_feature_struct(VkBaseOutStructure *s);
VkResult vc4vk_check_feature_structs(const struct vc4vk_physical_device *physical, const void *chain);

/* Identifies this build of the driver: the linker's build id, folded to 16 bytes; where there is none, the version. */

/* Family 0: graphics and transfer. Family 1: transfer alone, on a thread of its own, for uploads beside rendering. */
#define VC4VK_QUEUE_FAMILY_COUNT 2u
#define VC4VK_QUEUES_PER_FAMILY  4u

#endif
