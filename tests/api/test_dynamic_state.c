/* SPDX-License-Identifier: MIT
 *
 * Dynamic state that is lowered into programs and packets: VK_EXT_extended_dynamic_state, its second part,
 * VK_EXT_vertex_input_dynamic_state and VK_EXT_color_write_enable. Every combination is drawn twice, by a pipeline that
 * has the state and by one whose state is dynamic (and whose own values are others), and must give the same picture.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "color.frag.h"
#include "color.vert.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 64, H = 64 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D24_UNORM_S8_UINT

#define COMMANDS(X)                                                                                                    \
    X(vkCmdSetCullModeEXT)                                                                                             \
    X(vkCmdSetFrontFaceEXT)                                                                                            \
    X(vkCmdSetPrimitiveTopologyEXT)                                                                                    \
    X(vkCmdSetViewportWithCountEXT)                                                                                    \
    X(vkCmdSetScissorWithCountEXT)                                                                                     \
    X(vkCmdBindVertexBuffers2EXT)                                                                                      \
    X(vkCmdSetDepthTestEnableEXT)                                                                                      \
    X(vkCmdSetDepthWriteEnableEXT)                                                                                     \
    X(vkCmdSetDepthCompareOpEXT)                                                                                       \
    X(vkCmdSetDepthBoundsTestEnableEXT)                                                                                \
    X(vkCmdSetStencilTestEnableEXT)                                                                                    \
    X(vkCmdSetStencilOpEXT)                                                                                            \
    X(vkCmdSetRasterizerDiscardEnableEXT)                                                                              \
    X(vkCmdSetDepthBiasEnableEXT)                                                                                      \
    X(vkCmdSetPrimitiveRestartEnableEXT)                                                                               \
    X(vkCmdSetLogicOpEXT)                                                                                              \
    X(vkCmdSetVertexInputEXT)                                                                                          \
    X(vkCmdSetColorWriteEnableEXT)

struct scene {
    struct vkt t;
    struct vkt_target target;
    struct vkt_buffer vertices, indices;
    struct vkt_pipeline background, result;
#define X(name) PFN_##name name;
    COMMANDS(X)
#undef X
};

/* ---------------------------------------------------------------- scenes */

struct vertex {
    float position[4], color[4];
};

/* Overlapping triangles of both windings, in front of and behind the background's depth of 0.5. */
static const struct vertex vertices[] = {
    {{-0.9f, -0.9f, 0.3f, 1}, {1, 0, 0, 1}}, {{0.8f, -0.7f, 0.3f, 1}, {0, 1, 0, 1}},
    {{-0.6f, 0.7f, 0.7f, 1}, {0, 0, 1, 1}},  {{0.9f, 0.9f, 0.5f, 1}, {1, 1, 0, 1}},
    {{-0.9f, 0.2f, 0.5f, 1}, {0, 1, 1, 1}},  {{0.1f, -0.95f, 0.9f, 1}, {1, 0, 1, 1}},
    {{0.95f, 0.1f, 0.1f, 1}, {1, 1, 1, 1}},  {{-0.2f, 0.95f, 0.5f, 1}, {0.5f, 0.5f, 0.5f, 1}},
};

#define INDEX_COUNT 9u
static const uint16_t indices[2][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 0}, {0, 1, 2, 3, 0xffff, 4, 5, 6, 7}};

struct push {
    float color[4], rect[4], depth;
};

static const VkStencilOpState increments = {.compareOp = VK_COMPARE_OP_ALWAYS,
                                            .passOp = VK_STENCIL_OP_REPLACE,
                                            .compareMask = 0xff,
                                            .writeMask = 0xff,
                                            .reference = 1};

static struct vkt_pipeline quad_create(struct scene *s, VkCompareOp depth, const VkStencilOpState *stencil)
{
    return vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                                  .fs = VKT_SHADER(push_frag),
                                                                  .pass = s->target.pass,
                                                                  .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                                  .depth_test = true,
                                                                  .depth_write = true,
                                                                  .depth_compare = depth,
                                                                  .stencil_test = true,
                                                                  .stencil = *stencil,
                                                                  .push_size_B = sizeof(struct push),
                                                                  .width = W,
                                                                  .height = H});
}

static struct vkt open_device(void)
{
    static const char *const extensions[] = {
        VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
        VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME};
    VkPhysicalDeviceColorWriteEnableFeaturesEXT writes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COLOR_WRITE_ENABLE_FEATURES_EXT, .colorWriteEnable = VK_TRUE};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT inputs = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &writes,
        .vertexInputDynamicState = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicState2FeaturesEXT second = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT,
        .pNext = &inputs,
        .extendedDynamicState2 = VK_TRUE,
        .extendedDynamicState2LogicOp = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT first = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &second,
        .extendedDynamicState = VK_TRUE};
    return vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &first);
}

static struct scene scene_open(void)
{
    struct scene s = {.t = open_device()};
    const VkStencilOpState is_one = {.compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0xff, .reference = 1};
    s.target = vkt_target_create(&s.t, W, H, COLOR, DEPTH);
    s.vertices = vkt_buffer_create(&s.t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    s.indices = vkt_buffer_create(&s.t, sizeof indices, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, indices);
    s.background = quad_create(&s, VK_COMPARE_OP_ALWAYS, &increments);
    s.result = quad_create(&s, VK_COMPARE_OP_LESS, &is_one);
#define X(name) s.name = (PFN_##name)vkGetDeviceProcAddr(s.t.device, #name);
    COMMANDS(X)
#undef X
    return s;
}

static void scene_close(struct scene *s)
{
    vkt_pipeline_destroy(&s->t, &s->background);
    vkt_pipeline_destroy(&s->t, &s->result);
    vkt_buffer_destroy(&s->t, &s->vertices);
    vkt_buffer_destroy(&s->t, &s->indices);
    vkt_target_destroy(&s->t, &s->target);
    vkt_device_close(&s->t);
}

static void draw_quad(VkCommandBuffer cmd, const struct vkt_pipeline *p, const struct push *push)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *push,
                       push);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* Draws a background in the middle, then what `draw` draws, then a quad that shows where depth and stencil are as the
 * background left them. */
static struct vkt_picture draw_between(struct scene *s, const struct vkt_pipeline *p,
                                       void (*draw)(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p,
                                                    const void *data),
                                       const void *data)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_begin_pass(cmd, &s->target, (float[]){0.25f, 0.25f, 0.25f, 1}, 1, 0);
    draw_quad(cmd, &s->background, &(struct push){{0, 0.25f, 0.75f, 1}, {-0.7f, -0.8f, 0.8f, 0.7f}, 0.5f});
    draw(s, cmd, p, data);
    draw_quad(cmd, &s->result, &(struct push){{0.75f, 0.5f, 0, 1}, {-1, -1, 1, 1}, 0.45f});
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s->t, cmd);
    return vkt_read_target(&s->t, &s->target);
}

static void compare(struct scene *s, const char *name, struct vkt_picture expected, struct vkt_picture got)
{
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
}

/* ---------------------------------------------------------------- fixed functions */

struct values {
    VkCullModeFlags cull;
    VkFrontFace front_face;
    VkPrimitiveTopology topology;
    bool restart, discard, bias, depth_test, depth_write, stencil_test;
    VkCompareOp depth_compare;
    VkStencilOpState front, back;
};

static unsigned next_random(unsigned *seed, unsigned count)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % count;
}

static VkStencilOpState random_stencil(unsigned *seed)
{
    VkStencilOpState s = {.compareMask = 0xff, .writeMask = 0xff, .reference = 1};
    s.failOp = (VkStencilOp)next_random(seed, 8);
    s.passOp = (VkStencilOp)next_random(seed, 8);
    s.depthFailOp = (VkStencilOp)next_random(seed, 8);
    s.compareOp = (VkCompareOp)next_random(seed, 8);
    return s;
}

static struct values random_values(unsigned *seed)
{
    static const VkPrimitiveTopology topologies[] = {
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN};
    struct values v = {.topology = topologies[next_random(seed, 3)]};
    static const VkCullModeFlags culls[] = {VK_CULL_MODE_NONE, VK_CULL_MODE_NONE, VK_CULL_MODE_FRONT_BIT,
                                            VK_CULL_MODE_BACK_BIT};
    v.cull = culls[next_random(seed, 4)];
    v.front_face = (VkFrontFace)next_random(seed, 2);
    v.restart = v.topology != VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST && next_random(seed, 2);
    v.discard = next_random(seed, 10) == 0;
    v.bias = next_random(seed, 2);
    v.depth_test = next_random(seed, 4) != 0;
    v.depth_write = next_random(seed, 2);
    v.stencil_test = next_random(seed, 2);
    v.depth_compare = (VkCompareOp)next_random(seed, 8);
    v.front = random_stencil(seed);
    v.back = next_random(seed, 2) ? v.front : random_stencil(seed);
    return v;
}

static const VkVertexInputBindingDescription one_binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription two_attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                                   {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};

static struct vkt_pipeline_info mesh_info(const struct scene *s)
{
    return (struct vkt_pipeline_info){.vs = VKT_SHADER(color_vert),
                                      .fs = VKT_SHADER(color_frag),
                                      .pass = s->target.pass,
                                      .bindings = &one_binding,
                                      .binding_count = 1,
                                      .attributes = two_attributes,
                                      .attribute_count = 2,
                                      .topology = VKT_TRIANGLES,
                                      .width = W,
                                      .height = H};
}

static struct vkt_pipeline_info with_values(const struct scene *s, const struct values *v)
{
    struct vkt_pipeline_info info = mesh_info(s);
    info.topology = v->topology;
    info.cull = v->cull;
    info.front_face = v->front_face;
    info.primitive_restart = v->restart;
    info.rasterizer_discard = v->discard;
    if (v->discard) /* such a pipeline has no fragment shader */
        info.fs = (struct vkt_shader){0};
    info.depth_bias_enable = v->bias;
    info.depth_bias.constant = 4e6f; /* about a quarter */
    info.depth_test = v->depth_test;
    info.depth_write = v->depth_write;
    info.depth_compare = v->depth_compare;
    info.stencil_test = v->stencil_test;
    info.stencil = v->front;
    info.stencil_back = &v->back;
    return info;
}

static const VkDynamicState fixed_functions[] = {
    VK_DYNAMIC_STATE_CULL_MODE,
    VK_DYNAMIC_STATE_FRONT_FACE,
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
    VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
    VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
    VK_DYNAMIC_STATE_DEPTH_COMPARE_OP,
    VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
    VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
    VK_DYNAMIC_STATE_STENCIL_OP,
};

static void set_face(struct scene *s, VkCommandBuffer cmd, VkStencilFaceFlags face, const VkStencilOpState *o)
{
    s->vkCmdSetStencilOpEXT(cmd, face, o->failOp, o->passOp, o->depthFailOp, o->compareOp);
}

static void set_values(struct scene *s, VkCommandBuffer cmd, const struct values *v)
{
    s->vkCmdSetCullModeEXT(cmd, v->cull);
    s->vkCmdSetFrontFaceEXT(cmd, v->front_face);
    s->vkCmdSetPrimitiveTopologyEXT(cmd, v->topology);
    s->vkCmdSetPrimitiveRestartEnableEXT(cmd, v->restart);
    s->vkCmdSetRasterizerDiscardEnableEXT(cmd, v->discard);
    s->vkCmdSetDepthBiasEnableEXT(cmd, v->bias);
    s->vkCmdSetDepthTestEnableEXT(cmd, v->depth_test);
    s->vkCmdSetDepthWriteEnableEXT(cmd, v->depth_write);
    s->vkCmdSetDepthCompareOpEXT(cmd, v->depth_compare);
    s->vkCmdSetDepthBoundsTestEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetStencilTestEnableEXT(cmd, v->stencil_test);
    set_face(s, cmd, VK_STENCIL_FACE_FRONT_BIT, &v->front);
    set_face(s, cmd, VK_STENCIL_FACE_BACK_BIT, &v->back);
}

static void draw_mesh(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const struct values *v)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
    vkCmdBindIndexBuffer(cmd, s->indices.buffer, v->restart ? sizeof indices[0] : 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(cmd, INDEX_COUNT, 1, 0, 0, 0);
}

static void draw_static(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *values)
{
    draw_mesh(s, cmd, p, values);
}

static void draw_dynamic(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *values)
{
    set_values(s, cmd, values);
    draw_mesh(s, cmd, p, values);
}

/* Other values than any combination has: whoever takes these draws something else. */
static struct values placeholders(void)
{
    return (struct values){.cull = VK_CULL_MODE_FRONT_AND_BACK,
                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                           .depth_compare = VK_COMPARE_OP_NEVER,
                           .depth_test = true,
                           .front = increments,
                           .back = increments};
}

static void every_combination_is_as_if_static(void **state)
{
    struct scene s = scene_open();
    const struct values other = placeholders();
    struct vkt_pipeline_info info = with_values(&s, &other);
    unsigned seed = 7;
    info.dynamic = fixed_functions;
    info.dynamic_count = VKT_COUNT(fixed_functions);
    struct vkt_pipeline dynamic = vkt_pipeline_create(&s.t, &info);
    for (unsigned i = 0; i < 48; i++) {
        const struct values v = random_values(&seed);
        info = with_values(&s, &v);
        struct vkt_pipeline fixed = vkt_pipeline_create(&s.t, &info);
        struct vkt_picture expected = draw_between(&s, &fixed, draw_static, &v);
        compare(&s, "dynamic_state", expected, draw_between(&s, &dynamic, draw_dynamic, &v));
        vkt_pipeline_destroy(&s.t, &fixed);
    }
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

/* Two combinations in turns, in one pass: state that is set again, pipelines that are bound again. */
struct turns {
    struct values values[2];
    struct vkt_pipeline fixed[2];
};

static void draw_turns_static(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct turns *t = data;
    for (uint32_t i = 0; i < 6; i++)
        draw_mesh(s, cmd, &t->fixed[i % 2], &t->values[i % 2]);
}

static void draw_turns_dynamic(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct turns *t = data;
    for (uint32_t i = 0; i < 6; i++) {
        if (i == 2) /* another pipeline in between makes dynamic state undefined no more than it is */
            draw_quad(cmd, &s->background, &(struct push){{0, 0, 0, 0}, {2, 2, 3, 3}, 0.5f});
        set_values(s, cmd, &t->values[i % 2]);
        draw_mesh(s, cmd, p, &t->values[i % 2]);
    }
}

static void combinations_take_turns(void **state)
{
    struct scene s = scene_open();
    struct turns t;
    unsigned seed = 3;
    for (uint32_t i = 0; i < 2; i++) {
        t.values[i] = random_values(&seed);
        t.values[i].discard = false;
        t.values[i].cull = i ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_FRONT_BIT;
        const struct vkt_pipeline_info info = with_values(&s, &t.values[i]);
        t.fixed[i] = vkt_pipeline_create(&s.t, &info);
    }
    const struct values other = placeholders();
    struct vkt_pipeline_info info = with_values(&s, &other);
    info.dynamic = fixed_functions;
    info.dynamic_count = VKT_COUNT(fixed_functions);
    struct vkt_pipeline dynamic = vkt_pipeline_create(&s.t, &info);
    struct vkt_picture expected = draw_between(&s, NULL, draw_turns_static, &t);
    compare(&s, "dynamic_state_turns", expected, draw_between(&s, &dynamic, draw_turns_dynamic, &t));
    for (uint32_t i = 0; i < 2; i++)
        vkt_pipeline_destroy(&s.t, &t.fixed[i]);
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

/* ---------------------------------------------------------------- logic operations and colour writes */

struct output {
    VkLogicOp op;
    VkBool32 writes;
};

static void draw_output(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct values list = {.topology = VKT_TRIANGLES};
    draw_mesh(s, cmd, p, &list);
}

static void draw_output_dynamic(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct output *o = data;
    s->vkCmdSetLogicOpEXT(cmd, o->op);
    s->vkCmdSetColorWriteEnableEXT(cmd, 1, &o->writes);
    draw_output(s, cmd, p, NULL);
}

static void logic_and_color_writes(void **state)
{
    struct scene s = scene_open();
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_LOGIC_OP_EXT, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT};
    static const VkPipelineColorBlendAttachmentState none = {0};
    struct vkt_pipeline_info info = mesh_info(&s);
    info.logic_op_enable = true;
    info.logic_op = VK_LOGIC_OP_CLEAR;
    info.dynamic = states;
    info.dynamic_count = 2;
    struct vkt_pipeline dynamic = vkt_pipeline_create(&s.t, &info);
    info.dynamic_count = 0;
    for (uint32_t i = 0; i < 17; i++) { /* the last one writes nothing */
        const struct output o = {(VkLogicOp)(i % 16), i < 16};
        info.logic_op = o.op;
        info.blends = o.writes ? NULL : &none;
        struct vkt_pipeline fixed = vkt_pipeline_create(&s.t, &info);
        struct vkt_picture expected = draw_between(&s, &fixed, draw_output, NULL);
        compare(&s, "dynamic_output", expected, draw_between(&s, &dynamic, draw_output_dynamic, &o));
        vkt_pipeline_destroy(&s.t, &fixed);
    }
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

/* ---------------------------------------------------------------- vertex input */

struct input {
    uint32_t binding, stride_B, position_B, color_B;
    VkFormat position, color;
    VkVertexInputRate color_rate; /* colours have the next binding */
};

static const struct input inputs[] = {
    {0, 32, 0, 16, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, VK_VERTEX_INPUT_RATE_VERTEX},
    {3, 64, 0, 16, VK_FORMAT_R32G32B32_SFLOAT, VK_FORMAT_R32G32_SFLOAT, VK_VERTEX_INPUT_RATE_VERTEX},
    {0, 32, 0, 20, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_VERTEX_INPUT_RATE_VERTEX},
    {1, 32, 0, 16, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R16G16_UNORM, VK_VERTEX_INPUT_RATE_VERTEX},
    {1, 32, 0, 16, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, VK_VERTEX_INPUT_RATE_INSTANCE},
};

static void draw_input(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct input *in = data;
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindVertexBuffers(cmd, in->binding, 2, (VkBuffer[]){s->vertices.buffer, s->vertices.buffer},
                           (VkDeviceSize[]){0, 32});
    vkCmdDraw(cmd, 3, 2, 0, 0);
}

static void draw_input_dynamic(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const struct input *in = data;
    const VkVertexInputBindingDescription2EXT bindings[] = {
        {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
         .binding = in->binding,
         .stride = in->stride_B,
         .divisor = 1},
        {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
         .binding = in->binding + 1,
         .stride = in->stride_B,
         .inputRate = in->color_rate,
         .divisor = 1}};
    const VkVertexInputAttributeDescription2EXT attributes[] = {
        {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
         .binding = in->binding,
         .format = in->position,
         .offset = in->position_B},
        {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
         .location = 1,
         .binding = in->binding + 1,
         .format = in->color,
         .offset = in->color_B}};
    s->vkCmdSetVertexInputEXT(cmd, 2, bindings, 2, attributes);
    draw_input(s, cmd, p, data);
}

static void vertex_inputs(void **state)
{
    struct scene s = scene_open();
    static const VkDynamicState dynamic_state = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT;
    struct vkt_pipeline_info info = mesh_info(&s);
    info.dynamic = &dynamic_state;
    info.dynamic_count = 1;
    info.binding_count = info.attribute_count = 0;
    struct vkt_pipeline dynamic = vkt_pipeline_create(&s.t, &info);
    info = mesh_info(&s);
    for (uint32_t i = 0; i < VKT_COUNT(inputs); i++) {
        const struct input *in = &inputs[i];
        const VkVertexInputBindingDescription bindings[] = {{in->binding, in->stride_B, VK_VERTEX_INPUT_RATE_VERTEX},
                                                            {in->binding + 1, in->stride_B, in->color_rate}};
        const VkVertexInputAttributeDescription attributes[] = {{0, in->binding, in->position, in->position_B},
                                                                {1, in->binding + 1, in->color, in->color_B}};
        info.bindings = bindings;
        info.binding_count = 2;
        info.attributes = attributes;
        struct vkt_pipeline fixed = vkt_pipeline_create(&s.t, &info);
        struct vkt_picture expected = draw_between(&s, &fixed, draw_input, in);
        compare(&s, "dynamic_input", expected, draw_between(&s, &dynamic, draw_input_dynamic, in));
        vkt_pipeline_destroy(&s.t, &fixed);
    }
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

/* ---------------------------------------------------------------- strides, viewports */

static void draw_strides(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){32});
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void draw_strides_dynamic(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    const VkDeviceSize offset_B = 32, size_B = 2 * 64 + 32, stride_B = 64;
    s->vkCmdSetViewportWithCountEXT(cmd, 1, &(VkViewport){8, 4, 40, 50, 0.25f, 0.75f});
    s->vkCmdSetScissorWithCountEXT(cmd, 1, &(VkRect2D){{10, 10}, {30, 40}});
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    s->vkCmdBindVertexBuffers2EXT(cmd, 0, 1, &s->vertices.buffer, &offset_B, &size_B, &stride_B);
    vkCmdDraw(cmd, 3, 1, 0, 0);
}

static void draw_viewports(struct scene *s, VkCommandBuffer cmd, const struct vkt_pipeline *p, const void *data)
{
    vkCmdSetViewport(cmd, 0, 1, &(VkViewport){8, 4, 40, 50, 0.25f, 0.75f});
    vkCmdSetScissor(cmd, 0, 1, &(VkRect2D){{10, 10}, {30, 40}});
    draw_strides(s, cmd, p, data);
}

static void strides_and_viewports(void **state)
{
    struct scene s = scene_open();
    static const VkDynamicState old_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR},
                                new_states[] = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                                                VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
                                                VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
    const VkVertexInputBindingDescription wide = {0, 64, VK_VERTEX_INPUT_RATE_VERTEX};
    struct vkt_pipeline_info info = mesh_info(&s);
    info.dynamic = old_states;
    info.dynamic_count = 2;
    info.bindings = &wide;
    struct vkt_pipeline fixed = vkt_pipeline_create(&s.t, &info);
    info.dynamic = new_states;
    info.dynamic_count = 3;
    info.bindings = &one_binding;
    info.counts_are_dynamic = true;
    struct vkt_pipeline dynamic = vkt_pipeline_create(&s.t, &info);
    struct vkt_picture expected = draw_between(&s, &fixed, draw_viewports, NULL);
    compare(&s, "dynamic_strides", expected, draw_between(&s, &dynamic, draw_strides_dynamic, NULL));
    vkt_pipeline_destroy(&s.t, &fixed);
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_combination_is_as_if_static, vkt_check_messages),
        cmocka_unit_test_teardown(combinations_take_turns, vkt_check_messages),
        cmocka_unit_test_teardown(logic_and_color_writes, vkt_check_messages),
        cmocka_unit_test_teardown(vertex_inputs, vkt_check_messages),
        cmocka_unit_test_teardown(strides_and_viewports, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
