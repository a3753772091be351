/* SPDX-License-Identifier: MIT
 *
 * A process without free file descriptors. Each call that creates, exports or imports a payload or memory runs with no
 * free descriptor, then with one, and so on until it succeeds. Each failure must return an error code for lack of
 * resources, leak no descriptor, and leave the fence, the semaphore, the memory and the caller's descriptor
 * unchanged.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "../few_descriptors.h"
#include "vkt.h"

#define MAX_NEEDED 16 /* descriptors that one call may need */
#define SHORT_NS   30000000u
#define LONG_NS    20000000000u
#define MEMORY_B   65536u

/* A device, and the objects that the calls use. */
struct context {
    struct vkt t;
    PFN_vkGetSemaphoreFdKHR GetSemaphoreFd;
    PFN_vkImportSemaphoreFdKHR ImportSemaphoreFd;
    PFN_vkGetFenceFdKHR GetFenceFd;
    PFN_vkImportFenceFdKHR ImportFenceFd;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
    PFN_vkGetMemoryFdKHR GetMemoryFd;
    PFN_vkGetMemoryFdPropertiesKHR GetMemoryFdProperties;
    VkFence fence;
    VkSemaphore semaphore;
    VkDeviceMemory memory;
    VkDevice device;
    int fd; /* input of an import, result of an export */
    VkExternalFenceHandleTypeFlagBits fence_type;
    VkExternalSemaphoreHandleTypeFlagBits semaphore_type;
    VkExternalMemoryHandleTypeFlagBits memory_type;
    uint32_t flags;
};

static struct context open_device(void)
{
    struct context w = {.fd = -1};
    struct vkt *t = vkt_device(VKT_TESTED);
    static const char *const extensions[] = {
        VK_KHR_EXTERNAL_FENCE_EXTENSION_NAME,     VK_KHR_EXTERNAL_FENCE_FD_EXTENSION_NAME,
        VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
        VK_KHR_EXTERNAL_MEMORY_EXTENSION_NAME,    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
        VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &timeline,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = VKT_COUNT(extensions),
                                     .ppEnabledExtensionNames = extensions};
    w.t = *t;
    vkt_ok(vkCreateDevice(t->physical, &info, NULL, &w.t.device));
    vkGetDeviceQueue(w.t.device, 0, 0, &w.t.queue);
#define GET(name) w.name = (PFN_vk##name##KHR)vkGetDeviceProcAddr(w.t.device, "vk" #name "KHR")
    GET(GetSemaphoreFd);
    GET(ImportSemaphoreFd);
    GET(GetFenceFd);
    GET(ImportFenceFd);
    GET(GetSemaphoreCounterValue);
    GET(GetMemoryFd);
    GET(GetMemoryFdProperties);
#undef GET
    assert_true(w.GetSemaphoreFd && w.ImportSemaphoreFd && w.GetFenceFd && w.ImportFenceFd &&
                w.GetSemaphoreCounterValue && w.GetMemoryFd && w.GetMemoryFdProperties);
    return w;
}

static void close_device(struct context *w)
{
    vkDestroyDevice(w->t.device, NULL);
}

/* -- the shortage -------------------------------------------------------------------------------------------------- */

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* A leak stays; a file that a thread of the driver has open for a moment does not. */
static void check_no_leak(int before)
{
    for (int ms = 0; ms < 2000 && open_descriptors() > before; ms++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    assert_in_range(open_descriptors(), 0, before);
}

static bool is_shortage_error(VkResult result)
{
    return result == VK_ERROR_TOO_MANY_OBJECTS || result == VK_ERROR_OUT_OF_HOST_MEMORY ||
           result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_INITIALIZATION_FAILED;
}

/* Repeats `call` with one more free descriptor each time until it succeeds. After each failure `check` tests what must
 * not have changed. Returns the number of failures. */
static int call_until_success(struct context *w, VkResult (*call)(struct context *w), void (*check)(struct context *w))
{
    struct taken_descriptors taken;
    for (int free_count = 0; free_count < MAX_NEEDED; free_count++) {
        const int before = open_descriptors();
        take_descriptors(&taken, free_count);
        VkResult result = call(w);
        give_descriptors_back(&taken);
        if (result == VK_SUCCESS)
            return free_count;
        if (!is_shortage_error(result))
            fail_msg("with %d free descriptors: VkResult %d", free_count, result);
        check_no_leak(before);
        if (check)
            check(w);
    }
    fail_msg("the call needs more than %d descriptors", MAX_NEEDED);
    return 0;
}

/* -- fences -------------------------------------------------------------------------------------------------------- */

static VkResult create_fence(struct context *w)
{
    const VkExportFenceCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_FENCE_CREATE_INFO,
                                           .handleTypes = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                    .pNext = w->fence_type ? &share : NULL,
                                    .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    return vkCreateFence(w->t.device, &info, NULL, &w->fence);
}

static VkResult export_fence(struct context *w)
{
    const VkFenceGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_FENCE_GET_FD_INFO_KHR, .fence = w->fence, .handleType = w->fence_type};
    return w->GetFenceFd(w->t.device, &info, &w->fd);
}

static VkResult import_fence(struct context *w)
{
    const VkImportFenceFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_FENCE_FD_INFO_KHR,
                                         .fence = w->fence,
                                         .flags = w->flags,
                                         .handleType = w->fence_type,
                                         .fd = w->fd};
    return w->ImportFenceFd(w->t.device, &info);
}

static void fence_is_signalled(struct context *w)
{
    vkt_ok(vkGetFenceStatus(w->t.device, w->fence));
    vkt_ok(vkWaitForFences(w->t.device, 1, &w->fence, VK_TRUE, LONG_NS));
}

static void fence_is_signalled_and_fd_open(struct context *w)
{
    fence_is_signalled(w);
    assert_true(fcntl(w->fd, F_GETFD) >= 0);
}

static void fences(void **state)
{
    struct context w = open_device();
    w.fence_type = VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT;
    assert_true(call_until_success(&w, create_fence, NULL) > 0);
    assert_true(call_until_success(&w, export_fence, fence_is_signalled) > 0);
    VkFence first = w.fence;
    const int fd = w.fd;
    vkt_ok(vkResetFences(w.t.device, 1, &first));
    /* Imports into fences of new devices, which have not started their watcher thread yet. */
    for (w.flags = 0; w.flags < 2; w.flags++) {
        struct context other = open_device();
        vkt_ok(create_fence(&other));
        other.fd = dup(fd);
        other.fence_type = w.fence_type;
        other.flags = w.flags * VK_FENCE_IMPORT_TEMPORARY_BIT;
        call_until_success(&other, import_fence, fence_is_signalled_and_fd_open);
        assert_int_equal(vkGetFenceStatus(other.t.device, other.fence), VK_NOT_READY);
        vkDestroyFence(other.t.device, other.fence, NULL);
        close_device(&other);
    }
    close(fd);
    vkDestroyFence(w.t.device, first, NULL);
    close_device(&w);
}

/* Only a kernel can create sync files. On the model an export waits for the work instead. */
static void sync_files(void **state)
{
    struct context w = open_device();
    PFN_vkGetPhysicalDeviceExternalFencePropertiesKHR properties =
        (PFN_vkGetPhysicalDeviceExternalFencePropertiesKHR)vkGetInstanceProcAddr(
            w.t.instance, "vkGetPhysicalDeviceExternalFencePropertiesKHR");
    const VkPhysicalDeviceExternalFenceInfo info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_FENCE_INFO,
                                                    .handleType = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT};
    VkExternalFenceProperties got = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_FENCE_PROPERTIES};
    properties(w.t.physical, &info, &got);
    vkt_ok(create_fence(&w));
    w.fence_type = VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    const unsigned messages = vkt_device(VKT_TESTED)->validation_messages;
    call_until_success(&w, export_fence, fence_is_signalled);
    if (!got.externalFenceFeatures) /* invalid usage, which the layer reports; the call must still do no harm */
        vkt_device(VKT_TESTED)->validation_messages = messages;
    assert_int_equal(vkGetFenceStatus(w.t.device, w.fence), VK_NOT_READY);
    if (w.fd >= 0)
        close(w.fd);
    vkDestroyFence(w.t.device, w.fence, NULL);
    close_device(&w);
}

/* -- semaphores ---------------------------------------------------------------------------------------------------- */

static VkResult create_semaphore(struct context *w, VkSemaphoreType kind)
{
    const VkExportSemaphoreCreateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
                                               .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .pNext = w->semaphore_type ? &share : NULL,
                                            .semaphoreType = kind,
                                            .initialValue = kind == VK_SEMAPHORE_TYPE_TIMELINE ? 7 : 0};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    return vkCreateSemaphore(w->t.device, &info, NULL, &w->semaphore);
}

static VkResult create_binary(struct context *w)
{
    return create_semaphore(w, VK_SEMAPHORE_TYPE_BINARY);
}

static VkResult create_timeline(struct context *w)
{
    return create_semaphore(w, VK_SEMAPHORE_TYPE_TIMELINE);
}

static VkResult export_semaphore(struct context *w)
{
    const VkSemaphoreGetFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                          .semaphore = w->semaphore,
                                          .handleType = w->semaphore_type};
    return w->GetSemaphoreFd(w->t.device, &info, &w->fd);
}

static VkResult import_semaphore(struct context *w)
{
    const VkImportSemaphoreFdInfoKHR info = {.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
                                             .semaphore = w->semaphore,
                                             .flags = w->flags,
                                             .handleType = w->semaphore_type,
                                             .fd = w->fd};
    return w->ImportSemaphoreFd(w->t.device, &info);
}

static void counter_is_seven(struct context *w)
{
    uint64_t value = 0;
    vkt_ok(w->GetSemaphoreCounterValue(w->t.device, w->semaphore, &value));
    assert_int_equal(value, 7);
}

static void fd_is_open(struct context *w)
{
    assert_true(fcntl(w->fd, F_GETFD) >= 0);
}

static void submit(struct context *w, VkSemaphore wait, VkSemaphore signal, VkFence fence)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                               .pWaitSemaphores = &wait,
                               .pWaitDstStageMask = &stage,
                               .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                               .pSignalSemaphores = &signal};
    vkt_ok(vkQueueSubmit(w->t.queue, 1, &info, fence));
}

static void semaphores(void **state)
{
    struct context w = open_device();
    w.semaphore_type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    assert_true(call_until_success(&w, create_binary, NULL) > 0);
    assert_true(call_until_success(&w, export_semaphore, NULL) > 0);
    /* The payload carries signals, whatever failed before. */
    struct context other = open_device();
    vkt_ok(create_binary(&other));
    vkt_ok(create_fence(&other));
    vkt_ok(vkResetFences(other.t.device, 1, &other.fence));
    other.fd = w.fd;
    other.semaphore_type = w.semaphore_type;
    call_until_success(&other, import_semaphore, fd_is_open);
    submit(&other, other.semaphore, VK_NULL_HANDLE, other.fence);
    assert_int_equal(vkWaitForFences(other.t.device, 1, &other.fence, VK_TRUE, SHORT_NS), VK_TIMEOUT);
    submit(&w, VK_NULL_HANDLE, w.semaphore, VK_NULL_HANDLE);
    vkt_ok(vkWaitForFences(other.t.device, 1, &other.fence, VK_TRUE, LONG_NS));
    vkt_ok(vkDeviceWaitIdle(w.t.device));
    vkDestroyFence(other.t.device, other.fence, NULL);
    vkDestroySemaphore(other.t.device, other.semaphore, NULL);
    vkDestroySemaphore(w.t.device, w.semaphore, NULL);
    close_device(&other);
    close_device(&w);
}

static void timeline_semaphores(void **state)
{
    struct context w = open_device();
    w.semaphore_type = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    assert_true(call_until_success(&w, create_timeline, NULL) > 0);
    assert_true(call_until_success(&w, export_semaphore, counter_is_seven) > 0);
    struct context other = open_device();
    vkt_ok(create_timeline(&other));
    other.fd = w.fd;
    other.semaphore_type = w.semaphore_type;
    call_until_success(&other, import_semaphore, counter_is_seven);
    counter_is_seven(&other);
    vkDestroySemaphore(other.t.device, other.semaphore, NULL);
    vkDestroySemaphore(w.t.device, w.semaphore, NULL);
    close_device(&other);
    close_device(&w);
}

/* -- memory -------------------------------------------------------------------------------------------------------- */

static VkResult allocate(struct context *w)
{
    const VkExportMemoryAllocateInfo share = {.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
                                              .handleTypes = w->memory_type};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &share, .allocationSize = MEMORY_B};
    return vkAllocateMemory(w->t.device, &info, NULL, &w->memory);
}

static VkResult export_memory(struct context *w)
{
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR, .memory = w->memory, .handleType = w->memory_type};
    return w->GetMemoryFd(w->t.device, &info, &w->fd);
}

static VkResult import_memory(struct context *w)
{
    const VkImportMemoryFdInfoKHR import = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, .handleType = w->memory_type, .fd = w->fd};
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &import, .allocationSize = MEMORY_B};
    return vkAllocateMemory(w->t.device, &info, NULL, &w->memory);
}

static VkResult query_memory_types(struct context *w)
{
    VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    return w->GetMemoryFdProperties(w->t.device, w->memory_type, w->fd, &properties);
}

static void is_filled(struct context *w)
{
    const uint8_t *bytes;
    vkt_ok(vkMapMemory(w->t.device, w->memory, 0, VK_WHOLE_SIZE, 0, (void **)&bytes));
    for (uint32_t i = 0; i < MEMORY_B; i++)
        assert_int_equal(bytes[i], 0x5a);
    vkUnmapMemory(w->t.device, w->memory);
}

static void memory_of_type(VkExternalMemoryHandleTypeFlagBits type)
{
    struct context w = open_device(), other = open_device();
    void *map;
    w.memory_type = other.memory_type = type;
    call_until_success(&w, allocate, NULL);
    vkt_ok(vkMapMemory(w.t.device, w.memory, 0, VK_WHOLE_SIZE, 0, &map));
    memset(map, 0x5a, MEMORY_B);
    vkUnmapMemory(w.t.device, w.memory);
    assert_true(call_until_success(&w, export_memory, is_filled) > 0);
    is_filled(&w);
    other.fd = w.fd;
    if (type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT)
        call_until_success(&other, query_memory_types, fd_is_open);
    call_until_success(&other, import_memory, fd_is_open);
    is_filled(&other);
    vkFreeMemory(other.t.device, other.memory, NULL);
    vkFreeMemory(w.t.device, w.memory, NULL);
    close_device(&other);
    close_device(&w);
}

static void memory(void **state)
{
    memory_of_type(VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT);
}

static void dma_bufs(void **state)
{
    if (!vkt_has_extension(vkt_device(VKT_TESTED), VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME))
        vkt_skip("the model has no dma-bufs, only the DRM backend has");
    memory_of_type(VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
}

/* -- devices and work ---------------------------------------------------------------------------------------------- */

static VkResult create_device(struct context *w)
{
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    return vkCreateDevice(w->t.physical, &info, NULL, &w->device);
}

static void devices(void **state)
{
    struct context w = {.t = *vkt_device(VKT_TESTED)};
    call_until_success(&w, create_device, NULL);
    vkDestroyDevice(w.device, NULL);
}

/* An existing device can render without any free descriptor. */
static void rendering(void **state)
{
    struct vkt t = vkt_device_create(vkt_device(VKT_TESTED));
    struct vkt_target target = vkt_target_create(&t, 64, 64, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_UNDEFINED);
    struct taken_descriptors taken;
    VkCommandBuffer cmd = vkt_begin(&t);
    vkt_begin_pass(cmd, &target, (const float[]){0, 1, 0, 1}, 1, 0);
    vkCmdEndRenderPass(cmd);
    vkt_ok(vkEndCommandBuffer(cmd));
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    take_descriptors(&taken, 0);
    VkResult submitted = vkQueueSubmit(t.queue, 1, &info, VK_NULL_HANDLE), waited = vkQueueWaitIdle(t.queue);
    give_descriptors_back(&taken);
    vkt_ok(submitted);
    vkt_ok(waited);
    struct vkt_picture got = vkt_read_target(&t, &target);
    for (uint32_t i = 0; i < 64 * 64; i++)
        assert_true(got.rgba[4 * i] == 0 && got.rgba[4 * i + 1] == 255);
    vkt_picture_free(&got);
    vkt_target_destroy(&t, &target);
    vkt_device_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(fences, vkt_check_messages),
        cmocka_unit_test_teardown(sync_files, vkt_check_messages),
        cmocka_unit_test_teardown(semaphores, vkt_check_messages),
        cmocka_unit_test_teardown(timeline_semaphores, vkt_check_messages),
        cmocka_unit_test_teardown(memory, vkt_check_messages),
        cmocka_unit_test_teardown(dma_bufs, vkt_check_messages),
        cmocka_unit_test_teardown(devices, vkt_check_messages),
        cmocka_unit_test_teardown(rendering, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_few_descriptors", tests, NULL, vkt_teardown);
}
