/* SPDX-License-Identifier: MIT
 *
 * Emits the QPU's float arithmetic, as gpu_alu.c defines it, with the host's. Host code runs in the mode of
 * gpu_fp_enter(): rounding toward zero, denormals flushed to zero. In that mode the host's result is the chip's once -0
 * is turned into 0, except for special values: NaN or infinite operands, and sums from 2^128 up, which saturate to the
 * largest number. Special values show in the result, and those operations are redone exactly.
 *
 * LLVM must not fold constants with round-to-nearest or with denormals. So while LLVM optimises, the host's operations
 * are calls of opaque functions; jit_float_finish() then turns the calls into constrained intrinsics.
 */
#include <stdio.h>
#include "model/jit/jit_emit.h"

#define SIGN     0x80000000u
#define EXPONENT 0x7f800000u
#define FRACTION 0x007fffffu
#define LARGEST  0x7f7fffffu

static LLVMValueRef metadata(struct jit_emitter *e, const char *text)
{
    return LLVMMetadataAsValue(e->context, LLVMMDStringInContext2(e->context, text, strlen(text)));
}

static const char *const raw_names[] = {
    [JIT_FADD] = "fadd", [JIT_FSUB] = "fsub", [JIT_FMUL] = "fmul", [JIT_FDIV] = "fdiv", [JIT_FLOOR] = "floor"};

static void set_pure(struct jit_emitter *e, LLVMValueRef function)
{
    static const char *const words[] = {"nounwind", "willreturn", LLVM_VERSION_MAJOR >= 16 ? "memory" : "readnone"};

    for (unsigned n = 0; n < ARRAY_SIZE(words); n++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(words[n], strlen(words[n]));
        LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(e->context, kind, 0));
    }
}

static LLVMValueRef raw_call(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef params[2] = {e->t.floats, e->t.floats}, type = LLVMFunctionType(e->t.floats, params, count, 0);

    if (!e->raw[op]) {
        e->raw[op] = LLVMAddFunction(e->module, raw_names[op], type);
        set_pure(e, e->raw[op]);
    }
    return LLVMBuildCall2(e->b, type, e->raw[op], args, count, "");
}

LLVMValueRef jit_float_raw(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[2] = {a, b};

    return raw_call(e, op, args, 2);
}

LLVMValueRef jit_itof(struct jit_emitter *e, LLVMValueRef words)
{
    LLVMValueRef args[3] = {words, metadata(e, "round.towardzero"), metadata(e, "fpexcept.ignore")};
    LLVMTypeRef types[2] = {e->t.floats, e->t.words};
    const char *name = "llvm.experimental.constrained.sitofp";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);

    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, types, 2), function, args, 3, "");
}

/* SSE2 has no such instruction. Every host with has_umax (SSE4.1 or NEON) has one. */
LLVMValueRef jit_float_floor(struct jit_emitter *e, LLVMValueRef x)
{
    if (e->has_umax)
        return raw_call(e, JIT_FLOOR, &x, 1);
    LLVMValueRef whole = LLVMBuildFPToSI(e->b, x, e->t.words, "");
    LLVMValueRef less = LLVMBuildFCmp(e->b, LLVMRealOLT, x, jit_itof(e, whole), "");

    return jit_itof(e, LLVMBuildAdd(e->b, whole, LLVMBuildSExt(e->b, less, e->t.words, ""), ""));
}

LLVMValueRef jit_fma(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
    LLVMValueRef args[5] = {a, b, c, metadata(e, "round.towardzero"), metadata(e, "fpexcept.ignore")};

    return jit_intrinsic(e, "llvm.experimental.constrained.fma", e->t.floats, args, 5);
}

/* In round-toward-zero mode -0 + 0 is +0. */
LLVMValueRef jit_float_unsigned_zero(struct jit_emitter *e, LLVMValueRef words)
{
    return jit_words(e, jit_float_raw(e, JIT_FADD, jit_floats(e, words), jit_floats(e, jit_splat(e, 0))));
}

/* Turns denormals and -0 into 0. */
static LLVMValueRef flushed(struct jit_emitter *e, LLVMValueRef words)
{
    LLVMValueRef some = jit_compare(e, LLVMIntNE, jit_and(e, words, EXPONENT), jit_splat(e, 0));

    return jit_select(e, some, words, jit_splat(e, 0));
}

/* Flushes a constant operand, as LLVM might fold a denormal without flushing it. */
static LLVMValueRef without_denormals(struct jit_emitter *e, LLVMValueRef floats)
{
    return LLVMIsConstant(floats) ? jit_floats(e, flushed(e, jit_words(e, floats))) : floats;
}

static void finish_call(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef call)
{
    char name[64];

    LLVMPositionBuilderBefore(e->b, call);
    LLVMValueRef args[4];
    unsigned count = 0, operands = op == JIT_FLOOR ? 1 : 2;
    while (count < operands) {
        args[count] = without_denormals(e, LLVMGetOperand(call, count));
        count++;
    }
    if (op != JIT_FLOOR)
        args[count++] = metadata(e, "round.towardzero");
    args[count++] = metadata(e, "fpexcept.ignore");
    snprintf(name, sizeof name, "llvm.experimental.constrained.%s", raw_names[op]);
    LLVMReplaceAllUsesWith(call, jit_intrinsic(e, name, e->t.floats, args, count));
    LLVMInstructionEraseFromParent(call);
}

void jit_float_finish(struct jit_emitter *e)
{
    for (unsigned op = 0; op < ARRAY_SIZE(e->raw); op++) {
        LLVMUseRef use;
        if (!e->raw[op])
            continue;
        while ((use = LLVMGetFirstUse(e->raw[op])))
            finish_call(e, op, LLVMGetUser(use));
        LLVMDeleteFunction(e->raw[op]);
    }
}

/* Infinite results of infinite operands are right on the host and need no exact computation, but telling them apart
 * costs too much in general. It is done for operations on a logarithm, because powers of zero are common. */
LLVMValueRef jit_float_ignore_infinite(struct jit_emitter *e, LLVMValueRef raw)
{
    LLVMValueRef infinite = jit_compare(e, LLVMIntEQ, jit_and(e, raw, ~SIGN), jit_splat(e, EXPONENT));

    return jit_select(e, infinite, jit_splat(e, 0), raw);
}

/* Accumulates the results of a stretch into e->peak. With has_fma: the sum of their squares, in one instruction each.
 * It ends at the largest number or NaN once there was a special value, and also for magnitudes from 2^64 up, which are
 * then redone needlessly. With has_umax: the greatest magnitude, shifted left by one to drop the sign. Otherwise: the
 * OR of magnitude - LARGEST, whose sign bit tells that some magnitude was LARGEST or more. */
void jit_float_record(struct jit_emitter *e, LLVMValueRef raw)
{
    LLVMValueRef peak = jit_get(e, e->peak), doubled;

    if (e->has_fma) {
        raw = jit_floats(e, raw);
        peak = jit_words(e, jit_fma(e, raw, raw, jit_floats(e, peak)));
    } else if (e->has_umax) {
        doubled = LLVMBuildAdd(e->b, raw, raw, "");
        peak = jit_select(e, jit_compare(e, LLVMIntUGT, peak, doubled), peak, doubled);
    } else {
        raw = LLVMBuildAdd(e->b, jit_and(e, raw, ~SIGN), jit_splat(e, SIGN - LARGEST), "");
        peak = LLVMBuildOr(e->b, peak, raw, "");
    }
    LLVMBuildStore(e->b, peak, e->peak);
}

bool jit_float_is_plain(uint32_t word)
{
    uint32_t magnitude = word & ~SIGN;

    return !magnitude || (magnitude > FRACTION && magnitude <= EXPONENT);
}

void jit_float_check_uniform(struct jit_emitter *e, LLVMValueRef words)
{
    LLVMValueRef word = LLVMBuildExtractElement(e->b, words, jit_word(e, 0), ""), magnitude, denormal, nan, bad_uniform;

    magnitude = LLVMBuildAnd(e->b, word, jit_word(e, ~SIGN), "");
    denormal = LLVMBuildSub(e->b, magnitude, jit_word(e, 1), "");
    denormal = LLVMBuildICmp(e->b, LLVMIntULT, denormal, jit_word(e, FRACTION), "");
    nan = LLVMBuildICmp(e->b, LLVMIntUGT, magnitude, jit_word(e, EXPONENT), "");
    bad_uniform =
        LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->t.i1, e->bad_uniform, ""), LLVMBuildOr(e->b, denormal, nan, ""), "");
    LLVMBuildStore(e->b, bad_uniform, e->bad_uniform);
}

LLVMValueRef jit_float_found_special(struct jit_emitter *e)
{
    LLVMValueRef peak = jit_get(e, e->peak), bits;

    if (e->has_fma || e->has_umax)
        bits = jit_compare(e, LLVMIntUGE, peak, jit_splat(e, e->has_fma ? LARGEST : LARGEST << 1));
    else
        bits = jit_compare(e, LLVMIntSLT, peak, jit_splat(e, 0));
    bits = LLVMBuildBitCast(e->b, bits, e->t.i16, "");
    bits = LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstInt(e->t.i16, 0, 0), "");
    return LLVMBuildOr(e->b, bits, LLVMBuildLoad2(e->b, e->t.i1, e->bad_uniform, ""), "");
}

LLVMValueRef jit_float_fast(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef *special_out)
{
    LLVMValueRef raw = jit_words(e, jit_float_raw(e, op, jit_floats(e, a), jit_floats(e, b)));

    *special_out = jit_compare(e, LLVMIntUGE, jit_and(e, raw, ~SIGN), jit_splat(e, LARGEST));
    return raw;
}
