/* SPDX-License-Identifier: MIT
 *
 * Long CPU operations on all cores: copies, clears and blits are cut into bands, which the thread that runs the
 * operation and helpers of the process's pool (util/pool.h) take. The device has a hold of the pool.
 */
#ifndef ENGINE_VC4VK_PARALLEL_H
#define ENGINE_VC4VK_PARALLEL_H

#include "util/macros.h"

struct vc4vk_parallel {
    unsigned threads; /* for one operation, with the one that runs it; 0: not initialised */
};

void vc4vk_parallel_init(struct vc4vk_parallel *parallel);
/* Nobody runs anything any more. A zeroed struct is accepted. */
void vc4vk_parallel_finish(struct vc4vk_parallel *parallel);

/* Calls `run` once for each band in [0, count), from several threads and in any order, and returns when all are done.
 */
void vc4vk_parallel_for(const struct vc4vk_parallel *parallel, uint32_t count, void (*run)(void *data, uint32_t band),
                        void *data);

#endif
