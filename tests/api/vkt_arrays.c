/* SPDX-License-Identifier: MIT
 *
 * Sets of arrays of descriptors (vkt_arrays.h).
 */
#include "vkt_arrays.h"

struct vkt vkt_open_indexing(void)
{
    static const char *const extensions[] = {VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME,
                                             VK_KHR_SAMPLER_MIRROR_CLAMP_TO_EDGE_EXTENSION_NAME};
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceDescriptorIndexingFeatures features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES};
    vkGetPhysicalDeviceFeatures2(
        t->physical,
        &(VkPhysicalDeviceFeatures2){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &features});
    features.pNext = NULL;
    return vkt_device_create_chain(t, extensions, VKT_COUNT(extensions), &features);
}

/* ---------------------------------------------------------------- sets */

static VkDescriptorSetLayout create_layout(struct vkt *t, const struct vkt_array *arrays, uint32_t count,
                                           VkShaderStageFlags stages, bool after_bind)
{
    VkDescriptorSetLayoutBinding bindings[VKT_MAX_ARRAYS];
    VkDescriptorBindingFlags flags[VKT_MAX_ARRAYS];
    VkDescriptorSetLayout layout;
    for (uint32_t i = 0; i < count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){i, arrays[i].type, arrays[i].count, stages, arrays[i].immutable};
        flags[i] = arrays[i].flags;
    }
    const VkDescriptorSetLayoutBindingFlagsCreateInfo with = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags};
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .pNext = &with,
            .flags = after_bind ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
            .bindingCount = count,
            .pBindings = bindings},
        NULL, &layout));
    return layout;
}

static VkDescriptorPool create_pool(struct vkt *t, const struct vkt_array *arrays, uint32_t count, bool after_bind)
{
    VkDescriptorPoolSize sizes[VKT_MAX_ARRAYS];
    VkDescriptorPool pool;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = (VkDescriptorPoolSize){arrays[i].type, arrays[i].count};
    vkt_ok(vkCreateDescriptorPool(
        t->device,
        &(VkDescriptorPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                      .flags = after_bind ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0,
                                      .maxSets = 1,
                                      .poolSizeCount = count,
                                      .pPoolSizes = sizes},
        NULL, &pool));
    return pool;
}

struct vkt_arrays vkt_arrays_create(struct vkt *t, const struct vkt_array *arrays, uint32_t count,
                                    VkShaderStageFlags stages, uint32_t variable)
{
    struct vkt_arrays a;
    bool after_bind = false;
    assert_true(count <= VKT_MAX_ARRAYS);
    for (uint32_t i = 0; i < count; i++)
        after_bind |= (arrays[i].flags & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT) != 0;
    a.layout = create_layout(t, arrays, count, stages, after_bind);
    a.pool = create_pool(t, arrays, count, after_bind);
    const VkDescriptorSetVariableDescriptorCountAllocateInfo counts = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pDescriptorCounts = &variable};
    vkt_ok(
        vkAllocateDescriptorSets(t->device,
                                 &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                                .pNext = variable ? &counts : NULL,
                                                                .descriptorPool = a.pool,
                                                                .descriptorSetCount = 1,
                                                                .pSetLayouts = &a.layout},
                                 &a.set));
    return a;
}

void vkt_arrays_destroy_pool(struct vkt *t, struct vkt_arrays *a)
{
    vkDestroyDescriptorPool(t->device, a->pool, NULL);
}

void vkt_arrays_destroy(struct vkt *t, struct vkt_arrays *a)
{
    vkt_arrays_destroy_pool(t, a);
    vkDestroyDescriptorSetLayout(t->device, a->layout, NULL);
}

/* ---------------------------------------------------------------- descriptors */

void vkt_write_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                      const struct vkt_buffer *b)
{
    vkUpdateDescriptorSets(
        t->device, 1,
        &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                .dstSet = set,
                                .dstBinding = binding,
                                .dstArrayElement = element,
                                .descriptorCount = 1,
                                .descriptorType = type,
                                .pBufferInfo = &(VkDescriptorBufferInfo){b->buffer, 0, VK_WHOLE_SIZE}},
        0, NULL);
}

void vkt_write_texels(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                      VkBufferView view)
{
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .dstArrayElement = element,
                                                   .descriptorCount = 1,
                                                   .descriptorType = type,
                                                   .pTexelBufferView = &view},
                           0, NULL);
}

void vkt_write_image(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                     VkImageView view, VkSampler sampler)
{
    const VkImageLayout layout =
        type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    vkUpdateDescriptorSets(t->device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = binding,
                                                   .dstArrayElement = element,
                                                   .descriptorCount = 1,
                                                   .descriptorType = type,
                                                   .pImageInfo = &(VkDescriptorImageInfo){sampler, view, layout}},
                           0, NULL);
}

void vkt_copy_descriptor(struct vkt *t, VkDescriptorSet from, uint32_t from_binding, uint32_t from_element,
                         VkDescriptorSet to, uint32_t to_binding, uint32_t to_element)
{
    vkUpdateDescriptorSets(t->device, 0, NULL, 1,
                           &(VkCopyDescriptorSet){.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                                  .srcSet = from,
                                                  .srcBinding = from_binding,
                                                  .srcArrayElement = from_element,
                                                  .dstSet = to,
                                                  .dstBinding = to_binding,
                                                  .dstArrayElement = to_element,
                                                  .descriptorCount = 1});
}
