/* SPDX-License-Identifier: MIT
 *
 * Command pools and command buffers: a list of commands (engine/vc4vk_command.h), and the state while it is
 * recorded.
 *
 * Recording never waits, takes no lock that other pools take, and maps nothing that the GPU writes. The first failure
 * sticks and comes out of vkEndCommandBuffer; what is recorded after it is lost.
 */
#ifndef CMDBUF_VC4VK_CMD_BUFFER_H
#define CMDBUF_VC4VK_CMD_BUFFER_H

#include "cmdbuf/vc4vk_cmd_job.h"
#include "cmdbuf/vc4vk_cmd_order.h"
#include "cmdbuf/vc4vk_cmd_pass.h"
#include "cmdbuf/vc4vk_cmd_query.h"
#include "cmdbuf/vc4vk_cmd_state.h"
#include "queue/vc4vk_queue.h"
#include "util/arena.h"
#include "util/list.h"

struct vc4vk_cmd_pool {
    struct vc4vk_object base;
    struct vc4vk_device *device;
    VkAllocationCallbacks callbacks;    /* a copy of the call's, if it gave some */
    const VkAllocationCallbacks *alloc; /* that copy, or the device's; NULL: the C library */
    struct vc4vk_util_alloc util_alloc; /* the same for util */
    struct util_arena_cache memory;     /* of recordings that were reset */
    VkCommandPoolCreateFlags flags;
    struct util_list buffers; /* of vc4vk_cmd_buffer */
};

enum vc4vk_cmd_phase { VC4VK_CMD_INITIAL, VC4VK_CMD_RECORDING, VC4VK_CMD_EXECUTABLE, VC4VK_CMD_INVALID };

/* A piece of a secondary command buffer that continues a render pass: draws, a barrier that ends a job, the begin or
 * end of a query, an operation between jobs, or a clear that has to wait until the attachments are known. */
struct vc4vk_cmd_part {
    struct vc4vk_cmd_part *next;
    struct vc4vk_cmd_job *job; /* NULL: something else */
    bool is_barrier;
    const struct vc4vk_query_range *begins, *ends; /* an occlusion query; or NULL */
    struct vc4vk_command *command;                 /* something between jobs; or NULL */
    uint32_t attachment_count, rect_count;
    const VkClearAttachment *attachments;
    const VkClearRect *rects;
};

/* An open label of VK_EXT_debug_utils. */
struct vc4vk_cmd_label {
    struct vc4vk_cmd_label *outer;
    const char *text; /* kept (queue/vc4vk_label.h), or NULL */
};

struct vc4vk_cmd_buffer {
    struct vc4vk_recorded recorded; /* first: queues read it */
    struct vc4vk_device *device;
    struct vc4vk_cmd_pool *pool;
    struct util_list pool_link;
    VkCommandBufferLevel level;
    VkCommandBufferUsageFlags usage;
    enum vc4vk_cmd_phase phase;
    VkResult error; /* the first one since vkBeginCommandBuffer */
    bool is_fresh;  /* nothing to reset */
    bool forces_engine; /* VC4VK_DEBUG=force-cpu-engine */
    const struct vc4vk_job_limits *limits;
    struct vc4vk_cmd_order order;

    struct util_arena arena;  /* everything recorded; freed on reset */
    struct util_alloc chunks; /* the same, for the chunks of streams */
    struct vc4vk_cmd_lists lists;
    struct vc4vk_command **commands;
    uint32_t command_count, command_capacity;
    struct vc4vk_cmd_transfer *last_transfer; /* that small ones may still join, or NULL */
    struct vc4vk_cmd_label *label;  /* innermost of those that are open, for the trace */
    struct vc4vk_cmd_stage *stages; /* temporaries of attachments */
    struct vc4vk_table_writer tables;
    struct kmd_bo *ramp; /* the device's (vc4vk_device_ramp), or NULL: nobody has asked for it */

    struct vc4vk_cmd_job *job; /* being recorded, or NULL */
    struct vc4vk_cmd_pass pass;
    struct vc4vk_cmd_state state;
    struct vc4vk_cmd_query query;

    bool continues_pass; /* a secondary with RENDER_PASS_CONTINUE: `parts` instead of commands */
    struct vc4vk_cmd_part *parts, **parts_end;
};

VC4VK_DEFINE_HANDLE(vc4vk_cmd_pool, VkCommandPool, VK_OBJECT_TYPE_COMMAND_POOL)
VC4VK_DEFINE_HANDLE_CASTS(vc4vk_cmd_buffer, VkCommandBuffer)

/* Remembers the first failure; `result` should have been logged where it was made. */
void vc4vk_cmd_fail(struct vc4vk_cmd_buffer *cmd, VkResult result);
#define vc4vk_cmd_failf(cmd, result, ...) vc4vk_cmd_fail(cmd, vc4vk_errorf(cmd, result, __VA_ARGS__))

/* Memory that lives as long as the recording; NULL after a failure, which is then remembered. */
void *vc4vk_cmd_alloc_failed(struct vc4vk_cmd_buffer *cmd);
static inline void *vc4vk_cmd_alloc_raw(struct vc4vk_cmd_buffer *cmd, size_t size_B)
{
    void *memory = cmd->error == VK_SUCCESS ? util_arena_alloc_raw(&cmd->arena, MAX2(size_B, 1)) : NULL;
    return memory ? memory : vc4vk_cmd_alloc_failed(cmd);
}
void *vc4vk_cmd_alloc(struct vc4vk_cmd_buffer *cmd, size_t size_B); /* zeroed */
#define vc4vk_cmd_new(cmd, type) ((type *)vc4vk_cmd_alloc(cmd, sizeof(type)))
void *vc4vk_cmd_copy(struct vc4vk_cmd_buffer *cmd, const void *data, size_t size_B);

/* Do draws from here on need programs that count for occlusion queries? */
static inline bool vc4vk_cmd_query_wants_counts(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->query.pool || cmd->query.is_inherited || (cmd->job && cmd->job->counts);
}

/* The innermost open label, or NULL. */
static inline const char *vc4vk_cmd_label(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->label ? cmd->label->text : NULL;
}

/* Appends to the list of commands: after everything before it, before everything behind it; what observes
 * (vc4vk_cpu_op) holds up nothing. Secondaries lend their commands, which are not changed. */
void vc4vk_cmd_add(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);
/* The same, but only barriers of the application put it in order: a job of a pass, a dispatch, a transfer. */
void vc4vk_cmd_add_unordered(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);
/* What comes next counts its waits anew, and comes after everything before it: around what a secondary lends. */
void vc4vk_cmd_begin_segment(struct vc4vk_cmd_buffer *cmd);
/* A command of the copy engine that the driver needs; `arguments` are from vc4vk_cmd_alloc, `work_B` as below. Ends no
 * pass. */
void vc4vk_cmd_add_op(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments), void *arguments,
                      uint64_t work_B);
/* An operation that the application asked for, touching about `work_B` bytes: only its barriers put it in order,
 * outside of a pass. Small ones of one name (a literal) run as one. */
void vc4vk_cmd_add_transfer(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments),
                            void *arguments, uint64_t work_B);

/* The `work_B` of that many texels of an image, roughly. */
static inline uint64_t vc4vk_cmd_work_B(VkExtent3D extent, uint32_t layers)
{
    return UINT64_C(4) * extent.width * extent.height * MAX2(extent.depth, layers);
}

/* The next section of its job; NULL after a failure. */
struct vc4vk_cmd_section *vc4vk_cmd_section_new(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job);

#endif
