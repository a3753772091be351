/* SPDX-License-Identifier: MIT
 *
 * Sets of arrays of descriptors with binding flags (VK_EXT_descriptor_indexing), and writes to single elements.
 */
#ifndef VKT_ARRAYS_H
#define VKT_ARRAYS_H

#include "vkt.h"

/* Elements may be written at any time, or never. */
#define VKT_FREE_FLAGS                                                                                                 \
    (VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |                         \
     VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT)
#define VKT_MAX_ARRAYS 8u

struct vkt_array {
    VkDescriptorType type;
    uint32_t count;
    VkDescriptorBindingFlags flags;
    const VkSampler *immutable; /* NULL, or `count` samplers */
};

/* An array for each binding, 0 and up, in a set of its own pool. */
struct vkt_arrays {
    VkDescriptorSetLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
};

/* A device with all features of the extension, and with samplers that mirror once. */
struct vkt vkt_open_indexing(void);

/* `variable`: elements of the last array, if its count is variable; else 0. */
struct vkt_arrays vkt_arrays_create(struct vkt *t, const struct vkt_array *arrays, uint32_t count,
                                    VkShaderStageFlags stages, uint32_t variable);
void vkt_arrays_destroy(struct vkt *t, struct vkt_arrays *a);
/* The same without the layout, which a compute pipeline destroys. */
void vkt_arrays_destroy_pool(struct vkt *t, struct vkt_arrays *a);

void vkt_write_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                      const struct vkt_buffer *b);
void vkt_write_texels(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                      VkBufferView view);
void vkt_write_image(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkDescriptorType type,
                     VkImageView view, VkSampler sampler);
void vkt_copy_descriptor(struct vkt *t, VkDescriptorSet from, uint32_t from_binding, uint32_t from_element,
                         VkDescriptorSet to, uint32_t to_binding, uint32_t to_element);

#endif
