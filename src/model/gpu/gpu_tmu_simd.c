/* SPDX-License-Identifier: MIT
 *
 * Texture requests with SIMD vectors. Gives the same results as gpu_tmu_filter.c, bit for bit, for textures with
 * is_simd_capable() of gpu_tmu.c, and without child images. Compiled once per vector extension (gpu_vectors.h).
 *
 * A vector of lanes, always whole quads, goes through a request together, in registers. Lanes that need another level
 * than the first lane get another pass.
 *
 * A texel's byte offset is (X ^ flip) + add in all layouts, where X depends on the column, and flip and add on the row.
 * In rows of tiles that run backwards, the number of the tile and the bits of its sub-tile are inverted [guide
 * p.105-107].
 */
#include "model/gpu/gpu_sfu.h"
#include "model/gpu/gpu_tmu_state.h"
#include "model/gpu/gpu_vectors.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* -- places ------------------------------------------------------------------------------------------------------- */

struct row_place {
    simd_u flip, add;
};

static ALWAYS_INLINE simd_u column_place(const struct gpu_texture *tex, const struct gpu_tmu_level *level, simd_u x)
{
    uint32_t log2_w = tex->log2_utile_w, log2_cpp = tex->log2_cpp;
    simd_u ux, place;

    if (level->tiling == HW_TILING_RASTER)
        return x << log2_cpp;
    ux = x >> log2_w;
    place = (x & ((1u << log2_w) - 1)) << log2_cpp;
    if (level->tiling == HW_TILING_LT)
        return place | ux << 6;
    return place | (ux & 3) << 6 | (ux & 4) << 8 | (ux & 4) << 9 | ux >> 3 << 12;
}

static ALWAYS_INLINE struct row_place row_place(const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                                                simd_u y)
{
    uint32_t log2_h = tex->log2_utile_h, in_shift = (uint32_t)tex->log2_utile_w + tex->log2_cpp;
    uint32_t row_ut = level->row_ut, row_tl = row_ut >> 3;
    struct row_place place = {0};
    simd_u uy, in_utile;

    if (level->tiling == HW_TILING_RASTER) {
        place.add = y * level->stride_B;
        return place;
    }
    uy = y >> log2_h;
    in_utile = (y & ((1u << log2_h) - 1)) << in_shift;
    if (level->tiling == HW_TILING_LT) {
        place.add = in_utile + uy * (row_ut << 6);
        return place;
    }
    simd_u ty = uy >> 3, odd = 0 - (ty & 1);
    place.flip = (odd & ~0x7ffu) | (uy & 4) << 8;
    place.add = ((ty * row_tl + (odd & row_tl)) << 12) + ((uy & 3) << 8) + in_utile;
    return place;
}

/* -- texels ------------------------------------------------------------------------------------------------------- */

static ALWAYS_INLINE simd_u load(const uint8_t *base, unsigned log2_cpp, simd_u at)
{
    if (log2_cpp == 2)
        return simd_gather(base, at);
#if SIMD_LANES == 4
    for (unsigned l = 0; l < SIMD_LANES; l++) {
        uint16_t half;
        if (log2_cpp)
            memcpy(&half, base + at[l], 2);
        at[l] = log2_cpp ? half : base[at[l]];
    }
    return at;
#else
    return simd_gather(base, at & ~3u) >> ((at & 3) << 3) & (log2_cpp ? 0xffff : 0xff);
#endif
}

static ALWAYS_INLINE simd_u widen4(simd_u v)
{
    v &= 15;
    return v << 4 | v;
}

static ALWAYS_INLINE simd_u widen5(simd_u v)
{
    v &= 31;
    return v << 3 | v >> 2;
}

static ALWAYS_INLINE simd_u widen6(simd_u v)
{
    v &= 63;
    return v << 2 | v >> 4;
}

/* Like decode() of gpu_tmu_texel.c. */
static ALWAYS_INLINE simd_u decode(unsigned type, simd_u raw)
{
    switch (type) {
    case HW_TEX_RGBX8888:
        return raw | 0xff000000u;
    case HW_TEX_RGBA4444:
        return widen4(raw >> 12) | widen4(raw >> 8) << 8 | widen4(raw >> 4) << 16 | widen4(raw) << 24;
    case HW_TEX_RGBA5551:
        return widen5(raw >> 11) | widen5(raw >> 6) << 8 | widen5(raw >> 1) << 16 | (0 - (raw & 1)) << 24;
    case HW_TEX_RGB565:
        return widen5(raw >> 11) | widen6(raw >> 5) << 8 | widen5(raw) << 16 | 0xff000000u;
    case HW_TEX_LUMINANCE:
        return raw | raw << 8 | raw << 16 | 0xff000000u;
    case HW_TEX_ALPHA:
        return raw << 24;
    case HW_TEX_LUMALPHA:
        return (raw & 0xff) | (raw & 0xff) << 8 | raw << 16;
    default:
        return raw;
    }
}

/* -- one level ---------------------------------------------------------------------------------------------------- */

/* Where lanes sample: wrapped coordinates, and the byte offset of each lane's face. */
struct place {
    const uint8_t *base; /* start of the chip's memory */
    simd_f s, t;
    simd_u face_B;
};

static ALWAYS_INLINE simd_u wrap_texel(simd_i i, int32_t size, unsigned wrap)
{
    if (wrap != HW_WRAP_REPEAT)
        return (simd_u)simd_clamp_index(i, size - 1);
    i += size & (i < 0); /* one step outside at most */
    return (simd_u)(i - (size & (i >= size)));
}

static simd_u nearest(const struct gpu_texture *tex, const struct gpu_tmu_level *level, const struct place *p)
{
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    simd_u x = wrap_texel(simd_floor(p->s * (float)width), width, tex->wrap_s);
    simd_u y = wrap_texel(simd_floor(p->t * (float)height), height, tex->wrap_t);
    struct row_place row = row_place(tex, level, y);
    simd_u at = (column_place(tex, level, x) ^ row.flip) + row.add + p->face_B;

    return decode(tex->type, load(p->base + level->addr, tex->log2_cpp, at));
}

/* Blends bytes 0 and 2 of two texels. `weight` is that of the second texel, in both halves; the sums have 16 bits. */
static ALWAYS_INLINE simd_u mix_halves(simd_u a, simd_u b, simd_u weight)
{
    simd_h from = (simd_h)a, to = (simd_h)b;

    return (simd_u)((from << 8) + (to - from) * (simd_h)weight);
}

/* Blends four texels byte by byte: first along x in 16 bits, which is exact, then along y in 32 bits. The products are
 * signed, so 2^15 is subtracted before and added after. */
static ALWAYS_INLINE simd_u bilinear(const simd_u texel[4], simd_u fx, simd_u fy)
{
    const uint32_t bytes = 0x00ff00ffu, bias = 0x80008000u;
    const uint32_t round = (1u << 15 << 8) + (1u << 15);
    simd_u wx = fx | fx << 16, wy = (256 - fy) | fy << 16;
    simd_u even0 = mix_halves(texel[0] & bytes, texel[1] & bytes, wx) ^ bias;
    simd_u even1 = mix_halves(texel[2] & bytes, texel[3] & bytes, wx) ^ bias;
    simd_u odd0 = mix_halves(texel[0] >> 8 & bytes, texel[1] >> 8 & bytes, wx) ^ bias;
    simd_u odd1 = mix_halves(texel[2] >> 8 & bytes, texel[3] >> 8 & bytes, wx) ^ bias;
    simd_u r = simd_pair_products((even0 & 0xffff) | even1 << 16, wy) + round;
    simd_u g = simd_pair_products((odd0 & 0xffff) | odd1 << 16, wy) + round;
    simd_u b = simd_pair_products(even0 >> 16 | (even1 & 0xffff0000u), wy) + round;
    simd_u a = simd_pair_products(odd0 >> 16 | (odd1 & 0xffff0000u), wy) + round;

    return r >> 16 | (g >> 8 & 0xff00) | (b & 0xff0000) | (a << 8 & 0xff000000u);
}

static simd_u linear(const struct gpu_texture *tex, const struct gpu_tmu_level *level, const struct place *p)
{
    const uint8_t *base = p->base + level->addr;
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    simd_i at_x = simd_floor(p->s * (float)width * 256.0f + 0.5f) - 128; /* in 1/256 texel */
    simd_i at_y = simd_floor(p->t * (float)height * 256.0f + 0.5f) - 128;
    simd_u x0 = column_place(tex, level, wrap_texel(at_x >> 8, width, tex->wrap_s));
    simd_u x1 = column_place(tex, level, wrap_texel((at_x >> 8) + 1, width, tex->wrap_s));
    struct row_place y0 = row_place(tex, level, wrap_texel(at_y >> 8, height, tex->wrap_t));
    struct row_place y1 = row_place(tex, level, wrap_texel((at_y >> 8) + 1, height, tex->wrap_t));
    simd_u texel[4];

    y0.add += p->face_B;
    y1.add += p->face_B;
    texel[0] = decode(tex->type, load(base, tex->log2_cpp, (x0 ^ y0.flip) + y0.add));
    texel[1] = decode(tex->type, load(base, tex->log2_cpp, (x1 ^ y0.flip) + y0.add));
    texel[2] = decode(tex->type, load(base, tex->log2_cpp, (x0 ^ y1.flip) + y1.add));
    texel[3] = decode(tex->type, load(base, tex->log2_cpp, (x1 ^ y1.flip) + y1.add));
    return bilinear(texel, (simd_u)at_x & 255, (simd_u)at_y & 255);
}

static simd_u sample_level(const struct gpu_texture *tex, unsigned level, bool is_linear, const struct place *p)
{
    return is_linear ? linear(tex, &tex->level[level], p) : nearest(tex, &tex->level[level], p);
}

/* -- levels ------------------------------------------------------------------------------------------------------- */

static bool is_linear_min(unsigned min)
{
    return min == HW_MIN_LINEAR || min == HW_MIN_LIN_MIP_NEAR || min == HW_MIN_LIN_MIP_LIN;
}

/* Blends byte by byte, with `weight` / 256 of the second. */
static simd_u between_levels(simd_u a, simd_u b, simd_u weight)
{
    const uint32_t bytes = 0x00ff00ffu, half = 0x00800080u;
    simd_u w = weight | weight << 16;
    simd_h even = (simd_h)mix_halves(a & bytes, b & bytes, w) + (simd_h)simd_splat(half);
    simd_h odd = (simd_h)mix_halves(a >> 8 & bytes, b >> 8 & bytes, w) + (simd_h)simd_splat(half);

    return (simd_u)(even >> 8) | ((simd_u)odd & 0xff00ff00u);
}

static simd_u sample_choice(const struct gpu_texture *tex, unsigned level, bool is_linear, simd_u weight,
                            const struct place *p)
{
    simd_u first = sample_level(tex, level, is_linear, p);

    if (!simd_bits(weight != 0))
        return first;
    return between_levels(first, sample_level(tex, MIN2(level + 1, tex->levels - 1), is_linear, p), weight);
}

/* Like choose() and sample() of gpu_tmu_filter.c. */
static simd_u sample_by_lod(const struct gpu_texture *tex, simd_f lod, const struct place *p)
{
    simd_i minifies = lod > 0;
    simd_u key = simd_select(minifies, simd_splat(is_linear_min(tex->min)), simd_splat(!tex->mag_nearest));
    simd_u weight = {0}, result = {0};
    unsigned left = (1u << SIMD_LANES) - 1;

    if (tex->min >= HW_MIN_NEAR_MIP_NEAR) {
        simd_f bounded = simd_at_most(lod, simd_splat_f((float)(tex->levels - 1)));
        bool one = tex->min == HW_MIN_NEAR_MIP_NEAR || tex->min == HW_MIN_LIN_MIP_NEAR;
        bounded = (simd_f)((simd_u)bounded & (simd_u)minifies);
        simd_i level = simd_to_int(one ? bounded + 0.5f : bounded);
        if (!one)
            weight = (simd_u)simd_to_int((bounded - simd_to_float(level)) * 256.0f);
        key |= (simd_u)(level & minifies) << 1;
    }
    while (left) {
        uint32_t choice = key[__builtin_ctz(left)];
        simd_i same = key == choice;
        simd_u pass = sample_choice(tex, choice >> 1, choice & 1, weight & (simd_u)same, p);
        result |= pass & (simd_u)same;
        left &= ~simd_bits(same);
    }
    return result;
}

/* -- coordinates -------------------------------------------------------------------------------------------------- */

static ALWAYS_INLINE simd_f bounded(simd_f x)
{
    return simd_at_most(simd_at_least(x, simd_splat_f(-0x1p20f)), simd_splat_f(0x1p20f));
}

static ALWAYS_INLINE simd_f clamped(simd_f x, float low, float high)
{
    return simd_at_most(simd_at_least(x, simd_splat_f(low)), simd_splat_f(high));
}

static simd_f wrap_coordinate(simd_f x, unsigned wrap)
{
    x = bounded(x);
    if (wrap == HW_WRAP_REPEAT)
        return x - simd_to_float(simd_floor(x));
    if (wrap == HW_WRAP_CLAMP)
        return clamped(x, 0.0f, 1.0f);
    x = x - 2.0f * simd_to_float(simd_floor(x * 0.5f));
    return simd_select_f(x > 1.0f, 2.0f - x, x);
}

/* -- level of detail ---------------------------------------------------------------------------------------------- */

struct direction {
    simd_f x, y, z;
};

static ALWAYS_INLINE simd_f absolute(simd_f x)
{
    return (simd_f)((simd_u)x & 0x7fffffffu);
}

/* Lanes whose major axis is x, and lanes whose major axis is y; for all others it is z. */
static ALWAYS_INLINE void find_major(const struct direction *d, simd_i *x_out, simd_i *y_out)
{
    simd_f ax = absolute(d->x), ay = absolute(d->y), az = absolute(d->z);

    *x_out = (ax >= ay) & (ax >= az);
    *y_out = ~*x_out & (ay >= az);
}

static simd_f step_squared(const struct gpu_texture *tex, simd_f ds, simd_f dt)
{
    ds = clamped(ds, -1.0f, 1.0f) * (float)tex->level[0].width;
    dt = clamped(dt, -1.0f, 1.0f) * (float)tex->level[0].height;
    return ds * ds + dt * dt;
}

/* Like cube_step() of gpu_tmu_filter.c, to lane l ^ n. */
static simd_f cube_step_squared(const struct gpu_texture *tex, const struct direction *d, unsigned n)
{
    struct direction to = {simd_neighbour(d->x, n), simd_neighbour(d->y, n), simd_neighbour(d->z, n)};
    simd_i is_x, is_y;

    find_major(d, &is_x, &is_y);
    simd_f major = simd_select_f(is_x, d->x, simd_select_f(is_y, d->y, d->z));
    simd_f distance = simd_select_f(is_x, to.x, simd_select_f(is_y, to.y, to.z));
    distance = simd_select_f(major < 0, -distance, distance);
    distance = simd_at_least(distance, simd_splat_f(0x1p-10f));
    simd_f ds = simd_select_f(is_x, to.y, to.x) / distance - simd_select_f(is_x, d->y, d->x);
    simd_f dt = simd_select_f(is_x | is_y, to.z, to.y) / distance - simd_select_f(is_x | is_y, d->z, d->y);
    return step_squared(tex, ds * 0.5f, dt * 0.5f);
}

static simd_f automatic_lod(const struct gpu_texture *tex, const struct direction *d)
{
    const struct gpu_sfu_tables *sfu = gpu_sfu_tables();
    unsigned lanes = tex->cube ? 1 : 4; /* lanes that share one LOD */
    simd_f along_x, along_y, squared, lod = {0};

    if (tex->cube) {
        along_x = cube_step_squared(tex, d, 1);
        along_y = cube_step_squared(tex, d, 2);
    } else {
        along_x = step_squared(tex, simd_quad(d->x, 1) - simd_quad(d->x, 0), simd_quad(d->y, 1) - simd_quad(d->y, 0));
        along_y = step_squared(tex, simd_quad(d->x, 2) - simd_quad(d->x, 0), simd_quad(d->y, 2) - simd_quad(d->y, 0));
    }
    squared = simd_at_least(along_x, along_y);
    for (unsigned l = 0; l < SIMD_LANES; l++)
        lod[l] = l % lanes ? lod[l - l % lanes] : util_uif(gpu_sfu_log2(sfu, util_fui(squared[l])));
    return bounded(lod) * 0.5f;
}

/* -- cube maps ---------------------------------------------------------------------------------------------------- */

/* Like cube_face() of gpu_tmu_filter.c. */
static void find_faces(const struct gpu_texture *tex, const struct direction *d, struct place *p)
{
    simd_i is_x, is_y;

    find_major(d, &is_x, &is_y);
    simd_f major = simd_select_f(is_x, d->x, simd_select_f(is_y, d->y, d->z));
    simd_i negative = major < 0;
    simd_f s = simd_select_f(is_x, simd_select_f(negative, d->z, -d->z),
                             simd_select_f(~is_y & negative, -d->x, d->x));
    simd_f t = simd_select_f(is_y, simd_select_f(negative, -d->z, d->z), -d->y);
    simd_u face = simd_select(is_x, simd_splat(0), simd_select(is_y, simd_splat(2), simd_splat(4)));

    p->s = (s + 1.0f) * 0.5f;
    p->t = (t + 1.0f) * 0.5f;
    p->face_B = (face - (simd_u)negative) * tex->cube_stride_B;
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

static simd_u sample_lanes(const uint8_t *base, const struct gpu_texture *tex, const struct gpu_tmu_request *r,
                           bool lod_given, unsigned first)
{
    struct direction d = {bounded(simd_load_f(&r->s, first)), bounded(simd_load_f(&r->t, first))};
    struct place p = {base, d.x, d.y, {0}};

    if (tex->cube) {
        d.z = bounded(simd_load_f(&r->r, first));
        find_faces(tex, &d, &p);
    }
    if (tex->flip_y)
        p.t = 1.0f - bounded(p.t);
    p.s = wrap_coordinate(p.s, tex->wrap_s);
    p.t = wrap_coordinate(p.t, tex->wrap_t);
    if (tex->single_filter)
        return sample_level(tex, 0, !tex->mag_nearest, &p);
    simd_f lod = bounded(simd_load_f(&r->b, first));
    if (!lod_given)
        lod += automatic_lod(tex, &d);
    return sample_by_lod(tex, lod, &p);
}

void SIMD_NAME(gpu_tmu_simd)(const struct gpu_memory *mem, const struct gpu_texture *tex,
                             const struct gpu_tmu_request *r, bool lod_given, union gpu_vec *result)
{
    for (unsigned first = 0; first < QPU_LANES; first += SIMD_LANES)
        simd_store(result, first, sample_lanes(mem->base, tex, r, lod_given, first));
}

/* -- direct lookups ----------------------------------------------------------------------------------------------- */

/* Loads words from a window of memory; false if any lies outside. */
bool SIMD_NAME(gpu_tmu_simd_load)(const uint8_t *window, uint32_t window_addr, uint32_t window_B,
                                  const union gpu_vec *addr, union gpu_vec *result)
{
    simd_u offset[QPU_LANES / SIMD_LANES];
    simd_i good = ~(simd_i){0};
    uint32_t size_B = MIN2(window_B, UINT32_C(0x7fffffff));

    if (size_B < 4)
        return false;
    for (unsigned n = 0; n < QPU_LANES / SIMD_LANES; n++) {
        memcpy(&offset[n], &addr->u[n * SIMD_LANES], sizeof offset[n]);
        offset[n] = (offset[n] & ~3u) - window_addr;
        good &= offset[n] <= size_B - 4;
    }
    if (simd_bits(good) != (1u << SIMD_LANES) - 1)
        return false;
    for (unsigned n = 0; n < QPU_LANES / SIMD_LANES; n++)
        simd_store(result, n * SIMD_LANES, simd_gather(window, offset[n]));
    return true;
}
