/* SPDX-License-Identifier: MIT
 *
 * Programs to functions: basic blocks, instructions in the interpreter's order (run_alu and its neighbours in
 * gpu_qpu.c), and the ways in and out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_emit.h"

#define MAX_BLOCKS 2048u

enum { FLAG_Z, FLAG_N, FLAG_C, FLAGS };

/* -- state -------------------------------------------------------------------------------------------------------- */

static size_t file_offset(unsigned n)
{
    return offsetof(struct gpu_qpu_core, file) + n * sizeof(union gpu_vec);
}

static size_t flag_offset(unsigned n)
{
    return offsetof(struct gpu_qpu_core, flags) + n * sizeof(union gpu_vec);
}

static LLVMValueRef load_vector(struct jit_emitter *e, LLVMValueRef base, size_t offset_B)
{
    LLVMValueRef load = jit_load_field(e, e->t.words, base, offset_B);

    LLVMSetAlignment(load, 64);
    return load;
}

static void store_vector(struct jit_emitter *e, LLVMValueRef words, size_t offset_B)
{
    LLVMSetAlignment(LLVMBuildStore(e->b, words, jit_field(e, e->core, offset_B)), 64);
}

static void store_number(struct jit_emitter *e, LLVMTypeRef type, uint32_t number, size_t offset_B)
{
    LLVMBuildStore(e->b, LLVMConstInt(type, number, 0), jit_field(e, e->core, offset_B));
}

/* Lanes of which a bit of the number is set. */
static LLVMValueRef lane_bits(struct jit_emitter *e, unsigned bit)
{
    LLVMValueRef each[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        each[l] = LLVMConstInt(e->t.i1, l >> bit & 1, 0);
    return LLVMConstVector(each, QPU_LANES);
}

/* lose_accumulators() */
static void lose_accumulators(struct jit_emitter *e)
{
    for (unsigned n = 0; n < JIT_ACCUMULATORS; n++)
        jit_put(e, JIT_ACC + n, jit_splat(e, GPU_POISON), NULL);
    for (unsigned n = 0; n < FLAGS; n++)
        LLVMBuildStore(e->b, lane_bits(e, n), e->flag[n]);
}

/* Everything holds nothing. */
static void clear_state(struct jit_emitter *e)
{
    for (unsigned n = 0; n < JIT_FILE_REGISTERS; n++)
        jit_put(e, n, jit_splat(e, GPU_POISON), NULL);
    LLVMBuildStore(e->b, jit_splat(e, GPU_POISON), e->sfu_result);
    lose_accumulators(e);
}

static void save_state(struct jit_emitter *e, const struct jit_live *live, bool sfu)
{
    for (unsigned n = 0; n < JIT_FILE_REGISTERS; n++) {
        if (live->file >> n & 1)
            store_vector(e, jit_get(e, e->reg[n]), file_offset(n));
    }
    for (unsigned n = 0; n < JIT_ACCUMULATORS; n++) {
        if (live->acc >> n & 1)
            store_vector(e, jit_get(e, e->reg[JIT_ACC + n]),
                         offsetof(struct gpu_qpu_core, acc) + n * sizeof(union gpu_vec));
    }
    for (unsigned n = 0; n < FLAGS && live->acc & BIT(JIT_LIVE_FLAGS); n++) {
        LLVMValueRef bits = LLVMBuildLoad2(e->b, e->t.bits, e->flag[n], "");
        store_vector(e, LLVMBuildSExt(e->b, bits, e->t.words, ""), flag_offset(n));
    }
    if (sfu)
        store_vector(e, jit_get(e, e->sfu_result), offsetof(struct gpu_qpu_core, sfu_result));
}

static void load_state(struct jit_emitter *e, const struct jit_live *live, bool sfu)
{
    clear_state(e);
    for (unsigned n = 0; n < JIT_FILE_REGISTERS; n++) {
        if (live->file >> n & 1)
            jit_put(e, n, load_vector(e, e->core, file_offset(n)), NULL);
    }
    for (unsigned n = 0; n < JIT_ACCUMULATORS; n++) {
        if (live->acc >> n & 1)
            jit_put(e, JIT_ACC + n,
                    load_vector(e, e->core, offsetof(struct gpu_qpu_core, acc) + n * sizeof(union gpu_vec)), NULL);
    }
    for (unsigned n = 0; n < FLAGS && live->acc & BIT(JIT_LIVE_FLAGS); n++) {
        LLVMValueRef words = load_vector(e, e->core, flag_offset(n));
        LLVMBuildStore(e->b, jit_compare(e, LLVMIntNE, words, jit_splat(e, 0)), e->flag[n]);
    }
    if (sfu)
        LLVMBuildStore(e->b, load_vector(e, e->core, offsetof(struct gpu_qpu_core, sfu_result)), e->sfu_result);
}

static void load_streams(struct jit_emitter *e)
{
    LLVMValueRef addr = jit_load_field(e, e->t.i32, e->core, offsetof(struct gpu_qpu_core, uniforms_addr));

    LLVMBuildStore(e->b, LLVMBuildAnd(e->b, addr, jit_word(e, ~3u), ""), e->uniforms);
    LLVMBuildStore(e->b, jit_load_field(e, e->t.i32, e->core, offsetof(struct gpu_qpu_core, varying)), e->varying);
}

static void save_streams(struct jit_emitter *e)
{
    LLVMValueRef addr = LLVMBuildLoad2(e->b, e->t.i32, e->uniforms, "");
    LLVMValueRef varying = LLVMBuildLoad2(e->b, e->t.i32, e->varying, "");

    LLVMBuildStore(e->b, addr, jit_field(e, e->core, offsetof(struct gpu_qpu_core, uniforms_addr)));
    LLVMBuildStore(e->b, varying, jit_field(e, e->core, offsetof(struct gpu_qpu_core, varying)));
}

/* -- blocks ------------------------------------------------------------------------------------------------------- */

/* What the last instruction wrote matters to one that reads it. */
static struct jit_point reduced(const struct jit_emitter *e, struct jit_point point)
{
    const struct qpu_instr *i = &e->program->ops[point.pc].instr;
    bool alu = jit_op_is_alu(i);

    if (!alu || point.fresh[0] != i->raddr_a)
        point.fresh[0] = JIT_NO_REGISTER;
    if (!alu || i->sig == QPU_SIG_SMALL_IMM || point.fresh[1] != i->raddr_b)
        point.fresh[1] = JIT_NO_REGISTER;
    return point;
}

static bool same_point(const struct jit_point *a, const struct jit_point *b)
{
    return a->pc == b->pc && a->sfu_delay == b->sfu_delay && a->switch_delay == b->switch_delay &&
           a->end_delay == b->end_delay && a->fresh[0] == b->fresh[0] && a->fresh[1] == b->fresh[1] &&
           !memcmp(a->tmu, b->tmu, sizeof a->tmu);
}

/* Index of the block for a point, made when it is new. */
static unsigned block_for(struct jit_emitter *e, struct jit_point point)
{
    point = reduced(e, point);
    for (unsigned n = 0; n < e->block_count; n++) {
        if (same_point(&e->blocks[n].point, &point))
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
    e->blocks[e->block_count] = (struct jit_block){.point = point, .at = jit_new_block(e, "")};
    return e->block_count++;
}

static void go_to(struct jit_emitter *e, struct jit_point point)
{
    unsigned n = block_for(e, point);

    LLVMBuildBr(e->b, e->blocks[n].at);
}

/* -- ways out ----------------------------------------------------------------------------------------------------- */

static void leave(struct jit_emitter *e, enum jit_exit how)
{
    LLVMBuildRet(e->b, jit_word(e, how));
}

void jit_check_fault(struct jit_emitter *e)
{
    LLVMValueRef fault = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, fault));
    LLVMBasicBlockRef go_on = jit_new_block(e, "");
    LLVMValueRef at = jit_word(e, e->pc);
    LLVMBasicBlockRef here = jit_here(e);

    jit_branch_unlikely(e, LLVMBuildIsNotNull(e->b, fault, ""), e->fault_exit, go_on);
    LLVMAddIncoming(e->fault_pc, &at, &here, 1);
    LLVMPositionBuilderAtEnd(e->b, go_on);
}

static void end_program(struct jit_emitter *e)
{
    if (e->program->keeps_all)
        save_state(e, &(struct jit_live){~UINT64_C(0), ~0u}, true);
    save_streams(e);
    leave(e, JIT_ENDED);
}

/* Leaves, to go on at the start of a block some other time. */
static void suspend(struct jit_emitter *e, unsigned n, enum jit_exit how)
{
    struct jit_block *block = &e->blocks[n];
    const struct jit_live *live = &e->program->ops[block->point.pc].live;
    LLVMBasicBlockRef here = jit_here(e);

    save_state(e, live, block->point.sfu_delay);
    save_streams(e);
    jit_tmu_save(e, block->point.tmu);
    if (!block->resume) {
        LLVMBasicBlockRef resume = jit_new_block(e, "resume");
        block->resume = ++e->resumes;
        LLVMAddCase(e->dispatch_switch, jit_word(e, block->resume), resume);
        LLVMPositionBuilderAtEnd(e->b, resume);
        load_state(e, live, block->point.sfu_delay);
        load_streams(e);
        jit_tmu_restore(e, block->point.tmu);
        LLVMBuildBr(e->b, block->at);
        LLVMPositionBuilderAtEnd(e->b, here);
    }
    store_number(e, e->t.i32, block->resume, offsetof(struct gpu_qpu_core, native_point));
    store_number(e, e->t.i32, block->point.pc, offsetof(struct gpu_qpu_core, pc));
    leave(e, how);
}

/* A jump back: every 256th looks at the clock and lets others run. */
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
    jit_call(e, offsetof(struct jit_calls, check_deadline), e->t.none, &e->core, 1);
    e->pc = from_pc;
    jit_check_fault(e);
    if (e->program->kind == QPU_PROGRAM_USER)
        suspend(e, n, JIT_YIELDS);
    else
        LLVMBuildBr(e->b, e->blocks[n].at);
}

/* The byte of a semaphore. */
static LLVMValueRef semaphore_at(struct jit_emitter *e, uint32_t word)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));
    LLVMValueRef user = jit_load_field(e, e->t.ptr, run, offsetof(struct gpu_qpu_run, user));

    return jit_field(e, user, offsetof(struct gpu_user_io, semaphore) + (word & (GPU_USER_SEMAPHORES - 1)));
}

static LLVMValueRef semaphore_waits(struct jit_emitter *e, uint32_t word)
{
    unsigned limit = word & QPU_SEMAPHORE_DECREMENT ? 0 : QPU_SEMAPHORE_MAX;
    LLVMValueRef count = LLVMBuildLoad2(e->b, e->t.i8, semaphore_at(e, word), "");

    return LLVMBuildICmp(e->b, LLVMIntEQ, count, LLVMConstInt(e->t.i8, limit, 0), "");
}

static void count_semaphore(struct jit_emitter *e, uint32_t word)
{
    LLVMValueRef at = semaphore_at(e, word), count = LLVMBuildLoad2(e->b, e->t.i8, at, "");
    LLVMValueRef step = LLVMConstInt(e->t.i8, word & QPU_SEMAPHORE_DECREMENT ? 0xff : 1, 0);

    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, count, step, ""), at);
}

/* At the start of a block: the mutex or a semaphore. User programs leave while they would have to wait. */
static void emit_wait(struct jit_emitter *e, unsigned n, const struct qpu_instr *i)
{
    LLVMValueRef waits;
    LLVMBasicBlockRef stand = jit_new_block(e, "wait"), go_on = jit_new_block(e, "");

    if (i->sig == QPU_SIG_LOAD_IMM) {
        waits = semaphore_waits(e, i->imm);
    } else {
        waits = jit_call(e, offsetof(struct jit_calls, mutex_waits), e->t.i8, &e->core, 1);
        waits = LLVMBuildTrunc(e->b, waits, e->t.i1, "");
    }
    jit_branch_unlikely(e, waits, stand, go_on);
    LLVMPositionBuilderAtEnd(e->b, stand);
    suspend(e, n, JIT_WAITS);
    LLVMPositionBuilderAtEnd(e->b, go_on);
    store_number(e, e->t.i32, 1, offsetof(struct gpu_qpu_core, native_moved));
}

/* -- conditions and flags ----------------------------------------------------------------------------------------- */

static struct jit_mask condition(struct jit_emitter *e, unsigned cond)
{
    struct jit_mask mask = {.never = cond == QPU_COND_NEVER, .always = cond == QPU_COND_ALWAYS};
    unsigned flag = cond <= QPU_COND_ZC ? FLAG_Z : cond <= QPU_COND_NC ? FLAG_N : FLAG_C;

    if (!mask.never && !mask.always) {
        mask.bits = LLVMBuildLoad2(e->b, e->t.bits, e->flag[flag], "");
        if (cond & 1)
            mask.bits = LLVMBuildNot(e->b, mask.bits, "");
    }
    return mask;
}

static void set_flag(struct jit_emitter *e, unsigned n, LLVMValueRef bits, const struct jit_mask *mask)
{
    if (!mask->always)
        bits = LLVMBuildSelect(e->b, mask->bits, bits, LLVMBuildLoad2(e->b, e->t.bits, e->flag[n], ""), "");
    LLVMBuildStore(e->b, bits, e->flag[n]);
}

static void set_flags(struct jit_emitter *e, LLVMValueRef result, LLVMValueRef carry, const struct jit_mask *mask)
{
    LLVMValueRef zero = jit_splat(e, 0);

    if (mask->never)
        return;
    set_flag(e, FLAG_Z, jit_compare(e, LLVMIntEQ, result, zero), mask);
    set_flag(e, FLAG_N, jit_compare(e, LLVMIntSLT, result, zero), mask);
    set_flag(e, FLAG_C, carry, mask);
}

static LLVMValueRef branch_taken(struct jit_emitter *e, unsigned cond)
{
    unsigned flag = cond < 4 ? FLAG_Z : cond < 8 ? FLAG_N : FLAG_C;
    LLVMValueRef bits = LLVMBuildLoad2(e->b, e->t.bits, e->flag[flag], "");
    LLVMValueRef lanes = LLVMBuildBitCast(e->b, bits, e->t.i16, "");
    bool all = (cond & 3) == 0 || (cond & 3) == 3;

    return LLVMBuildICmp(e->b, cond & 2 ? LLVMIntNE : LLVMIntEQ, lanes, LLVMConstInt(e->t.i16, all ? 0xffff : 0, 0),
                         "");
}

/* -- results ------------------------------------------------------------------------------------------------------ */

static LLVMValueRef merged(struct jit_emitter *e, LLVMValueRef old, LLVMValueRef value, uint32_t bits,
                           const struct jit_mask *mask)
{
    if (bits != ~0u)
        value = LLVMBuildOr(e->b, jit_and(e, value, bits), jit_and(e, old, ~bits), "");
    return mask->always ? value : jit_select(e, mask->bits, value, old);
}

static void write_register(struct jit_emitter *e, unsigned reg, const struct jit_result *r, const struct jit_mask *mask)
{
    LLVMValueRef loose = NULL;

    e->same[reg] = mask->always && r->same && (r->bits == ~0u || e->same[reg]);

    if (r->bits == ~0u) /* parts of a word are looked at as what they are */
        loose = merged(e, jit_get(e, e->loose[reg]), r->loose ? r->loose : r->value, ~0u, mask);
    jit_put(e, reg, merged(e, jit_get(e, e->reg[reg]), r->value, r->bits, mask), loose);
}

/* r5: side A spreads lane 0 of each quad over the quad, side B lane 0 over all. */
static void write_r5(struct jit_emitter *e, unsigned side, LLVMValueRef value, const struct jit_mask *mask)
{
    LLVMValueRef from[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        from[l] = jit_word(e, side ? 0 : l & ~3u);
    value = LLVMBuildShuffleVector(e->b, value, LLVMGetUndef(e->t.words), LLVMConstVector(from, QPU_LANES), "");
    write_register(e, JIT_ACC + 5, &(struct jit_result){value, NULL, ~0u, side == 1}, mask);
}

static void write_sfu(struct jit_emitter *e, unsigned waddr, const struct jit_result *r, struct jit_point *now)
{
    LLVMValueRef result = jit_sfu(e, waddr, r->value);

    LLVMBuildStore(e->b, result, e->sfu_result);
    e->same_sfu = r->same;
    jit_put(e, JIT_ACC + 4, jit_splat(e, GPU_POISON), NULL);
    e->same[JIT_ACC + 4] = true;
    now->sfu_delay = 3;
}

/* `now->fresh` comes empty and notes the write. */
static void write_result(struct jit_emitter *e, unsigned side, unsigned waddr, const struct jit_result *r,
                         const struct jit_mask *mask, struct jit_point *now)
{
    if (waddr == QPU_W_NOP)
        return;
    if (waddr < 32) {
        now->fresh[side] = (uint8_t)waddr;
        if (!mask->never)
            write_register(e, 32 * side + waddr, r, mask);
        return;
    }
    if (mask->never)
        return;
    if (waddr <= QPU_W_ACC3)
        write_register(e, JIT_ACC + waddr - QPU_W_ACC0, r, mask);
    else if (waddr == QPU_W_ACC5)
        write_r5(e, side, r->value, mask);
    else if (qpu_waddr_is_sfu(waddr))
        write_sfu(e, waddr, r, now);
    else if (qpu_waddr_is_tmu(waddr))
        jit_tmu_write(e, waddr, r->value, r->same, mask, now->tmu);
    else
        jit_write_peripheral(e, side, waddr, r->value, mask);
}

static struct jit_result pack_result(struct jit_emitter *e, const struct qpu_instr *i, bool mul, bool is_float,
                                     LLVMValueRef value, LLVMValueRef loose)
{
    unsigned side = mul ? !i->ws : i->ws, waddr = mul ? i->waddr_mul : i->waddr_add;

    if (i->pack && i->pm && mul)
        return jit_pack_mul(e, i->pack, value);
    if (i->pack && !i->pm && side == 0 && waddr < 32)
        return jit_pack_a(e, i->pack, is_float, value);
    return (struct jit_result){value, loose, ~0u, false};
}

/* -- ALU instructions --------------------------------------------------------------------------------------------- */

static LLVMValueRef read_port(struct jit_emitter *e, unsigned side, unsigned raddr, const uint8_t fresh[2],
                              LLVMValueRef *loose_out)
{
    *loose_out = NULL;
    if (raddr < 32 && fresh[side] != raddr) {
        *loose_out = jit_get(e, e->loose[32 * side + raddr]);
        return jit_get(e, e->reg[32 * side + raddr]);
    }
    if (raddr < 32)
        return jit_splat(e, GPU_POISON);
    if (raddr == QPU_R_NOP)
        return jit_splat(e, GPU_POISON);
    return jit_read_peripheral(e, side, raddr);
}

/* `loose`: but for the sign of zero; NULL where that is known. */
static void read_operands(struct jit_emitter *e, const struct qpu_instr *i, const uint8_t fresh[2], LLVMValueRef mux[8],
                          LLVMValueRef loose[8])
{
    bool shared = i->raddr_b == i->raddr_a &&
                  (i->raddr_b == QPU_R_UNIFORM || i->raddr_b == QPU_R_VARYING || i->raddr_b == QPU_R_VPM);
    bool to_float;

    for (unsigned n = 0; n < 6; n++) {
        mux[n] = jit_get(e, e->reg[JIT_ACC + n]);
        loose[n] = jit_get(e, e->loose[JIT_ACC + n]);
    }
    mux[QPU_MUX_A] = read_port(e, 0, i->raddr_a, fresh, &loose[QPU_MUX_A]);
    loose[QPU_MUX_B] = NULL;
    if (i->sig == QPU_SIG_SMALL_IMM)
        mux[QPU_MUX_B] = jit_splat(e, qpu_small_imm_value(i->raddr_b));
    else
        mux[QPU_MUX_B] = shared ? mux[QPU_MUX_A] : read_port(e, 1, i->raddr_b, fresh, &loose[QPU_MUX_B]);
    if (!i->unpack)
        return;
    if (i->pm) {
        mux[QPU_MUX_R4] = jit_unpack(e, i->unpack, true, mux[QPU_MUX_R4]);
        loose[QPU_MUX_R4] = NULL;
        return;
    }
    to_float = (qpu_add_op_is_float(i->op_add) && (i->add_a == QPU_MUX_A || i->add_b == QPU_MUX_A)) ||
               (qpu_mul_op_is_float(i->op_mul) && (i->mul_a == QPU_MUX_A || i->mul_b == QPU_MUX_A));
    if (i->raddr_a < 32) {
        mux[QPU_MUX_A] = jit_unpack(e, i->unpack, to_float, mux[QPU_MUX_A]);
        loose[QPU_MUX_A] = NULL;
    }
}

static bool is_rotated(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= QPU_SMALL_IMM_ROTATE_R5;
}

static LLVMValueRef rotated(struct jit_emitter *e, const struct qpu_instr *i, LLVMValueRef value, LLVMValueRef r5)
{
    bool full = i->mul_a < QPU_MUX_R4 && i->mul_b < QPU_MUX_R4;
    LLVMValueRef from[QPU_LANES];

    if (i->raddr_b == QPU_SMALL_IMM_ROTATE_R5) {
        LLVMValueRef by =
            LLVMBuildAnd(e->b, LLVMBuildExtractElement(e->b, r5, jit_word(e, 0), ""), jit_word(e, 15), "");
        LLVMValueRef args[4] = {e->slot[0], by, jit_word(e, full), e->slot[2]};
        LLVMSetAlignment(LLVMBuildStore(e->b, value, e->slot[0]), 64);
        jit_call(e, offsetof(struct jit_calls, rotate), e->t.none, args, 4);
        return load_vector(e, e->slot[2], 0);
    }
    unsigned by = i->raddr_b - QPU_SMALL_IMM_ROTATE_R5;
    for (unsigned l = 0; l < QPU_LANES; l++)
        from[l] = jit_word(e, full ? (l - by) & 15 : (l & ~3u) | ((l - by) & 3));
    return LLVMBuildShuffleVector(e->b, value, LLVMGetUndef(e->t.words), LLVMConstVector(from, QPU_LANES), "");
}

static bool reads_varying(const struct qpu_instr *i)
{
    return i->raddr_a == QPU_R_VARYING || (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == QPU_R_VARYING);
}

static bool add_result_is_float(unsigned op)
{
    return (qpu_add_op_is_float(op) && op != QPU_A_FTOI) || op == QPU_A_ITOF;
}

/* Whether all lanes of an operand have the same value. */
static bool is_same(const struct jit_emitter *e, const struct qpu_instr *i, const uint8_t fresh[2], unsigned mux)
{
    unsigned side = mux == QPU_MUX_B, raddr = side ? i->raddr_b : i->raddr_a;

    if (mux < QPU_MUX_A)
        return e->same[JIT_ACC + mux];
    if ((side && i->sig == QPU_SIG_SMALL_IMM) || raddr == QPU_R_UNIFORM)
        return true;
    if (raddr < 32)
        return fresh[side] == raddr || e->same[32 * side + raddr];
    return raddr == QPU_R_ELEMENT_QPU && side;
}

static void emit_alu(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now)
{
    const uint8_t fresh[2] = {now->fresh[0], now->fresh[1]};
    bool from_mul = i->op_add == QPU_A_NOP;
    LLVMValueRef mux[8], loose[8], add, mul;
    struct jit_alu_results alu;

    read_operands(e, i, fresh, mux, loose);
    for (unsigned n = 0; n < 8; n++)
        loose[n] = loose[n] ? loose[n] : mux[n];
    now->fresh[0] = now->fresh[1] = JIT_NO_REGISTER;
    struct jit_mask add_mask = condition(e, jit_op_cond(i, false)), mul_mask = condition(e, jit_op_cond(i, true));
    jit_alu(e, i, mux, loose, &alu);
    add = alu.add;
    mul = alu.mul;
    if (mul && is_rotated(i)) {
        mul = rotated(e, i, mul, mux[QPU_MUX_R5]);
        alu.loose_mul = NULL;
    }
    if (i->sf && from_mul && mul)
        set_flags(e, mul, jit_mul_carry(e, i->op_mul, mux[i->mul_a], mux[i->mul_b]), &mul_mask);
    else if (i->sf && !from_mul)
        set_flags(e, add, jit_add_carry(e, i->op_add, mux[i->add_a], mux[i->add_b], add), &add_mask);
    if (add && i->pack && !i->pm && !i->ws && i->waddr_add < 32)
        add = jit_add_saturate(e, i->op_add, i->pack, mux[i->add_a], mux[i->add_b], add);
    struct jit_result add_result = {0}, mul_result = {0};
    bool add_same = is_same(e, i, fresh, i->add_a) && is_same(e, i, fresh, i->add_b);
    bool mul_same = is_same(e, i, fresh, i->mul_a) && is_same(e, i, fresh, i->mul_b);
    if (add)
        add_result = pack_result(e, i, false, add_result_is_float(i->op_add), add, alu.loose_add);
    if (mul)
        mul_result = pack_result(e, i, true, i->op_mul == QPU_M_FMUL, mul, alu.loose_mul);
    add_result.same = add_same;
    mul_result.same = mul_same;
    if (reads_varying(i) && e->program->kind == QPU_PROGRAM_FRAGMENT) {
        jit_put(e, JIT_ACC + 5, jit_get(e, e->varying_c), NULL);
        e->same[JIT_ACC + 5] = false;
    }
    jit_signal(e, i->sig, now);
    write_result(e, i->ws, i->waddr_add, &add_result, &add_mask, now);
    write_result(e, !i->ws, i->waddr_mul, &mul_result, &mul_mask, now);
}

/* -- load immediate ----------------------------------------------------------------------------------------------- */

static LLVMValueRef immediate(struct jit_emitter *e, const struct qpu_instr *i)
{
    LLVMValueRef lanes[QPU_LANES];

    if (i->unpack == QPU_LOAD_IMM_32 || i->unpack == QPU_LOAD_IMM_SEMAPHORE)
        return jit_splat(e, i->imm);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t high = i->imm >> (16 + l) & 1, low = i->imm >> l & 1;
        lanes[l] = jit_word(e, (i->unpack == QPU_LOAD_IMM_PER_LANE_SIGNED ? 0u - 2 * high : 2 * high) + low);
    }
    return LLVMConstVector(lanes, QPU_LANES);
}

static void emit_load_imm(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now)
{
    struct jit_mask add_mask = condition(e, i->cond_add), mul_mask = condition(e, i->cond_mul);
    LLVMValueRef value = immediate(e, i), args[2] = {e->core, jit_word(e, i->imm)};

    if (i->unpack == QPU_LOAD_IMM_SEMAPHORE && e->program->has_user)
        count_semaphore(e, i->imm);
    else if (i->unpack == QPU_LOAD_IMM_SEMAPHORE)
        jit_call(e, offsetof(struct jit_calls, semaphore), e->t.none, args, 2); /* a fault */
    now->fresh[0] = now->fresh[1] = JIT_NO_REGISTER;
    if (i->sf && !(add_mask.never && mul_mask.never))
        set_flags(e, value, LLVMConstNull(e->t.bits), add_mask.never ? &mul_mask : &add_mask);
    struct jit_result add = pack_result(e, i, false, false, value, NULL);
    struct jit_result mul = pack_result(e, i, true, false, value, NULL);
    add.same = mul.same = i->unpack == QPU_LOAD_IMM_32 || i->unpack == QPU_LOAD_IMM_SEMAPHORE;
    write_result(e, i->ws, i->waddr_add, &add, &add_mask, now);
    write_result(e, !i->ws, i->waddr_mul, &mul, &mul_mask, now);
}

/* -- code --------------------------------------------------------------------------------------------------------- */

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
        go_to(e, to);
}

static void sfu_arrives(struct jit_emitter *e)
{
    jit_put(e, JIT_ACC + 4, jit_get(e, e->sfu_result), NULL);
    e->same[JIT_ACC + 4] = e->same_sfu;
}

/* -- stretches of arithmetic -------------------------------------------------------------------------------------- */

#define STRETCH_MAX 24u /* where there are corners, all of it is done again */

static bool is_readable(const struct jit_program *p, unsigned raddr)
{
    return raddr < 32 || raddr == QPU_R_NOP || raddr == QPU_R_ELEMENT_QPU || raddr == QPU_R_UNIFORM ||
           (raddr == QPU_R_VARYING && p->kind == QPU_PROGRAM_FRAGMENT);
}

static bool writes_register(unsigned waddr)
{
    return waddr < 32 || (waddr >= QPU_W_ACC0 && waddr <= QPU_W_ACC3) || waddr == QPU_W_ACC5 || waddr == QPU_W_NOP ||
           qpu_waddr_is_sfu(waddr);
}

/* Nothing but registers, uniforms and varyings, so that it may be done twice. */
static bool is_arithmetic(const struct jit_program *p, const struct qpu_instr *i)
{
    bool reads = is_readable(p, i->raddr_a) && (i->sig == QPU_SIG_SMALL_IMM || is_readable(p, i->raddr_b));

    if (!writes_register(i->waddr_add) || !writes_register(i->waddr_mul))
        return false;
    if (i->sig == QPU_SIG_LOAD_IMM)
        return i->unpack != QPU_LOAD_IMM_SEMAPHORE;
    return reads && (i->sig == QPU_SIG_NONE || i->sig == QPU_SIG_SMALL_IMM);
}

static bool has_floats(const struct qpu_instr *i)
{
    return i->sig != QPU_SIG_LOAD_IMM &&
           (i->op_add == QPU_A_FADD || i->op_add == QPU_A_FSUB || i->op_mul == QPU_M_FMUL);
}

/* Instructions of arithmetic from here on, up to the last with floats; 0 where fewer than two have any. */
static unsigned stretch_length(const struct jit_emitter *e, const struct jit_point *now, unsigned branch_delay)
{
    unsigned limit = branch_delay ? branch_delay : STRETCH_MAX, length = 0, floats = 0;

    if (now->switch_delay || now->end_delay)
        return 0;
    for (unsigned n = 0; n < limit && now->pc + n < e->program->count; n++) {
        const struct jit_op *op = &e->program->ops[now->pc + n];
        if (op->waits || !is_arithmetic(e->program, &op->instr) || (n && op->leader && !branch_delay))
            break;
        if (has_floats(&op->instr)) {
            length = n + 1;
            floats++;
        }
    }
    return floats < 2 ? 0 : length;
}

static void emit_arithmetic(struct jit_emitter *e, struct jit_point *now, unsigned length)
{
    while (length--) {
        const struct qpu_instr *i = &e->program->ops[now->pc].instr;
        e->pc = now->pc;
        if (now->sfu_delay && --now->sfu_delay == 0)
            sfu_arrives(e);
        if (i->sig == QPU_SIG_LOAD_IMM)
            emit_load_imm(e, i, now);
        else
            emit_alu(e, i, now);
        now->pc++;
    }
}

/* What a stretch may change, before it. */
struct before {
    struct jit_point now;
    bool same[JIT_REGISTERS], same_sfu;
    bool written[JIT_REGISTERS];
    LLVMValueRef reg[JIT_REGISTERS], loose[JIT_REGISTERS], flag[FLAGS], sfu_result, uniforms, varying;
};

static void note_written(struct before *b, unsigned side, unsigned waddr)
{
    if (waddr < 32)
        b->written[32 * side + waddr] = true;
    else if (qpu_waddr_is_sfu(waddr))
        b->written[JIT_ACC + 4] = true;
    else if (waddr != QPU_W_NOP)
        b->written[JIT_ACC + waddr - QPU_W_ACC0] = true;
}

static void remember(struct jit_emitter *e, const struct jit_point *now, unsigned length, struct before *b)
{
    *b = (struct before){.now = *now, .same_sfu = e->same_sfu};
    memcpy(b->same, e->same, sizeof b->same);
    b->written[JIT_ACC + 4] = b->written[JIT_ACC + 5] = true; /* something may arrive; of varyings */
    b->uniforms = LLVMBuildLoad2(e->b, e->t.i32, e->uniforms, "");
    b->varying = LLVMBuildLoad2(e->b, e->t.i32, e->varying, "");
    for (unsigned n = 0; n < length; n++) {
        const struct qpu_instr *i = &e->program->ops[now->pc + n].instr;
        note_written(b, i->ws, i->waddr_add);
        note_written(b, !i->ws, i->waddr_mul);
    }
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        if (b->written[n]) {
            b->reg[n] = jit_get(e, e->reg[n]);
            b->loose[n] = jit_get(e, e->loose[n]);
        }
    }
    for (unsigned n = 0; n < FLAGS; n++)
        b->flag[n] = LLVMBuildLoad2(e->b, e->t.bits, e->flag[n], "");
    b->sfu_result = jit_get(e, e->sfu_result);
}

static void go_back(struct jit_emitter *e, struct jit_point *now, const struct before *b)
{
    *now = b->now;
    memcpy(e->same, b->same, sizeof b->same);
    e->same_sfu = b->same_sfu;
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        if (b->written[n])
            jit_put(e, n, b->reg[n], b->loose[n]);
    }
    for (unsigned n = 0; n < FLAGS; n++)
        LLVMBuildStore(e->b, b->flag[n], e->flag[n]);
    LLVMBuildStore(e->b, b->sfu_result, e->sfu_result);
    LLVMBuildStore(e->b, b->uniforms, e->uniforms);
    LLVMBuildStore(e->b, b->varying, e->varying);
}

/* A stretch of arithmetic as if floats had no corners, and again, exactly, where some were met. Its length, or 0. */
static unsigned emit_stretch(struct jit_emitter *e, struct jit_point *now, unsigned branch_delay)
{
    unsigned length = stretch_length(e, now, branch_delay);
    struct before before;

    if (!length)
        return 0;
    LLVMBasicBlockRef exact = jit_new_block(e, "exact"), done = jit_new_block(e, "");
    remember(e, now, length, &before);
    LLVMBuildStore(e->b, jit_splat(e, 0), e->worst);
    e->corners = JIT_CORNERS_NOTED;
    emit_arithmetic(e, now, length);
    jit_branch_unlikely(e, jit_float_noted(e), exact, done);
    LLVMPositionBuilderAtEnd(e->b, exact);
    go_back(e, now, &before);
    e->corners = JIT_CORNERS_EXACT;
    emit_arithmetic(e, now, length);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    e->corners = JIT_CORNERS_SEEN;
    return length;
}

/* -- blocks ------------------------------------------------------------------------------------------------------- */

/* Instructions that are known as a whole, with nothing in flight over them. */
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

/* Nothing is known of a block's registers but what the code in it makes of them. */
static void forget_same(struct jit_emitter *e)
{
    memset(e->same, 0, sizeof e->same);
    memset(e->tmu_same, 0, sizeof e->tmu_same);
    e->same_sfu = false;
}

/* The loop of an atomic operation, where it is one with all its rounds to come: by a call, or as it is written. */
static void emit_atomic(struct jit_emitter *e, const struct jit_point *now)
{
    LLVMBasicBlockRef ask = jit_new_block(e, ""), done = jit_new_block(e, ""), loop = jit_new_block(e, "");
    LLVMValueRef one = jit_splat(e, 1), rounds;
    struct jit_point behind = *now;
    struct jit_atomic atomic;

    if (now->sfu_delay || now->switch_delay || now->end_delay ||
        !jit_program_is_atomic(e->program, now->pc, &atomic) || now->pc + atomic.count >= e->program->count) {
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
    set_flags(e, jit_splat(e, 0), jit_add_carry(e, QPU_A_SUB, one, one, jit_splat(e, 0)),
              &(struct jit_mask){.always = true});
    behind.pc += atomic.count;
    behind.fresh[0] = behind.fresh[1] = JIT_NO_REGISTER;
    go_to(e, behind);
    LLVMPositionBuilderAtEnd(e->b, loop);
}

/* From a point to where control leaves straight code. */
static void emit_block(struct jit_emitter *e, unsigned n)
{
    struct jit_point now = e->blocks[n].point;
    uint32_t start = now.pc, branch_pc = 0;
    unsigned branch_delay = 0;
    LLVMValueRef taken = NULL;

    LLVMPositionBuilderAtEnd(e->b, e->blocks[n].at);
    forget_same(e);
    emit_atomic(e, &now);
    while (!e->message) {
        const struct jit_op *op = &e->program->ops[now.pc];
        const struct qpu_instr *i = &op->instr;
        uint32_t pc = now.pc;

        e->pc = pc;
        if (op->leader && pc != start && !branch_delay) {
            go_to(e, now);
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
        unsigned length = emit_stretch(e, &now, branch_delay);
        if (length && branch_delay && !(branch_delay -= length)) {
            emit_branch(e, branch_pc, taken, now);
            return;
        }
        if (length && now.pc >= e->program->count)
            e->message = "the program runs past its end";
        if (length)
            continue;
        if (now.sfu_delay && --now.sfu_delay == 0)
            sfu_arrives(e);
        if (i->sig == QPU_SIG_BRANCH) {
            taken = i->pack == QPU_BRANCH_ALWAYS ? NULL : branch_taken(e, i->pack);
            now.fresh[0] = now.fresh[1] = JIT_NO_REGISTER;
            branch_pc = pc;
            branch_delay = 4;
        } else if (i->sig == QPU_SIG_LOAD_IMM) {
            emit_load_imm(e, i, &now);
        } else {
            emit_alu(e, i, &now);
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
            lose_accumulators(e);
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
        e->loose[n] = LLVMBuildAlloca(e->b, e->t.words, "");
    }
    for (unsigned n = 0; n < FLAGS; n++)
        e->flag[n] = LLVMBuildAlloca(e->b, e->t.bits, "");
    e->sfu_result = LLVMBuildAlloca(e->b, e->t.words, "");
    e->worst = LLVMBuildAlloca(e->b, e->t.words, "");
    e->varying_c = LLVMBuildAlloca(e->b, e->t.words, "");
    e->uniforms = LLVMBuildAlloca(e->b, e->t.i32, "");
    e->varying = LLVMBuildAlloca(e->b, e->t.i32, "");
    for (unsigned n = 0; n < ARRAY_SIZE(e->slot); n++) {
        e->slot[n] = LLVMBuildAlloca(e->b, e->t.words, "");
        LLVMSetAlignment(e->slot[n], 64);
    }
    for (unsigned n = 0; n < 2 * GPU_TMU_FIFO; n++)
        e->tmu_result[n / GPU_TMU_FIFO][n % GPU_TMU_FIFO] = LLVMBuildAlloca(e->b, e->t.words, "");
}

/* [guide p.51 table 29] */
static void set_fragment_inputs(struct jit_emitter *e)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));
    LLVMValueRef io = jit_load_field(e, e->t.ptr, run, offsetof(struct gpu_qpu_run, fragment));

    jit_put(e, 15, load_vector(e, io, offsetof(struct gpu_fragment_io, w)), NULL);
    jit_put(e, 32 + 15, load_vector(e, io, offsetof(struct gpu_fragment_io, z)), NULL);
}

static void begin_function(struct jit_emitter *e, const char *name)
{
    LLVMTypeRef params[2] = {e->t.ptr, e->t.i32};

    e->function = LLVMAddFunction(e->module, name, LLVMFunctionType(e->t.i32, params, 2, 0));
    e->core = LLVMGetParam(e->function, 0);
    e->point = LLVMGetParam(e->function, 1);
    e->entry = jit_new_block(e, "entry");
    e->fault_exit = jit_new_block(e, "fault");
    LLVMBasicBlockRef start = jit_new_block(e, "start");
    LLVMPositionBuilderAtEnd(e->b, e->fault_exit);
    e->fault_pc = LLVMBuildPhi(e->b, e->t.i32, "");
    LLVMBuildStore(e->b, e->fault_pc, jit_field(e, e->core, offsetof(struct gpu_qpu_core, pc)));
    leave(e, JIT_FAULT);
    LLVMPositionBuilderAtEnd(e->b, e->entry);
    make_variables(e);
    e->dispatch_switch = LLVMBuildSwitch(e->b, e->point, start, 4);
    LLVMPositionBuilderAtEnd(e->b, start);
    clear_state(e);
    load_streams(e);
    LLVMBuildStore(e->b, jit_word(e, 0), e->varying);
    if (e->program->kind == QPU_PROGRAM_FRAGMENT)
        set_fragment_inputs(e);
    go_to(e, (struct jit_point){.pc = 0, .fresh = {JIT_NO_REGISTER, JIT_NO_REGISTER}});
}

bool jit_emit(struct jit_emitter *e, const char *name)
{
    make_types(e);
    begin_function(e, name);
    for (unsigned n = 0; n < e->block_count && !e->message; n++)
        emit_block(e, n);
    if (!e->message && !LLVMCountIncoming(e->fault_pc)) { /* nothing can fail */
        LLVMDeleteBasicBlock(e->fault_exit);
    }
    free(e->blocks);
    e->blocks = NULL;
    return !e->message;
}
