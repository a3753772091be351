/* SPDX-License-Identifier: MIT
 *
 * Selection of operations that only the CPU engine runs: loads and stores by address, atomics, barriers, spills. Each
 * is a fixed sequence (qc_engine.c) in a block of its own, so that the scheduler does not touch it.
 *
 * Lanes that do not run use the address VC4C_ENGINE_NULL, where accesses have no effect.
 */
#include "compiler/qpu/qc_engine.h"
#include "compiler/qpu/qc_select.h"

static uint32_t file_temp(struct qc_sel *s)
{
    return qc_temp_new(s->p, QC_IN_A | QC_IN_B);
}

/* The value in a temporary that will be in a register file, because sequences read only those. */
static uint32_t operand(struct qc_sel *s, struct ir_instr *def)
{
    struct qc_src src = qc_sel_src(s, def);
    if (src.kind == QC_SRC_TEMP && !src.unpack && !(s->p->temps[src.index].classes & (QC_IN_R4 | QC_IN_R5)))
        return src.index;
    return qc_sel_mov(s, file_temp(s), src)->dst;
}

/* The value, and 0 in lanes that do not run. */
static uint32_t value_or_0(struct qc_sel *s, struct ir_instr *def)
{
    if (s->exec == QC_NONE)
        return operand(s, def);
    struct qc_src src = qc_sel_src(s, def);
    uint32_t value = file_temp(s);
    qc_sel_mov(s, value, qc_src_const(0));
    struct qc_flags running = qc_sel_flags_word(s, s->exec);
    struct qc_instr *m = qc_sel_mov(s, value, src);
    m->cond = running.cond;
    m->uses = running.group;
    return value;
}

static uint32_t active_address(struct qc_sel *s, struct ir_instr *def)
{
    _Static_assert(VC4C_ENGINE_NULL == 0, "lanes that do not run have this address");
    return value_or_0(s, def);
}

static struct qc_src temp_or_none(uint32_t temp)
{
    return temp == QC_NONE ? qc_src_none() : qc_src_temp(temp);
}

struct operands {
    uint32_t address, data, compare, result;
};

static void sequence(struct qc_sel *s, enum vc4c_site_kind kind, struct operands o)
{
    struct qc_instr *i = qc_instr_new(s->p, QC_SEQUENCE), *second = qc_instr_new(s->p, QC_SEQUENCE);
    qc_sel_append_block(s, qc_block_new(s->p));
    s->block->sequence = i;
    i->imm = kind;
    i->src[0] = temp_or_none(o.address);
    i->src[1] = temp_or_none(o.data);
    i->dst = o.result;
    qc_sel_emit(s, i);
    if (o.compare != QC_NONE || qc_sequence_has_scratch(kind)) {
        second->imm = kind;
        second->src[0] = temp_or_none(o.compare);
        second->dst = file_temp(s);
        qc_sel_emit(s, second);
    }
    qc_sel_append_block(s, qc_block_new(s->p));
    s->p->site_count++;
}

static const struct operands no_operands = {QC_NONE, QC_NONE, QC_NONE, QC_NONE};

static void select_fetch(struct qc_sel *s, struct ir_instr *i)
{
    struct qc_instr *w = qc_sel_mov_to(s, QPU_W_TMU1_S, qc_sel_src(s, i->src[0].def));
    w->chains = QC_CHAIN_TMU;
    w->tmu_first = 1;
    w->tmu_unit = 1;
    w->request = s->p->request_count++;
    qc_sel_emit(s, w);
    s->temp_of[i->value.index] = qc_sel_load_result(s, 1, w->request)->result;
}

/* True when all lanes run and have the same address, so one load serves all. */
static bool is_uniform(const struct qc_sel *s, const struct ir_instr *address)
{
    return s->exec == QC_NONE && !address->value.divergent;
}

static void select_load(struct qc_sel *s, struct ir_instr *i)
{
    struct operands o = no_operands;
    bool one = is_uniform(s, i->src[0].def);
    o.address = i->imm ? operand(s, i->src[0].def) : active_address(s, i->src[0].def);
    o.result = s->temp_of[i->value.index] = file_temp(s);
    if (i->op == IR_SCRATCH_LOAD && i->imm)
        sequence(s, VC4C_SITE_SPILL_LOAD, o);
    else
        sequence(s, one ? VC4C_SITE_LOAD_ONE : VC4C_SITE_LOAD, o);
}

static void select_store(struct qc_sel *s, struct ir_instr *i)
{
    struct operands o = no_operands;
    if (i->op == IR_SCRATCH_STORE && i->imm) {
        o.data = i->imm == 2 ? value_or_0(s, i->src[1].def) : operand(s, i->src[1].def);
        o.address = operand(s, i->src[0].def);
        sequence(s, VC4C_SITE_SPILL_STORE, o);
        return;
    }
    o.data = operand(s, i->src[1].def);
    o.address = active_address(s, i->src[0].def);
    sequence(s, i->imm == 1 ? VC4C_SITE_STORE_8 : i->imm == 2 ? VC4C_SITE_STORE_16 : VC4C_SITE_STORE, o);
}

static void select_atomic(struct qc_sel *s, struct ir_instr *i)
{
    struct operands o = no_operands;
    o.data = operand(s, i->src[1].def);
    if (i->imm == VC4C_SITE_ATOMIC_COMPARE || i->imm == VC4C_SITE_ATOMIC_FADD || i->imm == VC4C_SITE_ATOMIC_FMIN ||
        i->imm == VC4C_SITE_ATOMIC_FMAX)
        o.compare = operand(s, i->src[2].def);
    o.address = active_address(s, i->src[0].def);
    if (!util_list_is_empty(&i->value.uses))
        o.result = s->temp_of[i->value.index] = file_temp(s);
    sequence(s, (enum vc4c_site_kind)i->imm, o);
}

static uint32_t slot_address(struct qc_sel *s, uint32_t slot)
{
    struct vc4c_uniform base = {.kind = VC4C_UNIFORM_ENGINE_SCRATCH, .data = slot * QC_SPILL_SLOT_B},
                        size = {.kind = VC4C_UNIFORM_ENGINE_SCRATCH_B};
    struct qc_src own = {.kind = QC_SRC_UNIFORM, .index = qc_uniform_new(s->p, size)}, first = own;
    first.index = qc_uniform_new(s->p, base);
    uint32_t offset = qc_sel_any_temp(s), address = file_temp(s);
    qc_sel_alu(s, QPU_A_NOP, QPU_M_MUL24, offset, qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_B), own);
    qc_sel_alu(s, QPU_A_ADD, QPU_M_NOP, address, qc_src_temp(offset), first);
    return address;
}

static void select_spill(struct qc_sel *s, struct ir_instr *i)
{
    struct operands o = no_operands;
    if (i->op == IR_SPILL_STORE)
        o.data = operand(s, i->src[0].def);
    else
        o.result = s->temp_of[i->value.index] = file_temp(s);
    o.address = slot_address(s, i->imm);
    sequence(s, i->op == IR_SPILL_STORE ? VC4C_SITE_SPILL_STORE : VC4C_SITE_SPILL_LOAD, o);
}

static void select_barrier(struct qc_sel *s, enum vc4c_site_kind kind)
{
    struct operands o = no_operands;
    if (s->p->subgroups < 2)
        return;
    struct vc4c_uniform number = {.kind = VC4C_UNIFORM_SUBGROUP};
    o.data = file_temp(s);
    qc_sel_mov(s, o.data, (struct qc_src){.kind = QC_SRC_UNIFORM, .index = qc_uniform_new(s->p, number)});
    sequence(s, kind, o);
    s->p->has_barriers = true;
}

bool qc_sel_engine(struct qc_sel *s, struct ir_instr *i)
{
    switch (i->op) {
    case IR_ENGINE_FETCH:
        select_fetch(s, i);
        return true;
    case IR_ENGINE_LOAD:
    case IR_SCRATCH_LOAD:
        select_load(s, i);
        return true;
    case IR_ENGINE_STORE:
    case IR_SCRATCH_STORE:
        select_store(s, i);
        return true;
    case IR_ENGINE_ATOMIC:
        select_atomic(s, i);
        return true;
    case IR_SPILL_STORE:
    case IR_SPILL_LOAD:
        select_spill(s, i);
        return true;
    case IR_BARRIER:
        select_barrier(s, VC4C_SITE_BARRIER);
        return true;
    case IR_BARRIER_ARRIVE:
        select_barrier(s, VC4C_SITE_BARRIER_ARRIVE);
        return true;
    case IR_MUTEX_ACQUIRE:
        sequence(s, VC4C_SITE_MUTEX_ACQUIRE, no_operands);
        return true;
    case IR_MUTEX_RELEASE:
        sequence(s, VC4C_SITE_MUTEX_RELEASE, no_operands);
        return true;
    case IR_BARRIER_LEAVE:
        select_barrier(s, VC4C_SITE_BARRIER_LEAVE);
        return true;
    default:
        return false;
    }
}
