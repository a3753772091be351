/* SPDX-License-Identifier: MIT
 *
 * Render targets and graphics pipelines with defaults.
 */
#include "vkt.h"

static VkRenderPass create_pass(struct vkt *t, VkFormat color, VkFormat depth, bool load)
{
    VkAttachmentDescription attachments[2];
    uint32_t count = 0;
    VkAttachmentReference color_ref = {0}, depth_ref = {0};
    VkAttachmentLoadOp op = load ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR;
    if (color) {
        color_ref = (VkAttachmentReference){count, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        attachments[count++] = (VkAttachmentDescription){
            .format = color,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = op,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = load ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
    }
    if (depth) {
        depth_ref = (VkAttachmentReference){count, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
        attachments[count++] = (VkAttachmentDescription){
            .format = depth,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = op,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = op,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
            .initialLayout = load ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
    }
    VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = color ? 1 : 0,
        .pColorAttachments = &color_ref,
        .pDepthStencilAttachment = depth ? &depth_ref : NULL,
    };
    const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
    const VkSubpassDependency dependencies[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, all, all, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, all, all, 0},
    };
    VkRenderPass pass;
    vkt_ok(vkCreateRenderPass(t->device,
                              &(VkRenderPassCreateInfo){
                                  .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                  .attachmentCount = count,
                                  .pAttachments = attachments,
                                  .subpassCount = 1,
                                  .pSubpasses = &subpass,
                                  .dependencyCount = VKT_COUNT(dependencies),
                                  .pDependencies = dependencies,
                              },
                              NULL, &pass));
    return pass;
}

struct vkt_target vkt_target_create(struct vkt *t, uint32_t width, uint32_t height, VkFormat color, VkFormat depth)
{
    struct vkt_target target = {.width = width, .height = height};
    VkImageView views[2];
    uint32_t count = 0;
    if (color) {
        target.color = vkt_image_create(
            t, &(struct vkt_image_info){.format = color,
                                        .width = width,
                                        .height = height,
                                        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                 VK_IMAGE_USAGE_SAMPLED_BIT});
        views[count++] = target.color.view;
    }
    if (depth) {
        target.depth =
            vkt_image_create(t, &(struct vkt_image_info){.format = depth,
                                                         .width = width,
                                                         .height = height,
                                                         .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT});
        views[count++] = target.depth.view;
    }
    target.pass = create_pass(t, color, depth, false);
    target.pass_load = create_pass(t, color, depth, true);
    vkt_ok(vkCreateFramebuffer(t->device,
                               &(VkFramebufferCreateInfo){
                                   .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                   .renderPass = target.pass,
                                   .attachmentCount = count,
                                   .pAttachments = views,
                                   .width = width,
                                   .height = height,
                                   .layers = 1,
                               },
                               NULL, &target.framebuffer));
    return target;
}

void vkt_target_destroy(struct vkt *t, struct vkt_target *target)
{
    vkDestroyFramebuffer(t->device, target->framebuffer, NULL);
    vkDestroyRenderPass(t->device, target->pass, NULL);
    vkDestroyRenderPass(t->device, target->pass_load, NULL);
    vkt_image_destroy(t, &target->color);
    vkt_image_destroy(t, &target->depth);
}

VkShaderModule vkt_module_create(struct vkt *t, struct vkt_shader shader)
{
    VkShaderModule module;
    vkt_ok(vkCreateShaderModule(t->device,
                                &(VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                            .codeSize = shader.size_B,
                                                            .pCode = shader.words},
                                NULL, &module));
    return module;
}

struct vkt_pipeline vkt_pipeline_create(struct vkt *t, const struct vkt_pipeline_info *info)
{
    struct vkt_pipeline p;
    VkPushConstantRange push = {(info->ms.words ? 0u : VK_SHADER_STAGE_VERTEX_BIT) | VK_SHADER_STAGE_FRAGMENT_BIT |
                                    info->push_stages,
                                0, info->push_size_B};
    vkt_ok(vkCreatePipelineLayout(t->device,
                                  &(VkPipelineLayoutCreateInfo){
                                      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                      .setLayoutCount = info->set_layout_count,
                                      .pSetLayouts = info->set_layouts,
                                      .pushConstantRangeCount = info->push_size_B ? 1 : 0,
                                      .pPushConstantRanges = &push,
                                  },
                                  NULL, &p.layout));
    const bool has_mesh = info->ms.words != NULL;
    VkShaderModule first = vkt_module_create(t, has_mesh ? info->ms : info->vs);
    VkShaderModule fs = info->fs.words ? vkt_module_create(t, info->fs) : VK_NULL_HANDLE;
    const struct vkt_shader *const others[] = {&info->gs, &info->tcs, &info->tes, &info->ts};
    const VkShaderStageFlagBits other_stages[] = {
        VK_SHADER_STAGE_GEOMETRY_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_TASK_BIT_EXT};
    VkPipelineShaderStageCreateInfo stages[6] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = has_mesh ? VK_SHADER_STAGE_MESH_BIT_EXT : VK_SHADER_STAGE_VERTEX_BIT,
         .module = first,
         .pName = "main",
         .pSpecializationInfo = info->spec},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = fs,
         .pName = "main",
         .pSpecializationInfo = info->fs_spec},
    };
    uint32_t stage_count = fs ? 2 : 1;
    for (uint32_t i = 0; i < VKT_COUNT(others); i++)
        if (others[i]->words)
            stages[stage_count++] =
                (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = other_stages[i],
                                                  .module = vkt_module_create(t, *others[i]),
                                                  .pName = "main",
                                                  .pSpecializationInfo = info->spec};
    const VkPipelineMultisampleStateCreateInfo one_sample = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState blends[8];
    for (uint32_t i = 0; i < VKT_COUNT(blends); i++) {
        blends[i] = info->blend;
        blends[i].colorWriteMask = info->blend.colorWriteMask ? info->blend.colorWriteMask : 0xf;
    }
    const uint32_t viewport_count = info->counts_are_dynamic ? 0 : info->viewport_count ? info->viewport_count : 1;
    VkGraphicsPipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = info->next,
        .flags = info->flags,
        .stageCount = stage_count,
        .pStages = stages,
        .pVertexInputState =
            has_mesh ? NULL : &(VkPipelineVertexInputStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
                .pNext = info->vertex_input_next,
                .vertexBindingDescriptionCount = info->binding_count,
                .pVertexBindingDescriptions = info->bindings,
                .vertexAttributeDescriptionCount = info->attribute_count,
                .pVertexAttributeDescriptions = info->attributes,
            },
        .pInputAssemblyState =
            has_mesh ? NULL : &(VkPipelineInputAssemblyStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                .topology = info->topology,
                .primitiveRestartEnable = info->primitive_restart,
            },
        .pTessellationState = info->tessellation,
        .pViewportState =
            &(VkPipelineViewportStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                .pNext = info->viewport_next,
                .viewportCount = viewport_count,
                .pViewports = info->viewports ? info->viewports
                                              : &(VkViewport){0, 0, (float)info->width, (float)info->height, 0, 1},
                .scissorCount = viewport_count,
                .pScissors = info->scissors ? info->scissors : &(VkRect2D){{0, 0}, {info->width, info->height}},
            },
        .pRasterizationState =
            &(VkPipelineRasterizationStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                .pNext = info->rasterization_next,
                .rasterizerDiscardEnable = info->rasterizer_discard,
                .depthClampEnable = info->depth_clamp_enable,
                .polygonMode = info->polygon_mode,
                .depthBiasEnable = info->depth_bias_enable,
                .depthBiasConstantFactor = info->depth_bias.constant,
                .depthBiasClamp = info->depth_bias.clamp,
                .depthBiasSlopeFactor = info->depth_bias.slope,
                .cullMode = info->cull,
                .frontFace = info->front_face,
                .lineWidth = 1,
            },
        .pMultisampleState = info->multisample ? info->multisample : &one_sample,
        .pDepthStencilState =
            &(VkPipelineDepthStencilStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                .depthTestEnable = info->depth_test,
                .depthWriteEnable = info->depth_write,
                .depthCompareOp = info->depth_compare,
                .stencilTestEnable = info->stencil_test,
                .front = info->stencil,
                .back = info->stencil_back ? *info->stencil_back : info->stencil,
            },
        .pColorBlendState =
            &(VkPipelineColorBlendStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                .logicOpEnable = info->logic_op_enable,
                .logicOp = info->logic_op,
                .attachmentCount = info->no_color      ? 0
                                   : info->color_count ? info->color_count
                                                       : 1,
                .pAttachments = info->blends ? info->blends : blends,
                .blendConstants = {info->blend_constants[0], info->blend_constants[1], info->blend_constants[2],
                                   info->blend_constants[3]},
            },
        .pDynamicState =
            &(VkPipelineDynamicStateCreateInfo){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                .dynamicStateCount = info->dynamic_count,
                .pDynamicStates = info->dynamic,
            },
        .layout = p.layout,
        .renderPass = info->pass,
        .subpass = info->subpass,
    };
    VkResult result = vkCreateGraphicsPipelines(t->device, info->cache, 1, &create, NULL, &p.pipeline);
    if (!info->may_fail)
        vkt_ok(result);
    for (uint32_t i = 0; i < stage_count; i++)
        vkDestroyShaderModule(t->device, stages[i].module, NULL);
    return p;
}

void vkt_pipeline_destroy(struct vkt *t, struct vkt_pipeline *p)
{
    vkDestroyPipeline(t->device, p->pipeline, NULL);
    vkDestroyPipelineLayout(t->device, p->layout, NULL);
}

void vkt_begin_pass(VkCommandBuffer cmd, const struct vkt_target *target, const float clear[4], float clear_depth,
                    uint32_t clear_stencil)
{
    VkClearValue values[2] = {0};
    uint32_t count = 0;
    if (target->color.image)
        values[count++].color = (VkClearColorValue){.float32 = {clear[0], clear[1], clear[2], clear[3]}};
    if (target->depth.image)
        values[count++].depthStencil = (VkClearDepthStencilValue){clear_depth, clear_stencil};
    vkCmdBeginRenderPass(cmd,
                         &(VkRenderPassBeginInfo){
                             .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                             .renderPass = target->pass,
                             .framebuffer = target->framebuffer,
                             .renderArea = {{0, 0}, {target->width, target->height}},
                             .clearValueCount = count,
                             .pClearValues = values,
                         },
                         VK_SUBPASS_CONTENTS_INLINE);
}

struct vkt_picture vkt_draw_triangle(struct vkt *t, struct vkt_shader vs, struct vkt_shader fs, uint32_t size_px)
{
    struct vkt_target target = vkt_target_create(t, size_px, size_px, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = vs,
                                                                               .fs = fs,
                                                                               .pass = target.pass,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .width = size_px,
                                                                               .height = size_px});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    struct vkt_picture picture = vkt_read_target(t, &target);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    return picture;
}
