/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_host_image_copy: texels that the host writes are read by commands, those that commands write are read by the
 * host, for formats of every kind, with strides, in parts, between images, in the driver's own layout of memory; a
 * texture that no command has touched is sampled.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "fetch.frag.h"

#ifdef VK_EXT_host_image_copy

#define WIDTH  37u
#define HEIGHT 21u
#define DEPTH  5u
#define LEVELS 3u
#define LAYERS 2u
#define MAX_B  (WIDTH * HEIGHT * 16 * DEPTH)

#define COLOR   VK_IMAGE_ASPECT_COLOR_BIT
#define Z       VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT
#define GENERAL VK_IMAGE_LAYOUT_GENERAL
#define ALL_USES                                                                                                       \
    (VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)

static struct vkt device;
static PFN_vkCopyMemoryToImageEXT to_image;
static PFN_vkCopyImageToMemoryEXT to_memory;
static PFN_vkCopyImageToImageEXT image_to_image;
static PFN_vkTransitionImageLayoutEXT transition;
static PFN_vkGetImageSubresourceLayout2EXT get_layout;

#define LOAD(name) (PFN_##name) vkGetDeviceProcAddr(device.device, #name)

static int open_device(void **state)
{
    const char *const extension = VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME;
    VkPhysicalDeviceHostImageCopyFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT, .hostImageCopy = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &features);
    to_image = LOAD(vkCopyMemoryToImageEXT);
    to_memory = LOAD(vkCopyImageToMemoryEXT);
    image_to_image = LOAD(vkCopyImageToImageEXT);
    transition = LOAD(vkTransitionImageLayoutEXT);
    get_layout = LOAD(vkGetImageSubresourceLayout2EXT);
    assert_true(to_image && to_memory && image_to_image && transition && get_layout);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- calls */

static void move_to(const struct vkt_image *image, VkImageLayout from, VkImageLayout to)
{
    const VkHostImageLayoutTransitionInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
        .image = image->image,
        .oldLayout = from,
        .newLayout = to,
        .subresourceRange = {image->aspect, 0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS}};
    vkt_ok(transition(device.device, 1, &info));
}

static void write_part(const struct vkt_image *image, VkHostImageCopyFlagsEXT flags, const VkBufferImageCopy *r,
                       const void *memory)
{
    const VkMemoryToImageCopyEXT region = {.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
                                           .pHostPointer = memory,
                                           .memoryRowLength = r->bufferRowLength,
                                           .memoryImageHeight = r->bufferImageHeight,
                                           .imageSubresource = r->imageSubresource,
                                           .imageOffset = r->imageOffset,
                                           .imageExtent = r->imageExtent};
    const VkCopyMemoryToImageInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
                                             .flags = flags,
                                             .dstImage = image->image,
                                             .dstImageLayout = GENERAL,
                                             .regionCount = 1,
                                             .pRegions = &region};
    vkt_ok(to_image(device.device, &info));
}

static void read_part(const struct vkt_image *image, VkHostImageCopyFlagsEXT flags, const VkBufferImageCopy *r,
                      void *memory)
{
    const VkImageToMemoryCopyEXT region = {.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
                                           .pHostPointer = memory,
                                           .memoryRowLength = r->bufferRowLength,
                                           .memoryImageHeight = r->bufferImageHeight,
                                           .imageSubresource = r->imageSubresource,
                                           .imageOffset = r->imageOffset,
                                           .imageExtent = r->imageExtent};
    const VkCopyImageToMemoryInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
                                             .flags = flags,
                                             .srcImage = image->image,
                                             .srcImageLayout = GENERAL,
                                             .regionCount = 1,
                                             .pRegions = &region};
    vkt_ok(to_memory(device.device, &info));
}

static void copy_part(const struct vkt_image *from, const struct vkt_image *to, VkHostImageCopyFlagsEXT flags,
                      const VkImageSubresourceLayers *sub, VkOffset3D offset, VkExtent3D extent)
{
    const VkImageCopy2 region = {.sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
                                 .srcSubresource = *sub,
                                 .srcOffset = offset,
                                 .dstSubresource = *sub,
                                 .dstOffset = offset,
                                 .extent = extent};
    const VkCopyImageToImageInfoEXT info = {.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
                                            .flags = flags,
                                            .srcImage = from->image,
                                            .srcImageLayout = GENERAL,
                                            .dstImage = to->image,
                                            .dstImageLayout = GENERAL,
                                            .regionCount = 1,
                                            .pRegions = &region};
    vkt_ok(image_to_image(device.device, &info));
}

static VkDeviceSize memcpy_B(const struct vkt_image *image, VkImageAspectFlags aspect, uint32_t level)
{
    const VkImageSubresource2EXT of = {.sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_EXT,
                                       .imageSubresource = {aspect, level, 0}};
    VkSubresourceHostMemcpySizeEXT size = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE_EXT};
    VkSubresourceLayout2EXT layout = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_EXT, .pNext = &size};
    get_layout(device.device, image->image, &of, &layout);
    return size.size;
}

/* ---------------------------------------------------------------- every kind of format */

struct kind {
    VkFormat format;
    VkImageAspectFlags aspect;
    uint32_t block_w_px, block_h_px, element_B;
    bool is_halves; /* depths from 0.5 up, which all representations hold exactly */
};

static const struct kind kinds[] = {
    {VK_FORMAT_R8_UNORM, COLOR, 1, 1, 1, false},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, COLOR, 1, 1, 2, false},
    {VK_FORMAT_R8G8B8A8_UNORM, COLOR, 1, 1, 4, false},
    {VK_FORMAT_B8G8R8A8_SRGB, COLOR, 1, 1, 4, false},
    {VK_FORMAT_R16G16B16A16_SFLOAT, COLOR, 1, 1, 8, false},
    {VK_FORMAT_R32G32B32_UINT, COLOR, 1, 1, 12, false},
    {VK_FORMAT_R32G32B32A32_UINT, COLOR, 1, 1, 16, false},
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, COLOR, 4, 4, 8, false},
    {VK_FORMAT_ETC2_R8G8B8A8_UNORM_BLOCK, COLOR, 4, 4, 16, false},
    {VK_FORMAT_ASTC_5x4_UNORM_BLOCK, COLOR, 5, 4, 16, false},
    {VK_FORMAT_ASTC_12x10_SRGB_BLOCK, COLOR, 12, 10, 16, false},
    {VK_FORMAT_D16_UNORM, Z, 1, 1, 2, false},
    {VK_FORMAT_D32_SFLOAT, Z, 1, 1, 4, true},
    {VK_FORMAT_S8_UINT, STENCIL, 1, 1, 1, false},
    {VK_FORMAT_D24_UNORM_S8_UINT, STENCIL, 1, 1, 1, false},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, Z, 1, 1, 4, true},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, STENCIL, 1, 1, 1, false},
};

static void fill(const struct kind *k, uint8_t *out, uint32_t size_B, uint32_t seed)
{
    uint32_t random = seed * 2654435761u + 1;
    for (uint32_t i = 0; i < size_B; i++) {
        random = random * 1664525 + 1013904223;
        out[i] = (uint8_t)(random >> 24);
    }
    for (uint32_t i = 0; i < size_B / 4 && k->is_halves; i++) {
        const float depth = 0.5f + (float)out[4 * i] / 512;
        memcpy(out + 4 * i, &depth, 4);
    }
}

static uint32_t at_level(uint32_t size, uint32_t level)
{
    return size >> level ? size >> level : 1;
}

static uint32_t blocks(uint32_t w_px, uint32_t h_px, const struct kind *k)
{
    return (w_px + k->block_w_px - 1) / k->block_w_px * ((h_px + k->block_h_px - 1) / k->block_h_px);
}

static struct vkt_image new_image(const struct kind *k, VkImageTiling tiling, uint32_t depth, uint32_t levels,
                                  uint32_t layers, VkImageUsageFlags more)
{
    struct vkt_image image = vkt_image_create(&device, &(struct vkt_image_info){.format = k->format,
                                                                                .width = WIDTH,
                                                                                .height = HEIGHT,
                                                                                .depth = depth,
                                                                                .levels = levels,
                                                                                .layers = layers,
                                                                                .array = layers > 1,
                                                                                .tiling = tiling,
                                                                                .usage = ALL_USES | more});
    move_to(&image, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    return image;
}

/* Copies by a command. */
static void copy_by_command(const struct vkt_image *from, const struct vkt_image *to,
                            const VkImageSubresourceLayers *sub, VkExtent3D extent)
{
    VkCommandBuffer cmd = vkt_begin(&device);
    const VkImageCopy region = {.srcSubresource = *sub, .dstSubresource = *sub, .extent = extent};
    vkCmdCopyImage(cmd, from->image, GENERAL, to->image, GENERAL, 1, &region);
    vkt_image_barrier(cmd, to, GENERAL, GENERAL);
    vkt_end_submit(&device, cmd);
}

/* The host writes one image, a command copies it to a second, which goes to a third through memory in the driver's
 * layout, from there to a fourth in two parts and to the fifth at once; the host reads the texels of each. */
static void pass_on(const struct kind *k, VkImageTiling tiling, uint32_t depth, uint32_t level,
                    struct vkt_image *images)
{
    static uint8_t in[LAYERS * MAX_B], out[LAYERS * MAX_B];
    const uint32_t layers = images[0].layers, w = at_level(WIDTH, level), h = at_level(HEIGHT, level);
    const VkExtent3D extent = {w, h, depth ? at_level(depth, level) : 1};
    const VkBufferImageCopy whole = {.imageSubresource = {k->aspect, level, 0, layers}, .imageExtent = extent};
    const uint32_t size_B = blocks(w, h, k) * k->element_B * extent.depth * layers;
    fill(k, in, size_B, k->format + level);
    write_part(&images[0], 0, &whole, in);
    copy_by_command(&images[0], &images[1], &whole.imageSubresource, extent);
    const VkDeviceSize own_B = memcpy_B(&images[1], k->aspect, level);
    assert_true(own_B >= size_B / layers);
    uint8_t *own = malloc(own_B + 1);
    for (uint32_t layer = 0; layer < layers; layer++) {
        const VkBufferImageCopy one = {.imageSubresource = {k->aspect, level, layer, 1}, .imageExtent = extent};
        own[own_B] = 0xa5;
        read_part(&images[1], VK_HOST_IMAGE_COPY_MEMCPY_EXT, &one, own);
        assert_int_equal(own[own_B], 0xa5);
        write_part(&images[2], VK_HOST_IMAGE_COPY_MEMCPY_EXT, &one, own);
    }
    free(own);
    const uint32_t cut = w / 2 / k->block_w_px * k->block_w_px;
    if (cut)
        copy_part(&images[2], &images[3], 0, &whole.imageSubresource, (VkOffset3D){0, 0, 0},
                  (VkExtent3D){cut, h, extent.depth});
    copy_part(&images[2], &images[3], 0, &whole.imageSubresource, (VkOffset3D){(int32_t)cut, 0, 0},
              (VkExtent3D){w - cut, h, extent.depth});
    /* Layers take the size of the first level for that of all. */
    copy_part(&images[3], &images[4], level ? 0 : VK_HOST_IMAGE_COPY_MEMCPY_EXT, &whole.imageSubresource,
              (VkOffset3D){0, 0, 0}, extent);
    for (uint32_t i = 0; i < 5; i++) {
        memset(out, 0, size_B);
        read_part(&images[i], 0, &whole, out);
        if (memcmp(in, out, size_B))
            fail_msg("format %d, tiling %d, level %u, image %u: texels differ", k->format, tiling, level, i);
    }
}

static void run_kind(const struct kind *k, VkImageTiling tiling, uint32_t depth)
{
    VkImageFormatProperties limits;
    const uint32_t layers = depth ? 1 : LAYERS, levels = LEVELS;
    if (vkGetPhysicalDeviceImageFormatProperties(
            device.physical, k->format, depth ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D, tiling, ALL_USES, 0, &limits))
        return;
    struct vkt_image images[5];
    for (uint32_t i = 0; i < 5; i++)
        images[i] = new_image(k, tiling, depth, levels, layers, 0);
    for (uint32_t level = 0; level < levels; level++)
        pass_on(k, tiling, depth, level, images);
    for (uint32_t i = 0; i < 5; i++)
        vkt_image_destroy(&device, &images[i]);
}

static void texels_of_all_kinds(void **state)
{
    /* The layer of 1.4.309 wants both aspects when the layout of one is asked for, and takes the layers of an image for
     * the depth of what is copied in one piece. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkGetImageSubresourceLayout2-format-04462 "
                                               "VUID-vkGetImageSubresourceLayout2-format-04463 "
                                               "VUID-VkCopyImageToMemoryInfo-srcImage-09115 "
                                               "VUID-VkCopyMemoryToImageInfo-dstImage-09115");
    for (uint32_t i = 0; i < VKT_COUNT(kinds); i++) {
        run_kind(&kinds[i], VK_IMAGE_TILING_OPTIMAL, 0);
        run_kind(&kinds[i], VK_IMAGE_TILING_LINEAR, 0);
        run_kind(&kinds[i], VK_IMAGE_TILING_OPTIMAL, DEPTH);
        run_kind(&kinds[i], VK_IMAGE_TILING_LINEAR, DEPTH);
    }
}

/* Colour attachments have small texels in words of their own. */
static void attachments(void **state)
{
    struct vkt_image images[5];
    const struct kind *k = &kinds[1];
    for (uint32_t i = 0; i < 5; i++)
        images[i] = new_image(k, VK_IMAGE_TILING_OPTIMAL, 0, 1, LAYERS, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    pass_on(k, VK_IMAGE_TILING_OPTIMAL, 0, 0, images);
    for (uint32_t i = 0; i < 5; i++)
        vkt_image_destroy(&device, &images[i]);
}

/* ---------------------------------------------------------------- parts, strides, planes */

static void parts_with_strides(void **state)
{
    enum { ROW = 50, ROWS = 45, SIZE = 40 };
    static uint32_t in[ROW * ROWS * LAYERS], out[12][10];
    struct vkt_image image = vkt_image_create(
        &device,
        &(struct vkt_image_info){
            .format = VK_FORMAT_R8G8B8A8_UNORM, .width = SIZE, .height = SIZE, .layers = LAYERS, .usage = ALL_USES});
    move_to(&image, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    for (uint32_t i = 0; i < VKT_COUNT(in); i++)
        in[i] = i;
    const VkBufferImageCopy up = {.bufferRowLength = ROW,
                                  .bufferImageHeight = ROWS,
                                  .imageSubresource = {COLOR, 0, 0, LAYERS},
                                  .imageExtent = {SIZE, SIZE, 1}};
    const VkBufferImageCopy down = {
        .imageSubresource = {COLOR, 0, 1, 1}, .imageOffset = {7, 9, 0}, .imageExtent = {10, 12, 1}};
    write_part(&image, 0, &up, in);
    read_part(&image, 0, &down, out);
    for (uint32_t y = 0; y < 12; y++)
        for (uint32_t x = 0; x < 10; x++)
            assert_int_equal(out[y][x], ROW * ROWS + (y + 9) * ROW + x + 7);
    vkt_image_destroy(&device, &image);
}

static void planes_of_planar_formats(void **state)
{
    enum { W = 40, H = 20 };
    static uint8_t in[W * H], out[W * H];
    struct vkt_image image = vkt_image_create(&device, &(struct vkt_image_info){
                                                           .format = VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                                           .width = W,
                                                           .height = H,
                                                           .usage = ALL_USES,
                                                       });
    move_to(&image, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    for (uint32_t plane = 0; plane < 2; plane++) {
        const VkImageAspectFlags aspect = plane ? VK_IMAGE_ASPECT_PLANE_1_BIT : VK_IMAGE_ASPECT_PLANE_0_BIT;
        const VkBufferImageCopy r = {.imageSubresource = {aspect, 0, 0, 1}, .imageExtent = {W >> plane, H >> plane, 1}};
        const uint32_t size_B = W * H >> plane; /* two bytes for each texel of the second */
        fill(&kinds[0], in, size_B, plane);
        write_part(&image, 0, &r, in);
        memset(out, 0, sizeof out);
        read_part(&image, 0, &r, out);
        assert_memory_equal(in, out, size_B);
    }
    vkt_image_destroy(&device, &image);
}

/* ---------------------------------------------------------------- sampling */

static void expect_texel(uint32_t x, uint32_t y, uint8_t rgba_out[4])
{
    rgba_out[0] = (uint8_t)(x * 16);
    rgba_out[1] = (uint8_t)(y * 16);
    rgba_out[2] = (uint8_t)(x ^ y);
    rgba_out[3] = 255;
}

/* Neither uploads nor barriers: the host writes the texels and the layout. */
static void textures_are_sampled(void **state)
{
    enum { SIZE = 16 };
    struct vkt *d = &device;
    struct vkt_image image =
        vkt_image_create(d, &(struct vkt_image_info){
                                .format = VK_FORMAT_R8G8B8A8_UNORM,
                                .width = SIZE,
                                .height = SIZE,
                                .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT,
                            });
    struct vkt_picture expected = vkt_picture_compute(SIZE, SIZE, expect_texel);
    const VkBufferImageCopy r = {.imageSubresource = {COLOR, 0, 0, 1}, .imageExtent = {SIZE, SIZE, 1}};
    move_to(&image, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    write_part(&image, 0, &r, expected.rgba);
    move_to(&image, GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);

    VkSampler sampler = vkt_sampler_create(d, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    VkDescriptorSetLayout layout = vkt_set_layout_create(d, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(d, layout);
    vkt_set_texture(d, set, 0, image.view, sampler);
    struct vkt_target target = vkt_target_create(d, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(d, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                                      .fs = VKT_SHADER(fetch_frag),
                                                                                      .pass = target.pass,
                                                                                      .topology = VKT_TRIANGLES,
                                                                                      .width = SIZE,
                                                                                      .height = SIZE,
                                                                                      .set_layouts = {layout},
                                                                                      .set_layout_count = 1});
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(d, cmd);
    struct vkt_picture got = vkt_read_target(d, &target);
    vkt_compare("host-copy", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(d, &pipeline);
    vkt_target_destroy(d, &target);
    vkDestroyDescriptorSetLayout(d->device, layout, NULL);
    vkDestroySampler(d->device, sampler, NULL);
    vkt_image_destroy(d, &image);
}

/* ---------------------------------------------------------------- properties */

static bool has_layout(const VkImageLayout *layouts, uint32_t count, VkImageLayout wanted)
{
    for (uint32_t i = 0; i < count; i++)
        if (layouts[i] == wanted)
            return true;
    return false;
}

static void properties_are_filled(void **state)
{
    VkImageLayout from[64], to[64];
    VkPhysicalDeviceHostImageCopyPropertiesEXT p = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    assert_true(p.copySrcLayoutCount && p.copySrcLayoutCount <= 64 && p.copyDstLayoutCount &&
                p.copyDstLayoutCount <= 64);
    assert_true(p.identicalMemoryTypeRequirements);
    p.pCopySrcLayouts = from;
    p.pCopyDstLayouts = to;
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    assert_true(has_layout(from, p.copySrcLayoutCount, GENERAL) && has_layout(to, p.copyDstLayoutCount, GENERAL));
    const uint8_t none[VK_UUID_SIZE] = {0};
    assert_memory_not_equal(p.optimalTilingLayoutUUID, none, VK_UUID_SIZE);
    p.copySrcLayoutCount = 1;
    to[0] = VK_IMAGE_LAYOUT_MAX_ENUM;
    p.copyDstLayoutCount = 0;
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    assert_true(p.copySrcLayoutCount == 1 && p.copyDstLayoutCount == 0 && to[0] == VK_IMAGE_LAYOUT_MAX_ENUM);
}

/* Every format that is sampled can be copied by the host. */
static void formats_tell(void **state)
{
    uint32_t count = 0;
    for (VkFormat format = VK_FORMAT_R4G4_UNORM_PACK8; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; format++) {
        VkFormatProperties3 features = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
        VkFormatProperties2 old = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &features};
        vkGetPhysicalDeviceFormatProperties2(device.physical, format, &old);
        const bool is_copied = features.optimalTilingFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT;
        if (features.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT)
            assert_true(is_copied);
        count += is_copied;
        assert_false(features.bufferFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT_EXT);
    }
    assert_true(count > 50);
    VkHostImageCopyDevicePerformanceQueryEXT performance = {
        .sType = VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT};
    VkImageFormatProperties2 limits = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &performance};
    const VkPhysicalDeviceImageFormatInfo2 info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                                   .format = VK_FORMAT_R8G8B8A8_UNORM,
                                                   .type = VK_IMAGE_TYPE_2D,
                                                   .tiling = VK_IMAGE_TILING_OPTIMAL,
                                                   .usage = ALL_USES};
    vkt_ok(vkGetPhysicalDeviceImageFormatProperties2(device.physical, &info, &limits));
    assert_true(performance.optimalDeviceAccess && performance.identicalMemoryLayout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(texels_of_all_kinds, vkt_check_messages),
        cmocka_unit_test_teardown(attachments, vkt_check_messages),
        cmocka_unit_test_teardown(parts_with_strides, vkt_check_messages),
        cmocka_unit_test_teardown(planes_of_planar_formats, vkt_check_messages),
        cmocka_unit_test_teardown(textures_are_sampled, vkt_check_messages),
        cmocka_unit_test_teardown(properties_are_filled, vkt_check_messages),
        cmocka_unit_test_teardown(formats_tell, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_host_copy", tests, open_device, close_device);
}

#else

static void extension_is_known(void **state)
{
    vkt_skip("these Vulkan headers do not have VK_EXT_host_image_copy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extension_is_known)};
    return cmocka_run_group_tests_name("api_host_copy", tests, NULL, NULL);
}

#endif
