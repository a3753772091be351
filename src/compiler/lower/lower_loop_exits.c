/* SPDX-License-Identifier: MIT
 *
 * Values that leave a loop. Lanes may leave a loop in different iterations, so what they take along has to be caught
 * when they leave: a value that is defined in a loop is used behind it only through a phi behind the loop, which copies
 * it at each BREAK. The back end relies on this. Runs last, because other passes fold such phis away.
 */
#include "compiler/lower/lower.h"

static bool is_in(const struct ir_node *node, const struct ir_loop *loop)
{
    for (; node; node = node->parent)
        if (node == &loop->node)
            return true;
    return false;
}

/* Where the use happens: a phi uses its sources at the end of its predecessors. */
static const struct ir_node *place_of_use(const struct ir_src *src)
{
    if (!src->user)
        return &container_of(src, struct ir_if, cond)->node;
    if (src->user->op != IR_PHI)
        return &src->user->block->node;
    uint32_t i = (uint32_t)(src - src->user->src);
    return &src->user->block->preds[i]->node;
}

static void close_value(struct ir_shader *shader, struct ir_loop *loop, struct ir_block *behind, struct ir_instr *value)
{
    struct ir_instr *phi = NULL;
    util_list_for_each_safe(struct ir_src, src, &value->value.uses, link) {
        if (is_in(place_of_use(src), loop) || (phi && src->user == phi))
            continue;
        if (!phi) {
            struct ir_builder b = {.shader = shader, .block = behind, .before = behind->instrs.next};
            phi = ir_build(&b, IR_PHI, value->value.bits, behind->pred_count, NULL);
        }
        ir_src_set(src, phi);
    }
    for (uint32_t i = 0; phi && i < phi->src_count; i++)
        ir_src_set(&phi->src[i], value);
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
                if (instr->op != IR_CONST && instr->op != IR_UNDEF && instr->op != IR_UNIFORM)
                    close_value(shader, loop, behind, instr);
        }
    }
}

/* Inner loops first: what leaves both goes through two phis. */
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
