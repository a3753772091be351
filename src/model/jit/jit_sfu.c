/* SPDX-License-Identifier: MIT
 *
 * Emits the special functions, as gpu_sfu.c defines them: integer arithmetic on mantissas, and linear interpolation
 * between the points of its tables. A table has at most 64 lines (segments), so that with AVX-512 it is looked up in
 * vector registers.
 */
#include "model/jit/jit_emit.h"

#define SIGN     0x80000000u
#define INFINITE 0x7f800000u
#define FRACTION 0x7fffffu

#define TABLE_LINES (1u << GPU_SFU_LOG2_LINES_MAX)

static LLVMValueRef shl(struct jit_emitter *e, LLVMValueRef a, unsigned by)
{
    return LLVMBuildShl(e->b, a, jit_splat(e, by), "");
}

static LLVMValueRef lshr(struct jit_emitter *e, LLVMValueRef a, unsigned by)
{
    return LLVMBuildLShr(e->b, a, jit_splat(e, by), "");
}

static LLVMValueRef or (struct jit_emitter * e, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildOr(e->b, a, b, "");
}

static LLVMValueRef add(struct jit_emitter *e, LLVMValueRef a, uint32_t word)
{
    return LLVMBuildAdd(e->b, a, jit_splat(e, word), "");
}

static LLVMValueRef compare(struct jit_emitter *e, LLVMIntPredicate predicate, LLVMValueRef a, uint32_t word)
{
    return jit_compare(e, predicate, a, jit_splat(e, word));
}

static LLVMValueRef constant_if(struct jit_emitter *e, LLVMValueRef bits, uint32_t word, LLVMValueRef otherwise)
{
    return jit_select(e, bits, jit_splat(e, word), otherwise);
}

static unsigned count_lines(const struct gpu_sfu_lines *lines)
{
    return lines->parts << lines->log2_count;
}

/* A function's points, or the steps between them, as constants. */
static void fill_table(struct jit_emitter *e, const struct gpu_sfu_lines *lines, bool steps,
                       LLVMValueRef out[TABLE_LINES])
{
    for (unsigned n = 0; n < count_lines(lines); n++) {
        unsigned at = n + (n >> lines->log2_count); /* each part has one point more */
        out[n] = jit_word(e, steps ? lines->points[at + 1] - lines->points[at] : lines->points[at]);
    }
}

static LLVMValueRef in_memory(struct jit_emitter *e, LLVMValueRef *words, unsigned count, LLVMValueRef *kept,
                              LLVMValueRef index)
{
    LLVMTypeRef pointers = LLVMVectorType(e->t.ptr, QPU_LANES), types[2] = {e->t.words, pointers};
    const char *name = "llvm.masked.gather";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);

    if (!*kept) {
        *kept = LLVMAddGlobal(e->module, LLVMArrayType(e->t.i32, count), "");
        LLVMSetInitializer(*kept, LLVMConstArray(e->t.i32, words, count));
        LLVMSetGlobalConstant(*kept, 1);
        LLVMSetLinkage(*kept, LLVMPrivateLinkage);
    }
    LLVMValueRef args[4] = {LLVMBuildGEP2(e->b, e->t.i32, *kept, &index, 1, ""), jit_word(e, 4),
                            LLVMConstAllOnes(e->t.bits), LLVMGetUndef(e->t.words)};
    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, types, 2), function, args, 4, "");
}

/* Looks up one of 32 words: the instruction uses the lower five bits of each index. */
static LLVMValueRef in_two_registers(struct jit_emitter *e, LLVMValueRef *words, LLVMValueRef index)
{
    const char *name = "llvm.x86.avx512.vpermi2var.d.512";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, NULL, 0);
    LLVMValueRef args[3] = {LLVMConstVector(words, 16), index, LLVMConstVector(words + 16, 16)};

    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, NULL, 0), function, args, 3, "");
}

static LLVMValueRef in_registers(struct jit_emitter *e, LLVMValueRef *words, unsigned count, LLVMValueRef index)
{
    LLVMValueRef low = in_two_registers(e, words, index);

    if (count <= 32)
        return low;
    return jit_select(e, compare(e, LLVMIntUGE, index, 32), in_two_registers(e, words + 32, index), low);
}

/* table[index] in each lane. `number`: which of the four functions. */
static LLVMValueRef look_up(struct jit_emitter *e, unsigned number, const struct gpu_sfu_lines *lines, bool steps,
                            LLVMValueRef index)
{
    LLVMValueRef words[TABLE_LINES];
    unsigned count = count_lines(lines);

    fill_table(e, lines, steps, words);
    for (unsigned n = count; n < 32; n++)
        words[n] = words[0];
    return e->has_avx512 ? in_registers(e, words, count, index)
                         : in_memory(e, words, count, &e->sfu_table[number][steps], index);
}

static LLVMValueRef splat64(struct jit_emitter *e, uint64_t number)
{
    LLVMValueRef each[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        each[l] = LLVMConstInt(e->t.i64, number, 0);
    return LLVMConstVector(each, QPU_LANES);
}

/* `part`: which part of the table, or NULL for the first. */
static LLVMValueRef interpolate(struct jit_emitter *e, unsigned number, const struct gpu_sfu_lines *lines,
                                LLVMValueRef part, LLVMValueRef fraction)
{
    LLVMTypeRef longs = LLVMVectorType(e->t.i64, QPU_LANES);
    unsigned shift = 23 - lines->log2_count;
    LLVMValueRef line = lshr(e, fraction, shift), rest = jit_and(e, fraction, (1u << shift) - 1), from, step;

    if (part)
        line = or (e, line, shl(e, part, lines->log2_count));
    from = look_up(e, number, lines, false, line);
    step = look_up(e, number, lines, true, line);
    step = LLVMBuildMul(e->b, LLVMBuildSExt(e->b, step, longs, ""), LLVMBuildZExt(e->b, rest, longs, ""), "");
    step = LLVMBuildAShr(e->b, step, splat64(e, shift), "");
    return LLVMBuildAdd(e->b, from, LLVMBuildTrunc(e->b, step, e->t.words, ""), "");
}

static LLVMValueRef exponent_of(struct jit_emitter *e, LLVMValueRef word)
{
    return jit_and(e, lshr(e, word, 23), 255);
}

/* Converts a 0.31 fixed-point value in (0.5, 1] to a float. `exponent` is right for values below 1; exactly 1 raises
 * it. */
static LLVMValueRef assemble(struct jit_emitter *e, LLVMValueRef value, LLVMValueRef exponent,
                             LLVMValueRef *exponent_out)
{
    *exponent_out = LLVMBuildAdd(e->b, exponent, lshr(e, value, 31), "");
    return or (e, shl(e, *exponent_out, 23), jit_and(e, lshr(e, value, 7), FRACTION));
}

static LLVMValueRef recip(struct jit_emitter *e, const struct gpu_sfu_lines *lines, LLVMValueRef word)
{
    LLVMValueRef sign = jit_and(e, word, SIGN), exponent = exponent_of(e, word), raised;
    LLVMValueRef value = interpolate(e, 0, lines, NULL, jit_and(e, word, FRACTION));
    LLVMValueRef result = assemble(e, value, LLVMBuildSub(e->b, jit_splat(e, 253), exponent, ""), &raised);

    result = constant_if(e, compare(e, LLVMIntSLE, raised, 0), 0, or (e, sign, result));
    result = jit_select(e, compare(e, LLVMIntEQ, exponent, 0), or (e, sign, jit_splat(e, INFINITE)), result);
    return constant_if(e, compare(e, LLVMIntEQ, exponent, 255), 0, result);
}

static LLVMValueRef rsqrt(struct jit_emitter *e, const struct gpu_sfu_lines *lines, LLVMValueRef word)
{
    LLVMValueRef biased = exponent_of(e, word), exponent = add(e, biased, 0u - 127), odd = jit_and(e, exponent, 1);
    LLVMValueRef value = interpolate(e, 1, lines, odd, jit_and(e, word, FRACTION)), raised, half, result;

    half = LLVMBuildAShr(e->b, exponent, jit_splat(e, 1), "");
    result = assemble(e, value, LLVMBuildSub(e->b, jit_splat(e, 126), half, ""), &raised);
    result = constant_if(e, compare(e, LLVMIntEQ, biased, 0), INFINITE, result);
    return constant_if(e, compare(e, LLVMIntEQ, biased, 255), 0, result);
}

/* The smaller of both, signed. */
static LLVMValueRef at_most(struct jit_emitter *e, LLVMValueRef a, uint32_t limit)
{
    return constant_if(e, compare(e, LLVMIntSGT, a, limit), limit, a);
}

static LLVMValueRef at_least_0(struct jit_emitter *e, LLVMValueRef a)
{
    return constant_if(e, compare(e, LLVMIntSLT, a, 0), 0, a);
}

static LLVMValueRef exp2_of(struct jit_emitter *e, const struct gpu_sfu_lines *lines, LLVMValueRef word)
{
    LLVMValueRef biased = exponent_of(e, word), exponent = add(e, biased, 0u - 127);
    LLVMValueRef negative = compare(e, LLVMIntSLT, word, 0);
    LLVMValueRef mantissa = or (e, jit_and(e, word, FRACTION), jit_splat(e, 0x800000u)), fixed, whole, value, result;
    LLVMValueRef left = at_most(e, at_least_0(e, exponent), 7);
    LLVMValueRef right = at_most(e, at_least_0(e, LLVMBuildNeg(e->b, exponent, "")), 31);

    fixed = LLVMBuildLShr(e->b, LLVMBuildShl(e->b, mantissa, left, ""), right, ""); /* x in .23 */
    fixed = jit_select(e, negative, LLVMBuildNeg(e->b, fixed, ""), fixed);
    whole = LLVMBuildAShr(e->b, fixed, jit_splat(e, 23), "");
    value = interpolate(e, 2, lines, NULL, jit_and(e, fixed, FRACTION));
    result = or (e, shl(e, add(e, whole, 127), 23), lshr(e, value, 8));
    result = constant_if(e, compare(e, LLVMIntSGE, whole, 128), INFINITE, result);
    result = constant_if(e, compare(e, LLVMIntSLT, whole, 0u - 126), 0, result);
    return jit_select(e, compare(e, LLVMIntSGE, exponent, 8),
                      jit_select(e, negative, jit_splat(e, 0), jit_splat(e, INFINITE)), result);
}

/* The logarithm is the exponent plus the interpolated value, which has 31 fraction bits. Integer part and fraction of
 * its magnitude are converted to floats and added. The mode of gpu_fp_enter() truncates the sum, as gpu_sfu.c does. */
static LLVMValueRef log2_of(struct jit_emitter *e, const struct gpu_sfu_tables *tables, LLVMValueRef word)
{
    LLVMValueRef biased = exponent_of(e, word), exponent = add(e, biased, 0u - 127), whole, rest, negative, sum, any;
    LLVMValueRef line = interpolate(e, 3, &tables->log2, NULL, jit_and(e, word, FRACTION)), result;

    line = jit_and(e, line, tables->log2_mask);
    line = jit_select(e, compare(e, LLVMIntSLT, exponent, 0), add(e, line, tables->log2_below_1), line);
    whole = LLVMBuildAdd(e->b, exponent, lshr(e, line, 31), "");
    rest = jit_and(e, line, ~SIGN);
    negative = compare(e, LLVMIntSLT, whole, 0);
    any = LLVMBuildSExt(e->b, compare(e, LLVMIntNE, rest, 0), e->t.words, "");
    whole = jit_select(e, negative, LLVMBuildSub(e->b, any, whole, ""), whole);
    rest = jit_select(e, negative, jit_and(e, LLVMBuildNeg(e->b, rest, ""), ~SIGN), rest);
    sum = jit_float_raw(e, JIT_FMUL, jit_itof(e, rest), jit_floats(e, jit_splat(e, 0x30000000u))); /* 2^-31 */
    sum = jit_float_raw(e, JIT_FADD, jit_itof(e, whole), sum);
    result = or (e, jit_words(e, sum), jit_select(e, negative, jit_splat(e, SIGN), jit_splat(e, 0)));
    result = constant_if(e, compare(e, LLVMIntEQ, biased, 0), SIGN | INFINITE, result);
    return constant_if(e, compare(e, LLVMIntEQ, biased, 255), INFINITE, result);
}

LLVMValueRef jit_sfu(struct jit_emitter *e, unsigned waddr, LLVMValueRef word)
{
    const struct gpu_sfu_tables *tables = e->calls->sfu_tables();

    switch (waddr) {
    case QPU_W_SFU_RECIP:
        return recip(e, &tables->recip, word);
    case QPU_W_SFU_RSQRT:
        return rsqrt(e, &tables->rsqrt, word);
    case QPU_W_SFU_EXP:
        return exp2_of(e, &tables->exp2, word);
    default:
        return log2_of(e, tables, word);
    }
}
