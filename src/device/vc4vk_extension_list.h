/* SPDX-License-Identifier: MIT
 *
 * Lists of extensions, shared by instance and device: enumerates the rows of vc4vk_extensions.h and enables extensions
 * by name.
 */
#ifndef DEVICE_VC4VK_EXTENSION_LIST_H
#define DEVICE_VC4VK_EXTENSION_LIST_H

#include <vulkan/vulkan.h>
#include "util/macros.h"

struct vc4vk_extension_list {
    const VkExtensionProperties *properties;
    const bool *supported; /* per row */
    uint32_t count;
};

VkResult vc4vk_extension_list_enumerate(const struct vc4vk_extension_list *list, uint32_t *count,
                                        VkExtensionProperties *properties);

/* Sets enabled[row] for each name. Returns VK_ERROR_EXTENSION_NOT_PRESENT for a name that is not supported. `of`
 * ("instance", "device") begins the error message. */
VkResult vc4vk_extension_list_enable(const struct vc4vk_extension_list *list, uint32_t name_count,
                                     const char *const *names, const char *of, bool *enabled);

#endif
