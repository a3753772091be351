/* SPDX-License-Identifier: MIT
 *
 * The surfaces that a subpass draws into (struct vc4vk_cmd_surface). They are determined when the subpass begins, and
 * again when pipelines need other surfaces.
 */
#ifndef CMDBUF_VC4VK_CMD_SURFACES_H
#define CMDBUF_VC4VK_CMD_SURFACES_H

#include "cmdbuf/vc4vk_cmd_pass.h"

/* Iterates over the surfaces of the subpass: colours in the order of replays, then depth. Skips those without a
 * view. */
#define VC4VK_FOR_EACH_SURFACE(pass, s)                                                                                \
    for (uint32_t s##_i = 0; s##_i <= (pass)->replay_count; s##_i++)                                                   \
        for (struct vc4vk_cmd_surface *s = s##_i < (pass)->replay_count ? &(pass)->colors[s##_i] : &(pass)->depth;     \
             s && s->view; s = NULL)

/* The view of an attachment; NULL for VK_ATTACHMENT_UNUSED. */
const struct vc4vk_image_view *vc4vk_cmd_pass_view(const struct vc4vk_cmd_pass *pass, uint32_t attachment);

/* Finds the surfaces of the subpass, their extent, ranges, tiles and resolves, and creates staging copies. */
void vc4vk_cmd_surfaces_find(struct vc4vk_cmd_buffer *cmd);
/* The same for other `pairs` (vc4vk_pipeline_state). All attachments must be in memory: the next job loads them. */
void vc4vk_cmd_surfaces_find_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs);
/* Finds the tiles that the area overlaps, for pass->samples. */
void vc4vk_cmd_surfaces_find_tiles(struct vc4vk_cmd_pass *pass);
/* Applies the load operations: sets how the first job begins, and records the clears that the CPU does before it. */
void vc4vk_cmd_surfaces_begin(struct vc4vk_cmd_buffer *cmd);
/* Whether the end of the subpass resolves the surface, if it is drawn to. */
bool vc4vk_cmd_surface_is_resolved(const struct vc4vk_cmd_pass *pass, const struct vc4vk_cmd_surface *s);
/* Copies pixels that the next job would load (loads_pixels) to their samples in memory. */
void vc4vk_cmd_surfaces_replicate(struct vc4vk_cmd_buffer *cmd);
/* For a pass that goes on: all attachments are in memory, and its first job loads them. */
void vc4vk_cmd_surfaces_resume(struct vc4vk_cmd_pass *pass);

#endif
