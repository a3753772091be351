/* SPDX-License-Identifier: MIT
 *
 * Dumb buffers and framebuffers. A framebuffer maps the whole buffer, so the buffer outlives its handle, as in the
 * kernel.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <drm_fourcc.h>
#include <unistd.h>
#include <vc4_drm.h>
#include "shim/shim_kms.h"

#define BYTES_PER_PIXEL 4u

/* [kernel vc4_bo.c vc4_dumb_create, vc4_bo_dumb_create] The pitch is the smallest possible. */
int shim_kms_create_dumb(struct shim_file *file, void *arg)
{
    struct drm_mode_create_dumb *args = arg;
    if (!args->width || !args->height || !args->bpp)
        return -EINVAL;
    uint64_t pitch_B = ((uint64_t)args->width * args->bpp + 7) / 8;
    uint64_t size_B = pitch_B * args->height;
    if (size_B > UINT32_MAX - 4095)
        return -EINVAL;
    struct drm_vc4_create_bo create = {.size = (uint32_t)size_B};
    int err = model_ioctl(file->model, DRM_IOCTL_VC4_CREATE_BO, &create);
    if (err)
        return err;
    /* The first export moves the memory of a buffer, so export it now, before it is mapped. */
    int fd;
    err = model_bo_export(file->model, create.handle, false, &fd);
    if (!err) {
        SHIM_REAL(close)(fd);
    } else {
        struct drm_gem_close gem_close = {.handle = create.handle};
        (void)model_ioctl(file->model, DRM_IOCTL_GEM_CLOSE, &gem_close);
        return err;
    }
    shim_kms.dumb_buffers++;
    args->handle = create.handle;
    args->pitch = (uint32_t)pitch_B;
    args->size = (size_B + 4095) / 4096 * 4096;
    return 0;
}

int shim_kms_map_dumb(struct shim_file *file, void *arg)
{
    struct drm_mode_map_dumb *args = arg;
    struct drm_vc4_mmap_bo map = {.handle = args->handle};
    int err = model_ioctl(file->model, DRM_IOCTL_VC4_MMAP_BO, &map);
    args->offset = map.offset;
    return err == -EINVAL ? -ENOENT : err;
}

struct shim_kms_fb *shim_kms_find_fb(uint32_t id)
{
    util_list_for_each(struct shim_kms_fb, fb, &shim_kms.fbs, link)
        if (fb->id == id)
            return fb;
    return NULL;
}

void shim_kms_free_fb(struct shim_kms_fb *fb)
{
    util_list_del(&fb->link);
    munmap(fb->map, fb->map_B);
    free(fb);
}

static int map_buffer(struct shim_file *file, uint32_t handle, struct shim_kms_fb *fb)
{
    int fd;
    int err = model_bo_export(file->model, handle, false, &fd);
    if (err)
        return err;
    uint64_t size_B;
    if (!model_is_shared_memory(fd, &size_B)) {
        err = -EINVAL;
    } else {
        fb->map_B = (size_t)size_B;
        fb->map = SHIM_REAL(mmap64)(NULL, fb->map_B, PROT_READ, MAP_SHARED, fd, 0);
        err = fb->map == MAP_FAILED ? -ENOMEM : 0;
    }
    SHIM_REAL(close)(fd);
    return err;
}

/* [kernel drm_framebuffer.c framebuffer_check, drm_gem_framebuffer_helper.c] */
static int check(const struct drm_mode_fb_cmd2 *args)
{
    if (args->flags & ~(uint32_t)(DRM_MODE_FB_INTERLACED | DRM_MODE_FB_MODIFIERS))
        return -EINVAL;
    if (!args->width || !args->height || args->width > SHIM_KMS_MAX_PX || args->height > SHIM_KMS_MAX_PX)
        return -EINVAL;
    if (args->pixel_format != DRM_FORMAT_XRGB8888 && args->pixel_format != DRM_FORMAT_ARGB8888)
        return -EINVAL;
    if (!args->handles[0] || args->pitches[0] < args->width * BYTES_PER_PIXEL)
        return -EINVAL;
    for (uint32_t i = 0; i < 4; i++) {
        if (i && (args->handles[i] || args->pitches[i] || args->offsets[i]))
            return -EINVAL;
        if (args->modifier[i] && (i || !(args->flags & DRM_MODE_FB_MODIFIERS)))
            return -EINVAL;
    }
    return args->modifier[0] ? -EINVAL : 0; /* linear only, unlike [kernel vc4_plane.c], which supports T tiling */
}

int shim_kms_add_fb2(struct shim_file *file, void *arg)
{
    struct drm_mode_fb_cmd2 *args = arg;
    int err = check(args);
    if (err)
        return err;
    struct shim_kms_fb *fb = calloc(1, sizeof *fb);
    if (!fb)
        return -ENOMEM;
    err = map_buffer(file, args->handles[0], fb);
    uint64_t end_B = args->offsets[0] + (uint64_t)args->pitches[0] * (args->height - 1) + args->width * BYTES_PER_PIXEL;
    if (!err && end_B > fb->map_B) {
        munmap(fb->map, fb->map_B);
        err = -EINVAL;
    }
    if (err) {
        free(fb);
        return err;
    }
    fb->owner = file;
    fb->id = ++shim_kms.last_id;
    fb->width_px = args->width;
    fb->height_px = args->height;
    fb->pitch_B = args->pitches[0];
    fb->offset_B = args->offsets[0];
    fb->format = args->pixel_format;
    util_list_add_tail(&shim_kms.fbs, &fb->link);
    args->fb_id = fb->id;
    return 0;
}

int shim_kms_add_fb(struct shim_file *file, void *arg)
{
    struct drm_mode_fb_cmd *args = arg;
    if (args->bpp != 32 || (args->depth != 24 && args->depth != 32))
        return -EINVAL;
    struct drm_mode_fb_cmd2 full = {
        .width = args->width,
        .height = args->height,
        .pixel_format = args->depth == 24 ? DRM_FORMAT_XRGB8888 : DRM_FORMAT_ARGB8888,
        .handles = {args->handle},
        .pitches = {args->pitch},
    };
    int err = shim_kms_add_fb2(file, &full);
    args->fb_id = full.fb_id;
    return err;
}
