/* SPDX-License-Identifier: MIT
 *
 * Translates counter indices of VK_KHR_performance_query to the chip's counter events.
 */
#ifndef DEVICE_VC4VK_COUNTERS_H
#define DEVICE_VC4VK_COUNTERS_H

#include "device/vc4vk_physical_device.h"

/* Translates info's counter indices (as enumerated for its queue family) to events. Unknown indices are skipped.
 * Returns the number of events, at most KMD_EVENTS. */
uint32_t vc4vk_counter_events(const struct vc4vk_physical_device *physical,
                              const VkQueryPoolPerformanceCreateInfoKHR *info, uint8_t events_out[KMD_EVENTS]);

#endif
