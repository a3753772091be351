/* SPDX-License-Identifier: MIT
 *
 * Texture requests with the host's vectors: what gpu_tmu_filter.c does, bit for bit, for textures of bytes that lie in
 * mapped memory as a whole, without borders and child images. Compiled once for each kind of host (gpu_vectors.h).
 *
 * As many lanes as a vector has go through a request together, all in registers; quads are whole. Lanes that need
 * another level than the first get another pass.
 *
 * A texel's place is (X ^ flip) + add, X from its column, flip and add from its row, in all layouts: where rows of
 * tiles run backwards, the number of the tile is inverted, and so are the bits of its sub-tile [guide p.105-107].
 */
#include "model/gpu/gpu_sfu.h"
#include "model/gpu/gpu_tmu_state.h"
#include "model/gpu/gpu_vectors.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* -- places ------------------------------------------------------------------------------------------------------- */

struct row_place {
    wide_u flip, add;
};

static ALWAYS_INLINE wide_u column_place(const struct gpu_texture *tex, const struct gpu_tmu_level *level, wide_u x)
{
    uint32_t log2_w = tex->log2_utile_w, log2_cpp = tex->log2_cpp;
    wide_u ux, place;

    if (level->tiling == HW_TILING_RASTER)
        return x << log2_cpp;
    ux = x >> log2_w;
    place = (x & ((1u << log2_w) - 1)) << log2_cpp;
    if (level->tiling == HW_TILING_LT)
        return place | ux << 6;
    return place | (ux & 3) << 6 | (ux & 4) << 8 | (ux & 4) << 9 | ux >> 3 << 12;
}

static ALWAYS_INLINE struct row_place row_place(const struct gpu_texture *tex, const struct gpu_tmu_level *level,
                                                wide_u y)
{
    uint32_t log2_h = tex->log2_utile_h, in_shift = (uint32_t)tex->log2_utile_w + tex->log2_cpp;
    uint32_t row_ut = level->row_ut, row_tl = row_ut >> 3;
    struct row_place place = {0};
    wide_u uy, in_utile;

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
    wide_u ty = uy >> 3, odd = 0 - (ty & 1);
    place.flip = (odd & ~0x7ffu) | (uy & 4) << 8;
    place.add = ((ty * row_tl + (odd & row_tl)) << 12) + ((uy & 3) << 8) + in_utile;
    return place;
}

/* -- texels ------------------------------------------------------------------------------------------------------- */

static ALWAYS_INLINE wide_u load(const uint8_t *base, unsigned log2_cpp, wide_u at)
{
    if (log2_cpp == 2)
        return wide_gather(base, at);
#if WIDE == 4
    for (unsigned l = 0; l < WIDE; l++) {
        uint16_t half;
        if (log2_cpp)
            memcpy(&half, base + at[l], 2);
        at[l] = log2_cpp ? half : base[at[l]];
    }
    return at;
#else
    return wide_gather(base, at & ~3u) >> ((at & 3) << 3) & (log2_cpp ? 0xffff : 0xff);
#endif
}

static ALWAYS_INLINE wide_u widen4(wide_u v)
{
    v &= 15;
    return v << 4 | v;
}

static ALWAYS_INLINE wide_u widen5(wide_u v)
{
    v &= 31;
    return v << 3 | v >> 2;
}

static ALWAYS_INLINE wide_u widen6(wide_u v)
{
    v &= 63;
    return v << 2 | v >> 4;
}

/* As decode() of gpu_tmu_texel.c. */
static ALWAYS_INLINE wide_u decode(unsigned type, wide_u raw)
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

/* What lanes sample: coordinates that wrapping has brought near the image, and where their face begins. */
struct place {
    const uint8_t *base; /* of memory */
    wide_f s, t;
    wide_u face_B;
};

static ALWAYS_INLINE wide_u wrap_texel(wide_i i, int32_t size, unsigned wrap)
{
    if (wrap != HW_WRAP_REPEAT)
        return (wide_u)wide_clamp_index(i, size - 1);
    i += size & (i < 0); /* one step outside at most */
    return (wide_u)(i - (size & (i >= size)));
}

static wide_u nearest(const struct gpu_texture *tex, const struct gpu_tmu_level *level, const struct place *p)
{
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    wide_u x = wrap_texel(wide_floor(p->s * (float)width), width, tex->wrap_s);
    wide_u y = wrap_texel(wide_floor(p->t * (float)height), height, tex->wrap_t);
    struct row_place row = row_place(tex, level, y);
    wide_u at = (column_place(tex, level, x) ^ row.flip) + row.add + p->face_B;

    return decode(tex->type, load(p->base + level->addr, tex->log2_cpp, at));
}

/* Bytes 0 and 2 of two texels, the second's weight in both halves; the sum has 16 bits. */
static ALWAYS_INLINE wide_u mix_halves(wide_u a, wide_u b, wide_u weight)
{
    wide_h from = (wide_h)a, to = (wide_h)b;

    return (wide_u)((from << 8) + (to - from) * (wide_h)weight);
}

/* Four texels, byte by byte: along x in 16 bits, which is exact, then along y in 32, signed, around 2^15. */
static ALWAYS_INLINE wide_u bilinear(const wide_u texel[4], wide_u fx, wide_u fy)
{
    const uint32_t bytes = 0x00ff00ffu, bias = 0x80008000u;
    const uint32_t round = (1u << 15 << 8) + (1u << 15);
    wide_u wx = fx | fx << 16, wy = (256 - fy) | fy << 16;
    wide_u even0 = mix_halves(texel[0] & bytes, texel[1] & bytes, wx) ^ bias;
    wide_u even1 = mix_halves(texel[2] & bytes, texel[3] & bytes, wx) ^ bias;
    wide_u odd0 = mix_halves(texel[0] >> 8 & bytes, texel[1] >> 8 & bytes, wx) ^ bias;
    wide_u odd1 = mix_halves(texel[2] >> 8 & bytes, texel[3] >> 8 & bytes, wx) ^ bias;
    wide_u r = wide_pair_products((even0 & 0xffff) | even1 << 16, wy) + round;
    wide_u g = wide_pair_products((odd0 & 0xffff) | odd1 << 16, wy) + round;
    wide_u b = wide_pair_products(even0 >> 16 | (even1 & 0xffff0000u), wy) + round;
    wide_u a = wide_pair_products(odd0 >> 16 | (odd1 & 0xffff0000u), wy) + round;

    return r >> 16 | (g >> 8 & 0xff00) | (b & 0xff0000) | (a << 8 & 0xff000000u);
}

static wide_u linear(const struct gpu_texture *tex, const struct gpu_tmu_level *level, const struct place *p)
{
    const uint8_t *base = p->base + level->addr;
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    wide_i at_x = wide_floor(p->s * (float)width * 256.0f + 0.5f) - 128; /* in 1/256 texel */
    wide_i at_y = wide_floor(p->t * (float)height * 256.0f + 0.5f) - 128;
    wide_u x0 = column_place(tex, level, wrap_texel(at_x >> 8, width, tex->wrap_s));
    wide_u x1 = column_place(tex, level, wrap_texel((at_x >> 8) + 1, width, tex->wrap_s));
    struct row_place y0 = row_place(tex, level, wrap_texel(at_y >> 8, height, tex->wrap_t));
    struct row_place y1 = row_place(tex, level, wrap_texel((at_y >> 8) + 1, height, tex->wrap_t));
    wide_u texel[4];

    y0.add += p->face_B;
    y1.add += p->face_B;
    texel[0] = decode(tex->type, load(base, tex->log2_cpp, (x0 ^ y0.flip) + y0.add));
    texel[1] = decode(tex->type, load(base, tex->log2_cpp, (x1 ^ y0.flip) + y0.add));
    texel[2] = decode(tex->type, load(base, tex->log2_cpp, (x0 ^ y1.flip) + y1.add));
    texel[3] = decode(tex->type, load(base, tex->log2_cpp, (x1 ^ y1.flip) + y1.add));
    return bilinear(texel, (wide_u)at_x & 255, (wide_u)at_y & 255);
}

static wide_u one_level(const struct gpu_texture *tex, unsigned level, bool is_linear, const struct place *p)
{
    return is_linear ? linear(tex, &tex->level[level], p) : nearest(tex, &tex->level[level], p);
}

/* -- levels ------------------------------------------------------------------------------------------------------- */

static bool is_linear_min(unsigned min)
{
    return min == HW_MIN_LINEAR || min == HW_MIN_LIN_MIP_NEAR || min == HW_MIN_LIN_MIP_LIN;
}

/* `weight` / 256 of the second, byte by byte. */
static wide_u between_levels(wide_u a, wide_u b, wide_u weight)
{
    const uint32_t bytes = 0x00ff00ffu, half = 0x00800080u;
    wide_u w = weight | weight << 16;
    wide_h even = (wide_h)mix_halves(a & bytes, b & bytes, w) + (wide_h)wide_splat(half);
    wide_h odd = (wide_h)mix_halves(a >> 8 & bytes, b >> 8 & bytes, w) + (wide_h)wide_splat(half);

    return (wide_u)(even >> 8) | ((wide_u)odd & 0xff00ff00u);
}

static wide_u one_choice(const struct gpu_texture *tex, unsigned level, bool is_linear, wide_u weight,
                         const struct place *p)
{
    wide_u first = one_level(tex, level, is_linear, p);

    if (!wide_bits(weight != 0))
        return first;
    return between_levels(first, one_level(tex, MIN2(level + 1, tex->levels - 1), is_linear, p), weight);
}

/* choose() and sample() of gpu_tmu_filter.c. */
static wide_u by_lod(const struct gpu_texture *tex, wide_f lod, const struct place *p)
{
    wide_i minifies = lod > 0;
    wide_u key = wide_select(minifies, wide_splat(is_linear_min(tex->min)), wide_splat(!tex->mag_nearest));
    wide_u weight = {0}, result = {0};
    unsigned left = (1u << WIDE) - 1;

    if (tex->min >= HW_MIN_NEAR_MIP_NEAR) {
        wide_f bounded = wide_at_most(lod, wide_splat_f((float)(tex->levels - 1)));
        bool one = tex->min == HW_MIN_NEAR_MIP_NEAR || tex->min == HW_MIN_LIN_MIP_NEAR;
        bounded = (wide_f)((wide_u)bounded & (wide_u)minifies);
        wide_i level = wide_to_int(one ? bounded + 0.5f : bounded);
        if (!one)
            weight = (wide_u)wide_to_int((bounded - wide_to_float(level)) * 256.0f);
        key |= (wide_u)(level & minifies) << 1;
    }
    while (left) {
        uint32_t choice = key[__builtin_ctz(left)];
        wide_i same = key == choice;
        wide_u pass = one_choice(tex, choice >> 1, choice & 1, weight & (wide_u)same, p);
        result |= pass & (wide_u)same;
        left &= ~wide_bits(same);
    }
    return result;
}

/* -- coordinates -------------------------------------------------------------------------------------------------- */

static ALWAYS_INLINE wide_f bounded(wide_f x)
{
    return wide_at_most(wide_at_least(x, wide_splat_f(-0x1p20f)), wide_splat_f(0x1p20f));
}

static ALWAYS_INLINE wide_f clamped(wide_f x, float low, float high)
{
    return wide_at_most(wide_at_least(x, wide_splat_f(low)), wide_splat_f(high));
}

static wide_f wrap_coordinate(wide_f x, unsigned wrap)
{
    x = bounded(x);
    if (wrap == HW_WRAP_REPEAT)
        return x - wide_to_float(wide_floor(x));
    if (wrap == HW_WRAP_CLAMP)
        return clamped(x, 0.0f, 1.0f);
    x = x - 2.0f * wide_to_float(wide_floor(x * 0.5f));
    return wide_select_f(x > 1.0f, 2.0f - x, x);
}

/* -- level of detail ---------------------------------------------------------------------------------------------- */

struct direction {
    wide_f x, y, z;
};

static ALWAYS_INLINE wide_f absolute(wide_f x)
{
    return (wide_f)((wide_u)x & 0x7fffffffu);
}

/* Lanes whose face lies across the x axis, or across the y axis; all others: z. */
static ALWAYS_INLINE void find_major(const struct direction *d, wide_i *x_out, wide_i *y_out)
{
    wide_f ax = absolute(d->x), ay = absolute(d->y), az = absolute(d->z);

    *x_out = (ax >= ay) & (ax >= az);
    *y_out = ~*x_out & (ay >= az);
}

static wide_f step_squared(const struct gpu_texture *tex, wide_f ds, wide_f dt)
{
    ds = clamped(ds, -1.0f, 1.0f) * (float)tex->level[0].width;
    dt = clamped(dt, -1.0f, 1.0f) * (float)tex->level[0].height;
    return ds * ds + dt * dt;
}

/* cube_step() of gpu_tmu_filter.c, to the lane whose number differs by `n`. */
static wide_f cube_step_squared(const struct gpu_texture *tex, const struct direction *d, unsigned n)
{
    struct direction to = {wide_neighbour(d->x, n), wide_neighbour(d->y, n), wide_neighbour(d->z, n)};
    wide_i is_x, is_y;

    find_major(d, &is_x, &is_y);
    wide_f major = wide_select_f(is_x, d->x, wide_select_f(is_y, d->y, d->z));
    wide_f distance = wide_select_f(is_x, to.x, wide_select_f(is_y, to.y, to.z));
    distance = wide_select_f(major < 0, -distance, distance);
    distance = wide_at_least(distance, wide_splat_f(0x1p-10f));
    wide_f ds = wide_select_f(is_x, to.y, to.x) / distance - wide_select_f(is_x, d->y, d->x);
    wide_f dt = wide_select_f(is_x | is_y, to.z, to.y) / distance - wide_select_f(is_x | is_y, d->z, d->y);
    return step_squared(tex, ds * 0.5f, dt * 0.5f);
}

static wide_f automatic_lod(const struct gpu_texture *tex, const struct direction *d)
{
    const struct gpu_sfu_tables *sfu = gpu_sfu_tables();
    unsigned lanes = tex->cube ? 1 : 4; /* of one LOD */
    wide_f along_x, along_y, squared, lod = {0};

    if (tex->cube) {
        along_x = cube_step_squared(tex, d, 1);
        along_y = cube_step_squared(tex, d, 2);
    } else {
        along_x = step_squared(tex, wide_quad(d->x, 1) - wide_quad(d->x, 0), wide_quad(d->y, 1) - wide_quad(d->y, 0));
        along_y = step_squared(tex, wide_quad(d->x, 2) - wide_quad(d->x, 0), wide_quad(d->y, 2) - wide_quad(d->y, 0));
    }
    squared = wide_at_least(along_x, along_y);
    for (unsigned l = 0; l < WIDE; l++)
        lod[l] = l % lanes ? lod[l - l % lanes] : util_uif(gpu_sfu_log2(sfu, util_fui(squared[l])));
    return bounded(lod) * 0.5f;
}

/* -- cube maps ---------------------------------------------------------------------------------------------------- */

/* cube_face() of gpu_tmu_filter.c. */
static void find_faces(const struct gpu_texture *tex, const struct direction *d, struct place *p)
{
    wide_i is_x, is_y;

    find_major(d, &is_x, &is_y);
    wide_f major = wide_select_f(is_x, d->x, wide_select_f(is_y, d->y, d->z));
    wide_i negative = major < 0;
    wide_f s = wide_select_f(is_x, wide_select_f(negative, d->z, -d->z),
                             wide_select_f(~is_y & negative, -d->x, d->x));
    wide_f t = wide_select_f(is_y, wide_select_f(negative, -d->z, d->z), -d->y);
    wide_u face = wide_select(is_x, wide_splat(0), wide_select(is_y, wide_splat(2), wide_splat(4)));

    p->s = (s + 1.0f) * 0.5f;
    p->t = (t + 1.0f) * 0.5f;
    p->face_B = (face - (wide_u)negative) * tex->cube_stride_B;
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

static wide_u some_lanes(const uint8_t *base, const struct gpu_texture *tex, const struct gpu_tmu_request *r,
                         bool lod_given, unsigned first)
{
    struct direction d = {bounded(wide_load_f(&r->s, first)), bounded(wide_load_f(&r->t, first))};
    struct place p = {base, d.x, d.y, {0}};

    if (tex->cube) {
        d.z = bounded(wide_load_f(&r->r, first));
        find_faces(tex, &d, &p);
    }
    if (tex->flip_y)
        p.t = 1.0f - bounded(p.t);
    p.s = wrap_coordinate(p.s, tex->wrap_s);
    p.t = wrap_coordinate(p.t, tex->wrap_t);
    if (tex->one_filter)
        return one_level(tex, 0, !tex->mag_nearest, &p);
    wide_f lod = bounded(wide_load_f(&r->b, first));
    if (!lod_given)
        lod += automatic_lod(tex, &d);
    return by_lod(tex, lod, &p);
}

void WIDE_IS(gpu_tmu_wide)(const struct gpu_memory *mem, const struct gpu_texture *tex, const struct gpu_tmu_request *r,
                           bool lod_given, union gpu_vec *result)
{
    for (unsigned first = 0; first < QPU_LANES; first += WIDE)
        wide_store(result, first, some_lanes(mem->base, tex, r, lod_given, first));
}

/* -- direct lookups ----------------------------------------------------------------------------------------------- */

/* Words of a window of memory; false when one lies outside of it. */
bool WIDE_IS(gpu_tmu_wide_load)(const uint8_t *window, uint32_t window_addr, uint32_t window_B,
                                const union gpu_vec *addr, union gpu_vec *result)
{
    wide_u offset[QPU_LANES / WIDE];
    wide_i good = ~(wide_i){0};
    uint32_t size_B = MIN2(window_B, UINT32_C(0x7fffffff));

    if (size_B < 4)
        return false;
    for (unsigned n = 0; n < QPU_LANES / WIDE; n++) {
        memcpy(&offset[n], &addr->u[n * WIDE], sizeof offset[n]);
        offset[n] = (offset[n] & ~3u) - window_addr;
        good &= offset[n] <= size_B - 4;
    }
    if (wide_bits(good) != (1u << WIDE) - 1)
        return false;
    for (unsigned n = 0; n < QPU_LANES / WIDE; n++)
        wide_store(result, n * WIDE, wide_gather(window, offset[n]));
    return true;
}
