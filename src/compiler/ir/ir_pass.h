/* SPDX-License-Identifier: MIT
 *
 * The passes. Each has its own file and one entry point. A pass leaves a valid shader and returns whether it changed
 * it.
 */
#ifndef IR_PASS_H
#define IR_PASS_H

#include "compiler/ir/ir.h"

/* Computes an operation on constants as the chip does. False if the operation cannot be folded. */
bool ir_fold(const struct ir_instr *instr, const uint32_t *srcs, uint32_t *word_out);

/* -- optimisation -- */
bool ir_opt_vars(struct ir_shader *shader);        /* variables to SSA; removes every LOAD_VAR and STORE_VAR */
bool ir_opt_constant(struct ir_shader *shader);    /* folds operations with constant sources */
bool ir_opt_algebraic(struct ir_shader *shader);
bool ir_opt_copy(struct ir_shader *shader);        /* removes MOVs, phis with one value and undefined sources */
bool ir_opt_cse(struct ir_shader *shader);
bool ir_opt_dce(struct ir_shader *shader);
bool ir_opt_known_conditions(struct ir_shader *shader); /* makes conditions constant where an if has decided them */
bool ir_opt_dead_cf(struct ir_shader *shader);     /* removes constant conditions, empty ifs and loops that never
                                                    * repeat */
bool ir_opt_if(struct ir_shader *shader);          /* small ifs to SEL */
bool ir_opt_unroll(struct ir_shader *shader);      /* loops with few, known iterations; one loop per call */

/* Runs once, after the lowering of loads: hoists expressions of uniform words out of the program, to be computed when
 * the stream is built. */
bool ir_hoist_uniforms(struct ir_shader *shader);
/* Is it a constant, or a uniform word that such expressions may use? */
bool ir_is_stream_word(const struct ir_instr *instr);
/* The operation of hw/expr.h that computes the same as `op`; HW_EXPR_WORD if there is none. */
enum hw_expr_op ir_expr_op(enum ir_op op);

/* Runs once, at the end: moves loop-invariant values in front of their loop. */
bool ir_opt_invariant(struct ir_shader *shader);

/* Runs the optimisation passes to a fixed point, or a maximum number of rounds. */
void ir_optimise(struct ir_shader *shader);

/* To be called after a pass: VC4VK_DEBUG=validate checks the shader, VC4VK_DEBUG=ir prints it. */
void ir_pass_done(struct ir_shader *shader, const char *pass, bool changed);

#endif
