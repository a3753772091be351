/* SPDX-License-Identifier: MIT
 *
 * Binding and dynamic state, and the packets and words that a draw writes for it: one function per group. Only state
 * that has not been written to the job yet is written.
 */
#include <float.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_entrypoints_gen.h"

void vc4vk_cmd_state_reset(struct vc4vk_cmd_state *state)
{
    memset(state, 0, offsetof(struct vc4vk_cmd_state, prepared));
    state->dirty = VC4VK_DIRTY_ALL;
    state->dynamic.line_width_px = 1.0f;
    /* What shader objects draw with where a feature is not enabled, and therefore no command sets its state. */
    state->choice.samples = 1;
    state->choice.sample_mask = VC4VK_ALL_SAMPLES;
    state->choice.color_writes = UINT8_MAX;
    state->choice.depth_clip = VC4VK_CLIP_UNLESS_CLAMPED;
}

/* ---------------------------------------------------------------- binding */

/* Returns the groups that have changed. */
static uint32_t bind_more_viewports(struct vc4vk_more_viewports *to, const struct vc4vk_more_viewports *from,
                                    uint32_t fixed)
{
    uint32_t changed = 0;
    if ((fixed & VC4VK_DYNAMIC_VIEWPORT) && memcmp(to->viewports, from->viewports, sizeof to->viewports)) {
        memcpy(to->viewports, from->viewports, sizeof to->viewports);
        changed |= VC4VK_DYNAMIC_VIEWPORT;
    }
    if ((fixed & VC4VK_DYNAMIC_SCISSOR) && memcmp(to->scissors, from->scissors, sizeof to->scissors)) {
        memcpy(to->scissors, from->scissors, sizeof to->scissors);
        changed |= VC4VK_DYNAMIC_SCISSOR;
    }
    return changed;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBindPipeline(VkCommandBuffer cmd_h, VkPipelineBindPoint point,
                                                 VkPipeline pipeline_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_state *state = &cmd->state;
    if (vc4vk_pipeline_from_handle(pipeline_h)->library) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "vkCmdBindPipeline: the pipeline is a library that was not linked");
        return;
    }
    if (point == VK_PIPELINE_BIND_POINT_COMPUTE) {
        state->compute.pipeline = vc4vk_pipeline_from_handle(pipeline_h);
        state->compute.is_dirty = true;
        return;
    }
    if (state->bound == vc4vk_pipeline_from_handle(pipeline_h) && !state->has_shaders)
        return;
    state->has_shaders = false;
    memset(&state->shaders, 0, sizeof state->shaders);
    state->bound = state->pipeline = vc4vk_pipeline_from_handle(pipeline_h);
    state->dirty |=
        VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_DESCRIPTORS |
        (state->pipeline->state.choice_mask || vc4vk_cmd_state_has_other_bias(state) ? VC4VK_DIRTY_CHOICE : 0);
    vc4vk_cmd_state_note_target(cmd);
    const struct vc4vk_dynamic_state *values = &state->pipeline->state.fixed;
    const uint32_t fixed = VC4VK_DYNAMIC_ALL & ~state->pipeline->state.dynamic_mask;
    if (state->pipeline->state.viewport_count > 1)
        state->dirty |= bind_more_viewports(&state->more, &state->pipeline->state.more_fixed, fixed);
    /* Pipelines of one pass often have the same fixed values; one comparison is cheaper than one for each group. */
    if (fixed != VC4VK_DYNAMIC_ALL || memcmp(&state->dynamic, values, sizeof *values))
        state->dirty |= vc4vk_dynamic_state_copy(&state->dynamic, values, fixed);
}

static void set_dynamic(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_dynamic_state *from, uint32_t group)
{
    vc4vk_dynamic_state_copy(&cmd->state.dynamic, from, group);
    cmd->state.dirty |= group;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetViewport(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                                const VkViewport *viewports)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < count && first + i < VC4VK_MAX_VIEWPORTS; i++) {
        VkViewport *to = first + i ? &cmd->state.more.viewports[first + i - 1] : &cmd->state.dynamic.viewport;
        cmd->state.dirty |= memcmp(to, &viewports[i], sizeof *to) ? VC4VK_DYNAMIC_VIEWPORT : 0;
        *to = viewports[i];
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetScissor(VkCommandBuffer cmd_h, uint32_t first, uint32_t count,
                                               const VkRect2D *scissors)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < count && first + i < VC4VK_MAX_VIEWPORTS; i++) {
        VkRect2D *to = first + i ? &cmd->state.more.scissors[first + i - 1] : &cmd->state.dynamic.scissor;
        cmd->state.dirty |= memcmp(to, &scissors[i], sizeof *to) ? VC4VK_DYNAMIC_SCISSOR : 0;
        *to = scissors[i];
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLineWidth(VkCommandBuffer cmd_h, float width_px)
{
    set_dynamic(vc4vk_cmd_buffer_from_handle(cmd_h), &(struct vc4vk_dynamic_state){.line_width_px = width_px},
                VC4VK_DYNAMIC_LINE_WIDTH);
}

#ifdef VK_KHR_line_rasterization
#define vc4vk_CmdSetLineStippleEXT vc4vk_CmdSetLineStippleKHR
#endif

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetLineStippleEXT(VkCommandBuffer cmd_h, uint32_t factor, uint16_t pattern)
{
    set_dynamic(
        vc4vk_cmd_buffer_from_handle(cmd_h),
        &(struct vc4vk_dynamic_state){.stipple_factor = (uint16_t)CLAMP(factor, 1u, 256u), .stipple_pattern = pattern},
        VC4VK_DYNAMIC_LINE_STIPPLE);
}

static void set_depth_bias(struct vc4vk_cmd_buffer *cmd, float constant, float clamp, float slope, uint8_t unit)
{
    set_dynamic(cmd,
                &(struct vc4vk_dynamic_state){
                    .depth_bias_constant = constant, .depth_bias_clamp = clamp, .depth_bias_slope = slope},
                VC4VK_DYNAMIC_DEPTH_BIAS);
    cmd->state.dirty |= cmd->state.choice.bias_unit != unit ? VC4VK_DIRTY_CHOICE : 0;
    cmd->state.choice.bias_unit = unit;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthBias(VkCommandBuffer cmd, float constant, float clamp, float slope)
{
    set_depth_bias(vc4vk_cmd_buffer_from_handle(cmd), constant, clamp, slope, VC4VK_BIAS_FORMAT);
}

#ifdef VK_EXT_depth_bias_control
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthBias2EXT(VkCommandBuffer cmd, const VkDepthBiasInfoEXT *info)
{
    set_depth_bias(vc4vk_cmd_buffer_from_handle(cmd), info->depthBiasConstantFactor, info->depthBiasClamp,
                   info->depthBiasSlopeFactor, vc4vk_bias_unit(info->pNext));
}
#endif

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetBlendConstants(VkCommandBuffer cmd_h, const float constants[4])
{
    struct vc4vk_dynamic_state from = {0};
    memcpy(from.blend_constants, constants, sizeof from.blend_constants);
    set_dynamic(vc4vk_cmd_buffer_from_handle(cmd_h), &from, VC4VK_DYNAMIC_BLEND_CONSTANTS);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetDepthBounds(VkCommandBuffer cmd_h, float min, float max)
{
    /* the depth bounds test is not supported, so no pipeline reads them */
}

static void set_stencil(VkCommandBuffer cmd_h, VkStencilFaceFlags faces, uint32_t group, size_t field, uint32_t value)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (faces & VK_STENCIL_FACE_FRONT_BIT)
        ((uint8_t *)&cmd->state.dynamic.front)[field] = (uint8_t)value;
    if (faces & VK_STENCIL_FACE_BACK_BIT)
        ((uint8_t *)&cmd->state.dynamic.back)[field] = (uint8_t)value;
    cmd->state.dirty |= group;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetStencilCompareMask(VkCommandBuffer cmd, VkStencilFaceFlags faces, uint32_t mask)
{
    set_stencil(cmd, faces, VC4VK_DYNAMIC_STENCIL_COMPARE_MASK, offsetof(struct vc4vk_stencil_face, compare_mask),
                mask);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetStencilWriteMask(VkCommandBuffer cmd, VkStencilFaceFlags faces, uint32_t mask)
{
    set_stencil(cmd, faces, VC4VK_DYNAMIC_STENCIL_WRITE_MASK, offsetof(struct vc4vk_stencil_face, write_mask), mask);
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetStencilReference(VkCommandBuffer cmd, VkStencilFaceFlags faces,
                                                        uint32_t reference)
{
    set_stencil(cmd, faces, VC4VK_DYNAMIC_STENCIL_REFERENCE, offsetof(struct vc4vk_stencil_face, reference), reference);
}

/* ---------------------------------------------------------------- packets */

/* Clamps to the range of the chip's signed 12.4 fixed-point fields. */
static float to_s12_4(float px)
{
    return px > -2048.0f ? MIN2(px, 2047.9375f) : -2048.0f;
}

static void pack_viewport(const VkViewport *v, uint8_t out[VC4VK_VIEWPORT_PACKETS_B])
{
    cl_clipper_xy_scaling_pack(out, &(struct cl_clipper_xy_scaling){.half_width_16 = v->width * 0.5f * 16.0f,
                                                                    .half_height_16 = v->height * 0.5f * 16.0f});
    out += CL_CLIPPER_XY_SCALING_SIZE_B;
    /* programs output clip z as 2z - w: the clipper's near plane is -w [hardware notes 6.3] */
    cl_clipper_z_scale_offset_pack(out,
                                   &(struct cl_clipper_z_scale_offset){.scale = (v->maxDepth - v->minDepth) * 0.5f,
                                                                       .offset = (v->maxDepth + v->minDepth) * 0.5f});
    out += CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B;
    cl_viewport_offset_pack(out, &(struct cl_viewport_offset){.centre_x = to_s12_4(v->x + v->width * 0.5f),
                                                              .centre_y = to_s12_4(v->y + v->height * 0.5f)});
}

struct span {
    int64_t begin, end;
};

static struct span span_of(float origin, float size)
{
    float a = size < 0 ? origin + size : origin, b = size < 0 ? origin : origin + size;
    const float far_px = 2.0f * VC4VK_MAX_TARGET_PX;
    a = a > -far_px ? MIN2(a, far_px) : -far_px; /* NaN too */
    b = b > -far_px ? MIN2(b, far_px) : -far_px;
    int64_t begin = (int64_t)a, end = (int64_t)b; /* outwards */
    return (struct span){begin - (a < (float)begin), end + (b > (float)end)};
}

static struct span intersect(struct span s, int64_t begin, int64_t end)
{
    return (struct span){MAX2(s.begin, begin), MIN2(s.end, end)};
}

/* The clip window is the intersection of viewport, scissor and render area: the guard band would let primitives draw
 * outside of the viewport. An empty window that begins at 0 clips nothing [model-gpu.md], so it begins at 1. `i`: the
 * number of viewport and scissor. */
static struct cl_clip_window clip_window(const struct vc4vk_cmd_buffer *cmd, uint32_t i)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const VkViewport *viewport = vc4vk_cmd_viewport(state, i);
    const VkRect2D *scissor = vc4vk_cmd_scissor(state, i);
    const struct vc4vk_cmd_pass *pass = &cmd->pass;
    struct span x = span_of(viewport->x, viewport->width), y = span_of(viewport->y, viewport->height);
    x = intersect(x, scissor->offset.x, (int64_t)scissor->offset.x + scissor->extent.width);
    y = intersect(y, scissor->offset.y, (int64_t)scissor->offset.y + scissor->extent.height);
    if (cmd->continues_pass) { /* clipped to the framebuffer when it is executed */
        x = intersect(x, 0, VC4VK_MAX_TARGET_PX);
        y = intersect(y, 0, VC4VK_MAX_TARGET_PX);
    } else {
        x = intersect(x, pass->area.offset.x, (int64_t)pass->area.offset.x + pass->area.extent.width);
        y = intersect(y, pass->area.offset.y, (int64_t)pass->area.offset.y + pass->area.extent.height);
    }
    const bool is_empty = x.end <= x.begin || y.end <= y.begin || state->pipeline->state.rasterizer_discard;
    return (struct cl_clip_window){.left_px = is_empty ? 1 : (uint32_t)x.begin,
                                   .bottom_px = is_empty ? 1 : (uint32_t)y.begin,
                                   .width_px = is_empty ? 0 : (uint32_t)(x.end - x.begin),
                                   .height_px = is_empty ? 0 : (uint32_t)(y.end - y.begin)};
}

static void flush_clip_window(struct vc4vk_cmd_buffer *cmd)
{
    cmd->state.window_discards = cmd->state.pipeline->state.rasterizer_discard;
    cmd->state.window_area = cmd->pass.area;
    cl_emit(&cmd->lists.packets, CLIP_WINDOW, clip_window, p)
    {
        p = clip_window(cmd, 0);
    }
}

static void flush_rasterizer(struct util_stream *packets, const struct vc4vk_cmd_state *state)
{
    const struct vc4vk_pipeline_state *p_state = &state->pipeline->state;
    /* earlier pipelines that do not use this dynamic state have not written it */
    const uint32_t lacking =
        (state->dirty & (VC4VK_DIRTY_JOB | VC4VK_DIRTY_PIPELINE) ? VC4VK_DYNAMIC_ALL : state->dirty) &
        p_state->dynamic_mask;
    if (p_state->fragment.primitive == VC4C_PRIMITIVE_LINES && (lacking & VC4VK_DYNAMIC_LINE_WIDTH))
        cl_emit(packets, LINE_WIDTH, line_width, p)
        {
            p.width_px = vc4vk_line_width_px(p_state, state->dynamic.line_width_px);
        }
    if (p_state->depth_bias && (lacking & VC4VK_DYNAMIC_DEPTH_BIAS))
        cl_emit(packets, DEPTH_OFFSET, depth_offset, p)
        {
            p = vc4vk_depth_offset(p_state, &state->dynamic);
        }
}

static void flush_packets(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct util_stream *packets = &cmd->lists.packets;
    const uint32_t dirty = state->dirty;
    if (dirty & VC4VK_DYNAMIC_VIEWPORT)
        pack_viewport(&state->dynamic.viewport, state->viewport_packets);
    if (dirty & (VC4VK_DYNAMIC_VIEWPORT | VC4VK_DIRTY_JOB))
        util_stream_write(packets, state->viewport_packets, sizeof state->viewport_packets);
    if (dirty & (VC4VK_DYNAMIC_VIEWPORT | VC4VK_DYNAMIC_SCISSOR | VC4VK_DIRTY_JOB) ||
        state->window_discards != state->pipeline->state.rasterizer_discard)
        flush_clip_window(cmd);
    flush_rasterizer(packets, state);
}

/* ---------------------------------------------------------------- the draw state */

static struct vc4vk_viewport_words viewport_words(const VkViewport *v)
{
    return (struct vc4vk_viewport_words){.scale_x_16 = v->width * 0.5f * 16.0f,
                                         .scale_y_16 = v->height * 0.5f * 16.0f,
                                         .scale_z = (v->maxDepth - v->minDepth) * 0.5f,
                                         .offset_z = (v->maxDepth + v->minDepth) * 0.5f,
                                         .centre_x_px = v->x + v->width * 0.5f,
                                         .centre_y_px = v->y + v->height * 0.5f};
}

static void flush_fragment_words(const struct vc4vk_cmd_state *state, struct vc4vk_uniform_set *set)
{
    const struct vc4vk_pipeline_state *p = &state->pipeline->state;
    set->sample_mask = p->sample_mask;
    set->sample_shading = p->sample_shading;
    memcpy(set->blend_constants, state->dynamic.blend_constants, sizeof set->blend_constants);
    vc4vk_pipeline_state_stencil_words(p, &state->dynamic, set->stencil_words);
}

static void flush_bias_words(const struct vc4vk_cmd_state *state, struct vc4vk_uniform_set *set)
{
    const struct vc4vk_dynamic_state *d = &state->dynamic;
    set->depth_bias = d->depth_bias_constant * state->pipeline->state.depth_unit;
    set->depth_bias_slope = d->depth_bias_slope;
    set->depth_bias_min = d->depth_bias_clamp < 0 ? d->depth_bias_clamp : -FLT_MAX;
    set->depth_bias_max = d->depth_bias_clamp > 0 ? d->depth_bias_clamp : FLT_MAX;
}

#define DIRTY_FRAGMENT_WORDS (VC4VK_DIRTY_PIPELINE | VC4VK_DYNAMIC_BLEND_CONSTANTS | VC4VK_DYNAMIC_STENCIL)
#define DIRTY_BIAS_WORDS     (VC4VK_DIRTY_PIPELINE | VC4VK_DYNAMIC_DEPTH_BIAS)
#define DIRTY_WORDS                                                                                                    \
    (VC4VK_DYNAMIC_VIEWPORT | VC4VK_DYNAMIC_LINE_WIDTH | VC4VK_DYNAMIC_LINE_STIPPLE | DIRTY_FRAGMENT_WORDS |           \
     DIRTY_BIAS_WORDS)

/* NULL after a failure. */
static const struct vc4vk_uniform_set *flush_words(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_uniform_set *last)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_uniform_set *set = vc4vk_cmd_alloc_raw(cmd, sizeof *set);
    if (!set)
        return NULL;
    *set = last ? *last : (struct vc4vk_uniform_set){0};
    if (state->dirty & VC4VK_DYNAMIC_VIEWPORT)
        set->viewport = viewport_words(&state->dynamic.viewport);
    if (state->dirty & DIRTY_FRAGMENT_WORDS)
        flush_fragment_words(state, set);
    if (state->dirty & DIRTY_BIAS_WORDS)
        flush_bias_words(state, set);
    set->line_width_px = state->dynamic.line_width_px;
    set->stipple_factor = MAX2(state->dynamic.stipple_factor, (uint16_t)1);
    set->stipple_pattern = state->dynamic.stipple_pattern;
    return set;
}

#define DIRTY_VIEWPORTS (VC4VK_DYNAMIC_VIEWPORT | VC4VK_DYNAMIC_SCISSOR | VC4VK_DIRTY_JOB | VC4VK_DIRTY_PIPELINE)

static bool windows_overlap(const struct cl_clip_window *a, const struct cl_clip_window *b)
{
    return MAX2(a->left_px, b->left_px) < MIN2(a->left_px + a->width_px, b->left_px + b->width_px) &&
           MAX2(a->bottom_px, b->bottom_px) < MIN2(a->bottom_px + a->height_px, b->bottom_px + b->height_px);
}

/* NULL if vertex programs select no viewport, or after a failure. */
static const struct vc4vk_viewports *flush_viewports(struct vc4vk_cmd_buffer *cmd)
{
    const uint32_t count = vc4vk_cmd_viewport_count(&cmd->state);
    struct vc4vk_viewports *out = count > 1 ? vc4vk_cmd_new(cmd, struct vc4vk_viewports) : NULL;
    struct cl_clip_window windows[VC4VK_MAX_VIEWPORTS];
    if (!out)
        return NULL;
    out->count = count;
    for (uint32_t i = 0; i < count; i++) {
        const VkViewport *v = vc4vk_cmd_viewport(&cmd->state, i);
        out->at[i].words = viewport_words(v);
        pack_viewport(v, out->at[i].packets);
        windows[i] = clip_window(cmd, i);
        cl_clip_window_pack(out->at[i].packets + VC4VK_VIEWPORT_PACKETS_B, &windows[i]);
        for (uint32_t k = 0; k < i; k++)
            out->overlap |= windows_overlap(&windows[i], &windows[k]);
    }
    return out;
}

static void flush_assembly(const struct vc4vk_cmd_state *state, struct vc4vk_draw_state *draw)
{
    const struct vc4vk_pipeline_state *p = &state->pipeline->state;
    const struct vc4c_program *fs = &state->fragment->programs[0].program->compiled;
    draw->pipeline = state->pipeline;
    draw->topology = (uint8_t)p->topology;
    draw->restart = p->primitive_restart;
    draw->polygon = p->polygon;
    draw->is_rectangles = vc4vk_draws_rectangles(p);
    draw->stipples = p->stipples;
    draw->has_adjacency = p->has_adjacency;
    draw->orders_pixels = p->sample_shading && state->pipeline->fragment.interface->orders_pixels;
    draw->needs_triangle = state->vertex->programs[0].program->compiled.needs_triangle;
    draw->last_provokes = p->last_provokes;
    draw->first_provokes = (fs->flat_mask || fs->flat_from) && !p->last_provokes && !draw->needs_triangle &&
                           p->topology != VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
}

static void flush_indices(const struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw_state *draw)
{
    const struct vc4vk_buffer *buffer = cmd->state.index.buffer;
    draw->index_bo = NULL;
    draw->index_offset_B = draw->index_limit_B = 0;
    draw->zero_indices = true;
    if (!buffer) /* all indices are zero */
        return;
    const VkDeviceSize offset_B = MIN2(cmd->state.index.offset_B, buffer->size_B);
    draw->index_bo = buffer->bo;
    draw->index_offset_B = (uint32_t)(buffer->offset_B + offset_B);
    draw->index_limit_B = (uint32_t)(MIN2(cmd->state.index.end_B, buffer->size_B) - offset_B);
    draw->zero_indices = cmd->device->robustness.buffers;
}

/* Reuses the record of the last draw with this pipeline and these vertex buffers. */
static const struct vc4vk_record *record_for(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_prepared *prepared = state->prepared_now;
    if (!prepared->record || prepared->vertex_buffers_serial != state->vertex_buffers_serial)
        prepared->record = vc4vk_cmd_state_record(cmd, prepared->record);
    prepared->vertex_buffers_serial = state->vertex_buffers_serial;
    return prepared->record;
}

/* What the programs of the pipeline's expander run with. NULL if it has none, or after a failure. */
static const struct vc4vk_expansion *flush_expansion(struct vc4vk_cmd_buffer *cmd)
{
    const struct vc4vk_cmd_state *state = &cmd->state;
    const struct vc4vk_prepared *p = state->prepared_now;
    const struct vc4vk_pipeline_state *pipeline = &state->pipeline->state;
    struct vc4vk_expansion *out = state->pipeline->expander ? vc4vk_cmd_new(cmd, struct vc4vk_expansion) : NULL;
    if (!out)
        return NULL;
    out->vertex = p->expander.vertex;
    out->control = p->expander.control;
    out->evaluation = p->expander.evaluation;
    out->geometry = p->expander.geometry;
    out->vertex_table = p->expander.vertex_table;
    out->control_table = p->expander.control_table;
    out->evaluation_table = p->expander.evaluation_table;
    out->geometry_table = p->expander.geometry_table;
    out->task = p->expander.task;
    out->mesh = p->expander.mesh;
    out->task_table = p->expander.task_table;
    out->mesh_table = p->expander.mesh_table;
    for (uint32_t i = 0; i < VC4VK_MAX_VERTEX_BINDINGS; i++) {
        const struct vc4vk_buffer *buffer = state->vertex_buffers[i].buffer;
        if (!buffer || !buffer->bo || !(pipeline->application.input.binding_mask & BIT(i)))
            continue;
        out->bindings[i] = (struct vc4vk_expansion_binding){
            .bo = buffer->bo,
            .offset_B = buffer->offset_B + state->vertex_buffers[i].offset_B,
            .end_B = buffer->offset_B + MIN2(buffer->size_B, state->vertex_buffers[i].end_B),
            .stride_B = pipeline->has_bound_strides ? state->vertex_buffers[i].stride_B
                                                    : pipeline->application.input.bindings[i].stride_B};
    }
    return out;
}

#define DIRTY_EXPANSION (DIRTY_RECORD | VC4VK_DIRTY_TABLES)
#define DIRTY_RECORD (VC4VK_DIRTY_VARIANTS | VC4VK_DIRTY_VERTEX_BUFFERS | VC4VK_DIRTY_PIPELINE)

/* Copies the last draw state and updates what is dirty. NULL after a failure. */
static const struct vc4vk_draw_state *flush_draw_state(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    const struct vc4vk_prepared *prepared = state->prepared_now;
    struct vc4vk_draw_state *draw = vc4vk_cmd_alloc_raw(cmd, sizeof *draw);
    if (!draw)
        return NULL;
    *draw = state->recorded ? *state->recorded : (struct vc4vk_draw_state){.record = NULL};
    if (state->dirty & DIRTY_RECORD)
        draw->record = record_for(cmd);
    if (state->dirty & DIRTY_WORDS)
        draw->uniforms = flush_words(cmd, draw->uniforms);
    if (state->dirty & (VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_VARIANTS))
        flush_assembly(state, draw);
    if (state->dirty & DIRTY_VIEWPORTS)
        draw->viewports = flush_viewports(cmd);
    if (state->dirty & VC4VK_DIRTY_INDEX_BUFFER)
        flush_indices(cmd, draw);
    if (state->dirty & VC4VK_DIRTY_PUSH)
        draw->push = vc4vk_cmd_copy(cmd, state->push, sizeof state->push);
    if (state->dirty & DIRTY_EXPANSION)
        draw->expansion = flush_expansion(cmd);
    draw->sets = vc4vk_cmd_sets_for_issue(cmd, state->pipeline->layout, &state->sets);
    draw->vertex_table = prepared->vertex_table;
    draw->fragment_table = prepared->fragment_table;
    draw->packets_end_B = cmd->lists.packets.size_B;
    draw->count = state->count;
    draw->condition = cmd->condition;
    draw->capture = cmd->capture.active;
    return draw;
}

struct util_stream_place vc4vk_cmd_state_open(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    const struct util_stream *packets = &cmd->lists.packets;
    if (state->opening_end_B && state->opening_end_B == packets->size_B && !(state->dirty & VC4VK_DYNAMIC_ALL) &&
        vc4vk_cmd_is_same_area(&state->window_area, &cmd->pass.area)) {
        state->dirty &= ~(uint32_t)VC4VK_DIRTY_JOB;
    } else {
        state->dirty |= VC4VK_DIRTY_JOB;
        state->opening = util_stream_end(packets);
    }
    return state->opening;
}

static void cache(struct vc4vk_cmd_state *state, const struct vc4vk_draw_state *recorded)
{
    state->prepared_now->recorded = recorded;
    state->prepared_now->rest_serial = state->rest_serial;
}

void vc4vk_cmd_state_flush(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_cmd_state *state = &cmd->state;
    struct vc4vk_prepared *prepared = state->prepared_now;
    if (!state->dirty) {
        cache(state, state->recorded);
        return;
    }
    if (vc4vk_cmd_state_is_reusable(state, prepared)) {
        state->recorded = prepared->recorded;
        state->dirty = 0;
        return;
    }
    const uint32_t packets_B = cmd->lists.packets.size_B;
    flush_packets(cmd);
    if (state->dirty & VC4VK_DIRTY_JOB)
        state->opening_end_B = cmd->lists.packets.size_B;
    if ((state->dirty & ~(uint32_t)VC4VK_DIRTY_PREPARED) || cmd->lists.packets.size_B != packets_B)
        state->rest_serial++;
    state->recorded = flush_draw_state(cmd);
    cache(state, state->recorded);
    state->dirty = cmd->error == VK_SUCCESS ? 0 : VC4VK_DIRTY_ALL;
}
