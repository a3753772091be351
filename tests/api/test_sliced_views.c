/* SPDX-License-Identifier: MIT
 *
 * 3D storage images that are a range of slices (VK_EXT_image_sliced_view_of_3d): sizes, loads, stores and atomics
 * inside the range and on both sides of it, where loads give zero and nothing is stored. Sampled images of the same
 * view are the whole level. Expected texels are computed; the reference driver does not have the extension.
 */
#include <string.h>
#include "vkt.h"
#include "sliced_r32.comp.h"
#include "sliced_rgba32.comp.h"

enum { SIDE = 8, DEPTH = 12, LEVELS = 2, BEFORE = 2, MOST = 16 }; /* MOST: slices of the box of accesses */
enum { LOAD, FETCH, STORE, ADD };

static struct vkt device;

static int open_device(void **state)
{
    static const char *const extension = VK_EXT_IMAGE_SLICED_VIEW_OF_3D_EXTENSION_NAME;
    VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT,
        .imageSlicedViewOf3D = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), &extension, 1, &features);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* A view, and what it is expected to be. */
struct range {
    uint32_t level, offset, given_count, count;
};

struct fixture {
    struct vkt_image image;
    uint32_t texel_dw;
    struct vkt_compute compute;
    struct vkt_buffer texels, words; /* of a level; of the shader: two sizes and a word for each access */
    VkSampler sampler;
};

static uint32_t first_word(uint32_t i)
{
    return i * 7 + 3;
}

static void copy(struct fixture *f, VkCommandBuffer cmd, const struct range *r, bool to_image)
{
    const uint32_t side = SIDE >> r->level;
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, r->level, 0, 1},
                                      .imageExtent = {side, side, DEPTH >> r->level}};
    vkt_barrier_all(cmd);
    if (to_image)
        vkCmdCopyBufferToImage(cmd, f->texels.buffer, f->image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        vkCmdCopyImageToBuffer(cmd, f->image.image, VK_IMAGE_LAYOUT_GENERAL, f->texels.buffer, 1, &region);
    vkt_barrier_all(cmd);
}

/* Checks each access of the box, and every texel of the level. */
static void check(const struct fixture *f, const struct range *r, uint32_t mode)
{
    const uint32_t side = SIDE >> r->level, box = side < 4 ? 4 : side, depth = DEPTH >> r->level;
    const uint32_t *sizes = f->words.map, *words = sizes + 8, *texels = f->texels.map;
    uint32_t expected[SIDE * SIDE * DEPTH];
    for (uint32_t i = 0; i < side * side * depth; i++)
        expected[i] = first_word(i);
    for (uint32_t i = 0; i < box * box * MOST; i++) {
        const uint32_t x = i % box, y = i / box % box, z = i / (box * box);
        const bool is_inside = x < side && y < side && z >= BEFORE && z - BEFORE < r->count;
        const uint32_t fetched = z < BEFORE ? 0 : z - BEFORE;
        const uint32_t slice = mode == FETCH ? fetched : z - BEFORE + r->offset, texel = (slice * side + y) * side + x;
        const bool is_read = mode == FETCH ? x < side && y < side && slice < depth : is_inside;
        uint32_t word = is_read ? first_word(texel) : 0;
        if (mode == STORE)
            word = 0;
        if (words[i] != word && !(mode == ADD && !is_inside)) /* what atomics outside return is undefined */
            fail_msg("%u slices from %u of level %u, mode %u, (%u, %u, %d): %u instead of %u", r->count, r->offset,
                     r->level, mode, x, y, (int)z - BEFORE, words[i], word);
        if (is_inside && mode == STORE)
            expected[texel] = 1000 + i;
        if (is_inside && mode == ADD)
            expected[texel] += 5000;
    }
    for (uint32_t i = 0; i < side * side * depth; i++)
        for (uint32_t k = 0; k < f->texel_dw; k++)
            if (texels[i * f->texel_dw + k] != expected[i])
                fail_msg("%u slices from %u of level %u, mode %u: word %u of texel %u of slice %u is %u instead of %u",
                         r->count, r->offset, r->level, mode, k, i % (side * side), i / (side * side),
                         texels[i * f->texel_dw + k], expected[i]);
    if (mode == LOAD)
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(sizes[i], i < 2 ? side : r->count);
            assert_int_equal(sizes[4 + i], i < 2 ? side : depth);
        }
}

static void access_slices(struct fixture *f, const struct range *r, uint32_t mode)
{
    const uint32_t side = SIDE >> r->level, groups = side < 4 ? 1 : side / 4;
    VkImageView view;
    const VkImageViewSlicedCreateInfoEXT slices = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT,
                                                   .sliceOffset = r->offset,
                                                   .sliceCount = r->given_count};
    vkt_ok(
        vkCreateImageView(device.device,
                          &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                   .pNext = &slices,
                                                   .image = f->image.image,
                                                   .viewType = VK_IMAGE_VIEW_TYPE_3D,
                                                   .format = f->image.format,
                                                   .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, r->level, 1, 0, 1}},
                          NULL, &view));
    for (uint32_t i = 0; i < SIDE * SIDE * DEPTH * f->texel_dw; i++)
        ((uint32_t *)f->texels.map)[i] = first_word(i / f->texel_dw);
    memset(f->words.map, 0, f->words.size_B);
    VkDescriptorSet set = vkt_set_alloc(&device, f->compute.set_layouts[0]);
    vkt_set_image(&device, set, 0, 0, view);
    const VkDescriptorImageInfo whole = {f->sampler, view, VK_IMAGE_LAYOUT_GENERAL};
    vkUpdateDescriptorSets(device.device, 1,
                           &(VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                   .dstSet = set,
                                                   .dstBinding = 1,
                                                   .descriptorCount = 1,
                                                   .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                   .pImageInfo = &whole},
                           0, NULL);
    vkt_set_buffer(&device, set, 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, f->words.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &f->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    copy(f, cmd, r, true);
    vkt_compute_bind(cmd, &f->compute, &set);
    vkCmdPushConstants(cmd, f->compute.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &mode);
    vkCmdDispatch(cmd, groups, groups, MOST);
    copy(f, cmd, r, false);
    vkt_end_submit(&device, cmd);
    check(f, r, mode);
    vkDestroyImageView(device.device, view, NULL);
}

static void access_ranges(VkFormat format, uint32_t texel_dw, struct vkt_shader shader, bool has_atomics)
{
    static const struct range ranges[] = {
        {0, 0, DEPTH, DEPTH},
        {0, 3, 5, 5},
        {0, DEPTH - 1, 1, 1},
        {0, 0, 1, 1},
        {0, 7, VK_REMAINING_3D_SLICES_EXT, DEPTH - 7},
        {1, 2, 3, 3},
        {1, 1, VK_REMAINING_3D_SLICES_EXT, DEPTH / 2 - 1},
    };
    const struct vkt_binding bindings[] = {{VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_SHADER_STAGE_COMPUTE_BIT, 1},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_COMPUTE_BIT, 1}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(&device, bindings, 3);
    struct fixture f = {
        .texel_dw = texel_dw,
        .image = vkt_image_create(
            &device,
            &(struct vkt_image_info){.format = format,
                                     .width = SIDE,
                                     .height = SIDE,
                                     .depth = DEPTH,
                                     .levels = LEVELS,
                                     .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT}),
        .compute = vkt_compute_create(&device, shader, &layout, 1, 4, NULL),
        .texels = vkt_buffer_create(&device, (VkDeviceSize)SIDE * SIDE * DEPTH * texel_dw * 4,
                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL),
        .words = vkt_storage_buffer(&device, 8 + SIDE * SIDE * MOST, 0),
        .sampler = vkt_sampler_create(&device, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                      VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0),
    };
    for (uint32_t i = 0; i < VKT_COUNT(ranges); i++)
        for (uint32_t mode = LOAD; mode <= (has_atomics ? ADD : STORE); mode++)
            access_slices(&f, &ranges[i], mode);
    vkDestroySampler(device.device, f.sampler, NULL);
    vkt_compute_destroy(&device, &f.compute);
    vkt_buffer_destroy(&device, &f.texels);
    vkt_buffer_destroy(&device, &f.words);
    vkt_image_destroy(&device, &f.image);
}

static void words_of_slices(void **state)
{
    access_ranges(VK_FORMAT_R32_UINT, 1, VKT_SHADER(sliced_r32_comp), true);
}

/* Texels in planes of words. */
static void wide_texels_of_slices(void **state)
{
    access_ranges(VK_FORMAT_R32G32B32A32_UINT, 4, VKT_SHADER(sliced_rgba32_comp), false);
}

/* Ranges that the level does not have, several levels, and 2D views give an error. */
static void wrong_ranges_are_refused(void **state)
{
    struct vkt_image image =
        vkt_image_create(&device, &(struct vkt_image_info){.format = VK_FORMAT_R32_UINT,
                                                           .width = SIDE,
                                                           .height = SIDE,
                                                           .depth = DEPTH,
                                                           .levels = LEVELS,
                                                           .flags = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT,
                                                           .usage = VK_IMAGE_USAGE_STORAGE_BIT});
    static const struct {
        uint32_t offset, count, level, levels;
        VkImageViewType type;
    } wrong[] = {
        {DEPTH, 1, 0, 1, VK_IMAGE_VIEW_TYPE_3D},
        {0, DEPTH + 1, 0, 1, VK_IMAGE_VIEW_TYPE_3D},
        {1, UINT32_MAX - 1, 0, 1, VK_IMAGE_VIEW_TYPE_3D},
        {0, 0, 0, 1, VK_IMAGE_VIEW_TYPE_3D},
        {DEPTH / 2, 1, 1, 1, VK_IMAGE_VIEW_TYPE_3D},
        {0, 1, 0, 2, VK_IMAGE_VIEW_TYPE_3D},
        {0, 1, 0, VK_REMAINING_MIP_LEVELS, VK_IMAGE_VIEW_TYPE_3D},
        {0, 1, 0, 1, VK_IMAGE_VIEW_TYPE_2D_ARRAY},
    };
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkImageViewSlicedCreateInfoEXT-sliceOffset-07867 "
                                               "VUID-VkImageViewSlicedCreateInfoEXT-sliceCount-07868 "
                                               "VUID-VkImageViewSlicedCreateInfoEXT-viewType-07909 "
                                               "VUID-VkImageViewSlicedCreateInfoEXT-None-07870");
    for (uint32_t i = 0; i < VKT_COUNT(wrong); i++) {
        const VkImageViewSlicedCreateInfoEXT slices = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT,
                                                       .sliceOffset = wrong[i].offset,
                                                       .sliceCount = wrong[i].count};
        VkImageView view;
        const VkResult result =
            vkCreateImageView(device.device,
                              &(VkImageViewCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                                       .pNext = &slices,
                                                       .image = image.image,
                                                       .viewType = wrong[i].type,
                                                       .format = image.format,
                                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, wrong[i].level,
                                                                            wrong[i].levels, 0, 1}},
                              NULL, &view);
        if (result >= 0)
            fail_msg("range %u was accepted", i);
    }
    vkt_image_destroy(&device, &image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(words_of_slices, vkt_check_messages),
        cmocka_unit_test_teardown(wide_texels_of_slices, vkt_check_messages),
        cmocka_unit_test_teardown(wrong_ranges_are_refused, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("api_sliced_views", tests, open_device, close_device);
}
