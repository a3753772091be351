/* SPDX-License-Identifier: MIT
 *
 * See kmd_udmabuf.h. A udmabuf shares the pages of its memfd: both mappings show the same memory. Its size and offset
 * are multiples of the page size [kernel udmabuf.c], so it is not used where pages are larger than those of buffer
 * objects.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "kmd/kmd_backend.h"
#include "kmd/kmd_udmabuf.h"
#include "util/memfd.h"

#define DEVICE     "/dev/udmabuf"
#define SIZE_LIMIT "/sys/module/udmabuf/parameters/size_limit_mb"

static int call(int fd, unsigned long request, void *arg)
{
    int result;
    do
        result = ioctl(fd, request, arg);
    while (result < 0 && (errno == EINTR || errno == EAGAIN));
    return result < 0 ? -errno : result;
}

static uint64_t read_limit_B(void)
{
    unsigned mib = 0;
    FILE *file = fopen(SIZE_LIMIT, "re");
    if (file && fscanf(file, "%u", &mib) != 1)
        mib = 0;
    if (file)
        fclose(file);
    return (uint64_t)mib << 20;
}

/* A descriptor of the device or a negative errno. */
static int open_device(void)
{
    const int device = open(DEVICE, O_RDWR | O_CLOEXEC);
    return device < 0 ? -errno : device;
}

static int create(int device, int memfd, uint64_t size_B)
{
    struct udmabuf_create arg = {.memfd = (uint32_t)memfd, .flags = UDMABUF_FLAGS_CLOEXEC, .size = size_B};
    return call(device, UDMABUF_CREATE, &arg);
}

int kmd_udmabuf_create(int memfd, uint64_t size_B, int *fd_out)
{
    const int device = open_device();
    if (device < 0)
        return device;
    *fd_out = create(device, memfd, size_B);
    close(device);
    return MIN2(*fd_out, 0);
}

bool kmd_udmabuf_works(uint64_t *limit_out_B)
{
    *limit_out_B = 0;
    const int device = sysconf(_SC_PAGESIZE) == KMD_PAGE_B ? open_device() : -ENODEV;
    if (device < 0)
        return false;
    const int memfd = util_memfd_create("vc4vk-probe", KMD_PAGE_B);
    const int fd = memfd >= 0 ? create(device, memfd, KMD_PAGE_B) : memfd;
    if (fd >= 0) {
        *limit_out_B = read_limit_B();
        close(fd);
    }
    if (memfd >= 0)
        close(memfd);
    close(device);
    return fd >= 0;
}

static int sync_cpu(int fd, uint64_t flags)
{
    struct dma_buf_sync arg = {.flags = flags | DMA_BUF_SYNC_RW};
    return call(fd, DMA_BUF_IOCTL_SYNC, &arg);
}

int kmd_dma_buf_begin_cpu_access(int fd)
{
    return sync_cpu(fd, DMA_BUF_SYNC_START);
}

int kmd_dma_buf_end_cpu_access(int fd)
{
    return sync_cpu(fd, DMA_BUF_SYNC_END);
}
