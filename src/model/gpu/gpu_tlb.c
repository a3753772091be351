/* SPDX-License-Identifier: MIT
 *
 * Tile buffer: stencil and depth test [guide p.46-50].
 */
#include <string.h>
#include "model/gpu/gpu_tlb.h"

static void fill(uint32_t *to, uint32_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        to[i] = value;
}

void gpu_tlb_clear_color(struct gpu_tlb *tlb, uint32_t color)
{
    fill(tlb->color, color, GPU_TLB_SAMPLES);
}

void gpu_tlb_clear_zs(struct gpu_tlb *tlb, uint32_t zs)
{
    fill(tlb->zs, zs, GPU_TLB_SAMPLES);
    fill(tlb->early_z, zs >> 8, GPU_TLB_QUADS);
}

void gpu_tlb_configure(struct gpu_tlb *tlb, const struct cl_configuration_bits *config)
{
    tlb->depth_function = (uint8_t)config->depth_function;
    tlb->z_update = config->z_update;
    tlb->early_z_update = config->early_z_update;
}

void gpu_tlb_begin_program(struct gpu_tlb *tlb)
{
    tlb->stencil_enabled = false;
}

/* -- stencil setup words -- */

static void set_face(struct gpu_stencil_face *face, uint32_t word)
{
    static const uint8_t write_masks[4] = {0x01, 0x03, 0x0f, 0xff};
    *face = (struct gpu_stencil_face){
        .write_mask = write_masks[word >> 28 & 3],
        .op_z_fail = word >> 25 & 7,
        .op_z_pass = word >> 22 & 7,
        .op_fail = word >> 19 & 7,
        .function = word >> 16 & 7,
        .ref = (uint8_t)(word >> 8),
        .mask = (uint8_t)word,
    };
}

void gpu_tlb_stencil_setup(struct gpu_tlb *tlb, uint32_t word)
{
    unsigned faces = word >> 30;
    if (faces == 0) {
        tlb->stencil[GPU_FACE_FRONT].write_mask = (uint8_t)word;
        tlb->stencil[GPU_FACE_BACK].write_mask = (uint8_t)(word >> 8);
        return;
    }
    /* A program that sets one face only: the other keeps everything and passes (unverified). */
    static const struct gpu_stencil_face pass = {.function = 7, .op_fail = 1, .op_z_fail = 1, .op_z_pass = 1};
    if (!tlb->stencil_enabled)
        tlb->stencil[GPU_FACE_FRONT] = tlb->stencil[GPU_FACE_BACK] = pass;
    tlb->stencil_enabled = true;
    if (faces & 1)
        set_face(&tlb->stencil[GPU_FACE_FRONT], word);
    if (faces & 2)
        set_face(&tlb->stencil[GPU_FACE_BACK], word);
}

/* -- tests -- */

/* `a OP b` with the codes of depth and stencil functions: bit 0 passes less, bit 1 equal, bit 2 greater. */
static bool compare(unsigned function, uint32_t a, uint32_t b)
{
    return function >> ((a >= b) + (a > b)) & 1;
}

/* New stencil value by an operation; write masks aside. */
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

static void update_early_z(struct gpu_tlb *tlb, unsigned quad)
{
    if (tlb->ms_4x) {
        uint32_t farthest = 0;
        for (unsigned i = 0; i < 16; i++)
            farthest = MAX2(farthest, tlb->zs[quad * 16 + i]);
        tlb->early_z[quad] = farthest >> 8;
        return;
    }
    unsigned x = quad % (GPU_TLB_WIDTH_PX / 2) * 2, y = quad / (GPU_TLB_WIDTH_PX / 2) * 2;
    const uint32_t *zs = &tlb->zs[y * GPU_TLB_WIDTH_PX + x];
    uint32_t top = MAX2(zs[0], zs[1]), bottom = MAX2(zs[GPU_TLB_WIDTH_PX], zs[GPU_TLB_WIDTH_PX + 1]);
    tlb->early_z[quad] = MAX2(top, bottom) >> 8;
}

/* The samples of `flags` that pass. */
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

/* Faces are chosen per pixel; the chip does it per batch of four quads (HW-2924), a fault that is not modelled. */
void gpu_tlb_z_test(struct gpu_tlb *tlb, const struct gpu_tlb_lanes *at, const uint32_t z[QPU_LANES],
                    const uint32_t rev_flag[QPU_LANES], uint32_t lanes, uint32_t ms_flags[QPU_LANES])
{
    for (unsigned lane = 0; lane < QPU_LANES; lane++) {
        if (!(lanes & BIT(lane)) || !ms_flags[lane])
            continue;
        const struct gpu_stencil_face *face =
            tlb->stencil_enabled ? &tlb->stencil[rev_flag[lane] ? GPU_FACE_BACK : GPU_FACE_FRONT] : NULL;
        if (tlb->ms_4x)
            ms_flags[lane] = test_samples(tlb, at->index[lane], z[lane] & GPU_Z_MAX, face, ms_flags[lane]);
        else if (!stencil_and_z(tlb, at->index[lane], z[lane] & GPU_Z_MAX, face))
            ms_flags[lane] = 0;
    }
    if (tlb->z_update && tlb->early_z_update)
        for (unsigned q = 0; q < QPU_LANES / 4; q++)
            if (lanes >> 4 * q & 15)
                update_early_z(tlb, at->quad[q]);
}

bool gpu_tlb_early_z(const struct gpu_tlb *tlb, unsigned quad, const uint32_t z[4], unsigned covered)
{
    for (unsigned i = 0; i < 4; i++)
        if ((covered & BIT(i)) && z[i] <= tlb->early_z[quad])
            return true;
    return false;
}
