/* SPDX-License-Identifier: MIT
 *
 * Removes dead values. Instructions with effects and the conditions of ifs are live, and so is everything that they
 * read.
 *
 * There is one load of the tile buffer for each sample, and their order matters: either all of them are removed, or
 * none.
 */
#include "compiler/ir/ir_pass.h"
#include "util/bitset.h"

struct dce {
    uint64_t *live;
    struct ir_instr **stack;
    uint32_t depth;
};

static void mark_live(struct dce *d, struct ir_instr *instr)
{
    if (util_bitset_test(d->live, instr->value.index))
        return;
    util_bitset_set(d->live, instr->value.index);
    d->stack[d->depth++] = instr;
}

static bool is_removable(uint16_t op)
{
    switch (op) {
    case IR_LOAD_VAR:
    case IR_ENGINE_LOAD:
    case IR_SCRATCH_LOAD:
    case IR_ROTATE:
    case IR_ACTIVE:
    case IR_TLB_COLOR_LOAD:
        return true;
    default:
        return ir_op_infos[op].flags & IR_P;
    }
}

static void mark_sources(struct dce *d)
{
    while (d->depth) {
        struct ir_instr *instr = d->stack[--d->depth];
        for (uint32_t i = 0; i < instr->src_count; i++)
            mark_live(d, instr->src[i].def);
    }
}

static void mark_color_loads(struct dce *d, struct ir_shader *shader)
{
    bool any = false, all = true;
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block) {
            bool is_live = util_bitset_test(d->live, instr->value.index);
            any |= instr->op == IR_TLB_COLOR_LOAD && is_live;
            all &= instr->op != IR_TLB_COLOR_LOAD || is_live;
        }
    }
    shader->reads_color = any;
    if (!any || all)
        return;
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block)
            if (instr->op == IR_TLB_COLOR_LOAD)
                mark_live(d, instr);
    }
}

static void find_live(struct dce *d, struct ir_shader *shader)
{
    ir_for_each_block(block, shader) {
        ir_for_each_instr(instr, block)
            if (!is_removable(instr->op))
                mark_live(d, instr);
        struct ir_node *next = ir_node_next(&block->node);
        if (next && next->kind == IR_NODE_IF)
            mark_live(d, ir_node_as_if(next)->cond.def);
    }
    mark_sources(d);
    if (shader->reads_color)
        mark_color_loads(d, shader);
}

bool ir_opt_dce(struct ir_shader *shader)
{
    struct dce d = {.live = util_arena_new_array(shader->arena, uint64_t, UTIL_BITSET_WORDS(shader->value_count)),
                    .stack = util_arena_new_array(shader->arena, struct ir_instr *, shader->value_count)};
    bool changed = false;
    find_live(&d, shader);
    /* Dead phis may read each other, so unlink the sources of all dead instructions first. */
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
