/* SPDX-License-Identifier: MIT
 *
 * VK_EXT_display_control and VK_EXT_display_surface_counter on the display of the DRM shim: fences for hotplug and
 * first-pixel-out events, the power state of the display, and the counter of vertical blanks.
 */
#include <stdlib.h>
#include <string.h>
#include "vkt_display.h"

#define TIMEOUT_NS UINT64_C(5000000000)

#define DEVICE_FUNCTION(name)                                                                                          \
    PFN_##name name##_ = (PFN_##name)vkGetDeviceProcAddr(vkt_dev.device, #name);                                       \
    assert_non_null(name##_)

/* -- fences ------------------------------------------------------------------------------------------------------- */

static VkFence hotplug_fence(void)
{
    DEVICE_FUNCTION(vkRegisterDeviceEventEXT);
    const VkDeviceEventInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEVICE_EVENT_INFO_EXT,
                                       .deviceEvent = VK_DEVICE_EVENT_TYPE_DISPLAY_HOTPLUG_EXT};
    VkFence fence;
    vkt_ok(vkRegisterDeviceEventEXT_(vkt_dev.device, &info, NULL, &fence));
    return fence;
}

static VkFence first_pixel_fence(VkDisplayKHR display)
{
    DEVICE_FUNCTION(vkRegisterDisplayEventEXT);
    const VkDisplayEventInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_EVENT_INFO_EXT,
                                        .displayEvent = VK_DISPLAY_EVENT_TYPE_FIRST_PIXEL_OUT_EXT};
    VkFence fence;
    vkt_ok(vkRegisterDisplayEventEXT_(vkt_dev.device, display, &info, NULL, &fence));
    return fence;
}

static void wait_and_destroy(VkFence fence)
{
    vkt_ok(vkWaitForFences(vkt_dev.device, 1, &fence, VK_TRUE, TIMEOUT_NS));
    vkDestroyFence(vkt_dev.device, fence, NULL);
}

static uint32_t display_count(void)
{
    uint32_t count;
    vkt_ok(vkGetPhysicalDeviceDisplayPropertiesKHR(vkt_dev.physical, &count, NULL));
    return count;
}

static void plug_is_heard(void **state)
{
    VkFence fences[2] = {hotplug_fence(), hotplug_fence()}, unused = hotplug_fence();
    assert_int_equal(vkGetFenceStatus(vkt_dev.device, fences[0]), VK_NOT_READY);
    vkDestroyFence(vkt_dev.device, unused, NULL); /* allowed while registered */
    vkt_plug(false);
    vkt_ok(vkWaitForFences(vkt_dev.device, 2, fences, VK_TRUE, TIMEOUT_NS));
    assert_int_equal(display_count(), 0);
    VkFence again = hotplug_fence();
    assert_int_equal(vkGetFenceStatus(vkt_dev.device, again), VK_NOT_READY); /* each fence reports one event */
    vkt_plug(true);
    wait_and_destroy(again);
    assert_int_equal(display_count(), 1);
    /* After a reset it is an ordinary fence. */
    vkt_ok(vkResetFences(vkt_dev.device, 1, fences));
    assert_int_equal(vkGetFenceStatus(vkt_dev.device, fences[0]), VK_NOT_READY);
    vkt_ok(vkQueueSubmit(vkt_dev.queue, 0, NULL, fences[0]));
    wait_and_destroy(fences[0]);
    vkDestroyFence(vkt_dev.device, fences[1], NULL);
}

static void each_first_pixel_is_heard(void **state)
{
    struct vkt_display_swapchain *s = *state;
    VkDisplayKHR display = vkt_get_display();
    const char *driver = getenv("VC4VK_SHIM_DISPLAY");
    const bool counts_vblanks = !driver || strcmp(driver, "legacy"); /* else the driver uses the clock */
    for (uint32_t i = 0; i < 20; i++) {
        const uint64_t before = vkt_screen_state().vblanks;
        VkFence fence = first_pixel_fence(display);
        wait_and_destroy(fence);
        assert_true(!counts_vblanks || vkt_screen_state().vblanks > before);
    }
    for (uint32_t i = 0; i < 20; i++) { /* during presents, and with nobody waiting for the fence */
        vkDestroyFence(vkt_dev.device, first_pixel_fence(display), NULL);
        vkt_ok(vkt_present_pattern(s, i));
    }
}

static void dark_display_has_no_pixels(void **state)
{
    VkDisplayKHR display = vkt_get_display();
    VkFence fence = first_pixel_fence(display);
    assert_int_equal(vkWaitForFences(vkt_dev.device, 1, &fence, VK_TRUE, 300000000), VK_TIMEOUT);
    struct vkt_display_swapchain s;
    vkt_open_display_swapchain(&s, vkt_small_mode(display), VK_PRESENT_MODE_FIFO_KHR);
    vkt_present_and_check(&s, 1);
    wait_and_destroy(fence);
    vkt_close_display_swapchain(&s);
    vkDestroyFence(vkt_dev.device, first_pixel_fence(display), NULL); /* pending when the device is destroyed */
}

/* -- power -------------------------------------------------------------------------------------------------------- */

static VkResult set_power(VkDisplayPowerStateEXT power)
{
    DEVICE_FUNCTION(vkDisplayPowerControlEXT);
    const VkDisplayPowerInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DISPLAY_POWER_INFO_EXT, .powerState = power};
    return vkDisplayPowerControlEXT_(vkt_dev.device, vkt_get_display(), &info);
}

static void display_goes_off_and_on(void **state)
{
    const VkDisplayPowerStateEXT low[] = {VK_DISPLAY_POWER_STATE_OFF_EXT, VK_DISPLAY_POWER_STATE_SUSPEND_EXT};
    struct vkt_display_swapchain *s = *state;
    for (uint32_t i = 0; i < 2; i++) {
        vkt_ok(set_power(low[i]));
        assert_false(vkt_screen_state().is_on);
        for (uint32_t seed = 20; seed < 30; seed++) /* presents neither fail nor hang while it is off */
            vkt_ok(vkt_present_pattern(s, seed));
        assert_false(vkt_screen_state().is_on);
        vkt_ok(set_power(VK_DISPLAY_POWER_STATE_ON_EXT));
        assert_true(vkt_screen_state().is_on);
        vkt_check_screen(s, 29); /* without another present */
        vkt_present_and_check(s, i + 1);
    }
    assert_int_equal(vkt_screen_state().torn, 0);
}

static void power_is_the_masters(void **state)
{
    struct vkt_display_swapchain *s = *state;
    vkt_take_master(true);
    assert_int_equal(set_power(VK_DISPLAY_POWER_STATE_OFF_EXT), VK_ERROR_INITIALIZATION_FAILED);
    vkt_take_master(false);
    vkt_ok(set_power(VK_DISPLAY_POWER_STATE_OFF_EXT));
    vkt_close_display_swapchain(s);
    vkt_ok(set_power(VK_DISPLAY_POWER_STATE_OFF_EXT)); /* no error when nothing is shown */
    vkt_open_display_swapchain(s, vkt_small_mode(vkt_get_display()), VK_PRESENT_MODE_FIFO_KHR);
    vkt_present_and_check(s, 3);
}

/* -- counters ----------------------------------------------------------------------------------------------------- */

static VkSurfaceCounterFlagsEXT counters_of(VkSurfaceKHR surface)
{
    VKT_INSTANCE_FUNCTION(vkGetPhysicalDeviceSurfaceCapabilities2EXT);
    VkSurfaceCapabilitiesKHR known;
    VkSurfaceCapabilities2EXT caps = {.sType = VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_EXT};
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(vkt_dev.physical, surface, &known));
    vkt_ok(vkGetPhysicalDeviceSurfaceCapabilities2EXT_(vkt_dev.physical, surface, &caps));
    assert_int_equal(caps.minImageCount, known.minImageCount);
    assert_int_equal(caps.maxImageCount, known.maxImageCount);
    assert_int_equal(caps.currentExtent.width, known.currentExtent.width);
    assert_int_equal(caps.maxImageExtent.height, known.maxImageExtent.height);
    assert_int_equal(caps.supportedUsageFlags, known.supportedUsageFlags);
    assert_int_equal(caps.supportedCompositeAlpha, known.supportedCompositeAlpha);
    return caps.supportedSurfaceCounters;
}

static void vertical_blanks_are_counted(void **state)
{
    DEVICE_FUNCTION(vkGetSwapchainCounterEXT);
    struct vkt_display_swapchain *s = *state;
    assert_int_equal(counters_of(s->surface), VK_SURFACE_COUNTER_VBLANK_BIT_EXT);
    uint64_t first, later, dark;
    vkt_ok(vkGetSwapchainCounterEXT_(vkt_dev.device, s->swapchain, VK_SURFACE_COUNTER_VBLANK_BIT_EXT, &first));
    for (uint32_t i = 0; i < 10; i++)
        vkt_ok(vkt_present_pattern(s, i));
    vkt_check_screen(s, 9);
    vkt_ok(vkGetSwapchainCounterEXT_(vkt_dev.device, s->swapchain, VK_SURFACE_COUNTER_VBLANK_BIT_EXT, &later));
    assert_true(later >= first + 9); /* the first frame may be shown at a blank already counted */
    vkt_ok(set_power(VK_DISPLAY_POWER_STATE_OFF_EXT));
    vkt_ok(vkGetSwapchainCounterEXT_(vkt_dev.device, s->swapchain, VK_SURFACE_COUNTER_VBLANK_BIT_EXT, &dark));
    assert_int_equal(dark, later);
    vkt_ok(set_power(VK_DISPLAY_POWER_STATE_ON_EXT));
    vkt_plug(false);
    assert_int_equal(vkGetSwapchainCounterEXT_(vkt_dev.device, s->swapchain, VK_SURFACE_COUNTER_VBLANK_BIT_EXT, &later),
                     VK_ERROR_OUT_OF_DATE_KHR);
}

static void other_surfaces_have_no_counter(void **state)
{
    VKT_INSTANCE_FUNCTION(vkCreateHeadlessSurfaceEXT);
    const VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR surface;
    vkt_ok(vkCreateHeadlessSurfaceEXT_(vkt_dev.instance, &info, NULL, &surface));
    assert_int_equal(counters_of(surface), 0);
    vkDestroySurfaceKHR(vkt_dev.instance, surface, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_surfaces_have_no_counter),
        cmocka_unit_test(plug_is_heard),
        VKT_FIFO_TEST(each_first_pixel_is_heard),
        VKT_FIFO_TEST(display_goes_off_and_on),
        VKT_FIFO_TEST(power_is_the_masters),
        VKT_FIFO_TEST(vertical_blanks_are_counted),
        cmocka_unit_test(dark_display_has_no_pixels),
    };
    assert_true(vkt_find_shim());
    return cmocka_run_group_tests_name("display control", tests, vkt_open_displays, vkt_close_displays);
}
