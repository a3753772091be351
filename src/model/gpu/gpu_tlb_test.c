/* SPDX-License-Identifier: MIT
 *
 * Tile buffer: stencil and depth test [guide p.46-50]. Hot: called once for each batch of fragments. Compiled once per
 * vector extension, see gpu_lanes.h.
 */
#include "model/gpu/gpu_lanes.h"
#include "model/gpu/gpu_raster_host.h"

/* `a OP b` with the codes of depth and stencil functions: bit 0 passes less, bit 1 equal, bit 2 greater. */
static bool compare(unsigned function, uint32_t a, uint32_t b)
{
    return function >> ((a >= b) + (a > b)) & 1;
}

/* New stencil value after an operation, before the write mask. */
static uint8_t apply_op(unsigned op, uint8_t stored, uint8_t ref)
{
    switch (op) {
    case 0: /* zero */
        return 0;
    case 2: /* replace */
        return ref;
    case 3: /* increment and saturate */
        return stored == 255 ? 255 : (uint8_t)(stored + 1);
    case 4: /* decrement and saturate */
        return stored == 0 ? 0 : (uint8_t)(stored - 1);
    case 5: /* invert */
        return (uint8_t)~stored;
    case 6: /* increment and wrap */
        return (uint8_t)(stored + 1);
    case 7: /* decrement and wrap */
        return (uint8_t)(stored - 1);
    default: /* keep */
        return stored;
    }
}

static bool stencil_and_z(struct gpu_tlb *tlb, unsigned index, uint32_t z, const struct gpu_stencil_face *face)
{
    uint32_t word = tlb->zs[index], stored_z = word >> 8;
    uint8_t stored = (uint8_t)word, stencil = stored;
    bool z_pass = compare(tlb->depth_function, z, stored_z), pass = z_pass;
    if (face) {
        unsigned op = z_pass ? face->op_z_pass : face->op_z_fail;
        if (!compare(face->function, face->ref & face->mask, stored & face->mask)) {
            op = face->op_fail;
            pass = false;
        }
        uint8_t changed = apply_op(op, stored, face->ref);
        stencil = (uint8_t)((stored & ~face->write_mask) | (changed & face->write_mask));
    }
    if (pass && tlb->z_update)
        stored_z = z;
    tlb->zs[index] = stored_z << 8 | stencil;
    return pass;
}

/* Tests the samples in `flags`; returns those that pass. */
static uint32_t test_samples(struct gpu_tlb *tlb, unsigned index, uint32_t z, const struct gpu_stencil_face *face,
                             uint32_t flags)
{
    uint32_t passed = 0;
    for (unsigned s = 0; s < 4; s++) {
        if ((flags & BIT(s)) && stencil_and_z(tlb, index + s * GPU_TLB_SAMPLE_STEP, z, face))
            passed |= BIT(s);
    }
    return passed;
}

/* Slow path: tests sample by sample. The face is chosen per pixel; the chip chooses it per batch of four quads
 * (HW-2924), a bug that is not modelled. */
static void test_each(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                      const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES])
{
    for (unsigned lane = 0; lane < QPU_LANES; lane++) {
        if (!(lanes & BIT(lane)) || !ms_flags[lane])
            continue;
        const struct gpu_stencil_face *face =
            tlb->stencil_enabled ? &tlb->stencil[rev_flag[lane] ? GPU_FACE_BACK : GPU_FACE_FRONT] : NULL;
        unsigned index = gpu_tlb_quad_index(tlb, at->quad[lane / 4]) + lane % 4;
        if (tlb->ms_4x)
            ms_flags[lane] = test_samples(tlb, index, z[lane] & GPU_Z_MAX, face, ms_flags[lane]);
        else if (!stencil_and_z(tlb, index, z[lane] & GPU_Z_MAX, face))
            ms_flags[lane] = 0;
    }
}

/* -- one sample, no stencil: all lanes at once -- */

GPU_INLINE gpu_i32x16 load_quads(const uint32_t *words, const struct gpu_tlb_lanes *at)
{
    gpu_i32x4 part[4];
    for (unsigned q = 0; q < 4; q++)
        memcpy(&part[q], &words[at->quad[q] * 4u], sizeof part[q]);
    return gpu_lanes_join_quads(part[0], part[1], part[2], part[3]);
}

/* Lanes whose depth passes; both operands are 24-bit values. */
GPU_INLINE gpu_i32x16 passing(unsigned function, gpu_i32x16 z, gpu_i32x16 stored)
{
    return ((z < stored) & gpu_lanes_all(function & 1 ? -1 : 0)) |
           ((z == stored) & gpu_lanes_all(function & 2 ? -1 : 0)) |
           ((z > stored) & gpu_lanes_all(function & 4 ? -1 : 0));
}

/* The maximum of each quad, in all its lanes. */
GPU_INLINE gpu_i32x16 farthest_of_quads(gpu_i32x16 z)
{
    gpu_i32x16 other = __builtin_shufflevector(z, z, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14), more;
    more = z > other;
    z = (z & more) | (other & ~more);
    other = __builtin_shufflevector(z, z, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    more = z > other;
    return (z & more) | (other & ~more);
}

/* Returns whether the early-Z shadow of the quads is up to date, too. It is left to the caller if a quad has no
 * coverage, because such a quad may be a duplicate of another one. */
static bool test_depth(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                       uint32_t lanes, uint32_t ms_flags[QPU_LANES])
{
    const gpu_i32x16 flags = gpu_lanes_load(ms_flags), word = load_quads(tlb->zs, at);
    const gpu_i32x16 new_z = gpu_lanes_load(z) & (int32_t)GPU_Z_MAX, old_z = word >> 8 & (int32_t)GPU_Z_MAX;
    const gpu_i32x16 covered = flags != 0, tested = gpu_lanes_mask(lanes) & covered;
    const gpu_i32x16 pass = passing(tlb->depth_function, new_z, old_z);
    gpu_lanes_store(ms_flags, flags & ~(tested & ~pass));
    if (!tlb->z_update)
        return true;
    const gpu_i32x16 change = tested & pass, now = (word & (~change | 255)) | (new_z << 8 & change);
    uint32_t quads = gpu_lanes_quads(gpu_lanes_negative(change));
    gpu_i32x4 part[4];
    memcpy(part, &now, sizeof part);
    for (unsigned q = 0; q < 4; q++)
        if (quads >> 4 * q & 1)
            memcpy(&tlb->zs[at->quad[q] * 4u], &part[q], sizeof part[q]);
    if (!tlb->early_z_update || lanes != 0xffff || gpu_lanes_quads(gpu_lanes_negative(covered)) != 0x1111)
        return false;
    const gpu_i32x16 farthest = farthest_of_quads(now >> 8 & (int32_t)GPU_Z_MAX);
    for (unsigned q = 0; q < 4; q++)
        tlb->early_z[at->quad[q]] = (uint32_t)farthest[4 * q];
    return true;
}

static void update_early_z(struct gpu_tlb *tlb, unsigned quad)
{
    const uint32_t *zs = &tlb->zs[gpu_tlb_quad_index(tlb, quad)];
    uint32_t farthest = MAX2(MAX2(zs[0], zs[1]), MAX2(zs[2], zs[3]));
    for (unsigned i = 4; tlb->ms_4x && i < 16; i++)
        farthest = MAX2(farthest, zs[i]);
    tlb->early_z[quad] = farthest >> 8;
}

void GPU_HOST_NAME(gpu_tlb_z_test)(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                                   const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES])
{
    bool is_done = false;
    if (tlb->ms_4x || tlb->stencil_enabled)
        test_each(tlb, at, z, rev_flag, lanes, ms_flags);
    else
        is_done = test_depth(tlb, at, z, lanes, ms_flags);
    if (!is_done && tlb->z_update && tlb->early_z_update)
        for (unsigned q = 0; q < QPU_LANES / 4; q++)
            if (lanes >> 4 * q & 15)
                update_early_z(tlb, at->quad[q]);
}
