/* SPDX-License-Identifier: MIT
 *
 * 2D views of slices of 3D images, sampled and as storage images (VK_EXT_image_2d_view_of_3d): exactly the slice of the
 * level is read and written.
 */
#include <string.h>
#include "vkt.h"
#include "slices.comp.h"

enum { SIDE = 16, DEPTH = 8, FROM_LEVEL = 1, FROM_DEPTH = 4 };

static uint8_t texel_of(uint32_t slice, uint32_t i, uint32_t channel)
{
    return (uint8_t)((slice * 29 + i * 7 + channel * 3) % 100 + 1);
}

static void fill_slices(uint32_t slices, uint32_t seed, uint8_t *out)
{
    for (uint32_t i = 0; i < slices * SIDE * SIDE * 4; i++)
        out[i] = texel_of(i / (SIDE * SIDE * 4) + seed, i / 4 % (SIDE * SIDE), i % 4);
}

static void copy(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t slices,
                 struct vkt_buffer *buffer, bool to_image, VkImageLayout layout)
{
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                      .imageExtent = {SIDE, SIDE, slices}};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_barrier_all(cmd);
    if (to_image) {
        vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        vkCmdCopyBufferToImage(cmd, buffer->buffer, image->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        vkt_image_barrier(cmd, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
    } else {
        vkCmdCopyImageToBuffer(cmd, image->image, layout, buffer->buffer, 1, &region);
    }
    vkt_barrier_all(cmd);
    vkt_end_submit(t, cmd);
}

static VkImageView slice_view(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t slice)
{
    VkImageView view;
    vkt_ok(
        vkCreateImageView(t->device,
                          &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                   .image = image->image,
                                                   .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                                   .format = image->format,
                                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, slice, 1}},
                          NULL, &view));
    return view;
}

static void slices_are_images(void **state)
{
    static uint8_t from_texels[FROM_DEPTH * SIDE * SIDE * 4], to_texels[DEPTH * SIDE * SIDE * 4];
    const char *const extension = VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME;
    VkPhysicalDeviceImage2DViewOf3DFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_2D_VIEW_OF_3D_FEATURES_EXT,
        .image2DViewOf3D = VK_TRUE,
        .sampler2DViewOf3D = VK_TRUE};
    struct vkt t = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &features);
    struct vkt_image_info info = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                  .width = SIDE << FROM_LEVEL,
                                  .height = SIDE << FROM_LEVEL,
                                  .depth = FROM_DEPTH << FROM_LEVEL,
                                  .levels = FROM_LEVEL + 1,
                                  .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT |
                                           VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT,
                                  .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    struct vkt_image from = vkt_image_create(&t, &info);
    info.width = info.height = SIDE;
    info.depth = DEPTH;
    info.levels = 1;
    info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    struct vkt_image to = vkt_image_create(&t, &info);
    fill_slices(FROM_DEPTH, 50, from_texels);
    fill_slices(DEPTH, 0, to_texels);
    struct vkt_buffer from_buffer =
        vkt_buffer_create(&t, sizeof from_texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, from_texels);
    struct vkt_buffer to_buffer = vkt_buffer_create(
        &t, sizeof to_texels, VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, to_texels);
    copy(&t, &from, FROM_LEVEL, FROM_DEPTH, &from_buffer, true, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    VkSampler sampler =
        vkt_sampler_create(&t, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(&t, bindings, 2);
    struct vkt_compute compute = vkt_compute_create(&t, VKT_SHADER(slices_comp), &layout, 1, 0, NULL);
    static const uint32_t pairs[][2] = {{0, 0}, {3, 5}, {1, 7}, {2, 1}}; /* slices */
    for (uint32_t i = 0; i < VKT_COUNT(pairs); i++) {
        memcpy(to_buffer.map, to_texels, sizeof to_texels);
        copy(&t, &to, 0, DEPTH, &to_buffer, true, VK_IMAGE_LAYOUT_GENERAL);
        VkImageView from_view = slice_view(&t, &from, FROM_LEVEL, pairs[i][0]),
                    to_view = slice_view(&t, &to, 0, pairs[i][1]);
        VkDescriptorSet set = vkt_set_alloc(&t, layout);
        vkt_set_texture(&t, set, 0, from_view, sampler);
        vkt_set_image(&t, set, 1, 0, to_view);
        VkCommandBuffer cmd = vkt_begin(&t);
        vkt_compute_bind(cmd, &compute, &set);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_end_submit(&t, cmd);
        copy(&t, &to, 0, DEPTH, &to_buffer, false, VK_IMAGE_LAYOUT_GENERAL);
        for (uint32_t k = 0; k < sizeof to_texels; k++) {
            const uint32_t slice = k / (SIDE * SIDE * 4), in_slice = k % (SIDE * SIDE * 4);
            const uint32_t added = slice == pairs[i][1] ? from_texels[pairs[i][0] * SIDE * SIDE * 4 + in_slice] : 0;
            if (((const uint8_t *)to_buffer.map)[k] != to_texels[k] + added)
                fail_msg("slice %u added to %u: byte %u of slice %u is %u instead of %u", pairs[i][0], pairs[i][1],
                         in_slice, slice, ((const uint8_t *)to_buffer.map)[k], to_texels[k] + added);
        }
        vkDestroyImageView(t.device, from_view, NULL);
        vkDestroyImageView(t.device, to_view, NULL);
    }
    vkt_compute_destroy(&t, &compute);
    vkDestroySampler(t.device, sampler, NULL);
    vkt_buffer_destroy(&t, &from_buffer);
    vkt_buffer_destroy(&t, &to_buffer);
    vkt_image_destroy(&t, &from);
    vkt_image_destroy(&t, &to);
    vkt_device_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(slices_are_images, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
