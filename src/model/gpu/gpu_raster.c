/* SPDX-License-Identifier: MIT
 *
 * Rasteriser of one tile. Hot: every covered pixel passes through add_quad(); inside there is no allocation and no
 * lock.
 *
 * Pixels of a covered quad that the primitive does not cover run as helpers, with coverage 0 and interpolants outside
 * of the primitive [guide p.51].
 */
#include <string.h>
#include "model/gpu/gpu_raster.h"

#define BLOCK_PX 8 /* edges are looked at for blocks of this size first */

/* -- tile buffer callbacks of the fragment program -- */

static struct gpu_fep *fep_of(struct gpu_fragment_io *io)
{
    return container_of(io, struct gpu_fep, io);
}

static void stencil_setup(struct gpu_fragment_io *io, uint32_t word)
{
    gpu_tlb_stencil_setup(fep_of(io)->tlb, word);
}

/* A bit for each quad with covered pixels among the lanes. */
static uint32_t covered_quads(const struct gpu_fragment_io *io, uint32_t lanes)
{
    uint32_t quads = 0;
    for (unsigned lane = 0; lane < QPU_LANES; lane++)
        if ((lanes & BIT(lane)) && io->ms_flags[lane])
            quads |= BIT(lane / 4);
    return quads;
}

static unsigned count_quads(uint32_t quads)
{
    return (unsigned)__builtin_popcount(quads);
}

static void z_test(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    struct gpu_fep *fep = fep_of(io);
    unsigned tested = count_quads(covered_quads(io, lanes));
    gpu_tlb_z_test(fep->tlb, &fep->at, z, io->rev_flag, lanes, io->ms_flags);
    unsigned passed = count_quads(covered_quads(io, lanes));
    fep->counts[GPU_COUNT_QUADS_PASSING] += passed;
    fep->counts[GPU_COUNT_QUADS_FAILING] += tested - passed;
    for (unsigned lane = 0; lane < QPU_LANES; lane++)
        fep->color_samples[lane] = lanes & BIT(lane) ? io->ms_flags[lane] : fep->color_samples[lane];
}

static void store_samples(struct gpu_tlb *tlb, unsigned index, uint32_t color, uint32_t samples)
{
    for (unsigned s = 0; s < GPU_SAMPLES; s++)
        if (samples & BIT(s))
            tlb->color[index + s * GPU_TLB_SAMPLE_STEP] = color;
}

/* Samples that are loaded or stored one at a time come in order; after the last comes the first again (unverified).
 *
 * Flags that the program has written count from the next Z test on [measured: of piglit's tests of
 * ext_framebuffer_multisample those fail on a board where Mesa masks samples in a program without one:
 * sample-alpha-to-coverage color, unaligned-blit and clip-and-scissor-blit color msaa]. */
static void color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    struct gpu_fep *fep = fep_of(io);
    fep->counts[GPU_COUNT_QUADS_WRITTEN] += count_quads(covered_quads(io, lanes));
    if (fep->tlb->ms_4x) {
        uint32_t samples = all_samples ? 15 : BIT(fep->samples_stored++ % GPU_SAMPLES);
        for (unsigned lane = 0; lane < QPU_LANES; lane++)
            if (lanes & BIT(lane))
                store_samples(fep->tlb, fep->at.index[lane], color[lane], samples & fep->color_samples[lane]);
        return;
    }
    for (unsigned lane = 0; lane < QPU_LANES; lane++)
        if ((lanes & BIT(lane)) && fep->color_samples[lane])
            fep->tlb->color[fep->at.index[lane]] = color[lane];
}

static void color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    struct gpu_fep *fep = fep_of(io);
    unsigned step = fep->tlb->ms_4x ? fep->samples_loaded++ % GPU_SAMPLES * GPU_TLB_SAMPLE_STEP : 0;
    for (unsigned lane = 0; lane < QPU_LANES; lane++)
        color_out[lane] = fep->tlb->color[fep->at.index[lane] + step];
}

void gpu_fep_init(struct gpu_fep *fep, struct gpu_qpu_core *core, struct gpu_tlb *tlb)
{
    fep->core = core;
    fep->tlb = tlb;
    fep->io.stencil_setup = stencil_setup;
    fep->io.z_test = z_test;
    fep->io.color_store = color_store;
    fep->io.color_load = color_load;
}

/* -- batches -- */

static bool fail(struct gpu_fep *fep, enum gpu_status status, const char *message)
{
    fep->status = status;
    fep->message = message;
    return false;
}

/* Empty quads of the last batch run at the tile's corner without coverage. */
static void pad_batch(struct gpu_fep *fep)
{
    for (unsigned q = fep->quad_count; q < GPU_QUADS; q++) {
        fep->at.quad[q] = 0;
        fep->io.varyings[q] = fep->io.varyings[0];
        for (unsigned i = 0; i < 4; i++) {
            unsigned lane = 4 * q + i;
            uint32_t x = (uint32_t)fep->tile.x0 + (i & 1), y = (uint32_t)fep->tile.y0 + (i >> 1);
            fep->at.index[lane] = (uint16_t)(fep->tlb->ms_4x ? gpu_tlb_ms_index(x, y) : gpu_tlb_index(x, y));
            fep->io.x_px[lane] = x;
            fep->io.y_px[lane] = y;
            fep->io.ms_flags[lane] = 0;
            fep->io.rev_flag[lane] = 0;
            fep->io.w[lane] = 1.0f;
            fep->io.z[lane] = 0;
            fep->io.dx[lane] = fep->io.dy[lane] = 0;
        }
    }
}

bool gpu_fep_flush(struct gpu_fep *fep)
{
    if (fep->quad_count == 0)
        return true;
    pad_batch(fep);
    memcpy(fep->color_samples, fep->io.ms_flags, sizeof fep->color_samples);
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
    return status == GPU_OK || fail(fep, status, message);
}

struct gpu_setup *gpu_fep_setup(struct gpu_fep *fep)
{
    return &fep->setup[fep->setup_next];
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

/* -- quads -- */

static uint32_t to_z24(double z)
{
    return z >= (double)GPU_Z_MAX ? GPU_Z_MAX : z > 0 ? (uint32_t)z : 0;
}

static bool is_batched(const struct gpu_fep *fep, unsigned quad)
{
    for (unsigned q = 0; q < fep->quad_count; q++)
        if (fep->at.quad[q] == quad)
            return true;
    return false;
}

/* Whether no pixel of the quad can pass: its nearest corner lies behind all that the shadow holds. Nothing lies behind
 * the greatest depth, where the plane is yet to saturate. */
static bool is_hidden(const struct gpu_fep *fep, const struct gpu_plane *z, double z0, unsigned quad)
{
    double nearest = z0 + MIN2(z->dx, 0.0) + MIN2(z->dy, 0.0);
    uint32_t farthest = fep->tlb->early_z[quad];
    return farthest < GPU_Z_MAX && nearest >= (double)farthest + 1.0;
}

/* What a quad covers: a bit a pixel, and the flags of each pixel, 4 bits a pixel. */
struct covered {
    unsigned pixels, samples;
};

static struct covered cover_pixels(unsigned pixels)
{
    unsigned samples = 0;
    for (unsigned i = 0; i < 4; i++)
        samples |= pixels >> i & 1 ? GPU_MS_FLAGS_COVERED << 4 * i : 0;
    return (struct covered){pixels, samples};
}

static unsigned quad_of(const struct gpu_fep *fep, int32_t x, int32_t y)
{
    return fep->tlb->ms_4x ? gpu_tlb_ms_quad((uint32_t)x, (uint32_t)y) : gpu_tlb_quad((uint32_t)x, (uint32_t)y);
}

/* Adds a quad to the batch. One loop per field, so that the compiler makes vectors of them. */
static void batch_quad(struct gpu_fep *fep, const struct gpu_setup *s, int32_t x, int32_t y, unsigned samples,
                       const uint32_t z[4])
{
    static const uint32_t right[4] = {0, 1, 0, 1}, down[4] = {0, 0, 1, 1};
    struct gpu_fragment_io *io = &fep->io;
    unsigned q = fep->quad_count++, lane = 4 * q;
    fep->at.quad[q] = (uint16_t)quad_of(fep, x, y);
    io->varyings[q] = s->varying;

    bool ms_4x = fep->tlb->ms_4x;
    unsigned index = ms_4x ? gpu_tlb_ms_index((uint32_t)x, (uint32_t)y) : gpu_tlb_index((uint32_t)x, (uint32_t)y);
    unsigned row = ms_4x ? 2 : GPU_TLB_WIDTH_PX;
    float dx0 = (float)x + 0.5f - s->reference_x_px, dy0 = (float)y + 0.5f - s->reference_y_px;
    float rw0 = (float)(s->rw.value + s->rw.dx * dx0 + s->rw.dy * dy0), rw_dx = (float)s->rw.dx,
          rw_dy = (float)s->rw.dy;
    for (unsigned i = 0; i < 4; i++)
        fep->at.index[lane + i] = (uint16_t)(index + right[i] + down[i] * row);
    for (unsigned i = 0; i < 4; i++)
        io->x_px[lane + i] = (uint32_t)x + right[i];
    for (unsigned i = 0; i < 4; i++)
        io->y_px[lane + i] = (uint32_t)y + down[i];
    for (unsigned i = 0; i < 4; i++)
        io->ms_flags[lane + i] = samples >> 4 * i & 15;
    for (unsigned i = 0; i < 4; i++)
        io->rev_flag[lane + i] = s->rev_flag;
    for (unsigned i = 0; i < 4; i++)
        io->z[lane + i] = z[i];
    for (unsigned i = 0; i < 4; i++)
        io->dx[lane + i] = dx0 + (float)(int32_t)right[i];
    for (unsigned i = 0; i < 4; i++)
        io->dy[lane + i] = dy0 + (float)(int32_t)down[i];
    for (unsigned i = 0; i < 4; i++)
        io->w[lane + i] = 1.0f / (rw0 + (float)(int32_t)right[i] * rw_dx + (float)(int32_t)down[i] * rw_dy);
}

static bool clip_quad(struct gpu_fep *fep)
{
    fep->counts[GPU_COUNT_QUADS_CLIPPED]++;
    return true;
}

/* The quad whose upper left pixel is (x, y); pixel i is (i & 1, i >> 1). */
static bool add_quad(struct gpu_fep *fep, const struct gpu_setup *s, int32_t x, int32_t y, struct covered covered)
{
    float dx0 = (float)x + 0.5f - s->reference_x_px, dy0 = (float)y + 0.5f - s->reference_y_px;
    double z0 = s->z.value + s->z.dx * dx0 + s->z.dy * dy0;
    unsigned quad = quad_of(fep, x, y);
    if (fep->early_z && is_hidden(fep, &s->z, z0, quad))
        return clip_quad(fep);
    uint32_t z[4] = {to_z24(z0), to_z24(z0 + s->z.dx), to_z24(z0 + s->z.dy), to_z24(z0 + s->z.dx + s->z.dy)};
    if (fep->early_z && !gpu_tlb_early_z(fep->tlb, quad, z, covered.pixels))
        return clip_quad(fep);
    if (is_batched(fep, quad) && !gpu_fep_flush(fep))
        return false;

    fep->counts[GPU_COUNT_QUADS]++;
    batch_quad(fep, s, x, y, covered.samples, z);
    return fep->quad_count < GPU_QUADS || gpu_fep_flush(fep);
}

/* Pixels of the quad that lie in the rectangle. */
static unsigned quad_in_rect(const struct gpu_rect *r, int32_t x, int32_t y)
{
    unsigned columns = (x >= r->x0 && x < r->x1 ? 5u : 0u) | (x + 1 >= r->x0 && x + 1 < r->x1 ? 10u : 0u);
    unsigned rows = (y >= r->y0 && y < r->y1 ? 3u : 0u) | (y + 1 >= r->y0 && y + 1 < r->y1 ? 12u : 0u);
    return columns & rows;
}

/* Pixels of a quad that lie inside of all edges, whose values at its first pixel are given. */
static unsigned quad_in_edges(const struct gpu_shape *shape, const int64_t at[GPU_SHAPE_EDGES_MAX])
{
    unsigned covered = 15;
    for (unsigned i = 0; i < shape->edge_count; i++) {
        int64_t a = shape->edge[i].a, b = shape->edge[i].b;
        covered &= (at[i] >= 0 ? 1u : 0u) | (at[i] + a >= 0 ? 2u : 0u) | (at[i] + b >= 0 ? 4u : 0u) |
                   (at[i] + a + b >= 0 ? 8u : 0u);
    }
    return covered;
}

/* The same for samples. */
static struct covered quad_in_edges_ms(const struct gpu_shape *shape, const int64_t at[GPU_SHAPE_EDGES_MAX],
                                       unsigned pixels)
{
    struct covered covered = {0};
    for (unsigned s = 0; s < GPU_SAMPLES; s++) {
        int64_t at_sample[GPU_SHAPE_EDGES_MAX];
        for (unsigned i = 0; i < shape->edge_count; i++)
            at_sample[i] = at[i] + gpu_edge_to_sample(&shape->edge[i], s);
        unsigned inside = pixels & quad_in_edges(shape, at_sample);
        covered.pixels |= inside;
        for (unsigned i = 0; i < 4; i++)
            covered.samples |= (inside >> i & 1) << (4 * i + s);
    }
    return covered;
}

static bool draw_row(struct gpu_fep *fep, const struct gpu_setup *s, const struct gpu_rect *area,
                     const struct gpu_rect *block, int32_t y, enum gpu_coverage coverage)
{
    int64_t at[GPU_SHAPE_EDGES_MAX];
    int32_t x0 = block->x0 & ~1;
    for (unsigned i = 0; i < s->shape.edge_count; i++)
        at[i] = gpu_edge_at(&s->shape.edge[i], x0, y);
    for (int32_t x = x0; x < block->x1; x += 2) {
        unsigned pixels = quad_in_rect(area, x, y);
        struct covered covered;
        if (coverage == GPU_COVERS_ALL)
            covered = cover_pixels(pixels);
        else if (fep->multisampled)
            covered = quad_in_edges_ms(&s->shape, at, pixels);
        else
            covered = cover_pixels(pixels & quad_in_edges(&s->shape, at));
        if (covered.pixels && !add_quad(fep, s, x, y, covered))
            return false;
        for (unsigned i = 0; i < s->shape.edge_count; i++)
            at[i] += 2 * s->shape.edge[i].a;
    }
    return true;
}

static bool draw_block(struct gpu_fep *fep, const struct gpu_setup *s, const struct gpu_rect *area,
                       const struct gpu_rect *block)
{
    enum gpu_coverage coverage = gpu_shape_covers(&s->shape, block);
    if (coverage == GPU_COVERS_NOTHING)
        return true;
    for (int32_t y = block->y0 & ~1; y < block->y1; y += 2)
        if (!draw_row(fep, s, area, block, y, coverage))
            return false;
    return true;
}

static bool draw(struct gpu_fep *fep, const struct gpu_rect *window)
{
    struct gpu_setup *s = gpu_fep_setup(fep);
    s->shape.multisampled = fep->multisampled;
    struct gpu_rect area =
        gpu_rect_intersect(fep->multisampled ? &s->shape.outline : &s->shape.bounds, &fep->tile);
    area = gpu_rect_intersect(&area, window);
    if (gpu_rect_is_empty(&area))
        return true;
    for (int32_t y = area.y0 & ~(BLOCK_PX - 1); y < area.y1; y += BLOCK_PX) {
        for (int32_t x = area.x0 & ~(BLOCK_PX - 1); x < area.x1; x += BLOCK_PX) {
            struct gpu_rect block = {x, y, x + BLOCK_PX, y + BLOCK_PX};
            block = gpu_rect_intersect(&block, &area);
            if (!draw_block(fep, s, &area, &block))
                return false;
        }
    }
    advance_setup(fep);
    return true;
}

bool gpu_fep_draw(struct gpu_fep *fep, const struct gpu_rect *window)
{
    uint64_t quads = fep->counts[GPU_COUNT_QUADS];
    bool ok = draw(fep, window);
    fep->counts[GPU_COUNT_PRIMS]++;
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS] += fep->counts[GPU_COUNT_QUADS] == quads;
    return ok;
}
