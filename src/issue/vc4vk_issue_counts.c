/* SPDX-License-Identifier: MIT
 *
 * Vertices and primitives follow from the parameters and indices of draws. A vertex program runs once for each vertex
 * of a draw, however often it is used. What is left after clipping, and for how many pixels fragment programs run, is
 * counted by the CPU engine, for those draws whose shader records ask for it.
 */
#include <stdlib.h>
#include <string.h>
#include "issue/vc4vk_issue_counts.h"
#include "issue/vc4vk_issue_primitives.h"

/* ---------------------------------------------------------------- queries */

void vc4vk_counted_add(const struct vc4vk_counted *counted, const struct vc4vk_counts *counts)
{
    if (counted->statistics.pool)
        vc4vk_query_add_statistics(&counted->statistics, counts->statistics);
    for (uint32_t i = 0; i < VC4C_MAX_STREAMS; i++) {
        if (counted->captured[i].pool)
            vc4vk_query_add_primitives(&counted->captured[i], counts->captured[i].written, counts->captured[i].needed);
        if (counted->generated[i].pool)
            vc4vk_query_add(&counted->generated[i], counts->generated[i]);
    }
    if (counted->mesh_primitives.pool)
        vc4vk_query_add(&counted->mesh_primitives, counts->mesh_primitives);
}

/* Further replays, ranges and layers draw the same draws again. */
bool vc4vk_issue_counts_draws(const struct vc4vk_issue *issue)
{
    return issue->range->counted && !issue->replay && !issue->range->has_binned && !issue->range->is_other_layer;
}

/* Primitives of other layers are clipped away. */
static bool counts_clipped(const struct vc4vk_issue *issue)
{
    return issue->range->counted && issue->range->counted->statistics.pool && !issue->replay &&
           (!issue->range->has_binned || issue->range->is_other_layer);
}

/* Whether the chip draws each primitive as one. */
static bool draws_primitives(const struct vc4vk_draw_state *state)
{
    return !state->needs_triangle && state->polygon == VC4VK_POLYGON_FILL;
}

bool vc4vk_issue_counts_clipped(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state)
{
    return counts_clipped(issue) && !issue->sample && draws_primitives(state) &&
           !state->pipeline->state.rasterizer_discard;
}

bool vc4vk_issue_counts_fragments(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state)
{
    return issue->range->counted && issue->range->counted->statistics.pool && !issue->replay &&
           !state->pipeline->fragment.is_empty;
}

/* ---------------------------------------------------------------- vertices */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* How many different vertices the primitives have. Without memory for them each is counted as often as it is used. */
static uint64_t distinct_vertices(struct vc4vk_primitives *p, uint64_t primitives)
{
    const uint32_t each = vc4vk_primitive_vertices(p->topology);
    uint32_t *all = primitives <= UINT32_MAX / each ? malloc((size_t)primitives * each * sizeof *all + 1) : NULL;
    uint32_t vertices[VC4VK_MAX_PRIMITIVE_VERTICES];
    size_t count = 0, distinct = 0;
    if (!all)
        return primitives * each;
    vc4vk_primitives_rewind(p);
    for (uint64_t i = 0; i < primitives && vc4vk_primitives_next(p, vertices); i++, count += each)
        memcpy(&all[count], vertices, each * sizeof *all);
    qsort(all, count, sizeof *all, compare);
    for (size_t i = 0; i < count; i++)
        distinct += !i || all[i] != all[i - 1];
    free(all);
    return distinct;
}

void vc4vk_issue_count_vertices(struct vc4vk_issue *issue, const struct vc4vk_draw *draw)
{
    issue->counts.statistics[VC4VK_STATISTIC_VERTICES] += (uint64_t)draw->count * draw->instance_count;
}

/* ---------------------------------------------------------------- draws */

void vc4vk_issue_count_drawn(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, uint64_t primitives)
{
    if (state->pipeline->state.rasterizer_discard)
        return;
    issue->counts.statistics[VC4VK_STATISTIC_CLIPPING_RUNS] += primitives;
    if (!draws_primitives(state)) /* none is taken to be outside */
        issue->counts.statistics[VC4VK_STATISTIC_CLIPPED_PRIMITIVES] += primitives;
}

void vc4vk_issue_count_draw(struct vc4vk_issue *issue, const struct vc4vk_draw *draw)
{
    struct vc4vk_primitives p;
    if (!vc4vk_issue_counts_draws(issue))
        return;
    const struct vc4vk_choice *choice = &draw->state->pipeline->state.choice;
    const VkPrimitiveTopology topology = choice->topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST /* without its stages */
                                             ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                                             : (VkPrimitiveTopology)choice->topology;
    vc4vk_primitives_begin(&p, draw, topology, 0, choice->restart);
    const uint64_t primitives = vc4vk_primitives_skip(&p, UINT64_MAX), all = primitives * draw->instance_count;
    vc4vk_issue_count_vertices(issue, draw);
    issue->counts.statistics[VC4VK_STATISTIC_PRIMITIVES] += all;
    if (issue->range->counted->statistics.pool)
        issue->counts.statistics[VC4VK_STATISTIC_VERTEX_RUNS] +=
            distinct_vertices(&p, primitives) * draw->instance_count;
    issue->counts.generated[0] += all;
    vc4vk_issue_count_drawn(issue, draw->state, all);
}
