/* SPDX-License-Identifier: MIT
 *
 * The tessellation stages of an expanded draw (docs/geometry.md#tessellation).
 *
 * Patches are taken in groups. For a group, the vertex program runs for all vertices and the control program for all
 * output patches. The tessellator then divides one patch after the other, and its primitives are cut into pieces: a
 * piece may have many patches or a part of one. For each piece the evaluation program runs for the vertices of its
 * primitives, each vertex once.
 *
 * Pieces have numbers with which a later part of the job finds its place: so many for each group, whether the group has
 * so many pieces or not.
 */
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_issue_counts.h"
#include "issue/vc4vk_issue_expand.h"
#include "issue/vc4vk_tessellator.h"
#include "util/debug.h"

#define ROW_B    (4u * QPU_LANES)
#define RECORD_B (VC4C_RECORD_WORDS * ROW_B) /* of 16 lanes */

#define GROUP_PATCHES  256u
#define GROUP_B        (4u << 20) /* memory of a group, approximately */
#define PIECE_VERTICES 8448u
#define MAX_PRIMITIVES (VC4VK_MAX_TESS_INDICES / 3) /* of a patch */

struct patch {
    uint32_t number;
    uint32_t slots[VC4C_MAX_PATCH_VERTICES]; /* of its vertices */
};

struct vc4vk_tessellation {
    struct vc4vk_tess_modes modes;
    uint32_t input_vertices, output_vertices; /* of a patch */
    uint32_t per_workgroup;                   /* patches */

    /* the group */
    struct patch *patches;
    uint32_t patch_count, max_patches;
    uint64_t group, group_pieces; /* its number; numbers of pieces that a group has */

    /* the piece */
    uint64_t number;
    uint32_t in_group, skipped; /* number of the next piece in the group; pieces that are to be skipped */
    uint32_t max_vertices;
    uint32_t patch, primitive;               /* that the next piece begins with */
    uint32_t slots[VC4VK_MAX_TESS_VERTICES]; /* of the patch's vertices in the piece, plus 1; 0: none yet */

    struct vc4vk_tess_levels levels; /* that `output` is for */
    bool has_output;
    struct vc4vk_tess_output output;

    /* memory of the programs */
    struct blocks shaded, control, points, coords; /* control: words of a patch; points: of a workgroup */
    uint32_t patches_B;                            /* where the patches' own words begin */
};

/* ---------------------------------------------------------------- memory */

static uint32_t blocks_per_workgroup(const struct vc4vk_tessellation *t)
{
    return util_div_round_up(t->output_vertices, QPU_LANES);
}

static uint32_t max_patches(const struct vc4vk_tessellation *t)
{
    const uint32_t vertex_B = (RECORD_B + VC4C_VERTEX_INPUT_WORDS * ROW_B) / QPU_LANES;
    const uint32_t patch_B = t->input_vertices * vertex_B + blocks_per_workgroup(t) * RECORD_B / t->per_workgroup +
                             4 * VC4C_CONTROL_WORDS + VC4C_PATCH_B;
    return util_debug(UTIL_DEBUG_TINY) ? 2 : CLAMP(GROUP_B / patch_B, 1u, GROUP_PATCHES);
}

bool vc4vk_tessellation_begin(struct expansion *e)
{
    const struct vc4c_tessellation *declared = &e->pipeline->expander->tessellation;
    struct vc4vk_tessellation *t = calloc(1, sizeof *t);
    e->tessellation = t;
    if (!t)
        return false;
    /* With an upper left origin, triangles in counterclockwise order have a negative area. */
    const bool is_clockwise = declared->order == VC4C_ORDER_CLOCKWISE;
    t->modes = (struct vc4vk_tess_modes){.domain = declared->domain,
                                         .spacing = declared->spacing,
                                         .point_mode = declared->point_mode,
                                         .is_positive = is_clockwise != e->pipeline->state.application.is_lower_left};
    t->input_vertices = MIN2(e->source.vertices, VC4C_MAX_PATCH_VERTICES);
    t->output_vertices = CLAMP(declared->output_vertices, 1u, VC4C_MAX_PATCH_VERTICES);
    t->per_workgroup = vc4c_patches_per_group(t->output_vertices);
    t->max_patches = max_patches(t);
    t->patches = malloc(t->max_patches * sizeof *t->patches);
    e->corner_count = e->vertices = declared->point_mode ? 1 : declared->domain == VC4C_DOMAIN_ISOLINES ? 2 : 3;
    for (uint32_t k = 0; k < e->corner_count; k++)
        e->corners[k] = k;
    return t->patches != NULL;
}

void vc4vk_tessellation_finish(struct expansion *e)
{
    if (e->tessellation)
        free(e->tessellation->patches);
    free(e->tessellation);
}

uint32_t vc4vk_tessellation_shaded(const struct expansion *e)
{
    return e->tessellation->max_patches * e->tessellation->input_vertices;
}

uint32_t vc4vk_tessellation_place(struct expansion *e, uint32_t at_B)
{
    struct vc4vk_tessellation *t = e->tessellation;
    const uint32_t shaded = vc4vk_tessellation_shaded(e);
    const uint32_t workgroups = util_div_round_up(t->max_patches, t->per_workgroup), blocks = blocks_per_workgroup(t);
    t->max_vertices = MIN2(3 * e->piece, PIECE_VERTICES);
    t->group_pieces = (uint64_t)t->max_patches * util_div_round_up(MAX_PRIMITIVES, t->max_vertices / 3) + 1;
    at_B = vc4vk_expand_place(&e->input, shaded, VC4C_VERTEX_INPUT_WORDS * ROW_B, at_B);
    at_B = vc4vk_expand_place(&t->shaded, shaded, RECORD_B, at_B);
    t->control = (struct blocks){at_B, 4 * VC4C_CONTROL_WORDS};
    at_B += util_align(t->max_patches * t->control.block_B, ROW_B);
    t->points = (struct blocks){at_B, blocks * RECORD_B};
    at_B += workgroups * t->points.block_B;
    t->patches_B = at_B;
    at_B += util_align(t->max_patches * VC4C_PATCH_B, ROW_B);
    at_B = vc4vk_expand_place(&t->coords, t->max_vertices, VC4C_EVALUATION_WORDS * ROW_B, at_B);
    return vc4vk_expand_place(&e->records, t->max_vertices, RECORD_B, at_B);
}

/* ---------------------------------------------------------------- groups of patches */

static bool collect_patches(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    uint32_t vertices[VC4VK_MAX_PRIMITIVE_VERTICES];
    vc4vk_expand_clear_vertices(e);
    t->patch_count = t->patch = t->primitive = t->in_group = 0;
    while (t->patch_count < t->max_patches && vc4vk_expand_next(e, vertices)) {
        struct patch *patch = &t->patches[t->patch_count++];
        patch->number = e->number++;
        for (uint32_t k = 0; k < t->input_vertices; k++)
            patch->slots[k] = vc4vk_expand_slot(e, vertices[k]);
    }
    return t->patch_count != 0;
}

/* Writes what the control program reads. The last vertex is repeated: a shader may wrongly expect more. */
static void write_patches(const struct expansion *e)
{
    const struct vc4vk_tessellation *t = e->tessellation;
    for (uint32_t i = 0; i < t->patch_count; i++) {
        uint32_t *words = (uint32_t *)(void *)(e->map + t->control.offset_B + i * t->control.block_B);
        for (uint32_t k = 0; k < VC4C_MAX_PATCH_VERTICES; k++) {
            const uint32_t slot = t->patches[i].slots[MIN2(k, t->input_vertices - 1)];
            words[k] = vc4vk_expand_addr(e, vc4vk_expand_word(e, &t->shaded, slot, 0));
        }
        words[VC4C_CONTROL_ID] = t->patches[i].number;
    }
}

static bool run_control(const struct expansion *e)
{
    const struct vc4vk_tessellation *t = e->tessellation;
    write_patches(e);
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->control,
                                                           .table = &e->bound->control_table,
                                                           .lanes = t->patch_count * t->output_vertices,
                                                           .group = t->per_workgroup * t->output_vertices,
                                                           .in = &t->control,
                                                           .out = &t->points,
                                                           .vertex_stride_B = RECORD_B,
                                                           .patches_addr = e->addr + t->patches_B,
                                                           .patch_vertices = t->input_vertices});
}

/* ---------------------------------------------------------------- pieces */

static const uint8_t *patch_words(const struct expansion *e, uint32_t patch)
{
    return e->map + e->tessellation->patches_B + patch * VC4C_PATCH_B;
}

static void tessellate(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    const uint8_t *words = patch_words(e, t->patch);
    struct vc4vk_tess_levels levels;
    memcpy(levels.outer, words + 4 * VC4C_PATCH_OUTER, sizeof levels.outer);
    memcpy(levels.inner, words + 4 * VC4C_PATCH_INNER, sizeof levels.inner);
    if (!t->has_output || memcmp(&levels, &t->levels, sizeof levels))
        vc4vk_tessellate(&t->modes, &levels, &t->output);
    t->levels = levels;
    t->has_output = true;
    memset(t->slots, 0, t->output.vertex_count * sizeof *t->slots);
}

/* The vertex's slot, a new one if the piece does not have the vertex yet. */
static uint32_t slot_of(struct expansion *e, uint16_t vertex)
{
    struct vc4vk_tessellation *t = e->tessellation;
    if (t->slots[vertex])
        return t->slots[vertex] - 1;
    const uint32_t slot = e->vertex_count++, first = t->patch % t->per_workgroup * t->output_vertices;
    const uint8_t *points = e->map + t->points.offset_B + t->patch / t->per_workgroup * t->points.block_B + 4 * first;
    for (uint32_t k = 0; k < 3; k++)
        memcpy(vc4vk_expand_word(e, &t->coords, slot, VC4C_EVALUATION_COORD + k), &t->output.coords[vertex][k], 4);
    *vc4vk_expand_word(e, &t->coords, slot, VC4C_EVALUATION_VERTICES) = vc4vk_expand_addr(e, points);
    *vc4vk_expand_word(e, &t->coords, slot, VC4C_EVALUATION_PATCH) = vc4vk_expand_addr(e, patch_words(e, t->patch));
    *vc4vk_expand_word(e, &t->coords, slot, VC4C_EVALUATION_ID) = t->patches[t->patch].number;
    t->slots[vertex] = slot + 1;
    return slot;
}

/* Adds primitives of the current patch. False: the piece is full. */
static bool add_primitives(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    for (; t->primitive * e->vertices < t->output.index_count; t->primitive++) {
        if (e->primitive_count == e->piece || e->vertex_count + e->vertices > t->max_vertices)
            return false;
        e->primitives[e->primitive_count].number = t->patches[t->patch].number;
        for (uint32_t k = 0; k < e->vertices; k++)
            e->primitives[e->primitive_count].slots[k] = slot_of(e, t->output.indices[t->primitive * e->vertices + k]);
        e->primitive_count++;
    }
    return true;
}

/* False: the group has no primitive any more. */
static bool make_piece(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    e->primitive_count = e->vertex_count = 0;
    for (; t->patch < t->patch_count; t->patch++, t->primitive = 0) {
        tessellate(e);
        if (!add_primitives(e))
            break;
    }
    t->number = t->group * t->group_pieces + t->in_group++;
    return e->primitive_count != 0;
}

/* Counts the group, unless the part before has. */
static void count_group(struct expansion *e)
{
    uint64_t *counts = e->issue->counts.statistics;
    if (!vc4vk_issue_counts_draws(e->issue) || e->drops_stores)
        return;
    counts[VC4VK_STATISTIC_PRIMITIVES] += e->tessellation->patch_count;
    counts[VC4VK_STATISTIC_PATCHES] += e->tessellation->patch_count;
    counts[VC4VK_STATISTIC_VERTEX_RUNS] += e->vertex_count;
}

static bool begin_group(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    if (!collect_patches(e))
        return false;
    count_group(e);
    if (!vc4vk_expand_run_vertices(e, &t->shaded) || !run_control(e))
        return false;
    for (; t->skipped; t->skipped--)
        make_piece(e);
    return true;
}

static bool run_evaluation(const struct expansion *e)
{
    const struct vc4vk_tessellation *t = e->tessellation;
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->evaluation,
                                                           .table = &e->bound->evaluation_table,
                                                           .lanes = e->vertex_count,
                                                           .group = QPU_LANES,
                                                           .in = &t->coords,
                                                           .out = &e->records,
                                                           .vertex_stride_B = RECORD_B,
                                                           .patch_vertices = t->output_vertices});
}

void vc4vk_tessellation_skip(struct expansion *e, uint64_t piece)
{
    struct vc4vk_tessellation *t = e->tessellation;
    t->group = piece / t->group_pieces;
    t->skipped = (uint32_t)(piece % t->group_pieces);
    vc4vk_expand_skip(e, t->group * t->max_patches);
}

bool vc4vk_tessellation_next(struct expansion *e)
{
    struct vc4vk_tessellation *t = e->tessellation;
    bool has_group = t->patch_count != 0;
    while (!has_group || !make_piece(e)) {
        t->group += has_group;
        has_group = begin_group(e);
        if (!has_group)
            return false;
    }
    return run_evaluation(e);
}

uint64_t vc4vk_tessellation_number(const struct expansion *e)
{
    return e->tessellation->number;
}
