/* SPDX-License-Identifier: MIT
 *
 * Executes secondary command buffers by reference, also from secondaries (VK_EXT_nested_command_buffer). The primary's
 * list refers to the commands of a standalone secondary. The draws of a secondary that continues a render pass become
 * sections of the primary's jobs. Nothing is copied before issue.
 */
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_cmd_retarget.h"
#include "device/vc4vk_entrypoints_gen.h"

/* Whether the secondary's draws cannot be appended to the open job. */
static bool needs_split(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *from)
{
    const struct vc4vk_cmd_job *job = cmd->job;
    const struct vc4vk_cmd_cost cost = {from->chip_draws, from->estimate_B, from->draws.binner_B};
    if (!job || !job->draw_count)
        return job && job->counts && !from->has_counting_programs;
    return job->draws.is_recentred != (from->draws.is_recentred || cmd->pass.is_cut) ||
           job->stores_colors != from->stores_colors || vc4vk_cmd_job_is_full(job, &cost) ||
           (job->counts && !from->has_counting_programs);
}

static void execute_draws(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_job *from,
                          const struct vc4vk_condition *condition)
{
    if (needs_split(cmd, from))
        vc4vk_cmd_pass_split(cmd);
    vc4vk_cmd_pass_set_samples(cmd, from->draws.samples);
    vc4vk_cmd_pass_set_pairs(cmd, from->pairs);
    if (!vc4vk_cmd_pass_check_pipeline(cmd, from->replay_count, from->draws.samples))
        return;
    if (from->has_counting_programs && !vc4vk_cmd_query_has_room(cmd, from->primitives))
        vc4vk_cmd_pass_split(cmd);
    struct vc4vk_cmd_job *job = vc4vk_cmd_pass_job(cmd);
    struct vc4vk_draw_section *section = job ? vc4vk_cmd_section_new(cmd, job) : NULL;
    if (section)
        vc4vk_cmd_job_execute(job, section, from,
                              from->has_counting_programs ? vc4vk_cmd_query_count(cmd, job, from->primitives) : 0,
                              condition);
}

/* The condition of draws, besides their own, or of a clear, where `cmd` executes them. */
static const struct vc4vk_condition *condition_of(const struct vc4vk_cmd_buffer *cmd,
                                                  const struct vc4vk_cmd_buffer *secondary,
                                                  const struct vc4vk_cmd_part *part)
{
    const bool inherits = part->job && !part->condition ? secondary->inherited_condition != NULL
                                                        : vc4vk_condition_is_inherited(part->condition);
    return inherits ? cmd->condition : part->condition;
}

static void execute_clear(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_part *part,
                          const struct vc4vk_condition *condition)
{
    const struct vc4vk_condition *own = cmd->condition;
    cmd->condition = condition;
    vc4vk_CmdClearAttachments(vc4vk_cmd_buffer_to_handle(cmd), part->attachment_count, part->attachments,
                              part->rect_count, part->rects);
    cmd->condition = own;
}

/* NULL when the secondary may be executed here, else the reason why not. */
static const char *check(const struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_buffer *secondary)
{
    if (cmd->phase != VC4VK_CMD_RECORDING)
        return "the executing command buffer is not recording";
    if (!secondary || secondary->level != VK_COMMAND_BUFFER_LEVEL_SECONDARY)
        return "it is not a secondary command buffer";
    if (secondary->phase != VC4VK_CMD_EXECUTABLE)
        return "it is not executable";
    if (secondary->continues_pass && !cmd->pass.pass)
        return "it continues a render pass, but no pass is active";
    if (!secondary->continues_pass && cmd->continues_pass)
        return "it does not continue the render pass that the executing one continues";
    return NULL;
}

/* Nested: a secondary that continues a pass takes the parts of another one as its own. */
static void append_parts(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_buffer *nested)
{
    vc4vk_cmd_pass_split(cmd); /* closes the part before them */
    for (const struct vc4vk_cmd_part *part = vc4vk_cmd_parts_for_pass(cmd, nested); part; part = part->next) {
        struct vc4vk_cmd_part *own = vc4vk_cmd_copy(cmd, part, sizeof *part);
        if (!own)
            return;
        own->next = NULL;
        own->condition = condition_of(cmd, nested, part);
        *cmd->parts_end = own;
        cmd->parts_end = &own->next;
    }
}

static void execute_parts(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_cmd_buffer *secondary)
{
    const VkCommandBuffer cmd_h = vc4vk_cmd_buffer_to_handle(cmd);
    for (const struct vc4vk_cmd_part *part = vc4vk_cmd_parts_for_pass(cmd, secondary); part; part = part->next) {
        const struct vc4vk_condition *condition = condition_of(cmd, secondary, part);
        if (part->job)
            execute_draws(cmd, part->job, condition);
        else if (part->is_barrier || part->command)
            vc4vk_cmd_pass_split(cmd);
        else if (part->begins)
            vc4vk_CmdBeginQueryIndexedEXT(cmd_h, vc4vk_query_pool_to_handle(part->begins->pool), part->begins->first, 0,
                                          part->stream);
        else if (part->ends)
            vc4vk_CmdEndQueryIndexedEXT(cmd_h, vc4vk_query_pool_to_handle(part->ends->pool), part->ends->first,
                                        part->stream);
        else
            execute_clear(cmd, part, condition);
        if (part->command)
            vc4vk_cmd_add(cmd, part->command);
    }
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdExecuteCommands(VkCommandBuffer cmd_h, uint32_t count,
                                                    const VkCommandBuffer *secondaries)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    for (uint32_t i = 0; i < count && cmd->error == VK_SUCCESS; i++) {
        const struct vc4vk_cmd_buffer *secondary = vc4vk_cmd_buffer_from_handle(secondaries[i]);
        const char *why = check(cmd, secondary);
        if (why) {
            vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "vkCmdExecuteCommands: a command buffer cannot be executed: %s",
                            why);
            return;
        }
        const bool is_conditional =
            secondary->inherited_condition && cmd->condition && !vc4vk_condition_is_inherited(cmd->condition);
        if (!secondary->continues_pass) { /* the waits of its commands count from the secondary's begin */
            vc4vk_cmd_begin_segment(cmd);
            for (uint32_t c = 0; c < secondary->command_count && cmd->error == VK_SUCCESS; c++) {
                struct vc4vk_command *command = secondary->commands[c];
                if (is_conditional)
                    command = vc4vk_cmd_conditional_command(cmd, command);
                if (command && cmd->counted)
                    command = vc4vk_cmd_counted_command(cmd, command);
                if (command)
                    vc4vk_cmd_add(cmd, command);
            }
            vc4vk_cmd_begin_segment(cmd);
        }
        if (cmd->continues_pass)
            append_parts(cmd, secondary);
        else
            execute_parts(cmd, secondary);
    }
    cmd->state.dirty = VC4VK_DIRTY_ALL; /* undefined by the specification */
}
