/* SPDX-License-Identifier: MIT
 *
 * Descriptor buffers (VK_EXT_descriptor_buffer): their binding, sets at offsets in them, and embedded samplers. Each
 * such set is an object of the recording, which draws and dispatches use as one of a pool (vc4vk_buffer_set.h).
 */
#include <inttypes.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "descriptor/vc4vk_buffer_set.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorBuffersEXT(VkCommandBuffer cmd_h, uint32_t count,
                                                             const VkDescriptorBufferBindingInfoEXT *infos)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (count > VC4VK_MAX_DESCRIPTOR_BUFFERS) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                        "vkCmdBindDescriptorBuffersEXT: %u buffers, at most %u can be bound "
                        "(maxDescriptorBufferBindings)",
                        count, VC4VK_MAX_DESCRIPTOR_BUFFERS);
        return;
    }
    for (uint32_t i = 0; i < VC4VK_MAX_DESCRIPTOR_BUFFERS; i++) {
        const uint64_t address = i < count ? infos[i].address : 0;
        struct vc4vk_memory_place place = {0};
        if (address == cmd->state.descriptor_buffers[i].address)
            continue; /* its memory must not be freed as long as the recording uses it */
        if (address && !vc4vk_addressed_memory_find(cmd->device, address, &place)) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                            "vkCmdBindDescriptorBuffersEXT: buffer %u: there is no memory at address 0x%" PRIx64, i,
                            address);
            return;
        }
        kmd_bo_unref(place.bo); /* as for all memory, the application keeps it */
        cmd->state.descriptor_buffers[i].address = address;
        cmd->state.descriptor_buffers[i].at = place;
    }
}

/* ---------------------------------------------------------------- sets */

static void bind(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point, uint32_t number, const struct vc4vk_set *set)
{
    vc4vk_cmd_sets_of(cmd, point)->bound[number] = (struct vc4vk_bound_set){set, NULL};
    vc4vk_cmd_sets_mark(cmd, point, 1u << number);
}

/* Whether the set is bound: what its memory contains does not matter. */
static bool is_bound(const struct vc4vk_set *set, const struct vc4vk_set_layout *layout,
                     const struct vc4vk_memory_place *at)
{
    return set && set->layout == layout && set->in_buffer && set->in_buffer->at.bo == at->bo &&
           set->in_buffer->at.offset_B == at->offset_B;
}

static void bind_at(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point, uint32_t number,
                    struct vc4vk_set_layout *layout, const struct vc4vk_memory_place *at)
{
    if (is_bound(vc4vk_cmd_sets_of(cmd, point)->bound[number].set, layout, at))
        return;
    void *memory = vc4vk_cmd_alloc(cmd, vc4vk_buffer_set_size_B(layout));
    if (!memory || !vc4vk_cmd_keep_layout(cmd, layout))
        return;
    VkResult result = vc4vk_buffer_set_init(memory, layout, &cmd->tables, at);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    else
        bind(cmd, point, number, memory);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer cmd_h, VkPipelineBindPoint point,
                                                                  VkPipelineLayout layout_h, uint32_t first,
                                                                  uint32_t count, const uint32_t *buffers,
                                                                  const VkDeviceSize *offsets)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    VC4VK_FROM_HANDLE(vc4vk_pipeline_layout, layout, layout_h);
    for (uint32_t i = 0; i < count && cmd->error == VK_SUCCESS; i++) {
        struct vc4vk_set_layout *set_layout =
            first + i < layout->set_count && i < VC4VK_MAX_SETS ? layout->sets[first + i] : NULL;
        if (!set_layout || set_layout->kind != VC4VK_SET_IN_BUFFER) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                            "vkCmdSetDescriptorBufferOffsetsEXT: set %u of the pipeline layout is not for descriptor "
                            "buffers",
                            first + i);
            return;
        }
        if (buffers[i] >= VC4VK_MAX_DESCRIPTOR_BUFFERS || !cmd->state.descriptor_buffers[buffers[i]].address) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                            "vkCmdSetDescriptorBufferOffsetsEXT: set %u: descriptor buffer %u is not bound", first + i,
                            buffers[i]);
            return;
        }
        struct vc4vk_memory_place at = cmd->state.descriptor_buffers[buffers[i]].at;
        if (offsets[i] % VC4VK_DESCRIPTOR_BUFFER_ALIGN_B || offsets[i] > at.end_B - at.offset_B) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                            "vkCmdSetDescriptorBufferOffsetsEXT: set %u: offset %" PRIu64
                            " is not a multiple of %u, or lies beyond the buffer's memory",
                            first + i, offsets[i], VC4VK_DESCRIPTOR_BUFFER_ALIGN_B);
            return;
        }
        at.offset_B += (uint32_t)offsets[i];
        bind_at(cmd, point, first + i, set_layout, &at);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer cmd_h,
                                                                            VkPipelineBindPoint point,
                                                                            VkPipelineLayout layout_h, uint32_t number)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    VC4VK_FROM_HANDLE(vc4vk_pipeline_layout, layout, layout_h);
    struct vc4vk_set_layout *set_layout = number < layout->set_count ? layout->sets[number] : NULL;
    if (!set_layout || set_layout->kind != VC4VK_SET_EMBEDDED) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN,
                        "vkCmdBindDescriptorBufferEmbeddedSamplersEXT: set %u of the pipeline layout has no embedded "
                        "samplers",
                        number);
        return;
    }
    const struct vc4vk_set *now = vc4vk_cmd_sets_of(cmd, point)->bound[number].set;
    if (now && now->layout == set_layout)
        return;
    struct vc4vk_set *set = vc4vk_cmd_alloc(cmd, sizeof *set + set_layout->entry_count * sizeof(int32_t));
    if (!set || !vc4vk_cmd_keep_layout(cmd, set_layout))
        return;
    set->entries = (int32_t *)(set + 1);
    set->entry_count = set_layout->entry_count;
    vc4vk_set_fill(set, set_layout, cmd->tables.pool);
    bind(cmd, point, number, set);
}

/* ---------------------------------------------------------------- descriptors that are read when a job is issued */

static bool reads_at_issue(const struct vc4vk_pipeline_layout *layout)
{
    bool reads = false;
    for (uint32_t i = 0; i < layout->set_count; i++)
        reads |= layout->sets[i] && layout->sets[i]->is_read_at_issue;
    return reads;
}

/* Later pushes change a set with pushed descriptors. */
static const struct vc4vk_set *keep_pushed(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_set *set)
{
    const size_t entries_B = set->entry_count * sizeof *set->entries;
    struct vc4vk_set *kept = vc4vk_cmd_alloc(cmd, sizeof *kept + entries_B);
    if (!kept)
        return NULL;
    *kept = *set;
    kept->entries = (int32_t *)(kept + 1);
    memcpy(kept->entries, set->entries, entries_B);
    return kept;
}

const struct vc4vk_issue_sets *vc4vk_cmd_sets_for_issue(struct vc4vk_cmd_buffer *cmd,
                                                        const struct vc4vk_pipeline_layout *layout,
                                                        const struct vc4vk_cmd_sets *sets)
{
    struct vc4vk_issue_sets *out = reads_at_issue(layout) ? vc4vk_cmd_new(cmd, struct vc4vk_issue_sets) : NULL;
    if (!out)
        return NULL;
    out->tile_inputs = cmd->pass.tile_inputs;
    for (uint32_t i = 0; i < layout->set_count; i++) { /* none of them has dynamic offsets */
        const struct vc4vk_set *set = sets->bound[i].set;
        out->bound[i].set = set && set->layout->kind == VC4VK_SET_PUSHED ? keep_pushed(cmd, set) : set;
    }
    return out;
}

/* ---------------------------------------------------------------- VK_KHR_maintenance6 */

#ifdef VK_KHR_maintenance6
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer cmd,
                                                                   const VkSetDescriptorBufferOffsetsInfoEXT *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = vc4vk_cmd_points_of(info->stageFlags, points);
    for (uint32_t i = 0; i < count; i++)
        vc4vk_CmdSetDescriptorBufferOffsetsEXT(cmd, points[i], info->layout, info->firstSet, info->setCount,
                                               info->pBufferIndices, info->pOffsets);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer cmd, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT *info)
{
    VkPipelineBindPoint points[2];
    const uint32_t count = vc4vk_cmd_points_of(info->stageFlags, points);
    for (uint32_t i = 0; i < count; i++)
        vc4vk_CmdBindDescriptorBufferEmbeddedSamplersEXT(cmd, points[i], info->layout, info->set);
}
#endif
