/* SPDX-License-Identifier: MIT
 *
 * Pipeline caches: the application's handle of a store of compiled programs. Its data consists of the header that the
 * specification demands, which identifies this build of the driver, and the store's rows.
 */
#ifndef UTIL_PIPELINE_CACHE_H
#define UTIL_PIPELINE_CACHE_H

#include "pipeline/vc4vk_program_store.h"

struct vc4vk_pipeline_cache {
    struct vc4vk_object base;
    struct vc4vk_program_store *store; /* referenced; pipelines reference it as well */
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline_cache, VkPipelineCache, VK_OBJECT_TYPE_PIPELINE_CACHE)

/* NULL for VK_NULL_HANDLE. */
static inline struct vc4vk_program_store *vc4vk_pipeline_cache_store(VkPipelineCache cache)
{
    return cache ? vc4vk_pipeline_cache_from_handle(cache)->store : NULL;
}

#endif
