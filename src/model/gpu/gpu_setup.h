/* SPDX-License-Identifier: MIT
 *
 * Primitive setup engine (PSE): from shaded vertices to edges, planes of Z and 1/W, and varying coefficients.
 */
#ifndef GPU_SETUP_H
#define GPU_SETUP_H

#include "model/gpu/gpu_qpu.h"
#include "model/gpu/gpu_shape.h"
#include "model/gpu/gpu_state.h"
#include "model/gpu/gpu_vertex.h"

#define GPU_SETUP_VARYINGS_MAX 148 /* more than fit into the chip's VPM: the CPU engine has more rows */

/* value + dx * (x - reference_x) + dy * (y - reference_y), in pixels */
struct gpu_plane {
    double value, dx, dy;
};

struct gpu_setup {
    struct gpu_shape shape;
    float reference_x_px, reference_y_px; /* the first vertex, where a plane equals `value` and a varying `c` */
    struct gpu_plane z;                   /* 24-bit depth, offset included */
    struct gpu_plane rw;                  /* 1/W; the rasteriser reads 8 bytes past the end of each plane */
    uint32_t rev_flag;                    /* back facing */
    bool is_covered, has_pixels;          /* set by the rasteriser: covers a quad; a quad passed early Z */
    bool is_solid;                        /* set by the rasteriser: the program gives all of it `color` */
    uint32_t color;
    unsigned varying_count;               /* extra ones (points 2, lines 1) come first */
    struct gpu_varying varying[GPU_SETUP_VARYINGS_MAX];
};

/* A corner: output of the vertex program, or created by the clipper. */
struct gpu_corner {
    struct gpu_point_12p4 screen; /* in the window */
    float zs, rw;
};

struct gpu_setup_in {
    enum cl_list_type type;
    const struct gpu_state *state;
    const struct gpu_shader *shader;
    /* Output words of the primitive's vertices. Varyings come from them; those of clipped corners are weighted sums. */
    const uint32_t *vertex[3];
    struct gpu_corner corner[3];
    unsigned flat_from;  /* varyings from this one on are flat; only those without a flag, from 32 on. 0: none */
    unsigned clip_flags; /* bit i: corner i has weight[i] */
    float weight[3][3];
};

/* Number of varyings that the fragment program reads for this kind of primitive, with point and line coordinates. */
unsigned gpu_setup_varyings(enum cl_list_type type, const struct gpu_shader *shader);

/* The two steps of gpu_setup_primitive(): first the shape, false if it has no area; then planes and varyings. A
 * primitive that reaches no pixel does not need the second step. */
bool gpu_setup_shape(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;
bool gpu_setup_planes(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;

/* Does both steps. False if nothing is covered. */
bool gpu_setup_primitive(struct gpu_setup *setup, const struct gpu_setup_in *in) UTIL_MUST_CHECK;

#endif
