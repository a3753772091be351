/* SPDX-License-Identifier: MIT
 *
 * Tile-buffer callbacks of fragment programs. Hot: called by every batch. Compiled once per vector extension, see
 * gpu_lanes.h.
 */
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

static struct gpu_fep *fep_of(struct gpu_fragment_io *io)
{
    return container_of(io, struct gpu_fep, io);
}

static void stencil_setup(struct gpu_fragment_io *io, uint32_t word)
{
    gpu_tlb_stencil_setup(fep_of(io)->tlb, word);
}

/* All ones in each lane with coverage, else 0. */
GPU_INLINE gpu_i32x16 is_covered(const uint32_t flags[QPU_LANES])
{
    return gpu_lanes_load(flags) != 0;
}

GPU_INLINE unsigned covered_quads(const struct gpu_fragment_io *io, uint32_t lanes)
{
    return gpu_lanes_quad_count(gpu_lanes_negative(is_covered(io->ms_flags)) & lanes);
}

static void z_test(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
    struct gpu_fep *fep = fep_of(io);
    unsigned tested = covered_quads(io, lanes);
    GPU_HOST_NAME(gpu_tlb_z_test)(fep->tlb, &fep->at, z, io->rev_flag, lanes, io->ms_flags);
    unsigned passed = covered_quads(io, lanes);
    fep->counts[GPU_COUNT_QUADS_PASSING] += passed;
    fep->counts[GPU_COUNT_QUADS_FAILING] += tested - passed;
    const gpu_i32x16 mask = gpu_lanes_mask(lanes);
    gpu_lanes_store(fep->color_samples,
                    (gpu_lanes_load(io->ms_flags) & mask) | (gpu_lanes_load(fep->color_samples) & ~mask));
}

GPU_INLINE void store_quad(uint32_t *to, const uint32_t color[4], gpu_i32x4 mask)
{
    gpu_i32x4 old, new;
    memcpy(&old, to, sizeof old);
    memcpy(&new, color, sizeof new);
    old = (old & ~mask) | (new & mask);
    memcpy(to, &old, sizeof old);
}

/* Samples that are loaded or stored one at a time are taken in order; after the last one the first comes again
 * (unverified).
 *
 * Flags that the program writes to MS_FLAGS affect colour stores only after the next Z test. [measured: of piglit's
 * tests of ext_framebuffer_multisample, those fail on a board in which Mesa masks samples in a program without a Z
 * test: sample-alpha-to-coverage color, unaligned-blit and clip-and-scissor-blit color msaa] */
static void color_store(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    struct gpu_fep *fep = fep_of(io);
    uint32_t *to = fep->tlb->color;
    fep->counts[GPU_COUNT_QUADS_WRITTEN] += covered_quads(io, lanes);
    const gpu_i32x16 flags = gpu_lanes_load(fep->color_samples) & gpu_lanes_mask(lanes);
    if (fep->tlb->ms_4x) {
        uint32_t samples = all_samples ? 15 : BIT(fep->samples_stored++ % GPU_SAMPLES);
        for (unsigned s = 0; s < GPU_SAMPLES; s++) {
            gpu_i32x4 mask[4];
            const gpu_i32x16 all = (flags & (int32_t)(samples & BIT(s))) != 0;
            memcpy(mask, &all, sizeof mask);
            for (unsigned q = 0; q < GPU_QUADS; q++)
                store_quad(&to[fep->at.quad[q] * 16u + s * GPU_TLB_SAMPLE_STEP], &color[4 * q], mask[q]);
        }
        return;
    }
    const gpu_i32x16 all = flags != 0;
    const uint32_t stored = gpu_lanes_negative(all);
    gpu_i32x4 mask[4];
    memcpy(mask, &all, sizeof mask);
    for (unsigned q = 0; q < GPU_QUADS; q++)
        if (stored >> 4 * q & 15)
            store_quad(&to[fep->at.quad[q] * 4u], &color[4 * q], mask[q]);
}

static void color_load(struct gpu_fragment_io *io, uint32_t color_out[QPU_LANES])
{
    struct gpu_fep *fep = fep_of(io);
    unsigned step = fep->tlb->ms_4x ? fep->samples_loaded++ % GPU_SAMPLES * GPU_TLB_SAMPLE_STEP : 0;
    for (unsigned q = 0; q < GPU_QUADS; q++)
        memcpy(&color_out[4 * q], &fep->tlb->color[gpu_tlb_quad_index(fep->tlb, fep->at.quad[q]) + step], 16);
}

void GPU_HOST_NAME(gpu_fep_set_callbacks)(struct gpu_fragment_io *io)
{
    io->stencil_setup = stencil_setup;
    io->z_test = z_test;
    io->color_store = color_store;
    io->color_load = color_load;
}
