/* SPDX-License-Identifier: MIT
 *
 * The passes: each has one file and one entry. A pass leaves a valid shader behind and says whether it changed it.
 */
#ifndef IR_PASS_H
#define IR_PASS_H

#include "compiler/ir/ir.h"

/* The value of an operation on constants, as the chip computes it; false when it is not foldable. */
bool ir_fold(const struct ir_instr *instr, const uint32_t *srcs, uint32_t *word_out);

/* -- optimisation -- */
bool ir_opt_vars(struct ir_shader *shader);        /* variables to SSA: no LOAD_VAR or STORE_VAR is left */
bool ir_opt_constant(struct ir_shader *shader);    /* folds what has constant sources */
bool ir_opt_algebraic(struct ir_shader *shader);
bool ir_opt_copy(struct ir_shader *shader);        /* MOVs, phis of one value, undefined sources */
bool ir_opt_cse(struct ir_shader *shader);
bool ir_opt_dce(struct ir_shader *shader);
bool ir_opt_known_conditions(struct ir_shader *shader);       /* conditions, where an if has decided them */
bool ir_opt_dead_cf(struct ir_shader *shader);     /* constant conditions, empty ifs, loops that never repeat */
bool ir_opt_if(struct ir_shader *shader);          /* small ifs to SEL */
bool ir_opt_unroll(struct ir_shader *shader);      /* loops of few, known iterations, one at a time */

/* Once, after the lowering of loads: what is made of uniform words alone is computed when the stream is built. */
bool ir_hoist_uniforms(struct ir_shader *shader);
/* The operation of hw/expr.h that computes the same; HW_EXPR_WORD when there is none. */
enum hw_expr_op ir_expr_op(enum ir_op op);

/* Once, at the end: what does not change in a loop is computed in front of it. */
bool ir_opt_invariant(struct ir_shader *shader);

/* Runs the above to a fixed point (bounded). */
void ir_optimise(struct ir_shader *shader);

/* After a pass: VC4VK_DEBUG=validate checks the shader, VC4VK_DEBUG=ir prints it. */
void ir_pass_done(struct ir_shader *shader, const char *pass, bool changed);

#endif
