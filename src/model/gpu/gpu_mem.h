/* SPDX-License-Identifier: MIT
 *
 * Access to the chip's memory by bus address. Unmapped ranges read as zero. A writer first asks for a pointer with
 * gpu_mem_at() and drops the write if it gets NULL.
 */
#ifndef GPU_MEM_H
#define GPU_MEM_H

#include <string.h>
#include "model/gpu/gpu.h"

/* NULL unless the whole range is mapped. */
static inline uint8_t *gpu_mem_at(const struct gpu_memory *mem, uint32_t addr, uint32_t size_B)
{
    if ((uint64_t)addr + size_B > mem->size_B || !mem->is_mapped(mem, addr, size_B))
        return NULL;
    return mem->base + addr;
}

/* Yields zeros unless the whole range is mapped. */
static inline void gpu_mem_read(const struct gpu_memory *mem, uint32_t addr, void *out, uint32_t size_B)
{
    const uint8_t *at = gpu_mem_at(mem, addr, size_B);
    if (at)
        memcpy(out, at, size_B);
    else
        memset(out, 0, size_B);
}

#endif
