/* SPDX-License-Identifier: MIT
 *
 * Buffer objects and handles, and the ioctls for a single buffer [kernel vc4_bo.c, notes 9.2]. When an allocation
 * fails, purgeable buffers lose their contents one after the other, the least recently marked first.
 *
 * Left out: the kernel's cache of freed buffers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <drm_fourcc.h>
#include "model/kernel/krn_copy.h"
#include "model/kernel/krn_device.h"

/* -- buffers -- */

int krn_bo_create_aligned(struct model_device *dev, uint32_t size_B, uint32_t align_B, enum krn_bo_kind kind,
                          const struct krn_place *place, struct krn_bo **out)
{
    if (!size_B)
        return -EINVAL;
    if (size_B > UINT32_MAX - KRN_PAGE_B)
        return -ENOMEM;
    struct krn_bo *bo = calloc(1, sizeof *bo);
    if (!bo)
        return -ENOMEM;
    bo->dev = dev;
    bo->size_B = util_align(size_B, KRN_PAGE_B);
    bo->kind = kind;
    bo->refs = 1;
    bo->shared_fd = -1;
    util_list_init(&bo->purge_link);
    int err = krn_memory_alloc(&dev->mem, bo->size_B, align_B, place, &bo->addr);
    if (err) {
        free(bo);
        return err;
    }
    util_list_init(&bo->link);
    if (kind != KRN_BO_KERNEL) {
        pthread_mutex_lock(&dev->lock);
        util_list_add_tail(&dev->bos, &bo->link);
        pthread_mutex_unlock(&dev->lock);
    }
    *out = bo;
    return 0;
}

/* Purges the buffer that has been purgeable for longest and that no job uses. False: there is none. */
static bool purge_one(struct model_device *dev)
{
    bool found = false;
    pthread_mutex_lock(&dev->lock);
    util_list_for_each(struct krn_bo, bo, &dev->purgeable, purge_link) {
        if (bo->job_users || bo->shared_fd >= 0)
            continue;
        util_list_del(&bo->purge_link);
        util_list_init(&bo->purge_link);
        bo->madv = KRN_MADV_PURGED;
        krn_memory_discard(&dev->mem, bo->addr, bo->size_B);
        found = true;
        break;
    }
    pthread_mutex_unlock(&dev->lock);
    return found;
}

int krn_bo_create(struct model_device *dev, uint32_t size_B, enum krn_bo_kind kind, const struct krn_place *place,
                  struct krn_bo **out)
{
    int err = krn_bo_create_aligned(dev, size_B, KRN_PAGE_B, kind, place, out);
    while (err == -ENOMEM && purge_one(dev))
        err = krn_bo_create_aligned(dev, size_B, KRN_PAGE_B, kind, place, out);
    return err;
}

struct krn_bo *krn_bo_ref(struct krn_bo *bo)
{
    __atomic_add_fetch(&bo->refs, 1, __ATOMIC_RELAXED);
    return bo;
}

/* Ensures that nobody finds the buffer in a list. True: its memory is not charged, as it has been purged already or is
 * that of other buffers. */
static bool leave_lists(struct krn_bo *bo)
{
    if (bo->kind == KRN_BO_KERNEL)
        return false;
    pthread_mutex_lock(&bo->dev->lock);
    util_list_del(&bo->link);
    util_list_del(&bo->purge_link);
    bool is_uncharged = bo->madv == KRN_MADV_PURGED || bo->is_sparse;
    pthread_mutex_unlock(&bo->dev->lock);
    return is_uncharged;
}

void krn_bo_unref(struct krn_bo *bo)
{
    if (!bo || __atomic_sub_fetch(&bo->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (bo->end)
        bo->end(bo);
    const bool is_uncharged = leave_lists(bo);
    if (is_uncharged && !bo->keeps_range)
        krn_memory_free_discarded(&bo->dev->mem, bo->addr, bo->size_B);
    else if (!is_uncharged)
        krn_memory_free(&bo->dev->mem, bo->addr, bo->size_B);
    krn_shader_destroy(bo->shader);
    free(bo);
}

bool krn_bo_is_kept_locked(const struct krn_bo *bo)
{
    return bo->madv == VC4_MADV_WILLNEED || bo->job_users || bo->shared_fd >= 0;
}

void *krn_bo_ptr(const struct krn_bo *bo)
{
    return krn_memory_ptr(&bo->dev->mem, bo->addr);
}

/* -- handles -- */

int krn_handle_create(struct model_file *file, struct krn_bo *bo, uint32_t *handle_out)
{
    int err = 0;
    pthread_mutex_lock(&file->lock);
    uint32_t index = file->first_free;
    while (index < file->handle_capacity && file->handles[index])
        index++;
    if (index == file->handle_capacity) {
        uint32_t capacity = MAX2(2 * file->handle_capacity, 64);
        struct krn_bo **grown = realloc(file->handles, capacity * sizeof *grown);
        if (grown) {
            memset(grown + file->handle_capacity, 0, (capacity - file->handle_capacity) * sizeof *grown);
            file->handles = grown;
            file->handle_capacity = capacity;
        } else {
            err = -ENOMEM;
        }
    }
    if (!err) {
        file->handles[index] = bo;
        file->first_free = index + 1;
        *handle_out = index + 1;
    }
    pthread_mutex_unlock(&file->lock);
    if (err)
        krn_bo_unref(bo);
    return err;
}

struct krn_bo *krn_handle_lookup(struct model_file *file, uint32_t handle)
{
    struct krn_bo *bo = NULL;
    pthread_mutex_lock(&file->lock);
    if (handle && handle <= file->handle_capacity && file->handles[handle - 1])
        bo = krn_bo_ref(file->handles[handle - 1]);
    pthread_mutex_unlock(&file->lock);
    return bo;
}

uint32_t krn_handle_find(struct model_file *file, const struct krn_bo *bo)
{
    uint32_t found = 0;
    pthread_mutex_lock(&file->lock);
    for (uint32_t i = 0; i < file->handle_capacity && !found; i++)
        found = file->handles[i] == bo ? i + 1 : 0;
    pthread_mutex_unlock(&file->lock);
    return found;
}

struct krn_bo *krn_handle_find_addr(struct model_file *file, uint32_t addr)
{
    struct krn_bo *found = NULL;
    pthread_mutex_lock(&file->lock);
    for (uint32_t i = 0; i < file->handle_capacity && !found; i++)
        if (file->handles[i] && file->handles[i]->addr == addr)
            found = krn_bo_ref(file->handles[i]);
    pthread_mutex_unlock(&file->lock);
    return found;
}

int krn_handle_close(struct model_file *file, uint32_t handle)
{
    struct krn_bo *bo = NULL;
    pthread_mutex_lock(&file->lock);
    if (handle && handle <= file->handle_capacity) {
        bo = file->handles[handle - 1];
        file->handles[handle - 1] = NULL;
        if (bo)
            file->first_free = MIN2(file->first_free, handle - 1);
    }
    pthread_mutex_unlock(&file->lock);
    krn_bo_unref(bo);
    return bo ? 0 : -EINVAL;
}

void krn_handles_finish(struct model_file *file)
{
    for (uint32_t i = 0; i < file->handle_capacity; i++)
        krn_bo_unref(file->handles[i]);
    free(file->handles);
}

/* -- ioctls -- */

static int create_for_user(struct model_file *file, uint32_t size_B, const struct krn_place *place,
                           uint32_t *handle_out)
{
    int err = krn_binner_ensure(file->dev);
    struct krn_bo *bo;
    if (!err)
        err = krn_bo_create(file->dev, size_B, KRN_BO_USER, place, &bo);
    return err ? err : krn_handle_create(file, bo, handle_out);
}

int krn_ioctl_create_bo(struct model_file *file, struct drm_vc4_create_bo *args)
{
    return create_for_user(file, args->size, KRN_ANYWHERE, &args->handle);
}

int model_bo_create(struct model_file *file, uint32_t size_B, enum model_place where, uint32_t addr,
                    uint32_t *handle_out)
{
    return create_for_user(file, size_B, &(struct krn_place){where, addr}, handle_out);
}

uint32_t model_upper_addr(const struct model_file *file)
{
    return krn_memory_upper_addr(&file->dev->mem);
}

int krn_ioctl_create_shader_bo(struct model_file *file, struct drm_vc4_create_shader_bo *args)
{
    if (!args->size || args->size % 8 || args->flags || args->pad)
        return krn_refuse(KRN_RULE_CODE_SIZE, "size %u, flags %u, pad %u", args->size, args->flags, args->pad);
    int err = krn_binner_ensure(file->dev);
    struct krn_bo *bo;
    if (!err)
        err = krn_bo_create(file->dev, args->size, KRN_BO_SHADER, KRN_ANYWHERE, &bo);
    if (err)
        return err;
    err = krn_copy_from_user(file->dev->checks_addresses, krn_bo_ptr(bo), args->data, args->size);
    if (!err)
        err = krn_shader_validate(krn_bo_ptr(bo), bo->size_B / 8, &bo->shader);
    if (err) {
        krn_bo_unref(bo);
        return err;
    }
    return krn_handle_create(file, bo, &args->handle);
}

/* The offset is the buffer's bus address. Mapping is done by model_bo_map() or model_map_offset(). */
int krn_ioctl_mmap_bo(struct model_file *file, struct drm_vc4_mmap_bo *args)
{
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -EINVAL;
    args->offset = bo->addr;
    krn_bo_unref(bo);
    return 0;
}

int krn_ioctl_set_tiling(struct model_file *file, struct drm_vc4_set_tiling *args)
{
    if (args->flags ||
        (args->modifier != DRM_FORMAT_MOD_LINEAR && args->modifier != DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED))
        return -EINVAL;
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -ENOENT;
    pthread_mutex_lock(&file->dev->lock);
    bo->modifier = args->modifier;
    krn_share_store_locked(bo);
    pthread_mutex_unlock(&file->dev->lock);
    krn_bo_unref(bo);
    return 0;
}

int krn_ioctl_get_tiling(struct model_file *file, struct drm_vc4_get_tiling *args)
{
    if (args->flags || args->modifier)
        return -EINVAL;
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -ENOENT;
    pthread_mutex_lock(&file->dev->lock);
    krn_share_load_locked(bo);
    args->modifier = bo->modifier;
    pthread_mutex_unlock(&file->dev->lock);
    krn_bo_unref(bo);
    return 0;
}

int krn_ioctl_label_bo(struct model_file *file, struct drm_vc4_label_bo *args)
{
    if (!args->len)
        return -EINVAL;
    const bool checks = file->dev->checks_addresses;
    char label[sizeof((struct krn_bo *)NULL)->label] = {0};
    int64_t length = krn_text_length(checks, args->name, args->len + 1); /* wraps to 0, as the kernel's */
    if (length < 0)
        return (int)length;
    int err = krn_copy_from_user(checks, label, args->name, MIN2((size_t)length, sizeof label - 1));
    if (err)
        return err;
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -ENOENT;
    pthread_mutex_lock(&file->dev->lock);
    memcpy(bo->label, label, sizeof label);
    pthread_mutex_unlock(&file->dev->lock);
    krn_bo_unref(bo);
    return 0;
}

int krn_ioctl_gem_madvise(struct model_file *file, struct drm_vc4_gem_madvise *args)
{
    if ((args->madv != VC4_MADV_WILLNEED && args->madv != VC4_MADV_DONTNEED) || args->pad)
        return -EINVAL;
    struct krn_bo *bo = krn_handle_lookup(file, args->handle);
    if (!bo)
        return -ENOENT;
    int err = bo->host || bo->is_sparse ? -EINVAL : 0;
    if (!err) {
        pthread_mutex_lock(&file->dev->lock);
        args->retained = bo->madv != KRN_MADV_PURGED;
        if (args->retained && bo->madv != args->madv) {
            bo->madv = (uint8_t)args->madv;
            krn_share_store_locked(bo);
            util_list_del(&bo->purge_link);
            util_list_init(&bo->purge_link);
            if (bo->madv == VC4_MADV_DONTNEED)
                util_list_add_tail(&file->dev->purgeable, &bo->purge_link);
        }
        pthread_mutex_unlock(&file->dev->lock);
    }
    krn_bo_unref(bo);
    return err;
}
