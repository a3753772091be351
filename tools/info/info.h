/* SPDX-License-Identifier: MIT
 *
 * The data that vc4vk-info collects about a device, and the functions that collect and print it.
 */
#ifndef INFO_H
#define INFO_H

#include <stddef.h>
#include <vulkan/vulkan.h>
#include "device/vc4vk_extension_level.h"
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

/* A feature struct that extends VkPhysicalDeviceFeatures2 through pNext. */
struct info_struct {
    const char *name;
    VkStructureType type;
    size_t size_B;
    const struct info_member *members;
    uint32_t member_count;
};

/* A feature that the device reports. */
struct info_feature {
    const char *name;
    const struct vc4vk_feature_info *means; /* NULL: not in the driver's table */
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

/* Fills `features` with those that the device reports. The instance must have enabled
 * VK_KHR_get_physical_device_properties2. */
void info_read_features(VkInstance instance, VkPhysicalDevice physical, struct info *info);

/* Returns a reported feature of an extension, the one with this index; NULL when there are no more. */
const struct info_feature *info_extension_feature(const struct info *info, const char *extension, uint32_t index);

#define INFO_VALUE_B 32

/* Formats one value of a member as a number, flags as a bit mask. */
void info_format_value(const struct info_member *member, const void *base, uint32_t index, char out[INFO_VALUE_B]);

/* A use of formats. Each use is a column of the format table. */
struct info_use {
    const char *name;
    VkFormatFeatureFlagBits feature;
    bool in_buffers;
};

const struct info_use *info_uses(uint32_t *count_out);

void info_print_text(const struct info *info);
void info_print_json(const struct info *info);
/* Prints docs/features.md, which leaves out everything that depends on the machine. */
void info_print_markdown(const struct info *info);

#endif
