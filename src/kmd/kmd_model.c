/* SPDX-License-Identifier: MIT
 *
 * The model backend: passes ioctls with the kernel's structs to the model. The model's own threads report when jobs
 * start and finish, so start times are exact and no retire thread is needed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <drm.h>
#include <vc4_drm.h>
#include "kmd/kmd_backend.h"
#include "kmd/kmd_udmabuf.h"
#include "model/model.h"
#include "model/model_dma_buf.h"
#include "model/model_sparse.h"
#include "util/hash.h"
#include "util/log.h"

/* Added for the kernel's own buffers: the binner's memory and the lists of the jobs in flight. */
#define KERNEL_SHARE_B (UINT64_C(64) << 20)

struct model_backend_device {
    struct kmd_device base;
    struct model_device *model;
    struct model_file *file;
    bool has_sparse;
};

static struct model_backend_device *backend_device(struct kmd_device *dev)
{
    return container_of(dev, struct model_backend_device, base);
}

static int model_backend_ioctl(struct kmd_device *dev, unsigned long request, void *arg)
{
    return model_ioctl(backend_device(dev)->file, request, arg);
}

/* -- buffer objects ----------------------------------------------------------------------------------------------- */

static const enum model_place places[] = {
    [KMD_PLACE_DRIVER] = MODEL_PLACE_LOWEST,
    [KMD_PLACE_MEMORY] = MODEL_PLACE_UPPER,
    [KMD_PLACE_REPLAY] = MODEL_PLACE_TOP,
};

static void map_new(struct kmd_bo *bo)
{
    atomic_store_explicit(&bo->map, model_bo_map(backend_device(bo->dev)->file, bo->handle, NULL),
                          memory_order_release);
}

static int model_backend_bo_create(struct kmd_device *dev, struct kmd_bo *bo)
{
    int err = model_bo_create(backend_device(dev)->file, bo->size_B, places[bo->place], bo->place_addr, &bo->handle);
    if (!err)
        map_new(bo);
    return err;
}

static int model_backend_bo_create_sparse(struct kmd_device *dev, struct kmd_bo *bo)
{
    if (!backend_device(dev)->has_sparse)
        return -ENOTSUP;
    int err =
        model_sparse_create(backend_device(dev)->file, bo->size_B, places[bo->place], bo->place_addr, &bo->handle);
    if (!err)
        map_new(bo);
    return err;
}

static int model_backend_bind_sparse(struct kmd_bo *bo, uint32_t offset_B, uint32_t size_B, const struct kmd_bo *memory,
                                     uint32_t memory_offset_B)
{
    return model_sparse_bind(backend_device(bo->dev)->file, bo->handle, offset_B, size_B, memory ? memory->handle : 0,
                             memory_offset_B);
}

static uint32_t model_backend_upper_addr(struct kmd_device *dev)
{
    return model_upper_addr(backend_device(dev)->file);
}

static void model_bo_destroy(struct kmd_bo *bo)
{
    if (backend_device(bo->dev)->file) /* closing the file has closed all its handles */
        kmd_vc4_bo_destroy(bo);
}

static void *model_backend_bo_map(struct kmd_bo *bo)
{
    return model_bo_map(backend_device(bo->dev)->file, bo->handle, NULL);
}

static int model_backend_bo_export_fd(struct kmd_bo *bo, int *fd_out)
{
    return model_bo_export(backend_device(bo->dev)->file, bo->handle, false, fd_out);
}

/* Makes a dma-buf of the memfd that the memory moves to when it is shared. */
static int model_backend_make_dma_buf(struct kmd_bo *bo, int *fd_out)
{
    int memfd;
    int err = model_backend_bo_export_fd(bo, &memfd);
    if (err)
        return err;
    err = kmd_udmabuf_create(memfd, bo->size_B, fd_out);
    close(memfd);
    return err;
}

/* The BO that has been exported as this dma-buf, or NULL. Under shared_mutex. */
static const struct kmd_bo *find_exported(const struct kmd_device *dev, const struct stat *wanted)
{
    util_list_for_each(struct kmd_bo, bo, &dev->shared, shared_link) {
        struct stat st;
        if (bo->owns_dma_buf_fd && !fstat(atomic_load_explicit(&bo->dma_buf_fd, memory_order_relaxed), &st) &&
            st.st_ino == wanted->st_ino && st.st_dev == wanted->st_dev)
            return bo;
    }
    return NULL;
}

static int import_dma_buf(struct kmd_device *dev, int fd, struct kmd_bo *bo)
{
    struct stat st;
    if (fstat(fd, &st))
        return -errno;
    const struct kmd_bo *exported = find_exported(dev, &st);
    if (exported) {
        bo->handle = exported->handle;
        return 0;
    }
    int own_fd;
    int err = model_bo_import_dma_buf(backend_device(dev)->file, fd, &bo->handle, &own_fd);
    if (!err)
        atomic_store_explicit(&bo->dma_buf_fd, own_fd, memory_order_release);
    return err;
}

static int model_backend_bo_import(struct kmd_device *dev, int fd, struct kmd_bo *bo)
{
    struct model_file *file = backend_device(dev)->file;
    uint64_t size_B = 0;
    int err =
        model_is_shared_memory(fd, &size_B) ? model_bo_import(file, fd, &bo->handle) : import_dma_buf(dev, fd, bo);
    if (!err)
        model_bo_map(file, bo->handle, &size_B);
    bo->size_B = (uint32_t)size_B;
    return err;
}

static int model_backend_bo_import_host(struct kmd_device *dev, void *host, uint32_t size_B, uint32_t *handle_out)
{
    return model_bo_import_host(backend_device(dev)->file, host, size_B, handle_out);
}

static void model_backend_bo_end_host(struct kmd_bo *bo)
{
    model_bo_end_host(backend_device(bo->dev)->file, bo->handle);
}

static int model_backend_bo_engine_addr(struct kmd_bo *bo, uint32_t *addr_out)
{
    return model_bo_address(backend_device(bo->dev)->file, bo->handle, addr_out);
}

static const struct kmd_bo_ops model_bo_ops = {
    .engine_addr = model_backend_bo_engine_addr,
    .model_addr = model_backend_bo_engine_addr,
    .destroy = model_bo_destroy,
    .map = model_backend_bo_map,
    .label = kmd_vc4_bo_label,
    .madvise = kmd_vc4_bo_madvise,
    .export_fd = model_backend_bo_export_fd,
    .make_dma_buf = model_backend_make_dma_buf,
    .end_host = model_backend_bo_end_host,
    .bind_sparse = model_backend_bind_sparse,
};

/* -- submission --------------------------------------------------------------------------------------------------- */

static int model_submit(struct kmd_device *dev, const struct kmd_submit *submit, const uint32_t *handles,
                        uint64_t *seqno_out)
{
    struct model_file *file = backend_device(dev)->file;
    model_file_count_next_job(file, submit->stats);
    const int err = kmd_vc4_submit(dev, submit, handles, 0, seqno_out);
    model_file_count_next_job(file, NULL); /* in case the job was refused */
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

/* The model is destroyed first. Then no thread reports jobs any more, and all handles are closed with the file. */
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
    .ioctl = model_backend_ioctl,
    .bo_create = model_backend_bo_create,
    .upper_addr = model_backend_upper_addr,
    .bo_create_shader = kmd_vc4_bo_create_shader,
    .bo_create_sparse = model_backend_bo_create_sparse,
    .bo_import = model_backend_bo_import,
    .bo_import_host = model_backend_bo_import_host,
    .submit = model_submit,
    .last_refusal = model_backend_last_refusal,
    .set_bin_done_hook = model_backend_set_bin_done_hook,
};

static int model_backend_open(const struct kmd_physical *physical, struct kmd_device **out)
{
    struct model_backend_device *device = calloc(1, sizeof *device);
    if (!device)
        return -ENOMEM;
    int err = kmd_device_init(&device->base, &model_device_ops, &model_bo_ops, &kmd_engine_model_ops);
    if (err)
        goto fail_alloc;
    const struct model_options options = {.memory_limit_B = physical->info.memory_B + KERNEL_SHARE_B,
                                          .is_private = !physical->wants_sparse};
    device->has_sparse = physical->wants_sparse && physical->info.sparse_block_B;
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

/* Opens the model briefly, to check that it works and to read its identification. */
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
    out->info.memory_B = kmd_heap_size_B(KMD_MODEL_HEAP_B);
    out->info.host_align_B = model_host_align_B();
    out->info.sparse_block_B = model_has_sparse() ? MODEL_SPARSE_BLOCK_B : 0;
    out->info.has_dma_bufs = kmd_udmabuf_works(&out->info.dma_buf_max_B);
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
