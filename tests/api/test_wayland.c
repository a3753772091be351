/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_wayland_surface through the loader, against the test's own compositor (tiny_compositor.h): frames arrive, FIFO
 * follows the compositor's clock, a displayed buffer is never written, a hidden surface or a slow compositor does not
 * stop the application, and a lost compositor is an error.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "vkt_wayland.h"
#include "vkt_present_waits.h"

#define PIXELS (VKT_PRESENT_WIDTH * VKT_PRESENT_HEIGHT)

static struct vkt_present p;

static int open_device(void **state)
{
    static const char *const platforms[] = {VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME};
    vkt_present_open(&p, platforms, 1);
    return 0;
}

static int close_device(void **state)
{
    vkt_present_close(&p);
    return 0;
}

static void open_client(struct vkt_wayland_client *c, struct tiny_compositor options)
{
    vkt_wayland_open(c, &p, options);
}

/* -- tests -------------------------------------------------------------------------------------------------------- */

static void surface_takes_the_swapchains_size(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 1, .has_shm = true});
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(p.physical, c.vk_surface, &caps));
    assert_int_equal(caps.currentExtent.width, UINT32_MAX);
    assert_int_equal(caps.currentExtent.height, UINT32_MAX);
    assert_true(caps.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR);
    assert_true(caps.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_PRE_MULTIPLIED_BIT_KHR);
    vkt_wayland_close(&c, &p, false);
}

static void pictures_arrive_at_the_compositors_pace(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 20, .held = 1, .has_shm = true});
    vkt_wayland_show(&c, &p, VK_PRESENT_MODE_FIFO_KHR, 12);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 12);
    assert_int_equal(c.compositor.early_commits, 0);
    assert_int_equal(c.compositor.torn, 0);
    assert_int_equal(c.compositor.picture.width, VKT_PRESENT_WIDTH);
    assert_int_equal(c.compositor.picture.height, VKT_PRESENT_HEIGHT);
    assert_int_equal(c.compositor.picture.format, WL_SHM_FORMAT_XRGB8888);
    assert_int_equal(vkt_present_count_wrong(c.compositor.pixels, PIXELS), 0);
    vkt_wayland_close(&c, &p, true);
}

static void frames_can_be_waited_for(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 16, .held = 1, .has_shm = true});
    vkt_present_check_waits(&p, c.vk_surface, (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}, true);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.torn, 0);
    vkt_wayland_close(&c, &p, true);
}

static void immediate_asks_for_no_frame_events(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.held = 1, .has_shm = true});
    vkt_wayland_show(&c, &p, VK_PRESENT_MODE_IMMEDIATE_KHR, 40);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 40);
    assert_int_equal(c.compositor.torn, 0);
    assert_int_equal(vkt_present_count_wrong(c.compositor.pixels, PIXELS), 0);
    vkt_wayland_close(&c, &p, true);
}

static void hidden_surface_goes_on(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 0, .held = 1, .has_shm = true});
    vkt_wayland_show(&c, &p, VK_PRESENT_MODE_FIFO_KHR, 5);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 5);
    vkt_wayland_close(&c, &p, true);
}

/* The compositor keeps every buffer: no further frame can be shown, and no displayed buffer may be written. */
static void displayed_buffers_are_not_written(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 4, .has_shm = true});
    vkt_wayland_show(&c, &p, VK_PRESENT_MODE_MAILBOX_KHR, 6);
    assert_true(c.compositor.commits >= 1);
    assert_true(c.compositor.commits <= 3);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.torn, 0);
    vkt_wayland_close(&c, &p, true);
}

static void compositor_without_shared_memory_is_an_error(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 1});
    VkSwapchainKHR swapchain;
    assert_int_equal(vkt_try_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &swapchain),
                     VK_ERROR_SURFACE_LOST_KHR);
    vkt_wayland_close(&c, &p, false);
}

static void dead_compositor_is_lost(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 1, .has_shm = true});
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_FIFO_KHR), other;
    vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_ERROR_SURFACE_LOST_KHR);
    assert_int_equal(vkt_try_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &other),
                     VK_ERROR_SURFACE_LOST_KHR);
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    vkt_wayland_close(&c, &p, true);
}

/* Stops the compositor while frames are in flight. */
static void *stop_soon(void *arg)
{
    usleep(30000);
    tiny_compositor_stop(arg);
    return NULL;
}

static void compositor_that_dies_in_between_is_lost(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                             VK_PRESENT_MODE_IMMEDIATE_KHR};
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        struct vkt_wayland_client c;
        pthread_t killer;
        open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 1, .has_shm = true});
        VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.vk_surface, modes[i]);
        assert_int_equal(pthread_create(&killer, NULL, stop_soon, &c.compositor), 0);
        assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_ERROR_SURFACE_LOST_KHR);
        pthread_join(killer, NULL);
        vkDestroySwapchainKHR(p.device, swapchain, NULL);
        vkt_wayland_close(&c, &p, true);
    }
}

struct surface_thread {
    struct vkt_present device;
    struct vkt_wayland_client *client;
    uint32_t failures;
};

/* No assertions here: cmocka supports them on its own thread only. */
static void *present_many(void *arg)
{
    struct surface_thread *t = arg;
    VkSwapchainKHR swapchain;
    t->failures = 1;
    if (vkt_try_swapchain(&t->device, t->client->vk_surface, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &swapchain))
        return NULL;
    t->failures = 0;
    for (uint32_t i = 0; i < 60; i++) {
        t->failures += vkt_present_frame(&t->device, swapchain, VK_NULL_HANDLE, NULL) != VK_SUCCESS;
        t->failures += vkQueueWaitIdle(t->device.queue) != VK_SUCCESS;
    }
    vkDestroySwapchainKHR(t->device.device, swapchain, NULL);
    return NULL;
}

/* Both surfaces belong to one client, so both presentation threads read its connection. */
static void two_surfaces_from_two_threads(void **state)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 1, .has_shm = true});
    struct vkt_wayland_client other = c;
    other.surface = wl_compositor_create_surface(c.globals);
    const VkWaylandSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR, .display = c.display, .surface = other.surface};
    vkt_ok(vkCreateWaylandSurfaceKHR(p.instance, &info, NULL, &other.vk_surface));
    struct surface_thread threads[2] = {{.device = p, .client = &c},
                                        {.device = vkt_present_for_thread(&p), .client = &other}};
    pthread_t ids[2];
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, present_many, &threads[i]), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    assert_int_equal(threads[0].failures + threads[1].failures, 0);
    vkDestroySurfaceKHR(p.instance, other.vk_surface, NULL);
    wl_surface_destroy(other.surface);
    assert_true(wl_display_roundtrip(c.display) >= 0);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 120);
    vkt_present_destroy_sync(&threads[1].device);
    vkt_wayland_close(&c, &p, true);
}

/* -- frames of which a part changes ------------------------------------------------------------------------------- */

/* Draws a square that moves over a plain background. Every frame is complete; the present region names the square's old
 * and new position. */
static void draw_square(uint32_t *pixels, uint32_t step)
{
    for (uint32_t i = 0; i < PIXELS; i++) {
        uint32_t x = i % VKT_PRESENT_WIDTH, y = i / VKT_PRESENT_WIDTH;
        bool inside = x - 5 * step < 10 && y - 3 * step < 10;
        pixels[i] = inside ? 0xff0000ff + step : 0xff203040;
    }
}

static void changed_parts_make_the_whole_picture(VkPresentModeKHR mode)
{
    struct vkt_wayland_client c;
    open_client(&c, (struct tiny_compositor){.period_ms = 5, .held = 2, .has_shm = true});
    struct vkt t = {.instance = p.instance, .physical = p.physical, .device = p.device, .queue = p.queue};
    vkGetPhysicalDeviceMemoryProperties(p.physical, &t.memory);
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.vk_surface, mode);
    VkImage images[3];
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(p.device, swapchain, &count, images));
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    vkt_ok(vkCreateCommandPool(p.device, &pool_info, NULL, &t.pool));
    const VkCommandBufferAllocateInfo alloc_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = t.pool, .commandBufferCount = 1};
    VkCommandBuffer cmd;
    vkt_ok(vkAllocateCommandBuffers(p.device, &alloc_info, &cmd));
    struct vkt_buffer pixels = vkt_buffer_create(&t, PIXELS * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
    for (uint32_t step = 0; step < 15; step++) {
        draw_square(pixels.map, step);
        vkt_present_record_copy(cmd, pixels.buffer, images[step % 3],
                                (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT});
        const VkRectLayerKHR rects[2] = {
            {.offset = {(int32_t)(5 * step), (int32_t)(3 * step)}, .extent = {10, 10}},
            {.offset = {step ? (int32_t)(5 * step) - 5 : 0, step ? (int32_t)(3 * step) - 3 : 0}, .extent = {10, 10}},
        };
        const VkPresentRegionKHR region = {.rectangleCount = 2, .pRectangles = rects};
        vkt_ok(vkt_present_frame(&p, swapchain, cmd, &region));
        vkt_ok(vkQueueWaitIdle(p.queue));
    }
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    assert_true(wl_display_roundtrip(c.display) >= 0);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.torn, 0);
    uint32_t wanted[PIXELS];
    draw_square(wanted, 14);
    assert_memory_equal(c.compositor.pixels, wanted, sizeof wanted);
    vkt_buffer_destroy(&t, &pixels);
    vkDestroyCommandPool(p.device, t.pool, NULL);
    vkt_wayland_close(&c, &p, true);
}

static void parts_of_every_picture(void **state)
{
    changed_parts_make_the_whole_picture(VK_PRESENT_MODE_FIFO_KHR);
}

static void parts_of_pictures_that_were_passed_over(void **state)
{
    changed_parts_make_the_whole_picture(VK_PRESENT_MODE_MAILBOX_KHR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_takes_the_swapchains_size),
        cmocka_unit_test(pictures_arrive_at_the_compositors_pace),
        cmocka_unit_test(frames_can_be_waited_for),
        cmocka_unit_test(immediate_asks_for_no_frame_events),
        cmocka_unit_test(hidden_surface_goes_on),
        cmocka_unit_test(displayed_buffers_are_not_written),
        cmocka_unit_test(compositor_without_shared_memory_is_an_error),
        cmocka_unit_test(dead_compositor_is_lost),
        cmocka_unit_test(compositor_that_dies_in_between_is_lost),
        cmocka_unit_test(two_surfaces_from_two_threads),
        cmocka_unit_test(parts_of_every_picture),
        cmocka_unit_test(parts_of_pictures_that_were_passed_over),
    };
    return cmocka_run_group_tests_name("wayland", tests, open_device, close_device);
}
