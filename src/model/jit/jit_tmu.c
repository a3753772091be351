/* SPDX-License-Identifier: MIT
 *
 * Emits texture requests and the reads of their results, as write_tmu() and load_tmu() in gpu_qpu_io.c do. The FIFO's
 * contents are known at compile time for each point of a program (struct jit_tmu). So results are SSA values like
 * registers, and misuse of the FIFO is found while compiling.
 *
 * Request parameters are values too. They are stored to the core's port only if a call does the request, which is the
 * case for all but those of jit_tex_nearest.c. A lookup by address is a gather if the memory window of this place in
 * the program covers all lanes, and a single load if all lanes are known to have the same address.
 */
#include "model/jit/jit_emit.h"

static size_t request_offset(unsigned unit, unsigned parameter)
{
    static const size_t fields[4] = {
        offsetof(struct gpu_tmu_request, s), offsetof(struct gpu_tmu_request, t), offsetof(struct gpu_tmu_request, r),
        offsetof(struct gpu_tmu_request, b)};

    return offsetof(struct gpu_qpu_core, tmu_port) + unit * sizeof(struct gpu_tmu_port) +
           offsetof(struct gpu_tmu_port, request) + fields[parameter];
}

static size_t config_offset(unsigned unit, unsigned n)
{
    return offsetof(struct gpu_qpu_core, tmu_port) + unit * sizeof(struct gpu_tmu_port) +
           offsetof(struct gpu_tmu_port, request) + offsetof(struct gpu_tmu_request, config) + 4 * n;
}

static void misuse(struct jit_emitter *e, enum gpu_tmu_misuse how)
{
    LLVMValueRef args[2] = {e->core, jit_word(e, how)};

    jit_call(e, offsetof(struct jit_calls, misuse_tmu), e->t.none, args, 2);
    e->tmu_may_fault = true;
}

/* -- lookups by address ------------------------------------------------------------------------------------------- */

struct window {
    unsigned number;
    LLVMValueRef addr, words_B, base; /* base: host pointer to the start of the range */
};

static struct window next_window(struct jit_emitter *e)
{
    struct window w = {.number = GPU_WINDOW_HOST_CODE + e->windows++ % (GPU_WINDOWS - GPU_WINDOW_HOST_CODE)};
    size_t at = offsetof(struct gpu_qpu_core, window) + w.number * sizeof(struct gpu_window);
    LLVMValueRef mem = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, mem)), base, offset;

    w.addr = jit_load_field(e, e->t.i32, e->core, at + offsetof(struct gpu_window, addr));
    w.words_B = jit_load_field(e, e->t.i32, e->core, at + offsetof(struct gpu_window, words_B));
    base = jit_load_field(e, e->t.ptr, mem, offsetof(struct gpu_memory, base));
    offset = LLVMBuildZExt(e->b, w.addr, e->t.i64, "");
    w.base = LLVMBuildGEP2(e->b, e->t.i8, base, &offset, 1, "");
    return w;
}

static LLVMValueRef phi_of_two(struct jit_emitter *e, LLVMValueRef values[2], LLVMBasicBlockRef from[2])
{
    LLVMValueRef phi = LLVMBuildPhi(e->b, LLVMTypeOf(values[0]), "");

    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* A lookup with the same address in all lanes. */
static LLVMValueRef load_same_address(struct jit_emitter *e, LLVMValueRef addr)
{
    LLVMBuilderRef b = e->b;
    struct window w = next_window(e);
    LLVMBasicBlockRef from[2] = {jit_new_block(e, ""), jit_new_block(e, "")}, done = jit_new_block(e, "");
    LLVMValueRef at = LLVMBuildExtractElement(b, addr, jit_word(e, 0), ""), offset, values[2];

    offset = LLVMBuildSub(b, LLVMBuildAnd(b, at, jit_word(e, ~3u), ""), w.addr, "");
    jit_branch_unlikely(e, LLVMBuildICmp(b, LLVMIntUGE, offset, w.words_B, ""), from[1], from[0]);
    LLVMPositionBuilderAtEnd(b, from[0]);
    offset = LLVMBuildZExt(b, offset, e->t.i64, "");
    values[0] = LLVMBuildLoad2(b, e->t.i32, LLVMBuildGEP2(b, e->t.i8, w.base, &offset, 1, ""), "");
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, from[1]);
    LLVMValueRef args[3] = {e->core, jit_word(e, w.number), at};
    values[1] = jit_call_cold(e, offsetof(struct jit_calls, load_word), e->t.i32, args, 3);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    return jit_broadcast(e, phi_of_two(e, values, from));
}

LLVMValueRef jit_gather(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef offsets)
{
    LLVMTypeRef pointers = LLVMVectorType(e->t.ptr, QPU_LANES), types[2] = {e->t.words, pointers};
    const char *name = "llvm.masked.gather";
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(e->module, id, types, 2);
    LLVMValueRef all = LLVMConstAllOnes(e->t.bits);
    LLVMValueRef args[4] = {LLVMBuildGEP2(e->b, e->t.i8, base, &offsets, 1, ""), jit_word(e, 4), all,
                            LLVMConstNull(e->t.words)};

    return LLVMBuildCall2(e->b, LLVMIntrinsicGetType(e->context, id, types, 2), function, args, 4, "");
}

static LLVMValueRef lane_offsets(struct jit_emitter *e)
{
    LLVMValueRef lanes[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        lanes[l] = jit_word(e, 4 * l);
    return LLVMConstVector(lanes, QPU_LANES);
}

/* A gather loads each word separately, so consecutive words are loaded as one vector instead. */
static LLVMValueRef load_in_window(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef offsets)
{
    LLVMBuilderRef b = e->b;
    LLVMBasicBlockRef from[2] = {jit_new_block(e, ""), jit_new_block(e, "")}, done = jit_new_block(e, "");
    LLVMValueRef first = LLVMBuildExtractElement(b, offsets, jit_word(e, 0), ""), values[2], row;

    row = jit_compare(e, LLVMIntEQ, offsets, LLVMBuildAdd(b, jit_broadcast(e, first), lane_offsets(e), ""));
    row = LLVMBuildBitCast(b, row, e->t.i16, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, row, LLVMConstInt(e->t.i16, 0xffff, 0), ""), from[0], from[1]);
    LLVMPositionBuilderAtEnd(b, from[0]);
    first = LLVMBuildZExt(b, first, e->t.i64, "");
    values[0] = LLVMBuildLoad2(b, e->t.words, LLVMBuildGEP2(b, e->t.i8, base, &first, 1, ""), "");
    LLVMSetAlignment(values[0], 4);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, from[1]);
    values[1] = jit_gather(e, base, offsets);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    return phi_of_two(e, values, from);
}

static LLVMValueRef load_lanes(struct jit_emitter *e, LLVMValueRef addr)
{
    LLVMBuilderRef b = e->b;
    struct window w = next_window(e);
    LLVMBasicBlockRef from[2] = {jit_new_block(e, ""), jit_new_block(e, "")}, done = jit_new_block(e, "");
    LLVMValueRef offsets = LLVMBuildSub(b, jit_and(e, addr, ~3u), jit_broadcast(e, w.addr), ""), values[2], inside;

    inside = jit_compare(e, LLVMIntULT, offsets, jit_broadcast(e, w.words_B));
    inside = LLVMBuildBitCast(b, inside, e->t.i16, "");
    jit_branch_unlikely(e, LLVMBuildICmp(b, LLVMIntNE, inside, LLVMConstInt(e->t.i16, 0xffff, 0), ""), from[1],
                        from[0]);
    LLVMPositionBuilderAtEnd(b, from[0]);
    values[0] = load_in_window(e, w.base, offsets);
    from[0] = jit_here(e);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, from[1]);
    LLVMSetAlignment(LLVMBuildStore(b, addr, e->slot[0]), 64);
    LLVMValueRef args[4] = {e->core, jit_word(e, w.number), e->slot[0], e->slot[2]};
    jit_call_cold(e, offsetof(struct jit_calls, load_words), e->t.none, args, 4);
    values[1] = jit_get(e, e->slot[2]);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    return phi_of_two(e, values, from);
}

/* -- requests ----------------------------------------------------------------------------------------------------- */

static void push(struct jit_emitter *e, unsigned unit, struct jit_tmu *tmu, LLVMValueRef result, bool same,
                 unsigned params)
{
    LLVMBuildStore(e->b, result, e->tmu_result[unit][tmu->count]);
    e->tmu_same[unit][tmu->count] = same;
    jit_tmu_push(tmu, params);
}

static void look_up_address(struct jit_emitter *e, unsigned unit, struct jit_tmu *tmu, LLVMValueRef addr, bool same)
{
    if (jit_tmu_has_room(tmu, 1))
        push(e, unit, tmu, same ? load_same_address(e, addr) : load_lanes(e, addr), same, 1);
    else
        misuse(e, GPU_TMU_FULL);
}

static LLVMValueRef config(struct jit_emitter *e, unsigned unit, unsigned n)
{
    return LLVMBuildLoad2(e->b, e->t.i32, e->tmu_config[unit][n], "");
}

/* Stores the parameters written so far for the next request to the core. */
static void store_request(struct jit_emitter *e, unsigned unit, const struct jit_tmu *tmu)
{
    for (unsigned n = 0; n < 4; n++) {
        if (tmu->written >> n & 1)
            LLVMSetAlignment(LLVMBuildStore(e->b, jit_get(e, e->tmu_parameter[unit][n]),
                                            jit_field(e, e->core, request_offset(unit, n))), 64);
    }
    for (unsigned n = 0; n < tmu->configs; n++)
        LLVMBuildStore(e->b, config(e, unit, n), jit_field(e, e->core, config_offset(unit, n)));
}

/* `is_cold`: the call is a fallback for an inline lookup. */
static LLVMValueRef sample_by_call(struct jit_emitter *e, unsigned unit, const struct jit_tmu *tmu, bool is_cold)
{
    LLVMValueRef args[3] = {e->core, jit_word(e, unit), e->slot[2]};
    size_t configs = config_offset(unit, 0) - offsetof(struct gpu_tmu_request, config) +
                     offsetof(struct gpu_tmu_request, configs);

    store_request(e, unit, tmu);
    for (unsigned n = 0; n < 4; n++) {
        if (!(tmu->written >> n & 1))
            LLVMSetAlignment(LLVMBuildStore(e->b, jit_splat(e, 0), jit_field(e, e->core, request_offset(unit, n))), 64);
    }
    LLVMBuildStore(e->b, jit_word(e, tmu->configs), jit_field(e, e->core, configs));
    (is_cold ? jit_call_cold : jit_call)(e, offsetof(struct jit_calls, sample), e->t.none, args, 3);
    jit_check_fault(e);
    return jit_get(e, e->slot[2]);
}

static LLVMValueRef sample_nearest(struct jit_emitter *e, unsigned unit, const struct jit_tmu *tmu)
{
    struct jit_request request;
    LLVMValueRef values[2];

    for (unsigned n = 0; n < 2; n++) {
        request.parameter[n] = jit_get(e, e->tmu_parameter[unit][n]);
        request.config[n] = config(e, unit, n);
        request.origin[n] = e->tmu_origin[unit][n];
    }
    if (e->plan->count > 1)
        return jit_tex_nearest_call(e, &request);
    LLVMBasicBlockRef from[2], by_call = jit_new_block(e, ""), done = jit_new_block(e, "");
    values[0] = jit_tex_nearest(e, &request, by_call, &from[0]);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, by_call);
    values[1] = sample_by_call(e, unit, tmu, true);
    from[1] = jit_here(e);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
    return phi_of_two(e, values, from);
}

static void sample(struct jit_emitter *e, unsigned unit, struct jit_tmu *tmu)
{
    bool has_only_st = tmu->configs == 2 && tmu->written == 3; /* S and T */

    if (!jit_tmu_has_room(tmu, tmu->configs)) {
        misuse(e, GPU_TMU_FULL);
        return;
    }
    push(e, unit, tmu,
         has_only_st && e->inlines_nearest ? sample_nearest(e, unit, tmu) : sample_by_call(e, unit, tmu, false), false,
         tmu->configs);
    tmu->configs = tmu->written = 0;
}

void jit_tmu_write(struct jit_emitter *e, unsigned waddr, const struct jit_result *result, const struct jit_mask *mask,
                   struct jit_tmu tmus[2])
{
    unsigned unit = waddr >= QPU_W_TMU1_S, parameter = waddr & 3;
    struct jit_tmu *tmu = &tmus[unit];
    LLVMValueRef value = result->value;

    if (!mask->always)
        value = jit_select(e, mask->bits, value, jit_splat(e, GPU_POISON));
    if (!parameter && !tmu->configs) {
        look_up_address(e, unit, tmu, value, result->same && mask->always);
        return;
    }
    LLVMBuildStore(e->b, value, e->tmu_parameter[unit][parameter]);
    e->tmu_origin[unit][parameter] = mask->always && result->origin ? result->origin : ++e->origins;
    if (tmu->configs == ARRAY_SIZE(((struct gpu_tmu_request *)0)->config)) {
        misuse(e, GPU_TMU_TOO_MANY);
        return;
    }
    LLVMBuildStore(e->b, jit_pop_uniform(e), e->tmu_config[unit][tmu->configs]);
    tmu->configs++;
    tmu->written |= (uint8_t)BIT(parameter);
    if (!parameter)
        sample(e, unit, tmu);
}

void jit_tmu_read(struct jit_emitter *e, unsigned unit, struct jit_tmu tmus[2])
{
    struct jit_tmu *tmu = &tmus[unit];

    if (!tmu->count) {
        misuse(e, GPU_TMU_EMPTY);
        return;
    }
    jit_put(e, JIT_ACC + 4, jit_get(e, e->tmu_result[unit][0]), NULL);
    e->same[JIT_ACC + 4] = e->tmu_same[unit][0];
    jit_tmu_pop(tmu);
    for (unsigned n = 0; n < tmu->count; n++) {
        LLVMBuildStore(e->b, jit_get(e, e->tmu_result[unit][n + 1]), e->tmu_result[unit][n]);
        e->tmu_same[unit][n] = e->tmu_same[unit][n + 1];
    }
}

/* -- saving and restoring ------------------------------------------------------------------------------------------ */

static LLVMValueRef result_slot(struct jit_emitter *e, unsigned unit, unsigned n)
{
    return jit_field(e, e->core, offsetof(struct gpu_qpu_core, tmu_port) + unit * sizeof(struct gpu_tmu_port) +
                                     offsetof(struct gpu_tmu_port, result) + n * sizeof(union gpu_vec));
}

void jit_tmu_save(struct jit_emitter *e, const struct jit_tmu tmus[2])
{
    for (unsigned unit = 0; unit < 2; unit++) {
        for (unsigned n = 0; n < tmus[unit].count; n++)
            LLVMSetAlignment(LLVMBuildStore(e->b, jit_get(e, e->tmu_result[unit][n]), result_slot(e, unit, n)), 64);
        store_request(e, unit, &tmus[unit]);
    }
}

static void load_request(struct jit_emitter *e, unsigned unit, const struct jit_tmu *tmu)
{
    for (unsigned n = 0; n < 4; n++) {
        if (tmu->written >> n & 1)
            LLVMBuildStore(e->b, jit_load_vector(e, e->core, request_offset(unit, n)), e->tmu_parameter[unit][n]);
    }
    for (unsigned n = 0; n < tmu->configs; n++)
        LLVMBuildStore(e->b, jit_load_field(e, e->t.i32, e->core, config_offset(unit, n)), e->tmu_config[unit][n]);
}

void jit_tmu_restore(struct jit_emitter *e, const struct jit_tmu tmus[2])
{
    for (unsigned unit = 0; unit < 2; unit++) {
        for (unsigned n = 0; n < tmus[unit].count; n++) {
            LLVMValueRef load = LLVMBuildLoad2(e->b, e->t.words, result_slot(e, unit, n), "");
            LLVMSetAlignment(load, 64);
            LLVMBuildStore(e->b, load, e->tmu_result[unit][n]);
        }
        load_request(e, unit, &tmus[unit]);
    }
}
