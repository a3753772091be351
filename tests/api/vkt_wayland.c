/* SPDX-License-Identifier: MIT
 *
 * See vkt_wayland.h.
 */
#include <string.h>
#include "vkt_wayland.h"

static void on_global(void *data, struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version)
{
    struct vkt_wayland_client *c = data;
    if (strcmp(interface, wl_compositor_interface.name) == 0)
        c->globals = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

void vkt_wayland_open(struct vkt_wayland_client *c, const struct vkt_present *p, struct tiny_compositor options)
{
    static const struct wl_registry_listener listener = {on_global, on_global_remove};
    *c = (struct vkt_wayland_client){.compositor = options};
    assert_int_equal(tiny_compositor_start(&c->compositor), 0);
    c->display = wl_display_connect_to_fd(c->compositor.client_fd);
    assert_non_null(c->display);
    struct wl_registry *registry = wl_display_get_registry(c->display);
    wl_registry_add_listener(registry, &listener, c);
    assert_true(wl_display_roundtrip(c->display) >= 0);
    wl_registry_destroy(registry);
    assert_non_null(c->globals);
    c->surface = wl_compositor_create_surface(c->globals);
    assert_true(vkGetPhysicalDeviceWaylandPresentationSupportKHR(p->physical, 0, c->display));
    const VkWaylandSurfaceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR, .display = c->display, .surface = c->surface};
    vkt_ok(vkCreateWaylandSurfaceKHR(p->instance, &info, NULL, &c->vk_surface));
}

void vkt_wayland_close(struct vkt_wayland_client *c, const struct vkt_present *p, bool is_stopped)
{
    vkDestroySurfaceKHR(p->instance, c->vk_surface, NULL);
    wl_surface_destroy(c->surface);
    wl_compositor_destroy(c->globals);
    wl_display_disconnect(c->display);
    if (!is_stopped)
        tiny_compositor_stop(&c->compositor);
    tiny_compositor_finish(&c->compositor);
}

void vkt_wayland_show(struct vkt_wayland_client *c, const struct vkt_present *p, VkPresentModeKHR mode, uint32_t frames)
{
    VkSwapchainKHR swapchain = vkt_make_swapchain(p, c->vk_surface, mode);
    VkImage images[3];
    uint32_t count = 3;
    vkt_ok(vkGetSwapchainImagesKHR(p->device, swapchain, &count, images));
    struct vkt_present_clears clears;
    vkt_present_record_clears(p, images, VK_FORMAT_B8G8R8A8_UNORM, &clears);
    for (uint32_t i = 0; i < frames; i++) {
        vkt_ok(vkt_present_frame_of(p, swapchain, clears.cmds, NULL));
        vkt_ok(vkQueueWaitIdle(p->queue)); /* command buffers are resubmitted */
    }
    vkDestroySwapchainKHR(p->device, swapchain, NULL); /* waits until queued frames are shown */
    assert_true(wl_display_roundtrip(c->display) >= 0);
    vkt_present_destroy_clears(p, &clears);
}
