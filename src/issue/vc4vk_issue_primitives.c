/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "issue/vc4vk_issue_primitives.h"

uint32_t vc4vk_primitive_vertices(VkPrimitiveTopology topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        return 1;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return 2;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        return 4;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        return 6;
    default:
        return 3;
    }
}

uint32_t vc4vk_primitive_corners(VkPrimitiveTopology topology, uint32_t out[3])
{
    const uint32_t vertices = vc4vk_primitive_vertices(topology), first = vertices == 4, step = vertices == 6 ? 2 : 1;
    const uint32_t count = vertices == 4 ? 2 : vertices == 6 ? 3 : vertices;
    for (uint32_t k = 0; k < count; k++)
        out[k] = first + k * step;
    return count;
}

/* How many primitives `n` vertices make. */
static uint32_t primitives_of(const struct vc4vk_primitives *p, uint32_t n)
{
    const uint32_t vertices = p->vertices;
    switch (p->topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        return n < vertices ? 0 : n - vertices + 1;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        return n < vertices ? 0 : (n - 4) / 2;
    default:
        return n / vertices;
    }
}

/* ---------------------------------------------------------------- vertices of a primitive
 *
 * Positions within the list, strip or fan, in the order of Vulkan, "Primitive Topologies". */

/* Every other vertex is an adjacent one; a triangle's neighbours in the strip have their third vertex as well. */
static void strip_with_adjacency(const struct vc4vk_primitives *p, uint32_t i, uint32_t out[6])
{
    const uint32_t a = 2 * i, before = i ? a - 2 : 1, behind = i + 1 < p->strip_primitives ? a + 6 : a + 5;
    const uint32_t even[] = {a, before, a + 2, behind, a + 4, a + 3}, odd[] = {a, a + 3, a + 4, behind, a + 2, before},
                   odd_last[] = {a + 2, before, a, a + 3, a + 4, behind};
    memcpy(out, !(i & 1) ? even : p->last_provokes ? odd_last : odd, sizeof even);
}

static void put3(uint32_t out[6], uint32_t a, uint32_t b, uint32_t c)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

static void positions(const struct vc4vk_primitives *p, uint32_t i, uint32_t out[VC4VK_MAX_PRIMITIVE_VERTICES])
{
    uint32_t first = i * p->vertices;
    switch (p->topology) {
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        if (p->last_provokes)
            put3(out, i + (i & 1), i + 1 - (i & 1), i + 2);
        else
            put3(out, i, i + 1 + (i & 1), i + 2 - (i & 1));
        return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        if (p->last_provokes)
            put3(out, 0, i + 1, i + 2);
        else
            put3(out, i + 1, i + 2, 0);
        return;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY:
        strip_with_adjacency(p, i, out);
        return;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        first = i;
        break;
    default:
        break;
    }
    for (uint32_t k = 0; k < p->vertices; k++)
        out[k] = first + k;
}

/* ---------------------------------------------------------------- strips */

/* Indices beyond the index buffer are zero. */
static uint32_t index_at(const struct vc4vk_issue_indices *view, uint32_t i)
{
    uint32_t v = 0;
    if (i < view->count)
        memcpy(&v, view->data + (size_t)i * view->index_B, view->index_B); /* little endian */
    return v;
}

static bool restarts_at(const struct vc4vk_primitives *p, uint32_t position)
{
    const uint32_t highest = p->indices.index_B == 4 ? UINT32_MAX : (1u << 8 * p->indices.index_B) - 1;
    return position < p->indices.count && index_at(&p->indices, position) == highest;
}

/* Finds the strip that begins at a position. */
static void begin_strip(struct vc4vk_primitives *p, uint32_t begin)
{
    p->strip_begin = begin;
    p->strip_end = p->count;
    if (p->restart)
        for (p->strip_end = begin; p->strip_end < p->count && !restarts_at(p, p->strip_end);)
            p->strip_end++;
    p->next = 0;
    p->strip_primitives = primitives_of(p, p->strip_end - begin);
}

/* Goes on to a strip with a primitive that has not been returned yet. False: there is none. */
static bool find_strip(struct vc4vk_primitives *p)
{
    while (p->next == p->strip_primitives) {
        if (p->strip_end >= p->count)
            return false;
        begin_strip(p, p->strip_end + 1);
    }
    return true;
}

void vc4vk_primitives_rewind(struct vc4vk_primitives *p)
{
    begin_strip(p, 0);
}

void vc4vk_primitives_begin(struct vc4vk_primitives *p, const struct vc4vk_draw *draw, VkPrimitiveTopology topology,
                            uint32_t patch_vertices, bool restart)
{
    *p = (struct vc4vk_primitives){
        .topology = topology,
        .vertices = topology == VK_PRIMITIVE_TOPOLOGY_PATCH_LIST ? patch_vertices : vc4vk_primitive_vertices(topology),
        .restart = restart && draw->index_B,
        .first = draw->index_B ? (uint32_t)draw->vertex_offset : draw->first,
        .count = draw->count,
    };
    if (draw->index_B) {
        if (!vc4vk_issue_indices(draw, &p->indices))
            p->count = 0;
        if (!draw->state->zero_indices)
            p->count = MIN2(p->count, p->indices.count);
    }
    vc4vk_primitives_rewind(p);
}

bool vc4vk_primitives_next(struct vc4vk_primitives *p, uint32_t vertices_out[VC4VK_MAX_PRIMITIVE_VERTICES])
{
    if (!find_strip(p))
        return false;
    positions(p, p->next++, vertices_out);
    for (uint32_t k = 0; k < p->vertices; k++) {
        const uint32_t position = p->strip_begin + vertices_out[k];
        vertices_out[k] = p->first + (p->indices.index_B ? index_at(&p->indices, position) : position);
    }
    return true;
}

uint64_t vc4vk_primitives_skip(struct vc4vk_primitives *p, uint64_t count)
{
    uint64_t done = 0;
    while (done < count && find_strip(p)) {
        const uint32_t n = (uint32_t)MIN2(count - done, (uint64_t)(p->strip_primitives - p->next));
        p->next += n;
        done += n;
    }
    return done;
}
