/* SPDX-License-Identifier: MIT */
#include "util/memfd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

int util_memfd_create(const char *name, uint64_t size_B)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -errno;
    if (ftruncate(fd, (off_t)size_B) || fcntl(fd, F_ADD_SEALS, SEALS)) {
        int err = -errno;
        close(fd);
        return err;
    }
    return fd;
}

bool util_memfd_is_sealed(int fd, uint64_t *size_out_B)
{
    struct stat st;
    struct statfs fs;
    int seals = fcntl(fd, F_GET_SEALS); /* fails for everything but memory files */
    if (seals < 0 || (seals & SEALS) != SEALS || fstat(fd, &st) || fstatfs(fd, &fs) || fs.f_type != TMPFS_MAGIC)
        return false;
    *size_out_B = (uint64_t)st.st_size;
    return true;
}
