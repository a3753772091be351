/* SPDX-License-Identifier: MIT
 *
 * The attribute arrays of shader records: computed once for each variant of a vertex stage. The vertex buffers that
 * feed them are bound later.
 */
#ifndef PIPELINE_VC4VK_ATTRIBUTE_ARRAYS_H
#define PIPELINE_VC4VK_ATTRIBUTE_ARRAYS_H

#include "pipeline/vc4vk_pipeline_state.h"

/* An attribute array of a shader record: its source, and its offset in the VPM of each program. */
struct vc4vk_attribute_array {
    uint8_t location; /* or a generated array: VC4C_ATTRIBUTE_VERTEX_RAMP, VC4C_ATTRIBUTE_ARRAY_INDEX ... */
    uint8_t size_B;   /* bytes loaded: the larger of what the two programs read */
    uint16_t memory_B; /* bytes that the attributes occupy in a vertex buffer, from the array's first byte on */
    uint16_t vs_vpm_B, cs_vpm_B;
    bool in_vs, in_cs;
    bool vs_spilled, cs_spilled; /* the program reads the attribute from memory; *_vpm_B is the offset there */
};

#define VC4VK_ATTRIBUTE_ARRAYS_MAX 8 /* limit of the chip [guide p.76 table 45] */

/* All arrays of a vertex variant. Locations with the same relative position in memory and in the VPM share an array
 * when there would be too many. */
struct vc4vk_attribute_arrays {
    struct vc4vk_attribute_array arrays[VC4C_MAX_ARRAYS];
    uint32_t count;
    bool is_packed; /* the chip cannot load the arrays directly: vertices are packed when the job is issued */
};

/* Computes the union of the arrays that the coordinate and the vertex program load, in VPM order. */
void vc4vk_attribute_arrays_init(struct vc4vk_attribute_arrays *out, const struct vc4vk_pipeline_state *state,
                                 const struct vc4c_program *cs, const struct vc4c_program *vs);

#endif
