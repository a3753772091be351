/* SPDX-License-Identifier: MIT
 *
 * Presentation through the loader: pacing of the present modes, no CPU use when the application is idle, acquisition,
 * replaced swapchains. X11 windows are tested with an X server that the test starts (Xvfb): frames arrive, a resized
 * window is reported, and a lost window is an error.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xcb/xcb.h>
#include "vkt_present_uses.h"
#include "vkt_present_waits.h"
#include <vulkan/vulkan_xcb.h>
#include <X11/Xlib.h>
#include <vulkan/vulkan_xlib.h>

#define WIDTH  VKT_PRESENT_WIDTH
#define HEIGHT VKT_PRESENT_HEIGHT

static struct vkt_present b;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int open_device(void **state)
{
    static const char *const platforms[] = {VK_KHR_XCB_SURFACE_EXTENSION_NAME, VK_KHR_XLIB_SURFACE_EXTENSION_NAME};
    vkt_present_open(&b, platforms, VKT_COUNT(platforms));
    return 0;
}

static int close_device(void **state)
{
    vkt_present_close(&b);
    return 0;
}

static VkSurfaceKHR headless_surface(void)
{
    VkSurfaceKHR surface;
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(b.instance, "vkCreateHeadlessSurfaceEXT");
    const VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    vkt_ok(create(b.instance, &info, NULL, &surface));
    return surface;
}

static VkResult try_swapchain(VkSurfaceKHR surface, VkPresentModeKHR mode, VkSwapchainKHR old, VkSwapchainKHR *out)
{
    return vkt_try_swapchain(&b, surface, mode, old, out);
}

/* A swapchain whose images may have sRGB views. */
static VkSwapchainKHR make_mutable_swapchain(VkSurfaceKHR surface)
{
    const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
    const VkImageFormatListCreateInfo list = {.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO,
                                              .viewFormatCount = VKT_COUNT(formats),
                                              .pViewFormats = formats};
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, VK_PRESENT_MODE_FIFO_KHR);
    VkSwapchainKHR swapchain;
    info.pNext = &list;
    info.flags = VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR;
    vkt_ok(vkCreateSwapchainKHR(b.device, &info, NULL, &swapchain));
    return swapchain;
}

static VkSwapchainKHR make_swapchain(VkSurfaceKHR surface, VkPresentModeKHR mode)
{
    return vkt_make_swapchain(&b, surface, mode);
}

static VkResult present(VkSwapchainKHR swapchain, uint32_t image, VkSemaphore wait)
{
    return vkt_present_image(&b, swapchain, image, wait, NULL);
}

static VkResult frame(VkSwapchainKHR swapchain, VkCommandBuffer cmd)
{
    return vkt_present_frame(&b, swapchain, cmd, NULL);
}

static double time_of_frames(VkPresentModeKHR mode, uint32_t frames)
{
    VkSurfaceKHR surface = headless_surface();
    VkSwapchainKHR swapchain = make_swapchain(surface, mode);
    double start_s = now_s();
    for (uint32_t i = 0; i < frames; i++)
        vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    double time_s = now_s() - start_s;
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
    return time_s;
}

/* -- headless ----------------------------------------------------------------------------------------------------- */

static void surface_says_what_it_can(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    VkBool32 supported = VK_FALSE;
    vkt_ok(vkGetPhysicalDeviceSurfaceSupportKHR(b.physical, 0, surface, &supported));
    assert_true(supported);
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, surface, &caps));
    assert_int_equal(caps.currentExtent.width, UINT32_MAX);
    assert_true(caps.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    uint32_t count = 0;
    vkt_ok(vkGetPhysicalDeviceSurfaceFormatsKHR(b.physical, surface, &count, NULL));
    assert_int_equal(count, 2);
    VkSurfaceFormatKHR formats[2];
    count = 1;
    assert_int_equal(vkGetPhysicalDeviceSurfaceFormatsKHR(b.physical, surface, &count, formats), VK_INCOMPLETE);
    assert_int_equal(count, 1);
    assert_int_equal(formats[0].format, VK_FORMAT_B8G8R8A8_UNORM);
    const VkPhysicalDeviceSurfaceInfo2KHR info = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR,
                                                  .surface = surface};
    VkSurfaceProtectedCapabilitiesKHR is_protected = {.sType = VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR,
                                                      .supportsProtected = VK_TRUE};
    VkSurfaceCapabilities2KHR caps2 = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, .pNext = &is_protected};
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR get_capabilities2 =
        (PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR)vkGetInstanceProcAddr(
            b.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR");
    PFN_vkGetPhysicalDeviceSurfaceFormats2KHR get_formats2 =
        (PFN_vkGetPhysicalDeviceSurfaceFormats2KHR)vkGetInstanceProcAddr(b.instance,
                                                                         "vkGetPhysicalDeviceSurfaceFormats2KHR");
    vkt_ok(get_capabilities2(b.physical, &info, &caps2));
    assert_memory_equal(&caps2.surfaceCapabilities, &caps, sizeof caps);
    assert_false(is_protected.supportsProtected);
    VkSurfaceFormat2KHR formats2[2] = {{.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR},
                                       {.sType = VK_STRUCTURE_TYPE_SURFACE_FORMAT_2_KHR}};
    count = 1;
    assert_int_equal(get_formats2(b.physical, &info, &count, formats2), VK_INCOMPLETE);
    count = 2;
    vkt_ok(get_formats2(b.physical, &info, &count, formats2));
    assert_int_equal(formats2[1].surfaceFormat.format, VK_FORMAT_B8G8R8A8_SRGB);
    VkPresentModeKHR modes[8];
    count = VKT_COUNT(modes);
    vkt_ok(vkGetPhysicalDeviceSurfacePresentModesKHR(b.physical, surface, &count, modes));
    assert_int_equal(count, 4);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

static void fifo_follows_the_clock(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_FIFO_RELAXED_KHR};
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        double time_s = time_of_frames(modes[i], 33); /* at least 30 refresh cycles: three images are free at first */
        assert_true(time_s > 28 / 60.0);
        assert_true(time_s < 3);
    }
}

static void immediate_does_not_wait(void **state)
{
    assert_true(time_of_frames(VK_PRESENT_MODE_IMMEDIATE_KHR, 300) < 2.5);
}

static void mailbox_takes_the_newest(void **state)
{
    /* As fast as the application draws: three images per refresh cycle would take 3.3 s. test_trace.c checks what is
     * shown. */
    assert_true(time_of_frames(VK_PRESENT_MODE_MAILBOX_KHR, 600) < 2.5);
}

static uint64_t cpu_time_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void sleep_ms(uint32_t time_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = time_ms * 1000000L}, NULL);
}

/* Device, queue and presentation threads sleep when there is nothing to do, in every mode. */
static void idle_application_uses_no_cpu(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                             VK_PRESENT_MODE_IMMEDIATE_KHR};
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        VkSurfaceKHR surface = headless_surface();
        VkSwapchainKHR swapchain = make_swapchain(surface, modes[i]);
        for (int frames = 0; frames < 5; frames++)
            vkt_ok(frame(swapchain, VK_NULL_HANDLE));
        vkt_ok(vkDeviceWaitIdle(b.device));
        sleep_ms(150); /* until the queued frames have been shown */
        uint64_t before_ns = cpu_time_ns();
        sleep_ms(300);
        uint64_t used_ns = cpu_time_ns() - before_ns;
        if (used_ns >= 5000000)
            fail_msg("mode %d: %.3f ms of CPU in 300 ms", (int)modes[i], (double)used_ns * 1e-6);
        vkDestroySwapchainKHR(b.device, swapchain, NULL);
        vkDestroySurfaceKHR(b.instance, surface, NULL);
    }
}

static void acquire_times_out(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    VkSwapchainKHR swapchain = make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR);
    uint32_t count = 0, image;
    vkt_ok(vkGetSwapchainImagesKHR(b.device, swapchain, &count, NULL));
    assert_int_equal(count, 3);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        vkt_ok(vkAcquireNextImageKHR(b.device, swapchain, 0, VK_NULL_HANDLE, b.fence, &image));
        vkt_ok(vkWaitForFences(b.device, 1, &b.fence, VK_TRUE, UINT64_C(5000000000)));
        vkt_ok(vkResetFences(b.device, 1, &b.fence));
        seen |= 1u << image;
    }
    assert_int_equal(seen, 7); /* each once */
    assert_int_equal(vkAcquireNextImageKHR(b.device, swapchain, 0, VK_NULL_HANDLE, b.fence, &image), VK_NOT_READY);
    assert_int_equal(vkAcquireNextImageKHR(b.device, swapchain, 20000000, VK_NULL_HANDLE, b.fence, &image), VK_TIMEOUT);
    vkt_ok(present(swapchain, 1, VK_NULL_HANDLE));
    vkt_ok(vkAcquireNextImageKHR(b.device, swapchain, UINT64_C(5000000000), VK_NULL_HANDLE, b.fence, &image));
    assert_int_equal(image, 1);
    vkt_ok(vkResetFences(b.device, 1, &b.fence));
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

static void a_group_of_one_presents(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    VkDeviceGroupPresentCapabilitiesKHR caps = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_PRESENT_CAPABILITIES_KHR};
    VkDeviceGroupPresentModeFlagsKHR modes = 0;
    uint32_t count = 0, image;
    PFN_vkGetDeviceGroupPresentCapabilitiesKHR get_caps =
        (PFN_vkGetDeviceGroupPresentCapabilitiesKHR)vkGetDeviceProcAddr(b.device,
                                                                        "vkGetDeviceGroupPresentCapabilitiesKHR");
    PFN_vkGetDeviceGroupSurfacePresentModesKHR get_modes =
        (PFN_vkGetDeviceGroupSurfacePresentModesKHR)vkGetDeviceProcAddr(b.device,
                                                                        "vkGetDeviceGroupSurfacePresentModesKHR");
    PFN_vkGetPhysicalDevicePresentRectanglesKHR get_rectangles =
        (PFN_vkGetPhysicalDevicePresentRectanglesKHR)vkGetInstanceProcAddr(b.instance,
                                                                           "vkGetPhysicalDevicePresentRectanglesKHR");
    PFN_vkAcquireNextImage2KHR acquire =
        (PFN_vkAcquireNextImage2KHR)vkGetDeviceProcAddr(b.device, "vkAcquireNextImage2KHR");
    vkt_ok(get_caps(b.device, &caps));
    assert_int_equal(caps.presentMask[0], 1);
    assert_int_equal(caps.presentMask[1], 0);
    assert_int_equal(caps.modes, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR);
    vkt_ok(get_modes(b.device, surface, &modes));
    assert_int_equal(modes, VK_DEVICE_GROUP_PRESENT_MODE_LOCAL_BIT_KHR);
    vkt_ok(get_rectangles(b.physical, surface, &count, NULL));
    assert_int_equal(count, 1);
    VkSwapchainKHR swapchain = make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR);
    vkt_ok(acquire(b.device,
                   &(VkAcquireNextImageInfoKHR){.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR,
                                                .swapchain = swapchain,
                                                .timeout = UINT64_C(5000000000),
                                                .fence = b.fence,
                                                .deviceMask = 1},
                   &image));
    vkt_ok(vkWaitForFences(b.device, 1, &b.fence, VK_TRUE, UINT64_C(5000000000)));
    vkt_ok(vkResetFences(b.device, 1, &b.fence));
    vkt_ok(present(swapchain, image, VK_NULL_HANDLE));
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

static void replaced_swapchain_is_out_of_date(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    VkSwapchainKHR old = make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR), new;
    vkt_ok(frame(old, VK_NULL_HANDLE));
    vkt_ok(try_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR, old, &new));
    assert_int_equal(frame(old, VK_NULL_HANDLE), VK_ERROR_OUT_OF_DATE_KHR);
    vkt_ok(frame(new, VK_NULL_HANDLE));
    vkDestroySwapchainKHR(b.device, old, NULL);
    vkDestroySwapchainKHR(b.device, new, NULL);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

/* Some platforms report this size for a minimised window. It is an error, and the old swapchain stays valid and must be
 * destroyed. */
static void no_size_is_an_error(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    VkSwapchainKHR old = make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR), new;
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, VK_PRESENT_MODE_FIFO_KHR);
    vkt_ok(frame(old, VK_NULL_HANDLE));
    info.imageExtent = (VkExtent2D){0, 0};
    info.oldSwapchain = old;
    assert_int_equal(vkCreateSwapchainKHR(b.device, &info, NULL, &new), VK_ERROR_INITIALIZATION_FAILED);
    info.imageExtent = (VkExtent2D){WIDTH, HEIGHT};
    vkt_ok(vkCreateSwapchainKHR(b.device, &info, NULL, &new));
    vkt_ok(frame(new, VK_NULL_HANDLE));
    vkDestroySwapchainKHR(b.device, old, NULL);
    vkDestroySwapchainKHR(b.device, new, NULL);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

/* -- X11 ---------------------------------------------------------------------------------------------------------- */

struct window {
    pid_t server;
    char display[32];
    xcb_connection_t *connection;
    xcb_window_t window;
    VkSurfaceKHR surface;
};

/* Starts an X server, with or without MIT-SHM; false when there is no Xvfb. */
static bool start_server(struct window *w, bool shares_memory)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    w->server = fork();
    if (w->server == 0) {
        char number[16];
        snprintf(number, sizeof number, "%d", fds[1]);
        close(fds[0]);
        freopen("/dev/null", "w", stderr);
        execlp("Xvfb", "Xvfb", "-displayfd", number, "-screen", "0", "640x480x24", "-nolisten", "tcp", "-terminate",
               shares_memory ? (char *)NULL : "-extension", "MIT-SHM", (char *)NULL);
        _exit(127);
    }
    close(fds[1]);
    w->display[0] = ':';
    size_t used = 1;
    while (used < sizeof w->display - 1 && read(fds[0], &w->display[used], 1) == 1 && w->display[used] != '\n')
        used++;
    w->display[used] = 0;
    close(fds[0]);
    if (used == 1) {
        waitpid(w->server, NULL, 0);
        return false;
    }
    w->connection = xcb_connect(w->display, NULL);
    assert_int_equal(xcb_connection_has_error(w->connection), 0);
    return true;
}

/* Skips the running case where no X server starts. */
static void open_window(struct window *w, bool shares_memory)
{
    *w = (struct window){0};
    if (!start_server(w, shares_memory))
        vkt_skip("no X server: Xvfb did not start");
    xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(w->connection)).data;
    assert_true(vkGetPhysicalDeviceXcbPresentationSupportKHR(b.physical, 0, w->connection, screen->root_visual));
    assert_false(vkGetPhysicalDeviceXcbPresentationSupportKHR(b.physical, 0, w->connection, 0));
    w->window = xcb_generate_id(w->connection);
    xcb_create_window(w->connection, XCB_COPY_FROM_PARENT, w->window, screen->root, 0, 0, WIDTH, HEIGHT, 0,
                      XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(w->connection, w->window);
    xcb_flush(w->connection);
    const VkXcbSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
        .connection = w->connection,
        .window = w->window,
    };
    vkt_ok(vkCreateXcbSurfaceKHR(b.instance, &info, NULL, &w->surface));
}

static void close_window(struct window *w)
{
    vkDestroySurfaceKHR(b.instance, w->surface, NULL);
    xcb_disconnect(w->connection);
    kill(w->server, SIGTERM);
    waitpid(w->server, NULL, 0);
}

/* The window's pixels that are not 255, 51, 102. */
static uint32_t count_wrong_pixels(const struct window *w)
{
    xcb_get_image_reply_t *reply = xcb_get_image_reply(
        w->connection,
        xcb_get_image(w->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, w->window, 0, 0, WIDTH, HEIGHT, UINT32_MAX), NULL);
    assert_non_null(reply);
    uint32_t wrong = vkt_present_count_wrong(xcb_get_image_data(reply), WIDTH * HEIGHT);
    free(reply);
    return wrong;
}

/* Creates an image that is bound to the memory of a swapchain image. */
static VkImage image_in_memory_of(VkSwapchainKHR swapchain, uint32_t index)
{
    VkImage image;
    const VkImageSwapchainCreateInfoKHR of = {.sType = VK_STRUCTURE_TYPE_IMAGE_SWAPCHAIN_CREATE_INFO_KHR,
                                              .swapchain = swapchain};
    const VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .pNext = &of,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = VK_FORMAT_B8G8R8A8_UNORM,
        .extent = {WIDTH, HEIGHT, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    vkt_ok(vkCreateImage(b.device, &info, NULL, &image));
    const uint32_t device = 0;
    const VkBindImageMemoryDeviceGroupInfo devices = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_DEVICE_GROUP_INFO,
                                                      .deviceIndexCount = 1,
                                                      .pDeviceIndices = &device};
    const VkBindImageMemorySwapchainInfoKHR memory = {.sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR,
                                                      .pNext = &devices,
                                                      .swapchain = swapchain,
                                                      .imageIndex = index};
    const VkBindImageMemoryInfo bind = {
        .sType = VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, .pNext = &memory, .image = image};
    PFN_vkBindImageMemory2KHR bind_memory =
        (PFN_vkBindImageMemory2KHR)vkGetDeviceProcAddr(b.device, "vkBindImageMemory2KHR");
    vkt_ok(bind_memory(b.device, 1, &bind));
    return image;
}

enum images { SWAPCHAIN_IMAGES, OWN_IMAGES_IN_SWAPCHAIN_MEMORY, SWAPCHAIN_IMAGES_AS_SRGB };

/* Shows three frames of one color. */
static void present_frames_on(const struct window *w, VkSurfaceKHR surface, enum images which)
{
    const bool in_own_images = which == OWN_IMAGES_IN_SWAPCHAIN_MEMORY, as_srgb = which == SWAPCHAIN_IMAGES_AS_SRGB;
    VkSwapchainKHR swapchain =
        as_srgb ? make_mutable_swapchain(surface) : make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR);
    VkImage images[3];
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(b.device, swapchain, &count, images));
    for (uint32_t i = 0; i < 3 && in_own_images; i++)
        images[i] = image_in_memory_of(swapchain, i);
    struct vkt_present_clears clears;
    vkt_present_record_clears(&b, images, as_srgb ? VK_FORMAT_B8G8R8A8_SRGB : VK_FORMAT_B8G8R8A8_UNORM, &clears);
    assert_int_equal(count_wrong_pixels(w), WIDTH * HEIGHT);
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(frame(swapchain, clears.cmds[i])); /* images are acquired in turn */
    vkt_ok(vkDeviceWaitIdle(b.device));
    vkDestroySwapchainKHR(b.device, swapchain, NULL); /* shows what is queued first */
    assert_int_equal(count_wrong_pixels(w), 0);
    vkt_present_destroy_clears(&b, &clears);
    for (uint32_t i = 0; i < 3 && in_own_images; i++)
        vkDestroyImage(b.device, images[i], NULL);
}

static void present_frames(bool shares_memory, enum images which)
{
    struct window w;
    open_window(&w, shares_memory);
    present_frames_on(&w, w.surface, which);
    close_window(&w);
}

/* The same window, as an Xlib surface. */
static void pictures_arrive_by_xlib(void **state)
{
    struct window w;
    open_window(&w, true);
    Display *display = XOpenDisplay(w.display);
    assert_non_null(display);
    assert_true(vkGetPhysicalDeviceXlibPresentationSupportKHR(
        b.physical, 0, display, XVisualIDFromVisual(DefaultVisual(display, DefaultScreen(display)))));
    assert_false(vkGetPhysicalDeviceXlibPresentationSupportKHR(b.physical, 0, display, 0));
    const VkXlibSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, .dpy = display, .window = w.window};
    VkSurfaceKHR surface;
    vkt_ok(vkCreateXlibSurfaceKHR(b.instance, &info, NULL, &surface));
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, surface, &caps));
    assert_int_equal(caps.currentExtent.width, WIDTH);
    present_frames_on(&w, surface, SWAPCHAIN_IMAGES);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
    assert_int_equal(XPending(display), 0);
    XCloseDisplay(display);
    close_window(&w);
}

static void pictures_arrive(void **state)
{
    present_frames(true, SWAPCHAIN_IMAGES);
}

static void pictures_arrive_without_shared_memory(void **state)
{
    present_frames(false, SWAPCHAIN_IMAGES);
}

static void pictures_arrive_from_images_in_its_memory(void **state)
{
    present_frames(true, OWN_IMAGES_IN_SWAPCHAIN_MEMORY);
}

static void pictures_arrive_from_views_of_other_formats(void **state)
{
    present_frames(true, SWAPCHAIN_IMAGES_AS_SRGB);
}

/* Shaders sample swapchain images, read them as input attachments, and read and write them as storage images. */
static void images_can_be_used_by_programs(void **state)
{
    const VkExtent2D extent = {WIDTH, HEIGHT};
    struct window w;
    open_window(&w, true);
    xcb_change_window_attributes(w.connection, w.window, XCB_CW_BACK_PIXEL, &(uint32_t){0});
    for (int stores = 0; stores < 2; stores++) {
        assert_int_equal(count_wrong_pixels(&w), WIDTH * HEIGHT);
        vkt_present_show_uses(&b, w.surface, extent, stores, 4);
        assert_int_equal(count_wrong_pixels(&w), 0);
        xcb_clear_area(w.connection, 0, w.window, 0, 0, 0, 0);
    }
    close_window(&w);
}

static void images_can_be_used_by_programs_by_xlib(void **state)
{
    const VkExtent2D extent = {WIDTH, HEIGHT};
    struct window w;
    open_window(&w, true);
    Display *display = XOpenDisplay(w.display);
    assert_non_null(display);
    const VkXlibSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, .dpy = display, .window = w.window};
    VkSurfaceKHR surface;
    vkt_ok(vkCreateXlibSurfaceKHR(b.instance, &info, NULL, &surface));
    vkt_present_show_uses(&b, surface, extent, true, 4);
    assert_int_equal(count_wrong_pixels(&w), 0);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
    XCloseDisplay(display);
    close_window(&w);
}

/* Counts the wrong pixels of a PPM file. */
static uint32_t count_wrong_pixels_of_file(const char *path)
{
    uint8_t rgb[3], bgrx[4] = {0};
    unsigned width, height, most;
    uint32_t wrong = 0;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "P6 %u %u %u", &width, &height, &most), 3);
    fgetc(file);
    assert_true(width == WIDTH && height == HEIGHT && most == 255);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        assert_int_equal(fread(rgb, 1, sizeof rgb, file), sizeof rgb);
        for (uint32_t c = 0; c < 3; c++)
            bgrx[c] = rgb[2 - c];
        wrong += vkt_present_count_wrong(bgrx, 1);
    }
    fclose(file);
    return wrong;
}

static void headless_images_can_be_used_by_programs(void **state)
{
    char folder[] = "/tmp/vkt_uses_XXXXXX", path[300];
    assert_non_null(mkdtemp(folder));
    setenv("VC4VK_SHOWN", folder, 1);
    VkSurfaceKHR surface = headless_surface();
    for (int stores = 0; stores < 2; stores++)
        vkt_present_show_uses(&b, surface, (VkExtent2D){WIDTH, HEIGHT}, stores, 4);
    unsetenv("VC4VK_SHOWN");
    vkDestroySurfaceKHR(b.instance, surface, NULL);
    uint32_t files = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_int_equal(count_wrong_pixels_of_file(path), 0);
        unlink(path);
        files++;
    }
    closedir(dir);
    assert_int_equal(files, 8);
    assert_int_equal(rmdir(folder), 0);
}

/* Each of three presents writes a file, numbered by the device's presents; the driver reads the variable at each
 * present. */
static void shown_pictures_are_files(void **state)
{
    char folder[] = "/tmp/vkt_shown_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    setenv("VC4VK_SHOWN", folder, 1);
    VkSurfaceKHR surface = headless_surface();
    VkSwapchainKHR swapchain = make_swapchain(surface, VK_PRESENT_MODE_FIFO_KHR);
    VkImage images[3];
    uint32_t count = 3, files = 0;
    vkt_ok(vkGetSwapchainImagesKHR(b.device, swapchain, &count, images));
    struct vkt_present_clears clears;
    vkt_present_record_clears(&b, images, VK_FORMAT_B8G8R8A8_UNORM, &clears);
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(frame(swapchain, clears.cmds[i]));
    vkt_ok(vkDeviceWaitIdle(b.device));
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    unsetenv("VC4VK_SHOWN");
    for (uint32_t number = 1; number < 10000; number++) {
        snprintf(path, sizeof path, "%s/frame_%u.ppm", folder, number);
        FILE *file = fopen(path, "rb");
        if (!file)
            continue;
        unsigned width, height, most, rgb[3];
        assert_int_equal(fscanf(file, "P6 %u %u %u", &width, &height, &most), 3);
        for (uint32_t i = 0; i < 4; i++) { /* the newline and the first pixel */
            const int byte = fgetc(file);
            if (i)
                rgb[i - 1] = (unsigned)byte;
        }
        assert_true(width == WIDTH && height == HEIGHT && most == 255);
        assert_true(rgb[0] == 255 && rgb[1] == 51 && rgb[2] == 102);
        fseek(file, 0, SEEK_END);
        assert_int_equal(ftell(file), sizeof "P6\n96 64\n255\n" - 1 + 3 * WIDTH * HEIGHT);
        fclose(file);
        unlink(path);
        files++;
    }
    assert_int_equal(files, 3);
    assert_int_equal(rmdir(folder), 0);
    vkt_present_destroy_clears(&b, &clears);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

static void headless_frames_can_be_waited_for(void **state)
{
    VkSurfaceKHR surface = headless_surface();
    vkt_present_check_waits(&b, surface, (VkExtent2D){WIDTH, HEIGHT}, true);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
}

static void frames_can_be_waited_for(void **state)
{
    for (int shares_memory = 0; shares_memory < 2; shares_memory++) {
        struct window w;
        open_window(&w, shares_memory);
        vkt_present_check_waits(&b, w.surface, (VkExtent2D){WIDTH, HEIGHT}, true);
        assert_null(xcb_poll_for_event(w.connection));
        close_window(&w);
    }
}

/* An image that is smaller than the window appears in its upper left corner, and nothing else changes. */
static void small_images_are_not_scaled(void **state)
{
    struct window w;
    open_window(&w, true);
    xcb_change_window_attributes(w.connection, w.window, XCB_CW_BACK_PIXEL, &(uint32_t){0});
    xcb_clear_area(w.connection, 0, w.window, 0, 0, 0, 0);
    const VkSwapchainPresentScalingCreateInfoEXT unscaled = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_SCALING_CREATE_INFO_EXT,
        .scalingBehavior = VK_PRESENT_SCALING_ONE_TO_ONE_BIT_EXT,
        .presentGravityX = VK_PRESENT_GRAVITY_MIN_BIT_EXT,
        .presentGravityY = VK_PRESENT_GRAVITY_MIN_BIT_EXT};
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(w.surface, VK_PRESENT_MODE_FIFO_KHR);
    info.pNext = &unscaled;
    info.imageExtent = (VkExtent2D){WIDTH / 2, HEIGHT / 2};
    VkSwapchainKHR swapchain;
    vkt_ok(vkCreateSwapchainKHR(b.device, &info, NULL, &swapchain));
    VkImage images[3];
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(b.device, swapchain, &count, images));
    VkCommandPool pool;
    VkCommandBuffer cmds[3];
    vkt_ok(vkCreateCommandPool(
        b.device, &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO}, NULL, &pool));
    vkt_ok(vkAllocateCommandBuffers(
        b.device,
        &(VkCommandBufferAllocateInfo){
            .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 3},
        cmds));
    for (uint32_t i = 0; i < 3; i++) {
        const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkt_ok(vkBeginCommandBuffer(cmds[i],
                                    &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO}));
        vkCmdClearColorImage(cmds[i], images[i], VK_IMAGE_LAYOUT_GENERAL, &(VkClearColorValue){{1, 0.2f, 0.4f, 1}}, 1,
                             &range);
        vkt_ok(vkEndCommandBuffer(cmds[i]));
    }
    const VkResult result = vkt_present_frame_of(&b, swapchain, cmds, NULL);
    assert_true(result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR);
    vkt_ok(vkDeviceWaitIdle(b.device));
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    assert_int_equal(count_wrong_pixels(&w), WIDTH * HEIGHT * 3 / 4);
    vkDestroyCommandPool(b.device, pool, NULL);
    close_window(&w);
}

static void resized_window_is_suboptimal(void **state)
{
    struct window w;
    open_window(&w, true);
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, w.surface, &caps));
    assert_int_equal(caps.currentExtent.width, WIDTH);
    assert_int_equal(caps.currentExtent.height, HEIGHT);
    VkSwapchainKHR swapchain = make_swapchain(w.surface, VK_PRESENT_MODE_IMMEDIATE_KHR);
    for (int i = 0; i < 10; i++)
        vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    const uint32_t size[] = {200, 150};
    xcb_configure_window(w.connection, w.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    xcb_flush(w.connection);
    assert_int_equal(vkt_present_until_failure(&b, swapchain), VK_SUBOPTIMAL_KHR);
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, w.surface, &caps));
    assert_int_equal(caps.currentExtent.width, 200);
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    assert_null(xcb_poll_for_event(w.connection)); /* the driver leaves no events in the application's connection */
    close_window(&w);
}

static uint32_t count_descriptors(void)
{
    uint32_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static uint64_t resident_B(void)
{
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %llu", &pages), 1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Resizes the window, replaces the swapchain and presents one frame. */
static void resize(struct window *w, VkSwapchainKHR *swapchain, uint32_t step)
{
    const uint32_t size[] = {40 + step % 160, 30 + step % 110};
    xcb_configure_window(w->connection, w->window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    xcb_flush(w->connection);
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(w->surface, VK_PRESENT_MODE_IMMEDIATE_KHR);
    info.imageExtent = (VkExtent2D){size[0], size[1]};
    info.oldSwapchain = *swapchain;
    vkt_ok(vkCreateSwapchainKHR(b.device, &info, NULL, swapchain));
    vkDestroySwapchainKHR(b.device, info.oldSwapchain, NULL);
    VkResult result = frame(*swapchain, VK_NULL_HANDLE);
    assert_true(result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR);
}

static void resizes_leak_nothing(void **state)
{
#if defined(__SANITIZE_THREAD__)
    vkt_skip("ThreadSanitizer keeps memory for every thread that has ever run");
#endif
    const char *fuzz = getenv("VKT_FUZZ");
    const bool is_full = fuzz && !strcmp(fuzz, "full");
    /* The caches have all sizes after the warm-up. */
    const uint32_t count = is_full ? 10000 : 300, warmup_count = is_full ? 2000 : 100;
    struct window w;
    open_window(&w, true);
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < warmup_count; i++)
        resize(&w, &swapchain, i);
    const uint32_t descriptors = count_descriptors();
    const uint64_t before_B = resident_B();
    for (uint32_t i = 0; i < count; i++)
        resize(&w, &swapchain, i);
    vkt_ok(vkDeviceWaitIdle(b.device));
    assert_in_range(count_descriptors(), 0, descriptors + 1);
    const uint64_t after_B = resident_B();
    print_message("# %u resizes: %.1f MiB resident before, %.1f after\n", count, (double)before_B / 1048576,
                  (double)after_B / 1048576);
    assert_true(after_B < before_B + (8u << 20)); /* with 10,000 resizes a leak of 1 KiB each fails */
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    close_window(&w);
}

static void destroyed_window_is_lost(void **state)
{
    struct window w;
    open_window(&w, true);
    VkSwapchainKHR swapchain = make_swapchain(w.surface, VK_PRESENT_MODE_FIFO_KHR);
    vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    xcb_destroy_window(w.connection, w.window);
    xcb_flush(w.connection);
    assert_int_equal(vkt_present_until_failure(&b, swapchain), VK_ERROR_SURFACE_LOST_KHR);
    VkSurfaceCapabilitiesKHR caps;
    assert_int_equal(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, w.surface, &caps),
                     VK_ERROR_SURFACE_LOST_KHR);
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    assert_null(xcb_poll_for_event(w.connection));
    close_window(&w);
}

/* Kills the server while frames are in flight. */
static void *kill_server_soon(void *arg)
{
    sleep_ms(30);
    kill(*(const pid_t *)arg, SIGKILL);
    return NULL;
}

static void lose_server(const struct window *w, VkSurfaceKHR surface, VkPresentModeKHR mode)
{
    VkSwapchainKHR swapchain = make_swapchain(surface, mode), other;
    pthread_t killer;
    pid_t server = w->server;
    vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    assert_int_equal(pthread_create(&killer, NULL, kill_server_soon, &server), 0);
    assert_int_equal(vkt_present_until_failure(&b, swapchain), VK_ERROR_SURFACE_LOST_KHR);
    pthread_join(killer, NULL);
    assert_int_equal(try_swapchain(surface, mode, VK_NULL_HANDLE, &other), VK_ERROR_SURFACE_LOST_KHR);
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
}

static void dead_server_is_lost(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                             VK_PRESENT_MODE_IMMEDIATE_KHR};
    for (uint32_t i = 0; i < VKT_COUNT(modes); i++) {
        struct window w;
        open_window(&w, i != 1); /* once without MIT-SHM */
        lose_server(&w, w.surface, modes[i]);
        close_window(&w);
    }
}

static int on_io_error(Display *display)
{
    return 0;
}

static void on_io_error_exit(Display *display, void *data)
{
}

/* Xlib ends the process when its connection breaks; the handlers set here prevent that, and the driver must not end
 * it. */
static void dead_server_is_lost_by_xlib(void **state)
{
    struct window w;
    open_window(&w, true);
    Display *display = XOpenDisplay(w.display);
    assert_non_null(display);
    XIOErrorHandler before = XSetIOErrorHandler(on_io_error);
    XSetIOErrorExitHandler(display, on_io_error_exit, NULL);
    const VkXlibSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, .dpy = display, .window = w.window};
    VkSurfaceKHR surface;
    vkt_ok(vkCreateXlibSurfaceKHR(b.instance, &info, NULL, &surface));
    lose_server(&w, surface, VK_PRESENT_MODE_FIFO_KHR);
    vkDestroySurfaceKHR(b.instance, surface, NULL);
    XCloseDisplay(display);
    XSetIOErrorHandler(before);
    close_window(&w);
}

/* A minimised window still accepts frames. */
static void unmapped_window_goes_on(void **state)
{
    struct window w;
    open_window(&w, true);
    VkSwapchainKHR swapchain = make_swapchain(w.surface, VK_PRESENT_MODE_FIFO_KHR);
    vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    xcb_unmap_window(w.connection, w.window);
    xcb_flush(w.connection);
    for (int i = 0; i < 20; i++)
        vkt_ok(frame(swapchain, VK_NULL_HANDLE));
    VkSurfaceCapabilitiesKHR caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(b.physical, w.surface, &caps));
    assert_int_equal(caps.currentExtent.width, WIDTH);
    vkDestroySwapchainKHR(b.device, swapchain, NULL);
    assert_null(xcb_poll_for_event(w.connection));
    close_window(&w);
}

/* -- two windows from two threads --------------------------------------------------------------------------------- */

struct window_thread {
    struct vkt_present device;
    struct window *window;
    uint32_t wrong, failures;
};

/* No assertions here: cmocka supports them on its own thread only. */
static void *present_many(void *arg)
{
    struct window_thread *t = arg;
    const struct vkt_present *p = &t->device;
    for (uint32_t round = 0; round < 3; round++) {
        VkSwapchainKHR swapchain;
        VkImage images[3];
        uint32_t count = 3;
        struct vkt_present_clears clears;
        if (vkt_try_swapchain(p, t->window->surface, VK_PRESENT_MODE_MAILBOX_KHR, VK_NULL_HANDLE, &swapchain) ||
            vkGetSwapchainImagesKHR(p->device, swapchain, &count, images)) {
            t->failures++;
            return NULL;
        }
        vkt_present_record_clears(p, images, VK_FORMAT_B8G8R8A8_UNORM, &clears);
        for (uint32_t i = 0; i < 40; i++) {
            t->failures += vkt_present_frame(p, swapchain, VK_NULL_HANDLE, NULL) != VK_SUCCESS;
            t->failures += vkQueueWaitIdle(p->queue) != VK_SUCCESS;
        }
        for (uint32_t i = 0; i < 3; i++) { /* whichever image is shown last has the color */
            uint32_t image;
            const VkFence fence = p->fence;
            t->failures += vkAcquireNextImageKHR(p->device, swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &image) < 0;
            t->failures += vkWaitForFences(p->device, 1, &fence, VK_TRUE, UINT64_MAX) != VK_SUCCESS;
            t->failures += vkResetFences(p->device, 1, &fence) != VK_SUCCESS;
            const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                         .commandBufferCount = 1,
                                         .pCommandBuffers = &clears.cmds[image],
                                         .signalSemaphoreCount = 1,
                                         .pSignalSemaphores = &p->rendered};
            t->failures += vkQueueSubmit(p->queue, 1, &submit, VK_NULL_HANDLE) != VK_SUCCESS;
            t->failures += vkt_present_image(p, swapchain, image, p->rendered, NULL) != VK_SUCCESS;
        }
        t->failures += vkQueueWaitIdle(p->queue) != VK_SUCCESS;
        vkDestroySwapchainKHR(p->device, swapchain, NULL);
        vkt_present_destroy_clears(p, &clears);
        t->wrong += count_wrong_pixels(t->window);
    }
    return NULL;
}

static void two_windows_from_two_threads(void **state)
{
    struct window windows[2];
    struct window_thread threads[2] = {{.device = b, .window = &windows[0]},
                                       {.device = vkt_present_for_thread(&b), .window = &windows[1]}};
    pthread_t ids[2];
    for (uint32_t i = 0; i < 2; i++)
        open_window(&windows[i], true);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&ids[i], NULL, present_many, &threads[i]), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(ids[i], NULL);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(threads[i].failures, 0);
        assert_int_equal(threads[i].wrong, 0);
        close_window(&windows[i]);
    }
    vkt_present_destroy_sync(&threads[1].device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surface_says_what_it_can),
        cmocka_unit_test(fifo_follows_the_clock),
        cmocka_unit_test(immediate_does_not_wait),
        cmocka_unit_test(mailbox_takes_the_newest),
        cmocka_unit_test(idle_application_uses_no_cpu),
        cmocka_unit_test(acquire_times_out),
        cmocka_unit_test(replaced_swapchain_is_out_of_date),
        cmocka_unit_test(pictures_arrive),
        cmocka_unit_test(pictures_arrive_without_shared_memory),
        cmocka_unit_test(pictures_arrive_from_images_in_its_memory),
        cmocka_unit_test(pictures_arrive_from_views_of_other_formats),
        cmocka_unit_test(pictures_arrive_by_xlib),
        cmocka_unit_test(images_can_be_used_by_programs),
        cmocka_unit_test(images_can_be_used_by_programs_by_xlib),
        cmocka_unit_test(headless_images_can_be_used_by_programs),
        cmocka_unit_test(shown_pictures_are_files),
        cmocka_unit_test(a_group_of_one_presents),
        cmocka_unit_test(headless_frames_can_be_waited_for),
        cmocka_unit_test(frames_can_be_waited_for),
        cmocka_unit_test(small_images_are_not_scaled),
        cmocka_unit_test(resized_window_is_suboptimal),
        cmocka_unit_test(resizes_leak_nothing),
        cmocka_unit_test(destroyed_window_is_lost),
        cmocka_unit_test(dead_server_is_lost),
        cmocka_unit_test(dead_server_is_lost_by_xlib),
        cmocka_unit_test(unmapped_window_goes_on),
        cmocka_unit_test(two_windows_from_two_threads),
        cmocka_unit_test(no_size_is_an_error),
    };
    return cmocka_run_group_tests_name("present", tests, open_device, close_device);
}
