/* SPDX-License-Identifier: MIT
 *
 * Host memory exhaustion: fails the n-th allocation, for each n, while a pipeline is created and while commands are
 * recorded. Every attempt must return success or VK_ERROR_OUT_OF_HOST_MEMORY, without a crash and without a leak.
 * The last test uses the same pipelines to check how they spread over the cache of prepared state.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "harness.h"
#include "util/log.h"

#include "alloc.frag.h" /* rely on stdint.h above */
#include "alloc.geom.h"
#include "alloc.tesc.h"
#include "alloc.tese.h"
#include "alloc.vert.h"

/* Live allocations; allocations that still succeed before all others fail, -1: no allocation fails. */
static _Atomic int live, until_failure = -1;

/* The header in front of each allocation, which holds its size. */
#define HEAD_B 64u

static void *count_alloc(void *data, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    int left = atomic_load(&until_failure);
    while (left >= 0 && !atomic_compare_exchange_weak(&until_failure, &left, left - (left > 0)))
        ;
    if (left == 0)
        return NULL;
    uint8_t *memory = aligned_alloc(HEAD_B, (size_B + 2 * HEAD_B - 1) & ~(size_t)(HEAD_B - 1));
    assert_true(memory && align_B <= HEAD_B);
    atomic_fetch_add(&live, 1);
    memcpy(memory, &size_B, sizeof size_B);
    return memory + HEAD_B;
}

static void count_free(void *data, void *ptr)
{
    if (!ptr)
        return;
    atomic_fetch_sub(&live, 1);
    free((uint8_t *)ptr - HEAD_B);
}

static void *count_realloc(void *data, void *old, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    void *grown = count_alloc(data, size_B, align_B, scope);
    size_t old_B = 0;
    if (grown && old) {
        memcpy(&old_B, (uint8_t *)old - HEAD_B, sizeof old_B);
        memcpy(grown, old, MIN2(size_B, old_B));
        count_free(data, old);
    }
    return grown;
}

static void discard_log(void *data, enum util_log_level level, const char *line)
{
}

struct bench {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkAllocationCallbacks callbacks;
    VkRenderPass pass;
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFramebuffer framebuffer;
    VkDescriptorSetLayout set_layout;
    bool emits, tessellates; /* pipelines have a geometry stage, tessellation stages */
};

static int set_up(void **state)
{
    static struct bench b;
    b = (struct bench){.callbacks = {NULL, count_alloc, count_realloc, count_free, NULL, NULL}};
    setenv("VC4VK_DEVICE", "model", 1);
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    assert_int_equal(vc4vk_CreateInstance(&instance_info, NULL, &b.instance), VK_SUCCESS);
    uint32_t count = 1;
    assert_int_equal(vc4vk_EnumeratePhysicalDevices(b.instance, &count, &b.physical), VK_SUCCESS);
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = (float[]){1}};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    assert_int_equal(vc4vk_CreateDevice(b.physical, &device_info, &b.callbacks, &b.device), VK_SUCCESS);

    const VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                                .samples = VK_SAMPLE_COUNT_1_BIT,
                                                .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                                .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                                .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    const VkRenderPassCreateInfo pass_info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                              .attachmentCount = 1,
                                              .pAttachments = &attachment,
                                              .subpassCount = 1,
                                              .pSubpasses = &subpass};
    assert_int_equal(vc4vk_CreateRenderPass(b.device, &pass_info, NULL, &b.pass), VK_SUCCESS);
    const VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                          .imageType = VK_IMAGE_TYPE_2D,
                                          .format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .extent = {64, 64, 1},
                                          .mipLevels = 1,
                                          .arrayLayers = 1,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .usage =
                                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    assert_int_equal(vc4vk_CreateImage(b.device, &image_info, NULL, &b.image), VK_SUCCESS);
    const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                              .allocationSize = 64 << 10};
    assert_int_equal(vc4vk_AllocateMemory(b.device, &memory_info, NULL, &b.memory), VK_SUCCESS);
    assert_int_equal(vc4vk_BindImageMemory(b.device, b.image, b.memory, 0), VK_SUCCESS);
    const VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                             .image = b.image,
                                             .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                             .format = VK_FORMAT_R8G8B8A8_UNORM,
                                             .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    assert_int_equal(vc4vk_CreateImageView(b.device, &view_info, NULL, &b.view), VK_SUCCESS);
    const VkFramebufferCreateInfo framebuffer_info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                      .renderPass = b.pass,
                                                      .attachmentCount = 1,
                                                      .pAttachments = &b.view,
                                                      .width = 64,
                                                      .height = 64,
                                                      .layers = 1};
    assert_int_equal(vc4vk_CreateFramebuffer(b.device, &framebuffer_info, NULL, &b.framebuffer), VK_SUCCESS);
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2, .pBindings = bindings};
    assert_int_equal(vc4vk_CreateDescriptorSetLayout(b.device, &set_info, NULL, &b.set_layout), VK_SUCCESS);
    util_log_set_sink(discard_log, NULL);
    *state = &b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    util_log_set_sink(NULL, NULL);
    vc4vk_DestroyDescriptorSetLayout(b->device, b->set_layout, NULL);
    vc4vk_DestroyFramebuffer(b->device, b->framebuffer, NULL);
    vc4vk_DestroyImageView(b->device, b->view, NULL);
    vc4vk_DestroyImage(b->device, b->image, NULL);
    vc4vk_FreeMemory(b->device, b->memory, NULL);
    vc4vk_DestroyRenderPass(b->device, b->pass, NULL);
    vc4vk_DestroyDevice(b->device, &b->callbacks);
    vc4vk_DestroyInstance(b->instance, NULL);
    return atomic_load(&live); /* nonzero: a leak */
}

/* ---------------------------------------------------------------- pipelines */

struct pipeline {
    VkShaderModule vs, fs, gs, tcs, tes;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

/* `dynamic`: NULL, or the pipeline is for passes without a render pass as well. */
static VkResult make_pipeline_with(struct bench *b, struct pipeline *p, const VkPipelineDynamicStateCreateInfo *dynamic)
{
    const VkShaderModuleCreateInfo modules[] = {
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof alloc_vert, .pCode = alloc_vert},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof alloc_frag, .pCode = alloc_frag},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof alloc_geom, .pCode = alloc_geom},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof alloc_tesc, .pCode = alloc_tesc},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof alloc_tese, .pCode = alloc_tese},
    };
    *p = (struct pipeline){0};
    VkResult result = vc4vk_CreateShaderModule(b->device, &modules[0], NULL, &p->vs);
    if (result == VK_SUCCESS)
        result = vc4vk_CreateShaderModule(b->device, &modules[1], NULL, &p->fs);
    if (result == VK_SUCCESS && b->emits)
        result = vc4vk_CreateShaderModule(b->device, &modules[2], NULL, &p->gs);
    if (result == VK_SUCCESS && b->tessellates)
        result = vc4vk_CreateShaderModule(b->device, &modules[3], NULL, &p->tcs);
    if (result == VK_SUCCESS && b->tessellates)
        result = vc4vk_CreateShaderModule(b->device, &modules[4], NULL, &p->tes);
    const VkPushConstantRange push = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16};
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                    .setLayoutCount = 1,
                                                    .pSetLayouts = &b->set_layout,
                                                    .pushConstantRangeCount = 1,
                                                    .pPushConstantRanges = &push};
    if (result == VK_SUCCESS)
        result = vc4vk_CreatePipelineLayout(b->device, &layout_info, NULL, &p->layout);
    if (result != VK_SUCCESS)
        return result;
    VkPipelineShaderStageCreateInfo stages[5] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = p->vs, .pName = "main"},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = p->fs, .pName = "main"},
    };
    uint32_t stage_count = 2;
    if (b->emits)
        stages[stage_count++] =
            (VkPipelineShaderStageCreateInfo){.stage = VK_SHADER_STAGE_GEOMETRY_BIT, .module = p->gs, .pName = "main"};
    if (b->tessellates) {
        stages[stage_count++] = (VkPipelineShaderStageCreateInfo){
            .stage = VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, .module = p->tcs, .pName = "main"};
        stages[stage_count++] = (VkPipelineShaderStageCreateInfo){
            .stage = VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, .module = p->tes, .pName = "main"};
    }
    const VkPipelineTessellationStateCreateInfo tessellation = {.patchControlPoints = 3};
    const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    const VkPipelineVertexInputStateCreateInfo input = {.vertexBindingDescriptionCount = 1,
                                                        .pVertexBindingDescriptions = &binding,
                                                        .vertexAttributeDescriptionCount = 1,
                                                        .pVertexAttributeDescriptions = &attribute};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .topology = b->tessellates ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, 64, 64, 0, 1};
    const VkRect2D scissor = {{0, 0}, {64, 64}};
    const VkPipelineViewportStateCreateInfo viewports = {
        .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {.lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineColorBlendAttachmentState blend_attachment = {.colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.attachmentCount = 1, .pAttachments = &blend_attachment};
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    const VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                                     .colorAttachmentCount = 1,
                                                     .pColorAttachmentFormats = &format};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = dynamic ? &rendering : NULL,
                                               .pDynamicState = dynamic,
                                               .stageCount = stage_count,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = &tessellation,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pColorBlendState = &blend,
                                               .layout = p->layout,
                                               .renderPass = dynamic ? VK_NULL_HANDLE : b->pass};
    return vc4vk_CreateGraphicsPipelines(b->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline);
}

static VkResult make_pipeline(struct bench *b, struct pipeline *p)
{
    return make_pipeline_with(b, p, NULL);
}

static void destroy_pipeline(struct bench *b, struct pipeline *p)
{
    vc4vk_DestroyPipeline(b->device, p->pipeline, NULL);
    vc4vk_DestroyPipelineLayout(b->device, p->layout, NULL);
    vc4vk_DestroyShaderModule(b->device, p->fs, NULL);
    vc4vk_DestroyShaderModule(b->device, p->gs, NULL);
    vc4vk_DestroyShaderModule(b->device, p->tcs, NULL);
    vc4vk_DestroyShaderModule(b->device, p->tes, NULL);
    vc4vk_DestroyShaderModule(b->device, p->vs, NULL);
}

static void pipelines_survive(void **state)
{
    struct bench *b = *state;
    struct pipeline p;
    assert_int_equal(make_pipeline(b, &p), VK_SUCCESS); /* fills the device's caches */
    destroy_pipeline(b, &p);
    const int before = atomic_load(&live);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    int n = 0;
    for (; result != VK_SUCCESS; n++) {
        atomic_store(&until_failure, n);
        result = make_pipeline(b, &p);
        atomic_store(&until_failure, -1);
        assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY);
        destroy_pipeline(b, &p);
        assert_int_equal(atomic_load(&live), before);
    }
    print_message("# %d allocations failed in turn\n", n - 1);
    assert_true(n > 10);
}

static void pipelines_that_emit_survive(void **state)
{
    struct bench *b = *state;
    b->emits = true;
    pipelines_survive(state);
    b->tessellates = true;
    pipelines_survive(state);
    b->emits = b->tessellates = false;
}

/* ---------------------------------------------------------------- recording */

static void begin_pass(struct bench *b, VkCommandBuffer cmd)
{
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = b->pass,
                                        .framebuffer = b->framebuffer,
                                        .renderArea = {{0, 0}, {60, 50}},
                                        .clearValueCount = 1,
                                        .pClearValues = &(VkClearValue){.color.float32 = {0}}};
    vc4vk_CmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
}

static VkResult begin_commands(struct bench *b, VkCommandPool *pool, VkCommandBuffer *cmd)
{
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    *pool = VK_NULL_HANDLE;
    VkResult result = vc4vk_CreateCommandPool(b->device, &pool_info, NULL, pool);
    const VkCommandBufferAllocateInfo alloc = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = *pool, .commandBufferCount = 1};
    if (result == VK_SUCCESS)
        result = vc4vk_AllocateCommandBuffers(b->device, &alloc, cmd);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    return result == VK_SUCCESS ? vc4vk_BeginCommandBuffer(*cmd, &begin) : result;
}

static VkResult record(struct bench *b, const struct pipeline *p, VkCommandPool *pool)
{
    VkCommandBuffer cmd;
    VkResult result = begin_commands(b, pool, &cmd);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_CmdClearColorImage(cmd, b->image, VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){.float32 = {0}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    begin_pass(b, cmd);
    vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    for (uint32_t i = 0; i < 1000; i++) { /* enough draws to need several blocks of memory */
        vc4vk_CmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, (float[4]){(float)i});
        vc4vk_CmdDraw(cmd, 3, 1, i, 0);
    }
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    vc4vk_CmdClearAttachments(cmd, 1, &clear, 1, &(VkClearRect){{{3, 3}, {5, 5}}, 0, 1});
    vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
    vc4vk_CmdEndRenderPass(cmd);
    return vc4vk_EndCommandBuffer(cmd);
}

/* Records with a new pool, first as it is, then with each allocation failing in turn: nothing may leak. There must be
 * more than `least` allocations. */
static void fail_each_allocation(struct bench *b, const struct pipeline *p,
                                 VkResult (*record_it)(struct bench *b, const struct pipeline *p, VkCommandPool *pool),
                                 int least)
{
    VkCommandPool pool;
    assert_int_equal(record_it(b, p, &pool), VK_SUCCESS);
    vc4vk_DestroyCommandPool(b->device, pool, NULL);
    const int before = atomic_load(&live);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    int n = 0;
    for (; result != VK_SUCCESS; n++) {
        atomic_store(&until_failure, n);
        result = record_it(b, p, &pool);
        atomic_store(&until_failure, -1);
        assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY);
        vc4vk_DestroyCommandPool(b->device, pool, NULL);
        assert_int_equal(atomic_load(&live), before);
    }
    print_message("# %d allocations failed in turn\n", n - 1);
    assert_true(n > least);
}

static void recording_survives(void **state)
{
    struct bench *b = *state;
    struct pipeline p;
    assert_int_equal(make_pipeline(b, &p), VK_SUCCESS);
    fail_each_allocation(b, &p, record, 10);
    destroy_pipeline(b, &p);
}

static void recording_of_expanders_survives(void **state)
{
    struct bench *b = *state;
    b->emits = true;
    recording_survives(state);
    b->emits = false;
}

/* Sets in descriptor buffers, in the image's memory, at an offset of its own for each draw. */
static VkResult record_buffers(struct bench *b, const struct pipeline *p, VkCommandPool *pool)
{
    VkCommandBuffer cmd;
    VkResult result = begin_commands(b, pool, &cmd);
    if (result != VK_SUCCESS)
        return result;
    const VkDeviceMemoryOpaqueCaptureAddressInfo memory = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO, .memory = b->memory};
    const VkDescriptorBufferBindingInfoEXT buffer = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
        .address = vc4vk_GetDeviceMemoryOpaqueCaptureAddressKHR(b->device, &memory)};
    begin_pass(b, cmd);
    vc4vk_CmdBindDescriptorBuffersEXT(cmd, 1, &buffer);
    vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    for (uint32_t i = 0; i < 200; i++) {
        const VkDeviceSize offset_B = 64 * i;
        vc4vk_CmdSetDescriptorBufferOffsetsEXT(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->layout, 0, 1, &(uint32_t){0},
                                               &offset_B);
        vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
    }
    vc4vk_CmdEndRenderPass(cmd);
    return vc4vk_EndCommandBuffer(cmd);
}

static void recording_of_descriptor_buffers_survives(void **state)
{
    struct bench *b = *state;
    const VkDescriptorSetLayout of_pools = b->set_layout;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}, /* read at issue */
    };
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                                  .bindingCount = 3,
                                                  .pBindings = bindings};
    assert_int_equal(vc4vk_CreateDescriptorSetLayout(b->device, &info, NULL, &b->set_layout), VK_SUCCESS);
    struct pipeline p;
    assert_int_equal(make_pipeline(b, &p), VK_SUCCESS);
    fail_each_allocation(b, &p, record_buffers, 5);
    destroy_pipeline(b, &p);
    vc4vk_DestroyDescriptorSetLayout(b->device, b->set_layout, NULL);
    b->set_layout = of_pools;
}

/* Passes without a render pass, and draws that need other instances of the pipeline. */
static VkResult record_dynamic(struct bench *b, const struct pipeline *p, VkCommandPool *pool)
{
    VkCommandBuffer cmd;
    VkResult result = begin_commands(b, pool, &cmd);
    if (result != VK_SUCCESS)
        return result;
    VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = b->view,
                                       .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                       .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .renderArea = {{0, 0}, {60, 50}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color};
    for (uint32_t i = 0; i < 3; i++) { /* the second pass continues the job of the first, the third does not */
        color.loadOp = i == 1 ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
        vc4vk_CmdBeginRenderingKHR(cmd, &info);
        vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
        vc4vk_CmdSetCullModeEXT(cmd, i);
        vc4vk_CmdSetColorWriteEnableEXT(cmd, 1, &(VkBool32){i != 1});
        vc4vk_CmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, (float[4]){(float)i});
        vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
        vc4vk_CmdEndRenderingKHR(cmd);
    }
    return vc4vk_EndCommandBuffer(cmd);
}

/* A secondary that inherits other attachments than the pass has: its draws are copied. */
static VkResult record_executing(struct bench *b, const struct pipeline *p, VkCommandPool *pool)
{
    const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT};
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 2,
        .pColorAttachmentFormats = formats,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = &rendering};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherits};
    const VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                             .imageView = b->view,
                                             .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .flags = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT,
                                  .renderArea = {{0, 0}, {60, 50}},
                                  .layerCount = 1,
                                  .colorAttachmentCount = 1,
                                  .pColorAttachments = &color};
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    VkCommandBuffer cmd, secondary;
    VkResult result = begin_commands(b, pool, &cmd);
    const VkCommandBufferAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = *pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                               .commandBufferCount = 1};
    if (result == VK_SUCCESS)
        result = vc4vk_AllocateCommandBuffers(b->device, &alloc, &secondary);
    if (result == VK_SUCCESS)
        result = vc4vk_BeginCommandBuffer(secondary, &begin);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_CmdBindPipeline(secondary, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    for (uint32_t i = 0; i < 100; i++) {
        vc4vk_CmdSetCullModeEXT(secondary, i & 1);
        vc4vk_CmdPushConstants(secondary, p->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, (float[4]){(float)i});
        vc4vk_CmdDraw(secondary, 3, 1, i, 0);
    }
    vc4vk_CmdClearAttachments(secondary, 1, &clear, 1, &(VkClearRect){{{3, 3}, {5, 5}}, 0, 1});
    result = vc4vk_EndCommandBuffer(secondary);
    if (result != VK_SUCCESS)
        return result;
    vc4vk_CmdBeginRenderingKHR(cmd, &info);
    vc4vk_CmdExecuteCommands(cmd, 1, &secondary);
    vc4vk_CmdEndRenderingKHR(cmd);
    return vc4vk_EndCommandBuffer(cmd);
}

/* Each allocation of a recording with a new pipeline fails. */
static void survives(struct bench *b,
                     VkResult (*record_with)(struct bench *b, const struct pipeline *p, VkCommandPool *pool))
{
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT};
    const VkPipelineDynamicStateCreateInfo dynamic = {.dynamicStateCount = 2, .pDynamicStates = states};
    struct pipeline p;
    VkCommandPool pool;
    assert_int_equal(make_pipeline_with(b, &p, &dynamic), VK_SUCCESS); /* fills the device's caches */
    assert_int_equal(record_with(b, &p, &pool), VK_SUCCESS);
    vc4vk_DestroyCommandPool(b->device, pool, NULL);
    destroy_pipeline(b, &p);
    const int before = atomic_load(&live);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    int n = 0;
    for (; result != VK_SUCCESS; n++) {
        assert_int_equal(make_pipeline_with(b, &p, &dynamic), VK_SUCCESS);
        atomic_store(&until_failure, n);
        result = record_with(b, &p, &pool);
        atomic_store(&until_failure, -1);
        assert_true(result == VK_SUCCESS || result == VK_ERROR_OUT_OF_HOST_MEMORY);
        vc4vk_DestroyCommandPool(b->device, pool, NULL);
        destroy_pipeline(b, &p);
        assert_int_equal(atomic_load(&live), before);
    }
    print_message("# %d allocations failed in turn\n", n - 1);
    assert_true(n > 10);
}

static void instances_survive(void **state)
{
    survives(*state, record_dynamic);
}

static void adapted_secondaries_survive(void **state)
{
    survives(*state, record_executing);
}

/* ---------------------------------------------------------------- prepared state */

/* The program allocates between the pipelines, so that the distances of their addresses vary. */
static void pipelines_created_in_turn_share_no_bucket(void **state)
{
    enum { COUNT = 1 << VC4VK_LOG2_PREPARED };
    struct bench *b = *state;
    struct pipeline p[COUNT];
    void *gaps[COUNT];
    VkCommandPool pool;
    VkCommandBuffer cmd;
    for (uint32_t i = 0; i < COUNT; i++) {
        gaps[i] = malloc(1000 * i + 1);
        assert_int_equal(make_pipeline(b, &p[i]), VK_SUCCESS);
    }
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    assert_int_equal(vc4vk_CreateCommandPool(b->device, &pool_info, NULL, &pool), VK_SUCCESS);
    const VkCommandBufferAllocateInfo alloc = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    assert_int_equal(vc4vk_AllocateCommandBuffers(b->device, &alloc, &cmd), VK_SUCCESS);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    assert_int_equal(vc4vk_BeginCommandBuffer(cmd, &begin), VK_SUCCESS);
    begin_pass(b, cmd);
    for (uint32_t i = 0; i < COUNT; i++) {
        vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p[i].pipeline);
        vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
        const uint32_t buckets = vc4vk_cmd_buffer_from_handle(cmd)->state.prepared_begun;
        assert_int_equal(__builtin_popcount(buckets), i + 1);
    }
    vc4vk_CmdEndRenderPass(cmd);
    assert_int_equal(vc4vk_EndCommandBuffer(cmd), VK_SUCCESS);
    vc4vk_DestroyCommandPool(b->device, pool, NULL);
    for (uint32_t i = 0; i < COUNT; i++) {
        destroy_pipeline(b, &p[i]);
        free(gaps[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pipelines_survive),
        cmocka_unit_test(pipelines_that_emit_survive),
        cmocka_unit_test(recording_survives),
        cmocka_unit_test(recording_of_expanders_survives),
        cmocka_unit_test(recording_of_descriptor_buffers_survives),
        cmocka_unit_test(instances_survive),
        cmocka_unit_test(adapted_secondaries_survive),
        cmocka_unit_test(pipelines_created_in_turn_share_no_bucket),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
