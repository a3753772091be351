/* SPDX-License-Identifier: MIT
 *
 * Float arithmetic that preserves NaN, infinities and the sign of zero (spv_special.c), or rounds to nearest
 * (spv_nearest.c).
 */
#ifndef COMPILER_SPIRV_SPV_SPECIAL_H
#define COMPILER_SPIRV_SPV_SPECIAL_H

#include "compiler/spirv/spv.h"

/* For ir_builder.float_op. */
struct ir_instr *spv_keep_special_values(struct ir_builder *b, enum ir_op op, uint32_t count,
                                         struct ir_instr *const *x);
struct ir_instr *spv_round_to_nearest(struct ir_builder *b, enum ir_op op, uint32_t count, struct ir_instr *const *x);
/* Whether spv_round_to_nearest is to build the instruction: a mode asks for it, and it makes a difference. */
bool spv_rounds_to_nearest(struct spv *s, const struct spv_instr *in);
/* Is one of them NaN? */
struct ir_instr *spv_is_unordered(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y);
/* The result of a function of GLSL.std.450 on scalars, where expansions may have lost NaN or the sign of zero.
 * NaN also outside of the domain of arcsines and arccosines, whose expansions clamp. */
struct ir_instr *spv_keep_nan(struct ir_builder *b, uint32_t function, struct ir_instr *const *x, uint32_t count,
                              struct ir_instr *out);
/* x less its whole part, which the caller truncated: the first result of modf. */
struct ir_instr *spv_fraction(struct ir_builder *b, struct ir_instr *x, struct ir_instr *whole);

#endif
