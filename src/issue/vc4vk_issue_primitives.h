/* SPDX-License-Identifier: MIT
 *
 * The primitives of a draw, one after the other, with all their vertices, adjacent ones included: what geometry and
 * tessellation control shaders get. Nothing is stored, so a draw of any length needs no memory.
 */
#ifndef ISSUE_VC4VK_ISSUE_PRIMITIVES_H
#define ISSUE_VC4VK_ISSUE_PRIMITIVES_H

#include "issue/vc4vk_issue_private.h"

struct vc4vk_primitives {
    VkPrimitiveTopology topology;
    uint32_t vertices;                  /* of a primitive */
    struct vc4vk_issue_indices indices; /* index_B 0: the draw is not indexed */
    bool restart;
    bool last_provokes;              /* the order of vertices is that for which a primitive's last vertex provokes */
    uint32_t first;                  /* vertex; or what is added to indices */
    uint32_t count;                  /* vertices or indices */
    uint32_t strip_begin, strip_end; /* the list, strip or fan that the next primitive is in: positions in the draw */
    uint32_t next, strip_primitives; /* the next primitive's number there, of how many */
};

/* The vertices that a primitive may have. */
#define VC4VK_MAX_PRIMITIVE_VERTICES VC4C_MAX_PATCH_VERTICES

/* The number of a primitive's vertices. Not for patches. */
uint32_t vc4vk_primitive_vertices(VkPrimitiveTopology topology);
/* Begins before the first primitive. `patch_vertices`: of a patch, if the topology is a list of them. */
void vc4vk_primitives_begin(struct vc4vk_primitives *p, const struct vc4vk_draw *draw, VkPrimitiveTopology topology,
                            uint32_t patch_vertices, bool restart);
/* The positions, among a primitive's vertices, of those that are drawn. Returns their number. */
uint32_t vc4vk_primitive_corners(VkPrimitiveTopology topology, uint32_t out[3]);
/* Goes back to the first primitive. */
void vc4vk_primitives_rewind(struct vc4vk_primitives *p);
/* The vertex indices of the next primitive, with the vertex offset. False: there is none any more. */
bool vc4vk_primitives_next(struct vc4vk_primitives *p, uint32_t vertices_out[VC4VK_MAX_PRIMITIVE_VERTICES]);
/* Passes over up to `count` primitives, and returns how many. */
uint64_t vc4vk_primitives_skip(struct vc4vk_primitives *p, uint64_t count);

#endif
