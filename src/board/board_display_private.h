/* SPDX-License-Identifier: MIT
 *
 * State of the display blocks, shared by the files board_display*.c.
 */
#ifndef BOARD_DISPLAY_PRIVATE_H
#define BOARD_DISPLAY_PRIVATE_H

#include <pthread.h>
#include "board/board_display.h"
#include "board/board_display_registers.h"

/* -- planes of a display list, board_display_plane.c --------------------------------------------------------------- */

enum { PLANE_COMPONENTS = 3, PLANE_MAX_PX = 4096 };

/* An entry of a display list, decoded. */
struct display_plane {
    enum plane_format format;
    bool is_yuv, swaps_chroma, has_t_tiles, flips_x, flips_y;
    uint32_t column_B;                        /* width of a column; 0: no columns */
    uint32_t cpp;                             /* bytes of a pixel, or of a luma sample */
    uint32_t x_px, y_px, width_px, height_px; /* on the screen */
    uint32_t source_width_px, source_height_px;
    enum plane_alpha alpha;
    bool is_premultiplied, mixes_alpha;
    uint32_t fixed_alpha; /* 0 to 255 */
    uint32_t addr[PLANE_COMPONENTS], pitch[PLANE_COMPONENTS], csc[3];
    /* RGB: where a component is in a pixel, and its value for each content. Order: alpha, red, green, blue. */
    struct {
        uint8_t shift, mask, value[256];
    } component[4];
};

/* The guest's memory. */
struct display_memory {
    const uint8_t *bytes;
    uint32_t addr, size_B;
};

/* Scratch space of display_plane_line(). */
struct display_line_buffer {
    uint8_t bytes[PLANE_MAX_PX * 4], chroma[2][PLANE_MAX_PX + 2];
};

/* Decodes an entry of `count` words. False: broken, or a format that is not modelled. */
bool display_plane_decode(const uint32_t *words, uint32_t count, struct display_plane *out);
/* Line `y` of the source as ARGB8888; line 0 is the upper one on the screen. Memory that the machine does not have is
 * 0. */
void display_plane_line(const struct display_plane *plane, const struct display_memory *mem, uint32_t y,
                        struct display_line_buffer *buffer, uint32_t *argb);

/* -- composition, board_display_compose.c -------------------------------------------------------------------------- */

struct display_composer;

/* What a screen shows: copied from the registers, so that composing needs no lock on them. */
struct display_picture {
    bool is_on; /* the screen; false: nothing else is valid */
    uint32_t width_px, height_px;
    bool has_list; /* the channel composes; else the screen is black */
    uint32_t channel_width_px, channel_height_px;
    uint32_t background; /* RGB */
    uint32_t first;      /* word of the list */
    uint32_t list[HVS_LIST_WORDS];
    bool has_matrix, has_gamma;
    int matrix[3][3], offset[3]; /* [to][from], red first; coefficients have nine fraction bits */
    uint8_t gamma[3][HVS_GAMMA_COMPONENT];
};

/* Pixels in memory. */
struct display_surface {
    uint32_t *pixels;
    uint32_t width_px, height_px, stride_px;
};

struct display_composer *display_composer_create(void); /* NULL: no memory */
void display_composer_destroy(struct display_composer *composer);
/* One thread at a time. The picture must be on. */
void display_compose(struct display_composer *composer, const struct display_picture *picture,
                     const struct display_memory *mem, const struct display_surface *out);

/* -- the blocks ---------------------------------------------------------------------------------------------------- */

struct display_valve {
    uint32_t reg[PV_REGISTERS_END / 4];
    bool is_running;
    uint64_t frame_begin_ns, next_ns; /* when the front porch began, and will begin */
};

struct display_channel {
    bool has_list; /* the HVS has taken a list since the channel was enabled */
    uint32_t list; /* DISPLACT */
    uint32_t frame_count;
};

struct board_display {
    struct board_display_machine machine;
    struct display_memory memory;
    pthread_t thread; /* begins frames */
    bool has_thread;

    pthread_mutex_t mutex;  /* guards everything below, up to the composer */
    pthread_cond_t changed; /* of a valve, or `ends` */
    bool ends;
    uint32_t hvs[HVS_REGISTERS_END / 4];
    uint32_t list[HVS_LIST_WORDS];
    uint8_t gamma[HVS_GAMMA_ENTRIES];
    struct display_channel channel[HVS_CHANNELS];
    struct display_valve valve[BOARD_DISPLAY_SCREENS];
    uint32_t dpi_c;
    unsigned shown; /* screens of which the machine is to be told, by bit; see board_display.c */

    pthread_mutex_t compose_mutex; /* guards the composer and the picture; taken before the other mutex */
    struct display_composer *composer;
    struct display_picture picture;
};

/* -- HVS, board_display_hvs.c; the mutex is held ------------------------------------------------------------------- */

void display_hvs_reset(struct board_display *display);
uint32_t display_hvs_read(struct board_display *display, uint32_t offset);
void display_hvs_write(struct board_display *display, uint32_t offset, uint32_t value);
bool display_hvs_interrupt(const struct board_display *display);
/* The channel that feeds a screen; HVS_CHANNELS: none. */
unsigned display_hvs_channel(const struct board_display *display, unsigned screen);
/* A screen has begun a frame; `is_first`: its first one, so that none has ended. */
void display_hvs_begin_frame(struct board_display *display, unsigned screen, bool is_first);
/* Fills in the picture of a screen that is on, the size excepted. */
void display_hvs_picture(const struct board_display *display, unsigned screen, struct display_picture *out);

/* -- pixel valves, board_display_valve.c; the mutex is held -------------------------------------------------------- */

uint32_t display_valve_read(const struct board_display *display, unsigned screen, uint32_t offset);
void display_valve_write(struct board_display *display, unsigned screen, uint32_t offset, uint32_t value);
bool display_valve_interrupt(const struct board_display *display, unsigned screen);
/* Starts or stops a valve as its registers demand. */
void display_valve_update(struct board_display *display, unsigned screen);
void display_valve_size(const struct board_display *display, unsigned screen, uint32_t *width_px, uint32_t *height_px);
/* The picture's line that goes out now; -1 in the vertical blank. */
int display_valve_line(const struct board_display *display, unsigned screen);
/* Begins the frames that are due. Returns when the next one is. */
uint64_t display_valves_advance(struct board_display *display);

#endif
