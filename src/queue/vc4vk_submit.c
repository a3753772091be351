/* SPDX-License-Identifier: MIT
 *
 * vkQueueSubmit and vkQueueBindSparse with the structs of Vulkan 1.0: they become those of VK_KHR_synchronization2. The
 * arrays lie on the stack unless a submission is unusually large.
 */
#include <stdlib.h>
#include "queue/vc4vk_queue.h"

/* Memory for the arrays of all batches of one submission. */
struct arrays {
    VkSubmitInfo2 *submits;
    VkSemaphoreSubmitInfo *semaphores;          /* the next free one */
    VkCommandBufferSubmitInfo *command_buffers; /* the same */
};

struct counts {
    uint32_t submits, semaphores, command_buffers;
};

#define STACK_SUBMITS         4u
#define STACK_SEMAPHORES      8u
#define STACK_COMMAND_BUFFERS 16u

static struct counts count(uint32_t submit_count, const VkSubmitInfo *submits)
{
    struct counts counts = {.submits = submit_count};
    for (uint32_t i = 0; i < submit_count; i++) {
        counts.semaphores += submits[i].waitSemaphoreCount + submits[i].signalSemaphoreCount;
        counts.command_buffers += submits[i].commandBufferCount;
    }
    return counts;
}

static const VkSemaphoreSubmitInfo *convert_semaphores(struct arrays *arrays, uint32_t count,
                                                       const VkSemaphore *semaphores,
                                                       const VkPipelineStageFlags *stages, uint32_t value_count,
                                                       const uint64_t *values)
{
    VkSemaphoreSubmitInfo *out = arrays->semaphores;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (VkSemaphoreSubmitInfo){
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
            .semaphore = semaphores[i],
            .value = i < value_count ? values[i] : 0,
            .stageMask = stages ? stages[i] : VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
        };
    arrays->semaphores += count;
    return out;
}

static const VkCommandBufferSubmitInfo *convert_command_buffers(struct arrays *arrays, uint32_t count,
                                                                const VkCommandBuffer *command_buffers)
{
    VkCommandBufferSubmitInfo *out = arrays->command_buffers;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (VkCommandBufferSubmitInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                             .commandBuffer = command_buffers[i]};
    arrays->command_buffers += count;
    return out;
}

static const VkTimelineSemaphoreSubmitInfo *values_of(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
            return (const VkTimelineSemaphoreSubmitInfo *)s;
    return NULL;
}

static VkSubmitInfo2 convert(struct arrays *arrays, const VkSubmitInfo *submit)
{
    const VkTimelineSemaphoreSubmitInfo *values = values_of(submit->pNext);
    return (VkSubmitInfo2){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .pNext = submit->pNext,
        .waitSemaphoreInfoCount = submit->waitSemaphoreCount,
        .pWaitSemaphoreInfos = convert_semaphores(
            arrays, submit->waitSemaphoreCount, submit->pWaitSemaphores, submit->pWaitDstStageMask,
            values ? values->waitSemaphoreValueCount : 0, values ? values->pWaitSemaphoreValues : NULL),
        .commandBufferInfoCount = submit->commandBufferCount,
        .pCommandBufferInfos = convert_command_buffers(arrays, submit->commandBufferCount, submit->pCommandBuffers),
        .signalSemaphoreInfoCount = submit->signalSemaphoreCount,
        .pSignalSemaphoreInfos = convert_semaphores(arrays, submit->signalSemaphoreCount, submit->pSignalSemaphores,
                                                    NULL, values ? values->signalSemaphoreValueCount : 0,
                                                    values ? values->pSignalSemaphoreValues : NULL),
    };
}

static VkResult convert_and_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                                   VkFence fence, struct arrays arrays)
{
    for (uint32_t i = 0; i < submit_count; i++)
        arrays.submits[i] = convert(&arrays, &submits[i]);
    return vc4vk_queue_submit2(queue, submit_count, arrays.submits, fence);
}

VkResult vc4vk_queue_submit(struct vc4vk_queue *queue, uint32_t submit_count, const VkSubmitInfo *submits,
                            VkFence fence)
{
    struct {
        VkSubmitInfo2 submits[STACK_SUBMITS];
        VkSemaphoreSubmitInfo semaphores[STACK_SEMAPHORES];
        VkCommandBufferSubmitInfo command_buffers[STACK_COMMAND_BUFFERS];
    } small;
    const struct counts n = count(submit_count, submits);
    if (n.submits <= STACK_SUBMITS && n.semaphores <= STACK_SEMAPHORES && n.command_buffers <= STACK_COMMAND_BUFFERS)
        return convert_and_submit(queue, submit_count, submits, fence,
                                  (struct arrays){small.submits, small.semaphores, small.command_buffers});
    const struct arrays large = {
        malloc(MAX2(n.submits, 1) * sizeof *large.submits),
        malloc(MAX2(n.semaphores, 1) * sizeof *large.semaphores),
        malloc(MAX2(n.command_buffers, 1) * sizeof *large.command_buffers),
    };
    const VkResult result = large.submits && large.semaphores && large.command_buffers
                                ? convert_and_submit(queue, submit_count, submits, fence, large)
                                : VK_ERROR_OUT_OF_HOST_MEMORY;
    free(large.command_buffers);
    free(large.semaphores);
    free(large.submits);
    return result;
}

/* -- vkQueueBindSparse -------------------------------------------------------------------------------------------- */

/* Memory for the conversion of one call. */
struct bind_arrays {
    struct arrays arrays;
    struct vc4vk_recorded *recorded; /* one for each batch: its work, as if recorded */
};

static VkSubmitInfo2 convert_bind(struct arrays *arrays, const VkBindSparseInfo *bind, struct vc4vk_recorded *recorded)
{
    const VkTimelineSemaphoreSubmitInfo *values = values_of(bind->pNext);
    const VkCommandBuffer work = (VkCommandBuffer)recorded;
    return (VkSubmitInfo2){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
        .waitSemaphoreInfoCount = bind->waitSemaphoreCount,
        .pWaitSemaphoreInfos = convert_semaphores(arrays, bind->waitSemaphoreCount, bind->pWaitSemaphores, NULL,
                                                  values ? values->waitSemaphoreValueCount : 0,
                                                  values ? values->pWaitSemaphoreValues : NULL),
        .commandBufferInfoCount = recorded->command_count,
        .pCommandBufferInfos = convert_command_buffers(arrays, recorded->command_count, &work),
        .signalSemaphoreInfoCount = bind->signalSemaphoreCount,
        .pSignalSemaphoreInfos = convert_semaphores(arrays, bind->signalSemaphoreCount, bind->pSignalSemaphores, NULL,
                                                    values ? values->signalSemaphoreValueCount : 0,
                                                    values ? values->pSignalSemaphoreValues : NULL),
    };
}

static VkResult convert_and_bind(struct vc4vk_queue *queue, uint32_t batch_count, const VkBindSparseInfo *batches,
                                 struct vc4vk_command *const *commands, VkFence fence, struct bind_arrays *to)
{
    for (uint32_t i = 0; i < batch_count; i++) {
        to->recorded[i] = (struct vc4vk_recorded){.commands = &commands[i], .command_count = commands[i] != NULL};
        to->arrays.submits[i] = convert_bind(&to->arrays, &batches[i], &to->recorded[i]);
    }
    return vc4vk_queue_submit2(queue, batch_count, to->arrays.submits, fence);
}

VkResult vc4vk_queue_bind_sparse(struct vc4vk_queue *queue, uint32_t batch_count, const VkBindSparseInfo *batches,
                                 struct vc4vk_command *const *commands, VkFence fence)
{
    size_t semaphores = 0;
    for (uint32_t i = 0; i < batch_count; i++)
        semaphores += (size_t)batches[i].waitSemaphoreCount + batches[i].signalSemaphoreCount;
    const size_t capacity = MAX2(batch_count, 1u);
    struct bind_arrays to = {
        .arrays = {malloc(capacity * sizeof *to.arrays.submits),
                   malloc(MAX2(semaphores, 1u) * sizeof *to.arrays.semaphores),
                   malloc(capacity * sizeof *to.arrays.command_buffers)},
        .recorded = malloc(capacity * sizeof *to.recorded),
    };
    const struct arrays owned = to.arrays; /* the conversion advances the pointers */
    const VkResult result = owned.submits && owned.semaphores && owned.command_buffers && to.recorded
                                ? convert_and_bind(queue, batch_count, batches, commands, fence, &to)
                                : VK_ERROR_OUT_OF_HOST_MEMORY;
    free(to.recorded);
    free(owned.command_buffers);
    free(owned.semaphores);
    free(owned.submits);
    return result;
}
