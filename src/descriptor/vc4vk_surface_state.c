/* SPDX-License-Identifier: MIT
 *
 * Combines view and sampler states: computes the sampling class that a program is compiled for, and the uniform words
 * of its lookups. Bit positions of P0 to P2: [guide p.42-43 tables 15 to 17].
 */
#include <string.h>
#include "descriptor/vc4vk_surface_state.h"
#include "kmd/kmd.h"
#include "util/debug.h"
#include "util/macros.h"

#define WRAPS       15u        /* P1: wrap modes of T and S */
#define P2_CUBE_LOD (1u << 30) /* PTYPE 1: cube stride, and whether B is the LOD */

static const struct vc4vk_view_state null_view = {
    .p0 = HW_TEX_RGBA8888 << 4,
    .p1 = 1u << 20 | 1u << 8,
    .width_px = 1,
    .height_px = 1,
    .depth = 1,
    .layers = 1,
    .levels = 1,
    .samples = 1,
    .format = HW_FORMAT_R8G8B8A8_UNORM,
    .type = HW_TEX_RGBA8888,
    .native_swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W},
    .swizzle = {HW_SWIZZLE_X, HW_SWIZZLE_Y, HW_SWIZZLE_Z, HW_SWIZZLE_W},
};

static const struct vc4vk_sampler_state null_sampler = {
    .p1_mip = HW_MIN_NEAR_MIP_NEAR << 4 | 1u << 7,
    .p1_single = HW_MIN_NEAREST << 4 | 1u << 7,
};

static const struct vc4vk_view_state *view_of(const struct vc4vk_surface_state *state)
{
    return state && state->kind == VC4VK_STATE_VIEW ? &state->view : &null_view;
}

static const struct vc4vk_sampler_state *sampler_of(const struct vc4vk_surface_state *state)
{
    return state && state->kind == VC4VK_STATE_SAMPLER ? &state->sampler : &null_sampler;
}

/* The view as lookups with the sampler see it: programs address the texels of a cube whose faces wrap each for itself,
 * since the unit has no such wraps. `copy` is memory for it. */
static const struct vc4vk_view_state *view_for(const struct vc4vk_view_state *view,
                                               const struct vc4vk_sampler_state *sampler, struct vc4vk_view_state *copy)
{
    if (!(sampler->wraps & HW_WRAPS_PER_FACE) || !view->is_cube || view->is_direct)
        return view;
    *copy = *view;
    copy->is_direct = true;
    copy->base_level = 0;
    return copy;
}

/* -- classes ------------------------------------------------------------------------------------------------------ */

static bool is_native(const struct vc4vk_view_state *view)
{
    return view->type != VC4VK_NO_TEX_TYPE && !view->is_direct;
}

/* Whether the program must compute the LOD: the sampler's bias or clamps, or the view's base level, change the level or
 * filter. The texture unit itself counts from level 0 and clamps to the last level. */
static bool needs_lod(const struct vc4vk_view_state *view, const struct vc4vk_sampler_state *sampler)
{
    if (view->base_level || (view->is_cube && view->levels > 1)) /* a quad across a cube edge has a level per face */
        return true;
    bool lod_used = view->levels > 1 || sampler->min_mag_differ;
    return lod_used && (sampler->lod_bias != 0.0f || sampler->lod_min > 0.0f ||
                        (view->levels > 1 ? sampler->lod_max < (float)(view->levels - 1) : sampler->lod_max <= 0.0f));
}

/* Rounds a level count up to one of the counts that programs are compiled for. A program selects among that many
 * strides. */
static uint8_t levels_class(uint32_t levels)
{
    return levels <= 1 ? 1 : levels <= 4 ? 4 : levels <= 8 ? 8 : levels <= 12 ? 12 : HW_MAX_LEVELS;
}

static bool is_srgb(const struct vc4vk_view_state *view)
{
    return hw_format_is_srgb((enum hw_format)view->format);
}

static bool is_integer(const struct vc4vk_view_state *view)
{
    enum hw_kind kind = hw_format_kind((enum hw_format)view->format);
    return kind == HW_KIND_UINT || kind == HW_KIND_SINT;
}

/* Whether the program chooses level and filter instead of the texture unit. Even for native texels the unit filters
 * sRGB before decoding and filters each cube face separately. It also supports neither texel offsets within the chosen
 * level nor coordinates that are mirrored once, and only averages texels. */
static bool is_filtered_in_code(const struct vc4vk_view_state *view, const struct vc4vk_sampler_state *sampler,
                                uint32_t lookups)
{
    bool linear = sampler->filters & (HW_FILTER_MAG_LINEAR | HW_FILTER_MIN_LINEAR);
    bool blends_levels = view->levels > 1 && (sampler->filters & HW_FILTER_MIP_LINEAR);
    bool reduces = (sampler->filters & (HW_FILTER_LEAST | HW_FILTER_GREATEST)) && (linear || blends_levels);
    bool level_choice = view->levels > 1 && ((lookups & VC4VK_LOOKUP_OFFSETS) || sampler->mirrors);
    if (view->is_direct || (lookups & VC4VK_LOOKUP_FETCH_ONLY))
        return false;
    if (!is_native(view) && !is_integer(view))
        return level_choice || linear || blends_levels;
    if (!is_native(view))
        return level_choice;
    if (reduces || util_debug(UTIL_DEBUG_FAST_FILTER))
        return reduces || level_choice;
    bool is_exact = view->is_cube || (lookups & VC4VK_LOOKUP_CHROMA);
    return level_choice || (is_srgb(view) && (linear || blends_levels)) || (is_exact && linear);
}

/* Fills the fields that matter only to programs that filter or address texels themselves. */
static void filter_class(struct hw_sampling_class *class, const struct vc4vk_view_state *view,
                         const struct vc4vk_sampler_state *sampler, uint32_t lookups)
{
    bool in_code = is_filtered_in_code(view, sampler, lookups);
    if (!in_code && !view->is_direct)
        return;
    if (in_code)
        class->flags |= HW_SAMPLING_IN_CODE;
    class->filters = is_integer(view) ? 0 : sampler->filters;
    if (view->levels <= 1)
        class->filters &= (uint8_t)~HW_FILTER_MIP_LINEAR;
    if (!view->is_direct) {
        class->levels = view->levels > 1 ? HW_MAX_LEVELS : 1;
        return;
    }
    class->levels = levels_class(view->levels);
    class->layout = view->direct_layout;
    class->wraps = view->is_cube ? sampler->wraps : sampler->wraps & (uint8_t)~HW_WRAPS_PER_FACE;
}

static struct hw_sampling_class buffer_class(const struct vc4vk_buffer_state *buffer)
{
    const struct hw_format_info *info = hw_format_info((enum hw_format)buffer->format);
    struct hw_sampling_class class = {
        .method = HW_SAMPLE_DIRECT, .format = buffer->format, .levels = 1, .layout = HW_DIRECT_RASTER};
    for (uint32_t i = 0; i < 4; i++)
        class.swizzle[i] = info->swizzle[i] <= HW_SWIZZLE_W ? (uint8_t)(HW_SWIZZLE_X + i) : info->swizzle[i];
    return class;
}

struct hw_sampling_class vc4vk_sampling_class(const struct vc4vk_surface_state *view_state,
                                              const struct vc4vk_surface_state *sampler_state, uint32_t lookups)
{
    bool fetch_only = lookups & VC4VK_LOOKUP_FETCH_ONLY;
    if (view_state && view_state->kind == VC4VK_STATE_BUFFER)
        return buffer_class(&view_state->buffer);
    const struct vc4vk_sampler_state *sampler = fetch_only ? &null_sampler : sampler_of(sampler_state);
    struct vc4vk_view_state copy;
    const struct vc4vk_view_state *view = view_for(view_of(view_state), sampler, &copy);
    struct hw_sampling_class class = {.format = view->format};
    enum hw_kind kind = hw_format_kind((enum hw_format)view->format);
    class.method = view->is_direct ? HW_SAMPLE_DIRECT : is_native(view) ? HW_SAMPLE_NATIVE : HW_SAMPLE_RAW;
    /* The unit decodes all native formats to four bytes: a program only needs to know whether they are sRGB. */
    if (is_native(view))
        class.format = kind == HW_KIND_SRGB ? HW_FORMAT_R8G8B8A8_SRGB : HW_FORMAT_R8G8B8A8_UNORM;
    for (uint32_t i = 0; i < 4; i++)
        class.swizzle[i] = is_native(view) ? view->native_swizzle[i] : view->swizzle[i];
    class.compare = sampler->compare;
    if (sampler->compare && view->is_float_depth)
        class.flags |= HW_SAMPLING_FLOAT_DEPTH;
    if (sampler->unnormalized)
        class.flags |= HW_SAMPLING_UNNORMALIZED;
    if (sampler->uses_border && !view->is_direct && !view->is_cube)
        class.flags |= HW_SAMPLING_BORDER;
    if (fetch_only ? view->base_level > 0 : needs_lod(view, sampler))
        class.flags |= HW_SAMPLING_LOD_CLAMP;
    class.flags |= sampler->mirrors;
    if (view->levels > 1) /* with one level anisotropy has no effect */
        class.anisotropy = sampler->anisotropy;
    filter_class(&class, view, sampler, lookups);
    return class;
}

/* -- storage images ----------------------------------------------------------------------------------------------- */

/* Multisampled images store words of the tile buffer, whose low bits hold the texel. */
static enum hw_format texel_format(const struct vc4vk_view_state *view)
{
    const enum hw_format format = (enum hw_format)view->format;
    for (uint32_t i = 1; i < HW_FORMAT_COUNT && view->direct_layout == HW_DIRECT_MS; i++)
        if (hw_format_in_word((enum hw_format)i) == format)
            return (enum hw_format)i;
    return format;
}

enum hw_format vc4vk_stored_format(const struct vc4vk_surface_state *state)
{
    switch ((enum vc4vk_state_kind)state->kind) {
    case VC4VK_STATE_VIEW:
        return texel_format(&state->view);
    case VC4VK_STATE_BUFFER:
        return (enum hw_format)state->buffer.format;
    case VC4VK_STATE_NULL:
    case VC4VK_STATE_SAMPLER:
        break;
    }
    return HW_FORMAT_NONE;
}

/* -- uniform words of lookups ------------------------------------------------------------------------------------- */

/* The program filters raw texels itself, so for these the unit must return one texel of one level. A fetch without an
 * explicit level reads level 0, whatever the derivatives are. */
static uint32_t word_p1(const struct vc4vk_view_state *view, const struct vc4vk_sampler_state *sampler, uint32_t data)
{
    bool mips = view->base_level + view->levels > 1;
    uint32_t word;
    if (data & VC4VK_P1_NEAREST)
        mips = mips && (data & VC4VK_P1_LEVELS);
    if (!(data & VC4VK_P1_NEAREST) && is_native(view))
        word = mips ? sampler->p1_mip : sampler->p1_single;
    else
        word = sampler->p1_wraps | (uint32_t)(mips ? HW_MIN_NEAR_MIP_NEAR : HW_MIN_NEAREST) << 4 | 1u << 7;
    if (view->is_cube) /* the edge of a face must not wrap to its other side or to the border */
        word = (word & ~(uint32_t)WRAPS) | HW_WRAP_CLAMP << 2 | HW_WRAP_CLAMP;
    return view->p1 | word;
}

/* The border colour as a texel of the view's format. Texels of one and two bytes are repeated in the word, because it
 * is then irrelevant which bytes the unit reads. */
static uint32_t raw_border(const struct vc4vk_view_state *view, const struct vc4vk_sampler_state *sampler,
                           uint32_t word)
{
    union hw_texel texel;
    uint32_t words[4] = {0};
    enum hw_format format = (enum hw_format)view->format;
    enum hw_kind kind = hw_format_kind(format);
    for (uint32_t i = 0; i < 4; i++)
        if (kind == HW_KIND_UINT || kind == HW_KIND_SINT)
            texel.u[i] = sampler->border_int[i];
        else
            texel.f[i] = sampler->border[i];
    if (format == HW_FORMAT_Z24S8)
        texel.u[1] = sampler->border_int[0]; /* stencil, for lookups of integers */
    hw_format_pack(format, &texel, words);
    switch (hw_format_info(format)->block_B) {
    case 1:
        return words[0] * 0x01010101u;
    case 2: /* LUMALPHA: the first byte three times */
        return view->is_direct ? words[0] : (words[0] & 0xff) * 0x010101u | words[0] >> 8 << 24;
    default:
        return words[word & 3];
    }
}

/* The border colour in the byte order in which the unit returns texels of the type; for raw formats the texel itself.
 */
static uint32_t word_border(const struct vc4vk_view_state *view, const struct vc4vk_sampler_state *sampler,
                            uint32_t word)
{
    if (!is_native(view))
        return raw_border(view, sampler, word);
    uint8_t swizzle[4], bytes[4] = {0}, packed[4]; /* swizzle: the byte of r4 that the format keeps each component in */
    union hw_texel texel;
    memcpy(texel.f, sampler->border, sizeof texel.f);
    hw_format_pack(is_srgb(view) ? HW_FORMAT_R8G8B8A8_SRGB : HW_FORMAT_R8G8B8A8_UNORM, &texel, packed);
    hw_tex_type_for_format((enum hw_format)view->format, swizzle);
    for (uint32_t c = 0; c < 4; c++)
        if (swizzle[c] <= HW_SWIZZLE_W)
            bytes[swizzle[c]] = packed[c];
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* A level of the view, clamped: the level count of a class may exceed the view's. */
static const struct hw_level *level_of(const struct vc4vk_view_state *view, uint32_t level)
{
    return &view->layout->level[MIN2(view->image_level + level, view->image_level + view->levels - 1u)];
}

static uint32_t level_pitch_B(const struct vc4vk_view_state *view, uint32_t level)
{
    uint32_t utile_w, utile_h;
    const struct hw_level *l = level_of(view, level);
    hw_utile_size(view->layout->cpp, &utile_w, &utile_h);
    if (view->direct_layout == HW_DIRECT_MS)
        return util_div_round_up(view->width_px, HW_MS_TILE_PX) * HW_MS_TILE_B;
    return l->tiling == HW_TILING_RASTER ? l->stride_B
           : l->tiling == HW_TILING_LT   ? l->stride_B * utile_h
                                         : l->stride_B * utile_h * HW_TILE_UT;
}

static uint32_t t_levels(const struct vc4vk_view_state *view)
{
    uint32_t count = 0;
    while (count < view->levels && level_of(view, count)->tiling == HW_TILING_T)
        count++;
    return count;
}

static uint32_t direct_word(const struct vc4vk_view_state *view, enum vc4vk_tex_word word, uint32_t data)
{
    if (!view->layout) /* nothing is bound */
        return 0;
    switch (word) {
    case VC4VK_TEX_DIRECT_LIMIT:
        return view->direct_limit_B;
    case VC4VK_TEX_DIRECT_BASE:
        return view->direct_base_B;
    case VC4VK_TEX_DIRECT_LEVEL:
        return level_of(view, data)->offset_B - level_of(view, view->levels)->offset_B;
    case VC4VK_TEX_DIRECT_PITCH:
        return level_pitch_B(view, data);
    case VC4VK_TEX_DIRECT_LAYER:
        return view->layout->layer_stride_B / 4096;
    case VC4VK_TEX_DIRECT_WORD:
        return view->plane_stride_B;
    default:
        return t_levels(view);
    }
}

/* Numbers and texels of less than 32 bits may lie in a last word that the range does not fill. BOs end with a page, so
 * the word can be read. */
uint32_t vc4vk_last_word_B(uint32_t size_B)
{
    return size_B ? util_align(size_B, 4) - 4 : 0;
}

static uint32_t texel_buffer_word(const struct vc4vk_buffer_state *buffer, enum vc4vk_tex_word word)
{
    switch (word) {
    case VC4VK_TEX_DIRECT_LIMIT:
        return vc4vk_last_word_B(buffer->size_B);
    case VC4VK_TEX_DIRECT_BASE:
        return buffer->base_B;
    case VC4VK_TEX_WIDTH_I:
        return buffer->texels;
    default:
        return 0;
    }
}

uint32_t vc4vk_tex_word(const struct vc4vk_surface_state *view_state, const struct vc4vk_surface_state *sampler_state,
                        enum vc4vk_tex_word word, uint32_t data)
{
    if (view_state && view_state->kind == VC4VK_STATE_BUFFER)
        return texel_buffer_word(&view_state->buffer, word);
    const struct vc4vk_view_state *view = view_of(view_state);
    /* Where nothing is bound, lookups read zero, also where the sampler's border is not black. */
    const struct vc4vk_sampler_state *sampler = view == &null_view ? &null_sampler : sampler_of(sampler_state);
    if (view == &null_view && word >= VC4VK_TEX_WIDTH_I && word <= VC4VK_TEX_SAMPLES_I)
        return 0; /* lookups see one black texel, queries an image without texels */
    struct vc4vk_view_state copy;
    view = view_for(view, sampler, &copy);
    switch (word) {
    case VC4VK_TEX_P0:
        return view->p0 + data * view->plane_stride_B;
    case VC4VK_TEX_P1:
        return word_p1(view, sampler, data | (sampler_state ? 0 : VC4VK_P1_NEAREST));
    case VC4VK_TEX_P2_LOD:
        return P2_CUBE_LOD | view->cube_stride_B | (data & 1);
    case VC4VK_TEX_BORDER:
        return word_border(view, sampler, data);
    case VC4VK_TEX_WIDTH_F:
        return util_fui((float)util_minify(view->width_px, data));
    case VC4VK_TEX_HEIGHT_F:
        return util_fui((float)util_minify(view->height_px, data));
    case VC4VK_TEX_DEPTH_F:
        return util_fui((float)util_minify(view->depth, data));
    case VC4VK_TEX_RCP_WIDTH_F:
        return util_fui(1.0f / (float)view->width_px);
    case VC4VK_TEX_RCP_HEIGHT_F:
        return util_fui(1.0f / (float)view->height_px);
    case VC4VK_TEX_RCP_DEPTH_F:
        return util_fui(1.0f / (float)view->depth);
    case VC4VK_TEX_WIDTH_I:
        return util_minify(view->width_px, data);
    case VC4VK_TEX_HEIGHT_I:
        return util_minify(view->height_px, data);
    case VC4VK_TEX_DEPTH_I:
        return MAX2(view->depth, view->layers);
    case VC4VK_TEX_LEVELS_I:
        return view->levels;
    case VC4VK_TEX_SAMPLES_I:
        return view->samples;
    case VC4VK_TEX_LOD_BIAS_F:
        return util_fui(sampler->lod_bias);
    case VC4VK_TEX_LOD_MIN_F: /* the unit itself clamps to the last level */
        return util_fui((float)view->base_level + MAX2(sampler->lod_min, 0.0f));
    case VC4VK_TEX_LOD_MAX_F:
        return util_fui((float)view->base_level + MAX2(sampler->lod_max, 0.0f));
    case VC4VK_TEX_BASE_LEVEL_F:
        return util_fui((float)view->base_level);
    case VC4VK_TEX_LAST_LEVEL_F:
        return util_fui((float)(view->levels - 1));
    case VC4VK_TEX_MIP_LINEAR_I:
        return (sampler->filters & HW_FILTER_MIP_LINEAR) != 0;
    case VC4VK_TEX_DIRECT_LIMIT:
    case VC4VK_TEX_DIRECT_BASE:
    case VC4VK_TEX_DIRECT_LEVEL:
    case VC4VK_TEX_DIRECT_PITCH:
    case VC4VK_TEX_DIRECT_LAYER:
    case VC4VK_TEX_DIRECT_WORD:
    case VC4VK_TEX_DIRECT_T_LEVELS:
        return direct_word(view, word, data);
    }
    return 0;
}

/* -- buffers ------------------------------------------------------------------------------------------------------ */

struct kmd_bo *vc4vk_surface_state_bo(const struct vc4vk_surface_state *state)
{
    switch ((enum vc4vk_state_kind)state->kind) {
    case VC4VK_STATE_VIEW:
        return state->view.bo;
    case VC4VK_STATE_BUFFER:
        return state->buffer.bo;
    case VC4VK_STATE_NULL:
    case VC4VK_STATE_SAMPLER:
        return NULL;
    }
    return NULL;
}

uint32_t vc4vk_buffer_word(const struct vc4vk_surface_state *state, enum vc4vk_buffer_word word)
{
    if (state->kind != VC4VK_STATE_BUFFER)
        return 0;
    switch (word) {
    case VC4VK_BUFFER_BASE:
        return state->buffer.base_B;
    case VC4VK_BUFFER_LIMIT:
        return vc4vk_last_word_B(state->buffer.size_B);
    case VC4VK_BUFFER_SIZE:
        return state->buffer.size_B;
    }
    return 0;
}

const void *vc4vk_buffer_contents(const struct vc4vk_surface_state *state, uint32_t *size_B_out)
{
    const uint8_t *map = NULL;
    if (state->kind == VC4VK_STATE_BUFFER)
        map = kmd_bo_map(state->buffer.bo);
    *size_B_out = map ? state->buffer.size_B : 0;
    return map ? map + state->buffer.base_B : NULL;
}
