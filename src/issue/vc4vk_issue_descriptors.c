/* SPDX-License-Identifier: MIT
 *
 * Reads descriptors when a job is issued.
 */
#include <string.h>
#include "descriptor/vc4vk_buffer_set.h"
#include "issue/vc4vk_issue_descriptors.h"

struct vc4vk_issue_held_bo {
    struct vc4vk_issue_held_bo *next;
    struct kmd_bo *bo;
};

VkResult vc4vk_issue_descriptors_init(struct vc4vk_issue_descriptors *d, struct vc4vk_device *device,
                                      struct util_arena *arena)
{
    *d = (struct vc4vk_issue_descriptors){.device = device, .arena = arena};
    return vc4vk_table_writer_init(&d->writer, device);
}

void vc4vk_issue_descriptors_finish(struct vc4vk_issue_descriptors *d)
{
    for (struct vc4vk_issue_held_bo *held = d->held; held; held = held->next)
        kmd_bo_unref(held->bo);
    d->held = NULL;
    vc4vk_table_writer_finish(&d->writer);
}

/* A copy of the set whose entries can be filled in. NULL: out of memory. */
static struct vc4vk_set *copy_set(struct vc4vk_issue_descriptors *d, const struct vc4vk_set *set)
{
    const size_t entries_B = set->entry_count * sizeof *set->entries;
    struct vc4vk_set *copy = util_arena_alloc_raw(d->arena, sizeof *copy + entries_B);
    if (!copy)
        return NULL;
    *copy = *set;
    copy->entries = (int32_t *)(copy + 1);
    memcpy(copy->entries, set->entries, entries_B);
    return copy;
}

static VkResult use_sets(struct vc4vk_issue_descriptors *d, const struct vc4vk_issue_sets *sets)
{
    if (d->sets == sets)
        return VK_SUCCESS;
    d->sets = NULL;
    memcpy(d->bound, sets->bound, sizeof d->bound);
    for (uint32_t i = 0; i < VC4VK_MAX_SETS; i++) {
        const struct vc4vk_set *set = d->bound[i].set;
        if (!set || !set->in_buffer || !set->layout->is_read_at_issue)
            continue;
        d->bound[i].set = copy_set(d, set);
        if (!d->bound[i].set)
            return vc4vk_oom(d->device);
    }
    d->sets = sets;
    return VK_SUCCESS;
}

static VkResult read_entry(struct vc4vk_issue_descriptors *d, const struct vc4vk_set *set, uint32_t entry)
{
    struct vc4vk_surface_state state;
    struct vc4vk_issue_held_bo *held = util_arena_new(d->arena, struct vc4vk_issue_held_bo);
    struct hw_layout *layout = util_arena_new(d->arena, struct hw_layout);
    if (!held || !layout)
        return vc4vk_oom(d->device);
    if (!vc4vk_buffer_set_read(d->device, set, entry, &state, layout))
        return VK_SUCCESS;
    *held = (struct vc4vk_issue_held_bo){d->held, state.view.bo};
    d->held = held;
    int32_t offset_B;
    VkResult result = vc4vk_table_writer_take_state(&d->writer, &offset_B);
    if (result != VK_SUCCESS)
        return result;
    *(struct vc4vk_surface_state *)vc4vk_state_ptr(d->writer.pool, offset_B) = state;
    set->entries[entry] = offset_B;
    return VK_SUCCESS;
}

static VkResult read_views(struct vc4vk_issue_descriptors *d, const struct vc4vk_pipeline_stage *stage)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < stage->interface->texture_count && result == VK_SUCCESS; i++) {
        const struct vc4vk_table_slot *slot = &stage->textures[i].view;
        const struct vc4vk_set *set = d->bound[slot->set].set;
        if (set && slot->entry < set->entry_count && !set->entries[slot->entry] &&
            vc4vk_buffer_set_is_read(set, slot->entry))
            result = read_entry(d, set, slot->entry);
    }
    return result;
}

VkResult vc4vk_issue_descriptors_read(struct vc4vk_issue_descriptors *d, const struct vc4vk_issue_sets *sets,
                                      const struct vc4vk_variant **variant, struct vc4vk_binding_table *table)
{
    struct vc4vk_pipeline_stage *stage = *variant ? (*variant)->stage : NULL;
    struct vc4vk_classes classes;
    if (!stage || !stage->is_read_at_issue)
        return VK_SUCCESS;
    VkResult result = use_sets(d, sets);
    if (result == VK_SUCCESS)
        result = read_views(d, stage);
    if (result != VK_SUCCESS)
        return result;
    const uint32_t set_count = stage->layout->set_count;
    vc4vk_pipeline_stage_bound_classes(stage, d->writer.pool, d->bound, set_count, sets->tile_inputs, &classes);
    vc4vk_pipeline_stage_read_formats(stage, d->bound, set_count, &classes);
    result = vc4vk_pipeline_stage_variant(d->device, stage, stage->layout, &classes, (*variant)->special, variant);
    if (result != VK_SUCCESS)
        return result;
    return vc4vk_binding_table_write(&d->writer, (*variant)->slots, (*variant)->slot_count, d->bound, set_count, table);
}
