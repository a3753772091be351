/* SPDX-License-Identifier: MIT
 *
 * The program that privileged.py runs with and without the set-user-ID bit. It does everything for which an environment
 * variable lets the driver write files or load code: a dispatch long enough to be compiled, and a present. It loads the
 * driver by its path, because the loader has its own rules for privileged programs.
 *
 * Prints "foreign" if it runs with the rights of another user or group, "own" otherwise, and "done" at the end.
 */
#define VK_NO_PROTOTYPES
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <vulkan/vulkan.h>
#include "fork.comp.h"

#define GROUPS   4096u
#define BUFFER_B (GROUPS * 32 * 4) /* a word for each invocation of fork.comp */

#define CALLS(X)                                                                                                       \
    X(CreateInstance) X(EnumeratePhysicalDevices) X(CreateDevice) X(GetDeviceQueue) X(CreateBuffer) X(AllocateMemory)  \
    X(BindBufferMemory) X(CreateDescriptorSetLayout) X(CreatePipelineLayout) X(CreateShaderModule)                     \
    X(CreateComputePipelines) X(CreateDescriptorPool) X(AllocateDescriptorSets) X(UpdateDescriptorSets)                \
    X(CreateCommandPool) X(AllocateCommandBuffers) X(BeginCommandBuffer) X(CmdBindPipeline) X(CmdBindDescriptorSets)   \
    X(CmdDispatch) X(EndCommandBuffer) X(QueueSubmit) X(DeviceWaitIdle) X(DestroyDevice) X(DestroyInstance)            \
    X(CreateHeadlessSurfaceEXT) X(CreateSwapchainKHR) X(AcquireNextImageKHR) X(QueuePresentKHR)                        \
    X(DestroySwapchainKHR) X(CreateFence) X(WaitForFences)

#define X(name) static PFN_vk##name vk##name;
CALLS(X)
#undef X

static PFN_vkGetInstanceProcAddr get_proc;

static void get_calls(VkInstance instance)
{
#define X(name) vk##name = (PFN_vk##name)get_proc(instance, "vk" #name);
    CALLS(X)
#undef X
}

static void check(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    printf("%s: %d\n", what, result);
    exit(1);
}

#define CHECK(call) check(call, #call)

static VkInstance instance;
static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;

static void open_device(void)
{
    const char *const surfaces[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    const char *const swapchains[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .enabledExtensionCount = 2,
                                                .ppEnabledExtensionNames = surfaces};
    get_calls(NULL);
    CHECK(vkCreateInstance(&instance_info, NULL, &instance));
    get_calls(instance);
    uint32_t count = 1;
    CHECK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    const VkDeviceQueueCreateInfo queue_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                .queueCount = 1,
                                                .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue_info,
                                            .enabledExtensionCount = 1,
                                            .ppEnabledExtensionNames = swapchains};
    CHECK(vkCreateDevice(physical, &device_info, NULL, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
}

static VkBuffer create_buffer(void)
{
    VkBuffer buffer;
    VkDeviceMemory memory;
    const VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                            .size = BUFFER_B,
                                            .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    const VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                              .allocationSize = BUFFER_B};
    CHECK(vkCreateBuffer(device, &buffer_info, NULL, &buffer));
    CHECK(vkAllocateMemory(device, &memory_info, NULL, &memory));
    CHECK(vkBindBufferMemory(device, buffer, memory, 0));
    return buffer;
}

static VkDescriptorSet create_set(VkDescriptorSetLayout layout)
{
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
    const VkDescriptorPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                                  .maxSets = 1,
                                                  .poolSizeCount = 1,
                                                  .pPoolSizes = &size};
    VkDescriptorPool pool;
    VkDescriptorSet set;
    CHECK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    const VkDescriptorSetAllocateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &layout};
    CHECK(vkAllocateDescriptorSets(device, &set_info, &set));
    const VkDescriptorBufferInfo info = {create_buffer(), 0, VK_WHOLE_SIZE};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &info};
    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    return set;
}

static void dispatch(void)
{
    const VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                                  NULL};
    const VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                      .bindingCount = 1,
                                                      .pBindings = &binding};
    VkDescriptorSetLayout set_layout;
    CHECK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    const VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                                    .setLayoutCount = 1,
                                                    .pSetLayouts = &set_layout};
    VkPipelineLayout layout;
    CHECK(vkCreatePipelineLayout(device, &layout_info, NULL, &layout));
    const VkShaderModuleCreateInfo module_info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                  .codeSize = sizeof fork_comp,
                                                  .pCode = fork_comp};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .pName = "main"},
        .layout = layout,
    };
    VkPipeline pipeline;
    CHECK(vkCreateShaderModule(device, &module_info, NULL, &info.stage.module));
    CHECK(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo cmd_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};
    VkCommandBuffer cmd;
    CHECK(vkCreateCommandPool(device, &pool_info, NULL, &cmd_info.commandPool));
    CHECK(vkAllocateCommandBuffers(device, &cmd_info, &cmd));
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkDescriptorSet set = create_set(set_layout);
    CHECK(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    CHECK(vkEndCommandBuffer(cmd));
    const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    CHECK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
    CHECK(vkDeviceWaitIdle(device));
}

static void present(void)
{
    const VkHeadlessSurfaceCreateInfoEXT surface_info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .minImageCount = 3,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = {16, 16},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
    };
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSwapchainKHR swapchain;
    VkFence fence;
    uint32_t image;
    CHECK(vkCreateHeadlessSurfaceEXT(instance, &surface_info, NULL, &info.surface));
    CHECK(vkCreateSwapchainKHR(device, &info, NULL, &swapchain));
    CHECK(vkCreateFence(device, &fence_info, NULL, &fence));
    CHECK(vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &image));
    CHECK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    const VkPresentInfoKHR present_info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                           .swapchainCount = 1,
                                           .pSwapchains = &swapchain,
                                           .pImageIndices = &image};
    CHECK(vkQueuePresentKHR(queue, &present_info));
    CHECK(vkDeviceWaitIdle(device));
    vkDestroySwapchainKHR(device, swapchain, NULL);
}

/* Leak checking is off: the program frees little, and the sanitizer cannot inspect a privileged process. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0:verify_asan_link_order=0";
}

int main(int argc, char **argv)
{
    void *driver = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!driver) {
        printf("dlopen: %s\n", argc == 2 ? dlerror() : "expected the path of the driver");
        return 1;
    }
    *(void **)&get_proc = dlsym(driver, "vk_icdGetInstanceProcAddr");
    printf("%s\n", getauxval(AT_SECURE) ? "foreign" : "own");
    open_device();
    dispatch();
    present();
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    printf("done\n");
    return 0;
}
