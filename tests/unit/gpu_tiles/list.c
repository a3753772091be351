/* SPDX-License-Identifier: MIT
 *
 * model/gpu/gpu_list.h: encoding and decoding of primitives round-trips, and the bytes agree with the guide's tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "model/gpu/gpu_list.h"
#include "util/macros.h"

static uint32_t seed = 777;

static uint32_t rnd(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(seed >> 4) * below) >> 28);
}

/* A random index: close to one of the old indices, equal to one, or arbitrary. */
static uint16_t random_index(const uint16_t old[3])
{
    switch (rnd(4)) {
    case 0:
        return old[rnd(3)];
    case 1:
        return (uint16_t)(old[rnd(3)] + rnd(17) - 8);
    case 2:
        return (uint16_t)(old[rnd(3)] + rnd(68) - 34);
    default:
        return (uint16_t)rnd(65536);
    }
}

static void codings_round_trip(void **state)
{
    static const unsigned longest[3] = {3, 5, 7};
    unsigned sizes_seen[3][8] = {0};
    for (enum cl_list_type type = CL_LIST_POINTS; type <= CL_LIST_TRIANGLES; type++) {
        uint16_t old[3] = {0};
        for (unsigned round = 0; round < 200000; round++) {
            uint16_t v[3] = {random_index(old), random_index(old), random_index(old)};
            uint16_t decoded[3] = {old[0], old[1], old[2]};
            uint8_t bytes[GPU_LIST_CODING_MAX_B + 1];
            unsigned size_B = gpu_list_encode(type, old, v, bytes);
            assert_true(size_B >= 1 && size_B <= longest[type]);
            assert_int_not_equal(bytes[0], GPU_LIST_ESCAPE);
            assert_int_not_equal(bytes[0], GPU_LIST_BRANCH);
            assert_int_equal(gpu_list_coding_size(type, bytes[0]), size_B);
            gpu_list_decode(type, bytes, decoded);
            for (unsigned i = 0; i < gpu_list_vertices(type); i++)
                assert_int_equal(decoded[i], v[i]);
            memcpy(old, decoded, sizeof old);
            sizes_seen[type][size_B]++;
        }
    }
    /* Every coding has been used. */
    static const uint8_t sizes[3][4] = {{1, 2, 3, 3}, {1, 2, 3, 5}, {1, 2, 4, 7}};
    for (unsigned type = 0; type < 3; type++)
        for (unsigned i = 0; i < 4; i++)
            assert_true(sizes_seen[type][sizes[type][i]] > 100);
}

static void bytes_are_those_of_the_guide(void **state)
{
    const uint16_t old[3] = {10, 11, 12};
    static const struct {
        enum cl_list_type type;
        uint16_t v[3];
        unsigned size_B;
        uint8_t bytes[7];
    } cases[] = {
        {CL_LIST_TRIANGLES, {12, 11, 13}, 1, {0 | 1 << 2}},
        {CL_LIST_TRIANGLES, {10, 12, 13}, 1, {1 | 1 << 2}},
        {CL_LIST_TRIANGLES, {11, 10, 11}, 1, {2 | 0xfc}},
        {CL_LIST_TRIANGLES, {13, 14, 15}, 2, {0x33, 0x33}},
        {CL_LIST_TRIANGLES, {100, 101, 99}, 4, {0x1f, 0xfc, 100, 0}},
        {CL_LIST_TRIANGLES, {0x100, 0x1234, 7}, 7, {129, 0, 1, 0x34, 0x12, 7, 0}},
        {CL_LIST_LINES, {11, 12, 0}, 1, {0 | 1 << 2}},
        {CL_LIST_LINES, {10, 12, 0}, 1, {1 | 1 << 2}},
        {CL_LIST_LINES, {12, 13, 0}, 2, {0x23, 0x02}},
        {CL_LIST_LINES, {500, 501, 0}, 3, {2 | 1 << 2, 0xf4, 0x01}},
        {CL_LIST_LINES, {500, 5, 0}, 5, {129, 0xf4, 0x01, 5, 0}},
        {CL_LIST_POINTS, {11, 0, 0}, 1, {1 << 2}},
        {CL_LIST_POINTS, {110, 0, 0}, 2, {3 | (100 & 63) << 2, 100 >> 6}},
        {CL_LIST_POINTS, {30000, 0, 0}, 3, {129, 0x30, 0x75}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        uint8_t bytes[GPU_LIST_CODING_MAX_B];
        assert_int_equal(gpu_list_encode(cases[i].type, old, cases[i].v, bytes), cases[i].size_B);
        assert_memory_equal(bytes, cases[i].bytes, cases[i].size_B);
    }
}

/* Every first byte has a size or is refused, and decoding accepts any bytes after it. */
static void any_bytes_can_be_read(void **state)
{
    for (enum cl_list_type type = CL_LIST_POINTS; type <= CL_LIST_TRIANGLES; type++) {
        for (unsigned first = 0; first < 256; first++) {
            unsigned size_B = gpu_list_coding_size(type, (uint8_t)first);
            assert_true(size_B <= GPU_LIST_CODING_MAX_B);
            uint8_t bytes[GPU_LIST_CODING_MAX_B];
            memset(bytes, 0xff, sizeof bytes);
            bytes[0] = (uint8_t)first;
            uint16_t v[3] = {1, 2, 3};
            if (size_B && first != GPU_LIST_ESCAPE && first != GPU_LIST_BRANCH)
                gpu_list_decode(type, bytes, v);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codings_round_trip),
        cmocka_unit_test(bytes_are_those_of_the_guide),
        cmocka_unit_test(any_bytes_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
