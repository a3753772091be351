/* SPDX-License-Identifier: MIT
 *
 * Results of the vertex program, kept for one render job and shared by all worker threads. A vertex that many tiles
 * need is shaded once. (The chip shades it once per tile that needs it; this does not affect results.)
 *
 * Lock-free. Two threads may shade the same vertex at the same time; both results are right and one is kept.
 */
#ifndef GPU_VERTEX_CACHE_H
#define GPU_VERTEX_CACHE_H

#include "model/gpu/gpu_vertex.h"
#include "util/arena.h"

/* A shader record and the vertices shaded with it: a tree with three levels over the bits of a vertex index. */
#define GPU_CACHE_TOP  32
#define GPU_CACHE_MID  32
#define GPU_CACHE_LEAF 64

struct gpu_cache_leaf {
    const uint32_t *vertex[GPU_CACHE_LEAF];
};
struct gpu_cache_mid {
    struct gpu_cache_leaf *leaf[GPU_CACHE_MID];
};

struct gpu_cached_shader {
    struct cl_gl_shader_state state; /* the key */
    struct gpu_shader shader;
    unsigned words; /* output words per vertex */
    struct gpu_cache_mid *mid[GPU_CACHE_TOP];
};

struct gpu_vertex_cache;

struct gpu_vertex_cache *gpu_vertex_cache_create(void); /* NULL: out of memory */
void gpu_vertex_cache_destroy(struct gpu_vertex_cache *cache);
/* Empties the cache. Call before a job, while no thread uses it. The contents were in the threads' arenas. */
void gpu_vertex_cache_reset(struct gpu_vertex_cache *cache);

/* The shader record that a state record names, read on first use. `arena` is the calling thread's. On failure, NULL
 * with status and message. */
struct gpu_cached_shader *gpu_vertex_cache_shader(struct gpu_vertex_cache *cache, const struct gpu_memory *mem,
                                                  struct util_arena *arena, const struct cl_gl_shader_state *state,
                                                  enum gpu_status *status_out, const char **message_out);

/* The output words of a vertex. NULL if it has not been shaded yet. */
static inline const uint32_t *gpu_vertex_cache_get(const struct gpu_cached_shader *s, uint16_t index)
{
    const struct gpu_cache_mid *mid = __atomic_load_n(&s->mid[index >> 11], __ATOMIC_ACQUIRE);
    if (!mid)
        return NULL;
    const struct gpu_cache_leaf *leaf = __atomic_load_n(&mid->leaf[index >> 6 & 31], __ATOMIC_ACQUIRE);
    return leaf ? __atomic_load_n(&leaf->vertex[index & 63], __ATOMIC_ACQUIRE) : NULL;
}

/* Stores the outputs of the pipe's last run for these vertices. False: out of memory. */
bool gpu_vertex_cache_put(struct gpu_cached_shader *s, struct util_arena *arena, const struct gpu_vertex_pipe *pipe,
                          const uint16_t *indices, unsigned count);

#endif
