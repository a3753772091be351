/* SPDX-License-Identifier: MIT
 *
 * The ioctls of vc4_drm.h, common to both backends. The backends differ in how an ioctl reaches the kernel
 * (kmd_device_ops.ioctl), in how memory is mapped, and in how they learn that a job has finished.
 */
#include <errno.h>
#include <string.h>
#include <drm.h>
#include <vc4_drm.h>
#include "kmd/kmd_backend.h"
#include "model/model.h"
#include "util/log.h"

static int call(struct kmd_device *dev, unsigned long request, void *arg)
{
    return dev->ops->ioctl(dev, request, arg);
}

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

int kmd_vc4_bo_create(struct kmd_device *dev, struct kmd_bo *bo)
{
    struct drm_vc4_create_bo create = {.size = bo->size_B};
    int err = call(dev, DRM_IOCTL_VC4_CREATE_BO, &create);
    bo->handle = create.handle;
    return err;
}

int kmd_vc4_bo_create_shader(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B)
{
    struct drm_vc4_create_shader_bo create = {.size = size_B, .data = (uintptr_t)code};
    int err = call(dev, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create);
    bo->handle = create.handle;
    bo->size_B = util_align(size_B, KMD_PAGE_B);
    return err;
}

void kmd_vc4_bo_destroy(struct kmd_bo *bo)
{
    struct drm_gem_close close = {.handle = bo->handle};
    int err = call(bo->dev, DRM_IOCTL_GEM_CLOSE, &close);
    if (err)
        util_error("cannot close buffer object %u: %s", bo->handle, strerror(-err));
}

void kmd_vc4_bo_label(struct kmd_bo *bo, const char *label)
{
    struct drm_vc4_label_bo arg = {.handle = bo->handle, .len = (uint32_t)strlen(label), .name = (uintptr_t)label};
    int err = call(bo->dev, DRM_IOCTL_VC4_LABEL_BO, &arg);
    (void)err; /* labels are for debugging only, and older kernels do not have them */
}

int kmd_bo_set_tiling(struct kmd_bo *bo, uint64_t modifier)
{
    struct drm_vc4_set_tiling arg = {.handle = bo->handle, .modifier = modifier};
    return call(bo->dev, DRM_IOCTL_VC4_SET_TILING, &arg);
}

int kmd_bo_get_tiling(struct kmd_bo *bo, uint64_t *modifier_out)
{
    struct drm_vc4_get_tiling arg = {.handle = bo->handle};
    int err = call(bo->dev, DRM_IOCTL_VC4_GET_TILING, &arg);
    *modifier_out = arg.modifier;
    return err;
}

int kmd_vc4_bo_madvise(struct kmd_bo *bo, bool is_needed, bool *retained_out)
{
    struct drm_vc4_gem_madvise arg = {.handle = bo->handle, .madv = is_needed ? VC4_MADV_WILLNEED : VC4_MADV_DONTNEED};
    int err = call(bo->dev, DRM_IOCTL_VC4_GEM_MADVISE, &arg);
    *retained_out = !err && arg.retained;
    return err;
}

int kmd_bo_wait(struct kmd_bo *bo, uint64_t timeout_ns)
{
    struct drm_vc4_wait_bo arg = {.handle = bo->handle, .timeout_ns = timeout_ns};
    return call(bo->dev, DRM_IOCTL_VC4_WAIT_BO, &arg);
}

/* -- performance monitors ----------------------------------------------------------------------------------------- */

static_assert(KMD_EVENTS == VC4_PERFCNT_NUM_EVENTS && KMD_PERFMON_EVENTS == DRM_VC4_MAX_PERF_COUNTERS,
              "must match the kernel's");

uint32_t kmd_counted_events(const struct kmd_info *info)
{
    return info->is_model ? MODEL_COUNTED_EVENTS : BIT(KMD_EVENTS) - 1;
}

int kmd_perfmon_create(struct kmd_device *dev, const uint8_t *events, uint32_t count, uint32_t *id_out)
{
    struct drm_vc4_perfmon_create arg = {.ncounters = count};
    if (count > DRM_VC4_MAX_PERF_COUNTERS)
        return -EINVAL;
    memcpy(arg.events, events, count);
    int err = call(dev, DRM_IOCTL_VC4_PERFMON_CREATE, &arg);
    *id_out = arg.id;
    return err;
}

void kmd_perfmon_destroy(struct kmd_device *dev, uint32_t id)
{
    struct drm_vc4_perfmon_destroy arg = {.id = id};
    int err = call(dev, DRM_IOCTL_VC4_PERFMON_DESTROY, &arg);
    if (err)
        util_error("cannot destroy performance monitor %u: %s", id, strerror(-err));
}

int kmd_perfmon_get_values(struct kmd_device *dev, uint32_t id, uint64_t *values_out)
{
    struct drm_vc4_perfmon_get_values arg = {.id = id, .values_ptr = (uintptr_t)values_out};
    return call(dev, DRM_IOCTL_VC4_PERFMON_GET_VALUES, &arg);
}

/* -- submission --------------------------------------------------------------------------------------------------- */

static struct drm_vc4_submit_rcl_surface drm_surface(const struct kmd_surface *surface)
{
    return (struct drm_vc4_submit_rcl_surface){
        .hindex = surface->bo_index,
        .offset = surface->offset_B,
        .bits = surface->bits,
        .flags = surface->flags,
    };
}

void kmd_vc4_fill_submit(const struct kmd_submit *submit, struct drm_vc4_submit_cl *out)
{
    const struct kmd_render *render = &submit->render;
    *out = (struct drm_vc4_submit_cl){
        .bin_cl = (uintptr_t)submit->bin_cl,
        .shader_rec = (uintptr_t)submit->shader_rec,
        .uniforms = (uintptr_t)submit->uniforms,
        .bin_cl_size = submit->bin_cl_B,
        .shader_rec_size = submit->shader_rec_B,
        .shader_rec_count = submit->shader_rec_count,
        .uniforms_size = submit->uniforms_B,
        .bo_handle_count = submit->bo_count,
        .width = render->width_px,
        .height = render->height_px,
        .min_x_tile = render->min_x_tl,
        .min_y_tile = render->min_y_tl,
        .max_x_tile = render->max_x_tl,
        .max_y_tile = render->max_y_tl,
        .color_read = drm_surface(&render->color_read),
        .color_write = drm_surface(&render->color_write),
        .zs_read = drm_surface(&render->zs_read),
        .zs_write = drm_surface(&render->zs_write),
        .msaa_color_write = drm_surface(&render->msaa_color_write),
        .msaa_zs_write = drm_surface(&render->msaa_zs_write),
        .clear_color = {render->clear_color[0], render->clear_color[1]},
        .clear_z = render->clear_z,
        .clear_s = render->clear_s,
        .flags = render->flags,
        .perfmonid = submit->perfmon,
    };
}

int kmd_vc4_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles, uint32_t out_sync,
                   uint64_t *seqno_out)
{
    struct drm_vc4_submit_cl arg;
    kmd_vc4_fill_submit(submit, &arg);
    arg.bo_handles = (uintptr_t)handles;
    arg.out_sync = out_sync;
    int err = call(dev, DRM_IOCTL_VC4_SUBMIT_CL, &arg);
    *seqno_out = arg.seqno;
    return err;
}
