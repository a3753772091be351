/* SPDX-License-Identifier: MIT
 *
 * Encodes PNG files with stb_image_write, whose functions are compiled into this module as static ones. No PNG or
 * compression library gets into the processes of applications, which may have their own versions of them.
 */
#ifndef UTIL_PNG_H
#define UTIL_PNG_H

#include "util/alloc.h"

struct util_png_image {
    const uint8_t *rgb; /* rows from top to bottom, three bytes per pixel, without gaps */
    uint32_t width_px, height_px;
};

/* Encodes an image of at most 2 GiB and passes the file to `put`, in one or more pieces. Returns false when out of
 * memory; `put` is not called in that case. */
bool util_png_encode(const struct util_png_image *image, const struct util_alloc *alloc,
                     void (*put)(void *data, const void *bytes, size_t size_B), void *data) UTIL_MUST_CHECK;

#endif
