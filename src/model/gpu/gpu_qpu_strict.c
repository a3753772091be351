/* SPDX-License-Identifier: MIT
 *
 * Strict runs. A program that reads a file register, accumulator or flag before it was written, or after a thread
 * switch destroyed it, is wrong even if the image is right. Only tests use strict runs, never drawing.
 *
 * A conditional or partial write counts as a write: the live lanes and bits are not tracked.
 */
#include "model/gpu/gpu_qpu_state.h"

void gpu_strict_start(struct gpu_qpu_core *core)
{
    bool fragment = core->run->kind == QPU_PROGRAM_FRAGMENT;

    core->file_valid[0] = core->file_valid[1] = fragment ? BIT(15) : 0; /* W and Z */
    core->acc_valid = 0;
    core->flags_valid = false;
}

static bool uses(const struct gpu_qpu_op *op, unsigned mux)
{
    const struct qpu_instr *i = &op->instr;

    return (op->add && (i->add_a == mux || i->add_b == mux)) || (op->mul && (i->mul_a == mux || i->mul_b == mux));
}

static void check_file(struct gpu_qpu_core *core, unsigned side, unsigned raddr)
{
    if (raddr > 31)
        return;
    if (!(core->file_valid[side] >> raddr & 1))
        core->fault = "strict: reads a file register that nothing was written to";
    if (core->fresh_write[side] == raddr)
        core->fault = "strict: reads a file register in the instruction after its write";
}

static void check_conditions(struct gpu_qpu_core *core, const struct qpu_instr *i)
{
    if (!core->flags_valid && (i->cond_add > QPU_COND_ALWAYS || i->cond_mul > QPU_COND_ALWAYS))
        core->fault = "strict: a condition looks at flags that were never set";
}

void gpu_strict_before(struct gpu_qpu_core *core, const struct gpu_qpu_op *op)
{
    const struct qpu_instr *i = &op->instr;

    if (i->sig == QPU_SIG_BRANCH) {
        if (!core->flags_valid && i->pack != QPU_BRANCH_ALWAYS)
            core->fault = "strict: a branch looks at flags that were never set";
        if (i->branch_reg)
            check_file(core, 0, i->raddr_a);
        return;
    }
    check_conditions(core, i);
    if (i->sig == QPU_SIG_LOAD_IMM)
        return;
    if (uses(op, QPU_MUX_A))
        check_file(core, 0, i->raddr_a);
    if (uses(op, QPU_MUX_B) && i->sig != QPU_SIG_SMALL_IMM)
        check_file(core, 1, i->raddr_b);
    for (unsigned acc = 0; acc < 6; acc++) {
        if (uses(op, acc) && !(core->acc_valid >> acc & 1))
            core->fault = "strict: reads an accumulator that holds nothing";
    }
    if (op->rotate == 16 && !(core->acc_valid >> 5 & 1))
        core->fault = "strict: rotates by r5, which holds nothing";
}

static void mark_written(struct gpu_qpu_core *core, unsigned side, unsigned waddr, unsigned cond)
{
    if (cond == QPU_COND_NEVER)
        return;
    if (waddr < 32)
        core->file_valid[side] |= BIT(waddr);
    else if (waddr <= QPU_W_ACC3)
        core->acc_valid |= BIT(waddr - QPU_W_ACC0);
    else if (waddr == QPU_W_ACC5)
        core->acc_valid |= BIT(5);
    else if (qpu_waddr_is_sfu(waddr))
        core->acc_valid &= ~BIT(4); /* until the result arrives */
}

void gpu_strict_after(struct gpu_qpu_core *core, const struct gpu_qpu_op *op)
{
    const struct qpu_instr *i = &op->instr;
    bool branch = i->sig == QPU_SIG_BRANCH;

    mark_written(core, i->ws, i->waddr_add, branch ? QPU_COND_ALWAYS : i->cond_add);
    mark_written(core, !i->ws, i->waddr_mul, branch ? QPU_COND_ALWAYS : i->cond_mul);
    if (branch)
        return;
    core->flags_valid |= i->sf;
    if (i->sig == QPU_SIG_LOAD_IMM)
        return;
    if (i->raddr_a == QPU_R_VARYING || (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == QPU_R_VARYING))
        core->acc_valid |= BIT(5);
    if (i->sig == QPU_SIG_LOAD_TMU0 || i->sig == QPU_SIG_LOAD_TMU1 || i->sig == QPU_SIG_COLOR_LOAD)
        core->acc_valid |= BIT(4);
}
