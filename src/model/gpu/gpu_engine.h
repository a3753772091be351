/* SPDX-License-Identifier: MIT
 *
 * The CPU engine as the kernel half uses it for jobs with control lists: a struct gpu that sees the job's memory and
 * whose programs may do everything that the engine's user programs may.
 */
#ifndef GPU_ENGINE_H
#define GPU_ENGINE_H

#include "model/gpu/gpu.h"

struct model_engine;
struct model_engine_range;

/* Waits for earlier jobs. On success the caller owns `*out` until gpu_engine_end_lists(). 0 or -ENOMEM. */
int gpu_engine_begin_lists(struct model_engine *engine, void *memory, const struct model_engine_range *ranges,
                           unsigned count, struct gpu **out) UTIL_MUST_CHECK;
void gpu_engine_end_lists(struct model_engine *engine);

#endif
