/* SPDX-License-Identifier: MIT
 *
 * Swapchain images as programs use them: sampled, read as input attachments, read and written as storage images. Each
 * of three command buffers copies a pattern into its image, has it read in every way, and draws the colour of
 * vkt_present_record_clears where all have read the pattern, else black.
 */
#ifndef VKT_PRESENT_USES_H
#define VKT_PRESENT_USES_H

#include "vkt_present.h"

/* One command buffer after the other may run: they share what they read into. */
struct vkt_present_uses {
    struct vkt t;
    VkExtent2D extent;
    bool stores;
    struct vkt_buffer pattern;
    struct vkt_image witnesses[3]; /* sampled, input attachment, storage image */
    VkSampler sampler;
    VkRenderPass passes[3]; /* the first two read into a witness, the last one draws the picture */
    VkDescriptorSetLayout layouts[4];
    struct vkt_pipeline reads[2], finish;
    struct vkt_compute store;
    VkImageView views[3];
    VkFramebuffer framebuffers[3][3]; /* of each pass, for each image */
    VkCommandBuffer cmds[3];
};

/* A swapchain of images for all of that; `stores`: for storage images, too. */
VkSwapchainKHR vkt_make_swapchain_of_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent,
                                          bool stores, VkImage images_out[3]);

void vkt_present_record_uses(const struct vkt_present *p, const VkImage images[3], VkExtent2D extent, bool stores,
                             struct vkt_present_uses *out);
void vkt_present_destroy_uses(struct vkt_present_uses *uses);

/* Makes such a swapchain, shows `frames` of its pictures in FIFO and destroys it. */
void vkt_present_show_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent, bool stores,
                           uint32_t frames);

#endif
