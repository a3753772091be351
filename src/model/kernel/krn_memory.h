/* SPDX-License-Identifier: MIT
 *
 * The device's memory, which the chip addresses with 32-bit bus addresses. One range of the host's address space is
 * reserved for all of it. So bus address A is always at base + A, and thousands of buffers need no file descriptors. If
 * other code must map the memory by descriptor, one sparse memfd backs it. Otherwise it is private to the process,
 * which makes the first touch of a page cheaper by half, and by ten times in buffers of whole large pages. [measured: 4
 * MiB touched in 2.8 ms, 1.6 ms, 0.2 ms]
 *
 * Free memory is always zero.
 */
#ifndef KRN_MEMORY_H
#define KRN_MEMORY_H

#include <pthread.h>
#include "model/gpu/gpu.h"
#include "model/model.h"
#include "util/list.h"

#define KRN_PAGE_B 4096u

struct krn_memory {
    struct gpu_memory gpu; /* base, size, is_mapped: the view of the chip */
    int fd;                /* the memfd; offset = bus address. -1: private */
    uint64_t reserved_B;   /* size of the reserved address space */
    uint64_t limit_B;      /* of all allocations together */
    pthread_mutex_t lock;
    uint64_t used_B;            /* under the lock */
    struct util_list free_list; /* of struct krn_range, by address; under the lock */
    uint32_t *mapped;           /* one bit per page; written under the lock, read atomically without it */
};

/* 0, -ENOMEM or the system's error. `limit_B` 0: limited by the address space only. */
int krn_memory_init(struct krn_memory *mem, uint64_t limit_B, bool is_private) UTIL_MUST_CHECK;
void krn_memory_finish(struct krn_memory *mem);

/* Where an allocation may lie. `addr`: exactly there; 0: wherever the place has room. */
struct krn_place {
    enum model_place where;
    uint32_t addr;
    bool is_uncharged; /* addresses only: does not count against the limit. Freed by krn_memory_free_discarded() */
};
#define KRN_ANYWHERE (&(struct krn_place){MODEL_PLACE_LOWEST, 0})

/* The first address of the upper part of the address space: seven eighths of it, whole large pages. */
uint32_t krn_memory_upper_addr(const struct krn_memory *mem);

/* Allocates whole pages, filled with zeros; `align_B` is a power of two, at least a page. Never returns address 0. 0 or
 * -ENOMEM. */
int krn_memory_alloc(struct krn_memory *mem, uint32_t size_B, uint32_t align_B, const struct krn_place *place,
                     uint32_t *addr_out) UTIL_MUST_CHECK;
void krn_memory_free(struct krn_memory *mem, uint32_t addr, uint32_t size_B);

/* Clears an allocation and stops counting it against the limit, but keeps its address range: later accesses are
 * harmless and read zeros. Free it with krn_memory_free_discarded(). */
void krn_memory_discard(struct krn_memory *mem, uint32_t addr, uint32_t size_B);
void krn_memory_free_discarded(struct krn_memory *mem, uint32_t addr, uint32_t size_B);

/* Replaces an allocation by a mapping of a file, and the other way round, filled with zeros. 0 or a negative errno. */
int krn_memory_map_file(struct krn_memory *mem, uint32_t addr, uint32_t size_B, int fd, uint64_t offset_B);
int krn_memory_unmap_file(struct krn_memory *mem, uint32_t addr, uint32_t size_B);

static inline void *krn_memory_ptr(const struct krn_memory *mem, uint32_t addr)
{
    return mem->gpu.base + addr;
}

#endif
