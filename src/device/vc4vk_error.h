/* SPDX-License-Identifier: MIT
 *
 * Error reporting. An error is logged once, where it is detected: vc4vk_errorf logs file, line, the Vulkan name of the
 * code and the reason, and returns the code. Callers pass the code on unchanged.
 *
 * Results that an application may provoke on purpose (a query of an unsupported format, a time-out) are not errors and
 * are not logged.
 */
#ifndef DEVICE_VC4VK_ERROR_H
#define DEVICE_VC4VK_ERROR_H

#include <vulkan/vulkan.h>
#include "util/macros.h"

/* Logged as "what: reason (VK_ERROR_...) [file:line]". `object` is any driver object or NULL. Returns `result`. */
VkResult vc4vk_error_at(const char *file, int line, const void *object, VkResult result, const char *fmt, ...)
    UTIL_PRINTF(5, 6);
#define vc4vk_errorf(object, result, ...) vc4vk_error_at(__FILE__, __LINE__, object, result, __VA_ARGS__)

/* Host memory ran out. */
#define vc4vk_oom(object) vc4vk_errorf(object, VK_ERROR_OUT_OF_HOST_MEMORY, "%s: out of host memory", __func__)

const char *vc4vk_result_name(VkResult result);

/* Translates a negative or positive errno: ENOMEM and ENOSPC mean out of device memory, EMFILE and ENFILE too many
 * objects, and anything else (EIO, EINVAL, ...) a lost device. */
VkResult vc4vk_result_from_errno(int err);

#endif
