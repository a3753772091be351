/* SPDX-License-Identifier: MIT
 *
 * Joins scheduled blocks into a program: adds branches with their delay slots, the program's end and scoreboard
 * signals. Then encodes the words, and writes the uniform stream and the list of lookups in the order of the words.
 */
#include "compiler/qpu/qc_sched.h"

#include <string.h>

struct qc_emitter {
    struct qc_program *p;
    struct qc_word *words; /* of the program that was last joined */
    uint32_t count, room;
    uint32_t *start_of;  /* by block: its first word */
    uint32_t *branch_of; /* by block: its branch, or QC_NONE */
};

static struct qc_word nop_word(void)
{
    return (struct qc_word){.hw = qpu_nop(), .lookup = QC_NONE};
}

static void append(struct qc_emitter *c, struct qc_word w)
{
    if (c->count == c->room) {
        uint32_t room = c->room ? c->room * 2 : 64;
        struct qc_word *grown = util_arena_new_array(c->p->arena, struct qc_word, room);
        if (c->count)
            memcpy(grown, c->words, c->count * sizeof *grown);
        c->words = grown;
        c->room = room;
    }
    c->words[c->count++] = w;
}

/* ---------------------------------------------------------------- between blocks */

static bool writes_file(const struct qpu_instr *w, bool file_a, unsigned reg)
{
    if (w->sig == QPU_SIG_BRANCH)
        return false;
    unsigned to_a = w->ws ? w->waddr_mul : w->waddr_add, to_b = w->ws ? w->waddr_add : w->waddr_mul;
    return (file_a ? to_a : to_b) == reg;
}

static bool reads_what_it_writes(const struct qpu_instr *later, const struct qpu_instr *earlier)
{
    if (later->sig == QPU_SIG_LOAD_IMM || later->sig == QPU_SIG_BRANCH)
        return false;
    if (later->raddr_a < 32 && writes_file(earlier, true, later->raddr_a))
        return true;
    return later->sig != QPU_SIG_SMALL_IMM && later->raddr_b < 32 && writes_file(earlier, false, later->raddr_b);
}

/* The first word that runs when `block` is entered; it may be in a later block. NULL when a branch or the program's end
 * comes first. */
static const struct qpu_instr *first_word(const struct qc_schedule *s, struct qc_program *p, struct qc_block *block)
{
    for (;;) {
        const struct qc_schedule_block *sb = &s->blocks[block->index];
        if (sb->count)
            return &sb->words[0].hw;
        if (block->target || block->link.next == &p->blocks)
            return NULL;
        block = container_of(block->link.next, struct qc_block, link);
    }
}

/* [notes H1] The result of a block's last word is not readable in the first word of the next. */
static bool needs_gap(const struct qc_schedule *s, struct qc_program *p, const struct qc_schedule_block *sb)
{
    if (!sb->count)
        return false;
    const struct qpu_instr *last = &sb->words[sb->count - 1].hw, *next;
    if (sb->block->link.next != &p->blocks && (!sb->block->target || sb->block->branch_cond != QPU_BRANCH_ALWAYS)) {
        next = first_word(s, p, container_of(sb->block->link.next, struct qc_block, link));
        if (next && reads_what_it_writes(next, last))
            return true;
    }
    next = sb->block->target ? first_word(s, p, sb->block->target) : NULL;
    return next && reads_what_it_writes(next, last);
}

/* ---------------------------------------------------------------- branches */

#define DELAY_SLOTS 3

static struct qc_word branch_word(const struct qc_block *b)
{
    struct qc_word w = nop_word();
    w.hw.sig = QPU_SIG_BRANCH;
    w.hw.pack = b->branch_cond;
    w.hw.branch_rel = 1;
    w.hw.raddr_a = 0;
    return w;
}

static bool is_switch(const struct qc_word *w)
{
    return w->hw.sig == QPU_SIG_THREAD_SWITCH || w->hw.sig == QPU_SIG_LAST_THREAD_SWITCH;
}

/* How many nops a block needs at its end when it falls through to the next one. The delay slots of a thread switch must
 * be in its own block: accumulators are lost after them, and the next block may write accumulators in its first
 * words. */
static uint32_t count_gap_words(const struct qc_schedule *s, struct qc_program *p, const struct qc_schedule_block *sb)
{
    for (uint32_t behind = 0; behind < QC_SWITCH_SLOTS && behind < sb->count; behind++)
        if (is_switch(&sb->words[sb->count - 1 - behind]))
            return QC_SWITCH_SLOTS - behind;
    return needs_gap(s, p, sb);
}

/* Places the branch before the block's last words, which become its delay slots: those run in either case. */
static void append_block(struct qc_emitter *c, const struct qc_schedule *s, const struct qc_schedule_block *sb)
{
    uint32_t start = c->count, count = sb->count;
    c->start_of[sb->block->index] = start;
    c->branch_of[sb->block->index] = QC_NONE;
    if (!sb->block->target) {
        for (uint32_t k = 0; k < count; k++)
            append(c, sb->words[k]);
        for (uint32_t k = count_gap_words(s, c->p, sb); k; k--)
            append(c, nop_word());
        return;
    }
    uint32_t padded = count + needs_gap(s, c->p, sb);
    uint32_t at = padded > DELAY_SLOTS ? padded - DELAY_SLOTS : 0;
    if (sb->block->branch_uses)
        at = MAX2(at, sb->branch_setter_word + 1);
    for (uint32_t k = at > 2 ? at - 2 : 0; k < at && k < count; k++) {
        if (is_switch(&sb->words[k])) /* a branch must not be in the delay slots of a switch */
            at = k + 3;
    }
    if (start == 0) /* [notes 9.6 rule 3] no branch at instruction 0 or 1 */
        at = MAX2(at, 2);
    for (uint32_t k = 0; k < at; k++)
        append(c, k < count ? sb->words[k] : nop_word());
    c->branch_of[sb->block->index] = c->count;
    append(c, branch_word(sb->block));
    for (uint32_t k = 0; k < DELAY_SLOTS; k++)
        append(c, at + k < count ? sb->words[at + k] : nop_word());
}

static void set_targets(struct qc_emitter *c)
{
    qc_for_each_block(b, c->p) {
        uint32_t at = c->branch_of[b->index];
        if (at == QC_NONE)
            continue;
        int32_t distance = (int32_t)c->start_of[b->target->index] - (int32_t)(at + 4);
        c->words[at].hw.imm = (uint32_t)(distance * 8);
    }
}

/* ---------------------------------------------------------------- the end */

static bool touches_register_14(const struct qpu_instr *w)
{
    if (w->waddr_add == 14 || w->waddr_mul == 14)
        return true;
    if (w->sig == QPU_SIG_LOAD_IMM || w->sig == QPU_SIG_BRANCH)
        return false;
    return w->raddr_a == 14 || (w->raddr_b == 14 && w->sig != QPU_SIG_SMALL_IMM);
}

static bool takes_scoreboard(const struct qpu_instr *w)
{
    if (w->sig == QPU_SIG_COLOR_LOAD)
        return true;
    bool add = w->waddr_add >= QPU_W_TLB_Z && w->waddr_add <= QPU_W_TLB_ALPHA_MASK;
    return add || (w->waddr_mul >= QPU_W_TLB_Z && w->waddr_mul <= QPU_W_TLB_ALPHA_MASK);
}

static bool reads_peripheral(const struct qpu_instr *w, unsigned raddr)
{
    if (w->sig == QPU_SIG_LOAD_IMM || w->sig == QPU_SIG_BRANCH)
        return false;
    return w->raddr_a == raddr || (w->raddr_b == raddr && w->sig != QPU_SIG_SMALL_IMM);
}

static bool writes_either(const struct qpu_instr *w, unsigned waddr)
{
    return w->waddr_add == waddr || w->waddr_mul == waddr;
}

/* May this word carry the program end signal (slot 0) or be in its delay slots (1, 2)? [notes H8 to H11, H24] */
static bool may_end_on(const struct qc_word *w, unsigned slot, bool has_scoreboard)
{
    const struct qpu_instr *i = &w->hw;
    if (w->pop != QC_POP_NONE || reads_peripheral(i, QPU_R_VARYING) || reads_peripheral(i, QPU_R_VPM) ||
        writes_either(i, QPU_W_VPM) || writes_either(i, QPU_W_VPMVCD_SETUP) || writes_either(i, QPU_W_VPM_ADDR) ||
        touches_register_14(i))
        return false;
    if (qpu_waddr_is_tmu(i->waddr_add) || qpu_waddr_is_tmu(i->waddr_mul) || i->sig == QPU_SIG_THREAD_SWITCH ||
        i->sig == QPU_SIG_LAST_THREAD_SWITCH || i->sig == QPU_SIG_BRANCH)
        return false;
    if (slot == 0 && (i->sig != QPU_SIG_NONE || i->waddr_add < 32 || i->waddr_mul < 32))
        return false;
    if (takes_scoreboard(i) && (!has_scoreboard || slot != 1))
        return false;
    return !(slot == 2 && writes_either(i, QPU_W_TLB_Z));
}

static bool ends_at(const struct qc_emitter *c, uint32_t end, uint32_t first_tlb, bool needs_unlock)
{
    for (unsigned slot = 0; slot < 3; slot++) {
        uint32_t k = end + slot;
        if (k >= c->count)
            break;
        if (!may_end_on(&c->words[k], slot, first_tlb < end))
            return false;
        if (slot == 2 && needs_unlock && c->words[k].hw.sig != QPU_SIG_NONE)
            return false;
    }
    return true;
}

/* The last word before `end` that can carry the wait-scoreboard signal; QC_NONE when there is none. */
static uint32_t find_wait(const struct qc_emitter *c, uint32_t end, uint32_t last_block_start)
{
    uint32_t first = MAX2(last_block_start, 2), found = QC_NONE; /* [notes H6] */
    for (uint32_t k = last_block_start; k < end; k++) {
        const struct qc_word *w = &c->words[k];
        if (is_switch(w))
            first = k + 3, found = QC_NONE;
        if (k >= first && w->hw.sig == QPU_SIG_NONE && !w->plain)
            found = k;
    }
    return found;
}

static uint32_t find_end(const struct qc_emitter *c, uint32_t last_block_start, uint32_t first_tlb, bool may_wait,
                         uint32_t *wait_out)
{
    bool fragment = c->p->kind == VC4C_PROGRAM_FRAGMENT;
    uint32_t end = c->count > last_block_start + 3 ? c->count - 3 : last_block_start;
    for (; end < c->count; end++) {
        *wait_out = may_wait ? find_wait(c, end, last_block_start) : QC_NONE;
        if (ends_at(c, end, MIN2(first_tlb, *wait_out), fragment))
            break;
    }
    return end;
}

/* Adds the program's end. The last write to the tile buffer may be in the delay slots of the program end if the
 * scoreboard was locked before. Where that makes the program shorter, an earlier word gets an explicit wait-scoreboard
 * signal. */
static void append_end(struct qc_emitter *c, uint32_t last_block_start)
{
    bool fragment = c->p->kind == VC4C_PROGRAM_FRAGMENT;
    uint32_t first_tlb = QC_NONE, wait;
    for (uint32_t k = 0; k < c->count && first_tlb == QC_NONE; k++) {
        if (takes_scoreboard(&c->words[k].hw))
            first_tlb = k;
    }
    uint32_t end = find_end(c, last_block_start, first_tlb, false, &wait);
    if (fragment && first_tlb >= last_block_start && first_tlb != QC_NONE) {
        uint32_t earlier = find_end(c, last_block_start, first_tlb, true, &wait);
        if (earlier < end) {
            end = earlier;
            if (wait < first_tlb)
                c->words[wait].hw.sig = QPU_SIG_WAIT_SCOREBOARD;
        }
    }
    while (c->count < end + 3)
        append(c, nop_word());
    c->words[end].hw.sig = QPU_SIG_PROGRAM_END;
    if (fragment)
        c->words[end + 2].hw.sig = QPU_SIG_UNLOCK_SCOREBOARD;
}

/* ---------------------------------------------------------------- lists */

static struct vc4c_uniform uniform_of(const struct qc_program *p, struct qc_src popped)
{
    if (popped.kind == QC_SRC_CONST)
        return (struct vc4c_uniform){.kind = VC4C_UNIFORM_CONSTANT, .data = popped.index};
    return p->uniforms[popped.index];
}

static uint32_t count_uniforms(const struct qc_emitter *c)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->count; k++)
        n += c->words[k].pop != QC_POP_NONE;
    return n;
}

static void write_lists(struct qc_emitter *c, struct vc4c_program *out)
{
    uint32_t uniforms = 0, lookups = 0, reset_load = QC_NONE;
    bool open_backward_branch = false;
    for (uint32_t k = 0; k < c->count; k++) {
        struct qc_word *w = &c->words[k];
        if (w->reset == 1)
            reset_load = k;
        if (w->reset == 2) {
            c->words[reset_load].hw.imm = 4 * uniforms + 4;
            open_backward_branch = false;
        }
        if (w->hw.sig == QPU_SIG_BRANCH && (int32_t)w->hw.imm < 0)
            open_backward_branch = true;
        if (w->pop != QC_POP_NONE)
            out->uniforms[uniforms++] = uniform_of(c->p, w->popped);
        if (w->lookup != QC_NONE)
            out->lookups[lookups++] = c->p->lookups[w->lookup];
    }
    out->uniform_count = uniforms;
    out->lookup_count = lookups;
    out->extra_stream_word = open_backward_branch;
}

static void write_sites(struct qc_emitter *c, const struct qc_schedule *s, struct vc4c_program *out)
{
    qc_for_each_block(b, c->p) {
        if (!b->sequence)
            continue;
        struct vc4c_site *site = &out->sites[out->site_count++];
        *site = s->blocks[b->index].site;
        site->first = c->start_of[b->index];
    }
}

static void join(struct qc_emitter *c, struct qc_schedule *s)
{
    uint32_t last_start = 0;
    c->count = 0;
    qc_for_each_block(b, c->p) {
        last_start = c->count;
        append_block(c, s, &s->blocks[b->index]);
    }
    set_targets(c);
    append_end(c, last_start);
}

struct qc_emitter *qc_emitter_create(struct qc_program *p)
{
    struct qc_emitter *c = util_arena_new(p->arena, struct qc_emitter);
    c->p = p;
    c->start_of = util_arena_new_array(p->arena, uint32_t, p->block_count + 1);
    c->branch_of = util_arena_new_array(p->arena, uint32_t, p->block_count + 1);
    return c;
}

uint32_t qc_emit_length(struct qc_emitter *c, struct qc_schedule *s)
{
    join(c, s);
    return c->count;
}

/* Does the word only wait or branch? */
static bool is_idle(const struct qpu_instr *word)
{
    return word->sig == QPU_SIG_BRANCH ||
           (word->sig != QPU_SIG_LOAD_IMM && word->op_add == QPU_A_NOP && word->op_mul == QPU_M_NOP);
}

void qc_emit(struct qc_emitter *c, struct qc_schedule *s, const struct util_alloc *alloc, struct vc4c_program *out)
{
    join(c, s);
    if (c->count > QPU_MAX_PROGRAM)
        qc_fail(c->p, VC4C_UNSUPPORTED, "back end: the program has %u instructions, the limit is %u", c->count,
                QPU_MAX_PROGRAM);
    uint32_t uniforms = count_uniforms(c);
    out->code = util_alloc_get(alloc, c->count * sizeof *out->code);
    out->origins = util_alloc_get(alloc, c->count * sizeof *out->origins);
    out->uniforms = util_alloc_get(alloc, (uniforms + 1) * sizeof *out->uniforms);
    out->lookups = util_alloc_get(alloc, (c->p->lookup_count + 1) * sizeof *out->lookups);
    if (c->p->site_count)
        out->sites = util_alloc_get(alloc, c->p->site_count * sizeof *out->sites);
    out->expr_count = c->p->shader->expr_count;
    if (out->expr_count)
        out->exprs = util_alloc_get(alloc, out->expr_count * sizeof *out->exprs);
    out->buffer_count = c->p->shader->buffer_count;
    if (out->buffer_count)
        out->buffers = util_alloc_get(alloc, out->buffer_count * sizeof *out->buffers);
    if (!out->code || !out->origins || !out->uniforms || !out->lookups || (c->p->site_count && !out->sites) ||
        (out->expr_count && !out->exprs) || (out->buffer_count && !out->buffers)) {
        util_alloc_put(alloc, out->sites);
        util_alloc_put(alloc, out->code);
        util_alloc_put(alloc, out->origins);
        util_alloc_put(alloc, out->uniforms);
        util_alloc_put(alloc, out->lookups);
        util_alloc_put(alloc, out->exprs);
        util_alloc_put(alloc, out->buffers);
        qc_fail(c->p, VC4C_OUT_OF_MEMORY, "back end: out of memory");
    }
    if (out->expr_count)
        memcpy(out->exprs, c->p->shader->exprs, out->expr_count * sizeof *out->exprs);
    if (out->buffer_count)
        memcpy(out->buffers, c->p->shader->buffers, out->buffer_count * sizeof *out->buffers);
    write_lists(c, out);
    write_sites(c, s, out);
    out->instruction_count = c->count;
    for (uint32_t k = 0; k < c->count; k++) {
        out->code[k] = qpu_encode(&c->words[k].hw);
        out->origins[k] = c->words[k].origin;
        if (k && !out->origins[k] && is_idle(&c->words[k].hw))
            out->origins[k] = out->origins[k - 1]; /* waits for, or decides about, what came before */
    }
}
