/* SPDX-License-Identifier: MIT
 *
 * What the dependence graph of a block says about its length, worked out once and used by every scheduling run: how far
 * each operation is from the block's end, and how many words the block takes at the least. With that a run knows that it
 * cannot become shorter than an earlier one long before it is done.
 *
 * The bounds count words of the program as the emitter (qc_emit.c) joins it, branches and the program's end included.
 */
#include "compiler/qpu/qc_dag.h"

#define END_SLOTS    3 /* the program's end and its delay slots */
#define BRANCH_SLOTS 3

static bool always_pops(const struct qc_instr *i)
{
    if (i->config != QC_NONE)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_UNIFORM ||
            (i->src[k].kind == QC_SRC_CONST && qpu_small_imm_code(i->src[k].index) < 0))
            return true;
    }
    return false;
}

/* How many words follow the operation's own up to the program's end: ORDER may_end_on in qc_emit.c. */
static uint32_t words_to_end(const struct qc_instr *i)
{
    bool reads_fifo = false;
    for (unsigned k = 0; k < 2; k++)
        reads_fifo |= i->src[k].kind == QC_SRC_READ && (i->src[k].raddr == QPU_R_VARYING || i->src[k].raddr == QPU_R_VPM);
    if (always_pops(i) || reads_fifo || i->waddr == QPU_W_VPM || qpu_waddr_is_tmu(i->waddr) || i->kind == QC_SWITCH)
        return END_SLOTS;
    bool tlb = i->waddr >= QPU_W_TLB_Z && i->waddr <= QPU_W_TLB_ALPHA_MASK;
    return tlb || (i->kind == QC_SIGNAL && i->sig == QPU_SIG_COLOR_LOAD) ? 1 : 0;
}

static uint32_t words_behind(const struct qc_program *p, const struct qc_block *block, uint32_t n)
{
    if (block->target)
        return n == block->dag->branch_setter ? 1 + BRANCH_SLOTS : 1; /* the branch is a word, too */
    return block->link.next == &p->blocks ? words_to_end(block->dag->nodes[n].instr) : 0;
}

void qc_words_add(struct qc_words *w, const struct qc_instr *i, int by)
{
    if (i->kind == QC_ALU) {
        w->alus += by;
        w->adds += i->op_mul ? 0 : by;
        w->muls += i->op_add ? 0 : by;
    } else if (i->kind == QC_LOAD_IMM) {
        w->loads += by;
    } else if (i->kind == QC_SIGNAL || i->kind == QC_SWITCH) {
        w->signals += by;
    }
}

/* Two operations at most go into a word, one to a unit; one signal; a load of an immediate is alone. */
uint32_t qc_words_least(const struct qc_words *w)
{
    int words = MAX2(MAX2(w->adds, w->muls), MAX2((w->alus + 1) / 2, w->signals));
    return (uint32_t)(words + w->loads);
}

static void bound_block(struct qc_program *p, struct qc_block *block)
{
    struct qc_dag *d = block->dag;
    d->words = (struct qc_words){0};
    d->words_least = block->link.next == &p->blocks ? END_SLOTS : 0;
    if (block->target)
        d->words_least = 1 + BRANCH_SLOTS;
    for (uint32_t n = 0; n < d->node_count; n++) {
        const struct qc_instr *i = d->nodes[n].instr;
        uint32_t first = i->tlb && block->index == 0 ? 2 : 0; /* ORDER begin_block in qc_schedule.c */
        d->words_least = MAX2(d->words_least, first + d->nodes[n].tail);
        qc_words_add(&d->words, i, 1);
    }
    d->words_least = MAX2(d->words_least, qc_words_least(&d->words));
}

/* A thread switch may move in front of its last requests, as many words as it has delay slots. */
static uint32_t tail_through(const struct qc_dag *d, const struct qc_edge *e)
{
    uint32_t tail = d->nodes[e->to].tail;
    if (d->nodes[e->to].instr->kind == QC_SWITCH && d->nodes[e->from].instr->kind == QC_ALU)
        return tail > QC_SWITCH_SLOTS ? tail - QC_SWITCH_SLOTS : 0;
    return tail + e->latency;
}

bool qc_find_heights(struct qc_program *p, struct qc_block *block)
{
    struct qc_dag *d = block->dag;
    uint32_t *left = util_arena_new_array(p->arena, uint32_t, d->node_count + 1);
    uint32_t *queue = util_arena_new_array(p->arena, uint32_t, d->node_count + 1), head = 0, tail = 0;
    for (uint32_t n = 0; n < d->node_count; n++) {
        qc_for_each_out(e, d, n)
            left[n]++;
        d->nodes[n].tail = 1 + words_behind(p, block, n);
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
            from->tail = MAX2(from->tail, tail_through(d, e));
            if (!--left[e->from])
                queue[tail++] = e->from;
        }
    }
    bound_block(p, block);
    return tail == d->node_count;
}
