/* SPDX-License-Identifier: MIT
 *
 * Fills in VkPipelineCreationFeedback from the front ends' times and cache hits.
 */
#include "pipeline/vc4vk_pipeline_feedback.h"
#include "util/thread.h"

static const struct vc4vk_pipeline_stage *find_stage(const struct vc4vk_pipeline *pipeline, VkShaderStageFlagBits stage)
{
    switch (stage) {
    case VK_SHADER_STAGE_VERTEX_BIT:
        return pipeline->expander ? &pipeline->expander->vertex : &pipeline->vertex;
    case VK_SHADER_STAGE_GEOMETRY_BIT:
        return pipeline->expander ? &pipeline->expander->geometry : &pipeline->vertex;
    case VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT:
        return pipeline->expander ? &pipeline->expander->control : &pipeline->vertex;
    case VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT:
        return pipeline->expander ? &pipeline->expander->evaluation : &pipeline->vertex;
    case VK_SHADER_STAGE_TASK_BIT_EXT:
        return pipeline->expander ? &pipeline->expander->task : &pipeline->vertex;
    case VK_SHADER_STAGE_MESH_BIT_EXT:
        return pipeline->expander ? &pipeline->expander->mesh : &pipeline->vertex;
    case VK_SHADER_STAGE_FRAGMENT_BIT:
        return &pipeline->fragment;
    default:
        return &pipeline->compute;
    }
}

static VkPipelineCreationFeedback feedback(uint64_t time_ns, bool is_hit)
{
    return (VkPipelineCreationFeedback){
        .flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
                 (is_hit ? VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT : 0u),
        .duration = time_ns,
    };
}

void vc4vk_pipeline_feedback(const void *chain, const struct vc4vk_pipeline *pipeline, uint64_t start_ns,
                             const VkPipelineShaderStageCreateInfo *stages, uint32_t stage_count)
{
    const VkPipelineCreationFeedbackCreateInfo *info =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (!info)
        return;
    bool is_hit = pipeline && pipeline->store;
    for (uint32_t i = 0; i < stage_count; i++) {
        const struct vc4vk_front *front = pipeline ? &find_stage(pipeline, stages[i].stage)->front : NULL;
        bool stage_hit = front && pipeline->store && !front->missed_store;
        is_hit = is_hit && stage_hit;
        if (i < info->pipelineStageCreationFeedbackCount)
            info->pPipelineStageCreationFeedbacks[i] =
                front ? feedback(front->time_ns, stage_hit) : (VkPipelineCreationFeedback){0};
    }
    *info->pPipelineCreationFeedback =
        pipeline ? feedback(util_now_ns() - start_ns, is_hit) : (VkPipelineCreationFeedback){0};
}
