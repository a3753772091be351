/* SPDX-License-Identifier: MIT */
#include "corpus_pipeline.h"
#include <string.h>
#include "corpus.frag.h"
#include "corpus.vert.h"
#include "corpus_empty.frag.h"

#define BOTH_STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)
#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))

/* ---------------------------------------------------------------- layouts */

static VkResult make_set(VkDevice device, const VkDescriptorSetLayoutBinding *bindings, uint32_t count,
                         VkDescriptorSetLayout *out)
{
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    return vkCreateDescriptorSetLayout(device, &info, NULL, out);
}

static VkResult make_buffer_set(VkDevice device, VkDescriptorSetLayout *out)
{
    static const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, BOTH_STAGES, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, BOTH_STAGES, NULL},
        {2, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, BOTH_STAGES, NULL},
        {3, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, BOTH_STAGES, NULL},
        {4, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER, 1, BOTH_STAGES, NULL},
    };
    return make_set(device, bindings, COUNT(bindings), out);
}

static VkResult make_image_set(VkDevice device, VkDescriptorSetLayout *out)
{
    VkDescriptorSetLayoutBinding bindings[23];
    for (uint32_t i = 0; i < COUNT(bindings); i++) {
        VkDescriptorType type = i == 13 || i == 20 || i == 21 ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
                                : i == 14 || i == 22          ? VK_DESCRIPTOR_TYPE_SAMPLER
                                                              : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        bindings[i] = (VkDescriptorSetLayoutBinding){i, type, i == 15 ? 4 : 1, BOTH_STAGES, NULL};
    }
    return make_set(device, bindings, COUNT(bindings), out);
}

static VkResult make_attachment_set(VkDevice device, VkDescriptorSetLayout *out)
{
    static const VkDescriptorSetLayoutBinding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
    };
    return make_set(device, bindings, COUNT(bindings), out);
}

static VkResult make_pipeline_layout(VkDevice device, struct corpus_layout *l)
{
    const VkPushConstantRange push = {BOTH_STAGES, 0, CORPUS_PUSH_B};
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = CORPUS_SETS,
        .pSetLayouts = l->sets,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    return vkCreatePipelineLayout(device, &info, NULL, &l->layout);
}

/* ---------------------------------------------------------------- passes */

VkFormat corpus_color_format(enum corpus_type type)
{
    static const VkFormat formats[] = {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_SINT, VK_FORMAT_R8G8B8A8_UINT};
    return formats[type];
}

static VkResult make_pass(VkDevice device, enum corpus_type type, bool inputs, VkRenderPass *out)
{
    const VkFormat formats[CORPUS_ATTACHMENTS] = {corpus_color_format(type), VK_FORMAT_R8G8B8A8_UNORM,
                                                  VK_FORMAT_R8G8B8A8_UINT};
    VkAttachmentDescription attachments[CORPUS_ATTACHMENTS];
    for (uint32_t i = 0; i < CORPUS_ATTACHMENTS; i++)
        attachments[i] = (VkAttachmentDescription){
            .format = formats[i],
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = i ? VK_ATTACHMENT_LOAD_OP_LOAD : VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .initialLayout = i ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_UNDEFINED,
            .finalLayout = i ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        };
    const VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference input[] = {{1, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
                                           {2, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL}};
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .inputAttachmentCount = inputs ? COUNT(input) : 0,
        .pInputAttachments = input,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = inputs ? CORPUS_ATTACHMENTS : 1,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
    };
    return vkCreateRenderPass(device, &info, NULL, out);
}

bool corpus_reads_attachments(const struct corpus_shader *shader)
{
    return !strncmp(shader->name, "input_attachment", 16);
}

VkRenderPass corpus_pass(const struct corpus_layout *l, const struct corpus_shader *shader)
{
    return l->passes[shader->stage == CORPUS_FRAG ? shader->type : CORPUS_FLOAT][corpus_reads_attachments(shader)];
}

/* ---------------------------------------------------------------- all of it */

static VkResult make_module(VkDevice device, const uint32_t *words, size_t size_B, VkShaderModule *out)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = words};
    return vkCreateShaderModule(device, &info, NULL, out);
}

VkResult corpus_layout_init(VkDevice device, struct corpus_layout *l)
{
    *l = (struct corpus_layout){0};
    VkResult result = make_buffer_set(device, &l->sets[0]);
    if (result == VK_SUCCESS)
        result = make_image_set(device, &l->sets[1]);
    if (result == VK_SUCCESS)
        result = make_attachment_set(device, &l->sets[2]);
    if (result == VK_SUCCESS)
        result = make_pipeline_layout(device, l);
    for (uint32_t type = 0; type < 3; type++)
        for (uint32_t inputs = 0; inputs < 2 && result == VK_SUCCESS; inputs++)
            result = make_pass(device, (enum corpus_type)type, inputs, &l->passes[type][inputs]);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_vert, sizeof corpus_vert, &l->vertex);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_frag, sizeof corpus_frag, &l->fragment);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_empty_frag, sizeof corpus_empty_frag, &l->fragment_without_input);
    return result;
}

void corpus_layout_finish(VkDevice device, struct corpus_layout *l)
{
    for (uint32_t i = 0; i < CORPUS_SETS; i++)
        vkDestroyDescriptorSetLayout(device, l->sets[i], NULL);
    for (uint32_t i = 0; i < 6; i++)
        vkDestroyRenderPass(device, l->passes[i / 2][i % 2], NULL);
    vkDestroyPipelineLayout(device, l->layout, NULL);
    vkDestroyShaderModule(device, l->vertex, NULL);
    vkDestroyShaderModule(device, l->fragment, NULL);
    vkDestroyShaderModule(device, l->fragment_without_input, NULL);
}

/* ---------------------------------------------------------------- pipelines */

static VkFormat attribute_format(enum corpus_type type)
{
    static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    return formats[type];
}

/* Specialisation as the shader's comments say. */
struct specialisation {
    VkSpecializationMapEntry entries[EXPECT_MAX_SPECS];
    VkSpecializationInfo info;
};

static void fill_specialisation(struct specialisation *s, const struct expected *e)
{
    for (uint32_t i = 0; i < e->spec_count; i++)
        s->entries[i] = (VkSpecializationMapEntry){e->spec_ids[i], 4 * i, 4};
    s->info = (VkSpecializationInfo){e->spec_count, s->entries, 4 * e->spec_count, e->spec_words};
}

/* State that every pipeline of the corpus has. */
static VkResult create(VkDevice device, const struct corpus_layout *l, const struct corpus_shader *shader,
                       const VkPipelineShaderStageCreateInfo stages[2], uint32_t size_px, VkPipeline *out)
{
    bool vertex = shader->stage == CORPUS_VERT;
    const VkVertexInputBindingDescription binding = {0, 16 * CORPUS_ATTRIBUTES, VK_VERTEX_INPUT_RATE_VERTEX};
    VkVertexInputAttributeDescription attributes[CORPUS_ATTRIBUTES];
    for (uint32_t i = 0; i < CORPUS_ATTRIBUTES; i++)
        attributes[i] = (VkVertexInputAttributeDescription){i, 0, attribute_format(shader->input_types[i]), 16 * i};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = vertex,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = vertex ? CORPUS_ATTRIBUTES : 0,
        .pVertexAttributeDescriptions = attributes,
    };
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = vertex ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
    };
    const VkViewport viewport = {0, 0, (float)size_px, (float)size_px, 0, 1};
    const VkRect2D scissor = {{0, 0}, {size_px, size_px}};
    const VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor,
    };
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
    };
    const VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 15};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &target,
    };
    const VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &view,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pColorBlendState = &blend,
        .layout = l->layout,
        .renderPass = corpus_pass(l, shader),
    };
    return vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, out);
}

VkResult corpus_pipeline_create(VkDevice device, const struct corpus_layout *l, const struct corpus_shader *shader,
                                VkShaderModule module, uint32_t size_px, VkPipeline *out)
{
    struct specialisation spec;
    bool vertex = shader->stage == CORPUS_VERT;
    VkShaderModule other = !vertex ? l->vertex : shader->writes_one_vec4 ? l->fragment : l->fragment_without_input;
    fill_specialisation(&spec, &shader->expected);
    const VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .module = vertex ? module : other,
         .pName = "main",
         .pSpecializationInfo = vertex ? &spec.info : NULL},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .module = vertex ? other : module,
         .pName = "main",
         .pSpecializationInfo = vertex ? NULL : &spec.info},
    };
    return create(device, l, shader, stages, size_px, out);
}
