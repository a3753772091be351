/* SPDX-License-Identifier: MIT
 *
 * Vertex programs that read the whole triangle (or line), see lower_polygon.c and lower_lines.c.
 */
#ifndef LOWER_POLYGON_H
#define LOWER_POLYGON_H

#include "compiler/lower/lower.h"

/* Whether the key's trailing_mask has the location. It has none that only records have. */
static inline bool ir_is_trailing(const struct vc4c_vertex_key *key, uint32_t location)
{
    return location < VC4C_MAX_APPLICATION_ATTRIBUTES && (key->trailing_mask >> location & 1);
}

/* The shader's outputs for another vertex of the triangle. NULL: not written. */
struct ir_other_vertex {
    struct ir_instr *position[4];
    struct ir_instr *values[IR_MAX_LOCATIONS][4];
};

/* Adds copies of the shader for the next and the previous vertex of the triangle; `others` receives their outputs. */
void ir_add_other_vertices(struct ir_shader *shader, const struct vc4c_vertex_key *key,
                           struct ir_other_vertex others[2]);

struct ir_polygon {
    struct ir_instr *is_culled; /* bool; NULL: never */
    struct ir_instr *bias;      /* added to the depth in the window; NULL: nothing */
};

/* Computes facing and the outputs that are flat, into `values`; depth bias and culling into `out`. */
void ir_lower_polygon(struct ir_builder *b, const struct vc4c_vertex_key *key, const struct ir_other_vertex others[2],
                      struct ir_instr *const position[4], struct ir_instr *values[IR_MAX_LOCATIONS][4],
                      struct ir_polygon *out);

/* Moves the vertex to its corner of the line's rectangle: changes its position, and outputs where the line is clipped.
 * Returns a bool: nothing of the line is left. */
struct ir_instr *ir_lower_line(struct ir_builder *b, const struct vc4c_vertex_key *key,
                               const struct ir_other_vertex others[2], struct ir_instr *position[4],
                               struct ir_instr *values[IR_MAX_LOCATIONS][4]);

#endif
