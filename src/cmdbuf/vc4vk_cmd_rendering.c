/* SPDX-License-Identifier: MIT */
#include "cmdbuf/vc4vk_cmd_rendering.h"
#include <string.h>
#include "device/vc4vk_entrypoints_gen.h"

/* Where the attachments are in the render pass. Those that are not used have no view. */
enum {
    COLORS_AT = 0,
    RESOLVES_AT = COLORS_AT + VC4VK_MAX_COLOR_ATTACHMENTS,
    DEPTH_AT = RESOLVES_AT + VC4VK_MAX_COLOR_ATTACHMENTS,
    DEPTH_RESOLVE_AT,
    ATTACHMENT_COUNT,
};

/* Where colour attachments without an input attachment index below VC4VK_MAX_TILE_INPUTS, and depth, are among the
 * input attachments. */
enum {
    OTHER_INPUTS_AT = VC4VK_MAX_TILE_INPUTS,
    DEPTH_INPUT_AT = OTHER_INPUTS_AT + VC4VK_MAX_COLOR_ATTACHMENTS,
    INPUT_COUNT,
};

struct vc4vk_rendering {
    struct vc4vk_render_pass pass;
    struct vc4vk_framebuffer framebuffer;
    struct vc4vk_subpass subpass;
    VkAttachmentDescription attachments[ATTACHMENT_COUNT];
    VkAttachmentReference colors[VC4VK_MAX_COLOR_ATTACHMENTS], resolves[VC4VK_MAX_COLOR_ATTACHMENTS];
    VkAttachmentReference inputs[INPUT_COUNT]; /* VK_KHR_dynamic_rendering_local_read: what programs may read */
    uint32_t uses[ATTACHMENT_COUNT]; /* zeros: all are used by subpass 0 */
    struct vc4vk_target target;
    VkImageView views[ATTACHMENT_COUNT];
};

/* ---------------------------------------------------------------- description */

/* A pass without attachments. */
static void init(struct vc4vk_rendering *r, uint32_t color_count, uint32_t view_mask)
{
    static const VkAttachmentReference unused = {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
    *r = (struct vc4vk_rendering){0};
    vc4vk_object_init(&r->pass.base, VK_OBJECT_TYPE_RENDER_PASS);
    vc4vk_object_init(&r->framebuffer.base, VK_OBJECT_TYPE_FRAMEBUFFER);
    r->pass.attachment_count = r->framebuffer.attachment_count = ATTACHMENT_COUNT;
    r->pass.subpass_count = 1;
    r->pass.view_mask = r->subpass.view_mask = view_mask;
    r->subpass.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    r->subpass.color_count = color_count;
    r->subpass.depth_stencil = r->subpass.depth_resolve = unused;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        r->colors[i] = r->resolves[i] = unused;
}

/* Copies the description to memory of the recording; NULL after a failure. */
static struct vc4vk_rendering *keep(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_rendering *from)
{
    struct vc4vk_rendering *r = vc4vk_cmd_copy(cmd, from, sizeof *from);
    if (!r)
        return NULL;
    r->pass.attachments = r->attachments;
    r->pass.first_use = r->pass.last_use = r->uses;
    r->pass.subpasses = &r->subpass;
    r->framebuffer.attachments = r->views;
    r->subpass.colors = r->colors;
    r->subpass.inputs = r->inputs;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        if (r->resolves[i].attachment != VK_ATTACHMENT_UNUSED)
            r->subpass.resolves = r->resolves;
    return r;
}

/* Names the view as an attachment. The framebuffer shrinks to the smallest of them. */
static VkAttachmentDescription *use_view(struct vc4vk_rendering *r, VkAttachmentReference *reference, uint32_t at,
                                         VkImageView view_h)
{
    const struct vc4vk_image_view *view = vc4vk_image_view_from_handle(view_h);
    VkAttachmentDescription *a = &r->attachments[at];
    reference->attachment = at;
    r->views[at] = view_h;
    a->format = view->vk_format;
    a->samples = (VkSampleCountFlagBits)view->image->samples;
    a->loadOp = a->stencilLoadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    a->storeOp = a->stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    r->framebuffer.width_px = MIN2(r->framebuffer.width_px, view->width_px);
    r->framebuffer.height_px = MIN2(r->framebuffer.height_px, view->height_px);
    return a;
}

static bool may_be_read(const struct vc4vk_rendering *r, const VkAttachmentReference *reference)
{
    if (reference->attachment == VK_ATTACHMENT_UNUSED)
        return false;
    const struct vc4vk_image_view *view = vc4vk_image_view_from_handle(r->views[reference->attachment]);
    return view->image->usage & VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
}

/* Lists the attachments that programs may read. `indices`: the input attachment index of each colour attachment, or
 * NULL: its own number. Those without an index count as read too: they may get one later in the pass. Depth and stencil
 * are always read from memory, so their indices do not matter. */
static void list_inputs(struct vc4vk_rendering *r, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < INPUT_COUNT; i++)
        r->inputs[i] = (VkAttachmentReference){VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED};
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++) {
        const uint32_t index = !indices ? i : i < count ? indices[i] : VK_ATTACHMENT_UNUSED;
        if (may_be_read(r, &r->colors[i])) {
            r->inputs[index < VC4VK_MAX_TILE_INPUTS ? index : OTHER_INPUTS_AT + i].attachment = COLORS_AT + i;
            r->subpass.input_count = INPUT_COUNT;
        }
    }
    if (may_be_read(r, &r->subpass.depth_stencil)) {
        r->inputs[DEPTH_INPUT_AT].attachment = DEPTH_AT;
        r->subpass.input_count = INPUT_COUNT;
    }
}

static void use_color(struct vc4vk_rendering *r, uint32_t i, const VkRenderingAttachmentInfo *info)
{
    VkAttachmentDescription *a = use_view(r, &r->colors[i], COLORS_AT + i, info->imageView);
    r->target.colors[i] = vc4vk_target_color(a->format);
    a->loadOp = vc4vk_load_op(info->loadOp);
    a->storeOp = info->storeOp;
    if (info->resolveMode && info->resolveImageView) /* the only valid mode is the one that the format has */
        use_view(r, &r->resolves[i], RESOLVES_AT + i, info->resolveImageView);
}

/* Depth or stencil: both are one attachment. An aspect that is not attached keeps what memory has: it is loaded, and
 * stored only along with the other. */
static void use_depth(struct vc4vk_rendering *r, VkImageAspectFlags aspect, const VkRenderingAttachmentInfo *info)
{
    const bool is_first = r->subpass.depth_stencil.attachment == VK_ATTACHMENT_UNUSED;
    VkAttachmentDescription *a =
        is_first ? use_view(r, &r->subpass.depth_stencil, DEPTH_AT, info->imageView) : &r->attachments[DEPTH_AT];
    r->subpass.depth_aspects |= aspect;
    *(aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? &a->loadOp : &a->stencilLoadOp) = vc4vk_load_op(info->loadOp);
    *(aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? &a->storeOp : &a->stencilStoreOp) = info->storeOp;
    if (r->subpass.implicit_samples)
        *(aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? &r->subpass.depth_mode : &r->subpass.stencil_mode) =
            info->resolveMode ? info->resolveMode : VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
    if (!info->resolveMode || !info->resolveImageView)
        return;
    if (r->subpass.depth_resolve.attachment == VK_ATTACHMENT_UNUSED)
        use_view(r, &r->subpass.depth_resolve, DEPTH_RESOLVE_AT, info->resolveImageView);
    *(aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? &r->subpass.depth_mode : &r->subpass.stencil_mode) = info->resolveMode;
}

static bool is_used(const VkRenderingAttachmentInfo *info)
{
    return info && info->imageView;
}

static void describe(const VkRenderingInfo *info, bool local_reads, struct vc4vk_rendering *r)
{
    const VkRect2D *area = vc4vk_cmd_device_area(info->pNext, &info->renderArea);
    init(r, info->colorAttachmentCount, info->viewMask);
    r->subpass.implicit_samples = vc4vk_implicit_samples(info->pNext);
    r->framebuffer.width_px = r->framebuffer.height_px = UINT32_MAX;
    r->framebuffer.layers = info->viewMask ? 1 : MIN2(info->layerCount, VC4VK_MAX_LAYERS);
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        if (is_used(&info->pColorAttachments[i]))
            use_color(r, i, &info->pColorAttachments[i]);
    if (is_used(info->pDepthAttachment))
        use_depth(r, VK_IMAGE_ASPECT_DEPTH_BIT, info->pDepthAttachment);
    if (is_used(info->pStencilAttachment))
        use_depth(r, VK_IMAGE_ASPECT_STENCIL_BIT, info->pStencilAttachment);
    if (local_reads)
        list_inputs(r, NULL, 0);
    const VkFormat depth = r->attachments[DEPTH_AT].format;
    r->target.dithers = (info->flags & VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT) != 0;
    r->target.depth =
        vc4vk_target_depth(r->subpass.depth_aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? depth : VK_FORMAT_UNDEFINED,
                           r->subpass.depth_aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? depth : VK_FORMAT_UNDEFINED);
    if (r->framebuffer.width_px != UINT32_MAX)
        return;
    r->framebuffer.width_px = (uint32_t)CLAMP(area->offset.x + (int64_t)area->extent.width, 1, VC4VK_MAX_TARGET_PX);
    r->framebuffer.height_px = (uint32_t)CLAMP(area->offset.y + (int64_t)area->extent.height, 1, VC4VK_MAX_TARGET_PX);
}

/* The clear values by attachment. */
static void find_clears(const VkRenderingInfo *info, VkClearValue clears_out[ATTACHMENT_COUNT])
{
    for (uint32_t i = 0; i < info->colorAttachmentCount; i++)
        clears_out[COLORS_AT + i] = info->pColorAttachments[i].clearValue;
    if (is_used(info->pDepthAttachment))
        clears_out[DEPTH_AT].depthStencil.depth = info->pDepthAttachment->clearValue.depthStencil.depth;
    if (is_used(info->pStencilAttachment))
        clears_out[DEPTH_AT].depthStencil.stencil = info->pStencilAttachment->clearValue.depthStencil.stencil;
}

/* ---------------------------------------------------------------- comparison */

/* Whether both draw to the same attachments, resolve to the same, and have the same views. */
static bool has_same_attachments(const struct vc4vk_rendering *a, const struct vc4vk_rendering *b)
{
    return !memcmp(a->views, b->views, sizeof a->views) && !memcmp(a->inputs, b->inputs, sizeof a->inputs) &&
           a->subpass.color_count == b->subpass.color_count && a->subpass.view_mask == b->subpass.view_mask &&
           a->subpass.implicit_samples == b->subpass.implicit_samples &&
           a->subpass.depth_aspects == b->subpass.depth_aspects && a->subpass.depth_mode == b->subpass.depth_mode &&
           a->subpass.stencil_mode == b->subpass.stencil_mode && a->framebuffer.width_px == b->framebuffer.width_px &&
           a->framebuffer.height_px == b->framebuffer.height_px && a->framebuffer.layers == b->framebuffer.layers;
}

/* The last pass of the recording if it was described alike, else a copy of `r`. NULL after a failure. */
static const struct vc4vk_rendering *find_or_keep(struct vc4vk_cmd_buffer *cmd, const struct vc4vk_rendering *r)
{
    const struct vc4vk_rendering *last = cmd->rendering;
    if (!last || !has_same_attachments(last, r) || memcmp(last->attachments, r->attachments, sizeof r->attachments))
        cmd->rendering = keep(cmd, r);
    return cmd->rendering;
}

static bool has_resolves(const struct vc4vk_rendering *r)
{
    bool has = r->subpass.depth_resolve.attachment != VK_ATTACHMENT_UNUSED || r->subpass.implicit_samples > 1;
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        has |= r->resolves[i].attachment != VK_ATTACHMENT_UNUSED;
    return has;
}

static bool clears(const struct vc4vk_rendering *r)
{
    bool clears = false;
    for (uint32_t i = 0; i < ATTACHMENT_COUNT; i++)
        clears |= r->attachments[i].loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR ||
                  (i == DEPTH_AT && r->attachments[i].stencilLoadOp == VK_ATTACHMENT_LOAD_OP_CLEAR);
    return clears;
}

/* Whether the held pass, which was described as `last`, can be continued by `r`. */
static bool continues(const struct vc4vk_cmd_pass *pass, const struct vc4vk_rendering *last,
                      const struct vc4vk_rendering *r, const VkRect2D *area, bool resumes)
{
    const VkRect2D clipped = vc4vk_cmd_clip_area(area, &r->framebuffer);
    return pass->held && last && pass->held == &last->pass && resumes == pass->held_suspends &&
           has_same_attachments(last, r) && vc4vk_cmd_is_same_area(&clipped, &pass->area) && (resumes || !clears(r));
}

/* A store operation NONE leaves what the earlier part of the pass has to store. */
static void merge_store(VkAttachmentStoreOp *op, VkAttachmentStoreOp before)
{
    if (*op == VK_ATTACHMENT_STORE_OP_NONE)
        *op = before;
}

static void merge_stores(struct vc4vk_rendering *r, const struct vc4vk_rendering *before)
{
    for (uint32_t i = 0; i < ATTACHMENT_COUNT; i++) {
        merge_store(&r->attachments[i].storeOp, before->attachments[i].storeOp);
        merge_store(&r->attachments[i].stencilStoreOp, before->attachments[i].stencilStoreOp);
    }
}

/* `locations`: NULL: each attachment has its own number. */
static void set_locations(struct vc4vk_cmd_pass *pass, const uint32_t *locations, uint32_t count)
{
    for (uint32_t i = 0; i < VC4VK_MAX_COLOR_ATTACHMENTS; i++)
        pass->color_locations[i] = (uint8_t)(!locations  ? i
                                             : i < count ? MIN2(locations[i], VC4VK_NO_LOCATION)
                                                         : VC4VK_NO_LOCATION);
}

/* ---------------------------------------------------------------- secondaries */

const struct vc4vk_render_pass *vc4vk_cmd_inherited_rendering(struct vc4vk_cmd_buffer *cmd,
                                                              const VkCommandBufferInheritanceRenderingInfo *info,
                                                              const void *chain)
{
    struct vc4vk_rendering r;
    if (info->colorAttachmentCount > VC4VK_MAX_COLOR_ATTACHMENTS || info->viewMask >> VC4VK_MAX_VIEWS) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "secondary command buffer: %u colour attachments, view mask 0x%x",
                        info->colorAttachmentCount, info->viewMask);
        return NULL;
    }
    init(&r, info->colorAttachmentCount, info->viewMask);
    for (uint32_t i = 0; i < info->colorAttachmentCount && info->pColorAttachmentFormats; i++)
        cmd->pass.target.colors[i] = vc4vk_target_color(info->pColorAttachmentFormats[i]);
    cmd->pass.target.depth = vc4vk_target_depth(info->depthAttachmentFormat, info->stencilAttachmentFormat);
    cmd->pass.target.dithers = (info->flags & VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT) != 0;
    cmd->pass.has_target = true;
    set_locations(&cmd->pass, NULL, 0);
#ifdef VK_KHR_dynamic_rendering_local_read
    const VkRenderingAttachmentLocationInfoKHR *locations =
        vc4vk_find_in_chain(chain, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO_KHR);
    if (locations)
        set_locations(&cmd->pass, locations->pColorAttachmentLocations, locations->colorAttachmentCount);
#endif
    const struct vc4vk_rendering *kept = keep(cmd, &r);
    return kept ? &kept->pass : NULL;
}

/* ---------------------------------------------------------------- entry points */

/* NULL when rendering can begin, else the reason why not. */
static const char *check_begin(const struct vc4vk_cmd_buffer *cmd, const VkRenderingInfo *info)
{
    if (cmd->phase != VC4VK_CMD_RECORDING || cmd->continues_pass)
        return "not a command buffer that is recording outside of a pass";
    if (cmd->pass.pass)
        return "the previous one has not ended";
    if (info->colorAttachmentCount > VC4VK_MAX_COLOR_ATTACHMENTS)
        return "too many colour attachments";
    if (info->viewMask >> VC4VK_MAX_VIEWS)
        return "too many views";
    return NULL;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBeginRenderingKHR(VkCommandBuffer cmd_h, const VkRenderingInfo *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_cmd_pass *pass = &cmd->pass;
    const bool resumes = info->flags & VK_RENDERING_RESUMING_BIT;
    const struct vc4vk_rendering *last = cmd->rendering;
    struct vc4vk_rendering r;
    VkClearValue values[ATTACHMENT_COUNT] = {0};
    const char *why = check_begin(cmd, info);
    if (why) {
        vc4vk_cmd_failf(cmd, VK_ERROR_UNKNOWN, "rendering cannot begin: %s", why);
        return;
    }
    describe(info, cmd->device->local_reads, &r);
    struct vc4vk_cmd_pass_begin begin = {
        .area = *vc4vk_cmd_device_area(info->pNext, &info->renderArea),
        .contents = info->flags & VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT
                        ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS
                        : VK_SUBPASS_CONTENTS_INLINE,
        .clears = values,
        .clear_count = ATTACHMENT_COUNT,
        .resumes = resumes,
    };
    const bool is_continued = continues(pass, last, &r, &begin.area, resumes);
    if (is_continued)
        merge_stores(&r, last);
    const struct vc4vk_rendering *kept = find_or_keep(cmd, &r);
    if (!is_continued)
        vc4vk_cmd_pass_release(cmd, pass);
    if (!kept)
        return;
    pass->target = r.target;
    pass->has_target = true;
    set_locations(pass, NULL, 0);
    vc4vk_cmd_state_note_target(cmd);
    begin.pass = &kept->pass;
    begin.framebuffer = &kept->framebuffer;
    begin.attachments = kept->views;
    if (is_continued) {
        vc4vk_cmd_pass_continue(cmd, &begin);
    } else {
        find_clears(info, values);
        vc4vk_cmd_pass_begin(cmd, &begin);
    }
    cmd->rendering_suspends = info->flags & VK_RENDERING_SUSPENDING_BIT;
}

#ifdef VK_KHR_dynamic_rendering_local_read
/* Pipelines have to be made for the same locations, and their programs write to them. Shader objects take these. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetRenderingAttachmentLocationsKHR(VkCommandBuffer cmd_h,
                                                                       const VkRenderingAttachmentLocationInfoKHR *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    set_locations(&cmd->pass, info->pColorAttachmentLocations, info->colorAttachmentCount);
    cmd->state.dirty |= VC4VK_DIRTY_CHOICE;
}

/* Secondary command buffers read attachments from memory, where the indices do not matter. */
VKAPI_ATTR void VKAPI_CALL vc4vk_CmdSetRenderingInputAttachmentIndicesKHR(
    VkCommandBuffer cmd_h, const VkRenderingInputAttachmentIndexInfoKHR *info)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct vc4vk_rendering *r = cmd->rendering;
    if (cmd->continues_pass || !r || !r->subpass.input_count || cmd->pass.pass != &r->pass)
        return;
    list_inputs(r, info->pColorAttachmentInputIndices, info->colorAttachmentCount);
    vc4vk_cmd_pass_change_inputs(cmd);
}
#endif

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdEndRenderingKHR(VkCommandBuffer cmd_h)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    if (cmd->continues_pass || !cmd->pass.pass) /* a secondary: the primary ends the pass */
        return;
    if (cmd->error == VK_SUCCESS && cmd->pass.pass == (cmd->rendering ? &cmd->rendering->pass : NULL) &&
        (cmd->rendering_suspends || !has_resolves(cmd->rendering)))
        vc4vk_cmd_pass_hold(cmd, cmd->rendering_suspends);
    else
        vc4vk_cmd_pass_end(cmd);
}

/* ---------------------------------------------------------------- VK_QCOM_tile_properties */

static uint32_t samples_of(const VkRenderingAttachmentInfo *a)
{
    return a && a->imageView ? vc4vk_image_view_from_handle(a->imageView)->image->samples : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetDynamicRenderingTilePropertiesQCOM(VkDevice device,
                                                                           const VkRenderingInfo *pRenderingInfo,
                                                                           VkTilePropertiesQCOM *pProperties)
{
    uint32_t samples =
        MAX2(samples_of(pRenderingInfo->pDepthAttachment), samples_of(pRenderingInfo->pStencilAttachment));
    for (uint32_t i = 0; i < pRenderingInfo->colorAttachmentCount; i++)
        samples = MAX2(samples, samples_of(&pRenderingInfo->pColorAttachments[i]));
    samples = MAX2(samples, vc4vk_implicit_samples(pRenderingInfo->pNext));
    vc4vk_fill_tile_properties(pProperties, MAX2(samples, 1u));
    return VK_SUCCESS;
}
