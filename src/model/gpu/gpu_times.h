/* SPDX-License-Identifier: MIT
 *
 * VC4VK_DEBUG=perf: time spent in each part of the chip. Every thread keeps its own sums; they are added up at the end.
 */
#ifndef GPU_TIMES_H
#define GPU_TIMES_H

#include "util/thread.h"

enum gpu_part {
    GPU_PART_COORDINATES, /* coordinate programs */
    GPU_PART_VERTICES,
    GPU_PART_FRAGMENTS,
    GPU_PART_CLEARS, /* deferred clears of the tile buffer, done before drawing */
    GPU_PART_LOADS,
    GPU_PART_LISTS,  /* tile lists: all drawing, programs and clears included */
    GPU_PART_STORES,
    GPU_PARTS
};

struct gpu_times {
    uint64_t ns[GPU_PARTS];
};

/* `times` may be NULL: nothing is measured. */
static inline uint64_t gpu_part_begin(const struct gpu_times *times)
{
    return times ? util_now_ns() : 0;
}

static inline void gpu_part_end(struct gpu_times *times, enum gpu_part part, uint64_t begin_ns)
{
    if (times)
        times->ns[part] += util_now_ns() - begin_ns;
}

#endif
