/* SPDX-License-Identifier: MIT
 *
 * Issue: turns a recorded job into what one submission takes. It runs on the dispatcher's thread once everything that
 * the job depends on has been done, so it may read application memory: uniform words, indices, indirect parameters.
 * Nothing that it reads is kept for the next submission.
 *
 * One file per subject: vc4vk_issue.c walks the draws and writes packets and shader records, _uniforms.c the uniform
 * streams, _index.c decides what indices the chip is given, _pull.c copies vertices for draws that no 16-bit index can
 * express, _merge.c those of many small instances, _memory.c hands out fresh memory and BO indices, _engine.c does what
 * is other for the CPU engine.
 */
#ifndef CMDBUF_VC4VK_ISSUE_H
#define CMDBUF_VC4VK_ISSUE_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "cmdbuf/vc4vk_program_descriptors.h"
#include "util/arena.h"

VkResult vc4vk_issue_build(const struct vc4vk_job *job, struct vc4vk_job_build *build);

/* Builds a replay's job and runs it on the CPU engine, now. `arguments`: the struct vc4vk_job. */
VkResult vc4vk_issue_engine_job(void *arguments);

/* ---------------------------------------------------------------- private to the issue files */

/* Memory for this submission alone. */
struct vc4vk_issue_memory {
    void *map;
    struct kmd_bo *bo; /* in the job's table */
    uint32_t offset_B;
};

/* One packet 32 or 33: what the chip can do in one go. */
struct vc4vk_issue_range {
    uint8_t mode; /* CL_PRIM_* */
    bool is_indexed;
    struct kmd_bo *index_bo;
    uint32_t index_offset_B;
    uint32_t count;
    uint32_t max_index;   /* highest vertex counted from first_vertex */
    int32_t first_vertex; /* the arrays begin there; what the ramp's numbers lack to gl_VertexIndex */
    int32_t pulled;       /* >= 0: its arrays, an index into issue->pulled; first_vertex is 0 then */
};

/* Where a vertex program finds what its VPM has no room for. */
struct vc4vk_issue_spill {
    struct kmd_bo *bo;
    uint32_t offset_B, size_B; /* of vertices */
    uint8_t instance[VC4C_MAX_ATTRIBUTES * 16];
};

struct vc4vk_issue_pulled {
    uint32_t count;
    struct vc4vk_record_array arrays[VC4VK_ATTRIBUTE_ARRAYS_MAX];
    struct vc4vk_issue_spill spills[2]; /* of the vertex and the coordinate program; without what instances have */
};

/* What a job of the CPU engine has beside the lists. */
struct vc4vk_issue_engine {
    uint32_t qpu_count;
    uint32_t scratch_B, scratch_addr; /* of a QPU; of them all */
    uint64_t binner_B;                /* estimate of tile lists */
    struct vc4vk_bytes kept;          /* of struct kmd_engine_range: memory of the job alone that programs store to */
    struct vc4vk_bytes blocks;        /* of const struct vc4vk_view_state *: images of blocks that they may store to */
    uint32_t color_addr[VC4VK_MAX_REPLAYS], color_pitch_B[VC4VK_MAX_REPLAYS]; /* of words that programs store */
};

/* Where a program of an engine job finds what its stream names. */
struct vc4vk_issue_engine_program {
    uint32_t stream_addr, entries_addr, states_addr, push_addr;
    uint32_t first_entry[VC4C_MAX_RESOURCES]; /* of each resource */
};

struct vc4vk_issue_piece {
    uint32_t begin_B, size_B;
};

/* A section of the job, in one piece. */
struct vc4vk_issue_section {
    const struct vc4vk_cmd_section *recorded;
    uint8_t *packets;
    struct vc4vk_draw *draws;
};

struct vc4vk_issue {
    const struct vc4vk_cmd_job *job;
    uint32_t replay; /* which of the fragment programs */
    const struct vc4vk_cmd_replay *range; /* the range of the framebuffer */
    struct vc4vk_job_build *build;
    VkResult result;         /* the first failure; later steps do nothing */
    struct util_arena arena; /* of this build */

    struct vc4vk_issue_engine *engine; /* NULL: for the chip */
    uint32_t vertices_addr;            /* on the engine: what the coordinate program hands on */
    uint32_t stream_addr[3];           /* on the engine: of the last uniforms; fragment, vertex, coordinate program */

    struct vc4vk_issue_section *sections;
    uint32_t section_count;
    const struct vc4vk_issue_section *section; /* that is being issued */
    uint32_t packets_done_B;                   /* of it, copied to the list so far */
    const struct vc4vk_pipeline *pipeline;     /* whose packets the list had last, or NULL */

    struct vc4vk_state_pool *pool; /* binding tables resolve through it */
    struct vc4vk_bo_table bos; /* ORDER: the same indices as build->bos */
    struct kmd_bo *fresh_bo;   /* where the next fresh memory comes from; owned by `build` */
    uint8_t *fresh_map;        /* of the BO */
    uint32_t fresh_next_B, fresh_end_B; /* in the BO */

    struct vc4vk_bytes ranges; /* of vc4vk_issue_range: of the current draw */
    struct vc4vk_bytes pulled; /* of vc4vk_issue_pulled: the same */
    struct vc4vk_issue_spill spills[2]; /* of the current range and instance */

    bool merges;         /* the current draw's instances */
    struct {             /* the current draw, as programs see it */
        uint32_t base_vertex, base_instance, index;
    } draw;
    uint32_t sample;     /* that is drawn, where programs run for each */
    uint32_t chip_draws; /* of a job that may take parts, in this one */
    uint64_t binner_B;   /* the same */

    struct { /* what the last shader record was made from: equal draws share it */
        const struct vc4vk_draw_state *state; /* NULL: there is none */
        uint32_t count;
        int32_t first_vertex;
        uint32_t instance, sample;
        bool is_pulled, reads_draw;
        struct vc4vk_issue_piece record_piece, uniform_piece; /* of the build's streams */
    } last;
};

/* vc4vk_issue_build, for the CPU engine unless `engine` is NULL. */
VkResult vc4vk_issue_build_for(const struct vc4vk_job *job, struct vc4vk_job_build *build,
                               struct vc4vk_issue_engine *engine);

void vc4vk_issue_fail(struct vc4vk_issue *issue, VkResult result);

/* The array's element that an instance of the current draw has. */
static inline uint32_t vc4vk_issue_element(const struct vc4vk_issue *issue, const struct vc4vk_record_array *array,
                                           uint32_t instance)
{
    const uint32_t first = issue->draw.base_instance;
    return array->is_ramp || array->divisor == 1 ? instance
           : array->divisor                      ? first + (instance - first) / array->divisor
                                                 : first;
}

/* Viewports of re-centred jobs: the same for all, in the middle of the largest range. Clip space ends around what is
 * drawn, where 12.4 can still hold it. */
#define VC4VK_RECENTRED_AT_PX   1024.0f
#define VC4VK_RECENTRED_HALF_PX 1984.0f

/* The programs of a record's vertex stage that the job runs. Never NULL. */
const struct vc4vk_variant *vc4vk_issue_vertex(struct vc4vk_issue *issue, const struct vc4vk_record *record);

/* _memory.c */
uint32_t vc4vk_issue_bo_index(struct vc4vk_issue *issue, struct kmd_bo *bo); /* NULL after a failure: 0 */
/* Its first word is 0: stands in for what is not bound. NULL after a failure. */
struct kmd_bo *vc4vk_issue_ramp(struct vc4vk_issue *issue);
bool vc4vk_issue_fresh(struct vc4vk_issue *issue, uint32_t size_B, struct vc4vk_issue_memory *out) UTIL_MUST_CHECK;
/* What was taken for more and is not used goes back. At the end of a build. */
void vc4vk_issue_fresh_end(struct vc4vk_issue *issue);

/* _index.c: appends the ranges of a draw whose counts are known. */
void vc4vk_issue_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record);
void vc4vk_issue_add_range(struct vc4vk_issue *issue, const struct vc4vk_issue_range *range);
/* Highest vertex, counted from `first_vertex`, that all arrays hold; arrays that hold none do not count. */
uint32_t vc4vk_issue_vertex_bound(const struct vc4vk_record *record, int32_t first_vertex);
/* Vertices of whole primitives among `count`. */
uint32_t vc4vk_topology_trim(uint8_t topology, uint32_t count);

/* The vertices of a draw's primitives as a list, turned where the first one provokes: of arrays their numbers, of
 * others their indices, to which vertex_offset is added. NULL: there are none, or after a failure. */
uint32_t *vc4vk_issue_list(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t *count_out);
uint8_t vc4vk_issue_list_mode(const struct vc4vk_draw *draw);

/* _merge.c: the same as vc4vk_issue_ranges, of all instances at once. */
void vc4vk_issue_merged_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw,
                               const struct vc4vk_record *record);

/* _pull.c: the vertices of a draw, copied for each of some instances, with what these have. `out`: for ranges. */
struct vc4vk_issue_instances {
    const uint32_t *vertices; /* numbers without `offset`; NULL: one behind the other */
    int64_t offset;
    uint32_t vertex_count;
    uint32_t first, count;                      /* instances */
    const struct vc4vk_record_array *numbering; /* an array for the instances' numbers; NULL: none */
};
bool vc4vk_issue_pull_instances(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                const struct vc4vk_issue_instances *instances, int32_t *index_out) UTIL_MUST_CHECK;

/* _pull.c: copies `count` vertices from `first` on for ranges of this draw: the value of their `pulled`. False after a
 * failure. */
bool vc4vk_issue_pull_row(struct vc4vk_issue *issue, const struct vc4vk_record *record, int64_t first, uint32_t count,
                          int32_t *index_out) UTIL_MUST_CHECK;
/* Adds the arrays of this instance to `out`, which holds those of vertices, and what they have spilled to
 * issue->spills. Of packed records. False after a failure. */
bool vc4vk_issue_pack_instance(struct vc4vk_issue *issue, const struct vc4vk_record *record, uint32_t instance,
                               struct vc4vk_record *out) UTIL_MUST_CHECK;
/* Vertices (without vertex_offset) of whole primitives of a list topology of `per_primitive`. */
struct vc4vk_issue_vertices {
    const uint32_t *ids[4]; /* programs that see the triangle: also next and previous corner, and which corner it is */
    uint32_t count, per_primitive;
};
/* The same with ranges. */
void vc4vk_issue_pull(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                      const struct vc4vk_issue_vertices *vertices);

/* _engine.c */
/* The BO's address, after it has become one that the job may touch; VC4C_ENGINE_NULL for NULL and on failure. */
uint32_t vc4vk_issue_engine_addr(struct vc4vk_issue *issue, struct kmd_bo *bo);
/* Memory for a program's stream of `words`, with what the program reads by address. False after a failure. */
bool vc4vk_issue_engine_program(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *descriptors,
                                const struct vc4vk_draw_state *state, uint32_t words, uint32_t **stream_out,
                                struct vc4vk_issue_engine_program *out) UTIL_MUST_CHECK;
/* Finds what the job's programs store to beside the tile buffer. */
void vc4vk_issue_engine_colors(struct vc4vk_issue *issue, const struct vc4vk_cmd_stored *stored);
/* The job alone has this memory: stores to it are never dropped. */
void vc4vk_issue_engine_keep(struct vc4vk_issue *issue, uint32_t addr, uint32_t size_B);
/* Memory for what the coordinate program of the record hands on; none where it does not. */
void vc4vk_issue_engine_vertices(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                 const struct vc4vk_issue_range *range);
/* Words that only the engine has; false: another kind. */
bool vc4vk_issue_engine_word(const struct vc4vk_issue *issue, const struct vc4vk_issue_engine_program *program,
                             const struct vc4c_uniform *u, uint32_t *out);

/* What programs add that count for the occlusion query of such draws. */
static inline uint32_t vc4vk_issue_count(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state)
{
    const struct vc4vk_cmd_section *section = issue->section->recorded;
    return section->is_executed ? section->count : state->count;
}

/* _uniforms.c: handles and words of the three programs of a record. */
void vc4vk_issue_uniforms(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, int32_t base_vertex,
                          uint32_t instance);

#endif
