/* SPDX-License-Identifier: MIT
 *
 * What the files of lower_f64.h and lower_i64.h share: short forms; and of lower_f64.h alone: taking numbers apart and
 * rounding them.
 *
 * A significand is "aligned" when its leading 1 is bit 63. The exponent that belongs to it is the biased one, as a
 * plain word: denormals have values below 1, and zero has one so low that every result computed with it underflows
 * (ir_i64_clz() of 0).
 */
#ifndef LOWER_F64_PARTS_H
#define LOWER_F64_PARTS_H

#include "compiler/lower/lower_i64.h"

#define F64_SIGN          0x80000000u
#define F64_INF           0x7ff00000u /* high word of infinity */
#define F64_NAN           0x7ff80000u
#define F64_BIAS          1023u
#define F64_INF_EXPONENT  8192u       /* stands for 2047, so that results with an infinity overflow */

static inline struct ir_instr *f64_op(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, op, x, y);
}

static inline struct ir_instr *f64_opc(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t c)
{
    return ir_build2(b, op, x, ir_const(b, c));
}

static inline struct ir_instr *f64_sel(struct ir_builder *b, struct ir_instr *cond, struct ir_instr *x,
                                       struct ir_instr *y)
{
    return ir_build3(b, IR_SEL, cond, x, y);
}

/* x + 1 where `cond` holds, else x */
struct ir_instr *ir_f64_plus_if(struct ir_builder *b, struct ir_instr *x, struct ir_instr *cond);
/* 1 if x is not 0, else 0 */
struct ir_instr *ir_f64_jam(struct ir_builder *b, struct ir_instr *x);
/* Shifts by 0 to 63. Bits that the shift loses leave a 1 in bit 0. */
struct ir_f64 ir_f64_shift_right_jam(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count);

/* The high word without the sign, with bit 0 set if the low word is not 0: as a signed integer it tells zero (0),
 * finite numbers, infinity (F64_INF) and NaN (above). */
struct ir_instr *ir_f64_class(struct ir_builder *b, struct ir_f64 x);
/* The significand at bit 52 and below, from the number and its biased exponent field. */
struct ir_f64 ir_f64_significand(struct ir_builder *b, struct ir_f64 x, struct ir_instr *field);
/* The aligned significand and its exponent. `infinite`: infinities (and NaN) get F64_INF_EXPONENT. */
struct ir_f64 ir_f64_aligned(struct ir_builder *b, struct ir_f64 x, struct ir_instr *field, bool infinite,
                             struct ir_instr **exponent_out);

/* Rounds an aligned significand to 53 bits and adds the exponent, which must be 1 to 2046 or, with a significand below
 * bit 63, 1. `below` is the exponent minus 1. The sign is the caller's to add. */
struct ir_f64 ir_f64_pack(struct ir_builder *b, struct ir_f64 significand, struct ir_instr *below);
/* The same for any exponent, with the sign in bit 31 of `sign` (and no other bit). */
struct ir_f64 ir_f64_round(struct ir_builder *b, struct ir_instr *sign, struct ir_f64 significand,
                           struct ir_instr *below);
/* Infinity in place of x where below >= 2046. */
struct ir_f64 ir_f64_overflow(struct ir_builder *b, struct ir_f64 x, struct ir_instr *below);

/* The limbs of 14 bits of a 53-bit integer that begins at bit `first` (0 or 11) of x. */
void ir_f64_limbs(struct ir_builder *b, struct ir_f64 x, uint32_t first, struct ir_instr *limbs[4]);
/* The product of two numbers of four limbs: columns of weight 2^(14 i), each below 2^14 but the last, of up to 22
 * bits. */
void ir_f64_columns(struct ir_builder *b, struct ir_instr *const x[4], struct ir_instr *const y[4],
                    struct ir_instr *columns[7]);

#endif
