/* SPDX-License-Identifier: MIT
 *
 * Loops that stand in place of repeated code: a fixed number of rounds, which all lanes make alike. The optimiser does
 * not unroll them. State is the list of words that one round hands to the next.
 */
#ifndef LOWER_ROUNDS_H
#define LOWER_ROUNDS_H

#include "compiler/ir/ir.h"

struct ir_rounds {
    struct ir_loop *loop;
    struct ir_instr **states;  /* in a round: its state */
    uint32_t count;
    struct ir_instr *counter, *left; /* rounds left, before and after this one */
};

/* Continues in the first round, whose state is `first`. The builder's place must be the end of its block. */
struct ir_rounds ir_rounds_begin(struct ir_builder *b, struct ir_instr *const first[], uint32_t count, uint32_t rounds);
/* Leaves the loop in the last round. What is built from here to ir_rounds_end only prepares the next round, and what
 * was built before may be used after the loop. */
void ir_rounds_leave(struct ir_builder *b, struct ir_rounds *r);
/* Continues after the loop. `next` is the state of the next round. */
void ir_rounds_end(struct ir_builder *b, struct ir_rounds *r, struct ir_instr *const next[]);

#endif
