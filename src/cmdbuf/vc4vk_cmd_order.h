/* SPDX-License-Identifier: MIT
 *
 * Dependencies of recorded commands. Barriers become counts: for each engine, how many commands of each engine must
 * have retired before its next command starts (vc4vk_command.waits). Two barriers that share an engine form a chain, as
 * Vulkan's execution dependencies do.
 */
#ifndef CMDBUF_VC4VK_CMD_ORDER_H
#define CMDBUF_VC4VK_CMD_ORDER_H

#include "engine/vc4vk_command.h"

struct vc4vk_cmd_order {
    uint32_t count[VC4VK_ENGINE_COUNT]; /* commands of the open segment */
    /* [a][b]: commands of engine b that the next command of engine a waits for. */
    uint32_t after[VC4VK_ENGINE_COUNT][VC4VK_ENGINE_COUNT];
    bool at_barrier; /* a barrier, or the segment's begin, comes after the last command */
};

/* Begins a segment: later commands wait for everything before it. */
void vc4vk_cmd_order_begin(struct vc4vk_cmd_order *order);
/* Later commands of the engines `dst` wait for all commands so far of the engines `src` (masks of BIT(engine)). */
void vc4vk_cmd_order_barrier(struct vc4vk_cmd_order *order, uint32_t src, uint32_t dst);
/* All later commands wait for all commands so far, except those with `observe` (vc4vk_cpu_op). */
void vc4vk_cmd_order_full_barrier(struct vc4vk_cmd_order *order);
/* Sets the command's waits from the barriers so far, and counts the command. */
void vc4vk_cmd_order_add(struct vc4vk_cmd_order *order, struct vc4vk_command *command);

/* The engines that do the work of these pipeline stages, as the source or the destination of a dependency. */
uint32_t vc4vk_stages_to_src_engines(VkPipelineStageFlags stages);
uint32_t vc4vk_stages_to_dst_engines(VkPipelineStageFlags stages);

#endif
