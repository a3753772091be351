/* SPDX-License-Identifier: MIT
 *
 * Messages between fuzz.py and its servers, on stdin and stdout: a 32-bit byte count in host order, then the bytes. A
 * writer never sends more than its reader can buffer. A server that reads the end of the stream exits.
 */
#ifndef GLSL_WIRE_H
#define GLSL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message being read or written. Reading past its end is an error of the sender, and ends the process. */
struct wire {
    unsigned char *bytes;
    size_t at, size_B, capacity_B;
};

static inline void wire_room(struct wire *w, size_t size_B)
{
    if (size_B <= w->capacity_B)
        return;
    w->capacity_B = size_B + size_B / 2;
    w->bytes = realloc(w->bytes, w->capacity_B);
    if (!w->bytes) {
        fprintf(stderr, "no memory for a message of %zu bytes\n", size_B);
        exit(2);
    }
}

/* False at the end of the stream. */
static inline bool wire_receive(struct wire *w)
{
    uint32_t size_B;
    if (fread(&size_B, 1, sizeof size_B, stdin) != sizeof size_B)
        return false;
    wire_room(w, size_B);
    w->at = 0;
    w->size_B = size_B;
    return fread(w->bytes, 1, size_B, stdin) == size_B;
}

static inline const void *wire_take(struct wire *w, size_t size_B)
{
    if (size_B > w->size_B - w->at) {
        fprintf(stderr, "a message of %zu bytes ends too early\n", w->size_B);
        exit(2);
    }
    const void *p = w->bytes + w->at;
    w->at += size_B;
    return p;
}

static inline uint32_t wire_u32(struct wire *w)
{
    uint32_t v;
    memcpy(&v, wire_take(w, sizeof v), sizeof v);
    return v;
}

static inline void wire_put(struct wire *w, const void *bytes, size_t size_B)
{
    wire_room(w, w->size_B + size_B);
    memcpy(w->bytes + w->size_B, bytes, size_B);
    w->size_B += size_B;
}

static inline void wire_put_u32(struct wire *w, uint32_t v)
{
    wire_put(w, &v, sizeof v);
}

/* Sends the message and empties it. */
static inline void wire_send(struct wire *w)
{
    const uint32_t size_B = (uint32_t)w->size_B;
    if (fwrite(&size_B, 1, sizeof size_B, stdout) != sizeof size_B ||
        fwrite(w->bytes, 1, w->size_B, stdout) != w->size_B || fflush(stdout))
        exit(2);
    w->size_B = 0;
}

#endif
