/* SPDX-License-Identifier: MIT
 *
 * Arithmetic on 64-bit integers as code of 32-bit integers: the two words of struct ir_f64 are those of a number in
 * two's complement. Sums, differences and products wrap. No operation branches; only divisions have a loop, which runs
 * equally often in every lane and needs the builder's place to be the end of its block.
 *
 * Division by zero gives some number. So do shifts by 64 and more, and conversions of floats that do not fit.
 */
#ifndef LOWER_I64_H
#define LOWER_I64_H

#include "compiler/lower/lower_f64.h"

struct ir_f64 ir_i64_add(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_sub(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_mul(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
/* The product of two unsigned words. */
struct ir_f64 ir_i64_mul_words(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y);
/* The upper 64 bits of the product. */
struct ir_f64 ir_i64_umulh(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_smulh(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
/* x or, if the word `mask` is ~0 instead of 0, -x. */
struct ir_f64 ir_i64_negate_if(struct ir_builder *b, struct ir_f64 x, struct ir_instr *mask);
struct ir_f64 ir_i64_abs(struct ir_builder *b, struct ir_f64 x);
struct ir_f64 ir_i64_sign(struct ir_builder *b, struct ir_f64 x); /* -1, 0 or 1 */

/* ---------------------------------------------------------------- division (lower_i64_div.c) */

struct ir_f64 ir_i64_udiv(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_umod(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_sdiv(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_f64 ir_i64_srem(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y); /* sign of x */
struct ir_f64 ir_i64_smod(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y); /* sign of y */

/* ---------------------------------------------------------------- bits */

/* Shifts by 0 to 63. */
struct ir_f64 ir_i64_shl(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count);
struct ir_f64 ir_i64_shr(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count);
struct ir_f64 ir_i64_asr(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count);
/* By 0 to 31. */
struct ir_f64 ir_i64_shl_near(struct ir_builder *b, struct ir_f64 x, struct ir_instr *count);
/* Leading zeros. For 0: a large number that is 0 modulo 32. */
struct ir_instr *ir_i64_clz(struct ir_builder *b, struct ir_f64 x);

/* ---------------------------------------------------------------- comparisons; results are booleans */

struct ir_instr *ir_i64_eq(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_instr *ir_i64_ult(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);
struct ir_instr *ir_i64_slt(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y);

/* ---------------------------------------------------------------- narrower floats (lower_i64_convert.c) */

/* The bits of a 32-bit or 16-bit float, rounded to nearest even or, if `toward_zero`, toward zero. A 16-bit one leaves
 * the high half 0. */
struct ir_instr *ir_u64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero);
struct ir_instr *ir_i64_to_f32(struct ir_builder *b, struct ir_f64 x, bool toward_zero);
struct ir_instr *ir_u64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero);
struct ir_instr *ir_i64_to_f16(struct ir_builder *b, struct ir_f64 x, bool toward_zero);
/* From the bits of a 32-bit float, rounded toward zero. */
struct ir_f64 ir_u64_from_f32(struct ir_builder *b, struct ir_instr *x);
struct ir_f64 ir_i64_from_f32(struct ir_builder *b, struct ir_instr *x);

#endif
