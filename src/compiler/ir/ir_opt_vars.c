/* SPDX-License-Identifier: MIT
 *
 * Turns variables into SSA values. One walk in program order tracks the value of every variable word (a *slot*). Where
 * paths merge, slots whose values differ get a phi. Before a loop is walked, every slot that the loop stores to gets a
 * phi at its head. The pass does not change the structure of the shader, so predecessors are computed once, up front.
 *
 * A large program has tens of thousands of slots and thousands of ifs, so an if must not cost as much as there are
 * slots. Changes of slots are logged, and the log tells what a branch has changed and how to undo it.
 */
#include <stdlib.h>
#include <string.h>
#include "compiler/ir/ir_pass.h"
#include "util/bitset.h"

struct change {
    uint32_t slot;
    struct ir_instr *before, *after;
};

struct state { /* values at a jump of the slots that the loop stores to, in their order */
    struct state *next;
    struct ir_instr **slots;
};

struct loop_states {
    struct state *first, **last; /* at the BREAKs, in order */
    struct state *first_continue, **last_continue;
    uint32_t *stored, stored_count; /* slots that the loop stores to, in ascending order */
};

struct vars {
    struct ir_shader *shader;
    struct util_arena *arena;
    uint32_t *bases;           /* first slot of each variable */
    uint8_t *bits;             /* per slot */
    uint32_t slot_count;
    struct ir_instr **now;     /* value of each slot, NULL = undefined */
    struct ir_instr *undef[2]; /* words, booleans */
    struct change *log;        /* changes of `now` since the pass began, without those that have been undone */
    uint32_t log_count, log_capacity;
    uint32_t *seen, seen_number; /* per slot: the number of the last list of changes that contains it */
    struct loop_states *loop;  /* innermost loop around the current place */
    bool changed;
};

static uint32_t slot_of(const struct vars *v, const struct ir_instr *instr)
{
    return v->bases[instr->imm] + instr->imm2;
}

static void set_slot(struct vars *v, uint32_t slot, struct ir_instr *value)
{
    if (v->log_count == v->log_capacity) {
        struct change *old = v->log;
        v->log_capacity = v->log_capacity ? 2 * v->log_capacity : 64;
        v->log = util_arena_new_array(v->arena, struct change, v->log_capacity);
        if (old)
            memcpy(v->log, old, v->log_count * sizeof *old);
    }
    v->log[v->log_count++] = (struct change){.slot = slot, .before = v->now[slot]};
    v->now[slot] = value;
}

/* Undoes all changes but the first `count`. */
static void undo(struct vars *v, uint32_t count)
{
    while (v->log_count > count) {
        const struct change *c = &v->log[--v->log_count];
        v->now[c->slot] = c->before;
    }
}

static int by_slot(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* What has changed since the log had `first` entries: each slot once, in ascending order. */
static struct change *list_changes(struct vars *v, uint32_t first, uint32_t *count_out)
{
    struct change *list = util_arena_new_array(v->arena, struct change, v->log_count - first);
    uint32_t count = 0;
    v->seen_number++;
    for (uint32_t i = first; i < v->log_count; i++) {
        const struct change *c = &v->log[i];
        if (v->seen[c->slot] == v->seen_number)
            continue;
        v->seen[c->slot] = v->seen_number;
        list[count++] = (struct change){.slot = c->slot, .before = c->before, .after = v->now[c->slot]};
    }
    if (count > 1)
        qsort(list, count, sizeof *list, by_slot);
    *count_out = count;
    return list;
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
    s->slots = util_arena_new_array(v->arena, struct ir_instr *, v->loop->stored_count);
    for (uint32_t i = 0; i < v->loop->stored_count; i++)
        s->slots[i] = v->now[v->loop->stored[i]];
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
            set_slot(v, slot_of(v, instr), instr->src[0].def);
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

static void merge_slot(struct vars *v, struct ir_block *behind, uint32_t slot, struct ir_instr *x, struct ir_instr *y)
{
    if (x == y)
        return;
    struct ir_instr *phi = build_phi(v, behind, slot);
    ir_src_set(&phi->src[0], or_undef(v, x, slot));
    ir_src_set(&phi->src[1], or_undef(v, y, slot));
    set_slot(v, slot, phi);
}

/* Merges what the branches have changed, in the order of the slots. */
static void merge_branches(struct vars *v, struct ir_block *behind, const struct change *x, uint32_t x_count,
                           const struct change *y, uint32_t y_count)
{
    for (uint32_t i = 0, j = 0; i < x_count || j < y_count;) {
        const bool has_x = i < x_count && (j == y_count || x[i].slot <= y[j].slot);
        const bool has_y = j < y_count && (i == x_count || y[j].slot <= x[i].slot);
        if (has_x)
            merge_slot(v, behind, x[i].slot, x[i].after, has_y ? y[j].after : x[i].before);
        else
            merge_slot(v, behind, y[j].slot, y[j].before, y[j].after);
        i += has_x;
        j += has_y;
    }
}

static void walk_if(struct vars *v, struct ir_if *nif)
{
    struct ir_block *behind = ir_node_as_block(ir_node_next(&nif->node));
    const uint32_t first = v->log_count;
    uint32_t then_count, else_count;
    walk_list(v, &nif->then_list);
    const struct change *then_changes = list_changes(v, first, &then_count);
    undo(v, first);
    walk_list(v, &nif->else_list);
    bool then_falls_through = !ir_block_jump(ir_list_last(&nif->then_list));
    bool else_falls_through = !ir_block_jump(ir_list_last(&nif->else_list));
    if (then_falls_through && !else_falls_through) {
        undo(v, first);
        for (uint32_t i = 0; i < then_count; i++)
            set_slot(v, then_changes[i].slot, then_changes[i].after);
    }
    if (!then_falls_through || !else_falls_through)
        return;
    const struct change *else_changes = list_changes(v, first, &else_count);
    merge_branches(v, behind, then_changes, then_count, else_changes, else_count);
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

/* Sets sources 1 and up of a phi at the loop's head: CONTINUEs in order, then the end of the body. `number`: of the
 * slot in the loop's list. */
static void close_phi(struct vars *v, struct ir_instr *phi, uint32_t number, const struct loop_states *loop)
{
    const uint32_t slot = loop->stored[number];
    uint32_t i = 1;
    for (const struct state *s = loop->first_continue; s; s = s->next)
        ir_src_set(&phi->src[i++], or_undef(v, s->slots[number], slot));
    if (i < phi->src_count)
        ir_src_set(&phi->src[i++], or_undef(v, v->now[slot], slot));
    assert(i == phi->src_count);
}

/* After the loop: merges the slot's values at the BREAKs. */
static struct ir_instr *merge_breaks(struct vars *v, struct ir_block *behind, uint32_t number,
                                     const struct loop_states *loop)
{
    const uint32_t slot = loop->stored[number];
    struct ir_instr *phi = build_phi(v, behind, slot);
    uint32_t i = 0;
    for (const struct state *s = loop->first; s; s = s->next)
        ir_src_set(&phi->src[i++], or_undef(v, s->slots[number], slot));
    assert(i == phi->src_count);
    return phi;
}

static void list_stored(struct vars *v, struct ir_loop *node, struct loop_states *loop)
{
    uint64_t *stored = util_arena_new_array(v->arena, uint64_t, UTIL_BITSET_WORDS(v->slot_count));
    find_stores(v, &node->body, stored);
    util_bitset_for_each(slot, stored, v->slot_count) loop->stored_count++;
    loop->stored = util_arena_new_array(v->arena, uint32_t, loop->stored_count);
    loop->stored_count = 0;
    util_bitset_for_each(slot, stored, v->slot_count) loop->stored[loop->stored_count++] = slot;
}

static void walk_loop(struct vars *v, struct ir_loop *node)
{
    struct ir_block *head = ir_list_first(&node->body), *behind = ir_node_as_block(ir_node_next(&node->node));
    struct loop_states loop = {0}, *outer = v->loop;
    loop.last = &loop.first;
    loop.last_continue = &loop.first_continue;
    list_stored(v, node, &loop);
    struct ir_instr **phis = util_arena_new_array(v->arena, struct ir_instr *, loop.stored_count);
    for (uint32_t i = 0; i < loop.stored_count; i++) {
        const uint32_t slot = loop.stored[i];
        phis[i] = build_phi(v, head, slot);
        ir_src_set(&phis[i]->src[0], or_undef(v, v->now[slot], slot));
        set_slot(v, slot, phis[i]);
    }
    v->loop = &loop;
    walk_list(v, &node->body);
    v->loop = outer;
    for (uint32_t i = 0; i < loop.stored_count; i++) {
        close_phi(v, phis[i], i, &loop);
        if (loop.first)
            set_slot(v, loop.stored[i], merge_breaks(v, behind, i, &loop));
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
    v.seen = util_arena_new_array(v.arena, uint32_t, v.slot_count);
    ir_find_preds(shader);
    walk_list(&v, &shader->body);
    shader->variable_count = 0;
    return v.changed;
}
