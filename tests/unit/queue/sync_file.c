/* SPDX-License-Identifier: MIT
 *
 * Sync files of fences and semaphores on a test backend, which emulates them with eventfds. An exported sync file is
 * the kernel's fence of a job, or -1; an imported one is waited for.
 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../few_descriptors.h"
#include "fake_kmd.h"
#include "queue/vc4vk_sync.h"

#define SHORT_NS UINT64_C(30000000)
#define LONG_NS  UINT64_C(5000000000)

struct bench {
    struct fake_kmd *fake;
    struct kmd_device *kmd;
    struct vc4vk_queue_device device;
    struct vc4vk_queue *queue, *second;
    VkFence fence;
    VkSemaphore semaphore;
    struct vc4vk_job job;
    struct kmd_bo *bo;
};

static int set_up(void **state)
{
    static struct bench b;
    const struct vc4vk_context_create queues[] = {{0, 0, 0.5f}, {1, 0, 1.0f}};
    const VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    b = (struct bench){0};
    b.kmd = fake_kmd_create(&b.fake);
    b.fake->has_sync_files = true;
    if (vc4vk_queue_device_init(&b.device, b.kmd, NULL, queues, 2) || kmd_bo_create(b.kmd, 4096, "job", &b.bo))
        return 1;
    b.queue = vc4vk_queue_device_get(&b.device, 0, 0);
    b.second = vc4vk_queue_device_get(&b.device, 1, 0);
    vc4vk_job_init(&b.job, "job");
    vc4vk_job_add_bo(&b.job, b.bo);
    *state = &b;
    return vc4vk_fence_create(&b.device, &fence, NULL, &b.fence) ||
           vc4vk_semaphore_create(&b.device, &semaphore, NULL, &b.semaphore);
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    vc4vk_fence_destroy(&b->device, b->fence, NULL);
    vc4vk_semaphore_destroy(&b->device, b->semaphore, NULL);
    vc4vk_queue_device_finish(&b->device);
    kmd_bo_unref(b->bo);
    kmd_close(b->kmd);
    return 0;
}

static void submit(struct bench *b, struct vc4vk_queue *queue, struct vc4vk_command *command, VkSemaphore wait,
                   VkSemaphore signal, VkFence fence)
{
    struct vc4vk_recorded recorded = {.commands = &command, .command_count = 1};
    VkCommandBuffer buffer = (VkCommandBuffer)&recorded;
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = wait != VK_NULL_HANDLE,
        .pWaitSemaphores = &wait,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = command != NULL,
        .pCommandBuffers = &buffer,
        .signalSemaphoreCount = signal != VK_NULL_HANDLE,
        .pSignalSemaphores = &signal,
    };
    assert_int_equal(vc4vk_queue_submit(queue, 1, &info, fence), VK_SUCCESS);
}

static VkResult wait_fence(struct bench *b, uint64_t timeout_ns)
{
    return vc4vk_fences_wait(&b->device, 1, &b->fence, VK_TRUE, timeout_ns);
}

static bool is_signalled(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) == 1;
}

static VkResult export_fence(struct bench *b, int *fd_out)
{
    const VkFenceGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
                                      .fence = b->fence,
                                      .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
    return vc4vk_fence_export(&b->device, &info, fd_out);
}

static int fence_file(struct bench *b)
{
    int fd = -2;
    assert_int_equal(export_fence(b, &fd), VK_SUCCESS);
    return fd;
}

static VkResult export_semaphore(struct bench *b, int *fd_out)
{
    const VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                          .semaphore = b->semaphore,
                                          .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT};
    return vc4vk_semaphore_export(&b->device, &info, fd_out);
}

static int semaphore_file(struct bench *b)
{
    int fd = -2;
    assert_int_equal(export_semaphore(b, &fd), VK_SUCCESS);
    return fd;
}

static VkResult import_fence(struct bench *b, int fd)
{
    const VkImportFenceFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
                                         .fence = b->fence,
                                         .flags = VK_FENCE_IMPORT_TEMPORARY_BIT,
                                         .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT,
                                         .fd = fd};
    return vc4vk_fence_import(&b->device, &info);
}

static VkResult import_semaphore(struct bench *b, int fd)
{
    const VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                             .semaphore = b->semaphore,
                                             .flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
                                             .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
                                             .fd = fd};
    return vc4vk_semaphore_import(&b->device, &info);
}

/* -- export ------------------------------------------------------------------------------------------------------- */

static void a_job_gives_its_fence(void **state)
{
    struct bench *b = *state;
    submit(b, b->queue, &b->job.command, VK_NULL_HANDLE, b->semaphore, b->fence);
    int of_fence = fence_file(b), of_semaphore = semaphore_file(b);
    assert_true(of_fence >= 0 && of_semaphore >= 0 && of_fence != of_semaphore);
    assert_false(is_signalled(of_fence) || is_signalled(of_semaphore));
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(is_signalled(of_fence) && is_signalled(of_semaphore));
    assert_int_equal(vc4vk_queue_wait_idle(b->queue), VK_SUCCESS);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY); /* the export has reset it */
    close(of_fence);
    close(of_semaphore);
}

static VkResult nothing(void *arguments)
{
    return VK_SUCCESS;
}

/* The kernel has no fence for a CPU operation, so the export waits for its end and returns -1. */
static void a_cpu_operation_has_no_file(void **state)
{
    struct bench *b = *state;
    struct vc4vk_cpu_op op;
    vc4vk_cpu_op_init(&op, VC4VK_ENGINE_COPY, "nothing", nothing, NULL);
    submit(b, b->queue, &op.command, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence);
    assert_int_equal(fence_file(b), -1);
    assert_int_equal(b->fake->sync_file_count, 0);
}

static void *export_in_thread(void *arg)
{
    return (void *)(intptr_t)fence_file(arg);
}

/* An export sleeps until the kernel has the submitted job. */
static void an_export_waits_for_the_kernel(void **state)
{
    struct bench *b = *state;
    struct vc4vk_job later = {.data = NULL};
    pthread_t thread;
    void *fd;
    vc4vk_job_init(&later, "job");
    vc4vk_job_add_bo(&later, b->bo);
    submit(b, b->second, &b->job.command, VK_NULL_HANDLE, b->semaphore, VK_NULL_HANDLE);
    submit(b, b->queue, &later.command, b->semaphore, VK_NULL_HANDLE, b->fence);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    assert_int_equal(pthread_create(&thread, NULL, export_in_thread, b), 0);
    usleep(20000);
    assert_int_equal(b->fake->sync_file_count, 0);
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(pthread_join(thread, &fd), 0);
    assert_true((intptr_t)fd >= 0);
    assert_false(is_signalled((int)(intptr_t)fd));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_true(is_signalled((int)(intptr_t)fd));
    close((int)(intptr_t)fd);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
}

static void a_kernel_without_files_is_waited_for(void **state)
{
    struct bench *b = *state;
    b->fake->has_sync_files = false;
    b->fake->finish_at_once = true;
    submit(b, b->queue, &b->job.command, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence);
    assert_int_equal(fence_file(b), -1);
    assert_int_equal(vc4vk_queue_wait_idle(b->queue), VK_SUCCESS);
}

/* -- out of descriptors ------------------------------------------------------------------------------------------- */

/* A failed export takes no signal: the fence still signals, and a wait for the semaphore still waits. The test backend
 * needs two descriptors per sync file. */
static void a_failed_export_changes_nothing(void **state)
{
    struct bench *b = *state;
    struct taken_descriptors taken;
    submit(b, b->queue, &b->job.command, VK_NULL_HANDLE, b->semaphore, b->fence);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    for (int free_count = 0; free_count < 2; free_count++) {
        int of_fence = -2, of_semaphore = -2;
        take_descriptors(&taken, free_count);
        VkResult fence = export_fence(b, &of_fence), semaphore = export_semaphore(b, &of_semaphore);
        give_descriptors_back(&taken);
        assert_int_equal(fence, VK_ERROR_TOO_MANY_OBJECTS);
        assert_int_equal(semaphore, VK_ERROR_TOO_MANY_OBJECTS);
    }
    submit(b, b->second, &b->job.command, b->semaphore, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    usleep(20000);
    assert_int_equal(b->fake->submitted, 1); /* the second job waits for the first */
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    assert_true(fake_kmd_wait_submitted(b->fake, 2));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
}

/* The same for imported sync files that are exported again. */
static void a_failed_export_leaves_an_import(void **state)
{
    struct bench *b = *state;
    struct taken_descriptors taken;
    int files[2] = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)}, copies[2] = {dup(files[0]), dup(files[1])};
    assert_int_equal(import_fence(b, files[0]), VK_SUCCESS);
    assert_int_equal(import_semaphore(b, files[1]), VK_SUCCESS);
    int of_fence = -2, of_semaphore = -2;
    take_descriptors(&taken, 0);
    VkResult fence = export_fence(b, &of_fence), semaphore = export_semaphore(b, &of_semaphore);
    give_descriptors_back(&taken);
    assert_int_equal(fence, VK_ERROR_TOO_MANY_OBJECTS);
    assert_int_equal(semaphore, VK_ERROR_TOO_MANY_OBJECTS);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    eventfd_write(copies[0], 1);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    submit(b, b->queue, &b->job.command, b->semaphore, VK_NULL_HANDLE, VK_NULL_HANDLE);
    usleep(20000);
    assert_int_equal(b->fake->submitted, 0);
    eventfd_write(copies[1], 1);
    assert_true(fake_kmd_wait_submitted(b->fake, 1));
    fake_kmd_finish_jobs(b->fake, 1, 0);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
    close(copies[0]);
    close(copies[1]);
}

/* Exporting a temporarily imported sync file restores the fence's earlier payload and resets it, as vkResetFences
 * does. */
static void a_fence_handed_on_is_reset(void **state)
{
    struct bench *b = *state;
    b->fake->finish_at_once = true;
    submit(b, b->queue, &b->job.command, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    int file = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(import_fence(b, file), VK_SUCCESS);
    int further = fence_file(b);
    assert_true(further >= 0);
    close(further);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
}

/* A failed import takes neither the descriptor nor the earlier payload. */
static void a_failed_import_changes_nothing(void **state)
{
    struct bench *b = *state;
    struct taken_descriptors taken;
    int file = eventfd(0, EFD_CLOEXEC);
    b->fake->finish_at_once = true;
    submit(b, b->queue, &b->job.command, VK_NULL_HANDLE, VK_NULL_HANDLE, b->fence);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    for (int free_count = 0; free_count < 2; free_count++) { /* the first import starts the watcher: two descriptors */
        take_descriptors(&taken, free_count);
        VkResult fence = import_fence(b, file), semaphore = import_semaphore(b, file);
        give_descriptors_back(&taken);
        assert_int_equal(fence, VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(semaphore, VK_ERROR_OUT_OF_HOST_MEMORY);
        assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_SUCCESS);
    }
    assert_int_equal(import_fence(b, file), VK_SUCCESS); /* it is still open */
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
}

/* -- import ------------------------------------------------------------------------------------------------------- */

static void a_semaphore_waits_for_a_file(void **state)
{
    struct bench *b = *state;
    b->fake->finish_at_once = true;
    int file = eventfd(0, EFD_CLOEXEC), copy = dup(file);
    assert_int_equal(import_semaphore(b, file), VK_SUCCESS);
    submit(b, b->queue, &b->job.command, b->semaphore, VK_NULL_HANDLE, b->fence);
    assert_int_equal(wait_fence(b, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(b->fake->submitted, 0);
    eventfd_write(copy, 1);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    assert_true(is_signalled(copy)); /* a wait does not take the signal of a sync file */
    close(copy);
    /* The semaphore has its own payload again. */
    submit(b, b->second, &b->job.command, VK_NULL_HANDLE, b->semaphore, VK_NULL_HANDLE);
    submit(b, b->queue, NULL, b->semaphore, VK_NULL_HANDLE, VK_NULL_HANDLE);
    assert_int_equal(vc4vk_device_wait_idle(&b->device), VK_SUCCESS);
}

static void a_fence_waits_for_a_file(void **state)
{
    struct bench *b = *state;
    int file = eventfd(0, EFD_CLOEXEC), copy = dup(file);
    assert_int_equal(import_fence(b, file), VK_SUCCESS);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    assert_int_equal(wait_fence(b, SHORT_NS), VK_TIMEOUT);
    int further = fence_file(b); /* exports the same sync file and drops the import */
    assert_true(further >= 0);
    assert_int_equal(import_fence(b, further), VK_SUCCESS);
    eventfd_write(copy, 1);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
    assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    assert_int_equal(vc4vk_fence_status(&b->device, b->fence), VK_NOT_READY);
    assert_true(is_signalled(copy));
    close(copy);
}

static void minus_one_is_signalled(void **state)
{
    struct bench *b = *state;
    b->fake->finish_at_once = true;
    assert_int_equal(import_fence(b, -1), VK_SUCCESS);
    assert_int_equal(wait_fence(b, 0), VK_SUCCESS);
    assert_int_equal(vc4vk_fences_reset(&b->device, 1, &b->fence), VK_SUCCESS);
    assert_int_equal(import_semaphore(b, -1), VK_SUCCESS);
    submit(b, b->queue, &b->job.command, b->semaphore, VK_NULL_HANDLE, b->fence);
    assert_int_equal(wait_fence(b, LONG_NS), VK_SUCCESS);
}

static void other_files_are_refused(void **state)
{
    struct bench *b = *state;
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_int_equal(import_fence(b, fd), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(import_semaphore(b, fd), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    b->fake->has_sync_files = false;
    int file = eventfd(0, EFD_CLOEXEC);
    assert_int_equal(import_fence(b, file), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(close(fd) | close(file), 0); /* still ours */
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_job_gives_its_fence),           CASE(a_cpu_operation_has_no_file),
        CASE(an_export_waits_for_the_kernel),  CASE(a_kernel_without_files_is_waited_for),
        CASE(a_semaphore_waits_for_a_file),    CASE(a_fence_waits_for_a_file),
        CASE(minus_one_is_signalled),          CASE(other_files_are_refused),
        CASE(a_failed_export_changes_nothing), CASE(a_failed_export_leaves_an_import),
        CASE(a_fence_handed_on_is_reset),      CASE(a_failed_import_changes_nothing),
    };
#undef CASE
    return cmocka_run_group_tests_name("queue_sync_file", tests, NULL, NULL);
}
