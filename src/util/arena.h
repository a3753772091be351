/* SPDX-License-Identifier: MIT
 *
 * Arena: many small allocations that are freed together. Memory is zeroed unless a function says otherwise. Blocks
 * never move. Arenas that are filled and emptied repeatedly may share a cache of blocks.
 *
 * Out of memory: with `on_oom` set, allocation jumps there (the compiler leaves any call depth this way); otherwise it
 * returns NULL.
 *
 * Under AddressSanitizer unallocated memory is poisoned, a poisoned gap follows each allocation, and memory that is not
 * zeroed is filled with a pattern.
 */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <setjmp.h>
#include "util/alloc.h"

#if defined(__SANITIZE_ADDRESS__)
#define UTIL_ARENA_HAS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UTIL_ARENA_HAS_ASAN
#endif
#endif

#ifdef UTIL_ARENA_HAS_ASAN
#define UTIL_ARENA_GAP_B ((size_t)32) /* poisoned bytes after each allocation */
#else
#define UTIL_ARENA_GAP_B ((size_t)0)
#endif

struct util_arena_block;

/* Free blocks, shared by arenas. Not thread safe. */
struct util_arena_cache {
    const struct util_alloc *alloc; /* not owned; NULL = C library */
    struct util_arena_block *blocks;
};

static inline void util_arena_cache_init(struct util_arena_cache *cache, const struct util_alloc *alloc)
{
    *cache = (struct util_arena_cache){alloc, NULL};
}

/* Frees all blocks. */
void util_arena_cache_drop(struct util_arena_cache *cache);

struct util_arena {
    const struct util_alloc *alloc;  /* not owned; NULL = C library */
    struct util_arena_cache *cache;  /* not owned; blocks are taken from here and returned to it; or NULL */
    struct util_arena_block *blocks; /* newest first */
    char *next, *end;                /* free part of the newest block */
    size_t used_B;                   /* sum of all allocations */
    size_t limit_B;                  /* allocations that exceed this in total fail; 0 = no limit */
    jmp_buf *on_oom;                 /* not owned */
};

void util_arena_init(struct util_arena *arena, const struct util_alloc *alloc);
void util_arena_init_cached(struct util_arena *arena, struct util_arena_cache *cache);
void util_arena_finish(struct util_arena *arena); /* the arena may be used again afterwards */

/* Memory that is not zeroed, aligned to 16. */
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

/* An overflow of n * size_B counts as out of memory. */
void *util_arena_alloc_array(struct util_arena *arena, size_t n, size_t size_B);
char *util_arena_strdup(struct util_arena *arena, const char *s);
char *util_arena_printf(struct util_arena *arena, const char *fmt, ...) UTIL_PRINTF(2, 3);

#define util_arena_new(arena, type)          ((type *)util_arena_alloc(arena, sizeof(type)))
#define util_arena_new_array(arena, type, n) ((type *)util_arena_alloc_array(arena, n, sizeof(type)))

#endif
