/* SPDX-License-Identifier: MIT
 *
 * Compiled programs compared with the reference driver: control flow, arithmetic, built-ins, derivatives, uniform
 * buffers.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "arrays.frag.h"
#include "arrays.vert.h"
#include "clip.frag.h"
#include "clip.vert.h"
#include "color.frag.h"
#include "deriv.frag.h"
#include "flow.frag.h"
#include "full.vert.h"
#include "inputs.frag.h"
#include "integers.frag.h"
#include "loop.vert.h"
#include "math.frag.h"
#include "push.frag.h"
#include "push.vert.h"
#include "table.frag.h"
#include "ubo.vert.h"

#define W 64
#define H 64

static struct vkt_shader vertex, fragment;

static void fragment_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = vertex.words ? vertex : VKT_SHADER(full_vert),
                                                           .fs = fragment,
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.5f, 0.5f, 0.5f, 0.5f}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

static void control_flow(void **state)
{
    fragment = VKT_SHADER(flow_frag);
    vkt_compare_with_reference("flow", fragment_scene, (struct vkt_tolerance){1, 15});
}

/* Programs that run on the CPU engine because an array does not fit into the registers. */
static void large_arrays(void **state)
{
    fragment = VKT_SHADER(arrays_frag);
    vkt_compare_with_reference("arrays", fragment_scene, (struct vkt_tolerance){0, 0});
    vertex = VKT_SHADER(arrays_vert);
    fragment = VKT_SHADER(color_frag);
    vkt_compare_with_reference("vertex_arrays", fragment_scene, (struct vkt_tolerance){1, 0});
    vertex = (struct vkt_shader){0};
}

static uint64_t engine_jobs(void)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint64_t counts[3];
    ((void (*)(VkDevice, uint64_t *))vkt_hook(t, "vc4vk_test_job_counts"))(t->device, counts);
    return counts[2];
}

/* A long chain of selections needs few registers, however long it is, so it runs on the chip. */
static void large_tables(void **state)
{
    const uint64_t before = engine_jobs();
    const char *words = getenv("VC4VK_DEBUG");
    fragment = VKT_SHADER(table_frag);
    vkt_compare_with_reference("table", fragment_scene, (struct vkt_tolerance){0, 0});
    if (!words || !strstr(words, "force-cpu-engine"))
        assert_int_equal(engine_jobs(), before);
}

static void fragment_inputs(void **state)
{
    fragment = VKT_SHADER(inputs_frag);
    vkt_compare_with_reference("inputs", fragment_scene, (struct vkt_tolerance){1, 0});
}

static void integer_arithmetic(void **state)
{
    fragment = VKT_SHADER(integers_frag);
    vkt_compare_with_reference("integers", fragment_scene, (struct vkt_tolerance){0, 0});
}

static void float_functions(void **state)
{
    fragment = VKT_SHADER(math_frag);
    vkt_compare_with_reference("math", fragment_scene, (struct vkt_tolerance){1, 10});
}

static void derivatives(void **state)
{
    fragment = VKT_SHADER(deriv_frag);
    vkt_compare_with_reference("derivatives", fragment_scene, (struct vkt_tolerance){2, 10});
}

/* Positions and colours from a uniform buffer indexed by gl_VertexIndex, bound with an offset. */
static void uniform_index_scene(struct vkt *t, struct vkt_picture *out)
{
    struct {
        float pad[64];
        float position[6][4], color[6][4];
    } data = {0};
    for (int i = 0; i < 6; i++) {
        data.position[i][0] = (i & 1 ? 0.8f : -0.8f);
        data.position[i][1] = (float)(i >> 1) * 0.7f - 0.7f;
        data.position[i][2] = 0.5f;
        data.position[i][3] = 1;
        for (int c = 0; c < 4; c++)
            data.color[i][c] = (float)((i + c) % 3) * 0.5f;
    }
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_binding binding = {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_SHADER_STAGE_VERTEX_BIT, 1};
    VkDescriptorSetLayout set_layout = vkt_set_layout_create(t, &binding, 1);
    VkDescriptorSet set = vkt_set_alloc(t, set_layout);
    struct vkt_buffer uniforms = vkt_buffer_create(t, sizeof data, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &data);
    vkt_set_buffer(t, set, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, uniforms.buffer, 256, VK_WHOLE_SIZE);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(ubo_vert),
                                                           .fs = VKT_SHADER(color_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .width = W,
                                                           .height = H,
                                                           .set_layouts = {set_layout},
                                                           .set_layout_count = 1});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 6, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_buffer_destroy(t, &uniforms);
    vkDestroyDescriptorSetLayout(t->device, set_layout, NULL);
    vkt_target_destroy(t, &target);
}

static void uniform_buffer_indexed_by_vertex(void **state)
{
    vkt_compare_with_reference("ubo_index", uniform_index_scene, (struct vkt_tolerance){3, 15});
}

/* Three vertices fill only three of the sixteen SIMD lanes; the loop must ignore the others. */
#define FAR_STEP 70000u /* too far apart for 16-bit indices */
static bool is_far;

static void vertex_loop_scene(struct vkt *t, struct vkt_picture *out)
{
    static const struct loop_vertex {
        float position[2];
        uint32_t count;
    } vertices[] = {{{-1, -1}, 20}, {{3, -1}, 20}, {{-1, 3}, 20}};
    static struct loop_vertex far_vertices[2 * FAR_STEP + 1];
    static const uint32_t indices[] = {0, FAR_STEP, 2 * FAR_STEP};
    for (uint32_t i = 0; i < VKT_COUNT(vertices); i++)
        far_vertices[i * FAR_STEP] = vertices[i];
    static const VkVertexInputBindingDescription binding = {0, sizeof vertices[0], VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
        {1, 0, VK_FORMAT_R32_UINT, 8},
    };
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_buffer buffer = vkt_buffer_create(t, is_far ? sizeof far_vertices : sizeof vertices,
                                                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                                                 is_far ? far_vertices : vertices);
    struct vkt_buffer index_buffer =
        vkt_buffer_create(t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    struct vkt_pipeline pipeline = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(loop_vert),
                                                                                      .fs = VKT_SHADER(color_frag),
                                                                                      .pass = target.pass,
                                                                                      .bindings = &binding,
                                                                                      .binding_count = 1,
                                                                                      .attributes = attributes,
                                                                                      .attribute_count = 2,
                                                                                      .topology = VKT_TRIANGLES,
                                                                                      .width = W,
                                                                                      .height = H});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer.buffer, &(VkDeviceSize){0});
    if (is_far) {
        vkCmdBindIndexBuffer(cmd, index_buffer.buffer, 0, VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(cmd, 3, 1, 0, 0, 0);
    } else {
        vkCmdDraw(cmd, 3, 1, 0, 0);
    }
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &pipeline);
    vkt_buffer_destroy(t, &buffer);
    vkt_buffer_destroy(t, &index_buffer);
    vkt_target_destroy(t, &target);
}

static void loops_in_vertex_programs_ignore_dead_lanes(void **state)
{
    for (uint32_t i = 0; i < 2; i++) {
        is_far = i;
        vkt_compare_with_reference("vertex_loop", vertex_loop_scene, (struct vkt_tolerance){1, 0});
    }
}

/* Two quads that write depth, the second without a fragment shader; a third quad behind them fills the pixels they
 * leave. */
static void clip_scene(struct vkt *t, struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM);
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(clip_vert),
                                     .fs = VKT_SHADER(clip_frag),
                                     .pass = target.pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                     .depth_test = true,
                                     .depth_write = true,
                                     .depth_compare = VK_COMPARE_OP_LESS,
                                     .push_size_B = 36,
                                     .width = W,
                                     .height = H};
    struct vkt_pipeline clipped = vkt_pipeline_create(t, &info);
    info.fs = (struct vkt_shader){0};
    info.blend = (VkPipelineColorBlendAttachmentState){.blendEnable = VK_TRUE, /* without a fragment shader the color is
                                                                                * undefined */
                                                       .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                                       .colorWriteMask = 15};
    struct vkt_pipeline depth_only = vkt_pipeline_create(t, &info);
    info.vs = VKT_SHADER(push_vert);
    info.fs = VKT_SHADER(push_frag);
    info.blend = (VkPipelineColorBlendAttachmentState){0};
    struct vkt_pipeline behind = vkt_pipeline_create(t, &info);

    static const float blue[9] = {0, 0, 1, 1, -1, -1, 1, 1, 0.5f};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0.5f, 0.5f, 0.5f, 0.5f}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, clipped.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, depth_only.pipeline);
    vkCmdDraw(cmd, 4, 1, 0, 1);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, behind.pipeline);
    vkCmdPushConstants(cmd, behind.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof blue,
                       blue);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &clipped);
    vkt_pipeline_destroy(t, &depth_only);
    vkt_pipeline_destroy(t, &behind);
    vkt_target_destroy(t, &target);
}

static void clip_distances(void **state)
{
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(vkt_device(VKT_TESTED)->physical, &features);
    assert_true(features.shaderClipDistance);
    vkt_compare_with_reference("clip_distances", clip_scene, (struct vkt_tolerance){2, 15});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(control_flow, vkt_check_messages),
        cmocka_unit_test_teardown(large_arrays, vkt_check_messages),
        cmocka_unit_test_teardown(large_tables, vkt_check_messages),
        cmocka_unit_test_teardown(fragment_inputs, vkt_check_messages),
        cmocka_unit_test_teardown(integer_arithmetic, vkt_check_messages),
        cmocka_unit_test_teardown(float_functions, vkt_check_messages),
        cmocka_unit_test_teardown(derivatives, vkt_check_messages),
        cmocka_unit_test_teardown(uniform_buffer_indexed_by_vertex, vkt_check_messages),
        cmocka_unit_test_teardown(clip_distances, vkt_check_messages),
        cmocka_unit_test_teardown(loops_in_vertex_programs_ignore_dead_lanes, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("shader", tests, NULL, vkt_teardown);
}
