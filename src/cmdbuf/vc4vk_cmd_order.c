/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_order.h"

/* Engines whose commands others wait for by counts. Blocking commands of the host engine are full barriers instead. */
#define COUNTED_ENGINES (BIT(VC4VK_ENGINE_CHIP) | BIT(VC4VK_ENGINE_CPU) | BIT(VC4VK_ENGINE_COPY))

void vc4vk_cmd_order_begin(struct vc4vk_cmd_order *order)
{
    *order = (struct vc4vk_cmd_order){.at_barrier = true};
}

void vc4vk_cmd_order_barrier(struct vc4vk_cmd_order *order, uint32_t src, uint32_t dst)
{
    uint32_t before[VC4VK_ENGINE_COUNT] = {0};
    for (uint32_t s = 0; s < VC4VK_ENGINE_COUNT; s++) {
        if (!(src & BIT(s)))
            continue;
        before[s] = MAX2(before[s], order->count[s]);
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            before[e] = MAX2(before[e], order->after[s][e]);
    }
    for (uint32_t d = 0; d < VC4VK_ENGINE_COUNT; d++)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT && dst & BIT(d); e++)
            order->after[d][e] = MAX2(order->after[d][e], before[e]);
    order->at_barrier = true;
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

/* -- stages ------------------------------------------------------------------------------------------------------- */

#define GRAPHICS_STAGES                                                                                                \
    (VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |  \
     VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT | VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT |        \
     VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT |                                   \
     VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT |                          \
     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT | VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT)
#define COMPUTE_STAGES (VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT)
#define NO_WORK                                                                                                        \
    (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT)
#define KNOWN_STAGES   (GRAPHICS_STAGES | COMPUTE_STAGES | NO_WORK | VK_PIPELINE_STAGE_TRANSFER_BIT)

/* Unknown stages of extensions, and an empty mask, which is invalid usage, stand for all engines. */
static uint32_t engines_of(VkPipelineStageFlags stages)
{
    uint32_t engines = 0;
    if (!stages || stages & ~(VkPipelineStageFlags)KNOWN_STAGES)
        return COUNTED_ENGINES;
    if (stages & GRAPHICS_STAGES) /* jobs that the chip cannot run go to the CPU engine */
        engines |= BIT(VC4VK_ENGINE_CHIP) | BIT(VC4VK_ENGINE_CPU);
    if (stages & COMPUTE_STAGES)
        engines |= BIT(VC4VK_ENGINE_CPU);
    if (stages & VK_PIPELINE_STAGE_TRANSFER_BIT) /* the chip copies and clears whole levels */
        engines |= BIT(VC4VK_ENGINE_COPY) | BIT(VC4VK_ENGINE_CHIP);
    return engines;
}

uint32_t vc4vk_stages_to_src_engines(VkPipelineStageFlags stages)
{
    return stages & VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT ? COUNTED_ENGINES : engines_of(stages);
}

uint32_t vc4vk_stages_to_dst_engines(VkPipelineStageFlags stages)
{
    return stages & VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT ? COUNTED_ENGINES : engines_of(stages);
}
