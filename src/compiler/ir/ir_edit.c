/* SPDX-License-Identifier: MIT
 *
 * Edits control flow: removes edges and lists of nodes, and replaces a node by one of its lists.
 */
#include "compiler/ir/ir.h"

void ir_phi_remove_src(struct ir_instr *phi, uint32_t i)
{
    assert(phi->op == IR_PHI && i < phi->src_count);
    for (; i + 1 < phi->src_count; i++)
        ir_src_set(&phi->src[i], phi->src[i + 1].def);
    ir_src_set(&phi->src[i], NULL);
    phi->src_count--;
}

void ir_remove_edge(struct ir_block *from, struct ir_block *to)
{
    uint32_t i = 0;
    while (i < to->pred_count && to->preds[i] != from)
        i++;
    assert(i < to->pred_count);
    ir_for_each_instr(instr, to) {
        if (instr->op != IR_PHI)
            break;
        ir_phi_remove_src(instr, i);
    }
    for (to->pred_count--; i < to->pred_count; i++)
        to->preds[i] = to->preds[i + 1];
}

/* ---------------------------------------------------------------- removing */

static struct ir_block *jump_target(struct ir_block *block)
{
    struct ir_loop *loop = ir_enclosing_loop(&block->node);
    return ir_block_jump(block)->op == IR_BREAK ? ir_node_as_block(ir_node_next(&loop->node))
                                                : ir_list_first(&loop->body);
}

static void drop_edges(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            drop_edges(&ir_node_as_if(node)->then_list);
            drop_edges(&ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            drop_edges(&ir_node_as_loop(node)->body);
        } else if (ir_block_jump(ir_node_as_block(node))) {
            ir_remove_edge(ir_node_as_block(node), jump_target(ir_node_as_block(node)));
        }
    }
}

static void unlink_sources(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            ir_src_set(&ir_node_as_if(node)->cond, NULL);
            unlink_sources(&ir_node_as_if(node)->then_list);
            unlink_sources(&ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            unlink_sources(&ir_node_as_loop(node)->body);
        } else {
            ir_for_each_instr(instr, ir_node_as_block(node))
                for (uint32_t i = 0; i < instr->src_count; i++)
                    ir_src_set(&instr->src[i], NULL);
        }
    }
}

/* A removed value that is still used elsewhere is used only in code that has become unreachable: UNDEF replaces it. */
static void replace_values(struct ir_shader *shader, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            replace_values(shader, &ir_node_as_if(node)->then_list);
            replace_values(shader, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            replace_values(shader, &ir_node_as_loop(node)->body);
        } else {
            ir_for_each_instr_safe(instr, ir_node_as_block(node)) {
                if (!util_list_is_empty(&instr->value.uses)) {
                    struct ir_builder b = ir_at_start(shader, ir_first_block(shader));
                    ir_replace_uses(instr, ir_build(&b, IR_UNDEF, instr->value.bits, 0, NULL));
                }
                ir_remove(instr);
            }
        }
    }
}

void ir_remove_list(struct ir_shader *shader, struct util_list *list)
{
    drop_edges(list);
    unlink_sources(list);
    replace_values(shader, list);
    util_list_init(list);
}

/* ---------------------------------------------------------------- inlining a list */

static void append_block(struct ir_block *to, struct ir_block *from)
{
    ir_for_each_instr(instr, from)
        instr->block = to;
    util_list_splice_tail(&to->instrs, &from->instrs);
}

void ir_inline_list(struct ir_shader *shader, struct ir_node *node, struct util_list *list)
{
    struct ir_block *before = ir_node_as_block(ir_node_prev(node)), *behind = ir_node_as_block(ir_node_next(node));
    struct ir_instr *jump = ir_block_jump(ir_list_last(list));
    if (jump)
        ir_remove(jump);
    util_list_del(&node->link);
    append_block(before, ir_list_first(list));
    util_list_del(&ir_list_first(list)->node.link);
    struct ir_block *last = before;
    while (!util_list_is_empty(list)) {
        struct ir_node *moved = util_list_first(list, struct ir_node, link);
        util_list_del(&moved->link);
        moved->list = behind->node.list;
        moved->parent = behind->node.parent;
        util_list_add_before(&behind->node.link, &moved->link);
        if (moved->kind == IR_NODE_BLOCK)
            last = ir_node_as_block(moved);
    }
    append_block(last, behind);
    util_list_del(&behind->node.link);
}
