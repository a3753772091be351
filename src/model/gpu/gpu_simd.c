/* SPDX-License-Identifier: MIT
 *
 * Selects the texture unit's functions for the host's vector extension.
 */
#include "model/gpu/gpu_simd.h"
#include "util/debug.h"

#define FUNCTIONS(name, which) {.sample = gpu_tmu_simd_##name, .load = gpu_tmu_simd_load_##name, .host = which}

const struct gpu_simd *gpu_simd_for(enum gpu_simd_host host)
{
    static const struct gpu_simd base = FUNCTIONS(base, GPU_SIMD_BASE);
#ifdef GPU_HAS_AVX
    static const struct gpu_simd avx2 = FUNCTIONS(avx2, GPU_SIMD_AVX2), avx512 = FUNCTIONS(avx512, GPU_SIMD_AVX512);
    if (host == GPU_SIMD_AVX2)
        return __builtin_cpu_supports("avx2") ? &avx2 : NULL;
    if (host == GPU_SIMD_AVX512)
        return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") ? &avx512 : NULL;
#endif
    return host == GPU_SIMD_BASE ? &base : NULL;
}

const struct gpu_simd *gpu_simd_best(void)
{
    enum gpu_simd_host host = GPU_SIMD_AVX512;

    if (util_debug(UTIL_DEBUG_NO_JIT))
        return NULL;
    if (util_debug(UTIL_DEBUG_JIT_AVX2))
        host = GPU_SIMD_AVX2;
    if (util_debug(UTIL_DEBUG_JIT_SSE2))
        host = GPU_SIMD_BASE;
    while (!gpu_simd_for(host))
        host--;
    return gpu_simd_for(host);
}
