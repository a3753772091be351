/* SPDX-License-Identifier: MIT
 *
 * Translates Vulkan's pipeline state to the chip's fields. There is one function per group of state and one converter
 * per enum.
 *
 * Facing: the chip determines winding with memory row 0 at the bottom, Vulkan with row 0 at the top. The packet's
 * clockwise bit is therefore set for VK_FRONT_FACE_COUNTER_CLOCKWISE [hardware notes 7.4].
 */
#include <math.h>
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_error.h"
#include "device/vc4vk_format.h"
#include "pipeline/vc4vk_pipeline_state.h"

/* ---------------------------------------------------------------- enums */

enum vc4c_primitive vc4vk_topology_class(VkPrimitiveTopology topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        return VC4C_PRIMITIVE_POINTS;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return VC4C_PRIMITIVE_LINES;
    default:
        return VC4C_PRIMITIVE_TRIANGLES;
    }
}

uint8_t vc4vk_topology_mode(VkPrimitiveTopology topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        return CL_PRIM_POINTS;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        return CL_PRIM_LINES;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return CL_PRIM_LINE_STRIP;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        return CL_PRIM_TRIANGLE_STRIP;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        return CL_PRIM_TRIANGLE_FAN;
    default:
        return CL_PRIM_TRIANGLES;
    }
}

static uint8_t vk_to_compare(VkCompareOp op)
{
    static const uint8_t codes[] = {
        [VK_COMPARE_OP_NEVER] = CL_COMPARE_NEVER,
        [VK_COMPARE_OP_LESS] = CL_COMPARE_LESS,
        [VK_COMPARE_OP_EQUAL] = CL_COMPARE_EQUAL,
        [VK_COMPARE_OP_LESS_OR_EQUAL] = CL_COMPARE_LEQUAL,
        [VK_COMPARE_OP_GREATER] = CL_COMPARE_GREATER,
        [VK_COMPARE_OP_NOT_EQUAL] = CL_COMPARE_NOTEQUAL,
        [VK_COMPARE_OP_GREATER_OR_EQUAL] = CL_COMPARE_GEQUAL,
        [VK_COMPARE_OP_ALWAYS] = CL_COMPARE_ALWAYS,
    };
    return op < ARRAY_SIZE(codes) ? codes[op] : CL_COMPARE_ALWAYS;
}

/* [hardware notes 5.3]: 0 zero, 1 keep, 2 replace, 3 incr-sat, 4 decr-sat, 5 invert, 6 incr-wrap, 7 decr-wrap */
static uint8_t vk_to_stencil_op(VkStencilOp op)
{
    static const uint8_t codes[] = {
        [VK_STENCIL_OP_KEEP] = 1,
        [VK_STENCIL_OP_ZERO] = 0,
        [VK_STENCIL_OP_REPLACE] = 2,
        [VK_STENCIL_OP_INCREMENT_AND_CLAMP] = 3,
        [VK_STENCIL_OP_DECREMENT_AND_CLAMP] = 4,
        [VK_STENCIL_OP_INVERT] = 5,
        [VK_STENCIL_OP_INCREMENT_AND_WRAP] = 6,
        [VK_STENCIL_OP_DECREMENT_AND_WRAP] = 7,
    };
    return op < ARRAY_SIZE(codes) ? codes[op] : 1;
}

static uint8_t vk_to_polygon(uint8_t mode)
{
    return mode == VK_POLYGON_MODE_LINE    ? VC4VK_POLYGON_LINE
           : mode == VK_POLYGON_MODE_POINT ? VC4VK_POLYGON_POINT
                                           : VC4VK_POLYGON_FILL;
}

static uint8_t vk_to_lines(uint8_t mode)
{
    return mode == VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT            ? VC4VK_LINES_BRESENHAM
           : mode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT        ? VC4VK_LINES_RECTANGLES
           : mode == VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT ? VC4VK_LINES_SMOOTH
                                                                       : VC4VK_LINES_CHIP;
}

static uint32_t vk_to_dynamic(VkDynamicState state)
{
    switch (state) {
    case VK_DYNAMIC_STATE_VIEWPORT:
    case VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT:
        return VC4VK_DYNAMIC_VIEWPORT;
    case VK_DYNAMIC_STATE_SCISSOR:
    case VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT:
        return VC4VK_DYNAMIC_SCISSOR;
    case VK_DYNAMIC_STATE_LINE_WIDTH:
        return VC4VK_DYNAMIC_LINE_WIDTH;
    case VK_DYNAMIC_STATE_LINE_STIPPLE_EXT:
        return VC4VK_DYNAMIC_LINE_STIPPLE;
    case VK_DYNAMIC_STATE_DEPTH_BIAS:
        return VC4VK_DYNAMIC_DEPTH_BIAS;
    case VK_DYNAMIC_STATE_BLEND_CONSTANTS:
        return VC4VK_DYNAMIC_BLEND_CONSTANTS;
    case VK_DYNAMIC_STATE_STENCIL_COMPARE_MASK:
        return VC4VK_DYNAMIC_STENCIL_COMPARE_MASK;
    case VK_DYNAMIC_STATE_STENCIL_WRITE_MASK:
        return VC4VK_DYNAMIC_STENCIL_WRITE_MASK;
    case VK_DYNAMIC_STATE_STENCIL_REFERENCE:
        return VC4VK_DYNAMIC_STENCIL_REFERENCE;
    default: /* depth bounds: the feature is not supported */
        return 0;
    }
}

static uint32_t vk_to_choice(VkDynamicState state)
{
    switch (state) {
    case VK_DYNAMIC_STATE_CULL_MODE:
        return VC4VK_CHOICE_CULL_MODE;
    case VK_DYNAMIC_STATE_FRONT_FACE:
        return VC4VK_CHOICE_FRONT_FACE;
    case VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY:
        return VC4VK_CHOICE_TOPOLOGY;
    case VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE:
        return VC4VK_CHOICE_RESTART;
    case VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE:
        return VC4VK_CHOICE_DISCARD;
    case VK_DYNAMIC_STATE_DEPTH_BIAS_ENABLE:
        return VC4VK_CHOICE_DEPTH_BIAS;
    case VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE:
        return VC4VK_CHOICE_DEPTH_TEST;
    case VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE:
        return VC4VK_CHOICE_DEPTH_WRITE;
    case VK_DYNAMIC_STATE_DEPTH_COMPARE_OP:
        return VC4VK_CHOICE_DEPTH_COMPARE;
    case VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE:
        return VC4VK_CHOICE_STENCIL_TEST;
    case VK_DYNAMIC_STATE_STENCIL_OP:
        return VC4VK_CHOICE_STENCIL_OP;
    case VK_DYNAMIC_STATE_LOGIC_OP_EXT:
        return VC4VK_CHOICE_LOGIC_OP;
    case VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT:
        return VC4VK_CHOICE_COLOR_WRITES;
    case VK_DYNAMIC_STATE_VERTEX_INPUT_EXT:
        return VC4VK_CHOICE_VERTEX_INPUT;
    case VK_DYNAMIC_STATE_POLYGON_MODE_EXT:
        return VC4VK_CHOICE_POLYGON_MODE;
    case VK_DYNAMIC_STATE_DEPTH_CLAMP_ENABLE_EXT:
        return VC4VK_CHOICE_DEPTH_CLAMP;
    case VK_DYNAMIC_STATE_DEPTH_CLIP_ENABLE_EXT:
        return VC4VK_CHOICE_DEPTH_CLIP;
    case VK_DYNAMIC_STATE_PROVOKING_VERTEX_MODE_EXT:
        return VC4VK_CHOICE_PROVOKING_VERTEX;
    case VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT:
        return VC4VK_CHOICE_SAMPLES;
    case VK_DYNAMIC_STATE_SAMPLE_MASK_EXT:
        return VC4VK_CHOICE_SAMPLE_MASK;
    case VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT:
        return VC4VK_CHOICE_ALPHA_TO_COVERAGE;
    case VK_DYNAMIC_STATE_ALPHA_TO_ONE_ENABLE_EXT:
        return VC4VK_CHOICE_ALPHA_TO_ONE;
    case VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT:
        return VC4VK_CHOICE_LOGIC_OP_ENABLE;
    case VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT:
        return VC4VK_CHOICE_BLEND_ENABLE;
    case VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT:
        return VC4VK_CHOICE_BLEND_EQUATION;
    case VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT:
        return VC4VK_CHOICE_WRITE_MASK;
    case VK_DYNAMIC_STATE_LINE_RASTERIZATION_MODE_EXT:
        return VC4VK_CHOICE_LINE_MODE;
    case VK_DYNAMIC_STATE_LINE_STIPPLE_ENABLE_EXT:
        return VC4VK_CHOICE_STIPPLE;
    case VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT:
        return VC4VK_CHOICE_PATCH_VERTICES;
    case VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT:
        return VC4VK_CHOICE_DOMAIN_ORIGIN;
    case VK_DYNAMIC_STATE_DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT:
        return VC4VK_CHOICE_SYMMETRIC_DEPTH;
    case VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT:
        return VC4VK_CHOICE_STREAM;
    default:
        return 0;
    }
}

/* ---------------------------------------------------------------- groups of state */

VkResult vc4vk_vertex_input_add_binding(const void *object, struct vc4vk_vertex_input *input,
                                        const VkVertexInputBindingDescription2EXT *binding)
{
    if (binding->binding >= ARRAY_SIZE(input->bindings))
        return vc4vk_errorf(object, VK_ERROR_UNKNOWN, "vertex binding %u: there are only %zu", binding->binding,
                            ARRAY_SIZE(input->bindings));
    struct vc4vk_vertex_binding *b = &input->bindings[binding->binding];
    b->stride_B = binding->stride;
    b->per_instance = binding->inputRate == VK_VERTEX_INPUT_RATE_INSTANCE;
    b->divisor = b->per_instance ? binding->divisor : 1;
    return VK_SUCCESS;
}

/* Describes `location`, which is the attribute's own or the one behind it. The second one reads the bytes behind those
 * of the first; both end with the attribute, so that none of them is read when the attribute does not fit into a
 * buffer. */
static void set_attribute(struct vc4vk_vertex_input *input, uint32_t location,
                          const VkVertexInputAttributeDescription2EXT *attribute,
                          const struct vc4vk_attribute_format *format)
{
    const bool is_second = location != attribute->location;
    const uint32_t skipped_B = is_second ? hw_format_info(format->hw[0])->block_B : 0;
    input->attributes[location] = (struct vc4vk_vertex_attribute){
        .binding = (uint8_t)attribute->binding,
        .format = (uint8_t)format->hw[is_second],
        .size_B = (uint8_t)(format->size_B - skipped_B),
        .offset_B = attribute->offset + skipped_B,
    };
}

/* A second location of an attribute gives way to an attribute that the application describes there, in any order. */
VkResult vc4vk_vertex_input_add_attribute(const void *object, struct vc4vk_vertex_input *input,
                                          const VkVertexInputAttributeDescription2EXT *attribute)
{
    const struct vc4vk_attribute_format format = vc4vk_format_attribute(attribute->format);
    if (attribute->location >= ARRAY_SIZE(input->attributes) || attribute->binding >= ARRAY_SIZE(input->bindings))
        return vc4vk_errorf(object, VK_ERROR_UNKNOWN,
                            "vertex attribute %u (binding %u): there are only %zu attributes and %zu bindings",
                            attribute->location, attribute->binding, ARRAY_SIZE(input->attributes),
                            ARRAY_SIZE(input->bindings));
    if (format.hw[0] == HW_FORMAT_NONE)
        return vc4vk_errorf(object, VK_ERROR_FORMAT_NOT_SUPPORTED, "vertex attribute %u: format %d is not supported",
                            attribute->location, attribute->format);
    set_attribute(input, attribute->location, attribute, &format);
    if (format.hw[1] != HW_FORMAT_NONE && attribute->location + 1 < ARRAY_SIZE(input->attributes) &&
        input->attributes[attribute->location + 1].format == HW_FORMAT_NONE)
        set_attribute(input, attribute->location + 1, attribute, &format);
    input->binding_mask |= BIT(attribute->binding);
    return VK_SUCCESS;
}

bool vc4vk_vertex_input_is_equal(const struct vc4vk_vertex_input *a, const struct vc4vk_vertex_input *b)
{
    bool is_equal = a->binding_mask == b->binding_mask;
    for (uint32_t i = 0; i < ARRAY_SIZE(a->attributes) && is_equal; i++) {
        const struct vc4vk_vertex_attribute *x = &a->attributes[i], *y = &b->attributes[i];
        is_equal =
            x->format == y->format && x->size_B == y->size_B && x->binding == y->binding && x->offset_B == y->offset_B;
    }
    for (uint32_t i = 0; i < ARRAY_SIZE(a->bindings) && is_equal; i++) {
        const struct vc4vk_vertex_binding *x = &a->bindings[i], *y = &b->bindings[i];
        is_equal = x->stride_B == y->stride_B && x->per_instance == y->per_instance && x->divisor == y->divisor;
    }
    return is_equal;
}

/* `info` is ignored if all of it is dynamic. */
static VkResult init_vertex_input(const void *object, struct vc4vk_pipeline_state *state,
                                  const VkPipelineVertexInputStateCreateInfo *info)
{
    struct vc4vk_vertex_input *input = &state->input;
    VkResult result = VK_SUCCESS;
    if (!info || (state->choice_mask & VC4VK_CHOICE_VERTEX_INPUT))
        return VK_SUCCESS;
    for (uint32_t i = 0; i < info->vertexBindingDescriptionCount && result == VK_SUCCESS; i++) {
        const VkVertexInputBindingDescription *b = &info->pVertexBindingDescriptions[i];
        result = vc4vk_vertex_input_add_binding(
            object, input,
            &(VkVertexInputBindingDescription2EXT){
                .binding = b->binding, .stride = b->stride, .inputRate = b->inputRate, .divisor = 1});
    }
    const VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors = vc4vk_find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT);
    for (uint32_t i = 0; divisors && i < divisors->vertexBindingDivisorCount; i++) {
        const VkVertexInputBindingDivisorDescriptionEXT *d = &divisors->pVertexBindingDivisors[i];
        if (d->binding < ARRAY_SIZE(input->bindings))
            input->bindings[d->binding].divisor = d->divisor;
    }
    for (uint32_t i = 0; i < info->vertexAttributeDescriptionCount && result == VK_SUCCESS; i++) {
        const VkVertexInputAttributeDescription *a = &info->pVertexAttributeDescriptions[i];
        result = vc4vk_vertex_input_add_attribute(
            object, input,
            &(VkVertexInputAttributeDescription2EXT){
                .location = a->location, .binding = a->binding, .format = a->format, .offset = a->offset});
    }
    return result;
}

/* Only geometry shaders read adjacent vertices; without one, adjacency is dropped. */
static VkPrimitiveTopology without_adjacency(VkPrimitiveTopology topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    default:
        return topology;
    }
}

static VkResult init_input_assembly(const void *object, struct vc4vk_pipeline_state *state,
                                    const VkPipelineInputAssemblyStateCreateInfo *info)
{
    if (!info) /* all of it is dynamic */
        return VK_SUCCESS;
    if (info->topology > VK_PRIMITIVE_TOPOLOGY_PATCH_LIST)
        return vc4vk_errorf(object, VK_ERROR_FEATURE_NOT_PRESENT, "topology %d is not supported", info->topology);
    state->choice.topology = (uint8_t)info->topology;
    state->choice.restart = info->primitiveRestartEnable != 0;
    return VK_SUCCESS;
}

/* `info` may be NULL if all of it is dynamic. */
static VkResult init_tessellation(const void *object, struct vc4vk_pipeline_state *state,
                                  const VkPipelineTessellationStateCreateInfo *info)
{
    if (!info)
        return VK_SUCCESS;
    const VkPipelineTessellationDomainOriginStateCreateInfo *origin =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO);
    if (info->patchControlPoints > VC4C_MAX_PATCH_VERTICES && !(state->choice_mask & VC4VK_CHOICE_PATCH_VERTICES))
        return vc4vk_errorf(object, VK_ERROR_FEATURE_NOT_PRESENT,
                            "patches of %u control points, at most %u are supported", info->patchControlPoints,
                            VC4C_MAX_PATCH_VERTICES);
    state->choice.patch_vertices = (uint8_t)MIN2(info->patchControlPoints, VC4C_MAX_PATCH_VERTICES);
    state->choice.domain_origin = origin && origin->domainOrigin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
    return VK_SUCCESS;
}

static bool has_stage(const VkGraphicsPipelineCreateInfo *info, VkShaderStageFlagBits stage)
{
    bool has = false;
    for (uint32_t i = 0; i < info->stageCount; i++)
        has |= info->pStages[i].stage == stage;
    return has;
}

uint8_t vc4vk_bias_unit(const void *chain)
{
#ifdef VK_EXT_depth_bias_control
    const VkDepthBiasRepresentationInfoEXT *info =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT);
    if (info)
        return (uint8_t)info->depthBiasRepresentation;
#endif
    return VC4VK_BIAS_FORMAT;
}

static VkResult init_rasterization(const void *object, struct vc4vk_pipeline_state *state,
                                   const VkPipelineRasterizationStateCreateInfo *info)
{
    /* where it is dynamic, everything else must be known */
    state->choice.discard = info->rasterizerDiscardEnable && !(state->choice_mask & VC4VK_CHOICE_DISCARD);
    const bool has_mode = !(state->choice_mask & VC4VK_CHOICE_POLYGON_MODE) && !state->choice.discard;
    if (info->polygonMode > VK_POLYGON_MODE_POINT && has_mode)
        return vc4vk_errorf(object, VK_ERROR_FEATURE_NOT_PRESENT, "polygon mode %d is not supported",
                            info->polygonMode);
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT *clip =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT);
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT *provoking = vc4vk_find_in_chain(
        info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT);
    const VkPipelineRasterizationLineStateCreateInfoEXT *line =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT);
    const VkPipelineRasterizationStateStreamCreateInfoEXT *stream =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT);
    state->choice.stream = stream ? (uint8_t)MIN2(stream->rasterizationStream, VC4C_MAX_STREAMS - 1) : 0;
    state->choice.line_mode = line ? (uint8_t)line->lineRasterizationMode : VK_LINE_RASTERIZATION_MODE_DEFAULT_EXT;
    const bool may_stipple = line && (line->stippledLineEnable || state->choice_mask & VC4VK_CHOICE_STIPPLE);
    /* where it is dynamic, only instances that draw such lines get an expander */
    state->choice.stipples = may_stipple && !(state->choice_mask & VC4VK_CHOICE_STIPPLE);
    state->fixed.stipple_factor = 1;
    if (may_stipple && !(state->dynamic_mask & VC4VK_DYNAMIC_LINE_STIPPLE)) {
        state->fixed.stipple_factor = (uint16_t)CLAMP(line->lineStippleFactor, 1u, 256u);
        state->fixed.stipple_pattern = line->lineStipplePattern;
    }
    state->choice.last_provokes =
        provoking && provoking->provokingVertexMode == VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT;
    state->choice.depth_clamp = info->depthClampEnable != 0;
    state->choice.depth_clip = !clip                   ? VC4VK_CLIP_UNLESS_CLAMPED
                               : clip->depthClipEnable ? VC4VK_CLIP_ALWAYS
                                                       : VC4VK_CLIP_NEVER;
    state->choice.polygon_mode = (uint8_t)info->polygonMode;
    state->choice.cull_mode = (uint8_t)info->cullMode;
    state->choice.front_face = (uint8_t)info->frontFace;
    state->choice.depth_bias = info->depthBiasEnable != 0;
    state->choice.bias_unit = vc4vk_bias_unit(info->pNext);
    state->fixed.depth_bias_constant = info->depthBiasConstantFactor;
    state->fixed.depth_bias_clamp = info->depthBiasClamp;
    state->fixed.depth_bias_slope = info->depthBiasSlopeFactor;
    state->fixed.line_width_px = info->lineWidth;
    return VK_SUCCESS;
}

/* `info` may be NULL if all of it is dynamic. */
static VkResult init_multisample(const void *object, struct vc4vk_pipeline_state *state,
                                 const VkPipelineMultisampleStateCreateInfo *info)
{
    const uint32_t dynamic = state->choice_mask;
    if (!info)
        return VK_SUCCESS;
    const VkSampleCountFlagBits samples = info->rasterizationSamples;
    if (!(dynamic & VC4VK_CHOICE_SAMPLES) && samples != VK_SAMPLE_COUNT_1_BIT && samples != VK_SAMPLE_COUNT_4_BIT)
        return vc4vk_errorf(object, VK_ERROR_FEATURE_NOT_PRESENT, "%d rasterization samples: the chip has 1 and 4",
                            samples);
    if (!(dynamic & VC4VK_CHOICE_SAMPLES))
        state->choice.samples = (uint8_t)samples;
    if (!(dynamic & VC4VK_CHOICE_SAMPLE_MASK) && info->pSampleMask)
        state->choice.sample_mask = (uint8_t)(info->pSampleMask[0] & VC4VK_ALL_SAMPLES);
    state->choice.alpha_to_coverage = info->alphaToCoverageEnable != 0;
    state->choice.alpha_to_one = info->alphaToOneEnable != 0;
    state->min_sample_shading = info->sampleShadingEnable ? info->minSampleShading : 0;
    return VK_SUCCESS;
}

/* Whether a code in the face words expresses the write mask [hardware notes 5.3]. Other masks need a third word. */
static bool write_mask_code(uint8_t mask, uint32_t *code_out)
{
    switch (mask) {
    case 0x01:
        *code_out = 0;
        return true;
    case 0x03:
        *code_out = 1;
        return true;
    case 0x0f:
        *code_out = 2;
        return true;
    case 0xff:
        *code_out = 3;
        return true;
    default:
        *code_out = 3;
        return false;
    }
}

static bool faces_equal(const VkStencilOpState *a, const VkStencilOpState *b)
{
    return a->failOp == b->failOp && a->passOp == b->passOp && a->depthFailOp == b->depthFailOp &&
           a->compareOp == b->compareOp && a->compareMask == b->compareMask && a->writeMask == b->writeMask &&
           a->reference == b->reference;
}

static bool faces_may_differ(const struct vc4vk_pipeline_state *state)
{
    return state->dynamic_mask & VC4VK_DYNAMIC_STENCIL || !faces_equal(&state->front, &state->back);
}

static uint8_t stencil_word_count(const struct vc4vk_pipeline_state *state)
{
    uint32_t code;
    if (!state->stencil_test)
        return 0;
    bool simple_masks = !(state->dynamic_mask & VC4VK_DYNAMIC_STENCIL_WRITE_MASK) &&
                        write_mask_code((uint8_t)state->front.writeMask, &code) &&
                        write_mask_code((uint8_t)state->back.writeMask, &code);
    if (!simple_masks)
        return 3;
    return faces_may_differ(state) ? 2 : 1;
}

static struct vc4vk_stencil_face face_values(const VkStencilOpState *op)
{
    return (struct vc4vk_stencil_face){(uint8_t)op->compareMask, (uint8_t)op->writeMask, (uint8_t)op->reference};
}

static struct vc4vk_stencil_ops ops_of(const VkStencilOpState *op)
{
    return (struct vc4vk_stencil_ops){(uint8_t)op->failOp, (uint8_t)op->passOp, (uint8_t)op->depthFailOp,
                                      (uint8_t)op->compareOp};
}

static VkResult init_depth_stencil(const void *object, struct vc4vk_pipeline_state *state,
                                   const VkPipelineDepthStencilStateCreateInfo *info, bool bounds_are_dynamic)
{
    if (!info)
        return VK_SUCCESS;
    if (info->depthBoundsTestEnable && !bounds_are_dynamic)
        return vc4vk_errorf(object, VK_ERROR_FEATURE_NOT_PRESENT, "the depth bounds test is not supported");
    state->choice.depth_test = info->depthTestEnable != 0;
    state->choice.depth_write = info->depthWriteEnable != 0;
    state->choice.depth_compare = (uint8_t)info->depthCompareOp;
    state->choice.stencil_test = info->stencilTestEnable != 0;
    state->choice.front = ops_of(&info->front);
    state->choice.back = ops_of(&info->back);
    state->front = info->front;
    state->back = info->back;
    state->fixed.front = face_values(&info->front);
    state->fixed.back = face_values(&info->back);
    return VK_SUCCESS;
}

static void init_viewport(struct vc4vk_pipeline_state *state, const VkPipelineViewportStateCreateInfo *info)
{
    if (!info)
        return;
    state->viewport_count = info->viewportCount;
    const VkPipelineViewportDepthClipControlCreateInfoEXT *control =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT);
    state->choice.symmetric_depth = control && control->negativeOneToOne;
    for (uint32_t i = 0; i < MIN2(info->viewportCount, VC4VK_MAX_VIEWPORTS) && info->pViewports &&
                         !(state->dynamic_mask & VC4VK_DYNAMIC_VIEWPORT);
         i++)
        *(i ? &state->more_fixed.viewports[i - 1] : &state->fixed.viewport) = info->pViewports[i];
    for (uint32_t i = 0; i < MIN2(info->scissorCount, VC4VK_MAX_VIEWPORTS) && info->pScissors &&
                         !(state->dynamic_mask & VC4VK_DYNAMIC_SCISSOR);
         i++)
        *(i ? &state->more_fixed.scissors[i - 1] : &state->fixed.scissor) = info->pScissors[i];
}

/* ---------------------------------------------------------------- what depends on the choice */

static VkPrimitiveTopology list_of(VkPrimitiveTopology topology)
{
    switch (vc4vk_topology_class(topology)) {
    case VC4C_PRIMITIVE_POINTS:
        return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case VC4C_PRIMITIVE_LINES:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    default:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

static void choose_assembly(struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c)
{
    VkPrimitiveTopology topology = (VkPrimitiveTopology)c->topology;
    if (topology > VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY)
        topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    state->has_adjacency = topology > VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    state->topology = without_adjacency(topology);
    state->primitive_restart = c->restart;
    if (!state->expands)
        return;
    state->stream = c->stream;
    state->application.patch_vertices = MAX2(c->patch_vertices, 1u);
    state->application.is_lower_left = c->domain_origin;
    state->application.topology = topology;
    state->application.restart = c->restart;
    state->topology = state->emits ? state->emitted_topology : list_of(state->topology);
    state->has_adjacency = state->primitive_restart = false;
}

static void choose_rasterization(struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c)
{
    const enum vc4c_primitive class = vc4vk_topology_class(state->topology);
    const bool triangles = class == VC4C_PRIMITIVE_TRIANGLES;
    state->rasterizer_discard = c->discard;
    const bool lines = class == VC4C_PRIMITIVE_LINES || (triangles && c->polygon_mode == VK_POLYGON_MODE_LINE);
    state->lines = lines && !c->discard ? vk_to_lines(c->line_mode) : VC4VK_LINES_CHIP;
    state->stipples = lines && !c->discard && c->stipples;
    state->polygon = triangles && !c->discard ? vk_to_polygon(c->polygon_mode) : VC4VK_POLYGON_FILL;
    state->last_provokes = c->last_provokes;
    state->clamps_depth = c->depth_clamp;
    state->clips_depth = c->depth_clip == VC4VK_CLIP_UNLESS_CLAMPED ? !c->depth_clamp : c->depth_clip;
    state->symmetric_depth = c->symmetric_depth;
    state->cull_front = triangles && c->cull_mode & VK_CULL_MODE_FRONT_BIT;
    state->cull_back = triangles && c->cull_mode & VK_CULL_MODE_BACK_BIT;
    state->front_is_clockwise = c->front_face == VK_FRONT_FACE_CLOCKWISE;
    state->depth_bias = c->depth_bias && triangles;
    state->fragment.primitive = vc4vk_draws_rectangles(state)           ? VC4C_PRIMITIVE_TRIANGLES
                                : state->polygon == VC4VK_POLYGON_LINE  ? VC4C_PRIMITIVE_LINES
                                : state->polygon == VC4VK_POLYGON_POINT ? VC4C_PRIMITIVE_POINTS
                                                                        : (uint8_t) class;
}

static void choose_face(VkStencilOpState *face, const struct vc4vk_stencil_ops *ops)
{
    face->failOp = (VkStencilOp)ops->fail;
    face->passOp = (VkStencilOp)ops->pass;
    face->depthFailOp = (VkStencilOp)ops->depth_fail;
    face->compareOp = (VkCompareOp)ops->compare;
}

static void choose_depth_stencil(struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c)
{
    state->depth_test = c->depth_test && state->has_depth;
    state->depth_write = state->depth_test && c->depth_write;
    state->depth_compare = state->depth_test ? vk_to_compare((VkCompareOp)c->depth_compare) : CL_COMPARE_ALWAYS;
    state->stencil_test = c->stencil_test && state->has_stencil;
    choose_face(&state->front, &c->front);
    choose_face(&state->back, &c->back);
    state->two_stencils = state->polygon != VC4VK_POLYGON_FILL && state->stencil_test && !state->cull_front &&
                          !state->cull_back && faces_may_differ(state);
    state->stencil_words = stencil_word_count(state);
    state->fragment.stencil_words = state->stencil_words;
    state->fragment.write_z = state->depth_test || state->stencil_test;
}

/* The depth that a depth-bias constant of 1 means in Vulkan. It depends on the format, although memory holds 24 bits
 * for all of them. For float formats this is the unit for depths from 0.5 to 1. */
static void choose_target(struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c)
{
    const struct vc4vk_target *target = &c->target;
    state->has_depth = target->depth & VC4VK_TARGET_DEPTH;
    state->has_stencil = target->depth & VC4VK_TARGET_STENCIL;
    state->depth_is_float = target->depth & VC4VK_TARGET_FLOAT && c->bias_unit == VC4VK_BIAS_FORMAT;
    state->bias_is_depth = c->bias_unit == VC4VK_BIAS_DEPTH;
    state->depth_unit = !target->depth                         ? 0
                        : state->bias_is_depth                 ? 1
                        : target->depth & VC4VK_TARGET_16_BITS ? 1.0f / 65536
                                                               : 1.0f / 16777216;
}

/* Sample counts that the chip does not have can only come from commands. */
static void choose_samples(struct vc4vk_pipeline_state *state, const struct vc4vk_choice *c)
{
    const uint8_t samples = c->samples > 1 ? HW_MS_SAMPLES : 1;
    const uint32_t mask = BIT(samples) - 1;
    state->fragment.samples = samples;
    state->fragment.alpha_to_coverage = c->alpha_to_coverage;
    state->fragment.alpha_to_one = c->alpha_to_one;
    state->fragment.use_sample_mask = (c->sample_mask & mask) != mask;
    /* a single sample has all four coverage flags */
    state->sample_mask = samples > 1 ? c->sample_mask : c->sample_mask & 1 ? UINT32_MAX : 0;
    state->sample_shading = samples > 1 && state->min_sample_shading * (float)samples > 1;
}

VkResult vc4vk_pipeline_state_choose(const void *object, struct vc4vk_pipeline_state *state,
                                     const struct vc4vk_choice *choice)
{
    state->choice = *choice;
    choose_target(state, choice);
    choose_assembly(state, choice);
    choose_rasterization(state, choice);
    choose_samples(state, choice);
    choose_depth_stencil(state, choice);
    return vc4vk_pipeline_state_choose_replays(object, state, choice);
}

/* ---------------------------------------------------------------- targets */

uint8_t vc4vk_target_color(VkFormat vk)
{
    const struct vc4vk_format *format = vk != VK_FORMAT_UNDEFINED ? vc4vk_format(vk) : NULL;
    if (!format || !(vc4vk_format_optimal_features(format) & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT))
        return HW_FORMAT_NONE;
    return (uint8_t)vc4vk_format_storage(format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
}

uint8_t vc4vk_target_depth(VkFormat depth, VkFormat stencil)
{
    const struct vc4vk_format *with_depth = vc4vk_format(depth), *with_stencil = vc4vk_format(stencil);
    const VkFormat either = depth == VK_FORMAT_UNDEFINED ? stencil : depth;
    uint8_t target = 0;
    if (with_depth && (with_depth->aspects & VK_IMAGE_ASPECT_DEPTH_BIT))
        target |= VC4VK_TARGET_DEPTH;
    if (with_stencil && (with_stencil->aspects & VK_IMAGE_ASPECT_STENCIL_BIT))
        target |= VC4VK_TARGET_STENCIL;
    if (either == VK_FORMAT_D16_UNORM || either == VK_FORMAT_D16_UNORM_S8_UINT)
        target |= VC4VK_TARGET_16_BITS;
    if (either == VK_FORMAT_D32_SFLOAT || either == VK_FORMAT_D32_SFLOAT_S8_UINT)
        target |= VC4VK_TARGET_FLOAT;
    return target;
}

void vc4vk_choice_set_target(struct vc4vk_choice *choice, const struct vc4vk_target *own,
                             const struct vc4vk_target *target)
{
    const uint32_t lacks = target->depth & ~(uint32_t)own->depth;
    choice->target = *target;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        if (own->colors[i] == HW_FORMAT_NONE && target->colors[i] != HW_FORMAT_NONE) {
            choice->color_writes &= (uint8_t)~BIT(i);
            choice->blends &= (uint8_t)~BIT(i);
        }
    if (lacks & VC4VK_TARGET_DEPTH)
        choice->depth_test = false;
    if (lacks & VC4VK_TARGET_STENCIL)
        choice->stencil_test = false;
}

/* ---------------------------------------------------------------- all groups */

static void init_dynamic(struct vc4vk_pipeline_state *state, const VkPipelineDynamicStateCreateInfo *info)
{
    for (uint32_t i = 0; info && i < info->dynamicStateCount; i++) {
        state->dynamic_mask |= vk_to_dynamic(info->pDynamicStates[i]);
        state->choice_mask |= vk_to_choice(info->pDynamicStates[i]);
        state->has_bound_strides |= info->pDynamicStates[i] == VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE;
    }
}

static bool is_dynamic(const VkPipelineDynamicStateCreateInfo *info, VkDynamicState state)
{
    bool is = false;
    for (uint32_t i = 0; info && i < info->dynamicStateCount; i++)
        is |= info->pDynamicStates[i] == state;
    return is;
}

/* The groups that are ignored when all primitives are discarded: the structs may be garbage then. */
static VkResult init_drawn(const void *object, struct vc4vk_pipeline_state *state,
                           const VkGraphicsPipelineCreateInfo *info, const struct vc4vk_target *target)
{
    bool has_color = false; /* without colour attachments pColorBlendState may be garbage */
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        has_color |= target->colors[i] != HW_FORMAT_NONE;
    VkResult result = init_multisample(object, state, info->pMultisampleState);
    if (result == VK_SUCCESS && (target->depth & (VC4VK_TARGET_DEPTH | VC4VK_TARGET_STENCIL)))
        result = init_depth_stencil(object, state, info->pDepthStencilState,
                                    is_dynamic(info->pDynamicState, VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE));
    if (result != VK_SUCCESS)
        return result;
    init_viewport(state, info->pViewportState);
    if (has_color)
        vc4vk_pipeline_state_init_colors(state, info->pColorBlendState);
    return VK_SUCCESS;
}

VkResult vc4vk_pipeline_state_init(const void *object, struct vc4vk_pipeline_state *state,
                                   const VkGraphicsPipelineCreateInfo *info, const struct vc4vk_target *target,
                                   const uint8_t locations[VC4VK_MAX_COLOR_ATTACHMENTS])
{
    memset(state, 0, sizeof *state);
    memcpy(state->choice.color_locations, locations, sizeof state->choice.color_locations);
    init_dynamic(state, info->pDynamicState);
    VkResult result = VK_SUCCESS;
    if (!has_stage(info, VK_SHADER_STAGE_MESH_BIT_EXT)) { /* which is without both, so they may be garbage */
        result = init_vertex_input(object, state, info->pVertexInputState);
        if (result == VK_SUCCESS)
            result = init_input_assembly(object, state, info->pInputAssemblyState);
    }
    if (result == VK_SUCCESS && has_stage(info, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT))
        result = init_tessellation(object, state, info->pTessellationState);
    if (result == VK_SUCCESS)
        result = init_rasterization(object, state, info->pRasterizationState);
    if (result != VK_SUCCESS)
        return result;
    state->fragment.logic_op = VC4C_LOGIC_COPY;
    state->choice.samples = 1;
    state->choice.sample_mask = VC4VK_ALL_SAMPLES;
    state->choice.color_writes = UINT8_MAX;
    state->choice.target = *target;
    if (!state->choice.discard)
        result = init_drawn(object, state, info, target);
    return result == VK_SUCCESS ? vc4vk_pipeline_state_choose(object, state, &state->choice) : result;
}

/* ---------------------------------------------------------------- packing */

/* Whether a fragment that fails the depth test leaves the stencil unchanged. The stencil test runs before the depth
 * test, so its fail operation matters as well. */
static bool keeps_stencil(const VkStencilOpState *op)
{
    return op->depthFailOp == VK_STENCIL_OP_KEEP &&
           (op->failOp == VK_STENCIL_OP_KEEP || op->compareOp == VK_COMPARE_OP_ALWAYS);
}

bool vc4vk_pipeline_state_early_z(const struct vc4vk_pipeline_state *state, bool shader_writes_depth)
{
    bool less = state->depth_compare == CL_COMPARE_LESS || state->depth_compare == CL_COMPARE_LEQUAL;
    bool keeps = !state->stencil_test || (keeps_stencil(&state->front) && keeps_stencil(&state->back));
    return state->depth_test && less && keeps && !shader_writes_depth && state->fragment.samples == 1;
}

/* Bresenham lines have a whole number of pixels in each column, or row. */
float vc4vk_line_width_px(const struct vc4vk_pipeline_state *state, float width_px)
{
    return state->lines != VC4VK_LINES_BRESENHAM ? width_px : width_px > 1 ? roundf(width_px) : 1;
}

bool vc4vk_shader_writes_depth(const struct vc4vk_pipeline_state *state)
{
    return state->clamps_depth || !state->clips_depth;
}

#define CHIP_DEPTH_UNIT (1.0f / 16777216) /* [model-gpu.md] */
/* For float formats the chip still applies bias constants up to this value, with the unit of depths from 0.5 to 1. The
 * error is at most two steps of the stored 24 bits. */
#define FLOAT_STEPS_MAX 2.0f

/* Whether the chip can apply this depth bias. It cannot clamp a bias with a slope, it has one unit for all depths, and
 * it keeps only a few bits of the constant. */
static bool chip_biases(const struct vc4vk_pipeline_state *state, const struct vc4vk_dynamic_state *dynamic)
{
    return !(dynamic->depth_bias_clamp != 0 && dynamic->depth_bias_slope != 0) &&
           !(state->depth_is_float && fabsf(dynamic->depth_bias_constant) > FLOAT_STEPS_MAX) &&
           !(state->bias_is_depth && dynamic->depth_bias_constant != 0);
}

bool vc4vk_shader_biases_depth(const struct vc4vk_pipeline_state *state, const struct vc4vk_dynamic_state *dynamic)
{
    return state->depth_bias && state->polygon == VC4VK_POLYGON_FILL && !vc4vk_shader_writes_depth(state) &&
           !chip_biases(state, dynamic);
}

struct cl_depth_offset vc4vk_depth_offset(const struct vc4vk_pipeline_state *state,
                                          const struct vc4vk_dynamic_state *dynamic)
{
    const float clamp = dynamic->depth_bias_clamp;
    if (!chip_biases(state, dynamic))
        return (struct cl_depth_offset){.factor = 0};
    float bias = dynamic->depth_bias_constant * state->depth_unit;
    bias = clamp > 0 ? MIN2(bias, clamp) : clamp < 0 ? MAX2(bias, clamp) : bias;
    return (struct cl_depth_offset){.factor = dynamic->depth_bias_slope, .units = bias / CHIP_DEPTH_UNIT};
}

uint32_t vc4vk_pipeline_state_pack(const struct vc4vk_pipeline_state *state, bool early_z, uint32_t flat_mask,
                                   uint8_t out[VC4VK_PIPELINE_PACKETS_MAX_B])
{
    uint8_t *at = out;
    const bool fills = state->polygon == VC4VK_POLYGON_FILL; /* otherwise programs cull and bias */
    const bool is_rectangles = vc4vk_draws_rectangles(state); /* which lower_lines.c makes counter-clockwise */
    cl_configuration_bits_pack(at, &(struct cl_configuration_bits){
                                       .enable_front = !state->cull_front || !fills,
                                       .enable_back = !state->cull_back || !fills,
                                       .clockwise = !state->front_is_clockwise && !is_rectangles,
                                       .enable_depth_offset = state->depth_bias && fills,
                                       .oversample = state->fragment.samples > 1 && /* 4x */
                                                     state->lines != VC4VK_LINES_BRESENHAM &&
                                                     state->lines != VC4VK_LINES_SMOOTH,
                                       .depth_function = state->depth_compare,
                                       .z_update = state->depth_write,
                                       .early_z = early_z,
                                       .early_z_update = true,
                                   });
    at += CL_CONFIGURATION_BITS_SIZE_B;
    cl_flat_shade_flags_pack(at, &(struct cl_flat_shade_flags){.flags = flat_mask});
    at += CL_FLAT_SHADE_FLAGS_SIZE_B;

    const uint8_t primitive = state->fragment.primitive;
    if (primitive == VC4C_PRIMITIVE_POINTS) { /* default size; vertices with a point size override it */
        cl_point_size_pack(at, &(struct cl_point_size){.size_px = 1.0f});
        at += CL_POINT_SIZE_SIZE_B;
    }
    if (primitive == VC4C_PRIMITIVE_LINES && !(state->dynamic_mask & VC4VK_DYNAMIC_LINE_WIDTH)) {
        cl_line_width_pack(at,
                           &(struct cl_line_width){.width_px = vc4vk_line_width_px(state, state->fixed.line_width_px)});
        at += CL_LINE_WIDTH_SIZE_B;
    }
    if (state->depth_bias && !(state->dynamic_mask & VC4VK_DYNAMIC_DEPTH_BIAS)) {
        const struct cl_depth_offset offset = vc4vk_depth_offset(state, &state->fixed);
        cl_depth_offset_pack(at, &offset);
        at += CL_DEPTH_OFFSET_SIZE_B;
    }
    return (uint32_t)(at - out);
}

static uint32_t face_word(const VkStencilOpState *op, const struct vc4vk_stencil_face *values, uint32_t which)
{
    uint8_t bytes[CL_STENCIL_CONFIG_SIZE_B];
    uint32_t code, word;
    write_mask_code(values->write_mask, &code);
    cl_stencil_config_pack(bytes, &(struct cl_stencil_config){
                                      .mask = values->compare_mask,
                                      .reference = values->reference,
                                      .function = vk_to_compare(op->compareOp),
                                      .fail_op = vk_to_stencil_op(op->failOp),
                                      .z_pass_op = vk_to_stencil_op(op->passOp),
                                      .z_fail_op = vk_to_stencil_op(op->depthFailOp),
                                      .write_mask_code = code,
                                      .which = which,
                                  });
    memcpy(&word, bytes, sizeof word);
    return word;
}

void vc4vk_pipeline_state_stencil_words(const struct vc4vk_pipeline_state *state,
                                        const struct vc4vk_dynamic_state *dynamic,
                                        uint32_t words_out[VC4VK_STENCIL_WORDS_MAX])
{
    /* The chip treats lines and points as front-facing unless programs select the face. */
    const bool is_back = state->polygon != VC4VK_POLYGON_FILL && state->cull_front;
    const VkStencilOpState *front = is_back ? &state->back : &state->front;
    const struct vc4vk_stencil_face *front_values = is_back ? &dynamic->back : &dynamic->front;
    if (state->stencil_words == 1) {
        words_out[0] = face_word(front, front_values, 3);
    } else if (state->stencil_words >= 2) {
        words_out[0] = face_word(front, front_values, 1);
        words_out[1] = face_word(&state->back, &dynamic->back, 2);
        if (state->stencil_words == 3) /* bits 15:8 back, 7:0 front; follows the face words and overrides their codes */
            words_out[2] = (uint32_t)dynamic->back.write_mask << 8 | front_values->write_mask;
    }
}

static uint32_t copy_group(void *to, const void *from, size_t size_B, uint32_t group)
{
    if (!memcmp(to, from, size_B))
        return 0;
    memcpy(to, from, size_B);
    return group;
}

static uint32_t copy_stencil(uint8_t *front, uint8_t *back, uint8_t from_front, uint8_t from_back, uint32_t group)
{
    if (*front == from_front && *back == from_back)
        return 0;
    *front = from_front;
    *back = from_back;
    return group;
}

uint32_t vc4vk_dynamic_state_copy(struct vc4vk_dynamic_state *to, const struct vc4vk_dynamic_state *from, uint32_t mask)
{
    uint32_t changed = 0;
    if (mask & VC4VK_DYNAMIC_VIEWPORT)
        changed |= copy_group(&to->viewport, &from->viewport, sizeof to->viewport, VC4VK_DYNAMIC_VIEWPORT);
    if (mask & VC4VK_DYNAMIC_SCISSOR)
        changed |= copy_group(&to->scissor, &from->scissor, sizeof to->scissor, VC4VK_DYNAMIC_SCISSOR);
    if (mask & VC4VK_DYNAMIC_LINE_WIDTH)
        changed |=
            copy_group(&to->line_width_px, &from->line_width_px, sizeof to->line_width_px, VC4VK_DYNAMIC_LINE_WIDTH);
    if (mask & VC4VK_DYNAMIC_LINE_STIPPLE) {
        changed |= copy_group(&to->stipple_factor, &from->stipple_factor, sizeof to->stipple_factor,
                              VC4VK_DYNAMIC_LINE_STIPPLE);
        changed |= copy_group(&to->stipple_pattern, &from->stipple_pattern, sizeof to->stipple_pattern,
                              VC4VK_DYNAMIC_LINE_STIPPLE);
    }
    if (mask & VC4VK_DYNAMIC_DEPTH_BIAS) {
        changed |= copy_group(&to->depth_bias_constant, &from->depth_bias_constant, sizeof to->depth_bias_constant,
                              VC4VK_DYNAMIC_DEPTH_BIAS);
        changed |= copy_group(&to->depth_bias_slope, &from->depth_bias_slope, sizeof to->depth_bias_slope,
                              VC4VK_DYNAMIC_DEPTH_BIAS);
        changed |= copy_group(&to->depth_bias_clamp, &from->depth_bias_clamp, sizeof to->depth_bias_clamp,
                              VC4VK_DYNAMIC_DEPTH_BIAS);
    }
    if (mask & VC4VK_DYNAMIC_BLEND_CONSTANTS)
        changed |= copy_group(to->blend_constants, from->blend_constants, sizeof to->blend_constants,
                              VC4VK_DYNAMIC_BLEND_CONSTANTS);
    if (mask & VC4VK_DYNAMIC_STENCIL_COMPARE_MASK)
        changed |= copy_stencil(&to->front.compare_mask, &to->back.compare_mask, from->front.compare_mask,
                                from->back.compare_mask, VC4VK_DYNAMIC_STENCIL_COMPARE_MASK);
    if (mask & VC4VK_DYNAMIC_STENCIL_WRITE_MASK)
        changed |= copy_stencil(&to->front.write_mask, &to->back.write_mask, from->front.write_mask,
                                from->back.write_mask, VC4VK_DYNAMIC_STENCIL_WRITE_MASK);
    if (mask & VC4VK_DYNAMIC_STENCIL_REFERENCE)
        changed |= copy_stencil(&to->front.reference, &to->back.reference, from->front.reference, from->back.reference,
                                VC4VK_DYNAMIC_STENCIL_REFERENCE);
    return changed;
}
