/* SPDX-License-Identifier: MIT
 *
 * List scheduling, block by block and word by word. Ready operations go into the word in the order given by
 * qc_choose.c, as long as they fit (qc_word.c). Their results get registers at that moment (qc_regs.c). Values that
 * block an operation are copied to other registers (qc_copies.c).
 *
 * Hazards are tracked by time stamps: when a value may be read (H1, H2, H4), when r4 may be loaded (H2), which flag
 * group the flags hold.
 *
 * A run stops as soon as it cannot become shorter than an earlier one (qc_bound.c).
 */
#include "compiler/qpu/qc_sched.h"

#include "compiler/qpu/qc_engine.h"

#include <string.h>

#define STALL_LIMIT 40 /* words in a row without an operation: the run is stuck */

static bool accumulators_are_empty(const struct qc_sched *s)
{
    return s->free_count[QC_PLACE_ACC] == QC_ACCS && s->owner[QC_PLACE_R4][0] == QC_NONE &&
           s->owner[QC_PLACE_R5][0] == QC_NONE && !s->flag_readers && s->r4_free_at <= s->cycle + 1;
}

/* ---------------------------------------------------------------- adding an operation to the word */

static unsigned released_by(const struct qc_sched *s, const struct qc_node *node, struct qc_place out[2])
{
    unsigned count = 0;
    for (unsigned k = 0; k < 2 && node->reads[k] != QC_NONE; k++) {
        if (qc_is_last_reader(s, node, k))
            out[count++] = s->lives[node->reads[k]].at;
    }
    return count;
}

bool qc_offer(struct qc_sched *s, const struct qc_instr *i)
{
    const struct qc_slot slot = {i, {qc_place_of(s, i->src[0]), qc_place_of(s, i->src[1])}, {0}};
    return qc_draft_offer(s->p, &s->draft, &slot, s->uniforms_allowed);
}

static bool try_add(struct qc_sched *s, const struct qc_instr *i, struct qc_place dst)
{
    return qc_offer(s, i) && qc_draft_accept(&s->draft, dst);
}

/* True when each class that `temp` may be in has a free register. */
static bool has_all_registers(const struct qc_sched *s, uint32_t temp, const struct qc_place *releasing,
                              unsigned releasing_count)
{
    struct qc_place unused;
    const uint8_t classes = qc_regs_classes(s, temp);
    for (uint8_t cls = QC_IN_ACC; cls <= QC_IN_B; cls <<= 1) {
        if (classes & cls && !qc_regs_find(s, cls, releasing, releasing_count, &unused))
            return false;
    }
    return true;
}

/* Adds the operation if there is a register for its result that the word allows. When the word refuses it with every
 * class of destination, that is final: more operations in the word cannot make it fit. */
static bool add_to_word(struct qc_sched *s, uint32_t n, struct qc_place *dst_out)
{
    const struct qc_node *node = &s->dag->nodes[n];
    const struct qc_instr *i = node->instr;
    *dst_out = (struct qc_place){0};
    s->states[n].refused_by = s->word_number;
    if (i->dst == QC_NONE)
        return try_add(s, i, *dst_out);
    if (s->lives[i->dst].at.kind != QC_PLACE_NONE) {
        *dst_out = qc_original_place(&s->lives[i->dst]);
        return try_add(s, i, *dst_out);
    }
    struct qc_place releasing[2];
    unsigned releasing_count = released_by(s, node, releasing);
    uint8_t classes[3];
    if (!qc_offer(s, i)) {
        if (!has_all_registers(s, i->dst, releasing, releasing_count))
            s->states[n].refused_by = 0;
        return false;
    }
    unsigned count = qc_regs_rank(s, i->dst, n, classes);
    for (unsigned k = 0; k < count; k++) {
        if (!qc_regs_find(s, classes[k], releasing, releasing_count, dst_out))
            s->states[n].refused_by = 0;
        else if (qc_draft_accept(&s->draft, *dst_out))
            return true;
    }
    return false;
}

static void drop_reference(struct qc_sched *s, uint32_t temp)
{
    struct qc_life *l = &s->lives[temp];
    assert(l->pending);
    if (--l->pending)
        return;
    qc_regs_drop_copy(s, temp);
    if (l->dies)
        qc_regs_release(s, temp);
}

static void note_result(struct qc_sched *s, uint32_t n, uint32_t temp, struct qc_place at, uint32_t ready)
{
    struct qc_life *l = &s->lives[temp];
    l->writer = n;
    qc_regs_drop_copy(s, temp);
    if (l->at.kind == QC_PLACE_NONE)
        qc_regs_take(s, temp, at);
    l->ready = MAX2(l->ready, ready);
    l->written = s->cycle;
    drop_reference(s, temp);
}

/* Called when all predecessors are issued. A switch is not counted in the bound, because it may go on an earlier
 * word. */
static void make_ready(struct qc_sched *s, uint32_t n)
{
    qc_ready_add(s, n);
    s->ready_non_alu += s->dag->nodes[n].instr->kind != QC_ALU;
    if (s->dag->nodes[n].flags & QC_NODE_SWITCH)
        s->switch_node = n;
    else
        s->block_min_words = MAX2(s->block_min_words, s->states[n].earliest + s->dag->nodes[n].tail);
}

static void release_successors(struct qc_sched *s, uint32_t n)
{
    qc_for_each_out(e, s->dag, n) {
        struct qc_node_state *w = &s->states[e->to];
        w->earliest = MAX2(w->earliest, s->cycle + e->latency);
        w->soft = MAX2(w->soft, s->cycle + e->soft);
        if (--w->in_left == 0)
            make_ready(s, e->to);
    }
}

static void commit(struct qc_sched *s, uint32_t n, struct qc_place dst)
{
    const struct qc_node *node = &s->dag->nodes[n];
    const struct qc_instr *i = node->instr;
    s->states[n].is_issued = true;
    s->demand_left -= node->demand;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP)
            drop_reference(s, i->src[k].index);
    }
    if (i->uses)
        s->flag_readers--;
    if (i->sets) {
        s->flag_group = i->sets;
        s->flag_readers = s->dag->group_readers[i->sets];
    }
    if (i->dst != QC_NONE)
        note_result(s, n, i->dst, dst, s->cycle + (dst.kind == QC_PLACE_ACC ? 1 : 2));
    if (node->flags & QC_NODE_WRITES_R4) {
        bool sfu = i->kind != QC_SIGNAL;
        s->r4_free_at = s->cycle + (sfu ? 3 : 1);
        if (i->result != QC_NONE)
            note_result(s, n, i->result, (struct qc_place){QC_PLACE_R4, 0}, s->r4_free_at);
    } else if (i->result != QC_NONE) {
        note_result(s, n, i->result, (struct qc_place){QC_PLACE_R5, 0}, s->cycle + 1);
    }
    s->schedule->cycle_of[s->operation_base + n] = s->cycle;
    s->done_count++;
    release_successors(s, n);
}

static void remove_ready(struct qc_sched *s, uint32_t n)
{
    s->ready_non_alu -= s->dag->nodes[n].instr->kind != QC_ALU;
    qc_ready_remove(s, n);
}

/* ---------------------------------------------------------------- thread switches */

/* The first word that may carry the switch. Its requests must be issued in its delay slots or before, everything else
 * that precedes it before it. */
static uint32_t first_switch_word(const struct qc_sched *s, uint32_t n)
{
    uint32_t first = 0;
    qc_for_each_in(e, s->dag, n) {
        uint32_t at = s->schedule->cycle_of[s->operation_base + e->from];
        bool is_request = s->dag->nodes[e->from].instr->kind == QC_ALU;
        first = MAX2(first, is_request ? (at > QC_SWITCH_SLOTS ? at - QC_SWITCH_SLOTS : 0) : at + e->latency);
    }
    return first;
}

/* True when, with the switch at word `at`, accumulators, latches and flags hold no live value when the other thread
 * begins. */
static bool is_drained_behind(const struct qc_sched *s, uint32_t at)
{
    uint32_t last = at + QC_SWITCH_SLOTS;
    return last < s->cycle ? s->out->words[last].drained : accumulators_are_empty(s);
}

/* Issues the switch whose requests are all issued: on the earliest finished word that can carry it, or on the current
 * word. */
static void issue_switch(struct qc_sched *s)
{
    uint32_t n = s->switch_node, now = s->cycle, at;
    const struct qc_instr *i = s->dag->nodes[n].instr;
    for (at = MIN2(first_switch_word(s, n), now); at < now; at++) {
        struct qc_word *w = &s->out->words[at];
        if (w->hw.sig == QPU_SIG_NONE && !w->plain && is_drained_behind(s, at)) {
            w->hw.sig = i->sig;
            break;
        }
    }
    if (at == now &&
        !(s->states[n].earliest <= now && accumulators_are_empty(s) && try_add(s, i, (struct qc_place){0})))
        return;
    s->switch_node = QC_NONE;
    s->switch_until = at + 1 + QC_SWITCH_SLOTS;
    remove_ready(s, n);
    s->cycle = at;
    commit(s, n, (struct qc_place){0});
    s->cycle = now;
}

/* ---------------------------------------------------------------- words */

/* How many operations are tried as companions of one that is already in the word. When very many are ready, the worst
 * ones are not worth trying. [measured: over the corpus 8 % of the time, 0.6 % fewer instructions] */
#define COMPANION_TRIES_MAX 12u

static bool issue_one(struct qc_sched *s)
{
    uint32_t n;
    if (!s->ready_non_alu && qc_draft_is_full(&s->draft))
        return false;
    qc_collect(s);
    unsigned tries = s->draft.count ? COMPANION_TRIES_MAX : UINT32_MAX;
    while (tries-- && qc_next_candidate(s, &n)) {
        struct qc_place dst;
        if (!add_to_word(s, n, &dst))
            continue;
        remove_ready(s, n);
        commit(s, n, dst);
        return true;
    }
    return false;
}

static void fill_word(struct qc_sched *s)
{
    qc_draft_begin(&s->draft);
    s->word_number++;
    if (s->switch_node != QC_NONE)
        issue_switch(s);
    while (s->draft.count < QC_DRAFT_SLOTS && issue_one(s))
        ;
    qc_add_copies(s);
}

/* ---------------------------------------------------------------- blocks */

static struct qc_word *append_word(struct qc_sched *s)
{
    struct qc_schedule_block *b = s->out;
    if (b->count == b->room) {
        uint32_t room = b->room ? b->room * 2 : s->dag->node_count + 8;
        struct qc_word *grown = util_arena_new_array(s->p->arena, struct qc_word, room);
        if (b->count)
            memcpy(grown, b->words, b->count * sizeof *grown);
        b->words = grown;
        b->room = room;
    }
    return &b->words[b->count++];
}

static void begin_block(struct qc_sched *s, struct qc_block *block)
{
    struct qc_dag *dag = block->dag;
    s->block = block;
    s->dag = dag;
    s->cycle = s->done_count = s->ready_count = s->ready_non_alu = 0;
    s->r4_free_at = s->switch_until = 0;
    s->flag_group = s->flag_readers = 0;
    s->switch_node = QC_NONE;
    s->uniforms_allowed = !block->is_target || block->has_reset;
    s->block_min_words = block->min_words;
    s->first_unissued = 0;
    s->demand_left = dag->demand;
    for (uint32_t n = 0; n < dag->node_count; n++) {
        /* [notes H6] no scoreboard in the first two instructions. */
        uint32_t first = dag->nodes[n].instr->tlb && block->index == 0 ? 2 : 0;
        s->states[n] = (struct qc_node_state){.in_left = dag->nodes[n].in_count, .earliest = first, .soft = first};
    }
    qc_choose_begin_block(s);
    qc_regs_begin_block(s);
    for (uint32_t n = 0; n < dag->node_count; n++) {
        if (!s->states[n].in_left)
            make_ready(s, n);
    }
}

/* A randomised run is stopped when it is behind the best run by more operations than this: two, plus one per 64
 * operations of the block. It is unlikely to catch up. [measured: over the corpus a fifth of the time of all runs, 0.1
 * % more instructions] */
#define OPERATIONS_BEHIND_MAX  2
#define OPERATIONS_BEHIND_PART 64

static bool has_fallen_behind(const struct qc_sched *s)
{
    if (s->limit == UINT32_MAX || !s->strategy->seed)
        return false;
    const struct qc_schedule_block *best = &s->previous->blocks[s->block->index];
    uint32_t behind_max = OPERATIONS_BEHIND_MAX + s->dag->node_count / OPERATIONS_BEHIND_PART;
    return s->cycle < best->count && s->done_count + behind_max < best->words[s->cycle].done;
}

static enum qc_run schedule_block(struct qc_sched *s)
{
    unsigned idle = 0;
    s->out->branch_setter_word = QC_NONE;
    while (s->done_count < s->dag->node_count) {
        uint32_t done_before = s->done_count;
        fill_word(s);
        idle = s->done_count > done_before ? 0 : idle + 1; /* copies alone are no progress */
        if (idle > STALL_LIMIT)
            return QC_RUN_STUCK;
        if (has_fallen_behind(s) || !qc_can_beat_limit(s))
            return QC_RUN_NOT_SHORTER;
        struct qc_word *word = append_word(s);
        qc_draft_finish(&s->draft, word);
        word->done = s->done_count;
        word->drained = accumulators_are_empty(s);
        s->cycle++;
    }
    if (s->dag->branch_setter != QC_NONE)
        s->out->branch_setter_word = s->schedule->cycle_of[s->operation_base + s->dag->branch_setter];
    qc_regs_end_block(s);
    return QC_RUN_DONE;
}

/* ---------------------------------------------------------------- sequences of the CPU engine */

static uint8_t site_source(const struct qc_sched *s, struct qc_src src)
{
    if (src.kind != QC_SRC_TEMP)
        return VC4C_SITE_NO_REGISTER;
    struct qc_place at = s->lives[src.index].at;
    if (at.kind == QC_PLACE_NONE) /* never written */
        return 0;
    assert(qc_place_is_file(at));
    return at.kind == QC_PLACE_B ? at.reg | VC4C_SITE_FILE_B : at.reg;
}

/* Allocates a register for a result while the sources still hold theirs, because a sequence may write its result before
 * it has read all sources. */
static bool site_result(struct qc_sched *s, uint32_t temp, uint8_t *out)
{
    struct qc_place at;
    *out = VC4C_SITE_NO_REGISTER;
    if (temp == QC_NONE)
        return true;
    if (s->lives[temp].at.kind == QC_PLACE_NONE) {
        uint8_t classes = s->p->temps[temp].classes;
        if (!((classes & QC_IN_B) && qc_regs_find(s, QC_IN_B, NULL, 0, &at)) &&
            !((classes & QC_IN_A) && qc_regs_find(s, QC_IN_A, NULL, 0, &at)))
            return false;
        qc_regs_take(s, temp, at);
    }
    *out = site_source(s, qc_src_temp(temp));
    return true;
}

static enum qc_run schedule_sequence(struct qc_sched *s)
{
    struct qc_schedule_block *b = s->out;
    struct qpu_instr words[QC_SEQUENCE_ROOM];
    struct qc_instr *i = b->block->sequence;
    struct qc_instr *second =
        i->link.next == &b->block->instrs ? NULL : container_of(i->link.next, struct qc_instr, link);
    b->branch_setter_word = QC_NONE;
    b->site = (struct vc4c_site){.kind = (uint8_t)i->imm,
                                 .address = site_source(s, i->src[0]),
                                 .data = site_source(s, i->src[1]),
                                 .compare = VC4C_SITE_NO_REGISTER,
                                 .scratch = VC4C_SITE_NO_REGISTER};
    if (!site_result(s, i->dst, &b->site.result))
        return QC_RUN_STUCK;
    if (second) {
        b->site.compare = site_source(s, second->src[0]);
        if (!site_result(s, second->dst, &b->site.scratch))
            return QC_RUN_STUCK;
    }
    b->site.count = (uint16_t)qc_sequence_write(&b->site, s->p->subgroups, words);
    for (unsigned k = 0; k < b->site.count; k++)
        *append_word(s) = (struct qc_word){.hw = words[k], .lookup = QC_NONE, .origin = i->origin};
    qc_for_each_instr(k, b->block) {
        for (unsigned n = 0; n < 2; n++) {
            if (k->src[n].kind == QC_SRC_TEMP)
                drop_reference(s, k->src[n].index);
        }
        if (k->dst != QC_NONE)
            drop_reference(s, k->dst);
    }
    qc_regs_end_block(s);
    return QC_RUN_DONE;
}

/* ---------------------------------------------------------------- runs */

struct qc_sched *qc_sched_create(struct qc_program *p)
{
    struct util_arena *arena = p->arena;
    struct qc_sched *s = util_arena_new(arena, struct qc_sched);
    s->p = p;
    qc_for_each_block(b, p) {
        s->node_max = MAX2(s->node_max, b->dag->node_count);
        s->operation_count += b->dag->node_count;
    }
    s->lives = util_arena_new_array(arena, struct qc_life, p->temp_count + 1);
    s->states = util_arena_new_array(arena, struct qc_node_state, s->node_max + 1);
    s->ready = util_arena_new_array(arena, qc_key, s->node_max + 1);
    s->candidates.keys = util_arena_new_array(arena, qc_key, s->node_max + 1);
    qc_for_each_block(b, p)
        b->min_words = 0;
    return s;
}

uint32_t qc_sched_find_bounds(struct qc_sched *s)
{
    for (uint32_t n = 0; n < s->node_max; n++)
        s->states[n].is_issued = false;
    qc_for_each_block(b, s->p)
        b->min_words = qc_bound_block(b->dag, s->states);
    return qc_sched_min_words(s);
}

uint32_t qc_sched_min_words(const struct qc_sched *s)
{
    uint32_t words = 0;
    qc_for_each_block(b, s->p)
        words += b->min_words;
    return words;
}

static void begin_run(struct qc_sched *s, struct qc_schedule *out)
{
    struct util_arena *arena = s->p->arena;
    memset(s->lives, 0, s->p->temp_count * sizeof *s->lives);
    s->used_count = s->used_max = s->operation_base = 0;
    s->words_before = 0;
    s->words_after = qc_sched_min_words(s);
    s->schedule = out;
    qc_regs_init(s);
    if (!out->blocks) {
        out->blocks = util_arena_new_array(arena, struct qc_schedule_block, s->p->block_count + 1);
        out->cycle_of = util_arena_new_array(arena, uint32_t, s->operation_count + 1);
    }
}

enum qc_run qc_sched_run(struct qc_sched *s, const struct qc_strategy *strategy, const struct qc_schedule *previous,
                         uint32_t limit, struct qc_schedule *out)
{
    s->strategy = strategy;
    s->previous = previous;
    s->limit = limit;
    begin_run(s, out);
    qc_for_each_block(b, s->p) {
        s->out = &out->blocks[b->index];
        s->out->block = b;
        s->out->count = 0;
        s->words_after -= b->min_words;
        begin_block(s, b);
        enum qc_run result = b->sequence ? schedule_sequence(s) : schedule_block(s);
        if (result != QC_RUN_DONE)
            return result;
        s->operation_base += b->dag->node_count;
        s->words_before += MAX2(s->out->count + (b->target ? 1 : 0), b->min_words);
    }
    out->registers = s->used_max;
    return QC_RUN_DONE;
}
