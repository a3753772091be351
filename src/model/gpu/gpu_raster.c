/* SPDX-License-Identifier: MIT
 *
 * Rasteriser of one tile. Hot: every covered pixel passes through here; inside there is no allocation and no lock.
 * Edges are looked at for a row of four quads at a time, depth and interpolants computed for any four quads, be they of
 * one primitive or of several, as many pixels as a batch has. Compiled for each kind of host, see gpu_lanes.h.
 *
 * Pixels of a covered quad that the primitive does not cover run as helpers, with coverage 0 and interpolants outside
 * of the primitive [guide p.51].
 */
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

#define BLOCK_PX 8 /* edges are looked at for blocks of this size first; a row of a block is a row of lanes */

/* -- tile buffer callbacks of the fragment program -- */

static struct gpu_fep *fep_of(struct gpu_fragment_io *io)
{
    return container_of(io, struct gpu_fep, io);
}

static void stencil_setup(struct gpu_fragment_io *io, uint32_t word)
{
    gpu_tlb_stencil_setup(fep_of(io)->tlb, word);
}

/* The lanes with coverage, all ones each. */
GPU_INLINE gpu_i32x16 is_covered(const uint32_t flags[QPU_LANES])
{
    return gpu_lanes_load(flags) != 0;
}

GPU_INLINE unsigned covered_quads(const struct gpu_fragment_io *io, uint32_t lanes)
{
    return gpu_lanes_quad_count(gpu_lanes_negative(is_covered(io->ms_flags)) & lanes);
}

static void z_test(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    struct gpu_fep *fep = fep_of(io);
    unsigned tested = covered_quads(io, lanes);
    GPU_HOST_NAME(gpu_tlb_z_test)(fep->tlb, &fep->at, z, io->rev_flag, lanes, io->ms_flags);
    unsigned passed = covered_quads(io, lanes);
    fep->counts[GPU_COUNT_QUADS_PASSING] += passed;
    fep->counts[GPU_COUNT_QUADS_FAILING] += tested - passed;
    const gpu_i32x16 mask = gpu_lanes_mask(lanes);
    gpu_lanes_store(fep->color_samples,
                    (gpu_lanes_load(io->ms_flags) & mask) | (gpu_lanes_load(fep->color_samples) & ~mask));
}

GPU_INLINE void store_quad(uint32_t *to, const uint32_t color[4], gpu_i32x4 mask)
{
    gpu_i32x4 old, new;
    memcpy(&old, to, sizeof old);
    memcpy(&new, color, sizeof new);
    old = (old & ~mask) | (new & mask);
    memcpy(to, &old, sizeof old);
}

/* Samples that are loaded or stored one at a time come in order; after the last comes the first again (unverified).
 *
 * Flags that the program has written count from the next Z test on [measured: of piglit's tests of
 * ext_framebuffer_multisample those fail on a board where Mesa masks samples in a program without one:
 * sample-alpha-to-coverage color, unaligned-blit and clip-and-scissor-blit color msaa]. */
static void color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    struct gpu_fep *fep = fep_of(io);
    uint32_t *to = fep->tlb->color;
    fep->counts[GPU_COUNT_QUADS_WRITTEN] += covered_quads(io, lanes);
    const gpu_i32x16 flags = gpu_lanes_load(fep->color_samples) & gpu_lanes_mask(lanes);
    if (fep->tlb->ms_4x) {
        uint32_t samples = all_samples ? 15 : BIT(fep->samples_stored++ % GPU_SAMPLES);
        for (unsigned s = 0; s < GPU_SAMPLES; s++) {
            gpu_i32x4 mask[4];
            const gpu_i32x16 all = (flags & (int32_t)(samples & BIT(s))) != 0;
            memcpy(mask, &all, sizeof mask);
            for (unsigned q = 0; q < GPU_QUADS; q++)
                store_quad(&to[fep->at.quad[q] * 16u + s * GPU_TLB_SAMPLE_STEP], &color[4 * q], mask[q]);
        }
        return;
    }
    const gpu_i32x16 all = flags != 0;
    const uint32_t stored = gpu_lanes_negative(all);
    gpu_i32x4 mask[4];
    memcpy(mask, &all, sizeof mask);
    for (unsigned q = 0; q < GPU_QUADS; q++)
        if (stored >> 4 * q & 15)
            store_quad(&to[fep->at.quad[q] * 4u], &color[4 * q], mask[q]);
}

static void color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    struct gpu_fep *fep = fep_of(io);
    unsigned step = fep->tlb->ms_4x ? fep->samples_loaded++ % GPU_SAMPLES * GPU_TLB_SAMPLE_STEP : 0;
    for (unsigned q = 0; q < GPU_QUADS; q++)
        memcpy(&color_out[4 * q], &fep->tlb->color[gpu_tlb_quad_index(fep->tlb, fep->at.quad[q]) + step], 16);
}

static void serve(struct gpu_fragment_io *io)
{
    io->stencil_setup = stencil_setup;
    io->z_test = z_test;
    io->color_store = color_store;
    io->color_load = color_load;
}

/* -- planes of four quads -- */

/* Side by side; `count` of them are meant, behind them are others, or the first one again. */
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

/* 24-bit depth, saturated; NaN is 0. */
GPU_INLINE gpu_i32x8 to_z24(gpu_f64x8 z)
{
    const gpu_f64x8 most = (gpu_f64x8){0} + (double)GPU_Z_MAX;
    const gpu_i64x8 beyond = z >= most, positive = z > (gpu_f64x8){0};
    const gpu_i64x8 cut = (((gpu_i64x8)z & ~beyond) | ((gpu_i64x8)most & beyond)) & positive;
    return __builtin_convertvector((gpu_f64x8)cut, gpu_i32x8);
}

/* From the reference point of each quad's primitive to its first pixel. Multiples of 1/16 below 2^20, as all sums of
 * them: nothing is rounded. */
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

/* The plane of each quad's primitive: its value at the first pixel, its slopes. */
struct values {
    gpu_f64x4 first, dx, dy;
};

/* A plane's words and the one behind them. */
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
    const gpu_f32x4 left = first + 0.0f * dx, right = first + dx, up = 0.0f * dy; /* infinite slopes show in all */
    const gpu_i32x16 rw = gpu_lanes_of_pixels(gpu_lanes_join_quads((gpu_i32x4)(left + up), (gpu_i32x4)(right + up),
                                                                   (gpu_i32x4)(left + dy), (gpu_i32x4)(right + dy)));
    return 1.0f / (gpu_f32x16)rw;
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

/* Missing quads of a batch run at the tile's corner without coverage. */
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
        .deadline_ns = fep->deadline_ns,
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

/* How many quads from the first on lie at different places, as those of one primitive always do. */
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

/* -- quads that wait -- */

/* The quads with a lane that may pass by the early-Z shadow. */
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

static void note_pixels(struct gpu_fep *fep, struct gpu_setup *s)
{
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS] -= !s->has_pixels;
    s->has_pixels = true;
}

/* Computes the depths of new quads, and forgets those that early Z drops. */
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
            note_pixels(fep, g.setup[q]);
            if (kept != at + q)
                move_quad(w, kept, at + q);
            kept++;
        }
    }
    w->count = w->tested = kept;
}

/* Runs batches of four quads; in the end of what there is. */
static bool run_waiting(struct gpu_fep *fep, bool all)
{
    struct gpu_fep_waiting *w = &fep->waiting;
    test_early(fep);
    const unsigned count = w->count;
    unsigned at = 0;
    w->count = w->tested = 0;
    while (at + (all ? 1 : GPU_QUADS) <= count) {
        struct group g = group_at(w, at, MIN2(count - at, GPU_QUADS));
        g.count = distinct_quads(&g);
        gpu_i32x16 flags = gpu_lanes_mask(g.lanes) & (int32_t)GPU_MS_FLAGS_COVERED;
        if (fep->multisampled)
            flags &= gpu_lanes_load(&w->samples[4 * at]);
        const struct distance d = distance_to(&g);
        fill_batch(fep, &g, flags, gpu_lanes_load(&w->z[4 * at]), &d);
        if (g.count < GPU_QUADS)
            pad_batch(fep, g.count);
        fep->counts[GPU_COUNT_QUADS] += g.count;
        at += g.count;
        if (!run_batch(fep))
            return false;
    }
    for (; at < count; at++)
        move_quad(w, w->count++, at);
    w->tested = w->count;
    return true;
}

static bool flush(struct gpu_fep *fep)
{
    return run_waiting(fep, true);
}

/* -- the primitive being drawn -- */

/* An edge, relative to the first pixel of a block. */
struct edge {
    int64_t a, b, c;
    int64_t high, low;              /* the most and the least that its value grows to within a block */
    gpu_i32x16 to_lane;             /* how it grows to the lanes of a row */
    int32_t to_sample[GPU_SAMPLES]; /* and from the pixels' centres */
};

struct primitive {
    struct gpu_setup *setup;
    struct gpu_rect area;
    unsigned edge_count;
    struct edge edge[GPU_SHAPE_EDGES_MAX];
};

static void take_edge(struct edge *to, const struct gpu_edge *e, bool multisampled)
{
    int64_t right = e->a * (BLOCK_PX - 1), down = e->b * (BLOCK_PX - 1), reach = 0;
    to->a = e->a;
    to->b = e->b;
    to->c = e->c;
    for (unsigned s = 0; s < GPU_SAMPLES; s++) {
        to->to_sample[s] = (int32_t)gpu_edge_to_sample(e, s);
        reach = multisampled ? MAX2(reach, gpu_edge_to_sample(e, s)) : 0; /* the positions are symmetrical */
    }
    to->high = MAX2(right, 0) + MAX2(down, 0) + reach;
    to->low = MIN2(right, 0) + MIN2(down, 0) - reach;
    to->to_lane = gpu_lane_x * (int32_t)e->a + gpu_lane_y * (int32_t)e->b;
}

static void take_primitive(struct primitive *p, const struct gpu_fep *fep, struct gpu_setup *s)
{
    p->setup = s;
    p->edge_count = s->shape.edge_count;
    for (unsigned i = 0; i < p->edge_count; i++)
        take_edge(&p->edge[i], &s->shape.edge[i], fep->multisampled);
}

/* -- blocks -- */

#define BLOCK_ROWS  (BLOCK_PX / 2) /* of quads */
#define BLOCK_QUADS (BLOCK_ROWS * BLOCK_ROWS)

/* The pixels of a block, 16 lanes a row of quads, of which the rectangle has some. */
static uint64_t lanes_of_rect(const struct gpu_rect *r, int32_t x, int32_t y)
{
    uint32_t columns = (1u << CLAMP(r->x1 - x, 0, 8)) - (1u << CLAMP(r->x0 - x, 0, 8));
    columns = (columns | columns << 4) & 0x0f0f;
    columns = (columns | columns << 2) & 0x3333; /* of the upper row of pixels */
    uint64_t lanes = 0;
    for (int32_t row = 0; row < BLOCK_ROWS; row++) {
        const bool upper = y + 2 * row >= r->y0 && y + 2 * row < r->y1;
        const bool lower = y + 2 * row + 1 >= r->y0 && y + 2 * row + 1 < r->y1;
        lanes |= (uint64_t)((upper ? columns : 0) | (lower ? columns << 2 : 0)) << 16 * row;
    }
    return lanes;
}

/* An edge that goes through a block: where it is exact with 32 bits. */
struct cut {
    const struct edge *edge;
    int32_t value, down; /* at a row's first pixel; to the next row of quads */
};

GPU_INLINE gpu_i32x16 cover_samples(const struct cut *cut, unsigned count, int32_t row)
{
    gpu_i32x16 flags = {0};
    for (unsigned s = 0; s < GPU_SAMPLES; s++) {
        gpu_i32x16 beyond = {0};
        for (unsigned i = 0; i < count; i++)
            beyond |= cut[i].edge->to_lane + (cut[i].value + row * cut[i].down + cut[i].edge->to_sample[s]);
        flags |= (beyond >= 0) & (int32_t)BIT(s);
    }
    return flags;
}

GPU_INLINE uint32_t cover_pixels(const struct cut *cut, unsigned count, int32_t row)
{
    gpu_i32x16 beyond = {0};
    for (unsigned i = 0; i < count; i++)
        beyond |= cut[i].edge->to_lane + (cut[i].value + row * cut[i].down);
    return ~gpu_lanes_negative(beyond) & 0xffff;
}

/* a and b being below 2^25, those of an edge with both signs in the block stay below 2^30. */
static unsigned cut_edges(const struct primitive *p, int32_t x, int32_t y, struct cut cut[GPU_SHAPE_EDGES_MAX],
                          bool *outside_out)
{
    unsigned count = 0;
    *outside_out = false;
    for (unsigned i = 0; i < p->edge_count; i++) {
        const struct edge *e = &p->edge[i];
        const int64_t at = e->a * x + e->b * y + e->c;
        *outside_out |= at + e->high < 0;
        if (at + e->low < 0)
            cut[count++] = (struct cut){e, (int32_t)at, (int32_t)(2 * e->b)};
    }
    return count;
}

/* Covered pixels of a block; `flags`, with samples of their own, becomes those of each. */
static uint64_t cover_block(const struct gpu_fep *fep, const struct cut *cut, unsigned count,
                            gpu_i32x16 flags[BLOCK_ROWS])
{
    uint64_t lanes = 0;
    if (!fep->multisampled && count == 0)
        return UINT64_MAX;
    for (int32_t row = 0; row < BLOCK_ROWS; row++) {
        uint32_t covered;
        if (fep->multisampled) {
            flags[row] = cover_samples(cut, count, row);
            covered = gpu_lanes_negative(flags[row] != 0);
        } else {
            covered = cover_pixels(cut, count, row);
        }
        lanes |= (uint64_t)covered << 16 * row;
    }
    return lanes;
}

#if defined(__AVX512F__)
#define QUAD_COLUMN(n) ((n) % 4)
#define QUAD_ROW(n)    ((n) / 4)
static const gpu_i32x16 block_column = GPU_LANES_16(QUAD_COLUMN), block_row = GPU_LANES_16(QUAD_ROW);

/* Words of the mask one behind the other, and what was there behind them is lost. */
GPU_INLINE void store_some(void *to, __mmask16 mask, gpu_i32x16 words)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, (__m512i)words));
}

/* All quads of a block at once. */
GPU_INLINE void add_pixels(struct gpu_fep_waiting *to, struct gpu_setup *setup, uint64_t lanes, int32_t x, int32_t y,
                           int32_t first_quad, int32_t row_quads)
{
    const gpu_i64x8 shift = {0, 4, 8, 12, 16, 20, 24, 28};
    const gpu_i64x8 low = (gpu_i64x8){0} + (int64_t)(lanes & UINT32_MAX);
    const gpu_i64x8 high = (gpu_i64x8){0} + (int64_t)(lanes >> 32);
    const gpu_i32x16 pixels = gpu_lanes_join(__builtin_convertvector(low >> shift & 15, gpu_i32x8),
                                             __builtin_convertvector(high >> shift & 15, gpu_i32x8));
    const __mmask16 found = _mm512_test_epi32_mask((__m512i)pixels, (__m512i)pixels);
    const unsigned n = to->count;
    store_some(&to->x_px[n], found, x + 2 * block_column);
    store_some(&to->y_px[n], found, y + 2 * block_row);
    store_some(&to->quad[n], found, first_quad + row_quads * block_row + block_column);
    store_some(&to->pixels[n], found, pixels);
    for (unsigned i = 0; i < BLOCK_QUADS; i++)
        to->setup[n + i] = setup;
    to->count = n + (unsigned)__builtin_popcount(found);
}
#endif

/* Covered quads of the block at (x, y), of which `quads` has bit 4 * n for quad n. There is room for them. */
GPU_INLINE void add_quads(struct gpu_fep *fep, const struct primitive *p, uint64_t quads, uint64_t lanes, int32_t x,
                          int32_t y, const gpu_i32x16 *flags)
{
    struct gpu_fep_waiting *to = &fep->waiting;
    const bool ms_4x = fep->tlb->ms_4x;
    const unsigned first = ms_4x ? gpu_tlb_ms_quad((uint32_t)x, (uint32_t)y) : gpu_tlb_quad((uint32_t)x, (uint32_t)y);
    const unsigned row_quads = (ms_4x ? GPU_TLB_MS_WIDTH_PX : GPU_TLB_WIDTH_PX) / 2;
#if defined(__AVX512F__)
    if (!flags) {
        add_pixels(to, p->setup, lanes, x, y, (int32_t)first, (int32_t)row_quads);
        return;
    }
#endif
    unsigned n = to->count;
    for (; quads; quads &= quads - 1, n++) {
        const unsigned at = (unsigned)__builtin_ctzll(quads), column = at / 4 % 4, row = at / 16;
        to->x_px[n] = x + 2 * (int32_t)column;
        to->y_px[n] = y + 2 * (int32_t)row;
        to->quad[n] = (int32_t)(first + row * row_quads + column);
        to->setup[n] = p->setup;
        to->pixels[n] = lanes >> at & 15;
        if (flags)
            memcpy(&to->samples[4 * n], (const char *)flags + (size_t)4 * at, 16);
    }
    to->count = n;
}

static bool draw_block(struct gpu_fep *fep, const struct primitive *p, int32_t x, int32_t y)
{
    struct cut cut[GPU_SHAPE_EDGES_MAX];
    gpu_i32x16 flags[BLOCK_ROWS];
    bool outside;
    const unsigned count = cut_edges(p, x, y, cut, &outside);
    if (outside)
        return true;
    const struct gpu_rect *area = &p->area;
    const bool is_whole = x >= area->x0 && y >= area->y0 && x + BLOCK_PX <= area->x1 && y + BLOCK_PX <= area->y1;
    uint64_t lanes = cover_block(fep, cut, count, flags);
    if (!is_whole)
        lanes &= lanes_of_rect(area, x, y);
    uint64_t quads = lanes | lanes >> 1;
    quads = (quads | quads >> 2) & 0x1111111111111111;
    p->setup->is_covered |= quads != 0;
    add_quads(fep, p, quads, lanes, x, y, fep->multisampled ? flags : NULL);
    return fep->waiting.count <= GPU_FEP_WAITING - BLOCK_QUADS || run_waiting(fep, false);
}

static bool draw_blocks(struct gpu_fep *fep, const struct primitive *p)
{
    const struct gpu_rect *area = &p->area;
    /* What fits a block needs but one, wherever it lies in the tile. */
    int32_t x0 = MIN2(area->x0 & ~1, fep->tile.x1 - BLOCK_PX), y0 = area->y0 & ~1;
    if (area->x1 - x0 <= BLOCK_PX && area->y1 - y0 <= BLOCK_PX)
        return draw_block(fep, p, x0, y0);
    for (int32_t y = area->y0 & ~(BLOCK_PX - 1); y < area->y1; y += BLOCK_PX)
        for (int32_t x = area->x0 & ~(BLOCK_PX - 1); x < area->x1; x += BLOCK_PX)
            if (!draw_block(fep, p, x, y))
                return false;
    return true;
}

static bool draw(struct gpu_fep *fep, const struct gpu_rect *window)
{
    struct gpu_setup *s = &fep->setup[fep->setup_next];
    struct primitive p;
    p.area = gpu_fep_area(fep, s, window);
    fep->counts[GPU_COUNT_PRIMS]++;
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS]++; /* until a quad has passed early Z */
    if (gpu_rect_is_empty(&p.area))
        return true;
    s->is_covered = s->has_pixels = false;
    take_primitive(&p, fep, s);
    const bool ok = draw_blocks(fep, &p);
    if (s->is_covered) /* no quad refers to the oldest of them any more */
        fep->setup_next = (fep->setup_next + 1) % GPU_FEP_SETUPS;
    return ok;
}

const struct gpu_fep_code GPU_HOST_NAME(gpu_fep_code) = {
    .host = GPU_HOST,
    .draw = draw,
    .flush = flush,
    .serve = serve,
    .z_test = GPU_HOST_NAME(gpu_tlb_z_test),
};
