/* SPDX-License-Identifier: MIT
 *
 * Removes values that nobody needs. What has an effect and the conditions of ifs are needed, and what they read.
 */
#include "compiler/ir/ir_pass.h"
#include "util/bitset.h"

struct dce {
    uint64_t *live;
    struct ir_instr **stack;
    uint32_t depth;
};

static void need(struct dce *d, struct ir_instr *instr)
{
    if (util_bitset_test(d->live, instr->value.index))
        return;
    util_bitset_set(d->live, instr->value.index);
    d->stack[d->depth++] = instr;
}

static void find_live(struct dce *d, struct ir_shader *shader)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block)
            if (!(ir_op_infos[instr->op].flags & IR_P) && instr->op != IR_LOAD_VAR && instr->op != IR_ENGINE_LOAD && instr->op != IR_ROTATE &&
                instr->op != IR_ACTIVE)
                need(d, instr);
        struct ir_node *next = ir_node_next(&block->node);
        if (next && next->kind == IR_NODE_IF)
            need(d, ir_node_as_if(next)->cond.def);
    }
    while (d->depth) {
        struct ir_instr *instr = d->stack[--d->depth];
        for (uint32_t i = 0; i < instr->src_count; i++)
            need(d, instr->src[i].def);
    }
}

bool ir_opt_dce(struct ir_shader *shader)
{
    struct dce d = {.live = util_arena_new_array(shader->arena, uint64_t, UTIL_BITSET_WORDS(shader->value_count)),
                    .stack = util_arena_new_array(shader->arena, struct ir_instr *, shader->value_count)};
    bool changed = false;
    find_live(&d, shader);
    /* Dead phis may read each other: all dead sources go first. */
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            for (uint32_t i = 0; i < instr->src_count && !util_bitset_test(d.live, instr->value.index); i++)
                ir_src_set(&instr->src[i], NULL);
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (util_bitset_test(d.live, instr->value.index))
                continue;
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}
