/* SPDX-License-Identifier: MIT
 *
 * Tests the fixed-function state of pipelines: facing, culling, depth, stencil words, depth bias, early depth tests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>
#include "pipeline/vc4vk_pipeline_state.h"
#include "util/log.h"

/* A pipeline description with defaults, changed by each test. */
struct description {
    VkPipelineVertexInputStateCreateInfo input;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineRasterizationStateCreateInfo raster;
    VkPipelineMultisampleStateCreateInfo samples;
    VkPipelineDepthStencilStateCreateInfo depth;
    VkPipelineColorBlendAttachmentState attachment;
    VkPipelineColorBlendStateCreateInfo blend;
    VkDynamicState dynamics[8];
    VkPipelineDynamicStateCreateInfo dynamic;
    VkGraphicsPipelineCreateInfo info;
    struct vc4vk_target target;
    uint8_t locations[VC4VK_MAX_COLOR_ATTACHMENTS];
};

static struct description *describe(void)
{
    static struct description d;
    d = (struct description){0};
    d.assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    d.raster.lineWidth = 1.0f;
    d.samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    d.depth = (VkPipelineDepthStencilStateCreateInfo){
        .depthTestEnable = true, .depthWriteEnable = true, .depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL};
    d.attachment.colorWriteMask = 0xf;
    d.blend = (VkPipelineColorBlendStateCreateInfo){.attachmentCount = 1, .pAttachments = &d.attachment};
    d.dynamic.pDynamicStates = d.dynamics;
    d.info = (VkGraphicsPipelineCreateInfo){
        .pVertexInputState = &d.input,
        .pInputAssemblyState = &d.assembly,
        .pRasterizationState = &d.raster,
        .pMultisampleState = &d.samples,
        .pDepthStencilState = &d.depth,
        .pColorBlendState = &d.blend,
        .pDynamicState = &d.dynamic,
    };
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        d.locations[i] = (uint8_t)i;
    d.target =
        (struct vc4vk_target){.colors = {HW_FORMAT_R8G8B8A8_UNORM}, .depth = VC4VK_TARGET_DEPTH | VC4VK_TARGET_STENCIL};
    return &d;
}

static struct vc4vk_pipeline_state init(const struct description *d)
{
    struct vc4vk_pipeline_state state;
    assert_int_equal(vc4vk_pipeline_state_init(NULL, &state, &d->info, &d->target, d->locations), VK_SUCCESS);
    return state;
}

static struct cl_configuration_bits config(const struct description *d, bool early_z)
{
    struct vc4vk_pipeline_state state = init(d);
    uint8_t packets[VC4VK_PIPELINE_PACKETS_MAX_B];
    struct cl_configuration_bits bits;
    vc4vk_pipeline_state_pack(&state, early_z, 0, packets);
    assert_int_equal(packets[0], CL_CONFIGURATION_BITS_ID);
    cl_configuration_bits_unpack(packets, &bits);
    return bits;
}

static void ignore_log(void *data, enum util_log_level level, const char *line)
{
}

/* For the chip row 0 is at the bottom, so Vulkan's counter-clockwise is clockwise for the chip. */
static void facing(void **unused)
{
    struct description *d = describe();
    d->raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
    assert_true(config(d, false).clockwise);
    d->raster.frontFace = VK_FRONT_FACE_CLOCKWISE;
    assert_false(config(d, false).clockwise);
}

static void culling(void **unused)
{
    struct description *d = describe();
    d->raster.cullMode = VK_CULL_MODE_BACK_BIT;
    assert_true(config(d, false).enable_front);
    assert_false(config(d, false).enable_back);
    d->raster.cullMode = VK_CULL_MODE_FRONT_AND_BACK;
    assert_false(config(d, false).enable_front);
    d->assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST; /* lines have no facing */
    assert_true(config(d, false).enable_front);
    assert_true(config(d, false).enable_back);
}

static void depth(void **unused)
{
    struct description *d = describe();
    struct cl_configuration_bits bits = config(d, true);
    assert_int_equal(bits.depth_function, CL_COMPARE_LEQUAL);
    assert_true(bits.z_update && bits.early_z && bits.early_z_update);
    d->depth.depthTestEnable = false; /* no write without a test */
    bits = config(d, false);
    assert_int_equal(bits.depth_function, CL_COMPARE_ALWAYS);
    assert_false(bits.z_update);
    assert_false(init(d).fragment.write_z);
    d->depth.depthTestEnable = true;
    d->target.depth = 0; /* nothing to test against */
    assert_int_equal(config(d, false).depth_function, CL_COMPARE_ALWAYS);
}

static void early_z(void **unused)
{
    struct description *d = describe();
    struct vc4vk_pipeline_state state = init(d);
    assert_true(vc4vk_pipeline_state_early_z(&state, false));
    assert_false(vc4vk_pipeline_state_early_z(&state, true)); /* the shader writes depth */
    d->depth.depthCompareOp = VK_COMPARE_OP_GREATER;          /* early Z supports LESS and LEQUAL only */
    state = init(d);
    assert_false(vc4vk_pipeline_state_early_z(&state, false));
    d->depth.depthCompareOp = VK_COMPARE_OP_LESS;
    d->depth.stencilTestEnable = true;
    d->depth.back.depthFailOp = VK_STENCIL_OP_INVERT;
    state = init(d);
    assert_false(vc4vk_pipeline_state_early_z(&state, false));
    d->depth.back.depthFailOp = VK_STENCIL_OP_KEEP;
    state = init(d);
    assert_true(vc4vk_pipeline_state_early_z(&state, false));
    d->depth.front.failOp = VK_STENCIL_OP_REPLACE; /* must also happen for fragments that fail the depth test */
    d->depth.front.compareOp = VK_COMPARE_OP_NEVER;
    state = init(d);
    assert_false(vc4vk_pipeline_state_early_z(&state, false));
    d->depth.front.compareOp = VK_COMPARE_OP_ALWAYS;
    state = init(d);
    assert_true(vc4vk_pipeline_state_early_z(&state, false));
}

static void stencil_words(void **unused)
{
    struct description *d = describe();
    uint32_t words[VC4VK_STENCIL_WORDS_MAX];
    d->depth.stencilTestEnable = true;
    d->depth.front = d->depth.back = (VkStencilOpState){
        .failOp = VK_STENCIL_OP_ZERO,
        .passOp = VK_STENCIL_OP_REPLACE,
        .depthFailOp = VK_STENCIL_OP_INCREMENT_AND_WRAP,
        .compareOp = VK_COMPARE_OP_EQUAL,
        .compareMask = 0x3c,
        .writeMask = 0xff,
        .reference = 0x15,
    };
    struct vc4vk_pipeline_state state = init(d);
    assert_int_equal(state.stencil_words, 1);
    vc4vk_pipeline_state_stencil_words(&state, &state.fixed, words);
    assert_int_equal(words[0], 3u << 30 | 3 << 28 | 6 << 25 | 2 << 22 | 0 << 19 | 2 << 16 | 0x15 << 8 | 0x3c);

    d->depth.back.compareOp = VK_COMPARE_OP_ALWAYS; /* the faces differ */
    d->depth.back.writeMask = 0x0f;
    state = init(d);
    assert_int_equal(state.stencil_words, 2);
    vc4vk_pipeline_state_stencil_words(&state, &state.fixed, words);
    assert_int_equal(words[0] >> 28, 1 << 2 | 3);
    assert_int_equal(words[1] >> 28, 2 << 2 | 2);

    d->depth.back.writeMask = 0x5a; /* this mask has no short code: a third word holds it */
    state = init(d);
    assert_int_equal(state.stencil_words, 3);
    vc4vk_pipeline_state_stencil_words(&state, &state.fixed, words);
    assert_int_equal(words[2], 0x5a << 8 | 0xff);
}

static void dynamic_stencil(void **unused)
{
    struct description *d = describe();
    d->depth.stencilTestEnable = true;
    d->depth.front.writeMask = d->depth.back.writeMask = 0xff;
    d->dynamics[0] = VK_DYNAMIC_STATE_STENCIL_WRITE_MASK;
    d->dynamic.dynamicStateCount = 1;
    assert_int_equal(init(d).stencil_words, 3);
    d->dynamics[0] = VK_DYNAMIC_STATE_STENCIL_REFERENCE;
    assert_int_equal(init(d).stencil_words, 2);
}

static void stencils_of_lines(void **unused)
{
    struct description *d = describe();
    uint32_t words[VC4VK_STENCIL_WORDS_MAX];
    d->raster.polygonMode = VK_POLYGON_MODE_LINE;
    d->depth.stencilTestEnable = true;
    d->depth.front.writeMask = d->depth.back.writeMask = 0xff;
    assert_false(init(d).two_stencils);
    d->depth.back.reference = 7;
    struct vc4vk_pipeline_state state = init(d);
    assert_true(state.two_stencils);
    assert_int_equal(state.stencil_words, 2);
    vc4vk_pipeline_state_stencil_words(&state, &state.fixed, words);
    assert_int_equal(words[0] >> 30, 1);
    assert_int_equal(words[1] >> 30, 2);
    assert_int_equal(words[1] >> 8 & 0xff, 7);

    d->raster.cullMode = VK_CULL_MODE_FRONT_BIT; /* only back faces are left, and the chip treats them as front faces */
    state = init(d);
    assert_false(state.two_stencils);
    vc4vk_pipeline_state_stencil_words(&state, &state.fixed, words);
    assert_int_equal(words[0] >> 8 & 0xff, 7);

    d->raster.cullMode = VK_CULL_MODE_NONE;
    d->depth.back.reference = 0;
    d->dynamics[0] = VK_DYNAMIC_STATE_STENCIL_REFERENCE; /* front and back may differ at draw time */
    d->dynamic.dynamicStateCount = 1;
    assert_true(init(d).two_stencils);
}

static void refused(void **unused)
{
    struct vc4vk_pipeline_state state;
    util_log_set_sink(ignore_log, NULL);
    struct description *d = describe();
    d->raster.polygonMode = VK_POLYGON_MODE_FILL_RECTANGLE_NV;
    assert_int_equal(vc4vk_pipeline_state_init(NULL, &state, &d->info, &d->target, d->locations),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    d = describe();
    d->samples.rasterizationSamples = VK_SAMPLE_COUNT_8_BIT;
    assert_int_equal(vc4vk_pipeline_state_init(NULL, &state, &d->info, &d->target, d->locations),
                     VK_ERROR_FEATURE_NOT_PRESENT);
    util_log_set_sink(NULL, NULL);
}

static void static_packets(void **unused)
{
    struct description *d = describe();
    uint8_t packets[VC4VK_PIPELINE_PACKETS_MAX_B];
    d->raster.lineWidth = 3.0f;
    d->raster.depthBiasEnable = true;
    for (uint32_t is_line = 0; is_line < 2; is_line++) { /* lines have a width, triangles a depth bias */
        d->assembly.topology = is_line ? VK_PRIMITIVE_TOPOLOGY_LINE_STRIP : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
        d->dynamic.dynamicStateCount = 0;
        struct vc4vk_pipeline_state state = init(d);
        const uint32_t all_B = vc4vk_pipeline_state_pack(&state, false, 0, packets);
        d->dynamics[0] = VK_DYNAMIC_STATE_LINE_WIDTH;
        d->dynamics[1] = VK_DYNAMIC_STATE_DEPTH_BIAS;
        d->dynamic.dynamicStateCount = 2; /* draws emit dynamic state */
        state = init(d);
        assert_int_equal(all_B - vc4vk_pipeline_state_pack(&state, false, 0, packets),
                         is_line ? CL_LINE_WIDTH_SIZE_B : CL_DEPTH_OFFSET_SIZE_B);
    }
}

/* The chip applies a depth bias in steps of its 24-bit depth. The driver clamps a bias without a slope. A clamped bias
 * with a slope is left to the shader. */
static void depth_offsets(void **unused)
{
    struct description *d = describe();
    d->raster.depthBiasEnable = true;
    d->target.depth |= VC4VK_TARGET_16_BITS;
    struct vc4vk_pipeline_state state = init(d);
    struct vc4vk_dynamic_state bias = {.depth_bias_constant = 3, .depth_bias_slope = 2};
    assert_true(vc4vk_depth_offset(&state, &bias).units == 768 && vc4vk_depth_offset(&state, &bias).factor == 2);
    assert_false(vc4vk_shader_biases_depth(&state, &bias));
    bias.depth_bias_clamp = 1.0f / 65536;
    assert_true(vc4vk_depth_offset(&state, &bias).units == 0 && vc4vk_depth_offset(&state, &bias).factor == 0);
    assert_true(vc4vk_shader_biases_depth(&state, &bias));
    bias.depth_bias_slope = 0;
    assert_true(vc4vk_depth_offset(&state, &bias).units == 256);
    assert_false(vc4vk_shader_biases_depth(&state, &bias));
    state.depth_is_float = true; /* constants above 2 are applied by the shader, in steps of a float */
    assert_true(vc4vk_shader_biases_depth(&state, &bias));
    assert_true(vc4vk_depth_offset(&state, &bias).units == 0);
    bias.depth_bias_constant = -2;
    assert_false(vc4vk_shader_biases_depth(&state, &bias));
}

static void polygons(void **unused)
{
    struct description *d = describe();
    d->raster.polygonMode = VK_POLYGON_MODE_LINE;
    assert_int_equal(init(d).fragment.primitive, VC4C_PRIMITIVE_LINES);
    d->raster.polygonMode = VK_POLYGON_MODE_POINT;
    assert_int_equal(init(d).fragment.primitive, VC4C_PRIMITIVE_POINTS);
    d->assembly.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
    assert_int_equal(init(d).polygon, VC4VK_POLYGON_FILL);
}

/* Whatever a state was derived for before, choosing values gives what a pipeline with these values has. */
static void choices(void **unused)
{
    struct description *d = describe();
    d->depth.depthTestEnable = false;
    d->depth.front.writeMask = d->depth.back.writeMask = 0xff;
    d->raster.rasterizerDiscardEnable = true;
    d->dynamics[0] = VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE;
    d->dynamics[1] = VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE;
    d->dynamics[2] = VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT;
    d->dynamic.dynamicStateCount = 3;
    struct vc4vk_pipeline_state state = init(d);
    assert_int_equal(state.choice_mask, VC4VK_CHOICE_DEPTH_TEST | VC4VK_CHOICE_DISCARD | VC4VK_CHOICE_COLOR_WRITES);
    assert_false(state.rasterizer_discard); /* else the groups below would be ignored */
    assert_false(state.depth_test);
    assert_int_equal(state.depth_compare, CL_COMPARE_ALWAYS);
    assert_int_equal(state.written_replays, 1);

    struct vc4vk_choice choice = state.choice;
    choice.depth_test = choice.stencil_test = 1;
    choice.color_writes = 0;
    assert_int_equal(vc4vk_pipeline_state_choose(NULL, &state, &choice), VK_SUCCESS);
    assert_true(state.depth_test && state.depth_write);
    assert_int_equal(state.depth_compare, CL_COMPARE_LEQUAL);
    assert_true(state.replays[0].write_z);
    assert_int_equal(state.replays[0].stencil_words, state.stencil_words);
    assert_int_equal(state.stencil_words, 1);
    assert_int_equal(state.written_replays, 0);

    choice.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY;
    choice.cull_mode = VK_CULL_MODE_BACK_BIT;
    choice.color_writes = 1;
    assert_int_equal(vc4vk_pipeline_state_choose(NULL, &state, &choice), VK_SUCCESS);
    assert_int_equal(state.topology, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP);
    assert_true(state.has_adjacency);
    assert_false(state.cull_back); /* lines have no facing */
    assert_int_equal(state.replays[0].primitive, VC4C_PRIMITIVE_LINES);
    assert_int_equal(state.replays[0].write_mask, 0xf);
    assert_int_equal(state.written_replays, 1);
}

static void vertex_inputs(void **unused)
{
    struct vc4vk_vertex_input a = {.binding_mask = 0}, b = a;
    VkVertexInputBindingDescription2EXT binding = {.binding = 3, .stride = 12, .divisor = 5};
    VkVertexInputAttributeDescription2EXT attribute = {.location = 2, .binding = 3, .format = VK_FORMAT_R32_SFLOAT};
    assert_int_equal(vc4vk_vertex_input_add_binding(NULL, &a, &binding), VK_SUCCESS);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &attribute), VK_SUCCESS);
    assert_int_equal(a.bindings[3].divisor, 1); /* of instances alone */
    assert_int_equal(a.binding_mask, 1 << 3);
    assert_false(vc4vk_vertex_input_is_equal(&a, &b));
    b = a;
    assert_true(vc4vk_vertex_input_is_equal(&a, &b));
    b.bindings[3].stride_B++;
    assert_false(vc4vk_vertex_input_is_equal(&a, &b));
    binding.binding = VC4VK_MAX_VERTEX_BINDINGS;
    attribute.location = VC4C_MAX_ATTRIBUTES;
    util_log_set_sink(ignore_log, NULL);
    assert_int_equal(vc4vk_vertex_input_add_binding(NULL, &a, &binding), VK_ERROR_UNKNOWN);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &attribute), VK_ERROR_UNKNOWN);
    attribute.location = 0;
    attribute.format = VK_FORMAT_UNDEFINED;
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &attribute), VK_ERROR_FORMAT_NOT_SUPPORTED);
    util_log_set_sink(NULL, NULL);
}

/* Attributes of two locations, the second of which gives way to another attribute, in any order. */
static void wide_vertex_inputs(void **unused)
{
    const VkVertexInputAttributeDescription2EXT wide = {
        .location = 2, .format = VK_FORMAT_R64G64B64_SFLOAT, .offset = 40};
    const VkVertexInputAttributeDescription2EXT next = {.location = 3, .format = VK_FORMAT_R8_UNORM, .offset = 4};
    const VkVertexInputAttributeDescription2EXT last = {.location = VC4C_MAX_ATTRIBUTES - 1,
                                                        .format = VK_FORMAT_R64G64B64A64_UINT};
    struct vc4vk_vertex_input a = {.binding_mask = 0}, b = a;
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &wide), VK_SUCCESS);
    assert_int_equal(a.attributes[2].format, HW_FORMAT_R32G32B32A32_UINT);
    assert_int_equal(a.attributes[2].offset_B, 40);
    assert_int_equal(a.attributes[2].size_B, 24); /* to the end of the whole attribute */
    assert_int_equal(a.attributes[3].format, HW_FORMAT_R32G32_UINT);
    assert_int_equal(a.attributes[3].offset_B, 56);
    assert_int_equal(a.attributes[3].size_B, 8);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &next), VK_SUCCESS);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &b, &next), VK_SUCCESS);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &b, &wide), VK_SUCCESS);
    assert_true(vc4vk_vertex_input_is_equal(&a, &b));
    assert_int_equal(a.attributes[3].format, HW_FORMAT_R8_UNORM);
    assert_int_equal(vc4vk_vertex_input_add_attribute(NULL, &a, &last), VK_SUCCESS); /* there is no second location */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facing),        cmocka_unit_test(culling),           cmocka_unit_test(depth),
        cmocka_unit_test(early_z),       cmocka_unit_test(stencil_words),     cmocka_unit_test(dynamic_stencil),
        cmocka_unit_test(refused),       cmocka_unit_test(static_packets),    cmocka_unit_test(depth_offsets),
        cmocka_unit_test(polygons),      cmocka_unit_test(stencils_of_lines), cmocka_unit_test(choices),
        cmocka_unit_test(vertex_inputs), cmocka_unit_test(wide_vertex_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
