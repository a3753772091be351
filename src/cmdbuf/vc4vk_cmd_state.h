/* SPDX-License-Identifier: MIT
 *
 * State that draws and dispatches depend on: what is bound, what is current, and which groups of it the job does not
 * know yet.
 */
#ifndef CMDBUF_VC4VK_CMD_STATE_H
#define CMDBUF_VC4VK_CMD_STATE_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "device/vc4vk_memory.h"

struct vc4vk_cmd_buffer;

/* Groups of state that the next draw does not know yet; the dynamic ones keep their own bits (enum vc4vk_dynamic) in
 * front. */
enum vc4vk_dirty {
    VC4VK_DIRTY_PIPELINE = 1 << 8,
    VC4VK_DIRTY_VERTEX_BUFFERS = 1 << 9,
    VC4VK_DIRTY_INDEX_BUFFER = 1 << 10,
    VC4VK_DIRTY_DESCRIPTORS = 1 << 11, /* variants and binding tables are to be looked for */
    VC4VK_DIRTY_PUSH = 1 << 12,
    VC4VK_DIRTY_VARIANTS = 1 << 13,
    VC4VK_DIRTY_TABLES = 1 << 14,
    VC4VK_DIRTY_COUNT = 1 << 15, /* what draws add that occlusion queries count */
    VC4VK_DIRTY_JOB = 1 << 16,   /* a new job has no packets */
    VC4VK_DIRTY_ALL = (1 << 17) - 1,
    /* what struct vc4vk_prepared finds again */
    VC4VK_DIRTY_PREPARED = VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_DESCRIPTORS | VC4VK_DIRTY_VARIANTS | VC4VK_DIRTY_TABLES,
};

#define VC4VK_MAX_DYNAMIC_BUFFERS 16u /* dynamic offsets of one set */

/* A binding table that was written for a list of slots. Pipelines with equal lists share it, and find it again when
 * they take turns. */
struct vc4vk_kept_table {
    const struct vc4vk_table_slot *slots; /* of a variant that was current; NULL: no table is kept here */
    uint32_t slot_count;
    uint32_t changed; /* a bit for each set that changed since it was written */
    struct vc4vk_binding_table table;
};

#define VC4VK_KEPT_TABLES 16u

/* The sets of a bind point. */
struct vc4vk_cmd_sets {
    struct vc4vk_bound_set bound[VC4VK_MAX_SETS];
    uint32_t dynamic_offsets[VC4VK_MAX_SETS][VC4VK_MAX_DYNAMIC_BUFFERS];
    struct vc4vk_set *push[VC4VK_MAX_SETS]; /* what was pushed; lives as long as the recording. NULL: nothing was */
    uint32_t changed;                       /* a bit for each that changed since vc4vk_cmd_sets_note_changes */
    uint32_t serial; /* another one when a set that stays bound says something else: dynamic offsets, pushes */
    struct vc4vk_kept_table kept[VC4VK_KEPT_TABLES];
    uint32_t next_kept; /* the one to be replaced next */
};

/* What is bound to the compute bind point. */
struct vc4vk_compute_state {
    struct vc4vk_pipeline *pipeline;
    struct vc4vk_cmd_sets sets;
    /* made from the above; valid while not dirty */
    bool is_dirty;
    const struct vc4vk_variant *variant;
    struct vc4vk_binding_table table;
};

/* What a pipeline was found to be drawn with, for the sets that were bound. */
struct vc4vk_prepared {
    const struct vc4vk_pipeline *pipeline; /* NULL: nothing is kept here */
    const struct vc4vk_set *sets[VC4VK_MAX_SETS];
    uint32_t sets_serial, tile_inputs;
    uint32_t special; /* VC4VK_SPECIAL_COUNTS of the fragment stage, _BIASES of the vertex stage */
    const struct vc4vk_variant *vertex, *fragment;
    struct vc4vk_binding_table vertex_table, fragment_table;
    uint32_t draw_B;                   /* that one draw takes when it is issued */
    uint8_t growth, passes;            /* vertices drawn for each, at most; how often everything is drawn */
    const struct vc4vk_record *record; /* for the vertex buffers of that serial; or NULL */
    uint32_t vertex_buffers_serial;
    const struct vc4vk_cmd_job *job;         /* knows what such draws ask of it; NULL: none */
    const struct vc4vk_draw_state *recorded; /* for the rest of the state of that serial; or NULL */
    uint32_t rest_serial;
};

/* Pairs of pipeline and sets are found by a hash of their addresses: in a few places each, of which the oldest makes
 * room. */
#define VC4VK_LOG2_PREPARED 3u
#define VC4VK_PREPARED_WAYS 4u
struct vc4vk_prepared_places {
    struct vc4vk_prepared ways[VC4VK_PREPARED_WAYS];
    uint32_t next; /* to be replaced */
};

#define VC4VK_VIEWPORT_PACKETS_B                                                                                       \
    (CL_CLIPPER_XY_SCALING_SIZE_B + CL_CLIPPER_Z_SCALE_OFFSET_SIZE_B + CL_VIEWPORT_OFFSET_SIZE_B)

struct vc4vk_cmd_state {
    struct vc4vk_pipeline *pipeline;
    struct vc4vk_dynamic_state dynamic;
    uint32_t dirty;

    struct {
        const struct vc4vk_buffer *buffer;
        uint64_t offset_B;
    } vertex_buffers[VC4VK_MAX_VERTEX_BINDINGS];
    uint32_t vertex_buffers_serial; /* another one whenever they are */
    struct {
        const struct vc4vk_buffer *buffer;
        uint64_t offset_B;
        uint8_t index_B;
    } index;

    struct vc4vk_cmd_sets sets;
    uint32_t push[VC4VK_MAX_PUSH_B / 4]; /* of both bind points */
    struct vc4vk_compute_state compute;

    /* made from the above; valid while not dirty */
    const struct vc4vk_variant *vertex, *fragment;
    struct vc4vk_prepared *prepared_now;
    uint8_t viewport_packets[VC4VK_VIEWPORT_PACKETS_B]; /* ready to copy */
    bool window_discards; /* the clip window that the job has lets nothing through: the pipeline discards primitives */
    bool is_far;          /* the viewport is one that the chip cannot express */
    uint32_t count;       /* what draws add that occlusion queries count */
    uint32_t rest_serial; /* another one when something else than pipeline and sets changes, and behind each packet */
    const struct vc4vk_draw_state *recorded; /* for draws to point to; NULL before the first draw */

    /* The packets of a job's beginning, with all state in them, as long as none stands behind them: the next job may
     * begin with the same. */
    struct util_stream_place opening;
    uint32_t opening_end_B; /* in the stream; 0: there are none */
    VkRect2D window_area;   /* of the pass: what the clip window was clipped to */

    uint32_t prepared_begun; /* bit mask of places that hold something; the others are not cleared */
    struct vc4vk_prepared_places prepared[1 << VC4VK_LOG2_PREPARED];
};

void vc4vk_cmd_state_reset(struct vc4vk_cmd_state *state);

/* What draws add from here on that occlusion queries count. */
static inline void vc4vk_cmd_state_set_count(struct vc4vk_cmd_state *state, uint32_t count)
{
    state->dirty |= state->count != count ? VC4VK_DIRTY_COUNT : 0;
    state->count = count;
}

/* Was all recorded that draws with these need, and has nothing else changed since? */
static inline bool vc4vk_cmd_state_is_kept(const struct vc4vk_cmd_state *state, const struct vc4vk_prepared *p)
{
    return !(state->dirty & ~(uint32_t)VC4VK_DIRTY_PREPARED) && p->recorded && p->rest_serial == state->rest_serial;
}

/* Once before the stages of a draw or dispatch are prepared. */
void vc4vk_cmd_sets_note_changes(struct vc4vk_cmd_sets *sets);
/* The stage's variant for what is bound, and the binding table that fixes it: a kept one, a copy of it where only some
 * of the sets have changed since, or a new one. `variant` holds what it was the last time. `special`: see
 * vc4vk_pipeline_stage_variant. False after a failure. */
bool vc4vk_cmd_state_prepare_stage(struct vc4vk_cmd_buffer *cmd, struct vc4vk_pipeline *pipeline,
                                   struct vc4vk_pipeline_stage *stage, struct vc4vk_cmd_sets *sets, uint32_t special,
                                   const struct vc4vk_variant **variant, struct vc4vk_binding_table *table);
/* Variants and binding tables for what is bound: before the size of a draw is known. False after a failure. */
bool vc4vk_cmd_state_prepare(struct vc4vk_cmd_buffer *cmd);
/* Records what draws have in common from here on, where the job has been drawn into with this pipeline and these sets
 * before and knows all else. Where nothing but those has changed since, all is as it was then. False: it takes more. */
bool vc4vk_cmd_state_renew(struct vc4vk_cmd_buffer *cmd);
/* A section of a job begins that knows no state: where its packets are to begin. */
struct util_stream_place vc4vk_cmd_state_open(struct vc4vk_cmd_buffer *cmd);
/* Writes the packets that the job lacks, and records what draws have in common from here on. */
void vc4vk_cmd_state_flush(struct vc4vk_cmd_buffer *cmd);
/* The record for the attribute arrays as they are bound: vc4vk_cmd_vertex.c. `like`: of the same pipeline and variants,
 * for other vertex buffers; or NULL. NULL after a failure. */
const struct vc4vk_record *vc4vk_cmd_state_record(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_record *like);

#endif
