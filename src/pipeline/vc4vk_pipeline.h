/* SPDX-License-Identifier: MIT
 *
 * Graphics and compute pipelines.
 */
#ifndef UTIL_PIPELINE_H
#define UTIL_PIPELINE_H

#include "pipeline/vc4vk_pipeline_stage.h"
#include "pipeline/vc4vk_pipeline_state.h"

struct vc4vk_pipeline {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    uint32_t number;                      /* counts the device's pipelines; see struct vc4vk_prepared_bucket */
    struct vc4vk_pipeline_layout *layout; /* referenced */
    struct vc4vk_program_store *store;    /* of the cache given at creation: later variants go there too; referenced */
    struct vc4vk_pipeline_stage vertex, fragment; /* graphics pipelines, as all fields below except `compute` */
    struct vc4vk_pipeline_stage compute;
    struct vc4vk_pipeline_state state;
    bool early_z;
    bool samples_in_vertex_stage;
    uint8_t packets[VC4VK_PIPELINE_PACKETS_MAX_B]; /* ready for the binning list */
    uint32_t packets_B;
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* Creates a pipeline without stages; NULL: out of memory. `alloc`: the application's callbacks of the creating or
 * destroying call. */
struct vc4vk_pipeline *vc4vk_pipeline_new(struct vc4vk_device *device, VkPipelineLayout layout,
                                          struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc);
void vc4vk_pipeline_free(struct vc4vk_pipeline *pipeline, const VkAllocationCallbacks *alloc);

/* -- test hooks -- */

/* Replaces an instruction word of the first variant's program: kind as enum vc4c_program_kind. Returns the old word in
 * *word; VK_ERROR_UNKNOWN past the end or when the kernel refuses the new program. */
VkResult vc4vk_test_patch_program(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word);
/* Returns the program's number of instruction words and copies as many of them as fit. */
uint32_t vc4vk_test_program_words(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity);

#endif
