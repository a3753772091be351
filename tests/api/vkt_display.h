/* SPDX-License-Identifier: MIT
 *
 * A device that presents to the display of the DRM shim, for the tests of displays. Swapchains fill a display mode, and
 * each frame shows a test pattern that depends on a seed. The tests compare the pattern word for word with what the
 * display shows.
 */
#ifndef VKT_DISPLAY_H
#define VKT_DISPLAY_H

#include "shim/shim_screen.h"
#include "vkt_present.h"

#define VKT_MAX_MODES 16u

extern struct vkt_present vkt_dev;

/* Looks up the functions of the shim below. False if the shim is not loaded. */
bool vkt_find_shim(void);
extern vc4_shim_read_screen_fn vkt_read_screen;
extern vc4_shim_plug_fn vkt_plug;
extern vc4_shim_take_master_fn vkt_take_master;
struct vc4_shim_screen vkt_screen_state(void);

/* Group setup and teardown. */
int vkt_open_displays(void **state);
int vkt_close_displays(void **state);

double vkt_now_s(void);

#define VKT_INSTANCE_FUNCTION(name)                                                                                    \
    PFN_##name name##_ = (PFN_##name)vkGetInstanceProcAddr(vkt_dev.instance, #name);                                   \
    assert_non_null(name##_)

/* -- displays and swapchains -------------------------------------------------------------------------------------- */

VkDisplayKHR vkt_get_display(void);
uint32_t vkt_get_modes(VkDisplayKHR display, VkDisplayModePropertiesKHR modes[VKT_MAX_MODES]);
/* The narrowest mode at 60 Hz. */
VkDisplayModePropertiesKHR vkt_small_mode(VkDisplayKHR display);
VkSurfaceKHR vkt_make_surface(VkDisplayModePropertiesKHR mode);
VkResult vkt_try_display_swapchain(VkSurfaceKHR surface, VkExtent2D extent, VkPresentModeKHR mode, VkSwapchainKHR old,
                                   VkSwapchainKHR *out);
void vkt_check_is_refused(VkDisplayModePropertiesKHR mode, VkResult why);

/* -- test patterns ------------------------------------------------------------------------------------------------ */

/* A swapchain and what is needed to present test patterns to it. */
struct vkt_display_swapchain {
    struct vkt t;
    VkExtent2D extent;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkImage images[3];
    struct vkt_buffer pixels;
    VkCommandBuffer cmd;
};

void vkt_open_display_swapchain(struct vkt_display_swapchain *s, VkDisplayModePropertiesKHR mode,
                                VkPresentModeKHR present_mode);
/* Does nothing if it has been closed already. */
void vkt_close_display_swapchain(struct vkt_display_swapchain *s);
/* Call after replacing the swapchain. */
void vkt_get_images(struct vkt_display_swapchain *s);
/* Presents the pattern of `seed`, and waits for the queue. */
VkResult vkt_present_pattern(struct vkt_display_swapchain *s, uint32_t seed);
/* Waits up to 2 seconds for the display to show the pattern of `seed`; fails if it does not. */
void vkt_check_screen(const struct vkt_display_swapchain *s, uint32_t seed);
void vkt_present_and_check(struct vkt_display_swapchain *s, uint32_t seed);

/* -- fixtures: a swapchain that shows a first picture, of seed 0, in the small mode ------------------------------- */

int vkt_set_up_fifo(void **state);
int vkt_set_up_mailbox(void **state);
int vkt_tear_down(void **state);

#define VKT_FIFO_TEST(name) cmocka_unit_test_setup_teardown(name, vkt_set_up_fifo, vkt_tear_down)

#endif
