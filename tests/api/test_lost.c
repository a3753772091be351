/* SPDX-License-Identifier: MIT
 *
 * A lost device: every entry point that may return VK_ERROR_DEVICE_LOST returns it, threads that wait in one return,
 * and all objects can be destroyed. (test_hang.c tests a device that is lost by a real hang.)
 */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include "vkt.h"

static struct bench {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkFence never, signalled;
    VkSemaphore timeline;
    VkEvent event;
    VkQueryPool queries;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    uint32_t image; /* acquired */
    PFN_vkWaitSemaphoresKHR WaitSemaphores;
    PFN_vkSignalSemaphoreKHR SignalSemaphore;
    PFN_vkGetSemaphoreCounterValueKHR GetSemaphoreCounterValue;
} b;

static void open_device(void)
{
    const char *icd = getenv("VKT_TESTED_ICD");
    if (icd)
        setenv("VK_ICD_FILENAMES", icd, 1);
    const char *const instance_extensions[] = {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
                                               VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    const char *const device_extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME};
    const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .enabledExtensionCount = VKT_COUNT(instance_extensions),
                                           .ppEnabledExtensionNames = instance_extensions};
    vkt_ok(vkCreateInstance(&instance, NULL, &b.instance));
    uint32_t count = 1;
    vkt_ok(vkEnumeratePhysicalDevices(b.instance, &count, &b.physical));
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, .timelineSemaphore = VK_TRUE};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &timeline,
                                       .queueCreateInfoCount = 1,
                                       .pQueueCreateInfos = &queue,
                                       .enabledExtensionCount = VKT_COUNT(device_extensions),
                                       .ppEnabledExtensionNames = device_extensions};
    vkt_ok(vkCreateDevice(b.physical, &device, NULL, &b.device));
    vkGetDeviceQueue(b.device, 0, 0, &b.queue);
    b.WaitSemaphores = (PFN_vkWaitSemaphoresKHR)vkGetDeviceProcAddr(b.device, "vkWaitSemaphoresKHR");
    b.SignalSemaphore = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(b.device, "vkSignalSemaphoreKHR");
    b.GetSemaphoreCounterValue =
        (PFN_vkGetSemaphoreCounterValueKHR)vkGetDeviceProcAddr(b.device, "vkGetSemaphoreCounterValueKHR");
    assert_true(b.WaitSemaphores && b.SignalSemaphore && b.GetSemaphoreCounterValue);
}

static VkResult make_swapchain(VkSwapchainKHR *out)
{
    const VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = b.surface,
        .minImageCount = 2,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = {64, 64},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
    };
    return vkCreateSwapchainKHR(b.device, &info, NULL, out);
}

static int set_up(void **state)
{
    open_device();
    const VkFenceCreateInfo never = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    const VkFenceCreateInfo signalled = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
                                         .flags = VK_FENCE_CREATE_SIGNALED_BIT};
    const VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                            .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = 1};
    const VkHeadlessSurfaceCreateInfoEXT surface = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    vkt_ok(vkCreateFence(b.device, &never, NULL, &b.never));
    vkt_ok(vkCreateFence(b.device, &signalled, NULL, &b.signalled));
    vkt_ok(vkCreateSemaphore(b.device, &timeline, NULL, &b.timeline));
    vkt_ok(vkCreateEvent(b.device, &event, NULL, &b.event));
    vkt_ok(vkCreateQueryPool(b.device, &queries, NULL, &b.queries));
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(b.instance, "vkCreateHeadlessSurfaceEXT");
    vkt_ok(create(b.instance, &surface, NULL, &b.surface));
    vkt_ok(make_swapchain(&b.swapchain));
    vkt_ok(vkAcquireNextImageKHR(b.device, b.swapchain, UINT64_MAX, VK_NULL_HANDLE, b.signalled, &b.image));
    return 0;
}

static int tear_down(void **state)
{
    vkDestroySwapchainKHR(b.device, b.swapchain, NULL);
    vkDestroySurfaceKHR(b.instance, b.surface, NULL);
    vkDestroyQueryPool(b.device, b.queries, NULL);
    vkDestroyEvent(b.device, b.event, NULL);
    vkDestroySemaphore(b.device, b.timeline, NULL);
    vkDestroyFence(b.device, b.signalled, NULL);
    vkDestroyFence(b.device, b.never, NULL);
    vkDestroyDevice(b.device, NULL);
    vkDestroyInstance(b.instance, NULL);
    return 0;
}

static void lose_device(void)
{
    void (*hook)(VkDevice) = (void (*)(VkDevice))vkGetDeviceProcAddr(b.device, "vk_test_lose_device");
    assert_non_null(hook);
    hook(b.device);
}

/* -- each entry point that may return VK_ERROR_DEVICE_LOST ------------------------------------------------------- */

static VkResult wait_for_fence(void)
{
    return vkWaitForFences(b.device, 1, &b.never, VK_TRUE, UINT64_MAX);
}

static VkResult wait_for_value(void)
{
    const VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &b.timeline,
                                      .pValues = &(uint64_t){1}};
    return b.WaitSemaphores(b.device, &info, UINT64_MAX);
}

static VkResult wait_for_query(void)
{
    uint64_t value;
    return vkGetQueryPoolResults(b.device, b.queries, 0, 1, 8, &value, 8,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
}

static VkResult wait_for_queue(void)
{
    return vkQueueWaitIdle(b.queue);
}

static VkResult wait_for_device(void)
{
    return vkDeviceWaitIdle(b.device);
}

static VkResult submit_nothing(void)
{
    return vkQueueSubmit(b.queue, 0, NULL, VK_NULL_HANDLE);
}

static VkResult ask_fence(void)
{
    return vkGetFenceStatus(b.device, b.signalled);
}

static VkResult wait_for_signalled(void)
{
    return vkWaitForFences(b.device, 1, &b.signalled, VK_TRUE, 0);
}

static VkResult ask_event(void)
{
    return vkGetEventStatus(b.device, b.event);
}

static VkResult ask_query(void)
{
    uint64_t value[2];
    return vkGetQueryPoolResults(b.device, b.queries, 0, 1, 16, value, 16,
                                 VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
}

static VkResult ask_counter(void)
{
    uint64_t value;
    return b.GetSemaphoreCounterValue(b.device, b.timeline, &value);
}

static VkResult acquire(void)
{
    uint32_t image;
    return vkAcquireNextImageKHR(b.device, b.swapchain, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &image);
}

static VkResult present(void)
{
    VkResult one = VK_SUCCESS;
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .swapchainCount = 1,
                                   .pSwapchains = &b.swapchain,
                                   .pImageIndices = &b.image,
                                   .pResults = &one};
    VkResult all = vkQueuePresentKHR(b.queue, &info);
    assert_int_equal(one, all);
    return all;
}

static VkResult create_swapchain(void)
{
    VkSwapchainKHR swapchain;
    return make_swapchain(&swapchain);
}

static void every_entry_point_says_so(void **state)
{
    static VkResult (*const calls[])(void) = {
        submit_nothing, wait_for_fence,   wait_for_signalled, ask_fence, wait_for_value, ask_counter,
        wait_for_queue, wait_for_device,  ask_event,          ask_query, wait_for_query, acquire,
        present,        create_swapchain,
    };
    lose_device();
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < VKT_COUNT(calls); i++)
            assert_int_equal(calls[i](), VK_ERROR_DEVICE_LOST);
}

struct waiter {
    pthread_t thread;
    VkResult (*call)(void);
    VkResult result;
};

static void *wait_in_call(void *arg)
{
    struct waiter *waiter = arg;
    waiter->result = waiter->call();
    return NULL;
}

static void submit_wait(void)
{
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &(uint64_t){1}};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &b.timeline,
                               .pWaitDstStageMask = &stage};
    vkt_ok(vkQueueSubmit(b.queue, 1, &info, b.never));
}

/* The queue waits for a value that nobody signals, so without the loss no thread would ever return. */
static void sleepers_wake(void **state)
{
    struct waiter waiters[] = {{.call = wait_for_fence},
                               {.call = wait_for_value},
                               {.call = wait_for_query},
                               {.call = wait_for_queue},
                               {.call = wait_for_device}};
    submit_wait();
    for (uint32_t i = 0; i < VKT_COUNT(waiters); i++)
        assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_in_call, &waiters[i]), 0);
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    lose_device();
    for (uint32_t i = 0; i < VKT_COUNT(waiters); i++) {
        assert_int_equal(pthread_join(waiters[i].thread, NULL), 0);
        assert_int_equal(waiters[i].result, VK_ERROR_DEVICE_LOST);
    }
}

/* A queue that holds work waiting for ever must not leak it, nor hang, when a lost device is destroyed. */
static void pending_work_goes_with_the_device(void **state)
{
    submit_wait();
    const VkSemaphoreSignalInfo signal = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = b.timeline, .value = 7};
    lose_device();
    vkt_ok(b.SignalSemaphore(b.device, &signal)); /* may not return VK_ERROR_DEVICE_LOST */
    vkt_ok(vkSetEvent(b.device, b.event));
    vkt_ok(vkResetEvent(b.device, b.event));
    vkt_ok(vkResetFences(b.device, 1, &b.signalled));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(every_entry_point_says_so),
        CASE(sleepers_wake),
        CASE(pending_work_goes_with_the_device),
    };
#undef CASE
    return cmocka_run_group_tests_name("api_lost", tests, NULL, NULL);
}
