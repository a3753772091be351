/* SPDX-License-Identifier: MIT
 *
 * Functions for tests, found with dlsym: they read the screen of the shim's display and change its state.
 */
#ifndef SHIM_SHIM_SCREEN_H
#define SHIM_SHIM_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

struct vc4_shim_screen {
    bool is_on;
    uint32_t width_px, height_px; /* of the mode */
    uint32_t refresh_mhz;         /* thousandths of a Hz */
    uint64_t vblanks;             /* since the mode was set */
    uint64_t flips;               /* images that replaced another one, since the process started */
    uint64_t modesets;
    uint64_t dumb_buffers; /* ever created */
    uint64_t torn;         /* images that were written to while they were on the screen */
};

/* Reads the state of the display. If `pixels` is not NULL and width x height words fit its `capacity`, reads the screen
 * as well, as words 0x??RRGGBB, black outside the plane. Symbol "vc4_shim_read_screen". */
typedef void (*vc4_shim_read_screen_fn)(struct vc4_shim_screen *out, uint32_t *pixels, uint32_t capacity);

/* Connects or disconnects the display and sends a uevent. Symbol "vc4_shim_plug". */
typedef void (*vc4_shim_plug_fn)(bool is_plugged);

/* Simulates that another program becomes DRM master, as on a switch of the virtual terminal, or gives it up. Afterwards
 * no file of this process is master. Symbol "vc4_shim_take_master". */
typedef void (*vc4_shim_take_master_fn)(bool is_taken);

#endif
