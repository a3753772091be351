/* SPDX-License-Identifier: MIT
 *
 * The device that random programs misuse, opened without any layer, and the list of objects they have created on it.
 */
#include <string.h>
#include "misuse.h"

struct misuse misuse;

void misuse_keep(enum kind kind, VkResult result, const void *handle)
{
    if (result != VK_SUCCESS || misuse.count == VKT_COUNT(misuse.objects))
        return;
    misuse.objects[misuse.count].kind = kind;
    memcpy(&misuse.objects[misuse.count++].handle, handle, sizeof misuse.objects[0].handle);
}

uint64_t misuse_pick(enum kind kind)
{
    const uint32_t from = below(misuse.count);
    for (uint32_t i = 0; i < misuse.count; i++) {
        const struct object *o = &misuse.objects[(from + i) % misuse.count];
        if (o->kind == kind)
            return o->handle;
    }
    return 0;
}

void misuse_open(void)
{
    static const char *const instance_extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME,
                                                      VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    const char *extensions[3 + MISUSE_EXTENSIONS] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME,
                                                     VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME,
                                                     VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo =
            &(VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1},
        .enabledExtensionCount = VKT_COUNT(instance_extensions),
        .ppEnabledExtensionNames = instance_extensions};
    vkt_ok(vkCreateInstance(&info, NULL, &misuse.instance));
    uint32_t count = 1;
    assert_true(vkEnumeratePhysicalDevices(misuse.instance, &count, &misuse.physical) >= 0 && count == 1);
    const uint32_t extension_count = 3 + misuse_list_extensions(&extensions[3]);
    VkPhysicalDeviceFeatures features;
    vkGetPhysicalDeviceFeatures(misuse.physical, &features);
    if (below(2))
        features = (VkPhysicalDeviceFeatures){.robustBufferAccess = below(2)};
    const float priorities[2] = {1, 0.5f};
    const VkDeviceQueueCreateInfo queues[2] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 2, .pQueuePriorities = priorities},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = 1,
         .queueCount = 1,
         .pQueuePriorities = priorities}};
    VkPhysicalDeviceIndexTypeUint8FeaturesEXT bytes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INDEX_TYPE_UINT8_FEATURES_EXT, .indexTypeUint8 = VK_TRUE};
#ifdef VK_KHR_dynamic_rendering_local_read
    VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR reads = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
        .dynamicRenderingLocalRead = VK_TRUE};
    bytes.pNext = &reads;
#endif
#ifdef VK_EXT_shader_object
    VkPhysicalDeviceShaderObjectFeaturesEXT shaders = {.sType =
                                                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_FEATURES_EXT,
                                                       .pNext = bytes.pNext,
                                                       .shaderObject = VK_TRUE};
    bytes.pNext = &shaders;
#endif
    const VkPhysicalDeviceTimelineSemaphoreFeatures timeline = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
        .pNext = &bytes,
        .timelineSemaphore = VK_TRUE};
    const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                       .pNext = &timeline,
                                       .queueCreateInfoCount = 2,
                                       .pQueueCreateInfos = queues,
                                       .enabledExtensionCount = extension_count,
                                       .ppEnabledExtensionNames = extensions,
                                       .pEnabledFeatures = &features};
    vkt_ok(vkCreateDevice(misuse.physical, &device, NULL, &misuse.device));
    misuse_load_extensions();
    vkGetDeviceQueue(misuse.device, 0, 0, &misuse.queues[0]);
    vkGetDeviceQueue(misuse.device, 0, 1, &misuse.queues[1]);
    vkGetDeviceQueue(misuse.device, 1, 0, &misuse.queues[2]);
    const VkHeadlessSurfaceCreateInfoEXT surface = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(misuse.instance, "vkCreateHeadlessSurfaceEXT");
    vkt_ok(create(misuse.instance, &surface, NULL, &misuse.surface));
    misuse.WaitSemaphores = (PFN_vkWaitSemaphoresKHR)vkGetDeviceProcAddr(misuse.device, "vkWaitSemaphoresKHR");
    misuse.SignalSemaphore = (PFN_vkSignalSemaphoreKHR)vkGetDeviceProcAddr(misuse.device, "vkSignalSemaphoreKHR");
    misuse.GetSemaphoreCounterValue =
        (PFN_vkGetSemaphoreCounterValueKHR)vkGetDeviceProcAddr(misuse.device, "vkGetSemaphoreCounterValueKHR");
}

static void destroy(const struct object *o)
{
    switch (o->kind) {
    case BUFFER:
        vkDestroyBuffer(misuse.device, (VkBuffer)o->handle, NULL);
        break;
    case IMAGE:
        vkDestroyImage(misuse.device, (VkImage)o->handle, NULL);
        break;
    case MEMORY:
        vkFreeMemory(misuse.device, (VkDeviceMemory)o->handle, NULL);
        break;
    case VIEW:
        vkDestroyImageView(misuse.device, (VkImageView)o->handle, NULL);
        break;
    case BUFFER_VIEW:
        vkDestroyBufferView(misuse.device, (VkBufferView)o->handle, NULL);
        break;
    case SAMPLER:
        vkDestroySampler(misuse.device, (VkSampler)o->handle, NULL);
        break;
    case SET_LAYOUT:
        vkDestroyDescriptorSetLayout(misuse.device, (VkDescriptorSetLayout)o->handle, NULL);
        break;
    case LAYOUT:
        vkDestroyPipelineLayout(misuse.device, (VkPipelineLayout)o->handle, NULL);
        break;
    case SET_POOL:
        vkDestroyDescriptorPool(misuse.device, (VkDescriptorPool)o->handle, NULL);
        break;
    case PASS:
        vkDestroyRenderPass(misuse.device, (VkRenderPass)o->handle, NULL);
        break;
    case FRAMEBUFFER:
        vkDestroyFramebuffer(misuse.device, (VkFramebuffer)o->handle, NULL);
        break;
    case PIPELINE:
    case COMPUTE:
        vkDestroyPipeline(misuse.device, (VkPipeline)o->handle, NULL);
        break;
    case COMMAND_POOL:
        vkDestroyCommandPool(misuse.device, (VkCommandPool)o->handle, NULL);
        break;
    case FENCE:
        vkDestroyFence(misuse.device, (VkFence)o->handle, NULL);
        break;
    case SEMAPHORE:
    case TIMELINE:
        vkDestroySemaphore(misuse.device, (VkSemaphore)o->handle, NULL);
        break;
    case EVENT:
        vkDestroyEvent(misuse.device, (VkEvent)o->handle, NULL);
        break;
    case QUERIES:
        vkDestroyQueryPool(misuse.device, (VkQueryPool)o->handle, NULL);
        break;
    case SWAPCHAIN:
        vkDestroySwapchainKHR(misuse.device, (VkSwapchainKHR)o->handle, NULL);
        break;
    case CACHE:
        vkDestroyPipelineCache(misuse.device, (VkPipelineCache)o->handle, NULL);
        break;
    case MODULE:
        vkDestroyShaderModule(misuse.device, (VkShaderModule)o->handle, NULL);
        break;
    case SHADER:
        misuse_destroy_shader(o->handle);
        break;
    case KINDS:
        break;
    }
}

/* Signals every event and timeline semaphore, so that all submitted work can finish, and waits for it. */
static void finish_all_work(void)
{
    for (uint32_t i = 0; i < misuse.count; i++) {
        const VkSemaphoreSignalInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
                                              .semaphore = (VkSemaphore)misuse.objects[i].handle,
                                              .value = UINT64_MAX};
        if (misuse.objects[i].kind == EVENT)
            vkSetEvent(misuse.device, (VkEvent)misuse.objects[i].handle);
        if (misuse.objects[i].kind == TIMELINE)
            misuse.SignalSemaphore(misuse.device, &signal);
    }
    vkDeviceWaitIdle(misuse.device);
}

void misuse_close(void)
{
    finish_all_work();
    for (uint32_t i = misuse.count; i > 1; i--) {
        const uint32_t other = below(i);
        const struct object swap = misuse.objects[i - 1];
        misuse.objects[i - 1] = misuse.objects[other];
        misuse.objects[other] = swap;
    }
    for (uint32_t i = 0; i < misuse.count; i++)
        destroy(&misuse.objects[i]);
    misuse_destroy_kit();
    vkDestroyDevice(misuse.device, NULL);
    vkDestroySurfaceKHR(misuse.instance, misuse.surface, NULL);
    vkDestroyInstance(misuse.instance, NULL);
}
