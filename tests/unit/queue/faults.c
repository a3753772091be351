/* SPDX-License-Identifier: MIT
 *
 * Out of memory: for each n the n-th allocation fails, once alone and once together with all later ones. Every call
 * must then return an error that Vulkan allows, nothing may hang, and nothing may leak. (Linked with --wrap=malloc and
 * the like.)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>
#include "fake_kmd.h"
#include "made_job.h"
#include "queue/vc4vk_sync.h"
#include "util/log.h"
#include "util/thread.h"

void *__real_malloc(size_t size_B);
void *__real_calloc(size_t n, size_t size_B);
void *__real_realloc(void *ptr, size_t size_B);
void __real_free(void *ptr);
void *__wrap_malloc(size_t size_B);
void *__wrap_calloc(size_t n, size_t size_B);
void *__wrap_realloc(void *ptr, size_t size_B);
void __wrap_free(void *ptr);

static _Atomic int64_t until_failure = INT64_MAX; /* allocations that still succeed */
static _Atomic bool fails_once;
static _Atomic int64_t live;

static bool fails(void)
{
    int64_t left = atomic_fetch_sub(&until_failure, 1);
    return left == 0 || (left < 0 && !atomic_load(&fails_once));
}

void *__wrap_malloc(size_t size_B)
{
    void *ptr = fails() ? NULL : __real_malloc(size_B);
    live += ptr != NULL;
    return ptr;
}

void *__wrap_calloc(size_t n, size_t size_B)
{
    void *ptr = fails() ? NULL : __real_calloc(n, size_B);
    live += ptr != NULL;
    return ptr;
}

void *__wrap_realloc(void *ptr, size_t size_B)
{
    void *moved = fails() ? NULL : __real_realloc(ptr, size_B);
    live += moved && !ptr;
    return moved;
}

void __wrap_free(void *ptr)
{
    live -= ptr != NULL;
    __real_free(ptr);
}

static void swallow(void *data, enum util_log_level level, const char *line)
{
}

static bool is_known_error(VkResult result)
{
    return result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
           result == VK_ERROR_DEVICE_LOST;
}

/* Records a job, submits it twice, waits. */
static VkResult use_queue(struct vc4vk_queue_device *device, struct kmd_device *kmd, VkFence fence)
{
    struct made_job job;
    if (!make_job(kmd, &job, 1))
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    job.job.command.waits_for_ring = true;
    job.list_B = 400;
    struct vc4vk_command *commands[] = {&job.job.command, &job.job.command};
    struct vc4vk_recorded recorded = {.commands = commands, .command_count = 2};
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = (VkCommandBuffer[]){(VkCommandBuffer)&recorded},
    };
    VkResult result = vc4vk_queue_submit(&device->queues[0], 1, &info, fence);
    if (result == VK_SUCCESS)
        result = vc4vk_fences_wait(device, 1, &fence, VK_TRUE, UINT64_C(10000000000));
    (void)vc4vk_device_wait_idle(device);
    vc4vk_queue_device_finish(device); /* nothing accesses the job after this */
    drop_job(&job);
    return result;
}

static VkResult run_all(struct kmd_device *kmd)
{
    struct vc4vk_queue_device device;
    const struct vc4vk_context_create queue = {0, 0, 1.0f};
    VkResult result = vc4vk_queue_device_init(&device, kmd, NULL, &queue, 1);
    if (result != VK_SUCCESS)
        return result;
    VkFence fence = VK_NULL_HANDLE;
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    result = vc4vk_fence_create(&device, &info, NULL, &fence);
    if (result == VK_SUCCESS)
        result = use_queue(&device, kmd, fence);
    vc4vk_fence_destroy(&device, fence, NULL);
    vc4vk_queue_device_finish(&device);
    return result;
}

/* True when no allocation failed: the test is done. */
static bool run_with_failure(int64_t n, bool once)
{
    struct fake_kmd *fake;
    int64_t live_before = live;
    atomic_store(&until_failure, INT64_MAX);
    struct kmd_device *kmd = fake_kmd_create(&fake);
    fake->finish_at_once = true;
    atomic_store(&fails_once, once);
    atomic_store(&until_failure, n);
    VkResult result = run_all(kmd);
    bool was_reached = atomic_exchange(&until_failure, INT64_MAX) < 0;
    kmd_close(kmd);
    assert_int_equal(live, live_before);
    assert_true(result == VK_SUCCESS || (was_reached && is_known_error(result)));
    return !was_reached;
}

static void each_allocation_fails(void **state)
{
    util_log_set_sink(swallow, NULL);
    for (int once = 0; once <= 1; once++) {
        int64_t n = 0;
        while (!run_with_failure(n, once))
            n++;
        assert_in_range(n, 10, 200);
    }
    util_log_set_sink(NULL, NULL);
}

static VkSemaphore make_signalled(struct vc4vk_queue_device *device)
{
    VkSemaphore semaphore = VK_NULL_HANDLE;
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    const VkSubmitInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1, .pSignalSemaphores = &semaphore};
    assert_int_equal(vc4vk_semaphore_create(device, &info, NULL, &semaphore), VK_SUCCESS);
    assert_int_equal(vc4vk_queue_submit(&device->queues[0], 1, &signal, VK_NULL_HANDLE), VK_SUCCESS);
    return semaphore;
}

/* When a submission or a present's wait fails, it takes no signal, so the same call may be repeated. */
static void failed_waits_take_nothing(void **state)
{
    enum { WAITS = 3 };
    struct fake_kmd *fake;
    struct vc4vk_queue_device device;
    struct vc4vk_timestamp_set set;
    struct kmd_device *kmd = fake_kmd_create(&fake);
    const struct vc4vk_context_create queue = {0, 0, 1.0f};
    assert_int_equal(vc4vk_queue_device_init(&device, kmd, NULL, &queue, 1), VK_SUCCESS);
    VkSemaphore semaphores[WAITS];
    const VkPipelineStageFlags stages[WAITS] = {0};
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .waitSemaphoreCount = WAITS,
                                 .pWaitSemaphores = semaphores,
                                 .pWaitDstStageMask = stages};
    for (int presents = 0; presents <= 1; presents++) {
        VkResult result = VK_SUCCESS;
        for (int i = 0; i < WAITS; i++)
            semaphores[i] = make_signalled(&device);
        assert_int_equal(vc4vk_device_wait_idle(&device), VK_SUCCESS);
        atomic_store(&fails_once, false);
        for (int64_t n = 0; n <= 2 * WAITS; n++) {
            atomic_store(&until_failure, n);
            result = presents ? vc4vk_queue_submit_waits(&device.queues[0], semaphores, WAITS, &set)
                              : vc4vk_queue_submit(&device.queues[0], 1, &submit, VK_NULL_HANDLE);
            atomic_store(&until_failure, INT64_MAX);
            if (result == VK_SUCCESS)
                break;
            assert_int_equal(result, VK_ERROR_OUT_OF_HOST_MEMORY);
            for (int i = 0; i < WAITS; i++)
                assert_true(vc4vk_semaphore_from_handle(semaphores[i])->has_payload);
        }
        assert_int_equal(result, VK_SUCCESS);
        for (int i = 0; i < WAITS; i++) {
            assert_false(vc4vk_semaphore_from_handle(semaphores[i])->has_payload);
            vc4vk_semaphore_destroy(&device, semaphores[i], NULL);
        }
        assert_int_equal(vc4vk_device_wait_idle(&device), VK_SUCCESS);
    }
    vc4vk_queue_device_finish(&device);
    kmd_close(kmd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(failed_waits_take_nothing),
    };
    return cmocka_run_group_tests_name("queue_faults", tests, NULL, NULL);
}
