/* SPDX-License-Identifier: MIT
 *
 * Which of the ready operations go into the word, in which order: first those with the longest way before them, weighed
 * against the registers that they free or take.
 */
#include "compiler/qpu/qc_sched.h"

#define IN_ORDER_WINDOW 8 /* how far strategy.in_order looks past the first operation that waits */

/* ---------------------------------------------------------------- can it go now */

static bool sources_are_readable(const struct qc_sched *s, const struct qc_node *node)
{
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++) {
        const struct qc_life *l = &s->lives[node->reads[k]];
        if (l->at.kind == QC_PLACE_NONE)
            continue; /* never written: any register will do */
        bool rotated = node->instr->rotate && l->at.kind == QC_PLACE_ACC; /* [notes H4] */
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

/* Flags, latches and accumulators let it: later operations of the word may change that. */
static bool is_allowed(const struct qc_sched *s, const struct qc_node *node)
{
    const struct qc_instr *i = node->instr;
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
    return s->waits[n].earliest <= s->cycle && sources_are_readable(s, node) && is_allowed(s, node);
}

/* ---------------------------------------------------------------- how good it is */

/* Lives that end here less those that begin. */
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

static int steady_score(const struct qc_sched *s, uint32_t n)
{
    const struct qc_strategy *st = s->strategy;
    const struct qc_node *node = &s->dag->nodes[n];
    if (st->in_order)
        return -(int)n;
    int value = (int)node->height * 16;
    if (node->instr->uses)
        value += 40; /* frees the flags for others */
    return st->seed ? value + (int)(hash(n * 31 + st->seed) % 24) : value - ((int)n & 7);
}

/* Constants and uniforms can be fetched at any time: not long before an earlier run wanted them. */
#define FETCH_AHEAD 4

static uint32_t first_wanted(const struct qc_sched *s, uint32_t n)
{
    if (!s->previous || !s->strategy->lazy || !(s->dag->nodes[n].flags & QC_NODE_FETCH))
        return 0;
    uint32_t wanted = UINT32_MAX;
    qc_for_each_out(e, s->dag, n)
        wanted = MIN2(wanted, s->previous->cycle_of[s->operation_base + e->to]);
    return wanted != UINT32_MAX && wanted > FETCH_AHEAD ? wanted - FETCH_AHEAD : 0;
}

void qc_choose_begin_block(struct qc_sched *s)
{
    for (uint32_t n = 0; n < s->dag->node_count; n++) {
        s->waits[n].score = steady_score(s, n);
        s->waits[n].not_before = first_wanted(s, n);
    }
}

/* What lowers a score so far that the operation goes only into an empty word. */
#define STALLS          (1 << 22)
#define TAKES_REGISTERS (1 << 20)
#define IS_LAST_RESORT  (-(1 << 19))

static int score(const struct qc_sched *s, uint32_t n, bool tight)
{
    const struct qc_wait *w = &s->waits[n];
    int value = w->score;
    if (!s->strategy->in_order) {
        int balance = life_balance(s, &s->dag->nodes[n]);
        value += balance * s->strategy->kill_weight;
        if (tight && balance < 0)
            value -= TAKES_REGISTERS;
    }
    if (w->soft > s->cycle || w->not_before > s->cycle)
        value -= STALLS;
    return value;
}

/* ---------------------------------------------------------------- the queue */

static uint64_t key_of(int score, uint32_t place)
{
    return (uint64_t)((uint32_t)score ^ 0x80000000u) << 32 | (UINT32_MAX - place);
}

static int score_of(uint64_t key)
{
    return (int)((uint32_t)(key >> 32) ^ 0x80000000u);
}

static void sift_down(struct qc_queue *q, uint32_t at)
{
    uint64_t key = q->keys[at];
    for (uint32_t child; (child = 2 * at + 1) < q->count; at = child) {
        if (child + 1 < q->count && q->keys[child + 1] > q->keys[child])
            child++;
        if (q->keys[child] <= key)
            break;
        q->keys[at] = q->keys[child];
    }
    q->keys[at] = key;
}

static bool has_room_for(const struct qc_sched *s, const struct qc_instr *i)
{
    if (!qc_draft_has_unit(&s->draft, i))
        return false;
    const struct qc_slot slot = {i, {qc_place_of(s, i->src[0]), qc_place_of(s, i->src[1])}, {0}};
    return qc_draft_has_ports(s->p, &s->draft, &slot);
}

/* Its time has not come, or the word has no room for it: the word's later operations change nothing about that. */
static bool is_refused(struct qc_sched *s, uint32_t n)
{
    struct qc_wait *w = &s->waits[n];
    if (w->refused_by == s->word_number)
        return true;
    const struct qc_node *node = &s->dag->nodes[n];
    if (w->earliest <= s->cycle && (!s->draft.count || has_room_for(s, node->instr)) && sources_are_readable(s, node))
        return false;
    w->refused_by = s->word_number;
    return true;
}

/* strategy.in_order: the last operation that is looked at. */
static uint32_t end_of_window(const struct qc_sched *s)
{
    uint32_t first = QC_NONE;
    if (!s->strategy->in_order || !s->ready_count)
        return QC_NONE;
    for (uint32_t k = 0; k < s->ready_count; k++)
        first = MIN2(first, s->ready[k]);
    return first + IN_ORDER_WINDOW;
}

void qc_collect(struct qc_sched *s)
{
    struct qc_queue *q = &s->candidates;
    bool tight = qc_regs_free_files(s) <= s->strategy->reserve;
    uint32_t last = end_of_window(s);
    q->count = 0;
    for (uint32_t k = 0; k < s->ready_count; k++) {
        uint32_t n = s->ready[k];
        if (!is_refused(s, n) && n != s->switch_node && n <= last && is_allowed(s, &s->dag->nodes[n]))
            q->keys[q->count++] = key_of(score(s, n, tight), k);
    }
    for (uint32_t k = q->count / 2; k-- > 0;)
        sift_down(q, k);
}

bool qc_next_candidate(struct qc_sched *s, uint32_t *node_out)
{
    struct qc_queue *q = &s->candidates;
    if (!q->count || (s->draft.count && score_of(q->keys[0]) < IS_LAST_RESORT))
        return false;
    *node_out = s->ready[UINT32_MAX - (uint32_t)q->keys[0]];
    q->keys[0] = q->keys[--q->count];
    if (q->count)
        sift_down(q, 0);
    return true;
}
