/* SPDX-License-Identifier: MIT
 *
 * A fast evaluator for the shaders of f64_ops.h: many lanes at once, integer operations only but for those of the
 * division's estimate. Loops and branches must run alike in all lanes.
 */
#ifndef F64_EVAL_H
#define F64_EVAL_H

#include "compiler/ir/ir.h"

#define F64_LANES 512
#define F64_WORDS 6

struct f64_eval {
    uint32_t in[F64_WORDS][F64_LANES], out[2][F64_LANES];
    uint32_t (*values)[F64_LANES]; /* by value.index */
    struct ir_block *from;
    bool left;                     /* the innermost loop */
    uint64_t instructions;         /* that a lane has executed */
    const char *trouble;
};

/* `shader` is numbered and has its predecessors. Inputs are LOAD_INPUT 0, word; outputs STORE_OUTPUT 0, word. */
void f64_eval_run(struct f64_eval *e, struct ir_shader *shader);

#endif
