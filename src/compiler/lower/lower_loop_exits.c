/* SPDX-License-Identifier: MIT
 *
 * Brings loops into loop-closed SSA form: a value that is defined in a loop is used after it only through a phi behind
 * the loop. Lanes may leave a loop in different iterations, so each lane's value has to be copied when it executes its
 * BREAK, and the phi does that. Constants, uniforms and undefined values are the same in every iteration; they are
 * defined again behind the loop instead.
 *
 * After this pass no use behind a loop depends on which definitions dominate the loop's exits, so a pass may add a
 * BREAK anywhere in it. The back end and ir_lower_dead_lanes rely on this. Runs last, because other passes fold such
 * phis away.
 */
#include "compiler/lower/lower.h"

static bool is_in(const struct ir_node *node, const struct ir_loop *loop)
{
    for (; node; node = node->parent)
        if (node == &loop->node)
            return true;
    return false;
}

/* The node where the use happens: a phi uses its sources at the end of its predecessors. */
static const struct ir_node *node_of_use(const struct ir_src *src)
{
    if (!src->user)
        return &container_of(src, struct ir_if, cond)->node;
    if (src->user->op != IR_PHI)
        return &src->user->block->node;
    uint32_t i = (uint32_t)(src - src->user->src);
    return &src->user->block->preds[i]->node;
}

static bool is_loop_invariant_op(const struct ir_instr *value)
{
    return value->op == IR_CONST || value->op == IR_UNDEF || value->op == IR_UNIFORM;
}

/* Creates the value that replaces `value` behind the loop. */
static struct ir_instr *loop_exit_value(struct ir_shader *shader, struct ir_block *behind, const struct ir_instr *value)
{
    struct ir_builder b = {.shader = shader, .block = behind, .before = behind->instrs.next};
    if (!is_loop_invariant_op(value))
        return ir_build(&b, IR_PHI, value->value.bits, behind->pred_count, NULL);
    b = ir_at_start(shader, behind);
    struct ir_instr *copy = ir_build(&b, (enum ir_op)value->op, value->value.bits, 0, NULL);
    copy->imm = value->imm;
    if (value->op == IR_UNIFORM)
        copy->uniform = value->uniform;
    return copy;
}

static void close_value(struct ir_shader *shader, struct ir_loop *loop, struct ir_block *behind, struct ir_instr *value)
{
    struct ir_instr *by = NULL;
    util_list_for_each_safe(struct ir_src, src, &value->value.uses, link) {
        if (is_in(node_of_use(src), loop) || (by && src->user == by))
            continue;
        if (!by)
            by = loop_exit_value(shader, behind, value);
        ir_src_set(src, by);
    }
    for (uint32_t i = 0; by && i < by->src_count; i++)
        ir_src_set(&by->src[i], value);
}

static void close_list(struct ir_shader *shader, struct ir_loop *loop, struct ir_block *behind, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            close_list(shader, loop, behind, &ir_node_as_if(node)->then_list);
            close_list(shader, loop, behind, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            close_list(shader, loop, behind, &ir_node_as_loop(node)->body);
        } else {
            ir_for_each_instr(instr, ir_node_as_block(node))
                close_value(shader, loop, behind, instr);
        }
    }
}

/* Inner loops first: a value that leaves both goes through two phis. */
static void visit(struct ir_shader *shader, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            visit(shader, &ir_node_as_if(node)->then_list);
            visit(shader, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            struct ir_loop *loop = ir_node_as_loop(node);
            visit(shader, &loop->body);
            close_list(shader, loop, ir_node_as_block(ir_node_next(node)), &loop->body);
        }
    }
}

void ir_lower_loop_exits(struct ir_shader *shader)
{
    ir_find_preds(shader);
    visit(shader, &shader->body);
}
