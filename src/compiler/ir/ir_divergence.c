/* SPDX-License-Identifier: MIT
 *
 * Which values may differ between the lanes of a program. Everything starts uniform; sources of divergence are marked
 * and spread to a fixed point.
 *
 * A phi behind an if diverges with the if's condition, a phi behind a loop with the conditions of the loop's breaks. In
 * a loop that some lanes leave or continue before others, the phis at its head diverge: lanes that are out keep the
 * value that they left with, so such a phi has to be written under the mask.
 */
#include "compiler/ir/ir.h"

static bool starts_divergent(const struct ir_instr *instr)
{
    switch ((enum ir_op)instr->op) {
    case IR_ATTRIBUTE:
    case IR_VARYING:
    case IR_POP_VARYING:
    case IR_POINT_COORD:
    case IR_FRAG_X:
    case IR_FRAG_Y:
    case IR_FRAG_Z:
    case IR_FRAG_W:
    case IR_BACK_FACING:
    case IR_MS_FLAGS:
    case IR_ELEMENT:
    case IR_DDX:
    case IR_DDY:
    case IR_TEX:
    case IR_SAMPLE:
    case IR_TLB_COLOR_LOAD:
    case IR_LOAD_INPUT:
    case IR_LOAD_INPUT_AT:
    case IR_CENTROID_OFFSET:
    case IR_LOAD_BUILTIN:
    case IR_LOAD_VAR:
    case IR_UNDEF:
    case IR_ENGINE_ATOMIC:
    case IR_ACTIVE:
    case IR_SPILL_LOAD:
    case IR_SCRATCH_LOAD:
        return true;
    default:
        return false;
    }
}

/* Does some condition between `node` and the loop or function around it differ between lanes? */
static bool is_in_divergent_if(struct ir_node *node)
{
    for (struct ir_node *p = node->parent; p && p->kind == IR_NODE_IF; p = p->parent)
        if (ir_node_as_if(p)->cond.def->value.divergent)
            return true;
    return false;
}

/* Some lanes leave or restart the loop while others go on. Jumps of inner loops are theirs. */
static bool loop_is_divergent(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_BLOCK) {
            if (ir_block_jump(ir_node_as_block(node)) && is_in_divergent_if(node))
                return true;
        } else if (node->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(node);
            if (loop_is_divergent(&nif->then_list) || loop_is_divergent(&nif->else_list))
                return true;
        }
    }
    return false;
}

static bool phi_is_divergent(struct ir_block *block)
{
    struct ir_node *prev = ir_node_prev(&block->node);
    if (prev && prev->kind == IR_NODE_IF)
        return ir_node_as_if(prev)->cond.def->value.divergent;
    if (prev && prev->kind == IR_NODE_LOOP)
        return loop_is_divergent(&ir_node_as_loop(prev)->body);
    struct ir_node *parent = block->node.parent;
    return parent && parent->kind == IR_NODE_LOOP && loop_is_divergent(&ir_node_as_loop(parent)->body);
}

static bool becomes_divergent(struct ir_instr *instr)
{
    if (instr->op == IR_ANY)
        return false;
    for (uint32_t i = 0; i < instr->src_count; i++)
        if (instr->src[i].def->value.divergent)
            return true;
    return instr->op == IR_PHI && phi_is_divergent(instr->block);
}

/* The number of a subgroup, what its lanes agree on, and memory, which is read at a time of its own. */
static bool starts_in_subgroup(const struct ir_instr *instr)
{
    return instr->op == IR_ANY || instr->op == IR_ENGINE_LOAD || instr->op == IR_ROTATE || instr->op == IR_ACTIVE ||
           (instr->op == IR_UNIFORM && instr->uniform.kind == VC4C_UNIFORM_SUBGROUP);
}

static void spread(struct ir_shader *shader)
{
    bool changed;
    do {
        changed = false;
        ir_for_each_block(block, shader) {
            ir_for_each_instr(instr, block) {
                if (!instr->value.divergent && becomes_divergent(instr)) {
                    instr->value.divergent = true;
                    changed = true;
                }
            }
        }
    } while (changed);
}

void ir_analyse_divergence(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            instr->value.divergent = starts_divergent(instr);
    spread(shader);
}

void ir_analyse_workgroup_divergence(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            instr->value.divergent = starts_divergent(instr) || starts_in_subgroup(instr);
    spread(shader);
}

static bool has_barrier(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_BLOCK) {
            ir_for_each_instr(instr, ir_node_as_block(node))
                if (instr->op == IR_BARRIER)
                    return true;
        } else if (node->kind == IR_NODE_LOOP) {
            if (has_barrier(&ir_node_as_loop(node)->body))
                return true;
        } else if (has_barrier(&ir_node_as_if(node)->then_list) || has_barrier(&ir_node_as_if(node)->else_list)) {
            return true;
        }
    }
    return false;
}

bool ir_barriers_diverge(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_LOOP) {
            struct util_list *body = &ir_node_as_loop(node)->body;
            if (loop_is_divergent(body) ? has_barrier(body) : ir_barriers_diverge(body))
                return true;
        } else if (node->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(node);
            const bool diverges = nif->cond.def->value.divergent;
            if (diverges ? has_barrier(&nif->then_list) || has_barrier(&nif->else_list)
                         : ir_barriers_diverge(&nif->then_list) || ir_barriers_diverge(&nif->else_list))
                return true;
        }
    }
    return false;
}

bool ir_list_diverges(struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_LOOP && ir_list_diverges(&ir_node_as_loop(node)->body))
            return true;
        if (node->kind == IR_NODE_IF &&
            (ir_node_as_if(node)->cond.def->value.divergent || ir_list_diverges(&ir_node_as_if(node)->then_list) ||
             ir_list_diverges(&ir_node_as_if(node)->else_list)))
            return true;
    }
    return false;
}
