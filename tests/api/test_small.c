/* SPDX-License-Identifier: MIT
 *
 * Numbers of 8 and 16 bits: a compute program with them in every storage class, and vertex and fragment programs whose
 * attributes, inputs, push constants and colours have 16 bits. The results are the host's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "halves.frag.h"
#include "halves.vert.h"
#include "small.comp.h"
#include "small.frag.h"
#include "small.vert.h"
#include "small_ints.frag.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define UNIFORM VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT
#define COUNT   32

/* ---------------------------------------------------------------- halves */

static double value(uint16_t h)
{
    const int exponent = h >> 10 & 31, sign = h & 0x8000 ? -1 : 1;
    return sign * (exponent ? ldexp(1024 + (h & 0x3ff), exponent - 25) : ldexp(h & 0x3ff, -24));
}

/* Rounds to nearest even. */
static uint16_t half(double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int exponent;
    x = fabs(x);
    if (x == 0 || x >= 65520)
        return x == 0 ? sign : sign | 0x7c00;
    frexp(x, &exponent);
    exponent = exponent < -13 ? -13 : exponent; /* denormals have the step of the least normal half */
    return (uint16_t)(sign | (uint16_t)(nearbyint(ldexp(x, 11 - exponent)) + 1024 * (exponent + 13)));
}

static double rounded(double x)
{
    return value(half(x));
}

static struct vkt open_device(void)
{
    static const char *const extensions[] = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    return vkt_device_create_with(vkt_device(VKT_TESTED), extensions, 1);
}

/* ---------------------------------------------------------------- storage classes */

struct in {
    uint16_t h[COUNT];
    int16_t s[COUNT];
    uint8_t b[COUNT];
};

struct out {
    uint16_t halves[COUNT][2];
    int16_t shorts[COUNT][2];
    uint8_t bytes[COUNT][4];
};

struct matrix {
    uint16_t rows[2][8]; /* with the stride of std140 */
    uint8_t table[4];
};

struct push {
    int16_t before;
    uint8_t small[2];
    uint16_t scale[2];
};

struct special {
    uint16_t factor;
    int16_t more;
    uint8_t byte;
};

struct inputs {
    struct in in;
    struct matrix matrix;
    struct push push;
    struct special special;
};

static struct inputs make_inputs(void)
{
    struct inputs x = {.push = {-12345, {3, 200}, {0x4200, 0xb800}}, .special = {half(0.1), -21, 77}};
    for (uint32_t i = 0; i < COUNT; i++) {
        x.in.h[i] = half(pow(-1.3, i) / 40);
        x.in.s[i] = (int16_t)(i * 40503u);
        x.in.b[i] = (uint8_t)(i * 177u);
    }
    for (uint32_t i = 0; i < 8; i++)
        x.matrix.rows[i / 4][i % 4] = half(1.0 / (1 + i));
    for (uint32_t i = 0; i < 4; i++)
        x.matrix.table[i] = (uint8_t)(200 + i);
    return x;
}

static struct out expect(const struct inputs *x)
{
    struct out out;
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t k = 31 - i;
        const double other = rounded(value(x->in.h[k]) * value(x->special.factor));
        const double sum = rounded(value(x->in.h[i]) + other);
        const double dot = rounded(value(x->matrix.rows[i & 1][0]) * other + value(x->matrix.rows[i & 1][1]));
        const int8_t kept[2] = {(int8_t)(x->in.b[k] + x->special.byte), (int8_t)x->in.s[i]};
        out.halves[i][0] = half(sum * value(x->push.scale[0]));
        out.halves[i][1] = half(dot * value(x->push.scale[1]));
        out.shorts[i][0] = (int16_t)(x->in.s[i] + x->push.before);
        out.shorts[i][1] = (int16_t)((x->in.s[i] >> 3) * x->special.more);
        out.bytes[i][0] = (uint8_t)(x->in.b[k] * x->special.byte);
        out.bytes[i][1] = (uint8_t)(kept[0] >> 1);
        out.bytes[i][2] = (uint8_t)((uint8_t)kept[1] / x->push.small[i & 1]);
        out.bytes[i][3] = x->matrix.table[i & 3];
    }
    return out;
}

static void check(const struct out *got, const struct out *want)
{
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t c = 0; c < 2; c++) /* a dot product is not rounded in each step */
            if (abs(got->halves[i][c] - want->halves[i][c]) > (int)c)
                fail_msg("halves[%u][%u]: %a instead of %a", i, c, value(got->halves[i][c]), value(want->halves[i][c]));
        assert_memory_equal(got->shorts[i], want->shorts[i], sizeof got->shorts[i]);
        assert_memory_equal(got->bytes[i], want->bytes[i], sizeof got->bytes[i]);
    }
}

static void every_storage_class(void **state)
{
    struct vkt device = open_device(), *t = &device;
    const struct inputs x = make_inputs();
    const struct out want = expect(&x);
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}, {UNIFORM, COMPUTE, 0}};
    const VkSpecializationMapEntry entries[] = {{0, offsetof(struct special, factor), 2},
                                                {1, offsetof(struct special, more), 2},
                                                {2, offsetof(struct special, byte), 1}};
    const VkSpecializationInfo spec = {3, entries, sizeof x.special, &x.special};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(small_comp), &layout, 1, sizeof x.push, &spec);
    struct vkt_buffer in = vkt_storage_buffer(t, sizeof x.in / 4, 0);
    struct vkt_buffer out = vkt_storage_buffer(t, sizeof(struct out) / 4, 0);
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof x.matrix, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &x.matrix);
    memcpy(in.map, &x.in, sizeof x.in);
    VkDescriptorSet set = vkt_compute_set(t, &c, (const struct vkt_buffer[]){in, out}, 2);
    vkt_set_buffer(t, set, 2, UNIFORM, uniform.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, sizeof x.push, &x.push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    check(out.map, &want);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_buffer_destroy(t, &uniform);
    vkt_device_close(t);
}

/* ---------------------------------------------------------------- graphics */

#define SIZE 32

struct vertex {
    uint16_t position[4];
    int16_t numbers[2];
    uint16_t large, space;
};

struct graphics_push {
    uint16_t half;
    int16_t number;
    uint8_t bytes[4];
};

static const struct graphics_push push = {0x3a00 /* 0.75 */, 2477, {5, 250, 128, 0}};

static void draw(struct vkt *t, struct vkt_shader fs, VkFormat format, uint32_t large, void *out, uint32_t size_B)
{
    static const VkVertexInputBindingDescription binding = {0, sizeof(struct vertex), VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attributes[] = {
        {0, 0, VK_FORMAT_R16G16B16A16_SFLOAT, offsetof(struct vertex, position)},
        {1, 0, VK_FORMAT_R16G16_SINT, offsetof(struct vertex, numbers)},
        {2, 0, VK_FORMAT_R16_UINT, offsetof(struct vertex, large)}};
    struct vertex vertices[3];
    for (uint32_t i = 0; i < 3; i++)
        vertices[i] = (struct vertex){.position = {half(i == 1 ? 3 : -1), half(i == 2 ? 3 : -1), half(0.5), half(1)},
                                      .numbers = {-20000, 300},
                                      .large = (uint16_t)large};
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, format, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(small_vert),
                                                                               .fs = fs,
                                                                               .pass = target.pass,
                                                                               .bindings = &binding,
                                                                               .binding_count = 1,
                                                                               .attributes = attributes,
                                                                               .attribute_count = 3,
                                                                               .push_size_B = sizeof push,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .width = SIZE,
                                                                               .height = SIZE});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer.buffer, (VkDeviceSize[]){0});
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof push, &push);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.color, 0, 0, out, size_B);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    vkt_buffer_destroy(t, &buffer);
}

static void halves_are_drawn(void **state)
{
    static uint16_t texels[SIZE][SIZE][4];
    struct vkt device = open_device();
    draw(&device, VKT_SHADER(small_frag), VK_FORMAT_R16G16B16A16_SFLOAT, 33993, texels, sizeof texels);
    for (uint32_t y = 0; y < SIZE; y++) {
        for (uint32_t x = 0; x < SIZE; x++) {
            const double want[] = {x + 0.5, y + 0.5, x < 16 ? 600 * 0.75 : 34000, 0.75 * 0.75};
            for (uint32_t c = 0; c < 4; c++) {
                const double tolerance = c < 2 ? 1.0 / 64 : 0; /* the chip interpolates with less than 24 bits */
                if (!(fabs(value(texels[y][x][c]) - rounded(want[c])) <= tolerance))
                    fail_msg("pixel %u %u, channel %u: %g instead of %g", x, y, c, value(texels[y][x][c]), want[c]);
            }
        }
    }
    vkt_device_close(&device);
}

static void integers_are_drawn(void **state)
{
    static int16_t texels[SIZE][SIZE][2];
    struct vkt device = open_device();
    for (uint32_t large = 20000; large <= 60000; large += 40000) {
        draw(&device, VKT_SHADER(small_ints_frag), VK_FORMAT_R16G16_SINT, large, texels, sizeof texels);
        for (uint32_t y = 0; y < SIZE; y++) {
            for (uint32_t x = 0; x < SIZE; x++) {
                const int16_t red = (int16_t)(-40000 + (int32_t)x * push.number);
                const int16_t green = large > 40000 ? push.bytes[x & 3] : 600;
                assert_int_equal(texels[y][x][0], red);
                assert_int_equal(texels[y][x][1], green);
            }
        }
    }
    vkt_device_close(&device);
}

#define WIDTH  256u
#define HEIGHT 128u

static bool is_same_half(uint16_t x, uint16_t y)
{
    const bool is_nan = (x & 0x7fff) > 0x7c00;
    return is_nan ? (y & 0x7fff) > 0x7c00 : x == y;
}

/* All 65,536 halves, from an attribute through a flat varying into a colour: denormals, infinities, both zeros and NaN
 * arrive as they are. */
static void every_half_passes(void **state)
{
    static const VkVertexInputBindingDescription binding = {0, 4, VK_VERTEX_INPUT_RATE_VERTEX};
    static const VkVertexInputAttributeDescription attribute = {0, 0, VK_FORMAT_R16G16_SFLOAT, 0};
    static uint16_t vertices[HEIGHT * WIDTH][2], texels[HEIGHT * WIDTH][2];
    for (uint32_t i = 0; i < 2 * HEIGHT * WIDTH; i++)
        vertices[i / 2][i % 2] = (uint16_t)i;
    struct vkt device = open_device(), *t = &device;
    struct vkt_buffer buffer = vkt_buffer_create(t, sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, vertices);
    struct vkt_target target = vkt_target_create(t, WIDTH, HEIGHT, VK_FORMAT_R16G16_SFLOAT, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(halves_vert),
                                                           .fs = VKT_SHADER(halves_frag),
                                                           .pass = target.pass,
                                                           .bindings = &binding,
                                                           .binding_count = 1,
                                                           .attributes = &attribute,
                                                           .attribute_count = 1,
                                                           .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
                                                           .width = WIDTH,
                                                           .height = HEIGHT});
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){1, 1, 1, 1}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindVertexBuffers(cmd, 0, 1, &buffer.buffer, (VkDeviceSize[]){0});
    vkCmdDraw(cmd, WIDTH * HEIGHT, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.color, 0, 0, texels, sizeof texels);
    for (uint32_t i = 0; i < 2 * HEIGHT * WIDTH; i++)
        if (!is_same_half((uint16_t)i, texels[i / 2][i % 2]))
            fail_msg("half 0x%04x became 0x%04x", i, texels[i / 2][i % 2]);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    vkt_buffer_destroy(t, &buffer);
    vkt_device_close(t);
}

/* ---------------------------------------------------------------- features */

static void features_say_so(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    VkPhysicalDeviceShaderFloat16Int8Features arithmetic = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES};
    VkPhysicalDevice16BitStorageFeatures halves = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                                                   .pNext = &arithmetic};
    VkPhysicalDevice8BitStorageFeatures bytes = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
                                                 .pNext = &halves};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &bytes};
    PFN_vkGetPhysicalDeviceFeatures2KHR query =
        (PFN_vkGetPhysicalDeviceFeatures2KHR)vkGetInstanceProcAddr(t->instance, "vkGetPhysicalDeviceFeatures2KHR");
    query(t->physical, &features);
    assert_true(vkt_has_extension(t, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME));
    assert_true(arithmetic.shaderFloat16 && arithmetic.shaderInt8 && features.features.shaderInt16);
    assert_true(halves.storageInputOutput16 && halves.storagePushConstant16 && bytes.storagePushConstant8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_storage_class, vkt_check_messages),
        cmocka_unit_test_teardown(halves_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(integers_are_drawn, vkt_check_messages),
        cmocka_unit_test_teardown(every_half_passes, vkt_check_messages),
        cmocka_unit_test_teardown(features_say_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("small", tests, NULL, vkt_teardown);
}
