/* SPDX-License-Identifier: MIT
 *
 * What the random programs of test_misuse.c record, submit, present and query.
 */
#include <stdlib.h>
#include <string.h>
#include "misuse.h"

/* -- recording ----------------------------------------------------------------------------------------------------- */

static VkImageSubresourceLayers layers(void)
{
    return (VkImageSubresourceLayers){aspect(), u32(0), u32(0), u32(1)};
}

static VkOffset3D offset(void)
{
    return (VkOffset3D){(int32_t)u32(0), (int32_t)u32(0), (int32_t)u32(0)};
}

static VkExtent3D extent(void)
{
    return (VkExtent3D){u32(1u << below(7)), u32(1u << below(7)), u32(1)};
}

static void record_copies(VkCommandBuffer cmd)
{
    VkBuffer a = SOME(VkBuffer, BUFFER), b = SOME(VkBuffer, BUFFER);
    VkImage x = SOME(VkImage, IMAGE), y = SOME(VkImage, IMAGE);
    static uint32_t data[16384];
    if (!a || !x)
        return;
    const VkBufferCopy copy = {u64(0), u64(0), u64(64)};
    const VkBufferImageCopy rows = {u64(0), u32(0), u32(0), layers(), offset(), extent()};
    const VkImageCopy images = {layers(), offset(), layers(), offset(), extent()};
    const VkImageResolve resolve = {layers(), offset(), layers(), offset(), extent()};
    const VkImageBlit blit = {layers(),
                              {offset(), {(int32_t)u32(8), (int32_t)u32(8), (int32_t)u32(1)}},
                              layers(),
                              {offset(), {(int32_t)u32(16), (int32_t)u32(16), (int32_t)u32(1)}}};
    const VkClearColorValue color = {.uint32 = {odd(), odd(), odd(), odd()}};
    const VkClearDepthStencilValue depth = {number(0.5f), odd()};
    const VkImageSubresourceRange range = {aspect(), u32(0), u32(1), u32(0), u32(VK_REMAINING_ARRAY_LAYERS)};
    switch (below(10)) {
    case 0:
        vkCmdCopyBuffer(cmd, a, b, below(2), &copy);
        break;
    case 1:
        vkCmdCopyBufferToImage(cmd, a, x, image_layout(), below(2), &rows);
        break;
    case 2:
        vkCmdCopyImageToBuffer(cmd, x, image_layout(), a, below(2), &rows);
        break;
    case 3:
        vkCmdCopyImage(cmd, x, image_layout(), y, image_layout(), below(2), &images);
        break;
    case 4:
        vkCmdResolveImage(cmd, x, image_layout(), y, image_layout(), below(2), &resolve);
        break;
    case 5:
        vkCmdBlitImage(cmd, x, image_layout(), y, image_layout(), below(2), &blit, u32(below(2)));
        break;
    case 6:
        vkCmdClearColorImage(cmd, x, image_layout(), &color, below(2), &range);
        break;
    case 7:
        vkCmdClearDepthStencilImage(cmd, x, image_layout(), &depth, below(2), &range);
        break;
    case 8:
        vkCmdFillBuffer(cmd, a, u64(0), u64(VK_WHOLE_SIZE), any());
        break;
    case 9:
        vkCmdUpdateBuffer(cmd, a, u64(0), 4 * below(VKT_COUNT(data) + 1), data);
        break;
    }
}

static void record_state(VkCommandBuffer cmd)
{
    const VkViewport viewport = {number(0), number(0), number(64), number(64), number(0), number(1)};
    const VkRect2D scissor = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(64), u32(64)}};
    const float constants[4] = {number(0), number(0), number(0), number(0)};
    const uint32_t push[64] = {0};
    VkBuffer buffers[32];
    VkDeviceSize offsets[32];
    VkDescriptorSet sets[8];
    uint32_t dynamic[8];
    for (uint32_t i = 0; i < 32; i++) {
        buffers[i] = SOME(VkBuffer, BUFFER);
        offsets[i] = u64(0);
    }
    for (uint32_t i = 0; i < 8; i++) {
        sets[i] = misuse.set_count ? misuse.sets[below(misuse.set_count)] : VK_NULL_HANDLE;
        dynamic[i] = u32(0);
    }
    switch (below(14)) {
    case 0:
        vkCmdSetViewport(cmd, u32(0), below(2), &viewport);
        break;
    case 1:
        vkCmdSetScissor(cmd, u32(0), below(2), &scissor);
        break;
    case 2:
        vkCmdSetLineWidth(cmd, number(1));
        break;
    case 3:
        vkCmdSetDepthBias(cmd, number(0), number(0), number(0));
        break;
    case 4:
        vkCmdSetBlendConstants(cmd, constants);
        break;
    case 5:
        vkCmdSetDepthBounds(cmd, number(0), number(1));
        break;
    case 6:
        vkCmdSetStencilCompareMask(cmd, u32(3), odd());
        break;
    case 7:
        vkCmdSetStencilReference(cmd, u32(3), odd());
        break;
    case 8:
        if (misuse_pick(PIPELINE))
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, SOME(VkPipeline, PIPELINE));
        break;
    case 9:
        if (misuse_pick(COMPUTE))
            vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, SOME(VkPipeline, COMPUTE));
        break;
    case 10:
        if (misuse_pick(BUFFER))
            vkCmdBindVertexBuffers(cmd, u32(0), below(rarely() ? 32 : 4), buffers, offsets);
        break;
    case 11:
        if (misuse_pick(BUFFER))
            vkCmdBindIndexBuffer(cmd, SOME(VkBuffer, BUFFER), u64(0), (VkIndexType)PICK(0, 1, 1000265000));
        break;
    case 12:
        if (misuse_pick(LAYOUT) && misuse.set_count)
            vkCmdBindDescriptorSets(cmd, u32(below(2)), SOME(VkPipelineLayout, LAYOUT), u32(0), below(8), sets,
                                    below(8), dynamic);
        break;
    case 13:
        if (misuse_pick(LAYOUT))
            vkCmdPushConstants(cmd, SOME(VkPipelineLayout, LAYOUT), u32(VK_SHADER_STAGE_ALL), u32(0), 4 * below(65),
                               push);
        break;
    }
}

/* Counts stay small: drawing four thousand million vertices is valid, but would look like a hang. */
static void record_draw(VkCommandBuffer cmd)
{
    VkBuffer buffer = misuse_counts();
    switch (below(6)) {
    case 0:
        vkCmdDraw(cmd, below(40), below(4), u32(0), u32(0));
        break;
    case 1:
        vkCmdDrawIndexed(cmd, below(40), below(4), u32(0), (int32_t)u32(0), u32(0));
        break;
    case 2:
        if (buffer)
            vkCmdDrawIndirect(cmd, buffer, u64(0), below(3), u32(16));
        break;
    case 3:
        if (buffer)
            vkCmdDrawIndexedIndirect(cmd, buffer, u64(0), below(3), u32(20));
        break;
    case 4:
        vkCmdDispatch(cmd, below(5), below(3), below(3));
        break;
    case 5:
        if (buffer)
            vkCmdDispatchIndirect(cmd, buffer, u64(0));
        break;
    }
}

static void record_pass(VkCommandBuffer cmd)
{
    VkClearValue clears[4] = {{.color.uint32 = {odd(), odd(), odd(), odd()}}};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = SOME(VkRenderPass, PASS),
                                         .framebuffer = SOME(VkFramebuffer, FRAMEBUFFER),
                                         .renderArea = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(16), u32(16)}},
                                         .clearValueCount = rarely() ? below(5) : 4,
                                         .pClearValues = clears};
    const VkClearAttachment clear = {aspect(), u32(0), clears[0]};
    const VkClearRect rect = {{{(int32_t)u32(0), (int32_t)u32(0)}, {u32(16), u32(16)}}, u32(0), u32(1)};
    switch (below(6)) {
    case 0:
    case 1:
    case 2:
        if (begin.renderPass && begin.framebuffer)
            vkCmdBeginRenderPass(cmd, &begin, (VkSubpassContents)u32(rarely()));
        break;
    case 3:
        vkCmdNextSubpass(cmd, u32(0));
        break;
    case 4:
        vkCmdEndRenderPass(cmd);
        break;
    case 5:
        vkCmdClearAttachments(cmd, below(2), &clear, below(2), &rect);
        break;
    }
}

static void record_other(VkCommandBuffer cmd)
{
    VkQueryPool queries = SOME(VkQueryPool, QUERIES);
    VkEvent event = SOME(VkEvent, EVENT);
    VkBuffer buffer = SOME(VkBuffer, BUFFER);
    VkImage image = SOME(VkImage, IMAGE);
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = u32(0xffff), .dstAccessMask = u32(0xffff)};
    const VkImageMemoryBarrier of_image = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                           .srcAccessMask = u32(0),
                                           .dstAccessMask = u32(0),
                                           .oldLayout = image_layout(),
                                           .newLayout = image_layout(),
                                           .srcQueueFamilyIndex = u32(VK_QUEUE_FAMILY_IGNORED),
                                           .dstQueueFamilyIndex = u32(VK_QUEUE_FAMILY_IGNORED),
                                           .image = image,
                                           .subresourceRange = {aspect(), u32(0), u32(1), u32(0), u32(1)}};
    switch (below(9)) {
    case 0:
    case 1:
        vkCmdPipelineBarrier(cmd, u32(0x10000), u32(0x10000), u32(0), below(2), &memory, 0, NULL, image ? below(2) : 0,
                             &of_image);
        break;
    case 2:
        if (event)
            vkCmdSetEvent(cmd, event, u32(1));
        break;
    case 3:
        if (event)
            vkCmdResetEvent(cmd, event, u32(1));
        break;
    case 4:
        if (queries)
            vkCmdResetQueryPool(cmd, queries, u32(0), u32(1));
        break;
    case 5:
        if (queries)
            vkCmdBeginQuery(cmd, queries, u32(0), u32(0));
        break;
    case 6:
        if (queries)
            vkCmdEndQuery(cmd, queries, u32(0));
        break;
    case 7:
        if (queries)
            vkCmdWriteTimestamp(cmd, u32(1), queries, u32(0));
        break;
    case 8:
        if (queries && buffer)
            vkCmdCopyQueryPoolResults(cmd, queries, u32(0), u32(1), buffer, u64(0), u64(8), u32(0));
        break;
    }
}

void misuse_record(void)
{
    if (!misuse.command_count)
        return;
    VkCommandBuffer cmd = misuse.commands[below(misuse.command_count)];
    const VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                        .renderPass = SOME(VkRenderPass, PASS),
                                                        .subpass = u32(0),
                                                        .framebuffer = SOME(VkFramebuffer, FRAMEBUFFER),
                                                        .occlusionQueryEnable = rarely(),
                                                        .queryFlags = u32(0)};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = u32(ONE_OF(0, 1, 2, 4)),
                                            .pInheritanceInfo = &inheritance};
    if (!rarely())
        vkBeginCommandBuffer(cmd, &begin);
    for (uint32_t i = below(20); i > 0; i--) {
        switch (below(12)) {
        case 0:
            record_copies(cmd);
            break;
        case 1:
        case 2:
        case 3:
            record_state(cmd);
            break;
        case 4:
            record_draw(cmd);
            break;
        case 5:
        case 6:
            record_pass(cmd);
            break;
        case 7:
            record_other(cmd);
            break;
        case 8:
        case 9:
            misuse_record_extension(cmd);
            break;
        default:
            misuse_record_kit(cmd);
            break;
        }
    }
    if (rarely())
        vkCmdExecuteCommands(cmd, 1, &misuse.commands[below(misuse.command_count)]);
    if (!rarely())
        vkEndCommandBuffer(cmd);
    if (rarely())
        vkResetCommandBuffer(cmd, u32(0));
}

/* -- queues -------------------------------------------------------------------------------------------------------- */

static void bind_sparse(void)
{
    VkSparseMemoryBind binds[4];
    for (uint32_t i = 0; i < 4; i++)
        binds[i] = (VkSparseMemoryBind){.resourceOffset = u64(65536 * below(2)),
                                        .size = u64(65536),
                                        .memory = below(3) ? SOME(VkDeviceMemory, MEMORY) : VK_NULL_HANDLE,
                                        .memoryOffset = u64(65536 * below(3)),
                                        .flags = u32(0)};
    const VkSparseBufferMemoryBindInfo buffer = {SOME(VkBuffer, BUFFER), below(4), binds};
    const VkSparseImageOpaqueMemoryBindInfo image = {SOME(VkImage, IMAGE), below(4), binds};
    const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                                   .bufferBindCount = below(2),
                                   .pBufferBinds = &buffer,
                                   .imageOpaqueBindCount = rarely(),
                                   .pImageOpaqueBinds = &image};
    vkQueueBindSparse(misuse.queues[below(3)], below(3) != 0, &info, rarely() ? SOME(VkFence, FENCE) : VK_NULL_HANDLE);
}

void misuse_submit(void)
{
    VkCommandBuffer commands[3];
    VkSemaphore waits[2], signals[2];
    uint64_t values[2] = {u64(1), u64(1)};
    const VkPipelineStageFlags stages[2] = {u32(1), u32(1)};
    const bool has_semaphores = rarely() && misuse_pick(TIMELINE);
    for (uint32_t i = 0; i < 3 && misuse.command_count; i++)
        commands[i] = misuse.commands[below(misuse.command_count)];
    for (uint32_t i = 0; i < 2; i++) {
        /* Only binary ones: the driver does not wait for one without a pending signal, but a timeline could hang. */
        waits[i] = SOME(VkSemaphore, SEMAPHORE);
        signals[i] = below(2) ? SOME(VkSemaphore, SEMAPHORE) : SOME(VkSemaphore, TIMELINE);
    }
    const VkTimelineSemaphoreSubmitInfo timeline = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                    .signalSemaphoreValueCount = below(3),
                                                    .pSignalSemaphoreValues = values};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = below(2) ? &timeline : NULL,
                               .waitSemaphoreCount = has_semaphores ? below(3) : 0,
                               .pWaitSemaphores = waits,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = misuse.command_count ? below(4) : 0,
                               .pCommandBuffers = commands,
                               .signalSemaphoreCount = has_semaphores ? below(3) : 0,
                               .pSignalSemaphores = signals};
    vkQueueSubmit(misuse.queues[below(3)], below(2), &info, rarely() ? SOME(VkFence, FENCE) : VK_NULL_HANDLE);
    if (!below(4))
        bind_sparse();
    if (below(2))
        vkDeviceWaitIdle(misuse.device);
}

void misuse_check_results(void)
{
    static uint64_t data[1024];
    VkQueryPool queries = SOME(VkQueryPool, QUERIES);
    VkFence fence = SOME(VkFence, FENCE);
    VkEvent event = SOME(VkEvent, EVENT);
    VkSemaphore timeline = SOME(VkSemaphore, TIMELINE);
    VkDeviceMemory memory = SOME(VkDeviceMemory, MEMORY);
    uint64_t value = u64(1);
    void *map;
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .flags = u32(0),
                                      .semaphoreCount = 1,
                                      .pSemaphores = &timeline,
                                      .pValues = &value};
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = value};
    switch (below(9)) {
    case 0:
        if (queries)
            vkGetQueryPoolResults(misuse.device, queries, u32(0), u32(1), below(sizeof data + 1), data, u64(8),
                                  u32(0) & ~(uint32_t)VK_QUERY_RESULT_WAIT_BIT);
        break;
    case 1:
        if (fence)
            vkGetFenceStatus(misuse.device, fence);
        break;
    case 2:
        if (fence)
            vkWaitForFences(misuse.device, 1, &fence, u32(1), below(1000000));
        break;
    case 3:
        if (fence) {
            vkDeviceWaitIdle(misuse.device);
            vkResetFences(misuse.device, 1, &fence);
        }
        break;
    case 4:
        if (event)
            vkSetEvent(misuse.device, event);
        break;
    case 5:
        if (timeline)
            misuse.WaitSemaphores(misuse.device, &wait, below(1000000));
        break;
    case 6:
        if (timeline)
            misuse.SignalSemaphore(misuse.device, &signal);
        break;
    case 7:
        if (timeline)
            misuse.GetSemaphoreCounterValue(misuse.device, timeline, &value);
        break;
    case 8:
        if (memory && vkMapMemory(misuse.device, memory, u64(0), u64(VK_WHOLE_SIZE), u32(0), &map) == VK_SUCCESS)
            vkUnmapMemory(misuse.device, memory);
        break;
    }
}

void misuse_present(void)
{
    VkSwapchainKHR swapchain = SOME(VkSwapchainKHR, SWAPCHAIN);
    uint32_t index = 0;
    VkResult results[1];
    if (!swapchain)
        return;
    vkAcquireNextImageKHR(misuse.device, swapchain, below(1000000),
                          rarely() ? SOME(VkSemaphore, SEMAPHORE) : VK_NULL_HANDLE,
                          rarely() ? SOME(VkFence, FENCE) : VK_NULL_HANDLE, &index);
    index = u32(index);
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .swapchainCount = below(2),
                                   .pSwapchains = &swapchain,
                                   .pImageIndices = &index,
                                   .pResults = below(2) ? results : NULL};
    vkQueuePresentKHR(misuse.queues[below(3)], &info);
}

void misuse_query(void)
{
    VkImageFormatProperties image;
    VkFormatProperties properties;
    VkSurfaceCapabilitiesKHR capabilities;
    VkBool32 is_supported;
    VkQueue queue;
    uint32_t count = below(5);
    VkExtensionProperties extensions[5];
    VkSparseImageFormatProperties sparse[5];
    vkGetPhysicalDeviceFormatProperties(misuse.physical, (VkFormat)odd(), &properties);
    vkGetPhysicalDeviceImageFormatProperties(misuse.physical, format(), (VkImageType)u32(1), (VkImageTiling)u32(0),
                                             u32(4), u32(0), &image);
    vkEnumerateDeviceExtensionProperties(misuse.physical, NULL, &count, extensions);
    count = below(5);
    vkGetPhysicalDeviceSparseImageFormatProperties(misuse.physical, format(), (VkImageType)u32(1),
                                                   (VkSampleCountFlagBits)u32(1), u32(4), (VkImageTiling)u32(0), &count,
                                                   sparse);
    vkGetPhysicalDeviceSurfaceSupportKHR(misuse.physical, u32(0), misuse.surface, &is_supported);
    vkGetPhysicalDeviceSurfaceCapabilitiesKHR(misuse.physical, misuse.surface, &capabilities);
    (void)queue;
}
