/* SPDX-License-Identifier: MIT
 *
 * Arena: many small allocations, one release. Memory is zeroed unless said otherwise. Blocks never move. Arenas that
 * are filled again and again may share a cache of blocks.
 *
 * Out of memory: with `on_oom` set, allocation jumps there (the compiler's way out of any depth); otherwise it
 * returns NULL.
 *
 * Under AddressSanitizer what was not handed out may not be touched, and some of that lies behind every allocation; memory
 * that is not zeroed is filled with a pattern.
 */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <setjmp.h>
#include "util/alloc.h"

#if defined(__SANITIZE_ADDRESS__)
#define UTIL_ARENA_IS_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UTIL_ARENA_IS_WATCHED
#endif
#endif

#ifdef UTIL_ARENA_IS_WATCHED
#define UTIL_ARENA_GAP_B ((size_t)32) /* behind each allocation */
#else
#define UTIL_ARENA_GAP_B ((size_t)0)
#endif

struct util_arena_block;

/* Blocks that no arena has. Not thread safe. */
struct util_arena_cache {
    const struct util_alloc *alloc; /* not owned; NULL = C library */
    struct util_arena_block *blocks;
};

static inline void util_arena_cache_init(struct util_arena_cache *cache, const struct util_alloc *alloc)
{
    *cache = (struct util_arena_cache){alloc, NULL};
}

/* Gives all blocks back. */
void util_arena_cache_drop(struct util_arena_cache *cache);

struct util_arena {
    const struct util_alloc *alloc;  /* not owned; NULL = C library */
    struct util_arena_cache *cache;  /* not owned; where its blocks come from and go to, or NULL */
    struct util_arena_block *blocks; /* newest first */
    char *next, *end;                /* free part of the newest block */
    size_t used_B;                   /* all that was handed out */
    size_t limit_B;                  /* refuse to grow past this; 0 = no limit */
    jmp_buf *on_oom;                 /* not owned */
};

void util_arena_init(struct util_arena *arena, const struct util_alloc *alloc);
void util_arena_init_cached(struct util_arena *arena, struct util_arena_cache *cache);
void util_arena_finish(struct util_arena *arena); /* may be used again */

/* Not zeroed, aligned to 16. */
void *util_arena_alloc_raw_slow(struct util_arena *arena, size_t size_B);

static inline void *util_arena_alloc_raw(struct util_arena *arena, size_t size_B)
{
    const size_t padding_B = -(uintptr_t)arena->next & 15;
    if (UTIL_ARENA_GAP_B || arena->limit_B || padding_B + size_B > (size_t)(arena->end - arena->next))
        return util_arena_alloc_raw_slow(arena, size_B);
    void *at = arena->next + padding_B;
    arena->next += padding_B + size_B;
    arena->used_B += size_B;
    return at;
}

/* `align_B` is a power of two up to 64. */
void *util_arena_alloc_aligned(struct util_arena *arena, size_t size_B, size_t align_B);

static inline void *util_arena_alloc(struct util_arena *arena, size_t size_B)
{
    return util_arena_alloc_aligned(arena, size_B, 16);
}

/* NULL (or the jump) when n * size_B overflows as well. */
void *util_arena_alloc_array(struct util_arena *arena, size_t n, size_t size_B);
char *util_arena_strdup(struct util_arena *arena, const char *s);
char *util_arena_printf(struct util_arena *arena, const char *fmt, ...) UTIL_PRINTF(2, 3);

#define util_arena_new(arena, type)          ((type *)util_arena_alloc(arena, sizeof(type)))
#define util_arena_new_array(arena, type, n) ((type *)util_arena_alloc_array(arena, n, sizeof(type)))

#endif
