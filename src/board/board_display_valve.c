/* SPDX-License-Identifier: MIT
 *
 * The pixel valves: timing registers, vertical blanks, interrupts. A valve runs while both of its enable bits are set
 * and its mode is not empty. Its frame begins with the front porch, for there the HVS takes the next display list and
 * the driver expects its interrupt [kernel vc4_crtc.c]; sync, back porch and picture follow.
 *
 * Only the beginning of the front porch is an event here. The interrupts of the other vertical events are raised with
 * it, those of horizontal ones and of the idle valve never.
 */
#include <string.h>
#include "board/board_display_private.h"
#include "util/thread.h"

#define NS_PER_S      UINT64_C(1000000000)
#define DEFAULT_NS    (NS_PER_S / 60)
#define MIN_PERIOD_NS (NS_PER_S / 1000)
#define MAX_PERIOD_NS NS_PER_S

static uint32_t reg(const struct display_valve *valve, enum pv_register offset)
{
    return valve->reg[offset / 4];
}

static uint32_t low(uint32_t value)
{
    return value & 0xffff;
}

static uint32_t high(uint32_t value)
{
    return value >> 16;
}

/* -- the mode ------------------------------------------------------------------------------------------------------ */

static uint32_t picture_lines(const struct display_valve *valve)
{
    return low(reg(valve, PV_VERTB));
}

static uint32_t blank_lines(const struct display_valve *valve)
{
    return high(reg(valve, PV_VERTB)) + low(reg(valve, PV_VERTA)) + high(reg(valve, PV_VERTA));
}

static uint64_t period_ns(const struct display_valve *valve, uint32_t pixel_clock_hz)
{
    if (!pixel_clock_hz)
        return DEFAULT_NS;
    const uint64_t line_px = (uint64_t)low(reg(valve, PV_HORZA)) + high(reg(valve, PV_HORZA)) +
                             low(reg(valve, PV_HORZB)) + high(reg(valve, PV_HORZB));
    const uint64_t frame_px = line_px * (blank_lines(valve) + picture_lines(valve)); /* below 2^36 */
    const double ns = (double)frame_px * (double)NS_PER_S / pixel_clock_hz;
    return (uint64_t)CLAMP(ns, (double)MIN_PERIOD_NS, (double)MAX_PERIOD_NS);
}

void display_valve_size(const struct board_display *display, unsigned screen, uint32_t *width_px, uint32_t *height_px)
{
    const struct display_valve *valve = &display->valve[screen];
    const uint32_t repetition = (reg(valve, PV_CONTROL) >> PV_CONTROL_REP_SHIFT & 3) + 1;
    const uint32_t fields = reg(valve, PV_V_CONTROL) & PV_INTERLACE ? 2 : 1;
    *width_px = MIN2(low(reg(valve, PV_HORZB)) / repetition, BOARD_DISPLAY_MAX_PX);
    *height_px = MIN2(picture_lines(valve) * fields, BOARD_DISPLAY_MAX_PX);
}

static bool should_run(const struct board_display *display, unsigned screen)
{
    const struct display_valve *valve = &display->valve[screen];
    uint32_t width_px, height_px;
    display_valve_size(display, screen, &width_px, &height_px);
    return (reg(valve, PV_CONTROL) & PV_CONTROL_EN) && (reg(valve, PV_V_CONTROL) & PV_VIDEN) && width_px && height_px;
}

/* -- frames -------------------------------------------------------------------------------------------------------- */

static void begin_frame(struct board_display *display, unsigned screen, uint64_t begin_ns, bool is_first)
{
    struct display_valve *valve = &display->valve[screen];
    valve->frame_begin_ns = begin_ns;
    valve->next_ns = begin_ns + period_ns(valve, display->machine.pixel_clock_hz[screen]);
    display_hvs_begin_frame(display, screen, is_first);
    display->shown |= BIT(screen);
}

void display_valve_update(struct board_display *display, unsigned screen)
{
    struct display_valve *valve = &display->valve[screen];
    const bool runs = should_run(display, screen);
    if (runs == valve->is_running)
        return;
    valve->is_running = runs;
    display->shown |= BIT(screen);
    if (runs)
        begin_frame(display, screen, util_now_ns(), true);
    pthread_cond_broadcast(&display->changed);
}

uint64_t display_valves_advance(struct board_display *display)
{
    const uint64_t now_ns = util_now_ns();
    uint64_t next_ns = UTIL_FOREVER_NS;
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++) {
        struct display_valve *valve = &display->valve[screen];
        if (!valve->is_running)
            continue;
        if (now_ns >= valve->next_ns) {
            /* A late thread does not shift the frames after, but those that have been missed are left out. */
            const uint64_t period = valve->next_ns - valve->frame_begin_ns;
            begin_frame(display, screen, now_ns - (now_ns - valve->next_ns) % period, false);
            valve->reg[PV_INTSTAT / 4] |= PV_INT_VERTICAL;
        }
        next_ns = MIN2(next_ns, valve->next_ns);
    }
    return next_ns;
}

int display_valve_line(const struct board_display *display, unsigned screen)
{
    const struct display_valve *valve = &display->valve[screen];
    const uint64_t period = valve->next_ns - valve->frame_begin_ns;
    const uint64_t passed_ns = MIN2(util_now_ns() - valve->frame_begin_ns, period - 1);
    const uint64_t lines = blank_lines(valve) + picture_lines(valve);
    const int line = (int)(passed_ns * lines / period); /* the product is below 2^30 * 2^18 */
    return MAX2(line - (int)blank_lines(valve), -1);
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

bool display_valve_interrupt(const struct board_display *display, unsigned screen)
{
    const struct display_valve *valve = &display->valve[screen];
    return reg(valve, PV_INTSTAT) & reg(valve, PV_INTEN);
}

uint32_t display_valve_read(const struct board_display *display, unsigned screen, uint32_t offset)
{
    return offset < PV_REGISTERS_END ? display->valve[screen].reg[offset / 4] : 0;
}

static uint32_t writable_bits(uint32_t offset)
{
    switch (offset) {
    case PV_CONTROL:
        return PV_CONTROL_MASK;
    case PV_V_CONTROL:
        return PV_V_CONTROL_MASK;
    case PV_INTEN:
        return PV_INT_MASK;
    case PV_VSYNCD_EVEN:
    case PV_HACT_ACT:
        return 0x1ffff;
    case PV_STAT: /* its bits are not documented */
        return 0;
    default:
        return UINT32_MAX;
    }
}

void display_valve_write(struct board_display *display, unsigned screen, uint32_t offset, uint32_t value)
{
    if (offset >= PV_REGISTERS_END)
        return;
    uint32_t *const written = &display->valve[screen].reg[offset / 4];
    /* Latched whether enabled or not: the driver clears it after disabling [kernel vc4_crtc.c]. */
    *written = offset == PV_INTSTAT ? *written & ~value : value & writable_bits(offset);
    display_valve_update(display, screen);
}
