/* SPDX-License-Identifier: MIT
 *
 * The model as a backend: ioctls with the kernel's structs, through the model's door. The model's own threads report
 * jobs as they start and finish, so its start times are exact and nobody has to ask.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <drm.h>
#include <vc4_drm.h>
#include "kmd/kmd_backend.h"
#include "model/model.h"
#include "util/hash.h"
#include "util/log.h"

/* The heap that is reported: as much as is useful, and no more than half of the machine's memory. */
#define MAX_HEAP_B (sizeof(void *) >= 8 ? UINT64_C(1) << 30 : UINT64_C(256) << 20)
#define MIN_HEAP_B (UINT64_C(64) << 20)
/* What the kernel takes for itself: the binner's memory and the lists of the jobs in flight. */
#define KERNEL_SHARE_B (UINT64_C(64) << 20)

struct model_backend_device {
    struct kmd_device base;
    struct model_device *model;
    struct model_file *file;
};

static struct model_backend_device *backend_device(struct kmd_device *dev)
{
    return container_of(dev, struct model_backend_device, base);
}

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

static int take_handle(struct kmd_device *dev, struct kmd_bo *bo, uint32_t handle)
{
    if (bo->is_shader) { /* programs are never mapped */
        bo->handle = handle;
        bo->size_B = (uint32_t)util_align64(bo->size_B, KMD_PAGE_B);
        return 0;
    }
    uint64_t size_B = 0;
    void *map = model_bo_map(backend_device(dev)->file, handle, &size_B);
    if (!map)
        return -ENOMEM;
    bo->handle = handle;
    bo->size_B = (uint32_t)size_B;
    atomic_store_explicit(&bo->map, map, memory_order_release);
    return 0;
}

static void bo_close(struct kmd_device *dev, uint32_t handle)
{
    struct model_file *file = backend_device(dev)->file;
    if (!file) /* closed: it took its handles along */
        return;
    struct drm_gem_close arg = {.handle = handle};
    int err = model_ioctl(file, DRM_IOCTL_GEM_CLOSE, &arg);
    assert(!err);
    (void)err;
}

static int model_bo_create(struct kmd_device *dev, struct kmd_bo *bo)
{
    struct drm_vc4_create_bo create = {.size = bo->size_B};
    int err = model_ioctl(backend_device(dev)->file, DRM_IOCTL_VC4_CREATE_BO, &create);
    if (err)
        return err;
    err = take_handle(dev, bo, create.handle);
    if (err)
        bo_close(dev, create.handle);
    return err;
}

static int model_bo_create_shader(struct kmd_device *dev, struct kmd_bo *bo, const uint64_t *code, uint32_t size_B)
{
    struct drm_vc4_create_shader_bo create = {.size = size_B, .data = (uintptr_t)code};
    int err = model_ioctl(backend_device(dev)->file, DRM_IOCTL_VC4_CREATE_SHADER_BO, &create);
    if (err)
        return err;
    err = take_handle(dev, bo, create.handle);
    if (err)
        bo_close(dev, create.handle);
    return err;
}

static void model_bo_destroy(struct kmd_bo *bo)
{
    bo_close(bo->dev, bo->handle);
}

static void *model_backend_bo_map(struct kmd_bo *bo)
{
    return model_bo_map(backend_device(bo->dev)->file, bo->handle, NULL);
}

static void model_bo_label(struct kmd_bo *bo, const char *label)
{
    struct drm_vc4_label_bo arg = {.handle = bo->handle, .len = (uint32_t)strlen(label), .name = (uintptr_t)label};
    int err = model_ioctl(backend_device(bo->dev)->file, DRM_IOCTL_VC4_LABEL_BO, &arg);
    (void)err; /* a name is for people only */
}

static const struct kmd_bo_ops model_bo_ops = {
    .destroy = model_bo_destroy,
    .map = model_backend_bo_map,
    .label = model_bo_label,
};

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

static int model_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                        uint64_t *seqno_out)
{
    const struct kmd_render *render = &submit->render;
    struct drm_vc4_submit_cl arg = {
        .bin_cl = (uintptr_t)submit->bin_cl,
        .shader_rec = (uintptr_t)submit->shader_rec,
        .uniforms = (uintptr_t)submit->uniforms,
        .bo_handles = (uintptr_t)handles,
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
    };
    int err = model_ioctl(backend_device(dev)->file, DRM_IOCTL_VC4_SUBMIT_CL, &arg);
    *seqno_out = arg.seqno;
    return err;
}

static void job_started(void *data, uint64_t seqno, uint64_t time_ns)
{
    struct kmd_device *dev = data;
    kmd_device_job_started(dev, seqno, time_ns);
}

static void job_finished(void *data, uint64_t seqno, uint64_t time_ns, int status)
{
    struct kmd_device *dev = data;
    kmd_device_job_finished(dev, time_ns, status);
}

static const char *model_backend_last_refusal(struct kmd_device *dev)
{
    return model_last_refusal();
}

static int model_backend_set_bin_done_hook(
    struct kmd_device *dev, void (*hook)(void *data, uint8_t *tile_alloc, uint32_t size_B, uint32_t slots), void *data)
{
    model_set_bin_done_hook(backend_device(dev)->model, hook, data);
    return 0;
}

/* -- devices ------------------------------------------------------------------------------------------------------ */

/* The model goes first: once its threads are joined nobody reports jobs, and the file takes all handles along. */
static void model_backend_close(struct kmd_device *dev)
{
    struct model_backend_device *device = backend_device(dev);
    model_close(device->file);
    device->file = NULL;
    model_destroy(device->model);
    kmd_device_finish(dev);
    free(device);
}

static const struct kmd_device_ops model_device_ops = {
    .close = model_backend_close,
    .bo_create = model_bo_create,
    .bo_create_shader = model_bo_create_shader,
    .submit = model_submit,
    .last_refusal = model_backend_last_refusal,
    .set_bin_done_hook = model_backend_set_bin_done_hook,
};

static uint64_t heap_size_B(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_B = sysconf(_SC_PAGESIZE);
    uint64_t half_B = pages > 0 && page_B > 0 ? (uint64_t)pages * (uint64_t)page_B / 2 : MIN_HEAP_B;
    return CLAMP(half_B, MIN_HEAP_B, MAX_HEAP_B) / KMD_PAGE_B * KMD_PAGE_B;
}

static int model_backend_open(const struct kmd_physical *physical, struct kmd_device **out)
{
    struct model_backend_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    int err = kmd_device_init(&device->base, &model_device_ops, &model_bo_ops);
    if (err)
        goto fail_alloc;
    const struct model_options options = {.memory_limit_B = physical->info.memory_B + KERNEL_SHARE_B};
    err = model_create(&options, &device->model);
    if (err)
        goto fail_device;
    err = model_open(device->model, &device->file);
    if (err)
        goto fail_model;
    const struct model_job_hooks hooks = {.data = &device->base, .started = job_started, .finished = job_finished};
    model_file_set_job_hooks(device->file, &hooks);
    *out = &device->base;
    return 0;

fail_model:
    model_destroy(device->model);
fail_device:
    kmd_device_finish(&device->base);
fail_alloc:
    free(device);
    return err;
}

static int read_ident(struct model_file *file, uint32_t ident_out[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        struct drm_vc4_get_param param = {.param = DRM_VC4_PARAM_V3D_IDENT0 + i};
        int err = model_ioctl(file, DRM_IOCTL_VC4_GET_PARAM, &param);
        if (err)
            return err;
        ident_out[i] = (uint32_t)param.value;
    }
    return 0;
}

/* Opens the model for a moment, so that what is listed can be opened and says of itself what it is. */
static uint32_t model_backend_enumerate(struct kmd_physical *out, uint32_t capacity)
{
    if (capacity == 0)
        return 0;
    const struct model_options options = {.threads = 1, .memory_limit_B = KERNEL_SHARE_B};
    struct model_device *model = NULL;
    struct model_file *file = NULL;
    *out = (struct kmd_physical){.backend = &kmd_model_backend, .info = {.is_model = true, .name = "model"}};
    int err = model_create(&options, &model);
    if (!err)
        err = model_open(model, &file);
    if (!err)
        err = read_ident(file, out->info.ident);
    model_close(file);
    model_destroy(model);
    if (err) {
        util_error("the model of the chip cannot start: %s", strerror(-err));
        return 0;
    }
    out->info.memory_B = heap_size_B();
    static const char uuid_text[] = "vc4vk model of VideoCore IV";
    uint64_t uuid[2] = {util_hash_bytes(uuid_text, sizeof uuid_text, 1),
                        util_hash_bytes(uuid_text, sizeof uuid_text, 2)};
    memcpy(out->info.device_uuid, uuid, sizeof out->info.device_uuid);
    return 1;
}

const struct kmd_backend kmd_model_backend = {
    .name = "model",
    .enumerate = model_backend_enumerate,
    .open = model_backend_open,
};
