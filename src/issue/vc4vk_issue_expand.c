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
#include "issue/vc4vk_issue_mesh.h"
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
    const bool is_inside = map && at_B + a->size_B <= bound->end_B;
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

static void write_primitives(const struct expansion *e)
{
    const uint32_t each = e->invocations, lanes = vc4vk_expand_invocations(e);
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
                                                           .lanes = vc4vk_expand_invocations(e),
                                                           .group = QPU_LANES,
                                                           .in = &e->primitive_input,
                                                           .out = &e->output,
                                                           .vertex_stride_B = e->emitted_B});
}

/* Makes the next piece and runs the programs for it. False: there is none, or a failure. */
static bool run_piece(struct expansion *e)
{
    const bool is_shaded = e->meshes         ? vc4vk_meshes_next(e)
                           : e->tessellation ? vc4vk_tessellation_next(e)
                                             : collect(e) && vc4vk_expand_run_vertices(e, &e->records);
    return is_shaded && run_geometry(e);
}

/* ---------------------------------------------------------------- transform feedback, queries */

static void capture_emitted(const struct expansion *e, struct vc4vk_issue_capture *capture)
{
    const uint32_t rows = e->emitted_B / ROW_B;
    for (uint32_t lane = 0; lane < vc4vk_expand_invocations(e); lane++) {
        const uint32_t count = vc4vk_emitted_by(e, lane);
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
        const uint32_t count = vc4vk_emitted_records(e, i, records);
        vc4vk_issue_capture_primitive(capture, 0, records, count);
    }
}

static void count_meshes(const struct expansion *e)
{
    struct vc4vk_counts *counts = &e->issue->counts;
    const uint32_t *size = e->writer->local_size;
    uint64_t primitives = 0, drawn = 0;
    struct vc4vk_mesh_primitive p = {0};
    for (uint32_t i = 0; i < vc4vk_meshes_groups(e); i++)
        primitives += vc4vk_meshes_primitives(e, i);
    while (vc4vk_meshes_walk(e, &p))
        drawn++;
    counts->statistics[VC4VK_STATISTIC_MESH_RUNS] += (uint64_t)vc4vk_meshes_groups(e) * size[0] * size[1] * size[2];
    counts->mesh_primitives += primitives;
    vc4vk_issue_count_drawn(e->issue, e->draw->state, drawn);
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
    counts->statistics[VC4VK_STATISTIC_GEOMETRY_RUNS] += e->emits ? vc4vk_expand_invocations(e) : 0;
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
    if (e->meshes) { /* they are not captured */
        if (counts)
            count_meshes(e);
        return;
    }
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

/* Words of a record that the vertex stage does not write are whatever the memory holds; a record has them so that reads
 * stay inside. */
static uint32_t place_stages(struct expansion *e)
{
    e->emitted_B = (1 + record_rows(e->writer)) * ROW_B;
    const uint32_t output_B = ROW_B + e->max_emitted * e->emitted_B;
    e->piece = piece_of(e, output_B);
    uint32_t size_B = e->tessellation ? vc4vk_tessellation_place(e, 0) : place_vertices(e);
    const uint32_t lanes = e->emits ? e->piece * e->invocations : 0;
    size_B = vc4vk_expand_place(&e->primitive_input, lanes, VC4C_PRIMITIVE_WORDS * ROW_B, size_B);
    return vc4vk_expand_place(&e->output, lanes, output_B, size_B);
}

/* Reserves memory for the programs, which draws of a job share, since they run one after the other. */
static bool take_program_memory(struct expansion *e)
{
    struct vc4vk_issue *issue = e->issue;
    struct kmd_device *kmd = issue->job->device->kmd;
    const uint32_t size_B = e->meshes ? vc4vk_meshes_place(e, 0) : place_stages(e);
    if (!issue->expander_bo || issue->expander_bo->size_B < size_B) {
        kmd_bo_unref(issue->expander_bo);
        issue->expander_bo = NULL;
        if (kmd_bo_create(kmd, size_B, "expander", &issue->expander_bo))
            return false;
    }
    e->map = kmd_bo_map(issue->expander_bo);
    return e->map && !kmd_bo_engine_addr(issue->expander_bo, &e->addr);
}

static bool take_lists(struct expansion *e, size_t emitted)
{
    e->strip = malloc(emitted * sizeof *e->strip);
    e->list = malloc(emitted * VC4VK_LIST_GROWTH * sizeof *e->list);
    return e->strip && e->list;
}

static bool take_host_memory(struct expansion *e)
{
    if (e->meshes)
        return take_lists(e, vc4vk_meshes_max_corners(e) + (size_t)1);
    const uint32_t vertices = e->tessellation ? vc4vk_tessellation_shaded(e) : e->piece * e->vertices;
    const size_t emitted = (size_t)e->piece * e->invocations * e->max_emitted + 1;
    e->table_mask = 1;
    while (e->table_mask < 2 * vertices)
        e->table_mask = 2 * e->table_mask + 1;
    e->primitives = malloc(e->piece * sizeof *e->primitives);
    e->distinct = malloc(vertices * sizeof *e->distinct);
    e->table = malloc((e->table_mask + (size_t)1) * sizeof *e->table);
    return take_lists(e, emitted) && e->primitives && e->distinct && e->table;
}

/* ---------------------------------------------------------------- the draw */

/* Reads what the stages before the mesh stage would get. False: out of host memory. */
static bool begin_source(struct expansion *e)
{
    const struct vc4vk_pipeline_state *state = &e->pipeline->state;
    const bool tessellates = vc4vk_expander_tessellates(e->pipeline->expander);
    const VkPrimitiveTopology topology = tessellates ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : state->application.topology;
    vc4vk_primitives_begin(&e->source, e->draw, topology, state->application.patch_vertices,
                           state->application.restart);
    if (tessellates && !vc4vk_tessellation_begin(e))
        return false;
    if (!tessellates) {
        e->vertices = e->source.vertices;
        e->corner_count = vc4vk_primitive_corners(topology, e->corners);
        e->source.last_provokes = !e->emits && state->last_provokes;
    }
    e->invocations = e->emits ? e->writer->geometry.invocations : 1;
    e->max_emitted = e->emits ? e->writer->geometry.max_vertices : e->corner_count;
    return true;
}

static bool begin(struct expansion *e)
{
    const bool has_begun = vc4vk_expander_meshes(e->pipeline->expander) ? vc4vk_meshes_begin(e) : begin_source(e);
    if (!has_begun) {
        vc4vk_issue_fail(e->issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
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
    vc4vk_meshes_finish(e);
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
    if (e->meshes)
        vc4vk_meshes_skip(e, count);
    else if (e->tessellation)
        vc4vk_tessellation_skip(e, count);
    else if (!e->pipeline->state.stipples || e->emits || !is_line_strip(e->source.topology))
        vc4vk_expand_skip(e, count * e->piece);
    else
        for (e->drops_stores = true; count && run_piece(e); count--)
            vc4vk_emitted_pass_stipples(e);
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
        if (e->meshes)
            piece = vc4vk_meshes_number(e);
        else if (e->tessellation)
            piece = vc4vk_tessellation_number(e);
        capture_piece(e);
        if (!e->pipeline->state.rasterizer_discard)
            vc4vk_emitted_add_ranges(e);
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
    if (!draw->count || !draw->instance_count || draw->is_mesh != vc4vk_expander_meshes(expander))
        return true;
    if (vc4vk_issue_counts_draws(issue) && !continues && !draw->is_mesh)
        vc4vk_issue_count_vertices(issue, draw);
    const bool goes_on =
        begin(&e) && run_pieces(&e, number, continues, from >> VC4VK_PIECE_BITS, from & (BIT(VC4VK_PIECE_BITS) - 1));
    finish(&e);
    return goes_on;
}
