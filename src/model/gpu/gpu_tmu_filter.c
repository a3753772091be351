/* SPDX-License-Identifier: MIT
 *
 * Coordinates to results: cube faces, level of detail, wrapping, filtering.
 *
 * No source says how precise the unit is, nor how it forms the level of detail. Decided here, once (UNVERIFIED):
 *   - weights have 8 bits; bilinear sums keep 16 and are rounded to nearest; levels are blended from 8-bit results;
 *   - the automatic LOD is one for a quad: log2 of the longer of the two steps, from lane 0 to its neighbours in x and y;
 *   - a LOD of 0 and below magnifies; the nearest level is floor(LOD + 1/2);
 *   - cube faces do not filter across their edges.
 */
#include <math.h>
#include "model/gpu/gpu_sfu.h"
#include "model/gpu/gpu_tmu_state.h"

#define WEIGHT_ONE 256

/* Where one lane samples. */
struct place {
    float s, t;      /* [0, 1] over the image of a face */
    uint32_t face_B; /* offset of the cube face */
};

struct sampler {
    const struct gpu_tmu *tmu;
    const struct gpu_texture *tex;
    uint32_t border; /* as a texel */
};

/* A float as the unit may handle it: NaN and infinity, which no texel is near to, as a large number. */
static float bounded(float x)
{
    const float limit = 0x1p20f;

    return x > limit ? limit : x >= -limit ? x : -limit;
}

static int32_t floor_int(float x)
{
    int32_t i = (int32_t)x;

    return i - (x < (float)i);
}

/* -- wrapping ----------------------------------------------------------------------------------------------------- */

/* Repeat and mirror bring the coordinate into [0, 1]; the others leave it near there. */
static float wrap_coordinate(float x, unsigned wrap)
{
    float whole;

    x = bounded(x);
    switch (wrap) {
    case HW_WRAP_REPEAT:
        return x - (float)floor_int(x);
    case HW_WRAP_MIRROR:
        whole = x - 2.0f * (float)floor_int(x * 0.5f); /* [0, 2] */
        return whole > 1.0f ? 2.0f - whole : whole;
    case HW_WRAP_CLAMP:
        return CLAMP(x, 0.0f, 1.0f);
    default:
        return CLAMP(x, -2.0f, 3.0f);
    }
}

/* Texel index, at most one step outside when the coordinate was in [0, 1]. -1: the border. */
static int32_t wrap_texel(int32_t i, int32_t size, unsigned wrap)
{
    if (i >= 0 && i < size)
        return i;
    switch (wrap) {
    case HW_WRAP_REPEAT:
        i = i < 0 ? i + size : i - size;
        return CLAMP(i, 0, size - 1);
    case HW_WRAP_BORDER:
        return -1;
    default:
        return i < 0 ? 0 : size - 1;
    }
}

static uint32_t fetch(const struct sampler *s, const struct gpu_tmu_level *level, uint32_t face_B, int32_t x, int32_t y)
{
    if (x < 0 || y < 0)
        return s->border;
    return gpu_texel(s->tmu, s->tex, level, face_B, (uint32_t)x, (uint32_t)y);
}

/* -- one level ---------------------------------------------------------------------------------------------------- */

/* Bytes 0 and 2 of a texel in the halves of 64 bits, so that one multiplication weighs both. */
static uint64_t spread(uint32_t texel)
{
    return (texel & 0xff) | (uint64_t)(texel >> 16 & 0xff) << 32;
}

static uint32_t gather(uint64_t low, uint64_t high, unsigned shift)
{
    uint64_t half = (UINT64_C(1) << 32 | 1) << (shift - 1);

    low = (low + half) >> shift & UINT64_C(0x000000ff000000ff);
    high = (high + half) >> shift & UINT64_C(0x000000ff000000ff);
    return (uint32_t)(low | low >> 16) | (uint32_t)(high | high >> 16) << 8;
}

/* Weighted sum of four bytes each of `count` texels; weights add up to 1 << shift. */
static uint32_t blend_bytes(const uint32_t *texels, const uint32_t *weights, unsigned count, unsigned shift)
{
    uint64_t low = 0, high = 0;

    for (unsigned n = 0; n < count; n++) {
        low += spread(texels[n]) * weights[n];
        high += spread(texels[n] >> 8) * weights[n];
    }
    return gather(low, high, shift);
}

static uint32_t blend_halves(const uint32_t *texels, const uint32_t *weights, unsigned count, unsigned shift)
{
    float sum = 0;

    for (unsigned n = 0; n < count; n++)
        sum += util_uif(gpu_half_to_float(texels[n] & 0xffff)) * (float)weights[n];
    return gpu_float_to_half(util_fui(sum / (float)(1u << shift)));
}

static uint32_t blend(const struct gpu_texture *tex, const uint32_t *texels, const uint32_t *weights, unsigned count,
                      unsigned shift)
{
    if (tex->type == HW_TEX_S16F)
        return blend_halves(texels, weights, count, shift);
    return blend_bytes(texels, weights, count, shift);
}

static uint32_t nearest(const struct sampler *s, const struct gpu_tmu_level *level, const struct place *at)
{
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    int32_t x = wrap_texel(floor_int(at->s * (float)width), width, s->tex->wrap_s);
    int32_t y = wrap_texel(floor_int(at->t * (float)height), height, s->tex->wrap_t);

    return fetch(s, level, at->face_B, x, y);
}

static uint32_t linear(const struct sampler *s, const struct gpu_tmu_level *level, const struct place *at)
{
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    /* Position of the lower left of the four texels in 1/256. */
    int32_t u = floor_int(at->s * (float)width * WEIGHT_ONE) - WEIGHT_ONE / 2;
    int32_t v = floor_int(at->t * (float)height * WEIGHT_ONE) - WEIGHT_ONE / 2;
    uint32_t fu = (uint32_t)u & (WEIGHT_ONE - 1), fv = (uint32_t)v & (WEIGHT_ONE - 1);
    int32_t x0 = wrap_texel(u >> 8, width, s->tex->wrap_s), x1 = wrap_texel((u >> 8) + 1, width, s->tex->wrap_s);
    int32_t y0 = wrap_texel(v >> 8, height, s->tex->wrap_t), y1 = wrap_texel((v >> 8) + 1, height, s->tex->wrap_t);
    uint32_t texels[4] = {
        fetch(s, level, at->face_B, x0, y0),
        fetch(s, level, at->face_B, x1, y0),
        fetch(s, level, at->face_B, x0, y1),
        fetch(s, level, at->face_B, x1, y1),
    };
    uint32_t weights[4] = {
        (WEIGHT_ONE - fu) * (WEIGHT_ONE - fv),
        fu * (WEIGHT_ONE - fv),
        (WEIGHT_ONE - fu) * fv,
        fu * fv,
    };

    return blend(s->tex, texels, weights, 4, 16);
}

/* S16 is an integer and cannot be filtered [guide p.44]. */
static uint32_t one_level(const struct sampler *s, unsigned level, bool want_linear, const struct place *at)
{
    const struct gpu_tmu_level *l = &s->tex->level[level];

    return want_linear && s->tex->type != HW_TEX_S16 ? linear(s, l, at) : nearest(s, l, at);
}

/* -- levels ------------------------------------------------------------------------------------------------------- */

static bool min_is_linear(unsigned min)
{
    return min == HW_MIN_LINEAR || min == HW_MIN_LIN_MIP_NEAR || min == HW_MIN_LIN_MIP_LIN;
}

static bool uses_levels(unsigned min)
{
    return min >= HW_MIN_NEAR_MIP_NEAR;
}

static uint32_t minified(const struct sampler *s, float lod, const struct place *at)
{
    const struct gpu_texture *tex = s->tex;
    bool want_linear = min_is_linear(tex->min);
    float top = (float)(tex->levels - 1);
    uint32_t texels[2], weights[2];
    unsigned level;

    if (!uses_levels(tex->min))
        return one_level(s, 0, want_linear, at);
    lod = lod < top ? lod : top;
    if (tex->min == HW_MIN_NEAR_MIP_NEAR || tex->min == HW_MIN_LIN_MIP_NEAR)
        return one_level(s, (unsigned)(lod + 0.5f), want_linear, at);
    level = (unsigned)lod;
    weights[1] = (uint32_t)((lod - (float)level) * WEIGHT_ONE);
    texels[0] = one_level(s, level, want_linear, at);
    if (!weights[1])
        return texels[0];
    weights[0] = WEIGHT_ONE - weights[1];
    texels[1] = one_level(s, level + 1, want_linear, at);
    return blend(tex, texels, weights, 2, 8);
}

static uint32_t sample(const struct sampler *s, float lod, const struct place *at)
{
    return lod > 0 ? minified(s, lod, at) : one_level(s, 0, !s->tex->mag_nearest, at);
}

/* -- level of detail ---------------------------------------------------------------------------------------------- */

/* Square of a step of the quad in texels; cube coordinates run over [-1, 1]. */
static float step_squared(const struct gpu_texture *tex, const struct gpu_tmu_request *r, unsigned from, unsigned to)
{
    float width = (float)tex->level[0].width, height = (float)tex->level[0].height;
    float ds = bounded(r->s.f[to]) - bounded(r->s.f[from]), dt = bounded(r->t.f[to]) - bounded(r->t.f[from]);

    if (tex->cube) {
        float dr = bounded(r->r.f[to]) - bounded(r->r.f[from]);
        return (ds * ds + dt * dt + dr * dr) * (width * width * 0.25f);
    }
    ds *= width;
    dt *= height;
    return ds * ds + dt * dt;
}

static void automatic_lod(const struct gpu_texture *tex, const struct gpu_tmu_request *r, union gpu_vec *lod)
{
    union gpu_vec squared, logarithm;

    for (unsigned quad = 0; quad < QPU_LANES; quad += 4) {
        float along_x = step_squared(tex, r, quad, quad + 1), along_y = step_squared(tex, r, quad, quad + 2);
        for (unsigned l = quad; l < quad + 4; l++)
            squared.f[l] = MAX2(along_x, along_y);
    }
    gpu_sfu(QPU_W_SFU_LOG, &squared, &logarithm);
    for (unsigned l = 0; l < QPU_LANES; l++)
        lod->f[l] = bounded(logarithm.f[l]) * 0.5f;
}

/* The B parameter is the LOD itself, or a bias [guide p.41]. */
static void find_lod(const struct gpu_texture *tex, const struct gpu_tmu_request *r, bool lod_given, union gpu_vec *lod)
{
    bool one_filter = !uses_levels(tex->min) && min_is_linear(tex->min) == !tex->mag_nearest;

    if (one_filter) {
        gpu_vec_splat(lod, 0);
        return;
    }
    if (lod_given)
        gpu_vec_splat(lod, 0);
    else
        automatic_lod(tex, r, lod);
    for (unsigned l = 0; l < QPU_LANES; l++)
        lod->f[l] += bounded(r->b.f[l]);
}

/* -- cube maps ---------------------------------------------------------------------------------------------------- */

/* The direction was divided by its largest component in the program. Faces and their axes follow OpenGL [guide p.44]. */
static struct place cube_place(const struct gpu_texture *tex, float x, float y, float z)
{
    float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    float s, t;
    unsigned face;

    if (ax >= ay && ax >= az) {
        face = x < 0;
        s = x < 0 ? z : -z;
        t = -y;
    } else if (ay >= az) {
        face = 2 + (y < 0);
        s = x;
        t = y < 0 ? -z : z;
    } else {
        face = 4 + (z < 0);
        s = z < 0 ? -x : x;
        t = -y;
    }
    return (struct place){(s + 1.0f) * 0.5f, (t + 1.0f) * 0.5f, face * tex->cube_stride_B};
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

void gpu_tmu_filter(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_request *r,
                    bool lod_given, union gpu_vec *result)
{
    /* The border word is the R parameter of lane 0; with cube maps there is no border. */
    struct sampler s = {tmu, tex, tex->cube ? 0 : gpu_texel_border(tex->type, r->r.u[0])};
    union gpu_vec lod;

    find_lod(tex, r, lod_given, &lod);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        struct place at = {r->s.f[l], r->t.f[l], 0};
        if (tex->cube)
            at = cube_place(tex, bounded(r->s.f[l]), bounded(r->t.f[l]), bounded(r->r.f[l]));
        if (tex->flip_y)
            at.t = 1.0f - bounded(at.t);
        at.s = wrap_coordinate(at.s, tex->wrap_s);
        at.t = wrap_coordinate(at.t, tex->wrap_t);
        result->u[l] = sample(&s, lod.f[l], &at);
    }
}
