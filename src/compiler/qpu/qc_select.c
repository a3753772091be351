/* SPDX-License-Identifier: MIT
 *
 * Selection of values: each IR value becomes one or a few operations of the chip on temporaries (qc_select_alu.c,
 * qc_select_flags.c, qc_select_io.c). This file emits operations and decides how a value is read.
 *
 * Values that are free where they are used are emitted there, not where they are defined: constants, uniforms, parts of
 * words (unpack), hardware values that can be read again, and comparisons (as flags). A comparison that is used outside
 * its region, or as a word, becomes a word of 0 or 1.
 */
#include "compiler/qpu/qc_select.h"

#include <string.h>

/* Added to the unpack code of a source that has to be moved and whose part is a float. An integer move would unpack it
 * as an integer. */
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

void qc_sel_append_block(struct qc_sel *s, struct qc_block *b)
{
    b->index = s->p->block_count++;
    util_list_add_tail(&s->p->blocks, &b->link);
    s->block = b;
    qc_sel_forget_flags(s);
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

/* True when one instruction can read both, whatever registers the scheduler allocates. */
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
        /* Prefers to move the source that depends on nothing, so that the move can be scheduled anywhere. */
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

bool qc_sel_is_free(const struct ir_instr *i)
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

bool qc_sel_used_in_other_region(struct qc_sel *s, const struct ir_instr *i)
{
    uint32_t region = s->region_of[i->block->index];
    util_list_for_each(struct ir_src, u, &i->value.uses, link) {
        const struct ir_block *user = u->user ? u->user->block : block_before(container_of(u, struct ir_if, cond));
        if ((u->user && u->user->op == IR_PHI) || s->region_of[user->index] != region)
            return true;
    }
    return false;
}

uint32_t qc_sel_flags_to_word(struct qc_sel *s, struct qc_flags f)
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
        (qc_sel_is_comparison(def->op) || (def->op >= IR_BAND && def->op <= IR_BNOT) || def->op == IR_BACK_FACING)) {
        *t = qc_sel_flags_to_word(s, qc_sel_flags(s, def, NULL, 0));
        uint32_t word = *t;
        *t = QC_NONE; /* not recorded: the code emitted here may not dominate a later use */
        return word;
    }
    if (*t == QC_NONE && def->op == IR_PHI) /* in unreachable code */
        *t = qc_sel_any_temp(s);
    assert(*t != QC_NONE);
    return *t;
}

/* The part of a word that an UNPACK instruction selects, as a source in file A or r4. */
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
