/* SPDX-License-Identifier: MIT
 *
 * A device that presents, for the tests of surfaces: creates small swapchains of three images, presents frames, and
 * records command buffers that fill the images with one colour.
 */
#ifndef VKT_PRESENT_H
#define VKT_PRESENT_H

#include "vkt.h"

#define VKT_PRESENT_WIDTH  96u
#define VKT_PRESENT_HEIGHT 64u

#define VKT_NODE_PATH 300

struct vkt_present {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkSemaphore acquired, rendered;
    VkFence fence;
    VkQueue other_queue; /* another queue of the same family */
};

/* `platforms`: surface extensions to enable in addition to headless surfaces. */
void vkt_present_open(struct vkt_present *p, const char *const *platforms, uint32_t platform_count);
void vkt_present_close(struct vkt_present *p);

/* True if the tests run on the DRM backend, which means on the shim; writes the path of its primary node then. */
bool vkt_present_node(char path[VKT_NODE_PATH]);
/* The same device for another thread: with the other queue, and its own semaphores and fence. */
struct vkt_present vkt_present_for_thread(const struct vkt_present *p);
void vkt_present_destroy_sync(struct vkt_present *p);

/* Three images of VKT_PRESENT_WIDTH x VKT_PRESENT_HEIGHT, B8G8R8A8_UNORM. */
VkSwapchainCreateInfoKHR vkt_swapchain_info(VkSurfaceKHR surface, VkPresentModeKHR mode);
VkResult vkt_try_swapchain(const struct vkt_present *p, VkSurfaceKHR surface, VkPresentModeKHR mode, VkSwapchainKHR old,
                           VkSwapchainKHR *out);
VkSwapchainKHR vkt_make_swapchain(const struct vkt_present *p, VkSurfaceKHR surface, VkPresentModeKHR mode);

/* Presents an acquired image after `wait`, which may be VK_NULL_HANDLE. `region` is the changed part; NULL:
 * everything. */
VkResult vkt_present_image(const struct vkt_present *p, VkSwapchainKHR swapchain, uint32_t image, VkSemaphore wait,
                           const VkPresentRegionKHR *region);

/* Acquires an image, submits `cmd` (may be VK_NULL_HANDLE) between the two semaphores, presents. Returns the worse
 * result. */
VkResult vkt_present_frame(const struct vkt_present *p, VkSwapchainKHR swapchain, VkCommandBuffer cmd,
                           const VkPresentRegionKHR *region);

/* The same with one command buffer per image. */
VkResult vkt_present_frame_of(const struct vkt_present *p, VkSwapchainKHR swapchain, const VkCommandBuffer *cmds,
                              const VkPresentRegionKHR *region);

/* Presents frames until one does not return VK_SUCCESS, and returns its result. */
VkResult vkt_present_until_failure(const struct vkt_present *p, VkSwapchainKHR swapchain);

/* Command buffers that clear each of three images in a render pass to the bytes red 255, green 51, blue 102. The values
 * differ so that swapped channels are noticed. `format` is the format of the views, UNORM or sRGB. */
struct vkt_present_clears {
    VkRenderPass pass;
    VkCommandPool pool;
    VkImageView views[3];
    VkFramebuffer framebuffers[3];
    VkCommandBuffer cmds[3];
};

void vkt_present_record_clears(const struct vkt_present *p, const VkImage images[3], VkFormat format,
                               struct vkt_present_clears *out);
void vkt_present_destroy_clears(const struct vkt_present *p, struct vkt_present_clears *clears);

/* Records a copy of tightly packed pixels to a swapchain image, and its transition to the present layout. */
void vkt_present_record_copy(VkCommandBuffer cmd, VkBuffer pixels, VkImage image, VkExtent2D extent);

/* Counts the pixels (four bytes, blue first) that do not have the colour of vkt_present_record_clears. */
uint32_t vkt_present_count_wrong(const uint8_t *pixels, uint32_t count);

#endif
