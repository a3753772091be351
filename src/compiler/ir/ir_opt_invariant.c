/* SPDX-License-Identifier: MIT
 *
 * Loop-invariant code motion: computes values that do not change within a loop once, in front of it.
 *
 * Moves arithmetic only. Lookups stay under their conditions, comparisons stay next to the users of their flags, and
 * operations that are free at their use (parts of words, constants) are not worth a register. The number of values per
 * loop is limited, because each occupies a register throughout the loop.
 */
#include "compiler/ir/ir_pass.h"

#define MAX_PER_LOOP 12

static bool is_inside(const struct ir_node *node, const struct ir_loop *loop)
{
    for (; node; node = node->parent)
        if (node == &loop->node)
            return true;
    return false;
}

static bool is_arithmetic(const struct ir_instr *instr)
{
    if (instr->value.bits != 32 || !(ir_op_infos[instr->op].flags & IR_P) || !instr->src_count)
        return false;
    switch (instr->op) {
    case IR_PHI:
    case IR_MOV:
    case IR_UNPACK_F:
    case IR_UNPACK_I:
    case IR_DDX:
    case IR_DDY:
    case IR_TEX:
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
    case IR_SAMPLE:
    case IR_SAMPLE_RESULT:
    case IR_LOAD_PUSH:
    case IR_LOAD_BUFFER:
    case IR_ENGINE_FETCH:
        return false;
    default:
        return true;
    }
}

static bool is_invariant(const struct ir_instr *instr, const struct ir_loop *loop)
{
    if (!is_arithmetic(instr))
        return false;
    for (uint32_t k = 0; k < instr->src_count; k++) {
        const struct ir_instr *def = instr->src[k].def;
        bool is_anywhere = (def->op == IR_CONST && def->value.bits == 32) || def->op == IR_UNIFORM;
        if (!is_anywhere && is_inside(&def->block->node, loop))
            return false;
    }
    return true;
}

static void move_to(struct ir_instr *instr, struct ir_block *to)
{
    util_list_del(&instr->link);
    util_list_add_tail(&to->instrs, &instr->link);
    instr->block = to;
}

/* Constants and uniforms that are defined in the loop are copied. */
static void hoist(struct ir_shader *shader, struct ir_instr *instr, const struct ir_loop *loop, struct ir_block *to)
{
    for (uint32_t k = 0; k < instr->src_count; k++) {
        struct ir_instr *def = instr->src[k].def;
        if (!is_inside(&def->block->node, loop))
            continue;
        struct ir_builder b = ir_at_end(shader, to);
        struct ir_instr *copy =
            def->op == IR_CONST ? ir_const(&b, def->imm)
                                : ir_uniform(&b, def->uniform.kind, def->uniform.ref, def->uniform.data);
        ir_src_set(&instr->src[k], copy);
    }
    move_to(instr, to);
}

static uint32_t hoist_list(struct ir_shader *shader, struct util_list *list, struct ir_loop *loop, uint32_t max_count)
{
    struct ir_block *to = ir_node_as_block(ir_node_prev(&loop->node));
    uint32_t count = 0;
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            count += hoist_list(shader, &ir_node_as_if(node)->then_list, loop, max_count - count);
            count += hoist_list(shader, &ir_node_as_if(node)->else_list, loop, max_count - count);
        } else if (node->kind == IR_NODE_LOOP) {
            count += hoist_list(shader, &ir_node_as_loop(node)->body, loop, max_count - count);
        } else {
            ir_for_each_instr_safe(instr, ir_node_as_block(node)) {
                if (count < max_count && is_invariant(instr, loop)) {
                    hoist(shader, instr, loop, to);
                    count++;
                }
            }
        }
    }
    return count;
}

/* Visits outer loops first, so that a value moves out of all loops in which it is invariant at once. */
static bool visit(struct ir_shader *shader, struct util_list *list)
{
    bool changed = false;
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            changed |= visit(shader, &ir_node_as_if(node)->then_list);
            changed |= visit(shader, &ir_node_as_if(node)->else_list);
        } else if (node->kind == IR_NODE_LOOP) {
            struct ir_loop *loop = ir_node_as_loop(node);
            changed |= hoist_list(shader, &loop->body, loop, MAX_PER_LOOP) != 0;
            changed |= visit(shader, &loop->body);
        }
    }
    return changed;
}

bool ir_opt_invariant(struct ir_shader *shader)
{
    return visit(shader, &shader->body);
}
