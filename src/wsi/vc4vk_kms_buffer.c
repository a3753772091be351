/* SPDX-License-Identifier: MIT
 *
 * Scan-out buffers of CRTCs: dumb buffers, which the CPU writes, and imported memory, which is scanned out without a
 * copy.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <drm_fourcc.h>
#include <xf86drm.h>
#include "wsi/vc4vk_kms.h"

#define BITS_PER_PIXEL 32u

static int add_framebuffer(const struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer, uint32_t handle,
                           uint32_t offset_B)
{
    const uint32_t handles[4] = {handle}, pitches[4] = {buffer->pitch_B}, offsets[4] = {offset_B};
    return drmModeAddFB2(kms->fd, buffer->width_px, buffer->height_px, DRM_FORMAT_XRGB8888, handles, pitches, offsets,
                         &buffer->fb_id, 0)
               ? -errno
               : 0;
}

static struct vc4vk_kms_buffer *new_buffer(uint32_t width_px, uint32_t height_px)
{
    struct vc4vk_kms_buffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer)
        return NULL;
    util_list_init(&buffer->link);
    buffer->width_px = width_px;
    buffer->height_px = height_px;
    return buffer;
}

/* -- dumb buffers ------------------------------------------------------------------------------------------------- */

static int allocate(const struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer)
{
    struct drm_mode_create_dumb create = {
        .width = buffer->width_px, .height = buffer->height_px, .bpp = BITS_PER_PIXEL};
    if (drmIoctl(kms->fd, DRM_IOCTL_MODE_CREATE_DUMB, &create))
        return -errno;
    buffer->handle = create.handle;
    buffer->pitch_B = create.pitch;
    buffer->map_B = (size_t)create.size;
    return 0;
}

static int map(const struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer)
{
    struct drm_mode_map_dumb args = {.handle = buffer->handle};
    if (drmIoctl(kms->fd, DRM_IOCTL_MODE_MAP_DUMB, &args))
        return -errno;
    void *address = mmap(NULL, buffer->map_B, PROT_READ | PROT_WRITE, MAP_SHARED, kms->fd, (off_t)args.offset);
    if (address == MAP_FAILED)
        return -errno;
    buffer->map = address;
    return 0;
}

int vc4vk_kms_buffer_create(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px, struct vc4vk_kms_buffer **out)
{
    struct vc4vk_kms_buffer *buffer = new_buffer(width_px, height_px);
    if (!buffer)
        return -ENOMEM;
    int err = allocate(kms, buffer);
    if (!err)
        err = map(kms, buffer);
    if (!err)
        err = add_framebuffer(kms, buffer, buffer->handle, 0);
    if (err)
        vc4vk_kms_buffer_destroy(kms, buffer);
    else
        *out = buffer;
    return err;
}

/* -- imported memory ---------------------------------------------------------------------------------------------- */

/* The framebuffer holds a reference to the memory, so the GEM handle is closed at once. */
int vc4vk_kms_buffer_adopt(struct vc4vk_kms *kms, uint32_t width_px, uint32_t height_px, int fd, uint32_t offset_B,
                           uint32_t pitch_B, struct vc4vk_kms_buffer **out)
{
    struct vc4vk_kms_buffer *buffer = new_buffer(width_px, height_px);
    if (!buffer)
        return -ENOMEM;
    buffer->pitch_B = pitch_B;
    struct drm_gem_close gem_close = {0};
    int err = drmPrimeFDToHandle(kms->fd, fd, &gem_close.handle) ? -errno : 0;
    if (!err) {
        err = add_framebuffer(kms, buffer, gem_close.handle, offset_B);
        (void)drmIoctl(kms->fd, DRM_IOCTL_GEM_CLOSE, &gem_close);
    }
    if (err)
        vc4vk_kms_buffer_destroy(kms, buffer);
    else
        *out = buffer;
    return err;
}

void vc4vk_kms_buffer_destroy(struct vc4vk_kms *kms, struct vc4vk_kms_buffer *buffer)
{
    util_list_del(&buffer->link);
    if (buffer->fb_id)
        drmModeRmFB(kms->fd, buffer->fb_id);
    if (buffer->map)
        munmap(buffer->map, buffer->map_B);
    struct drm_mode_destroy_dumb destroy = {.handle = buffer->handle};
    if (buffer->handle)
        (void)drmIoctl(kms->fd, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
    free(buffer);
}
