/* SPDX-License-Identifier: MIT
 *
 * model/gpu/gpu_tlb.h: stencil operations and functions, depth test, early Z, loads and stores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/layout.h"
#include "model/gpu/gpu_tlb.h"

static struct gpu_tlb tlb;

/* Runs the Z test for one lane at pixel (0, 0) with depth z; returns whether it stays covered. */
static bool test_lane(uint32_t z, bool back_facing)
{
    struct gpu_tlb_lanes at = {0};
    uint32_t zs[QPU_LANES] = {z}, rev[QPU_LANES] = {back_facing}, flags[QPU_LANES] = {15};
    gpu_tlb_z_test(&tlb, &at, zs, rev, 1, flags);
    return flags[0] != 0;
}

static uint32_t face_word(unsigned faces, unsigned function, unsigned fail, unsigned z_fail, unsigned z_pass,
                          uint8_t ref, uint8_t mask)
{
    return faces << 30 | 3u << 28 | z_fail << 25 | z_pass << 22 | fail << 19 | function << 16 | (uint32_t)ref << 8 |
           mask;
}

static void configure(unsigned depth_function, bool z_update)
{
    const struct cl_configuration_bits config = {
        .depth_function = depth_function, .z_update = z_update, .early_z_update = true};
    gpu_tlb_configure(&tlb, &config);
    gpu_tlb_begin_program(&tlb);
}

static void stencil_operations(void **state)
{
    /* zero, keep, replace, increment and decrement (saturating), invert, increment and decrement (wrapping) */
    static const struct {
        uint8_t stored, after[8];
    } rows[] = {
        {0x00, {0, 0x00, 0x5a, 0x01, 0x00, 0xff, 0x01, 0xff}},
        {0x7f, {0, 0x7f, 0x5a, 0x80, 0x7e, 0x80, 0x80, 0x7e}},
        {0xff, {0, 0xff, 0x5a, 0xff, 0xfe, 0x00, 0x00, 0xfe}},
    };
    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
        for (unsigned op = 0; op < 8; op++) {
            /* The outcome selects the operation: 0 stencil fails, 1 depth fails, 2 both pass. */
            for (unsigned outcome = 0; outcome < 3; outcome++) {
                configure(outcome == 1 ? CL_COMPARE_NEVER : CL_COMPARE_ALWAYS, true);
                gpu_tlb_clear_zs(&tlb, 0x123400u | rows[i].stored);
                gpu_tlb_stencil_setup(&tlb, face_word(3, outcome == 0 ? CL_COMPARE_NEVER : CL_COMPARE_ALWAYS,
                                                      outcome == 0 ? op : 1, outcome == 1 ? op : 1,
                                                      outcome == 2 ? op : 1, 0x5a, 0xff));
                assert_int_equal(test_lane(7, false), outcome == 2);
                assert_int_equal(tlb.zs[0] & 0xff, rows[i].after[op]);
                assert_int_equal(tlb.zs[0] >> 8, outcome == 2 ? 7 : 0x1234);
            }
        }
    }
}

static void functions_compare_reference_with_stored(void **state)
{
    static const bool passes[8][3] = {/* reference below, equal to, above the stored value */
                                      {false, false, false}, {true, false, false}, {false, true, false},
                                      {true, true, false},   {false, false, true}, {true, false, true},
                                      {false, true, true},   {true, true, true}};
    for (unsigned function = 0; function < 8; function++) {
        for (unsigned i = 0; i < 3; i++) {
            configure(CL_COMPARE_ALWAYS, true);
            gpu_tlb_clear_zs(&tlb, 0x85); /* the mask selects the low nibble */
            gpu_tlb_stencil_setup(&tlb, face_word(3, function, 1, 1, 1, (uint8_t)(0x74 + i), 0x0f));
            assert_int_equal(test_lane(0, false), passes[function][i]);

            configure(function, true);
            gpu_tlb_clear_zs(&tlb, 100 << 8);
            assert_int_equal(test_lane(99 + i, false), passes[function][i]);
            assert_int_equal(tlb.zs[0] >> 8, passes[function][i] ? 99 + i : 100);
        }
    }
}

static void faces_have_words_and_masks_of_their_own(void **state)
{
    configure(CL_COMPARE_ALWAYS, false);
    gpu_tlb_clear_zs(&tlb, 0x00);
    gpu_tlb_stencil_setup(&tlb, face_word(1, CL_COMPARE_ALWAYS, 1, 1, 2, 0xff, 0xff));
    gpu_tlb_stencil_setup(&tlb, face_word(2, CL_COMPARE_ALWAYS, 1, 1, 5, 0xff, 0xff));
    gpu_tlb_stencil_setup(&tlb, 0xf0 << 8 | 0x0f); /* back 0xf0, front 0x0f */
    assert_true(test_lane(1, false));
    assert_int_equal(tlb.zs[0], 0x0f);
    assert_true(test_lane(1, true));
    assert_int_equal(tlb.zs[0], 0xff);

    /* The write mask encoded in two bits of the word itself. */
    gpu_tlb_stencil_setup(&tlb,
                          3u << 30 | 1u << 28 | (face_word(0, CL_COMPARE_ALWAYS, 1, 1, 0, 0, 0xff) & ~(3u << 28)));
    assert_true(test_lane(1, false));
    assert_int_equal(tlb.zs[0], 0xfc);

    /* The stencil test is off again for the next program. */
    gpu_tlb_begin_program(&tlb);
    assert_true(test_lane(1, false));
    assert_int_equal(tlb.zs[0], 0xfc);
}

static void masked_and_uncovered_lanes_are_left_alone(void **state)
{
    configure(CL_COMPARE_NEVER, true);
    gpu_tlb_clear_zs(&tlb, 0);
    struct gpu_tlb_lanes at = {0};
    uint32_t z[QPU_LANES] = {0}, rev[QPU_LANES] = {0}, flags[QPU_LANES] = {15, 0, 15, 15};
    gpu_tlb_z_test(&tlb, &at, z, rev, 0x7, flags);
    assert_int_equal(flags[0], 0);
    assert_int_equal(flags[2], 0);
    assert_int_equal(flags[3], 15); /* not in the lane mask: not tested */
}

static void early_z_shadow_is_the_farthest_pixel(void **state)
{
    configure(CL_COMPARE_LESS, true);
    gpu_tlb_clear_zs(&tlb, GPU_Z_MAX << 8);
    struct gpu_tlb_lanes at = {0};
    uint32_t z[QPU_LANES] = {10, 20, 30, 40}, rev[QPU_LANES] = {0}, flags[QPU_LANES] = {15, 15, 15, 15};
    gpu_tlb_z_test(&tlb, &at, z, rev, 0xf, flags);
    assert_int_equal(tlb.early_z[0], 40);
}

/* Each sample is tested on its own, and the flags return the samples that pass. */
static void samples_are_tested_one_by_one(void **state)
{
    tlb.ms_4x = true;
    configure(CL_COMPARE_LESS, true);
    gpu_tlb_clear_zs(&tlb, GPU_Z_MAX << 8);
    unsigned index = gpu_tlb_ms_index(4, 6);
    tlb.zs[index + 2 * GPU_TLB_SAMPLE_STEP] = 3 << 8;
    struct gpu_tlb_lanes at = {.quad = {(uint16_t)gpu_tlb_ms_quad(5, 6)}};
    uint32_t z[QPU_LANES] = {10}, rev[QPU_LANES] = {0}, flags[QPU_LANES] = {0xe};
    gpu_tlb_z_test(&tlb, &at, z, rev, 1, flags);
    assert_int_equal(flags[0], 0xa); /* sample 0 was not covered, sample 2 is nearer */
    static const uint32_t after[4] = {GPU_Z_MAX, 10, 3, 10};
    for (unsigned s = 0; s < 4; s++)
        assert_int_equal(tlb.zs[index + s * GPU_TLB_SAMPLE_STEP] >> 8, after[s]);
    assert_int_equal(tlb.early_z[at.quad[0]], GPU_Z_MAX);
    tlb.ms_4x = false;
}

/* -- loads and stores -- */

static uint8_t memory[1 << 20];

static bool all_mapped(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    return addr >= 4096;
}

static const struct gpu_memory mem = {.base = memory, .size_B = sizeof memory, .is_mapped = all_mapped};

static void fill_tile(uint32_t salt)
{
    for (unsigned i = 0; i < GPU_TLB_SAMPLES; i++) {
        tlb.color[i] = (i * 2654435761u) ^ salt;
        tlb.zs[i] = (i * 40503u) ^ salt;
    }
}

static void surfaces_round_trip(void **state)
{
    static const enum hw_tiling tilings[3] = {HW_TILING_RASTER, HW_TILING_T, HW_TILING_LT};
    for (unsigned layout = 0; layout < 3; layout++) {
        struct gpu_surface s = {.address = 8192, .width_px = 100, .height_px = 70, .layout = layout};
        memset(memory, 0xcc, sizeof memory);
        for (uint32_t row = 0; row < 2; row++) {
            for (uint32_t column = 0; column < 2; column++) {
                fill_tile(row * 2 + column);
                assert_true(gpu_tlb_store_color(&tlb, &mem, &s, column, row));
            }
        }
        /* Every pixel is at the offset that the layout gives. */
        uint32_t stride_B = util_align(100, layout == CL_LAYOUT_T ? 32 : 4) * 4;
        for (uint32_t y = 0; y < 70; y++) {
            for (uint32_t x = 0; x < 100; x++) {
                uint32_t got, want = (gpu_tlb_index(x, y) * 2654435761u) ^ (y / 64 * 2 + x / 64);
                memcpy(&got, memory + 8192 + hw_element_offset_B(tilings[layout], stride_B, 4, x, y), 4);
                assert_int_equal(got, want);
            }
        }
        /* A load returns the stored pixels. */
        gpu_tlb_clear_color(&tlb, 0);
        assert_true(gpu_tlb_load_color(&tlb, &mem, &s, 1, 1));
        assert_int_equal(tlb.color[gpu_tlb_index(35, 5)], (gpu_tlb_index(35, 5) * 2654435761u) ^ 3);
        assert_int_equal(tlb.color[gpu_tlb_index(36, 5)], 0); /* outside the frame */
        assert_int_equal(tlb.color[gpu_tlb_index(35, 6)], 0);
        assert_true(gpu_tlb_load_zs(&tlb, &mem, &s, 0, 1));
        assert_int_equal(tlb.zs[gpu_tlb_index(63, 5)], (gpu_tlb_index(63, 5) * 2654435761u) ^ 2);
    }
}

static void pixels_beyond_the_frame_are_not_stored(void **state)
{
    struct gpu_surface s = {.address = 8192, .width_px = 10, .height_px = 3, .layout = CL_LAYOUT_RASTER};
    memset(memory, 0xcc, sizeof memory);
    gpu_tlb_clear_zs(&tlb, 0x01020304);
    assert_true(gpu_tlb_store_zs(&tlb, &mem, &s, 0, 0));
    unsigned stored = 0;
    for (unsigned i = 0; i < sizeof memory; i += 4)
        stored += memory[i] == 4;
    assert_int_equal(stored, 30);
    assert_true(gpu_tlb_store_zs(&tlb, &mem, &s, 1, 0)); /* a tile entirely outside */
}

/* A store of a tile with a pending clear must give the same memory as a store after the clear has been carried out, in
 * every layout, with and without samples, also for tiles at the edge of the frame. */
static void pending_clears_are_stored_as_done_ones_are(void **state)
{
    static uint8_t expected[sizeof memory];
    const struct gpu_tlb_clear clear = {.color = 0x12345678, .zs = 0x9abcdef0};
    for (unsigned layout = CL_LAYOUT_RASTER; layout <= CL_LAYOUT_LT; layout++) {
        for (unsigned n = 0; n < 16; n++) {
            struct gpu_surface s = {.address = 4096, .width_px = 65 + 9 * n % 64, .height_px = 127 - 7 * n,
                                    .layout = layout, .resolve = n % 2};
            tlb.ms_4x = n % 3 == 2;
            memset(memory, 0xee, sizeof memory);
            gpu_tlb_defer_clear(&tlb, &clear, true, true);
            gpu_tlb_apply_color_clear(&tlb);
            gpu_tlb_apply_zs_clear(&tlb);
            assert_true(n & 4 ? gpu_tlb_store_zs(&tlb, &mem, &s, 1, 1) : gpu_tlb_store_color(&tlb, &mem, &s, 1, 1));
            memcpy(expected, memory, sizeof memory);
            memset(memory, 0xee, sizeof memory);
            gpu_tlb_clear_color(&tlb, 0);
            gpu_tlb_clear_zs(&tlb, 0);
            gpu_tlb_defer_clear(&tlb, &clear, true, true);
            assert_true(n & 4 ? gpu_tlb_store_zs(&tlb, &mem, &s, 1, 1) : gpu_tlb_store_color(&tlb, &mem, &s, 1, 1));
            assert_memory_equal(memory, expected, sizeof memory);
            gpu_tlb_apply_color_clear(&tlb); /* the clear is still pending for later draws */
            gpu_tlb_apply_zs_clear(&tlb);
            assert_int_equal(tlb.color[5], clear.color);
            assert_int_equal(tlb.zs[5], clear.zs);
        }
    }
    tlb.ms_4x = false;
}

/* Loads give every sample the pixel's value. A store takes sample 0 or the mean, rounded to nearest. */
static void four_samples_and_one_value(void **state)
{
    struct gpu_surface s = {.address = 8192, .width_px = 40, .height_px = 40, .layout = CL_LAYOUT_T};
    uint32_t pixel = 0x01020304, got;
    uint32_t offset_B = hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 35, 2);
    tlb.ms_4x = true;
    memcpy(memory + 8192 + offset_B, &pixel, 4);
    assert_true(gpu_tlb_load_color(&tlb, &mem, &s, 1, 0));
    uint32_t *sample = &tlb.color[gpu_tlb_ms_index(3, 2)];
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(sample[i * GPU_TLB_SAMPLE_STEP], pixel);

    static const uint32_t four[4] = {0xff000101, 0xff000100, 0xff000001, 0xfc000001};
    for (unsigned i = 0; i < 4; i++)
        sample[i * GPU_TLB_SAMPLE_STEP] = four[i];
    assert_true(gpu_tlb_store_color(&tlb, &mem, &s, 1, 0));
    memcpy(&got, memory + 8192 + offset_B, 4);
    assert_int_equal(got, four[0]);
    s.resolve = true;
    assert_true(gpu_tlb_store_color(&tlb, &mem, &s, 1, 0));
    memcpy(&got, memory + 8192 + offset_B, 4);
    assert_int_equal(got, 0xfe000101);
    tlb.ms_4x = false;
}

/* Each sample of a dump is at the offset that hw/layout.h gives. */
static void dumps_hold_all_samples(void **state)
{
    tlb.ms_4x = true;
    fill_tile(9);
    assert_true(gpu_tlb_store_all_color(&tlb, &mem, 8192));
    assert_true(gpu_tlb_store_all_zs(&tlb, &mem, 8192 + GPU_TLB_DUMP_B));
    for (uint32_t y = 0; y < 32; y++) {
        for (uint32_t x = 0; x < 32; x++) {
            for (unsigned s = 0; s < 4; s++) {
                uint32_t got;
                memcpy(&got, memory + 8192 + hw_ms_offset_B(32, x, y, s), 4);
                assert_int_equal(got, tlb.color[gpu_tlb_ms_index(x, y) + s * GPU_TLB_SAMPLE_STEP]);
            }
        }
    }
    uint32_t zs = tlb.zs[1234];
    gpu_tlb_clear_zs(&tlb, 0);
    assert_true(gpu_tlb_load_all_zs(&tlb, &mem, 8192 + GPU_TLB_DUMP_B));
    assert_int_equal(tlb.zs[1234], zs);
    assert_false(gpu_tlb_store_all_color(&tlb, &mem, sizeof memory - 4096));
    tlb.ms_4x = false;
}

static void conversion_to_565(void **state)
{
    for (uint32_t p = 0; p < 65536; p++)
        assert_int_equal(gpu_color_to_565(gpu_color_from_565((uint16_t)p)), p);
    assert_int_equal(gpu_color_to_565(0x000000ff), 0xf800); /* red is byte 0, and the high bits */
    struct gpu_surface s = {
        .address = 8192, .width_px = 64, .height_px = 64, .layout = CL_LAYOUT_T, .format = GPU_COLOR_BGR565};
    fill_tile(5);
    assert_true(gpu_tlb_store_color(&tlb, &mem, &s, 0, 0));
    uint32_t want = tlb.color[77];
    assert_true(gpu_tlb_load_color(&tlb, &mem, &s, 0, 0));
    assert_int_equal(tlb.color[77], gpu_color_from_565(gpu_color_to_565(want)));
}

static void unmapped_surfaces_are_refused(void **state)
{
    struct gpu_surface s = {.address = 0, .width_px = 64, .height_px = 64};
    assert_false(gpu_tlb_store_color(&tlb, &mem, &s, 0, 0));
    assert_false(gpu_tlb_load_zs(&tlb, &mem, &s, 0, 0));
    s = (struct gpu_surface){.address = sizeof memory - 4096, .width_px = 64, .height_px = 64};
    assert_false(gpu_tlb_store_color(&tlb, &mem, &s, 0, 0));
    s = (struct gpu_surface){.address = 8192, .width_px = 65535, .height_px = 65535};
    assert_false(gpu_tlb_store_color(&tlb, &mem, &s, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stencil_operations),
        cmocka_unit_test(functions_compare_reference_with_stored),
        cmocka_unit_test(faces_have_words_and_masks_of_their_own),
        cmocka_unit_test(masked_and_uncovered_lanes_are_left_alone),
        cmocka_unit_test(early_z_shadow_is_the_farthest_pixel),
        cmocka_unit_test(samples_are_tested_one_by_one),
        cmocka_unit_test(pending_clears_are_stored_as_done_ones_are),
        cmocka_unit_test(four_samples_and_one_value),
        cmocka_unit_test(dumps_hold_all_samples),
        cmocka_unit_test(surfaces_round_trip),
        cmocka_unit_test(pixels_beyond_the_frame_are_not_stored),
        cmocka_unit_test(conversion_to_565),
        cmocka_unit_test(unmapped_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
