/* SPDX-License-Identifier: MIT
 *
 * What a recorded command waits for. Barriers become counts: for each engine, how many commands of each engine must
 * have retired before its next command starts (vc4vk_command.waits). Two barriers that share an engine make a chain, as
 * Vulkan's execution dependencies do.
 */
#ifndef CMDBUF_VC4VK_CMD_ORDER_H
#define CMDBUF_VC4VK_CMD_ORDER_H

#include "engine/vc4vk_command.h"

struct vc4vk_cmd_order {
    uint32_t count[VC4VK_ENGINE_COUNT]; /* commands of the open segment */
    /* [a][b]: commands of engine b that the next command of engine a waits for. */
    uint32_t after[VC4VK_ENGINE_COUNT][VC4VK_ENGINE_COUNT];
    bool at_barrier; /* a barrier, or the segment's begin, comes behind the last command */
};

/* A segment begins: what comes next waits for everything before. */
void vc4vk_cmd_order_begin(struct vc4vk_cmd_order *order);
/* Commands of the engines `dst` wait from here on for those of the engines `src` so far (masks of BIT(engine)). */
void vc4vk_cmd_order_barrier(struct vc4vk_cmd_order *order, uint32_t src, uint32_t dst);
/* Everything that comes next waits for everything so far, what observes (vc4vk_cpu_op) excepted. */
void vc4vk_cmd_order_full_barrier(struct vc4vk_cmd_order *order);
/* Fills in what the command waits for, by the barriers so far, and counts it. */
void vc4vk_cmd_order_add(struct vc4vk_cmd_order *order, struct vc4vk_command *command);

/* The engines whose commands are work of these pipeline stages; as the source or the destination of a dependency. */
uint32_t vc4vk_stages_to_src_engines(VkPipelineStageFlags stages);
uint32_t vc4vk_stages_to_dst_engines(VkPipelineStageFlags stages);

#endif
