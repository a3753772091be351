/* SPDX-License-Identifier: MIT
 *
 * Operations of subgroups on numbers of 8, 16 and 64 bits: a compute program for each type, whose results are compared
 * with the host's, and a fragment program that exchanges such numbers among the pixels of a quad.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt.h"
#include "cover.vert.h"
#include "subgroup_float16.comp.h"
#include "subgroup_int16.comp.h"
#include "subgroup_int64.comp.h"
#include "subgroup_int8.comp.h"
#include "subgroup_types.frag.h"
#include "subgroup_uint16.comp.h"
#include "subgroup_uint64.comp.h"
#include "subgroup_uint8.comp.h"

#define LANES 16u
#define COUNT 64u
#define ROWS  24u

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME,
                                      VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- what the host computes */

struct type {
    struct vkt_shader shader;
    uint32_t bits;
    bool is_signed, is_float;
};

/* The number of the type that has the same low bits. Floats are small enough to be exact. */
static int64_t cut(const struct type *t, uint64_t x)
{
    const uint32_t up = 64 - t->bits;
    return t->is_float ? (int64_t)x : t->is_signed ? (int64_t)(x << up) >> up : (int64_t)(x << up >> up);
}

static bool is_less(const struct type *t, int64_t x, int64_t y)
{
    return t->is_signed || t->is_float ? x < y : (uint64_t)x < (uint64_t)y;
}

enum op { ADD, MIN, MAX, AND, OR, XOR, MUL };

static int64_t combine(const struct type *t, enum op op, int64_t x, int64_t y)
{
    switch (op) {
    case ADD:
        return cut(t, (uint64_t)x + (uint64_t)y);
    case MIN:
        return is_less(t, x, y) ? x : y;
    case MAX:
        return is_less(t, x, y) ? y : x;
    case AND:
        return x & y;
    case OR:
        return x | y;
    case XOR:
        return x ^ y;
    default:
        return cut(t, (uint64_t)x * (uint64_t)y);
    }
}

/* Combines v[first] up to but not including v[end]; `mask`: the lanes that take part. */
static int64_t reduce(const struct type *t, enum op op, const int64_t *v, uint32_t first, uint32_t end, uint32_t mask)
{
    bool is_first = true;
    int64_t out = 0;
    for (uint32_t i = first; i < end; i++) {
        if (!(mask >> i & 1))
            continue;
        out = is_first ? v[i] : combine(t, op, out, v[i]);
        is_first = false;
    }
    return out;
}

static int64_t largest(const struct type *t)
{
    return cut(t, t->is_signed ? UINT64_MAX >> (65 - t->bits) : UINT64_MAX);
}

/* Row `row` of a lane; `v` has the values of its subgroup. False: undefined. */
static bool expect(const struct type *t, uint32_t row, const int64_t *v, uint32_t lane, int64_t *out)
{
    const uint32_t all = 0xffff, quad = lane & ~3u, half = lane & ~7u;
    const uint32_t sources[] = {3,        0,        (lane * 7 + 2) & 15, lane ^ 5,
                                lane - 2, lane + 3, [15] = quad + 2,     [16] = lane ^ 3};
    bool is_equal = true;
    for (uint32_t i = 1; i < LANES; i++)
        is_equal &= v[i] == v[0];
    switch (row) {
    case 6:
    case 7:
    case 8:
        *out = reduce(t, row == 6 ? ADD : row == 7 ? MIN : MAX, v, 0, LANES, all);
        return true;
    case 9:
    case 11:
    case 12:
        *out = reduce(t, row == 9 ? ADD : row == 11 ? MIN : MAX, v, 0, lane + 1, all);
        return true;
    case 10:
        *out = reduce(t, ADD, v, 0, lane, all);
        return true;
    case 13:
        *out = reduce(t, MAX, v, quad, quad + 4, all);
        return true;
    case 14:
        *out = reduce(t, ADD, v, half, half + 8, all);
        return true;
    case 17:
        *out = is_equal + 2;
        return true;
    case 18:
        *out = reduce(t, ADD, v, 0, LANES, 0x6db6);
        return lane % 3 != 0;
    case 19:
        *out = reduce(t, AND, v, 0, LANES, all);
        return !t->is_float;
    case 20:
        *out = reduce(t, OR, v, 0, LANES, all);
        return !t->is_float;
    case 21:
        *out = reduce(t, XOR, v, 0, lane + 1, all);
        return !t->is_float;
    case 22:
        *out = reduce(t, MUL, v, 0, LANES, all);
        return !t->is_float;
    case 23:
        *out = lane ? reduce(t, MIN, v, 0, lane, all) : largest(t);
        return !t->is_float;
    default:
        *out = sources[row] < LANES ? v[sources[row]] : 0;
        return sources[row] < LANES;
    }
}

/* ---------------------------------------------------------------- compute */

static int64_t input(const struct type *t, uint32_t i)
{
    static uint64_t random = 1;
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
    if (i >= 48)
        return cut(t, 97); /* a subgroup of equal values */
    return t->is_float ? (int64_t)(random >> 57) - 64 : cut(t, random >> 3 ^ random << 21);
}

static void run(const struct type *t)
{
    struct vkt *d = &device;
    struct vkt_compute c = vkt_compute_create_simple(d, t->shader, 2, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(d, 2 * COUNT, 0), vkt_storage_buffer(d, 2 * ROWS * COUNT, 0)};
    int64_t *x = buffers[0].map;
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = input(t, i);
    VkDescriptorSet set = vkt_compute_set(d, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(d, cmd);
    const int64_t *rows = buffers[1].map;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            int64_t want;
            const int64_t got = rows[row * COUNT + i];
            if (expect(t, row, x + i / LANES * LANES, i % LANES, &want) && got != want)
                fail_msg("%s of %u bits, row %u, invocation %u: %lld instead of %lld",
                         t->is_float    ? "float"
                         : t->is_signed ? "int"
                                        : "uint",
                         t->bits, row, i, (long long)got, (long long)want);
        }
    }
    vkt_compute_destroy(d, &c);
    vkt_buffer_destroy(d, &buffers[0]);
    vkt_buffer_destroy(d, &buffers[1]);
}

static void every_type(void **state)
{
    const struct type types[] = {
        {VKT_SHADER(subgroup_int8_comp), 8, .is_signed = true},   {VKT_SHADER(subgroup_uint8_comp), 8},
        {VKT_SHADER(subgroup_int16_comp), 16, .is_signed = true}, {VKT_SHADER(subgroup_uint16_comp), 16},
        {VKT_SHADER(subgroup_int64_comp), 64, .is_signed = true}, {VKT_SHADER(subgroup_uint64_comp), 64},
        {VKT_SHADER(subgroup_float16_comp), 16, .is_float = true}};
    for (uint32_t i = 0; i < VKT_COUNT(types); i++)
        run(&types[i]);
}

/* ---------------------------------------------------------------- fragments */

static void quads_exchange(void **state)
{
    enum { W = 37, H = 21 };
    struct vkt *t = &device;
    struct vkt_target target = vkt_target_create(t, W, H, VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_UNDEFINED);
    struct vkt_pipeline pipeline =
        vkt_pipeline_create(t, &(struct vkt_pipeline_info){.vs = VKT_SHADER(cover_vert),
                                                           .fs = VKT_SHADER(subgroup_types_frag),
                                                           .pass = target.pass,
                                                           .topology = VKT_TRIANGLES,
                                                           .width = W,
                                                           .height = H});
    static int32_t texels[H][W][4];
    VkCommandBuffer cmd = vkt_begin(t);
    vkt_begin_pass(cmd, &target, (const float[4]){0}, 1, 0);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.pipeline);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkt_end_submit(t, cmd);
    vkt_read_image(t, &target.color, 0, 0, texels, sizeof texels);
    for (int32_t y = 0; y < H; y++) {
        for (int32_t x = 0; x < W; x++) {
            const int32_t want[4] = {(int8_t)((x ^ 1) * 11), (int16_t)((y ^ 1) * 3001), (x ^ 1) * 32 + (y ^ 1),
                                     (x ^ 1) * 16};
            for (uint32_t c = 0; c < 4; c++)
                if (texels[y][x][c] != want[c])
                    fail_msg("pixel %d %d, channel %u: %d instead of %d", x, y, c, texels[y][x][c], want[c]);
        }
    }
    vkt_pipeline_destroy(t, &pipeline);
    vkt_target_destroy(t, &target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_type, vkt_check_messages),
        cmocka_unit_test_teardown(quads_exchange, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests(tests, open_device, close_device);
}
