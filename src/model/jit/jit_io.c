/* SPDX-License-Identifier: MIT
 *
 * Emits accesses to peripherals. Most are calls of the interpreter's functions; those that only read or write a word or
 * a vector in a struct are emitted inline.
 */
#include "model/jit/jit_emit.h"

/* -- vectors in memory --------------------------------------------------------------------------------------------- */

static LLVMValueRef vector_in_slot(struct jit_emitter *e, unsigned n, LLVMValueRef words)
{
    LLVMSetAlignment(LLVMBuildStore(e->b, words, e->slot[n]), 64);
    return e->slot[n];
}

static LLVMValueRef vector_at(struct jit_emitter *e, LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(e->b, e->t.words, pointer, "");

    LLVMSetAlignment(load, 64);
    return load;
}

/* -- fragments ----------------------------------------------------------------------------------------------------- */

static LLVMValueRef run_field(struct jit_emitter *e, LLVMTypeRef type, size_t offset_B)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));

    return jit_load_field(e, type, run, offset_B);
}

static LLVMValueRef fragment_io(struct jit_emitter *e)
{
    return run_field(e, e->t.ptr, offsetof(struct gpu_qpu_run, fragment));
}

static LLVMValueRef fragment_row(struct jit_emitter *e, size_t offset_B)
{
    return vector_at(e, jit_field(e, fragment_io(e), offset_B));
}

/* Calls a function of struct gpu_fragment_io. */
static void call_io(struct jit_emitter *e, size_t function_offset_B, LLVMValueRef *args, unsigned count)
{
    LLVMValueRef function = jit_load_field(e, e->t.ptr, args[0], function_offset_B);

    jit_call_pointer(e, function, e->t.none, args, count);
}

/* Concatenates two vectors. */
static LLVMValueRef joined(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b, unsigned length)
{
    LLVMValueRef lanes[QPU_LANES];

    for (unsigned l = 0; l < 2 * length; l++)
        lanes[l] = jit_word(e, l);
    return LLVMBuildShuffleVector(e->b, a, b, LLVMConstVector(lanes, 2 * length), "");
}

/* The coefficients of one varying: each quad's four are in the quad's four lanes. */
static LLVMValueRef coefficients(struct jit_emitter *e, LLVMValueRef number)
{
    LLVMValueRef offset = LLVMBuildMul(e->b, LLVMBuildZExt(e->b, number, e->t.i64, ""),
                                       LLVMConstInt(e->t.i64, sizeof(struct gpu_varying), 0), "");
    LLVMTypeRef four = LLVMVectorType(LLVMGetElementType(e->t.floats), 4);
    LLVMValueRef io = fragment_io(e), of[GPU_QUADS];

    _Static_assert(sizeof(struct gpu_varying) == 16, "one vector");
    for (unsigned q = 0; q < GPU_QUADS; q++) {
        LLVMValueRef first =
            jit_load_field(e, e->t.ptr, io, offsetof(struct gpu_fragment_io, varyings) + q * sizeof(void *));
        of[q] = LLVMBuildLoad2(e->b, four, LLVMBuildGEP2(e->b, e->t.i8, first, &offset, 1, ""), "");
        LLVMSetAlignment(of[q], 4);
    }
    return joined(e, joined(e, of[0], of[1], 4), joined(e, of[2], of[3], 4), 8);
}

/* Broadcasts one coefficient to all lanes of its quad. */
static LLVMValueRef coefficient(struct jit_emitter *e, LLVMValueRef all, size_t offset_B)
{
    LLVMValueRef lanes[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        lanes[l] = jit_word(e, (l & ~3u) + (uint32_t)(offset_B / 4));
    return LLVMBuildShuffleVector(e->b, all, LLVMGetUndef(e->t.floats), LLVMConstVector(lanes, QPU_LANES), "");
}

/* As read_varying() in gpu_qpu_io.c. */
static LLVMValueRef varying_sum(struct jit_emitter *e, LLVMValueRef number, LLVMValueRef *c_out)
{
    LLVMValueRef io = fragment_io(e), varying = coefficients(e, number), dx, dy, sum;
    LLVMValueRef infinity = jit_floats(e, jit_splat(e, 0x7f800000));

    dx = jit_floats(e, vector_at(e, jit_field(e, io, offsetof(struct gpu_fragment_io, dx))));
    dy = jit_floats(e, vector_at(e, jit_field(e, io, offsetof(struct gpu_fragment_io, dy))));
    dx = jit_float_raw(e, JIT_FMUL, coefficient(e, varying, offsetof(struct gpu_varying, a)), dx);
    dy = jit_float_raw(e, JIT_FMUL, coefficient(e, varying, offsetof(struct gpu_varying, b)), dy);
    sum = jit_float_raw(e, JIT_FADD, dx, dy);
    sum = jit_select(e, LLVMBuildFCmp(e->b, LLVMRealOLT, sum, infinity, ""), sum, infinity); /* the host's minimum */
    *c_out = jit_words(e, coefficient(e, varying, offsetof(struct gpu_varying, c)));
    return jit_words(e, sum);
}

/* -- reads -------------------------------------------------------------------------------------------------------- */

static LLVMValueRef read_by_call(struct jit_emitter *e, unsigned side, unsigned raddr)
{
    LLVMValueRef args[4] = {e->core, jit_word(e, side), jit_word(e, raddr), e->slot[2]};

    jit_call(e, offsetof(struct jit_calls, read), e->t.none, args, 4);
    return vector_at(e, e->slot[2]);
}

/* A uniform whose presence the block's start has checked. */
static LLVMValueRef next_of_stream(struct jit_emitter *e)
{
    LLVMValueRef at = jit_field(e, e->stream, 4 * e->stream_taken++);

    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, e->stream_addr, jit_word(e, 4 * e->stream_taken), ""), e->uniforms);
    return LLVMBuildLoad2(e->b, e->t.i32, at, "");
}

/* A uniform after a write to the uniforms address: read from the window where uniforms were last found, or by a
 * call. */
static LLVMValueRef pop_uniform(struct jit_emitter *e)
{
    LLVMBuilderRef b = e->b;
    size_t window = offsetof(struct gpu_qpu_core, uniforms_window);
    LLVMValueRef addr = LLVMBuildLoad2(b, e->t.i32, e->uniforms, ""), offset, values[2];
    LLVMValueRef first = jit_load_field(e, e->t.i32, e->core, window + offsetof(struct gpu_window, addr));
    LLVMValueRef words_B = jit_load_field(e, e->t.i32, e->core, window + offsetof(struct gpu_window, words_B));
    LLVMBasicBlockRef from[2] = {jit_new_block(e, ""), jit_new_block(e, "")}, done = jit_new_block(e, "");

    LLVMBuildStore(b, LLVMBuildAdd(b, addr, jit_word(e, 4), ""), e->uniforms);
    offset = LLVMBuildSub(b, addr, first, "");
    jit_branch_unlikely(e, LLVMBuildICmp(b, LLVMIntUGE, offset, words_B, ""), from[1], from[0]);
    LLVMPositionBuilderAtEnd(b, from[0]);
    LLVMValueRef mem = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, mem));
    LLVMValueRef base = jit_load_field(e, e->t.ptr, mem, offsetof(struct gpu_memory, base));
    offset = LLVMBuildZExt(b, addr, e->t.i64, "");
    values[0] = LLVMBuildLoad2(b, e->t.i32, LLVMBuildGEP2(b, e->t.i8, base, &offset, 1, ""), "");
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, from[1]);
    values[1] = jit_call_cold(e, offsetof(struct jit_calls, uniform_at), e->t.i32, (LLVMValueRef[]){e->core, addr}, 2);
    jit_check_fault(e);
    from[1] = jit_here(e);
    LLVMBuildBr(b, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMValueRef word = LLVMBuildPhi(b, e->t.i32, "");
    LLVMAddIncoming(word, values, from, 2);
    return word;
}

LLVMValueRef jit_pop_uniform(struct jit_emitter *e)
{
    return e->stream_taken < e->stream_count ? next_of_stream(e) : pop_uniform(e);
}

static LLVMValueRef lane_numbers(struct jit_emitter *e)
{
    LLVMValueRef lanes[QPU_LANES];

    for (unsigned l = 0; l < QPU_LANES; l++)
        lanes[l] = jit_word(e, l);
    return LLVMConstVector(lanes, QPU_LANES);
}

static void look_for_varying(struct jit_emitter *e, unsigned side, LLVMValueRef number)
{
    LLVMBuilderRef b = e->b;
    LLVMValueRef count = jit_load_field(e, e->t.i32, fragment_io(e), offsetof(struct gpu_fragment_io, varying_count));
    LLVMBasicBlockRef good = jit_new_block(e, ""), bad = jit_new_block(e, "");

    jit_branch_unlikely(e, LLVMBuildICmp(b, LLVMIntUGE, number, count, ""), bad, good);
    LLVMPositionBuilderAtEnd(b, bad);
    LLVMBuildStore(b, number, jit_field(e, e->core, offsetof(struct gpu_qpu_core, varying)));
    read_by_call(e, side, QPU_R_VARYING); /* sets the fault */
    jit_check_fault(e);
    LLVMBuildBr(b, good);
    LLVMPositionBuilderAtEnd(b, good);
}

/* Returns the interpolated sum. Stores the constant coefficient in e->varying_c. */
static LLVMValueRef read_varying(struct jit_emitter *e, unsigned side)
{
    LLVMValueRef number = LLVMBuildLoad2(e->b, e->t.i32, e->varying, ""), c, sum;

    if (e->varyings_left)
        e->varyings_left--;
    else
        look_for_varying(e, side, number);
    LLVMBuildStore(e->b, LLVMBuildAdd(e->b, number, jit_word(e, 1), ""), e->varying);
    sum = varying_sum(e, number, &c);
    LLVMBuildStore(e->b, c, e->varying_c);
    return sum;
}

LLVMValueRef jit_read_peripheral(struct jit_emitter *e, unsigned side, unsigned raddr)
{
    bool fragment = e->program->kind == QPU_PROGRAM_FRAGMENT;

    switch (raddr) {
    case QPU_R_UNIFORM:
        return jit_broadcast(e, jit_pop_uniform(e));
    case QPU_R_ELEMENT_QPU:
        return side ? jit_broadcast(e, run_field(e, e->t.i32, offsetof(struct gpu_qpu_run, qpu))) : lane_numbers(e);
    case QPU_R_XY_PIXEL_COORD:
        if (!fragment)
            break;
        return fragment_row(e, side ? offsetof(struct gpu_fragment_io, y_px) : offsetof(struct gpu_fragment_io, x_px));
    case QPU_R_MS_REV_FLAGS:
        if (!fragment)
            break;
        return fragment_row(e, side ? offsetof(struct gpu_fragment_io, rev_flag)
                                    : offsetof(struct gpu_fragment_io, ms_flags));
    case QPU_R_VPM_BUSY:
    case QPU_R_VPM_WAIT:
        if (!e->program->has_user)
            break;
        return jit_splat(e, 0);
    case QPU_R_MUTEX_ACQUIRE: /* already taken */
        return side ? jit_broadcast(e, run_field(e, e->t.i32, offsetof(struct gpu_qpu_run, qpu))) : lane_numbers(e);
    case QPU_R_VPM:
        if (fragment && !e->program->has_user)
            break;
        jit_call(e, offsetof(struct jit_calls, vpm_read), e->t.none, (LLVMValueRef[]){e->core, e->slot[2]}, 2);
        return vector_at(e, e->slot[2]);
    case QPU_R_VARYING:
        if (!fragment)
            break;
        return read_varying(e, side);
    }
    return read_by_call(e, side, raddr);
}

/* -- writes ------------------------------------------------------------------------------------------------------- */

/* The mask as 16 bits, the form that the tile buffer's functions take. */
static LLVMValueRef lanes_of(struct jit_emitter *e, const struct jit_mask *mask)
{
    if (mask->always)
        return jit_word(e, 0xffff);
    return LLVMBuildZExt(e->b, LLVMBuildBitCast(e->b, mask->bits, e->t.i16, ""), e->t.i32, "");
}

static void write_fragment_flags(struct jit_emitter *e, unsigned side, LLVMValueRef value, const struct jit_mask *mask)
{
    size_t where = side ? offsetof(struct gpu_fragment_io, rev_flag) : offsetof(struct gpu_fragment_io, ms_flags);
    LLVMValueRef at = jit_field(e, fragment_io(e), where);

    value = jit_and(e, value, side ? 1 : 15);
    if (!mask->always)
        value = jit_select(e, mask->bits, value, vector_at(e, at));
    LLVMSetAlignment(LLVMBuildStore(e->b, value, at), 64);
}

static bool write_tile_buffer(struct jit_emitter *e, unsigned side, unsigned waddr, LLVMValueRef value,
                              const struct jit_mask *mask)
{
    LLVMValueRef args[4] = {fragment_io(e), NULL, lanes_of(e, mask), jit_word(e, waddr == QPU_W_TLB_COLOR_ALL)};

    switch (waddr) {
    case QPU_W_TLB_Z:
        args[1] = vector_in_slot(e, 0, value);
        call_io(e, offsetof(struct gpu_fragment_io, z_test), args, 3);
        return true;
    case QPU_W_TLB_COLOR_MS:
    case QPU_W_TLB_COLOR_ALL:
        args[1] = vector_in_slot(e, 0, value);
        call_io(e, offsetof(struct gpu_fragment_io, color_store), args, 4);
        return true;
    case QPU_W_MS_REV_FLAGS:
        write_fragment_flags(e, side, value, mask);
        return true;
    default:
        return false;
    }
}

/* Writes the uniforms address, which takes effect if lane 0 is written. */
static void set_uniforms(struct jit_emitter *e, LLVMValueRef addr, const struct jit_mask *mask)
{
    LLVMValueRef end = jit_field(e, e->core, offsetof(struct gpu_qpu_core, uniforms_end)), none = jit_word(e, 1);

    e->stream_count = 0;
    addr = LLVMBuildAnd(e->b, addr, jit_word(e, ~3u), "");
    if (!mask->always) {
        LLVMValueRef written = LLVMBuildExtractElement(e->b, mask->bits, jit_word(e, 0), "");
        addr = LLVMBuildSelect(e->b, written, addr, LLVMBuildLoad2(e->b, e->t.i32, e->uniforms, ""), "");
        none = LLVMBuildSelect(e->b, written, none, LLVMBuildLoad2(e->b, e->t.i32, end, ""), "");
    }
    LLVMBuildStore(e->b, addr, e->uniforms);
    LLVMBuildStore(e->b, none, end);
}

/* Emits the write inline or as a call of the register's own function. Possible where these take the mask, all lanes are
 * written, or only lane 0 counts. False: the caller must call the general function. */
static bool write_directly(struct jit_emitter *e, unsigned side, unsigned waddr, LLVMValueRef value,
                           const struct jit_mask *mask)
{
    bool vpm = e->program->kind != QPU_PROGRAM_FRAGMENT || e->program->has_user;

    if (e->program->kind == QPU_PROGRAM_FRAGMENT && write_tile_buffer(e, side, waddr, value, mask))
        return true;
    LLVMValueRef lane_0 = LLVMBuildExtractElement(e->b, value, jit_word(e, 0), ""), args[2] = {e->core, lane_0};
    if (waddr == QPU_W_VPMVCD_SETUP && vpm) {
        jit_call(e, side ? offsetof(struct jit_calls, vpm_setup_write) : offsetof(struct jit_calls, vpm_setup_read),
                 e->t.none, args, 2);
        return true;
    }
    if (waddr == QPU_W_UNIFORMS_ADDRESS && !side) {
        set_uniforms(e, lane_0, mask);
        return true;
    }
    if (waddr == QPU_W_VPM_ADDR && e->program->has_user && mask->always) {
        args[1] = vector_in_slot(e, 0, value);
        jit_call(e, side ? offsetof(struct jit_calls, dma_store) : offsetof(struct jit_calls, dma_load), e->t.none,
                 args, 2);
        return true;
    }
    return false;
}

void jit_write_peripheral(struct jit_emitter *e, unsigned side, unsigned waddr, LLVMValueRef value,
                          const struct jit_mask *mask)
{
    if (write_directly(e, side, waddr, value, mask))
        return;
    LLVMValueRef lanes = mask->always ? jit_splat(e, ~0u) : LLVMBuildSExt(e->b, mask->bits, e->t.words, "");
    if (waddr == QPU_W_VPM && (e->program->kind != QPU_PROGRAM_FRAGMENT || e->program->has_user)) {
        LLVMValueRef vpm_args[3] = {e->core, vector_in_slot(e, 0, value), vector_in_slot(e, 1, lanes)};
        jit_call(e, offsetof(struct jit_calls, vpm_write), e->t.none, vpm_args, 3);
        return;
    }
    LLVMValueRef args[5] = {e->core, jit_word(e, side), jit_word(e, waddr), vector_in_slot(e, 0, value),
                            vector_in_slot(e, 1, lanes)};

    jit_call(e, offsetof(struct jit_calls, write), e->t.none, args, 5);
}

/* -- lane-by-lane DMA ---------------------------------------------------------------------------------------------- */

void jit_move_lanes(struct jit_emitter *e, bool store)
{
    LLVMValueRef zero = jit_word(e, 0), r1 = jit_get(e, e->reg[JIT_ACC + 1]), r2 = jit_get(e, e->reg[JIT_ACC + 2]);
    LLVMValueRef args[4] = {e->core, LLVMBuildExtractElement(e->b, r1, zero, ""),
                            LLVMBuildExtractElement(e->b, r2, zero, ""),
                            vector_in_slot(e, 0, jit_get(e, e->reg[JIT_ACC]))};

    jit_call(e, store ? offsetof(struct jit_calls, dma_store_lanes) : offsetof(struct jit_calls, dma_load_lanes),
             e->t.none, args, 4);
    r2 = LLVMBuildShl(e->b, r2, jit_splat(e, 4), "");
    jit_put(e, JIT_ACC + 1, LLVMBuildAdd(e->b, r1, r2, ""), NULL);
    e->same[JIT_ACC + 1] = false;
}

/* -- signals ------------------------------------------------------------------------------------------------------ */

void jit_signal(struct jit_emitter *e, unsigned sig, struct jit_point *now)
{
    LLVMValueRef args[2] = {e->core, jit_word(e, sig)};

    switch (sig) {
    case QPU_SIG_COLOR_LOAD:
    case QPU_SIG_COLOR_LOAD_END:
        e->same[JIT_ACC + 4] = false;
        if (e->program->kind == QPU_PROGRAM_FRAGMENT) {
            call_io(e, offsetof(struct gpu_fragment_io, color_load), (LLVMValueRef[]){fragment_io(e), e->slot[2]}, 2);
            jit_put(e, JIT_ACC + 4, vector_at(e, e->slot[2]), NULL);
            break;
        }
        jit_call(e, offsetof(struct jit_calls, signal), e->t.none, args, 2);
        break;
    case QPU_SIG_LOAD_TMU0:
    case QPU_SIG_LOAD_TMU1:
        jit_tmu_read(e, sig - QPU_SIG_LOAD_TMU0, now->tmu);
        break;
    case QPU_SIG_COVERAGE_LOAD:
    case QPU_SIG_ALPHA_MASK_LOAD:
        jit_call(e, offsetof(struct jit_calls, signal), e->t.none, args, 2);
        break;
    default:
        break;
    }
}

/* -- faults ------------------------------------------------------------------------------------------------------- */

static bool read_may_fault(const struct jit_program *p, unsigned raddr)
{
    switch (raddr) {
    case QPU_R_NOP:
    case QPU_R_ELEMENT_QPU:
    case QPU_R_MUTEX_ACQUIRE:
    case QPU_R_UNIFORM: /* its own code checks for faults */
        return false;
    case QPU_R_VARYING:
        return p->kind != QPU_PROGRAM_FRAGMENT;
    case QPU_R_XY_PIXEL_COORD:
    case QPU_R_MS_REV_FLAGS:
        return p->kind != QPU_PROGRAM_FRAGMENT;
    case QPU_R_VPM_BUSY:
    case QPU_R_VPM_WAIT:
        return !p->has_user;
    default:
        return raddr > 31;
    }
}

static bool write_may_fault(const struct jit_program *p, unsigned waddr)
{
    if (p->kind == QPU_PROGRAM_FRAGMENT &&
        (waddr == QPU_W_TLB_Z || waddr == QPU_W_TLB_COLOR_MS || waddr == QPU_W_TLB_COLOR_ALL ||
         waddr == QPU_W_MS_REV_FLAGS || waddr == QPU_W_TLB_STENCIL_SETUP))
        return false;
    return waddr > 31 && waddr > QPU_W_ACC3 && waddr != QPU_W_ACC5 && waddr != QPU_W_NOP && !qpu_waddr_is_sfu(waddr) &&
           waddr != QPU_W_TMU_NOSWAP && !qpu_waddr_is_tmu(waddr); /* jit_tmu.c sets tmu_may_fault */
}

bool jit_may_fault(const struct jit_program *program, const struct qpu_instr *i)
{
    bool writes = (jit_op_cond(i, false) && write_may_fault(program, i->waddr_add)) ||
                  (jit_op_cond(i, true) && write_may_fault(program, i->waddr_mul));

    if (!jit_op_is_alu(i))
        return writes || (i->sig == QPU_SIG_LOAD_IMM && i->unpack == QPU_LOAD_IMM_SEMAPHORE && !program->has_user);
    if (read_may_fault(program, i->raddr_a) || (i->sig != QPU_SIG_SMALL_IMM && read_may_fault(program, i->raddr_b)))
        return true;
    switch (i->sig) {
    case QPU_SIG_COLOR_LOAD:
    case QPU_SIG_COLOR_LOAD_END:
        return writes || program->kind != QPU_PROGRAM_FRAGMENT;
    case QPU_SIG_COVERAGE_LOAD:
    case QPU_SIG_ALPHA_MASK_LOAD:
        return true;
    default:
        return writes;
    }
}

/* -- semaphores ---------------------------------------------------------------------------------------------------- */

static LLVMValueRef user_io(struct jit_emitter *e)
{
    LLVMValueRef run = jit_load_field(e, e->t.ptr, e->core, offsetof(struct gpu_qpu_core, run));

    return jit_load_field(e, e->t.ptr, run, offsetof(struct gpu_qpu_run, user));
}

static LLVMValueRef semaphores(struct jit_emitter *e)
{
    return jit_load_field(e, e->t.ptr, user_io(e), offsetof(struct gpu_user_io, semaphores));
}

/* How often the instruction takes or gives the semaphore. */
static LLVMValueRef semaphore_times(struct jit_emitter *e, uint32_t word)
{
    const uint8_t on_engine = gpu_qpu_semaphore_times(word, true), on_chip = gpu_qpu_semaphore_times(word, false);
    LLVMValueRef one = LLVMConstInt(e->t.i8, on_chip, 0);

    if (on_engine == on_chip)
        return one;
    LLVMValueRef is_engine = jit_load_field(e, e->t.i8, user_io(e), offsetof(struct gpu_user_io, is_engine));
    LLVMValueRef is_chip = LLVMBuildICmp(e->b, LLVMIntEQ, is_engine, LLVMConstInt(e->t.i8, 0, 0), "");
    return LLVMBuildSelect(e->b, is_chip, one, LLVMConstInt(e->t.i8, on_engine, 0), "");
}

/* Address of a semaphore's counter, a byte. */
static LLVMValueRef semaphore_at(struct jit_emitter *e, uint32_t word)
{
    return jit_field(e, semaphores(e),
                     offsetof(struct gpu_user_semaphores, count) + (word & (GPU_USER_SEMAPHORES - 1)));
}

LLVMValueRef jit_semaphore_waits(struct jit_emitter *e, uint32_t word)
{
    LLVMValueRef count = LLVMBuildLoad2(e->b, e->t.i8, semaphore_at(e, word), "");
    LLVMValueRef times = semaphore_times(e, word);

    if (word & QPU_SEMAPHORE_DECREMENT)
        return LLVMBuildICmp(e->b, LLVMIntULT, count, times, "");
    LLVMValueRef max = jit_load_field(e, e->t.i8, semaphores(e), offsetof(struct gpu_user_semaphores, max));
    return LLVMBuildICmp(e->b, LLVMIntUGT, LLVMBuildAdd(e->b, count, times, ""), max, "");
}

void jit_count_semaphore(struct jit_emitter *e, uint32_t word)
{
    LLVMValueRef at = semaphore_at(e, word), count = LLVMBuildLoad2(e->b, e->t.i8, at, "");
    LLVMValueRef times = semaphore_times(e, word);
    LLVMValueRef sum =
        word & QPU_SEMAPHORE_DECREMENT ? LLVMBuildSub(e->b, count, times, "") : LLVMBuildAdd(e->b, count, times, "");

    LLVMBuildStore(e->b, sum, at);
}
