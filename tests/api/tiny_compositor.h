/* SPDX-License-Identifier: MIT
 *
 * A Wayland compositor for tests. It runs on a thread and serves one client over an unnamed socket. It records what the
 * client commits. Options make it slow, withhold protocols, or end it after some commits.
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
    int control_fd;     /* a write ends the thread */
    int client_fd;      /* for wl_display_connect_to_fd() */
    uint32_t period_ms; /* between frame events; 0: none, as for a hidden surface */
    uint32_t held;      /* number of committed buffers kept; one more releases the oldest */
    bool releases_on_tick;       /* releases buffers on the next tick, not within the commit */
    uint32_t exits_after_commits; /* 0: never */
    bool has_shm;
    struct tiny_dmabuf_options dmabuf;

    /* Results, to be read after tiny_compositor_stop() or after a round trip of the client. */
    uint32_t commits;
    uint32_t early_commits; /* commits before the frame event that the client requested */
    uint32_t torn;          /* buffers written while held */
    uint32_t reused;        /* buffers committed again while held */
    uint32_t dmabuf_commits;
    struct tiny_picture picture; /* of the last commit */
    uint8_t *pixels;             /* of the last commit, `width` * `height` * 4 bytes; owned */
    void *state;
};

/* Starts the compositor thread. Returns 0 or an errno. */
int tiny_compositor_start(struct tiny_compositor *compositor);

/* Ends the thread and the connection: the client's next request fails. */
void tiny_compositor_stop(struct tiny_compositor *compositor);

/* Call after tiny_compositor_stop(). */
void tiny_compositor_finish(struct tiny_compositor *compositor);

#endif
