/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_maintenance5: index buffers with an end, flags of 64 bits, shaders without modules, layouts of images that do
 * not exist, all remaining layers in copies, two more formats, points without a size, and what its properties say.
 */
#include <string.h>
#include "vkt.h"
#include "compute_add.comp.h"
#include "cover.vert.h"
#include "fetch_alpha.comp.h"
#include "polygon_points.vert.h"
#include "points_early.frag.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 64 };

#define COLOR       VK_FORMAT_R8G8B8A8_UNORM
#define ENTRY(name) ((PFN_##name)load(#name))

static struct vkt device;

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(device.device, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_KHR_MAINTENANCE_5_EXTENSION_NAME, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME};
    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT, .robustBufferAccess2 = VK_TRUE};
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
        .pNext = &robustness,
        .maintenance5 = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &maintenance5);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

static VkPhysicalDeviceMaintenance5PropertiesKHR properties(void)
{
    VkPhysicalDeviceMaintenance5PropertiesKHR own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_PROPERTIES_KHR};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &own};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    return own;
}

/* ---------------------------------------------------------------- index buffers */

struct push {
    float color[4], rect[4], depth;
};

static void push(VkCommandBuffer cmd, const struct vkt_pipeline *p, float l, float t, float r, float b)
{
    const struct push values = {{1, 1, 1, 1}, {l, t, r, b}, 0};
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof values,
                       &values);
}

static uint32_t count_white(struct vkt_target *target)
{
    struct vkt_picture picture = vkt_read_target(&device, target);
    uint32_t count = 0;
    for (uint32_t i = 0; i < picture.width * picture.height; i++)
        count += picture.rgba[4 * i] == 255;
    vkt_picture_free(&picture);
    return count;
}

/* Two triangles that fill the target; the indices of the second lie beyond the end where `size_B` says so. */
static uint32_t draw_indices(VkIndexType type, VkDeviceSize offset_B, VkDeviceSize size_B)
{
    static const uint8_t corners[] = {0, 1, 2, 2, 1, 3};
    uint8_t bytes[4 * 16] = {0};
    const uint32_t index_B = type == VK_INDEX_TYPE_UINT16 ? 2 : 4;
    for (uint32_t i = 0; i < 6; i++)
        bytes[offset_B + i * index_B] = corners[i];
    struct vkt_buffer indices = vkt_buffer_create(&device, sizeof bytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, bytes);
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                                     .fs = VKT_SHADER(push_frag),
                                                                                     .pass = target.pass,
                                                                                     .topology = VKT_TRIANGLES,
                                                                                     .push_size_B = sizeof(struct push),
                                                                                     .width = W,
                                                                                     .height = H});
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    push(cmd, &p, -1, -1, 1, 1);
    ENTRY(vkCmdBindIndexBuffer2KHR)(cmd, indices.buffer, offset_B, size_B, type);
    vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    const uint32_t count = count_white(&target);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
    vkt_buffer_destroy(&device, &indices);
    return count;
}

static void index_buffers_have_an_end(void **state)
{
    assert_int_equal(draw_indices(VK_INDEX_TYPE_UINT16, 0, VK_WHOLE_SIZE), W * H);
    assert_int_equal(draw_indices(VK_INDEX_TYPE_UINT32, 8, 24), W * H);
    const uint32_t half = draw_indices(VK_INDEX_TYPE_UINT16, 4, 6); /* the other three indices are zero */
    assert_in_range(half, W * H / 2 - W, W * H / 2 + W);
    assert_int_equal(draw_indices(VK_INDEX_TYPE_UINT32, 8, 12), half);
}

/* ---------------------------------------------------------------- flags */

static VkResult create_compute(VkPipelineCreateFlags flags, const VkPipelineCreateFlags2CreateInfoKHR *wide,
                               VkPipelineLayout layout, VkPipeline *out)
{
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = sizeof compute_add_comp,
                                           .pCode = compute_add_comp};
    return vkCreateComputePipelines(
        device.device, VK_NULL_HANDLE, 1,
        &(VkComputePipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                       .pNext = wide,
                                       .flags = flags,
                                       .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                 .pNext = &code,
                                                 .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                 .pName = "main"},
                                       .layout = layout},
        NULL, out);
}

/* A program without a module adds numbers of buffers whose usage has 64 bits. */
static void flags_have_64_bits(void **state)
{
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkPipelineCreateFlags2CreateInfoKHR wide = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
                                                .flags =
                                                    VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_KHR};
    const VkBufferUsageFlags2CreateInfoKHR usage = {.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
                                                    .usage = VK_BUFFER_USAGE_2_STORAGE_BUFFER_BIT_KHR |
                                                             VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT_KHR};
    struct vkt_compute c = {.set_count = 1, .set_layouts = {vkt_set_layout_create(&device, bindings, 3)}};
    VkBuffer buffers[3];
    VkDeviceMemory memory;
    float *map;
    vkt_ok(vkCreatePipelineLayout(device.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 1,
                                                                .pSetLayouts = c.set_layouts},
                                  NULL, &c.layout));
    assert_int_equal(create_compute(0, &wide, c.layout, &c.pipeline), VK_PIPELINE_COMPILE_REQUIRED);
    wide.flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR;
    /* the other flags are ignored */
    vkt_ok(create_compute(VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT, &wide, c.layout, &c.pipeline));
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    vkt_ok(vkAllocateMemory(device.device,
                            &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                    .pNext = &flags,
                                                    .allocationSize = 3 * 4096},
                            NULL, &memory));
    vkt_ok(vkMapMemory(device.device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&map));
    VkDescriptorSet set = vkt_set_alloc(&device, c.set_layouts[0]);
    for (uint32_t i = 0; i < 3; i++) {
        vkt_ok(vkCreateBuffer(
            device.device,
            &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .pNext = &usage, .size = 4096}, NULL,
            &buffers[i]));
        vkt_ok(vkBindBufferMemory(device.device, buffers[i], memory, i * 4096));
        assert_true(vkGetBufferDeviceAddress(
            device.device,
            &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffers[i]}));
        vkt_set_buffer(&device, set, i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i], 0, VK_WHOLE_SIZE);
        for (uint32_t k = 0; k < 32; k++)
            map[1024 * i + k] = (float)(i * 100 + k);
    }
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    for (uint32_t k = 0; k < 32; k++)
        assert_true(map[2048 + k] == (float)(100 + 2 * k));
    for (uint32_t i = 0; i < 3; i++)
        vkDestroyBuffer(device.device, buffers[i], NULL);
    vkFreeMemory(device.device, memory, NULL);
    vkt_compute_destroy(&device, &c);
}

/* ---------------------------------------------------------------- queries */

static void layouts_are_those_of_images(void **state)
{
    VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                              .imageType = VK_IMAGE_TYPE_2D,
                              .format = COLOR,
                              .extent = {300, 200, 1},
                              .mipLevels = 1,
                              .arrayLayers = 1,
                              .samples = VK_SAMPLE_COUNT_1_BIT,
                              .tiling = VK_IMAGE_TILING_LINEAR,
                              .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    for (uint32_t tiled = 0; tiled < 2; tiled++) {
        if (tiled) {
            info.tiling = VK_IMAGE_TILING_OPTIMAL;
            info.mipLevels = 4;
            info.arrayLayers = 3;
        }
        VkImage image;
        vkt_ok(vkCreateImage(device.device, &info, NULL, &image));
        const VkImageSubresource2KHR place = {
            .sType = VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR,
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, info.mipLevels - 1, info.arrayLayers - 1}};
        const VkDeviceImageSubresourceInfoKHR asked = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR, .pCreateInfo = &info, .pSubresource = &place};
        VkSubresourceLayout2KHR own = {.sType = VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR}, without = own;
        ENTRY(vkGetImageSubresourceLayout2KHR)(device.device, image, &place, &own);
        ENTRY(vkGetDeviceImageSubresourceLayoutKHR)(device.device, &asked, &without);
        assert_true(own.subresourceLayout.size > 0);
        assert_memory_equal(&own.subresourceLayout, &without.subresourceLayout, sizeof own.subresourceLayout);
        if (!tiled) {
            VkSubresourceLayout old;
            vkGetImageSubresourceLayout(device.device, image, &place.imageSubresource, &old);
            assert_memory_equal(&own.subresourceLayout, &old, sizeof old);
            assert_true(old.rowPitch >= 1200 && old.size >= 1200 * 200);
        }
        vkDestroyImage(device.device, image, NULL);
    }
}

static void areas_have_a_granularity(void **state)
{
    const VkFormat format = COLOR;
    const VkRenderingAreaInfoKHR info = {.sType = VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR,
                                         .colorAttachmentCount = 1,
                                         .pColorAttachmentFormats = &format};
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    VkExtent2D of_pass = {0}, of_formats = {0};
    vkGetRenderAreaGranularity(device.device, target.pass, &of_pass);
    ENTRY(vkGetRenderingAreaGranularityKHR)(device.device, &info, &of_formats);
    assert_true(of_formats.width && of_formats.height);
    assert_int_equal(of_formats.width, of_pass.width);
    assert_int_equal(of_formats.height, of_pass.height);
    vkt_target_destroy(&device, &target);
}

/* Values that no version of Vulkan defines: nothing is supported. */
static void unknown_values_may_be_asked_about(void **state)
{
    static const uint32_t unknown[] = {185, 999, 1000470009, 0x7ffffff0};
    VkImageFormatProperties image;
    uint32_t count = 7;
    for (uint32_t i = 0; i < VKT_COUNT(unknown); i++) {
        VkFormatProperties format = {1, 1, 1};
        vkGetPhysicalDeviceFormatProperties(device.physical, (VkFormat)unknown[i], &format);
        assert_int_equal(format.linearTilingFeatures | format.optimalTilingFeatures | format.bufferFeatures, 0);
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(device.physical, (VkFormat)unknown[i],
                                                                  VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                                  VK_IMAGE_USAGE_SAMPLED_BIT, 0, &image),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(device.physical, COLOR, (VkImageType)unknown[i],
                                                                  VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                                  0, &image),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        assert_int_equal(vkGetPhysicalDeviceImageFormatProperties(device.physical, COLOR, VK_IMAGE_TYPE_2D,
                                                                  (VkImageTiling)unknown[i], VK_IMAGE_USAGE_SAMPLED_BIT,
                                                                  0, &image),
                         VK_ERROR_FORMAT_NOT_SUPPORTED);
        vkGetPhysicalDeviceSparseImageFormatProperties(device.physical, (VkFormat)unknown[i], VK_IMAGE_TYPE_2D,
                                                       VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT,
                                                       VK_IMAGE_TILING_OPTIMAL, &count, NULL);
        assert_int_equal(count, 0);
        VkExternalSemaphoreProperties semaphore = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
        VkExternalFenceProperties fence = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
        VkExternalBufferProperties buffer = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
        vkGetPhysicalDeviceExternalSemaphoreProperties(
            device.physical,
            &(VkPhysicalDeviceExternalSemaphoreInfo){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                                                     .handleType = (VkExternalSemaphoreHandleTypeFlagBits)0x400000},
            &semaphore);
        vkGetPhysicalDeviceExternalFenceProperties(
            device.physical,
            &(VkPhysicalDeviceExternalFenceInfo){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
                                                 .handleType = (VkExternalFenceHandleTypeFlagBits)0x400000},
            &fence);
        vkGetPhysicalDeviceExternalBufferProperties(
            device.physical,
            &(VkPhysicalDeviceExternalBufferInfo){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                  .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                                  .handleType = (VkExternalMemoryHandleTypeFlagBits)0x400000},
            &buffer);
        assert_int_equal(semaphore.externalSemaphoreFeatures | fence.externalFenceFeatures |
                             buffer.externalMemoryProperties.externalMemoryFeatures,
                         0);
    }
}

/* ---------------------------------------------------------------- copies */

enum { LAYERS = 4, SIZE = 8 };

static struct vkt_image layers_create(uint32_t layers, bool line, VkImageUsageFlags usage)
{
    return vkt_image_create(&device, &(struct vkt_image_info){.format = COLOR,
                                                              .width = SIZE,
                                                              .height = line ? 1 : SIZE,
                                                              .line = line,
                                                              .layers = layers,
                                                              .array = true,
                                                              .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                                       VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                                       VK_IMAGE_USAGE_SAMPLED_BIT});
}

static uint32_t texel(uint32_t layer, uint32_t i)
{
    return 0xff000000u | layer << 16 | i * 3;
}

/* Layers 1 to 3 of `image` have the texels of layers `first` and up, and layer 0 is empty. */
static void expect_layers(struct vkt_image *image, uint32_t first)
{
    uint32_t got[SIZE * SIZE];
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        vkt_read_image(&device, image, 0, layer, got, sizeof got);
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(got[i], layer ? texel(layer - 1 + first, i) : 0);
    }
}

static void clear_layers(VkCommandBuffer cmd, const struct vkt_image *image)
{
    const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, LAYERS};
    vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    vkCmdClearColorImage(cmd, image->image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0}}, 1, &all);
    vkt_barrier_all(cmd);
}

static void remaining_layers_are_copied(void **state)
{
    uint32_t texels[LAYERS][SIZE * SIZE];
    for (uint32_t i = 0; i < LAYERS * SIZE * SIZE; i++)
        texels[i / (SIZE * SIZE)][i % (SIZE * SIZE)] = texel(i / (SIZE * SIZE), i % (SIZE * SIZE));
    struct vkt_image from = layers_create(LAYERS, false, 0), to[3];
    struct vkt_buffer buffer = vkt_buffer_create(&device, sizeof texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    struct vkt_buffer back = vkt_buffer_create(&device, sizeof texels, VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    const VkImageSubresourceLayers rest = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS},
                                   all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, VK_REMAINING_ARRAY_LAYERS},
                                   three = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 3};
    const VkExtent3D extent = {SIZE, SIZE, 1};
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_UNDEFINED, general);
    vkCmdCopyBufferToImage(cmd, buffer.buffer, from.image, general, 1,
                           &(VkBufferImageCopy){.imageSubresource = all, .imageExtent = extent});
    for (uint32_t i = 0; i < 3; i++) {
        to[i] = layers_create(LAYERS, false, 0);
        clear_layers(cmd, &to[i]);
    }
    vkt_barrier_all(cmd);
    vkCmdCopyImage(cmd, from.image, general, to[0].image, general, 1,
                   &(VkImageCopy){.srcSubresource = rest, .dstSubresource = rest, .extent = extent});
    vkCmdCopyImage(cmd, from.image, general, to[1].image, general, 1,
                   &(VkImageCopy){.srcSubresource = rest, .dstSubresource = three, .extent = extent});
    vkCmdBlitImage(cmd, from.image, general, to[2].image, general, 1,
                   &(VkImageBlit){.srcSubresource = rest,
                                  .srcOffsets = {{0, 0, 0}, {SIZE, SIZE, 1}},
                                  .dstSubresource = rest,
                                  .dstOffsets = {{0, 0, 0}, {SIZE, SIZE, 1}}},
                   VK_FILTER_NEAREST);
    vkCmdCopyImageToBuffer(cmd, from.image, general, back.buffer, 1,
                           &(VkBufferImageCopy){.imageSubresource = rest, .imageExtent = extent});
    vkt_barrier_all(cmd);
    for (uint32_t i = 0; i < 3; i++)
        vkt_image_barrier(cmd, &to[i], general, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    assert_memory_equal(back.map, texels[1], 3 * sizeof texels[1]);
    for (uint32_t i = 0; i < 3; i++) {
        expect_layers(&to[i], 1);
        vkt_image_destroy(&device, &to[i]);
    }
    vkt_image_destroy(&device, &from);
    vkt_buffer_destroy(&device, &buffer);
    vkt_buffer_destroy(&device, &back);
}

static void remaining_layers_are_resolved(void **state)
{
    struct vkt_image from = vkt_image_create(
        &device, &(struct vkt_image_info){.format = COLOR,
                                          .width = SIZE,
                                          .height = SIZE,
                                          .layers = LAYERS,
                                          .array = true,
                                          .samples = VK_SAMPLE_COUNT_4_BIT,
                                          .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                                   VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    struct vkt_image to = layers_create(LAYERS, false, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    const VkImageSubresourceLayers rest = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, VK_REMAINING_ARRAY_LAYERS};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &from, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    clear_layers(cmd, &to);
    for (uint32_t layer = 0; layer < LAYERS; layer++)
        vkCmdClearColorImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL,
                             &(VkClearColorValue){.float32 = {(float)layer / 255, 0, 0, 1}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1});
    vkt_barrier_all(cmd);
    vkCmdResolveImage(cmd, from.image, VK_IMAGE_LAYOUT_GENERAL, to.image, VK_IMAGE_LAYOUT_GENERAL, 1,
                      &(VkImageResolve){.srcSubresource = rest, .dstSubresource = rest, .extent = {SIZE, SIZE, 1}});
    vkt_image_barrier(cmd, &to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    for (uint32_t layer = 0; layer < LAYERS; layer++) {
        uint32_t got[SIZE * SIZE];
        vkt_read_image(&device, &to, 0, layer, got, sizeof got);
        for (uint32_t i = 0; i < SIZE * SIZE; i++)
            assert_int_equal(got[i], layer ? 0xff000000u | layer : 0);
    }
    vkt_image_destroy(&device, &from);
    vkt_image_destroy(&device, &to);
}

/* 1D images are 2D images of one row. */
static void lines_and_planes_are_copied(void **state)
{
    uint32_t row[SIZE], got[SIZE * SIZE];
    for (uint32_t i = 0; i < SIZE; i++)
        row[i] = texel(9, i);
    struct vkt_image line = layers_create(1, true, 0), plane = layers_create(1, false, 0),
                     other = layers_create(1, true, 0);
    struct vkt_buffer buffer = vkt_buffer_create(&device, sizeof row, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, row);
    const VkImageSubresourceLayers sub = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkExtent3D extent = {SIZE, 1, 1};
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &line, VK_IMAGE_LAYOUT_UNDEFINED, general);
    vkt_image_barrier(cmd, &plane, VK_IMAGE_LAYOUT_UNDEFINED, general);
    vkt_image_barrier(cmd, &other, VK_IMAGE_LAYOUT_UNDEFINED, general);
    vkCmdCopyBufferToImage(cmd, buffer.buffer, line.image, general, 1,
                           &(VkBufferImageCopy){.imageSubresource = sub, .imageExtent = extent});
    vkt_barrier_all(cmd);
    vkCmdCopyImage(
        cmd, line.image, general, plane.image, general, 1,
        &(VkImageCopy){.srcSubresource = sub, .dstSubresource = sub, .dstOffset = {0, 5, 0}, .extent = extent});
    vkt_barrier_all(cmd);
    vkCmdCopyImage(
        cmd, plane.image, general, other.image, general, 1,
        &(VkImageCopy){.srcSubresource = sub, .srcOffset = {0, 5, 0}, .dstSubresource = sub, .extent = extent});
    vkt_image_barrier(cmd, &plane, general, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_image_barrier(cmd, &other, general, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &plane, 0, 0, got, sizeof got);
    assert_memory_equal(got + 5 * SIZE, row, sizeof row);
    vkt_read_image(&device, &other, 0, 0, got, sizeof row);
    assert_memory_equal(got, row, sizeof row);
    vkt_image_destroy(&device, &line);
    vkt_image_destroy(&device, &plane);
    vkt_image_destroy(&device, &other);
    vkt_buffer_destroy(&device, &buffer);
}

/* ---------------------------------------------------------------- formats */

/* Uploads texels and fetches them in a program. */
static void fetch(VkFormat format, const void *texels, uint32_t size_B, uint32_t count, VkComponentMapping swizzle,
                  VkImageAspectFlags aspect, float out[][4])
{
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    struct vkt_image image = vkt_image_create(
        &device, &(struct vkt_image_info){.format = format,
                                          .width = count,
                                          .height = 1,
                                          .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    VkImageView view;
    vkt_ok(vkCreateImageView(device.device,
                             &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                      .image = image.image,
                                                      .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                      .format = format,
                                                      .components = swizzle,
                                                      .subresourceRange = {aspect, 0, 1, 0, 1}},
                             NULL, &view));
    VkSampler sampler = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                           VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    struct vkt_buffer in = vkt_buffer_create(&device, size_B, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, texels);
    struct vkt_buffer words = vkt_storage_buffer(&device, 4 * count, 0);
    VkDescriptorSetLayout layout = vkt_set_layout_create(&device, bindings, 2);
    struct vkt_compute c = vkt_compute_create(&device, VKT_SHADER(fetch_alpha_comp), &layout, 1, 0, NULL);
    VkDescriptorSet set = vkt_set_alloc(&device, c.set_layouts[0]);
    vkt_set_texture(&device, set, 0, view, sampler);
    vkt_set_buffer(&device, set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(cmd, in.buffer, image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &(VkBufferImageCopy){.imageSubresource = {aspect, 0, 0, 1}, .imageExtent = {count, 1, 1}});
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, count, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    memcpy(out, words.map, count * 16);
    vkt_compute_destroy(&device, &c);
    vkt_buffer_destroy(&device, &words);
    vkt_buffer_destroy(&device, &in);
    vkDestroySampler(device.device, sampler, NULL);
    vkDestroyImageView(device.device, view, NULL);
    vkt_image_destroy(&device, &image);
}

static void expect_texel(const float got[4], float r, float g, float b, float a)
{
    const float want[4] = {r, g, b, a};
    for (uint32_t i = 0; i < 4; i++)
        if (got[i] < want[i] - 0.003f || got[i] > want[i] + 0.003f)
            fail_msg("component %u is %g instead of %g", i, (double)got[i], (double)want[i]);
}

static void new_formats_are_sampled(void **state)
{
    const uint8_t alphas[] = {0, 255, 51, 102};
    const uint16_t packed[] = {0x001f, 0x03e0, 0x7c00, 0xffff};
    const VkComponentMapping same = {0}, to_red = {VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_R,
                                                   VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_ZERO};
    float got[4][4];
    fetch(VK_FORMAT_A8_UNORM_KHR, alphas, sizeof alphas, 4, same, VK_IMAGE_ASPECT_COLOR_BIT, got);
    for (uint32_t i = 0; i < 4; i++)
        expect_texel(got[i], 0, 0, 0, (float)alphas[i] / 255);
    fetch(VK_FORMAT_A8_UNORM_KHR, alphas, sizeof alphas, 4, to_red, VK_IMAGE_ASPECT_COLOR_BIT, got);
    for (uint32_t i = 0; i < 4; i++)
        expect_texel(got[i], (float)alphas[i] / 255, 0, 1, 0);
    fetch(VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR, packed, sizeof packed, 4, same, VK_IMAGE_ASPECT_COLOR_BIT, got);
    expect_texel(got[0], 1, 0, 0, 0);
    expect_texel(got[1], 0, 1, 0, 0);
    expect_texel(got[2], 0, 0, 1, 0);
    expect_texel(got[3], 1, 1, 1, 1);
}

static void new_formats_are_cleared_and_drawn_to(void **state)
{
    static const VkFormat formats[] = {VK_FORMAT_A8_UNORM_KHR, VK_FORMAT_A1B5G5R5_UNORM_PACK16_KHR};
    for (uint32_t i = 0; i < 2; i++) {
        uint16_t got[SIZE * SIZE] = {0};
        struct vkt_image image = vkt_image_create(
            &device, &(struct vkt_image_info){.format = formats[i],
                                              .width = SIZE,
                                              .height = SIZE,
                                              .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                                       VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_SAMPLED_BIT});
        VkCommandBuffer cmd = vkt_begin(&device);
        vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        vkCmdClearColorImage(cmd, image.image, VK_IMAGE_LAYOUT_GENERAL,
                             &(VkClearColorValue){.float32 = {1, 0, 0.5f, 1}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
        vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
        vkt_end_submit(&device, cmd);
        vkt_read_image(&device, &image, 0, 0, got, i ? sizeof got : sizeof got / 2);
        assert_int_equal(got[3], i ? 0xc01f : 0xffff);
        vkt_image_destroy(&device, &image);
    }
    struct vkt_target target = vkt_target_create(&device, SIZE, SIZE, formats[1], VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                 .fs = VKT_SHADER(push_frag),
                                                                 .pass = target.pass,
                                                                 .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                 .push_size_B = sizeof(struct push),
                                                                 .width = SIZE,
                                                                 .height = SIZE});
    uint16_t got[SIZE * SIZE];
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[4]){0, 1, 0, 0}, 1, 0);
    push(cmd, &p, -1, -1, 0, 1);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &target.color, 0, 0, got, sizeof got);
    assert_int_equal(got[0], 0xffff);
    assert_int_equal(got[SIZE - 1], 0x03e0);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
}

/* Overlapping quads of different alpha: written plainly, blended by both alphas, and masked. */
static void draw_alphas(VkFormat format, VkSampleCountFlagBits samples, void *texels_out, size_t size_B)
{
    static const VkPipelineColorBlendAttachmentState blends[] = {
        {.colorWriteMask = 0xf},
        {.blendEnable = VK_TRUE,
         .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
         .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_DST_ALPHA,
         .srcAlphaBlendFactor = VK_BLEND_FACTOR_DST_ALPHA,
         .dstAlphaBlendFactor = VK_BLEND_FACTOR_DST_ALPHA,
         .colorWriteMask = 0xf},
        {.colorWriteMask = VK_COLOR_COMPONENT_R_BIT},
    };
    static const struct {
        uint32_t blend;
        struct push push;
    } quads[] = {
        {0, {{1, 0.5f, 0.25f, 0.8f}, {-1, -1, 0.4f, 0.4f}, 0}},
        {1, {{1, 1, 1, 0.4f}, {-0.45f, -0.45f, 1, 1}, 0}},
        {2, {{0, 0, 0, 0}, {-1, -1, 1, 0}, 0}},
        {1, {{0, 1, 0, 0.7f}, {0.1f, -1, 0.3f, 1}, 0}},
        {0, {{0, 0, 0, 0.1f}, {-1, 0.5f, 1, 0.7f}, 0}},
    };
    const bool is_resolved = samples != VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = samples};
    const VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                   .colorAttachmentCount = 1,
                                                   .pColorAttachmentFormats = &format};
    struct vkt_image_info info = {.format = format,
                                  .width = W,
                                  .height = H,
                                  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    struct vkt_image image = vkt_image_create(&device, &info), sampled = {0};
    struct vkt_pipeline pipelines[VKT_COUNT(blends)];
    for (uint32_t i = 0; i < VKT_COUNT(blends); i++)
        pipelines[i] = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){
                                                        .vs = VKT_SHADER(push_vert),
                                                        .fs = VKT_SHADER(push_frag),
                                                        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                        .blends = &blends[i],
                                                        .multisample = &multisample,
                                                        .push_size_B = sizeof(struct push),
                                                        .width = W,
                                                        .height = H,
                                                        .next = &formats,
                                                    });
    VkRenderingAttachmentInfo attachment = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                            .imageView = image.view,
                                            .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .clearValue.color.float32 = {0.2f, 0.4f, 0.6f, 0.3f}};
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    if (is_resolved) {
        info.samples = samples;
        sampled = vkt_image_create(&device, &info);
        vkt_image_barrier(cmd, &sampled, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        attachment.resolveImageView = image.view;
        attachment.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
        attachment.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
        attachment.imageView = sampled.view;
    }
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &attachment});
    for (uint32_t i = 0; i < VKT_COUNT(quads); i++) {
        const struct vkt_pipeline *p = &pipelines[quads[i].blend];
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
        vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                           sizeof(struct push), &quads[i].push);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRendering(cmd);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    vkt_read_image(&device, &image, 0, 0, texels_out, size_B);
    for (uint32_t i = 0; i < VKT_COUNT(blends); i++)
        vkt_pipeline_destroy(&device, &pipelines[i]);
    if (is_resolved)
        vkt_image_destroy(&device, &sampled);
    vkt_image_destroy(&device, &image);
}

/* A8 gets the alpha that a format of four channels gets. */
static void alpha_is_drawn_to(void **state)
{
    static const VkSampleCountFlagBits samples[] = {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT};
    for (uint32_t i = 0; i < VKT_COUNT(samples); i++) {
        uint8_t alphas[W * H] = {0}, colors[W * H][4] = {0}, values = 0;
        draw_alphas(VK_FORMAT_A8_UNORM_KHR, samples[i], alphas, sizeof alphas);
        draw_alphas(VK_FORMAT_R8G8B8A8_UNORM, samples[i], colors, sizeof colors);
        bool is_seen[256] = {0};
        for (uint32_t px = 0; px < W * H; px++) {
            if (alphas[px] != colors[px][3])
                fail_msg("%u samples, pixel %u: %u is not %u", samples[i], px, alphas[px], colors[px][3]);
            values += !is_seen[alphas[px]];
            is_seen[alphas[px]] = true;
        }
        assert_true(values >= 6);
    }
}

/* ---------------------------------------------------------------- properties */

static void depth_has_ones(void **state)
{
    const uint16_t depths[] = {0, 0x8000, 0xffff, 0x4000};
    const VkComponentMapping ones = {VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ONE, VK_COMPONENT_SWIZZLE_ZERO,
                                     VK_COMPONENT_SWIZZLE_ONE};
    float got[4][4];
    assert_true(properties().depthStencilSwizzleOneSupport);
    fetch(VK_FORMAT_D16_UNORM, depths, sizeof depths, 4, ones, VK_IMAGE_ASPECT_DEPTH_BIT, got);
    for (uint32_t i = 0; i < 4; i++)
        expect_texel(got[i], (float)depths[i] / 65535, 1, 0, 1);
}

static uint32_t draw_points(struct vkt_shader vs, VkPolygonMode mode, VkPrimitiveTopology topology, uint32_t vertices)
{
    struct vkt_target target = vkt_target_create(&device, W, H, COLOR, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = vs,
                                                                                     .fs = VKT_SHADER(push_frag),
                                                                                     .pass = target.pass,
                                                                                     .topology = topology,
                                                                                     .polygon_mode = mode,
                                                                                     .push_size_B = sizeof(struct push),
                                                                                     .width = W,
                                                                                     .height = H});
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    push(cmd, &p, -0.5f, -0.5f, 0.5f, 0.5f);
    vkCmdDraw(cmd, vertices, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&device, cmd);
    const uint32_t count = count_white(&target);
    vkt_pipeline_destroy(&device, &p);
    vkt_target_destroy(&device, &target);
    return count;
}

static void points_have_sizes(void **state)
{
    /* a program that writes no size */
    assert_int_equal(draw_points(VKT_SHADER(push_vert), VK_POLYGON_MODE_FILL, VK_PRIMITIVE_TOPOLOGY_POINT_LIST, 4), 4);
    assert_int_equal(draw_points(VKT_SHADER(push_vert), VK_POLYGON_MODE_POINT, VKT_TRIANGLES, 3), 3);
    const uint32_t of_polygons = draw_points(VKT_SHADER(polygon_points_vert), VK_POLYGON_MODE_POINT, VKT_TRIANGLES, 3);
    assert_int_equal(of_polygons, properties().polygonModePointSize ? 3 * 7 * 7 : 3);
}

/* The number of samples that an occlusion query counts with early tests. */
static uint64_t count_samples(struct vkt_shader fs, VkSampleMask mask)
{
    const VkFormat format = COLOR;
    struct vkt_image image =
        vkt_image_create(&device, &(struct vkt_image_info){.format = COLOR,
                                                           .width = W,
                                                           .height = H,
                                                           .samples = VK_SAMPLE_COUNT_4_BIT,
                                                           .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT});
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
        .pSampleMask = &mask};
    struct vkt_pipeline p = vkt_pipeline_create(&device, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                                     .fs = fs,
                                                                                     .next = &rendering,
                                                                                     .topology = VKT_TRIANGLES,
                                                                                     .multisample = &multisample,
                                                                                     .push_size_B = sizeof(struct push),
                                                                                     .width = W,
                                                                                     .height = H});
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = image.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkQueryPool pool;
    uint64_t samples = 0;
    vkt_ok(vkCreateQueryPool(device.device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color});
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    push(cmd, &p, -1, -1, 1, 1);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndQuery(cmd, pool, 0);
    vkCmdEndRendering(cmd);
    vkt_end_submit(&device, cmd);
    vkt_ok(vkGetQueryPoolResults(device.device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    vkDestroyQueryPool(device.device, pool, NULL);
    vkt_pipeline_destroy(&device, &p);
    vkt_image_destroy(&device, &image);
    return samples;
}

static void samples_are_counted_as_said(void **state)
{
    const VkPhysicalDeviceMaintenance5PropertiesKHR p = properties();
    const uint64_t px = W * H;
    assert_int_equal(count_samples(VKT_SHADER(push_frag), 0xf), 4 * px);
    assert_int_equal(count_samples(VKT_SHADER(points_early_frag), 0xf),
                     p.earlyFragmentMultisampleCoverageAfterSampleCounting ? 4 * px : px);
    assert_int_equal(count_samples(VKT_SHADER(points_early_frag), 0x6),
                     p.earlyFragmentSampleMaskTestBeforeSampleCounting       ? 2 * px
                     : p.earlyFragmentMultisampleCoverageAfterSampleCounting ? 4 * px
                                                                             : px);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(index_buffers_have_an_end, vkt_check_messages),
        cmocka_unit_test_teardown(flags_have_64_bits, vkt_check_messages),
        cmocka_unit_test_teardown(layouts_are_those_of_images, vkt_check_messages),
        cmocka_unit_test_teardown(areas_have_a_granularity, vkt_check_messages),
        cmocka_unit_test_teardown(unknown_values_may_be_asked_about, vkt_check_messages),
        cmocka_unit_test_teardown(remaining_layers_are_copied, vkt_check_messages),
        cmocka_unit_test_teardown(remaining_layers_are_resolved, vkt_check_messages),
        cmocka_unit_test_teardown(lines_and_planes_are_copied, vkt_check_messages),
        cmocka_unit_test_teardown(new_formats_are_sampled, vkt_check_messages),
        cmocka_unit_test_teardown(new_formats_are_cleared_and_drawn_to, vkt_check_messages),
        cmocka_unit_test_teardown(alpha_is_drawn_to, vkt_check_messages),
        cmocka_unit_test_teardown(depth_has_ones, vkt_check_messages),
        cmocka_unit_test_teardown(points_have_sizes, vkt_check_messages),
        cmocka_unit_test_teardown(samples_are_counted_as_said, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_maintenance5", tests, open_device, close_device);
}
