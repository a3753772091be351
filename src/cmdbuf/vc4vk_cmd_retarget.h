/* SPDX-License-Identifier: MIT
 *
 * Secondary command buffers in dynamic passes whose attachments differ from those that they inherit
 * (VK_EXT_dynamic_rendering_unused_attachments).
 */
#ifndef CMDBUF_VC4VK_CMD_RETARGET_H
#define CMDBUF_VC4VK_CMD_RETARGET_H

#include "cmdbuf/vc4vk_cmd_buffer.h"

/* The parts of a secondary as `cmd`, which executes it, needs them: its own, or copies that are adapted to the
 * attachments of the pass. Copies live as long as the recording of `cmd`. After a failure, which is then recorded, the
 * list may be incomplete. */
const struct vc4vk_cmd_part *vc4vk_cmd_parts_for_pass(struct vc4vk_cmd_buffer *cmd,
                                                      const struct vc4vk_cmd_buffer *secondary);

#endif
