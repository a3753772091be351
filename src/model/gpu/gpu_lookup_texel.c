/* SPDX-License-Identifier: MIT
 *
 * Texels of lookups by address: where they lie, how they are wrapped, compared and blended [Vulkan, "Texel Input
 * Operations", "Texel Filtering"]. Descriptors may hold anything, since a program may pass any address: no value of
 * theirs leads outside of the job's memory.
 */
#include <math.h>
#include <string.h>
#include "model/gpu/gpu_lookup.h"
#include "model/gpu/gpu_mem.h"

#define MAX_COORD (1 << 28) /* texels; clamps coordinates that would not fit integers */

/* ---------------------------------------------------------------- descriptors */

uint8_t *gpu_lookup_memory(const struct gpu_qpu_core *core, uint32_t addr, uint32_t size_B)
{
    uint8_t *at = gpu_qpu_in_window(core, GPU_WINDOW_LANES, addr, size_B);
    if (gpu_qpu_is_null_page(core, addr))
        return NULL;
    return at ? at : gpu_mem_at(core->mem, addr, size_B);
}

static void read_words(const struct gpu_lookup *l, uint32_t addr, void *out, uint32_t size_B)
{
    const uint8_t *at = gpu_lookup_memory(l->core, addr, size_B);
    if (at)
        memcpy(out, at, size_B);
    else
        memset(out, 0, size_B);
}

static bool is_swizzle(const uint8_t swizzle[4])
{
    bool is = true;
    for (uint32_t i = 0; i < 4; i++)
        is &= swizzle[i] <= HW_SWIZZLE_1;
    return is;
}

bool gpu_lookup_read_view(struct gpu_lookup *l, uint32_t addr)
{
    struct hw_view_descriptor *v = &l->view;
    read_words(l, addr, v, sizeof *v);
    l->texels = v->limit_B <= UINT32_MAX - 4 ? gpu_lookup_memory(l->core, v->address, v->limit_B + 4) : NULL;
    if (!v->address || v->format == HW_FORMAT_NONE || v->format >= HW_FORMAT_COUNT || !is_swizzle(v->swizzle))
        return false;
    const struct hw_format_info *info = hw_format_info((enum hw_format)v->format);
    const bool has_size = v->width_px && v->width_px <= MAX_COORD && v->levels && v->levels <= HW_MAX_LEVELS;
    if (info->block_w != 1 || info->block_B > sizeof(union hw_texel) || v->layout > HW_DIRECT_RASTER_INTERLEAVED)
        return false;
    if (v->flags & HW_VIEW_BUFFER)
        return v->width_px <= MAX_COORD;
    return has_size && v->height_px && v->depth_px && v->slices && v->cpp && v->cpp <= 16;
}

void gpu_lookup_read_sampler(struct gpu_lookup *l, uint32_t addr)
{
    read_words(l, addr, &l->sampler, sizeof l->sampler);
}

uint32_t gpu_lookup_size(const struct gpu_lookup *l, uint32_t axis, uint32_t level)
{
    const uint32_t size = axis == 0 ? l->view.width_px : axis == 1 ? l->view.height_px : l->view.depth_px;
    return util_minify(size, level);
}

uint32_t gpu_lookup_axes(const struct gpu_lookup *l)
{
    const uint32_t dim = HW_LOOKUP_DIM(l->what);
    return dim == HW_LOOKUP_1D || dim == HW_LOOKUP_BUFFER ? 1 : dim == HW_LOOKUP_3D ? 3 : 2;
}

uint32_t gpu_lookup_layers(const struct gpu_lookup *l)
{
    return MAX2(l->view.flags & HW_VIEW_CUBE ? l->view.slices / 6u : l->view.slices, 1u);
}

bool gpu_lookup_is_integer(const struct gpu_lookup *l)
{
    const enum hw_kind kind = hw_format_kind((enum hw_format)l->view.format);
    return kind == HW_KIND_UINT || kind == HW_KIND_SINT || (l->what & HW_LOOKUP_IS_INTEGER);
}

/* ---------------------------------------------------------------- one texel */

struct place {
    uint32_t x, y, slice, level;
};

static enum hw_tiling tiling_of(const struct hw_view_descriptor *v, uint32_t level)
{
    switch ((enum hw_direct_layout)v->layout) {
    case HW_DIRECT_LT:
        return HW_TILING_LT;
    case HW_DIRECT_T:
        return level < v->t_levels ? HW_TILING_T : HW_TILING_LT;
    case HW_DIRECT_MS:
        return HW_TILING_MS;
    case HW_DIRECT_RASTER:
    case HW_DIRECT_RASTER_INTERLEAVED:
        break;
    }
    return HW_TILING_RASTER;
}

static uint32_t texel_offset_B(const struct gpu_lookup *l, const struct place *p)
{
    const struct hw_view_descriptor *v = &l->view;
    if (v->flags & HW_VIEW_BUFFER)
        return p->x * hw_format_info((enum hw_format)v->format)->block_B;
    const uint32_t level_B = v->level_offset_B[p->level] + p->slice * v->layer_stride_B;
    if (v->layout == HW_DIRECT_MS)
        return level_B + hw_ms_offset_B(v->width_px, p->x, p->y, l->sample & (HW_MS_SAMPLES - 1));
    return level_B + hw_element_offset_B(tiling_of(v, p->level), v->level_stride_dw[p->level] * 4u, v->cpp, p->x, p->y);
}

static void load_texel(const struct gpu_lookup *l, const struct place *p, uint32_t block_B, uint8_t *out)
{
    const struct hw_view_descriptor *v = &l->view;
    const uint32_t piece_B = block_B > 4 && v->word_stride_B ? 4 : block_B;
    uint32_t at_B = texel_offset_B(l, p);
    for (uint32_t i = 0; i < block_B; i += piece_B, at_B += v->word_stride_B) {
        const uint8_t *at = NULL;
        if (piece_B <= (uint64_t)v->limit_B + 4 && at_B <= (uint64_t)v->limit_B + 4 - piece_B)
            at = l->texels ? l->texels + at_B : gpu_lookup_memory(l->core, v->address + at_B, piece_B);
        if (at)
            memcpy(out + i, at, piece_B);
    }
}

static void decode(const struct gpu_lookup *l, const uint8_t *bytes, union hw_texel *out)
{
    uint32_t word;
    if (l->view.format != HW_FORMAT_Z24S8) {
        hw_format_unpack((enum hw_format)l->view.format, bytes, out);
        return;
    }
    memcpy(&word, bytes, sizeof word);
    memset(out, 0, sizeof *out);
    if (l->what & HW_LOOKUP_IS_INTEGER)
        out->u[0] = word & 0xff;
    else
        out->f[0] = (float)(word >> 8) / 16777215.0f;
}

static void swizzle(const struct gpu_lookup *l, union hw_texel *texel)
{
    const union hw_texel from = *texel;
    const uint32_t one = gpu_lookup_is_integer(l) ? 1 : util_fui(1.0f);
    for (uint32_t i = 0; i < 4; i++) {
        const uint8_t s = l->view.swizzle[i];
        texel->u[i] = s <= HW_SWIZZLE_W ? from.u[s] : s == HW_SWIZZLE_1 ? one : 0;
    }
}

static void read_texel(const struct gpu_lookup *l, const struct place *p, union hw_texel *out)
{
    uint8_t bytes[sizeof *out] = {0};
    load_texel(l, p, hw_format_info((enum hw_format)l->view.format)->block_B, bytes);
    decode(l, bytes, out);
    swizzle(l, out);
}

static void border_texel(const struct gpu_lookup *l, union hw_texel *out)
{
    if (gpu_lookup_is_integer(l))
        memcpy(out->u, l->sampler.border_int, sizeof out->u);
    else
        memcpy(out->f, l->sampler.border, sizeof out->f);
    swizzle(l, out);
}

void gpu_lookup_fetch(const struct gpu_lookup *l, uint32_t level, union hw_texel *out)
{
    const struct hw_view_descriptor *v = &l->view;
    const uint32_t dim = HW_LOOKUP_DIM(l->what);
    uint32_t at[3] = {0};
    bool is_inside = v->flags & HW_VIEW_BUFFER || level < v->levels;
    memset(out, 0, sizeof *out);
    is_inside &= !(l->what & HW_LOOKUP_HAS_SAMPLE) || l->sample < v->samples;
    is_inside &= !(l->what & HW_LOOKUP_IS_ARRAY) || l->layer < gpu_lookup_layers(l);
    for (uint32_t i = 0; i < gpu_lookup_axes(l); i++) {
        at[i] = (uint32_t)l->texel[i] + (uint32_t)l->offset[i];
        is_inside &= at[i] < (v->flags & HW_VIEW_BUFFER ? v->width_px : gpu_lookup_size(l, i, level));
    }
    const struct place p = {at[0], at[1], dim == HW_LOOKUP_3D ? at[2] : l->layer, level};
    if (is_inside)
        read_texel(l, &p, out);
    else
        swizzle(l, out);
}

/* ---------------------------------------------------------------- axes */

/* The texels along an axis, and the weight of the second one. -1: the border. */
struct taps {
    int32_t at[2];
    uint32_t count;
    float weight;
};

static int32_t floor_to_int(float x)
{
    if (!(x > -(float)MAX_COORD)) /* NaN too */
        return -MAX_COORD;
    return x < (float)MAX_COORD ? (int32_t)floorf(x) : MAX_COORD;
}

static int32_t modulo(int32_t x, int32_t n)
{
    const int32_t rest = x % n;
    return rest < 0 ? rest + n : rest;
}

static int32_t wrap(int32_t x, int32_t size, enum hw_tex_wrap mode)
{
    switch (mode) {
    case HW_WRAP_REPEAT:
        return modulo(x, size);
    case HW_WRAP_MIRROR:
        x = modulo(x, 2 * size);
        return x < size ? x : 2 * size - 1 - x;
    case HW_WRAP_BORDER:
        return x < 0 || x >= size ? -1 : x;
    case HW_WRAP_CLAMP:
        break;
    }
    return CLAMP(x, 0, size - 1);
}

/* From a coordinate in texels. `half`: from it to the first texel of a pair. */
static void find_taps(struct taps *out, float x, bool is_linear, float half)
{
    const int32_t first = floor_to_int(is_linear ? x - half : x);
    *out = (struct taps){{first, first + 1}, is_linear ? 2 : 1, is_linear ? x - half - (float)first : 0};
    if (!(out->weight >= 0 && out->weight <= 1)) /* far outside, or NaN */
        out->weight = 0;
}

static void axis_taps(const struct gpu_lookup *l, uint32_t axis, uint32_t level, bool is_linear, float half,
                      struct taps *out)
{
    const uint32_t size = gpu_lookup_size(l, axis, level);
    float x = l->sampler.unnormalized ? l->coord[axis] : l->coord[axis] * (float)size;
    x += (float)l->offset[axis];
    if (l->sampler.mirrors & HW_SAMPLING_MIRROR_S << axis)
        x = fabsf(x);
    find_taps(out, x, is_linear, half);
    for (uint32_t i = 0; i < 2; i++)
        out->at[i] = wrap(out->at[i], (int32_t)size, (enum hw_tex_wrap)(l->sampler.wraps >> 2 * axis & 3));
}

/* ---------------------------------------------------------------- cubes */

struct face {
    uint32_t number, axis; /* axis: the longest component */
    float sign, s, t;      /* in [0, 1] on the face */
};

static struct face find_face(const float dir[3])
{
    const float x = fabsf(dir[0]), y = fabsf(dir[1]), z = fabsf(dir[2]);
    struct face f = {.axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0};
    f.sign = dir[f.axis] < 0 ? -1.0f : 1.0f;
    const float major = f.sign * dir[f.axis];
    const float s = f.axis == 0 ? -f.sign * dir[2] : f.axis == 1 ? dir[0] : f.sign * dir[0];
    const float t = f.axis == 1 ? f.sign * dir[2] : -dir[1];
    f.s = major > 0 ? s / major * 0.5f + 0.5f : 0.5f;
    f.t = major > 0 ? t / major * 0.5f + 0.5f : 0.5f;
    f.number = 2 * f.axis + (f.sign < 0);
    return f;
}

/* The direction to a point of a face. Points beyond an edge are folded down onto the adjacent face. */
static void find_direction(const struct face *f, float s, float t, float out[3])
{
    const float sc = 2 * s - 1, tc = 2 * t - 1;
    const float major = f->sign * MIN2(2 - MAX2(fabsf(sc), fabsf(tc)), 1.0f);
    const float u = CLAMP(sc, -1.0f, 1.0f), v = CLAMP(tc, -1.0f, 1.0f);
    out[f->axis] = major;
    if (f->axis == 0) {
        out[2] = -f->sign * u;
        out[1] = -v;
    } else if (f->axis == 1) {
        out[0] = u;
        out[2] = f->sign * v;
    } else {
        out[0] = f->sign * u;
        out[1] = -v;
    }
}

static struct place place_on_cube(const struct gpu_lookup *l, const struct face *face, int32_t x, int32_t y,
                                  uint32_t level)
{
    const int32_t size = (int32_t)gpu_lookup_size(l, 0, level);
    struct face f = *face;
    if (x < 0 || y < 0 || x >= size || y >= size) {
        float dir[3];
        find_direction(face, ((float)x + 0.5f) / (float)size, ((float)y + 0.5f) / (float)size, dir);
        f = find_face(dir);
        x = floor_to_int(f.s * (float)size);
        y = floor_to_int(f.t * (float)size);
    }
    return (struct place){(uint32_t)CLAMP(x, 0, size - 1), (uint32_t)CLAMP(y, 0, size - 1), 6 * l->layer + f.number,
                          level};
}

/* ---------------------------------------------------------------- filters */

struct footprint {
    struct taps axis[3];
    struct face face;
    bool is_cube;
    bool is_per_face; /* a cube each of whose faces wraps as an image */
};

static void find_footprint(const struct gpu_lookup *l, uint32_t level, bool is_linear, float half,
                           struct footprint *out)
{
    *out = (struct footprint){.is_cube = HW_LOOKUP_DIM(l->what) == HW_LOOKUP_CUBE};
    if (out->is_cube) {
        const float size = (float)gpu_lookup_size(l, 0, level);
        out->face = find_face(l->coord);
        find_taps(&out->axis[0], out->face.s * size, is_linear, 0.5f);
        find_taps(&out->axis[1], out->face.t * size, is_linear, 0.5f);
        out->is_per_face = l->sampler.wraps & HW_WRAPS_PER_FACE;
        for (uint32_t i = 0; i < 4 && out->is_per_face; i++)
            out->axis[i / 2].at[i % 2] = wrap(out->axis[i / 2].at[i % 2], (int32_t)size,
                                              (enum hw_tex_wrap)(l->sampler.wraps >> 2 * (i / 2) & 3));
    }
    for (uint32_t i = 0; i < 3; i++)
        if (i >= gpu_lookup_axes(l))
            out->axis[i].count = 1;
        else if (!out->is_cube)
            axis_taps(l, i, level, is_linear, half, &out->axis[i]);
}

static bool passes(const struct gpu_lookup *l, float depth)
{
    const float d = l->view.flags & HW_VIEW_FLOAT_DEPTH ? l->reference : CLAMP(l->reference, 0.0f, 1.0f);
    switch (l->sampler.compare) { /* 1 + the function, in Vulkan's order; 0 and 1: never */
    case 2:
        return d < depth;
    case 3:
        return d == depth;
    case 4:
        return d <= depth;
    case 5:
        return d > depth;
    case 6:
        return d != depth;
    case 7:
        return d >= depth;
    case 8:
        return true;
    default:
        return false;
    }
}

/* `tap`: bit i selects the second texel of axis i. */
static void read_tap(const struct gpu_lookup *l, const struct footprint *p, uint32_t tap, uint32_t level,
                     union hw_texel *out)
{
    int32_t at[3];
    for (uint32_t i = 0; i < 3; i++)
        at[i] = p->axis[i].at[tap >> i & 1];
    if (p->is_cube && !p->is_per_face) {
        const struct place place = place_on_cube(l, &p->face, at[0], at[1], level);
        read_texel(l, &place, out);
    } else if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        border_texel(l, out);
    } else {
        const bool is_3d = HW_LOOKUP_DIM(l->what) == HW_LOOKUP_3D;
        const uint32_t slice = p->is_cube ? 6 * l->layer + p->face.number : is_3d ? (uint32_t)at[2] : l->layer;
        read_texel(l, &(struct place){(uint32_t)at[0], (uint32_t)at[1], slice, level}, out);
    }
    if (l->what & HW_LOOKUP_COMPARES)
        out->f[0] = passes(l, out->f[0]) ? 1.0f : 0.0f;
}

void gpu_lookup_reduce(const struct gpu_lookup *l, const union hw_texel *texel, union hw_texel *out)
{
    for (uint32_t c = 0; c < 4; c++)
        out->f[c] = l->sampler.filters & HW_FILTER_LEAST ? MIN2(out->f[c], texel->f[c]) : MAX2(out->f[c], texel->f[c]);
}

void gpu_lookup_filter(const struct gpu_lookup *l, uint32_t level, bool is_linear, union hw_texel *out)
{
    struct footprint p;
    union hw_texel texel;
    find_footprint(l, level, is_linear, 0.5f, &p);
    read_tap(l, &p, 0, level, out);
    if (!is_linear)
        return;
    union hw_texel sum = {{0}};
    bool has_any = false;
    for (uint32_t tap = 0; tap < 8; tap++) {
        float weight = 1;
        for (uint32_t i = 0; i < 3; i++) {
            const bool is_second = tap >> i & 1;
            weight *= is_second             ? p.axis[i].count > 1 ? p.axis[i].weight : 0
                      : p.axis[i].count > 1 ? 1 - p.axis[i].weight
                                            : 1;
        }
        if (weight == 0)
            continue;
        read_tap(l, &p, tap, level, &texel);
        if (gpu_lookup_reduces(l)) {
            if (has_any)
                gpu_lookup_reduce(l, &texel, &sum);
            else
                sum = texel;
            has_any = true;
            continue;
        }
        for (uint32_t c = 0; c < 4; c++)
            sum.f[c] += weight * texel.f[c];
    }
    *out = sum;
}

/* The four texels are selected from the coordinate rounded to 1/256 texel, as lower_tex_filter.c says. */
void gpu_lookup_gather(const struct gpu_lookup *l, uint32_t component, union hw_texel *out)
{
    static const uint8_t taps[4] = {2, 3, 1, 0}; /* Vulkan's order */
    struct footprint p;
    find_footprint(l, 0, true, 0.5f - 1 / 512.0f, &p);
    for (uint32_t i = 0; i < 4; i++) {
        union hw_texel texel;
        read_tap(l, &p, taps[i], 0, &texel);
        out->u[i] = texel.u[component];
    }
}
