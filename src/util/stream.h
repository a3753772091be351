/* SPDX-License-Identifier: MIT
 *
 * Memory stream: bytes written into a chain of chunks of a fixed size. It grows by adding a chunk and never moves what
 * is written, so pointers into it stay valid until it is reset. Control lists and draws are recorded into such streams
 * and gathered once, when their job is issued.
 *
 * An allocation failure is sticky: `failed` is set and later writes go to a scratch buffer and are lost, so callers
 * need not check for NULL (the command buffer reports the failure at its end).
 */
#ifndef UTIL_STREAM_H
#define UTIL_STREAM_H

#include "util/alloc.h"

#define UTIL_STREAM_MAX_RESERVE_B 64

struct util_stream_chunk {
    struct util_stream_chunk *next; /* newer */
    uint32_t used_B;                /* valid in all chunks but the newest */
    _Alignas(8) uint8_t data[];
};

struct util_stream {
    const struct util_alloc *alloc;         /* not owned; NULL = C library */
    struct util_stream_chunk *first, *last; /* oldest, newest */
    uint8_t *next, *end;                    /* the free part of the newest */
    uint32_t chunk_B;                       /* capacity of a chunk, at least UTIL_STREAM_MAX_RESERVE_B */
    uint32_t chunk_count;
    uint32_t size_B;                                        /* number of bytes written */
    bool failed;                                            /* a chunk could not be allocated; contents are invalid */
    _Alignas(8) uint8_t scratch[UTIL_STREAM_MAX_RESERVE_B]; /* where writes go after a failure */
};

/* Allocates nothing yet. `chunk_B` is raised to UTIL_STREAM_MAX_RESERVE_B and rounded up to a multiple of 16. */
void util_stream_init(struct util_stream *s, uint32_t chunk_B, const struct util_alloc *alloc);
void util_stream_finish(struct util_stream *s);
/* Empties the stream and clears `failed`; keeps the first chunk for the next use. */
void util_stream_reset(struct util_stream *s);

/* util_stream_reserve when the current chunk is full. */
void *util_stream_reserve_slow(struct util_stream *s, uint32_t size_B);

/* Reserves `size_B` contiguous bytes (at most UTIL_STREAM_MAX_RESERVE_B), counted as written. Never NULL. */
static inline void *util_stream_reserve(struct util_stream *s, uint32_t size_B)
{
    assert(size_B <= UTIL_STREAM_MAX_RESERVE_B);
    if ((size_t)(s->end - s->next) < size_B)
        return util_stream_reserve_slow(s, size_B);
    void *at = s->next;
    s->next += size_B;
    s->size_B += size_B;
    return at;
}

/* Copies any number of bytes, split over chunks where needed. */
void util_stream_write(struct util_stream *s, const void *data, uint32_t size_B);

static inline void util_stream_write_u32(struct util_stream *s, uint32_t word)
{
    util_stream_write(s, &word, sizeof word);
}

/* A position in a stream. Invalid once the stream is reset. */
struct util_stream_place {
    const struct util_stream_chunk *chunk; /* NULL: the beginning of a stream that was empty */
    uint32_t in_chunk_B;
    uint32_t in_stream_B;
};

/* The position of the next byte to be written. */
struct util_stream_place util_stream_end(const struct util_stream *s);

/* Copies `size_B` bytes, all of them written, from position `from` on. */
void util_stream_gather_from(const struct util_stream *s, struct util_stream_place from, uint32_t size_B, void *out);

/* Copies the whole stream to `out`, which holds s->size_B bytes. */
void util_stream_gather(const struct util_stream *s, void *out);

#endif
