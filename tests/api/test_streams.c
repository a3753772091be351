/* SPDX-License-Identifier: MIT
 *
 * The four streams of geometry shaders: what is captured of each, which one is drawn, and queries of their primitives
 * (VK_EXT_primitives_generated_query), with and without transform feedback and a rasteriser.
 */
#include <string.h>
#include "vkt.h"
#include "statistics.frag.h"
#include "statistics.vert.h"
#include "statistics_streams.geom.h"

enum { W = 64, H = 48, STREAMS = 4, VERTICES = 6, BUFFER_B = 512 };

static const float positions[VERTICES][4] = {{-0.5f, -0.5f, 0.5f, 1}, {0.25f, -0.25f, 0.5f, 1}, {0, 0, 0.5f, 1},
                                             {0.5f, 0.5f, 0.5f, 1},   {-0.25f, 0.5f, 0.5f, 1},  {0.5f, -0.5f, 0.5f, 1}};
static const uint32_t emitted[STREAMS] = {1, 2, 0, 3}, strides_B[STREAMS] = {16, 8, 4, 12};

static const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};

static struct {
    bool emits, captures, discards, is_bare; /* is_bare: the pass has no attachments */
    uint32_t drawn;  /* the stream */
    bool is_dynamic; /* the pipeline takes it from the command buffer */
    uint32_t size_B; /* of each buffer; 0: BUFFER_B */
} scene;

struct results {
    uint64_t generated[STREAMS], captured[STREAMS][2];
    uint8_t bytes[STREAMS][BUFFER_B];
    uint32_t counters[STREAMS];
    uint8_t picture[W * H * 4];
};

struct objects {
    struct vkt t;
    struct vkt_target target, bare; /* bare: pass and framebuffer only */
    struct vkt_buffer vertices, buffers[STREAMS], counters;
    struct vkt_pipeline pipeline;
    VkQueryPool generated, captured;
};

static VkQueryPool pool_create(struct vkt *t, VkQueryType type)
{
    VkQueryPool pool;
    vkt_ok(vkCreateQueryPool(t->device,
                             &(VkQueryPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                                      .queryType = type,
                                                      .queryCount = STREAMS},
                             NULL, &pool));
    return pool;
}

static void create_bare(struct objects *o)
{
    struct vkt *t = &o->t;
    o->bare = o->target;
    vkt_ok(vkCreateRenderPass(
        t->device,
        &(VkRenderPassCreateInfo){.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .subpassCount = 1,
                                  .pSubpasses =
                                      &(VkSubpassDescription){.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS}},
        NULL, &o->bare.pass));
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                          .renderPass = o->bare.pass,
                                                          .width = W,
                                                          .height = H,
                                                          .layers = 1},
                               NULL, &o->bare.framebuffer));
}

static void create_pipeline(struct objects *o)
{
    const VkPipelineRasterizationStateStreamCreateInfoEXT stream = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT,
        .rasterizationStream = scene.is_dynamic ? 3 : scene.drawn};
    const VkDynamicState dynamic = VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT;
    struct vkt_pipeline_info info = {.vs = VKT_SHADER(statistics_vert),
                                     .pass = scene.is_bare ? o->bare.pass : o->target.pass,
                                     .no_color = scene.is_bare,
                                     .bindings = &binding,
                                     .binding_count = 1,
                                     .attributes = &attribute,
                                     .attribute_count = 1,
                                     .topology = scene.emits ? VK_PRIMITIVE_TOPOLOGY_POINT_LIST
                                                             : VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                                     .rasterizer_discard = scene.discards,
                                     .rasterization_next = scene.drawn ? &stream : NULL,
                                     .dynamic = &dynamic,
                                     .dynamic_count = scene.is_dynamic,
                                     .width = W,
                                     .height = H};
    if (scene.emits)
        info.gs = VKT_SHADER(statistics_streams_geom);
    if (!scene.discards)
        info.fs = VKT_SHADER(statistics_frag);
    o->pipeline = vkt_pipeline_create(&o->t, &info);
}

static void create(struct objects *o, enum vkt_which kind)
{
    static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                                             VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME,
                                             VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
        .extendedDynamicState3RasterizationStream = VK_TRUE};
    VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
        .pNext = kind == VKT_TESTED ? &dynamic : NULL,
        .primitivesGeneratedQuery = VK_TRUE,
        .primitivesGeneratedQueryWithRasterizerDiscard = VK_TRUE,
        .primitivesGeneratedQueryWithNonZeroStreams = VK_TRUE};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
        .pNext = &generated,
        .transformFeedback = VK_TRUE,
        .geometryStreams = VK_TRUE};
    o->t = vkt_device_create_chain(vkt_device(kind), extensions, kind == VKT_TESTED ? 3 : 2, &features);
    struct vkt *t = &o->t;
    o->target = vkt_target_create(t, W, H, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    o->vertices = vkt_buffer_create(t, sizeof positions, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, positions);
    for (uint32_t i = 0; i < STREAMS; i++) {
        o->buffers[i] = vkt_buffer_create(t, BUFFER_B, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT, NULL);
        memset(o->buffers[i].map, 0xcc, BUFFER_B);
    }
    o->counters = vkt_buffer_create(t, 64, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT, NULL);
    o->generated = pool_create(t, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT);
    o->captured = pool_create(t, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT);
    create_bare(o);
    create_pipeline(o);
}

static void destroy(struct objects *o)
{
    struct vkt *t = &o->t;
    vkDestroyQueryPool(t->device, o->generated, NULL);
    vkDestroyQueryPool(t->device, o->captured, NULL);
    vkt_pipeline_destroy(t, &o->pipeline);
    for (uint32_t i = 0; i < STREAMS; i++)
        vkt_buffer_destroy(t, &o->buffers[i]);
    vkt_buffer_destroy(t, &o->counters);
    vkt_buffer_destroy(t, &o->vertices);
    vkDestroyFramebuffer(t->device, o->bare.framebuffer, NULL);
    vkDestroyRenderPass(t->device, o->bare.pass, NULL);
    vkt_target_destroy(t, &o->target);
    vkt_device_close(t);
}

#define COMMAND(t, name) ((PFN_vk##name)vkGetDeviceProcAddr((t)->device, "vk" #name))

static void draw(struct objects *o, VkCommandBuffer cmd)
{
    struct vkt *t = &o->t;
    VkBuffer buffers[STREAMS], counters[STREAMS];
    VkDeviceSize zeros[STREAMS] = {0}, sizes[STREAMS], places[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++) {
        buffers[i] = o->buffers[i].buffer;
        counters[i] = o->counters.buffer;
        sizes[i] = scene.size_B ? scene.size_B : BUFFER_B;
        places[i] = 4 * i;
    }
    if (scene.captures) {
        COMMAND(t, CmdBindTransformFeedbackBuffersEXT)(cmd, 0, STREAMS, buffers, zeros, sizes);
        COMMAND(t, CmdBeginTransformFeedbackEXT)(cmd, 0, 0, NULL, NULL);
    }
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    if (scene.captures)
        COMMAND(t, CmdEndTransformFeedbackEXT)(cmd, 0, STREAMS, counters, places);
}

static void record(struct objects *o, VkCommandBuffer cmd)
{
    struct vkt *t = &o->t;
    const uint32_t streams = scene.emits ? STREAMS : 1;
    for (uint32_t i = 0; i < streams; i++) {
        COMMAND(t, CmdBeginQueryIndexedEXT)(cmd, o->generated, i, 0, i);
        if (scene.captures)
            COMMAND(t, CmdBeginQueryIndexedEXT)(cmd, o->captured, i, 0, i);
    }
    draw(o, cmd);
    for (uint32_t i = 0; i < streams; i++) {
        COMMAND(t, CmdEndQueryIndexedEXT)(cmd, o->generated, i, i);
        if (scene.captures)
            COMMAND(t, CmdEndQueryIndexedEXT)(cmd, o->captured, i, i);
    }
}

static void run(enum vkt_which kind, struct results *out)
{
    struct objects o;
    memset(out, 0, sizeof *out);
    create(&o, kind);
    struct vkt *t = &o.t;
    VkCommandBuffer cmd = vkt_begin(t);
    vkCmdResetQueryPool(cmd, o.generated, 0, STREAMS);
    vkCmdResetQueryPool(cmd, o.captured, 0, STREAMS);
    vkt_begin_pass(cmd, scene.is_bare ? &o.bare : &o.target, (float[]){0.2f, 0.2f, 0.2f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, o.pipeline.pipeline);
    if (scene.is_dynamic)
        COMMAND(t, CmdSetRasterizationStreamEXT)(cmd, scene.drawn);
    vkCmdBindVertexBuffers(cmd, 0, 1, &o.vertices.buffer, &(VkDeviceSize){0});
    record(&o, cmd);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0); /* outside of all queries */
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    const uint32_t streams = scene.emits ? STREAMS : 1;
    vkt_ok(vkGetQueryPoolResults(t->device, o.generated, 0, streams, sizeof out->generated, out->generated, 8,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    if (scene.captures)
        vkt_ok(vkGetQueryPoolResults(t->device, o.captured, 0, streams, sizeof out->captured, out->captured, 16,
                                     VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (uint32_t i = 0; i < STREAMS && scene.captures; i++) {
        memcpy(out->bytes[i], o.buffers[i].map, BUFFER_B);
        out->counters[i] = ((const uint32_t *)o.counters.map)[i];
    }
    if (!scene.is_bare) {
        struct vkt_picture picture = vkt_read_target(t, &o.target);
        memcpy(out->picture, picture.rgba, sizeof out->picture);
        vkt_picture_free(&picture);
    }
    destroy(&o);
}

static struct results got, reference;

static void compare(const char *name)
{
    run(VKT_REFERENCE, &reference);
    for (uint32_t i = 0; i < STREAMS; i++) {
        assert_memory_equal(got.bytes[i], reference.bytes[i], BUFFER_B);
        assert_int_equal(got.counters[i], reference.counters[i]);
    }
    vkt_compare(name, &(struct vkt_picture){W, H, reference.picture}, &(struct vkt_picture){W, H, got.picture},
                (struct vkt_tolerance){2, 0});
}

static void check_counts(uint64_t room_B)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        const uint64_t needed = emitted[i] * VERTICES, fit = room_B / strides_B[i];
        assert_int_equal(got.generated[i], needed);
        if (scene.captures) {
            assert_int_equal(got.captured[i][0], needed < fit ? needed : fit);
            assert_int_equal(got.captured[i][1], needed);
        }
    }
}

static void streams_are_captured(void **state)
{
    scene.emits = scene.captures = true;
    scene.discards = false;
    scene.drawn = 0;
    for (scene.size_B = 0; scene.size_B <= 64; scene.size_B += 64) {
        run(VKT_TESTED, &got);
        check_counts(scene.size_B ? scene.size_B : BUFFER_B);
        compare("captured");
    }
    scene.size_B = 0;
    scene.discards = true;
    for (uint32_t i = 0; i < 2; i++) {
        scene.is_bare = i;
        run(VKT_TESTED, &got);
        check_counts(BUFFER_B);
        compare("discarded");
    }
    scene.is_bare = false;
}

static void draw_streams(void)
{
    scene.emits = true;
    scene.captures = scene.discards = false;
    scene.drawn = 1;
    run(VKT_TESTED, &got);
    check_counts(0);
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < W * H; i++)
        drawn += got.picture[4 * i] != 51;
    assert_int_equal(drawn, VERTICES); /* the two points of a vertex are at one place */
    scene.drawn = 2;                   /* nothing is emitted to it */
    run(VKT_TESTED, &got);
    check_counts(0);
    for (uint32_t i = 0; i < W * H; i++)
        assert_int_equal(got.picture[4 * i], 51);
    scene.drawn = 0;
}

static void another_stream_is_drawn(void **state)
{
    draw_streams();
}

static void stream_is_dynamic(void **state)
{
    scene.is_dynamic = true;
    draw_streams();
    scene.is_dynamic = false;
}

/* Without transform feedback or a geometry shader. */
static void generated_primitives_are_counted(void **state)
{
    scene.captures = false;
    for (uint32_t mode = 0; mode < 4; mode++) {
        scene.emits = mode & 1;
        scene.discards = mode & 2;
        run(VKT_TESTED, &got);
        if (scene.emits)
            check_counts(0);
        else
            assert_int_equal(got.generated[0], VERTICES - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(streams_are_captured, vkt_check_messages),
        cmocka_unit_test_teardown(another_stream_is_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(stream_is_dynamic, vkt_check_messages),
        cmocka_unit_test_teardown(generated_primitives_are_counted, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
