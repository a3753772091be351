/* SPDX-License-Identifier: MIT
 *
 * scan_out PICTURE.ppm: presents on the bare console by VK_KHR_display, writes to PICTURE.ppm what the screen must show
 * then, and keeps it there while the host looks. What the kernel says about its planes must be that an image of this
 * process is scanned out. Runs in the guest of ./run board (or on a Raspberry Pi, as root) with VC4VK_DEVICE=drm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <vulkan/vulkan.h>

#define STATE      "/sys/kernel/debug/dri/0/state"
#define FRAMES     40u
#define MAX_IMAGES 8u
#define LOOK_s     3u

static const char *picture_path;

static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkExtent2D extent_px;
    VkImage images[MAX_IMAGES];
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint32_t *texels;
} v;

static void ok(VkResult result)
{
    assert_int_equal(result, VK_SUCCESS);
}

static void open_device(void)
{
    static const char *const of_instance[] = {"VK_KHR_surface", "VK_KHR_display"};
    static const char *const of_device[] = {"VK_KHR_swapchain"};
    const float priority = 1;
    uint32_t count = 1;
    ok(vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .enabledExtensionCount = 2,
                                                .ppEnabledExtensionNames = of_instance},
                        NULL, &v.instance));
    assert_true(vkEnumeratePhysicalDevices(v.instance, &count, &v.physical) >= 0 && count);
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    ok(vkCreateDevice(v.physical,
                      &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue,
                                            .enabledExtensionCount = 1,
                                            .ppEnabledExtensionNames = of_device},
                      NULL, &v.device));
    vkGetDeviceQueue(v.device, 0, 0, &v.queue);
    ok(vkCreateCommandPool(v.device,
                           &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                      .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT},
                           NULL, &v.pool));
}

static void open_surface(void)
{
    VkDisplayPropertiesKHR display;
    VkDisplayModePropertiesKHR mode;
    uint32_t count = 1;
    assert_true(vkGetPhysicalDeviceDisplayPropertiesKHR(v.physical, &count, &display) >= 0 && count);
    count = 1;
    assert_true(vkGetDisplayModePropertiesKHR(v.physical, display.display, &count, &mode) >= 0 && count);
    v.extent_px = mode.parameters.visibleRegion;
    print_message("# display: %s, %u x %u at %u mHz\n", display.displayName, v.extent_px.width, v.extent_px.height,
                  mode.parameters.refreshRate);
    ok(vkCreateDisplayPlaneSurfaceKHR(
        v.instance,
        &(VkDisplaySurfaceCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
                                         .displayMode = mode.displayMode,
                                         .transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                         .globalAlpha = 1,
                                         .alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
                                         .imageExtent = v.extent_px},
        NULL, &v.surface));
    VkBool32 is_supported = VK_FALSE;
    ok(vkGetPhysicalDeviceSurfaceSupportKHR(v.physical, 0, v.surface, &is_supported));
    assert_true(is_supported);
}

static void open_swapchain(void)
{
    ok(vkCreateSwapchainKHR(v.device,
                            &(VkSwapchainCreateInfoKHR){.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                                        .surface = v.surface,
                                                        .minImageCount = 3,
                                                        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                                        .imageExtent = v.extent_px,
                                                        .imageArrayLayers = 1,
                                                        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                                        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
                                                        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
                                                        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                                        .clipped = VK_TRUE},
                            NULL, &v.swapchain));
    uint32_t count = MAX_IMAGES;
    ok(vkGetSwapchainImagesKHR(v.device, v.swapchain, &count, v.images));
}

static void open_buffer(void)
{
    const VkDeviceSize size_B = (VkDeviceSize)v.extent_px.width * v.extent_px.height * 4;
    VkMemoryRequirements needs;
    ok(vkCreateBuffer(v.device,
                      &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                            .size = size_B,
                                            .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT},
                      NULL, &v.buffer));
    vkGetBufferMemoryRequirements(v.device, v.buffer, &needs);
    ok(vkAllocateMemory(
        v.device,
        &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size}, NULL,
        &v.memory));
    ok(vkBindBufferMemory(v.device, v.buffer, v.memory, 0));
    ok(vkMapMemory(v.device, v.memory, 0, VK_WHOLE_SIZE, 0, (void **)&v.texels));
}

/* Each pixel of a frame has a colour of its own, and no two frames are the same. */
static uint32_t color_of(uint32_t x, uint32_t y, uint32_t frame)
{
    return ((x + frame) & 0xff) << 16 | ((y + 2 * frame) & 0xff) << 8 | ((x >> 8) * 3 + (y >> 8) + frame);
}

static void present_frame(uint32_t frame)
{
    for (uint32_t y = 0; y < v.extent_px.height; y++)
        for (uint32_t x = 0; x < v.extent_px.width; x++)
            v.texels[y * v.extent_px.width + x] = color_of(x, y, frame);
    uint32_t index = 0;
    VkFence fence;
    VkCommandBuffer cmd;
    ok(vkCreateFence(v.device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL, &fence));
    ok(vkAcquireNextImageKHR(v.device, v.swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index));
    ok(vkWaitForFences(v.device, 1, &fence, VK_TRUE, UINT64_MAX));
    vkDestroyFence(v.device, fence, NULL);
    ok(vkAllocateCommandBuffers(v.device,
                                &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                               .commandPool = v.pool,
                                                               .commandBufferCount = 1},
                                &cmd));
    ok(vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = v.images[index],
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {v.extent_px.width, v.extent_px.height, 1}};
    vkCmdCopyBufferToImage(cmd, v.buffer, v.images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = 0;
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL,
                         1, &barrier);
    ok(vkEndCommandBuffer(cmd));
    ok(vkQueueSubmit(
        v.queue, 1,
        &(VkSubmitInfo){.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd},
        VK_NULL_HANDLE));
    ok(vkQueueWaitIdle(v.queue)); /* the buffer is written again for the next frame */
    ok(vkQueuePresentKHR(v.queue, &(VkPresentInfoKHR){.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                                      .swapchainCount = 1,
                                                      .pSwapchains = &v.swapchain,
                                                      .pImageIndices = &index}));
    vkFreeCommandBuffers(v.device, v.pool, 1, &cmd);
}

static void write_picture(uint32_t frame)
{
    FILE *file = fopen(picture_path, "wb");
    assert_non_null(file);
    fprintf(file, "P6\n%u %u\n255\n", v.extent_px.width, v.extent_px.height);
    for (uint32_t y = 0; y < v.extent_px.height; y++)
        for (uint32_t x = 0; x < v.extent_px.width; x++) {
            const uint32_t color = color_of(x, y, frame);
            const uint8_t rgb[3] = {(uint8_t)(color >> 16), (uint8_t)(color >> 8), (uint8_t)color};
            assert_int_equal(fwrite(rgb, 3, 1, file), 1);
        }
    assert_int_equal(fclose(file), 0);
}

static void presents_on_the_console(void **state)
{
    open_device();
    open_surface();
    open_swapchain();
    open_buffer();
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        present_frame(frame);
    write_picture(FRAMES - 1);
    sleep(1); /* until the last flip */
    fflush(stdout);
    if (write(STDOUT_FILENO, "@@ picture console\n", 19) != 19)
        fail();
    sleep(LOOK_s);
}

/* The plane that is on shows a framebuffer that this process has made of its own image. */
static void its_image_is_scanned_out(void **state)
{
    char line[256];
    bool is_ours = false, is_on = false;
    FILE *file = fopen(STATE, "r");
    if (!file)
        fail_msg("%s is not there: debugfs must be mounted", STATE);
    while (!(is_ours && is_on) && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "plane[", 6))
            is_ours = is_on = false;
        is_ours |= strstr(line, "allocated by = scan_out") != NULL;
        is_on |= strstr(line, "crtc-pos=800x480") != NULL;
        if (strstr(line, "modifier="))
            print_message("# %s", line + strspn(line, "\t"));
    }
    fclose(file);
    assert_true(is_ours && is_on);
}

static int close_all(void **state)
{
    vkDestroyBuffer(v.device, v.buffer, NULL);
    vkFreeMemory(v.device, v.memory, NULL);
    vkDestroySwapchainKHR(v.device, v.swapchain, NULL);
    vkDestroyCommandPool(v.device, v.pool, NULL);
    vkDestroyDevice(v.device, NULL);
    vkDestroySurfaceKHR(v.instance, v.surface, NULL);
    vkDestroyInstance(v.instance, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: scan_out PICTURE.ppm\n");
        return 2;
    }
    picture_path = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(presents_on_the_console),
                                       cmocka_unit_test(its_image_is_scanned_out)};
    return cmocka_run_group_tests(tests, NULL, close_all);
}
