/* SPDX-License-Identifier: MIT
 *
 * Commands: what a command buffer consists of. Each names the engine that executes it and what must have retired before
 * it starts. The recording module fills and owns commands; an engine executes, times and retires them and knows nothing
 * else about them. A command is read-only once recorded and may be submitted any number of times, also while it is
 * pending. It is not accessed any more once its entry's end-of-pipe word has been stored.
 */
#ifndef ENGINE_VC4VK_COMMAND_H
#define ENGINE_VC4VK_COMMAND_H

#include <vulkan/vulkan_core.h>
#include "util/macros.h"

enum vc4vk_engine_id {
    VC4VK_ENGINE_CHIP, /* control lists, by way of kmd: the chip or its model. Payload: struct vc4vk_job */
    VC4VK_ENGINE_CPU,  /* QPU programs on mapped memory (docs/cpu-engine.md). Payload: struct vc4vk_cpu_op */
    VC4VK_ENGINE_COPY, /* copies, blits, resolves, clears, conversions by CPU rows. Payload: struct vc4vk_cpu_op */
    VC4VK_ENGINE_HOST, /* waits, events, query words, signals. Payload: struct vc4vk_cpu_op */
    VC4VK_ENGINE_COUNT,
    VC4VK_ENGINE_NONE = VC4VK_ENGINE_COUNT, /* not executed: a segment of the list of commands begins (vc4vk_command) */
};

#define VC4VK_ENGINES_ALL (BIT(VC4VK_ENGINE_COUNT) - 1)

enum vc4vk_order {
    VC4VK_ORDER_QUEUE,   /* after everything that was submitted to its queue before */
    VC4VK_ORDER_BARRIER, /* after everything before its segment, and after the commands that `waits` counts */
};

/* A list of commands consists of segments: it begins with one, and each command of VC4VK_ENGINE_NONE begins another.
 * Commands of one segment wait for each other only as `order` and `waits` say. */
struct vc4vk_command {
    enum vc4vk_engine_id engine;
    enum vc4vk_order order;
    /* Of the chip's commands. False: the ring's order is enough, the chip may bin this job while it still renders the
     * one before. True: what it waits for includes jobs of its own ring, because its build reads memory that earlier
     * work may write, or its vertex or coordinate programs read what an earlier job renders. */
    bool waits_for_ring;
    /* With VC4VK_ORDER_BARRIER: for each engine, how many of its commands, counted from the beginning of the segment,
     * must have retired. */
    uint32_t waits[VC4VK_ENGINE_COUNT];
    const char *label; /* of the application, kept as long as the device (vc4vk_label_keep), or NULL */
};

struct vc4vk_context;

/* A command of the CPU, copy or host engine. */
struct vc4vk_cpu_op {
    struct vc4vk_command command;
    /* Called without locks, on a thread that the engine chooses. Must not wait for work of this device. An error loses
     * the device. May be NULL for a command of the host engine. */
    VkResult (*run)(void *arguments);
    uint64_t work_B; /* about how many bytes it touches, from which the engine chooses the thread; 0: unknown */
    /* The rest is for the host engine; each may be NULL. */
    /* Called under the store's lock whenever something has happened on the device: the command starts when it returns
     * true. Must be quick. */
    bool (*is_ready)(void *arguments);
    /* Called before `run`, without locks. Changes what later commands of the queue are submitted with. `pass` is that
     * of VkPerformanceQuerySubmitInfoKHR. */
    VkResult (*prepare)(struct vc4vk_context *context, uint32_t pass, void *arguments);
    /* Called under the store's lock, with the time at which everything that the command waits for had finished; not
     * called on a lost device. Only commands of the host engine, what waits for a later one of them, and commands of
     * VC4VK_ORDER_QUEUE that are not the chip's, wait for a command that has this. */
    void (*observe)(void *arguments, uint64_t time_ns);
    void (*describe)(void *arguments, char *text_out, size_t text_B); /* NULL: `name` is enough */
    /* NULL: the recording module owns the command. Otherwise called once after `run`, or instead of it on a lost
     * device, before the end-of-pipe word is stored. */
    void (*release)(struct vc4vk_cpu_op *op);
    void *arguments;
    const char *name; /* static text for debug output: "copy buffer", "dispatch", ... */
};

void vc4vk_cpu_op_init(struct vc4vk_cpu_op *op, enum vc4vk_engine_id engine, const char *name,
                       VkResult (*run)(void *arguments), void *arguments);

#endif
