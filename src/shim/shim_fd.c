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

/* A sync file is created after its fence has signalled. It holds the fence's status: 1 or a negative errno. */
static int sync_file_info(int fd, struct sync_file_info *info)
{
    int32_t status = 1;
    if (pread(fd, &status, sizeof status, 0) != sizeof status)
        return -EINVAL;
    if (info->flags || info->pad)
        return -EINVAL;
    memset(info->name, 0, sizeof info->name);
    strcpy(info->name, SHIM_SYNC_FILE);
    info->status = status;
    if (info->num_fences && info->sync_fence_info) {
        struct sync_fence_info fence = {.status = status};
        strcpy(fence.driver_name, "vc4");
        strcpy(fence.obj_name, "v3d");
        memcpy((void *)(uintptr_t)info->sync_fence_info, &fence, sizeof fence);
    }
    info->num_fences = 1;
    return 0;
}

static int sync_file_merge(int fd, struct sync_merge_data *merge)
{
    int32_t status[2] = {1, 1};
    if (!shim_fd_is(merge->fd2, SHIM_SYNC_FILE) || pread(fd, &status[0], 4, 0) != 4 ||
        pread(merge->fd2, &status[1], 4, 0) != 4)
        return -EINVAL;
    int32_t merged = MIN2(status[0], status[1]);
    int made = shim_fd_create(SHIM_SYNC_FILE, &merged, sizeof merged);
    merge->fence = made;
    return MIN2(made, 0);
}

bool shim_fd_ioctl(int fd, unsigned long request, void *arg, int *result_out)
{
    unsigned type = _IOC_TYPE(request), number = _IOC_NR(request);
    if (type == SYNC_IOC_MAGIC && shim_fd_is(fd, SHIM_SYNC_FILE)) {
        *result_out = request == SYNC_IOC_FILE_INFO ? sync_file_info(fd, arg)
                      : request == SYNC_IOC_MERGE   ? sync_file_merge(fd, arg)
                                                    : -ENOTTY;
        return true;
    }
    uint64_t size_B;
    if (type == DMA_BUF_BASE && model_is_shared_memory(fd, &size_B)) {
        *result_out = number == 0 || number == 1 ? 0 : -ENOTTY; /* SYNC: memory is coherent; SET_NAME */
        return true;
    }
    return false;
}
