/* SPDX-License-Identifier: MIT
 *
 * Moves registers, flags, stream positions and pending effects between the variables of host code and the core. Used
 * where host code is entered or left, and around calls of the interpreter.
 */
#include "model/jit/jit_emit.h"

/* -- registers and flags ------------------------------------------------------------------------------------------ */

static size_t file_offset(unsigned n)
{
    return offsetof(struct gpu_qpu_core, file) + n * sizeof(union gpu_vec);
}

static size_t flag_offset(unsigned n)
{
    return offsetof(struct gpu_qpu_core, flags) + n * sizeof(union gpu_vec);
}

LLVMValueRef jit_load_vector(struct jit_emitter *e, LLVMValueRef base, size_t offset_B)
{
    LLVMValueRef load = jit_load_field(e, e->t.words, base, offset_B);

    LLVMSetAlignment(load, 64);
    return load;
}

static void store_vector(struct jit_emitter *e, LLVMValueRef words, size_t offset_B)
{
    LLVMSetAlignment(LLVMBuildStore(e->b, words, jit_field(e, e->core, offset_B)), 64);
}

void jit_store_number(struct jit_emitter *e, LLVMTypeRef type, uint32_t number, size_t offset_B)
{
    LLVMBuildStore(e->b, LLVMConstInt(type, number, 0), jit_field(e, e->core, offset_B));
}

/* The lanes whose number has a bit set: the flags' poison. */
static LLVMValueRef lane_bits(struct jit_emitter *e, unsigned bit)
{
    LLVMValueRef each[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        each[l] = LLVMConstInt(e->t.i1, l >> bit & 1, 0);
    return LLVMConstVector(each, QPU_LANES);
}

/* As lose_accumulators() in gpu_qpu.c. */
void jit_lose_accumulators(struct jit_emitter *e)
{
    for (unsigned n = 0; n < JIT_ACCUMULATORS; n++)
        jit_put(e, JIT_ACC + n, jit_splat(e, GPU_POISON), NULL);
    for (unsigned n = 0; n < FLAGS; n++)
        LLVMBuildStore(e->b, lane_bits(e, n), e->flag[n]);
}

void jit_clear_state(struct jit_emitter *e)
{
    for (unsigned n = 0; n < JIT_FILE_REGISTERS; n++)
        jit_put(e, n, jit_splat(e, GPU_POISON), NULL);
    LLVMBuildStore(e->b, jit_splat(e, GPU_POISON), e->sfu_result);
    jit_lose_accumulators(e);
}

void jit_save_register(struct jit_emitter *e, unsigned reg, LLVMValueRef value)
{
    if (reg < JIT_ACC)
        store_vector(e, value, file_offset(reg));
    else
        store_vector(e, value, offsetof(struct gpu_qpu_core, acc) + (reg - JIT_ACC) * sizeof(union gpu_vec));
}

void jit_save_flag(struct jit_emitter *e, unsigned n, LLVMValueRef bits)
{
    store_vector(e, LLVMBuildSExt(e->b, bits, e->t.words, ""), flag_offset(n));
}

void jit_save_sfu(struct jit_emitter *e, LLVMValueRef value)
{
    store_vector(e, value, offsetof(struct gpu_qpu_core, sfu_result));
}

bool jit_is_live(const struct jit_live *live, unsigned reg)
{
    return reg < JIT_ACC ? live->file >> reg & 1 : live->acc >> (reg - JIT_ACC) & 1;
}

void jit_save_state(struct jit_emitter *e, const struct jit_live *live, bool sfu)
{
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        if (jit_is_live(live, n))
            jit_save_register(e, n, jit_get(e, e->reg[n]));
    }
    for (unsigned n = 0; n < FLAGS && live->acc & BIT(JIT_LIVE_FLAGS); n++)
        jit_save_flag(e, n, LLVMBuildLoad2(e->b, e->t.bits, e->flag[n], ""));
    if (sfu)
        jit_save_sfu(e, jit_get(e, e->sfu_result));
}

void jit_load_registers(struct jit_emitter *e, const struct jit_live *live, bool sfu)
{
    for (unsigned n = 0; n < JIT_REGISTERS; n++) {
        size_t acc = offsetof(struct gpu_qpu_core, acc) + (n - JIT_ACC) * sizeof(union gpu_vec);
        if (jit_is_live(live, n))
            jit_put(e, n, jit_load_vector(e, e->core, n < JIT_ACC ? file_offset(n) : acc), NULL);
    }
    for (unsigned n = 0; n < FLAGS && live->acc & BIT(JIT_LIVE_FLAGS); n++) {
        LLVMValueRef words = jit_load_vector(e, e->core, flag_offset(n));
        LLVMBuildStore(e->b, jit_compare(e, LLVMIntNE, words, jit_splat(e, 0)), e->flag[n]);
    }
    if (sfu)
        LLVMBuildStore(e->b, jit_load_vector(e, e->core, offsetof(struct gpu_qpu_core, sfu_result)), e->sfu_result);
}

void jit_load_state(struct jit_emitter *e, const struct jit_live *live, bool sfu)
{
    jit_clear_state(e);
    jit_load_registers(e, live, sfu);
}

void jit_load_streams(struct jit_emitter *e)
{
    LLVMValueRef addr = jit_load_field(e, e->t.i32, e->core, offsetof(struct gpu_qpu_core, uniforms_addr));

    LLVMBuildStore(e->b, LLVMBuildAnd(e->b, addr, jit_word(e, ~3u), ""), e->uniforms);
    LLVMBuildStore(e->b, jit_load_field(e, e->t.i32, e->core, offsetof(struct gpu_qpu_core, varying)), e->varying);
}

void jit_save_streams(struct jit_emitter *e)
{
    LLVMValueRef addr = LLVMBuildLoad2(e->b, e->t.i32, e->uniforms, "");
    LLVMValueRef varying = LLVMBuildLoad2(e->b, e->t.i32, e->varying, "");

    LLVMBuildStore(e->b, addr, jit_field(e, e->core, offsetof(struct gpu_qpu_core, uniforms_addr)));
    LLVMBuildStore(e->b, varying, jit_field(e, e->core, offsetof(struct gpu_qpu_core, varying)));
}

/* -- pending effects ----------------------------------------------------------------------------------------------- */

void jit_sfu_arrives(struct jit_emitter *e)
{
    jit_put(e, JIT_ACC + 4, jit_get(e, e->sfu_result), NULL);
    e->same[JIT_ACC + 4] = e->same_sfu;
    e->plain[JIT_ACC + 4] = e->plain_sfu;
    e->r4_is_log = e->sfu_is_log;
}

uint32_t jit_flight_of(const struct jit_point *point)
{
    return jit_flight(point->sfu_delay, point->switch_delay, point->end_delay, point->fresh);
}
