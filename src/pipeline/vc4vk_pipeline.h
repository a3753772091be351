/* SPDX-License-Identifier: MIT
 *
 * Graphics and compute pipelines.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_H
#define PIPELINE_VC4VK_PIPELINE_H

#include "pipeline/vc4vk_pipeline_stage.h"
#include "pipeline/vc4vk_pipeline_state.h"

/* An attribute array of a shader record: which memory feeds it, and where each program finds it. */
struct vc4vk_attribute_array {
    uint8_t location; /* VC4C_ATTRIBUTE_VERTEX_RAMP, _VERTEX_PLACE: numbers 0, 1, 2, ... */
    uint8_t size_B;   /* bytes loaded: what the greedier program asks for */
    uint8_t vs_vpm_B, cs_vpm_B;
    bool in_vs, in_cs;
    bool vs_spilled, cs_spilled; /* the program reads memory; its offset there stands for that in the VPM */
};

#define VC4VK_ATTRIBUTE_ARRAYS_MAX 8 /* of the chip [guide p.76 table 45] */

/* What a vertex variant is fed with. Locations that lie in memory as in the VPM share an array. */
struct vc4vk_attribute_arrays {
    struct vc4vk_attribute_array arrays[VC4C_MAX_ARRAYS];
    uint32_t count;
    bool is_packed; /* more than the chip has: vertices are packed when the job is issued */
};

struct vc4vk_pipeline {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    struct vc4vk_pipeline_layout *layout; /* referenced */
    struct vc4vk_program_store *store;    /* of the cache that it was made with: variants go there too; referenced */
    struct vc4vk_pipeline_stage vertex, fragment; /* of graphics pipelines; nothing else below is used of others */
    struct vc4vk_pipeline_stage compute;
    struct vc4vk_pipeline_state state;
    bool early_z;
    bool samples_in_vertex_stage;
    uint8_t packets[VC4VK_PIPELINE_PACKETS_MAX_B]; /* ready for the binning list */
    uint32_t packets_B;
};

VC4VK_DEFINE_HANDLE(vc4vk_pipeline, VkPipeline, VK_OBJECT_TYPE_PIPELINE)

/* A pipeline without stages; NULL: out of memory. `alloc` is what the application gave, also to free it. */
struct vc4vk_pipeline *vc4vk_pipeline_new(struct vc4vk_device *device, VkPipelineLayout layout,
                                          struct vc4vk_program_store *store, const VkAllocationCallbacks *alloc);
void vc4vk_pipeline_free(struct vc4vk_pipeline *pipeline, const VkAllocationCallbacks *alloc);

/* The attribute arrays for a vertex variant: the union of what both programs load, in VPM order. */
void vc4vk_variant_attributes(const struct vc4vk_pipeline_state *state, const struct vc4vk_variant *vertex,
                              struct vc4vk_attribute_arrays *out);

/* -- test hooks -- */

/* Replaces an instruction word of the first variant's program: kind as enum vc4c_program_kind. Returns the old word in
 * *word; VK_ERROR_UNKNOWN past the end or when the kernel refuses the new program. */
VkResult vc4vk_test_patch_program(VkPipeline pipeline, uint32_t kind, uint32_t instruction, uint64_t *word);
/* The words of that program: their number, and as many as fit. */
uint32_t vc4vk_test_program_words(VkPipeline pipeline, uint32_t kind, uint64_t *words, uint32_t capacity);

#endif
