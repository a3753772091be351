/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_shader_object: shaders that are bound without a pipeline draw what pipelines draw that have the same state,
 * for random combinations of all state; shaders made from binaries draw the same as those made from SPIR-V; damaged
 * binaries are incompatible; pipelines and shaders alternate in a pass; the reference draws the same picture.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "dynamic_state.frag.h"
#include "dynamic_state.vert.h"
#include "geometry.frag.h"
#include "geometry.vert.h"
#include "geometry_triangles.geom.h"
#include "library.frag.h"
#include "library.vert.h"
#include "push.frag.h"
#include "push.vert.h"
#include "push_sum.comp.h"

enum { W = 40, H = 36, TARGETS = 2 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D24_UNORM_S8_UINT

/* What a device with this extension alone has. */
#define COMMANDS(X)                                                                                                    \
    X(vkCreateShadersEXT)                                                                                              \
    X(vkDestroyShaderEXT)                                                                                              \
    X(vkGetShaderBinaryDataEXT)                                                                                        \
    X(vkCmdBindShadersEXT)                                                                                             \
    X(vkCmdBeginRenderingKHR)                                                                                          \
    X(vkCmdEndRenderingKHR)                                                                                            \
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
    X(vkCmdSetVertexInputEXT)                                                                                          \
    X(vkCmdSetRasterizerDiscardEnableEXT)                                                                              \
    X(vkCmdSetDepthBiasEnableEXT)                                                                                      \
    X(vkCmdSetLogicOpEXT)                                                                                              \
    X(vkCmdSetPrimitiveRestartEnableEXT)                                                                               \
    X(vkCmdSetDepthClampEnableEXT)                                                                                     \
    X(vkCmdSetPolygonModeEXT)                                                                                          \
    X(vkCmdSetRasterizationSamplesEXT)                                                                                 \
    X(vkCmdSetSampleMaskEXT)                                                                                           \
    X(vkCmdSetAlphaToCoverageEnableEXT)                                                                                \
    X(vkCmdSetAlphaToOneEnableEXT)                                                                                     \
    X(vkCmdSetLogicOpEnableEXT)                                                                                        \
    X(vkCmdSetColorBlendEnableEXT)                                                                                     \
    X(vkCmdSetColorBlendEquationEXT)                                                                                   \
    X(vkCmdSetColorWriteMaskEXT)

/* What it has with line rasterisation. */
#define LINE_COMMANDS(X)                                                                                               \
    X(vkCmdSetLineRasterizationModeEXT)                                                                                \
    X(vkCmdSetLineStippleEnableEXT)                                                                                    \
    X(vkCmdSetLineStippleEXT)

struct scene {
    struct vkt t;
    bool has_shaders; /* the reference may not have them */
    bool has_lines;   /* line rasterisation is enabled: on the tested device */
    VkSampleCountFlagBits samples;
    uint32_t width, height, target_count;
    struct vkt_image colors[TARGETS], resolves[TARGETS], depth;
    struct vkt_buffer vertices;
#define X(name) PFN_##name name;
    COMMANDS(X)
    LINE_COMMANDS(X)
#undef X
};

/* ---------------------------------------------------------------- scenes */

struct vertex {
    float position[4], color[4];
};

static const struct vertex vertices[] = {
    {{-0.9f, -0.9f, 0.3f, 1}, {1, 0, 0, 0.2f}},      {{0.8f, -0.7f, 0.3f, 1}, {0, 1, 0, 0.9f}},
    {{-0.6f, 0.7f, 0.7f, 1}, {0, 0, 1, 0.5f}},       {{0.9f, 0.9f, 0.5f, 1}, {1, 1, 0, 1}},
    {{-0.9f, 0.2f, 0.5f, 1}, {0, 1, 1, 0.4f}},       {{0.1f, -0.95f, 0.9f, 1}, {1, 0, 1, 0.7f}},
    {{0.95f, 0.1f, -0.6f, 1}, {1, 1, 1, 0.3f}},      {{-0.2f, 0.95f, 1.6f, 1}, {0.5f, 0.5f, 0.5f, 0.6f}},
    {{-0.8f, -0.5f, 0.4f, 1}, {0.25f, 0, 0.75f, 1}},
};

static struct vkt open_device(const struct vkt *from, bool has_shaders, bool has_lines)
{
    static const char *const extensions[] = {
        VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME, VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
        VK_EXT_SHADER_OBJECT_EXTENSION_NAME, VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME};
    VkPhysicalDeviceLineRasterizationFeaturesEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LINE_RASTERIZATION_FEATURES_EXT,
        .rectangularLines = VK_TRUE,
        .stippledRectangularLines = VK_TRUE};
    VkPhysicalDeviceDynamicRenderingFeatures rendering = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES,
        .pNext = has_lines ? &lines : NULL,
        .dynamicRendering = VK_TRUE};
    VkPhysicalDeviceShaderObjectFeaturesEXT shaders = {.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                       .pNext = &rendering,
                                                       .shaderObject = VK_TRUE};
    return vkt_device_create_chain(from, extensions,
                                   has_lines     ? 4
                                   : has_shaders ? 3
                                                 : 2,
                                   has_shaders ? (void *)&shaders : (void *)&rendering);
}

static struct vkt_image image_create(struct scene *s, VkFormat format, VkSampleCountFlagBits samples)
{
    const VkImageUsageFlags usage =
        format == DEPTH ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    return vkt_image_create(&s->t, &(struct vkt_image_info){.format = format,
                                                            .width = s->width,
                                                            .height = s->height,
                                                            .samples = samples,
                                                            .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
}

static struct scene scene_open_with(const struct vkt *from, uint32_t target_count, VkSampleCountFlagBits samples,
                                    bool has_lines)
{
    const bool has_shaders = vkt_has_extension(from, VK_EXT_SHADER_OBJECT_EXTENSION_NAME);
    struct scene s = {.t = open_device(from, has_shaders, has_lines),
                      .has_shaders = has_shaders,
                      .has_lines = has_lines,
                      .samples = samples,
                      .width = W,
                      .height = H,
                      .target_count = target_count};
    for (uint32_t i = 0; i < target_count; i++) {
        s.colors[i] = image_create(&s, COLOR, samples);
        if (samples > 1)
            s.resolves[i] = image_create(&s, COLOR, VK_SAMPLE_COUNT_1_BIT);
    }
    s.depth = image_create(&s, DEPTH, samples);
    s.vertices = vkt_buffer_create(&s.t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
#define X(name) s.name = (PFN_##name)vkGetDeviceProcAddr(s.t.device, #name);
    COMMANDS(X)
    LINE_COMMANDS(X)
#undef X
    return s;
}

static struct scene scene_open(const struct vkt *from, uint32_t target_count, VkSampleCountFlagBits samples)
{
    return scene_open_with(from, target_count, samples, false);
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < s->target_count; i++) {
        vkt_image_destroy(&s->t, &s->colors[i]);
        if (s->samples > 1)
            vkt_image_destroy(&s->t, &s->resolves[i]);
    }
    vkt_image_destroy(&s->t, &s->depth);
    vkt_buffer_destroy(&s->t, &s->vertices);
    vkt_device_close(&s->t);
}

static void begin_as(struct scene *s, VkCommandBuffer cmd, VkRenderingFlags flags)
{
    VkRenderingAttachmentInfo colors[TARGETS];
    for (uint32_t i = 0; i < s->target_count; i++) {
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
                                             .clearValue.depthStencil = {1, 3}};
    s->vkCmdBeginRenderingKHR(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                      .flags = flags,
                                                      .renderArea = {{0, 0}, {s->width, s->height}},
                                                      .layerCount = 1,
                                                      .colorAttachmentCount = s->target_count,
                                                      .pColorAttachments = colors,
                                                      .pDepthAttachment = &depth,
                                                      .pStencilAttachment = &depth});
}

static VkCommandBuffer begin(struct scene *s)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    begin_as(s, cmd, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
    return cmd;
}

#define TEXELS_B (W * H * 4)

static void end(struct scene *s, VkCommandBuffer cmd, uint8_t *texels)
{
    const struct vkt_image *images = s->samples > 1 ? s->resolves : s->colors;
    s->vkCmdEndRenderingKHR(cmd);
    for (uint32_t i = 0; i < s->target_count; i++)
        vkt_image_barrier(cmd, &images[i], VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&s->t, cmd);
    for (uint32_t i = 0; i < s->target_count; i++)
        vkt_read_image(&s->t, &images[i], 0, 0, texels + i * TEXELS_B, TEXELS_B);
}

/* ---------------------------------------------------------------- shaders */

struct shader_info {
    struct vkt_shader code;
    const VkDescriptorSetLayout *sets;
    uint32_t set_count, push_B;
    const VkSpecializationInfo *spec;
};

static VkShaderStageFlags next_stages(VkShaderStageFlagBits stage)
{
    return stage == VK_SHADER_STAGE_VERTEX_BIT     ? VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_GEOMETRY_BIT
           : stage == VK_SHADER_STAGE_GEOMETRY_BIT ? VK_SHADER_STAGE_FRAGMENT_BIT
                                                   : 0;
}

static VkShaderCreateInfoEXT create_info(VkShaderStageFlagBits stage, const struct shader_info *info,
                                         const VkPushConstantRange *push)
{
    return (VkShaderCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                   .stage = stage,
                                   .nextStage = next_stages(stage),
                                   .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                   .codeSize = info->code.size_B,
                                   .pCode = info->code.words,
                                   .pName = "main",
                                   .setLayoutCount = info->set_count,
                                   .pSetLayouts = info->sets,
                                   .pushConstantRangeCount = info->push_B ? 1 : 0,
                                   .pPushConstantRanges = push,
                                   .pSpecializationInfo = info->spec};
}

static VkShaderEXT shader_create(struct scene *s, VkShaderStageFlagBits stage, const struct shader_info *info)
{
    const VkPushConstantRange push = {stage == VK_SHADER_STAGE_COMPUTE_BIT
                                          ? VK_SHADER_STAGE_COMPUTE_BIT
                                          : VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
                                      0, info->push_B};
    const VkShaderCreateInfoEXT create = create_info(stage, info, &push);
    VkShaderEXT shader;
    vkt_ok(s->vkCreateShadersEXT(s->t.device, 1, &create, NULL, &shader));
    return shader;
}

/* The same shader, made from its binary. */
static VkShaderEXT shader_again(struct scene *s, VkShaderStageFlagBits stage, const struct shader_info *info,
                                VkShaderEXT from)
{
    size_t size_B = 0, again_B = 0;
    vkt_ok(s->vkGetShaderBinaryDataEXT(s->t.device, from, &size_B, NULL));
    void *binary = aligned_alloc(16, (size_B + 15) / 16 * 16), *again = aligned_alloc(16, (size_B + 15) / 16 * 16);
    vkt_ok(s->vkGetShaderBinaryDataEXT(s->t.device, from, &size_B, binary));
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, info->push_B};
    VkShaderCreateInfoEXT create = create_info(stage, info, &push);
    create.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    create.codeSize = size_B;
    create.pCode = binary;
    VkShaderEXT shader;
    vkt_ok(s->vkCreateShadersEXT(s->t.device, 1, &create, NULL, &shader));
    vkt_ok(s->vkGetShaderBinaryDataEXT(s->t.device, shader, &again_B, NULL));
    assert_int_equal(again_B, size_B);
    vkt_ok(s->vkGetShaderBinaryDataEXT(s->t.device, shader, &again_B, again));
    assert_memory_equal(binary, again, size_B);
    free(binary);
    free(again);
    return shader;
}

struct pair {
    VkShaderEXT vertex, fragment;
};

static struct pair pair_create(struct scene *s, const struct shader_info *vertex, const struct shader_info *fragment)
{
    return (struct pair){shader_create(s, VK_SHADER_STAGE_VERTEX_BIT, vertex),
                         shader_create(s, VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
}

/* Created by one call, to be used together only. */
static struct pair pair_create_linked(struct scene *s, const struct shader_info *vertex,
                                      const struct shader_info *fragment)
{
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, vertex->push_B};
    VkShaderCreateInfoEXT infos[] = {create_info(VK_SHADER_STAGE_VERTEX_BIT, vertex, &push),
                                     create_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, &push)};
    VkShaderEXT shaders[2];
    infos[0].flags = infos[1].flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
    infos[0].nextStage = VK_SHADER_STAGE_FRAGMENT_BIT;
    vkt_ok(s->vkCreateShadersEXT(s->t.device, 2, infos, NULL, shaders));
    return (struct pair){shaders[0], shaders[1]};
}

static void pair_destroy(struct scene *s, const struct pair *p)
{
    s->vkDestroyShaderEXT(s->t.device, p->vertex, NULL);
    s->vkDestroyShaderEXT(s->t.device, p->fragment, NULL);
}

/* With the stages that the device has besides, which must be bound to nothing. */
static void bind(struct scene *s, VkCommandBuffer cmd, const struct pair *p)
{
    VkShaderStageFlagBits stages[5] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    const VkShaderEXT shaders[5] = {p->vertex, p->fragment};
    VkPhysicalDeviceFeatures has;
    uint32_t count = 2;
    vkGetPhysicalDeviceFeatures(s->t.physical, &has);
    if (has.geometryShader)
        stages[count++] = VK_SHADER_STAGE_GEOMETRY_BIT;
    if (has.tessellationShader) {
        stages[count++] = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT;
        stages[count++] = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    }
    s->vkCmdBindShadersEXT(cmd, count, stages, shaders);
}

/* ---------------------------------------------------------------- values */

struct values {
    VkPrimitiveTopology topology;
    VkPolygonMode polygon;
    VkCullModeFlags cull;
    VkFrontFace front;
    VkBool32 restart, discard, bias, clamp, logic, to_coverage, to_one;
    VkBool32 depth_test, depth_write, stencil_test;
    VkCompareOp depth_compare;
    VkStencilOpState stencil;
    VkLogicOp logic_op;
    VkSampleMask mask;
    VkBool32 blend[TARGETS];
    VkColorBlendEquationEXT equations[TARGETS];
    VkColorComponentFlags writes[TARGETS];
    uint32_t stipple_factor; /* of lines; 0: none */
};

#define PATTERN 0x1c35
#define LINE_MODE(v)                                                                                                   \
    ((v)->stipple_factor ? VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT : VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT)

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
    v.cull = next_random(seed, 2) ? VK_CULL_MODE_NONE : next_random(seed, 3);
    v.front = (VkFrontFace)next_random(seed, 2);
    v.discard = next_random(seed, 8) == 0;
    v.bias = next_random(seed, 3) == 0;
    v.clamp = next_random(seed, 2);
    v.logic = next_random(seed, 4) == 0;
    v.logic_op = (VkLogicOp)next_random(seed, 16);
    v.to_coverage = next_random(seed, 3) == 0;
    v.to_one = next_random(seed, 3) == 0;
    v.depth_test = next_random(seed, 2);
    v.depth_write = next_random(seed, 2);
    v.depth_compare = (VkCompareOp)next_random(seed, 8);
    v.stencil_test = next_random(seed, 2);
    v.stencil = (VkStencilOpState){.failOp = (VkStencilOp)next_random(seed, 8),
                                   .passOp = (VkStencilOp)next_random(seed, 8),
                                   .depthFailOp = (VkStencilOp)next_random(seed, 8),
                                   .compareOp = (VkCompareOp)next_random(seed, 8),
                                   .compareMask = 0xff,
                                   .writeMask = next_random(seed, 2) ? 0xff : 0x5,
                                   .reference = next_random(seed, 8)};
    v.mask = next_random(seed, 2) ? UINT32_MAX : 1 + next_random(seed, 15);
    for (uint32_t i = 0; i < TARGETS; i++) {
        v.blend[i] = next_random(seed, 2);
        v.equations[i] =
            (VkColorBlendEquationEXT){random_factor(seed), random_factor(seed), (VkBlendOp)next_random(seed, 5),
                                      random_factor(seed), random_factor(seed), (VkBlendOp)next_random(seed, 5)};
        v.writes[i] = next_random(seed, 2) ? 0xf : next_random(seed, 16);
    }
    v.stipple_factor = next_random(seed, 4);
    return v;
}

/* What is drawn with plainly. */
static const struct values plain = {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                    .depth_test = VK_TRUE,
                                    .depth_write = VK_TRUE,
                                    .depth_compare = VK_COMPARE_OP_LESS_OR_EQUAL,
                                    .mask = UINT32_MAX,
                                    .writes = {0xf, 0xf}};

static const float constants[4] = {0.5f, 0.25f, 1, 0.75f};

static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                               {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};

static void set_input(struct scene *s, VkCommandBuffer cmd)
{
    const VkVertexInputBindingDescription2EXT binding2 = {.sType =
                                                              VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                          .stride = binding.stride,
                                                          .inputRate = binding.inputRate,
                                                          .divisor = 1};
    VkVertexInputAttributeDescription2EXT attributes2[VKT_COUNT(attributes)];
    for (uint32_t i = 0; i < VKT_COUNT(attributes); i++)
        attributes2[i] =
            (VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    .location = attributes[i].location,
                                                    .format = attributes[i].format,
                                                    .offset = attributes[i].offset};
    s->vkCmdSetVertexInputEXT(cmd, 1, &binding2, VKT_COUNT(attributes), attributes2);
}

static void set_depth_stencil(struct scene *s, VkCommandBuffer cmd, const struct values *v)
{
    const VkStencilOpState *op = &v->stencil;
    s->vkCmdSetDepthTestEnableEXT(cmd, v->depth_test);
    s->vkCmdSetDepthWriteEnableEXT(cmd, v->depth_write);
    s->vkCmdSetDepthCompareOpEXT(cmd, v->depth_compare);
    s->vkCmdSetDepthBoundsTestEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetStencilTestEnableEXT(cmd, v->stencil_test);
    s->vkCmdSetStencilOpEXT(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, op->failOp, op->passOp, op->depthFailOp,
                            op->compareOp);
    vkCmdSetStencilCompareMask(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, op->compareMask);
    vkCmdSetStencilWriteMask(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, op->writeMask);
    vkCmdSetStencilReference(cmd, VK_STENCIL_FACE_FRONT_AND_BACK, op->reference);
}

static void set_values(struct scene *s, VkCommandBuffer cmd, const struct values *v)
{
    s->vkCmdSetViewportWithCountEXT(cmd, 1, &(VkViewport){0, 0, (float)s->width, (float)s->height, 0, 1});
    s->vkCmdSetScissorWithCountEXT(cmd, 1, &(VkRect2D){{0, 0}, {s->width, s->height}});
    set_input(s, cmd);
    s->vkCmdSetPrimitiveTopologyEXT(cmd, v->topology);
    s->vkCmdSetPrimitiveRestartEnableEXT(cmd, v->restart);
    s->vkCmdSetRasterizerDiscardEnableEXT(cmd, v->discard);
    s->vkCmdSetPolygonModeEXT(cmd, v->polygon);
    s->vkCmdSetCullModeEXT(cmd, v->cull);
    s->vkCmdSetFrontFaceEXT(cmd, v->front);
    s->vkCmdSetDepthClampEnableEXT(cmd, v->clamp);
    s->vkCmdSetDepthBiasEnableEXT(cmd, v->bias);
    vkCmdSetDepthBias(cmd, 4, 0, -1);
    vkCmdSetLineWidth(cmd, 1);
    if (s->has_lines) {
        s->vkCmdSetLineRasterizationModeEXT(cmd, LINE_MODE(v));
        s->vkCmdSetLineStippleEnableEXT(cmd, v->stipple_factor != 0);
        s->vkCmdSetLineStippleEXT(cmd, v->stipple_factor ? v->stipple_factor : 1, PATTERN);
    }
    s->vkCmdSetRasterizationSamplesEXT(cmd, s->samples);
    s->vkCmdSetSampleMaskEXT(cmd, s->samples, &v->mask);
    s->vkCmdSetAlphaToCoverageEnableEXT(cmd, v->to_coverage);
    s->vkCmdSetAlphaToOneEnableEXT(cmd, v->to_one);
    set_depth_stencil(s, cmd, v);
    s->vkCmdSetLogicOpEnableEXT(cmd, v->logic);
    s->vkCmdSetLogicOpEXT(cmd, v->logic_op);
    s->vkCmdSetColorBlendEnableEXT(cmd, 0, TARGETS, v->blend);
    s->vkCmdSetColorBlendEquationEXT(cmd, 0, TARGETS, v->equations);
    s->vkCmdSetColorWriteMaskEXT(cmd, 0, TARGETS, v->writes);
    vkCmdSetBlendConstants(cmd, constants);
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

static const VkFormat formats[TARGETS] = {COLOR, COLOR};

/* `geometry`: may be NULL. */
static struct vkt_pipeline pipeline_create_of(struct scene *s, const struct values *v, const struct shader_info *vertex,
                                              const struct shader_info *geometry, const struct shader_info *fragment)
{
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = s->target_count,
                                                     .pColorAttachmentFormats = formats,
                                                     .depthAttachmentFormat = DEPTH,
                                                     .stencilAttachmentFormat = DEPTH};
    const VkPipelineMultisampleStateCreateInfo multisample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = s->samples,
        .pSampleMask = &v->mask,
        .alphaToCoverageEnable = v->to_coverage,
        .alphaToOneEnable = v->to_one};
    const VkPipelineColorBlendAttachmentState blends[TARGETS] = {blend_of(v, 0), blend_of(v, 1)};
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = LINE_MODE(v),
        .stippledLineEnable = v->stipple_factor != 0,
        .lineStippleFactor = v->stipple_factor ? v->stipple_factor : 1,
        .lineStipplePattern = PATTERN};
    struct vkt_pipeline_info info = {.vs = vertex->code,
                                     .fs = fragment->code,
                                     .next = &rendering,
                                     .bindings = &binding,
                                     .binding_count = 1,
                                     .attributes = attributes,
                                     .attribute_count = 2,
                                     .topology = v->topology,
                                     .primitive_restart = v->restart,
                                     .rasterizer_discard = v->discard,
                                     .polygon_mode = v->polygon,
                                     .cull = v->cull,
                                     .front_face = v->front,
                                     .depth_clamp_enable = v->clamp,
                                     .depth_bias_enable = v->bias,
                                     .depth_bias = {4, 0, -1},
                                     .multisample = &multisample,
                                     .depth_test = v->depth_test,
                                     .depth_write = v->depth_write,
                                     .depth_compare = v->depth_compare,
                                     .stencil_test = v->stencil_test,
                                     .stencil = v->stencil,
                                     .color_count = s->target_count,
                                     .blends = blends,
                                     .logic_op_enable = v->logic,
                                     .logic_op = v->logic_op,
                                     .rasterization_next = s->has_lines ? &lines : NULL,
                                     .set_layout_count = vertex->set_count,
                                     .push_size_B = vertex->push_B,
                                     .fs_spec = fragment->spec,
                                     .width = s->width,
                                     .height = s->height};
    if (geometry)
        info.gs = geometry->code;
    memcpy(info.blend_constants, constants, sizeof constants);
    for (uint32_t i = 0; i < vertex->set_count; i++)
        info.set_layouts[i] = vertex->sets[i];
    return vkt_pipeline_create(&s->t, &info);
}

static struct vkt_pipeline pipeline_create(struct scene *s, const struct values *v, const struct shader_info *vertex,
                                           const struct shader_info *fragment)
{
    return pipeline_create_of(s, v, vertex, NULL, fragment);
}

static const struct shader_info dynamic_vertex = {.code = {dynamic_state_vert, sizeof dynamic_state_vert}};
static const struct shader_info dynamic_fragment = {.code = {dynamic_state_frag, sizeof dynamic_state_frag}};

static void draw(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, VKT_COUNT(vertices), 1, 0, 0);
}

/* ---------------------------------------------------------------- state */

/* Draws `count` combinations in one pass with pipelines, then with shaders. Returns a checksum. */
static uint32_t compare(struct scene *s, const struct pair *shaders, const struct values *v, uint32_t count)
{
    static uint8_t expected[TARGETS * TEXELS_B], got[TARGETS * TEXELS_B];
    struct vkt_pipeline fixed[4];
    VkCommandBuffer cmd = begin(s);
    for (uint32_t i = 0; i < count; i++) {
        fixed[i] = (struct vkt_pipeline){VK_NULL_HANDLE};
        if (v[i].discard) /* no pipeline is needed to draw nothing, and layers have their own ideas of such */
            continue;
        fixed[i] = pipeline_create(s, &v[i], &dynamic_vertex, &dynamic_fragment);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, fixed[i].pipeline);
        draw(cmd);
    }
    end(s, cmd, expected);
    cmd = begin(s);
    bind(s, cmd, shaders);
    for (uint32_t i = 0; i < count; i++) {
        set_values(s, cmd, &v[i]);
        draw(cmd);
    }
    end(s, cmd, got);
    assert_memory_equal(expected, got, TARGETS * TEXELS_B);
    for (uint32_t i = 0; i < count; i++)
        vkt_pipeline_destroy(&s->t, &fixed[i]);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < TARGETS * TEXELS_B; i++)
        sum = sum * 31 + got[i];
    return sum;
}

static void run(VkSampleCountFlagBits samples, uint32_t count, unsigned seed)
{
    struct scene s = scene_open_with(vkt_device(VKT_TESTED), TARGETS, samples, true);
    struct pair shaders = pair_create(&s, &dynamic_vertex, &dynamic_fragment);
    uint32_t last = 0, changes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct values v[3] = {random_values(&seed), random_values(&seed), random_values(&seed)};
        const uint32_t sum = compare(&s, &shaders, v, 1 + i % 3);
        changes += sum != last;
        last = sum;
    }
    assert_true(changes > count / 2); /* the values matter */
    pair_destroy(&s, &shaders);
    scene_close(&s);
}

static void single_samples(void **state)
{
    run(VK_SAMPLE_COUNT_1_BIT, 40, 15);
}

static void four_samples(void **state)
{
    run(VK_SAMPLE_COUNT_4_BIT, 24, 16);
}

/* All state commands are there without the extensions that they come from. */
static void commands(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
#define X(name) assert_non_null(s.name);
    COMMANDS(X)
#undef X
    assert_null(vkGetDeviceProcAddr(s.t.device, "vkCmdSetColorWriteEnableEXT"));
    scene_close(&s);
}

/* ---------------------------------------------------------------- resources */

struct resources {
    struct vkt_buffer offset, tint;
    VkDescriptorSetLayout sets[2];
    VkDescriptorSet bound[2];
    VkPipelineLayout layout;
    VkSpecializationMapEntry entry;
    float scale;
    VkSpecializationInfo spec;
    struct shader_info vertex, fragment;
};

static void resources_create(struct scene *s, struct resources *r)
{
    const float offset[4] = {0.1f, -0.1f, 0, 0}, tint[4] = {0.5f, 1, 0.75f, 1};
    r->offset = vkt_buffer_create(&s->t, sizeof offset, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, offset);
    r->tint = vkt_buffer_create(&s->t, sizeof tint, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, tint);
    for (uint32_t i = 0; i < 2; i++) {
        const VkShaderStageFlags stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
        r->sets[i] =
            vkt_set_layout_create(&s->t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, stage, 1}, 1);
        r->bound[i] = vkt_set_alloc(&s->t, r->sets[i]);
        vkt_set_buffer(&s->t, r->bound[i], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, i ? r->tint.buffer : r->offset.buffer,
                       0, 16);
    }
    vkt_ok(vkCreatePipelineLayout(s->t.device,
                                  &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                                .setLayoutCount = 2,
                                                                .pSetLayouts = r->sets},
                                  NULL, &r->layout));
    r->scale = 0.75f;
    r->entry = (VkSpecializationMapEntry){0, 0, sizeof r->scale};
    r->spec = (VkSpecializationInfo){1, &r->entry, sizeof r->scale, &r->scale};
    r->vertex = (struct shader_info){VKT_SHADER(library_vert), r->sets, 2, 0, NULL};
    r->fragment = (struct shader_info){VKT_SHADER(library_frag), r->sets, 2, 0, &r->spec};
}

static void resources_destroy(struct scene *s, struct resources *r)
{
    vkDestroyPipelineLayout(s->t.device, r->layout, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyDescriptorSetLayout(s->t.device, r->sets[i], NULL);
    vkt_buffer_destroy(&s->t, &r->offset);
    vkt_buffer_destroy(&s->t, &r->tint);
}

static void bind_sets(VkCommandBuffer cmd, const struct resources *r)
{
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, r->layout, 0, 2, r->bound, 0, NULL);
}

/* Not the last triangle: lavapipe does not clip it if the shaders are bound without a pipeline. */
static void draw_two(VkCommandBuffer cmd)
{
    vkCmdDraw(cmd, 6, 1, 0, 0);
}

static void draw_resources(struct scene *s, const struct resources *r, const struct pair *shaders, uint8_t *texels)
{
    VkCommandBuffer cmd = begin(s);
    bind(s, cmd, shaders);
    bind_sets(cmd, r);
    set_values(s, cmd, &plain);
    draw_two(cmd);
    end(s, cmd, texels);
}

static void picture(struct vkt *t, struct vkt_picture *out)
{
    struct scene s = scene_open(t, 1, VK_SAMPLE_COUNT_1_BIT);
    struct resources r;
    struct pair shaders = {VK_NULL_HANDLE};
    struct vkt_pipeline pipeline = {VK_NULL_HANDLE};
    resources_create(&s, &r);
    *out = (struct vkt_picture){W, H, malloc(TEXELS_B)};
    if (s.has_shaders) {
        shaders = pair_create(&s, &r.vertex, &r.fragment);
        draw_resources(&s, &r, &shaders, out->rgba);
        pair_destroy(&s, &shaders);
    } else {
        pipeline = pipeline_create(&s, &plain, &r.vertex, &r.fragment);
        VkCommandBuffer cmd = begin(&s);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
        bind_sets(cmd, &r);
        draw_two(cmd);
        end(&s, cmd, out->rgba);
        vkt_pipeline_destroy(&s.t, &pipeline);
    }
    resources_destroy(&s, &r);
    scene_close(&s);
}

/* Sets, specialisation constants, and a depth test, against the reference. */
static void reference(void **state)
{
    vkt_compare_with_reference("shader_object", picture, (struct vkt_tolerance){3, 40});
}

/* Shaders made from binaries, linked shaders, and a pipeline draw the same. */
static void binaries(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    struct resources r;
    resources_create(&s, &r);
    struct pair first = pair_create(&s, &r.vertex, &r.fragment);
    draw_resources(&s, &r, &first, expected);
    struct pair linked = pair_create_linked(&s, &r.vertex, &r.fragment);
    draw_resources(&s, &r, &linked, got);
    assert_memory_equal(expected, got, sizeof got);
    const struct pair again = {shader_again(&s, VK_SHADER_STAGE_VERTEX_BIT, &r.vertex, first.vertex),
                               shader_again(&s, VK_SHADER_STAGE_FRAGMENT_BIT, &r.fragment, first.fragment)};
    pair_destroy(&s, &first);
    draw_resources(&s, &r, &again, got);
    assert_memory_equal(expected, got, sizeof got);
    pair_destroy(&s, &linked);
    draw_resources(&s, &r, &again, got);
    assert_memory_equal(expected, got, sizeof got);
    pair_destroy(&s, &again);
    resources_destroy(&s, &r);
    scene_close(&s);
}

static void expect_incompatible(struct scene *s, const VkShaderCreateInfoEXT *info)
{
    VkShaderEXT shader = (VkShaderEXT)(uintptr_t)1;
    assert_int_equal(s->vkCreateShadersEXT(s->t.device, 1, info, NULL, &shader), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    assert_true(shader == VK_NULL_HANDLE);
}

static void damaged_binaries(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    VkShaderEXT shader = shader_create(&s, VK_SHADER_STAGE_VERTEX_BIT, &dynamic_vertex);
    size_t size_B, small_B;
    vkt_ok(s.vkGetShaderBinaryDataEXT(s.t.device, shader, &size_B, NULL));
    uint8_t *binary = aligned_alloc(16, (size_B + 31) / 16 * 16);
    memset(binary, 0x5a, size_B);
    small_B = size_B - 1;
    assert_int_equal(s.vkGetShaderBinaryDataEXT(s.t.device, shader, &small_B, binary), VK_INCOMPLETE);
    assert_int_equal(small_B, 0);
    assert_int_equal(binary[0], 0x5a); /* nothing was written */
    vkt_ok(s.vkGetShaderBinaryDataEXT(s.t.device, shader, &size_B, binary));
    VkShaderCreateInfoEXT info = create_info(VK_SHADER_STAGE_VERTEX_BIT, &dynamic_vertex, NULL);
    info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    info.pCode = binary;
    for (size_t i = 0; i < size_B; i += i < 128 ? 1 : 61) {
        binary[i] ^= 0x10;
        info.codeSize = size_B;
        expect_incompatible(&s, &info);
        binary[i] ^= 0x10;
        info.codeSize = i + !i;
        expect_incompatible(&s, &info);
    }
    info.codeSize = size_B + 4;
    expect_incompatible(&s, &info);
    info.codeSize = size_B;
    info.stage = VK_SHADER_STAGE_FRAGMENT_BIT;
    info.nextStage = 0;
    expect_incompatible(&s, &info);
    /* of several, those before it are made */
    VkShaderCreateInfoEXT infos[] = {create_info(VK_SHADER_STAGE_VERTEX_BIT, &dynamic_vertex, NULL), info,
                                     create_info(VK_SHADER_STAGE_VERTEX_BIT, &dynamic_vertex, NULL)};
    VkShaderEXT shaders[3];
    assert_int_equal(s.vkCreateShadersEXT(s.t.device, 3, infos, NULL, shaders), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    assert_true(shaders[0] != VK_NULL_HANDLE && shaders[1] == VK_NULL_HANDLE);
    for (uint32_t i = 0; i < 3; i++)
        s.vkDestroyShaderEXT(s.t.device, shaders[i], NULL);
    s.vkDestroyShaderEXT(s.t.device, shader, NULL);
    free(binary);
    scene_close(&s);
}

/* ---------------------------------------------------------------- binding */

struct push {
    float color[4], rect[4], depth;
};

static const struct shader_info push_vertex = {{push_vert, sizeof push_vert}, NULL, 0, sizeof(struct push), NULL};
static const struct shader_info push_fragment = {{push_frag, sizeof push_frag}, NULL, 0, sizeof(struct push), NULL};

static void push(VkCommandBuffer cmd, VkPipelineLayout layout, const struct push *values)
{
    vkCmdPushConstants(cmd, layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof *values,
                       values);
    vkCmdDraw(cmd, 4, 1, 0, 0);
}

/* A pipeline, shaders, the same pipeline, no fragment shader (which only writes depth), shaders. */
static void alternating(void **state)
{
    static const struct push quads[] = {{{1, 0, 0, 1}, {-1, -1, 0.5f, 0.5f}, 0.5f},
                                        {{0, 1, 0, 1}, {-0.5f, -0.5f, 1, 1}, 0.4f},
                                        {{0, 0, 1, 1}, {-0.75f, 0, 0.75f, 0.25f}, 0.3f},
                                        {{1, 1, 1, 1}, {0, -1, 0.25f, 1}, 0.1f},
                                        {{1, 1, 0, 1}, {-1, 0.25f, 1, 0.75f}, 0.2f}};
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    struct values strips = plain;
    strips.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    struct values depth_only = strips;
    depth_only.writes[0] = 0;
    struct vkt_pipeline pipeline = pipeline_create(&s, &strips, &push_vertex, &push_fragment),
                        no_color = pipeline_create(&s, &depth_only, &push_vertex, &push_fragment);
    struct pair shaders = pair_create(&s, &push_vertex, &push_fragment);
    VkCommandBuffer cmd = begin(&s);
    for (uint32_t i = 0; i < VKT_COUNT(quads); i++) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, i == 3 ? no_color.pipeline : pipeline.pipeline);
        push(cmd, pipeline.layout, &quads[i]);
    }
    end(&s, cmd, expected);
    cmd = begin(&s);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    push(cmd, pipeline.layout, &quads[0]);
    bind(&s, cmd, &shaders);
    set_values(&s, cmd, &strips);
    push(cmd, pipeline.layout, &quads[1]);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    push(cmd, pipeline.layout, &quads[2]);
    s.vkCmdBindShadersEXT(cmd, 1, &(VkShaderStageFlagBits){VK_SHADER_STAGE_VERTEX_BIT}, &shaders.vertex);
    s.vkCmdBindShadersEXT(cmd, 1, &(VkShaderStageFlagBits){VK_SHADER_STAGE_FRAGMENT_BIT}, NULL);
    set_values(&s, cmd, &strips);
    push(cmd, pipeline.layout, &quads[3]);
    s.vkCmdBindShadersEXT(cmd, 1, &(VkShaderStageFlagBits){VK_SHADER_STAGE_FRAGMENT_BIT}, &shaders.fragment);
    push(cmd, pipeline.layout, &quads[4]);
    end(&s, cmd, got);
    assert_memory_equal(expected, got, sizeof got);
    vkt_pipeline_destroy(&s.t, &pipeline);
    vkt_pipeline_destroy(&s.t, &no_color);
    pair_destroy(&s, &shaders);
    scene_close(&s);
}

/* The shaders of a secondary command buffer that continues the pass. */
static void secondary(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    struct resources r;
    resources_create(&s, &r);
    struct pair shaders = pair_create(&s, &r.vertex, &r.fragment);
    draw_resources(&s, &r, &shaders, expected);
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = formats,
        .depthAttachmentFormat = DEPTH,
        .stencilAttachmentFormat = DEPTH,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = &rendering};
    VkCommandBuffer inner;
    vkt_ok(
        vkAllocateCommandBuffers(s.t.device,
                                 &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                                .commandPool = s.t.pool,
                                                                .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                                                .commandBufferCount = 1},
                                 &inner));
    vkt_ok(vkBeginCommandBuffer(inner,
                                &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                                            .pInheritanceInfo = &inherits}));
    vkCmdBindVertexBuffers(inner, 0, 1, &s.vertices.buffer, &(VkDeviceSize){0});
    bind(&s, inner, &shaders);
    bind_sets(inner, &r);
    set_values(&s, inner, &plain);
    draw_two(inner);
    vkt_ok(vkEndCommandBuffer(inner));
    VkCommandBuffer cmd = vkt_begin(&s.t);
    begin_as(&s, cmd, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(cmd, 1, &inner);
    end(&s, cmd, got);
    assert_memory_equal(expected, got, sizeof got);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &inner);
    pair_destroy(&s, &shaders);
    resources_destroy(&s, &r);
    scene_close(&s);
}

/* Strides given with the buffers, after the vertex input. */
static void strides(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), TARGETS, VK_SAMPLE_COUNT_1_BIT);
    static uint8_t expected[TARGETS * TEXELS_B], got[TARGETS * TEXELS_B];
    struct pair shaders = pair_create(&s, &dynamic_vertex, &dynamic_fragment);
    struct vkt_buffer wide = vkt_buffer_create(&s.t, 2 * sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    for (uint32_t i = 0; i < VKT_COUNT(vertices); i++)
        memcpy((struct vertex *)wide.map + 2 * i, &vertices[i], sizeof vertices[i]);
    VkCommandBuffer cmd = begin(&s);
    bind(&s, cmd, &shaders);
    set_values(&s, cmd, &plain);
    draw(cmd);
    end(&s, cmd, expected);
    cmd = begin(&s);
    bind(&s, cmd, &shaders);
    set_values(&s, cmd, &plain);
    s.vkCmdBindVertexBuffers2EXT(cmd, 0, 1, &wide.buffer, &(VkDeviceSize){0}, NULL,
                                 &(VkDeviceSize){2 * sizeof vertices[0]});
    draw(cmd);
    end(&s, cmd, got);
    assert_memory_equal(expected, got, sizeof got);
    vkt_buffer_destroy(&s.t, &wide);
    pair_destroy(&s, &shaders);
    scene_close(&s);
}

/* One vertex shader with fragment shaders that come and go, and the other way round. */
static void combinations(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    struct resources r;
    resources_create(&s, &r);
    struct pair kept = pair_create(&s, &r.vertex, &r.fragment);
    draw_resources(&s, &r, &kept, expected);
    for (uint32_t i = 0; i < 6; i++) {
        struct pair other = pair_create(&s, &r.vertex, &r.fragment);
        const struct pair pairs[] = {{kept.vertex, other.fragment}, {other.vertex, kept.fragment}, other, kept};
        for (uint32_t p = 0; p < VKT_COUNT(pairs); p++) {
            draw_resources(&s, &r, &pairs[p], got);
            assert_memory_equal(expected, got, sizeof got);
        }
        if (i % 2) {
            s.vkDestroyShaderEXT(s.t.device, kept.fragment, NULL);
            s.vkDestroyShaderEXT(s.t.device, other.vertex, NULL);
            kept.fragment = other.fragment;
        } else {
            pair_destroy(&s, &other);
        }
    }
    pair_destroy(&s, &kept);
    s.vkDestroyShaderEXT(s.t.device, VK_NULL_HANDLE, NULL);
    resources_destroy(&s, &r);
    scene_close(&s);
}

/* Three stages. */
static void geometry(void **state)
{
    static const struct shader_info vertex = {.code = {geometry_vert, sizeof geometry_vert}},
                                    triangles = {.code = {geometry_triangles_geom, sizeof geometry_triangles_geom}},
                                    fragment = {.code = {geometry_frag, sizeof geometry_frag}};
    static const VkShaderStageFlagBits stage = VK_SHADER_STAGE_GEOMETRY_BIT;
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    struct vkt_pipeline pipeline = pipeline_create_of(&s, &plain, &vertex, &triangles, &fragment);
    struct pair shaders = pair_create(&s, &vertex, &fragment);
    VkShaderEXT shader = shader_create(&s, stage, &triangles);
    VkCommandBuffer cmd = begin(&s);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    draw_two(cmd);
    end(&s, cmd, expected);
    cmd = begin(&s);
    bind(&s, cmd, &shaders);
    s.vkCmdBindShadersEXT(cmd, 1, &stage, &shader);
    set_values(&s, cmd, &plain);
    draw_two(cmd);
    end(&s, cmd, got);
    assert_memory_equal(expected, got, sizeof got);
    vkt_pipeline_destroy(&s.t, &pipeline);
    s.vkDestroyShaderEXT(s.t.device, shader, NULL);
    pair_destroy(&s, &shaders);
    scene_close(&s);
}

/* ---------------------------------------------------------------- threads */

enum { THREADS = 4 };

struct job {
    struct scene *s;
    const struct pair *shaders;
    unsigned seed;
    pthread_t thread;
};

static void *record_thread(void *argument)
{
    struct job *job = argument;
    struct scene *s = job->s;
    VkCommandPool pool;
    VkCommandBuffer cmd;
    VkResult result = vkCreateCommandPool(
        s->t.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &pool);
    if (result == VK_SUCCESS)
        result = vkAllocateCommandBuffers(
            s->t.device,
            &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                           .commandPool = pool,
                                           .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                           .commandBufferCount = 1},
            &cmd);
    if (result != VK_SUCCESS)
        return argument;
    vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO});
    begin_as(s, cmd, 0);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
    for (uint32_t i = 0; i < 24; i++) {
        const struct values v = random_values(&job->seed);
        bind(s, cmd, &job->shaders[i % 3]);
        set_values(s, cmd, &v);
        draw(cmd);
    }
    s->vkCmdEndRenderingKHR(cmd);
    result = vkEndCommandBuffer(cmd);
    vkDestroyCommandPool(s->t.device, pool, NULL);
    return result == VK_SUCCESS ? NULL : argument;
}

/* Threads that record the same combinations, which none has drawn with before. */
static void threads(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), TARGETS, VK_SAMPLE_COUNT_1_BIT);
    struct pair shaders[3];
    struct job jobs[THREADS];
    for (uint32_t i = 0; i < 3; i++)
        shaders[i] = pair_create(&s, &dynamic_vertex, &dynamic_fragment);
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){.s = &s, .shaders = shaders, .seed = 77};
        assert_int_equal(pthread_create(&jobs[i].thread, NULL, record_thread, &jobs[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(jobs[i].thread, &failed);
        assert_null(failed);
    }
    for (uint32_t i = 0; i < 3; i++)
        pair_destroy(&s, &shaders[i]);
    scene_close(&s);
}

/* ---------------------------------------------------------------- compute */

static void compute(void **state)
{
    struct scene s = scene_open(vkt_device(VKT_TESTED), 1, VK_SAMPLE_COUNT_1_BIT);
    const uint32_t words[2] = {0, 41};
    struct vkt_compute pipeline = vkt_compute_create_simple(&s.t, VKT_SHADER(push_sum_comp), 1, sizeof words, NULL);
    struct shader_info info = {VKT_SHADER(push_sum_comp), pipeline.set_layouts, 1, sizeof words, NULL};
    VkShaderEXT shaders[2] = {shader_create(&s, VK_SHADER_STAGE_COMPUTE_BIT, &info)};
    uint32_t expected[4];
    size_t size_B;
    vkt_ok(s.vkGetShaderBinaryDataEXT(s.t.device, shaders[0], &size_B, NULL));
    void *binary = aligned_alloc(16, (size_B + 15) / 16 * 16);
    vkt_ok(s.vkGetShaderBinaryDataEXT(s.t.device, shaders[0], &size_B, binary));
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof words};
    VkShaderCreateInfoEXT create = create_info(VK_SHADER_STAGE_COMPUTE_BIT, &info, &range);
    create.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    create.codeSize = size_B;
    create.pCode = binary;
    vkt_ok(s.vkCreateShadersEXT(s.t.device, 1, &create, NULL, &shaders[1]));
    for (uint32_t i = 0; i < 3; i++) { /* the pipeline, then the shaders */
        struct vkt_buffer out = vkt_storage_buffer(&s.t, 4, 0);
        VkDescriptorSet set = vkt_compute_set(&s.t, &pipeline, &out, 1);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        vkt_compute_bind(cmd, &pipeline, &set);
        if (i)
            s.vkCmdBindShadersEXT(cmd, 1, &(VkShaderStageFlagBits){VK_SHADER_STAGE_COMPUTE_BIT}, &shaders[i - 1]);
        vkCmdPushConstants(cmd, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof words, words);
        vkCmdDispatch(cmd, 1, 1, 1);
        vkt_end_submit(&s.t, cmd);
        if (!i)
            memcpy(expected, out.map, sizeof expected);
        assert_memory_equal(out.map, expected, sizeof expected);
        vkt_buffer_destroy(&s.t, &out);
    }
    assert_int_equal(expected[3], 41);
    for (uint32_t i = 0; i < 2; i++)
        s.vkDestroyShaderEXT(s.t.device, shaders[i], NULL);
    free(binary);
    vkt_compute_destroy(&s.t, &pipeline);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(commands, vkt_check_messages),
        cmocka_unit_test_teardown(single_samples, vkt_check_messages),
        cmocka_unit_test_teardown(four_samples, vkt_check_messages),
        cmocka_unit_test_teardown(reference, vkt_check_messages),
        cmocka_unit_test_teardown(binaries, vkt_check_messages),
        cmocka_unit_test_teardown(damaged_binaries, vkt_check_messages),
        cmocka_unit_test_teardown(alternating, vkt_check_messages),
        cmocka_unit_test_teardown(secondary, vkt_check_messages),
        cmocka_unit_test_teardown(strides, vkt_check_messages),
        cmocka_unit_test_teardown(combinations, vkt_check_messages),
        cmocka_unit_test_teardown(geometry, vkt_check_messages),
        cmocka_unit_test_teardown(threads, vkt_check_messages),
        cmocka_unit_test_teardown(compute, vkt_check_messages),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
