/* SPDX-License-Identifier: MIT
 *
 * Registers of the display blocks: values after a reset, which bits can be written, modes, frames, interrupts, and when
 * a display list is taken. What planes look like is in display_planes.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "display_bench.h"
#include "util/thread.h"

#define HVS BOARD_DISPLAY_HVS
#define PV0 BOARD_DISPLAY_PV0
#define DPI BOARD_DISPLAY_DPI
#define ALL 0xffffffffu

/* -- registers ----------------------------------------------------------------------------------------------------- */

static const struct {
    enum board_display_block block;
    uint32_t offset, reset, writable;
} storage[] = {
    {HVS, HVS_DISPCTRL, 0, ALL},
    {HVS, HVS_DISPSTAT, 0, 0},
    {HVS, HVS_DISPID, 0x64647276, 0},
    {HVS, HVS_DISPECTRL, 0, ALL},
    {HVS, HVS_DISPPROF, 0, ALL},
    {HVS, HVS_DISPDITHER, 0, ALL},
    {HVS, HVS_DISPEOLN, 0, ALL},
    {HVS, 0x01c, 0, 0},
    {HVS, HVS_DISPLIST0, 0, 0xfff},
    {HVS, HVS_DISPLIST1, 0, 0xfff},
    {HVS, HVS_DISPLIST2, 0, 0xfff},
    {HVS, 0x02c, 0, 0},
    {HVS, HVS_DISPLACT0, 0, 0},
    {HVS, HVS_DISPLACT1, 0, 0},
    {HVS, HVS_DISPLACT2, 0, 0},
    {HVS, HVS_DISPBKGND0, 0, ALL},
    {HVS, HVS_DISPBKGND0 + 0x10, 0, ALL},
    {HVS, HVS_DISPBKGND0 + 0x20, 0, ALL},
    {HVS, HVS_DISPSTAT0, 0x10000000, 0},
    {HVS, HVS_DISPSTAT1, 0x10000000, 0},
    {HVS, HVS_DISPSTAT2, 0x10000000, 0},
    {HVS, HVS_DISPBASE0, 0x50ff3000, ALL},
    {HVS, HVS_DISPBASE0 + 0x10, 0x2fff1800, ALL},
    {HVS, HVS_DISPBASE0 + 0x20, 0x17ff0000, ALL},
    {HVS, HVS_DISPALPHA2, 0, ALL},
    {HVS, HVS_GAMADDR, 0, 0xc0000fff},
    {HVS, HVS_OLEDOFFS, 0, ALL},
    {HVS, HVS_OLEDCOEF0, 0, 0x3fffffff},
    {HVS, HVS_OLEDCOEF1, 0, 0x3fffffff},
    {HVS, HVS_OLEDCOEF2, 0, 0x3fffffff},
    {HVS, 0x0c0, 0, 0},
    {HVS, 0x100, 0, 0},
    {HVS, 0x1ffc, 0, 0},
    {HVS, HVS_LIST, 0, ALL},
    {HVS, HVS_LIST + 0x1234, 0, ALL},
    {HVS, HVS_LIST_END - 4, 0, ALL},
    {HVS, HVS_LIST_END, 0, 0},
    {PV0, PV_CONTROL, 0, 0xffffff},
    {PV0, PV_V_CONTROL, 0, 0x7fffff},
    {PV0, PV_VSYNCD_EVEN, 0, 0x1ffff},
    {PV0, PV_VERTA_EVEN, 0, ALL},
    {PV0, PV_VERTB_EVEN, 0, ALL},
    {PV0, PV_INTEN, 0, 0x3ff},
    {PV0, PV_INTSTAT, 0, 0},
    {PV0, PV_STAT, 0, 0},
    {PV0, PV_HACT_ACT, 0, 0x1ffff},
    {PV0, 0x34, 0, 0},
    {PV0, 0xfc, 0, 0},
    {PV0, 0x100, 0, 0},
    {PV0 + 1, PV_HORZA, 0, ALL},
    {PV0 + 1, PV_HORZB, 0, ALL},
    {PV0 + 2, PV_VERTA, 0, ALL},
    {PV0 + 2, PV_VERTB, 0, ALL},
    {DPI, DPI_C, 0, 0x1ffff},
    {DPI, 4, DPI_ID_VALUE, 0},
    {DPI, 8, DPI_ID_VALUE, 0},
    {DPI, 0xfc, DPI_ID_VALUE, 0},
    {DPI, 0x100, 0, 0},
    {BOARD_DISPLAY_BLOCKS, 0, 0, 0},
};

static void check_reset_values(struct display_bench *b)
{
    for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++)
        if (rd(b, storage[i].block, storage[i].offset) != storage[i].reset)
            fail_msg("block %u, register 0x%04x: 0x%08x after a reset", storage[i].block, storage[i].offset,
                     rd(b, storage[i].block, storage[i].offset));
}

static void storage_keeps_its_bits(void **state)
{
    struct display_bench *b = *state;
    check_reset_values(b);
    for (unsigned pass = 0; pass < 2; pass++) {
        const uint32_t value = pass ? 0x5a5a5a5a : ALL;
        for (unsigned i = 0; i < sizeof storage / sizeof *storage; i++) {
            const uint32_t expected = (storage[i].reset & ~storage[i].writable) | (value & storage[i].writable);
            wr(b, storage[i].block, storage[i].offset, value);
            if (rd(b, storage[i].block, storage[i].offset) != expected)
                fail_msg("block %u, register 0x%04x: 0x%08x, expected 0x%08x", storage[i].block, storage[i].offset,
                         rd(b, storage[i].block, storage[i].offset), expected);
        }
    }
    board_display_reset(b->display);
    check_reset_values(b);
}

static void unaligned_accesses_do_nothing(void **state)
{
    struct display_bench *b = *state;
    for (uint32_t offset = 1; offset < 4; offset++) {
        wr(b, HVS, HVS_DISPECTRL + offset, ALL);
        assert_int_equal(rd(b, HVS, HVS_DISPID + offset), 0);
        assert_int_equal(rd(b, DPI, 4 + offset), 0);
    }
    check_reset_values(b);
}

static void blocks_have_sizes(void **state)
{
    assert_int_equal(board_display_version(), BOARD_DISPLAY_VERSION);
    assert_int_equal(board_display_size_B(BOARD_DISPLAY_HVS), 0x6000);
    assert_int_equal(board_display_size_B(BOARD_DISPLAY_PV0), 0x100);
    assert_int_equal(board_display_size_B(BOARD_DISPLAY_PV2), 0x100);
    assert_int_equal(board_display_size_B(BOARD_DISPLAY_DPI), 0x100);
    assert_int_equal(board_display_size_B(BOARD_DISPLAY_BLOCKS), 0);
}

static void gamma_table(void **state)
{
    struct display_bench *b = *state;
    wr(b, HVS, HVS_GAMADDR, HVS_GAMMA_AUTOINC | 768);
    for (uint32_t i = 0; i < 768; i++)
        wr(b, HVS, HVS_GAMDATA, i * 7);
    assert_int_equal(rd(b, HVS, HVS_GAMADDR), HVS_GAMMA_AUTOINC | 1536);
    wr(b, HVS, HVS_GAMADDR, HVS_GAMMA_AUTOINC | 768);
    for (uint32_t i = 0; i < 768; i++)
        assert_int_equal(rd(b, HVS, HVS_GAMDATA), i * 7 & 0xff);
    wr(b, HVS, HVS_GAMADDR, 770);
    assert_int_equal(rd(b, HVS, HVS_GAMDATA), 14);
    assert_int_equal(rd(b, HVS, HVS_GAMDATA), 14); /* it does not move on */
    wr(b, HVS, HVS_GAMADDR, HVS_GAMMA_ADDR_MASK);  /* no entry */
    wr(b, HVS, HVS_GAMDATA, 99);
    assert_int_equal(rd(b, HVS, HVS_GAMDATA), 0);
}

static void impossible_machines(void **state)
{
    uint8_t memory[16];
    struct board_display *display = NULL;
    struct board_display_machine machine = {.memory = memory, .memory_addr = 0x1000, .memory_size_B = 16};
    assert_int_equal(board_display_create(&machine, &display), 0);
    board_display_destroy(display); /* and no function to call */
    board_display_destroy(NULL);
    machine.memory_addr = 0x1001;
    assert_int_equal(board_display_create(&machine, &display), -EINVAL);
    machine.memory_addr = 0xfffff000;
    machine.memory_size_B = 0x2000;
    assert_int_equal(board_display_create(&machine, &display), -EINVAL);
    machine.memory_size_B = 0;
    assert_int_equal(board_display_create(&machine, &display), -EINVAL);
    machine = (struct board_display_machine){.memory_size_B = 16};
    assert_int_equal(board_display_create(&machine, &display), -EINVAL);
}

/* -- modes --------------------------------------------------------------------------------------------------------- */

static void check_mode(struct display_bench *b, unsigned screen, uint32_t width_px, uint32_t height_px)
{
    uint32_t width, height;
    assert_int_equal(board_display_mode(b->display, screen, &width, &height), width_px && height_px);
    assert_int_equal(width, width_px);
    assert_int_equal(height, height_px);
}

static void modes(void **state)
{
    struct display_bench *b = *state;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        check_mode(b, screen, 0, 0);
        bench_show(b, screen, 800 + screen, 480);
    }
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        check_mode(b, screen, 800 + screen, 480);
        bench_hide(b, screen);
        check_mode(b, screen, 0, 0);
    }
    check_mode(b, BOARD_DISPLAY_SCREENS, 0, 0);

    bench_show(b, 0, 720, 240);
    wr(b, PV0, PV_V_CONTROL, 2 | PV_VIDEN | PV_INTERLACE); /* two fields */
    check_mode(b, 0, 720, 480);
    wr(b, PV0, PV_CONTROL, 1 << PV_CONTROL_REP_SHIFT | PV_CONTROL_EN); /* each pixel twice */
    check_mode(b, 0, 360, 480);
    wr(b, PV0, PV_HORZB, 0xffff);
    wr(b, PV0, PV_VERTB, 0xffff);
    check_mode(b, 0, BOARD_DISPLAY_MAX_PX, BOARD_DISPLAY_MAX_PX);
    wr(b, PV0, PV_HORZB, 1); /* half a pixel */
    check_mode(b, 0, 0, 0);
    wr(b, PV0, PV_HORZB, 2);
    check_mode(b, 0, 1, BOARD_DISPLAY_MAX_PX);
    board_display_reset(b->display);
    check_mode(b, 0, 0, 0);
}

/* -- frames -------------------------------------------------------------------------------------------------------- */

static uint32_t channel_mode(struct display_bench *b, unsigned channel)
{
    return rd(b, HVS, HVS_DISPSTAT0 + HVS_CHANNEL_STRIDE * channel) >> HVS_CHANSTAT_MODE_SHIFT;
}

static void channel_modes(void **state)
{
    struct display_bench *b = *state;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        const unsigned channel = bench_channel(screen);
        const uint32_t control = HVS_DISPCTRL0 + HVS_CHANNEL_STRIDE * channel;
        wr(b, HVS, control, HVS_CHANNEL_ENABLE);
        assert_int_equal(channel_mode(b, channel), HVS_MODE_INIT);
        bench_show(b, screen, 80, 48);
        assert_int_equal(channel_mode(b, channel), HVS_MODE_RUN);
        assert_false(rd(b, HVS, HVS_DISPSTAT0 + HVS_CHANNEL_STRIDE * channel) & HVS_CHANSTAT_EMPTY);
        wr(b, HVS, control, HVS_CHANNEL_ENABLE | HVS_CHANNEL_RESET);
        assert_int_equal(rd(b, HVS, control), HVS_CHANNEL_RESET);
        wr(b, HVS, control, 0);
        assert_int_equal(rd(b, HVS, control), 0);
        assert_int_equal(channel_mode(b, channel), HVS_MODE_DISABLED);
        assert_true(rd(b, HVS, HVS_DISPSTAT0 + HVS_CHANNEL_STRIDE * channel) & HVS_CHANSTAT_EMPTY);
        bench_hide(b, screen);
    }
}

/* A list is taken when a frame begins, not when it is written: page flips wait for that. */
static void lists_are_taken_with_the_frame(void **state)
{
    struct display_bench *b = *state;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        const uint32_t channel = bench_channel(screen);
        bench_show(b, screen, 80, 48);
        assert_int_equal(rd(b, HVS, HVS_DISPLACT0 + 4 * channel), FIRST_WORD);
        for (uint32_t n = 1; n < 4; n++) {
            wr(b, HVS, HVS_DISPLIST0 + 4 * channel, 100 * n);
            bench_wait_frames(b, screen, 2);
            assert_int_equal(rd(b, HVS, HVS_DISPLACT0 + 4 * channel), 100 * n);
        }
        bench_hide(b, screen);
        wr(b, HVS, HVS_DISPLIST0 + 4 * channel, 7);
        assert_int_equal(rd(b, HVS, HVS_DISPLACT0 + 4 * channel), 300);
    }
}

static uint32_t frame_count(struct display_bench *b, unsigned channel)
{
    const uint32_t word = rd(b, HVS, channel == 2 ? HVS_DISPSTAT2 : HVS_DISPSTAT1);
    return (channel ? word >> 12 : word >> 18) & HVS_FRAME_COUNT_MASK;
}

static void frames_are_counted(void **state)
{
    struct display_bench *b = display_bench_create(0);
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        const unsigned channel = bench_channel(screen);
        assert_int_equal(frame_count(b, channel), 0);
        bench_show(b, screen, 80, 48);
        const uint32_t before = frame_count(b, channel);
        assert_true(before >= 1);
        bench_wait_frames(b, screen, 3);
        assert_true((frame_count(b, channel) - before) % 64 >= 2);
        bench_hide(b, screen);
    }
    display_bench_destroy(b);
}

static void screen_1_selects_its_channel(void **state)
{
    struct display_bench *b = *state;
    uint32_t pixel;
    bench_end_list(b);
    bench_show(b, 1, 80, 48);
    assert_true(board_display_compose(b->display, 1, &pixel, 1, 1, 1));
    for (unsigned channel = 0; channel < 4; channel++) {
        const uint32_t registers = HVS_CHANNEL_STRIDE * channel;
        board_display_reset(b->display);
        bench_end_list(b);
        bench_show(b, 1, 80, 48);
        wr(b, PV0 + 1, PV_V_CONTROL, 0);
        wr(b, HVS, HVS_DISPCTRL, HVS_CTRL_ENABLE | channel << HVS_CTRL_DSP3_SHIFT);
        if (channel < HVS_CHANNELS) {
            wr(b, HVS, HVS_DISPBKGND0 + registers, HVS_BKGND_FILL | 0x112233);
            wr(b, HVS, HVS_DISPCTRL0 + registers, HVS_CHANNEL_ENABLE | 80 << HVS_CHANNEL_WIDTH_SHIFT | 48);
        }
        wr(b, PV0 + 1, PV_V_CONTROL, PV_VIDEN);
        assert_true(board_display_compose(b->display, 1, &pixel, 1, 1, 1));
        assert_int_equal(pixel, channel < HVS_CHANNELS ? 0x112233 : 0);
    }
}

/* -- interrupts ---------------------------------------------------------------------------------------------------- */

static void await_level(struct display_bench *b, enum board_display_block block, bool level)
{
    const uint64_t end_ns = util_deadline_ns(UINT64_C(60000000000));
    pthread_mutex_lock(&b->mutex);
    while (board_display_interrupt(b->display, block) != level)
        if (!util_cond_wait_until(&b->changed, &b->mutex, end_ns))
            fail_msg("the interrupt of block %u does not become %d", block, level);
    pthread_mutex_unlock(&b->mutex);
}

static void vertical_blanks(void **state)
{
    struct display_bench *b = *state;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        const enum board_display_block valve = BOARD_DISPLAY_PV0 + screen;
        bench_show(b, screen, 80, 48);
        wr(b, valve, PV_INTEN, PV_INT_VFP_START);
        for (unsigned n = 0; n < 3; n++) {
            await_level(b, valve, true);
            assert_true(rd(b, valve, PV_INTSTAT) & PV_INT_VFP_START);
            wr(b, valve, PV_INTSTAT, PV_INT_VFP_START);
        }
        wr(b, valve, PV_INTEN, 0);
        assert_false(board_display_interrupt(b->display, valve));
        bench_wait_frames(b, screen, 2);
        assert_false(board_display_interrupt(b->display, valve));
        assert_true(rd(b, valve, PV_INTSTAT) & PV_INT_VFP_START); /* latched all the same */
        bench_hide(b, screen);
        wr(b, valve, PV_INTSTAT, PV_INT_VFP_START);
        wr(b, valve, PV_INTEN, PV_INT_VFP_START);
        assert_false(board_display_interrupt(b->display, valve));
    }
    assert_false(board_display_interrupt(b->display, BOARD_DISPLAY_DPI));
    assert_false(board_display_interrupt(b->display, BOARD_DISPLAY_BLOCKS));
}

/* Frames never come early; that they come late is the machine's load. */
static void refresh_rate(void **state)
{
    static const uint32_t rates_hz[] = {50, 200};
    for (unsigned i = 0; i < 2; i++) {
        struct display_bench *b = display_bench_create(90 * 58 * rates_hz[i]);
        const unsigned frames = rates_hz[i] / 10;
        bench_show(b, 0, 80, 48);
        bench_wait_frames(b, 0, 1);
        const uint64_t begin_ns = util_now_ns();
        bench_wait_frames(b, 0, frames);
        const uint64_t passed_ns = util_now_ns() - begin_ns;
        assert_true(passed_ns > UINT64_C(50000000));
        display_bench_destroy(b);
    }
}

/* A mode that would have a million frames a second has a thousand; an endless one ends after a second. */
static void extreme_rates(void **state)
{
    struct display_bench *b = display_bench_create(4000000000u);
    bench_show(b, 0, 1, 1);
    const uint64_t begin_ns = util_now_ns();
    bench_wait_frames(b, 0, 1);
    bench_wait_frames(b, 0, 20);
    assert_true(util_now_ns() - begin_ns > UINT64_C(15000000));
    display_bench_destroy(b);

    b = display_bench_create(1);
    bench_write_mode(b, 0, 0xffff, 0xffff);
    wr(b, PV0, PV_V_CONTROL, PV_VIDEN);
    wr(b, PV0, PV_CONTROL, PV_CONTROL_EN);
    bench_wait_frames(b, 0, 1);
    display_bench_destroy(b);
}

static void end_of_frame_interrupts_of_the_hvs(void **state)
{
    struct display_bench *b = *state;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        const unsigned channel = bench_channel(screen);
        bench_show(b, screen, 80, 48);
        bench_wait_frames(b, screen, 2);
        assert_true(rd(b, HVS, HVS_DISPSTAT) & HVS_STAT_EOF(channel));
        assert_false(rd(b, HVS, HVS_DISPSTAT) & HVS_STAT_IRQ(channel));
        assert_false(board_display_interrupt(b->display, HVS));
        const uint32_t control = rd(b, HVS, HVS_DISPCTRL);
        wr(b, HVS, HVS_DISPCTRL, control | HVS_CTRL_EIEOF(channel));
        assert_true(rd(b, HVS, HVS_DISPSTAT) & HVS_STAT_IRQ(channel));
        assert_false(board_display_interrupt(b->display, HVS));
        wr(b, HVS, HVS_DISPCTRL, control | HVS_CTRL_EIEOF(channel) | HVS_CTRL_EIRQ(channel));
        assert_true(board_display_interrupt(b->display, HVS));
        bench_hide(b, screen);
        wr(b, HVS, HVS_DISPSTAT, screen ? HVS_STAT_EOF(channel) : HVS_STAT_CLEAR_ALL);
        assert_int_equal(rd(b, HVS, HVS_DISPSTAT), 0);
        assert_false(board_display_interrupt(b->display, HVS));
        wr(b, HVS, HVS_DISPCTRL, control);
    }
}

static void the_machine_is_told(void **state)
{
    struct display_bench *b = *state;
    bench_show(b, 0, 80, 48);
    bench_wait_frames(b, 0, 1);
    pthread_mutex_lock(&b->mutex);
    assert_true(b->frames[0] >= 2); /* switched on, and a frame */
    assert_int_equal(b->frames[1] + b->frames[2], 0);
    assert_int_equal(b->interrupts[PV0], 0);
    pthread_mutex_unlock(&b->mutex);
    wr(b, PV0, PV_INTEN, PV_INT_VFP_START);
    wr(b, PV0, PV_INTSTAT, PV_INT_VFP_START);
    pthread_mutex_lock(&b->mutex);
    assert_true(b->interrupts[PV0] >= 2); /* up, and down */
    pthread_mutex_unlock(&b->mutex);
}

/* -- the line that is composed ------------------------------------------------------------------------------------- */

/* The driver subtracts the lines that fit into the channel's buffer, and one more; the reset value of DISPBASE gives 84
 * lines of 100 pixels. */
static void composed_lines(void **state)
{
    struct display_bench *b = display_bench_create(110 * 1010 * 20); /* 50 ms, of which 0.5 are the blank */
    uint32_t last = 0, changes = 0;
    assert_int_equal(rd(b, HVS, HVS_DISPSTAT0) & HVS_CHANSTAT_LINE_MASK, 0);
    bench_show(b, 0, 100, 1000);
    const uint64_t end_ns = util_deadline_ns(UINT64_C(200000000));
    while (util_now_ns() < end_ns) {
        const uint32_t line = rd(b, HVS, HVS_DISPSTAT0) & HVS_CHANSTAT_LINE_MASK;
        assert_true(line == 0 || (line >= 85 && line <= 1000));
        changes += line != last;
        last = line;
    }
    assert_true(changes > 10);
    display_bench_destroy(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(storage_keeps_its_bits, display_bench_setup, display_bench_teardown),
        cmocka_unit_test_setup_teardown(unaligned_accesses_do_nothing, display_bench_setup, display_bench_teardown),
        cmocka_unit_test(blocks_have_sizes),
        cmocka_unit_test_setup_teardown(gamma_table, display_bench_setup, display_bench_teardown),
        cmocka_unit_test(impossible_machines),
        cmocka_unit_test_setup_teardown(modes, display_bench_setup, display_bench_teardown),
        cmocka_unit_test_setup_teardown(channel_modes, display_bench_setup, display_bench_teardown),
        cmocka_unit_test_setup_teardown(lists_are_taken_with_the_frame, display_bench_setup, display_bench_teardown),
        cmocka_unit_test(frames_are_counted),
        cmocka_unit_test_setup_teardown(screen_1_selects_its_channel, display_bench_setup, display_bench_teardown),
        cmocka_unit_test_setup_teardown(vertical_blanks, display_bench_setup, display_bench_teardown),
        cmocka_unit_test(refresh_rate),
        cmocka_unit_test(extreme_rates),
        cmocka_unit_test_setup_teardown(end_of_frame_interrupts_of_the_hvs, display_bench_setup,
                                        display_bench_teardown),
        cmocka_unit_test_setup_teardown(the_machine_is_told, display_bench_setup, display_bench_teardown),
        cmocka_unit_test(composed_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
