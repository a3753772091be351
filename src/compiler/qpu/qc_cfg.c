/* SPDX-License-Identifier: MIT
 *
 * Selection of control flow: structured nodes become blocks with branches.
 *
 *  - A small `if` without side effects is flattened: both sides run, and selects choose between their values.
 *  - A condition that is the same in all lanes becomes a branch.
 *  - Any other condition, and everything inside it, runs under an execution mask: one word per lane, 0 where the lane
 *    runs, else the number of the resume point where it continues (else part, end of the if, continue point, loop
 *    exit). A part that is long enough gets a branch that skips it when no lane runs it.
 *
 * Only values that masked-off lanes may still need are written under the mask: phis after their first writer, loop
 * phis, and values that leave a divergent loop. Everything else is written in all lanes; masked-off lanes never read
 * it.
 */
#include "compiler/qpu/qc_select.h"

#include <string.h>

struct qc_sel_loop {
    struct qc_sel_loop *parent;
    struct ir_loop *ir;
    struct qc_block *head, *exit;
    struct ir_block *head_phis, *exit_phis;
    uint32_t exit_point, continue_point;
    uint32_t breaks, continues; /* seen so far: index of the phi source of the next one */
    bool divergent;
};

/* ---------------------------------------------------------------- flattening */

#define FLATTEN_DIVERGENT_COST 24
#define FLATTEN_UNIFORM_COST   8
#define SKIP_WORTH_COST        8 /* shorter parts of divergent ifs are not branched over */

static uint32_t instr_cost(const struct ir_instr *i)
{
    switch (i->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_UNIFORM:
    case IR_MOV:
    case IR_UNPACK_F:
    case IR_UNPACK_I:
        return 0;
    case IR_TEX:
    case IR_DIRECT:
    case IR_DIRECT_TEX:
    case IR_LOAD_TABLE:
    case IR_ENGINE_FETCH:
        return 5;
    case IR_PACK_UNORM8:
        return 4;
    case IR_ANY:
        return 12;
    default:
        return 1;
    }
}

/* Cost of the list; UINT32_MAX when it contains a loop, a jump or a side effect. */
static uint32_t list_cost(struct util_list *list)
{
    uint32_t cost = 0;
    util_list_for_each(struct ir_node, n, list, link) {
        if (n->kind == IR_NODE_LOOP)
            return UINT32_MAX;
        if (n->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(n);
            uint32_t a = list_cost(&nif->then_list), b = list_cost(&nif->else_list);
            if (a == UINT32_MAX || b == UINT32_MAX)
                return UINT32_MAX;
            cost += a + b + 2;
            continue;
        }
        ir_for_each_instr(i, ir_node_as_block(n)) {
            if ((ir_op_infos[i->op].flags & IR_M) || i->op == IR_ANY)
                return UINT32_MAX;
            cost += instr_cost(i);
        }
    }
    return cost;
}

static bool should_flatten(struct ir_if *nif)
{
    uint32_t a = list_cost(&nif->then_list), b = list_cost(&nif->else_list);
    uint32_t limit = nif->cond.def->value.divergent ? FLATTEN_DIVERGENT_COST : FLATTEN_UNIFORM_COST;
    return a <= limit && b <= limit && a + b <= limit;
}

static struct ir_block *block_after(struct ir_node *n)
{
    return ir_node_as_block(container_of(n->link.next, struct ir_node, link));
}

/* Numbers regions in program order. Returns the region in which the list ends. */
static uint32_t number_regions(struct qc_sel *s, struct util_list *list, uint32_t region, uint32_t *count)
{
    util_list_for_each(struct ir_node, n, list, link) {
        if (n->kind == IR_NODE_BLOCK) {
            s->region_of[ir_node_as_block(n)->index] = region;
        } else if (n->kind == IR_NODE_LOOP) {
            number_regions(s, &ir_node_as_loop(n)->body, ++*count, count);
            region = ++*count;
        } else {
            struct ir_if *nif = ir_node_as_if(n);
            bool flat = should_flatten(nif);
            number_regions(s, &nif->then_list, flat ? region : ++*count, count);
            number_regions(s, &nif->else_list, flat ? region : ++*count, count);
            region = flat ? region : ++*count;
        }
    }
    return region;
}

static bool is_flat(struct qc_sel *s, struct ir_if *nif)
{
    struct ir_block *first = ir_node_as_block(util_list_first(&nif->then_list, struct ir_node, link));
    struct ir_block *before = ir_node_as_block(container_of(nif->node.link.prev, struct ir_node, link));
    return s->region_of[first->index] == s->region_of[before->index];
}

/* ---------------------------------------------------------------- blocks and branches */

static void branch_to(struct qc_sel *s, struct qc_block *target, uint8_t cond, uint32_t group)
{
    s->block->target = target;
    s->block->branch_cond = cond;
    s->block->branch_uses = group;
    target->is_target = true;
    struct qc_block *next = qc_block_new(s->p);
    next->is_target = true;
    qc_sel_append_block(s, next);
}

/* The branch condition that is taken when the condition holds in all lanes. */
static uint8_t branch_all(uint8_t cond)
{
    static const uint8_t map[8] = {
        [QPU_COND_ZS] = QPU_BRANCH_ALL_ZS, [QPU_COND_ZC] = QPU_BRANCH_ALL_ZC, [QPU_COND_NS] = QPU_BRANCH_ALL_NS,
        [QPU_COND_NC] = QPU_BRANCH_ALL_NC, [QPU_COND_CS] = QPU_BRANCH_ALL_CS, [QPU_COND_CC] = QPU_BRANCH_ALL_CC,
    };
    return map[cond];
}

/* ---------------------------------------------------------------- phis */

static uint32_t phi_temp(struct qc_sel *s, struct ir_instr *phi)
{
    uint32_t *t = &s->temp_of[phi->value.index];
    if (*t == QC_NONE)
        *t = qc_sel_any_temp(s);
    return *t;
}

static void predicate(struct qc_instr *i, struct qc_flags f)
{
    if (f.group) {
        i->cond = f.cond;
        i->uses = f.group;
    }
}

static bool is_loop_head(const struct ir_block *block)
{
    const struct ir_node *parent = block->node.parent;
    return parent && parent->kind == IR_NODE_LOOP && block->node.link.prev == block->node.list;
}

/* Emits the moves of all phis of `block` for source number `pred`, as one parallel copy; under the mask if `masked`. */
static void phi_moves(struct qc_sel *s, struct ir_block *block, uint32_t pred, bool masked)
{
    uint32_t count = 0;
    ir_for_each_instr(i, block)
        count += i->op == IR_PHI;
    if (!count)
        return;
    struct qc_src *srcs = util_arena_new_array(s->p->arena, struct qc_src, count);
    uint32_t *dsts = util_arena_new_array(s->p->arena, uint32_t, count), n = 0;
    ir_for_each_instr(phi, block) {
        if (phi->op != IR_PHI || util_list_is_empty(&phi->value.uses))
            continue;
        dsts[n] = phi_temp(s, phi); /* also when undefined on this path: it may be read before another path sets it */
        if (phi->src[pred].def->op == IR_UNDEF) {
            s->p->temps[dsts[n]].carried |= is_loop_head(block);
            continue;
        }
        srcs[n] = qc_sel_src(s, phi->src[pred].def);
        n += !(srcs[n].kind == QC_SRC_TEMP && !srcs[n].unpack && srcs[n].index == dsts[n]);
    }
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t j = 0; j < k; j++) {
            if (srcs[k].kind == QC_SRC_TEMP && srcs[k].index == dsts[j]) {
                srcs[k] = qc_src_temp(qc_sel_mov(s, qc_sel_any_temp(s), srcs[k])->dst);
                break;
            }
        }
    }
    if (!n)
        return;
    struct qc_flags running = {0};
    if (masked && s->exec != QC_NONE)
        running = qc_sel_flags_word(s, s->exec);
    for (uint32_t k = 0; k < n; k++) {
        predicate(qc_sel_mov(s, dsts[k], srcs[k]), running);
        s->p->temps[dsts[k]].kept_in_loop |= running.group != 0;
    }
}

/* ---------------------------------------------------------------- the execution mask */

/* Sets the mask to `to` in lanes where it is `from`. */
static void mask_change(struct qc_sel *s, uint32_t from, uint32_t to)
{
    struct qc_flags f;
    if (from) {
        struct qc_instr *x = qc_sel_alu(s, QPU_A_XOR, QPU_M_NOP, QC_NONE, qc_src_temp(s->exec), qc_src_const(from));
        x->sf = 1;
        x->sets = qc_flag_group_new(s->p);
        qc_sel_forget_flags(s);
        f = (struct qc_flags){.group = x->sets, .cond = QPU_COND_ZS};
    } else {
        f = qc_sel_flags_word(s, s->exec);
    }
    predicate(qc_sel_mov(s, s->exec, qc_src_const(to)), f);
}

static void skip_if_no_lane_runs(struct qc_sel *s, struct qc_block *target)
{
    struct qc_flags f = qc_sel_flags_word(s, s->exec);
    branch_to(s, target, branch_all(qc_cond_not(f.cond)), f.group);
}

/* ---------------------------------------------------------------- nodes */

static bool select_list(struct qc_sel *s, struct util_list *list);

static bool list_is_empty(struct util_list *list)
{
    struct ir_node *only = util_list_first(list, struct ir_node, link);
    return list->prev == list->next && util_list_is_empty(&ir_node_as_block(only)->instrs);
}

static bool has_phis(struct ir_block *b)
{
    return !util_list_is_empty(&b->instrs) && util_list_first(&b->instrs, struct ir_instr, link)->op == IR_PHI;
}

static void select_flat_if(struct qc_sel *s, struct ir_if *nif)
{
    select_list(s, &nif->then_list);
    select_list(s, &nif->else_list);
    ir_for_each_instr(phi, block_after(&nif->node)) {
        if (phi->op != IR_PHI)
            break;
        if (util_list_is_empty(&phi->value.uses))
            continue;
        struct qc_src a = qc_sel_src(s, phi->src[0].def);
        struct qc_src b = qc_sel_src(s, phi->src[1].def);
        s->temp_of[phi->value.index] = qc_sel_choose(s, nif->cond.def, a, b);
    }
}

/* `if (c) break;` without phis to move: branches straight to the loop's exit. */
static bool try_direct_break(struct qc_sel *s, struct ir_if *nif, struct qc_flags f)
{
    if (!list_is_empty(&nif->else_list) || nif->then_list.next != nif->then_list.prev || !s->loop)
        return false;
    struct ir_block *only = ir_node_as_block(util_list_first(&nif->then_list, struct ir_node, link));
    if (only->instrs.next != only->instrs.prev || util_list_is_empty(&only->instrs) ||
        util_list_first(&only->instrs, struct ir_instr, link)->op != IR_BREAK || has_phis(s->loop->exit_phis) ||
        has_phis(block_after(&nif->node)))
        return false;
    s->loop->breaks++;
    branch_to(s, s->loop->exit, branch_all(f.cond), f.group);
    return true;
}

static bool select_uniform_if(struct qc_sel *s, struct ir_if *nif)
{
    struct ir_block *after = block_after(&nif->node);
    struct qc_flags f = qc_sel_flags(s, nif->cond.def, NULL, 0);
    if (try_direct_break(s, nif, f))
        return false;
    bool has_else = !list_is_empty(&nif->else_list) || has_phis(after);
    struct qc_block *other = qc_block_new(s->p), *merge = has_else ? qc_block_new(s->p) : other;
    branch_to(s, other, branch_all(qc_cond_not(f.cond)), f.group);

    bool then_jumps = select_list(s, &nif->then_list), else_jumps = false;
    if (!then_jumps)
        phi_moves(s, after, 0, false);
    if (has_else) {
        if (!then_jumps)
            branch_to(s, merge, QPU_BRANCH_ALWAYS, 0);
        qc_sel_append_block(s, other);
        else_jumps = select_list(s, &nif->else_list);
        if (!else_jumps)
            phi_moves(s, after, !then_jumps, false);
    }
    qc_sel_append_block(s, merge);
    return then_jumps && else_jumps && has_else;
}

static void select_divergent_if(struct qc_sel *s, struct ir_if *nif)
{
    struct ir_block *after = block_after(&nif->node);
    bool outermost = s->exec == QC_NONE;
    bool has_else = !list_is_empty(&nif->else_list) || has_phis(after);
    uint32_t end_point = ++s->resume_point_count, else_point = has_else ? ++s->resume_point_count : end_point;
    if (outermost) {
        uint32_t exec = qc_sel_any_temp(s);
        qc_sel_mov(s, exec, qc_src_const(0));
        struct qc_flags f = qc_sel_flags(s, nif->cond.def, NULL, 0);
        struct qc_instr *m = qc_sel_mov(s, exec, qc_src_const(else_point));
        m->cond = qc_cond_not(f.cond);
        m->uses = f.group;
        s->exec = exec;
    } else {
        struct qc_src word = qc_sel_src(s, nif->cond.def);
        struct qc_instr *x = qc_sel_alu(s, QPU_A_OR, QPU_M_NOP, QC_NONE, word, qc_src_temp(s->exec));
        x->sf = 1;
        x->sets = qc_flag_group_new(s->p);
        qc_sel_forget_flags(s);
        predicate(qc_sel_mov(s, s->exec, qc_src_const(else_point)),
                  (struct qc_flags){.group = x->sets, .cond = QPU_COND_ZS});
    }
    struct qc_block *other = qc_block_new(s->p), *merge = has_else ? qc_block_new(s->p) : other;
    if (list_cost(&nif->then_list) > SKIP_WORTH_COST)
        skip_if_no_lane_runs(s, other);
    bool then_jumps = select_list(s, &nif->then_list);
    if (!then_jumps)
        phi_moves(s, after, 0, s->loop != NULL);
    if (has_else) {
        if (other->is_target)
            qc_sel_append_block(s, other);
        mask_change(s, 0, end_point);
        mask_change(s, else_point, 0);
        if (list_cost(&nif->else_list) > SKIP_WORTH_COST)
            skip_if_no_lane_runs(s, merge);
        bool else_jumps = select_list(s, &nif->else_list);
        if (!else_jumps)
            phi_moves(s, after, !then_jumps, true);
    }
    if (merge->is_target)
        qc_sel_append_block(s, merge);
    if (outermost)
        s->exec = QC_NONE;
    else
        mask_change(s, end_point, 0);
    s->resume_point_count -= 1 + has_else;
}

/* True when a jump of this loop is under a divergent condition. */
static bool has_divergent_jump(struct util_list *list, bool divergent)
{
    util_list_for_each(struct ir_node, n, list, link) {
        if (n->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(n);
            bool inside = divergent || nif->cond.def->value.divergent;
            if (has_divergent_jump(&nif->then_list, inside) || has_divergent_jump(&nif->else_list, inside))
                return true;
        } else if (n->kind == IR_NODE_BLOCK && divergent) {
            struct ir_block *b = ir_node_as_block(n);
            if (!util_list_is_empty(&b->instrs)) {
                uint16_t op = util_list_last(&b->instrs, struct ir_instr, link)->op;
                if (op == IR_BREAK || op == IR_CONTINUE)
                    return true;
            }
        }
    }
    return false;
}

static void select_loop(struct qc_sel *s, struct ir_loop *ir)
{
    struct qc_sel_loop loop = {
        .parent = s->loop,
        .ir = ir,
        .head = qc_block_new(s->p),
        .exit = qc_block_new(s->p),
        .head_phis = ir_node_as_block(util_list_first(&ir->body, struct ir_node, link)),
        .exit_phis = block_after(&ir->node),
        .divergent = s->exec != QC_NONE || has_divergent_jump(&ir->body, false),
    };
    bool outermost = loop.divergent && s->exec == QC_NONE;
    phi_moves(s, loop.head_phis, 0, false);
    if (outermost) {
        s->exec = qc_sel_any_temp(s);
        qc_sel_mov(s, s->exec, qc_src_const(0));
    }
    if (loop.divergent) {
        loop.exit_point = ++s->resume_point_count;
        loop.continue_point = ++s->resume_point_count;
    }
    loop.head->is_target = true;
    qc_sel_append_block(s, loop.head);
    s->loop = &loop;
    bool jumps = select_list(s, &ir->body);
    if (!jumps)
        phi_moves(s, loop.head_phis, 1 + loop.continues, loop.divergent);
    if (loop.divergent) {
        if (loop.continues)
            mask_change(s, loop.continue_point, 0);
        struct qc_flags f = qc_sel_flags_word(s, s->exec);
        qc_program_add_loop(s->p, loop.head, s->block);
        branch_to(s, loop.head, QPU_BRANCH_ANY_ZS, f.group);
    } else {
        qc_program_add_loop(s->p, loop.head, s->block);
        if (!jumps)
            branch_to(s, loop.head, QPU_BRANCH_ALWAYS, 0);
    }
    s->loop = loop.parent;
    qc_sel_append_block(s, loop.exit);
    if (outermost)
        s->exec = QC_NONE;
    else if (loop.divergent)
        mask_change(s, loop.exit_point, 0);
    if (loop.divergent)
        s->resume_point_count -= 2;
}

/* Lanes that reach this leave the loop or continue with its next iteration. */
static void select_jump(struct qc_sel *s, bool is_break)
{
    struct qc_sel_loop *l = s->loop;
    if (!l)
        qc_fail(s->p, VC4C_INVALID, "back end: a jump outside of a loop");
    if (is_break)
        phi_moves(s, l->exit_phis, l->breaks++, true);
    else
        phi_moves(s, l->head_phis, 1 + l->continues++, true);
    if (l->divergent)
        mask_change(s, 0, is_break ? l->exit_point : l->continue_point);
    else
        branch_to(s, is_break ? l->exit : l->head, QPU_BRANCH_ALWAYS, 0);
}

/* -- values that leave a divergent loop -- */

static bool is_inside(const struct ir_node *n, const struct ir_loop *loop)
{
    for (; n; n = n->parent) {
        if (n == &loop->node)
            return true;
    }
    return false;
}

static bool leaves_loop(struct qc_sel *s, const struct ir_instr *i)
{
    if (!s->loop || !s->loop->divergent || !i->value.bits)
        return false;
    util_list_for_each(struct ir_src, u, &i->value.uses, link) {
        const struct ir_node *user = u->user ? &u->user->block->node : &container_of(u, struct ir_if, cond)->node;
        if (!is_inside(user, s->loop->ir))
            return true;
    }
    return false;
}

/* Lanes that have left the loop keep the value of their last iteration: the value is copied under the mask to a
 * temporary of its own. Loop phis are written under the mask already. */
static void keep_exit_value(struct qc_sel *s, struct ir_instr *i)
{
    if (i->op == IR_CONST || i->op == IR_UNIFORM || i->op == IR_UNDEF || i->op == IR_PHI || !leaves_loop(s, i))
        return;
    struct qc_src src = qc_sel_src(s, i);
    uint32_t kept = qc_sel_any_temp(s);
    struct qc_flags running = qc_sel_flags_word(s, s->exec);
    predicate(qc_sel_mov(s, kept, src), running);
    s->p->temps[kept].kept_in_loop = 1;
    s->temp_of[i->value.index] = kept;
}

static bool select_list(struct qc_sel *s, struct util_list *list)
{
    bool jumps = false;
    util_list_for_each(struct ir_node, n, list, link) {
        if (n->kind == IR_NODE_LOOP) {
            select_loop(s, ir_node_as_loop(n));
        } else if (n->kind == IR_NODE_IF) {
            struct ir_if *nif = ir_node_as_if(n);
            if (is_flat(s, nif))
                select_flat_if(s, nif);
            else if (s->exec == QC_NONE && !nif->cond.def->value.divergent)
                jumps = select_uniform_if(s, nif);
            else
                select_divergent_if(s, nif);
        } else {
            ir_for_each_instr(i, ir_node_as_block(n)) {
                if (i->op == IR_BREAK || i->op == IR_CONTINUE) {
                    select_jump(s, i->op == IR_BREAK);
                    jumps = true;
                    break;
                }
                qc_sel_instr(s, i);
                keep_exit_value(s, i);
            }
        }
    }
    return jumps;
}

void qc_select(struct qc_program *p)
{
    ir_renumber(p->shader);
    ir_analyse_divergence(p->shader);
    struct qc_sel s = {.p = p, .exec = QC_NONE};
    s.temp_of = util_arena_new_array(p->arena, uint32_t, p->shader->value_count + 1);
    memset(s.temp_of, 0xff, (p->shader->value_count + 1) * sizeof *s.temp_of);
    s.region_of = util_arena_new_array(p->arena, uint32_t, p->shader->block_count + 1);
    uint32_t regions = 0;
    number_regions(&s, &p->shader->body, 0, &regions);
    qc_sel_append_block(&s, qc_block_new(p));
    qc_sel_start(&s);
    select_list(&s, &p->shader->body);
}
