/* SPDX-License-Identifier: MIT
 *
 * The robustness of a pipeline's programs: what the device enables, unless the pipeline or the stage asks for something
 * else. All programs have at least robustBufferAccess, so a pipeline that asks for less gets that. Compute programs
 * have robustImageAccess too, unless the application turns it off by name: tensor libraries (PyTorch) fetch texels
 * beyond the edge and multiply them, and work where those are zero. Attributes beyond the end of their buffer are zero
 * anyway; only attributes that share an array of the chip are zero together.
 */
#include "pipeline/vc4vk_pipeline_robustness.h"
#include "compiler/vc4c.h"

static const VkPipelineRobustnessCreateInfoEXT *find(const void *chain)
{
    return vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT);
}

static bool wants_buffers(VkPipelineRobustnessBufferBehaviorEXT behaviour, bool by_device)
{
    return behaviour == VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT_EXT
               ? by_device
               : behaviour == VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT;
}

static bool wants_images(VkPipelineRobustnessImageBehaviorEXT behaviour, bool by_device)
{
    return behaviour == VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DEVICE_DEFAULT_EXT
               ? by_device
               : behaviour != VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED_EXT;
}

uint8_t vc4vk_stage_robustness(const struct vc4vk_device *device, VkShaderStageFlagBits stage,
                               const void *pipeline_chain, const void *stage_chain)
{
    const VkPipelineRobustnessCreateInfoEXT none = {0}, *info = find(stage_chain);
    const struct vc4vk_robustness *own = &device->robustness;
    if (!info)
        info = find(pipeline_chain);
    if (!info)
        info = &none;
    return (uint8_t)((wants_buffers(info->uniformBuffers, own->buffers) ? VC4C_ROBUST_UNIFORM_BUFFERS : 0) |
                     (wants_buffers(info->storageBuffers, own->buffers) ? VC4C_ROBUST_STORAGE_BUFFERS : 0) |
                     (wants_images(info->images, own->images || stage == VK_SHADER_STAGE_COMPUTE_BIT)
                          ? VC4C_ROBUST_IMAGES
                          : 0) |
                     (own->nulls ? VC4C_ROBUST_NULLS : 0));
}

bool vc4vk_wants_exact_attributes(const struct vc4vk_device *device, const void *chain)
{
    const VkPipelineRobustnessCreateInfoEXT none = {0}, *info = find(chain);
    return wants_buffers((info ? info : &none)->vertexInputs, device->robustness.buffers);
}
