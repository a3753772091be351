/* SPDX-License-Identifier: MIT
 *
 * Render lists: when clear values take effect, loads, several stores of a tile, and the order of repeated tiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "scene.h"
#include "util/thread.h"

#define DEPTH 0xa00000u /* a second surface */

static struct scene *s;
static struct util_stream list;

static int setup(void **state)
{
    s = scene_create(128, 64, 2);
    util_stream_init(&list, 4096, NULL);
    cl_emit(&list, TILE_RENDERING_MODE_CONFIG, tile_rendering_mode_config, p) {
        p.address = SCENE_COLOR;
        p.width_px = 128;
        p.height_px = 64;
        p.format = 1;
    }
    return 0;
}

static int teardown(void **state)
{
    util_stream_finish(&list);
    scene_destroy(s);
    return 0;
}

static void tile(uint32_t column)
{
    cl_emit(&list, TILE_COORDINATES, tile_coordinates, p) {
        p.column = column;
    }
}

static void clear_colors(uint32_t color, uint32_t z, uint32_t stencil)
{
    cl_emit(&list, CLEAR_COLORS, clear_colors, p) {
        p.color0 = p.color1 = color;
        p.z = z;
        p.stencil = stencil;
    }
}

static void store(enum cl_buffer buffer, uint32_t address, bool clear_color, bool clear_zs)
{
    cl_emit(&list, STORE_GENERAL, store_general, p) {
        p.buffer = buffer;
        p.address = address;
        p.disable_color_clear = !clear_color;
        p.disable_zs_clear = !clear_zs;
    }
}

static void load(enum cl_buffer buffer, uint32_t address)
{
    cl_emit(&list, LOAD_GENERAL, load_general, p) {
        p.buffer = buffer;
        p.address = address;
    }
}

static enum gpu_status run(void)
{
    util_stream_gather(&list, s->mem.base + SCENE_RENDER_LIST);
    struct gpu_render_job job = {
        .ct1ca = SCENE_RENDER_LIST,
        .ct1ea = SCENE_RENDER_LIST + list.size_B,
        .limit_ns = UINT64_C(60000000000),
    };
    return gpu_run_render(s->gpu, &job, &s->message);
}

static void run_ok(void)
{
    cl_emit(&list, STORE_GENERAL, store_general, p) {
        p.end_of_frame = true;
    }
    if (run() != GPU_OK)
        fail_msg("%s", s->message);
}

static uint32_t word(uint32_t address, uint32_t x)
{
    uint32_t value;
    memcpy(&value, s->mem.base + address + 4 * x, 4);
    return value;
}

static void clear_values_come_with_the_next_clearing_store(void **state)
{
    clear_colors(0x11111111, 0x123456, 0x78);
    tile(0);
    store(CL_BUFFER_NONE, 0, true, true);
    tile(0);
    clear_colors(0x22222222, 0x222222, 0x22); /* no effect on this tile */
    store(CL_BUFFER_ZS, DEPTH, false, true);
    tile(0);
    store(CL_BUFFER_COLOR, SCENE_COLOR, true, true);
    tile(1);
    store(CL_BUFFER_ZS, DEPTH, false, true);
    tile(1);
    cl_emit(&list, STORE_MS_RESOLVED, store_ms_resolved, p) {}
    tile(1);
    run_ok();
    assert_int_equal(word(SCENE_COLOR, 0), 0x11111111);
    assert_int_equal(word(SCENE_COLOR, 63), 0x11111111);
    assert_int_equal(word(SCENE_COLOR, 64), 0x22222222);
    assert_int_equal(word(DEPTH, 0), 0x12345678);
    assert_int_equal(word(DEPTH, 64), 0x22222222);
}

static void loads_wait_for_coordinates(void **state)
{
    for (uint32_t i = 0; i < 128 * 64; i++) {
        uint32_t color = 0x1000000 + i, zs = 0x2000000 + i;
        memcpy(s->mem.base + SCENE_COLOR + 4 * i, &color, 4);
        memcpy(s->mem.base + DEPTH + 4 * i, &zs, 4);
    }
    for (uint32_t column = 0; column < 2; column++) {
        /* As the kernel writes it: there has to be a store between two loads. */
        load(CL_BUFFER_COLOR, SCENE_COLOR);
        tile(column);
        store(CL_BUFFER_NONE, 0, false, false);
        load(CL_BUFFER_ZS, DEPTH);
        tile(column);
        store(CL_BUFFER_ZS, DEPTH + 0x100000, false, true);
        tile(column);
        store(CL_BUFFER_COLOR, SCENE_COLOR + 0x100000, true, true);
    }
    tile(0);
    run_ok();
    for (uint32_t i = 0; i < 128 * 64; i++) {
        assert_int_equal(word(SCENE_COLOR + 0x100000, i), 0x1000000 + i);
        assert_int_equal(word(DEPTH + 0x100000, i), 0x2000000 + i);
    }
}

static void tiles_that_repeat_stay_in_order(void **state)
{
    clear_colors(0, 0, 0);
    tile(0);
    store(CL_BUFFER_NONE, 0, true, true);
    for (uint32_t i = 1; i <= 200; i++) {
        clear_colors(i, 0, 0);
        tile(0);
        store(CL_BUFFER_COLOR, SCENE_COLOR, true, true); /* stores i - 1 */
    }
    tile(0);
    run_ok();
    assert_int_equal(word(SCENE_COLOR, 0), 199);
}

static void wrong_lists_are_hangs(void **state)
{
    tile(0);
    store(CL_BUFFER_COLOR, SCENE_COLOR, true, true);
    assert_int_equal(run(), GPU_HANG);
    assert_non_null(strstr(s->message, "end of frame"));

    load(CL_BUFFER_COLOR, SCENE_COLOR);
    load(CL_BUFFER_ZS, SCENE_COLOR);
    assert_int_equal(run(), GPU_HANG);
    assert_non_null(strstr(s->message, "second tile load"));
}

static void unmapped_surfaces_are_hangs(void **state)
{
    tile(0);
    store(CL_BUFFER_COLOR, SCENE_MEMORY_B - 64, true, true);
    tile(1);
    cl_emit(&list, STORE_GENERAL, store_general, p) {
        p.end_of_frame = true;
    }
    assert_int_equal(run(), GPU_HANG);
    assert_non_null(strstr(s->message, "mapped"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clear_values_come_with_the_next_clearing_store, setup, teardown),
        cmocka_unit_test_setup_teardown(loads_wait_for_coordinates, setup, teardown),
        cmocka_unit_test_setup_teardown(tiles_that_repeat_stay_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_lists_are_hangs, setup, teardown),
        cmocka_unit_test_setup_teardown(unmapped_surfaces_are_hangs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
