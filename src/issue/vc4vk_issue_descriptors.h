/* SPDX-License-Identifier: MIT
 *
 * Descriptors that are read when a job is issued: input attachments and samplers with Y'CbCr conversion in descriptor
 * buffers, and the formats of storage images there (descriptor/vc4vk_buffer_set.h). Which code accesses them depends on
 * the view, so a stage that has such bindings gets its variant and its binding table here, and those of the recording
 * are not used.
 */
#ifndef ISSUE_VC4VK_ISSUE_DESCRIPTORS_H
#define ISSUE_VC4VK_ISSUE_DESCRIPTORS_H

#include "pipeline/vc4vk_pipeline.h"
#include "util/arena.h"

/* What was bound when a draw or dispatch was recorded. Belongs to the recording and is not modified. */
struct vc4vk_issue_sets {
    struct vc4vk_bound_set bound[VC4VK_MAX_SETS];
    uint32_t tile_inputs; /* the input attachments that programs read from the tile buffer */
};

struct vc4vk_issue_held_bo;

/* The reading of one build. */
struct vc4vk_issue_descriptors {
    struct vc4vk_device *device;
    struct util_arena *arena; /* must not be freed before vc4vk_issue_descriptors_finish */
    struct vc4vk_table_writer writer;
    struct vc4vk_issue_held_bo *held;             /* memory that the descriptors named */
    const struct vc4vk_issue_sets *sets;          /* those below were made for these; NULL: for none yet */
    struct vc4vk_bound_set bound[VC4VK_MAX_SETS]; /* with what has been read so far */
};

VkResult vc4vk_issue_descriptors_init(struct vc4vk_issue_descriptors *d, struct vc4vk_device *device,
                                      struct util_arena *arena);
/* Frees binding tables and releases memory. Accepts one whose init failed. */
void vc4vk_issue_descriptors_finish(struct vc4vk_issue_descriptors *d);
/* Replaces variant and table of a stage if it has such bindings. Both are valid until finish. */
VkResult vc4vk_issue_descriptors_read(struct vc4vk_issue_descriptors *d, const struct vc4vk_issue_sets *sets,
                                      const struct vc4vk_variant **variant, struct vc4vk_binding_table *table);

#endif
