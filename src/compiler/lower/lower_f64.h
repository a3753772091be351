/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on 64-bit floats as code of 32-bit integers. The chip has neither 64-bit floats nor float operations that
 * round to nearest or keep denormals, so every operation here takes numbers apart, computes on words, and rounds.
 *
 * Results are those of IEEE 754 with round to nearest even: denormals, signed zeros, infinities and NaN included. The
 * payload and the sign of a NaN mean nothing. No operation branches: the only loops are those of division and square
 * root, which run equally often in every lane.
 *
 * The functions emit code at the builder's place; those with a loop need that place to be the end of its block.
 */
#ifndef LOWER_F64_H
#define LOWER_F64_H

#include "compiler/ir/ir.h"

/* The two words of a 64-bit float or integer. */
struct ir_f64 {
    struct ir_instr *lo, *hi;
};

/* ---------------------------------------------------------------- arithmetic */

struct ir_f64 ir_f64_add(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_sub(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_mul(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_div(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_sqrt(struct ir_builder *b, struct ir_f64 x);
/* x y + z, rounded once */
struct ir_f64 ir_f64_fma(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y, struct ir_f64 z);
struct ir_f64 ir_f64_neg(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_abs(struct ir_builder *b, struct ir_f64 x);

/* ---------------------------------------------------------------- comparisons; results are booleans */

struct ir_instr *ir_f64_eq(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y); /* false with a NaN */
struct ir_instr *ir_f64_lt(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y); /* false with a NaN */
struct ir_instr *ir_f64_le(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y); /* false with a NaN */
struct ir_instr *ir_f64_is_unordered(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_instr *ir_f64_is_nan(struct ir_builder *b, struct ir_f64 x);
struct ir_instr *ir_f64_is_inf(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_sel(struct ir_builder *b, struct ir_instr *cond, struct ir_f64 x, struct ir_f64 y);
/* y < x ? y : x, and x < y ? y : x, where -0 is below 0: with one NaN, x. */
struct ir_f64 ir_f64_min(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_max(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
/* The same, but with one NaN the result is the other operand. */
struct ir_f64 ir_f64_nmin(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_f64_nmax(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
/* 1, -1, or x if it is a zero; 1 or -1 for a NaN. */
struct ir_f64 ir_f64_sign(struct ir_builder *b, struct ir_f64 x);

/* ---------------------------------------------------------------- integral values, parts */

struct ir_f64 ir_f64_trunc(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_floor(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_ceil(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_round_even(struct ir_builder *b, struct ir_f64 x);
/* x = result * 2^exponent, result in [0.5, 1); 0 for the exponent of zero, infinities and NaN, which are returned. */
struct ir_f64 ir_f64_frexp(struct ir_builder *b, struct ir_f64 x, struct ir_instr **exponent_out);
/* x 2^exponent, rounded */
struct ir_f64 ir_f64_ldexp(struct ir_builder *b, struct ir_f64 x, struct ir_instr *exponent);

/* ---------------------------------------------------------------- conversions */

struct ir_f64 ir_f64_const(struct ir_builder *b, double x);
struct ir_f64 ir_f64_from_i32(struct ir_builder *b, struct ir_instr *x);
struct ir_f64 ir_f64_from_u32(struct ir_builder *b, struct ir_instr *x);
struct ir_f64 ir_f64_from_i64(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_from_u64(struct ir_builder *b, struct ir_f64 x);
/* The bits of a 32-bit float; its denormals count. */
struct ir_f64 ir_f64_from_f32(struct ir_builder *b, struct ir_instr *x);
/* The bits of a 16-bit float in the low half; the high half is ignored. */
struct ir_f64 ir_f64_from_f16(struct ir_builder *b, struct ir_instr *x);
/* Rounded toward zero; undefined where the result does not fit. */
struct ir_instr *ir_f64_to_i32(struct ir_builder *b, struct ir_f64 x);
struct ir_instr *ir_f64_to_u32(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_to_i64(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_f64_to_u64(struct ir_builder *b, struct ir_f64 x);
/* The bits of the nearest 32-bit or 16-bit float, denormals included; a 16-bit one leaves the high half 0. Toward zero
 * if `toward_zero`. */
struct ir_instr *ir_f64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero);
struct ir_instr *ir_f64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero);

#endif
