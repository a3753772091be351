/* SPDX-License-Identifier: MIT
 *
 * Dynamic state that is lowered into programs and packets (struct vc4vk_choice). Commands only note the values. The
 * next draw finds the instance of the bound pipeline for all of them (vc4vk_pipeline_instance), from which on the draw
 * is one with an ordinary pipeline. Draws of pipelines without such state only look at a bit.
 *
 * A dynamic pass may have other attachments than the pipeline was created for. They are part of the choice, too. To
 * those that the pipeline lacks nothing is written (VK_EXT_dynamic_rendering_unused_attachments).
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

/* ---------------------------------------------------------------- for a draw */

/* The fields of struct vc4vk_choice that belong to a bit of the mask. */
#define FIELD(bit, member)                                                                                             \
    {                                                                                                                  \
        VC4VK_CHOICE_##bit, offsetof(struct vc4vk_choice, member), sizeof((struct vc4vk_choice *)0)->member            \
    }
static const struct {
    uint32_t bit;
    uint8_t offset_B, size_B;
} fields[] = {
    FIELD(CULL_MODE, cull_mode),
    FIELD(FRONT_FACE, front_face),
    FIELD(TOPOLOGY, topology),
    FIELD(RESTART, restart),
    FIELD(DISCARD, discard),
    FIELD(DEPTH_BIAS, depth_bias),
    FIELD(DEPTH_TEST, depth_test),
    FIELD(DEPTH_WRITE, depth_write),
    FIELD(DEPTH_COMPARE, depth_compare),
    FIELD(STENCIL_TEST, stencil_test),
    FIELD(STENCIL_OP, front),
    FIELD(STENCIL_OP, back),
    FIELD(LOGIC_OP, logic_op),
    FIELD(COLOR_WRITES, color_writes),
    FIELD(POLYGON_MODE, polygon_mode),
    FIELD(DEPTH_CLAMP, depth_clamp),
    FIELD(DEPTH_CLIP, depth_clip),
    FIELD(PROVOKING_VERTEX, last_provokes),
    FIELD(SAMPLES, samples),
    FIELD(SAMPLE_MASK, sample_mask),
    FIELD(ALPHA_TO_COVERAGE, alpha_to_coverage),
    FIELD(ALPHA_TO_ONE, alpha_to_one),
    FIELD(LOGIC_OP_ENABLE, logic_op_enable),
    FIELD(BLEND_ENABLE, blends),
    FIELD(BLEND_EQUATION, equations),
    FIELD(WRITE_MASK, write_masks),
    FIELD(LINE_MODE, line_mode),
    FIELD(STIPPLE, stipples),
    FIELD(PATCH_VERTICES, patch_vertices),
    FIELD(DOMAIN_ORIGIN, domain_origin),
    FIELD(SYMMETRIC_DEPTH, symmetric_depth),
    FIELD(STREAM, stream),
};
#undef FIELD

static const struct vc4vk_target *current_target(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->pass.has_target ? &cmd->pass.target : &cmd->state.bound->state.choice.target;
}

void vc4vk_cmd_state_note_target(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    if (state->bound && memcmp(current_target(cmd), &state->pipeline->state.choice.target, sizeof(struct vc4vk_target)))
        state->dirty |= VC4VK_DIRTY_CHOICE;
}

/* The pipeline's values, with the current ones where they are dynamic. */
static struct vc4vk_choice current_choice(const struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const uint32_t mask = state->bound->state.choice_mask;
    struct vc4vk_choice c = state->bound->state.choice;
    for (uint32_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (mask & fields[i].bit)
            memcpy((uint8_t *)&c + fields[i].offset_B, (const uint8_t *)&state->choice + fields[i].offset_B,
                   fields[i].size_B);
    if (state->bound->state.dynamic_mask & VC4VK_DYNAMIC_DEPTH_BIAS)
        c.bias_unit = state->choice.bias_unit;
    vc4vk_choice_set_target(&c, &state->bound->state.choice.target, current_target(cmd));
    return c;
}

/* Most applications never choose a unit; binding a pipeline then costs a comparison. */
bool vc4vk_cmd_state_has_other_bias(const struct vc4vk_cmd_state *state)
{
    const struct vc4vk_pipeline_state *p = &state->bound->state;
    return p->dynamic_mask & VC4VK_DYNAMIC_DEPTH_BIAS && p->choice.bias_unit != state->choice.bias_unit;
}

static void use_instance(struct vc4vk_cmd_buffer *cmd, VkResult result, struct vc4vk_pipeline *instance)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    if (result != VK_SUCCESS) {
        vc4vk_cmd_fail(cmd, result);
    } else if (state->pipeline != instance) {
        state->pipeline = instance;
        state->dirty |= VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_DESCRIPTORS;
    }
}

#ifdef VK_EXT_shader_object
/* The stages that draw: a mesh shader draws without those of vertices, and a task shader never without it. */
static struct vc4vk_shaders drawing_shaders(const struct vc4vk_cmd_state *state)
{
    struct vc4vk_shaders shaders = state->shaders;
    const bool has_mesh = shaders.at[VC4VK_SHADER_MESH] != NULL;
    for (uint32_t i = VC4VK_SHADER_VERTEX; i <= VC4VK_SHADER_GEOMETRY; i++)
        shaders.at[i] = has_mesh ? NULL : shaders.at[i];
    shaders.at[VC4VK_SHADER_TASK] = has_mesh ? shaders.at[VC4VK_SHADER_TASK] : NULL;
    return shaders;
}
#endif

/* For shader objects, which are drawn with in dynamic passes only. Without a vertex or mesh shader there is no
 * pipeline, and the choice remains dirty. */
static void choose_for_shaders(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
#ifdef VK_EXT_shader_object
    const struct vc4vk_shaders shaders = drawing_shaders(state);
    if ((shaders.at[VC4VK_SHADER_VERTEX] || shaders.at[VC4VK_SHADER_MESH]) && cmd->pass.has_target) {
        struct vc4vk_choice choice = state->choice;
        struct vc4vk_pipeline *instance = NULL;
        choice.target = cmd->pass.target;
        memcpy(choice.color_locations, cmd->pass.color_locations, sizeof choice.color_locations);
        VkResult result = vc4vk_shaders_pipeline(&shaders, &choice, &state->vertex_input, &state->bound, &instance);
        use_instance(cmd, result, instance);
        return;
    }
#endif
    state->bound = state->pipeline = NULL;
    state->dirty |= VC4VK_DIRTY_CHOICE;
}

void vc4vk_cmd_state_choose(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_pipeline *instance = NULL;
    state->dirty &= ~(uint32_t)VC4VK_DIRTY_CHOICE;
    if (state->has_shaders) {
        choose_for_shaders(cmd);
        return;
    }
    if (!state->bound)
        return;
    const struct vc4vk_choice choice = current_choice(cmd);
    const struct vc4vk_vertex_input *input =
        state->bound->state.choice_mask & VC4VK_CHOICE_VERTEX_INPUT ? &state->vertex_input : NULL;
    if (vc4vk_pipeline_is_for(state->pipeline, &choice, input))
        return;
    const VkResult result = vc4vk_pipeline_instance(state->bound, &choice, input, &instance);
    use_instance(cmd, result, instance);
}

#ifdef VK_EXT_shader_object
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindShadersEXT(VkCommandBuffer cmd_h, uint32_t count,
                                                   const VkShaderStageFlagBits *stages, const VkShaderEXT *shaders)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_state *state = &cmd->state;
    for (uint32_t i = 0; i < count; i++) {
        const enum vc4vk_shader_stage stage = vc4vk_shader_stage(stages[i]);
        const VkShaderEXT shader = shaders ? shaders[i] : VK_NULL_HANDLE;
        if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT) {
            state->compute.pipeline = vc4vk_shader_compute(shader);
            state->compute.is_dirty = true;
        } else {
            if (stage != VC4VK_SHADER_STAGES)
                state->shaders.at[stage] = vc4vk_shader_for(shader, stages[i]);
            state->has_shaders = true;
            state->dirty |= VC4VK_DIRTY_CHOICE;
        }
    }
}
#endif

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
    set_byte(cmd, offsetof(struct vc4vk_choice, patch_vertices), MIN2(points, VC4C_MAX_PATCH_VERTICES));
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetColorWriteEnableEXT(VkCommandBuffer cmd, uint32_t count, const VkBool32 *enables)
{
    uint32_t mask = UINT8_MAX;
    for (uint32_t i = 0; i < MIN2(count, VC4VK_MAX_COLOR_ATTACHMENTS); i++)
        mask &= enables[i] ? UINT32_MAX : ~BIT(i);
    set_byte(cmd, offsetof(struct vc4vk_choice, color_writes), mask);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetViewportWithCountEXT(VkCommandBuffer cmd_h, uint32_t count,
                                                            const VkViewport *viewports)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    cmd->state.dirty |= cmd->state.viewport_count != count ? VC4VK_DYNAMIC_VIEWPORT : 0;
    cmd->state.viewport_count = count;
    vc4vk_CmdSetViewport(cmd_h, 0, count, viewports);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetScissorWithCountEXT(VkCommandBuffer cmd, uint32_t count,
                                                           const VkRect2D *scissors)
{
    vc4vk_CmdSetScissor(cmd, 0, count, scissors);
}

/* ---------------------------------------------------------------- VK_EXT_extended_dynamic_state3 */

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetPolygonModeEXT(VkCommandBuffer cmd, VkPolygonMode mode)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, polygon_mode), mode);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthClampEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_clamp), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthClipEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, depth_clip), enable ? VC4VK_CLIP_ALWAYS : VC4VK_CLIP_NEVER);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetProvokingVertexModeEXT(VkCommandBuffer cmd, VkProvokingVertexModeEXT mode)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, last_provokes), mode == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetRasterizationSamplesEXT(VkCommandBuffer cmd, VkSampleCountFlagBits samples)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, samples), samples);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetSampleMaskEXT(VkCommandBuffer cmd, VkSampleCountFlagBits samples,
                                                     const VkSampleMask *mask)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, sample_mask), (mask ? *mask : UINT32_MAX) & VC4VK_ALL_SAMPLES);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetAlphaToCoverageEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, alpha_to_coverage), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetAlphaToOneEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, alpha_to_one), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLogicOpEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, logic_op_enable), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetTessellationDomainOriginEXT(VkCommandBuffer cmd,
                                                                   VkTessellationDomainOrigin origin)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, domain_origin), origin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT);
}

/* The number of attachments of a command that the driver has. */
static uint32_t attachments_in_range(uint32_t first, uint32_t count)
{
    return first < VC4VK_MAX_COLOR_ATTACHMENTS ? MIN2(count, VC4VK_MAX_COLOR_ATTACHMENTS - first) : 0;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetColorBlendEnableEXT(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                                           const VkBool32 *enables)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    uint32_t blends = cmd->state.choice.blends;
    for (uint32_t i = 0; i < attachments_in_range(first, count); i++)
        blends = enables[i] ? blends | BIT(first + i) : blends & ~BIT(first + i);
    set_byte(cmd_h, offsetof(struct vc4vk_choice, blends), blends);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetColorBlendEquationEXT(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                                             const VkColorBlendEquationEXT *equations)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < attachments_in_range(first, count); i++)
        cmd->state.choice.equations[first + i] = vc4vk_blend_equation(&equations[i]);
    cmd->state.dirty |= VC4VK_DIRTY_CHOICE;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetColorWriteMaskEXT(VkCommandBuffer cmd, uint32_t first, uint32_t count,
                                                         const VkColorComponentFlags *masks)
{
    for (uint32_t i = 0; i < attachments_in_range(first, count); i++)
        set_byte(cmd, offsetof(struct vc4vk_choice, write_masks) + first + i, masks[i]);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLineRasterizationModeEXT(VkCommandBuffer cmd, VkLineRasterizationModeEXT mode)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, line_mode), mode);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLineStippleEnableEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, stipples), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthClipNegativeOneToOneEXT(VkCommandBuffer cmd, VkBool32 enable)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, symmetric_depth), enable != 0);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetRasterizationStreamEXT(VkCommandBuffer cmd, uint32_t stream)
{
    set_byte(cmd, offsetof(struct vc4vk_choice, stream), MIN2(stream, VC4C_MAX_STREAMS - 1));
}

#ifdef VK_EXT_attachment_feedback_loop_dynamic_state
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetAttachmentFeedbackLoopEnableEXT(VkCommandBuffer cmd, VkImageAspectFlags aspects)
{
    /* programs read attachments from memory anyway, and barriers see to it that it has what was drawn */
}
#endif

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
