/* SPDX-License-Identifier: MIT
 *
 * Random programs that use Vulkan slightly wrong, through the loader and without validation layers. Most values are
 * valid, some are not: zero, too large, out of range, of another object, in a wrong order, on a wrong queue. No program
 * may crash, abort or hang: calls fail, or something harmless happens. Each program is determined by its seed, runs in
 * its own process, and destroys its objects in a random order (docs/fuzzing.md).
 *
 * Not tried, because no driver can withstand it: invalid pointers, handles of destroyed objects, and destruction of
 * what the device still uses.
 *
 * VKT_SEED=n runs one program, in this process. VKT_FUZZ=full runs many, VKT_FUZZ=n programs 1 to n.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "misuse.h"

#define PROGRAMS      200 /* without VKT_FUZZ */
#define FULL_PROGRAMS 20000
#define STEPS         160
#define TIMEOUT_S     300
#define HANG_MS       "2000" /* draws may be of any length; a draw that takes longer loses the device */

/* -- single mistakes ----------------------------------------------------------------------------------------------- */

#define SIDE_PX 64u

/* Runs a case in a child process in which nothing is wrong except what `run` does. */
static void in_child(void (*run)(void))
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failure must not go on to the next case */
        alarm(TIMEOUT_S);
        misuse.one_in = UINT32_MAX;
        misuse_open();
        misuse_make_kit();
        run();
        misuse_close();
        exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status)
        fail_msg("%s %d", WIFSIGNALED(status) ? "signal" : "status",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* For the child, where a cmocka failure would be lost. */
#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("# line %d: %s\n", __LINE__, #condition);                                                           \
            fflush(stdout);                                                                                            \
            _exit(3);                                                                                                  \
        }                                                                                                              \
    } while (0)

static const VkCommandBufferBeginInfo plain_begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

static VkResult submit_and_wait(VkCommandBuffer cmd)
{
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    VkResult result = vkQueueSubmit(misuse.queues[0], 1, &info, VK_NULL_HANDLE);
    return result == VK_SUCCESS ? vkQueueWaitIdle(misuse.queues[0]) : result;
}

static VkImageCreateInfo good_image(void)
{
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = VK_FORMAT_R8G8B8A8_UNORM,
                               .extent = {SIDE_PX, SIDE_PX, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
}

static void make_bad_images(void)
{
    VkImageCreateInfo infos[13];
    VkImage image;
    for (uint32_t i = 0; i < VKT_COUNT(infos); i++)
        infos[i] = good_image();
    infos[0].mipLevels = 0;
    infos[1].arrayLayers = 0;
    infos[2].extent.width = 0;
    infos[3].extent.height = 0;
    infos[4].extent.depth = 0;
    infos[5].samples = (VkSampleCountFlagBits)3;
    infos[6].samples = (VkSampleCountFlagBits)0;
    infos[7].samples = VK_SAMPLE_COUNT_4_BIT, infos[7].mipLevels = 2;
    infos[8].extent.width = UINT32_MAX;
    infos[9].mipLevels = 40;
    infos[10].imageType = (VkImageType)7;
    infos[11].tiling = (VkImageTiling)9;
    infos[12].samples = (VkSampleCountFlagBits)5;
    for (uint32_t i = 0; i < VKT_COUNT(infos); i++)
        EXPECT(vkCreateImage(misuse.device, &infos[i], NULL, &image) == VK_ERROR_FORMAT_NOT_SUPPORTED);
}

static void images_of_nothing_are_refused(void **state)
{
    in_child(make_bad_images);
}

static void bind_and_map_beyond_memory(void)
{
    const VkImageCreateInfo image_info = good_image();
    const VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 16384};
    VkImage image;
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map;
    EXPECT(!vkCreateImage(misuse.device, &image_info, NULL, &image));
    EXPECT(!vkCreateBuffer(misuse.device, &buffer_info, NULL, &buffer));
    EXPECT(!vkAllocateMemory(misuse.device, &memory_info, NULL, &memory));
    EXPECT(vkBindBufferMemory(misuse.device, buffer, VK_NULL_HANDLE, 0) < 0);
    EXPECT(vkBindBufferMemory(misuse.device, buffer, memory, 16384) < 0);
    EXPECT(vkBindBufferMemory(misuse.device, buffer, memory, UINT64_MAX - 63) < 0);
    EXPECT(vkBindBufferMemory(misuse.device, buffer, memory, 3) < 0);
    EXPECT(vkBindImageMemory(misuse.device, image, VK_NULL_HANDLE, 0) < 0);
    EXPECT(vkBindImageMemory(misuse.device, image, memory, 4096) < 0);
    EXPECT(vkBindImageMemory(misuse.device, image, memory, 64) < 0);
    EXPECT(vkMapMemory(misuse.device, memory, 1u << 30, VK_WHOLE_SIZE, 0, &map) == VK_ERROR_MEMORY_MAP_FAILED);
    EXPECT(vkMapMemory(misuse.device, memory, 4096, UINT64_MAX - 1, 0, &map) == VK_ERROR_MEMORY_MAP_FAILED);
    EXPECT(!vkMapMemory(misuse.device, memory, 4096, VK_WHOLE_SIZE, 0, &map));
    EXPECT(!vkBindBufferMemory(misuse.device, buffer, memory, 0));
    vkDestroyImage(misuse.device, image, NULL);
    vkDestroyBuffer(misuse.device, buffer, NULL);
    vkFreeMemory(misuse.device, memory, NULL);
}

static void nothing_is_bound_or_mapped_beyond_memory(void **state)
{
    in_child(bind_and_map_beyond_memory);
}

static void make_bad_views(void)
{
    const VkImageViewCreateInfo good = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = SOME(VkImage, IMAGE),
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = VK_FORMAT_R32G32_UINT, /* no image of the kit is compatible with this
                                                                          * format */
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkImageCreateInfo image_info = good_image();
    VkImageViewCreateInfo infos[10];
    VkImageView view;
    VkImage image;
    EXPECT(vkCreateImageView(misuse.device, &good, NULL, &view) < 0);
    EXPECT(!vkCreateImage(misuse.device, &image_info, NULL, &image));
    for (uint32_t i = 0; i < VKT_COUNT(infos); i++) {
        infos[i] = good;
        infos[i].image = image;
        infos[i].format = VK_FORMAT_R8G8B8A8_UNORM;
    }
    infos[0].subresourceRange.baseMipLevel = 1;
    infos[1].subresourceRange.levelCount = 2;
    infos[2].subresourceRange.levelCount = 0;
    infos[3].subresourceRange.baseArrayLayer = 7;
    infos[4].subresourceRange.layerCount = 2;
    infos[5].subresourceRange.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    infos[6].viewType = (VkImageViewType)12;
    infos[7].viewType = VK_IMAGE_VIEW_TYPE_CUBE;
    infos[8].viewType = VK_IMAGE_VIEW_TYPE_3D;
    infos[9].format = VK_FORMAT_D24_UNORM_S8_UINT;
    for (uint32_t i = 0; i < VKT_COUNT(infos); i++)
        EXPECT(vkCreateImageView(misuse.device, &infos[i], NULL, &view) < 0);
    vkDestroyImage(misuse.device, image, NULL);
}

static void views_of_what_is_not_there_are_refused(void **state)
{
    in_child(make_bad_views);
}

/* -- recordings */

static VkCommandBuffer begin_secondary(void)
{
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = SOME(VkCommandPool, COMMAND_POOL),
                                              .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                              .commandBufferCount = 1};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .pInheritanceInfo = &inherits};
    VkCommandBuffer cmd;
    EXPECT(!vkAllocateCommandBuffers(misuse.device, &info, &cmd));
    EXPECT(!vkBeginCommandBuffer(cmd, &begin));
    return cmd;
}

static void record_in_the_wrong_order(void)
{
    VkCommandBuffer cmd = misuse.commands[0], inner = begin_secondary(), outer = begin_secondary();
    const VkRenderPassBeginInfo pass = misuse_begin_pass(0), other = misuse_begin_pass(1);
    EXPECT(vkEndCommandBuffer(cmd) < 0); /* not begun */
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    EXPECT(vkEndCommandBuffer(cmd) < 0);
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBeginRenderPass(cmd, &other, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
    EXPECT(vkEndCommandBuffer(cmd) < 0);
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin)); /* commands outside their state do nothing */
    vkCmdEndRenderPass(cmd);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdDrawIndexed(cmd, 3, 1, 0, 0, 0);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdNextSubpass(cmd, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdEndRenderPass(cmd);
    EXPECT(!vkEndCommandBuffer(cmd));
    vkCmdDispatch(cmd, 1, 1, 1);
    vkCmdFillBuffer(cmd, SOME(VkBuffer, BUFFER), 0, 64, 1); /* too late */
    EXPECT(!submit_and_wait(cmd));
    EXPECT(!vkEndCommandBuffer(inner));
    vkCmdExecuteCommands(outer, 1, &outer); /* not executable */
    EXPECT(vkEndCommandBuffer(outer) < 0);
    outer = begin_secondary();
    vkCmdExecuteCommands(outer, 1, &inner); /* nested */
    EXPECT(!vkEndCommandBuffer(outer));
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdExecuteCommands(cmd, 1, &outer);
    EXPECT(!vkEndCommandBuffer(cmd));
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdExecuteCommands(cmd, 1, &cmd);
    EXPECT(vkEndCommandBuffer(cmd) < 0);
}

static void recordings_in_the_wrong_order_fail(void **state)
{
    in_child(record_in_the_wrong_order);
}

static void use_incompatible_passes(void)
{
    VkCommandBuffer cmd = misuse.commands[0];
    VkRenderPassBeginInfo fewer = misuse_begin_pass(1), good = misuse_begin_pass(0);
    fewer.framebuffer = good.framebuffer;
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdBeginRenderPass(cmd, &fewer, VK_SUBPASS_CONTENTS_INLINE);
    EXPECT(vkEndCommandBuffer(cmd) < 0);
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin)); /* a pipeline for a format of four words a texel */
    vkCmdBeginRenderPass(cmd, &good, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, misuse_pipeline(2));
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    EXPECT(vkEndCommandBuffer(cmd) < 0);
}

static void passes_and_what_goes_with_others_fail(void **state)
{
    in_child(use_incompatible_passes);
}

static void draw_to_empty_areas(void)
{
    VkCommandBuffer cmd = misuse.commands[0];
    VkRenderPassBeginInfo pass = misuse_begin_pass(0);
    const VkRect2D all = pass.renderArea;
    const int32_t right = (int32_t)all.extent.width, bottom = (int32_t)all.extent.height;
    const VkRect2D areas[] = {{{right, 0}, {0, all.extent.height}},
                              {{right, 0}, all.extent},
                              {{0, bottom}, {all.extent.width, 0}},
                              {{right, bottom}, {0, 0}},
                              {{0, 0}, {0, 0}},
                              {{right + 64, bottom + 64}, {64, 64}}};
    for (uint32_t i = 0; i < VKT_COUNT(areas); i++) {
        pass.renderArea = areas[i];
        EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
        vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, misuse_pipeline(0));
        vkCmdDraw(cmd, 3, 1, 0, 0);
        vkCmdEndRenderPass(cmd);
        EXPECT(!vkEndCommandBuffer(cmd));
        EXPECT(!submit_and_wait(cmd));
    }
}

static void empty_areas_lose_no_device(void **state)
{
    in_child(draw_to_empty_areas);
}

/* More instances of more vertices than any time would do for. */
static void draw_without_end(void)
{
    VkCommandBuffer cmd = misuse.commands[0];
    const VkRenderPassBeginInfo pass = misuse_begin_pass(0);
    for (uint32_t is_sane = 0; is_sane < 2; is_sane++) {
        EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
        vkCmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, misuse_pipeline(0));
        if (is_sane)
            vkCmdDraw(cmd, 3, 1, 0, 0);
        else
            vkCmdDraw(cmd, 30000000, UINT32_MAX, 0, 0);
        vkCmdEndRenderPass(cmd);
        EXPECT(vkEndCommandBuffer(cmd) == (is_sane ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY));
    }
    EXPECT(!submit_and_wait(cmd));
}

static void draws_without_end_fail(void **state)
{
    in_child(draw_without_end);
}

static void copy_beyond_resources(void)
{
    VkCommandBuffer cmd = misuse.commands[0];
    VkBuffer buffer = misuse_buffer();
    VkImage image = misuse_texture();
    VkBufferImageCopy regions[8];
    for (uint32_t i = 0; i < VKT_COUNT(regions); i++)
        regions[i] =
            (VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, .imageExtent = {16, 16, 1}};
    regions[0].imageSubresource.mipLevel = 99;
    regions[1].imageSubresource.baseArrayLayer = 99;
    regions[2].imageSubresource.layerCount = 0xfffffff0;
    regions[3].bufferOffset = UINT64_MAX - 15;
    regions[4].imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
    regions[5].imageOffset = (VkOffset3D){-4, -4, 0};
    regions[6].bufferRowLength = regions[6].bufferImageHeight = UINT32_MAX;
    regions[7].imageExtent = (VkExtent3D){0, 0, 0};
    const VkImageCopy image_copy = {
        {VK_IMAGE_ASPECT_COLOR_BIT, 50, 0, 1}, {0}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {0}, {16, 16, 1}};
    const VkImageBlit blit = {{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 9},
                              {{INT32_MIN, 0, 0}, {INT32_MAX, 8, 1}},
                              {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 9},
                              {{INT32_MIN, 0, 0}, {INT32_MAX, 8, 1}}};
    const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 2, 77, 3, 77};
    const VkBufferCopy far = {UINT64_MAX - 7, 0, 64}, long_copy = {0, 0, UINT64_MAX};
    EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
    vkCmdCopyBufferToImage(cmd, buffer, image, VK_IMAGE_LAYOUT_GENERAL, VKT_COUNT(regions), regions);
    vkCmdCopyImageToBuffer(cmd, image, VK_IMAGE_LAYOUT_GENERAL, buffer, VKT_COUNT(regions), regions);
    vkCmdCopyImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, image, VK_IMAGE_LAYOUT_GENERAL, 1, &image_copy);
    vkCmdBlitImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit, VK_FILTER_LINEAR);
    vkCmdClearColorImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){{0}}, 1, &range);
    vkCmdClearDepthStencilImage(cmd, image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearDepthStencilValue){1, 0}, 1, &range);
    vkCmdCopyBuffer(cmd, buffer, buffer, 1, &far);
    vkCmdCopyBuffer(cmd, buffer, buffer, 1, &long_copy);
    vkCmdFillBuffer(cmd, buffer, UINT64_MAX - 3, 64, 1);
    vkCmdFillBuffer(cmd, buffer, 2, 64, 1);
    EXPECT(!vkEndCommandBuffer(cmd));
    EXPECT(!submit_and_wait(cmd));
}

static void copies_beyond_what_there_is_do_nothing(void **state)
{
    in_child(copy_beyond_resources);
}

static void query_beyond_pool(void)
{
    VkCommandBuffer cmd = misuse.commands[0];
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 4};
    VkQueryPool pool;
    uint64_t results[8];
    EXPECT(!vkCreateQueryPool(misuse.device, &info, NULL, &pool));
    for (uint32_t i = 0; i < 5; i++) {
        EXPECT(!vkBeginCommandBuffer(cmd, &plain_begin));
        switch (i) {
        case 0:
            vkCmdResetQueryPool(cmd, pool, 3, 2);
            break;
        case 1:
            vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, pool, 4);
            break;
        case 2:
            vkCmdBeginQuery(cmd, pool, UINT32_MAX, 0);
            break;
        case 3:
            vkCmdEndQuery(cmd, pool, 1000000);
            break;
        case 4:
            vkCmdCopyQueryPoolResults(cmd, pool, 1, UINT32_MAX, misuse_buffer(), 0, 8, 0);
            break;
        }
        EXPECT(vkEndCommandBuffer(cmd) < 0);
    }
    EXPECT(vkGetQueryPoolResults(misuse.device, pool, 4, 1, sizeof results, results, 8, 0) < 0);
    EXPECT(vkGetQueryPoolResults(misuse.device, pool, UINT32_MAX, 2, sizeof results, results, 8, 0) < 0);
    EXPECT(vkGetQueryPoolResults(misuse.device, pool, 0, 4, sizeof results, results, UINT64_MAX / 2, 0) ==
           VK_NOT_READY);
    vkDestroyQueryPool(misuse.device, pool, NULL);
}

static void queries_beyond_the_pool_fail(void **state)
{
    in_child(query_beyond_pool);
}

static void write_beyond_set(void)
{
    const VkDescriptorBufferInfo buffers[4] = {{misuse_buffer(), 0, 64},
                                               {misuse_buffer(), UINT64_MAX, UINT64_MAX},
                                               {misuse_buffer(), 1u << 20, VK_WHOLE_SIZE},
                                               {VK_NULL_HANDLE, 0, 0}};
    const VkDescriptorImageInfo images[4] = {{VK_NULL_HANDLE, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL}};
    const VkBufferView views[4] = {VK_NULL_HANDLE};
    const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_SAMPLER,
                                      VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                      VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
                                      VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
                                      (VkDescriptorType)77};
    const uint32_t places[] = {0, 1, 99, UINT32_MAX};
    for (uint32_t i = 0; i < VKT_COUNT(types) * VKT_COUNT(places) * VKT_COUNT(places); i++) {
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = misuse.sets[i % misuse.set_count],
                                            .dstBinding = places[i / VKT_COUNT(types) % VKT_COUNT(places)],
                                            .dstArrayElement = places[i / VKT_COUNT(types) / VKT_COUNT(places)],
                                            .descriptorCount = 4,
                                            .descriptorType = types[i % VKT_COUNT(types)],
                                            .pImageInfo = images,
                                            .pBufferInfo = buffers,
                                            .pTexelBufferView = views};
        vkUpdateDescriptorSets(misuse.device, 1, &write, 0, NULL);
    }
}

static void descriptors_beyond_the_set_are_left_out(void **state)
{
    in_child(write_beyond_set);
}

/* -- swapchains and synchronisation */

static VkSwapchainKHR open_swapchain(void)
{
    VkSwapchainKHR swapchain;
    const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                           .surface = misuse.surface,
                                           .minImageCount = 2,
                                           .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                           .imageExtent = {SIDE_PX, SIDE_PX},
                                           .imageArrayLayers = 1,
                                           .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                           .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                           .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                           .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    EXPECT(!vkCreateSwapchainKHR(misuse.device, &info, NULL, &swapchain));
    return swapchain;
}

static VkResult present_image(VkSwapchainKHR swapchain, uint32_t image)
{
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .swapchainCount = 1,
                                   .pSwapchains = &swapchain,
                                   .pImageIndices = &image};
    return vkQueuePresentKHR(misuse.queues[0], &info);
}

static void *wait_for_an_image(void *arg)
{
    uint32_t image;
    VkResult result;
    do
        result = vkAcquireNextImageKHR(misuse.device, *(VkSwapchainKHR *)arg, UINT64_MAX, VK_NULL_HANDLE,
                                       VK_NULL_HANDLE, &image);
    while (result == VK_SUCCESS); /* until no image is free */
    return (void *)(intptr_t)result;
}

static void *present_frames(void *arg)
{
    uint32_t image;
    VkResult result;
    do {
        result = vkAcquireNextImageKHR(misuse.device, *(VkSwapchainKHR *)arg, UINT64_MAX, VK_NULL_HANDLE,
                                       VK_NULL_HANDLE, &image);
        if (result == VK_SUCCESS)
            result = present_image(*(VkSwapchainKHR *)arg, image);
    } while (result == VK_SUCCESS);
    return (void *)(intptr_t)result;
}

static void destroy_under(void *(*use)(void *arg), uint32_t after_us)
{
    VkSwapchainKHR swapchain = open_swapchain(), copy = swapchain;
    pthread_t thread;
    void *result;
    EXPECT(!pthread_create(&thread, NULL, use, &copy));
    usleep(after_us);
    vkDestroySwapchainKHR(misuse.device, swapchain, NULL);
    EXPECT(!pthread_join(thread, &result));
    EXPECT((VkResult)(intptr_t)result == VK_ERROR_OUT_OF_DATE_KHR);
}

static void use_a_destroyed_swapchain(void)
{
    uint32_t image;
    VkImage images[8];
    uint32_t count = VKT_COUNT(images);
    for (uint32_t i = 0; i < 10; i++) {
        destroy_under(wait_for_an_image, 2000 * i);
        destroy_under(present_frames, 5000 * i);
    }
    VkSwapchainKHR swapchain = open_swapchain();
    EXPECT(!vkAcquireNextImageKHR(misuse.device, swapchain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &image));
    EXPECT(present_image(swapchain, 64) == VK_ERROR_OUT_OF_DATE_KHR);
    EXPECT(present_image(swapchain, 1 - image) == VK_ERROR_OUT_OF_DATE_KHR); /* not acquired */
    vkDestroySwapchainKHR(misuse.device, swapchain, NULL);
    vkDestroySwapchainKHR(misuse.device, swapchain, NULL);
    EXPECT(present_image(swapchain, image) == VK_ERROR_OUT_OF_DATE_KHR);
    EXPECT(vkAcquireNextImageKHR(misuse.device, swapchain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &image) ==
           VK_ERROR_OUT_OF_DATE_KHR);
    EXPECT(vkGetSwapchainImagesKHR(misuse.device, swapchain, &count, images) < 0 && !count);
}

static void destroyed_swapchain_is_out_of_date(void **state)
{
    in_child(use_a_destroyed_swapchain);
}

static VkSemaphore make_timeline(void)
{
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkSemaphore semaphore;
    EXPECT(!vkCreateSemaphore(misuse.device, &info, NULL, &semaphore));
    return semaphore;
}

static void destroy_a_timeline_in_use(void)
{
    VkSemaphore semaphore = make_timeline();
    const uint64_t value = 5;
    const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &value};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &semaphore,
                               .pWaitDstStageMask = &stages};
    uint32_t image;
    VkSwapchainKHR swapchain = open_swapchain();
    EXPECT(!vkAcquireNextImageKHR(misuse.device, swapchain, 0, semaphore, VK_NULL_HANDLE, &image));
    vkDestroySwapchainKHR(misuse.device, swapchain, NULL);
    EXPECT(!vkQueueSubmit(misuse.queues[0], 1, &info, VK_NULL_HANDLE));
    vkDestroySemaphore(misuse.device, semaphore, NULL); /* now it can never be signalled */
    EXPECT(!vkDeviceWaitIdle(misuse.device));
}

static void timeline_that_is_waited_for_may_be_destroyed(void **state)
{
    in_child(destroy_a_timeline_in_use);
}

/* -- random programs ----------------------------------------------------------------------------------------------- */

/* Programs differ in how often they make a mistake. */
static const uint32_t one_in[] = {8, 20, 60, 200, 1000};

static void run_program(uint32_t seed)
{
    static void (*const steps[])(void) = {misuse_record,        misuse_record,  misuse_submit, misuse_submit,
                                          misuse_check_results, misuse_present, misuse_query};
    misuse.rng = seed * UINT64_C(0x9e3779b97f4a7c15);
    any();
    misuse.one_in = one_in[seed % VKT_COUNT(one_in)];
    misuse_open();
    misuse_make_kit();
    for (uint32_t i = 0; i < STEPS; i++)
        (below(10) < 6 ? misuse_make : steps[below(VKT_COUNT(steps))])();
    misuse_close();
}

static void random_programs(void **state)
{
    const char *how_many = getenv("VKT_FUZZ");
    const uint32_t some = how_many && atoi(how_many) > 0 ? (uint32_t)atoi(how_many) : PROGRAMS;
    const uint32_t programs = how_many && !strcmp(how_many, "full") ? FULL_PROGRAMS : some;
    uint32_t failures = 0;
    for (uint32_t seed = 1; seed <= programs; seed++) {
        int status;
        fflush(stdout);
        pid_t pid = fork();
        if (!pid) {
            setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failure must not go on to the next case */
            alarm(TIMEOUT_S);
            run_program(seed);
            exit(0); /* not _exit(): the leak checker runs */
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status)
            printf("# VKT_SEED=%u: %s %d\n", (unsigned)seed, WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        failures += status != 0;
    }
    printf("# %u programs of %u steps\n", (unsigned)programs, STEPS);
    assert_int_equal(failures, 0);
}

#if defined(__SANITIZE_THREAD__)
/* The programs have races of their own: commands without a barrier between them use the same memory. These are
 * suppressed; races on the driver's own data are still reported. */
const char *__tsan_default_suppressions(void);

const char *__tsan_default_suppressions(void)
{
    return "race:gpu_qpu_dma.c\n"
           "race:gpu_qpu_load_word\n"
           "race:gpu_tlb_mem.c\n"
           "race:layout_copy.c\n";
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_of_nothing_are_refused),
        cmocka_unit_test(nothing_is_bound_or_mapped_beyond_memory),
        cmocka_unit_test(views_of_what_is_not_there_are_refused),
        cmocka_unit_test(recordings_in_the_wrong_order_fail),
        cmocka_unit_test(passes_and_what_goes_with_others_fail),
        cmocka_unit_test(empty_areas_lose_no_device),
        cmocka_unit_test(draws_without_end_fail),
        cmocka_unit_test(copies_beyond_what_there_is_do_nothing),
        cmocka_unit_test(queries_beyond_the_pool_fail),
        cmocka_unit_test(descriptors_beyond_the_set_are_left_out),
        cmocka_unit_test(destroyed_swapchain_is_out_of_date),
        cmocka_unit_test(timeline_that_is_waited_for_may_be_destroyed),
        cmocka_unit_test(random_programs),
    };
    const char *icd = getenv("VKT_TESTED_ICD"), *seed = getenv("VKT_SEED");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    setenv("VC4VK_HANG_MS", HANG_MS, 1);
    if (seed) {
        run_program((uint32_t)strtoul(seed, NULL, 0));
        return 0;
    }
    return cmocka_run_group_tests_name("api_misuse", tests, NULL, NULL);
}
