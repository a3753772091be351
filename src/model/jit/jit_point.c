/* SPDX-License-Identifier: MIT
 *
 * Points of a program, and how an instruction changes them. The emitter (jit_instr.c, jit_tmu.c) changes its point in
 * the same way while it emits the instruction; a piece of code that is entered at a point that this file does not find
 * is refused (jit_emit.c).
 */
#include <string.h>
#include "model/jit/jit_point.h"

/* A register that the last instruction wrote matters only if this one reads it. */
struct jit_point jit_point_canonical(const struct qpu_instr *i, struct jit_point point)
{
    bool alu = jit_op_is_alu(i);

    if (!alu || point.fresh[0] != i->raddr_a)
        point.fresh[0] = JIT_NO_REGISTER;
    if (!alu || i->sig == QPU_SIG_SMALL_IMM || point.fresh[1] != i->raddr_b)
        point.fresh[1] = JIT_NO_REGISTER;
    return point;
}

bool jit_point_same(const struct jit_point *a, const struct jit_point *b)
{
    return a->pc == b->pc && a->sfu_delay == b->sfu_delay && a->switch_delay == b->switch_delay &&
           a->end_delay == b->end_delay && a->fresh[0] == b->fresh[0] && a->fresh[1] == b->fresh[1] &&
           !memcmp(a->tmu, b->tmu, sizeof a->tmu);
}

bool jit_point_is_clean(const struct jit_point *point)
{
    bool clean = !point->sfu_delay && !point->switch_delay && !point->end_delay;

    for (unsigned n = 0; n < 2; n++) {
        clean &= point->fresh[n] == JIT_NO_REGISTER;
        clean &= !point->tmu[n].count && !point->tmu[n].configs && !point->tmu[n].written;
    }
    return clean;
}

/* -- texture units ------------------------------------------------------------------------------------------------- */

bool jit_tmu_has_room(const struct jit_tmu *tmu, unsigned params)
{
    for (unsigned n = 0; n < tmu->count; n++)
        params += tmu->params[n];
    return params <= GPU_TMU_FIFO;
}

void jit_tmu_push(struct jit_tmu *tmu, unsigned params)
{
    tmu->params[tmu->count++] = (uint8_t)params;
}

void jit_tmu_pop(struct jit_tmu *tmu)
{
    tmu->count--;
    for (unsigned n = 0; n < tmu->count; n++)
        tmu->params[n] = tmu->params[n + 1];
    tmu->params[tmu->count] = 0;
}

/* Misuse is a fault, after which the state no longer matters. */
static void write_tmu(struct jit_tmu *tmu, unsigned parameter)
{
    if (!parameter && !tmu->configs) {
        if (jit_tmu_has_room(tmu, 1))
            jit_tmu_push(tmu, 1);
        return;
    }
    if (tmu->configs == ARRAY_SIZE(((struct gpu_tmu_request *)0)->config))
        return;
    tmu->configs++;
    tmu->written |= (uint8_t)BIT(parameter);
    if (!parameter && jit_tmu_has_room(tmu, tmu->configs)) {
        jit_tmu_push(tmu, tmu->configs);
        tmu->configs = tmu->written = 0;
    }
}

/* -- instructions -------------------------------------------------------------------------------------------------- */

static void write_result(struct jit_point *point, unsigned side, unsigned waddr, unsigned cond)
{
    if (waddr < 32)
        point->fresh[side] = (uint8_t)waddr;
    else if (cond == QPU_COND_NEVER)
        return;
    else if (qpu_waddr_is_sfu(waddr))
        point->sfu_delay = 3;
    else if (qpu_waddr_is_tmu(waddr))
        write_tmu(&point->tmu[waddr >= QPU_W_TMU1_S], waddr & 3);
}

void jit_point_step(const struct qpu_instr *i, struct jit_point *point)
{
    const unsigned unit = i->sig == QPU_SIG_LOAD_TMU1;

    if (point->sfu_delay)
        point->sfu_delay--;
    point->fresh[0] = point->fresh[1] = JIT_NO_REGISTER;
    if ((i->sig == QPU_SIG_LOAD_TMU0 || i->sig == QPU_SIG_LOAD_TMU1) && point->tmu[unit].count)
        jit_tmu_pop(&point->tmu[unit]);
    if (i->sig != QPU_SIG_BRANCH) {
        write_result(point, i->ws, i->waddr_add, jit_op_cond(i, false));
        write_result(point, !i->ws, i->waddr_mul, jit_op_cond(i, true));
    }
    point->pc++;
    if (i->sig == QPU_SIG_THREAD_SWITCH || i->sig == QPU_SIG_LAST_THREAD_SWITCH)
        point->switch_delay = 3;
    if (i->sig == QPU_SIG_PROGRAM_END || i->sig == QPU_SIG_COLOR_LOAD_END)
        point->end_delay = 3;
    if (point->switch_delay)
        point->switch_delay--;
    if (point->end_delay)
        point->end_delay--;
}
