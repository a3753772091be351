/* SPDX-License-Identifier: MIT
 *
 * Descriptor sets and push constants: what is bound. The binding table that fixes it is written by the draw.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorSets(VkCommandBuffer cmd_h, VkPipelineBindPoint point,
                                                       VkPipelineLayout layout_h, uint32_t first, uint32_t count,
                                                       const VkDescriptorSet *sets, uint32_t offset_count,
                                                       const uint32_t *offsets)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_state *state = &cmd->state;
    const bool compute = point == VK_PIPELINE_BIND_POINT_COMPUTE;
    struct vc4vk_bound_set *bound = compute ? state->compute.sets : state->sets;
    uint32_t(*dynamic_offsets)[VC4VK_MAX_DYNAMIC_BUFFERS] =
        compute ? state->compute.dynamic_offsets : state->dynamic_offsets;
    for (uint32_t i = 0, taken = 0; i < count && first + i < VC4VK_MAX_SETS; i++) {
        const struct vc4vk_set *set = vc4vk_set_from_handle(sets[i]);
        uint32_t dynamic_count = set ? set->layout->dynamic_count : 0;
        if (dynamic_count > VC4VK_MAX_DYNAMIC_BUFFERS || dynamic_count > offset_count - taken) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "%u dynamic offsets for one set", dynamic_count);
            return;
        }
        if (dynamic_count)
            memcpy(dynamic_offsets[first + i], offsets + taken, dynamic_count * sizeof *offsets);
        taken += dynamic_count;
        bound[first + i] = (struct vc4vk_bound_set){set, dynamic_offsets[first + i]};
    }
    if (compute)
        state->compute.is_dirty = true;
    else
        state->dirty |= VC4VK_DIRTY_DESCRIPTORS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPushConstants(VkCommandBuffer cmd_h, VkPipelineLayout layout,
                                                  VkShaderStageFlags stages, uint32_t offset_B, uint32_t size_B,
                                                  const void *values)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (offset_B > sizeof cmd->state.push || size_B > sizeof cmd->state.push - offset_B)
        return;
    memcpy((uint8_t *)cmd->state.push + offset_B, values, size_B);
    cmd->state.dirty |= VC4VK_DIRTY_PUSH;
}
