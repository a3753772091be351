/* SPDX-License-Identifier: MIT
 *
 * Selection of booleans as flags, and of selects.
 *
 * An operation that sets flags and the operations that read them form a group. The scheduler must not interleave
 * groups. So everything else that a reader needs must be computed before the setter (see qc_sel_flags).
 */
#include "compiler/qpu/qc_select.h"

void qc_sel_forget_flags(struct qc_sel *s)
{
    s->last_flags.value = NULL;
    s->last_flags.exec_value = QC_NONE;
}

/* Serial number of the last write; 0 for a temporary that is never written, like a phi behind an endless loop. */
static uint32_t written_at(const struct qc_sel *s, uint32_t temp)
{
    return temp < s->serial_room ? s->serial_of[temp] : 0;
}

/* True when operations that read these sources may join the last group: all sources must be older than its setter. */
static bool may_join(struct qc_sel *s, const struct qc_src *srcs, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (srcs[k].kind == QC_SRC_TEMP && written_at(s, srcs[k].index) >= s->last_flags.serial)
            return false;
    }
    return s->last_tlb_serial < s->last_flags.serial;
}

static struct qc_flags set_flags(struct qc_sel *s, struct qc_instr *setter, uint8_t cond, const struct ir_instr *value)
{
    setter->sf = 1;
    setter->sets = qc_flag_group_new(s->p);
    s->last_flags.value = value;
    s->last_flags.exec_value = QC_NONE;
    s->last_flags.serial = s->serial;
    s->last_flags.flags = (struct qc_flags){.group = setter->sets, .cond = cond};
    return s->last_flags.flags;
}

struct qc_flags qc_sel_set_flags(struct qc_sel *s, uint8_t op_add, struct qc_src a, struct qc_src b, uint8_t cond,
                                 const struct ir_instr *value)
{
    uint8_t op_mul = op_add == QPU_A_OR && b.kind == QC_SRC_NONE ? QPU_M_V8MIN : QPU_M_NOP;
    return set_flags(s, qc_sel_alu(s, op_add, op_mul, QC_NONE, a, b), cond, value);
}

static bool is_zero(struct qc_src src)
{
    return src.kind == QC_SRC_CONST && src.index == 0;
}

static struct qc_src source(struct qc_sel *s, struct ir_instr *def, bool is_float)
{
    return is_float ? qc_sel_src_float(s, def) : qc_sel_src(s, def);
}

static struct qc_flags compare(struct qc_sel *s, struct ir_instr *c)
{
    bool is_float = c->op <= IR_FGE;
    struct qc_src a = source(s, c->src[0].def, is_float), b = source(s, c->src[1].def, is_float);
    switch (c->op) {
    case IR_FEQ:
        return qc_sel_set_flags(s, QPU_A_FSUB, a, b, QPU_COND_ZS, c);
    case IR_FNE:
        return qc_sel_set_flags(s, QPU_A_FSUB, a, b, QPU_COND_ZC, c);
    case IR_FLT: /* a difference may be flushed, or have a sign for two infinities; fmax sets C like max below */
        return qc_sel_set_flags(s, QPU_A_FMAX, b, a, QPU_COND_CS, c);
    case IR_FGE:
        return qc_sel_set_flags(s, QPU_A_FMAX, b, a, QPU_COND_CC, c);
    case IR_IEQ:
    case IR_INE: {
        uint8_t cond = c->op == IR_IEQ ? QPU_COND_ZS : QPU_COND_ZC;
        if (is_zero(b))
            return qc_sel_set_flags(s, QPU_A_OR, a, qc_src_none(), cond, c);
        return qc_sel_set_flags(s, QPU_A_XOR, a, b, cond, c);
    }
    case IR_ILT:
    case IR_IGE:
        if (is_zero(b))
            return qc_sel_set_flags(s, QPU_A_OR, a, qc_src_none(), c->op == IR_ILT ? QPU_COND_NS : QPU_COND_NC, c);
        /* max sets C where its first operand is greater; it cannot overflow as a difference can. */
        return qc_sel_set_flags(s, QPU_A_MAX, b, a, c->op == IR_ILT ? QPU_COND_CS : QPU_COND_CC, c);
    default: /* ULT, UGE: borrow */
        return qc_sel_set_flags(s, QPU_A_SUB, a, b, c->op == IR_ULT ? QPU_COND_CS : QPU_COND_CC, c);
    }
}

static struct qc_flags flags_of(struct qc_sel *s, struct ir_instr *v)
{
    while (v->op == IR_MOV)
        v = v->src[0].def;
    if (v->op == IR_BNOT && s->temp_of[v->value.index] == QC_NONE) {
        struct qc_flags f = flags_of(s, v->src[0].def);
        return (struct qc_flags){.group = f.group, .cond = qc_cond_not(f.cond)};
    }
    if (s->temp_of[v->value.index] == QC_NONE) {
        if (qc_sel_is_comparison(v->op))
            return compare(s, v);
        if (v->op == IR_BAND || v->op == IR_BOR || v->op == IR_BXOR) {
            uint8_t op = v->op == IR_BAND ? QPU_A_AND : v->op == IR_BOR ? QPU_A_OR : QPU_A_XOR;
            struct qc_src a = qc_sel_src(s, v->src[0].def), b = qc_sel_src(s, v->src[1].def);
            return qc_sel_set_flags(s, op, a, b, QPU_COND_ZC, v);
        }
        if (v->op == IR_BACK_FACING)
            return qc_sel_set_flags(s, QPU_A_OR, qc_src_read(QPU_R_MS_REV_FLAGS, QC_FILE_B), qc_src_none(),
                                    QPU_COND_ZC, v);
    }
    return qc_sel_set_flags(s, QPU_A_OR, qc_sel_src(s, v), qc_src_none(), QPU_COND_ZC, v);
}

struct qc_flags qc_sel_flags(struct qc_sel *s, struct ir_instr *v, const struct qc_src *srcs, unsigned count)
{
    while (v->op == IR_MOV)
        v = v->src[0].def;
    bool inverted = v->op == IR_BNOT && s->last_flags.value && v->src[0].def == s->last_flags.value;
    if (s->last_flags.value && (v == s->last_flags.value || inverted) && may_join(s, srcs, count)) {
        struct qc_flags f = s->last_flags.flags;
        if (inverted)
            f.cond = qc_cond_not(f.cond);
        return f;
    }
    return flags_of(s, v);
}

struct qc_flags qc_sel_flags_word(struct qc_sel *s, uint32_t temp)
{
    struct qc_flags f = qc_sel_set_flags(s, QPU_A_OR, qc_src_temp(temp), qc_src_none(), QPU_COND_ZS, NULL);
    return f;
}

struct qc_flags qc_sel_flags_active(struct qc_sel *s, struct ir_instr *v)
{
    bool value;
    bool is_const = qc_sel_const_bool(v, &value);
    if (s->exec == QC_NONE) {
        if (is_const)
            return (struct qc_flags){.group = 0, .cond = value ? QPU_COND_ALWAYS : QPU_COND_NEVER};
        return qc_sel_flags(s, v, NULL, 0);
    }
    if (is_const)
        return value ? qc_sel_flags_word(s, s->exec) : (struct qc_flags){.group = 0, .cond = QPU_COND_NEVER};
    struct qc_src word = qc_sel_src(s, v);
    uint32_t t = qc_sel_any_temp(s);
    qc_sel_mov(s, t, qc_src_const(0));
    struct qc_flags running = qc_sel_flags_word(s, s->exec);
    struct qc_instr *i = qc_sel_mov(s, t, word);
    i->cond = running.cond;
    i->uses = running.group;
    struct qc_flags f = qc_sel_flags_word(s, t);
    f.cond = QPU_COND_ZC;
    return f;
}

/* ---------------------------------------------------------------- selects */

uint32_t qc_sel_choose(struct qc_sel *s, struct ir_instr *boolean, struct qc_src a, struct qc_src b)
{
    uint32_t d = qc_sel_any_temp(s);
    bool value;
    if (qc_sel_const_bool(boolean, &value)) {
        qc_sel_mov(s, d, value ? a : b);
        return d;
    }
    struct qc_src srcs[2] = {a, b};
    struct qc_flags f = qc_sel_flags(s, boolean, srcs, 2);
    qc_sel_mov(s, d, b);
    struct qc_instr *m = qc_sel_mov(s, d, a);
    m->cond = f.cond;
    m->uses = f.group;
    return d;
}
