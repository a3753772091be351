/* SPDX-License-Identifier: MIT
 *
 * Graphics on the CPU engine: programs that do not fit the chip's registers, and stores and atomics of fragment and
 * vertex shaders.
 */
#include <math.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "engine_clip.vert.h"
#include "engine_demote.frag.h"
#include "engine_many.frag.h"
#include "engine_many.vert.h"
#include "engine_pass.frag.h"
#include "engine_polygon.vert.h"
#include "engine_store.frag.h"
#include "engine_store.vert.h"
#include "engine_store_1.frag.h"
#include "engine_store_2.frag.h"
#include "engine_store_3.frag.h"
#include "engine_ticket.frag.h"
#include "engine_ticket.vert.h"
#include "engine_white.frag.h"
#include "full.vert.h"
#include "polygon.frag.h"
#include "push.vert.h"

#define W       64
#define H       64
#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define STAGES  (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

/* ---------------------------------------------------------------- register pressure */

static void draw_plain(struct vkt *t, const struct vkt_pipeline_info *info, uint32_t size_px, uint32_t vertices,
                       struct vkt_picture *out)
{
    struct vkt_target target = vkt_target_create(t, size_px, size_px, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline_info own = *info;
    own.pass = target.pass;
    own.width = own.height = size_px;
    struct vkt_pipeline p = vkt_pipeline_create(t, &own);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdDraw(cmd, vertices, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

#define MANY_PX 16 /* small, because each pixel takes long */

/* Computes what engine_many.frag does: the reference's compiler takes seconds for it. */
static void many_values(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    const float u = ((float)x + 0.5f) / MANY_PX, v = ((float)y + 0.5f) / MANY_PX;
    float values[80], sum = 0;
    for (int i = 0; i < 80; i++) {
        float value = u * (float)(i + 1) * 0.37f + v * (float)(80 - i) * 0.11f;
        values[i] = value - floorf(value);
    }
    for (int i = 0; i < 80; i++)
        sum = fmaxf(sum * 0.5f, values[79 - i] * values[i * 7 % 80]);
    const float color[4] = {sum, values[3] * values[77], u, v};
    for (int c = 0; c < 4; c++)
        rgba[c] = (uint8_t)(fminf(fmaxf(color[c], 0), 1) * 255 + 0.5f);
}

static void fragment_program_spills(void **state)
{
    struct vkt_picture got, expected = vkt_picture_compute(MANY_PX, MANY_PX, many_values);
    draw_plain(vkt_device(VKT_TESTED),
               &(struct vkt_pipeline_info){.vs = VKT_SHADER(full_vert),
                                           .fs = VKT_SHADER(engine_many_frag),
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
               MANY_PX, 4, &got);
    vkt_compare("engine_many_frag", &expected, &got, (struct vkt_tolerance){2, 10});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void many_vertex_values_scene(struct vkt *t, struct vkt_picture *out)
{
    draw_plain(t,
               &(struct vkt_pipeline_info){
                   .vs = VKT_SHADER(engine_many_vert), .fs = VKT_SHADER(color_frag), .topology = VKT_TRIANGLES},
               W, 3 * 49, out);
}

static void vertex_program_spills(void **state)
{
    vkt_compare_with_reference("engine_many_vert", many_vertex_values_scene, (struct vkt_tolerance){2, 20});
}

/* ---------------------------------------------------------------- scenes with counters */

struct counts {
    uint32_t all, second, at[4096];
};

struct scene {
    struct vkt *t;
    struct vkt_target target;
    VkDescriptorSetLayout layout;
    VkDescriptorSet set;
    struct vkt_buffer buffer;
    struct counts *counts;
};

static struct scene scene_create_with(struct vkt *t, VkFormat color, VkFormat depth)
{
    struct scene s = {.t = t, .target = vkt_target_create(t, W, H, color, depth)};
    s.layout = vkt_set_layout_create(t, &(struct vkt_binding){STORAGE, STAGES, 0}, 1);
    s.set = vkt_set_alloc(t, s.layout);
    s.buffer = vkt_storage_buffer(t, sizeof *s.counts / 4, 0);
    s.counts = s.buffer.map;
    vkt_set_buffer(t, s.set, 0, STORAGE, s.buffer.buffer, 0, VK_WHOLE_SIZE);
    return s;
}

static struct scene scene_create(struct vkt *t, VkFormat depth)
{
    return scene_create_with(t, VK_FORMAT_R8G8B8A8_UNORM, depth);
}

static void scene_destroy(struct scene *s)
{
    vkt_buffer_destroy(s->t, &s->buffer);
    vkDestroyDescriptorSetLayout(s->t->device, s->layout, NULL);
    vkt_target_destroy(s->t, &s->target);
}

static struct vkt_pipeline scene_pipeline(struct scene *s, struct vkt_shader vs, struct vkt_shader fs,
                                          const struct vkt_pipeline_info *more)
{
    struct vkt_pipeline_info info = *more;
    info.vs = vs;
    info.fs = fs;
    info.pass = s->target.pass;
    info.width = s->target.width;
    info.height = s->target.height;
    info.set_layouts[0] = s->layout;
    info.set_layout_count = 1;
    return vkt_pipeline_create(s->t, &info);
}

static VkCommandBuffer scene_begin(struct scene *s)
{
    VkCommandBuffer cmd = vkt_begin(s->t);
    vkt_begin_pass(cmd, &s->target, (float[]){0, 0, 0, 0}, 1, 0);
    return cmd;
}

static void scene_bind(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &s->set, 0, NULL);
}

/* Sets the push constants of push.vert. */
static void push_rect(VkCommandBuffer cmd, const struct vkt_pipeline *p, const float rect[4], float depth)
{
    float words[9] = {[8] = depth};
    memcpy(words + 4, rect, 4 * sizeof *rect);
    vkCmdPushConstants(cmd, p->layout, STAGES, 0, sizeof words, words);
}

static void scene_end(struct scene *s, VkCommandBuffer cmd)
{
    vkCmdEndRenderPass(cmd);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &(VkMemoryBarrier){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                            .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                            .dstAccessMask = VK_ACCESS_HOST_READ_BIT},
                         0, NULL, 0, NULL);
    vkt_end_submit(s->t, cmd);
}

/* ---------------------------------------------------------------- stores of fragment shaders */

/* Draws a triangle whose edges cross pixels. The image tells which pixels must have been counted. With `killed_even`
 * the shader discards every second pixel, before or after it counts. */
static void count_triangle(struct vkt_shader fs, uint32_t killed_even, bool kills_before)
{
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = scene_pipeline(
        &s, VKT_SHADER(push_vert), fs,
        &(struct vkt_pipeline_info){.push_size_B = 36, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    push_rect(cmd, &p, (float[]){-0.83f, -0.41f, 0.59f, 0.67f}, 0.5f);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    scene_end(&s, cmd);
    struct vkt_picture got = vkt_read_target(s.t, &s.target);
    uint32_t all = 0, drawn = 0;
    for (uint32_t i = 0; i < W * H; i++) {
        bool is_even = ((i % W) ^ (i / W)) % 2 == 0, is_drawn = got.rgba[4 * i] == 255;
        all += s.counts->at[i];
        drawn += is_drawn;
        if (!killed_even || !is_even)
            assert_int_equal(s.counts->at[i], is_drawn);
        else if (kills_before)
            assert_int_equal(s.counts->at[i] + is_drawn, 0);
        else
            assert_false(is_drawn);
    }
    assert_true(drawn > 300);
    assert_int_equal(s.counts->all, all);
    if (killed_even && !kills_before)
        assert_in_range(all, 2 * drawn - 60, 2 * drawn + 60); /* the discarded half is counted, too */
    vkt_picture_free(&got);
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void helper_lanes_store_nothing(void **state)
{
    count_triangle(VKT_SHADER(engine_store_frag), 0, false);
}

static void discarded_lanes_store_nothing(void **state)
{
    count_triangle(VKT_SHADER(engine_store_1_frag), 1, true);
}

static void lanes_store_before_they_are_discarded(void **state)
{
    count_triangle(VKT_SHADER(engine_store_2_frag), 1, false);
}

/* Draws a near rectangle, then a far one over the whole target. With early tests the hidden pixels of the far one do
 * not store; with late tests they do. */
static void count_hidden(struct vkt_shader fs, bool early)
{
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_D24_UNORM_S8_UINT);
    const struct vkt_pipeline_info info = {.push_size_B = 36,
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                           .depth_test = true,
                                           .depth_write = true,
                                           .depth_compare = VK_COMPARE_OP_LESS};
    struct vkt_pipeline p = scene_pipeline(&s, VKT_SHADER(push_vert), fs, &info);
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    push_rect(cmd, &p, (float[]){-0.5f, -0.5f, 0.5f, 0.5f}, 0.25f);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    push_rect(cmd, &p, (float[]){-1, -1, 1, 1}, 0.75f);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    scene_end(&s, cmd);
    for (uint32_t y = 0; y < H; y++)
        for (uint32_t x = 0; x < W; x++) {
            bool inner = x >= W / 4 && x < W * 3 / 4 && y >= H / 4 && y < H * 3 / 4;
            assert_int_equal(s.counts->at[y * W + x], inner && !early ? 2 : 1);
        }
    assert_int_equal(s.counts->all, W * H + (early ? 0 : W * H / 4));
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void stores_come_before_late_tests(void **state)
{
    count_hidden(VKT_SHADER(engine_store_frag), false);
}

static void early_tests_stop_stores(void **state)
{
    count_hidden(VKT_SHADER(engine_store_3_frag), true);
}

/* Splitting a pass into several jobs must not repeat atomics. */
static void no_part_of_a_pass_runs_twice(void **state)
{
    enum { DRAWS = 200 };
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = scene_pipeline(
        &s, VKT_SHADER(push_vert), VKT_SHADER(engine_store_frag),
        &(struct vkt_pipeline_info){.push_size_B = 36, .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    for (uint32_t i = 0; i < DRAWS; i++) { /* each draw covers one of the four quarters */
        const float x = i & 1 ? 0 : -1, y = i & 2 ? 0 : -1;
        push_rect(cmd, &p, (float[]){x, y, x + 1, y + 1}, 0.5f);
        vkCmdDraw(cmd, 4, 1, 0, 0);
    }
    scene_end(&s, cmd);
    for (uint32_t i = 0; i < W * H; i++)
        assert_int_equal(s.counts->at[i], DRAWS / 4);
    assert_int_equal(s.counts->all, DRAWS / 4 * W * H);
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void clipped_pixels_store_nothing(void **state)
{
    struct vkt_shader shaders[] = {VKT_SHADER(engine_store_frag), VKT_SHADER(engine_store_3_frag)};
    for (uint32_t n = 0; n < VKT_COUNT(shaders); n++) {
        struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
        struct vkt_pipeline p =
            scene_pipeline(&s, VKT_SHADER(engine_clip_vert), shaders[n],
                           &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
        VkCommandBuffer cmd = scene_begin(&s);
        scene_bind(&s, cmd, &p);
        vkCmdDraw(cmd, 4, 1, 0, 0);
        scene_end(&s, cmd);
        struct vkt_picture got = vkt_read_target(s.t, &s.target);
        uint32_t drawn = 0;
        for (uint32_t i = 0; i < W * H; i++) {
            drawn += got.rgba[4 * i] == 255;
            assert_int_equal(s.counts->at[i], got.rgba[4 * i] == 255);
        }
        assert_in_range(drawn, W * H / 2, W * H * 3 / 4);
        vkt_picture_free(&got);
        vkt_pipeline_destroy(s.t, &p);
        scene_destroy(&s);
    }
}

/* ---------------------------------------------------------------- several words of colour */

static void check_ticket(const uint32_t texel[4], uint32_t third)
{
    assert_int_equal(texel[1], 3 * texel[0]);
    assert_int_equal(texel[2], third);
    assert_int_equal(texel[3], ~texel[0]);
}

/* The four words of a 128-bit colour come from one invocation: from the one that passes the depth test. */
static void all_words_come_of_one_run(void **state)
{
    struct scene s =
        scene_create_with(vkt_device(VKT_TESTED), VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_D24_UNORM_S8_UINT);
    const struct vkt_pipeline_info info = {.push_size_B = 36,
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                           .depth_test = true,
                                           .depth_write = true,
                                           .depth_compare = VK_COMPARE_OP_LESS};
    static uint32_t texels[W * H][4];
    static uint8_t seen[2 * W * H];
    struct vkt_pipeline p = scene_pipeline(&s, VKT_SHADER(push_vert), VKT_SHADER(engine_ticket_frag), &info);
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    push_rect(cmd, &p, (float[]){-0.5f, -0.5f, 0.5f, 0.5f}, 0.25f);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    push_rect(cmd, &p, (float[]){-1, -1, 1, 0.75f}, 0.75f);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    scene_end(&s, cmd);
    assert_int_equal(s.counts->all, W * H / 4 + W * H * 7 / 8);
    vkt_read_image(s.t, &s.target.color, 0, 0, texels, sizeof texels);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < W * H; i++) {
        if (i / W >= H * 7 / 8) {
            assert_memory_equal(texels[i], ((uint32_t[4]){0}), sizeof texels[i]);
            continue;
        }
        check_ticket(texels[i], i % W * 64 + i / W);
        assert_in_range(texels[i][0], 1, s.counts->all);
        assert_false(seen[texels[i][0]]++);
    }
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void draw_rect(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const float rect[4])
{
    scene_bind(s, cmd, p);
    push_rect(cmd, p, rect, 0.5f);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* Colour words written by the CPU engine preserve what the write mask excludes, and what clears, loads and other draws
 * have left. */
static void stored_words_keep_the_rest(void **state)
{
    struct scene s =
        scene_create_with(vkt_device(VKT_TESTED), VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_UNDEFINED);
    const struct vkt_pipeline_info info = {
        .push_size_B = 36,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .blend = {.colorWriteMask = 0xb}}; /* without blue */
    static uint16_t texels[W * H][4];
    struct vkt_pipeline counting = scene_pipeline(&s, VKT_SHADER(push_vert), VKT_SHADER(engine_store_frag), &info);
    struct vkt_pipeline plain = scene_pipeline(&s, VKT_SHADER(push_vert), VKT_SHADER(engine_white_frag), &info);
    VkCommandBuffer cmd = vkt_begin(s.t);
    vkt_begin_pass(cmd, &s.target, (float[]){0.5f, 0.25f, 0.125f, 2}, 1, 0);
    draw_rect(&s, cmd, &counting, (float[]){-1, -1, 0, 1});
    draw_rect(&s, cmd, &plain, (float[]){-1, -1, 1, 0});
    vkCmdEndRenderPass(cmd);
    vkt_barrier_all(cmd);
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                                  .renderPass = s.target.pass_load,
                                                  .framebuffer = s.target.framebuffer,
                                                  .renderArea = {{0, 0}, {W, H}}},
                         VK_SUBPASS_CONTENTS_INLINE);
    draw_rect(&s, cmd, &counting, (float[]){0.5f, 0.5f, 1, 1});
    scene_end(&s, cmd);
    assert_int_equal(s.counts->all, W * H / 2 + W * H / 16);
    vkt_read_image(s.t, &s.target.color, 0, 0, texels, sizeof texels);
    static const uint16_t cleared[4] = {0x3800, 0x3400, 0x3000, 0x4000}, drawn[4] = {0x3c00, 0x3c00, 0x3000, 0x3c00};
    for (uint32_t i = 0; i < W * H; i++) {
        const uint32_t x = i % W, y = i / W;
        const bool is_drawn = x < W / 2 || y < H / 2 || (x >= W * 3 / 4 && y >= H * 3 / 4);
        assert_memory_equal(texels[i], is_drawn ? drawn : cleared, sizeof texels[i]);
    }
    vkt_pipeline_destroy(s.t, &plain);
    vkt_pipeline_destroy(s.t, &counting);
    scene_destroy(&s);
}

static void demoted_lanes_help(void **state)
{
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        scene_pipeline(&s, VKT_SHADER(full_vert), VKT_SHADER(engine_demote_frag),
                       &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP});
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    scene_end(&s, cmd);
    struct vkt_picture got = vkt_read_target(s.t, &s.target);
    for (uint32_t i = 0; i < W * H; i++) {
        bool is_demoted = i % 2 == 1;
        assert_int_equal(s.counts->at[i], is_demoted ? 0 : 2 * (i % W) + 2);
        assert_int_equal(got.rgba[4 * i], is_demoted ? 0 : 255);
    }
    assert_int_equal(s.counts->all, W * H / 2);
    vkt_picture_free(&got);
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

/* ---------------------------------------------------------------- stores of vertex shaders */

/* The last batch of 16 vertices is not full, and the vertex program runs again for every tile; each vertex must store
 * once. */
static void count_vertices(bool rasterizer_discard)
{
    enum { VERTICES = 37, INSTANCES = 3 };
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    memset(s.counts, 0, sizeof *s.counts);
    /* The fragment stage never runs with rasterizer discard. Newer layers reject it. */
    vkt_accept_message(s.t, "VUID-VkGraphicsPipelineCreateInfo-pStages-06894");
    struct vkt_pipeline p =
        scene_pipeline(&s, VKT_SHADER(engine_store_vert), VKT_SHADER(engine_white_frag),
                       &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                   .rasterizer_discard = rasterizer_discard});
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    vkCmdDraw(cmd, VERTICES, INSTANCES, 0, 0);
    scene_end(&s, cmd);
    assert_int_equal(s.counts->all, VERTICES * INSTANCES);
    for (uint32_t i = 0; i < 4096; i++)
        assert_int_equal(s.counts->at[i], i / 64 < INSTANCES && i % 64 < VERTICES ? i % 64 * 3 + 1 : 0);
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void each_vertex_stores_once(void **state)
{
    count_vertices(false);
}

/* Alternates pipelines with a fragment stage and with rasterizer discard: the vertices of the latter store, but draw
 * nothing. */
static void vertices_without_fragments_store_between_others(void **state)
{
    enum { VERTICES = 32, INSTANCES = 3 };
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    /* Dynamic in all pipelines, so that only the pipeline changes between draws. */
    static const VkDynamicState dynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    struct vkt_pipeline p[2];
    memset(s.counts, 0, sizeof *s.counts);
    for (uint32_t i = 0; i < 2; i++)
        p[i] = scene_pipeline(&s, VKT_SHADER(engine_store_vert),
                              i ? (struct vkt_shader){0} : VKT_SHADER(engine_white_frag),
                              &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                          .dynamic = dynamic,
                                                          .dynamic_count = VKT_COUNT(dynamic),
                                                          .rasterizer_discard = i});
    VkQueryPool pool;
    uint64_t samples = 0;
    vkt_ok(vkCreateQueryPool(s.t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(s.t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkt_begin_pass(cmd, &s.target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBeginQuery(cmd, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdSetViewport(cmd, 0, 1, &(VkViewport){0, 0, W, H, 0, 1});
    vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{0, 0}, {W, H}});
    for (uint32_t i = 0; i < INSTANCES; i++) { /* each in its own row */
        scene_bind(&s, cmd, &p[i % 2]);
        vkCmdDraw(cmd, VERTICES, 1, 0, i);
    }
    vkCmdEndQuery(cmd, pool, 0);
    scene_end(&s, cmd);
    vkt_ok(vkGetQueryPoolResults(s.t->device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(samples, 2 * VERTICES);
    vkDestroyQueryPool(s.t->device, pool, NULL);
    assert_int_equal(s.counts->all, VERTICES * INSTANCES);
    struct vkt_picture got = vkt_read_target(s.t, &s.target);
    uint32_t white[H] = {0};
    for (uint32_t i = 0; i < W * H; i++)
        white[i / W] += got.rgba[4 * i] == 255;
    for (uint32_t y = 0; y < H; y++)
        assert_int_equal(white[y], y == H / 4 - 1 || y == H / 4 * 3 - 1 ? VERTICES : 0);
    vkt_picture_free(&got);
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(s.t, &p[i]);
    scene_destroy(&s);
}

/* Fragments see the value that their vertex got from an atomic, in every tile and every colour word. */
static void vertices_hand_on_what_they_got(void **state)
{
    enum { VERTICES = 53, INSTANCES = 2 };
    struct scene s = scene_create_with(vkt_device(VKT_TESTED), VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        scene_pipeline(&s, VKT_SHADER(engine_ticket_vert), VKT_SHADER(engine_pass_frag),
                       &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST});
    static uint32_t texels[W * H][4];
    VkQueryPool pool;
    uint64_t samples = 0;
    vkt_ok(vkCreateQueryPool(s.t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = VK_QUERY_TYPE_OCCLUSION,
                                                      .queryCount = 1},
                             NULL, &pool));
    VkCommandBuffer cmd = vkt_begin(s.t);
    vkCmdResetQueryPool(cmd, pool, 0, 1);
    vkt_begin_pass(cmd, &s.target, (float[]){0, 0, 0, 0}, 1, 0);
    scene_bind(&s, cmd, &p);
    vkCmdDraw(cmd, VERTICES, INSTANCES, 0, 0);
    vkCmdBeginQuery(cmd, pool, 0, 0); /* the query is a separate replay without other effects */
    vkCmdDraw(cmd, VERTICES, 1, 0, INSTANCES - 1); /* again, with new numbers over the old ones */
    vkCmdEndQuery(cmd, pool, 0);
    scene_end(&s, cmd);
    assert_int_equal(s.counts->all, VERTICES * (INSTANCES + 1));
    vkt_ok(vkGetQueryPoolResults(s.t->device, pool, 0, 1, sizeof samples, &samples, sizeof samples,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    assert_int_equal(samples, VERTICES);
    vkDestroyQueryPool(s.t->device, pool, NULL);
    vkt_read_image(s.t, &s.target.color, 0, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < W * INSTANCES; i++) {
        const uint32_t *texel = texels[(H / 4 + i / W * (H / 4)) * W + i % W];
        const bool is_drawn = i % W < VERTICES;
        assert_int_equal(texel[0], is_drawn ? s.counts->at[i / W * 64 + i % W] : 0);
        if (is_drawn)
            check_ticket(texel, i % W);
    }
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

static void vertices_store_without_rasterizer(void **state)
{
    count_vertices(true);
}

/* A wide framebuffer takes several jobs; only one of them may have the side effects. */
static void vertices_store_once_in_large_framebuffers(void **state)
{
    enum { VERTICES = 64, WIDE_PX = 4096 };
    struct scene s = scene_create(vkt_device(VKT_TESTED), VK_FORMAT_UNDEFINED);
    vkt_target_destroy(s.t, &s.target);
    s.target = vkt_target_create(s.t, WIDE_PX, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        scene_pipeline(&s, VKT_SHADER(engine_store_vert), VKT_SHADER(engine_white_frag),
                       &(struct vkt_pipeline_info){.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST});
    VkCommandBuffer cmd = scene_begin(&s);
    scene_bind(&s, cmd, &p);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    scene_end(&s, cmd);
    struct vkt_picture got = vkt_read_target(s.t, &s.target);
    uint32_t points[VERTICES] = {0};
    for (uint32_t i = 0; i < WIDE_PX * H; i++)
        points[i % WIDE_PX / (WIDE_PX / VERTICES)] += got.rgba[4 * i] == 255;
    assert_int_equal(s.counts->all, VERTICES);
    for (uint32_t i = 0; i < VERTICES; i++) {
        assert_int_equal(points[i], 1);
        assert_int_equal(s.counts->at[i], i * 3 + 1);
    }
    vkt_picture_free(&got);
    vkt_pipeline_destroy(s.t, &p);
    scene_destroy(&s);
}

/* ---------------------------------------------------------------- vertex stores with polygon modes */

static struct polygon_case {
    VkPolygonMode mode;
    VkCullModeFlags cull;
    VkPrimitiveTopology topology;
} polygon_case;

#define POLYGON_VERTICES 12

static void polygon_scene(struct vkt *t, struct vkt_picture *out)
{
    struct scene s = scene_create(t, VK_FORMAT_UNDEFINED);
    memset(s.counts, 0, sizeof *s.counts);
    struct vkt_pipeline p = scene_pipeline(&s, VKT_SHADER(engine_polygon_vert), VKT_SHADER(polygon_frag),
                                           &(struct vkt_pipeline_info){.topology = polygon_case.topology,
                                                                       .cull = polygon_case.cull,
                                                                       .polygon_mode = polygon_case.mode});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &s.target, (float[]){0, 0, 0, 0}, 1, 0);
    scene_bind(&s, cmd, &p);
    vkCmdDraw(cmd, POLYGON_VERTICES, 1, 0, 0);
    scene_end(&s, cmd);
    for (uint32_t i = 0; i < POLYGON_VERTICES; i++) /* at most once per end of an edge */
        assert_in_range(s.counts->at[i], 1, 2 * (POLYGON_VERTICES - 2));
    assert_int_equal(s.counts->at[POLYGON_VERTICES], 0);
    *out = vkt_read_target(t, &s.target);
    vkt_pipeline_destroy(t, &p);
    scene_destroy(&s);
}

static void corners_of_polygons_store(void **state)
{
    for (uint32_t i = 0; i < 12; i++) {
        polygon_case = (struct polygon_case){.mode = i & 1 ? VK_POLYGON_MODE_LINE : VK_POLYGON_MODE_POINT,
                                           .cull = i & 2 ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST + i / 4};
        vkt_compare_with_reference("polygon_stores", polygon_scene,
                                   (struct vkt_tolerance){2, i & 1 ? 20 : 0}); /* line pixels may differ */
    }
}

#define TEST(f) cmocka_unit_test_teardown(f, vkt_check_messages)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(fragment_program_spills),
        TEST(vertex_program_spills),
        TEST(helper_lanes_store_nothing),
        TEST(discarded_lanes_store_nothing),
        TEST(lanes_store_before_they_are_discarded),
        TEST(clipped_pixels_store_nothing),
        TEST(all_words_come_of_one_run),
        TEST(stored_words_keep_the_rest),
        TEST(vertices_hand_on_what_they_got),
        TEST(stores_come_before_late_tests),
        TEST(early_tests_stop_stores),
        TEST(no_part_of_a_pass_runs_twice),
        TEST(demoted_lanes_help),
        TEST(each_vertex_stores_once),
        TEST(vertices_without_fragments_store_between_others),
        TEST(vertices_store_without_rasterizer),
        TEST(vertices_store_once_in_large_framebuffers),
        TEST(corners_of_polygons_store),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, vkt_teardown);
}
