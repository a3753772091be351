/* SPDX-License-Identifier: MIT
 *
 * What the frame inspector is told of a job of a render pass: why it loads and stores what it does.
 */
#ifndef CMDBUF_VC4VK_CMD_NOTES_H
#define CMDBUF_VC4VK_CMD_NOTES_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "cmdbuf/vc4vk_cmd_pass.h"

/* Beside what the job's `render` says. */
struct vc4vk_cmd_noted {
    const struct vc4vk_cmd_surface *color;
    uint32_t runs, index; /* replays of the recorded job, as a bit mask; which of them this is */
    bool counts;          /* for an occlusion query */
    bool has_scratch;     /* depth goes to scratch memory */
    bool more_follows;    /* the subpass goes on in another job */
};

/* Only where something is inspected. Without memory there are no notes. */
void vc4vk_cmd_note_job(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_replay *job,
                        const struct vc4vk_cmd_noted *noted);

#endif
