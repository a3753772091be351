/* SPDX-License-Identifier: MIT
 *
 * Binding of descriptor sets, push descriptors and push constants. The next draw or dispatch writes what is bound into
 * a binding table.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "descriptor/vc4vk_descriptor_type.h"
#include "descriptor/vc4vk_update_template.h"
#include "device/vc4vk_entrypoints_gen.h"

struct vc4vk_cmd_sets *vc4vk_cmd_sets_of(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point)
{
    return point == VK_PIPELINE_BIND_POINT_COMPUTE ? &cmd->state.compute.sets : &cmd->state.sets;
}

void vc4vk_cmd_sets_mark(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point, uint32_t sets)
{
    vc4vk_cmd_sets_of(cmd, point)->changed |= sets;
    if (!sets)
        return;
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
        cmd->state.compute.is_dirty = true;
    else
        cmd->state.dirty |= VC4VK_DIRTY_DESCRIPTORS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorSets(VkCommandBuffer cmd_h, VkPipelineBindPoint point,
                                                       VkPipelineLayout layout_h, uint32_t first, uint32_t count,
                                                       const VkDescriptorSet *sets, uint32_t offset_count,
                                                       const uint32_t *offsets)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_sets *state = vc4vk_cmd_sets_of(cmd, point);
    uint32_t changed = 0;
    for (uint32_t i = 0, taken = 0; i < count && first + i < VC4VK_MAX_SETS; i++) {
        const struct vc4vk_set *set = vc4vk_set_from_handle(sets[i]);
        const uint32_t dynamic_count = set ? set->dynamic_count : 0;
        uint32_t *own = state->dynamic_offsets[first + i];
        if (dynamic_count > VC4VK_MAX_DYNAMIC_BUFFERS || dynamic_count > offset_count - taken) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                            "vkCmdBindDescriptorSets: %u dynamic buffers in a set: too many, or not enough offsets",
                            dynamic_count);
            return;
        }
        /* A set must not be written after it has been bound, so binding it again at the same offsets changes
         * nothing. */
        const bool has_moved = dynamic_count && memcmp(own, offsets + taken, dynamic_count * sizeof *own);
        if (state->bound[first + i].set != set || has_moved)
            changed |= 1u << (first + i);
        state->serial += has_moved;
        if (dynamic_count)
            memcpy(own, offsets + taken, dynamic_count * sizeof *own);
        taken += dynamic_count;
        state->bound[first + i] = (struct vc4vk_bound_set){set, own};
    }
    vc4vk_cmd_sets_mark(cmd, point, changed);
}

bool vc4vk_cmd_keep_layout(struct vc4vk_cmd_buffer *cmd, struct vc4vk_set_layout *layout)
{
    struct vc4vk_cmd_layout *kept = vc4vk_cmd_new(cmd, struct vc4vk_cmd_layout);
    if (!kept)
        return false;
    *kept = (struct vc4vk_cmd_layout){cmd->layouts, vc4vk_set_layout_ref(layout)};
    cmd->layouts = kept;
    return true;
}

/* ---------------------------------------------------------------- push descriptors */

static struct vc4vk_set *make_push_set(struct vc4vk_cmd_buffer *cmd, struct vc4vk_set_layout *layout)
{
    struct vc4vk_set *set = vc4vk_cmd_alloc(
        cmd, sizeof *set + (layout->entry_count + layout->buffer_count) * sizeof(int32_t));
    if (!set || !vc4vk_cmd_keep_layout(cmd, layout))
        return NULL;
    set->entries = (int32_t *)(set + 1);
    set->entry_count = layout->entry_count;
    set->buffer_states = set->entries + layout->entry_count;
    vc4vk_set_fill(set, layout, cmd->tables.pool);
    return set;
}

/* Takes new surface states for these descriptors: earlier draws still refer to the old ones. */
static bool renew_buffer_states(struct vc4vk_cmd_buffer *cmd, struct vc4vk_set *set, uint32_t binding, uint32_t element,
                                uint32_t count)
{
    if (binding >= set->layout->binding_count)
        return true; /* such a binding is not written either */
    const struct vc4vk_set_binding *b = &set->layout->bindings[binding];
    if (element > set->layout->buffer_count - b->first_buffer)
        return true;
    for (uint32_t i = b->first_buffer + element; count && i < set->layout->buffer_count; i++, count--) {
        VkResult result = vc4vk_table_writer_take_state(&cmd->tables, &set->buffer_states[i]);
        if (result != VK_SUCCESS) {
            vc4vk_cmd_fail(cmd, result);
            return false;
        }
    }
    return true;
}

/* The set that holds the pushed descriptors; a new one when the set layout has changed. NULL after a failure, and when
 * the layout has no such set. */
static struct vc4vk_set *push_set(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point, VkPipelineLayout layout_h,
                                  uint32_t number)
{
    VC4VK_FROM_HANDLE(vc4vk_pipeline_layout, layout, layout_h);
    struct vc4vk_cmd_sets *state = vc4vk_cmd_sets_of(cmd, point);
    if (number >= layout->set_count || !layout->sets[number] || layout->sets[number]->kind == VC4VK_SET_IN_BUFFER)
        return NULL;
    if (!state->push[number] || state->push[number]->layout != layout->sets[number] ||
        state->bound[number].set != state->push[number])
        state->push[number] = make_push_set(cmd, layout->sets[number]);
    state->bound[number] = (struct vc4vk_bound_set){state->push[number], NULL};
    state->serial++;
    vc4vk_cmd_sets_mark(cmd, point, 1u << number);
    return state->push[number];
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPushDescriptorSetKHR(VkCommandBuffer cmd_h, VkPipelineBindPoint point,
                                                         VkPipelineLayout layout, uint32_t number, uint32_t count,
                                                         const VkWriteDescriptorSet *writes)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_set *set = push_set(cmd, point, layout, number);
    for (uint32_t i = 0; set && i < count; i++) {
        const VkWriteDescriptorSet *w = &writes[i];
        if (vc4vk_descriptor_is_buffer(w->descriptorType) &&
            !renew_buffer_states(cmd, set, w->dstBinding, w->dstArrayElement, w->descriptorCount))
            return;
        vc4vk_set_write(set, w);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPushDescriptorSetWithTemplateKHR(VkCommandBuffer cmd_h,
                                                                     VkDescriptorUpdateTemplate template_h,
                                                                     VkPipelineLayout layout, uint32_t number,
                                                                     const void *data)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    VC4VK_FROM_HANDLE(vc4vk_update_template, template, template_h);
    struct vc4vk_set *set = push_set(cmd, template->bind_point, layout, number);
    for (uint32_t i = 0; set && i < template->entry_count; i++) {
        const VkDescriptorUpdateTemplateEntry *e = &template->entries[i];
        if (vc4vk_descriptor_is_buffer(e->descriptorType) &&
            !renew_buffer_states(cmd, set, e->dstBinding, e->dstArrayElement, e->descriptorCount))
            return;
    }
    if (set)
        vc4vk_set_write_template(set, template, data);
}

/* ---------------------------------------------------------------- push constants */

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

/* ---------------------------------------------------------------- VK_KHR_maintenance6 */

uint32_t vc4vk_cmd_points_of(VkShaderStageFlags stages, VkPipelineBindPoint points_out[2])
{
    uint32_t count = 0;
    if (stages & VK_SHADER_STAGE_ALL_GRAPHICS)
        points_out[count++] = VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (stages & VK_SHADER_STAGE_COMPUTE_BIT)
        points_out[count++] = VK_PIPELINE_BIND_POINT_COMPUTE;
    return count;
}

#ifdef VK_KHR_maintenance6
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorSets2KHR(VkCommandBuffer cmd, const VkBindDescriptorSetsInfoKHR *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = vc4vk_cmd_points_of(info->stageFlags, points);
    for (uint32_t i = 0; i < count; i++)
        vc4vk_CmdBindDescriptorSets(cmd, points[i], info->layout, info->firstSet, info->descriptorSetCount,
                                    info->pDescriptorSets, info->dynamicOffsetCount, info->pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPushConstants2KHR(VkCommandBuffer cmd, const VkPushConstantsInfoKHR *info)
{
    vc4vk_CmdPushConstants(cmd, info->layout, info->stageFlags, info->offset, info->size, info->pValues);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdPushDescriptorSet2KHR(VkCommandBuffer cmd, const VkPushDescriptorSetInfoKHR *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = vc4vk_cmd_points_of(info->stageFlags, points);
    for (uint32_t i = 0; i < count; i++)
        vc4vk_CmdPushDescriptorSetKHR(cmd, points[i], info->layout, info->set, info->descriptorWriteCount,
                                      info->pDescriptorWrites);
}

VKAPI_ATTR void VKAPI_CALL
vc4vk_CmdPushDescriptorSetWithTemplate2KHR(VkCommandBuffer cmd, const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
    vc4vk_CmdPushDescriptorSetWithTemplateKHR(cmd, info->descriptorUpdateTemplate, info->layout, info->set,
                                              info->pData);
}
#endif
