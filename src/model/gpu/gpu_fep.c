/* SPDX-License-Identifier: MIT
 *
 * Public functions of the front-end pipe. They forward to the hot code that was compiled for the host's vector
 * extension that gpu_simd.c selects.
 */
#include "model/gpu/gpu_raster.h"

const struct gpu_fep_code *gpu_fep_code_for(enum gpu_simd_host host)
{
    static const struct gpu_fep_code *const code[GPU_SIMD_HOSTS] = {
        [GPU_SIMD_BASE] = &gpu_fep_code_base,
#ifdef GPU_HAS_AVX
        [GPU_SIMD_AVX2] = &gpu_fep_code_avx2,
        [GPU_SIMD_AVX512] = &gpu_fep_code_avx512,
#endif
    };
    return code[host];
}

static const struct gpu_fep_code *select_code(void)
{
    const struct gpu_simd *simd = gpu_simd_best();
    return gpu_fep_code_for(simd ? simd->host : GPU_SIMD_BASE);
}

void gpu_fep_init(struct gpu_fep *fep, struct gpu_qpu_core *core, struct gpu_tlb *tlb)
{
    fep->code = select_code();
    fep->core = core;
    fep->tlb = tlb;
    fep->code->serve(&fep->io);
}

struct gpu_setup *gpu_fep_setup(struct gpu_fep *fep)
{
    return &fep->setup[fep->setup_next];
}

bool gpu_fep_reaches_pixels(const struct gpu_fep *fep, const struct gpu_rect *window)
{
    const struct gpu_rect area = gpu_fep_area(fep, &fep->setup[fep->setup_next], window);
    return !gpu_rect_is_empty(&area);
}

bool gpu_fep_draw(struct gpu_fep *fep, const struct gpu_rect *window)
{
    return fep->code->draw(fep, window);
}

bool gpu_fep_flush(struct gpu_fep *fep)
{
    return fep->code->flush(fep);
}

void gpu_tlb_z_test(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                    const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES])
{
    select_code()->z_test(tlb, at, z, rev_flag, lanes, ms_flags);
}
