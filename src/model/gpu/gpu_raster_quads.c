/* SPDX-License-Identifier: MIT
 *
 * From queued quads to fragment programs: computes depth and interpolants for four quads at a time, whether they belong
 * to one primitive or to several; four quads are one batch. Hot: every covered pixel passes through here, so there is
 * no allocation and no lock inside. Compiled once per vector extension, see gpu_lanes.h.
 */
#include <math.h>
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

/* -- planes of four quads -- */

/* Four quads side by side. Only the first `count` are processed; the others are padding or later quads. */
struct group {
    gpu_i32x4 x_px, y_px, quad;
    struct gpu_setup *setup[GPU_QUADS];
    uint32_t lanes; /* covered pixels */
    unsigned count;
};

GPU_INLINE struct group group_at(struct gpu_fep_waiting *w, unsigned at, unsigned count)
{
    struct group g = {.count = count};
    for (unsigned q = count; q < GPU_QUADS; q++) {
        w->x_px[at + q] = w->x_px[at];
        w->y_px[at + q] = w->y_px[at];
        w->quad[at + q] = w->quad[at];
        w->setup[at + q] = w->setup[at];
        w->pixels[at + q] = 0;
    }
    memcpy(&g.x_px, &w->x_px[at], sizeof g.x_px);
    memcpy(&g.y_px, &w->y_px[at], sizeof g.y_px);
    memcpy(&g.quad, &w->quad[at], sizeof g.quad);
    memcpy(g.setup, &w->setup[at], sizeof g.setup);
    for (unsigned q = 0; q < GPU_QUADS; q++)
        g.lanes |= w->pixels[at + q] << 4 * q;
    return g;
}

/* Converts to 24-bit depth, saturated; NaN gives 0. */
GPU_INLINE gpu_i32x8 to_z24(gpu_f64x8 z)
{
    const gpu_f64x8 most = (gpu_f64x8){0} + (double)GPU_Z_MAX;
    const gpu_i64x8 beyond = z >= most, positive = z > (gpu_f64x8){0};
    const gpu_i64x8 cut = (((gpu_i64x8)z & ~beyond) | ((gpu_i64x8)most & beyond)) & positive;
    return __builtin_convertvector((gpu_f64x8)cut, gpu_i32x8);
}

/* From the reference point of each quad's primitive to the quad's first pixel. All values and sums are multiples of
 * 1/16 below 2^20, so nothing is rounded. */
struct distance {
    gpu_f32x4 dx, dy;
};

GPU_INLINE struct distance distance_to(const struct group *g)
{
    struct gpu_setup *const *s = g->setup;
    const gpu_f32x4 x = {s[0]->reference_x_px, s[1]->reference_x_px, s[2]->reference_x_px, s[3]->reference_x_px};
    const gpu_f32x4 y = {s[0]->reference_y_px, s[1]->reference_y_px, s[2]->reference_y_px, s[3]->reference_y_px};
    return (struct distance){__builtin_convertvector(g->x_px, gpu_f32x4) + (0.5f - x),
                             __builtin_convertvector(g->y_px, gpu_f32x4) + (0.5f - y)};
}

/* The plane of each quad's primitive: value at the quad's first pixel, slopes. */
struct values {
    gpu_f64x4 first, dx, dy;
};

/* The three doubles of a plane, and the one after them in the struct. */
GPU_INLINE gpu_f64x4 plane_words(const struct gpu_setup *s, size_t offset_B)
{
    gpu_f64x4 words;
    memcpy(&words, (const char *)s + offset_B, sizeof words);
    return words;
}

GPU_INLINE struct values planes_at(const struct group *g, size_t offset_B, const struct distance *d)
{
    const gpu_f64x4 a = plane_words(g->setup[0], offset_B), b = plane_words(g->setup[1], offset_B);
    const gpu_f64x4 c = plane_words(g->setup[2], offset_B), e = plane_words(g->setup[3], offset_B);
    const gpu_f64x4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const gpu_f64x4 ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const gpu_f64x4 ce_even = __builtin_shufflevector(c, e, 0, 4, 2, 6);
    const gpu_f64x4 ce_odd = __builtin_shufflevector(c, e, 1, 5, 3, 7);
    const gpu_f64x4 value = __builtin_shufflevector(ab_even, ce_even, 0, 1, 4, 5);
    const gpu_f64x4 dx = __builtin_shufflevector(ab_odd, ce_odd, 0, 1, 4, 5);
    const gpu_f64x4 dy = __builtin_shufflevector(ab_even, ce_even, 2, 3, 6, 7);
    return (struct values){value + dx * __builtin_convertvector(d->dx, gpu_f64x4) +
                               dy * __builtin_convertvector(d->dy, gpu_f64x4),
                           dx, dy};
}

GPU_INLINE gpu_f64x8 join_doubles(gpu_f64x4 a, gpu_f64x4 b)
{
    return (gpu_f64x8)gpu_lanes_join((gpu_i32x8)a, (gpu_i32x8)b);
}

GPU_INLINE gpu_i32x16 depth_of(const struct group *g, const struct distance *d)
{
    const struct values v = planes_at(g, offsetof(struct gpu_setup, z), d);
    const gpu_f64x4 right = v.first + v.dx;
    const gpu_i32x8 upper = to_z24(join_doubles(v.first, right));
    const gpu_i32x8 lower = to_z24(join_doubles(v.first + v.dy, right + v.dy));
    return gpu_lanes_of_pixels(gpu_lanes_join(upper, lower));
}

GPU_INLINE gpu_f32x16 w_of(const struct group *g, const struct distance *d)
{
    const struct values v = planes_at(g, offsetof(struct gpu_setup, rw), d);
    const gpu_f32x4 first = __builtin_convertvector(v.first, gpu_f32x4);
    const gpu_f32x4 dx = __builtin_convertvector(v.dx, gpu_f32x4), dy = __builtin_convertvector(v.dy, gpu_f32x4);
    const gpu_f32x4 left = first + 0.0f * dx, right = first + dx, up = 0.0f * dy; /* 0 * slope: an infinite slope makes
                                                                                     all pixels NaN */
    const gpu_i32x16 rw = gpu_lanes_of_pixels(gpu_lanes_join_quads((gpu_i32x4)(left + up), (gpu_i32x4)(right + up),
                                                                   (gpu_i32x4)(left + dy), (gpu_i32x4)(right + dy)));
    /* NaN becomes infinity, as for varyings: which NaN results depends on how the compiler ordered the operands. */
    const gpu_f32x16 w = 1.0f / (gpu_f32x16)rw;
    const gpu_i32x16 is_less = w < (gpu_f32x16){0} + INFINITY;
    return (gpu_f32x16)(((gpu_i32x16)w & is_less) | (0x7f800000 & ~is_less));
}

/* -- batches -- */

GPU_INLINE void fill_batch(struct gpu_fep *fep, const struct group *g, gpu_i32x16 flags, gpu_i32x16 z,
                           const struct distance *d)
{
    struct gpu_fragment_io *io = &fep->io;
    struct gpu_setup *const *s = g->setup;
    const gpu_i32x16 right = gpu_lane_x & 1, down = gpu_lane_y;
    const gpu_f32x16 w = w_of(g, d);
    const gpu_f32x16 dx = __builtin_convertvector(right, gpu_f32x16) + (gpu_f32x16)gpu_lanes_repeat((gpu_i32x4)d->dx);
    const gpu_f32x16 dy = __builtin_convertvector(down, gpu_f32x16) + (gpu_f32x16)gpu_lanes_repeat((gpu_i32x4)d->dy);
    const gpu_i32x4 rev = {(int32_t)s[0]->rev_flag, (int32_t)s[1]->rev_flag, (int32_t)s[2]->rev_flag,
                           (int32_t)s[3]->rev_flag};
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        io->varyings[q] = s[q]->varying;
        fep->at.quad[q] = (uint16_t)g->quad[q];
    }
    gpu_lanes_store(io->x_px, gpu_lanes_repeat(g->x_px) + right);
    gpu_lanes_store(io->y_px, gpu_lanes_repeat(g->y_px) + down);
    gpu_lanes_store(io->rev_flag, gpu_lanes_repeat(rev));
    gpu_lanes_store(io->ms_flags, flags);
    gpu_lanes_store(io->z, z);
    memcpy(io->w, &w, sizeof io->w);
    memcpy(io->dx, &dx, sizeof io->dx);
    memcpy(io->dy, &dy, sizeof io->dy);
    gpu_lanes_store(fep->color_samples, flags);
}

/* Missing quads of a batch run at the tile's corner, without coverage. */
static void pad_batch(struct gpu_fep *fep, unsigned count)
{
    struct gpu_fragment_io *io = &fep->io;
    for (unsigned q = count; q < GPU_QUADS; q++)
        fep->at.quad[q] = 0;
    for (unsigned lane = 4 * count; lane < QPU_LANES; lane++) {
        io->x_px[lane] = (uint32_t)fep->tile.x0 + (lane & 1);
        io->y_px[lane] = (uint32_t)fep->tile.y0 + (lane >> 1 & 1);
        io->ms_flags[lane] = fep->color_samples[lane] = 0;
        io->rev_flag[lane] = 0;
        io->w[lane] = 1.0f;
        io->z[lane] = 0;
        io->dx[lane] = io->dy[lane] = 0;
    }
}

static bool run_batch(struct gpu_fep *fep)
{
    fep->io.varying_count = fep->varying_count;
    fep->samples_loaded = fep->samples_stored = 0;
    gpu_tlb_begin_program(fep->tlb);
    struct gpu_qpu_run run = {
        .program = fep->program,
        .kind = QPU_PROGRAM_FRAGMENT,
        .uniforms_addr = fep->uniforms_addr,
        .limit = fep->limit,
        .fragment = &fep->io,
        .user = fep->user,
        .qpu = fep->user ? fep->user->first_qpu : 0,
    };
    const char *message = NULL;
    enum gpu_status status = gpu_qpu_run(fep->core, &run, &message);
    if (status == GPU_OK)
        return true;
    fep->status = status;
    fep->message = message;
    return false;
}

/* -- batches of one colour each -- */

GPU_INLINE bool are_solid(const struct group *g)
{
    struct gpu_setup *const *s = g->setup;
    return s[0]->is_solid && s[1]->is_solid && s[2]->is_solid && s[3]->is_solid;
}

/* Does the tile-buffer accesses that the solid program would do. */
static void run_solid(struct gpu_fep *fep, const struct group *g, gpu_i32x16 flags, const uint32_t z[QPU_LANES])
{
    struct gpu_fragment_io *io = &fep->io;
    struct gpu_setup *const *s = g->setup;
    uint32_t color[QPU_LANES];
    flags &= gpu_lanes_mask((1u << 4 * g->count) - 1);
    for (unsigned q = 0; q < GPU_QUADS; q++)
        fep->at.quad[q] = q < g->count ? (uint16_t)g->quad[q] : 0;
    gpu_lanes_store(io->ms_flags, flags);
    gpu_lanes_store(fep->color_samples, flags);
    gpu_tlb_begin_program(fep->tlb);
    if (fep->solid.tests_z)
        io->z_test(io, z, 0xffff);
    if (!fep->solid.stores_color)
        return;
    gpu_lanes_store(color, gpu_lanes_repeat((gpu_i32x4){(int32_t)s[0]->color, (int32_t)s[1]->color,
                                                        (int32_t)s[2]->color, (int32_t)s[3]->color}));
    io->color_store(io, color, 0xffff, true);
}

/* Number of leading quads that lie at different positions. Quads of one primitive always do. */
GPU_INLINE unsigned distinct_quads(const struct group *g)
{
    struct gpu_setup *const *s = g->setup;
    if (s[0] == s[1] && s[0] == s[2] && s[0] == s[3])
        return g->count;
    unsigned n = 1;
    for (; n < g->count; n++)
        for (unsigned q = 0; q < n; q++)
            if (g->quad[q] == g->quad[n])
                return n;
    return n;
}

/* -- the queue -- */

/* The quads with at least one lane that the early-Z shadow does not hide. */
GPU_INLINE uint32_t pass_early(const struct gpu_fep *fep, const struct group *g, gpu_i32x16 z)
{
    const uint32_t *shadow = fep->tlb->early_z;
    const gpu_i32x4 farthest = {(int32_t)shadow[g->quad[0]], (int32_t)shadow[g->quad[1]],
                                (int32_t)shadow[g->quad[2]], (int32_t)shadow[g->quad[3]]};
    return gpu_lanes_quads(~gpu_lanes_negative(gpu_lanes_repeat(farthest) - z) & g->lanes);
}

static void move_quad(struct gpu_fep_waiting *w, unsigned to, unsigned from)
{
    w->x_px[to] = w->x_px[from];
    w->y_px[to] = w->y_px[from];
    w->quad[to] = w->quad[from];
    w->setup[to] = w->setup[from];
    w->pixels[to] = w->pixels[from];
    memcpy(&w->samples[4 * to], &w->samples[4 * from], 16);
    memcpy(&w->z[4 * to], &w->z[4 * from], 16);
}

static void mark_has_pixels(struct gpu_fep *fep, struct gpu_setup *s)
{
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS] -= !s->has_pixels;
    s->has_pixels = true;
}

/* Computes the depth of newly queued quads and removes those that early Z drops. */
static void test_early(struct gpu_fep *fep)
{
    struct gpu_fep_waiting *w = &fep->waiting;
    unsigned kept = w->tested;
    for (unsigned at = w->tested; at < w->count; at += GPU_QUADS) {
        const struct group g = group_at(w, at, MIN2(w->count - at, GPU_QUADS));
        const struct distance d = distance_to(&g);
        const gpu_i32x16 z = depth_of(&g, &d);
        const uint32_t passing = fep->early_z ? pass_early(fep, &g, z) : gpu_lanes_quads(g.lanes);
        gpu_lanes_store(&w->z[4 * at], z);
        for (unsigned q = 0; q < g.count; q++) {
            if (!(passing >> 4 * q & 1)) {
                fep->counts[GPU_COUNT_QUADS_CLIPPED]++;
                continue;
            }
            mark_has_pixels(fep, g.setup[q]);
            if (kept != at + q)
                move_quad(w, kept, at + q);
            kept++;
        }
    }
    w->count = w->tested = kept;
}

bool GPU_HOST_NAME(gpu_fep_run_waiting)(struct gpu_fep *fep, bool all)
{
    struct gpu_fep_waiting *w = &fep->waiting;
    test_early(fep);
    const unsigned count = w->count;
    unsigned at = 0;
    w->count = w->tested = w->dropped = 0;
    while (at + (all ? 1 : GPU_QUADS) <= count) {
        struct group g = group_at(w, at, MIN2(count - at, GPU_QUADS));
        g.count = distinct_quads(&g);
        gpu_i32x16 flags = gpu_lanes_mask(g.lanes) & (int32_t)GPU_MS_FLAGS_COVERED;
        if (fep->multisampled)
            flags &= gpu_lanes_load(&w->samples[4 * at]);
        fep->counts[GPU_COUNT_QUADS] += g.count;
        if (fep->counts_fragments)
            fep->fragments += (unsigned)__builtin_popcount(gpu_lanes_negative(-flags));
        if (are_solid(&g)) {
            run_solid(fep, &g, flags, &w->z[4 * at]);
            at += g.count;
            continue;
        }
        const struct distance d = distance_to(&g);
        fill_batch(fep, &g, flags, gpu_lanes_load(&w->z[4 * at]), &d);
        if (g.count < GPU_QUADS)
            pad_batch(fep, g.count);
        at += g.count;
        if (!run_batch(fep))
            return false;
    }
    for (; at < count; at++)
        move_quad(w, w->count++, at);
    w->tested = w->count;
    return true;
}
