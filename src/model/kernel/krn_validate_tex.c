/* SPDX-License-Identifier: MIT
 *
 * Checks the texture words of one request in the uniforms and relocates the first [kernel vc4_validate.c, notes 9.5,
 * words: guide p.42-44]. Also has the bounds check that textures and render surfaces share.
 *
 * The kernel checks mip levels with a width of width >> level, although the chip rounds level sizes up to powers of
 * two. So the check is laxer than the layout. Once a mip level is LT, all smaller ones are.
 */
#include <errno.h>
#include <string.h>
#include "hw/cl_gen.h"
#include "hw/tex.h"
#include "model/kernel/krn_lists.h"

#define MAX_SURFACE_PX 4096u

enum p2_type { P2_UNUSED, P2_CUBE_STRIDE_LOD };

bool krn_surface_fits(const struct krn_buffer *bo, uint64_t offset_B, enum hw_tiling tiling, uint32_t width_el,
                      uint32_t height_el, uint32_t cpp)
{
    if (width_el > MAX_SURFACE_PX || height_el > MAX_SURFACE_PX)
        return false;
    uint32_t uw, uh;
    hw_utile_size(cpp, &uw, &uh);
    uint32_t align_w = tiling == HW_TILING_T ? 8 * uw : uw;
    uint32_t align_h = tiling == HW_TILING_T ? 8 * uh : tiling == HW_TILING_LT ? uh : 1;
    uint64_t size_B = (uint64_t)util_align(width_el, align_w) * cpp * util_align(height_el, align_h);
    return offset_B + size_B <= bo->size_B;
}

struct texture {
    uint32_t offset_B; /* of level 0 */
    uint32_t width, height, levels;
    uint32_t cpp;
    enum hw_tiling tiling;
    uint32_t cube_stride_B; /* 0: not a cube map */
};

/* Sets cpp and tiling. For ETC1, also converts the size to blocks. */
static int set_type(struct texture *tex, uint32_t type)
{
    switch (type) {
    case HW_TEX_RGBA8888:
    case HW_TEX_RGBX8888:
    case HW_TEX_RGBA32R:
        tex->cpp = 4;
        break;
    case HW_TEX_RGBA4444:
    case HW_TEX_RGBA5551:
    case HW_TEX_RGB565:
    case HW_TEX_LUMALPHA:
    case HW_TEX_S16F:
    case HW_TEX_S16:
        tex->cpp = 2;
        break;
    case HW_TEX_LUMINANCE:
    case HW_TEX_ALPHA:
    case HW_TEX_S8:
        tex->cpp = 1;
        break;
    case HW_TEX_ETC1:
        tex->cpp = 8;
        tex->width = util_div_round_up(tex->width, 4);
        tex->height = util_div_round_up(tex->height, 4);
        break;
    default:
        return krn_refuse(KRN_RULE_TEX_TYPE, "type %u", type);
    }
    tex->tiling = type == HW_TEX_RGBA32R ? HW_TILING_RASTER : hw_level_tiling(tex->width, tex->height, tex->cpp);
    return 0;
}

/* At most one of words 2 and 3 gives the cube map stride. Words for child images are not checked. */
static int set_cube_stride(struct texture *tex, bool is_cube, const uint32_t word[4])
{
    uint32_t stride_B = 0;
    for (int i = 2; i < 4; i++) {
        struct cl_tex_p2_lod p;
        cl_tex_p2_lod_unpack((const uint8_t *)&word[i], &p);
        if (!is_cube || p.ptype != P2_CUBE_STRIDE_LOD)
            continue;
        if (stride_B)
            return krn_refuse(KRN_RULE_TEX_CUBE, "given twice");
        stride_B = p.cube_stride;
    }
    if (is_cube && !stride_B)
        return krn_refuse(KRN_RULE_TEX_CUBE, "missing");
    tex->cube_stride_B = stride_B;
    return 0;
}

static int check_levels(const struct texture *tex)
{
    uint32_t uw, uh, left_B = tex->offset_B;
    hw_utile_size(tex->cpp, &uw, &uh);
    enum hw_tiling tiling = tex->tiling;
    for (uint32_t i = 1; i < tex->levels; i++) {
        uint32_t w = util_minify(tex->width, i), h = util_minify(tex->height, i);
        if (tiling == HW_TILING_T)
            tiling = hw_level_tiling(w, h, tex->cpp);
        uint32_t factor = tiling == HW_TILING_T ? 8 : 1;
        w = util_align(w, factor * uw);
        h = tiling == HW_TILING_RASTER ? h : util_align(h, factor * uh);
        if (w * h * tex->cpp > left_B)
            return krn_refuse(KRN_RULE_TEX_LEVELS, "level %u", i);
        left_B -= w * h * tex->cpp;
    }
    return 0;
}

static int check_texture(const struct krn_buffer *bo, const uint32_t word[4])
{
    struct cl_tex_p0 p0;
    struct cl_tex_p1 p1;
    cl_tex_p0_unpack((const uint8_t *)&word[0], &p0);
    cl_tex_p1_unpack((const uint8_t *)&word[1], &p1);
    struct texture tex = {
        .offset_B = p0.base,
        .width = p1.width ? p1.width : 2048,
        .height = p1.height ? p1.height : 2048,
        .levels = p0.levels_minus_1 + 1,
    };
    int err = set_cube_stride(&tex, p0.cube, word);
    if (!err)
        err = set_type(&tex, p0.type_low | p1.type_high << 4);
    if (err)
        return err;
    if (!krn_surface_fits(bo, (uint64_t)tex.offset_B + 5 * (uint64_t)tex.cube_stride_B, tex.tiling, tex.width,
                          tex.height, tex.cpp))
        return krn_refuse(KRN_RULE_TEX_SIZE, "%u x %u texels of %u B at %u do not lie in %u B", tex.width, tex.height,
                          tex.cpp, tex.offset_B, bo->size_B);
    return check_levels(&tex);
}

static int check_direct(const struct krn_buffer *bo, const uint32_t word[4])
{
    if (word[0] > bo->size_B - 4 || word[1] > bo->size_B - word[0] - 4)
        return krn_refuse(KRN_RULE_TEX_DIRECT, "offset %u, clamp %u, buffer of %u B", word[0], word[1], bo->size_B);
    return 0;
}

int krn_validate_texture(struct krn_lists *lists, const struct krn_tex_sample *sample, const uint8_t *words,
                         uint32_t bo_index, bool while_binning, uint32_t *word0_out)
{
    uint32_t word[4] = {0};
    for (int i = 0; i < 4; i++) {
        if (sample->word_B[i] != KRN_NO_UNIFORM)
            memcpy(&word[i], words + sample->word_B[i], sizeof word[i]);
        else if (i < 2)
            return krn_refuse(KRN_RULE_TEX_PARAMETERS, "parameter %d is missing", i);
    }
    const struct krn_buffer *bo = krn_lists_buffer(lists, bo_index);
    if (!bo)
        return -EINVAL;
    int err = sample->direct ? check_direct(bo, word) : check_texture(bo, word);
    if (err)
        return err;
    if (while_binning)
        krn_lists_binning_reads(lists, bo);
    *word0_out = bo->addr + word[0];
    return 0;
}
