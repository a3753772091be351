/* SPDX-License-Identifier: MIT
 *
 * Selection of arithmetic: each IR value becomes one or a few operations of the chip over temporaries.
 *
 * Values that cost nothing where they are used are made there, not where they are defined: constants, uniforms, parts
 * of words (unpack), hardware values that can be read again, and comparisons (as flags). A comparison that is used
 * outside its region, or as a word, becomes a word of 0 or 1.
 *
 * Flags: an operation that sets flags and those that read them form a group. The scheduler keeps groups apart; for
 * that, everything that a reader needs must be made before the setter (see qc_sel_flags).
 */
#include "compiler/qpu/qc_select.h"

#include <string.h>

/* Beside the unpack code of a source that is about to be moved: the part is a float. A move is an integer operation
 * and would read it as an integer. */
#define UNPACK_IS_FLOAT 0x80u

/* ---------------------------------------------------------------- emitting */

static void note_write(struct qc_sel *s, uint32_t temp)
{
    if (temp == QC_NONE)
        return;
    if (temp >= s->serial_room) {
        uint32_t room = MAX2(temp + 1, s->serial_room * 2);
        uint32_t *grown = util_arena_new_array(s->p->arena, uint32_t, room);
        if (s->serial_room)
            memcpy(grown, s->serial_of, s->serial_room * sizeof *grown);
        s->serial_of = grown;
        s->serial_room = room;
    }
    s->serial_of[temp] = s->serial;
}

struct qc_instr *qc_sel_emit(struct qc_sel *s, struct qc_instr *i)
{
    s->serial++;
    note_write(s, i->dst);
    note_write(s, i->result);
    if (i->chains & QC_CHAIN_TLB)
        s->last_tlb_serial = s->serial;
    util_list_add_tail(&s->block->instrs, &i->link);
    return i;
}

uint32_t qc_sel_any_temp(struct qc_sel *s)
{
    return qc_temp_new(s->p, QC_IN_ACC | QC_IN_A | QC_IN_B);
}

uint32_t qc_sel_src_to_temp(struct qc_sel *s, struct qc_src src)
{
    if (src.kind == QC_SRC_TEMP && !src.unpack)
        return src.index;
    return qc_sel_mov(s, qc_sel_any_temp(s), src)->dst;
}

static bool takes_uniform(struct qc_src src)
{
    return src.kind == QC_SRC_UNIFORM || (src.kind == QC_SRC_CONST && qpu_small_imm_code(src.index) < 0);
}

static bool same_uniform(struct qc_sel *s, struct qc_src a, struct qc_src b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == QC_SRC_CONST || a.index == b.index)
        return a.index == b.index;
    return memcmp(&s->p->uniforms[a.index], &s->p->uniforms[b.index], sizeof(struct vc4c_uniform)) == 0;
}

/* Can one instruction read both? Places in the files are the scheduler's matter. */
static bool fit_together(struct qc_sel *s, struct qc_src a, struct qc_src b)
{
    if (takes_uniform(a) && takes_uniform(b))
        return same_uniform(s, a, b);
    if (a.kind == QC_SRC_CONST && b.kind == QC_SRC_CONST)
        return a.index == b.index;
    if (a.kind == QC_SRC_READ && b.kind == QC_SRC_READ)
        return a.raddr == b.raddr ? a.files == b.files : (a.files | b.files) == QC_FILE_ANY && a.files != b.files;
    if (a.unpack || b.unpack) {
        struct qc_src whole = a.unpack ? b : a, part = a.unpack ? a : b;
        if (whole.unpack)
            return qc_src_same(a, b);
        return !(whole.kind == QC_SRC_TEMP && whole.index == part.index) &&
               !(whole.kind == QC_SRC_READ && whole.files == QC_FILE_A);
    }
    if (a.kind == QC_SRC_READ && b.kind == QC_SRC_CONST) /* a small immediate sits in port B */
        return (a.files & QC_FILE_A) != 0;
    if (b.kind == QC_SRC_READ && a.kind == QC_SRC_CONST)
        return (b.files & QC_FILE_A) != 0;
    return true;
}

struct qc_instr *qc_sel_alu(struct qc_sel *s, uint8_t op_add, uint8_t op_mul, uint32_t dst, struct qc_src a,
                            struct qc_src b)
{
    if (a.kind != QC_SRC_NONE && b.kind != QC_SRC_NONE && !fit_together(s, a, b)) {
        /* Move what does not depend on anything, so that it can wait for its turn anywhere. */
        struct qc_src *moved = b.unpack ? &a : &b;
        if (moved->unpack && (qpu_add_op_is_float(op_add) || qpu_mul_op_is_float(op_mul)))
            moved->unpack |= UNPACK_IS_FLOAT;
        *moved = qc_src_temp(qc_sel_mov(s, qc_sel_any_temp(s), *moved)->dst);
    }
    struct qc_instr *i = qc_instr_new(s->p, QC_ALU);
    i->op_add = op_add;
    i->op_mul = op_mul;
    i->src[0] = a;
    i->src[1] = b;
    i->dst = dst;
    return qc_sel_emit(s, i);
}

struct qc_instr *qc_sel_mov(struct qc_sel *s, uint32_t dst, struct qc_src a)
{
    if (a.unpack & UNPACK_IS_FLOAT) {
        a.unpack &= ~UNPACK_IS_FLOAT;
        return qc_sel_alu(s, QPU_A_FMIN, QPU_M_NOP, dst, a, a);
    }
    return qc_sel_alu(s, QPU_A_OR, QPU_M_V8MIN, dst, a, qc_src_none());
}

struct qc_instr *qc_sel_mov_to(struct qc_sel *s, uint8_t waddr, struct qc_src a)
{
    struct qc_instr *i = qc_instr_new(s->p, QC_ALU);
    i->op_add = QPU_A_OR;
    i->op_mul = QPU_M_V8MIN;
    i->src[0] = a;
    i->waddr = waddr;
    return i;
}

/* ---------------------------------------------------------------- values */

bool qc_sel_const_bool(const struct ir_instr *def, bool *value_out)
{
    while (def->op == IR_MOV)
        def = def->src[0].def;
    if (def->op != IR_CONST && def->op != IR_UNDEF)
        return false;
    *value_out = def->op == IR_CONST && def->imm != 0;
    return true;
}

static bool is_comparison(uint16_t op)
{
    return op >= IR_FEQ && op <= IR_UGE;
}

/* Is the value made where it is used? */
static bool is_free(const struct ir_instr *i)
{
    switch (i->op) {
    case IR_CONST:
    case IR_UNDEF:
    case IR_UNIFORM:
    case IR_MOV:
    case IR_UNPACK_F:
    case IR_UNPACK_I:
    case IR_FRAG_X:
    case IR_FRAG_Y:
    case IR_FRAG_Z:
    case IR_FRAG_W:
    case IR_ELEMENT:
    case IR_QPU_NUMBER:
        return true;
    default:
        return false;
    }
}

static const struct ir_block *block_before(const struct ir_if *nif)
{
    return ir_node_as_block(container_of(nif->node.link.prev, struct ir_node, link));
}

static bool used_in_other_region(struct qc_sel *s, const struct ir_instr *i)
{
    uint32_t region = s->region_of[i->block->index];
    util_list_for_each(struct ir_src, u, &i->value.uses, link) {
        const struct ir_block *user = u->user ? u->user->block : block_before(container_of(u, struct ir_if, cond));
        if ((u->user && u->user->op == IR_PHI) || s->region_of[user->index] != region)
            return true;
    }
    return false;
}

/* A word of 0 or 1 from flags. */
static uint32_t flags_to_word(struct qc_sel *s, struct qc_flags f)
{
    uint32_t t = qc_sel_any_temp(s);
    qc_sel_mov(s, t, qc_src_const(0));
    struct qc_instr *i = qc_sel_mov(s, t, qc_src_const(1));
    i->cond = f.cond;
    i->uses = f.group;
    return t;
}

static uint32_t temp_of_value(struct qc_sel *s, struct ir_instr *def)
{
    uint32_t *t = &s->temp_of[def->value.index];
    if (*t == QC_NONE &&
        (is_comparison(def->op) || (def->op >= IR_BAND && def->op <= IR_BNOT) || def->op == IR_BACK_FACING)) {
        *t = flags_to_word(s, qc_sel_flags(s, def, NULL, 0));
        uint32_t made = *t;
        *t = QC_NONE; /* what is made here may not dominate a later use */
        return made;
    }
    if (*t == QC_NONE && def->op == IR_PHI) /* in code that nothing reaches */
        *t = qc_sel_any_temp(s);
    assert(*t != QC_NONE);
    return *t;
}

/* The part of a word that UNPACK names, read through file A or r4. */
static struct qc_src part_of(struct qc_sel *s, struct ir_instr *def)
{
    static const uint8_t codes[6] = {QPU_UNPACK_16A, QPU_UNPACK_16B, QPU_UNPACK_8A,
                                     QPU_UNPACK_8B,  QPU_UNPACK_8C,  QPU_UNPACK_8D};
    uint32_t t = qc_sel_temp(s, def->src[0].def);
    struct qc_temp *temp = &s->p->temps[t];
    if (def->op == IR_UNPACK_I && (temp->classes & QC_IN_R4)) { /* r4 only unpacks to floats */
        uint32_t in_a = qc_temp_new(s->p, QC_IN_A);
        qc_sel_mov(s, in_a, qc_src_temp(t));
        t = in_a;
    } else if (!(temp->classes & QC_IN_A) || temp->payload == 2) {
        uint32_t in_a = qc_temp_new(s->p, QC_IN_A);
        qc_sel_mov(s, in_a, qc_src_temp(t));
        t = in_a;
    } else {
        temp->classes &= QC_IN_A | QC_IN_R4;
    }
    struct qc_src src = qc_src_temp(t);
    src.unpack = codes[def->imm % 6];
    return src;
}

static struct qc_src src_of(struct qc_sel *s, struct ir_instr *def, bool for_float)
{
    if (s->temp_of[def->value.index] != QC_NONE)
        return qc_src_temp(s->temp_of[def->value.index]);
    switch (def->op) {
    case IR_MOV:
        return src_of(s, def->src[0].def, for_float);
    case IR_CONST:
        return qc_src_const(def->value.bits == 1 ? def->imm != 0 : def->imm);
    case IR_UNDEF:
        return qc_src_const(0);
    case IR_UNIFORM:
        if (def->uniform.kind == VC4C_UNIFORM_CONSTANT)
            return qc_src_const(def->uniform.data);
        return (struct qc_src){.kind = QC_SRC_UNIFORM, .index = qc_uniform_new(s->p, def->uniform)};
    case IR_FRAG_X:
        return qc_src_read(QPU_R_XY_PIXEL_COORD, QC_FILE_A);
    case IR_FRAG_Y:
        return qc_src_read(QPU_R_XY_PIXEL_COORD, QC_FILE_B);
    case IR_ELEMENT:
        return qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_A);
    case IR_QPU_NUMBER:
        return qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_B);
    case IR_FRAG_W:
        return qc_src_temp(s->w);
    case IR_FRAG_Z:
        return qc_src_temp(s->z);
    case IR_UNPACK_F:
    case IR_UNPACK_I: {
        struct qc_src part = part_of(s, def);
        if (for_float == (def->op == IR_UNPACK_F))
            return part;
        if (def->op == IR_UNPACK_F)
            part.unpack |= UNPACK_IS_FLOAT;
        return qc_src_temp(qc_sel_mov(s, qc_sel_any_temp(s), part)->dst);
    }
    default:
        return qc_src_temp(temp_of_value(s, def));
    }
}

struct qc_src qc_sel_src(struct qc_sel *s, struct ir_instr *def)
{
    return src_of(s, def, false);
}

struct qc_src qc_sel_src_float(struct qc_sel *s, struct ir_instr *def)
{
    return src_of(s, def, true);
}

uint32_t qc_sel_temp(struct qc_sel *s, struct ir_instr *def)
{
    struct qc_src src = qc_sel_src(s, def);
    if (src.kind == QC_SRC_TEMP && !src.unpack)
        return src.index;
    return qc_sel_mov(s, qc_sel_any_temp(s), src)->dst;
}

/* ---------------------------------------------------------------- flags */

void qc_sel_forget_flags(struct qc_sel *s)
{
    s->last_flags.value = NULL;
    s->last_flags.exec_value = QC_NONE;
}

/* May operations reading these join the group that was set last? Only if all is older than its setter. */
static bool may_join(struct qc_sel *s, const struct qc_src *srcs, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        if (srcs[k].kind == QC_SRC_TEMP && s->serial_of[srcs[k].index] >= s->last_flags.serial)
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

static struct qc_flags set_by(struct qc_sel *s, uint8_t op_add, struct qc_src a, struct qc_src b, uint8_t cond,
                              const struct ir_instr *value)
{
    uint8_t op_mul = op_add == QPU_A_OR && b.kind == QC_SRC_NONE ? QPU_M_V8MIN : QPU_M_NOP;
    return set_flags(s, qc_sel_alu(s, op_add, op_mul, QC_NONE, a, b), cond, value);
}

static bool is_zero(struct qc_src src)
{
    return src.kind == QC_SRC_CONST && src.index == 0;
}

static struct qc_flags compare(struct qc_sel *s, struct ir_instr *c)
{
    bool is_float = c->op <= IR_FGE;
    struct qc_src a = src_of(s, c->src[0].def, is_float), b = src_of(s, c->src[1].def, is_float);
    switch (c->op) {
    case IR_FEQ:
        return set_by(s, QPU_A_FSUB, a, b, QPU_COND_ZS, c);
    case IR_FNE:
        return set_by(s, QPU_A_FSUB, a, b, QPU_COND_ZC, c);
    case IR_FLT:
        return set_by(s, QPU_A_FSUB, a, b, QPU_COND_NS, c);
    case IR_FGE:
        return set_by(s, QPU_A_FSUB, a, b, QPU_COND_NC, c);
    case IR_IEQ:
    case IR_INE: {
        uint8_t cond = c->op == IR_IEQ ? QPU_COND_ZS : QPU_COND_ZC;
        if (is_zero(b))
            return set_by(s, QPU_A_OR, a, qc_src_none(), cond, c);
        return set_by(s, QPU_A_XOR, a, b, cond, c);
    }
    case IR_ILT:
    case IR_IGE:
        if (is_zero(b))
            return set_by(s, QPU_A_OR, a, qc_src_none(), c->op == IR_ILT ? QPU_COND_NS : QPU_COND_NC, c);
        /* max sets C where its first operand is greater, whatever the difference. */
        return set_by(s, QPU_A_MAX, b, a, c->op == IR_ILT ? QPU_COND_CS : QPU_COND_CC, c);
    default: /* ULT, UGE: borrow */
        return set_by(s, QPU_A_SUB, a, b, c->op == IR_ULT ? QPU_COND_CS : QPU_COND_CC, c);
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
        if (is_comparison(v->op))
            return compare(s, v);
        if (v->op == IR_BAND || v->op == IR_BOR || v->op == IR_BXOR) {
            uint8_t op = v->op == IR_BAND ? QPU_A_AND : v->op == IR_BOR ? QPU_A_OR : QPU_A_XOR;
            struct qc_src a = qc_sel_src(s, v->src[0].def), b = qc_sel_src(s, v->src[1].def);
            return set_by(s, op, a, b, QPU_COND_ZC, v);
        }
        if (v->op == IR_BACK_FACING)
            return set_by(s, QPU_A_OR, qc_src_read(QPU_R_MS_REV_FLAGS, QC_FILE_B), qc_src_none(), QPU_COND_ZC, v);
    }
    return set_by(s, QPU_A_OR, qc_sel_src(s, v), qc_src_none(), QPU_COND_ZC, v);
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
    struct qc_flags f = set_by(s, QPU_A_OR, qc_src_temp(temp), qc_src_none(), QPU_COND_ZS, NULL);
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

/* ---------------------------------------------------------------- operations */

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

static uint32_t unorm8_of_const(float f)
{
    return f <= 0.0f ? 0 : f >= 1.0f ? 255 : 256;
}

/* Writes byte `part` (0 to 3) of `d` as a unorm8. */
static void pack_byte(struct qc_sel *s, uint32_t d, unsigned code, struct ir_instr *value)
{
    struct qc_instr *i = qc_sel_alu(s, QPU_A_NOP, QPU_M_V8MIN, d, qc_sel_src(s, value), qc_src_none());
    i->pm = 1;
    i->pack = (uint8_t)code;
}

/* The word whose byte `part` the value is; NULL when it is none. */
static struct ir_instr *word_of_byte(const struct ir_instr *value, unsigned part)
{
    while (value->op == IR_MOV)
        value = value->src[0].def;
    return value->op == IR_UNPACK_F && value->imm == 2 + part ? value->src[0].def : NULL;
}

/* What the most bytes have in common is written first, as a whole word: the bytes of a word that is passed on, or
 * constants. The others follow one by one. */
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

static void select_pack_halves(struct qc_sel *s, struct ir_instr *i)
{
    uint32_t d = qc_temp_new(s->p, QC_IN_A);
    s->temp_of[i->value.index] = d;
    for (unsigned k = 0; k < 2; k++) {
        struct qc_instr *m;
        if (i->op == IR_PACK_HALF) {
            struct qc_src a = qc_sel_src_float(s, i->src[k].def);
            m = qc_sel_alu(s, QPU_A_FMIN, QPU_M_NOP, d, a, a);
        } else {
            m = qc_sel_mov(s, d, qc_sel_src(s, i->src[k].def));
        }
        m->pack = k ? QPU_PACK_A_16B : QPU_PACK_A_16A;
    }
}

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

/* In each quad: the difference to the neighbour; both pixels of a pair get the same. The pair's lower pixel takes
 * (upper - lower), then the upper one copies it [notes 2.2.5]. */
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
        set_by(s, QPU_A_AND, qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_A), qc_src_const(step), QPU_COND_ZC, NULL);
    struct qc_instr *m = rotate(s, out, d, step);
    m->cond = f.cond;
    m->uses = f.group;
    s->temp_of[i->value.index] = out;
}

/* The OR of all running lanes, in every lane, by four rotations. */
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

/* add and mul operation of each IR operation that is one operation of the chip. */
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
    [IR_BAND] = {QPU_A_AND, QPU_M_V8MIN, 0}, /* words of 0 and 1: minimum and maximum will do */
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

/* An instruction unpacks one part: of two different ones, that with more users is unpacked before, for all of them. */
static void unpack_one_source(struct qc_sel *s, struct ir_instr *i)
{
    struct ir_instr *x = i->src[0].def, *y = i->src[1].def;
    if (x->op != IR_UNPACK_F || y->op != IR_UNPACK_F || x == y || s->temp_of[x->value.index] != QC_NONE ||
        s->temp_of[y->value.index] != QC_NONE)
        return;
    struct ir_instr *first = count_uses(x) >= count_uses(y) ? x : y;
    if (count_uses(first) > 1 && !used_in_other_region(s, first))
        s->temp_of[first->value.index] = qc_sel_temp(s, first);
}

static void select_alu(struct qc_sel *s, struct ir_instr *i)
{
    uint8_t add = alu_ops[i->op].add, mul = alu_ops[i->op].mul;
    if (i->src_count == 2 && alu_ops[i->op].is_float)
        unpack_one_source(s, i);
    struct qc_src a = src_of(s, i->src[0].def, alu_ops[i->op].is_float);
    struct qc_src b = i->src_count > 1 ? src_of(s, i->src[1].def, alu_ops[i->op].is_float) : qc_src_none();
    s->temp_of[i->value.index] = qc_sel_alu(s, add, mul, qc_sel_any_temp(s), a, b)->dst;
}

/* Comparisons and logic on them stay flags while all users are near; else they become words now. */
static void select_boolean(struct qc_sel *s, struct ir_instr *i)
{
    if (is_comparison(i->op) || i->op == IR_BACK_FACING) {
        if (used_in_other_region(s, i))
            s->temp_of[i->value.index] = flags_to_word(s, qc_sel_flags(s, i, NULL, 0));
    } else if (i->op == IR_BNOT) {
        if (used_in_other_region(s, i)) {
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
    if (is_free(i) || i->op == IR_PHI)
        return;
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
    default:
        break;
    }
    if (is_comparison(i->op) || i->op == IR_BACK_FACING || (i->op >= IR_BAND && i->op <= IR_BNOT)) {
        select_boolean(s, i);
        return;
    }
    if (!qc_sel_io(s, i))
        qc_fail(s->p, VC4C_UNSUPPORTED, "back end: no selection for '%s'", ir_op_infos[i->op].text);
}
