/* SPDX-License-Identifier: MIT
 *
 * Creates the objects of the random programs of test_misuse.c.
 */
#include <string.h>
#include "misuse.h"
#include "color.frag.h"
#include "color.vert.h"
#include "compute_add.comp.h"
#include "engine_white.frag.h"
#include "full.vert.h"
#include "push.frag.h"
#include "texture.frag.h"
#include "ubo.frag.h"
#include "ubo.vert.h"

static void make_memory(void)
{
    VkDeviceMemory memory;
    const VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                       .allocationSize = u64(1u << (12 + below(8))),
                                       .memoryTypeIndex = u32(0)};
    if (info.allocationSize > 1u << 24 && info.allocationSize < UINT64_C(1) << 40)
        return; /* the machine may really have that much memory, which other programs need */
    misuse_keep(MEMORY, vkAllocateMemory(misuse.device, &info, NULL, &memory), &memory);
}

static void make_buffer(void)
{
    VkBuffer buffer;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .flags = u32(below(4) ? 0 : below(8)),
                               .size = u64(1u << below(17)),
                               .usage = u32(0x1ff),
                               .sharingMode = u32(0)};
    if ((info.flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT) && info.size <= UINT32_MAX)
        info.size %= 1u << 20; /* no memory limits it, and commands would write to all of it */
    VkResult result = vkCreateBuffer(misuse.device, &info, NULL, &buffer);
    misuse_keep(BUFFER, result, &buffer);
    if (result == VK_SUCCESS) {
        VkMemoryRequirements needs;
        vkGetBufferMemoryRequirements(misuse.device, buffer, &needs);
    }
}

static void make_image(void)
{
    VkImage image;
    const bool is_3d = rarely();
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .flags = u32(0),
                                    .imageType = is_3d ? VK_IMAGE_TYPE_3D : (VkImageType)u32(VK_IMAGE_TYPE_2D),
                                    .format = format(),
                                    .extent = {u32(1u << below(8)), u32(1u << below(8)), u32(is_3d ? 4 : 1)},
                                    .mipLevels = u32(1 + below(4)),
                                    .arrayLayers = u32(1 + below(3)),
                                    .samples = (VkSampleCountFlagBits)PICK(1, 1, 1, 4),
                                    .tiling = (VkImageTiling)PICK(0, 0, 0, 1),
                                    .usage = u32(ONE_OF(0x17, 0x1f, 0x27, 0x97, 0x07)),
                                    .sharingMode = u32(0),
                                    .initialLayout = u32(0)};
    VkResult result = vkCreateImage(misuse.device, &info, NULL, &image);
    misuse_keep(IMAGE, result, &image);
    if (result == VK_SUCCESS) {
        VkMemoryRequirements needs;
        VkSubresourceLayout layout;
        const VkImageSubresource subresource = {aspect(), u32(0), u32(0)};
        vkGetImageMemoryRequirements(misuse.device, image, &needs);
        if (info.tiling == VK_IMAGE_TILING_LINEAR)
            vkGetImageSubresourceLayout(misuse.device, image, &subresource, &layout);
    }
}

/* Binds memory to a random buffer or image; some of them never get any. */
static void bind_something(void)
{
    VkDeviceMemory memory = SOME(VkDeviceMemory, MEMORY);
    if (!memory)
        return;
#if defined(__SANITIZE_THREAD__)
    vkDeviceWaitIdle(misuse.device); /* or the thread sanitizer reports the application's own race */
#endif
    if (below(2) && misuse_pick(BUFFER))
        vkBindBufferMemory(misuse.device, SOME(VkBuffer, BUFFER), memory, u64(0));
    else if (misuse_pick(IMAGE))
        vkBindImageMemory(misuse.device, SOME(VkImage, IMAGE), memory, u64(0));
}

static VkComponentMapping swizzle(void)
{
    return (VkComponentMapping){u32(below(7)), u32(below(7)), u32(below(7)), u32(below(7))};
}

static void make_view(void)
{
    VkImageView view;
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = SOME(VkImage, IMAGE),
                                        .viewType = (VkImageViewType)PICK(1, 1, 1, 0, 2, 3, 4, 5, 6),
                                        .format = format(),
                                        .components = swizzle(),
                                        .subresourceRange = {aspect(), u32(0), u32(1), u32(0), u32(1)}};
    if (info.image)
        misuse_keep(VIEW, vkCreateImageView(misuse.device, &info, NULL, &view), &view);
}

static void make_buffer_view(void)
{
    VkBufferView view;
    const VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                         .buffer = SOME(VkBuffer, BUFFER),
                                         .format = format(),
                                         .offset = u64(0),
                                         .range = u64(VK_WHOLE_SIZE)};
    if (info.buffer)
        misuse_keep(BUFFER_VIEW, vkCreateBufferView(misuse.device, &info, NULL, &view), &view);
}

static void make_sampler(void)
{
    VkSampler sampler;
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = u32(below(2)),
                                      .minFilter = u32(below(2)),
                                      .mipmapMode = u32(below(2)),
                                      .addressModeU = u32(below(5)),
                                      .addressModeV = u32(below(5)),
                                      .addressModeW = u32(below(5)),
                                      .mipLodBias = number(0),
                                      .anisotropyEnable = below(2),
                                      .maxAnisotropy = number(4),
                                      .compareEnable = rarely(),
                                      .compareOp = u32(below(8)),
                                      .minLod = number(0),
                                      .maxLod = number(10),
                                      .borderColor = u32(below(6)),
                                      .unnormalizedCoordinates = rarely()};
    misuse_keep(SAMPLER, vkCreateSampler(misuse.device, &info, NULL, &sampler), &sampler);
}

static void make_set_layout(void)
{
    VkDescriptorSetLayoutBinding bindings[4];
    VkDescriptorBindingFlags flags[VKT_COUNT(bindings)];
    VkSampler samplers[MISUSE_MANY];
    const bool has_samplers = misuse_pick(SAMPLER) && rarely();
    const uint32_t count = below(VKT_COUNT(bindings) + 1);
    for (uint32_t i = 0; i < MISUSE_MANY; i++)
        samplers[i] = SOME(VkSampler, SAMPLER);
    for (uint32_t i = 0; i < count; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding){u32(i), (VkDescriptorType)PICK(0, 1, 2, 3, 6, 6, 7, 7, 8, 10),
                                                     has_samplers ? below(MISUSE_MANY) : u32(1 + below(2)),
                                                     u32(VK_SHADER_STAGE_ALL), has_samplers ? samplers : NULL};
        flags[i] = below(16);
    }
    VkDescriptorSetLayout layout;
    const VkDescriptorSetLayoutBindingFlagsCreateInfo with = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
        .bindingCount = count,
        .pBindingFlags = flags};
    const VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = rarely() ? &with : NULL,
                                                  .flags = below(4) ? u32(0) : 1u << ONE_OF(4, 4, 5),
                                                  .bindingCount = count,
                                                  .pBindings = bindings};
    misuse_keep(SET_LAYOUT, vkCreateDescriptorSetLayout(misuse.device, &info, NULL, &layout), &layout);
}

static void make_layout(void)
{
    VkDescriptorSetLayout sets[12];
    const uint32_t count = misuse_pick(SET_LAYOUT) ? (rarely() ? below(12) : below(3)) : 0;
    for (uint32_t i = 0; i < count; i++)
        sets[i] = SOME(VkDescriptorSetLayout, SET_LAYOUT);
    const VkPushConstantRange range = {u32(VK_SHADER_STAGE_ALL), u32(0), u32(16)};
    VkPipelineLayout layout;
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = count,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = below(2),
                                             .pPushConstantRanges = &range};
    misuse_keep(LAYOUT, vkCreatePipelineLayout(misuse.device, &info, NULL, &layout), &layout);
}

static void make_set_pool(void)
{
    VkDescriptorPoolSize sizes[4];
    for (uint32_t i = 0; i < VKT_COUNT(sizes); i++)
        sizes[i] = (VkDescriptorPoolSize){(VkDescriptorType)PICK(1, 6, 7, 8), u32(4 + below(20))};
    VkDescriptorPool pool;
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .flags = u32(0),
                                             .maxSets = u32(8),
                                             .poolSizeCount = below(5),
                                             .pPoolSizes = sizes};
    misuse_keep(SET_POOL, vkCreateDescriptorPool(misuse.device, &info, NULL, &pool), &pool);
}

static void make_sets(void)
{
    VkDescriptorSetLayout layouts[4];
    VkDescriptorSet sets[4];
    if (!misuse_pick(SET_LAYOUT) || !misuse_pick(SET_POOL))
        return;
    for (uint32_t i = 0; i < 4; i++)
        layouts[i] = SOME(VkDescriptorSetLayout, SET_LAYOUT);
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = SOME(VkDescriptorPool, SET_POOL),
                                              .descriptorSetCount = 1 + below(4),
                                              .pSetLayouts = layouts};
    if (vkAllocateDescriptorSets(misuse.device, &info, sets) == VK_SUCCESS)
        for (uint32_t i = 0; i < info.descriptorSetCount && misuse.set_count < MISUSE_MANY; i++)
            misuse.sets[misuse.set_count++] = sets[i];
}

static void update_sets(void)
{
    VkDescriptorImageInfo images[MISUSE_MANY];
    VkDescriptorBufferInfo buffers[MISUSE_MANY];
    VkBufferView views[MISUSE_MANY];
    if (!misuse.set_count || !misuse_pick(BUFFER) || !misuse_pick(VIEW) || !misuse_pick(SAMPLER) ||
        !misuse_pick(BUFFER_VIEW))
        return;
    for (uint32_t i = 0; i < MISUSE_MANY; i++) {
        images[i] = (VkDescriptorImageInfo){SOME(VkSampler, SAMPLER), SOME(VkImageView, VIEW), image_layout()};
        buffers[i] = (VkDescriptorBufferInfo){SOME(VkBuffer, BUFFER), u64(0), u64(VK_WHOLE_SIZE)};
        views[i] = SOME(VkBufferView, BUFFER_VIEW);
    }
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = misuse.sets[below(misuse.set_count)],
                                        .dstBinding = u32(below(3)),
                                        .dstArrayElement = u32(0),
                                        .descriptorCount = rarely() ? below(MISUSE_MANY) : 1,
                                        .descriptorType = (VkDescriptorType)PICK(0, 1, 2, 3, 6, 6, 7, 7, 8, 10),
                                        .pImageInfo = images,
                                        .pBufferInfo = buffers,
                                        .pTexelBufferView = views};
    const VkCopyDescriptorSet copy = {.sType = VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET,
                                      .srcSet = misuse.sets[below(misuse.set_count)],
                                      .srcBinding = u32(below(3)),
                                      .srcArrayElement = u32(0),
                                      .dstSet = misuse.sets[below(misuse.set_count)],
                                      .dstBinding = u32(below(3)),
                                      .dstArrayElement = u32(0),
                                      .descriptorCount = u32(1)};
    vkUpdateDescriptorSets(misuse.device, below(2), &write, rarely(), &copy);
}

static VkAttachmentReference reference(uint32_t attachments)
{
    return (VkAttachmentReference){
        rarely() ? ONE_OF(VK_ATTACHMENT_UNUSED, attachments, attachments + 7) : below(attachments), image_layout()};
}

static void make_pass(void)
{
    VkAttachmentDescription attachments[4];
    VkAttachmentReference colors[9], resolves[9], inputs[2], depth;
    uint32_t preserved[2];
    VkSubpassDescription subpasses[2];
    const uint32_t count = below(4);
    for (uint32_t i = 0; i < count; i++)
        attachments[i] = (VkAttachmentDescription){.flags = u32(0),
                                                   .format = format(),
                                                   .samples = (VkSampleCountFlagBits)PICK(1, 1, 1, 4),
                                                   .loadOp = u32(below(3)),
                                                   .storeOp = u32(below(2)),
                                                   .stencilLoadOp = u32(below(3)),
                                                   .stencilStoreOp = u32(below(2)),
                                                   .initialLayout = image_layout(),
                                                   .finalLayout = image_layout()};
    for (uint32_t i = 0; i < VKT_COUNT(colors); i++) {
        colors[i] = reference(count);
        resolves[i] = rarely() ? reference(count) : (VkAttachmentReference){VK_ATTACHMENT_UNUSED, 0};
    }
    for (uint32_t i = 0; i < 2; i++) {
        inputs[i] = reference(count);
        preserved[i] = u32(0);
    }
    depth = reference(count);
    for (uint32_t i = 0; i < 2; i++)
        subpasses[i] = (VkSubpassDescription){.pipelineBindPoint = u32(0),
                                              .inputAttachmentCount = rarely() ? below(3) : 0,
                                              .pInputAttachments = inputs,
                                              .colorAttachmentCount = rarely() ? below(10) : count > 0,
                                              .pColorAttachments = colors,
                                              .pResolveAttachments = rarely() ? resolves : NULL,
                                              .pDepthStencilAttachment = below(3) ? NULL : &depth,
                                              .preserveAttachmentCount = below(2),
                                              .pPreserveAttachments = preserved};
    const VkSubpassDependency dependency = {u32(0), u32(VK_SUBPASS_EXTERNAL), u32(1), u32(1), u32(0), u32(0), u32(0)};
    VkRenderPass pass;
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = count,
                                         .pAttachments = attachments,
                                         .subpassCount = 1 + rarely(),
                                         .pSubpasses = subpasses,
                                         .dependencyCount = below(2),
                                         .pDependencies = &dependency};
    misuse_keep(PASS, vkCreateRenderPass(misuse.device, &info, NULL, &pass), &pass);
}

static void make_framebuffer(void)
{
    VkImageView views[4];
    VkFramebuffer framebuffer;
    if (!misuse_pick(PASS) || !misuse_pick(VIEW))
        return;
    for (uint32_t i = 0; i < VKT_COUNT(views); i++)
        views[i] = SOME(VkImageView, VIEW);
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = SOME(VkRenderPass, PASS),
                                          .attachmentCount = below(4),
                                          .pAttachments = views,
                                          .width = u32(1u << below(8)),
                                          .height = u32(1u << below(8)),
                                          .layers = u32(1)};
    misuse_keep(FRAMEBUFFER, vkCreateFramebuffer(misuse.device, &info, NULL, &framebuffer), &framebuffer);
}

/* ORDER enum misuse_shader */
static const struct {
    struct vkt_shader code;
    VkShaderStageFlagBits stage;
} shaders[MISUSE_SHADERS] = {
    {VKT_SHADER(full_vert), VK_SHADER_STAGE_VERTEX_BIT},
    {VKT_SHADER(color_vert), VK_SHADER_STAGE_VERTEX_BIT},
    {VKT_SHADER(ubo_vert), VK_SHADER_STAGE_VERTEX_BIT},
    {VKT_SHADER(engine_white_frag), VK_SHADER_STAGE_FRAGMENT_BIT},
    {VKT_SHADER(color_frag), VK_SHADER_STAGE_FRAGMENT_BIT},
    {VKT_SHADER(push_frag), VK_SHADER_STAGE_FRAGMENT_BIT},
    {VKT_SHADER(texture_frag), VK_SHADER_STAGE_FRAGMENT_BIT},
    {VKT_SHADER(ubo_frag), VK_SHADER_STAGE_FRAGMENT_BIT},
    {VKT_SHADER(compute_add_comp), VK_SHADER_STAGE_COMPUTE_BIT},
};

struct vkt_shader misuse_shader(enum misuse_shader which)
{
    return shaders[which].code;
}

static VkShaderModule modules[MISUSE_SHADERS];

static VkPipelineShaderStageCreateInfo stage(uint32_t first, uint32_t count)
{
    const uint32_t which = rarely() ? below(MISUSE_SHADERS) : first + below(count);
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = shaders[first].stage,
                                             .module = modules[which],
                                             .pName = rarely() ? "other" : "main"};
}

static void make_pipeline(void)
{
    VkPipelineShaderStageCreateInfo stages[] = {stage(0, 3), stage(3, 5)};
    VkVertexInputBindingDescription bindings[4];
    VkVertexInputAttributeDescription attributes[4];
    for (uint32_t i = 0; i < 4; i++) {
        bindings[i] = (VkVertexInputBindingDescription){u32(i), u32(32), u32(0)};
        attributes[i] = (VkVertexInputAttributeDescription){u32(i), u32(0), (VkFormat)PICK(109, 103, 37, 100), u32(16)};
    }
    const VkPipelineVertexInputStateCreateInfo input = {.sType =
                                                            VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                                                        .vertexBindingDescriptionCount = below(4),
                                                        .pVertexBindingDescriptions = bindings,
                                                        .vertexAttributeDescriptionCount = below(4),
                                                        .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = u32(below(6)),
        .primitiveRestartEnable = rarely()};
    const VkViewport viewport = {number(0), number(0), number(64), number(64), number(0), number(1)};
    const VkRect2D scissor = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(64), u32(64)}};
    const VkPipelineViewportStateCreateInfo viewports = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                         .viewportCount = 1,
                                                         .pViewports = &viewport,
                                                         .scissorCount = 1,
                                                         .pScissors = &scissor};
    const VkPipelineRasterizationLineStateCreateInfoEXT lines = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
        .lineRasterizationMode = (VkLineRasterizationModeEXT)u32(below(4)),
        .stippledLineEnable = below(2),
        .lineStippleFactor = u32(below(300)),
        .lineStipplePattern = (uint16_t)odd()};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .pNext = below(3) ? NULL : &lines,
        .depthClampEnable = rarely(),
        .rasterizerDiscardEnable = rarely(),
        .polygonMode = u32(below(3)),
        .cullMode = u32(below(4)),
        .frontFace = u32(below(2)),
        .depthBiasEnable = rarely(),
        .depthBiasConstantFactor = number(0),
        .depthBiasClamp = number(0),
        .depthBiasSlopeFactor = number(0),
        .lineWidth = number(1)};
    const VkSampleMask mask = u32(0xffffffff);
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = (VkSampleCountFlagBits)PICK(1, 1, 1, 4),
        .sampleShadingEnable = rarely(),
        .minSampleShading = number(1),
        .pSampleMask = below(2) ? &mask : NULL};
    const VkStencilOpState face = {u32(below(8)), u32(below(8)), u32(below(8)), u32(below(8)), odd(), odd(), odd()};
    const VkPipelineDepthStencilStateCreateInfo depth = {.sType =
                                                             VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                         .depthTestEnable = below(2),
                                                         .depthWriteEnable = below(2),
                                                         .depthCompareOp = u32(below(8)),
                                                         .depthBoundsTestEnable = rarely(),
                                                         .stencilTestEnable = below(2),
                                                         .front = face,
                                                         .back = face,
                                                         .minDepthBounds = number(0),
                                                         .maxDepthBounds = number(1)};
    VkPipelineColorBlendAttachmentState blends[8];
    for (uint32_t i = 0; i < 8; i++)
        blends[i] = (VkPipelineColorBlendAttachmentState){below(2),       u32(below(15)), u32(below(15)), u32(below(5)),
                                                          u32(below(15)), u32(below(15)), u32(below(5)),  u32(15)};
    const VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                           VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                       .logicOpEnable = rarely(),
                                                       .logicOp = u32(below(16)),
                                                       .attachmentCount = rarely() ? below(9) : 1,
                                                       .pAttachments = blends,
                                                       .blendConstants = {number(0), number(0), number(0), number(0)}};
    VkDynamicState states[12];
    for (uint32_t i = 0; i < 12; i++)
        states[i] = (VkDynamicState)PICK(0, 1, 2, 3, 4, 6, 7, 8);
    const VkPipelineDynamicStateCreateInfo dynamic = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                      .dynamicStateCount = below(12),
                                                      .pDynamicStates = states};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .flags = u32(0),
                                               .stageCount = rarely() ? below(3) : 2,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pViewportState = &viewports,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .pDynamicState = below(2) ? &dynamic : NULL,
                                               .layout = SOME(VkPipelineLayout, LAYOUT),
                                               .renderPass = SOME(VkRenderPass, PASS),
                                               .subpass = u32(0)};
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (!info.layout || !info.renderPass)
        return;
    VkResult result = vkCreateGraphicsPipelines(misuse.device, SOME(VkPipelineCache, CACHE), 1, &info, NULL, &pipeline);
    misuse_keep(PIPELINE, result, &pipeline);
}

static void make_compute(void)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .flags = u32(0),
                                              .stage = stage(MISUSE_SUM, 1),
                                              .layout = SOME(VkPipelineLayout, LAYOUT)};
    if (info.layout)
        misuse_keep(COMPUTE,
                    vkCreateComputePipelines(misuse.device, SOME(VkPipelineCache, CACHE), 1, &info, NULL, &pipeline),
                    &pipeline);
}

static void make_cache(void)
{
    uint32_t words[64];
    VkPipelineCache cache;
    for (uint32_t i = 0; i < VKT_COUNT(words); i++)
        words[i] = any();
    const VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                            .initialDataSize = below(sizeof words + 1),
                                            .pInitialData = words};
    misuse_keep(CACHE, vkCreatePipelineCache(misuse.device, &info, NULL, &cache), &cache);
}

static void make_synchronization(void)
{
    VkFence fence;
    VkSemaphore semaphore;
    VkEvent event;
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .flags = u32(below(2))};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                            .initialValue = u64(0)};
    VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .flags = u32(0)};
    const VkEventCreateInfo event_info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, .flags = u32(0)};
    misuse_keep(FENCE, vkCreateFence(misuse.device, &fence_info, NULL, &fence), &fence);
    misuse_keep(SEMAPHORE, vkCreateSemaphore(misuse.device, &semaphore_info, NULL, &semaphore), &semaphore);
    semaphore_info.pNext = &type;
    misuse_keep(TIMELINE, vkCreateSemaphore(misuse.device, &semaphore_info, NULL, &semaphore), &semaphore);
    misuse_keep(EVENT, vkCreateEvent(misuse.device, &event_info, NULL, &event), &event);
}

static void make_queries(void)
{
    VkQueryPool pool;
    const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = (VkQueryType)PICK(0, 0, 2, 2, 1),
                                        .queryCount = u32(1 + below(8)),
                                        .pipelineStatistics = u32(0)};
    if (info.queryCount <= 1u << 20)
        misuse_keep(QUERIES, vkCreateQueryPool(misuse.device, &info, NULL, &pool), &pool);
}

static void make_commands(void)
{
    VkCommandPool pool;
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = below(3) ? 2 : u32(0),
                                               .queueFamilyIndex = u32(0)};
    VkResult result = vkCreateCommandPool(misuse.device, &pool_info, NULL, &pool);
    misuse_keep(COMMAND_POOL, result, &pool);
    const VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                              .commandPool = pool,
                                              .level =
                                                  rarely() ? (VkCommandBufferLevel)7 : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                              .commandBufferCount = 1 + below(3)};
    if (result == VK_SUCCESS && misuse.command_count + info.commandBufferCount <= MISUSE_MANY &&
        vkAllocateCommandBuffers(misuse.device, &info, misuse.commands + misuse.command_count) == VK_SUCCESS)
        misuse.command_count += info.commandBufferCount;
}

static void make_swapchain(void)
{
    VkSwapchainKHR swapchain;
    VkImage images[MISUSE_MANY];
    uint32_t count = MISUSE_MANY;
    const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                           .flags = u32(0),
                                           .surface = misuse.surface,
                                           .minImageCount = u32(3),
                                           .imageFormat = rarely() ? format() : VK_FORMAT_B8G8R8A8_UNORM,
                                           .imageColorSpace = u32(0),
                                           .imageExtent = {u32(64), u32(64)},
                                           .imageArrayLayers = u32(1),
                                           .imageUsage = u32(VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT),
                                           .imageSharingMode = u32(0),
                                           .preTransform = u32(1),
                                           .compositeAlpha = u32(1),
                                           .presentMode = (VkPresentModeKHR)PICK(0, 1, 2, 3),
                                           .clipped = below(2),
                                           .oldSwapchain = below(2) ? SOME(VkSwapchainKHR, SWAPCHAIN) : VK_NULL_HANDLE};
    VkResult result = vkCreateSwapchainKHR(misuse.device, &info, NULL, &swapchain);
    misuse_keep(SWAPCHAIN, result, &swapchain);
    if (result == VK_SUCCESS)
        vkGetSwapchainImagesKHR(misuse.device, swapchain, &count, images);
}

/* -- all of them --------------------------------------------------------------------------------------------------- */

void misuse_make_modules(void)
{
    for (uint32_t i = 0; i < MISUSE_SHADERS; i++) {
        const VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                 .codeSize = shaders[i].code.size_B,
                                                 .pCode = shaders[i].code.words};
        vkt_ok(vkCreateShaderModule(misuse.device, &module, NULL, &modules[i]));
        misuse_keep(MODULE, VK_SUCCESS, &modules[i]);
    }
    misuse_make_shaders();
}

void misuse_make(void)
{
    static void (*const steps[])(void) = {
        make_memory,   make_memory,      make_buffer,      make_buffer,          make_image,
        make_image,    bind_something,   bind_something,   bind_something,       make_view,
        make_view,     make_buffer_view, make_sampler,     make_set_layout,      make_layout,
        make_set_pool, make_sets,        update_sets,      update_sets,          make_pass,
        make_pass,     make_framebuffer, make_framebuffer, make_pipeline,        make_pipeline,
        make_pipeline, make_compute,     make_cache,       make_synchronization, make_queries,
        make_commands, make_swapchain,
    };
    steps[below(VKT_COUNT(steps))]();
}
