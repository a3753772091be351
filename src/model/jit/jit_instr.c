/* SPDX-License-Identifier: MIT
 *
 * Emits one ALU or load-immediate instruction: conditions, operands, flags and results, in the interpreter's order
 * (run_alu() and its helpers in gpu_qpu.c).
 */
#include "model/jit/jit_emit.h"

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

void jit_set_flags(struct jit_emitter *e, LLVMValueRef result, LLVMValueRef carry, const struct jit_mask *mask)
{
    LLVMValueRef zero = jit_splat(e, 0);

    if (mask->never)
        return;
    set_flag(e, FLAG_Z, jit_compare(e, LLVMIntEQ, result, zero), mask);
    set_flag(e, FLAG_N, jit_compare(e, LLVMIntSLT, result, zero), mask);
    set_flag(e, FLAG_C, carry, mask);
}

LLVMValueRef jit_branch_taken(struct jit_emitter *e, unsigned cond)
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
    bool plain = r->plain && r->bits == ~0u && (mask->always || e->plain[reg]);
    LLVMValueRef nsz = NULL;

    e->same[reg] = mask->always && r->same && (r->bits == ~0u || e->same[reg]);

    if (r->bits == ~0u) /* if only part of a word is written, the exact value is needed */
        nsz = merged(e, jit_get(e, e->nsz[reg]), r->nsz ? r->nsz : r->value, ~0u, mask);
    jit_put(e, reg, merged(e, jit_get(e, e->reg[reg]), r->value, r->bits, mask), nsz);
    e->plain[reg] = plain;
    if (r->origin && mask->always && r->bits == ~0u)
        e->origin[reg] = r->origin;
}

/* r5: a write from side A broadcasts lane 0 of each quad within the quad, one from side B lane 0 to all lanes. */
static void write_r5(struct jit_emitter *e, unsigned side, LLVMValueRef value, const struct jit_mask *mask)
{
    LLVMValueRef from[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        from[l] = jit_word(e, side ? 0 : l & ~3u);
    value = LLVMBuildShuffleVector(e->b, value, LLVMGetUndef(e->t.words), LLVMConstVector(from, QPU_LANES), "");
    write_register(e, JIT_ACC + 5, &(struct jit_result){.value = value, .bits = ~0u, .same = side == 1},
                   mask);
}

static void write_sfu(struct jit_emitter *e, unsigned waddr, const struct jit_result *r, struct jit_point *now)
{
    LLVMValueRef result = jit_sfu(e, waddr, r->value);

    LLVMBuildStore(e->b, result, e->sfu_result);
    e->same_sfu = r->same;
    e->plain_sfu = true;
    e->sfu_is_log = waddr == QPU_W_SFU_LOG;
    jit_put(e, JIT_ACC + 4, jit_splat(e, GPU_POISON), NULL);
    e->same[JIT_ACC + 4] = true;
    now->sfu_delay = 3;
}

/* Sets `now->fresh`, which must be empty, for a write to a file register. */
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
        jit_tmu_write(e, waddr, r, mask, now->tmu);
    else
        jit_write_peripheral(e, side, waddr, r->value, mask);
}

static struct jit_result pack_result(struct jit_emitter *e, const struct qpu_instr *i, bool mul, bool is_float,
                                     LLVMValueRef value, LLVMValueRef nsz)
{
    unsigned side = mul ? !i->ws : i->ws, waddr = mul ? i->waddr_mul : i->waddr_add;

    if (i->pack && i->pm && mul)
        return jit_pack_mul(e, i->pack, value, is_float && nsz ? nsz : value);
    if (i->pack && !i->pm && side == 0 && waddr < 32)
        return jit_pack_a(e, i->pack, is_float, value);
    return (struct jit_result){.value = value, .nsz = nsz, .bits = ~0u};
}

/* -- ALU instructions --------------------------------------------------------------------------------------------- */

static LLVMValueRef read_port(struct jit_emitter *e, unsigned side, unsigned raddr, const uint8_t fresh[2],
                              LLVMValueRef *nsz_out)
{
    *nsz_out = NULL;
    if (raddr < 32 && fresh[side] != raddr) {
        *nsz_out = jit_get(e, e->nsz[32 * side + raddr]);
        return jit_get(e, e->reg[32 * side + raddr]);
    }
    if (raddr < 32)
        return jit_splat(e, GPU_POISON);
    if (raddr == QPU_R_NOP)
        return jit_splat(e, GPU_POISON);
    return jit_read_peripheral(e, side, raddr);
}

/* `nsz`: as in struct jit_emitter; NULL: same as `mux`. */
static void read_operands(struct jit_emitter *e, const struct qpu_instr *i, const uint8_t fresh[2], LLVMValueRef mux[8],
                          LLVMValueRef nsz[8])
{
    bool shared = i->raddr_b == i->raddr_a &&
                  (i->raddr_b == QPU_R_UNIFORM || i->raddr_b == QPU_R_VARYING || i->raddr_b == QPU_R_VPM);
    bool to_float;

    for (unsigned n = 0; n < 6; n++) {
        mux[n] = jit_get(e, e->reg[JIT_ACC + n]);
        nsz[n] = jit_get(e, e->nsz[JIT_ACC + n]);
    }
    mux[QPU_MUX_A] = read_port(e, 0, i->raddr_a, fresh, &nsz[QPU_MUX_A]);
    nsz[QPU_MUX_B] = NULL;
    if (i->sig == QPU_SIG_SMALL_IMM)
        mux[QPU_MUX_B] = jit_splat(e, qpu_small_imm_value(i->raddr_b));
    else
        mux[QPU_MUX_B] = shared ? mux[QPU_MUX_A] : read_port(e, 1, i->raddr_b, fresh, &nsz[QPU_MUX_B]);
    if (!i->unpack)
        return;
    if (i->pm) {
        mux[QPU_MUX_R4] = jit_unpack(e, i->unpack, true, mux[QPU_MUX_R4]);
        nsz[QPU_MUX_R4] = NULL;
        return;
    }
    to_float = (qpu_add_op_is_float(i->op_add) && (i->add_a == QPU_MUX_A || i->add_b == QPU_MUX_A)) ||
               (qpu_mul_op_is_float(i->op_mul) && (i->mul_a == QPU_MUX_A || i->mul_b == QPU_MUX_A));
    if (i->raddr_a < 32) {
        mux[QPU_MUX_A] = jit_unpack(e, i->unpack, to_float, mux[QPU_MUX_A]);
        nsz[QPU_MUX_A] = NULL;
    }
}

/* What is known about an operand. Call after read_operands(). */
static enum jit_known known_of(const struct jit_emitter *e, const struct qpu_instr *i, const uint8_t fresh[2],
                               unsigned mux)
{
    unsigned side = mux == QPU_MUX_B, raddr = side ? i->raddr_b : i->raddr_a;
    bool plain;

    if (i->unpack && (i->pm ? mux == QPU_MUX_R4 : mux == QPU_MUX_A))
        return JIT_ANYTHING;
    if (mux < QPU_MUX_A)
        return e->plain[JIT_ACC + mux] ? JIT_PLAIN : JIT_ANYTHING;
    if (side && i->sig == QPU_SIG_SMALL_IMM) {
        plain = i->raddr_b < QPU_SMALL_IMM_ROTATE_R5 && jit_float_is_plain(qpu_small_imm_value(i->raddr_b));
        return plain ? JIT_PLAIN : JIT_ANYTHING;
    }
    if (raddr < 32)
        return fresh[side] != raddr && e->plain[32 * side + raddr] ? JIT_PLAIN : JIT_ANYTHING;
    return raddr == QPU_R_UNIFORM ? JIT_UNIFORM : JIT_ANYTHING;
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
        return jit_load_vector(e, e->slot[2], 0);
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

/* The value number that a move passes on; 0: the operation is not a move of a register. */
static unsigned moved_origin(const struct jit_emitter *e, const struct qpu_instr *i, const uint8_t fresh[2], bool mul)
{
    unsigned a = mul ? i->mul_a : i->add_a, b = mul ? i->mul_b : i->add_b, side = a == QPU_MUX_B;
    bool moves = mul ? i->op_mul == QPU_M_V8MIN : i->op_add == QPU_A_OR;
    unsigned raddr = side ? i->raddr_b : i->raddr_a;

    if (!moves || a != b || i->unpack || i->pack || is_rotated(i))
        return 0;
    if (a < QPU_MUX_A)
        return e->origin[JIT_ACC + a];
    if ((side && i->sig == QPU_SIG_SMALL_IMM) || raddr >= 32 || fresh[side] == raddr)
        return 0;
    return e->origin[32 * side + raddr];
}

void jit_emit_alu(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now)
{
    const uint8_t fresh[2] = {now->fresh[0], now->fresh[1]};
    bool from_mul = i->op_add == QPU_A_NOP;
    struct jit_operands in;
    LLVMValueRef const *mux = in.mux;
    LLVMValueRef add, mul;
    struct jit_alu_results alu;

    read_operands(e, i, fresh, in.mux, in.nsz);
    for (unsigned n = 0; n < 8; n++) {
        in.nsz[n] = in.nsz[n] ? in.nsz[n] : in.mux[n];
        in.known[n] = known_of(e, i, fresh, n);
    }
    now->fresh[0] = now->fresh[1] = JIT_NO_REGISTER;
    struct jit_mask add_mask = condition(e, jit_op_cond(i, false)), mul_mask = condition(e, jit_op_cond(i, true));
    jit_alu(e, i, &in, &alu);
    add = alu.add;
    mul = alu.mul;
    if (mul && is_rotated(i)) {
        mul = rotated(e, i, mul, mux[QPU_MUX_R5]);
        alu.nsz_mul = NULL;
        alu.mul_plain = false;
    }
    if (i->sf && from_mul && mul)
        jit_set_flags(e, mul, jit_mul_carry(e, i->op_mul, mux[i->mul_a], mux[i->mul_b]), &mul_mask);
    else if (i->sf && !from_mul)
        jit_set_flags(e, add, jit_add_carry(e, i->op_add, mux[i->add_a], mux[i->add_b], add), &add_mask);
    if (add && i->pack && !i->pm && !i->ws && i->waddr_add < 32)
        add = jit_add_saturate(e, i->op_add, i->pack, mux[i->add_a], mux[i->add_b], add);
    struct jit_result add_result = {0}, mul_result = {0};
    bool add_same = is_same(e, i, fresh, i->add_a) && is_same(e, i, fresh, i->add_b);
    bool mul_same = is_same(e, i, fresh, i->mul_a) && is_same(e, i, fresh, i->mul_b);
    if (add)
        add_result = pack_result(e, i, false, add_result_is_float(i->op_add), add, alu.nsz_add);
    if (mul)
        mul_result = pack_result(e, i, true, i->op_mul == QPU_M_FMUL, mul, alu.nsz_mul);
    add_result.plain = alu.add_plain && !i->pack;
    mul_result.plain = alu.mul_plain && !i->pack;
    add_result.same = add_same;
    mul_result.same = mul_same;
    add_result.origin = moved_origin(e, i, fresh, false);
    mul_result.origin = moved_origin(e, i, fresh, true);
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

void jit_emit_load_imm(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now)
{
    struct jit_mask add_mask = condition(e, i->cond_add), mul_mask = condition(e, i->cond_mul);
    LLVMValueRef value = immediate(e, i), args[2] = {e->core, jit_word(e, i->imm)};

    if (i->unpack == QPU_LOAD_IMM_SEMAPHORE && e->program->has_user)
        jit_count_semaphore(e, i->imm);
    else if (i->unpack == QPU_LOAD_IMM_SEMAPHORE)
        jit_call(e, offsetof(struct jit_calls, semaphore), e->t.none, args, 2); /* a fault */
    now->fresh[0] = now->fresh[1] = JIT_NO_REGISTER;
    if (i->sf && !(add_mask.never && mul_mask.never))
        jit_set_flags(e, value, LLVMConstNull(e->t.bits), add_mask.never ? &mul_mask : &add_mask);
    const bool plain = i->unpack == QPU_LOAD_IMM_32 && !i->pack && jit_float_is_plain(i->imm);
    struct jit_result add = pack_result(e, i, false, false, value, NULL);
    struct jit_result mul = pack_result(e, i, true, false, value, NULL);
    add.plain = mul.plain = plain;
    add.same = mul.same = i->unpack == QPU_LOAD_IMM_32 || i->unpack == QPU_LOAD_IMM_SEMAPHORE;
    write_result(e, i->ws, i->waddr_add, &add, &add_mask, now);
    write_result(e, !i->ws, i->waddr_mul, &mul, &mul_mask, now);
}
