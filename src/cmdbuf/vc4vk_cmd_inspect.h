/* SPDX-License-Identifier: MIT
 *
 * Describes a job of a render pass to the frame inspector: why it loads and stores what it does.
 */
#ifndef CMDBUF_VC4VK_CMD_INSPECT_H
#define CMDBUF_VC4VK_CMD_INSPECT_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "cmdbuf/vc4vk_cmd_pass.h"

/* What the job's `render` does not say. */
struct vc4vk_cmd_inspect_info {
    const struct vc4vk_cmd_surface *color;
    uint32_t runs, index; /* bit mask of all replays of the recorded job; the number of this one */
    bool counts;          /* counts for an occlusion query */
    bool has_scratch;     /* depth goes to scratch memory */
    bool more_follows;    /* the subpass goes on in another job */
};

/* Does nothing unless frames are inspected. When out of memory the job has no description. */
void vc4vk_cmd_inspect_job(struct vc4vk_cmd_buffer *cmd, struct vc4vk_draw_replay *job,
                           const struct vc4vk_cmd_inspect_info *noted);

#endif
