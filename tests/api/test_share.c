/* SPDX-License-Identifier: MIT
 *
 * Fences and semaphores shared between devices and processes by opaque file descriptors. The other process is this
 * program again, with the word "child" or "stay" and the number of the descriptor it inherits.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"

extern char **environ;

#define SHORT_NS 30000000u
#define LONG_NS  20000000000u

struct side {
    VkDevice device;
    VkQueue queue;
    PFN_vkGetSemaphoreFdKHR GetSemaphoreFd;
    PFN_vkImportSemaphoreFdKHR ImportSemaphoreFd;
    PFN_vkGetFenceFdKHR GetFenceFd;
    PFN_vkImportFenceFdKHR ImportFenceFd;
};

static const char *own_path;

static struct side open_side(struct vkt *t)
{
    struct side s;
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    static const char *const extensions[] = {
        VK_KHR_EXTERNAL_FENCE_EXTENSION_NAME, VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME,
        VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = VKT_COUNT(extensions),
                                     .ppEnabledExtensionNames = extensions};
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &s.device));
    vkGetDeviceQueue(s.device, 0, 0, &s.queue);
    s.GetSemaphoreFd = (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(s.device, "vkGetSemaphoreFdKHR");
    s.ImportSemaphoreFd = (PFN_vkImportSemaphoreFdKHR)vkGetDeviceProcAddr(s.device, "vkImportSemaphoreFdKHR");
    s.GetFenceFd = (PFN_vkGetFenceFdKHR)vkGetDeviceProcAddr(s.device, "vkGetFenceFdKHR");
    s.ImportFenceFd = (PFN_vkImportFenceFdKHR)vkGetDeviceProcAddr(s.device, "vkImportFenceFdKHR");
    assert_true(s.GetSemaphoreFd && s.ImportSemaphoreFd && s.GetFenceFd && s.ImportFenceFd);
    return s;
}

static VkSemaphore make_semaphore(const struct side *s, bool to_export)
{
    VkSemaphore semaphore;
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = to_export ? &share : NULL};
    vkt_ok(vkCreateSemaphore(s->device, &info, NULL, &semaphore));
    return semaphore;
}

static VkFence make_fence(const struct side *s, bool to_export)
{
    VkFence fence;
    const VkExportFenceCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO,
                                           .handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, .pNext = to_export ? &share : NULL};
    vkt_ok(vkCreateFence(s->device, &info, NULL, &fence));
    return fence;
}

static int semaphore_fd(const struct side *s, VkSemaphore semaphore)
{
    int fd = -1;
    const VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                          .semaphore = semaphore,
                                          .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    vkt_ok(s->GetSemaphoreFd(s->device, &info, &fd));
    return fd;
}

static VkResult import_semaphore(const struct side *s, VkSemaphore semaphore, int fd, VkSemaphoreImportFlags flags)
{
    const VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                             .semaphore = semaphore,
                                             .flags = flags,
                                             .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
                                             .fd = fd};
    return s->ImportSemaphoreFd(s->device, &info);
}

static void submit(const struct side *s, VkSemaphore wait, VkSemaphore signal, VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stage,
                               .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &signal};
    vkt_ok(vkQueueSubmit(s->queue, 1, &info, fence));
}

/* The child signals the semaphore that it inherits, and ends, or stays until it is killed. */
static int child(const char *fd_text, bool stay)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    struct side s = open_side(t);
    VkSemaphore semaphore = make_semaphore(&s, false);
    if (import_semaphore(&s, semaphore, atoi(fd_text), 0) != VK_SUCCESS)
        return 1;
    submit(&s, VK_NULL_HANDLE, semaphore, VK_NULL_HANDLE);
    while (stay)
        pause();
    return vkDeviceWaitIdle(s.device) != VK_SUCCESS;
}

static pid_t start_child(int fd, const char *what)
{
    char number[16], word[16];
    pid_t pid;
    snprintf(word, sizeof word, "%s", what);
    snprintf(number, sizeof number, "%d", fd);
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0); /* to be inherited */
    /* Another processor's programs need their emulator, which Meson names. */
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)"exec $MESON_EXE_WRAPPER \"$0\" \"$@\"", (char *)own_path, word,
                           number, NULL};
    assert_int_equal(posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ), 0);
    return pid;
}

static void a_semaphore_crosses_processes(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, true);
    VkFence fence = make_fence(&s, false);
    int fd = semaphore_fd(&s, semaphore), status;
    submit(&s, semaphore, VK_NULL_HANDLE, fence);
    assert_int_equal(vkWaitForFences(s.device, 1, &fence, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    pid_t pid = start_child(fd, "child");
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    /* The wait has taken the signal: the next one waits for another. */
    vkt_ok(vkResetFences(s.device, 1, &fence));
    submit(&s, semaphore, VK_NULL_HANDLE, fence);
    assert_int_equal(vkWaitForFences(s.device, 1, &fence, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    pid = start_child(fd, "child");
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    vkt_ok(vkDeviceWaitIdle(s.device));
    close(fd);
    vkDestroyFence(s.device, fence, NULL);
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

/* What a killed process shared goes on working for the others. */
static void a_killed_process_harms_nobody(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, true);
    VkFence fence = make_fence(&s, false);
    int fd = semaphore_fd(&s, semaphore), status;
    submit(&s, semaphore, VK_NULL_HANDLE, fence);
    pid_t pid = start_child(fd, "stay");
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS)); /* it runs, and has the semaphore */
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    vkt_ok(vkResetFences(s.device, 1, &fence));
    submit(&s, VK_NULL_HANDLE, semaphore, VK_NULL_HANDLE);
    submit(&s, semaphore, VK_NULL_HANDLE, fence);
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    vkt_ok(vkDeviceWaitIdle(s.device));
    close(fd);
    vkDestroyFence(s.device, fence, NULL);
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

static void a_fence_crosses_devices(void **state)
{
    struct side a = open_side(vkt_device(VKT_TESTED)), b = open_side(vkt_device(VKT_TESTED));
    VkFence ours = make_fence(&a, true), theirs = make_fence(&b, false);
    const VkFenceGetFdInfoKHR get = {.sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR,
                                     .fence = ours,
                                     .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkImportFenceFdInfoKHR import = {.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
                                     .fence = theirs,
                                     .flags = VK_FENCE_IMPORT_TEMPORARY_BIT,
                                     .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    vkt_ok(a.GetFenceFd(a.device, &get, &import.fd));
    vkt_ok(b.ImportFenceFd(b.device, &import));
    assert_int_equal(vkGetFenceStatus(b.device, theirs), VK_NOT_READY);
    assert_int_equal(vkWaitForFences(b.device, 1, &theirs, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    submit(&a, VK_NULL_HANDLE, VK_NULL_HANDLE, ours);
    vkt_ok(vkWaitForFences(b.device, 1, &theirs, VK_TRUE, LONG_NS));
    vkt_ok(vkGetFenceStatus(a.device, ours));
    vkt_ok(vkResetFences(b.device, 1, &theirs)); /* ends the import and leaves the payload alone */
    vkt_ok(vkGetFenceStatus(a.device, ours));
    assert_int_equal(vkGetFenceStatus(b.device, theirs), VK_NOT_READY);
    vkt_ok(vkResetFences(a.device, 1, &ours));
    assert_int_equal(vkGetFenceStatus(a.device, ours), VK_NOT_READY);
    submit(&b, VK_NULL_HANDLE, VK_NULL_HANDLE, theirs);
    vkt_ok(vkWaitForFences(b.device, 1, &theirs, VK_TRUE, LONG_NS));
    vkDestroyFence(a.device, ours, NULL);
    vkDestroyFence(b.device, theirs, NULL);
    vkDestroyDevice(a.device, NULL);
    vkDestroyDevice(b.device, NULL);
}

static void foreign_descriptors_are_refused(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, false);
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(import_semaphore(&s, semaphore, fd, 0), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(close(fd), 0); /* still ours */
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    if (argc == 3)
        return child(argv[2], !strcmp(argv[1], "stay"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_semaphore_crosses_processes, vkt_check_messages),
        cmocka_unit_test_teardown(a_killed_process_harms_nobody, vkt_check_messages),
        cmocka_unit_test_teardown(a_fence_crosses_devices, vkt_check_messages),
        cmocka_unit_test_teardown(foreign_descriptors_are_refused, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_share", tests, NULL, vkt_teardown);
}
