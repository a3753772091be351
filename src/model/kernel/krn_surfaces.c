/* SPDX-License-Identifier: MIT
 *
 * Checks the surfaces that a job loads and stores, and its tile range [kernel vc4_render_cl.c, notes 9.7].
 *
 * The bits of a surface are those of the packet that will use it: packet 113 for color_write, packets 28 and 29 for the
 * others. There is no stride field: the stride follows from the job's width.
 */
#include <errno.h>
#include "hw/cl_gen.h"
#include "model/kernel/krn_lists.h"

#define ABSENT UINT32_MAX

/* A tile with all its samples: 32 x 32 pixels of four samples, or 64 x 64 of one. */
#define FULL_TILE_PX 32u
#define FULL_TILE_B  16384u

/* Flags of packet 113, in color_write.bits. */
#define CONFIG_MS_4X       BIT(0)
#define CONFIG_FORMAT      (3u << 2)
#define CONFIG_DECIMATE_4X BIT(4)
#define CONFIG_LAYOUT      (3u << 6)
#define CONFIG_BITS        (CONFIG_MS_4X | CONFIG_FORMAT | CONFIG_DECIMATE_4X | CONFIG_LAYOUT)

/* Bits of packets 28 and 29. */
#define GENERAL_BUFFER 7u
#define GENERAL_LAYOUT (3u << 4)
#define GENERAL_FORMAT (3u << 8)
#define GENERAL_BITS   (GENERAL_BUFFER | GENERAL_LAYOUT | GENERAL_FORMAT)

static int check_fits(const struct krn_lists *lists, const char *name, const struct krn_buffer *bo, uint32_t offset_B,
                      uint32_t layout, uint32_t cpp)
{
    if (layout > HW_TILING_LT)
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: layout 3", name);
    if (!krn_surface_fits(bo, offset_B, (enum hw_tiling)layout, lists->args.width, lists->args.height, cpp))
        return krn_refuse(KRN_RULE_SURFACE_SIZE, "%s: %u x %u pixels of %u B at %u do not lie in %u B", name,
                          lists->args.width, lists->args.height, cpp, offset_B, bo->size_B);
    return 0;
}

static int check_config_surface(struct krn_lists *lists, const struct drm_vc4_submit_rcl_surface *surf)
{
    const char *name = "color_write";
    if (surf->flags)
        return krn_refuse(KRN_RULE_SURFACE_FLAGS, "%s: 0x%x", name, surf->flags);
    if (surf->bits & ~CONFIG_BITS)
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: 0x%x", name, surf->bits);
    if (surf->hindex == ABSENT)
        return 0;
    const struct krn_buffer *bo = krn_lists_buffer(lists, surf->hindex);
    if (!bo)
        return -EINVAL;
    uint32_t format = (surf->bits & CONFIG_FORMAT) >> 2;
    if (format == 3)
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: format 3", name);
    lists->surface[KRN_COLOR_WRITE] = bo;
    return check_fits(lists, name, bo, surf->offset, (surf->bits & CONFIG_LAYOUT) >> 6, format == 1 ? 4 : 2);
}

/* [kernel] Tiles of 32 x 32 pixels in rows. The check is off by one: the last tile may lie past the end of the
 * buffer. */
static int check_full_fits(const struct krn_lists *lists, const char *name, const struct krn_buffer *bo,
                           uint32_t offset_B)
{
    uint32_t row_tl = util_div_round_up(lists->args.width, FULL_TILE_PX);
    if (offset_B > bo->size_B ||
        (bo->size_B - offset_B) / FULL_TILE_B < row_tl * lists->args.max_y_tile + lists->args.max_x_tile)
        return krn_refuse(KRN_RULE_SURFACE_SIZE, "%s: full-resolution tiles up to %u, %u at %u do not lie in %u B",
                          name, lists->args.max_x_tile, lists->args.max_y_tile, offset_B, bo->size_B);
    return 0;
}

/* The alignment of the offset is not checked: its low bits act as flags of the record. */
static int check_full_read(struct krn_lists *lists, const struct drm_vc4_submit_rcl_surface *surf, const char *name,
                           enum krn_surface which, const struct krn_buffer *bo)
{
    if (which == KRN_ZS_WRITE)
        return krn_refuse(KRN_RULE_SURFACE_FLAGS, "%s: full resolution is for loads only", name);
    if (surf->bits)
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: 0x%x at full resolution", name, surf->bits);
    lists->surface[which] = bo;
    return check_full_fits(lists, name, bo, surf->offset);
}

static int check_general_surface(struct krn_lists *lists, const struct drm_vc4_submit_rcl_surface *surf,
                                 const char *name, enum krn_surface which)
{
    if (surf->flags & ~VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES)
        return krn_refuse(KRN_RULE_SURFACE_FLAGS, "%s: 0x%x", name, surf->flags);
    if (surf->hindex == ABSENT)
        return 0;
    const struct krn_buffer *bo = krn_lists_buffer(lists, surf->hindex);
    if (!bo)
        return -EINVAL;
    if (surf->flags & VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES)
        return check_full_read(lists, surf, name, which, bo);
    if (surf->bits & ~GENERAL_BITS)
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: 0x%x", name, surf->bits);
    uint32_t buffer = surf->bits & GENERAL_BUFFER, format = (surf->bits & GENERAL_FORMAT) >> 8, cpp = 4;
    if (buffer == CL_BUFFER_ZS) {
        if (format)
            return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: format %u of depth", name, format);
    } else if (buffer == CL_BUFFER_COLOR) {
        if (format == 3)
            return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: format 3", name);
        cpp = format == 0 ? 4 : 2;
    } else {
        return krn_refuse(KRN_RULE_SURFACE_BITS, "%s: buffer %u", name, buffer);
    }
    if (surf->offset % 16)
        return krn_refuse(KRN_RULE_SURFACE_OFFSET, "%s: %u", name, surf->offset);
    lists->surface[which] = bo;
    return check_fits(lists, name, bo, surf->offset, (surf->bits & GENERAL_LAYOUT) >> 4, cpp);
}

static int check_msaa_surface(struct krn_lists *lists, const struct drm_vc4_submit_rcl_surface *surf, const char *name,
                              enum krn_surface which)
{
    if (surf->flags || surf->bits)
        return krn_refuse(KRN_RULE_SURFACE_FLAGS, "%s: flags 0x%x, bits 0x%x", name, surf->flags, surf->bits);
    if (surf->hindex == ABSENT)
        return 0;
    const struct krn_buffer *bo = krn_lists_buffer(lists, surf->hindex);
    if (!bo)
        return -EINVAL;
    if (surf->offset % 16)
        return krn_refuse(KRN_RULE_SURFACE_OFFSET, "%s: %u", name, surf->offset);
    lists->surface[which] = bo;
    return check_full_fits(lists, name, bo, surf->offset);
}

int krn_validate_surfaces(struct krn_lists *lists)
{
    const struct drm_vc4_submit_cl *args = &lists->args;
    if (args->min_x_tile > args->max_x_tile || args->min_y_tile > args->max_y_tile)
        return krn_refuse(KRN_RULE_TILE_RANGE, "first tile %u, %u is after the last, %u, %u", args->min_x_tile,
                          args->min_y_tile, args->max_x_tile, args->max_y_tile);
    /* [kernel] Off by one: one more row or column than was binned passes. */
    if (args->bin_cl_size && (args->max_x_tile > lists->bin_width_tl || args->max_y_tile > lists->bin_height_tl))
        return krn_refuse(KRN_RULE_TILE_RANGE, "last tile %u, %u, but the binning list covers %u x %u",
                          args->max_x_tile, args->max_y_tile, lists->bin_width_tl, lists->bin_height_tl);
    int err = check_general_surface(lists, &args->color_read, "color_read", KRN_COLOR_READ);
    if (!err)
        err = check_config_surface(lists, &args->color_write);
    if (!err)
        err = check_general_surface(lists, &args->zs_read, "zs_read", KRN_ZS_READ);
    if (!err)
        err = check_general_surface(lists, &args->zs_write, "zs_write", KRN_ZS_WRITE);
    if (!err)
        err = check_msaa_surface(lists, &args->msaa_color_write, "msaa_color_write", KRN_MSAA_COLOR_WRITE);
    if (!err)
        err = check_msaa_surface(lists, &args->msaa_zs_write, "msaa_zs_write", KRN_MSAA_ZS_WRITE);
    if (err)
        return err;
    if (!lists->may_store_nothing && !lists->surface[KRN_COLOR_WRITE] && !lists->surface[KRN_ZS_WRITE] &&
        !lists->surface[KRN_MSAA_COLOR_WRITE] && !lists->surface[KRN_MSAA_ZS_WRITE])
        return krn_refuse(KRN_RULE_SURFACE_NONE, "neither colour nor depth");
    return 0;
}
