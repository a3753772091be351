/* SPDX-License-Identifier: MIT
 *
 * What tests may ask of the shim's display, and do to it: functions that they find with dlsym.
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
    uint64_t flips;               /* pictures that have replaced another one, since the process began */
    uint64_t modesets;
    uint64_t dumb_buffers; /* that there ever were */
    uint64_t torn;         /* pictures that were written to while they were shown */
};

/* The state, and, where `pixels` is not NULL, what is shown as width x height words 0x??RRGGBB: black where no plane
 * is. At most `capacity` words. Symbol "vc4_shim_read_screen". */
typedef void (*vc4_shim_read_screen_fn)(struct vc4_shim_screen *out, uint32_t *pixels, uint32_t capacity);

/* Plugs the display in or pulls it out, which the kernel's uevents say. Symbol "vc4_shim_plug". */
typedef void (*vc4_shim_plug_fn)(bool is_plugged);

/* Another program takes the display, as when the user goes to another virtual terminal, or gives it back: then nobody
 * is its master. Symbol "vc4_shim_take_master". */
typedef void (*vc4_shim_take_master_fn)(bool is_taken);

#endif
