/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_issue_counts.h"
#include "issue/vc4vk_job_limits.h"
#include "util/environment.h"

/* ---------------------------------------------------------------- shader records */

struct record_place {
    uint8_t *bytes;
    uint32_t index_count, size_B;
};

#define EXTENDED_STRIDES_B 100 /* fixed offset of the strides in an extended record [hardware notes 6.7] */

/* The array for this range and instance. Reads zeros if its memory does not hold a single vertex. */
static struct vc4vk_record_array place_array(struct vc4vk_issue *issue, const struct vc4vk_record_array *array,
                                             int32_t first_vertex, uint32_t instance)
{
    struct vc4vk_record_array a = *array;
    if (a.is_ramp)
        return a;
    const int64_t element = a.per_instance ? (int64_t)vc4vk_issue_element(issue, array, instance) : first_vertex;
    int64_t offset_B = a.offset_B + a.stride_B * element;
    if (a.per_instance)
        a.stride_B = 0;
    if (offset_B < 0 || offset_B + a.size_B > a.bo_size_B) {
        a.bo = vc4vk_issue_ramp(issue);
        a.offset_B = VC4VK_ZEROS_AT_B;
        a.stride_B = 0;
    } else {
        a.offset_B = (uint32_t)offset_B;
    }
    return a;
}

static void write_attribute(uint8_t *record, uint32_t n, const struct vc4vk_record_array *a, bool extended)
{
    cl_attribute_record_pack(record + CL_GL_SHADER_RECORD_SIZE_B + n * CL_ATTRIBUTE_RECORD_SIZE_B,
                             &(struct cl_attribute_record){
                                 .address = a->offset_B,
                                 .size_minus_1_B = a->size_B - 1u,
                                 .stride_B = a->stride_B & 0xff,
                                 .vs_vpm_B = a->vs_vpm_B,
                                 .cs_vpm_B = a->cs_vpm_B,
                             });
    if (extended)
        memcpy(record + EXTENDED_STRIDES_B + n * sizeof a->stride_B, &a->stride_B, sizeof a->stride_B);
}

/* The arrays that the program loads, as a bit mask. */
static uint32_t array_mask(const struct vc4vk_record *record, bool coordinate)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < record->array_count; i++)
        mask |= (coordinate ? record->arrays[i].in_cs : record->arrays[i].in_vs) ? BIT(i) : 0;
    return mask;
}

static void write_head(struct vc4vk_issue *issue, uint8_t *out, const struct vc4vk_draw_state *state,
                       const struct vc4vk_record *record)
{
    const struct vc4vk_variant *vertex = vc4vk_issue_vertex(issue, record);
    const struct vc4c_program *fs = &record->fragment->programs[issue->replay].program->compiled;
    const struct vc4c_program *cs = &vertex->programs[0].program->compiled;
    const struct vc4c_program *vs = &vertex->programs[1].program->compiled;
    cl_gl_shader_record_pack(out, &(struct cl_gl_shader_record){
                                      .fs_single_threaded = !fs->threaded,
                                      .point_size = record->point_size,
                                      .clipping = true,
                                      .fs_uniforms = fs->flat_from, /* read by the CPU engine */
                                      .fs_varyings = fs->input_count,
                                      .vs_uniforms = vc4vk_issue_counts_fragments(issue, state), /* the same */
                                      .vs_attributes = array_mask(record, false),
                                      .vs_size_B = vs->attribute_size_B,
                                      .cs_uniforms = vc4vk_issue_counts_clipped(issue, state), /* the same */
                                      .cs_attributes = array_mask(record, true),
                                      .cs_size_B = cs->attribute_size_B,
                                      .fs_uniforms_address = issue->stream_addr[0], /* 0 except on the CPU engine */
                                      .vs_uniforms_address = issue->stream_addr[1],
                                      .cs_uniforms_address = issue->stream_addr[2],
                                  });
}

/* The index of the BO with the program for the chip, or for the CPU engine. */
static uint32_t code_bo(struct vc4vk_issue *issue, const struct vc4vk_variant_program *program)
{
    struct kmd_bo *bo;
    if (!issue->engine)
        return vc4vk_issue_bo_index(issue, vc4vk_program_bo(program->program));
    VkResult result = vc4vk_program_engine_bo(program->program, &bo);
    if (result != VK_SUCCESS) {
        vc4vk_issue_fail(issue, result);
        return 0;
    }
    const uint32_t index = vc4vk_issue_bo_index(issue, bo);
    kmd_bo_unref(bo);
    return index;
}

static void write_record(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state,
                         const struct vc4vk_record *record, int32_t first_vertex, uint32_t instance)
{
    struct vc4vk_record_array arrays[VC4VK_ATTRIBUTE_ARRAYS_MAX];
    const uint32_t n = record->array_count;
    bool extended = false;
    for (uint32_t i = 0; i < n; i++) {
        arrays[i] = place_array(issue, &record->arrays[i], first_vertex, instance);
        extended |= arrays[i].stride_B > 255;
    }

    const uint32_t bare_B = CL_GL_SHADER_RECORD_SIZE_B + n * CL_ATTRIBUTE_RECORD_SIZE_B;
    const uint32_t record_B = extended ? EXTENDED_STRIDES_B + n * 4 : bare_B;
    const uint32_t indices_B = (3 + n) * 4;
    uint8_t *out = vc4vk_bytes_append(&issue->build->shader_rec, indices_B + record_B);
    if (!out) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    memset(out, 0, indices_B + record_B);
    uint32_t indices[3 + VC4VK_ATTRIBUTE_ARRAYS_MAX] = {
        code_bo(issue, &record->fragment->programs[issue->replay]),
        code_bo(issue, &vc4vk_issue_vertex(issue, record)->programs[1]),
        code_bo(issue, &vc4vk_issue_vertex(issue, record)->programs[0]),
    };
    for (uint32_t i = 0; i < n; i++)
        indices[3 + i] = vc4vk_issue_bo_index(issue, arrays[i].bo);
    memcpy(out, indices, indices_B);
    write_head(issue, out + indices_B, state, record);
    for (uint32_t i = 0; i < n; i++)
        write_attribute(out + indices_B, i, &arrays[i], extended);
    issue->build->shader_rec_count++;

    uint8_t *packet = vc4vk_bytes_append(&issue->build->bin_cl, CL_GL_SHADER_STATE_SIZE_B);
    if (!packet) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    cl_gl_shader_state_pack(packet, &(struct cl_gl_shader_state){.attribute_count = n & 7, .extended = extended});
}

/* ---------------------------------------------------------------- draws */

static void emit_primitives(struct vc4vk_issue *issue, const struct vc4vk_issue_range *range)
{
    struct vc4vk_bytes *list = &issue->build->bin_cl;
    uint8_t *out =
        vc4vk_bytes_append(list, range->is_indexed ? CL_INDEXED_PRIMITIVES_SIZE_B : CL_ARRAY_PRIMITIVES_SIZE_B);
    if (!out) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    if (range->is_indexed)
        cl_indexed_primitives_pack(out, &(struct cl_indexed_primitives){
                                            .mode = range->mode,
                                            .index_type = 1, /* 16 bits */
                                            .length = range->count,
                                            .address = range->index_offset_B,
                                            .max_index = range->max_index,
                                        });
    else
        cl_array_primitives_pack(
            out, &(struct cl_array_primitives){.mode = range->mode, .length = range->count, .first = range->first});
}

static struct vc4vk_issue_piece piece_from(const struct vc4vk_bytes *bytes, uint32_t begin_B)
{
    return (struct vc4vk_issue_piece){begin_B, bytes->size_B - begin_B};
}

static bool is_same_piece(const struct vc4vk_bytes *bytes, struct vc4vk_issue_piece a, struct vc4vk_issue_piece b)
{
    return a.size_B == b.size_B &&
           (!a.size_B || !memcmp(bytes->data + a.begin_B, bytes->data + b.begin_B, a.size_B));
}

/* Writes the shader record and the uniform streams of the next draw. If they are identical to those of the draw before,
 * as is often the case after descriptors were bound again, the earlier ones are reused. On the CPU engine each draw has
 * its own memory. */
static void emit_record(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, const struct vc4vk_record *own,
                        const struct vc4vk_issue_range *range, uint32_t instance)
{
    struct vc4vk_job_build *build = issue->build;
    const uint32_t list_B = build->bin_cl.size_B, record_B = build->shader_rec.size_B,
                   uniforms_B = build->uniforms.size_B;
    if (issue->engine)
        vc4vk_issue_engine_vertices(issue, state->record, range);
    vc4vk_issue_uniforms(issue, state, range->first_vertex, instance);
    write_record(issue, state, own, range->first_vertex, instance);
    if (issue->result != VK_SUCCESS)
        return;
    const struct vc4vk_issue_piece new_record = piece_from(&build->shader_rec, record_B),
                                   new_uniforms = piece_from(&build->uniforms, uniforms_B);
    if (!issue->engine && issue->last.state &&
        is_same_piece(&build->shader_rec, new_record, issue->last.record_piece) &&
        is_same_piece(&build->uniforms, new_uniforms, issue->last.uniform_piece)) {
        build->bin_cl.size_B = list_B;
        build->shader_rec.size_B = record_B;
        build->uniforms.size_B = uniforms_B;
        build->shader_rec_count--;
        return;
    }
    issue->last.record_piece = new_record;
    issue->last.uniform_piece = new_uniforms;
}

/* Replaces the record's arrays with those of the copied vertices. */
static bool use_pulled(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                       const struct vc4vk_issue_range *range, uint32_t instance, struct vc4vk_record *own)
{
    const struct vc4vk_issue_pulled *pulled = &((const struct vc4vk_issue_pulled *)issue->pulled.data)[range->pulled];
    memcpy(own->arrays, pulled->arrays, pulled->count * sizeof pulled->arrays[0]);
    own->array_count = (uint8_t)pulled->count;
    memcpy(issue->spills, pulled->spills, sizeof issue->spills);
    return !record->is_packed || vc4vk_issue_pack_instance(issue, record, instance, own);
}

/* Whether the record depends on the draw's parameters, not only on its state. */
static bool reads_draw(const struct vc4vk_record *record)
{
    bool reads = record->vertex->reads_draw;
    for (uint32_t i = 0; i < record->array_count; i++)
        reads |= record->arrays[i].per_instance && record->arrays[i].divisor != 1;
    return reads;
}

/* Whether the draw can use the shader record of the one before. */
static bool is_as_last(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state,
                       const struct vc4vk_issue_range *range, uint32_t instance)
{
    return issue->last.state == state && issue->last.count == vc4vk_issue_count(issue, state) &&
           !issue->last.is_pulled && !issue->last.reads_draw && range->pulled < 0 &&
           issue->last.first_vertex == range->first_vertex && issue->last.instance == instance &&
           issue->last.sample == issue->sample && issue->last.viewport == issue->viewport && !issue->vertices_addr;
}

static void emit_range(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state,
                       const struct vc4vk_issue_range *range, uint32_t instance)
{
    const struct vc4vk_record *record = state->record;
    if (range->is_indexed) {
        uint8_t *out = vc4vk_bytes_append(&issue->build->bin_cl, CL_GEM_HANDLES_SIZE_B);
        if (!out) {
            vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
            return;
        }
        cl_gem_handles_pack(out, &(struct cl_gem_handles){.handle0 = vc4vk_issue_bo_index(issue, range->index_bo)});
    }
    if (!is_as_last(issue, state, range, instance)) {
        struct vc4vk_record own;
        memcpy(&own, record, vc4vk_record_size_B(record));
        if (range->pulled >= 0 && !use_pulled(issue, record, range, instance, &own)) {
            vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
            return;
        }
        emit_record(issue, state, &own, range, instance);
        issue->last.state = state;
        issue->last.count = vc4vk_issue_count(issue, state);
        issue->last.reads_draw = reads_draw(record);
        issue->last.first_vertex = range->first_vertex;
        issue->last.instance = instance;
        issue->last.sample = issue->sample;
        issue->last.viewport = issue->viewport;
        issue->last.is_pulled = range->pulled >= 0;
    }
    emit_primitives(issue, range);
}

/* Reads from a buffer of the application; false when the range lies outside of it. */
static bool read_memory(struct kmd_bo *bo, uint64_t offset_B, void *out, uint32_t size_B)
{
    const uint8_t *map = kmd_bo_map(bo);
    const bool holds = map && offset_B + size_B <= bo->size_B;
    if (holds)
        memcpy(out, map + offset_B, size_B);
    return holds;
}

/* Reads the parameters of an indirect draw. Its counts become 0 if the draw count excludes it, or it lies outside of
 * the buffer. */
static void read_captured(struct vc4vk_draw *draw, const struct vc4vk_indirect *from)
{
    uint32_t bytes = 0;
    if (!read_memory(from->bo, from->offset_B, &bytes, sizeof bytes))
        bytes = 0;
    *draw = (struct vc4vk_draw){.state = draw->state,
                                .count = (bytes - MIN2(bytes, from->before_B)) / from->vertex_stride_B,
                                .first_instance = from->first_instance,
                                .instance_count = from->instance_count};
}

static void read_indirect(struct vc4vk_draw *draw)
{
    const struct vc4vk_indirect *from = draw->state->indirect;
    if (from->vertex_stride_B) {
        read_captured(draw, from);
        return;
    }
    VkDrawIndexedIndirectCommand indexed = {0};
    VkDrawIndirectCommand array = {0};
    VkDrawMeshTasksIndirectCommandEXT mesh = {0};
    uint32_t draws = 0;
    void *const out = draw->is_mesh ? (void *)&mesh : draw->index_B ? (void *)&indexed : (void *)&array;
    const uint32_t size_B = draw->is_mesh ? sizeof mesh : draw->index_B ? sizeof indexed : sizeof array;
    const bool is_left_out =
        from->count_bo &&
        (!read_memory(from->count_bo, from->count_offset_B, &draws, sizeof draws) || draw->first >= draws);
    if (is_left_out || !read_memory(from->bo, from->offset_B + (uint64_t)draw->first * from->stride_B, out, size_B)) {
        draw->count = draw->instance_count = 0;
        return;
    }
    if (draw->is_mesh) {
        draw->count = mesh.groupCountX;
        draw->instance_count = mesh.groupCountY;
        draw->vertex_offset = (int32_t)mesh.groupCountZ;
        return;
    }
    draw->count = draw->index_B ? indexed.indexCount : array.vertexCount;
    draw->first = draw->index_B ? indexed.firstIndex : array.firstVertex;
    draw->vertex_offset = draw->index_B ? indexed.vertexOffset : 0;
    draw->instance_count = draw->index_B ? indexed.instanceCount : array.instanceCount;
    draw->first_instance = draw->index_B ? indexed.firstInstance : array.firstInstance;
}

#define EXPANDED_B (32u << 20) /* vertices of expanders that a part may have before it ends */

/* Whether this part of the job has room for one more packet, which is then counted. The first always has. */
static bool has_room(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_issue_range *range)
{
    const struct vc4vk_job_limits *limits = vc4vk_job_limits();
    const struct vc4vk_job_build *build = issue->build;
    const struct kmd_render *r = &build->render;
    const uint32_t tiles = (r->max_x_tl - r->min_x_tl + 1u) * (r->max_y_tl - r->min_y_tl + 1u);
    const uint64_t size_B = (uint64_t)build->bin_cl.size_B + build->shader_rec.size_B + build->uniforms.size_B;
    issue->chip_draws++;
    issue->binner_B += vc4vk_binner_estimate_B(tiles, draw->state->topology, range->count);
    return issue->chip_draws == 1 || (issue->chip_draws <= limits->chip_draws && size_B < limits->bytes_B &&
                                      issue->binner_B <= limits->binner_B && issue->expanded_B <= EXPANDED_B);
}

/* vc4vk_job_build.from: the low bits count the packets of a draw that are in earlier parts, the others are the draw's
 * number. */
#define PACKETS_BITS 46

/* Makes a clip window relative to the range and clips it to the range. An empty window begins at 1, as when it is
 * recorded. */
static void move_window(const struct vc4vk_draw_replay *range, uint8_t *packet)
{
    struct cl_clip_window w;
    cl_clip_window_unpack(packet, &w);
    const uint32_t left = CLAMP(w.left_px, range->x_px, range->x_px + range->width_px),
                   top = CLAMP(w.bottom_px, range->y_px, range->y_px + range->height_px),
                   right = CLAMP(w.left_px + w.width_px, left, range->x_px + range->width_px),
                   bottom = CLAMP(w.bottom_px + w.height_px, top, range->y_px + range->height_px);
    const bool is_empty = right == left || bottom == top;
    w.left_px = is_empty ? 1 : left - range->x_px;
    w.bottom_px = is_empty ? 1 : top - range->y_px;
    w.width_px = is_empty ? 0 : right - left;
    w.height_px = is_empty ? 0 : bottom - top;
    cl_clip_window_pack(packet, &w);
}

/* Adapts the packets of a re-centred job, which were recorded for the whole framebuffer. */
static void recentre_packets(const struct vc4vk_draw_replay *range, uint8_t *packets, uint32_t size_B)
{
    const float half_16 = VC4VK_RECENTRED_HALF_PX * 16;
    for (uint32_t at = 0; at < size_B; at += cl_packet_info(packets[at])->size_B)
        switch (packets[at]) {
        case CL_CLIP_WINDOW_ID:
            move_window(range, packets + at);
            break;
        case CL_CLIPPER_XY_SCALING_ID:
            cl_clipper_xy_scaling_pack(packets + at, &(struct cl_clipper_xy_scaling){half_16, half_16});
            break;
        case CL_VIEWPORT_OFFSET_ID:
            cl_viewport_offset_pack(packets + at, &(struct cl_viewport_offset){.centre_x = VC4VK_RECENTRED_AT_PX,
                                                                               .centre_y = VC4VK_RECENTRED_AT_PX});
            break;
        default:
            break;
        }
}

static void clip_to_extent(const struct vc4vk_draw_job *job, uint8_t *packet)
{
    struct cl_clip_window w;
    cl_clip_window_unpack(packet, &w);
    w.left_px = MIN2(w.left_px, job->max_x_px);
    w.bottom_px = MIN2(w.bottom_px, job->max_y_px);
    w.width_px = MIN2(w.width_px, job->max_x_px - w.left_px);
    w.height_px = MIN2(w.height_px, job->max_y_px - w.bottom_px);
    cl_clip_window_pack(packet, &w);
}

/* Clips the windows of a secondary, which was recorded without knowing the framebuffer. */
static void clip_packets(const struct vc4vk_draw_job *job, uint8_t *packets, uint32_t size_B)
{
    for (uint32_t at = 0; at < size_B; at += cl_packet_info(packets[at])->size_B)
        if (packets[at] == CL_CLIP_WINDOW_ID)
            clip_to_extent(job, packets + at);
}

/* Copies recorded packets of the current section, adapted to the job. */
static void write_packets(const struct vc4vk_issue *issue, const uint8_t *packets, uint32_t size_B, uint8_t *out)
{
    memcpy(out, packets, size_B);
    if (issue->section->recorded->is_executed)
        clip_packets(issue->job, out, size_B);
    if (issue->job->is_recentred)
        recentre_packets(issue->range, out, size_B);
}

/* Copies the section's packets up to this position. */
static void copy_packets(struct vc4vk_issue *issue, uint32_t up_to_B)
{
    const struct vc4vk_issue_section *section = issue->section;
    const uint32_t size_B = up_to_B - issue->packets_done_B;
    uint8_t *out = size_B ? vc4vk_bytes_append(&issue->build->bin_cl, size_B) : NULL;
    if (out)
        write_packets(issue, section->packets + issue->packets_done_B, size_B, out);
    else if (size_B)
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    issue->packets_done_B = up_to_B;
}

/* Writes the packets of another viewport than the one that the list has. Recorded packets have the first. */
static void select_viewport(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, uint32_t viewport)
{
    if (issue->viewport == viewport)
        return;
    const uint32_t size_B = sizeof state->viewports->at[0].packets;
    uint8_t *out = vc4vk_bytes_append(&issue->build->bin_cl, size_B);
    issue->viewport = viewport;
    if (out)
        write_packets(issue, state->viewports->at[viewport].packets, size_B, out);
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}

/* Draws each instance separately, as the chip has no instances, and each sample if programs run once per sample, and
 * each viewport if there are several. */
bool vc4vk_issue_emit(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t number, uint64_t before,
                      uint64_t from)
{
    const struct vc4vk_record *record = draw->state->record;
    const struct vc4vk_issue_range *ranges = (const void *)issue->ranges.data;
    const uint32_t range_count = issue->ranges.size_B / (uint32_t)sizeof *ranges;
    const uint32_t passes = record->passes * (draw->state->viewports ? draw->state->viewports->count : 1);
    const uint64_t pieces = (uint64_t)range_count * passes; /* of an instance */
    const uint64_t end = MIN2(draw->instance_count * pieces, (UINT64_C(1) << PACKETS_BITS) - 1);
    for (uint64_t at = from; at < end && issue->result == VK_SUCCESS; at++) {
        const struct vc4vk_issue_range *range = &ranges[at % pieces / passes];
        if (issue->job->may_take_parts && !has_room(issue, draw, range)) {
            issue->build->next_from = (uint64_t)number << PACKETS_BITS | (before + at);
            return false;
        }
        issue->sample = (uint32_t)(at % record->passes);
        select_viewport(issue, draw->state, (uint32_t)(at % passes / record->passes));
        emit_range(issue, draw->state, range, draw->first_instance + (uint32_t)(at / pieces));
    }
    return issue->result == VK_SUCCESS;
}

static void write_pipeline_packets(struct vc4vk_issue *issue, const struct vc4vk_pipeline *pipeline)
{
    uint8_t *out = issue->pipeline != pipeline ? vc4vk_bytes_append(&issue->build->bin_cl, pipeline->packets_B) : NULL;
    if (out)
        memcpy(out, pipeline->packets, pipeline->packets_B);
    else if (issue->pipeline != pipeline)
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    issue->pipeline = pipeline;
}

/* Whether all conditions of conditional rendering hold. */
static bool is_wanted(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state)
{
    return vc4vk_condition_holds(state->condition) && vc4vk_condition_holds(issue->section->recorded->condition) &&
           vc4vk_condition_holds(issue->range->condition);
}

/* `number`: the draw's number in the job. False: the part ends here. */
static bool issue_draw(struct vc4vk_issue *issue, const struct vc4vk_draw *recorded, uint32_t number)
{
    const uint64_t from = issue->build->from, first = from >> PACKETS_BITS;
    struct vc4vk_draw draw = *recorded;
    copy_packets(issue, draw.state->packets_end_B - issue->section->recorded->packets.in_stream_B);
    const bool is_elsewhere =
        issue->range->is_other_layer && !(draw.state->pipeline->vertex.interface->targets & VC4C_TARGET_LAYER);
    if (number < first || is_elsewhere) /* drawn by an earlier part, or to the first layer only */
        return true;
    if (!is_wanted(issue, draw.state))
        return true;
    write_pipeline_packets(issue, draw.state->pipeline);
    if (draw.state->indirect)
        read_indirect(&draw);
    issue->ranges.size_B = issue->pulled.size_B = 0;
    issue->merges = draw.merges;
    issue->draw.base_vertex = draw.index_B ? (uint32_t)draw.vertex_offset : draw.first;
    issue->draw.base_instance = draw.first_instance - draw.state->instances_before;
    issue->draw.index = draw.state->indirect ? recorded->first : recorded->number;
    const uint64_t from_packet = number == first ? from & ((UINT64_C(1) << PACKETS_BITS) - 1) : 0;
    if (draw.is_mesh && !draw.state->expansion) /* the pipeline has no mesh stage */
        return true;
    if (draw.state->expansion) {
        const bool is_complete = vc4vk_issue_expand(issue, &draw, number, from && number == first, from_packet);
        select_viewport(issue, draw.state, 0);
        return is_complete;
    }
    if (!(from && number == first))
        vc4vk_issue_count_draw(issue, &draw);
    if (draw.merges) {
        vc4vk_issue_merged_ranges(issue, &draw, draw.state->record);
        draw.instance_count = 1;
    } else if (draw.instance_count) {
        vc4vk_issue_ranges(issue, &draw, draw.state->record);
    }
    if (vc4vk_issue_is_one_by_one(draw.state))
        vc4vk_issue_split_ranges(issue);
    const bool goes_on = vc4vk_issue_emit(issue, &draw, number, 0, from_packet);
    select_viewport(issue, draw.state, 0); /* later packets build on those that are recorded */
    return goes_on;
}

/* Issues the first `draw_count` draws. */
static void issue_draws(struct vc4vk_issue *issue, uint32_t draw_count)
{
    bool goes_on = true;
    uint32_t number = 0;
    for (uint32_t s = 0; s < issue->section_count && goes_on; s++) {
        issue->section = &issue->sections[s];
        issue->packets_done_B = 0;
        for (uint32_t i = 0; i < issue->section->recorded->draw_count && number < draw_count && goes_on; i++)
            goes_on = issue_draw(issue, &issue->section->draws[i], number++);
    }
}

/* ---------------------------------------------------------------- jobs */

static bool gather_section(struct vc4vk_issue *issue, const struct vc4vk_draw_section *recorded,
                           struct vc4vk_issue_section *out)
{
    const uint32_t draws_B = recorded->draw_count * (uint32_t)sizeof *out->draws;
    out->recorded = recorded;
    out->packets = util_arena_alloc_raw(&issue->arena, recorded->packets_B + 1);
    out->draws = util_arena_alloc_raw(&issue->arena, draws_B + 1);
    if (!out->packets || !out->draws)
        return false;
    util_stream_gather_from(&recorded->lists->packets, recorded->packets, recorded->packets_B, out->packets);
    util_stream_gather_from(&recorded->lists->draws, recorded->draws, draws_B, out->draws);
    return true;
}

static bool gather(struct vc4vk_issue *issue)
{
    const struct vc4vk_draw_job *job = issue->job;
    for (const struct vc4vk_draw_section *s = &job->first; s; s = s->next)
        issue->section_count++;
    issue->sections = util_arena_new_array(&issue->arena, struct vc4vk_issue_section, issue->section_count);
    bool done = issue->sections != NULL;
    struct vc4vk_issue_section *out = issue->sections;
    for (const struct vc4vk_draw_section *s = &job->first; s && done; s = s->next)
        done = gather_section(issue, s, out++);
    return done;
}

static bool reserve_in_list(struct vc4vk_issue *issue, uint32_t size_B, uint8_t **out)
{
    *out = vc4vk_bytes_append(&issue->build->bin_cl, size_B);
    if (!*out)
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    return *out != NULL;
}

/* Writes the tile grid and the start of binning. */
static void begin_list(struct vc4vk_issue *issue)
{
    const struct vc4vk_draw_job *job = issue->job;
    const uint32_t tile_px = hw_tile_px(job->samples);
    const uint32_t width_px = job->is_recentred ? issue->range->width_px : job->max_x_px,
                   height_px = job->is_recentred ? issue->range->height_px : job->max_y_px;
    uint8_t *out;
    if (!reserve_in_list(
            issue, CL_TILE_BINNING_MODE_CONFIG_SIZE_B + CL_START_TILE_BINNING_SIZE_B + CL_PRIMITIVE_LIST_FORMAT_SIZE_B,
            &out))
        return;
    cl_tile_binning_mode_config_pack(
        out, &(struct cl_tile_binning_mode_config){.width_tl = util_div_round_up(width_px, tile_px),
                                                   .height_tl = util_div_round_up(height_px, tile_px),
                                                   .ms_4x = job->samples > 1});
    out += CL_TILE_BINNING_MODE_CONFIG_SIZE_B;
    cl_start_tile_binning_pack(out, &(struct cl_start_tile_binning){0});
    out += CL_START_TILE_BINNING_SIZE_B;
    /* A tile list must not rely on an earlier primitive list format; every draw starts from this one [hardware notes
     * 7.7]. */
    cl_primitive_list_format_pack(out, &(struct cl_primitive_list_format){.type = CL_LIST_TRIANGLES, .data = 1});
}

static void end_list(struct vc4vk_issue *issue)
{
    uint8_t *out;
    if (!reserve_in_list(issue, CL_INCREMENT_SEMAPHORE_SIZE_B + CL_FLUSH_SIZE_B, &out))
        return;
    cl_increment_semaphore_pack(out, &(struct cl_increment_semaphore){0});
    cl_flush_pack(out + CL_INCREMENT_SEMAPHORE_SIZE_B, &(struct cl_flush){0});
}

static uint32_t record_scratch_B(const struct vc4vk_record *record, uint32_t replay)
{
    const struct vc4vk_variant_program *programs[] = {&record->fragment->programs[replay], &record->vertex->programs[0],
                                                      &record->vertex->programs[1]};
    uint32_t max_B = 0;
    for (uint32_t i = 0; i < ARRAY_SIZE(programs); i++)
        max_B = MAX2(max_B, programs[i]->program->compiled.scratch_B);
    return max_B;
}

static uint32_t scratch_B(const struct vc4vk_issue *issue)
{
    uint32_t max_B = 0;
    for (uint32_t s = 0; s < issue->section_count; s++)
        for (uint32_t i = 0; i < issue->sections[s].recorded->draw_count; i++)
            max_B = MAX2(max_B, record_scratch_B(issue->sections[s].draws[i].state->record, issue->replay));
    return max_B;
}

/* All programs of the job share the scratch memory of their QPU, since a QPU runs one program at a time. */
static void take_scratch(struct vc4vk_issue *issue)
{
    struct vc4vk_issue_engine *engine = issue->engine;
    struct vc4vk_issue_memory memory;
    engine->scratch_B = scratch_B(issue);
    const uint64_t size_B = (uint64_t)engine->scratch_B * engine->qpu_count;
    if (!size_B || !vc4vk_issue_fresh(issue, (uint32_t)size_B, &memory))
        return;
    engine->scratch_addr = vc4vk_issue_engine_addr(issue, issue->fresh_bo) + memory.offset_B;
    vc4vk_issue_engine_keep(issue, engine->scratch_addr, (uint32_t)size_B);
}

VkResult vc4vk_issue_build(const struct vc4vk_job *base, struct vc4vk_job_build *build)
{
    return vc4vk_issue_build_for(base, build, NULL);
}

VkResult vc4vk_issue_build_for(const struct vc4vk_job *base, struct vc4vk_job_build *build,
                               struct vc4vk_issue_engine *engine)
{
    const struct vc4vk_draw_replay *replay = base->data;
    const struct vc4vk_draw_job *job = replay->draws;
    if (!replay->draw_count) /* only loads, clears and stores */
        return VK_SUCCESS;
    if (build->from)
        build->render = *replay->later_part;
    struct vc4vk_issue issue = {.job = job,
                                .replay = replay->index,
                                .range = replay,
                                .build = build,
                                .engine = engine,
                                .expander_left_ns = util_engine_hang_limit_ns()};
    util_arena_init(&issue.arena, NULL);
    issue.result = vc4vk_issue_descriptors_init(&issue.descriptors, job->device, &issue.arena);
    issue.pool = issue.descriptors.writer.pool;
    vc4vk_bo_table_init(&issue.bos, NULL);
    for (uint32_t i = 0; i < build->bo_count; i++)
        vc4vk_bo_table_add(&issue.bos, build->bos[i]);
    if (gather(&issue) && !issue.bos.failed) {
        vc4vk_issue_read_descriptors(&issue);
        if (engine) {
            take_scratch(&issue);
            vc4vk_issue_engine_colors(&issue, replay->stored);
        }
        begin_list(&issue);
        issue_draws(&issue, replay->draw_count);
        end_list(&issue);
    } else {
        vc4vk_issue_fail(&issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    }
    if (engine)
        engine->binner_B = MAX2(job->binner_B, issue.binner_B);
    /* Of a pass without images no vertex gets to the rasteriser; programs of an expander may have run. */
    build->is_nothing = engine && !build->bo_count;
    if (replay->counted && issue.result == VK_SUCCESS)
        vc4vk_counted_add(replay->counted, &issue.counts);
    if (issue.capture && issue.result != VK_SUCCESS) /* the build may be tried again */
        memcpy(issue.capture->written_B, issue.captured_before_B, sizeof issue.captured_before_B);
    vc4vk_issue_fresh_end(&issue);
    kmd_bo_unref(issue.expander_bo);
    free(issue.ranges.data);
    free(issue.pulled.data);
    vc4vk_bo_table_finish(&issue.bos);
    vc4vk_issue_descriptors_finish(&issue.descriptors);
    util_arena_finish(&issue.arena);
    return issue.result;
}
