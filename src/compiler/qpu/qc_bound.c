/* SPDX-License-Identifier: MIT
 *
 * How long a schedule will be at the least, from below: so that a run knows that it cannot become shorter than an
 * earlier one long before it is done.
 *
 * Of the operations that are not issued, those with a tail of t words or more need words of their own first (one of
 * each unit, one closely coupled one, two in all to a word), and the last of them has its tail still to come. Of those
 * with a head of h words or more the first word is not before that.
 */
#include "compiler/qpu/qc_sched.h"

/* Counters of what words are needed for, side by side in one number: QC_DEMAND fields of qc_dag.h. */
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

/* Words for what is not issued and has this head at the least; `all` is the demand of everything that is not issued.
 * Those before *first in the list are issued. */
static uint32_t bound_rest(const struct qc_dag *dag, const struct qc_wait *waits, uint32_t head, uint64_t all,
                           uint32_t *first)
{
    uint64_t demand = 0;
    uint32_t least = 0, tail = 0, words_for_all = words_for(all);
    if (dag->node_count >= QC_DEMAND_MAX)
        return 0;
    while (*first < dag->node_count && waits[dag->by_tail[*first].node].is_issued)
        ++*first;
    for (uint32_t k = *first; k < dag->node_count; k++) {
        const struct qc_tail *t = &dag->by_tail[k];
        if (!t->tail) /* thread switches: the end of the list */
            break;
        if (t->head < head || waits[t->node].is_issued)
            continue;
        if (t->tail != tail) {
            if (tail)
                least = MAX2(least, words_for(demand) + tail - 1);
            tail = t->tail;
            if (words_for_all + tail - 1 <= least) /* what follows cannot add to it */
                return least;
        }
        demand += t->demand;
    }
    return tail ? MAX2(least, words_for(demand) + tail - 1) : 0;
}

/* The long look costs as much as there are operations: long blocks have it at fewer words. [measured: from the shortest
 * on cheaper than at each] */
static bool is_time_to_look(const struct qc_sched *s)
{
    return s->cycle % (6 + s->dag->node_count / 32) == 5;
}

bool qc_may_become_shorter(struct qc_sched *s)
{
    if (s->limit == UINT32_MAX)
        return true;
    uint32_t next = s->cycle + 1;
    if (is_time_to_look(s))
        s->block_least = MAX2(s->block_least, next + bound_rest(s->dag, s->waits, 0, s->demand_left, &s->first_left));
    return s->words_before + s->block_least + s->words_behind < s->limit;
}

#define HEADS_MAX 64

uint32_t qc_bound_block(const struct qc_dag *dag, const struct qc_wait *none_issued)
{
    uint32_t least = dag->words_behind, first = 0, last_head = 0;
    for (uint32_t n = 0; n < dag->node_count; n++)
        last_head = MAX2(last_head, dag->nodes[n].head);
    for (uint32_t head = 0; head <= MIN2(last_head, HEADS_MAX); head++)
        least = MAX2(least, head + bound_rest(dag, none_issued, head, dag->demand, &first));
    return least;
}
