/* SPDX-License-Identifier: MIT
 *
 * A job while it is recorded, and the recipes that it holds until it is issued.
 *
 * Draws of a command buffer go into two streams (struct vc4vk_cmd_lists): packets of state, and the draws. A draw
 * points to what it is made with, a struct vc4vk_draw_state that it shares with its neighbours; this points on to what
 * changes less often. All of it lives as long as the recording, never changes, and names memory by BO and offset. So a
 * job is no more than a few sections of streams, of its own command buffer or of secondaries, and several jobs may
 * refer to one.
 *
 * Issue (vc4vk_issue.h) turns each draw into packets, shader records, handles and uniform words in fresh memory, and
 * BOs into indices of the job's table.
 */
#ifndef CMDBUF_VC4VK_CMD_JOB_H
#define CMDBUF_VC4VK_CMD_JOB_H

#include "pipeline/vc4vk_pipeline.h"
#include "engine/vc4vk_job.h"
#include "util/stream.h"

struct vc4vk_record_array {
    struct kmd_bo *bo;
    uint32_t offset_B;  /* in the BO, of vertex 0 of instance 0 */
    uint32_t bo_size_B; /* what may be read of it: to the end of the buffer's memory */
    uint32_t stride_B;
    uint8_t size_B; /* loaded */
    uint16_t vs_vpm_B, cs_vpm_B;
    uint8_t is_ramp : 1, per_instance : 1, in_vs : 1, in_cs : 1;
    /* The ramp may be of places: of what is copied into fresh memory its numbers are others than those of vertices. Of
     * packed records: what programs read there instead of the VPM. */
    uint8_t is_place : 1, vs_spilled : 1, cs_spilled : 1;
    /* Programs that see the triangle: whose vertex it is (0: the own, 1 next, 2 previous), or which of them it is. */
    uint8_t corner : 2, is_corner : 1;
    uint32_t divisor; /* per_instance: instances that have an element; 0: all */
};

/* Programs, and the attribute arrays as they are bound. */
struct vc4vk_record {
    const struct vc4vk_variant *vertex, *fragment;
    uint8_t array_count;
    uint8_t is_packed;  /* more arrays than the chip has: what they hold is packed into a few when the job is issued */
    uint8_t point_size; /* vertices carry one */
    uint8_t passes;     /* how often everything is drawn: 1, or for each of the samples */
    struct vc4vk_record_array arrays[VC4C_MAX_ARRAYS];
};

/* As recorded: arrays that are not there take no room. */
static inline size_t vc4vk_record_size_B(const struct vc4vk_record *record)
{
    return offsetof(struct vc4vk_record, arrays) + record->array_count * sizeof record->arrays[0];
}

/* What uniform words are made from, beside descriptors and push constants. */
struct vc4vk_uniform_set {
    float viewport_scale_x_16, viewport_scale_y_16, viewport_scale_z, viewport_offset_z;
    float viewport_centre_x_px, viewport_centre_y_px;
    float blend_constants[4];
    uint32_t stencil_words[VC4VK_STENCIL_WORDS_MAX];
    uint32_t sample_mask;
    bool sample_shading;
    float depth_bias, depth_bias_slope, depth_bias_least, depth_bias_most; /* in depth */
};

/* Where the numbers of indirect draws lie. */
struct vc4vk_indirect {
    struct kmd_bo *bo, *count_bo; /* `count_bo` NULL: there are as many draws as were recorded */
    uint32_t offset_B, stride_B;  /* of draw 0; from draw to draw */
    uint32_t count_offset_B;
};

/* What draws are made with, until something is bound or set anew. */
struct vc4vk_draw_state {
    const struct vc4vk_pipeline *pipeline; /* whose packets stand before the draws */
    const struct vc4vk_record *record;
    const struct vc4vk_uniform_set *uniforms;
    const uint32_t *push;                  /* VC4VK_MAX_PUSH_B */
    const struct vc4vk_indirect *indirect; /* counts are read from memory when the job is issued; or NULL */
    struct vc4vk_binding_table vertex_table, fragment_table;
    struct kmd_bo *index_bo;
    uint32_t index_offset_B, index_limit_B; /* of the bound range: first byte in the BO, size */
    uint32_t packets_end_B;                 /* the command buffer's packets up to there stand before the draws, too */
    uint32_t count;                         /* what programs add that count for occlusion queries */
    uint32_t instances_before;              /* of the draw that they are a part of */
    uint8_t topology;                       /* VkPrimitiveTopology */
    bool restart;                           /* the highest index restarts strips and fans */
    bool first_provokes;                    /* programs have flat inputs: the first vertex of primitives gives them */
    bool last_provokes;                     /* the last vertex does: lists name it last, as the chip has it */
    bool needs_triangle;                     /* programs have the other corners of each vertex' triangle */
    uint8_t polygon;                        /* enum vc4vk_polygon */
    bool has_adjacency;                     /* vertices that no primitive is made of lie between the others */
};

struct vc4vk_draw {
    const struct vc4vk_draw_state *state;
    uint32_t first, count; /* vertices, or indices; indirect: `first` is the draw's number */
    uint32_t first_instance, instance_count;
    int32_t vertex_offset;
    uint8_t index_B; /* bytes of an index: 0 (not indexed), 1, 2, 4 */
    bool merges;     /* many small instances: as few draws of the chip as can be (vc4vk_issue_merge.c) */
};
_Static_assert(sizeof(struct vc4vk_draw) <= 32, "thousands of them are recorded");
_Static_assert(sizeof(struct vc4vk_draw) <= UTIL_STREAM_MAX_RESERVE_B, "a draw is reserved in one piece");

/* What all jobs of a command buffer are recorded into. */
struct vc4vk_cmd_lists {
    struct util_stream packets; /* of state, in order; draws are no packets yet */
    struct util_stream draws;   /* struct vc4vk_draw */
};

/* Draws that follow each other in a command buffer, and the packets before them. */
struct vc4vk_cmd_section {
    struct vc4vk_cmd_section *next;
    const struct vc4vk_cmd_lists *lists;
    struct util_stream_place packets, draws; /* where they begin */
    uint32_t packets_B, draw_count;
    /* Of a secondary: its windows may reach beyond the framebuffer, and its draws count for the primary's query. */
    bool is_executed;
    uint32_t count; /* instead of the draws' own */
};

struct vc4vk_cmd_job;
struct vc4vk_cmd_pass;
struct vc4vk_cmd_stage;

/* Where the words of colour lie that a job's programs store: those of the replays that it does not have. */
struct vc4vk_cmd_stored {
    const struct vc4vk_cmd_stage *stages[VC4VK_MAX_REPLAYS]; /* by replay; NULL for the first */
};

/* A job of the queue: the recorded draws with one of the pipelines' programs, in one range of the framebuffer. */
struct vc4vk_cmd_replay {
    struct vc4vk_job base; /* its `data` is the replay */
    const struct vc4vk_cmd_job *draws;
    uint32_t draw_count;          /* the first so many */
    uint32_t index;               /* of the pipelines' replays */
    uint32_t x_px, y_px, width_px, height_px; /* the range of the framebuffer */
    uint32_t view;                            /* of multiview */
    const struct kmd_render *later_part; /* what the parts after the first load and store; NULL: there is one part */
    bool has_binned; /* in another range: side effects of vertices are done */
    const struct vc4vk_cmd_stored *stored; /* NULL: programs store no colour */
};

struct vc4vk_cmd_job {
    struct vc4vk_cmd_section first, *last; /* `last` is NULL before the first draw */
    uint32_t packets_B;                    /* of all sections but the one that is being recorded */
    struct vc4vk_device *device;
    const struct vc4vk_job_limits *limits;
    const char *label;             /* of the application, for people; or NULL */
    uint32_t draw_count;           /* in all sections */
    uint32_t chip_draws;           /* packets that they become: instances counted */
    uint64_t estimate_B;           /* of lists, records, uniforms at issue */
    uint64_t binner_B;             /* estimate of tile lists */
    enum vc4vk_job_class class;
    bool forces_engine; /* VC4VK_DEBUG=force-cpu-engine */
    bool needs_idle; /* vertex programs read what an earlier job renders */
    /* Some draws are indirect: their counts are known at issue only, where the job becomes as many parts as the limits
     * ask for. All that it writes is stored, and parts after the first load it again. */
    bool may_take_parts;
    /* Queries that it counts for, in order (vc4vk_cmd_query.h), and up to which draw. Then all its draws have programs
     * that count; they may have them without. */
    struct vc4vk_cmd_count *counts, *last_count;
    uint32_t counted_draws;
    bool has_counting_programs;
    uint64_t primitives;      /* no more than so many; of secondaries that may be executed inside a query */
    uint32_t written_replays; /* bit mask: those whose colour some draw may change */
    bool writes_depth;
    bool has_side_effects; /* programs store: it has to run, and once only */
    uint8_t samples;       /* of its pipelines; 0: no draw so far */
    uint8_t replay_count;  /* the same */
    uint32_t pairs;        /* the same */
    /* Clip space is moved by the programs: for viewports that the chip cannot express, and framebuffers that take
     * ranges. */
    bool is_recentred;
    bool stores_colors;    /* of all its pipelines: there is one replay, and programs store what others would draw */
    uint16_t max_x_px, max_y_px; /* extent of the tile grid: clip windows end there */
};

/* Has the CPU engine to run it? Known when all draws are recorded. */
static inline bool vc4vk_cmd_job_is_for_engine(const struct vc4vk_cmd_job *job)
{
    return job->class == VC4VK_JOB_CPU || job->forces_engine;
}

/* Limits of a job; smaller ones with VC4VK_DEBUG=tiny. */
struct vc4vk_job_limits {
    uint32_t chunk_B;
    uint32_t chip_draws; /* HW-2116: state counters wrap [hardware notes 7.5] */
    uint64_t bytes_B;
    uint64_t binner_B;
};
const struct vc4vk_job_limits *vc4vk_job_limits(void);

/* What draws take when they are issued. */
struct vc4vk_cmd_cost {
    uint32_t chip_draws;
    uint64_t estimate_B, binner_B;
};

/* Tile lists of one draw, roughly; and how much of it is the draw's state, whatever it draws. */
static inline uint64_t vc4vk_binner_state_B(uint32_t tiles)
{
    return UINT64_C(48) * tiles;
}
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices);

/* Would the job exceed a limit with this much more? A job without draws never does. */
static inline bool vc4vk_cmd_job_is_full(const struct vc4vk_cmd_job *job, const struct vc4vk_cmd_cost *more)
{
    const struct vc4vk_job_limits *limits = job->limits;
    return job->draw_count &&
           (job->chip_draws + more->chip_draws > limits->chip_draws ||
            job->estimate_B + more->estimate_B > limits->bytes_B || job->binner_B + more->binner_B > limits->binner_B);
}

/* Its next draws stand in these lists, from the end on, and their packets from that place on. */
void vc4vk_cmd_job_begin_section(struct vc4vk_cmd_job *job, struct vc4vk_cmd_section *section,
                                 const struct vc4vk_cmd_lists *lists, struct util_stream_place packets);
/* What was written to the lists belongs to it. */
static inline void vc4vk_cmd_job_end_section(struct vc4vk_cmd_job *job)
{
    struct vc4vk_cmd_section *last = job->last;
    if (!last || last->is_executed)
        return;
    last->packets_B = last->lists->packets.size_B - last->packets.in_stream_B;
    job->packets_B += last->packets_B;
}

/* A draw behind the last one. */
static inline void vc4vk_cmd_job_add_draw(struct vc4vk_cmd_job *job, struct vc4vk_cmd_lists *lists,
                                          const struct vc4vk_draw *draw, const struct vc4vk_cmd_cost *cost)
{
    *(struct vc4vk_draw *)util_stream_reserve(&lists->draws, sizeof *draw) = *draw;
    job->last->draw_count++;
    job->draw_count++;
    job->chip_draws += cost->chip_draws;
    job->estimate_B += cost->estimate_B;
    job->binner_B += cost->binner_B;
}

/* All draws of a secondary's job, by reference, as a section behind the others. `count`: what those of its programs add
 * that count. */
void vc4vk_cmd_job_execute(struct vc4vk_cmd_job *job, struct vc4vk_cmd_section *section,
                           const struct vc4vk_cmd_job *from, uint32_t count);

/* The device's memory of numbers 0, 1, 2, ... 65535 that feeds gl_VertexIndex; the zeros behind them stand in where
 * nothing is bound. */
VkResult vc4vk_device_ramp(struct vc4vk_device *device, struct kmd_bo **out);
#define VC4VK_RAMP_COUNT   65536u
#define VC4VK_ZEROS_AT_B   (VC4VK_RAMP_COUNT * 4u)
#define VC4VK_ZEROS_B      256u /* the largest array */

/* The ring of the queue with this timeline; NULL: of what has finished when its build ends. NULL when there is none. */
struct vc4vk_upload_ring *vc4vk_device_upload_ring(struct vc4vk_device *device, const struct kmd_timeline *timeline);

#endif
