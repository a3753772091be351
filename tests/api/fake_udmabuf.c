/* SPDX-License-Identifier: MIT
 *
 * Preloaded into API tests on machines without /dev/udmabuf: a device of that name which makes dma-bufs of memfds and
 * refuses what the kernel refuses [kernel udmabuf.c]. A test makes it fail by fake_udmabuf.h.
 *
 * A dma-buf is a memfd of the right size, so that descriptors can be duplicated, sent and inherited. Its first bytes
 * say which file of which process has the memory, and mappings are made of that file instead. The file stays open as
 * long as the process that made the dma-buf has a descriptor of it.
 */
#undef _FILE_OFFSET_BITS /* keeps the header from redirecting the plain names */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "fake_udmabuf.h"

#define EXPORT     __attribute__((visibility("default")))
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define DEVICE     "/dev/udmabuf"
#define SIZE_LIMIT "/sys/module/udmabuf/parameters/size_limit_mb"
#define DEVICE_FD  "fake-udmabuf"
#define DMA_BUF_FD "fake-dma-buf"

EXPORT struct fake_udmabuf fake_udmabuf_control;
EXPORT struct fake_udmabuf fake_udmabuf_control = {.limit_B = UINT64_C(64) << 20};
static struct fake_udmabuf *const control = &fake_udmabuf_control;

/* In the first bytes of a dma-buf. */
struct origin {
    pid_t process;
    int fd; /* of that process */
    uint64_t offset_B;
};

static int fail(int err)
{
    errno = err;
    return -1;
}

/* Whether a descriptor is a memfd of this name. Keeps errno. */
static bool is_named(int fd, const char *name)
{
    char path[32], target[64], wanted[64];
    const int kept = errno;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(path, target, sizeof target - 1);
    errno = kept;
    if (n < 0)
        return false;
    target[n] = '\0';
    snprintf(wanted, sizeof wanted, "/memfd:%s ", name);
    return !strncmp(target, wanted, strlen(wanted));
}

/* -- the device --------------------------------------------------------------------------------------------------- */

#define MAX_FILES 1024

/* The memory of the dma-bufs that this process has made. */
static struct {
    ino_t dma_buf;
    int fd; /* 0: free */
} kept[MAX_FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_open(ino_t dma_buf)
{
    struct stat st;
    for (int fd = 0; fd < MAX_FILES; fd++)
        if (!fstat(fd, &st) && st.st_ino == dma_buf && is_named(fd, DMA_BUF_FD))
            return true;
    return false;
}

/* Keeps a file for a new dma-buf, and closes those of dma-bufs that are gone. */
static void keep(int dma_buf, int fd)
{
    struct stat st;
    bool is_kept = false;
    if (fstat(dma_buf, &st))
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_FILES; i++) {
        if (kept[i].fd && !is_open(kept[i].dma_buf)) {
            close(kept[i].fd);
            kept[i].fd = 0;
        }
        if (!kept[i].fd && !is_kept) {
            kept[i].dma_buf = st.st_ino;
            kept[i].fd = fd;
            is_kept = true;
        }
    }
    pthread_mutex_unlock(&lock);
}

static int create(const struct udmabuf_create *arg)
{
    const uint64_t page_B = (uint64_t)sysconf(_SC_PAGESIZE);
    struct stat st;
    if (control->fails_at && --control->fails_at == 0)
        return fail(control->create_errno);
    const int seals = fcntl((int)arg->memfd, F_GET_SEALS);
    if (seals < 0 || fstat((int)arg->memfd, &st))
        return fail(EBADFD);
    if ((arg->flags & ~(uint32_t)UDMABUF_FLAGS_CLOEXEC) || (seals & (F_SEAL_SHRINK | F_SEAL_WRITE)) != F_SEAL_SHRINK ||
        arg->offset % page_B || !arg->size || arg->size % page_B || arg->size > control->limit_B ||
        arg->offset > (uint64_t)st.st_size || arg->size > (uint64_t)st.st_size - arg->offset)
        return fail(EINVAL);
    const int fd = memfd_create(DMA_BUF_FD, arg->flags ? MFD_CLOEXEC : 0);
    const struct origin origin = {getpid(), fcntl((int)arg->memfd, F_DUPFD_CLOEXEC, 0), arg->offset};
    if (fd < 0 || origin.fd < 0 || ftruncate(fd, (off_t)arg->size) || pwrite(fd, &origin, sizeof origin, 0) < 0) {
        const int err = errno;
        if (fd >= 0)
            close(fd);
        if (origin.fd >= 0)
            close(origin.fd);
        return fail(err);
    }
    control->created++;
    keep(fd, origin.fd);
    return fd;
}

static int sync_cpu(const struct dma_buf_sync *arg)
{
    if ((arg->flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK) || !(arg->flags & DMA_BUF_SYNC_RW))
        return fail(EINVAL);
    __atomic_add_fetch(arg->flags & DMA_BUF_SYNC_END ? &control->ended : &control->begun, 1, __ATOMIC_SEQ_CST);
    return 0;
}

#define DEFINE_IOCTL(name)                                                                                             \
    EXPORT int name(int fd, unsigned long request, ...)                                                                \
    {                                                                                                                  \
        va_list va;                                                                                                    \
        va_start(va, request);                                                                                         \
        void *arg = va_arg(va, void *);                                                                                \
        va_end(va);                                                                                                    \
        if (request == UDMABUF_CREATE && is_named(fd, DEVICE_FD))                                                      \
            return create(arg);                                                                                        \
        if (request == DMA_BUF_IOCTL_SYNC && is_named(fd, DMA_BUF_FD))                                                 \
            return sync_cpu(arg);                                                                                      \
        return REAL(name)(fd, request, arg);                                                                           \
    }

DEFINE_IOCTL(ioctl)

/* What programs with 64-bit times call where those of libc have 32 bits. */
int __ioctl_time64(int fd, unsigned long request, ...);
DEFINE_IOCTL(__ioctl_time64)

static bool try_open(const char *path, int *fd_out)
{
    if (strcmp(path, DEVICE))
        return false;
    *fd_out = control->open_errno ? fail(control->open_errno) : memfd_create(DEVICE_FD, MFD_CLOEXEC);
    return true;
}

#define DEFINE_OPEN(name)                                                                                              \
    EXPORT int name(const char *path, int flags, ...)                                                                  \
    {                                                                                                                  \
        int fd;                                                                                                        \
        va_list va;                                                                                                    \
        va_start(va, flags);                                                                                           \
        const mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(va, mode_t) : 0;            \
        va_end(va);                                                                                                    \
        return try_open(path, &fd) ? fd : REAL(name)(path, flags, mode);                                               \
    }

DEFINE_OPEN(open)
DEFINE_OPEN(open64)

/* The parameter is a memfd with a number of MiB. */
static FILE *try_fopen(const char *path)
{
    if (strcmp(path, SIZE_LIMIT) || control->hides_limit)
        return NULL;
    const int fd = memfd_create("size_limit_mb", MFD_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");
    if (file) {
        fprintf(file, "%" PRIu64 "\n", control->limit_B >> 20);
        rewind(file);
    }
    return file;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
    FILE *file = try_fopen(path);
    return file ? file : REAL(fopen)(path, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
    FILE *file = try_fopen(path);
    return file ? file : REAL(fopen64)(path, mode);
}

/* -- dma-bufs ----------------------------------------------------------------------------------------------------- */

EXPORT int fstatfs(int fd, struct statfs *out)
{
    const int result = REAL(fstatfs)(fd, out);
    if (!result && is_named(fd, DMA_BUF_FD))
        out->f_type = DMA_BUF_MAGIC;
    return result;
}

EXPORT int fstatfs64(int fd, struct statfs64 *out)
{
    const int result = REAL(fstatfs64)(fd, out);
    if (!result && is_named(fd, DMA_BUF_FD))
        out->f_type = DMA_BUF_MAGIC;
    return result;
}

/* Maps the file that has the memory of a dma-buf. */
static void *map_origin(int fd, void *at, size_t size_B, int prot, int flags, uint64_t offset_B)
{
    struct origin origin;
    char path[64];
    const off_t dma_buf_B = lseek(fd, 0, SEEK_END);
    if (control->mmap_errno || pread(fd, &origin, sizeof origin, 0) != sizeof origin) {
        errno = control->mmap_errno ? control->mmap_errno : EIO;
        return MAP_FAILED;
    }
    if (offset_B > (uint64_t)dma_buf_B || size_B > (uint64_t)dma_buf_B - offset_B) {
        errno = EINVAL; /* [kernel dma-buf.c] */
        return MAP_FAILED;
    }
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)origin.process, origin.fd);
    const int memory = REAL(open)(path, O_RDWR | O_CLOEXEC);
    if (memory < 0)
        return MAP_FAILED;
    void *map = REAL(mmap64)(at, size_B, prot, flags, memory, (off64_t)(origin.offset_B + offset_B));
    close(memory);
    return map;
}

EXPORT void *mmap(void *at, size_t size_B, int prot, int flags, int fd, off_t offset_B)
{
    return fd >= 0 && is_named(fd, DMA_BUF_FD) ? map_origin(fd, at, size_B, prot, flags, (uint64_t)offset_B)
                                               : REAL(mmap)(at, size_B, prot, flags, fd, offset_B);
}

EXPORT void *mmap64(void *at, size_t size_B, int prot, int flags, int fd, off64_t offset_B)
{
    return fd >= 0 && is_named(fd, DMA_BUF_FD) ? map_origin(fd, at, size_B, prot, flags, (uint64_t)offset_B)
                                               : REAL(mmap64)(at, size_B, prot, flags, fd, offset_B);
}
