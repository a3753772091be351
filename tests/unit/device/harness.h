/* SPDX-License-Identifier: MIT
 *
 * An instance, its physical device and a logical device on the model, through the driver's own functions (no loader).
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

/* Memory bound to a new buffer. */
VkBuffer harness_buffer(const struct harness *h, VkDeviceSize size_B, VkDeviceMemory *memory_out);
void harness_buffer_destroy(const struct harness *h, VkBuffer buffer, VkDeviceMemory memory);

/* Host memory that runs out. */
struct harness_counter {
    int budget; /* allocations that succeed; < 0: all */
    int live;
};
VkAllocationCallbacks harness_counting_alloc(struct harness_counter *counter);

#endif
