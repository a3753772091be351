/* SPDX-License-Identifier: MIT
 *
 * Textures as the unit sees them: decoded configuration words and a table of levels. Private to gpu_tmu*.c.
 */
#ifndef GPU_TMU_STATE_H
#define GPU_TMU_STATE_H

#include "hw/layout.h"
#include "hw/tex.h"
#include "model/gpu/gpu_stats.h"
#include "model/gpu/gpu_tmu.h"
#include "model/gpu/gpu_simd.h"

#define GPU_TMU_CACHED 64 /* textures; a power of two */

struct gpu_tmu_level {
    uint32_t addr;          /* address of face 0 */
    uint32_t width, height; /* texels of the image */
    enum hw_tiling tiling;
    uint32_t row_ut;   /* LT and T: microtiles in a row of memory */
    uint32_t stride_B; /* raster */
};

/* Child image: a part of the image that is sampled as if it were the whole image [guide p.41]. */
struct gpu_tmu_child {
    bool on;
    uint32_t width, height, x, y; /* texels of level 0 */
};

struct gpu_texture {
    /* The configuration words that it was decoded from. */
    uint32_t p0, p1, cube_stride_B;
    bool valid;

    bool cube, flip_y;
    bool etc_upright; /* rows of ETC1 blocks run in the same direction as those of the image */
    uint8_t type;     /* enum hw_tex_type */
    uint8_t log2_cpp, log2_utile_w, log2_utile_h;
    uint8_t wrap_s, wrap_t; /* enum hw_tex_wrap */
    uint8_t min;            /* enum hw_tex_min */
    bool mag_nearest;
    unsigned levels;
    bool mapped;         /* entirely mapped: no check per texel needed */
    bool single_filter;  /* magnification and minification use the same filter: no LOD needed */
    bool simd;           /* the SIMD code can sample it, except as a child image */
    const char *refusal; /* static message why it cannot be sampled, or NULL */
    struct gpu_tmu_level level[HW_MAX_LEVELS];
};

struct gpu_tmu {
    const struct gpu_memory *mem;
    const struct gpu_simd *wide; /* NULL: use gpu_tmu_filter() for everything */
    struct gpu_stats *stats;     /* NULL: not counted. Else gpu_tmu_filter() is used, the only path that counts */
    bool has_textures;           /* some of `texture` are valid */
    struct gpu_texture texture[GPU_TMU_CACHED];
};

/* gpu_tmu_texel.c: one texel per lane, as the unit returns it: bytes R, G, B, A for most types; the 16 bits of S16F and
 * S16, the 8 bits of S8. face_B: byte offset of each lane's face from face 0. x and y must lie in the level. */
void gpu_texels(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                const union gpu_vec *face_B, const union gpu_vec *x, const union gpu_vec *y, union gpu_vec *out);

/* gpu_tmu_etc.c: texel (x, y) of an ETC1 block, 0 to 3 each: bytes R, G, B and 255. */
uint32_t gpu_etc1_texel(const uint8_t block[8], unsigned x, unsigned y);

/* gpu_tmu_filter.c: runs a request for all lanes; handles every texture and child image. */
void gpu_tmu_filter(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_child *child,
                    const struct gpu_tmu_request *request, bool lod_given, union gpu_vec *result);

#endif
