/* SPDX-License-Identifier: MIT
 *
 * Emits the loop of atomic operations (jit_atomic_find.c) as a call that does all lanes at once (gpu_qpu_atomic.c). If
 * the call refuses at run time because the setup words are not the usual ones, the loop itself runs.
 */
#include "model/jit/jit_emit.h"

static size_t lanes_offset(size_t field)
{
    return offsetof(struct gpu_qpu_core, atomic_lanes) + field;
}

static void put_vector(struct jit_emitter *e, LLVMValueRef words, size_t field)
{
    LLVMSetAlignment(LLVMBuildStore(e->b, words, jit_field(e, e->core, lanes_offset(field))), 64);
}

static void put_lane_0(struct jit_emitter *e, LLVMValueRef words, size_t field)
{
    LLVMValueRef word = LLVMBuildExtractElement(e->b, words, jit_word(e, 0), "");

    LLVMBuildStore(e->b, word, jit_field(e, e->core, lanes_offset(field)));
}

LLVMValueRef jit_atomic_lanes(struct jit_emitter *e, const struct jit_atomic *a)
{
    LLVMValueRef r1 = jit_get(e, e->reg[JIT_ACC + 1]), r2 = jit_get(e, e->reg[JIT_ACC + 2]);
    LLVMValueRef args[3] = {e->core, jit_word(e, a->what), jit_field(e, e->core, lanes_offset(0))};

    put_vector(e, jit_get(e, e->reg[JIT_ACC]), offsetof(struct gpu_atomic_lanes, addr));
    put_vector(e, jit_get(e, e->reg[a->data]), offsetof(struct gpu_atomic_lanes, data));
    put_vector(e, jit_get(e, e->reg[a->compare]), offsetof(struct gpu_atomic_lanes, compare));
    put_lane_0(e, r1, offsetof(struct gpu_atomic_lanes, load));
    put_lane_0(e, r2, offsetof(struct gpu_atomic_lanes, store));
    put_lane_0(e, jit_get(e, e->reg[a->scratch]), offsetof(struct gpu_atomic_lanes, read));
    LLVMValueRef done = jit_call(e, offsetof(struct jit_calls, atomic_lanes), e->t.i8, args, 3);
    return LLVMBuildICmp(e->b, LLVMIntNE, LLVMBuildAnd(e->b, done, LLVMConstInt(e->t.i8, 1, 0), ""),
                         LLVMConstInt(e->t.i8, 0, 0), "");
}

/* Sets the registers to what sixteen rounds leave in them. r0 is unchanged: it was rotated all the way round. */
void jit_atomic_registers(struct jit_emitter *e)
{
    LLVMValueRef r1 = jit_get(e, e->reg[JIT_ACC + 1]), r2 = jit_get(e, e->reg[JIT_ACC + 2]);
    LLVMValueRef row = LLVMBuildLoad2(
        e->b, e->t.words, jit_field(e, e->core, lanes_offset(offsetof(struct gpu_atomic_lanes, row))), "");

    LLVMSetAlignment(row, 64);
    jit_put(e, JIT_ACC + 1, LLVMBuildAdd(e->b, r1, jit_splat(e, QPU_LANES), ""), NULL);
    jit_put(e, JIT_ACC + 2, LLVMBuildAdd(e->b, r2, jit_splat(e, 8 * QPU_LANES), ""), NULL);
    jit_put(e, JIT_ACC + 3, row, NULL);
    jit_put(e, JIT_ACC + 5, jit_splat(e, 0), NULL);
}
