/* SPDX-License-Identifier: MIT
 *
 * Register allocation: gives each temporary a register when it is first written, in the order of the schedule, and
 * frees the register after its last use. Order and registers are decided together, so there are no false dependences.
 *
 * A value with a short live range prefers an accumulator, which is readable in the next word and needs no read port.
 * Other values prefer the file that holds none of the operands that they will be used together with, because each file
 * has one read port. Values that are used in several blocks keep one file register from the first block to the last
 * (qc_analyse).
 *
 * Relies on: temps' classes, global, first, last; lives[].pending of the block.
 */
#include "compiler/qpu/qc_sched.h"

#include <string.h>

uint32_t qc_regs_owner(const struct qc_sched *s, struct qc_place at)
{
    return s->owner[at.kind][at.reg];
}

void qc_regs_take(struct qc_sched *s, uint32_t temp, struct qc_place at)
{
    assert(qc_regs_owner(s, at) == QC_NONE);
    s->owner[at.kind][at.reg] = temp;
    s->free_mask[at.kind] &= ~BIT(at.reg);
    s->free_count[at.kind]--;
    s->lives[temp].at = at;
    s->used_count += qc_place_is_file(at);
    s->used_max = MAX2(s->used_max, s->used_count);
}

void qc_regs_release(struct qc_sched *s, uint32_t temp)
{
    struct qc_place at = s->lives[temp].at;
    if (at.kind == QC_PLACE_NONE)
        return;
    assert(qc_regs_owner(s, at) == temp);
    s->owner[at.kind][at.reg] = QC_NONE;
    s->free_mask[at.kind] |= BIT(at.reg);
    s->free_count[at.kind]++;
    s->lives[temp].at.kind = QC_PLACE_NONE;
    s->used_count -= qc_place_is_file(at);
}

void qc_regs_move(struct qc_sched *s, uint32_t temp, struct qc_place to)
{
    struct qc_life *l = &s->lives[temp];
    const struct qc_temp *t = &s->p->temps[temp];
    s->moves++;
    if ((t->global || !(t->classes & (QC_IN_ACC | QC_IN_B))) && l->original.kind == QC_PLACE_NONE &&
        qc_place_is_file(l->at)) {
        l->original = l->at;
        l->at.kind = QC_PLACE_NONE;
    } else {
        qc_regs_release(s, temp);
    }
    qc_regs_take(s, temp, to);
}

void qc_regs_drop_copy(struct qc_sched *s, uint32_t temp)
{
    struct qc_life *l = &s->lives[temp];
    if (l->original.kind == QC_PLACE_NONE)
        return;
    s->moves++;
    qc_regs_release(s, temp);
    l->at = l->original;
    l->original.kind = QC_PLACE_NONE;
}

unsigned qc_regs_free_files(const struct qc_sched *s)
{
    return s->free_count[QC_PLACE_A] + s->free_count[QC_PLACE_B];
}

/* Picks the lowest register, but 14 last and 15 second to last: 14 must not be accessed in a program's last words
 * [notes H10], and 15 holds the payload. */
static uint8_t first_of(uint32_t mask, bool is_file)
{
    uint32_t plain = is_file ? mask & ~(BIT(14) | BIT(15)) : mask;
    return (uint8_t)(plain ? __builtin_ctz(plain) : mask & BIT(15) ? 15 : 14);
}

bool qc_regs_find(const struct qc_sched *s, uint8_t cls, const struct qc_place *releasing, unsigned releasing_count,
                  struct qc_place *out)
{
    uint8_t kind = cls == QC_IN_ACC ? QC_PLACE_ACC : cls == QC_IN_A ? QC_PLACE_A : QC_PLACE_B;
    uint32_t mask = s->free_mask[kind];
    for (unsigned k = 0; k < releasing_count; k++)
        mask |= releasing[k].kind == kind ? BIT(releasing[k].reg) : 0;
    if (!mask)
        return false;
    *out = (struct qc_place){.kind = kind, .reg = first_of(mask, kind != QC_PLACE_ACC)};
    return true;
}

/* ---------------------------------------------------------------- ranking */

struct preferences {
    int against_a, against_b;
    uint32_t life, users;
};

static void add_operand_conflicts(struct qc_sched *s, const struct qc_instr *user, uint32_t temp, struct preferences *w)
{
    for (unsigned k = 0; k < 2; k++) {
        struct qc_src o = user->src[k];
        if (o.kind == QC_SRC_READ) {
            w->against_a += o.files == QC_FILE_A ? 4 : 0;
            w->against_b += o.files == QC_FILE_B ? 4 : 0;
        } else if (o.kind == QC_SRC_CONST) {
            w->against_b += user->rigid || !s->uniforms_allowed ? 4 : 1;
        } else if (o.kind == QC_SRC_TEMP && o.index != temp) {
            struct qc_place at = s->lives[o.index].at;
            uint8_t classes = s->p->temps[o.index].classes;
            if (at.kind == QC_PLACE_A)
                w->against_a += 4;
            else if (at.kind == QC_PLACE_B)
                w->against_b += 4;
            else if (at.kind == QC_PLACE_NONE && !(classes & (QC_IN_ACC | QC_IN_B)))
                w->against_a += 3;
        }
    }
}

static uint32_t range_until(struct qc_sched *s, uint32_t n, uint32_t user)
{
    if (s->previous) {
        uint32_t a = s->previous->cycle_of[s->operation_base + n], b = s->previous->cycle_of[s->operation_base + user];
        return b > a ? b - a : 1;
    }
    uint32_t left = s->states[user].in_left;
    return left > 1 ? 1 + 4 * (left - 1) : 1;
}

uint8_t qc_regs_classes(const struct qc_sched *s, uint32_t temp)
{
    const struct qc_temp *t = &s->p->temps[temp];
    const uint8_t acc = t->global || qc_is_draining(s) ? 0 : QC_IN_ACC;
    return t->classes & (acc | QC_IN_A | QC_IN_B);
}

unsigned qc_regs_rank(struct qc_sched *s, uint32_t temp, uint32_t n, uint8_t out[3])
{
    struct preferences w = {0};
    if (n != QC_NONE) {
        qc_for_each_out(e, s->dag, n) {
            if (e->temp != temp || s->states[e->to].is_issued)
                continue;
            w.life = MAX2(w.life, range_until(s, n, e->to));
            w.users++;
            add_operand_conflicts(s, s->dag->nodes[e->to].instr, temp, &w);
        }
    }
    int free_a = (int)s->free_count[QC_PLACE_A], free_b = (int)s->free_count[QC_PLACE_B];

    int cost_a = 2 * w.against_a + 1, cost_b = 2 * w.against_b; /* file A is needed for parts of words */
    if (free_a < free_b / 2)
        cost_a += 3;
    if (free_b < free_a / 2)
        cost_b += 3;
    if (s->strategy->dense && w.users)
        w.life = (w.life + w.users - 1) / w.users;
    uint32_t limit = s->strategy->acc_life;
    if (s->free_count[QC_PLACE_ACC] <= 1)
        limit = limit / 2;
    int cost_acc = w.life <= limit ? -1 : 5 + (int)MIN2(w.life, 20);
    const uint8_t classes = qc_regs_classes(s, temp);

    struct {
        uint8_t cls;
        int cost;
    } list[3] = {{QC_IN_ACC, cost_acc}, {QC_IN_A, cost_a}, {QC_IN_B, cost_b}}, tmp;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned j = 0; j < 2 - k; j++) {
            if (list[j].cost > list[j + 1].cost)
                tmp = list[j], list[j] = list[j + 1], list[j + 1] = tmp;
        }
    }
    unsigned count = 0;
    for (unsigned k = 0; k < 3; k++) {
        if (classes & list[k].cls)
            out[count++] = list[k].cls;
    }
    return count;
}

/* ---------------------------------------------------------------- blocks */

/* True for a temporary that gets its register before it is written. Merged temporaries have no uses left. */
static bool is_kept(const struct qc_temp *t)
{
    if (t->payload)
        return t->use_count;
    return (t->kept_in_loop || t->carried) && t->use_count + t->def_count;
}

static void find_kept(struct qc_sched *s)
{
    const struct qc_temp *temps = s->p->temps;
    for (uint32_t t = 0; t < s->p->temp_count; t++)
        s->kept_count += is_kept(&temps[t]);
    s->kept = util_arena_new_array(s->p->arena, uint32_t, s->kept_count + 1);
    s->kept_count = 0;
    for (uint32_t t = 0; t < s->p->temp_count; t++) {
        if (is_kept(&temps[t]))
            s->kept[s->kept_count++] = t;
    }
}

void qc_regs_init(struct qc_sched *s)
{
    uint32_t less = s->p->registers_less; /* number per file with a single thread */
    uint32_t files = s->p->threaded ? 0xffff & ~(BIT((less + 1) / 2) - 1) : ~(BIT(less) - 1);
    if (!s->kept)
        find_kept(s);
    memset(s->owner, 0xff, sizeof s->owner);
    s->free_mask[QC_PLACE_ACC] = BIT(QC_ACCS) - 1;
    s->free_mask[QC_PLACE_A] = s->free_mask[QC_PLACE_B] = files;
    s->free_mask[QC_PLACE_R4] = s->free_mask[QC_PLACE_R5] = 1;
    memcpy(s->all_mask, s->free_mask, sizeof s->all_mask);
    for (unsigned kind = QC_PLACE_ACC; kind < QC_PLACE_KINDS; kind++)
        s->free_count[kind] = (uint32_t)__builtin_popcount(s->free_mask[kind]);
    for (uint32_t k = 0; k < s->kept_count; k++) {
        const struct qc_temp *temp = &s->p->temps[s->kept[k]];
        if (temp->payload && temp->use_count)
            qc_regs_take(s, s->kept[k], (struct qc_place){temp->payload == 1 ? QC_PLACE_A : QC_PLACE_B, 15});
    }
}

/* Prefers the file with more free registers: a full file blocks every other allocation. */
static void take_kept(struct qc_sched *s, uint32_t temp)
{
    struct qc_place at;
    uint8_t first = s->free_count[QC_PLACE_B] >= s->free_count[QC_PLACE_A] ? QC_IN_B : QC_IN_A;
    const uint8_t order[2] = {first, first ^ QC_IN_A ^ QC_IN_B};
    for (unsigned k = 0; k < 2; k++) {
        if ((s->p->temps[temp].classes & order[k]) && qc_regs_find(s, order[k], NULL, 0, &at)) {
            qc_regs_take(s, temp, at);
            return;
        }
    }
}

void qc_regs_begin_block(struct qc_sched *s)
{
    uint32_t block = s->block->index;
    for (uint32_t k = 0; k < s->kept_count; k++) {
        const struct qc_temp *temp = &s->p->temps[s->kept[k]];
        if ((temp->kept_in_loop || temp->carried) && temp->first == block &&
            s->lives[s->kept[k]].at.kind == QC_PLACE_NONE)
            take_kept(s, s->kept[k]);
    }
    for (uint32_t k = 0; k < s->dag->use_count; k++) {
        const struct qc_use *use = &s->dag->uses[k];
        const struct qc_temp *temp = &s->p->temps[use->temp];
        struct qc_life *l = &s->lives[use->temp];
        l->pending = use->count;
        l->ready = l->written = 0;
        l->writer = QC_NONE;
        l->dies = temp->last <= block && !(temp->held && temp->last == block);
    }
}

void qc_regs_end_block(struct qc_sched *s)
{
    for (unsigned kind = QC_PLACE_ACC; kind < QC_PLACE_KINDS; kind++) {
        for (uint32_t taken = s->all_mask[kind] & ~s->free_mask[kind]; taken; taken &= taken - 1) {
            uint32_t temp = s->owner[kind][__builtin_ctz(taken)];
            if (temp == QC_NONE) /* a copy that was released earlier in this loop */
                continue;
            qc_regs_drop_copy(s, temp);
            if (s->lives[temp].at.kind != QC_PLACE_NONE && s->p->temps[temp].last <= s->block->index)
                qc_regs_release(s, temp);
        }
    }
}
