/* SPDX-License-Identifier: MIT
 *
 * Builds the dependence graph of a block: values, partial and conditional writes of temporaries, the fixed access order
 * of peripherals, FIFO depths of the texture unit, flag groups, uniforms-address resets, thread switches.
 *
 * Register hazards need no edges: the scheduler allocates registers as it goes and knows when each may be read.
 *
 * Flag groups must not overlap in time. The scheduler has to be able to finish a group that it has begun, so everything
 * that a reader of the flags depends on is ordered before the setter as well.
 */
#include "compiler/qpu/qc_dag.h"

#include <string.h>

/* Words from a write to its result. The SFU's latency is fixed [notes 2.3.4]; the texture unit's is that of a typical
 * cache hit [guide p.39: at least 9 instructions]. */
#define SFU_LATENCY    3
#define Z_LATENCY      3 /* until the coverage may be read */
#define TMU_LATENCY    10
#define TMU_REQUESTS   4 /* [notes 3.2]: with more, direct lookups are unreliable */
#define TMU_PARAMETERS 8

/* Values that are written in parts: up to this many writers, each later operation gets an edge from every writer.
 * Beyond that it gets one from the last writer, which itself comes after all others. */
#define PARTIAL_WRITERS 16

struct temp_state {
    uint32_t stamp;
    uint32_t use; /* entry of dag->uses */
    uint32_t writers, readers; /* heads of lists of cells */
};

struct cell {
    uint32_t node, next;
};

struct builder {
    struct qc_program *p;
    struct qc_dag *dag;
    struct temp_state *temps;
    uint32_t stamp; /* of the current block; temp states with another stamp are stale */
    struct cell *cells;
    uint32_t cell_count, cell_room;
    uint32_t chain_last[QC_CHAIN_COUNT_LOG2];
    uint32_t last_z;     /* the block's last write of Z, or QC_NONE */
    uint32_t *setter_of; /* by flag group */
    uint32_t *seen, seen_stamp; /* by node: the last walk that visited it */
    /* Texture unit: by request, its number of parameters, S write and load. */
    struct request {
        uint32_t parameters, s, load;
        uint8_t unit;
    } * requests;
};

static void add_edge(struct builder *b, uint32_t from, uint32_t to, uint32_t temp, unsigned latency, unsigned soft)
{
    struct qc_dag *d = b->dag;
    if (from == to)
        return;
    if (d->edge_count == d->edge_room) {
        uint32_t room = d->edge_room ? d->edge_room * 2 : 4 * d->node_count + 8;
        struct qc_edge *grown = util_arena_new_array(b->p->arena, struct qc_edge, room);
        if (d->edge_count)
            memcpy(grown, d->edges, d->edge_count * sizeof *grown);
        d->edges = grown;
        d->edge_room = room;
    }
    struct qc_edge *e = &d->edges[d->edge_count];
    *e = (struct qc_edge){.from = from,
                          .to = to,
                          .temp = temp,
                          .latency = (uint8_t)latency,
                          .soft = (uint8_t)MAX2(latency, soft),
                          .next_out = d->nodes[from].out,
                          .next_in = d->nodes[to].in};
    d->nodes[from].out = d->nodes[to].in = d->edge_count++;
    d->nodes[to].in_count++;
}

static void push_cell(struct builder *b, uint32_t *head, uint32_t node)
{
    if (b->cell_count == b->cell_room) {
        uint32_t room = b->cell_room ? b->cell_room * 2 : 64;
        struct cell *grown = util_arena_new_array(b->p->arena, struct cell, room);
        if (b->cell_count)
            memcpy(grown, b->cells, b->cell_count * sizeof *grown);
        b->cells = grown;
        b->cell_room = room;
    }
    b->cells[b->cell_count] = (struct cell){.node = node, .next = *head};
    *head = b->cell_count++;
}

static struct temp_state *state_of(struct builder *b, uint32_t temp)
{
    struct temp_state *t = &b->temps[temp];
    if (t->stamp != b->stamp) {
        *t = (struct temp_state){
            .stamp = b->stamp, .use = b->dag->use_count++, .writers = QC_NONE, .readers = QC_NONE};
        b->dag->uses[t->use] = (struct qc_use){.temp = temp};
    }
    return t;
}

static unsigned result_latency(const struct qc_instr *i, uint32_t temp)
{
    return i->result == temp && qpu_waddr_is_sfu(i->waddr) ? SFU_LATENCY : 1;
}

static void read_temp(struct builder *b, uint32_t n, uint32_t temp)
{
    struct temp_state *t = state_of(b, temp);
    for (uint32_t c = t->writers; c != QC_NONE; c = b->cells[c].next) {
        uint32_t w = b->cells[c].node;
        unsigned latency = result_latency(b->dag->nodes[w].instr, temp);
        add_edge(b, w, n, temp, latency, latency);
    }
    push_cell(b, &t->readers, n);
}

static bool are_disjoint(const struct qc_instr *x, const struct qc_instr *y)
{
    if (x->pack && y->pack && x->pm == y->pm && x->cond == QPU_COND_ALWAYS && y->cond == QPU_COND_ALWAYS)
        return x->pack != y->pack;
    return x->cond >= QPU_COND_ZS && x->uses == y->uses && x->cond == (y->cond ^ 1) && !x->pack && !y->pack;
}

static void write_temp(struct builder *b, uint32_t n, uint32_t temp)
{
    struct temp_state *t = state_of(b, temp);
    const struct qc_instr *i = b->dag->nodes[n].instr;
    for (uint32_t c = t->readers; c != QC_NONE; c = b->cells[c].next)
        add_edge(b, b->cells[c].node, n, QC_NONE, 0, 0);
    uint32_t writers = 0, ordered = 0;
    for (uint32_t c = t->writers; c != QC_NONE; c = b->cells[c].next, writers++) {
        if (!are_disjoint(b->dag->nodes[b->cells[c].node].instr, i)) {
            add_edge(b, b->cells[c].node, n, QC_NONE, 1, 1);
            ordered++;
        }
    }
    /* After many partial writes, an edge from the last one is enough: it comes after all others. */
    if (qc_writes_whole(i) || i->result == temp || (ordered == writers && writers > PARTIAL_WRITERS))
        t->readers = t->writers = QC_NONE;
    push_cell(b, &t->writers, n);
}

/* Any constant counts, because one that could be a small immediate may still become a uniform. */
static bool may_pop_uniform(const struct qc_instr *i)
{
    return i->config != QC_NONE || i->src[0].kind == QC_SRC_UNIFORM || i->src[1].kind == QC_SRC_UNIFORM ||
           i->src[0].kind == QC_SRC_CONST || i->src[1].kind == QC_SRC_CONST;
}

static void add_chains(struct builder *b, uint32_t n)
{
    const struct qc_instr *i = b->dag->nodes[n].instr;
    const uint32_t chains = b->p->in_order ? i->chains | QC_CHAIN_VPM_WRITE : i->chains;
    for (unsigned k = 0; k < QC_CHAIN_COUNT_LOG2; k++) {
        if (!(chains & BIT(k)))
            continue;
        uint32_t last = b->chain_last[k];
        if (last != QC_NONE) {
            /* [notes H5] coverage is not readable until two words have passed since a TLB_Z write. Facing is not
             * changed before that either, although no source requires it: by then the write has read it. */
            const bool reads_coverage = i->src[0].kind == QC_SRC_READ || i->src[1].kind == QC_SRC_READ;
            const bool uses_flags = reads_coverage || i->waddr == QPU_W_MS_REV_FLAGS;
            const bool waits_for_z = BIT(k) == QC_CHAIN_TLB && uses_flags && b->last_z != QC_NONE;
            const unsigned latency = waits_for_z && last == b->last_z ? Z_LATENCY : 1;
            add_edge(b, last, n, QC_NONE, latency, latency);
            if (waits_for_z && last != b->last_z)
                add_edge(b, b->last_z, n, QC_NONE, Z_LATENCY, Z_LATENCY);
        }
        b->chain_last[k] = n;
    }
    if (i->waddr == QPU_W_TLB_Z)
        b->last_z = n;
}

/* -- texture unit -- */

static void add_tmu(struct builder *b, uint32_t n)
{
    struct qc_instr *i = b->dag->nodes[n].instr;
    if (i->request == QC_NONE || i->kind == QC_SWITCH)
        return;
    struct request *r = &b->requests[i->request];
    if (i->kind == QC_SIGNAL) {
        r->load = n;
        add_edge(b, r->s, n, QC_NONE, 1, b->p->threaded ? 1 : TMU_LATENCY);
        return;
    }
    r->unit = i->tmu_unit;
    r->parameters++;
    if (qpu_waddr_is_tmu_s(i->waddr))
        r->s = n;
}

/* Orders loads like their requests, and a request after the loads that make room for it in the FIFOs. */
static void add_tmu_order(struct builder *b)
{
    unsigned halves = b->p->threaded ? 2 : 1;
    uint32_t window[2][TMU_REQUESTS], count[2] = {0, 0};
    for (uint32_t n = 0; n < b->dag->node_count; n++) {
        struct qc_instr *i = b->dag->nodes[n].instr;
        if (i->request == QC_NONE || i->kind != QC_ALU || !i->tmu_first)
            continue;
        unsigned unit = i->tmu_unit;
        struct request *r = &b->requests[i->request];
        for (;;) {
            uint32_t parameters = r->parameters;
            for (uint32_t k = 0; k < count[unit]; k++)
                parameters += b->requests[window[unit][k]].parameters;
            if (count[unit] < TMU_REQUESTS / halves && parameters <= TMU_PARAMETERS / halves)
                break;
            if (!count[unit])
                break;
            add_edge(b, b->requests[window[unit][0]].load, n, QC_NONE, 1, 1);
            memmove(&window[unit][0], &window[unit][1], (TMU_REQUESTS - 1) * sizeof window[0][0]);
            count[unit]--;
        }
        window[unit][count[unit]++] = i->request;
    }
    uint32_t last_load[2] = {QC_NONE, QC_NONE};
    for (uint32_t n = 0; n < b->dag->node_count; n++) {
        struct qc_instr *i = b->dag->nodes[n].instr;
        if (i->kind != QC_SIGNAL || i->request == QC_NONE)
            continue;
        if (last_load[i->tmu_unit] != QC_NONE)
            add_edge(b, last_load[i->tmu_unit], n, QC_NONE, 1, 1);
        last_load[i->tmu_unit] = n;
    }
}

/* The thread switches of a block, in order. Switch k follows the requests of batch k, whose numbers end before ends[k].
 * Requests after all switches are batch `count`. */
struct switches {
    uint32_t count;
    uint32_t *nodes, *ends;
};

static struct switches find_switches(struct builder *b)
{
    const struct qc_dag *d = b->dag;
    struct switches s = {0};
    for (uint32_t n = 0; n < d->node_count; n++)
        s.count += d->nodes[n].instr->kind == QC_SWITCH;
    s.nodes = util_arena_new_array(b->p->arena, uint32_t, s.count + 1);
    s.ends = util_arena_new_array(b->p->arena, uint32_t, s.count + 1);
    for (uint32_t n = 0, k = 0; n < d->node_count; n++) {
        if (d->nodes[n].instr->kind != QC_SWITCH)
            continue;
        s.nodes[k] = n;
        s.ends[k++] = d->nodes[n].instr->request;
    }
    return s;
}

static uint32_t batch_of(const struct switches *s, uint32_t request)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (request < s->ends[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* A clamped offset in an accumulator does not survive a switch and may not be copied. So its first step is ordered
 * after the last switch that comes before its lookup. */
static void keep_clamp_behind_switch(struct builder *b, const struct switches *s, const struct qc_instr *add)
{
    const struct qc_dag *d = b->dag;
    const uint32_t batch = batch_of(s, add->request);
    if (!batch || !(b->p->temps[add->src[0].index].classes & QC_IN_ACC))
        return;
    const struct qc_instr *min = b->p->temps[add->src[0].index].def, *max = b->p->temps[min->src[0].index].def;
    if (max->index < d->node_count && d->nodes[max->index].instr == max)
        add_edge(b, s->nodes[batch - 1], max->index, QC_NONE, 3, 3);
    /* else in an earlier block, so before all switches of this one */
}

/* Orders a switch between the S writes and the loads of its batch, after the loads of the batch before it, and before
 * the writes and the clamps of the next one. Switches are ordered, so edges to other batches would add nothing, but
 * their number would grow with the square of the batches. Scoreboard accesses come after the last switch. */
static void add_switches(struct builder *b)
{
    const struct qc_dag *d = b->dag;
    const struct switches s = find_switches(b);
    if (!s.count)
        return;
    const uint32_t last = s.nodes[s.count - 1];
    const bool is_last_of_all = d->nodes[last].instr->sig == QPU_SIG_LAST_THREAD_SWITCH;
    for (uint32_t k = 1; k < s.count; k++)
        add_edge(b, s.nodes[k - 1], s.nodes[k], QC_NONE, 3, 3);
    for (uint32_t n = 0; n < d->node_count; n++) {
        const struct qc_instr *i = d->nodes[n].instr;
        if (i->tlb && is_last_of_all)
            add_edge(b, last, n, QC_NONE, 3, 3);
        if (i->request == QC_NONE || i->kind == QC_SWITCH)
            continue;
        const uint32_t batch = batch_of(&s, i->request);
        if (i->kind == QC_ALU && batch < s.count)
            add_edge(b, n, s.nodes[batch], QC_NONE, 1, 1);
        if (i->kind == QC_ALU && batch)
            add_edge(b, s.nodes[batch - 1], n, QC_NONE, 3, 3);
        if (i->kind == QC_SIGNAL && batch < s.count)
            add_edge(b, s.nodes[batch], n, QC_NONE, 3, 3); /* two delay slots */
        if (i->kind == QC_SIGNAL && batch + 1 < s.count)
            add_edge(b, n, s.nodes[batch + 1], QC_NONE, 1, 1);
        if (i->rigid && i->op_add == QPU_A_ADD)
            keep_clamp_behind_switch(b, &s, i);
    }
}

/* -- flags -- */

/* Adds edges to the setter of a flag group from everything that a reader of the group depends on and that precedes the
 * setter in the program. Operations between setter and reader are followed to their own predecessors. */
static void order_before_setter(struct builder *b, uint32_t setter, uint32_t group, uint32_t node)
{
    struct qc_dag *d = b->dag;
    if (b->seen[node] == b->seen_stamp)
        return;
    b->seen[node] = b->seen_stamp;
    for (uint32_t k = d->nodes[node].in; k != QC_NONE; k = d->edges[k].next_in) { /* edges may be reallocated */
        const struct qc_edge e = d->edges[k];
        if (e.from == setter || d->nodes[e.from].instr->uses == group)
            continue;
        if (e.from < setter)
            add_edge(b, e.from, setter, QC_NONE, e.latency > 0 ? e.latency - 1u : 0, 0);
        else
            order_before_setter(b, setter, group, e.from);
    }
}

static void add_flags(struct builder *b, uint32_t n)
{
    struct qc_instr *i = b->dag->nodes[n].instr;
    if (i->uses) {
        uint32_t setter = b->setter_of[i->uses];
        assert(setter != QC_NONE);
        add_edge(b, setter, n, QC_NONE, 1, 1);
        b->dag->group_readers[i->uses]++;
    }
    if (i->sets)
        b->setter_of[i->sets] = n;
}

static void add_branch_flags(struct builder *b, struct qc_block *block)
{
    struct qc_dag *d = b->dag;
    d->branch_setter = QC_NONE;
    if (!block->target || !block->branch_uses)
        return;
    uint32_t setter = b->setter_of[block->branch_uses];
    assert(setter != QC_NONE);
    d->branch_setter = setter;
    d->group_readers[block->branch_uses]++;
    /* The branch reads its flags near the block's end, so no other group may come after its setter. */
    for (uint32_t n = 0; n < d->node_count; n++) {
        const struct qc_instr *i = d->nodes[n].instr;
        if (i->sets && n != setter)
            add_edge(b, n, setter, QC_NONE, 1, 1);
        if (i->uses && i->uses != block->branch_uses)
            add_edge(b, n, setter, QC_NONE, 0, 0);
        if (i->kind == QC_SWITCH)
            add_edge(b, n, setter, QC_NONE, 3, 3);
    }
}

static void add_values(struct builder *b, uint32_t n)
{
    const struct qc_node *node = &b->dag->nodes[n];
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++) {
        read_temp(b, n, node->reads[k]);
        b->dag->uses[b->temps[node->reads[k]].use].count += node->read_count[k];
    }
    const uint32_t written[2] = {node->instr->dst, node->instr->result};
    for (unsigned k = 0; k < 2; k++) {
        if (written[k] == QC_NONE)
            continue;
        write_temp(b, n, written[k]);
        b->dag->uses[b->temps[written[k]].use].count++;
    }
}

static bool build(struct builder *b, struct qc_block *block)
{
    struct qc_dag *d = b->dag;
    uint32_t reset = QC_NONE;
    qc_for_each_instr(i, block) {
        uint32_t n = i->index;
        qc_node_init(&d->nodes[n], i);
        add_values(b, n);
        add_chains(b, n);
        add_tmu(b, n);
        add_flags(b, n);
        if (i->reset == 2)
            reset = n;
        else if (reset != QC_NONE && may_pop_uniform(i)) /* [notes H14] two words without uniforms */
            add_edge(b, reset, n, QC_NONE, 3, 3);
    }
    add_tmu_order(b);
    add_switches(b);
    for (uint32_t n = 0; n < d->node_count; n++) {
        const struct qc_instr *i = d->nodes[n].instr;
        if (!i->uses)
            continue;
        b->seen_stamp++;
        order_before_setter(b, b->setter_of[i->uses], i->uses, n);
    }
    add_branch_flags(b, block);
    return qc_find_critical_paths(b->p, block);
}

bool qc_dags_build(struct qc_program *p)
{
    struct util_arena *arena = p->arena;
    /* Flag groups and requests do not span blocks, so all blocks share their tables. */
    uint32_t *group_readers = util_arena_new_array(arena, uint32_t, p->flag_group_count + 1);
    struct builder b = {.p = p};
    b.temps = util_arena_new_array(arena, struct temp_state, p->temp_count + 1);
    b.setter_of = util_arena_new_array(arena, uint32_t, p->flag_group_count + 1);
    memset(b.setter_of, 0xff, (p->flag_group_count + 1) * sizeof *b.setter_of);
    b.requests = util_arena_new_array(arena, struct request, p->request_count + 1);
    uint32_t largest = 0;
    qc_for_each_block(block, p) {
        block->dag = util_arena_new(arena, struct qc_dag);
        qc_for_each_instr(i, block)
            i->index = block->dag->node_count++;
        largest = MAX2(largest, block->dag->node_count);
    }
    b.seen = util_arena_new_array(arena, uint32_t, largest + 1);
    qc_for_each_block(block, p) {
        struct qc_dag *d = b.dag = block->dag;
        d->nodes = util_arena_new_array(arena, struct qc_node, d->node_count + 1);
        d->uses = util_arena_new_array(arena, struct qc_use, MIN2(4 * d->node_count, p->temp_count) + 1);
        d->group_readers = group_readers;
        memset(b.chain_last, 0xff, sizeof b.chain_last);
        b.last_z = QC_NONE;
        b.stamp++;
        b.cell_count = 0;
        if (!build(&b, block))
            return false;
    }
    return true;
}
