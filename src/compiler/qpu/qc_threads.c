/* SPDX-License-Identifier: MIT
 *
 * Two hardware threads: while one waits for texels the other one works [notes 2.6, guide p.20]. A fragment program that
 * samples textures switches threads between its requests and their results.
 *
 * Requests are taken in their order into batches that need no result of their own batch and fill no more than the half
 * of the FIFOs that is this thread's [notes 3.2]. Behind each batch stands a switch; the last one says so. What must
 * come before and after a switch is the DAG's matter, what may live across it the scheduler's.
 *
 * Values that other blocks need never stand in accumulators, so each block has its own batches. The last switch must
 * run exactly once: where the last request stands under a condition or in a loop, it follows in the next block that
 * always runs.
 */
#include "compiler/qpu/qc_ir.h"

#define BATCH_REQUESTS   2
#define BATCH_PARAMETERS 4
#define NEVER            1000000u /* depends on the tile buffer, which comes after the last switch */

struct batching {
    struct qc_program *p;
    uint32_t *depth_of_temp;                    /* how many batches must have come back before the value can be made */
    uint32_t *depth_of_group;                   /* of flags */
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

/* Behind `at` in its list. */
static struct qc_instr *insert_switch(struct qc_program *p, struct util_list *at, uint32_t end_request)
{
    struct qc_instr *s = qc_instr_new(p, QC_SWITCH);
    s->sig = QPU_SIG_THREAD_SWITCH;
    s->request = end_request;
    util_list_add_after(at, &s->link);
    return s;
}

/* Closes the open batch where the request at hand does not belong into it. */
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

static bool visit(struct batching *b, struct qc_instr *i)
{
    uint32_t depth = depth_of(b, i);
    if (i->kind == QC_SIGNAL)
        depth = i->request != QC_NONE ? b->batch + 1 : NEVER;
    if (i->chains & QC_CHAIN_TLB)
        depth = NEVER;
    if (i->chains & QC_CHAIN_TMU) {
        b->request_depth = MAX2(b->request_depth, depth);
        b->request_parameters++;
        if (b->request_depth >= NEVER)
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

/* All batches of a block; the switch behind its last one, or NULL when it makes no requests. */
static bool batch_block(struct batching *b, struct qc_block *block, struct qc_instr **last_switch_out)
{
    *last_switch_out = NULL;
    b->last_s = NULL;
    b->requests = b->parameters = b->request_depth = b->request_parameters = 0;
    uint32_t end_request = 0;
    qc_for_each_instr_safe(i, block) {
        if (i->kind == QC_SWITCH)
            continue;
        if (!visit(b, i))
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

/* Does the block run exactly once, whatever the conditions? */
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

/* Makes `last`, which stands in `block`, the last switch, or puts that into the next block that runs once. */
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
    struct qc_instr *last_switch = NULL, *of_block;
    b.depth_of_temp = util_arena_new_array(p->arena, uint32_t, p->temp_count + 1);
    b.depth_of_group = util_arena_new_array(p->arena, uint32_t, p->flag_group_count + 1);
    bool possible = true;
    qc_for_each_block(block, p) {
        possible = possible && batch_block(&b, block, &of_block);
        if (possible && of_block)
            last_block = block, last_switch = of_block;
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
