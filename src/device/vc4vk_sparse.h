/* SPDX-License-Identifier: MIT
 *
 * Sparse buffers and images. A sparse resource has an address range, which is a sparse BO of its own, as long as it
 * exists. The range is a memory object to the rest of the driver, to which the resource is bound. vkQueueBindSparse
 * changes which pages it consists of.
 */
#ifndef DEVICE_VC4VK_SPARSE_H
#define DEVICE_VC4VK_SPARSE_H

#include "device/vc4vk_memory.h"

#define VC4VK_SPARSE_BUFFER_FLAGS                                                                                      \
    (VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT | VK_BUFFER_CREATE_SPARSE_ALIASED_BIT)
#define VC4VK_SPARSE_IMAGE_FLAGS (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

/* The creation flags of sparse buffers whose features are enabled. */
VkBufferCreateFlags vc4vk_sparse_buffer_flags(const struct vc4vk_device *device);

/* Rounds the requirements of a sparse resource up to whole blocks. */
void vc4vk_sparse_round_requirements(const struct vc4vk_device *device, VkMemoryRequirements *requirements);

struct vc4vk_sparse_info {
    uint64_t size_B;    /* of the resource; the range has whole blocks */
    bool is_replayable; /* a later run may ask for the same address */
    uint64_t address;   /* of an earlier run; 0: any */
};

/* Creates the address range of a resource. The resource must be destroyed first. */
VkResult vc4vk_sparse_create(struct vc4vk_device *device, const struct vc4vk_sparse_info *info,
                             const VkAllocationCallbacks *alloc, struct vc4vk_memory **out);
/* NULL is accepted. */
void vc4vk_sparse_destroy(struct vc4vk_device *device, struct vc4vk_memory *range, const VkAllocationCallbacks *alloc);

#endif
