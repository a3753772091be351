/* SPDX-License-Identifier: MIT
 *
 * Recorded commands and the memory they are built into when they are issued.
 */
#include <stdlib.h>
#include <string.h>
#include "engine/vc4vk_job.h"

/* -- BO tables ---------------------------------------------------------------------------------------------------- */

void vc4vk_bo_table_init(struct vc4vk_bo_table *table, const struct util_alloc *alloc)
{
    *table = (struct vc4vk_bo_table){.alloc = alloc};
}

void vc4vk_bo_table_reset(struct vc4vk_bo_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        kmd_bo_unref(table->bos[i]);
    if (table->slot_count)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->count = 0;
    table->failed = false;
}

void vc4vk_bo_table_finish(struct vc4vk_bo_table *table)
{
    vc4vk_bo_table_reset(table);
    util_alloc_put(table->alloc, table->bos);
    util_alloc_put(table->alloc, table->slots);
    *table = (struct vc4vk_bo_table){.alloc = table->alloc};
}

/* The slot that names the BO, or the free one where it would go. There is always a free one. */
static uint32_t *find_slot(const struct vc4vk_bo_table *table, const struct kmd_bo *bo)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t at = bo->handle * 0x9e3779b1u & mask;
    while (table->slots[at] && table->bos[table->slots[at] - 1] != bo)
        at = (at + 1) & mask;
    return &table->slots[at];
}

/* Doubles both arrays; at most half of the slots are ever taken. */
static bool grow(struct vc4vk_bo_table *table)
{
    uint32_t capacity = MAX2(table->capacity * 2, 8u);
    struct kmd_bo **bos = util_alloc_get(table->alloc, capacity * sizeof *bos);
    uint32_t *slots = util_alloc_get(table->alloc, 2 * capacity * sizeof *slots);
    if (!bos || !slots) {
        util_alloc_put(table->alloc, bos);
        util_alloc_put(table->alloc, slots);
        return false;
    }
    if (table->count)
        memcpy(bos, table->bos, table->count * sizeof *bos);
    memset(slots, 0, 2 * capacity * sizeof *slots);
    util_alloc_put(table->alloc, table->bos);
    util_alloc_put(table->alloc, table->slots);
    table->bos = bos;
    table->slots = slots;
    table->capacity = capacity;
    table->slot_count = 2 * capacity;
    for (uint32_t i = 0; i < table->count; i++)
        *find_slot(table, bos[i]) = i + 1;
    return true;
}

uint32_t vc4vk_bo_table_add(struct vc4vk_bo_table *table, struct kmd_bo *bo)
{
    if (table->count) {
        uint32_t found = *find_slot(table, bo);
        if (found)
            return found - 1;
    }
    if (table->count == table->capacity && !grow(table)) {
        table->failed = true;
        return 0;
    }
    table->bos[table->count++] = kmd_bo_ref(bo);
    *find_slot(table, bo) = table->count;
    return table->count - 1;
}

/* -- building ----------------------------------------------------------------------------------------------------- */

void *vc4vk_bytes_append(struct vc4vk_bytes *bytes, uint32_t size_B)
{
    if (size_B > bytes->capacity_B - bytes->size_B) {
        uint64_t wanted_B = MAX2((uint64_t)bytes->size_B + size_B, 4096u);
        uint64_t capacity_B = MAX2(wanted_B, (uint64_t)bytes->capacity_B * 2);
        if (capacity_B > UINT32_MAX)
            return NULL;
        uint8_t *data = realloc(bytes->data, (size_t)capacity_B);
        if (!data)
            return NULL;
        bytes->data = data;
        bytes->capacity_B = (uint32_t)capacity_B;
    }
    void *at = bytes->data + bytes->size_B;
    bytes->size_B += size_B;
    return at;
}

static bool ensure_bos(struct vc4vk_job_build *build, uint32_t count)
{
    if (count <= build->bo_capacity)
        return true;
    uint32_t capacity = util_next_pow2(MAX2(count, 16u));
    struct kmd_bo **bos = realloc(build->bos, capacity * sizeof *bos);
    if (!bos)
        return false;
    build->bos = bos;
    build->bo_capacity = capacity;
    return true;
}

VkResult vc4vk_job_build_begin(struct vc4vk_job_build *build, const struct vc4vk_job *job)
{
    build->bin_cl.size_B = build->shader_rec.size_B = build->uniforms.size_B = 0;
    build->bo_count = build->job_bo_count = 0;
    build->shader_rec_count = 0;
    build->render = job->render;
    build->from = build->next_from = 0;
    build->is_nothing = build->is_submitted = false;
    build->retires = VC4VK_TIMESTAMP_RETIRED;
    build->taken = NULL;
    build->ended = NULL;
    if (!ensure_bos(build, job->bo_count))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (job->bo_count)
        memcpy(build->bos, job->bos, job->bo_count * sizeof *build->bos);
    build->bo_count = build->job_bo_count = job->bo_count;
    return VK_SUCCESS;
}

uint32_t vc4vk_job_build_add_bo(struct vc4vk_job_build *build, struct kmd_bo *bo)
{
    if (!ensure_bos(build, build->bo_count + 1)) {
        kmd_bo_unref(bo);
        return KMD_NO_BO;
    }
    build->bos[build->bo_count] = bo;
    return build->bo_count++;
}

void vc4vk_job_build_end(struct vc4vk_job_build *build)
{
    if (build->ended)
        build->ended(build);
    build->ended = NULL;
    for (uint32_t i = build->job_bo_count; i < build->bo_count; i++)
        kmd_bo_unref(build->bos[i]);
    build->bo_count = build->job_bo_count = 0;
}

void vc4vk_job_build_finish(struct vc4vk_job_build *build)
{
    free(build->bin_cl.data);
    free(build->shader_rec.data);
    free(build->uniforms.data);
    free(build->bos);
    *build = (struct vc4vk_job_build){0};
}

/* -- jobs --------------------------------------------------------------------------------------------------------- */

void vc4vk_job_init(struct vc4vk_job *job, const char *name)
{
    job->command = (struct vc4vk_command){.engine = VC4VK_ENGINE_CHIP, .waits_for_ring = true};
    job->class = VC4VK_JOB_NATIVE;
    job->name = name;
    job->bo_count = job->list_B = 0; /* `bos` is filled as far as that counts */
    job->build = NULL;
    job->data = NULL;
    job->notes = NULL;
    kmd_render_init(&job->render);
}

uint32_t vc4vk_job_add_bo(struct vc4vk_job *job, struct kmd_bo *bo)
{
    uint32_t index = 0;
    while (index < job->bo_count && job->bos[index] != bo)
        index++;
    assert(index < VC4VK_JOB_BOS_MAX);
    job->bos[index] = bo;
    job->bo_count = MAX2(job->bo_count, index + 1);
    return index;
}
