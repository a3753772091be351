/* SPDX-License-Identifier: MIT
 *
 * Cubes at the edges of their faces: seamless, and with each face wrapped for itself (VK_EXT_non_seamless_cube_map), in
 * cubes and cube arrays, with and without levels.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "faces.frag.h"
#include "faces_array.frag.h"
#include "full.vert.h"

enum { FACE = 32, W = 6 * FACE, SIDE = 4, CUBES = 2 };

static struct scene_info {
    VkSamplerAddressMode u, v;
    VkFilter filter;
    bool seamless, array, in_memory; /* in_memory: the CPU engine reads the descriptor */
    uint32_t levels;
} scene;

static void texels_of(uint32_t layer, uint32_t side, uint8_t *out)
{
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t hash = (layer * 64 + i + 1) * 2654435761u;
        out[4 * i] = (uint8_t)(hash >> 8);
        out[4 * i + 1] = (uint8_t)(hash >> 16);
        out[4 * i + 2] = (uint8_t)(layer * 20);
        out[4 * i + 3] = 255;
    }
}

static VkDescriptorSet set_create(struct vkt *t, VkDescriptorPool *pool_out, VkDescriptorSetLayout *layout_out)
{
    const VkDescriptorBindingFlags flags = VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo more = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = 1,
        .pBindingFlags = &flags};
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
    vkt_ok(vkCreateDescriptorSetLayout(
        t->device,
        &(VkDescriptorSetLayoutCreateInfo){
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
            .pNext = scene.in_memory ? &more : NULL,
            .flags = scene.in_memory ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0,
            .bindingCount = 1,
            .pBindings = &binding},
        NULL, layout_out));
    vkt_ok(
        vkCreateDescriptorPool(t->device,
                               &(VkDescriptorPoolCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                   .flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
                                   .maxSets = 1,
                                   .poolSizeCount = 1,
                                   .pPoolSizes = &(VkDescriptorPoolSize){VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1}},
                               NULL, pool_out));
    VkDescriptorSet set;
    vkt_ok(
        vkAllocateDescriptorSets(t->device,
                                 &(VkDescriptorSetAllocateInfo){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                                .descriptorPool = *pool_out,
                                                                .descriptorSetCount = 1,
                                                                .pSetLayouts = layout_out},
                                 &set));
    return set;
}

static void draw_scene(struct vkt *base, struct vkt_picture *out)
{
    const char *const extensions[] = {VK_EXT_NON_SEAMLESS_CUBE_MAP_EXTENSION_NAME,
                                      VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, VK_KHR_MAINTENANCE3_EXTENSION_NAME};
    VkPhysicalDeviceDescriptorIndexingFeatures indexing = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
        .descriptorBindingSampledImageUpdateAfterBind = VK_TRUE};
    VkPhysicalDeviceNonSeamlessCubeMapFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NON_SEAMLESS_CUBE_MAP_FEATURES_EXT,
        .pNext = &indexing,
        .nonSeamlessCubeMap = VK_TRUE};
    struct vkt t = vkt_device_create_chain(base, extensions, VKT_COUNT(extensions), &features);
    struct vkt_target target = vkt_target_create(&t, W, FACE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    const uint32_t layers = scene.array ? 6 * CUBES : 6;
    struct vkt_image image = vkt_image_create(
        &t, &(struct vkt_image_info){.format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .width = SIDE,
                                     .height = SIDE,
                                     .levels = scene.levels,
                                     .layers = scene.array ? layers : 0,
                                     .cube = true,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    for (uint32_t level = 0; level < scene.levels; level++)
        for (uint32_t layer = 0; layer < layers; layer++) {
            uint8_t texels[SIDE * SIDE * 4];
            texels_of(layer + 100 * level, SIDE >> level, texels);
            vkt_image_upload(&t, &image, level, layer, texels, (SIDE >> level) * (SIDE >> level) * 4);
        }
    VkSampler sampler;
    vkt_ok(vkCreateSampler(
        t.device,
        &(VkSamplerCreateInfo){.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                               .flags = scene.seamless ? 0 : VK_SAMPLER_CREATE_NON_SEAMLESS_CUBE_MAP_BIT_EXT,
                               .magFilter = scene.filter,
                               .minFilter = scene.filter,
                               .addressModeU = scene.u,
                               .addressModeV = scene.v,
                               .addressModeW = scene.u,
                               .maxLod = 10,
                               .borderColor = VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE},
        NULL, &sampler));
    VkDescriptorPool pool;
    VkDescriptorSetLayout layout;
    VkDescriptorSet set = set_create(&t, &pool, &layout);
    vkt_set_texture(&t, set, 0, image.view, sampler);
    struct vkt_pipeline pipeline = vkt_pipeline_create(
        &t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                        .fs = scene.array ? VKT_SHADER(faces_array_frag) : VKT_SHADER(faces_frag),
                                        .pass = target.pass,
                                        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                        .width = W,
                                        .height = FACE,
                                        .set_layouts = {layout},
                                        .set_layout_count = 1});
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_begin_pass(cmd, &target, (const float[]){0, 0, 0, 0}, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&t, cmd);
    *out = vkt_read_target(&t, &target);
    vkt_pipeline_destroy(&t, &pipeline);
    vkDestroyDescriptorPool(t.device, pool, NULL);
    vkDestroyDescriptorSetLayout(t.device, layout, NULL);
    vkDestroySampler(t.device, sampler, NULL);
    vkt_image_destroy(&t, &image);
    vkt_target_destroy(&t, &target);
    vkt_device_close(&t);
}

/* ---------------------------------------------------------------- expectations */

/* The texel on an axis; -1: the border. */
static int wrap(int x, VkSamplerAddressMode mode)
{
    switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
        return (x + SIDE) % SIDE;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
        return x < 0 ? -1 - x : x >= SIDE ? 2 * SIDE - 1 - x : x;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
        return x < 0 ? 0 : x >= SIDE ? SIDE - 1 : x;
    default:
        return x < 0 || x >= SIDE ? -1 : x;
    }
}

/* A pixel of the scene without seams: its face is an image of its own. */
static void pixel(uint32_t px, uint32_t py, uint8_t out[4])
{
    uint8_t texels[SIDE * SIDE * 4];
    const bool linear = scene.filter == VK_FILTER_LINEAR;
    const double at[2] = {(px % FACE + 0.5) / FACE, (py % FACE + 0.5) / FACE};
    double sum[4] = {0};
    texels_of(px / FACE + (scene.array ? 6 : 0), SIDE, texels);
    for (uint32_t tap = 0; tap < (linear ? 4u : 1u); tap++) {
        double weight = 1;
        int place[2];
        for (uint32_t axis = 0; axis < 2; axis++) {
            const double x = (at[axis] * 1.9998 + 0.0001) / 2 * SIDE - (linear ? 0.5 : 0);
            const bool is_second = tap >> axis & 1;
            weight *= !linear ? 1 : is_second ? x - floor(x) : 1 - (x - floor(x));
            place[axis] = wrap((int)floor(x) + is_second, axis ? scene.v : scene.u);
        }
        for (uint32_t c = 0; c < 4; c++)
            sum[c] += weight * (place[0] < 0 || place[1] < 0 ? 255 : texels[4 * (place[1] * SIDE + place[0]) + c]);
    }
    for (uint32_t c = 0; c < 4; c++)
        out[c] = (uint8_t)(sum[c] + 0.5);
}

static void compare(const char *name, struct scene_info info)
{
    struct vkt_picture expected, got;
    scene = info;
    draw_scene(vkt_device(VKT_TESTED), &got);
    expected = vkt_picture_compute(W, FACE, pixel);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){4, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

static void faces_wrap(VkFilter filter, uint32_t levels, bool in_memory)
{
    static const VkSamplerAddressMode modes[] = {
        VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};
    static const char *const names[] = {"faces_repeat", "faces_mirror", "faces_clamp", "faces_border"};
    for (uint32_t array = 0; array < 2; array++)
        for (uint32_t i = 0; i < VKT_COUNT(modes); i++)
            compare(names[i], (struct scene_info){.u = modes[i],
                                                  .v = modes[(i + array) % VKT_COUNT(modes)],
                                                  .filter = filter,
                                                  .array = array,
                                                  .in_memory = in_memory,
                                                  .levels = levels});
}

static void faces_wrap_each(void **state)
{
    faces_wrap(VK_FILTER_LINEAR, 1, false);
    faces_wrap(VK_FILTER_LINEAR, 3, false);
    faces_wrap(VK_FILTER_NEAREST, 1, false);
}

static void faces_wrap_each_in_the_engine(void **state)
{
    faces_wrap(VK_FILTER_LINEAR, 1, true);
    faces_wrap(VK_FILTER_NEAREST, 1, true);
}

/* Cubes with seams that are filtered away ignore the wrap modes. */
static void seamless_faces_ignore_wraps(void **state)
{
    static const VkSamplerAddressMode modes[] = {VK_SAMPLER_ADDRESS_MODE_REPEAT,
                                                 VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER};
    for (uint32_t array = 0; array < 2; array++)
        for (uint32_t filter = 0; filter < 2; filter++)
            for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
                struct vkt_picture expected, got;
                scene = (struct scene_info){.u = modes[i],
                                            .v = modes[i],
                                            .filter = filter ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                                            .array = array,
                                            .seamless = true,
                                            .levels = 1};
                draw_scene(vkt_device(VKT_TESTED), &got);
                scene.u = scene.v = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
                draw_scene(vkt_device(VKT_TESTED), &expected);
                vkt_compare("faces_seamless", &expected, &got, (struct vkt_tolerance){0, 0});
                vkt_picture_free(&expected);
                vkt_picture_free(&got);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(faces_wrap_each, vkt_check_messages),
        cmocka_unit_test_teardown(faces_wrap_each_in_the_engine, vkt_check_messages),
        cmocka_unit_test_teardown(seamless_faces_ignore_wraps, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
