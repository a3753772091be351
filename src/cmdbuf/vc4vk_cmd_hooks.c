/* SPDX-License-Identifier: MIT
 *
 * Test hooks of command buffers.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_test_hooks.h"

uint32_t vc4vk_test_chunk_count(VkCommandBuffer cmd_h);
uint32_t vc4vk_test_job_count(VkCommandBuffer cmd_h);
void vc4vk_test_recorded(VkCommandBuffer cmd_h, uint32_t counts_out[4]);
VkBool32 vc4vk_test_change_dispatch_entry(VkCommandBuffer cmd_h, uint32_t index, uint32_t from);

/* How many chunks the recorded packets take. */
uint32_t vc4vk_test_chunk_count(VkCommandBuffer cmd_h)
{
    return vc4vk_cmd_buffer_from_handle(cmd_h)->lists.packets.chunk_count;
}
VC4VK_TEST_HOOK(vc4vk_test_chunk_count)

/* How many commands of an executable command buffer are jobs. */
uint32_t vc4vk_test_job_count(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    uint32_t jobs = 0;
    for (uint32_t i = 0; i < cmd->command_count; i++)
        jobs += cmd->commands[i]->engine == VC4VK_ENGINE_CHIP;
    return jobs;
}
VC4VK_TEST_HOOK(vc4vk_test_job_count)

/* Overwrites entry `index` of the last dispatch's binding table with entry `from`. False when there is no such
 * entry. */
VkBool32 vc4vk_test_change_dispatch_entry(VkCommandBuffer cmd_h, uint32_t index, uint32_t from)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    const struct vc4vk_binding_table *table = &cmd->state.compute.table;
    const struct vc4vk_state_pool *pool = cmd->tables.pool;
    if (index >= table->count || from >= table->count)
        return VK_FALSE;
    const char *state = (const char *)vc4vk_binding_table_resolve(pool, table, from);
    vc4vk_binding_table_poke(pool, table, index, (int32_t)(state - (const char *)vc4vk_state_ptr(pool, 0)));
    return VK_TRUE;
}
VC4VK_TEST_HOOK(vc4vk_test_change_dispatch_entry)

static uint32_t count_surfaces(const struct kmd_surface *const *surfaces, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += surfaces[i]->bo_index != KMD_NO_BO;
    return found;
}

/* Counts of an executable command buffer: jobs, surfaces that they load, surfaces that they store, CPU operations. */
void vc4vk_test_recorded(VkCommandBuffer cmd_h, uint32_t counts_out[4])
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    memset(counts_out, 0, 4 * sizeof *counts_out);
    for (uint32_t i = 0; i < cmd->command_count; i++) {
        if (cmd->commands[i]->engine != VC4VK_ENGINE_CHIP) {
            counts_out[3] += cmd->commands[i]->engine != VC4VK_ENGINE_NONE;
            continue;
        }
        const struct kmd_render *r = &container_of(cmd->commands[i], struct vc4vk_job, command)->render;
        const struct kmd_surface *const loads[] = {&r->color_read, &r->zs_read};
        const struct kmd_surface *const stores[] = {&r->color_write, &r->msaa_color_write, &r->zs_write,
                                                    &r->msaa_zs_write};
        counts_out[0]++;
        counts_out[1] += count_surfaces(loads, ARRAY_SIZE(loads));
        counts_out[2] += count_surfaces(stores, ARRAY_SIZE(stores));
    }
}
VC4VK_TEST_HOOK(vc4vk_test_recorded)
