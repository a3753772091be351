/* SPDX-License-Identifier: MIT */
#include "vkt_present_waits.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define LONG_NS  UINT64_C(10000000000)
#define SHORT_NS UINT64_C(30000000)
#define IMAGES   3u

struct waits {
    struct vkt_present *p;
    VkSurfaceKHR surface;
    VkExtent2D extent;
    PFN_vkWaitForPresentKHR WaitForPresent;
    PFN_vkReleaseSwapchainImagesEXT ReleaseSwapchainImages;
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR GetSurfaceCapabilities2;
    VkPresentModeKHR modes[8];
    uint32_t mode_count;
};

static const VkPresentModeKHR fifo = VK_PRESENT_MODE_FIFO_KHR, mailbox = VK_PRESENT_MODE_MAILBOX_KHR,
                              immediate = VK_PRESENT_MODE_IMMEDIATE_KHR;

static VkResult try_swapchain(const struct waits *w, const void *chain, VkSwapchainCreateFlagsKHR flags,
                              VkSwapchainKHR old, VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(w->surface, fifo);
    info.pNext = chain;
    info.flags = flags;
    info.imageExtent = w->extent;
    info.oldSwapchain = old;
    return vkCreateSwapchainKHR(w->p->device, &info, NULL, out);
}

/* Presents may ask for every mode of the surface. */
static VkSwapchainKHR make_swapchain(const struct waits *w)
{
    const VkSwapchainPresentModesCreateInfoEXT modes = {.sType =
                                                            VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
                                                        .presentModeCount = w->mode_count,
                                                        .pPresentModes = w->modes};
    VkSwapchainKHR swapchain;
    vkt_ok(try_swapchain(w, &modes, 0, VK_NULL_HANDLE, &swapchain));
    return swapchain;
}

/* Acquires an image, takes it to the present layout in a submission, and presents it. `mode` and `fence` may be
 * absent. */
static VkResult present(const struct waits *w, VkSwapchainKHR swapchain, uint64_t id, const VkPresentModeKHR *mode,
                        VkFence fence)
{
    struct vkt_present *p = w->p;
    uint32_t image;
    VkResult acquired = vkAcquireNextImageKHR(p->device, swapchain, LONG_NS, VK_NULL_HANDLE, p->fence, &image);
    if (acquired < 0)
        return acquired;
    assert_true(acquired == VK_SUCCESS || acquired == VK_SUBOPTIMAL_KHR);
    vkt_ok(vkWaitForFences(p->device, 1, &p->fence, VK_TRUE, LONG_NS));
    vkt_ok(vkResetFences(p->device, 1, &p->fence));
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .signalSemaphoreCount = 1, .pSignalSemaphores = &p->rendered};
    vkt_ok(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE));
    VkPresentIdKHR ids = {.sType = VK_STRUCTURE_TYPE_PRESENT_ID_KHR, .swapchainCount = 1, .pPresentIds = &id};
    VkSwapchainPresentModeInfoEXT modes = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_EXT,
                                           .pNext = &ids,
                                           .swapchainCount = 1,
                                           .pPresentModes = mode};
    const VkSwapchainPresentFenceInfoEXT fences = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_EXT,
                                                   .pNext = mode ? (void *)&modes : &ids,
                                                   .swapchainCount = 1,
                                                   .pFences = &fence};
    const VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                   .pNext = fence ? &fences : fences.pNext,
                                   .waitSemaphoreCount = 1,
                                   .pWaitSemaphores = &p->rendered,
                                   .swapchainCount = 1,
                                   .pSwapchains = &swapchain,
                                   .pImageIndices = &image};
    return vkQueuePresentKHR(p->queue, &info);
}

static void present_ok(const struct waits *w, VkSwapchainKHR swapchain, uint64_t id, const VkPresentModeKHR *mode)
{
    vkt_ok(present(w, swapchain, id, mode, VK_NULL_HANDLE));
}

static VkResult wait_for(const struct waits *w, VkSwapchainKHR swapchain, uint64_t id, uint64_t timeout_ns)
{
    return w->WaitForPresent(w->p->device, swapchain, id, timeout_ns);
}

/* ---------------------------------------------------------------- queries */

static void check_capabilities(struct waits *w)
{
    for (uint32_t i = 0; i < w->mode_count; i++) {
        const VkSurfacePresentModeEXT mode = {.sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_EXT,
                                              .presentMode = w->modes[i]};
        const VkPhysicalDeviceSurfaceInfo2KHR info = {
            .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, .pNext = &mode, .surface = w->surface};
        VkPresentModeKHR compatible[8];
        VkSurfacePresentModeCompatibilityEXT modes = {.sType =
                                                          VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_EXT};
        VkSurfacePresentScalingCapabilitiesEXT scaling = {
            .sType = VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT, .pNext = &modes};
        VkSurfaceCapabilities2KHR caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &scaling};
        vkt_ok(w->GetSurfaceCapabilities2(w->p->physical, &info, &caps));
        assert_int_equal(modes.presentModeCount, w->mode_count); /* any mode goes with any other */
        modes.pPresentModes = compatible;
        vkt_ok(w->GetSurfaceCapabilities2(w->p->physical, &info, &caps));
        assert_memory_equal(compatible, w->modes, w->mode_count * sizeof *compatible);
        modes.presentModeCount = 1;
        vkt_ok(w->GetSurfaceCapabilities2(w->p->physical, &info, &caps));
        assert_int_equal(modes.presentModeCount, 1);
        if (scaling.supportedPresentScaling) {
            assert_int_equal(scaling.supportedPresentScaling, VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT);
            assert_int_equal(scaling.supportedPresentGravityX, VK_PRESENT_GRAVITY_MIN_BIT_EXT);
            assert_int_equal(scaling.supportedPresentGravityY, VK_PRESENT_GRAVITY_MIN_BIT_EXT);
            assert_int_equal(scaling.minScaledImageExtent.width, 1);
            assert_true(scaling.maxScaledImageExtent.height >= caps.surfaceCapabilities.maxImageExtent.height);
        } else {
            assert_int_equal(scaling.supportedPresentGravityX | scaling.supportedPresentGravityY, 0);
            assert_memory_equal(&scaling.minScaledImageExtent, &caps.surfaceCapabilities.minImageExtent,
                                sizeof(VkExtent2D));
        }
    }
}

static void check_refusals(struct waits *w)
{
    const VkPresentModeKHR shared = VK_PRESENT_MODE_SHARED_DEMAND_REFRESH_KHR;
    const VkSwapchainPresentModesCreateInfoEXT modes = {.sType =
                                                            VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODES_CREATE_INFO_EXT,
                                                        .presentModeCount = 1,
                                                        .pPresentModes = &shared};
    const VkSwapchainPresentScalingCreateInfoEXT stretch = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
        .scalingBehavior = VK_PRESENT_SCALING_STRETCH_BIT_EXT};
    VkSwapchainKHR swapchain;
    assert_int_equal(try_swapchain(w, &modes, 0, VK_NULL_HANDLE, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
    assert_int_equal(try_swapchain(w, &stretch, 0, VK_NULL_HANDLE, &swapchain), VK_ERROR_INITIALIZATION_FAILED);
}

/* ---------------------------------------------------------------- ids */

static void check_ids(struct waits *w)
{
    VkSwapchainKHR swapchain = make_swapchain(w), next;
    present_ok(w, swapchain, 1, NULL);
    vkt_ok(wait_for(w, swapchain, 1, LONG_NS));
    present_ok(w, swapchain, 0, NULL); /* has none */
    present_ok(w, swapchain, 5, NULL);
    present_ok(w, swapchain, UINT64_C(1) << 40, NULL);
    vkt_ok(wait_for(w, swapchain, 4, LONG_NS)); /* reached by a larger one */
    vkt_ok(wait_for(w, swapchain, 5, LONG_NS));
    vkt_ok(wait_for(w, swapchain, UINT64_C(1) << 40, LONG_NS));
    vkt_ok(wait_for(w, swapchain, 1, 0));
    assert_int_equal(wait_for(w, swapchain, (UINT64_C(1) << 40) + 1, SHORT_NS), VK_TIMEOUT);
    assert_int_equal(wait_for(w, swapchain, (UINT64_C(1) << 40) + 1, 0), VK_TIMEOUT);

    /* What is queued when the swapchain is replaced is still shown; anything else will never be. */
    present_ok(w, swapchain, UINT64_C(1) << 41, NULL);
    vkt_ok(try_swapchain(w, NULL, 0, swapchain, &next));
    vkt_ok(wait_for(w, swapchain, UINT64_C(1) << 41, LONG_NS));
    assert_int_equal(wait_for(w, swapchain, UINT64_C(1) << 42, LONG_NS), VK_ERROR_OUT_OF_DATE_KHR);
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);
    vkDestroySwapchainKHR(w->p->device, next, NULL);
    assert_int_equal(wait_for(w, next, 1, LONG_NS), VK_ERROR_OUT_OF_DATE_KHR);
}

struct waiter {
    const struct waits *w;
    VkSwapchainKHR swapchain;
    uint64_t id;
    VkResult result;
};

static void *wait_beside(void *arg)
{
    struct waiter *waiter = arg;
    waiter->result = wait_for(waiter->w, waiter->swapchain, waiter->id, LONG_NS);
    return NULL;
}

/* Threads wait for frames that are presented meanwhile, as a frame limiter does. */
static void check_waiting_threads(struct waits *w)
{
    VkSwapchainKHR swapchain = make_swapchain(w);
    struct waiter waiters[4];
    pthread_t threads[VKT_COUNT(waiters)];
    for (uint32_t i = 0; i < VKT_COUNT(waiters); i++) {
        waiters[i] = (struct waiter){.w = w, .swapchain = swapchain, .id = 3 * i + 1, .result = VK_NOT_READY};
        assert_int_equal(pthread_create(&threads[i], NULL, wait_beside, &waiters[i]), 0);
    }
    for (uint64_t id = 1; id <= 12; id++)
        present_ok(w, swapchain, id, NULL);
    for (uint32_t i = 0; i < VKT_COUNT(waiters); i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(waiters[i].result, VK_SUCCESS);
    }
    /* One more waits when the swapchain is replaced. */
    struct waiter late = {.w = w, .swapchain = swapchain, .id = 100, .result = VK_NOT_READY};
    assert_int_equal(pthread_create(&threads[0], NULL, wait_beside, &late), 0);
    usleep(20000);
    VkSwapchainKHR next;
    vkt_ok(try_swapchain(w, NULL, 0, swapchain, &next));
    pthread_join(threads[0], NULL);
    assert_int_equal(late.result, VK_ERROR_OUT_OF_DATE_KHR);
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);
    vkDestroySwapchainKHR(w->p->device, next, NULL);
}

/* ---------------------------------------------------------------- fences and modes */

static void check_fences(struct waits *w)
{
    struct vkt_present *p = w->p;
    VkSwapchainKHR swapchain = make_swapchain(w);
    VkFence fence;
    vkt_ok(vkCreateFence(p->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    for (uint32_t i = 0; i < 5; i++) {
        vkt_ok(present(w, swapchain, 0, NULL, fence));
        vkt_ok(vkWaitForFences(p->device, 1, &fence, VK_TRUE, LONG_NS));
        vkt_ok(vkResetFences(p->device, 1, &fence));
        /* The semaphore may be destroyed now. */
        vkDestroySemaphore(p->device, p->rendered, NULL);
        vkt_ok(vkCreateSemaphore(p->device, &(VkSemaphoreCreateInfo){.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO},
                                 NULL, &p->rendered));
    }
    vkt_ok(present(w, swapchain, 0, NULL, fence));
    vkt_ok(vkWaitForFences(p->device, 1, &fence, VK_TRUE, LONG_NS));
    vkDestroySwapchainKHR(p->device, swapchain, NULL); /* and so may the swapchain */
    vkDestroyFence(p->device, fence, NULL);
}

/* Every mode after every other, with a wait for each frame. */
static void check_modes(struct waits *w)
{
    VkSwapchainKHR swapchain = make_swapchain(w);
    uint64_t id = 0;
    for (uint32_t from = 0; from < w->mode_count; from++) {
        for (uint32_t to = 0; to < w->mode_count; to++) {
            present_ok(w, swapchain, ++id, &w->modes[from]);
            present_ok(w, swapchain, ++id, &w->modes[to]);
            present_ok(w, swapchain, ++id, NULL); /* as before */
            vkt_ok(wait_for(w, swapchain, id - 2, LONG_NS));
            vkt_ok(wait_for(w, swapchain, id, LONG_NS));
        }
    }
    for (uint32_t i = 0; i < 20; i++) /* images that newer ones replace count as shown */
        present_ok(w, swapchain, ++id, &mailbox);
    vkt_ok(wait_for(w, swapchain, id - 1, LONG_NS));
    vkt_ok(wait_for(w, swapchain, id, LONG_NS));
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* IMMEDIATE does not wait for ticks, FIFO does, in one swapchain. */
static void check_pace_of_modes(struct waits *w)
{
    VkSwapchainKHR swapchain = make_swapchain(w);
    uint64_t id = 0;
    double start_s = now_s();
    for (uint32_t i = 0; i < 200; i++)
        present_ok(w, swapchain, ++id, &immediate);
    vkt_ok(wait_for(w, swapchain, id, LONG_NS));
    assert_true(now_s() - start_s < 2.5); /* 200 ticks are 3.3 s */
    start_s = now_s();
    for (uint32_t i = 0; i < 10; i++) {
        present_ok(w, swapchain, ++id, &fifo);
        vkt_ok(wait_for(w, swapchain, id, LONG_NS));
    }
    assert_true(now_s() - start_s > 8 / 60.0);
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);
}

/* ---------------------------------------------------------------- images */

static uint32_t acquire(const struct waits *w, VkSwapchainKHR swapchain)
{
    struct vkt_present *p = w->p;
    uint32_t image;
    vkt_ok(vkAcquireNextImageKHR(p->device, swapchain, LONG_NS, VK_NULL_HANDLE, p->fence, &image));
    vkt_ok(vkWaitForFences(p->device, 1, &p->fence, VK_TRUE, LONG_NS));
    vkt_ok(vkResetFences(p->device, 1, &p->fence));
    return image;
}

static VkResult release(const struct waits *w, VkSwapchainKHR swapchain, const uint32_t *images, uint32_t count)
{
    return w->ReleaseSwapchainImages(
        w->p->device, &(VkReleaseSwapchainImagesInfoEXT){.sType = VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_EXT,
                                                         .swapchain = swapchain,
                                                         .imageIndexCount = count,
                                                         .pImageIndices = images});
}

static void *acquire_beside(void *arg)
{
    struct waiter *waiter = arg;
    const struct vkt_present *p = waiter->w->p;
    uint32_t image;
    waiter->result = vkAcquireNextImageKHR(p->device, waiter->swapchain, LONG_NS, p->acquired, VK_NULL_HANDLE, &image);
    waiter->id = image;
    return NULL;
}

static void check_release(struct waits *w)
{
    struct vkt_present *p = w->p;
    VkSwapchainKHR swapchain = make_swapchain(w), next;
    uint32_t count = 0, images[8], none;
    vkt_ok(vkGetSwapchainImagesKHR(p->device, swapchain, &count, NULL));
    assert_in_range(count, IMAGES, VKT_COUNT(images));
    for (uint32_t i = 0; i < count; i++)
        images[i] = acquire(w, swapchain);
    assert_int_equal(vkAcquireNextImageKHR(p->device, swapchain, 0, VK_NULL_HANDLE, p->fence, &none), VK_NOT_READY);
    vkt_ok(release(w, swapchain, images, 2));
    const uint32_t first = acquire(w, swapchain), second = acquire(w, swapchain);
    assert_true((first == images[0] && second == images[1]) || (first == images[1] && second == images[0]));

    /* A thread that waits for an image gets the one that is released. */
    struct waiter waiter = {.w = w, .swapchain = swapchain, .result = VK_TIMEOUT};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, acquire_beside, &waiter), 0);
    usleep(20000);
    vkt_ok(release(w, swapchain, &images[2], 1));
    pthread_join(thread, NULL);
    vkt_ok(waiter.result);
    assert_int_equal(waiter.id, images[2]);
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                 .waitSemaphoreCount = 1,
                                 .pWaitSemaphores = &p->acquired,
                                 .pWaitDstStageMask = &all};
    vkt_ok(vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE));
    vkt_ok(vkQueueWaitIdle(p->queue));

    /* Also of a swapchain that has been replaced. */
    vkt_ok(try_swapchain(w, NULL, 0, swapchain, &next));
    vkt_ok(release(w, swapchain, images, count));
    vkDestroySwapchainKHR(p->device, swapchain, NULL);
    vkDestroySwapchainKHR(p->device, next, NULL);
}

/* Images whose memory may come late, and of a smaller size than the surface. */
static void check_creation(struct waits *w)
{
    VkSwapchainKHR swapchain;
    vkt_ok(try_swapchain(w, NULL, VK_SWAPCHAIN_CREATE_DEFERRED_MEMORY_ALLOCATION_BIT_EXT, VK_NULL_HANDLE, &swapchain));
    for (uint64_t id = 1; id <= 4; id++)
        present_ok(w, swapchain, id, NULL);
    vkt_ok(wait_for(w, swapchain, 4, LONG_NS));
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);

    VkSurfacePresentScalingCapabilitiesEXT scaling = {.sType =
                                                          VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_EXT};
    VkSurfaceCapabilities2KHR caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &scaling};
    vkt_ok(w->GetSurfaceCapabilities2(
        w->p->physical,
        &(VkPhysicalDeviceSurfaceInfo2KHR){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
                                           .surface = w->surface},
        &caps));
    if (!scaling.supportedPresentScaling)
        return;
    const VkSwapchainPresentScalingCreateInfoEXT unscaled = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
        .scalingBehavior = VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT,
        .presentGravityX = VK_PRESENT_GRAVITY_MIN_BIT_EXT,
        .presentGravityY = VK_PRESENT_GRAVITY_MIN_BIT_EXT};
    const VkExtent2D full = w->extent;
    w->extent = (VkExtent2D){full.width / 2, full.height / 2};
    vkt_ok(try_swapchain(w, &unscaled, 0, VK_NULL_HANDLE, &swapchain));
    for (uint64_t id = 1; id <= 4; id++) {
        const VkResult result = present(w, swapchain, id, NULL, VK_NULL_HANDLE);
        assert_true(result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR);
    }
    vkt_ok(wait_for(w, swapchain, 4, LONG_NS));
    vkDestroySwapchainKHR(w->p->device, swapchain, NULL);
    w->extent = full;
}

void vkt_present_check_waits(struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent, bool can_tear)
{
    struct waits w = {.p = p, .surface = surface, .extent = extent, .mode_count = VKT_COUNT(w.modes)};
#define GET(name, suffix)                                                                                              \
    assert_non_null(w.name = (PFN_vk##name##suffix)vkGetDeviceProcAddr(p->device, "vk" #name #suffix))
    GET(WaitForPresent, KHR);
    GET(ReleaseSwapchainImages, EXT);
#undef GET
    w.GetSurfaceCapabilities2 = (PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
        p->instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
    vkt_ok(vkGetPhysicalDeviceSurfacePresentModesKHR(p->physical, surface, &w.mode_count, w.modes));
    assert_int_equal(w.mode_count, can_tear ? 4 : 2);
    check_capabilities(&w);
    check_refusals(&w);
    check_ids(&w);
    check_waiting_threads(&w);
    check_fences(&w);
    check_modes(&w);
    if (can_tear)
        check_pace_of_modes(&w);
    check_release(&w);
    check_creation(&w);
}
