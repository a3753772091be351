/* SPDX-License-Identifier: MIT
 *
 * Limits and features by name, from the tables that info_gen.py generates from the registry.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "info.h"
#include "info_gen.h"

const struct info_member *info_limits(uint32_t *count_out)
{
    *count_out = ARRAY_SIZE(VkPhysicalDeviceLimits_members);
    return VkPhysicalDeviceLimits_members;
}

static const void *value_of(const struct info_member *member, const void *base, size_t value_B, uint32_t index)
{
    return (const char *)base + member->offset_B + index * value_B;
}

void info_format_value(const struct info_member *member, const void *base, uint32_t index, char out[INFO_VALUE_B])
{
    switch (member->kind) {
    case INFO_U32:
    case INFO_BOOL:
    case INFO_FLAGS:
        snprintf(out, INFO_VALUE_B, "%" PRIu32, *(const uint32_t *)value_of(member, base, 4, index));
        break;
    case INFO_I32:
        snprintf(out, INFO_VALUE_B, "%" PRId32, *(const int32_t *)value_of(member, base, 4, index));
        break;
    case INFO_U64:
        snprintf(out, INFO_VALUE_B, "%" PRIu64, *(const uint64_t *)value_of(member, base, 8, index));
        break;
    case INFO_SIZE:
        snprintf(out, INFO_VALUE_B, "%zu", *(const size_t *)value_of(member, base, sizeof(size_t), index));
        break;
    case INFO_F32:
        snprintf(out, INFO_VALUE_B, "%g", (double)*(const float *)value_of(member, base, 4, index));
        break;
    }
}

static const struct info_feature *find_feature(const struct info *info, const char *name)
{
    for (uint32_t i = 0; i < info->feature_count; i++)
        if (!strcmp(info->features[i].name, name))
            return &info->features[i];
    return NULL;
}

/* Adds the features of a struct that are true. Structs of core versions repeat members of others. */
static void add_features(struct info *info, const struct info_member *members, uint32_t count, const void *base)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_true = *(const VkBool32 *)value_of(&members[i], base, sizeof(VkBool32), 0);
        if (is_true && info->feature_count < INFO_MAX_FEATURES && !find_feature(info, members[i].name))
            info->features[info->feature_count++] =
                (struct info_feature){members[i].name, vc4vk_feature_info(members[i].name)};
    }
}

void info_read_features(VkInstance instance, VkPhysicalDevice physical, struct info *info)
{
    PFN_vkGetPhysicalDeviceFeatures2KHR get_features2 =
        (PFN_vkGetPhysicalDeviceFeatures2KHR)vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceFeatures2KHR");
    VkPhysicalDeviceFeatures2 core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    get_features2(physical, &core);
    add_features(info, VkPhysicalDeviceFeatures_members, ARRAY_SIZE(VkPhysicalDeviceFeatures_members), &core.features);
    for (uint32_t i = 0; i < ARRAY_SIZE(info_feature_structs); i++) {
        const struct info_struct *s = &info_feature_structs[i];
        VkBaseOutStructure *features = calloc(1, s->size_B);
        if (!features)
            continue;
        features->sType = s->type;
        core.pNext = features;
        get_features2(physical, &core);
        add_features(info, s->members, s->member_count, features);
        free(features);
    }
}

static const struct info_struct *find_struct(const char *name)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(info_feature_structs); i++)
        if (!strcmp(info_feature_structs[i].name, name))
            return &info_feature_structs[i];
    return NULL;
}

const struct info_feature *info_extension_feature(const struct info *info, const char *extension, uint32_t index)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(info_extension_features); i++) {
        if (strcmp(info_extension_features[i].extension, extension) != 0)
            continue;
        const struct info_struct *s = find_struct(info_extension_features[i].features);
        for (uint32_t j = 0; j < s->member_count; j++) {
            const struct info_feature *feature = find_feature(info, s->members[j].name);
            if (feature && index-- == 0)
                return feature;
        }
    }
    return NULL;
}
