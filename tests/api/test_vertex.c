/* SPDX-License-Identifier: MIT
 *
 * Vertex formats: every format that the driver reports as a vertex format fetches the reference's values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "color_int.vert.h"
#include "color_uint.vert.h"

#define W     64
#define H     64
#define RECTS 64 /* 8 x 8 rectangles, each with its own color */

static VkFormat format;
static uint32_t texel_B;
static enum { NORMALISED, SCALED, UNSIGNED, SIGNED, FLOAT16, FLOAT32, UNSIGNED_FLOATS } kind;

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Chooses values that differ visibly: scaled formats have only 0 and 1, floats lie between 0.5 and 1. */
static void fill_colors(uint8_t *out)
{
    for (uint32_t rect = 0; rect < RECTS; rect++) {
        uint8_t texel[16];
        uint32_t step_B = kind == FLOAT32 || kind == UNSIGNED_FLOATS ? 4 : kind == FLOAT16 ? 2 : 1;
        for (uint32_t i = 0; i < texel_B; i += step_B) {
            uint32_t word = hash(rect * 31 + i);
            if (kind == FLOAT32)
                word = (word & 0x7fffff) | 0x3f000000;
            else if (kind == FLOAT16)
                word = (word & 0x3ff) | 0x3800;
            else if (kind == UNSIGNED_FLOATS) /* the exponents are those of numbers from 0.5 on */
                word = (word & 0x07c1f83f) | 14u << 27 | 14u << 17 | 14u << 6;
            else if (kind == SCALED)
                word &= i % 2 || texel_B % 2 ? 1 : 0;
            memcpy(texel + i, &word, step_B);
        }
        for (uint32_t vertex = 0; vertex < 6; vertex++)
            memcpy(out + (rect * 6 + vertex) * texel_B, texel, texel_B);
    }
}

static void fill_positions(float (*out)[4])
{
    for (uint32_t rect = 0; rect < RECTS; rect++)
        for (uint32_t vertex = 0; vertex < 6; vertex++) {
            uint32_t x = vertex == 1 || vertex == 2 || vertex == 4, y = vertex == 2 || vertex == 4 || vertex == 5;
            float px = (float)(rect % 8 + x) / 4 - 1, py = (float)(rect / 8 + y) / 4 - 1;
            memcpy(out[rect * 6 + vertex], (float[]){px, py, 0, 1}, 16);
        }
}

static void scene(struct vkt *t, struct vkt_picture *out)
{
    static float positions[RECTS * 6][4];
    static uint8_t colors[RECTS * 6 * 16];
    const VkVertexInputBindingDescription bindings[] = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX},
                                                        {1, texel_B, VK_VERTEX_INPUT_RATE_VERTEX}};
    const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                            {1, 1, format, 0}};
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = kind == UNSIGNED ? VKT_SHADER(color_uint_vert)
                                                                    : kind == SIGNED ? VKT_SHADER(color_int_vert)
                                                                                     : VKT_SHADER(color_vert),
                                                              .fs = VKT_SHADER(color_frag),
                                                              .pass = target.pass,
                                                              .bindings = bindings,
                                                              .binding_count = 2,
                                                              .attributes = attributes,
                                                              .attribute_count = 2,
                                                              .topology = VKT_TRIANGLES,
                                                              .width = W,
                                                              .height = H,
                                                          });
    fill_positions(positions);
    fill_colors(colors);
    struct vkt_buffer buffers[] = {
        vkt_buffer_create(t, sizeof positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, positions),
        vkt_buffer_create(t, sizeof colors, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, colors),
    };
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 2, (VkBuffer[]){buffers[0].buffer, buffers[1].buffer}, (VkDeviceSize[]){0, 0});
    vkCmdDraw(cmd, RECTS * 6, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_buffer_destroy(t, &buffers[0]);
    vkt_buffer_destroy(t, &buffers[1]);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static bool fetches(struct vkt *t)
{
    VkFormatProperties properties;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &properties);
    return properties.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT;
}

/* The VkFormat values of a family are in this order: UNORM, SNORM, USCALED, SSCALED, UINT, SINT, then SRGB or
 * SFLOAT. */
static void vertex_formats(void **state)
{
    static const struct {
        VkFormat first;
        uint32_t texel_B, component_B;
    } families[] = {
        {VK_FORMAT_R8_UNORM, 1, 1},
        {VK_FORMAT_R8G8_UNORM, 2, 1},
        {VK_FORMAT_R8G8B8_UNORM, 3, 1},
        {VK_FORMAT_R8G8B8A8_UNORM, 4, 1},
        {VK_FORMAT_B8G8R8A8_UNORM, 4, 1},
        {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 4, 1},
        {VK_FORMAT_A2R10G10B10_UNORM_PACK32, 4, 0},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 0},
        {VK_FORMAT_R16_UNORM, 2, 2},
        {VK_FORMAT_R16G16_UNORM, 4, 2},
        {VK_FORMAT_R16G16B16_UNORM, 6, 2},
        {VK_FORMAT_R16G16B16A16_UNORM, 8, 2},
        {VK_FORMAT_R32_UINT, 4, 4},
        {VK_FORMAT_R32G32_UINT, 8, 4},
        {VK_FORMAT_R32G32B32_UINT, 12, 4},
        {VK_FORMAT_R32G32B32A32_UINT, 16, 4},
    };
    unsigned tested = 0;
    for (size_t f = 0; f < VKT_COUNT(families); f++)
        for (uint32_t i = families[f].component_B == 4 ? 4 : 0; i < (families[f].component_B ? 7u : 6u); i++) {
            char name[32];
            format = (VkFormat)(families[f].first + (families[f].component_B == 4 ? i - 4 : i));
            texel_B = families[f].texel_B;
            kind = i < 2 ? NORMALISED : i < 4 ? SCALED : i == 4 ? UNSIGNED : i == 5 ? SIGNED : FLOAT16;
            if (i == 6 && families[f].component_B == 4)
                kind = FLOAT32;
            if (!fetches(vkt_device(VKT_TESTED)) || !fetches(vkt_device(VKT_REFERENCE)))
                continue;
            snprintf(name, sizeof name, "vertex_format_%d", format);
            vkt_compare_with_reference(name, scene, (struct vkt_tolerance){1, 0});
            tested++;
        }
    printf("# %u vertex formats\n", tested);
    assert_true(tested >= 40);
}

static void unsigned_floats(void **state)
{
    format = VK_FORMAT_B10G11R11_UFLOAT_PACK32;
    texel_B = 4;
    kind = UNSIGNED_FLOATS;
    assert_true(fetches(vkt_device(VKT_TESTED)));
    vkt_compare_with_reference("vertex_format_unsigned_floats", scene, (struct vkt_tolerance){1, 0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(vertex_formats, vkt_check_messages),
        cmocka_unit_test_teardown(unsigned_floats, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("vertex", tests, NULL, vkt_teardown);
}
