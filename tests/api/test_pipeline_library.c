/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_graphics_pipeline_library: pipelines linked from parts draw what pipelines draw that are created at once. All
 * that the parts were created from is destroyed before they are linked. Without the layer (VKT_NO_VALIDATION) the parts
 * are destroyed before the pipeline draws: Debian 12's layer (1.3.239) reads freed memory then.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "library.frag.h"
#include "library.vert.h"

enum { W = 64, H = 48 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH VK_FORMAT_D24_UNORM_S8_UINT

#define INPUT    VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT
#define VERTEX   VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT
#define FRAGMENT VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT
#define OUTPUT   VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT

static const float vertices[][8] = {{-0.8f, -0.9f, 0.2f, 1, 1, 0, 0, 1}, {0.9f, -0.5f, 0.4f, 1, 0, 1, 0, 0.5f},
                                    {-0.3f, 0.9f, 0.6f, 1, 0, 0, 1, 1},  {0.7f, 0.7f, 0.3f, 1, 1, 1, 0, 0.25f},
                                    {-0.9f, 0.5f, 0.9f, 1, 0, 1, 1, 1},  {0.4f, -0.9f, 0.1f, 1, 1, 0, 1, 0.75f}};

struct scene {
    struct vkt t;
    struct vkt_target target;
    struct vkt_buffer vertices, offset, tint;
    VkDescriptorSetLayout sets[2];
    VkDescriptorSet bound[2];
    VkPipelineLayout layout;
};

/* ---------------------------------------------------------------- scenes */

static VkPipelineLayout layout_create(struct scene *s, VkDescriptorSetLayout first, VkDescriptorSetLayout second)
{
    const bool is_part = !first || !second;
    VkPipelineLayout layout;
    vkt_ok(vkCreatePipelineLayout(
        s->t.device,
        &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .flags = is_part ? VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT : 0u,
                                      .setLayoutCount = 2,
                                      .pSetLayouts = (VkDescriptorSetLayout[]){first, second}},
        NULL, &layout));
    return layout;
}

static struct scene scene_open(void)
{
    static const char *const extensions[] = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,
                                             VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                             VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME,
                                             VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME};
    VkPhysicalDeviceDepthClipControlFeaturesEXT clip_control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_CLIP_CONTROL_FEATURES_EXT, .depthClipControl = VK_TRUE};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT libraries = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .pNext = &clip_control,
        .graphicsPipelineLibrary = VK_TRUE};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT inputs = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &libraries,
        .vertexInputDynamicState = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT dynamic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &inputs,
        .extendedDynamicState = VK_TRUE};
    struct scene s = {.t =
                          vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &dynamic)};
    const float offset[4] = {0.1f, -0.1f, 0, 0}, tint[4] = {0.5f, 1, 0.75f, 1};
    s.target = vkt_target_create(&s.t, W, H, COLOR, DEPTH);
    s.vertices = vkt_buffer_create(&s.t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    s.offset = vkt_buffer_create(&s.t, sizeof offset, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, offset);
    s.tint = vkt_buffer_create(&s.t, sizeof tint, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, tint);
    for (uint32_t i = 0; i < 2; i++) {
        const VkShaderStageFlags stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT;
        s.sets[i] = vkt_set_layout_create(&s.t, &(struct vkt_binding){VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, stage, 1}, 1);
        s.bound[i] = vkt_set_alloc(&s.t, s.sets[i]);
        vkt_set_buffer(&s.t, s.bound[i], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, i ? s.tint.buffer : s.offset.buffer, 0,
                       16);
    }
    s.layout = layout_create(&s, s.sets[0], s.sets[1]);
    return s;
}

static void scene_close(struct scene *s)
{
    vkDestroyPipelineLayout(s->t.device, s->layout, NULL);
    for (uint32_t i = 0; i < 2; i++)
        vkDestroyDescriptorSetLayout(s->t.device, s->sets[i], NULL);
    vkt_buffer_destroy(&s->t, &s->vertices);
    vkt_buffer_destroy(&s->t, &s->offset);
    vkt_buffer_destroy(&s->t, &s->tint);
    vkt_target_destroy(&s->t, &s->target);
    vkt_device_close(&s->t);
}

/* ---------------------------------------------------------------- parts */

/* What pipelines differ in. */
struct look {
    VkBool32 blends, culls, tests_depth, discards;
    VkPrimitiveTopology topology;
    float scale;        /* of both shaders */
    VkBool32 symmetric; /* clip space has depths from -w to w */
    bool is_dynamic;    /* vertex input, culling, depth test, viewport and scissor, set to what the others say */
    bool has_modules;   /* otherwise the SPIR-V is in the stage's chain */
};

static const VkViewport fixed_viewport = {4, 2, W - 8, H - 4, 0, 1};
static const VkRect2D fixed_scissor = {{0, 0}, {W - 10, H}};

static VkShaderModuleCreateInfo code_of(struct vkt_shader shader)
{
    return (VkShaderModuleCreateInfo){
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = shader.size_B, .pCode = shader.words};
}

/* Creates a pipeline or, with VK_PIPELINE_CREATE_LIBRARY_BIT_KHR, a library with these parts; further parts come from
 * the libraries. State of other parts is left out. Everything that it is created from is overwritten and freed. */
static VkResult create(struct scene *s, const struct look *look, VkGraphicsPipelineLibraryFlagsEXT parts,
                       VkPipelineCreateFlags flags, VkPipelineLayout layout, const VkPipeline *libraries,
                       uint32_t library_count, VkPipeline *out)
{
    const bool is_whole = parts == (INPUT | VERTEX | FRAGMENT | OUTPUT);
    float scale = look->scale;
    const VkSpecializationMapEntry entry = {0, 0, sizeof scale};
    const VkSpecializationInfo spec = {1, &entry, sizeof scale, &scale};
    VkShaderModuleCreateInfo code[2] = {code_of(VKT_SHADER(library_vert)), code_of(VKT_SHADER(library_frag))};
    VkPipelineShaderStageCreateInfo stages[2];
    uint32_t stage_count = 0;
    for (uint32_t i = 0; i < 2; i++) {
        if (!(parts & (i ? FRAGMENT : VERTEX)))
            continue;
        VkPipelineShaderStageCreateInfo *stage = &stages[stage_count++];
        *stage =
            (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                              .pNext = look->has_modules ? NULL : &code[i],
                                              .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
                                              .pName = "main",
                                              .pSpecializationInfo = &spec};
        if (look->has_modules)
            vkt_ok(vkCreateShaderModule(s->t.device, &code[i], NULL, &stage->module));
    }
    VkVertexInputBindingDescription binding = {0, sizeof vertices[0], VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attributes[] = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0},
                                                      {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
    VkPipelineVertexInputStateCreateInfo input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                  .vertexBindingDescriptionCount = 1,
                                                  .pVertexBindingDescriptions = &binding,
                                                  .vertexAttributeDescriptionCount = 2,
                                                  .pVertexAttributeDescriptions = attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO, .topology = look->topology};
    VkPipelineViewportDepthClipControlCreateInfoEXT clip_control = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
        .negativeOneToOne = look->symmetric};
    VkViewport viewport = fixed_viewport;
    VkRect2D scissor = fixed_scissor;
    VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                   .pNext = &clip_control,
                                                   .viewportCount = look->is_dynamic ? 0 : 1,
                                                   .pViewports = &viewport,
                                                   .scissorCount = look->is_dynamic ? 0 : 1,
                                                   .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo rasterization = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = look->discards,
        .cullMode = look->culls && !look->is_dynamic ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE,
        .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo multisample = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineDepthStencilStateCreateInfo depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = look->tests_depth && !look->is_dynamic,
                                                   .depthWriteEnable = VK_TRUE,
                                                   .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState blend = {look->blends,
                                                 VK_BLEND_FACTOR_SRC_ALPHA,
                                                 VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                 VK_BLEND_OP_ADD,
                                                 VK_BLEND_FACTOR_ONE,
                                                 VK_BLEND_FACTOR_ZERO,
                                                 VK_BLEND_OP_ADD,
                                                 0xf};
    VkPipelineColorBlendStateCreateInfo colors = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                  .attachmentCount = 1,
                                                  .pAttachments = &blend};
    /* The same list for all parts: each takes what is its own. */
    VkDynamicState states[] = {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, VK_DYNAMIC_STATE_CULL_MODE,
                               VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
                               VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT};
    VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = look->is_dynamic ? VKT_COUNT(states) : 0,
                                                .pDynamicStates = states};
    const VkPipelineLibraryCreateInfoKHR linked = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                   .libraryCount = library_count,
                                                   .pLibraries = libraries};
    const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
        .pNext = library_count ? (void *)&linked : NULL,
        .flags = parts};
    const bool is_drawn = parts & (VERTEX | FRAGMENT | OUTPUT);
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = is_whole ? NULL
                 : parts  ? (const void *)&library
                          : &linked,
        .flags = flags,
        .stageCount = stage_count,
        .pStages = stages,
        .pVertexInputState = parts & INPUT ? &input : NULL,
        .pInputAssemblyState = parts & INPUT ? &assembly : NULL,
        .pViewportState = parts & VERTEX ? &viewports : NULL,
        .pRasterizationState = parts & VERTEX ? &rasterization : NULL,
        .pMultisampleState = parts & (FRAGMENT | OUTPUT) ? &multisample : NULL,
        .pDepthStencilState = parts & FRAGMENT ? &depth : NULL,
        .pColorBlendState = parts & OUTPUT ? &colors : NULL,
        .pDynamicState = &dynamic,
        .layout = layout,
        .renderPass = is_drawn ? s->target.pass : VK_NULL_HANDLE,
    };
    VkResult result = vkCreateGraphicsPipelines(s->t.device, VK_NULL_HANDLE, 1, &info, NULL, out);
    for (uint32_t i = 0; i < stage_count && look->has_modules; i++)
        vkDestroyShaderModule(s->t.device, stages[i].module, NULL);
    memset(&binding, 0xff, sizeof binding);
    memset(attributes, 0xff, sizeof attributes);
    memset(&clip_control, 0xff, sizeof clip_control);
    memset(&viewport, 0xff, sizeof viewport);
    memset(&scissor, 0xff, sizeof scissor);
    memset(&blend, 0xff, sizeof blend);
    memset(states, 0xff, sizeof states);
    scale = -7;
    return result;
}

static VkPipeline create_part(struct scene *s, const struct look *look, VkGraphicsPipelineLibraryFlagsEXT parts,
                              VkPipelineLayout layout)
{
    VkPipeline library;
    vkt_ok(create(s, look, parts,
                  VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT,
                  layout, NULL, 0, &library));
    return library;
}

static VkPipeline create_whole(struct scene *s, const struct look *look)
{
    struct look plain = *look;
    VkPipeline pipeline;
    plain.has_modules = true;
    plain.is_dynamic = false;
    vkt_ok(create(s, &plain, INPUT | VERTEX | FRAGMENT | OUTPUT, 0, s->layout, NULL, 0, &pipeline));
    return pipeline;
}

/* ---------------------------------------------------------------- drawing */

static struct vkt_picture draw(struct scene *s, const struct look *look, VkPipeline pipeline)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_begin_pass(cmd, &s->target, (float[]){0.25f, 0.5f, 0.25f, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 2, s->bound, 0, NULL);
    vkCmdBindVertexBuffers(cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
    if (look->is_dynamic) {
        PFN_vkCmdSetVertexInputEXT set_input =
            (PFN_vkCmdSetVertexInputEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetVertexInputEXT");
        PFN_vkCmdSetCullModeEXT set_cull =
            (PFN_vkCmdSetCullModeEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetCullModeEXT");
        PFN_vkCmdSetDepthTestEnableEXT set_test =
            (PFN_vkCmdSetDepthTestEnableEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetDepthTestEnableEXT");
        const VkVertexInputBindingDescription2EXT binding = {
            .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, .stride = 32, .divisor = 1};
        const VkVertexInputAttributeDescription2EXT attributes[] = {
            {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
             .format = VK_FORMAT_R32G32B32A32_SFLOAT},
            {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
             .location = 1,
             .format = VK_FORMAT_R32G32B32A32_SFLOAT,
             .offset = 16}};
        set_input(cmd, 1, &binding, 2, attributes);
        set_cull(cmd, look->culls ? VK_CULL_MODE_BACK_BIT : VK_CULL_MODE_NONE);
        set_test(cmd, look->tests_depth);
        PFN_vkCmdSetViewportWithCountEXT set_viewports =
            (PFN_vkCmdSetViewportWithCountEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetViewportWithCountEXT");
        PFN_vkCmdSetScissorWithCountEXT set_scissors =
            (PFN_vkCmdSetScissorWithCountEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetScissorWithCountEXT");
        set_viewports(cmd, 1, &fixed_viewport);
        set_scissors(cmd, 1, &fixed_scissor);
    }
    vkCmdDraw(cmd, 6, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s->t, cmd);
    return vkt_read_target(&s->t, &s->target);
}

/* Draws with the pipeline and with one that is created at once; destroys both. */
static void compare(struct scene *s, const char *name, const struct look *look, VkPipeline pipeline)
{
    struct look plain = *look;
    VkPipeline whole = create_whole(s, look);
    plain.is_dynamic = false;
    struct vkt_picture expected = draw(s, &plain, whole), got = draw(s, look, pipeline);
    vkt_compare(name, &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&expected);
    vkt_picture_free(&got);
    vkDestroyPipeline(s->t.device, whole, NULL);
    vkDestroyPipeline(s->t.device, pipeline, NULL);
}

/* Libraries are not needed once a pipeline is linked. */
static void destroy_parts(struct scene *s, const VkPipeline *parts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        vkDestroyPipeline(s->t.device, parts[i], NULL);
}

/* The same with libraries that the pipeline was linked from. */
static void compare_linked(struct scene *s, const char *name, const struct look *look, VkPipeline pipeline,
                           const VkPipeline *parts, uint32_t count)
{
    const bool dies_early = getenv("VKT_NO_VALIDATION");
    if (dies_early)
        destroy_parts(s, parts, count);
    compare(s, name, look, pipeline);
    if (!dies_early)
        destroy_parts(s, parts, count);
}

/* ---------------------------------------------------------------- cases */

static const struct look looks[] = {
    {.topology = VKT_TRIANGLES, .scale = 1, .has_modules = true},
    {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, .scale = 0.75f, .blends = VK_TRUE, .tests_depth = VK_TRUE},
    {.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, .scale = 0.5f, .culls = VK_TRUE, .blends = VK_TRUE},
    {.topology = VKT_TRIANGLES, .scale = 1, .culls = VK_TRUE, .tests_depth = VK_TRUE, .is_dynamic = true},
};

/* As DXVK and vkd3d-proton do: four libraries, linked with and without optimisation. */
static void four_parts(void **state)
{
    struct scene s = scene_open();
    for (uint32_t i = 0; i < 2 * VKT_COUNT(looks); i++) {
        const struct look *look = &looks[i / 2];
        const VkPipeline parts[] = {create_part(&s, look, INPUT, VK_NULL_HANDLE),
                                    create_part(&s, look, VERTEX, s.layout), create_part(&s, look, FRAGMENT, s.layout),
                                    create_part(&s, look, OUTPUT, VK_NULL_HANDLE)};
        VkPipeline linked;
        vkt_ok(create(&s, look, 0, i % 2 ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0u, s.layout, parts, 4,
                      &linked));
        compare_linked(&s, "library_four", look, linked, parts, 4);
    }
    scene_close(&s);
}

/* Depths from -w on are kept, and are clipped without the control. */
static void depth_clip_control(void **state)
{
    struct scene s = scene_open();
    struct look look = {.topology = VKT_TRIANGLES, .scale = 1, .tests_depth = VK_TRUE, .has_modules = true};
    struct vkt_picture pictures[2];
    memcpy(s.offset.map, (float[]){0, 0, -0.5f, 0}, 16);
    for (uint32_t i = 0; i < 2; i++) {
        look.symmetric = i;
        const VkPipeline part = create_part(&s, &look, VERTEX, s.layout);
        VkPipeline linked;
        vkt_ok(create(&s, &look, INPUT | FRAGMENT | OUTPUT, 0, s.layout, &part, 1, &linked));
        pictures[i] = draw(&s, &look, linked);
        compare_linked(&s, "library_clip_control", &look, linked, &part, 1);
    }
    assert_memory_not_equal(pictures[0].rgba, pictures[1].rgba, W * H * 4);
    for (uint32_t i = 0; i < 2; i++)
        vkt_picture_free(&pictures[i]);
    scene_close(&s);
}

#define PROGRAM_WORDS 256u

static uint64_t compiled_so_far(struct scene *s)
{
    uint64_t counts[3];
    ((void (*)(VkDevice, uint64_t *))vkt_hook(&s->t, "vc4vk_test_cache_counts"))(s->t.device, counts);
    return counts[0];
}

/* A stage's programs are found again whatever library the other stage is from. */
static void programs_of_stages(void **state)
{
    struct scene s = scene_open();
    const struct look *look = &looks[0];
    const VkPipeline common[] = {create_part(&s, look, INPUT, VK_NULL_HANDLE),
                                 create_part(&s, look, OUTPUT, VK_NULL_HANDLE)};
    const VkPipeline first[] = {create_part(&s, look, VERTEX, s.layout), create_part(&s, look, VERTEX, s.layout)},
                     second[] = {create_part(&s, look, FRAGMENT, s.layout), create_part(&s, look, FRAGMENT, s.layout)};
    uint64_t compiled[4];
    for (uint32_t i = 0; i < 4; i++) {
        const VkPipeline parts[] = {common[0], common[1], first[i / 2], second[i % 2]};
        VkPipeline linked;
        const uint64_t before = compiled_so_far(&s);
        vkt_ok(create(&s, look, 0, 0, s.layout, parts, 4, &linked));
        compiled[i] = compiled_so_far(&s) - before;
        vkDestroyPipeline(s.t.device, linked, NULL);
    }
    assert_int_equal(compiled[0], 5); /* two interfaces, three programs */
    assert_int_equal(compiled[1], 2); /* the fragment stage of another library */
    assert_int_equal(compiled[2], 3); /* the vertex stage of another library */
    assert_int_equal(compiled[3], 0);
    destroy_parts(&s, common, 2);
    destroy_parts(&s, first, 2);
    destroy_parts(&s, second, 2);
    scene_close(&s);
}

/* Each stage knows its own set only. */
static void independent_sets(void **state)
{
    struct scene s = scene_open();
    const struct look *look = &looks[1];
    const VkPipelineLayout first = layout_create(&s, s.sets[0], VK_NULL_HANDLE),
                           second = layout_create(&s, VK_NULL_HANDLE, s.sets[1]);
    const VkPipeline parts[] = {create_part(&s, look, INPUT | VERTEX, first),
                                create_part(&s, look, FRAGMENT | OUTPUT, second)};
    VkPipeline linked;
    vkDestroyPipelineLayout(s.t.device, first, NULL);
    vkDestroyPipelineLayout(s.t.device, second, NULL);
    VkPipelineLayout full;
    vkt_ok(vkCreatePipelineLayout(
        s.t.device,
        &(VkPipelineLayoutCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT,
                                      .setLayoutCount = 2,
                                      .pSetLayouts = s.sets},
        NULL, &full));
    vkt_ok(create(&s, look, 0, 0, full, parts, 2, &linked));
    VkPipelineLayout own = s.layout;
    s.layout = full; /* what the sets are bound with */
    compare_linked(&s, "library_sets", look, linked, parts, 2);
    s.layout = own;
    vkDestroyPipelineLayout(s.t.device, full, NULL);
    scene_close(&s);
}

/* Libraries in a library, the rest of the state in the pipeline's own create info; the parts serve several pipelines.
 */
static void nested(void **state)
{
    struct scene s = scene_open();
    struct look look = looks[1];
    const VkPipeline parts[] = {create_part(&s, &look, INPUT, VK_NULL_HANDLE),
                                create_part(&s, &look, VERTEX, s.layout)};
    VkPipeline both;
    vkt_ok(create(&s, &look, FRAGMENT,
                  VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT,
                  s.layout, parts, 2, &both));
    if (getenv("VKT_NO_VALIDATION"))
        destroy_parts(&s, parts, 2);
    for (uint32_t i = 0; i < 2; i++) {
        VkPipeline linked;
        look.blends = i;
        vkt_ok(create(&s, &look, OUTPUT, 0, s.layout, &both, 1, &linked));
        compare(&s, "library_nested", &look, linked);
    }
    vkDestroyPipeline(s.t.device, both, NULL);
    if (!getenv("VKT_NO_VALIDATION"))
        destroy_parts(&s, parts, 2);
    scene_close(&s);
}

/* The second link compiles nothing: the libraries keep what the first one has compiled. */
static void second_link_compiles_nothing(void **state)
{
    struct scene s = scene_open();
    const struct look *look = &looks[1];
    const VkPipeline parts[] = {create_part(&s, look, INPUT, VK_NULL_HANDLE), create_part(&s, look, VERTEX, s.layout),
                                create_part(&s, look, FRAGMENT, s.layout),
                                create_part(&s, look, OUTPUT, VK_NULL_HANDLE)};
    VkPipeline first, second;
    const VkPipelineCreateFlags only_hits = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT_EXT;
    assert_int_equal(create(&s, look, 0, only_hits, s.layout, parts, 4, &first), VK_PIPELINE_COMPILE_REQUIRED_EXT);
    assert_true(first == VK_NULL_HANDLE);
    vkt_ok(create(&s, look, 0, 0, s.layout, parts, 4, &first));
    vkt_ok(create(&s, look, 0, only_hits, s.layout, parts, 4, &second));
    compare(&s, "library_again", look, first);
    compare_linked(&s, "library_again", look, second, parts, 4);
    scene_close(&s);
}

/* Of both stages' programs; returns their number. */
static uint32_t program_words(struct scene *s, VkPipeline pipeline, uint64_t words_out[2 * PROGRAM_WORDS])
{
    uint32_t (*get)(VkPipeline, uint32_t, uint64_t *, uint32_t) =
        (uint32_t(*)(VkPipeline, uint32_t, uint64_t *, uint32_t))vkt_hook(&s->t, "vc4vk_test_program_words");
    uint32_t count = 0;
    for (uint32_t kind = 1; kind <= 2; kind++) { /* vertex, fragment */
        const uint32_t words = get(pipeline, kind, words_out + count, PROGRAM_WORDS);
        assert_in_range(words, 3, PROGRAM_WORDS);
        count += words;
    }
    return count;
}

/* A link is quick unless it is to optimise. What it compiles then is what a pipeline that is created at once has, and
 * quick links take that once it is there. */
static void links_are_quick_or_optimise(void **state)
{
    struct scene s = scene_open();
    const struct look *look = &looks[0];
    const VkPipeline parts[] = {create_part(&s, look, INPUT, VK_NULL_HANDLE), create_part(&s, look, VERTEX, s.layout),
                                create_part(&s, look, FRAGMENT, s.layout),
                                create_part(&s, look, OUTPUT, VK_NULL_HANDLE)};
    const VkPipelineCreateFlags flags[] = {0, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT, 0};
    const uint64_t expected[] = {5, 3, 0}; /* two interfaces and three programs; the programs again; nothing */
    uint64_t words[2][2 * PROGRAM_WORDS];
    VkPipeline whole = create_whole(&s, look), linked;
    const uint32_t count = program_words(&s, whole, words[0]);
    vkDestroyPipeline(s.t.device, whole, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        const uint64_t before = compiled_so_far(&s);
        vkt_ok(create(&s, look, 0, flags[i], s.layout, parts, 4, &linked));
        assert_int_equal(compiled_so_far(&s) - before, expected[i]);
        if (i > 0) {
            assert_int_equal(program_words(&s, linked, words[1]), count);
            assert_memory_equal(words[0], words[1], count * sizeof words[0][0]);
        }
        compare(&s, "library_quick", look, linked);
    }
    destroy_parts(&s, parts, 4);
    scene_close(&s);
}

/* Without rasterization there are no fragments to describe. */
static void discarded(void **state)
{
    if (!getenv("VKT_NO_VALIDATION"))
        vkt_skip("Debian 12's layer (1.3.239) crashes on it; covered by the run without the layer");
    struct scene s = scene_open();
    struct look look = looks[0];
    look.discards = VK_TRUE;
    const VkPipeline part = create_part(&s, &look, INPUT | VERTEX, s.layout);
    VkPipeline linked;
    vkt_ok(create(&s, &look, 0, 0, s.layout, &part, 1, &linked));
    compare_linked(&s, "library_discarded", &look, linked, &part, 1);
    scene_close(&s);
}

static void wrong_uses(void **state)
{
    if (!getenv("VKT_NO_VALIDATION"))
        vkt_skip("wrong uses are for the run without the layer");
    struct scene s = scene_open();
    const struct look *look = &looks[0];
    const VkPipeline parts[] = {create_part(&s, look, INPUT, VK_NULL_HANDLE), create_part(&s, look, VERTEX, s.layout)};
    VkPipeline linked = VK_NULL_HANDLE;
    assert_int_equal(create(&s, look, 0, 0, s.layout, parts, 2, &linked), VK_ERROR_UNKNOWN); /* no fragments */
    assert_true(linked == VK_NULL_HANDLE);
    assert_int_equal(create(&s, look, 0, 0, s.layout, parts, 1, &linked), VK_ERROR_UNKNOWN); /* no vertices */
    VkPipeline whole = create_whole(&s, look);
    assert_int_equal(create(&s, look, 0, 0, s.layout, &whole, 1, &linked), VK_ERROR_UNKNOWN); /* no library */
    VkCommandBuffer cmd = vkt_begin(&s.t);
    vkt_begin_pass(cmd, &s.target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, parts[1]);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    assert_int_equal(vkEndCommandBuffer(cmd), VK_ERROR_UNKNOWN);
    vkFreeCommandBuffers(s.t.device, s.t.pool, 1, &cmd);
    vkDestroyPipeline(s.t.device, whole, NULL);
    for (uint32_t p = 0; p < 2; p++)
        vkDestroyPipeline(s.t.device, parts[p], NULL);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(four_parts, vkt_check_messages),
        cmocka_unit_test_teardown(depth_clip_control, vkt_check_messages),
        cmocka_unit_test_teardown(programs_of_stages, vkt_check_messages),
        cmocka_unit_test_teardown(independent_sets, vkt_check_messages),
        cmocka_unit_test_teardown(nested, vkt_check_messages),
        cmocka_unit_test_teardown(second_link_compiles_nothing, vkt_check_messages),
        cmocka_unit_test_teardown(links_are_quick_or_optimise, vkt_check_messages),
        cmocka_unit_test_teardown(discarded, vkt_check_messages),
        cmocka_unit_test(wrong_uses),
    };
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
