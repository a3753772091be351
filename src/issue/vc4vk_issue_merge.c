/* SPDX-License-Identifier: MIT
 *
 * Merges many instances of a small mesh into one draw. The chip has no instancing, so the vertices are copied for each
 * instance together with the per-instance attributes, and the indices are repeated. A separate draw per instance costs
 * a shader record, uniforms, and batches of 16 vertices that are mostly empty; copying a few vertices costs less.
 */
#include "issue/vc4vk_issue_private.h"
#include "util/log.h"

#define MAX_VERTICES 65535u /* per draw [hardware notes 10.1, GFXH-515] */

/* The mesh of one instance, as a list of primitives. */
struct mesh {
    const uint32_t *ids; /* the vertices of the primitives, in order */
    uint32_t count;
    uint32_t lowest, span; /* the lowest of `ids`, and the size of the interval that they span */
    bool is_indexed;       /* else vertices are copied in the order in which primitives use them */
};

static struct mesh find_mesh(struct vc4vk_issue *issue, const struct vc4vk_draw *draw)
{
    struct mesh m = {.lowest = UINT32_MAX};
    uint32_t highest = 0;
    m.ids = vc4vk_issue_list(issue, draw, &m.count);
    if (!m.ids)
        m.count = 0;
    for (uint32_t i = 0; i < m.count; i++) {
        m.lowest = MIN2(m.lowest, m.ids[i]);
        highest = MAX2(highest, m.ids[i]);
    }
    m.span = m.count && highest - m.lowest < UINT32_MAX ? highest - m.lowest + 1 : UINT32_MAX;
    m.is_indexed = m.span < m.count;
    return m;
}

/* The array from which the programs of merged draws read the instance number. False: they do not read it. */
static bool find_numbering(struct vc4vk_issue *issue, const struct vc4vk_record *record, struct vc4vk_record_array *out)
{
    const struct vc4vk_variant *variant = vc4vk_issue_vertex(issue, record);
    *out = (struct vc4vk_record_array){
        .bo = vc4vk_issue_ramp(issue), .size_B = 4, .stride_B = 4, .is_ramp = 1, .per_instance = 1, .divisor = 1};
    for (uint32_t i = 0; i < 2; i++) {
        const struct vc4c_program *p = &variant->programs[i].program->compiled;
        const struct vc4c_attribute *last = p->attribute_count ? &p->attributes[p->attribute_count - 1] : NULL;
        if (!last || last->location != VC4C_ATTRIBUTE_INSTANCE)
            continue;
        if (i) {
            out->in_vs = 1;
            out->vs_vpm_B = last->vpm_B;
        } else {
            out->in_cs = 1;
            out->cs_vpm_B = last->vpm_B;
        }
    }
    return out->in_vs || out->in_cs;
}

static bool write_indices(struct vc4vk_issue *issue, const struct mesh *mesh, uint32_t instances,
                          struct vc4vk_issue_memory *memory)
{
    if (!vc4vk_issue_fresh(issue, mesh->count * instances * 2, memory))
        return false;
    uint16_t *out = memory->map;
    for (uint32_t k = 0; k < instances; k++)
        for (uint32_t i = 0; i < mesh->count; i++)
            *out++ = (uint16_t)(mesh->ids[i] - mesh->lowest + k * mesh->span);
    return true;
}

static void add_instances(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                          const struct mesh *mesh, const struct vc4vk_issue_instances *instances)
{
    struct vc4vk_issue_range range = {
        .mode = vc4vk_issue_list_mode(draw),
        .is_indexed = mesh->is_indexed,
        .count = mesh->count * instances->count,
        .max_index = instances->vertex_count * instances->count - 1,
    };
    struct vc4vk_issue_memory memory;
    if (!vc4vk_issue_pull_instances(issue, record, instances, &range.pulled))
        return;
    if (mesh->is_indexed) {
        if (!write_indices(issue, mesh, instances->count, &memory))
            return;
        range.index_bo = memory.bo;
        range.index_offset_B = memory.offset_B;
    }
    vc4vk_issue_add_range(issue, &range);
}

void vc4vk_issue_merged_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw,
                               const struct vc4vk_record *record)
{
    const struct mesh mesh = find_mesh(issue, draw);
    if (!mesh.count)
        return;
    struct vc4vk_record_array numbering;
    struct vc4vk_issue_instances instances = {
        .vertices = mesh.is_indexed ? NULL : mesh.ids,
        .offset = (int64_t)draw->vertex_offset + (mesh.is_indexed ? mesh.lowest : 0),
        .vertex_count = mesh.is_indexed ? mesh.span : mesh.count,
        .numbering = find_numbering(issue, record, &numbering) ? &numbering : NULL,
    };
    const uint32_t max_instances = MAX_VERTICES / mesh.count;
    util_perf("%u instances of %u vertices are merged", draw->instance_count, instances.vertex_count);
    for (uint32_t done = 0; done < draw->instance_count && issue->result == VK_SUCCESS; done += instances.count) {
        instances.first = draw->first_instance + done;
        instances.count = MIN2(draw->instance_count - done, max_instances);
        add_instances(issue, draw, record, &mesh, &instances);
    }
}
