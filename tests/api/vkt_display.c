/* SPDX-License-Identifier: MIT
 *
 * See vkt_display.h.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include "vkt_display.h"

struct vkt_present vkt_dev;
vc4_shim_read_screen_fn vkt_read_screen;
vc4_shim_plug_fn vkt_plug;
vc4_shim_take_master_fn vkt_take_master;

bool vkt_find_shim(void)
{
    vkt_read_screen = (vc4_shim_read_screen_fn)dlsym(RTLD_DEFAULT, "vc4_shim_read_screen");
    vkt_plug = (vc4_shim_plug_fn)dlsym(RTLD_DEFAULT, "vc4_shim_plug");
    vkt_take_master = (vc4_shim_take_master_fn)dlsym(RTLD_DEFAULT, "vc4_shim_take_master");
    return vkt_read_screen;
}

int vkt_open_displays(void **state)
{
    static const char *const extensions[] = {VK_KHR_DISPLAY_EXTENSION_NAME,
                                             VK_KHR_GET_DISPLAY_PROPERTIES_2_EXTENSION_NAME,
                                             VK_EXT_DIRECT_MODE_DISPLAY_EXTENSION_NAME,
                                             VK_EXT_ACQUIRE_DRM_DISPLAY_EXTENSION_NAME,
                                             VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME,
                                             VK_EXT_DISPLAY_SURFACE_COUNTER_EXTENSION_NAME};
    vkt_present_open(&vkt_dev, extensions, VKT_COUNT(extensions));
    return 0;
}

int vkt_close_displays(void **state)
{
    vkt_present_close(&vkt_dev);
    return 0;
}

struct vc4_shim_screen vkt_screen_state(void)
{
    struct vc4_shim_screen screen;
    vkt_read_screen(&screen, NULL, 0);
    return screen;
}

double vkt_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void vkt_sleep_ms(uint32_t time_ms)
{
    nanosleep(&(struct timespec){.tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000L}, NULL);
}

/* -- displays and swapchains -------------------------------------------------------------------------------------- */

VkDisplayKHR vkt_get_display(void)
{
    VkDisplayPropertiesKHR properties;
    uint32_t count = 1;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, &properties));
    assert_int_equal(count, 1);
    return properties.display;
}

uint32_t vkt_get_modes(VkDisplayKHR display, VkDisplayModePropertiesKHR modes[VKT_MAX_MODES])
{
    uint32_t count = VKT_MAX_MODES;
    vkt_ok(vkGetDisplayModePropertiesKHR(vkt_dev.physical, display, &count, modes));
    return count;
}

VkDisplayModePropertiesKHR vkt_small_mode(VkDisplayKHR display)
{
    VkDisplayModePropertiesKHR modes[VKT_MAX_MODES];
    uint32_t count = vkt_get_modes(display, modes), best = 0;
    for (uint32_t i = 0; i < count; i++)
        if (modes[i].parameters.visibleRegion.width <= modes[best].parameters.visibleRegion.width &&
            modes[i].parameters.refreshRate < 61000)
            best = i;
    return modes[best];
}

VkSurfaceKHR vkt_make_surface(VkDisplayModePropertiesKHR mode)
{
    const VkDisplaySurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
        .displayMode = mode.displayMode,
        .transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
        .imageExtent = mode.parameters.visibleRegion,
    };
    VkSurfaceKHR surface;
    vkt_ok(vkCreateDisplayPlaneSurfaceKHR(vkt_dev.instance, &info, NULL, &surface));
    return surface;
}

VkResult vkt_try_display_swapchain(VkSurfaceKHR surface, VkExtent2D extent, VkPresentModeKHR mode, VkSwapchainKHR old,
                                   VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, mode);
    info.imageExtent = extent;
    info.oldSwapchain = old;
    return vkCreateSwapchainKHR(vkt_dev.device, &info, NULL, out);
}

void vkt_check_is_refused(VkDisplayModePropertiesKHR mode, VkResult why)
{
    VkSurfaceKHR surface = vkt_make_surface(mode);
    VkSwapchainKHR swapchain;
    assert_int_equal(vkt_try_display_swapchain(surface, mode.parameters.visibleRegion, VK_PRESENT_MODE_FIFO_KHR,
                                               VK_NULL_HANDLE, &swapchain),
                     why);
    vkDestroySurfaceKHR(vkt_dev.instance, surface, NULL);
}

/* -- test patterns ------------------------------------------------------------------------------------------------ */

static uint32_t pixel_of(uint32_t x, uint32_t y, uint32_t seed)
{
    return (x * 3 + seed * 16) % 256 << 16 | (y * 5 + seed) % 256 << 8 | (x ^ y ^ seed) % 256;
}

void vkt_get_images(struct vkt_display_swapchain *s)
{
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(vkt_dev.device, s->swapchain, &count, s->images));
}

void vkt_open_display_swapchain(struct vkt_display_swapchain *s, VkDisplayModePropertiesKHR mode,
                                VkPresentModeKHR present_mode)
{
    *s = (struct vkt_display_swapchain){.t = {.instance = vkt_dev.instance,
                                              .physical = vkt_dev.physical,
                                              .device = vkt_dev.device,
                                              .queue = vkt_dev.queue}};
    vkGetPhysicalDeviceMemoryProperties(vkt_dev.physical, &s->t.memory);
    s->extent = mode.parameters.visibleRegion;
    s->surface = vkt_make_surface(mode);
    vkt_ok(vkt_try_display_swapchain(s->surface, s->extent, present_mode, VK_NULL_HANDLE, &s->swapchain));
    vkt_get_images(s);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    vkt_ok(vkCreateCommandPool(vkt_dev.device, &pool_info, NULL, &s->t.pool));
    const VkCommandBufferAllocateInfo alloc_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = s->t.pool, .commandBufferCount = 1};
    vkt_ok(vkAllocateCommandBuffers(vkt_dev.device, &alloc_info, &s->cmd));
    s->pixels =
        vkt_buffer_create(&s->t, s->extent.width * s->extent.height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
}

void vkt_close_display_swapchain(struct vkt_display_swapchain *s)
{
    if (!s->t.pool)
        return;
    vkt_ok(vkDeviceWaitIdle(vkt_dev.device));
    vkDestroySwapchainKHR(vkt_dev.device, s->swapchain, NULL);
    vkDestroySurfaceKHR(vkt_dev.instance, s->surface, NULL);
    vkt_buffer_destroy(&s->t, &s->pixels);
    vkDestroyCommandPool(vkt_dev.device, s->t.pool, NULL);
    *s = (struct vkt_display_swapchain){0};
}

static void record(struct vkt_display_swapchain *s, VkImage image, uint32_t seed)
{
    uint32_t *pixels = s->pixels.map;
    for (uint32_t y = 0; y < s->extent.height; y++)
        for (uint32_t x = 0; x < s->extent.width; x++)
            pixels[y * s->extent.width + x] = pixel_of(x, y, seed);
    vkt_present_record_copy(s->cmd, s->pixels.buffer, image, s->extent);
}

VkResult vkt_present_pattern(struct vkt_display_swapchain *s, uint32_t seed)
{
    uint32_t image;
    VkResult result = vkAcquireNextImageKHR(vkt_dev.device, s->swapchain, UINT64_C(5000000000), vkt_dev.acquired,
                                            VK_NULL_HANDLE, &image);
    if (result != VK_SUCCESS)
        return result;
    record(s, s->images[image], seed);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &vkt_dev.acquired,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = 1,
        .pCommandBuffers = &s->cmd,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &vkt_dev.rendered,
    };
    vkt_ok(vkQueueSubmit(vkt_dev.queue, 1, &submit, VK_NULL_HANDLE));
    result = vkt_present_image(&vkt_dev, s->swapchain, image, vkt_dev.rendered, NULL);
    vkt_ok(vkQueueWaitIdle(vkt_dev.queue)); /* the next frame reuses the buffer and the command buffer */
    return result;
}

static uint32_t count_wrong(const struct vkt_display_swapchain *s, uint32_t seed)
{
    const uint32_t words = s->extent.width * s->extent.height;
    uint32_t *seen = malloc((size_t)words * 4), wrong = 0;
    assert_non_null(seen);
    struct vc4_shim_screen screen;
    vkt_read_screen(&screen, seen, words);
    if (!screen.is_on || screen.width_px != s->extent.width || screen.height_px != s->extent.height)
        wrong = words;
    for (uint32_t i = 0; i < words && wrong != words; i++)
        wrong += (seen[i] & 0xffffff) != pixel_of(i % s->extent.width, i / s->extent.width, seed);
    free(seen);
    return wrong;
}

void vkt_check_screen(const struct vkt_display_swapchain *s, uint32_t seed)
{
    uint32_t wrong = 1;
    for (uint32_t tries = 0; tries < 100 && wrong; tries++) {
        vkt_sleep_ms(tries ? 20 : 0);
        wrong = count_wrong(s, seed);
    }
    if (wrong)
        fail_msg("%u of %u pixels are wrong", wrong, s->extent.width * s->extent.height);
}

void vkt_present_and_check(struct vkt_display_swapchain *s, uint32_t seed)
{
    vkt_ok(vkt_present_pattern(s, seed));
    vkt_check_screen(s, seed);
}

/* -- fixtures: a swapchain that shows a first picture, of seed 0, in the small mode ------------------------------- */

static int set_up(VkPresentModeKHR mode, void **state)
{
    static struct vkt_display_swapchain show;
    vkt_open_display_swapchain(&show, vkt_small_mode(vkt_get_display()), mode);
    vkt_present_and_check(&show, 0);
    *state = &show;
    return 0;
}

int vkt_set_up_fifo(void **state)
{
    return set_up(VK_PRESENT_MODE_FIFO_KHR, state);
}

int vkt_set_up_mailbox(void **state)
{
    return set_up(VK_PRESENT_MODE_MAILBOX_KHR, state);
}

int vkt_tear_down(void **state)
{
    vkt_close_display_swapchain(*state);
    vkt_plug(true);
    vkt_take_master(false);
    return 0;
}
