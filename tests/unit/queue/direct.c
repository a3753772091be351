/* SPDX-License-Identifier: MIT
 *
 * A small submission to an idle device is executed by the submitting thread, everything else by the scheduler's thread
 * and the workers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "queue/vc4vk_sync.h"

#define LONG_NS UINT64_C(5000000000)

struct bench {
    struct fake_kmd *fake;
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queue, *second;
    VkFence fence;
    struct vc4vk_job job;
    struct kmd_bo *bo;
};

static int set_up(void **state)
{
    static struct bench b;
    const struct vc4vk_context_create queues[] = {{0, 0, 0.5f}, {1, 0, 1.0f}};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    b = (struct bench){0};
    b.kmd = fake_kmd_create(&b.fake);
    if (vc4vk_queue_device_init(&b.device, b.kmd, NULL, queues, 2) || kmd_bo_create(b.kmd, 4096, "job", &b.bo))
        return 1;
    b.queue = vc4vk_queue_device_get(&b.device, 0, 0);
    b.second = vc4vk_queue_device_get(&b.device, 1, 0);
    vc4vk_job_init(&b.job, "job");
    vc4vk_job_add_bo(&b.job, b.bo);
    *state = &b;
    return vc4vk_fence_create(&b.device, &fence, NULL, &b.fence);
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    vc4vk_fence_destroy(&b->device, b->fence, NULL);
    vc4vk_queue_device_finish(&b->device);
    kmd_bo_unref(b->bo);
    kmd_close(b->kmd);
    return 0;
}

/* An operation that records which thread ran it. */
struct op {
    struct vc4vk_cpu_op op;
    _Atomic bool has_run;
    bool is_by_submitter;
    pthread_t submitter;
};

static VkResult note_thread(void *arguments)
{
    struct op *op = arguments;
    op->is_by_submitter = pthread_equal(op->submitter, pthread_self());
    atomic_store(&op->has_run, true);
    return VK_SUCCESS;
}

static void make_op(struct op *op, uint64_t work_B)
{
    *op = (struct op){.submitter = pthread_self()};
    vc4vk_cpu_op_init(&op->op, VC4VK_ENGINE_COPY, "note", note_thread, op);
    op->op.work_B = work_B;
}

static void submit(struct vc4vk_queue *queue, struct vc4vk_command **commands, uint32_t count, VkFence fence)
{
    struct vc4vk_recorded recorded = {.commands = commands, .command_count = count};
    VkCommandBuffer buffer = (VkCommandBuffer)&recorded;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = count != 0, .pCommandBuffers = &buffer};
    assert_int_equal(vc4vk_queue_submit(queue, 1, &info, fence), VK_SUCCESS);
}

static VkResult wait_fence(struct bench *b)
{
    return vc4vk_fences_wait(&b->device, 1, &b->fence, VK_TRUE, LONG_NS);
}

static void an_idle_device_takes_a_little_at_once(void **state)
{
    struct bench *b = *state;
    for (int i = 0; i < 100; i++) {
        struct op op;
        make_op(&op, 4);
        submit(i & 1 ? b->queue : b->second, (struct vc4vk_command *[]){&op.op.command}, 1, b->fence);
        assert_true(op.has_run && op.is_by_submitter);
        assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_SUCCESS); /* it has also retired */
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
}

static void a_small_job_is_with_the_kernel_at_once(void **state)
{
    struct bench *b = *state;
    b->job.command.waits_for_ring = false;
    submit(b->queue, (struct vc4vk_command *[]){&b->job.command}, 1, b->fence);
    assert_int_equal(b->fake->submitted, 1);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b), VK_SUCCESS);
    assert_int_equal(vc4vk_queue_wait_idle(b->queue), VK_SUCCESS);
}

static void much_is_left_to_other_threads(void **state)
{
    struct bench *b = *state;
    static const uint64_t amounts_B[] = {0, 100000, 10000000}; /* unknown; for the scheduler's thread; for a worker */
    for (uint32_t i = 0; i < ARRAY_SIZE(amounts_B); i++) {
        struct op op;
        make_op(&op, amounts_B[i]);
        submit(b->queue, (struct vc4vk_command *[]){&op.op.command}, 1, b->fence);
        assert_int_equal(wait_fence(b), VK_SUCCESS);
        assert_false(op.is_by_submitter);
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
    struct op ops[9];
    struct vc4vk_command *commands[9];
    for (uint32_t i = 0; i < 9; i++) {
        make_op(&ops[i], 4);
        commands[i] = &ops[i].op.command;
    }
    submit(b->queue, commands, 9, b->fence);
    assert_int_equal(wait_fence(b), VK_SUCCESS);
    assert_false(ops[0].is_by_submitter);
}

static void a_busy_device_keeps_the_order(void **state)
{
    struct bench *b = *state;
    struct op op;
    make_op(&op, 4);
    op.op.command.waits_for_ring = true;
    submit(b->queue, (struct vc4vk_command *[]){&b->job.command}, 1, VK_NULL_HANDLE);
    submit(b->queue, (struct vc4vk_command *[]){&op.op.command}, 1, b->fence);
    assert_false(op.has_run);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b), VK_SUCCESS);
    assert_false(op.is_by_submitter);
}

/* Operation, job, operation in one submission: the submitting thread leaves the last one, which has to wait, to the
 * scheduler's thread. */
static void what_has_to_wait_is_handed_on(void **state)
{
    struct bench *b = *state;
    struct op before, after;
    make_op(&before, 4);
    make_op(&after, 4);
    b->job.command.waits_for_ring = false;
    after.op.command.waits_for_ring = true;
    struct vc4vk_command *commands[] = {&before.op.command, &b->job.command, &after.op.command};
    submit(b->queue, commands, 3, b->fence);
    assert_true(before.has_run && before.is_by_submitter);
    assert_int_equal(b->fake->submitted, 1);
    assert_false(after.has_run);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b), VK_SUCCESS);
    assert_false(after.is_by_submitter);
}

struct waiter {
    struct bench *bench;
    VkResult result;
};

static void *wait_in_thread(void *arg)
{
    struct waiter *waiter = arg;
    waiter->result = wait_fence(waiter->bench);
    return NULL;
}

/* A thread that already waits for the fence is woken, whether the submission has work or not. */
static void others_are_woken(void **state)
{
    struct bench *b = *state;
    for (uint32_t count = 0; count <= 1; count++) {
        struct op op;
        struct waiter waiter = {.bench = b};
        pthread_t thread;
        make_op(&op, 4);
        assert_int_equal(pthread_create(&thread, NULL, wait_in_thread, &waiter), 0);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        submit(b->queue, (struct vc4vk_command *[]){&op.op.command}, count, b->fence);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(waiter.result, VK_SUCCESS);
        assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    }
}

/* The scheduler's thread trims the BO cache, even when it has nothing else to do. */
static void the_cache_is_trimmed(void **state)
{
    struct bench *b = *state;
    struct kmd_bo *bo;
    struct op op;
    const uint32_t live = b->fake->live_bos;
    assert_int_equal(kmd_bo_create(b->kmd, 65536, "test", &bo), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); /* the scheduler sleeps without a timeout */
    kmd_bo_unref(bo);
    make_op(&op, 4);
    submit(b->queue, (struct vc4vk_command *[]){&op.op.command}, 1, b->fence);
    assert_true(op.is_by_submitter);
    bool is_trimmed = false;
    for (int i = 0; i < 300 && !is_trimmed; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        pthread_mutex_lock(&b->fake->mutex);
        is_trimmed = b->fake->live_bos == live;
        pthread_mutex_unlock(&b->fake->mutex);
    }
    assert_true(is_trimmed);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(an_idle_device_takes_a_little_at_once),
        CASE(a_small_job_is_with_the_kernel_at_once),
        CASE(much_is_left_to_other_threads),
        CASE(a_busy_device_keeps_the_order),
        CASE(what_has_to_wait_is_handed_on),
        CASE(others_are_woken),
        CASE(the_cache_is_trimmed),
    };
#undef CASE
    return cmocka_run_group_tests_name("queue_direct", tests, NULL, NULL);
}
