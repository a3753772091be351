/* SPDX-License-Identifier: MIT
 *
 * Emits the LLVM function of a program: basic blocks, the dispatch to resume points, and the exits. The instructions
 * themselves are emitted by jit_instr.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_emit.h"

#define MAX_BLOCKS 2048u

/* -- blocks ------------------------------------------------------------------------------------------------------- */

static const struct jit_piece *own_piece(const struct jit_emitter *e)
{
    return &e->plan->pieces[e->piece];
}

static bool is_own(const struct jit_emitter *e, uint32_t pc)
{
    return pc >= own_piece(e)->begin && pc < own_piece(e)->end;
}

/* Index of the block for a point. Creates the block if there is none. */
static unsigned block_for(struct jit_emitter *e, struct jit_point point)
{
    point = jit_point_canonical(&e->program->ops[point.pc].instr, point);
    for (unsigned n = 0; n < e->block_count; n++) {
        if (jit_point_same(&e->blocks[n].point, &point))
            return n;
    }
    if (e->block_count == e->block_capacity) {
        unsigned capacity = MAX2(32u, 2 * e->block_capacity);
        void *bigger = capacity > MAX_BLOCKS ? NULL : realloc(e->blocks, capacity * sizeof e->blocks[0]);
        if (!bigger) {
            e->message = "too many basic blocks";
            return 0;
        }
        e->blocks = bigger;
        e->block_capacity = capacity;
    }
    e->blocks[e->block_count] =
        (struct jit_block){.point = point, .at = jit_new_block(e, ""), .is_exit = !is_own(e, point.pc)};
    return e->block_count++;
}

static void branch_to(struct jit_emitter *e, struct jit_point point)
{
    unsigned n = block_for(e, point);

    LLVMBuildBr(e->b, e->blocks[n].at);
}

/* -- exits --------------------------------------------------------------------------------------------------------- */

static void end_program(struct jit_emitter *e)
{
    if (e->program->keeps_all)
        jit_save_state(e, &(struct jit_live){~UINT64_C(0), ~0u}, true);
    jit_save_streams(e);
    jit_leave(e, JIT_ENDED);
}

/* Adds a resume point to a block: an entry that loads the state from the core. */
static void make_resume(struct jit_emitter *e, struct jit_block *block)
{
    const struct jit_live *live = &e->program->ops[block->point.pc].live;
    LLVMBasicBlockRef here = jit_here(e);

    if (block->resume)
        return;
    block->resume_at = jit_new_block(e, "resume");
    block->resume = JIT_PIECE_POINT(e->piece, ++e->resumes);
    LLVMAddCase(e->dispatch_switch, jit_word(e, block->resume), block->resume_at);
    LLVMPositionBuilderAtEnd(e->b, block->resume_at);
    jit_load_state(e, live, block->point.sfu_delay);
    jit_load_streams(e);
    jit_tmu_restore(e, block->point.tmu);
    LLVMBuildBr(e->b, block->at);
    LLVMPositionBuilderAtEnd(e->b, here);
}

/* Returns from the function so that the program goes on at an entry of another piece, in host code or interpreted. */
static void leave_piece(struct jit_emitter *e, const struct jit_point *to, enum jit_exit how)
{
    const uint32_t entry = jit_plan_entry(e->plan, to), piece = jit_plan_piece_of(e->plan, to->pc);

    if (!entry)
        e->message = "a piece is left for an unknown point";
    jit_save_point(e, to);
    jit_store_number(e, e->t.i32, JIT_PIECE_POINT(piece, entry), offsetof(struct gpu_qpu_core, native_point));
    jit_leave(e, how);
}

/* Returns from the function so that a later call resumes at the start of block `n`. */
static void suspend(struct jit_emitter *e, unsigned n, enum jit_exit how)
{
    struct jit_block *block = &e->blocks[n];
    const struct jit_live *live = &e->program->ops[block->point.pc].live;

    if (block->is_exit) {
        leave_piece(e, &block->point, how);
        return;
    }
    jit_save_state(e, live, block->point.sfu_delay);
    jit_save_streams(e);
    jit_tmu_save(e, block->point.tmu);
    make_resume(e, block);
    jit_store_number(e, e->t.i32, block->resume, offsetof(struct gpu_qpu_core, native_point));
    jit_store_number(e, e->t.i32, block->point.pc, offsetof(struct gpu_qpu_core, pc));
    jit_leave(e, how);
}

/* Lets the interpreter enter host code at this block, for a program that was compiled while it ran. Possible only if
 * nothing is in flight. */
static void make_loop_point(struct jit_emitter *e, unsigned n)
{
    struct jit_block *block = &e->blocks[n];

    if (block->is_entered || block->is_exit || !jit_point_is_clean(&block->point))
        return;
    block->is_entered = true;
    make_resume(e, block);
    LLVMAddCase(e->dispatch_switch, jit_word(e, JIT_LOOP_POINT(block->point.pc)), block->resume_at);
}

/* A backward branch. Every 256th one checks the time limit and, in a user program, gives other threads a turn. */
static void jump_back(struct jit_emitter *e, uint32_t from_pc, struct jit_point to)
{
    size_t where = offsetof(struct gpu_qpu_core, branches);
    LLVMValueRef count = LLVMBuildAdd(e->b, jit_load_field(e, e->t.i32, e->core, where), jit_word(e, 1), "");
    LLVMValueRef low = LLVMBuildAnd(e->b, count, jit_word(e, 255), "");
    LLVMBasicBlockRef look = jit_new_block(e, "look"), go_on = jit_new_block(e, "");
    unsigned n = block_for(e, to);

    jit_branch_unlikely(e, LLVMBuildICmp(e->b, LLVMIntEQ, low, jit_word(e, 0), ""), look, go_on);
    LLVMPositionBuilderAtEnd(e->b, go_on);
    LLVMBuildStore(e->b, count, jit_field(e, e->core, where));
    LLVMBuildBr(e->b, e->blocks[n].at);

    LLVMPositionBuilderAtEnd(e->b, look);
    jit_call_cold(e, offsetof(struct jit_calls, check_limit), e->t.none, &e->core, 1);
    e->pc = from_pc;
    jit_check_fault(e);
    if (e->program->kind != QPU_PROGRAM_USER) {
        LLVMBuildBr(e->b, e->blocks[n].at);
        return;
    }
    suspend(e, n, JIT_YIELDS);
    make_loop_point(e, n);
}

/* At the start of block `n` of a user program, which takes the mutex or a semaphore: returns JIT_WAITS as long as the
 * program would block. */
static void emit_wait(struct jit_emitter *e, unsigned n, const struct qpu_instr *i)
{
    LLVMValueRef waits;
    LLVMBasicBlockRef blocked = jit_new_block(e, "wait"), go_on = jit_new_block(e, "");

    if (i->sig == QPU_SIG_LOAD_IMM) {
        waits = jit_semaphore_waits(e, i->imm);
    } else {
        waits = jit_call(e, offsetof(struct jit_calls, mutex_waits), e->t.i8, &e->core, 1);
        waits = LLVMBuildTrunc(e->b, waits, e->t.i1, "");
    }
    jit_branch_unlikely(e, waits, blocked, go_on);
    LLVMPositionBuilderAtEnd(e->b, blocked);
    suspend(e, n, JIT_WAITS);
    LLVMPositionBuilderAtEnd(e->b, go_on);
    jit_store_number(e, e->t.i32, 1, offsetof(struct gpu_qpu_core, native_progressed));
}

/* -- branches ------------------------------------------------------------------------------------------------------ */

static void emit_branch(struct jit_emitter *e, uint32_t branch_pc, LLVMValueRef taken, struct jit_point now)
{
    const struct jit_op *branch = &e->program->ops[branch_pc];
    struct jit_point to = now;

    to.pc = branch->target;
    if (taken) {
        LLVMBasicBlockRef yes = jit_new_block(e, "");
        unsigned no = block_for(e, now);
        LLVMBuildCondBr(e->b, taken, yes, e->blocks[no].at);
        LLVMPositionBuilderAtEnd(e->b, yes);
    }
    if (to.pc <= branch_pc)
        jump_back(e, branch_pc, to);
    else
        branch_to(e, to);
}

/* -- code of a block ----------------------------------------------------------------------------------------------- */

/* Emits a lane-by-lane DMA sequence (jit_program_moves_lanes) as one call, if it starts here with nothing in flight. */
static bool emit_sequence(struct jit_emitter *e, struct jit_point *now)
{
    uint32_t pc = now->pc;
    bool store;

    if (now->sfu_delay || now->switch_delay || now->end_delay || !jit_program_moves_lanes(e->program, pc, &store))
        return false;
    jit_move_lanes(e, store);
    jit_check_fault(e);
    now->fresh[0] = now->fresh[1] = JIT_NO_REGISTER;
    now->pc += JIT_MOVE_INSTRS;
    if (now->pc >= e->program->count)
        e->message = "the program runs past its end";
    return true;
}

/* At the start of a block nothing is known about the registers' values. */
static void forget_values(struct jit_emitter *e)
{
    memset(e->same, 0, sizeof e->same);
    memset(e->plain, 0, sizeof e->plain);
    memset(e->tmu_same, 0, sizeof e->tmu_same);
    e->same_sfu = e->plain_sfu = e->r4_is_log = e->sfu_is_log = false;
    for (unsigned n = 0; n < JIT_REGISTERS; n++)
        e->origin[n] = ++e->origins;
    for (unsigned n = 0; n < 8; n++)
        e->tmu_origin[n / 4][n % 4] = ++e->origins;
}

/* If an atomic loop (jit_atomic_find.c) starts here, emits the call that does the whole loop. The code makes the call
 * only if all sixteen rounds are still to come. Otherwise, and if the call refuses, the loop itself runs. */
static void emit_atomic(struct jit_emitter *e, const struct jit_point *now)
{
    LLVMBasicBlockRef ask = jit_new_block(e, ""), done = jit_new_block(e, ""), loop = jit_new_block(e, "");
    LLVMValueRef one = jit_splat(e, 1), rounds;
    struct jit_point after = *now;
    struct jit_atomic atomic;

    if (now->sfu_delay || now->switch_delay || now->end_delay || !jit_program_is_atomic(e->program, now->pc, &atomic) ||
        now->pc + atomic.count >= own_piece(e)->end) {
        LLVMDeleteBasicBlock(ask);
        LLVMDeleteBasicBlock(done);
        LLVMDeleteBasicBlock(loop);
        return;
    }
    rounds = jit_compare(e, LLVMIntEQ, jit_get(e, e->reg[JIT_ACC + 5]), jit_splat(e, QPU_LANES));
    rounds = LLVMBuildBitCast(e->b, rounds, e->t.i16, "");
    LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntEQ, rounds, LLVMConstInt(e->t.i16, 0xffff, 0), ""), ask, loop);
    LLVMPositionBuilderAtEnd(e->b, ask);
    jit_branch_unlikely(e, LLVMBuildNot(e->b, jit_atomic_lanes(e, &atomic), ""), loop, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    jit_atomic_registers(e);
    jit_set_flags(e, jit_splat(e, 0), jit_add_carry(e, QPU_A_SUB, one, one, jit_splat(e, 0)),
              &(struct jit_mask){.always = true});
    after.pc += atomic.count;
    after.fresh[0] = after.fresh[1] = JIT_NO_REGISTER;
    branch_to(e, after);
    LLVMPositionBuilderAtEnd(e->b, loop);
}

/* Emits the instructions from a point up to the end of its basic block. */
static void emit_block(struct jit_emitter *e, unsigned n)
{
    struct jit_point now = e->blocks[n].point;
    uint32_t start = now.pc, branch_pc = 0;
    unsigned branch_delay = 0;
    LLVMValueRef taken = NULL;

    LLVMPositionBuilderAtEnd(e->b, e->blocks[n].at);
    if (e->blocks[n].is_exit) {
        leave_piece(e, &now, JIT_CONTINUES);
        return;
    }
    forget_values(e);
    e->next_tex_group = 0;
    jit_find_streams(e, &now);
    emit_atomic(e, &now);
    while (!e->message) {
        const struct jit_op *op = &e->program->ops[now.pc];
        const struct qpu_instr *i = &op->instr;
        uint32_t pc = now.pc;

        e->pc = pc;
        if (op->leader && pc != start && !branch_delay) {
            branch_to(e, now);
            return;
        }
        if (op->waits && e->program->kind == QPU_PROGRAM_USER) {
            emit_wait(e, n, i);
        } else if (op->waits) {
            jit_call(e, offsetof(struct jit_calls, take_mutex), e->t.none, &e->core, 1);
            jit_check_fault(e);
        }
        if (!branch_delay && emit_sequence(e, &now))
            continue;
        unsigned length = jit_emit_stretch(e, &now, branch_delay);
        if (length && branch_delay && !(branch_delay -= length)) {
            emit_branch(e, branch_pc, taken, now);
            return;
        }
        if (length && now.pc >= e->program->count)
            e->message = "the program runs past its end";
        if (length)
            continue;
        if (now.sfu_delay && --now.sfu_delay == 0)
            jit_sfu_arrives(e);
        if (i->sig == QPU_SIG_BRANCH) {
            taken = i->pack == QPU_BRANCH_ALWAYS ? NULL : jit_branch_taken(e, i->pack);
            now.fresh[0] = now.fresh[1] = JIT_NO_REGISTER;
            branch_pc = pc;
            branch_delay = 4;
        } else if (i->sig == QPU_SIG_LOAD_IMM) {
            jit_emit_load_imm(e, i, &now);
        } else {
            jit_emit_alu(e, i, &now);
        }
        if (jit_may_fault(e->program, i) || e->tmu_may_fault)
            jit_check_fault(e);
        e->tmu_may_fault = false;
        now.pc++;
        if (i->sig == QPU_SIG_THREAD_SWITCH || i->sig == QPU_SIG_LAST_THREAD_SWITCH)
            now.switch_delay = 3;
        if (i->sig == QPU_SIG_PROGRAM_END || i->sig == QPU_SIG_COLOR_LOAD_END)
            now.end_delay = 3;
        if (now.switch_delay && --now.switch_delay == 0) {
            jit_lose_accumulators(e);
            memset(&e->same[JIT_ACC], true, JIT_ACCUMULATORS);
        }
        if (now.end_delay && --now.end_delay == 0) {
            end_program(e);
            return;
        }
        if (branch_delay && --branch_delay == 0) {
            emit_branch(e, branch_pc, taken, now);
            return;
        }
        if (now.pc >= e->program->count)
            e->message = "the program runs past its end";
    }
}

/* -- the function ------------------------------------------------------------------------------------------------- */

static void make_types(struct jit_emitter *e)
{
    struct jit_types *t = &e->t;

    t->none = LLVMVoidTypeInContext(e->context);
    t->i1 = LLVMInt1TypeInContext(e->context);
    t->i8 = LLVMInt8TypeInContext(e->context);
    t->i16 = LLVMInt16TypeInContext(e->context);
    t->i32 = LLVMInt32TypeInContext(e->context);
    t->i64 = LLVMInt64TypeInContext(e->context);
    t->ptr = LLVMPointerTypeInContext(e->context, 0);
    t->words = LLVMVectorType(t->i32, QPU_LANES);
    t->floats = LLVMVectorType(LLVMFloatTypeInContext(e->context), QPU_LANES);
    t->bits = LLVMVectorType(t->i1, QPU_LANES);
    t->bytes = LLVMVectorType(t->i8, 4 * QPU_LANES);
    t->halves = LLVMVectorType(t->i16, 4 * QPU_LANES);
}

static void make_variables(struct jit_emitter *e)
{
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        e->reg[n] = LLVMBuildAlloca(e->b, e->t.words, "");
        e->nsz[n] = LLVMBuildAlloca(e->b, e->t.words, "");
    }
    for (unsigned n = 0; n < FLAGS; n++)
        e->flag[n] = LLVMBuildAlloca(e->b, e->t.bits, "");
    e->sfu_result = LLVMBuildAlloca(e->b, e->t.words, "");
    e->peak = LLVMBuildAlloca(e->b, e->t.words, "");
    e->bad_uniform = LLVMBuildAlloca(e->b, e->t.i1, "");
    e->varying_c = LLVMBuildAlloca(e->b, e->t.words, "");
    e->uniforms = LLVMBuildAlloca(e->b, e->t.i32, "");
    e->varying = LLVMBuildAlloca(e->b, e->t.i32, "");
    for (unsigned n = 0; n < ARRAY_SIZE(e->slot); n++) {
        e->slot[n] = LLVMBuildAlloca(e->b, e->t.words, "");
        LLVMSetAlignment(e->slot[n], 64);
    }
    for (unsigned n = 0; n < 8; n++) {
        e->tmu_parameter[n / 4][n % 4] = LLVMBuildAlloca(e->b, e->t.words, "");
        e->tmu_config[n / 4][n % 4] = LLVMBuildAlloca(e->b, e->t.i32, "");
    }
    for (unsigned n = 0; n < 2 * GPU_TMU_FIFO; n++)
        e->tmu_result[n / GPU_TMU_FIFO][n % GPU_TMU_FIFO] = LLVMBuildAlloca(e->b, e->t.words, "");
}

/* [guide p.51 table 29] */
static void set_fragment_inputs(struct jit_emitter *e)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));
    LLVMValueRef io = jit_load_field(e, e->t.ptr, run, offsetof(struct gpu_qpu_run, fragment));

    jit_put(e, 15, jit_load_vector(e, io, offsetof(struct gpu_fragment_io, w)), NULL);
    jit_put(e, 32 + 15, jit_load_vector(e, io, offsetof(struct gpu_fragment_io, z)), NULL);
}

static void begin_function(struct jit_emitter *e, const char *name)
{
    LLVMTypeRef params[2] = {e->t.ptr, e->t.i32};

    e->function = LLVMAddFunction(e->module, name, LLVMFunctionType(e->t.i32, params, 2, 0));
    e->core = LLVMGetParam(e->function, 0);
    e->point = LLVMGetParam(e->function, 1);
    e->entry = jit_new_block(e, "entry");
    e->fault_exit = jit_new_block(e, "fault");
    LLVMPositionBuilderAtEnd(e->b, e->fault_exit);
    e->fault_pc = LLVMBuildPhi(e->b, e->t.i32, "");
    LLVMBuildStore(e->b, e->fault_pc, jit_field(e, e->core, offsetof(struct gpu_qpu_core, pc)));
    jit_leave(e, JIT_FAULT);
    LLVMPositionBuilderAtEnd(e->b, e->entry);
    make_variables(e);
}

/* The program's start, point 0. */
static void emit_start(struct jit_emitter *e)
{
    jit_clear_state(e);
    jit_load_streams(e);
    LLVMBuildStore(e->b, jit_word(e, 0), e->varying);
    if (e->program->kind == QPU_PROGRAM_FRAGMENT)
        set_fragment_inputs(e);
    branch_to(e, (struct jit_point){.pc = 0, .fresh = {JIT_NO_REGISTER, JIT_NO_REGISTER}});
}

/* The switch to the start, the piece's entries and resume points. */
static void emit_dispatch(struct jit_emitter *e)
{
    const bool has_start = e->piece == 0, is_whole = e->plan->count == 1;
    LLVMBasicBlockRef start = has_start ? jit_new_block(e, "start") : NULL, otherwise = start;

    if (!is_whole || e->program->kind == QPU_PROGRAM_USER)
        otherwise = jit_new_block(e, "absent");
    e->dispatch_switch = LLVMBuildSwitch(e->b, e->point, otherwise, 4);
    if (otherwise != start) {
        if (has_start)
            LLVMAddCase(e->dispatch_switch, jit_word(e, 0), start);
        LLVMPositionBuilderAtEnd(e->b, otherwise);
        jit_leave(e, JIT_NO_SUCH_POINT);
    }
    for (uint32_t n = 0; n < own_piece(e)->entry_count; n++) {
        const unsigned block = block_for(e, own_piece(e)->entries[n]);
        if (e->message)
            return;
        make_resume(e, &e->blocks[block]);
        if (e->program->kind == QPU_PROGRAM_USER)
            make_loop_point(e, block);
    }
    if (has_start) {
        LLVMPositionBuilderAtEnd(e->b, start);
        emit_start(e);
    }
}

bool jit_emit(struct jit_emitter *e, const char *name)
{
    make_types(e);
    e->inlines_nearest = jit_tex_nearest_is_worth(e);
    begin_function(e, name);
    emit_dispatch(e);
    for (unsigned n = 0; n < e->block_count && !e->message; n++)
        emit_block(e, n);
    if (!e->message && !LLVMCountIncoming(e->fault_pc)) { /* no instruction can fault */
        LLVMDeleteBasicBlock(e->fault_exit);
    }
    free(e->blocks);
    e->blocks = NULL;
    return !e->message;
}
