/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "util/stream.h"

void util_stream_init(struct util_stream *s, uint32_t chunk_B, const struct util_alloc *alloc)
{
    *s = (struct util_stream){.alloc = alloc, .chunk_B = util_align(MAX2(chunk_B, UTIL_STREAM_MAX_RESERVE_B), 16)};
}

static void free_chunks(struct util_stream *s, struct util_stream_chunk *chunk)
{
    while (chunk) {
        struct util_stream_chunk *next = chunk->next;
        util_alloc_put(s->alloc, chunk);
        chunk = next;
    }
}

void util_stream_finish(struct util_stream *s)
{
    free_chunks(s, s->first);
    util_stream_init(s, s->chunk_B, s->alloc);
}

static void begin_chunk(struct util_stream *s, struct util_stream_chunk *chunk)
{
    *chunk = (struct util_stream_chunk){.next = NULL};
    s->last = chunk;
    s->next = chunk->data;
    s->end = chunk->data + s->chunk_B;
}

void util_stream_reset(struct util_stream *s)
{
    struct util_stream_chunk *first = s->first;
    free_chunks(s, first ? first->next : NULL);
    util_stream_init(s, s->chunk_B, s->alloc);
    if (!first)
        return;
    s->first = first;
    s->chunk_count = 1;
    begin_chunk(s, first);
}

static bool add_chunk(struct util_stream *s)
{
    struct util_stream_chunk *chunk = s->failed ? NULL : util_alloc_get(s->alloc, sizeof *chunk + s->chunk_B);
    if (!chunk || s->size_B > UINT32_MAX - s->chunk_B) {
        util_alloc_put(s->alloc, chunk);
        s->failed = true;
        s->next = s->end = NULL; /* later writes go to `scratch` or nowhere */
        return false;
    }
    if (s->last) {
        s->last->used_B = (uint32_t)(s->next - s->last->data);
        s->last->next = chunk;
    } else {
        s->first = chunk;
    }
    s->chunk_count++;
    begin_chunk(s, chunk);
    return true;
}

void *util_stream_reserve_slow(struct util_stream *s, uint32_t size_B)
{
    return add_chunk(s) ? util_stream_reserve(s, size_B) : s->scratch;
}

void util_stream_write(struct util_stream *s, const void *data, uint32_t size_B)
{
    const uint8_t *from = data;
    while (size_B) {
        if (s->next == s->end && !add_chunk(s))
            return;
        const uint32_t part_B = MIN2(size_B, (uint32_t)(s->end - s->next));
        memcpy(s->next, from, part_B);
        s->next += part_B;
        s->size_B += part_B;
        from += part_B;
        size_B -= part_B;
    }
}

struct util_stream_place util_stream_end(const struct util_stream *s)
{
    return (struct util_stream_place){s->last, s->last ? (uint32_t)(s->next - s->last->data) : 0, s->size_B};
}

static uint32_t used_B(const struct util_stream *s, const struct util_stream_chunk *chunk)
{
    return chunk == s->last ? (uint32_t)(s->next - chunk->data) : chunk->used_B;
}

void util_stream_gather_from(const struct util_stream *s, struct util_stream_place from, uint32_t size_B, void *out)
{
    uint8_t *to = out;
    uint32_t at_B = from.in_chunk_B;
    for (const struct util_stream_chunk *chunk = from.chunk ? from.chunk : s->first; size_B; chunk = chunk->next) {
        const uint32_t part_B = MIN2(size_B, used_B(s, chunk) - at_B);
        memcpy(to, chunk->data + at_B, part_B);
        to += part_B;
        size_B -= part_B;
        at_B = 0;
    }
}

void util_stream_gather(const struct util_stream *s, void *out)
{
    util_stream_gather_from(s, (struct util_stream_place){NULL, 0, 0}, s->size_B, out);
}
