/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance8: copies between colours and one aspect of depth and stencil, blits between slices of 3D images
 * and layers, offsets of lookups that are not constant, remainders of negative numbers, barriers with access flags of
 * the third kind, ownership transfers whose barriers have stages on both sides, merges of pipeline caches from several
 * threads. Expected values are computed; the reference driver does not have the extension.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "fork.comp.h"
#include "full.vert.h"
#include "offsets_2d.frag.h"
#include "offsets_more.frag.h"
#include "remainders.comp.h"

static struct vkt device;

static int open_device(void **state)
{
    static const char *const extension = VK_KHR_MAINTENANCE_8_EXTENSION_NAME;
    VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR, .maintenance8 = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &maintenance8);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static uint32_t hash(uint32_t i)
{
    i = (i ^ 61) ^ (i >> 16);
    i *= 9;
    i ^= i >> 4;
    i *= 0x27d4eb2d;
    return i ^ i >> 15;
}

static bool is_copyable(VkFormat format)
{
    VkFormatProperties p;
    const VkFormatFeatureFlags wanted = VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
    vkGetPhysicalDeviceFormatProperties(device.physical, format, &p);
    return (p.optimalTilingFeatures & wanted) == wanted;
}

/* ---------------------------------------------------------------- copies */

enum { PX = 40, LAYERS = 3, BASE = 1, X = 5, Y = 7, W = 21, H = 18 }; /* a region of two layers */

static const struct copy_row {
    VkFormat depth;
    VkImageAspectFlagBits aspect;
    VkFormat colors[5];
} copies[] = {
    {VK_FORMAT_D32_SFLOAT, VK_IMAGE_ASPECT_DEPTH_BIT, {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT, VK_FORMAT_R32_UINT}},
    {VK_FORMAT_D32_SFLOAT_S8_UINT,
     VK_IMAGE_ASPECT_DEPTH_BIT,
     {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT, VK_FORMAT_R32_UINT}},
    {VK_FORMAT_X8_D24_UNORM_PACK32,
     VK_IMAGE_ASPECT_DEPTH_BIT,
     {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT, VK_FORMAT_R32_UINT}},
    {VK_FORMAT_D24_UNORM_S8_UINT,
     VK_IMAGE_ASPECT_DEPTH_BIT,
     {VK_FORMAT_R32_SFLOAT, VK_FORMAT_R32_SINT, VK_FORMAT_R32_UINT}},
    {VK_FORMAT_D16_UNORM,
     VK_IMAGE_ASPECT_DEPTH_BIT,
     {VK_FORMAT_R16_SFLOAT, VK_FORMAT_R16_UNORM, VK_FORMAT_R16_SNORM, VK_FORMAT_R16_UINT, VK_FORMAT_R16_SINT}},
    {VK_FORMAT_S8_UINT,
     VK_IMAGE_ASPECT_STENCIL_BIT,
     {VK_FORMAT_R8_UINT, VK_FORMAT_R8_SINT, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SNORM}},
    {VK_FORMAT_D24_UNORM_S8_UINT,
     VK_IMAGE_ASPECT_STENCIL_BIT,
     {VK_FORMAT_R8_UINT, VK_FORMAT_R8_SINT, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SNORM}},
    {VK_FORMAT_D32_SFLOAT_S8_UINT,
     VK_IMAGE_ASPECT_STENCIL_BIT,
     {VK_FORMAT_R8_UINT, VK_FORMAT_R8_SINT, VK_FORMAT_R8_UNORM, VK_FORMAT_R8_SNORM}},
};

static uint32_t texel_B(const struct copy_row *row)
{
    return row->aspect == VK_IMAGE_ASPECT_STENCIL_BIT ? 1 : row->depth == VK_FORMAT_D16_UNORM ? 2 : 4;
}

/* Fills in texels that the depth format keeps: attachments, and all images with stencil, keep 24 bits of floats in
 * [0,1]. */
static void fill_texels(const struct copy_row *row, bool is_attachment, uint32_t seed, uint8_t *out)
{
    const bool is_float = row->depth == VK_FORMAT_D32_SFLOAT || row->depth == VK_FORMAT_D32_SFLOAT_S8_UINT;
    const uint32_t size_B = texel_B(row);
    for (uint32_t i = 0; i < PX * PX * LAYERS; i++) {
        uint32_t word = hash(i + seed * 100000);
        const float depth = (float)(word & 0xffff) / 0x10000;
        if (size_B == 4 && is_float && (is_attachment || row->depth == VK_FORMAT_D32_SFLOAT_S8_UINT))
            memcpy(&word, &depth, 4);
        else if (size_B == 4 && !is_float)
            word &= 0xffffff;
        memcpy(out + (size_t)i * size_B, &word, size_B);
    }
}

static void copy_whole(VkCommandBuffer cmd, const struct vkt_image *image, VkImageAspectFlags aspect,
                       struct vkt_buffer *buffer, bool to_image)
{
    const VkBufferImageCopy whole = {.imageSubresource = {aspect, 0, 0, image->layers},
                                     .imageExtent = {image->width, image->height, image->depth}};
    vkt_barrier_all(cmd);
    if (to_image)
        vkCmdCopyBufferToImage(cmd, buffer->buffer, image->image, VK_IMAGE_LAYOUT_GENERAL, 1, &whole);
    else
        vkCmdCopyImageToBuffer(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, 1, &whole);
    vkt_barrier_all(cmd);
}

/* A region, or whole levels, which the tile buffer might copy. */
static void copy_aspect(VkCommandBuffer cmd, const struct vkt_image *from, VkImageAspectFlags from_aspect,
                        const struct vkt_image *to, VkImageAspectFlags to_aspect, bool is_whole, bool second_command)
{
    const uint32_t layers = is_whole ? LAYERS : LAYERS - BASE, x = is_whole ? 0 : X, y = is_whole ? 0 : Y;
    const VkImageSubresourceLayers source = {from_aspect, 0, 0, layers};
    const VkImageSubresourceLayers target = {to_aspect, 0, LAYERS - layers, layers};
    const VkExtent3D extent = {is_whole ? PX : W, is_whole ? PX : H, 1};
    const VkOffset3D at = {(int32_t)x, (int32_t)y, 0};
    vkt_barrier_all(cmd);
    if (second_command) {
        const VkImageCopy2 r = {VK_STRUCTURE_TYPE_IMAGE_COPY_2, NULL, source, {0, 0, 0}, target, at, extent};
        vkCmdCopyImage2(cmd, &(VkCopyImageInfo2){VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, NULL, from->image,
                                                 VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &r});
    } else {
        const VkImageCopy r = {source, {0, 0, 0}, target, at, extent};
        vkCmdCopyImage(cmd, from->image, VK_IMAGE_LAYOUT_GENERAL, to->image, VK_IMAGE_LAYOUT_GENERAL, 1, &r);
    }
    vkt_barrier_all(cmd);
}

/* What copy_aspect makes of `to`. */
static void copy_texels(const uint8_t *from, uint8_t *to, uint32_t size_B, bool is_whole)
{
    const uint32_t layers = is_whole ? LAYERS : LAYERS - BASE, width = is_whole ? PX : W, height = is_whole ? PX : H;
    for (uint32_t layer = 0; layer < layers; layer++)
        for (uint32_t y = 0; y < height; y++) {
            const size_t from_px = ((size_t)layer * PX + y) * PX;
            const size_t to_px =
                ((size_t)(LAYERS - layers + layer) * PX + y + (is_whole ? 0 : Y)) * PX + (is_whole ? 0 : X);
            memcpy(to + to_px * size_B, from + from_px * size_B, (size_t)width * size_B);
        }
}

static void check_texels(const struct copy_row *row, VkFormat color, const char *what, const uint8_t *got,
                         const uint8_t *expected)
{
    const uint32_t size_B = texel_B(row);
    const bool is_24 =
        size_B == 4 && (row->depth == VK_FORMAT_X8_D24_UNORM_PACK32 || row->depth == VK_FORMAT_D24_UNORM_S8_UINT);
    for (uint32_t i = 0; i < PX * PX * LAYERS; i++) /* the upper 8 bits of depths of 24 bits are undefined */
        if (memcmp(got + (size_t)i * size_B, expected + (size_t)i * size_B, is_24 ? 3 : size_B) != 0)
            fail_msg("depth format %d, aspect %d, colour format %d, %s: texel %u of layer %u", (int)row->depth,
                     (int)row->aspect, (int)color, what, i % (PX * PX), i / (PX * PX));
}

/* Colours to the aspect and back to other colours. The other aspect must stay as it is. */
static void copy_there_and_back(const struct copy_row *row, VkFormat color, bool is_attachment, bool is_whole)
{
    static uint8_t colors[PX * PX * LAYERS * 4], depths[PX * PX * LAYERS * 4], others[PX * PX * LAYERS * 4];
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    const uint32_t size_B = texel_B(row), all_B = PX * PX * LAYERS * size_B;
    struct vkt_image_info info = {
        .format = color, .width = PX, .height = PX, .layers = LAYERS, .usage = copied, .array = true};
    struct vkt_image from = vkt_image_create(&device, &info), back = vkt_image_create(&device, &info);
    info.format = row->depth;
    info.usage |= is_attachment ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : 0;
    struct vkt_image depth = vkt_image_create(&device, &info);
    const bool has_other = (depth.aspect & both) == both;
    struct copy_row other_row = {
        row->depth, (VkImageAspectFlagBits)(depth.aspect & ~(VkImageAspectFlags)row->aspect), {0}};
    fill_texels(row, is_attachment, 1, colors);
    fill_texels(row, is_attachment, 2, depths);
    if (has_other)
        fill_texels(&other_row, is_attachment, 3, others);
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct vkt_buffer color_buffer = vkt_buffer_create(&device, all_B, usage, colors),
                      depth_buffer = vkt_buffer_create(&device, all_B, usage, depths),
                      other_buffer = vkt_buffer_create(&device, sizeof others, usage, others);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &back, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    copy_whole(cmd, &from, VK_IMAGE_ASPECT_COLOR_BIT, &color_buffer, true);
    copy_whole(cmd, &back, VK_IMAGE_ASPECT_COLOR_BIT, &color_buffer, true);
    copy_whole(cmd, &depth, row->aspect, &depth_buffer, true);
    if (has_other)
        copy_whole(cmd, &depth, other_row.aspect, &other_buffer, true);
    copy_aspect(cmd, &from, VK_IMAGE_ASPECT_COLOR_BIT, &depth, row->aspect, is_whole, is_attachment);
    copy_whole(cmd, &depth, row->aspect, &depth_buffer, false);
    if (has_other)
        copy_whole(cmd, &depth, other_row.aspect, &other_buffer, false);
    copy_aspect(cmd, &depth, row->aspect, &back, VK_IMAGE_ASPECT_COLOR_BIT, is_whole, !is_attachment);
    copy_whole(cmd, &back, VK_IMAGE_ASPECT_COLOR_BIT, &color_buffer, false);
    vkt_end_submit(&device, cmd);
    copy_texels(colors, depths, size_B, is_whole);
    check_texels(row, color, "to depth or stencil", depth_buffer.map, depths);
    copy_texels(depths, colors, size_B, is_whole);
    check_texels(row, color, "back", color_buffer.map, colors);
    if (has_other)
        check_texels(&other_row, color, "the other aspect", other_buffer.map, others);
    vkt_buffer_destroy(&device, &color_buffer);
    vkt_buffer_destroy(&device, &depth_buffer);
    vkt_buffer_destroy(&device, &other_buffer);
    vkt_image_destroy(&device, &from);
    vkt_image_destroy(&device, &back);
    vkt_image_destroy(&device, &depth);
}

static void depths_and_colors_are_copied(void **state)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < VKT_COUNT(copies); i++) {
        if (!is_copyable(copies[i].depth))
            continue;
        for (uint32_t k = 0; k < VKT_COUNT(copies[i].colors) && copies[i].colors[k]; k++) {
            assert_true(is_copyable(copies[i].colors[k]));
            for (uint32_t way = 0; way < 4; way++, count++)
                copy_there_and_back(&copies[i], copies[i].colors[k], way % 2, way / 2);
        }
    }
    assert_true(count >= 4 * 17); /* every format that Vulkan demands */
}

/* Layers of depths become slices of a 3D image, and the reverse. */
static void depth_layers_become_slices(void **state)
{
    static uint16_t texels[LAYERS * PX * PX];
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    for (uint32_t i = 0; i < VKT_COUNT(texels); i++)
        texels[i] = (uint16_t)hash(i);
    struct vkt_buffer in = vkt_buffer_create(&device, sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels),
                      out = vkt_buffer_create(&device, sizeof texels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    struct vkt_image_info info = {.format = VK_FORMAT_D16_UNORM,
                                  .width = PX,
                                  .height = PX,
                                  .layers = LAYERS,
                                  .array = true,
                                  .usage = copied | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT};
    struct vkt_image depth = vkt_image_create(&device, &info), last = vkt_image_create(&device, &info);
    struct vkt_image volume = vkt_image_create(
        &device, &(struct vkt_image_info){
                     .format = VK_FORMAT_R16_UNORM, .width = PX, .height = PX, .depth = LAYERS + 2, .usage = copied});
    VkImageCopy to_slices = {.srcSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, LAYERS},
                             .dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                             .dstOffset = {0, 0, 2},
                             .extent = {PX, PX, LAYERS}};
    const VkImageCopy to_layers = {.srcSubresource = to_slices.dstSubresource,
                                   .srcOffset = to_slices.dstOffset,
                                   .dstSubresource = to_slices.srcSubresource,
                                   .extent = to_slices.extent};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &last, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkt_image_barrier(cmd, &volume, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    copy_whole(cmd, &depth, VK_IMAGE_ASPECT_DEPTH_BIT, &in, true);
    vkCmdCopyImage(cmd, depth.image, VK_IMAGE_LAYOUT_GENERAL, volume.image, VK_IMAGE_LAYOUT_GENERAL, 1, &to_slices);
    vkt_barrier_all(cmd);
    vkCmdCopyImage(cmd, volume.image, VK_IMAGE_LAYOUT_GENERAL, last.image, VK_IMAGE_LAYOUT_GENERAL, 1, &to_layers);
    copy_whole(cmd, &last, VK_IMAGE_ASPECT_DEPTH_BIT, &out, false);
    vkt_end_submit(&device, cmd);
    assert_memory_equal(out.map, texels, sizeof texels);
    vkt_buffer_destroy(&device, &in);
    vkt_buffer_destroy(&device, &out);
    vkt_image_destroy(&device, &depth);
    vkt_image_destroy(&device, &last);
    vkt_image_destroy(&device, &volume);
}

/* All four samples, through an image of depths, and resolved. */
static void samples_of_depths_are_copied(void **state)
{
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct vkt_image_info info = {.format = VK_FORMAT_R32_SFLOAT,
                                  .width = PX,
                                  .height = PX,
                                  .samples = VK_SAMPLE_COUNT_4_BIT,
                                  .usage = copied | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
    struct vkt_image from = vkt_image_create(&device, &info), back = vkt_image_create(&device, &info);
    info.format = VK_FORMAT_D32_SFLOAT;
    info.usage = copied | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    struct vkt_image depth = vkt_image_create(&device, &info);
    struct vkt_image resolved = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R32_SFLOAT, .width = PX, .height = PX, .usage = copied});
    struct vkt_buffer out = vkt_buffer_create(&device, PX * PX * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    const VkImageSubresourceLayers color_layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceLayers depth_layer = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1};
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkCommandBuffer cmd = vkt_begin(&device);
    struct vkt_image *const images[] = {&from, &back, &depth, &resolved};
    for (uint32_t i = 0; i < VKT_COUNT(images); i++)
        vkt_image_barrier(cmd, images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdClearColorImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0.375f}}, 1, &all);
    vkCmdClearColorImage(cmd, back.image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0.75f}}, 1, &all);
    vkt_barrier_all(cmd);
    vkCmdCopyImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, depth.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){color_layer, {0, 0, 0}, depth_layer, {0, 0, 0}, {PX, PX, 1}});
    vkt_barrier_all(cmd);
    vkCmdCopyImage(cmd, depth.image, VK_IMAGE_LAYOUT_GENERAL, back.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                   &(VkImageCopy){depth_layer, {0, 0, 0}, color_layer, {0, 0, 0}, {PX, PX, 1}});
    vkt_barrier_all(cmd);
    vkCmdResolveImage(cmd, back.image, VK_IMAGE_LAYOUT_GENERAL, resolved.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                      &(VkImageResolve){color_layer, {0, 0, 0}, color_layer, {0, 0, 0}, {PX, PX, 1}});
    copy_whole(cmd, &resolved, VK_IMAGE_ASPECT_COLOR_BIT, &out, false);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < PX * PX; i++)
        assert_true(((const float *)out.map)[i] == 0.375f);
    vkt_buffer_destroy(&device, &out);
    for (uint32_t i = 0; i < VKT_COUNT(images); i++)
        vkt_image_destroy(&device, images[i]);
}

/* ---------------------------------------------------------------- blits */

enum { SLICES = 6, SIDE = 12 };

static uint32_t slice_texel(uint32_t slice, uint32_t x, uint32_t y)
{
    return hash((slice * SIDE + y) * SIDE + x) | 0xff000000;
}

/* Blits slices to layers or the reverse, also several at once and in reverse order; in x and y to twice the size. */
static void blit_slices(bool from_volume, uint32_t from_first, uint32_t to_first, uint32_t count, bool is_reversed,
                        VkFilter filter)
{
    enum { SCALE = 2 };
    static uint32_t in[SLICES * SIDE * SIDE], out[SLICES * SIDE * SCALE * SIDE * SCALE];
    const uint32_t scale = filter == VK_FILTER_NEAREST ? SCALE : 1, side = SIDE * scale; /* else exact, too */
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    struct vkt_image images[2];
    for (uint32_t i = 0; i < 2; i++) {
        const bool is_volume = (i == 0) == from_volume;
        images[i] = vkt_image_create(&device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                                       .width = i ? side : SIDE,
                                                                       .height = i ? side : SIDE,
                                                                       .depth = is_volume ? SLICES : 0,
                                                                       .layers = is_volume ? 0 : SLICES,
                                                                       .array = !is_volume,
                                                                       .usage = copied});
    }
    for (uint32_t i = 0; i < VKT_COUNT(in); i++)
        in[i] = slice_texel(i / (SIDE * SIDE), i % SIDE, i / SIDE % SIDE);
    for (uint32_t i = 0; i < VKT_COUNT(out); i++)
        out[i] = 0x12345678;
    struct vkt_buffer from = vkt_buffer_create(&device, sizeof in, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, in);
    struct vkt_buffer to = vkt_buffer_create(&device, sizeof out,
                                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, out);
    const uint32_t volume_first = from_volume ? from_first : to_first;
    const int32_t z0 = (int32_t)(volume_first + (is_reversed ? count : 0)),
                  z1 = (int32_t)(volume_first + (is_reversed ? 0 : count));
    const VkImageSubresourceLayers slices = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, from_volume ? to_first : from_first, count};
    const VkImageBlit blit = {
        .srcSubresource = from_volume ? slices : layers,
        .srcOffsets = {{0, 0, from_volume ? z0 : 0}, {SIDE, SIDE, from_volume ? z1 : 1}},
        .dstSubresource = from_volume ? layers : slices,
        .dstOffsets = {{0, 0, from_volume ? 0 : z0}, {(int32_t)side, (int32_t)side, from_volume ? 1 : z1}}};
    VkCommandBuffer cmd = vkt_begin(&device);
    for (uint32_t i = 0; i < 2; i++) {
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        copy_whole(cmd, &images[i], VK_IMAGE_ASPECT_COLOR_BIT, i ? &to : &from, true);
    }
    vkCmdBlitImage(cmd, images[0].image, VK_IMAGE_LAYOUT_GENERAL, images[1].image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                   filter);
    copy_whole(cmd, &images[1], VK_IMAGE_ASPECT_COLOR_BIT, &to, false);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < SLICES * side * side; i++) {
        const uint32_t slice = i / (side * side), k = slice - to_first;
        const bool is_target = slice >= to_first && k < count;
        const uint32_t source = from_first + (is_reversed ? count - 1 - k : k);
        const uint32_t expected =
            is_target ? slice_texel(source, i % side / scale, i / side % side / scale) : 0x12345678;
        if (((const uint32_t *)to.map)[i] != expected)
            fail_msg("%s, from %u to %u, %u of them, filter %d: texel %u of %u is %08x instead of %08x",
                     from_volume ? "slices to layers" : "layers to slices", from_first, to_first, count, (int)filter,
                     i % (side * side), slice, ((const uint32_t *)to.map)[i], expected);
    }
    vkt_buffer_destroy(&device, &from);
    vkt_buffer_destroy(&device, &to);
    vkt_image_destroy(&device, &images[0]);
    vkt_image_destroy(&device, &images[1]);
}

/* Several layers at once are more than Vulkan allows. */
static void slices_are_blitted_to_layers_and_back(void **state)
{
    static const uint32_t cases[][3] = {{0, 0, 1}, {4, 2, 1}, {1, 5, 1}, {5, 0, 1}, {0, 0, 3}, {2, 3, 3}, {1, 0, 5}};
    vkt_accept_message(vkt_device(VKT_TESTED),
                       "VUID-vkCmdBlitImage-maintenance8-10207 VUID-vkCmdBlitImage-maintenance8-10208 "
                       "VUID-VkImageBlit-layerCount-08800");
    for (uint32_t i = 0; i < VKT_COUNT(cases); i++)
        for (uint32_t way = 0; way < 8; way++)
            blit_slices(way & 1, cases[i][0], cases[i][1], cases[i][2], way & 2,
                        way & 4 ? VK_FILTER_LINEAR : VK_FILTER_NEAREST);
}

/* ---------------------------------------------------------------- remainders */

enum { PAIRS = 64, ROW = 22 };

static int64_t rem(int64_t a, int64_t b)
{
    return a % b;
}

static int64_t mod(int64_t a, int64_t b)
{
    const int64_t r = a % b;
    return r && (r < 0) != (b < 0) ? r + b : r;
}

static void remainders_have_signs(void **state)
{
    static const int32_t as[8] = {7, -7, 100, -100, INT32_MIN, INT32_MAX, -1, 0};
    static const int32_t bs[8] = {3, -3, 8, -8, 101, -101, 1, -127};
    static const int32_t constants[6] = {8, -8, 7, -7, 1, 3};
    int32_t pairs[2 * PAIRS];
    for (uint32_t i = 0; i < PAIRS; i++) {
        pairs[2 * i] = as[i / 8];
        pairs[2 * i + 1] = bs[i % 8];
    }
    struct vkt_compute c = vkt_compute_create_simple(&device, VKT_SHADER(remainders_comp), 2, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(&device, PAIRS * ROW, 0),
                                   vkt_storage_buffer(&device, 2 * PAIRS, 0)};
    memcpy(buffers[1].map, pairs, sizeof pairs);
    VkDescriptorSet set = vkt_compute_set(&device, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(&device, cmd);
    for (uint32_t i = 0; i < PAIRS; i++) {
        const int64_t a = pairs[2 * i], b = pairs[2 * i + 1], wide = a * 0x100000001;
        const int64_t sides[4][2] = {{a, b}, {wide, b}, {(int16_t)a, (int16_t)b}, {(int8_t)a, (int8_t)b}};
        int32_t expected[ROW];
        for (uint32_t k = 0; k < 4; k++) {
            expected[2 * k] = (int32_t)rem(sides[k][0], sides[k][1]);
            expected[2 * k + 1] = (int32_t)mod(sides[k][0], sides[k][1]);
        }
        for (uint32_t k = 0; k < 6; k++) {
            expected[8 + 2 * k] = (int32_t)rem(a, constants[k]);
            expected[9 + 2 * k] = (int32_t)mod(a, constants[k]);
        }
        expected[20] = (int32_t)rem(-7, 3);
        expected[21] = (int32_t)mod(-7, 3);
        for (uint32_t k = 0; k < ROW; k++)
            if (((const int32_t *)buffers[0].map)[i * ROW + k] != expected[k])
                fail_msg("%d and %d, word %u: %d instead of %d", (int)a, (int)b, k,
                         ((const int32_t *)buffers[0].map)[i * ROW + k], expected[k]);
    }
    vkt_buffer_destroy(&device, &buffers[0]);
    vkt_buffer_destroy(&device, &buffers[1]);
    vkt_compute_destroy(&device, &c);
}

/* ---------------------------------------------------------------- offsets */

enum { TEXTURE_PX = 64, TEXTURE_LEVELS = 3, TEXTURE_LAYERS = 2, TARGET_PX = 32 };

/* Every texel differs from those around it. */
static struct vkt_image make_texture(VkFormat format, uint32_t depth, uint32_t layers, bool line)
{
    static uint8_t texels[TEXTURE_PX * TEXTURE_PX * 8 * 8];
    const bool is_depth = format == VK_FORMAT_D32_SFLOAT, is_wide = format == VK_FORMAT_R16G16B16A16_UNORM;
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = format,
                                          .width = TEXTURE_PX,
                                          .height = line ? 1 : TEXTURE_PX,
                                          .depth = depth,
                                          .levels = TEXTURE_LEVELS,
                                          .layers = layers,
                                          .array = layers > 1,
                                          .line = line,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                   (is_depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : 0)});
    for (uint32_t level = 0; level < TEXTURE_LEVELS; level++)
        for (uint32_t layer = 0; layer < image.layers; layer++) {
            const uint32_t side = TEXTURE_PX >> level, slices = depth ? depth >> level : 1;
            const uint32_t count = side * (line ? 1 : side) * slices;
            for (uint32_t i = 0; i < count; i++) {
                const uint32_t word = hash(i + 7000 * layer + 90000 * level);
                const float z = (float)(word & 0xff) / 256;
                if (is_wide)
                    memcpy(texels + (size_t)8 * i, (uint32_t[]){word, ~word}, 8);
                else
                    memcpy(texels + (size_t)4 * i, is_depth ? (const void *)&z : &word, 4);
            }
            vkt_image_upload(&device, &image, level, layer, texels, count * (is_wide ? 8 : 4));
        }
    return image;
}

static void draw_with_offsets(struct vkt_shader shader, const VkDescriptorSetLayout *layout, VkDescriptorSet set,
                              const int32_t offset[4], const char *what)
{
    static uint8_t got[TARGET_PX][TARGET_PX][4];
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
    const VkSpecializationInfo spec = {3, entries, 12, offset};
    struct vkt_target target =
        vkt_target_create(&device, TARGET_PX, TARGET_PX, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                 .fs = shader,
                                                                 .pass = target.pass,
                                                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                 .set_layouts = {*layout},
                                                                 .set_layout_count = 1,
                                                                 .push_size_B = 16,
                                                                 .fs_spec = &spec,
                                                                 .width = TARGET_PX,
                                                                 .height = TARGET_PX});
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[]){1, 0, 0, 1}, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, offset);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &target.color, 0, 0, got, sizeof got);
    for (uint32_t y = 0; y < TARGET_PX; y++)
        for (uint32_t x = 0; x < TARGET_PX; x++)
            if (got[y][x][0] != 0 || got[y][x][1] != 255 || got[y][x][2] != 255)
                fail_msg("%s, offset %d %d %d, pixel (%u, %u): as the constant one: %u, moved: %u", what, offset[0],
                         offset[1], offset[2], x, y, got[y][x][1], got[y][x][2]);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

static void offsets_need_not_be_constant(void **state)
{
    static const int32_t offsets[][4] = {{1, 0, 0, 0}, {-8, 7, -8, 0}, {3, -5, 1, 0}, {7, 7, 7, 0}};
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_UNORM};
    const struct vkt_binding one = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    const struct vkt_binding four[] = {one, one, one, one};
    VkDescriptorSetLayout layouts[] = {vkt_set_layout_create(&device, &one, 1),
                                       vkt_set_layout_create(&device, four, 4)};
    struct vkt_image array = make_texture(VK_FORMAT_R8G8B8A8_UNORM, 0, TEXTURE_LAYERS, false),
                     volume = make_texture(VK_FORMAT_R8G8B8A8_UNORM, 8, 0, false),
                     line = make_texture(VK_FORMAT_R8G8B8A8_UNORM, 0, 0, true),
                     shadow = make_texture(VK_FORMAT_D32_SFLOAT, 0, 0, false);
    VkSampler compares;
    vkt_ok(vkCreateSampler(device.device,
                           &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                                  .compareEnable = VK_TRUE,
                                                  .compareOp = VK_COMPARE_OP_LESS,
                                                  .maxLod = TEXTURE_LEVELS},
                           NULL, &compares));
    for (uint32_t filter = 0; filter < 2; filter++) {
        VkSampler sampler = vkt_sampler_create(&device, filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                               filter ? VK_SAMPLER_MIPMAP_MODE_LINEAR : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                               VK_SAMPLER_ADDRESS_MODE_REPEAT, TEXTURE_LEVELS);
        for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
            struct vkt_image image = make_texture(formats[i], 0, 0, false);
            VkDescriptorSet set = vkt_set_alloc(&device, layouts[0]);
            vkt_set_texture(&device, set, 0, image.view, sampler);
            for (uint32_t k = 0; k < VKT_COUNT(offsets); k++)
                draw_with_offsets(VKT_SHADER(offsets_2d_frag), &layouts[0], set, offsets[k], i ? "words" : "bytes");
            vkt_image_destroy(&device, &image);
        }
        VkDescriptorSet set = vkt_set_alloc(&device, layouts[1]);
        vkt_set_texture(&device, set, 0, array.view, sampler);
        vkt_set_texture(&device, set, 1, volume.view, sampler);
        vkt_set_texture(&device, set, 2, line.view, sampler);
        vkt_set_texture(&device, set, 3, shadow.view, compares);
        for (uint32_t k = 0; k < VKT_COUNT(offsets); k++)
            draw_with_offsets(VKT_SHADER(offsets_more_frag), &layouts[1], set, offsets[k], "array, 3D, 1D, shadow");
        vkDestroySampler(device.device, sampler, NULL);
    }
    vkDestroySampler(device.device, compares, NULL);
    vkt_image_destroy(&device, &array);
    vkt_image_destroy(&device, &volume);
    vkt_image_destroy(&device, &line);
    vkt_image_destroy(&device, &shadow);
    vkDestroyDescriptorSetLayout(device.device, layouts[0], NULL);
    vkDestroyDescriptorSetLayout(device.device, layouts[1], NULL);
}

/* ---------------------------------------------------------------- barriers */

/* Copies a buffer to another, to an image and to a third buffer, with a barrier of each kind in between. */
static void barriers_take_more_access_flags(void **state)
{
    enum { WORDS = 256 * 256 };
    const VkMemoryBarrierAccessFlags3KHR more = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_ACCESS_FLAGS_3_KHR,
                                                 .srcAccessMask3 = VK_ACCESS_3_NONE_KHR,
                                                 .dstAccessMask3 = VK_ACCESS_3_NONE_KHR};
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct vkt_buffer buffers[3];
    for (uint32_t i = 0; i < 3; i++)
        buffers[i] = vkt_buffer_create(&device, WORDS * 4, usage, NULL);
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)buffers[0].map)[i] = hash(i);
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .width = 256,
                                          .height = 256,
                                          .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    const VkPipelineStageFlags2 copy = VK_PIPELINE_STAGE_2_COPY_BIT;
    const VkAccessFlags2 read = VK_ACCESS_2_TRANSFER_READ_BIT, write = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    const VkMemoryBarrier2 memory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, &more, copy, write, copy, read};
    const VkBufferMemoryBarrier2 whole = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                          .pNext = &more,
                                          .srcStageMask = copy,
                                          .srcAccessMask = write,
                                          .dstStageMask = copy,
                                          .dstAccessMask = read,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .buffer = buffers[1].buffer,
                                          .size = VK_WHOLE_SIZE};
    VkImageMemoryBarrier2 layout = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                    .pNext = &more,
                                    .srcStageMask = copy,
                                    .dstStageMask = copy,
                                    .dstAccessMask = write,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image.image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkDependencyInfo first = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                    .bufferMemoryBarrierCount = 1,
                                    .pBufferMemoryBarriers = &whole,
                                    .imageMemoryBarrierCount = 1,
                                    .pImageMemoryBarriers = &layout};
    const VkDependencyInfo last = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .memoryBarrierCount = 1, .pMemoryBarriers = &memory};
    VkEvent event;
    vkt_ok(
        vkCreateEvent(device.device, &(VkEventCreateInfo){.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO}, NULL, &event));
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {256, 256, 1}};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkCmdCopyBuffer(cmd, buffers[0].buffer, buffers[1].buffer, 1, &(VkBufferCopy){0, 0, WORDS * 4});
    vkCmdPipelineBarrier2(cmd, &first);
    vkCmdCopyBufferToImage(cmd, buffers[1].buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    layout.srcAccessMask = write;
    layout.dstAccessMask = read;
    layout.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    layout.newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    const VkDependencyInfo middle = {
        .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO, .imageMemoryBarrierCount = 1, .pImageMemoryBarriers = &layout};
    vkCmdSetEvent2(cmd, event, &middle);
    vkCmdWaitEvents2(cmd, 1, &event, &middle);
    vkCmdCopyImageToBuffer(cmd, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffers[2].buffer, 1, &region);
    vkCmdPipelineBarrier2(cmd, &last);
    vkt_end_submit(&device, cmd);
    assert_memory_equal(buffers[2].map, buffers[0].map, WORDS * 4);
    vkDestroyEvent(device.device, event, NULL);
    vkt_image_destroy(&device, &image);
    for (uint32_t i = 0; i < 3; i++)
        vkt_buffer_destroy(&device, &buffers[i]);
}

/* ---------------------------------------------------------------- ownership transfers */

/* A device with a queue of each family. */
struct two_queues {
    struct vkt graphics, transfer; /* one device */
};

static struct two_queues open_queues(void)
{
    const VkDeviceQueueCreateInfo queues[] = {{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueFamilyIndex = 0,
                                               .queueCount = 1,
                                               .pQueuePriorities = &(float){1}},
                                              {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                               .queueFamilyIndex = 1,
                                               .queueCount = 1,
                                               .pQueuePriorities = &(float){1}}};
    VkPhysicalDeviceMaintenance8FeaturesKHR maintenance8 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_8_FEATURES_KHR, .maintenance8 = VK_TRUE};
    const VkPhysicalDeviceVulkan13Features core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                                   .pNext = &maintenance8,
                                                   .synchronization2 = VK_TRUE};
    struct two_queues q = {device, device};
    VkQueueFamilyProperties families[2];
    uint32_t family_count = VKT_COUNT(families);
    vkGetPhysicalDeviceQueueFamilyProperties(device.physical, &family_count, families);
    assert_int_equal(family_count, VKT_COUNT(families));
    vkt_ok(vkCreateDevice(
        device.physical,
        &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                              .pNext = &core,
                              .queueCreateInfoCount = 2,
                              .pQueueCreateInfos = queues,
                              .enabledExtensionCount = 1,
                              .ppEnabledExtensionNames = (const char *[]){VK_KHR_MAINTENANCE_8_EXTENSION_NAME}},
        NULL, &q.graphics.device));
    q.transfer.device = q.graphics.device;
    for (uint32_t i = 0; i < 2; i++) {
        struct vkt *t = i ? &q.transfer : &q.graphics;
        vkGetDeviceQueue(t->device, i, 0, &t->queue);
        vkt_ok(vkCreateCommandPool(
            t->device,
            &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = i},
            NULL, &t->pool));
    }
    return q;
}

static void close_queues(struct two_queues *q)
{
    vkt_ok(vkDeviceWaitIdle(q->graphics.device));
    vkDestroyCommandPool(q->graphics.device, q->graphics.pool, NULL);
    vkDestroyCommandPool(q->graphics.device, q->transfer.pool, NULL);
    vkDestroyDevice(q->graphics.device, NULL);
}

static void record_transfer(VkCommandBuffer cmd, VkImage image, VkBuffer buffer, uint32_t from, uint32_t to,
                            bool second_command)
{
    const VkImageMemoryBarrier2 i = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2,
                                     .srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                     .srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
                                     .dstStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                                     .dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT,
                                     .oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                     .newLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                     .srcQueueFamilyIndex = from,
                                     .dstQueueFamilyIndex = to,
                                     .image = image,
                                     .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkBufferMemoryBarrier2 b = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2,
                                      .srcStageMask = i.srcStageMask,
                                      .srcAccessMask = i.srcAccessMask,
                                      .dstStageMask = i.dstStageMask,
                                      .dstAccessMask = i.dstAccessMask,
                                      .srcQueueFamilyIndex = from,
                                      .dstQueueFamilyIndex = to,
                                      .buffer = buffer,
                                      .size = VK_WHOLE_SIZE};
    const VkDependencyFlags flags = VK_DEPENDENCY_QUEUE_FAMILY_OWNERSHIP_TRANSFER_USE_ALL_STAGES_BIT_KHR;
    if (second_command) {
        vkCmdPipelineBarrier2(cmd, &(VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                       .dependencyFlags = flags,
                                                       .bufferMemoryBarrierCount = 1,
                                                       .pBufferMemoryBarriers = &b,
                                                       .imageMemoryBarrierCount = 1,
                                                       .pImageMemoryBarriers = &i});
        return;
    }
    const VkImageMemoryBarrier old_i = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                        NULL,
                                        VK_ACCESS_TRANSFER_WRITE_BIT,
                                        VK_ACCESS_TRANSFER_READ_BIT,
                                        i.oldLayout,
                                        i.newLayout,
                                        from,
                                        to,
                                        image,
                                        i.subresourceRange};
    const VkBufferMemoryBarrier old_b = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                         NULL,
                                         VK_ACCESS_TRANSFER_WRITE_BIT,
                                         VK_ACCESS_TRANSFER_READ_BIT,
                                         from,
                                         to,
                                         buffer,
                                         0,
                                         VK_WHOLE_SIZE};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, flags, 0, NULL, 1, &old_b,
                         1, &old_i);
}

static void submit_copies(const struct vkt *t, VkCommandBuffer cmd, VkSemaphore wait, VkSemaphore signal)
{
    const VkSemaphoreSubmitInfo waits = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                         .semaphore = wait,
                                         .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT};
    const VkSemaphoreSubmitInfo signals = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                           .semaphore = signal,
                                           .stageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT};
    const VkCommandBufferSubmitInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                                .commandBuffer = cmd};
    vkt_ok(vkEndCommandBuffer(cmd));
    vkt_ok(vkQueueSubmit2(t->queue, 1,
                          &(VkSubmitInfo2){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                                           .waitSemaphoreInfoCount = wait ? 1 : 0,
                                           .pWaitSemaphoreInfos = &waits,
                                           .commandBufferInfoCount = 1,
                                           .pCommandBufferInfos = &commands,
                                           .signalSemaphoreInfoCount = signal ? 1 : 0,
                                           .pSignalSemaphoreInfos = &signals},
                          VK_NULL_HANDLE));
}

/* One queue clears and fills, the other one reads. The only order is that of the transfers' own stages. */
static void transfer_once(struct two_queues *q, bool to_graphics, bool second_command, uint32_t seed)
{
    enum { SIDE_PX = 512, WORDS = SIDE_PX * SIDE_PX };
    struct vkt *giver = to_graphics ? &q->transfer : &q->graphics, *taker = to_graphics ? &q->graphics : &q->transfer;
    const uint32_t from = to_graphics ? 1 : 0, to = 1 - from;
    VkSemaphore semaphore;
    vkt_ok(vkCreateSemaphore(giver->device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO},
                             NULL, &semaphore));
    struct vkt_image image = vkt_image_create(
        giver, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UINT,
                                        .width = SIDE_PX,
                                        .height = SIDE_PX,
                                        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    struct vkt_buffer in = vkt_buffer_create(giver, WORDS * 4, usage, NULL),
                      mine = vkt_buffer_create(giver, WORDS * 4, usage, NULL),
                      texels = vkt_buffer_create(giver, WORDS * 4, usage, NULL),
                      words = vkt_buffer_create(giver, WORDS * 4, usage, NULL);
    for (uint32_t i = 0; i < WORDS; i++)
        ((uint32_t *)in.map)[i] = hash(i + seed);
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {SIDE_PX, SIDE_PX, 1}};
    VkCommandBuffer give = vkt_begin(giver), take = vkt_begin(taker);
    vkt_image_barrier(give, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(give, in.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    vkCmdCopyBuffer(give, in.buffer, mine.buffer, 1, &(VkBufferCopy){0, 0, WORDS * 4});
    record_transfer(give, image.image, mine.buffer, from, to, second_command);
    record_transfer(take, image.image, mine.buffer, from, to, second_command);
    vkCmdCopyImageToBuffer(take, image.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, texels.buffer, 1, &region);
    vkCmdCopyBuffer(take, mine.buffer, words.buffer, 1, &(VkBufferCopy){0, 0, WORDS * 4});
    vkt_barrier_all(take);
    submit_copies(giver, give, VK_NULL_HANDLE, semaphore);
    submit_copies(taker, take, semaphore, VK_NULL_HANDLE);
    vkt_ok(vkQueueWaitIdle(taker->queue));
    assert_memory_equal(texels.map, in.map, WORDS * 4);
    assert_memory_equal(words.map, in.map, WORDS * 4);
    vkt_ok(vkDeviceWaitIdle(giver->device));
    vkFreeCommandBuffers(giver->device, giver->pool, 1, &give);
    vkFreeCommandBuffers(taker->device, taker->pool, 1, &take);
    vkt_buffer_destroy(giver, &in);
    vkt_buffer_destroy(giver, &mine);
    vkt_buffer_destroy(giver, &texels);
    vkt_buffer_destroy(giver, &words);
    vkt_image_destroy(giver, &image);
    vkDestroySemaphore(giver->device, semaphore, NULL);
}

static void ownership_is_transferred_with_stages(void **state)
{
    struct two_queues q = open_queues();
    for (uint32_t i = 0; i < 8; i++)
        transfer_once(&q, i & 1, i & 2, 1000 * i);
    close_queues(&q);
}

/* ---------------------------------------------------------------- pipeline caches */

enum { MERGERS = 3, MAKERS = 2, MERGES = 60, PIPELINES = 8 };

/* What the threads share: one cache that all of them write to. */
struct shared {
    VkPipelineCache cache, sources[MERGERS];
    VkPipelineLayout layout;
    VkShaderModule module;
    _Atomic uint32_t failures;
};

static VkPipeline make_pipeline(const struct shared *s, VkPipelineCache cache, uint32_t number)
{
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo spec = {1, &entry, 4, &number};
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = s->module,
                  .pName = "main",
                  .pSpecializationInfo = &spec},
        .layout = s->layout,
    };
    return vkCreateComputePipelines(device.device, cache, 1, &info, NULL, &pipeline) == VK_SUCCESS ? pipeline
                                                                                                   : VK_NULL_HANDLE;
}

static void *merge_often(void *data)
{
    struct shared *s = data;
    for (uint32_t i = 0; i < MERGES; i++) {
        size_t size_B = 0;
        s->failures += vkMergePipelineCaches(device.device, s->cache, MERGERS, s->sources) != VK_SUCCESS;
        s->failures += vkGetPipelineCacheData(device.device, s->cache, &size_B, NULL) != VK_SUCCESS;
    }
    return NULL;
}

static void *make_pipelines(void *data)
{
    struct shared *s = data;
    for (uint32_t i = 0; i < PIPELINES; i++) {
        VkPipeline pipeline = make_pipeline(s, s->cache, 1 + i);
        s->failures += pipeline == VK_NULL_HANDLE;
        vkDestroyPipeline(device.device, pipeline, NULL);
    }
    return NULL;
}

static size_t data_size_B(VkPipelineCache cache)
{
    size_t size_B = 0;
    vkt_ok(vkGetPipelineCacheData(device.device, cache, &size_B, NULL));
    return size_B;
}

static VkPipelineCache make_cache(VkPipelineCacheCreateFlags flags)
{
    VkPipelineCache cache;
    vkt_ok(vkCreatePipelineCache(
        device.device,
        &(VkPipelineCacheCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .flags = flags}, NULL,
        &cache));
    return cache;
}

/* Threads merge into a cache that others make pipelines with. Afterwards it has what a merge of everything has. A layer
 * may not know the flag that allows it. */
static void caches_are_merged_by_several_threads(void **state)
{
    vkt_accept_message(vkt_device(VKT_TESTED), "UNASSIGNED-Threading-MultipleThreads-Write "
                                               "UNASSIGNED-Threading-MultipleThreads-Read");
    struct vkt_compute c = vkt_compute_create_simple(&device, VKT_SHADER(fork_comp), 1, 0, NULL);
    struct shared s = {.layout = c.layout, .module = vkt_module_create(&device, VKT_SHADER(fork_comp))};
    VkPipelineCache expected = make_cache(0);
    s.cache = make_cache(VK_PIPELINE_CACHE_CREATE_INTERNALLY_SYNCHRONIZED_MERGE_BIT_KHR);
    for (uint32_t i = 0; i < MERGERS; i++) {
        s.sources[i] = make_cache(0);
        for (uint32_t k = 0; k < PIPELINES; k++)
            vkDestroyPipeline(device.device, make_pipeline(&s, s.sources[i], 100 + i * PIPELINES + k), NULL);
    }
    for (uint32_t k = 0; k < PIPELINES; k++)
        vkDestroyPipeline(device.device, make_pipeline(&s, expected, 1 + k), NULL);
    vkt_ok(vkMergePipelineCaches(device.device, expected, MERGERS, s.sources));
    pthread_t threads[MERGERS + MAKERS];
    for (uint32_t i = 0; i < MERGERS + MAKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, i < MERGERS ? merge_often : make_pipelines, &s), 0);
    for (uint32_t i = 0; i < MERGERS + MAKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(s.failures, 0);
    assert_int_equal(data_size_B(s.cache), data_size_B(expected));
    assert_true(data_size_B(s.cache) > data_size_B(s.sources[0]));
    for (uint32_t i = 0; i < MERGERS; i++)
        vkDestroyPipelineCache(device.device, s.sources[i], NULL);
    vkDestroyPipelineCache(device.device, s.cache, NULL);
    vkDestroyPipelineCache(device.device, expected, NULL);
    vkDestroyShaderModule(device.device, s.module, NULL);
    vkt_compute_destroy(&device, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(depths_and_colors_are_copied, vkt_check_messages),
        cmocka_unit_test_teardown(depth_layers_become_slices, vkt_check_messages),
        cmocka_unit_test_teardown(samples_of_depths_are_copied, vkt_check_messages),
        cmocka_unit_test_teardown(slices_are_blitted_to_layers_and_back, vkt_check_messages),
        cmocka_unit_test_teardown(remainders_have_signs, vkt_check_messages),
        cmocka_unit_test_teardown(offsets_need_not_be_constant, vkt_check_messages),
        cmocka_unit_test_teardown(barriers_take_more_access_flags, vkt_check_messages),
        cmocka_unit_test_teardown(ownership_is_transferred_with_stages, vkt_check_messages),
        cmocka_unit_test_teardown(caches_are_merged_by_several_threads, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_maintenance8", tests, open_device, close_device);
}
