/* SPDX-License-Identifier: MIT
 *
 * Logs errors, names VkResult codes and translates errno values.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "device/vc4vk_error.h"
#include "util/log.h"

const char *vc4vk_result_name(VkResult result)
{
#define NAME(code)                                                                                                     \
    case code:                                                                                                         \
        return #code
    switch (result) {
        NAME(VK_SUCCESS);
        NAME(VK_NOT_READY);
        NAME(VK_TIMEOUT);
        NAME(VK_EVENT_SET);
        NAME(VK_EVENT_RESET);
        NAME(VK_INCOMPLETE);
        NAME(VK_SUBOPTIMAL_KHR);
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
        NAME(VK_ERROR_INITIALIZATION_FAILED);
        NAME(VK_ERROR_DEVICE_LOST);
        NAME(VK_ERROR_MEMORY_MAP_FAILED);
        NAME(VK_ERROR_LAYER_NOT_PRESENT);
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
        NAME(VK_ERROR_FEATURE_NOT_PRESENT);
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
        NAME(VK_ERROR_TOO_MANY_OBJECTS);
        NAME(VK_ERROR_FORMAT_NOT_SUPPORTED);
        NAME(VK_ERROR_FRAGMENTED_POOL);
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY);
        NAME(VK_ERROR_SURFACE_LOST_KHR);
        NAME(VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
        NAME(VK_ERROR_OUT_OF_DATE_KHR);
        NAME(VK_ERROR_INVALID_SHADER_NV);
        NAME(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS);
        NAME(VK_ERROR_UNKNOWN);
    default:
        return "a VkResult";
    }
#undef NAME
}

VkResult vc4vk_error_at(const char *file, int line, const void *object, VkResult result, const char *fmt, ...)
{
    char text[512];
    va_list va;
    va_start(va, fmt);
    vsnprintf(text, sizeof text, fmt, va);
    va_end(va);
    const char *slash = strrchr(file, '/');
    if (object)
        util_error("%s (%s, object %p) [%s:%d]", text, vc4vk_result_name(result), object, slash ? slash + 1 : file,
                   line);
    else
        util_error("%s (%s) [%s:%d]", text, vc4vk_result_name(result), slash ? slash + 1 : file, line);
    return result;
}

VkResult vc4vk_result_from_errno(int err)
{
    switch (err < 0 ? -err : err) {
    case 0:
        return VK_SUCCESS;
    case ENOMEM:
    case ENOSPC:
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    case EMFILE:
    case ENFILE:
        return VK_ERROR_TOO_MANY_OBJECTS;
    default:
        return VK_ERROR_DEVICE_LOST;
    }
}
