/* SPDX-License-Identifier: MIT
 *
 * Used and free memory. The chip's buffer objects come from the kernel's contiguous memory (CMA) only, the model's from
 * any memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "kmd/kmd_backend.h"

#define MIN_HEAP_B (UINT64_C(64) << 20)

uint64_t kmd_heap_size_B(uint64_t most_B)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_B = sysconf(_SC_PAGESIZE);
    const uint64_t half_B = pages > 0 && page_B > 0 ? (uint64_t)pages * (uint64_t)page_B / 2 : MIN_HEAP_B;
    return CLAMP(half_B, MIN_HEAP_B, most_B) / KMD_PAGE_B * KMD_PAGE_B;
}

uint64_t kmd_memory_used_B(const struct kmd_device *dev)
{
    return atomic_load_explicit(&dev->used_B, memory_order_relaxed);
}

uint64_t kmd_memory_free_B(const struct kmd_info *info)
{
    const char *name = info->is_model ? "MemAvailable:" : "CmaFree:";
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t free_kB = 0;
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file))
        is_found = !strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%" SCNu64, &free_kB) == 1;
    if (file)
        fclose(file);
    return is_found ? free_kB * 1024 : info->memory_B;
}
