/* SPDX-License-Identifier: MIT
 *
 * Staging copies of attachments. All surfaces of a job must have rows of one padded length and one word per pixel. Any
 * other attachment is copied to a staging BO of the job's extent before each job that loads it, and copied back after
 * each job that stores it. The ranges of a framebuffer that is too large for one job share the BO one after the other.
 */
#ifndef CMDBUF_VC4VK_CMD_STAGING_H
#define CMDBUF_VC4VK_CMD_STAGING_H

#include "transfer/vc4vk_staging.h"

struct vc4vk_cmd_buffer;
struct vc4vk_cmd_surface;

/* Creates an array with one element per range of the pass, owned by the command buffer. `surface` NULL: not for an
 * attachment. NULL after a failure, which is recorded. */
struct vc4vk_staging *vc4vk_cmd_staging_new(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_surface *surface);

/* Records a CPU operation that fills the rectangle with a word. */
void vc4vk_cmd_staging_fill(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_staging *stage, const VkRect2D *rect,
                            uint32_t word);

/* Record CPU operations that copy the attachment to the staging BO, and back. */
void vc4vk_cmd_staging_copy_in(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stage);
void vc4vk_cmd_staging_copy_out(struct vc4vk_cmd_buffer *cmd, struct vc4vk_staging *stage);

#endif
