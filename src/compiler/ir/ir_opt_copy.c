/* SPDX-License-Identifier: MIT
 *
 * Removes instructions that only pass a value on: MOV, SEL with one possible value, and phis with a single source apart
 * from themselves and undefined values.
 */
#include "compiler/ir/ir_pass.h"

/* Does every path to `b` pass through `a`? Looks at nesting only, so it may answer false when `a` dominates `b`. */
static bool dominates(const struct ir_block *a, const struct ir_block *b)
{
    const struct ir_node *n = &b->node;
    while (n && n->list != a->node.list)
        n = n->parent;
    if (!n)
        return false;
    for (struct util_list *at = n->link.prev; at != n->list; at = at->prev)
        if (at == &a->node.link)
            return true;
    return n == &a->node;
}

static bool is_available(const struct ir_instr *value, const struct ir_instr *at)
{
    return value->block != at->block && dominates(value->block, at->block);
}

static struct ir_instr *undefined(struct ir_shader *shader, uint32_t bits)
{
    struct ir_builder start = ir_at_start(shader, ir_first_block(shader));
    return ir_build(&start, IR_UNDEF, bits, 0, NULL);
}

/* The only value that the phi can have, or NULL. */
static struct ir_instr *only_value(struct ir_shader *shader, struct ir_instr *phi)
{
    struct ir_instr *only = NULL, *undef = NULL;
    for (uint32_t i = 0; i < phi->src_count; i++) {
        struct ir_instr *def = phi->src[i].def;
        if (def == phi || def == only)
            continue;
        if (def->op == IR_UNDEF) {
            undef = def;
            continue;
        }
        if (only)
            return NULL;
        only = def;
    }
    if (!only && undef && !is_available(undef, phi))
        return undefined(shader, phi->value.bits);
    if (!only)
        return undef;
    /* A source that is undefined may take any value, but that value must dominate the phi. */
    return !undef || is_available(only, phi) ? only : NULL;
}

static struct ir_instr *passed_value(struct ir_shader *shader, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_MOV:
        return instr->src[0].def;
    case IR_PHI:
        return only_value(shader, instr);
    case IR_SEL:
        if (instr->src[1].def == instr->src[2].def || instr->src[2].def->op == IR_UNDEF)
            return instr->src[1].def;
        return instr->src[1].def->op == IR_UNDEF ? instr->src[2].def : NULL;
    default:
        return NULL;
    }
}

bool ir_opt_copy(struct ir_shader *shader)
{
    bool changed = false;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            struct ir_instr *source = passed_value(shader, instr);
            if (!source || source == instr)
                continue;
            ir_replace_uses(instr, source);
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}
