/* SPDX-License-Identifier: MIT
 *
 * Emits the operations of the add and multiply units, as gpu_alu.c defines them, and their carry flags.
 */
#include "model/jit/jit_emit.h"

#define SIGN 0x80000000u

/* -- helpers ------------------------------------------------------------------------------------------------------- */

static LLVMValueRef low5(struct jit_emitter *e, LLVMValueRef a)
{
    return jit_and(e, a, 31);
}

/* Integer minimum or maximum; `takes_b` selects which, and whether signed. */
static LLVMValueRef choose(struct jit_emitter *e, LLVMIntPredicate takes_b, LLVMValueRef a, LLVMValueRef b)
{
    return jit_select(e, jit_compare(e, takes_b, a, b), b, a);
}

/* Maps floats to integers in the order -NaN < -Inf < ... < +NaN, with both zeros equal. */
static LLVMValueRef ordered_int(struct jit_emitter *e, LLVMValueRef word)
{
    LLVMValueRef sign = LLVMBuildAShr(e->b, word, jit_splat(e, 31), "");

    return LLVMBuildSub(e->b, LLVMBuildXor(e->b, jit_and(e, word, ~SIGN), sign, ""), sign, "");
}

static LLVMValueRef is_greater(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    return jit_compare(e, LLVMIntSGT, ordered_int(e, a), ordered_int(e, b));
}

static LLVMValueRef ftoi(struct jit_emitter *e, LLVMValueRef word)
{
    LLVMValueRef magnitude = jit_and(e, word, ~SIGN), zero = jit_splat(e, 0);
    LLVMValueRef is_small = jit_compare(e, LLVMIntULT, magnitude, jit_splat(e, 0x4f000000u)); /* 2^31 */
    LLVMValueRef is_large = jit_compare(e, LLVMIntULT, magnitude, jit_splat(e, 0x4f800000u));
    LLVMValueRef small = LLVMBuildFPToSI(e->b, jit_floats(e, jit_select(e, is_small, word, zero)), e->t.words, "");
    LLVMValueRef large = LLVMBuildOr(e->b, LLVMBuildShl(e->b, word, jit_splat(e, 8), ""), jit_splat(e, SIGN), "");
    LLVMValueRef negative = jit_compare(e, LLVMIntSLT, word, zero);

    large = jit_select(e, negative, LLVMBuildNeg(e->b, large, ""), large);
    large = jit_select(e, is_large, large, zero);
    return jit_select(e, is_small, small, large);
}

static LLVMValueRef call_binary(struct jit_emitter *e, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};

    return jit_intrinsic(e, name, LLVMTypeOf(a), args, 2);
}

static LLVMValueRef clz(struct jit_emitter *e, LLVMValueRef a)
{
    LLVMValueRef args[2] = {a, LLVMConstInt(e->t.i1, 0, 0)};

    return jit_intrinsic(e, "llvm.ctlz", e->t.words, args, 2);
}

static LLVMValueRef ror(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[3] = {a, a, b};

    return jit_intrinsic(e, "llvm.fshr", e->t.words, args, 3);
}

/* A binary intrinsic on each byte. */
static LLVMValueRef bytes(struct jit_emitter *e, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    return jit_words(
        e, call_binary(e, name, LLVMBuildBitCast(e->b, a, e->t.bytes, ""), LLVMBuildBitCast(e->b, b, e->t.bytes, "")));
}

static LLVMValueRef half_constant(struct jit_emitter *e, unsigned value)
{
    LLVMValueRef each[4 * QPU_LANES];

    for (unsigned n = 0; n < ARRAY_SIZE(each); n++)
        each[n] = LLVMConstInt(e->t.i16, value, 0);
    return LLVMConstVector(each, ARRAY_SIZE(each));
}

static LLVMValueRef v8muld(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef x = LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, a, e->t.bytes, ""), e->t.halves, "");
    LLVMValueRef y = LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, b, e->t.bytes, ""), e->t.halves, "");
    LLVMValueRef eight = half_constant(e, 8);
    LLVMValueRef dividend = LLVMBuildAdd(e->b, LLVMBuildMul(e->b, x, y, ""), half_constant(e, 127), "");
    LLVMValueRef sum = LLVMBuildAdd(e->b, dividend, half_constant(e, 1), "");

    sum = LLVMBuildAdd(e->b, sum, LLVMBuildLShr(e->b, dividend, eight, ""), "");
    return jit_words(e, LLVMBuildTrunc(e->b, LLVMBuildLShr(e->b, sum, eight, ""), e->t.bytes, ""));
}

/* -- units -------------------------------------------------------------------------------------------------------- */

static LLVMValueRef poison(struct jit_emitter *e)
{
    return jit_splat(e, GPU_POISON);
}

/* All operations except fadd and fsub. */
static LLVMValueRef add_unit(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMBuilderRef build = e->b;

    switch (op) {
    case QPU_A_FMIN:
        return jit_select(e, is_greater(e, a, b), b, a);
    case QPU_A_FMAX:
        return jit_select(e, is_greater(e, a, b), a, b);
    case QPU_A_FMINABS:
        return choose(e, LLVMIntUGT, jit_and(e, a, ~SIGN), jit_and(e, b, ~SIGN));
    case QPU_A_FMAXABS:
        return choose(e, LLVMIntULT, jit_and(e, a, ~SIGN), jit_and(e, b, ~SIGN));
    case QPU_A_FTOI:
        return ftoi(e, a);
    case QPU_A_ITOF:
        return jit_words(e, jit_itof(e, a));
    case QPU_A_ADD:
        return LLVMBuildAdd(build, a, b, "");
    case QPU_A_SUB:
        return LLVMBuildSub(build, a, b, "");
    case QPU_A_SHR:
        return LLVMBuildLShr(build, a, low5(e, b), "");
    case QPU_A_ASR:
        return LLVMBuildAShr(build, a, low5(e, b), "");
    case QPU_A_ROR:
        return ror(e, a, b);
    case QPU_A_SHL:
        return LLVMBuildShl(build, a, low5(e, b), "");
    case QPU_A_MIN:
        return choose(e, LLVMIntSGT, a, b);
    case QPU_A_MAX:
        return choose(e, LLVMIntSLT, a, b);
    case QPU_A_AND:
        return LLVMBuildAnd(build, a, b, "");
    case QPU_A_OR:
        return LLVMBuildOr(build, a, b, "");
    case QPU_A_XOR:
        return LLVMBuildXor(build, a, b, "");
    case QPU_A_NOT:
        return LLVMBuildNot(build, a, "");
    case QPU_A_CLZ:
        return clz(e, a);
    case QPU_A_V8ADDS:
        return bytes(e, "llvm.uadd.sat", a, b);
    case QPU_A_V8SUBS:
        return bytes(e, "llvm.usub.sat", a, b);
    default: /* reserved opcodes: gpu_add_fn has no function */
        return poison(e);
    }
}

/* All operations except fmul. */
static LLVMValueRef mul_unit(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b)
{
    switch (op) {
    case QPU_M_MUL24:
        return LLVMBuildMul(e->b, jit_and(e, a, 0xffffff), jit_and(e, b, 0xffffff), "");
    case QPU_M_V8MULD:
        return v8muld(e, a, b);
    case QPU_M_V8MIN:
        return bytes(e, "llvm.umin", a, b);
    case QPU_M_V8MAX:
        return bytes(e, "llvm.umax", a, b);
    case QPU_M_V8ADDS:
        return bytes(e, "llvm.uadd.sat", a, b);
    default:
        return bytes(e, "llvm.usub.sat", a, b);
    }
}

/* -- float operations and special values --------------------------------------------------------------------------- */

static LLVMValueRef call_exact(struct jit_emitter *e, unsigned add_op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[5] = {e->core, jit_word(e, add_op), e->slot[0], e->slot[1], e->slot[2]};

    LLVMSetAlignment(LLVMBuildStore(e->b, a, e->slot[0]), 64);
    LLVMSetAlignment(LLVMBuildStore(e->b, b, e->slot[1]), 64);
    jit_call_cold(e, offsetof(struct jit_calls, exact), e->t.none, args, 5);
    return jit_load_vector(e, e->slot[2], 0);
}

static LLVMValueRef any_lane(struct jit_emitter *e, LLVMValueRef bits)
{
    return LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildBitCast(e->b, bits, e->t.i16, ""), LLVMConstInt(e->t.i16, 0, 0), "");
}

static LLVMValueRef merge(struct jit_emitter *e, LLVMValueRef fast, LLVMBasicBlockRef from_fast, LLVMValueRef slow,
                          LLVMBasicBlockRef from_slow)
{
    LLVMValueRef phi = LLVMBuildPhi(e->b, e->t.words, "");
    LLVMValueRef values[2] = {fast, slow};
    LLVMBasicBlockRef from[2] = {from_fast, from_slow};

    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* Whether the operation is a move (an or-like operation of equal operands), which keeps the sign of a zero. */
static bool is_move(unsigned op, unsigned or_like, unsigned a, unsigned b)
{
    return op == or_like && a == b;
}

/* `may_be_infinite`: infinite results are likely and need no special handling. */
static LLVMValueRef float_op(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b,
                             bool may_be_infinite, LLVMValueRef *special_out)
{
    LLVMValueRef raw;

    raw = jit_float_fast(e, op, a, b, special_out);
    if (e->special_mode == JIT_SPECIAL_DEFERRED)
        jit_float_record(e, may_be_infinite ? jit_float_ignore_infinite(e, raw) : raw);
    return raw;
}

/* If any lane of either ALU may have special values, both ALUs' operations are redone exactly, by calls. */
static void handle_special(struct jit_emitter *e, const struct qpu_instr *i, LLVMValueRef const nsz[8],
                           LLVMValueRef const special[2], struct jit_alu_results *out)
{
    bool fadd = i->op_add == QPU_A_FADD || i->op_add == QPU_A_FSUB, fmul = i->op_mul == QPU_M_FMUL;
    LLVMValueRef both = fadd && fmul ? LLVMBuildOr(e->b, special[0], special[1], "") : special[fmul];
    LLVMValueRef slow_add = NULL, slow_mul = NULL;
    LLVMBasicBlockRef here = jit_here(e), exact = jit_new_block(e, "exact"), done = jit_new_block(e, "");

    jit_branch_unlikely(e, any_lane(e, both), exact, done);
    LLVMPositionBuilderAtEnd(e->b, exact);
    if (fadd)
        slow_add = call_exact(e, i->op_add, nsz[i->add_a], nsz[i->add_b]);
    if (fmul)
        slow_mul = call_exact(e, QPU_A_NOP, nsz[i->mul_a], nsz[i->mul_b]);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    if (fadd)
        out->nsz_add = merge(e, out->nsz_add, here, slow_add, exact);
    if (fmul)
        out->nsz_mul = merge(e, out->nsz_mul, here, slow_mul, exact);
}

/* Host comparison for plain operands: apart from the sign of zero it orders them as the chip does. */
static LLVMValueRef plain_min_max(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef x = jit_floats(e, a), y = jit_floats(e, b), above = LLVMBuildFCmp(e->b, LLVMRealOGT, x, y, "");

    return jit_words(e, op == QPU_A_FMIN ? jit_select(e, above, y, x) : jit_select(e, above, x, y));
}

/* Whether both operands may be treated as plain. If special values are handled at the end of a stretch, a uniform is
 * assumed to be plain, and a check of its value is emitted. */
static bool assume_plain(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in)
{
    enum jit_known a = in->known[i->add_a], b = in->known[i->add_b];

    if (a == JIT_ANYTHING || b == JIT_ANYTHING)
        return false;
    if ((a == JIT_UNIFORM || b == JIT_UNIFORM) && e->special_mode != JIT_SPECIAL_DEFERRED)
        return false;
    if (a == JIT_UNIFORM)
        jit_float_check_uniform(e, in->mux[i->add_a]);
    if (b == JIT_UNIFORM && i->add_b != i->add_a)
        jit_float_check_uniform(e, in->mux[i->add_b]);
    return true;
}

static void add_half(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in,
                     struct jit_alu_results *out)
{
    LLVMValueRef const *mux = in->mux, *nsz = in->nsz;

    if ((i->op_add == QPU_A_FMIN || i->op_add == QPU_A_FMAX) && assume_plain(e, i, in)) {
        out->add = plain_min_max(e, i->op_add, mux[i->add_a], mux[i->add_b]);
        out->nsz_add = plain_min_max(e, i->op_add, nsz[i->add_a], nsz[i->add_b]);
        out->add_plain = true;
        return;
    }
    out->add = add_unit(e, i->op_add, mux[i->add_a], mux[i->add_b]);
    out->add_plain = i->op_add == QPU_A_ITOF;
    if (is_move(i->op_add, QPU_A_OR, i->add_a, i->add_b)) {
        out->nsz_add = nsz[i->add_a];
        out->add_plain = in->known[i->add_a] == JIT_PLAIN;
    }
}

static void mul_half(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in,
                     struct jit_alu_results *out)
{
    out->mul = mul_unit(e, i->op_mul, in->mux[i->mul_a], in->mux[i->mul_b]);
    if (is_move(i->op_mul, QPU_M_V8MIN, i->mul_a, i->mul_b)) {
        out->nsz_mul = in->nsz[i->mul_a];
        out->mul_plain = in->known[i->mul_a] == JIT_PLAIN;
    }
}

void jit_alu(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in,
             struct jit_alu_results *out)
{
    bool fadd = i->op_add == QPU_A_FADD || i->op_add == QPU_A_FSUB, fmul = i->op_mul == QPU_M_FMUL;
    enum jit_float_op add_op = i->op_add == QPU_A_FADD ? JIT_FADD : JIT_FSUB;
    LLVMValueRef const *nsz = in->nsz;
    LLVMValueRef special[2];

    *out = (struct jit_alu_results){.add_plain = fadd, .mul_plain = fmul};
    if (fadd)
        out->nsz_add = float_op(e, add_op, nsz[i->add_a], nsz[i->add_b], false, &special[0]);
    else if (i->op_add != QPU_A_NOP)
        add_half(e, i, in, out);
    if (fmul)
        out->nsz_mul = float_op(e, JIT_FMUL, nsz[i->mul_a], nsz[i->mul_b],
                                e->r4_is_log && (i->mul_a == QPU_MUX_R4 || i->mul_b == QPU_MUX_R4), &special[1]);
    else if (i->op_mul != QPU_M_NOP)
        mul_half(e, i, in, out);
    if ((fadd || fmul) && e->special_mode == JIT_SPECIAL_EACH)
        handle_special(e, i, nsz, special, out);
    if (fadd)
        out->add = jit_float_unsigned_zero(e, out->nsz_add);
    if (fmul)
        out->mul = jit_float_unsigned_zero(e, out->nsz_mul);
}

/* -- flags -------------------------------------------------------------------------------------------------------- */

static LLVMValueRef no_bits(struct jit_emitter *e)
{
    return LLVMConstNull(e->t.bits);
}

/* The last bit shifted out; 0 for a shift by 0. */
static LLVMValueRef carry_of_shift(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b, bool left)
{
    LLVMValueRef by = low5(e, b), one = jit_splat(e, 1), zero = jit_splat(e, 0), at;

    at = left ? LLVMBuildSub(e->b, zero, by, "") : LLVMBuildSub(e->b, by, one, "");
    a = jit_and(e, LLVMBuildLShr(e->b, a, low5(e, at), ""), 1);
    return LLVMBuildAnd(e->b, jit_compare(e, LLVMIntNE, a, zero), jit_compare(e, LLVMIntNE, by, zero), "");
}

LLVMValueRef jit_add_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef result)
{
    switch (op) {
    case QPU_A_FADD:
    case QPU_A_FSUB:
        return jit_compare(e, LLVMIntSGT, result, jit_splat(e, 0));
    case QPU_A_FMIN:
    case QPU_A_FMAX:
        return is_greater(e, a, b);
    case QPU_A_FMINABS:
    case QPU_A_FMAXABS:
        return jit_compare(e, LLVMIntUGT, jit_and(e, a, ~SIGN), jit_and(e, b, ~SIGN));
    case QPU_A_ITOF:
        return jit_compare(e, LLVMIntSGT, a, jit_splat(e, 0));
    case QPU_A_ADD:
        return jit_compare(e, LLVMIntULT, result, a);
    case QPU_A_SUB:
        return jit_compare(e, LLVMIntULT, a, b);
    case QPU_A_SHR:
    case QPU_A_ASR:
        return carry_of_shift(e, a, b, false);
    case QPU_A_SHL:
        return carry_of_shift(e, a, b, true);
    case QPU_A_MIN:
    case QPU_A_MAX:
        return jit_compare(e, LLVMIntSGT, a, b);
    default:
        return no_bits(e);
    }
}

LLVMValueRef jit_mul_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef wide = LLVMVectorType(e->t.i64, QPU_LANES);
    LLVMValueRef product;

    if (op != QPU_M_MUL24)
        return no_bits(e);
    a = LLVMBuildZExt(e->b, jit_and(e, a, 0xffffff), wide, "");
    b = LLVMBuildZExt(e->b, jit_and(e, b, 0xffffff), wide, "");
    product = LLVMBuildMul(e->b, a, b, "");
    LLVMValueRef limit[QPU_LANES];
    for (unsigned l = 0; l < QPU_LANES; l++)
        limit[l] = LLVMConstInt(e->t.i64, UINT32_MAX, 0);
    return jit_compare(e, LLVMIntUGT, product, LLVMConstVector(limit, QPU_LANES));
}

LLVMValueRef jit_add_saturate(struct jit_emitter *e, unsigned op, unsigned pack, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef result)
{
    bool halves = pack == QPU_PACK_A_16A || pack == QPU_PACK_A_16B;
    LLVMValueRef low = jit_splat(e, (uint32_t)(halves ? INT16_MIN : INT32_MIN)), zero = jit_splat(e, 0);
    LLVMValueRef high = jit_splat(e, (uint32_t)(halves ? INT16_MAX : INT32_MAX)), other, over;

    if (op != QPU_A_ADD && op != QPU_A_SUB)
        return result;
    other = LLVMBuildXor(e->b, b, op == QPU_A_ADD ? result : a, "");
    over = LLVMBuildAnd(e->b, LLVMBuildXor(e->b, a, result, ""), other, "");
    return jit_select(e, jit_compare(e, LLVMIntSLT, over, zero),
                      jit_select(e, jit_compare(e, LLVMIntSLT, b, zero), low, high), result);
}
