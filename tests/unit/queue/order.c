/* SPDX-License-Identifier: MIT
 *
 * The order of execution: timeline semaphores, waits before signals, priorities, CPU operations parallel to jobs, and
 * random graphs of submissions from many threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "made_job.h"
#include "queue/vc4vk_sync.h"

#define SHORT_NS UINT64_C(30000000)
#define LONG_NS  UINT64_C(20000000000)

#define QUEUES 4

struct bench {
    struct fake_kmd *fake;
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queues[QUEUES]; /* [0] has high priority, [3] is of the second family */
};

static int set_up(void **state)
{
    static struct bench b;
    b = (struct bench){0};
    b.kmd = fake_kmd_create(&b.fake);
    const struct vc4vk_context_create queues[QUEUES] = {{0, 0, 1.0f}, {0, 1, 0.5f}, {0, 2, 0.5f}, {1, 0, 0.5f}};
    if (vc4vk_queue_device_init(&b.device, b.kmd, NULL, queues, QUEUES))
        return 1;
    for (int i = 0; i < QUEUES; i++)
        b.queues[i] = vc4vk_queue_device_get(&b.device, queues[i].family, queues[i].index);
    *state = &b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    vc4vk_queue_device_finish(&b->device);
    kmd_close(b->kmd);
    return 0;
}

/* -- helpers ------------------------------------------------------------------------------------------------------ */

static VkSemaphore make_timeline(struct bench *b, uint64_t value)
{
    VkSemaphore semaphore = VK_NULL_HANDLE;
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                            .initialValue = value};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    assert_int_equal(vc4vk_semaphore_create(&b->device, &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

struct batch {
    struct vc4vk_command **commands;
    uint32_t command_count;
    const VkSemaphore *waits;
    const uint64_t *wait_values;
    uint32_t wait_count;
    VkSemaphore signal;
    uint64_t signal_value;
    VkFence fence;
};

static VkResult submit(struct vc4vk_queue *queue, const struct batch *batch)
{
    struct vc4vk_recorded recorded = {.commands = batch->commands, .command_count = batch->command_count};
    VkCommandBuffer buffer = (VkCommandBuffer)&recorded;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = batch->wait_count,
                                                  .pWaitSemaphoreValues = batch->wait_values,
                                                  .signalSemaphoreValueCount = batch->signal != VK_NULL_HANDLE,
                                                  .pSignalSemaphoreValues = &batch->signal_value};
    const VkPipelineStageFlags stages[8] = {0};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = batch->wait_count,
                               .pWaitSemaphores = batch->waits,
                               .pWaitDstStageMask = stages,
                               .commandBufferCount = batch->command_count != 0,
                               .pCommandBuffers = &buffer,
                               .signalSemaphoreCount = batch->signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &batch->signal};
    return vc4vk_queue_submit(queue, 1, &info, batch->fence);
}

static VkResult wait_value(struct bench *b, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &semaphore,
                                      .pValues = &value};
    return vc4vk_semaphores_wait(&b->device, &info, timeout_ns);
}

static uint64_t counter(struct bench *b, VkSemaphore semaphore)
{
    uint64_t value = UINT64_MAX;
    assert_int_equal(vc4vk_semaphore_counter(&b->device, semaphore, &value), VK_SUCCESS);
    return value;
}

static VkResult signal_value(struct bench *b, VkSemaphore semaphore, uint64_t value)
{
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};
    return vc4vk_semaphore_signal(&b->device, &info);
}

/* An operation that runs until `may_end` is set. */
struct slow_op {
    struct vc4vk_cpu_op op;
    _Atomic bool has_started, may_end;
};

static VkResult run_slow(void *arguments)
{
    struct slow_op *op = arguments;
    atomic_store(&op->has_started, true);
    while (!atomic_load(&op->may_end))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return VK_SUCCESS;
}

static void make_slow(struct slow_op *op)
{
    *op = (struct slow_op){0};
    vc4vk_cpu_op_init(&op->op, VC4VK_ENGINE_COPY, "slow", run_slow, op);
    op->op.work_B = 1 << 20;
}

static const struct vc4vk_ring *ring_of(const struct vc4vk_queue *queue, enum vc4vk_engine_id engine)
{
    return &queue->context.rings[engine];
}

static bool becomes_true(const _Atomic bool *flag)
{
    uint64_t deadline_ns = util_now_ns() + LONG_NS;
    while (!atomic_load(flag) && util_now_ns() < deadline_ns)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(flag);
}

/* -- timeline semaphores ------------------------------------------------------------------------------------------ */

static void host_signals_and_waits(void **state)
{
    struct bench *b = *state;
    VkSemaphore s[2] = {make_timeline(b, 5), make_timeline(b, 0)};
    assert_int_equal(counter(b, s[0]), 5);
    assert_int_equal(wait_value(b, s[0], 5, 0), VK_SUCCESS);
    assert_int_equal(wait_value(b, s[0], 6, 0), VK_TIMEOUT);
    assert_int_equal(wait_value(b, s[0], 6, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(signal_value(b, s[0], 9), VK_SUCCESS);
    assert_int_equal(counter(b, s[0]), 9);
    VkSemaphoreWaitInfo both = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 2,
                                .pSemaphores = s,
                                .pValues = (const uint64_t[]){9, 1}};
    assert_int_equal(vc4vk_semaphores_wait(&b->device, &both, SHORT_NS), VK_TIMEOUT);
    both.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    assert_int_equal(vc4vk_semaphores_wait(&b->device, &both, SHORT_NS), VK_SUCCESS);
    for (int i = 0; i < 2; i++)
        vc4vk_semaphore_destroy(&b->device, s[i], NULL);
}

static void the_counter_follows_the_work(void **state)
{
    struct bench *b = *state;
    VkSemaphore s = make_timeline(b, 0);
    struct made_job job;
    assert_true(make_job(b->kmd, &job, 1));
    for (uint64_t value = 1; value <= 2; value++)
        assert_int_equal(submit(b->queues[1], &(struct batch){.commands = (struct vc4vk_command *[]){&job.job.command},
                                                              .command_count = 1,
                                                              .signal = s,
                                                              .signal_value = value * 10}),
                         VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    assert_int_equal(wait_value(b, s, 10, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(counter(b, s), 0);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_value(b, s, 10, LONG_NS), VK_SUCCESS);
    assert_int_equal(wait_value(b, s, 11, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(counter(b, s), 10);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_value(b, s, 20, LONG_NS), VK_SUCCESS);
    vc4vk_semaphore_destroy(&b->device, s, NULL);
    drop_job(&job);
}

/* Two queues increment a counter in turn a thousand times. All waits of the first queue are submitted before any
 * signal.
 */
static void a_thousand_waits_before_signals(void **state)
{
    struct bench *b = *state;
    enum { STEPS = 1000 };
    VkSemaphore s = make_timeline(b, 0);
    for (int half = 0; half < 2; half++)
        for (uint64_t step = half; step < STEPS; step += 2)
            assert_int_equal(submit(b->queues[1 + half], &(struct batch){.waits = &s,
                                                                         .wait_values = (const uint64_t[]){step + 1},
                                                                         .wait_count = 1,
                                                                         .signal = s,
                                                                         .signal_value = step + 2}),
                             VK_SUCCESS);
    assert_int_equal(wait_value(b, s, 1, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(signal_value(b, s, 1), VK_SUCCESS);
    assert_int_equal(wait_value(b, s, STEPS + 1, LONG_NS), VK_SUCCESS);
    assert_int_equal(counter(b, s), STEPS + 1);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    vc4vk_semaphore_destroy(&b->device, s, NULL);
}

/* Waits for 1 while a submission that signals 3 is pending: the wait must not be for that higher point, which itself
 * waits for 1. */
static void a_higher_point_is_not_waited_for(void **state)
{
    struct bench *b = *state;
    VkSemaphore s = make_timeline(b, 0);
    const uint64_t one = 1;
    assert_int_equal(
        submit(b->queues[1],
               &(struct batch){.waits = &s, .wait_values = &one, .wait_count = 1, .signal = s, .signal_value = 3}),
        VK_SUCCESS);
    assert_int_equal(
        submit(b->queues[2],
               &(struct batch){.waits = &s, .wait_values = &one, .wait_count = 1, .signal = s, .signal_value = 2}),
        VK_SUCCESS);
    assert_int_equal(wait_value(b, s, 1, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(signal_value(b, s, 1), VK_SUCCESS);
    assert_int_equal(wait_value(b, s, 3, LONG_NS), VK_SUCCESS);
    vc4vk_semaphore_destroy(&b->device, s, NULL);
}

static void a_blocked_queue_ends_with_the_device(void **state)
{
    struct bench *b = *state;
    VkSemaphore s = make_timeline(b, 0);
    assert_int_equal(
        submit(b->queues[1], &(struct batch){.waits = &s, .wait_values = (const uint64_t[]){1}, .wait_count = 1}),
        VK_SUCCESS);
    kmd_device_set_lost(b->kmd);
    assert_int_equal(wait_value(b, s, 1, LONG_NS), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_ERROR_DEVICE_LOST);
    vc4vk_semaphore_destroy(&b->device, s, NULL);
}

/* -- CPU operations parallel to jobs ------------------------------------------------------------------------------ */

static void a_long_operation_holds_up_only_what_depends_on_it(void **state)
{
    struct bench *b = *state;
    struct slow_op op;
    struct made_job beside, behind, elsewhere;
    make_slow(&op);
    assert_true(make_job(b->kmd, &beside, 1));
    assert_true(make_job(b->kmd, &behind, 2));
    assert_true(make_job(b->kmd, &elsewhere, 3));
    beside.job.command.order = VC4VK_ORDER_BARRIER;
    struct vc4vk_command *commands[] = {&op.op.command, &beside.job.command, &behind.job.command};
    assert_int_equal(submit(b->queues[1], &(struct batch){.commands = commands, .command_count = 3}), VK_SUCCESS);
    assert_true(becomes_true(&op.has_started));
    assert_true(fake_kmd_wait_submitted(b->fake, 1)); /* there is no barrier between them */
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(
        submit(b->queues[2],
               &(struct batch){.commands = (struct vc4vk_command *[]){&elsewhere.job.command}, .command_count = 1}),
        VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 2)); /* another queue does not have to wait either */
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(vc4vk_queue_wait_idle(b->queues[2]), VK_SUCCESS);
    assert_int_equal(b->fake->jobs[1].first_byte, 3);
    /* Each ring has its own end-of-pipe word; the submission has not retired while the operation runs. */
    assert_int_equal(atomic_load(&ring_of(b->queues[1], VC4VK_ENGINE_CHIP)->timeline->end), 1);
    assert_int_equal(atomic_load(&ring_of(b->queues[1], VC4VK_ENGINE_COPY)->timeline->end), 0);
    const struct vc4vk_timestamp_set last = vc4vk_queue_last_timestamps(b->queues[1]);
    assert_false(vc4vk_timestamps_are_retired(&last));
    atomic_store(&op.may_end, true);
    assert_true(fake_kmd_wait_submitted(b->fake, 3));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(vc4vk_queue_wait_idle(b->queues[1]), VK_SUCCESS);
    assert_int_equal(atomic_load(&ring_of(b->queues[1], VC4VK_ENGINE_CHIP)->timeline->end), 2);
    assert_int_equal(atomic_load(&ring_of(b->queues[1], VC4VK_ENGINE_COPY)->timeline->end), 1);
    assert_true(vc4vk_timestamps_are_retired(&last));
    drop_job(&beside);
    drop_job(&behind);
    drop_job(&elsewhere);
}

static void each_family_has_a_thread(void **state)
{
    struct bench *b = *state;
    struct slow_op ops[2];
    for (int i = 0; i < 2; i++) {
        make_slow(&ops[i]);
        assert_int_equal(
            submit(b->queues[i ? 3 : 1],
                   &(struct batch){.commands = (struct vc4vk_command *[]){&ops[i].op.command}, .command_count = 1}),
            VK_SUCCESS);
    }
    assert_true(becomes_true(&ops[0].has_started));
    assert_true(becomes_true(&ops[1].has_started));
    for (int i = 0; i < 2; i++)
        atomic_store(&ops[i].may_end, true);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
}

/* A copy, a program of the CPU engine and a job of one queue run at the same time when no barrier separates them. */
static void engines_of_a_queue_overlap(void **state)
{
    struct bench *b = *state;
    struct slow_op copy, program;
    struct made_job job;
    make_slow(&copy);
    make_slow(&program);
    program.op.command.engine = VC4VK_ENGINE_CPU;
    assert_true(make_job(b->kmd, &job, 1));
    copy.op.command.order = program.op.command.order = job.job.command.order = VC4VK_ORDER_BARRIER;
    struct vc4vk_command *commands[] = {&copy.op.command, &program.op.command, &job.job.command};
    assert_int_equal(submit(b->queues[1], &(struct batch){.commands = commands, .command_count = 3}), VK_SUCCESS);
    assert_true(becomes_true(&copy.has_started));
    assert_true(becomes_true(&program.has_started));
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    atomic_store(&copy.may_end, true);
    atomic_store(&program.may_end, true);
    assert_int_equal(vc4vk_queue_wait_idle(b->queues[1]), VK_SUCCESS);
    drop_job(&job);
}

/* The counts of a barrier delay only the engine that they are for. */
static void counts_hold_up_one_engine(void **state)
{
    struct bench *b = *state;
    struct slow_op copy, program;
    struct made_job job;
    make_slow(&copy);
    make_slow(&program);
    program.op.command.engine = VC4VK_ENGINE_CPU;
    atomic_store(&program.may_end, true);
    assert_true(make_job(b->kmd, &job, 1));
    copy.op.command.order = program.op.command.order = job.job.command.order = VC4VK_ORDER_BARRIER;
    program.op.command.waits[VC4VK_ENGINE_COPY] = 1;
    struct vc4vk_command *commands[] = {&copy.op.command, &program.op.command, &job.job.command};
    assert_int_equal(submit(b->queues[1], &(struct batch){.commands = commands, .command_count = 3}), VK_SUCCESS);
    assert_true(becomes_true(&copy.has_started));
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    nanosleep(&(struct timespec){.tv_nsec = (long)SHORT_NS}, NULL);
    assert_false(atomic_load(&program.has_started));
    atomic_store(&copy.may_end, true);
    assert_int_equal(vc4vk_queue_wait_idle(b->queues[1]), VK_SUCCESS);
    assert_true(program.has_started);
    drop_job(&job);
}

/* Counts restart with each segment, and a segment comes after everything before it. */
static void segments_count_anew(void **state)
{
    struct bench *b = *state;
    struct vc4vk_command segment = {.engine = VC4VK_ENGINE_NONE};
    struct slow_op ops[3];
    for (int i = 0; i < 3; i++) {
        make_slow(&ops[i]);
        ops[i].op.command.order = VC4VK_ORDER_BARRIER;
    }
    ops[2].op.command.engine = VC4VK_ENGINE_CPU;
    ops[2].op.command.waits[VC4VK_ENGINE_COPY] = 1; /* the second, not the first */
    atomic_store(&ops[2].may_end, true);
    struct vc4vk_command *commands[] = {&ops[0].op.command, &segment, &ops[1].op.command, &ops[2].op.command};
    assert_int_equal(submit(b->queues[1], &(struct batch){.commands = commands, .command_count = 4}), VK_SUCCESS);
    assert_true(becomes_true(&ops[0].has_started));
    nanosleep(&(struct timespec){.tv_nsec = (long)SHORT_NS}, NULL);
    assert_false(atomic_load(&ops[1].has_started) || atomic_load(&ops[2].has_started));
    atomic_store(&ops[0].may_end, true);
    assert_true(becomes_true(&ops[1].has_started));
    nanosleep(&(struct timespec){.tv_nsec = (long)SHORT_NS}, NULL);
    assert_false(atomic_load(&ops[2].has_started));
    atomic_store(&ops[1].may_end, true);
    assert_int_equal(vc4vk_queue_wait_idle(b->queues[1]), VK_SUCCESS);
}

/* Two queues of one family copy at the same time. */
static void each_queue_copies_by_itself(void **state)
{
    struct bench *b = *state;
    struct slow_op ops[2];
    for (int i = 0; i < 2; i++) {
        make_slow(&ops[i]);
        assert_int_equal(
            submit(b->queues[1 + i],
                   &(struct batch){.commands = (struct vc4vk_command *[]){&ops[i].op.command}, .command_count = 1}),
            VK_SUCCESS);
    }
    for (int i = 0; i < 2; i++)
        assert_true(becomes_true(&ops[i].has_started));
    for (int i = 0; i < 2; i++)
        atomic_store(&ops[i].may_end, true);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
}

/* Short commands of one queue run in parallel to long ones of another. If an engine runs one command at a time, the
 * other queue's turn comes after the command that is running, however many more are pending. */
static void a_long_operation_delays_others_by_itself_at_most(void **state)
{
    struct bench *b = *state;
    enum { LONG = 4 };
    static const enum vc4vk_engine_id engines[] = {VC4VK_ENGINE_COPY, VC4VK_ENGINE_CPU};
    for (uint32_t e = 0; e < 2; e++) {
        struct slow_op longs[LONG], other;
        struct vc4vk_command *commands[LONG], *one = &other.op.command;
        for (int i = 0; i < LONG; i++) {
            make_slow(&longs[i]);
            longs[i].op.command.engine = engines[e];
            commands[i] = &longs[i].op.command;
        }
        make_slow(&other);
        other.op.command.engine = engines[e];
        other.op.work_B = 1;
        atomic_store(&other.may_end, true);
        assert_int_equal(submit(b->queues[1], &(struct batch){.commands = commands, .command_count = LONG}),
                         VK_SUCCESS);
        assert_true(becomes_true(&longs[0].has_started));
        assert_int_equal(submit(b->queues[2], &(struct batch){.commands = &one, .command_count = 1}), VK_SUCCESS);
        if (engines[e] == VC4VK_ENGINE_CPU)
            atomic_store(&longs[0].may_end, true);
        assert_true(becomes_true(&other.has_started));
        assert_int_equal(vc4vk_queue_wait_idle(b->queues[2]), VK_SUCCESS);
        for (int i = 0; i < LONG; i++)
            atomic_store(&longs[i].may_end, true);
        assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    }
}

/* An operation that waits for another one to have begun. Stands for one that waits for an application's event. */
struct waiting_op {
    struct vc4vk_cpu_op op;
    const _Atomic bool *awaited;
    _Atomic bool has_run, has_seen;
};

static VkResult run_waiting(void *arguments)
{
    struct waiting_op *op = arguments;
    atomic_store(&op->has_seen, becomes_true(op->awaited));
    atomic_store(&op->has_run, true);
    return VK_SUCCESS;
}

struct begun_op {
    struct waiting_op waiting;
    _Atomic bool has_begun;
};

static VkResult run_begun(void *arguments)
{
    struct begun_op *op = arguments;
    atomic_store(&op->has_begun, true);
    return run_waiting(&op->waiting);
}

/* When a worker has finished an operation, another queue's work must not delay the worker's own next operation: here
 * the other queue's work ends only after that has begun. The other queue has a higher priority, the same priority and
 * family, or another family. */
static void a_worker_goes_on_with_its_own_operation(void **state)
{
    struct bench *b = *state;
    static const int others[] = {0, 2, 3};
    for (int i = 0; i < 3; i++) {
        struct slow_op first, second;
        struct waiting_op other = {.awaited = &second.has_started};
        struct vc4vk_command *ops[] = {&first.op.command, &second.op.command}, *one = &other.op.command;
        VkSemaphore gate = make_timeline(b, 0);
        make_slow(&first);
        make_slow(&second);
        atomic_store(&second.may_end, true);
        vc4vk_cpu_op_init(&other.op, VC4VK_ENGINE_COPY, "other queue's", run_waiting, &other);
        /* Both become ready at the end of the first operation, as the worker sees it. */
        assert_int_equal(
            submit(b->queues[1],
                   &(struct batch){.commands = ops, .command_count = 1, .signal = gate, .signal_value = 1}),
            VK_SUCCESS);
        assert_true(becomes_true(&first.has_started));
        assert_int_equal(submit(b->queues[1], &(struct batch){.commands = ops + 1, .command_count = 1}), VK_SUCCESS);
        assert_int_equal(submit(b->queues[others[i]], &(struct batch){.commands = &one,
                                                                      .command_count = 1,
                                                                      .waits = &gate,
                                                                      .wait_values = (const uint64_t[]){1},
                                                                      .wait_count = 1}),
                         VK_SUCCESS);
        atomic_store(&first.may_end, true);
        assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
        assert_true(other.has_run && other.has_seen);
        vc4vk_semaphore_destroy(&b->device, gate, NULL);
    }
}

/* The same when the next operation is submitted while the scheduler is busy with another queue's work. */
static void a_free_thread_does_not_wait_for_the_scheduler(void **state)
{
    struct bench *b = *state;
    struct slow_op first, second;
    struct begun_op other = {.waiting = {.awaited = &second.has_started}};
    struct vc4vk_command *one = &other.waiting.op.command, *command = &first.op.command;
    VkSemaphore gate = make_timeline(b, 0);
    make_slow(&first);
    make_slow(&second);
    atomic_store(&second.may_end, true);
    vc4vk_cpu_op_init(&other.waiting.op, VC4VK_ENGINE_COPY, "other queue's", run_begun, &other);
    assert_int_equal(
        submit(b->queues[1],
               &(struct batch){.commands = &command, .command_count = 1, .signal = gate, .signal_value = 1}),
        VK_SUCCESS);
    assert_true(becomes_true(&first.has_started));
    assert_int_equal(submit(b->queues[2], &(struct batch){.commands = &one,
                                                          .command_count = 1,
                                                          .waits = &gate,
                                                          .wait_values = (const uint64_t[]){1},
                                                          .wait_count = 1}),
                     VK_SUCCESS);
    atomic_store(&first.may_end, true);
    assert_true(becomes_true(&other.has_begun));
    command = &second.op.command;
    assert_int_equal(submit(b->queues[1], &(struct batch){.commands = &command, .command_count = 1}), VK_SUCCESS);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    assert_true(other.waiting.has_run && other.waiting.has_seen);
    vc4vk_semaphore_destroy(&b->device, gate, NULL);
}

/* -- priorities --------------------------------------------------------------------------------------------------- */

static void store_time(void *arguments, uint64_t time_ns)
{
    *(uint64_t *)arguments = time_ns;
}

static VkResult store_end(void *arguments)
{
    *(uint64_t *)arguments = util_now_ns();
    return VK_SUCCESS;
}

/* A timestamp is the time of what comes before it, although the ring's thread may have run what comes after it by the
 * time that the scheduler takes it. */
static void timestamps_lie_between_operations(void **state)
{
    enum { ROUNDS = 1000 };
    struct bench *b = *state;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t ends_ns[2], times_ns[2];
        struct vc4vk_cpu_op ops[2], stamps[2];
        struct vc4vk_command *commands[4];
        for (uint32_t i = 0; i < 2; i++) {
            vc4vk_cpu_op_init(&ops[i], VC4VK_ENGINE_CPU, "operation", store_end, &ends_ns[i]);
            vc4vk_cpu_op_init(&stamps[i], VC4VK_ENGINE_HOST, "timestamp", NULL, &times_ns[i]);
            ops[i].command.order = VC4VK_ORDER_BARRIER;
            stamps[i].observe = store_time;
            commands[2 * i] = &ops[i].command;
            commands[2 * i + 1] = &stamps[i].command;
        }
        assert_int_equal(submit(b->queues[0], &(struct batch){.commands = commands, .command_count = 4}), VK_SUCCESS);
        assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
        assert_true(ends_ns[0] <= times_ns[0] && times_ns[0] < ends_ns[1] && ends_ns[1] <= times_ns[1]);
    }
}

static void high_priority_goes_first_and_nobody_starves(void **state)
{
    struct bench *b = *state;
    enum { JOBS = 60 };
    struct made_job low, high;
    struct vc4vk_command *lows[JOBS], *highs[JOBS];
    VkSemaphore gate = make_timeline(b, 0);
    assert_true(make_job(b->kmd, &low, 1));
    assert_true(make_job(b->kmd, &high, 2));
    for (int i = 0; i < JOBS; i++) {
        lows[i] = &low.job.command;
        highs[i] = &high.job.command;
    }
    b->fake->finish_at_once = true;
    struct batch batch = {
        .commands = lows, .command_count = JOBS, .waits = &gate, .wait_values = (const uint64_t[]){1}, .wait_count = 1};
    assert_int_equal(submit(b->queues[1], &batch), VK_SUCCESS);
    batch.commands = highs;
    assert_int_equal(submit(b->queues[0], &batch), VK_SUCCESS);
    assert_int_equal(signal_value(b, gate, 1), VK_SUCCESS);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    int lows_in_first_half = 0;
    for (int i = 0; i < JOBS; i++)
        lows_in_first_half += b->fake->jobs[i].first_byte == 1;
    assert_in_range(lows_in_first_half, 1, JOBS / 4);
    vc4vk_semaphore_destroy(&b->device, gate, NULL);
    drop_job(&low);
    drop_job(&high);
}

/* -- random graphs ------------------------------------------------------------------------------------------------ */

#define THREADS 32
#define NODES   60 /* per thread */
#define WAITS   3

struct node {
    struct vc4vk_cpu_op op;
    struct graph *graph;
    const struct node *before[WAITS]; /* the nodes it waits for */
    uint32_t before_count;
    struct vc4vk_queue *queue;
    uint32_t place; /* its number in its queue */
    _Atomic bool done;
};

struct graph {
    struct bench *bench;
    pthread_mutex_t locks[QUEUES];       /* one thread at a time may use a queue */
    uint32_t places[QUEUES];             /* nodes submitted so far; under the queue's lock */
    _Atomic uint32_t next_place[QUEUES]; /* the node that must run next */
    VkSemaphore semaphores[THREADS];     /* reaches i + 1 when node i of the thread is done */
    _Atomic uint32_t submitted[THREADS];
    _Atomic uint32_t wrong;
    struct node nodes[THREADS][NODES];
};

struct graph_thread {
    struct graph *graph;
    uint32_t index, seed;
};

static VkResult run_node(void *arguments)
{
    struct node *node = arguments;
    struct graph *graph = node->graph;
    for (uint32_t i = 0; i < node->before_count; i++)
        if (!atomic_load(&node->before[i]->done))
            atomic_fetch_add(&graph->wrong, 1);
    for (int q = 0; q < QUEUES; q++)
        if (graph->bench->queues[q] == node->queue && atomic_fetch_add(&graph->next_place[q], 1) != node->place)
            atomic_fetch_add(&graph->wrong, 1);
    atomic_store(&node->done, true);
    return VK_SUCCESS;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static VkResult do_nothing(void *arguments)
{
    return VK_SUCCESS;
}

/* A shared signal can be taken only once. Here it arrives while a queue of higher priority has work, so the scheduler
 * checks the waiting queue and then passes it over. The check must not lose the signal. */
static void a_signal_outlives_being_passed_over(void **state)
{
    enum { OPS = 2000, ROUNDS = 20 };
    struct bench *b = *state;
    static struct vc4vk_command *commands[OPS];
    struct vc4vk_cpu_op op;
    VkSemaphore shared, done = make_timeline(b, 0);
    int fd = -1;
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &share};
    assert_int_equal(vc4vk_semaphore_create(&b->device, &info, NULL, &shared), VK_SUCCESS);
    const VkSemaphoreGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                         .semaphore = shared,
                                         .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    assert_int_equal(vc4vk_semaphore_export(&b->device, &get, &fd), VK_SUCCESS);
    vc4vk_cpu_op_init(&op, VC4VK_ENGINE_COPY, "nothing", do_nothing, NULL);
    op.work_B = 1;
    for (uint32_t i = 0; i < OPS; i++)
        commands[i] = &op.command;
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        const struct batch waiting = {
            .waits = &shared, .wait_values = &(uint64_t){0}, .wait_count = 1, .signal = done, .signal_value = round};
        const struct batch better = {.commands = commands, .command_count = OPS};
        assert_int_equal(submit(b->queues[1], &waiting), VK_SUCCESS);
        assert_int_equal(submit(b->queues[0], &better), VK_SUCCESS);
        eventfd_write(fd, 1);
        assert_int_equal(wait_value(b, done, round, LONG_NS), VK_SUCCESS);
    }
    close(fd);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    vc4vk_semaphore_destroy(&b->device, shared, NULL);
    vc4vk_semaphore_destroy(&b->device, done, NULL);
}

static void submit_node(struct graph_thread *thread, uint32_t index)
{
    struct graph *graph = thread->graph;
    struct node *node = &graph->nodes[thread->index][index];
    VkSemaphore waits[WAITS];
    uint64_t values[WAITS];
    node->graph = graph;
    node->before_count = 0;
    for (uint32_t i = next_random(&thread->seed) % (WAITS + 1); i > 0; i--) {
        uint32_t other = next_random(&thread->seed) % THREADS;
        uint32_t there = atomic_load(&graph->submitted[other]); /* submitted nodes cannot wait for this one */
        if (!there)
            continue;
        uint32_t which = next_random(&thread->seed) % there;
        waits[node->before_count] = graph->semaphores[other];
        values[node->before_count] = which + 1;
        node->before[node->before_count++] = &graph->nodes[other][which];
    }
    vc4vk_cpu_op_init(&node->op, next_random(&thread->seed) & 1 ? VC4VK_ENGINE_COPY : VC4VK_ENGINE_CPU, "node",
                      run_node, node);
    node->op.work_B = next_random(&thread->seed) & 1 ? 1 << 20 : 1;
    uint32_t q = next_random(&thread->seed) % QUEUES;
    node->queue = graph->bench->queues[q];
    struct vc4vk_command *command = &node->op.command;
    pthread_mutex_lock(&graph->locks[q]);
    node->place = graph->places[q]++;
    VkResult result = submit(node->queue, &(struct batch){.commands = &command,
                                                          .command_count = 1,
                                                          .waits = waits,
                                                          .wait_values = values,
                                                          .wait_count = node->before_count,
                                                          .signal = graph->semaphores[thread->index],
                                                          .signal_value = index + 1});
    pthread_mutex_unlock(&graph->locks[q]);
    if (result != VK_SUCCESS)
        atomic_fetch_add(&graph->wrong, 1);
    atomic_store(&graph->submitted[thread->index], index + 1);
}

/* A thread's semaphore grows in order: each node waits for the one before it, if it went to another queue. */
static void *submit_nodes(void *arg)
{
    struct graph_thread *thread = arg;
    struct bench *b = thread->graph->bench;
    for (uint32_t i = 0; i < NODES; i++) {
        if (i && wait_value(b, thread->graph->semaphores[thread->index], i, LONG_NS) != VK_SUCCESS)
            atomic_fetch_add(&thread->graph->wrong, 1);
        submit_node(thread, i);
    }
    return NULL;
}

static void random_graphs_from_many_threads(void **state)
{
    struct bench *b = *state;
    const char *given = getenv("VKT_SEED");
    uint32_t seed = given ? (uint32_t)strtoul(given, NULL, 0) : (uint32_t)util_now_ns();
    printf("# VKT_SEED=%u\n", (unsigned)seed);
    struct graph *graph = calloc(1, sizeof *graph);
    assert_non_null(graph);
    graph->bench = b;
    struct graph_thread threads[THREADS];
    pthread_t handles[THREADS];
    for (int q = 0; q < QUEUES; q++)
        pthread_mutex_init(&graph->locks[q], NULL);
    for (uint32_t t = 0; t < THREADS; t++)
        graph->semaphores[t] = make_timeline(b, 0);
    for (uint32_t t = 0; t < THREADS; t++) {
        threads[t] = (struct graph_thread){graph, t, seed + t * 7919};
        assert_int_equal(pthread_create(&handles[t], NULL, submit_nodes, &threads[t]), 0);
    }
    for (uint32_t t = 0; t < THREADS; t++)
        pthread_join(handles[t], NULL);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(counter(b, graph->semaphores[t]), NODES);
        for (uint32_t i = 0; i < NODES; i++)
            assert_true(graph->nodes[t][i].done);
        vc4vk_semaphore_destroy(&b->device, graph->semaphores[t], NULL);
    }
    assert_int_equal(atomic_load(&graph->wrong), 0);
    for (int q = 0; q < QUEUES; q++)
        pthread_mutex_destroy(&graph->locks[q]);
    free(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(host_signals_and_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_counter_follows_the_work, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thousand_waits_before_signals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_higher_point_is_not_waited_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_blocked_queue_ends_with_the_device, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_operation_holds_up_only_what_depends_on_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_family_has_a_thread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(engines_of_a_queue_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_hold_up_one_engine, set_up, tear_down),
        cmocka_unit_test_setup_teardown(segments_count_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_queue_copies_by_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_operation_delays_others_by_itself_at_most, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_worker_goes_on_with_its_own_operation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_free_thread_does_not_wait_for_the_scheduler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(timestamps_lie_between_operations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(high_priority_goes_first_and_nobody_starves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_signal_outlives_being_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_graphs_from_many_threads, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("queue_order", tests, NULL, NULL);
}
