/* SPDX-License-Identifier: MIT
 *
 * The display blocks of VideoCore IV as a driver meets them: the HVS, which composes planes from memory, the three
 * pixel valves, which time the screens, and the DPI output. A machine emulator maps their registers for its guest,
 * whose unmodified kernel driver then sets modes and flips pages, and asks for the composed pictures.
 * docs/modules/board.md says what is modelled and what is not.
 *
 * All functions may be called by any thread at any time, board_display_destroy() excepted.
 */
#ifndef BOARD_DISPLAY_H
#define BOARD_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#define BOARD_DISPLAY_API
#if defined(__GNUC__)
#undef BOARD_DISPLAY_API
#define BOARD_DISPLAY_API __attribute__((visibility("default")))
#endif

#define BOARD_DISPLAY_VERSION 1u    /* of this interface: changes with any incompatible change */
#define BOARD_DISPLAY_SCREENS 3u    /* one for each pixel valve */
#define BOARD_DISPLAY_MAX_PX  2048u /* width and height of a screen */

enum board_display_block {
    BOARD_DISPLAY_HVS,
    BOARD_DISPLAY_PV0, /* screen 0, HVS channel 0 */
    BOARD_DISPLAY_PV1, /* screen 1, HVS channel 2 unless DISPCTRL selects another */
    BOARD_DISPLAY_PV2, /* screen 2, HVS channel 1 */
    BOARD_DISPLAY_DPI, /* no interrupt */
    BOARD_DISPLAY_BLOCKS
};

struct board_display;

/* The machine around the blocks. */
struct board_display_machine {
    const uint8_t *memory;  /* what the blocks can read; must stay mapped for their life */
    uint32_t memory_addr;   /* bus address of the first byte: a multiple of 4096 */
    uint32_t memory_size_B; /* the range must end below 4 GiB */
    /* The interrupt line of a block may have changed: board_display_interrupt() tells its level. Called by any thread,
     * also from within board_display_write(), with no lock held; must not call board_display_destroy(). May be NULL. */
    void (*interrupt_changed)(void *data, enum board_display_block block);
    /* A screen has begun a new frame, or has been switched on or off. Called as above, and as often as the screen has
     * frames. May be NULL. */
    void (*frame_shown)(void *data, unsigned screen);
    void *data; /* of both functions */
    /* Of each pixel valve; it gives the refresh rate. 0: 60 frames a second, whatever the mode. */
    uint32_t pixel_clock_hz[BOARD_DISPLAY_SCREENS];
};

/* BOARD_DISPLAY_VERSION of the library, to be compared by those who load it at run time. */
BOARD_DISPLAY_API unsigned board_display_version(void);

/* 0, -EINVAL for a machine that cannot be, or -ENOMEM or -EAGAIN for want of memory or of a thread. */
BOARD_DISPLAY_API int board_display_create(const struct board_display_machine *machine, struct board_display **out);
/* NULL is accepted. */
BOARD_DISPLAY_API void board_display_destroy(struct board_display *display);

/* The size of a block's registers in bytes; 0 for a block that does not exist. */
BOARD_DISPLAY_API uint32_t board_display_size_B(enum board_display_block block);

/* Accesses of the guest's processor: words at multiples of 4 below the block's size. Elsewhere, and where there is no
 * register, reads give 0 and writes are ignored. */
BOARD_DISPLAY_API uint32_t board_display_read(struct board_display *display, enum board_display_block block,
                                              uint32_t offset);
BOARD_DISPLAY_API void board_display_write(struct board_display *display, enum board_display_block block,
                                           uint32_t offset, uint32_t value);

/* Whether the interrupt line of a block is high. */
BOARD_DISPLAY_API bool board_display_interrupt(struct board_display *display, enum board_display_block block);

/* All registers and the display-list memory as after power-on. */
BOARD_DISPLAY_API void board_display_reset(struct board_display *display);

/* The size of a screen's mode; false, and a size of 0, while it is off. */
BOARD_DISPLAY_API bool board_display_mode(struct board_display *display, unsigned screen, uint32_t *width_px_out,
                                          uint32_t *height_px_out);

/* Composes what a screen shows now into XRGB8888 pixels (the X byte is 0), and fills what the mode does not cover with
 * black. `stride_px` is the distance between rows. False, and all black, while the screen is off. Reads the guest's
 * memory while the guest goes on: it takes milliseconds, and a picture is of one moment only if the guest leaves its
 * framebuffer alone for so long. */
BOARD_DISPLAY_API bool board_display_compose(struct board_display *display, unsigned screen, uint32_t *pixels,
                                             uint32_t width_px, uint32_t height_px, uint32_t stride_px);

#endif
