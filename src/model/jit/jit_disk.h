/* SPDX-License-Identifier: MIT
 *
 * Host code of earlier runs, in the on-disk cache of compiled programs (util/disk_cache.h): by program, host and build.
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
        uint64_t host, library_B, library_s, library_ns; /* enum jit_host; size and age of what compiles */
        uint64_t has_worst_sfu;
    } host;                                              /* what the code may rely on */
};

/* `library_path`: of the one that compiles: another one may compile otherwise. NULL: no cache. */
void jit_disk_init(struct jit_disk *disk, enum jit_host host, const char *library_path);
void jit_disk_finish(struct jit_disk *disk);

/* A file for jit_code_load(), malloc'ed; NULL: there is none. */
void *jit_disk_load(struct jit_disk *disk, const struct jit_source *source, size_t *size_out_B);
void jit_disk_store(struct jit_disk *disk, const struct jit_source *source, const void *file, size_t size_B);
/* What was loaded is of no use. */
void jit_disk_remove(struct jit_disk *disk, const struct jit_source *source);

#endif
