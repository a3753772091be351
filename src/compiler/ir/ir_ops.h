/* SPDX-License-Identifier: MIT
 *
 * One row per IR operation:  X(NAME, "text", sources, result, flags)
 *   result: 32 = a word, 1 = a boolean, 0 = none, IR_BITS_OF_SOURCE = as wide as the sources (set by the builder)
 *   flags: IR_P pure (may be removed, merged, moved), IR_C commutative in sources 0 and 1, IR_F sources are floats,
 *          IR_H high level: lowered before the back end, IR_M touches memory or the tile buffer (kept in order)
 *
 * Three groups: what the chip does in one operation, what the back end expands itself, and what passes lower.
 */
#ifndef IR_OPS_H
#define IR_OPS_H

#define IR_P 1u
#define IR_C 2u
#define IR_F 4u
#define IR_H 8u
#define IR_M 16u
#define IR_BITS_OF_SOURCE 255 /* result as wide as its sources */

#define IR_OPS(X)                                                                                                      \
    /* -- constants, uniform words, phis, moves -- */                                                                  \
    X(CONST, "const", 0, IR_BITS_OF_SOURCE, IR_P) /* imm; 1-bit: 0 or 1 */                                             \
    X(UNDEF, "undef", 0, IR_BITS_OF_SOURCE, IR_P)                                                                      \
    X(UNIFORM, "uniform", 0, 32, IR_P)          /* which word: instr->uniform */                                       \
    X(PHI, "phi", 255, IR_BITS_OF_SOURCE, IR_P) /* sources in the order of the block's predecessors */                 \
    X(MOV, "mov", 1, IR_BITS_OF_SOURCE, IR_P)                                                                          \
    X(SEL, "sel", 3, IR_BITS_OF_SOURCE, IR_P) /* s0 (bool) ? s1 : s2 */                                                \
    /* -- add ALU: exactly the chip's operations -- */                                                                 \
    X(FADD, "fadd", 2, 32, IR_P | IR_C | IR_F)                                                                         \
    X(FSUB, "fsub", 2, 32, IR_P | IR_F)                                                                                \
    X(FMIN, "fmin", 2, 32, IR_P | IR_F)                                                                                \
    X(FMAX, "fmax", 2, 32, IR_P | IR_F)                                                                                \
    X(FMINABS, "fminabs", 2, 32, IR_P | IR_F)                                                                          \
    X(FMAXABS, "fmaxabs", 2, 32, IR_P | IR_F) /* fmaxabs x x = |x| */                                                  \
    X(FTOI, "ftoi", 1, 32, IR_P | IR_F)                                                                                \
    X(ITOF, "itof", 1, 32, IR_P)                                                                                       \
    X(IADD, "iadd", 2, 32, IR_P | IR_C)                                                                                \
    X(ISUB, "isub", 2, 32, IR_P)                                                                                       \
    X(SHR, "shr", 2, 32, IR_P)                                                                                         \
    X(ASR, "asr", 2, 32, IR_P)                                                                                         \
    X(ROR, "ror", 2, 32, IR_P)                                                                                         \
    X(SHL, "shl", 2, 32, IR_P)                                                                                         \
    X(IMIN, "imin", 2, 32, IR_P | IR_C) /* signed */                                                                   \
    X(IMAX, "imax", 2, 32, IR_P | IR_C)                                                                                \
    X(AND, "and", 2, 32, IR_P | IR_C)                                                                                  \
    X(OR, "or", 2, 32, IR_P | IR_C)                                                                                    \
    X(XOR, "xor", 2, 32, IR_P | IR_C)                                                                                  \
    X(NOT, "not", 1, 32, IR_P)                                                                                         \
    X(CLZ, "clz", 1, 32, IR_P)                                                                                         \
    X(V8ADDS, "v8adds", 2, 32, IR_P | IR_C)                                                                            \
    X(V8SUBS, "v8subs", 2, 32, IR_P)                                                                                   \
    /* -- mul ALU -- */                                                                                                \
    X(FMUL, "fmul", 2, 32, IR_P | IR_C | IR_F)                                                                         \
    X(MUL24, "mul24", 2, 32, IR_P | IR_C) /* unsigned low 24 x 24 -> low 32 */                                         \
    X(V8MULD, "v8muld", 2, 32, IR_P | IR_C)                                                                            \
    X(V8MIN, "v8min", 2, 32, IR_P | IR_C)                                                                              \
    X(V8MAX, "v8max", 2, 32, IR_P | IR_C)                                                                              \
    /* -- SFU: unrefined results -- */                                                                                 \
    X(SFU_RECIP, "sfu_recip", 1, 32, IR_P | IR_F)                                                                      \
    X(SFU_RSQRT, "sfu_rsqrt", 1, 32, IR_P | IR_F)                                                                      \
    X(SFU_EXP2, "sfu_exp2", 1, 32, IR_P | IR_F)                                                                        \
    X(SFU_LOG2, "sfu_log2", 1, 32, IR_P | IR_F)                                                                        \
    /* -- parts of words; imm = part: 0 16a, 1 16b, 2..5 8a..8d -- */                                                  \
    X(UNPACK_F, "unpack_f", 1, 32, IR_P)                        /* half -> float; byte -> float byte/255 */            \
    X(UNPACK_I, "unpack_i", 1, 32, IR_P)                        /* half sign-extended; byte zero-extended */           \
    X(PACK_UNORM8, "pack_unorm8", 4, 32, IR_P | IR_F)           /* four floats, saturated, * 255, to bytes a..d */     \
    X(PACK_UNORM8_PART, "pack_unorm8_part", 2, 32, IR_P | IR_F) /* s0 with byte imm (2..5) replaced by float s1 */     \
    X(PACK_HALF, "pack_half", 2, 32, IR_P | IR_F)               /* two floats to halves a, b */                        \
    X(PACK_I16, "pack_i16", 2, 32, IR_P)                        /* low halves of two words to a, b */                  \
    /* -- comparisons, with boolean results; floats ordered as the chip does -- */                                     \
    X(FEQ, "feq", 2, 1, IR_P | IR_C | IR_F)                                                                            \
    X(FNE, "fne", 2, 1, IR_P | IR_C | IR_F)                                                                            \
    X(FLT, "flt", 2, 1, IR_P | IR_F)                                                                                   \
    X(FGE, "fge", 2, 1, IR_P | IR_F)                                                                                   \
    X(IEQ, "ieq", 2, 1, IR_P | IR_C)                                                                                   \
    X(INE, "ine", 2, 1, IR_P | IR_C)                                                                                   \
    X(ILT, "ilt", 2, 1, IR_P) /* exact, also where the difference overflows */                                         \
    X(IGE, "ige", 2, 1, IR_P)                                                                                          \
    X(ULT, "ult", 2, 1, IR_P)                                                                                          \
    X(UGE, "uge", 2, 1, IR_P)                                                                                          \
    /* -- booleans -- */                                                                                               \
    X(BAND, "band", 2, 1, IR_P | IR_C)                                                                                 \
    X(BOR, "bor", 2, 1, IR_P | IR_C)                                                                                   \
    X(BXOR, "bxor", 2, 1, IR_P | IR_C)                                                                                 \
    X(BNOT, "bnot", 1, 1, IR_P)                                                                                        \
    /* -- inputs of the thread -- */                                                                                   \
    X(ATTRIBUTE, "attribute", 0, 32, IR_P)     /* vertex: raw VPM word imm of location imm2 */                         \
    X(VARYING, "varying", 0, 32, IR_P)         /* fragment: input slot imm, perspective-corrected */                   \
    X(POP_VARYING, "pop_varying", 0, 32, IR_M) /* CPU engine: pops slot imm; each slot once, in order */               \
    X(POINT_COORD, "point_coord", 0, 32, IR_P) /* imm: 0 x, 1 y */                                                     \
    X(FRAG_X, "frag_x", 0, 32, IR_P)           /* integer pixel coordinates */                                         \
    X(FRAG_Y, "frag_y", 0, 32, IR_P)                                                                                   \
    X(FRAG_Z, "frag_z", 0, 32, IR_P) /* 24-bit integer */                                                              \
    X(FRAG_W, "frag_w", 0, 32, IR_P) /* clip w as a float: the payload word */                                         \
    X(BACK_FACING, "back_facing", 0, 1, IR_P)                                                                          \
    X(MS_FLAGS, "ms_flags", 0, 32, IR_M)     /* current coverage mask */                                               \
    X(ELEMENT, "element", 0, 32, IR_P)       /* lane number */                                                         \
    X(ACTIVE, "active", 0, 1, IR_M)          /* true in active lanes */                                                \
    X(ROTATE, "rotate", 1, 32, IR_M)         /* lane l gets s0 of lane l + imm, modulo 16 */                           \
    X(QPU_NUMBER, "qpu_number", 0, 32, IR_P) /* CPU engine: number of the QPU */                                       \
    X(DDX, "ddx", 1, 32, IR_P | IR_F)                                                                                  \
    X(DDY, "ddy", 1, 32, IR_P | IR_F)                                                                                  \
    X(ANY, "any", 1, 1, IR_P) /* true in every lane if s0 is true in any active lane */                                \
    /* -- texture and memory lookups; instr->tex: parameters and config words -- */                                    \
    X(TEX, "tex", 255, 32, IR_P)     /* s, t, then r and b if tex has them; raw result */                              \
    X(DIRECT, "direct", 1, 32, IR_P) /* word at byte offset s0 of buffer imm, clamped to range */                      \
    /* in a wider access s0 is the offset of its first word, imm2 is as in LOAD_BUFFER; its words clamp together */    \
    X(DIRECT_TEX, "direct_tex", 1, 32, IR_P) /* the same, in the memory of texture imm */                              \
    X(LOAD_TABLE, "load_table", 1, 32, IR_P) /* the same, in table imm, which holds constants */                       \
    /* -- memory of the CPU engine, by address; at VC4C_ENGINE_NULL loads give 0, stores do nothing -- */              \
    X(ENGINE_FETCH, "engine_fetch", 1, 32, IR_P)   /* word at s0 of read-only memory, by texture unit */               \
    X(ENGINE_LOAD, "engine_load", 1, 32, IR_M)     /* word at s0, by VPM DMA; imm 1: in idle lanes, too */             \
    X(ENGINE_STORE, "engine_store", 2, 0, IR_M)    /* word at s0 = s1; imm 1, 2: only that many low bytes */           \
    X(ENGINE_ATOMIC, "engine_atomic", 3, 32, IR_M) /* imm: enum vc4c_site_kind; word at s0, data s1, compare s2 */     \
    X(SCRATCH_LOAD, "scratch_load", 1, 32, IR_M)   /* as ENGINE_LOAD, from memory that no other lane sees */           \
    /* stores s1; no side effect, invisible elsewhere. imm 1, also of the load: in idle lanes, too, and the addresses  \
     */                                                                                                                \
    /* are lane 0's plus 4 * lane; 2: the same, and idle lanes store 0 */                                              \
    X(SCRATCH_STORE, "scratch_store", 2, 0, IR_M)                                                                      \
    X(SPILL_STORE, "spill_store", 1, 0, IR_M) /* s0 in all lanes to own row or slot imm */                             \
    X(SPILL_LOAD, "spill_load", 0, 32, IR_M)                                                                           \
    X(BARRIER, "barrier", 0, 0, IR_M)               /* waits for all subgroups of the workgroup */                     \
    X(BARRIER_ARRIVE, "barrier_arrive", 0, 0, IR_M) /* its two phases, to run code between them */                     \
    X(BARRIER_LEAVE, "barrier_leave", 0, 0, IR_M)                                                                      \
    X(MUTEX_ACQUIRE, "mutex_acquire", 0, 0, IR_M) /* of all QPUs; ENGINE_ATOMIC acquires and releases it, too */       \
    X(MUTEX_RELEASE, "mutex_release", 0, 0, IR_M)                                                                      \
    /* -- results -- */                                                                                                \
    X(VPM_STORE, "vpm_store", 1, 0, IR_M) /* vertex kinds: next output row, in order */                                \
    X(TLB_STENCIL, "tlb_stencil", 1, 0, IR_M)                                                                          \
    X(TLB_Z, "tlb_z", 2, 0, IR_M) /* stores s0 in the lanes where s1 (bool) holds */                                   \
    X(TLB_COLOR_LOAD, "tlb_color_load", 0, 32, IR_M)                                                                   \
    X(TLB_COLOR_STORE, "tlb_color_store", 2, 0, IR_M)       /* stores s0 where s1 (bool) holds, in all samples */      \
    X(TLB_COLOR_STORE_MS, "tlb_color_store_ms", 2, 0, IR_M) /* the same, in the next sample only */                    \
    X(MS_FLAGS_AND, "ms_flags_and", 1, 0, IR_M)             /* coverage &= s0 */                                       \
    X(REV_FLAG, "rev_flag", 1, 0, IR_M)                     /* s0: 1 in lanes that the chip treats as back-facing */   \
    /* -- control flow, at the end of a block -- */                                                                    \
    X(BREAK, "break", 0, 0, IR_M)                                                                                      \
    X(CONTINUE, "continue", 0, 0, IR_M)                                                                                \
    /* -- high level: lowered before the back end -- */                                                                \
    X(FNEG, "fneg", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FABS, "fabs", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FSAT, "fsat", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FRCP, "frcp", 1, 32, IR_P | IR_F | IR_H) /* imm 1: one refinement step is enough */                              \
    X(FRSQ, "frsq", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FSQRT, "fsqrt", 1, 32, IR_P | IR_F | IR_H)                                                                       \
    X(FEXP2, "fexp2", 1, 32, IR_P | IR_F | IR_H)                                                                       \
    X(FLOG2, "flog2", 1, 32, IR_P | IR_F | IR_H)                                                                       \
    X(FDIV, "fdiv", 2, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FPOW, "fpow", 2, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FSIN, "fsin", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FCOS, "fcos", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(FFLOOR, "ffloor", 1, 32, IR_P | IR_F | IR_H)                                                                     \
    X(FCEIL, "fceil", 1, 32, IR_P | IR_F | IR_H)                                                                       \
    X(FTRUNC, "ftrunc", 1, 32, IR_P | IR_F | IR_H)                                                                     \
    X(FROUND, "fround", 1, 32, IR_P | IR_F | IR_H) /* ties to even; relaxed with imm 1: or away from 0 */              \
    X(FFRACT, "ffract", 1, 32, IR_P | IR_F | IR_H)                                                                     \
    X(FMOD, "fmod", 2, 32, IR_P | IR_F | IR_H) /* sign of s1 */                                                        \
    X(FTOU, "ftou", 1, 32, IR_P | IR_F | IR_H)                                                                         \
    X(UTOF, "utof", 1, 32, IR_P | IR_H)                                                                                \
    X(IMUL, "imul", 2, 32, IR_P | IR_C | IR_H)                                                                         \
    X(IMULH, "imulh", 2, 32, IR_P | IR_C | IR_H)                                                                       \
    X(UMULH, "umulh", 2, 32, IR_P | IR_C | IR_H)                                                                       \
    X(IDIV, "idiv", 2, 32, IR_P | IR_H)                                                                                \
    X(UDIV, "udiv", 2, 32, IR_P | IR_H)                                                                                \
    X(IREM, "irem", 2, 32, IR_P | IR_H) /* sign of s0 */                                                               \
    X(IMOD, "imod", 2, 32, IR_P | IR_H) /* sign of s1 */                                                               \
    X(UMOD, "umod", 2, 32, IR_P | IR_H)                                                                                \
    X(UMIN, "umin", 2, 32, IR_P | IR_C | IR_H)                                                                         \
    X(UMAX, "umax", 2, 32, IR_P | IR_C | IR_H)                                                                         \
    X(BITCOUNT, "bitcount", 1, 32, IR_P | IR_H)                                                                        \
    X(BITREV, "bitrev", 1, 32, IR_P | IR_H)                                                                            \
    X(HALF_TO_FLOAT, "half_to_float", 1, 32, IR_P | IR_H) /* of the low half of s0; exact */                           \
    X(FLOAT_TO_HALF, "float_to_half", 1, 32, IR_P | IR_H) /* to nearest even, keeps denormals and NaN; high half 0 */  \
    X(SAMPLE, "sample", 255, 32, IR_P | IR_H)             /* a texture instruction of the shader: struct ir_sample */  \
    X(SAMPLE_RESULT, "sample_result", 1, 32, IR_P | IR_H) /* component imm of a SAMPLE */                              \
    X(LOAD_INPUT, "load_input", 0, 32, IR_P | IR_H)       /* location imm, component imm2 */                           \
    X(LOAD_INPUT_AT, "load_input_at", 2, 32, IR_P | IR_F | IR_H) /* the same, s0, s1 pixels from the centre */         \
    X(CENTROID_OFFSET, "centroid_offset", 0, 32, IR_P | IR_H)    /* imm: 0 x, 1 y; from pixel centre to centroid */    \
    X(SAMPLE_OFFSET, "sample_offset", 1, 32, IR_P | IR_H)        /* the same, to sample s0 */                          \
    X(STORE_OUTPUT, "store_output", 1, 0, IR_H | IR_M)           /* location imm (or built-in), component imm2 */      \
    X(LOAD_RECORD, "load_record", 0, 32, IR_P | IR_H)            /* word imm of the primitive's vertex imm2 */         \
    X(STORE_RECORD, "store_record", 2, 0, IR_H | IR_M) /* word imm of emitted vertex s0 = s1; or of IR_RECORD_ */      \
    X(LOAD_BUILTIN, "load_builtin", 0, IR_BITS_OF_SOURCE, IR_P | IR_H) /* SPIR-V BuiltIn imm, component imm2 */        \
    X(STORE_BUILTIN, "store_builtin", 1, 0, IR_H | IR_M)                                                               \
    X(LOAD_BUFFER, "load_buffer", 1, 32, IR_P | IR_H) /* word at byte offset s0 of buffer imm; as part of a wider */   \
    /* access, imm2 has the bytes from its first word to this one (low half) and to its last (high half); or imm2 is   \
     */                                                                                                                \
    /* IR_LOAD_OF_PART */                                                                                              \
    X(LOAD_PUSH, "load_push", 1, 32, IR_P | IR_H) /* word at byte offset s0 of the push constants; */                  \
    /* a variable s0 is imm + n * (low half of imm2), and at most imm + (high half of imm2) */                         \
    X(LOAD_VAR, "load_var", 0, IR_BITS_OF_SOURCE, IR_H) /* word imm2 of variable imm (private, function) */            \
    X(STORE_VAR, "store_var", 1, 0, IR_H | IR_M)        /* word imm2 of variable imm = s0 */                           \
    X(DISCARD, "discard", 0, 0, IR_H | IR_M)            /* kills the active lanes */

enum ir_op {
#define X(name, text, sources, result, flags) IR_##name,
    IR_OPS(X)
#undef X
    IR_OP_COUNT
};

#endif
