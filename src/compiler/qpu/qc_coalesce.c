/* SPDX-License-Identifier: MIT
 *
 * Coalescing: when a move copies a value whose live range ends there (phis of loops and ifs, the second source of a
 * select), both temporaries are merged and the move is removed. That saves the instruction, and the second register
 * that would be occupied until the move.
 *
 * Two temporaries may be merged when neither is written while the other is live. Liveness follows the control flow
 * between blocks. A conditional or partial write keeps the old value live.
 *
 * The work is bounded: a program too large for the budget keeps its remaining moves.
 */
#include "compiler/qpu/qc_ir.h"
#include "util/bitset.h"

#define STEP_BUDGET 4000000 /* operations visited */

struct definition {
    struct qc_instr *instr;
    struct qc_block *block;
    uint32_t at;   /* number of the operation in the program */
    uint32_t next; /* next definition of the same temporary, or QC_NONE */
};

/* An operation that reads a temporary or overwrites it completely. */
struct event {
    uint32_t at;   /* number of the operation in the program */
    uint32_t next; /* next event of the same temporary in program order, or QC_NONE */
    bool is_read;
};

struct coalesce {
    struct qc_program *p;
    uint32_t *merged_into; /* by temporary: the one that it was merged into, or itself */
    struct definition *definitions;
    uint32_t *first_of; /* by temporary: head of its definitions */
    struct event *events;
    uint32_t *events_of; /* by temporary: head of its events */
    uint32_t *block_end; /* by block: number of its last operation plus 1 */
    uint64_t **live_out; /* by block */
    uint64_t steps;
};

static uint32_t representative(const struct coalesce *c, uint32_t temp)
{
    while (c->merged_into[temp] != temp)
        temp = c->merged_into[temp];
    return temp;
}

/* ---------------------------------------------------------------- liveness */

struct flow {
    uint64_t *in, *uses, *kills;
};

static void scan_block(struct coalesce *c, struct qc_block *b, struct flow *f)
{
    qc_for_each_instr(i, b) {
        for (unsigned k = 0; k < 2; k++) {
            if (i->src[k].kind == QC_SRC_TEMP && !util_bitset_test(f->kills, i->src[k].index))
                util_bitset_set(f->uses, i->src[k].index);
        }
        if (i->dst != QC_NONE && qc_writes_whole(i))
            util_bitset_set(f->kills, i->dst);
        if (i->result != QC_NONE)
            util_bitset_set(f->kills, i->result);
    }
    (void)c;
}

static struct qc_block *next_block(struct qc_program *p, struct qc_block *b)
{
    bool falls_through = !b->target || b->branch_cond != QPU_BRANCH_ALWAYS;
    return falls_through && b->link.next != &p->blocks ? container_of(b->link.next, struct qc_block, link) : NULL;
}

/* Returns true when a temporary became live. */
static bool propagate(struct coalesce *c, struct qc_block *b, struct flow *flows, uint32_t words)
{
    struct qc_block *next[2] = {next_block(c->p, b), b->target};
    struct flow *f = &flows[b->index];
    uint64_t *out = c->live_out[b->index];
    bool changed = false;
    for (uint32_t w = 0; w < words; w++) {
        for (unsigned k = 0; k < 2; k++)
            out[w] |= next[k] ? flows[next[k]->index].in[w] : 0;
        uint64_t in = f->uses[w] | (out[w] & ~f->kills[w]);
        changed |= in != f->in[w];
        f->in[w] = in;
    }
    c->steps += words;
    return changed;
}

static void find_liveness(struct coalesce *c)
{
    struct qc_program *p = c->p;
    uint32_t words = UTIL_BITSET_WORDS(p->temp_count);
    struct flow *flows = util_arena_new_array(p->arena, struct flow, p->block_count);
    c->live_out = util_arena_new_array(p->arena, uint64_t *, p->block_count);
    qc_for_each_block(b, p) {
        struct flow *f = &flows[b->index];
        f->in = util_arena_new_array(p->arena, uint64_t, words);
        f->uses = util_arena_new_array(p->arena, uint64_t, words);
        f->kills = util_arena_new_array(p->arena, uint64_t, words);
        c->live_out[b->index] = util_arena_new_array(p->arena, uint64_t, words);
        scan_block(c, b, f);
    }
    for (bool changed = p->block_count > 1; changed;) {
        changed = false;
        for (struct util_list *l = p->blocks.prev; l != &p->blocks; l = l->prev)
            changed |= propagate(c, container_of(l, struct qc_block, link), flows, words);
    }
}

/* The first event of `temp` after the definition decides: live when it is a read. */
static bool is_live_after(struct coalesce *c, const struct definition *d, uint32_t temp)
{
    uint32_t e = c->events_of[temp], end = c->block_end[d->block->index];
    for (; e != QC_NONE && c->events[e].at <= d->at; e = c->events[e].next)
        c->steps++;
    if (e != QC_NONE && c->events[e].at < end)
        return c->events[e].is_read;
    return util_bitset_test(c->live_out[d->block->index], temp);
}

/* ---------------------------------------------------------------- merging */

static bool copies(const struct coalesce *c, const struct qc_instr *i, uint32_t from, uint32_t to)
{
    return qc_is_mov(i) && i->kind == QC_ALU && qc_writes_whole(i) && i->src[0].kind == QC_SRC_TEMP &&
           !i->src[0].unpack && !i->sf && i->waddr == QPU_W_NOP && !i->chains && !i->rotate && i->dst != QC_NONE &&
           representative(c, i->dst) == to && representative(c, i->src[0].index) == from;
}

/* True when `written` is written while `other` is live, except by copies of `other`. */
static bool conflicts(struct coalesce *c, uint32_t written, uint32_t other)
{
    for (uint32_t d = c->first_of[written]; d != QC_NONE; d = c->definitions[d].next) {
        if (!copies(c, c->definitions[d].instr, other, written) && is_live_after(c, &c->definitions[d], other))
            return true;
    }
    return false;
}

static bool may_merge(const struct qc_temp *a, const struct qc_temp *b)
{
    const uint8_t everywhere = QC_IN_ACC | QC_IN_A | QC_IN_B;
    return a->classes == everywhere && b->classes == everywhere && !a->pinned && !b->pinned && !a->payload &&
           !b->payload;
}

static void merge_events(struct coalesce *c, uint32_t into, uint32_t temp)
{
    uint32_t *link = &c->events_of[into], other = c->events_of[temp];
    for (; other != QC_NONE; link = &c->events[*link].next) {
        if (*link != QC_NONE && c->events[*link].at <= c->events[other].at)
            continue;
        uint32_t remaining = *link;
        *link = other;
        other = remaining;
    }
}

static void merge(struct coalesce *c, uint32_t into, uint32_t temp)
{
    merge_events(c, into, temp);
    c->merged_into[temp] = into;
    c->p->temps[into].kept_in_loop |= c->p->temps[temp].kept_in_loop;
    c->p->temps[into].carried |= c->p->temps[temp].carried;
    uint32_t *tail = &c->first_of[into];
    while (*tail != QC_NONE)
        tail = &c->definitions[*tail].next;
    *tail = c->first_of[temp];
    for (uint32_t b = 0; b < c->p->block_count; b++) {
        if (util_bitset_test(c->live_out[b], temp))
            util_bitset_set(c->live_out[b], into);
    }
}

static void try_move(struct coalesce *c, struct qc_instr *i)
{
    if (i->kind != QC_ALU || !qc_is_mov(i) || i->src[0].kind != QC_SRC_TEMP || i->dst == QC_NONE)
        return;
    uint32_t to = representative(c, i->dst), from = representative(c, i->src[0].index);
    if (to == from || !copies(c, i, from, to) || !may_merge(&c->p->temps[to], &c->p->temps[from]))
        return;
    if (!conflicts(c, to, from) && !conflicts(c, from, to))
        merge(c, to, from);
}

static void add_definition(struct coalesce *c, struct definition d, uint32_t temp, uint32_t *count)
{
    d.next = c->first_of[temp];
    c->definitions[*count] = d;
    c->first_of[temp] = (*count)++;
}

/* Called in reverse program order. Within an operation, reads come before writes. */
static void add_event(struct coalesce *c, uint32_t at, uint32_t temp, bool is_read, uint32_t *count)
{
    c->events[*count] = (struct event){at, c->events_of[temp], is_read};
    c->events_of[temp] = (*count)++;
}

static uint32_t number_operations(struct coalesce *c)
{
    uint32_t at = 0;
    qc_for_each_block(b, c->p) {
        qc_for_each_instr(i, b)
            i->index = at++;
        c->block_end[b->index] = at;
    }
    return at;
}

static void collect_definitions(struct coalesce *c, uint32_t operations)
{
    uint32_t count = 0;
    c->definitions = util_arena_new_array(c->p->arena, struct definition, 2 * operations + 1);
    qc_for_each_block(b, c->p) {
        qc_for_each_instr(i, b) {
            const struct definition d = {.instr = i, .block = b, .at = i->index};
            if (i->dst != QC_NONE)
                add_definition(c, d, i->dst, &count);
            if (i->result != QC_NONE)
                add_definition(c, d, i->result, &count);
        }
    }
}

static void collect_events(struct coalesce *c, uint32_t operations)
{
    uint32_t count = 0;
    c->events = util_arena_new_array(c->p->arena, struct event, 4 * operations + 1);
    for (struct util_list *l = c->p->blocks.prev; l != &c->p->blocks; l = l->prev) {
        struct qc_block *b = container_of(l, struct qc_block, link);
        for (struct util_list *k = b->instrs.prev; k != &b->instrs; k = k->prev) {
            const struct qc_instr *i = container_of(k, struct qc_instr, link);
            if (i->dst != QC_NONE && qc_writes_whole(i))
                add_event(c, i->index, i->dst, false, &count);
            if (i->result != QC_NONE)
                add_event(c, i->index, i->result, false, &count);
            for (unsigned n = 0; n < 2; n++) {
                if (i->src[n].kind == QC_SRC_TEMP)
                    add_event(c, i->index, i->src[n].index, true, &count);
            }
        }
    }
}

static void rename_all(struct coalesce *c)
{
    qc_for_each_block(b, c->p) {
        qc_for_each_instr_safe(i, b) {
            for (unsigned k = 0; k < 2; k++) {
                if (i->src[k].kind == QC_SRC_TEMP)
                    i->src[k].index = representative(c, i->src[k].index);
            }
            i->dst = i->dst == QC_NONE ? QC_NONE : representative(c, i->dst);
            i->result = i->result == QC_NONE ? QC_NONE : representative(c, i->result);
            if (i->dst != QC_NONE && copies(c, i, i->dst, i->dst))
                util_list_del(&i->link);
        }
    }
}

void qc_coalesce(struct qc_program *p)
{
    struct coalesce c = {.p = p};
    bool has_moves = false;
    c.merged_into = util_arena_new_array(p->arena, uint32_t, p->temp_count + 1);
    c.first_of = util_arena_new_array(p->arena, uint32_t, p->temp_count + 1);
    c.events_of = util_arena_new_array(p->arena, uint32_t, p->temp_count + 1);
    c.block_end = util_arena_new_array(p->arena, uint32_t, p->block_count + 1);
    for (uint32_t t = 0; t < p->temp_count; t++) {
        c.merged_into[t] = t;
        c.first_of[t] = c.events_of[t] = QC_NONE;
    }
    qc_for_each_block(b, p) {
        qc_for_each_instr(i, b)
            has_moves |= i->dst != QC_NONE && i->src[0].kind == QC_SRC_TEMP && copies(&c, i, i->src[0].index, i->dst);
    }
    if (!has_moves)
        return;
    uint32_t operations = number_operations(&c);
    collect_definitions(&c, operations);
    collect_events(&c, operations);
    find_liveness(&c);
    qc_for_each_block(b, p) {
        qc_for_each_instr(i, b) {
            if (c.steps < STEP_BUDGET)
                try_move(&c, i);
        }
    }
    rename_all(&c);
}
