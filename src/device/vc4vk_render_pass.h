/* SPDX-License-Identifier: MIT
 *
 * Render passes and framebuffers: copies of the application's create infos. How a pass is split into jobs is decided
 * when it is recorded. Passes of VK_KHR_dynamic_rendering are described by the same structs, which the command buffer
 * fills when such a pass begins (cmdbuf/vc4vk_cmd_rendering.h).
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
    VkImageAspectFlags depth_aspects;    /* those of depth_stencil that are attached: the others keep their contents */
    uint32_t *preserves;
    VkAttachmentReference depth_resolve;            /* attachment VK_ATTACHMENT_UNUSED when there is none */
    VkResolveModeFlagBits depth_mode, stencil_mode; /* of depth_resolve; either may be VK_RESOLVE_MODE_NONE */
    /* VK_EXT_multisampled_render_to_single_sampled: how many samples draws have where the attachments have one; the
     * modes above are then those of depth_stencil itself. 0: as many as the attachments. */
    uint32_t implicit_samples;
    bool dithers;                                   /* VK_EXT_legacy_dithering */
    uint32_t view_mask; /* multiview: draws are repeated for each view, which is a layer each; 0: no multiview */
};

struct vc4vk_render_pass {
    struct vc4vk_object base;
    uint32_t attachment_count, subpass_count, dependency_count;
    VkAttachmentDescription *attachments; /* all arrays belong to the one allocation of the object */
    uint32_t *first_use, *last_use;       /* subpass indices per attachment; UINT32_MAX when unused */
    struct vc4vk_subpass *subpasses;
    VkSubpassDependency *dependencies;
    uint32_t view_mask;     /* of all subpasses together */
    bool waits, waited_for; /* has dependencies from and to VK_SUBPASS_EXTERNAL */
};

/* The implicit_samples that the chain asks for. */
uint32_t vc4vk_implicit_samples(const void *chain);

/* VK_EXT_load_store_op_none: what is neither loaded nor stored must keep its contents, but jobs store whole tiles, and
 * depth together with stencil. So it is loaded. */
static inline VkAttachmentLoadOp vc4vk_load_op(VkAttachmentLoadOp op)
{
    return op == VK_ATTACHMENT_LOAD_OP_NONE_EXT ? VK_ATTACHMENT_LOAD_OP_LOAD : op;
}

struct vc4vk_framebuffer {
    struct vc4vk_object base;
    uint32_t width_px, height_px, layers;
    uint32_t attachment_count;
    VkImageView *attachments; /* unset when imageless: vkCmdBeginRenderPass names the views then */
    bool is_imageless;
    uint32_t subpass_count; /* of the render pass that it was made for */
    uint8_t *samples;       /* of each subpass, by which its tiles have a size */
};

/* What VK_QCOM_tile_properties says of jobs with so many samples. */
void vc4vk_fill_tile_properties(VkTilePropertiesQCOM *out, uint32_t samples);

/* Bit mask of the subpass's input attachments that can be read from the tile buffer: those that are also its only
 * colour attachment, with one word per pixel and one sample. */
#define VC4VK_MAX_TILE_INPUTS 32u
uint32_t vc4vk_render_pass_tile_inputs(const struct vc4vk_render_pass *pass, uint32_t subpass);

VC4VK_DEFINE_HANDLE(vc4vk_render_pass, VkRenderPass, VK_OBJECT_TYPE_RENDER_PASS)
VC4VK_DEFINE_HANDLE(vc4vk_framebuffer, VkFramebuffer, VK_OBJECT_TYPE_FRAMEBUFFER)

#endif
