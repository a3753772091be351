/* SPDX-License-Identifier: MIT
 *
 * What the random programs record by commands of extensions: passes without a render pass, dynamic state,
 * barriers and events of VK_KHR_synchronization2, copies of VK_KHR_copy_commands2, VK_EXT_multi_draw, transform
 * feedback. Extensions that the driver does not report are left out.
 */
#include <string.h>
#include "misuse.h"

#define SIDE_PX   64u
#define MAX_COLOR 9u /* one attachment more than the driver has */

#define COMMANDS(X)                                                                                                    \
    X(CmdBeginRenderingKHR)                                                                                            \
    X(CmdEndRenderingKHR)                                                                                              \
    X(CmdSetCullModeEXT)                                                                                               \
    X(CmdSetFrontFaceEXT)                                                                                              \
    X(CmdSetPrimitiveTopologyEXT)                                                                                      \
    X(CmdSetViewportWithCountEXT)                                                                                      \
    X(CmdSetScissorWithCountEXT)                                                                                       \
    X(CmdBindVertexBuffers2EXT)                                                                                        \
    X(CmdSetDepthCompareOpEXT)                                                                                         \
    X(CmdSetStencilOpEXT)                                                                                              \
    X(CmdSetRasterizerDiscardEnableEXT)                                                                                \
    X(CmdSetPrimitiveRestartEnableEXT)                                                                                 \
    X(CmdSetLogicOpEXT)                                                                                                \
    X(CmdSetVertexInputEXT)                                                                                            \
    X(CmdSetColorWriteEnableEXT)                                                                                       \
    X(CmdSetPolygonModeEXT)                                                                                            \
    X(CmdSetDepthClipEnableEXT)                                                                                        \
    X(CmdSetRasterizationSamplesEXT)                                                                                   \
    X(CmdSetSampleMaskEXT)                                                                                             \
    X(CmdSetLogicOpEnableEXT)                                                                                          \
    X(CmdSetColorBlendEnableEXT)                                                                                       \
    X(CmdSetColorBlendEquationEXT)                                                                                     \
    X(CmdSetColorWriteMaskEXT)                                                                                         \
    X(CmdSetLineRasterizationModeEXT)                                                                                  \
    X(CmdSetLineStippleEXT)                                                                                            \
    X(CmdPipelineBarrier2KHR)                                                                                          \
    X(CmdSetEvent2KHR)                                                                                                 \
    X(CmdResetEvent2KHR)                                                                                               \
    X(CmdWriteTimestamp2KHR)                                                                                           \
    X(CmdCopyBuffer2KHR)                                                                                               \
    X(CmdCopyImage2KHR)                                                                                                \
    X(CmdCopyBufferToImage2KHR)                                                                                        \
    X(CmdBlitImage2KHR)                                                                                                \
    X(CmdResolveImage2KHR)                                                                                             \
    X(CmdDrawMultiEXT)                                                                                                 \
    X(CmdDrawMultiIndexedEXT)                                                                                          \
    X(CmdBindTransformFeedbackBuffersEXT)                                                                              \
    X(CmdBeginTransformFeedbackEXT)                                                                                    \
    X(CmdEndTransformFeedbackEXT)                                                                                      \
    X(CmdDrawIndirectByteCountEXT)                                                                                     \
    X(GetDescriptorEXT)                                                                                                \
    X(GetDescriptorSetLayoutSizeEXT)                                                                                   \
    X(GetDescriptorSetLayoutBindingOffsetEXT)                                                                          \
    X(CmdBindDescriptorBuffersEXT)                                                                                     \
    X(CmdSetDescriptorBufferOffsetsEXT)                                                                                \
    X(CmdBindDescriptorBufferEmbeddedSamplersEXT)                                                                      \
    X(GetBufferDeviceAddressKHR)

/* Of extensions that older headers do not know. */
#if defined VK_KHR_maintenance6 && defined VK_KHR_dynamic_rendering_local_read
#define NEWER_COMMANDS(X)                                                                                              \
    X(CmdBindIndexBuffer2KHR)                                                                                          \
    X(CmdPushConstants2KHR)                                                                                            \
    X(CmdSetRenderingAttachmentLocationsKHR)                                                                           \
    X(CmdSetRenderingInputAttachmentIndicesKHR)
#else
#define NEWER_COMMANDS(X)
#endif
#if defined VK_EXT_shader_object && defined VK_EXT_depth_bias_control
#define SHADER_COMMANDS(X)                                                                                             \
    X(CreateShadersEXT)                                                                                                \
    X(DestroyShaderEXT)                                                                                                \
    X(GetShaderBinaryDataEXT)                                                                                          \
    X(CmdBindShadersEXT)                                                                                               \
    X(CmdSetDepthBias2EXT)
#else
#define SHADER_COMMANDS(X)
#endif

static struct {
#define X(name) PFN_vk##name name;
    COMMANDS(X)
    NEWER_COMMANDS(X)
    SHADER_COMMANDS(X)
#undef X
} vk;

uint32_t misuse_list_extensions(const char *names[MISUSE_EXTENSIONS])
{
    static const char *const wanted[MISUSE_EXTENSIONS] = {VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME,
                                                          VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME,
                                                          VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME,
                                                          VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                                          VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME,
                                                          VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME,
                                                          VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME,
                                                          VK_EXT_MULTI_DRAW_EXTENSION_NAME,
                                                          VK_EXT_LOAD_STORE_OP_NONE_EXTENSION_NAME,
                                                          VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME,
                                                          "VK_KHR_maintenance5",
                                                          "VK_KHR_maintenance6",
                                                          "VK_KHR_dynamic_rendering_local_read",
                                                          VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
                                                          VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME,
                                                          "VK_EXT_shader_object",
                                                          "VK_EXT_depth_bias_control",
                                                          VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
                                                          VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME};
    static VkExtensionProperties reported[512];
    uint32_t count = VKT_COUNT(reported), used = 0;
    assert_true(vkEnumerateDeviceExtensionProperties(misuse.physical, NULL, &count, reported) == VK_SUCCESS);
    for (uint32_t i = 0; i < MISUSE_EXTENSIONS; i++)
        for (uint32_t k = 0; k < count; k++)
            if (!strcmp(wanted[i], reported[k].extensionName))
                names[used++] = wanted[i];
    return used;
}

void misuse_load_extensions(void)
{
#define X(name) vk.name = (PFN_vk##name)vkGetDeviceProcAddr(misuse.device, "vk" #name);
    COMMANDS(X)
    NEWER_COMMANDS(X)
    SHADER_COMMANDS(X)
#undef X
}

/* -- shaders without pipelines ------------------------------------------------------------------------------------- */

#if defined VK_EXT_shader_object && defined VK_EXT_depth_bias_control
static const VkShaderStageFlagBits shader_stages[] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT,
                                                      VK_SHADER_STAGE_COMPUTE_BIT};

/* A shader of the binary of another one, whose words may be damaged. */
static void make_from_binary(VkShaderCreateInfoEXT info, VkShaderEXT from)
{
    static uint64_t binary[4096];
    size_t size_B = sizeof binary;
    VkShaderEXT shader;
    if (vk.GetShaderBinaryDataEXT(misuse.device, from, &size_B, binary) != VK_SUCCESS)
        return;
    if (below(2))
        ((uint8_t *)binary)[below((uint32_t)size_B)] ^= (uint8_t)odd();
    info.codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
    info.codeSize = rarely() ? size_B - below((uint32_t)size_B) : size_B;
    info.pCode = binary;
    if (vk.CreateShadersEXT(misuse.device, 1, &info, NULL, &shader) == VK_SUCCESS)
        misuse_keep(SHADER, VK_SUCCESS, &shader);
}

void misuse_make_shaders(void)
{
    const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, u32(0), 4 * below(65)};
    for (uint32_t i = 0; i < MISUSE_SHADERS && vk.CreateShadersEXT; i++) {
        const struct vkt_shader code = misuse_shader((enum misuse_shader)i);
        const uint32_t stage = i < MISUSE_WHITE ? 0 : i < MISUSE_SUM ? 1 : 2;
        const VkShaderCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT,
                                            .flags = rarely() ? below(16) : 0,
                                            .stage = rarely() ? shader_stages[below(3)] : shader_stages[stage],
                                            .codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                            .codeSize = code.size_B,
                                            .pCode = code.words,
                                            .pName = rarely() ? "other" : "main",
                                            .pushConstantRangeCount = below(2),
                                            .pPushConstantRanges = &range};
        VkShaderEXT shader;
        if (vk.CreateShadersEXT(misuse.device, 1, &info, NULL, &shader) != VK_SUCCESS)
            continue;
        misuse_keep(SHADER, VK_SUCCESS, &shader);
        if (below(4) == 0)
            make_from_binary(info, shader);
    }
}

void misuse_destroy_shader(uint64_t shader)
{
    vk.DestroyShaderEXT(misuse.device, (VkShaderEXT)shader, NULL);
}

static void bind_shaders(VkCommandBuffer cmd)
{
    VkShaderStageFlagBits stages[3];
    VkShaderEXT shaders[3];
    const uint32_t count = below(4);
    for (uint32_t i = 0; i < count; i++) {
        stages[i] = rarely() ? (VkShaderStageFlagBits)(1u << below(8)) : shader_stages[below(2)];
        shaders[i] = rarely() ? VK_NULL_HANDLE : SOME(VkShaderEXT, SHADER);
    }
    if (vk.CmdBindShadersEXT)
        vk.CmdBindShadersEXT(cmd, count, stages, rarely() ? NULL : shaders);
}

static void set_bias(VkCommandBuffer cmd)
{
    const VkDepthBiasRepresentationInfoEXT unit = {.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT,
                                                   .depthBiasRepresentation =
                                                       (VkDepthBiasRepresentationEXT)PICK(0, 1, 2),
                                                   .depthBiasExact = below(2)};
    if (vk.CmdSetDepthBias2EXT)
        vk.CmdSetDepthBias2EXT(cmd, &(VkDepthBiasInfoEXT){.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT,
                                                          .pNext = below(2) ? &unit : NULL,
                                                          .depthBiasConstantFactor = number(1),
                                                          .depthBiasClamp = number(0),
                                                          .depthBiasSlopeFactor = number(1)});
}
#else
void misuse_make_shaders(void)
{
}

void misuse_destroy_shader(uint64_t shader)
{
}

static void bind_shaders(VkCommandBuffer cmd)
{
}

static void set_bias(VkCommandBuffer cmd)
{
}
#endif

/* -- passes without a render pass ---------------------------------------------------------------------------------- */

static VkRenderingAttachmentInfo attachment(void)
{
    return (VkRenderingAttachmentInfo){.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                       .imageView = rarely() ? VK_NULL_HANDLE : SOME(VkImageView, VIEW),
                                       .imageLayout = image_layout(),
                                       .resolveMode = (VkResolveModeFlagBits)u32(0),
                                       .resolveImageView = below(4) ? VK_NULL_HANDLE : SOME(VkImageView, VIEW),
                                       .loadOp = (VkAttachmentLoadOp)PICK(0, 1, 2, VK_ATTACHMENT_LOAD_OP_NONE_EXT),
                                       .storeOp = (VkAttachmentStoreOp)PICK(0, 0, 1, VK_ATTACHMENT_STORE_OP_NONE),
                                       .clearValue = {.color.uint32 = {odd(), odd(), odd(), odd()}}};
}

/* Most often the kit's target, which its pipelines fit. */
static void begin_rendering(VkCommandBuffer cmd, uint32_t target)
{
    VkRenderingAttachmentInfo colors[MAX_COLOR], depth = attachment(), stencil = depth;
    for (uint32_t i = 0; i < MAX_COLOR; i++)
        colors[i] = attachment();
    if (!rarely()) {
        colors[0].imageView = misuse_color(target);
        depth.imageView = stencil.imageView = misuse_depth(target);
    }
    const bool has_depth = rarely() ? below(2) : misuse_depth(target) != VK_NULL_HANDLE;
    const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                  .flags = rarely() ? below(8) : 0,
                                  .renderArea = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(SIDE_PX), u32(SIDE_PX)}},
                                  .layerCount = u32(1),
                                  .viewMask = u32(0),
                                  .colorAttachmentCount = rarely() ? below(MAX_COLOR + 1) : 1,
                                  .pColorAttachments = colors,
                                  .pDepthAttachment = has_depth ? &depth : NULL,
                                  .pStencilAttachment = has_depth && below(2) ? &stencil : NULL};
    vk.CmdBeginRenderingKHR(cmd, &info);
}

static void draw(VkCommandBuffer cmd, VkPipeline pipeline)
{
    const VkDeviceSize offset_B = u64(0);
    const VkBuffer buffer = misuse_buffer();
    if (!rarely())
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, rarely() ? SOME(VkPipeline, PIPELINE) : pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer, &offset_B);
    vkCmdDraw(cmd, u32(6) & 0x1ff, 1 + below(3), u32(0), u32(0));
}

static void exchange_attachments(VkCommandBuffer cmd)
{
#ifdef VK_KHR_dynamic_rendering_local_read
    uint32_t numbers[MAX_COLOR];
    for (uint32_t i = 0; i < MAX_COLOR; i++)
        numbers[i] = rarely() ? odd() : below(3) ? below(MAX_COLOR) : VK_ATTACHMENT_UNUSED;
    const VkRenderingInputAttachmentIndexInfoKHR indices = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO_KHR,
        .colorAttachmentCount = below(MAX_COLOR + 1),
        .pColorAttachmentInputIndices = rarely() ? NULL : numbers,
        .pDepthInputAttachmentIndex = below(2) ? NULL : numbers};
    const VkRenderingAttachmentLocationInfoKHR locations = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR,
        .colorAttachmentCount = below(MAX_COLOR + 1),
        .pColorAttachmentLocations = numbers};
    if (vk.CmdSetRenderingInputAttachmentIndicesKHR && below(2))
        vk.CmdSetRenderingInputAttachmentIndicesKHR(cmd, &indices);
    if (vk.CmdSetRenderingAttachmentLocationsKHR && rarely())
        vk.CmdSetRenderingAttachmentLocationsKHR(cmd, &locations);
#endif
}

static void record_newer(VkCommandBuffer cmd)
{
#ifdef VK_KHR_maintenance6
    static const uint32_t values[80];
    if (vk.CmdBindIndexBuffer2KHR && below(2))
        vk.CmdBindIndexBuffer2KHR(cmd, rarely() ? VK_NULL_HANDLE : SOME(VkBuffer, BUFFER), u64(0), u64(VK_WHOLE_SIZE),
                                  (VkIndexType)ONE_OF(0, 1, 1000265000));
    if (vk.CmdPushConstants2KHR && misuse_pick(LAYOUT))
        vk.CmdPushConstants2KHR(cmd, &(VkPushConstantsInfoKHR){.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
                                                               .layout = SOME(VkPipelineLayout, LAYOUT),
                                                               .stageFlags = u32(VK_SHADER_STAGE_ALL),
                                                               .offset = u32(0),
                                                               .size = 4 * below(65),
                                                               .pValues = values});
#endif
}

static VkCommandBuffer record_secondary(uint32_t target)
{
    const VkFormat formats[MAX_COLOR] = {VK_FORMAT_R8G8B8A8_UNORM};
    const VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .viewMask = u32(0),
        .colorAttachmentCount = rarely() ? below(MAX_COLOR + 1) : 1,
        .pColorAttachmentFormats = formats,
        .depthAttachmentFormat = format(),
        .rasterizationSamples = (VkSampleCountFlagBits)u32(1)};
    const VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
                                                     .pNext = rarely() ? NULL : &rendering};
    VkCommandBuffer cmd = misuse_new_secondary();
    if (!cmd)
        return NULL;
    vkBeginCommandBuffer(
        cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                         .flags = rarely() ? 0u : VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                         .pInheritanceInfo = &inherits});
    draw(cmd, misuse_pipeline(target));
    if (rarely())
        vk.CmdEndRenderingKHR(cmd);
    vkEndCommandBuffer(cmd);
    return cmd;
}

static void record_rendering(VkCommandBuffer cmd)
{
    const uint32_t target = below(2);
    if (!vk.CmdBeginRenderingKHR)
        return;
    for (uint32_t passes = 1 + below(3); passes > 0; passes--) {
        const VkCommandBuffer secondary = below(4) ? NULL : record_secondary(target);
        if (!rarely())
            begin_rendering(cmd, target);
        if (secondary)
            vkCmdExecuteCommands(cmd, 1, &secondary);
        exchange_attachments(cmd);
        if (below(3) == 0) {
            bind_shaders(cmd);
            set_bias(cmd);
            vkCmdDraw(cmd, u32(3), u32(1), u32(0), u32(0));
        }
        for (uint32_t i = below(3); i > 0; i--)
            draw(cmd, below(2) ? misuse_pipeline(target) : misuse_dynamic_pipeline(target));
        if (!rarely())
            vk.CmdEndRenderingKHR(cmd);
    }
}

/* -- dynamic state ------------------------------------------------------------------------------------------------- */

static void set_vertex_input(VkCommandBuffer cmd)
{
    const VkVertexInputBindingDescription2EXT bindings[] = {
        {.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
         .binding = u32(0),
         .stride = u32(32),
         .inputRate = (VkVertexInputRate)u32(below(2)),
         .divisor = u32(1)}};
    VkVertexInputAttributeDescription2EXT attributes[3];
    for (uint32_t i = 0; i < VKT_COUNT(attributes); i++)
        attributes[i] =
            (VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    .location = u32(i),
                                                    .binding = u32(0),
                                                    .format = rarely() ? format() : VK_FORMAT_R32G32B32A32_SFLOAT,
                                                    .offset = u32(16 * (i % 2))};
    vk.CmdSetVertexInputEXT(cmd, rarely() ? 0 : 1, bindings, rarely() ? below(4) : 2, attributes);
}

static void bind_vertex_buffers(VkCommandBuffer cmd)
{
    VkBuffer buffers[4];
    VkDeviceSize offsets[4], sizes[4], strides[4];
    for (uint32_t i = 0; i < 4; i++) {
        buffers[i] = SOME(VkBuffer, BUFFER);
        offsets[i] = u64(0);
        sizes[i] = rarely() ? odd() : VK_WHOLE_SIZE;
        strides[i] = u64(32);
    }
    vk.CmdBindVertexBuffers2EXT(cmd, u32(0), below(5), buffers, offsets, below(2) ? sizes : NULL,
                                below(2) ? strides : NULL);
}

static void record_output(VkCommandBuffer cmd)
{
    const VkSampleMask mask = odd();
    VkBool32 enables[MAX_COLOR];
    VkColorComponentFlags masks[MAX_COLOR];
    VkColorBlendEquationEXT equations[MAX_COLOR];
    for (uint32_t i = 0; i < MAX_COLOR; i++) {
        enables[i] = u32(below(2));
        masks[i] = u32(below(16));
        equations[i] = (VkColorBlendEquationEXT){(VkBlendFactor)u32(below(19)), (VkBlendFactor)u32(below(19)),
                                                 (VkBlendOp)u32(below(5)),      (VkBlendFactor)u32(below(19)),
                                                 (VkBlendFactor)u32(below(19)), (VkBlendOp)u32(below(5))};
    }
    const uint32_t first = u32(0), count = below(MAX_COLOR + 1);
    switch (below(10)) {
    case 0:
        vk.CmdSetPolygonModeEXT(cmd, (VkPolygonMode)u32(below(3)));
        break;
    case 1:
        vk.CmdSetDepthClipEnableEXT(cmd, u32(below(2)));
        break;
    case 2:
        vk.CmdSetRasterizationSamplesEXT(cmd, (VkSampleCountFlagBits)u32(1));
        break;
    case 3:
        vk.CmdSetSampleMaskEXT(cmd, (VkSampleCountFlagBits)u32(1), rarely() ? NULL : &mask);
        break;
    case 4:
        vk.CmdSetLogicOpEnableEXT(cmd, u32(below(2)));
        break;
    case 5:
        vk.CmdSetColorBlendEnableEXT(cmd, first, count, enables);
        break;
    case 6:
        vk.CmdSetColorBlendEquationEXT(cmd, first, count, equations);
        break;
    case 7:
        vk.CmdSetColorWriteMaskEXT(cmd, first, count, masks);
        break;
    case 8:
        vk.CmdSetLineRasterizationModeEXT(cmd, (VkLineRasterizationModeEXT)u32(below(4)));
        break;
    case 9:
        vk.CmdSetLineStippleEXT(cmd, u32(below(300)), (uint16_t)u32(below(0x10000)));
        break;
    }
}

static void record_state(VkCommandBuffer cmd)
{
    const VkViewport viewport = {number(0), number(0), number(SIDE_PX), number(SIDE_PX), number(0), number(1)};
    const VkRect2D scissor = {{(int32_t)u32(0), (int32_t)u32(0)}, {u32(SIDE_PX), u32(SIDE_PX)}};
    VkBool32 writes[MAX_COLOR];
    for (uint32_t i = 0; i < MAX_COLOR; i++)
        writes[i] = below(2);
    if (!vk.CmdSetCullModeEXT || !vk.CmdSetLogicOpEXT || !vk.CmdSetVertexInputEXT || !vk.CmdSetColorWriteEnableEXT)
        return;
    if (vk.CmdSetPolygonModeEXT && below(2)) {
        record_output(cmd);
        return;
    }
    switch (below(12)) {
    case 0:
        vk.CmdSetCullModeEXT(cmd, u32(below(4)));
        break;
    case 1:
        vk.CmdSetFrontFaceEXT(cmd, (VkFrontFace)u32(below(2)));
        break;
    case 2:
        vk.CmdSetPrimitiveTopologyEXT(cmd, (VkPrimitiveTopology)u32(below(10)));
        break;
    case 3:
        vk.CmdSetViewportWithCountEXT(cmd, below(2), &viewport);
        break;
    case 4:
        vk.CmdSetScissorWithCountEXT(cmd, below(2), &scissor);
        break;
    case 5:
        bind_vertex_buffers(cmd);
        break;
    case 6:
        vk.CmdSetDepthCompareOpEXT(cmd, (VkCompareOp)u32(below(8)));
        break;
    case 7:
        vk.CmdSetStencilOpEXT(cmd, u32(3), (VkStencilOp)u32(below(8)), (VkStencilOp)u32(0), (VkStencilOp)u32(1),
                              (VkCompareOp)u32(below(8)));
        break;
    case 8:
        vk.CmdSetRasterizerDiscardEnableEXT(cmd, rarely());
        vk.CmdSetPrimitiveRestartEnableEXT(cmd, below(2));
        break;
    case 9:
        vk.CmdSetLogicOpEXT(cmd, (VkLogicOp)u32(below(16)));
        break;
    case 10:
        set_vertex_input(cmd);
        break;
    case 11:
        vk.CmdSetColorWriteEnableEXT(cmd, below(MAX_COLOR + 1), writes);
        break;
    }
}

/* -- synchronisation ----------------------------------------------------------------------------------------------- */

static uint64_t stages(void)
{
    return rarely() ? (uint64_t)odd() << below(33) : ONE_OF(0, 0x10000, 0x400, 0x800, 0x1000);
}

static void record_order(VkCommandBuffer cmd)
{
    VkEvent event = SOME(VkEvent, EVENT);
    VkQueryPool queries = SOME(VkQueryPool, QUERIES);
    VkMemoryBarrier2 barriers[3];
    for (uint32_t i = 0; i < 3; i++)
        barriers[i] = (VkMemoryBarrier2){.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                         .srcStageMask = stages(),
                                         .srcAccessMask = odd(),
                                         .dstStageMask = stages(),
                                         .dstAccessMask = odd()};
    const VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                   .dependencyFlags = u32(0),
                                   .memoryBarrierCount = below(4),
                                   .pMemoryBarriers = barriers};
    if (!vk.CmdPipelineBarrier2KHR)
        return;
    switch (below(4)) {
    case 0:
        vk.CmdPipelineBarrier2KHR(cmd, &info);
        break;
    case 1:
        if (event)
            vk.CmdSetEvent2KHR(cmd, event, &info);
        break;
    case 2:
        if (event)
            vk.CmdResetEvent2KHR(cmd, event, stages());
        break;
    case 3:
        if (queries)
            vk.CmdWriteTimestamp2KHR(cmd, stages(), queries, u32(0));
        break;
    }
}

/* -- copies and draws ---------------------------------------------------------------------------------------------- */

static VkImageSubresourceLayers layers(void)
{
    return (VkImageSubresourceLayers){aspect(), u32(0), u32(0), u32(1)};
}

static VkOffset3D offset(uint32_t right)
{
    return (VkOffset3D){(int32_t)u32(right), (int32_t)u32(right), (int32_t)u32(right > 0)};
}

static VkExtent3D extent(void)
{
    return (VkExtent3D){u32(1u << below(7)), u32(1u << below(7)), u32(1)};
}

static void record_copies(VkCommandBuffer cmd)
{
    VkBuffer a = SOME(VkBuffer, BUFFER), b = SOME(VkBuffer, BUFFER);
    VkImage x = SOME(VkImage, IMAGE), y = SOME(VkImage, IMAGE);
    const VkBufferCopy2 copy = {VK_STRUCTURE_TYPE_BUFFER_COPY_2, NULL, u64(0), u64(0), u64(64)};
    const VkBufferImageCopy2 rows = {
        VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2, NULL, u64(0), u32(0), u32(0), layers(), offset(0), extent()};
    const VkImageCopy2 images = {
        VK_STRUCTURE_TYPE_IMAGE_COPY_2, NULL, layers(), offset(0), layers(), offset(0), extent()};
    const VkImageResolve2 resolve = {
        VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2, NULL, layers(), offset(0), layers(), offset(0), extent()};
    const VkImageBlit2 blit = {VK_STRUCTURE_TYPE_IMAGE_BLIT_2, NULL,     layers(),
                               {offset(0), offset(8)},         layers(), {offset(0), offset(16)}};
    if (!a || !x || !vk.CmdCopyBuffer2KHR)
        return;
    switch (below(5)) {
    case 0:
        vk.CmdCopyBuffer2KHR(cmd,
                             &(VkCopyBufferInfo2){VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2, NULL, a, b, below(2), &copy});
        break;
    case 1:
        vk.CmdCopyBufferToImage2KHR(cmd, &(VkCopyBufferToImageInfo2){VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2,
                                                                     NULL, a, x, image_layout(), below(2), &rows});
        break;
    case 2:
        vk.CmdCopyImage2KHR(cmd, &(VkCopyImageInfo2){VK_STRUCTURE_TYPE_COPY_IMAGE_INFO_2, NULL, x, image_layout(), y,
                                                     image_layout(), below(2), &images});
        break;
    case 3:
        vk.CmdBlitImage2KHR(cmd, &(VkBlitImageInfo2){VK_STRUCTURE_TYPE_BLIT_IMAGE_INFO_2, NULL, x, image_layout(), y,
                                                     image_layout(), below(2), &blit, (VkFilter)u32(below(2))});
        break;
    case 4:
        vk.CmdResolveImage2KHR(cmd, &(VkResolveImageInfo2){VK_STRUCTURE_TYPE_RESOLVE_IMAGE_INFO_2, NULL, x,
                                                           image_layout(), y, image_layout(), below(2), &resolve});
        break;
    }
}

static void record_many_draws(VkCommandBuffer cmd)
{
    VkMultiDrawInfoEXT draws[4];
    VkMultiDrawIndexedInfoEXT indexed[4];
    const int32_t vertex_offset = (int32_t)u32(0);
    for (uint32_t i = 0; i < 4; i++) {
        draws[i] = (VkMultiDrawInfoEXT){u32(0), below(40)};
        indexed[i] = (VkMultiDrawIndexedInfoEXT){u32(0), below(40), (int32_t)u32(0)};
    }
    if (!vk.CmdDrawMultiEXT)
        return;
    if (below(2))
        vk.CmdDrawMultiEXT(cmd, below(5), draws, below(3), u32(0), sizeof draws[0]);
    else
        vk.CmdDrawMultiIndexedEXT(cmd, below(5), indexed, below(3), u32(0), sizeof indexed[0],
                                  below(2) ? &vertex_offset : NULL);
}

/* Begins twice, ends without a beginning, with offsets beyond the buffer. */
static void record_capture(VkCommandBuffer cmd)
{
    const VkBuffer buffers[] = {misuse_buffer(), VK_NULL_HANDLE, misuse_buffer(), misuse_buffer(), misuse_buffer()};
    const VkDeviceSize offsets[] = {4 * below(20), u32(0), 0, 4 * below(2000), 4},
                       sizes[] = {u32(0), 12, VK_WHOLE_SIZE, below(99), 0};
    const uint32_t first = below(5), count = below(6);
    if (!vk.CmdBindTransformFeedbackBuffersEXT)
        return;
    switch (below(4)) {
    case 0:
        vk.CmdBindTransformFeedbackBuffersEXT(cmd, first, count, buffers, offsets, below(2) ? sizes : NULL);
        break;
    case 1:
        vk.CmdBeginTransformFeedbackEXT(cmd, first, count, below(2) ? buffers : NULL, below(2) ? offsets : NULL);
        break;
    case 2:
        vk.CmdEndTransformFeedbackEXT(cmd, first, count, below(2) ? buffers : NULL, below(2) ? offsets : NULL);
        break;
    default:
        vk.CmdDrawIndirectByteCountEXT(cmd, below(3), u32(0), misuse_counts(), 4 * below(30), u32(0), below(100));
        break;
    }
}

/* Buffers that were not made for descriptors, addresses of nothing, layouts of other kinds, descriptors that are too
 * long for their memory. */
static void record_descriptor_buffers(VkCommandBuffer cmd)
{
    VkDescriptorBufferBindingInfoEXT infos[3];
    uint32_t indices[4];
    VkDeviceSize offsets[4], got = 0;
    uint8_t bytes[256];
    const VkBuffer buffer = SOME(VkBuffer, BUFFER);
    const VkPipelineLayout layout = SOME(VkPipelineLayout, LAYOUT);
    const VkDescriptorSetLayout set_layout = SOME(VkDescriptorSetLayout, SET_LAYOUT);
    const VkPipelineBindPoint point = below(2) ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS;
    if (!vk.CmdBindDescriptorBuffersEXT || !vk.GetBufferDeviceAddressKHR || !buffer || !layout || !set_layout)
        return;
    const VkDeviceAddress address = vk.GetBufferDeviceAddressKHR(
        misuse.device, &(VkBufferDeviceAddressInfo){VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, NULL, buffer});
    for (uint32_t i = 0; i < 3; i++)
        infos[i] = (VkDescriptorBufferBindingInfoEXT){VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, NULL,
                                                      u64(address), u32(0)};
    for (uint32_t i = 0; i < 4; i++) {
        indices[i] = u32(below(3));
        offsets[i] = u64(4 * below(40));
    }
    const VkSampler sampler = SOME(VkSampler, SAMPLER);
    const VkDescriptorAddressInfoEXT range = {VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, NULL, u64(address),
                                              u64(64), (VkFormat)u32(VK_FORMAT_R32_UINT)};
    const VkDescriptorImageInfo image = {sampler, SOME(VkImageView, VIEW), image_layout()};
    VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                   .type = (VkDescriptorType)below(11)};
    if (info.type == VK_DESCRIPTOR_TYPE_SAMPLER)
        info.data.pSampler = &sampler;
    else if (info.type >= VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER && info.type < VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT)
        info.data.pUniformBuffer = below(4) ? &range : NULL;
    else
        info.data.pCombinedImageSampler = &image;
    switch (below(5)) {
    case 0:
        vk.CmdBindDescriptorBuffersEXT(cmd, below(4), infos);
        break;
    case 1:
        vk.CmdSetDescriptorBufferOffsetsEXT(cmd, point, layout, u32(0), below(4), indices, offsets);
        break;
    case 2:
        vk.CmdBindDescriptorBufferEmbeddedSamplersEXT(cmd, point, layout, u32(0));
        break;
    case 3:
        vk.GetDescriptorEXT(misuse.device, &info, below(sizeof bytes), bytes);
        break;
    case 4:
        vk.GetDescriptorSetLayoutSizeEXT(misuse.device, set_layout, &got);
        vk.GetDescriptorSetLayoutBindingOffsetEXT(misuse.device, set_layout, u32(0), &got);
        break;
    }
}

void misuse_record_extension(VkCommandBuffer cmd)
{
    switch (below(11)) {
    case 0:
    case 1:
        record_rendering(cmd);
        break;
    case 2:
    case 3:
    case 4:
        record_state(cmd);
        break;
    case 5:
        record_order(cmd);
        break;
    case 6:
        record_copies(cmd);
        break;
    case 7:
        record_many_draws(cmd);
        break;
    case 8:
        record_newer(cmd);
        break;
    case 9:
        record_capture(cmd);
        break;
    case 10:
        record_descriptor_buffers(cmd);
        break;
    }
}
