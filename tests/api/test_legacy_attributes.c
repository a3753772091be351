/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_legacy_vertex_attributes: with dynamic vertex input, attributes at any address and with any stride are what
 * the same bytes are at an aligned one; integers of the other sign have the same bits; and formats of another numeric
 * type than the shader's input do no harm to the other attributes. For programs of the chip, for arrays that are packed
 * because there are many, and before a geometry stage, whose vertices the CPU fetches.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "legacy.frag.h"
#include "legacy.geom.h"
#include "legacy_double.vert.h"
#include "legacy_float.vert.h"
#include "legacy_int.vert.h"
#include "legacy_many_double.vert.h"
#include "legacy_many_float.vert.h"
#include "legacy_many_uint.vert.h"
#include "legacy_uint.vert.h"

enum { VERTICES = 32, MANY = 12, DATA_B = 4096, ALIGNED_B = 16 };

enum type { FLOAT, INT, UINT, DOUBLE, TYPES }; /* DOUBLE takes no other format than its own */

static const struct format {
    VkFormat format;
    enum type type;
    uint32_t size_B;
} formats[] = {
    {VK_FORMAT_R8_UNORM, FLOAT, 1},
    {VK_FORMAT_R8G8B8A8_SNORM, FLOAT, 4},
    {VK_FORMAT_R16G16_UNORM, FLOAT, 4},
    {VK_FORMAT_R16G16B16A16_SFLOAT, FLOAT, 8},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, FLOAT, 4},
    {VK_FORMAT_R32_SFLOAT, FLOAT, 4},
    {VK_FORMAT_R32G32B32_SFLOAT, FLOAT, 12},
    {VK_FORMAT_R32G32B32A32_SFLOAT, FLOAT, 16},
    {VK_FORMAT_R8G8_SINT, INT, 2},
    {VK_FORMAT_R16G16B16A16_SINT, INT, 8},
    {VK_FORMAT_R32G32_SINT, INT, 8},
    {VK_FORMAT_R8G8B8A8_UINT, UINT, 4},
    {VK_FORMAT_R16_UINT, UINT, 2},
    {VK_FORMAT_R32G32B32A32_UINT, UINT, 16},
    {VK_FORMAT_R64G64_SFLOAT, DOUBLE, 16},
};

/* Where attribute `k` of vertex `i` lies: at binding_B + offset_B + k * gap_B + i * stride_B. */
struct place {
    uint32_t binding_B, offset_B, gap_B, stride_B;
};

static const struct place places[] = {{0, 1, 1, 17}, {1, 0, 3, 5}, {2, 0, 2, 7},  {3, 0, 5, 1},
                                      {0, 3, 7, 0},  {1, 1, 4, 4}, {0, 2, 1, 18}, {3, 2, 13, 19}};

struct scene {
    struct vkt t;
    struct vkt_target target;
    struct vkt_pipeline plain[TYPES], expanded[TYPES], many[TYPES]; /* none of many INTs */
    struct vkt_buffer data, aligned;                                /* random bytes; copies of them */
    PFN_vkCmdSetVertexInputEXT set_input;
};

struct words {
    uint32_t at[VERTICES][4];
};

/* ---------------------------------------------------------------- scenes */

static struct vkt_pipeline create_pipeline(struct scene *s, struct vkt_shader vs, bool has_geometry)
{
    static const VkDynamicState dynamic = VK_DYNAMIC_STATE_VERTEX_INPUT_EXT;
    struct vkt_pipeline_info info = {.vs = vs,
                                     .fs = VKT_SHADER(legacy_frag),
                                     .pass = s->target.pass,
                                     .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                     .dynamic = &dynamic,
                                     .dynamic_count = 1,
                                     .width = VERTICES,
                                     .height = 1};
    if (has_geometry)
        info.gs = VKT_SHADER(legacy_geom);
    return vkt_pipeline_create(&s->t, &info);
}

static struct scene scene_open(void)
{
    static const char *const extensions[] = {VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME,
                                             VK_EXT_LEGACY_VERTEX_ATTRIBUTES_EXTENSION_NAME};
    VkPhysicalDeviceLegacyVertexAttributesFeaturesEXT legacy = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_FEATURES_EXT,
        .legacyVertexAttributes = VK_TRUE};
    VkPhysicalDeviceVertexInputDynamicStateFeaturesEXT input = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VERTEX_INPUT_DYNAMIC_STATE_FEATURES_EXT,
        .pNext = &legacy,
        .vertexInputDynamicState = VK_TRUE};
    const struct vkt_shader plain[TYPES] = {VKT_SHADER(legacy_float_vert), VKT_SHADER(legacy_int_vert),
                                            VKT_SHADER(legacy_uint_vert), VKT_SHADER(legacy_double_vert)};
    static uint8_t bytes[DATA_B];
    struct scene s = {.t = vkt_device_create_chain(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions), &input)};
    uint32_t seed = 1;
    for (uint32_t i = 0; i < DATA_B; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
        if (i % 2 == 1)
            bytes[i] = (bytes[i] & 0x83) | 0x38; /* floats and halves are numbers of moderate size at even addresses */
    }
    s.target = vkt_target_create(&s.t, VERTICES, 1, VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_UNDEFINED);
    for (uint32_t i = 0; i < TYPES; i++) {
        s.plain[i] = create_pipeline(&s, plain[i], false);
        s.expanded[i] = create_pipeline(&s, plain[i], true);
    }
    s.many[FLOAT] = create_pipeline(&s, VKT_SHADER(legacy_many_float_vert), false);
    s.many[UINT] = create_pipeline(&s, VKT_SHADER(legacy_many_uint_vert), false);
    s.many[DOUBLE] = create_pipeline(&s, VKT_SHADER(legacy_many_double_vert), false);
    s.data = vkt_buffer_create(&s.t, DATA_B, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, bytes);
    s.aligned = vkt_buffer_create(&s.t, MANY * VERTICES * ALIGNED_B, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, NULL);
    s.set_input = (PFN_vkCmdSetVertexInputEXT)vkGetDeviceProcAddr(s.t.device, "vkCmdSetVertexInputEXT");
    return s;
}

static void scene_close(struct scene *s)
{
    for (uint32_t i = 0; i < TYPES; i++) {
        vkt_pipeline_destroy(&s->t, &s->plain[i]);
        vkt_pipeline_destroy(&s->t, &s->expanded[i]);
        if (s->many[i].pipeline)
            vkt_pipeline_destroy(&s->t, &s->many[i]);
    }
    vkt_buffer_destroy(&s->t, &s->data);
    vkt_buffer_destroy(&s->t, &s->aligned);
    vkt_target_destroy(&s->t, &s->target);
    vkt_device_close(&s->t);
}

/* ---------------------------------------------------------------- draws */

static void draw(struct scene *s, const struct vkt_pipeline *p, const struct vkt_buffer *buffer, VkFormat format,
                 uint32_t count, const struct place *place, struct words *out)
{
    const VkDeviceSize binding_B = place->binding_B;
    const VkVertexInputBindingDescription2EXT binding = {.sType =
                                                             VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
                                                         .stride = place->stride_B,
                                                         .inputRate = VK_VERTEX_INPUT_RATE_VERTEX,
                                                         .divisor = 1};
    VkVertexInputAttributeDescription2EXT attributes[MANY];
    for (uint32_t k = 0; k < count; k++)
        attributes[k] =
            (VkVertexInputAttributeDescription2EXT){.sType = VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT,
                                                    .location = k,
                                                    .format = format,
                                                    .offset = place->offset_B + k * place->gap_B};
    VkCommandBuffer cmd = vkt_begin(&s->t);
    vkt_begin_pass(cmd, &s->target, (float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p->pipeline);
    s->set_input(cmd, 1, &binding, count, attributes);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer->buffer, &binding_B);
    vkCmdDraw(cmd, VERTICES, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(&s->t, cmd);
    vkt_read_image(&s->t, &s->target.color, 0, 0, out, sizeof *out);
}

/* Copies what the attributes at `place` have to aligned addresses. */
static struct place align(struct scene *s, const struct format *format, uint32_t count, const struct place *place)
{
    const uint8_t *from = s->data.map;
    uint8_t *to = s->aligned.map;
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t k = 0; k < count; k++)
            memcpy(to + (i * count + k) * ALIGNED_B,
                   from + place->binding_B + place->offset_B + k * place->gap_B + i * place->stride_B, format->size_B);
    return (struct place){0, 0, ALIGNED_B, count * ALIGNED_B};
}

static void assert_same(const struct words *got, const struct words *expected, const char *what, VkFormat format,
                        uint32_t place)
{
    for (uint32_t i = 0; i < VERTICES; i++)
        for (uint32_t k = 0; k < 4; k++)
            if (got->at[i][k] != expected->at[i][k])
                fail_msg("%s: format %u, place %u, vertex %u, component %u: 0x%08x instead of 0x%08x", what, format,
                         place, i, k, got->at[i][k], expected->at[i][k]);
}

static void compare_places(struct scene *s, const struct vkt_pipeline *p, const struct format *format, uint32_t count,
                           const char *what)
{
    struct words got, expected;
    for (uint32_t i = 0; i < VKT_COUNT(places); i++) {
        const struct place aligned = align(s, format, count, &places[i]);
        draw(s, p, &s->aligned, format->format, count, &aligned, &expected);
        draw(s, p, &s->data, format->format, count, &places[i], &got);
        assert_same(&got, &expected, what, format->format, i);
    }
}

/* ---------------------------------------------------------------- cases */

static void properties(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceLegacyVertexAttributesPropertiesEXT legacy = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LEGACY_VERTEX_ATTRIBUTES_PROPERTIES_EXT,
        .nativeUnalignedPerformance = 7};
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &legacy};
    vkGetPhysicalDeviceProperties2(t->physical, &p);
    assert_true(legacy.nativeUnalignedPerformance <= VK_TRUE);
}

static void unaligned_attributes(void **state)
{
    struct scene s = scene_open();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        compare_places(&s, &s.plain[formats[i].type], &formats[i], 1, "plain");
        compare_places(&s, &s.expanded[formats[i].type], &formats[i], 1, "geometry");
        if (s.many[formats[i].type].pipeline)
            compare_places(&s, &s.many[formats[i].type], &formats[i], MANY, "many");
    }
    scene_close(&s);
}

/* 32 bits, which no conversion changes, are the bytes of the buffer. */
static void words_are_the_bytes(void **state)
{
    struct scene s = scene_open();
    for (uint32_t i = 0; i < VKT_COUNT(places); i++)
        for (uint32_t expands = 0; expands < 2; expands++) {
            const struct vkt_pipeline *p = expands ? &s.expanded[UINT] : &s.plain[UINT];
            struct words got, expected;
            draw(&s, p, &s.data, VK_FORMAT_R32G32B32A32_UINT, 1, &places[i], &got);
            for (uint32_t v = 0; v < VERTICES; v++)
                memcpy(expected.at[v],
                       (const uint8_t *)s.data.map + places[i].binding_B + places[i].offset_B + v * places[i].stride_B,
                       sizeof expected.at[v]);
            assert_same(&got, &expected, "bytes", VK_FORMAT_R32G32B32A32_UINT, i);
        }
    scene_close(&s);
}

/* The sign of the shader's integers does not matter: formats extend narrow ones by their own. */
static void integers_of_the_other_sign(void **state)
{
    struct scene s = scene_open();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        const struct format *f = &formats[i];
        struct words got, expected;
        if (f->type == FLOAT || f->type == DOUBLE)
            continue;
        for (uint32_t place = 0; place < VKT_COUNT(places); place++) {
            const enum type other = f->type == INT ? UINT : INT;
            draw(&s, &s.plain[f->type], &s.data, f->format, 1, &places[place], &expected);
            draw(&s, &s.plain[other], &s.data, f->format, 1, &places[place], &got);
            assert_same(&got, &expected, "other sign", f->format, place);
            draw(&s, &s.expanded[other], &s.data, f->format, 1, &places[place], &got);
            assert_same(&got, &expected, "other sign before a geometry stage", f->format, place);
        }
    }
    scene_close(&s);
}

/* What floats have of integers, and the reverse, is the implementation's affair. Here it is the bits of the format's
 * value, so the next draw of the same pipeline finds what it should. */
static void floats_and_integers(void **state)
{
    struct scene s = scene_open();
    for (uint32_t i = 0; i < VKT_COUNT(formats); i++) {
        const struct format *f = &formats[i];
        for (uint32_t type = FLOAT; type < TYPES; type++) {
            struct words got, expected;
            if ((type == FLOAT) == (f->type == FLOAT) || type == DOUBLE || f->type == DOUBLE)
                continue;
            draw(&s, &s.plain[f->type], &s.data, f->format, 1, &places[1], &expected);
            draw(&s, &s.plain[type], &s.data, f->format, 1, &places[1], &got);
            for (uint32_t v = 0; v < VERTICES; v++) /* components that the format lacks are 0, 0, 1 of its own type */
                for (uint32_t k = 0; k < 4; k++)
                    assert_int_equal(got.at[v][k], expected.at[v][k]);
            draw(&s, &s.expanded[type], &s.data, f->format, 1, &places[1], &got);
            draw(&s, &s.plain[f->type], &s.data, f->format, 1, &places[1], &got);
            assert_same(&got, &expected, "the next draw", f->format, 1);
        }
    }
    scene_close(&s);
}

/* Layers that do not know the extension report what it allows. */
static bool layer_knows_extension(void)
{
    VkLayerProperties layers[32];
    uint32_t count = VKT_COUNT(layers);
    bool knows = false;
    if (vkEnumerateInstanceLayerProperties(&count, layers) < 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        knows |= !strcmp(layers[i].layerName, "VK_LAYER_KHRONOS_validation") &&
                 layers[i].specVersion >= VK_MAKE_API_VERSION(0, 1, 3, 284);
    return knows;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(properties, vkt_check_messages),
        cmocka_unit_test_teardown(unaligned_attributes, vkt_check_messages),
        cmocka_unit_test_teardown(words_are_the_bytes, vkt_check_messages),
        cmocka_unit_test_teardown(integers_of_the_other_sign, vkt_check_messages),
        cmocka_unit_test_teardown(floats_and_integers, vkt_check_messages),
    };
    if (!layer_knows_extension())
        setenv("VKT_NO_VALIDATION", "1", 1);
    return cmocka_run_group_tests(tests, NULL, vkt_teardown);
}
