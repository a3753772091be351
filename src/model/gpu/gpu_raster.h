/* SPDX-License-Identifier: MIT
 *
 * Front-end pipe (FEP): covers pixels of one tile, interpolates Z and W, tests early Z, and gathers quads of 2 x 2
 * pixels into batches of four for the fragment program. A batch may hold quads of several primitives, never two at the
 * same place, so that primitives stay in order at every pixel.
 */
#ifndef GPU_RASTER_H
#define GPU_RASTER_H

#include "model/gpu/gpu_setup.h"
#include "model/gpu/gpu_tlb.h"

/* Covered samples of a pixel whose centre is covered, without multisampling; 15 or 1 is not documented (unverified),
 * programs use it as a mask. In frames of four samples it is all of them. */
#define GPU_MS_FLAGS_COVERED 15u

struct gpu_fep {
    struct gpu_qpu_core *core;
    struct gpu_tlb *tlb;
    struct gpu_user_io *user; /* on the CPU engine; not owned. NULL: the chip */
    uint64_t deadline_ns;

    /* the tile */
    struct gpu_rect tile;
    bool early_z_disabled; /* by the frame's configuration */

    /* state of the batch's primitives; changes only while the batch is empty */
    const struct gpu_qpu_program *program;
    uint32_t uniforms_addr;
    unsigned varying_count;
    bool early_z;
    bool multisampled; /* coverage is looked at sample by sample */

    struct gpu_fragment_io io;
    struct gpu_tlb_lanes at;
    uint32_t color_samples[QPU_LANES]; /* where colours go: the coverage, from the Z test on what passes it */
    unsigned quad_count;
    unsigned samples_loaded, samples_stored; /* one at a time, by the program that runs */
    /* One per quad of a batch and one being made; a slot is free again when the batch that used it has run. */
    struct gpu_setup setup[GPU_QUADS + 1];
    unsigned setup_next;

    uint64_t counts[GPU_COUNTS]; /* of this job */

    enum gpu_status status;
    const char *message;
};

void gpu_fep_init(struct gpu_fep *fep, struct gpu_qpu_core *core, struct gpu_tlb *tlb);

/* Where the next primitive is to be set up. Stays as it is until the primitive has been drawn. */
struct gpu_setup *gpu_fep_setup(struct gpu_fep *fep);

/* Draws the primitive that was set up, inside `window`. False with fep->status. */
bool gpu_fep_draw(struct gpu_fep *fep, const struct gpu_rect *window);

/* Runs what is gathered. */
bool gpu_fep_flush(struct gpu_fep *fep);

#endif
