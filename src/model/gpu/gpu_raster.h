/* SPDX-License-Identifier: MIT
 *
 * Front-end pipe (FEP): covers pixels of one tile, interpolates Z and W, tests early Z, and gathers quads of 2 x 2
 * pixels into batches of four for the fragment program. A batch may hold quads of several primitives, never two at the
 * same place, so that primitives stay in order at every pixel.
 */
#ifndef GPU_RASTER_H
#define GPU_RASTER_H

#include "model/gpu/gpu_setup.h"
#include "model/gpu/gpu_solid.h"
#include "model/gpu/gpu_tlb.h"

/* Covered samples of a pixel whose centre is covered, without multisampling; 15 or 1 is not documented (unverified),
 * programs use it as a mask. In frames of four samples it is all of them. */
#define GPU_MS_FLAGS_COVERED 15u

struct gpu_fep;

/* Covered quads, looked at a while after they came: a load of a vector waits for stores of single words. */
#define GPU_FEP_WAITING 32
#define GPU_FEP_ROOM    16 /* vectors may be written over the end */
struct gpu_fep_waiting {
    _Alignas(64) uint32_t samples[4 * (GPU_FEP_WAITING + GPU_FEP_ROOM)]; /* multisampled: covered ones of each pixel */
    uint32_t z[4 * (GPU_FEP_WAITING + GPU_FEP_ROOM)];                    /* of each pixel, of quads that are tested */
    int32_t x_px[GPU_FEP_WAITING + GPU_FEP_ROOM], y_px[GPU_FEP_WAITING + GPU_FEP_ROOM];
    int32_t quad[GPU_FEP_WAITING + GPU_FEP_ROOM]; /* gpu_tlb_quad, gpu_tlb_ms_quad */
    struct gpu_setup *setup[GPU_FEP_WAITING + GPU_FEP_ROOM];
    uint32_t pixels[GPU_FEP_WAITING + GPU_FEP_ROOM]; /* covered ones, 4 bits */
    unsigned count, tested;                          /* by early Z: the first ones */
    unsigned dropped; /* by early Z, before they came to wait; since the last run */
};

/* Each quad that waits may be of another primitive, and one more is being made: then there is room for a block. */
#define GPU_FEP_SETUPS (GPU_FEP_WAITING - 16 + 1)

/* The hot code, compiled for one kind of host: gpu_raster*.c, gpu_tlb_test.c. All kinds do the same, bit for bit. */
struct gpu_fep_code {
    const char *host;
    bool (*draw)(struct gpu_fep *fep, const struct gpu_rect *window);
    bool (*flush)(struct gpu_fep *fep);
    void (*serve)(struct gpu_fragment_io *io); /* sets the tile buffer's callbacks */
    void (*z_test)(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                   const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES]);
};

struct gpu_fep {
    const struct gpu_fep_code *code;
    struct gpu_qpu_core *core;
    struct gpu_tlb *tlb;
    struct gpu_user_io *user; /* on the CPU engine; not owned. NULL: the chip */
    struct util_work_limit *limit;

    /* the tile */
    struct gpu_rect tile;
    bool early_z_disabled; /* by the frame's configuration */

    /* state of the batch's primitives; changes only while the batch is empty */
    const struct gpu_qpu_program *program;
    uint32_t uniforms_addr;
    unsigned varying_count;
    bool early_z;
    bool multisampled; /* coverage is looked at sample by sample */
    struct gpu_solid_program solid;     /* of the program; not solid: it is run for every pixel */
    struct gpu_solid_color solid_color; /* that was found last, with the same program and uniforms */
    bool fills; /* solid primitives are no more than colour in the tile buffer: they need not wait for batches */
    bool drops_blocks; /* early Z drops whole blocks at once */

    struct gpu_fragment_io io;
    struct gpu_tlb_lanes at; /* the quads of the batch that runs */
    /* where colours go: the coverage, from the Z test on what passes it */
    _Alignas(64) uint32_t color_samples[QPU_LANES];
    unsigned samples_loaded, samples_stored; /* one at a time, by the program that runs */

    struct gpu_fep_waiting waiting;
    struct gpu_setup setup[GPU_FEP_SETUPS]; /* in turn */
    unsigned setup_next;

    uint64_t counts[GPU_COUNTS]; /* of this job */
    struct gpu_times *times;     /* NULL: nobody wants to know */

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

/* Where the next primitive is to be set up. Stays as it is until the primitive has been drawn. */
struct gpu_setup *gpu_fep_setup(struct gpu_fep *fep);

/* Whether the primitive's shape comes near any pixel of the tile inside `window`; where it does not, drawing it needs
 * no planes. */
bool gpu_fep_reaches_pixels(const struct gpu_fep *fep, const struct gpu_rect *window);

/* Draws the primitive that was set up, inside `window`. False with fep->status. */
bool gpu_fep_draw(struct gpu_fep *fep, const struct gpu_rect *window);

/* Runs what is gathered. */
bool gpu_fep_flush(struct gpu_fep *fep);

#endif
