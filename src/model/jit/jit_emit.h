/* SPDX-License-Identifier: MIT
 *
 * Private header of the files that emit LLVM IR for a QPU program. The QPU's state is in variables (allocas) that LLVM
 * promotes to SSA values: a register is a vector of 16 words, a flag a vector of 16 bits.
 */
#ifndef JIT_EMIT_H
#define JIT_EMIT_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>
#include "model/jit/jit_plan.h"

enum jit_float_op { JIT_FADD, JIT_FSUB, JIT_FMUL, JIT_FDIV, JIT_FLOOR, JIT_FLOAT_OPS };

#define JIT_FILE_REGISTERS 64u
#define JIT_ACC            JIT_FILE_REGISTERS /* number of r0 among all registers */
#define JIT_ACCUMULATORS   6u
#define JIT_REGISTERS      (JIT_FILE_REGISTERS + JIT_ACCUMULATORS)

struct jit_block {
    struct jit_point point;
    LLVMBasicBlockRef at;
    unsigned resume; /* number of its resume point, or 0 */
    LLVMBasicBlockRef resume_at;
    bool is_entered; /* the interpreter may enter here: JIT_LOOP_POINT */
    bool is_exit;    /* in another piece: the code goes there */
};

/* A group of requests that probably use the same texture (jit_tex_nearest.c). */
#define JIT_TEX_GROUPS        4u
#define JIT_TEX_GROUP_MEMBERS 8u
struct jit_tex_group {
    LLVMValueRef p0, p1, usable, texels;
    /* the fields of struct gpu_nearest, broadcast to all lanes */
    LLVMValueRef size[2], repeats[2], count[2], beyond[2];
    LLVMValueRef column[4], row[2], flip, flip_odd, row_shift, odd, row_B, opaque;
    unsigned s[JIT_TEX_GROUP_MEMBERS], t[JIT_TEX_GROUP_MEMBERS], members; /* s, t: origins of the coordinates */
};

struct jit_types {
    LLVMTypeRef none, i1, i8, i16, i32, i64, ptr;
    LLVMTypeRef words, floats, bits, bytes, halves; /* 16 words, floats, bits; 64 bytes, 64 halves */
};

/* How code handles special values of float operations (jit_float.c): after each instruction, or once at the end of a
 * stretch (jit_stretch.c), from what `peak` has recorded. */
enum jit_special_mode { JIT_SPECIAL_EACH, JIT_SPECIAL_DEFERRED };

/* Functions of the module that make a call on a cold path. Their calling convention preserves more registers, so that
 * the calling code spills less. */
#define JIT_COLD_MAX 16u
struct jit_cold {
    size_t offset_B; /* in struct jit_calls */
    LLVMValueRef function;
};

struct jit_emitter {
    const struct jit_program *program;
    const struct jit_plan *plan;
    uint32_t piece;                     /* the function's code */
    const struct jit_calls *calls;      /* only sfu_tables is used while compiling */
    bool has_avx512, has_umax, has_fma; /* has_umax: a maximum of unsigned 32-bit words */
    enum jit_special_mode special_mode;
    LLVMValueRef peak, bad_uniform; /* jit_float_record(); an i1: a uniform assumed to be plain is not */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function, core, point;
    struct jit_types t;

    /* Variables. `nsz` (no signed zeros, as LLVM's flag) equals `reg`, except that a zero may have either sign. Float
     * operations read it, which saves the work of clearing the sign. `flag`: z, n, c. */
    LLVMValueRef reg[JIT_REGISTERS], nsz[JIT_REGISTERS], flag[3], sfu_result;
    LLVMValueRef tmu_result[2][GPU_TMU_FIFO]; /* the oldest first */
    LLVMValueRef tmu_parameter[2][4], tmu_config[2][4]; /* of the next request: S, T, R, B; its uniforms in order */
    /* While emitting a block: the values known to be the same in all lanes. */
    bool same[JIT_REGISTERS], same_sfu, tmu_same[2][GPU_TMU_FIFO];
    bool plain[JIT_REGISTERS], plain_sfu; /* floats, neither NaN nor denormal in any lane */
    bool r4_is_log, sfu_is_log;           /* a logarithm, which may be -Inf: in r4, on its way to r4 */
    LLVMValueRef sfu_table[4][2];         /* points and steps of each function, as globals (hosts without AVX-512) */
    /* Value numbers: equal numbers mean equal values. Different numbers mean nothing. */
    unsigned origin[JIT_REGISTERS], tmu_origin[2][4], origins;
    struct jit_tex_group tex_group[JIT_TEX_GROUPS];
    unsigned next_tex_group, tex_group_count;  /* groups begun in this block, and in all blocks so far */
    bool inlines_nearest;                      /* emit nearest lookups inline (jit_tex_nearest_is_worth) */
    bool tmu_may_fault;                        /* this instruction misuses a texture unit, which may set a fault */
    unsigned windows;                          /* memory windows assigned so far */
    LLVMValueRef uniforms, varying, varying_c; /* address of the next, number of the next, next value of r5 */
    /* While emitting a block: the streams that its start has checked (jit_streams.c). */
    LLVMValueRef stream, stream_addr;    /* its uniforms: host pointer and bus address */
    unsigned stream_taken, stream_count; /* uniforms read so far, and checked */
    unsigned varyings_left;
    uint32_t pc;          /* of the instruction being emitted */
    LLVMValueRef slot[3]; /* stack memory to pass vectors to calls */
    struct jit_cold cold[JIT_COLD_MAX];
    unsigned cold_count;
    LLVMValueRef nearest;            /* the function of jit_tex_nearest_call(), or NULL */
    LLVMValueRef raw[JIT_FLOAT_OPS]; /* opaque functions for the host's operations, until jit_float_finish() */
    LLVMBasicBlockRef entry, fault_exit, dispatch;
    LLVMValueRef dispatch_switch, fault_pc;

    struct jit_block *blocks;
    unsigned block_count, block_capacity, emitted;
    unsigned resumes;
    const char *message; /* if set, compilation has failed */
};

/* The lanes in which a condition holds. */
struct jit_mask {
    bool never, always;
    LLVMValueRef bits; /* unless never or always */
};

/* -- jit_emit.c -- */
/* Emits the function `name` into the module; false with emitter->message. */
bool jit_emit(struct jit_emitter *e, const char *name);

/* -- jit_state.c -- */
/* Loads 16 words, aligned to 64 bytes, from the core or another struct. */
LLVMValueRef jit_load_vector(struct jit_emitter *e, LLVMValueRef base, size_t offset_B);
void jit_store_number(struct jit_emitter *e, LLVMTypeRef type, uint32_t number, size_t offset_B);
void jit_clear_state(struct jit_emitter *e); /* poisons all registers and flags */
void jit_lose_accumulators(struct jit_emitter *e);
bool jit_is_live(const struct jit_live *live, unsigned reg);
/* `sfu`: also the SFU result on its way to r4. */
void jit_save_state(struct jit_emitter *e, const struct jit_live *live, bool sfu);
void jit_load_state(struct jit_emitter *e, const struct jit_live *live, bool sfu);     /* poisons the rest */
void jit_load_registers(struct jit_emitter *e, const struct jit_live *live, bool sfu); /* keeps the rest */
void jit_save_register(struct jit_emitter *e, unsigned reg, LLVMValueRef value);
void jit_save_flag(struct jit_emitter *e, unsigned n, LLVMValueRef bits);
void jit_save_sfu(struct jit_emitter *e, LLVMValueRef value);
void jit_load_streams(struct jit_emitter *e);
void jit_save_streams(struct jit_emitter *e);
uint32_t jit_flight_of(const struct jit_point *point);
void jit_sfu_arrives(struct jit_emitter *e);

/* -- jit_leave.c -- */
/* Saves the whole state in the form of the interpreter, which may go on from there. Dead registers are not saved. */
void jit_save_point(struct jit_emitter *e, const struct jit_point *point);

/* -- jit_stretch.c -- */
/* Emits the stretch that begins here, if any. Returns its length, or 0. `branch_delay`: instructions left before a
 * pending branch takes effect. */
unsigned jit_emit_stretch(struct jit_emitter *e, struct jit_point *now, unsigned branch_delay);

/* -- jit_streams.c -- */
/* At the start of a block: checks that its uniforms and varyings are available, or returns JIT_BAILOUT. */
void jit_find_streams(struct jit_emitter *e, const struct jit_point *point);

/* -- jit_build.c -- */
void jit_check_fault(struct jit_emitter *e); /* returns JIT_FAULT if the core has a fault */
void jit_leave(struct jit_emitter *e, enum jit_exit how);
LLVMValueRef jit_word(struct jit_emitter *e, uint32_t word);          /* i32 */
LLVMValueRef jit_splat(struct jit_emitter *e, uint32_t word);         /* 16 words */
LLVMValueRef jit_broadcast(struct jit_emitter *e, LLVMValueRef word); /* an i32 to 16 words */
LLVMValueRef jit_floats(struct jit_emitter *e, LLVMValueRef words);
LLVMValueRef jit_words(struct jit_emitter *e, LLVMValueRef any);    /* from floats or bytes */
LLVMValueRef jit_get(struct jit_emitter *e, LLVMValueRef variable); /* 16 words */
/* Writes a register. `nsz` NULL: same as `value`. The caller must update e->same[]. */
void jit_put(struct jit_emitter *e, unsigned reg, LLVMValueRef value, LLVMValueRef nsz);
/* Calls the function at an offset in struct jit_calls. */
LLVMValueRef jit_call(struct jit_emitter *e, size_t function_offset_B, LLVMTypeRef result, LLVMValueRef *args,
                      unsigned count);
/* A function of the module with a calling convention that preserves half of the vector registers. */
LLVMValueRef jit_add_local(struct jit_emitter *e, const char *name, LLVMTypeRef type);
LLVMValueRef jit_call_local(struct jit_emitter *e, LLVMValueRef function, LLVMTypeRef type, LLVMValueRef *args,
                            unsigned count);
/* As jit_call(), for a cold path. */
LLVMValueRef jit_call_cold(struct jit_emitter *e, size_t function_offset_B, LLVMTypeRef result, LLVMValueRef *args,
                           unsigned count);
LLVMValueRef jit_call_pointer(struct jit_emitter *e, LLVMValueRef address, LLVMTypeRef result, LLVMValueRef *args,
                              unsigned count);
LLVMValueRef jit_intrinsic(struct jit_emitter *e, const char *name, LLVMTypeRef type, LLVMValueRef *args,
                           unsigned count);
LLVMValueRef jit_field(struct jit_emitter *e, LLVMValueRef base, size_t offset_B); /* a pointer */
LLVMValueRef jit_load_field(struct jit_emitter *e, LLVMTypeRef type, LLVMValueRef base, size_t offset_B);
LLVMValueRef jit_compare(struct jit_emitter *e, LLVMIntPredicate predicate, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef jit_select(struct jit_emitter *e, LLVMValueRef bits, LLVMValueRef yes, LLVMValueRef no);
LLVMValueRef jit_and(struct jit_emitter *e, LLVMValueRef a, uint32_t word);
LLVMBasicBlockRef jit_new_block(struct jit_emitter *e, const char *name);
/* A branch to `then` that is hardly ever taken. */
void jit_branch_unlikely(struct jit_emitter *e, LLVMValueRef condition, LLVMBasicBlockRef then,
                         LLVMBasicBlockRef otherwise);
LLVMBasicBlockRef jit_here(struct jit_emitter *e);

/* -- jit_instr.c -- */
enum { FLAG_Z, FLAG_N, FLAG_C, FLAGS };

void jit_set_flags(struct jit_emitter *e, LLVMValueRef result, LLVMValueRef carry, const struct jit_mask *mask);
LLVMValueRef jit_branch_taken(struct jit_emitter *e, unsigned cond);
void jit_emit_alu(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now);
void jit_emit_load_imm(struct jit_emitter *e, const struct qpu_instr *i, struct jit_point *now);

/* -- jit_alu.c -- */
struct jit_result {
    LLVMValueRef value, nsz; /* nsz NULL: same as value */
    uint32_t bits;           /* the bits of each lane that are written */
    bool same;               /* in all lanes */
    bool plain;              /* as in struct jit_emitter */
    unsigned origin;         /* value number if this is a move; 0: a new value */
};
/* What is known about an operand. JIT_UNIFORM: its value can be checked at run time. */
enum jit_known { JIT_ANYTHING, JIT_UNIFORM, JIT_PLAIN };
/* Results of both ALUs, exact and nsz (see struct jit_emitter); any may be NULL. */
struct jit_alu_results {
    LLVMValueRef add, mul, nsz_add, nsz_mul;
    bool add_plain, mul_plain;
};
struct jit_operands {
    LLVMValueRef mux[8], nsz[8];
    enum jit_known known[8];
};
void jit_alu(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in,
             struct jit_alu_results *out);
LLVMValueRef jit_add_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef result);
LLVMValueRef jit_mul_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef jit_add_saturate(struct jit_emitter *e, unsigned op, unsigned pack, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef result);

/* -- jit_float.c -- */
/* An nsz result. `special_out`: lanes in which special values may have been involved. */
LLVMValueRef jit_float_fast(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef *special_out);
/* Records in e->peak whether a host result may involve special values. */
void jit_float_record(struct jit_emitter *e, LLVMValueRef raw);
LLVMValueRef jit_float_ignore_infinite(struct jit_emitter *e, LLVMValueRef raw); /* 0 for infinities */
void jit_float_check_uniform(struct jit_emitter *e, LLVMValueRef words); /* records a uniform that is not plain */
bool jit_float_is_plain(uint32_t word);
LLVMValueRef jit_float_found_special(struct jit_emitter *e);      /* an i1: any recorded */
LLVMValueRef jit_itof(struct jit_emitter *e, LLVMValueRef words); /* floats */
LLVMValueRef jit_float_floor(struct jit_emitter *e, LLVMValueRef x); /* for magnitudes below 2^31 */
LLVMValueRef jit_fma(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c); /* needs has_fma */
LLVMValueRef jit_float_unsigned_zero(struct jit_emitter *e, LLVMValueRef words);             /* turns -0 into 0 */
/* The host's operation on floats. */
LLVMValueRef jit_float_raw(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b);
void jit_float_finish(struct jit_emitter *e); /* after LLVM's passes */

/* -- jit_pack.c -- */
LLVMValueRef jit_unpack(struct jit_emitter *e, unsigned mode, bool to_float, LLVMValueRef in);
struct jit_result jit_pack_a(struct jit_emitter *e, unsigned mode, bool is_float, LLVMValueRef in);
struct jit_result jit_pack_mul(struct jit_emitter *e, unsigned mode, LLVMValueRef in, LLVMValueRef nsz);

/* -- jit_sfu.c -- */
LLVMValueRef jit_sfu(struct jit_emitter *e, unsigned waddr, LLVMValueRef word);

/* -- jit_io.c -- */
LLVMValueRef jit_pop_uniform(struct jit_emitter *e); /* an i32 */
LLVMValueRef jit_read_peripheral(struct jit_emitter *e, unsigned side, unsigned raddr);
void jit_write_peripheral(struct jit_emitter *e, unsigned side, unsigned waddr, LLVMValueRef value,
                          const struct jit_mask *mask);
void jit_signal(struct jit_emitter *e, unsigned sig, struct jit_point *now);
/* i1: whether an increment or decrement of a semaphore would block. */
LLVMValueRef jit_semaphore_waits(struct jit_emitter *e, uint32_t word);
/* Increments or decrements a semaphore that is known not to block. */
void jit_count_semaphore(struct jit_emitter *e, uint32_t word);

/* -- jit_atomic.c -- */
/* Emits the call for an atomic loop; its result tells whether it was done. Then jit_atomic_registers() sets the
 * registers. */
LLVMValueRef jit_atomic_lanes(struct jit_emitter *e, const struct jit_atomic *atomic);
void jit_atomic_registers(struct jit_emitter *e);

/* -- jit_tmu.c -- */
void jit_tmu_write(struct jit_emitter *e, unsigned waddr, const struct jit_result *result, const struct jit_mask *mask,
                   struct jit_tmu tmus[2]);
LLVMValueRef jit_gather(struct jit_emitter *e, LLVMValueRef base, LLVMValueRef offsets);
void jit_tmu_read(struct jit_emitter *e, unsigned unit, struct jit_tmu tmus[2]); /* to r4 */
void jit_tmu_save(struct jit_emitter *e, const struct jit_tmu tmus[2]);
void jit_tmu_restore(struct jit_emitter *e, const struct jit_tmu tmus[2]);

/* -- jit_tex_nearest.c -- */
bool jit_tex_nearest_is_worth(const struct jit_emitter *e);
/* A request with S and T only; `origin`: their value numbers. jit_tex_nearest() emits the lookup: the code branches to
 * `by_call` if the texture is not suitable, and otherwise ends in block *from_out with the result. */
struct jit_request {
    LLVMValueRef parameter[2], config[2];
    unsigned origin[2];
};
LLVMValueRef jit_tex_nearest(struct jit_emitter *e, const struct jit_request *r, LLVMBasicBlockRef by_call,
                             LLVMBasicBlockRef *from_out);
/* The same by a function of the module, with its check for a fault. */
LLVMValueRef jit_tex_nearest_call(struct jit_emitter *e, const struct jit_request *r);
void jit_move_lanes(struct jit_emitter *e, bool store); /* the sequence found by jit_program_moves_lanes() */
/* Whether an instruction may call a function that sets a fault. */
bool jit_may_fault(const struct jit_program *program, const struct qpu_instr *i);

#endif
