/* SPDX-License-Identifier: MIT
 *
 * A test bench for the display blocks: the blocks around some memory, modes as a driver sets them, and display lists
 * that are written plane by plane.
 */
#ifndef TEST_BOARD_DISPLAY_BENCH_H
#define TEST_BOARD_DISPLAY_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include "board/board_display.h"
#include "board/board_display_registers.h"

#define MEMORY_ADDR   0x40000000u
#define MEMORY_SIZE_B 0x400000u
#define FIRST_WORD    32u /* of the display list, where the driver's lists begin, too */

struct display_bench {
    struct board_display *display;
    uint8_t *memory;
    pthread_mutex_t mutex; /* guards the counts */
    pthread_cond_t changed;
    unsigned interrupts[BOARD_DISPLAY_BLOCKS], frames[BOARD_DISPLAY_SCREENS];
    uint32_t end; /* word behind the list that is being written */
};

/* A plane as the driver describes it to itself; 0 is a sensible value for all but the sizes and the address. */
struct test_plane {
    enum plane_format format;
    uint32_t order;
    enum plane_tiling tiling;
    uint32_t x, y, width, height;         /* on the screen */
    uint32_t source_width, source_height; /* 0: not scaled */
    uint32_t flips;                       /* PLANE_HFLIP, PLANE_VFLIP */
    uint32_t alpha_bits;   /* of the source's size word; 0: fixed alpha, 1: that of pixels and no other bit */
    uint32_t transparency; /* 255 - fixed alpha */
    uint32_t addr[3], pitch[3], csc[3]; /* as many as the format has */
};

struct display_bench *display_bench_create(uint32_t pixel_clock_hz);
void display_bench_destroy(struct display_bench *b);
int display_bench_setup(void **state); /* 60 Hz */
int display_bench_teardown(void **state);

static inline uint32_t rd(struct display_bench *b, enum board_display_block block, uint32_t offset)
{
    return board_display_read(b->display, block, offset);
}

static inline void wr(struct display_bench *b, enum board_display_block block, uint32_t offset, uint32_t value)
{
    board_display_write(b->display, block, offset, value);
}

/* Writes the timing registers of a screen: the mode, and a blank of 10 pixels and 10 lines, of which 3 are the sync. */
void bench_write_mode(struct display_bench *b, unsigned screen, uint32_t width_px, uint32_t height_px);
/* Switches a screen on with the list at FIRST_WORD, in the driver's order: HVS, then its channel, then the valve. */
void bench_show(struct display_bench *b, unsigned screen, uint32_t width_px, uint32_t height_px);
void bench_hide(struct display_bench *b, unsigned screen);
unsigned bench_channel(unsigned screen);

void bench_begin_list(struct display_bench *b);
void bench_word(struct display_bench *b, uint32_t value);
void bench_plane(struct display_bench *b, const struct test_plane *plane);
void bench_end_list(struct display_bench *b);

/* Waits for `count` more interrupts of a block's line. Fails the test after a minute. */
void bench_wait_frames(struct display_bench *b, unsigned screen, unsigned count);
/* Composes a screen of this size, which must be on. Pixels between rows must stay as they are. */
void bench_compose(struct display_bench *b, unsigned screen, uint32_t *pixels, uint32_t width_px, uint32_t height_px);

#endif
