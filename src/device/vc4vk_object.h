/* SPDX-License-Identifier: MIT
 *
 * The base struct of the driver's Vulkan objects, and the casts between handles and objects.
 *
 * The first word belongs to the loader: in dispatchable objects (instance, physical device, device, queue, command
 * buffer) it checks the magic number and then writes its dispatch table there [LoaderDriverInterface.md]. Objects of
 * the queue module (queues, fences, semaphores, events) have base structs of their own.
 */
#ifndef DEVICE_VC4VK_OBJECT_H
#define DEVICE_VC4VK_OBJECT_H

#include <stdatomic.h>
#include <vulkan/vulkan.h>
#include <vulkan/vk_icd.h>
#include "queue/vc4vk_handle.h"
#include "util/macros.h"

struct vc4vk_object {
    VK_LOADER_DATA loader;
    VkObjectType type;
    vc4vk_private_number private_number;
};

static inline void vc4vk_object_init(struct vc4vk_object *object, VkObjectType type)
{
    set_loader_magic_value(&object->loader);
    object->type = type;
    atomic_init(&object->private_number, 0);
}

/* Defines NAME_from_handle (NULL for VK_NULL_HANDLE, asserts the type) and NAME_to_handle. struct NAME must begin with
 * `struct vc4vk_object base`. VC4VK_FROM_HANDLE(name, var, handle) declares a variable. */
#define VC4VK_DEFINE_HANDLE(name, VkType, object_type)                                                                 \
    static inline struct name *name##_from_handle(VkType handle)                                                       \
    {                                                                                                                  \
        struct vc4vk_object *object = (struct vc4vk_object *)(uintptr_t)handle;                                        \
        assert(!object || object->type == (object_type));                                                              \
        return (struct name *)object;                                                                                  \
    }                                                                                                                  \
    static inline VkType name##_to_handle(const struct name *object)                                                   \
    {                                                                                                                  \
        return (VkType)(uintptr_t)object;                                                                              \
    }

/* Walks a pNext chain: the struct of this type, or NULL. */
static inline const void *vc4vk_find_in_chain(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

#define vc4vk_for_each_in_chain(s, chain) for (VkBaseOutStructure *s = (void *)(chain); s; s = s->pNext)

#endif
