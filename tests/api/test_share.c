/* SPDX-License-Identifier: MIT
 *
 * Fences and semaphores that devices and processes share by opaque file descriptors. The second process is this
 * program, started again with a word that says what to do and the number of the descriptor that it inherits.
 */
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    PFN_vkSignalSemaphoreKHR SignalSemaphore;
    PFN_vkWaitSemaphoresKHR WaitSemaphores;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
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
        VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
        VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
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
    s.SignalSemaphore = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(s.device, "vkSignalSemaphoreKHR");
    s.WaitSemaphores = (PFN_vkWaitSemaphoresKHR)vkGetDeviceProcAddr(s.device, "vkWaitSemaphoresKHR");
    s.GetSemaphoreCounterValue =
        (PFN_vkGetSemaphoreCounterValueKHR)vkGetDeviceProcAddr(s.device, "vkGetSemaphoreCounterValueKHR");
    assert_true(s.GetSemaphoreFd && s.ImportSemaphoreFd && s.GetFenceFd && s.ImportFenceFd && s.SignalSemaphore &&
                s.WaitSemaphores && s.GetSemaphoreCounterValue);
    return s;
}

static VkSemaphore make_semaphore(const struct side *s, bool to_export)
{
    VkSemaphore semaphore;
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                                        .pNext = to_export ? &share : NULL};
    vkt_ok(vkCreateSemaphore(s->device, &info, NULL, &semaphore));
    return semaphore;
}

static VkSemaphore make_timeline(const struct side *s, bool to_export, uint64_t value)
{
    VkSemaphore semaphore;
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .pNext = to_export ? &share : NULL,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                            .initialValue = value};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    vkt_ok(vkCreateSemaphore(s->device, &info, NULL, &semaphore));
    return semaphore;
}

static uint64_t counter(const struct side *s, VkSemaphore semaphore)
{
    uint64_t value = UINT64_MAX;
    vkt_ok(s->GetSemaphoreCounterValue(s->device, semaphore, &value));
    return value;
}

static VkResult wait_value(const struct side *s, VkSemaphore semaphore, uint64_t value, uint64_t timeout_ns)
{
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &semaphore,
                                      .pValues = &value};
    return s->WaitSemaphores(s->device, &info, timeout_ns);
}

static void signal_value(const struct side *s, VkSemaphore semaphore, uint64_t value)
{
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = semaphore, .value = value};
    vkt_ok(s->SignalSemaphore(s->device, &info));
}

/* A value of 0 means no wait or no signal. */
static void submit_values(const struct side *s, VkSemaphore semaphore, uint64_t wait, uint64_t signal, VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = wait != 0,
                                                  .pWaitSemaphoreValues = &wait,
                                                  .signalSemaphoreValueCount = signal != 0,
                                                  .pSignalSemaphoreValues = &signal};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = wait != 0,
                               .pWaitSemaphores = &semaphore,
                               .pWaitDstStageMask = &stage,
                               .signalSemaphoreCount = signal != 0,
                               .pSignalSemaphores = &semaphore};
    vkt_ok(vkQueueSubmit(s->queue, 1, &info, fence));
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

/* Runs in the child: signals the inherited semaphore, and exits or stays until it is killed. */
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

/* Runs in the child: answers each odd value with the next even one, up to 20, alternately from the queue and from the
 * host. The queue waits for values that are not signalled yet. Only the child, whose validation messages are not
 * checked, signals from the host: the validation layer does not know of other processes and would report a value out of
 * order. */
static int answer(const char *fd_text)
{
    enum { LAST = 20 };
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_timeline(&s, false, 0);
    if (import_semaphore(&s, semaphore, atoi(fd_text), 0) != VK_SUCCESS)
        return 1;
    for (uint64_t value = 1; value < LAST; value += 4) {
        submit_values(&s, semaphore, value, value + 1, VK_NULL_HANDLE);
        if (vkQueueWaitIdle(s.queue) != VK_SUCCESS || wait_value(&s, semaphore, value + 2, LONG_NS) != VK_SUCCESS)
            return 2;
        signal_value(&s, semaphore, value + 3);
    }
    return vkDeviceWaitIdle(s.device) != VK_SUCCESS;
}

static pid_t start_child(int fd, const char *what)
{
    char number[16], word[16];
    pid_t pid;
    snprintf(word, sizeof word, "%s", what);
    snprintf(number, sizeof number, "%d", fd);
    assert_int_equal(fcntl(fd, F_SETFD, 0), 0); /* the child inherits it */
    /* A cross-compiled program needs its emulator, which Meson names. */
    char *const words[] = {
        (char *)"sh", (char *)"-c", (char *)"exec $MESON_EXE_WRAPPER \"$0\" \"$@\"", (char *)own_path, word,
        number,       NULL};
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
    /* The wait has consumed the signal: the next wait needs another one. */
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

/* A semaphore that was shared with a killed process still works. */
static void a_killed_process_harms_nobody(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, true);
    VkFence fence = make_fence(&s, false);
    int fd = semaphore_fd(&s, semaphore), status;
    submit(&s, semaphore, VK_NULL_HANDLE, fence);
    pid_t pid = start_child(fd, "stay");
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS)); /* the child runs and has imported the semaphore */
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
    vkt_ok(vkResetFences(b.device, 1, &theirs)); /* ends the temporary import and leaves the shared payload unchanged */
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

static void a_counter_crosses_processes(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED)), b = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_timeline(&s, true, 0);
    VkSemaphore on_b = make_timeline(&b, false, 0);
    VkFence fence = make_fence(&s, false);
    int fd = semaphore_fd(&s, semaphore), status;
    /* The validation layer does not know that another process signals it. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkSubmitInfo-pSignalSemaphores-03242");
    vkt_ok(import_semaphore(&b, on_b, semaphore_fd(&s, semaphore), 0));
    pid_t pid = start_child(fd, "answer");
    for (uint64_t value = 1; value < 20; value += 2) {
        assert_int_equal(counter(&s, semaphore), value - 1);
        if (value == 19)
            submit_values(&s, semaphore, 20, 0, fence); /* waits for a value that only the other process signals */
        assert_int_equal(vkGetFenceStatus(s.device, fence), VK_NOT_READY);
        if (value == 19)
            submit_values(&b, on_b, 0, value, VK_NULL_HANDLE); /* the first queue is busy with its wait */
        else
            submit_values(&s, semaphore, 0, value, VK_NULL_HANDLE);
        vkt_ok(wait_value(&s, semaphore, value + 1, LONG_NS));
    }
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    assert_int_equal(counter(&s, semaphore), 20);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(wait_value(&s, semaphore, 21, SHORT_NS), VK_TIMEOUT);
    vkt_ok(vkDeviceWaitIdle(s.device));
    vkt_ok(vkDeviceWaitIdle(b.device));
    vkDestroySemaphore(b.device, on_b, NULL);
    vkDestroyDevice(b.device, NULL);
    close(fd);
    vkDestroyFence(s.device, fence, NULL);
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

/* A process may be killed after it has changed the value and before it has told the others. Its change is found within
 * seconds. The test writes the value without the driver. */
static void a_silent_change_is_found(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_timeline(&s, true, 4);
    int fd = semaphore_fd(&s, semaphore);
    uint64_t value;
    off_t at_B = 8;
    assert_int_equal(pread(fd, &value, sizeof value, at_B), sizeof value);
    assert_int_equal(value, 4);
    VkFence fence = make_fence(&s, false);
    submit_values(&s, semaphore, 5, 0, fence);
    value = 5;
    assert_int_equal(pwrite(fd, &value, sizeof value, at_B), sizeof value);
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    /* Nobody can change the size while the driver has the file mapped. */
    assert_int_not_equal(ftruncate(fd, 0), 0);
    assert_int_not_equal(ftruncate(fd, 1 << 20), 0);
    assert_int_equal(counter(&s, semaphore), 5);
    close(fd);
    vkDestroyFence(s.device, fence, NULL);
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

/* Refused: files that can be truncated, are too short, or contain something else. */
static void forged_counters_are_refused(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore counter_semaphore = make_timeline(&s, true, 7), into = make_timeline(&s, false, 0),
                binary = make_semaphore(&s, true);
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    const struct {
        off_t size_B;
        int seals;
        bool has_words;
    } forgeries[] = {{4096, 0, true}, {4096, seals, false}, {16, seals, true}, {0, seals, false}, {8192, seals, true}};
    int real = semaphore_fd(&s, counter_semaphore), signal = semaphore_fd(&s, binary);
    for (uint32_t i = 0; i < VKT_COUNT(forgeries); i++) {
        uint8_t words[16];
        int fd = memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING);
        assert_int_equal(ftruncate(fd, forgeries[i].size_B), 0);
        assert_int_equal(pread(real, words, sizeof words, 0), sizeof words);
        if (forgeries[i].has_words)
            assert_int_equal(pwrite(fd, words, sizeof words, 0), sizeof words);
        assert_int_equal(fcntl(fd, F_ADD_SEALS, forgeries[i].seals), 0);
        assert_int_equal(import_semaphore(&s, into, fd, 0), VK_ERROR_INVALID_EXTERNAL_HANDLE);
        close(fd);
    }
    /* A binary semaphore cannot be imported as a timeline, nor the other way round. */
    vkt_accept_message(vkt_device(VKT_TESTED), "VUID-VkImportSemaphoreFdInfoKHR-handleType-03264");
    assert_int_equal(import_semaphore(&s, into, signal, 0), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(import_semaphore(&s, binary, real, 0), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(counter(&s, into), 0);
    vkt_ok(import_semaphore(&s, into, real, 0));
    assert_int_equal(counter(&s, into), 7);
    close(signal);
    vkDestroySemaphore(s.device, counter_semaphore, NULL);
    vkDestroySemaphore(s.device, into, NULL);
    vkDestroySemaphore(s.device, binary, NULL);
    vkDestroyDevice(s.device, NULL);
}

/* Another process may make a shared descriptor blocking and take the signal away; the driver must not hang on it. */
static void a_blocking_descriptor_blocks_nobody(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, true);
    VkFence fence = make_fence(&s, false);
    int fd = semaphore_fd(&s, semaphore);
    assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK), 0);
    submit(&s, semaphore, VK_NULL_HANDLE, VK_NULL_HANDLE); /* waits */
    assert_int_equal(vkWaitForFences(s.device, 1, &fence, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    const uint64_t full = UINT64_MAX - 1;
    assert_int_equal(write(fd, &full, sizeof full), sizeof full);
    vkt_ok(vkDeviceWaitIdle(s.device));
    assert_int_equal(write(fd, &full, sizeof full), sizeof full);
    submit(&s, VK_NULL_HANDLE, semaphore, fence);
    vkt_ok(vkWaitForFences(s.device, 1, &fence, VK_TRUE, LONG_NS));
    vkt_ok(vkDeviceWaitIdle(s.device));
    close(fd);
    vkDestroyFence(s.device, fence, NULL);
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

/* The model reports opaque descriptors of everything as shareable, and no sync files, which it could only fake. */
static void properties_tell_the_truth(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    PFN_vkGetPhysicalDeviceExternalSemaphorePropertiesKHR get_semaphore_properties =
        (PFN_vkGetPhysicalDeviceExternalSemaphorePropertiesKHR)vkGetInstanceProcAddr(
            t->instance, "vkGetPhysicalDeviceExternalSemaphorePropertiesKHR");
    PFN_vkGetPhysicalDeviceExternalFencePropertiesKHR get_fence_properties =
        (PFN_vkGetPhysicalDeviceExternalFencePropertiesKHR)vkGetInstanceProcAddr(
            t->instance, "vkGetPhysicalDeviceExternalFencePropertiesKHR");
    assert_true(get_semaphore_properties && get_fence_properties);
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
    for (type.semaphoreType = VK_SEMAPHORE_TYPE_BINARY; type.semaphoreType <= VK_SEMAPHORE_TYPE_TIMELINE;
         type.semaphoreType++) {
        for (uint32_t bit = 0; bit < 5; bit++) {
            const VkPhysicalDeviceExternalSemaphoreInfo info = {
                .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
                .pNext = &type,
                .handleType = 1u << bit};
            VkExternalSemaphoreProperties got = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
            const bool is_opaque = info.handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
            get_semaphore_properties(t->physical, &info, &got);
            assert_int_equal(got.externalSemaphoreFeatures, is_opaque ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
                                                                            VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT
                                                                      : 0);
            assert_int_equal(got.compatibleHandleTypes, is_opaque ? info.handleType : 0);
        }
    }
    for (uint32_t bit = 0; bit < 4; bit++) {
        const VkPhysicalDeviceExternalFenceInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
                                                        .handleType = 1u << bit};
        VkExternalFenceProperties got = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
        get_fence_properties(t->physical, &info, &got);
        assert_int_equal(got.externalFenceFeatures != 0,
                         info.handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT);
    }
}

static void foreign_descriptors_are_refused(void **state)
{
    struct side s = open_side(vkt_device(VKT_TESTED));
    VkSemaphore semaphore = make_semaphore(&s, false);
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(import_semaphore(&s, semaphore, fd, 0), VK_ERROR_INVALID_EXTERNAL_HANDLE);
    assert_int_equal(close(fd), 0); /* a failed import leaves it open */
    vkDestroySemaphore(s.device, semaphore, NULL);
    vkDestroyDevice(s.device, NULL);
}

int main(int argc, char **argv)
{
    own_path = argv[0];
    if (argc == 3 && !strcmp(argv[1], "answer"))
        return answer(argv[2]);
    if (argc == 3)
        return child(argv[2], !strcmp(argv[1], "stay"));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_semaphore_crosses_processes, vkt_check_messages),
        cmocka_unit_test_teardown(a_killed_process_harms_nobody, vkt_check_messages),
        cmocka_unit_test_teardown(a_fence_crosses_devices, vkt_check_messages),
        cmocka_unit_test_teardown(a_counter_crosses_processes, vkt_check_messages),
        cmocka_unit_test_teardown(a_silent_change_is_found, vkt_check_messages),
        cmocka_unit_test_teardown(forged_counters_are_refused, vkt_check_messages),
        cmocka_unit_test_teardown(a_blocking_descriptor_blocks_nobody, vkt_check_messages),
        cmocka_unit_test_teardown(properties_tell_the_truth, vkt_check_messages),
        cmocka_unit_test_teardown(foreign_descriptors_are_refused, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_share", tests, NULL, vkt_teardown);
}
