/* SPDX-License-Identifier: MIT
 *
 * A job for tests: one BO, and a list whose first byte is a tag.
 */
#ifndef TESTS_QUEUE_MADE_JOB_H
#define TESTS_QUEUE_MADE_JOB_H

#include "engine/vc4vk_job.h"

struct made_job {
    struct vc4vk_job job;
    uint8_t tag;
    uint32_t list_B; /* at least 1 */
};

static inline VkResult build_made_job(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    const struct made_job *made = job->data;
    uint8_t *list = vc4vk_bytes_append(&build->bin_cl, made->list_B);
    if (!list)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < made->list_B; i++)
        list[i] = i ? 1 : made->tag;
    return VK_SUCCESS;
}

/* False: out of memory. */
static inline bool make_job(struct kmd_device *kmd, struct made_job *made, uint8_t tag)
{
    struct kmd_bo *bo;
    if (kmd_bo_create(kmd, 4096, "job", &bo))
        return false;
    *made = (struct made_job){.tag = tag, .list_B = 1};
    vc4vk_job_init(&made->job, "job");
    made->job.command.waits_for_ring = false;
    made->job.build = build_made_job;
    made->job.data = made;
    vc4vk_job_add_bo(&made->job, bo);
    return true;
}

static inline void drop_job(struct made_job *made)
{
    kmd_bo_unref(made->job.bos[0]);
}

#endif
