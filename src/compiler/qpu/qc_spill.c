/* SPDX-License-Identifier: MIT
 *
 * Spilling, for CPU-engine programs that do not fit the registers: where most values are live, values with long live
 * ranges and few uses are stored to memory when they are computed and reloaded where they are used.
 *
 * Works on the IR, before selection runs again. A spill stores all 16 lanes, so the execution mask does not matter.
 * Requires that values leave loops through phis (ir_lower_loop_exits). Phis are spilled last: the stores are where
 * their sources come from, and there only running lanes may change the slot.
 */
#include "compiler/qpu/qc_engine.h"
#include "compiler/qpu/qc_pressure.h"

#define RELOAD_REACH 12 /* instructions within which uses share a reload */
#define WORTH_SPAN   24 /* shorter live ranges are not spilled, unless the limit is very low */
#define SHORT_SPAN   6
#define IS_PHI_SLOT  1u /* imm2 of a store: the slot belongs to a phi and changes */

struct spill {
    struct qc_pressure p;
    bool *is_spilled; /* by value */
};

static struct qc_range *choose(struct spill *s, uint32_t at, uint32_t span, bool phis)
{
    struct qc_range *best = NULL;
    for (uint32_t k = 0; k < s->p.value_count; k++) {
        struct qc_range *l = &s->p.ranges[k];
        if (!l->value || s->is_spilled[k] || (l->value->op == IR_PHI) != phis || l->value->op == IR_SPILL_LOAD ||
            l->first > at || l->last <= at || l->last - l->first < span)
            continue;
        if (!best || (uint64_t)(l->last - l->first) * (best->uses + 1) >
                         (uint64_t)(best->last - best->first) * (l->uses + 1))
            best = l;
    }
    return best;
}

/* ---------------------------------------------------------------- rewriting */

/* Loads what `value` was. Booleans are words of 0 and 1 in memory. The result diverges if the value does, which
 * all_lanes_run() asks of the conditions of ifs. */
static struct ir_instr *reload(struct ir_builder b, const struct ir_instr *value, uint32_t slot)
{
    struct ir_instr *load = ir_build0(&b, IR_SPILL_LOAD), *result = load;
    load->imm = slot;
    load->value.divergent = value->value.divergent;
    if (value->value.bits == 1) {
        result = ir_build2(&b, IR_INE, load, ir_const(&b, 0));
        result->value.divergent = value->value.divergent;
    }
    return result;
}

static struct ir_instr *as_word(struct ir_builder *b, struct ir_instr *value)
{
    if (value->value.bits != 1)
        return value;
    struct ir_instr *zero = ir_const(b, 0), *one = ir_const(b, 1); /* in this order with every compiler */
    return ir_build3(b, IR_SEL, value, one, zero);
}

/* Whether all uses of the test are among the next RELOAD_REACH instructions, or behind the block that ends there. */
static bool is_used_nearby(const struct ir_instr *test)
{
    const struct util_list *at = &test->link, *end = &test->block->instrs;
    uint32_t uses = 0, near = 0;
    for (uint32_t n = 0; n < RELOAD_REACH && at->next != end; n++) {
        at = at->next;
        const struct ir_instr *i = container_of(at, struct ir_instr, link);
        for (uint32_t k = 0; k < i->src_count; k++)
            near += i->src[k].def == test;
    }
    util_list_for_each(struct ir_src, use, &test->value.uses, link) {
        uses++;
        near += !use->user && at->next == end;
    }
    return near == uses;
}

/* Tests are emitted where their results are used, so a reload for a test would stay live until there. Gives each use of
 * such a test a test of its own. */
static void localise_tests(struct spill *s, struct ir_instr *value)
{
    const struct util_list *end = &value->value.uses;
    for (const struct util_list *at = end->next; at != end;) {
        struct ir_instr *test = container_of(at, struct ir_src, link)->user;
        do
            at = at->next; /* the test may read the value twice, and is removed */
        while (test && at != end && container_of(at, struct ir_src, link)->user == test);
        if (!test || !qc_is_test(test) || is_used_nearby(test))
            continue;
        util_list_for_each_safe(struct ir_src, use, &test->value.uses, link) {
            struct ir_builder b = qc_before_use(s->p.shader, use);
            ir_src_set(use, qc_clone(&b, test));
        }
        ir_remove(test);
    }
}

struct last_reload {
    struct ir_instr *load;
    const struct ir_block *block;
    uint32_t at;
};

/* Visits uses in program order, so that uses in a block can share reloads. */
static void rewrite_users(struct spill *s, struct ir_instr *value, const struct ir_instr *word, uint32_t slot)
{
    struct last_reload last = {0};
    localise_tests(s, value);
    ir_for_each_block(block, s->p.shader) {
        uint32_t at = 0;
        ir_for_each_instr(i, block) {
            at++;
            bool is_own_store = i == word || (i->op == IR_SPILL_STORE && i->imm == slot);
            for (uint32_t k = 0; k < i->src_count && i->op != IR_PHI && !is_own_store; k++) {
                if (i->src[k].def != value)
                    continue;
                if (last.block != block || at - last.at > RELOAD_REACH)
                    last = (struct last_reload){reload(ir_before(s->p.shader, i), value, slot), block, at};
                ir_src_set(&i->src[k], last.load);
            }
        }
    }
    util_list_for_each_safe(struct ir_src, src, &value->value.uses, link) {
        if (src->user && src->user->op != IR_PHI)
            continue;
        ir_src_set(src, reload(qc_before_use(s->p.shader, src), value, slot));
    }
}

static bool all_lanes_run(const struct ir_block *block)
{
    for (struct ir_node *n = block->node.parent; n; n = n->parent) {
        if (n->kind == IR_NODE_IF ? ir_node_as_if(n)->cond.def->value.divergent
                                  : ir_list_diverges(&ir_node_as_loop(n)->body))
            return false;
    }
    return true;
}

/* Stores the value in running lanes. Other lanes keep the slot's old value. */
static void store_running_lanes(struct ir_builder *b, struct ir_instr *value, uint32_t slot)
{
    value = as_word(b, value);
    if (!all_lanes_run(b->block)) {
        struct ir_instr *old = reload(*b, value, slot);
        struct ir_instr *runs = ir_build0(b, IR_ACTIVE);
        value = ir_build3(b, IR_SEL, runs, value, old);
    }
    struct ir_instr *store = ir_build1(b, IR_SPILL_STORE, value);
    store->imm = slot;
    store->imm2 = IS_PHI_SLOT;
}

static bool is_loop_head(const struct ir_block *block)
{
    struct ir_node *parent = block->node.parent;
    return parent && parent->kind == IR_NODE_LOOP && ir_list_first(&ir_node_as_loop(parent)->body) == block;
}

/* Where to store source `k` of the phi. At a loop's head the store comes last, because other phis that read this one
 * have to reload its old value first. Elsewhere a source that was just reloaded in the same block is stored right after
 * the reload. */
static struct ir_builder builder_for_store(struct spill *s, const struct ir_instr *phi, uint32_t k)
{
    struct ir_instr *value = phi->src[k].def;
    if (value->op == IR_SPILL_LOAD && value->block == phi->block->preds[k] && !is_loop_head(phi->block))
        return ir_after(s->p.shader, value);
    return qc_before_use(s->p.shader, &phi->src[k]);
}

static bool is_written(struct spill *s, uint32_t slot)
{
    ir_for_each_block(block, s->p.shader)
        ir_for_each_instr(i, block)
            if (i->op == IR_SPILL_STORE && i->imm == slot)
                return i->imm2 == IS_PHI_SLOT;
    return true;
}

/* True when no later store of the block changes the slot. */
static bool holds_to_end(struct ir_instr *load)
{
    bool is_behind = false;
    ir_for_each_instr(i, load->block) {
        if (is_behind && i->op == IR_SPILL_STORE && i->imm == load->imm)
            return false;
        is_behind |= i == load;
    }
    return true;
}

/* A loop's phis change together, so a source in another phi's slot must be read before that slot is stored to. Other
 * sources can be loaded again where they are stored, which keeps their live ranges short however many phis there
 * are. */
static bool may_load_again(struct spill *s, struct ir_instr *load, const struct ir_builder *b)
{
    return load->op == IR_SPILL_LOAD && (!is_written(s, load->imm) || (load->block == b->block && holds_to_end(load)));
}

static void spill_phi_sources(struct spill *s, struct ir_instr *phi, uint32_t slot)
{
    for (uint32_t k = 0; k < phi->src_count; k++) {
        struct ir_instr *value = phi->src[k].def;
        struct ir_builder b = builder_for_store(s, phi, k);
        if (is_loop_head(phi->block) && may_load_again(s, value, &b))
            value = reload(b, value, value->imm); /* instead of keeping an earlier reload live until here */
        if (value->op != IR_UNDEF)
            store_running_lanes(&b, value, slot);
        struct ir_instr *source = phi->src[k].def;
        ir_src_set(&phi->src[k], NULL);
        if (source->op == IR_SPILL_LOAD && util_list_is_empty(&source->value.uses))
            ir_remove(source);
    }
    ir_remove(phi);
}

/* Own rows come first; memory, whose accesses are long sequences, has the numbers from QC_SPILL_ROWS on. */
static uint32_t new_slot(struct ir_shader *shader)
{
    return shader->spill_rows < QC_SPILL_ROWS ? shader->spill_rows++ : QC_SPILL_ROWS + shader->spill_slots++;
}

static void spill_value(struct spill *s, struct qc_range *l)
{
    uint32_t slot = new_slot(s->p.shader);
    if (l->value->op == IR_PHI) {
        rewrite_users(s, l->value, NULL, slot);
        spill_phi_sources(s, l->value, slot);
    } else {
        struct ir_builder b = ir_after(s->p.shader, l->value);
        struct ir_instr *word = as_word(&b, l->value);
        ir_build1(&b, IR_SPILL_STORE, word)->imm = slot;
        rewrite_users(s, l->value, word, slot);
    }
    s->is_spilled[l->value->value.index] = true;
    for (uint32_t k = l->first; k < l->last; k++)
        s->p.live[k]--;
}

bool qc_spill(struct ir_shader *shader, uint32_t limit)
{
    struct spill s;
    uint32_t span = MIN2(WORTH_SPAN, MAX2(SHORT_SPAN, limit));
    bool changed = false;
    ir_analyse_divergence(shader);
    qc_pressure_measure(&s.p, shader);
    s.is_spilled = util_arena_new_array(shader->arena, bool, s.p.value_count + 1);
    for (;;) {
        uint32_t worst = qc_pressure_worst(&s.p);
        if (s.p.live[worst] <= limit)
            return changed;
        struct qc_range *l = choose(&s, worst, span, false);
        l = l ? l : choose(&s, worst, span, true);
        if (!l) { /* nothing to gain here; try other positions */
            s.p.live[worst] = 0;
            continue;
        }
        spill_value(&s, l);
        changed = true;
    }
}
