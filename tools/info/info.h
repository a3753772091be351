/* SPDX-License-Identifier: MIT
 *
 * What vc4vk-info has found out about one device, and who prints it.
 */
#ifndef INFO_H
#define INFO_H

#include <stddef.h>
#include <vulkan/vulkan.h>
#include "device/vc4vk_feature_level.h"
#include "kmd/kmd.h"
#include "util/macros.h"

enum info_kind { INFO_U32, INFO_I32, INFO_U64, INFO_SIZE, INFO_F32, INFO_BOOL, INFO_FLAGS };

/* A member of one of Vulkan's structs. */
struct info_member {
    const char *name;
    enum info_kind kind;
    size_t offset_B;
    uint32_t count; /* of an array */
};

/* One of the structs of features that hang behind VkPhysicalDeviceFeatures2. */
struct info_struct {
    const char *name;
    VkStructureType type;
    size_t size_B;
    const struct info_member *members;
    uint32_t member_count;
};

/* A feature that is reported. */
struct info_feature {
    const char *name;
    const struct vc4vk_feature_info *means; /* NULL: the table forgot it */
};

#define INFO_MAX_FEATURES   256
#define INFO_MAX_EXTENSIONS 256

struct info {
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceDriverProperties driver;
    struct kmd_info kernel;
    uint32_t feature_count, instance_extension_count, device_extension_count;
    struct info_feature features[INFO_MAX_FEATURES];
    VkExtensionProperties instance_extensions[INFO_MAX_EXTENSIONS], device_extensions[INFO_MAX_EXTENSIONS];
};

/* The members of VkPhysicalDeviceLimits, in the struct's order. */
const struct info_member *info_limits(uint32_t *count_out);

/* Fills `features` with what the device reports. The instance has VK_KHR_get_physical_device_properties2. */
void info_read_features(VkInstance instance, VkPhysicalDevice physical, struct info *info);

/* One value of a member, as a number (of flags: the bits). */
void info_print_value(const struct info_member *member, const void *base, uint32_t index);

/* A use of a format that has a column. */
struct info_use {
    const char *name;
    VkFormatFeatureFlagBits feature;
    bool in_buffers;
};

const struct info_use *info_uses(uint32_t *count_out);

void info_print_text(const struct info *info);
void info_print_json(const struct info *info);
/* docs/features.md: what does not depend on the machine. */
void info_print_markdown(const struct info *info);

#endif
