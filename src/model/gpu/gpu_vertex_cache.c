/* SPDX-License-Identifier: MIT
 *
 * Cache of shaded vertices. Nodes are published with release stores, and never change or move until the job ends.
 */
#include <stdlib.h>
#include "model/gpu/gpu_vertex_cache.h"

/* At least twice the number of draws in a list (GPU_PTB_DRAWS_MAX), so an undamaged job never fills more than half of
 * it. */
#define SLOTS 16384

struct gpu_vertex_cache {
    struct gpu_cached_shader *slot[SLOTS];
    uint16_t used[SLOTS]; /* indices of the slots in use */
    uint32_t used_count;
};

struct gpu_vertex_cache *gpu_vertex_cache_create(void)
{
    return calloc(1, sizeof(struct gpu_vertex_cache));
}

void gpu_vertex_cache_destroy(struct gpu_vertex_cache *cache)
{
    free(cache);
}

void gpu_vertex_cache_reset(struct gpu_vertex_cache *cache)
{
    for (uint32_t i = 0; i < cache->used_count; i++)
        cache->slot[cache->used[i]] = NULL;
    cache->used_count = 0;
}

static bool same_state(const struct cl_gl_shader_state *a, const struct cl_gl_shader_state *b)
{
    return a->address == b->address && a->attribute_count == b->attribute_count && a->extended == b->extended;
}

static struct gpu_cached_shader *create_shader(const struct gpu_memory *mem, struct util_arena *arena,
                                               const struct cl_gl_shader_state *state, enum gpu_status *status_out,
                                               const char **message_out)
{
    struct gpu_cached_shader *s = util_arena_new(arena, struct gpu_cached_shader);
    if (!s) {
        *status_out = GPU_OUT_OF_HOST_MEMORY;
        *message_out = "out of host memory for a shader record";
        return NULL;
    }
    *status_out = GPU_HANG;
    if (!gpu_shader_read(mem, state, &s->shader, message_out))
        return NULL;
    s->state = *state;
    s->words = gpu_shader_output_words(&s->shader, GPU_STAGE_VERTEX);
    return s;
}

struct gpu_cached_shader *gpu_vertex_cache_shader(struct gpu_vertex_cache *cache, const struct gpu_memory *mem,
                                                  struct util_arena *arena, const struct cl_gl_shader_state *state,
                                                  enum gpu_status *status_out, const char **message_out)
{
    struct gpu_cached_shader *made = NULL;
    uint32_t start = (state->address >> 4) * 2654435761u >> 18; /* 14 bits */
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct gpu_cached_shader **slot = &cache->slot[(start + i) % SLOTS];
        struct gpu_cached_shader *found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
        if (!found) {
            if (!made && !(made = create_shader(mem, arena, state, status_out, message_out)))
                return NULL;
            if (__atomic_compare_exchange_n(slot, &found, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                cache->used[__atomic_fetch_add(&cache->used_count, 1, __ATOMIC_RELAXED)] =
                    (uint16_t)(slot - cache->slot);
                return made;
            }
        }
        if (same_state(&found->state, state))
            return found;
    }
    *status_out = GPU_HANG;
    *message_out = "tile lists name more shader records than a job can draw with";
    return NULL;
}

/* The node at `at`, created if there is none. NULL: out of memory. */
static void *ensure_node(void **at, struct util_arena *arena, size_t size_B)
{
    void *node = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (node)
        return node;
    void *made = util_arena_alloc(arena, size_B);
    if (!made || __atomic_compare_exchange_n(at, &node, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    return node;
}

bool gpu_vertex_cache_put(struct gpu_cached_shader *s, struct util_arena *arena, const struct gpu_vertex_pipe *pipe,
                          const uint16_t *indices, unsigned count)
{
    for (unsigned lane = 0; lane < count; lane++) {
        uint16_t index = indices[lane];
        struct gpu_cache_mid *mid = ensure_node((void **)&s->mid[index >> 11], arena, sizeof *mid);
        struct gpu_cache_leaf *leaf =
            mid ? ensure_node((void **)&mid->leaf[index >> 6 & 31], arena, sizeof *leaf) : NULL;
        uint32_t *words = leaf ? util_arena_alloc_aligned(arena, s->words * sizeof *words, 4) : NULL;
        if (!words)
            return false;
        for (unsigned i = 0; i < s->words; i++)
            words[i] = pipe->out[i][lane];
        __atomic_store_n(&leaf->vertex[index & 63], words, __ATOMIC_RELEASE);
    }
    return true;
}
