/* SPDX-License-Identifier: MIT
 *
 * Arena: a list of blocks. Each block is twice as large as the one before, up to a maximum. With a cache all blocks
 * have the same size, except for allocations that need a larger one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/arena.h"
#ifdef UTIL_ARENA_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

#define FIRST_BLOCK_B ((size_t)4096)
#define MAX_BLOCK_B   ((size_t)256 * 1024)
#define CACHED_B      ((size_t)16 * 1024)
#define RAW_PATTERN   0xa5

struct util_arena_block {
    struct util_arena_block *older;
    size_t size_B;
};

static void poison(void *at, size_t size_B)
{
#ifdef UTIL_ARENA_HAS_ASAN
    __asan_poison_memory_region(at, size_B);
#endif
}

static void unpoison(void *at, size_t size_B)
{
#ifdef UTIL_ARENA_HAS_ASAN
    __asan_unpoison_memory_region(at, size_B);
#endif
}

void util_arena_init(struct util_arena *arena, const struct util_alloc *alloc)
{
    *arena = (struct util_arena){.alloc = alloc};
}

void util_arena_init_cached(struct util_arena *arena, struct util_arena_cache *cache)
{
    *arena = (struct util_arena){.alloc = cache->alloc, .cache = cache};
}

static void free_blocks(struct util_arena_block *block, struct util_arena_cache *to, const struct util_alloc *alloc)
{
    while (block) {
        struct util_arena_block *older = block->older;
        unpoison(block + 1, block->size_B);
        if (to && block->size_B == CACHED_B) {
            block->older = to->blocks;
            to->blocks = block;
        } else {
            util_alloc_put(alloc, block);
        }
        block = older;
    }
}

void util_arena_cache_drop(struct util_arena_cache *cache)
{
    free_blocks(cache->blocks, NULL, cache->alloc);
    cache->blocks = NULL;
}

void util_arena_finish(struct util_arena *arena)
{
    free_blocks(arena->blocks, arena->cache, arena->alloc);
    *arena = (struct util_arena){.alloc = arena->alloc, .cache = arena->cache};
}

static void *out_of_memory(struct util_arena *arena)
{
    if (arena->on_oom)
        longjmp(*arena->on_oom, 1);
    return NULL;
}

static struct util_arena_block *take_cached(struct util_arena_cache *cache, size_t size_B)
{
    struct util_arena_block *block = cache && size_B == CACHED_B ? cache->blocks : NULL;
    if (block)
        cache->blocks = block->older;
    return block;
}

static size_t block_size_B(const struct util_arena *arena, size_t need_B)
{
    const size_t next_B = arena->cache    ? CACHED_B
                          : arena->blocks ? MIN2(arena->blocks->size_B * 2, MAX_BLOCK_B)
                                          : FIRST_BLOCK_B;
    return MAX2(next_B, need_B);
}

static bool grow(struct util_arena *arena, size_t need_B)
{
    const size_t size_B = block_size_B(arena, need_B);
    struct util_arena_block *block = take_cached(arena->cache, size_B);
    if (!block)
        block = util_alloc_get(arena->alloc, sizeof *block + size_B);
    if (!block)
        return false;
    *block = (struct util_arena_block){.older = arena->blocks, .size_B = size_B};
    arena->blocks = block;
    arena->next = (char *)(block + 1);
    arena->end = arena->next + size_B;
    poison(arena->next, size_B);
    return true;
}

static void *take(struct util_arena *arena, size_t size_B, size_t align_B)
{
    if (size_B > SIZE_MAX / 2 || (arena->limit_B && arena->used_B + size_B > arena->limit_B))
        return out_of_memory(arena);
    uintptr_t at = ((uintptr_t)arena->next + align_B - 1) & ~(uintptr_t)(align_B - 1);
    if (!arena->next || at > (uintptr_t)arena->end || size_B > (uintptr_t)arena->end - at) {
        if (!grow(arena, size_B + align_B + UTIL_ARENA_GAP_B))
            return out_of_memory(arena);
        at = ((uintptr_t)arena->next + align_B - 1) & ~(uintptr_t)(align_B - 1);
    }
    unpoison((void *)at, size_B);
    arena->next = (char *)at + size_B;
    arena->next += MIN2(UTIL_ARENA_GAP_B, (size_t)(arena->end - arena->next));
    arena->used_B += size_B;
    return (void *)at;
}

void *util_arena_alloc_raw_slow(struct util_arena *arena, size_t size_B)
{
    void *at = take(arena, size_B, 16);
    return at && UTIL_ARENA_GAP_B ? memset(at, RAW_PATTERN, size_B) : at;
}

void *util_arena_alloc_aligned(struct util_arena *arena, size_t size_B, size_t align_B)
{
    void *at = take(arena, size_B, align_B);
    return at ? memset(at, 0, size_B) : NULL;
}

void *util_arena_alloc_array(struct util_arena *arena, size_t n, size_t size_B)
{
    size_t total_B;
    if (__builtin_mul_overflow(n, size_B, &total_B))
        return out_of_memory(arena);
    return util_arena_alloc(arena, total_B);
}

char *util_arena_strdup(struct util_arena *arena, const char *s)
{
    size_t size_B = strlen(s) + 1;
    char *copy = util_arena_alloc_aligned(arena, size_B, 1);
    return copy ? memcpy(copy, s, size_B) : NULL;
}

char *util_arena_printf(struct util_arena *arena, const char *fmt, ...)
{
    va_list va;
    va_start(va, fmt);
    int len = vsnprintf(NULL, 0, fmt, va);
    va_end(va);
    size_t size_B = len < 0 ? 1 : (size_t)len + 1;
    char *text = util_arena_alloc_aligned(arena, size_B, 1);
    if (text && size_B > 1) {
        va_start(va, fmt);
        vsnprintf(text, size_B, fmt, va);
        va_end(va);
    }
    return text;
}
