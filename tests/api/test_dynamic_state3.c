/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_extended_dynamic_state3: every combination of values is drawn twice, by a pipeline that has the state and by
 * one whose state is dynamic (and whose own values are others), and must give the same texels.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "dynamic_state.frag.h"
#include "dynamic_state.vert.h"

enum { W = 40, H = 36, TARGETS = 2 };

#define DEPTH VK_FORMAT_D24_UNORM_S8_UINT

#define COMMANDS(X)                                                                                                    \
    X(vkCmdBeginRenderingKHR)                                                                                          \
    X(vkCmdEndRenderingKHR)                                                                                            \
    X(vkCmdSetPrimitiveTopologyEXT)                                                                                    \
    X(vkCmdSetPolygonModeEXT)                                                                                          \
    X(vkCmdSetDepthClampEnableEXT)                                                                                     \
    X(vkCmdSetDepthClipEnableEXT)                                                                                      \
    X(vkCmdSetRasterizationStreamEXT)                                                                                  \
    X(vkCmdSetDepthClipNegativeOneToOneEXT)                                                                            \
    X(vkCmdSetLineStippleEnableEXT)                                                                                    \
    X(vkCmdSetProvokingVertexModeEXT)                                                                                  \
    X(vkCmdSetRasterizationSamplesEXT)                                                                                 \
    X(vkCmdSetSampleMaskEXT)                                                                                           \
    X(vkCmdSetAlphaToCoverageEnableEXT)                                                                                \
    X(vkCmdSetAlphaToOneEnableEXT)                                                                                     \
    X(vkCmdSetLogicOpEnableEXT)                                                                                        \
    X(vkCmdSetColorBlendEnableEXT)                                                                                     \
    X(vkCmdSetColorBlendEquationEXT)                                                                                   \
    X(vkCmdSetColorWriteMaskEXT)

struct scene {
    struct vkt t;
    VkFormat format;
    VkSampleCountFlagBits samples;
    struct vkt_image colors[TARGETS], resolves[TARGETS], depth;
    struct vkt_buffer vertices;
#define X(name) PFN_##name name;
    COMMANDS(X)
#undef X
};

/* ---------------------------------------------------------------- scenes */

struct vertex {
    float position[4], color[4];
};

/* Overlapping triangles; the last vertices are in front of the near plane and behind the far one. */
static const struct vertex vertices[] = {
    {{-0.9f, -0.9f, 0.3f, 1}, {1, 0, 0, 0.2f}},      {{0.8f, -0.7f, 0.3f, 1}, {0, 1, 0, 0.9f}},
    {{-0.6f, 0.7f, 0.7f, 1}, {0, 0, 1, 0.5f}},       {{0.9f, 0.9f, 0.5f, 1}, {1, 1, 0, 1}},
    {{-0.9f, 0.2f, 0.5f, 1}, {0, 1, 1, 0.4f}},       {{0.1f, -0.95f, 0.9f, 1}, {1, 0, 1, 0.7f}},
    {{0.95f, 0.1f, -0.6f, 1}, {1, 1, 1, 0.3f}},      {{-0.2f, 0.95f, 1.6f, 1}, {0.5f, 0.5f, 0.5f, 0.6f}},
    {{-0.8f, -0.5f, 0.4f, 1}, {0.25f, 0, 0.75f, 1}},
};

static struct vkt open_device(void)
{
    static const char *const extensions[] = {
        VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,  VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
        VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
        VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME,      VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME,
        VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME,     VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
        VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME};
    VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
        .rectangularLines = VK_TRUE,
        .stippledRectangularLines = VK_TRUE};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
        .pNext = &lines,
        .transformFeedback = VK_TRUE};
    VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT,
        .pNext = &feedback,
        .depthClipControl = VK_TRUE};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
        .pNext = &clip_control,
        .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT first = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &rendering,
        .extendedDynamicState = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT third = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
        .pNext = &first,
        .extendedDynamicState3DepthClampEnable = VK_TRUE,
        .extendedDynamicState3PolygonMode = VK_TRUE,
        .extendedDynamicState3RasterizationSamples = VK_TRUE,
        .extendedDynamicState3SampleMask = VK_TRUE,
        .extendedDynamicState3AlphaToCoverageEnable = VK_TRUE,
        .extendedDynamicState3AlphaToOneEnable = VK_TRUE,
        .extendedDynamicState3LogicOpEnable = VK_TRUE,
        .extendedDynamicState3ColorBlendEnable = VK_TRUE,
        .extendedDynamicState3ColorBlendEquation = VK_TRUE,
        .extendedDynamicState3ColorWriteMask = VK_TRUE,
        .extendedDynamicState3DepthClipEnable = VK_TRUE,
        .extendedDynamicState3ProvokingVertexMode = VK_TRUE,
        .extendedDynamicState3RasterizationStream = VK_TRUE,
        .extendedDynamicState3LineStippleEnable = VK_TRUE,
        .extendedDynamicState3DepthClipNegativeOneToOne = VK_TRUE};
    return vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &third);
}

static struct vkt_image image_create(struct scene *s, VkFormat format, VkSampleCountFlagBits samples)
{
    const VkImageUsageFlags usage =
        format == DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return vkt_image_create(&s->t, &(struct vkt_image_info){.format = format,
                                                            .width = W,
                                                            .height = H,
                                                            .samples = samples,
                                                            .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

static struct scene scene_open(VkFormat format, VkSampleCountFlagBits samples)
{
    struct scene s = {.t = open_device(), .format = format, .samples = samples};
    for (uint32_t i = 0; i < TARGETS; i++) {
        s.colors[i] = image_create(&s, format, samples);
        if (samples > 1)
            s.resolves[i] = image_create(&s, format, VK_SAMPLE_COUNT_1_BIT);
    }
    s.depth = image_create(&s, DEPTH, samples);
    s.vertices = vkt_buffer_create(&s.t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
#define X(name) s.name = (PFN_##name)vkGetDeviceProcAddr(s.t.device, #name);
    COMMANDS(X)
#undef X
    return s;
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < TARGETS; i++) {
        vkt_image_destroy(&s->t, &s->colors[i]);
        if (s->samples > 1)
            vkt_image_destroy(&s->t, &s->resolves[i]);
    }
    vkt_image_destroy(&s->t, &s->depth);
    vkt_buffer_destroy(&s->t, &s->vertices);
    vkt_device_close(&s->t);
}

static void begin(struct scene *s, VkCommandBuffer cmd, bool with_depth)
{
    VkRenderingAttachmentInfo colors[TARGETS];
    for (uint32_t i = 0; i < TARGETS; i++) {
        vkt_image_barrier(cmd, &s->colors[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        colors[i] = (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                                .imageView = s->colors[i].view,
                                                .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .clearValue.color.float32 = {0.25f, 0.5f, 0.75f, 0.5f}};
        if (s->samples > 1) {
            vkt_image_barrier(cmd, &s->resolves[i], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
            colors[i].resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
            colors[i].resolveImageView = s->resolves[i].view;
            colors[i].resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
        }
    }
    vkt_image_barrier(cmd, &s->depth, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkRenderingAttachmentInfo depth = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = s->depth.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                             .clearValue.depthStencil = {1, 0}};
    s->vkCmdBeginRenderingKHR(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                      .renderArea = {{0, 0}, {W, H}},
                                                      .layerCount = 1,
                                                      .colorAttachmentCount = TARGETS,
                                                      .pColorAttachments = colors,
                                                      .pDepthAttachment = with_depth ? &depth : NULL});
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
}

#define TEXELS_B (W * H * 16)

/* Appends the texels of both targets. */
static void end(struct scene *s, VkCommandBuffer cmd, uint8_t *texels, uint32_t texel_B)
{
    const struct vkt_image *images = s->samples > 1 ? s->resolves : s->colors;
    s->vkCmdEndRenderingKHR(cmd);
    for (uint32_t i = 0; i < TARGETS; i++)
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&s->t, cmd);
    for (uint32_t i = 0; i < TARGETS; i++)
        vkt_read_image(&s->t, &images[i], 0, 0, texels + i * W * H * texel_B, W * H * texel_B);
}

/* ---------------------------------------------------------------- values */

struct values {
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    VkBool32 clamp, clip, symmetric, stipple, logic, to_coverage, to_one;
    VkProvokingVertexModeEXT provoking;
    VkSampleMask mask;
    VkBool32 blend[TARGETS];
    VkColorBlendEquationEXT equations[TARGETS];
    VkColorComponentFlags writes[TARGETS];
};

static unsigned next_random(unsigned *seed, unsigned count)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % count;
}

static VkBlendFactor random_factor(unsigned *seed)
{
    return (VkBlendFactor)next_random(seed, VK_BLEND_FACTOR_SRC_ALPHA_SATURATE + 1);
}

static struct values random_values(unsigned *seed)
{
    static const VkPrimitiveTopology topologies[] = {
        VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
        VK_PRIMITIVE_TOPOLOGY_POINT_LIST,    VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,   VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    struct values v = {.topology = topologies[next_random(seed, 6)]};
    v.polygon = next_random(seed, 2) ? VK_POLYGON_MODE_FILL : (VkPolygonMode)next_random(seed, 3);
    v.clamp = next_random(seed, 2);
    v.clip = next_random(seed, 2);
    v.symmetric = next_random(seed, 2);
    v.stipple = next_random(seed, 2);
    v.logic = next_random(seed, 4) == 0;
    v.to_coverage = next_random(seed, 3) == 0;
    v.to_one = next_random(seed, 3) == 0;
    v.provoking = (VkProvokingVertexModeEXT)next_random(seed, 2);
    v.mask = next_random(seed, 2) ? UINT32_MAX : 1 + next_random(seed, 15);
    for (uint32_t i = 0; i < TARGETS; i++) {
        v.blend[i] = next_random(seed, 2);
        v.equations[i] =
            (VkColorBlendEquationEXT){random_factor(seed), random_factor(seed), (VkBlendOp)next_random(seed, 5),
                                      random_factor(seed), random_factor(seed), (VkBlendOp)next_random(seed, 5)};
        v.writes[i] = next_random(seed, 2) ? 0xf : next_random(seed, 16);
    }
    return v;
}

/* Other values than any combination has: a driver that takes these draws something else. */
static const struct values placeholders = {.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
                                           .polygon = VK_POLYGON_MODE_POINT,
                                           .stipple = VK_TRUE,
                                           .logic = VK_TRUE,
                                           .to_coverage = VK_TRUE,
                                           .to_one = VK_TRUE};

static const VkDynamicState all_states[] = {
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,        VK_DYNAMIC_STATE_POLYGON_MODE_EXT,
    VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,    VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT,
    VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,
    VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
    VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT,   VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,    VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,      VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT,
    VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT,  VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT,
};

static void set_values(struct scene *s, VkCommandBuffer cmd, const struct values *v)
{
    s->vkCmdSetPrimitiveTopologyEXT(cmd, v->topology);
    s->vkCmdSetPolygonModeEXT(cmd, v->polygon);
    s->vkCmdSetDepthClampEnableEXT(cmd, v->clamp);
    s->vkCmdSetDepthClipEnableEXT(cmd, v->clip);
    s->vkCmdSetDepthClipNegativeOneToOneEXT(cmd, v->symmetric);
    s->vkCmdSetLineStippleEnableEXT(cmd, v->stipple);
    s->vkCmdSetRasterizationStreamEXT(cmd, 0); /* tested by api_streams */
    s->vkCmdSetProvokingVertexModeEXT(cmd, v->provoking);
    s->vkCmdSetRasterizationSamplesEXT(cmd, s->samples);
    s->vkCmdSetSampleMaskEXT(cmd, s->samples, &v->mask);
    s->vkCmdSetAlphaToCoverageEnableEXT(cmd, v->to_coverage);
    s->vkCmdSetAlphaToOneEnableEXT(cmd, v->to_one);
    s->vkCmdSetLogicOpEnableEXT(cmd, v->logic);
    s->vkCmdSetColorBlendEnableEXT(cmd, 0, TARGETS, v->blend);
    s->vkCmdSetColorBlendEquationEXT(cmd, 1, 1, &v->equations[1]); /* one by one */
    s->vkCmdSetColorBlendEquationEXT(cmd, 0, 1, &v->equations[0]);
    s->vkCmdSetColorWriteMaskEXT(cmd, 0, TARGETS, v->writes);
}

static VkPipelineColorBlendAttachmentState blend_of(const struct values *v, uint32_t i)
{
    const VkColorBlendEquationEXT *e = &v->equations[i];
    return (VkPipelineColorBlendAttachmentState){v->blend[i],
                                                 e->srcColorBlendFactor,
                                                 e->dstColorBlendFactor,
                                                 e->colorBlendOp,
                                                 e->srcAlphaBlendFactor,
                                                 e->dstAlphaBlendFactor,
                                                 e->alphaBlendOp,
                                                 v->writes[i]};
}

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                               {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};

static struct vkt_pipeline create_with(struct scene *s, const struct values *v, VkSampleCountFlagBits samples,
                                       VkFormat depth, const VkDynamicState *states, uint32_t count)
{
    const VkFormat formats[TARGETS] = {s->format, s->format};
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = TARGETS,
                                                     .pColorAttachmentFormats = formats,
                                                     .depthAttachmentFormat = depth};
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT,
        .stippledLineEnable = v->stipple,
        .lineStippleFactor = 3,
        .lineStipplePattern = 0x3b11};
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
        .pNext = &lines,
        .provokingVertexMode = v->provoking};
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT clip = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
        .pNext = &provoking,
        .depthClipEnable = v->clip};
    const VkPipelineViewportDepthClipControlCreateInfoEXT clip_control = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
        .negativeOneToOne = v->symmetric};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = samples,
        .pSampleMask = &v->mask,
        .alphaToCoverageEnable = v->to_coverage,
        .alphaToOneEnable = v->to_one};
    const VkPipelineColorBlendAttachmentState blends[TARGETS] = {blend_of(v, 0), blend_of(v, 1)};
    return vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(dynamic_state_vert),
                                                                  .fs = VKT_SHADER(dynamic_state_frag),
                                                                  .next = &rendering,
                                                                  .bindings = &binding,
                                                                  .binding_count = 1,
                                                                  .attributes = attributes,
                                                                  .attribute_count = 2,
                                                                  .topology = v->topology,
                                                                  .polygon_mode = v->polygon,
                                                                  .depth_clamp_enable = v->clamp,
                                                                  .rasterization_next = &clip,
                                                                  .viewport_next = &clip_control,
                                                                  .multisample = &multisample,
                                                                  .depth_test = true,
                                                                  .depth_write = true,
                                                                  .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                                                  .color_count = TARGETS,
                                                                  .blends = blends,
                                                                  .blend_constants = {0.5f, 0.25f, 1, 0.75f},
                                                                  .logic_op_enable = v->logic,
                                                                  .logic_op = VK_LOGIC_OP_XOR,
                                                                  .dynamic = states,
                                                                  .dynamic_count = count,
                                                                  .width = W,
                                                                  .height = H});
}

static struct vkt_pipeline create(struct scene *s, const struct values *v, const VkDynamicState *states, uint32_t count)
{
    return create_with(s, v, s->samples, DEPTH, states, count);
}

static void draw(VkCommandBuffer cmd, const struct vkt_pipeline *p)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    vkCmdDraw(cmd, VKT_COUNT(vertices), 1, 0, 0);
}

/* ---------------------------------------------------------------- cases */

/* Draws `count` combinations in one pass with static state, then with dynamic state. Returns a checksum. */
static uint32_t compare(struct scene *s, const struct vkt_pipeline *dynamic, const struct values *v, uint32_t count,
                        uint32_t texel_B)
{
    static uint8_t expected[TARGETS * TEXELS_B], got[TARGETS * TEXELS_B];
    struct vkt_pipeline fixed[4];
    VkCommandBuffer cmd = vkt_begin(&s->t);
    begin(s, cmd, true);
    for (uint32_t i = 0; i < count; i++) {
        fixed[i] = create(s, &v[i], NULL, 0);
        draw(cmd, &fixed[i]);
    }
    end(s, cmd, expected, texel_B);
    cmd = vkt_begin(&s->t);
    begin(s, cmd, true);
    for (uint32_t i = 0; i < count; i++) {
        set_values(s, cmd, &v[i]);
        draw(cmd, dynamic);
    }
    end(s, cmd, got, texel_B);
    assert_memory_equal(expected, got, TARGETS * W * H * texel_B);
    for (uint32_t i = 0; i < count; i++)
        vkt_pipeline_destroy(&s->t, &fixed[i]);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TARGETS * W * H * texel_B; i++)
        sum = sum * 31 + got[i];
    return sum;
}

static void run(VkFormat format, uint32_t texel_B, VkSampleCountFlagBits samples, uint32_t count, unsigned seed)
{
    struct scene s = scene_open(format, samples);
    struct vkt_pipeline dynamic = create(&s, &placeholders, all_states, VKT_COUNT(all_states));
    uint32_t last = 0, changes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct values v[3] = {random_values(&seed), random_values(&seed), random_values(&seed)};
        const uint32_t sum = compare(&s, &dynamic, v, 1 + i % 3, texel_B);
        changes += sum != last;
        last = sum;
    }
    assert_true(changes > count * 3 / 4); /* the values matter */
    vkt_pipeline_destroy(&s.t, &dynamic);
    scene_close(&s);
}

static void single_samples(void **state)
{
    run(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_SAMPLE_COUNT_1_BIT, 40, 5);
}

static void four_samples(void **state)
{
    run(VK_FORMAT_R8G8B8A8_UNORM, 4, VK_SAMPLE_COUNT_4_BIT, 24, 6);
}

/* Equations decide how often such colours are drawn, and as which words. */
static void wide_colors(void **state)
{
    run(VK_FORMAT_R16G16B16A16_SFLOAT, 8, VK_SAMPLE_COUNT_1_BIT, 24, 7);
    run(VK_FORMAT_R16G16B16A16_SFLOAT, 8, VK_SAMPLE_COUNT_4_BIT, 9, 8);
    run(VK_FORMAT_R32G32B32A32_SFLOAT, 16, VK_SAMPLE_COUNT_1_BIT, 5, 10);
}

/* Some states dynamic, the others not. */
static void parts(void **state)
{
    struct scene s = scene_open(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_4_BIT);
    unsigned seed = 9;
    for (uint32_t i = 0; i < VKT_COUNT(all_states); i++) {
        if (all_states[i] == VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT)
            continue; /* the sample mask's length then depends on it */
        const struct values v = random_values(&seed);
        static uint8_t expected[TARGETS * TEXELS_B], got[TARGETS * TEXELS_B];
        struct vkt_pipeline fixed = create(&s, &v, NULL, 0);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        begin(&s, cmd, true);
        draw(cmd, &fixed);
        end(&s, cmd, expected, 4);
        const VkDynamicState two[] = {VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT, all_states[i]};
        struct values other = v;
        other.topology = two[1] == VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY ? placeholders.topology : v.topology;
        other.polygon = two[1] == VK_DYNAMIC_STATE_POLYGON_MODE_EXT ? VK_POLYGON_MODE_POINT : v.polygon;
        other.clamp = two[1] == VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT ? !v.clamp : v.clamp;
        other.symmetric = two[1] == VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT ? !v.symmetric : v.symmetric;
        other.stipple = two[1] == VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT ? !v.stipple : v.stipple;
        other.clip = two[1] == VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT ? !v.clip : v.clip;
        other.mask = two[1] == VK_DYNAMIC_STATE_SAMPLE_MASK_EXT ? 0 : v.mask;
        other.to_coverage = two[1] == VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT ? !v.to_coverage : v.to_coverage;
        other.to_one = two[1] == VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT ? !v.to_one : v.to_one;
        other.logic = two[1] == VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT ? !v.logic : v.logic;
        other.blend[0] = two[1] == VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT ? !v.blend[0] : v.blend[0];
        if (two[1] == VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT)
            other.equations[0] = (VkColorBlendEquationEXT){0};
        other.writes[0] = two[1] == VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT ? ~v.writes[0] & 0xf : v.writes[0];
        struct vkt_pipeline dynamic = create(&s, &other, two, 2);
        cmd = vkt_begin(&s.t);
        begin(&s, cmd, true);
        set_values(&s, cmd, &v);
        draw(cmd, &dynamic);
        end(&s, cmd, got, 4);
        assert_memory_equal(expected, got, TARGETS * W * H * 4);
        vkt_pipeline_destroy(&s.t, &fixed);
        vkt_pipeline_destroy(&s.t, &dynamic);
    }
    scene_close(&s);
}

/* The pipeline's own sample count is another one. */
static void sample_counts(void **state)
{
    static uint8_t expected[TARGETS * TEXELS_B], got[TARGETS * TEXELS_B];
    unsigned seed = 11;
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-vkCmdDraw-colorAttachmentCount-06188"); /* of the static count */
    for (uint32_t i = 0; i < 6; i++) {
        struct scene s = scene_open(VK_FORMAT_R8G8B8A8_UNORM, i % 2 ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT);
        const struct values v = random_values(&seed);
        struct vkt_pipeline fixed = create_with(&s, &v, s.samples, VK_FORMAT_UNDEFINED, NULL, 0);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        begin(&s, cmd, false);
        draw(cmd, &fixed);
        end(&s, cmd, expected, 4);
        struct vkt_pipeline dynamic =
            create_with(&s, &placeholders, i % 2 ? VK_SAMPLE_COUNT_1_BIT : VK_SAMPLE_COUNT_4_BIT, VK_FORMAT_UNDEFINED,
                        all_states, VKT_COUNT(all_states));
        cmd = vkt_begin(&s.t);
        begin(&s, cmd, false);
        set_values(&s, cmd, &v);
        draw(cmd, &dynamic);
        end(&s, cmd, got, 4);
        assert_memory_equal(expected, got, TARGETS * W * H * 4);
        vkt_pipeline_destroy(&s.t, &fixed);
        vkt_pipeline_destroy(&s.t, &dynamic);
        scene_close(&s);
    }
}

/* What zink asks for and what the driver answers; nothing beyond what the cases above prove. */
static void features(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT has = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT};
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &has};
    PFN_vkGetPhysicalDeviceFeatures2KHR get =
        (PFN_vkGetPhysicalDeviceFeatures2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceFeatures2KHR");
    get(t->physical, &all);
    const VkBool32 *members = &has.extendedDynamicState3TessellationDomainOrigin;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 31; i++)
        count += members[i];
    assert_int_equal(count, 17);
    assert_true(has.extendedDynamicState3LineRasterizationMode);    /* tested by api_lines */
    assert_true(has.extendedDynamicState3TessellationDomainOrigin); /* tested by api_tessellation */
    assert_true(has.extendedDynamicState3DepthClampEnable && has.extendedDynamicState3PolygonMode &&
                has.extendedDynamicState3RasterizationSamples && has.extendedDynamicState3SampleMask &&
                has.extendedDynamicState3AlphaToCoverageEnable && has.extendedDynamicState3AlphaToOneEnable &&
                has.extendedDynamicState3LogicOpEnable && has.extendedDynamicState3ColorBlendEnable &&
                has.extendedDynamicState3ColorBlendEquation && has.extendedDynamicState3ColorWriteMask &&
                has.extendedDynamicState3DepthClipEnable && has.extendedDynamicState3ProvokingVertexMode &&
                has.extendedDynamicState3RasterizationStream && has.extendedDynamicState3DepthClipNegativeOneToOne &&
                has.extendedDynamicState3LineStippleEnable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(single_samples, vkt_check_messages),
        cmocka_unit_test_teardown(four_samples, vkt_check_messages),
        cmocka_unit_test_teardown(wide_colors, vkt_check_messages),
        cmocka_unit_test_teardown(parts, vkt_check_messages),
        cmocka_unit_test_teardown(sample_counts, vkt_check_messages),
        cmocka_unit_test_teardown(features, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
