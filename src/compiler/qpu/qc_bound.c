/* SPDX-License-Identifier: MIT
 *
 * Computes lower bounds on the length of a schedule, so that a run that cannot become shorter than an earlier one is
 * stopped long before it is done.
 *
 * Consider the operations that are not issued and have a tail of t words or more. First they need words themselves: a
 * word takes one operation per unit, one closely coupled operation, two in all. Then the tail of the last one follows.
 * If only operations with a head of h words or more are considered, the first of these words cannot come before word h.
 */
#include "compiler/qpu/qc_sched.h"

/* One of the counters that enum qc_demand (qc_dag.h) packs into a number. */
static uint32_t count_of(uint64_t demand, enum qc_demand what)
{
    return demand >> what & (QC_DEMAND_MAX - 1);
}

static uint32_t words_for(uint64_t demand)
{
    uint32_t alus = (count_of(demand, QC_DEMAND_ALU) + 1) / 2, coupled = count_of(demand, QC_DEMAND_COUPLED);
    uint32_t unit = MAX2(count_of(demand, QC_DEMAND_ADD), count_of(demand, QC_DEMAND_MUL));
    uint32_t words = MAX2(MAX2(unit, alus), coupled) + count_of(demand, QC_DEMAND_ALONE);
    return MAX2(words, 1);
}

/* Lower bound on the words for operations that are not issued and have at least this head. `all` is the demand of all
 * operations that are not issued. Everything before *first in the list is issued. */
static uint32_t bound_remaining(const struct qc_dag *dag, const struct qc_node_state *states, uint32_t head,
                                uint64_t all, uint32_t *first)
{
    uint64_t demand = 0;
    uint32_t bound = 0, tail = 0, words_for_all = words_for(all);
    if (dag->node_count >= QC_DEMAND_MAX)
        return 0;
    while (*first < dag->node_count && states[dag->by_tail[*first].node].is_issued)
        ++*first;
    for (uint32_t k = *first; k < dag->node_count; k++) {
        const struct qc_tail *t = &dag->by_tail[k];
        if (!t->tail) /* thread switches: the end of the list */
            break;
        if (t->head < head || states[t->node].is_issued)
            continue;
        if (t->tail != tail) {
            if (tail)
                bound = MAX2(bound, words_for(demand) + tail - 1);
            tail = t->tail;
            if (words_for_all + tail - 1 <= bound) /* the operations that follow cannot raise the bound */
                return bound;
        }
        demand += t->demand;
    }
    return tail ? MAX2(bound, words_for(demand) + tail - 1) : 0;
}

/* The full bound takes time proportional to the number of operations, so long blocks compute it less often. [measured:
 * cheaper than at each word, even for the shortest blocks] */
static bool is_bound_due(const struct qc_sched *s)
{
    return s->cycle % (6 + s->dag->node_count / 32) == 5;
}

bool qc_can_beat_limit(struct qc_sched *s)
{
    if (s->limit == UINT32_MAX)
        return true;
    uint32_t next = s->cycle + 1;
    if (is_bound_due(s))
        s->block_min_words =
            MAX2(s->block_min_words, next + bound_remaining(s->dag, s->states, 0, s->demand_left, &s->first_unissued));
    return s->words_before + s->block_min_words + s->words_after < s->limit;
}

#define HEAD_MAX 64

uint32_t qc_bound_block(const struct qc_dag *dag, const struct qc_node_state *none_issued)
{
    uint32_t bound = dag->words_after, first = 0, last_head = 0;
    for (uint32_t n = 0; n < dag->node_count; n++)
        last_head = MAX2(last_head, dag->nodes[n].head);
    for (uint32_t head = 0; head <= MIN2(last_head, HEAD_MAX); head++)
        bound = MAX2(bound, head + bound_remaining(dag, none_issued, head, dag->demand, &first));
    return bound;
}
