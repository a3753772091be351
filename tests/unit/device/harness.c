/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include "harness.h"

int harness_set_up(void **state)
{
    struct harness *h = calloc(1, sizeof *h);
    setenv("VC4VK_DEVICE", "model", 1);
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    assert_int_equal(vc4vk_CreateInstance(&instance_info, NULL, &h->instance), VK_SUCCESS);
    uint32_t count = 1;
    assert_int_equal(vc4vk_EnumeratePhysicalDevices(h->instance, &count, &h->physical), VK_SUCCESS);
    assert_int_equal(count, 1);
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = (float[]){1}};
    const VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue_info};
    assert_int_equal(vc4vk_CreateDevice(h->physical, &device_info, NULL, &h->device), VK_SUCCESS);
    *state = h;
    return 0;
}

int harness_tear_down(void **state)
{
    struct harness *h = *state;
    vc4vk_DestroyDevice(h->device, NULL);
    vc4vk_DestroyInstance(h->instance, NULL);
    free(h);
    return 0;
}

VkBuffer harness_buffer(const struct harness *h, VkDeviceSize size_B, VkDeviceMemory *memory_out)
{
    VkBuffer buffer;
    VkMemoryRequirements needs;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT};
    assert_int_equal(vc4vk_CreateBuffer(h->device, &info, NULL, &buffer), VK_SUCCESS);
    vc4vk_GetBufferMemoryRequirements(h->device, buffer, &needs);
    const VkMemoryAllocateInfo alloc = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    assert_int_equal(vc4vk_AllocateMemory(h->device, &alloc, NULL, memory_out), VK_SUCCESS);
    assert_int_equal(vc4vk_BindBufferMemory(h->device, buffer, *memory_out, 0), VK_SUCCESS);
    return buffer;
}

void harness_buffer_destroy(const struct harness *h, VkBuffer buffer, VkDeviceMemory memory)
{
    vc4vk_DestroyBuffer(h->device, buffer, NULL);
    vc4vk_FreeMemory(h->device, memory, NULL);
}

static void *counting_alloc(void *data, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    struct harness_counter *c = data;
    if (c->budget == 0)
        return NULL;
    if (c->budget > 0)
        c->budget--;
    c->live++;
    return malloc(size_B);
}

static void *counting_realloc(void *data, void *old, size_t size_B, size_t align_B, VkSystemAllocationScope scope)
{
    struct harness_counter *c = data;
    if (old && size_B)
        return c->budget == 0 ? NULL : realloc(old, size_B);
    if (size_B)
        return counting_alloc(data, size_B, align_B, scope);
    c->live -= old != NULL;
    free(old);
    return NULL;
}

static void counting_free(void *data, void *ptr)
{
    struct harness_counter *c = data;
    c->live -= ptr != NULL;
    free(ptr);
}

VkAllocationCallbacks harness_counting_alloc(struct harness_counter *counter)
{
    return (VkAllocationCallbacks){counter, counting_alloc, counting_realloc, counting_free, NULL, NULL};
}
