/* SPDX-License-Identifier: MIT
 *
 * Creates compute pipelines: one stage, compiled for the CPU engine (docs/cpu-engine.md).
 */
#include "device/vc4vk_entrypoints_gen.h"
#include "pipeline/vc4vk_pipeline.h"
#include "pipeline/vc4vk_pipeline_cache.h"
#include "pipeline/vc4vk_pipeline_feedback.h"
#include "pipeline/vc4vk_pipeline_flags.h"
#include "util/thread.h"

static_assert(VC4VK_MAX_INVOCATIONS == VC4C_MAX_INVOCATIONS, "the compiler takes the workgroups that are reported");

static VkResult check_limits(struct vc4vk_device *device, const struct vc4c_interface *interface,
                             const struct vc4c_program *program)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    const uint32_t *size = interface->local_size;
    for (uint32_t i = 0; i < 3; i++)
        if (size[i] > limits->maxComputeWorkGroupSize[i])
            return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                                "compute pipeline: workgroup of %ux%ux%u, dimension %u is limited to %u", size[0],
                                size[1], size[2], i, limits->maxComputeWorkGroupSize[i]);
    if ((uint64_t)size[0] * size[1] * size[2] > limits->maxComputeWorkGroupInvocations)
        return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                            "compute pipeline: workgroup of %ux%ux%u, at most %u invocations are supported", size[0],
                            size[1], size[2], limits->maxComputeWorkGroupInvocations);
    if (program->shared_B > limits->maxComputeSharedMemorySize)
        return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                            "compute pipeline: %u B of shared memory, at most %u B are supported", program->shared_B,
                            limits->maxComputeSharedMemorySize);
    return VK_SUCCESS;
}

static VkResult check_resources(struct vc4vk_device *device, const struct vc4c_interface *interface)
{
    for (uint32_t i = 0; i < interface->resource_count; i++) {
        const struct vc4c_resource *r = &interface->resources[i];
        if (!r->count)
            return vc4vk_errorf(device, VK_ERROR_FEATURE_NOT_PRESENT,
                                "descriptor arrays without a size are not supported");
    }
    return VK_SUCCESS;
}

VkResult vc4vk_compute_pipeline_init(struct vc4vk_pipeline *pipeline, const VkComputePipelineCreateInfo *info)
{
    struct vc4vk_device *device = pipeline->device;
    struct vc4vk_pipeline_stage *stage = &pipeline->compute;
    struct vc4vk_state_pool *pool;
    struct vc4vk_classes classes;
    const struct vc4vk_variant *variant;
    VkResult result = vc4vk_device_state_pool(device, &pool);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_stage_init(device, stage, pipeline->store, &info->stage, pipeline->layout,
                                           info->pNext, NULL);
    if (result == VK_SUCCESS)
        result = check_resources(device, stage->interface);
    if (result == VK_SUCCESS)
        result = vc4vk_pipeline_stage_link(device, stage, pipeline->layout);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_pipeline_stage_default_classes(stage, pool, pipeline->layout, 0, &classes);
    result = vc4vk_pipeline_stage_variant(device, stage, pipeline->layout, &classes, false, &variant);
    return result == VK_SUCCESS ? check_limits(device, stage->interface, &variant->programs[0].program->compiled)
                                : result;
}

static VkResult create(struct vc4vk_pipeline *pipeline, const VkComputePipelineCreateInfo *info)
{
    const VkPipelineCreateFlags flags = vc4vk_pipeline_flags(info->flags, info->pNext);
    vc4vk_pipeline_set_must_hit(pipeline, flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT);
    const VkResult result = vc4vk_compute_pipeline_init(pipeline, info);
    vc4vk_pipeline_set_must_hit(pipeline, false);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateComputePipelines(VkDevice device_h, VkPipelineCache cache_h, uint32_t count,
                                                            const VkComputePipelineCreateInfo *infos,
                                                            const VkAllocationCallbacks *alloc, VkPipeline *out)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, device_h);
    VkResult all = VK_SUCCESS;
    bool goes_on = true;
    for (uint32_t i = 0; i < count; i++) { /* a failure does not affect the other pipelines */
        out[i] = VK_NULL_HANDLE;
        if (!goes_on)
            continue;
        struct vc4vk_pipeline *pipeline =
            vc4vk_pipeline_new(device, infos[i].layout, vc4vk_pipeline_cache_store(cache_h), alloc);
        const uint64_t start_ns = util_now_ns();
        VkResult result = pipeline ? create(pipeline, &infos[i]) : vc4vk_oom(device);
        vc4vk_pipeline_feedback(infos[i].pNext, result == VK_SUCCESS ? pipeline : NULL, start_ns, &infos[i].stage, 1);
        if (result == VK_SUCCESS)
            out[i] = vc4vk_pipeline_to_handle(pipeline);
        else if (pipeline)
            vc4vk_pipeline_free(pipeline, alloc);
        goes_on = vc4vk_pipeline_goes_on(result, vc4vk_pipeline_flags(infos[i].flags, infos[i].pNext), &all);
    }
    return all;
}
