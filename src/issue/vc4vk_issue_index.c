/* SPDX-License-Identifier: MIT
 *
 * Turns draws into primitive packets. The chip draws lists, strips and fans of up to 65536 vertices with 16-bit indices
 * that count from the start of the attribute arrays. It has no base vertex, no restart and no 32-bit indices [hardware
 * notes 10.1].
 *
 *   - array draws: the attribute arrays begin at the first vertex; long draws are cut
 *   - indices that the chip can use directly are read from the application's memory
 *   - others are rewritten: lowest index subtracted, out-of-range ones clamped, restarted strips converted to lists
 *   - flat inputs take the first vertex's values, the chip takes the last one's: such primitives are rotated, as lists
 *   - adjacent vertices are dropped
 *   - triangles drawn as lines or points become lists of those; if programs need the whole triangle, each vertex is
 *     copied together with the other vertices of its triangle
 *   - vertices are copied for the rest (indices too far apart, long fans), and when there are more attributes than the
 *     chip has arrays: vc4vk_issue_pull.c
 *   - primitives that are drawn one by one become lists first
 *   - many instances of few vertices: vc4vk_issue_merge.c
 */
#include <string.h>
#include "issue/vc4vk_issue_private.h"
#include "util/log.h"

#define MAX_VERTICES 65535u /* per array draw [hardware notes 10.1, GFXH-515] */

uint32_t vc4vk_issue_vertex_bound(const struct vc4vk_record *record, int32_t first_vertex)
{
    uint32_t bound = MAX_VERTICES;
    for (uint32_t i = 0; i < record->array_count; i++) {
        const struct vc4vk_record_array *a = &record->arrays[i];
        int64_t begin_B = (int64_t)a->offset_B + (a->is_ramp ? 0 : (int64_t)first_vertex * a->stride_B);
        if (a->per_instance || !a->stride_B || begin_B < 0 || begin_B + a->size_B > a->bo_size_B)
            continue; /* not indexed, or without a single vertex: place_array makes it read zeros */
        bound = (uint32_t)MIN2((int64_t)bound, (a->bo_size_B - begin_B - a->size_B) / a->stride_B);
    }
    return bound;
}

uint32_t vc4vk_topology_trim(uint8_t topology, uint32_t count)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
        return count;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        return count - count % 2;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
        return count - count % 3;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        return count < 2 ? 0 : count;
    default:
        return count < 3 ? 0 : count;
    }
}

/* ---------------------------------------------------------------- primitives one by one */

/* Where viewports overlap, primitives are drawn one by one: all viewports of a primitive come before those of the next,
 * which keeps the order of what is drawn to a pixel. Likewise the samples of a pixel, each of which takes a draw. */
bool vc4vk_issue_is_one_by_one(const struct vc4vk_draw_state *state)
{
    return state->orders_pixels || (state->viewports && state->viewports->overlap);
}

/* Whether the draw must be a list. */
static bool needs_list(const struct vc4vk_draw_state *state)
{
    return state->first_provokes || state->polygon != VC4VK_POLYGON_FILL || vc4vk_issue_is_one_by_one(state);
}

void vc4vk_issue_split_ranges(struct vc4vk_issue *issue)
{
    const uint32_t count = issue->ranges.size_B / (uint32_t)sizeof(struct vc4vk_issue_range);
    struct vc4vk_issue_range *whole = util_arena_alloc_array(&issue->arena, count, sizeof *whole);
    if (!whole) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    memcpy(whole, issue->ranges.data, count * sizeof *whole);
    issue->ranges.size_B = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertices = whole[i].mode == CL_PRIM_POINTS ? 1 : whole[i].mode == CL_PRIM_LINES ? 2 : 3;
        for (uint32_t at = 0; at + vertices <= whole[i].count; at += vertices) {
            struct vc4vk_issue_range one = whole[i];
            one.count = vertices;
            one.first = one.is_indexed ? 0 : at;
            one.index_offset_B += one.is_indexed ? 2 * at : 0;
            vc4vk_issue_add_range(issue, &one);
        }
    }
}

/* ---------------------------------------------------------------- assembling lists */

/* The maximum number of vertices in a list per vertex of the strip that it is made from. */
#define GROWTH_MAX VC4VK_LIST_GROWTH

static uint32_t topology_vertices(uint8_t topology)
{
    return topology == VK_PRIMITIVE_TOPOLOGY_POINT_LIST                                                  ? 1
           : topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST || topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP ? 2
                                                                                                         : 3;
}

static uint32_t list_vertices(const struct vc4vk_draw *draw)
{
    return draw->state->is_rectangles                    ? 3
           : draw->state->polygon == VC4VK_POLYGON_LINE  ? 2
           : draw->state->polygon == VC4VK_POLYGON_POINT ? 1
                                                         : topology_vertices(draw->state->topology);
}

uint8_t vc4vk_issue_list_mode(const struct vc4vk_draw *draw)
{
    static const uint8_t modes[] = {0, CL_PRIM_POINTS, CL_PRIM_LINES, CL_PRIM_TRIANGLES};
    return modes[list_vertices(draw)];
}

/* On the chip the last vertex is the provoking one [model-gpu.md]. If it has to be the first, that is moved to the
 * end. */
static uint32_t *put_line(const struct vc4vk_draw *draw, uint32_t *at, uint32_t a, uint32_t b)
{
    at[0] = draw->state->first_provokes ? b : a;
    at[1] = draw->state->first_provokes ? a : b;
    return at + 2;
}

static uint32_t *put_triangle(const struct vc4vk_draw *draw, uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    if (draw->state->polygon == VC4VK_POLYGON_LINE) {
        memcpy(at, (uint32_t[]){a, b, b, c, c, a}, 6 * sizeof *at);
        return at + 6;
    }
    at[0] = draw->state->first_provokes ? b : a;
    at[1] = draw->state->first_provokes ? c : b;
    at[2] = draw->state->first_provokes ? a : c;
    return at + 3;
}

/* Removes adjacent vertices, and returns how many vertices are left. */
static uint32_t drop_adjacent(uint8_t topology, uint32_t *v, uint32_t n)
{
    uint32_t count = 0;
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        for (uint32_t i = 0; i + 3 < n; i += 4) {
            v[count++] = v[i + 1];
            v[count++] = v[i + 2];
        }
        return count;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        for (uint32_t i = 1; i + 1 < n; i++)
            v[count++] = v[i];
        return count;
    default: /* triangles: every other one */
        for (uint32_t i = 0; i + 1 < n; i += 2)
            v[count++] = v[i];
        return count;
    }
}

/* Triangle `i` of a strip. Vulkan's vertex order begins with the triangle's first vertex; if the last vertex provokes,
 * the order is rotated so that it comes last. */
static uint32_t *put_strip_triangle(const struct vc4vk_draw *draw, uint32_t *at, const uint32_t *v, uint32_t i)
{
    if (draw->state->last_provokes && (i & 1))
        return put_triangle(draw, at, v[i + 1], v[i], v[i + 2]);
    return put_triangle(draw, at, v[i], v[i + 1 + (i & 1)], v[i + 2 - (i & 1)]);
}

static uint32_t *put_fan_triangle(const struct vc4vk_draw *draw, uint32_t *at, const uint32_t *v, uint32_t i)
{
    return draw->state->last_provokes ? put_triangle(draw, at, v[0], v[i + 1], v[i + 2])
                                      : put_triangle(draw, at, v[i + 1], v[i + 2], v[0]);
}

/* Converts one strip, fan or list of `n` vertices to a list, rotated so that the right vertex provokes. Returns how
 * many vertices were written, at most GROWTH_MAX * n. Modifies `v`. */
static uint32_t assemble(const struct vc4vk_draw *draw, uint32_t *v, uint32_t n, uint32_t *out)
{
    uint32_t *at = out;
    if (draw->state->has_adjacency)
        n = drop_adjacent(draw->state->topology, v, n);
    n = vc4vk_topology_trim(draw->state->topology, n);
    switch (draw->state->topology) {
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
        for (uint32_t i = 0; i < n; i += 2)
            at = put_line(draw, at, v[i], v[i + 1]);
        break;
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
        for (uint32_t i = 0; i + 1 < n; i++)
            at = put_line(draw, at, v[i], v[i + 1]);
        break;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
        for (uint32_t i = 0; i < n; i += 3)
            at = put_triangle(draw, at, v[i], v[i + 1], v[i + 2]);
        break;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
        for (uint32_t i = 0; i + 2 < n; i++)
            at = put_strip_triangle(draw, at, v, i);
        break;
    case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
        for (uint32_t i = 0; i + 2 < n; i++)
            at = put_fan_triangle(draw, at, v, i);
        break;
    default:
        memcpy(at, v, n * sizeof *v);
        at += n;
        break;
    }
    return (uint32_t)(at - out);
}

/* As assemble. For programs that need the whole triangle the list is always of triangles: these programs select the
 * provoking vertex themselves. */
uint32_t vc4vk_issue_assemble(const struct vc4vk_draw *draw, uint32_t *v, uint32_t n, uint32_t *out)
{
    if (!draw->state->needs_triangle)
        return assemble(draw, v, n, out);
    struct vc4vk_draw_state filled = *draw->state;
    filled.polygon = VC4VK_POLYGON_FILL;
    return assemble(&(struct vc4vk_draw){.state = &filled}, v, n, out);
}

/* The vertices of an edge or a line that is drawn as a line, or as two triangles: which end, and flags that the
 * programs of the triangles need. Around a rectangle come the first end and the second, then back on the other side; a
 * vertex sees the side from its own end. */
struct line_vertex {
    uint8_t end, flags;
};
static const struct line_vertex line_vertices[] = {{0, 0}, {1, 0}};
static const struct line_vertex stippled_vertices[] = {{0, 0}, {1, VC4C_RECTANGLE_END}};
static const struct line_vertex rectangle_vertices[] = {
    {0, 0},
    {1, VC4C_RECTANGLE_END | VC4C_RECTANGLE_PLUS},
    {1, VC4C_RECTANGLE_END},
    {0, 0},
    {1, VC4C_RECTANGLE_END},
    {0, VC4C_RECTANGLE_PLUS},
};

/* Expands the list of triangles or lines `ids` to the vertices that are drawn, each with the other vertices of its
 * primitive. */
static bool expand_triangles(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const uint32_t *ids,
                             struct vc4vk_issue_vertices *v)
{
    const bool is_rectangles = draw->state->is_rectangles,
               has_lines = is_rectangles || draw->state->polygon == VC4VK_POLYGON_LINE;
    const struct line_vertex *of_line = is_rectangles           ? rectangle_vertices
                                        : draw->state->stipples ? stippled_vertices
                                                                : line_vertices;
    const uint32_t per_line = is_rectangles ? ARRAY_SIZE(rectangle_vertices) : ARRAY_SIZE(line_vertices);
    const uint32_t corners = topology_vertices(draw->state->topology), lines = corners == 2 ? 1 : corners;
    const uint32_t drawn = has_lines ? lines * per_line : corners;
    v->count = v->count / corners * drawn;
    uint32_t *all = util_arena_alloc_array(&issue->arena, v->count, 4 * sizeof *all);
    if (!all)
        return false;
    for (uint32_t k = 0; k < 4; k++)
        v->ids[k] = all + (size_t)k * v->count;
    for (uint32_t i = 0; i < v->count; i++) {
        const uint32_t n = i % drawn;
        const struct line_vertex at = has_lines ? of_line[n % per_line] : (struct line_vertex){0};
        const uint32_t corner = has_lines ? (n / per_line + at.end) % corners : n;
        const uint32_t *primitive = ids + i / drawn * corners;
        all[i] = primitive[corner];
        all[v->count + i] = primitive[(corner + 1) % corners];
        all[2 * v->count + i] = primitive[(corner + corners - 1) % corners];
        all[3 * v->count + i] = corner | at.flags;
    }
    return true;
}

/* Draws an assembled list with copied vertices. */
void vc4vk_issue_draw_list(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                           const uint32_t *ids, uint32_t count)
{
    struct vc4vk_issue_vertices v = {.ids = {ids}, .count = count, .per_primitive = list_vertices(draw)};
    if (draw->state->needs_triangle && !expand_triangles(issue, draw, ids, &v))
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
    else
        vc4vk_issue_pull(issue, draw, record, &v);
}

/* ---------------------------------------------------------------- arrays */

/* Vertices beyond the end of an array read zeros, but their programs must run with the right vertex numbers. Draws with
 * more vertices than this are clipped to the vertices that the arrays hold instead. */
#define MANY_VERTICES (1u << 20)

/* Whether the draw goes beyond the end of an array and is small enough for copies of its vertices. */
static bool is_beyond(const struct vc4vk_draw *draw, const struct vc4vk_record *record, uint32_t count)
{
    if (count > MANY_VERTICES || draw->first > INT32_MAX - MANY_VERTICES)
        return false;
    for (uint32_t done = 0; done < count; done += MAX_VERTICES)
        if (vc4vk_issue_vertex_bound(record, (int32_t)(draw->first + done)) + 1 < MIN2(count - done, MAX_VERTICES))
            return true;
    return false;
}

/* Draws the vertices as a list with copied vertices. */
static void pull_arrays(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                        uint32_t count)
{
    uint32_t *ids = util_arena_alloc_array(&issue->arena, (size_t)count * (1 + GROWTH_MAX), sizeof *ids);
    if (!ids) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        ids[i] = draw->first + i;
    uint32_t n = vc4vk_issue_assemble(draw, ids, count, ids + count);
    vc4vk_issue_draw_list(issue, draw, record, ids + count, n);
}

/* Draws `n` existing vertices from `first` on as an indexed list, for primitives that the chip cannot assemble. */
static void list_range(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, int32_t first, uint32_t n,
                       int32_t pulled)
{
    uint32_t *ids = util_arena_alloc_array(&issue->arena, (size_t)n * (1 + GROWTH_MAX), sizeof *ids);
    if (!ids) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        ids[i] = i;
    const uint32_t count = assemble(draw, ids, n, ids + n);
    struct vc4vk_issue_memory memory;
    if (!count || !vc4vk_issue_fresh(issue, count * 2, &memory))
        return;
    uint16_t *out = memory.map;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (uint16_t)ids[n + i];
    vc4vk_issue_add_range(issue, &(struct vc4vk_issue_range){
                                     .mode = vc4vk_issue_list_mode(draw),
                                     .is_indexed = true,
                                     .index_bo = memory.bo,
                                     .index_offset_B = memory.offset_B,
                                     .count = count,
                                     .max_index = n - 1,
                                     .first_vertex = first,
                                     .pulled = pulled,
                                 });
}

static void array_range(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, int32_t first, uint32_t n,
                        int32_t pulled)
{
    if (needs_list(draw->state))
        list_range(issue, draw, first, n, pulled);
    else
        vc4vk_issue_add_range(issue, &(struct vc4vk_issue_range){
                                         .mode = vc4vk_topology_mode(draw->state->topology),
                                         .count = n,
                                         .max_index = n - 1,
                                         .first_vertex = first,
                                         .pulled = pulled,
                                     });
}

static void packed_array_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw,
                                const struct vc4vk_record *record, uint32_t count)
{
    count = MIN2(count, MANY_VERTICES);
    int32_t pulled;
    if (count > MAX_VERTICES)
        pull_arrays(issue, draw, record, count);
    else if (vc4vk_issue_pull_row(issue, record, draw->first, count, &pulled))
        array_range(issue, draw, 0, count, pulled);
}

static void array_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record)
{
    const bool has_others = draw->state->has_adjacency;
    uint32_t count = has_others ? draw->count : vc4vk_topology_trim(draw->state->topology, draw->count);
    bool fan = draw->state->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
    if (count && (draw->state->needs_triangle || has_others)) {
        pull_arrays(issue, draw, record, MIN2(count, MANY_VERTICES));
        return;
    }
    if (count && record->is_packed) {
        packed_array_ranges(issue, draw, record, count);
        return;
    }
    if (count && ((fan && count > MAX_VERTICES) || is_beyond(draw, record, count))) {
        pull_arrays(issue, draw, record, count);
        return;
    }
    /* consecutive pieces of strips share vertices; an even step keeps the winding of triangle strips */
    const uint32_t shared = draw->state->topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP       ? 1
                            : draw->state->topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ? 2
                                                                                            : 0;
    const uint32_t piece = shared ? 65534u : MAX_VERTICES - MAX_VERTICES % topology_vertices(draw->state->topology);
    for (uint32_t done = 0; done < count;) {
        uint32_t n = MIN2(count - done, piece);
        int32_t first = (int32_t)(draw->first + done);
        uint32_t bound = vc4vk_issue_vertex_bound(record, first);
        uint32_t fits = vc4vk_topology_trim(draw->state->topology, MIN2(n, bound + 1));
        if (fits)
            array_range(issue, draw, first, fits, -1);
        if (done + n >= count)
            break;
        done += n - shared;
    }
}

/* ---------------------------------------------------------------- indices */

struct index_view {
    const uint8_t *data;
    uint32_t count, index_B;
    bool is_copy; /* the indices are not in the index buffer */
};

static uint32_t index_at(const struct index_view *view, uint32_t i)
{
    if (view->index_B == 1)
        return view->data[i];
    if (view->index_B == 2) {
        uint16_t v;
        memcpy(&v, view->data + 2 * (size_t)i, sizeof v);
        return v;
    }
    uint32_t v;
    memcpy(&v, view->data + 4 * (size_t)i, sizeof v);
    return v;
}

/* The largest index of the type restarts. */
static uint32_t restart_index_of(const struct index_view *view)
{
    return view->index_B == 1 ? 0xff : view->index_B == 2 ? 0xffff : 0xffffffff;
}

struct index_scan {
    uint32_t lowest, highest; /* lowest > highest: no vertices */
    bool has_restart;
};

static struct index_scan scan(const struct index_view *view, bool restart)
{
    const uint32_t restart_index = restart_index_of(view);
    struct index_scan s = {.lowest = UINT32_MAX, .highest = 0};
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t v = index_at(view, i);
        if (restart && v == restart_index) {
            s.has_restart = true;
            continue;
        }
        s.lowest = MIN2(s.lowest, v);
        s.highest = MAX2(s.highest, v);
    }
    return s;
}

/* The indices as 32-bit numbers: unchanged, or with `to_lists` assembled into a list, strip by strip. */
static uint32_t *expand(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct index_view *view,
                        bool to_lists, uint32_t *count_out)
{
    uint32_t *ids = util_arena_alloc_array(&issue->arena, view->count, sizeof *ids);
    uint32_t *lists =
        to_lists ? util_arena_alloc_array(&issue->arena, (size_t)view->count * GROWTH_MAX, sizeof *lists) : ids;
    if (!ids || !lists) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    const uint32_t restart_index = restart_index_of(view);
    uint32_t n = 0, written = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t v = index_at(view, i);
        if (to_lists && draw->state->restart && v == restart_index) {
            written += vc4vk_issue_assemble(draw, ids, n, lists + written);
            n = 0;
        } else {
            ids[n++] = v;
        }
    }
    if (to_lists)
        written += vc4vk_issue_assemble(draw, ids, n, lists + written);
    *count_out = to_lists ? written : n;
    return lists;
}

/* Draws with rewritten 16-bit indices that count from the lowest index. */
static void rewrite(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                    const struct index_view *view, const struct index_scan *s)
{
    uint32_t count;
    const bool is_list = s->has_restart || needs_list(draw->state);
    uint32_t *ids = expand(issue, draw, view, is_list, &count);
    struct vc4vk_issue_memory memory;
    if (!ids || !count || !vc4vk_issue_fresh(issue, count * 2, &memory))
        return;
    int64_t wanted = (int64_t)draw->vertex_offset + s->lowest;
    int32_t first = (int32_t)CLAMP(wanted, INT32_MIN, INT32_MAX);
    uint32_t bound = record->is_packed ? MAX_VERTICES : vc4vk_issue_vertex_bound(record, first), highest = 0;
    int32_t pulled = -1;
    uint16_t *out = memory.map;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = MIN2(ids[i] - s->lowest, bound);
        highest = MAX2(highest, v);
        out[i] = (uint16_t)v;
    }
    if (record->is_packed && !vc4vk_issue_pull_row(issue, record, wanted, highest + 1, &pulled))
        return;
    vc4vk_issue_add_range(
        issue, &(struct vc4vk_issue_range){
                   .mode = is_list ? vc4vk_issue_list_mode(draw) : vc4vk_topology_mode(draw->state->topology),
                   .is_indexed = true,
                   .index_bo = memory.bo,
                   .index_offset_B = memory.offset_B,
                   .count = count,
                   .max_index = highest,
                   .first_vertex = pulled < 0 ? first : 0,
                   .pulled = pulled,
               });
}

/* Whether all arrays hold vertex `first_vertex`. */
static bool arrays_begin_in_memory(const struct vc4vk_record *record, int32_t first_vertex)
{
    for (uint32_t i = 0; i < record->array_count; i++) {
        const struct vc4vk_record_array *a = &record->arrays[i];
        int64_t begin_B = (int64_t)a->offset_B + (int64_t)first_vertex * a->stride_B;
        if (!a->is_ramp && !a->per_instance && (begin_B < 0 || begin_B + a->size_B > a->bo_size_B))
            return false;
    }
    return true;
}

/* With these many indices beyond the index buffer the list has an end: more would only repeat the first vertex. */
#define MAX_ZERO_INDICES 65536u

/* Replaces the view by a copy that has zeros where the draw's indices are beyond the buffer. */
static bool append_zeros(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, struct index_view *view)
{
    const uint32_t count = (uint32_t)MIN2((uint64_t)view->count + MAX_ZERO_INDICES, draw->count);
    uint8_t *copy = util_arena_alloc_array(&issue->arena, count, view->index_B);
    if (!copy) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return false;
    }
    const size_t held_B = (size_t)view->count * view->index_B;
    memcpy(copy, view->data, held_B);
    memset(copy + held_B, 0, (size_t)count * view->index_B - held_B);
    *view = (struct index_view){.data = copy, .count = count, .index_B = view->index_B, .is_copy = true};
    return true;
}

/* The indices of whole primitives that the index buffer holds, or all if those beyond it are zero. False: none. */
static bool find_indices(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, struct index_view *view,
                         struct index_scan *s)
{
    const struct vc4vk_draw_state *state = draw->state;
    static const uint8_t nothing[1]; /* where no buffer is bound */
    const uint8_t *map = state->index_bo ? kmd_bo_map(state->index_bo) : nothing;
    const uint64_t offset_B = MIN2((uint64_t)draw->first * draw->index_B, state->index_limit_B);
    const uint32_t available = (uint32_t)((state->index_limit_B - offset_B) / draw->index_B);
    if (!map || (!available && !state->zero_indices))
        return false;
    *view = (struct index_view){
        .data = map + state->index_offset_B + offset_B,
        .count = MIN2(draw->count, available),
        .index_B = draw->index_B,
    };
    if (state->zero_indices && view->count < draw->count && !append_zeros(issue, draw, view))
        return false;
    *s = scan(view, state->restart);
    if (!s->has_restart && !state->has_adjacency)
        view->count = vc4vk_topology_trim(state->topology, view->count);
    return view->count && s->lowest <= s->highest;
}

uint32_t *vc4vk_issue_list(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t *count_out)
{
    struct index_view view;
    struct index_scan s;
    if (draw->index_B)
        return find_indices(issue, draw, &view, &s) ? expand(issue, draw, &view, true, count_out) : NULL;
    uint32_t *ids = util_arena_alloc_array(&issue->arena, (size_t)draw->count * (1 + GROWTH_MAX), sizeof *ids);
    if (!ids) {
        vc4vk_issue_fail(issue, VK_ERROR_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    for (uint32_t i = 0; i < draw->count; i++)
        ids[i] = draw->first + i;
    *count_out = assemble(draw, ids, draw->count, ids + draw->count);
    return ids + draw->count;
}

bool vc4vk_issue_indices(const struct vc4vk_draw *draw, struct vc4vk_issue_indices *out)
{
    const struct vc4vk_draw_state *state = draw->state;
    const uint8_t *map = state->index_bo ? kmd_bo_map(state->index_bo) : NULL;
    const uint64_t offset_B = MIN2((uint64_t)draw->first * draw->index_B, state->index_limit_B);
    if (!map)
        return false;
    *out = (struct vc4vk_issue_indices){.data = map + state->index_offset_B + offset_B,
                                        .count = (uint32_t)((state->index_limit_B - offset_B) / draw->index_B),
                                        .index_B = draw->index_B};
    return true;
}

static void index_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record)
{
    const struct vc4vk_draw_state *state = draw->state;
    struct index_view view;
    struct index_scan s;
    if (!find_indices(issue, draw, &view, &s))
        return;
    const uint64_t offset_B = (uint64_t)draw->first * draw->index_B;

    bool is_direct = !view.is_copy && !record->is_packed && !needs_list(state) && !state->has_adjacency &&
                     view.index_B == 2 && !s.has_restart && arrays_begin_in_memory(record, draw->vertex_offset) &&
                     s.highest <= vc4vk_issue_vertex_bound(record, draw->vertex_offset);
    if (is_direct) {
        vc4vk_issue_add_range(issue, &(struct vc4vk_issue_range){
                                         .mode = vc4vk_topology_mode(draw->state->topology),
                                         .is_indexed = true,
                                         .index_bo = state->index_bo,
                                         .index_offset_B = state->index_offset_B + (uint32_t)offset_B,
                                         .count = view.count,
                                         .max_index = s.highest,
                                         .first_vertex = draw->vertex_offset,
                                         .pulled = -1,
                                     });
        return;
    }
    util_perf("%u indices are rewritten (%u-bit, %s)", view.count, view.index_B * 8,
              s.has_restart                 ? "with restarts"
              : draw->state->first_provokes ? "for flat inputs"
              : draw->state->polygon        ? "of polygons that are not filled"
              : needs_list(draw->state)     ? "of primitives that are drawn one by one"
                                            : "relative to the lowest index");
    const int64_t first = (int64_t)draw->vertex_offset + s.lowest;
    bool fits_16_bits = s.highest - s.lowest <= MAX_VERTICES && first >= INT32_MIN && first <= INT32_MAX;
    if (fits_16_bits && !state->needs_triangle && !state->has_adjacency &&
        (record->is_packed ? (s.highest - s.lowest) / 4 < view.count
                           : s.highest - s.lowest <= vc4vk_issue_vertex_bound(record, (int32_t)first))) {
        rewrite(issue, draw, record, &view, &s);
        return;
    }
    uint32_t count;
    uint32_t *ids = expand(issue, draw, &view, true, &count);
    if (ids)
        vc4vk_issue_draw_list(issue, draw, record, ids, count);
}

void vc4vk_issue_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record)
{
    if (draw->index_B)
        index_ranges(issue, draw, record);
    else
        array_ranges(issue, draw, record);
}
