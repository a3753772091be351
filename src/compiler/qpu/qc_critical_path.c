/* SPDX-License-Identifier: MIT
 *
 * Computes critical paths for each operation of a block, once for all scheduling runs:
 *
 *  - height: distance to the block's end including stalls (soft latencies). The scheduler issues the highest first.
 *  - tail: minimum number of words to the block's end, as the emitter (qc_emit.c) joins blocks, with branches and the
 *    program's end.
 *  - head: minimum number of words from the block's beginning.
 *
 * Heads and tails give lower bounds on the length, see qc_bound.c.
 */
#include "compiler/qpu/qc_dag.h"

#define END_SLOTS    3 /* the program's end and its delay slots */
#define BRANCH_SLOTS 3

/* How many words must follow the operation's own up to the program's end: ORDER may_end_on in qc_emit.c. */
static uint32_t words_to_end(const struct qc_instr *i)
{
    bool reads_fifo = false;
    for (unsigned k = 0; k < 2; k++)
        reads_fifo |=
            i->src[k].kind == QC_SRC_READ && (i->src[k].raddr == QPU_R_VARYING || i->src[k].raddr == QPU_R_VPM);
    if (qc_pops_uniform(i) || reads_fifo || i->waddr == QPU_W_VPM || qpu_waddr_is_tmu(i->waddr) ||
        i->kind == QC_SWITCH)
        return END_SLOTS;
    bool tlb = i->waddr >= QPU_W_TLB_Z && i->waddr <= QPU_W_TLB_ALPHA_MASK;
    return tlb || (i->kind == QC_SIGNAL && i->sig == QPU_SIG_COLOR_LOAD) ? 1 : 0;
}

static uint32_t words_after(const struct qc_program *p, const struct qc_block *block, uint32_t n)
{
    if (block->target)
        return n == block->dag->branch_setter ? 1 + BRANCH_SLOTS : 1; /* the branch is a word, too */
    return block->link.next == &p->blocks ? words_to_end(block->dag->nodes[n].instr) : 0;
}

/* A result that must be in a register file is not readable in the next word. [notes H1] */
static uint32_t file_latency(const struct qc_program *p, const struct qc_dag *d, const struct qc_edge *e)
{
    if (e->temp == QC_NONE || d->nodes[e->from].instr->dst != e->temp)
        return 0;
    const struct qc_temp *t = &p->temps[e->temp];
    return t->global || !(t->classes & QC_IN_ACC) ? 2 : 0;
}

/* A thread switch may come before its last requests, by as many words as it has delay slots. */
static uint32_t tail_through(const struct qc_program *p, const struct qc_dag *d, const struct qc_edge *e)
{
    uint32_t tail = d->nodes[e->to].tail;
    if (d->nodes[e->to].instr->kind == QC_SWITCH && d->nodes[e->from].instr->kind == QC_ALU)
        return tail > QC_SWITCH_SLOTS ? tail - QC_SWITCH_SLOTS : 0;
    return tail + MAX2(e->latency, file_latency(p, d, e));
}

static uint64_t demand_of(const struct qc_instr *i)
{
    uint64_t demand = (uint64_t)qc_is_closely_coupled(i) << QC_DEMAND_COUPLED;
    if (i->kind == QC_LOAD_IMM)
        return (uint64_t)1 << QC_DEMAND_ALONE;
    if (i->kind != QC_ALU)
        return demand;
    bool mul_only = !i->op_add || i->rotate || (i->pack && i->pm);
    return demand | 1 << QC_DEMAND_ALU | (uint64_t)!i->op_mul << QC_DEMAND_ADD | (uint64_t)mul_only << QC_DEMAND_MUL;
}

/* As in struct qc_tail. */
static uint32_t tail_of(const struct qc_node *node)
{
    return node->instr->kind == QC_SWITCH ? 0 : node->tail;
}

/* A counting sort. */
static void sort_by_tail(struct qc_program *p, struct qc_dag *d)
{
    uint32_t longest = 0, before = 0;
    for (uint32_t n = 0; n < d->node_count; n++)
        longest = MAX2(longest, tail_of(&d->nodes[n]));
    uint32_t *next = util_arena_new_array(p->arena, uint32_t, longest + 1); /* by tail: number, then next index */
    for (uint32_t n = 0; n < d->node_count; n++)
        next[tail_of(&d->nodes[n])]++;
    for (uint32_t tail = longest + 1; tail-- > 0;) {
        const uint32_t count = next[tail];
        next[tail] = before;
        before += count;
    }
    d->by_tail = util_arena_new_array(p->arena, struct qc_tail, d->node_count + 1);
    for (uint32_t n = 0; n < d->node_count; n++) {
        struct qc_node *node = &d->nodes[n];
        struct qc_tail *t = &d->by_tail[next[tail_of(node)]++];
        *t = (struct qc_tail){.node = n};
        if (node->instr->kind == QC_SWITCH)
            continue;
        node->demand = demand_of(node->instr);
        d->demand += node->demand;
        *t = (struct qc_tail){.node = n, .head = node->head, .tail = node->tail, .demand = node->demand};
    }
}

static uint32_t head_through(const struct qc_program *p, const struct qc_dag *d, const struct qc_edge *e)
{
    uint32_t head = d->nodes[e->from].head;
    if (d->nodes[e->to].instr->kind == QC_SWITCH && d->nodes[e->from].instr->kind == QC_ALU)
        return head > QC_SWITCH_SLOTS ? head - QC_SWITCH_SLOTS : 0;
    return head + MAX2(e->latency, file_latency(p, d, e));
}

/* `last_first`: a reverse topological order, every node after its successors. */
static void find_heads(struct qc_program *p, struct qc_block *block, const uint32_t *last_first)
{
    struct qc_dag *d = block->dag;
    for (uint32_t k = d->node_count; k-- > 0;) {
        struct qc_node *node = &d->nodes[last_first[k]];
        node->head = node->instr->tlb && block->index == 0 ? 2 : 0; /* [notes H6] */
        qc_for_each_in(e, d, last_first[k])
            node->head = MAX2(node->head, head_through(p, d, e));
    }
}

bool qc_find_critical_paths(struct qc_program *p, struct qc_block *block)
{
    struct qc_dag *d = block->dag;
    uint32_t *left = util_arena_new_array(p->arena, uint32_t, d->node_count + 1);
    uint32_t *queue = util_arena_new_array(p->arena, uint32_t, d->node_count + 1), head = 0, tail = 0;
    for (uint32_t n = 0; n < d->node_count; n++) {
        qc_for_each_out(e, d, n)
            left[n]++;
        d->nodes[n].tail = 1 + words_after(p, block, n);
        if (!left[n])
            queue[tail++] = n;
    }
    while (head < tail) {
        uint32_t n = queue[head++];
        if (n == d->branch_setter)
            d->nodes[n].height += 4;
        qc_for_each_in(e, d, n) {
            struct qc_node *from = &d->nodes[e->from];
            from->height = MAX2(from->height, d->nodes[n].height + e->soft);
            from->tail = MAX2(from->tail, tail_through(p, d, e));
            if (!--left[e->from])
                queue[tail++] = e->from;
        }
    }
    d->words_after = block->target ? 1 + BRANCH_SLOTS : block->link.next == &p->blocks ? END_SLOTS : 0;
    if (tail < d->node_count)
        return false;
    find_heads(p, block, queue);
    sort_by_tail(p, d);
    return true;
}
