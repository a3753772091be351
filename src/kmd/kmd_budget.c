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

#define MIN_HEAP_B          (UINT64_C(64) << 20)
#define DEFAULT_CHIP_HEAP_B (UINT64_C(192) << 20) /* of "cma=256M", the default of vc4-kms-v3d */

uint64_t kmd_heap_size_B(uint64_t most_B)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page_B = sysconf(_SC_PAGESIZE);
    const uint64_t half_B = pages > 0 && page_B > 0 ? (uint64_t)pages * (uint64_t)page_B / 2 : MIN_HEAP_B;
    return CLAMP(half_B, MIN_HEAP_B, most_B) / KMD_PAGE_B * KMD_PAGE_B;
}

/* A value of /proc/meminfo, whose name ends with ":". */
static bool read_meminfo(const char *name, uint64_t *size_B_out)
{
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];
    uint64_t size_kB = 0;
    bool is_found = false;
    while (file && !is_found && fgets(line, sizeof line, file))
        is_found = !strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%" SCNu64, &size_kB) == 1;
    if (file)
        fclose(file);
    *size_B_out = size_kB * 1024;
    return is_found;
}

uint64_t kmd_chip_heap_size_B(void)
{
    uint64_t reserved_B;
    if (!read_meminfo("CmaTotal:", &reserved_B) || !reserved_B)
        return kmd_heap_size_B(DEFAULT_CHIP_HEAP_B);
    return MAX2(reserved_B / 4 * 3, MIN_HEAP_B) / KMD_PAGE_B * KMD_PAGE_B;
}

uint64_t kmd_memory_used_B(const struct kmd_device *dev)
{
    return atomic_load_explicit(&dev->used_B, memory_order_relaxed);
}

uint64_t kmd_memory_free_B(const struct kmd_info *info)
{
    uint64_t free_B;
    return read_meminfo(info->is_model ? "MemAvailable:" : "CmaFree:", &free_B) ? free_B : info->memory_B;
}
