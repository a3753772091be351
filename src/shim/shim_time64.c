/* SPDX-License-Identifier: MIT
 *
 * The stat functions that programs with 64-bit times call on 32-bit machines. This file is compiled with 64-bit times,
 * so struct stat has their layout. Assembler labels give the functions libc's names, because the plain names are those
 * of shim_calls.c.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include "shim/shim_stat.h"

#define EXPORT __attribute__((visibility("default")))

int stat_time64(const char *path, struct stat *st) __asm__("__stat64_time64");
int lstat_time64(const char *path, struct stat *st) __asm__("__lstat64_time64");
int fstat_time64(int fd, struct stat *st) __asm__("__fstat64_time64");
int fstatat_time64(int dir, const char *path, struct stat *st, int flags) __asm__("__fstatat64_time64");

#define REAL(ours, name) ((__typeof__(&ours))shim_real(name))

EXPORT int stat_time64(const char *path, struct stat *st)
{
    return fstatat_time64(AT_FDCWD, path, st, 0);
}

EXPORT int lstat_time64(const char *path, struct stat *st)
{
    return fstatat_time64(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int fstat_time64(int fd, struct stat *st)
{
    struct shim_entry entry;
    if (!shim_fd_is_node(fd, &entry)) {
        int err = REAL(fstat_time64, "__fstat64_time64")(fd, st);
        if (!err)
            SHIM_TELL_SIZE(st, fd);
        return err;
    }
    SHIM_FILL_STAT(st, &entry);
    return 0;
}

EXPORT int fstatat_time64(int dir, const char *path, struct stat *st, int flags)
{
    struct shim_entry entry = shim_lookup_at(dir, path, flags);
    if (!shim_is_emulated(&entry)) {
        int err = REAL(fstatat_time64, "__fstatat64_time64")(dir, path, st, flags);
        if (!err && shim_is_itself(path, flags))
            SHIM_TELL_SIZE(st, dir);
        return err;
    }
    SHIM_FILL_STAT(st, &entry);
    return 0;
}
