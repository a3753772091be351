/* SPDX-License-Identifier: MIT
 *
 * Render passes and framebuffers: copies of what the application described. How passes become jobs is decided when
 * they are recorded.
 */
#ifndef DEVICE_VC4VK_RENDER_PASS_H
#define DEVICE_VC4VK_RENDER_PASS_H

#include "device/vc4vk_object.h"

struct vc4vk_subpass {
    VkPipelineBindPoint bind_point;
    uint32_t color_count, input_count, preserve_count;
    VkAttachmentReference *colors;   /* VK_ATTACHMENT_UNUSED where not used */
    VkAttachmentReference *resolves; /* color_count entries, or NULL */
    VkAttachmentReference *inputs;
    VkAttachmentReference depth_stencil; /* attachment VK_ATTACHMENT_UNUSED when there is none */
    uint32_t *preserves;
    VkAttachmentReference depth_resolve; /* of depth and stencil, each with a mode that may be none */
    VkResolveModeFlagBits depth_mode, stencil_mode;
    uint32_t view_mask; /* multiview: its draws are drawn once for each of these views, which is a layer each; else 0 */
};

struct vc4vk_render_pass {
    struct vc4vk_object base;
    uint32_t attachment_count, subpass_count, dependency_count;
    VkAttachmentDescription *attachments; /* all arrays belong to the one allocation of the object */
    uint32_t *first_use, *last_use;       /* per attachment: subpasses; UINT32_MAX when unused */
    struct vc4vk_subpass *subpasses;
    VkSubpassDependency *dependencies;
    uint32_t view_mask;     /* of all subpasses together */
    bool waits, waited_for; /* it depends on what comes before it, and what comes after it on it */
};

struct vc4vk_framebuffer {
    struct vc4vk_object base;
    uint32_t width_px, height_px, layers;
    uint32_t attachment_count;
    VkImageView *attachments; /* views belong to the descriptor room; those of an imageless one come with the pass */
    bool is_imageless;
};

/* Input attachments of the subpass that the tile buffer holds, as a bit mask: those that are also its one colour, of
 * one word a pixel and one sample. */
#define VC4VK_MAX_TILE_INPUTS 32u
uint32_t vc4vk_render_pass_tile_inputs(const struct vc4vk_render_pass *pass, uint32_t subpass);

VC4VK_DEFINE_HANDLE(vc4vk_render_pass, VkRenderPass, VK_OBJECT_TYPE_RENDER_PASS)
VC4VK_DEFINE_HANDLE(vc4vk_framebuffer, VkFramebuffer, VK_OBJECT_TYPE_FRAMEBUFFER)

#endif
