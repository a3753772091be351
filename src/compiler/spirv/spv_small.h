/* SPDX-License-Identifier: MIT
 *
 * Numbers of 8 and 16 bits. As values they are the low bits of a word whose other bits are undefined; floats are kept
 * as halves. So copies are exact, and chains of additions, products and bit operations cost what they cost with 32
 * bits. An instruction whose result depends on the upper bits extends its operands first (spv_small.c): with zeros or
 * the sign as the instruction says, because in SPIR-V the signedness of an integer belongs to the instruction.
 *
 * Floats of 16 bits compute as the chip's floats of 32 bits, whose results are rounded once, to the nearest half (ties
 * to even). Sums, differences and products of halves are rounded correctly by that: 24 bits hold what the rounding to 11
 * bits has to know, although the chip drops what is below them. Results beyond 65504 become infinite as the rounding
 * says. Arithmetic flushes denormal halves, as the chip's conversion does, which is free. Conversions (OpFConvert),
 * copies, inputs and outputs keep them. Comparisons, minima and maxima look at the bits and know denormals and NaN.
 */
#ifndef SPV_SMALL_H
#define SPV_SMALL_H

#include "compiler/spirv/spv.h"

/* Numbers of less than 32 bits? */
bool spv_is_small(const struct spv_type *scalar);

/* The low `bits` bits of a word as a word. */
struct ir_instr *spv_extended(struct ir_builder *b, struct ir_instr *x, uint32_t bits, bool is_signed);
/* For arithmetic: denormals may become zero in both directions, and NaN infinite. Rounds to nearest even. */
struct ir_instr *spv_half_operand(struct ir_builder *b, struct ir_instr *x);
struct ir_instr *spv_half_result(struct ir_builder *b, struct ir_instr *x);
/* The scalar as 32 bits of the same kind: a float, or an integer extended as its type says. Any other is returned as it
 * is. */
struct ir_instr *spv_widened(struct ir_builder *b, const struct spv_type *scalar, struct ir_instr *x);

/* Families of instructions; false: not of the family. */
bool spv_translate_small(struct spv *s, const struct spv_instr *in);      /* any instruction with small numbers */
bool spv_translate_small_ints(struct spv *s, const struct spv_instr *in); /* carries, wide products, reversal of bits */
bool spv_translate_halves(struct spv *s, const struct spv_instr *in);     /* what looks at the bits of halves */
void spv_small_bitcast(struct spv *s, const struct spv_instr *in);

#endif
