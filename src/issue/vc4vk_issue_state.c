/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "issue/vc4vk_issue_private.h"

const struct vc4vk_variant *vc4vk_issue_vertex(struct vc4vk_issue *issue, const struct vc4vk_record *record)
{
    const struct vc4vk_variant *variant = record->vertex;
    VkResult result = VK_SUCCESS;
    if (issue->merges && variant->reads_instance)
        result = vc4vk_variant_merged(variant, &variant);
    if (issue->job->is_recentred && result == VK_SUCCESS)
        result = vc4vk_variant_recentred(variant, &variant); /* for secondaries this was unknown when recording */
    if (result == VK_SUCCESS)
        return variant;
    vc4vk_issue_fail(issue, result);
    return record->vertex;
}

/* ---------------------------------------------------------------- descriptors that are read now */

static void read_stage(struct vc4vk_issue *issue, const struct vc4vk_issue_sets *sets,
                       const struct vc4vk_variant **variant, struct vc4vk_binding_table *table)
{
    const VkResult result = vc4vk_issue_descriptors_read(&issue->descriptors, sets, variant, table);
    if (result != VK_SUCCESS)
        vc4vk_issue_fail(issue, result);
}

static void read_expansion(struct vc4vk_issue *issue, const struct vc4vk_issue_sets *sets, struct vc4vk_expansion *e)
{
    read_stage(issue, sets, &e->vertex, &e->vertex_table);
    read_stage(issue, sets, &e->control, &e->control_table);
    read_stage(issue, sets, &e->evaluation, &e->evaluation_table);
    read_stage(issue, sets, &e->geometry, &e->geometry_table);
    read_stage(issue, sets, &e->task, &e->task_table);
    read_stage(issue, sets, &e->mesh, &e->mesh_table);
}

static void *copy(struct vc4vk_issue *issue, const void *from, size_t size_B)
{
    void *to = util_arena_alloc_raw(&issue->arena, size_B);
    if (to)
        memcpy(to, from, size_B);
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    return to;
}

/* The state of the recording after a failure. */
static const struct vc4vk_draw_state *read_state(struct vc4vk_issue *issue, const struct vc4vk_draw_state *from)
{
    struct vc4vk_draw_state *state = copy(issue, from, sizeof *state);
    struct vc4vk_record *record = copy(issue, from->record, vc4vk_record_size_B(from->record));
    struct vc4vk_expansion *expansion = from->expansion ? copy(issue, from->expansion, sizeof *expansion) : NULL;
    if (issue->result != VK_SUCCESS)
        return from;
    read_stage(issue, from->sets, &record->vertex, &state->vertex_table);
    read_stage(issue, from->sets, &record->fragment, &state->fragment_table);
    if (expansion)
        read_expansion(issue, from->sets, expansion);
    state->record = record;
    state->expansion = expansion;
    return state;
}

void vc4vk_issue_read_descriptors(struct vc4vk_issue *issue)
{
    const struct vc4vk_draw_state *from = NULL, *to = NULL; /* the last one; successive draws share a state */
    for (uint32_t s = 0; s < issue->section_count; s++)
        for (uint32_t i = 0; i < issue->sections[s].recorded->draw_count; i++) {
            struct vc4vk_draw *draw = &issue->sections[s].draws[i];
            if (!draw->state->sets || issue->result != VK_SUCCESS)
                continue;
            if (draw->state != from) {
                from = draw->state;
                to = read_state(issue, from);
            }
            draw->state = to;
        }
}

void vc4vk_issue_add_range(struct vc4vk_issue *issue, const struct vc4vk_issue_range *range)
{
    struct vc4vk_issue_range *out = vc4vk_bytes_append(&issue->ranges, sizeof *out);
    if (out)
        *out = *range;
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}
