/* SPDX-License-Identifier: MIT
 *
 * Test hooks of command buffers.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_test_hooks.h"

uint32_t vc4vk_test_longest_chunk_count(VkCommandBuffer cmd_h);
uint32_t vc4vk_test_job_count(VkCommandBuffer cmd_h);
VkBool32 vc4vk_test_change_dispatch_entry(VkCommandBuffer cmd_h, uint32_t index, uint32_t from);

/* Chunks of the longest control list of the jobs that were recorded. */
uint32_t vc4vk_test_longest_chunk_count(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    uint32_t longest = 0;
    for (const struct vc4vk_cmd_job *job = cmd->jobs; job; job = job->next)
        longest = MAX2(longest, job->base.bin_cl.chunk_count);
    return longest;
}
VC4VK_TEST_HOOK(vc4vk_test_longest_chunk_count)

/* Jobs among the commands of an executable command buffer. */
uint32_t vc4vk_test_job_count(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    uint32_t jobs = 0;
    for (uint32_t i = 0; i < cmd->command_count; i++)
        jobs += cmd->commands[i]->kind == VC4VK_COMMAND_JOB;
    return jobs;
}
VC4VK_TEST_HOOK(vc4vk_test_job_count)

/* Overwrites entry `index` of the last dispatch's binding table by what entry `from` names. False when there are none.
 */
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
