/* SPDX-License-Identifier: MIT
 *
 * Buffers whose memory is a dma-buf of the host's kernel (model_dma_buf.h). The dma-buf is mapped over the buffer's
 * range of the device's memory, as a shared memfd is (krn_share.c), and is in the same list, so that it is never purged
 * and a second import finds it. Its size cannot change while it exists, so nothing needs a seal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "model/kernel/krn_device.h"
#include "model/model_dma_buf.h"

/* A buffer with the dma-buf's memory. Reading and writing must be allowed, or mapping fails. */
static int create(struct model_device *dev, int fd, uint32_t size_B, struct krn_bo **out)
{
    const uint32_t align_B = model_host_align_B();
    const struct krn_place upper = {MODEL_PLACE_UPPER, 0}; /* see model_bo_create() */
    struct krn_bo *bo;
    int err = krn_bo_create_aligned(dev, size_B, align_B, KRN_BO_USER, &upper, &bo);
    if (err == -ENOMEM)
        err = krn_bo_create_aligned(dev, size_B, align_B, KRN_BO_USER, KRN_ANYWHERE, &bo);
    if (err)
        return err;
    const int own_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    err = own_fd < 0 ? -errno : krn_memory_map_file(&dev->mem, bo->addr, bo->size_B, own_fd, 0);
    if (err) {
        if (own_fd >= 0)
            close(own_fd);
        krn_bo_unref(bo);
        return err;
    }
    pthread_mutex_lock(&dev->lock);
    krn_share_add_locked(bo, own_fd, /* is_read_only */ false);
    pthread_mutex_unlock(&dev->lock);
    *out = bo;
    return 0;
}

int model_bo_import_dma_buf(struct model_file *file, int fd, uint32_t *handle_out, int *fd_out)
{
    struct statfs fs;
    struct stat st;
    if (fstatfs(fd, &fs) || fstat(fd, &st))
        return -errno;
    const off_t size_B = lseek(fd, 0, SEEK_END); /* st_size is 0 [kernel dma-buf.c] */
    if (fs.f_type != DMA_BUF_MAGIC || size_B <= 0 || size_B % model_host_align_B() || size_B > UINT32_MAX - KRN_PAGE_B)
        return -EINVAL;
    struct krn_bo *bo = krn_share_find(file->dev, &st);
    int err = bo ? 0 : create(file->dev, fd, (uint32_t)size_B, &bo);
    if (err)
        return err;
    *fd_out = bo->shared_fd;
    *handle_out = krn_handle_find(file, bo);
    if (!*handle_out)
        return krn_handle_create(file, bo, handle_out);
    krn_bo_unref(bo);
    return 0;
}
