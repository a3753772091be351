/* SPDX-License-Identifier: MIT */
#include "corpus_pipeline.h"
#include <string.h>
#include "corpus.frag.h"
#include "corpus.vert.h"
#include "corpus_empty.frag.h"

#define BOTH_STAGES (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT)

/* SPIR-V: the length of an instruction, an opcode, and two decorations. */
#define WORD_COUNT(word)   ((word) >> 16 ? (word) >> 16 : 1)
#define OP_DECORATE        71
#define DECORATION_BINDING 33
#define DECORATION_SET     34

/* ---------------------------------------------------------------- layouts */

#define MAX_BINDINGS 32

VkDescriptorType corpus_descriptor_type(uint32_t set, uint32_t binding)
{
    if (set == 0)
        return binding == 0   ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
               : binding == 1 ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                              : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    if (set == 2)
        return VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;
    return binding == 13 || binding == 20 || binding == 21 ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE
           : binding == 14 || binding == 22                ? VK_DESCRIPTOR_TYPE_SAMPLER
                                                           : VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

uint32_t corpus_descriptor_count(uint32_t set, uint32_t binding)
{
    return set == 1 && binding == 15 ? 4 : 1;
}

/* Returns the value of a decoration of an id, or -1. */
static int find_decoration(const struct corpus_shader *s, uint32_t id, uint32_t decoration)
{
    for (size_t at = 5; at + 3 < s->size_B / 4; at += WORD_COUNT(s->words[at]))
        if ((s->words[at] & 0xffff) == OP_DECORATE && s->words[at + 1] == id && s->words[at + 2] == decoration)
            return (int)s->words[at + 3];
    return -1;
}

static void find_bindings(const struct corpus_shader *s, uint32_t bindings[CORPUS_SETS])
{
    for (size_t at = 5; at + 3 < s->size_B / 4; at += WORD_COUNT(s->words[at])) {
        if ((s->words[at] & 0xffff) != OP_DECORATE || s->words[at + 2] != DECORATION_BINDING)
            continue;
        int set = find_decoration(s, s->words[at + 1], DECORATION_SET);
        if (set >= 0 && set < CORPUS_SETS && s->words[at + 3] < MAX_BINDINGS)
            bindings[set] |= 1u << s->words[at + 3];
    }
}

static VkResult make_set(VkDevice device, uint32_t set, uint32_t mask, VkDescriptorSetLayout *out)
{
    VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_BINDINGS; i++)
        if (mask >> i & 1)
            bindings[count++] = (VkDescriptorSetLayoutBinding){
                .binding = i,
                .descriptorType = corpus_descriptor_type(set, i),
                .descriptorCount = corpus_descriptor_count(set, i),
                .stageFlags = set == 2 ? VK_SHADER_STAGE_FRAGMENT_BIT : BOTH_STAGES,
            };
    const VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings};
    return vkCreateDescriptorSetLayout(device, &info, NULL, out);
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
    const VkFormat formats[CORPUS_ATTACHMENTS] = {
        corpus_color_format(type), corpus_color_format(type == CORPUS_UINT ? CORPUS_UINT : CORPUS_FLOAT)};
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
    const VkAttachmentReference input = {1, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    const VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .inputAttachmentCount = inputs,
        .pInputAttachments = &input,
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

VkRenderPass corpus_pass(const struct corpus_common *c, const struct corpus_shader *shader)
{
    return c->passes[shader->stage == CORPUS_FRAG ? shader->type : CORPUS_FLOAT][corpus_reads_attachments(shader)];
}

/* ---------------------------------------------------------------- layouts and common objects */

static VkResult make_module(VkDevice device, const uint32_t *words, size_t size_B, VkShaderModule *out)
{
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size_B, .pCode = words};
    return vkCreateShaderModule(device, &info, NULL, out);
}

VkResult corpus_layout_init(VkDevice device, const struct corpus_shader *shader, struct corpus_layout *l)
{
    VkResult result = VK_SUCCESS;
    *l = (struct corpus_layout){0};
    find_bindings(shader, l->bindings);
    for (uint32_t i = 0; i < CORPUS_SETS && result == VK_SUCCESS; i++)
        result = make_set(device, i, l->bindings[i], &l->sets[i]);
    return result == VK_SUCCESS ? make_pipeline_layout(device, l) : result;
}

void corpus_layout_finish(VkDevice device, struct corpus_layout *l)
{
    for (uint32_t i = 0; i < CORPUS_SETS; i++)
        vkDestroyDescriptorSetLayout(device, l->sets[i], NULL);
    vkDestroyPipelineLayout(device, l->layout, NULL);
}

VkResult corpus_common_init(VkDevice device, struct corpus_common *c)
{
    VkResult result = VK_SUCCESS;
    *c = (struct corpus_common){0};
    for (uint32_t type = 0; type < 3; type++)
        for (uint32_t inputs = 0; inputs < 2 && result == VK_SUCCESS; inputs++)
            result = make_pass(device, (enum corpus_type)type, inputs, &c->passes[type][inputs]);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_vert, sizeof corpus_vert, &c->vertex);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_frag, sizeof corpus_frag, &c->fragment);
    if (result == VK_SUCCESS)
        result = make_module(device, corpus_empty_frag, sizeof corpus_empty_frag, &c->fragment_without_input);
    return result;
}

void corpus_common_finish(VkDevice device, struct corpus_common *c)
{
    for (uint32_t i = 0; i < 6; i++)
        vkDestroyRenderPass(device, c->passes[i / 2][i % 2], NULL);
    vkDestroyShaderModule(device, c->vertex, NULL);
    vkDestroyShaderModule(device, c->fragment, NULL);
    vkDestroyShaderModule(device, c->fragment_without_input, NULL);
}

/* ---------------------------------------------------------------- pipelines */

static VkFormat attribute_format(enum corpus_type type)
{
    static const VkFormat formats[] = {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT,
                                       VK_FORMAT_R32G32B32A32_UINT};
    return formats[type];
}

/* Specialisation constants as given by the shader's comments. */
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

/* Creates a pipeline with the state that all pipelines of the corpus share. */
static VkResult create(VkDevice device, VkRenderPass pass, VkPipelineLayout layout, const struct corpus_shader *shader,
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
        .layout = layout,
        .renderPass = pass,
    };
    return vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, NULL, out);
}

VkResult corpus_pipeline_create(VkDevice device, const struct corpus_common *c, const struct corpus_layout *l,
                                const struct corpus_shader *shader, VkShaderModule module, uint32_t size_px,
                                VkPipeline *out)
{
    struct specialisation spec;
    bool vertex = shader->stage == CORPUS_VERT;
    VkShaderModule other = !vertex ? c->vertex : shader->writes_one_vec4 ? c->fragment : c->fragment_without_input;
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
    return create(device, corpus_pass(c, shader), l->layout, shader, stages, size_px, out);
}
