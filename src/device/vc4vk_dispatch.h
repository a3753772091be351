/* SPDX-License-Identifier: MIT
 *
 * The generated table of entry points, from which vkGet*ProcAddr answers. Whether an instance or a device sees a name
 * depends on the core version and on the extensions that the application enabled.
 */
#ifndef DEVICE_VC4VK_DISPATCH_H
#define DEVICE_VC4VK_DISPATCH_H

#include <stdatomic.h>
#include "device/vc4vk_device.h"

enum vc4vk_level { VC4VK_LEVEL_GLOBAL, VC4VK_LEVEL_INSTANCE, VC4VK_LEVEL_PHYSICAL_DEVICE, VC4VK_LEVEL_DEVICE };
enum vc4vk_gate { VC4VK_GATE_CORE, VC4VK_GATE_INSTANCE, VC4VK_GATE_DEVICE };

#define VC4VK_GATE_KEYS 3u

struct vc4vk_entrypoint {
    const char *name;
    PFN_vkVoidFunction function;
    PFN_vkVoidFunction reporting_wrapper; /* with VK_EXT_debug_utils: calls `function`, then delivers its messages */
    uint8_t level;                        /* enum vc4vk_level; the type of the first argument decides */
    uint8_t gate;                         /* enum vc4vk_gate */
    /* Core: the minor version of Vulkan 1. Else one for each extension that provides the command: the offset in B of
     * its bool in struct vc4vk_instance_extensions or vc4vk_device_extensions. */
    uint16_t gate_keys[VC4VK_GATE_KEYS];
    uint8_t gate_key_count;
};

/* ORDER: sorted by name. */
extern const struct vc4vk_entrypoint vc4vk_entrypoints[];
extern const uint32_t vc4vk_entrypoint_count;

/* NULL for a name that this driver does not know. */
const struct vc4vk_entrypoint *vc4vk_entrypoint_lookup(const char *name);

/* vc4vk_domain_of_*: the log domain whose messengers receive the messages of a call with this first argument. */
static inline struct util_log_domain *vc4vk_domain_of_VkInstance(VkInstance instance)
{
    return instance ? vc4vk_instance_from_handle(instance)->log : NULL;
}

static inline struct util_log_domain *vc4vk_domain_of_VkPhysicalDevice(VkPhysicalDevice physical)
{
    return vc4vk_physical_device_from_handle(physical)->instance->log;
}

static inline struct util_log_domain *vc4vk_domain_of_VkDevice(VkDevice device)
{
    return device ? vc4vk_device_from_handle(device)->physical->instance->log : NULL;
}

static inline struct util_log_domain *vc4vk_domain_of_VkQueue(VkQueue queue)
{
    return vc4vk_device_from_queue(vc4vk_queue_from_handle(queue))->physical->instance->log;
}

/* Recording commands are called often and rarely log anything, so they are only wrapped while messengers exist. They
 * start no threads that would need the domain. */
static inline struct util_log_domain *vc4vk_domain_of_VkCommandBuffer(VkCommandBuffer cmd)
{
    struct util_log_domain *domain = ((const struct vc4vk_recorded *)cmd)->log;
    return util_log_has_listeners(domain) ? domain : NULL;
}

/* Called by the weak stub of an unimplemented entry point. Warns once per entry point, under VC4VK_DEBUG=perf. */
void vc4vk_unimplemented(const char *name, atomic_flag *was_reported);

#endif
