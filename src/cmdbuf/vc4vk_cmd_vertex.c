/* SPDX-License-Identifier: MIT
 *
 * Binding of vertex and index buffers, and the record of the bound attribute arrays.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* `sizes` and `strides` may be NULL. */
static void bind_buffers(struct vc4vk_cmd_buffer *cmd, uint32_t first, uint32_t count, const VkBuffer *buffers,
                         const VkDeviceSize *offsets, const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    for (uint32_t i = 0; i < count && first + i < VC4VK_MAX_VERTEX_BINDINGS; i++) {
        const bool has_end = sizes && sizes[i] != VK_WHOLE_SIZE && sizes[i] <= UINT64_MAX - offsets[i];
        cmd->state.vertex_buffers[first + i].buffer = vc4vk_buffer_from_handle(buffers[i]);
        cmd->state.vertex_buffers[first + i].offset_B = offsets[i];
        cmd->state.vertex_buffers[first + i].end_B = has_end ? offsets[i] + sizes[i] : UINT64_MAX;
        if (strides)
            cmd->state.vertex_buffers[first + i].stride_B = (uint32_t)strides[i];
    }
    cmd->state.vertex_buffers_serial++;
    cmd->state.dirty |= VC4VK_DIRTY_VERTEX_BUFFERS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindVertexBuffers(VkCommandBuffer cmd, uint32_t first, uint32_t count,
                                                      const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    bind_buffers(vc4vk_cmd_buffer_from_handle(cmd), first, count, buffers, offsets, NULL, NULL);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindVertexBuffers2EXT(VkCommandBuffer cmd, uint32_t first, uint32_t count,
                                                          const VkBuffer *buffers, const VkDeviceSize *offsets,
                                                          const VkDeviceSize *sizes, const VkDeviceSize *strides)
{
    bind_buffers(vc4vk_cmd_buffer_from_handle(cmd), first, count, buffers, offsets, sizes, strides);
}

static void bind_indices(struct vc4vk_cmd_buffer *cmd, VkBuffer buffer, VkDeviceSize offset_B, VkDeviceSize size_B,
                         VkIndexType type)
{
    const bool has_end = size_B != VK_WHOLE_SIZE && size_B <= UINT64_MAX - offset_B;
    cmd->state.index.buffer = vc4vk_buffer_from_handle(buffer);
    cmd->state.index.offset_B = offset_B;
    cmd->state.index.end_B = has_end ? offset_B + size_B : UINT64_MAX;
    cmd->state.index.index_B = type == VK_INDEX_TYPE_UINT8_EXT ? 1 : type == VK_INDEX_TYPE_UINT32 ? 4 : 2;
    cmd->state.dirty |= VC4VK_DIRTY_INDEX_BUFFER;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindIndexBuffer(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,
                                                    VkIndexType type)
{
    bind_indices(vc4vk_cmd_buffer_from_handle(cmd), buffer, offset_B, VK_WHOLE_SIZE, type);
}

#ifdef VK_KHR_maintenance5
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindIndexBuffer2KHR(VkCommandBuffer cmd, VkBuffer buffer, VkDeviceSize offset_B,
                                                        VkDeviceSize size_B, VkIndexType type)
{
    bind_indices(vc4vk_cmd_buffer_from_handle(cmd), buffer, offset_B, size_B, type);
}
#endif

/* Makes the array read zeros: nothing is bound. */
static void place_unbound(struct vc4vk_record_array *out, struct kmd_bo *ramp)
{
    out->bo = ramp;
    out->bo_size_B = ramp->size_B;
    out->offset_B = VC4VK_ZEROS_AT_B;
    out->stride_B = 0;
    out->per_instance = 0;
    out->divisor = 0;
}

static void place_numbers(struct vc4vk_record_array *out, struct kmd_bo *ramp, uint8_t location)
{
    place_unbound(out, ramp);
    out->offset_B = 0;
    out->stride_B = sizeof(uint32_t);
    out->is_array_index = location == VC4C_ATTRIBUTE_ARRAY_INDEX;
    out->is_triangle_vertex = location == VC4C_ATTRIBUTE_TRIANGLE_VERTEX;
    out->is_ramp = !out->is_triangle_vertex;
}

/* Which vertex of the triangle has the attribute: 0 the vertex itself, 1 the next, 2 the previous. */
static uint32_t triangle_vertex_of(uint8_t location)
{
    if (location < VC4C_MAX_LOCATIONS)
        return location / VC4C_MAX_ATTRIBUTES;
    return location == VC4C_ATTRIBUTE_NEXT_RAMP ? 1 : location == VC4C_ATTRIBUTE_PREVIOUS_RAMP ? 2 : 0;
}

/* The end of what the array may load: an element whose attributes end with the buffer may load some bytes beyond it, or
 * fewer than its attributes have. */
static uint64_t array_end_B(const struct vc4vk_buffer *buffer, uint64_t bound_end_B,
                            const struct vc4vk_attribute_array *array)
{
    const uint64_t end_B = buffer->offset_B + MIN2(buffer->size_B, bound_end_B) + array->size_B;
    return MIN2(end_B - MIN2(end_B, array->memory_B), (uint64_t)buffer->bo->size_B);
}

/* Points the array to the bound buffer, or to zeros when the buffer does not hold a single vertex. */
static void place_attribute(const struct vc4vk_cmd_state *state, struct kmd_bo *ramp,
                            const struct vc4vk_attribute_array *array, struct vc4vk_record_array *out)
{
    const struct vc4vk_pipeline_state *p = &state->pipeline->state;
    const struct vc4vk_vertex_attribute *a = &p->input.attributes[array->location % VC4C_MAX_ATTRIBUTES];
    const struct vc4vk_vertex_binding *b = &p->input.bindings[a->binding];
    const struct vc4vk_buffer *buffer = state->vertex_buffers[a->binding].buffer;
    if (!buffer || !buffer->bo || a->format == HW_FORMAT_NONE) {
        place_unbound(out, ramp);
        return;
    }
    uint64_t offset_B = buffer->offset_B + state->vertex_buffers[a->binding].offset_B + a->offset_B;
    const uint64_t end_B = array_end_B(buffer, state->vertex_buffers[a->binding].end_B, array);
    if (offset_B + out->size_B > end_B) {
        place_unbound(out, ramp);
        return;
    }
    out->bo = buffer->bo;
    out->bo_size_B = (uint32_t)end_B;
    out->offset_B = (uint32_t)offset_B;
    out->stride_B = p->has_bound_strides ? state->vertex_buffers[a->binding].stride_B : b->stride_B;
    out->per_instance = b->per_instance;
    out->divisor = b->divisor;
}

static void begin_array(struct kmd_bo *ramp, const struct vc4vk_attribute_array *array, struct vc4vk_record_array *out)
{
    *out = (struct vc4vk_record_array){.size_B = array->size_B,
                                       .vs_vpm_B = array->vs_vpm_B,
                                       .cs_vpm_B = array->cs_vpm_B,
                                       .in_vs = array->in_vs,
                                       .in_cs = array->in_cs,
                                       .vs_spilled = array->vs_spilled,
                                       .cs_spilled = array->cs_spilled,
                                       .triangle_vertex = triangle_vertex_of(array->location) & 3};
    if (array->location >= VC4C_MAX_LOCATIONS)
        place_numbers(out, ramp, array->location);
}

static void begin_record(const struct vc4vk_cmd_state *state, struct kmd_bo *ramp, struct vc4vk_record *record)
{
    const struct vc4vk_attribute_arrays *arrays = &state->vertex->attributes;
    record->vertex = state->vertex;
    record->fragment = state->fragment;
    record->array_count = (uint8_t)arrays->count;
    record->is_packed = arrays->is_packed;
    record->point_size = state->pipeline->vertex.key.vs.emit_point_size;
    record->passes = state->pipeline->state.sample_shading ? HW_MS_SAMPLES : 1;
    for (uint32_t i = 0; i < arrays->count; i++)
        begin_array(ramp, &arrays->arrays[i], &record->arrays[i]);
}

/* Gets the device's ramp for the first record. NULL after a failure. */
static struct kmd_bo *ramp_of(struct vc4vk_cmd_buffer *cmd)
{
    VkResult result = cmd->ramp ? VK_SUCCESS : vc4vk_device_ramp(cmd->device, &cmd->ramp);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    return result == VK_SUCCESS ? cmd->ramp : NULL;
}

const struct vc4vk_record *vc4vk_cmd_state_record(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_record *like)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const struct vc4vk_attribute_arrays *arrays = &state->vertex->attributes;
    const size_t size_B = offsetof(struct vc4vk_record, arrays) + arrays->count * sizeof like->arrays[0];
    struct kmd_bo *ramp = ramp_of(cmd);
    struct vc4vk_record *record = ramp ? vc4vk_cmd_alloc_raw(cmd, size_B) : NULL;
    if (!record)
        return NULL;
    if (like)
        memcpy(record, like, size_B);
    else
        begin_record(state, ramp, record);
    for (uint32_t i = 0; i < arrays->count; i++)
        if (arrays->arrays[i].location < VC4C_MAX_LOCATIONS)
            place_attribute(state, ramp, &arrays->arrays[i], &record->arrays[i]);
    return record;
}
