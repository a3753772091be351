/* SPDX-License-Identifier: MIT
 *
 * Random draws that no sensible application makes: small buffers, odd strides and offsets, indices and counts out of
 * range. The kernel must not refuse any job, and the device must keep working. Also records a hundred thousand draws in
 * one command buffer, and runs an invalid module that other drivers take.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "attributes_numbers.vert.h"
#include "boolean_bits.comp.h"
#include "color.frag.h"
#include "color.vert.h"
#include "push.frag.h"
#include "push.vert.h"

#define W         64
#define H         64
#define LOCATIONS 16
#define BUFFERS   4

static uint64_t seed;

static uint32_t next(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33);
}

static uint32_t below(uint32_t n)
{
    return next() % n;
}

/* ---------------------------------------------------------------- wild draws */

static const struct {
    VkFormat format;
    uint32_t align_B;
} formats[] = {
    {VK_FORMAT_R32G32B32A32_SFLOAT, 4},
    {VK_FORMAT_R32G32B32_SFLOAT, 4},
    {VK_FORMAT_R32G32_SFLOAT, 4},
    {VK_FORMAT_R32_SFLOAT, 4},
    {VK_FORMAT_R8G8B8A8_UNORM, 1},
    {VK_FORMAT_R8_UNORM, 1},
    {VK_FORMAT_R16G16B16A16_SFLOAT, 2},
    {VK_FORMAT_R16G16_SNORM, 2},
    {VK_FORMAT_R8G8_SNORM, 1},
    {VK_FORMAT_R16_UNORM, 2},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4},
};

static struct vkt_pipeline wild_pipeline(struct vkt *t, const struct vkt_target *target)
{
    const uint32_t locations = below(2) ? LOCATIONS : 2;
    VkVertexInputBindingDescription bindings[BUFFERS];
    VkVertexInputAttributeDescription attributes[LOCATIONS];
    const VkPrimitiveTopology topology = (VkPrimitiveTopology)below(6);
    const bool strip = topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP ||
                       topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
                       topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    for (uint32_t i = 0; i < BUFFERS; i++)
        bindings[i] = (VkVertexInputBindingDescription){
            i, 4 * below(below(4) ? 20 : 513), below(3) ? VK_VERTEX_INPUT_RATE_VERTEX : VK_VERTEX_INPUT_RATE_INSTANCE};
    for (uint32_t i = 0; i < locations; i++) {
        const uint32_t f = below(VKT_COUNT(formats)), align_B = formats[f].align_B;
        attributes[i] = (VkVertexInputAttributeDescription){i, below(BUFFERS), formats[f].format,
                                                            below(below(4) ? 64 : 2048) / align_B * align_B};
    }
    return vkt_pipeline_create(t,
                               &(struct vkt_pipeline_info){
                                   .vs = locations == 2 ? VKT_SHADER(color_vert) : VKT_SHADER(attributes_numbers_vert),
                                   .fs = VKT_SHADER(color_frag),
                                   .pass = target->pass,
                                   .bindings = bindings,
                                   .binding_count = BUFFERS,
                                   .attributes = attributes,
                                   .attribute_count = locations,
                                   .topology = topology,
                                   .primitive_restart = strip && below(2),
                                   .width = W,
                                   .height = H,
                               });
}

static uint32_t wild_number(void)
{
    switch (below(5)) {
    case 0:
        return next() * 2;
    case 1:
        return UINT32_MAX - below(3);
    case 2:
        return 65533 + below(6);
    default:
        return below(40);
    }
}

static struct vkt_buffer wild_buffer(struct vkt *t, VkBufferUsageFlags usage, bool has_numbers)
{
    uint32_t words[100];
    const uint32_t count = 1 + below(VKT_COUNT(words));
    for (uint32_t i = 0; i < count; i++) {
        float x = (float)below(200) / 100 - 1;
        words[i] = has_numbers ? wild_number() : next() * 2;
        if (!has_numbers && below(4))
            memcpy(&words[i], &x, sizeof x);
    }
    return vkt_buffer_create(t, count * 4 - (has_numbers ? 0 : below(4)), usage, words);
}

static void wild_draw(VkCommandBuffer cmd, const struct vkt_buffer *indices, const struct vkt_buffer *indirect,
                      uint32_t slot)
{
    const bool is_32_bit = below(2);
    const VkDeviceSize steps = indices->size_B / (is_32_bit ? 4 : 2), at = below((uint32_t)steps);
    vkCmdBindIndexBuffer(cmd, indices->buffer, at * (is_32_bit ? 4 : 2),
                         is_32_bit ? VK_INDEX_TYPE_UINT32 : VK_INDEX_TYPE_UINT16);
    const uint32_t instances = below(3), first_instance = below(4) ? below(3) : wild_number();
    const VkDeviceSize indirect_B = slot * sizeof(VkDrawIndexedIndirectCommand);
    VkDrawIndexedIndirectCommand *indexed = (void *)((char *)indirect->map + indirect_B);
    VkDrawIndirectCommand *arrays = (void *)indexed;
    switch (below(4)) {
    case 0:
        vkCmdDraw(cmd, below(300), instances, below(3) ? below(50) : wild_number(), first_instance);
        break;
    case 1:
        vkCmdDrawIndexed(cmd, below(3) ? below(300) : wild_number(), instances, below(3) ? below(60) : wild_number(),
                         (int32_t)wild_number(), first_instance);
        break;
    case 2:
        *arrays = (VkDrawIndirectCommand){below(300), instances, wild_number(), first_instance};
        vkCmdDrawIndirect(cmd, indirect->buffer, indirect_B, 1, 0);
        break;
    default:
        *indexed = (VkDrawIndexedIndirectCommand){wild_number(), instances, wild_number(), (int32_t)wild_number(),
                                                  first_instance};
        vkCmdDrawIndexedIndirect(cmd, indirect->buffer, indirect_B, 1, 0);
        break;
    }
}

static void wild_round(struct vkt *t, const struct vkt_target *target)
{
    struct vkt_pipeline p = wild_pipeline(t, target);
    struct vkt_buffer buffers[BUFFERS], indices = wild_buffer(t, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true),
                                        indirect = vkt_buffer_create(t, 64, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, NULL);
    VkBuffer handles[BUFFERS];
    VkDeviceSize offsets[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffers[i] = wild_buffer(t, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, false);
        handles[i] = buffers[i].buffer;
        offsets[i] = below((uint32_t)buffers[i].size_B) / 4 * 4;
    }
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, BUFFERS, handles, offsets);
    for (uint32_t i = 0; i < 3; i++)
        wild_draw(cmd, &indices, &indirect, i);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd); /* fails if the kernel refuses the job, since the device is then lost */
    for (uint32_t i = 0; i < BUFFERS; i++)
        vkt_buffer_destroy(t, &buffers[i]);
    vkt_buffer_destroy(t, &indices);
    vkt_buffer_destroy(t, &indirect);
    vkt_pipeline_destroy(t, &p);
}

static void no_draw_is_refused(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const char *from = getenv("VKT_SEED"), *fuzz = getenv("VKT_FUZZ");
    const uint64_t first = from ? strtoull(from, NULL, 0) : 1;
    const uint32_t count = fuzz && !strcmp(fuzz, "full") ? 2000 : 60;
    const unsigned messages = t->validation_messages;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    for (uint32_t i = 0; i < count; i++) {
        seed = (first + i) * UINT64_C(0x9e3779b97f4a7c15);
        wild_round(t, &target);
    }
    vkt_target_destroy(t, &target);
    t->validation_messages = messages; /* the validation layer reports reads beyond buffers, which are intended */
}

/* ---------------------------------------------------------------- very many draws */

#define SIDE  128
#define DRAWS 100000

static void last_draw_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const uint32_t place = y * SIDE + x, last = (DRAWS - 1 - place) / (SIDE * SIDE) * (SIDE * SIDE) + place;
    memcpy(rgba, (uint8_t[]){(uint8_t)last, (uint8_t)(last >> 8), (uint8_t)(last >> 16), 255}, 4);
}

static void a_hundred_thousand_draws(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct vkt_target target = vkt_target_create(t, SIDE, SIDE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                           .fs = VKT_SHADER(push_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = SIDE,
                                                           .height = SIDE,
                                                           .push_size_B = 36});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    for (uint32_t i = 0; i < DRAWS; i++) {
        const float x = (float)(i % SIDE) * 2 / SIDE - 1, y = (float)(i / SIDE % SIDE) * 2 / SIDE - 1,
                    step = 2.0f / SIDE;
        const float values[9] = {(float)(i & 255) / 255,
                                 (float)(i >> 8 & 255) / 255,
                                 (float)(i >> 16) / 255,
                                 1,
                                 x,
                                 y,
                                 x + step,
                                 y + step,
                                 0.5f};
        vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, 36, values);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture got = vkt_read_target(t, &target), expected = vkt_picture_compute(SIDE, SIDE, last_draw_pixel);
    vkt_compare("hundred_thousand_draws", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

/* ---------------------------------------------------------------- integer operations on booleans */

static uint32_t expected_bits(uint32_t i)
{
    const bool a = i & 1, b = i & 2;
    const bool bits[] = {a || b, a != b, a && b, !a, a == b, a != b, a || b, b || !a};
    uint32_t word = 0;
    for (uint32_t n = 0; n < VKT_COUNT(bits); n++)
        word |= bits[n] ? 1u << n : 0;
    return word;
}

static void booleans_are_taken_as_integers(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    vkt_accept_message(t,
                       "UNASSIGNED-CoreValidation-Shader-InconsistentSpirv VUID-VkShaderModuleCreateInfo-pCode-08737");
    struct vkt_compute c = vkt_compute_create_simple(t, VKT_SHADER(boolean_bits_comp), 1, 0, NULL);
    struct vkt_buffer out = vkt_storage_buffer(t, 16, 0);
    VkDescriptorSet set = vkt_compute_set(t, &c, &out, 1);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(((const uint32_t *)out.map)[i], expected_bits(i));
    vkt_buffer_destroy(t, &out);
    vkt_compute_destroy(t, &c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(no_draw_is_refused, vkt_check_messages),
        cmocka_unit_test_teardown(a_hundred_thousand_draws, vkt_check_messages),
        cmocka_unit_test_teardown(booleans_are_taken_as_integers, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("wild", tests, NULL, vkt_teardown);
}
