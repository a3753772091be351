/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_fragment_shader_interlock: shaders that read, change and write words of a buffer for each pixel or sample,
 * without atomics, while many rectangles cover it. Where primitives are ordered, the result tells the order.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "interlock.vert.h"
#include "interlock_pixel.frag.h"
#include "interlock_pixel_shaded.frag.h"
#include "interlock_pixel_unordered.frag.h"
#include "interlock_sample.frag.h"
#include "interlock_sample_unordered.frag.h"

enum { W = 64, H = 64, RECTANGLES = 40, DRAWS = 2, INSTANCES = 2 };

#define STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

static struct vkt device;

static int open_device(void **state)
{
    static const char *const extensions[] = {VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME};
    VkPhysicalDeviceFragmentShaderInterlockFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT,
        .fragmentShaderSampleInterlock = VK_TRUE,
        .fragmentShaderPixelInterlock = VK_TRUE};
    device = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &features);
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

struct vertex {
    float x, y;
    uint32_t number;
};

struct rectangle {
    uint32_t x0, y0, x1, y1, number;
};

static struct rectangle rectangle_of(uint32_t i)
{
    const uint32_t x = i * 29 % 40, y = i * 17 % 44;
    return (struct rectangle){x, y, x + 8 + i * 7 % (W - 8 - x), y + 8 + i * 11 % (H - 8 - y), i * 13 % 31 + 1};
}

static void fill_vertices(struct vertex v[6 * RECTANGLES])
{
    for (uint32_t i = 0; i < RECTANGLES; i++) {
        const struct rectangle r = rectangle_of(i);
        const uint32_t x[] = {r.x0, r.x1, r.x0, r.x0, r.x1, r.x1}, y[] = {r.y0, r.y0, r.y1, r.y1, r.y0, r.y1};
        for (uint32_t k = 0; k < 6; k++)
            v[6 * i + k] = (struct vertex){(float)x[k] * 2 / W - 1, (float)y[k] * 2 / H - 1, r.number};
    }
}

/* A pass without attachments. */
static VkRenderPass make_pass(void)
{
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(
        device.device,
        &(VkRenderPassCreateInfo){
            .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
            .subpassCount = 1,
            .pSubpasses = &(VkSubpassDescription){.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS},
        },
        NULL, &pass));
    return pass;
}

#define WORDS (W * H * 4)

static void draw(struct vkt_shader fs, VkSampleCountFlagBits samples, uint32_t out[WORDS])
{
    struct vkt *t = &device;
    struct vertex v[6 * RECTANGLES];
    fill_vertices(v);
    VkRenderPass pass = make_pass();
    VkFramebuffer framebuffer;
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = pass,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &framebuffer));
    VkDescriptorSetLayout layout =
        vkt_set_layout_create(t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, STAGES, 0}, 1);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    struct vkt_buffer values = vkt_storage_buffer(t, WORDS, 0);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, values.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_buffer vertices = vkt_buffer_create(t, sizeof v, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, v);
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                                   {1, 0, VK_FORMAT_R32_UINT, 8}};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = samples};
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(interlock_vert),
                                                                               .fs = fs,
                                                                               .pass = pass,
                                                                               .bindings = &binding,
                                                                               .binding_count = 1,
                                                                               .attributes = attributes,
                                                                               .attribute_count = 2,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .no_color = true,
                                                                               .multisample = &multisample,
                                                                               .set_layouts = {layout},
                                                                               .set_layout_count = 1,
                                                                               .width = W,
                                                                               .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = pass,
                                                  .framebuffer = framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &vertices.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i < DRAWS; i++)
        vkCmdDraw(cmd, 6 * RECTANGLES / DRAWS, INSTANCES, i * 6 * RECTANGLES / DRAWS, 0);
    vkCmdEndRenderPass(cmd);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vkt_end_submit(t, cmd);
    memcpy(out, values.map, WORDS * sizeof *out);
    vkt_pipeline_destroy(t, &p);
    vkt_buffer_destroy(t, &vertices);
    vkt_buffer_destroy(t, &values);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
    vkDestroyFramebuffer(t->device, framebuffer, NULL);
    vkDestroyRenderPass(t->device, pass, NULL);
}

/* The word of a pixel, or of any of its samples. `runs`: invocations of each primitive that change the same word. */
static uint32_t expected_word(uint32_t x, uint32_t y, bool ordered, uint32_t runs)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < DRAWS; i++)
        for (uint32_t k = 0; k < INSTANCES; k++)
            for (uint32_t n = i * RECTANGLES / DRAWS; n < (i + 1) * RECTANGLES / DRAWS; n++) {
                const struct rectangle r = rectangle_of(n);
                for (uint32_t run = 0; run < runs && x >= r.x0 && x < r.x1 && y >= r.y0 && y < r.y1; run++)
                    value = value * (ordered ? 5 : 1) + r.number + 7 * k;
            }
    return value;
}

static void check(struct vkt_shader fs, VkSampleCountFlagBits samples, bool ordered, bool word_per_sample,
                  uint32_t runs)
{
    static uint32_t words[WORDS];
    draw(fs, samples, words);
    for (uint32_t i = 0; i < W * H; i++)
        for (uint32_t s = 0; s < (word_per_sample ? 4 : 1); s++) {
            const uint32_t expected = expected_word(i % W, i / W, ordered, runs);
            const uint32_t got = words[word_per_sample ? 4 * i + s : i];
            if (got != expected)
                fail_msg("pixel %u,%u, sample %u: %u instead of %u", i % W, i / W, s, got, expected);
        }
}

static void pixels_are_ordered(void **state)
{
    check(VKT_SHADER(interlock_pixel_frag), VK_SAMPLE_COUNT_1_BIT, true, false, 1);
    check(VKT_SHADER(interlock_pixel_unordered_frag), VK_SAMPLE_COUNT_1_BIT, false, false, 1);
}

static void samples_are_ordered(void **state)
{
    check(VKT_SHADER(interlock_sample_frag), VK_SAMPLE_COUNT_4_BIT, true, true, 1);
    check(VKT_SHADER(interlock_sample_unordered_frag), VK_SAMPLE_COUNT_4_BIT, false, true, 1);
}

/* All samples of a primitive come before those of the next one. */
static void pixels_are_ordered_where_samples_are_shaded(void **state)
{
    check(VKT_SHADER(interlock_pixel_shaded_frag), VK_SAMPLE_COUNT_4_BIT, true, false, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(pixels_are_ordered, vkt_check_messages),
        cmocka_unit_test_teardown(samples_are_ordered, vkt_check_messages),
        cmocka_unit_test_teardown(pixels_are_ordered_where_samples_are_shaded, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("interlock", tests, open_device, close_device);
}
