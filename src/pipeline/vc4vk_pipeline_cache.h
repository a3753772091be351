/* SPDX-License-Identifier: MIT
 *
 * Pipeline caches: compiled programs by what decides them, in memory. Nothing is serialised yet: the data handed to the
 * application is the header that the specification asks for and nothing behind it.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_CACHE_H
#define PIPELINE_VC4VK_PIPELINE_CACHE_H

#include "pipeline/vc4vk_program.h"
#include "util/hash.h"

struct vc4vk_pipeline_cache {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    pthread_mutex_t lock;
    struct util_hash_table programs; /* of struct vc4vk_program, one reference each; under the lock */
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline_cache, VkPipelineCache, VK_OBJECT_TYPE_PIPELINE_CACHE)

/* With a reference for the caller, or NULL. */
struct vc4vk_program *vc4vk_pipeline_cache_lookup(struct vc4vk_pipeline_cache *cache, const void *key, size_t key_B);

/* Takes a reference of its own. A cache that is out of memory forgets. */
void vc4vk_pipeline_cache_add(struct vc4vk_pipeline_cache *cache, const void *key, size_t key_B,
                              struct vc4vk_program *program);

#endif
