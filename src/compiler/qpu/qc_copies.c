/* SPDX-License-Identifier: MIT
 *
 * Inserts copies where values conflict: two sources in registers of the same file, r4 or r5 that must be overwritten,
 * accumulators that must be freed. A copy moves one of the values, in an instruction word that has a free unit.
 */
#include "compiler/qpu/qc_sched.h"

#include <string.h>

/* Classes for the destination of a copy, the best first. A value that may move anywhere is ranked like a new one. When
 * the original must stay, the copy is for one reader soon, so accumulators come first. */
static unsigned rank_copy(struct qc_sched *s, uint32_t temp, uint8_t out[3])
{
    static const uint8_t short_first[3] = {QC_IN_ACC, QC_IN_B, QC_IN_A};
    const struct qc_temp *t = &s->p->temps[temp];
    if (!t->global && (t->classes & (QC_IN_ACC | QC_IN_B)) && !qc_place_is_file(s->lives[temp].at))
        return qc_regs_rank(s, temp, s->lives[temp].writer, out);
    memcpy(out, short_first, sizeof short_first);
    return 3;
}

/* Makes the copy an operation. Its index in s->copies is that of the slot that it would take in the word. */
static const struct qc_instr *make_copy(struct qc_sched *s, uint32_t temp)
{
    struct qc_instr *m = &s->copies[s->draft.count];
    qc_instr_init(m, QC_ALU);
    m->op_add = QPU_A_OR;
    m->op_mul = QPU_M_V8MIN;
    m->src[0] = qc_src_temp(temp);
    m->dst = temp;
    return m;
}

/* Copies a value to another register, if the word has room. */
static bool copy_value(struct qc_sched *s, uint32_t temp, uint8_t classes)
{
    struct qc_life *l = &s->lives[temp];
    const struct qc_temp *t = &s->p->temps[temp];
    if ((t->classes & (QC_IN_ACC | QC_IN_B)) || l->at.kind == QC_PLACE_R4)
        classes &= t->classes; /* otherwise the original stays beside the copy */
    if (qc_is_draining(s))
        classes &= QC_IN_A | QC_IN_B;
    if (t->pinned || !classes || l->ready > s->cycle || l->written == s->cycle || s->draft.count == QC_DRAFT_SLOTS)
        return false;
    const struct qc_instr *m = make_copy(s, temp);
    if (!qc_draft_has_unit(&s->draft, m) || !qc_offer(s, m))
        return false;
    uint8_t order[3];
    unsigned count = rank_copy(s, temp, order);
    for (unsigned k = 0; k < count; k++) {
        struct qc_place at;
        if ((classes & order[k]) && qc_regs_find(s, order[k], NULL, 0, &at) && qc_draft_accept(&s->draft, at)) {
            qc_regs_move(s, temp, at);
            l->ready = s->cycle + (at.kind == QC_PLACE_ACC ? 1 : 2);
            l->written = s->cycle;
            return true;
        }
    }
    return false;
}

static uint8_t class_of(struct qc_place at)
{
    return at.kind == QC_PLACE_ACC ? QC_IN_ACC : at.kind == QC_PLACE_A ? QC_IN_A : at.kind == QC_PLACE_B ? QC_IN_B : 0;
}

/* ---------------------------------------------------------------- read ports */

/* Copies a source of an operation that does not fit even an instruction of its own. */
static bool copy_for_ports(struct qc_sched *s, uint32_t n)
{
    const struct qc_instr *i = s->dag->nodes[n].instr;
    for (unsigned k = 2; k-- > 0;) {
        if (i->src[k].kind != QC_SRC_TEMP || i->src[k].unpack)
            continue;
        struct qc_place at = s->lives[i->src[k].index].at;
        if (!qc_place_is_file(at))
            continue;
        if (copy_value(s, i->src[k].index, (QC_IN_ACC | QC_IN_A | QC_IN_B) & ~class_of(at)))
            return true;
    }
    return false;
}

static bool fits_alone(struct qc_sched *s, uint32_t n)
{
    const struct qc_node *node = &s->dag->nodes[n];
    const struct qc_instr *i = node->instr;
    if (node->flags & QC_NODE_TWO_TEMPS) {
        const struct qc_place a = qc_place_of(s, i->src[0]), b = qc_place_of(s, i->src[1]);
        return !qc_place_is_file(a) || a.kind != b.kind || a.reg == b.reg;
    }
    const struct qc_slot slot = {i, {qc_place_of(s, i->src[0]), qc_place_of(s, i->src[1])}, {0}};
    struct qc_place dst = {0};
    if (i->dst != QC_NONE && s->lives[i->dst].at.kind != QC_PLACE_NONE)
        dst = qc_original_place(&s->lives[i->dst]);
    else if (i->dst != QC_NONE && (s->p->temps[i->dst].classes & QC_IN_ACC))
        dst = (struct qc_place){QC_PLACE_ACC, 0};
    else if (i->dst != QC_NONE)
        dst = (struct qc_place){s->p->temps[i->dst].classes & QC_IN_A ? QC_PLACE_A : QC_PLACE_B, 0};
    struct qc_draft alone;
    qc_draft_begin(&alone);
    return qc_draft_offer(s->p, &alone, &slot, s->uniforms_allowed) && qc_draft_accept(&alone, dst);
}

/* True for a ready operation that fits no instruction. One that fits is only checked again after a value has moved. */
static bool has_port_conflict(struct qc_sched *s, uint32_t n)
{
    struct qc_node_state *w = &s->states[n];
    if (w->fits_since == s->moves + 1 || !qc_may_issue(s, n))
        return false;
    w->fits_since = fits_alone(s, n) ? s->moves + 1 : 0;
    return !w->fits_since;
}

/* ---------------------------------------------------------------- accumulators */

/* True when a ready operation waits for a free accumulator: rotations read accumulators only, so their sources cannot
 * be anywhere else. */
static bool wants_accumulator(const struct qc_sched *s, uint32_t n)
{
    const uint32_t dst = s->dag->nodes[n].instr->dst;
    return dst != QC_NONE && s->p->temps[dst].classes == QC_IN_ACC && s->lives[dst].at.kind == QC_PLACE_NONE &&
           !s->free_count[QC_PLACE_ACC] && qc_may_issue(s, n);
}

/* True when a ready operation reads the temporary. */
static bool is_read_soon(const struct qc_sched *s, uint32_t temp)
{
    for (uint32_t k = 0; k < s->ready_count; k++) {
        const struct qc_instr *i = s->dag->nodes[qc_ready(s, k)].instr;
        for (unsigned n = 0; n < 2; n++)
            if (i->src[n].kind == QC_SRC_TEMP && i->src[n].index == temp)
                return true;
    }
    return false;
}

/* Moves one accumulator's value to a register file, preferably one that no ready operation reads. */
static void free_accumulator(struct qc_sched *s)
{
    for (unsigned soon = 0; soon < 2; soon++)
        for (unsigned k = 0; k < QC_ACCS; k++) {
            const uint32_t temp = s->owner[QC_PLACE_ACC][k];
            if (temp != QC_NONE && is_read_soon(s, temp) == soon && copy_value(s, temp, QC_IN_A | QC_IN_B))
                return;
        }
}

/* ---------------------------------------------------------------- before a thread switch, and all copies */

static void copy_to_files(struct qc_sched *s)
{
    for (unsigned k = 0; k < QC_ACCS; k++) {
        if (s->owner[QC_PLACE_ACC][k] != QC_NONE)
            copy_value(s, s->owner[QC_PLACE_ACC][k], QC_IN_A | QC_IN_B);
    }
    if (s->owner[QC_PLACE_R4][0] != QC_NONE)
        copy_value(s, s->owner[QC_PLACE_R4][0], QC_IN_A | QC_IN_B);
    if (s->owner[QC_PLACE_R5][0] != QC_NONE)
        copy_value(s, s->owner[QC_PLACE_R5][0], QC_IN_A | QC_IN_B);
}

static bool waits_for(const struct qc_sched *s, const struct qc_node *node, uint32_t latch_owner)
{
    return latch_owner != QC_NONE && !qc_latch_is_free(s, node, latch_owner);
}

static void add_copies_for(struct qc_sched *s, uint32_t n)
{
    const struct qc_node *node = &s->dag->nodes[n];
    if ((node->flags & QC_NODE_WRITES_R4) && waits_for(s, node, s->owner[QC_PLACE_R4][0])) {
        if (s->r4_free_at <= s->cycle)
            copy_value(s, s->owner[QC_PLACE_R4][0], QC_IN_ACC | QC_IN_A | QC_IN_B);
    } else if ((node->flags & QC_NODE_VARYING) && waits_for(s, node, s->owner[QC_PLACE_R5][0])) {
        copy_value(s, s->owner[QC_PLACE_R5][0], QC_IN_ACC | QC_IN_A | QC_IN_B);
    } else if ((node->flags & QC_NODE_TWO_PORTS) && has_port_conflict(s, n)) {
        copy_for_ports(s, n);
    } else if (!s->draft.count && wants_accumulator(s, n)) {
        free_accumulator(s);
    }
}

void qc_add_copies(struct qc_sched *s)
{
    const uint16_t may_need = QC_NODE_WRITES_R4 | QC_NODE_VARYING | QC_NODE_TWO_PORTS;
    if (qc_is_draining(s))
        copy_to_files(s);
    const uint32_t count = MIN2(s->ready_count, QC_READY_TRIES_MAX);
    for (uint32_t k = 0; k < count && !qc_draft_is_full(&s->draft); k++) {
        uint32_t n = qc_ready(s, k);
        bool may_want_accumulator = !s->draft.count && !s->free_count[QC_PLACE_ACC];
        if (s->dag->nodes[n].flags & may_need || may_want_accumulator)
            add_copies_for(s, n);
    }
}
