/* SPDX-License-Identifier: MIT
 *
 * Render passes while they are recorded. A pass is not a job: it becomes as many jobs as the limits demand, and
 * attachments are stored and loaded again between two of them.
 */
#ifndef CMDBUF_VC4VK_CMD_PASS_H
#define CMDBUF_VC4VK_CMD_PASS_H

#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_render_pass.h"
#include "pipeline/vc4vk_pipeline_state.h"

struct vc4vk_cmd_buffer;

/* What the next job of the subpass does with an attachment before its first draw. */
enum vc4vk_tile_begin {
    VC4VK_TILE_UNDEFINED, /* the contents of memory are not needed */
    VC4VK_TILE_LOAD,
    VC4VK_TILE_CLEAR, /* with the tile buffer's own clear */
};

struct vc4vk_cmd_surface {
    const struct vc4vk_image_view *view; /* NULL: the subpass has no such attachment */
    const struct hw_level *level;        /* of the view's plane with the word; NULL without a view */
    struct vc4vk_staging *stage;         /* staging copies by range, if jobs cannot use the attachment; else NULL */
    uint32_t attachment;                 /* index in the render pass */
    uint32_t word;                       /* which word of the texels of a colour attachment */
    bool pairs;                          /* `word` is a channel, combined with alpha: see vc4vk_pipeline_state */
    uint32_t layer;                      /* of the view, that a replay draws to */
    enum vc4vk_tile_begin begin;
    uint32_t clear_word; /* colours: for VC4VK_TILE_CLEAR */
    const struct vc4vk_image_view *resolve; /* NULL: the subpass does not resolve it */
    /* VK_EXT_multisampled_render_to_single_sampled: the attachment has one sample for each pixel. It is `resolve`, and
     * `view` has the samples that are drawn to. */
    bool is_implicit;
    bool loads_pixels; /* the next job loads `resolve`, and the tile buffer gives all samples the pixel's value */
    bool resolves_in_tiles;                 /* the tile buffer's store resolves it, not the CPU */
    bool was_stored; /* an earlier job of the subpass has stored it, so later ones load it */
};

/* A part of the framebuffer that one job can draw, for one view. */
struct vc4vk_cmd_range {
    uint32_t view; /* the layer of every attachment: multiview's view, or while a job is replayed for its layers */
    uint32_t x_px, y_px, width_px, height_px;
    uint8_t min_x_tl, min_y_tl, max_x_tl, max_y_tl; /* tiles of the render area, relative to the range */
    VkRect2D area;                                  /* render area, relative to the range; empty: nothing to draw */
};

/* How a pass begins, whichever command describes it. */
struct vc4vk_cmd_pass_begin {
    const struct vc4vk_render_pass *pass;
    const struct vc4vk_framebuffer *framebuffer;
    const VkImageView *attachments; /* as in struct vc4vk_cmd_pass; lives as long as the recording */
    VkRect2D area;
    VkSubpassContents contents;
    const VkClearValue *clears;
    uint32_t clear_count;
    bool resumes; /* it goes on where an earlier command buffer has suspended it: attachments are loaded */
};

struct vc4vk_cmd_pass {
    /* Set when the pass begins. */
    const struct vc4vk_render_pass *pass; /* NULL: no pass is active */
    const struct vc4vk_framebuffer *framebuffer;
    const VkImageView *attachments;       /* the framebuffer's, or for an imageless one a copy of those passed */
    uint32_t subpass;
    VkSubpassContents contents;
    VkRect2D area;              /* clipped to the framebuffer */
    const VkClearValue *clears; /* by attachment; a copy, or of a single subpass the caller's, valid during the call */
    uint32_t clear_count;
    /* Progress. */
    /* Of a dynamic pass: its attachments, for which draws have their programs. Of others, those of the pipeline are. */
    bool has_target;
    struct vc4vk_target target;
    uint8_t color_locations[VC4VK_MAX_COLOR_ATTACHMENTS]; /* of a dynamic pass, as in struct vc4vk_choice */
    uint32_t tile_inputs; /* bit mask of the input attachments that programs read from the tile buffer */
    uint32_t clear_z;     /* for VC4VK_TILE_CLEAR */
    uint8_t clear_s;
    bool has_jobs, was_on_engine; /* whether the pass has jobs so far; whether the last ran on the CPU engine */
    /* A pass that has ended, but whose last job is kept open for the next pass (vc4vk_cmd_pass_hold); else NULL. */
    const struct vc4vk_render_pass *held;
    /* Ends that job; NULL: none is held. A pointer, because passes use what adds commands, not the other way round. */
    void (*end_held)(struct vc4vk_cmd_buffer *cmd);
    bool held_suspends;  /* it goes on elsewhere: everything is stored, nothing is resolved */
    bool held_barrier;   /* a barrier has to follow the job */
    bool held_dirty_job; /* VC4VK_DIRTY_JOB was set when it was held */
    /* The surfaces of the subpass. They stay valid after the pass ends, since the next one may use the same. */
    const struct vc4vk_render_pass *found_for; /* the pass whose first subpass they are for; NULL: find them again */
    uint32_t replay_count, range_count;
    uint32_t pairs; /* as vc4vk_pipeline_state.pairs */
    struct vc4vk_cmd_surface depth;
    uint32_t samples;             /* 1 or 4; 0: no attachment, and no pipeline has set it yet */
    uint32_t width_px, height_px; /* of all ranges; the kernel infers each surface's stride from the width */
    uint16_t min_x_tl, min_y_tl, max_x_tl, max_y_tl;
    struct vc4vk_cmd_range *ranges; /* few_ranges, or memory of the recording if there are more */
    bool is_cut;       /* the framebuffer is too large for one job: a view has several ranges */
    bool covers_tiles; /* the area covers its tiles completely: the tile buffer's clear may be used */
    struct {
        enum hw_format format;
        uint32_t word, clear_word;
        VkClearColorValue value;
    } last_clear;                                       /* caches the conversion: many passes clear to one colour */
    /* Not zero-initialised: only the first replay_count and range_count entries are valid. */
    struct vc4vk_cmd_surface colors[VC4VK_MAX_REPLAYS]; /* in the order of the pipelines' replays; a single one without
                                                         * a view when the subpass has no colours */
    struct vc4vk_cmd_range few_ranges[VC4VK_MAX_VIEWS];
};

/* Begins a pass. None may be active. */
void vc4vk_cmd_pass_begin(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_pass_begin *begin);
/* Ends the active pass with its last subpass. */
void vc4vk_cmd_pass_end(struct vc4vk_cmd_buffer *cmd);
/* Ends the active pass, but keeps its last job open: the next pass may continue it if it has the same attachments and
 * nothing is recorded in between. `suspends`: as held_suspends. */
void vc4vk_cmd_pass_hold(struct vc4vk_cmd_buffer *cmd, bool suspends);
/* Continues the held pass as `begin` describes it. */
void vc4vk_cmd_pass_continue(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_pass_begin *begin);
/* Ends the job of a held pass, if there is one. To be called before anything is recorded outside of a pass. `pass`: the
 * command buffer's. */
static inline void vc4vk_cmd_pass_release(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_pass *pass)
{
    if (pass->end_held)
        pass->end_held(cmd);
}
/* Notes a barrier between these stages for the held job. False: there is no held job, or the barrier has to end it. */
bool vc4vk_cmd_pass_hold_barrier(struct vc4vk_cmd_buffer *cmd, VkPipelineStageFlags2 from, VkPipelineStageFlags2 to);

/* The area, clipped to the framebuffer. */
VkRect2D vc4vk_cmd_clip_area(const VkRect2D *area, const struct vc4vk_framebuffer *framebuffer);
/* VK_KHR_device_group may give each device its own area; there is only one device. `chain`: of the struct that begins
 * the pass. */
const VkRect2D *vc4vk_cmd_device_area(const void *chain, const VkRect2D *area);
bool vc4vk_cmd_is_same_area(const VkRect2D *a, const VkRect2D *b);

/* The views that the subpass draws, as a bit mask: 1 without multiview. */
uint32_t vc4vk_cmd_pass_views(const struct vc4vk_cmd_pass *pass);

/* The job that draws go into; opens one when there is none. NULL after a failure or outside a pass. */
struct vc4vk_cmd_job *vc4vk_cmd_pass_job(struct vc4vk_cmd_buffer *cmd);

/* A barrier. Splits an active pass if programs read from memory what the subpass also writes; ends a held job. */
void vc4vk_cmd_pass_barrier(struct vc4vk_cmd_buffer *cmd);
/* Whether programs read from memory what the subpass also writes. */
bool vc4vk_cmd_pass_reads_own(const struct vc4vk_cmd_pass *pass);
/* From here on the subpass reads its input attachments from memory. Called before draws that an occlusion query counts:
 * their programs find counters in the tile buffer. */
void vc4vk_cmd_pass_stop_tile_inputs(struct vc4vk_cmd_buffer *cmd);

/* The active subpass has other input attachments now: finds those in the tile buffer again, and stores what programs
 * read from memory. */
void vc4vk_cmd_pass_change_inputs(struct vc4vk_cmd_buffer *cmd);

/* Sets the sample count of a subpass without attachments, which the pipelines determine. No effect on others. */
void vc4vk_cmd_pass_set_samples(struct vc4vk_cmd_buffer *cmd, uint32_t samples);
/* Prepares for draws of pipelines with these `pairs`: splits the pass if they need other surfaces. */
void vc4vk_cmd_pass_set_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs);

/* Checks that pipelines with so many replays and samples can draw into the subpass's surfaces; otherwise the recording
 * fails. */
bool vc4vk_cmd_pass_check_pipeline(struct vc4vk_cmd_buffer *cmd, uint32_t replay_count, uint32_t samples);

/* The column or row of tiles that a pixel lies in. Both divisors are constants, so no division is executed. */
static inline uint16_t vc4vk_tile_at(uint32_t px, uint32_t samples)
{
    return (uint16_t)(samples > 1 ? px / HW_MS_TILE_PX : px / HW_TILE_PX);
}

/* vc4vk_cmd_replay.c: begins and ends a recorded job of the subpass. At its end it becomes one job for each colour word
 * that is needed; the last of them stores the depth. */
void vc4vk_cmd_open_job(struct vc4vk_cmd_buffer *cmd);
void vc4vk_cmd_replay_job(struct vc4vk_cmd_buffer *cmd, bool more_follows);

/* Ends the open job, if any. Stores everything that the rest of the pass needs. */
void vc4vk_cmd_pass_split(struct vc4vk_cmd_buffer *cmd);

#endif
