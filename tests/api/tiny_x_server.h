/* SPDX-License-Identifier: MIT
 *
 * An X server of the test's own: one client, on a thread, no socket with a name. It speaks as much of the protocol as
 * presentation needs, DRI3 and Present among it (no other server without a screen has them), keeps what is presented,
 * and can be as old, as slow, as refusing and as mortal as a test needs it.
 */
#ifndef TINY_X_SERVER_H
#define TINY_X_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define TINY_X_MODIFIERS 4
#define TINY_X_ROOT      0x100u

struct tiny_x_server {
    pthread_t thread;
    int control_fd; /* written to: end */
    int client_fd;  /* for xcb_connect_to_fd() */

    uint32_t period_ms;  /* between vertical blanks; 0: there are none */
    uint32_t dri3_minor; /* of version 1; 0 also without modifiers */
    bool has_dri3;
    const char *node; /* what DRI3Open opens */
    uint64_t window_modifiers[TINY_X_MODIFIERS], screen_modifiers[TINY_X_MODIFIERS];
    uint32_t window_modifier_count, screen_modifier_count;
    bool refuses, refuses_tiles; /* pixmaps */
    uint32_t exits_after_presents;         /* pictures; 0: it lives */
    bool keeps_all;              /* no picture is ever idle */

    /* What has been seen; read it after tiny_x_server_stop(). */
    uint32_t pictures, async_pictures, skipped, refused;
    uint32_t early;                         /* pictures that came before the one before was shown, to be shown later */
    uint32_t reused;                        /* presented again before they were idle */
    uint32_t torn;                          /* written while they were read */
    uint32_t put_images;                    /* requests of the copying kind */
    uint32_t pixmaps_left, selections_left; /* at the end */
    uint32_t width, height;                 /* of the last picture */
    uint64_t modifier;
    uint8_t *pixels; /* its rows; owned */
    void *state;
};

/* Starts it as its options say. 0, or an errno. */
int tiny_x_server_start(struct tiny_x_server *server);
/* Ends it: the client's next request finds nobody. */
void tiny_x_server_stop(struct tiny_x_server *server);
/* After the stop. */
void tiny_x_server_finish(struct tiny_x_server *server);

#endif
