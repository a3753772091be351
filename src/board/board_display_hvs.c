/* SPDX-License-Identifier: MIT
 *
 * The HVS's registers. A channel takes its display list (DISPLIST) when its screen begins a frame, and says which one
 * it shows (DISPLACT): page flips wait for that [kernel vc4_crtc.c]. Composing is in board_display_compose.c.
 *
 * Registers without effect are storage: arbitration, dithering, profiling, the buffers of lines, and what newer chips
 * have in the same places.
 */
#include <string.h>
#include "board/board_display_private.h"

static enum hvs_register of_channel(enum hvs_register first, unsigned channel)
{
    return (enum hvs_register)(first + HVS_CHANNEL_STRIDE * channel);
}

static uint32_t reg(const struct board_display *display, enum hvs_register offset)
{
    return display->hvs[offset / 4];
}

static bool is_enabled(const struct board_display *display, unsigned channel)
{
    return reg(display, of_channel(HVS_DISPCTRL0, channel)) & HVS_CHANNEL_ENABLE;
}

/* -- channels and screens ------------------------------------------------------------------------------------------ */

unsigned display_hvs_channel(const struct board_display *display, unsigned screen)
{
    switch (screen) {
    case 0:
        return 0;
    case 1: /* selectable, for the writeback unit uses channel 2, too */
        return MIN2(reg(display, HVS_DISPCTRL) >> HVS_CTRL_DSP3_SHIFT & HVS_CTRL_DSP3_MASK, HVS_CHANNELS);
    default:
        return 1;
    }
}

/* The running screen that a channel feeds; BOARD_DISPLAY_SCREENS: none. */
static unsigned screen_of(const struct board_display *display, unsigned channel)
{
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++)
        if (display->valve[screen].is_running && display_hvs_channel(display, screen) == channel)
            return screen;
    return BOARD_DISPLAY_SCREENS;
}

void display_hvs_begin_frame(struct board_display *display, unsigned screen, bool is_first)
{
    const unsigned number = display_hvs_channel(display, screen);
    if (number >= HVS_CHANNELS || !is_enabled(display, number))
        return;
    struct display_channel *channel = &display->channel[number];
    if (!is_first && channel->has_list)
        display->hvs[HVS_DISPSTAT / 4] |= HVS_STAT_EOF(number);
    channel->has_list = true;
    channel->list = reg(display, HVS_DISPLIST0 + 4 * number);
    channel->frame_count = (channel->frame_count + 1) & HVS_FRAME_COUNT_MASK;
}

/* -- status -------------------------------------------------------------------------------------------------------- */

/* The interrupt bits of DISPSTAT: a channel's end of frame, if that is to be reported. */
static uint32_t interrupt_bits(const struct board_display *display)
{
    uint32_t bits = 0;
    for (unsigned channel = 0; channel < HVS_CHANNELS; channel++)
        if ((reg(display, HVS_DISPSTAT) & HVS_STAT_EOF(channel)) &&
            (reg(display, HVS_DISPCTRL) & HVS_CTRL_EIEOF(channel)))
            bits |= HVS_STAT_IRQ(channel);
    return bits;
}

bool display_hvs_interrupt(const struct board_display *display)
{
    uint32_t enabled = 0;
    for (unsigned channel = 0; channel < HVS_CHANNELS; channel++)
        enabled |= reg(display, HVS_DISPCTRL) & HVS_CTRL_EIRQ(channel) ? HVS_STAT_IRQ(channel) : 0;
    return interrupt_bits(display) & enabled;
}

static uint32_t composed_line(const struct board_display *display, unsigned channel, unsigned screen)
{
    const int line = display_valve_line(display, screen);
    if (line < 0)
        return 0;
    /* The HVS is ahead of the screen by as many lines as fit into the channel's buffer, and one more: with that a
     * driver calculates which line goes out [kernel vc4_crtc.c]. */
    const uint32_t base = reg(display, of_channel(HVS_DISPBASE0, channel));
    const uint32_t first = base & HVS_BASE_MASK, last = base >> HVS_BASE_TOP_SHIFT & HVS_BASE_MASK;
    const uint32_t buffer_px = last >= first ? last - first + 4 : 0;
    uint32_t width_px, height_px;
    display_valve_size(display, screen, &width_px, &height_px);
    return MIN2((uint32_t)line + buffer_px / width_px + 1, height_px);
}

static uint32_t channel_status(const struct board_display *display, unsigned channel)
{
    uint32_t counts = 0;
    if (channel == 1)
        counts = display->channel[0].frame_count << 18 | display->channel[1].frame_count << 12;
    else if (channel == 2)
        counts = display->channel[2].frame_count << 12;
    if (!is_enabled(display, channel))
        return counts | HVS_MODE_DISABLED << HVS_CHANSTAT_MODE_SHIFT | HVS_CHANSTAT_EMPTY;
    const unsigned screen = screen_of(display, channel);
    if (screen == BOARD_DISPLAY_SCREENS || !display->channel[channel].has_list)
        return counts | HVS_MODE_INIT << HVS_CHANSTAT_MODE_SHIFT | HVS_CHANSTAT_EMPTY;
    return counts | (uint32_t)HVS_MODE_RUN << HVS_CHANSTAT_MODE_SHIFT |
           (composed_line(display, channel, screen) & HVS_CHANSTAT_LINE_MASK);
}

/* -- gamma --------------------------------------------------------------------------------------------------------- */

/* The entry that GAMDATA accesses; GAMADDR moves on if it is to. */
static uint8_t *next_gamma(struct board_display *display)
{
    static uint8_t nowhere;
    const uint32_t value = reg(display, HVS_GAMADDR), entry = value & HVS_GAMMA_ADDR_MASK;
    if (value & HVS_GAMMA_AUTOINC)
        display->hvs[HVS_GAMADDR / 4] = (value & ~HVS_GAMMA_ADDR_MASK) | ((entry + 1) & HVS_GAMMA_ADDR_MASK);
    nowhere = 0;
    return entry < HVS_GAMMA_ENTRIES ? &display->gamma[entry] : &nowhere;
}

/* -- registers ----------------------------------------------------------------------------------------------------- */

static uint32_t writable_bits(uint32_t offset)
{
    switch (offset) {
    case HVS_DISPCTRL:
    case HVS_DISPECTRL:
    case HVS_DISPPROF:
    case HVS_DISPDITHER:
    case HVS_DISPEOLN:
    case HVS_DISPALPHA2:
    case HVS_OLEDOFFS:
        return UINT32_MAX;
    case HVS_DISPLIST0:
    case HVS_DISPLIST1:
    case HVS_DISPLIST2:
        return HVS_LIST_MASK;
    case HVS_GAMADDR:
        return HVS_GAMMA_AUTOINC | HVS_GAMMA_SRAM | HVS_GAMMA_ADDR_MASK;
    case HVS_OLEDCOEF0:
    case HVS_OLEDCOEF1:
    case HVS_OLEDCOEF2:
        return 0x3fffffff;
    default:
        break;
    }
    if (offset < HVS_DISPCTRL0 || offset >= HVS_DISPCTRL0 + HVS_CHANNELS * HVS_CHANNEL_STRIDE)
        return 0;
    return offset % HVS_CHANNEL_STRIDE == HVS_DISPSTAT0 % HVS_CHANNEL_STRIDE ? 0 : UINT32_MAX;
}

static void write_channel_control(struct board_display *display, unsigned channel, uint32_t value)
{
    if (!is_enabled(display, channel) || !(value & HVS_CHANNEL_ENABLE) || (value & HVS_CHANNEL_RESET))
        display->channel[channel].has_list = false; /* it waits for the next frame */
    display->hvs[of_channel(HVS_DISPCTRL0, channel) / 4] =
        value & HVS_CHANNEL_RESET ? value & ~HVS_CHANNEL_ENABLE : value;
}

uint32_t display_hvs_read(struct board_display *display, uint32_t offset)
{
    if (offset >= HVS_LIST)
        return display->list[(offset - HVS_LIST) / 4];
    switch (offset) {
    case HVS_DISPSTAT:
        return reg(display, HVS_DISPSTAT) | interrupt_bits(display);
    case HVS_DISPLACT0:
    case HVS_DISPLACT1:
    case HVS_DISPLACT2:
        return display->channel[(offset - HVS_DISPLACT0) / 4].list;
    case HVS_DISPSTAT0:
    case HVS_DISPSTAT1:
    case HVS_DISPSTAT2:
        return channel_status(display, (offset - HVS_DISPSTAT0) / HVS_CHANNEL_STRIDE);
    case HVS_GAMDATA:
        return *next_gamma(display);
    default:
        return offset < HVS_REGISTERS_END ? display->hvs[offset / 4] : 0;
    }
}

void display_hvs_write(struct board_display *display, uint32_t offset, uint32_t value)
{
    if (offset >= HVS_LIST) {
        display->list[(offset - HVS_LIST) / 4] = value;
        return;
    }
    switch (offset) {
    case HVS_DISPSTAT:
        display->hvs[HVS_DISPSTAT / 4] &= value & HVS_STAT_CLEAR_ALL ? 0 : ~value;
        break;
    case HVS_DISPCTRL0:
    case HVS_DISPCTRL0 + HVS_CHANNEL_STRIDE:
    case HVS_DISPCTRL0 + 2 * HVS_CHANNEL_STRIDE:
        write_channel_control(display, (offset - HVS_DISPCTRL0) / HVS_CHANNEL_STRIDE, value);
        break;
    case HVS_GAMDATA:
        *next_gamma(display) = (uint8_t)value;
        break;
    default:
        if (writable_bits(offset))
            display->hvs[offset / 4] = value & writable_bits(offset);
    }
}

void display_hvs_reset(struct board_display *display)
{
    /* How a driver finds the buffers of lines after the firmware: older kernels leave them so, and calculate with them.
     * Three lines of 2048 pixels for channels 2 and 1, the rest for channel 0 [kernel vc4_hvs.c]. */
    static const uint32_t base[HVS_CHANNELS] = {20735u << 16 | 12288, 12287u << 16 | 6144, 6143u << 16};
    memset(display->hvs, 0, sizeof display->hvs);
    memset(display->list, 0, sizeof display->list);
    memset(display->gamma, 0, sizeof display->gamma);
    memset(display->channel, 0, sizeof display->channel);
    display->hvs[HVS_DISPID / 4] = HVS_DISPID_VALUE;
    for (unsigned channel = 0; channel < HVS_CHANNELS; channel++)
        display->hvs[of_channel(HVS_DISPBASE0, channel) / 4] = base[channel];
}

/* -- what a screen shows ------------------------------------------------------------------------------------------- */

/* A sign, no integer bit and nine fraction bits [kernel vc4_kms.c]. */
static int oled_coefficient(uint32_t bits)
{
    const int fraction = (int)(bits & HVS_OLED_FRACTION);
    return bits & HVS_OLED_SIGN ? -fraction : fraction;
}

static void get_matrix(const struct board_display *display, unsigned channel, struct display_picture *out)
{
    const uint32_t offsets = reg(display, HVS_OLEDOFFS);
    out->has_matrix = (offsets >> HVS_OLED_CHANNEL_SHIFT & HVS_OLED_CHANNEL_MASK) == channel + 1;
    for (unsigned from = 0; from < 3; from++) {
        const uint32_t word = reg(display, (enum hvs_register)(HVS_OLEDCOEF2 - 4 * from));
        for (unsigned to = 0; to < 3; to++)
            out->matrix[to][from] = oled_coefficient(word >> (20 - 10 * to));
        out->offset[from] = (int8_t)(offsets >> (16 - 8 * from));
    }
}

void display_hvs_picture(const struct board_display *display, unsigned screen, struct display_picture *out)
{
    const unsigned channel = display_hvs_channel(display, screen);
    out->has_list = channel < HVS_CHANNELS && (reg(display, HVS_DISPCTRL) & HVS_CTRL_ENABLE) &&
                    is_enabled(display, channel) && display->channel[channel].has_list;
    if (!out->has_list)
        return;
    const uint32_t control = reg(display, of_channel(HVS_DISPCTRL0, channel));
    const uint32_t background = reg(display, of_channel(HVS_DISPBKGND0, channel));
    out->channel_width_px = control >> HVS_CHANNEL_WIDTH_SHIFT & HVS_CHANNEL_SIZE_MASK;
    out->channel_height_px = control & HVS_CHANNEL_SIZE_MASK;
    out->background = background & HVS_BKGND_FILL ? background & HVS_BKGND_RGB : 0;
    out->first = display->channel[channel].list;
    memcpy(out->list, display->list, sizeof out->list);
    out->has_gamma = background & HVS_BKGND_GAMMA;
    memcpy(out->gamma, display->gamma + channel * sizeof out->gamma, sizeof out->gamma);
    get_matrix(display, channel, out);
}
