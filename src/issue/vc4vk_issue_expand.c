/* SPDX-License-Identifier: MIT
 *
 * Runs the programs of an expander when its draw is issued, and draws what they emit (docs/geometry.md).
 *
 * A draw is cut into pieces of successive primitives, of all instances one after the other. For each piece this file
 * writes the vertices' attributes to memory, each vertex once; the vertex program makes a record of each; the geometry
 * program emits vertices; those become an array of vertices and a list of primitives, which are drawn like any other.
 * The memory of the programs is that of one piece, whatever the draw's size, and the vertices of a draw may be
 * distributed among several parts of the job.
 */
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_dispatch.h"
#include "issue/vc4vk_issue_capture.h"
#include "issue/vc4vk_issue_counts.h"
#include "issue/vc4vk_issue_expand.h"
#include "util/debug.h"

#define ROW_B (4u * QPU_LANES)

#define PIECE_PRIMITIVES  1024u
#define PIECE_TESSELLATED 8192u      /* of the tessellator's primitives */
#define PIECE_EMITTED     60000u     /* vertices at most: 16-bit indices reach all of them */
#define PIECE_OUTPUT_B    (4u << 20) /* of what a geometry program may emit */

/* ---------------------------------------------------------------- collecting a piece */

static uint32_t hash(const struct vertex *v)
{
    return (v->number * 0x9e3779b1u ^ v->instance * 0x85ebca77u) * 0xc2b2ae35u >> 8;
}

uint32_t vc4vk_expand_slot(struct expansion *e, uint32_t number)
{
    const struct vertex v = {number, e->draw->first_instance + e->instance};
    uint32_t at = hash(&v) & e->table_mask;
    for (; e->table[at]; at = (at + 1) & e->table_mask) {
        const struct vertex *have = &e->distinct[e->table[at] - 1];
        if (have->number == v.number && have->instance == v.instance)
            return e->table[at] - 1;
    }
    e->distinct[e->vertex_count] = v;
    e->table[at] = ++e->vertex_count;
    return e->vertex_count - 1;
}

bool vc4vk_expand_next(struct expansion *e, uint32_t vertices[VC4VK_MAX_PRIMITIVE_VERTICES])
{
    while (!vc4vk_primitives_next(&e->source, vertices)) {
        if (!e->number || e->instance + 1 >= e->draw->instance_count) /* an instance without primitives: so are all */
            return false;
        e->instance++;
        e->number = 0;
        vc4vk_primitives_rewind(&e->source);
    }
    return true;
}

void vc4vk_expand_clear_vertices(struct expansion *e)
{
    e->vertex_count = 0;
    memset(e->table, 0, (e->table_mask + (size_t)1) * sizeof *e->table);
}

static bool is_line_strip(VkPrimitiveTopology topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP || topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
}

/* False: no primitive is left. */
static bool collect(struct expansion *e)
{
    uint32_t vertices[VC4VK_MAX_PRIMITIVE_VERTICES];
    e->primitive_count = 0;
    vc4vk_expand_clear_vertices(e);
    while (e->primitive_count < e->piece && vc4vk_expand_next(e, vertices)) {
        e->primitives[e->primitive_count].number = e->number++;
        e->primitives[e->primitive_count].begins = !is_line_strip(e->source.topology) || e->source.next == 1;
        for (uint32_t k = 0; k < e->vertices; k++)
            e->primitives[e->primitive_count].slots[k] = vc4vk_expand_slot(e, vertices[k]);
        e->primitive_count++;
    }
    return e->primitive_count != 0;
}

void vc4vk_expand_skip(struct expansion *e, uint64_t count)
{
    uint64_t left = count;
    while (left) {
        const uint64_t done = vc4vk_primitives_skip(&e->source, left);
        left -= done;
        e->number += (uint32_t)done;
        if (!left || !e->number || e->instance + 1 >= e->draw->instance_count)
            return;
        e->instance++;
        e->number = 0;
        vc4vk_primitives_rewind(&e->source);
    }
}

/* ---------------------------------------------------------------- attributes */

static int64_t element_of(const struct expansion *e, const struct vc4vk_vertex_binding *binding, const struct vertex *v)
{
    const uint32_t first = e->issue->draw.base_instance;
    if (!binding->per_instance)
        return v->number;
    return binding->divisor ? first + (v->instance - first) / binding->divisor : first;
}

/* Elements outside of the buffer are zero. */
static void fetch(const struct expansion *e, uint32_t location, const struct vertex *v, union hw_texel *out)
{
    static const uint8_t zeros[64];
    const struct vc4vk_pipeline_state *state = &e->pipeline->state;
    const struct vc4vk_vertex_attribute *a = &state->application.input.attributes[location];
    const struct vc4vk_vertex_binding *binding = &state->application.input.bindings[a->binding];
    const struct vc4vk_expansion_binding *bound = &e->bound->bindings[a->binding];
    const uint8_t *map = bound->bo ? kmd_bo_map(bound->bo) : NULL;
    if (a->format == HW_FORMAT_NONE) {
        *out = (union hw_texel){.f = {0, 0, 0, 1}};
        return;
    }
    const uint64_t at_B = bound->offset_B + a->offset_B + (uint64_t)element_of(e, binding, v) * bound->stride_B;
    const bool is_inside = map && at_B + a->format_B <= bound->end_B;
    hw_format_unpack((enum hw_format)a->format, is_inside ? map + at_B : zeros, out);
}

static void write_vertices(const struct expansion *e)
{
    for (uint32_t i = 0; i < e->vertex_count; i++) {
        const struct vertex *v = &e->distinct[i];
        *vc4vk_expand_word(e, &e->input, i, VC4C_VERTEX_INPUT_INDEX) = v->number;
        *vc4vk_expand_word(e, &e->input, i, VC4C_VERTEX_INPUT_INSTANCE) = v->instance;
        for (uint32_t location = 0; location < VC4C_MAX_APPLICATION_ATTRIBUTES; location++) {
            union hw_texel value;
            if (!(e->vertex_stage->attribute_mask & BIT(location)))
                continue;
            fetch(e, location, v, &value);
            for (uint32_t k = 0; k < 4; k++)
                *vc4vk_expand_word(e, &e->input, i, 4 * location + k) = value.u[k];
        }
    }
}

/* ---------------------------------------------------------------- programs */

static uint32_t invocations(const struct expansion *e)
{
    return e->primitive_count * e->invocations;
}

static void write_primitives(const struct expansion *e)
{
    const uint32_t each = e->invocations, lanes = invocations(e);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t i = lane / each;
        for (uint32_t k = 0; k < VC4C_PRIMITIVE_VERTICES; k++) { /* the shader may wrongly expect more than there are */
            const uint32_t slot = e->primitives[i].slots[MIN2(k, e->vertices - 1)];
            *vc4vk_expand_word(e, &e->primitive_input, lane, k) =
                vc4vk_expand_addr(e, vc4vk_expand_word(e, &e->records, slot, 0));
        }
        *vc4vk_expand_word(e, &e->primitive_input, lane, VC4C_PRIMITIVE_ID) = e->primitives[i].number;
        *vc4vk_expand_word(e, &e->primitive_input, lane, VC4C_PRIMITIVE_INVOCATION) = lane % each;
    }
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
                  [VC4C_RECORDS_PATCH_VERTICES] = run->patch_vertices},
        .draw = {issue->draw.base_vertex, issue->draw.base_instance, issue->draw.index},
        .view = issue->range->view,
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

bool vc4vk_expand_run_vertices(const struct expansion *e, const struct blocks *records)
{
    write_vertices(e);
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->vertex,
                                                           .table = &e->bound->vertex_table,
                                                           .lanes = e->vertex_count,
                                                           .group = QPU_LANES,
                                                           .in = &e->input,
                                                           .out = records});
}

/* Runs the geometry program, if there is one. */
static bool run_geometry(const struct expansion *e)
{
    if (!e->emits)
        return true;
    write_primitives(e);
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->geometry,
                                                           .table = &e->bound->geometry_table,
                                                           .lanes = invocations(e),
                                                           .group = QPU_LANES,
                                                           .in = &e->primitive_input,
                                                           .out = &e->output,
                                                           .vertex_stride_B = e->emitted_B});
}

/* Makes the next piece and runs the programs for it. False: there is none, or a failure. */
static bool run_piece(struct expansion *e)
{
    const bool is_shaded =
        e->tessellation ? vc4vk_tessellation_next(e) : collect(e) && vc4vk_expand_run_vertices(e, &e->records);
    return is_shaded && run_geometry(e);
}

/* ---------------------------------------------------------------- what was emitted */

static uint32_t emitted_by(const struct expansion *e, uint32_t lane)
{
    return e->emits ? MIN2(*vc4vk_expand_word(e, &e->output, lane, 0), e->max_emitted) : e->max_emitted;
}

static uint32_t emitted_by_all(const struct expansion *e)
{
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < invocations(e); lane++)
        count += emitted_by(e, lane);
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

/* The words of each corner of a primitive: those of the line that it begins; both ends of a line have the same. */
static void stipple_primitive(struct expansion *e, uint32_t i, const uint32_t *const records[3], uint32_t count,
                              uint32_t words_out[3][VC4C_STIPPLE_WORDS])
{
    memset(words_out, 0, 3 * sizeof *words_out);
    if (!e->pipeline->state.stipples || count == 1)
        return;
    if (e->tessellation || e->primitives[i].begins)
        vc4vk_issue_stipple_begin(&e->stipple);
    for (uint32_t k = 0; k < (count == 2 ? 1 : count); k++) {
        float from[4], to[4];
        position_of(records[k], QPU_LANES, from);
        position_of(records[(k + 1) % count], QPU_LANES, to);
        vc4vk_issue_stipple_line(&e->stipple, viewport_of(e, records[k]), from, to, words_out[k]);
    }
    if (count == 2)
        memcpy(words_out[1], words_out[0], sizeof words_out[1]);
}

static uint32_t records_of(const struct expansion *e, uint32_t i, const uint32_t *records_out[3])
{
    for (uint32_t k = 0; k < e->corner_count; k++)
        records_out[k] = vc4vk_expand_word(e, &e->records, e->primitives[i].slots[e->corners[k]], 0);
    return e->corner_count;
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

/* Copies the words of a record that are drawn to the end of the array of vertices, and adds the vertex to the strip. */
static void take_vertex(struct expansion *e, const uint32_t *record, uint32_t number,
                        const uint32_t stipple[VC4C_STIPPLE_WORDS], uint8_t *out)
{
    const struct vc4vk_pass_through *pass = &e->pipeline->expander->pass;
    uint32_t *words = (uint32_t *)(void *)(out + (size_t)e->emitted_count * vc4vk_pass_through_stride_B(pass));
    for (uint32_t i = 0; i < pass->count; i++)
        words[i] = pass->words[i] >= VC4C_RECORD_STIPPLE ? stipple[pass->words[i] - VC4C_RECORD_STIPPLE]
                   : !e->emits && pass->words[i] == VC4C_RECORD_PRIMITIVE ? number
                                                                          : record[pass->words[i] * QPU_LANES];
    e->strip[e->strip_count++] = e->emitted_count++;
}

/* Takes the vertices of the stream that is drawn. */
static void take_emitted(struct expansion *e, uint8_t *out)
{
    static const uint32_t no_stipple[VC4C_STIPPLE_WORDS];
    const uint32_t rows = e->emitted_B / ROW_B;
    for (uint32_t lane = 0; lane < invocations(e); lane++) {
        const uint32_t count = emitted_by(e, lane);
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t *vertex = vc4vk_expand_word(e, &e->output, lane, 1 + n * rows);
            if (vertex[0] >> VC4C_EMITTED_STREAM != e->stream)
                continue;
            if (vertex[0] & VC4C_EMITTED_BEGINS) {
                stipple_strip(e, out);
                end_strip(e);
            }
            take_vertex(e, vertex + QPU_LANES, 0, no_stipple, out);
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
        const uint32_t count = records_of(e, i, records);
        stipple_primitive(e, i, records, count, stipple);
        for (uint32_t k = 0; k < count; k++)
            take_vertex(e, records[k], e->primitives[i].number, stipple[k], out);
        end_strip(e);
    }
}

/* ---------------------------------------------------------------- transform feedback, queries */

static void capture_emitted(const struct expansion *e, struct vc4vk_issue_capture *capture)
{
    const uint32_t rows = e->emitted_B / ROW_B;
    for (uint32_t lane = 0; lane < invocations(e); lane++) {
        const uint32_t count = emitted_by(e, lane);
        for (uint32_t n = 0; n < count; n++) {
            const uint32_t *vertex = vc4vk_expand_word(e, &e->output, lane, 1 + n * rows);
            vc4vk_issue_capture_vertex(capture, MIN2(vertex[0] >> VC4C_EMITTED_STREAM, VC4C_MAX_STREAMS - 1),
                                       vertex[0] & VC4C_EMITTED_BEGINS, vertex + QPU_LANES);
        }
    }
}

static void capture_primitives(const struct expansion *e, struct vc4vk_issue_capture *capture)
{
    for (uint32_t i = 0; i < e->primitive_count; i++) {
        const uint32_t *records[3];
        const uint32_t count = records_of(e, i, records);
        vc4vk_issue_capture_primitive(capture, 0, records, count);
    }
}

static void count_piece(const struct expansion *e, const struct vc4vk_issue_capture *capture)
{
    struct vc4vk_counts *counts = &e->issue->counts;
    if (e->tessellation) { /* the others are counted by patches */
        counts->statistics[VC4VK_STATISTIC_EVALUATION_RUNS] += e->vertex_count;
    } else {
        counts->statistics[VC4VK_STATISTIC_PRIMITIVES] += e->primitive_count;
        counts->statistics[VC4VK_STATISTIC_VERTEX_RUNS] += e->vertex_count;
    }
    counts->statistics[VC4VK_STATISTIC_GEOMETRY_RUNS] += e->emits ? invocations(e) : 0;
    for (uint32_t i = 0; i < VC4C_MAX_STREAMS; i++) {
        const uint64_t needed = capture->primitives[i].needed;
        counts->statistics[VC4VK_STATISTIC_GEOMETRY_PRIMITIVES] += e->emits ? needed : 0;
        counts->captured[i].written += capture->primitives[i].written;
        counts->captured[i].needed += capture->to ? needed : 0;
        counts->generated[i] += needed;
    }
    vc4vk_issue_count_drawn(e->issue, e->draw->state, capture->primitives[e->stream].needed);
}

/* Captures and counts what the piece has emitted, unless an earlier run has. */
static void capture_piece(const struct expansion *e)
{
    const struct vc4vk_draw_state *state = e->draw->state;
    const bool counts = vc4vk_issue_counts_draws(e->issue);
    struct vc4vk_issue_capture capture;
    if (!(state->capture || counts) || e->drops_stores)
        return;
    if (state->capture && !e->issue->capture) {
        e->issue->capture = state->capture;
        memcpy(e->issue->captured_before_B, state->capture->written_B, sizeof state->capture->written_B);
    }
    vc4vk_issue_capture_begin(&capture, state->capture, e->writer, e->pipeline->state.last_provokes);
    if (e->emits)
        capture_emitted(e, &capture);
    else
        capture_primitives(e, &capture);
    if (counts)
        count_piece(e, &capture);
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

/* Makes ranges of what the piece has emitted. */
static void add_ranges(struct expansion *e)
{
    struct vc4vk_issue *issue = e->issue;
    const uint32_t stride_B = vc4vk_pass_through_stride_B(&e->pipeline->expander->pass), count = emitted_by_all(e);
    struct vc4vk_issue_memory memory;
    struct vc4vk_record record;
    if (!count || !stride_B || !vc4vk_issue_fresh(issue, count * stride_B, &memory))
        return;
    e->strip_count = e->list_count = e->emitted_count = 0;
    if (e->emits)
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

/* ---------------------------------------------------------------- memory */

uint32_t vc4vk_expand_place(struct blocks *blocks, uint32_t lanes, uint32_t block_B, uint32_t at_B)
{
    *blocks = (struct blocks){at_B, block_B};
    return at_B + util_div_round_up(lanes, QPU_LANES) * block_B;
}

/* The rows that hold the words of a record. */
static uint32_t record_rows(const struct vc4c_interface *writer)
{
    uint32_t rows = 0;
    for (uint32_t word = 0; word < VC4C_RECORD_WORDS; word++)
        if (vc4c_writes_record_word(writer, word))
            rows = word + 1;
    for (uint32_t i = 0; i < writer->capture.count; i++)
        rows = MAX2(rows, writer->capture.words[i].word + 1u);
    return rows;
}

/* How many primitives make a piece. */
static uint32_t piece_of(const struct expansion *e, uint32_t output_B)
{
    const uint32_t each = MAX2(e->invocations * e->max_emitted, 1u);
    const uint32_t lanes = MAX2(PIECE_OUTPUT_B / output_B, 1u) * QPU_LANES;
    const uint32_t most = e->tessellation ? PIECE_TESSELLATED : PIECE_PRIMITIVES;
    const uint32_t fit = MIN2(PIECE_EMITTED / each, lanes / e->invocations);
    return CLAMP(fit, 1u, util_debug(UTIL_DEBUG_TINY) ? (e->tessellation ? 32 : 3) : most);
}

static uint32_t place_vertices(struct expansion *e)
{
    const uint32_t end_B = vc4vk_expand_place(&e->input, e->piece * e->vertices, VC4C_VERTEX_INPUT_WORDS * ROW_B, 0);
    return vc4vk_expand_place(&e->records, e->piece * e->vertices, VC4C_RECORD_WORDS * ROW_B, end_B);
}

/* Reserves memory for the programs, which draws of a job share, since they run one after the other. Words of a record
 * that the vertex stage does not write are whatever the memory holds; a record has them so that reads stay inside. */
static bool take_program_memory(struct expansion *e)
{
    struct vc4vk_issue *issue = e->issue;
    struct kmd_device *kmd = issue->job->device->kmd;
    e->emitted_B = (1 + record_rows(e->writer)) * ROW_B;
    const uint32_t output_B = ROW_B + e->max_emitted * e->emitted_B;
    e->piece = piece_of(e, output_B);
    uint32_t size_B = e->tessellation ? vc4vk_tessellation_place(e, 0) : place_vertices(e);
    const uint32_t lanes = e->emits ? e->piece * e->invocations : 0;
    size_B = vc4vk_expand_place(&e->primitive_input, lanes, VC4C_PRIMITIVE_WORDS * ROW_B, size_B);
    size_B = vc4vk_expand_place(&e->output, lanes, output_B, size_B);
    if (!issue->expander_bo || issue->expander_bo->size_B < size_B) {
        kmd_bo_unref(issue->expander_bo);
        issue->expander_bo = NULL;
        if (kmd_bo_create(kmd, size_B, "expander", &issue->expander_bo))
            return false;
    }
    e->map = kmd_bo_map(issue->expander_bo);
    return e->map && !kmd_bo_engine_addr(issue->expander_bo, &e->addr);
}

static bool take_host_memory(struct expansion *e)
{
    const uint32_t vertices = e->tessellation ? vc4vk_tessellation_shaded(e) : e->piece * e->vertices;
    const size_t emitted = (size_t)e->piece * e->invocations * e->max_emitted + 1;
    e->table_mask = 1;
    while (e->table_mask < 2 * vertices)
        e->table_mask = 2 * e->table_mask + 1;
    e->primitives = malloc(e->piece * sizeof *e->primitives);
    e->distinct = malloc(vertices * sizeof *e->distinct);
    e->table = malloc((e->table_mask + (size_t)1) * sizeof *e->table);
    e->strip = malloc(emitted * sizeof *e->strip);
    e->list = malloc(emitted * VC4VK_LIST_GROWTH * sizeof *e->list);
    return e->primitives && e->distinct && e->table && e->strip && e->list;
}

/* ---------------------------------------------------------------- the draw */

static bool begin(struct expansion *e)
{
    const struct vc4vk_pipeline_state *state = &e->pipeline->state;
    const bool tessellates = vc4vk_expander_tessellates(e->pipeline->expander);
    const VkPrimitiveTopology topology = tessellates ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : state->application.topology;
    vc4vk_primitives_begin(&e->source, e->draw, topology, state->application.patch_vertices,
                           state->application.restart);
    if (tessellates && !vc4vk_tessellation_begin(e)) {
        vc4vk_issue_fail(e->issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    if (!tessellates) {
        e->vertices = e->source.vertices;
        e->corner_count = vc4vk_primitive_corners(topology, e->corners);
        e->source.last_provokes = !e->emits && state->last_provokes;
    }
    e->invocations = e->emits ? e->writer->geometry.invocations : 1;
    e->max_emitted = e->emits ? e->writer->geometry.max_vertices : e->corner_count;
    if (!take_program_memory(e)) {
        vc4vk_issue_fail(e->issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    if (!take_host_memory(e)) {
        vc4vk_issue_fail(e->issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    return true;
}

static void finish(struct expansion *e)
{
    vc4vk_tessellation_finish(e);
    free(e->primitives);
    free(e->distinct);
    free(e->table);
    free(e->strip);
    free(e->list);
}

/* Passes over the primitives of earlier pieces. The pattern of stippled strips continues from them, so their vertices
 * are shaded once more. False: a failure. */
static bool pass_pieces(struct expansion *e, uint64_t count)
{
    if (e->tessellation)
        vc4vk_tessellation_skip(e, count);
    else if (!e->pipeline->state.stipples || e->emits || !is_line_strip(e->source.topology))
        vc4vk_expand_skip(e, count * e->piece);
    else
        for (e->drops_stores = true; count && run_piece(e); count--)
            for (uint32_t i = 0; i < e->primitive_count; i++) {
                const uint32_t *records[3];
                uint32_t words[3][VC4C_STIPPLE_WORDS];
                const uint32_t corners = records_of(e, i, records);
                stipple_primitive(e, i, records, corners, words);
            }
    return e->issue->result == VK_SUCCESS;
}

/* Runs the pieces from `piece` on, of the first one from packet `packet` on. False: the part ends here. */
static bool run_pieces(struct expansion *e, uint32_t number, bool continues, uint64_t piece, uint64_t packet)
{
    struct vc4vk_issue *issue = e->issue;
    const struct vc4vk_draw once = {.state = e->draw->state, .instance_count = 1};
    const bool is_replay = issue->replay > 0 || issue->range->has_binned || issue->range->is_other_layer;
    if (!pass_pieces(e, piece))
        return false;
    for (;; packet = 0, continues = false) {
        e->drops_stores = is_replay || continues; /* the part before had no room for what the piece emitted */
        issue->ranges.size_B = issue->pulled.size_B = 0;
        if (!run_piece(e))
            break;
        if (e->tessellation)
            piece = vc4vk_tessellation_number(e);
        capture_piece(e);
        if (!e->pipeline->state.rasterizer_discard)
            add_ranges(e);
        if (!vc4vk_issue_emit(issue, &once, number, piece++ << VC4VK_PIECE_BITS, packet))
            return false;
    }
    return issue->result == VK_SUCCESS;
}

bool vc4vk_issue_expand(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t number, bool continues,
                        uint64_t from)
{
    const struct vc4vk_expander *expander = draw->state->pipeline->expander;
    const bool emits = vc4vk_expander_emits(expander);
    struct expansion e = {.issue = issue,
                          .draw = draw,
                          .bound = draw->state->expansion,
                          .pipeline = draw->state->pipeline,
                          .vertex_stage = expander->vertex.interface,
                          .writer = vc4vk_expander_writer(expander),
                          .emits = emits,
                          .stipple = {.state = draw->state},
                          .stream = draw->state->pipeline->state.stream};
    if (!draw->count || !draw->instance_count)
        return true;
    if (vc4vk_issue_counts_draws(issue) && !continues)
        vc4vk_issue_count_vertices(issue, draw);
    const bool goes_on =
        begin(&e) && run_pieces(&e, number, continues, from >> VC4VK_PIECE_BITS, from & (BIT(VC4VK_PIECE_BITS) - 1));
    finish(&e);
    return goes_on;
}
