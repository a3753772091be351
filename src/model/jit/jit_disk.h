/* SPDX-License-Identifier: MIT
 *
 * Host code from earlier processes, in the on-disk cache (util/disk_cache.h), keyed by program, host and build.
 */
#ifndef JIT_DISK_H
#define JIT_DISK_H

#include <sys/types.h>
#include "model/jit/jit.h"
#include "util/disk_cache.h"

struct jit_disk {
    struct util_disk_cache cache;
    struct jit_disk_host {
        uint32_t cpu[16];
        uint64_t host, library_B, library_s, library_ns; /* enum jit_host; size and mtime of libvc4vk_jit.so */
        uint64_t has_worst_sfu;
    } host; /* everything but the program that code depends on */
};

/* `library_path`: the compiling library. Another library may generate other code. NULL: no cache. */
void jit_disk_init(struct jit_disk *disk, enum jit_host host, const char *library_path);
void jit_disk_finish(struct jit_disk *disk);

/* A malloc'ed file for jit_code_load(), or NULL. */
void *jit_disk_load(struct jit_disk *disk, const struct jit_source *source, size_t *size_out_B);
void jit_disk_store(struct jit_disk *disk, const struct jit_source *source, const void *file, size_t size_B);
/* For a file that turned out to be unusable. */
void jit_disk_remove(struct jit_disk *disk, const struct jit_source *source);

#endif
