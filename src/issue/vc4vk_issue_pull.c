/* SPDX-License-Identifier: MIT
 *
 * Copies vertices into fresh memory where the bound arrays cannot be drawn directly:
 *
 *   - indices more than 65535 apart, and longer fans: vertices are copied in the order of their use and drawn as arrays
 *   - records with more arrays than the chip has: all attributes of a program are packed as in its VPM, into one array
 *     per vertex and one per instance
 *   - many small instances: the vertices of all instances, each with its per-instance attributes
 *     (vc4vk_issue_merge.c)
 */
#include <string.h>
#include "issue/vc4vk_issue_private.h"
#include "util/log.h"

/* The vertices `ids[0][i] + offset`, or `i + offset` without ids; or instances likewise. If programs need the whole
 * triangle, ids[1] and ids[2] are its next and previous vertex, and ids[3] is the vertex's number in the triangle. */
struct elements {
    const uint32_t *ids[4];
    int64_t offset;
    uint32_t count;
};

/* Copies elements of one array, `step_B` apart. Elements outside of its memory read as zero. */
static bool copy_elements(struct vc4vk_issue *issue, const struct vc4vk_record_array *from,
                          const struct elements *elements, uint32_t size_B, uint8_t *out, uint32_t step_B)
{
    const uint8_t *map = kmd_bo_map(from->bo);
    if (!map)
        return false;
    for (uint32_t i = 0; i < elements->count; i++, out += step_B) {
        const uint32_t *ids = elements->ids[from->triangle_vertex];
        int64_t element = elements->offset + (ids ? ids[i] : i);
        if (from->per_instance)
            element = vc4vk_issue_element(issue, from, (uint32_t)element);
        int64_t at_B = from->offset_B + element * from->stride_B;
        if (from->is_triangle_vertex)
            memcpy(out, &elements->ids[3][i], sizeof(uint32_t));
        else if (from->is_ramp)
            memcpy(out, &(uint32_t){from->is_array_index ? i : (uint32_t)element}, sizeof(uint32_t));
        else if (at_B >= 0 && at_B + from->size_B <= from->bo_size_B)
            memcpy(out, map + at_B, size_B);
        else
            memset(out, 0, size_B);
    }
    return true;
}

/* Points `to` to the copy. The copy begins at the first vertex, and a copied ramp has its final numbers, so issue must
 * not move the array any more. */
static void place_copy(const struct vc4vk_issue_memory *memory, uint32_t stride_B, struct vc4vk_record_array *to)
{
    to->bo = memory->bo;
    to->bo_size_B = memory->bo->size_B;
    to->offset_B = memory->offset_B;
    to->stride_B = stride_B;
    to->is_ramp = to->per_instance = 0;
}

static bool pull_array(struct vc4vk_issue *issue, const struct vc4vk_record_array *from,
                       const struct elements *elements, struct vc4vk_record_array *to)
{
    const uint32_t step_B = util_align(from->size_B, 4);
    struct vc4vk_issue_memory memory;
    if (!vc4vk_issue_fresh(issue, elements->count * step_B, &memory) ||
        !copy_elements(issue, from, elements, from->size_B, memory.map, step_B))
        return false;
    *to = *from;
    place_copy(&memory, step_B, to);
    return true;
}

/* ---------------------------------------------------------------- packed records */

/* Selects a part of a program's attributes: in the VPM or spilled, per vertex or per instance. */
struct part {
    bool coordinate, spilled, per_instance;
};

#define VPM_END_B 252u /* no program loads beyond this offset */

static bool is_member(const struct vc4vk_record_array *a, const struct part *part)
{
    return (part->coordinate ? a->in_cs : a->in_vs) && a->per_instance == part->per_instance &&
           (part->coordinate ? a->cs_spilled : a->vs_spilled) == part->spilled;
}

static uint32_t place_of(const struct vc4vk_record_array *a, const struct part *part)
{
    return part->coordinate ? a->cs_vpm_B : a->vs_vpm_B;
}

struct span {
    uint32_t begin_B, end_B; /* end_B 0: empty */
};

static struct span span_of(const struct vc4vk_record *record, const struct part *part)
{
    struct span span = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < record->array_count; i++) {
        const struct vc4vk_record_array *a = &record->arrays[i];
        if (!is_member(a, part))
            continue;
        span.begin_B = MIN2(span.begin_B, place_of(a, part));
        span.end_B = MAX2(span.end_B, place_of(a, part) + util_align(a->size_B, 4));
    }
    if (!part->spilled)
        span.end_B = MIN2(span.end_B, VPM_END_B);
    return span;
}

/* Copies the members of the part. Their VPM offsets ascend; where two overlap, the later one is right. */
static bool copy_part(struct vc4vk_issue *issue, const struct vc4vk_record *record, const struct part *part,
                      const struct elements *elements, struct span span, uint8_t *out, uint32_t step_B)
{
    bool done = true;
    for (uint32_t i = 0; i < record->array_count && done; i++) {
        const struct vc4vk_record_array *a = &record->arrays[i];
        const uint32_t at_B = place_of(a, part);
        if (is_member(a, part))
            done = copy_elements(issue, a, elements, MIN2(a->size_B, span.end_B - at_B), out + at_B - span.begin_B,
                                 step_B);
    }
    return done;
}

/* Adds an array with the members of the part for each element, laid out as in the VPM. Adds none if there are no
 * members.
 */
static bool pack_arrays(struct vc4vk_issue *issue, const struct vc4vk_record *record, const struct part *part,
                        const struct elements *elements, struct vc4vk_record_array *arrays, uint32_t *count)
{
    const struct span span = span_of(record, part);
    const uint32_t step_B = span.end_B - span.begin_B;
    struct vc4vk_issue_memory memory;
    if (!span.end_B)
        return true;
    if (!vc4vk_issue_fresh(issue, elements->count * step_B, &memory) ||
        !copy_part(issue, record, part, elements, span, memory.map, step_B))
        return false;
    struct vc4vk_record_array *to = &arrays[(*count)++];
    *to = (struct vc4vk_record_array){.size_B = (uint8_t)step_B, .in_vs = !part->coordinate, .in_cs = part->coordinate};
    to->vs_vpm_B = part->coordinate ? 0 : (uint8_t)span.begin_B;
    to->cs_vpm_B = part->coordinate ? (uint8_t)span.begin_B : 0;
    place_copy(&memory, elements->count > 1 ? step_B : 0, to);
    return true;
}

static uint32_t spill_stride_B(const struct vc4vk_record *record, bool coordinate)
{
    return record->vertex->programs[coordinate ? 0 : 1].program->compiled.spill_stride_B;
}

/* Copies the spilled per-vertex attributes. */
static bool spill_vertices(struct vc4vk_issue *issue, const struct vc4vk_record *record, bool coordinate,
                           const struct elements *elements, struct vc4vk_issue_spill *out)
{
    const struct part part = {.coordinate = coordinate, .spilled = true};
    const uint32_t step_B = spill_stride_B(record, coordinate);
    struct span span = span_of(record, &part);
    struct vc4vk_issue_memory memory;
    if (!span.end_B)
        return true;
    span.begin_B = 0;
    if (!vc4vk_issue_fresh(issue, elements->count * step_B, &memory) ||
        !copy_part(issue, record, &part, elements, span, memory.map, step_B))
        return false;
    out->bo = memory.bo;
    out->offset_B = memory.offset_B;
    out->size_B = elements->count * step_B;
    return true;
}

static bool spill_instance(struct vc4vk_issue *issue, const struct vc4vk_record *record, bool coordinate,
                           const struct elements *one, struct vc4vk_issue_spill *out)
{
    const struct part part = {.coordinate = coordinate, .spilled = true, .per_instance = true};
    struct span span = span_of(record, &part);
    span.begin_B = 0;
    return !span.end_B || copy_part(issue, record, &part, one, span, out->instance, 0);
}

bool vc4vk_issue_pack_instance(struct vc4vk_issue *issue, const struct vc4vk_record *record, uint32_t instance,
                               struct vc4vk_record *out)
{
    uint32_t count = out->array_count;
    const struct elements one = {.offset = instance, .count = 1};
    bool done = true;
    for (uint32_t i = 0; i < 2 && done; i++)
        done = pack_arrays(issue, record, &(struct part){.coordinate = i, .per_instance = true}, &one, out->arrays,
                           &count) &&
               spill_instance(issue, record, i, &one, &issue->spills[i]);
    out->array_count = (uint8_t)count;
    return done;
}

/* ---------------------------------------------------------------- vertices of draws */

static bool pull(struct vc4vk_issue *issue, const struct vc4vk_record *record, const struct elements *elements,
                 struct vc4vk_issue_pulled *out)
{
    memset(out, 0, sizeof *out);
    bool done = record->is_packed;
    for (uint32_t i = 0; i < 2 && done; i++)
        done = pack_arrays(issue, record, &(struct part){.coordinate = i}, elements, out->arrays, &out->count) &&
               spill_vertices(issue, record, i, elements, &out->spills[i]);
    if (record->is_packed)
        return done;
    for (uint32_t i = 0; i < record->array_count; i++) {
        const struct vc4vk_record_array *from = &record->arrays[i];
        out->arrays[i] = *from;
        if (!from->per_instance && from->stride_B && !pull_array(issue, from, elements, &out->arrays[i]))
            return false;
    }
    out->count = record->array_count;
    return true;
}

static bool keep_pulled(struct vc4vk_issue *issue, const struct vc4vk_issue_pulled *pulled, int32_t *index_out)
{
    *index_out = (int32_t)(issue->pulled.size_B / sizeof *pulled);
    void *out = vc4vk_bytes_append(&issue->pulled, sizeof *pulled);
    if (!out) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    memcpy(out, pulled, sizeof *pulled);
    return true;
}

int32_t vc4vk_issue_place_arrays(struct vc4vk_issue *issue, const struct vc4vk_record_array *arrays, uint32_t count)
{
    struct vc4vk_issue_pulled pulled = {.count = count};
    int32_t index = -1;
    memcpy(pulled.arrays, arrays, count * sizeof *arrays);
    return keep_pulled(issue, &pulled, &index) ? index : -1;
}

static bool pull_elements(struct vc4vk_issue *issue, const struct vc4vk_record *record, const struct elements *elements,
                          int32_t *index_out)
{
    struct vc4vk_issue_pulled pulled;
    if (!pull(issue, record, elements, &pulled)) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    return keep_pulled(issue, &pulled, index_out);
}

/* ---------------------------------------------------------------- instances */

/* Fills the memory with copies of its first `size_B` bytes, `times` in all. */
static void repeat(uint8_t *bytes, size_t size_B, uint32_t times)
{
    size_t done_B = size_B, all_B = size_B * times;
    for (size_t next_B; done_B < all_B; done_B += next_B) {
        next_B = MIN2(done_B, all_B - done_B);
        memcpy(bytes + done_B, bytes, next_B);
    }
}

/* Copies one array for all vertices of all instances. */
static bool pull_instances(struct vc4vk_issue *issue, const struct vc4vk_record_array *from,
                           const struct vc4vk_issue_instances *n, struct vc4vk_record_array *to)
{
    const uint32_t step_B = util_align(from->size_B, 4);
    const size_t instance_B = (size_t)n->vertex_count * step_B;
    const struct elements vertices = {{n->vertices}, n->offset, n->vertex_count}, one = {.count = 1};
    struct vc4vk_issue_memory memory;
    if (!vc4vk_issue_fresh(issue, (uint32_t)(instance_B * n->count), &memory))
        return false;
    uint8_t *out = memory.map;
    if (!from->per_instance) {
        if (!copy_elements(issue, from, &vertices, from->size_B, out, step_B))
            return false;
        repeat(out, instance_B, n->count);
    }
    for (uint32_t i = 0; i < n->count && from->per_instance; i++, out += instance_B) {
        struct elements instance = one;
        instance.offset = (int64_t)n->first + i;
        if (!copy_elements(issue, from, &instance, from->size_B, out, step_B))
            return false;
        repeat(out, step_B, n->vertex_count);
    }
    *to = *from;
    place_copy(&memory, step_B, to);
    return true;
}

bool vc4vk_issue_pull_instances(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                const struct vc4vk_issue_instances *instances, int32_t *index_out)
{
    struct vc4vk_issue_pulled pulled = {.count = record->array_count};
    bool done = true;
    for (uint32_t i = 0; i < record->array_count && done; i++) {
        pulled.arrays[i] = record->arrays[i];
        if (record->arrays[i].stride_B)
            done = pull_instances(issue, &record->arrays[i], instances, &pulled.arrays[i]);
        pulled.arrays[i].per_instance = 0;
    }
    if (instances->numbering && done)
        done = pull_instances(issue, instances->numbering, instances, &pulled.arrays[pulled.count++]);
    if (!done) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        return false;
    }
    return keep_pulled(issue, &pulled, index_out);
}

/* ---------------------------------------------------------------- rows and lists */

bool vc4vk_issue_pull_row(struct vc4vk_issue *issue, const struct vc4vk_record *record, int64_t first, uint32_t count,
                          int32_t *index_out)
{
    return pull_elements(issue, record, &(struct elements){.offset = first, .count = count}, index_out);
}

void vc4vk_issue_pull(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                      const struct vc4vk_issue_vertices *vertices)
{
    static const uint8_t modes[] = {0, CL_PRIM_POINTS, CL_PRIM_LINES, CL_PRIM_TRIANGLES};
    const uint32_t count = vertices->count, piece = 65535u - 65535u % vertices->per_primitive;
    util_perf("%u vertices are copied: %s", count,
              draw->state->needs_triangle ? "programs need the whole triangle"
              : record->is_packed ? "they have more attributes than the chip has arrays"
                                  : "no 16-bit index can express the draw");
    for (uint32_t done = 0; done < count; done += piece) {
        /* for array draws `ids` includes the first vertex, and vertex_offset is zero */
        struct elements elements = {.offset = draw->vertex_offset, .count = MIN2(count - done, piece)};
        for (uint32_t i = 0; i < ARRAY_SIZE(elements.ids); i++)
            elements.ids[i] = vertices->ids[i] ? vertices->ids[i] + done : NULL;
        int32_t index;
        if (!pull_elements(issue, record, &elements, &index))
            return;
        vc4vk_issue_add_range(issue, &(struct vc4vk_issue_range){
                                         .mode = modes[vertices->per_primitive],
                                         .count = elements.count,
                                         .max_index = elements.count - 1,
                                         .first_vertex = 0,
                                         .pulled = index,
                                     });
    }
}
