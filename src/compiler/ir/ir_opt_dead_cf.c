/* SPDX-License-Identifier: MIT
 *
 * Removes dead control flow: ifs with constant conditions, empty ifs, and loops that never repeat. Changes one node at
 * a time and finds the predecessors again, because each change alters the predecessors of other blocks.
 */
#include "compiler/ir/ir_pass.h"

static bool is_empty(struct util_list *list)
{
    return list->next == list->prev && util_list_is_empty(&ir_list_first(list)->instrs);
}

static bool has_phis(struct ir_block *block)
{
    return !util_list_is_empty(&block->instrs) && util_list_first(&block->instrs, struct ir_instr, link)->op == IR_PHI;
}

/* Replaces phis that have one source left by that source. */
static void resolve_phis(struct ir_block *block)
{
    ir_for_each_instr_safe(instr, block) {
        if (instr->op != IR_PHI)
            break;
        assert(instr->src_count <= 1);
        if (instr->src_count == 1) {
            struct ir_instr *def = instr->src[0].def;
            ir_src_set(&instr->src[0], NULL);
            ir_replace_uses(instr, def);
            ir_remove(instr);
        }
    }
}

/* Removes everything after `node` from its list, and the edge that leaves the end of the list. */
static void remove_after(struct ir_shader *shader, struct ir_node *node)
{
    struct util_list *list = node->list, rest = {.next = node->link.next, .prev = list->prev};
    struct ir_node *parent = node->parent;
    struct ir_block *end = ir_list_last(list);
    if (!ir_block_jump(end) && parent) {
        bool in_loop = parent->kind == IR_NODE_LOOP;
        ir_remove_edge(end, in_loop ? ir_list_first(&ir_node_as_loop(parent)->body)
                                    : ir_node_as_block(ir_node_next(parent)));
    }
    rest.next->prev = &rest;
    rest.prev->next = &rest;
    node->link.next = list;
    list->prev = &node->link;
    ir_remove_list(shader, &rest);
}

/* Replaces the if by the branch that is taken. */
static void keep_branch(struct ir_shader *shader, struct ir_if *nif, struct util_list *taken, struct util_list *other)
{
    struct ir_block *behind = ir_node_as_block(ir_node_next(&nif->node)),
                    *before = ir_node_as_block(ir_node_prev(&nif->node));
    bool other_falls_through = !ir_block_jump(ir_list_last(other));
    struct ir_instr *jump = ir_block_jump(ir_list_last(taken));
    if (other_falls_through)
        ir_remove_edge(ir_list_last(other), behind);
    ir_remove_list(shader, other);
    ir_src_set(&nif->cond, NULL);
    if (!jump) {
        resolve_phis(behind);
        ir_inline_list(shader, &nif->node, taken);
        return;
    }
    /* The code after the if is unreachable. An empty block replaces it, and the jump moves to the end of that block. */
    enum ir_op op = jump->op;
    struct util_list *list = before->node.list;
    remove_after(shader, &nif->node);
    ir_block_create(shader, list, before->node.parent);
    ir_inline_list(shader, &nif->node, taken);
    struct ir_builder b = ir_at_end(shader, ir_list_last(list));
    ir_build0(&b, op);
}

static bool simplify_if(struct ir_shader *shader, struct ir_if *nif)
{
    struct ir_block *behind = ir_node_as_block(ir_node_next(&nif->node));
    struct ir_instr *cond = nif->cond.def;
    if (ir_is_const(cond)) {
        keep_branch(shader, nif, cond->imm ? &nif->then_list : &nif->else_list,
                    cond->imm ? &nif->else_list : &nif->then_list);
        return true;
    }
    if (is_empty(&nif->then_list) && is_empty(&nif->else_list) && !has_phis(behind)) {
        keep_branch(shader, nif, &nif->then_list, &nif->else_list);
        return true;
    }
    return false;
}

/* A body that ends in BREAK, without CONTINUE or another BREAK, runs once. */
static bool simplify_loop(struct ir_shader *shader, struct ir_loop *loop)
{
    struct ir_block *head = ir_list_first(&loop->body), *behind = ir_node_as_block(ir_node_next(&loop->node));
    struct ir_instr *jump = ir_block_jump(ir_list_last(&loop->body));
    if (!jump || jump->op != IR_BREAK || head->pred_count != 1 || behind->pred_count != 1)
        return false;
    resolve_phis(head);
    resolve_phis(behind);
    ir_inline_list(shader, &loop->node, &loop->body);
    return true;
}

static bool simplify_list(struct ir_shader *shader, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(node);
            if (simplify_if(shader, nif) || simplify_list(shader, &nif->then_list) ||
                simplify_list(shader, &nif->else_list))
                return true;
        } else if (node->kind == IR_NODE_LOOP) {
            struct ir_loop *loop = ir_node_as_loop(node);
            if (simplify_loop(shader, loop) || simplify_list(shader, &loop->body))
                return true;
        }
    }
    return false;
}

bool ir_opt_dead_cf(struct ir_shader *shader)
{
    bool changed = false;
    for (;;) {
        ir_find_preds(shader);
        if (!simplify_list(shader, &shader->body))
            return changed;
        changed = true;
    }
}
