/* SPDX-License-Identifier: MIT
 *
 * If conversion: executes both branches of a small if, and turns the phis after it into SELs. A branch on this chip
 * costs four instructions and a reset of the uniform stream, and where the condition differs between lanes both
 * branches run anyway.
 */
#include "compiler/ir/ir_pass.h"

#define MAX_COST 12

static uint32_t cost_of(const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_UNIFORM:
    case IR_MOV:
    case IR_SAMPLE_RESULT:
        return 0;
    case IR_SAMPLE:
    case IR_TEX:
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
    case IR_LOAD_BUFFER:
        return 4;
    default:
        return ir_op_infos[instr->op].flags & IR_H ? 3 : 1;
    }
}

/* The cost of the list; more than MAX_COST if it cannot be moved in front of the if. */
static uint32_t list_cost(struct util_list *list)
{
    uint32_t cost = 0;
    if (list->next != list->prev)
        return MAX_COST + 1;
    ir_for_each_instr(instr, ir_list_first(list)) {
        if (!(ir_op_infos[instr->op].flags & IR_P) || instr->op == IR_ANY || instr->op == IR_PHI)
            return MAX_COST + 1;
        cost += cost_of(instr);
    }
    return cost;
}

static void append_block(struct ir_block *from, struct ir_block *to)
{
    ir_for_each_instr(instr, from)
        instr->block = to;
    util_list_splice_tail(&to->instrs, &from->instrs);
}

static void convert(struct ir_shader *shader, struct ir_if *nif)
{
    struct ir_block *before = ir_node_as_block(ir_node_prev(&nif->node)),
                    *behind = ir_node_as_block(ir_node_next(&nif->node));
    struct ir_instr *cond = nif->cond.def;
    append_block(ir_list_first(&nif->then_list), before);
    append_block(ir_list_first(&nif->else_list), before);
    struct ir_builder b = ir_at_end(shader, before);
    ir_for_each_instr_safe(instr, behind) {
        if (instr->op != IR_PHI)
            break;
        ir_replace_uses(instr, ir_build3(&b, IR_SEL, cond, instr->src[0].def, instr->src[1].def));
        ir_remove(instr);
    }
    ir_src_set(&nif->cond, NULL);
    ir_inline_list(shader, &nif->node, &nif->then_list);
}

static bool convert_in(struct ir_shader *shader, struct util_list *list)
{
    bool changed = false;
    for (struct ir_node *node = util_list_first(list, struct ir_node, link); node;) {
        struct ir_node *next = ir_node_next(node);
        if (node->kind == IR_NODE_LOOP)
            changed |= convert_in(shader, &ir_node_as_loop(node)->body);
        if (node->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(node);
            changed |= convert_in(shader, &nif->then_list);
            changed |= convert_in(shader, &nif->else_list);
            if (list_cost(&nif->then_list) + list_cost(&nif->else_list) <= MAX_COST) {
                struct ir_node *before = ir_node_prev(node);
                convert(shader, nif);
                next = ir_node_next(before);
                changed = true;
            }
        }
        node = next;
    }
    return changed;
}

bool ir_opt_if(struct ir_shader *shader)
{
    return convert_in(shader, &shader->body);
}
