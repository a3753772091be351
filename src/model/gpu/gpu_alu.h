/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of the QPU on 16 lanes: add and multiply units, pack and unpack, and the host floating-point mode that
 * they rely on. As exact as the chip is known: rounding toward zero, denormals flushed, no NaN, 0 * x = 0 (gpu_alu.c
 * names the sources).
 */
#ifndef GPU_ALU_H
#define GPU_ALU_H

#include "hw/qpu.h"

/* Switches the calling thread to rounding toward zero with denormals flushed, and back. Model threads only. */
struct gpu_fp_mode {
    uint64_t saved;
};
struct gpu_fp_mode gpu_fp_enter(void);
void gpu_fp_leave(struct gpu_fp_mode mode);

/* A register: one word per lane. */
union gpu_vec {
    _Alignas(64) uint32_t u[QPU_LANES];
    int32_t i[QPU_LANES];
    float f[QPU_LANES];
    uint8_t byte[4 * QPU_LANES]; /* assumes a little-endian host, as all supported hosts are */
};
_Static_assert(sizeof(union gpu_vec) == 64, "a vector is 16 words");

static inline void gpu_vec_splat(union gpu_vec *out, uint32_t word)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = word;
}

/* `out` must not alias `a` or `b`. NULL for nop and for reserved operations, whose result on the chip is not known. */
typedef void (*gpu_alu_fn)(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out);
gpu_alu_fn gpu_add_fn(unsigned op);
gpu_alu_fn gpu_mul_fn(unsigned op);

/* Carry flag of a result: all ones or zero in each lane. */
void gpu_add_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, const union gpu_vec *result,
                   union gpu_vec *carry_out);
void gpu_mul_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *carry_out);

/* Replaces the result of an integer add or sub that overflowed by what the file A packs see: the end of the range on
 * the side of the second operand's sign (for sub this is the wrong end). Truncating packs do so too; packs to 16 bits
 * use the ends of the 16-bit range [VC4C's results of a Pi]. There, the saturating packs of an overflowing add mostly
 * give 0, for no apparent reason: not modelled. */
void gpu_add_saturate(unsigned op, unsigned pack, const union gpu_vec *a, const union gpu_vec *b,
                      union gpu_vec *result);

/* Unpack of file A; `to_float`: a float operation reads the value. */
void gpu_unpack_a(unsigned mode, bool to_float, const union gpu_vec *in, union gpu_vec *out);
void gpu_unpack_r4(unsigned mode, const union gpu_vec *in, union gpu_vec *out);

/* Pack of a result. Returns the mask of the destination bits that the packed value replaces. */
uint32_t gpu_pack_a(unsigned mode, bool is_float, const union gpu_vec *in, union gpu_vec *out);
uint32_t gpu_pack_mul(unsigned mode, const union gpu_vec *in, union gpu_vec *out);

/* Scalar conversions, also used by the texture unit. */
uint32_t gpu_half_to_float(uint32_t half);
uint32_t gpu_float_to_half(uint32_t word);
uint32_t gpu_unorm8_to_float(uint32_t byte);

/* Rotates the result of the mul unit up by `by` lanes: across all lanes, or within each quad. */
void gpu_rotate(const union gpu_vec *in, unsigned by, bool full, union gpu_vec *out);

#endif
