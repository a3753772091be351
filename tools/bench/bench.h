/* SPDX-License-Identifier: MIT
 *
 * The interface between vc4-bench and its benchmarks, called lines.
 *
 * A line measures one thing on one device and reports items, which are named times. It runs in a new process, once per
 * round and device, with all caches off. bench.c takes the median of each item over the rounds and adds up the items
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
    /* Reports each item with bench_item. False if the line cannot run at all; a message on stderr says why. */
    bool (*run)(struct bench_device *d);
    bool opens_device; /* `run` gets a zeroed struct and fills it in; instance and device are destroyed after it */
};

/* Tables, ended by a line without a name. */
extern const struct bench_line bench_memory[], bench_compute[], bench_descriptors[], bench_pipelines[], bench_record[],
    bench_submit[], bench_transfer[], bench_draw[], bench_instances[], bench_first[], bench_dynamic[];

/* The time of the clock that --clock selects. */
uint64_t bench_now_ns(void);

/* Reports the result of an item. An item that the device cannot do is not reported. */
void bench_item(const char *name, uint64_t ns);

#endif
