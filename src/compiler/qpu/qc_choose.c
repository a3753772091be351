/* SPDX-License-Identifier: MIT
 *
 * Selects the order in which ready operations are tried for the current word: those with the longest critical path
 * first, weighed against the registers that they free or take.
 */
#include "compiler/qpu/qc_sched.h"

#include <string.h>

#define IN_ORDER_WINDOW 8 /* how far strategy.in_order looks past the first operation that is not issued */

/* ---------------------------------------------------------------- can the operation issue now */

static bool sources_are_readable(const struct qc_sched *s, const struct qc_node *node)
{
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++) {
        const struct qc_life *l = &s->lives[node->reads[k]];
        if (l->at.kind == QC_PLACE_NONE)
            continue; /* never written: any register is fine */
        bool rotated = node->flags & QC_NODE_ROTATES && l->at.kind == QC_PLACE_ACC; /* [notes H4] */
        if (l->ready + rotated > s->cycle)
            return false;
    }
    return true;
}

bool qc_latch_is_free(const struct qc_sched *s, const struct qc_node *node, uint32_t owner)
{
    if (owner == QC_NONE)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        if (node->reads[k] == owner)
            return qc_is_last_reader(s, node, k);
    }
    return false;
}

/* True when flags, latches and accumulators allow the operation. Later operations of the same word may change that. */
static bool is_allowed(const struct qc_sched *s, const struct qc_node *node)
{
    const struct qc_instr *i = node->instr;
    if (!(node->flags & QC_NODE_RESTRICTED))
        return true;
    if ((i->uses && i->uses != s->flag_group) || (i->sets && s->flag_readers))
        return false;
    bool r4 = node->flags & QC_NODE_WRITES_R4, varying = node->flags & QC_NODE_VARYING;
    if (r4 && (s->r4_free_at > s->cycle || !qc_latch_is_free(s, node, s->owner[QC_PLACE_R4][0])))
        return false;
    if (varying && !qc_latch_is_free(s, node, s->owner[QC_PLACE_R5][0]))
        return false;
    return !(qc_is_draining(s) && (i->sets || r4 || (varying && i->result != QC_NONE)));
}

bool qc_may_issue(const struct qc_sched *s, uint32_t n)
{
    const struct qc_node *node = &s->dag->nodes[n];
    return s->states[n].earliest <= s->cycle && sources_are_readable(s, node) && is_allowed(s, node);
}

/* ---------------------------------------------------------------- scores */

/* Live ranges that end with this operation minus those that begin. */
static int life_balance(const struct qc_sched *s, const struct qc_node *node)
{
    int balance = 0;
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++)
        balance += qc_is_last_reader(s, node, k);
    if (node->instr->dst != QC_NONE && s->lives[node->instr->dst].at.kind == QC_PLACE_NONE)
        balance--;
    if (node->instr->result != QC_NONE)
        balance--;
    return balance;
}

static uint32_t hash(uint32_t x)
{
    x *= 0x9e3779b1u;
    return (x ^ x >> 15) * 0x85ebca6bu >> 16;
}

static int fixed_score(const struct qc_sched *s, uint32_t n)
{
    const struct qc_strategy *st = s->strategy;
    const struct qc_node *node = &s->dag->nodes[n];
    if (st->in_order)
        return -(int)n;
    int value = (int)node->height * 16;
    if (node->instr->uses)
        value += 40; /* frees the flags for others */
    return st->seed ? value + (int)(hash(n * 31 + st->seed) % 24) : value - ((int)n & 3);
}

/* Constants and uniforms can be fetched at any time. Lazy strategies fetch them at most this many words before the word
 * in which the earlier run used them. */
#define FETCH_AHEAD 4

static uint32_t earliest_fetch(const struct qc_sched *s, uint32_t n)
{
    if (!s->previous || !s->strategy->lazy || !(s->dag->nodes[n].flags & QC_NODE_FETCH))
        return 0;
    uint32_t first_use = UINT32_MAX;
    qc_for_each_out(e, s->dag, n)
        first_use = MIN2(first_use, s->previous->cycle_of[s->operation_base + e->to]);
    return first_use != UINT32_MAX && first_use > FETCH_AHEAD ? first_use - FETCH_AHEAD : 0;
}

void qc_choose_begin_block(struct qc_sched *s)
{
    for (uint32_t n = 0; n < s->dag->node_count; n++) {
        s->states[n].score = fixed_score(s, n);
        s->states[n].not_before = earliest_fetch(s, n);
    }
}

/* Penalties. An operation with one of them scores below IS_LAST_RESORT and goes only into an empty word. */
#define STALLS          (1 << 22)
#define TAKES_REGISTERS (1 << 20)
#define IS_LAST_RESORT  (-(1 << 19))

static bool is_stalled(const struct qc_sched *s, const struct qc_node_state *w)
{
    return w->soft > s->cycle || w->not_before > s->cycle;
}

static int score(const struct qc_sched *s, uint32_t n, bool tight)
{
    const struct qc_node_state *w = &s->states[n];
    int value = w->score;
    if (!s->strategy->in_order) {
        int balance = life_balance(s, &s->dag->nodes[n]);
        value += balance * s->strategy->kill_weight;
        if (tight && balance < 0)
            value -= TAKES_REGISTERS;
    }
    if (is_stalled(s, w))
        value -= STALLS;
    return value;
}

/* ---------------------------------------------------------------- sorted list and heap */

static qc_key key_of(int score, uint32_t node)
{
    return (uint64_t)((uint32_t)score ^ 0x80000000u) << 32 | (UINT32_MAX - node);
}

static int score_of(qc_key key)
{
    return (int)((uint32_t)(key >> 32) ^ 0x80000000u);
}

/* The index of the key in s->ready, or where it would be inserted. */
static uint32_t find_ready(const struct qc_sched *s, qc_key key)
{
    uint32_t begin = 0, end = s->ready_count;
    while (begin < end) {
        uint32_t middle = (begin + end) / 2;
        if (s->ready[middle] < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

void qc_ready_add(struct qc_sched *s, uint32_t n)
{
    qc_key key = key_of(s->states[n].score, n);
    uint32_t at = find_ready(s, key);
    memmove(&s->ready[at + 1], &s->ready[at], (s->ready_count++ - at) * sizeof key);
    s->ready[at] = key;
}

void qc_ready_remove(struct qc_sched *s, uint32_t n)
{
    uint32_t at = find_ready(s, key_of(s->states[n].score, n));
    assert(qc_node_of(s->ready[at]) == n);
    memmove(&s->ready[at], &s->ready[at + 1], (--s->ready_count - at) * sizeof s->ready[0]);
}

static void push(struct qc_queue *q, qc_key key)
{
    uint32_t at = q->count++;
    for (; at && q->keys[(at - 1) / 2] < key; at = (at - 1) / 2)
        q->keys[at] = q->keys[(at - 1) / 2];
    q->keys[at] = key;
}

static qc_key pop(struct qc_queue *q)
{
    qc_key best = q->keys[0], key = q->keys[--q->count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && q->keys[child + 1] > q->keys[child])
            child++;
        if (q->keys[child] <= key)
            break;
        q->keys[at] = q->keys[child];
    }
    q->keys[at] = key;
    return best;
}

/* ---------------------------------------------------------------- candidates */

/* False when the word certainly has no port for a source. */
static bool has_ports_for(const struct qc_sched *s, const struct qc_node *node)
{
    if (node->flags & (QC_NODE_UNPACKS | QC_NODE_UNIFORM)) {
        for (unsigned k = 0; k < 2; k++) {
            const struct qc_src src = node->instr->src[k];
            if (src.kind == QC_SRC_TEMP ? !qc_draft_has_port(&s->draft, qc_place_of(s, src))
                                        : src.kind == QC_SRC_UNIFORM && !qc_draft_has_uniform(s->p, &s->draft, src))
                return false;
        }
        return true;
    }
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++) {
        if (!qc_draft_has_port(&s->draft, s->lives[node->reads[k]].at))
            return false;
    }
    return true;
}

/* False when the operation cannot issue yet or the word has no room for it. Adding operations to the word cannot change
 * that, so it is cached per word. */
static bool is_possible(const struct qc_sched *s, const struct qc_node_state *w, const struct qc_node *node)
{
    if (w->earliest > s->cycle)
        return false;
    if (s->draft.count && (is_stalled(s, w) || !qc_draft_has_unit(&s->draft, node->instr) || !has_ports_for(s, node)))
        return false;
    return sources_are_readable(s, node);
}

void qc_collect(struct qc_sched *s)
{
    struct qc_queue *q = &s->candidates;
    q->count = q->next = 0;
    q->is_tight = qc_regs_free_files(s) <= s->strategy->reserve;
    q->last = s->strategy->in_order && s->ready_count ? qc_ready(s, 0) + IN_ORDER_WINDOW : QC_NONE;
}

static void consider(struct qc_sched *s, uint32_t n)
{
    struct qc_queue *q = &s->candidates;
    struct qc_node_state *w = &s->states[n];
    if (w->refused_by == s->word_number)
        return;
    const struct qc_node *node = &s->dag->nodes[n];
    if (!is_possible(s, w, node)) {
        w->refused_by = s->word_number;
        return;
    }
    /* A reader of the current flags is considered wherever it stands, because operations in the window that set new
     * flags have to wait for it. */
    if (n > q->last && !(node->instr->uses && node->instr->uses == s->flag_group))
        return;
    if (n == s->switch_node || !is_allowed(s, node))
        return;
    const int value = score(s, n, q->is_tight);
    if (!s->draft.count || value >= IS_LAST_RESORT)
        push(q, key_of(value, n));
}

/* The most that ending live ranges can add to an operation's fixed score. */
static int max_bonus(const struct qc_sched *s)
{
    return s->strategy->in_order ? 0 : 2 * s->strategy->kill_weight;
}

/* Takes the ready operations by fixed score, the best first. Stops once no further operation can beat the best
 * candidate found, or behind the best QC_READY_TRIES_MAX operations if there is a candidate among them, or if the word
 * has an operation already. */
bool qc_next_candidate(struct qc_sched *s, uint32_t *node_out)
{
    struct qc_queue *q = &s->candidates;
    const int bonus = max_bonus(s);
    for (; q->next < s->ready_count; q->next++) {
        if (q->next >= QC_READY_TRIES_MAX && (q->count || s->draft.count))
            break;
        qc_key next = s->ready[s->ready_count - 1 - q->next];
        if (q->count && score_of(q->keys[0]) > score_of(next) + bonus)
            break;
        consider(s, qc_node_of(next));
    }
    if (!q->count)
        return false;
    *node_out = qc_node_of(pop(q));
    return true;
}
