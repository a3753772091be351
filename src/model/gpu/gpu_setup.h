/* SPDX-License-Identifier: MIT
 *
 * Primitive setup engine (PSE): from vertex-shaded corners to edges, planes of Z and 1/W, and varying coefficients.
 */
#ifndef GPU_SETUP_H
#define GPU_SETUP_H

#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_shape.h"
#include "model/gpu/gpu_state.h"
#include "model/gpu/gpu_vertex.h"

#define GPU_SETUP_VARYINGS_MAX 140 /* more than VPM rows leave beside the fixed words: the CPU engine has more rows */

/* value + dx * (x - reference) + dy * (y - reference), in pixels */
struct gpu_plane {
    double value, dx, dy;
};

struct gpu_setup {
    struct gpu_shape shape;
    float reference_x_px, reference_y_px; /* the first corner: where planes and varyings have their value */
    struct gpu_plane z;                   /* 24-bit depth, offset included */
    struct gpu_plane rw;                  /* 1/W; the rasteriser loads 8 bytes more than each plane has */
    uint32_t rev_flag;                    /* back facing */
    bool is_covered, has_pixels;          /* the rasteriser's: any quad; any that early Z let pass */
    bool is_solid;                        /* likewise: the program gives all of it this colour */
    uint32_t color;
    unsigned varying_count;               /* extra ones (points 2, lines 1) come first */
    struct gpu_varying varying[GPU_SETUP_VARYINGS_MAX];
};

/* A corner as the vertex program left it, or as the clipper made it. */
struct gpu_corner {
    struct gpu_point_12p4 screen; /* in the window */
    float zs, rw;
};

struct gpu_setup_in {
    enum cl_list_type type;
    const struct gpu_state *state;
    const struct gpu_shader *shader;
    /* Output words of the primitive's vertices; varyings come from them, also those of clipped corners, which have
     * weights instead. */
    const uint32_t *vertex[3];
    struct gpu_corner corner[3];
    unsigned flat_from;  /* varyings from there on are flat whatever their flags say; 0: none */
    unsigned clip_flags; /* bit i: corner i has weight[i] */
    float weight[3][3];
};

/* Number of varyings that the fragment program reads for this kind of primitive, extra ones included. */
unsigned gpu_setup_varyings(enum cl_list_type type, const struct gpu_shader *shader);

/* Both halves: the shape, false when it has no area; then planes and varyings, which a primitive that reaches no pixel
 * does not need. */
bool gpu_setup_shape(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;
bool gpu_setup_planes(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;

/* False when nothing is covered. */
bool gpu_setup_primitive(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;

#endif
