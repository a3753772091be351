/* SPDX-License-Identifier: MIT
 *
 * The machine's memory: what the chip addresses with 32-bit bus addresses. One range of the host's address space is
 * reserved for all of it, so a bus address A is always found at base + A, and one sparse memfd backs it, so thousands
 * of buffers cost no file descriptors.
 *
 * Free memory is always zero.
 */
#ifndef KRN_MEMORY_H
#define KRN_MEMORY_H

#include <pthread.h>
#include "model/gpu/gpu.h"
#include "util/list.h"

#define KRN_PAGE_B 4096u

struct krn_memory {
    struct gpu_memory gpu; /* base, size, is_mapped: what the chip is given */
    int fd;                /* the memfd; offset = bus address */
    uint64_t reserved_B;   /* of the host's address space */
    uint64_t limit_B;      /* of all allocations together */
    pthread_mutex_t lock;
    uint64_t used_B;            /* under the lock */
    struct util_list free_list; /* of struct krn_range, by address; under the lock */
    uint32_t *mapped;           /* one bit per page; written under the lock, read without: words that every host has */
};

/* 0, -ENOMEM or what the system says. `limit_B` 0: what the address space holds. */
int krn_memory_init(struct krn_memory *mem, uint64_t limit_B) UTIL_MUST_CHECK;
void krn_memory_finish(struct krn_memory *mem);

/* Whole pages, filled with zeros; `align_B` is a power of two, at least a page. Address 0 is never handed out.
 * 0 or -ENOMEM. */
int krn_memory_alloc(struct krn_memory *mem, uint32_t size_B, uint32_t align_B, uint32_t *addr_out) UTIL_MUST_CHECK;
void krn_memory_free(struct krn_memory *mem, uint32_t addr, uint32_t size_B);

/* Gives up the contents of an allocation, which no longer counts against the limit, but not its place: whoever still
 * looks there sees zeros and harms nobody. */
void krn_memory_discard(struct krn_memory *mem, uint32_t addr, uint32_t size_B);
void krn_memory_free_discarded(struct krn_memory *mem, uint32_t addr, uint32_t size_B);

static inline void *krn_memory_ptr(const struct krn_memory *mem, uint32_t addr)
{
    return mem->gpu.base + addr;
}

#endif
