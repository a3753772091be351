/* SPDX-License-Identifier: MIT
 *
 * Enumerates the supported rows of an extension list and enables rows by name.
 */
#include <string.h>
#include "device/vc4vk_error.h"
#include "device/vc4vk_extension_list.h"

VkResult vc4vk_extension_list_enumerate(const struct vc4vk_extension_list *list, uint32_t *count,
                                        VkExtensionProperties *properties)
{
    uint32_t total = 0, capacity = properties ? *count : 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!list->supported[i])
            continue;
        if (total < capacity)
            properties[total] = list->properties[i];
        total++;
    }
    *count = properties ? MIN2(capacity, total) : total;
    return properties && capacity < total ? VK_INCOMPLETE : VK_SUCCESS;
}

VkResult vc4vk_extension_list_enable(const struct vc4vk_extension_list *list, uint32_t name_count,
                                     const char *const *names, const char *of, bool *enabled)
{
    for (uint32_t n = 0; n < name_count; n++) {
        uint32_t i = 0;
        while (i < list->count && (!list->supported[i] || strcmp(list->properties[i].extensionName, names[n])))
            i++;
        if (i == list->count)
            return vc4vk_errorf(NULL, VK_ERROR_EXTENSION_NOT_PRESENT, "%s: extension %s is not supported", of,
                                names[n]);
        enabled[i] = true;
    }
    return VK_SUCCESS;
}
