/* SPDX-License-Identifier: MIT
 *
 * Physical devices: creation from a device that the kernel interface found, and the tables of what is reported.
 */
#ifndef DEVICE_VC4VK_PHYSICAL_DEVICE_H
#define DEVICE_VC4VK_PHYSICAL_DEVICE_H

#include "device/vc4vk_device.h"

VkResult vc4vk_physical_device_create(struct vc4vk_instance *instance, const struct kmd_physical *kmd,
                                      struct vc4vk_physical_device **out);
/* NULL is accepted. */
/* Reported by instances and devices: 1.4 if the headers know it and all that it requires is supported, else 1.3.
 * Applications that ask for an older version get the older entry points. */
uint32_t vc4vk_api_version(void);

void vc4vk_physical_device_destroy(struct vc4vk_physical_device *physical);

/* vc4vk_limits.c: what the driver supports today, the first on all devices. */
void vc4vk_fill_limits(VkPhysicalDeviceLimits *limits);
void vc4vk_fill_features(const struct kmd_info *info, VkPhysicalDeviceFeatures *features);

/* vc4vk_descriptor_limits.c: property structs about descriptors and robustness; other structs are left unchanged. */
void vc4vk_fill_descriptor_properties(VkBaseOutStructure *s);
/* vc4vk_version_properties.c: property structs of core versions; other structs are left unchanged. */
void vc4vk_fill_version_properties(VkPhysicalDevice physical, VkBaseOutStructure *s);
/* The robustness that the feature structs of a VkDeviceCreateInfo's chain enable. */
struct vc4vk_robustness vc4vk_wanted_robustness(const void *chain);

/* vc4vk_features.c: feature structs of a pNext chain, those of core versions among them. The first fills the struct if
 * it is known; the second checks the features that vkCreateDevice is asked to enable. */
void vc4vk_fill_feature_struct(VkBaseOutStructure *s);
VkResult vc4vk_check_feature_structs(const struct vc4vk_physical_device *physical, const void *chain);

/* Family 0: graphics, compute and transfer. Family 1: transfer only, on a thread of its own, for uploads concurrent
 * with rendering. */
#define VC4VK_QUEUE_FAMILY_COUNT 2u
#define VC4VK_QUEUES_PER_FAMILY  4u

#endif
