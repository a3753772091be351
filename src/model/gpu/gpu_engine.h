/* SPDX-License-Identifier: MIT
 *
 * The CPU engine as the kernel half uses it for jobs with control lists: a chip that sees the job's memory, and whose
 * programs may do what programs of the engine may.
 */
#ifndef GPU_ENGINE_H
#define GPU_ENGINE_H

#include "model/gpu/gpu.h"

struct model_engine;
struct model_engine_range;

/* Waits for its turn; until the end, the chip is the caller's. 0 or -ENOMEM. */
int gpu_engine_begin_lists(struct model_engine *engine, void *memory, const struct model_engine_range *ranges,
                           unsigned count, struct gpu **out) UTIL_MUST_CHECK;
void gpu_engine_end_lists(struct model_engine *engine);

#endif
