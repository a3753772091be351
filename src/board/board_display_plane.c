/* SPDX-License-Identifier: MIT
 *
 * Planes: decodes an entry of a display list, and reads lines of its source from memory as ARGB8888.
 *
 * An entry is a control word, position and size words, a pointer and a pitch for each component, for YUV three words of
 * colour-space conversion, and then words that say how to scale. The latter are not looked at: the sizes say it already
 * [kernel vc4_plane.c]. Words that the HVS writes back are left alone.
 *
 * Every address of an entry is the guest's: it may be wrong, and calculations with it wrap around. display_bytes()
 * is the only access to memory, and checks it.
 */
#include <string.h>
#include "board/board_display_private.h"
#include "hw/layout.h"

enum { ALPHA, RED, GREEN, BLUE, COMPONENTS };

#define T_RUN_B      16u  /* a row of a microtile */
#define T_TILE_ROW_B 128u /* bytes of a pixel row of a tile */
#define T_TILE_B     4096u
#define T_TILE_ROWS  32u

/* -- decoding ------------------------------------------------------------------------------------------------------ */

struct format_row {
    uint8_t cpp, components;  /* 0 components: YUV */
    uint8_t bits[COMPONENTS]; /* of each component, alpha first */
    bool has_t_tiles;
};

static const struct format_row formats[] = {
    [PLANE_RGB332] = {1, 3, {0, 3, 3, 2}, false},
    [PLANE_RGBA4444] = {2, 4, {4, 4, 4, 4}, false},
    [PLANE_RGB555] = {2, 3, {0, 5, 5, 5}, true},
    [PLANE_RGBA5551] = {2, 4, {1, 5, 5, 5}, true},
    [PLANE_RGB565] = {2, 3, {0, 5, 6, 5}, true},
    [PLANE_RGB888] = {3, 3, {0, 8, 8, 8}, false},
    [PLANE_RGBA8888] = {4, 4, {8, 8, 8, 8}, true},
    [PLANE_YUV420_3PLANE] = {.cpp = 1},
    [PLANE_YUV420_2PLANE] = {.cpp = 1},
    [PLANE_YUV422_3PLANE] = {.cpp = 1},
    [PLANE_YUV422_2PLANE] = {.cpp = 1},
    [PLANE_H264] = {.cpp = 1},
};

/* The components of a pixel from the top down, by the order field. The driver uses 2 and 3, and with 4444 all of the
 * second table [kernel vc4_plane.c]; the first two of the first table are guessed from their names. */
static const uint8_t order_of_3[4][3] = {
    {BLUE, RED, GREEN}, {RED, BLUE, GREEN}, {RED, GREEN, BLUE}, {BLUE, GREEN, RED}};
static const uint8_t order_of_4[4][4] = {
    {BLUE, GREEN, RED, ALPHA}, {RED, GREEN, BLUE, ALPHA}, {ALPHA, BLUE, GREEN, RED}, {ALPHA, RED, GREEN, BLUE}};

/* A component of `bits` bits made eight bits wide. Rounding is taken to be what makes full scale 255. */
static uint8_t expand(uint32_t value, unsigned bits, enum plane_expand how)
{
    const uint32_t top = value << (8 - bits), rest = BIT(8 - bits) - 1;
    switch (how) {
    case PLANE_EXPAND_ZERO:
        return (uint8_t)top;
    case PLANE_EXPAND_LSB:
        return (uint8_t)(value & 1 ? top | rest : top);
    case PLANE_EXPAND_MSB:
    case PLANE_EXPAND_ROUND:
        break;
    }
    return (uint8_t)((value * 255 + (BIT(bits) - 1) / 2) / (BIT(bits) - 1));
}

static void decode_components(struct display_plane *plane, const struct format_row *format, uint32_t order,
                              enum plane_expand how)
{
    unsigned shift = 0;
    memset(plane->component[ALPHA].value, 0xff, sizeof plane->component[ALPHA].value);
    plane->component[ALPHA].shift = plane->component[ALPHA].mask = 0;
    for (unsigned i = format->components; i-- > 0;) {
        const unsigned c = format->components == 4 ? order_of_4[order][i] : order_of_3[order][i];
        const unsigned bits = format->bits[c];
        plane->component[c].shift = (uint8_t)shift;
        plane->component[c].mask = (uint8_t)(BIT(bits) - 1);
        for (uint32_t value = 0; value < BIT(bits); value++)
            plane->component[c].value[value] = expand(value, bits, how);
        shift += bits;
    }
}

static bool decode_tiling(struct display_plane *plane, enum plane_tiling tiling, bool has_t_tiles)
{
    plane->column_B = 0;
    plane->has_t_tiles = false;
    if (tiling == PLANE_LINEAR)
        return plane->format != PLANE_H264;
    if (plane->format == PLANE_H264)
        plane->column_B = 32u << tiling; /* ORDER plane_tiling */
    else
        plane->has_t_tiles = has_t_tiles && tiling == PLANE_COLUMNS_256B_OR_T;
    return plane->column_B || plane->has_t_tiles;
}

static unsigned component_planes(enum plane_format format)
{
    if (format < PLANE_YUV420_3PLANE)
        return 1;
    return format == PLANE_YUV420_3PLANE || format == PLANE_YUV422_3PLANE ? 3 : 2;
}

static void decode_geometry(struct display_plane *plane, uint32_t position, uint32_t size, uint32_t source)
{
    plane->fixed_alpha = position >> PLANE_FIXED_ALPHA_SHIFT;
    plane->x_px = position & PLANE_XY_MASK;
    plane->y_px = position >> PLANE_Y_SHIFT & PLANE_XY_MASK;
    plane->width_px = size & PLANE_WH_MASK;
    plane->height_px = size >> PLANE_HEIGHT_SHIFT & PLANE_WH_MASK;
    plane->source_width_px = source & PLANE_WH_MASK;
    plane->source_height_px = source >> PLANE_HEIGHT_SHIFT & PLANE_WH_MASK;
    plane->alpha = (enum plane_alpha)(source >> PLANE_ALPHA_SHIFT);
    plane->is_premultiplied = source & PLANE_ALPHA_PREMULT;
    plane->mixes_alpha = source & PLANE_ALPHA_MIX;
}

bool display_plane_decode(const uint32_t *words, uint32_t count, struct display_plane *out)
{
    const uint32_t control = words[0], format = control & PLANE_FORMAT_MASK;
    if (format >= ARRAY_SIZE(formats) || !formats[format].cpp)
        return false;
    const uint32_t order = control >> PLANE_ORDER_SHIFT & 3;
    const unsigned planes = component_planes((enum plane_format)format);
    const bool is_scaled = !(control & PLANE_UNITY), is_yuv = planes > 1;
    const uint32_t source_word = is_scaled ? 3 : 2, addr_word = source_word + 2; /* a word of context between them */
    const uint32_t pitch_word = addr_word + 2 * planes, csc_word = pitch_word + planes;
    if (count < csc_word + (is_yuv ? 3 : 0))
        return false;

    out->format = (enum plane_format)format;
    out->cpp = formats[format].cpp;
    out->is_yuv = is_yuv;
    out->swaps_chroma = order & 1;
    out->flips_x = control & PLANE_HFLIP;
    out->flips_y = control & PLANE_VFLIP;
    if (!decode_tiling(out, (enum plane_tiling)(control >> PLANE_TILING_SHIFT & 3), formats[format].has_t_tiles))
        return false;
    decode_geometry(out, words[1], words[2], words[source_word]);
    for (unsigned i = 0; i < planes; i++) {
        out->addr[i] = words[addr_word + i];
        out->pitch[i] = words[pitch_word + i];
    }
    if (is_yuv)
        memcpy(out->csc, words + csc_word, sizeof out->csc);
    else
        decode_components(out, &formats[format], order, (enum plane_expand)(control >> PLANE_EXPAND_SHIFT & 3));
    return out->width_px && out->height_px && out->source_width_px && out->source_height_px;
}

/* -- bytes of a line ----------------------------------------------------------------------------------------------- */

static void display_bytes(const struct display_memory *mem, uint32_t addr, uint8_t *out, uint32_t size_B)
{
    const uint32_t offset = addr - mem->addr;
    if (addr >= mem->addr && offset < mem->size_B && size_B <= mem->size_B - offset) {
        memcpy(out, mem->bytes + offset, size_B);
        return;
    }
    for (uint32_t i = 0; i < size_B; i++) { /* partly outside, or wholly */
        const uint32_t at = addr + i - mem->addr;
        out[i] = addr + i >= mem->addr && at < mem->size_B ? mem->bytes[at] : 0;
    }
}

static void linear_line(const struct display_plane *plane, const struct display_memory *mem, unsigned component,
                        uint32_t y, uint8_t *out, uint32_t size_B)
{
    const uint32_t distance_B = y * (plane->pitch[component] & PLANE_PITCH_MASK);
    const uint32_t first = plane->addr[component];
    display_bytes(mem, plane->flips_y ? first - distance_B : first + distance_B, out, size_B);
}

/* Columns of `column_B` bytes one after the other, each with its lines from above to below. The pointer is to the first
 * pixel; where in the column that is, its low bits say. */
static void column_line(const struct display_plane *plane, const struct display_memory *mem, unsigned component,
                        uint32_t y, uint8_t *out, uint32_t size_B)
{
    const uint32_t column_B = plane->column_B, in_column = plane->addr[component] & (column_B - 1);
    const uint32_t distance_B = y * column_B, aligned = plane->addr[component] - in_column;
    const uint32_t column_size_B = (plane->pitch[component] & PLANE_PITCH_MASK) * column_B;
    const uint32_t line = plane->flips_y ? aligned - distance_B : aligned + distance_B;
    for (uint32_t at = in_column, done_B = 0; done_B < size_B;) {
        const uint32_t run_B = MIN2(column_B - at % column_B, size_B - done_B);
        display_bytes(mem, line + at / column_B * column_size_B + at % column_B, out + done_B, run_B);
        done_B += run_B;
        at += run_B;
    }
}

/* T format [guide p.105-107]. The pointer is to the row of microtile rows that the first line is in, at the left edge
 * of the tile that the first pixel is in; the pitch word says which tile and which line that is. */
static void t_line(const struct display_plane *plane, const struct display_memory *mem, uint32_t y, uint8_t *out)
{
    const uint32_t word = plane->pitch[0], cpp = plane->cpp;
    const uint32_t left_tl = word >> PLANE_T_LEFT_SHIFT & PLANE_T_TILES_MASK, right_tl = word & PLANE_T_TILES_MASK;
    const uint32_t stride_B = (left_tl + right_tl) * T_TILE_ROW_B, tile_w_px = T_TILE_ROW_B / cpp;
    const bool goes_up = word & PLANE_T_LINE_DIR, is_odd = word & PLANE_T_ODD;
    const uint32_t y_field = word >> PLANE_T_Y_SHIFT & PLANE_T_Y_MASK;
    const uint32_t first_y = (goes_up ? PLANE_T_Y_MASK - y_field : y_field) % T_TILE_ROWS + (is_odd ? T_TILE_ROWS : 0);
    /* From the pointer back to the surface's first tile, as if the first line were in its first two rows of tiles. */
    const uint32_t to_first_B = hw_element_offset_B(HW_TILING_T, stride_B, cpp, left_tl * tile_w_px, first_y);
    /* Lines that go up leave those two rows: begin so far down that none is above the surface that is calculated with.
     */
    const uint32_t pairs_below = goes_up ? util_div_round_up(plane->source_height_px, 2 * T_TILE_ROWS) : 0;
    const uint32_t surface = plane->addr[0] - to_first_B - pairs_below * 2 * (left_tl + right_tl) * T_TILE_B;
    const uint32_t base_y = first_y + pairs_below * 2 * T_TILE_ROWS, line = goes_up ? base_y - y : base_y + y;

    const uint32_t first_x = left_tl * tile_w_px + (word >> PLANE_T_SKIP_SHIFT), run_px = T_RUN_B / cpp;
    for (uint32_t x = first_x; x < first_x + plane->source_width_px;) {
        const uint32_t end_x = MIN2((x / run_px + 1) * run_px, first_x + plane->source_width_px);
        const uint32_t offset_B = hw_element_offset_B(HW_TILING_T, stride_B, cpp, x, line);
        display_bytes(mem, surface + offset_B, out, (end_x - x) * cpp);
        out += (end_x - x) * cpp;
        x = end_x;
    }
}

static void component_line(const struct display_plane *plane, const struct display_memory *mem, unsigned component,
                           uint32_t y, uint8_t *out, uint32_t size_B)
{
    if (plane->has_t_tiles)
        t_line(plane, mem, y, out);
    else if (plane->column_B)
        column_line(plane, mem, component, y, out, size_B);
    else
        linear_line(plane, mem, component, y, out, size_B);
}

/* -- colours ------------------------------------------------------------------------------------------------------- */

static uint32_t pixel_at(const uint8_t *bytes, uint32_t cpp)
{
    uint32_t pixel = 0;
    for (uint32_t i = 0; i < cpp; i++)
        pixel |= (uint32_t)bytes[i] << 8 * i;
    return pixel;
}

static uint32_t component_of(const struct display_plane *plane, unsigned c, uint32_t pixel)
{
    return plane->component[c].value[pixel >> plane->component[c].shift & plane->component[c].mask];
}

/* Whether a pixel in memory is what is wanted already: ARGB8888, which most framebuffers are. */
static bool is_argb(const struct display_plane *plane)
{
    return plane->cpp == 4 && plane->component[RED].shift == 16 && plane->component[BLUE].shift == 0 &&
           __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static void rgb_line(const struct display_plane *plane, const uint8_t *bytes, uint32_t *argb)
{
    if (is_argb(plane)) {
        memcpy(argb, bytes, plane->source_width_px * 4);
        return;
    }
    for (uint32_t x = 0; x < plane->source_width_px; x++) {
        const uint32_t pixel = pixel_at(bytes + x * plane->cpp, plane->cpp);
        argb[x] = component_of(plane, ALPHA, pixel) << 24 | component_of(plane, RED, pixel) << 16 |
                  component_of(plane, GREEN, pixel) << 8 | component_of(plane, BLUE, pixel);
    }
}

/* Ten bits, eight of them a fraction; the integer part 3 means -1 [kernel vc4_regs.h]. */
static int csc_coefficient(uint32_t bits)
{
    const int value = (int)(bits & 0x3ff);
    return value >= 0x300 ? value - 0x400 : value;
}

struct csc {
    int y, cb_green, cb_blue, cb_red, cr_green, cr_blue, cr_red; /* eight fraction bits */
    int y_offset, cb_offset, cr_offset;
};

/* CB_BLU is the low ten bits of its word, although the kernel's header gives it those of CR_RED: only then do its own
 * constants make sense. */
static struct csc decode_csc(const uint32_t words[3])
{
    return (struct csc){
        .y = csc_coefficient(words[1] >> 2),
        .cb_green = csc_coefficient(words[1] >> 22),
        .cb_blue = csc_coefficient(words[2]),
        .cb_red = csc_coefficient(words[2] >> 20),
        .cr_green = csc_coefficient(words[1] >> 12),
        .cr_blue = csc_coefficient((words[1] & 3) << 8 | words[0] >> 24),
        .cr_red = csc_coefficient(words[2] >> 10),
        .y_offset = (int8_t)(words[0] >> 16),
        .cb_offset = (int8_t)(words[0] >> 8) - 128,
        .cr_offset = (int8_t)words[0] - 128,
    };
}

static uint32_t clamp_8(int value_8p8)
{
    const int value = (value_8p8 + 128) / 256;
    return value_8p8 < 0 ? 0 : (uint32_t)MIN2(value, 255);
}

/* `chroma` has a sample of each kind for every two pixels. */
static void yuv_line(const struct display_plane *plane, const struct display_line_buffer *buffer, uint32_t *argb)
{
    const struct csc csc = decode_csc(plane->csc);
    for (uint32_t x = 0; x < plane->source_width_px; x++) {
        const int y = csc.y * (buffer->bytes[x] + csc.y_offset);
        const int cb = buffer->chroma[0][x / 2] + csc.cb_offset, cr = buffer->chroma[1][x / 2] + csc.cr_offset;
        argb[x] = 0xff000000u | clamp_8(y + csc.cb_red * cb + csc.cr_red * cr) << 16 |
                  clamp_8(y + csc.cb_green * cb + csc.cr_green * cr) << 8 |
                  clamp_8(y + csc.cb_blue * cb + csc.cr_blue * cr);
    }
}

static void chroma_lines(const struct display_plane *plane, const struct display_memory *mem, uint32_t y,
                         struct display_line_buffer *buffer)
{
    const bool is_halved = plane->format != PLANE_YUV422_3PLANE && plane->format != PLANE_YUV422_2PLANE;
    const uint32_t line = is_halved ? y / 2 : y, samples = (plane->source_width_px + 1) / 2;
    const unsigned cb = plane->swaps_chroma ? 1 : 0, cr = 1 - cb;
    if (component_planes(plane->format) == 3) {
        component_line(plane, mem, 1, line, buffer->chroma[cb], samples);
        component_line(plane, mem, 2, line, buffer->chroma[cr], samples);
        return;
    }
    component_line(plane, mem, 1, line, buffer->bytes, 2 * samples);
    for (uint32_t i = 0; i < samples; i++) {
        buffer->chroma[cb][i] = buffer->bytes[2 * i];
        buffer->chroma[cr][i] = buffer->bytes[2 * i + 1];
    }
}

void display_plane_line(const struct display_plane *plane, const struct display_memory *mem, uint32_t y,
                        struct display_line_buffer *buffer, uint32_t *argb)
{
    if (plane->is_yuv)
        chroma_lines(plane, mem, y, buffer);
    component_line(plane, mem, 0, y, buffer->bytes, plane->source_width_px * plane->cpp);
    if (plane->is_yuv)
        yuv_line(plane, buffer, argb);
    else
        rgb_line(plane, buffer->bytes, argb);
    if (plane->flips_x)
        for (uint32_t left = 0, right = plane->source_width_px - 1; left < right; left++, right--) {
            const uint32_t pixel = argb[left];
            argb[left] = argb[right];
            argb[right] = pixel;
        }
}
