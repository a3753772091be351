/* SPDX-License-Identifier: MIT
 *
 * Results of the vertex program, kept for one render job and shared by all worker threads: a vertex that many tiles
 * need is shaded once (the chip shades it once per tile that needs it; its results do not depend on that).
 *
 * Lock-free. Two threads may shade the same vertex at the same time; either result is right and one is kept.
 */
#ifndef GPU_VERTEX_CACHE_H
#define GPU_VERTEX_CACHE_H

#include "model/gpu/gpu_vertex.h"
#include "util/arena.h"

/* A shader record and the vertices shaded with it: a tree over the 16 bits of an index. */
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
    unsigned words; /* of a vertex */
    struct gpu_cache_mid *mid[GPU_CACHE_TOP];
};

struct gpu_vertex_cache;

struct gpu_vertex_cache *gpu_vertex_cache_create(void); /* NULL: out of memory */
void gpu_vertex_cache_destroy(struct gpu_vertex_cache *cache);
/* Before a job, no thread using it. What it held lay in the arenas of the threads. */
void gpu_vertex_cache_reset(struct gpu_vertex_cache *cache);

/* The shader record of a state record; `arena` is the calling thread's. NULL with status and message. */
struct gpu_cached_shader *gpu_vertex_cache_shader(struct gpu_vertex_cache *cache, const struct gpu_memory *mem,
                                                  struct util_arena *arena, const struct cl_gl_shader_state *state,
                                                  enum gpu_status *status_out, const char **message_out);

/* The output words of a vertex, NULL when nobody has shaded it. */
static inline const uint32_t *gpu_vertex_cache_get(const struct gpu_cached_shader *s, uint16_t index)
{
    const struct gpu_cache_mid *mid = __atomic_load_n(&s->mid[index >> 11], __ATOMIC_ACQUIRE);
    if (!mid)
        return NULL;
    const struct gpu_cache_leaf *leaf = __atomic_load_n(&mid->leaf[index >> 6 & 31], __ATOMIC_ACQUIRE);
    return leaf ? __atomic_load_n(&leaf->vertex[index & 63], __ATOMIC_ACQUIRE) : NULL;
}

/* Keeps what the pipe's last run made of these vertices. False: out of memory. */
bool gpu_vertex_cache_put(struct gpu_cached_shader *s, struct util_arena *arena, const struct gpu_vertex_pipe *pipe,
                          const uint16_t *indices, unsigned count);

#endif
