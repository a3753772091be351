/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_depth_bias_control: what the constant of a depth bias counts is said by the pipeline or by the command. The
 * depths that quads leave are compared with computed ones, also on the reference if it has the extension.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "push.frag.h"
#include "push.vert.h"

enum { W = 32, H = 32 };

#define COLOR VK_FORMAT_R8G8B8A8_UNORM

static const double step_of_24_bits = 1.0 / 16777216;

struct push {
    float color[4], rect[4], depth;
};

static struct vkt open_device(const struct vkt *from)
{
    static const char *const extension = VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME;
    VkPhysicalDeviceDepthBiasControlFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEPTH_BIAS_CONTROL_FEATURES_EXT,
        .depthBiasControl = VK_TRUE,
        .leastRepresentableValueForceUnormRepresentation = VK_TRUE,
        .floatRepresentation = VK_TRUE};
    return vkt_device_create_chain(from, &extension, 1, &features);
}

struct bias {
    VkDepthBiasRepresentationEXT representation;
    float constant, clamp;
};

enum how { BY_PIPELINE, BY_COMMAND, HOW_COUNT };

static VkDepthBiasRepresentationInfoEXT info_of(const struct bias *b)
{
    return (VkDepthBiasRepresentationInfoEXT){.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT,
                                              .depthBiasRepresentation = b->representation};
}

static void set_bias(struct vkt *t, VkCommandBuffer cmd, const struct bias *b)
{
    PFN_vkCmdSetDepthBias2EXT set = (PFN_vkCmdSetDepthBias2EXT)vkGetDeviceProcAddr(t->device, "vkCmdSetDepthBias2EXT");
    const VkDepthBiasRepresentationInfoEXT representation = info_of(b);
    set(cmd, &(VkDepthBiasInfoEXT){.sType = VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT,
                                   .pNext = &representation,
                                   .depthBiasConstantFactor = b->constant,
                                   .depthBiasClamp = b->clamp});
}

static double depth_at(VkFormat format, const uint32_t *texels, uint32_t i)
{
    float f;
    if (format == VK_FORMAT_D16_UNORM)
        return ((const uint16_t *)texels)[i] / 65535.0;
    if (format == VK_FORMAT_X8_D24_UNORM_PACK32)
        return (texels[i] & 0xffffff) / 16777215.0;
    memcpy(&f, &texels[i], sizeof f);
    return f;
}

/* Of a bias constant of 1, at this depth. */
static double unit_of(VkFormat format, VkDepthBiasRepresentationEXT representation, double depth)
{
    int exponent;
    if (representation == VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT)
        return 1;
    if (format == VK_FORMAT_D16_UNORM)
        return 1.0 / 65536;
    if (format == VK_FORMAT_X8_D24_UNORM_PACK32 ||
        representation == VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT)
        return step_of_24_bits;
    frexp(depth, &exponent); /* a mantissa from 0.5 to 1 */
    return ldexp(1, exponent - 24);
}

static double expected_depth(VkFormat format, const struct bias *b, double depth)
{
    double bias = (double)b->constant * unit_of(format, b->representation, depth);
    if (b->clamp > 0)
        bias = fmin(bias, (double)b->clamp);
    if (b->clamp < 0)
        bias = fmax(bias, (double)b->clamp);
    return fmin(fmax(depth + bias, 0), 1);
}

static void check(struct vkt *t, VkFormat format, const struct bias *b, float depth, enum how how)
{
    static uint32_t texels[W * H];
    static const VkDynamicState state = VK_DYNAMIC_STATE_DEPTH_BIAS;
    struct vkt_target target = vkt_target_create(t, W, H, COLOR, format);
    const VkDepthBiasRepresentationInfoEXT representation = info_of(b);
    const bool is_dynamic = how == BY_COMMAND;
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(push_vert),
                                                           .fs = VKT_SHADER(push_frag),
                                                           .pass = target.pass,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
                                                           .push_size_B = sizeof(struct push),
                                                           .depth_test = true,
                                                           .depth_write = true,
                                                           .depth_compare = VK_COMPARE_OP_ALWAYS,
                                                           .depth_bias_enable = true,
                                                           .depth_bias = {b->constant, b->clamp, 0},
                                                           .rasterization_next = is_dynamic ? NULL : &representation,
                                                           .dynamic = &state,
                                                           .dynamic_count = is_dynamic,
                                                           .width = W,
                                                           .height = H});
    const struct push push = {{1, 1, 1, 1}, {-1, -1, 1, 1}, depth};
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[4]){0, 0, 0, 0}, 0.5f, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push, &push);
    if (is_dynamic) { /* other ones first: the last draw wins */
        set_bias(t, cmd, &(struct bias){VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, 0.5f, 0});
        vkCmdDraw(cmd, 4, 1, 0, 0);
        vkCmdSetDepthBias(cmd, 100, 0, 0);
        vkCmdDraw(cmd, 4, 1, 0, 0);
        set_bias(t, cmd, b);
    }
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.depth, 0, 0, texels, W * H * (format == VK_FORMAT_D16_UNORM ? 2 : 4));
    const double want = expected_depth(format, b, (double)depth);
    /* the packet's floats have 7 bits of mantissa, which only small constants get */
    const double tolerance =
        (format == VK_FORMAT_D16_UNORM ? 1.1 / 65536 : 3 * step_of_24_bits) +
        (b->representation == VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT ? fabs(want) * 2e-7
                                                                     : fabs(want - (double)depth) / 64);
    for (uint32_t i = 0; i < W * H; i++) {
        const double got = depth_at(format, texels, i);
        if (fabs(got - want) > tolerance)
            fail_msg("format %d, representation %d, constant %g, clamp %g, %s: depth %.9g at %u instead of %.9g",
                     format, b->representation, (double)b->constant, (double)b->clamp,
                     is_dynamic ? "dynamic" : "static", got, i, want);
    }
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
}

static const struct bias biases[] = {
    {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT, 4096, 0},
    {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT, 4096, 0},
    {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT, -4096, 0},
    {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT, 4096, 1e-5f},
    {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, 0.2371f, 0},
    {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, -0.0123f, 0},
    {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, 0.25f, 0.125f},
    {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, -0.25f, -0.0625f},
    {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, 0, 0},
};

static void check_all(const struct vkt *from)
{
    static const VkFormat formats[] = {VK_FORMAT_D16_UNORM, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_D32_SFLOAT};
    struct vkt t = open_device(from);
    for (uint32_t f = 0; f < VKT_COUNT(formats); f++)
        for (uint32_t i = 0; i < VKT_COUNT(biases); i++)
            for (uint32_t how = 0; how < HOW_COUNT; how++)
                check(&t, formats[f], &biases[i], i % 2 ? 0.6f : 0.15f, (enum how)how);
    vkt_device_close(&t);
}

static void depths(void **state)
{
    check_all(vkt_device(VKT_TESTED));
}

/* What is expected is what the reference does, too. */
static void depths_of_the_reference(void **state)
{
    struct vkt *reference = vkt_device(VKT_REFERENCE);
    if (!vkt_has_extension(reference, VK_EXT_DEPTH_BIAS_CONTROL_EXTENSION_NAME))
        vkt_skip("the reference does not have VK_EXT_depth_bias_control");
    check_all(reference);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(depths, vkt_check_messages),
        cmocka_unit_test_teardown(depths_of_the_reference, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_depth_bias_control", tests, NULL, vkt_teardown);
}
