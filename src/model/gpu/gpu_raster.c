/* SPDX-License-Identifier: MIT
 *
 * Rasteriser of one tile. Hot: every covered pixel passes through here; inside there is no allocation and no lock.
 * Edges are looked at for a row of four quads at a time, depth and interpolants computed for any four quads, as many
 * pixels as a batch has. Compiled for each kind of host, see gpu_lanes.h.
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

/* -- batches -- */

/* Empty quads of the last batch run at the tile's corner without coverage. */
static void pad_batch(struct gpu_fep *fep)
{
    struct gpu_fragment_io *io = &fep->io;
    for (unsigned q = fep->quad_count; q < GPU_QUADS; q++) {
        fep->at.quad[q] = 0;
        io->varyings[q] = io->varyings[0];
    }
    for (unsigned lane = 4 * fep->quad_count; lane < QPU_LANES; lane++) {
        io->x_px[lane] = (uint32_t)fep->tile.x0 + (lane & 1);
        io->y_px[lane] = (uint32_t)fep->tile.y0 + (lane >> 1 & 1);
        io->ms_flags[lane] = 0;
        io->rev_flag[lane] = 0;
        io->w[lane] = 1.0f;
        io->z[lane] = 0;
        io->dx[lane] = io->dy[lane] = 0;
    }
}

static bool flush(struct gpu_fep *fep)
{
    if (fep->quad_count == 0)
        return true;
    if (fep->quad_count < GPU_QUADS)
        pad_batch(fep);
    gpu_lanes_store(fep->color_samples, gpu_lanes_load(fep->io.ms_flags));
    fep->quad_count = 0;
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

/* The slot after the current one that no quad of the batch refers to. */
static void advance_setup(struct gpu_fep *fep)
{
    for (unsigned i = 0; i < GPU_QUADS + 1; i++) {
        fep->setup_next = (fep->setup_next + 1) % (GPU_QUADS + 1);
        bool used = false;
        for (unsigned q = 0; q < fep->quad_count; q++)
            used |= fep->io.varyings[q] == fep->setup[fep->setup_next].varying;
        if (!used)
            return;
    }
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
    const struct gpu_setup *setup;
    struct gpu_rect area;
    unsigned edge_count;
    struct edge edge[GPU_SHAPE_EDGES_MAX];
    gpu_f64x8 z_dx, z_dy;   /* from the first pixel of a quad to the lane's */
    gpu_f32x16 rw_dx, rw_dy;
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

static void take_primitive(struct primitive *p, const struct gpu_fep *fep, const struct gpu_setup *s)
{
    const gpu_f64x8 none = {0};
    const gpu_i64x8 right = {0, -1, 0, -1, 0, -1, 0, -1}, down = {0, 0, -1, -1, 0, 0, -1, -1};
    p->setup = s;
    p->edge_count = s->shape.edge_count;
    for (unsigned i = 0; i < p->edge_count; i++)
        take_edge(&p->edge[i], &s->shape.edge[i], fep->multisampled);
    p->z_dx = (gpu_f64x8)((gpu_i64x8)(none + s->z.dx) & right);
    p->z_dy = (gpu_f64x8)((gpu_i64x8)(none + s->z.dy) & down);
    p->rw_dx = __builtin_convertvector(gpu_lane_x & 1, gpu_f32x16) * (float)s->rw.dx;
    p->rw_dy = __builtin_convertvector(gpu_lane_y, gpu_f32x16) * (float)s->rw.dy;
}

/* -- groups of four quads -- */

/* Up to four quads of a block; what is missing is a double of another, without lanes. */
struct group {
    int32_t x[GPU_QUADS], y[GPU_QUADS], quad[GPU_QUADS];
    uint32_t lanes; /* covered pixels */
    gpu_i32x16 flags;
};

struct lanes {
    gpu_i32x16 x, y, flags, rev, z;
    gpu_f32x16 w, dx, dy;
};

/* 24-bit depth, saturated; NaN is 0. */
GPU_INLINE gpu_i32x8 to_z24(gpu_f64x8 z)
{
    const gpu_f64x8 most = (gpu_f64x8){0} + (double)GPU_Z_MAX;
    const gpu_i64x8 beyond = z >= most, positive = z > (gpu_f64x8){0};
    const gpu_i64x8 cut = (((gpu_i64x8)z & ~beyond) | ((gpu_i64x8)most & beyond)) & positive;
    return __builtin_convertvector((gpu_f64x8)cut, gpu_i32x8);
}

/* From the reference point to the first pixel of each lane's quad. Multiples of 1/16 below 2^20, as all sums of them:
 * nothing is rounded. */
struct distance {
    gpu_f32x16 dx, dy;
    gpu_f64x8 dx_wide[2], dy_wide[2]; /* quads 0 and 1, 2 and 3 */
};

GPU_INLINE struct distance distance_to(const struct gpu_setup *s, const struct group *g)
{
    struct distance d;
    gpu_f32x8 half[2];
    d.dx = __builtin_convertvector(gpu_lanes_of_quads(g->x), gpu_f32x16) + (0.5f - s->reference_x_px);
    d.dy = __builtin_convertvector(gpu_lanes_of_quads(g->y), gpu_f32x16) + (0.5f - s->reference_y_px);
    memcpy(half, &d.dx, sizeof half);
    for (unsigned i = 0; i < 2; i++)
        d.dx_wide[i] = __builtin_convertvector(half[i], gpu_f64x8);
    memcpy(half, &d.dy, sizeof half);
    for (unsigned i = 0; i < 2; i++)
        d.dy_wide[i] = __builtin_convertvector(half[i], gpu_f64x8);
    return d;
}

/* A plane's value at the first pixel of each quad, in all the quad's lanes. */
GPU_INLINE gpu_f64x8 plane_at(const struct gpu_plane *plane, const struct distance *d, unsigned half)
{
    return plane->value + plane->dx * d->dx_wide[half] + plane->dy * d->dy_wide[half];
}

GPU_INLINE gpu_i32x16 depth_of(const struct primitive *p, const struct distance *d)
{
    gpu_i32x8 half[2];
    gpu_i32x16 z;
    for (unsigned i = 0; i < 2; i++)
        half[i] = to_z24(plane_at(&p->setup->z, d, i) + p->z_dx + p->z_dy);
    memcpy(&z, half, sizeof z);
    return z;
}

GPU_INLINE gpu_f32x16 w_of(const struct primitive *p, const struct distance *d)
{
    gpu_f32x8 half[2];
    gpu_f32x16 rw;
    for (unsigned i = 0; i < 2; i++)
        half[i] = __builtin_convertvector(plane_at(&p->setup->rw, d, i), gpu_f32x8);
    memcpy(&rw, half, sizeof rw);
    return 1.0f / (rw + p->rw_dx + p->rw_dy);
}

GPU_INLINE void make_lanes(struct lanes *to, const struct primitive *p, const struct group *g,
                           const struct distance *d, gpu_i32x16 z)
{
    const gpu_i32x16 right = gpu_lane_x & 1, down = gpu_lane_y;
    to->x = gpu_lanes_of_quads(g->x) + right;
    to->y = gpu_lanes_of_quads(g->y) + down;
    to->flags = g->flags;
    to->rev = gpu_lanes_all((int32_t)p->setup->rev_flag);
    to->z = z;
    to->w = w_of(p, d);
    to->dx = __builtin_convertvector(right, gpu_f32x16) + d->dx;
    to->dy = __builtin_convertvector(down, gpu_f32x16) + d->dy;
}

/* The quads with a lane that may pass by the early-Z shadow. */
GPU_INLINE uint32_t pass_early(const struct gpu_fep *fep, const struct group *g, gpu_i32x16 z)
{
    uint32_t farthest[GPU_QUADS];
    for (unsigned q = 0; q < GPU_QUADS; q++)
        farthest[q] = fep->tlb->early_z[g->quad[q]];
    return gpu_lanes_quads(~gpu_lanes_negative(gpu_lanes_of_quads(farthest) - z) & g->lanes);
}

static bool is_batched(const struct gpu_fep *fep, unsigned quad)
{
    for (unsigned q = 0; q < fep->quad_count; q++)
        if (fep->at.quad[q] == quad)
            return true;
    return false;
}

/* All four quads at once. */
GPU_INLINE void batch_group(struct gpu_fep *fep, const struct primitive *p, const struct group *g,
                            const struct lanes *from)
{
    struct gpu_fragment_io *io = &fep->io;
    gpu_lanes_store(io->x_px, from->x);
    gpu_lanes_store(io->y_px, from->y);
    gpu_lanes_store(io->ms_flags, from->flags);
    gpu_lanes_store(io->rev_flag, from->rev);
    gpu_lanes_store(io->z, from->z);
    memcpy(io->w, &from->w, sizeof io->w);
    memcpy(io->dx, &from->dx, sizeof io->dx);
    memcpy(io->dy, &from->dy, sizeof io->dy);
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        fep->at.quad[q] = (uint16_t)g->quad[q];
        io->varyings[q] = p->setup->varying;
    }
    fep->quad_count = GPU_QUADS;
    fep->counts[GPU_COUNT_QUADS] += GPU_QUADS;
}

/* Quad q of the group. */
GPU_INLINE void batch_quad(struct gpu_fep *fep, const struct primitive *p, const struct group *g,
                           const struct lanes *from, unsigned q)
{
    struct gpu_fragment_io *io = &fep->io;
    const size_t at = 16 * q;
    const unsigned lane = 4 * fep->quad_count;
    memcpy(&io->x_px[lane], (const char *)&from->x + at, 16);
    memcpy(&io->y_px[lane], (const char *)&from->y + at, 16);
    memcpy(&io->ms_flags[lane], (const char *)&from->flags + at, 16);
    memcpy(&io->rev_flag[lane], (const char *)&from->rev + at, 16);
    memcpy(&io->z[lane], (const char *)&from->z + at, 16);
    memcpy(&io->w[lane], (const char *)&from->w + at, 16);
    memcpy(&io->dx[lane], (const char *)&from->dx + at, 16);
    memcpy(&io->dy[lane], (const char *)&from->dy + at, 16);
    io->varyings[fep->quad_count] = p->setup->varying;
    fep->at.quad[fep->quad_count++] = (uint16_t)g->quad[q];
    fep->counts[GPU_COUNT_QUADS]++;
}

/* What passes is looked at again when a batch has run: it may have changed the shadow. */
static bool add_group(struct gpu_fep *fep, const struct primitive *p, const struct group *g)
{
    const struct distance d = distance_to(p->setup, g);
    const gpu_i32x16 z = depth_of(p, &d);
    uint32_t quads = gpu_lanes_quads(g->lanes), passing = fep->early_z ? pass_early(fep, g, z) : quads;
    if (!passing) {
        fep->counts[GPU_COUNT_QUADS_CLIPPED] += gpu_lanes_quad_count(quads);
        return true;
    }
    struct lanes lanes;
    make_lanes(&lanes, p, g, &d, z);
    if (passing == 0x1111 && fep->quad_count == 0) {
        batch_group(fep, p, g, &lanes);
        return flush(fep);
    }
    for (; quads; quads &= quads - 1) {
        const unsigned q = (unsigned)__builtin_ctz(quads) / 4;
        if (!(passing >> 4 * q & 1)) {
            fep->counts[GPU_COUNT_QUADS_CLIPPED]++;
            continue;
        }
        bool runs = is_batched(fep, (unsigned)g->quad[q]);
        if (runs && !flush(fep))
            return false;
        batch_quad(fep, p, g, &lanes, q);
        if (fep->quad_count == GPU_QUADS) {
            runs = true;
            if (!flush(fep))
                return false;
        }
        if (runs && fep->early_z)
            passing = pass_early(fep, g, z);
    }
    return true;
}

/* -- blocks -- */

#define BLOCK_ROWS (BLOCK_PX / 2) /* of quads */

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

/* The next quads of a block; `quads` has bit 4 * n for quad n. Returns those that are left. */
GPU_INLINE uint64_t take_group(struct group *g, uint64_t quads, uint64_t lanes, int32_t x, int32_t y,
                               const gpu_i32x16 *flags)
{
    unsigned from[GPU_QUADS], count = 0;
    g->lanes = 0;
    for (; count < GPU_QUADS && quads; quads &= quads - 1) {
        from[count] = (unsigned)__builtin_ctzll(quads) / 4;
        g->lanes |= (uint32_t)(lanes >> 4 * from[count] & 15) << 4 * count;
        count++;
    }
    for (unsigned q = count; q < GPU_QUADS; q++)
        from[q] = from[0];
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        g->x[q] = x + (int32_t)(from[q] % 4) * 2;
        g->y[q] = y + (int32_t)(from[q] / 4) * 2;
    }
    g->flags = gpu_lanes_mask(g->lanes);
    if (!flags) {
        g->flags &= (int32_t)GPU_MS_FLAGS_COVERED;
        return quads;
    }
    gpu_i32x4 own[GPU_QUADS];
    gpu_i32x16 all;
    for (unsigned q = 0; q < GPU_QUADS; q++)
        memcpy(&own[q], (const char *)flags + 16 * from[q], 16);
    memcpy(&all, own, sizeof all);
    g->flags &= all;
    return quads;
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
    while (quads) {
        struct group g;
        quads = take_group(&g, quads, lanes, x, y, fep->multisampled ? flags : NULL);
        for (unsigned q = 0; q < GPU_QUADS; q++)
            g.quad[q] = (int32_t)(fep->tlb->ms_4x ? gpu_tlb_ms_quad((uint32_t)g.x[q], (uint32_t)g.y[q])
                                                  : gpu_tlb_quad((uint32_t)g.x[q], (uint32_t)g.y[q]));
        if (!add_group(fep, p, &g))
            return false;
    }
    return true;
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
    const struct gpu_setup *s = &fep->setup[fep->setup_next];
    struct primitive p;
    p.area = gpu_rect_intersect(fep->multisampled ? &s->shape.outline : &s->shape.bounds, &fep->tile);
    p.area = gpu_rect_intersect(&p.area, window);
    fep->counts[GPU_COUNT_PRIMS]++;
    const uint64_t quads = fep->counts[GPU_COUNT_QUADS];
    bool ok = true;
    if (!gpu_rect_is_empty(&p.area)) {
        take_primitive(&p, fep, s);
        ok = draw_blocks(fep, &p);
    }
    const bool drawn = fep->counts[GPU_COUNT_QUADS] != quads;
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS] += !drawn;
    if (drawn)
        advance_setup(fep);
    return ok;
}

const struct gpu_fep_code GPU_HOST_NAME(gpu_fep_code) = {
    .host = GPU_HOST,
    .draw = draw,
    .flush = flush,
    .serve = serve,
    .z_test = GPU_HOST_NAME(gpu_tlb_z_test),
};
