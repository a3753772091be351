/* SPDX-License-Identifier: MIT
 *
 * vc4-bench: what a line is, and what a line may use.
 *
 * A line measures one thing on one device and reports items: named times. It runs in a process of its own, once per
 * round and device, with all caches off; the frame takes the median of each item over the rounds and sums up the items
 * that all devices could do. A new group of lines is a new file with a table, and one row in bench.c.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct bench_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue; /* of family 0 */
};

struct bench_line {
    const char *name, *help;
    /* Reports each item with bench_item. False when the line cannot run at all (a message on stderr says why). */
    bool (*run)(struct bench_device *d);
    bool opens_device; /* is given nothing, and fills all in; what it has made is destroyed behind it */
};

/* Tables, ended by a line without a name. */
extern const struct bench_line bench_memory[], bench_compute[], bench_descriptors[], bench_pipelines[], bench_record[],
    bench_submit[], bench_transfer[], bench_draw[], bench_instances[], bench_first[];

/* Of the clock that the user chose. */
uint64_t bench_now_ns(void);

/* An item's result; an item that the device cannot do is not reported. */
void bench_item(const char *name, uint64_t ns);

#endif
