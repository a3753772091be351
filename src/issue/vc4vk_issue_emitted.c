/* SPDX-License-Identifier: MIT
 *
 * Runs the programs of an expander, and draws what they have made of a piece (docs/geometry.md): copies the words that are
 * drawn to an array of vertices, makes a list of the primitives, and adds the ranges that draw it.
 */
#include <string.h>
#include "issue/vc4vk_dispatch.h"
#include "issue/vc4vk_issue_mesh.h"

#define ROW_B (4u * QPU_LANES)

/* ---------------------------------------------------------------- what was emitted */

uint32_t vc4vk_emitted_by(const struct expansion *e, uint32_t lane)
{
    return e->emits ? MIN2(*vc4vk_expand_word(e, &e->output, lane, 0), e->max_emitted) : e->max_emitted;
}

static uint32_t emitted_by_meshes(const struct expansion *e)
{
    const uint32_t corners = e->writer->mesh.corners;
    uint32_t count = 0;
    for (uint32_t i = 0; i < vc4vk_meshes_groups(e); i++)
        count += vc4vk_meshes_are_split(e) ? vc4vk_meshes_primitives(e, i) * corners : vc4vk_meshes_vertices(e, i);
    return count;
}

static uint32_t emitted_by_all(const struct expansion *e)
{
    uint32_t count = 0;
    if (e->meshes)
        return emitted_by_meshes(e);
    for (uint32_t lane = 0; lane < vc4vk_expand_invocations(e); lane++)
        count += vc4vk_emitted_by(e, lane);
    return count;
}

/* ---------------------------------------------------------------- stippled lines */

/* Words of a record, whose words are `stride` apart. */
static void position_of(const uint32_t *record, uint32_t stride, float out[4])
{
    for (uint32_t i = 0; i < 4; i++)
        memcpy(&out[i], &record[(VC4C_RECORD_POSITION + i) * stride], sizeof out[i]);
}

static uint32_t viewport_of(const struct expansion *e, const uint32_t *record)
{
    return vc4c_writes_record_word(e->writer, VC4C_RECORD_VIEWPORT) ? record[VC4C_RECORD_VIEWPORT * QPU_LANES] : 0;
}

/* The words of each corner of a primitive: those of the line that it begins; both ends of a line have the same.
 * `begins`: the primitive is not connected with the one before. `own`: the primitive's own record, or NULL. */
static void stipple_primitive(struct expansion *e, bool begins, const uint32_t *own, const uint32_t *const records[3],
                              uint32_t count, uint32_t words_out[3][VC4C_STIPPLE_WORDS])
{
    memset(words_out, 0, 3 * sizeof *words_out);
    if (!e->pipeline->state.stipples || count == 1)
        return;
    if (begins)
        vc4vk_issue_stipple_begin(&e->stipple);
    for (uint32_t k = 0; k < (count == 2 ? 1 : count); k++) {
        float from[4], to[4];
        position_of(records[k], QPU_LANES, from);
        position_of(records[(k + 1) % count], QPU_LANES, to);
        vc4vk_issue_stipple_line(&e->stipple, viewport_of(e, own ? own : records[k]), from, to, words_out[k]);
    }
    if (count == 2)
        memcpy(words_out[1], words_out[0], sizeof words_out[1]);
}

static bool begins_pattern(const struct expansion *e, uint32_t i)
{
    return e->tessellation || e->primitives[i].begins;
}

uint32_t vc4vk_emitted_records(const struct expansion *e, uint32_t i, const uint32_t *records_out[3])
{
    for (uint32_t k = 0; k < e->corner_count; k++)
        records_out[k] = vc4vk_expand_word(e, &e->records, e->primitives[i].slots[e->corners[k]], 0);
    return e->corner_count;
}

void vc4vk_emitted_pass_stipples(struct expansion *e)
{
    for (uint32_t i = 0; i < e->primitive_count; i++) {
        const uint32_t *records[3];
        uint32_t words[3][VC4C_STIPPLE_WORDS];
        const uint32_t corners = vc4vk_emitted_records(e, i, records);
        stipple_primitive(e, begins_pattern(e, i), NULL, records, corners, words);
    }
}

/* Gives each line of an emitted strip its words. They are flat, so the provoking vertex has them. */
static void stipple_strip(struct expansion *e, uint8_t *out)
{
    const struct vc4vk_pipeline_state *state = &e->pipeline->state;
    const struct vc4vk_pass_through *pass = &e->pipeline->expander->pass;
    const size_t stride_B = vc4vk_pass_through_stride_B(pass);
    if (!state->stipples || state->emitted_topology != VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || pass->words[3] != 3)
        return;
    vc4vk_issue_stipple_begin(&e->stipple);
    for (uint32_t i = 0; i + 1 < e->strip_count; i++) {
        const uint8_t *first = out + e->strip[i] * stride_B;
        uint8_t *provoking = out + e->strip[i + state->last_provokes] * stride_B;
        uint32_t words[VC4C_STIPPLE_WORDS];
        float from[4], to[4];
        position_of((const uint32_t *)(const void *)first, 1, from);
        position_of((const uint32_t *)(const void *)(first + stride_B), 1, to);
        vc4vk_issue_stipple_line(&e->stipple, 0, from, to, words);
        memcpy(provoking + 4 * (pass->count - VC4C_STIPPLE_WORDS), words, sizeof words);
    }
}

/* ---------------------------------------------------------------- vertices that are drawn */

static void end_strip(struct expansion *e)
{
    e->list_count += vc4vk_issue_assemble(e->draw, e->strip, e->strip_count, e->list + e->list_count);
    e->strip_count = 0;
}

/* Where the words of a vertex come from. */
struct vertex_words {
    const uint32_t *record, *primitive; /* primitive: the record of its primitive; NULL: it has none */
    uint32_t number;                    /* of the primitive, without a stage that says it */
    const uint32_t *stipple;            /* VC4C_STIPPLE_WORDS; NULL: no line is stippled */
};

static uint32_t drawn_word(const struct expansion *e, const struct vertex_words *from, uint32_t word)
{
    if (word >= VC4C_RECORD_STIPPLE)
        return from->stipple ? from->stipple[word - VC4C_RECORD_STIPPLE] : 0;
    if (word == VC4C_RECORD_PRIMITIVE && !e->emits && !e->meshes)
        return from->number;
    const bool is_of_primitive = from->primitive && vc4c_is_primitive_word(e->writer, word);
    return (is_of_primitive ? from->primitive : from->record)[word * QPU_LANES];
}

/* Copies the words that are drawn to the end of the array of vertices. */
static void copy_vertex(struct expansion *e, const struct vertex_words *from, uint8_t *out)
{
    const struct vc4vk_pass_through *pass = &e->pipeline->expander->pass;
    uint32_t *words = (uint32_t *)(void *)(out + (size_t)e->emitted_count * vc4vk_pass_through_stride_B(pass));
    for (uint32_t i = 0; i < pass->count; i++)
        words[i] = drawn_word(e, from, pass->words[i]);
    e->emitted_count++;
}

/* The same, and adds the vertex to the strip. */
static void take_vertex(struct expansion *e, const struct vertex_words *from, uint8_t *out)
{
    e->strip[e->strip_count++] = e->emitted_count;
    copy_vertex(e, from, out);
}

/* Takes the vertices of the stream that is drawn. */
static void take_emitted(struct expansion *e, uint8_t *out)
{
    static const uint32_t no_stipple[VC4C_STIPPLE_WORDS];
    const uint32_t rows = e->emitted_B / ROW_B;
    for (uint32_t lane = 0; lane < vc4vk_expand_invocations(e); lane++) {
        const uint32_t count = vc4vk_emitted_by(e, lane);
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t *vertex = vc4vk_expand_word(e, &e->output, lane, 1 + n * rows);
            if (vertex[0] >> VC4C_EMITTED_STREAM != e->stream)
                continue;
            if (vertex[0] & VC4C_EMITTED_BEGINS) {
                stipple_strip(e, out);
                end_strip(e);
            }
            take_vertex(e, &(struct vertex_words){.record = vertex + QPU_LANES, .stipple = no_stipple}, out);
        }
    }
    stipple_strip(e, out);
    end_strip(e);
}

/* Without a geometry stage: takes the vertices of each primitive, without adjacent ones. */
static void take_primitives(struct expansion *e, uint8_t *out)
{
    for (uint32_t i = 0; i < e->primitive_count; i++) {
        const uint32_t *records[3];
        uint32_t stipple[3][VC4C_STIPPLE_WORDS];
        const uint32_t count = vc4vk_emitted_records(e, i, records);
        stipple_primitive(e, begins_pattern(e, i), NULL, records, count, stipple);
        for (uint32_t k = 0; k < count; k++)
            take_vertex(
                e,
                &(struct vertex_words){.record = records[k], .number = e->primitives[i].number, .stipple = stipple[k]},
                out);
        end_strip(e);
    }
}

/* Takes vertices of its own for each primitive of the meshes. */
static void take_split_meshes(struct expansion *e, uint8_t *out)
{
    struct vc4vk_mesh_primitive p = {0};
    while (vc4vk_meshes_walk(e, &p)) {
        uint32_t stipple[3][VC4C_STIPPLE_WORDS];
        stipple_primitive(e, true, p.record, p.records, p.corner_count, stipple);
        for (uint32_t k = 0; k < p.corner_count; k++)
            take_vertex(e, &(struct vertex_words){.record = p.records[k], .primitive = p.record, .stipple = stipple[k]},
                        out);
        end_strip(e);
    }
}

/* Takes each vertex of the meshes once, and the indices of the primitives. */
static void take_meshes(struct expansion *e, uint8_t *out)
{
    struct vc4vk_mesh_primitive p = {0};
    uint32_t group = 0, first = 0; /* a workgroup, and its first vertex */
    for (uint32_t i = 0; i < vc4vk_meshes_groups(e); i++)
        for (uint32_t k = 0; k < vc4vk_meshes_vertices(e, i); k++)
            copy_vertex(e, &(struct vertex_words){.record = vc4vk_meshes_record(e, i, k)}, out);
    while (vc4vk_meshes_walk(e, &p)) {
        for (; group < p.group; group++)
            first += vc4vk_meshes_vertices(e, group);
        for (uint32_t k = 0; k < p.corner_count; k++)
            e->strip[e->strip_count++] = first + p.vertices[k];
    }
    end_strip(e);
}

/* ---------------------------------------------------------------- drawing */

/* The record of the draw with arrays that lie in the memory of the emitted vertices. */
static void place_record(const struct expansion *e, const struct vc4vk_issue_memory *memory, struct vc4vk_record *out)
{
    const struct vc4vk_record *record = e->draw->state->record;
    const struct vc4vk_attribute_arrays *arrays = &record->vertex->attributes;
    const uint32_t stride_B = vc4vk_pass_through_stride_B(&e->pipeline->expander->pass);
    memcpy(out, record, vc4vk_record_size_B(record));
    for (uint32_t i = 0; i < record->array_count; i++) {
        const uint8_t location = arrays->arrays[i].location;
        struct vc4vk_record_array *a = &out->arrays[i];
        if (location >= VC4C_MAX_LOCATIONS)
            continue;
        a->bo = memory->bo;
        a->offset_B = memory->offset_B + e->pipeline->state.input.attributes[location % VC4C_MAX_ATTRIBUTES].offset_B;
        a->bo_size_B = memory->bo->size_B;
        a->stride_B = stride_B;
        a->per_instance = 0;
        a->divisor = 0;
    }
}

static void add_indexed_range(struct expansion *e, const struct vc4vk_record *record)
{
    struct vc4vk_issue_memory memory;
    const int32_t pulled = vc4vk_issue_place_arrays(e->issue, record->arrays, record->array_count);
    if (pulled < 0 || !vc4vk_issue_fresh(e->issue, 2 * e->list_count, &memory))
        return;
    uint16_t *out = memory.map;
    for (uint32_t i = 0; i < e->list_count; i++)
        out[i] = (uint16_t)e->list[i];
    vc4vk_issue_add_range(e->issue, &(struct vc4vk_issue_range){
                                        .mode = vc4vk_issue_list_mode(e->draw),
                                        .is_indexed = true,
                                        .index_bo = memory.bo,
                                        .index_offset_B = memory.offset_B,
                                        .count = e->list_count,
                                        .max_index = e->emitted_count - 1,
                                        .pulled = pulled,
                                    });
}

void vc4vk_emitted_add_ranges(struct expansion *e)
{
    struct vc4vk_issue *issue = e->issue;
    const uint32_t stride_B = vc4vk_pass_through_stride_B(&e->pipeline->expander->pass), count = emitted_by_all(e);
    struct vc4vk_issue_memory memory;
    struct vc4vk_record record;
    if (!count || !stride_B || !vc4vk_issue_fresh(issue, count * stride_B, &memory))
        return;
    e->strip_count = e->list_count = e->emitted_count = 0;
    if (e->meshes && vc4vk_meshes_are_split(e))
        take_split_meshes(e, memory.map);
    else if (e->meshes)
        take_meshes(e, memory.map);
    else if (e->emits)
        take_emitted(e, memory.map);
    else
        take_primitives(e, memory.map);
    if (!e->list_count)
        return;
    issue->expanded_B += (uint64_t)count * stride_B;
    place_record(e, &memory, &record);
    const struct vc4vk_draw list = {.state = e->draw->state};
    if (record.is_packed || e->draw->state->needs_triangle)
        vc4vk_issue_draw_list(issue, &list, &record, e->list, e->list_count);
    else
        add_indexed_range(e, &record);
    if (vc4vk_issue_is_one_by_one(e->draw->state))
        vc4vk_issue_split_ranges(issue);
}

bool vc4vk_expand_run(const struct expansion *e, const struct vc4vk_records_run *run)
{
    struct vc4vk_issue *issue = e->issue;
    const struct vc4vk_dispatch_records records = {
        .bo = issue->expander_bo,
        .words = {[VC4C_RECORDS_COUNT] = run->lanes,
                  [VC4C_RECORDS_INPUT] = e->addr + run->in->offset_B,
                  [VC4C_RECORDS_INPUT_STRIDE] = run->in->block_B,
                  [VC4C_RECORDS_OUTPUT] = e->addr + run->out->offset_B,
                  [VC4C_RECORDS_OUTPUT_STRIDE] = run->out->block_B,
                  [VC4C_RECORDS_VERTEX_STRIDE] = run->vertex_stride_B,
                  [VC4C_RECORDS_PATCHES] = run->patches_addr,
                  [VC4C_RECORDS_PATCH_VERTICES] = run->patch_vertices,
                  [VC4C_RECORDS_PRIMITIVES] = run->primitives_B,
                  [VC4C_RECORDS_PRIMITIVE_STRIDE] = run->primitive_stride_B},
        .draw = {issue->draw.base_vertex, issue->draw.base_instance, issue->draw.index},
        .view = vc4vk_draw_view_index(issue->range),
        .drops_stores = e->drops_stores,
        .left_ns = &issue->expander_left_ns,
    };
    struct vc4vk_dispatch dispatch = {.device = issue->job->device,
                                      .pool = issue->pool,
                                      .variant = run->variant,
                                      .table = *run->table,
                                      .workgroups = {util_div_round_up(run->lanes, run->group), 1, 1},
                                      .records = &records};
    if (e->draw->state->push)
        memcpy(dispatch.push, e->draw->state->push, sizeof dispatch.push);
    VkResult result = vc4vk_issue_dispatch(&dispatch);
    if (result != VK_SUCCESS)
        vc4vk_issue_fail(issue, result);
    return result == VK_SUCCESS;
}
