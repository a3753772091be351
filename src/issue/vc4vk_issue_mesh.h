/* SPDX-License-Identifier: MIT
 *
 * The task and mesh stages of an expanded draw (docs/geometry.md#meshes): runs their programs, and walks through the
 * primitives that they have made.
 */
#ifndef ISSUE_VC4VK_ISSUE_MESH_H
#define ISSUE_VC4VK_ISSUE_MESH_H

#include "issue/vc4vk_issue_expand.h"

/* A primitive of the piece, and its place in the walk. All zero: before the first one. */
struct vc4vk_mesh_primitive {
    uint32_t group, number; /* of its workgroup in the piece; in the workgroup, plus 1 */
    uint32_t corner_count;
    uint32_t vertices[3];       /* of the workgroup */
    const uint32_t *records[3]; /* of those vertices */
    const uint32_t *record;     /* its own */
};

bool vc4vk_meshes_begin(struct expansion *e) UTIL_MUST_CHECK; /* false: out of host memory */
void vc4vk_meshes_finish(struct expansion *e);
/* Reserves memory of the programs from at_B on; returns where it ends. Sets e->piece, in workgroups. */
uint32_t vc4vk_meshes_place(struct expansion *e, uint32_t at_B);
/* The vertices of all primitives of a piece at most. */
uint32_t vc4vk_meshes_max_corners(const struct expansion *e);
/* Goes on to the piece with this number. */
void vc4vk_meshes_skip(struct expansion *e, uint64_t piece);
/* Makes the next piece of mesh workgroups and runs all programs for it. False: there is none, or a failure. */
bool vc4vk_meshes_next(struct expansion *e);
/* The number of the piece that vc4vk_meshes_next has made. */
uint64_t vc4vk_meshes_number(const struct expansion *e);

uint32_t vc4vk_meshes_groups(const struct expansion *e);                     /* workgroups of the piece */
uint32_t vc4vk_meshes_vertices(const struct expansion *e, uint32_t group);   /* as many as it has set */
uint32_t vc4vk_meshes_primitives(const struct expansion *e, uint32_t group); /* the same */
const uint32_t *vc4vk_meshes_record(const struct expansion *e, uint32_t group, uint32_t vertex);
/* Whether vertices are drawn once for each primitive that has them, because words belong to primitives. */
bool vc4vk_meshes_are_split(const struct expansion *e);
/* The next primitive that is neither culled nor has vertices that there are not. False: there is none. */
bool vc4vk_meshes_walk(const struct expansion *e, struct vc4vk_mesh_primitive *p);

#endif
