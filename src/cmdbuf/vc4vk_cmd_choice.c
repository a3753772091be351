/* SPDX-License-Identifier: MIT
 *
 * Dynamic state that is lowered into programs and packets (struct vc4vk_choice). Commands only note the values. The
 * next draw finds the instance of the bound pipeline for all of them (vc4vk_pipeline_instance), from which on the draw
 * is one with an ordinary pipeline. Draws of pipelines without such state only look at a bit.
 *
 * A dynamic pass may have other attachments than the pipeline was created for. They are part of the choice, too.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- for a draw */

static void choose_tests(struct vc4vk_choice *c, const struct vc4vk_choice *now, uint32_t mask)
{
    c->depth_test = mask & VC4VK_CHOICE_DEPTH_TEST ? now->depth_test : c->depth_test;
    c->depth_write = mask & VC4VK_CHOICE_DEPTH_WRITE ? now->depth_write : c->depth_write;
    c->depth_compare = mask & VC4VK_CHOICE_DEPTH_COMPARE ? now->depth_compare : c->depth_compare;
    c->stencil_test = mask & VC4VK_CHOICE_STENCIL_TEST ? now->stencil_test : c->stencil_test;
    c->front = mask & VC4VK_CHOICE_STENCIL_OP ? now->front : c->front;
    c->back = mask & VC4VK_CHOICE_STENCIL_OP ? now->back : c->back;
}

static const struct vc4vk_target *current_target(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->pass.has_target ? &cmd->pass.target : &cmd->state.bound->state.choice.target;
}

void vc4vk_cmd_state_note_target(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    if (state->bound &&
        memcmp(current_target(cmd), &state->pipeline->state.choice.target, sizeof(struct vc4vk_target)))
        state->dirty |= VC4VK_DIRTY_CHOICE;
}

/* The pipeline's values, with the current ones where they are dynamic. */
static struct vc4vk_choice current_choice(const struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const struct vc4vk_choice *now = &state->choice;
    const uint32_t mask = state->bound->state.choice_mask;
    struct vc4vk_choice c = state->bound->state.choice;
    c.target = *current_target(cmd);
    c.cull_mode = mask & VC4VK_CHOICE_CULL_MODE ? now->cull_mode : c.cull_mode;
    c.front_face = mask & VC4VK_CHOICE_FRONT_FACE ? now->front_face : c.front_face;
    c.topology = mask & VC4VK_CHOICE_TOPOLOGY ? now->topology : c.topology;
    c.restart = mask & VC4VK_CHOICE_RESTART ? now->restart : c.restart;
    c.discard = mask & VC4VK_CHOICE_DISCARD ? now->discard : c.discard;
    c.depth_bias = mask & VC4VK_CHOICE_DEPTH_BIAS ? now->depth_bias : c.depth_bias;
    choose_tests(&c, now, mask);
    c.logic_op = mask & VC4VK_CHOICE_LOGIC_OP ? now->logic_op : c.logic_op;
    c.color_writes = mask & VC4VK_CHOICE_COLOR_WRITES ? now->color_writes : c.color_writes;
    return c;
}

void vc4vk_cmd_state_choose(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_pipeline *instance;
    state->dirty &= ~(uint32_t)VC4VK_DIRTY_CHOICE;
    if (!state->bound)
        return;
    const struct vc4vk_choice choice = current_choice(cmd);
    const struct vc4vk_vertex_input *input =
        state->bound->state.choice_mask & VC4VK_CHOICE_VERTEX_INPUT ? &state->vertex_input : NULL;
    if (vc4vk_pipeline_is_for(state->pipeline, &choice, input))
        return;
    VkResult result = vc4vk_pipeline_instance(state->bound, &choice, input, &instance);
    if (result != VK_SUCCESS) {
        vc4vk_cmd_fail(cmd, result);
        return;
    }
    state->pipeline = instance;
    state->dirty |= VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_DESCRIPTORS;
}

/* ---------------------------------------------------------------- values */

static void set_byte(VkCommandBuffer cmd_h, size_t field, uint32_t value)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    uint8_t *byte = (uint8_t *)&cmd->state.choice + field;
    if (*byte != value)
        cmd->state.dirty |= VC4VK_DIRTY_CHOICE;
    *byte = (uint8_t)value;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetCullModeEXT(VkCommandBuffer cmd, VkCullModeFlags mode)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, cull_mode), mode);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetFrontFaceEXT(VkCommandBuffer cmd, VkFrontFace face)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, front_face), face);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetPrimitiveTopologyEXT(VkCommandBuffer cmd, VkPrimitiveTopology topology)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, topology), topology);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetPrimitiveRestartEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, restart), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetRasterizerDiscardEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, discard), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthBiasEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_bias), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthTestEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_test), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthWriteEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_write), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthCompareOpEXT(VkCommandBuffer cmd, VkCompareOp op)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_compare), op);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthBoundsTestEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    /* the depth bounds test is not supported, so it is always disabled */
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetStencilTestEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, stencil_test), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetStencilOpEXT(VkCommandBuffer cmd_h, VkStencilFaceFlags faces, VkStencilOp fail,
                                                    VkStencilOp pass, VkStencilOp depth_fail, VkCompareOp compare)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_stencil_ops ops = {(uint8_t)fail, (uint8_t)pass, (uint8_t)depth_fail, (uint8_t)compare};
    if (faces & VK_STENCIL_FACE_FRONT_BIT)
        cmd->state.choice.front = ops;
    if (faces & VK_STENCIL_FACE_BACK_BIT)
        cmd->state.choice.back = ops;
    cmd->state.dirty |= VC4VK_DIRTY_CHOICE;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLogicOpEXT(VkCommandBuffer cmd, VkLogicOp op)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, logic_op), op);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetPatchControlPointsEXT(VkCommandBuffer cmd, uint32_t points)
{
    /* there is no tessellation */
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetColorWriteEnableEXT(VkCommandBuffer cmd, uint32_t count, const VkBool32 *enables)
{
    uint32_t mask = UINT8_MAX;
    for (uint32_t i = 0; i < MIN2(count, VC4VK_MAX_COLOR_ATTACHMENTS); i++)
        mask &= enables[i] ? UINT32_MAX : ~BIT(i);
    set_byte(cmd, offsetof(struct vc4vk_choice, color_writes), mask);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetViewportWithCountEXT(VkCommandBuffer cmd, uint32_t count,
                                                            const VkViewport *viewports)
{
    vc4vk_cmd_buffer_from_handle(cmd)->state.viewport_count = count;
    vc4vk_CmdSetViewport(cmd, 0, count, viewports);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetScissorWithCountEXT(VkCommandBuffer cmd, uint32_t count,
                                                           const VkRect2D *scissors)
{
    vc4vk_CmdSetScissor(cmd, 0, count, scissors);
}

/* ---------------------------------------------------------------- vertex input */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetVertexInputEXT(VkCommandBuffer cmd_h, uint32_t binding_count,
                                                      const VkVertexInputBindingDescription2EXT *bindings,
                                                      uint32_t attribute_count,
                                                      const VkVertexInputAttributeDescription2EXT *attributes)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_vertex_input *input = &cmd->state.vertex_input;
    VkResult result = VK_SUCCESS;
    memset(input, 0, sizeof *input);
    for (uint32_t i = 0; i < binding_count && result == VK_SUCCESS; i++) {
        result = vc4vk_vertex_input_add_binding(cmd, input, &bindings[i]);
        if (result == VK_SUCCESS) /* where the stride alone is dynamic too, this call sets both */
            cmd->state.vertex_buffers[bindings[i].binding].stride_B = bindings[i].stride;
    }
    for (uint32_t i = 0; i < attribute_count && result == VK_SUCCESS; i++)
        result = vc4vk_vertex_input_add_attribute(cmd, input, &attributes[i]);
    if (result != VK_SUCCESS)
        vc4vk_cmd_fail(cmd, result);
    cmd->state.vertex_buffers_serial++;
    cmd->state.dirty |= VC4VK_DIRTY_CHOICE | VC4VK_DIRTY_VERTEX_BUFFERS;
}
