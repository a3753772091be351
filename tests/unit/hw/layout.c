/* SPDX-License-Identifier: MIT
 *
 * Tests hw/layout.h: addresses are compared with a slow implementation of the guide's formulas, no two elements of a
 * surface share an address, and level sizes and offsets are compared with those of recorded jobs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hw/layout.h"

static const uint32_t cpps[] = {1, 2, 4, 8, 16};

/* Finds a T-format address by counting tiles one by one in snake order. Sub-tile order is taken from the guide's
 * figure. */
static uint32_t t_offset_by_walking(uint32_t width_el, uint32_t cpp, uint32_t x, uint32_t y)
{
    uint32_t uw, uh;
    hw_utile_size(cpp, &uw, &uh);
    uint32_t tile_w = uw * 8, tile_h = uh * 8, offset = 0;
    for (uint32_t ty = 0;; ty++) {
        uint32_t tiles = width_el / tile_w;
        for (uint32_t n = 0; n < tiles; n++, offset += 4096) {
            uint32_t tx = ty % 2 ? tiles - 1 - n : n;
            if (x / tile_w != tx || y / tile_h != ty)
                continue;
            bool right = x % tile_w >= tile_w / 2, bottom = y % tile_h >= tile_h / 2;
            uint32_t at;
            if (ty % 2 == 0) /* up the left side, then down the right, as in the guide's figure for even rows */
                at = !right ? (bottom ? 1 : 0) : (bottom ? 2 : 3);
            else
                at = right ? (bottom ? 0 : 1) : (bottom ? 3 : 2);
            uint32_t sx = x % (tile_w / 2), sy = y % (tile_h / 2);
            return offset + at * 1024 + (sy / uh * 4 + sx / uw) * 64 + sy % uh * uw * cpp + sx % uw * cpp;
        }
    }
}

static void t_agrees_with_the_walk(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(cpps); i++) {
        uint32_t cpp = cpps[i], uw, uh;
        hw_utile_size(cpp, &uw, &uh);
        assert_int_equal(uw * uh * cpp, 64);
        uint32_t w = uw * 8 * 3, h = uh * 8 * 3;
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++)
                assert_int_equal(hw_element_offset_B(HW_TILING_T, w * cpp, cpp, x, y),
                                 t_offset_by_walking(w, cpp, x, y));
        }
    }
}

static void every_element_has_its_own_place(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(cpps); i++) {
        uint32_t cpp = cpps[i], uw, uh;
        hw_utile_size(cpp, &uw, &uh);
        for (int tiling = HW_TILING_RASTER; tiling <= HW_TILING_LT; tiling++) {
            uint32_t w = uw * 8 * 2, h = uh * 8 * 3;
            uint8_t *seen = calloc(w * h, 1);
            for (uint32_t y = 0; y < h; y++) {
                for (uint32_t x = 0; x < w; x++) {
                    uint32_t at = hw_element_offset_B((enum hw_tiling)tiling, w * cpp, cpp, x, y);
                    assert_int_equal(at % cpp, 0);
                    assert_true(at / cpp < w * h);
                    assert_int_equal(seen[at / cpp]++, 0);
                }
            }
            free(seen);
        }
    }
}

static void microtiles_are_raster_inside(void **state)
{
    assert_int_equal(hw_element_offset_B(HW_TILING_LT, 64 * 4, 4, 3, 0), 12);
    assert_int_equal(hw_element_offset_B(HW_TILING_LT, 64 * 4, 4, 0, 1), 16);
    assert_int_equal(hw_element_offset_B(HW_TILING_LT, 64 * 4, 4, 4, 0), 64);
    assert_int_equal(hw_element_offset_B(HW_TILING_LT, 64 * 4, 4, 0, 4), 64 * 16);
    assert_int_equal(hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 16, 0), 3 * 1024);
    assert_int_equal(hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 0, 16), 1024);
    assert_int_equal(hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 16, 16), 2 * 1024);
    assert_int_equal(hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 32, 0), 4096);
    assert_int_equal(hw_element_offset_B(HW_TILING_T, 64 * 4, 4, 32, 32), 2 * 4096 + 2 * 1024);
}

static void lt_is_at_most_one_sub_tile(void **state)
{
    assert_int_equal(hw_level_tiling(16, 100, 4), HW_TILING_LT);
    assert_int_equal(hw_level_tiling(17, 17, 4), HW_TILING_T);
    assert_int_equal(hw_level_tiling(32, 100, 2), HW_TILING_LT);
    assert_int_equal(hw_level_tiling(33, 16, 2), HW_TILING_LT);
    assert_int_equal(hw_level_tiling(33, 17, 2), HW_TILING_T);
    assert_int_equal(hw_level_tiling(32, 33, 1), HW_TILING_LT);
    assert_int_equal(hw_level_tiling(33, 33, 1), HW_TILING_T);
    assert_int_equal(hw_level_tiling(8, 17, 8), HW_TILING_LT);
    assert_int_equal(hw_level_tiling(9, 17, 8), HW_TILING_T);
}

static void mip_trees_stack_downwards(void **state)
{
    struct hw_layout layout;
    const struct hw_layout_info info = {
        .width_el = 100, .height_el = 60, .cpp = 4, .levels = 7, .layers = 6, .tiled = true};
    assert_true(hw_layout_init(&layout, &info));
    assert_int_equal(layout.level[0].offset_B % 4096, 0);
    assert_int_equal(layout.level[0].padded_width_el, 128);
    assert_int_equal(layout.level[0].padded_height_el, 64);
    assert_int_equal(layout.level[1].width_el, 50);
    assert_int_equal(layout.level[1].padded_width_el, 64);
    assert_int_equal(layout.level[1].padded_height_el, 32);
    assert_int_equal(layout.level[1].tiling, HW_TILING_T);
    assert_int_equal(layout.level[2].tiling, HW_TILING_LT);
    assert_int_equal(layout.level[6].padded_width_el, 4);
    assert_int_equal(layout.level[6].size_B, 64);
    for (uint32_t i = 1; i < 7; i++)
        assert_int_equal(layout.level[i].offset_B + layout.level[i].size_B, layout.level[i - 1].offset_B);
    assert_int_equal(layout.layer_stride_B % 4096, 0);
    assert_true(layout.layer_stride_B >= layout.level[0].offset_B + layout.level[0].size_B);
    assert_int_equal(layout.size_B,
                     5 * (uint64_t)layout.layer_stride_B + layout.level[0].offset_B + layout.level[0].size_B);
}

/* The expected values come from the recorded job generate_mipmap: 128 x 64 RGBA8888, 8 levels. */
static void levels_of_a_whole_tree(void **state)
{
    struct hw_layout layout;
    const struct hw_layout_info info = {
        .width_el = 128, .height_el = 64, .cpp = 4, .levels = 8, .layers = 1, .tiled = true};
    assert_true(hw_layout_init(&layout, &info));
    static const uint32_t sizes_B[] = {32768, 8192, 2048, 512, 128, 64, 64, 64};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(layout.level[i].size_B, sizes_B[i]);
    assert_int_equal(layout.level[0].offset_B, 12288);
    assert_int_equal(layout.level[1].offset_B, 4096);
}

static void raster_rows_are_padded_to_microtiles(void **state)
{
    struct hw_layout layout;
    struct hw_layout_info info = {.width_el = 13, .height_el = 5, .cpp = 4, .levels = 1, .layers = 1};
    assert_true(hw_layout_init(&layout, &info));
    assert_int_equal(layout.level[0].stride_B, 64);
    assert_int_equal(layout.level[0].offset_B, 0);
    assert_int_equal(layout.size_B, 320);
    info.raster_stride_B = 80; /* as another driver wants them; the chip derives it from the padded width */
    assert_true(hw_layout_init(&layout, &info));
    assert_int_equal(layout.level[0].stride_B, 80);
    assert_int_equal(layout.level[0].padded_width_el, 20);
    assert_int_equal(layout.level[0].width_el, 13);
    assert_int_equal(layout.size_B, 400);
    static const uint32_t steps_B[][2] = {{1, 8}, {2, 16}, {3, 4}, {4, 16}, {6, 4}, {8, 16}, {12, 4}, {16, 16}};
    for (uint32_t i = 0; i < ARRAY_SIZE(steps_B); i++)
        assert_int_equal(hw_raster_step_B(steps_B[i][0]), steps_B[i][1]);
}

/* Levels of compressed images: sizes in texels, halved, then divided by the block's width and height, both upwards. */
static void blocks_need_not_be_square(void **state)
{
    struct hw_layout layout;
    assert_true(hw_layout_init(
        &layout,
        &(struct hw_layout_info){
            .width_el = 50, .height_el = 30, .cpp = 16, .levels = 5, .layers = 1, .block_w_px = 10, .block_h_px = 6}));
    static const uint32_t sizes[5][2] = {{5, 5}, {3, 3}, {2, 2}, {1, 1}, {1, 1}};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(layout.level[i].width_el, sizes[i][0]);
        assert_int_equal(layout.level[i].height_el, sizes[i][1]);
        assert_int_equal(layout.level[i].tiling, HW_TILING_RASTER);
    }
    assert_true(hw_layout_init(
        &layout,
        &(struct hw_layout_info){
            .width_el = 12, .height_el = 13, .cpp = 16, .levels = 1, .layers = 1, .block_w_px = 6, .block_h_px = 5}));
    assert_int_equal(layout.level[0].width_el, 2);
    assert_int_equal(layout.level[0].height_el, 3);
}

static void too_large_is_refused(void **state)
{
    struct hw_layout layout;
    struct hw_layout_info info = {
        .width_el = 32768, .height_el = 32768, .cpp = 4, .levels = 1, .layers = 1, .tiled = true};
    assert_false(hw_layout_init(&layout, &info));
    info = (struct hw_layout_info){
        .width_el = 1024, .height_el = 1024, .cpp = 4, .levels = 1, .layers = 2048, .tiled = true};
    assert_true(hw_layout_init(&layout, &info)); /* the layer count has no limit of its own */
    assert_true(layout.size_B == UINT64_C(1) << 33);
    info = (struct hw_layout_info){.width_el = 0, .height_el = 1, .cpp = 4, .levels = 1, .layers = 1, .tiled = true};
    assert_false(hw_layout_init(&layout, &info));
    info = (struct hw_layout_info){.width_el = UINT32_MAX, .height_el = 1, .cpp = 16, .levels = 1, .layers = 1};
    assert_false(hw_layout_init(&layout, &info));
}

static void copies_agree_with_offsets(void **state)
{
    srand(1);
    for (size_t i = 0; i < ARRAY_SIZE(cpps); i++) {
        uint32_t cpp = cpps[i], uw, uh;
        hw_utile_size(cpp, &uw, &uh);
        uint32_t w = uw * 24, h = uh * 24, stride_B = w * cpp;
        uint8_t *surface = malloc(stride_B * h), *raster = malloc(stride_B * h), *copy = malloc(stride_B * h);
        for (uint32_t n = 0; n < stride_B * h; n++)
            surface[n] = (uint8_t)rand();
        for (int tiling = HW_TILING_RASTER; tiling <= HW_TILING_LT; tiling++) {
            for (int n = 0; n < 100; n++) {
                struct hw_copy_rect r = {.x_el = (uint32_t)rand() % w, .y_el = (uint32_t)rand() % h};
                r.width_el = (uint32_t)rand() % (w - r.x_el + 1);
                r.height_el = (uint32_t)rand() % (h - r.y_el + 1);
                hw_copy_from_tiled(raster, stride_B, surface, (enum hw_tiling)tiling, stride_B, cpp, &r);
                memcpy(copy, surface, stride_B * h);
                for (uint32_t y = 0; y < r.height_el; y++) {
                    for (uint32_t x = 0; x < r.width_el; x++) {
                        uint8_t *at =
                            copy + hw_element_offset_B((enum hw_tiling)tiling, stride_B, cpp, r.x_el + x, r.y_el + y);
                        assert_memory_equal(raster + y * stride_B + x * cpp, at, cpp);
                        memset(at, 0, cpp);
                    }
                }
                hw_copy_to_tiled(copy, (enum hw_tiling)tiling, stride_B, cpp, raster, stride_B, &r);
                assert_memory_equal(copy, surface, stride_B * h);
            }
        }
        free(surface);
        free(raster);
        free(copy);
    }
}

static void samples_have_their_own_places(void **state)
{
    uint32_t w = 70, h = 40, words = 3 * 2 * 16384 / 4;
    uint8_t *seen = calloc(words, 1);
    for (uint32_t y = 0; y < h; y++) {
        for (uint32_t x = 0; x < w; x++) {
            for (uint32_t s = 0; s < 4; s++) {
                uint32_t at = hw_ms_offset_B(w, x, y, s);
                assert_true(at / 4 < words);
                assert_int_equal(seen[at / 4]++, 0);
            }
        }
    }
    free(seen);
    assert_int_equal(hw_ms_offset_B(w, 33, 1, 2), 16384 + 2 * 16 + 8 + 4);
    assert_int_equal(hw_ms_offset_B(w, 0, 32, 0), 3 * 16384);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_agrees_with_the_walk),
        cmocka_unit_test(every_element_has_its_own_place),
        cmocka_unit_test(microtiles_are_raster_inside),
        cmocka_unit_test(lt_is_at_most_one_sub_tile),
        cmocka_unit_test(mip_trees_stack_downwards),
        cmocka_unit_test(levels_of_a_whole_tree),
        cmocka_unit_test(raster_rows_are_padded_to_microtiles),
        cmocka_unit_test(blocks_need_not_be_square),
        cmocka_unit_test(too_large_is_refused),
        cmocka_unit_test(copies_agree_with_offsets),
        cmocka_unit_test(samples_have_their_own_places),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
