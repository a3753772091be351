/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_pipeline_creation_feedback.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_FEEDBACK_H
#define PIPELINE_VC4VK_PIPELINE_FEEDBACK_H

#include "pipeline/vc4vk_pipeline.h"

/* Tells the struct of the chain, if there is one, what became of a pipeline (NULL: nothing) that was begun at
 * `start_ns` and has the stages of `stages`. A hit is one whose every result came from the application's cache. */
void vc4vk_pipeline_feedback(const void *chain, const struct vc4vk_pipeline *pipeline, uint64_t start_ns,
                             const VkPipelineShaderStageCreateInfo *stages, uint32_t stage_count);

#endif
