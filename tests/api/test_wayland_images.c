/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_wayland_surface without copies: the swapchain images are the compositor's buffers (linux-dmabuf), linear or in
 * the chip's tiling, as the compositor offers. The compositor owns each until it releases it. Where it offers no usable
 * modifier, refuses a buffer, or the device is the model, frames are copied to shared memory instead.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <drm_fourcc.h>
#include "vkt_wayland.h"
#include "vkt_present_waits.h"
#include "vkt_present_uses.h"

#define PIXELS (VKT_PRESENT_WIDTH * VKT_PRESENT_HEIGHT)

#define LINEAR DRM_FORMAT_MOD_LINEAR
#define TILES  DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED

static struct vkt_present p;
static bool is_drm;
static dev_t device; /* a node of the shim, other than the render node */

static int open_device(void **state)
{
    static const char *const platforms[] = {VK_KHR_WAYLAND_SURFACE_EXTENSION_NAME};
    char path[VKT_NODE_PATH];
    struct stat st;
    vkt_present_open(&p, platforms, 1);
    is_drm = vkt_present_node(path);
    if (is_drm && !stat(path, &st))
        device = st.st_rdev;
    return 0;
}

static int close_device(void **state)
{
    vkt_present_close(&p);
    return 0;
}

/* A compositor that accepts everything, with linux-dmabuf version 4. */
static struct tiny_compositor permissive_options(void)
{
    return (struct tiny_compositor){
        .period_ms = 5,
        .held = 1,
        .has_shm = true,
        .dmabuf = {.version = 4, .device = device, .modifiers = {LINEAR, TILES}, .modifier_count = 2}};
}

static void expect_pictures(struct vkt_wayland_client *c, uint32_t commits, bool as_images, uint64_t modifier)
{
    const struct tiny_compositor *seen = &c->compositor;
    tiny_compositor_stop(&c->compositor);
    assert_null(seen->dmabuf.mistakes);
    assert_int_equal(seen->commits, commits);
    assert_int_equal(seen->dmabuf_commits, as_images ? commits : 0);
    assert_int_equal(seen->torn, 0);
    assert_int_equal(seen->reused, 0);
    assert_int_equal(seen->picture.width, VKT_PRESENT_WIDTH);
    assert_int_equal(seen->picture.height, VKT_PRESENT_HEIGHT);
    assert_true(seen->picture.is_dmabuf == as_images);
    if (as_images) {
        assert_int_equal(seen->picture.format, DRM_FORMAT_XRGB8888);
        assert_true(seen->picture.modifier == modifier);
    }
    assert_int_equal(vkt_present_count_wrong(seen->pixels, PIXELS), 0);
    vkt_wayland_close(c, &p, true);
}

static void show_and_expect(struct tiny_compositor options, VkPresentModeKHR mode, bool as_images, uint64_t modifier)
{
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, options);
    vkt_wayland_show(&c, &p, mode, 12);
    if (mode == VK_PRESENT_MODE_FIFO_KHR)
        assert_int_equal(c.compositor.early_commits, 0);
    expect_pictures(&c, 12, as_images && is_drm, modifier);
}

/* -- what is shown ------------------------------------------------------------------------------------------------ */

static void tiles_are_shown_as_they_are(void **state)
{
    show_and_expect(permissive_options(), VK_PRESENT_MODE_FIFO_KHR, true, TILES);
}

static void rows_are_shown_as_they_are(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.modifier_count = 1;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

static void third_version_is_enough(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.version = 3;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, TILES);
}

static void other_modes_show_images(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_MAILBOX_KHR};
    for (uint32_t i = 0; i < VKT_COUNT(modes) && is_drm; i++)
        show_and_expect(permissive_options(), modes[i], true, TILES);
}

static void no_shared_memory_is_needed(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.has_shm = false;
    if (is_drm)
        show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, TILES);
}

static void files_of_what_is_shown_want_rows(void **state)
{
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    char folder[] = "/tmp/vkt_shown_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    setenv("VC4VK_SHOWN", folder, 1);
    show_and_expect(permissive_options(), VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
    unsetenv("VC4VK_SHOWN");
    DIR *dir = opendir(folder);
    uint32_t count = 0;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%.30s", folder, entry->d_name);
        count += !unlink(path);
    }
    closedir(dir);
    assert_int_equal(count, 12);
    assert_int_equal(rmdir(folder), 0);
}

/* Images that shaders store to are linear. */
static void images_can_be_used_by_programs(void **state)
{
    for (int stores = 0; stores < 2; stores++) {
        struct vkt_wayland_client c;
        vkt_wayland_open(&c, &p, permissive_options());
        vkt_present_show_uses(&p, c.vk_surface, (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}, stores, 6);
        expect_pictures(&c, 6, is_drm, stores ? LINEAR : TILES);
    }
}

/* The compositor decides which images are free. */
static void frames_can_be_waited_for(void **state)
{
    struct vkt_wayland_client c;
    struct tiny_compositor options = permissive_options();
    options.period_ms = 16;
    vkt_wayland_open(&c, &p, options);
    vkt_present_check_waits(&p, c.vk_surface, (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}, true);
    tiny_compositor_stop(&c.compositor);
    assert_null(c.compositor.dmabuf.mistakes);
    assert_int_equal(c.compositor.torn, 0);
    assert_int_equal(c.compositor.reused, 0);
    assert_true(!c.compositor.dmabuf_commits == !is_drm);
    vkt_wayland_close(&c, &p, true);
}

static void held_images_cannot_be_acquired(void **state)
{
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    struct tiny_compositor options = permissive_options();
    options.held = 4;
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, options);
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_IMMEDIATE_KHR);
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    vkt_ok(vkQueueWaitIdle(p.queue));
    uint32_t image;
    assert_int_equal(vkAcquireNextImageKHR(p.device, swapchain, 20000000, p.acquired, VK_NULL_HANDLE, &image),
                     VK_TIMEOUT);
    assert_int_equal(vkAcquireNextImageKHR(p.device, swapchain, 0, p.acquired, VK_NULL_HANDLE, &image), VK_NOT_READY);
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    assert_true(wl_display_roundtrip(c.display) >= 0);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.dmabuf_commits, 3);
    vkt_wayland_close(&c, &p, true);
}

/* An application that waits for its only free image is woken by the release, not by a timer. */
static void released_images_come_back_while_nothing_is_pending(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.releases_on_tick = true;
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, options);
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(c.vk_surface, VK_PRESENT_MODE_FIFO_KHR);
    info.minImageCount = 2;
    VkSwapchainKHR swapchain;
    vkt_ok(vkCreateSwapchainKHR(p.device, &info, NULL, &swapchain));
    uint32_t count = 0;
    vkt_ok(vkGetSwapchainImagesKHR(p.device, swapchain, &count, NULL));
    assert_int_equal(count, is_drm ? 3 : 2);
    for (uint32_t i = 0; i < 20; i++)
        vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    vkt_ok(vkQueueWaitIdle(p.queue));
    uint32_t acquired;
    for (uint32_t i = 0; i < 2; i++) { /* the third image is displayed */
        vkt_ok(vkAcquireNextImageKHR(p.device, swapchain, UINT64_C(5000000000), VK_NULL_HANDLE, p.fence, &acquired));
        vkt_ok(vkWaitForFences(p.device, 1, &p.fence, VK_TRUE, UINT64_MAX));
        vkt_ok(vkResetFences(p.device, 1, &p.fence));
    }
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.torn, 0);
    vkt_wayland_close(&c, &p, true);
}

/* -- refusals and errors ------------------------------------------------------------------------------------------ */

static void refused_images_are_copied(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.refuses = true;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void refused_tiles_become_rows(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.refuses_tiles = true;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

static void refused_images_without_shared_memory_are_an_error(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.refuses = true;
    options.has_shm = false;
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, options);
    VkSwapchainKHR swapchain;
    assert_int_equal(vkt_try_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &swapchain),
                     VK_ERROR_SURFACE_LOST_KHR);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.dmabuf.refused, is_drm ? 2 : 0); /* one tiled, one linear */
    vkt_wayland_close(&c, &p, true);
}

static void strange_modifiers_are_left_alone(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.modifiers[0] = I915_FORMAT_MOD_X_TILED;
    options.dmabuf.modifiers[1] = DRM_FORMAT_MOD_INVALID;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
    options.dmabuf.version = 3;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
    options.dmabuf.modifier_count = 0;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void tables_that_are_cut_short_offer_nothing(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.truncates_table = true;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void old_versions_are_left_alone(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.version = 2;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void compositor_on_another_device_gets_copies(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.dmabuf.device = 0x103; /* /dev/null */
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

/* Too small for 4 KiB tiles: the chip would use another layout. */
static void small_images_are_rows(void **state)
{
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, permissive_options());
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(c.vk_surface, VK_PRESENT_MODE_FIFO_KHR);
    info.imageExtent = (VkExtent2D){16, 100};
    VkSwapchainKHR swapchain;
    vkt_ok(vkCreateSwapchainKHR(p.device, &info, NULL, &swapchain));
    vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    assert_true(wl_display_roundtrip(c.display) >= 0);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 1);
    assert_int_equal(c.compositor.dmabuf_commits, is_drm);
    assert_true(!is_drm || c.compositor.picture.modifier == LINEAR);
    vkt_wayland_close(&c, &p, true);
}

/* The application waits for an image that will never be released. */
static void death_ends_the_wait_for_an_image(void **state)
{
    struct tiny_compositor options = permissive_options();
    options.held = 4;
    options.exits_after_commits = 3;
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, options);
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_IMMEDIATE_KHR);
    assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_ERROR_SURFACE_LOST_KHR);
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    tiny_compositor_stop(&c.compositor);
    vkt_wayland_close(&c, &p, true);
}

static void replaced_swapchains_leave_nothing(void **state)
{
    struct vkt_wayland_client c;
    vkt_wayland_open(&c, &p, permissive_options());
    VkSwapchainKHR swapchain = VK_NULL_HANDLE, old;
    for (uint32_t i = 0; i < 10; i++) {
        old = swapchain;
        vkt_ok(vkt_try_swapchain(&p, c.vk_surface, VK_PRESENT_MODE_FIFO_KHR, old, &swapchain));
        vkDestroySwapchainKHR(p.device, old, NULL);
        for (uint32_t frame = 0; frame < 3; frame++)
            vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
        vkt_ok(vkQueueWaitIdle(p.queue));
    }
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    assert_true(wl_display_roundtrip(c.display) >= 0);
    tiny_compositor_stop(&c.compositor);
    assert_int_equal(c.compositor.commits, 30);
    vkt_wayland_close(&c, &p, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_are_shown_as_they_are),
        cmocka_unit_test(rows_are_shown_as_they_are),
        cmocka_unit_test(third_version_is_enough),
        cmocka_unit_test(other_modes_show_images),
        cmocka_unit_test(no_shared_memory_is_needed),
        cmocka_unit_test(files_of_what_is_shown_want_rows),
        cmocka_unit_test(images_can_be_used_by_programs),
        cmocka_unit_test(frames_can_be_waited_for),
        cmocka_unit_test(held_images_cannot_be_acquired),
        cmocka_unit_test(released_images_come_back_while_nothing_is_pending),
        cmocka_unit_test(refused_images_are_copied),
        cmocka_unit_test(refused_tiles_become_rows),
        cmocka_unit_test(refused_images_without_shared_memory_are_an_error),
        cmocka_unit_test(strange_modifiers_are_left_alone),
        cmocka_unit_test(tables_that_are_cut_short_offer_nothing),
        cmocka_unit_test(old_versions_are_left_alone),
        cmocka_unit_test(compositor_on_another_device_gets_copies),
        cmocka_unit_test(small_images_are_rows),
        cmocka_unit_test(death_ends_the_wait_for_an_image),
        cmocka_unit_test(replaced_swapchains_leave_nothing),
    };
    return cmocka_run_group_tests_name("wayland_images", tests, open_device, close_device);
}
