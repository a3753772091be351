/* SPDX-License-Identifier: MIT
 *
 * Names of the functions that gpu_raster*.c and gpu_tlb_test.c define once per vector extension, with the suffixes that
 * gpu_simd.h expects.
 */
#ifndef GPU_RASTER_HOST_H
#define GPU_RASTER_HOST_H

#include "model/gpu/gpu_raster.h"
#include "model/gpu/gpu_simd.h"

#if defined(__AVX512BW__) && defined(__AVX512DQ__)
#define GPU_HOST_NAME(name) name##_avx512
#define GPU_HOST            "AVX-512"
#elif defined(__AVX2__)
#define GPU_HOST_NAME(name) name##_avx2
#define GPU_HOST            "AVX2"
#else
#define GPU_HOST_NAME(name) name##_base
#define GPU_HOST            "base"
#endif

void GPU_HOST_NAME(gpu_tlb_z_test)(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                                   const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES]);

/* gpu_raster_io.c */
void GPU_HOST_NAME(gpu_fep_set_callbacks)(struct gpu_fragment_io *io);

/* gpu_raster_solid.c: sets setup->is_solid if the program gives all of the primitive one colour, which it stores in
 * setup->color. */
void GPU_HOST_NAME(gpu_fep_check_solid)(struct gpu_fep *fep, struct gpu_setup *setup, const struct gpu_rect *area);
/* Fills pixels of the 8 x 8 block at (x, y). `lanes`: 16 bits per row of quads. */
void GPU_HOST_NAME(gpu_fep_fill_block)(struct gpu_fep *fep, struct gpu_setup *setup, int32_t x, int32_t y,
                                       uint64_t lanes);
/* Fills the whole tile. */
void GPU_HOST_NAME(gpu_fep_fill_tile)(struct gpu_fep *fep, struct gpu_setup *setup);

/* gpu_raster_quads.c: runs queued quads in batches of four. `all`: also an incomplete last batch. */
bool GPU_HOST_NAME(gpu_fep_run_waiting)(struct gpu_fep *fep, bool all);

#endif
