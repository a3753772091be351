/* SPDX-License-Identifier: MIT
 *
 * The robustness of a pipeline's programs.
 */
#ifndef PIPELINE_VC4VK_PIPELINE_ROBUSTNESS_H
#define PIPELINE_VC4VK_PIPELINE_ROBUSTNESS_H

#include "device/vc4vk_device.h"

/* The VC4C_ROBUST_ bits of a stage. The chains are those of the pipeline's and the stage's create info. */
uint8_t vc4vk_stage_robustness(const struct vc4vk_device *device, VkShaderStageFlagBits stage,
                               const void *pipeline_chain, const void *stage_chain);
/* Whether attributes must be zero exactly where they lie beyond their buffer. `chain`: of the pipeline's create info. */
bool vc4vk_wants_exact_attributes(const struct vc4vk_device *device, const void *chain);

#endif
