/* SPDX-License-Identifier: MIT
 *
 * Queues on a test backend: order, back-to-back issue, waits for idle, fences, semaphores, events, hold, failures.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "made_job.h"
#include "queue/vc4vk_sync.h"
#include "util/log.h"

#define SHORT_NS UINT64_C(30000000)
#define LONG_NS  UINT64_C(5000000000)

struct bench {
    struct fake_kmd *fake;
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queue, *second;
    VkFence fence;
};

static VkFence make_fence(struct bench *b)
{
    VkFence fence = VK_NULL_HANDLE;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    assert_int_equal(vc4vk_fence_create(&b->device, &info, NULL, &fence), VK_SUCCESS);
    return fence;
}

static VkSemaphore make_semaphore(struct bench *b)
{
    VkSemaphore semaphore = VK_NULL_HANDLE;
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    assert_int_equal(vc4vk_semaphore_create(&b->device, &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}

static void swallow(void *data, enum util_log_level level, const char *line)
{
}

static int set_up(void **state)
{
    static struct bench b;
    b = (struct bench){0};
    b.kmd = fake_kmd_create(&b.fake);
    const struct vc4vk_context_create queues[] = {{0, 0, 0.5f}, {1, 0, 1.0f}};
    if (vc4vk_queue_device_init(&b.device, b.kmd, NULL, queues, 2))
        return 1;
    b.queue = vc4vk_queue_device_get(&b.device, 0, 0);
    b.second = vc4vk_queue_device_get(&b.device, 1, 0);
    b.fence = make_fence(&b);
    *state = &b;
    return b.queue && b.second ? 0 : 1;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    vc4vk_fence_destroy(&b->device, b->fence, NULL);
    vc4vk_queue_device_finish(&b->device);
    kmd_close(b->kmd);
    util_log_set_sink(NULL, NULL);
    return 0;
}

/* -- test commands ------------------------------------------------------------------------------------------------ */

struct counting_op {
    struct vc4vk_cpu_op op;
    uint32_t runs, submitted_before; /* submitted_before: jobs that had been submitted when it ran */
    struct bench *bench;
    _Atomic bool ready;
    uint32_t releases;
    VkResult result;
};

static VkResult count_run(void *arguments)
{
    struct counting_op *op = arguments;
    op->runs++;
    op->submitted_before = atomic_load(&op->bench->fake->submitted);
    return op->result;
}

static void count_release(struct vc4vk_cpu_op *op)
{
    container_of(op, struct counting_op, op)->releases++;
}

static void make_op(struct bench *b, struct counting_op *op)
{
    *op = (struct counting_op){.bench = b};
    vc4vk_cpu_op_init(&op->op, VC4VK_ENGINE_COPY, "count", count_run, op);
    op->op.release = count_release;
}

static VkResult submit(struct vc4vk_queue *queue, struct vc4vk_command **commands, uint32_t count, VkSemaphore wait,
                       VkSemaphore signal, VkFence fence)
{
    struct vc4vk_recorded recorded = {.commands = commands, .command_count = count};
    VkCommandBuffer buffer = (VkCommandBuffer)&recorded;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = wait != VK_NULL_HANDLE,
        .pWaitSemaphores = &wait,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = count != 0,
        .pCommandBuffers = &buffer,
        .signalSemaphoreCount = signal != VK_NULL_HANDLE,
        .pSignalSemaphores = &signal,
    };
    VkResult result = vc4vk_queue_submit(queue, 1, &info, fence);
    if (result == VK_SUCCESS && count)
        for (uint32_t e = 0; e < VC4VK_ENGINE_COUNT; e++)
            assert_int_equal(recorded.last_uses[queue - queue->device->queues][e], queue->context.rings[e].last_value);
    return result;
}

static VkResult wait_fence(struct bench *b, VkFence fence, uint64_t timeout_ns)
{
    return vc4vk_fences_wait(&b->device, 1, &fence, VK_TRUE, timeout_ns);
}

/* -- tests -------------------------------------------------------------------------------------------------------- */

static void fence_follows_the_job(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    assert_true(make_job(b->kmd, &job, 1));
    job.job.command.waits_for_ring = true;
    struct vc4vk_command *commands[] = {&job.job.command};
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    for (uint32_t round = 1; round <= 2; round++) { /* the same job twice */
        assert_int_equal(submit(b->queue, commands, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
        assert_true(fake_kmd_wait_submitted(b->fake, round));
        assert_int_equal(wait_fence(b, b->fence, 0), VK_TIMEOUT);
        assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
        assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
        fake_kmd_finish_jobs(b->fake, 1, 0);
        assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
        assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_SUCCESS);
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
    assert_int_equal(vc4vk_queue_wait_idle(b->queue), VK_SUCCESS);
    assert_int_equal(vc4vk_queue_test_job_counts(&b->device).native, 2);
    drop_job(&job);
}

static void jobs_go_back_to_back_unless_idle_is_needed(void **state)
{
    struct bench *b = *state;
    struct made_job jobs[3];
    struct vc4vk_command *commands[3];
    for (int i = 0; i < 3; i++) {
        assert_true(make_job(b->kmd, &jobs[i], (uint8_t)i));
        jobs[i].job.command.waits_for_ring = i == 2;
        commands[i] = &jobs[i].job.command;
    }
    assert_int_equal(submit(b->queue, commands, 3, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(b->fake->submitted, 2); /* the third waits for the second */
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(fake_kmd_wait_submitted(b->fake, 3));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(b->fake->jobs[i].first_byte, i);
        drop_job(&jobs[i]);
    }
}

static void cpu_op_waits_and_is_waited_for(void **state)
{
    struct bench *b = *state;
    struct made_job before, after;
    struct counting_op op;
    assert_true(make_job(b->kmd, &before, 1));
    assert_true(make_job(b->kmd, &after, 2));
    make_op(b, &op);
    struct vc4vk_command *commands[] = {&before.job.command, &op.op.command, &after.job.command};
    assert_int_equal(submit(b->queue, commands, 3, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(b->fake->submitted, 1);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(op.runs, 1);
    assert_int_equal(op.releases, 1);
    assert_int_equal(op.submitted_before, 1);
    assert_int_equal(vc4vk_queue_test_job_counts(&b->device).cpu_ops, 1);
    drop_job(&before);
    drop_job(&after);
}

struct blocking_job {
    struct made_job made;
    _Atomic bool has_begun, may_end;
};

static VkResult build_when_it_may(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    struct blocking_job *blocking = container_of(job->data, struct blocking_job, made);
    atomic_store(&blocking->has_begun, true);
    for (uint32_t ms = 0; ms < 60000 && !atomic_load(&blocking->may_end); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return build_made_job(job, build);
}

static void count_observe(void *arguments, uint64_t time_ns)
{
    atomic_fetch_add((_Atomic uint32_t *)arguments, 1);
}

/* When the job after an operation finishes, the backend's word must not make the operation count as retired. */
static void what_retires_between_jobs_is_waited_for(void **state)
{
    struct bench *b = *state;
    struct made_job before, after;
    struct blocking_job other = {0};
    _Atomic uint32_t retired = 0;
    struct vc4vk_cpu_op op;
    vc4vk_cpu_op_init(&op, VC4VK_ENGINE_HOST, "count", NULL, &retired);
    op.observe = count_observe;
    assert_true(make_job(b->kmd, &before, 1));
    assert_true(make_job(b->kmd, &after, 2));
    assert_true(make_job(b->kmd, &other.made, 3));
    other.made.job.build = build_when_it_may;
    struct vc4vk_command *commands[] = {&before.job.command, &op.command, &after.job.command};
    assert_int_equal(submit(b->queue, commands, 3, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    assert_int_equal(submit(b->second, (struct vc4vk_command *[]){&other.made.job.command}, 1, VK_NULL_HANDLE,
                            VK_NULL_HANDLE, VK_NULL_HANDLE),
                     VK_SUCCESS);
    for (uint32_t ms = 0; ms < 60000 && !atomic_load(&other.has_begun); ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    /* The scheduler is busy: both jobs of the first queue finish, and it cannot retire the operation between them. */
    fake_kmd_finish_jobs(b->fake, 2, 0);
    const VkResult while_busy = vc4vk_fence_status(&b->device, b->fence);
    const uint32_t retired_while_busy = atomic_load(&retired);
    atomic_store(&other.may_end, true);
    const bool is_submitted = fake_kmd_wait_submitted(b->fake, 3);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(is_submitted);
    assert_int_equal(retired_while_busy, 0);
    assert_int_equal(while_busy, VK_NOT_READY);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(atomic_load(&retired), 1);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    drop_job(&before);
    drop_job(&after);
    drop_job(&other.made);
}

static void semaphore_orders_queues(void **state)
{
    struct bench *b = *state;
    struct made_job first, second;
    VkSemaphore semaphore = make_semaphore(b);
    assert_true(make_job(b->kmd, &first, 1));
    assert_true(make_job(b->kmd, &second, 2));
    assert_int_equal(
        submit(b->second, (struct vc4vk_command *[]){&first.job.command}, 1, VK_NULL_HANDLE, semaphore, VK_NULL_HANDLE),
        VK_SUCCESS);
    assert_int_equal(
        submit(b->queue, (struct vc4vk_command *[]){&second.job.command}, 1, semaphore, VK_NULL_HANDLE, b->fence),
        VK_SUCCESS);
    assert_false(vc4vk_semaphore_from_handle(semaphore)->has_payload); /* taken: it may be signalled again */
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(b->fake->submitted, 1);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_SUCCESS);
    assert_int_equal(b->fake->jobs[1].first_byte, 2);
    vc4vk_semaphore_destroy(&b->device, semaphore, NULL);
    drop_job(&first);
    drop_job(&second);
}

static void empty_submissions_signal(void **state)
{
    struct bench *b = *state;
    assert_int_equal(vc4vk_queue_submit(b->queue, 0, NULL, b->fence), VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);

    struct made_job job; /* a fence without commands comes after what is already there */
    assert_true(make_job(b->kmd, &job, 1));
    assert_int_equal(submit(b->queue, (struct vc4vk_command *[]){&job.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE,
                            VK_NULL_HANDLE),
                     VK_SUCCESS);
    assert_int_equal(vc4vk_queue_submit(b->queue, 0, NULL, b->fence), VK_SUCCESS);
    struct vc4vk_timestamp_set all;
    assert_int_equal(vc4vk_queue_submit_commands(b->queue, &(struct vc4vk_submission){0}, &all), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_false(vc4vk_timestamps_are_retired(&all));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(vc4vk_timestamp_set_wait(b->kmd, &all, util_deadline_ns(LONG_NS)), VK_SUCCESS);
    drop_job(&job);
}

static void *signal_later(void *arg)
{
    struct bench *b = arg;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    vc4vk_queue_submit(b->queue, 0, NULL, b->fence);
    return NULL;
}

static void fence_may_be_waited_for_before_submission(void **state)
{
    struct bench *b = *state;
    VkFence never = make_fence(b);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, signal_later, b), 0);
    const VkFence fences[] = {never, b->fence};
    /* without a timeout: at its end a thread that was never woken would find the fence signalled */
    assert_int_equal(vc4vk_fences_wait(&b->device, 2, fences, VK_FALSE, UTIL_FOREVER_NS), VK_SUCCESS);
    assert_int_equal(vc4vk_fences_wait(&b->device, 2, fences, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    pthread_join(thread, NULL);
    vc4vk_fence_destroy(&b->device, never, NULL);
}

static void hold_keeps_everything_back(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    struct counting_op op;
    assert_true(make_job(b->kmd, &job, 1));
    job.job.command.waits_for_ring = true;
    make_op(b, &op);
    b->fake->finish_at_once = true;
    vc4vk_queue_test_hold_retire(&b->device, true);
    assert_int_equal(submit(b->queue, (struct vc4vk_command *[]){&job.job.command, &op.op.command}, 2, VK_NULL_HANDLE,
                            VK_NULL_HANDLE, b->fence),
                     VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(op.runs, 0);
    assert_true(kmd_bo_is_busy(job.job.bos[0]));
    vc4vk_queue_test_hold_retire(&b->device, false);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(op.runs, 1);
    assert_false(kmd_bo_is_busy(job.job.bos[0]));
    drop_job(&job);
}

static void events(void **state)
{
    struct bench *b = *state;
    VkEvent handle, handle2;
    const VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    assert_int_equal(vc4vk_event_create(&b->device, &info, NULL, &handle), VK_SUCCESS);
    assert_int_equal(vc4vk_event_create(&b->device, &info, NULL, &handle2), VK_SUCCESS);
    struct vc4vk_event *event = vc4vk_event_from_handle(handle), *event2 = vc4vk_event_from_handle(handle2);
    struct vc4vk_event *const array[] = {event, event2};
    struct vc4vk_event_list list = {2, array};
    struct vc4vk_cpu_op set, wait, reset;
    vc4vk_cpu_op_init_event_set(&set, event);
    vc4vk_cpu_op_init_events_wait(&wait, &list);
    vc4vk_cpu_op_init_event_reset(&reset, event);
    assert_int_equal(vc4vk_event_status(&b->device, handle), VK_EVENT_RESET);
    assert_int_equal(submit(b->queue, (struct vc4vk_command *[]){&set.command, &wait.command, &reset.command}, 3,
                            VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
                     VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(vc4vk_event_status(&b->device, handle), VK_EVENT_SET);

    /* The other queue continues meanwhile. */
    VkFence other = make_fence(b);
    struct counting_op op;
    make_op(b, &op);
    assert_int_equal(
        submit(b->second, (struct vc4vk_command *[]){&op.op.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, other),
        VK_SUCCESS);
    assert_int_equal(wait_fence(b, other, LONG_NS), VK_SUCCESS);

    assert_int_equal(vc4vk_event_set(&b->device, handle2), VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(vc4vk_event_status(&b->device, handle), VK_EVENT_RESET);
    vc4vk_event_destroy(&b->device, handle, NULL);
    vc4vk_event_destroy(&b->device, handle2, NULL);
    vc4vk_fence_destroy(&b->device, other, NULL);
}

static void hang_loses_the_device(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    struct counting_op op;
    assert_true(make_job(b->kmd, &job, 1));
    make_op(b, &op);
    util_log_set_sink(swallow, NULL);
    assert_int_equal(submit(b->queue, (struct vc4vk_command *[]){&job.job.command, &op.op.command}, 2, VK_NULL_HANDLE,
                            VK_NULL_HANDLE, b->fence),
                     VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, -ETIMEDOUT);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_ERROR_DEVICE_LOST);
    assert_int_equal(vc4vk_queue_submit(b->queue, 0, NULL, b->fence), VK_ERROR_DEVICE_LOST);
    vc4vk_queue_device_finish(&b->device); /* drains: the operation is released without having run */
    assert_int_equal(op.runs, 0);
    assert_int_equal(op.releases, 1);
    drop_job(&job);
}

static char last_error[512];

static void keep_refusal(void *data, enum util_log_level level, const char *line)
{
    if (strstr(line, "refused"))
        strncpy(last_error, line, sizeof last_error - 1);
}

static void refusal_names_the_rule(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    assert_true(make_job(b->kmd, &job, 4));
    b->fake->submit_error = -EINVAL;
    b->fake->submit_error_count = 1;
    util_log_set_sink(keep_refusal, NULL);
    assert_int_equal(
        submit(b->queue, (struct vc4vk_command *[]){&job.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
        VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_ERROR_DEVICE_LOST);
    vc4vk_queue_device_finish(&b->device);
    assert_non_null(strstr(last_error, "a made-up rule"));
    drop_job(&job);
}

static void short_memory_is_waited_for(void **state)
{
    struct bench *b = *state;
    struct made_job first, second;
    assert_true(make_job(b->kmd, &first, 1));
    assert_true(make_job(b->kmd, &second, 2));
    assert_int_equal(submit(b->queue, (struct vc4vk_command *[]){&first.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE,
                            VK_NULL_HANDLE),
                     VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    b->fake->submit_error = -ENOMEM;
    b->fake->submit_error_count = 1;
    assert_int_equal(
        submit(b->queue, (struct vc4vk_command *[]){&second.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
        VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(b->fake->submitted, 1);
    fake_kmd_finish_jobs(b->fake, 1, 0); /* makes room */
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    drop_job(&first);
    drop_job(&second);
}

static VkResult build_with_bo(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    struct kmd_bo *bo;
    const uint32_t *word = job->data;
    if (kmd_bo_create(build->kmd, 4096, "rewritten", &bo))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    uint32_t index = vc4vk_job_build_add_bo(build, bo);
    uint8_t *list = vc4vk_bytes_append(&build->bin_cl, 1);
    if (index == KMD_NO_BO || !list)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    *list = (uint8_t)*word;
    build->is_nothing = *word == 0;
    return VK_SUCCESS;
}

static void build_reads_memory_when_issued(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    uint32_t word;
    assert_true(make_job(b->kmd, &job, 9));
    job.job.command.waits_for_ring = true;
    job.job.build = build_with_bo;
    job.job.data = &word;
    b->fake->finish_at_once = true;
    uint32_t expected[] = {5, 0, 6};
    for (uint32_t i = 0; i < 3; i++) {
        word = expected[i];
        assert_int_equal(
            submit(b->queue, (struct vc4vk_command *[]){&job.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
            VK_SUCCESS);
        assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
    assert_int_equal(b->fake->submitted, 2); /* the second changed nothing */
    assert_int_equal(b->fake->jobs[0].first_byte, 5);
    assert_int_equal(b->fake->jobs[1].first_byte, 6);
    assert_int_equal(b->fake->jobs[1].bo_count, 2);
    drop_job(&job);
    vc4vk_queue_device_finish(&b->device); /* the scheduler may still hold references of the last build */
    kmd_bo_cache_drop(b->kmd);
    assert_int_equal(b->fake->live_bos, 0);
}

static void end_slowly(struct vc4vk_job_build *build)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)SHORT_NS}, NULL);
    atomic_store((_Atomic bool *)build->taken, true);
}

static VkResult build_to_end_slowly(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    static _Atomic bool has_ended;
    atomic_store(&has_ended, false);
    build->taken = &has_ended;
    build->ended = end_slowly;
    *(void **)job->data = &has_ended;
    return vc4vk_bytes_append(&build->bin_cl, 1) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* The device must not be destroyed while a build returns its memory, even if its job has retired. */
static void builds_end_before_the_device_does(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    void *has_ended = NULL;
    assert_true(make_job(b->kmd, &job, 1));
    job.job.command.waits_for_ring = true; /* so that the scheduler's thread builds it */
    job.job.build = build_to_end_slowly;
    job.job.data = &has_ended;
    b->fake->finish_at_once = true;
    for (uint32_t round = 0; round < 5; round++) {
        assert_int_equal(
            submit(b->queue, (struct vc4vk_command *[]){&job.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
            VK_SUCCESS);
        assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
        vc4vk_scheduler_wait_submitted(&b->device.scheduler);
        assert_true(atomic_load((_Atomic bool *)has_ended));
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
    drop_job(&job);
}

static VkResult build_in_parts(const struct vc4vk_job *job, struct vc4vk_job_build *build)
{
    uint8_t *byte = vc4vk_bytes_append(&build->bin_cl, 1);
    *byte = (uint8_t)(build->from + 1);
    build->next_from = build->from < 2 ? build->from + 1 : 0;
    return VK_SUCCESS;
}

static void parts_follow_each_other(void **state)
{
    struct bench *b = *state;
    struct made_job job, after;
    assert_true(make_job(b->kmd, &job, 0));
    assert_true(make_job(b->kmd, &after, 9));
    job.job.build = build_in_parts;
    struct vc4vk_command *commands[] = {&job.job.command, &after.job.command};
    assert_int_equal(submit(b->queue, commands, 2, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    for (uint32_t part = 1; part <= 2; part++) {
        assert_true(fake_kmd_wait_submitted(b->fake, part));
        assert_int_equal(wait_fence(b, b->fence, SHORT_NS), VK_TIMEOUT);
        assert_int_equal(b->fake->submitted, part); /* not before this one has finished */
        fake_kmd_finish_jobs(b->fake, 1, 0);
    }
    assert_true(fake_kmd_wait_submitted(b->fake, 4)); /* the last part is like any job */
    fake_kmd_finish_jobs(b->fake, 2, 0);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    const uint8_t expected[] = {1, 2, 3, 9};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b->fake->jobs[i].first_byte, expected[i]);
    drop_job(&job);
    drop_job(&after);
}

/* After a part that hangs no other part is submitted. */
static void lost_parts_end(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    util_log_set_sink(swallow, NULL);
    assert_true(make_job(b->kmd, &job, 0));
    job.job.build = build_in_parts;
    struct vc4vk_command *commands[] = {&job.job.command};
    assert_int_equal(submit(b->queue, commands, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, -ETIMEDOUT);
    vc4vk_queue_device_finish(&b->device); /* drains the queue */
    assert_int_equal(b->fake->submitted, 1);
    drop_job(&job);
}

static void many_jobs_retire_in_order(void **state)
{
    enum { JOBS = 2000 };
    struct bench *b = *state;
    struct made_job job;
    assert_true(make_job(b->kmd, &job, 1));
    job.list_B = 1200;
    b->fake->finish_at_once = true;
    struct vc4vk_command *commands[JOBS];
    for (int i = 0; i < JOBS; i++)
        commands[i] = &job.job.command;
    assert_int_equal(submit(b->queue, commands, JOBS, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence), VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    assert_int_equal(b->fake->submitted, JOBS);
    for (uint32_t i = 1; i < JOBS; i++)
        assert_true(b->fake->jobs[i].value == b->fake->jobs[i - 1].value + 1);
    drop_job(&job);
}

static void times_are_recorded(void **state)
{
    struct bench *b = *state;
    struct made_job job;
    assert_true(make_job(b->kmd, &job, 1));
    b->fake->finish_at_once = true;
    uint64_t before_ns = util_now_ns();
    assert_int_equal(
        submit(b->queue, (struct vc4vk_command *[]){&job.job.command}, 1, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence),
        VK_SUCCESS);
    assert_int_equal(wait_fence(b, b->fence, LONG_NS), VK_SUCCESS);
    struct kmd_store *store = kmd_device_store(b->kmd);
    struct vc4vk_entry_times t = {0};
    for (int i = 0; i < 1000 && !t.retired_ns; i++) { /* the scheduler sets it after the fence has signalled */
        pthread_mutex_lock(&store->mutex);
        t = b->queue->context.last_command_times;
        pthread_mutex_unlock(&store->mutex);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_true(before_ns <= t.queued_ns && t.queued_ns <= t.submitted_ns && t.submitted_ns <= t.started_ns &&
                t.started_ns <= t.finished_ns && t.finished_ns <= t.retired_ns);
    drop_job(&job);
}

static void bo_table_has_each_once(void **state)
{
    struct bench *b = *state;
    struct vc4vk_bo_table table;
    struct kmd_bo *bos[100];
    vc4vk_bo_table_init(&table, NULL);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            if (round == 0)
                assert_int_equal(kmd_bo_create(b->kmd, 4096, NULL, &bos[i]), 0);
            assert_int_equal(vc4vk_bo_table_add(&table, bos[i]), i);
        }
    }
    assert_int_equal(table.count, 100);
    assert_int_equal(atomic_load(&bos[7]->refs), 2);
    vc4vk_bo_table_reset(&table);
    assert_int_equal(atomic_load(&bos[7]->refs), 1);
    assert_int_equal(vc4vk_bo_table_add(&table, bos[50]), 0);
    vc4vk_bo_table_finish(&table);
    for (uint32_t i = 0; i < 100; i++)
        kmd_bo_unref(bos[i]);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(fence_follows_the_job),
        CASE(jobs_go_back_to_back_unless_idle_is_needed),
        CASE(cpu_op_waits_and_is_waited_for),
        CASE(what_retires_between_jobs_is_waited_for),
        CASE(semaphore_orders_queues),
        CASE(empty_submissions_signal),
        CASE(fence_may_be_waited_for_before_submission),
        CASE(hold_keeps_everything_back),
        CASE(events),
        CASE(hang_loses_the_device),
        CASE(refusal_names_the_rule),
        CASE(short_memory_is_waited_for),
        CASE(build_reads_memory_when_issued),
        CASE(builds_end_before_the_device_does),
        CASE(many_jobs_retire_in_order),
        CASE(times_are_recorded),
        CASE(bo_table_has_each_once),
        CASE(parts_follow_each_other),
        CASE(lost_parts_end),
    };
#undef CASE
    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
