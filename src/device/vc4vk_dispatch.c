/* SPDX-License-Identifier: MIT
 *
 * vkGetInstanceProcAddr, vkGetDeviceProcAddr, and the three symbols that the loader looks for in the library.
 */
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_dispatch.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"
#include "device/vc4vk_test_hooks.h"
#include "util/debug.h"
#include "util/log.h"

#define EXPORT __attribute__((visibility("default")))

/* Versions of the loader interface that the driver implements. From version 5 on the loader checks the API version
 * [LoaderDriverInterface.md]. Loaders down to version 2 need no other behaviour from the driver. */
#define LOADER_INTERFACE_MIN 2u
#define LOADER_INTERFACE_MAX 5u

static int compare_name(const void *name, const void *entry)
{
    return strcmp(name, ((const struct vc4vk_entrypoint *)entry)->name);
}

const struct vc4vk_entrypoint *vc4vk_entrypoint_lookup(const char *name)
{
    return bsearch(name, vc4vk_entrypoints, vc4vk_entrypoint_count, sizeof *vc4vk_entrypoints, compare_name);
}

void vc4vk_unimplemented(const char *name, atomic_flag *was_reported)
{
    if (!atomic_flag_test_and_set(was_reported) && util_debug(UTIL_DEBUG_PERF))
        util_warn("%s is not implemented yet", name);
}

/* Whether `extensions` has one that provides the command. */
static bool is_provided(const struct vc4vk_entrypoint *entry, const void *extensions)
{
    bool is = false;
    for (uint32_t i = 0; i < entry->gate_key_count; i++)
        is |= *((const bool *)extensions + entry->gate_keys[i] / sizeof(bool));
    return is;
}

/* Commands of a core version exist when both the application and the driver have that version. */
static bool has_core(const struct vc4vk_instance *instance, uint32_t minor)
{
    const uint32_t needed = VK_MAKE_API_VERSION(0, 1, minor, 0);
    return !minor || (instance->api_version >= needed && (minor <= 3 || vc4vk_api_version() >= needed));
}

/* Device functions of an extension are visible from an instance when the driver supports the extension. */
static bool is_visible_from_instance(const struct vc4vk_entrypoint *entry, const struct vc4vk_instance *instance)
{
    static const struct vc4vk_device_extensions supported = {
#define X(name, version, supported) .name = supported,
        VC4VK_DEVICE_EXTENSIONS(X)
#undef X
    };
    switch ((enum vc4vk_gate)entry->gate) {
    case VC4VK_GATE_CORE:
        return has_core(instance, entry->gate_keys[0]);
    case VC4VK_GATE_INSTANCE:
        return is_provided(entry, &instance->enabled);
    case VC4VK_GATE_DEVICE:
        return is_provided(entry, &supported);
    }
    return false;
}

static PFN_vkVoidFunction function_for(const struct vc4vk_entrypoint *entry, const struct vc4vk_instance *instance)
{
    return instance->enabled.EXT_debug_utils ? entry->reporting_wrapper : entry->function;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vc4vk_GetInstanceProcAddr(VkInstance _instance, const char *pName)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    const struct vc4vk_entrypoint *entry = pName ? vc4vk_entrypoint_lookup(pName) : NULL;
    if (!entry)
        return NULL;
    if (entry->level == VC4VK_LEVEL_GLOBAL)
        return entry->function;
    return instance && is_visible_from_instance(entry, instance) ? function_for(entry, instance) : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vc4vk_GetDeviceProcAddr(VkDevice _device, const char *pName)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    if (!device || !pName)
        return NULL;
    const struct vc4vk_entrypoint *entry = vc4vk_entrypoint_lookup(pName);
    if (!entry)
        return vc4vk_test_hook_lookup(pName);
    if (entry->level != VC4VK_LEVEL_DEVICE)
        return NULL;
    if (entry->gate == VC4VK_GATE_CORE && !has_core(device->physical->instance, entry->gate_keys[0]))
        return NULL;
    if (entry->gate == VC4VK_GATE_INSTANCE && !is_provided(entry, &device->physical->instance->enabled))
        return NULL;
    if (entry->gate == VC4VK_GATE_DEVICE && !is_provided(entry, &device->enabled))
        return NULL;
    return function_for(entry, device->physical->instance);
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *pVersion)
{
    if (*pVersion < LOADER_INTERFACE_MIN)
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    *pVersion = MIN2(*pVersion, LOADER_INTERFACE_MAX);
    return VK_SUCCESS;
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *pName)
{
    return vc4vk_GetInstanceProcAddr(instance, pName);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance _instance, const char *pName)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    const struct vc4vk_entrypoint *entry = pName ? vc4vk_entrypoint_lookup(pName) : NULL;
    if (!instance || !entry || entry->level != VC4VK_LEVEL_PHYSICAL_DEVICE)
        return NULL;
    return is_visible_from_instance(entry, instance) ? function_for(entry, instance) : NULL;
}
