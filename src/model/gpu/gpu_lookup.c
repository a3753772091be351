/* SPDX-License-Identifier: MIT
 *
 * Lookups by address: takes arguments from a program's scratch memory, chooses levels [Vulkan, "Scale Factor
 * Operation", "LOD Operation"], and stores results (hw/descriptor.h).
 */
#include <fenv.h>
#include <math.h>
#include <string.h>
#include "model/gpu/gpu_lookup.h"

#define SLOT_B (4u * QPU_LANES)

#define ALL_SLOTS_B ((HW_LOOKUP_SLOTS - 1) * SLOT_B + 4) /* of a lane, with what other lanes have in between */

struct arguments {
    struct gpu_qpu_core *core;
    uint32_t addr;  /* of the lane's word in the first slot */
    uint8_t *slots; /* that word; NULL unless all slots are mapped */
};

static uint8_t *slot_at(const struct arguments *a, uint32_t slot)
{
    return a->slots ? a->slots + slot * SLOT_B : gpu_lookup_memory(a->core, a->addr + slot * SLOT_B, 4);
}

static uint32_t argument(const struct arguments *a, uint32_t slot)
{
    const uint8_t *at = slot_at(a, slot);
    uint32_t word = 0;
    if (at)
        memcpy(&word, at, sizeof word);
    return word;
}

static float argument_f(const struct arguments *a, uint32_t slot)
{
    return util_uif(argument(a, slot));
}

/* ---------------------------------------------------------------- levels */

/* Derivatives of the coordinates. */
struct steps {
    float x[3], y[3];
};

static void read_steps(const struct arguments *a, uint32_t first, uint32_t count, float out[3])
{
    for (uint32_t i = 0; i < 3; i++)
        out[i] = i < count ? argument_f(a, first + i) : 0;
}

/* The derivative of c / |m|, where m is the longest component: (dc - c / |m| * d|m|) / |m|. */
static void project_step(const float coord[3], uint32_t axis, float scale, float step[3])
{
    const float major = coord[axis] < 0 ? -step[axis] : step[axis];
    for (uint32_t i = 0; i < 3; i++)
        step[i] = (step[i] - coord[i] * major) * scale;
}

static void project_on_cube(struct gpu_lookup *l, struct steps *steps)
{
    const float x = fabsf(l->coord[0]), y = fabsf(l->coord[1]), z = fabsf(l->coord[2]);
    const uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    const float major = fabsf(l->coord[axis]), scale = major > 0 ? 1 / major : 0;
    for (uint32_t i = 0; i < 3; i++)
        l->coord[i] *= scale;
    project_step(l->coord, axis, scale, steps->x);
    project_step(l->coord, axis, scale, steps->y);
}

/* Squared length of a derivative in texels. Face coordinates of a cube are half the quotient of two components. */
static float squared_texels(const struct gpu_lookup *l, const float step[3])
{
    const bool is_cube = HW_LOOKUP_DIM(l->what) == HW_LOOKUP_CUBE;
    float sum = 0;
    for (uint32_t i = 0; i < (is_cube ? 3 : gpu_lookup_axes(l)); i++) {
        const float size = l->sampler.unnormalized ? 1 : (float)gpu_lookup_size(l, is_cube ? 0 : i, 0);
        sum += step[i] * size * step[i] * size;
    }
    return is_cube ? sum * 0.25f : sum;
}

static float lod_of(float squared)
{
    return squared > 0 ? 0.5f * log2f(squared) : -1000.0f; /* NaN too */
}

static float clamped_lod(const struct gpu_lookup *l, float lod)
{
    const float min = MAX2(l->sampler.lod_min, 0.0f), max = MAX2(l->sampler.lod_max, 0.0f);
    lod += l->sampler.lod_bias;
    lod = lod > min ? lod : min; /* NaN too */
    return MIN2(lod, max);
}

static float last_level(const struct gpu_lookup *l)
{
    return (float)(l->view.levels - 1);
}

/* ---------------------------------------------------------------- filtered lookups */

static void sample_at(const struct gpu_lookup *l, float lod, union hw_texel *out)
{
    const uint8_t filters = gpu_lookup_is_integer(l) ? 0 : l->sampler.filters;
    const bool is_linear = filters & (lod <= 0 ? HW_FILTER_MAG_LINEAR : HW_FILTER_MIN_LINEAR);
    lod = CLAMP(lod, 0.0f, last_level(l));
    if (!(filters & HW_FILTER_MIP_LINEAR)) {
        gpu_lookup_filter(l, (uint32_t)(lod + 0.5f), is_linear, out);
        return;
    }
    const uint32_t level = (uint32_t)lod;
    const float weight = lod - (float)level;
    union hw_texel next;
    gpu_lookup_filter(l, level, is_linear, out);
    if (weight == 0)
        return;
    gpu_lookup_filter(l, level + 1, is_linear, &next);
    if (gpu_lookup_reduces(l)) {
        gpu_lookup_reduce(l, &next, out);
        return;
    }
    for (uint32_t c = 0; c < 4; c++)
        out->f[c] += weight * (next.f[c] - out->f[c]);
}

/* The mean of several lookups along the longer axis of the footprint, each of the level that suits the shorter axis
 * [Vulkan, "Texel Anisotropic Filtering"]. */
static void sample_anisotropic(const struct gpu_lookup *l, const struct steps *steps, float bias, union hw_texel *out)
{
    const float x = MAX2(squared_texels(l, steps->x), 1e-12f), y = MAX2(squared_texels(l, steps->y), 1e-12f);
    const float longer = sqrtf(MAX2(x, y)), shorter = sqrtf(MIN2(x, y)), most = (float)l->sampler.anisotropy;
    const float *along = x >= y ? steps->x : steps->y;
    const float count = ceilf(longer / shorter - 1 / 16.0f);
    const uint32_t taps = count >= 1 ? (uint32_t)MIN2(count, most) : 1; /* NaN: both are infinite */
    const float lod = clamped_lod(l, log2f(longer / (float)taps) + bias);
    union hw_texel sum = {{0}};
    for (uint32_t i = 0; i < taps; i++) {
        struct gpu_lookup tap = *l;
        union hw_texel texel;
        for (uint32_t axis = 0; axis < 2; axis++)
            tap.coord[axis] += along[axis] * (((float)i + 0.5f) / (float)taps - 0.5f);
        sample_at(&tap, lod, &texel);
        for (uint32_t c = 0; c < 4; c++)
            sum.f[c] += texel.f[c] / (float)taps;
    }
    *out = sum;
}

/* Whether no LOD makes a difference: there is one level, and one filter for magnification and minification. */
static bool is_level_known(const struct gpu_lookup *l)
{
    const uint8_t filters = l->sampler.filters;
    return l->view.levels == 1 && !(filters & HW_FILTER_MAG_LINEAR) == !(filters & HW_FILTER_MIN_LINEAR);
}

static void filtered(struct gpu_lookup *l, const struct arguments *a, struct steps *steps, union hw_texel *out)
{
    const float given = l->what & HW_LOOKUP_HAS_LOD ? argument_f(a, HW_LOOKUP_LOD) : 0; /* a bias, if there are steps */
    const bool has_steps = l->what & HW_LOOKUP_HAS_STEPS;
    if (has_steps && l->sampler.anisotropy > 1 && l->view.levels > 1 && !gpu_lookup_is_integer(l) &&
        HW_LOOKUP_DIM(l->what) == HW_LOOKUP_2D) {
        sample_anisotropic(l, steps, given, out);
        return;
    }
    if (is_level_known(l)) {
        sample_at(l, 0, out);
        return;
    }
    const float squared = MAX2(squared_texels(l, steps->x), squared_texels(l, steps->y));
    sample_at(l, clamped_lod(l, has_steps ? lod_of(squared) + given : given), out);
}

/* ---------------------------------------------------------------- queries */

static void query_size(const struct gpu_lookup *l, const struct arguments *a, union hw_texel *out)
{
    const uint32_t level = l->what & HW_LOOKUP_HAS_LOD ? argument(a, HW_LOOKUP_LOD) : 0;
    const uint32_t axes = gpu_lookup_axes(l);
    if (l->view.flags & HW_VIEW_BUFFER) {
        out->u[0] = l->view.width_px;
        return;
    }
    for (uint32_t i = 0; i < axes; i++)
        out->u[i] = gpu_lookup_size(l, i, level);
    if (l->what & HW_LOOKUP_IS_ARRAY)
        out->u[axes] = gpu_lookup_layers(l);
}

static void query_lod(const struct gpu_lookup *l, const struct steps *steps, union hw_texel *out)
{
    const float automatic = lod_of(MAX2(squared_texels(l, steps->x), squared_texels(l, steps->y)));
    const float lod = CLAMP(clamped_lod(l, automatic), 0.0f, last_level(l));
    out->f[0] = l->sampler.filters & HW_FILTER_MIP_LINEAR ? lod : floorf(lod + 0.5f);
    out->f[1] = automatic;
}

/* ---------------------------------------------------------------- a lane */

static uint32_t nearest_layer(const struct gpu_lookup *l, float layer)
{
    const float last = (float)(gpu_lookup_layers(l) - 1), whole = rintf(layer);
    return whole > 0 ? (uint32_t)MIN2(whole, last) : 0; /* NaN: 0 */
}

static void read_arguments(struct gpu_lookup *l, const struct arguments *a, struct steps *steps)
{
    const bool is_fetch = HW_LOOKUP_KIND(l->what) == HW_LOOKUP_FETCH;
    const uint32_t count = HW_LOOKUP_DIM(l->what) == HW_LOOKUP_CUBE ? 3 : gpu_lookup_axes(l);
    for (uint32_t i = 0; i < count; i++) {
        l->texel[i] = (int32_t)argument(a, HW_LOOKUP_S + i);
        l->coord[i] = util_uif((uint32_t)l->texel[i]);
        if (l->what & HW_LOOKUP_HAS_OFFSET)
            l->offset[i] = (int32_t)argument(a, HW_LOOKUP_OFFSET + i);
    }
    if (l->what & HW_LOOKUP_IS_ARRAY)
        l->layer = is_fetch ? argument(a, HW_LOOKUP_LAYER) : nearest_layer(l, argument_f(a, HW_LOOKUP_LAYER));
    if (l->what & HW_LOOKUP_COMPARES)
        l->reference = argument_f(a, HW_LOOKUP_REFERENCE);
    if (l->what & HW_LOOKUP_HAS_SAMPLE)
        l->sample = argument(a, HW_LOOKUP_SAMPLE);
    if (l->what & HW_LOOKUP_HAS_STEPS) {
        read_steps(a, HW_LOOKUP_DX, count, steps->x);
        read_steps(a, HW_LOOKUP_DY, count, steps->y);
    }
    if (HW_LOOKUP_DIM(l->what) == HW_LOOKUP_CUBE && !is_fetch)
        project_on_cube(l, steps);
}

/* A view that does not suit the shader's type is read as far as it goes. */
static bool suits(const struct gpu_lookup *l)
{
    const bool is_buffer = HW_LOOKUP_DIM(l->what) == HW_LOOKUP_BUFFER;
    if (is_buffer != ((l->view.flags & HW_VIEW_BUFFER) != 0) || HW_LOOKUP_DIM(l->what) > HW_LOOKUP_BUFFER)
        return false;
    return HW_LOOKUP_DIM(l->what) != HW_LOOKUP_CUBE || l->view.slices >= 6;
}

static void look_up(struct gpu_lookup *l, const struct arguments *a, union hw_texel *out)
{
    struct steps steps = {{0}, {0}};
    read_arguments(l, a, &steps);
    switch (HW_LOOKUP_KIND(l->what)) {
    case HW_LOOKUP_FETCH:
        gpu_lookup_fetch(l, l->what & HW_LOOKUP_HAS_LOD ? argument(a, HW_LOOKUP_LOD) : 0, out);
        break;
    case HW_LOOKUP_GATHER:
        gpu_lookup_gather(l, l->what & HW_LOOKUP_COMPARES ? 0 : HW_LOOKUP_COMPONENT(l->what), out);
        break;
    case HW_LOOKUP_QUERY_SIZE:
        query_size(l, a, out);
        break;
    case HW_LOOKUP_QUERY_LEVELS:
        out->u[0] = l->view.levels;
        break;
    case HW_LOOKUP_QUERY_SAMPLES:
        out->u[0] = l->view.samples;
        break;
    case HW_LOOKUP_QUERY_LOD:
        query_lod(l, &steps, out);
        break;
    default:
        if (!(l->view.flags & HW_VIEW_BUFFER))
            filtered(l, a, &steps, out);
        break;
    }
}

/* The descriptors that a lane has read: lanes of a program mostly use the same ones. */
struct descriptors {
    struct gpu_lookup with; /* them, and nothing else */
    uint32_t view_addr, sampler_addr;
    bool are_read, is_view; /* the view may be null */
};

static void read_descriptors(struct descriptors *d, uint32_t view_addr, uint32_t sampler_addr)
{
    if (!d->are_read || view_addr != d->view_addr)
        d->is_view = gpu_lookup_read_view(&d->with, view_addr);
    if (!d->are_read || sampler_addr != d->sampler_addr)
        gpu_lookup_read_sampler(&d->with, sampler_addr);
    d->view_addr = view_addr;
    d->sampler_addr = sampler_addr;
    d->are_read = true;
}

static void run_lane(const struct arguments *a, struct descriptors *d)
{
    union hw_texel result = {{0}};
    read_descriptors(d, argument(a, HW_LOOKUP_VIEW), argument(a, HW_LOOKUP_SAMPLER));
    struct gpu_lookup l = d->with;
    l.what = argument(a, HW_LOOKUP_WHAT);
    if (d->is_view && suits(&l))
        look_up(&l, a, &result);
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t *at = slot_at(a, HW_LOOKUP_RESULT + i);
        if (at)
            memcpy(at, &result.u[i], 4);
    }
}

/* Programs run with the chip's rounding towards zero; lookups round as the driver's other code does. */
void gpu_lookup_lanes(struct gpu_qpu_core *core, const uint32_t args[QPU_LANES])
{
    struct descriptors descriptors = {.with = {.core = core}};
    const int rounding = fegetround();
    fesetround(FE_TONEAREST);
    for (uint32_t l = 0; l < QPU_LANES; l++)
        if (args[l])
            run_lane(&(struct arguments){core, args[l], gpu_lookup_memory(core, args[l], ALL_SLOTS_B)}, &descriptors);
    fesetround(rounding);
}
