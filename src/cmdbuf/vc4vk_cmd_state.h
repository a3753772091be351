/* SPDX-License-Identifier: MIT
 *
 * State that draws and dispatches depend on: bindings, dynamic state, and which groups of it have not been written to
 * the job yet.
 */
#ifndef CMDBUF_VC4VK_CMD_STATE_H
#define CMDBUF_VC4VK_CMD_STATE_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "device/vc4vk_memory.h"
#include "pipeline/vc4vk_shader_object.h"

struct vc4vk_cmd_buffer;

/* Groups of state that the next draw has to write. The low bits are those of the dynamic state (enum vc4vk_dynamic). */
enum vc4vk_dirty {
    VC4VK_DIRTY_PIPELINE = 1 << 9,
    VC4VK_DIRTY_VERTEX_BUFFERS = 1 << 10,
    VC4VK_DIRTY_INDEX_BUFFER = 1 << 11,
    VC4VK_DIRTY_DESCRIPTORS = 1 << 12, /* variants and binding tables must be looked up again */
    VC4VK_DIRTY_PUSH = 1 << 13,
    VC4VK_DIRTY_VARIANTS = 1 << 14,
    VC4VK_DIRTY_TABLES = 1 << 15,
    VC4VK_DIRTY_COUNT = 1 << 16,     /* what draws add to the counters of an occlusion query */
    VC4VK_DIRTY_JOB = 1 << 17,       /* the job is new: it has no packets */
    VC4VK_DIRTY_CHOICE = 1 << 18,    /* the instance of the bound pipeline must be looked up again */
    VC4VK_DIRTY_CONDITION = 1 << 19, /* of conditional rendering */
    VC4VK_DIRTY_ALL = (1 << 20) - 1,
    /* what struct vc4vk_prepared caches */
    VC4VK_DIRTY_PREPARED = VC4VK_DIRTY_PIPELINE | VC4VK_DIRTY_DESCRIPTORS | VC4VK_DIRTY_VARIANTS | VC4VK_DIRTY_TABLES,
};

#define VC4VK_MAX_DYNAMIC_BUFFERS 16u /* dynamic offsets of one set */

/* A cached binding table, written for a list of slots. Pipelines with equal lists share it, so alternating between them
 * does not write new tables. */
struct vc4vk_cached_table {
    const struct vc4vk_table_slot *slots; /* of a variant that was used; NULL: unused entry */
    uint32_t slot_count;
    uint32_t changed; /* a bit for each set that has changed since the table was written */
    struct vc4vk_binding_table table;
};

#define VC4VK_CACHED_TABLES 16u

/* The sets of a bind point. */
struct vc4vk_cmd_sets {
    struct vc4vk_bound_set bound[VC4VK_MAX_SETS];
    uint32_t dynamic_offsets[VC4VK_MAX_SETS][VC4VK_MAX_DYNAMIC_BUFFERS];
    struct vc4vk_set *push[VC4VK_MAX_SETS]; /* pushed descriptors; live as long as the recording. NULL: none */
    uint32_t changed;                       /* a bit for each set changed since vc4vk_cmd_sets_note_changes */
    uint32_t serial; /* changes when a set that stays bound changes: by its dynamic offsets or by a push */
    struct vc4vk_cached_table cached[VC4VK_CACHED_TABLES];
    uint32_t next_cached; /* the next to be replaced */
};

/* The state of the compute bind point. */
struct vc4vk_compute_state {
    struct vc4vk_pipeline *pipeline;
    struct vc4vk_cmd_sets sets;
    /* derived from the above; valid while not dirty */
    bool is_dirty;
    const struct vc4vk_variant *variant;
    struct vc4vk_binding_table table;
};

/* A cache entry: what a pipeline is drawn with when these sets are bound. */
struct vc4vk_prepared {
    const struct vc4vk_pipeline *pipeline; /* NULL: unused entry */
    const struct vc4vk_set *sets[VC4VK_MAX_SETS];
    uint32_t sets_serial, tile_inputs;
    uint32_t special; /* VC4VK_SPECIAL_COUNTS of the fragment stage, _BIASES of the vertex stage */
    const struct vc4vk_variant *vertex, *fragment;
    struct vc4vk_binding_table vertex_table, fragment_table;
    struct { /* of the pipeline's expander, if it has one */
        const struct vc4vk_variant *vertex, *control, *evaluation, *geometry, *task, *mesh;
        struct vc4vk_binding_table vertex_table, control_table, evaluation_table, geometry_table, task_table,
            mesh_table;
    } expander;
    uint32_t draw_B;                   /* bytes that one draw takes when it is issued */
    uint8_t vertex_factor, passes;     /* maximum vertices drawn per vertex; how often everything is drawn */
    const struct vc4vk_record *record; /* for vertex_buffers_serial; or NULL */
    uint32_t vertex_buffers_serial;
    const struct vc4vk_cmd_job *job;         /* the last job whose properties were updated for such draws; or NULL */
    const struct vc4vk_draw_state *recorded; /* for rest_serial; or NULL */
    uint32_t rest_serial;
};

/* The cache of prepared state: the pipeline's number and a hash of the sets' addresses select a bucket, in which the
 * oldest entry is replaced. Pipelines that were created one after the other are in different buckets, wherever their
 * memory is: alternating between two in one bucket mispredicts a branch in each draw. */
#define VC4VK_LOG2_PREPARED 3u
#define VC4VK_PREPARED_WAYS 4u
struct vc4vk_prepared_bucket {
    struct vc4vk_prepared ways[VC4VK_PREPARED_WAYS];
    uint32_t next; /* the next to be replaced */
};

struct vc4vk_cmd_state {
    struct vc4vk_pipeline *bound;    /* by the application, or of the shaders that it has bound */
    struct vc4vk_pipeline *pipeline; /* `bound`, or its instance for the current choice */
    bool has_shaders;                /* shader objects are bound, instead of a pipeline */
    struct vc4vk_shaders shaders;
    struct vc4vk_dynamic_state dynamic;
    struct vc4vk_more_viewports more;       /* viewports and scissors after the first */
    uint32_t viewport_count;                /* where it is dynamic */
    struct vc4vk_choice choice;             /* values of dynamic state that pipelines are chosen by */
    struct vc4vk_vertex_input vertex_input; /* the same */
    uint32_t dirty;

    struct {
        const struct vc4vk_buffer *buffer;
        uint64_t offset_B, end_B; /* in the buffer; the end is UINT64_MAX if it is the buffer's */
        uint32_t stride_B;        /* if strides are bound with the buffers */
    } vertex_buffers[VC4VK_MAX_VERTEX_BINDINGS];
    uint32_t vertex_buffers_serial; /* changes whenever vertex buffers are bound */
    struct {
        const struct vc4vk_buffer *buffer;
        uint64_t offset_B, end_B; /* as above */
        uint8_t index_B;          /* 0: no index buffer has been bound */
    } index;

    struct {                          /* bound by vkCmdBindDescriptorBuffersEXT */
        uint64_t address;             /* 0: none */
        struct vc4vk_memory_place at; /* without a reference */
    } descriptor_buffers[VC4VK_MAX_DESCRIPTOR_BUFFERS];
    struct vc4vk_cmd_sets sets;
    uint32_t push[VC4VK_MAX_PUSH_B / 4]; /* push constants of both bind points */
    struct vc4vk_compute_state compute;

    /* derived from the above; valid while not dirty */
    const struct vc4vk_variant *vertex, *fragment;
    struct vc4vk_prepared *prepared_now;
    uint8_t viewport_packets[VC4VK_VIEWPORT_PACKETS_B]; /* ready to copy */
    bool window_discards;          /* the job's clip window is empty, because the pipeline discards all primitives */
    bool viewport_is_out_of_range; /* the viewport is beyond what the chip's packets can express */
    uint32_t count;                /* what draws add to the counters of an occlusion query */
    uint32_t rest_serial;          /* changes when state other than pipeline and sets changes, and after each packet */
    const struct vc4vk_draw_state *recorded; /* the one that draws point to; NULL before the first draw */

    /* The packets at the beginning of a job, which write all state. While no others follow them in the stream, the next
     * job may begin with the same packets. */
    struct util_stream_place opening;
    uint32_t opening_end_B; /* in the stream; 0: none */
    VkRect2D window_area;   /* the pass's area, to which the clip window was clipped */

    uint32_t prepared_begun; /* bit mask of the buckets in use; the others are not initialised */
    struct vc4vk_prepared_bucket prepared[1 << VC4VK_LOG2_PREPARED];
};

void vc4vk_cmd_state_reset(struct vc4vk_cmd_state *state);

/* The viewports that the next draws can select. The scissors are as many. */
static inline uint32_t vc4vk_cmd_viewport_count(const struct vc4vk_cmd_state *state)
{
    const struct vc4vk_pipeline_state *p = &state->pipeline->state;
    if (!p->selects_viewports)
        return 1;
    const uint32_t count = p->viewport_count ? p->viewport_count : state->viewport_count;
    return CLAMP(count, 1u, VC4VK_MAX_VIEWPORTS);
}

static inline const VkViewport *vc4vk_cmd_viewport(const struct vc4vk_cmd_state *state, uint32_t i)
{
    return i ? &state->more.viewports[i - 1] : &state->dynamic.viewport;
}

static inline const VkRect2D *vc4vk_cmd_scissor(const struct vc4vk_cmd_state *state, uint32_t i)
{
    return i ? &state->more.scissors[i - 1] : &state->dynamic.scissor;
}

/* Sets what the next draws add to the counters of an occlusion query. */
static inline void vc4vk_cmd_state_set_count(struct vc4vk_cmd_state *state, uint32_t count)
{
    state->dirty |= state->count != count ? VC4VK_DIRTY_COUNT : 0;
    state->count = count;
}

/* Whether p->recorded can be used again: only pipeline and sets are dirty, and the rest of the state is the same. */
static inline bool vc4vk_cmd_state_is_reusable(const struct vc4vk_cmd_state *state, const struct vc4vk_prepared *p)
{
    return !(state->dirty & ~(uint32_t)VC4VK_DIRTY_PREPARED) && p->recorded && p->rest_serial == state->rest_serial;
}

/* Notes that the bound pipeline or the pass has changed: sets VC4VK_DIRTY_CHOICE if draws need an instance of the
 * pipeline for the attachments of the pass. */
void vc4vk_cmd_state_note_target(struct vc4vk_cmd_buffer *cmd);
/* Whether the unit of the dynamic depth bias is another one than the bound pipeline was created with. */
bool vc4vk_cmd_state_has_other_bias(const struct vc4vk_cmd_state *state);
/* Finds the instance of the bound pipeline, or that of the bound shaders, for the current choice. To be called where
 * VC4VK_DIRTY_CHOICE is set, before anything looks at `pipeline`. */
void vc4vk_cmd_state_choose(struct vc4vk_cmd_buffer *cmd);

/* The sets of a bind point. */
struct vc4vk_cmd_sets *vc4vk_cmd_sets_of(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point);
/* The bind points that the stages belong to, graphics first. Returns their number. */
uint32_t vc4vk_cmd_points_of(VkShaderStageFlags stages, VkPipelineBindPoint points_out[2]);
/* The next draw or dispatch looks at these sets again: a bit for each. */
void vc4vk_cmd_sets_mark(struct vc4vk_cmd_buffer *cmd, VkPipelineBindPoint point, uint32_t sets);
/* References a layout for as long as the recording exists. False after a failure. */
bool vc4vk_cmd_keep_layout(struct vc4vk_cmd_buffer *cmd, struct vc4vk_set_layout *layout);
/* What is bound for a draw or dispatch with this layout, if descriptors are read when it is issued. Otherwise, and
 * after a failure, NULL. */
const struct vc4vk_issue_sets *vc4vk_cmd_sets_for_issue(struct vc4vk_cmd_buffer *cmd,
                                                        const struct vc4vk_pipeline_layout *layout,
                                                        const struct vc4vk_cmd_sets *sets);
/* Marks the changed sets in all cached tables. To be called once before the stages of a draw or dispatch are prepared.
 */
void vc4vk_cmd_sets_note_changes(struct vc4vk_cmd_sets *sets);
/* Finds the stage's variant and binding table for the bound sets. The table is a cached one, an updated copy of it if
 * only some sets have changed, or a new one. `variant` holds the previous variant. `special`: see
 * vc4vk_pipeline_stage_variant. False after a failure. */
bool vc4vk_cmd_state_prepare_stage(struct vc4vk_cmd_buffer *cmd, struct vc4vk_pipeline *pipeline,
                                   struct vc4vk_pipeline_stage *stage, struct vc4vk_cmd_sets *sets, uint32_t special,
                                   const struct vc4vk_variant **variant, struct vc4vk_binding_table *table);
/* Finds variants and binding tables for the bound graphics state, which the cost of a draw depends on. False after a
 * failure. */
bool vc4vk_cmd_state_prepare(struct vc4vk_cmd_buffer *cmd);
/* Fast path: records the draw state when the open job has had draws with this pipeline and these sets, and only cheap
 * state is dirty. Reuses the earlier draw state if nothing else has changed since. False: the slow path is needed. */
bool vc4vk_cmd_state_try_reuse(struct vc4vk_cmd_buffer *cmd);
/* Begins a section of a job, which has no state yet. Returns where its packets begin. */
struct util_stream_place vc4vk_cmd_state_open(struct vc4vk_cmd_buffer *cmd);
/* Writes the packets that the job lacks, and records the draw state for the next draws. */
void vc4vk_cmd_state_flush(struct vc4vk_cmd_buffer *cmd);
/* The record for the bound attribute arrays (vc4vk_cmd_vertex.c). `like`: a record of the same pipeline and variants
 * for other vertex buffers, or NULL. NULL after a failure. */
const struct vc4vk_record *vc4vk_cmd_state_record(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_record *like);

#endif
