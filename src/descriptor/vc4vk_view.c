/* SPDX-License-Identifier: MIT
 *
 * Image views and buffer views, and their surface states. The bits of P0 and P1: [guide p.42 tables 15 and 16].
 */
#include "descriptor/vc4vk_binding_table.h"
#include "descriptor/vc4vk_view.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_ignored_bits.h"

#define P0_CUBE       (1u << 9)
#define MAX_NATIVE_PX 2048u

/* -- surface states of image views ----------------------------------------------------------------------------------
 */

/* Applies the view's mapping of one component to `source`, the swizzle of the format's own R, G, B, A. */
static uint8_t compose(VkComponentSwizzle mapping, uint32_t component, const uint8_t source[4])
{
    switch (mapping) {
    case VK_COMPONENT_SWIZZLE_ZERO:
        return HW_SWIZZLE_0;
    case VK_COMPONENT_SWIZZLE_ONE:
        return HW_SWIZZLE_1;
    case VK_COMPONENT_SWIZZLE_IDENTITY:
        return source[component];
    case VK_COMPONENT_SWIZZLE_R:
    case VK_COMPONENT_SWIZZLE_G:
    case VK_COMPONENT_SWIZZLE_B:
    case VK_COMPONENT_SWIZZLE_A:
        return source[mapping - VK_COMPONENT_SWIZZLE_R];
    default: /* unknown */
        return source[component];
    }
}

/* The swizzle of R, G, B, A of the sampled aspect. Depth and stencil have a single component; the program's sampler
 * type (float or integer) tells which of the two it decodes from a Z24S8 word. */
static void raw_components(const struct vc4vk_view_state *state, VkImageAspectFlags aspect, uint8_t out[4])
{
    static const uint8_t single[4] = {HW_SWIZZLE_X, HW_SWIZZLE_0, HW_SWIZZLE_0, HW_SWIZZLE_1};
    const struct hw_format_info *info = hw_format_info((enum hw_format)state->format);
    for (uint32_t c = 0; c < 4; c++) {
        if (aspect != VK_IMAGE_ASPECT_COLOR_BIT)
            out[c] = single[c];
        else
            out[c] = info->swizzle[c] <= HW_SWIZZLE_W ? (uint8_t)(HW_SWIZZLE_X + c) : info->swizzle[c];
    }
}

static void fill_swizzles(struct vc4vk_view_state *state, const VkComponentMapping *mapping, VkImageAspectFlags aspect)
{
    const VkComponentSwizzle *m = &mapping->r; /* r, g, b, a follow each other */
    uint8_t raw[4], native[4] = {0};
    raw_components(state, aspect, raw);
    int type = hw_tex_type_for_format((enum hw_format)state->format, native);
    state->type = type >= 0 && aspect == VK_IMAGE_ASPECT_COLOR_BIT ? (uint8_t)type : VC4VK_NO_TEX_TYPE;
    for (uint32_t c = 0; c < 4; c++) {
        state->swizzle[c] = compose(m[c], c, raw);
        state->native_swizzle[c] = compose(m[c], c, native);
    }
}

/* The texture unit can sample views of one layer, whatever their type: programs then ignore the layer coordinate. */
static bool has_several_layers(const struct vc4vk_image_view *view)
{
    switch (view->type) {
    case VK_IMAGE_VIEW_TYPE_3D:
        return true;
    case VK_IMAGE_VIEW_TYPE_CUBE:
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
        return view->layers > 6;
    default:
        return view->layers > 1;
    }
}

/* Whether the unit cannot address the view, so that programs must compute texel addresses. `first`: the level that the
 * unit would start from. */
static bool must_be_direct(const struct vc4vk_image_view *view, const struct hw_layout *layout, uint32_t first)
{
    const struct vc4vk_image *image = view->image;
    return has_several_layers(view) || image->type == VK_IMAGE_TYPE_3D || image->samples > 1 ||
           util_minify(image->extent.width, first) > MAX_NATIVE_PX ||
           util_minify(image->extent.height, first) > MAX_NATIVE_PX || image->tiling == VK_IMAGE_TILING_LINEAR ||
           !hw_layout_fits_tmu(layout, first, view->base_level + view->levels - 1);
}

static enum hw_direct_layout direct_layout(const struct vc4vk_image_view *view, const struct vc4vk_image_plane *plane)
{
    const struct hw_level *base = &plane->layout.level[view->base_level];
    if (view->image->samples > 1)
        return HW_DIRECT_MS;
    if (base->tiling == HW_TILING_RASTER)
        return plane->layout.cpp > 4 ? HW_DIRECT_RASTER_INTERLEAVED : HW_DIRECT_RASTER;
    return base->tiling == HW_TILING_T ? HW_DIRECT_T : HW_DIRECT_LT;
}

/* The texture type with which the unit fetches raw texels of `texel_B` bytes. */
static uint32_t raw_type(uint32_t texel_B)
{
    return texel_B == 1 ? HW_TEX_ALPHA : texel_B == 2 ? HW_TEX_LUMALPHA : HW_TEX_RGBA8888;
}

/* Whether the unit can treat the view's base level as level 0 of a smaller image. The image sizes must be powers of two
 * (other sizes do not keep the stride of the containing image), and the level must begin on a page. Levels of T tiling
 * do. */
static bool can_begin_at_base(const struct vc4vk_image *image, uint64_t base_B)
{
    return util_is_pow2(image->extent.width) && util_is_pow2(image->extent.height) && base_B % 4096 == 0;
}

/* The memory range of direct lookups: from the view's last level, which is lowest in memory, to the end of its base
 * level. */
static void fill_direct(struct vc4vk_view_state *state, const struct vc4vk_image_view *view,
                        const struct vc4vk_image_plane *plane)
{
    const struct vc4vk_image *image = view->image;
    const struct hw_level *base = &plane->layout.level[view->base_level];
    uint32_t last_level = view->base_level + view->levels - 1;
    uint32_t slices = view->type == VK_IMAGE_VIEW_TYPE_3D ? state->depth : view->layers;
    uint64_t first_B = vc4vk_image_level_offset_B(image, plane, last_level, view->base_layer);
    uint64_t end_B = vc4vk_image_level_offset_B(image, plane, view->base_level, view->base_layer + slices - 1) +
                     base->size_B + (uint64_t)(image->plane_count - 1) * state->plane_stride_B;
    state->layout = &plane->layout;
    state->slices = (uint16_t)slices;
    state->image_level = (uint8_t)view->base_level;
    state->direct_layout = (uint8_t)direct_layout(view, plane);
    state->direct_base_B = (uint32_t)first_B;
    state->direct_limit_B = (uint32_t)(end_B - first_B - 4) & ~3u;
}

static void fill_sizes(struct vc4vk_view_state *state, const struct vc4vk_image_view *view)
{
    bool is_cube_array = view->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    state->levels = (uint8_t)view->levels;
    state->samples = (uint8_t)view->image->samples;
    state->width_px = (uint16_t)view->width_px;
    state->height_px = (uint16_t)view->height_px;
    state->depth = (uint16_t)view->depth;
    state->layers = (uint16_t)(is_cube_array ? view->layers / 6 : view->layers);
}

static void fill_view_state(struct vc4vk_view_state *state, const struct vc4vk_image_view *view,
                            VkImageAspectFlags aspect)
{
    const struct vc4vk_image *image = view->image;
    const struct vc4vk_image_plane *plane = vc4vk_image_plane(image, aspect);
    uint64_t base_B = vc4vk_image_level_offset_B(image, plane, view->base_level, view->base_layer);
    uint32_t first_level = can_begin_at_base(image, base_B) ? view->base_level : 0;
    uint64_t first_B = vc4vk_image_level_offset_B(image, plane, first_level, view->base_layer);
    uint32_t first_width_px = util_minify(image->extent.width, first_level);
    uint32_t first_height_px = util_minify(image->extent.height, first_level);
    bool is_cube = view->type == VK_IMAGE_VIEW_TYPE_CUBE || view->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    state->bo = image->bo;
    state->format = (uint8_t)(aspect == VK_IMAGE_ASPECT_COLOR_BIT ? view->storage : plane->format);
    fill_swizzles(state, &view->mapping, aspect);
    fill_sizes(state, view);
    if (image->plane_count > 1)
        state->plane_stride_B = (uint32_t)(image->planes[1].offset_B - image->planes[0].offset_B);
    fill_direct(state, view, plane);
    state->is_direct = must_be_direct(view, &plane->layout, first_level);
    state->base_level = state->is_direct ? 0 : (uint8_t)(view->base_level - first_level);
    state->is_cube = is_cube;
    state->is_float_depth = view->format->hw == HW_FORMAT_Z32_FLOAT;
    state->blocks = image->blocks_of ? image : NULL;
    state->first_layer = (uint16_t)view->base_layer;
    state->cube_stride_B = is_cube ? plane->layout.layer_stride_B : 0;
    uint32_t type = state->type == VC4VK_NO_TEX_TYPE ? raw_type(plane->layout.cpp) : state->type;
    state->p0 = (uint32_t)first_B | (is_cube ? P0_CUBE : 0) | (type & 0xf) << 4 |
                (view->base_level - first_level + view->levels - 1);
    state->p1 = (type >> 4) << 31 | (first_height_px & 0x7ff) << 20 | (first_width_px & 0x7ff) << 8;
}

static VkResult make_state(struct vc4vk_device *device, const struct vc4vk_image_view *view, VkImageAspectFlags aspect,
                           struct vc4vk_state *out)
{
    struct vc4vk_state_pool *pool;
    VkResult result = vc4vk_device_state_pool(device, &pool);
    if (result != VK_SUCCESS)
        return result;
    if (!vc4vk_state_get(pool, VC4VK_SURFACE_STATE_B, out))
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "image view: the block pool is full");
    struct vc4vk_surface_state *state = out->map;
    state->kind = VC4VK_STATE_VIEW;
    fill_view_state(&state->view, view, aspect);
    return VK_SUCCESS;
}

/* A view of a whole planar image has one surface state per plane, each in the plane's own format. The sampler's
 * conversion combines the planes. */
static VkResult make_plane_states(struct vc4vk_device *device, struct vc4vk_image_view *view)
{
    struct vc4vk_state *const states[] = {&view->sampled, &view->chroma[0], &view->chroma[1]};
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < view->image->part_count && result == VK_SUCCESS; i++) {
        struct vc4vk_image_view part = *view;
        part.image = view->image->parts[i];
        part.format = part.image->format;
        part.storage = vc4vk_image_storage(part.image, part.format);
        part.width_px = part.image->extent.width;
        part.height_px = part.image->extent.height;
        result = make_state(device, &part, VK_IMAGE_ASPECT_COLOR_BIT, states[i]);
    }
    return result;
}

#ifdef VK_EXT_image_sliced_view_of_3d
static const VkImageViewSlicedCreateInfoEXT *slices_of(const VkImageViewCreateInfo *info)
{
    return vc4vk_find_in_chain(info->pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT);
}

/* NULL when the view may be limited to these slices, else the reason why not. */
static const char *check_slices(const VkImageViewCreateInfo *info)
{
    const VkImageViewSlicedCreateInfoEXT *slices = slices_of(info);
    const VkImageSubresourceRange *range = &info->subresourceRange;
    const struct vc4vk_image *image = vc4vk_image_from_handle(info->image);
    if (!slices)
        return NULL;
    const uint32_t levels =
        range->levelCount == VK_REMAINING_MIP_LEVELS ? image->levels - range->baseMipLevel : range->levelCount;
    const uint32_t depth = util_minify(image->extent.depth, range->baseMipLevel);
    if (info->viewType != VK_IMAGE_VIEW_TYPE_3D || levels != 1)
        return "only 3D views of one level have a range of slices";
    if (slices->sliceOffset >= depth || !slices->sliceCount ||
        (slices->sliceCount != VK_REMAINING_3D_SLICES_EXT && slices->sliceCount > depth - slices->sliceOffset))
        return "the level has no such slices";
    return NULL;
}

/* Storage images see the range alone, all other descriptors the whole level. */
static VkResult make_sliced_state(struct vc4vk_device *device, struct vc4vk_image_view *view,
                                  const VkImageViewCreateInfo *info)
{
    const VkImageViewSlicedCreateInfoEXT *slices = slices_of(info);
    struct vc4vk_image_view range = *view;
    if (!slices || !(view->image->usage & VK_IMAGE_USAGE_STORAGE_BIT))
        return VK_SUCCESS;
    range.base_layer = slices->sliceOffset;
    range.depth = MIN2(slices->sliceCount, view->depth - slices->sliceOffset);
    return make_state(device, &range, VK_IMAGE_ASPECT_COLOR_BIT, &view->sliced);
}
#else
static const char *check_slices(const VkImageViewCreateInfo *info)
{
    return NULL;
}

static VkResult make_sliced_state(struct vc4vk_device *device, struct vc4vk_image_view *view,
                                  const VkImageViewCreateInfo *info)
{
    return VK_SUCCESS;
}
#endif

static VkResult make_states(struct vc4vk_device *device, struct vc4vk_image_view *view)
{
    VkResult result = VK_SUCCESS;
    VkImageAspectFlags aspects = view->aspects & view->format->aspects;
    if (!(view->image->usage &
          (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_STORAGE_BIT)))
        return VK_SUCCESS;
    if (aspects & VK_IMAGE_ASPECT_STENCIL_BIT)
        result = make_state(device, view, VK_IMAGE_ASPECT_STENCIL_BIT, &view->sampled_stencil);
    if (view->format->planar)
        return make_plane_states(device, view);
    if (result == VK_SUCCESS && (aspects & ~(VkImageAspectFlags)VK_IMAGE_ASPECT_STENCIL_BIT))
        result = make_state(device, view, aspects & ~(VkImageAspectFlags)VK_IMAGE_ASPECT_STENCIL_BIT, &view->sampled);
    return result;
}

/* -- image views -------------------------------------------------------------------------------------------------- */

static VkComponentSwizzle resolve_identity(VkComponentSwizzle swizzle, VkComponentSwizzle self)
{
    return swizzle == VK_COMPONENT_SWIZZLE_IDENTITY ? self : swizzle;
}

/* For 2D and 2D array views of a 3D image, the slices of the base level are the layers. */
static uint32_t layer_count(const struct vc4vk_image *image, const VkImageViewCreateInfo *info)
{
    if (image->type != VK_IMAGE_TYPE_3D || info->viewType == VK_IMAGE_VIEW_TYPE_3D)
        return image->layers;
    return util_minify(image->extent.depth, info->subresourceRange.baseMipLevel);
}

static uint32_t block_B_of(const struct vc4vk_image *image, const struct vc4vk_format *format)
{
    return hw_format_info(vc4vk_image_storage(image, format))->block_B;
}

/* Whether a view of this format can read the image's memory as it is. */
static bool suits_format(const struct vc4vk_image *image, const struct vc4vk_format *format)
{
    if (format == image->format)
        return true;
    if (format->planar || image->format->planar || format->aspects != image->format->aspects)
        return false;
    if (image->blocks && hw_format_info(format->hw)->block_w == 1)
        return format->aspects == VK_IMAGE_ASPECT_COLOR_BIT &&
               hw_format_info(format->hw)->block_B == hw_format_info(image->format->hw)->block_B;
    return hw_format_has_block_size_of(format->hw, image->format->hw) &&
           block_B_of(image, format) == block_B_of(image, image->format);
}

/* NULL when the image supports the view, else the reason why not. */
static const char *check_range(const VkImageViewCreateInfo *info)
{
    const VkImageSubresourceRange *range = &info->subresourceRange;
    VkImageAspectFlags aspects = range->aspectMask;
    const struct vc4vk_image *whole = vc4vk_image_from_handle(info->image);
    const struct vc4vk_image *image = whole ? vc4vk_image_of_aspect(whole, &aspects) : NULL;
    if (!image)
        return "the image is VK_NULL_HANDLE";
    const bool is_cube = info->viewType == VK_IMAGE_VIEW_TYPE_CUBE || info->viewType == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    const uint32_t layers = range->baseMipLevel < image->levels ? layer_count(image, info) : 0;
    if ((uint32_t)info->viewType > VK_IMAGE_VIEW_TYPE_CUBE_ARRAY)
        return "unknown view type";
    if (!suits_format(image, vc4vk_format(info->format)))
        return "the format is not compatible with the image's format";
    if (!(aspects & image->format->aspects))
        return "the image has no such aspect";
    if (range->baseMipLevel >= image->levels || !range->levelCount ||
        (range->levelCount != VK_REMAINING_MIP_LEVELS && range->levelCount > image->levels - range->baseMipLevel))
        return "the image has no such levels";
    if (range->baseArrayLayer >= layers || !range->layerCount ||
        (range->layerCount != VK_REMAINING_ARRAY_LAYERS && range->layerCount > layers - range->baseArrayLayer))
        return "the image has no such layers";
    if (is_cube &&
        ((range->layerCount == VK_REMAINING_ARRAY_LAYERS ? layers - range->baseArrayLayer : range->layerCount) < 6 ||
         image->extent.width != image->extent.height || image->samples > 1))
        return "a cube needs six layers of square, single-sampled images";
    if ((info->viewType == VK_IMAGE_VIEW_TYPE_3D) != (image->type == VK_IMAGE_TYPE_3D) &&
        (image->type != VK_IMAGE_TYPE_3D ||
         (info->viewType != VK_IMAGE_VIEW_TYPE_2D && info->viewType != VK_IMAGE_VIEW_TYPE_2D_ARRAY)))
        return "the view type does not match the image type";
    return check_slices(info);
}

static void init_view(struct vc4vk_image_view *view, const VkImageViewCreateInfo *info)
{
    const VkImageSubresourceRange *range = &info->subresourceRange;
    VkImageAspectFlags aspects = range->aspectMask;
    struct vc4vk_image *image = vc4vk_image_of_aspect(vc4vk_image_from_handle(info->image), &aspects);
    view->image = image;
    view->type = info->viewType;
    view->vk_format = info->format;
    view->format = vc4vk_format(info->format);
    view->aspects = aspects;
    view->mapping = (VkComponentMapping){
        resolve_identity(info->components.r, VK_COMPONENT_SWIZZLE_R),
        resolve_identity(info->components.g, VK_COMPONENT_SWIZZLE_G),
        resolve_identity(info->components.b, VK_COMPONENT_SWIZZLE_B),
        resolve_identity(info->components.a, VK_COMPONENT_SWIZZLE_A),
    };
    view->base_level = range->baseMipLevel;
    view->base_layer = range->baseArrayLayer;
    view->levels = range->levelCount == VK_REMAINING_MIP_LEVELS ? image->levels - view->base_level : range->levelCount;
    view->layers = range->layerCount == VK_REMAINING_ARRAY_LAYERS ? layer_count(image, info) - view->base_layer
                                                                  : range->layerCount;
    if (image->blocks && hw_format_info(view->format->hw)->block_w == 1) { /* Vulkan allows one level only here */
        view->image = image = image->blocks[view->base_level];
        view->base_level = 0;
        view->levels = 1;
    }
    view->width_px = util_minify(image->extent.width, view->base_level);
    view->height_px = util_minify(image->extent.height, view->base_level);
    view->depth = view->type == VK_IMAGE_VIEW_TYPE_3D ? util_minify(image->extent.depth, view->base_level) : 1;
}

static void destroy_samples(struct vc4vk_image_view *samples)
{
    if (!samples)
        return;
    vc4vk_image_destroy_samples(samples->image);
    vc4vk_free(VC4VK_ALLOC_INTERNAL, samples);
}

VkResult vc4vk_image_view_samples(struct vc4vk_device *device, struct vc4vk_image_view *view,
                                  const struct vc4vk_image_view **out)
{
    struct vc4vk_image_view *first = NULL, *samples = atomic_load_explicit(&view->samples, memory_order_acquire);
    *out = samples;
    if (samples)
        return VK_SUCCESS;
    samples = vc4vk_new(VC4VK_ALLOC_INTERNAL, struct vc4vk_image_view, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!samples)
        return vc4vk_oom(device);
    VkResult result = vc4vk_image_create_samples(device, view->vk_format, (VkExtent2D){view->width_px, view->height_px},
                                                 view->layers, &samples->image);
    if (result != VK_SUCCESS) {
        vc4vk_free(VC4VK_ALLOC_INTERNAL, samples);
        return result;
    }
    vc4vk_object_init(&samples->base, VK_OBJECT_TYPE_IMAGE_VIEW);
    samples->type = view->type;
    samples->vk_format = view->vk_format;
    samples->format = view->format;
    samples->storage = vc4vk_image_storage(samples->image, samples->format);
    samples->aspects = view->aspects;
    samples->levels = 1;
    samples->layers = view->layers;
    samples->width_px = view->width_px;
    samples->height_px = view->height_px;
    samples->depth = view->depth;
    if (!atomic_compare_exchange_strong(&view->samples, &first, samples)) { /* another thread was faster */
        destroy_samples(samples);
        samples = first;
    }
    *out = samples;
    return VK_SUCCESS;
}

static void destroy_view(struct vc4vk_device *device, struct vc4vk_image_view *view, const VkAllocationCallbacks *alloc)
{
    destroy_samples(atomic_load(&view->samples));
    struct vc4vk_state_pool *pool = vc4vk_device_slot_peek(device, VC4VK_SLOT_DESCRIPTOR);
    vc4vk_state_put(pool, view->sampled);
    vc4vk_state_put(pool, view->sampled_stencil);
    vc4vk_state_put(pool, view->sliced);
    vc4vk_state_put(pool, view->chroma[0]);
    vc4vk_state_put(pool, view->chroma[1]);
    vc4vk_free(alloc, view);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateImageView(VkDevice _device, const VkImageViewCreateInfo *pCreateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkImageView *pView)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    if (!vc4vk_format(pCreateInfo->format))
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED, "image view: format %d is not supported",
                            pCreateInfo->format);
    const char *why = check_range(pCreateInfo);
    if (why)
        return vc4vk_errorf(device, VK_ERROR_UNKNOWN,
                            "image view of format %d, type %d, levels %u+%u, layers %u+%u: %s", pCreateInfo->format,
                            pCreateInfo->viewType, pCreateInfo->subresourceRange.baseMipLevel,
                            pCreateInfo->subresourceRange.levelCount, pCreateInfo->subresourceRange.baseArrayLayer,
                            pCreateInfo->subresourceRange.layerCount, why);
    vc4vk_drop_unknown_bits(device, VC4VK_BITS_IMAGE_VIEW_FLAGS, pCreateInfo->flags);
    struct vc4vk_image_view *view = vc4vk_new(alloc, struct vc4vk_image_view, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!view)
        return vc4vk_oom(device);
    vc4vk_object_init(&view->base, VK_OBJECT_TYPE_IMAGE_VIEW);
    init_view(view, pCreateInfo);
    /* Views of depth and stencil always use the image's own words. A colour view interprets the image's words as its
     * own format, which has the same size. */
    if (!view->format->planar)
        view->storage = view->format->aspects & VK_IMAGE_ASPECT_COLOR_BIT
                        ? vc4vk_image_storage(view->image, view->format)
                        : vc4vk_image_plane(view->image, VK_IMAGE_ASPECT_DEPTH_BIT)->format;
    VkResult result = make_states(device, view);
    if (result == VK_SUCCESS)
        result = make_sliced_state(device, view, pCreateInfo);
    if (result != VK_SUCCESS) {
        destroy_view(device, view, alloc);
        return result;
    }
    *pView = vc4vk_image_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyImageView(VkDevice _device, VkImageView _view,
                                                  const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_image_view, view, _view);
    if (view)
        destroy_view(device, view, vc4vk_alloc_choose(device->alloc, pAllocator));
}

/* -- buffer views ------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateBufferView(VkDevice _device, const VkBufferViewCreateInfo *pCreateInfo,
                                                      const VkAllocationCallbacks *pAllocator, VkBufferView *pView)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_buffer, buffer, pCreateInfo->buffer);
    const VkAllocationCallbacks *alloc = vc4vk_alloc_choose(device->alloc, pAllocator);
    enum hw_format format = vc4vk_format_hw(pCreateInfo->format);
    struct vc4vk_state_pool *pool;
    VkResult result = vc4vk_device_state_pool(device, &pool);
    if (result != VK_SUCCESS)
        return result;
    if (format == HW_FORMAT_NONE)
        return vc4vk_errorf(device, VK_ERROR_FORMAT_NOT_SUPPORTED, "buffer view: format %d is not supported",
                            pCreateInfo->format);
    struct vc4vk_buffer_view *view = vc4vk_new(alloc, struct vc4vk_buffer_view, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!view)
        return vc4vk_oom(device);
    vc4vk_object_init(&view->base, VK_OBJECT_TYPE_BUFFER_VIEW);
    view->buffer = buffer;
    view->format = format;
    if (!vc4vk_state_get(pool, VC4VK_SURFACE_STATE_B, &view->state)) {
        vc4vk_free(alloc, view);
        return vc4vk_errorf(device, VK_ERROR_OUT_OF_DEVICE_MEMORY, "buffer view: the block pool is full");
    }
    struct vc4vk_surface_state *state = view->state.map;
    const uint64_t offset_B = MIN2(pCreateInfo->offset, buffer->size_B);
    uint32_t size_B =
        (uint32_t)MIN2(vc4vk_buffer_range(buffer, offset_B, pCreateInfo->range), buffer->size_B - offset_B);
    state->kind = VC4VK_STATE_BUFFER;
    state->buffer = (struct vc4vk_buffer_state){
        .bo = buffer->bo,
        .base_B = (uint32_t)(buffer->offset_B + offset_B),
        .size_B = size_B,
        .format = (uint8_t)format,
        .texels = size_B / hw_format_info(format)->block_B,
    };
    *pView = vc4vk_buffer_view_to_handle(view);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_DestroyBufferView(VkDevice _device, VkBufferView _view,
                                                   const VkAllocationCallbacks *pAllocator)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    VC4VK_FROM_HANDLE(vc4vk_buffer_view, view, _view);
    if (!view)
        return;
    vc4vk_state_put(vc4vk_device_slot_peek(device, VC4VK_SLOT_DESCRIPTOR), view->state);
    vc4vk_private_data_forget(device, &view->base.private_number);
    vc4vk_free(vc4vk_alloc_choose(device->alloc, pAllocator), view);
}
