/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_copy_commands2: each command, with two regions, writes what the command of Vulkan 1.0 writes with the same
 * regions.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"

#define SIDE   64u
#define SIZE_B (SIDE * SIDE * 4u)

static struct vkt device;
static struct {
    PFN_vkCmdCopyBuffer2KHR CopyBuffer;
    PFN_vkCmdCopyImage2KHR CopyImage;
    PFN_vkCmdCopyBufferToImage2KHR CopyBufferToImage;
    PFN_vkCmdCopyImageToBuffer2KHR CopyImageToBuffer;
    PFN_vkCmdBlitImage2KHR BlitImage;
    PFN_vkCmdResolveImage2KHR ResolveImage;
} vk;

static int open_device(void **state)
{
    const char *const extension = VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME;
    device = vkt_device_create_with(vkt_device(VKT_TESTED), &extension, 1);
#define LOAD(name)                                                                                                     \
    assert_non_null(vk.name = (PFN_vkCmd##name##2KHR)vkGetDeviceProcAddr(device.device, "vkCmd" #name "2KHR"))
    LOAD(CopyBuffer);
    LOAD(CopyImage);
    LOAD(CopyBufferToImage);
    LOAD(CopyImageToBuffer);
    LOAD(BlitImage);
    LOAD(ResolveImage);
#undef LOAD
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- helpers */

static const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

static struct vkt_buffer noise(void)
{
    uint8_t bytes[SIZE_B];
    for (uint32_t i = 0; i < SIZE_B; i++)
        bytes[i] = (uint8_t)(i * 2654435761u >> 13);
    return vkt_buffer_create(&device, SIZE_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, bytes);
}

static struct vkt_buffer zeros(void)
{
    struct vkt_buffer b =
        vkt_buffer_create(&device, SIZE_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    memset(b.map, 0, SIZE_B);
    return b;
}

/* In layout GENERAL and filled from `from`, or cleared to zero. */
static struct vkt_image image(VkSampleCountFlagBits samples, const struct vkt_buffer *from)
{
    struct vkt_image made = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .width = SIDE,
                                          .height = SIDE,
                                          .samples = samples,
                                          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &made, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (from)
        vkCmdCopyBufferToImage(cmd, from->buffer, made.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                               &(VkBufferImageCopy){.imageSubresource = layers, .imageExtent = {SIDE, SIDE, 1}});
    else
        vkCmdClearColorImage(cmd, made.image, VK_IMAGE_LAYOUT_GENERAL,
                             &(VkClearColorValue){.float32 = {samples > 1 ? 0.25f : 0}}, 1, &all);
    vkt_end_submit(&device, cmd);
    return made;
}

/* The texels of an image, which are freed by the caller. */
static uint8_t *texels_of(const struct vkt_image *made)
{
    uint8_t *texels = malloc(SIZE_B);
    struct vkt_buffer to = zeros();
    assert_non_null(texels);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdCopyImageToBuffer(cmd, made->image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, 1,
                           &(VkBufferImageCopy){.imageSubresource = layers, .imageExtent = {SIDE, SIDE, 1}});
    vkt_end_submit(&device, cmd);
    memcpy(texels, to.map, SIZE_B);
    vkt_buffer_destroy(&device, &to);
    return texels;
}

/* The two have the same bytes, and at least `nonzero` of them are not zero. */
static void check_same(const uint8_t *old, const uint8_t *new, uint32_t nonzero)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIZE_B; i++) {
        if (old[i] != new[i])
            fail_msg("byte %u: %u, the older command writes %u", i, new[i], old[i]);
        count += old[i] != 0;
    }
    assert_true(count >= nonzero && count < SIZE_B);
}

static void check_same_images(struct vkt_image *old, struct vkt_image *new, uint32_t nonzero)
{
    uint8_t *a = texels_of(old), *b = texels_of(new);
    check_same(a, b, nonzero);
    free(a);
    free(b);
    vkt_image_destroy(&device, old);
    vkt_image_destroy(&device, new);
}

/* ---------------------------------------------------------------- tests */

static void buffers(void **state)
{
    struct vkt_buffer from = noise(), old = zeros(), new = zeros();
    const VkBufferCopy plain[] = {{16, 32, 100}, {2000, 512, 3000}};
    VkBufferCopy2 regions[2];
    for (uint32_t i = 0; i < 2; i++)
        regions[i] = (VkBufferCopy2){VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, plain[i].srcOffset, plain[i].dstOffset,
                                     plain[i].size};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdCopyBuffer(cmd, from.buffer, old.buffer, 2, plain);
    vk.CopyBuffer(
        cmd, &(VkCopyBufferInfo2){VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, NULL, from.buffer, new.buffer, 2, regions});
    vkt_end_submit(&device, cmd);
    check_same(old.map, new.map, 2500);
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &old);
    vkt_buffer_destroy(&device, &new);
}

static void buffers_and_images(void **state)
{
    struct vkt_buffer from = noise(), old = zeros(), new = zeros();
    struct vkt_image old_image = image(1, NULL), new_image = image(1, NULL);
    const VkBufferImageCopy plain[] = {{64, 0, 0, layers, {1, 2, 0}, {30, 20, 1}},
                                       {4096, 40, 30, layers, {32, 33, 0}, {31, 30, 1}}};
    VkBufferImageCopy2 regions[2];
    for (uint32_t i = 0; i < 2; i++)
        regions[i] = (VkBufferImageCopy2){.sType = VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2,
                                          .bufferOffset = plain[i].bufferOffset,
                                          .bufferRowLength = plain[i].bufferRowLength,
                                          .bufferImageHeight = plain[i].bufferImageHeight,
                                          .imageSubresource = plain[i].imageSubresource,
                                          .imageOffset = plain[i].imageOffset,
                                          .imageExtent = plain[i].imageExtent};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdCopyBufferToImage(cmd, from.buffer, old_image.image, VK_IMAGE_LAYOUT_GENERAL, 2, plain);
    vk.CopyBufferToImage(cmd,
                         &(VkCopyBufferToImageInfo2){VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2, NULL, from.buffer,
                                                     new_image.image, VK_IMAGE_LAYOUT_GENERAL, 2, regions});
    vkt_barrier_all(cmd);
    vkCmdCopyImageToBuffer(cmd, old_image.image, VK_IMAGE_LAYOUT_GENERAL, old.buffer, 2, plain);
    vk.CopyImageToBuffer(cmd,
                         &(VkCopyImageToBufferInfo2){VK_STRUCTURE_TYPE_COPY_IMAGE_TO_BUFFER_INFO_2, NULL,
                                                     new_image.image, VK_IMAGE_LAYOUT_GENERAL, new.buffer, 2, regions});
    vkt_end_submit(&device, cmd);
    check_same(old.map, new.map, 5000);
    check_same_images(&old_image, &new_image, 5000);
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &old);
    vkt_buffer_destroy(&device, &new);
}

static void images(void **state)
{
    struct vkt_buffer texels = noise();
    struct vkt_image from = image(1, &texels), old = image(1, NULL), new = image(1, NULL);
    const VkImageCopy plain[] = {{layers, {3, 4, 0}, layers, {0, 1, 0}, {20, 30, 1}},
                                 {layers, {30, 0, 0}, layers, {31, 33, 0}, {33, 31, 1}}};
    VkImageCopy2 regions[2];
    for (uint32_t i = 0; i < 2; i++)
        regions[i] = (VkImageCopy2){VK_STRUCTURE_TYPE_IMAGE_COPY_2,
                                    NULL,
                                    plain[i].srcSubresource,
                                    plain[i].srcOffset,
                                    plain[i].dstSubresource,
                                    plain[i].dstOffset,
                                    plain[i].extent};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, old.image, VK_IMAGE_LAYOUT_GENERAL, 2, plain);
    vk.CopyImage(cmd, &(VkCopyImageInfo2){VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, NULL, from.image,
                                          VK_IMAGE_LAYOUT_GENERAL, new.image, VK_IMAGE_LAYOUT_GENERAL, 2, regions});
    vkt_end_submit(&device, cmd);
    check_same_images(&old, &new, 5000);
    vkt_image_destroy(&device, &from);
    vkt_buffer_destroy(&device, &texels);
}

static void blits(void **state)
{
    struct vkt_buffer texels = noise();
    struct vkt_image from = image(1, &texels), old = image(1, NULL), new = image(1, NULL);
    const VkImageBlit plain[] = {{layers, {{0, 0, 0}, {20, 20, 1}}, layers, {{0, 0, 0}, {30, 10, 1}}},
                                 {layers, {{10, 20, 0}, {60, 60, 1}}, layers, {{64, 64, 0}, {32, 33, 1}}}};
    VkImageBlit2 regions[2];
    for (uint32_t i = 0; i < 2; i++) {
        regions[i] = (VkImageBlit2){.sType = VK_STRUCTURE_TYPE_IMAGE_BLIT_2,
                                    .srcSubresource = plain[i].srcSubresource,
                                    .dstSubresource = plain[i].dstSubresource};
        memcpy(regions[i].srcOffsets, plain[i].srcOffsets, sizeof regions[i].srcOffsets);
        memcpy(regions[i].dstOffsets, plain[i].dstOffsets, sizeof regions[i].dstOffsets);
    }
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, old.image, VK_IMAGE_LAYOUT_GENERAL, 2, plain,
                   VK_FILTER_LINEAR);
    vk.BlitImage(cmd,
                 &(VkBlitImageInfo2){VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2, NULL, from.image, VK_IMAGE_LAYOUT_GENERAL,
                                     new.image, VK_IMAGE_LAYOUT_GENERAL, 2, regions, VK_FILTER_LINEAR});
    vkt_end_submit(&device, cmd);
    check_same_images(&old, &new, 4000);
    vkt_image_destroy(&device, &from);
    vkt_buffer_destroy(&device, &texels);
}

static void resolves(void **state)
{
    struct vkt_image from = image(4, NULL), old = image(1, NULL), new = image(1, NULL);
    const VkImageResolve plain[] = {{layers, {3, 4, 0}, layers, {0, 1, 0}, {20, 30, 1}},
                                    {layers, {30, 0, 0}, layers, {31, 33, 0}, {33, 31, 1}}};
    VkImageResolve2 regions[2];
    for (uint32_t i = 0; i < 2; i++)
        regions[i] = (VkImageResolve2){VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2,
                                       NULL,
                                       plain[i].srcSubresource,
                                       plain[i].srcOffset,
                                       plain[i].dstSubresource,
                                       plain[i].dstOffset,
                                       plain[i].extent};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdResolveImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, old.image, VK_IMAGE_LAYOUT_GENERAL, 2, plain);
    vk.ResolveImage(cmd,
                    &(VkResolveImageInfo2){VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, NULL, from.image,
                                           VK_IMAGE_LAYOUT_GENERAL, new.image, VK_IMAGE_LAYOUT_GENERAL, 2, regions});
    vkt_end_submit(&device, cmd);
    check_same_images(&old, &new, 1600); /* one channel of each texel */
    vkt_image_destroy(&device, &from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffers, vkt_check_messages),
        cmocka_unit_test_teardown(buffers_and_images, vkt_check_messages),
        cmocka_unit_test_teardown(images, vkt_check_messages),
        cmocka_unit_test_teardown(blits, vkt_check_messages),
        cmocka_unit_test_teardown(resolves, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_copies2", tests, open_device, close_device);
}
