/* SPDX-License-Identifier: MIT
 *
 * Whatever depends on memory contents is decided when a job is issued. Uniform, index and vertex buffers change after
 * recording, by mapped writes and by vkCmdUpdateBuffer earlier in the same command buffer. One command buffer is
 * submitted twice with different contents.
 */
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "full.vert.h"
#include "ubo.frag.h"

#define W 64
#define H 64

static void expect_all(struct vkt *t, const struct vkt_target *target, const uint8_t rgba[4])
{
    struct vkt_picture got = vkt_read_target(t, target);
    for (uint32_t i = 0; i < W * H; i++)
        if (memcmp(got.rgba + 4 * i, rgba, 4))
            fail_msg("pixel (%u,%u): expected %u %u %u %u, got %u %u %u %u", i % W, i / W, rgba[0], rgba[1], rgba[2],
                     rgba[3], got.rgba[4 * i], got.rgba[4 * i + 1], got.rgba[4 * i + 2], got.rgba[4 * i + 3]);
    vkt_picture_free(&got);
}

static const uint8_t red[4] = {255, 0, 0, 255}, green[4] = {0, 255, 0, 255}, blue[4] = {0, 0, 255, 255};
static const float red_f[4] = {1, 0, 0, 1}, green_f[4] = {0, 1, 0, 1}, blue_f[4] = {0, 0, 1, 1};

struct uniform_draw {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    struct vkt_buffer uniforms;
};

static struct uniform_draw uniform_draw_create(struct vkt *t)
{
    struct uniform_draw d = {.target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED)};
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_FRAGMENT_BIT, 1};
    d.set_layout = vkt_set_layout_create(t, &binding, 1);
    d.set = vkt_set_alloc(t, d.set_layout);
    d.uniforms = vkt_buffer_create(t, 16, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, red_f);
    vkt_set_buffer(t, d.set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, d.uniforms.buffer, 0, 16);
    d.pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                                                    .fs = VKT_SHADER(ubo_frag),
                                                                    .pass = d.target.pass,
                                                                    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                    .width = W,
                                                                    .height = H,
                                                                    .set_layouts = {d.set_layout},
                                                                    .set_layout_count = 1});
    return d;
}

static void uniform_draw_record(const struct uniform_draw *d, VkCommandBuffer cmd)
{
    vkt_begin_pass(cmd, &d->target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.layout, 0, 1, &d->set, 0, NULL);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static void uniform_draw_destroy(struct vkt *t, struct uniform_draw *d)
{
    vkt_pipeline_destroy(t, &d->pipeline);
    vkt_buffer_destroy(t, &d->uniforms);
    vkDestroyDescriptorSetLayout(t->device, d->set_layout, NULL);
    vkt_target_destroy(t, &d->target);
}

static void uniform_buffer_by_mapped_write(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct uniform_draw d = uniform_draw_create(t);
    VkCommandBuffer cmd = vkt_begin(t);
    uniform_draw_record(&d, cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    memcpy(d.uniforms.map, green_f, 16);
    vkt_submit(t, cmd);
    expect_all(t, &d.target, green);
    memcpy(d.uniforms.map, blue_f, 16);
    vkt_submit(t, cmd);
    expect_all(t, &d.target, blue);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);
    uniform_draw_destroy(t, &d);
}

static void memory_barrier(VkCommandBuffer cmd)
{
    VkMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                         .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                         .dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_INDEX_READ_BIT |
                                          VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, 0, 1, &b, 0, NULL, 0,
                         NULL);
}

static void uniform_buffer_by_update(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct uniform_draw d = uniform_draw_create(t);
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdUpdateBuffer(cmd, d.uniforms.buffer, 0, 16, blue_f);
    memory_barrier(cmd);
    uniform_draw_record(&d, cmd);
    vkt_end_submit(t, cmd);
    expect_all(t, &d.target, blue);
    uniform_draw_destroy(t, &d);
}

/* ---------------------------------------------------------------- vertices and indices */

struct vertex {
    float position[4];
    float color[4];
};

/* Vertices 0..3 are red, 4..7 green, 8..11 blue. */
static void make_vertices(struct vertex out[12])
{
    static const float *const colors[] = {red_f, green_f, blue_f};
    for (int i = 0; i < 12; i++) {
        out[i] = (struct vertex){{i & 1 ? 1 : -1, i & 2 ? 1 : -1, 0.5f, 1}, {0}};
        memcpy(out[i].color, colors[i / 4], 16);
    }
}

struct mesh_draw {
    struct vkt_target target;
    struct vkt_pipeline pipeline;
    struct vkt_buffer vertices, indices;
    VkIndexType index_type;
};

static struct mesh_draw mesh_draw_create(struct vkt *t, VkIndexType type)
{
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
        {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16},
    };
    struct vertex vertices[12];
    make_vertices(vertices);
    struct mesh_draw d = {.target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED),
                          .index_type = type};
    d.vertices = vkt_buffer_create(t, sizeof vertices,
                                   VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, vertices);
    d.indices = vkt_buffer_create(t, 6 * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, NULL);
    d.pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                                                    .fs = VKT_SHADER(color_frag),
                                                                    .pass = d.target.pass,
                                                                    .bindings = &binding,
                                                                    .binding_count = 1,
                                                                    .attributes = attributes,
                                                                    .attribute_count = 2,
                                                                    .topology = VKT_TRIANGLES,
                                                                    .width = W,
                                                                    .height = H});
    return d;
}

/* Two triangles over the whole target, of vertices base .. base + 3. */
static uint32_t make_indices(const struct mesh_draw *d, uint32_t base, void *out)
{
    static const uint32_t corners[] = {0, 1, 2, 2, 1, 3};
    for (int i = 0; i < 6; i++)
        if (d->index_type == VK_INDEX_TYPE_UINT16)
            ((uint16_t *)out)[i] = (uint16_t)(base + corners[i]);
        else
            ((uint32_t *)out)[i] = base + corners[i];
    return d->index_type == VK_INDEX_TYPE_UINT16 ? 12 : 24;
}

static void mesh_draw_record(const struct mesh_draw *d, VkCommandBuffer cmd)
{
    vkt_begin_pass(cmd, &d->target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, d->pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &d->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, d->indices.buffer, 0, d->index_type);
    vkCmdDrawIndexed(cmd, 6, 1, 0, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static void mesh_draw_destroy(struct vkt *t, struct mesh_draw *d)
{
    vkt_pipeline_destroy(t, &d->pipeline);
    vkt_buffer_destroy(t, &d->vertices);
    vkt_buffer_destroy(t, &d->indices);
    vkt_target_destroy(t, &d->target);
}

static void index_buffer_changes(VkIndexType type)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct mesh_draw d = mesh_draw_create(t, type);
    VkCommandBuffer cmd = vkt_begin(t);
    make_indices(&d, 0, d.indices.map);
    mesh_draw_record(&d, cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    make_indices(&d, 4, d.indices.map);
    vkt_submit(t, cmd);
    expect_all(t, &d.target, green);
    make_indices(&d, 8, d.indices.map); /* also raises the largest index */
    vkt_submit(t, cmd);
    expect_all(t, &d.target, blue);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);

    uint32_t words[6];
    uint32_t size_B = make_indices(&d, 0, words);
    cmd = vkt_begin(t);
    vkCmdUpdateBuffer(cmd, d.indices.buffer, 0, size_B, words);
    memory_barrier(cmd);
    mesh_draw_record(&d, cmd);
    vkt_end_submit(t, cmd);
    expect_all(t, &d.target, red);
    mesh_draw_destroy(t, &d);
}

static void index_buffer_16(void **state)
{
    index_buffer_changes(VK_INDEX_TYPE_UINT16);
}

static void index_buffer_32(void **state)
{
    index_buffer_changes(VK_INDEX_TYPE_UINT32);
}

static void vertex_buffer(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct mesh_draw d = mesh_draw_create(t, VK_INDEX_TYPE_UINT16);
    make_indices(&d, 0, d.indices.map);
    VkCommandBuffer cmd = vkt_begin(t);
    mesh_draw_record(&d, cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    struct vertex *vertices = d.vertices.map;
    vkt_submit(t, cmd);
    expect_all(t, &d.target, red);
    for (int i = 0; i < 4; i++)
        memcpy(vertices[i].color, green_f, 16);
    vkt_submit(t, cmd);
    expect_all(t, &d.target, green);
    vkFreeCommandBuffers(t->device, t->pool, 1, &cmd);

    cmd = vkt_begin(t);
    for (uint32_t i = 0; i < 4; i++)
        vkCmdUpdateBuffer(cmd, d.vertices.buffer, i * sizeof(struct vertex) + 16, 16, blue_f);
    memory_barrier(cmd);
    mesh_draw_record(&d, cmd);
    vkt_end_submit(t, cmd);
    expect_all(t, &d.target, blue);
    mesh_draw_destroy(t, &d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(uniform_buffer_by_mapped_write, vkt_check_messages),
        cmocka_unit_test_teardown(uniform_buffer_by_update, vkt_check_messages),
        cmocka_unit_test_teardown(index_buffer_16, vkt_check_messages),
        cmocka_unit_test_teardown(index_buffer_32, vkt_check_messages),
        cmocka_unit_test_teardown(vertex_buffer, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("contents", tests, NULL, vkt_teardown);
}
