/* SPDX-License-Identifier: MIT
 *
 * Sparse buffers and images, and vkQueueBindSparse. A batch becomes one command of the copy engine, which comes after
 * everything that was submitted to its queue before. It is checked and allocated as a whole before it is submitted.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_sparse.h"

/* -- address ranges ----------------------------------------------------------------------------------------------- */

VkBufferCreateFlags vc4vk_sparse_buffer_flags(const struct vc4vk_device *device)
{
    return (device->features.sparseBinding ? VK_BUFFER_CREATE_SPARSE_BINDING_BIT : 0u) |
           (device->features.sparseResidencyBuffer ? VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT : 0u) |
           (device->features.sparseResidencyAliased ? VK_BUFFER_CREATE_SPARSE_ALIASED_BIT : 0u);
}

static uint32_t block_B(const struct vc4vk_device *device)
{
    return device->physical->kmd.info.sparse_block_B;
}

void vc4vk_sparse_round_requirements(const struct vc4vk_device *device, VkMemoryRequirements *requirements)
{
    requirements->size = util_align64(requirements->size, block_B(device));
    requirements->alignment = MAX2(requirements->alignment, (VkDeviceSize)block_B(device));
}

/* Counts the size against sparseAddressSpaceSize. */
static bool count_space(struct vc4vk_device *device, uint64_t size_B)
{
    uint64_t used_B = atomic_load_explicit(&device->sparse_B, memory_order_relaxed);
    do {
        if (size_B > VC4VK_MAX_SPARSE_B - used_B)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&device->sparse_B, &used_B, used_B + size_B, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static VkResult create_bo(struct vc4vk_device *device, const struct vc4vk_sparse_info *info, uint64_t size_B,
                          struct kmd_bo **out)
{
    const int err =
        info->address > UINT32_MAX
            ? -EADDRINUSE
            : kmd_bo_create_sparse(device->kmd, size_B, info->is_replayable ? KMD_PLACE_REPLAY : KMD_PLACE_MEMORY,
                                   (uint32_t)info->address, "sparse", out);
    if (err == -EADDRINUSE)
        return vc4vk_errorf(device, VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS,
                            "sparse resource of %" PRIu64 " B: address 0x%" PRIx64 " is not free", size_B,
                            info->address);
    if (err)
        return vc4vk_errorf(device, vc4vk_result_from_errno(err),
                            "sparse resource of %" PRIu64 " B: %s (addresses, or mappings of the process: "
                            "vm.max_map_count)",
                            size_B, strerror(-err));
    return VK_SUCCESS;
}

VkResult vc4vk_sparse_create(struct vc4vk_device *device, const struct vc4vk_sparse_info *info,
                             const VkAllocationCallbacks *alloc, struct vc4vk_memory **out)
{
    const uint64_t size_B = info->size_B <= VC4VK_MAX_SPARSE_B ? util_align64(info->size_B, block_B(device)) : 0;
    if (!size_B || !count_space(device, size_B))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                            "sparse resource of %" PRIu64 " B: all of them together may have %" PRIu64
                            " B (sparseAddressSpaceSize)",
                            info->size_B, VC4VK_MAX_SPARSE_B);
    struct vc4vk_memory *range = vc4vk_new(alloc, struct vc4vk_memory, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    VkResult result = range ? create_bo(device, info, size_B, &range->part.bo) : vc4vk_oom(device);
    if (result != VK_SUCCESS) {
        vc4vk_free(alloc, range);
        atomic_fetch_sub_explicit(&device->sparse_B, size_B, memory_order_relaxed);
        return result;
    }
    vc4vk_object_init(&range->base, VK_OBJECT_TYPE_DEVICE_MEMORY);
    range->size_B = size_B;
    range->part.size_B = (uint32_t)size_B;
    range->map = kmd_part_map(&range->part);
    vc4vk_addressed_memory_add(device, range);
    *out = range;
    return VK_SUCCESS;
}

void vc4vk_sparse_destroy(struct vc4vk_device *device, struct vc4vk_memory *range, const VkAllocationCallbacks *alloc)
{
    if (!range)
        return;
    vc4vk_addressed_memory_remove(device, range);
    kmd_part_destroy(&range->part);
    atomic_fetch_sub_explicit(&device->sparse_B, range->size_B, memory_order_relaxed);
    vc4vk_free(alloc, range);
}

/* -- batches ------------------------------------------------------------------------------------------------------ */

#define PAGE_B 4096u /* kmd_bo_bind_sparse() takes whole pages */

/* One mapping. */
struct bind {
    struct kmd_bo *bo; /* of the resource; referenced, as the memory is */
    uint32_t offset_B, size_B;
    struct kmd_bo *memory; /* NULL: unbound */
    uint32_t memory_offset_B;
};

/* The work of a batch: a command of the copy engine, which frees it. */
struct batch {
    struct vc4vk_cpu_op op;
    struct vc4vk_device *device;
    uint32_t bind_count;
    struct bind binds[];
};

/* About the bytes that are copied in the time of a bind. */
#define BIND_COST_B 16384u

static VkResult run_batch(void *arguments)
{
    const struct batch *batch = arguments;
    for (uint32_t i = 0; i < batch->bind_count; i++) {
        const struct bind *bind = &batch->binds[i];
        const int err = kmd_bo_bind_sparse(bind->bo, bind->offset_B, bind->size_B, bind->memory, bind->memory_offset_B);
        if (err)
            return vc4vk_errorf(batch->device, vc4vk_result_from_errno(err),
                                "sparse binding of %u B at offset %u: %s (vm.max_map_count limits the mappings of the "
                                "process)",
                                bind->size_B, bind->offset_B, strerror(-err));
    }
    return VK_SUCCESS;
}

static void destroy_batch(struct batch *batch)
{
    for (uint32_t i = 0; batch && i < batch->bind_count; i++) {
        kmd_bo_unref(batch->binds[i].bo);
        kmd_bo_unref(batch->binds[i].memory);
    }
    vc4vk_free(VC4VK_ALLOC_INTERNAL, batch);
}

static void release_batch(struct vc4vk_cpu_op *op)
{
    destroy_batch(container_of(op, struct batch, op));
}

/* Whether `next` continues the bind, so that one mapping does for both. */
static bool continues(const struct bind *bind, const struct bind *next)
{
    return next->bo == bind->bo && next->memory == bind->memory && next->offset_B == bind->offset_B + bind->size_B &&
           (!next->memory || next->memory_offset_B == bind->memory_offset_B + bind->size_B);
}

static void append(struct batch *batch, const struct bind *next)
{
    struct bind *last = batch->bind_count ? &batch->binds[batch->bind_count - 1] : NULL;
    if (last && continues(last, next)) {
        last->size_B += next->size_B;
        return;
    }
    kmd_bo_ref(next->bo);
    if (next->memory)
        kmd_bo_ref(next->memory);
    batch->binds[batch->bind_count++] = *next;
}

/* `size_B` of the resource itself: its last block may be bound in part. */
static VkResult check_range(struct vc4vk_device *device, const VkSparseMemoryBind *bind,
                            const struct vc4vk_memory *range, uint64_t size_B)
{
    if (bind->resourceOffset > range->size_B || bind->size > range->size_B - bind->resourceOffset)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "sparse binding: %" PRIu64 " B at offset %" PRIu64 " exceed the resource of %" PRIu64 " B",
                            bind->size, bind->resourceOffset, range->size_B);
    const bool is_end = bind->resourceOffset + bind->size >= size_B;
    if (bind->resourceOffset % block_B(device) || (!is_end && bind->size % block_B(device)))
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "sparse binding: offset %" PRIu64 " or size %" PRIu64 " is not a multiple of %u",
                            bind->resourceOffset, bind->size, block_B(device));
    return VK_SUCCESS;
}

static VkResult check_memory(struct vc4vk_device *device, const VkSparseMemoryBind *bind,
                             const struct vc4vk_memory *memory)
{
    VkResult result = vc4vk_memory_check_binding(device, memory, bind->memoryOffset, bind->size, block_B(device));
    if (result == VK_SUCCESS && memory->is_host)
        result = vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                              "sparse binding: memory imported from a host pointer cannot be bound");
    return result;
}

static VkResult append_binds(struct batch *batch, const struct vc4vk_memory *range, uint64_t size_B, uint32_t count,
                             const VkSparseMemoryBind *binds)
{
    struct vc4vk_device *device = batch->device;
    if (!range)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "sparse binding: the resource is not sparse");
    for (uint32_t i = 0; i < count; i++) {
        const VkSparseMemoryBind *in = &binds[i];
        VC4VK_FROM_HANDLE(vc4vk_memory, memory, in->memory);
        VkResult result = check_range(device, in, range, size_B);
        if (result == VK_SUCCESS && memory)
            result = check_memory(device, in, memory);
        if (result != VK_SUCCESS)
            return result;
        if (!in->size)
            continue;
        append(batch, &(struct bind){
                          .bo = range->part.bo,
                          .offset_B = (uint32_t)in->resourceOffset,
                          .size_B = (uint32_t)util_align64(in->size, PAGE_B),
                          .memory = memory ? memory->part.bo : NULL,
                          .memory_offset_B = memory ? memory->part.offset_B + (uint32_t)in->memoryOffset : 0,
                      });
    }
    return VK_SUCCESS;
}

static VkResult fill_batch(struct batch *batch, const VkBindSparseInfo *info)
{
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < info->bufferBindCount && result == VK_SUCCESS; i++) {
        const VkSparseBufferMemoryBindInfo *of = &info->pBufferBinds[i];
        VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, of->buffer);
        result =
            append_binds(batch, buffer ? buffer->sparse : NULL, buffer ? buffer->size_B : 0, of->bindCount, of->pBinds);
    }
    for (uint32_t i = 0; i < info->imageOpaqueBindCount && result == VK_SUCCESS; i++) {
        const VkSparseImageOpaqueMemoryBindInfo *of = &info->pImageOpaqueBinds[i];
        VC4VK_FROM_HANDLE(vc4vk_image, image, of->image);
        result =
            append_binds(batch, image ? image->sparse : NULL, image ? image->size_B : 0, of->bindCount, of->pBinds);
    }
    for (uint32_t i = 0; i < info->imageBindCount && result == VK_SUCCESS; i++)
        if (info->pImageBinds[i].bindCount)
            result = vc4vk_errorf(batch->device, VK_ERROR_UNKNOWN,
                                  "sparse binding: images have no residency (sparseResidencyImage2D), so their texels "
                                  "cannot be bound");
    return result;
}

/* NULL in `out`: the batch binds nothing. */
static VkResult create_batch(struct vc4vk_device *device, const VkBindSparseInfo *info, struct vc4vk_command **out)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < info->bufferBindCount; i++)
        count += info->pBufferBinds[i].bindCount;
    for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++)
        count += info->pImageOpaqueBinds[i].bindCount;
    for (uint32_t i = 0; i < info->imageBindCount; i++)
        count += info->pImageBinds[i].bindCount;
    *out = NULL;
    if (!count)
        return VK_SUCCESS;
    struct batch *batch = NULL;
    if (count <= (SIZE_MAX - sizeof *batch) / sizeof batch->binds[0])
        batch = vc4vk_alloc(VC4VK_ALLOC_INTERNAL, sizeof *batch + (size_t)count * sizeof batch->binds[0],
                            VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!batch)
        return vc4vk_oom(device);
    *batch = (struct batch){.device = device};
    vc4vk_cpu_op_init(&batch->op, VC4VK_ENGINE_COPY, "bind sparse memory", run_batch, batch);
    batch->op.release = release_batch;
    VkResult result = fill_batch(batch, info);
    if (result != VK_SUCCESS) {
        destroy_batch(batch);
        return result;
    }
    batch->op.work_B = MAX2((uint64_t)batch->bind_count, 1u) * BIND_COST_B;
    *out = &batch->op.command;
    return VK_SUCCESS;
}

static void destroy_command(struct vc4vk_command *command)
{
    if (command)
        destroy_batch(container_of(command, struct batch, op.command));
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_QueueBindSparse(VkQueue _queue, uint32_t bindInfoCount,
                                                     const VkBindSparseInfo *pBindInfo, VkFence fence)
{
    struct vc4vk_queue *queue = vc4vk_queue_from_handle(_queue);
    struct vc4vk_device *device = vc4vk_device_from_queue(queue);
    struct vc4vk_command **commands =
        vc4vk_zalloc(VC4VK_ALLOC_INTERNAL, MAX2(bindInfoCount, 1u) * sizeof(struct vc4vk_command *),
                     VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!commands)
        return vc4vk_oom(device);
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < bindInfoCount && result == VK_SUCCESS; i++)
        result = create_batch(device, &pBindInfo[i], &commands[i]);
    if (result == VK_SUCCESS)
        result = vc4vk_queue_bind_sparse(queue, bindInfoCount, pBindInfo, commands, fence);
    for (uint32_t i = 0; i < bindInfoCount && result != VK_SUCCESS; i++)
        destroy_command(commands[i]);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, commands);
    return result;
}
