/* SPDX-License-Identifier: MIT
 *
 * Vertex programs that see the whole triangle.
 */
#ifndef LOWER_POLYGON_H
#define LOWER_POLYGON_H

#include "compiler/lower/lower.h"

/* What the shader makes of another corner of the triangle. NULL: it does not write it. */
struct ir_corner {
    struct ir_instr *position[4];
    struct ir_instr *values[IR_MAX_LOCATIONS][4];
};

/* Lets the shader run for the next and for the previous corner as well. */
void ir_add_corners(struct ir_shader *shader, const struct vc4c_vertex_key *key, struct ir_corner corners[2]);

struct ir_polygon {
    struct ir_instr *is_culled; /* bool; NULL: never */
    struct ir_instr *bias;      /* added to the depth in the window; NULL: nothing */
};

/* Facing and what is flat into `values`. */
void ir_lower_polygon(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct ir_corner corners[2],
                      struct ir_instr *const position[4], struct ir_instr *values[IR_MAX_LOCATIONS][4],
                      struct ir_polygon *out);

#endif
