/* SPDX-License-Identifier: MIT
 *
 * An X server for tests. It runs on a thread and serves one client over an unnamed socket. It implements what
 * presentation needs of the protocol, including DRI3 and Present, which no other server without a screen has, and
 * records what is presented. Options make it old or slow, make it refuse pixmaps, or end it after some presents.
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
    int control_fd; /* a write ends the thread */
    int client_fd;  /* for xcb_connect_to_fd() */

    uint32_t period_ms;  /* between vertical blanks; 0: none */
    uint32_t dri3_minor; /* of version 1; 0: no modifiers */
    bool has_dri3;
    const char *node; /* path that DRI3Open opens */
    uint64_t window_modifiers[TINY_X_MODIFIERS], screen_modifiers[TINY_X_MODIFIERS];
    uint32_t window_modifier_count, screen_modifier_count;
    bool refuses, refuses_tiles;   /* every pixmap, or those that are not linear */
    uint32_t exits_after_presents; /* number of presents; 0: never */
    bool keeps_all;                /* never sends IdleNotify */

    /* Results, to be read after tiny_x_server_stop(). */
    uint32_t pictures, async_pictures, skipped, refused;
    uint32_t early;                         /* presents for a later MSC while another one was pending */
    uint32_t reused;                        /* pixmaps presented again before they were idle */
    uint32_t torn;                          /* pixmaps written before they were idle */
    uint32_t put_images;                    /* PutImage requests, the path that copies */
    uint32_t pixmaps_left, selections_left; /* not freed by the client */
    uint32_t width, height;                 /* of the last pixmap shown */
    uint64_t modifier;
    uint8_t *pixels; /* of the last pixmap shown; owned */
    void *state;
};

/* Starts the server thread. Returns 0 or an errno. */
int tiny_x_server_start(struct tiny_x_server *server);
/* Ends the thread and the connection: the client's next request fails. */
void tiny_x_server_stop(struct tiny_x_server *server);
/* Call after tiny_x_server_stop(). */
void tiny_x_server_finish(struct tiny_x_server *server);

#endif
