/* SPDX-License-Identifier: MIT
 *
 * The attribute arrays of shader records: found once for each variant of a vertex stage. What feeds them is bound
 * later.
 */
#ifndef PIPELINE_VC4VK_ATTRIBUTE_ARRAYS_H
#define PIPELINE_VC4VK_ATTRIBUTE_ARRAYS_H

#include "pipeline/vc4vk_pipeline_state.h"

/* An attribute array of a shader record: which memory feeds it, and where each program finds it. */
struct vc4vk_attribute_array {
    uint8_t location; /* or VC4C_ATTRIBUTE_VERTEX_RAMP, _VERTEX_PLACE ...: numbers */
    uint8_t size_B;   /* bytes loaded: what the greedier program asks for */
    uint16_t vs_vpm_B, cs_vpm_B;
    bool in_vs, in_cs;
    bool vs_spilled, cs_spilled; /* the program reads memory; its offset there stands for that in the VPM */
};

#define VC4VK_ATTRIBUTE_ARRAYS_MAX 8 /* of the chip [guide p.76 table 45] */

/* What a vertex variant is fed with. Locations that lie in memory as in the VPM share an array. */
struct vc4vk_attribute_arrays {
    struct vc4vk_attribute_array arrays[VC4C_MAX_ARRAYS];
    uint32_t count;
    bool is_packed; /* more than the chip has: vertices are packed when the job is issued */
};

/* The union of what the coordinate and the vertex program load, in VPM order. */
void vc4vk_attribute_arrays_init(struct vc4vk_attribute_arrays *out, const struct vc4vk_pipeline_state *state,
                                 const struct vc4c_program *cs, const struct vc4c_program *vs);

#endif
