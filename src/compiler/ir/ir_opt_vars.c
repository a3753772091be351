/* SPDX-License-Identifier: MIT
 *
 * Turns variables into SSA values. One walk in program order tracks the value of every variable word (a *slot*). Where
 * paths merge, slots whose values differ get a phi. Before a loop is walked, every slot that the loop stores to gets a
 * phi at its head. The pass does not change the structure of the shader, so predecessors are computed once, up front.
 */
#include <string.h>
#include "compiler/ir/ir_pass.h"
#include "util/bitset.h"

struct state { /* values of all slots at a jump */
    struct state *next;
    struct ir_instr **slots;
};

struct loop_states {
    struct state *first, **last; /* at the BREAKs, in order */
    struct state *first_continue, **last_continue;
};

struct vars {
    struct ir_shader *shader;
    struct util_arena *arena;
    uint32_t *bases;           /* first slot of each variable */
    uint8_t *bits;             /* per slot */
    uint32_t slot_count;
    struct ir_instr **now;     /* value of each slot, NULL = undefined */
    struct ir_instr *undef[2]; /* words, booleans */
    struct loop_states *loop;  /* innermost loop around the current place */
    bool changed;
};

static uint32_t slot_of(const struct vars *v, const struct ir_instr *instr)
{
    return v->bases[instr->imm] + instr->imm2;
}

static struct ir_instr **copy_slots(struct vars *v, struct ir_instr **slots)
{
    struct ir_instr **copy = util_arena_new_array(v->arena, struct ir_instr *, v->slot_count);
    memcpy(copy, slots, v->slot_count * sizeof *copy);
    return copy;
}

static struct ir_instr *or_undef(struct vars *v, struct ir_instr *value, uint32_t slot)
{
    bool is_bool = v->bits[slot] == 1;
    if (value)
        return value;
    if (!v->undef[is_bool]) {
        struct ir_builder b = ir_at_start(v->shader, ir_first_block(v->shader));
        v->undef[is_bool] = ir_build(&b, IR_UNDEF, v->bits[slot], 0, NULL);
    }
    return v->undef[is_bool];
}

static struct ir_instr *build_phi(struct vars *v, struct ir_block *block, uint32_t slot)
{
    struct ir_builder b = {.shader = v->shader, .block = block, .before = block->instrs.next};
    return ir_build(&b, IR_PHI, v->bits[slot], block->pred_count, NULL);
}

/* ---------------------------------------------------------------- blocks */

static void record_jump(struct vars *v, struct ir_instr *jump)
{
    struct state *s = util_arena_new(v->arena, struct state);
    s->slots = copy_slots(v, v->now);
    struct state ***last = jump->op == IR_BREAK ? &v->loop->last : &v->loop->last_continue;
    **last = s;
    *last = &s->next;
}

static void walk_block(struct vars *v, struct ir_block *block)
{
    ir_for_each_instr_safe(instr, block) {
        switch (instr->op) {
        case IR_LOAD_VAR:
            ir_replace_uses(instr, or_undef(v, v->now[slot_of(v, instr)], slot_of(v, instr)));
            ir_remove(instr);
            v->changed = true;
            break;
        case IR_STORE_VAR:
            v->now[slot_of(v, instr)] = instr->src[0].def;
            ir_remove(instr);
            v->changed = true;
            break;
        case IR_BREAK:
        case IR_CONTINUE:
            record_jump(v, instr);
            break;
        default:
            break;
        }
    }
}

/* ---------------------------------------------------------------- ifs */

static void walk_list(struct vars *v, struct util_list *list);

static void walk_if(struct vars *v, struct ir_if *nif)
{
    struct ir_block *behind = ir_node_as_block(ir_node_next(&nif->node));
    struct ir_instr **before = copy_slots(v, v->now);
    walk_list(v, &nif->then_list);
    struct ir_instr **then_slots = v->now;
    v->now = before;
    walk_list(v, &nif->else_list);
    bool then_falls_through = !ir_block_jump(ir_list_last(&nif->then_list));
    bool else_falls_through = !ir_block_jump(ir_list_last(&nif->else_list));
    if (then_falls_through && !else_falls_through)
        v->now = then_slots;
    if (!then_falls_through || !else_falls_through)
        return;
    for (uint32_t slot = 0; slot < v->slot_count; slot++) {
        struct ir_instr *x = then_slots[slot], *y = v->now[slot];
        if (x == y)
            continue;
        struct ir_instr *phi = build_phi(v, behind, slot);
        ir_src_set(&phi->src[0], or_undef(v, x, slot));
        ir_src_set(&phi->src[1], or_undef(v, y, slot));
        v->now[slot] = phi;
    }
}

/* ---------------------------------------------------------------- loops */

static void find_stores(const struct vars *v, struct util_list *list, uint64_t *stored)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (node->kind == IR_NODE_IF) {
            find_stores(v, &ir_node_as_if(node)->then_list, stored);
            find_stores(v, &ir_node_as_if(node)->else_list, stored);
        } else if (node->kind == IR_NODE_LOOP) {
            find_stores(v, &ir_node_as_loop(node)->body, stored);
        } else {
            ir_for_each_instr(instr, ir_node_as_block(node))
                if (instr->op == IR_STORE_VAR)
                    util_bitset_set(stored, slot_of(v, instr));
        }
    }
}

/* Sets sources 1 and up of a phi at the loop's head: CONTINUEs in order, then the end of the body. */
static void close_phi(struct vars *v, struct ir_instr *phi, uint32_t slot, const struct loop_states *loop)
{
    uint32_t i = 1;
    for (const struct state *s = loop->first_continue; s; s = s->next)
        ir_src_set(&phi->src[i++], or_undef(v, s->slots[slot], slot));
    if (i < phi->src_count)
        ir_src_set(&phi->src[i++], or_undef(v, v->now[slot], slot));
    assert(i == phi->src_count);
}

/* After the loop: merges the slot's values at the BREAKs. */
static struct ir_instr *merge_breaks(struct vars *v, struct ir_block *behind, uint32_t slot,
                                     const struct loop_states *loop)
{
    struct ir_instr *phi = build_phi(v, behind, slot);
    uint32_t i = 0;
    for (const struct state *s = loop->first; s; s = s->next)
        ir_src_set(&phi->src[i++], or_undef(v, s->slots[slot], slot));
    assert(i == phi->src_count);
    return phi;
}

static void walk_loop(struct vars *v, struct ir_loop *node)
{
    struct ir_block *head = ir_list_first(&node->body), *behind = ir_node_as_block(ir_node_next(&node->node));
    uint64_t *stored = util_arena_new_array(v->arena, uint64_t, UTIL_BITSET_WORDS(v->slot_count));
    struct ir_instr **phis = util_arena_new_array(v->arena, struct ir_instr *, v->slot_count);
    struct loop_states loop = {0}, *outer = v->loop;
    loop.last = &loop.first;
    loop.last_continue = &loop.first_continue;
    find_stores(v, &node->body, stored);
    util_bitset_for_each(slot, stored, v->slot_count) {
        phis[slot] = build_phi(v, head, slot);
        ir_src_set(&phis[slot]->src[0], or_undef(v, v->now[slot], slot));
        v->now[slot] = phis[slot];
    }
    v->loop = &loop;
    walk_list(v, &node->body);
    v->loop = outer;
    util_bitset_for_each(slot, stored, v->slot_count) {
        close_phi(v, phis[slot], slot, &loop);
        if (loop.first)
            v->now[slot] = merge_breaks(v, behind, slot, &loop);
    }
}

static void walk_list(struct vars *v, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        switch ((enum ir_node_kind)node->kind) {
        case IR_NODE_BLOCK:
            walk_block(v, ir_node_as_block(node));
            break;
        case IR_NODE_IF:
            walk_if(v, ir_node_as_if(node));
            break;
        case IR_NODE_LOOP:
            walk_loop(v, ir_node_as_loop(node));
            break;
        }
    }
}

bool ir_opt_vars(struct ir_shader *shader)
{
    struct vars v = {.shader = shader, .arena = shader->arena};
    if (!shader->variable_count)
        return false;
    v.bases = util_arena_new_array(v.arena, uint32_t, shader->variable_count);
    for (uint32_t i = 0; i < shader->variable_count; i++) {
        v.bases[i] = v.slot_count;
        v.slot_count += shader->variables[i].words;
    }
    v.bits = util_arena_new_array(v.arena, uint8_t, v.slot_count);
    for (uint32_t i = 0; i < shader->variable_count; i++)
        memset(v.bits + v.bases[i], shader->variables[i].bits, shader->variables[i].words);
    v.now = util_arena_new_array(v.arena, struct ir_instr *, v.slot_count);
    ir_find_preds(shader);
    walk_list(&v, &shader->body);
    shader->variable_count = 0;
    return v.changed;
}
