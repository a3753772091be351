/* SPDX-License-Identifier: MIT
 *
 * Solid programs: fragment programs that give all pixels of a primitive one colour. They need not be run pixel by pixel;
 * the rasteriser fills instead. What is solid is proved from the code, and which colour it is found by running it.
 */
#ifndef GPU_SOLID_H
#define GPU_SOLID_H

#include "model/gpu/gpu_qpu.h"

#define GPU_SOLID_VARYINGS_MAX 16

/* What a program does to the tile buffer, where that is all: the depth test with the pixel's own depth, then one colour
 * in all samples, either at most once, in all lanes. */
struct gpu_solid_program {
    bool is_solid; /* for primitives whose varyings are flat */
    bool tests_z, stores_color;
};

struct gpu_solid_program gpu_solid_find(const struct gpu_qpu_program *program);

/* The colour for some varyings. */
struct gpu_solid_color {
    bool is_known, is_solid;
    uint32_t color;
    uint32_t asked_px; /* pixels of primitives that wanted to know */
    unsigned varying_count;
    struct gpu_varying varying[GPU_SOLID_VARYINGS_MAX];
};

/* Whether the varyings are the same at all pixels. */
bool gpu_solid_is_flat(const struct gpu_varying *varying, unsigned count);

/* From now on it is that of these varyings, which are flat: forgotten unless it was. */
void gpu_solid_set_varyings(struct gpu_solid_color *color, const struct gpu_varying *varying, unsigned count);

/* Finds it, by a run of a solid program. There is none where the program fails. */
void gpu_solid_run(struct gpu_qpu_core *core, const struct gpu_qpu_program *program, uint32_t uniforms_addr,
                   struct util_work_limit *limit, struct gpu_solid_color *color);

#endif
