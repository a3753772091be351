/* SPDX-License-Identifier: MIT
 *
 * Rasteriser of one tile. Hot: every covered pixel passes through here, so there is no allocation and no lock inside.
 * Edge functions are evaluated for a row of four quads at a time. Compiled once per vector extension, see gpu_lanes.h.
 *
 * Uncovered pixels of a covered quad run as helper lanes, with coverage 0 and interpolants from outside the primitive
 * [guide p.51].
 */
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

#define BLOCK_PX 8 /* edges are tested per block of this size first; a row of quads in a block is one vector */

/* -- the primitive being drawn -- */

/* An edge function, prepared for evaluation in blocks. */
struct edge {
    int64_t a, b, c;
    int64_t high, low;              /* largest, smallest change from a block's first pixel within the block */
    gpu_i32x16 to_lane;             /* change from the first pixel to each lane of a row of quads */
    int32_t to_sample[GPU_SAMPLES]; /* change from a pixel's centre to each sample */
};

struct primitive {
    struct gpu_setup *setup;
    struct gpu_rect area;
    bool drops_blocks; /* early Z may drop whole blocks of it */
    unsigned edge_count;
    struct edge edge[GPU_SHAPE_EDGES_MAX];
};

static void setup_edge(struct edge *to, const struct gpu_edge *e, bool multisampled)
{
    int64_t right = e->a * (BLOCK_PX - 1), down = e->b * (BLOCK_PX - 1), reach = 0;
    to->a = e->a;
    to->b = e->b;
    to->c = e->c;
    for (unsigned s = 0; s < GPU_SAMPLES; s++) {
        to->to_sample[s] = (int32_t)gpu_edge_to_sample(e, s);
        reach = multisampled ? MAX2(reach, gpu_edge_to_sample(e, s)) : 0; /* positions are symmetrical */
    }
    to->high = MAX2(right, 0) + MAX2(down, 0) + reach;
    to->low = MIN2(right, 0) + MIN2(down, 0) - reach;
    to->to_lane = gpu_lane_x * (int32_t)e->a + gpu_lane_y * (int32_t)e->b;
}

static void setup_primitive(struct primitive *p, const struct gpu_fep *fep, struct gpu_setup *s)
{
    p->setup = s;
    p->edge_count = s->shape.edge_count;
    for (unsigned i = 0; i < p->edge_count; i++)
        setup_edge(&p->edge[i], &s->shape.edge[i], fep->multisampled);
}

/* -- blocks -- */

#define BLOCK_ROWS  (BLOCK_PX / 2) /* rows of quads */
#define BLOCK_QUADS (BLOCK_ROWS * BLOCK_ROWS)

/* Mask of the block's pixels that lie in the rectangle, 16 lanes per row of quads. */
static uint64_t lanes_of_rect(const struct gpu_rect *r, int32_t x, int32_t y)
{
    uint32_t columns = (1u << CLAMP(r->x1 - x, 0, 8)) - (1u << CLAMP(r->x0 - x, 0, 8));
    columns = (columns | columns << 4) & 0x0f0f;
    columns = (columns | columns << 2) & 0x3333; /* lanes of the upper pixel row */
    uint64_t lanes = 0;
    for (int32_t row = 0; row < BLOCK_ROWS; row++) {
        const bool upper = y + 2 * row >= r->y0 && y + 2 * row < r->y1;
        const bool lower = y + 2 * row + 1 >= r->y0 && y + 2 * row + 1 < r->y1;
        lanes |= (uint64_t)((upper ? columns : 0) | (lower ? columns << 2 : 0)) << 16 * row;
    }
    return lanes;
}

/* An edge that crosses a block. Within the block 32 bits hold its value exactly. */
struct cut {
    const struct edge *edge;
    int32_t value, down; /* value at the block's first pixel; change to the next row of quads */
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

/* Collects the edges that cross the block; `outside_out` if the block lies outside one of them. As a and b are below
 * 2^25, the values of an edge that changes sign within the block stay below 2^30. */
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

static void apply_color_clear(struct gpu_fep *fep)
{
    if (!fep->tlb->color_pending)
        return;
    const uint64_t begin_ns = gpu_part_begin(fep->times);
    gpu_tlb_apply_color_clear(fep->tlb);
    gpu_part_end(fep->times, GPU_PART_CLEARS, begin_ns);
}

/* Mask of the covered pixels of a block. If multisampled, also sets `flags` to the covered samples of each pixel. */
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

/* Stores the words selected by the mask contiguously. Overwrites a whole vector: memory behind them is clobbered. */
GPU_INLINE void store_some(void *to, __mmask16 mask, gpu_i32x16 words)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(mask, (__m512i)words));
}

/* Adds all covered quads of a block at once. */
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

/* -- whole blocks dropped by early Z -- */

/* The smallest depth of the pixels of a rectangle with even sides. It occurs at a corner pixel: every step of
 * depth_of() (gpu_raster_quads.c) is monotonic in the pixel's distances, rounding included, as long as the plane is
 * finite. */
static uint32_t least_depth(const struct gpu_setup *s, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const struct gpu_plane *z = &s->z;
    const float dx = (float)(z->dx < 0 ? x1 - 2 : x0) + (0.5f - s->reference_x_px);
    const float dy = (float)(z->dy < 0 ? y1 - 2 : y0) + (0.5f - s->reference_y_px);
    double least = z->value + z->dx * (double)dx + z->dy * (double)dy;
    if (z->dx < 0)
        least += z->dx;
    if (z->dy < 0)
        least += z->dy;
    return least >= (double)GPU_Z_MAX ? GPU_Z_MAX : least > 0 ? (uint32_t)least : 0;
}

static bool has_finite_depth(const struct gpu_setup *s)
{
    const struct gpu_plane *z = &s->z;
    return z->value - z->value == 0 && z->dx - z->dx == 0 && z->dy - z->dy == 0;
}

/* Whether the whole rectangle lies behind the early-Z shadow. Its sides are multiples of BLOCK_PX. */
static bool is_hidden(const struct gpu_fep *fep, const struct gpu_setup *s, int32_t x0, int32_t y0, int32_t x1,
                      int32_t y1)
{
    const uint32_t *row = &fep->tlb->early_z[gpu_tlb_quad((uint32_t)x0, (uint32_t)y0)];
    const int32_t least = (int32_t)least_depth(s, x0, y0, x1, y1);
    gpu_i32x4 beyond = {0};
    for (int32_t y = y0; y < y1; y += 2, row += GPU_TLB_WIDTH_PX / 2) {
        for (int32_t x = 0; x < (x1 - x0) / 2; x += 4) {
            gpu_i32x4 farthest;
            memcpy(&farthest, row + x, sizeof farthest);
            beyond |= farthest >= least;
        }
    }
    uint64_t part[2];
    memcpy(part, &beyond, sizeof part);
    return !(part[0] | part[1]);
}

static bool is_block_hidden(const struct gpu_fep *fep, const struct primitive *p, int32_t x, int32_t y)
{
    return y + BLOCK_PX <= fep->tile.y1 && is_hidden(fep, p->setup, x, y, x + BLOCK_PX, y + BLOCK_PX);
}

/* Queues the covered quads of the block at (x, y). `quads` has bit 4 * n for quad n. The queue must have space for
 * them. */
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

/* Wherever early Z is tested, queued and dropped quads trigger runs at the same times: when together they reach the
 * size of the queue. The shadow changes only during runs, and all queued quads are tested at the start of one. So an
 * early test at any time since the last run gives the same result. */
GPU_INLINE bool has_nothing_to_run(const struct gpu_fep_waiting *w)
{
    return w->count < GPU_QUADS && w->count == w->tested; /* nothing to test and no whole batch to run */
}

GPU_INLINE bool run_if_full(struct gpu_fep *fep)
{
    struct gpu_fep_waiting *w = &fep->waiting;
    if (w->count + w->dropped <= GPU_FEP_WAITING - BLOCK_QUADS)
        return true;
    if (has_nothing_to_run(w)) {
        w->dropped = 0;
        return true;
    }
    return GPU_HOST_NAME(gpu_fep_run_waiting)(fep, false);
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
    if (p->drops_blocks && quads && is_block_hidden(fep, p, x, y)) {
        const unsigned dropped = (unsigned)__builtin_popcountll(quads);
        fep->counts[GPU_COUNT_QUADS_CLIPPED] += dropped;
        fep->waiting.dropped += dropped;
        return run_if_full(fep);
    }
    add_quads(fep, p, quads, lanes, x, y, fep->multisampled ? flags : NULL);
    return run_if_full(fep);
}

/* -- primitives that are filled -- */

/* Whether the primitive covers all pixels of p->area. */
static bool covers_area(const struct primitive *p)
{
    const struct gpu_rect *area = &p->area;
    const int64_t right = area->x1 - 1 - area->x0, down = area->y1 - 1 - area->y0;
    for (unsigned i = 0; i < p->edge_count; i++) {
        const struct edge *e = &p->edge[i];
        if (e->a * area->x0 + e->b * area->y0 + e->c + MIN2(e->a * right, 0) + MIN2(e->b * down, 0) < 0)
            return false;
    }
    return true;
}

static bool is_tile(const struct gpu_fep *fep, const struct gpu_rect *area)
{
    const struct gpu_rect *tile = &fep->tile;
    return area->x0 == tile->x0 && area->y0 == tile->y0 && area->x1 == tile->x1 && area->y1 == tile->y1;
}

static void fill_block(struct gpu_fep *fep, const struct primitive *p, bool covers, int32_t x, int32_t y)
{
    struct cut cut[GPU_SHAPE_EDGES_MAX];
    bool outside = false;
    const unsigned count = covers ? 0 : cut_edges(p, x, y, cut, &outside);
    if (outside)
        return;
    const uint64_t lanes = cover_block(fep, cut, count, NULL) & lanes_of_rect(&p->area, x, y);
    if (lanes)
        GPU_HOST_NAME(gpu_fep_fill_block)(fep, p->setup, x, y, lanes);
}

static void fill(struct gpu_fep *fep, const struct primitive *p)
{
    const struct gpu_rect *area = &p->area;
    const bool covers = covers_area(p);
    if (covers && is_tile(fep, area)) {
        GPU_HOST_NAME(gpu_fep_fill_tile)(fep, p->setup);
        return;
    }
    apply_color_clear(fep);
    for (int32_t y = area->y0 & ~(BLOCK_PX - 1); y < area->y1; y += BLOCK_PX)
        for (int32_t x = area->x0 & ~(BLOCK_PX - 1); x < area->x1; x += BLOCK_PX)
            fill_block(fep, p, covers, x, y);
}

/* Whether to fill the primitive directly. For small primitives not if quads are queued, because those would have to run
 * first. */
static bool should_fill(const struct gpu_fep *fep, const struct primitive *p)
{
    const struct gpu_rect *area = &p->area;
    return fep->fills && p->setup->is_solid &&
           (!fep->waiting.count || (area->x1 - area->x0 > 2 * BLOCK_PX && area->y1 - area->y0 > 2 * BLOCK_PX));
}

/* -- primitives -- */

static bool is_block_aligned(const struct gpu_rect *area)
{
    return !((area->x0 | area->y0 | area->x1 | area->y1) & (BLOCK_PX - 1));
}

/* Drops the remaining rows, from y on, of a primitive that covers its whole area, if early Z hides all of them and
 * nothing has to run in between. False: drops nothing. */
static bool drop_rows(struct gpu_fep *fep, const struct primitive *p, int32_t y)
{
    const struct gpu_rect *area = &p->area;
    struct gpu_fep_waiting *w = &fep->waiting;
    if (!has_nothing_to_run(w) || !is_hidden(fep, p->setup, area->x0, y, area->x1, area->y1))
        return false;
    const int32_t blocks = (area->x1 - area->x0) / BLOCK_PX * ((area->y1 - y) / BLOCK_PX);
    p->setup->is_covered = true;
    fep->counts[GPU_COUNT_QUADS_CLIPPED] += (uint64_t)blocks * BLOCK_QUADS;
    for (int32_t i = 0; i < blocks; i++) {
        w->dropped += BLOCK_QUADS;
        if (w->count + w->dropped > GPU_FEP_WAITING - BLOCK_QUADS)
            w->dropped = 0;
    }
    return true;
}

static bool draw_blocks(struct gpu_fep *fep, const struct primitive *p)
{
    const struct gpu_rect *area = &p->area;
    /* A primitive that fits into one block is drawn as one, at any even position in the tile. */
    int32_t x0 = MIN2(area->x0 & ~1, fep->tile.x1 - BLOCK_PX), y0 = area->y0 & ~1;
    if (area->x1 - x0 <= BLOCK_PX && area->y1 - y0 <= BLOCK_PX)
        return draw_block(fep, p, x0, y0);
    unsigned tries = p->drops_blocks && is_block_aligned(area) && covers_area(p) ? 2 : 0; /* two misses: visible */
    for (int32_t y = area->y0 & ~(BLOCK_PX - 1); y < area->y1; y += BLOCK_PX) {
        if (tries && tries-- && drop_rows(fep, p, y))
            return true;
        for (int32_t x = area->x0 & ~(BLOCK_PX - 1); x < area->x1; x += BLOCK_PX)
            if (!draw_block(fep, p, x, y))
                return false;
    }
    return true;
}

/* Goes on to the next setup, which is the oldest one. A quad may still wait for it: where early Z drops all that
 * follows, the last quads never become a whole batch. They then run as a part of one. The first queued quad has the
 * oldest setup that is in use, and it is the same wherever early Z is tested. */
static bool take_setup(struct gpu_fep *fep)
{
    const struct gpu_fep_waiting *w = &fep->waiting;
    fep->setup_next = (fep->setup_next + 1) % GPU_FEP_SETUPS;
    return !w->count || w->setup[0] != &fep->setup[fep->setup_next] || GPU_HOST_NAME(gpu_fep_run_waiting)(fep, true);
}

static bool draw(struct gpu_fep *fep, const struct gpu_rect *window)
{
    struct gpu_setup *s = &fep->setup[fep->setup_next];
    struct primitive p;
    p.area = gpu_fep_area(fep, s, window);
    fep->counts[GPU_COUNT_PRIMS]++;
    fep->counts[GPU_COUNT_PRIMS_WITHOUT_PIXELS]++; /* decremented when a quad passes early Z */
    if (gpu_rect_is_empty(&p.area))
        return true;
    s->is_covered = s->has_pixels = false;
    GPU_HOST_NAME(gpu_fep_check_solid)(fep, s, &p.area);
    setup_primitive(&p, fep, s);
    p.drops_blocks = fep->drops_blocks && has_finite_depth(s);
    if (should_fill(fep, &p)) {
        if (fep->waiting.count && !GPU_HOST_NAME(gpu_fep_run_waiting)(fep, true))
            return false;
        fill(fep, &p);
        return true;
    }
    apply_color_clear(fep);
    if (!draw_blocks(fep, &p))
        return false;
    return !s->is_covered || take_setup(fep);
}

static bool flush(struct gpu_fep *fep)
{
    return GPU_HOST_NAME(gpu_fep_run_waiting)(fep, true);
}

const struct gpu_fep_code GPU_HOST_NAME(gpu_fep_code) = {
    .host = GPU_HOST,
    .draw = draw,
    .flush = flush,
    .serve = GPU_HOST_NAME(gpu_fep_set_callbacks),
    .z_test = GPU_HOST_NAME(gpu_tlb_z_test),
};
