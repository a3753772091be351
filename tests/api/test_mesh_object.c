/* SPDX-License-Identifier: MIT
 *
 * Task and mesh shaders as shader objects (VK_EXT_shader_object): they draw the same as pipelines with and without a
 * task stage. The mesh shaders write all components that they may.
 */
#include <string.h>
#include "vkt.h"
#include "geometry_many.frag.h"
#include "mesh_object.mesh.h"
#include "mesh_object.task.h"
#include "mesh_object_tasks.mesh.h"

enum { W = 40, H = 36, TEXELS_B = W * H * 4 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM

/* What is not of Vulkan 1.3. */
#define COMMANDS(X)                                                                                                    \
    X(vkCreateShadersEXT)                                                                                              \
    X(vkDestroyShaderEXT)                                                                                              \
    X(vkCmdBindShadersEXT)                                                                                             \
    X(vkCmdDrawMeshTasksEXT)                                                                                           \
    X(vkCmdSetDepthClampEnableEXT)                                                                                     \
    X(vkCmdSetPolygonModeEXT)                                                                                          \
    X(vkCmdSetRasterizationSamplesEXT)                                                                                 \
    X(vkCmdSetSampleMaskEXT)                                                                                           \
    X(vkCmdSetAlphaToCoverageEnableEXT)                                                                                \
    X(vkCmdSetAlphaToOneEnableEXT)                                                                                     \
    X(vkCmdSetLogicOpEnableEXT)                                                                                        \
    X(vkCmdSetColorBlendEnableEXT)                                                                                     \
    X(vkCmdSetColorWriteMaskEXT)

struct scene {
    struct vkt t;
    struct vkt_image color;
#define X(name) PFN_##name name;
    COMMANDS(X)
#undef X
};

static struct scene scene_open(void)
{
    static const char *const extensions[] = {VK_EXT_MESH_SHADER_EXTENSION_NAME, VK_EXT_SHADER_OBJECT_EXTENSION_NAME};
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                                    .taskShader = VK_TRUE,
                                                    .meshShader = VK_TRUE};
    VkPhysicalDeviceShaderObjectFeaturesEXT shaders = {.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                       .pNext = &meshes,
                                                       .shaderObject = VK_TRUE};
    struct scene s = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, 2, &shaders)};
    s.color = vkt_image_create(
        &s.t, &(struct vkt_image_info){.format = COLOR,
                                       .width = W,
                                       .height = H,
                                       .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
#define X(name) s.name = (PFN_##name)vkGetDeviceProcAddr(s.t.device, #name);
    COMMANDS(X)
#undef X
    return s;
}

static void scene_close(struct scene *s)
{
    vkt_image_destroy(&s->t, &s->color);
    vkt_device_close(&s->t);
}

static VkCommandBuffer begin(struct scene *s)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_image_barrier(cmd, &s->color, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = s->color.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    vkCmdBeginRendering(cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                .renderArea = {{0, 0}, {W, H}},
                                                .layerCount = 1,
                                                .colorAttachmentCount = 1,
                                                .pColorAttachments = &color});
    return cmd;
}

static void end(struct scene *s, VkCommandBuffer cmd, uint8_t texels[TEXELS_B])
{
    vkCmdEndRendering(cmd);
    vkt_image_barrier(cmd, &s->color, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkt_end_submit(&s->t, cmd);
    vkt_read_image(&s->t, &s->color, 0, 0, texels, TEXELS_B);
}

/* The state that vkt_pipeline_create() gives a pipeline. */
static void set_state(struct scene *s, VkCommandBuffer cmd)
{
    const VkBool32 no = VK_FALSE;
    const VkColorComponentFlags all = 0xf;
    vkCmdSetViewportWithCount(cmd, 1, &(VkViewport){0, 0, W, H, 0, 1});
    vkCmdSetScissorWithCount(cmd, 1, &(VkRect2D){{0, 0}, {W, H}});
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    vkCmdSetCullMode(cmd, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(cmd, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetDepthBiasEnable(cmd, VK_FALSE);
    vkCmdSetDepthTestEnable(cmd, VK_FALSE);
    vkCmdSetDepthWriteEnable(cmd, VK_FALSE);
    vkCmdSetDepthBoundsTestEnable(cmd, VK_FALSE);
    vkCmdSetStencilTestEnable(cmd, VK_FALSE);
    s->vkCmdSetDepthClampEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetPolygonModeEXT(cmd, VK_POLYGON_MODE_FILL);
    s->vkCmdSetRasterizationSamplesEXT(cmd, VK_SAMPLE_COUNT_1_BIT);
    s->vkCmdSetSampleMaskEXT(cmd, VK_SAMPLE_COUNT_1_BIT, &(VkSampleMask){1});
    s->vkCmdSetAlphaToCoverageEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetAlphaToOneEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetLogicOpEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetColorBlendEnableEXT(cmd, 0, 1, &no);
    s->vkCmdSetColorWriteMaskEXT(cmd, 0, 1, &all);
}

/* ---------------------------------------------------------------- both ways */

static const struct vkt_shader task = {mesh_object_task, sizeof mesh_object_task},
                               behind_task = {mesh_object_tasks_mesh, sizeof mesh_object_tasks_mesh},
                               alone = {mesh_object_mesh, sizeof mesh_object_mesh},
                               fragment = {geometry_many_frag, sizeof geometry_many_frag};

static void draw_with_pipeline(struct scene *s, bool has_task, uint8_t texels[TEXELS_B])
{
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &(VkFormat){COLOR}};
    struct vkt_pipeline p =
        vkt_pipeline_create(&s->t, &(struct vkt_pipeline_info){.ts = has_task ? task : (struct vkt_shader){0},
                                                               .ms = has_task ? behind_task : alone,
                                                               .fs = fragment,
                                                               .next = &rendering,
                                                               .width = W,
                                                               .height = H});
    VkCommandBuffer cmd = begin(s);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    s->vkCmdDrawMeshTasksEXT(cmd, has_task ? 1 : 3, 1, 1);
    end(s, cmd, texels);
    vkt_pipeline_destroy(&s->t, &p);
}

static VkShaderEXT shader_create(struct scene *s, VkShaderStageFlagBits stage, VkShaderStageFlags next,
                                 VkShaderCreateFlagsEXT flags, const struct vkt_shader *code)
{
    VkShaderEXT shader;
    vkt_ok(s->vkCreateShadersEXT(s->t.device, 1,
                                 &(VkShaderCreateInfoEXT){.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                                          .flags = flags,
                                                          .stage = stage,
                                                          .nextStage = next,
                                                          .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                                          .codeSize = code->size_B,
                                                          .pCode = code->words,
                                                          .pName = "main"},
                                 NULL, &shader));
    return shader;
}

/* Vertex stages are bound to nothing, which a device with mesh shaders demands. */
static void draw_with_shaders(struct scene *s, bool has_task, uint8_t texels[TEXELS_B])
{
    static const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_TASK_BIT_EXT,
                                                   VK_SHADER_STAGE_MESH_BIT_EXT,
                                                   VK_SHADER_STAGE_FRAGMENT_BIT,
                                                   VK_SHADER_STAGE_VERTEX_BIT,
                                                   VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                                                   VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
                                                   VK_SHADER_STAGE_GEOMETRY_BIT};
    VkShaderEXT shaders[VKT_COUNT(stages)] = {VK_NULL_HANDLE};
    if (has_task)
        shaders[0] = shader_create(s, stages[0], VK_SHADER_STAGE_MESH_BIT_EXT, 0, &task);
    shaders[1] =
        shader_create(s, stages[1], VK_SHADER_STAGE_FRAGMENT_BIT,
                      has_task ? 0 : VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT, has_task ? &behind_task : &alone);
    shaders[2] = shader_create(s, stages[2], 0, 0, &fragment);
    VkCommandBuffer cmd = begin(s);
    s->vkCmdBindShadersEXT(cmd, VKT_COUNT(stages), stages, shaders);
    set_state(s, cmd);
    s->vkCmdDrawMeshTasksEXT(cmd, has_task ? 1 : 3, 1, 1);
    end(s, cmd, texels);
    for (uint32_t i = 0; i < 3; i++)
        s->vkDestroyShaderEXT(s->t.device, shaders[i], NULL);
}

/* Where the fragment shader misses a component, it draws in magenta. */
static void expect_triangles(const uint8_t texels[TEXELS_B])
{
    uint32_t drawn = 0;
    for (uint32_t i = 0; i < TEXELS_B; i += 4) {
        const uint8_t *p = texels + i;
        if (p[0] == 255 && !p[1] && p[2] == 255)
            fail_msg("texel %u, %u: a component is wrong", i / 4 % W, i / 4 / W);
        drawn += p[3] == 255;
    }
    assert_in_range(drawn, W * H / 10, W * H / 2);
}

static void shaders_draw_as_pipelines(void **state)
{
    struct scene s = scene_open();
    static uint8_t expected[TEXELS_B], got[TEXELS_B];
    for (uint32_t has_task = 0; has_task < 2; has_task++) {
        draw_with_pipeline(&s, has_task, expected);
        expect_triangles(expected);
        draw_with_shaders(&s, has_task, got);
        assert_memory_equal(expected, got, sizeof got);
    }
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(shaders_draw_as_pipelines, vkt_check_messages)};
    vkt_request_version(VK_API_VERSION_1_3);
    return cmocka_run_group_tests_name("mesh_object", tests, NULL, vkt_teardown);
}
