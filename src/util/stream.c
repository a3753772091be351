/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "util/stream.h"

void util_stream_init(struct util_stream *s, uint32_t chunk_B, const struct util_alloc *alloc)
{
    *s = (struct util_stream){.alloc = alloc, .chunk_B = util_align(MAX2(chunk_B, UTIL_STREAM_MAX_RESERVE_B), 16)};
    util_list_init(&s->chunks);
}

static void free_chunks_after(struct util_stream *s, struct util_list *keep)
{
    while (keep->next != &s->chunks) {
        struct util_stream_chunk *chunk = util_list_entry(keep->next, struct util_stream_chunk, link);
        util_list_del(&chunk->link);
        util_alloc_put(s->alloc, chunk);
        s->chunk_count--;
    }
}

void util_stream_finish(struct util_stream *s)
{
    if (s->chunks.next)
        free_chunks_after(s, &s->chunks);
}

void util_stream_reset(struct util_stream *s)
{
    if (!util_list_is_empty(&s->chunks)) {
        struct util_stream_chunk *first = util_list_first(&s->chunks, struct util_stream_chunk, link);
        free_chunks_after(s, &first->link);
        first->used_B = 0;
    }
    s->size_B = 0;
    s->failed = false;
}

static struct util_stream_chunk *add_chunk(struct util_stream *s)
{
    struct util_stream_chunk *chunk = s->failed ? NULL : util_alloc_get(s->alloc, sizeof *chunk + s->chunk_B);
    if (!chunk) {
        s->failed = true;
        return NULL;
    }
    *chunk = (struct util_stream_chunk){.capacity_B = s->chunk_B};
    util_list_add_tail(&s->chunks, &chunk->link);
    s->chunk_count++;
    return chunk;
}

/* The last chunk if it has room for `size_B` more bytes, else a new one; NULL after a failure. */
static struct util_stream_chunk *chunk_with_room(struct util_stream *s, uint32_t size_B)
{
    if (s->failed)
        return NULL;
    if (!util_list_is_empty(&s->chunks)) {
        struct util_stream_chunk *last = util_list_last(&s->chunks, struct util_stream_chunk, link);
        if (last->capacity_B - last->used_B >= size_B)
            return last;
    }
    return add_chunk(s);
}

void *util_stream_reserve(struct util_stream *s, uint32_t size_B)
{
    assert(size_B <= UTIL_STREAM_MAX_RESERVE_B);
    struct util_stream_chunk *chunk = chunk_with_room(s, size_B);
    if (!chunk)
        return s->scratch;
    void *at = chunk->data + chunk->used_B;
    chunk->used_B += size_B;
    s->size_B += size_B;
    return at;
}

void util_stream_write(struct util_stream *s, const void *data, uint32_t size_B)
{
    const uint8_t *from = data;
    while (size_B) {
        struct util_stream_chunk *chunk = chunk_with_room(s, 1);
        if (!chunk)
            return;
        uint32_t part_B = MIN2(size_B, chunk->capacity_B - chunk->used_B);
        memcpy(chunk->data + chunk->used_B, from, part_B);
        chunk->used_B += part_B;
        s->size_B += part_B;
        from += part_B;
        size_B -= part_B;
    }
}

void util_stream_gather(const struct util_stream *s, void *out)
{
    uint8_t *to = out;
    util_list_for_each(struct util_stream_chunk, chunk, &s->chunks, link) {
        memcpy(to, chunk->data, chunk->used_B);
        to += chunk->used_B;
    }
}
