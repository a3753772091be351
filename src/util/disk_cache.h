/* SPDX-License-Identifier: MIT
 *
 * The on-disk cache: compiled programs of earlier runs, one file each, in $XDG_CACHE_HOME/vc4vk (or ~/.cache/vc4vk).
 *
 * Files are named by a digest of build and key and hold both in full, with a sum over all. They appear by renaming a
 * finished temporary file, so that any number of processes may share the folder; a damaged one counts as missing and is
 * removed. The folder is kept below a bound by removing what was used longest ago. Where it cannot be read or written,
 * there is no cache, and nothing fails.
 *
 * VC4VK_CACHE: 0 turns it off, a number is the bound in MiB, with K, M or G behind it in those units.
 *
 * Thread safe.
 */
#ifndef UTIL_DISK_CACHE_H
#define UTIL_DISK_CACHE_H

#include <stdatomic.h>
#include "util/macros.h"

#define UTIL_DISK_CACHE_UUID_B 16

struct util_disk_cache {
    char *folder; /* malloc'ed; NULL: no cache */
    uint8_t uuid[UTIL_DISK_CACHE_UUID_B];
    uint64_t bound_B;
    _Atomic uint32_t writes; /* the folder is looked through at the first one and then now and then */
};

/* From the environment. `uuid` names the build. Makes no folder yet. */
void util_disk_cache_init(struct util_disk_cache *cache, const uint8_t uuid[UTIL_DISK_CACHE_UUID_B]);
void util_disk_cache_finish(struct util_disk_cache *cache);

/* What was stored under the key, malloc'ed, or NULL. */
void *util_disk_cache_load(struct util_disk_cache *cache, const void *key, size_t key_B, size_t *size_out_B);
void util_disk_cache_store(struct util_disk_cache *cache, const void *key, size_t key_B, const void *data,
                            size_t size_B);
/* What was found and makes no sense to its reader. */
void util_disk_cache_remove(struct util_disk_cache *cache, const void *key, size_t key_B);

#endif
