/* SPDX-License-Identifier: MIT
 *
 * Issue: turns a recorded job into the lists, records and BO table of one submission. It runs on the thread that
 * schedules (for the CPU engine, on the engine's thread) once the job's dependencies have retired, so it may read
 * application memory: uniform words, indices, indirect parameters. Nothing that it reads is cached for the next
 * submission. The recording (vc4vk_draw_job.h) is only read, and must live until the job has retired.
 */
#ifndef ISSUE_VC4VK_ISSUE_H
#define ISSUE_VC4VK_ISSUE_H

#include "engine/vc4vk_job.h"

/* Builds a struct vc4vk_draw_replay, of which `job` is the base, for the chip. VK_ERROR_OUT_OF_HOST_MEMORY or
 * _DEVICE_MEMORY; the build then holds what was made so far, and may be begun again. */
VkResult vc4vk_issue_build(const struct vc4vk_job *job, struct vc4vk_job_build *build);

/* Builds a replay's job and runs it on the CPU engine before it returns. `arguments`: the struct vc4vk_job. */
VkResult vc4vk_issue_engine_job(void *arguments);

#endif
