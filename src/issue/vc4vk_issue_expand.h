/* SPDX-License-Identifier: MIT
 *
 * The expansion of a draw, shared by the expand, the tessellate, the mesh and the emitted file.
 */
#ifndef ISSUE_VC4VK_ISSUE_EXPAND_H
#define ISSUE_VC4VK_ISSUE_EXPAND_H

#include "hw/qpu.h"
#include "issue/vc4vk_issue_primitives.h"
#include "issue/vc4vk_issue_stipple.h"

/* Blocks of 16 lanes in memory. */
struct blocks {
    uint32_t offset_B; /* in the memory of the piece */
    uint32_t block_B;
};

struct vertex {
    uint32_t number, instance;
};

struct vc4vk_tessellation;
struct vc4vk_meshes;

struct expansion {
    struct vc4vk_issue *issue;
    const struct vc4vk_draw *draw;
    const struct vc4vk_expansion *bound;
    const struct vc4vk_pipeline *pipeline;
    const struct vc4c_interface *vertex_stage; /* NULL: there is a mesh stage */
    const struct vc4c_interface *writer; /* of what is drawn: the last stage */
    bool emits;                          /* there is a geometry stage */
    uint32_t invocations, max_emitted;   /* of a primitive; by an invocation */
    uint32_t stream;                     /* that is drawn */
    bool drops_stores;                   /* side effects have happened in an earlier replay or part */

    struct vc4vk_primitives source;
    struct vc4vk_tessellation *tessellation; /* NULL: there are no such stages */
    struct vc4vk_meshes *meshes;             /* the same; without most of what follows */
    /* Of a primitive that the geometry stage gets, or that is drawn without one: its vertices, and those of them that
     * are drawn. With tessellation, the tessellator's. */
    uint32_t vertices, corners[3], corner_count;
    uint32_t piece;            /* primitives of a piece at most, or mesh workgroups */
    uint32_t instance, number; /* the instance and the number in it that the next primitive of `source` has */

    /* the piece */
    uint32_t primitive_count, vertex_count;
    struct {
        uint32_t number;
        uint32_t slots[VC4C_PRIMITIVE_VERTICES]; /* of the vertices below */
        bool begins;                             /* is not connected with the primitive before */
    } * primitives;
    struct vertex *distinct; /* the vertices of the piece */
    uint32_t *table;         /* hash table: slot + 1; 0: none */
    uint32_t table_mask;

    /* memory of the programs */
    uint8_t *map;
    uint32_t addr, emitted_B; /* emitted_B: of an emitted vertex */
    struct blocks input, records, primitive_input, output;

    /* what was emitted */
    uint32_t *strip, *list;
    uint32_t strip_count, list_count, emitted_count;
    struct vc4vk_issue_stipple stipple;
};

/* A run of a program. */
struct vc4vk_records_run {
    const struct vc4vk_variant *variant;
    const struct vc4vk_binding_table *table;
    uint32_t lanes, group; /* lanes of a workgroup */
    const struct blocks *in, *out;
    uint32_t vertex_stride_B, patches_addr, patch_vertices; /* VC4C_RECORDS_VERTEX_STRIDE, _PATCHES, _PATCH_VERTICES */
    uint32_t primitives_B, primitive_stride_B;              /* VC4C_RECORDS_PRIMITIVES, _PRIMITIVE_STRIDE */
};

/* -- vc4vk_issue_expand.c -- */

static inline uint32_t *vc4vk_expand_word(const struct expansion *e, const struct blocks *blocks, uint32_t lane,
                                          uint32_t word)
{
    const uint32_t at_B =
        blocks->offset_B + lane / QPU_LANES * blocks->block_B + (word * QPU_LANES + lane % QPU_LANES) * 4;
    return (uint32_t *)(void *)(e->map + at_B);
}

/* The address of a place in the memory of the programs. */
static inline uint32_t vc4vk_expand_addr(const struct expansion *e, const void *place)
{
    return e->addr + (uint32_t)((const uint8_t *)place - e->map);
}

/* The next primitive of the draw, of this instance or of the following one. False: there is none. */
bool vc4vk_expand_next(struct expansion *e, uint32_t vertices_out[VC4VK_MAX_PRIMITIVE_VERTICES]);
/* Begins a piece without vertices. */
void vc4vk_expand_clear_vertices(struct expansion *e);
/* The slot of a vertex of the current instance, a new one if the piece does not have the vertex yet. */
uint32_t vc4vk_expand_slot(struct expansion *e, uint32_t number);
/* Passes over primitives of the draw. */
void vc4vk_expand_skip(struct expansion *e, uint64_t count);
/* Places blocks for so many lanes at at_B; returns where they end. */
uint32_t vc4vk_expand_place(struct blocks *blocks, uint32_t lanes, uint32_t block_B, uint32_t at_B);
bool vc4vk_expand_run(const struct expansion *e, const struct vc4vk_records_run *run);
/* Runs the vertex program for the vertices of the piece. */
bool vc4vk_expand_run_vertices(const struct expansion *e, const struct blocks *records);

/* The lanes of the geometry program. */
static inline uint32_t vc4vk_expand_invocations(const struct expansion *e)
{
    return e->primitive_count * e->invocations;
}

/* -- vc4vk_issue_emitted.c -- */

/* The vertices that a lane of the geometry program has emitted. */
uint32_t vc4vk_emitted_by(const struct expansion *e, uint32_t lane);
/* The records of a primitive's vertices without adjacent ones; returns their number. */
uint32_t vc4vk_emitted_records(const struct expansion *e, uint32_t primitive, const uint32_t *records_out[3]);
/* Lets the stipple pattern pass over the primitives of the piece. */
void vc4vk_emitted_pass_stipples(struct expansion *e);
/* Makes ranges of what the piece has emitted. */
void vc4vk_emitted_add_ranges(struct expansion *e);

/* -- vc4vk_issue_tessellate.c -- */

bool vc4vk_tessellation_begin(struct expansion *e) UTIL_MUST_CHECK; /* false: out of host memory */
void vc4vk_tessellation_finish(struct expansion *e);
/* Reserves memory of the programs from at_B on; returns where it ends. Sets e->input and e->records. */
uint32_t vc4vk_tessellation_place(struct expansion *e, uint32_t at_B);
/* The vertices of the vertex stage, and the patches, of a piece at most. */
uint32_t vc4vk_tessellation_shaded(const struct expansion *e);
/* Goes on to the piece with this number. */
void vc4vk_tessellation_skip(struct expansion *e, uint64_t piece);
/* Makes the next piece of the tessellator's primitives and runs all programs for it, except the geometry program.
 * False: there is none, or a failure. */
bool vc4vk_tessellation_next(struct expansion *e);
/* The number of the piece that vc4vk_tessellation_next has made. */
uint64_t vc4vk_tessellation_number(const struct expansion *e);

#endif
