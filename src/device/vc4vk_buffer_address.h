/* SPDX-License-Identifier: MIT
 *
 * Addresses of buffers, for programs that access memory through them. The address of a buffer is the one at which the
 * CPU engine sees its memory. It fits 32 bits; the upper word is 0.
 */
#ifndef DEVICE_VC4VK_BUFFER_ADDRESS_H
#define DEVICE_VC4VK_BUFFER_ADDRESS_H

#include <pthread.h>
#include "kmd/kmd.h"
#include "util/list.h"

struct vc4vk_device;
struct vc4vk_memory;

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

#endif
