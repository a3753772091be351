/* SPDX-License-Identifier: MIT
 *
 * What all recording uses: memory of the recording, its first failure, and the list of commands.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"

/* ---------------------------------------------------------------- memory and errors */

void vc4vk_cmd_fail(struct vc4vk_cmd_buffer *cmd, VkResult result)
{
    if (cmd->error == VK_SUCCESS)
        cmd->error = result;
}

void *vc4vk_cmd_alloc_failed(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->error == VK_SUCCESS)
        vc4vk_cmd_fail(cmd, vc4vk_oom(cmd));
    return NULL;
}

void *vc4vk_cmd_alloc(struct vc4vk_cmd_buffer *cmd, size_t size_B)
{
    void *memory = vc4vk_cmd_alloc_raw(cmd, size_B);
    return memory ? memset(memory, 0, size_B) : NULL;
}

void *vc4vk_cmd_copy(struct vc4vk_cmd_buffer *cmd, const void *data, size_t size_B)
{
    void *copy = vc4vk_cmd_alloc_raw(cmd, size_B);
    if (copy && size_B)
        memcpy(copy, data, size_B);
    return copy;
}

/* ---------------------------------------------------------------- commands */

static void append(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command)
{
    if (cmd->phase != VC4VK_CMD_RECORDING) /* a queue may be using the list */
        return;
    if (cmd->command_count == cmd->command_capacity) {
        uint32_t capacity = MAX2(16u, cmd->command_capacity * 2);
        void *grown = vc4vk_realloc(cmd->pool->alloc, cmd->commands, capacity * sizeof(struct vc4vk_command *),
                                    VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!grown) {
            vc4vk_cmd_fail(cmd, vc4vk_oom(cmd));
            return;
        }
        cmd->commands = grown;
        cmd->command_capacity = capacity;
    }
    cmd->commands[cmd->command_count++] = command;
}

static bool observes(const struct vc4vk_command *command)
{
    return command->engine == VC4VK_ENGINE_HOST && container_of(command, const struct vc4vk_cpu_op, command)->observe;
}

void vc4vk_cmd_add(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command)
{
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    append(cmd, command);
    if (command->engine == VC4VK_ENGINE_NONE) {
        vc4vk_cmd_order_begin(&cmd->order);
        return;
    }
    cmd->order.count[command->engine]++;
    if (!observes(command))
        vc4vk_cmd_order_barrier(&cmd->order, VC4VK_ENGINES_ALL, VC4VK_ENGINES_ALL);
}

void vc4vk_cmd_add_unordered(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command)
{
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    vc4vk_cmd_order_add(&cmd->order, command);
    append(cmd, command);
}

void vc4vk_cmd_add_after(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command, uint32_t src)
{
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    vc4vk_cmd_order_observe(&cmd->order, command, src);
    append(cmd, command);
}

void vc4vk_cmd_add_wait(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command, uint32_t dst)
{
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    vc4vk_cmd_order_wait(&cmd->order, command, dst);
    append(cmd, command);
}

void vc4vk_cmd_begin_segment(struct vc4vk_cmd_buffer *cmd)
{
    struct vc4vk_command *segment = vc4vk_cmd_new(cmd, struct vc4vk_command);
    if (!segment)
        return;
    segment->engine = VC4VK_ENGINE_NONE;
    vc4vk_cmd_add(cmd, segment);
}

void vc4vk_cmd_add_op(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments), void *arguments,
                      uint64_t work_B)
{
    struct vc4vk_cpu_op *op = vc4vk_cmd_new(cmd, struct vc4vk_cpu_op);
    if (!op)
        return;
    vc4vk_cpu_op_init(op, VC4VK_ENGINE_COPY, name, run, arguments);
    op->command.label = vc4vk_cmd_label(cmd);
    op->work_B = MAX2(work_B, 1);
    vc4vk_cmd_add(cmd, &op->command);
}

/* ---------------------------------------------------------------- transfers */

struct transfer_step {
    struct transfer_step *next;
    VkResult (*run)(void *arguments);
    void *arguments;
};

/* One operation that runs a list of transfers. */
struct vc4vk_cmd_transfer {
    struct vc4vk_cpu_op op;
    struct transfer_step first, *last;
};

static VkResult run_transfers(void *arguments)
{
    VkResult result = VK_SUCCESS;
    for (const struct transfer_step *step = arguments; step && result == VK_SUCCESS; step = step->next)
        result = step->run(step->arguments);
    return result;
}

void *vc4vk_cmd_transfer_arguments(const struct vc4vk_cpu_op *op, VkResult (*run)(void *arguments))
{
    const struct transfer_step *step = op->run == run_transfers ? op->arguments : NULL;
    return step && !step->next && step->run == run ? step->arguments : NULL;
}

/* Transfers of one kind without a barrier between them become one operation, up to a size limit: issuing and retiring
 * an operation and waking its waiters costs more than a small transfer. Joined small transfers stay below the size from
 * which the copy engine uses a thread of its own. */
#define JOIN_SMALL_B  (UINT64_C(128) << 10)
#define JOIN_LARGE_B  (UINT64_C(1) << 20)
#define JOIN_LARGER_B (UINT64_C(16) << 10) /* from this size on a transfer counts as large */

static bool may_join(uint64_t so_far_B, uint64_t work_B)
{
    uint64_t max_B = work_B >= JOIN_LARGER_B ? JOIN_LARGE_B : JOIN_SMALL_B - 1;
    return work_B <= max_B && so_far_B <= max_B - work_B;
}

static bool join_last_transfer(struct vc4vk_cmd_buffer *cmd, const char *name, struct transfer_step step,
                               uint64_t work_B)
{
    struct vc4vk_cmd_transfer *last = cmd->last_transfer;
    if (!last || cmd->order.at_barrier || !cmd->command_count ||
        cmd->commands[cmd->command_count - 1] != &last->op.command || cmd->phase != VC4VK_CMD_RECORDING)
        return false;
    if (last->op.name != name || last->op.command.label != vc4vk_cmd_label(cmd) || !may_join(last->op.work_B, work_B))
        return false;
    struct transfer_step *own = vc4vk_cmd_copy(cmd, &step, sizeof step);
    if (!own)
        return true; /* the failure has been recorded */
    last->last->next = own;
    last->last = own;
    last->op.work_B += work_B;
    return true;
}

void vc4vk_cmd_add_transfer(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments),
                            void *arguments, uint64_t work_B)
{
    const struct transfer_step step = {NULL, run, arguments};
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
    /* Not within a pass: its draws come after its clears, and no barrier orders them after an earlier transfer. */
    if (!cmd->pass.pass && join_last_transfer(cmd, name, step, work_B))
        return;
    struct vc4vk_cmd_transfer *transfer = vc4vk_cmd_new(cmd, struct vc4vk_cmd_transfer);
    if (!transfer)
        return;
    transfer->first = step;
    transfer->last = &transfer->first;
    vc4vk_cpu_op_init(&transfer->op, VC4VK_ENGINE_COPY, name, run_transfers, &transfer->first);
    transfer->op.command.label = vc4vk_cmd_label(cmd);
    transfer->op.work_B = MAX2(work_B, 1);
    if (cmd->pass.pass) {
        vc4vk_cmd_add(cmd, &transfer->op.command);
        return;
    }
    vc4vk_cmd_add_unordered(cmd, &transfer->op.command);
    cmd->last_transfer = transfer;
}

struct vc4vk_draw_section *vc4vk_cmd_section_new(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    return job->last ? vc4vk_cmd_new(cmd, struct vc4vk_draw_section) : &job->draws.first;
}
