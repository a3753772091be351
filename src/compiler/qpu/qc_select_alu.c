/* SPDX-License-Identifier: MIT
 *
 * Selection of arithmetic: packing, special functions, operations across lanes, and everything that is one operation of
 * the chip. qc_sel_instr() dispatches all IR instructions.
 */
#include "compiler/qpu/qc_select.h"

/* ---------------------------------------------------------------- packing */

static uint32_t unorm8_of_const(float f)
{
    return f <= 0.0f ? 0 : f >= 1.0f ? 255 : 256;
}

/* Writes the value as a unorm8 to the byte of `d` that the pack code selects. */
static void pack_byte(struct qc_sel *s, uint32_t d, unsigned code, struct ir_instr *value)
{
    struct qc_instr *i = qc_sel_alu(s, QPU_A_NOP, QPU_M_V8MIN, d, qc_sel_src(s, value), qc_src_none());
    i->pm = 1;
    i->pack = (uint8_t)code;
}

/* The word that the value is byte `part` of; NULL if it is not such a byte. */
static struct ir_instr *word_of_byte(const struct ir_instr *value, unsigned part)
{
    while (value->op == IR_MOV)
        value = value->src[0].def;
    return value->op == IR_UNPACK_F && value->imm == 2 + part ? value->src[0].def : NULL;
}

/* Writes a whole word first: an existing word that has the most bytes in place already, or the constant bytes if those
 * are more. The remaining bytes follow one by one. */
static void select_pack_unorm8(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t d = qc_sel_any_temp(s);
    s->temp_of[i->value.index] = d;
    struct ir_instr *v[4] = {i->src[0].def, i->src[1].def, i->src[2].def, i->src[3].def}, *base = NULL;
    uint32_t known = 0, word = 0, kept = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint32_t byte = v[k]->op == IR_CONST ? unorm8_of_const(util_uif(v[k]->imm)) : v[k]->op == IR_UNDEF ? 0 : 256;
        if (byte < 256) {
            known |= BIT(k);
            word |= byte << 8 * k;
        }
        uint32_t same = 0;
        for (unsigned j = k; j < 4 && word_of_byte(v[k], k); j++)
            same |= word_of_byte(v[j], j) == word_of_byte(v[k], k) ? BIT(j) : 0;
        if (__builtin_popcount(same) > __builtin_popcount(kept)) {
            kept = same;
            base = word_of_byte(v[k], k);
        }
    }
    if (v[0] == v[1] && v[0] == v[2] && v[0] == v[3] && !known) {
        pack_byte(s, d, QPU_PACK_MUL_8888, v[0]);
        return;
    }
    if (kept && __builtin_popcount(kept) >= __builtin_popcount(known))
        qc_sel_mov(s, d, qc_sel_src(s, base));
    else if (kept = known, known)
        qc_sel_mov(s, d, qc_src_const(word));
    for (unsigned k = 0; k < 4; k++) {
        if (!(kept & BIT(k)))
            pack_byte(s, d, QPU_PACK_MUL_8A + k, v[k]);
    }
}

/* The float to pack. A part of r4 is unpacked in an instruction of its own, because unpacking r4 and packing into file
 * A exclude each other. */
static struct qc_src half_source(struct qc_sel *s, struct ir_instr *def)
{
    struct qc_src src = qc_sel_src_float(s, def);
    bool in_r4 = src.kind == QC_SRC_TEMP && src.unpack && (s->p->temps[src.index].classes & QC_IN_R4);
    return in_r4 ? qc_sel_src(s, def) : src;
}

static void select_pack_halves(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t d = qc_temp_new(s->p, QC_IN_A);
    s->temp_of[i->value.index] = d;
    for (unsigned k = 0; k < 2; k++) {
        struct qc_instr *m;
        if (i->op == IR_PACK_HALF) {
            struct qc_src a = half_source(s, i->src[k].def);
            m = qc_sel_alu(s, QPU_A_FMIN, QPU_M_NOP, d, a, a);
        } else {
            m = qc_sel_mov(s, d, qc_sel_src(s, i->src[k].def));
        }
        m->pack = k ? QPU_PACK_A_16B : QPU_PACK_A_16A;
    }
}

/* ---------------------------------------------------------------- special functions, operations across lanes */

static void select_sfu(struct qc_sel *s, struct ir_instr *i)
{
    struct qc_instr *m =
        qc_sel_mov_to(s, (uint8_t)(QPU_W_SFU_RECIP + (i->op - IR_SFU_RECIP)), qc_sel_src(s, i->src[0].def));
    m->result = qc_temp_new(s->p, QC_IN_ACC | QC_IN_A | QC_IN_B | QC_IN_R4);
    s->temp_of[i->value.index] = m->result;
    qc_sel_emit(s, m);
}

static struct qc_instr *rotate(struct qc_sel *s, uint32_t dst, uint32_t acc, unsigned n)
{
    struct qc_instr *i = qc_sel_alu(s, QPU_A_NOP, QPU_M_V8MIN, dst, qc_src_temp(acc), qc_src_none());
    i->rotate = (uint8_t)n;
    return i;
}

/* The difference between the two pixels of each pair in a quad; both get the same. The lower pixel computes (upper -
 * lower), then the upper one copies it [notes 2.2.5]. */
static void select_derivative(struct qc_sel *s, struct ir_instr *i)
{
    unsigned step = i->op == IR_DDX ? 1 : 2;
    struct qc_src v = qc_sel_src(s, i->src[0].def);
    uint32_t acc = qc_temp_new(s->p, QC_IN_ACC), upper = qc_sel_any_temp(s), d = qc_temp_new(s->p, QC_IN_ACC);
    uint32_t out = qc_sel_any_temp(s);
    qc_sel_mov(s, acc, v);
    rotate(s, upper, acc, 16 - step);
    qc_sel_alu(s, QPU_A_FSUB, QPU_M_NOP, d, qc_src_temp(upper), qc_src_temp(acc));
    qc_sel_mov(s, out, qc_src_temp(d));
    struct qc_flags f =
        qc_sel_set_flags(s, QPU_A_AND, qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_A), qc_src_const(step), QPU_COND_ZC,
                         NULL);
    struct qc_instr *m = rotate(s, out, d, step);
    m->cond = f.cond;
    m->uses = f.group;
    s->temp_of[i->value.index] = out;
}

/* Gives every lane the OR of all running lanes, in four rotations. */
static void select_any(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t r;
    struct qc_src word = qc_sel_src(s, i->src[0].def);
    r = qc_temp_new(s->p, QC_IN_ACC);
    if (s->exec != QC_NONE) {
        qc_sel_mov(s, r, qc_src_const(0));
        struct qc_flags running = qc_sel_flags_word(s, s->exec);
        struct qc_instr *m = qc_sel_mov(s, r, word);
        m->cond = running.cond;
        m->uses = running.group;
    } else {
        qc_sel_mov(s, r, word);
    }
    for (unsigned n = 8; n; n /= 2) {
        uint32_t turned = qc_sel_any_temp(s), next = n == 1 ? qc_sel_any_temp(s) : qc_temp_new(s->p, QC_IN_ACC);
        rotate(s, turned, r, n);
        qc_sel_alu(s, QPU_A_OR, QPU_M_NOP, next, qc_src_temp(r), qc_src_temp(turned));
        r = next;
    }
    s->temp_of[i->value.index] = r;
}

/* ---------------------------------------------------------------- one operation of the chip */

static void select_rotate(struct qc_sel *s, struct ir_instr *i)
{
    struct qc_src v = qc_sel_src(s, i->src[0].def);
    uint32_t acc = qc_temp_new(s->p, QC_IN_ACC), out = qc_sel_any_temp(s);
    qc_sel_mov(s, acc, v);
    rotate(s, out, acc, 16 - i->imm % 16);
    s->temp_of[i->value.index] = out;
}

static void select_active(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t out = qc_sel_any_temp(s);
    qc_sel_mov(s, out, qc_src_const(1));
    if (s->exec != QC_NONE) {
        struct qc_flags running = qc_sel_flags_word(s, s->exec);
        struct qc_instr *m = qc_sel_mov(s, out, qc_src_const(0));
        m->cond = qc_cond_not(running.cond);
        m->uses = running.group;
    }
    s->temp_of[i->value.index] = out;
}

/* The add and mul operations for IR operations that are a single operation of the chip. 0: not on this unit. */
static const struct {
    uint8_t add, mul, is_float;
} alu_ops[IR_OP_COUNT] = {
    [IR_FADD] = {QPU_A_FADD, 0, 1},
    [IR_FSUB] = {QPU_A_FSUB, 0, 1},
    [IR_FMIN] = {QPU_A_FMIN, 0, 1},
    [IR_FMAX] = {QPU_A_FMAX, 0, 1},
    [IR_FMINABS] = {QPU_A_FMINABS, 0, 1},
    [IR_FMAXABS] = {QPU_A_FMAXABS, 0, 1},
    [IR_FTOI] = {QPU_A_FTOI, 0, 1},
    [IR_ITOF] = {QPU_A_ITOF, 0, 0},
    [IR_IADD] = {QPU_A_ADD, 0, 0},
    [IR_ISUB] = {QPU_A_SUB, 0, 0},
    [IR_SHR] = {QPU_A_SHR, 0, 0},
    [IR_ASR] = {QPU_A_ASR, 0, 0},
    [IR_ROR] = {QPU_A_ROR, 0, 0},
    [IR_SHL] = {QPU_A_SHL, 0, 0},
    [IR_IMIN] = {QPU_A_MIN, 0, 0},
    [IR_IMAX] = {QPU_A_MAX, 0, 0},
    [IR_AND] = {QPU_A_AND, 0, 0},
    [IR_OR] = {QPU_A_OR, 0, 0},
    [IR_XOR] = {QPU_A_XOR, 0, 0},
    [IR_NOT] = {QPU_A_NOT, 0, 0},
    [IR_CLZ] = {QPU_A_CLZ, 0, 0},
    [IR_V8ADDS] = {QPU_A_V8ADDS, QPU_M_V8ADDS, 0},
    [IR_V8SUBS] = {QPU_A_V8SUBS, QPU_M_V8SUBS, 0},
    [IR_FMUL] = {0, QPU_M_FMUL, 1},
    [IR_MUL24] = {0, QPU_M_MUL24, 0},
    [IR_V8MULD] = {0, QPU_M_V8MULD, 0},
    [IR_V8MIN] = {0, QPU_M_V8MIN, 0},
    [IR_V8MAX] = {0, QPU_M_V8MAX, 0},
    [IR_BAND] = {QPU_A_AND, QPU_M_V8MIN, 0}, /* words are 0 or 1, so minimum and maximum work on the mul unit */
    [IR_BOR] = {QPU_A_OR, QPU_M_V8MAX, 0},
    [IR_BXOR] = {QPU_A_XOR, 0, 0},
};

static unsigned count_uses(const struct ir_instr *i)
{
    unsigned n = 0;
    util_list_for_each(struct ir_src, u, &i->value.uses, link)
        n++;
    return n;
}

/* An instruction can unpack only one part. If it needs two, the one with more users is unpacked before, once for all of
 * them. */
static void unpack_one_source(struct qc_sel *s, struct ir_instr *i)
{
    struct ir_instr *x = i->src[0].def, *y = i->src[1].def;
    if (x->op != IR_UNPACK_F || y->op != IR_UNPACK_F || x == y || s->temp_of[x->value.index] != QC_NONE ||
        s->temp_of[y->value.index] != QC_NONE)
        return;
    struct ir_instr *first = count_uses(x) >= count_uses(y) ? x : y;
    if (count_uses(first) > 1 && !qc_sel_used_in_other_region(s, first))
        s->temp_of[first->value.index] = qc_sel_temp(s, first);
}

static struct qc_src source(struct qc_sel *s, struct ir_instr *def, bool is_float)
{
    return is_float ? qc_sel_src_float(s, def) : qc_sel_src(s, def);
}

static void select_alu(struct qc_sel *s, struct ir_instr *i)
{
    uint8_t add = alu_ops[i->op].add, mul = alu_ops[i->op].mul;
    if (i->src_count == 2 && alu_ops[i->op].is_float)
        unpack_one_source(s, i);
    struct qc_src a = source(s, i->src[0].def, alu_ops[i->op].is_float);
    struct qc_src b = i->src_count > 1 ? source(s, i->src[1].def, alu_ops[i->op].is_float) : qc_src_none();
    s->temp_of[i->value.index] = qc_sel_alu(s, add, mul, qc_sel_any_temp(s), a, b)->dst;
}

/* Comparisons and their negations become flags at their users, unless a user is in another region: then they become
 * words here. */
static void select_boolean(struct qc_sel *s, struct ir_instr *i)
{
    if (qc_sel_is_comparison(i->op) || i->op == IR_BACK_FACING) {
        if (qc_sel_used_in_other_region(s, i))
            s->temp_of[i->value.index] = qc_sel_flags_to_word(s, qc_sel_flags(s, i, NULL, 0));
    } else if (i->op == IR_BNOT) {
        if (qc_sel_used_in_other_region(s, i)) {
            struct qc_src a = qc_sel_src(s, i->src[0].def);
            s->temp_of[i->value.index] =
                qc_sel_alu(s, QPU_A_XOR, QPU_M_NOP, qc_sel_any_temp(s), a, qc_src_const(1))->dst;
        }
    } else {
        select_alu(s, i);
    }
}

void qc_sel_instr(struct qc_sel *s, struct ir_instr *i)
{
    if (i->value.bits && util_list_is_empty(&i->value.uses) && (ir_op_infos[i->op].flags & IR_P))
        return;
    if (qc_sel_is_free(i) || i->op == IR_PHI)
        return;
    s->p->origin = i->spirv_offset;
    if (alu_ops[i->op].add | alu_ops[i->op].mul && i->value.bits == 32) {
        select_alu(s, i);
        return;
    }
    switch (i->op) {
    case IR_SEL: {
        struct qc_src a = qc_sel_src(s, i->src[1].def);
        struct qc_src b = qc_sel_src(s, i->src[2].def);
        s->temp_of[i->value.index] = qc_sel_choose(s, i->src[0].def, a, b);
        return;
    }
    case IR_SFU_RECIP:
    case IR_SFU_RSQRT:
    case IR_SFU_EXP2:
    case IR_SFU_LOG2:
        select_sfu(s, i);
        return;
    case IR_PACK_UNORM8:
        select_pack_unorm8(s, i);
        return;
    case IR_PACK_UNORM8_PART: {
        uint32_t d = qc_sel_any_temp(s);
        qc_sel_mov(s, d, qc_sel_src(s, i->src[0].def));
        pack_byte(s, d, QPU_PACK_MUL_8A + (i->imm - 2) % 4, i->src[1].def);
        s->temp_of[i->value.index] = d;
        return;
    }
    case IR_PACK_HALF:
    case IR_PACK_I16:
        select_pack_halves(s, i);
        return;
    case IR_DDX:
    case IR_DDY:
        select_derivative(s, i);
        return;
    case IR_ANY:
        select_any(s, i);
        return;
    case IR_ROTATE:
        select_rotate(s, i);
        return;
    case IR_ACTIVE:
        select_active(s, i);
        return;
    default:
        break;
    }
    if (qc_sel_is_comparison(i->op) || i->op == IR_BACK_FACING || (i->op >= IR_BAND && i->op <= IR_BNOT)) {
        select_boolean(s, i);
        return;
    }
    if (!qc_sel_io(s, i))
        qc_fail(s->p, VC4C_UNSUPPORTED, "back end: no selection for '%s'", ir_op_infos[i->op].text);
}
