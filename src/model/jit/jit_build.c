/* SPDX-License-Identifier: MIT
 *
 * Helpers for building LLVM IR, shared by all files that emit code.
 */
#include "model/jit/jit_emit.h"

LLVMValueRef jit_word(struct jit_emitter *e, uint32_t word)
{
    return LLVMConstInt(e->t.i32, word, 0);
}

LLVMValueRef jit_splat(struct jit_emitter *e, uint32_t word)
{
    LLVMValueRef each[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        each[l] = jit_word(e, word);
    return LLVMConstVector(each, QPU_LANES);
}

LLVMValueRef jit_broadcast(struct jit_emitter *e, LLVMValueRef word)
{
    LLVMValueRef one = LLVMBuildInsertElement(e->b, LLVMGetUndef(e->t.words), word, jit_word(e, 0), "");

    return LLVMBuildShuffleVector(e->b, one, LLVMGetUndef(e->t.words), LLVMConstNull(e->t.words), "");
}

LLVMValueRef jit_floats(struct jit_emitter *e, LLVMValueRef words)
{
    return LLVMBuildBitCast(e->b, words, e->t.floats, "");
}

LLVMValueRef jit_words(struct jit_emitter *e, LLVMValueRef any)
{
    return LLVMBuildBitCast(e->b, any, e->t.words, "");
}

LLVMValueRef jit_get(struct jit_emitter *e, LLVMValueRef variable)
{
    return LLVMBuildLoad2(e->b, e->t.words, variable, "");
}

void jit_put(struct jit_emitter *e, unsigned reg, LLVMValueRef value, LLVMValueRef nsz)
{
    e->origin[reg] = ++e->origins;
    e->plain[reg] = false;
    e->r4_is_log &= reg != JIT_ACC + 4;
    LLVMBuildStore(e->b, value, e->reg[reg]);
    LLVMBuildStore(e->b, nsz ? nsz : value, e->nsz[reg]);
}

/* Loads the function's address from struct jit_calls at run time: host code may come from another process. */
LLVMValueRef jit_call(struct jit_emitter *e, size_t function_offset_B, LLVMTypeRef result, LLVMValueRef *args,
                      unsigned count)
{
    LLVMValueRef calls = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, calls));

    return jit_call_pointer(e, jit_load_field(e, e->t.ptr, calls, function_offset_B), result, args, count);
}

LLVMValueRef jit_call_pointer(struct jit_emitter *e, LLVMValueRef address, LLVMTypeRef result, LLVMValueRef *args,
                              unsigned count)
{
    LLVMTypeRef types[8];

    assert(count <= ARRAY_SIZE(types));
    for (unsigned n = 0; n < count; n++)
        types[n] = LLVMTypeOf(args[n]);
    return LLVMBuildCall2(e->b, LLVMFunctionType(result, types, count, 0), address, args, count, "");
}

/* -- functions of the module, and calls on cold paths -------------------------------------------------------------- */

/* This calling convention preserves half of the vector registers. */
#if defined(__x86_64__)
#define LOCAL_CONVENTION LLVMIntelOCLBICallConv
#else
#define LOCAL_CONVENTION LLVMCCallConv
#endif

LLVMValueRef jit_add_local(struct jit_emitter *e, const char *name, LLVMTypeRef type)
{
    LLVMValueRef function = LLVMAddFunction(e->module, name, type);

    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(function, LOCAL_CONVENTION);
    return function;
}

LLVMValueRef jit_call_local(struct jit_emitter *e, LLVMValueRef function, LLVMTypeRef type, LLVMValueRef *args,
                            unsigned count)
{
    LLVMValueRef call = LLVMBuildCall2(e->b, type, function, args, count, "");

    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
    return call;
}

static LLVMValueRef make_cold(struct jit_emitter *e, size_t offset_B, LLVMTypeRef type, unsigned count)
{
    LLVMBasicBlockRef back = LLVMGetInsertBlock(e->b);
    LLVMValueRef function = jit_add_local(e, "rare", type), args[8], core = e->core, result;

    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, function, ""));
    LLVMGetParams(function, args);
    e->core = args[0];
    result = jit_call(e, offset_B, LLVMGetReturnType(type), args, count);
    e->core = core;
    if (LLVMGetReturnType(type) == e->t.none)
        LLVMBuildRetVoid(e->b);
    else
        LLVMBuildRet(e->b, result);
    LLVMPositionBuilderAtEnd(e->b, back);
    return function;
}

LLVMValueRef jit_call_cold(struct jit_emitter *e, size_t offset_B, LLVMTypeRef result, LLVMValueRef *args,
                           unsigned count)
{
    LLVMTypeRef types[8];
    unsigned n = 0;

    while (n < e->cold_count && e->cold[n].offset_B != offset_B)
        n++;
    if (n == JIT_COLD_MAX)
        return jit_call(e, offset_B, result, args, count);
    for (unsigned a = 0; a < count; a++)
        types[a] = LLVMTypeOf(args[a]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    if (n == e->cold_count)
        e->cold[e->cold_count++] = (struct jit_cold){offset_B, make_cold(e, offset_B, type, count)};
    return jit_call_local(e, e->cold[n].function, type, args, count);
}

/* -- words and vectors -------------------------------------------------------------------------------------------- */

LLVMValueRef jit_intrinsic(struct jit_emitter *e, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                           unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, &type, 1);

    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, &type, 1), function, args, count, "");
}

LLVMValueRef jit_field(struct jit_emitter *e, LLVMValueRef base, size_t offset_B)
{
    LLVMValueRef offset = LLVMConstInt(e->t.i64, offset_B, 0);

    return LLVMBuildGEP2(e->b, e->t.i8, base, &offset, 1, "");
}

LLVMValueRef jit_load_field(struct jit_emitter *e, LLVMTypeRef type, LLVMValueRef base, size_t offset_B)
{
    return LLVMBuildLoad2(e->b, type, jit_field(e, base, offset_B), "");
}

LLVMValueRef jit_compare(struct jit_emitter *e, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b)
{
    return LLVMBuildICmp(e->b, predicate, a, b, "");
}

LLVMValueRef jit_select(struct jit_emitter *e, LLVMValueRef bits, LLVMValueRef yes, LLVMValueRef no)
{
    return LLVMBuildSelect(e->b, bits, yes, no, "");
}

LLVMValueRef jit_and(struct jit_emitter *e, LLVMValueRef a, uint32_t word)
{
    return LLVMBuildAnd(e->b, a, jit_splat(e, word), "");
}

LLVMBasicBlockRef jit_new_block(struct jit_emitter *e, const char *name)
{
    return LLVMAppendBasicBlockInContext(e->context, e->function, name);
}

LLVMBasicBlockRef jit_here(struct jit_emitter *e)
{
    return LLVMGetInsertBlock(e->b);
}

void jit_branch_unlikely(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef then,
                         LLVMBasicBlockRef otherwise)
{
    LLVMValueRef branch = LLVMBuildCondBr(e->b, condition, then, otherwise);
    LLVMMetadataRef weights[3] = {
        LLVMMDStringInContext2(e->context, "branch_weights", 14),
        LLVMValueAsMetadata(jit_word(e, 1)),
        LLVMValueAsMetadata(jit_word(e, 4000)),
    };

    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "prof", 4),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, weights, 3)));
}

/* -- exits --------------------------------------------------------------------------------------------------------- */

void jit_leave(struct jit_emitter *e, enum jit_exit how)
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
