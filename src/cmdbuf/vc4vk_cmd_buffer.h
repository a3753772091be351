/* SPDX-License-Identifier: MIT
 *
 * Command pools and command buffers. A command buffer is a list of commands (engine/vc4vk_command.h), and the recording
 * state.
 *
 * Recording never waits, takes no lock that other pools take, and maps nothing that the GPU writes. The first failure
 * sticks and is returned by vkEndCommandBuffer; commands recorded after it are dropped.
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
    VkAllocationCallbacks callbacks;    /* a copy of those passed to vkCreateCommandPool, if any */
    const VkAllocationCallbacks *alloc; /* that copy, or the device's; NULL: the C library */
    struct vc4vk_util_alloc util_alloc; /* the same allocator in the form that util/ takes */
    struct util_arena_cache memory;     /* of recordings that were reset, for reuse */
    VkCommandPoolCreateFlags flags;
    struct util_list buffers; /* of vc4vk_cmd_buffer */
};

enum vc4vk_cmd_phase { VC4VK_CMD_INITIAL, VC4VK_CMD_RECORDING, VC4VK_CMD_EXECUTABLE, VC4VK_CMD_INVALID };

/* A piece of a secondary command buffer that continues a render pass: draws, a barrier that ends a job, the begin or
 * end of a query, an operation between jobs, or a clear. A clear is executed by the primary, which knows the
 * attachments. */
struct vc4vk_cmd_part {
    struct vc4vk_cmd_part *next;
    struct vc4vk_cmd_job *job; /* the draws; NULL: not draws */
    bool is_barrier;
    const struct vc4vk_query_range *begins, *ends; /* a query; or NULL */
    uint32_t stream;                               /* of that query */
    struct vc4vk_command *command;                 /* an operation between jobs; or NULL */
    uint32_t attachment_count, rect_count;
    const VkClearAttachment *attachments;
    const VkClearRect *rects;
    /* Of a clear, or NULL. Of draws besides their own: that of a secondary that has executed another one; or NULL. */
    const struct vc4vk_condition *condition;
};

/* An open label of VK_EXT_debug_utils. */
struct vc4vk_cmd_label {
    struct vc4vk_cmd_label *outer;
    const char *text; /* from vc4vk_label_keep, or NULL */
};

/* A set layout that sets of the command buffer refer to. It is kept because it is compared with that of the next such
 * set, and another one could lie at the place of one that was destroyed. */
struct vc4vk_cmd_layout {
    struct vc4vk_cmd_layout *next;
    struct vc4vk_set_layout *layout; /* referenced */
};

struct vc4vk_cmd_buffer {
    struct vc4vk_recorded recorded; /* first: queues read it */
    struct vc4vk_device *device;
    struct vc4vk_cmd_pool *pool;
    struct util_list pool_link;
    VkCommandBufferLevel level;
    VkCommandBufferUsageFlags usage;
    enum vc4vk_cmd_phase phase;
    VkResult error;     /* the first one since vkBeginCommandBuffer */
    bool is_fresh;      /* nothing recorded since the last reset */
    bool forces_engine; /* VC4VK_DEBUG=force-cpu-engine */
    const struct vc4vk_job_limits *limits;

    struct util_arena arena;  /* everything recorded; freed on reset */
    struct util_alloc chunks; /* allocates the chunks of streams in the arena */
    struct vc4vk_draw_lists lists;
    struct vc4vk_command **commands;
    uint32_t command_count, command_capacity;
    struct vc4vk_cmd_transfer *last_transfer; /* to which a following small transfer may be added, or NULL */
    struct vc4vk_cmd_label *label;            /* innermost open label, for the trace */
    struct vc4vk_staging *stages;             /* staging copies of attachments, to be freed with the recording */
    struct vc4vk_cmd_layout *layouts;         /* to be released with the recording */
    struct vc4vk_table_writer tables;
    struct kmd_bo *ramp; /* the device's (vc4vk_device_ramp); NULL before its first use */

    struct vc4vk_cmd_job *job; /* being recorded, or NULL */
    struct vc4vk_cmd_pass pass;
    struct vc4vk_rendering *rendering; /* the last pass of VK_KHR_dynamic_rendering, or NULL */
    bool rendering_suspends;           /* its end suspends it */
    struct vc4vk_cmd_state state;
    struct vc4vk_cmd_query query;
    const struct vc4vk_condition *condition; /* of conditional rendering, while it is active; or NULL */
    const struct vc4vk_condition *inherited_condition; /* of a secondary while it has none of its own; or NULL */
    struct {
        struct vc4vk_capture bound;                 /* the buffers */
        struct vc4vk_capture *active;               /* of transform feedback, while it is active; or NULL */
    } capture;
    const struct vc4vk_counted *counted; /* active queries of primitives and statistics; or NULL */
    bool may_be_counted;                 /* a secondary that may be executed while pipeline statistics are active */

    bool continues_pass; /* a secondary with RENDER_PASS_CONTINUE: `parts` instead of commands */
    struct vc4vk_cmd_part *parts, **parts_end;
    struct vc4vk_cmd_order order;
};

VC4VK_DEFINE_HANDLE(vc4vk_cmd_pool, VkCommandPool, VK_OBJECT_TYPE_COMMAND_POOL)
VC4VK_DEFINE_HANDLE_CASTS(vc4vk_cmd_buffer, VkCommandBuffer)

/* Records the first failure. The caller, or the function that returned `result`, has logged it. */
void vc4vk_cmd_fail(struct vc4vk_cmd_buffer *cmd, VkResult result);
#define vc4vk_cmd_failf(cmd, result, ...) vc4vk_cmd_fail(cmd, vc4vk_errorf(cmd, result, __VA_ARGS__))

/* Memory that lives as long as the recording; NULL after a failure, which is then recorded. */
void *vc4vk_cmd_alloc_failed(struct vc4vk_cmd_buffer *cmd);
static inline void *vc4vk_cmd_alloc_raw(struct vc4vk_cmd_buffer *cmd, size_t size_B)
{
    void *memory = cmd->error == VK_SUCCESS ? util_arena_alloc_raw(&cmd->arena, MAX2(size_B, 1)) : NULL;
    return memory ? memory : vc4vk_cmd_alloc_failed(cmd);
}
void *vc4vk_cmd_alloc(struct vc4vk_cmd_buffer *cmd, size_t size_B); /* zeroed */
#define vc4vk_cmd_new(cmd, type) ((type *)vc4vk_cmd_alloc(cmd, sizeof(type)))
void *vc4vk_cmd_copy(struct vc4vk_cmd_buffer *cmd, const void *data, size_t size_B);

/* Whether the next draws need programs that count samples for occlusion queries. */
static inline bool vc4vk_cmd_query_wants_counts(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->query.pool || cmd->query.is_inherited || (cmd->job && cmd->job->counts);
}

/* The innermost open label, or NULL. */
static inline const char *vc4vk_cmd_label(const struct vc4vk_cmd_buffer *cmd)
{
    return cmd->label ? cmd->label->text : NULL;
}

/* Appends a command that runs after all earlier commands; all later ones run after it, except after a command with
 * `observe` (vc4vk_cpu_op). Does not change the command, so it may belong to a secondary. */
void vc4vk_cmd_add(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);
/* Appends a command that is ordered by the application's barriers alone: a job of a pass, a dispatch, a transfer. */
void vc4vk_cmd_add_unordered(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);
/* Append commands of the host engine that are ordered less than by vc4vk_cmd_add (vc4vk_cmd_order.h): one that waits
 * for the engines `src`, and one for which the engines `dst` wait. */
void vc4vk_cmd_add_after(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command, uint32_t src);
void vc4vk_cmd_add_wait(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command, uint32_t dst);
/* Begins a segment: later commands run after all earlier ones and count their waits from here. Used around the commands
 * of a secondary. */
void vc4vk_cmd_begin_segment(struct vc4vk_cmd_buffer *cmd);
/* Appends a command of the copy engine that the driver itself needs. `arguments` are from vc4vk_cmd_alloc, `work_B` is
 * as below. Does not end a pass. */
void vc4vk_cmd_add_op(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments), void *arguments,
                      uint64_t work_B);
/* Appends a transfer of the application, which touches about `work_B` bytes. Outside of a pass it is ordered by the
 * application's barriers alone. Small transfers that follow each other and have one `name` (a literal) run as one. */
void vc4vk_cmd_add_transfer(struct vc4vk_cmd_buffer *cmd, const char *name, VkResult (*run)(void *arguments),
                            void *arguments, uint64_t work_B);

/* The arguments of a transfer that was recorded within a pass, if `run` runs it, else NULL. */
void *vc4vk_cmd_transfer_arguments(const struct vc4vk_cpu_op *op, VkResult (*run)(void *arguments));

/* Lets a secondary inherit the condition of the primaries that execute it. */
void vc4vk_cmd_inherit_condition(struct vc4vk_cmd_buffer *cmd);
/* A command of a secondary that inherits the condition, for the condition that is active where it is executed: the
 * command itself if no condition applies to it, else a copy. NULL after a failure. */
struct vc4vk_command *vc4vk_cmd_conditional_command(struct vc4vk_cmd_buffer *cmd, struct vc4vk_command *command);

/* Estimates `work_B` for so many texels of an image. */
static inline uint64_t vc4vk_cmd_work_B(VkExtent3D extent, uint32_t layers)
{
    return UINT64_C(4) * extent.width * extent.height * MAX2(extent.depth, layers);
}

/* Memory for the next section of the job; NULL after a failure. */
struct vc4vk_draw_section *vc4vk_cmd_section_new(struct vc4vk_cmd_buffer *cmd, struct vc4vk_cmd_job *job);

#endif
