/* SPDX-License-Identifier: MIT
 *
 * List scheduling: block by block, word by word, the ready operations with the longest way before them go into the word
 * while they fit (qc_word.c), and what they write gets its register at that moment (qc_regs.c).
 *
 * Hazards are kept by time stamps: when a value may be read (H1, H2, H4), when r4 may be loaded (H2), which flag group
 * the flags hold. Where values stand in each other's way (two registers of one file, r4 or an accumulator that must be
 * given up), a copy is put into a word that has room for it.
 */
#include "compiler/qpu/qc_sched.h"

#include "compiler/qpu/qc_engine.h"

#include <string.h>

#define IN_ORDER_WINDOW 8  /* how far strategy.in_order looks past the first operation that waits */
#define STALL_LIMIT     40 /* words without an operation: nothing will ever be ready */

/* ---------------------------------------------------------------- can it go now */

static bool source_is_readable(struct qc_sched *s, const struct qc_instr *i, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return true;
    const struct qc_life *l = &s->lives[src.index];
    if (l->at.kind == QC_PLACE_NONE)
        return true; /* never written: any register will do */
    uint32_t ready = l->ready;
    if (i->rotate && l->at.kind == QC_PLACE_ACC)
        ready++; /* [notes H4] */
    return ready <= s->cycle;
}

static bool writes_r4(const struct qc_instr *i)
{
    return i->kind == QC_SIGNAL || qpu_waddr_is_sfu(i->waddr);
}

static bool is_last_reader(const struct qc_sched *s, const struct qc_instr *i, uint32_t temp)
{
    unsigned reads = 0;
    for (unsigned k = 0; k < 2; k++)
        reads += i->src[k].kind == QC_SRC_TEMP && i->src[k].index == temp;
    return reads && reads == s->lives[temp].pending && qc_regs_dies_here(s, temp);
}

static bool latch_is_free(const struct qc_sched *s, const struct qc_instr *i, uint32_t owner)
{
    return owner == QC_NONE || is_last_reader(s, i, owner);
}

/* In the delay slots of a thread switch, and while one is due, nothing begins that only accumulators or flags hold. */
static bool is_draining(const struct qc_sched *s)
{
    return s->switch_node != QC_NONE || s->cycle < s->switch_until;
}

static bool accumulators_are_empty(const struct qc_sched *s)
{
    for (unsigned k = 0; k < QC_ACCS; k++) {
        if (s->owner[QC_PLACE_ACC][k] != QC_NONE)
            return false;
    }
    return s->owner[QC_PLACE_R4][0] == QC_NONE && s->owner[QC_PLACE_R5][0] == QC_NONE && !s->flag_readers &&
           s->r4_free_at <= s->cycle + 1;
}

static bool may_issue(struct qc_sched *s, uint32_t n)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    if (s->earliest[n] > s->cycle || !source_is_readable(s, i, i->src[0]) || !source_is_readable(s, i, i->src[1]))
        return false;
    if (i->uses && i->uses != s->flag_group)
        return false;
    if (i->sets && s->flag_readers)
        return false;
    if (writes_r4(i) && (s->r4_free_at > s->cycle || !latch_is_free(s, i, s->owner[QC_PLACE_R4][0])))
        return false;
    if ((i->chains & QC_CHAIN_VARYING) && !latch_is_free(s, i, s->owner[QC_PLACE_R5][0]))
        return false;
    if (is_draining(s) && (i->sets || writes_r4(i) || ((i->chains & QC_CHAIN_VARYING) && i->result != QC_NONE)))
        return false;
    return true;
}

/* ---------------------------------------------------------------- putting it into the word */

static struct qc_place home_of(const struct qc_life *l)
{
    return l->home.kind != QC_PLACE_NONE ? l->home : l->at;
}

static struct qc_place place_of(const struct qc_sched *s, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return (struct qc_place){0};
    struct qc_place at = src.unpack ? home_of(&s->lives[src.index]) : s->lives[src.index].at;
    if (at.kind == QC_PLACE_NONE) /* never written */
        at = src.unpack ? (struct qc_place){QC_PLACE_A, 0} : (struct qc_place){QC_PLACE_ACC, 0};
    return at;
}

static unsigned released_by(const struct qc_sched *s, const struct qc_instr *i, struct qc_place out[2])
{
    unsigned count = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP && is_last_reader(s, i, i->src[k].index))
            out[count++] = s->lives[i->src[k].index].at;
    }
    return count;
}

/* A quick look before qc_draft_resolve: is there a unit left for it? */
static bool has_unit_for(const struct qc_draft *d, const struct qc_instr *i)
{
    bool only_add = !i->op_mul, only_mul = !i->op_add;
    if (d->count == QC_DRAFT_SLOTS)
        return false;
    if (i->kind != QC_ALU)
        return true;
    unsigned units = 0;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_instr *o = d->slots[k].instr;
        if (o->kind != QC_ALU)
            continue;
        units++;
        if ((only_add && !o->op_mul) || (only_mul && !o->op_add))
            return false;
    }
    return units < 2;
}

static bool fits(struct qc_sched *s, const struct qc_instr *i, struct qc_place dst)
{
    if (!has_unit_for(&s->draft, i))
        return false;
    struct qc_draft d = s->draft;
    d.slots[d.count++] = (struct qc_slot){i, {place_of(s, i->src[0]), place_of(s, i->src[1])}, dst};
    if (!qc_draft_resolve(s->p, &d, s->uniforms_allowed))
        return false;
    s->draft = d;
    return true;
}

/* Adds the operation if there is a place for its result that the word allows. */
static bool add_to_word(struct qc_sched *s, uint32_t n, struct qc_place *dst_out)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    *dst_out = (struct qc_place){0};
    if (i->dst == QC_NONE)
        return fits(s, i, *dst_out);
    if (s->lives[i->dst].at.kind != QC_PLACE_NONE) {
        *dst_out = home_of(&s->lives[i->dst]);
        return fits(s, i, *dst_out);
    }
    struct qc_place releasing[2];
    unsigned releasing_count = released_by(s, i, releasing);
    uint8_t classes[3];
    unsigned count = qc_regs_rank(s, i->dst, n, classes);
    for (unsigned k = 0; k < count; k++) {
        if (qc_regs_find(s, classes[k], releasing, releasing_count, dst_out) && fits(s, i, *dst_out))
            return true;
    }
    return false;
}

static void drop_reference(struct qc_sched *s, uint32_t temp)
{
    struct qc_life *l = &s->lives[temp];
    assert(l->pending);
    if (--l->pending)
        return;
    qc_regs_go_home(s, temp);
    if (qc_regs_dies_here(s, temp))
        qc_regs_release(s, temp);
}

static void note_result(struct qc_sched *s, uint32_t n, uint32_t temp, struct qc_place at, uint32_t ready)
{
    struct qc_life *l = &s->lives[temp];
    l->writer = n;
    qc_regs_go_home(s, temp);
    if (l->at.kind == QC_PLACE_NONE)
        qc_regs_take(s, temp, at);
    l->ready = MAX2(l->ready, ready);
    l->written = s->cycle;
    drop_reference(s, temp);
}

static void release_successors(struct qc_sched *s, uint32_t n)
{
    qc_for_each_out(e, s->dag, n) {
        s->earliest[e->to] = MAX2(s->earliest[e->to], s->cycle + e->latency);
        s->soft[e->to] = MAX2(s->soft[e->to], s->cycle + e->soft);
        if (--s->in_left[e->to] == 0) {
            s->ready[s->ready_count++] = e->to;
            if (s->dag->nodes[e->to].instr->kind == QC_SWITCH)
                s->switch_node = e->to;
        }
    }
}

static void commit(struct qc_sched *s, uint32_t n, struct qc_place dst, struct qc_schedule *out)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    s->is_issued[n] = true;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP)
            drop_reference(s, i->src[k].index);
    }
    if (i->uses)
        s->flag_readers--;
    if (i->sets) {
        s->flag_group = i->sets;
        s->flag_readers = s->dag->group_readers[i->sets];
    }
    if (i->dst != QC_NONE)
        note_result(s, n, i->dst, dst, s->cycle + (dst.kind == QC_PLACE_ACC ? 1 : 2));
    if (writes_r4(i)) {
        bool sfu = i->kind != QC_SIGNAL;
        s->r4_free_at = s->cycle + (sfu ? 3 : 1);
        if (i->result != QC_NONE)
            note_result(s, n, i->result, (struct qc_place){QC_PLACE_R4, 0}, s->r4_free_at);
    } else if (i->result != QC_NONE) {
        note_result(s, n, i->result, (struct qc_place){QC_PLACE_R5, 0}, s->cycle + 1);
    }
    out->cycle_of[s->operation_base + n] = s->cycle;
    s->done_count++;
    release_successors(s, n);
}

static void remove_ready(struct qc_sched *s, uint32_t n)
{
    for (uint32_t k = 0; k < s->ready_count; k++) {
        if (s->ready[k] == n) {
            s->ready[k] = s->ready[--s->ready_count];
            return;
        }
    }
}

/* ---------------------------------------------------------------- thread switches */

#define SWITCH_SLOTS 2 /* words behind the switch that still run before the other thread does */

/* The first word that may bear the switch: its requests go out in its delay slots at the latest, all else before it. */
static uint32_t first_switch_word(const struct qc_sched *s, uint32_t n, const struct qc_schedule *out)
{
    uint32_t first = 0;
    qc_for_each_in(e, s->dag, n) {
        uint32_t at = out->cycle_of[s->operation_base + e->from];
        bool is_request = s->dag->nodes[e->from].instr->kind == QC_ALU;
        first = MAX2(first, is_request ? (at > SWITCH_SLOTS ? at - SWITCH_SLOTS : 0) : at + e->latency);
    }
    return first;
}

/* Would nothing that must outlive the switch at word `at` be in an accumulator when the other thread begins? */
static bool is_drained_behind(const struct qc_sched *s, uint32_t at)
{
    uint32_t last = at + SWITCH_SLOTS;
    return last < s->cycle ? s->out->words[last].drained : accumulators_are_empty(s);
}

/* A switch whose requests are out goes on a word that is finished already, as far back as it may; or on the word that
 * comes next. */
static void issue_switch(struct qc_sched *s, struct qc_schedule *out)
{
    uint32_t n = s->switch_node, now = s->cycle, at;
    const struct qc_instr *i = s->dag->nodes[n].instr;
    for (at = MIN2(first_switch_word(s, n, out), now); at < now; at++) {
        struct qc_word *w = &s->out->words[at];
        if (w->hw.sig == QPU_SIG_NONE && !w->plain && is_drained_behind(s, at)) {
            w->hw.sig = i->sig;
            break;
        }
    }
    if (at == now && !(s->earliest[n] <= now && accumulators_are_empty(s) && fits(s, i, (struct qc_place){0})))
        return;
    s->switch_node = QC_NONE;
    s->switch_until = at + 1 + SWITCH_SLOTS;
    remove_ready(s, n);
    s->cycle = at;
    commit(s, n, (struct qc_place){0}, out);
    s->cycle = now;
}

/* ---------------------------------------------------------------- copies */

/* Where a copy goes: as the rank says for what lives where it will; beside what must stay, it is for one reader soon.
 */
static unsigned order_of_copy(struct qc_sched *s, uint32_t temp, uint8_t out[3])
{
    static const uint8_t short_first[3] = {QC_IN_ACC, QC_IN_B, QC_IN_A};
    const struct qc_temp *t = &s->p->temps[temp];
    if (!t->global && (t->classes & (QC_IN_ACC | QC_IN_B)) && !qc_place_is_file(s->lives[temp].at))
        return qc_regs_rank(s, temp, s->lives[temp].writer, out);
    memcpy(out, short_first, sizeof short_first);
    return 3;
}

/* Moves a value elsewhere, if the word has room. */
static bool copy_value(struct qc_sched *s, uint32_t temp, uint8_t classes)
{
    struct qc_life *l = &s->lives[temp];
    const struct qc_temp *t = &s->p->temps[temp];
    if ((t->classes & (QC_IN_ACC | QC_IN_B)) || l->at.kind == QC_PLACE_R4)
        classes &= t->classes; /* else the first place stays beside the copy */
    if (is_draining(s))
        classes &= QC_IN_A | QC_IN_B;
    if (t->pinned || !classes || l->ready > s->cycle || l->written == s->cycle)
        return false;
    struct qc_instr *m = qc_instr_new(s->p, QC_ALU);
    m->op_add = QPU_A_OR;
    m->op_mul = QPU_M_V8MIN;
    m->src[0] = qc_src_temp(temp);
    m->dst = temp;
    uint8_t order[3];
    unsigned count = order_of_copy(s, temp, order);
    for (unsigned k = 0; k < count; k++) {
        struct qc_place at;
        if ((classes & order[k]) && qc_regs_find(s, order[k], NULL, 0, &at) && fits(s, m, at)) {
            qc_regs_move(s, temp, at);
            l->ready = s->cycle + (at.kind == QC_PLACE_ACC ? 1 : 2);
            l->written = s->cycle;
            return true;
        }
    }
    return false;
}

static uint8_t class_of(struct qc_place at)
{
    return at.kind == QC_PLACE_ACC ? QC_IN_ACC : at.kind == QC_PLACE_A ? QC_IN_A : at.kind == QC_PLACE_B ? QC_IN_B : 0;
}

/* The operation does not fit an instruction of its own: moves one of its sources to where it does. */
static bool copy_for_ports(struct qc_sched *s, uint32_t n)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    for (unsigned k = 2; k-- > 0;) {
        if (i->src[k].kind != QC_SRC_TEMP || i->src[k].unpack)
            continue;
        struct qc_place at = s->lives[i->src[k].index].at;
        if (!qc_place_is_file(at))
            continue;
        if (copy_value(s, i->src[k].index, (QC_IN_ACC | QC_IN_A | QC_IN_B) & ~class_of(at)))
            return true;
    }
    return false;
}

/* Only then can the operation not fit an instruction of its own. */
static bool wants_one_port_twice(struct qc_sched *s, const struct qc_instr *i)
{
    unsigned a = 0, b = 0;
    for (unsigned k = 0; k < 2; k++) {
        struct qc_place at = place_of(s, i->src[k]);
        a += at.kind == QC_PLACE_A || (i->src[k].kind == QC_SRC_READ && i->src[k].files == QC_FILE_A);
        b += at.kind == QC_PLACE_B || (i->src[k].kind == QC_SRC_READ && i->src[k].files == QC_FILE_B) ||
             i->src[k].kind == QC_SRC_CONST;
    }
    return a > 1 || b > 1;
}

static bool fits_alone(struct qc_sched *s, uint32_t n)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    struct qc_draft saved = s->draft;
    s->draft.count = 0;
    bool ok;
    if (i->dst == QC_NONE || s->lives[i->dst].at.kind != QC_PLACE_NONE)
        ok = fits(s, i, i->dst == QC_NONE ? (struct qc_place){0} : home_of(&s->lives[i->dst]));
    else if (s->p->temps[i->dst].classes & QC_IN_ACC)
        ok = fits(s, i, (struct qc_place){QC_PLACE_ACC, 0});
    else
        ok = fits(s, i, (struct qc_place){s->p->temps[i->dst].classes & QC_IN_A ? QC_PLACE_A : QC_PLACE_B, 0});
    s->draft = saved;
    return ok;
}

static void add_copies(struct qc_sched *s)
{
    if (is_draining(s)) {
        for (unsigned k = 0; k < QC_ACCS; k++) {
            if (s->owner[QC_PLACE_ACC][k] != QC_NONE)
                copy_value(s, s->owner[QC_PLACE_ACC][k], QC_IN_A | QC_IN_B);
        }
        if (s->owner[QC_PLACE_R4][0] != QC_NONE)
            copy_value(s, s->owner[QC_PLACE_R4][0], QC_IN_A | QC_IN_B);
        if (s->owner[QC_PLACE_R5][0] != QC_NONE)
            copy_value(s, s->owner[QC_PLACE_R5][0], QC_IN_A | QC_IN_B);
    }
    for (uint32_t k = 0; k < s->ready_count; k++) {
        uint32_t n = s->ready[k];
        const struct qc_instr *i = s->dag->nodes[n].instr;
        if (writes_r4(i) && s->owner[QC_PLACE_R4][0] != QC_NONE && !latch_is_free(s, i, s->owner[QC_PLACE_R4][0])) {
            if (s->r4_free_at <= s->cycle)
                copy_value(s, s->owner[QC_PLACE_R4][0], QC_IN_ACC | QC_IN_A | QC_IN_B);
        } else if ((i->chains & QC_CHAIN_VARYING) && s->owner[QC_PLACE_R5][0] != QC_NONE &&
                   !latch_is_free(s, i, s->owner[QC_PLACE_R5][0])) {
            copy_value(s, s->owner[QC_PLACE_R5][0], QC_IN_ACC | QC_IN_A | QC_IN_B);
        } else if (wants_one_port_twice(s, i) && may_issue(s, n) && !fits_alone(s, n)) {
            copy_for_ports(s, n);
        }
    }
}

/* ---------------------------------------------------------------- the order of candidates */

static int life_balance(struct qc_sched *s, const struct qc_instr *i)
{
    int balance = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP && is_last_reader(s, i, i->src[k].index))
            balance++;
        if (k == 1 && i->src[0].kind == QC_SRC_TEMP && i->src[1].kind == QC_SRC_TEMP &&
            i->src[0].index == i->src[1].index)
            balance -= is_last_reader(s, i, i->src[0].index);
    }
    if (i->dst != QC_NONE && s->lives[i->dst].at.kind == QC_PLACE_NONE)
        balance--;
    if (i->result != QC_NONE)
        balance--;
    return balance;
}

static uint32_t hash(uint32_t x)
{
    x *= 0x9e3779b1u;
    return (x ^ x >> 15) * 0x85ebca6bu >> 16;
}

/* Constants and uniforms can be fetched at any time: not long before an earlier run wanted them. */
#define FETCH_AHEAD 4

static bool is_too_early(const struct qc_sched *s, uint32_t n)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    if (!s->previous || !s->strategy->lazy || i->kind != QC_ALU || i->dst == QC_NONE || i->chains || i->sf ||
        i->uses || i->reset)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP || i->src[k].kind == QC_SRC_READ)
            return false;
    }
    uint32_t wanted = UINT32_MAX;
    qc_for_each_out(e, s->dag, n)
        wanted = MIN2(wanted, s->previous->cycle_of[s->operation_base + e->to]);
    return wanted != UINT32_MAX && s->cycle + FETCH_AHEAD < wanted;
}

static int score(struct qc_sched *s, uint32_t n)
{
    const struct qc_strategy *st = s->strategy;
    const struct qc_instr *i = s->dag->nodes[n].instr;
    if (st->in_order)
        return -(int)n;
    int value = (int)s->dag->nodes[n].height * 16;
    value += life_balance(s, i) * st->kill_weight;
    if (i->uses)
        value += 40; /* frees the flags for others */
    if (st->seed)
        value += (int)(hash(n * 31 + st->seed) % 24);
    else
        value -= (int)n & 7;
    return value;
}

static unsigned collect(struct qc_sched *s, struct qc_candidate *list)
{
    unsigned count = 0;
    bool tight = qc_regs_free_files(s) <= s->strategy->reserve;
    uint32_t first = QC_NONE;
    if (s->strategy->in_order) {
        for (uint32_t k = 0; k < s->ready_count; k++)
            first = MIN2(first, s->ready[k]);
    }
    for (uint32_t k = 0; k < s->ready_count; k++) {
        uint32_t n = s->ready[k];
        if (n == s->switch_node || (first != QC_NONE && n > first + IN_ORDER_WINDOW) || !may_issue(s, n))
            continue;
        struct qc_candidate c = {n, score(s, n)};
        if (tight && !s->strategy->in_order && life_balance(s, s->dag->nodes[n].instr) < 0)
            c.score -= 1 << 20;
        if (s->soft[n] > s->cycle || is_too_early(s, n))
            c.score -= 1 << 22;
        unsigned at = count++;
        for (; at > 0 && list[at - 1].score < c.score; at--)
            list[at] = list[at - 1];
        list[at] = c;
    }
    return count;
}

static bool issue(struct qc_sched *s, uint32_t n, struct qc_schedule *out)
{
    struct qc_place dst;
    if (!may_issue(s, n) || !add_to_word(s, n, &dst))
        return false;
    remove_ready(s, n);
    commit(s, n, dst, out);
    return true;
}

static void fill_word(struct qc_sched *s, struct qc_candidate *list, struct qc_schedule *out)
{
    s->draft.count = 0;
    bool sure = qc_draft_resolve(s->p, &s->draft, s->uniforms_allowed);
    assert(sure);
    (void)sure;
    if (s->switch_node != QC_NONE)
        issue_switch(s, out);
    bool progress = true;
    while (progress && s->draft.count < QC_DRAFT_SLOTS) {
        progress = false;
        unsigned count = collect(s, list);
        for (unsigned k = 0; k < count; k++) {
            if (list[k].score < -(1 << 21) && s->draft.count) /* would stall: only when there is nothing else */
                break;
            if (list[k].score < -(1 << 19) && s->draft.count) /* few registers: one such operation at a time */
                break;
            if (issue(s, list[k].node, out)) {
                progress = true;
                break;
            }
        }
    }
    add_copies(s);
}

/* ---------------------------------------------------------------- blocks */

static void append_word(struct qc_sched *s, struct qc_schedule_block *b)
{
    if (b->count == b->room) {
        uint32_t room = b->room ? b->room * 2 : 64;
        struct qc_word *grown = util_arena_new_array(s->p->arena, struct qc_word, room);
        if (b->count)
            memcpy(grown, b->words, b->count * sizeof *grown);
        b->words = grown;
        b->room = room;
    }
    b->words[b->count] = s->draft.word;
    b->words[b->count++].drained = accumulators_are_empty(s);
}

static void begin_block(struct qc_sched *s, struct qc_block *block, struct qc_dag *dag)
{
    s->block = block;
    s->dag = dag;
    s->cycle = s->done_count = s->ready_count = 0;
    s->r4_free_at = s->switch_until = 0;
    s->flag_group = s->flag_readers = 0;
    s->switch_node = QC_NONE;
    s->uniforms_allowed = !block->is_target || block->has_reset;
    for (uint32_t n = 0; n < dag->node_count; n++) {
        const struct qc_instr *i = dag->nodes[n].instr;
        s->in_left[n] = dag->nodes[n].in_count;
        s->is_issued[n] = false;
        /* [notes H6] no scoreboard in the first two instructions. */
        s->earliest[n] = s->soft[n] = i->tlb && block->index == 0 ? 2 : 0;
        if (!s->in_left[n])
            s->ready[s->ready_count++] = n;
        if (!s->in_left[n] && i->kind == QC_SWITCH)
            s->switch_node = n;
    }
    qc_regs_begin_block(s);
}

static bool schedule_block(struct qc_sched *s, struct qc_schedule_block *b, struct qc_candidate *list,
                           struct qc_schedule *out)
{
    unsigned idle = 0;
    b->branch_setter_word = QC_NONE;
    while (s->done_count < s->dag->node_count) {
        uint32_t done_before = s->done_count;
        fill_word(s, list, out);
        idle = s->done_count > done_before ? 0 : idle + 1; /* copies alone get nowhere */
        if (idle > STALL_LIMIT)
            return false;
        append_word(s, b);
        s->cycle++;
    }
    if (s->dag->branch_setter != QC_NONE)
        b->branch_setter_word = out->cycle_of[s->operation_base + s->dag->branch_setter];
    qc_regs_end_block(s);
    return true;
}

/* ---------------------------------------------------------------- sequences of the CPU engine */

static uint8_t site_source(const struct qc_sched *s, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return VC4C_SITE_NO_PLACE;
    struct qc_place at = s->lives[src.index].at;
    if (at.kind == QC_PLACE_NONE) /* never written */
        return 0;
    assert(qc_place_is_file(at));
    return at.kind == QC_PLACE_B ? at.reg | VC4C_SITE_FILE_B : at.reg;
}

/* Results get registers while the sources still hold theirs: sequences write them when they like. */
static bool site_result(struct qc_sched *s, uint32_t temp, uint8_t *out)
{
    struct qc_place at;
    *out = VC4C_SITE_NO_PLACE;
    if (temp == QC_NONE)
        return true;
    if (s->lives[temp].at.kind == QC_PLACE_NONE) {
        uint8_t classes = s->p->temps[temp].classes;
        if (!((classes & QC_IN_B) && qc_regs_find(s, QC_IN_B, NULL, 0, &at)) &&
            !((classes & QC_IN_A) && qc_regs_find(s, QC_IN_A, NULL, 0, &at)))
            return false;
        qc_regs_take(s, temp, at);
    }
    *out = site_source(s, qc_src_temp(temp));
    return true;
}

static bool schedule_sequence(struct qc_sched *s, struct qc_schedule_block *b)
{
    struct qpu_instr words[QC_SEQUENCE_ROOM];
    struct qc_instr *i = b->block->sequence;
    struct qc_instr *more = i->link.next == &b->block->instrs ? NULL : container_of(i->link.next, struct qc_instr, link);
    b->branch_setter_word = QC_NONE;
    b->site = (struct vc4c_site){.kind = (uint8_t)i->imm,
                                 .address = site_source(s, i->src[0]),
                                 .data = site_source(s, i->src[1]),
                                 .compare = VC4C_SITE_NO_PLACE,
                                 .scratch = VC4C_SITE_NO_PLACE};
    if (!site_result(s, i->dst, &b->site.result))
        return false;
    if (more) {
        b->site.compare = site_source(s, more->src[0]);
        if (!site_result(s, more->dst, &b->site.scratch))
            return false;
    }
    b->site.count = (uint16_t)qc_sequence_write(&b->site, s->p->subgroups, words);
    for (unsigned k = 0; k < b->site.count; k++) {
        s->draft.word = (struct qc_word){.hw = words[k], .lookup = QC_NONE};
        append_word(s, b);
    }
    qc_for_each_instr(k, b->block) {
        for (unsigned n = 0; n < 2; n++) {
            if (k->src[n].kind == QC_SRC_TEMP)
                drop_reference(s, k->src[n].index);
        }
        if (k->dst != QC_NONE)
            drop_reference(s, k->dst);
    }
    qc_regs_end_block(s);
    return true;
}

struct qc_sched *qc_sched_create(struct qc_program *p)
{
    struct util_arena *arena = p->arena;
    struct qc_sched *s = util_arena_new(arena, struct qc_sched);
    uint32_t largest = 0;
    s->p = p;
    qc_for_each_block(b, p) {
        largest = MAX2(largest, b->dag->node_count);
        s->operation_count += b->dag->node_count;
    }
    s->lives = util_arena_new_array(arena, struct qc_life, p->temp_count + 1);
    s->in_left = util_arena_new_array(arena, uint32_t, largest + 1);
    s->earliest = util_arena_new_array(arena, uint32_t, largest + 1);
    s->is_issued = util_arena_new_array(arena, bool, largest + 1);
    s->soft = util_arena_new_array(arena, uint32_t, largest + 1);
    s->ready = util_arena_new_array(arena, uint32_t, largest + 1);
    s->candidates = util_arena_new_array(arena, struct qc_candidate, largest + 1);
    return s;
}

static void begin_run(struct qc_sched *s, struct qc_schedule *out)
{
    struct util_arena *arena = s->p->arena;
    memset(s->lives, 0, s->p->temp_count * sizeof *s->lives);
    s->used_count = s->used_max = s->operation_base = 0;
    qc_regs_init(s);
    if (!out->blocks) {
        out->blocks = util_arena_new_array(arena, struct qc_schedule_block, s->p->block_count + 1);
        out->cycle_of = util_arena_new_array(arena, uint32_t, s->operation_count + 1);
    }
}

bool qc_sched_run(struct qc_sched *s, const struct qc_strategy *strategy, const struct qc_schedule *previous,
                  struct qc_schedule *out)
{
    s->strategy = strategy;
    s->previous = previous;
    begin_run(s, out);
    qc_for_each_block(b, s->p) {
        struct qc_schedule_block *sb = s->out = &out->blocks[b->index];
        sb->block = b;
        sb->count = 0;
        begin_block(s, b, b->dag);
        if (!(b->sequence ? schedule_sequence(s, sb) : schedule_block(s, sb, s->candidates, out)))
            return false;
        s->operation_base += b->dag->node_count;
    }
    out->registers = s->used_max;
    return true;
}
