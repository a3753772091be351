/* SPDX-License-Identifier: MIT
 *
 * Render passes while they are recorded. A pass is not a job: it becomes as many jobs as the limits ask for, and what
 * an attachment holds between two of them is stored and loaded again.
 */
#ifndef CMDBUF_VC4VK_CMD_PASS_H
#define CMDBUF_VC4VK_CMD_PASS_H

#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_render_pass.h"
#include "pipeline/vc4vk_pipeline_state.h"

struct vc4vk_cmd_buffer;

/* What the next job of the subpass does with an attachment before its first draw. */
enum vc4vk_tile_begin {
    VC4VK_TILE_UNDEFINED, /* nobody needs what memory holds */
    VC4VK_TILE_LOAD,
    VC4VK_TILE_CLEAR, /* with the tile buffer's own clear */
};

struct vc4vk_cmd_surface {
    const struct vc4vk_image_view *view; /* NULL: the subpass has no such attachment */
    const struct hw_level *level;        /* of the view's plane with the word; NULL without a view */
    struct vc4vk_cmd_stage *stage;       /* where jobs find it when its rows do not fit theirs, by range; else NULL */
    uint32_t attachment;                 /* index in the render pass */
    uint32_t word;                       /* of the texels of a colour attachment */
    bool pairs;                          /* instead a channel, beside alpha: see vc4vk_pipeline_state */
    uint32_t layer;                      /* of the view: where a replay draws */
    enum vc4vk_tile_begin begin;
    uint32_t clear_word; /* colours: for VC4VK_TILE_CLEAR */
    const struct vc4vk_image_view *resolve; /* NULL: the subpass does not resolve it */
    bool resolves_in_tiles;                 /* by the store of the tile buffer, not by the CPU */
    bool handed_on; /* loaded because an earlier job of the subpass has stored it */
};

/* A part of the framebuffer that one job can draw, of one view. */
struct vc4vk_cmd_range {
    uint32_t view; /* of multiview: the layer of every attachment; else 0 */
    uint32_t x_px, y_px, width_px, height_px;
    uint8_t min_x_tl, min_y_tl, max_x_tl, max_y_tl; /* counted from its own corner: tiles of the area */
    VkRect2D area;                                  /* the same; empty: nothing to draw */
};
#define VC4VK_MAX_RANGES (4u * VC4VK_MAX_VIEWS)

struct vc4vk_cmd_pass {
    /* What it began with. */
    const struct vc4vk_render_pass *pass; /* NULL: outside */
    const struct vc4vk_framebuffer *framebuffer;
    const VkImageView *attachments;       /* the framebuffer's, or those that the pass began with; a copy */
    uint32_t subpass;
    VkSubpassContents contents;
    VkRect2D area;              /* clipped to the framebuffer */
    const VkClearValue *clears; /* by attachment; a copy, or the call's that begins the only subpass */
    uint32_t clear_count;
    /* Where it has come to. */
    uint32_t tile_inputs; /* input attachments that programs read from the tile buffer, as a bit mask */
    uint32_t clear_z;     /* for VC4VK_TILE_CLEAR */
    uint8_t clear_s;
    bool has_jobs, was_on_engine; /* so far; the last of them ran on the CPU engine */
    /* What its subpass draws into: stays when the pass ends, for the next one may begin alike. */
    const struct vc4vk_render_pass *found_for; /* whose first subpass it was found for; NULL: has to be found anew */
    uint32_t replay_count, range_count;
    uint32_t pairs; /* as the pipelines' */
    struct vc4vk_cmd_surface depth;
    uint32_t samples;             /* 1 or 4; 0: the subpass has no attachment, and no pipeline has said it so far */
    uint32_t width_px, height_px; /* of all ranges: gives every surface its own stride where there is one */
    uint8_t min_x_tl, min_y_tl, max_x_tl, max_y_tl;
    bool is_cut;       /* the framebuffer is too large for one job: a view has several ranges */
    bool covers_tiles; /* the area takes its tiles whole: the tile buffer's clear may be used */
    struct {
        enum hw_format format;
        uint32_t word, clear_word;
        VkClearColorValue value;
    } last_clear;                                       /* many passes clear to one colour */
    /* Never cleared: of these only so much is there as is counted above. */
    struct vc4vk_cmd_surface colors[VC4VK_MAX_REPLAYS]; /* as the pipelines' replays; the first without a view when the
                                                         * subpass has no colours */
    struct vc4vk_cmd_range ranges[VC4VK_MAX_RANGES];
};

/* The views that the subpass draws, as a bit mask: 1 without multiview. */
uint32_t vc4vk_cmd_pass_views(const struct vc4vk_cmd_pass *pass);

/* The job that draws go into, opened when there is none; NULL after a failure or outside a pass. */
struct vc4vk_cmd_job *vc4vk_cmd_pass_job(struct vc4vk_cmd_buffer *cmd);

/* A barrier inside the pass: where programs read from memory what the subpass also writes, what was drawn before is
 * stored. */
void vc4vk_cmd_pass_barrier(struct vc4vk_cmd_buffer *cmd);
bool vc4vk_cmd_pass_reads_own(const struct vc4vk_cmd_pass *pass);
/* The next draws are counted, too, by programs that find counters in the tile buffer: from here on the subpass reads
 * its input attachments from memory. */
void vc4vk_cmd_pass_leave_tiles(struct vc4vk_cmd_buffer *cmd);

/* Where the subpass has no attachments, what is drawn next says how many samples there are. */
void vc4vk_cmd_pass_set_samples(struct vc4vk_cmd_buffer *cmd, uint32_t samples);
/* Draws with such pipelines follow: splits the pass where its surfaces are others. */
void vc4vk_cmd_pass_set_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs);

/* Whether draws of pipelines with so many replays and samples go with what the subpass draws into. Fails when they were
 * made for something else. */
bool vc4vk_cmd_pass_suits(struct vc4vk_cmd_buffer *cmd, uint32_t replay_count, uint32_t samples);

/* Side of a tile: half as long with four samples. */
static inline uint32_t vc4vk_tile_px(uint32_t samples)
{
    return samples > 1 ? HW_MS_TILE_PX : HW_TILE_PX;
}

/* The tile that a pixel lies in, counted along a side: without a division. */
static inline uint8_t vc4vk_tile_at(uint32_t px, uint32_t samples)
{
    return (uint8_t)(samples > 1 ? px / HW_MS_TILE_PX : px / HW_TILE_PX);
}

/* vc4vk_cmd_replay.c: begins a job of the subpass, and ends it: it becomes a job for each of the pass's colours that
 * somebody wants, and the depth that the draws leave is stored by the last. */
void vc4vk_cmd_open_job(struct vc4vk_cmd_buffer *cmd);
void vc4vk_cmd_replay_job(struct vc4vk_cmd_buffer *cmd, bool more_follows);

/* Ends the job, if one is open, so that another may follow: all that the rest of the pass needs is stored. */
void vc4vk_cmd_pass_split(struct vc4vk_cmd_buffer *cmd);

#endif
