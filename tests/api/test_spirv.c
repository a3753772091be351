/* SPDX-License-Identifier: MIT
 *
 * What SPIR-V 1.4 and extensions of the language add, through the API: the device reports it, and programs do it. The
 * compiler's own tests go through the values (compiler_engine_versions).
 */
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "dot.comp.h"
#include "float_atomics.comp.h"
#include "float_atomics.frag.h"
#include "float_atomics_only.comp.h"
#include "shared_blocks.comp.h"
#include "terminate.frag.h"
#include "volatile_helper.frag.h"
#include "zeroed.comp.h"

static struct vkt device;

static const char *const extensions[] = {
    VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
    VK_KHR_SPIRV_1_4_EXTENSION_NAME,
    VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME,
    VK_KHR_SHADER_TERMINATE_INVOCATION_EXTENSION_NAME,
    VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
    VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME,
    VK_KHR_SHADER_NON_SEMANTIC_INFO_EXTENSION_NAME,
    VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME,
    VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME,
    VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME,
};

static int open_device(void **state)
{
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* Dispatches `groups` workgroups of a program with buffers of storage at its bindings. */
static void run(struct vkt_shader shader, const struct vkt_buffer *buffers, uint32_t count,
                const VkSpecializationInfo *spec, uint32_t groups)
{
    struct vkt_compute c = vkt_compute_create_simple(&device, shader, count, 0, spec);
    VkDescriptorSet set = vkt_compute_set(&device, &c, buffers, count);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, groups, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(&device, cmd);
    vkt_compute_destroy(&device, &c);
}

/* ---------------------------------------------------------------- shared memory */

static void shared_memory_begins_as_zero(void **state)
{
    enum { GROUPS = 7 };
    const uint32_t values[] = {48, 500}; /* invocations, words */
    const VkSpecializationMapEntry entries[] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo spec = {2, entries, sizeof values, values};
    struct vkt_buffer out = vkt_storage_buffer(&device, 4 * GROUPS, 0);
    run(VKT_SHADER(zeroed_comp), &out, 1, &spec, GROUPS);
    for (uint32_t i = 0; i < GROUPS; i++) /* one from each invocation that has found nothing but zero */
        assert_int_equal(((const uint32_t *)out.map)[i], values[0]);
    vkt_buffer_destroy(&device, &out);
}

static void blocks_share_their_bytes(void **state)
{
    static const float numbers[8] = {1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f, 8.5f};
    struct vkt_buffer in = vkt_storage_buffer(&device, 32, 0), out = vkt_storage_buffer(&device, 256, 0);
    memcpy(in.map, numbers, sizeof numbers);
    run(VKT_SHADER(shared_blocks_comp), (const struct vkt_buffer[]){in, out}, 2, NULL, 1);
    const uint32_t *words = out.map;
    assert_int_equal(words[0], 0xa0a0a0a0 + 120);
    assert_int_equal(words[1], 0xa0a0a0a0);
    assert_memory_equal(words + 2, numbers, 4);
    assert_memory_equal(words + 4, ((float[]){2.5f, 5.5f, 3.5f, 6.5f, 4.5f, 7.5f}), 24);
    assert_int_equal(words[16], 0x11110000);
    assert_int_equal(words[20], 0xccddeeff);
    vkt_buffer_destroy(&device, &in);
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- dot products */

static void dot_products(void **state)
{
    struct vkt_buffer in = vkt_storage_buffer(&device, 4 * 3 * 16, 0), out = vkt_storage_buffer(&device, 4 * 9 * 16, 0);
    for (uint32_t i = 0; i < 16; i++)
        memcpy((uint32_t *)in.map + 3 * i, (uint32_t[]){0x80ff7f01 + i, 0x7fff8002, UINT32_MAX - 97560}, 12);
    run(VKT_SHADER(dot_comp), (const struct vkt_buffer[]){in, out}, 2, NULL, 1);
    for (int32_t i = 0; i < 16; i++) {
        const int32_t *got = (const int32_t *)out.map + 9 * i;
        assert_int_equal(got[0], (1 + i) * 2 + 127 * -128 + -1 * -1 + -128 * 127);
        assert_int_equal(got[1], (1 + i) * 2 + 127 * 128 + 255 * 255 + 128 * 127);
        assert_int_equal(got[2], (1 + i) * 2 + 127 * 128 + -1 * 255 + -128 * 127);
        assert_int_equal(got[3], got[0] - 97561);
        assert_int_equal((uint32_t)got[4], got[1] > 97560 ? UINT32_MAX : UINT32_MAX - 97560 + (uint32_t)got[1]);
    }
    vkt_buffer_destroy(&device, &in);
    vkt_buffer_destroy(&device, &out);
}

/* ---------------------------------------------------------------- atomics of floats */

static struct vkt_image stored_image(VkFormat format, uint32_t width, uint32_t height, const void *texels)
{
    struct vkt_image image = vkt_image_create(
        &device,
        &(struct vkt_image_info){.format = format,
                                 .width = width,
                                 .height = height,
                                 .usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT});
    vkt_image_upload(&device, &image, 0, 0, texels, 4 * width * height);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    vkt_end_submit(&device, cmd);
    return image;
}

static void float_atomics(void **state)
{
    enum { GROUPS = 15, N = 32 * GROUPS };
    static const float was[2][4] = {{1, 2, 3, 4}, {0, 0, 6, 0}};
    const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, image_type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const struct vkt_binding bindings[] = {{storage, VK_SHADER_STAGE_COMPUTE_BIT, 0},
                                           {image_type, VK_SHADER_STAGE_COMPUTE_BIT, 0}};
    VkDescriptorSetLayout layout = vkt_set_layout_create(&device, bindings, 2);
    struct vkt_compute c = vkt_compute_create(&device, VKT_SHADER(float_atomics_comp), &layout, 1, 0, NULL);
    struct vkt_buffer out = vkt_storage_buffer(&device, 4 * (20 + 1024 + 64), 0);
    struct vkt_image image = stored_image(VK_FORMAT_R32_SFLOAT, 4, 2, was);
    VkDescriptorSet set = vkt_set_alloc(&device, layout);
    vkt_set_buffer(&device, set, 0, storage, out.buffer, 0, VK_WHOLE_SIZE);
    vkt_set_image(&device, set, 1, 0, image.view);
    VkCommandBuffer cmd = vkt_begin(&device);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    vkt_image_barrier(cmd, &image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&device, cmd);
    float texels[2][4];
    vkt_read_image(&device, &image, 0, 0, texels, sizeof texels);
    const float *got = out.map; /* count, low, high, winner, totals[16], ... */
    assert_true(got[0] == N);
    assert_true(got[1] == 5.5f - 0.25f * (N - 1));
    assert_true(got[2] == 0.25f * (N - 1) - 5.5f);
    for (uint32_t i = 0; i < GROUPS; i++)
        assert_true(got[4 + i] == 16);
    for (uint32_t x = 0; x < 4; x++)
        assert_true(texels[0][x] == was[0][x] + 0.25f * (N / 4));
    assert_memory_equal(texels[1], ((float[]){1 - N, N - 1, 7, 9}), 16);
    vkt_image_destroy(&device, &image);
    vkt_buffer_destroy(&device, &out);
    vkt_compute_destroy(&device, &c);
}

/* The program's only stores are atomics of floats, so its buffer must not be read as one that never changes. */
static void loads_see_float_atomics(void **state)
{
    struct vkt_buffer numbers = vkt_storage_buffer(&device, 64, 0);
    float *got = numbers.map;
    for (uint32_t i = 0; i < 32; i++)
        got[i] = (float)i, got[32 + i] = 0;
    run(VKT_SHADER(float_atomics_only_comp), &numbers, 1, NULL, 1);
    for (uint32_t i = 0; i < 32; i++) {
        assert_true(got[i] == (float)i + 1);
        assert_true(got[32 + i] == 101 * (float)i + 1);
    }
    vkt_buffer_destroy(&device, &numbers);
}

/* Draws a triangle over a target whose fragments change the three floats. */
static void draw_counted(struct vkt *t, float totals[3])
{
    enum { SIZE = 32 };
    const struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 0};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    struct vkt_buffer buffer = vkt_storage_buffer(t, 3, 0);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffer.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                                               .fs = VKT_SHADER(float_atomics_frag),
                                                                               .pass = target.pass,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .set_layouts = {layout},
                                                                               .set_layout_count = 1,
                                                                               .width = SIZE,
                                                                               .height = SIZE});
    memcpy(buffer.map, totals, 3 * sizeof *totals);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    memcpy(totals, buffer.map, 3 * sizeof *totals);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    vkt_buffer_destroy(t, &buffer);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
}

static void fragments_with_float_atomics_only(void **state)
{
    float totals[3] = {0, 1000, -1000};
    draw_counted(&device, totals);
    assert_true(totals[0] == 32 * 32 && totals[1] == 100 - 31 && totals[2] == 2 * 31);
}

/* ---------------------------------------------------------------- fragments */

/* Draws over a cleared target: columns with an even number get `even`, the others keep the clear colour. */
static void expect_columns(struct vkt_shader fragment, const uint8_t even[4])
{
    enum { SIZE = 32 };
    static const uint8_t clear[4] = {0};
    struct vkt_picture got = vkt_draw_triangle(&device, VKT_SHADER(cover_vert), fragment, SIZE);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        assert_memory_equal(got.rgba + 4 * i, i % 2 ? clear : even, 4);
    vkt_picture_free(&got);
}

static void terminated_fragments_write_nothing(void **state)
{
    expect_columns(VKT_SHADER(terminate_frag), (const uint8_t[]){255, 255, 255, 255});
}

static void volatile_loads_see_demoted_fragments(void **state)
{
    expect_columns(VKT_SHADER(volatile_helper_frag), (const uint8_t[]){255, 0, 0, 255});
}

/* ---------------------------------------------------------------- reports */

static void device_says_so(void **state)
{
    VkPhysicalDeviceShaderIntegerDotProductFeatures dots = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES};
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR blocks = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR, .pNext = &dots};
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zeros = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, .pNext = &blocks};
    VkPhysicalDeviceShaderTerminateInvocationFeatures ends = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES, .pNext = &zeros};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &ends};
    vkGetPhysicalDeviceFeatures2(device.physical, &has);
    assert_true(dots.shaderIntegerDotProduct && zeros.shaderZeroInitializeWorkgroupMemory);
    assert_true(ends.shaderTerminateInvocation && blocks.workgroupMemoryExplicitLayout);
    assert_true(blocks.workgroupMemoryExplicitLayoutScalarBlockLayout);
    assert_true(blocks.workgroupMemoryExplicitLayout8BitAccess && blocks.workgroupMemoryExplicitLayout16BitAccess);
}

static void float_controls_are_those_of_the_chip(void **state)
{
    VkPhysicalDeviceFloatControlsProperties floats = {.sType =
                                                          VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceProperties2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &floats};
    vkGetPhysicalDeviceProperties2(device.physical, &has);
    assert_true(floats.shaderRoundingModeRTZFloat32 && floats.shaderDenormFlushToZeroFloat32);
    assert_true(floats.shaderRoundingModeRTEFloat16 && floats.shaderRoundingModeRTEFloat32);
    assert_true(floats.shaderDenormPreserveFloat16 && !floats.shaderDenormPreserveFloat32);
    assert_true(floats.shaderRoundingModeRTEFloat64 && floats.shaderDenormPreserveFloat64);
    assert_true(floats.shaderSignedZeroInfNanPreserveFloat64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(shared_memory_begins_as_zero, vkt_check_messages),
        cmocka_unit_test_teardown(blocks_share_their_bytes, vkt_check_messages),
        cmocka_unit_test_teardown(dot_products, vkt_check_messages),
        cmocka_unit_test_teardown(float_atomics, vkt_check_messages),
        cmocka_unit_test_teardown(loads_see_float_atomics, vkt_check_messages),
        cmocka_unit_test_teardown(fragments_with_float_atomics_only, vkt_check_messages),
        cmocka_unit_test_teardown(terminated_fragments_write_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(volatile_loads_see_demoted_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(device_says_so, vkt_check_messages),
        cmocka_unit_test_teardown(float_controls_are_those_of_the_chip, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("spirv", tests, open_device, close_device);
}
