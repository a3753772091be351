/* SPDX-License-Identifier: MIT
 *
 * Sets in descriptor buffers: made where they are bound, and their descriptors that are read when a job is issued.
 */
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "descriptor/vc4vk_engine_descriptor.h"
#include "device/vc4vk_device.h"

#define SAMPLER_PART 1u /* of the entries of an element with Y'CbCr conversion; the others are views */

/* ---------------------------------------------------------------- sets */

static size_t entries_end_B(const struct vc4vk_set_layout *layout)
{
    return (size_t)util_align64(sizeof(struct vc4vk_set) + layout->entry_count * sizeof(int32_t),
                                _Alignof(struct vc4vk_set_in_buffer));
}

size_t vc4vk_buffer_set_size_B(const struct vc4vk_set_layout *layout)
{
    return entries_end_B(layout) + sizeof(struct vc4vk_set_in_buffer) + layout->array_count * sizeof(int32_t);
}

/* A buffer state for the binding's memory: its bytes, or `count` descriptors. */
static VkResult make_state(struct vc4vk_table_writer *writer, const struct vc4vk_set_binding *b,
                           const struct vc4vk_memory_place *at, int32_t *offset_B_out)
{
    VkResult result = vc4vk_table_writer_take_state(writer, offset_B_out);
    if (result != VK_SUCCESS)
        return result;
    const uint64_t begin_B = MIN2((uint64_t)at->offset_B + b->first_memory_B, at->end_B);
    const uint32_t room_B = at->end_B - (uint32_t)begin_B, element_B = b->inline_B ? 1 : b->memory_B;
    const uint32_t count = MIN2(b->inline_B ? b->inline_B : b->count, room_B / element_B);
    struct vc4vk_surface_state *state = vc4vk_state_ptr(writer->pool, *offset_B_out);
    *state = (struct vc4vk_surface_state){.kind = VC4VK_STATE_BUFFER};
    state->buffer = (struct vc4vk_buffer_state){
        .bo = at->bo, .base_B = (uint32_t)begin_B, .size_B = count * element_B, .texels = b->inline_B ? 0 : count};
    return VK_SUCCESS;
}

VkResult vc4vk_buffer_set_init(void *memory, struct vc4vk_set_layout *layout, struct vc4vk_table_writer *writer,
                               const struct vc4vk_memory_place *at)
{
    struct vc4vk_set *set = memory;
    struct vc4vk_set_in_buffer *in_buffer = (void *)((uint8_t *)memory + entries_end_B(layout));
    VkResult result = VK_SUCCESS;
    vc4vk_object_init(&set->base, VK_OBJECT_TYPE_DESCRIPTOR_SET);
    set->states = writer->pool;
    set->layout = layout;
    set->entry_count = layout->entry_count;
    set->entries = (int32_t *)(set + 1);
    set->in_buffer = in_buffer;
    in_buffer->at = *at;
    for (uint32_t i = 0; i < layout->binding_count && result == VK_SUCCESS; i++) {
        const struct vc4vk_set_binding *b = &layout->bindings[i];
        if (b->memory_B)
            result = make_state(writer, b, at, &in_buffer->array_states[b->array]);
        else if (b->inline_B)
            result = make_state(writer, b, at, &set->entries[b->first_entry]);
        for (uint32_t e = 0; b->issue_B && b->immutable && e < b->count; e++)
            set->entries[b->first_entry + e * b->element_entries + SAMPLER_PART] = b->immutable[e];
    }
    return result;
}

/* ---------------------------------------------------------------- descriptors that are read when a job is issued */

/* The binding that is read when a job is issued and has the entry, or NULL. The set may be of another layout than the
 * program expects. */
static const struct vc4vk_set_binding *binding_of(const struct vc4vk_set *set, uint32_t entry)
{
    const struct vc4vk_set_layout *layout = set->layout;
    for (uint32_t i = 0; set->in_buffer && i < layout->binding_count; i++) {
        const struct vc4vk_set_binding *b = &layout->bindings[i];
        if (b->issue_B && entry >= b->first_entry && entry - b->first_entry < b->count * b->element_entries)
            return (entry - b->first_entry) % b->element_entries != SAMPLER_PART ? b : NULL;
    }
    return NULL;
}

bool vc4vk_buffer_set_is_read(const struct vc4vk_set *set, uint32_t entry)
{
    return binding_of(set, entry) != NULL;
}

/* The view of plane 1 + `i`. It has one level, as all planar images. */
static struct hw_view_descriptor chroma_view(const struct vc4vk_planar_descriptor *d, uint32_t i)
{
    struct hw_view_descriptor view = {.address = d->chroma.address[i],
                                      .limit_B = d->chroma.limit_B[i],
                                      .width_px = d->chroma.width_px[i],
                                      .height_px = d->chroma.height_px[i],
                                      .depth_px = 1,
                                      .slices = d->first.slices,
                                      .levels = 1,
                                      .samples = 1,
                                      .format = d->chroma.format[i],
                                      .layout = d->chroma.layout[i],
                                      .t_levels = d->chroma.t_levels[i],
                                      .cpp = d->chroma.cpp[i],
                                      .layer_stride_B = d->chroma.layer_stride_B[i],
                                      .level_stride_dw = {d->chroma.stride_dw[i]}};
    memcpy(view.swizzle, d->chroma.swizzle[i], sizeof view.swizzle);
    return view;
}

enum hw_format vc4vk_buffer_set_format(const struct vc4vk_set *set, const struct vc4vk_set_binding *binding,
                                       uint32_t element)
{
    const struct vc4vk_memory_place *at = set->in_buffer ? &set->in_buffer->at : NULL;
    const uint8_t *map = at && at->bo ? kmd_bo_map(at->bo) : NULL;
    const uint64_t begin_B =
        (at ? at->offset_B : 0) + (uint64_t)binding->first_memory_B + (uint64_t)element * binding->memory_B;
    struct hw_engine_descriptor d;
    if (!map || begin_B + sizeof d > at->end_B)
        return HW_FORMAT_NONE;
    memcpy(&d, map + begin_B, sizeof d);
    return d.address && d.format < HW_FORMAT_COUNT ? (enum hw_format)d.format : HW_FORMAT_NONE;
}

/* Copies the view's descriptor from memory. False: it lies beyond the memory. */
static bool copy_view(const struct vc4vk_set *set, const struct vc4vk_set_binding *b, uint32_t entry,
                      struct hw_view_descriptor *out)
{
    const struct vc4vk_memory_place *at = &set->in_buffer->at;
    const uint32_t element = (entry - b->first_entry) / b->element_entries,
                   part = (entry - b->first_entry) % b->element_entries;
    const uint64_t begin_B = (uint64_t)at->offset_B + b->first_memory_B + (uint64_t)element * b->issue_B;
    const uint8_t *map = at->bo ? kmd_bo_map(at->bo) : NULL;
    struct vc4vk_planar_descriptor planar = {0};
    if (!map || begin_B + b->issue_B > at->end_B)
        return false;
    memcpy(&planar, map + begin_B, b->issue_B);
    *out = part ? chroma_view(&planar, part - SAMPLER_PART - 1) : planar.first;
    return true;
}

/* Whether the bytes can be a view: nobody knows what the application has written there. */
static bool makes_sense(const struct hw_view_descriptor *d)
{
    bool does = d->address && d->format > HW_FORMAT_NONE && d->format < HW_FORMAT_COUNT &&
                d->layout <= HW_DIRECT_RASTER_INTERLEAVED && !(d->flags & HW_VIEW_BUFFER) && d->levels > 0 &&
                d->levels <= HW_MAX_LEVELS && d->width_px > 0 && d->width_px <= VC4VK_MAX_DIRECT_PX &&
                d->height_px > 0 && d->slices > 0 && (d->samples == 1 || d->samples == HW_MS_SAMPLES) &&
                (d->cpp == 1 || d->cpp == 2 || d->cpp == 4 || d->cpp == 8 || d->cpp == 16);
    for (uint32_t i = 0; i < 4; i++)
        does = does && d->swizzle[i] <= HW_SWIZZLE_1;
    return does && hw_format_info((enum hw_format)d->format)->block_w == 1 &&
           (d->samples == HW_MS_SAMPLES) == (d->layout == HW_DIRECT_MS);
}

static void fill_layout(const struct hw_view_descriptor *d, struct hw_layout *out)
{
    *out = (struct hw_layout){
        .levels = d->levels, .cpp = d->cpp, .layers = d->slices, .layer_stride_B = d->layer_stride_B};
    for (uint32_t i = 0; i < d->levels; i++) {
        out->level[i].offset_B = d->level_offset_B[i];
        out->level[i].stride_B = 4u * d->level_stride_dw[i];
        out->level[i].tiling = d->layout == HW_DIRECT_MS   ? HW_TILING_MS
                               : d->layout == HW_DIRECT_LT ? HW_TILING_LT
                               : d->layout != HW_DIRECT_T  ? HW_TILING_RASTER
                               : i < d->t_levels           ? HW_TILING_T
                                                           : HW_TILING_LT;
    }
}

/* Programs compute the addresses of its texels, as a descriptor does not have what the texture unit needs. */
static void fill_view(const struct hw_view_descriptor *d, const struct vc4vk_memory_place *place,
                      const struct hw_layout *layout, struct vc4vk_view_state *out)
{
    *out = (struct vc4vk_view_state){.bo = place->bo,
                                     .layout = layout,
                                     .plane_stride_B = d->word_stride_B,
                                     .width_px = (uint16_t)d->width_px,
                                     .height_px = d->height_px,
                                     .depth = d->depth_px,
                                     .layers = d->slices,
                                     .slices = d->slices,
                                     .levels = d->levels,
                                     .samples = d->samples,
                                     .direct_base_B = place->offset_B,
                                     .direct_limit_B = d->limit_B,
                                     .format = d->format,
                                     .type = VC4VK_NO_TEX_TYPE,
                                     .is_direct = 1,
                                     .direct_layout = d->layout,
                                     .is_cube = (d->flags & HW_VIEW_CUBE) != 0,
                                     .is_float_depth = (d->flags & HW_VIEW_FLOAT_DEPTH) != 0};
    memcpy(out->swizzle, d->swizzle, sizeof out->swizzle);
}

bool vc4vk_buffer_set_read(struct vc4vk_device *device, const struct vc4vk_set *set, uint32_t entry,
                           struct vc4vk_surface_state *state, struct hw_layout *layout)
{
    const struct vc4vk_set_binding *b = binding_of(set, entry);
    struct vc4vk_memory_place place;
    struct hw_view_descriptor d;
    if (!b || !copy_view(set, b, entry, &d) || !makes_sense(&d) ||
        !vc4vk_addressed_memory_find(device, d.address, &place))
        return false;
    if ((uint64_t)place.offset_B + d.limit_B + 4 > place.end_B) {
        kmd_bo_unref(place.bo);
        return false;
    }
    fill_layout(&d, layout);
    *state = (struct vc4vk_surface_state){.kind = VC4VK_STATE_VIEW};
    fill_view(&d, &place, layout, &state->view);
    return true;
}
