/* SPDX-License-Identifier: MIT
 *
 * Errors are noticed once, where they happen: vc4vk_errorf logs file, line, the Vulkan name of the code and the reason,
 * and returns the code, which travels up unchanged.
 *
 * What an application may run into on purpose (a query of an unsupported format, a time-out) is no error and is not
 * logged.
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

/* A negative or positive errno as a VkResult: ENOMEM is out of device memory, EIO, EINVAL and the rest a lost device.
 */
VkResult vc4vk_result_from_errno(int err);

#endif
