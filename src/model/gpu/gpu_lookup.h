/* SPDX-License-Identifier: MIT
 *
 * Lookups that the CPU engine performs for programs that know a view and a sampler by address only (hw/descriptor.h):
 * arguments, and texels, wraps and filters. They follow the code of the compiler's lower_tex files, which other lookups
 * become.
 */
#ifndef GPU_LOOKUP_H
#define GPU_LOOKUP_H

#include "hw/descriptor.h"
#include "model/gpu/gpu_qpu_state.h"

/* A lookup of one lane. */
struct gpu_lookup {
    struct gpu_qpu_core *core; /* its memory */
    struct hw_view_descriptor view;
    const uint8_t *texels; /* the view's memory; NULL unless all of it is mapped */
    struct hw_sampler_descriptor sampler;
    uint32_t what;    /* HW_LOOKUP_* */
    float coord[3];   /* of a cube: the direction, divided by its longest component */
    int32_t texel[3]; /* fetches: coordinates */
    int32_t offset[3];
    uint32_t layer;
    float reference;
    uint32_t sample;
};

/* The job's memory; NULL unless all of it is mapped. */
uint8_t *gpu_lookup_memory(const struct gpu_qpu_core *core, uint32_t addr, uint32_t size_B);

/* Read a descriptor, and find the view's memory. False: the view is null, or the descriptor is none that the driver
 * makes. */
bool gpu_lookup_read_view(struct gpu_lookup *l, uint32_t addr);
void gpu_lookup_read_sampler(struct gpu_lookup *l, uint32_t addr);

/* The side of a level along an axis: 0 x, 1 y, 2 z of 3D views. At least 1. */
uint32_t gpu_lookup_size(const struct gpu_lookup *l, uint32_t axis, uint32_t level);
/* Axes along which the lookup has coordinates; 2 of cubes. */
uint32_t gpu_lookup_axes(const struct gpu_lookup *l);
/* Layers, or cubes, of the view. */
uint32_t gpu_lookup_layers(const struct gpu_lookup *l);
bool gpu_lookup_is_integer(const struct gpu_lookup *l);

/* Whether filters yield the least or the greatest texel instead of a mean. */
static inline bool gpu_lookup_reduces(const struct gpu_lookup *l)
{
    return l->sampler.filters & (HW_FILTER_LEAST | HW_FILTER_GREATEST);
}
/* The lesser or the greater of both, channel by channel. */
void gpu_lookup_reduce(const struct gpu_lookup *l, const union hw_texel *texel, union hw_texel *out);
/* The texel at l->texel of a level. Zero outside, in the components that the format has. */
void gpu_lookup_fetch(const struct gpu_lookup *l, uint32_t level, union hw_texel *out);
/* What the nearest or linear filter makes of a level; with comparison the share of texels that pass. */
void gpu_lookup_filter(const struct gpu_lookup *l, uint32_t level, bool is_linear, union hw_texel *out);
/* One component of the four texels that a linear filter of the base level reads. */
void gpu_lookup_gather(const struct gpu_lookup *l, uint32_t component, union hw_texel *out);

/* Performs the lookups of all lanes; args[]: the address of each lane's first argument, 0: none. */
void gpu_lookup_lanes(struct gpu_qpu_core *core, const uint32_t args[QPU_LANES]);

#endif
