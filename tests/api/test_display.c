/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_display and what belongs to it, through the loader, on the display of the DRM shim (shim/shim_screen.h): what
 * is there; a picture per mode, compared word for word with what the display shows; FIFO at the display's pace and
 * nothing torn; a replaced swapchain and one too many; a display that is pulled out; another program that takes the
 * display and gives it back; an open file of the application's own; and what was shown before comes back.
 *
 * Without the shim there is nothing to show on, and the one test that is left asks which displays there are.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>
#include "shim/shim_screen.h"
#include "vkt_present.h"

#define MAX_MODES 16u
#define NODE      "/dev/dri/card0"

static struct vkt_present p;
static vc4_shim_read_screen_fn read_screen;
static vc4_shim_plug_fn plug;
static vc4_shim_take_master_fn take_master;

static int open_device(void **state)
{
    static const char *const extensions[] = {
        VK_KHR_DISPLAY_EXTENSION_NAME, VK_KHR_GET_DISPLAY_PROPERTIES_2_EXTENSION_NAME,
        VK_EXT_DIRECT_MODE_DISPLAY_EXTENSION_NAME, VK_EXT_ACQUIRE_DRM_DISPLAY_EXTENSION_NAME,
        VK_EXT_SWAPCHAIN_COLOR_SPACE_EXTENSION_NAME};
    vkt_present_open(&p, extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_present_close(&p);
    return 0;
}

static struct vc4_shim_screen look(void)
{
    struct vc4_shim_screen screen;
    read_screen(&screen, NULL, 0);
    return screen;
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void sleep_ms(uint32_t time_ms)
{
    nanosleep(&(struct timespec){.tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000L}, NULL);
}

#define INSTANCE_FUNCTION(name)                                                                                        \
    PFN_##name name##_ = (PFN_##name)vkGetInstanceProcAddr(p.instance, #name);                                         \
    assert_non_null(name##_)

/* -- displays and swapchains -------------------------------------------------------------------------------------- */

static VkDisplayKHR the_display(void)
{
    VkDisplayPropertiesKHR properties;
    uint32_t count = 1;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(p.physical, &count, &properties));
    assert_int_equal(count, 1);
    return properties.display;
}

static uint32_t modes_of(VkDisplayKHR display, VkDisplayModePropertiesKHR modes[MAX_MODES])
{
    uint32_t count = MAX_MODES;
    vkt_ok(vkGetDisplayModePropertiesKHR(p.physical, display, &count, modes));
    return count;
}

/* The smallest at 60 Hz. */
static VkDisplayModePropertiesKHR small_mode(VkDisplayKHR display)
{
    VkDisplayModePropertiesKHR modes[MAX_MODES];
    uint32_t count = modes_of(display, modes), best = 0;
    for (uint32_t i = 0; i < count; i++)
        if (modes[i].parameters.visibleRegion.width <= modes[best].parameters.visibleRegion.width &&
            modes[i].parameters.refreshRate < 61000)
            best = i;
    return modes[best];
}

static VkSurfaceKHR make_surface(VkDisplayModePropertiesKHR mode)
{
    const VkDisplaySurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_DISPLAY_SURFACE_CREATE_INFO_KHR,
        .displayMode = mode.displayMode,
        .transform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .alphaMode = VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR,
        .imageExtent = mode.parameters.visibleRegion,
    };
    VkSurfaceKHR surface;
    vkt_ok(vkCreateDisplayPlaneSurfaceKHR(p.instance, &info, NULL, &surface));
    return surface;
}

static VkResult try_swapchain(VkSurfaceKHR surface, VkExtent2D extent, VkPresentModeKHR mode, VkSwapchainKHR old,
                              VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(surface, mode);
    info.imageExtent = extent;
    info.oldSwapchain = old;
    return vkCreateSwapchainKHR(p.device, &info, NULL, out);
}

static void check_is_refused(VkDisplayModePropertiesKHR mode, VkResult why)
{
    VkSurfaceKHR surface = make_surface(mode);
    VkSwapchainKHR swapchain;
    assert_int_equal(
        try_swapchain(surface, mode.parameters.visibleRegion, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &swapchain),
        why);
    vkDestroySurfaceKHR(p.instance, surface, NULL);
}

/* -- pictures ----------------------------------------------------------------------------------------------------- */

/* A swapchain whose pictures are told apart by a seed. */
struct show {
    struct vkt t;
    VkExtent2D extent;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkImage images[3];
    struct vkt_buffer pixels;
    VkCommandBuffer cmd;
};

static uint32_t pixel_of(uint32_t x, uint32_t y, uint32_t seed)
{
    return (x * 3 + seed * 16) % 256 << 16 | (y * 5 + seed) % 256 << 8 | (x ^ y ^ seed) % 256;
}

static void take_images(struct show *s)
{
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(p.device, s->swapchain, &count, s->images));
}

static void open_show(struct show *s, VkDisplayModePropertiesKHR mode, VkPresentModeKHR present_mode)
{
    *s = (struct show){.t = {.instance = p.instance, .physical = p.physical, .device = p.device, .queue = p.queue}};
    vkGetPhysicalDeviceMemoryProperties(p.physical, &s->t.memory);
    s->extent = mode.parameters.visibleRegion;
    s->surface = make_surface(mode);
    vkt_ok(try_swapchain(s->surface, s->extent, present_mode, VK_NULL_HANDLE, &s->swapchain));
    take_images(s);
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    vkt_ok(vkCreateCommandPool(p.device, &pool_info, NULL, &s->t.pool));
    const VkCommandBufferAllocateInfo alloc_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = s->t.pool, .commandBufferCount = 1};
    vkt_ok(vkAllocateCommandBuffers(p.device, &alloc_info, &s->cmd));
    s->pixels =
        vkt_buffer_create(&s->t, s->extent.width * s->extent.height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, NULL);
}

/* Nothing to do where that has been done. */
static void close_show(struct show *s)
{
    if (!s->t.pool)
        return;
    vkt_ok(vkDeviceWaitIdle(p.device));
    vkDestroySwapchainKHR(p.device, s->swapchain, NULL);
    vkDestroySurfaceKHR(p.instance, s->surface, NULL);
    vkt_buffer_destroy(&s->t, &s->pixels);
    vkDestroyCommandPool(p.device, s->t.pool, NULL);
    *s = (struct show){0};
}

static void record(struct show *s, VkImage image, uint32_t seed)
{
    uint32_t *pixels = s->pixels.map;
    for (uint32_t y = 0; y < s->extent.height; y++)
        for (uint32_t x = 0; x < s->extent.width; x++)
            pixels[y * s->extent.width + x] = pixel_of(x, y, seed);
    vkt_present_record_copy(s->cmd, s->pixels.buffer, image, s->extent);
}

static VkResult show_picture(struct show *s, uint32_t seed)
{
    uint32_t image;
    VkResult result =
        vkAcquireNextImageKHR(p.device, s->swapchain, UINT64_C(5000000000), p.acquired, VK_NULL_HANDLE, &image);
    if (result != VK_SUCCESS)
        return result;
    record(s, s->images[image], seed);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &p.acquired,
        .pWaitDstStageMask = &stage,
        .commandBufferCount = 1,
        .pCommandBuffers = &s->cmd,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &p.rendered,
    };
    vkt_ok(vkQueueSubmit(p.queue, 1, &submit, VK_NULL_HANDLE));
    result = vkt_present_image(&p, s->swapchain, image, p.rendered, NULL);
    vkt_ok(vkQueueWaitIdle(p.queue)); /* buffers and commands come again */
    return result;
}

static uint32_t count_wrong(const struct show *s, uint32_t seed)
{
    const uint32_t words = s->extent.width * s->extent.height;
    uint32_t *seen = malloc((size_t)words * 4), wrong = 0;
    assert_non_null(seen);
    struct vc4_shim_screen screen;
    read_screen(&screen, seen, words);
    if (!screen.is_on || screen.width_px != s->extent.width || screen.height_px != s->extent.height)
        wrong = words;
    for (uint32_t i = 0; i < words && wrong != words; i++)
        wrong += (seen[i] & 0xffffff) != pixel_of(i % s->extent.width, i / s->extent.width, seed);
    free(seen);
    return wrong;
}

/* What is presented is seen soon after. */
static void check_is_shown(const struct show *s, uint32_t seed)
{
    uint32_t wrong = 1;
    for (uint32_t tries = 0; tries < 100 && wrong; tries++) {
        sleep_ms(tries ? 20 : 0);
        wrong = count_wrong(s, seed);
    }
    if (wrong)
        fail_msg("%u of %u pixels are wrong", wrong, s->extent.width * s->extent.height);
}

static void show_and_check(struct show *s, uint32_t seed)
{
    vkt_ok(show_picture(s, seed));
    check_is_shown(s, seed);
}

/* -- fixtures: a swapchain that shows a first picture, of seed 0, in the small mode ------------------------------- */

static int set_up(VkPresentModeKHR mode, void **state)
{
    static struct show show;
    open_show(&show, small_mode(the_display()), mode);
    show_and_check(&show, 0);
    *state = &show;
    return 0;
}

static int set_up_fifo(void **state)
{
    return set_up(VK_PRESENT_MODE_FIFO_KHR, state);
}

static int set_up_mailbox(void **state)
{
    return set_up(VK_PRESENT_MODE_MAILBOX_KHR, state);
}

static int tear_down(void **state)
{
    close_show(*state);
    plug(true);
    take_master(false);
    return 0;
}

/* -- what there is ------------------------------------------------------------------------------------------------ */

static void displays_are_counted(void **state)
{
    uint32_t count = 99;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(p.physical, &count, NULL));
    assert_true(count < 99);
    if (read_screen)
        assert_int_equal(count, 1);
}

static void display_says_what_it_is(void **state)
{
    VkDisplayPropertiesKHR properties;
    uint32_t count = 1;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(p.physical, &count, &properties));
    assert_string_equal(properties.displayName, "HDMI-A-1");
    assert_int_equal(properties.physicalDimensions.width, 510);
    assert_int_equal(properties.physicalResolution.width, 1280);
    assert_int_equal(properties.supportedTransforms, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR);
    INSTANCE_FUNCTION(vkGetPhysicalDeviceDisplayProperties2KHR);
    VkDisplayProperties2KHR properties2 = {.sType = VK_STRUCTURE_TYPE_DISPLAY_PROPERTIES_2_KHR};
    vkt_ok(vkGetPhysicalDeviceDisplayProperties2KHR_(p.physical, &count, &properties2));
    assert_true(properties2.displayProperties.display == properties.display);
    assert_string_equal(properties2.displayProperties.displayName, "HDMI-A-1");
    count = 0;
    assert_int_equal(vkGetPhysicalDeviceDisplayPropertiesKHR(p.physical, &count, &properties), VK_INCOMPLETE);
}

static void modes_are_the_displays(void **state)
{
    VkDisplayKHR display = the_display();
    VkDisplayModePropertiesKHR modes[MAX_MODES], again[MAX_MODES];
    uint32_t count = modes_of(display, modes);
    assert_int_equal(count, 6);
    assert_int_equal(modes_of(display, again), 6);
    for (uint32_t i = 0; i < count; i++)
        assert_true(modes[i].displayMode == again[i].displayMode);
    assert_int_equal(modes[0].parameters.visibleRegion.width, 1280);
    assert_int_equal(modes[0].parameters.refreshRate, 60000);
    assert_int_equal(modes[5].parameters.refreshRate, 59940);
    INSTANCE_FUNCTION(vkGetDisplayModeProperties2KHR);
    VkDisplayModeProperties2KHR modes2[2] = {{.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR},
                                             {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR}};
    count = 2;
    assert_int_equal(vkGetDisplayModeProperties2KHR_(p.physical, display, &count, modes2), VK_INCOMPLETE);
    assert_true(modes2[1].displayModeProperties.displayMode == modes[1].displayMode);
    assert_int_equal(modes2[1].displayModeProperties.parameters.visibleRegion.width, 1920);
    VkDisplayModeCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR,
                                       .parameters = modes[3].parameters};
    VkDisplayModeKHR mode;
    vkt_ok(vkCreateDisplayModeKHR(p.physical, display, &info, NULL, &mode));
    assert_true(mode == modes[3].displayMode);
    info.parameters.refreshRate = 12345;
    assert_int_equal(vkCreateDisplayModeKHR(p.physical, display, &info, NULL, &mode), VK_ERROR_INITIALIZATION_FAILED);
}

static void plane_shows_whole_pictures(void **state)
{
    VkDisplayPlanePropertiesKHR plane;
    VkDisplayKHR display = the_display(), able = VK_NULL_HANDLE;
    uint32_t count = 8;
    vkt_ok(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(p.physical, &count, &plane));
    assert_int_equal(count, 1);
    assert_true(plane.currentDisplay == VK_NULL_HANDLE);
    count = 1;
    vkt_ok(vkGetDisplayPlaneSupportedDisplaysKHR(p.physical, 0, &count, &able));
    assert_int_equal(count, 1);
    assert_true(able == display);
    VkDisplayModePropertiesKHR mode = small_mode(display);
    VkDisplayPlaneCapabilitiesKHR caps;
    vkt_ok(vkGetDisplayPlaneCapabilitiesKHR(p.physical, mode.displayMode, 0, &caps));
    assert_int_equal(caps.supportedAlpha, VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR);
    assert_int_equal(caps.maxSrcExtent.width, mode.parameters.visibleRegion.width);
    assert_int_equal(caps.minDstExtent.height, mode.parameters.visibleRegion.height);
    VkSurfaceKHR surface = make_surface(mode);
    VkSurfaceCapabilitiesKHR surface_caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(p.physical, surface, &surface_caps));
    assert_int_equal(surface_caps.currentExtent.width, mode.parameters.visibleRegion.width);
    VkPresentModeKHR modes[8];
    count = VKT_COUNT(modes);
    vkt_ok(vkGetPhysicalDeviceSurfacePresentModesKHR(p.physical, surface, &count, modes));
    assert_int_equal(count, 2); /* none that may tear */
    assert_int_equal(modes[0], VK_PRESENT_MODE_FIFO_KHR);
    assert_int_equal(modes[1], VK_PRESENT_MODE_MAILBOX_KHR);
    vkDestroySurfaceKHR(p.instance, surface, NULL);
}

/* -- pictures ----------------------------------------------------------------------------------------------------- */

static void every_mode_shows_pictures(void **state)
{
    VkDisplayKHR display = the_display();
    VkDisplayModePropertiesKHR modes[MAX_MODES];
    uint32_t count = modes_of(display, modes);
    for (uint32_t i = 0; i < count; i++) {
        struct show s;
        open_show(&s, modes[i], VK_PRESENT_MODE_FIFO_KHR);
        for (uint32_t seed = 1; seed <= 2; seed++)
            vkt_ok(show_picture(&s, i * 10 + seed));
        check_is_shown(&s, i * 10 + 2);
        assert_in_range(look().refresh_mhz, modes[i].parameters.refreshRate - 20, modes[i].parameters.refreshRate + 20);
        VkDisplayPlanePropertiesKHR plane;
        uint32_t planes = 1;
        vkt_ok(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(p.physical, &planes, &plane));
        assert_true(plane.currentDisplay == display);
        close_show(&s);
        assert_false(look().is_on);
    }
    assert_int_equal(look().torn, 0);
}

/* On the chip the display reads the swapchain's images; where somebody else renders, they are copied. */
static void chips_images_are_shown_as_they_are(void **state)
{
    const char *device = getenv("VC4VK_DEVICE");
    const bool is_chip = device && !strcmp(device, "drm");
    const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
    for (uint32_t i = 0; i < 2; i++) {
        struct show s;
        const uint64_t before = look().dumb_buffers;
        open_show(&s, small_mode(the_display()), modes[i]);
        for (uint32_t seed = 0; seed < 5; seed++)
            show_and_check(&s, seed);
        close_show(&s);
        assert_int_equal(look().dumb_buffers - before, is_chip && !i ? 0 : 3);
    }
    assert_int_equal(look().torn, 0);
}

/* Each picture is seen for a whole period at least. */
static void fifo_follows_the_display(void **state)
{
    struct show *s = *state;
    const struct vc4_shim_screen before = look();
    const double start_s = now_s();
    for (uint32_t i = 1; i <= 40; i++)
        vkt_ok(show_picture(s, i));
    check_is_shown(s, 40);
    const struct vc4_shim_screen after = look();
    assert_int_equal(after.flips - before.flips, 40); /* none is passed over */
    assert_true(after.vblanks - before.vblanks >= 40);
    assert_true(now_s() - start_s > 39 / 61.0);
    assert_int_equal(after.modesets, before.modesets);
    assert_int_equal(after.torn, 0);
}

/* As fast as the application makes them: one picture at each vertical blank, the last one at the end. */
static void mailbox_shows_the_newest(void **state)
{
    struct show *s = *state;
    const struct vc4_shim_screen before = look();
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t image;
        vkt_ok(vkAcquireNextImageKHR(p.device, s->swapchain, UINT64_C(5000000000), VK_NULL_HANDLE, p.fence, &image));
        vkt_ok(vkWaitForFences(p.device, 1, &p.fence, VK_TRUE, UINT64_C(5000000000)));
        vkt_ok(vkResetFences(p.device, 1, &p.fence));
        vkt_ok(vkt_present_image(&p, s->swapchain, image, VK_NULL_HANDLE, NULL));
    }
    show_and_check(s, 77);
    const struct vc4_shim_screen after = look();
    assert_true(after.flips - before.flips <= after.vblanks - before.vblanks);
    assert_true(after.flips - before.flips < 200); /* some are passed over */
    assert_int_equal(after.torn, 0);
}

/* The color space of the application's own choice, and no other, beside sRGB. */
static void colors_are_passed_through(void **state)
{
    struct show *s = *state;
    VkSurfaceFormatKHR formats[8];
    uint32_t count = VKT_COUNT(formats);
    vkt_ok(vkGetPhysicalDeviceSurfaceFormatsKHR(p.physical, s->surface, &count, formats));
    assert_int_equal(count, 3);
    assert_int_equal(formats[2].format, VK_FORMAT_B8G8R8A8_UNORM);
    assert_int_equal(formats[2].colorSpace, VK_COLOR_SPACE_PASS_THROUGH_EXT);
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(s->surface, VK_PRESENT_MODE_FIFO_KHR);
    info.imageExtent = s->extent;
    info.oldSwapchain = s->swapchain;
    info.imageColorSpace = VK_COLOR_SPACE_PASS_THROUGH_EXT;
    vkt_ok(vkCreateSwapchainKHR(p.device, &info, NULL, &s->swapchain));
    vkDestroySwapchainKHR(p.device, info.oldSwapchain, NULL);
    take_images(s);
    show_and_check(s, 5);
}

static void replaced_swapchain_hands_over(void **state)
{
    struct show *s = *state;
    const uint64_t modesets = look().modesets;
    VkSwapchainKHR old = s->swapchain;
    vkt_ok(try_swapchain(s->surface, s->extent, VK_PRESENT_MODE_FIFO_KHR, old, &s->swapchain));
    vkDestroySwapchainKHR(p.device, old, NULL);
    check_is_shown(s, 0); /* until there is another picture */
    take_images(s);
    for (uint32_t i = 2; i < 6; i++)
        vkt_ok(show_picture(s, i));
    check_is_shown(s, 5);
    assert_int_equal(look().modesets, modesets);
    assert_int_equal(look().torn, 0);
}

static void a_display_has_one_swapchain(void **state)
{
    struct show *s = *state;
    VkDisplayModePropertiesKHR mode = small_mode(the_display());
    check_is_refused(mode, VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
    show_and_check(s, 3);
    close_show(s);
    open_show(s, mode, VK_PRESENT_MODE_FIFO_KHR);
}

/* -- trouble ------------------------------------------------------------------------------------------------------ */

static VkResult pictures_until_trouble(struct show *s)
{
    VkResult result = VK_SUCCESS;
    for (double end_s = now_s() + 5; result == VK_SUCCESS && now_s() < end_s;)
        result = show_picture(s, 9);
    return result;
}

static void pulled_out_display_is_lost(void **state)
{
    struct show *s = *state;
    VkDisplayModePropertiesKHR mode = small_mode(the_display());
    plug(false);
    assert_int_equal(pictures_until_trouble(s), VK_ERROR_SURFACE_LOST_KHR);
    VkSurfaceCapabilitiesKHR caps;
    assert_int_equal(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(p.physical, s->surface, &caps),
                     VK_ERROR_SURFACE_LOST_KHR);
    uint32_t count = 9;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(p.physical, &count, NULL));
    assert_int_equal(count, 0);
    close_show(s);
    plug(true);
    open_show(s, mode, VK_PRESENT_MODE_FIFO_KHR); /* the handles are as good as before */
    show_and_check(s, 2);
}

/* Nothing fails and nothing hangs while the user is at another virtual terminal. */
static void other_master_is_waited_for(void **state)
{
    struct show *s = *state;
    take_master(true);
    const uint64_t flips = look().flips;
    const double start_s = now_s();
    for (uint32_t i = 0; i < 30; i++)
        vkt_ok(show_picture(s, 2));
    assert_true(now_s() - start_s > 20 / 60.0); /* and it does not run free */
    assert_true(now_s() - start_s < 5);
    assert_true(look().flips - flips <= 1);
    take_master(false);
    show_and_check(s, 3);
    take_master(true);
    vkt_ok(show_picture(s, 4));
    close_show(s);
    check_is_refused(small_mode(the_display()), VK_ERROR_INITIALIZATION_FAILED);
}

/* -- what others show --------------------------------------------------------------------------------------------- */

/* A console: another open file that shows a picture of one colour. */
struct console {
    int fd;
    uint32_t fb, handle;
};

static void open_console(struct console *c, uint32_t color)
{
    c->fd = open(NODE, O_RDWR | O_CLOEXEC);
    assert_true(c->fd >= 0);
    assert_true(drmIsMaster(c->fd));
    drmModeRes *resources = drmModeGetResources(c->fd);
    drmModeConnector *connector = drmModeGetConnector(c->fd, resources->connectors[0]);
    drmModeModeInfo *mode = &connector->modes[3];
    struct drm_mode_create_dumb create = {.width = mode->hdisplay, .height = mode->vdisplay, .bpp = 32};
    assert_int_equal(drmIoctl(c->fd, DRM_IOCTL_MODE_CREATE_DUMB, &create), 0);
    struct drm_mode_map_dumb map = {.handle = c->handle = create.handle};
    assert_int_equal(drmIoctl(c->fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
    uint32_t *pixels = mmap(NULL, create.size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, (off_t)map.offset);
    assert_ptr_not_equal(pixels, MAP_FAILED);
    for (uint32_t i = 0; i < create.size / 4; i++)
        pixels[i] = color;
    munmap(pixels, create.size);
    const uint32_t handles[4] = {create.handle}, pitches[4] = {create.pitch}, offsets[4] = {0};
    assert_int_equal(
        drmModeAddFB2(c->fd, create.width, create.height, DRM_FORMAT_XRGB8888, handles, pitches, offsets, &c->fb, 0),
        0);
    assert_int_equal(drmModeSetCrtc(c->fd, resources->crtcs[0], c->fb, 0, 0, resources->connectors, 1, mode), 0);
    drmModeFreeConnector(connector);
    drmModeFreeResources(resources);
}

static void check_console(uint32_t color)
{
    struct vc4_shim_screen screen = look();
    assert_true(screen.is_on);
    assert_int_equal(screen.width_px, 800);
    uint32_t *pixels = malloc((size_t)screen.width_px * screen.height_px * 4);
    assert_non_null(pixels);
    read_screen(&screen, pixels, screen.width_px * screen.height_px);
    for (uint32_t i = 0; i < screen.width_px * screen.height_px; i++)
        assert_int_equal(pixels[i], color);
    free(pixels);
}

static void what_was_shown_comes_back(void **state)
{
    struct console c;
    open_console(&c, 0x00123456);
    check_console(0x00123456);
    assert_int_equal(drmDropMaster(c.fd), 0);
    struct show s;
    open_show(&s, small_mode(the_display()), VK_PRESENT_MODE_FIFO_KHR);
    show_and_check(&s, 1);
    close_show(&s);
    check_console(0x00123456);
    assert_int_equal(drmSetMaster(c.fd), 0); /* and the display is free */
    close(c.fd);
    assert_false(look().is_on);
}

static void applications_file_is_used(void **state)
{
    INSTANCE_FUNCTION(vkGetDrmDisplayEXT);
    INSTANCE_FUNCTION(vkAcquireDrmDisplayEXT);
    INSTANCE_FUNCTION(vkReleaseDisplayEXT);
    VkDisplayKHR display = the_display(), found;
    struct console c;
    open_console(&c, 0x00654321);
    drmModeRes *resources = drmModeGetResources(c.fd);
    vkt_ok(vkGetDrmDisplayEXT_(p.physical, c.fd, resources->connectors[0], &found));
    assert_true(found == display);
    assert_int_equal(vkGetDrmDisplayEXT_(p.physical, c.fd, 12345, &found), VK_ERROR_UNKNOWN);
    assert_int_equal(vkGetDrmDisplayEXT_(p.physical, STDIN_FILENO, resources->connectors[0], &found), VK_ERROR_UNKNOWN);
    drmModeFreeResources(resources);
    /* Its file is master, so ours cannot show anything. */
    VkDisplayModePropertiesKHR mode = small_mode(display);
    check_is_refused(mode, VK_ERROR_INITIALIZATION_FAILED);
    vkt_ok(vkAcquireDrmDisplayEXT_(p.physical, c.fd, display));
    struct show s;
    open_show(&s, mode, VK_PRESENT_MODE_FIFO_KHR);
    for (uint32_t i = 0; i < 5; i++)
        vkt_ok(show_picture(&s, i));
    check_is_shown(&s, 4);
    close_show(&s);
    assert_true(drmIsMaster(c.fd)); /* that is its business */
    check_console(0x00654321);
    vkt_ok(vkReleaseDisplayEXT_(p.physical, display));
    assert_int_equal(drmDropMaster(c.fd), 0);
    assert_int_equal(vkAcquireDrmDisplayEXT_(p.physical, c.fd, display), VK_ERROR_INITIALIZATION_FAILED);
    open_show(&s, mode, VK_PRESENT_MODE_FIFO_KHR);
    show_and_check(&s, 8);
    close_show(&s);
    close(c.fd);
}

static const struct CMUnitTest without_display[] = {
    cmocka_unit_test(displays_are_counted),
};

#define FIFO_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_fifo, tear_down)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(displays_are_counted),
    cmocka_unit_test(display_says_what_it_is),
    cmocka_unit_test(modes_are_the_displays),
    cmocka_unit_test(plane_shows_whole_pictures),
    cmocka_unit_test(every_mode_shows_pictures),
    cmocka_unit_test(chips_images_are_shown_as_they_are),
    FIFO_TEST(fifo_follows_the_display),
    cmocka_unit_test_setup_teardown(mailbox_shows_the_newest, set_up_mailbox, tear_down),
    FIFO_TEST(colors_are_passed_through),
    FIFO_TEST(replaced_swapchain_hands_over),
    FIFO_TEST(a_display_has_one_swapchain),
    FIFO_TEST(pulled_out_display_is_lost),
    FIFO_TEST(other_master_is_waited_for),
    cmocka_unit_test(what_was_shown_comes_back),
    cmocka_unit_test(applications_file_is_used),
};

int main(void)
{
    read_screen = (vc4_shim_read_screen_fn)dlsym(RTLD_DEFAULT, "vc4_shim_read_screen");
    plug = (vc4_shim_plug_fn)dlsym(RTLD_DEFAULT, "vc4_shim_plug");
    take_master = (vc4_shim_take_master_fn)dlsym(RTLD_DEFAULT, "vc4_shim_take_master");
    if (!read_screen)
        return cmocka_run_group_tests_name("display", without_display, open_device, close_device);
    return cmocka_run_group_tests_name("display", tests, open_device, close_device);
}
