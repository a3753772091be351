/* SPDX-License-Identifier: MIT
 *
 * Long CPU operations on all cores: copies, clears and blits are cut into bands. The thread that runs the operation and
 * the threads of the process's pool (util/pool.h) take bands until none are left. Each device has a reference to the
 * pool.
 */
#ifndef ENGINE_VC4VK_PARALLEL_H
#define ENGINE_VC4VK_PARALLEL_H

#include "util/macros.h"

struct vc4vk_parallel {
    unsigned threads; /* for one operation, including the calling thread; 0: not initialised */
};

void vc4vk_parallel_init(struct vc4vk_parallel *parallel);
/* No operation may be running. A zeroed struct is accepted. */
void vc4vk_parallel_finish(struct vc4vk_parallel *parallel);

/* Calls `run` once for each band in [0, count), from several threads and in any order, and returns when all are done.
 */
void vc4vk_parallel_for(const struct vc4vk_parallel *parallel, uint32_t count, void (*run)(void *data, uint32_t band),
                        void *data);

#endif
