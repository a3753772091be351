/* SPDX-License-Identifier: MIT
 *
 * Spilling, for programs of the CPU engine that do not fit the registers: values that are live where most are live, for
 * long and with few uses, go to memory when they are made and come back where they are used.
 *
 * Works on the IR, in front of a new selection: all 16 lanes go, so the execution mask does not matter. Relies on
 * values leaving loops through phis (ir_lower_loop_exits). Phis go when nothing else is left: each lane stores its own
 * word where it comes from.
 */
#include "compiler/qpu/qc.h"
#include "compiler/qpu/qc_engine.h"

#define RELOAD_REACH 12 /* instructions within which uses share a reload */
#define WORTH_SPAN   24 /* a life that is shorter stays */

struct life {
    struct ir_instr *value;
    uint32_t first, last, uses;
    bool spilled;
};

struct spill {
    struct ir_shader *shader;
    struct life *lives;      /* by value */
    uint32_t *position;      /* by value: of its instruction */
    uint32_t *block_end;     /* by block: position behind its last instruction */
    uint32_t *pressure;      /* by position */
    uint32_t count;          /* of positions */
    uint32_t value_count;    /* before anything was spilled */
};

/* Made anew where it is used, or not in the registers at all. */
static bool takes_register(const struct ir_instr *i)
{
    switch (i->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_UNIFORM:
    case IR_MOV:
    case IR_ELEMENT:
    case IR_QPU_NUMBER:
        return false;
    default:
        return i->value.bits == 32;
    }
}

static bool contains(const struct ir_node *outer, const struct ir_node *node)
{
    for (; node; node = node->parent)
        if (node == outer)
            return true;
    return false;
}

/* Where the use happens: phis read at the end of the block that they come from, ifs behind the block before them. */
static const struct ir_block *block_of_use(const struct ir_src *src)
{
    if (!src->user)
        return ir_node_as_block(ir_node_prev(&container_of(src, struct ir_if, cond)->node));
    if (src->user->op == IR_PHI)
        return src->user->block->preds[src - src->user->src];
    return src->user->block;
}

/* A use in a loop that does not make the value keeps it until the loop's end. */
static uint32_t last_position(const struct spill *s, const struct ir_instr *value, const struct ir_src *src)
{
    const struct ir_block *block = block_of_use(src);
    bool at_end = !src->user || src->user->op == IR_PHI;
    uint32_t last = at_end ? s->block_end[block->index] : s->position[src->user->value.index];
    for (const struct ir_node *n = &block->node; n; n = n->parent)
        if (n->kind == IR_NODE_LOOP && !contains(n, &value->block->node))
            last = MAX2(last, s->block_end[ir_list_last(&container_of(n, struct ir_loop, node)->body)->index]);
    return last;
}

static void measure(struct spill *s)
{
    struct util_arena *arena = s->shader->arena;
    uint32_t at = 0;
    ir_renumber(s->shader);
    ir_find_preds(s->shader);
    s->value_count = s->shader->value_count;
    s->lives = util_arena_new_array(arena, struct life, s->shader->value_count + 1);
    s->position = util_arena_new_array(arena, uint32_t, s->shader->value_count + 1);
    s->block_end = util_arena_new_array(arena, uint32_t, s->shader->block_count + 1);
    ir_for_each_block(block, s->shader) {
        ir_for_each_instr(i, block)
            s->position[i->value.index] = at++;
        s->block_end[block->index] = at++;
    }
    s->pressure = util_arena_new_array(arena, uint32_t, at + 1);
    s->count = at;
    ir_for_each_block(block, s->shader) {
        ir_for_each_instr(i, block) {
            struct life *l = &s->lives[i->value.index];
            if (!takes_register(i))
                continue;
            *l = (struct life){.value = i, .first = s->position[i->value.index], .last = s->position[i->value.index]};
            util_list_for_each(struct ir_src, src, &i->value.uses, link) {
                l->last = MAX2(l->last, last_position(s, i, src));
                l->uses++;
            }
            for (uint32_t k = l->first; k < l->last; k++)
                s->pressure[k]++;
        }
    }
}

static struct life *choose(struct spill *s, uint32_t at, bool phis)
{
    struct life *best = NULL;
    for (uint32_t k = 0; k < s->value_count; k++) {
        struct life *l = &s->lives[k];
        if (!l->value || l->spilled || (l->value->op == IR_PHI) != phis || l->value->op == IR_SPILL_LOAD || l->first > at ||
            l->last <= at || l->last - l->first < WORTH_SPAN)
            continue;
        if (!best || (uint64_t)(l->last - l->first) * (best->uses + 1) >
                         (uint64_t)(best->last - best->first) * (l->uses + 1))
            best = l;
    }
    return best;
}

/* ---------------------------------------------------------------- rewriting */

static struct ir_instr *reload(struct spill *s, struct ir_builder b, uint32_t slot)
{
    struct ir_instr *load = ir_build0(&b, IR_SPILL_LOAD);
    load->imm = slot;
    return load;
}

struct last_reload {
    struct ir_instr *load;
    const struct ir_block *block;
    uint32_t at;
};

/* Uses in program order, because users of one block share reloads. */
static void rewrite_users(struct spill *s, struct ir_instr *value, uint32_t slot)
{
    struct last_reload last = {0};
    ir_for_each_block(block, s->shader) {
        uint32_t at = 0;
        ir_for_each_instr(i, block) {
            at++;
            for (uint32_t k = 0; k < i->src_count && i->op != IR_PHI && i->op != IR_SPILL_STORE; k++) {
                if (i->src[k].def != value)
                    continue;
                if (last.block != block || at - last.at > RELOAD_REACH)
                    last = (struct last_reload){reload(s, ir_before(s->shader, i), slot), block, at};
                ir_src_set(&i->src[k], last.load);
            }
        }
    }
    util_list_for_each_safe(struct ir_src, src, &value->value.uses, link) {
        if (src->user && src->user->op != IR_PHI)
            continue;
        struct ir_block *block = (struct ir_block *)block_of_use(src);
        struct ir_instr *jump = ir_block_jump(block);
        ir_src_set(src, reload(s, jump ? ir_before(s->shader, jump) : ir_at_end(s->shader, block), slot));
    }
}

/* The lane's own word of a slot. */
static struct ir_instr *lane_address(struct ir_builder *b, uint32_t slot)
{
    struct ir_instr *base = ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH, 0, slot * QC_SPILL_SLOT_B);
    struct ir_instr *part_B = ir_uniform(b, VC4C_UNIFORM_ENGINE_SCRATCH_B, 0, 0);
    struct ir_instr *row = ir_build2(b, IR_MUL24, ir_build0(b, IR_QPU_NUMBER), part_B);
    struct ir_instr *lane = ir_build2(b, IR_SHL, ir_build0(b, IR_ELEMENT), ir_const(b, 2));
    return ir_build2(b, IR_IADD, ir_build2(b, IR_IADD, base, row), lane);
}

/* Other phis that read this one get it before its new value goes to memory: their reloads stand in front. */
static void store_where_phi_comes_from(struct spill *s, struct ir_instr *phi, uint32_t slot)
{
    for (uint32_t k = 0; k < phi->src_count; k++) {
        struct ir_block *pred = phi->block->preds[k];
        struct ir_instr *jump = ir_block_jump(pred), *value = phi->src[k].def;
        struct ir_builder b = jump ? ir_before(s->shader, jump) : ir_at_end(s->shader, pred);
        if (value->op != IR_UNDEF)
            ir_build2(&b, IR_ENGINE_STORE, lane_address(&b, slot), value);
        ir_src_set(&phi->src[k], NULL);
    }
    ir_remove(phi);
}

static void spill_value(struct spill *s, struct life *l)
{
    uint32_t slot = s->shader->spill_slots++;
    if (l->value->op == IR_PHI) {
        rewrite_users(s, l->value, slot);
        store_where_phi_comes_from(s, l->value, slot);
    } else {
        struct ir_builder b = ir_after(s->shader, l->value);
        ir_build1(&b, IR_SPILL_STORE, l->value)->imm = slot;
        rewrite_users(s, l->value, slot);
    }
    l->spilled = true;
    for (uint32_t k = l->first; k < l->last; k++)
        s->pressure[k]--;
}

bool qc_spill(struct ir_shader *shader, uint32_t limit)
{
    struct spill s = {.shader = shader};
    bool changed = false;
    measure(&s);
    for (;;) {
        uint32_t worst = 0;
        for (uint32_t k = 1; k < s.count; k++)
            worst = s.pressure[k] > s.pressure[worst] ? k : worst;
        struct life *l = s.pressure[worst] > limit ? choose(&s, worst, false) : NULL;
        if (!l && s.pressure[worst] > limit)
            l = choose(&s, worst, true);
        if (!l && s.pressure[worst] > limit) { /* nothing to gain here: perhaps elsewhere */
            s.pressure[worst] = 0;
            continue;
        }
        if (!l)
            return changed;
        spill_value(&s, l);
        changed = true;
    }
}
