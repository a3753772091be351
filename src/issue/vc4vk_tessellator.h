/* SPDX-License-Identifier: MIT
 *
 * The fixed-function tessellator: divides the domain of a patch into vertices and primitives by its levels
 * [Vulkan, "Tessellation"]. Knows nothing of patches, programs or memory.
 *
 * Coordinates are multiples of 2^-24, so 1 - x is exact for each component x. The vertices of an outer edge depend on
 * the edge's level and the spacing only, and lie symmetrically about its middle: patches that share an edge have the
 * same vertices there, from whichever side.
 */
#ifndef ISSUE_VC4VK_TESSELLATOR_H
#define ISSUE_VC4VK_TESSELLATOR_H

#include "pipeline/vc4vk_pipeline.h" /* vc4c.h */

#define VC4VK_MAX_TESS_LEVEL    64u
#define VC4VK_MAX_TESS_VERTICES 4225u        /* a grid of 65 x 65 */
#define VC4VK_MAX_TESS_INDICES  (3u * 8192u) /* two triangles for each of its cells */

struct vc4vk_tess_modes {
    uint8_t domain, spacing; /* enum vc4c_domain, enum vc4c_spacing */
    uint8_t point_mode;
    uint8_t is_positive; /* triangles go from u to v (their area in the plane of u and v is positive) */
};

struct vc4vk_tess_levels {
    float outer[4], inner[2];
};

struct vc4vk_tess_output {
    uint32_t vertex_count, index_count;
    uint32_t per_primitive; /* indices of a point, a line, a triangle: 1, 2, 3 */
    float coords[VC4VK_MAX_TESS_VERTICES][3];
    uint16_t indices[VC4VK_MAX_TESS_INDICES];
};

/* A patch that is discarded has no vertices. */
void vc4vk_tessellate(const struct vc4vk_tess_modes *modes, const struct vc4vk_tess_levels *levels,
                      struct vc4vk_tess_output *out);

#endif
