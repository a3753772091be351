/* SPDX-License-Identifier: MIT
 *
 * A device that presents to the display of the DRM shim, for the tests of displays: swapchains that fill a mode, and
 * pictures told apart by a seed, compared word for word with what the display shows.
 */
#ifndef VKT_DISPLAY_H
#define VKT_DISPLAY_H

#include "shim/shim_screen.h"
#include "vkt_present.h"

#define VKT_MAX_MODES 16u

extern struct vkt_present vkt_dev;

/* False without the shim; with it these are there. */
bool vkt_find_shim(void);
extern vc4_shim_read_screen_fn vkt_read_screen;
extern vc4_shim_plug_fn vkt_plug;
extern vc4_shim_take_master_fn vkt_take_master;
struct vc4_shim_screen vkt_look(void);

/* Of a group of tests. */
int vkt_open_displays(void **state);
int vkt_close_displays(void **state);

double vkt_now_s(void);

#define VKT_INSTANCE_FUNCTION(name)                                                                                    \
    PFN_##name name##_ = (PFN_##name)vkGetInstanceProcAddr(vkt_dev.instance, #name);                                   \
    assert_non_null(name##_)

/* -- displays and swapchains -------------------------------------------------------------------------------------- */

VkDisplayKHR vkt_the_display(void);
uint32_t vkt_modes_of(VkDisplayKHR display, VkDisplayModePropertiesKHR modes[VKT_MAX_MODES]);
/* The smallest at 60 Hz. */
VkDisplayModePropertiesKHR vkt_small_mode(VkDisplayKHR display);
VkSurfaceKHR vkt_make_surface(VkDisplayModePropertiesKHR mode);
VkResult vkt_try_display_swapchain(VkSurfaceKHR surface, VkExtent2D extent, VkPresentModeKHR mode, VkSwapchainKHR old,
                                   VkSwapchainKHR *out);
void vkt_check_is_refused(VkDisplayModePropertiesKHR mode, VkResult why);

/* -- pictures ----------------------------------------------------------------------------------------------------- */

/* A swapchain whose pictures are told apart by a seed. */
struct vkt_show {
    struct vkt t;
    VkExtent2D extent;
    VkSurfaceKHR surface;
    VkSwapchainKHR swapchain;
    VkImage images[3];
    struct vkt_buffer pixels;
    VkCommandBuffer cmd;
};

void vkt_open_show(struct vkt_show *s, VkDisplayModePropertiesKHR mode, VkPresentModeKHR present_mode);
/* Nothing to do where that has been done. */
void vkt_close_show(struct vkt_show *s);
/* After a new swapchain. */
void vkt_take_images(struct vkt_show *s);
VkResult vkt_show_picture(struct vkt_show *s, uint32_t seed);
/* What is presented is seen soon after. */
void vkt_check_is_shown(const struct vkt_show *s, uint32_t seed);
void vkt_show_and_check(struct vkt_show *s, uint32_t seed);

/* -- fixtures: a swapchain that shows a first picture, of seed 0, in the small mode ------------------------------- */

int vkt_set_up_fifo(void **state);
int vkt_set_up_mailbox(void **state);
int vkt_tear_down(void **state);

#define VKT_FIFO_TEST(name) cmocka_unit_test_setup_teardown(name, vkt_set_up_fifo, vkt_tear_down)

#endif
