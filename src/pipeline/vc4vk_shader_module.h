/* SPDX-License-Identifier: MIT
 *
 * Shader modules. The checked SPIR-V is reference-counted separately: pipelines keep it to compile variants after the
 * application has destroyed the module.
 */
#ifndef UTIL_SHADER_MODULE_H
#define UTIL_SHADER_MODULE_H

#include <stdatomic.h>
#include "compiler/vc4c.h"
#include "device/vc4vk_device.h"
#include "util/digest.h"

struct vc4vk_spirv {
    _Atomic uint32_t refs;
    struct vc4vk_util_alloc alloc; /* the device's callbacks, because it may outlive the module object */
    struct vc4c_module *module;
    struct util_digest digest; /* of the SPIR-V words; identifies the module in cache keys */
};

struct vc4vk_shader_module {
    struct vc4vk_object base;
    struct vc4vk_spirv *spirv;
};

VC4VK_DEFINE_HANDLE(vc4vk_shader_module, VkShaderModule, VK_OBJECT_TYPE_SHADER_MODULE)

/* Creates an object with one reference. VK_ERROR_INVALID_SHADER_NV when the words are not valid SPIR-V. */
VkResult vc4vk_spirv_create(struct vc4vk_device *device, const uint32_t *words, size_t size_B,
                            struct vc4vk_spirv **out);

static inline struct vc4vk_spirv *vc4vk_spirv_ref(struct vc4vk_spirv *spirv)
{
    atomic_fetch_add_explicit(&spirv->refs, 1, memory_order_relaxed);
    return spirv;
}

void vc4vk_spirv_unref(struct vc4vk_spirv *spirv); /* NULL is accepted */

/* The SPIR-V of a stage, with a new reference: of its module, or of the VkShaderModuleCreateInfo in its chain. */
VkResult vc4vk_stage_spirv(struct vc4vk_device *device, const VkPipelineShaderStageCreateInfo *info,
                           struct vc4vk_spirv **out);

/* Translates a compiler result to a VkResult, and logs errors with the compiler's message. `what` names the object. */
VkResult vc4vk_compiler_error(const void *object, enum vc4c_result result, const struct vc4c_error *error,
                              const char *what);

#endif
