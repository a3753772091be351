/* SPDX-License-Identifier: MIT
 *
 * By what means each feature and each use of a format comes about: the table behind vc4vk-info and docs/features.md.
 */
#ifndef DEVICE_VC4VK_FEATURE_LEVEL_H
#define DEVICE_VC4VK_FEATURE_LEVEL_H

#include "device/vc4vk_format.h"

enum vc4vk_feature_level {
    VC4VK_UNSUPPORTED,
    VC4VK_NATIVE,  /* the chip does it */
    VC4VK_LOWERED, /* shader code, more passes, or CPU preparation around jobs of the chip */
    VC4VK_ON_CPU,  /* programs on the CPU engine, or plain CPU code in queue order */
};

/* "-", "native", "lowered", "CPU". */
const char *vc4vk_feature_level_name(enum vc4vk_feature_level means);

struct vc4vk_feature_info {
    const char *feature; /* the member's name in Vulkan's feature structs */
    enum vc4vk_feature_level means;
    const char *how;
};

/* NULL: no feature that this driver reports. */
const struct vc4vk_feature_info *vc4vk_feature_info(const char *feature);

/* Of one format feature of images with optimal tiling, or, `in_buffers`, of buffers; NOT_THERE unless it is reported.
 */
enum vc4vk_feature_level vc4vk_format_feature_level(const struct vc4vk_format *format, VkFormatFeatureFlagBits feature,
                                    bool in_buffers);

#endif
