/* SPDX-License-Identifier: MIT
 *
 * The list of a device's swapchains. Swapchain handles are looked up in it instead of being trusted: a thread may
 * destroy a swapchain while another presents to it or waits for its images. Vulkan makes the application responsible
 * for this, but with window systems it is easy to get wrong. With this driver a late call returns
 * VK_ERROR_OUT_OF_DATE_KHR.
 */
#include "device/vc4vk_device.h"
#include "device/vc4vk_memory.h"

void vc4vk_swapchain_memory_publish(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain)
{
    swapchain->users = 0;
    pthread_mutex_lock(&device->swapchain_lock);
    util_list_add_tail(&device->swapchains, &swapchain->link);
    pthread_mutex_unlock(&device->swapchain_lock);
}

static struct vc4vk_swapchain_memory *find_locked(struct vc4vk_device *device, VkSwapchainKHR handle)
{
    util_list_for_each(struct vc4vk_swapchain_memory, swapchain, &device->swapchains, link)
        if ((VkSwapchainKHR)(uintptr_t)swapchain == handle)
            return swapchain;
    return NULL;
}

struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_get(struct vc4vk_device *device, VkSwapchainKHR handle)
{
    pthread_mutex_lock(&device->swapchain_lock);
    struct vc4vk_swapchain_memory *swapchain = find_locked(device, handle);
    if (swapchain)
        swapchain->users++;
    pthread_mutex_unlock(&device->swapchain_lock);
    return swapchain;
}

void vc4vk_swapchain_memory_put(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain)
{
    if (!swapchain)
        return;
    pthread_mutex_lock(&device->swapchain_lock);
    if (!--swapchain->users)
        pthread_cond_broadcast(&device->swapchain_unused);
    pthread_mutex_unlock(&device->swapchain_lock);
}

struct vc4vk_swapchain_memory *vc4vk_swapchain_memory_withdraw(struct vc4vk_device *device, VkSwapchainKHR handle)
{
    pthread_mutex_lock(&device->swapchain_lock);
    struct vc4vk_swapchain_memory *swapchain = find_locked(device, handle);
    if (swapchain)
        util_list_del(&swapchain->link);
    pthread_mutex_unlock(&device->swapchain_lock);
    return swapchain;
}

void vc4vk_swapchain_memory_wait_unused(struct vc4vk_device *device, struct vc4vk_swapchain_memory *swapchain)
{
    pthread_mutex_lock(&device->swapchain_lock);
    while (swapchain->users)
        pthread_cond_wait(&device->swapchain_unused, &device->swapchain_lock);
    pthread_mutex_unlock(&device->swapchain_lock);
}
