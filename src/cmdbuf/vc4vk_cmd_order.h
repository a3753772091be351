/* SPDX-License-Identifier: MIT
 *
 * Dependencies of recorded commands. Barriers become counts: for each engine, how many commands of each engine must
 * have retired before its next command starts (vc4vk_command.waits). Two barriers that share an engine form a chain, as
 * Vulkan's execution dependencies do. The barriers of one dependency make no chain with each other.
 */
#ifndef CMDBUF_VC4VK_CMD_ORDER_H
#define CMDBUF_VC4VK_CMD_ORDER_H

#include "engine/vc4vk_command.h"

struct vc4vk_cmd_order {
    uint32_t count[VC4VK_ENGINE_COUNT]; /* commands of the open segment */
    /* [a][b]: commands of engine b that the next command of engine a waits for. */
    uint32_t after[VC4VK_ENGINE_COUNT][VC4VK_ENGINE_COUNT];
    /* [b]: commands of engine b that the transitions of image layouts so far come after. */
    uint32_t before_transitions[VC4VK_ENGINE_COUNT];
    bool at_barrier; /* a barrier, or the segment's begin, comes after the last command */
};

/* What the barriers of a dependency say together. Masks are of BIT(engine). */
struct vc4vk_cmd_dependency {
    uint32_t sources[VC4VK_ENGINE_COUNT]; /* for each engine, those that its later commands wait for */
    uint32_t src, dst;                    /* all sources, and all engines that wait, also those without a source */
    uint32_t before_transition;           /* the sources of those barriers that change an image's layout */
    uint32_t after_transitions;           /* the engines that wait for what earlier transitions come after */
};

static inline void vc4vk_cmd_dependency_add(struct vc4vk_cmd_dependency *dependency, uint32_t src, uint32_t dst)
{
    for (uint32_t d = 0; d < VC4VK_ENGINE_COUNT; d++)
        if (dst & BIT(d))
            dependency->sources[d] |= src;
    dependency->src |= src;
    dependency->dst |= dst;
}

/* Begins a segment: later commands wait for everything before it. */
void vc4vk_cmd_order_begin(struct vc4vk_cmd_order *order);
/* Later commands of each engine wait for all commands so far of its sources. */
void vc4vk_cmd_order_depend(struct vc4vk_cmd_order *order, const struct vc4vk_cmd_dependency *dependency);
/* The same for one barrier: later commands of the engines `dst` wait for those so far of the engines `src`. */
void vc4vk_cmd_order_barrier(struct vc4vk_cmd_order *order, uint32_t src, uint32_t dst);
/* All later commands wait for all commands so far, except those with `observe` (vc4vk_cpu_op). */
void vc4vk_cmd_order_full_barrier(struct vc4vk_cmd_order *order);
/* Sets the command's waits from the barriers so far, and counts the command. */
void vc4vk_cmd_order_add(struct vc4vk_cmd_order *order, struct vc4vk_command *command);
/* Counts a command of the host engine that waits for all commands so far of the engines `src`. Nothing waits for it but
 * later commands of the host engine, and what follows its segment. */
void vc4vk_cmd_order_observe(struct vc4vk_cmd_order *order, struct vc4vk_command *command, uint32_t src);
/* Counts a command of the host engine that waits for events. Later commands of the engines `dst` wait for it. */
void vc4vk_cmd_order_wait(struct vc4vk_cmd_order *order, struct vc4vk_command *command, uint32_t dst);

/* The engines that do the work of these pipeline stages, as the source or the destination of a dependency. */
uint32_t vc4vk_stages_to_src_engines(VkPipelineStageFlags2 stages);
uint32_t vc4vk_stages_to_dst_engines(VkPipelineStageFlags2 stages);

#endif
