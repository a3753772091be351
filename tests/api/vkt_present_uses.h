/* SPDX-License-Identifier: MIT
 *
 * Uses swapchain images in every way that programs do: sampled, as input attachments, and as storage images. Each of
 * three command buffers copies a pattern into its swapchain image and reads it in every way into witness images. It
 * then draws the colour of vkt_present_record_clears where all witnesses have the pattern, and black elsewhere.
 */
#ifndef VKT_PRESENT_USES_H
#define VKT_PRESENT_USES_H

#include "vkt_present.h"

/* The command buffers share the witnesses, so only one of them may run at a time. */
struct vkt_present_uses {
    struct vkt t;
    VkExtent2D extent;
    bool stores;
    struct vkt_buffer pattern;
    struct vkt_image witnesses[3]; /* written from the sampled, the input attachment and the storage image read */
    VkSampler sampler;
    VkRenderPass passes[3]; /* the first two write a witness, the last one draws the result */
    VkDescriptorSetLayout layouts[4];
    struct vkt_pipeline reads[2], finish;
    struct vkt_compute store;
    VkImageView views[3];
    VkFramebuffer framebuffers[3][3]; /* [pass][image] */
    VkCommandBuffer cmds[3];
};

/* A swapchain whose images have these usages; `stores`: including storage. */
VkSwapchainKHR vkt_make_swapchain_of_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent,
                                          bool stores, VkImage images_out[3]);

void vkt_present_record_uses(const struct vkt_present *p, const VkImage images[3], VkExtent2D extent, bool stores,
                             struct vkt_present_uses *out);
void vkt_present_destroy_uses(struct vkt_present_uses *uses);

/* Creates such a swapchain, presents `frames` frames in FIFO mode and destroys it. */
void vkt_present_show_uses(const struct vkt_present *p, VkSurfaceKHR surface, VkExtent2D extent, bool stores,
                           uint32_t frames);

#endif
