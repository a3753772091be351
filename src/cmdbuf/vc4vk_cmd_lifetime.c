/* SPDX-License-Identifier: MIT
 *
 * Creates, begins, ends, resets and destroys command buffers.
 */
#include <string.h>
#include "cmdbuf/vc4vk_cmd_lifetime.h"
#include "cmdbuf/vc4vk_cmd_rendering.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "transfer/vc4vk_staging.h"
#include "util/debug.h"

/* The chunks of streams are allocated in the arena and freed with it. */
static void *chunk_alloc(void *arena, size_t size_B, size_t align_B)
{
    return util_arena_alloc_raw(arena, size_B);
}

static void chunk_free(void *arena, void *chunk)
{
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
    for (struct vc4vk_cmd_layout *kept = cmd->layouts; kept; kept = kept->next)
        vc4vk_set_layout_unref(cmd->device, kept->layout);
    cmd->job = NULL;
    cmd->rendering = NULL;
    cmd->stages = NULL;
    cmd->layouts = NULL;
    cmd->label = NULL;
    cmd->last_transfer = NULL;
    cmd->condition = cmd->inherited_condition = NULL;
    cmd->recorded.commands = NULL;
    cmd->recorded.command_count = cmd->command_count = 0;
    cmd->parts = NULL;
    cmd->parts_end = &cmd->parts;
    cmd->continues_pass = false;
    memset(&cmd->pass, 0, offsetof(struct vc4vk_cmd_pass, colors));
    memset(&cmd->query, 0, sizeof cmd->query);
    memset(&cmd->capture, 0, sizeof cmd->capture);
    cmd->counted = NULL;
    cmd->may_be_counted = false;
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
    vc4vk_private_data_forget(cmd->device, &cmd->recorded.private_number);
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
    const VkCommandBufferInheritanceRenderingInfo *rendering =
        info && !pass ? vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO)
                      : NULL;
    if (rendering)
        pass = vc4vk_cmd_inherited_rendering(cmd, rendering, info->pNext);
    if (cmd->error != VK_SUCCESS)
        return;
    if (!pass || (!rendering && info->subpass >= pass->subpass_count)) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "secondary command buffer: the subpass to continue does not exist");
        return;
    }
    cmd->continues_pass = true;
    cmd->pass.pass = pass;
    cmd->pass.subpass = rendering ? 0 : info->subpass;
    cmd->pass.framebuffer = rendering ? NULL : vc4vk_framebuffer_from_handle(info->framebuffer);
    cmd->query.is_inherited = info->occlusionQueryEnable;
}

/* What every secondary may inherit. */
static void inherit(struct vc4vk_cmd_buffer *cmd, const VkCommandBufferInheritanceInfo *info)
{
    const VkCommandBufferInheritanceConditionalRenderingInfoEXT *condition =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT);
    cmd->may_be_counted = info->pipelineStatistics != 0;
    if (condition && condition->conditionalRenderingEnable)
        vc4vk_cmd_inherit_condition(cmd);
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
    if (cmd->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && info->pInheritanceInfo)
        inherit(cmd, info->pInheritanceInfo);
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
    vc4vk_cmd_pass_release(cmd, &cmd->pass);
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
