/* SPDX-License-Identifier: MIT
 *
 * Front-end pipe (FEP): finds the covered pixels of one tile, interpolates Z and W, does the early-Z test, and collects
 * quads of 2 x 2 pixels into batches of four for the fragment program. A batch may hold quads of several primitives,
 * but never two at the same position, so that primitives stay in order at every pixel.
 */
#ifndef GPU_RASTER_H
#define GPU_RASTER_H

#include "model/gpu/gpu_setup.h"
#include "model/gpu/gpu_solid.h"
#include "model/gpu/gpu_simd.h"
#include "model/gpu/gpu_tlb.h"

/* MS flags of a pixel whose centre is covered, without multisampling. Whether they are 15 or 1 is not documented
 * (unverified); programs use them as a mask. In 4x frames 15 means all samples. */
#define GPU_MS_FLAGS_COVERED 15u

struct gpu_fep;

/* Queue of covered quads. They are processed later than they are added, because a vector load right after stores of
 * single words would stall. */
#define GPU_FEP_WAITING 32
#define GPU_FEP_PADDING 16 /* a vector store may write past the end */
struct gpu_fep_waiting {
    _Alignas(64) uint32_t samples[4 * (GPU_FEP_WAITING + GPU_FEP_PADDING)]; /* if multisampled: flags per pixel */
    uint32_t z[4 * (GPU_FEP_WAITING + GPU_FEP_PADDING)];                    /* per pixel, of tested quads */
    int32_t x_px[GPU_FEP_WAITING + GPU_FEP_PADDING], y_px[GPU_FEP_WAITING + GPU_FEP_PADDING];
    int32_t quad[GPU_FEP_WAITING + GPU_FEP_PADDING]; /* gpu_tlb_quad(), gpu_tlb_ms_quad() */
    struct gpu_setup *setup[GPU_FEP_WAITING + GPU_FEP_PADDING];
    uint32_t pixels[GPU_FEP_WAITING + GPU_FEP_PADDING]; /* 4 bits: covered pixels */
    unsigned count, tested;                          /* queued; the first `tested` have passed early Z */
    unsigned dropped; /* quads that early Z dropped before they were queued, since the last run */
};

/* Every queued quad may belong to a different primitive, and one more is being set up. The queue is run when less than
 * a block of 16 quads is free. */
#define GPU_FEP_SETUPS (GPU_FEP_WAITING - 16 + 1)

/* The hot code (gpu_raster*.c, gpu_tlb_test.c), compiled for one vector extension. All versions give the same results,
 * bit for bit. */
struct gpu_fep_code {
    const char *host;
    bool (*draw)(struct gpu_fep *fep, const struct gpu_rect *window);
    bool (*flush)(struct gpu_fep *fep);
    void (*serve)(struct gpu_fragment_io *io); /* sets the tile buffer's callbacks */
    void (*z_test)(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                   const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES]);
};

extern const struct gpu_fep_code gpu_fep_code_base, gpu_fep_code_avx2, gpu_fep_code_avx512;
/* The code for a vector extension for which gpu_simd_for() is not NULL. */
const struct gpu_fep_code *gpu_fep_code_for(enum gpu_simd_host host);

struct gpu_fep {
    const struct gpu_fep_code *code;
    struct gpu_qpu_core *core;
    struct gpu_tlb *tlb;
    struct gpu_user_io *user; /* on the CPU engine; not owned. NULL: the chip */
    struct util_work_limit *limit;

    /* the tile */
    struct gpu_rect tile;
    bool early_z_disabled; /* set by the frame's configuration */

    /* state of the queued primitives; changes only while the queue is empty */
    const struct gpu_qpu_program *program;
    uint32_t uniforms_addr;
    unsigned varying_count;
    bool early_z;
    bool multisampled; /* coverage is computed per sample */
    struct gpu_solid_program solid;     /* of the program; if not solid, the program runs for every pixel */
    struct gpu_solid_color solid_color; /* the last one found for this program and uniforms */
    bool fills; /* solid primitives only write colour, so they are filled directly instead of being queued */
    bool drops_blocks; /* early Z may drop whole blocks of quads */

    struct gpu_fragment_io io;
    struct gpu_tlb_lanes at; /* quads of the running batch */
    /* samples that colour stores write: the coverage, and after the Z test what passed it */
    _Alignas(64) uint32_t color_samples[QPU_LANES];
    unsigned samples_loaded, samples_stored; /* single-sample accesses of the running program */

    struct gpu_fep_waiting waiting;
    struct gpu_setup setup[GPU_FEP_SETUPS]; /* used in turn */
    unsigned setup_next;

    uint64_t counts[GPU_COUNTS]; /* of this job */
    bool counts_fragments;       /* the shader record asks for it; only on the CPU engine */
    uint64_t fragments;
    struct gpu_times *times;     /* NULL: not measured */

    enum gpu_status status;
    const char *message;
};

/* Pixels that the primitive may cover. */
static inline struct gpu_rect gpu_fep_area(const struct gpu_fep *fep, const struct gpu_setup *setup,
                                           const struct gpu_rect *window)
{
    const struct gpu_rect *all = fep->multisampled ? &setup->shape.outline : &setup->shape.bounds;
    const struct gpu_rect of_tile = gpu_rect_intersect(all, &fep->tile);
    return gpu_rect_intersect(&of_tile, window);
}

void gpu_fep_init(struct gpu_fep *fep, struct gpu_qpu_core *core, struct gpu_tlb *tlb);

/* Where to set up the next primitive. The pointer stays the same until that primitive has been drawn. */
struct gpu_setup *gpu_fep_setup(struct gpu_fep *fep);

/* Whether the primitive may cover pixels of the tile inside `window`. If not, its planes need not be set up before
 * drawing it. */
bool gpu_fep_reaches_pixels(const struct gpu_fep *fep, const struct gpu_rect *window);

/* Draws the primitive that was set up, clipped to `window`. On failure, false and fep->status. */
bool gpu_fep_draw(struct gpu_fep *fep, const struct gpu_rect *window);

/* Runs all queued quads. On failure, false and fep->status. */
bool gpu_fep_flush(struct gpu_fep *fep);

#endif
