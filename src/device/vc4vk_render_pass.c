/* SPDX-License-Identifier: MIT
 *
 * Render passes and framebuffers: deep copies of the create infos, one allocation each.
 */
#include <string.h>
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_format.h"
#include "device/vc4vk_render_pass.h"
#include "hw/layout.h"

/* Counts the attachment references and preserve entries of all subpasses. */
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
    out->dithers = in->flags & VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT;
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
    out->depth_aspects = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    out->depth_resolve = (VkAttachmentReference){VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
    out->preserves = *preserves;
    if (in->preserveAttachmentCount)
        memcpy(out->preserves, in->pPreserveAttachments, in->preserveAttachmentCount * sizeof **preserves);
    *preserves += in->preserveAttachmentCount;
}

static void record_use(struct vc4vk_render_pass *pass, const VkAttachmentReference *reference, uint32_t subpass)
{
    uint32_t a = reference->attachment;
    if (a == VK_ATTACHMENT_UNUSED || a >= pass->attachment_count)
        return;
    if (pass->first_use[a] == UINT32_MAX)
        pass->first_use[a] = subpass;
    pass->last_use[a] = subpass;
}

/* The subpass's only colour attachment. VK_ATTACHMENT_UNUSED when there is none or more than one. */
static uint32_t only_color(const struct vc4vk_subpass *subpass)
{
    uint32_t only = VK_ATTACHMENT_UNUSED;
    for (uint32_t i = 0; i < subpass->color_count; i++) {
        if (subpass->colors[i].attachment == VK_ATTACHMENT_UNUSED)
            continue;
        if (only != VK_ATTACHMENT_UNUSED)
            return VK_ATTACHMENT_UNUSED;
        only = subpass->colors[i].attachment;
    }
    return only;
}

uint32_t vc4vk_render_pass_tile_inputs(const struct vc4vk_render_pass *pass, uint32_t index)
{
    const struct vc4vk_subpass *subpass = &pass->subpasses[index];
    const uint32_t color = only_color(subpass);
    if (!subpass->input_count || color >= pass->attachment_count || subpass->implicit_samples > 1)
        return 0;
    const VkAttachmentDescription *a = &pass->attachments[color];
    const struct vc4vk_format *format = vc4vk_format(a->format);
    if (!format || a->samples != VK_SAMPLE_COUNT_1_BIT ||
        hw_format_info(vc4vk_format_storage(format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT))->block_B > 4)
        return 0;
    uint32_t inputs = 0;
    for (uint32_t i = 0; i < MIN2(subpass->input_count, VC4VK_MAX_TILE_INPUTS); i++)
        inputs |= subpass->inputs[i].attachment == color ? BIT(i) : 0;
    return inputs;
}

static void find_uses(struct vc4vk_render_pass *pass)
{
    for (uint32_t i = 0; i < pass->attachment_count; i++)
        pass->first_use[i] = pass->last_use[i] = UINT32_MAX;
    for (uint32_t i = 0; i < pass->subpass_count; i++) {
        const struct vc4vk_subpass *s = &pass->subpasses[i];
        for (uint32_t j = 0; j < s->color_count; j++) {
            record_use(pass, &s->colors[j], i);
            if (s->resolves)
                record_use(pass, &s->resolves[j], i);
        }
        for (uint32_t j = 0; j < s->input_count; j++)
            record_use(pass, &s->inputs[j], i);
        record_use(pass, &s->depth_stencil, i);
        record_use(pass, &s->depth_resolve, i);
    }
}

static void find_views(struct vc4vk_render_pass *pass, const void *chain)
{
    const VkRenderPassMultiviewCreateInfo *multiview =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    for (uint32_t i = 0; multiview && i < MIN2(multiview->subpassCount, pass->subpass_count); i++) {
        pass->subpasses[i].view_mask = multiview->pViewMasks[i];
        pass->view_mask |= multiview->pViewMasks[i];
    }
}

static bool has_attachments(const VkRenderPassCreateInfo *info, const VkAttachmentReference *references, uint32_t count)
{
    bool has = true;
    for (uint32_t i = 0; references && i < count; i++)
        has &= references[i].attachment == VK_ATTACHMENT_UNUSED || references[i].attachment < info->attachmentCount;
    return has;
}

/* NULL, or what is wrong with the attachment references of a subpass. */
static const char *check_subpass(const VkRenderPassCreateInfo *info, const VkSubpassDescription *s)
{
    if (s->colorAttachmentCount > VC4VK_MAX_COLOR_ATTACHMENTS)
        return "too many colour attachments";
    if (!has_attachments(info, s->pColorAttachments, s->colorAttachmentCount) ||
        !has_attachments(info, s->pResolveAttachments, s->colorAttachmentCount) ||
        !has_attachments(info, s->pInputAttachments, s->inputAttachmentCount) ||
        !has_attachments(info, s->pDepthStencilAttachment, 1))
        return "it refers to an attachment that the pass does not have";
    return NULL;
}

/* NULL, or what is wrong with the view masks. */
static const char *check_views(const VkRenderPassCreateInfo *info)
{
    const VkRenderPassMultiviewCreateInfo *multiview =
        vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    for (uint32_t i = 0; multiview && i < multiview->subpassCount; i++)
        if (multiview->pViewMasks[i] >> VC4VK_MAX_VIEWS)
            return "too many views";
    return NULL;
}

static VkResult check_pass(struct vc4vk_device *device, const VkRenderPassCreateInfo *info)
{
    const char *why = info->subpassCount ? check_views(info) : "it has no subpass";
    for (uint32_t i = 0; i < info->subpassCount && !why; i++)
        why = check_subpass(info, &info->pSubpasses[i]);
    if (!why)
        return VK_SUCCESS;
    return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "render pass of %u attachments, %u subpasses: %s",
                        info->attachmentCount, info->subpassCount, why);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateRenderPass(VkDevice _device, const VkRenderPassCreateInfo *pCreateInfo,
                                                      const VkAllocationCallbacks *pAllocator,
                                                      VkRenderPass *pRenderPass)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkResult checked = check_pass(device, pCreateInfo);
    if (checked != VK_SUCCESS)
        return checked;
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
    for (uint32_t i = 0; i < pass->attachment_count; i++) {
        attachments[i] = pCreateInfo->pAttachments[i];
        attachments[i].loadOp = vc4vk_load_op(attachments[i].loadOp);
        attachments[i].stencilLoadOp = vc4vk_load_op(attachments[i].stencilLoadOp);
    }
    for (uint32_t i = 0; i < pass->dependency_count; i++) {
        dependencies[i] = pCreateInfo->pDependencies[i];
        pass->waits |= dependencies[i].srcSubpass == VK_SUBPASS_EXTERNAL;
        pass->waited_for |= dependencies[i].dstSubpass == VK_SUBPASS_EXTERNAL;
    }
    for (uint32_t i = 0; i < pass->subpass_count; i++)
        copy_subpass(&subpasses[i], &pCreateInfo->pSubpasses[i], &references, &preserves);
    find_uses(pass);
    find_views(pass, pCreateInfo->pNext);
    *pRenderPass = vc4vk_render_pass_to_handle(pass);
    return VK_SUCCESS;
}

/* -- VK_KHR_create_renderpass2: translated to VkRenderPassCreateInfo ------------------------------------------------
 */

/* The arrays of a VkRenderPassCreateInfo. */
struct plain_pass {
    VkAttachmentDescription *attachments;
    VkSubpassDescription *subpasses;
    VkAttachmentReference *references;
    VkSubpassDependency *dependencies;
    uint32_t *view_masks;
};

static const VkAttachmentReference *plain_references(VkAttachmentReference **next, const VkAttachmentReference2 *from,
                                                     uint32_t count)
{
    VkAttachmentReference *copy = *next;
    if (!from)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        copy[i] = (VkAttachmentReference){from[i].attachment, from[i].layout};
    *next += count;
    return copy;
}

static void make_plain_subpass(VkSubpassDescription *out, const VkSubpassDescription2 *in,
                               VkAttachmentReference **references)
{
    *out = (VkSubpassDescription){
        .flags = in->flags,
        .pipelineBindPoint = in->pipelineBindPoint,
        .inputAttachmentCount = in->inputAttachmentCount,
        .pInputAttachments = plain_references(references, in->pInputAttachments, in->inputAttachmentCount),
        .colorAttachmentCount = in->colorAttachmentCount,
        .pColorAttachments = plain_references(references, in->pColorAttachments, in->colorAttachmentCount),
        .pResolveAttachments = plain_references(references, in->pResolveAttachments, in->colorAttachmentCount),
        .pDepthStencilAttachment = plain_references(references, in->pDepthStencilAttachment, 1),
        .preserveAttachmentCount = in->preserveAttachmentCount,
        .pPreserveAttachments = in->pPreserveAttachments,
    };
}

static void make_plain(const VkRenderPassCreateInfo2 *info, const struct plain_pass *out)
{
    VkAttachmentReference *references = out->references;
    for (uint32_t i = 0; i < info->attachmentCount; i++) {
        const VkAttachmentDescription2 *a = &info->pAttachments[i];
        out->attachments[i] = (VkAttachmentDescription){
            a->flags,          a->format,        a->samples,       a->loadOp,     a->storeOp, a->stencilLoadOp,
            a->stencilStoreOp, a->initialLayout, a->finalLayout,
        };
    }
    for (uint32_t i = 0; i < info->subpassCount; i++) {
        make_plain_subpass(&out->subpasses[i], &info->pSubpasses[i], &references);
        out->view_masks[i] = info->pSubpasses[i].viewMask;
    }
    for (uint32_t i = 0; i < info->dependencyCount; i++) {
        const VkSubpassDependency2 *d = &info->pDependencies[i];
        out->dependencies[i] = (VkSubpassDependency){
            d->srcSubpass,    d->dstSubpass,    d->srcStageMask,    d->dstStageMask,
            d->srcAccessMask, d->dstAccessMask, d->dependencyFlags,
        };
    }
}

static size_t count_references2(const VkRenderPassCreateInfo2 *info)
{
    size_t count = 0;
    for (uint32_t i = 0; i < info->subpassCount; i++)
        count += (size_t)2 * info->pSubpasses[i].colorAttachmentCount + info->pSubpasses[i].inputAttachmentCount + 1;
    return count;
}

/* The resolves that VkRenderPassCreateInfo cannot express. */
static void find_resolves(struct vc4vk_render_pass *pass, struct vc4vk_subpass *s, const void *chain)
{
    const VkSubpassDescriptionDepthStencilResolve *resolve =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE);
    const VkAttachmentReference2 *to = resolve ? resolve->pDepthStencilResolveAttachment : NULL;
    s->implicit_samples = vc4vk_implicit_samples(chain);
    if (to && to->attachment < pass->attachment_count) /* not VK_ATTACHMENT_UNUSED */
        s->depth_resolve = (VkAttachmentReference){to->attachment, to->layout};
    if (resolve && (s->implicit_samples || s->depth_resolve.attachment != VK_ATTACHMENT_UNUSED)) {
        s->depth_mode = resolve->depthResolveMode;
        s->stencil_mode = resolve->stencilResolveMode;
    }
}

uint32_t vc4vk_implicit_samples(const void *chain)
{
    const VkMultisampledRenderToSingleSampledInfoEXT *info =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT);
    return info && info->multisampledRenderToSingleSampledEnable ? info->rasterizationSamples : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateRenderPass2KHR(VkDevice _device, const VkRenderPassCreateInfo2 *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkRenderPass *pRenderPass)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct plain_pass plain;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &plain.attachments, pCreateInfo->attachmentCount);
    vc4vk_multialloc_add(&ma, &plain.subpasses, pCreateInfo->subpassCount);
    vc4vk_multialloc_add(&ma, &plain.references, count_references2(pCreateInfo));
    vc4vk_multialloc_add(&ma, &plain.dependencies, pCreateInfo->dependencyCount);
    vc4vk_multialloc_add(&ma, &plain.view_masks, pCreateInfo->subpassCount);
    if (!vc4vk_multialloc_alloc(&ma, device->alloc, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND))
        return vc4vk_oom(device);
    make_plain(pCreateInfo, &plain);
    const VkRenderPassMultiviewCreateInfo multiview = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
        .subpassCount = pCreateInfo->subpassCount,
        .pViewMasks = plain.view_masks,
    };
    const VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .pNext = &multiview,
        .flags = pCreateInfo->flags,
        .attachmentCount = pCreateInfo->attachmentCount,
        .pAttachments = plain.attachments,
        .subpassCount = pCreateInfo->subpassCount,
        .pSubpasses = plain.subpasses,
        .dependencyCount = pCreateInfo->dependencyCount,
        .pDependencies = plain.dependencies,
    };
    VkResult result = vc4vk_CreateRenderPass(_device, &info, pAllocator, pRenderPass);
    struct vc4vk_render_pass *pass = result == VK_SUCCESS ? vc4vk_render_pass_from_handle(*pRenderPass) : NULL;
    for (uint32_t i = 0; pass && i < pass->subpass_count; i++)
        find_resolves(pass, &pass->subpasses[i], pCreateInfo->pSubpasses[i].pNext);
    if (pass)
        find_uses(pass);
    vc4vk_free(device->alloc, plain.attachments);
    return result;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyRenderPass(VkDevice _device, VkRenderPass renderPass,
                                                   const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), vc4vk_render_pass_from_handle(renderPass));
}

/* Render areas that consist of whole tiles need no load of the surrounding pixels. */
VKAPI_ATTR void VKAPI_CALL vc4vk_GetRenderAreaGranularity(VkDevice device, VkRenderPass renderPass,
                                                          VkExtent2D *pGranularity)
{
    *pGranularity = (VkExtent2D){HW_TILE_PX, HW_TILE_PX};
}

#ifdef VK_KHR_maintenance5
VKAPI_ATTR void VKAPI_CALL vc4vk_GetRenderingAreaGranularityKHR(VkDevice device, const VkRenderingAreaInfoKHR *info,
                                                                VkExtent2D *pGranularity)
{
    vc4vk_GetRenderAreaGranularity(device, VK_NULL_HANDLE, pGranularity);
}
#endif

/* -- framebuffers ------------------------------------------------------------------------------------------------- */

/* Without attachments the pipelines decide; then it is 1 here. */
static uint8_t subpass_samples(const struct vc4vk_render_pass *pass, const struct vc4vk_subpass *subpass)
{
    uint32_t attachment = subpass->depth_stencil.attachment;
    for (uint32_t i = 0; i < subpass->color_count && attachment == VK_ATTACHMENT_UNUSED; i++)
        attachment = subpass->colors[i].attachment;
    if (subpass->implicit_samples)
        return (uint8_t)subpass->implicit_samples;
    return attachment < pass->attachment_count ? (uint8_t)pass->attachments[attachment].samples : 1;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateFramebuffer(VkDevice _device, const VkFramebufferCreateInfo *pCreateInfo,
                                                       const VkAllocationCallbacks *pAllocator,
                                                       VkFramebuffer *pFramebuffer)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    if (!pCreateInfo->width || !pCreateInfo->height || pCreateInfo->width > VC4VK_MAX_TARGET_PX ||
        pCreateInfo->height > VC4VK_MAX_TARGET_PX || pCreateInfo->layers > VC4VK_MAX_LAYERS)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN, "framebuffer of %ux%u, %u layers: 1 to %u px, at most %u layers",
                            pCreateInfo->width, pCreateInfo->height, pCreateInfo->layers, VC4VK_MAX_TARGET_PX,
                            VC4VK_MAX_LAYERS);
    const struct vc4vk_render_pass *pass = vc4vk_render_pass_from_handle(pCreateInfo->renderPass);
    struct vc4vk_framebuffer *framebuffer;
    VkImageView *views;
    uint8_t *samples;
    struct vc4vk_multialloc ma = {0};
    vc4vk_multialloc_add(&ma, &framebuffer, 1);
    vc4vk_multialloc_add(&ma, &views, pCreateInfo->attachmentCount);
    vc4vk_multialloc_add(&ma, &samples, pass->subpass_count);
    if (!vc4vk_multialloc_alloc(&ma, vc4vk_alloc_choose(device->alloc, pAllocator), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))
        return vc4vk_oom(device);
    vc4vk_object_init(&framebuffer->base, VK_OBJECT_TYPE_FRAMEBUFFER);
    framebuffer->width_px = pCreateInfo->width;
    framebuffer->height_px = pCreateInfo->height;
    framebuffer->layers = pCreateInfo->layers;
    framebuffer->attachment_count = pCreateInfo->attachmentCount;
    framebuffer->attachments = views;
    framebuffer->is_imageless = pCreateInfo->flags & VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT;
    framebuffer->subpass_count = pass->subpass_count;
    framebuffer->samples = samples;
    for (uint32_t i = 0; i < pass->subpass_count; i++)
        samples[i] = subpass_samples(pass, &pass->subpasses[i]);
    if (pCreateInfo->attachmentCount && !framebuffer->is_imageless)
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

/* -- VK_QCOM_tile_properties -------------------------------------------------------------------------------------- */

/* Framebuffers beyond 2048 pixels are drawn in ranges, which begin at tiles, too. */
void vc4vk_fill_tile_properties(VkTilePropertiesQCOM *out, uint32_t samples)
{
    const uint32_t tile_px = hw_tile_px(samples);
    out->tileSize = (VkExtent3D){tile_px, tile_px, 1};
    out->apronSize = (VkExtent2D){0, 0};
    out->origin = (VkOffset2D){0, 0};
}

/* Each subpass may become jobs of its own. */
VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetFramebufferTilePropertiesQCOM(VkDevice device, VkFramebuffer framebuffer_h,
                                                                      uint32_t *pPropertiesCount,
                                                                      VkTilePropertiesQCOM *pProperties)
{
    const struct vc4vk_framebuffer *framebuffer = vc4vk_framebuffer_from_handle(framebuffer_h);
    const uint32_t capacity = pProperties ? *pPropertiesCount : framebuffer->subpass_count;
    *pPropertiesCount = MIN2(capacity, framebuffer->subpass_count);
    for (uint32_t i = 0; pProperties && i < *pPropertiesCount; i++)
        vc4vk_fill_tile_properties(&pProperties[i], framebuffer->samples[i]);
    return *pPropertiesCount < framebuffer->subpass_count ? VK_INCOMPLETE : VK_SUCCESS;
}
