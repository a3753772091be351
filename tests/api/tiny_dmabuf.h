/* SPDX-License-Identifier: MIT
 *
 * zwp_linux_dmabuf_v1 for the tests' compositor (tiny_compositor.h). Its buffers are device memory, which the
 * compositor maps and reads on the CPU, whatever their tiling.
 */
#ifndef TINY_DMABUF_H
#define TINY_DMABUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct wl_display;
struct wl_resource;

#define TINY_DMABUF_MODIFIERS 4

struct tiny_dmabuf_options {
    uint32_t version; /* 3: modifier events; 4: feedback; 0: no such global */
    dev_t device;     /* the main device of the feedback */
    uint64_t modifiers[TINY_DMABUF_MODIFIERS];
    uint32_t modifier_count;
    bool truncates_table; /* truncates the feedback's table before the client reads it */
    bool refuses;         /* refuses every buffer */
    bool refuses_tiles;   /* refuses buffers that are not linear */
    uint32_t refused;     /* number of buffers refused */
    const char *mistakes; /* the client's last protocol error, or NULL */
};

struct tiny_dmabuf {
    uint8_t *map;
    size_t map_B;
    uint32_t offset_B, stride_B, width, height;
    uint32_t format; /* DRM_FORMAT_ */
    uint64_t modifier;
};

/* `options` must outlive the display. */
void tiny_dmabuf_add(struct wl_display *display, struct tiny_dmabuf_options *options);

/* NULL if `buffer` is not a dmabuf. */
const struct tiny_dmabuf *tiny_dmabuf_get(struct wl_resource *buffer);

/* Maps the image of the given shape behind `fd`, which stays the caller's. NULL when it is too small or cannot be
 * mapped. */
struct tiny_dmabuf *tiny_dmabuf_map(int fd, const struct tiny_dmabuf *shape);
void tiny_dmabuf_unmap(struct tiny_dmabuf *dmabuf);
/* Copies the image into linear rows of width * 4 bytes. */
void tiny_dmabuf_read(const struct tiny_dmabuf *dmabuf, uint8_t *rows);

#endif
