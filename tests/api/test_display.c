/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_display and related extensions, through the loader, on the display of the DRM shim (shim/shim_screen.h):
 * properties; an image per mode, compared word for word with what the display shows; FIFO at the display's refresh rate
 * without tearing; replaced and surplus swapchains; unplugging; another program that becomes DRM master and gives it
 * back; a DRM file that the application has opened; restoring what was shown before.
 *
 * Without the shim there is no display, and only displays_are_counted runs.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include <xf86drm.h>
#include <xf86drmMode.h>
#include "vkt_display.h"
#include "vkt_present_waits.h"
#include "vkt_present_uses.h"

#define NODE "/dev/dri/card0"

/* -- properties --------------------------------------------------------------------------------------------------- */

static void displays_are_counted(void **state)
{
    uint32_t count = 99;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, NULL));
    assert_true(count < 99);
    if (vkt_read_screen)
        assert_int_equal(count, 1);
}

static void display_says_what_it_is(void **state)
{
    VkDisplayPropertiesKHR properties;
    uint32_t count = 1;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, &properties));
    assert_string_equal(properties.displayName, "HDMI-A-1");
    assert_int_equal(properties.physicalDimensions.width, 510);
    assert_int_equal(properties.physicalResolution.width, 1280);
    assert_int_equal(properties.supportedTransforms, VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR);
    VKT_INSTANCE_FUNCTION(vkGetPhysicalDeviceDisplayProperties2KHR);
    VkDisplayProperties2KHR properties2 = {.sType = VK_STRUCTURE_TYPE_DISPLAY_PROPERTIES_2_KHR};
    vkt_ok(vkGetPhysicalDeviceDisplayProperties2KHR_(vkt_dev.physical, &count, &properties2));
    assert_true(properties2.displayProperties.display == properties.display);
    assert_string_equal(properties2.displayProperties.displayName, "HDMI-A-1");
    count = 0;
    assert_int_equal(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, &properties), VK_INCOMPLETE);
}

static void modes_are_the_displays(void **state)
{
    VkDisplayKHR display = vkt_get_display();
    VkDisplayModePropertiesKHR modes[VKT_MAX_MODES], again[VKT_MAX_MODES];
    uint32_t count = vkt_get_modes(display, modes);
    assert_int_equal(count, 6);
    assert_int_equal(vkt_get_modes(display, again), 6);
    for (uint32_t i = 0; i < count; i++)
        assert_true(modes[i].displayMode == again[i].displayMode);
    assert_int_equal(modes[0].parameters.visibleRegion.width, 1280);
    assert_int_equal(modes[0].parameters.refreshRate, 60000);
    assert_int_equal(modes[5].parameters.refreshRate, 59940);
    VKT_INSTANCE_FUNCTION(vkGetDisplayModeProperties2KHR);
    VkDisplayModeProperties2KHR modes2[2] = {{.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR},
                                             {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_PROPERTIES_2_KHR}};
    count = 2;
    assert_int_equal(vkGetDisplayModeProperties2KHR_(vkt_dev.physical, display, &count, modes2), VK_INCOMPLETE);
    assert_true(modes2[1].displayModeProperties.displayMode == modes[1].displayMode);
    assert_int_equal(modes2[1].displayModeProperties.parameters.visibleRegion.width, 1920);
    VkDisplayModeCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_MODE_CREATE_INFO_KHR,
                                       .parameters = modes[3].parameters};
    VkDisplayModeKHR mode;
    vkt_ok(vkCreateDisplayModeKHR(vkt_dev.physical, display, &info, NULL, &mode));
    assert_true(mode == modes[3].displayMode);
    info.parameters.refreshRate = 12345;
    assert_int_equal(vkCreateDisplayModeKHR(vkt_dev.physical, display, &info, NULL, &mode),
                     VK_ERROR_INITIALIZATION_FAILED);
}

static void plane_shows_whole_pictures(void **state)
{
    VkDisplayPlanePropertiesKHR plane;
    VkDisplayKHR display = vkt_get_display(), able = VK_NULL_HANDLE;
    uint32_t count = 1;
    vkt_ok(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(vkt_dev.physical, &count, &plane));
    assert_int_equal(count, 1);
    assert_true(plane.currentDisplay == VK_NULL_HANDLE);
    count = 1;
    vkt_ok(vkGetDisplayPlaneSupportedDisplaysKHR(vkt_dev.physical, 0, &count, &able));
    assert_int_equal(count, 1);
    assert_true(able == display);
    VkDisplayModePropertiesKHR mode = vkt_small_mode(display);
    VkDisplayPlaneCapabilitiesKHR caps;
    vkt_ok(vkGetDisplayPlaneCapabilitiesKHR(vkt_dev.physical, mode.displayMode, 0, &caps));
    assert_int_equal(caps.supportedAlpha, VK_DISPLAY_PLANE_ALPHA_OPAQUE_BIT_KHR);
    assert_int_equal(caps.maxSrcExtent.width, mode.parameters.visibleRegion.width);
    assert_int_equal(caps.minDstExtent.height, mode.parameters.visibleRegion.height);
    VkSurfaceKHR surface = vkt_make_surface(mode);
    VkSurfaceCapabilitiesKHR surface_caps;
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vkt_dev.physical, surface, &surface_caps));
    assert_int_equal(surface_caps.currentExtent.width, mode.parameters.visibleRegion.width);
    VkPresentModeKHR modes[8];
    count = VKT_COUNT(modes);
    vkt_ok(vkGetPhysicalDeviceSurfacePresentModesKHR(vkt_dev.physical, surface, &count, modes));
    assert_int_equal(count, 2); /* no mode that may tear */
    assert_int_equal(modes[0], VK_PRESENT_MODE_FIFO_KHR);
    assert_int_equal(modes[1], VK_PRESENT_MODE_MAILBOX_KHR);
    vkDestroySurfaceKHR(vkt_dev.instance, surface, NULL);
}

/* -- presenting --------------------------------------------------------------------------------------------------- */

static void every_mode_shows_pictures(void **state)
{
    VkDisplayKHR display = vkt_get_display();
    VkDisplayModePropertiesKHR modes[VKT_MAX_MODES];
    uint32_t count = vkt_get_modes(display, modes);
    for (uint32_t i = 0; i < count; i++) {
        struct vkt_display_swapchain s;
        vkt_open_display_swapchain(&s, modes[i], VK_PRESENT_MODE_FIFO_KHR);
        for (uint32_t seed = 1; seed <= 2; seed++)
            vkt_ok(vkt_present_pattern(&s, i * 10 + seed));
        vkt_check_screen(&s, i * 10 + 2);
        assert_in_range(vkt_screen_state().refresh_mhz, modes[i].parameters.refreshRate - 20,
                        modes[i].parameters.refreshRate + 20);
        VkDisplayPlanePropertiesKHR plane;
        uint32_t planes = 1;
        vkt_ok(vkGetPhysicalDeviceDisplayPlanePropertiesKHR(vkt_dev.physical, &planes, &plane));
        assert_true(plane.currentDisplay == display);
        vkt_close_display_swapchain(&s);
        assert_false(vkt_screen_state().is_on);
    }
    assert_int_equal(vkt_screen_state().torn, 0);
}

/* On the DRM backend the display scans out the swapchain images. On the model, and in MAILBOX mode, they are copied to
 * dumb buffers. */
static void chips_images_are_shown_as_they_are(void **state)
{
    const char *device = getenv("VC4VK_DEVICE");
    const bool is_chip = device && !strcmp(device, "drm");
    const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
    for (uint32_t i = 0; i < 2; i++) {
        struct vkt_display_swapchain s;
        const uint64_t before = vkt_screen_state().dumb_buffers;
        vkt_open_display_swapchain(&s, vkt_small_mode(vkt_get_display()), modes[i]);
        for (uint32_t seed = 0; seed < 5; seed++)
            vkt_present_and_check(&s, seed);
        vkt_close_display_swapchain(&s);
        assert_int_equal(vkt_screen_state().dumb_buffers - before, is_chip && !i ? 0 : 3);
    }
    assert_int_equal(vkt_screen_state().torn, 0);
}

/* Each frame is shown for at least one refresh period. */
static void fifo_follows_the_display(void **state)
{
    struct vkt_display_swapchain *s = *state;
    const struct vc4_shim_screen before = vkt_screen_state();
    const double start_s = vkt_now_s();
    for (uint32_t i = 1; i <= 40; i++)
        vkt_ok(vkt_present_pattern(s, i));
    vkt_check_screen(s, 40);
    const struct vc4_shim_screen after = vkt_screen_state();
    assert_int_equal(after.flips - before.flips, 40); /* no frame is skipped */
    assert_true(after.vblanks - before.vblanks >= 40);
    assert_true(vkt_now_s() - start_s > 39 / 61.0);
    assert_int_equal(after.modesets, before.modesets);
    assert_int_equal(after.torn, 0);
}

static uint32_t count_wrong_on_screen(VkExtent2D extent)
{
    const uint32_t count = extent.width * extent.height;
    uint32_t *seen = malloc((size_t)count * 4);
    assert_non_null(seen);
    struct vc4_shim_screen screen;
    vkt_read_screen(&screen, seen, count);
    const bool is_whole = screen.is_on && screen.width_px == extent.width && screen.height_px == extent.height;
    const uint32_t wrong = is_whole ? vkt_present_count_wrong((const uint8_t *)seen, count) : count;
    free(seen);
    return wrong;
}

/* Swapchain images can be sampled, read as input attachments, and read and written as storage images. */
static void images_can_be_used_by_programs(void **state)
{
    const VkDisplayModePropertiesKHR mode = vkt_small_mode(vkt_get_display());
    const VkExtent2D extent = mode.parameters.visibleRegion;
    for (int stores = 0; stores < 2; stores++) {
        VkSurfaceKHR surface = vkt_make_surface(mode);
        VkImage images[3];
        VkSwapchainKHR swapchain = vkt_make_swapchain_of_uses(&vkt_dev, surface, extent, stores, images);
        struct vkt_present_uses uses;
        vkt_present_record_uses(&vkt_dev, images, extent, stores, &uses);
        for (uint32_t i = 0; i < 4; i++) {
            vkt_ok(vkt_present_frame_of(&vkt_dev, swapchain, uses.cmds, NULL));
            vkt_ok(vkQueueWaitIdle(vkt_dev.queue));
        }
        uint32_t wrong = 1;
        for (const double start_s = vkt_now_s(); wrong && vkt_now_s() - start_s < 10;)
            wrong = count_wrong_on_screen(extent);
        assert_int_equal(wrong, 0);
        vkDestroySwapchainKHR(vkt_dev.device, swapchain, NULL);
        vkDestroySurfaceKHR(vkt_dev.instance, surface, NULL);
        vkt_present_destroy_uses(&uses);
    }
}

static void frames_can_be_waited_for(void **state)
{
    const VkDisplayModePropertiesKHR mode = vkt_small_mode(vkt_get_display());
    VkSurfaceKHR surface = vkt_make_surface(mode);
    vkt_present_check_waits(&vkt_dev, surface, mode.parameters.visibleRegion, false);
    vkDestroySurfaceKHR(vkt_dev.instance, surface, NULL);
}

/* Presents as fast as possible: at most one frame per vertical blank is shown, and the last one stays. */
static void mailbox_shows_the_newest(void **state)
{
    struct vkt_display_swapchain *s = *state;
    const struct vc4_shim_screen before = vkt_screen_state();
    for (uint32_t i = 0; i < 200; i++) {
        uint32_t image;
        vkt_ok(vkAcquireNextImageKHR(vkt_dev.device, s->swapchain, UINT64_C(5000000000), VK_NULL_HANDLE, vkt_dev.fence,
                                     &image));
        vkt_ok(vkWaitForFences(vkt_dev.device, 1, &vkt_dev.fence, VK_TRUE, UINT64_C(5000000000)));
        vkt_ok(vkResetFences(vkt_dev.device, 1, &vkt_dev.fence));
        vkt_ok(vkt_present_image(&vkt_dev, s->swapchain, image, VK_NULL_HANDLE, NULL));
    }
    vkt_present_and_check(s, 77);
    const struct vc4_shim_screen after = vkt_screen_state();
    assert_true(after.flips - before.flips <= after.vblanks - before.vblanks);
    assert_true(after.flips - before.flips < 200); /* some frames are skipped */
    assert_int_equal(after.torn, 0);
}

/* Beside sRGB, a display supports the pass-through colour space and no other. */
static void colors_are_passed_through(void **state)
{
    struct vkt_display_swapchain *s = *state;
    VkSurfaceFormatKHR formats[8];
    uint32_t count = VKT_COUNT(formats);
    vkt_ok(vkGetPhysicalDeviceSurfaceFormatsKHR(vkt_dev.physical, s->surface, &count, formats));
    assert_int_equal(count, 3);
    assert_int_equal(formats[2].format, VK_FORMAT_B8G8R8A8_UNORM);
    assert_int_equal(formats[2].colorSpace, VK_COLOR_SPACE_PASS_THROUGH_EXT);
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(s->surface, VK_PRESENT_MODE_FIFO_KHR);
    info.imageExtent = s->extent;
    info.oldSwapchain = s->swapchain;
    info.imageColorSpace = VK_COLOR_SPACE_PASS_THROUGH_EXT;
    vkt_ok(vkCreateSwapchainKHR(vkt_dev.device, &info, NULL, &s->swapchain));
    vkDestroySwapchainKHR(vkt_dev.device, info.oldSwapchain, NULL);
    vkt_get_images(s);
    vkt_present_and_check(s, 5);
}

static void replaced_swapchain_hands_over(void **state)
{
    struct vkt_display_swapchain *s = *state;
    const uint64_t modesets = vkt_screen_state().modesets;
    VkSwapchainKHR old = s->swapchain;
    vkt_ok(vkt_try_display_swapchain(s->surface, s->extent, VK_PRESENT_MODE_FIFO_KHR, old, &s->swapchain));
    vkDestroySwapchainKHR(vkt_dev.device, old, NULL);
    vkt_check_screen(s, 0); /* the old frame stays until the next present */
    vkt_get_images(s);
    for (uint32_t i = 2; i < 6; i++)
        vkt_ok(vkt_present_pattern(s, i));
    vkt_check_screen(s, 5);
    assert_int_equal(vkt_screen_state().modesets, modesets);
    assert_int_equal(vkt_screen_state().torn, 0);
}

static void a_display_has_one_swapchain(void **state)
{
    struct vkt_display_swapchain *s = *state;
    VkDisplayModePropertiesKHR mode = vkt_small_mode(vkt_get_display());
    vkt_check_is_refused(mode, VK_ERROR_NATIVE_WINDOW_IN_USE_KHR);
    vkt_present_and_check(s, 3);
    vkt_close_display_swapchain(s);
    vkt_open_display_swapchain(s, mode, VK_PRESENT_MODE_FIFO_KHR);
}

/* -- failures ----------------------------------------------------------------------------------------------------- */

static VkResult present_until_failure(struct vkt_display_swapchain *s)
{
    VkResult result = VK_SUCCESS;
    for (double end_s = vkt_now_s() + 5; result == VK_SUCCESS && vkt_now_s() < end_s;)
        result = vkt_present_pattern(s, 9);
    return result;
}

static void pulled_out_display_is_lost(void **state)
{
    struct vkt_display_swapchain *s = *state;
    VkDisplayModePropertiesKHR mode = vkt_small_mode(vkt_get_display());
    vkt_plug(false);
    assert_int_equal(present_until_failure(s), VK_ERROR_SURFACE_LOST_KHR);
    VkSurfaceCapabilitiesKHR caps;
    assert_int_equal(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vkt_dev.physical, s->surface, &caps),
                     VK_ERROR_SURFACE_LOST_KHR);
    uint32_t count = 9;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, NULL));
    assert_int_equal(count, 0);
    vkt_close_display_swapchain(s);
    vkt_plug(true);
    vkt_open_display_swapchain(s, mode, VK_PRESENT_MODE_FIFO_KHR); /* display and mode handles stay valid */
    vkt_present_and_check(s, 2);
}

/* Presents neither fail nor hang while the user is on another virtual terminal. */
static void other_master_is_waited_for(void **state)
{
    struct vkt_display_swapchain *s = *state;
    vkt_take_master(true);
    const uint64_t flips = vkt_screen_state().flips;
    const double start_s = vkt_now_s();
    for (uint32_t i = 0; i < 30; i++)
        vkt_ok(vkt_present_pattern(s, 2));
    assert_true(vkt_now_s() - start_s > 20 / 60.0); /* presents are still paced */
    assert_true(vkt_now_s() - start_s < 5);
    assert_true(vkt_screen_state().flips - flips <= 1);
    vkt_ok(vkt_present_pattern(s, 5));
    vkt_take_master(false);
    vkt_check_screen(s, 5); /* without another present */
    vkt_present_and_check(s, 3);
    vkt_take_master(true);
    vkt_ok(vkt_present_pattern(s, 4));
    vkt_close_display_swapchain(s);
    vkt_check_is_refused(vkt_small_mode(vkt_get_display()), VK_ERROR_INITIALIZATION_FAILED);
}

/* -- other users of the display ----------------------------------------------------------------------------------- */

/* Stands for a console: another open DRM file that shows a single colour. */
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
    struct vc4_shim_screen screen = vkt_screen_state();
    assert_true(screen.is_on);
    assert_int_equal(screen.width_px, 800);
    uint32_t *pixels = malloc((size_t)screen.width_px * screen.height_px * 4);
    assert_non_null(pixels);
    vkt_read_screen(&screen, pixels, screen.width_px * screen.height_px);
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
    struct vkt_display_swapchain s;
    vkt_open_display_swapchain(&s, vkt_small_mode(vkt_get_display()), VK_PRESENT_MODE_FIFO_KHR);
    vkt_present_and_check(&s, 1);
    vkt_close_display_swapchain(&s);
    check_console(0x00123456);
    assert_int_equal(drmSetMaster(c.fd), 0); /* the driver is no longer master */
    close(c.fd);
    assert_false(vkt_screen_state().is_on);
}

static void applications_file_is_used(void **state)
{
    VKT_INSTANCE_FUNCTION(vkGetDrmDisplayEXT);
    VKT_INSTANCE_FUNCTION(vkAcquireDrmDisplayEXT);
    VKT_INSTANCE_FUNCTION(vkReleaseDisplayEXT);
    VkDisplayKHR display = vkt_get_display(), found;
    struct console c;
    open_console(&c, 0x00654321);
    drmModeRes *resources = drmModeGetResources(c.fd);
    vkt_ok(vkGetDrmDisplayEXT_(vkt_dev.physical, c.fd, resources->connectors[0], &found));
    assert_true(found == display);
    assert_int_equal(vkGetDrmDisplayEXT_(vkt_dev.physical, c.fd, 12345, &found), VK_ERROR_UNKNOWN);
    assert_int_equal(vkGetDrmDisplayEXT_(vkt_dev.physical, STDIN_FILENO, resources->connectors[0], &found),
                     VK_ERROR_UNKNOWN);
    drmModeFreeResources(resources);
    /* The application's file is master, so the driver cannot use the display with its own file. */
    VkDisplayModePropertiesKHR mode = vkt_small_mode(display);
    vkt_check_is_refused(mode, VK_ERROR_INITIALIZATION_FAILED);
    vkt_ok(vkAcquireDrmDisplayEXT_(vkt_dev.physical, c.fd, display));
    struct vkt_display_swapchain s;
    vkt_open_display_swapchain(&s, mode, VK_PRESENT_MODE_FIFO_KHR);
    for (uint32_t i = 0; i < 5; i++)
        vkt_ok(vkt_present_pattern(&s, i));
    vkt_check_screen(&s, 4);
    vkt_close_display_swapchain(&s);
    assert_true(drmIsMaster(c.fd)); /* the driver does not drop the application's master */
    check_console(0x00654321);
    vkt_ok(vkReleaseDisplayEXT_(vkt_dev.physical, display));
    assert_int_equal(drmDropMaster(c.fd), 0);
    assert_int_equal(vkAcquireDrmDisplayEXT_(vkt_dev.physical, c.fd, display), VK_ERROR_INITIALIZATION_FAILED);
    vkt_open_display_swapchain(&s, mode, VK_PRESENT_MODE_FIFO_KHR);
    vkt_present_and_check(&s, 8);
    vkt_close_display_swapchain(&s);
    close(c.fd);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(displays_are_counted),
    cmocka_unit_test(display_says_what_it_is),
    cmocka_unit_test(modes_are_the_displays),
    cmocka_unit_test(plane_shows_whole_pictures),
    cmocka_unit_test(every_mode_shows_pictures),
    cmocka_unit_test(chips_images_are_shown_as_they_are),
    cmocka_unit_test(images_can_be_used_by_programs),
    cmocka_unit_test(frames_can_be_waited_for),
    VKT_FIFO_TEST(fifo_follows_the_display),
    cmocka_unit_test_setup_teardown(mailbox_shows_the_newest, vkt_set_up_mailbox, vkt_tear_down),
    VKT_FIFO_TEST(colors_are_passed_through),
    VKT_FIFO_TEST(replaced_swapchain_hands_over),
    VKT_FIFO_TEST(a_display_has_one_swapchain),
    VKT_FIFO_TEST(pulled_out_display_is_lost),
    VKT_FIFO_TEST(other_master_is_waited_for),
    cmocka_unit_test(what_was_shown_comes_back),
    cmocka_unit_test(applications_file_is_used),
};

int main(void)
{
    const struct CMUnitTest without_display[] = {cmocka_unit_test(displays_are_counted)};
    if (!vkt_find_shim())
        return cmocka_run_group_tests_name("display", without_display, vkt_open_displays, vkt_close_displays);
    return cmocka_run_group_tests_name("display", tests, vkt_open_displays, vkt_close_displays);
}
