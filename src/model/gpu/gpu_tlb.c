/* SPDX-License-Identifier: MIT
 *
 * Tile buffer: clears, and the state of the stencil and depth test [guide p.46-50].
 */
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

void gpu_tlb_defer_clear(struct gpu_tlb *tlb, const struct gpu_tlb_clear *clear, bool color, bool zs)
{
    if (color)
        tlb->pending.color = clear->color;
    if (zs)
        tlb->pending.zs = clear->zs;
    tlb->color_pending |= color;
    tlb->zs_pending |= zs;
}

void gpu_tlb_apply_color_clear(struct gpu_tlb *tlb)
{
    if (tlb->color_pending)
        gpu_tlb_clear_color(tlb, tlb->pending.color);
    tlb->color_pending = false;
}

void gpu_tlb_apply_zs_clear(struct gpu_tlb *tlb)
{
    if (tlb->zs_pending)
        gpu_tlb_clear_zs(tlb, tlb->pending.zs);
    tlb->zs_pending = false;
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
    /* If a program sets one face only, the other face passes and keeps the stencil value (unverified). */
    static const struct gpu_stencil_face pass = {.function = 7, .op_fail = 1, .op_z_fail = 1, .op_z_pass = 1};
    if (!tlb->stencil_enabled)
        tlb->stencil[GPU_FACE_FRONT] = tlb->stencil[GPU_FACE_BACK] = pass;
    tlb->stencil_enabled = true;
    if (faces & 1)
        set_face(&tlb->stencil[GPU_FACE_FRONT], word);
    if (faces & 2)
        set_face(&tlb->stencil[GPU_FACE_BACK], word);
}
