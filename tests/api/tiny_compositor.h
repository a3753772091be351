/* SPDX-License-Identifier: MIT
 *
 * A Wayland compositor of the test's own: one client, on a thread, no socket with a name. It keeps what the client
 * commits, and can be as slow, as blind and as mortal as a test needs it.
 */
#ifndef TINY_COMPOSITOR_H
#define TINY_COMPOSITOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include "tiny_dmabuf.h"

struct wl_display;

struct tiny_picture {
    uint32_t width, height;
    uint32_t format; /* of wl_shm, or of DRM with is_dmabuf */
    bool is_dmabuf;
    uint64_t modifier;
};

struct tiny_compositor {
    pthread_t thread;
    int control_fd;     /* written to: end */
    int client_fd;      /* for wl_display_connect_to_fd() */
    uint32_t period_ms; /* between frame events; 0: the surface is hidden, there are none */
    uint32_t held;      /* so many committed buffers are kept before the oldest is released */
    bool releases_on_tick;       /* not at the commit that makes a buffer one too many */
    uint32_t exits_after_commits; /* 0: it lives */
    bool has_shm;
    struct tiny_dmabuf_options dmabuf;

    /* What has been seen; read it after tiny_compositor_stop(), or after a round trip of the client's. */
    uint32_t commits;
    uint32_t early_commits; /* a picture that came before the frame event that was asked for */
    uint32_t torn;          /* buffers that were written while they were held */
    uint32_t reused;        /* buffers that were committed again while they were held */
    uint32_t dmabuf_commits;
    struct tiny_picture picture; /* of the last commit */
    uint8_t *pixels;             /* its rows, `width` * `height` * 4; owned */
    void *state;
};

/* Starts it as its options say. 0, or an errno. */
int tiny_compositor_start(struct tiny_compositor *compositor);

/* Ends it: the client's next request finds nobody. */
void tiny_compositor_stop(struct tiny_compositor *compositor);

/* After the stop. */
void tiny_compositor_finish(struct tiny_compositor *compositor);

#endif
