/* SPDX-License-Identifier: MIT
 *
 * From a program to LLVM's IR: what the files that emit share. All state of the QPU is in variables (allocas) that LLVM
 * turns into SSA values: registers as 16 words, flags as 16 bits.
 */
#ifndef JIT_EMIT_H
#define JIT_EMIT_H

#include <llvm-c/Core.h>
#include <llvm/Config/llvm-config.h>
#include <string.h>
#include "model/jit/jit_program.h"

enum jit_float_op { JIT_FADD, JIT_FSUB, JIT_FMUL, JIT_FDIV, JIT_FLOOR, JIT_FLOAT_OPS };

#define JIT_FILE_REGISTERS 64u
#define JIT_ACC            JIT_FILE_REGISTERS /* number of r0 among all registers */
#define JIT_ACCUMULATORS   6u
#define JIT_REGISTERS      (JIT_FILE_REGISTERS + JIT_ACCUMULATORS)
#define JIT_NO_REGISTER    0xffu

/* What is in a texture unit's FIFO: results by the parameters of their requests, and the parameters of the next. */
struct jit_tmu {
    uint8_t count, params[GPU_TMU_FIFO];
    uint8_t configs, written; /* uniforms taken; a bit for each of S, T, R, B */
};

/* Where code stands: an instruction, and what earlier ones have started that is not over yet. Code is emitted once for
 * each that occurs. */
struct jit_point {
    uint32_t pc;
    uint8_t sfu_delay, switch_delay, end_delay; /* as in struct gpu_qpu_core */
    uint8_t fresh[2];                           /* registers that the last instruction wrote; matter to this one only */
    struct jit_tmu tmu[2];
};

struct jit_block {
    struct jit_point point;
    LLVMBasicBlockRef at;
    unsigned resume; /* number of its resume point, or 0 */
    LLVMBasicBlockRef resume_at;
    bool is_entered; /* as the head of a loop, too */
};

/* Requests that are likely to be of one texture (jit_tex_nearest.c). */
#define JIT_NEAR_GROUPS  4u
#define JIT_NEAR_MEMBERS 8u
struct jit_near {
    LLVMValueRef p0, p1, usable, texels;
    /* the fields of struct gpu_nearest in all lanes */
    LLVMValueRef size[2], repeats[2], count[2], beyond[2];
    LLVMValueRef column[4], row[2], flip, flip_odd, row_shift, odd, row_B, opaque;
    unsigned s[JIT_NEAR_MEMBERS], t[JIT_NEAR_MEMBERS], members; /* origins of coordinates */
};

struct jit_types {
    LLVMTypeRef none, i1, i8, i16, i32, i64, ptr;
    LLVMTypeRef words, floats, bits, bytes, halves; /* 16 words, floats, bits; 64 bytes, 64 halves */
};

/* What becomes of the corners of float operations (jit_float.c): seen to at each, or noted in `worst` for the end of a
 * stretch (jit_stretch.c). */
enum jit_corners { JIT_CORNERS_SEEN, JIT_CORNERS_NOTED };

/* Functions of the module for what hardly ever happens. They leave more registers as they are than others do, so that
 * those who call them keep theirs. */
#define JIT_RARE_MAX 16u
struct jit_rare {
    size_t offset_B; /* in struct jit_calls */
    LLVMValueRef function;
};

struct jit_emitter {
    const struct jit_program *program;
    const struct jit_calls *calls; /* their sfu_tables alone */
    bool has_avx512, has_umax, has_fma; /* umax: of 32 bits */
    enum jit_corners corners;
    LLVMValueRef worst, odd; /* the latter an i1: of uniforms that were taken to be plain */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function, core, point;
    struct jit_types t;

    /* Variables. `loose` has the same as `reg` but that a zero may have a sign: enough for those who read floats, and
     * without the work of taking it away where nobody else reads. Flags: z, n, c. */
    LLVMValueRef reg[JIT_REGISTERS], loose[JIT_REGISTERS], flag[3], sfu_result;
    LLVMValueRef tmu_result[2][GPU_TMU_FIFO]; /* the oldest first */
    LLVMValueRef tmu_parameter[2][4], tmu_config[2][4]; /* of the next request: S, T, R, B; words in order */
    /* While emitting a block: what is known to be the same in all lanes. */
    bool same[JIT_REGISTERS], same_sfu, tmu_same[2][GPU_TMU_FIFO];
    bool plain[JIT_REGISTERS], plain_sfu; /* floats, neither NaN nor denormal in any lane */
    bool r4_is_log, sfu_is_log; /* logarithms, of zero perhaps; the latter on its way to r4 */
    LLVMValueRef sfu_table[4][2]; /* points and steps, where they lie in memory */
    /* Values of equal numbers are the same; others may be. */
    unsigned origin[JIT_REGISTERS], tmu_origin[2][4], origins;
    struct jit_near near[JIT_NEAR_GROUPS];
    unsigned near_next, nears; /* groups of this block, and of all so far */
    bool looks_near;           /* the program is worth it */
    bool tmu_may_fault; /* what this instruction does to a texture unit */
    unsigned windows; /* of memory, given out so far */
    LLVMValueRef uniforms, varying, varying_c; /* address of the next one, number of the next one, what r5 becomes */
    /* While emitting a block: what its start has looked at. */
    LLVMValueRef stream, stream_addr;    /* uniforms, on the host and on the bus */
    unsigned stream_taken, stream_count; /* of them */
    unsigned varyings_left;
    uint32_t pc; /* of the instruction that is emitted */
    LLVMValueRef slot[3]; /* memory for vectors of calls */
    struct jit_rare rare[JIT_RARE_MAX];
    unsigned rare_count;
    LLVMValueRef raw[JIT_FLOAT_OPS]; /* the host's operations until jit_float_finish */
    LLVMBasicBlockRef entry, fault_exit, dispatch;
    LLVMValueRef dispatch_switch, fault_pc;

    struct jit_block *blocks;
    unsigned block_count, block_capacity, emitted;
    unsigned resumes;
    const char *message; /* set: give up */
};

/* A condition's lanes. */
struct jit_mask {
    bool never, always;
    LLVMValueRef bits; /* unless never or always */
};

/* -- jit_emit.c -- */
/* Emits the function `name` into the module; false with emitter->message. */
bool jit_emit(struct jit_emitter *e, const char *name);
void jit_check_fault(struct jit_emitter *e); /* leaves where the core has one */
void jit_leave(struct jit_emitter *e, enum jit_exit how);
/* Counts a semaphore that has been found ready. */
void jit_count_semaphore(struct jit_emitter *e, uint32_t word);

/* -- jit_state.c -- */
/* Of the core's state, or other rows of words. */
LLVMValueRef jit_load_vector(struct jit_emitter *e, LLVMValueRef base, size_t offset_B);
void jit_store_number(struct jit_emitter *e, LLVMTypeRef type, uint32_t number, size_t offset_B);
void jit_clear_state(struct jit_emitter *e); /* nothing holds anything */
void jit_lose_accumulators(struct jit_emitter *e);
bool jit_lives(const struct jit_live *live, unsigned reg);
/* `sfu`: what is on its way to r4, too. */
void jit_save_state(struct jit_emitter *e, const struct jit_live *live, bool sfu);
void jit_load_state(struct jit_emitter *e, const struct jit_live *live, bool sfu);     /* the rest holds nothing */
void jit_load_registers(struct jit_emitter *e, const struct jit_live *live, bool sfu); /* the rest stays */
void jit_save_register(struct jit_emitter *e, unsigned reg, LLVMValueRef value);
void jit_save_flag(struct jit_emitter *e, unsigned n, LLVMValueRef bits);
void jit_save_sfu(struct jit_emitter *e, LLVMValueRef value);
void jit_load_streams(struct jit_emitter *e);
void jit_save_streams(struct jit_emitter *e);
uint32_t jit_flight_of(const struct jit_point *point);
void jit_sfu_arrives(struct jit_emitter *e);

/* -- jit_stretch.c -- */
/* A stretch that begins here: its length, or 0. `branch_delay`: instructions that are left of a branch. */
unsigned jit_emit_stretch(struct jit_emitter *e, struct jit_point *now, unsigned branch_delay);

/* -- jit_streams.c -- */
/* At the start of a block: finds its uniforms and varyings, or leaves it to the interpreter. */
void jit_find_streams(struct jit_emitter *e, const struct jit_point *point);

/* -- jit_build.c -- */
LLVMValueRef jit_word(struct jit_emitter *e, uint32_t word);       /* i32 */
LLVMValueRef jit_splat(struct jit_emitter *e, uint32_t word);      /* 16 words */
LLVMValueRef jit_spread(struct jit_emitter *e, LLVMValueRef word); /* an i32 to 16 words */
LLVMValueRef jit_floats(struct jit_emitter *e, LLVMValueRef words);
LLVMValueRef jit_words(struct jit_emitter *e, LLVMValueRef any);    /* back from floats or bytes */
LLVMValueRef jit_get(struct jit_emitter *e, LLVMValueRef variable); /* 16 words */
/* Writes a register; `loose` NULL: the same. Whether all lanes are the same is the caller's to note. */
void jit_put(struct jit_emitter *e, unsigned reg, LLVMValueRef value, LLVMValueRef loose);
/* Calls what struct jit_calls has at an offset. */
LLVMValueRef jit_call(struct jit_emitter *e, size_t function_offset_B, LLVMTypeRef result, LLVMValueRef *args,
                      unsigned count);
/* The same for what hardly ever happens. */
LLVMValueRef jit_call_rarely(struct jit_emitter *e, size_t function_offset_B, LLVMTypeRef result, LLVMValueRef *args,
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
/* A branch that is hardly ever taken. */
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
    LLVMValueRef value, loose; /* the latter NULL: the same */
    uint32_t bits;             /* of each lane that are written */
    bool same;                 /* in all lanes */
    bool plain;                /* as in struct jit_emitter */
    unsigned origin;           /* of a move; 0: a new value */
};
/* What is known of an operand. */
enum jit_known { JIT_ANYTHING, JIT_UNIFORM, JIT_PLAIN };
/* Results of both halves from their operands, and what they are but for zeros' signs; any may be NULL. */
struct jit_alu_results {
    LLVMValueRef add, mul, loose_add, loose_mul;
    bool add_plain, mul_plain;
};
struct jit_operands {
    LLVMValueRef mux[8], loose[8];
    enum jit_known known[8];
};
void jit_alu(struct jit_emitter *e, const struct qpu_instr *i, const struct jit_operands *in,
             struct jit_alu_results *out);
LLVMValueRef jit_add_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef result);
LLVMValueRef jit_mul_carry(struct jit_emitter *e, unsigned op, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef jit_add_saturate(struct jit_emitter *e, unsigned op, unsigned pack, LLVMValueRef a, LLVMValueRef b,
                              LLVMValueRef result);

/* -- jit_float.c -- */
/* But for zeros' signs. `corner_out`: lanes that have met one. */
LLVMValueRef jit_float_fast(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef *corner_out);
/* Of a host's results: notes corners in e->worst, and whether there were any. */
void jit_float_note(struct jit_emitter *e, LLVMValueRef raw);
LLVMValueRef jit_float_but_infinite(struct jit_emitter *e, LLVMValueRef raw); /* to be noted */
void jit_float_note_uniform(struct jit_emitter *e, LLVMValueRef words);       /* notes what is not plain */
bool jit_float_is_plain(uint32_t word);
LLVMValueRef jit_float_noted(struct jit_emitter *e); /* an i1 */
LLVMValueRef jit_itof(struct jit_emitter *e, LLVMValueRef words); /* floats */
LLVMValueRef jit_float_floor(struct jit_emitter *e, LLVMValueRef x); /* of magnitudes below 2^31 */
LLVMValueRef jit_fma(struct jit_emitter *e, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c); /* where has_fma */
LLVMValueRef jit_float_unsigned_zero(struct jit_emitter *e, LLVMValueRef words); /* -0 as 0, of a host's results */
/* What the host makes of floats. */
LLVMValueRef jit_float_raw(struct jit_emitter *e, enum jit_float_op op, LLVMValueRef a, LLVMValueRef b);
void jit_float_finish(struct jit_emitter *e); /* when LLVM has optimised */

/* -- jit_pack.c -- */
LLVMValueRef jit_unpack(struct jit_emitter *e, unsigned mode, bool to_float, LLVMValueRef in);
struct jit_result jit_pack_a(struct jit_emitter *e, unsigned mode, bool is_float, LLVMValueRef in);
struct jit_result jit_pack_mul(struct jit_emitter *e, unsigned mode, LLVMValueRef in, LLVMValueRef loose);

/* -- jit_sfu.c -- */
LLVMValueRef jit_sfu(struct jit_emitter *e, unsigned waddr, LLVMValueRef word);

/* -- jit_io.c -- */
LLVMValueRef jit_pop_uniform(struct jit_emitter *e); /* an i32 */
LLVMValueRef jit_read_peripheral(struct jit_emitter *e, unsigned side, unsigned raddr);
void jit_write_peripheral(struct jit_emitter *e, unsigned side, unsigned waddr, LLVMValueRef value,
                          const struct jit_mask *mask);
void jit_signal(struct jit_emitter *e, unsigned sig, struct jit_point *now);

/* -- jit_atomic.c -- */
/* Whether the loop has been done; then its registers. */
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
bool jit_near_is_worth(const struct jit_emitter *e);
/* A request of S and T alone; `origin` is that of both. Goes to `by_call` where it is not for host code, and ends in
 * *from_out with the result where it is. */
struct jit_request {
    LLVMValueRef parameter[2], config[2];
    unsigned origin[2];
};
LLVMValueRef jit_near(struct jit_emitter *e, const struct jit_request *r, LLVMBasicBlockRef by_call,
                      LLVMBasicBlockRef *from_out);
void jit_move_lanes(struct jit_emitter *e, bool store); /* what jit_program_moves_lanes has found */
/* Whether an instruction calls anything that may fail. */
bool jit_may_fault(const struct jit_program *program, const struct qpu_instr *i);

#endif
