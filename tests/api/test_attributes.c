/* SPDX-License-Identifier: MIT
 *
 * Draws with 16 and with 32 vertex attributes: in one binding to one for each, per vertex and per instance, tightly
 * packed and far apart, with and without indices, and with programs that see the whole primitive.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "attributes.vert.h"
#include "attributes_corners.vert.h"
#include "attributes_culled.vert.h"
#include "attributes_many.vert.h"
#include "attributes_many_culled.vert.h"
#include "attributes_numbers.vert.h"
#include "color.frag.h"

#define W 64
#define H 64
#define FEW       16
#define LOCATIONS 32 /* maxVertexInputAttributes and maxVertexInputBindings */
#define QUADS     16
#define CORNERS   (4 * QUADS)
#define INSTANCES 4
#define POSITION  0
#define MOVE      15 /* last column of the second matrix */

static const struct layout {
    const char *name;
    VkFormat formats[LOCATIONS]; /* 0: R32G32B32A32_SFLOAT */
    uint32_t bindings[LOCATIONS];
    uint32_t instance_bindings; /* bit mask */
    uint32_t stride_B;          /* of each binding; 0: the size of its attributes */
    uint32_t gap_B;             /* between the attributes of a binding */
    bool numbers;               /* the shader also shows gl_VertexIndex and gl_InstanceIndex */
    bool corners;               /* the shader also derives the position from gl_VertexIndex */
    bool many;                  /* 32 locations instead of 16 */
    bool culled;                /* the shader culls primitives */
} layouts[] = {
    {.name = "matrices",
     .formats = {[1] = VK_FORMAT_R8G8B8A8_UNORM, [2] = VK_FORMAT_R32_SFLOAT, [3] = VK_FORMAT_R16G16_UNORM},
     .bindings = {0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4},
     .instance_bindings = 1u << 4},
    {.name = "a binding each",
     .formats =
         {[3] = VK_FORMAT_A2B10G10R10_UNORM_PACK32, [9] = VK_FORMAT_R16G16B16A16_UNORM, [11] = VK_FORMAT_R8_UNORM},
     .bindings = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
     .stride_B = 36},
    {.name = "instances between vertices",
     .formats = {[1] = VK_FORMAT_R8G8B8A8_UNORM, [8] = VK_FORMAT_R16G16B16A16_UNORM, [10] = VK_FORMAT_R16G16_SFLOAT},
     .bindings = {0, 1, 0, 2, 0, 1, 3, 4, 5, 6, 0, 1, 2, 3, 4, 7},
     .instance_bindings = 1u << 1 | 1u << 3 | 1u << 5 | 1u << 7,
     .numbers = true},
    {.name = "far apart",
     .formats = {[6] = VK_FORMAT_R8G8B8A8_UNORM, [7] = VK_FORMAT_B8G8R8A8_UNORM, [8] = VK_FORMAT_R16_UNORM},
     .stride_B = 2048,
     .gap_B = 110,
     .numbers = true},
    {.name = "256 bytes", .numbers = true},
    {.name = "256 bytes, some of instances",
     .bindings = {0, 1, 0, 2, 0, 1, 3, 4, 5, 6, 0, 1, 2, 3, 4, 7},
     .instance_bindings = 1u << 1 | 1u << 3 | 1u << 5 | 1u << 7,
     .numbers = true},
    {.name = "256 bytes of instances", .instance_bindings = 1, .numbers = true, .corners = true},
    {.name = "256 bytes of triangles",
     .bindings = {0, 1, 0, 2, 0, 1, 3, 4, 5, 6, 0, 1, 2, 3, 4, 7},
     .instance_bindings = 1u << 3 | 1u << 5 | 1u << 7,
     .culled = true},
    {.name = "512 bytes", .many = true},
    {.name = "32 bindings",
     .formats =
         {[3] = VK_FORMAT_A2B10G10R10_UNORM_PACK32, [17] = VK_FORMAT_R16G16B16A16_UNORM, [30] = VK_FORMAT_R8_UNORM},
     .bindings = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                  16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
     .many = true},
    {.name = "32 bindings, every other of instances",
     .bindings = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                  31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16},
     .instance_bindings = 0xaaaaaaaa,
     .many = true},
    {.name = "512 bytes of instances, but for the position",
     .bindings = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
     .instance_bindings = 1u << 1,
     .many = true},
    {.name = "512 bytes of triangles",
     .bindings = {0, 1, 0, 2, 0, 1, 3, 4, 5, 6, 0, 1, 2, 3, 4, 7, 0, 0, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3},
     .instance_bindings = 1u << 3 | 1u << 5 | 1u << 7,
     .many = true,
     .culled = true},
};

static const struct layout *layout;

static uint32_t hash(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static uint32_t location_count(void)
{
    return layout->many ? LOCATIONS : FEW;
}

static VkFormat format_of(uint32_t location)
{
    return layout->formats[location] ? layout->formats[location] : VK_FORMAT_R32G32B32A32_SFLOAT;
}

/* Values between 0 and 1 that differ between locations, and between quads or instances. Returns their size. */
static uint32_t random_texel(uint32_t location, uint32_t element, uint8_t out[16])
{
    const VkFormat format = format_of(location);
    const uint32_t floats = format == VK_FORMAT_R32_SFLOAT ? 1 : format == VK_FORMAT_R32G32B32A32_SFLOAT ? 4 : 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t word = hash(element * 131 + location * 4 + i);
        float value = (float)(word & 0xffff) / 65535;
        if (format == VK_FORMAT_R16G16_SFLOAT)
            word = (word & 0x03ff03ff) | 0x38003800;
        memcpy(out + 4 * i, i < floats ? (void *)&value : (void *)&word, 4);
    }
    return floats ? floats * 4 : format == VK_FORMAT_R16G16B16A16_UNORM ? 8
                             : format == VK_FORMAT_R16_UNORM            ? 2
                             : format == VK_FORMAT_R8_UNORM             ? 1
                                                                        : 4;
}

/* Corners of a 4 x 4 grid of quads in the upper left quarter. MOVE puts each instance into another quarter. */
static void position_of(uint32_t corner, float out[4])
{
    const uint32_t quad = corner / 4;
    const float x = (float)(quad % 4 + corner % 2), y = (float)(quad / 4 + corner % 4 / 2);
    memcpy(out, (float[]){x / 4 - 1, y / 4 - 1, 0, 1}, 16);
}

static void move_of(bool per_instance, uint32_t element, float out[4])
{
    const uint32_t at = per_instance ? element : 0;
    memcpy(out, (float[]){(float)(at % 2), (float)(at / 2), 0, 0}, 16);
}

struct input {
    VkVertexInputBindingDescription bindings[LOCATIONS];
    VkVertexInputAttributeDescription attributes[LOCATIONS];
    struct vkt_buffer buffers[LOCATIONS];
    uint32_t binding_count;
};

static void place(struct input *in)
{
    *in = (struct input){.binding_count = 0};
    for (uint32_t i = 0; i < location_count(); i++) {
        uint8_t texel[16];
        VkVertexInputBindingDescription *b = &in->bindings[layout->bindings[i]];
        b->binding = layout->bindings[i];
        b->inputRate = layout->instance_bindings >> b->binding & 1 ? VK_VERTEX_INPUT_RATE_INSTANCE
                                                                   : VK_VERTEX_INPUT_RATE_VERTEX;
        in->attributes[i] = (VkVertexInputAttributeDescription){i, b->binding, format_of(i), b->stride};
        b->stride += (random_texel(i, 0, texel) + layout->gap_B + 3) / 4 * 4;
        in->binding_count = b->binding >= in->binding_count ? b->binding + 1 : in->binding_count;
    }
    for (uint32_t i = 0; i < in->binding_count; i++)
        if (layout->stride_B)
            in->bindings[i].stride = layout->stride_B;
}

static void fill(struct vkt *t, struct input *in)
{
    for (uint32_t b = 0; b < in->binding_count; b++) {
        const uint32_t stride_B = in->bindings[b].stride, is_instance = layout->instance_bindings >> b & 1,
                       count = is_instance ? INSTANCES : CORNERS;
        uint8_t *data = calloc(count, stride_B);
        for (uint32_t i = 0; i < location_count(); i++)
            for (uint32_t e = 0; e < count && layout->bindings[i] == b; e++) {
                uint8_t texel[16];
                uint32_t size_B = random_texel(i, is_instance ? e : e / 4, texel);
                if (i == POSITION)
                    position_of(layout->corners ? 0 : e, (float *)(void *)texel);
                if (i == MOVE)
                    move_of(is_instance, e, (float *)(void *)texel);
                memcpy(data + e * stride_B + in->attributes[i].offset, texel, size_B);
            }
        in->buffers[b] = vkt_buffer_create(t, (VkDeviceSize)count * stride_B, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, data);
        free(data);
    }
}

/* Indices of quads 4 to 15 with primitive restarts. Those of the last row are drawn with a vertex offset, which is
 * subtracted here. The first row is drawn without indices. */
static struct vkt_buffer fill_indices(struct vkt *t)
{
    uint32_t indices[60];
    for (uint32_t i = 0; i < 60; i++)
        indices[i] = i % 5 == 4 ? 0xffffffff : 16 + i / 5 * 4 + i % 5 - (i >= 40 ? 10 : 0);
    return vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
}

static void draw(VkCommandBuffer cmd, const struct input *in, VkBuffer indices)
{
    const bool has_instances = layout->instance_bindings != 0;
    VkBuffer buffers[LOCATIONS];
    const VkDeviceSize offsets[LOCATIONS] = {0};
    for (uint32_t b = 0; b < in->binding_count; b++)
        buffers[b] = in->buffers[b].buffer;
    vkCmdBindVertexBuffers(cmd, 0, in->binding_count, buffers, offsets);
    vkCmdBindIndexBuffer(cmd, indices, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t quad = 0; quad < 4; quad++)
        vkCmdDraw(cmd, 4, has_instances ? INSTANCES : 1, 4 * quad, 0);
    vkCmdDrawIndexed(cmd, 40, has_instances ? INSTANCES - 1 : 1, 0, 0, has_instances);
    vkCmdDrawIndexed(cmd, 20, has_instances ? INSTANCES : 1, 40, 10, 0);
}

static struct vkt_shader program(void)
{
    if (layout->many)
        return layout->culled ? VKT_SHADER(attributes_many_culled_vert) : VKT_SHADER(attributes_many_vert);
    return layout->culled    ? VKT_SHADER(attributes_culled_vert)
           : layout->corners ? VKT_SHADER(attributes_corners_vert)
           : layout->numbers ? VKT_SHADER(attributes_numbers_vert)
                             : VKT_SHADER(attributes_vert);
}

static void scene(struct vkt *t, struct vkt_picture *out)
{
    struct input in;
    place(&in);
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){
                                                              .vs = program(),
                                                              .fs = VKT_SHADER(color_frag),
                                                              .pass = target.pass,
                                                              .bindings = in.bindings,
                                                              .binding_count = in.binding_count,
                                                              .attributes = in.attributes,
                                                              .attribute_count = location_count(),
                                                              .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                              .primitive_restart = true,
                                                              .width = W,
                                                              .height = H,
                                                          });
    fill(t, &in);
    struct vkt_buffer indices = fill_indices(t);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    draw(cmd, &in, indices.buffer);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    for (uint32_t b = 0; b < in.binding_count; b++)
        vkt_buffer_destroy(t, &in.buffers[b]);
    vkt_buffer_destroy(t, &indices);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void attributes_are_read(void **state)
{
    const VkPhysicalDeviceLimits *limits = &vkt_device(VKT_TESTED)->properties.limits;
    assert_int_equal(limits->maxVertexInputAttributes, LOCATIONS);
    assert_int_equal(limits->maxVertexInputBindings, LOCATIONS);
    for (size_t i = 0; i < VKT_COUNT(layouts); i++) {
        layout = &layouts[i];
        vkt_compare_with_reference(layout->name, scene, (struct vkt_tolerance){2, 0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(attributes_are_read, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("attributes", tests, NULL, vkt_teardown);
}
