/* SPDX-License-Identifier: MIT */
#include "cmdbuf/vc4vk_issue.h"

#define FRESH_BO_B (64u << 10) /* taken at once for small pieces */

uint32_t vc4vk_issue_bo_index(struct vc4vk_issue *issue, struct kmd_bo *bo)
{
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

uint32_t vc4vk_issue_ramp_index(struct vc4vk_issue *issue)
{
    struct kmd_bo *ramp;
    VkResult result = vc4vk_device_ramp(issue->job->device, &ramp);
    if (result != VK_SUCCESS) {
        vc4vk_issue_fail(issue, result);
        return 0;
    }
    return vc4vk_issue_bo_index(issue, ramp);
}

static bool take_fresh_bo(struct vc4vk_issue *issue, uint32_t size_B)
{
    struct kmd_bo *bo;
    if (kmd_bo_create(issue->job->device->kmd, MAX2(size_B, FRESH_BO_B), "issue", &bo)) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    issue->fresh_index = vc4vk_issue_bo_index(issue, bo);
    issue->fresh_bo = bo;
    issue->fresh_used_B = 0;
    kmd_bo_unref(bo); /* the build has its own reference */
    return issue->result == VK_SUCCESS;
}

bool vc4vk_issue_fresh(struct vc4vk_issue *issue, uint32_t size_B, struct vc4vk_issue_memory *out)
{
    if (issue->result != VK_SUCCESS)
        return false;
    if ((!issue->fresh_bo || issue->fresh_bo->size_B - issue->fresh_used_B < size_B) && !take_fresh_bo(issue, size_B))
        return false;
    uint8_t *map = kmd_bo_map(issue->fresh_bo);
    if (!map) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    *out = (struct vc4vk_issue_memory){
        .map = map + issue->fresh_used_B,
        .bo_index = issue->fresh_index,
        .offset_B = issue->fresh_used_B,
        .bo_size_B = issue->fresh_bo->size_B,
    };
    issue->fresh_used_B += util_align(size_B, 16);
    issue->fresh_used_B = MIN2(issue->fresh_used_B, issue->fresh_bo->size_B);
    return true;
}
