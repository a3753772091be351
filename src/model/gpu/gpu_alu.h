/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of the QPU on 16 lanes: add and multiply units, pack and unpack, and the host's floating-point mode that
 * they rely on. Exact to what is known of the chip: rounding toward zero, denormals flushed, no NaN, 0 * x = 0
 * (sources at each function in gpu_alu.c).
 */
#ifndef GPU_ALU_H
#define GPU_ALU_H

#include "hw/qpu.h"

/* Sets the calling thread to round toward zero with denormals flushed, and back. Only ever on the model's threads. */
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
    uint8_t byte[4 * QPU_LANES]; /* of little-endian hosts; all hosts of this model are */
};
_Static_assert(sizeof(union gpu_vec) == 64, "a vector is 16 words");

static inline void gpu_vec_splat(union gpu_vec *out, uint32_t word)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = word;
}

/* out may be neither a nor b. NULL for nop and for reserved operations (the chip's result there is not known). */
typedef void (*gpu_alu_fn)(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out);
gpu_alu_fn gpu_add_fn(unsigned op);
gpu_alu_fn gpu_mul_fn(unsigned op);

/* Carry flag that goes with a result, per lane all ones or zero. */
void gpu_add_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, const union gpu_vec *result,
                   union gpu_vec *carry_out);
void gpu_mul_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *carry_out);

/* What the packs of file A see of an integer add or sub that overflowed: the end of the range on the side of the second
 * operand's sign, which for sub is the wrong one. Truncating packs do so too, those to 16 bits with the ends of 16 bits
 * [VC4C's results of a Pi]. There the saturating packs of an overflowing add give 0 most times, for no visible reason:
 * not modelled. */
void gpu_add_saturate(unsigned op, unsigned pack, const union gpu_vec *a, const union gpu_vec *b,
                      union gpu_vec *result);

/* Unpack of file A; `to_float`: an operation that consumes floats reads the value. */
void gpu_unpack_a(unsigned mode, bool to_float, const union gpu_vec *in, union gpu_vec *out);
void gpu_unpack_r4(unsigned mode, const union gpu_vec *in, union gpu_vec *out);

/* Pack of a result: the packed bits and which bits of the destination they replace. */
uint32_t gpu_pack_a(unsigned mode, bool is_float, const union gpu_vec *in, union gpu_vec *out); /* returns the mask */
uint32_t gpu_pack_mul(unsigned mode, const union gpu_vec *in, union gpu_vec *out);

/* Scalar pieces, also used by the texture unit. */
uint32_t gpu_half_to_float(uint32_t half);
uint32_t gpu_float_to_half(uint32_t word);
uint32_t gpu_unorm8_to_float(uint32_t byte);

/* Result of the mul unit moved up by `by` lanes: over all lanes, or inside each quad. */
void gpu_rotate(const union gpu_vec *in, unsigned by, bool full, union gpu_vec *out);

#endif
