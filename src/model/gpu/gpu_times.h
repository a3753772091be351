/* SPDX-License-Identifier: MIT
 *
 * VC4VK_DEBUG=perf: what the chip's time goes to. Every thread keeps sums of its own, which are added up at the end.
 */
#ifndef GPU_TIMES_H
#define GPU_TIMES_H

#include "util/thread.h"

enum gpu_part {
    GPU_PART_COORDINATES, /* programs */
    GPU_PART_VERTICES,
    GPU_PART_FRAGMENTS,
    GPU_PART_CLEARS, /* of the tile buffer, before something is drawn */
    GPU_PART_LOADS,
    GPU_PART_LISTS,  /* all that draws, programs and clears included */
    GPU_PART_STORES,
    GPU_PARTS
};

struct gpu_times {
    uint64_t ns[GPU_PARTS];
};

/* `times` NULL: nobody wants to know. */
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
