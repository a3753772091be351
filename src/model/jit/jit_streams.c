/* SPDX-License-Identifier: MIT
 *
 * Checks at the start of a block that all the uniforms and varyings it reads are available, so that the block itself
 * reads them without checks. If some are missing, because the program reads too many or the stream leaves the window of
 * memory, the interpreter continues from the block's start. It finds any fault at the right instruction.
 */
#include "model/jit/jit_emit.h"

/* -- counting ----------------------------------------------------------------------------------------------------- */

struct taken {
    unsigned uniforms, varyings;
};

static bool reads(const struct qpu_instr *i, unsigned raddr)
{
    return i->raddr_a == raddr || (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == raddr);
}

/* A write to a texture unit takes one uniform, except for a lookup by address. */
static unsigned taken_by_write(struct jit_tmu tmus[2], unsigned waddr, unsigned cond)
{
    struct jit_tmu *tmu = &tmus[waddr >= QPU_W_TMU1_S];
    bool submits = !(waddr & 3);

    if (cond == QPU_COND_NEVER || !qpu_waddr_is_tmu(waddr) || (submits && !tmu->configs))
        return 0;
    tmu->configs = submits ? 0 : tmu->configs + 1;
    return 1;
}

static bool ends_uniforms(const struct qpu_instr *i)
{
    return (jit_op_cond(i, false) && i->waddr_add == QPU_W_UNIFORMS_ADDRESS) ||
           (jit_op_cond(i, true) && i->waddr_mul == QPU_W_UNIFORMS_ADDRESS);
}

/* Counts what a block reads up to its end, as in emit_block(). Uniforms count up to a write to their address. */
static struct taken count_taken(const struct jit_program *p, struct jit_point now)
{
    unsigned branch_delay = 0, end_delay = now.end_delay;
    const uint32_t start = now.pc;
    struct taken taken = {0};
    bool moved = false;

    for (; now.pc < p->count; now.pc++) {
        const struct qpu_instr *i = &p->ops[now.pc].instr;
        if (p->ops[now.pc].leader && now.pc != start && !branch_delay)
            break;
        if (i->sig == QPU_SIG_BRANCH)
            branch_delay = 4;
        if (jit_op_is_alu(i)) { /* both ports read the same value */
            taken.varyings += p->kind == QPU_PROGRAM_FRAGMENT && reads(i, QPU_R_VARYING);
            taken.uniforms += !moved && reads(i, QPU_R_UNIFORM);
        }
        moved |= i->sig != QPU_SIG_BRANCH && ends_uniforms(i);
        if (!moved && i->sig != QPU_SIG_BRANCH) {
            taken.uniforms += taken_by_write(now.tmu, i->waddr_add, jit_op_cond(i, false));
            taken.uniforms += taken_by_write(now.tmu, i->waddr_mul, jit_op_cond(i, true));
        }
        if (i->sig == QPU_SIG_PROGRAM_END || i->sig == QPU_SIG_COLOR_LOAD_END)
            end_delay = 3;
        if ((end_delay && --end_delay == 0) || (branch_delay && --branch_delay == 0))
            break;
    }
    return taken;
}

/* -- checks -------------------------------------------------------------------------------------------------------- */

/* Returns JIT_BAILOUT with the complete state in the core. */
static void bail_out(struct jit_emitter *e, const struct jit_point *point)
{
    jit_save_point(e, point);
    jit_leave(e, JIT_BAILOUT);
}

static void find_varyings(struct jit_emitter *e, unsigned count, LLVMBasicBlockRef bailout)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));
    LLVMValueRef io = jit_load_field(e, e->t.ptr, run, offsetof(struct gpu_qpu_run, fragment));
    LLVMValueRef there = jit_load_field(e, e->t.i32, io, offsetof(struct gpu_fragment_io, varying_count));
    LLVMValueRef last = LLVMBuildAdd(e->b, LLVMBuildLoad2(e->b, e->t.i32, e->varying, ""), jit_word(e, count), "");
    LLVMBasicBlockRef go_on = jit_new_block(e, "");

    jit_branch_unlikely(e, LLVMBuildICmp(e->b, LLVMIntUGT, last, there, ""), bailout, go_on);
    LLVMPositionBuilderAtEnd(e->b, go_on);
    e->varyings_left = count;
}

static LLVMValueRef window_field(struct jit_emitter *e, size_t offset_B)
{
    return jit_load_field(e, e->t.i32, e->core, offsetof(struct gpu_qpu_core, uniforms_window) + offset_B);
}

static void find_uniforms(struct jit_emitter *e, unsigned count, LLVMBasicBlockRef bailout)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef addr = LLVMBuildLoad2(b, e->t.i32, e->uniforms, ""), offset, limit, found;
    LLVMBasicBlockRef ask = jit_new_block(e, "ask"), go_on = jit_new_block(e, "");

    offset = LLVMBuildSub(b, addr, window_field(e, offsetof(struct gpu_window, addr)), "");
    offset = LLVMBuildAdd(b, LLVMBuildZExt(b, offset, e->t.i64, ""), LLVMConstInt(e->t.i64, 4 * count, 0), "");
    limit = LLVMBuildZExt(b, window_field(e, offsetof(struct gpu_window, words_B)), e->t.i64, "");
    jit_branch_unlikely(e, LLVMBuildICmp(b, LLVMIntUGT, offset, limit, ""), ask, go_on);
    LLVMPositionBuilderAtEnd(b, ask);
    LLVMValueRef args[3] = {e->core, addr, jit_word(e, count)};
    found = jit_call_cold(e, offsetof(struct jit_calls, uniforms_at), e->t.i8, args, 3);
    jit_branch_unlikely(e, LLVMBuildNot(b, LLVMBuildTrunc(b, found, e->t.i1, ""), ""), bailout, go_on);
    LLVMPositionBuilderAtEnd(b, go_on);
    LLVMValueRef mem = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, mem));
    LLVMValueRef base = jit_load_field(e, e->t.ptr, mem, offsetof(struct gpu_memory, base));
    offset = LLVMBuildZExt(b, addr, e->t.i64, "");
    e->stream = LLVMBuildGEP2(b, e->t.i8, base, &offset, 1, "");
    e->stream_addr = addr;
    e->stream_count = count;
}

void jit_find_streams(struct jit_emitter *e, const struct jit_point *point)
{
    const struct taken taken = count_taken(e->program, *point);

    e->stream_count = e->stream_taken = e->varyings_left = 0;
    if (!taken.uniforms && !taken.varyings)
        return;
    LLVMBasicBlockRef bailout = jit_new_block(e, "left");
    if (taken.varyings)
        find_varyings(e, taken.varyings, bailout);
    if (taken.uniforms)
        find_uniforms(e, taken.uniforms, bailout);
    LLVMBasicBlockRef here = jit_here(e);
    LLVMPositionBuilderAtEnd(e->b, bailout);
    bail_out(e, point);
    LLVMPositionBuilderAtEnd(e->b, here);
}
