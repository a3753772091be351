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

#endif
