/* SPDX-License-Identifier: MIT
 *
 * A job while it is recorded, and the recipes that it holds until it is issued.
 *
 * The job's streams (queue/vc4vk_job.h) are used like this:
 *     bin_cl      packets of state, in order; draws are no packets yet
 *     shader_rec  struct vc4vk_record: programs and attribute arrays, memory as indices of the BO table
 *     uniforms    struct vc4vk_uniform_set: what uniform words are made from
 *     draws       struct vc4vk_draw: names how far the list goes before it, and its record and uniform set
 *
 * Issue (vc4vk_issue.h) turns each draw into packets, shader records, handles and uniform words in fresh memory.
 */
#ifndef CMDBUF_VC4VK_CMD_JOB_H
#define CMDBUF_VC4VK_CMD_JOB_H

#include "pipeline/vc4vk_pipeline.h"
#include "queue/vc4vk_job.h"

struct vc4vk_record_array {
    uint32_t bo_index;
    uint32_t offset_B; /* in the BO, of vertex 0 of instance 0 */
    uint32_t bo_size_B; /* what may be read of it: to the end of the buffer's memory */
    uint32_t stride_B;
    uint8_t size_B; /* loaded */
    uint8_t vs_vpm_B, cs_vpm_B;
    uint8_t is_ramp : 1, per_instance : 1, in_vs : 1, in_cs : 1;
    /* Of packed records: places in fresh memory, and what programs read there instead of the VPM. */
    uint8_t is_place : 1, vs_spilled : 1, cs_spilled : 1;
};

struct vc4vk_record {
    const struct vc4vk_variant *vertex, *fragment;
    uint32_t fs_bo, vs_bo, cs_bo; /* fs_bo: of replay 0, others look theirs up */
    uint8_t array_count;
    uint8_t is_packed;  /* more arrays than the chip has: what they hold is packed into a few when the job is issued */
    uint8_t point_size; /* vertices carry one */
    uint8_t passes;     /* how often everything is drawn: 1, or for each of the samples */
    struct vc4vk_record_array arrays[VC4C_MAX_ARRAYS];
};

/* In the stream: arrays that are not there take no room. */
static inline uint32_t vc4vk_record_size_B(const struct vc4vk_record *record)
{
    const uint32_t size_B =
        (uint32_t)(offsetof(struct vc4vk_record, arrays) + record->array_count * sizeof record->arrays[0]);
    return util_align(size_B, _Alignof(struct vc4vk_record));
}

struct vc4vk_uniform_set {
    struct vc4vk_binding_table vertex_table, fragment_table;
    float viewport_scale_x_16, viewport_scale_y_16, viewport_scale_z, viewport_offset_z;
    float viewport_centre_x_px, viewport_centre_y_px;
    float blend_constants[4];
    uint32_t stencil_words[VC4VK_STENCIL_WORDS_MAX];
    uint32_t sample_mask;
    bool sample_shading;
    uint32_t count; /* what programs add that count for occlusion queries */
    uint32_t push[VC4VK_MAX_PUSH_B / 4];
};

struct vc4vk_draw {
    uint32_t bin_cl_B;     /* bytes of the job's list that stand before it */
    uint32_t record_B;     /* where its record begins in shader_rec */
    uint32_t uniform_B;    /* where its uniform set begins in uniforms */
    uint8_t topology;      /* VkPrimitiveTopology */
    uint8_t index_B;       /* bytes of an index: 0 (not indexed), 2, 4 */
    uint8_t restart : 1;   /* the highest index restarts strips and fans */
    uint8_t first_provokes : 1; /* programs have flat inputs: the first vertex of primitives gives them */
    uint8_t indirect;      /* counts are read from memory at `indirect_*` when the job is issued */
    uint32_t first,
        count; /* vertices, or indices; indirect: `first` is the draw's number, drawn when it is below the */
               /* word at `draw_count_*`, if there is one */
    uint32_t first_instance, instance_count;
    int32_t vertex_offset;
    uint32_t index_bo, index_offset_B, index_limit_B; /* of the bound range: first byte in the BO, size */
    uint32_t indirect_bo, indirect_offset_B;
    uint32_t draw_count_bo, draw_count_offset_B; /* KMD_NO_BO: none */
};
_Static_assert(sizeof(struct vc4vk_draw) <= UTIL_STREAM_MAX_RESERVE_B, "a draw is reserved in one piece");

struct vc4vk_cmd_job;
struct vc4vk_cmd_pass;
struct vc4vk_cmd_stage;

/* Where the words of colour lie that a job's programs store: those of the replays that it does not have. */
struct vc4vk_cmd_stored {
    const struct vc4vk_cmd_stage *stages[VC4VK_MAX_REPLAYS]; /* by replay; NULL for the first */
};

/* What is built from a recorded job: its draws with one of the pipelines' programs. `data` of the queue's job. */
struct vc4vk_cmd_replay {
    const struct vc4vk_cmd_job *draws;
    uint32_t draw_count;          /* the first so many */
    uint32_t index;               /* of the pipelines' replays */
    uint32_t x_px, y_px, width_px, height_px; /* the range of the framebuffer */
    uint32_t view;                            /* of multiview */
    struct kmd_render later_part; /* what the parts after the first load and store */
    bool has_binned; /* in another range: side effects of vertices are done */
    const struct vc4vk_cmd_stored *stored; /* NULL: programs store no colour */
    struct vc4vk_cpu_op engine_op; /* instead of the job, on the CPU engine */
};

/* Replays after the first have a job of their own, with the same BO table in front. */
struct vc4vk_cmd_replay_job {
    struct vc4vk_job base;
    struct vc4vk_cmd_replay replay;
    struct vc4vk_cmd_replay_job *next;
};

struct vc4vk_cmd_job {
    struct vc4vk_job base; /* of the first replay */
    struct vc4vk_cmd_replay replay;
    struct vc4vk_cmd_replay_job *replays; /* the others, for clean-up */
    struct util_stream draws;
    struct vc4vk_device *device;
    struct vc4vk_state_pool *pool; /* binding tables resolve through it */
    struct vc4vk_cmd_job *next;    /* of all jobs of the command buffer, for clean-up */
    uint32_t draw_count;           /* in the stream */
    uint32_t chip_draws;           /* packets that they become: instances counted */
    uint64_t estimate_B;           /* of lists, records, uniforms at issue */
    uint64_t binner_B;             /* estimate of tile lists */
    bool has_bin_header;
    /* Some draws are indirect: their counts are known at issue only, where the job becomes as many parts as the limits
     * ask for. All that it writes is stored, and parts after the first load it again. */
    bool may_take_parts;
    /* Queries that it counts for, in order (vc4vk_cmd_query.h), and up to which draw. Then all its draws have programs
     * that count; they may have them without. */
    struct vc4vk_cmd_count *counts, *last_count;
    uint32_t counted_draws;
    bool has_counting_programs;
    uint64_t primitives;      /* no more than so many */
    uint32_t written_replays; /* bit mask: those whose colour some draw may change */
    bool writes_depth;
    bool has_side_effects; /* programs store: it has to run, and once only */
    uint8_t samples;       /* of its pipelines; 0: no draw so far */
    uint32_t pairs;        /* the same */
    /* Clip space is moved by the programs: for viewports that the chip cannot express, and framebuffers that take
     * ranges. */
    bool is_recentred;
    bool stores_colors;    /* of all its pipelines: there is one replay, and programs store what others would draw */
    uint16_t max_x_px, max_y_px; /* extent of the tile grid: clip windows end there */
};

/* Has the CPU engine to run it? Known when all draws are recorded. */
bool vc4vk_cmd_job_is_for_engine(const struct vc4vk_cmd_job *job);

/* Limits of a job; smaller ones with VC4VK_DEBUG=tiny. */
struct vc4vk_job_limits {
    uint32_t chunk_B;
    uint32_t chip_draws; /* HW-2116: state counters wrap [hardware notes 7.5] */
    uint64_t bytes_B;
    uint64_t binner_B;
};
const struct vc4vk_job_limits *vc4vk_job_limits(void);

VkResult vc4vk_cmd_job_init(struct vc4vk_cmd_job *job, struct vc4vk_device *device, const struct util_alloc *alloc);
void vc4vk_cmd_job_finish(struct vc4vk_cmd_job *job);
/* It ran out of memory while it was recorded. */
bool vc4vk_cmd_job_has_failed(const struct vc4vk_cmd_job *job);

/* Tile lists of one draw, roughly. */
uint64_t vc4vk_binner_estimate_B(uint32_t tiles, VkPrimitiveTopology topology, uint64_t vertices);

/* Would the job exceed a limit with this much more? A job without draws never does. */
bool vc4vk_cmd_job_is_full(const struct vc4vk_cmd_job *job, uint32_t chip_draws, uint64_t bytes_B, uint64_t binner_B);

/* Tile grid and start of binning: before the first draw. */
void vc4vk_cmd_job_begin_binning(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_pass *pass);

/* Appends all draws of `from`, recorded elsewhere (a secondary command buffer): re-bases the indices of its BO table,
 * its offsets, and clips its windows to the job's extent. `count`: what those of its programs add that count. */
void vc4vk_cmd_job_append(struct vc4vk_cmd_job *job, const struct vc4vk_cmd_job *from, uint32_t count);

/* The device's memory of numbers 0, 1, 2, ... 65535 that feeds gl_VertexIndex; the zeros behind them stand in where
 * nothing is bound. */
VkResult vc4vk_device_ramp(struct vc4vk_device *device, struct kmd_bo **out);
#define VC4VK_RAMP_COUNT   65536u
#define VC4VK_ZEROS_AT_B   (VC4VK_RAMP_COUNT * 4u)
#define VC4VK_ZEROS_B      256u /* the largest array */

/* The ring of the queue with this timeline; NULL: of what has finished when its build ends. NULL when there is none. */
struct vc4vk_upload_ring *vc4vk_device_upload_ring(struct vc4vk_device *device, const struct kmd_timeline *timeline);

#endif
