/* SPDX-License-Identifier: MIT
 *
 * Selects among the functions that are compiled once per vector extension of the host (gpu_vectors.h, gpu_lanes.h).
 */
#ifndef GPU_SIMD_H
#define GPU_SIMD_H

#include "model/gpu/gpu_tmu.h"

struct gpu_texture;

enum gpu_simd_host { GPU_SIMD_BASE, GPU_SIMD_AVX2, GPU_SIMD_AVX512, GPU_SIMD_HOSTS };

struct gpu_simd {
    /* Runs a request for a texture with `simd` set; no child images. */
    void (*sample)(const struct gpu_memory *mem, const struct gpu_texture *tex, const struct gpu_tmu_request *request,
                   bool lod_given, union gpu_vec *result);
    /* Loads words from a window of memory; the low two address bits are ignored. False if any lies outside. */
    bool (*load)(const uint8_t *window, uint32_t window_addr, uint32_t window_B, const union gpu_vec *addr,
                 union gpu_vec *result);
    enum gpu_simd_host host;
};

#define GPU_SIMD_FUNCTIONS(host)                                                                                       \
    void gpu_tmu_simd_##host(const struct gpu_memory *, const struct gpu_texture *, const struct gpu_tmu_request *,    \
                             bool, union gpu_vec *);                                                                   \
    bool gpu_tmu_simd_load_##host(const uint8_t *, uint32_t, uint32_t, const union gpu_vec *, union gpu_vec *);
GPU_SIMD_FUNCTIONS(base)
GPU_SIMD_FUNCTIONS(avx2)
GPU_SIMD_FUNCTIONS(avx512)

/* The functions for one vector extension. NULL if this host does not have it, or nothing was compiled for it. */
const struct gpu_simd *gpu_simd_for(enum gpu_simd_host host);
/* The functions for the best vector extension that VC4VK_DEBUG allows. NULL with no-jit: the texture unit then uses its
 * scalar code, the rasteriser the functions of GPU_SIMD_BASE. */
const struct gpu_simd *gpu_simd_best(void);

#endif
