/* SPDX-License-Identifier: MIT
 *
 * The implementation level of each extension that has no features of its own, and the extensions of other software
 * devices that this driver lacks: data behind docs/features.md, as vc4vk_feature_level.h is.
 */
#ifndef DEVICE_VC4VK_EXTENSION_LEVEL_H
#define DEVICE_VC4VK_EXTENSION_LEVEL_H

#include "device/vc4vk_feature_level.h"

struct vc4vk_extension_info {
    const char *extension;          /* with VK_ */
    enum vc4vk_feature_level means; /* VC4VK_UNSUPPORTED: there is nothing that a chip could do */
    const char *how;
};

/* NULL for an extension that is not reported, and for one with features, whose levels are those of its features. */
const struct vc4vk_extension_info *vc4vk_extension_info(const char *extension);

struct vc4vk_missing_extension {
    const char *extension; /* with VK_ */
    const char *reason;
};

/* Device extensions that lavapipe or SwiftShader report and this driver does not. */
const struct vc4vk_missing_extension *vc4vk_missing_extensions(uint32_t *count_out);

#endif
