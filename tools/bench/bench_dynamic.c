/* SPDX-License-Identifier: MIT
 *
 * Lines of dynamic state: the first draw with each of many combinations of state, by a pipeline all of whose state is
 * dynamic and by shader objects, from recording to fence; linking of pipeline libraries; dynamic rendering.
 */
#include <stdio.h>
#include <string.h>
#include "bench_objects.h"
#include "dynamic_draw.vert.h"
#include "dynamic_draw_heavy.frag.h"
#include "dynamic_draw_plain.frag.h"

#define SIDE_PX      64u
#define COMBINATIONS 48u
#define PASSES       1000u
#define FORMAT       VK_FORMAT_B8G8R8A8_UNORM

#define COMMANDS(X)                                                                                                    \
    X(vkCmdSetPolygonModeEXT)                                                                                          \
    X(vkCmdSetRasterizationSamplesEXT)                                                                                 \
    X(vkCmdSetSampleMaskEXT)                                                                                           \
    X(vkCmdSetAlphaToCoverageEnableEXT)                                                                                \
    X(vkCmdSetLogicOpEnableEXT)                                                                                        \
    X(vkCmdSetColorBlendEnableEXT)                                                                                     \
    X(vkCmdSetColorBlendEquationEXT)                                                                                   \
    X(vkCmdSetColorWriteMaskEXT)                                                                                       \
    X(vkCmdSetDepthClampEnableEXT)                                                                                     \
    X(vkCmdSetVertexInputEXT)

struct push {
    float color[4], rows[2][4], depth, texture_scale;
};

struct scene {
    VkShaderModule modules[3]; /* vertex, heavy, plain */
    VkPipelineLayout layout;
    struct image target;
    struct buffer vertices;
    struct commands c;
#define X(name) PFN_##name name;
    COMMANDS(X)
#undef X
};

/* ---------------------------------------------------------------- device and scene */

static bool has_extension(VkPhysicalDevice physical, const char *name)
{
    static VkExtensionProperties list[512];
    uint32_t count = sizeof list / sizeof list[0];
    vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].extensionName, name))
            return true;
    return false;
}

/* Opens a device of Vulkan 1.3 with the extensions and the feature chain. */
static bool open_device(struct bench_device *d, const char *const *extensions, uint32_t extension_count, void *features)
{
    uint32_t count = 1;
    const VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkPhysicalDeviceVulkan13Features core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                                             .pNext = features,
                                             .dynamicRendering = VK_TRUE,
                                             .synchronization2 = VK_TRUE};
    if (vkCreateInstance(
            &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app}, NULL,
            &d->instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(d->instance, &count, &d->physical) < 0 || !count)
        return false;
    vkGetPhysicalDeviceProperties(d->physical, &d->properties);
    vkGetPhysicalDeviceMemoryProperties(d->physical, &d->memory);
    for (uint32_t i = 0; i < extension_count; i++)
        if (!has_extension(d->physical, extensions[i])) {
            fprintf(stderr, "vc4-bench: the device has no %s\n", extensions[i]);
            return false;
        }
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &core,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = extension_count,
                                     .ppEnabledExtensionNames = extensions};
    if (vkCreateDevice(d->physical, &info, NULL, &d->device) != VK_SUCCESS)
        return false;
    vkGetDeviceQueue(d->device, 0, 0, &d->queue);
    return true;
}

static bool make_scene(struct bench_device *d, struct scene *s)
{
    static const float corners[] = {-1, -1, 1, -1, -1, 1, 1, 1};
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                      sizeof(struct push)};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    void *map;
    s->modules[0] = bench_make_module(d, dynamic_draw_vert, sizeof dynamic_draw_vert);
    s->modules[1] = bench_make_module(d, dynamic_draw_heavy_frag, sizeof dynamic_draw_heavy_frag);
    s->modules[2] = bench_make_module(d, dynamic_draw_plain_frag, sizeof dynamic_draw_plain_frag);
    if (!s->modules[0] || !s->modules[1] || !s->modules[2] ||
        vkCreatePipelineLayout(d->device, &layout, NULL, &s->layout) != VK_SUCCESS ||
        !bench_make_image(
            d,
            &(struct image_info){
                FORMAT, {SIDE_PX, SIDE_PX}, 1, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT},
            &s->target) ||
        !bench_make_buffer(d, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, &s->vertices) ||
        vkMapMemory(d->device, s->vertices.memory, 0, VK_WHOLE_SIZE, 0, &map) != VK_SUCCESS ||
        !bench_make_commands(d, &s->c))
        return false;
    memcpy(map, corners, sizeof corners);
#define X(name) s->name = (PFN_##name)vkGetDeviceProcAddr(d->device, #name);
    COMMANDS(X)
#undef X
    bench_begin(&s->c);
    bench_to_layout(&s->c, s->target.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    return bench_submit_and_wait(d, &s->c);
}

static void finish_scene(struct bench_device *d, struct scene *s)
{
    if (!d->device)
        return;
    bench_finish_commands(d, &s->c);
    bench_finish_buffer(d, &s->vertices);
    bench_finish_image(d, &s->target);
    vkDestroyPipelineLayout(d->device, s->layout, NULL);
    for (uint32_t i = 0; i < 3; i++)
        vkDestroyShaderModule(d->device, s->modules[i], NULL);
}

static void begin_rendering(const struct scene *s)
{
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = s->target.view,
                                             .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                             .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    vkCmdBeginRendering(s->c.cmd, &(VkRenderingInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                                     .renderArea = {{0, 0}, {SIDE_PX, SIDE_PX}},
                                                     .layerCount = 1,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachments = &color});
}

static void draw(const struct scene *s)
{
    const struct push push = {{0.5f, 0.25f, 0.75f, 1}, {{1, 0, 0, 0}, {0, 1, 0, 0}}, 0.5f, 1};
    vkCmdPushConstants(s->c.cmd, s->layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push,
                       &push);
    vkCmdDraw(s->c.cmd, 4, 1, 0, 0);
}

/* ---------------------------------------------------------------- pipelines */

static const VkVertexInputBindingDescription binding = {0, 8, VK_VERTEX_INPUT_RATE_VERTEX};
static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32_SFLOAT, 0};
static const VkFormat format = FORMAT;
static const VkViewport viewport = {0, 0, SIDE_PX, SIDE_PX, 0, 1};
static const VkRect2D scissor = {{0, 0}, {SIDE_PX, SIDE_PX}};

/* A create info with all that it points to; not to be copied. */
struct description {
    VkPipelineShaderStageCreateInfo stages[2];
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineViewportStateCreateInfo view;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendAttachmentState blend;
    VkPipelineColorBlendStateCreateInfo colors;
    VkPipelineRenderingCreateInfo rendering;
    VkPipelineDynamicStateCreateInfo dynamic;
    VkGraphicsPipelineCreateInfo info;
};

static void describe(const struct scene *s, VkShaderModule fragment, const VkDynamicState *states, uint32_t state_count,
                     struct description *x)
{
    *x = (struct description){
        .stages = {{.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    .stage = VK_SHADER_STAGE_VERTEX_BIT,
                    .module = s->modules[0],
                    .pName = "main"},
                   {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                    .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                    .module = fragment,
                    .pName = "main"}},
        .input = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                  .vertexBindingDescriptionCount = 1,
                  .pVertexBindingDescriptions = &binding,
                  .vertexAttributeDescriptionCount = 1,
                  .pVertexAttributeDescriptions = &attribute},
        .assembly = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                     .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP},
        .view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                 .viewportCount = 1,
                 .pViewports = &viewport,
                 .scissorCount = 1,
                 .pScissors = &scissor},
        .raster = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1},
        .samples = {.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT},
        .depth = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO},
        .blend = {.colorWriteMask = 0xf},
        .colors = {.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO, .attachmentCount = 1},
        .rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                      .colorAttachmentCount = 1,
                      .pColorAttachmentFormats = &format},
        .dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                    .dynamicStateCount = state_count,
                    .pDynamicStates = states},
        .info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .stageCount = 2, .layout = s->layout},
    };
    x->colors.pAttachments = &x->blend;
    x->info.pNext = &x->rendering;
    x->info.pStages = x->stages;
    x->info.pVertexInputState = &x->input;
    x->info.pInputAssemblyState = &x->assembly;
    x->info.pViewportState = &x->view;
    x->info.pRasterizationState = &x->raster;
    x->info.pMultisampleState = &x->samples;
    x->info.pDepthStencilState = &x->depth;
    x->info.pColorBlendState = &x->colors;
    x->info.pDynamicState = &x->dynamic;
}

static VkPipeline make_pipeline(struct bench_device *d, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    return vkCreateGraphicsPipelines(d->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline) == VK_SUCCESS
               ? pipeline
               : VK_NULL_HANDLE;
}

/* ---------------------------------------------------------------- first draws */

/* Combination `i` differs from each other one in something that programs depend on. */
static void set_state(const struct scene *s, uint32_t i)
{
    const VkCommandBuffer cmd = s->c.cmd;
    const VkBool32 blends = i % 4 != 0;
    const VkColorComponentFlags writes = i % 3 == 0 ? 0xf : i % 3 == 1 ? 0x7 : 0xb;
    const VkColorBlendEquationEXT equation = {(VkBlendFactor)(VK_BLEND_FACTOR_ONE + i % 4),
                                              (VkBlendFactor)(VK_BLEND_FACTOR_ZERO + i / 4 % 4),
                                              (VkBlendOp)(i / 16 % 3),
                                              VK_BLEND_FACTOR_ONE,
                                              VK_BLEND_FACTOR_ZERO,
                                              VK_BLEND_OP_ADD};
    vkCmdSetPrimitiveTopology(cmd, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    vkCmdSetCullMode(cmd, i % 2 ? VK_CULL_MODE_NONE : VK_CULL_MODE_FRONT_BIT);
    s->vkCmdSetPolygonModeEXT(cmd, VK_POLYGON_MODE_FILL);
    s->vkCmdSetRasterizationSamplesEXT(cmd, VK_SAMPLE_COUNT_1_BIT);
    s->vkCmdSetSampleMaskEXT(cmd, VK_SAMPLE_COUNT_1_BIT, &(VkSampleMask){1});
    s->vkCmdSetAlphaToCoverageEnableEXT(cmd, i / 24);
    s->vkCmdSetLogicOpEnableEXT(cmd, VK_FALSE);
    s->vkCmdSetDepthClampEnableEXT(cmd, i / 12 % 2);
    s->vkCmdSetColorBlendEnableEXT(cmd, 0, 1, &blends);
    s->vkCmdSetColorBlendEquationEXT(cmd, 0, 1, &equation);
    s->vkCmdSetColorWriteMaskEXT(cmd, 0, 1, &writes);
}

static const VkDynamicState dynamic_states[] = {
    VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,     VK_DYNAMIC_STATE_CULL_MODE,
    VK_DYNAMIC_STATE_POLYGON_MODE_EXT,       VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
    VK_DYNAMIC_STATE_SAMPLE_MASK_EXT,        VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT,
    VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,    VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT,
    VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
    VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
};

/* Draws once with each combination. `bind` binds what is drawn with. */
static bool first_draws(struct bench_device *d, const struct scene *s, const char *prefix,
                        void (*bind)(const struct scene *s, const void *with), const void *with)
{
    bool good = true;
    for (uint32_t i = 0; i < COMBINATIONS && good; i++) {
        char name[64];
        const uint64_t start_ns = bench_now_ns();
        bench_begin(&s->c);
        begin_rendering(s);
        vkCmdBindVertexBuffers(s->c.cmd, 0, 1, &s->vertices.buffer, &(VkDeviceSize){0});
        bind(s, with);
        set_state(s, i);
        draw(s);
        vkCmdEndRendering(s->c.cmd);
        good = bench_submit_and_wait(d, &s->c);
        snprintf(name, sizeof name, "%s-%u", prefix, i);
        bench_item(name, bench_now_ns() - start_ns);
    }
    return good;
}

static void bind_pipeline(const struct scene *s, const void *with)
{
    vkCmdBindPipeline(s->c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, *(const VkPipeline *)with);
}

static bool run_first_draws(struct bench_device *d)
{
    static const char *const extensions[] = {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME};
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT,
        .extendedDynamicState3DepthClampEnable = VK_TRUE,
        .extendedDynamicState3PolygonMode = VK_TRUE,
        .extendedDynamicState3RasterizationSamples = VK_TRUE,
        .extendedDynamicState3SampleMask = VK_TRUE,
        .extendedDynamicState3AlphaToCoverageEnable = VK_TRUE,
        .extendedDynamicState3LogicOpEnable = VK_TRUE,
        .extendedDynamicState3ColorBlendEnable = VK_TRUE,
        .extendedDynamicState3ColorBlendEquation = VK_TRUE,
        .extendedDynamicState3ColorWriteMask = VK_TRUE};
    struct scene s = {0};
    struct description x;
    VkPipeline pipeline = VK_NULL_HANDLE;
    bool good = open_device(d, extensions, 1, &features) && make_scene(d, &s);
    if (good) {
        describe(&s, s.modules[1], dynamic_states, sizeof dynamic_states / sizeof dynamic_states[0], &x);
        pipeline = make_pipeline(d, &x.info);
        good = pipeline && first_draws(d, &s, "first-draw", bind_pipeline, &pipeline);
        vkDestroyPipeline(d->device, pipeline, NULL);
    }
    finish_scene(d, &s);
    return good;
}

#ifdef VK_EXT_shader_object
struct shaders {
    VkShaderEXT shaders[2];
    PFN_vkCmdBindShadersEXT bind;
};

static void bind_shaders(const struct scene *s, const void *with)
{
    static const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    const struct shaders *shaders = with;
    const VkCommandBuffer cmd = s->c.cmd;
    shaders->bind(cmd, 2, stages, shaders->shaders);
    s->vkCmdSetVertexInputEXT(
        cmd, 1,
        &(VkVertexInputBindingDescription2EXT){
            .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT, .stride = binding.stride, .divisor = 1},
        1,
        &(VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                 .format = attribute.format});
    vkCmdSetViewportWithCount(cmd, 1, &viewport);
    vkCmdSetScissorWithCount(cmd, 1, &scissor);
    vkCmdSetPrimitiveRestartEnable(cmd, VK_FALSE);
    vkCmdSetRasterizerDiscardEnable(cmd, VK_FALSE);
    vkCmdSetFrontFace(cmd, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetDepthBiasEnable(cmd, VK_FALSE);
    vkCmdSetDepthTestEnable(cmd, VK_FALSE);
    vkCmdSetDepthWriteEnable(cmd, VK_FALSE);
    vkCmdSetDepthBoundsTestEnable(cmd, VK_FALSE);
    vkCmdSetStencilTestEnable(cmd, VK_FALSE);
}

static bool make_shaders(struct bench_device *d, struct shaders *out)
{
    const VkPushConstantRange push = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0,
                                      sizeof(struct push)};
    VkShaderCreateInfoEXT infos[2] = {{.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                       .stage = VK_SHADER_STAGE_VERTEX_BIT,
                                       .nextStage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                       .codeSize = sizeof dynamic_draw_vert,
                                       .pCode = dynamic_draw_vert},
                                      {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
                                       .codeSize = sizeof dynamic_draw_heavy_frag,
                                       .pCode = dynamic_draw_heavy_frag}};
    for (uint32_t i = 0; i < 2; i++) {
        infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        infos[i].pName = "main";
        infos[i].pushConstantRangeCount = 1;
        infos[i].pPushConstantRanges = &push;
    }
    PFN_vkCreateShadersEXT create = (PFN_vkCreateShadersEXT)vkGetDeviceProcAddr(d->device, "vkCreateShadersEXT");
    out->bind = (PFN_vkCmdBindShadersEXT)vkGetDeviceProcAddr(d->device, "vkCmdBindShadersEXT");
    const uint64_t start_ns = bench_now_ns();
    const bool good = create(d->device, 2, infos, NULL, out->shaders) == VK_SUCCESS;
    bench_item("create-shaders", bench_now_ns() - start_ns);
    return good;
}

static bool run_shader_objects(struct bench_device *d)
{
    static const char *const extensions[] = {VK_EXT_SHADER_OBJECT_EXTENSION_NAME};
    VkPhysicalDeviceShaderObjectFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT, .shaderObject = VK_TRUE};
    struct scene s = {0};
    struct shaders shaders = {.bind = NULL};
    bool good = open_device(d, extensions, 1, &features) && make_scene(d, &s) && make_shaders(d, &shaders);
    good = good && first_draws(d, &s, "first-draw-shaders", bind_shaders, &shaders);
    if (d->device) {
        PFN_vkDestroyShaderEXT destroy = (PFN_vkDestroyShaderEXT)vkGetDeviceProcAddr(d->device, "vkDestroyShaderEXT");
        for (uint32_t i = 0; i < 2 && shaders.shaders[i]; i++)
            destroy(d->device, shaders.shaders[i], NULL);
    }
    finish_scene(d, &s);
    return good;
}
#endif

/* ---------------------------------------------------------------- libraries */

static VkPipeline make_library(struct bench_device *d, struct description *x, VkGraphicsPipelineLibraryFlagsEXT part)
{
    VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .pNext = &x->rendering, .flags = part};
    VkGraphicsPipelineCreateInfo info = x->info;
    const bool has_vertex = part == VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT;
    info.pNext = &library;
    info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
    info.stageCount = has_vertex || part == VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT ? 1 : 0;
    info.pStages = has_vertex ? &x->stages[0] : &x->stages[1];
    return make_pipeline(d, &info);
}

/* Measures links alone, each of parts that have been linked with others before: two fragment shaders, and outputs that
 * blend differently. */
static bool link_all(struct bench_device *d, const struct scene *s)
{
    enum { FRAGMENTS = 2, OUTPUTS = 6 };
    VkPipeline input, vertex, fragments[FRAGMENTS], outputs[OUTPUTS];
    struct description x;
    describe(s, s->modules[1], NULL, 0, &x);
    input = make_library(d, &x, VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT);
    vertex = make_library(d, &x, VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT);
    bool good = input && vertex;
    for (uint32_t i = 0; i < FRAGMENTS; i++) {
        describe(s, s->modules[1 + i], NULL, 0, &x);
        fragments[i] = make_library(d, &x, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT);
        good = good && fragments[i];
    }
    for (uint32_t i = 0; i < OUTPUTS; i++) {
        describe(s, s->modules[1], NULL, 0, &x);
        x.blend = (VkPipelineColorBlendAttachmentState){i != 0,
                                                        VK_BLEND_FACTOR_SRC_ALPHA,
                                                        (VkBlendFactor)i,
                                                        VK_BLEND_OP_ADD,
                                                        VK_BLEND_FACTOR_ONE,
                                                        VK_BLEND_FACTOR_ZERO,
                                                        VK_BLEND_OP_ADD,
                                                        0xf};
        outputs[i] = make_library(d, &x, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT);
        good = good && outputs[i];
    }
    for (uint32_t i = 0; i < FRAGMENTS * OUTPUTS && good; i++) {
        const VkPipeline parts[] = {input, vertex, fragments[i % FRAGMENTS], outputs[i / FRAGMENTS]};
        const VkPipelineLibraryCreateInfoKHR libraries = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, .libraryCount = 4, .pLibraries = parts};
        const VkGraphicsPipelineCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, .pNext = &libraries, .layout = s->layout};
        char name[64];
        const uint64_t start_ns = bench_now_ns();
        VkPipeline linked = make_pipeline(d, &info);
        snprintf(name, sizeof name, "link-%s-%u", i % FRAGMENTS ? "plain" : "heavy", i / FRAGMENTS);
        bench_item(name, bench_now_ns() - start_ns);
        good = linked != VK_NULL_HANDLE;
        vkDestroyPipeline(d->device, linked, NULL);
    }
    vkDestroyPipeline(d->device, input, NULL);
    vkDestroyPipeline(d->device, vertex, NULL);
    for (uint32_t i = 0; i < FRAGMENTS; i++)
        vkDestroyPipeline(d->device, fragments[i], NULL);
    for (uint32_t i = 0; i < OUTPUTS; i++)
        vkDestroyPipeline(d->device, outputs[i], NULL);
    return good;
}

static bool run_libraries(struct bench_device *d)
{
    static const char *const extensions[] = {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                             VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME};
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT,
        .graphicsPipelineLibrary = VK_TRUE};
    struct scene s = {0};
    const bool good = open_device(d, extensions, 2, &features) && make_scene(d, &s) && link_all(d, &s);
    finish_scene(d, &s);
    return good;
}

/* ---------------------------------------------------------------- dynamic rendering */

/* Records passes of one draw each, then runs them. */
static bool run_rendering(struct bench_device *d)
{
    struct scene s = {0};
    struct description x;
    bool good = open_device(d, NULL, 0, NULL) && make_scene(d, &s);
    if (good) {
        describe(&s, s.modules[2], NULL, 0, &x);
        VkPipeline pipeline = make_pipeline(d, &x.info);
        const uint64_t start_ns = bench_now_ns();
        bench_begin(&s.c);
        for (uint32_t i = 0; i < PASSES; i++) {
            begin_rendering(&s);
            vkCmdBindPipeline(s.c.cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
            vkCmdBindVertexBuffers(s.c.cmd, 0, 1, &s.vertices.buffer, &(VkDeviceSize){0});
            draw(&s);
            vkCmdEndRendering(s.c.cmd);
        }
        const uint64_t recorded_ns = bench_now_ns();
        good = pipeline && bench_submit_and_wait(d, &s.c);
        bench_item("rendering-record", recorded_ns - start_ns);
        bench_item("rendering-run", bench_now_ns() - recorded_ns);
        vkDestroyPipeline(d->device, pipeline, NULL);
    }
    finish_scene(d, &s);
    return good;
}

const struct bench_line bench_dynamic[] = {
    {"first-draw", "the first draw with each of 48 combinations of dynamic state, recording to fence", run_first_draws,
     true},
#ifdef VK_EXT_shader_object
    {"first-draw-shaders", "the same with shader objects, and creating them", run_shader_objects, true},
#endif
    {"libraries", "linking pipelines from libraries of their parts", run_libraries, true},
    {"rendering", "a thousand dynamic passes of one draw each: recording them, and running them", run_rendering, true},
    {0},
};
