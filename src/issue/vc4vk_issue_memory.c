/* SPDX-License-Identifier: MIT */
#include "issue/vc4vk_issue_private.h"
#include "issue/vc4vk_issue_device.h"

#define FRESH_PIECE_B (16u << 10) /* minimum size of a block that is taken from the ring */
#define FRESH_BO_B    (64u << 10) /* minimum size of a BO, which is created when the ring is full */
#define FRESH_ALIGN_B 64u

uint32_t vc4vk_issue_bo_index(struct vc4vk_issue *issue, struct kmd_bo *bo)
{
    if (!bo)
        return 0;
    uint32_t known = issue->bos.count;
    uint32_t index = vc4vk_bo_table_add(&issue->bos, bo);
    if (issue->bos.failed) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return 0;
    }
    if (index == known && vc4vk_job_build_add_bo(issue->build, kmd_bo_ref(bo)) == KMD_NO_BO)
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    return index;
}

struct kmd_bo *vc4vk_issue_ramp(struct vc4vk_issue *issue)
{
    struct kmd_bo *ramp;
    VkResult result = vc4vk_device_ramp(issue->job->device, &ramp);
    if (result != VK_SUCCESS) {
        vc4vk_issue_fail(issue, result);
        return NULL;
    }
    return ramp;
}

/* ---------------------------------------------------------------- fresh memory */

/* Called when the build ends. Its blocks of the ring become free when the job has retired, or now if it was not
 * submitted. */
static void give_back(struct vc4vk_job_build *build)
{
    for (struct vc4vk_upload_block *block = build->taken, *next; block; block = next) {
        next = block->next;
        if (build->is_submitted && build->retires.timeline)
            vc4vk_upload_retire_at(block->ring, block, build->retires);
        else
            vc4vk_upload_release(block->ring, block);
    }
    build->taken = NULL;
}

static bool use_fresh_bo(struct vc4vk_issue *issue, struct kmd_bo *bo, uint32_t offset_B, uint32_t size_B)
{
    vc4vk_issue_bo_index(issue, bo);
    issue->fresh_bo = bo;
    issue->fresh_map = kmd_bo_map(bo);
    issue->fresh_next_B = offset_B;
    issue->fresh_end_B = offset_B + size_B;
    if (!issue->fresh_map)
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
    return issue->result == VK_SUCCESS;
}

/* False: the ring is full. */
static bool take_from_ring(struct vc4vk_issue *issue, uint32_t size_B, struct vc4vk_upload_block **out)
{
    struct vc4vk_job_build *build = issue->build;
    struct vc4vk_upload_ring *ring = vc4vk_device_upload_ring(issue->job->device, build->retires.timeline);
    if (!ring || !vc4vk_upload_try_take(ring, MAX2(size_B, FRESH_PIECE_B), FRESH_ALIGN_B, out))
        return false;
    (*out)->next = build->taken;
    build->taken = *out;
    build->ended = give_back;
    return true;
}

static bool take_fresh(struct vc4vk_issue *issue, uint32_t size_B)
{
    struct vc4vk_upload_block *block;
    struct kmd_bo *bo;
    vc4vk_issue_fresh_end(issue);
    if (take_from_ring(issue, size_B, &block))
        return use_fresh_bo(issue, block->bo, block->offset_B, block->size_B);
    if (kmd_bo_create(issue->job->device->kmd, MAX2(size_B, FRESH_BO_B), "issue", &bo)) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    bool done = use_fresh_bo(issue, bo, 0, bo->size_B);
    kmd_bo_unref(bo); /* the build has its own reference */
    return done;
}

bool vc4vk_issue_fresh(struct vc4vk_issue *issue, uint32_t size_B, struct vc4vk_issue_memory *out)
{
    if (issue->result != VK_SUCCESS)
        return false;
    if ((!issue->fresh_bo || issue->fresh_end_B - issue->fresh_next_B < size_B) && !take_fresh(issue, size_B))
        return false;
    *out = (struct vc4vk_issue_memory){
        .map = issue->fresh_map + issue->fresh_next_B,
        .bo = issue->fresh_bo,
        .offset_B = issue->fresh_next_B,
    };
    issue->fresh_next_B = MIN2(issue->fresh_next_B + util_align(size_B, 16), issue->fresh_end_B);
    return true;
}

void vc4vk_issue_fresh_end(struct vc4vk_issue *issue)
{
    const struct vc4vk_upload_block *last = issue->build->taken;
    if (last && issue->fresh_bo == last->bo && issue->fresh_end_B == last->offset_B + last->size_B)
        vc4vk_upload_shrink(last->ring, issue->build->taken, issue->fresh_next_B - last->offset_B);
    issue->fresh_bo = NULL;
}
