/* SPDX-License-Identifier: MIT
 *
 * The chip's counters as VK_KHR_performance_query names them.
 */
#ifndef DEVICE_VC4VK_COUNTERS_H
#define DEVICE_VC4VK_COUNTERS_H

#include "device/vc4vk_physical_device.h"

/* The events that these counters (indices of the enumeration) count. Returns how many; at most KMD_EVENTS. */
uint32_t vc4vk_counter_events(const struct vc4vk_physical_device *physical,
                              const VkQueryPoolPerformanceCreateInfoKHR *info, uint8_t events_out[KMD_EVENTS]);

#endif
