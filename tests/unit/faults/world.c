/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "util/macros.h"
#include "world.h"

#include "faults.comp.h" /* rely on stdint.h above */
#include "faults.frag.h"
#include "faults.geom.h"
#include "faults.tesc.h"
#include "faults.tese.h"
#include "faults.vert.h"

#define SIDE_PX 64u
#define WAIT_NS UINT64_C(20000000000)

/* Makes the caller return the result of a call that fails. */
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult try_result = (call);                                                                                  \
        if (try_result != VK_SUCCESS) {                                                                                \
            w->failed_call = #call;                                                                                    \
            return try_result;                                                                                         \
        }                                                                                                              \
    } while (0)

/* ---------------------------------------------------------------- instance and device */

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    return VK_FALSE;
}

static VkResult make_instance(struct world *w)
{
    static const char *const extensions[] = {
        VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
        VK_KHR_EXTERNAL_MEMORY_CAPABILITIES_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .enabledExtensionCount = ARRAY_SIZE(extensions),
                                       .ppEnabledExtensionNames = extensions};
    TRY(vc4vk_CreateInstance(&info, w->alloc, &w->instance));
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .pfnUserCallback = on_message};
    TRY(vc4vk_CreateDebugUtilsMessengerEXT(w->instance, &messenger, w->alloc, &w->messenger));
    const VkHeadlessSurfaceCreateInfoEXT surface = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    TRY(vc4vk_CreateHeadlessSurfaceEXT(w->instance, &surface, w->alloc, &w->surface));
    uint32_t count = 1;
    TRY(vc4vk_EnumeratePhysicalDevices(w->instance, &count, &w->physical));
    return count ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
}

static VkResult make_device(struct world *w)
{
    static const char *const extensions[] = {
        VK_KHR_SWAPCHAIN_EXTENSION_NAME,
        VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,
        VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
        VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME,
        VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
        VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,
    };
    const float priority = 1;
    const VkDeviceQueueCreateInfo queues[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 1,
         .queueCount = 1,
         .pQueuePriorities = &priority},
    };
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = ARRAY_SIZE(queues),
                                     .pQueueCreateInfos = queues,
                                     .enabledExtensionCount = ARRAY_SIZE(extensions),
                                     .ppEnabledExtensionNames = extensions};
    TRY(vc4vk_CreateDevice(w->physical, &info, w->alloc, &w->device));
    vc4vk_GetDeviceQueue(w->device, 0, 0, &w->queue);
    vc4vk_GetDeviceQueue(w->device, 1, 0, &w->transfer_queue);
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- memory, buffers, images */

static VkResult make_buffer(struct world *w, uint32_t which, VkDeviceSize size_B, VkBufferUsageFlags usage)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size_B,
        .usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    TRY(vc4vk_CreateBuffer(w->device, &info, w->alloc, &w->buffers[which]));
    VkMemoryRequirements req;
    vc4vk_GetBufferMemoryRequirements(w->device, w->buffers[which], &req);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = req.size};
    TRY(vc4vk_AllocateMemory(w->device, &allocate, w->alloc, &w->buffer_memory[which]));
    TRY(vc4vk_BindBufferMemory(w->device, w->buffers[which], w->buffer_memory[which], 0));
    void *map;
    TRY(vc4vk_MapMemory(w->device, w->buffer_memory[which], 0, VK_WHOLE_SIZE, 0, &map));
    memset(map, 0, (size_t)size_B);
    return VK_SUCCESS;
}

static VkResult make_image(struct world *w, uint32_t which, VkFormat format, VkImageUsageFlags usage)
{
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {SIDE_PX, SIDE_PX, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    TRY(vc4vk_CreateImage(w->device, &info, w->alloc, &w->images[which]));
    VkMemoryRequirements req;
    vc4vk_GetImageMemoryRequirements(w->device, w->images[which], &req);
    const VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = req.size};
    TRY(vc4vk_AllocateMemory(w->device, &allocate, w->alloc, &w->image_memory[which]));
    TRY(vc4vk_BindImageMemory(w->device, w->images[which], w->image_memory[which], 0));
    const VkImageAspectFlags aspect =
        which == WORLD_DEPTH ? VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = w->images[which],
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {aspect, 0, 1, 0, 1}};
    TRY(vc4vk_CreateImageView(w->device, &view, w->alloc, &w->views[which]));
    return VK_SUCCESS;
}

/* dma-bufs where the kernel makes them, otherwise opaque descriptors. */
static VkExternalMemoryHandleTypeFlagBits shared_type(const struct world *w)
{
    const VkPhysicalDeviceExternalBufferInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                                     .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
    VkExternalBufferProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vc4vk_GetPhysicalDeviceExternalBufferPropertiesKHR(w->physical, &info, &properties);
    return properties.externalMemoryProperties.externalMemoryFeatures ? info.handleType
                                                                      : VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
}

/* A successful import takes ownership of the descriptor; otherwise it is closed here. */
static VkResult import_memory(struct world *w, int fd)
{
    const VkImportMemoryFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = shared_type(w), .fd = fd};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = 4096};
    VkResult result = vc4vk_AllocateMemory(w->device, &info, w->alloc, &w->imported);
    if (result != VK_SUCCESS)
        close(fd);
    return result;
}

static VkResult share_memory(struct world *w)
{
    const VkExternalMemoryHandleTypeFlagBits type = shared_type(w);
    const VkExportMemoryAllocateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                              .handleTypes = type};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &share, .allocationSize = 4096};
    TRY(vc4vk_AllocateMemory(w->device, &info, w->alloc, &w->exported));
    int fd;
    const VkMemoryGetFdInfoKHR get = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = w->exported, .handleType = type};
    TRY(vc4vk_GetMemoryFdKHR(w->device, &get, &fd));
    if (type ==
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) { /* the import maps it then, as one of another driver */
        vc4vk_FreeMemory(w->device, w->exported, w->alloc);
        w->exported = VK_NULL_HANDLE;
    }
    TRY(import_memory(w, fd));
    return VK_SUCCESS;
}

static VkResult make_resources(struct world *w)
{
    TRY(make_buffer(w, WORLD_STAGE, 65536, 0));
    TRY(make_buffer(w, WORLD_VERTEX, 256, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT));
    TRY(make_buffer(w, WORLD_UNIFORM, 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT));
    TRY(make_buffer(w, WORLD_OUT, 4096, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT));
    TRY(make_buffer(w, WORLD_TEXELS, 256, VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT));
    const VkBufferViewCreateInfo texels = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                           .buffer = w->buffers[WORLD_TEXELS],
                                           .format = VK_FORMAT_R8G8B8A8_UNORM,
                                           .range = VK_WHOLE_SIZE};
    TRY(vc4vk_CreateBufferView(w->device, &texels, w->alloc, &w->texels));
    TRY(make_image(w, WORLD_TARGET, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT));
    TRY(make_image(w, WORLD_DEPTH, VK_FORMAT_D24_UNORM_S8_UINT, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT));
    TRY(make_image(w, WORLD_TEXTURE, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT));
    const VkSamplerCreateInfo sampler = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    TRY(vc4vk_CreateSampler(w->device, &sampler, w->alloc, &w->sampler));
    return share_memory(w);
}

/* ---------------------------------------------------------------- synchronisation and queries */

static VkResult make_sync(struct world *w)
{
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(vc4vk_CreateFence(w->device, &fence, w->alloc, &w->fence));
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    TRY(vc4vk_CreateSemaphore(w->device, &semaphore, w->alloc, &w->semaphore));
    semaphore.pNext = &type;
    TRY(vc4vk_CreateSemaphore(w->device, &semaphore, w->alloc, &w->timeline));
    semaphore.pNext = &share;
    TRY(vc4vk_CreateSemaphore(w->device, &semaphore, w->alloc, &w->exported_semaphore));
    int fd;
    const VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                         .semaphore = w->exported_semaphore,
                                         .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    TRY(vc4vk_GetSemaphoreFdKHR(w->device, &get, &fd));
    close(fd);
    const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    TRY(vc4vk_CreateEvent(w->device, &event, w->alloc, &w->event));
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 2};
    TRY(vc4vk_CreateQueryPool(w->device, &queries, w->alloc, &w->queries));
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- descriptors */

static VkResult make_descriptors(struct world *w)
{
    const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
    };
    const VkDescriptorSetLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                    .bindingCount = ARRAY_SIZE(bindings),
                                                    .pBindings = bindings};
    TRY(vc4vk_CreateDescriptorSetLayout(w->device, &layout, w->alloc, &w->set_layout));
    VkDescriptorPoolSize sizes[ARRAY_SIZE(bindings)];
    for (uint32_t i = 0; i < ARRAY_SIZE(bindings); i++)
        sizes[i] = (VkDescriptorPoolSize){bindings[i].descriptorType, 1};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = ARRAY_SIZE(sizes),
                                             .pPoolSizes = sizes};
    TRY(vc4vk_CreateDescriptorPool(w->device, &pool, w->alloc, &w->descriptor_pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = w->descriptor_pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &w->set_layout};
    TRY(vc4vk_AllocateDescriptorSets(w->device, &allocate, &w->set));
    const VkDescriptorImageInfo image = {w->sampler, w->views[WORLD_TEXTURE], VK_IMAGE_LAYOUT_GENERAL};
    const VkDescriptorBufferInfo uniform = {w->buffers[WORLD_UNIFORM], 0, VK_WHOLE_SIZE};
    const VkDescriptorBufferInfo out = {w->buffers[WORLD_OUT], 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet writes[ARRAY_SIZE(bindings)];
    for (uint32_t i = 0; i < ARRAY_SIZE(bindings); i++)
        writes[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                           .dstSet = w->set,
                                           .dstBinding = i,
                                           .descriptorCount = 1,
                                           .descriptorType = bindings[i].descriptorType,
                                           .pImageInfo = &image,
                                           .pBufferInfo = i ? &out : &uniform,
                                           .pTexelBufferView = &w->texels};
    vc4vk_UpdateDescriptorSets(w->device, ARRAY_SIZE(writes), writes, 0, NULL);
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- passes and pipelines */

static VkResult make_pass(struct world *w)
{
    VkAttachmentDescription attachments[2];
    for (uint32_t i = 0; i < 2; i++)
        attachments[i] = (VkAttachmentDescription){
            .format = i ? VK_FORMAT_D24_UNORM_S8_UINT : VK_FORMAT_R8G8B8A8_UNORM,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {
        .colorAttachmentCount = 1, .pColorAttachments = &color, .pDepthStencilAttachment = &depth};
    const VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 2,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    TRY(vc4vk_CreateRenderPass(w->device, &pass, w->alloc, &w->pass));
    const VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                                 .renderPass = w->pass,
                                                 .attachmentCount = 2,
                                                 .pAttachments = w->views,
                                                 .width = SIDE_PX,
                                                 .height = SIDE_PX,
                                                 .layers = 1};
    TRY(vc4vk_CreateFramebuffer(w->device, &framebuffer, w->alloc, &w->framebuffer));
    return VK_SUCCESS;
}

static VkPipelineShaderStageCreateInfo stage(const struct world *w, uint32_t module, VkShaderStageFlagBits bit)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = bit,
                                             .module = w->modules[module],
                                             .pName = "main"};
}

static VkResult make_graphics_pipeline(struct world *w, bool has_patches, VkPipeline *out)
{
    const VkPipelineShaderStageCreateInfo stages[] = {
        stage(w, 0, VK_SHADER_STAGE_VERTEX_BIT), stage(w, 1, VK_SHADER_STAGE_FRAGMENT_BIT),
        stage(w, 3, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT), stage(w, 4, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT),
        stage(w, 5, VK_SHADER_STAGE_GEOMETRY_BIT)};
    const VkPipelineTessellationStateCreateInfo tessellation = {.patchControlPoints = 3};
    const VkVertexInputBindingDescription binding = {0, 16, VK_VERTEX_INPUT_RATE_VERTEX};
    const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0};
    const VkPipelineVertexInputStateCreateInfo input = {.vertexBindingDescriptionCount = 1,
                                                        .pVertexBindingDescriptions = &binding,
                                                        .vertexAttributeDescriptionCount = 1,
                                                        .pVertexAttributeDescriptions = &attribute};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .topology = has_patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    const VkViewport viewport = {0, 0, SIDE_PX, SIDE_PX, 0, 1};
    const VkRect2D scissor = {{0, 0}, {SIDE_PX, SIDE_PX}};
    const VkPipelineViewportStateCreateInfo viewports = {
        .viewportCount = 1, .pViewports = &viewport, .scissorCount = 1, .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {.lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .depthTestEnable = VK_TRUE, .depthWriteEnable = VK_TRUE, .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
    const VkPipelineColorBlendAttachmentState blend_attachment = {.blendEnable = VK_TRUE,
                                                                  .srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                  .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                                                  .colorWriteMask = 0xf};
    const VkPipelineColorBlendStateCreateInfo blend = {.attachmentCount = 1, .pAttachments = &blend_attachment};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .stageCount = has_patches ? ARRAY_SIZE(stages) : 2,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = &tessellation,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .layout = w->layout,
                                               .renderPass = w->pass};
    TRY(vc4vk_CreateGraphicsPipelines(w->device, w->cache, 1, &info, w->alloc, out));
    return VK_SUCCESS;
}

static VkResult make_pipelines(struct world *w)
{
    const VkPipelineCacheCreateInfo cache = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    TRY(vc4vk_CreatePipelineCache(w->device, &cache, w->alloc, &w->cache));
    TRY(vc4vk_CreatePipelineCache(w->device, &cache, w->alloc, &w->other_cache));
    const VkShaderModuleCreateInfo modules[] = {
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_vert, .pCode = faults_vert},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_frag, .pCode = faults_frag},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_comp, .pCode = faults_comp},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_tesc, .pCode = faults_tesc},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_tese, .pCode = faults_tese},
        {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = sizeof faults_geom, .pCode = faults_geom},
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(modules); i++)
        TRY(vc4vk_CreateShaderModule(w->device, &modules[i], w->alloc, &w->modules[i]));
    const VkPushConstantRange push = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &w->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &push};
    TRY(vc4vk_CreatePipelineLayout(w->device, &layout, w->alloc, &w->layout));
    TRY(make_graphics_pipeline(w, false, &w->pipeline));
    TRY(make_graphics_pipeline(w, true, &w->patches));
    const VkComputePipelineCreateInfo compute = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                                 .stage = stage(w, 2, VK_SHADER_STAGE_COMPUTE_BIT),
                                                 .layout = w->layout};
    TRY(vc4vk_CreateComputePipelines(w->device, w->cache, 1, &compute, w->alloc, &w->compute));
    TRY(vc4vk_MergePipelineCaches(w->device, w->other_cache, 1, &w->cache));
    size_t size_B = 0;
    TRY(vc4vk_GetPipelineCacheData(w->device, w->cache, &size_B, NULL));
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- commands */

static VkResult make_command_buffer(struct world *w, uint32_t family, VkCommandBufferLevel level, VkCommandPool *pool,
                                    VkCommandBuffer *out)
{
    const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = family};
    if (!*pool)
        TRY(vc4vk_CreateCommandPool(w->device, &info, w->alloc, pool));
    const VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                  .commandPool = *pool,
                                                  .level = level,
                                                  .commandBufferCount = 1};
    TRY(vc4vk_AllocateCommandBuffers(w->device, &allocate, out));
    return VK_SUCCESS;
}

static void draw(const struct world *w, VkCommandBuffer cmd)
{
    vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->pipeline);
    vc4vk_CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->layout, 0, 1, &w->set, 0, NULL);
    vc4vk_CmdBindVertexBuffers(cmd, 0, 1, &w->buffers[WORLD_VERTEX], &(VkDeviceSize){0});
    vc4vk_CmdBindIndexBuffer(cmd, w->buffers[WORLD_VERTEX], 0, VK_INDEX_TYPE_UINT32);
    vc4vk_CmdPushConstants(cmd, w->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, 16, (float[4]){0});
    vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
    vc4vk_CmdDrawIndexed(cmd, 3, 2, 0, 0, 0);
}

static VkResult record_secondary(struct world *w)
{
    TRY(make_command_buffer(w, 0, VK_COMMAND_BUFFER_LEVEL_SECONDARY, &w->pool, &w->secondary));
    const VkCommandBufferInheritanceInfo inherit = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                    .renderPass = w->pass};
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                            .pInheritanceInfo = &inherit};
    TRY(vc4vk_BeginCommandBuffer(w->secondary, &begin));
    draw(w, w->secondary);
    TRY(vc4vk_EndCommandBuffer(w->secondary));
    return VK_SUCCESS;
}

static void record_passes(struct world *w, VkCommandBuffer cmd)
{
    const VkClearValue clears[2] = {{.color.float32 = {0}}, {.depthStencil = {1, 0}}};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = w->pass,
                                        .framebuffer = w->framebuffer,
                                        .renderArea = {{0, 0}, {SIDE_PX - 4, SIDE_PX}},
                                        .clearValueCount = 2,
                                        .pClearValues = clears};
    vc4vk_CmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_INLINE);
    draw(w, cmd);
    vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, w->patches);
    vc4vk_CmdDraw(cmd, 3, 1, 0, 0);
    const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
    vc4vk_CmdClearAttachments(cmd, 1, &clear, 1, &(VkClearRect){{{3, 3}, {5, 5}}, 0, 1});
    vc4vk_CmdEndRenderPass(cmd);
    vc4vk_CmdBeginRenderPass(cmd, &pass, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vc4vk_CmdExecuteCommands(cmd, 1, &w->secondary);
    vc4vk_CmdEndRenderPass(cmd);
}

static void record_transfers(struct world *w, VkCommandBuffer cmd)
{
    const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    const VkImageLayout general = VK_IMAGE_LAYOUT_GENERAL;
    const VkBufferImageCopy to_image = {.imageSubresource = layers, .imageExtent = {SIDE_PX, SIDE_PX, 1}};
    const VkOffset3D corner = {SIDE_PX, SIDE_PX, 1};
    const VkImageBlit blit = {layers, {{0}, corner}, layers, {{0}, corner}};
    vc4vk_CmdClearColorImage(cmd, w->images[WORLD_TARGET], general, &(VkClearColorValue){.float32 = {0}}, 1,
                             &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
    vc4vk_CmdCopyBufferToImage(cmd, w->buffers[WORLD_STAGE], w->images[WORLD_TEXTURE], general, 1, &to_image);
    vc4vk_CmdBlitImage(cmd, w->images[WORLD_TEXTURE], general, w->images[WORLD_TARGET], general, 1, &blit,
                       VK_FILTER_NEAREST);
    vc4vk_CmdUpdateBuffer(cmd, w->buffers[WORLD_UNIFORM], 0, 16, (uint32_t[4]){0});
    vc4vk_CmdFillBuffer(cmd, w->buffers[WORLD_TEXELS], 0, VK_WHOLE_SIZE, 0);
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT};
    vc4vk_CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                             &barrier, 0, NULL, 0, NULL);
}

static VkResult record(struct world *w)
{
    TRY(record_secondary(w));
    TRY(make_command_buffer(w, 0, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &w->pool, &w->primary));
    TRY(make_command_buffer(w, 1, VK_COMMAND_BUFFER_LEVEL_PRIMARY, &w->transfer_pool, &w->transfer));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer cmd = w->primary;
    TRY(vc4vk_BeginCommandBuffer(cmd, &begin));
    const VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "all"};
    vc4vk_CmdBeginDebugUtilsLabelEXT(cmd, &label);
    vc4vk_CmdResetQueryPool(cmd, w->queries, 0, 2);
    vc4vk_CmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, w->queries, 0);
    record_transfers(w, cmd);
    record_passes(w, cmd);
    vc4vk_CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, w->compute);
    vc4vk_CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, w->layout, 0, 1, &w->set, 0, NULL);
    vc4vk_CmdDispatch(cmd, 4, 1, 1);
    vc4vk_CmdSetEvent(cmd, w->event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    vc4vk_CmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, w->queries, 1);
    vc4vk_CmdCopyQueryPoolResults(cmd, w->queries, 0, 2, w->buffers[WORLD_OUT], 0, 8, VK_QUERY_RESULT_64_BIT);
    vc4vk_CmdEndDebugUtilsLabelEXT(cmd);
    TRY(vc4vk_EndCommandBuffer(cmd));
    TRY(vc4vk_BeginCommandBuffer(w->transfer, &begin));
    vc4vk_CmdCopyBuffer(w->transfer, w->buffers[WORLD_STAGE], w->buffers[WORLD_VERTEX], 1, &(VkBufferCopy){0, 0, 256});
    TRY(vc4vk_EndCommandBuffer(w->transfer));
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- queues and presentation */

static VkResult submit_and_wait(struct world *w)
{
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const uint64_t one = 1, zero = 0;
    const VkSemaphore signals[] = {w->semaphore, w->timeline};
    const uint64_t signal_values[] = {zero, one};
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .signalSemaphoreValueCount = 2,
                                                  .pSignalSemaphoreValues = signal_values};
    const VkSubmitInfo first = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                .pNext = &values,
                                .commandBufferCount = 1,
                                .pCommandBuffers = &w->transfer,
                                .signalSemaphoreCount = 2,
                                .pSignalSemaphores = signals};
    const VkSubmitInfo second = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &w->semaphore,
                                 .pWaitDstStageMask = &all,
                                 .commandBufferCount = 1,
                                 .pCommandBuffers = &w->primary,
                                 .signalSemaphoreCount = 1,
                                 .pSignalSemaphores = &w->exported_semaphore};
    TRY(vc4vk_QueueSubmit(w->transfer_queue, 1, &first, VK_NULL_HANDLE));
    TRY(vc4vk_QueueSubmit(w->queue, 1, &second, w->fence));
    TRY(vc4vk_WaitForFences(w->device, 1, &w->fence, VK_TRUE, WAIT_NS));
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &w->timeline,
                                      .pValues = &one};
    TRY(vc4vk_WaitSemaphoresKHR(w->device, &wait, WAIT_NS));
    uint64_t times[2];
    TRY(vc4vk_GetQueryPoolResults(w->device, w->queries, 0, 2, sizeof times, times, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    return VK_SUCCESS;
}

static VkResult present(struct world *w)
{
    const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                           .surface = w->surface,
                                           .minImageCount = 2,
                                           .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                           .imageExtent = {SIDE_PX, SIDE_PX},
                                           .imageArrayLayers = 1,
                                           .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                           .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                           .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                           .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    TRY(vc4vk_CreateSwapchainKHR(w->device, &info, w->alloc, &w->swapchain));
    TRY(vc4vk_ResetFences(w->device, 1, &w->fence));
    TRY(vc4vk_AcquireNextImageKHR(w->device, w->swapchain, WAIT_NS, VK_NULL_HANDLE, w->fence, &w->presented));
    TRY(vc4vk_WaitForFences(w->device, 1, &w->fence, VK_TRUE, WAIT_NS));
    const VkPresentInfoKHR show = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &w->exported_semaphore,
                                   .swapchainCount = 1,
                                   .pSwapchains = &w->swapchain,
                                   .pImageIndices = &w->presented};
    TRY(vc4vk_QueuePresentKHR(w->queue, &show));
    TRY(vc4vk_QueueWaitIdle(w->queue));
    TRY(vc4vk_DeviceWaitIdle(w->device));
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- sparse memory */

#define SPARSE_B (4u << 16) /* of the buffer and of its memory */

static VkResult make_sparse(struct world *w)
{
    const VkPhysicalDeviceFeatures features = {
        .sparseBinding = VK_TRUE, .sparseResidencyBuffer = VK_TRUE, .sparseResidencyAliased = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .pEnabledFeatures = &features};
    TRY(vc4vk_CreateDevice(w->physical, &device, w->alloc, &w->sparse_device));
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
                                                VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
                                                VK_BUFFER_CREATE_SPARSE_ALIASED_BIT,
                                       .size = SPARSE_B,
                                       .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    TRY(vc4vk_CreateBuffer(w->sparse_device, &buffer, w->alloc, &w->sparse_buffer));
    const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = VK_FORMAT_R8G8B8A8_UNORM,
                                     .extent = {SIDE_PX, SIDE_PX, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    TRY(vc4vk_CreateImage(w->sparse_device, &image, w->alloc, &w->sparse_image));
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = SPARSE_B};
    TRY(vc4vk_AllocateMemory(w->sparse_device, &memory, w->alloc, &w->sparse_memory));
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    TRY(vc4vk_CreateFence(w->sparse_device, &fence, w->alloc, &w->sparse_fence));
    return VK_SUCCESS;
}

static VkResult bind_sparse(struct world *w)
{
    VkPhysicalDeviceFeatures has;
    vc4vk_GetPhysicalDeviceFeatures(w->physical, &has);
    if (!has.sparseBinding)
        return VK_SUCCESS;
    TRY(make_sparse(w));
    VkQueue queue;
    vc4vk_GetDeviceQueue(w->sparse_device, 0, 0, &queue);
    VkMemoryRequirements req;
    vc4vk_GetBufferMemoryRequirements(w->sparse_device, w->sparse_buffer, &req);
    VkSparseMemoryBind binds[40];
    for (uint32_t i = 0; i < ARRAY_SIZE(binds); i++) /* many: not all on the scheduling thread */
        binds[i] = (VkSparseMemoryBind){.resourceOffset = i % (SPARSE_B / req.alignment) * req.alignment,
                                        .size = req.alignment,
                                        .memory = i % 3 ? w->sparse_memory : VK_NULL_HANDLE,
                                        .memoryOffset = i * 5 % (SPARSE_B / req.alignment) * req.alignment};
    const VkSparseMemoryBind whole = {.size = req.alignment, .memory = w->sparse_memory};
    const VkSparseBufferMemoryBindInfo buffer = {w->sparse_buffer, ARRAY_SIZE(binds), binds};
    const VkSparseImageOpaqueMemoryBindInfo image = {w->sparse_image, 1, &whole};
    const VkBindSparseInfo batches[] = {
        {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .bufferBindCount = 1, .pBufferBinds = &buffer},
        {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageOpaqueBindCount = 1, .pImageOpaqueBinds = &image},
    };
    TRY(vc4vk_QueueBindSparse(queue, ARRAY_SIZE(batches), batches, w->sparse_fence));
    TRY(vc4vk_WaitForFences(w->sparse_device, 1, &w->sparse_fence, VK_TRUE, WAIT_NS));
    return VK_SUCCESS;
}

static void destroy_sparse(struct world *w)
{
    if (!w->sparse_device)
        return;
    (void)vc4vk_DeviceWaitIdle(w->sparse_device);
    vc4vk_DestroyFence(w->sparse_device, w->sparse_fence, w->alloc);
    vc4vk_DestroyBuffer(w->sparse_device, w->sparse_buffer, w->alloc);
    vc4vk_DestroyImage(w->sparse_device, w->sparse_image, w->alloc);
    vc4vk_FreeMemory(w->sparse_device, w->sparse_memory, w->alloc);
    vc4vk_DestroyDevice(w->sparse_device, w->alloc);
}

/* ---------------------------------------------------------------- the whole program */

VkResult world_run(struct world *w, const VkAllocationCallbacks *alloc)
{
    static VkResult (*const steps[])(struct world *) = {
        make_instance,  make_device, make_resources,  make_sync, make_descriptors, make_pass,
        make_pipelines, record,      submit_and_wait, present,   bind_sparse,
    };
    *w = (struct world){.alloc = alloc};
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < ARRAY_SIZE(steps) && result == VK_SUCCESS; i++)
        result = steps[i](w);
    return result;
}

static void destroy_on_device(struct world *w)
{
    VkDevice device = w->device;
    (void)vc4vk_DeviceWaitIdle(device);
    vc4vk_DestroySwapchainKHR(device, w->swapchain, w->alloc);
    vc4vk_DestroyCommandPool(device, w->pool, w->alloc);
    vc4vk_DestroyCommandPool(device, w->transfer_pool, w->alloc);
    vc4vk_DestroyPipeline(device, w->pipeline, w->alloc);
    vc4vk_DestroyPipeline(device, w->patches, w->alloc);
    vc4vk_DestroyPipeline(device, w->compute, w->alloc);
    vc4vk_DestroyPipelineLayout(device, w->layout, w->alloc);
    for (uint32_t i = 0; i < ARRAY_SIZE(w->modules); i++)
        vc4vk_DestroyShaderModule(device, w->modules[i], w->alloc);
    vc4vk_DestroyPipelineCache(device, w->cache, w->alloc);
    vc4vk_DestroyPipelineCache(device, w->other_cache, w->alloc);
    vc4vk_DestroyFramebuffer(device, w->framebuffer, w->alloc);
    vc4vk_DestroyRenderPass(device, w->pass, w->alloc);
    vc4vk_DestroyDescriptorPool(device, w->descriptor_pool, w->alloc);
    vc4vk_DestroyDescriptorSetLayout(device, w->set_layout, w->alloc);
    vc4vk_DestroyQueryPool(device, w->queries, w->alloc);
    vc4vk_DestroyEvent(device, w->event, w->alloc);
    vc4vk_DestroySemaphore(device, w->timeline, w->alloc);
    vc4vk_DestroySemaphore(device, w->exported_semaphore, w->alloc);
    vc4vk_DestroySemaphore(device, w->semaphore, w->alloc);
    vc4vk_DestroyFence(device, w->fence, w->alloc);
    vc4vk_DestroySampler(device, w->sampler, w->alloc);
    vc4vk_DestroyBufferView(device, w->texels, w->alloc);
    for (uint32_t i = 0; i < WORLD_IMAGES; i++) {
        vc4vk_DestroyImageView(device, w->views[i], w->alloc);
        vc4vk_DestroyImage(device, w->images[i], w->alloc);
        vc4vk_FreeMemory(device, w->image_memory[i], w->alloc);
    }
    for (uint32_t i = 0; i < WORLD_BUFFERS; i++) {
        vc4vk_DestroyBuffer(device, w->buffers[i], w->alloc);
        vc4vk_FreeMemory(device, w->buffer_memory[i], w->alloc);
    }
    vc4vk_FreeMemory(device, w->exported, w->alloc);
    vc4vk_FreeMemory(device, w->imported, w->alloc);
    vc4vk_DestroyDevice(device, w->alloc);
}

void world_destroy(struct world *w)
{
    destroy_sparse(w);
    if (w->device)
        destroy_on_device(w);
    if (!w->instance)
        return;
    vc4vk_DestroySurfaceKHR(w->instance, w->surface, w->alloc);
    vc4vk_DestroyDebugUtilsMessengerEXT(w->instance, w->messenger, w->alloc);
    vc4vk_DestroyInstance(w->instance, w->alloc);
}
