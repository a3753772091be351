/* SPDX-License-Identifier: MIT
 *
 * Peepholes inside blocks. Each rule removes an operation:
 *
 *   dead       nothing reads what it writes
 *   copy       mov d, s: readers of d read s
 *   forward    x = op ...; mov PLACE, x: the op moves to where the move was and writes PLACE itself (peripheral, part
 *              of a word, phi, select); or it sets the flags itself, when the move only did that
 *   read_in_op x = read VPM; y = op x, uniform: the op moves to where the read was and reads the VPM itself
 *   vpm_copy   x = read VPM; mov VPM, x: becomes one move, for the last rows
 *
 * Needs nothing; leaves temps' counts stale (qc_analyse recounts them).
 */
#include "compiler/qpu/qc_ir.h"

/* ---------------------------------------------------------------- helpers */

static bool has_side_effect(const struct qc_instr *i)
{
    return i->kind != QC_ALU || i->waddr != QPU_W_NOP || i->chains || i->sf || i->rigid || i->reset;
}

static bool is_dead(const struct qc_program *p, const struct qc_instr *i)
{
    if (i->kind == QC_ALU && qpu_waddr_is_sfu(i->waddr))
        return p->temps[i->result].use_count == 0;
    return !has_side_effect(i) && i->dst != QC_NONE && p->temps[i->dst].use_count == 0;
}

static void drop_source(struct qc_program *p, struct qc_src src)
{
    if (src.kind == QC_SRC_TEMP)
        p->temps[src.index].use_count--;
}

static void remove_dead(struct qc_program *p)
{
    for (struct util_list *l = p->blocks.prev; l != &p->blocks; l = l->prev) {
        struct qc_block *b = container_of(l, struct qc_block, link);
        for (struct util_list *k = b->instrs.prev, *before; k != &b->instrs; k = before) {
            struct qc_instr *i = container_of(k, struct qc_instr, link);
            before = k->prev;
            if (!is_dead(p, i))
                continue;
            drop_source(p, i->src[0]);
            drop_source(p, i->src[1]);
            util_list_del(&i->link);
        }
    }
}

static bool writes_between(const struct qc_instr *from, const struct qc_instr *to, uint32_t temp)
{
    for (struct util_list *l = from->link.next; l != &to->link; l = l->next) {
        if (qc_writes(container_of(l, struct qc_instr, link), temp))
            return true;
    }
    return false;
}

/* True when the sources of `from` still have the same values at `to`. */
static bool may_read_later(const struct qc_program *p, const struct qc_instr *from, const struct qc_instr *to)
{
    for (unsigned k = 0; k < 2; k++) {
        if (from->src[k].kind == QC_SRC_TEMP && p->temps[from->src[k].index].def_count > 1 &&
            writes_between(from, to, from->src[k].index))
            return false;
    }
    return true;
}

/* ---------------------------------------------------------------- copy */

static void replace_reads(struct qc_program *p, uint32_t old, uint32_t by)
{
    qc_for_each_block(b, p) {
        qc_for_each_instr(i, b) {
            for (unsigned k = 0; k < 2; k++) {
                if (i->src[k].kind == QC_SRC_TEMP && i->src[k].index == old)
                    i->src[k].index = by;
            }
        }
    }
}

/* Source and destination must be written once, so that both have the same value wherever the copy is read. */
static void propagate_copies(struct qc_program *p)
{
    qc_for_each_block(b, p) {
        qc_for_each_instr_safe(i, b) {
            if (!qc_is_mov(i) || has_side_effect(i) || !qc_writes_whole(i) || i->src[0].kind != QC_SRC_TEMP ||
                i->src[0].unpack || i->dst == QC_NONE || i->src[0].index == i->dst)
                continue;
            struct qc_temp *d = &p->temps[i->dst], *s = &p->temps[i->src[0].index];
            if (d->def_count != 1 || s->def_count != 1 || d->kept_in_loop || d->carried || (s->classes & QC_IN_R5) ||
                !(d->classes & QC_IN_ACC) || !(d->classes & QC_IN_B) || s->pinned || d->pinned)
                continue;
            s->use_count += d->use_count - 1;
            d->use_count = 0;
            replace_reads(p, i->dst, i->src[0].index);
            util_list_del(&i->link);
        }
    }
}

/* ---------------------------------------------------------------- forward */

static bool result_is_float(const struct qc_instr *i)
{
    if (i->op_add == QPU_A_ITOF)
        return true;
    if (i->op_add == QPU_A_FTOI)
        return false;
    return qpu_add_op_is_float(i->op_add) || qpu_mul_op_is_float(i->op_mul);
}

static bool takes_uniform(struct qc_src s)
{
    return s.kind == QC_SRC_UNIFORM || (s.kind == QC_SRC_CONST && qpu_small_imm_code(s.index) < 0);
}

/* True for operations that only copy their source: moves, and float moves (minimum of a value with itself). */
static bool is_plain_copy(const struct qc_instr *m)
{
    if (m->kind != QC_ALU || m->rotate || m->rigid || m->src[0].kind != QC_SRC_TEMP || m->src[0].unpack)
        return false;
    bool mov = (m->op_add == QPU_A_OR || m->op_mul == QPU_M_V8MIN) && m->src[1].kind == QC_SRC_NONE;
    bool fmov = m->op_add == QPU_A_FMIN && !m->op_mul && qc_src_same(m->src[0], m->src[1]);
    return mov || fmov;
}

static bool may_forward(const struct qc_program *p, const struct qc_instr *producer, const struct qc_instr *m)
{
    const struct qc_instr *i = producer;
    if (!i || i->kind != QC_ALU || i->dst != m->src[0].index || i->waddr != QPU_W_NOP || i->chains || i->sf ||
        i->rigid || i->reset || i->uses || !qc_writes_whole(i))
        return false;
    if (m->pack && (i->src[0].unpack || i->src[1].unpack))
        return false;
    if (m->pack && m->pm && (!i->op_mul || i->rotate))
        return false;
    if (m->pack && !m->pm && result_is_float(i) != qpu_add_op_is_float(m->op_add))
        return false;
    /* File A packs get the saturated result of an add or sub that overflows, truncating packs, too [VC4C, on a Pi]. */
    if (m->pack && !m->pm && (i->op_add == QPU_A_ADD || i->op_add == QPU_A_SUB))
        return false;
    if (m->config != QC_NONE && (takes_uniform(i->src[0]) || takes_uniform(i->src[1])))
        return false;
    if (m->sf && i->rotate)
        return false;
    return may_read_later(p, i, m);
}

static bool is_before(const struct qc_block *b, const struct qc_instr *i, const struct qc_instr *j)
{
    for (const struct util_list *l = i->link.next; l != &b->instrs; l = l->next) {
        if (l == &j->link)
            return true;
    }
    return false;
}

/* The move that fills the accumulator that only rotation `i` reads, or NULL. */
static struct qc_instr *accumulator_move(const struct qc_program *p, const struct qc_instr *i)
{
    if (!i->rotate || i->src[0].kind != QC_SRC_TEMP)
        return NULL;
    const struct qc_temp *t = &p->temps[i->src[0].index];
    const bool is_own = t->classes == QC_IN_ACC && t->def_count == 1 && t->use_count == 1 && t->first == t->last;
    return is_own && is_plain_copy(t->def) && !t->def->uses ? t->def : NULL;
}

static void forward(struct qc_program *p, struct qc_block *b)
{
    qc_for_each_instr(m, b) {
        bool worth = m->waddr != QPU_W_NOP || m->pack || m->sf || (m->dst != QC_NONE && p->temps[m->dst].def_count > 1);
        if (!worth || !is_plain_copy(m))
            continue;
        const struct qc_temp *t = &p->temps[m->src[0].index];
        unsigned uses = 1u + (m->src[1].kind == QC_SRC_TEMP);
        bool is_local = t->first == b->index && t->last == b->index;
        if (!is_local || t->def_count != 1 || t->use_count != uses || !is_before(b, t->def, m) ||
            !may_forward(p, t->def, m))
            continue;
        struct qc_instr *i = t->def, *move = accumulator_move(p, i);
        if (move && !may_read_later(p, move, m))
            continue;
        if (move) { /* holding the accumulator until here deadlocks where operations keep their order */
            util_list_del(&move->link);
            util_list_add_before(&m->link, &move->link);
        }
        p->temps[m->src[0].index].use_count = 0;
        m->op_add = m->pack && m->pm ? QPU_A_NOP : i->op_add;
        m->op_mul = i->op_mul;
        m->rotate = i->rotate;
        m->src[0] = i->src[0];
        m->src[1] = i->src[1];
        util_list_del(&i->link);
    }
}

/* ---------------------------------------------------------------- VPM reads */

static struct qc_instr *only_user(const struct qc_program *p, struct qc_block *b, const struct qc_instr *i)
{
    const struct qc_temp *t = &p->temps[i->dst];
    if (t->def_count != 1 || t->use_count != 1 || t->first != t->last)
        return NULL;
    for (struct util_list *l = i->link.next; l != &b->instrs; l = l->next) {
        struct qc_instr *u = container_of(l, struct qc_instr, link);
        if (qc_reads(u, i->dst))
            return u;
    }
    return NULL;
}

static bool is_vpm_read(const struct qc_instr *i)
{
    return qc_is_mov(i) && i->src[0].kind == QC_SRC_READ && i->src[0].raddr == QPU_R_VPM && i->dst != QC_NONE;
}

static void read_in_op(struct qc_program *p, struct qc_block *b)
{
    qc_for_each_instr_safe(i, b) {
        if (!is_vpm_read(i))
            continue;
        struct qc_instr *u = only_user(p, b, i);
        if (!u || u->kind != QC_ALU || u->chains || u->sf || u->uses || u->rigid || u->pack || u->rotate ||
            u->waddr != QPU_W_NOP || u->cond != QPU_COND_ALWAYS || p->temps[u->dst].def_count != 1)
            continue;
        unsigned k = u->src[1].kind == QC_SRC_TEMP && u->src[1].index == i->dst;
        struct qc_src other = u->src[!k];
        if (u->src[k].unpack || (other.kind != QC_SRC_UNIFORM && other.kind != QC_SRC_NONE))
            continue;
        u->src[k] = i->src[0];
        u->chains = i->chains;
        util_list_del(&u->link);
        util_list_add_before(&i->link, &u->link);
        util_list_del(&i->link);
    }
}

/* Rows are read in order and results are written in order. So this starts at the last row and goes backwards, as long
 * as each row is only copied to a result, and before the next row is. The reads move down to the writes. */
static void vpm_copy(struct qc_program *p, struct qc_block *b)
{
    struct qc_instr *next_write = NULL;
    for (struct util_list *l = b->instrs.prev, *before; l != &b->instrs; l = before) {
        struct qc_instr *i = container_of(l, struct qc_instr, link);
        before = l->prev;
        if (!(i->chains & QC_CHAIN_VPM_READ))
            continue;
        if (!is_vpm_read(i) || i->chains & QC_CHAIN_VPM_WRITE) /* an own row has another setup */
            return;
        struct qc_instr *u = only_user(p, b, i);
        if (!u || !qc_is_mov(u) || u->waddr != QPU_W_VPM || u->src[0].unpack ||
            (next_write && !is_before(b, u, next_write)))
            return;
        u->src[0] = i->src[0];
        u->chains |= QC_CHAIN_VPM_READ;
        util_list_del(&i->link);
        next_write = u;
    }
}

void qc_opt(struct qc_program *p)
{
    qc_count_uses(p);
    remove_dead(p);
    propagate_copies(p);
    qc_count_uses(p);
    qc_for_each_block(b, p) {
        forward(p, b);
        if (b->index == 0 && (p->kind == VC4C_PROGRAM_VERTEX || p->kind == VC4C_PROGRAM_COORDINATE)) {
            qc_count_uses(p);
            read_in_op(p, b);
            vpm_copy(p, b);
        }
    }
}
