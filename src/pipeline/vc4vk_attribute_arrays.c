/* SPDX-License-Identifier: MIT
 *
 * Builds the attribute arrays of a vertex variant, and merges arrays when the chip has too few.
 */
#include "pipeline/vc4vk_attribute_arrays.h"

static uint16_t memory_B(const struct vc4vk_pipeline_state *state, uint8_t location)
{
    if (location >= VC4C_MAX_LOCATIONS)
        return 0; /* a generated array */
    return state->input.attributes[location % VC4C_MAX_ATTRIBUTES].size_B;
}

static struct vc4vk_attribute_array *find_array(struct vc4vk_attribute_arrays *arrays, uint8_t location)
{
    for (uint32_t i = 0; i < arrays->count; i++)
        if (arrays->arrays[i].location == location)
            return &arrays->arrays[i];
    return NULL;
}

/* Whether `next` can be merged into `array`: both have the same binding, and the distance between them in memory is the
 * same as in the VPM of each program. */
static bool can_merge(const struct vc4vk_pipeline_state *state, const struct vc4vk_attribute_array *array,
                      const struct vc4vk_attribute_array *next)
{
    if (array->location >= VC4C_MAX_ATTRIBUTES || next->location >= VC4C_MAX_ATTRIBUTES ||
        array->in_vs != next->in_vs || array->in_cs != next->in_cs)
        return false;
    const struct vc4vk_vertex_attribute *a = &state->input.attributes[array->location],
                                        *b = &state->input.attributes[next->location];
    const uint32_t distance_B = b->offset_B - a->offset_B;
    return a->binding == b->binding && b->offset_B > a->offset_B &&
           (!next->in_vs || distance_B == (uint32_t)next->vs_vpm_B - array->vs_vpm_B) &&
           (!next->in_cs || distance_B == (uint32_t)next->cs_vpm_B - array->cs_vpm_B);
}

static void merge_arrays(const struct vc4vk_pipeline_state *state, struct vc4vk_attribute_arrays *arrays)
{
    uint32_t n = 0;
    for (uint32_t i = 1; i < arrays->count; i++) {
        struct vc4vk_attribute_array *array = &arrays->arrays[n];
        const struct vc4vk_attribute_array next = arrays->arrays[i];
        if (can_merge(state, array, &next)) {
            const uint32_t distance_B =
                state->input.attributes[next.location].offset_B - state->input.attributes[array->location].offset_B;
            array->size_B = (uint8_t)(distance_B + next.size_B);
            array->memory_B = (uint16_t)MAX2(array->memory_B, distance_B + next.memory_B);
        } else {
            arrays->arrays[++n] = next;
        }
    }
    arrays->count = n + 1;
}

/* Arrays ascend in the VPM of both programs. Where an array loads more bytes than one of the programs wants, the next
 * array must overwrite the excess; the chip copies arrays in ascending order [hardware notes 6.6]. Vertex programs read
 * a superset of what coordinate programs read, in the same order of locations, so the vertex program's order fits both.
 */
void vc4vk_attribute_arrays_init(struct vc4vk_attribute_arrays *out, const struct vc4vk_pipeline_state *state,
                                 const struct vc4c_program *cs, const struct vc4c_program *vs)
{
    out->count = 0;
    for (uint32_t i = 0; i < vs->attribute_count; i++) {
        const struct vc4c_attribute *a = &vs->attributes[i];
        out->arrays[out->count++] = (struct vc4vk_attribute_array){.location = a->location,
                                                                   .size_B = a->size_B,
                                                                   .memory_B = memory_B(state, a->location),
                                                                   .vs_vpm_B = a->vpm_B,
                                                                   .in_vs = true,
                                                                   .vs_spilled = a->is_spilled};
    }
    for (uint32_t i = 0; i < cs->attribute_count; i++) {
        const struct vc4c_attribute *a = &cs->attributes[i];
        struct vc4vk_attribute_array *array = find_array(out, a->location);
        if (!array) { /* the ramp, the only array of a coordinate program that reads no attributes */
            array = &out->arrays[out->count++];
            *array = (struct vc4vk_attribute_array){.location = a->location,
                                                    .memory_B = memory_B(state, a->location)};
        }
        array->size_B = MAX2(array->size_B, a->size_B);
        array->cs_vpm_B = a->vpm_B;
        array->in_cs = true;
        array->cs_spilled = a->is_spilled;
    }
    out->is_packed = vs->spill_stride_B || cs->spill_stride_B || vs->needs_triangle;
    if (out->is_packed || out->count <= VC4VK_ATTRIBUTE_ARRAYS_MAX)
        return;
    if (!state->exact_attributes)
        merge_arrays(state, out);
    out->is_packed = out->count > VC4VK_ATTRIBUTE_ARRAYS_MAX;
}
