/* SPDX-License-Identifier: MIT
 *
 * The build of a job, shared by the issue files. One file per subject: vc4vk_issue.c walks the draws and writes packets
 * and shader records; _uniforms.c writes the uniform streams; _index.c chooses how the chip draws the vertices or
 * indices; _pull.c copies vertices for draws that no 16-bit index can express; _merge.c merges many small instances;
 * _memory.c allocates fresh memory and BO indices; _state.c has the state of the build; _engine.c has what differs for
 * the CPU engine, and _engine_job.c runs jobs on it; _counts.c counts draws for queries.
 */
#ifndef ISSUE_VC4VK_ISSUE_PRIVATE_H
#define ISSUE_VC4VK_ISSUE_PRIVATE_H

#include "issue/vc4vk_draw_job.h"
#include "issue/vc4vk_issue.h"
#include "issue/vc4vk_program_descriptors.h"
#include "util/arena.h"

/* Memory that only this submission uses. */
struct vc4vk_issue_memory {
    void *map;
    struct kmd_bo *bo; /* in the job's table */
    uint32_t offset_B;
};

/* One primitive packet (32 or 33). */
struct vc4vk_issue_range {
    uint8_t mode; /* CL_PRIM_* */
    bool is_indexed;
    struct kmd_bo *index_bo;
    uint32_t index_offset_B;
    uint32_t first; /* not indexed: the first vertex, counted from first_vertex */
    uint32_t count;
    uint32_t max_index;   /* highest vertex, counted from first_vertex */
    int32_t first_vertex; /* where the arrays begin; added to the ramp's numbers it gives gl_VertexIndex */
    int32_t pulled;       /* >= 0: its arrays are issue->pulled[pulled], and first_vertex is 0 */
};

/* Attributes that do not fit a vertex program's part of the VPM. */
struct vc4vk_issue_spill {
    struct kmd_bo *bo;
    uint32_t offset_B, size_B; /* per-vertex attributes */
    uint8_t instance[VC4C_MAX_APPLICATION_ATTRIBUTES * 16]; /* per-instance attributes */
};

struct vc4vk_issue_pulled {
    uint32_t count;
    struct vc4vk_record_array arrays[VC4VK_ATTRIBUTE_ARRAYS_MAX];
    struct vc4vk_issue_spill spills[2]; /* of the vertex and the coordinate program; per-vertex part only */
};

/* What a job of the CPU engine needs besides the lists. */
struct vc4vk_issue_engine {
    uint32_t qpu_count;
    uint32_t scratch_B, scratch_addr; /* size per QPU; address of the memory of all QPUs */
    uint64_t binner_B;                /* estimated size of tile lists */
    bool uses_addresses;              /* a program accesses memory through addresses of its own */
    struct vc4vk_bytes kept;          /* of struct kmd_engine_range: the job's own memory that programs store to */
    struct vc4vk_bytes prints;        /* of struct vc4vk_issue_print: the programs that print */
    struct vc4vk_bytes blocks;        /* of const struct vc4vk_view_state *: images of blocks that they may store to */
    uint32_t color_addr[VC4VK_MAX_REPLAYS], color_pitch_B[VC4VK_MAX_REPLAYS]; /* of colour words that programs store */
};

/* The print memory of a program in an engine job. */
struct vc4vk_issue_print {
    const struct vc4c_program *program;
    uint32_t *memory;
    uint32_t addr;
};

/* The addresses that the stream of an engine job's program contains. */
struct vc4vk_issue_engine_program {
    uint32_t stream_addr, entries_addr, states_addr, push_addr, print_addr;
    uint32_t first_entry[VC4C_MAX_RESOURCES]; /* of each resource */
};

struct vc4vk_issue_piece {
    uint32_t begin_B, size_B;
};

/* A section of the job, gathered into contiguous memory. */
struct vc4vk_issue_section {
    const struct vc4vk_draw_section *recorded;
    uint8_t *packets;
    struct vc4vk_draw *draws;
};

struct vc4vk_issue {
    const struct vc4vk_draw_job *job;
    uint32_t replay; /* which of the fragment programs */
    const struct vc4vk_draw_replay *range; /* has the range of the framebuffer */
    struct vc4vk_job_build *build;
    VkResult result;         /* the first failure; later steps do nothing */
    struct util_arena arena; /* freed at the end of the build */

    struct vc4vk_issue_engine *engine; /* NULL: for the chip */
    bool has_addressed_memory;         /* CPU engine: the table has all memory that has addresses */
    bool has_all_memory;               /* CPU engine: the table has all memory that descriptors may name */
    uint32_t vertices_addr;            /* CPU engine: results that the coordinate program shares with the vertex one */
    uint32_t stream_addr[3];           /* CPU engine: the newest uniforms of fragment, vertex, coordinate program */

    struct vc4vk_issue_section *sections;
    uint32_t section_count;
    const struct vc4vk_issue_section *section; /* the one being issued */
    uint32_t packets_done_B;                   /* how much of its packets has been copied to the list */
    const struct vc4vk_pipeline *pipeline;     /* the last one whose packets were written to the list, or NULL */

    struct vc4vk_state_pool *pool; /* binding tables resolve through it */
    struct vc4vk_issue_descriptors descriptors; /* that are read now */
    struct vc4vk_bo_table bos; /* ORDER: the same indices as build->bos */
    struct kmd_bo *fresh_bo;   /* the source of fresh memory; owned by `build` */
    uint8_t *fresh_map;        /* of the BO */
    uint32_t fresh_next_B, fresh_end_B; /* in the BO */

    struct vc4vk_bytes ranges; /* of vc4vk_issue_range, for the current draw */
    struct vc4vk_bytes pulled; /* of vc4vk_issue_pulled, for the current draw */
    struct vc4vk_issue_spill spills[2]; /* of the current range and instance */

    bool merges;         /* the current draw's instances are merged */
    struct {             /* what programs read of the current draw */
        uint32_t base_vertex, base_instance, index;
    } draw;
    uint32_t sample;     /* the sample being drawn, if programs run once per sample */
    uint32_t viewport;   /* the viewport being drawn, whose packets the list has */
    uint32_t chip_draws; /* if may_take_parts: primitive packets in this part */
    uint64_t binner_B;   /* if may_take_parts: estimated size of this part's tile lists */
    uint64_t expanded_B; /* of vertices that expanders have written for this part */
    struct vc4vk_counts counts;                           /* for queries; added to them when the build has succeeded */
    struct vc4vk_capture *capture;                        /* that draws of the job have written to, or NULL */
    uint32_t captured_before_B[VC4C_MAX_CAPTURE_BUFFERS]; /* its levels before the job, for when the build fails */
    uint64_t expander_left_ns;  /* that expanders may still take on the engine */
    struct kmd_bo *expander_bo; /* memory of the expander that ran last, for the next one; or NULL */

    struct { /* the inputs of the last shader record: draws with equal ones share it */
        const struct vc4vk_draw_state *state; /* NULL: no record yet */
        uint32_t count;
        int32_t first_vertex;
        uint32_t instance, sample, viewport;
        bool is_pulled, reads_draw;
        struct vc4vk_issue_piece record_piece, uniform_piece; /* of the build's streams */
    } last;
};

/* As vc4vk_issue_build; for the CPU engine unless `engine` is NULL. */
VkResult vc4vk_issue_build_for(const struct vc4vk_job *job, struct vc4vk_job_build *build,
                               struct vc4vk_issue_engine *engine);

static inline void vc4vk_issue_fail(struct vc4vk_issue *issue, VkResult result)
{
    if (issue->result == VK_SUCCESS)
        issue->result = result;
}

/* The array's element for an instance of the current draw. */
static inline uint32_t vc4vk_issue_element(const struct vc4vk_issue *issue, const struct vc4vk_record_array *array,
                                           uint32_t instance)
{
    const uint32_t first = issue->draw.base_instance;
    return array->is_ramp || array->divisor == 1 ? instance
           : array->divisor                      ? first + (instance - first) / array->divisor
                                                 : first;
}

/* The viewport of all re-centred jobs, whose centre is the middle of the largest range. It is larger than any range,
 * but its edges still fit 12.4 fixed point. */
#define VC4VK_RECENTRED_AT_PX   1024.0f
#define VC4VK_RECENTRED_HALF_PX 1984.0f

/* _state.c */
/* The variant of a record's vertex stage that fits the job and the draw. Never NULL. */
const struct vc4vk_variant *vc4vk_issue_vertex(struct vc4vk_issue *issue, const struct vc4vk_record *record);
/* Replaces the states of draws with descriptors that are read now by copies for what they say. */
void vc4vk_issue_read_descriptors(struct vc4vk_issue *issue);
/* Appends a range to those of the current draw. */
void vc4vk_issue_add_range(struct vc4vk_issue *issue, const struct vc4vk_issue_range *range);

/* _memory.c */
uint32_t vc4vk_issue_bo_index(struct vc4vk_issue *issue, struct kmd_bo *bo); /* 0 for NULL and after a failure */
/* The device's ramp. Its first word is 0, so it can replace what is not bound. NULL after a failure. */
struct kmd_bo *vc4vk_issue_ramp(struct vc4vk_issue *issue);
bool vc4vk_issue_fresh(struct vc4vk_issue *issue, uint32_t size_B, struct vc4vk_issue_memory *out) UTIL_MUST_CHECK;
/* Returns unused memory to the ring. To be called at the end of a build. */
void vc4vk_issue_fresh_end(struct vc4vk_issue *issue);

/* _index.c: appends the ranges of a draw; indirect parameters must have been read. */
void vc4vk_issue_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record);
/* Whether the primitives of such draws are drawn one by one. */
bool vc4vk_issue_is_one_by_one(const struct vc4vk_draw_state *state);
/* Replaces the ranges of a draw, which are lists, by a range for each primitive. */
void vc4vk_issue_split_ranges(struct vc4vk_issue *issue);
/* The highest vertex, counted from `first_vertex`, that all arrays hold. Ignores arrays that hold no vertex at all. */
uint32_t vc4vk_issue_vertex_bound(const struct vc4vk_record *record, int32_t first_vertex);
/* How many of `count` vertices belong to whole primitives. */
uint32_t vc4vk_topology_trim(uint8_t topology, uint32_t count);

/* The vertices of a draw's primitives as a list, rotated if the first vertex provokes: vertex numbers, or for indexed
 * draws indices to which vertex_offset must be added. NULL when there are none, or after a failure. */
uint32_t *vc4vk_issue_list(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t *count_out);
uint8_t vc4vk_issue_list_mode(const struct vc4vk_draw *draw);

/* Assembles one strip, fan or list of `n` vertices as the draw demands: a list of at most VC4VK_LIST_GROWTH * n
 * vertices. Returns how many; modifies `v`. */
uint32_t vc4vk_issue_assemble(const struct vc4vk_draw *draw, uint32_t *v, uint32_t n, uint32_t *out);
#define VC4VK_LIST_GROWTH 6u
/* Draws an assembled list with copied vertices. */
void vc4vk_issue_draw_list(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                           const uint32_t *ids, uint32_t count);
/* The indices of a draw that the index buffer holds, one after the other; false: none. */
struct vc4vk_issue_indices {
    const uint8_t *data;
    uint32_t count, index_B;
};
bool vc4vk_issue_indices(const struct vc4vk_draw *draw, struct vc4vk_issue_indices *out);

/* _expand.c: runs the expander of a draw, in pieces, and draws what it emits. `from`: as in vc4vk_issue_emit, with the
 * number of the piece above VC4VK_PIECE_BITS. `continues`: the part before has run that piece. False: the part ends
 * here. */
#define VC4VK_PIECE_BITS 20 /* bits of the number of a packet within a piece */
bool vc4vk_issue_expand(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t number, bool continues,
                        uint64_t from);
/* vc4vk_issue.c: draws the ranges, from packet `from` on. `number`: of the draw in the job; `before`: is added to the
 * number of the packet with which the next part begins. False: the part is full. */
bool vc4vk_issue_emit(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, uint32_t number, uint64_t before,
                      uint64_t from);
/* _pull.c: adds arrays whose elements are in place. Returns the value for `pulled` of ranges; negative: failed. */
int32_t vc4vk_issue_place_arrays(struct vc4vk_issue *issue, const struct vc4vk_record_array *arrays, uint32_t count);

/* _merge.c: as vc4vk_issue_ranges, but for all instances at once. */
void vc4vk_issue_merged_ranges(struct vc4vk_issue *issue, const struct vc4vk_draw *draw,
                               const struct vc4vk_record *record);

/* _pull.c: copies the vertices of a draw for each of several instances, with per-instance attributes. *index_out is the
 * value for `pulled` of ranges. */
struct vc4vk_issue_instances {
    const uint32_t *vertices; /* numbers, to which `offset` is added; NULL: consecutive from `offset` on */
    int64_t offset;
    uint32_t vertex_count;
    uint32_t first, count;                      /* instances */
    const struct vc4vk_record_array *numbering; /* an array for the instance numbers; NULL: none */
};
bool vc4vk_issue_pull_instances(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                const struct vc4vk_issue_instances *instances, int32_t *index_out) UTIL_MUST_CHECK;

/* _pull.c: copies `count` vertices from `first` on. *index_out is the value for `pulled` of ranges. False after a
 * failure. */
bool vc4vk_issue_pull_row(struct vc4vk_issue *issue, const struct vc4vk_record *record, int64_t first, uint32_t count,
                          int32_t *index_out) UTIL_MUST_CHECK;
/* For packed records: adds the per-instance arrays to `out`, which has the per-vertex ones, and their spilled
 * attributes to issue->spills. False after a failure. */
bool vc4vk_issue_pack_instance(struct vc4vk_issue *issue, const struct vc4vk_record *record, uint32_t instance,
                               struct vc4vk_record *out) UTIL_MUST_CHECK;
/* Vertices (without vertex_offset) of a list of whole primitives with `per_primitive` vertices each. */
struct vc4vk_issue_vertices {
    /* [0]: the vertices. If needs_triangle also the next [1] and the previous [2] vertex of the triangle, and the
     * number of the vertex within its triangle [3]. */
    const uint32_t *ids[4];
    uint32_t count, per_primitive;
};
/* Copies these vertices and appends the ranges that draw them. */
void vc4vk_issue_pull(struct vc4vk_issue *issue, const struct vc4vk_draw *draw, const struct vc4vk_record *record,
                      const struct vc4vk_issue_vertices *vertices);

/* _engine.c */
/* Returns the BO's address, and adds the BO to the job's table. VC4C_ENGINE_NULL for NULL and on failure. */
uint32_t vc4vk_issue_engine_addr(struct vc4vk_issue *issue, struct kmd_bo *bo);
/* Allocates a program's stream of `words`, and writes what the program reads by address: push constants, binding table
 * and descriptors. False after a failure. */
bool vc4vk_issue_engine_program(struct vc4vk_issue *issue, const struct vc4vk_program_descriptors *descriptors,
                                const struct vc4vk_draw_state *state, uint32_t words, uint32_t **stream_out,
                                struct vc4vk_issue_engine_program *out) UTIL_MUST_CHECK;
/* Sets the addresses of the colour words that the job's programs store to memory. */
void vc4vk_issue_engine_colors(struct vc4vk_issue *issue, const struct vc4vk_stored_colors *stored);
/* Marks memory that only the job uses: stores to it are never dropped. */
void vc4vk_issue_engine_keep(struct vc4vk_issue *issue, uint32_t addr, uint32_t size_B);
/* Allocates memory for the results that the coordinate program shares with the vertex program, if it does. */
void vc4vk_issue_engine_vertices(struct vc4vk_issue *issue, const struct vc4vk_record *record,
                                 const struct vc4vk_issue_range *range);
/* A word of a kind that only the CPU engine has. False: another kind. */
bool vc4vk_issue_engine_word(const struct vc4vk_issue *issue, const struct vc4vk_issue_engine_program *program,
                             const struct vc4c_uniform *u, uint32_t *out);

/* The value of ViewIndex: the view, or 0 in passes without multiview, whose jobs have the layer in its place. */
static inline uint32_t vc4vk_draw_view_index(const struct vc4vk_draw_replay *range)
{
    return range->is_other_layer ? 0 : range->view;
}

/* What counting programs add to the counters of an occlusion query. */
static inline uint32_t vc4vk_issue_count(const struct vc4vk_issue *issue, const struct vc4vk_draw_state *state)
{
    const struct vc4vk_draw_section *section = issue->section->recorded;
    return section->is_executed ? section->count : state->count;
}

/* _uniforms.c: handles and words of the three programs of a record. */
void vc4vk_issue_uniforms(struct vc4vk_issue *issue, const struct vc4vk_draw_state *state, int32_t base_vertex,
                          uint32_t instance);

#endif
