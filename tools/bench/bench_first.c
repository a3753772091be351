/* SPDX-License-Identifier: MIT
 *
 * First-frame lines: the time from creating the instance in a new process until the first image is presented to the X
 * server, with about the work of vkcube (a window of 500 x 500 pixels, a texture, one pipeline). The items are the
 * steps. Needs an X server. The start of the process is not measured, only the driver and the loader.
 */
#include <stdio.h>
#include <stdlib.h>
#include "bench_scene.h"
#ifdef HAS_XCB
#include <xcb/xcb.h>
#include <vulkan/vulkan_xcb.h>

#define WINDOW_PX  500
#define IMAGES_MAX 8
#define FOREVER    UINT64_MAX

struct first {
    struct bench_device *d;
    xcb_connection_t *connection;
    xcb_window_t window;
    VkSurfaceKHR surface;
    VkSurfaceFormatKHR format;
    VkSwapchainKHR swapchain;
    VkImage images[IMAGES_MAX];
    uint32_t image_count;
    struct scene scene;
    VkRenderPass pass;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkImageView view;
    VkFramebuffer framebuffer;
    VkSemaphore acquired, drawn;
};

static bool open_instance(struct first *f)
{
    struct bench_device *d = f->d;
    static const char *const extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_KHR_XCB_SURFACE_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .enabledExtensionCount = 2,
                                       .ppEnabledExtensionNames = extensions};
    uint32_t count = 1;
    if (vkCreateInstance(&info, NULL, &d->instance) != VK_SUCCESS)
        return false;
    const VkResult result = vkEnumeratePhysicalDevices(d->instance, &count, &d->physical);
    if (count == 0 || (result != VK_SUCCESS && result != VK_INCOMPLETE))
        return false;
    vkGetPhysicalDeviceProperties(d->physical, &d->properties);
    vkGetPhysicalDeviceMemoryProperties(d->physical, &d->memory);
    return true;
}

static bool open_window(struct first *f)
{
    f->connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(f->connection))
        return false;
    const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(f->connection)).data;
    f->window = xcb_generate_id(f->connection);
    xcb_create_window(f->connection, XCB_COPY_FROM_PARENT, f->window, screen->root, 0, 0, WINDOW_PX, WINDOW_PX, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(f->connection, f->window);
    xcb_flush(f->connection);
    const VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                            .connection = f->connection,
                                            .window = f->window};
    uint32_t count = 1;
    VkBool32 is_supported = VK_FALSE;
    return vkCreateXcbSurfaceKHR(f->d->instance, &info, NULL, &f->surface) == VK_SUCCESS &&
           vkGetPhysicalDeviceSurfaceSupportKHR(f->d->physical, 0, f->surface, &is_supported) == VK_SUCCESS &&
           is_supported &&
           vkGetPhysicalDeviceSurfaceFormatsKHR(f->d->physical, f->surface, &count, &f->format) >= VK_SUCCESS && count;
}

static bool open_device(struct first *f)
{
    struct bench_device *d = f->d;
    static const char *const extensions[] = {VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = extensions};
    if (vkCreateDevice(d->physical, &info, NULL, &d->device) != VK_SUCCESS)
        return false;
    vkGetDeviceQueue(d->device, 0, 0, &d->queue);
    return true;
}

static bool make_swapchain(struct first *f)
{
    VkSurfaceCapabilitiesKHR can;
    if (vkGetPhysicalDeviceSurfaceCapabilitiesKHR(f->d->physical, f->surface, &can) != VK_SUCCESS)
        return false;
    const VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                           .surface = f->surface,
                                           .minImageCount = can.minImageCount > 3 ? can.minImageCount : 3,
                                           .imageFormat = f->format.format,
                                           .imageColorSpace = f->format.colorSpace,
                                           .imageExtent = {WINDOW_PX, WINDOW_PX},
                                           .imageArrayLayers = 1,
                                           .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                                           .preTransform = can.currentTransform,
                                           .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                           .presentMode = VK_PRESENT_MODE_FIFO_KHR};
    f->image_count = IMAGES_MAX;
    return vkCreateSwapchainKHR(f->d->device, &info, NULL, &f->swapchain) == VK_SUCCESS &&
           vkGetSwapchainImagesKHR(f->d->device, f->swapchain, &f->image_count, f->images) == VK_SUCCESS;
}

static bool make_objects(struct first *f)
{
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &f->scene.layout};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkDevice device = f->d->device;
    if (!bench_make_scene(f->d, &f->scene) ||
        vkCreatePipelineLayout(device, &layout, NULL, &f->layout) != VK_SUCCESS)
        return false;
    f->pass = bench_make_pass(f->d, f->format.format, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    struct pipeline p = {.layout = f->layout, .pass = f->pass};
    const bool good = bench_make_programs(f->d, NULL, 0, &p);
    f->pipeline = p.pipeline;
    vkDestroyShaderModule(device, p.modules[0], NULL);
    vkDestroyShaderModule(device, p.modules[1], NULL);
    return good && vkCreateSemaphore(device, &semaphore, NULL, &f->acquired) == VK_SUCCESS &&
           vkCreateSemaphore(device, &semaphore, NULL, &f->drawn) == VK_SUCCESS;
}

static bool make_target(struct first *f, VkImage image)
{
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = f->format.format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    if (vkCreateImageView(f->d->device, &view, NULL, &f->view) != VK_SUCCESS)
        return false;
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = f->pass,
                                          .attachmentCount = 1,
                                          .pAttachments = &f->view,
                                          .width = WINDOW_PX,
                                          .height = WINDOW_PX,
                                          .layers = 1};
    return vkCreateFramebuffer(f->d->device, &info, NULL, &f->framebuffer) == VK_SUCCESS;
}

static void record(struct first *f)
{
    const VkDescriptorSet set = bench_make_set(f->d, &f->scene, SETS / 2);
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = f->pass,
                                         .framebuffer = f->framebuffer,
                                         .renderArea = {.extent = {WINDOW_PX, WINDOW_PX}},
                                         .clearValueCount = 1,
                                         .pClearValues = &(VkClearValue){.color.float32 = {0.2f, 0.2f, 0.2f, 1}}};
    VkCommandBuffer cmd = f->scene.c.cmd;
    bench_begin(&f->scene.c);
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, f->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, f->layout, 0, 1, &set, 0, NULL);
    vkCmdDraw(cmd, 3, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
    vkEndCommandBuffer(cmd);
}

static bool show_frame(struct first *f)
{
    uint32_t image;
    if (vkAcquireNextImageKHR(f->d->device, f->swapchain, FOREVER, f->acquired, VK_NULL_HANDLE, &image) < VK_SUCCESS ||
        !make_target(f, f->images[image]))
        return false;
    record(f);
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &f->acquired,
        .pWaitDstStageMask = &(VkPipelineStageFlags){VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT},
        .commandBufferCount = 1,
        .pCommandBuffers = &f->scene.c.cmd,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &f->drawn};
    const VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                      .waitSemaphoreCount = 1,
                                      .pWaitSemaphores = &f->drawn,
                                      .swapchainCount = 1,
                                      .pSwapchains = &f->swapchain,
                                      .pImageIndices = &image};
    return vkQueueSubmit(f->d->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueuePresentKHR(f->d->queue, &present) >= VK_SUCCESS && vkQueueWaitIdle(f->d->queue) == VK_SUCCESS;
}

static bool run_steps(struct first *f)
{
    static const struct {
        const char *name;
        bool (*run)(struct first *f);
    } steps[] = {{"instance", open_instance},   {"window", open_window},   {"device", open_device},
                 {"swapchain", make_swapchain}, {"objects", make_objects}, {"frame", show_frame}};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        const uint64_t begin_ns = bench_now_ns();
        if (!steps[i].run(f))
            return false;
        bench_item(steps[i].name, bench_now_ns() - begin_ns);
    }
    return true;
}

static void finish(struct first *f)
{
    VkDevice device = f->d->device;
    if (device) {
        vkDeviceWaitIdle(device);
        vkDestroySemaphore(device, f->acquired, NULL);
        vkDestroySemaphore(device, f->drawn, NULL);
        vkDestroyFramebuffer(device, f->framebuffer, NULL);
        vkDestroyImageView(device, f->view, NULL);
        vkDestroyPipeline(device, f->pipeline, NULL);
        vkDestroyPipelineLayout(device, f->layout, NULL);
        vkDestroyRenderPass(device, f->pass, NULL);
        bench_finish_scene(f->d, &f->scene);
        if (f->swapchain)
            vkDestroySwapchainKHR(device, f->swapchain, NULL);
    }
    if (f->surface)
        vkDestroySurfaceKHR(f->d->instance, f->surface, NULL);
    xcb_disconnect(f->connection);
}

static bool run_first(struct bench_device *d)
{
    struct first f = {.d = d};
    const bool good = run_steps(&f);
    if (!good)
        fputs("first-frame: no X server, or the device cannot present to it\n", stderr);
    finish(&f);
    return good;
}
#else
static bool run_first(struct bench_device *d)
{
    fputs("first-frame: built without xcb\n", stderr);
    return false;
}
#endif

/* With the drivers' caches on disk. They are filled by the first round. */
static bool run_first_cached(struct bench_device *d)
{
    unsetenv("VC4VK_CACHE");
    unsetenv("MESA_SHADER_CACHE_DISABLE");
    return run_first(d);
}

const struct bench_line bench_first[] = {
    {"first-frame", "a new process until its first image is presented to the X server", run_first,
     .opens_device = true},
    {"first-frame-kept", "the same with the caches on disk, which the first round fills", run_first_cached,
     .opens_device = true},
    {0},
};
