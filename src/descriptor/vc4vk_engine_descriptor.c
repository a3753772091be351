/* SPDX-License-Identifier: MIT
 *
 * Converts surface states to the descriptors that programs of the CPU engine read.
 */
#include "descriptor/vc4vk_engine_descriptor.h"

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
