/* SPDX-License-Identifier: MIT
 *
 * What screens show: display lists as the driver writes them, for each format and tiling, with flips, alpha, scaling
 * and a cursor, and lists that are broken. Pictures without scaling are compared exactly.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "display_bench.h"
#include "hw/layout.h"

#define HVS      BOARD_DISPLAY_HVS
#define WIDTH    64u
#define HEIGHT   48u
#define FB       MEMORY_ADDR
#define FB_2     (MEMORY_ADDR + 0x100000u)
#define FB_3     (MEMORY_ADDR + 0x200000u)
#define PIPELINE 1u /* alpha_bits: the pixels' alpha */

static uint32_t shown[BOARD_DISPLAY_MAX_PX * 64];

static uint8_t *at(struct display_bench *b, uint32_t addr)
{
    return b->memory + (addr - MEMORY_ADDR);
}

static void put32(struct display_bench *b, uint32_t addr, uint32_t value)
{
    memcpy(at(b, addr), &value, 4);
}

/* Shows the list that has been written, and composes the picture. */
static void show(struct display_bench *b)
{
    bench_end_list(b);
    bench_show(b, 0, WIDTH, HEIGHT);
    bench_compose(b, 0, shown, WIDTH, HEIGHT);
    bench_hide(b, 0);
    bench_begin_list(b);
}

static void show_plane(struct display_bench *b, const struct test_plane *plane)
{
    bench_plane(b, plane);
    show(b);
}

static void check_pixel(uint32_t x, uint32_t y, uint32_t expected)
{
    if (shown[y * WIDTH + x] != expected)
        fail_msg("pixel %u, %u is 0x%06x, expected 0x%06x", x, y, shown[y * WIDTH + x], expected);
}

/* A picture whose pixels all differ. */
static uint32_t pattern(uint32_t x, uint32_t y)
{
    return (x * 5 + y) << 16 | (y * 3 + 1) << 8 | ((x ^ y) * 9 & 0xff);
}

static void draw_pattern(struct display_bench *b, uint32_t addr, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            put32(b, addr + (y * width + x) * 4, pattern(x, y) & 0xffffff);
}

static struct test_plane whole_screen(uint32_t addr)
{
    return (struct test_plane){
        .format = PLANE_RGBA8888,
        .order = 3,
        .width = WIDTH,
        .height = HEIGHT,
        .addr = {addr},
        .pitch = {WIDTH * 4},
    };
}

/* -- formats ------------------------------------------------------------------------------------------------------- */

/* The kernel's names of formats, and the field values that its driver gives them; bits of a pixel from the top. */
static const struct {
    const char *name;
    enum plane_format format;
    uint32_t order, cpp;
    const char *components;
    uint8_t bits[4];
} formats[] = {
    {"XRGB8888", PLANE_RGBA8888, 3, 4, "ARGB", {8, 8, 8, 8}}, {"XBGR8888", PLANE_RGBA8888, 2, 4, "ABGR", {8, 8, 8, 8}},
    {"RGB565", PLANE_RGB565, 2, 2, "RGB", {5, 6, 5}},         {"BGR565", PLANE_RGB565, 3, 2, "BGR", {5, 6, 5}},
    {"XRGB1555", PLANE_RGBA5551, 3, 2, "ARGB", {1, 5, 5, 5}}, {"RGB888", PLANE_RGB888, 2, 3, "RGB", {8, 8, 8}},
    {"BGR888", PLANE_RGB888, 3, 3, "BGR", {8, 8, 8}},         {"RGB332", PLANE_RGB332, 2, 1, "RGB", {3, 3, 2}},
    {"BGR233", PLANE_RGB332, 3, 1, "BGR", {2, 3, 3}},         {"XRGB4444", PLANE_RGBA4444, 3, 2, "ARGB", {4, 4, 4, 4}},
    {"XBGR4444", PLANE_RGBA4444, 2, 2, "ABGR", {4, 4, 4, 4}}, {"BGRX4444", PLANE_RGBA4444, 0, 2, "BGRA", {4, 4, 4, 4}},
    {"RGBX4444", PLANE_RGBA4444, 1, 2, "RGBA", {4, 4, 4, 4}},
};

/* A component of the pattern in so many bits, and what full scale 255 makes of it. */
static uint32_t quantized(uint32_t pixel, char component, unsigned bits, uint32_t *shown_out)
{
    const uint32_t max = (1u << bits) - 1;
    const unsigned shift = component == 'R' ? 16 : component == 'G' ? 8 : 0;
    const uint32_t value = component == 'A' ? 0 : (pixel >> shift & 0xff) >> (8 - bits);
    if (component != 'A')
        *shown_out |= (uint32_t)lround(value * 255.0 / max) << shift;
    return value;
}

static uint32_t encode(unsigned format, uint32_t pixel, uint32_t *shown_out)
{
    uint32_t word = 0;
    *shown_out = 0;
    for (unsigned i = 0; formats[format].components[i]; i++)
        word = word << formats[format].bits[i] |
               quantized(pixel, formats[format].components[i], formats[format].bits[i], shown_out);
    return word;
}

static void rgb_formats(void **state)
{
    struct display_bench *b = *state;
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
        const uint32_t cpp = formats[f].cpp, pitch = WIDTH * cpp + 16;
        uint32_t expected;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint32_t word = encode(f, pattern(x, y), &expected);
                for (uint32_t i = 0; i < cpp; i++)
                    at(b, FB)[y * pitch + x * cpp + i] = (uint8_t)(word >> 8 * i);
            }
        struct test_plane plane = whole_screen(FB);
        plane.format = formats[f].format;
        plane.order = formats[f].order;
        plane.pitch[0] = pitch;
        show_plane(b, &plane);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                (void)encode(f, pattern(x, y), &expected);
                if (shown[y * WIDTH + x] != expected)
                    fail_msg("%s: pixel %u, %u is 0x%06x, expected 0x%06x", formats[f].name, x, y, shown[y * WIDTH + x],
                             expected);
            }
    }
}

/* The colour-space words that the driver writes, and what they stand for. */
static const struct {
    const char *name;
    uint32_t words[3];
    double kr, kb;
    bool is_full_range;
} csc[] = {
    {"601", {0x00f00000, 0xe73304a8, 0x00066604}, 0.299, 0.114, false},
    {"709", {0x00f00000, 0xf27784a8, 0x00072e1d}, 0.2126, 0.0722, false},
    {"2020", {0x00f00000, 0xf43594a8, 0x0006b624}, 0.2627, 0.0593, false},
    {"JFIF", {0x00000000, 0xea349400, 0x00059dc6}, 0.299, 0.114, true},
};

static uint32_t to_8(double value)
{
    return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : lround(value));
}

static uint32_t yuv_to_rgb(unsigned n, uint32_t y8, uint32_t cb8, uint32_t cr8)
{
    const double kr = csc[n].kr, kb = csc[n].kb, kg = 1 - kr - kb;
    const double y = csc[n].is_full_range ? y8 : (y8 - 16.0) * 255 / 219;
    const double scale = csc[n].is_full_range ? 1 : 255.0 / 224;
    const double cb = (cb8 - 128.0) * scale, cr = (cr8 - 128.0) * scale;
    return to_8(y + 2 * (1 - kr) * cr) << 16 |
           to_8(y - 2 * (1 - kb) * kb / kg * cb - 2 * (1 - kr) * kr / kg * cr) << 8 | to_8(y + 2 * (1 - kb) * cb);
}

static uint8_t luma(uint32_t x, uint32_t y)
{
    return (uint8_t)(30 + x * 2 + y);
}

static uint8_t chroma(unsigned which, uint32_t x, uint32_t y)
{
    return (uint8_t)(which ? 60 + x * 3 : 200 - y * 4);
}

static void check_near(const char *name, uint32_t x, uint32_t y, uint32_t expected)
{
    const uint32_t got = shown[y * WIDTH + x];
    for (unsigned shift = 0; shift < 24; shift += 8)
        if (abs((int)(got >> shift & 0xff) - (int)(expected >> shift & 0xff)) > 3)
            fail_msg("%s: pixel %u, %u is 0x%06x, expected 0x%06x", name, x, y, got, expected);
}

static const struct {
    const char *name;
    enum plane_format format;
    uint32_t order, planes, halves_lines;
} yuv_formats[] = {
    {"YUV420", PLANE_YUV420_3PLANE, 0, 3, 1}, {"YVU420", PLANE_YUV420_3PLANE, 1, 3, 1},
    {"NV12", PLANE_YUV420_2PLANE, 0, 2, 1},   {"NV21", PLANE_YUV420_2PLANE, 1, 2, 1},
    {"YUV422", PLANE_YUV422_3PLANE, 0, 3, 0}, {"YVU422", PLANE_YUV422_3PLANE, 1, 3, 0},
    {"NV16", PLANE_YUV422_2PLANE, 0, 2, 0},   {"NV61", PLANE_YUV422_2PLANE, 1, 2, 0},
};

static void draw_yuv(struct display_bench *b, unsigned f)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            at(b, FB)[y * 80 + x] = luma(x, y);
    for (uint32_t y = 0; y < HEIGHT >> yuv_formats[f].halves_lines; y++)
        for (uint32_t x = 0; x < WIDTH / 2; x++)
            for (unsigned which = 0; which < 2; which++) {
                const unsigned place = which ^ yuv_formats[f].order;
                if (yuv_formats[f].planes == 3)
                    at(b, place ? FB_3 : FB_2)[y * 48 + x] = chroma(which, x, y);
                else
                    at(b, FB_2)[y * 72 + 2 * x + place] = chroma(which, x, y);
            }
}

static void yuv_formats_and_spaces(void **state)
{
    struct display_bench *b = *state;
    for (unsigned f = 0; f < sizeof yuv_formats / sizeof *yuv_formats; f++) {
        draw_yuv(b, f);
        for (unsigned n = 0; n < sizeof csc / sizeof *csc; n++) {
            const uint32_t pitch = yuv_formats[f].planes == 3 ? 48 : 72;
            struct test_plane plane = whole_screen(FB);
            plane.format = yuv_formats[f].format;
            plane.order = yuv_formats[f].order;
            memcpy(plane.addr, (uint32_t[]){FB, FB_2, FB_3}, sizeof plane.addr);
            memcpy(plane.pitch, (uint32_t[]){80, pitch, pitch}, sizeof plane.pitch);
            memcpy(plane.csc, csc[n].words, sizeof plane.csc);
            show_plane(b, &plane);
            for (uint32_t y = 0; y < HEIGHT; y++)
                for (uint32_t x = 0; x < WIDTH; x++) {
                    const uint32_t line = y >> yuv_formats[f].halves_lines;
                    check_near(yuv_formats[f].name, x, y,
                               yuv_to_rgb(n, luma(x, y), chroma(0, x / 2, line), chroma(1, x / 2, line)));
                }
            /* From below to above: the pointers are to the last lines. */
            plane.flips = PLANE_VFLIP;
            plane.addr[0] += (HEIGHT - 1) * 80;
            for (unsigned i = 1; i < 3; i++)
                plane.addr[i] += ((HEIGHT - 1) >> yuv_formats[f].halves_lines) * pitch;
            show_plane(b, &plane);
            for (uint32_t y = 0; y < HEIGHT; y++) {
                const uint32_t line = (HEIGHT - 1 - y) >> yuv_formats[f].halves_lines;
                check_near(yuv_formats[f].name, 9, y,
                           yuv_to_rgb(n, luma(9, HEIGHT - 1 - y), chroma(0, 4, line), chroma(1, 4, line)));
            }
        }
    }
}

/* YUV420 in columns, as the video decoder writes it; the first pixel is not the surface's first. */
static void columns(void **state)
{
    struct display_bench *b = *state;
    for (enum plane_tiling tiling = PLANE_COLUMNS_64B; tiling <= PLANE_COLUMNS_256B_OR_T; tiling++) {
        const uint32_t width_B = 32u << tiling, lines = 80, first_x = 40, first_y = 6;
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++) {
                const uint32_t sx = x + first_x, sy = y + first_y, cx = sx / 2 * 2;
                at(b, FB)[sx / width_B * lines * width_B + sy * width_B + sx % width_B] = luma(x, y);
                for (unsigned which = 0; which < 2; which++)
                    at(b, FB_2)[cx / width_B * lines * width_B + sy / 2 * width_B + cx % width_B + which] =
                        chroma(which, x / 2, y / 2);
            }
        struct test_plane plane = whole_screen(0);
        plane.format = PLANE_H264;
        plane.order = 0;
        plane.tiling = tiling;
        plane.addr[0] = FB + first_x / width_B * lines * width_B + first_y * width_B + first_x % width_B;
        plane.addr[1] = FB_2 + first_x / width_B * lines * width_B + first_y / 2 * width_B + first_x % width_B;
        plane.pitch[0] = plane.pitch[1] = lines;
        memcpy(plane.csc, csc[3].words, sizeof plane.csc);
        show_plane(b, &plane);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                check_near("SAND", x, y, yuv_to_rgb(3, luma(x, y), chroma(0, x / 2, y / 2), chroma(1, x / 2, y / 2)));
    }
}

/* -- T tiles ------------------------------------------------------------------------------------------------------- */

/* Where the driver points to, and its pitch word's line field, calculated by hand from the layout of tiles. */
static const struct {
    uint32_t cpp, stride_px, surface_height_px, x, y, width, height;
    bool goes_up;                  /* y is the last line */
    uint32_t offset_B, left, line; /* of the pointer; tiles on the left; line field */
    bool is_odd;
} t_cases[] = {
    {4, 128, 96, 0, 0, 64, 48, false, 0, 0, 0, false},       {4, 128, 96, 40, 21, 64, 40, false, 5392, 1, 21, false},
    {4, 128, 96, 40, 37, 64, 48, false, 26896, 1, 37, true}, {4, 128, 96, 5, 54, 64, 40, true, 32032, 0, 9, true},
    {4, 128, 192, 0, 170, 64, 48, true, 96800, 0, 21, true}, {2, 128, 96, 70, 33, 50, 48, false, 10256, 1, 33, true},
    {2, 64, 64, 0, 63, 64, 48, true, 7984, 0, 0, true},
};

static void t_tiles(void **state)
{
    struct display_bench *b = *state;
    for (unsigned n = 0; n < sizeof t_cases / sizeof *t_cases; n++) {
        const uint32_t cpp = t_cases[n].cpp, width = t_cases[n].stride_px, height = t_cases[n].surface_height_px;
        uint8_t *raster = malloc((size_t)width * height * cpp);
        assert_non_null(raster);
        for (uint32_t i = 0; i < width * height; i++) {
            const uint32_t pixel = pattern(i % width, i / width) & 0xffffff;
            const uint16_t pixel_16 = (uint16_t)(i * 40503u >> 3);
            memcpy(raster + i * cpp, cpp == 4 ? (const void *)&pixel : &pixel_16, cpp);
        }
        const struct hw_copy_rect rect = {0, 0, width, height};
        hw_copy_to_tiled(at(b, FB), HW_TILING_T, width * cpp, cpp, raster, width * cpp, &rect);

        const uint32_t tile_w_px = 128 / cpp, tiles = width / tile_w_px, skip = t_cases[n].x % tile_w_px;
        struct test_plane plane = whole_screen(FB + t_cases[n].offset_B);
        plane.format = cpp == 4 ? PLANE_RGBA8888 : PLANE_RGB565;
        plane.order = cpp == 4 ? 3 : 2;
        plane.tiling = PLANE_COLUMNS_256B_OR_T;
        plane.width = t_cases[n].width;
        plane.height = t_cases[n].height;
        plane.flips = t_cases[n].goes_up ? PLANE_VFLIP : 0;
        plane.pitch[0] = skip << PLANE_T_SKIP_SHIFT | t_cases[n].left << PLANE_T_LEFT_SHIFT |
                         (t_cases[n].goes_up ? PLANE_T_LINE_DIR : 0) | (t_cases[n].is_odd ? PLANE_T_ODD : 0) |
                         t_cases[n].line << PLANE_T_Y_SHIFT | (tiles - t_cases[n].left);
        show_plane(b, &plane);
        for (uint32_t y = 0; y < t_cases[n].height; y++)
            for (uint32_t x = 0; x < t_cases[n].width; x++) {
                const uint32_t sy = t_cases[n].goes_up ? t_cases[n].y - y : t_cases[n].y + y;
                const uint8_t *source = raster + (sy * width + t_cases[n].x + x) * cpp;
                uint32_t expected = 0;
                memcpy(&expected, source, cpp);
                if (cpp == 2)
                    expected = (uint32_t)lround((expected >> 11) * 255.0 / 31) << 16 |
                               (uint32_t)lround((expected >> 5 & 63) * 255.0 / 63) << 8 |
                               (uint32_t)lround((expected & 31) * 255.0 / 31);
                if (shown[y * WIDTH + x] != expected)
                    fail_msg("case %u: pixel %u, %u is 0x%06x, expected 0x%06x", n, x, y, shown[y * WIDTH + x],
                             expected);
            }
        free(raster);
    }
}

/* -- places -------------------------------------------------------------------------------------------------------- */

static void flips(void **state)
{
    struct display_bench *b = *state;
    draw_pattern(b, FB, WIDTH, HEIGHT);
    for (unsigned n = 0; n < 4; n++) {
        struct test_plane plane = whole_screen(n & 2 ? FB + (HEIGHT - 1) * WIDTH * 4 : FB);
        plane.flips = (n & 1 ? PLANE_HFLIP : 0) | (n & 2 ? PLANE_VFLIP : 0);
        show_plane(b, &plane);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                check_pixel(x, y, pattern(n & 1 ? WIDTH - 1 - x : x, n & 2 ? HEIGHT - 1 - y : y) & 0xffffff);
    }
}

static void positions_and_crops(void **state)
{
    struct display_bench *b = *state;
    draw_pattern(b, FB, WIDTH, HEIGHT);
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_FILL | 0x102030);
    /* Part of the source, in the middle of the screen. */
    struct test_plane plane = whole_screen(FB + (5 * WIDTH + 7) * 4);
    plane.x = 20;
    plane.y = 10;
    plane.width = 30;
    plane.height = 20;
    show_plane(b, &plane);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool is_inside = x >= 20 && x < 50 && y >= 10 && y < 30;
            check_pixel(x, y, is_inside ? pattern(x - 20 + 7, y - 10 + 5) & 0xffffff : 0x102030);
        }
    /* Beyond the screen's edges, and outside. */
    plane.x = WIDTH - 1;
    plane.y = HEIGHT - 1;
    bench_plane(b, &plane);
    plane.x = WIDTH;
    bench_plane(b, &plane);
    plane.x = 0;
    plane.y = 4095;
    show_plane(b, &plane);
    check_pixel(WIDTH - 1, HEIGHT - 1, pattern(7, 5) & 0xffffff);
    check_pixel(WIDTH - 2, HEIGHT - 1, 0x102030);
    check_pixel(WIDTH - 1, HEIGHT - 2, 0x102030);
    /* Without a fill the background is black. */
    wr(b, HVS, HVS_DISPBKGND0, 0x102030);
    show(b);
    check_pixel(0, 0, 0);
}

/* The screen is larger than what the channel composes, and the buffer larger than the screen. */
static void sizes_that_differ(void **state)
{
    struct display_bench *b = *state;
    uint32_t pixels[24 * 20];
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_FILL | 0xffffff);
    bench_end_list(b);
    bench_show(b, 0, 20, 16);
    wr(b, HVS, HVS_DISPCTRL0, HVS_CHANNEL_ENABLE | 10 << HVS_CHANNEL_WIDTH_SHIFT | 8);
    bench_compose(b, 0, pixels, 24, 20);
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t x = 0; x < 24; x++)
            assert_int_equal(pixels[y * 24 + x], x < 10 && y < 8 ? 0xffffff : 0);
    bench_compose(b, 0, pixels, 4, 2); /* and smaller */
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(pixels[i], 0xffffff);
}

static void screens_that_are_off(void **state)
{
    struct display_bench *b = *state;
    uint32_t pixel = 1;
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_FILL | 0xffffff);
    bench_end_list(b);
    assert_false(board_display_compose(b->display, 0, &pixel, 1, 1, 1));
    assert_int_equal(pixel, 0);
    pixel = 1;
    assert_false(board_display_compose(b->display, BOARD_DISPLAY_SCREENS, &pixel, 1, 1, 1));
    assert_int_equal(pixel, 0);
    assert_false(board_display_compose(b->display, 0, NULL, 0, 0, 0));

    bench_show(b, 0, WIDTH, HEIGHT);
    assert_true(board_display_compose(b->display, 0, &pixel, 1, 1, 1));
    assert_int_equal(pixel, 0xffffff);
    wr(b, HVS, HVS_DISPCTRL, 0); /* the screen is on, but the HVS is not */
    assert_true(board_display_compose(b->display, 0, &pixel, 1, 1, 1));
    assert_int_equal(pixel, 0);
    wr(b, HVS, HVS_DISPCTRL, HVS_CTRL_ENABLE);
    wr(b, HVS, HVS_DISPCTRL0, 0);
    assert_true(board_display_compose(b->display, 0, &pixel, 1, 1, 1));
    assert_int_equal(pixel, 0);
}

/* -- alpha --------------------------------------------------------------------------------------------------------- */

#define MODE(mode) ((uint32_t)(mode) << PLANE_ALPHA_SHIFT)

static const struct {
    uint32_t source, alpha_bits, transparency, expected; /* over 0x204080 */
} alpha_cases[] = {
    {0x00ff8000, 0, 0, 0xff8000},                                       /* fixed, opaque */
    {0x00ff8000, 0, 255, 0x204080},                                     /* fixed, transparent */
    {0xffff8000, 0, 127, 0x906040},                                     /* fixed, 128 of 255 */
    {0xffff8000, PIPELINE, 0, 0xff8000},                                /* the pixel's */
    {0x00ff8000, PIPELINE, 0, 0x204080},                                /* */
    {0x80ff8000, PIPELINE, 0, 0x906040},                                /* */
    {0x80ff8000, PIPELINE, 255, 0x906040},                              /* the fixed one does not matter */
    {0x80804000, PLANE_ALPHA_PREMULT, 0, 0x906040},                     /* premultiplied */
    {0x00000000, PLANE_ALPHA_PREMULT, 0, 0x204080},                     /* */
    {0x00ff0000, PLANE_ALPHA_PREMULT, 0, 0xff4080},                     /* more than its alpha: saturates */
    {0xffff8000, PLANE_ALPHA_MIX, 127, 0x906040},                       /* the pixel's times the fixed one */
    {0x80ff8000, PLANE_ALPHA_MIX, 127, 0x585060},                       /* */
    {0xffff8000, PLANE_ALPHA_MIX | PLANE_ALPHA_PREMULT, 127, 0x906040}, /* */
    {0x80804000, PLANE_ALPHA_MIX | PLANE_ALPHA_PREMULT, 127, 0x585060}, /* */
    {0x01ff8000, MODE(PLANE_ALPHA_FIXED_NONZERO), 0, 0xff8000},         /* fixed where the pixel's is not 0 */
    {0x00ff8000, MODE(PLANE_ALPHA_FIXED_NONZERO), 0, 0x204080},         /* */
    {0x08ff8000, MODE(PLANE_ALPHA_FIXED_OVER_7), 127, 0x906040},        /* fixed where the pixel's is above 7 */
    {0x07ff8000, MODE(PLANE_ALPHA_FIXED_OVER_7), 127, 0x204080},        /* */
};

static void alpha(void **state)
{
    struct display_bench *b = *state;
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_FILL | 0x204080);
    for (unsigned n = 0; n < sizeof alpha_cases / sizeof *alpha_cases; n++) {
        put32(b, FB, alpha_cases[n].source);
        struct test_plane plane = whole_screen(FB);
        plane.width = plane.height = 1;
        plane.alpha_bits = alpha_cases[n].alpha_bits;
        plane.transparency = alpha_cases[n].transparency;
        show_plane(b, &plane);
        for (unsigned shift = 0; shift < 24; shift += 8)
            if (abs((int)(shown[0] >> shift & 0xff) - (int)(alpha_cases[n].expected >> shift & 0xff)) > 1)
                fail_msg("case %u: 0x%06x, expected 0x%06x", n, shown[0], alpha_cases[n].expected);
    }
}

static void cursor(void **state)
{
    struct display_bench *b = *state;
    draw_pattern(b, FB, WIDTH, HEIGHT);
    for (uint32_t i = 0; i < 16 * 16; i++)
        put32(b, FB_2 + i * 4, i % 16 + i / 16 < 16 ? 0xffffffff : 0); /* an arrow, nearly */
    const struct test_plane screen = whole_screen(FB);
    const struct test_plane arrow = {
        .format = PLANE_RGBA8888,
        .order = 3,
        .x = 30,
        .y = 40,
        .width = 16,
        .height = 8, /* as the driver cuts it at the lower edge */
        .alpha_bits = PLANE_ALPHA_PREMULT,
        .addr = {FB_2},
        .pitch = {64},
    };
    bench_plane(b, &screen);
    show_plane(b, &arrow);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool is_arrow = x >= 30 && x < 46 && y >= 40 && x - 30 + y - 40 < 16;
            check_pixel(x, y, is_arrow ? 0xffffff : pattern(x, y) & 0xffffff);
        }
    /* A driver moves it by writing words into the list that is being shown. */
    bench_plane(b, &screen);
    const uint32_t position = HVS_LIST + 4 * (b->end + 1);
    bench_plane(b, &arrow);
    bench_end_list(b);
    bench_show(b, 0, WIDTH, HEIGHT);
    wr(b, HVS, position, 0xffu << 24 | 20 << PLANE_Y_SHIFT | 3);
    bench_compose(b, 0, shown, WIDTH, HEIGHT);
    check_pixel(3, 20, 0xffffff);
    check_pixel(30, 40, pattern(30, 40) & 0xffffff);
}

/* -- scaling ------------------------------------------------------------------------------------------------------- */

static void scaled(struct display_bench *b, uint32_t source_w, uint32_t source_h, uint32_t width, uint32_t height)
{
    struct test_plane plane = whole_screen(FB);
    plane.source_width = source_w;
    plane.source_height = source_h;
    plane.width = width;
    plane.height = height;
    plane.pitch[0] = source_w * 4;
    show_plane(b, &plane);
}

/* One colour stays that colour, whatever the sizes. */
static void scaling_keeps_a_colour(void **state)
{
    struct display_bench *b = *state;
    static const uint32_t sizes[] = {1, 2, 3, 31, 47, 48, 64, 100, 500, 4095};
    for (uint32_t i = 0; i < MEMORY_SIZE_B; i += 4)
        put32(b, FB + i, 0x00c08041);
    for (unsigned w = 0; w < 10; w++)
        for (unsigned h = 0; h < 10; h++)
            for (unsigned n = 0; n < 2; n++) {
                if (sizes[w] * sizes[h] > MEMORY_SIZE_B / 4)
                    continue;
                const uint32_t width = n ? 1 : WIDTH, height = n ? 2 : HEIGHT;
                scaled(b, sizes[w], sizes[h], width, height);
                for (uint32_t y = 0; y < HEIGHT; y++)
                    for (uint32_t x = 0; x < WIDTH; x++)
                        check_pixel(x, y, x < width && y < height ? 0xc08041 : 0);
            }
}

static void shrinking_averages(void **state)
{
    struct display_bench *b = *state;
    for (uint32_t y = 0; y < 2 * HEIGHT; y++) /* columns of black and white, brighter below */
        for (uint32_t x = 0; x < 2 * WIDTH; x++)
            put32(b, FB + (y * 2 * WIDTH + x) * 4, x % 2 ? y * 0x010101 : 0xff00ff);
    scaled(b, 2 * WIDTH, 2 * HEIGHT, WIDTH, HEIGHT);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const uint32_t grey = (4 * y + 1 + 1) / 4, mixed = (2 * 255 + 4 * y + 1 + 2) / 4;
            check_pixel(x, y, mixed << 16 | grey << 8 | mixed);
        }
    scaled(b, 2 * WIDTH, HEIGHT, WIDTH, HEIGHT); /* along one axis only */
    check_pixel(5, 7, (255 + 7 + 1) / 2 << 16 | (7 + 1) / 2 << 8 | (255 + 7 + 1) / 2);
}

static void growing_interpolates(void **state)
{
    struct display_bench *b = *state;
    for (uint32_t y = 0; y < 12; y++)
        for (uint32_t x = 0; x < 16; x++)
            put32(b, FB + (y * 16 + x) * 4, x * 16 << 16 | y * 20 << 8);
    scaled(b, 16, 12, WIDTH, HEIGHT);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const double sx = fmin(fmax((x + 0.5) / 4 - 0.5, 0), 15), sy = fmin(fmax((y + 0.5) / 4 - 0.5, 0), 11);
            check_near("growing", x, y, to_8(sx * 16) << 16 | to_8(sy * 20) << 8);
        }
}

static void scaling_of_yuv(void **state)
{
    struct display_bench *b = *state;
    memset(at(b, FB), 100, 32 * 24);
    memset(at(b, FB_2), 90, 16 * 12);
    memset(at(b, FB_3), 180, 16 * 12);
    struct test_plane plane = whole_screen(FB);
    plane.format = PLANE_YUV420_3PLANE;
    plane.order = 0;
    plane.source_width = 32;
    plane.source_height = 24;
    memcpy(plane.addr, (uint32_t[]){FB, FB_2, FB_3}, sizeof plane.addr);
    memcpy(plane.pitch, (uint32_t[]){32, 16, 16}, sizeof plane.pitch);
    memcpy(plane.csc, csc[3].words, sizeof plane.csc);
    show_plane(b, &plane);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            check_near("YUV420", x, y, yuv_to_rgb(3, 100, 90, 180));
}

/* -- colours of the whole screen ----------------------------------------------------------------------------------- */

static void gamma_and_matrix(void **state)
{
    struct display_bench *b = *state;
    put32(b, FB, 0x00102030);
    struct test_plane plane = whole_screen(FB);
    plane.width = plane.height = 1;
    wr(b, HVS, HVS_GAMADDR, HVS_GAMMA_AUTOINC);
    for (uint32_t i = 0; i < 768; i++)
        wr(b, HVS, HVS_GAMDATA, 255 - i % 256 + i / 256); /* negative, and each component another one */
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_GAMMA);
    show_plane(b, &plane);
    check_pixel(0, 0, 0xefe0d1);
    wr(b, HVS, HVS_DISPBKGND0, 0);
    show_plane(b, &plane);
    check_pixel(0, 0, 0x102030);

    /* Red becomes blue, blue half of it in green, green nothing, blue is subtracted from red and cannot be. */
    wr(b, HVS, HVS_OLEDCOEF2, 0x1ff);
    wr(b, HVS, HVS_OLEDCOEF1, 0);
    wr(b, HVS, HVS_OLEDCOEF0, 0x100 << 10 | 0x3ff << 20);
    wr(b, HVS, HVS_OLEDOFFS, 1 << HVS_OLED_CHANNEL_SHIFT);
    show_plane(b, &plane);
    check_pixel(0, 0, 0x001810);
    wr(b, HVS, HVS_OLEDOFFS, 1 << HVS_OLED_CHANNEL_SHIFT | 0x05fe01);
    show_plane(b, &plane);
    check_pixel(0, 0, 0x001611);
    wr(b, HVS, HVS_OLEDOFFS, 2 << HVS_OLED_CHANNEL_SHIFT); /* another channel's */
    show_plane(b, &plane);
    check_pixel(0, 0, 0x102030);
}

/* -- broken lists -------------------------------------------------------------------------------------------------- */

/* A good plane before and behind an entry that makes no sense. */
static void entries_that_make_no_sense(void **state)
{
    struct display_bench *b = *state;
    static const struct {
        uint32_t clear, set;
        bool ends; /* the list; else only the entry is left out */
    } cases[] = {
        {PLANE_VALID, 0, false},
        {PLANE_FORMAT_MASK, PLANE_RGBA6666, false},
        {PLANE_FORMAT_MASK, 13, false},
        {PLANE_FORMAT_MASK, 15, false},
        {PLANE_FORMAT_MASK, PLANE_H264, false},              /* too few words, and not in columns */
        {PLANE_FORMAT_MASK, PLANE_YUV420_3PLANE, false},     /* too few words */
        {0, PLANE_COLUMNS_64B << PLANE_TILING_SHIFT, false}, /* only for H264 */
        {PLANE_FORMAT_MASK, PLANE_RGB888 | PLANE_COLUMNS_256B_OR_T << PLANE_TILING_SHIFT, false},
        {PLANE_SIZE_MASK << PLANE_SIZE_SHIFT, 0, true},
        {0, PLANE_END, true},
    };
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        put32(b, FB + i * 4, 0x111111);
        put32(b, FB_2 + i * 4, 0x222222);
        put32(b, FB_3 + i * 4, 0x333333);
    }
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct test_plane first = whole_screen(FB), broken = whole_screen(FB_2), last = whole_screen(FB_3);
        last.width = 10;
        bench_plane(b, &first);
        const uint32_t control = HVS_LIST + 4 * b->end;
        bench_plane(b, &broken);
        wr(b, HVS, control, (rd(b, HVS, control) & ~cases[n].clear) | cases[n].set);
        show_plane(b, &last);
        if (shown[0] != (cases[n].ends ? 0x111111 : 0x333333) || shown[10] != 0x111111)
            fail_msg("case %u: 0x%06x and 0x%06x", n, shown[0], shown[10]);
    }
    struct test_plane empty = whole_screen(FB); /* sizes of 0 */
    empty.width = 0;
    bench_plane(b, &empty);
    empty = whole_screen(FB);
    empty.source_width = WIDTH;
    show_plane(b, &empty);
    check_pixel(0, 0, 0);
}

/* Without an end the list ends with the memory. */
static void lists_without_an_end(void **state)
{
    struct display_bench *b = *state;
    put32(b, FB, 0x123456);
    struct test_plane plane = whole_screen(FB);
    plane.width = plane.height = 1;
    while (b->end + 7 <= HVS_LIST_WORDS)
        bench_plane(b, &plane);
    while (b->end < HVS_LIST_WORDS)
        bench_word(b, PLANE_VALID | 9 << PLANE_SIZE_SHIFT); /* its words would be beyond */
    bench_show(b, 0, WIDTH, HEIGHT);
    bench_compose(b, 0, shown, WIDTH, HEIGHT);
    check_pixel(0, 0, 0x123456);
    wr(b, HVS, HVS_DISPLIST0, HVS_LIST_WORDS - 1);
    bench_wait_frames(b, 0, 2);
    bench_compose(b, 0, shown, WIDTH, HEIGHT);
    check_pixel(0, 0, 0);
}

static void pointers_to_nowhere(void **state)
{
    struct display_bench *b = *state;
    static const uint32_t addrs[] = {0, 0xfffffff0, MEMORY_ADDR - WIDTH * 4, MEMORY_ADDR + MEMORY_SIZE_B, 0x80000001};
    wr(b, HVS, HVS_DISPBKGND0, HVS_BKGND_FILL | 0x102030);
    memset(b->memory, 0xff, MEMORY_SIZE_B);
    for (unsigned n = 0; n < sizeof addrs / sizeof *addrs; n++)
        for (enum plane_format format = 0; format <= PLANE_H264; format++)
            for (enum plane_tiling tiling = PLANE_LINEAR; tiling <= PLANE_COLUMNS_256B_OR_T; tiling++)
                for (uint32_t flip = 0; flip <= PLANE_VFLIP; flip += PLANE_VFLIP) {
                    struct test_plane plane = whole_screen(addrs[n]);
                    plane.format = format;
                    plane.tiling = tiling;
                    plane.flips = flip;
                    plane.addr[1] = plane.addr[2] = addrs[n];
                    plane.pitch[0] = plane.pitch[1] = plane.pitch[2] = 0xffffffff;
                    bench_plane(b, &plane);
                    plane.pitch[0] = plane.pitch[1] = plane.pitch[2] = 0;
                    show_plane(b, &plane);
                }
    /* What begins before memory and ends in it is black before. */
    struct test_plane plane = whole_screen(MEMORY_ADDR - 8);
    plane.height = 1;
    show_plane(b, &plane);
    check_pixel(1, 0, 0);
    check_pixel(2, 0, 0xffffff);
    plane.addr[0] = MEMORY_ADDR + MEMORY_SIZE_B - 8;
    show_plane(b, &plane);
    check_pixel(1, 0, 0xffffff);
    check_pixel(2, 0, 0);
}

/* A list that no chip could compose in time ends early. */
static void work_is_bounded(void **state)
{
    struct display_bench *b = *state;
    struct test_plane plane = whole_screen(FB);
    plane.source_width = plane.source_height = 4095;
    while (b->end + 20 <= HVS_LIST_WORDS)
        bench_plane(b, &plane);
    show(b);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, display_bench_setup, display_bench_teardown)
    const struct CMUnitTest tests[] = {
        TEST(rgb_formats),
        TEST(yuv_formats_and_spaces),
        TEST(columns),
        TEST(t_tiles),
        TEST(flips),
        TEST(positions_and_crops),
        TEST(sizes_that_differ),
        TEST(screens_that_are_off),
        TEST(alpha),
        TEST(cursor),
        TEST(scaling_keeps_a_colour),
        TEST(shrinking_averages),
        TEST(growing_interpolates),
        TEST(scaling_of_yuv),
        TEST(gamma_and_matrix),
        TEST(entries_that_make_no_sense),
        TEST(lists_without_an_end),
        TEST(pointers_to_nowhere),
        TEST(work_is_bounded),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
