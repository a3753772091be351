/* SPDX-License-Identifier: MIT
 *
 * Pipeline libraries: parts of a graphics pipeline's create info, kept until a pipeline is linked from them.
 */
#ifndef UTIL_PIPELINE_LIBRARY_H
#define UTIL_PIPELINE_LIBRARY_H

#include "pipeline/vc4vk_pipeline.h"

#define VC4VK_LIBRARY_PARTS 4u /* VkGraphicsPipelineLibraryFlagBitsEXT */

/* What the attachments mean for a pipeline; of the part that has the output's state. */
struct vc4vk_library_target {
    struct vc4vk_target formats;
    uint8_t color_locations[VC4VK_MAX_COLOR_ATTACHMENTS]; /* as in struct vc4vk_choice */
    uint32_t tile_inputs;                                 /* as in struct vc4vk_pipeline */
};

/* The create info of the linked pipeline. It points into the libraries, which must outlive it, and is not to be copied.
 */
struct vc4vk_linked {
    VkGraphicsPipelineCreateInfo info;
    struct vc4vk_library_target target;
    struct vc4vk_program_store *store, *fragment_store; /* of the libraries with these stages; NULL: none has one */
    VkPipelineShaderStageCreateInfo stages[7];          /* every kind of a graphics stage */
    VkPipelineRobustnessCreateInfoEXT robustness;
    VkPipelineDynamicStateCreateInfo dynamic;
    VkDynamicState *dynamic_states; /* to be freed by vc4vk_linked_finish */
};

/* The parts that the create info itself describes, without those of libraries that it names. */
VkGraphicsPipelineLibraryFlagsEXT vc4vk_library_own_parts(const VkGraphicsPipelineCreateInfo *info);
/* Whether the create info is for a library, or names libraries to be linked. */
bool vc4vk_has_libraries(const VkGraphicsPipelineCreateInfo *info);

/* Keeps the create info's own parts and refers to the libraries that it names. `target` is used if the output's state
 * is among its own parts. `store`: of the cache, or NULL. */
VkResult vc4vk_library_create(struct vc4vk_device *device, const VkGraphicsPipelineCreateInfo *info,
                              const struct vc4vk_library_target *target, struct vc4vk_program_store *store,
                              struct vc4vk_library **out);
void vc4vk_library_unref(struct vc4vk_library *library); /* NULL is accepted */

/* Combines the parts. An error if any that the pipeline needs is missing. `info`: of the pipeline. Needs
 * vc4vk_linked_finish also after a failure. */
VkResult vc4vk_library_link(const struct vc4vk_library *library, const VkGraphicsPipelineCreateInfo *info,
                            struct vc4vk_linked *out);
void vc4vk_linked_finish(const struct vc4vk_library *library, struct vc4vk_linked *linked);

#endif
