/* SPDX-License-Identifier: MIT
 *
 * Replaces uses of an if's condition by constants where its value is known: inside the if's branches, and after the if
 * when one branch ends in a jump. For example, a flag that says "has returned" is false wherever the loop that checked
 * it goes on.
 */
#include "compiler/ir/ir_pass.h"

static bool is_in_list(const struct ir_node *node, const struct util_list *list)
{
    for (; node; node = node->parent)
        if (node->list == list)
            return true;
    return false;
}

/* Is `node` equal to `first`, after it in its list, or nested in a node after it? */
static bool is_behind(const struct ir_node *node, const struct ir_node *first)
{
    while (node && node->list != first->list)
        node = node->parent;
    for (; node; node = node->link.prev == node->list ? NULL : container_of(node->link.prev, struct ir_node, link))
        if (node == first)
            return true;
    return false;
}

/* The node where a use takes place: for a phi the end of the predecessor, for an if the if itself. */
static const struct ir_node *place_of_use(const struct ir_src *src)
{
    if (!src->user)
        return &container_of(src, struct ir_if, cond)->node;
    if (src->user->op != IR_PHI)
        return &src->user->block->node;
    return &src->user->block->preds[src - src->user->src]->node;
}

static bool replace_known(struct ir_shader *shader, struct ir_if *nif)
{
    struct ir_instr *cond = nif->cond.def, *constants[2] = {NULL};
    struct ir_node *behind = ir_node_next(&nif->node);
    bool then_jumps = ir_block_jump(ir_list_last(&nif->then_list)),
         else_jumps = ir_block_jump(ir_list_last(&nif->else_list));
    bool changed = false;
    if (ir_is_const(cond))
        return false;
    util_list_for_each_safe(struct ir_src, src, &cond->value.uses, link) {
        const struct ir_node *place = place_of_use(src);
        int known = -1;
        if (src == &nif->cond)
            continue;
        if (is_in_list(place, &nif->then_list))
            known = 1;
        else if (is_in_list(place, &nif->else_list))
            known = 0;
        else if (then_jumps != else_jumps && is_behind(place, behind))
            known = else_jumps;
        if (known < 0)
            continue;
        if (!constants[known]) { /* in the block before the if, which dominates all of these uses */
            struct ir_builder b = ir_at_end(shader, ir_node_as_block(ir_node_prev(&nif->node)));
            constants[known] = ir_const_bool(&b, known);
        }
        ir_src_set(src, constants[known]);
        changed = true;
    }
    return changed;
}

bool ir_opt_known_conditions(struct ir_shader *shader)
{
    bool changed = false;
    ir_find_preds(shader);
    ir_for_each_block(block, shader) {
        struct ir_node *next = ir_node_next(&block->node);
        if (next && next->kind == IR_NODE_IF)
            changed |= replace_known(shader, ir_node_as_if(next));
    }
    return changed;
}
