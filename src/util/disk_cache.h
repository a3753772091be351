/* SPDX-License-Identifier: MIT
 *
 * The on-disk cache keeps compiled programs of earlier runs, one file each, in $XDG_CACHE_HOME/vc4vk (or
 * ~/.cache/vc4vk).
 *
 * A file's name is a digest of build and key. The file holds both in full, and a checksum of key and data. It is
 * written under a temporary name and renamed, so any number of processes may share the folder. A damaged file counts as
 * missing and is removed. The least recently used files are removed to keep the folder below a bound. If the folder
 * cannot be read or written, there is no cache, and nothing fails.
 *
 * VC4VK_CACHE: 0 turns the cache off; a number is the bound in MiB; a suffix K, M or G selects another unit.
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
    _Atomic uint32_t writes; /* counts stores; selects those that check the folder's size */
};

/* Reads the environment. `uuid` identifies the build. Does not create the folder yet. */
void util_disk_cache_init(struct util_disk_cache *cache, const uint8_t uuid[UTIL_DISK_CACHE_UUID_B]);
void util_disk_cache_finish(struct util_disk_cache *cache);

/* The data stored under the key, malloc'ed, or NULL. */
void *util_disk_cache_load(struct util_disk_cache *cache, const void *key, size_t key_B, size_t *size_out_B);
void util_disk_cache_store(struct util_disk_cache *cache, const void *key, size_t key_B, const void *data,
                            size_t size_B);
/* Removes an entry that the caller loaded but found invalid. */
void util_disk_cache_remove(struct util_disk_cache *cache, const void *key, size_t key_B);

#endif
