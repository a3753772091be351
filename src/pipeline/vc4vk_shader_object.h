/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_shader_object: shaders that are bound without a pipeline. A compute shader owns a compute pipeline. Graphics
 * shaders that are drawn with together get a pipeline whose state is all dynamic when they are first drawn with. Draws
 * find its instance for the current state, as those of other pipelines with dynamic state do.
 */
#ifndef PIPELINE_VC4VK_SHADER_OBJECT_H
#define PIPELINE_VC4VK_SHADER_OBJECT_H

#include "pipeline/vc4vk_pipeline.h"

enum vc4vk_shader_stage {
    VC4VK_SHADER_VERTEX,
    VC4VK_SHADER_CONTROL,
    VC4VK_SHADER_EVALUATION,
    VC4VK_SHADER_GEOMETRY,
    VC4VK_SHADER_TASK,
    VC4VK_SHADER_MESH,
    VC4VK_SHADER_FRAGMENT,
    VC4VK_SHADER_STAGES, /* of graphics */
};

struct vc4vk_shader;

/* The graphics shaders that are bound; NULL: none. Without padding, and compared as memory. */
struct vc4vk_shaders {
    struct vc4vk_shader *at[VC4VK_SHADER_STAGES];
};

/* VC4VK_SHADER_STAGES for stages that are not of graphics, or not supported. */
enum vc4vk_shader_stage vc4vk_shader_stage(VkShaderStageFlagBits stage);

/* The pipeline that draws with these shaders in this state. It lives as long as all of them. There must be a vertex or
 * a mesh shader, and not both. `bound_out`: the pipeline that `out` is an instance of. */
VkResult vc4vk_shaders_pipeline(const struct vc4vk_shaders *shaders, const struct vc4vk_choice *choice,
                                const struct vc4vk_vertex_input *input, struct vc4vk_pipeline **bound_out,
                                struct vc4vk_pipeline **out);

#ifdef VK_EXT_shader_object
/* NULL for VK_NULL_HANDLE, and for shaders of another stage. */
struct vc4vk_shader *vc4vk_shader_for(VkShaderEXT shader, VkShaderStageFlagBits stage);
/* The pipeline of a compute shader. */
struct vc4vk_pipeline *vc4vk_shader_compute(VkShaderEXT shader);
#endif

#endif
