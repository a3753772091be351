/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_order.h"

/* Engines whose commands others wait for by counts. Blocking commands of the host engine are full barriers instead. */
#define COUNTED_ENGINES (BIT(VC4VK_ENGINE_CHIP) | BIT(VC4VK_ENGINE_CPU) | BIT(VC4VK_ENGINE_COPY))

void vc4vk_cmd_order_begin(struct vc4vk_cmd_order *order)
{
    *order = (struct vc4vk_cmd_order){.at_barrier = true};
}

/* Raises the counts in `waits` to what a command waits for that comes after everything so far of the engines `src`. */
static void wait_for(const struct vc4vk_cmd_order *order, uint32_t src, uint32_t waits[VC4VK_ENGINE_COUNT])
{
    for (uint32_t s = 0; s < VC4VK_ENGINE_COUNT; s++) {
        if (!(src & BIT(s)))
            continue;
        waits[s] = MAX2(waits[s], order->count[s]);
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            waits[e] = MAX2(waits[e], order->after[s][e]);
    }
}

void vc4vk_cmd_order_depend(struct vc4vk_cmd_order *order, const struct vc4vk_cmd_dependency *dependency)
{
    const struct vc4vk_cmd_order before = *order;
    for (uint32_t d = 0; d < VC4VK_ENGINE_COUNT; d++) {
        wait_for(&before, dependency->sources[d], order->after[d]);
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT && dependency->after_transitions & BIT(d); e++)
            order->after[d][e] = MAX2(order->after[d][e], before.before_transitions[e]);
    }
    wait_for(&before, dependency->before_transition, order->before_transitions);
    order->at_barrier = true;
}

void vc4vk_cmd_order_barrier(struct vc4vk_cmd_order *order, uint32_t src, uint32_t dst)
{
    struct vc4vk_cmd_dependency dependency = {0};
    vc4vk_cmd_dependency_add(&dependency, src, dst);
    vc4vk_cmd_order_depend(order, &dependency);
}

void vc4vk_cmd_order_full_barrier(struct vc4vk_cmd_order *order)
{
    vc4vk_cmd_order_barrier(order, COUNTED_ENGINES, VC4VK_ENGINES_ALL);
}

void vc4vk_cmd_order_add(struct vc4vk_cmd_order *order, struct vc4vk_command *command)
{
    command->order = VC4VK_ORDER_BARRIER;
    memcpy(command->waits, order->after[command->engine], sizeof command->waits);
    order->count[command->engine]++;
    order->at_barrier = false;
}

void vc4vk_cmd_order_observe(struct vc4vk_cmd_order *order, struct vc4vk_command *command, uint32_t src)
{
    command->order = VC4VK_ORDER_BARRIER;
    memset(command->waits, 0, sizeof command->waits);
    wait_for(order, src, command->waits);
    order->count[command->engine]++;
}

void vc4vk_cmd_order_wait(struct vc4vk_cmd_order *order, struct vc4vk_command *command, uint32_t dst)
{
    vc4vk_cmd_order_add(order, command);
    for (uint32_t d = 0; d < VC4VK_ENGINE_COUNT; d++)
        if (dst & BIT(d))
            order->after[d][command->engine] = order->count[command->engine];
    order->at_barrier = true;
}

/* -- stages ------------------------------------------------------------------------------------------------------- */

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_VERTEX_INPUT_BIT |                                    \
     VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT |                            \
     VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_2_PRE_RASTERIZATION_SHADERS_BIT |                       \
     VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT |    \
     VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |                               \
     VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |                      \
     VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT |                               \
     VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_2_TRANSFORM_FEEDBACK_BIT_EXT |                \
     VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT)
#define COMPUTE_STAGES (VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT)
#define TRANSFER_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT |           \
     VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT)
#define NO_WORK                                                                                                        \
    (VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_2_HOST_BIT)
#define KNOWN_STAGES (GRAPHICS_STAGES | COMPUTE_STAGES | TRANSFER_STAGES | NO_WORK)

/* Unknown stages of extensions stand for all engines. */
static uint32_t engines_of(VkPipelineStageFlags2 stages)
{
    uint32_t engines = 0;
    if (stages & ~KNOWN_STAGES)
        return COUNTED_ENGINES;
    if (stages & GRAPHICS_STAGES) /* jobs that the chip cannot run go to the CPU engine */
        engines |= BIT(VC4VK_ENGINE_CHIP) | BIT(VC4VK_ENGINE_CPU);
    if (stages & COMPUTE_STAGES)
        engines |= BIT(VC4VK_ENGINE_CPU);
    if (stages & TRANSFER_STAGES) /* the chip copies and clears whole levels */
        engines |= BIT(VC4VK_ENGINE_COPY) | BIT(VC4VK_ENGINE_CHIP);
    return engines;
}

uint32_t vc4vk_stages_to_src_engines(VkPipelineStageFlags2 stages)
{
    return stages & VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT ? COUNTED_ENGINES : engines_of(stages);
}

uint32_t vc4vk_stages_to_dst_engines(VkPipelineStageFlags2 stages)
{
    return stages & VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT ? COUNTED_ENGINES : engines_of(stages);
}
