/* SPDX-License-Identifier: MIT */
#include "transfer/vc4vk_tile_transfer.h"
#include "device/vc4vk_device.h"
#include "device/vc4vk_physical_device.h"
#include "transfer/vc4vk_image_io.h"
#include "transfer/vc4vk_job_surface.h"
#include "util/debug.h"

/* The model's memory is ordinary memory, which the CPU copies faster than the tile buffer does. The chip's memory is
 * mapped write-combined, so reads by the CPU are slow. */
static bool are_tiles_better(const struct vc4vk_device *device)
{
    const VkPhysicalDeviceMemoryProperties *m = &device->physical->memory;
    return util_debug(UTIL_DEBUG_TILE_COPIES) ||
           !(m->memoryTypes[m->memoryTypeCount - 1].propertyFlags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
}

/* One plane of one level of one layer: one word of the texels. */
struct plane_level {
    const struct vc4vk_image *image;
    uint32_t plane, level, layer;
};

static const struct hw_level *level_of(const struct plane_level *p)
{
    return &p->image->planes[p->plane].layout.level[p->level];
}

static bool suits_tiles(const struct vc4vk_image *image, uint32_t level)
{
    const struct hw_layout *layout = &image->planes[0].layout;
    return image->bo && level < image->levels && !image->has_blocks && layout->cpp == 4 &&
           layout->level[level].padded_width_el <= VC4VK_MAX_IMAGE_PX &&
           layout->level[level].height_el <= VC4VK_MAX_IMAGE_PX;
}

static struct kmd_surface surface_of(struct vc4vk_job *job, const struct plane_level *p, uint16_t bits)
{
    const struct vc4vk_image_plane *plane = &p->image->planes[p->plane];
    return (struct kmd_surface){
        .bo_index = vc4vk_job_add_bo(job, p->image->bo),
        .offset_B = (uint32_t)vc4vk_image_level_offset_B(p->image, plane, p->level, p->layer),
        .bits = bits,
    };
}

/* Sets up a job that stores all tiles of a level. */
static void init_job(struct vc4vk_job *job, const char *name, const struct plane_level *to, uint32_t width_px)
{
    const uint32_t height_px = level_of(to)->height_el, tile_px = hw_tile_px(to->image->samples);
    struct kmd_render *r = &job->render;
    static const struct inspect_job_info notes = {.why_color_load = "the whole level is copied",
                                                  .why_color_store = "the whole level is written"};
    vc4vk_job_init(job, name);
    job->notes = &notes;
    job->command.waits_for_ring = false;
    r->width_px = (uint16_t)width_px;
    r->height_px = (uint16_t)height_px;
    r->max_x_tl = (uint8_t)((level_of(to)->width_el - 1) / tile_px);
    r->max_y_tl = (uint8_t)((height_px - 1) / tile_px);
    if (to->image->samples > 1) {
        r->msaa_color_write = surface_of(job, to, 0);
        r->color_write.bits = vc4vk_store_color_bits(HW_TILING_RASTER) | VC4VK_STORE_COLOR_MS;
    } else {
        r->color_write = surface_of(job, to, vc4vk_store_color_bits(level_of(to)->tiling));
    }
}

/* ---------------------------------------------------------------- copies */

static bool covers_level(const struct vc4vk_image *image, uint32_t level, VkOffset3D offset, VkExtent3D extent)
{
    const struct hw_level *l = &image->planes[0].layout.level[level];
    return !offset.x && !offset.y && extent.width == l->width_el && extent.height == l->height_el;
}

/* A job width from which the kernel infers the strides of both levels; 0: there is none. */
static uint32_t common_width(const struct hw_level *a, const struct hw_level *b)
{
    const struct vc4vk_level_widths of_a = vc4vk_level_widths(a), of_b = vc4vk_level_widths(b);
    const uint32_t width_px = MIN2(of_a.max, of_b.max);
    return width_px >= MAX2(of_a.min, of_b.min) ? width_px : 0;
}

bool vc4vk_tile_copy(const struct vc4vk_device *device, const struct vc4vk_image *from, const struct vc4vk_image *to,
                     const VkImageCopy *r, struct vc4vk_tile_transfer *out)
{
    const uint32_t from_level = r->srcSubresource.mipLevel, to_level = r->dstSubresource.mipLevel;
    const VkImageAspectFlags aspects = r->srcSubresource.aspectMask;
    const VkImageAspectFlags one = aspects & -aspects;
    uint32_t from_layer, to_layer, from_count, to_count;
    vc4vk_region_layers(from, &r->srcSubresource, r->srcOffset.z, r->extent.depth, &from_layer, &from_count);
    vc4vk_region_layers(to, &r->dstSubresource, r->dstOffset.z, r->extent.depth, &to_layer, &to_count);
    if (!are_tiles_better(device) || from->samples != to->samples || aspects != r->dstSubresource.aspectMask ||
        !suits_tiles(from, from_level) || !suits_tiles(to, to_level) ||
        !covers_level(from, from_level, r->srcOffset, r->extent) ||
        !covers_level(to, to_level, r->dstOffset, r->extent) ||
        !vc4vk_image_storage_matches(&(struct vc4vk_image_place){from, one, from_level, from_layer, 0},
                                     &(struct vc4vk_image_place){to, one, to_level, to_layer, 0}, aspects))
        return false;
    *out = (struct vc4vk_tile_transfer){
        .from = from,
        .to = to,
        .from_level = from_level,
        .from_layer = from_layer,
        .to_level = to_level,
        .to_layer = to_layer,
        .width_px = common_width(&from->planes[0].layout.level[from_level], &to->planes[0].layout.level[to_level]),
        .job_count = MIN2(from_count, to_count) * from->plane_count,
    };
    return out->width_px != 0;
}

static void copy_plane(const struct vc4vk_tile_transfer *t, const struct plane_level *to, struct vc4vk_job *job)
{
    const struct plane_level from = {t->from, to->plane, t->from_level, t->from_layer + (to->layer - t->to_layer)};
    const bool has_samples = t->from->samples > 1;
    init_job(job, "copy image", to, t->width_px);
    job->render.color_read =
        surface_of(job, &from, has_samples ? 0 : vc4vk_general_bits(level_of(&from)->tiling, CL_BUFFER_COLOR));
    job->render.color_read.flags = has_samples ? KMD_SURFACE_FULL_RES : 0;
}

/* ---------------------------------------------------------------- clears */

bool vc4vk_tile_clear(const struct vc4vk_device *device, const struct vc4vk_clear_image *clear,
                      struct vc4vk_tile_transfer *out)
{
    const struct vc4vk_image *image = clear->image;
    const VkExtent3D extent = {clear->rect.extent.width, clear->rect.extent.height, 1};
    const VkOffset3D offset = {clear->rect.offset.x, clear->rect.offset.y, 0};
    const bool is_color = clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT;
    if (!are_tiles_better(device) || !suits_tiles(image, clear->level) ||
        !covers_level(image, clear->level, offset, extent))
        return false;
    if (!is_color && (clear->aspects != image->format->aspects || image->planes[0].format != HW_FORMAT_Z24S8))
        return false;
    *out = (struct vc4vk_tile_transfer){
        .clear = clear,
        .to = image,
        .to_level = clear->level,
        .to_layer = clear->first_layer,
        .job_count = clear->layers * image->plane_count,
    };
    return true;
}

static uint32_t clear_word(const struct vc4vk_clear_image *clear, uint32_t plane)
{
    const VkClearDepthStencilValue *value = &clear->value.depthStencil;
    return clear->aspects & VK_IMAGE_ASPECT_COLOR_BIT
               ? vc4vk_clear_color_word(clear->format, plane, &clear->value.color)
               : vc4vk_clear_depth_word(value->depth) << 8 | (value->stencil & 0xff);
}

static void clear_plane(const struct vc4vk_tile_transfer *t, const struct plane_level *to, struct vc4vk_job *job)
{
    init_job(job, "clear image", to, level_of(to)->padded_width_el);
    job->render.flags |= KMD_RENDER_USE_CLEAR_COLOR;
    job->render.clear_color[0] = job->render.clear_color[1] = clear_word(t->clear, to->plane);
}

/* ---------------------------------------------------------------- both */

void vc4vk_tile_transfer_job(const struct vc4vk_tile_transfer *t, uint32_t index, struct vc4vk_job *job)
{
    const uint32_t planes = t->to->plane_count;
    const struct plane_level to = {t->to, index % planes, t->to_level, t->to_layer + index / planes};
    if (t->clear)
        clear_plane(t, &to, job);
    else
        copy_plane(t, &to, job);
}
