/* SPDX-License-Identifier: MIT
 *
 * Solid programs: fragment programs that give all pixels of a primitive one colour. They need not run for every pixel;
 * the rasteriser fills instead. That a program is solid is proved from its code, its colour is found by running it
 * once.
 */
#ifndef GPU_SOLID_H
#define GPU_SOLID_H

#include "model/gpu/gpu_qpu.h"

#define GPU_SOLID_VARYINGS_MAX 16

/* What a solid program does to the tile buffer: the depth test with the pixel's own depth, then a store of one colour
 * to all samples. Each happens at most once and in all lanes; the program does nothing else. */
struct gpu_solid_program {
    bool is_solid; /* if the primitive's varyings are flat */
    bool tests_z, stores_color;
};

struct gpu_solid_program gpu_solid_find(const struct gpu_qpu_program *program);

/* The colour for given varyings. */
struct gpu_solid_color {
    bool is_known, is_solid;
    uint32_t color;
    uint32_t requested_px; /* pixels of the primitives that needed the colour while it was not known */
    unsigned varying_count;
    struct gpu_varying varying[GPU_SOLID_VARYINGS_MAX];
};

/* Whether the varyings are flat: the same at all pixels. */
bool gpu_solid_is_flat(const struct gpu_varying *varying, unsigned count);

/* Makes `color` describe these varyings, which must be flat. If they differ from the previous ones, the colour becomes
 * unknown. */
void gpu_solid_set_varyings(struct gpu_solid_color *color, const struct gpu_varying *varying, unsigned count);

/* Finds the colour by running a solid program once. If the program fails, color->is_solid is false. */
void gpu_solid_run(struct gpu_qpu_core *core, const struct gpu_qpu_program *program, uint32_t uniforms_addr,
                   struct util_work_limit *limit, struct gpu_solid_color *color);

#endif
