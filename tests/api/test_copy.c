/* SPDX-License-Identifier: MIT
 *
 * Transfers: copies of buffers, of images of every tiling and size class, fills, updates, clears and blits. All results
 * but those of blits are exact.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"

static uint8_t pattern(size_t i, uint32_t seed)
{
    uint32_t x = (uint32_t)i * 2654435761u + seed * 40503u;
    return (uint8_t)(x >> 24 ^ x >> 9);
}

static void buffer_copies(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint8_t source[1000];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = pattern(i, 1);
    struct vkt_buffer a = vkt_buffer_create(t, sizeof source, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, source);
    struct vkt_buffer b = vkt_buffer_create(t, 1000, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(b.map, 0xee, 1000);
    VkCommandBuffer cmd = vkt_begin(t);
    VkBufferCopy regions[] = {{3, 500, 77}, {900, 0, 100}};
    vkCmdCopyBuffer(cmd, a.buffer, b.buffer, 2, regions);
    vkCmdFillBuffer(cmd, b.buffer, 200, 40, 0x12345678);
    vkCmdUpdateBuffer(cmd, b.buffer, 300, 16, "sixteen bytes...");
    vkt_end_submit(t, cmd);
    uint8_t expected[1000];
    memset(expected, 0xee, sizeof expected);
    memcpy(expected + 500, source + 3, 77);
    memcpy(expected, source + 900, 100);
    for (size_t i = 200; i < 240; i += 4)
        memcpy(expected + i, &(uint32_t){0x12345678}, 4);
    memcpy(expected + 300, "sixteen bytes...", 16);
    assert_memory_equal(b.map, expected, sizeof expected);
    vkt_buffer_destroy(t, &a);
    vkt_buffer_destroy(t, &b);
}

/* The driver joins small transfers without barriers between them into few operations. Each must still have its effect
 * in every submission, and transfers after a barrier must see the results of those before it. */
static void many_small_updates(void **state)
{
    enum { PIECES = 2000, PIECE_B = 64, BIG_B = 48 << 10 };
    static uint8_t data[BIG_B], expected[PIECES * PIECE_B], copied[PIECES * PIECE_B];
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct vkt_buffer a = vkt_buffer_create(t, sizeof expected, usage, NULL);
    struct vkt_buffer b = vkt_buffer_create(t, sizeof copied, usage, NULL);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < PIECES; i++) {
        for (uint32_t k = 0; k < PIECE_B; k++)
            expected[i * PIECE_B + k] = pattern(k, i);
        vkCmdUpdateBuffer(cmd, a.buffer, i * PIECE_B, PIECE_B, expected + i * PIECE_B);
    }
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
    for (uint32_t i = 0; i < PIECES; i++) {
        const VkBufferCopy region = {i * PIECE_B, (PIECES - 1 - i) * PIECE_B, PIECE_B};
        vkCmdCopyBuffer(cmd, a.buffer, b.buffer, 1, &region);
        memcpy(copied + region.dstOffset, expected + region.srcOffset, PIECE_B);
    }
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
    for (uint32_t i = 0; i < BIG_B; i++)
        data[i] = pattern(i, 7);
    for (uint32_t i = 0; i < 2; i++) { /* large enough to go to a worker thread when joined */
        vkCmdUpdateBuffer(cmd, a.buffer, i * BIG_B, BIG_B, data);
        memcpy(expected + i * BIG_B, data, BIG_B);
    }
    vkCmdFillBuffer(cmd, b.buffer, 0, 64, 0);
    memset(copied, 0, 64);
    vkEndCommandBuffer(cmd);
    for (uint32_t round = 0; round < 2; round++) {
        memset(a.map, 0xee, sizeof expected);
        memset(b.map, 0xee, sizeof copied);
        vkt_submit(t, cmd);
        assert_memory_equal(a.map, expected, sizeof expected);
        assert_memory_equal(b.map, copied, sizeof copied);
    }
    vkt_buffer_destroy(t, &a);
    vkt_buffer_destroy(t, &b);
}

static void fill_to_the_end(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_buffer b = vkt_buffer_create(t, 1002, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    memset(b.map, 0, 1002);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdFillBuffer(cmd, b.buffer, 996, VK_WHOLE_SIZE, 0xffffffff);
    vkt_end_submit(t, cmd);
    assert_memory_equal((uint8_t *)b.map + 996, ((uint8_t[]){255, 255, 255, 255, 0, 0}), 6);
    vkt_buffer_destroy(t, &b);
}

static VkExtent3D at_level(VkExtent3D size, uint32_t level)
{
    const VkExtent3D out = {size.width >> level, size.height >> level, size.depth >> level};
    return (VkExtent3D){out.width ? out.width : 1, out.height ? out.height : 1, out.depth ? out.depth : 1};
}

/* Copies buffer -> image -> image -> buffer, at each level for all layers: whole to and from buffers, in four odd
 * rectangles between the images. */
static void round_trip(struct vkt *t, VkFormat format, uint32_t texel_B, VkImageTiling tiling, uint32_t width,
                       uint32_t height, uint32_t levels, uint32_t layers)
{
    VkImageFormatProperties limits;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (vkGetPhysicalDeviceImageFormatProperties(t->physical, format, VK_IMAGE_TYPE_2D, tiling, usage, 0, &limits) ||
        limits.maxMipLevels < levels || limits.maxArrayLayers < layers)
        return;
    struct vkt_image_info info = {format, width, height, levels, layers, false, tiling, usage};
    struct vkt_image a = vkt_image_create(t, &info), b = vkt_image_create(t, &info);
    for (uint32_t level = 0; level < levels; level++) {
        uint32_t w = width >> level ? width >> level : 1, h = height >> level ? height >> level : 1;
        uint32_t layer_B = w * h * texel_B, size_B = layer_B * layers;
        struct vkt_buffer in = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
        struct vkt_buffer out = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
        for (uint32_t i = 0; i < size_B; i++)
            ((uint8_t *)in.map)[i] = pattern(i, level);
        memset(out.map, 0, size_B);
        VkCommandBuffer cmd = vkt_begin(t);
        VkImageLayout from = level ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_UNDEFINED;
        vkt_image_barrier(cmd, &a, from, VK_IMAGE_LAYOUT_GENERAL);
        vkt_image_barrier(cmd, &b, from, VK_IMAGE_LAYOUT_GENERAL);
        VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layers},
                                   .imageExtent = {w, h, 1}};
        vkCmdCopyBufferToImage(cmd, in.buffer, a.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
        vkt_image_barrier(cmd, &a, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
        /* Four parts that meet at unaligned coordinates. */
        uint32_t mx = w / 3, my = h / 2;
        const VkRect2D parts[] = {{{0, 0}, {mx, my}},
                                  {{(int32_t)mx, 0}, {w - mx, my}},
                                  {{0, (int32_t)my}, {mx, h - my}},
                                  {{(int32_t)mx, (int32_t)my}, {w - mx, h - my}}};
        for (size_t i = 0; i < 4; i++) {
            if (!parts[i].extent.width || !parts[i].extent.height)
                continue;
            VkImageCopy copy = {
                .srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layers},
                .srcOffset = {parts[i].offset.x, parts[i].offset.y, 0},
                .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, layers},
                .dstOffset = {parts[i].offset.x, parts[i].offset.y, 0},
                .extent = {parts[i].extent.width, parts[i].extent.height, 1},
            };
            vkCmdCopyImage(cmd, a.image, VK_IMAGE_LAYOUT_GENERAL, b.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
        }
        vkt_image_barrier(cmd, &b, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdCopyImageToBuffer(cmd, b.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &whole);
        vkt_end_submit(t, cmd);
        if (memcmp(in.map, out.map, size_B))
            fail_msg("format %d tiling %d %ux%u level %u: texels differ", format, tiling, width, height, level);
        vkt_buffer_destroy(t, &in);
        vkt_buffer_destroy(t, &out);
    }
    vkt_image_destroy(t, &a);
    vkt_image_destroy(t, &b);
}

static void image_round_trips(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t texel_B;
    } formats[] = {{VK_FORMAT_R8_UNORM, 1},          {VK_FORMAT_R8G8_UNORM, 2},          {VK_FORMAT_R8G8B8A8_UNORM, 4},
                   {VK_FORMAT_B8G8R8A8_SRGB, 4},     {VK_FORMAT_R16G16B16A16_SFLOAT, 8}, {VK_FORMAT_R32G32B32_SINT, 12},
                   {VK_FORMAT_R32G32B32A32_UINT, 16}};
    static const uint32_t sizes[][2] = {{64, 64}, {33, 17}, {4, 4}, {1, 1}, {200, 3}, {100, 130}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t f = 0; f < VKT_COUNT(formats); f++)
        for (size_t s = 0; s < VKT_COUNT(sizes); s++)
            for (int tiling = VK_IMAGE_TILING_OPTIMAL; tiling <= VK_IMAGE_TILING_LINEAR; tiling++) {
                uint32_t w = sizes[s][0], h = sizes[s][1], levels = 1;
                round_trip(t, formats[f].format, formats[f].texel_B, (VkImageTiling)tiling, w, h, 1, 1);
                while (w >> levels || h >> levels)
                    levels++;
                round_trip(t, formats[f].format, formats[f].texel_B, (VkImageTiling)tiling, w, h, levels, 3);
            }
}

/* ---------------------------------------------------------------- memory of linear images */

/* Binds memory of its own to the image and maps it. */
static uint8_t *map_rows(struct vkt *t, VkImage image, VkDeviceMemory *memory_out)
{
    VkMemoryRequirements needs;
    void *map;
    vkGetImageMemoryRequirements(t->device, image, &needs);
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!(needs.memoryTypeBits >> type & 1) || (t->memory.memoryTypes[type].propertyFlags & wanted) != wanted)
        type++;
    vkt_ok(vkAllocateMemory(t->device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .allocationSize = needs.size,
                                                    .memoryTypeIndex = type},
                            NULL, memory_out));
    vkt_ok(vkBindImageMemory(t->device, image, *memory_out, 0));
    vkt_ok(vkMapMemory(t->device, *memory_out, 0, needs.size, 0, &map));
    return map;
}

/* The host writes every texel where vkGetImageSubresourceLayout says that it is; commands then read all of them. */
static void rows_at_their_places(VkFormat format, uint32_t texel_B, VkImageType type, VkExtent3D size, uint32_t layers)
{
    enum { LEVELS = 4 };
    struct vkt *t = vkt_device(VKT_TESTED);
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = type,
                                    .format = format,
                                    .extent = size,
                                    .mipLevels = LEVELS,
                                    .arrayLayers = layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .tiling = VK_IMAGE_TILING_LINEAR,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                    .initialLayout = VK_IMAGE_LAYOUT_PREINITIALIZED};
    struct vkt_image image = {
        .format = format, .aspect = VK_IMAGE_ASPECT_COLOR_BIT, .levels = LEVELS, .layers = layers};
    vkt_ok(vkCreateImage(t->device, &info, NULL, &image.image));
    uint8_t *map = map_rows(t, image.image, &image.memory);
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(t->device, image.image, &needs);
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t layer = 0; layer < layers; layer++) {
            VkSubresourceLayout at;
            const VkImageSubresource sub = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer};
            const VkExtent3D e = at_level(size, level);
            vkGetImageSubresourceLayout(t->device, image.image, &sub, &at);
            assert_true(at.offset + at.size <= needs.size && at.rowPitch >= e.width * texel_B);
            for (uint32_t z = 0, n = 0; z < e.depth; z++)
                for (uint32_t y = 0; y < e.height; y++) {
                    const VkDeviceSize row_B = z * at.depthPitch + y * at.rowPitch;
                    assert_true(row_B + e.width * texel_B <= at.size);
                    for (uint32_t i = 0; i < e.width * texel_B; i++, n++)
                        map[at.offset + row_B + i] = pattern(n, 10 * level + layer);
                }
        }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_PREINITIALIZED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(t, cmd);
    for (uint32_t level = 0; level < LEVELS; level++)
        for (uint32_t layer = 0; layer < layers; layer++) {
            const VkExtent3D e = at_level(size, level);
            const uint32_t size_B = e.width * e.height * e.depth * texel_B;
            struct vkt_buffer out = vkt_buffer_create(t, size_B, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
            cmd = vkt_begin(t);
            vkCmdCopyImageToBuffer(
                cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1,
                &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1},
                                     .imageExtent = e});
            vkt_end_submit(t, cmd);
            for (uint32_t i = 0; i < size_B; i++)
                if (((uint8_t *)out.map)[i] != pattern(i, 10 * level + layer))
                    fail_msg("format %d, type %d, level %u, layer %u: byte %u differs", format, type, level, layer, i);
            vkt_buffer_destroy(t, &out);
        }
    vkDestroyImage(t->device, image.image, NULL);
    vkFreeMemory(t->device, image.memory, NULL);
}

static void rows_are_where_the_layout_says(void **state)
{
    static const struct {
        VkFormat format;
        uint32_t texel_B;
    } formats[] = {{VK_FORMAT_R8_UNORM, 1},
                   {VK_FORMAT_R5G6B5_UNORM_PACK16, 2},
                   {VK_FORMAT_R8G8B8A8_UNORM, 4},
                   {VK_FORMAT_R16G16B16A16_SFLOAT, 8},
                   {VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    for (size_t f = 0; f < VKT_COUNT(formats); f++) {
        rows_at_their_places(formats[f].format, formats[f].texel_B, VK_IMAGE_TYPE_1D, (VkExtent3D){37, 1, 1}, 3);
        rows_at_their_places(formats[f].format, formats[f].texel_B, VK_IMAGE_TYPE_2D, (VkExtent3D){37, 21, 1}, 1);
        rows_at_their_places(formats[f].format, formats[f].texel_B, VK_IMAGE_TYPE_2D, (VkExtent3D){32, 9, 1}, 3);
        rows_at_their_places(formats[f].format, formats[f].texel_B, VK_IMAGE_TYPE_3D, (VkExtent3D){13, 10, 9}, 1);
    }
}

static void strides_in_buffers(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .width = 40,
                                    .height = 40,
                                    .layers = 2,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    enum { ROW = 50, ROWS = 45 };
    struct vkt_buffer in = vkt_buffer_create(t, ROW * ROWS * 4 * 2, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    struct vkt_buffer out = vkt_buffer_create(t, 10 * 12 * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    for (uint32_t i = 0; i < ROW * ROWS * 2; i++)
        ((uint32_t *)in.map)[i] = i;
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    VkBufferImageCopy up = {.bufferRowLength = ROW,
                            .bufferImageHeight = ROWS,
                            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2},
                            .imageExtent = {40, 40, 1}};
    vkCmdCopyBufferToImage(cmd, in.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &up);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    VkBufferImageCopy down = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1}, .imageOffset = {7, 9, 0}, .imageExtent = {10, 12, 1}};
    vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &down);
    vkt_end_submit(t, cmd);
    for (uint32_t y = 0; y < 12; y++)
        for (uint32_t x = 0; x < 10; x++)
            assert_int_equal(((uint32_t *)out.map)[y * 10 + x], ROW * ROWS + (y + 9) * ROW + x + 7);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_image_destroy(t, &image);
}

/* Clears both levels of an image, each of whose texels must then be `texel`. */
static void clear_and_expect(VkFormat format, const VkClearColorValue *color, const void *texel, uint32_t texel_B)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = format,
                                    .width = 70,
                                    .height = 50,
                                    .levels = 2,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
    vkCmdClearColorImage(cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, color, 1, &range);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    for (uint32_t level = 0; level < 2; level++) {
        uint8_t texels[70 * 50 * 16];
        const uint32_t count = (70 >> level) * (50 >> level);
        vkt_read_image(t, &image, level, 0, texels, count * texel_B);
        for (uint32_t i = 0; i < count; i++)
            assert_memory_equal(texels + i * texel_B, texel, texel_B);
    }
    vkt_image_destroy(t, &image);
}

static void image_clears(void **state)
{
    const uint32_t words[] = {0x12345678, 0xfedcba98, 77};
    clear_and_expect(VK_FORMAT_B8G8R8A8_UNORM, &(VkClearColorValue){.float32 = {1, 0.5f, 0.25f, 0}},
                     (const uint8_t[]){64, 128, 255, 0}, 4);
    clear_and_expect(VK_FORMAT_R32G32B32_UINT, &(VkClearColorValue){.uint32 = {words[0], words[1], words[2], 5}}, words,
                     sizeof words);
}

static void depth_round_trips(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_image image = vkt_image_create(
        t, &(struct vkt_image_info){.format = VK_FORMAT_D16_UNORM,
                                    .width = 37,
                                    .height = 21,
                                    .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    uint16_t in[37 * 21], out[37 * 21];
    for (size_t i = 0; i < VKT_COUNT(in); i++)
        in[i] = (uint16_t)(i * 84 + 1);
    struct vkt_buffer staging = vkt_buffer_create(t, sizeof in, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, in);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, .imageExtent = {37, 21, 1}};
    vkCmdCopyBufferToImage(cmd, staging.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &image, 0, 0, out, sizeof out);
    assert_memory_equal(in, out, sizeof in);
    vkt_buffer_destroy(t, &staging);
    vkt_image_destroy(t, &image);
}

/* Leaves the depth in the image, which is then in TRANSFER_SRC_OPTIMAL. */
static void clear_or_upload_depth(struct vkt *t, const struct vkt_image *image, float depth, bool is_upload)
{
    float in[64];
    for (uint32_t p = 0; p < 64; p++)
        in[p] = depth;
    struct vkt_buffer staging = vkt_buffer_create(t, sizeof in, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, in);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    if (is_upload)
        vkCmdCopyBufferToImage(
            cmd, staging.buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
            &(VkBufferImageCopy){.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, .imageExtent = {8, 8, 1}});
    else
        vkCmdClearDepthStencilImage(cmd, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    &(VkClearDepthStencilValue){depth, 0}, 1,
                                    &(VkImageSubresourceRange){VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_buffer_destroy(t, &staging);
}

static void check_depth(struct vkt *t, struct vkt_image *image, float depth)
{
    const bool is_kept =
        depth != 0x1.fffffep-1f && (fmodf(depth * 0x1p24f, 1) == 0 || (float)(int)(depth * 255 + 0.5f) / 255 == depth);
    float out[64];
    image->aspect = VK_IMAGE_ASPECT_DEPTH_BIT; /* the aspect to read */
    vkt_read_image(t, image, 0, 0, out, sizeof out);
    for (uint32_t p = 0; p < 64; p++)
        if (fabsf(out[p] - depth) > (is_kept ? 0 : 0x1p-24f))
            fail_msg("%a became %a", (double)depth, (double)out[p]);
}

/* Depths that 24 fraction bits hold and multiples of 1/255 are kept exactly, whether they come from a pass's clear, a
 * clear or a copy, except that the largest code means 1. */
static void float_depths_are_exact(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    static const float others[] = {0.25f, 0.5f, 0.75f, 0x1p-24f, 0x1.fffffep-1f, 0.1f, 0.7f};
    float depths[256 + VKT_COUNT(others)];
    for (uint32_t i = 0; i < VKT_COUNT(depths); i++)
        depths[i] = i < 256 ? (float)i / 255 : others[i - 256];
    for (uint32_t i = 0; i < 2 * VKT_COUNT(depths); i++) {
        const VkFormat format = i % 2 ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_D32_SFLOAT;
        struct vkt_target target = vkt_target_create(t, 8, 8, VK_FORMAT_UNDEFINED, format);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_begin_pass(cmd, &target, NULL, depths[i / 2], 0);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(t, cmd);
        check_depth(t, &target.depth, depths[i / 2]);
        vkt_target_destroy(t, &target);
        for (uint32_t way = 0; way < 2; way++) {
            struct vkt_image image = vkt_image_create(
                t, &(struct vkt_image_info){.format = format,
                                            .width = 8,
                                            .height = 8,
                                            .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                     VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
            clear_or_upload_depth(t, &image, depths[i / 2], way);
            check_depth(t, &image, depths[i / 2]);
            vkt_image_destroy(t, &image);
        }
    }
}

/* ---------------------------------------------------------------- blits */

#define BLIT_PX 64
static VkFormat blit_from, blit_to;
static uint32_t blit_from_B;
static uint8_t blit_texels[BLIT_PX * BLIT_PX * 4];

static void blit_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    memcpy(rgba, blit_texels + 4 * (y * BLIT_PX + x), 4);
}

/* Blits unscaled, scaled up, mirrored and scaled down, with nearest and linear filters. No sample lies on a texel
 * edge. */
static void blit_scene(struct vkt *t, struct vkt_picture *out)
{
    static uint8_t in[BLIT_PX * BLIT_PX * 16];
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct vkt_image from = vkt_image_create(
        t, &(struct vkt_image_info){.format = blit_from, .width = BLIT_PX, .height = BLIT_PX, .usage = usage});
    struct vkt_image to = vkt_image_create(
        t, &(struct vkt_image_info){.format = blit_to, .width = BLIT_PX, .height = BLIT_PX, .usage = usage});
    for (uint32_t i = 0; i < BLIT_PX * BLIT_PX * blit_from_B; i++)
        in[i] = pattern(i, 3);
    struct vkt_buffer staging =
        vkt_buffer_create(t, BLIT_PX * BLIT_PX * blit_from_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, in);
    static const struct {
        VkOffset3D from[2], to[2];
        VkFilter filter;
    } regions[] = {
        {{{3, 5, 0}, {19, 21, 1}}, {{0, 0, 0}, {16, 16, 1}}, VK_FILTER_NEAREST},
        {{{0, 0, 0}, {7, 5, 1}}, {{16, 0, 0}, {40, 24, 1}}, VK_FILTER_NEAREST},
        {{{30, 30, 0}, {44, 45, 1}}, {{64, 0, 0}, {40, 24, 1}}, VK_FILTER_NEAREST},
        {{{8, 8, 0}, {24, 24, 1}}, {{0, 24, 0}, {32, 64, 1}}, VK_FILTER_LINEAR},
        {{{0, 0, 0}, {64, 64, 1}}, {{64, 64, 0}, {32, 32, 1}}, VK_FILTER_LINEAR},
    };
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    VkBufferImageCopy whole = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                               .imageExtent = {BLIT_PX, BLIT_PX, 1}};
    vkCmdCopyBufferToImage(cmd, staging.buffer, from.image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(cmd, to.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0, 0, 0, 1}}, 1,
                         &all);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    for (size_t i = 0; i < VKT_COUNT(regions); i++) {
        VkImageBlit blit = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                            .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}};
        memcpy(blit.srcOffsets, regions[i].from, sizeof blit.srcOffsets);
        memcpy(blit.dstOffsets, regions[i].to, sizeof blit.dstOffsets);
        vkCmdBlitImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                       regions[i].filter);
        vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    }
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &to, 0, 0, blit_texels, sizeof blit_texels);
    *out = vkt_picture_compute(BLIT_PX, BLIT_PX, blit_pixel);
    vkt_buffer_destroy(t, &staging);
    vkt_image_destroy(t, &from);
    vkt_image_destroy(t, &to);
}

static bool can_blit(struct vkt *t)
{
    const VkFormatFeatureFlags linear =
        VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT;
    VkFormatProperties from, to;
    vkGetPhysicalDeviceFormatProperties(t->physical, blit_from, &from);
    vkGetPhysicalDeviceFormatProperties(t->physical, blit_to, &to);
    return (from.optimalTilingFeatures & linear) == linear &&
           (to.optimalTilingFeatures & VK_FORMAT_FEATURE_BLIT_DST_BIT);
}

static void blits_convert_and_filter(void **state)
{
    static const struct {
        VkFormat from;
        uint32_t texel_B;
        VkFormat to;
        const char *name;
    } cases[] = {
        {VK_FORMAT_R8G8B8A8_UNORM, 4, VK_FORMAT_R8G8B8A8_UNORM, "blit_rgba8"},
        {VK_FORMAT_R8G8B8A8_UNORM, 4, VK_FORMAT_B8G8R8A8_UNORM, "blit_rgba8_bgra8"},
        {VK_FORMAT_R8G8B8A8_SRGB, 4, VK_FORMAT_R8G8B8A8_UNORM, "blit_srgb_rgba8"},
        {VK_FORMAT_R8G8B8A8_UNORM, 4, VK_FORMAT_B8G8R8A8_SRGB, "blit_rgba8_srgb"},
        {VK_FORMAT_R8G8_UNORM, 2, VK_FORMAT_R8G8B8A8_UNORM, "blit_rg8"},
        {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, VK_FORMAT_R8G8B8A8_UNORM, "blit_r5g6b5"},
        {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, 4, VK_FORMAT_R8G8B8A8_UNORM, "blit_e5b9g9r9"},
    };
    unsigned tested = 0;
    for (size_t i = 0; i < VKT_COUNT(cases); i++) {
        blit_from = cases[i].from;
        blit_to = cases[i].to;
        blit_from_B = cases[i].texel_B;
        if (!can_blit(vkt_device(VKT_TESTED)) || !can_blit(vkt_device(VKT_REFERENCE)))
            continue;
        vkt_compare_with_reference(cases[i].name, blit_scene, (struct vkt_tolerance){2, 0});
        tested++;
    }
    printf("# %u pairs of formats blitted\n", tested);
    assert_true(tested >= 3);
}

/* Blits one aspect mirrored and scaled by two; every texel must be exact. */
static void blit_depth(struct vkt *t, VkFormat format, VkImageAspectFlags aspect, uint32_t texel_B)
{
    enum { PX = 24 };
    uint8_t in[PX * PX * 4], out[4 * PX * PX * 4];
    struct vkt_image images[2];
    for (uint32_t i = 0; i < 2; i++)
        images[i] = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                 .width = PX << i,
                                                                 .height = PX << i,
                                                                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                          VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                          VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT});
    for (uint32_t i = 0; i < PX * PX * texel_B; i++)
        in[i] = texel_B == 4 && i % 4 == 3 ? 0 : pattern(i, 5);
    if (format == VK_FORMAT_D32_SFLOAT)
        for (uint32_t i = 0; i < PX * PX; i++)
            memcpy(in + 4 * i, &(float){(float)(i * 29000) / 0x1000000}, 4);
    struct vkt_buffer staging = vkt_buffer_create(t, PX * PX * texel_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, in);
    VkCommandBuffer cmd = vkt_begin(t);
    for (uint32_t i = 0; i < 2; i++)
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdCopyBufferToImage(cmd, staging.buffer, images[0].image, VK_IMAGE_LAYOUT_GENERAL, 1,
                           &(VkBufferImageCopy){.imageSubresource = {aspect, 0, 0, 1}, .imageExtent = {PX, PX, 1}});
    vkt_image_barrier(cmd, &images[0], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBlitImage(cmd, images[0].image, VK_IMAGE_LAYOUT_GENERAL, images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageBlit){.srcSubresource = {aspect, 0, 0, 1},
                                  .srcOffsets = {{0, 0, 0}, {PX, PX, 1}},
                                  .dstSubresource = {aspect, 0, 0, 1},
                                  .dstOffsets = {{2 * PX, 0, 0}, {0, 2 * PX, 1}}},
                   VK_FILTER_NEAREST);
    vkt_image_barrier(cmd, &images[1], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    images[1].aspect = aspect; /* the aspect to read */
    vkt_read_image(t, &images[1], 0, 0, out, 4 * PX * PX * texel_B);
    for (uint32_t y = 0; y < 2 * PX; y++)
        for (uint32_t x = 0; x < 2 * PX; x++)
            if (memcmp(out + (y * 2 * PX + x) * texel_B, in + (y / 2 * PX + PX - 1 - x / 2) * texel_B, texel_B) != 0)
                fail_msg("format %d, aspect %u: texel (%u,%u) is wrong", (int)format, (unsigned)aspect, x, y);
    vkt_buffer_destroy(t, &staging);
    vkt_image_destroy(t, &images[0]);
    vkt_image_destroy(t, &images[1]);
}

static void depth_and_stencil_are_blitted(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    blit_depth(t, VK_FORMAT_D16_UNORM, VK_IMAGE_ASPECT_DEPTH_BIT, 2);
    blit_depth(t, VK_FORMAT_X8_D24_UNORM_PACK32, VK_IMAGE_ASPECT_DEPTH_BIT, 4);
    blit_depth(t, VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, 4);
    blit_depth(t, VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_DEPTH_BIT, 4);
    blit_depth(t, VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 1);
    blit_depth(t, VK_FORMAT_S8_UINT, VK_IMAGE_ASPECT_STENCIL_BIT, 1);
}

/* Blits a 3D image to another with twice or half as many slices, or mirrored, and compares each texel with the mean of
 * the two slices around it. */
static void blit_slices(struct vkt *t, VkFormat format, uint32_t texel_B, uint32_t to_depth, bool mirrored)
{
    enum { PX = 8, FROM_DEPTH = 8, MOST = 16 };
    uint8_t in[FROM_DEPTH * PX * PX * 4], out[MOST * PX * PX * 4];
    const uint32_t slice_B = PX * PX * texel_B, depths[2] = {FROM_DEPTH, to_depth};
    struct vkt_image images[2];
    for (uint32_t i = 0; i < 2; i++)
        images[i] = vkt_image_create(t, &(struct vkt_image_info){.format = format,
                                                                 .width = PX,
                                                                 .height = PX,
                                                                 .depth = depths[i],
                                                                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                          VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                          VK_IMAGE_USAGE_SAMPLED_BIT});
    for (uint32_t i = 0; i < FROM_DEPTH * slice_B; i++)
        in[i] = pattern(i, 7) % 128; /* SNORM: not negative */
    vkt_image_upload(t, &images[0], 0, 0, in, FROM_DEPTH * slice_B);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &images[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &images[1], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const int32_t to = (int32_t)to_depth;
    vkCmdBlitImage(cmd, images[0].image, VK_IMAGE_LAYOUT_GENERAL, images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageBlit){.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .srcOffsets = {{0, 0, 0}, {PX, PX, FROM_DEPTH}},
                                  .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .dstOffsets = {{0, 0, mirrored ? to : 0}, {PX, PX, mirrored ? 0 : to}}},
                   VK_FILTER_LINEAR);
    vkt_image_barrier(cmd, &images[1], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &images[1], 0, 0, out, to_depth * slice_B);
    for (uint32_t i = 0; i < to_depth * slice_B; i++) {
        const uint32_t z = mirrored ? to_depth - 1 - i / slice_B : i / slice_B;
        const float at = fmaxf(((float)z + 0.5f) * FROM_DEPTH / (float)to_depth - 0.5f, 0), low = floorf(at);
        const uint32_t first = (uint32_t)low, second = first + 1 < FROM_DEPTH ? first + 1 : first;
        const float a = in[first * slice_B + i % slice_B], b = in[second * slice_B + i % slice_B];
        const float expected = a + (b - a) * (at - low);
        if (fabsf((float)out[i] - expected) > 1)
            fail_msg("format %d, %u slices: byte %u is %u instead of %.2f", (int)format, to_depth, i, out[i],
                     (double)expected);
    }
    vkt_image_destroy(t, &images[0]);
    vkt_image_destroy(t, &images[1]);
}

static void slices_are_filtered(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    static const uint32_t depths[] = {1, 4, 8, 11, 16};
    for (uint32_t i = 0; i < VKT_COUNT(depths); i++) {
        blit_slices(t, VK_FORMAT_R8G8B8A8_UNORM, 4, depths[i], i % 2);
        blit_slices(t, VK_FORMAT_R8G8_SNORM, 2, depths[i], i % 2);
    }
}

/* Blits the upper left quarter of an image without scaling it. The others are NaN, as memory that nobody has written
 * may be: with a weight of 0 they must not matter. */
static void texels_without_weight_do_not_count(void **state)
{
    enum { PX = 8, VALUE = 0x3555, NOT_A_NUMBER = 0xffff };
    struct vkt *t = vkt_device(VKT_TESTED);
    uint16_t in[2 * PX][2 * PX][4], out[PX][PX][4];
    for (uint32_t y = 0; y < 2 * PX; y++)
        for (uint32_t x = 0; x < 2 * PX; x++)
            for (uint32_t i = 0; i < 4; i++)
                in[y][x][i] = x < PX && y < PX ? VALUE : NOT_A_NUMBER;
    struct vkt_image images[2];
    for (uint32_t i = 0; i < 2; i++)
        images[i] = vkt_image_create(t, &(struct vkt_image_info){.format = VK_FORMAT_R16G16B16A16_SFLOAT,
                                                                 .width = i ? PX : 2 * PX,
                                                                 .height = i ? PX : 2 * PX,
                                                                 .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                          VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                          VK_IMAGE_USAGE_SAMPLED_BIT});
    vkt_image_upload(t, &images[0], 0, 0, in, sizeof in);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_image_barrier(cmd, &images[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &images[1], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdBlitImage(cmd, images[0].image, VK_IMAGE_LAYOUT_GENERAL, images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageBlit){.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .srcOffsets = {{0, 0, 0}, {PX, PX, 1}},
                                  .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                  .dstOffsets = {{0, 0, 0}, {PX, PX, 1}}},
                   VK_FILTER_LINEAR);
    vkt_image_barrier(cmd, &images[1], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &images[1], 0, 0, out, sizeof out);
    for (uint32_t y = 0; y < PX; y++)
        for (uint32_t x = 0; x < PX; x++)
            for (uint32_t i = 0; i < 4; i++)
                assert_int_equal(out[y][x][i], VALUE);
    vkt_image_destroy(t, &images[0]);
    vkt_image_destroy(t, &images[1]);
}

/* Formats of 10 and 12 bits in the upper bits of 16: blits neither see the other bits nor set them. */
static void padded_formats_are_blitted(void **state)
{
    /* Formats of 10 and 12 bits came with VK_KHR_sampler_ycbcr_conversion, which this device does not enable. */
    vkt_accept_message(vkt_device(VKT_TESTED),
                       "VUID-VkImageCreateInfo-format-parameter VUID-VkImageViewCreateInfo-format-parameter");
    enum { PX = 61 };
    static const struct {
        VkFormat format;
        uint32_t channels, bits;
    } kinds[] = {{VK_FORMAT_R10X6_UNORM_PACK16, 1, 10},
                 {VK_FORMAT_R10X6G10X6_UNORM_2PACK16, 2, 10},
                 {VK_FORMAT_R12X4_UNORM_PACK16, 1, 12},
                 {VK_FORMAT_R12X4G12X4_UNORM_2PACK16, 2, 12}};
    struct vkt *t = vkt_device(VKT_TESTED);
    for (size_t k = 0; k < VKT_COUNT(kinds); k++) {
        const uint32_t channels = kinds[k].channels, padding = 16 - kinds[k].bits;
        const VkFormat formats[] = {kinds[k].format, VK_FORMAT_R32G32_SFLOAT, kinds[k].format};
        struct vkt_image images[3];
        uint16_t in[2 * PX], out[2 * PX];
        float between[2 * PX];
        for (uint32_t i = 0; i < 3; i++)
            images[i] = vkt_image_create(t, &(struct vkt_image_info){.format = formats[i],
                                                                     .width = PX,
                                                                     .height = 1,
                                                                     .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                              VK_IMAGE_USAGE_SAMPLED_BIT});
        for (uint32_t i = 0; i < PX * channels; i++)
            in[i] = (uint16_t)(i * 1069 + 7);
        vkt_image_upload(t, &images[0], 0, 0, in, PX * channels * sizeof *in);
        VkCommandBuffer cmd = vkt_begin(t);
        vkt_image_barrier(cmd, &images[0], VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                          VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        for (uint32_t i = 0; i < 2; i++) {
            const VkImageBlit whole = {.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                       .srcOffsets = {{0, 0, 0}, {PX, 1, 1}},
                                       .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                       .dstOffsets = {{0, 0, 0}, {PX, 1, 1}}};
            vkt_image_barrier(cmd, &images[i + 1], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
            vkCmdBlitImage(cmd, images[i].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, images[i + 1].image,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &whole, VK_FILTER_NEAREST);
            vkt_image_barrier(cmd, &images[i + 1], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        }
        vkt_end_submit(t, cmd);
        vkt_read_image(t, &images[1], 0, 0, between, sizeof between);
        vkt_read_image(t, &images[2], 0, 0, out, PX * channels * sizeof *out);
        for (uint32_t i = 0; i < PX * channels; i++) {
            const uint32_t value = in[i] >> padding;
            const float got = between[i / channels * 2 + i % channels], most = (float)((1 << kinds[k].bits) - 1);
            if (fabsf(got - (float)value / most) > 1e-6f || out[i] != value << padding)
                fail_msg("format %d, channel %u: 0x%x became %f and 0x%x", kinds[k].format, i, in[i], (double)got,
                         out[i]);
        }
        for (uint32_t i = 0; i < 3; i++)
            vkt_image_destroy(t, &images[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(buffer_copies, vkt_check_messages),
        cmocka_unit_test_teardown(many_small_updates, vkt_check_messages),
        cmocka_unit_test_teardown(fill_to_the_end, vkt_check_messages),
        cmocka_unit_test_teardown(image_round_trips, vkt_check_messages),
        cmocka_unit_test_teardown(rows_are_where_the_layout_says, vkt_check_messages),
        cmocka_unit_test_teardown(strides_in_buffers, vkt_check_messages),
        cmocka_unit_test_teardown(image_clears, vkt_check_messages),
        cmocka_unit_test_teardown(depth_round_trips, vkt_check_messages),
        cmocka_unit_test_teardown(float_depths_are_exact, vkt_check_messages),
        cmocka_unit_test_teardown(blits_convert_and_filter, vkt_check_messages),
        cmocka_unit_test_teardown(padded_formats_are_blitted, vkt_check_messages),
        cmocka_unit_test_teardown(depth_and_stencil_are_blitted, vkt_check_messages),
        cmocka_unit_test_teardown(slices_are_filtered, vkt_check_messages),
        cmocka_unit_test_teardown(texels_without_weight_do_not_count, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("copy", tests, NULL, vkt_teardown);
}
