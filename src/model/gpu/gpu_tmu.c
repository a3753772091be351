/* SPDX-License-Identifier: MIT
 *
 * Texture unit: turns configuration words into textures, which are cached for the job, and runs requests. Also
 * describes textures for host code.
 * Configuration words [guide p.41-44 tables 15-18].
 */
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_tmu_state.h"

struct gpu_tmu *gpu_tmu_create(const struct gpu_memory *mem)
{
    struct gpu_tmu *tmu = calloc(1, sizeof *tmu);

    if (tmu) {
        tmu->mem = mem;
        tmu->wide = gpu_simd_best();
    }
    return tmu;
}

void gpu_tmu_destroy(struct gpu_tmu *tmu)
{
    free(tmu);
}

void gpu_tmu_set_stats(struct gpu_tmu *tmu, struct gpu_stats *stats)
{
    tmu->stats = stats;
}

void gpu_tmu_begin_job(struct gpu_tmu *tmu)
{
    for (unsigned n = 0; n < GPU_TMU_CACHED && tmu->has_textures; n++)
        tmu->texture[n].valid = false;
    tmu->has_textures = false;
}

/* -- textures ----------------------------------------------------------------------------------------------------- */

/* Bytes per texel, for ETC1 per block; 0 for types that the kernel refuses. */
static unsigned texel_size_B(unsigned type)
{
    switch (type) {
    case HW_TEX_ETC1:
        return 8;
    case HW_TEX_RGBA8888:
    case HW_TEX_RGBX8888:
    case HW_TEX_RGBA32R:
        return 4;
    case HW_TEX_RGBA4444:
    case HW_TEX_RGBA5551:
    case HW_TEX_RGB565:
    case HW_TEX_LUMALPHA:
    case HW_TEX_S16F:
    case HW_TEX_S16:
        return 2;
    case HW_TEX_LUMINANCE:
    case HW_TEX_ALPHA:
    case HW_TEX_S8:
        return 1;
    default:
        return 0;
    }
}

static bool is_mapped(const struct gpu_memory *mem, uint64_t from, uint64_t to)
{
    return from < to && to <= mem->size_B && mem->is_mapped(mem, (uint32_t)from, (uint32_t)(to - from));
}

/* Sets the levels, which lie below level 0 in memory, one after another [guide p.40; recorded jobs]. */
static void set_levels(const struct gpu_tmu *tmu, struct gpu_texture *tex, uint32_t width, uint32_t height)
{
    uint32_t cpp = 1u << tex->log2_cpp, base = tex->p0 & ~0xfffu, lowest = base, utile_w, utile_h;
    /* HW-2898: raster addresses are computed as if the width were a power of two. */
    uint32_t memory_width = tex->type == HW_TEX_RGBA32R ? util_next_pow2(width) : width;
    uint32_t block_px = tex->type == HW_TEX_ETC1 ? 4 : 1;
    struct hw_layout_info info = {util_div_round_up(memory_width, block_px),
                                  util_div_round_up(height, block_px),
                                  cpp,
                                  tex->levels,
                                  1,
                                  tex->type != HW_TEX_RGBA32R};
    struct hw_layout layout;

    if (!hw_layout_init(&layout, &info)) {
        tex->refusal = "texture too large";
        return;
    }
    hw_utile_size(cpp, &utile_w, &utile_h);
    tex->log2_utile_w = (uint8_t)util_log2(utile_w);
    tex->log2_utile_h = (uint8_t)util_log2(utile_h);
    for (unsigned n = 0; n < tex->levels; n++) {
        const struct hw_level *from = &layout.level[n];
        tex->level[n] = (struct gpu_tmu_level){
            .addr = base + from->offset_B - layout.level[0].offset_B,
            .width = util_minify(width, n),
            .height = util_minify(height, n),
            .tiling = from->tiling,
            .row_ut = from->padded_width_el / utile_w,
            .stride_B = from->stride_B,
        };
        lowest = tex->level[n].addr; /* each level lies below the one before */
    }
    tex->mapped = lowest <= base && is_mapped(tmu->mem, lowest,
                                              (uint64_t)base + layout.level[0].size_B +
                                                  (tex->cube ? 5u * (uint64_t)tex->cube_stride_B : 0));
}

/* Whether the SIMD code handles the texture: channels of up to 8 bits, no ETC1, no border, entirely mapped, below 2
 * GiB. */
static bool is_simd_capable(const struct gpu_texture *tex)
{
    uint64_t size_B = (uint64_t)tex->level[0].addr - tex->level[tex->levels - 1].addr + (1u << 24);

    switch (tex->type) {
    case HW_TEX_ETC1:
    case HW_TEX_S16F:
    case HW_TEX_S16:
        return false;
    }
    if (tex->cube)
        size_B += 5u * (uint64_t)tex->cube_stride_B;
    return tex->mapped && tex->wrap_s != HW_WRAP_BORDER && tex->wrap_t != HW_WRAP_BORDER && size_B < UINT32_C(1) << 31;
}

static void make_texture(const struct gpu_tmu *tmu, struct gpu_texture *tex, uint32_t p0, uint32_t p1,
                         uint32_t cube_stride_B)
{
    uint32_t width = p1 >> 8 & 0x7ff, height = p1 >> 20 & 0x7ff;
    unsigned cpp;

    *tex = (struct gpu_texture){
        .p0 = p0,
        .p1 = p1,
        .cube_stride_B = cube_stride_B,
        .valid = true,
        .cube = p0 >> 9 & 1,
        .flip_y = p0 >> 8 & 1,
        .type = (uint8_t)((p0 >> 4 & 15) | (p1 >> 31) << 4),
        .levels = (p0 & 15) + 1,
        .etc_upright = p1 >> 19 & 1,
        .mag_nearest = p1 >> 7 & 1,
        .min = p1 >> 4 & 7,
        .wrap_t = p1 >> 2 & 3,
        .wrap_s = p1 & 3,
    };
    tex->levels = MIN2(tex->levels, (unsigned)HW_MAX_LEVELS);
    cpp = texel_size_B(tex->type);
    if (!cpp) {
        tex->refusal = "texture type that is not modelled";
        return;
    }
    if (tex->min > HW_MIN_LIN_MIP_LIN) {
        tex->refusal = "texture with a reserved minification filter";
        return;
    }
    tex->log2_cpp = (uint8_t)util_log2(cpp);
    set_levels(tmu, tex, width ? width : 2048, height ? height : 2048);
    tex->single_filter = tex->min == (tex->mag_nearest ? HW_MIN_NEAREST : HW_MIN_LINEAR);
    tex->simd = !tex->refusal && is_simd_capable(tex);
}

static const struct gpu_texture *texture_for(struct gpu_tmu *tmu, uint32_t p0, uint32_t p1, uint32_t cube_stride_B)
{
    uint32_t hash = (p0 >> 12) * 0x9e3779b1u ^ p1 * 0x85ebca6bu ^ p0 * 0xc2b2ae35u;
    struct gpu_texture *tex = &tmu->texture[hash >> 16 & (GPU_TMU_CACHED - 1)];

    if (!tex->valid || tex->p0 != p0 || tex->p1 != p1 || tex->cube_stride_B != cube_stride_B) {
        make_texture(tmu, tex, p0, p1, cube_stride_B);
        tmu->has_textures = true;
    }
    return tex;
}

const char *gpu_tmu_sample(struct gpu_tmu *tmu, const struct gpu_tmu_request *request, union gpu_vec *result)
{
    uint32_t cube_stride_B = 0;
    bool lod_given = false, child_size = false;
    struct gpu_tmu_child child = {0};
    const struct gpu_texture *tex;

    if (request->configs < 2)
        return "texture request with one configuration word";
    for (unsigned n = 2; n < request->configs; n++) {
        uint32_t word = request->config[n];
        switch (word >> 30) {
        case 1:
            cube_stride_B = word & 0x3ffff000u;
            lod_given = word & 1;
            break;
        case 2:
            child_size = true;
            child.width = word & 0x7ff ? word & 0x7ff : 2048;
            child.height = word >> 12 & 0x7ff ? word >> 12 & 0x7ff : 2048;
            break;
        case 3:
            child.on = true;
            child.x = word & 0x7ff;
            child.y = word >> 12 & 0x7ff;
            break;
        }
    }
    tex = texture_for(tmu, request->config[0], request->config[1], cube_stride_B);
    if (tex->refusal)
        return tex->refusal;
    if (child.on && !child_size) {
        child.width = tex->level[0].width;
        child.height = tex->level[0].height;
    }
    child.on |= child_size;
    if (tmu->wide && tex->simd && !child.on && !tmu->stats)
        tmu->wide->sample(tmu->mem, tex, request, lod_given, result);
    else
        gpu_tmu_filter(tmu, tex, &child, request, lod_given, result);
    return NULL;
}

/* -- host code ---------------------------------------------------------------------------------------------------- */

static bool is_nearest_only(const struct gpu_texture *tex)
{
    return tex->simd && tex->single_filter && tex->mag_nearest && !tex->cube && !tex->flip_y && tex->log2_cpp == 2 &&
           tex->wrap_s <= HW_WRAP_CLAMP && tex->wrap_t <= HW_WRAP_CLAMP;
}

/* column_place() and row_place() of gpu_tmu_simd.c as masks, for microtiles of 4 x 4 words. */
static void describe_layout(const struct gpu_tmu_level *level, struct gpu_nearest *out)
{
    switch (level->tiling) {
    case HW_TILING_RASTER:
        out->column[0] = ~0u;
        out->row_B = level->stride_B;
        break;
    case HW_TILING_LT:
        out->column[0] = 0xc;
        out->column[1] = ~0x3fu;
        out->row[0] = 0x30;
        out->row_shift = 2;
        out->row_B = level->row_ut << 6;
        break;
    case HW_TILING_T:
        out->column[0] = 0xc;
        out->column[1] = 0xc0;
        out->column[2] = 0x400;
        out->column[3] = ~0x7ffu;
        out->row[0] = 0x30;
        out->row[1] = 0x300;
        out->flip = 0x400;
        out->flip_odd = ~0x7ffu;
        out->row_shift = 5;
        out->odd = 1;
        out->row_B = level->row_ut >> 3 << 12;
        break;
    case HW_TILING_MS: /* a tile-buffer layout, not used for textures */
        break;
    }
}

void gpu_tmu_find_nearest(struct gpu_tmu *tmu, uint32_t p0, uint32_t p1, struct gpu_nearest *out)
{
    const struct gpu_texture *tex = texture_for(tmu, p0, p1, 0);
    const struct gpu_tmu_level *level = &tex->level[0];
    const uint8_t wraps[2] = {tex->wrap_s, tex->wrap_t};
    const uint32_t sizes[2] = {level->width, level->height};

    *out = (struct gpu_nearest){.p0 = p0, .p1 = p1};
    if (tex->refusal || !is_nearest_only(tex))
        return;
    out->usable = 1;
    out->texels = tmu->mem->base + level->addr;
    out->opaque = tex->type == HW_TEX_RGBX8888 ? 0xff000000u : 0;
    for (unsigned axis = 0; axis < 2; axis++) {
        bool repeats = wraps[axis] == HW_WRAP_REPEAT;
        out->size[axis] = (float)sizes[axis];
        out->count[axis] = sizes[axis];
        out->repeats[axis] = repeats ? ~0u : 0;
        out->beyond[axis] = repeats ? 0 : sizes[axis] - 1;
    }
    describe_layout(level, out);
}
