/* SPDX-License-Identifier: MIT
 *
 * 64-bit integers: a compute program with them in every storage class, a vertex and a fragment program that draw
 * random numbers, quotients and remainders of 64 bits, and atomics in fragment programs. All results are the host's.
 */
#include <inttypes.h>
#include <string.h>
#include "vkt.h"
#include "int64.comp.h"
#include "int64.frag.h"
#include "int64.vert.h"
#include "int64_atomics.frag.h"

#define STORAGE VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
#define UNIFORM VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
#define COMPUTE VK_SHADER_STAGE_COMPUTE_BIT
#define COUNT   32

static struct vkt device; /* with the extension */

/* ---------------------------------------------------------------- storage classes */

struct in {
    uint64_t x[COUNT];
    int64_t triples[COUNT][4];
};

struct out {
    uint64_t sums[COUNT], products[COUNT], quotients[COUNT], rests[COUNT], others[COUNT];
    int64_t turned[COUNT][4];
};

struct table {
    uint64_t table[4][2]; /* a stride of 16 bytes */
    int64_t pair[2];
};

struct push {
    int32_t before, space;
    uint64_t offset;
};

static const struct spec {
    uint64_t factor;
    int64_t divisor;
} spec_values = {0x100000001b3, -1000000007};

static const struct table table = {
    {{UINT64_MAX, 0}, {1, 0}, {0x8000000000000000, 0}, {0xfedcba9876543210, 0}}, {-3, 0x100000001}};
static const struct push push = {.offset = 0x123456789a};

static void fill(struct in *in)
{
    uint64_t bits = 1;
    for (int i = 0; i < COUNT; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in->x[i] = bits >> i; /* of many sizes */
        for (int k = 0; k < 3; k++)
            in->triples[i][k] = (int64_t)(bits << k * 7) / 2;
    }
    in->x[0] = 0;
    in->x[1] = UINT64_MAX;
}

static uint64_t remainder_of(uint64_t x, int64_t y)
{
    const int64_t r = (int64_t)x % y;
    return (uint64_t)(r && (r < 0) != (y < 0) ? r + y : r);
}

static void check(const char *what, int i, uint64_t got, uint64_t want)
{
    if (got != want)
        fail_msg("%s[%d]: 0x%" PRIx64 ", expected 0x%" PRIx64, what, i, got, want);
}

static void check_all(const struct in *in, const struct out *out)
{
    const uint64_t square = spec_values.factor * spec_values.factor / 3;
    for (int i = 0; i < COUNT; i++) {
        const uint64_t other = in->x[COUNT - 1 - i] * spec_values.factor;
        check("sums", i, out->sums[i], in->x[i] + other + square);
        check("products", i, out->products[i], in->x[i] * other);
        check("quotients", i, out->quotients[i], in->x[i] / (other | 1));
        check("rests", i, out->rests[i], remainder_of(other, spec_values.divisor) - push.offset);
        check("others", i, out->others[i], other - (table.table[i % 4][0] >> i));
        for (int k = 0; k < 3; k++) {
            const int64_t by = table.pair[k % 2];
            const uint64_t step = k ? 0 : (uint64_t)i * (uint64_t)table.pair[1];
            check("turned", i, (uint64_t)out->turned[i][k], (uint64_t)(in->triples[i][k] / by) - step);
        }
    }
}

static void every_storage_class(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const struct vkt_binding bindings[] = {{STORAGE, COMPUTE, 0}, {STORAGE, COMPUTE, 0}, {UNIFORM, COMPUTE, 0}};
    const VkSpecializationMapEntry entries[] = {{0, offsetof(struct spec, factor), 8},
                                                {1, offsetof(struct spec, divisor), 8}};
    const VkSpecializationInfo spec = {2, entries, sizeof spec_values, &spec_values};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, bindings, 3);
    struct vkt_compute c = vkt_compute_create(t, VKT_SHADER(int64_comp), &layout, 1, sizeof(struct push), &spec);
    struct vkt_buffer in = vkt_storage_buffer(t, sizeof(struct in) / 4, 0);
    struct vkt_buffer out = vkt_storage_buffer(t, sizeof(struct out) / 4, 0);
    fill(in.map);
    struct vkt_buffer uniform = vkt_buffer_create(t, sizeof table, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, &table);
    VkDescriptorSet set = vkt_compute_set(t, &c, (const struct vkt_buffer[]){in, out}, 2);
    vkt_set_buffer(t, set, 2, UNIFORM, uniform.buffer, 0, VK_WHOLE_SIZE);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdPushConstants(cmd, c.layout, COMPUTE, 0, sizeof push, &push);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_end_submit(t, cmd);
    check_all(in.map, out.map);
    vkt_compute_destroy(t, &c);
    vkt_buffer_destroy(t, &in);
    vkt_buffer_destroy(t, &out);
    vkt_buffer_destroy(t, &uniform);
}

/* ---------------------------------------------------------------- graphics */

#define SIZE 64

/* The colours of the fragment program. */
static void number_pixel(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    uint64_t number = UINT64_C(0x123456789abcdef) << 1 ^ (uint64_t)x << 40;
    for (uint32_t i = 0; i <= y % 7; i++)
        number = number * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const int64_t quotient = (int64_t)number / -1000003, rest = (int64_t)number % -1000003;
    rgba[0] = (uint8_t)(number >> 56);
    rgba[1] = (uint8_t)quotient;
    rgba[2] = (uint8_t)rest;
    rgba[3] = (uint8_t)(x < y ? number >> 33 : rest < 0);
}

static void random_numbers(void **state)
{
    struct vkt_picture expected = vkt_picture_compute(SIZE, SIZE, number_pixel);
    struct vkt_picture got =
        vkt_draw_triangle(vkt_device(VKT_TESTED), VKT_SHADER(int64_vert), VKT_SHADER(int64_frag), SIZE);
    vkt_compare("int64", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

/* ---------------------------------------------------------------- atomics */

struct counters {
    uint64_t sum, greatest, tickets;
};

static void draw_counted(struct vkt *t, struct counters *counters, struct vkt_picture *out)
{
    const struct vkt_binding binding = {STORAGE, VK_SHADER_STAGE_FRAGMENT_BIT, 0};
    VkDescriptorSetLayout layout = vkt_set_layout_create(t, &binding, 1);
    struct vkt_buffer buffer = vkt_storage_buffer(t, sizeof *counters / 4, 0);
    VkDescriptorSet set = vkt_set_alloc(t, layout);
    vkt_set_buffer(t, set, 0, STORAGE, buffer.buffer, 0, VK_WHOLE_SIZE);
    struct vkt_target target = vkt_target_create(t, SIZE, SIZE, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline p = vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(int64_vert),
                                                                               .fs = VKT_SHADER(int64_atomics_frag),
                                                                               .pass = target.pass,
                                                                               .topology = VKT_TRIANGLES,
                                                                               .set_layouts = {layout},
                                                                               .set_layout_count = 1,
                                                                               .width = SIZE,
                                                                               .height = SIZE});
    memset(buffer.map, 0, sizeof *counters);
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (float[]){0, 0, 0, 0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, p.layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    *out = vkt_read_target(t, &target);
    memcpy(counters, buffer.map, sizeof *counters);
    vkt_pipeline_destroy(t, &p);
    vkt_target_destroy(t, &target);
    vkt_buffer_destroy(t, &buffer);
    vkDestroyDescriptorSetLayout(t->device, layout, NULL);
}

static void red(uint32_t x, uint32_t y, uint8_t rgba[4])
{
    (void)x, (void)y;
    memcpy(rgba, (const uint8_t[]){255, 0, 0, 255}, 4);
}

static void counted_fragments(void **state)
{
    struct vkt *t = &device;
    struct counters counters, wanted = {0, 63ull << 40 | 63, SIZE * SIZE * 0x100000001ull};
    struct vkt_picture got, expected = vkt_picture_compute(SIZE, SIZE, red);
    draw_counted(t, &counters, &got);
    for (uint32_t i = 0; i < SIZE * SIZE; i++)
        wanted.sum += (uint64_t)(i % SIZE) << 36 | i / SIZE;
    check("sum", 0, counters.sum, wanted.sum);
    check("greatest", 0, counters.greatest, wanted.greatest);
    check("tickets", 0, counters.tickets, wanted.tickets);
    vkt_compare("int64_atomics", &expected, &got, (struct vkt_tolerance){0, 0});
    vkt_picture_free(&got);
    vkt_picture_free(&expected);
}

static void feature_says_so(void **state)
{
    VkPhysicalDeviceShaderAtomicInt64Features atomics = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
    VkPhysicalDeviceFeatures2 has = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &atomics};
    vkGetPhysicalDeviceFeatures2(vkt_device(VKT_TESTED)->physical, &has);
    assert_true(has.features.shaderInt64);
    assert_true(atomics.shaderBufferInt64Atomics && atomics.shaderSharedInt64Atomics);
}

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_storage_class, vkt_check_messages),
        cmocka_unit_test_teardown(random_numbers, vkt_check_messages),
        cmocka_unit_test_teardown(counted_fragments, vkt_check_messages),
        cmocka_unit_test_teardown(feature_says_so, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("int64", tests, open_device, close_device);
}
