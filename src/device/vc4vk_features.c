/* SPDX-License-Identifier: MIT
 *
 * Feature structs of a pNext chain: one table row per struct answers the query and checks what vkCreateDevice is asked
 * to enable. Each such struct is a header (sType, pNext) followed by VkBool32 members only.
 */
#include <string.h>
#include "device/vc4vk_physical_device.h"

#define MAX_MEMBERS 4

struct feature_struct {
    VkStructureType type;
    uint32_t count;
    VkBool32 members[MAX_MEMBERS]; /* supported features, in the order of the struct's members */
};

static const struct feature_struct structs[] = {
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_4444_FORMATS_FEATURES_EXT, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES, 3, {VK_TRUE, VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES, 4, {VK_TRUE, VK_TRUE, VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES, 3, {VK_TRUE, VK_TRUE, VK_FALSE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES_EXT, 3, {VK_TRUE, VK_FALSE, VK_FALSE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_ENABLE_FEATURES_EXT, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES, 3, {VK_TRUE, VK_FALSE, VK_FALSE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES, 1, {VK_FALSE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROVOKING_VERTEX_FEATURES_EXT, 2, {VK_TRUE, VK_FALSE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, 1, {VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_ATTRIBUTE_DIVISOR_FEATURES_EXT, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES, 2, {VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES, 3, {VK_TRUE, VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, 4,
     {VK_TRUE, VK_TRUE, VK_TRUE, VK_TRUE}},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, 1, {VK_TRUE}},
};

static const struct feature_struct *row_of(VkStructureType type)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(structs); i++)
        if (structs[i].type == type)
            return &structs[i];
    return NULL;
}

/* The VkBool32 members, which follow the struct's header. */
static VkBool32 *members(const VkBaseOutStructure *s)
{
    return (VkBool32 *)(void *)((char *)s + sizeof *s);
}

void vc4vk_fill_feature_struct(VkBaseOutStructure *s)
{
    const struct feature_struct *row = row_of(s->sType);
    if (row)
        memcpy(members(s), row->members, row->count * sizeof(VkBool32));
}

VkResult vc4vk_check_feature_structs(const struct vc4vk_physical_device *physical, const void *chain)
{
    vc4vk_for_each_in_chain(s, (void *)chain)
    {
        const struct feature_struct *row = row_of(s->sType);
        for (uint32_t i = 0; row && i < row->count; i++)
            if (members(s)[i] && !row->members[i])
                return vc4vk_errorf(physical, VK_ERROR_FEATURE_NOT_PRESENT,
                                    "device: the %u. feature of struct type %d is not supported", i + 1, (int)s->sType);
    }
    return VK_SUCCESS;
}
