/* SPDX-License-Identifier: MIT
 *
 * Loops of a fixed number of rounds (lower_rounds.h).
 */
#include "compiler/lower/lower_rounds.h"

struct ir_rounds ir_rounds_begin(struct ir_builder *b, struct ir_instr *const first[], uint32_t count, uint32_t rounds)
{
    struct ir_rounds r = {.count = count};
    struct ir_instr *all = ir_const(b, rounds);
    r.states = util_arena_new_array(b->shader->arena, struct ir_instr *, count);
    r.loop = ir_push_loop(b);
    r.loop->rolled = true;
    for (uint32_t i = 0; i < count; i++)
        r.states[i] = ir_build(b, IR_PHI, first[i]->value.bits, 2, (struct ir_instr *const[]){first[i], NULL});
    r.counter = ir_build(b, IR_PHI, 32, 2, (struct ir_instr *const[]){all, NULL});
    return r;
}

void ir_rounds_leave(struct ir_builder *b, struct ir_rounds *r)
{
    r->left = ir_build2(b, IR_ISUB, r->counter, ir_const(b, 1));
    struct ir_if *nif = ir_push_if(b, ir_build2(b, IR_IEQ, r->left, ir_const(b, 0)));
    ir_build0(b, IR_BREAK);
    ir_pop_if(b, nif);
}

void ir_rounds_end(struct ir_builder *b, struct ir_rounds *r, struct ir_instr *const next[])
{
    for (uint32_t i = 0; i < r->count; i++)
        ir_src_set(&r->states[i]->src[1], next[i]);
    ir_src_set(&r->counter->src[1], r->left);
    ir_pop_loop(b, r->loop);
}
