/* SPDX-License-Identifier: MIT
 *
 * Converts surface states to the descriptors that programs of the CPU engine read.
 */
#include <string.h>
#include "descriptor/vc4vk_engine_descriptor.h"
#include "kmd/kmd.h"

uint32_t vc4vk_surface_state_addr(const struct vc4vk_surface_state *state)
{
    uint32_t addr = 0;
    struct kmd_bo *bo = vc4vk_surface_state_bo(state);
    return bo && !kmd_bo_engine_addr(bo, &addr) ? addr : 0;
}

static struct hw_engine_descriptor buffer_descriptor(const struct vc4vk_buffer_state *buffer, uint32_t addr)
{
    struct hw_engine_descriptor out = {
        .address = addr + buffer->base_B,
        .limit_B = buffer->size_B & ~3u,
        .size_B = buffer->size_B,
        .width = buffer->texels,
    };
    if (buffer->format == HW_FORMAT_NONE)
        return out;
    out.texel_B = out.texel_stride_B = hw_format_info((enum hw_format)buffer->format)->block_B;
    out.word_stride_B = 4;
    out.format = buffer->format;
    return out;
}

/* Storage images have one level. They are in raster order or in blocks of samples, possibly in planes of words. */
static struct hw_engine_descriptor image_descriptor(const struct vc4vk_surface_state *state, uint32_t addr)
{
    const struct vc4vk_view_state *view = &state->view;
    const struct hw_level *level = &view->layout->level[view->image_level];
    const struct hw_level *last = &view->layout->level[view->image_level + view->levels - 1];
    const enum hw_format format = vc4vk_stored_format(state);
    return (struct hw_engine_descriptor){
        .address = addr + view->direct_base_B + level->offset_B - last->offset_B,
        .texel_stride_B = view->layout->cpp,
        .word_stride_B = view->plane_stride_B ? view->plane_stride_B : 4,
        .width = view->width_px,
        .height = view->height_px,
        .depth = view->slices,
        .row_stride_B = level->stride_B,
        .layer_stride_B = view->layout->layer_stride_B,
        .format = format,
        .texel_B = hw_format_info(format)->block_B,
    };
}

struct hw_engine_descriptor vc4vk_engine_descriptor(const struct vc4vk_surface_state *state, uint32_t addr)
{
    switch ((enum vc4vk_state_kind)state->kind) {
    case VC4VK_STATE_VIEW:
        return image_descriptor(state, addr);
    case VC4VK_STATE_BUFFER:
        return buffer_descriptor(&state->buffer, addr);
    case VC4VK_STATE_NULL:
    case VC4VK_STATE_SAMPLER:
        break;
    }
    return (struct hw_engine_descriptor){0};
}

/* ---------------------------------------------------------------- sampled images */

static struct hw_view_descriptor texel_buffer_descriptor(const struct vc4vk_buffer_state *buffer, uint32_t addr)
{
    const struct hw_format_info *info = hw_format_info((enum hw_format)buffer->format);
    struct hw_view_descriptor out = {
        .address = addr + buffer->base_B,
        .limit_B = vc4vk_last_word_B(buffer->size_B),
        .width_px = buffer->texels,
        .format = buffer->format,
        .layout = HW_DIRECT_RASTER,
        .flags = HW_VIEW_BUFFER,
        .cpp = info->block_B,
    };
    for (uint32_t i = 0; i < 4; i++)
        out.swizzle[i] = info->swizzle[i] <= HW_SWIZZLE_W ? (uint8_t)(HW_SWIZZLE_X + i) : info->swizzle[i];
    return out;
}

static struct hw_view_descriptor image_view_descriptor(const struct vc4vk_view_state *view, uint32_t addr)
{
    const struct hw_level *levels = &view->layout->level[view->image_level];
    struct hw_view_descriptor out = {
        .address = addr + view->direct_base_B,
        .limit_B = view->direct_limit_B,
        .width_px = view->width_px,
        .height_px = view->height_px,
        .depth_px = view->depth,
        .slices = view->slices,
        .levels = view->levels,
        .samples = view->samples,
        .format = view->format,
        .layout = view->direct_layout,
        .flags = (uint8_t)((view->is_cube ? HW_VIEW_CUBE : 0) | (view->is_float_depth ? HW_VIEW_FLOAT_DEPTH : 0)),
        .layer_stride_B = view->layout->layer_stride_B,
        .word_stride_B = view->plane_stride_B,
        .cpp = view->layout->cpp,
    };
    memcpy(out.swizzle, view->swizzle, sizeof out.swizzle);
    for (uint32_t i = 0; i < view->levels; i++) {
        out.level_offset_B[i] = levels[i].offset_B - levels[view->levels - 1].offset_B;
        out.level_stride_dw[i] = (uint16_t)(levels[i].stride_B / 4);
        out.t_levels += levels[i].tiling == HW_TILING_T;
    }
    return out;
}

struct hw_view_descriptor vc4vk_view_descriptor(const struct vc4vk_surface_state *state, uint32_t addr)
{
    if (addr && state->kind == VC4VK_STATE_VIEW)
        return image_view_descriptor(&state->view, addr);
    if (addr && state->kind == VC4VK_STATE_BUFFER)
        return texel_buffer_descriptor(&state->buffer, addr);
    return (struct hw_view_descriptor){0};
}

struct hw_sampler_descriptor vc4vk_sampler_descriptor(const struct vc4vk_surface_state *state)
{
    const struct vc4vk_sampler_state *sampler = &state->sampler;
    struct hw_sampler_descriptor out = {0};
    if (state->kind != VC4VK_STATE_SAMPLER)
        return out;
    out = (struct hw_sampler_descriptor){
        .lod_bias = sampler->lod_bias,
        .lod_min = sampler->lod_min,
        .lod_max = sampler->lod_max,
        .compare = sampler->compare,
        .filters = sampler->filters,
        .wraps = sampler->wraps,
        .mirrors = sampler->mirrors,
        .unnormalized = sampler->unnormalized,
        .anisotropy = sampler->anisotropy,
    };
    memcpy(out.border, sampler->border, sizeof out.border);
    memcpy(out.border_int, sampler->border_int, sizeof out.border_int);
    return out;
}
