/* SPDX-License-Identifier: MIT
 *
 * Addresses of buffers, for programs that access memory through them. The address of a buffer is the one at which the
 * CPU engine sees its memory. It fits 32 bits; the upper word is 0.
 */
#ifndef DEVICE_VC4VK_BUFFER_ADDRESS_H
#define DEVICE_VC4VK_BUFFER_ADDRESS_H

#include <pthread.h>
#include <vulkan/vulkan_core.h>
#include "kmd/kmd.h"
#include "util/list.h"

struct vc4vk_device;
struct vc4vk_memory;

/* Addresses that an application has been told of (VK_EXT_device_address_binding_report); address 0: none. */
struct vc4vk_address_range {
    uint64_t address, size_B;
};

/* Tells the application's messengers, if the device reports addresses. Called by entry points, without locks. */
void vc4vk_report_address(struct vc4vk_device *device, VkObjectType type, uint64_t handle,
                          const struct vc4vk_address_range *range, VkDeviceAddressBindingTypeEXT binding);
/* The address of memory for programs; 0: it has none. */
uint64_t vc4vk_memory_address(const struct vc4vk_memory *memory);

/* All memory objects. Programs with addresses may access those to which buffers with the usage SHADER_DEVICE_ADDRESS
 * are bound, or once were. Programs that read descriptors in memory of sets may access all of them. */
struct vc4vk_addressed_memory {
    pthread_mutex_t mutex;
    struct util_list list; /* of vc4vk_memory.address_link */
};

void vc4vk_addressed_memory_init(struct vc4vk_addressed_memory *addressed);
void vc4vk_addressed_memory_finish(struct vc4vk_addressed_memory *addressed);
/* Adds a new memory object. */
void vc4vk_addressed_memory_add(struct vc4vk_device *device, struct vc4vk_memory *memory);
/* A buffer with an address is bound to the memory. */
void vc4vk_addressed_memory_bind(struct vc4vk_device *device, struct vc4vk_memory *memory);
/* Called before the memory is freed. */
void vc4vk_addressed_memory_remove(struct vc4vk_device *device, struct vc4vk_memory *memory);
/* Calls `use` with each BO, or only with those that have addresses, under the lock, so that it can take a reference. A
 * BO may come several times. */
void vc4vk_addressed_memory_for_each(struct vc4vk_device *device, bool has_addresses,
                                     void (*use)(void *data, struct kmd_bo *bo), void *data);

/* The place of an address for programs: a BO, the offset in it, and where the memory object ends in the BO. */
struct vc4vk_memory_place {
    struct kmd_bo *bo;
    uint32_t offset_B, end_B;
};
/* Finds the memory object with the address and takes a reference of its BO. False, with `out` zeroed: there is none. */
bool vc4vk_addressed_memory_find(struct vc4vk_device *device, uint64_t address,
                                 struct vc4vk_memory_place *out) UTIL_MUST_CHECK;

#endif
