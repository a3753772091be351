/* SPDX-License-Identifier: MIT */
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

void vc4vk_issue_add_range(struct vc4vk_issue *issue, const struct vc4vk_issue_range *range)
{
    struct vc4vk_issue_range *out = vc4vk_bytes_append(&issue->ranges, sizeof *out);
    if (out)
        *out = *range;
    else
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
}
