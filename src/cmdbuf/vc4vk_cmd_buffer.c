/* SPDX-License-Identifier: MIT */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_lifetime.h"
#include "cmdbuf/vc4vk_cmd_staging.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "util/debug.h"

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

/* The chunks of streams are allocated in the arena and freed with it. */
static void *chunk_alloc(void *arena, size_t size_B, size_t align_B)
{
    return util_arena_alloc_raw(arena, size_B);
}

static void chunk_free(void *arena, void *chunk)
{
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
    vc4vk_cmd_order_add(&cmd->order, command);
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

struct vc4vk_cmd_section *vc4vk_cmd_section_new(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job)
{
    return job->last ? vc4vk_cmd_new(cmd, struct vc4vk_cmd_section) : &job->first;
}

/* ---------------------------------------------------------------- creation, reset, destruction */

VkResult vc4vk_cmd_buffer_create(struct vc4vk_cmd_pool *pool, VkCommandBufferLevel level, struct vc4vk_cmd_buffer **out)
{
    struct vc4vk_cmd_buffer *cmd = vc4vk_new(pool->alloc, struct vc4vk_cmd_buffer, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!cmd)
        return vc4vk_oom(pool);
    set_loader_magic_value(&cmd->recorded.loader);
    cmd->recorded.log = pool->device->physical->instance->log;
    cmd->device = pool->device;
    cmd->pool = pool;
    cmd->level = level;
    cmd->is_fresh = true;
    cmd->forces_engine = util_debug(UTIL_DEBUG_FORCE_CPU_ENGINE);
    cmd->limits = vc4vk_job_limits();
    util_arena_init_cached(&cmd->arena, &pool->memory);
    cmd->chunks = (struct util_alloc){&cmd->arena, chunk_alloc, chunk_free};
    VkResult result = vc4vk_table_writer_init(&cmd->tables, pool->device);
    if (result != VK_SUCCESS) {
        vc4vk_free(pool->alloc, cmd);
        return result;
    }
    util_list_add_tail(&pool->buffers, &cmd->pool_link);
    *out = cmd;
    return VK_SUCCESS;
}

static void release_recording(struct vc4vk_cmd_buffer *cmd)
{
    for (struct vc4vk_staging *stage = cmd->stages; stage; stage = stage->next)
        kmd_bo_unref(stage->bo);
    cmd->job = NULL;
    cmd->stages = NULL;
    cmd->label = NULL;
    cmd->last_transfer = NULL;
    cmd->recorded.commands = NULL;
    cmd->recorded.command_count = cmd->command_count = 0;
    cmd->parts = NULL;
    cmd->parts_end = &cmd->parts;
    cmd->continues_pass = false;
    memset(&cmd->pass, 0, offsetof(struct vc4vk_cmd_pass, colors));
    memset(&cmd->query, 0, sizeof cmd->query);
    util_arena_finish(&cmd->arena);
    util_stream_init(&cmd->lists.packets, cmd->limits->chunk_B, &cmd->chunks);
    util_stream_init(&cmd->lists.draws, cmd->limits->chunk_B, &cmd->chunks);
}

static VkResult wait_for_last_use(struct vc4vk_cmd_buffer *cmd)
{
    VkResult result = vc4vk_recorded_wait(&cmd->device->queue_device, &cmd->recorded);
    return result == VK_ERROR_DEVICE_LOST ? VK_SUCCESS : result; /* nothing runs any more, so all can be freed */
}

VkResult vc4vk_cmd_buffer_reset(struct vc4vk_cmd_buffer *cmd)
{
    if (cmd->is_fresh)
        return VK_SUCCESS;
    VkResult result = wait_for_last_use(cmd);
    if (result != VK_SUCCESS)
        return result;
    release_recording(cmd);
    vc4vk_table_writer_reset(&cmd->tables);
    cmd->phase = VC4VK_CMD_INITIAL;
    cmd->error = VK_SUCCESS;
    cmd->is_fresh = true;
    return VK_SUCCESS;
}

void vc4vk_cmd_buffer_destroy(struct vc4vk_cmd_buffer *cmd)
{
    if (!cmd)
        return;
    wait_for_last_use(cmd);
    release_recording(cmd);
    vc4vk_table_writer_finish(&cmd->tables);
    vc4vk_free(cmd->pool->alloc, cmd->commands);
    util_list_del(&cmd->pool_link);
    vc4vk_free(cmd->pool->alloc, cmd);
}

/* ---------------------------------------------------------------- entry points */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_ResetCommandBuffer(VkCommandBuffer cmd_h, VkCommandBufferResetFlags flags)
{
    return vc4vk_cmd_buffer_reset(vc4vk_cmd_buffer_from_handle(cmd_h));
}

/* For a secondary that continues a pass. It knows the pass, but the framebuffer only if the application names it. */
static void begin_inherited_pass(struct vc4vk_cmd_buffer *cmd, const VkCommandBufferInheritanceInfo *info)
{
    const struct vc4vk_render_pass *pass = info ? vc4vk_render_pass_from_handle(info->renderPass) : NULL;
    if (!pass || info->subpass >= pass->subpass_count) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "secondary command buffer: the subpass to continue does not exist");
        return;
    }
    cmd->continues_pass = true;
    cmd->pass.pass = pass;
    cmd->pass.subpass = info->subpass;
    cmd->pass.framebuffer = vc4vk_framebuffer_from_handle(info->framebuffer);
    cmd->query.is_inherited = info->occlusionQueryEnable;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_BeginCommandBuffer(VkCommandBuffer cmd_h, const VkCommandBufferBeginInfo *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    VkResult result = vc4vk_cmd_buffer_reset(cmd);
    if (result != VK_SUCCESS)
        return result;
    release_recording(cmd);
    cmd->is_fresh = false;
    cmd->error = VK_SUCCESS;
    vc4vk_cmd_order_begin(&cmd->order);
    cmd->usage = info->flags;
    cmd->phase = VC4VK_CMD_RECORDING;
    vc4vk_cmd_state_reset(&cmd->state);
    if (cmd->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY &&
        (info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT))
        begin_inherited_pass(cmd, info->pInheritanceInfo);
    return cmd->error;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_EndCommandBuffer(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->phase != VC4VK_CMD_RECORDING)
        return vc4vk_errorf(cmd, VK_ERROR_UNKNOWN, "vkEndCommandBuffer: the command buffer is not recording");
    if (cmd->continues_pass)
        vc4vk_cmd_pass_split(cmd); /* closes the last part */
    else if (cmd->pass.pass)
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "vkEndCommandBuffer: a render pass has not ended");
    cmd->pass.pass = NULL; /* no more draws */
    cmd->job = NULL;
    cmd->last_transfer = NULL;
    if (cmd->lists.packets.failed || cmd->lists.draws.failed)
        vc4vk_cmd_fail(cmd, vc4vk_oom(cmd));
    if (cmd->error != VK_SUCCESS) {
        cmd->phase = VC4VK_CMD_INVALID;
        return cmd->error;
    }
    cmd->recorded.commands = cmd->commands;
    cmd->recorded.command_count = cmd->command_count;
    cmd->phase = VC4VK_CMD_EXECUTABLE;
    return VK_SUCCESS;
}
