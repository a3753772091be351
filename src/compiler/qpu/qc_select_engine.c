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

/* ---------------------------------------------------------------- rows and transfers */

/* Emits an access of the VPM, or of memory by DMA, behind its setup. Setups are load-immediates, so that host code
 * knows the row. All accesses stay in program order. */
static void access(struct qc_sel *s, struct qc_instr *i, uint32_t setup, uint8_t files)
{
    struct qc_instr *before = qc_instr_new(s->p, QC_LOAD_IMM);
    before->imm = setup;
    before->waddr = QPU_W_VPMVCD_SETUP;
    before->waddr_files = files;
    before->chains = i->chains = QC_CHAIN_VPM_READ | QC_CHAIN_VPM_WRITE;
    qc_sel_emit(s, before);
    qc_sel_emit(s, i);
    s->setups_lost += files == QC_FILE_B;
}

static void transfer(struct qc_sel *s, struct qc_src address, uint32_t mode, uint8_t files)
{
    struct qc_instr *i = qc_sel_mov_to(s, QPU_W_VPM_ADDR, address);
    i->waddr_files = files;
    access(s, i, QPU_DMA_LANES | mode | QC_DATA_ROW, files);
}

static void write_row(struct qc_sel *s, uint32_t row, struct qc_src value)
{
    access(s, qc_sel_mov_to(s, QPU_W_VPM, value), QC_OWN_ROW_WRITE | row, QC_FILE_B);
}

static uint32_t read_row(struct qc_sel *s, uint32_t row)
{
    struct qc_instr *i = qc_instr_new(s->p, QC_ALU);
    i->op_add = QPU_A_OR;
    i->op_mul = QPU_M_V8MIN;
    i->src[0] = qc_src_read(QPU_R_VPM, QC_FILE_ANY);
    i->dst = qc_sel_any_temp(s);
    access(s, i, QC_OWN_ROW_READ | row, QC_FILE_A);
    return i->dst;
}

static void store(struct qc_sel *s, struct qc_src address, struct qc_src value, uint32_t mode)
{
    write_row(s, QC_DATA_ROW, value);
    transfer(s, address, mode, QC_FILE_B);
}

static uint32_t load(struct qc_sel *s, struct qc_src address, uint32_t mode)
{
    transfer(s, address, mode, QC_FILE_A);
    return read_row(s, QC_DATA_ROW);
}

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

static void select_load(struct qc_sel *s, struct ir_instr *i)
{
    const uint32_t mode = i->op == IR_SCRATCH_LOAD && i->imm ? QPU_DMA_ROW : 0;
    uint32_t address = i->imm ? qc_sel_temp(s, i->src[0].def) : active_address(s, i->src[0].def);
    s->temp_of[i->value.index] = load(s, qc_src_temp(address), mode);
}

static void select_store(struct qc_sel *s, struct ir_instr *i)
{
    const bool is_row = i->op == IR_SCRATCH_STORE && i->imm;
    uint32_t value = is_row && i->imm == 2 ? value_or_0(s, i->src[1].def) : qc_sel_temp(s, i->src[1].def);
    uint32_t address = is_row ? qc_sel_temp(s, i->src[0].def) : active_address(s, i->src[0].def);
    store(s, qc_src_temp(address), qc_src_temp(value),
          is_row        ? QPU_DMA_ROW
          : i->imm == 1 ? QPU_DMA_BYTES
          : i->imm == 2 ? QPU_DMA_HALVES
                        : 0);
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
    uint32_t offset = qc_sel_any_temp(s), address = qc_sel_any_temp(s);
    /* In order with the accesses: computed early, the addresses of all slots would take all registers. */
    qc_sel_alu(s, QPU_A_NOP, QPU_M_MUL24, offset, qc_src_read(QPU_R_ELEMENT_QPU, QC_FILE_B), own)->chains =
        QC_CHAIN_VPM_READ | QC_CHAIN_VPM_WRITE;
    qc_sel_alu(s, QPU_A_ADD, QPU_M_NOP, address, qc_src_temp(offset), first);
    return address;
}

static void select_spill(struct qc_sel *s, struct ir_instr *i)
{
    const bool is_row = i->imm < QC_SPILL_ROWS;
    struct qc_src address = is_row ? qc_src_none() : qc_src_temp(slot_address(s, i->imm - QC_SPILL_ROWS));
    if (i->op == IR_SPILL_LOAD)
        s->temp_of[i->value.index] = is_row ? read_row(s, i->imm) : load(s, address, QPU_DMA_ROW);
    else if (is_row)
        write_row(s, i->imm, qc_sel_src(s, i->src[0].def));
    else
        store(s, address, qc_sel_src(s, i->src[0].def), QPU_DMA_ROW);
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
