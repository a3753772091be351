/* SPDX-License-Identifier: MIT
 *
 * Shader modules: creation, reference counting, and translation of compiler errors to VkResult.
 */
#include "pipeline/vc4vk_shader_module.h"
#include "device/vc4vk_entrypoints_gen.h"

VkResult vc4vk_compiler_error(const void *object, enum vc4c_result result, const struct vc4c_error *error,
                              const char *what)
{
    switch (result) {
    case VC4C_OK:
        return VK_SUCCESS;
    case VC4C_OUT_OF_MEMORY:
        return vc4vk_errorf(object, VK_ERROR_OUT_OF_HOST_MEMORY, "%s: out of host memory", what);
    case VC4C_INVALID:
        return vc4vk_errorf(object, VK_ERROR_INVALID_SHADER_NV, "%s: invalid SPIR-V at word %u: %s", what,
                            error->offset_words, error->text);
    case VC4C_UNSUPPORTED:
        return vc4vk_errorf(object, VK_ERROR_UNKNOWN, "%s: not supported yet: %s (word %u)", what, error->text,
                            error->offset_words);
    case VC4C_DOES_NOT_FIT:
        return vc4vk_errorf(object, VK_ERROR_UNKNOWN, "%s: does not fit the chip: %s", what, error->text);
    }
    return vc4vk_errorf(object, VK_ERROR_UNKNOWN, "%s: compiler result %d", what, (int)result);
}

VkResult vc4vk_spirv_create(struct vc4vk_device *device, const uint32_t *words, size_t size_B, struct vc4vk_spirv **out)
{
    struct vc4vk_spirv *spirv = vc4vk_new(device->alloc, struct vc4vk_spirv, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!spirv)
        return vc4vk_oom(device);
    atomic_init(&spirv->refs, 1);
    vc4vk_util_alloc_init(&spirv->alloc, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);

    struct vc4c_error error = {0};
    enum vc4c_result r = vc4c_module_create(words, size_B, &spirv->alloc.base, &spirv->module, &error);
    if (r != VC4C_OK) {
        vc4vk_free(device->alloc, spirv);
        return vc4vk_compiler_error(device, r, &error, "vkCreateShaderModule");
    }
    spirv->digest = util_digest_bytes(words, size_B);
    *out = spirv;
    return VK_SUCCESS;
}

void vc4vk_spirv_unref(struct vc4vk_spirv *spirv)
{
    if (!spirv || atomic_fetch_sub_explicit(&spirv->refs, 1, memory_order_acq_rel) != 1)
        return;
    const VkAllocationCallbacks *alloc = spirv->alloc.callbacks;
    vc4c_module_destroy(spirv->module);
    vc4vk_free(alloc, spirv);
}

VkResult vc4vk_stage_spirv(struct vc4vk_device *device, const VkPipelineShaderStageCreateInfo *info,
                           struct vc4vk_spirv **out)
{
    const struct vc4vk_shader_module *module = vc4vk_shader_module_from_handle(info->module);
    const VkShaderModuleCreateInfo *code =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (module)
        *out = vc4vk_spirv_ref(module->spirv);
    else if (code)
        return vc4vk_spirv_create(device, code->pCode, code->codeSize, out);
    else
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "shader stage 0x%x has neither a module nor SPIR-V in its chain",
                            info->stage);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateShaderModule(VkDevice device_h, const VkShaderModuleCreateInfo *info,
                                                        const VkAllocationCallbacks *alloc, VkShaderModule *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    struct vc4vk_shader_module *module = vc4vk_new(vc4vk_alloc_choose(device->alloc, alloc), struct vc4vk_shader_module,
                                                   VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!module)
        return vc4vk_oom(device);
    vc4vk_object_init(&module->base, VK_OBJECT_TYPE_SHADER_MODULE);
    VkResult result = vc4vk_spirv_create(device, info->pCode, info->codeSize, &module->spirv);
    if (result != VK_SUCCESS) {
        vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), module);
        return result;
    }
    *out = vc4vk_shader_module_to_handle(module);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyShaderModule(VkDevice device_h, VkShaderModule module_h,
                                                     const VkAllocationCallbacks *alloc)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VC4VK_FROM_HANDLE(vc4vk_shader_module, module, module_h);
    if (!module)
        return;
    vc4vk_spirv_unref(module->spirv);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, alloc), module);
}
