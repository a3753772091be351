/* SPDX-License-Identifier: MIT
 *
 * Render passes and framebuffers: deep copies in one allocation each.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_render_pass.h"
#include "hw/layout.h"

/* How many references and preserve entries all subpasses have together. */
static void count_references(const VkRenderPassCreateInfo *info, size_t *references_out, size_t *preserves_out)
{
    size_t references = 0, preserves = 0;
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        const VkSubpassDescription *s = &info->pSubpasses[i];
        references += (size_t)s->colorAttachmentCount * (s->pResolveAttachments ? 2 : 1) + s->inputAttachmentCount;
        preserves += s->preserveAttachmentCount;
    }
    *references_out = references;
    *preserves_out = preserves;
}

static VkAttachmentReference *copy_references(VkAttachmentReference **next, const VkAttachmentReference *from,
                                              uint32_t count)
{
    VkAttachmentReference *copy = *next;
    if (count)
        memcpy(copy, from, count * sizeof *from);
    *next += count;
    return copy;
}

static void copy_subpass(struct vc4vk_subpass *out, const VkSubpassDescription *in, VkAttachmentReference **references,
                         uint32_t **preserves)
{
    out->bind_point = in->pipelineBindPoint;
    out->color_count = in->colorAttachmentCount;
    out->input_count = in->inputAttachmentCount;
    out->preserve_count = in->preserveAttachmentCount;
    out->colors = copy_references(references, in->pColorAttachments, in->colorAttachmentCount);
    if (in->pResolveAttachments)
        out->resolves = copy_references(references, in->pResolveAttachments, in->colorAttachmentCount);
    out->inputs = copy_references(references, in->pInputAttachments, in->inputAttachmentCount);
    out->depth_stencil = in->pDepthStencilAttachment
                             ? *in->pDepthStencilAttachment
                             : (VkAttachmentReference){VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
    out->preserves = *preserves;
    if (in->preserveAttachmentCount)
        memcpy(out->preserves, in->pPreserveAttachments, in->preserveAttachmentCount * sizeof **preserves);
    *preserves += in->preserveAttachmentCount;
}

static void note_use(struct vc4vk_render_pass *pass, const VkAttachmentReference *reference, uint32_t subpass)
{
    uint32_t a = reference->attachment;
    if (a == VK_ATTACHMENT_UNUSED || a >= pass->attachment_count)
        return;
    if (pass->first_use[a] == UINT32_MAX)
        pass->first_use[a] = subpass;
    pass->last_use[a] = subpass;
}

static void find_uses(struct vc4vk_render_pass *pass)
{
    for (uint32_t i = 0; i < pass->attachment_count; i++)
        pass->first_use[i] = pass->last_use[i] = UINT32_MAX;
    for (uint32_t i = 0; i < pass->subpass_count; i++) {
        const struct vc4vk_subpass *s = &pass->subpasses[i];
        for (uint32_t j = 0; j < s->color_count; j++) {
            note_use(pass, &s->colors[j], i);
            if (s->resolves)
                note_use(pass, &s->resolves[j], i);
        }
        for (uint32_t j = 0; j < s->input_count; j++)
            note_use(pass, &s->inputs[j], i);
        note_use(pass, &s->depth_stencil, i);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateRenderPass(VkDevice _device, const VkRenderPassCreateInfo *pCreateInfo,
                                                      const VkAllocationCallbacks *pAllocator,
                                                      VkRenderPass *pRenderPass)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_render_pass *pass;
    VkAttachmentDescription *attachments;
    VkAttachmentReference *references;
    VkSubpassDependency *dependencies;
    struct vc4vk_subpass *subpasses;
    uint32_t *uses, *preserves;
    size_t reference_count, preserve_count;
    count_references(pCreateInfo, &reference_count, &preserve_count);
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &pass, 1);
    vc4vk_multialloc_add(&ma, &attachments, pCreateInfo->attachmentCount);
    vc4vk_multialloc_add(&ma, &uses, (size_t)2 * pCreateInfo->attachmentCount);
    vc4vk_multialloc_add(&ma, &subpasses, pCreateInfo->subpassCount);
    vc4vk_multialloc_add(&ma, &references, reference_count);
    vc4vk_multialloc_add(&ma, &preserves, preserve_count);
    vc4vk_multialloc_add(&ma, &dependencies, pCreateInfo->dependencyCount);
    if (!vc4vk_multialloc_alloc(&ma, vc4vk_alloc_choose(device->alloc, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&pass->base, VK_OBJECT_TYPE_RENDER_PASS);
    pass->attachment_count = pCreateInfo->attachmentCount;
    pass->subpass_count = pCreateInfo->subpassCount;
    pass->dependency_count = pCreateInfo->dependencyCount;
    pass->attachments = attachments;
    pass->first_use = uses;
    pass->last_use = uses + pCreateInfo->attachmentCount;
    pass->subpasses = subpasses;
    pass->dependencies = dependencies;
    if (pass->attachment_count)
        memcpy(attachments, pCreateInfo->pAttachments, pass->attachment_count * sizeof *attachments);
    for (uint32_t i = 0; i < pass->dependency_count; i++) {
        dependencies[i] = pCreateInfo->pDependencies[i];
        pass->waits |= dependencies[i].srcSubpass == VK_SUBPASS_EXTERNAL;
        pass->waited_for |= dependencies[i].dstSubpass == VK_SUBPASS_EXTERNAL;
    }
    for (uint32_t i = 0; i < pass->subpass_count; i++)
        copy_subpass(&subpasses[i], &pCreateInfo->pSubpasses[i], &references, &preserves);
    find_uses(pass);
    *pRenderPass = vc4vk_render_pass_to_handle(pass);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyRenderPass(VkDevice _device, VkRenderPass renderPass,
                                                   const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), vc4vk_render_pass_from_handle(renderPass));
}

/* Render areas of whole tiles need no load of what lies around them. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetRenderAreaGranularity(VkDevice device, VkRenderPass renderPass,
                                                          VkExtent2D *pGranularity)
{
    *pGranularity = (VkExtent2D){HW_TILE_PX, HW_TILE_PX};
}

/* -- framebuffers ------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateFramebuffer(VkDevice _device, const VkFramebufferCreateInfo *pCreateInfo,
                                                       const VkAllocationCallbacks *pAllocator,
                                                       VkFramebuffer *pFramebuffer)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_framebuffer *framebuffer;
    VkImageView *views;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &framebuffer, 1);
    vc4vk_multialloc_add(&ma, &views, pCreateInfo->attachmentCount);
    if (!vc4vk_multialloc_alloc(&ma, vc4vk_alloc_choose(device->alloc, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&framebuffer->base, VK_OBJECT_TYPE_FRAMEBUFFER);
    framebuffer->width_px = pCreateInfo->width;
    framebuffer->height_px = pCreateInfo->height;
    framebuffer->layers = pCreateInfo->layers;
    framebuffer->attachment_count = pCreateInfo->attachmentCount;
    framebuffer->attachments = views;
    if (pCreateInfo->attachmentCount)
        memcpy(views, pCreateInfo->pAttachments, pCreateInfo->attachmentCount * sizeof *views);
    *pFramebuffer = vc4vk_framebuffer_to_handle(framebuffer);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyFramebuffer(VkDevice _device, VkFramebuffer framebuffer,
                                                    const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), vc4vk_framebuffer_from_handle(framebuffer));
}
