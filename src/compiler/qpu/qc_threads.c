/* SPDX-License-Identifier: MIT
 *
 * Inserts thread switches for two hardware threads: while one waits for texels, the other one runs [notes 2.6, guide
 * p.20]. A fragment program that samples textures switches threads between its requests and their results.
 *
 * Requests are grouped in order into batches. A request never depends on a result of its own batch, and a batch fits
 * this thread's half of the FIFOs [notes 3.2]. A switch follows each batch; the last switch has a signal of its own.
 * The DAG determines what comes before and after a switch, the scheduler what may be live across it.
 *
 * Each block has its own batches, because values used in several blocks are never in accumulators. The last switch must
 * run exactly once: if the last request is under a condition or in a loop, the last switch goes to the next block that
 * always runs.
 */
#include "compiler/qpu/qc_ir.h"

#define BATCH_REQUESTS    2
#define BATCH_PARAMETERS  4
#define AFTER_LAST_SWITCH 1000000u /* depends on the tile buffer, which is accessed after the last switch only */

struct batching {
    struct qc_program *p;
    uint32_t *depth_of_temp;                    /* by temporary: number of batches whose results it needs */
    uint32_t *depth_of_group;                   /* by flag group: the same */
    uint32_t batch, requests, parameters;       /* the open batch */
    uint32_t request_depth, request_parameters; /* the request whose parameters are being written */
    struct qc_instr *last_s;
};

static uint32_t depth_of(const struct batching *b, const struct qc_instr *i)
{
    uint32_t depth = i->uses ? b->depth_of_group[i->uses] : 0;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP)
            depth = MAX2(depth, b->depth_of_temp[i->src[k].index]);
    }
    return depth;
}

/* Inserts a switch after `at`. */
static struct qc_instr *insert_switch(struct qc_program *p, struct util_list *at, uint32_t end_request)
{
    struct qc_instr *s = qc_instr_new(p, QC_SWITCH);
    s->sig = QPU_SIG_THREAD_SWITCH;
    s->request = end_request;
    util_list_add_after(at, &s->link);
    return s;
}

/* Adds the current request to the open batch, or closes that and opens a new one. */
static void add_request(struct batching *b, struct qc_instr *s)
{
    bool is_full = b->requests == BATCH_REQUESTS || b->parameters + b->request_parameters > BATCH_PARAMETERS;
    if (b->requests && (is_full || b->request_depth > b->batch)) {
        insert_switch(b->p, &b->last_s->link, s->request);
        b->batch++;
        b->requests = b->parameters = 0;
    }
    b->requests++;
    b->parameters += b->request_parameters;
    b->request_depth = b->request_parameters = 0;
    b->last_s = s;
}

static bool visit_operation(struct batching *b, struct qc_instr *i)
{
    uint32_t depth = depth_of(b, i);
    if (i->kind == QC_SIGNAL)
        depth = i->request != QC_NONE ? b->batch + 1 : AFTER_LAST_SWITCH;
    if (i->chains & QC_CHAIN_TLB)
        depth = AFTER_LAST_SWITCH;
    if (i->chains & QC_CHAIN_TMU) {
        b->request_depth = MAX2(b->request_depth, depth);
        b->request_parameters++;
        if (b->request_depth >= AFTER_LAST_SWITCH)
            return false;
        if (i->lookup != QC_NONE)
            add_request(b, i);
    }
    if (i->dst != QC_NONE)
        b->depth_of_temp[i->dst] = MAX2(b->depth_of_temp[i->dst], depth);
    if (i->result != QC_NONE)
        b->depth_of_temp[i->result] = depth;
    if (i->sets)
        b->depth_of_group[i->sets] = depth;
    return true;
}

/* Forms the batches of a block. *last_switch_out: the switch after its last batch, or NULL when the block makes no
 * requests. Returns false when a request depends on the tile buffer. */
static bool batch_block(struct batching *b, struct qc_block *block, struct qc_instr **last_switch_out)
{
    *last_switch_out = NULL;
    b->last_s = NULL;
    b->requests = b->parameters = b->request_depth = b->request_parameters = 0;
    uint32_t end_request = 0;
    qc_for_each_instr_safe(i, block) {
        if (i->kind == QC_SWITCH)
            continue;
        if (!visit_operation(b, i))
            return false;
        if (i->lookup != QC_NONE)
            end_request = i->request + 1;
    }
    if (b->last_s) {
        *last_switch_out = insert_switch(b->p, &b->last_s->link, end_request);
        b->batch++;
    }
    return true;
}

/* True when the block always runs exactly once. */
static bool runs_once(struct qc_program *p, const struct qc_block *block)
{
    util_list_for_each(struct qc_loop, l, &p->loops, link) {
        if (l->head->index <= block->index && block->index <= l->last->index)
            return false;
    }
    qc_for_each_block(b, p) {
        if (b->target && b->index < block->index && b->target->index > block->index)
            return false;
    }
    return true;
}

static bool takes_scoreboard_before(struct qc_program *p, const struct qc_block *block)
{
    qc_for_each_block(b, p) {
        qc_for_each_instr(i, b) {
            if (b == block)
                return false;
            if (i->tlb)
                return true;
        }
    }
    return false;
}

/* Makes `last` in `block` the last switch, or inserts that into the next block that runs once. */
static bool insert_last_switch(struct qc_program *p, struct qc_block *block, struct qc_instr *last)
{
    while (!runs_once(p, block)) {
        if (block->link.next == &p->blocks)
            return false;
        block = container_of(block->link.next, struct qc_block, link);
        last = NULL;
    }
    if (takes_scoreboard_before(p, block))
        return false;
    if (!last)
        last = insert_switch(p, &block->instrs, p->request_count);
    last->sig = QPU_SIG_LAST_THREAD_SWITCH;
    return true;
}

bool qc_insert_switches(struct qc_program *p)
{
    if (p->kind != VC4C_PROGRAM_FRAGMENT || !p->request_count)
        return false;
    struct batching b = {.p = p};
    struct qc_block *last_block = NULL;
    struct qc_instr *last_switch = NULL, *block_switch;
    b.depth_of_temp = util_arena_new_array(p->arena, uint32_t, p->temp_count + 1);
    b.depth_of_group = util_arena_new_array(p->arena, uint32_t, p->flag_group_count + 1);
    bool possible = true;
    qc_for_each_block(block, p) {
        possible = possible && batch_block(&b, block, &block_switch);
        if (possible && block_switch)
            last_block = block, last_switch = block_switch;
    }
    if (possible && last_block && insert_last_switch(p, last_block, last_switch)) {
        p->threaded = true;
        return true;
    }
    qc_remove_switches(p);
    return false;
}

void qc_remove_switches(struct qc_program *p)
{
    qc_for_each_block(b, p) {
        qc_for_each_instr_safe(i, b) {
            if (i->kind == QC_SWITCH)
                util_list_del(&i->link);
        }
    }
    p->threaded = false;
}
