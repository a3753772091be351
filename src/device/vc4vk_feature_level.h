/* SPDX-License-Identifier: MIT
 *
 * The implementation level (native, lowered, CPU) of each feature and of each format feature: the data behind
 * vc4vk-info and docs/features.md.
 */
#ifndef DEVICE_VC4VK_FEATURE_LEVEL_H
#define DEVICE_VC4VK_FEATURE_LEVEL_H

#include "device/vc4vk_format.h"

enum vc4vk_feature_level {
    VC4VK_UNSUPPORTED,
    VC4VK_NATIVE,  /* the chip does it */
    VC4VK_LOWERED, /* done with additional shader code, additional passes, or CPU preparation of chip jobs */
    VC4VK_ON_CPU,  /* programs on the CPU engine, or plain CPU code in queue order */
};

/* "-", "native", "lowered", "CPU". */
const char *vc4vk_feature_level_name(enum vc4vk_feature_level level);

struct vc4vk_feature_info {
    const char *feature; /* the member's name in Vulkan's feature structs */
    enum vc4vk_feature_level means;
    const char *how;
};

/* NULL for features that this driver does not report. */
const struct vc4vk_feature_info *vc4vk_feature_info(const char *feature);

/* The level of one format feature: of buffers with `in_buffers`, else of images with optimal tiling. VC4VK_UNSUPPORTED
 * when the format does not have the feature. */
enum vc4vk_feature_level vc4vk_format_feature_level(const struct vc4vk_format *format, VkFormatFeatureFlagBits feature,
                                    bool in_buffers);

#endif
