/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_xcb_surface without copies: the swapchain images are pixmaps of the X server (DRI3), which the server shows by
 * the Present extension and owns until it reports them idle. A server that is too old, on another device or refuses
 * pixmaps gets copies, and so does every server if the device is the model.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>
#include "tiny_x_server.h"
#include "vkt_present_waits.h"
#include "vkt_present_uses.h"
#include <drm_fourcc.h>
#include <vulkan/vulkan_xcb.h>

#define PIXELS (VKT_PRESENT_WIDTH * VKT_PRESENT_HEIGHT)

#define LINEAR DRM_FORMAT_MOD_LINEAR
#define TILES  DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED

static struct vkt_present p;
static bool is_drm;
static char node[VKT_NODE_PATH] = "/dev/null"; /* a node of the shim, other than the render node */

static int open_device(void **state)
{
    static const char *const platforms[] = {VK_KHR_XCB_SURFACE_EXTENSION_NAME};
    vkt_present_open(&p, platforms, 1);
    is_drm = vkt_present_node(node);
    return 0;
}

static int close_device(void **state)
{
    vkt_present_close(&p);
    return 0;
}

/* -- the client --------------------------------------------------------------------------------------------------- */

struct client {
    struct tiny_x_server server;
    xcb_connection_t *connection;
    xcb_window_t window;
    VkSurfaceKHR surface;
};

/* A server that accepts everything. */
static struct tiny_x_server permissive_options(void)
{
    return (struct tiny_x_server){.period_ms = 5,
                                  .has_dri3 = true,
                                  .dri3_minor = 2,
                                  .node = node,
                                  .window_modifiers = {LINEAR},
                                  .window_modifier_count = 1,
                                  .screen_modifiers = {LINEAR, TILES},
                                  .screen_modifier_count = 2};
}

static void open_client(struct client *c, struct tiny_x_server options)
{
    *c = (struct client){.server = options};
    assert_int_equal(tiny_x_server_start(&c->server), 0);
    c->connection = xcb_connect_to_fd(c->server.client_fd, NULL);
    assert_int_equal(xcb_connection_has_error(c->connection), 0);
    const xcb_screen_t *screen = xcb_setup_roots_iterator(xcb_get_setup(c->connection)).data;
    assert_true(vkGetPhysicalDeviceXcbPresentationSupportKHR(p.physical, 0, c->connection, screen->root_visual));
    c->window = xcb_generate_id(c->connection);
    xcb_create_window(c->connection, XCB_COPY_FROM_PARENT, c->window, screen->root, 0, 0, VKT_PRESENT_WIDTH,
                      VKT_PRESENT_HEIGHT, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, screen->root_visual, 0, NULL);
    xcb_map_window(c->connection, c->window);
    const VkXcbSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, .connection = c->connection, .window = c->window};
    vkt_ok(vkCreateXcbSurfaceKHR(p.instance, &info, NULL, &c->surface));
}

static void close_client(struct client *c, bool is_stopped)
{
    vkDestroySurfaceKHR(p.instance, c->surface, NULL);
    xcb_disconnect(c->connection);
    if (!is_stopped)
        tiny_x_server_stop(&c->server);
    tiny_x_server_finish(&c->server);
}

/* Waits until the server has processed everything. The application's queue must hold no event of the driver's. */
static void round_trip(struct client *c)
{
    free(xcb_get_geometry_reply(c->connection, xcb_get_geometry(c->connection, c->window), NULL));
    assert_null(xcb_poll_for_event(c->connection));
}

static void show(struct client *c, VkPresentModeKHR mode, uint32_t frames)
{
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c->surface, mode);
    VkImage images[3];
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(p.device, swapchain, &count, images));
    struct vkt_present_clears clears;
    vkt_present_record_clears(&p, images, VK_FORMAT_B8G8R8A8_UNORM, &clears);
    for (uint32_t i = 0; i < frames; i++) {
        vkt_ok(vkt_present_frame_of(&p, swapchain, clears.cmds, NULL));
        vkt_ok(vkQueueWaitIdle(p.queue)); /* the command buffer is submitted again */
    }
    vkDestroySwapchainKHR(p.device, swapchain, NULL); /* presents what is queued first */
    round_trip(c);
    vkt_present_destroy_clears(&p, &clears);
}

static void expect(struct client *c, uint32_t pictures, bool as_images, uint64_t modifier)
{
    const struct tiny_x_server *seen = &c->server;
    tiny_x_server_stop(&c->server);
    assert_int_equal(seen->torn, 0);
    assert_int_equal(seen->reused, 0);
    assert_int_equal(seen->pixmaps_left, 0);
    assert_int_equal(seen->selections_left, 0);
    assert_int_equal(seen->pictures, as_images ? pictures : 0);
    if (as_images) {
        assert_int_equal(seen->put_images, 0);
        assert_int_equal(seen->width, VKT_PRESENT_WIDTH);
        assert_int_equal(seen->height, VKT_PRESENT_HEIGHT);
        assert_true(seen->modifier == modifier);
        assert_int_equal(vkt_present_count_wrong(seen->pixels, PIXELS), 0);
    } else {
        assert_true(seen->put_images >= pictures);
    }
    close_client(c, true);
}

static void show_and_expect(struct tiny_x_server options, VkPresentModeKHR mode, bool as_images, uint64_t modifier)
{
    struct client c;
    open_client(&c, options);
    show(&c, mode, 12);
    expect(&c, 12, as_images && is_drm, modifier);
}

/* -- waits -------------------------------------------------------------------------------------------------------- */

static void frames_can_be_waited_for(void **state)
{
    struct client c;
    struct tiny_x_server options = permissive_options();
    options.period_ms = 16;
    open_client(&c, options);
    vkt_present_check_waits(&p, c.surface, (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}, true);
    round_trip(&c);
    close_client(&c, false);
}

/* -- what is shown ------------------------------------------------------------------------------------------------ */

static void tiles_are_shown_as_they_are(void **state)
{
    show_and_expect(permissive_options(), VK_PRESENT_MODE_FIFO_KHR, true, TILES);
}

static void rows_are_shown_as_they_are(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.screen_modifier_count = 1;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

static void first_version_takes_rows(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.dri3_minor = 0;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

static void server_without_modifiers_takes_rows(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.screen_modifier_count = options.window_modifier_count = 0;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

/* Each frame is scheduled for its own vertical blank. */
static void fifo_shows_each_picture(void **state)
{
    struct client c;
    open_client(&c, permissive_options());
    show(&c, VK_PRESENT_MODE_FIFO_KHR, 15);
    if (is_drm) {
        assert_int_equal(c.server.early, 0);
        assert_int_equal(c.server.skipped, 0);
        assert_int_equal(c.server.async_pictures, 0);
    }
    expect(&c, 15, is_drm, TILES);
}

static void immediate_waits_for_no_vertical_blank(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.period_ms = 0; /* no vertical blank ever comes */
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    struct client c;
    open_client(&c, options);
    show(&c, VK_PRESENT_MODE_IMMEDIATE_KHR, 15);
    assert_int_equal(c.server.async_pictures, 15);
    expect(&c, 15, true, TILES);
}

static void mailbox_leaves_the_choice_to_the_server(void **state)
{
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    struct client c;
    open_client(&c, permissive_options());
    show(&c, VK_PRESENT_MODE_MAILBOX_KHR, 15);
    assert_int_equal(c.server.async_pictures, 0);
    expect(&c, 15, true, TILES);
}

static void pictures_the_server_keeps_cannot_be_acquired(void **state)
{
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    struct tiny_x_server options = permissive_options();
    options.keeps_all = true;
    struct client c;
    open_client(&c, options);
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.surface, VK_PRESENT_MODE_IMMEDIATE_KHR);
    for (uint32_t i = 0; i < 3; i++)
        vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    vkt_ok(vkQueueWaitIdle(p.queue));
    uint32_t image;
    assert_int_equal(vkAcquireNextImageKHR(p.device, swapchain, 20000000, p.acquired, VK_NULL_HANDLE, &image),
                     VK_TIMEOUT);
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    round_trip(&c);
    tiny_x_server_stop(&c.server);
    assert_int_equal(c.server.pictures, 3);
    assert_int_equal(c.server.reused, 0);
    close_client(&c, true);
}

static void hidden_window_goes_on(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.period_ms = 0;
    if (!is_drm)
        vkt_skip("the model presents copies, not its own images");
    struct client c;
    open_client(&c, options);
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.surface, VK_PRESENT_MODE_FIFO_KHR);
    for (uint32_t i = 0; i < 3; i++) /* one frame for each image */
        vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    vkt_ok(vkQueueWaitIdle(p.queue));
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    round_trip(&c);
    tiny_x_server_stop(&c.server);
    assert_int_equal(c.server.pictures, 3);
    close_client(&c, true);
}

/* Images that shaders store to are linear. */
static void images_can_be_used_by_programs(void **state)
{
    for (int stores = 0; stores < 2; stores++) {
        struct client c;
        open_client(&c, permissive_options());
        vkt_present_show_uses(&p, c.surface, (VkExtent2D){VKT_PRESENT_WIDTH, VKT_PRESENT_HEIGHT}, stores, 6);
        round_trip(&c);
        expect(&c, 6, is_drm, stores ? LINEAR : TILES);
    }
}

/* -- refusals and errors ------------------------------------------------------------------------------------------ */

static void refused_pixmaps_are_copies(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.refuses = true;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void refused_tiles_become_rows(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.refuses_tiles = true;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, true, LINEAR);
}

static void strange_modifiers_are_left_alone(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.window_modifiers[0] = I915_FORMAT_MOD_X_TILED;
    options.screen_modifier_count = 0;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void server_on_another_device_gets_copies(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.node = "/dev/null";
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
    options.node = "/dev/there/is/none";
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void server_without_dri3_gets_copies(void **state)
{
    struct tiny_x_server options = permissive_options();
    options.has_dri3 = false;
    show_and_expect(options, VK_PRESENT_MODE_FIFO_KHR, false, 0);
}

static void resized_window_is_suboptimal(void **state)
{
    struct client c;
    open_client(&c, permissive_options());
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.surface, VK_PRESENT_MODE_FIFO_KHR), next;
    vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    const uint32_t size[2] = {VKT_PRESENT_WIDTH + 20, VKT_PRESENT_HEIGHT + 10};
    xcb_configure_window(c.connection, c.window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, size);
    xcb_flush(c.connection);
    assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_SUBOPTIMAL_KHR);
    VkSwapchainCreateInfoKHR info = vkt_swapchain_info(c.surface, VK_PRESENT_MODE_FIFO_KHR);
    info.oldSwapchain = swapchain;
    info.imageExtent = (VkExtent2D){size[0], size[1]};
    vkt_ok(vkCreateSwapchainKHR(p.device, &info, NULL, &next));
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    for (uint32_t i = 0; i < 5; i++)
        vkt_ok(vkt_present_frame(&p, next, VK_NULL_HANDLE, NULL));
    vkt_ok(vkQueueWaitIdle(p.queue));
    vkDestroySwapchainKHR(p.device, next, NULL);
    round_trip(&c);
    tiny_x_server_stop(&c.server);
    assert_int_equal(c.server.torn, 0);
    assert_int_equal(c.server.pixmaps_left, 0);
    assert_int_equal(c.server.selections_left, 0);
    assert_true(!is_drm || c.server.width == size[0]);
    close_client(&c, true);
}

static void destroyed_window_is_lost(void **state)
{
    struct client c;
    open_client(&c, permissive_options());
    VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.surface, VK_PRESENT_MODE_FIFO_KHR);
    vkt_ok(vkt_present_frame(&p, swapchain, VK_NULL_HANDLE, NULL));
    xcb_destroy_window(c.connection, c.window);
    xcb_flush(c.connection);
    assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_ERROR_SURFACE_LOST_KHR);
    vkDestroySwapchainKHR(p.device, swapchain, NULL);
    assert_null(xcb_poll_for_event(c.connection));
    close_client(&c, false);
}

/* Tests every mode, also while the application waits for a pixmap that never becomes idle. */
static void dead_server_is_lost(void **state)
{
    static const VkPresentModeKHR modes[] = {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                             VK_PRESENT_MODE_IMMEDIATE_KHR};
    for (uint32_t i = 0; i < 2 * VKT_COUNT(modes) && is_drm; i++) {
        struct tiny_x_server options = permissive_options();
        options.exits_after_presents = 3;
        options.keeps_all = i & 1;
        struct client c;
        open_client(&c, options);
        VkSwapchainKHR swapchain = vkt_make_swapchain(&p, c.surface, modes[i / 2]), other;
        assert_int_equal(vkt_present_until_failure(&p, swapchain), VK_ERROR_SURFACE_LOST_KHR);
        assert_int_equal(vkt_try_swapchain(&p, c.surface, VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE, &other),
                         VK_ERROR_SURFACE_LOST_KHR);
        vkDestroySwapchainKHR(p.device, swapchain, NULL);
        close_client(&c, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_can_be_waited_for),
        cmocka_unit_test(tiles_are_shown_as_they_are),
        cmocka_unit_test(rows_are_shown_as_they_are),
        cmocka_unit_test(first_version_takes_rows),
        cmocka_unit_test(server_without_modifiers_takes_rows),
        cmocka_unit_test(fifo_shows_each_picture),
        cmocka_unit_test(immediate_waits_for_no_vertical_blank),
        cmocka_unit_test(mailbox_leaves_the_choice_to_the_server),
        cmocka_unit_test(pictures_the_server_keeps_cannot_be_acquired),
        cmocka_unit_test(hidden_window_goes_on),
        cmocka_unit_test(images_can_be_used_by_programs),
        cmocka_unit_test(refused_pixmaps_are_copies),
        cmocka_unit_test(refused_tiles_become_rows),
        cmocka_unit_test(strange_modifiers_are_left_alone),
        cmocka_unit_test(server_on_another_device_gets_copies),
        cmocka_unit_test(server_without_dri3_gets_copies),
        cmocka_unit_test(resized_window_is_suboptimal),
        cmocka_unit_test(destroyed_window_is_lost),
        cmocka_unit_test(dead_server_is_lost),
    };
    return cmocka_run_group_tests_name("x_images", tests, open_device, close_device);
}
