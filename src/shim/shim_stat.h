/* SPDX-License-Identifier: MIT
 *
 * What stat says of made-up files, for every layout of struct stat that libc has.
 */
#ifndef SHIM_STAT_H
#define SHIM_STAT_H

#include <string.h>
#include <sys/sysmacros.h>
#include "shim/shim.h"

mode_t shim_mode_of(enum shim_kind kind);
/* Folders that exist in truth as well (/dev/dri) are libc's to describe. */
bool shim_is_ours(const struct shim_entry *entry);
/* For fstatat and its like: the entry of `path`, or the node's when the path is empty and may be. */
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
