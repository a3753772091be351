/* SPDX-License-Identifier: MIT
 *
 * Test hooks of command buffers.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "device/vc4vk_test_hooks.h"

uint32_t vc4vk_test_longest_chunk_count(VkCommandBuffer cmd_h);
uint32_t vc4vk_test_job_count(VkCommandBuffer cmd_h);

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
