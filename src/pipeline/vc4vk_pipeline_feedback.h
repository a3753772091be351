/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_pipeline_creation_feedback.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_FEEDBACK_H
#define PIPELINE_VC4VK_PIPELINE_FEEDBACK_H

#include "pipeline/vc4vk_pipeline.h"

/* Fills the feedback struct of the chain, if there is one, for a pipeline (NULL: creation failed) with these stages
 * whose creation began at `start_ns`. It counts as a cache hit when all results of the compiler came from the
 * application's cache. */
void vc4vk_pipeline_feedback(const void *chain, const struct vc4vk_pipeline *pipeline, uint64_t start_ns,
                             const VkPipelineShaderStageCreateInfo *stages, uint32_t stage_count);

#endif
