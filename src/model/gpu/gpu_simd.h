/* SPDX-License-Identifier: MIT
 *
 * Which of the functions that were compiled for several kinds of host (gpu_vectors.h) serve on this one.
 */
#ifndef GPU_SIMD_H
#define GPU_SIMD_H

#include "model/gpu/gpu_tmu.h"

struct gpu_texture;
struct gpu_fep_code;

enum gpu_simd_host { GPU_SIMD_BASE, GPU_SIMD_AVX2, GPU_SIMD_AVX512, GPU_SIMD_HOSTS };

struct gpu_simd {
    /* A request to a texture with `wide` set, but for child images. */
    void (*sample)(const struct gpu_memory *mem, const struct gpu_texture *tex, const struct gpu_tmu_request *request,
                   bool lod_given, union gpu_vec *result);
    /* Words of a window of memory, whose low two address bits are ignored; false when one lies outside. */
    bool (*load)(const uint8_t *window, uint32_t window_addr, uint32_t window_B, const union gpu_vec *addr,
                 union gpu_vec *result);
    const struct gpu_fep_code *fep; /* of the rasteriser */
};

#define GPU_SIMD_FUNCTIONS(host)                                                                                       \
    void gpu_tmu_wide_##host(const struct gpu_memory *, const struct gpu_texture *, const struct gpu_tmu_request *,    \
                             bool, union gpu_vec *);                                                                   \
    bool gpu_tmu_wide_load_##host(const uint8_t *, uint32_t, uint32_t, const union gpu_vec *, union gpu_vec *);        \
    extern const struct gpu_fep_code gpu_fep_code_##host;
GPU_SIMD_FUNCTIONS(base)
GPU_SIMD_FUNCTIONS(avx2)
GPU_SIMD_FUNCTIONS(avx512)

/* NULL: this host is not of that kind, or nothing was compiled for it. */
const struct gpu_simd *gpu_simd_for(enum gpu_simd_host host);
/* The best of them, as far as VC4VK_DEBUG lets it be; NULL under no-jit, which is the plain way in all. */
const struct gpu_simd *gpu_simd_best(void);

#endif
