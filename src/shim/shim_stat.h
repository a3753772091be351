/* SPDX-License-Identifier: MIT
 *
 * Fills in struct stat for emulated files, in every layout of the struct that libc has.
 */
#ifndef SHIM_STAT_H
#define SHIM_STAT_H

#include <string.h>
#include <sys/sysmacros.h>
#include "shim/shim.h"

mode_t shim_mode_of(enum shim_kind kind);
/* Whether the shim describes this entry. libc describes directories that really exist (/dev/dri). */
bool shim_is_emulated(const struct shim_entry *entry);
/* What programs are told of a file of this size: a dma-buf's own [kernel dma-buf.c], without the page that the file
 * which stands for it has more. */
uint64_t shim_told_size_B(int fd, uint64_t file_B);
/* Whether a path in a folder means the descriptor in the folder's place. */
bool shim_is_itself(const char *path, int flags);
/* For fstatat and the like: the entry of `path`, or of descriptor `dir` when the path is empty under AT_EMPTY_PATH. */
struct shim_entry shim_lookup_at(int dir, const char *path, int flags);

#define SHIM_FILL_STAT(st, entry)                                                                                      \
    do {                                                                                                               \
        memset(st, 0, sizeof *(st));                                                                                   \
        (st)->st_mode = shim_mode_of((entry)->kind);                                                                   \
        (st)->st_nlink = 1;                                                                                            \
        (st)->st_ino = (entry)->inode;                                                                                 \
        (st)->st_blksize = 4096;                                                                                       \
        (st)->st_size = (entry)->kind == SHIM_FILE || (entry)->kind == SHIM_LINK ? strlen((entry)->content) : 0;       \
        (st)->st_rdev = (entry)->kind == SHIM_NODE ? makedev(SHIM_DRM_MAJOR, (entry)->minor) : 0;                      \
    } while (0)

#define SHIM_TELL_SIZE(st, fd)                                                                                         \
    ((st)->st_size = (__typeof__((st)->st_size))shim_told_size_B(fd, (uint64_t)(st)->st_size))

#endif
