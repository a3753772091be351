/* SPDX-License-Identifier: MIT
 *
 * The task and mesh stages of an expanded draw (docs/geometry.md#meshes).
 *
 * Task workgroups are taken in groups: for a group the task program runs once. The mesh workgroups that its tasks ask
 * for, or those of the draw when there is no task stage, are cut into pieces, one task after the other, and the mesh
 * program runs once for each piece. Both run as one row of workgroups, whose places in the application's grids are in
 * their inputs.
 *
 * Nothing that programs write is trusted: numbers of vertices and primitives are clamped, primitives with indices
 * beyond the vertices are left out, and a task that asks for more workgroups than the limits allow gets none.
 *
 * Pieces have numbers with which a later part of the job finds its place: so many for each group, whether the group has
 * so many pieces or not.
 */
#include "issue/vc4vk_issue_mesh.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "device/vc4vk_error.h"
#include "issue/vc4vk_issue_counts.h"
#include "util/debug.h"
#include "util/log.h"

#define ROW_B (4u * QPU_LANES)

#define GROUP_TASKS   256u
#define GROUP_B       (4u << 20) /* payloads of a group, approximately */
#define PIECE_GROUPS  1024u
#define PIECE_CORNERS 60000u     /* drawn vertices at most: 16-bit indices reach all of them */
#define PIECE_B       (4u << 20) /* of what a piece may write */
/* Numbers of pieces: what is left of the number of a packet (vc4vk_issue_private.h). */
#define PIECE_NUMBERS (UINT64_C(1) << (46 - VC4VK_PIECE_BITS))

struct vc4vk_meshes {
    const struct vc4c_interface *interface;
    bool has_tasks, is_split;
    uint32_t grid[3], total; /* of the draw: task workgroups, or mesh workgroups if there is no task stage */
    uint32_t task_invocations, invocations; /* of a workgroup */

    /* the group of tasks; without a task stage, the draw counts as one task that has been run */
    uint32_t max_tasks, first_task, task_count;
    uint64_t group, group_pieces;
    uint32_t task, in_task; /* the mesh workgroup that the next piece begins with: of which task, its number there */
    uint32_t in_group;      /* the next piece */
    uint64_t skipped;       /* pieces to be skipped in the next group */

    /* the piece */
    uint64_t number;
    uint32_t group_count;

    /* memory of the programs */
    struct blocks task_input, task_output, input, output;
    uint32_t payloads_B, payload_B;                           /* where they begin; from one to the next */
    uint32_t vertex_block_B, primitive_block_B, primitives_B; /* primitives_B: from an output to its primitives */
};

static uint32_t *words_at(const struct expansion *e, const struct blocks *blocks, uint32_t n)
{
    return (uint32_t *)(void *)(e->map + blocks->offset_B + (size_t)n * blocks->block_B);
}

/* The number of workgroups; 0 if there are more than the limits allow. */
static uint32_t count_of(const uint32_t grid[3])
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < 3; i++)
        count *= MIN2(grid[i], VC4VK_MAX_GROUP_COUNT + 1);
    const bool fits = grid[0] <= VC4VK_MAX_GROUP_COUNT && grid[1] <= VC4VK_MAX_GROUP_COUNT &&
                      grid[2] <= VC4VK_MAX_GROUP_COUNT && count <= VC4VK_MAX_MESH_GROUPS;
    if (!fits)
        util_perf("mesh tasks: %u x %u x %u workgroups, which is more than the limits allow, are not run", grid[0],
                  grid[1], grid[2]);
    return fits ? (uint32_t)count : 0;
}

static uint32_t size_of(const struct vc4c_interface *interface)
{
    return interface->local_size[0] * interface->local_size[1] * interface->local_size[2];
}

/* ---------------------------------------------------------------- memory */

/* The rows that hold the words of a vertex, or of a primitive. At least those of the position, or of the indices, which
 * are read whether the shader writes them or not. */
static uint32_t rows_of(const struct vc4c_interface *interface, bool of_primitives)
{
    uint32_t rows = VC4C_MESH_CULL + 1;
    for (uint32_t word = 0; word < VC4C_RECORD_WORDS; word++)
        if (vc4c_writes_record_word(interface, word) && vc4c_is_primitive_word(interface, word) == of_primitives)
            rows = word + 1;
    return rows;
}

static bool draws_primitive_words(const struct expansion *e)
{
    const struct vc4vk_pass_through *pass = &e->pipeline->expander->pass;
    bool draws = false;
    for (uint32_t i = 0; i < pass->count; i++)
        draws |= pass->words[i] < VC4C_RECORD_WORDS && vc4c_is_primitive_word(e->writer, pass->words[i]);
    return draws;
}

bool vc4vk_meshes_begin(struct expansion *e)
{
    const struct vc4vk_expander *expander = e->pipeline->expander;
    struct vc4vk_meshes *m = calloc(1, sizeof *m);
    e->meshes = m;
    if (!m)
        return false;
    m->interface = expander->mesh.interface;
    m->has_tasks = expander->task.spirv != NULL;
    m->invocations = size_of(m->interface);
    m->task_invocations = m->has_tasks ? size_of(expander->task.interface) : 0;
    m->is_split = draws_primitive_words(e) || e->pipeline->state.stipples;
    m->grid[0] = e->draw->count;
    m->grid[1] = e->draw->instance_count;
    m->grid[2] = (uint32_t)e->draw->vertex_offset;
    m->total = count_of(m->grid);
    const uint32_t payload_B =
        MAX2(m->interface->mesh.payload_B, m->has_tasks ? expander->task.interface->mesh.payload_B : 0);
    m->payload_B = util_align(MAX2(payload_B, 4u), ROW_B);
    m->max_tasks = !m->has_tasks ? 1 : util_debug(UTIL_DEBUG_TINY) ? 2 : CLAMP(GROUP_B / m->payload_B, 1u, GROUP_TASKS);
    m->group_pieces = PIECE_NUMBERS / (m->has_tasks ? util_div_round_up(MAX2(m->total, 1u), m->max_tasks) : 1);
    return true;
}

void vc4vk_meshes_finish(struct expansion *e)
{
    free(e->meshes);
}

uint32_t vc4vk_meshes_place(struct expansion *e, uint32_t at_B)
{
    struct vc4vk_meshes *m = e->meshes;
    const struct vc4c_mesh *mesh = &m->interface->mesh;
    m->vertex_block_B = rows_of(m->interface, false) * ROW_B;
    m->primitive_block_B = rows_of(m->interface, true) * ROW_B;
    m->primitives_B =
        VC4C_MESH_HEADER_B + util_div_round_up(MAX2(mesh->max_vertices, 1), QPU_LANES) * m->vertex_block_B;
    m->output.block_B =
        m->primitives_B + util_div_round_up(MAX2(mesh->max_primitives, 1), QPU_LANES) * m->primitive_block_B;
    const uint32_t corners = m->is_split ? mesh->max_primitives * mesh->corners : mesh->max_vertices;
    const uint32_t fit = MIN2(PIECE_CORNERS / MAX2(corners, 1u), PIECE_B / m->output.block_B);
    e->piece = CLAMP(fit, 1u, util_debug(UTIL_DEBUG_TINY) ? 2 : PIECE_GROUPS);

    m->task_input = (struct blocks){at_B, 4 * VC4C_GROUP_WORDS};
    at_B += util_align(m->max_tasks * m->task_input.block_B, ROW_B);
    m->task_output = (struct blocks){at_B, VC4C_TASK_OUTPUT_B};
    at_B += m->max_tasks * m->task_output.block_B;
    m->payloads_B = at_B;
    at_B += m->max_tasks * m->payload_B;
    m->input = (struct blocks){at_B, 4 * VC4C_GROUP_WORDS};
    at_B += util_align(e->piece * m->input.block_B, ROW_B);
    m->output.offset_B = at_B;
    return at_B + e->piece * m->output.block_B;
}

uint32_t vc4vk_meshes_max_corners(const struct expansion *e)
{
    const struct vc4c_mesh *mesh = &e->meshes->interface->mesh;
    return e->piece * mesh->max_primitives * mesh->corners;
}

/* ---------------------------------------------------------------- inputs */

/* Writes what a workgroup reads: its place in the grid, the grid, and the payload's address. */
static void write_input(const struct expansion *e, uint32_t *words, const uint32_t grid[3], uint32_t number,
                        uint32_t payload)
{
    const struct vc4vk_meshes *m = e->meshes;
    words[VC4C_GROUP_ID] = number % grid[0];
    words[VC4C_GROUP_ID + 1] = number / grid[0] % grid[1];
    words[VC4C_GROUP_ID + 2] = number / grid[0] / grid[1];
    memcpy(&words[VC4C_GROUP_COUNT], grid, 3 * sizeof *grid);
    words[VC4C_GROUP_PAYLOAD] = e->addr + m->payloads_B + payload * m->payload_B;
}

/* ---------------------------------------------------------------- groups of tasks */

/* The mesh workgroups of a task of the group, or of the draw. */
static const uint32_t *grid_of(const struct expansion *e, uint32_t task)
{
    return e->meshes->has_tasks ? words_at(e, &e->meshes->task_output, task) : e->meshes->grid;
}

static bool run_tasks(const struct expansion *e)
{
    const struct vc4vk_meshes *m = e->meshes;
    memset(words_at(e, &m->task_output, 0), 0, m->task_count * m->task_output.block_B);
    for (uint32_t i = 0; i < m->task_count; i++)
        write_input(e, words_at(e, &m->task_input, i), m->grid, m->first_task + i, i);
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->task,
                                                           .table = &e->bound->task_table,
                                                           .lanes = m->task_count,
                                                           .group = 1,
                                                           .in = &m->task_input,
                                                           .out = &m->task_output});
}

/* Counts the group, unless the part before has. */
static void count_tasks(const struct expansion *e)
{
    const struct vc4vk_meshes *m = e->meshes;
    if (m->has_tasks && vc4vk_issue_counts_draws(e->issue) && !e->drops_stores)
        e->issue->counts.statistics[VC4VK_STATISTIC_TASK_RUNS] += (uint64_t)m->task_count * m->task_invocations;
}

/* False: the draw has no task any more, or a failure. */
static bool begin_group(struct expansion *e)
{
    struct vc4vk_meshes *m = e->meshes;
    const uint32_t end = m->has_tasks ? m->total : 1;
    if (!m->total || m->first_task >= end)
        return false;
    m->task_count = MIN2(end - m->first_task, m->max_tasks);
    m->task = m->in_task = m->in_group = 0;
    if (!m->has_tasks) /* a mesh shader may wrongly read a payload */
        memset(e->map + m->payloads_B, 0, m->payload_B);
    else if (!run_tasks(e))
        return false;
    count_tasks(e);
    return true;
}

/* ---------------------------------------------------------------- pieces */

/* Takes the next mesh workgroup of the group, and writes its input unless `words` is NULL. False: there is none. */
static bool take_group(struct expansion *e, uint32_t *words)
{
    struct vc4vk_meshes *m = e->meshes;
    for (; m->task < m->task_count; m->task++, m->in_task = 0) {
        uint32_t grid[3];
        memcpy(grid, grid_of(e, m->task), sizeof grid);
        if (m->in_task >= count_of(grid))
            continue;
        if (words)
            write_input(e, words, grid, m->in_task, m->task);
        m->in_task++;
        return true;
    }
    return false;
}

/* Passes over the mesh workgroups of whole pieces. */
static void skip_pieces(struct expansion *e)
{
    struct vc4vk_meshes *m = e->meshes;
    uint64_t left = m->skipped * e->piece;
    m->in_group = (uint32_t)m->skipped;
    m->skipped = 0;
    for (; left && m->task < m->task_count; m->task++, m->in_task = 0) {
        const uint32_t count = count_of(grid_of(e, m->task));
        if (left < count) {
            m->in_task = (uint32_t)left;
            return;
        }
        left -= count;
    }
}

/* False: the group has no workgroup any more. */
static bool make_piece(struct expansion *e)
{
    struct vc4vk_meshes *m = e->meshes;
    m->group_count = 0;
    while (m->group_count < e->piece && take_group(e, words_at(e, &m->input, m->group_count)))
        memset(words_at(e, &m->output, m->group_count++), 0, VC4C_MESH_HEADER_B);
    m->number = m->group * m->group_pieces + m->in_group++;
    return m->group_count != 0;
}

static bool run_meshes(const struct expansion *e)
{
    const struct vc4vk_meshes *m = e->meshes;
    return vc4vk_expand_run(e, &(struct vc4vk_records_run){.variant = e->bound->mesh,
                                                           .table = &e->bound->mesh_table,
                                                           .lanes = m->group_count,
                                                           .group = 1,
                                                           .in = &m->input,
                                                           .out = &m->output,
                                                           .vertex_stride_B = m->vertex_block_B,
                                                           .primitives_B = m->primitives_B,
                                                           .primitive_stride_B = m->primitive_block_B});
}

void vc4vk_meshes_skip(struct expansion *e, uint64_t piece)
{
    struct vc4vk_meshes *m = e->meshes;
    m->group = piece / m->group_pieces;
    m->skipped = piece % m->group_pieces;
    m->first_task = (uint32_t)(m->group * m->max_tasks);
}

/* A piece whose number is that of another group's cannot be found again. */
static bool has_number(struct expansion *e)
{
    const struct vc4vk_meshes *m = e->meshes;
    if (m->in_group <= m->group_pieces)
        return true;
    vc4vk_issue_fail(e->issue, vc4vk_errorf(e->issue->job->device, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                            "mesh tasks: %u tasks ask for more than %" PRIu64 " pieces of meshes",
                                            m->task_count, m->group_pieces));
    return false;
}

bool vc4vk_meshes_next(struct expansion *e)
{
    struct vc4vk_meshes *m = e->meshes;
    bool has_group = m->task_count != 0;
    while (!has_group || !make_piece(e)) {
        m->group += has_group;
        m->first_task += m->task_count;
        has_group = begin_group(e);
        if (!has_group)
            return false;
        skip_pieces(e);
    }
    return has_number(e) && run_meshes(e);
}

uint64_t vc4vk_meshes_number(const struct expansion *e)
{
    return e->meshes->number;
}

/* ---------------------------------------------------------------- what was made */

uint32_t vc4vk_meshes_groups(const struct expansion *e)
{
    return e->meshes->group_count;
}

uint32_t vc4vk_meshes_vertices(const struct expansion *e, uint32_t group)
{
    const struct vc4vk_meshes *m = e->meshes;
    return MIN2(words_at(e, &m->output, group)[VC4C_MESH_VERTICES], m->interface->mesh.max_vertices);
}

uint32_t vc4vk_meshes_primitives(const struct expansion *e, uint32_t group)
{
    const struct vc4vk_meshes *m = e->meshes;
    return MIN2(words_at(e, &m->output, group)[VC4C_MESH_PRIMITIVES], m->interface->mesh.max_primitives);
}

static const uint32_t *record_at(const struct expansion *e, uint32_t group, uint32_t first_B, uint32_t block_B,
                                 uint32_t number)
{
    const uint8_t *output = (const uint8_t *)words_at(e, &e->meshes->output, group);
    return (const uint32_t *)(const void *)(output + first_B + number / QPU_LANES * block_B + number % QPU_LANES * 4);
}

const uint32_t *vc4vk_meshes_record(const struct expansion *e, uint32_t group, uint32_t vertex)
{
    return record_at(e, group, VC4C_MESH_HEADER_B, e->meshes->vertex_block_B, vertex);
}

bool vc4vk_meshes_are_split(const struct expansion *e)
{
    return e->meshes->is_split;
}

/* False: the primitive is not drawn. */
static bool read_primitive(const struct expansion *e, struct vc4vk_mesh_primitive *p, uint32_t number)
{
    const struct vc4vk_meshes *m = e->meshes;
    const struct vc4c_mesh *mesh = &m->interface->mesh;
    const uint32_t vertices = vc4vk_meshes_vertices(e, p->group);
    p->record = record_at(e, p->group, m->primitives_B, m->primitive_block_B, number);
    p->corner_count = mesh->corners;
    bool draws = !mesh->culls || !p->record[VC4C_MESH_CULL * QPU_LANES];
    for (uint32_t k = 0; k < p->corner_count && draws; k++) {
        p->vertices[k] = p->record[(VC4C_MESH_INDEX + k) * QPU_LANES];
        draws = p->vertices[k] < vertices;
        if (draws)
            p->records[k] = vc4vk_meshes_record(e, p->group, p->vertices[k]);
    }
    return draws;
}

bool vc4vk_meshes_walk(const struct expansion *e, struct vc4vk_mesh_primitive *p)
{
    for (; p->group < e->meshes->group_count; p->group++, p->number = 0)
        while (p->number < vc4vk_meshes_primitives(e, p->group))
            if (read_primitive(e, p, p->number++))
                return true;
    return false;
}
