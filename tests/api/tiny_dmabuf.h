/* SPDX-License-Identifier: MIT
 *
 * zwp_linux_dmabuf_v1 of the tests' compositor (tiny_compositor.h): buffers that are memory of a device, mapped and
 * read by the CPU whatever their tiling.
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
    uint32_t version; /* 3: events of modifiers; 4: feedback. 0: the global is not there */
    dev_t device;     /* the main device of the feedback */
    uint64_t modifiers[TINY_DMABUF_MODIFIERS];
    uint32_t modifier_count;
    bool truncates_table;      /* the feedback's table has no rows any more when the client reads it */
    bool refuses;         /* every buffer */
    bool refuses_tiles;   /* those that are not linear */
    uint32_t refused;     /* counted */
    const char *mistakes; /* of the client's against the protocol: the last one, or NULL */
};

struct tiny_dmabuf {
    uint8_t *map;
    size_t map_B;
    uint32_t offset_B, stride_B, width, height;
    uint32_t format; /* of DRM */
    uint64_t modifier;
};

/* `options` are read as long as the display lives. */
void tiny_dmabuf_add(struct wl_display *display, struct tiny_dmabuf_options *options);

/* NULL: a buffer of another kind. */
const struct tiny_dmabuf *tiny_dmabuf_get(struct wl_resource *buffer);

/* Maps a picture of the given shape, which is behind a descriptor that stays the caller's. NULL when it cannot be. */
struct tiny_dmabuf *tiny_dmabuf_map(int fd, const struct tiny_dmabuf *shape);
void tiny_dmabuf_unmap(struct tiny_dmabuf *dmabuf);
/* The picture as rows of width * 4 bytes. */
void tiny_dmabuf_read(const struct tiny_dmabuf *dmabuf, uint8_t *rows);

#endif
