/* SPDX-License-Identifier: MIT
 *
 * Emits stretches: runs of instructions that access only registers, uniforms and varyings. A stretch runs without
 * handling special float values but records whether any lane may have met one (jit_float_record()). If so, the
 * interpreter redoes the stretch from a snapshot of the registers. This relies on special values being rare and on a
 * stretch having no other side effects.
 */
#include "model/jit/jit_emit.h"

#define STRETCH_MAX 24u /* limits what is redone after a special value */

/* -- what a stretch is -------------------------------------------------------------------------------------------- */

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

/* Whether the instruction accesses only registers, uniforms and varyings, so that it can be redone. */
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

/* Number of arithmetic instructions from here up to the last float one; 0 if fewer than two are float. */
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

/* -- what a stretch touches --------------------------------------------------------------------------------------- */

/* Registers that a stretch reads or writes. SFU results count as writes of r4. */
struct touched {
    struct jit_live bits, floats, written; /* floats: read by float operations only, which ignore the sign of zero */
};

static void add_register(struct jit_live *to, unsigned reg)
{
    if (reg < JIT_ACC)
        to->file |= UINT64_C(1) << reg;
    else
        to->acc |= BIT(reg - JIT_ACC);
}

static void add_mux(struct jit_live *to, const struct qpu_instr *i, unsigned mux)
{
    if (mux < QPU_MUX_A)
        add_register(to, JIT_ACC + mux);
    else if (mux == QPU_MUX_A && i->raddr_a < 32)
        add_register(to, i->raddr_a);
    else if (mux == QPU_MUX_B && i->sig != QPU_SIG_SMALL_IMM && i->raddr_b < 32)
        add_register(to, 32 + i->raddr_b);
}

static void add_write(struct touched *t, const struct qpu_instr *i, unsigned side, unsigned waddr, bool all)
{
    unsigned reg = JIT_ACC + waddr - QPU_W_ACC0;

    if (waddr == QPU_W_NOP)
        return;
    if (waddr < 32)
        reg = 32 * side + waddr;
    else if (qpu_waddr_is_sfu(waddr))
        reg = JIT_ACC + 4;
    add_register(&t->written, reg);
    if (!all || i->pack) /* part of the old value may remain */
        add_register(&t->bits, reg);
}

static void add_reads(struct touched *t, const struct qpu_instr *i)
{
    bool fadd = i->op_add == QPU_A_FADD || i->op_add == QPU_A_FSUB;
    struct jit_live *add = fadd ? &t->floats : &t->bits, *mul = i->op_mul == QPU_M_FMUL ? &t->floats : &t->bits;

    if (i->op_add != QPU_A_NOP) {
        add_mux(add, i, i->add_a);
        add_mux(add, i, i->add_b);
    }
    if (i->op_mul != QPU_M_NOP) {
        add_mux(mul, i, i->mul_a);
        add_mux(mul, i, i->mul_b);
    }
    if (i->unpack) { /* unpacking needs the exact word */
        add_register(&t->bits, JIT_ACC + 4);
        if (i->raddr_a < 32)
            add_register(&t->bits, i->raddr_a);
    }
    if (i->sig == QPU_SIG_SMALL_IMM && i->raddr_b == QPU_SMALL_IMM_ROTATE_R5)
        add_register(&t->bits, JIT_ACC + 5);
    if (i->raddr_a == QPU_R_VARYING || (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == QPU_R_VARYING))
        add_register(&t->written, JIT_ACC + 5);
}

static void add_instr(struct touched *t, const struct qpu_instr *i)
{
    unsigned add = jit_op_cond(i, false), mul = jit_op_cond(i, true);

    if (jit_op_is_alu(i))
        add_reads(t, i);
    if (add > QPU_COND_ALWAYS || mul > QPU_COND_ALWAYS)
        t->bits.acc |= BIT(JIT_LIVE_FLAGS);
    if (i->sf)
        t->written.acc |= BIT(JIT_LIVE_FLAGS);
    if (add != QPU_COND_NEVER)
        add_write(t, i, i->ws, i->waddr_add, add == QPU_COND_ALWAYS);
    if (mul != QPU_COND_NEVER)
        add_write(t, i, !i->ws, i->waddr_mul, mul == QPU_COND_ALWAYS);
}

static struct touched find_touched(const struct jit_emitter *e, const struct jit_point *now, unsigned length)
{
    struct touched t = {0};

    for (unsigned n = 0; n < length; n++)
        add_instr(&t, &e->program->ops[now->pc + n].instr);
    if (now->sfu_delay)
        add_register(&t.written, JIT_ACC + 4);
    t.floats.file &= ~t.bits.file;
    t.floats.acc &= ~t.bits.acc;
    return t;
}

/* -- code --------------------------------------------------------------------------------------------------------- */

/* State before the stretch, from which the interpreter redoes it. */
struct snapshot {
    LLVMValueRef reg[JIT_REGISTERS], flag[FLAGS], sfu_result, uniforms, varying;
};

static void take_snapshot(struct jit_emitter *e, const struct touched *t, struct snapshot *b)
{
    *b = (struct snapshot){0};
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        if (jit_is_live(&t->bits, n))
            b->reg[n] = jit_get(e, e->reg[n]);
        else if (jit_is_live(&t->floats, n))
            b->reg[n] = jit_get(e, e->nsz[n]);
    }
    for (unsigned n = 0; n < FLAGS && (t->bits.acc | t->written.acc) & BIT(JIT_LIVE_FLAGS); n++)
        b->flag[n] = LLVMBuildLoad2(e->b, e->t.bits, e->flag[n], "");
    b->sfu_result = jit_get(e, e->sfu_result);
    b->uniforms = LLVMBuildLoad2(e->b, e->t.i32, e->uniforms, "");
    b->varying = LLVMBuildLoad2(e->b, e->t.i32, e->varying, "");
}

static void save_snapshot(struct jit_emitter *e, const struct snapshot *b, const struct jit_point *point)
{
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        if (b->reg[n])
            jit_save_register(e, n, b->reg[n]);
    }
    for (unsigned n = 0; n < FLAGS && b->flag[n]; n++)
        jit_save_flag(e, n, b->flag[n]);
    if (point->sfu_delay)
        jit_save_sfu(e, b->sfu_result);
}

static void emit_fast(struct jit_emitter *e, struct jit_point *now, unsigned length)
{
    while (length--) {
        const struct qpu_instr *i = &e->program->ops[now->pc].instr;
        e->pc = now->pc;
        if (now->sfu_delay && --now->sfu_delay == 0)
            jit_sfu_arrives(e);
        if (i->sig == QPU_SIG_LOAD_IMM)
            jit_emit_load_imm(e, i, now);
        else
            jit_emit_alu(e, i, now);
        now->pc++;
    }
}

unsigned jit_emit_stretch(struct jit_emitter *e, struct jit_point *now, unsigned branch_delay)
{
    const unsigned length = stretch_length(e, now, branch_delay);
    const struct jit_point start = *now;
    unsigned origins[JIT_REGISTERS];
    bool plain[JIT_REGISTERS];
    struct snapshot snapshot;

    if (!length)
        return 0;
    const struct touched touched = find_touched(e, now, length);
    LLVMBasicBlockRef exact = jit_new_block(e, "exact"), done = jit_new_block(e, "");
    take_snapshot(e, &touched, &snapshot);
    LLVMBuildStore(e->b, jit_splat(e, 0), e->peak);
    LLVMBuildStore(e->b, LLVMConstInt(e->t.i1, 0, 0), e->bad_uniform);
    e->special_mode = JIT_SPECIAL_DEFERRED;
    emit_fast(e, now, length);
    e->special_mode = JIT_SPECIAL_EACH;
    memcpy(origins, e->origin, sizeof origins);
    memcpy(plain, e->plain, sizeof plain);
    const bool r4_is_log = e->r4_is_log;
    jit_branch_unlikely(e, jit_float_found_special(e), exact, done);

    LLVMPositionBuilderAtEnd(e->b, exact);
    save_snapshot(e, &snapshot, &start);
    LLVMValueRef args[6] = {
        e->core,           jit_word(e, start.pc), jit_word(e, length), jit_word(e, jit_flight_of(&start)),
        snapshot.uniforms, snapshot.varying};
    jit_call_cold(e, offsetof(struct jit_calls, interpret), e->t.none, args, 6);
    if (e->program->kind == QPU_PROGRAM_USER) /* the program's code may have been unmapped */
        jit_check_fault(e);
    jit_load_registers(e, &touched.written, now->sfu_delay);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    memcpy(e->origin, origins, sizeof origins); /* the same on both paths */
    memcpy(e->plain, plain, sizeof plain);
    e->r4_is_log = r4_is_log;
    return length;
}
