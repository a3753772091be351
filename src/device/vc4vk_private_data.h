/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_private_data: 64 bits for each object in each slot.
 *
 * An object gets a number when data is first set for it, and slots map numbers to data. A new object has no number, so
 * that it never has the data of one that was destroyed, wherever it lies.
 */
#ifndef DEVICE_VC4VK_PRIVATE_DATA_H
#define DEVICE_VC4VK_PRIVATE_DATA_H

#include <pthread.h>
#include <stdatomic.h>
#include "device/vc4vk_object.h"
#include "util/list.h"

struct vc4vk_device;

struct vc4vk_private_slots {
    pthread_mutex_t lock;
    struct util_list slots; /* of vc4vk_private_slot.link; under the lock */
    uint32_t last_number;   /* of an object; under the lock */
};

void vc4vk_private_slots_init(struct vc4vk_private_slots *slots);
void vc4vk_private_slots_finish(struct vc4vk_private_slots *slots);

void vc4vk_private_data_drop(struct vc4vk_device *device, uint32_t number);

/* For a destroyed object: frees what the slots hold for it. Where this is not called, that is freed with the slot. */
static inline void vc4vk_private_data_forget(struct vc4vk_device *device, vc4vk_private_number *number)
{
    const uint32_t value = atomic_load_explicit(number, memory_order_relaxed);
    if (value)
        vc4vk_private_data_drop(device, value);
}

#endif
