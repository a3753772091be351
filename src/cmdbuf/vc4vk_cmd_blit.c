/* SPDX-License-Identifier: MIT
 *
 * Blits by the CPU: each texel of the target is looked up in the source, nearest or linear, and converted. Without a
 * filter, between images of one format, it is the texel itself: what depth and stencil have, which convert to nothing.
 */
#include <math.h>
#include <string.h>
#include "cmdbuf/vc4vk_cmd_buffer.h"
#include "cmdbuf/vc4vk_image_io.h"
#include "device/vc4vk_entrypoints_gen.h"

struct blit {
    const struct vc4vk_image *from, *to;
    bool linear;
    uint32_t count;
    const VkImageBlit *regions;
};

/* One texel of the source, as it is. */
static bool read_bytes(const struct vc4vk_image_place *place, int32_t x, int32_t y, uint8_t bytes[16])
{
    const struct hw_level *level = &vc4vk_image_plane(place->image, place->aspect)->layout.level[place->level];
    return vc4vk_image_read_texel(place, (uint32_t)CLAMP(x, 0, (int32_t)level->width_el - 1),
                                  (uint32_t)CLAMP(y, 0, (int32_t)level->height_el - 1), bytes);
}

/* In numbers. */
static bool read_texel(const struct vc4vk_image_place *place, enum hw_format format, int32_t x, int32_t y,
                       union hw_texel *out)
{
    uint8_t bytes[16];
    if (!read_bytes(place, x, y, bytes))
        return false;
    hw_format_unpack(format, bytes, out);
    return true;
}

static bool read_linear(const struct vc4vk_image_place *place, enum hw_format format, float x, float y,
                        union hw_texel *out)
{
    float fx = floorf(x - 0.5f), fy = floorf(y - 0.5f), wx = x - 0.5f - fx, wy = y - 0.5f - fy;
    union hw_texel t[4];
    for (int i = 0; i < 4; i++)
        if (!read_texel(place, format, (int32_t)fx + (i & 1), (int32_t)fy + (i >> 1), &t[i]))
            return false;
    for (int c = 0; c < 4; c++) {
        float top = t[0].f[c] + (t[1].f[c] - t[0].f[c]) * wx, bottom = t[2].f[c] + (t[3].f[c] - t[2].f[c]) * wx;
        out->f[c] = top + (bottom - top) * wy;
    }
    return true;
}

/* The region of the target, sorted and cut to its level, and how its texels map to the source. */
struct blit_axis {
    int32_t begin, end;  /* of the target */
    float scale, origin; /* source coordinate of the centre of target texel i: origin + (i + 0.5) * scale */
};

static struct blit_axis blit_axis(int32_t from0, int32_t from1, int32_t to0, int32_t to1, uint32_t size)
{
    struct blit_axis a = {.scale = (float)(from1 - from0) / (float)(to1 == to0 ? 1 : to1 - to0)};
    a.origin = (float)from0 - (float)to0 * a.scale;
    a.begin = MAX2(MIN2(to0, to1), 0);
    a.end = MIN2(MAX2(to0, to1), (int32_t)size);
    return a;
}

static bool blit_texel(const struct blit *b, const struct vc4vk_image_place *from, float u, float v,
                       enum hw_format to_format, uint8_t bytes[16])
{
    const enum hw_format from_format = vc4vk_image_io_texel_format(from);
    const int32_t x = (int32_t)floorf(u), y = (int32_t)floorf(v);
    union hw_texel texel;
    if (!b->linear && from_format == to_format)
        return read_bytes(from, x, y, bytes);
    if (!(b->linear ? read_linear(from, from_format, u, v, &texel) : read_texel(from, from_format, x, y, &texel)))
        return false;
    hw_format_pack(to_format, &texel, bytes);
    return true;
}

static bool blit_layer(const struct blit *b, const VkImageBlit *r, const struct vc4vk_image_place *from,
                       const struct vc4vk_image_place *to)
{
    const enum hw_format to_format = vc4vk_format_copy_layout(b->to->format, to->aspect);
    const struct hw_level *level = &vc4vk_image_plane(b->to, to->aspect)->layout.level[to->level];
    struct blit_axis x =
        blit_axis(r->srcOffsets[0].x, r->srcOffsets[1].x, r->dstOffsets[0].x, r->dstOffsets[1].x, level->width_el);
    struct blit_axis y =
        blit_axis(r->srcOffsets[0].y, r->srcOffsets[1].y, r->dstOffsets[0].y, r->dstOffsets[1].y, level->height_el);
    for (int32_t row = y.begin; row < y.end; row++)
        for (int32_t column = x.begin; column < x.end; column++) {
            float u = x.origin + ((float)column + 0.5f) * x.scale, v = y.origin + ((float)row + 0.5f) * y.scale;
            uint8_t bytes[16] = {0};
            struct hw_copy_rect rect = {(uint32_t)column, (uint32_t)row, 1, 1};
            if (!blit_texel(b, from, u, v, to_format, bytes) || !vc4vk_image_write(to, &rect, bytes, sizeof bytes))
                return false;
        }
    return true;
}

static bool blit_region(const struct blit *b, const VkImageBlit *r)
{
    bool from_3d = b->from->type == VK_IMAGE_TYPE_3D, to_3d = b->to->type == VK_IMAGE_TYPE_3D;
    struct blit_axis z = {0, (int32_t)r->dstSubresource.layerCount, 1, (float)r->srcSubresource.baseArrayLayer};
    if (to_3d)
        z = blit_axis(r->srcOffsets[0].z, r->srcOffsets[1].z, r->dstOffsets[0].z, r->dstOffsets[1].z,
                      util_minify(b->to->extent.depth, r->dstSubresource.mipLevel));
    bool done = true;
    for (VkImageAspectFlags a = VK_IMAGE_ASPECT_COLOR_BIT; a <= VK_IMAGE_ASPECT_STENCIL_BIT; a <<= 1)
        for (int32_t i = z.begin; i < z.end && done; i++) {
            if (!(r->srcSubresource.aspectMask & a))
                continue;
            uint32_t slice = (uint32_t)(z.origin + ((float)i + 0.5f) * z.scale);
            if (from_3d && !to_3d)
                slice = (uint32_t)r->srcOffsets[0].z;
            struct vc4vk_image_place from = {b->from, a, r->srcSubresource.mipLevel, slice, 0};
            struct vc4vk_image_place to = {b->to, a, r->dstSubresource.mipLevel,
                                           (uint32_t)i + (to_3d ? 0 : r->dstSubresource.baseArrayLayer), 0};
            done = blit_layer(b, r, &from, &to);
        }
    return done;
}

static VkResult run_blit(void *arguments)
{
    const struct blit *b = arguments;
    for (uint32_t i = 0; i < b->count; i++)
        if (!blit_region(b, &b->regions[i]))
            return vc4vk_errorf(b->from, VK_ERROR_MEMORY_MAP_FAILED, "blit: memory is not mapped");
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL vc4vk_CmdBlitImage(VkCommandBuffer cmd_h, VkImage from, VkImageLayout from_layout,
                                              VkImage to, VkImageLayout to_layout, uint32_t count,
                                              const VkImageBlit *regions, VkFilter filter)
{
    VC4VK_FROM_HANDLE(vc4vk_cmd_buffer, cmd, cmd_h);
    struct blit *b = vc4vk_cmd_new(cmd, struct blit);
    VkImageBlit *own = vc4vk_cmd_copy(cmd, regions, count * sizeof *regions);
    if (!b || !own)
        return;
    *b = (struct blit){vc4vk_image_from_handle(from), vc4vk_image_from_handle(to), filter == VK_FILTER_LINEAR, count,
                       own};
    const enum hw_format format = b->from->format->hw;
    const bool integer = hw_format_kind(format) == HW_KIND_UINT || hw_format_kind(format) == HW_KIND_SINT;
    b->linear = b->linear && !integer;
    /* It goes texel by texel: nothing of it is short. */
    vc4vk_cmd_add_transfer(cmd, "blit", run_blit, b, UINT64_MAX);
}
