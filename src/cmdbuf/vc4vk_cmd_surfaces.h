/* SPDX-License-Identifier: MIT
 *
 * What a subpass draws into (struct vc4vk_cmd_surface): found when it begins, and again where pipelines ask for other
 * surfaces.
 */
#ifndef CMDBUF_VC4VK_CMD_SURFACES_H
#define CMDBUF_VC4VK_CMD_SURFACES_H

#include "cmdbuf/vc4vk_cmd_pass.h"

/* Calls for each surface of the subpass: colours in the order of replays, then depth. */
#define VC4VK_FOR_EACH_SURFACE(pass, s)                                                                                \
    for (uint32_t s##_i = 0; s##_i <= (pass)->replay_count; s##_i++)                                                   \
        for (struct vc4vk_cmd_surface *s = s##_i < (pass)->replay_count ? &(pass)->colors[s##_i] : &(pass)->depth;     \
             s && s->view; s = NULL)

/* Widths of jobs from which the kernel infers a level's stride. */
struct vc4vk_level_widths {
    uint32_t least, most;
};
struct vc4vk_level_widths vc4vk_level_widths(const struct hw_level *level);

/* NULL where the attachment is unused. */
const struct vc4vk_image_view *vc4vk_cmd_pass_view(const struct vc4vk_cmd_pass *pass, uint32_t attachment);

/* The surfaces of the subpass, their extent, ranges, tiles and resolves; stages those that need it. */
void vc4vk_cmd_surfaces_find(struct vc4vk_cmd_buffer *cmd);
/* The same with other pairs of channels (vc4vk_pipeline_state), when all is in memory: it will be loaded. */
void vc4vk_cmd_surfaces_find_pairs(struct vc4vk_cmd_buffer *cmd, uint32_t pairs);
/* The tiles under the area once the number of samples is known. */
void vc4vk_cmd_surfaces_find_tiles(struct vc4vk_cmd_pass *pass);
/* What load operations ask for: how the first job begins, and what the CPU clears before it. */
void vc4vk_cmd_surfaces_begin(struct vc4vk_cmd_buffer *cmd);

#endif
