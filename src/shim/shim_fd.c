/* SPDX-License-Identifier: MIT
 *
 * Sync files and syncobj descriptors, which a kernel would share between processes. They are memfds whose names tell
 * their kind, so only processes under the shim understand them.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include "shim/shim.h"
#include "util/fault.h"

int shim_fd_create(const char *what, const void *content, size_t size_B)
{
    int fd = memfd_create(what, MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (size_B && pwrite(fd, content, size_B, 0) != (ssize_t)size_B) {
        int err = errno;
        SHIM_REAL(close)(fd);
        return -err;
    }
    return fd;
}

bool shim_fd_is(int fd, const char *what)
{
    char path[32], target[128], wanted[128];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = SHIM_REAL(readlink)(path, target, sizeof target - 1);
    if (n < 0)
        return false;
    target[n] = '\0';
    snprintf(wanted, sizeof wanted, "/memfd:%s ", what);
    return !strncmp(target, wanted, strlen(wanted));
}

/* -- sync files --------------------------------------------------------------------------------------------------- */

/* A sync file is created after its fence has signalled. It holds the fence's status: 1 or a negative errno. */
int shim_fd_create_sync_file(int32_t status)
{
    return shim_fd_create(SHIM_SYNC_FILE, &status, sizeof status);
}

static int sync_file_info(int fd, void *arg)
{
    struct sync_file_info info;
    int32_t status = 1;
    int err = util_read_or_fault(&info, arg, sizeof info);
    if (err)
        return err;
    if (info.flags || info.pad || pread(fd, &status, sizeof status, 0) != sizeof status)
        return -EINVAL;
    memset(info.name, 0, sizeof info.name);
    strcpy(info.name, SHIM_SYNC_FILE);
    info.status = status;
    if (info.num_fences) {
        struct sync_fence_info fence = {.status = status};
        strcpy(fence.driver_name, "vc4");
        strcpy(fence.obj_name, "v3d");
        err = util_write_or_fault((void *)(uintptr_t)info.sync_fence_info, &fence, sizeof fence);
        if (err)
            return err;
    }
    info.num_fences = 1;
    return util_write_or_fault(arg, &info, sizeof info);
}

static int sync_file_merge(int fd, void *arg)
{
    struct sync_merge_data merge;
    int32_t status[2] = {1, 1};
    int err = util_read_or_fault(&merge, arg, sizeof merge);
    if (err)
        return err;
    if (merge.flags || merge.pad)
        return -EINVAL;
    if (!shim_fd_is(merge.fd2, SHIM_SYNC_FILE) || pread(fd, &status[0], 4, 0) != 4 ||
        pread(merge.fd2, &status[1], 4, 0) != 4)
        return -ENOENT;
    merge.fence = shim_fd_create_sync_file(MIN2(status[0], status[1]));
    if (merge.fence < 0)
        return merge.fence;
    err = util_write_or_fault(arg, &merge, sizeof merge);
    if (err)
        SHIM_REAL(close)(merge.fence);
    return err;
}

/* -- dma-bufs ----------------------------------------------------------------------------------------------------- */

/* Memory is coherent, so only the flags are checked. */
static int dma_buf_sync(const void *arg)
{
    struct dma_buf_sync sync;
    int err = util_read_or_fault(&sync, arg, sizeof sync);
    if (err)
        return err;
    return sync.flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK || !(sync.flags & DMA_BUF_SYNC_RW) ? -EINVAL : 0;
}

/* Both ioctls with sync files have this struct; newer headers have it, too. */
struct dma_buf_fence {
    uint32_t flags;
    int32_t fd;
};

static int read_fence_args(struct dma_buf_fence *args, const void *arg)
{
    int err = util_read_or_fault(args, arg, sizeof *args);
    if (err)
        return err;
    return args->flags & ~(uint32_t)DMA_BUF_SYNC_RW || !(args->flags & DMA_BUF_SYNC_RW) ? -EINVAL : 0;
}

/* Waits until the jobs that may use the memory have finished, as sync files of the shim have signalled. */
static int export_fence(void *arg)
{
    struct dma_buf_fence args;
    int err = read_fence_args(&args, arg);
    if (err)
        return err;
    shim_sync_wait_idle();
    args.fd = shim_fd_create_sync_file(1);
    if (args.fd < 0)
        return args.fd;
    err = util_write_or_fault(arg, &args, sizeof args);
    if (err)
        SHIM_REAL(close)(args.fd);
    return err;
}

/* The fence has signalled, so nobody would wait for it. */
static int import_fence(const void *arg)
{
    struct dma_buf_fence args;
    int err = read_fence_args(&args, arg);
    if (err)
        return err;
    return shim_fd_is(args.fd, SHIM_SYNC_FILE) ? 0 : -EINVAL;
}

static int dma_buf_ioctl(unsigned long request, void *arg)
{
    switch (request) {
    case DMA_BUF_IOCTL_SYNC:
        return dma_buf_sync(arg);
    case DMA_BUF_SET_NAME_A:
    case DMA_BUF_SET_NAME_B:
        return 0;
    case _IOWR(DMA_BUF_BASE, 2, struct dma_buf_fence): /* DMA_BUF_IOCTL_EXPORT_SYNC_FILE */
        return export_fence(arg);
    case _IOW(DMA_BUF_BASE, 3, struct dma_buf_fence): /* DMA_BUF_IOCTL_IMPORT_SYNC_FILE */
        return import_fence(arg);
    default:
        return -ENOTTY;
    }
}

bool shim_fd_ioctl(int fd, unsigned long request, void *arg, int *result_out)
{
    if (_IOC_TYPE(request) == SYNC_IOC_MAGIC && shim_fd_is(fd, SHIM_SYNC_FILE)) {
        *result_out = request == SYNC_IOC_FILE_INFO ? sync_file_info(fd, arg)
                      : request == SYNC_IOC_MERGE   ? sync_file_merge(fd, arg)
                                                    : -ENOTTY;
        return true;
    }
    uint64_t size_B;
    if (_IOC_TYPE(request) == DMA_BUF_BASE && model_is_shared_memory(fd, &size_B)) {
        *result_out = dma_buf_ioctl(request, arg);
        return true;
    }
    return false;
}
