/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include "display_bench.h"
#include "util/thread.h"

#define PATIENCE_NS UINT64_C(60000000000)

static void interrupt_changed(void *data, enum board_display_block block)
{
    struct display_bench *b = data;
    pthread_mutex_lock(&b->mutex);
    b->interrupts[block]++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
}

static void frame_shown(void *data, unsigned screen)
{
    struct display_bench *b = data;
    pthread_mutex_lock(&b->mutex);
    b->frames[screen]++;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->mutex);
}

struct display_bench *display_bench_create(uint32_t pixel_clock_hz)
{
    struct display_bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->memory = calloc(1, MEMORY_SIZE_B);
    assert_non_null(b->memory);
    pthread_mutex_init(&b->mutex, NULL);
    assert_int_equal(util_cond_init(&b->changed), 0);
    const struct board_display_machine machine = {
        .memory = b->memory,
        .memory_addr = MEMORY_ADDR,
        .memory_size_B = MEMORY_SIZE_B,
        .interrupt_changed = interrupt_changed,
        .frame_shown = frame_shown,
        .data = b,
        .pixel_clock_hz = {pixel_clock_hz, pixel_clock_hz, pixel_clock_hz},
    };
    assert_int_equal(board_display_create(&machine, &b->display), 0);
    bench_begin_list(b);
    return b;
}

void display_bench_destroy(struct display_bench *b)
{
    board_display_destroy(b->display);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
    free(b->memory);
    free(b);
}

int display_bench_setup(void **state)
{
    *state = display_bench_create(0);
    return 0;
}

int display_bench_teardown(void **state)
{
    display_bench_destroy(*state);
    return 0;
}

/* -- screens ------------------------------------------------------------------------------------------------------- */

unsigned bench_channel(unsigned screen)
{
    static const unsigned channels[] = {0, 2, 1};
    return channels[screen];
}

void bench_write_mode(struct display_bench *b, unsigned screen, uint32_t width_px, uint32_t height_px)
{
    const enum board_display_block valve = BOARD_DISPLAY_PV0 + screen;
    wr(b, valve, PV_HORZA, 4 << 16 | 3);
    wr(b, valve, PV_HORZB, 3 << 16 | width_px);
    wr(b, valve, PV_VERTA, 4 << 16 | 3);
    wr(b, valve, PV_VERTB, 3 << 16 | height_px);
}

void bench_show(struct display_bench *b, unsigned screen, uint32_t width_px, uint32_t height_px)
{
    const enum board_display_block valve = BOARD_DISPLAY_PV0 + screen;
    const uint32_t channel = bench_channel(screen), control = HVS_DISPCTRL0 + HVS_CHANNEL_STRIDE * channel;
    uint32_t width_out, height_out;
    wr(b, BOARD_DISPLAY_HVS, HVS_DISPCTRL, HVS_CTRL_ENABLE | 2u << HVS_CTRL_DSP3_SHIFT);
    wr(b, BOARD_DISPLAY_HVS, HVS_DISPLIST0 + 4 * channel, FIRST_WORD);
    wr(b, BOARD_DISPLAY_HVS, control, 0);
    wr(b, BOARD_DISPLAY_HVS, control, HVS_CHANNEL_RESET);
    wr(b, BOARD_DISPLAY_HVS, control, 0);
    wr(b, BOARD_DISPLAY_HVS, control, HVS_CHANNEL_ENABLE | width_px << HVS_CHANNEL_WIDTH_SHIFT | height_px);
    wr(b, valve, PV_CONTROL, rd(b, valve, PV_CONTROL) & ~PV_CONTROL_EN);
    bench_write_mode(b, screen, width_px, height_px);
    wr(b, valve, PV_V_CONTROL, 2); /* continuous */
    wr(b, valve, PV_CONTROL, 1 << 2 | PV_CONTROL_EN);
    assert_false(board_display_mode(b->display, screen, &width_out, &height_out));
    wr(b, valve, PV_V_CONTROL, 2 | PV_VIDEN);
    assert_true(board_display_mode(b->display, screen, &width_out, &height_out));
    assert_int_equal(width_out, width_px);
    assert_int_equal(height_out, height_px);
}

void bench_hide(struct display_bench *b, unsigned screen)
{
    const enum board_display_block valve = BOARD_DISPLAY_PV0 + screen;
    const uint32_t control = HVS_DISPCTRL0 + HVS_CHANNEL_STRIDE * bench_channel(screen);
    wr(b, valve, PV_V_CONTROL, 2);
    wr(b, valve, PV_CONTROL, 0);
    wr(b, BOARD_DISPLAY_HVS, control, HVS_CHANNEL_RESET);
    wr(b, BOARD_DISPLAY_HVS, control, 0);
}

void bench_wait_frames(struct display_bench *b, unsigned screen, unsigned count)
{
    const uint64_t end_ns = util_deadline_ns(PATIENCE_NS);
    pthread_mutex_lock(&b->mutex);
    const unsigned until = b->frames[screen] + count;
    while (b->frames[screen] < until)
        if (!util_cond_wait_until(&b->changed, &b->mutex, end_ns))
            fail_msg("screen %u shows no frame", screen);
    pthread_mutex_unlock(&b->mutex);
}

void bench_compose(struct display_bench *b, unsigned screen, uint32_t *pixels, uint32_t width_px, uint32_t height_px)
{
    const uint32_t stride_px = width_px + 3;
    uint32_t *wide = malloc((size_t)stride_px * height_px * 4);
    assert_non_null(wide);
    memset(wide, 0xa5, (size_t)stride_px * height_px * 4);
    assert_true(board_display_compose(b->display, screen, wide, width_px, height_px, stride_px));
    for (uint32_t y = 0; y < height_px; y++) {
        memcpy(pixels + (size_t)y * width_px, wide + (size_t)y * stride_px, width_px * 4);
        for (uint32_t x = width_px; x < stride_px; x++)
            assert_int_equal(wide[(size_t)y * stride_px + x], 0xa5a5a5a5);
    }
    free(wide);
}

/* -- lists --------------------------------------------------------------------------------------------------------- */

void bench_begin_list(struct display_bench *b)
{
    b->end = FIRST_WORD;
}

void bench_word(struct display_bench *b, uint32_t value)
{
    assert_true(b->end < HVS_LIST_WORDS);
    wr(b, BOARD_DISPLAY_HVS, HVS_LIST + 4 * b->end++, value);
}

static unsigned planes_of(enum plane_format format)
{
    if (format < PLANE_YUV420_3PLANE)
        return 1;
    return format == PLANE_YUV420_3PLANE || format == PLANE_YUV422_3PLANE ? 3 : 2;
}

void bench_plane(struct display_bench *b, const struct test_plane *p)
{
    const uint32_t context = 0xc0c0c0c0;
    const bool is_scaled = p->source_width || p->source_height;
    const unsigned planes = planes_of(p->format), begin = b->end;
    const uint32_t source =
        (is_scaled ? p->source_height : p->height) << PLANE_HEIGHT_SHIFT | (is_scaled ? p->source_width : p->width);
    bench_word(b, 0); /* the control word, when the size is known */
    bench_word(b, (255 - p->transparency) << PLANE_FIXED_ALPHA_SHIFT | p->y << PLANE_Y_SHIFT | p->x);
    if (is_scaled)
        bench_word(b, p->height << PLANE_HEIGHT_SHIFT | p->width);
    bench_word(b, source | (p->alpha_bits ? p->alpha_bits & ~7u : (uint32_t)PLANE_ALPHA_FIXED << PLANE_ALPHA_SHIFT));
    bench_word(b, context);
    for (unsigned i = 0; i < planes; i++)
        bench_word(b, p->addr[i]);
    for (unsigned i = 0; i < planes; i++)
        bench_word(b, context);
    for (unsigned i = 0; i < planes; i++)
        bench_word(b, p->pitch[i]);
    for (unsigned i = 0; planes > 1 && i < 3; i++)
        bench_word(b, p->csc[i]);
    if (is_scaled || planes > 1) { /* buffer, scale factors, filters: whatever it is */
        for (unsigned i = 0; i < 5; i++)
            bench_word(b, 0x40000000 + i);
    }
    const uint32_t control = PLANE_VALID | (b->end - begin) << PLANE_SIZE_SHIFT | p->tiling << PLANE_TILING_SHIFT |
                             p->flips | p->order << PLANE_ORDER_SHIFT | PLANE_EXPAND_ROUND << PLANE_EXPAND_SHIFT |
                             (is_scaled ? 0 : PLANE_UNITY) | p->format;
    wr(b, BOARD_DISPLAY_HVS, HVS_LIST + 4 * begin, control);
}

void bench_end_list(struct display_bench *b)
{
    bench_word(b, PLANE_END);
}
