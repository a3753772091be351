/* SPDX-License-Identifier: MIT
 *
 * Finds the values that may differ between the lanes of a program. Every value starts as uniform. Sources of divergence
 * are marked, and divergence spreads to a fixed point.
 *
 * A phi after an if diverges if the condition of the if does, a phi after a loop if lanes leave or restart the loop
 * under a divergent condition. If some lanes leave or continue a loop before others, the phis at its head diverge:
 * lanes that have left keep the value that they left with, so such a phi has to be written under the execution mask.
 */
#include "compiler/ir/ir.h"

static bool is_divergence_source(const struct ir_instr *instr)
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
    case IR_LOAD_RECORD:
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

/* Does an if around `node`, within the innermost loop or the function, have a divergent condition? */
static bool is_in_divergent_if(struct ir_node *node)
{
    for (struct ir_node *p = node->parent; p && p->kind == IR_NODE_IF; p = p->parent)
        if (ir_node_as_if(p)->cond.def->value.divergent)
            return true;
    return false;
}

/* Do some lanes leave or restart the loop while others go on? Jumps of inner loops do not count. */
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

/* Values that are uniform in a subgroup but may differ between subgroups: the subgroup's number, what its lanes agree
 * on, and memory, because every subgroup reads it at its own time. */
static bool differs_between_subgroups(const struct ir_instr *instr)
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
            instr->value.divergent = is_divergence_source(instr);
    spread(shader);
}

void ir_analyse_workgroup_divergence(struct ir_shader *shader)
{
    ir_for_each_block(block, shader)
        ir_for_each_instr(instr, block)
            instr->value.divergent = is_divergence_source(instr) || differs_between_subgroups(instr);
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
