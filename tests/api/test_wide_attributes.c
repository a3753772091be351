/* SPDX-License-Identifier: MIT
 *
 * Vertex attributes with components of 64 bits: all twelve formats, with strides and offsets, per vertex and per
 * instance with divisors, many of them, at the end of their buffer, changed by dynamic vertex input, before a geometry
 * stage, whose vertices the CPU fetches, and captured by transform feedback. The expected words are those of the
 * buffer; the reference draws the formats that it draws correctly.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "legacy.frag.h"
#include "legacy.geom.h"
#include "wide_captured_double.vert.h"
#include "wide_captured_int.vert.h"
#include "wide_captured_uint.vert.h"
#include "wide_double1.vert.h"
#include "wide_double2.vert.h"
#include "wide_double3.vert.h"
#include "wide_double4.vert.h"
#include "wide_int1.vert.h"
#include "wide_int2.vert.h"
#include "wide_int3.vert.h"
#include "wide_int4.vert.h"
#include "wide_many_double.vert.h"
#include "wide_many_int.vert.h"
#include "wide_many_uint.vert.h"
#include "wide_uint1.vert.h"
#include "wide_uint2.vert.h"
#include "wide_uint3.vert.h"
#include "wide_uint4.vert.h"

enum { COLUMNS = 32, WORDS = 8, MANY = 8, DATA_B = 16384, FIRST_INSTANCE = 2, STAGES = 0x11 };
_Static_assert(STAGES == (VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT), "of push constants");

enum type { UNSIGNED, SIGNED, FLOAT, TYPES }; /* ORDER VkFormat */

struct words {
    uint32_t at[COLUMNS][WORDS];
};

/* Attribute k lies k * gap_B behind the first, which is at binding_B + offset_B of element 0. */
struct layout {
    const char *name;
    uint32_t binding_B, offset_B, gap_B, stride_B;
    uint32_t count; /* of attributes; every other one reads the second binding */
    bool per_instance, second_per_instance;
    uint32_t divisor; /* of both bindings */
    bool has_divisor; /* else 1 */
    uint32_t bound_B; /* bytes of the buffer that are bound, from binding_B on; 0: all */
};

struct scene {
    struct vkt t;
    struct vkt_target target;
    struct vkt_buffer data; /* random bytes */
    const void *next;       /* pNext of pipelines */
};

static VkFormat format_of(enum type type, uint32_t components)
{
    return VK_FORMAT_R64_UINT + 3 * (VkFormat)(components - 1) + (VkFormat)type;
}

static struct vkt_shader shader_of(enum type type, uint32_t components, uint32_t count)
{
    const struct vkt_shader one[TYPES][4] = {{VKT_SHADER(wide_uint1_vert), VKT_SHADER(wide_uint2_vert),
                                              VKT_SHADER(wide_uint3_vert), VKT_SHADER(wide_uint4_vert)},
                                             {VKT_SHADER(wide_int1_vert), VKT_SHADER(wide_int2_vert),
                                              VKT_SHADER(wide_int3_vert), VKT_SHADER(wide_int4_vert)},
                                             {VKT_SHADER(wide_double1_vert), VKT_SHADER(wide_double2_vert),
                                              VKT_SHADER(wide_double3_vert), VKT_SHADER(wide_double4_vert)}};
    const struct vkt_shader many[TYPES] = {VKT_SHADER(wide_many_uint_vert), VKT_SHADER(wide_many_int_vert),
                                           VKT_SHADER(wide_many_double_vert)};
    return count == 1 ? one[type][components - 1] : many[type];
}

/* ---------------------------------------------------------------- scenes */

static void open_resources(struct scene *s)
{
    static uint8_t bytes[DATA_B];
    uint32_t seed = 1;
    for (uint32_t i = 0; i < DATA_B; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
    s->target = vkt_target_create(&s->t, COLUMNS, 2, VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_UNDEFINED);
    s->data = vkt_buffer_create(&s->t, DATA_B, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, bytes);
}

static void close_resources(struct scene *s)
{
    vkt_target_destroy(&s->t, &s->target);
    vkt_buffer_destroy(&s->t, &s->data);
}

static struct scene open_scene(void)
{
    static const char *const extensions[] = {
        VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME,
        VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
        VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME};
    VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT, .transformFeedback = VK_TRUE};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT input = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &feedback,
        .vertexInputDynamicState = VK_TRUE};
    VkPhysicalDeviceExtendedDynamicStateFeaturesEXT state = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &input,
        .extendedDynamicState = VK_TRUE};
    VkPhysicalDeviceRobustness2FeaturesEXT robust = {.sType =
                                                         VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
                                                     .pNext = &state,
                                                     .robustBufferAccess2 = VK_TRUE};
    struct scene s = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &robust)};
    open_resources(&s);
    return s;
}

static void close_scene(struct scene *s)
{
    close_resources(s);
    vkt_device_close(&s->t);
}

/* ---------------------------------------------------------------- drawing */

static struct vkt_pipeline create_pipeline(struct scene *s, enum type type, uint32_t components, const struct layout *l,
                                           bool has_geometry)
{
    const VkVertexInputRate rate = l->per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX;
    const VkVertexInputBindingDescription bindings[] = {
        {0, l->stride_B, rate}, {1, l->stride_B, l->second_per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : rate}};
    const VkVertexInputBindingDivisorDescriptionEXT divisor = {0, l->divisor};
    const VkPipelineVertexInputDivisorStateCreateInfoEXT divisors = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
        .vertexBindingDivisorCount = 1,
        .pVertexBindingDivisors = &divisor};
    VkVertexInputAttributeDescription attributes[MANY];
    for (uint32_t k = 0; k < l->count; k++)
        attributes[k] = (VkVertexInputAttributeDescription){(components + 1) / 2 * k, k % 2,
                                                            format_of(type, components), l->offset_B + k * l->gap_B};
    struct vkt_pipeline_info info = {.vs = shader_of(type, components, l->count),
                                     .fs = VKT_SHADER(legacy_frag),
                                     .pass = s->target.pass,
                                     .bindings = bindings,
                                     .binding_count = l->count > 1 ? 2 : 1,
                                     .attributes = attributes,
                                     .attribute_count = l->count,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                     .vertex_input_next = l->has_divisor ? &divisors : NULL,
                                     .push_size_B = 4,
                                     .width = COLUMNS,
                                     .height = 2};
    if (has_geometry)
        info.gs = VKT_SHADER(legacy_geom);
    return vkt_pipeline_create(&s->t, &info);
}

static void bind(struct scene *s, VkCommandBuffer cmd, const struct layout *l)
{
    const VkBuffer buffers[] = {s->data.buffer, s->data.buffer};
    const VkDeviceSize offsets[] = {l->binding_B, l->binding_B}, sizes[] = {l->bound_B, l->bound_B};
    PFN_vkCmdBindVertexBuffers2EXT bind2 =
        (PFN_vkCmdBindVertexBuffers2EXT)vkGetDeviceProcAddr(s->t.device, "vkCmdBindVertexBuffers2EXT");
    if (l->bound_B)
        bind2(cmd, 0, 2, buffers, offsets, sizes, NULL);
    else
        vkCmdBindVertexBuffers(cmd, 0, 2, buffers, offsets);
}

static void draw_row(VkCommandBuffer cmd, const struct vkt_pipeline *p, const struct layout *l, uint32_t row)
{
    vkCmdPushConstants(cmd, p->layout, STAGES, 0, 4, &row);
    if (l->per_instance)
        vkCmdDraw(cmd, 1, COLUMNS - FIRST_INSTANCE, 0, FIRST_INSTANCE);
    else
        vkCmdDraw(cmd, COLUMNS, 1, 0, 0);
}

static void read_words(struct scene *s, struct words *out)
{
    uint32_t rows[2][COLUMNS][4];
    vkt_read_image(&s->t, &s->target.color, 0, 0, rows, sizeof rows);
    for (uint32_t i = 0; i < COLUMNS; i++)
        for (uint32_t k = 0; k < WORDS; k++)
            out->at[i][k] = rows[k / 4][i][k % 4];
}

static void draw(struct scene *s, const struct vkt_pipeline *p, const struct layout *l, struct words *out)
{
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_begin_pass(cmd, &s->target, (float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    bind(s, cmd, l);
    for (uint32_t row = 0; row < 2; row++)
        draw_row(cmd, p, l, row);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s->t, cmd);
    read_words(s, out);
}

/* ---------------------------------------------------------------- expectations */

static uint32_t element_of(const struct layout *l, uint32_t k, uint32_t column)
{
    if (!l->per_instance)
        return k % 2 && l->second_per_instance ? 0 : column;
    const uint32_t divisor = l->has_divisor && k % 2 == 0 ? l->divisor : 1;
    return divisor ? FIRST_INSTANCE + (column - FIRST_INSTANCE) / divisor : FIRST_INSTANCE;
}

static void expect(const struct scene *s, uint32_t components, const struct layout *l, struct words *out)
{
    *out = (struct words){.at = {{0}}};
    for (uint32_t column = l->per_instance ? FIRST_INSTANCE : 0; column < COLUMNS; column++)
        for (uint32_t k = 0; k < l->count; k++) {
            const uint32_t at_B = l->offset_B + k * l->gap_B + element_of(l, k, column) * l->stride_B;
            const bool is_inside = !l->bound_B || at_B + 8 * components <= l->bound_B;
            uint32_t words[WORDS] = {0};
            if (is_inside)
                memcpy(words, (const uint8_t *)s->data.map + l->binding_B + at_B, (size_t)8 * components);
            for (uint32_t w = 0; w < 2 * components; w++)
                out->at[column][w] = out->at[column][w] * 31 + words[w];
        }
}

static void assert_same(const struct words *got, const struct words *expected, const char *what, VkFormat format)
{
    for (uint32_t i = 0; i < COLUMNS; i++)
        for (uint32_t k = 0; k < WORDS; k++)
            if (got->at[i][k] != expected->at[i][k])
                fail_msg("%s: format %d, column %u, word %u: 0x%08x instead of 0x%08x", what, format, i, k,
                         got->at[i][k], expected->at[i][k]);
}

static void check(struct scene *s, enum type type, uint32_t components, const struct layout *l)
{
    for (uint32_t has_geometry = 0; has_geometry < 2; has_geometry++) {
        struct vkt_pipeline p = create_pipeline(s, type, components, l, has_geometry);
        struct words got, expected;
        draw(s, &p, l, &got);
        expect(s, components, l, &expected);
        assert_same(&got, &expected, l->name, format_of(type, components));
        vkt_pipeline_destroy(&s->t, &p);
    }
}

/* Calls check() for all formats. Strides of the layout are in addition to the attributes, unless `is_exact`. */
static void check_formats(struct scene *s, const struct layout *layout, bool is_exact)
{
    for (uint32_t i = 0; i < TYPES * 4; i++) {
        const uint32_t components = 1 + i / TYPES;
        struct layout l = *layout;
        l.stride_B += is_exact ? 0 : 8 * components;
        check(s, (enum type)(i % TYPES), components, &l);
    }
}

/* ---------------------------------------------------------------- cases */

static bool is_reported(struct vkt *t, VkFormat format)
{
    VkFormatProperties p;
    vkGetPhysicalDeviceFormatProperties(t->physical, format, &p);
    return p.bufferFeatures & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT;
}

static void formats_are_reported(void **state)
{
    VkFormatProperties p;
    for (VkFormat format = VK_FORMAT_R64_UINT; format <= VK_FORMAT_R64G64B64A64_SFLOAT; format++) {
        assert_true(is_reported(vkt_device(VKT_TESTED), format));
        vkGetPhysicalDeviceFormatProperties(vkt_device(VKT_TESTED)->physical, format, &p);
        if (format > VK_FORMAT_R64_SINT) /* no use but this */
            assert_int_equal(p.linearTilingFeatures | p.optimalTilingFeatures |
                                 (p.bufferFeatures & ~(VkFormatFeatureFlags)VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT),
                             0);
    }
}

static void elements_and_strides(void **state)
{
    static const struct layout tight = {.name = "tight", .count = 1},
                               spread = {.name = "spread", .binding_B = 40, .offset_B = 16, .stride_B = 24, .count = 1},
                               overlapping = {.name = "overlapping", .offset_B = 8, .stride_B = 8, .count = 1},
                               still = {.name = "stride 0", .binding_B = 8, .count = 1};
    struct scene s = open_scene();
    check_formats(&s, &tight, false);
    check_formats(&s, &spread, false);
    check_formats(&s, &overlapping, true);
    check_formats(&s, &still, true);
    close_scene(&s);
}

static void instances_and_divisors(void **state)
{
    struct scene s = open_scene();
    check_formats(&s, &(struct layout){.name = "instances", .count = 1, .per_instance = true}, false);
    for (uint32_t divisor = 0; divisor < 4; divisor += 3)
        check_formats(&s,
                      &(struct layout){.name = "divisor",
                                       .count = 1,
                                       .offset_B = 8,
                                       .per_instance = true,
                                       .has_divisor = true,
                                       .divisor = divisor},
                      false);
    close_scene(&s);
}

/* 256 bytes of each vertex, which chip programs do not get at once, nor from eight arrays. */
static void many_attributes(void **state)
{
    static const struct layout layouts[] = {
        {.name = "many", .gap_B = 32, .stride_B = 256, .count = MANY},
        {.name = "many apart", .gap_B = 48, .offset_B = 8, .stride_B = 400, .count = MANY},
        {.name = "many and instances", .gap_B = 32, .stride_B = 256, .count = MANY, .second_per_instance = true},
        {.name = "many of instances", .gap_B = 32, .stride_B = 256, .count = MANY, .per_instance = true}};
    struct scene s = open_scene();
    for (uint32_t i = 0; i < VKT_COUNT(layouts); i++)
        for (uint32_t type = 0; type < TYPES; type++)
            check(&s, (enum type)type, 4, &layouts[i]);
    close_scene(&s);
}

/* An attribute is in the buffer or it is zero, all of it, though it may be read as two. */
static void attributes_at_the_end(void **state)
{
    struct scene s = open_scene();
    for (uint32_t i = 0; i < TYPES * 4; i++)
        for (uint32_t missing_B = 1; missing_B <= 24; missing_B = missing_B == 1 ? 8 : missing_B + 8) {
            const uint32_t components = 1 + i / TYPES;
            const struct layout l = {.name = "end",
                                     .binding_B = 64,
                                     .stride_B = 40,
                                     .count = 1,
                                     .bound_B = 40 * 20 + 8 * components - missing_B};
            if (missing_B <= 8 * components)
                check(&s, (enum type)(i % TYPES), components, &l);
        }
    for (uint32_t missing_B = 0; missing_B <= 32; missing_B += 8)
        check(&s, FLOAT, 4,
              &(struct layout){
                  .name = "end of many", .gap_B = 32, .stride_B = 256, .count = MANY, .bound_B = 256 * 21 - missing_B});
    close_scene(&s);
}

static void set_input(struct scene *s, VkCommandBuffer cmd, VkFormat format, const struct layout *l)
{
    PFN_vkCmdSetVertexInputEXT set =
        (PFN_vkCmdSetVertexInputEXT)vkGetDeviceProcAddr(s->t.device, "vkCmdSetVertexInputEXT");
    const VkVertexInputBindingDescription2EXT binding = {
        .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
        .stride = l->stride_B,
        .inputRate = l->per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX,
        .divisor = l->has_divisor ? l->divisor : 1};
    const VkVertexInputAttributeDescription2EXT attribute = {
        .sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, .format = format, .offset = l->offset_B};
    set(cmd, 1, &binding, 1, &attribute);
}

/* Two rows that differ in the input: what the second one lacks it does not take from the first. */
static void vertex_input_is_dynamic(void **state)
{
    static const VkDynamicState dynamic = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT;
    static const struct layout upper = {.stride_B = 32, .count = 1},
                               lower = {.offset_B = 8, .stride_B = 64, .count = 1};
    struct scene s = open_scene();
    for (uint32_t type = 0; type < TYPES; type++) {
        struct words got, expected[2];
        struct vkt_pipeline p =
            vkt_pipeline_create(&s.t, &(struct vkt_pipeline_info){.vs = shader_of((enum type)type, 4, 1),
                                                                  .fs = VKT_SHADER(legacy_frag),
                                                                  .pass = s.target.pass,
                                                                  .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                                  .push_size_B = 4,
                                                                  .dynamic = &dynamic,
                                                                  .dynamic_count = 1,
                                                                  .width = COLUMNS,
                                                                  .height = 2});
        VkCommandBuffer cmd = vkt_begin(&s.t);
        vkt_begin_pass(cmd, &s.target, (float[4]){0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        bind(&s, cmd, &upper);
        for (uint32_t row = 0; row < 2; row++) {
            set_input(&s, cmd, format_of((enum type)type, 4), row ? &lower : &upper);
            draw_row(cmd, &p, &upper, row);
        }
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&s.t, cmd);
        read_words(&s, &got);
        expect(&s, 4, &upper, &expected[0]);
        expect(&s, 4, &lower, &expected[1]);
        for (uint32_t i = 0; i < COLUMNS; i++)
            memcpy(&expected[0].at[i][4], &expected[1].at[i][4], 16);
        assert_same(&got, &expected[0], "dynamic", format_of((enum type)type, 4));
        vkt_pipeline_destroy(&s.t, &p);
    }
    close_scene(&s);
}

/* Three components of each vertex, 32 bytes apart. */
static void attributes_are_captured(void **state)
{
    const struct vkt_shader shaders[TYPES] = {VKT_SHADER(wide_captured_uint_vert), VKT_SHADER(wide_captured_int_vert),
                                              VKT_SHADER(wide_captured_double_vert)};
    static const VkVertexInputBindingDescription binding = {0, 40, VK_VERTEX_INPUT_RATE_VERTEX};
    struct scene s = open_scene();
    PFN_vkCmdBindTransformFeedbackBuffersEXT bind_captured =
        (PFN_vkCmdBindTransformFeedbackBuffersEXT)vkGetDeviceProcAddr(s.t.device,
                                                                      "vkCmdBindTransformFeedbackBuffersEXT");
    PFN_vkCmdBeginTransformFeedbackEXT begin =
        (PFN_vkCmdBeginTransformFeedbackEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdBeginTransformFeedbackEXT");
    PFN_vkCmdEndTransformFeedbackEXT end =
        (PFN_vkCmdEndTransformFeedbackEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdEndTransformFeedbackEXT");
    struct vkt_buffer captured =
        vkt_buffer_create(&s.t, COLUMNS * 32, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT, NULL);
    for (uint32_t type = 0; type < TYPES; type++) {
        const VkVertexInputAttributeDescription attribute = {0, 0, format_of((enum type)type, 3), 16};
        struct vkt_pipeline p =
            vkt_pipeline_create(&s.t, &(struct vkt_pipeline_info){.vs = shaders[type],
                                                                  .pass = s.target.pass,
                                                                  .bindings = &binding,
                                                                  .binding_count = 1,
                                                                  .attributes = &attribute,
                                                                  .attribute_count = 1,
                                                                  .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                                  .rasterizer_discard = true,
                                                                  .push_size_B = 4,
                                                                  .width = COLUMNS,
                                                                  .height = 2});
        memset(captured.map, 0xcc, COLUMNS * 32);
        VkCommandBuffer cmd = vkt_begin(&s.t);
        vkt_begin_pass(cmd, &s.target, (float[4]){0}, 1, 0);
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
        vkCmdBindVertexBuffers(cmd, 0, 1, &s.data.buffer, &(VkDeviceSize){0});
        bind_captured(cmd, 0, 1, &captured.buffer, &(VkDeviceSize){0}, NULL);
        begin(cmd, 0, 0, NULL, NULL);
        draw_row(cmd, &p, &(struct layout){.per_instance = false}, 0);
        end(cmd, 0, 0, NULL, NULL);
        vkCmdEndRenderPass(cmd);
        vkt_end_submit(&s.t, cmd);
        for (uint32_t i = 0; i < COLUMNS; i++) {
            assert_memory_equal((const uint8_t *)captured.map + i * 32, (const uint8_t *)s.data.map + i * 40 + 16, 24);
            assert_int_equal(((const uint8_t *)captured.map)[i * 32 + 24], 0xcc);
        }
        vkt_pipeline_destroy(&s.t, &p);
    }
    vkt_buffer_destroy(&s.t, &captured);
    close_scene(&s);
}

/* Mesa 22.3's lavapipe gives signed components other bits, and zeros in the second location. */
static void formats_are_those_of_the_reference(void **state)
{
    struct scene s[2] = {{.t = *vkt_device(VKT_TESTED)}, {.t = *vkt_device(VKT_REFERENCE)}};
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 2; i++)
        open_resources(&s[i]);
    for (uint32_t i = 0; i < TYPES * 4; i++) {
        const enum type type = (enum type)(i % TYPES);
        const uint32_t components = 1 + i / TYPES;
        const struct layout l = {.name = "reference", .offset_B = 8, .stride_B = 48, .count = 1};
        struct words words[2];
        if (type != UNSIGNED || components > 2 || !is_reported(&s[1].t, format_of(type, components)))
            continue;
        for (uint32_t which = 0; which < 2; which++) {
            struct vkt_pipeline p = create_pipeline(&s[which], type, components, &l, false);
            draw(&s[which], &p, &l, &words[which]);
            vkt_pipeline_destroy(&s[which].t, &p);
        }
        assert_same(&words[0], &words[1], l.name, format_of(type, components));
        compared++;
    }
    for (uint32_t i = 0; i < 2; i++)
        close_resources(&s[i]);
    printf("# %u formats\n", compared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(formats_are_reported, vkt_check_messages),
        cmocka_unit_test_teardown(elements_and_strides, vkt_check_messages),
        cmocka_unit_test_teardown(instances_and_divisors, vkt_check_messages),
        cmocka_unit_test_teardown(many_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(attributes_at_the_end, vkt_check_messages),
        cmocka_unit_test_teardown(vertex_input_is_dynamic, vkt_check_messages),
        cmocka_unit_test_teardown(attributes_are_captured, vkt_check_messages),
        cmocka_unit_test_teardown(formats_are_those_of_the_reference, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("wide_attributes", tests, NULL, vkt_teardown);
}
