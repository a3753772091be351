/* SPDX-License-Identifier: MIT
 *
 * Creates an instance and a logical device on the model by calling the driver's functions directly, without the loader.
 */
#ifndef DEVICE_HARNESS_H
#define DEVICE_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

struct harness {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
};

/* cmocka's group set-up and tear-down: *state becomes a struct harness. */
int harness_set_up(void **state);
int harness_tear_down(void **state);

/* Creates a buffer with its own memory. */
VkBuffer harness_buffer(const struct harness *h, VkDeviceSize size_B, VkDeviceMemory *memory_out);
void harness_buffer_destroy(const struct harness *h, VkBuffer buffer, VkDeviceMemory memory);

/* State of allocation callbacks that fail after `budget` allocations and count the live ones. */
struct harness_counter {
    int budget; /* allocations that still succeed; < 0: all */
    int live;
};
VkAllocationCallbacks harness_counting_alloc(struct harness_counter *counter);

#endif
