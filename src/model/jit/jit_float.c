/* SPDX-License-Identifier: MIT
 *
 * The QPU's float arithmetic on the host's, as gpu_alu.c defines it. Runs in the mode of gpu_fp_enter(): toward zero,
 * denormals count as zero. So the host's result needs no more than -0 made 0, but in corners: NaN and infinity among
 * the operands, and sums of 2^128 and more, which come as the largest number. They are seen in the result and take the
 * exact way.
 *
 * LLVM must fold nothing to nearest, or with denormals. So while it optimises, the host's operations are calls of
 * functions that it knows nothing of; afterwards they become constrained intrinsics.
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

/* SSE2 has no such instruction; where 32-bit words have a greatest, there is one. */
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

/* -0 + 0 is 0 toward zero. */
LLVMValueRef jit_float_unsigned_zero(struct jit_emitter *e, LLVMValueRef words)
{
    return jit_words(e, jit_float_raw(e, JIT_FADD, jit_floats(e, words), jit_floats(e, jit_splat(e, 0))));
}

/* Denormals and -0 as 0. */
static LLVMValueRef flushed(struct jit_emitter *e, LLVMValueRef words)
{
    LLVMValueRef some = jit_compare(e, LLVMIntNE, jit_and(e, words, EXPONENT), jit_splat(e, 0));

    return jit_select(e, some, words, jit_splat(e, 0));
}

/* A constant may be a denormal, which LLVM would fold as what it is. */
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

/* Infinite results of infinite operands are what they are on the host: no corners, but noting them apart costs too much
 * for all. Logarithms of zero are worth it: powers of zero are common. */
LLVMValueRef jit_float_but_infinite(struct jit_emitter *e, LLVMValueRef raw)
{
    LLVMValueRef infinite = jit_compare(e, LLVMIntEQ, jit_and(e, raw, ~SIGN), jit_splat(e, EXPONENT));

    return jit_select(e, infinite, jit_splat(e, 0), raw);
}

/* With fused operations the sum of squares, in one: it stays at the largest number once it is there, or NaN; from 2^64
 * on magnitudes count as corners. Otherwise the greatest magnitude so far, without its sign, which leaves to the left;
 * where there is no greatest of unsigned words, bits of which the sign says that some magnitude was one too many. */
void jit_float_note(struct jit_emitter *e, LLVMValueRef raw)
{
    LLVMValueRef worst = jit_get(e, e->worst), doubled;

    if (e->has_fma) {
        raw = jit_floats(e, raw);
        worst = jit_words(e, jit_fma(e, raw, raw, jit_floats(e, worst)));
    } else if (e->has_umax) {
        doubled = LLVMBuildAdd(e->b, raw, raw, "");
        worst = jit_select(e, jit_compare(e, LLVMIntUGT, worst, doubled), worst, doubled);
    } else {
        raw = LLVMBuildAdd(e->b, jit_and(e, raw, ~SIGN), jit_splat(e, SIGN - LARGEST), "");
        worst = LLVMBuildOr(e->b, worst, raw, "");
    }
    LLVMBuildStore(e->b, worst, e->worst);
}

bool jit_float_is_plain(uint32_t word)
{
    uint32_t magnitude = word & ~SIGN;

    return !magnitude || (magnitude > FRACTION && magnitude <= EXPONENT);
}

void jit_float_note_uniform(struct jit_emitter *e, LLVMValueRef words)
{
    LLVMValueRef word = LLVMBuildExtractElement(e->b, words, jit_word(e, 0), ""), magnitude, denormal, nan, odd;

    magnitude = LLVMBuildAnd(e->b, word, jit_word(e, ~SIGN), "");
    denormal = LLVMBuildSub(e->b, magnitude, jit_word(e, 1), "");
    denormal = LLVMBuildICmp(e->b, LLVMIntULT, denormal, jit_word(e, FRACTION), "");
    nan = LLVMBuildICmp(e->b, LLVMIntUGT, magnitude, jit_word(e, EXPONENT), "");
    odd = LLVMBuildOr(e->b, LLVMBuildLoad2(e->b, e->t.i1, e->odd, ""), LLVMBuildOr(e->b, denormal, nan, ""), "");
    LLVMBuildStore(e->b, odd, e->odd);
}

LLVMValueRef jit_float_noted(struct jit_emitter *e)
{
    LLVMValueRef worst = jit_get(e, e->worst), bits;

    if (e->has_fma || e->has_umax)
        bits = jit_compare(e, LLVMIntUGE, worst, jit_splat(e, e->has_fma ? LARGEST : LARGEST << 1));
    else
        bits = jit_compare(e, LLVMIntSLT, worst, jit_splat(e, 0));
    bits = LLVMBuildBitCast(e->b, bits, e->t.i16, "");
    bits = LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstInt(e->t.i16, 0, 0), "");
    return LLVMBuildOr(e->b, bits, LLVMBuildLoad2(e->b, e->t.i1, e->odd, ""), "");
}

LLVMValueRef jit_float_fast(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef *corner_out)
{
    LLVMValueRef raw = jit_words(e, jit_float_raw(e, op, jit_floats(e, a), jit_floats(e, b)));

    *corner_out = jit_compare(e, LLVMIntUGE, jit_and(e, raw, ~SIGN), jit_splat(e, LARGEST));
    return raw;
}
