/* SPDX-License-Identifier: MIT
 *
 * Implements the model's public header: devices, files, mappings and the dispatch of ioctls, including the ioctls that
 * are too small for a file of their own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/kernel/krn_device.h"
#include "util/environment.h"

/* V3D 2.1 in the guide's reference configuration [guide p.97]: 3 slices of 4 QPUs, 2 texture units a slice, 16
 * semaphores, 12 KiB of VPM, a full-size tile buffer. */
#define IDENT0 UINT64_C(0x02443356)
#define IDENT1 UINT64_C(0xc1102431)
#define IDENT2 UINT64_C(0x00000121)

/* -- devices and files -- */

int model_create(const struct model_options *options, struct model_device **out)
{
    struct model_device *dev = calloc(1, sizeof *dev);
    if (!dev)
        return -ENOMEM;
    util_list_init(&dev->bos);
    util_list_init(&dev->shared);
    util_list_init(&dev->purgeable);
    dev->checks_addresses = options && options->checks_addresses;
    dev->job_timeout_ns = options && options->job_timeout_ns ? options->job_timeout_ns : util_hang_limit_ns();
    int err = krn_memory_init(&dev->mem, options ? options->memory_limit_B : 0, options && options->is_private);
    if (err)
        goto fail_device;
    err = gpu_create(&dev->mem.gpu, options ? options->threads : 0, &dev->gpu);
    if (err)
        goto fail_memory;
    err = krn_sched_init(dev);
    if (err)
        goto fail_gpu;
    *out = dev;
    return 0;

fail_gpu:
    gpu_destroy(dev->gpu);
fail_memory:
    krn_memory_finish(&dev->mem);
fail_device:
    free(dev);
    return err;
}

void model_destroy(struct model_device *dev)
{
    if (!dev)
        return;
    krn_sched_finish(dev);
    gpu_destroy(dev->gpu);
    krn_bo_unref(dev->binner);
    krn_memory_finish(&dev->mem);
    free(dev);
}

int model_open(struct model_device *dev, struct model_file **out)
{
    struct model_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    int err = pthread_mutex_init(&file->lock, NULL);
    if (err) {
        free(file);
        return -err;
    }
    file->dev = dev;
    util_list_init(&file->perfmons);
    *out = file;
    return 0;
}

void model_close(struct model_file *file)
{
    if (!file)
        return;
    krn_sched_drain(file);
    krn_handles_finish(file);
    krn_perfmons_finish(file);
    pthread_mutex_destroy(&file->lock);
    free(file);
}

void model_file_set_job_hooks(struct model_file *file, const struct model_job_hooks *hooks)
{
    file->hooks = *hooks;
}

void model_set_bin_done_hook(struct model_device *dev,
                             void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots), void *data)
{
    pthread_mutex_lock(&dev->lock);
    dev->bin_done = hook;
    dev->bin_done_data = data;
    pthread_mutex_unlock(&dev->lock);
}

/* -- mappings -- */

void *model_bo_map(struct model_file *file, uint32_t handle, uint64_t *size_B_out)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    if (!bo)
        return NULL;
    pthread_mutex_lock(&file->dev->lock);
    bool is_allowed = bo->kind != KRN_BO_SHADER && bo->madv == VC4_MADV_WILLNEED;
    pthread_mutex_unlock(&file->dev->lock);
    void *ptr = is_allowed ? krn_bo_ptr(bo) : NULL;
    if (ptr && size_B_out)
        *size_B_out = bo->size_B;
    krn_bo_unref(bo);
    return ptr;
}

int model_bo_fd(struct model_file *file, uint32_t handle, int *fd_out, uint64_t *offset_B_out)
{
    struct krn_bo *bo = krn_handle_lookup(file, handle);
    if (!bo)
        return -ENOENT;
    int err = bo->kind == KRN_BO_SHADER || (bo->shared_fd < 0 && file->dev->mem.fd < 0) ? -EINVAL : 0;
    if (!err) {
        *fd_out = bo->shared_fd >= 0 ? bo->shared_fd : file->dev->mem.fd;
        *offset_B_out = bo->shared_fd >= 0 ? 0 : bo->addr;
    }
    krn_bo_unref(bo);
    return err;
}

/* -- ioctls -- */

static int get_param(struct drm_vc4_get_param *args)
{
    if (args->pad)
        return -EINVAL;
    switch (args->param) {
    case DRM_VC4_PARAM_V3D_IDENT0:
        args->value = IDENT0;
        return 0;
    case DRM_VC4_PARAM_V3D_IDENT1:
        args->value = IDENT1;
        return 0;
    case DRM_VC4_PARAM_V3D_IDENT2:
        args->value = IDENT2;
        return 0;
    case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
    case DRM_VC4_PARAM_SUPPORTS_ETC1:
    case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
    case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
    case DRM_VC4_PARAM_SUPPORTS_MADVISE:
    case DRM_VC4_PARAM_SUPPORTS_PERFMON:
        args->value = 1;
        return 0;
    default:
        return -EINVAL;
    }
}

int model_ioctl(struct model_file *file, unsigned long request, void *arg)
{
    krn_clear_refusal();
    switch (request) {
    case DRM_IOCTL_VC4_SUBMIT_CL:
        return krn_ioctl_submit_cl(file, arg);
    case DRM_IOCTL_VC4_WAIT_SEQNO:
        return krn_ioctl_wait_seqno(file, arg);
    case DRM_IOCTL_VC4_WAIT_BO:
        return krn_ioctl_wait_bo(file, arg);
    case DRM_IOCTL_VC4_CREATE_BO:
        return krn_ioctl_create_bo(file, arg);
    case DRM_IOCTL_VC4_MMAP_BO:
        return krn_ioctl_mmap_bo(file, arg);
    case DRM_IOCTL_VC4_CREATE_SHADER_BO:
        return krn_ioctl_create_shader_bo(file, arg);
    case DRM_IOCTL_VC4_GET_HANG_STATE: /* root only, and the model treats no caller as root */
        return -EACCES;
    case DRM_IOCTL_VC4_GET_PARAM:
        return get_param(arg);
    case DRM_IOCTL_VC4_SET_TILING:
        return krn_ioctl_set_tiling(file, arg);
    case DRM_IOCTL_VC4_GET_TILING:
        return krn_ioctl_get_tiling(file, arg);
    case DRM_IOCTL_VC4_LABEL_BO:
        return krn_ioctl_label_bo(file, arg);
    case DRM_IOCTL_VC4_GEM_MADVISE:
        return krn_ioctl_gem_madvise(file, arg);
    case DRM_IOCTL_VC4_PERFMON_CREATE:
        return krn_ioctl_perfmon_create(file, arg);
    case DRM_IOCTL_VC4_PERFMON_DESTROY:
        return krn_ioctl_perfmon_destroy(file, arg);
    case DRM_IOCTL_VC4_PERFMON_GET_VALUES:
        return krn_ioctl_perfmon_get_values(file, arg);
    case DRM_IOCTL_GEM_CLOSE:
        return krn_handle_close(file, ((const struct drm_gem_close *)arg)->handle);
    default:
        return -EINVAL;
    }
}
