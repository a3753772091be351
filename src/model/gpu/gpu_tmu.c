/* SPDX-License-Identifier: MIT
 *
 * Texture unit: requests and direct lookups.
 */
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_tmu.h"

struct gpu_tmu {
    const struct gpu_memory *mem;
};

struct gpu_tmu *gpu_tmu_create(const struct gpu_memory *mem)
{
    struct gpu_tmu *tmu = calloc(1, sizeof *tmu);

    if (tmu)
        tmu->mem = mem;
    return tmu;
}

void gpu_tmu_destroy(struct gpu_tmu *tmu)
{
    free(tmu);
}

void gpu_tmu_begin_job(struct gpu_tmu *tmu)
{
}

const char *gpu_tmu_sample(struct gpu_tmu *tmu, const struct gpu_tmu_request *request, union gpu_vec *result)
{
    return "texture lookups are not modelled yet";
}

/* [guide p.40-41] */
void gpu_tmu_load(struct gpu_tmu *tmu, const union gpu_vec *addr, union gpu_vec *result)
{
    const struct gpu_memory *mem = tmu->mem;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t at = addr->u[l] & ~3u;
        result->u[l] = 0;
        if (at <= mem->size_B - 4 && mem->is_mapped(mem, at, 4))
            memcpy(&result->u[l], mem->base + at, 4);
    }
}
