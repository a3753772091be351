/* SPDX-License-Identifier: MIT
 *
 * QPU instructions as data: the fields of the 64-bit word, encoding and decoding, printing and parsing of text, and the
 * hazard checker. All functions are pure. Sources: [guide p.16-38], with the corrections of the addendum.
 *
 * One struct represents every kind of instruction. Its `sig` selects the kind and thereby the fields that are used:
 * QPU_SIG_LOAD_IMM, QPU_SIG_BRANCH, or an ALU instruction for all other signals.
 */
#ifndef HW_QPU_H
#define HW_QPU_H

#include <stdio.h>
#include "util/macros.h"

#define QPU_LANES 16

/* Maximum number of instructions in a program. The chip has no such limit. The compiler refuses longer programs, and
 * the model stops searching for a program's end here. */
#define QPU_MAX_PROGRAM (1u << 20)

enum qpu_sig {
    QPU_SIG_BREAKPOINT,
    QPU_SIG_NONE,
    QPU_SIG_THREAD_SWITCH,
    QPU_SIG_PROGRAM_END,
    QPU_SIG_WAIT_SCOREBOARD,
    QPU_SIG_UNLOCK_SCOREBOARD,
    QPU_SIG_LAST_THREAD_SWITCH,
    QPU_SIG_COVERAGE_LOAD,
    QPU_SIG_COLOR_LOAD,
    QPU_SIG_COLOR_LOAD_END,
    QPU_SIG_LOAD_TMU0,
    QPU_SIG_LOAD_TMU1,
    QPU_SIG_ALPHA_MASK_LOAD,
    QPU_SIG_SMALL_IMM,
    QPU_SIG_LOAD_IMM, /* load immediate or semaphore, see enum qpu_load_imm */
    QPU_SIG_BRANCH,
};

enum qpu_cond {
    QPU_COND_NEVER,
    QPU_COND_ALWAYS,
    QPU_COND_ZS,
    QPU_COND_ZC,
    QPU_COND_NS,
    QPU_COND_NC,
    QPU_COND_CS,
    QPU_COND_CC,
};

enum qpu_branch_cond {
    QPU_BRANCH_ALL_ZS,
    QPU_BRANCH_ALL_ZC,
    QPU_BRANCH_ANY_ZS,
    QPU_BRANCH_ANY_ZC,
    QPU_BRANCH_ALL_NS,
    QPU_BRANCH_ALL_NC,
    QPU_BRANCH_ANY_NS,
    QPU_BRANCH_ANY_NC,
    QPU_BRANCH_ALL_CS,
    QPU_BRANCH_ALL_CC,
    QPU_BRANCH_ANY_CS,
    QPU_BRANCH_ANY_CC,
    QPU_BRANCH_ALWAYS = 15,
};

enum qpu_add_op {
    QPU_A_NOP = 0,
    QPU_A_FADD = 1,
    QPU_A_FSUB = 2,
    QPU_A_FMIN = 3,
    QPU_A_FMAX = 4,
    QPU_A_FMINABS = 5,
    QPU_A_FMAXABS = 6,
    QPU_A_FTOI = 7,
    QPU_A_ITOF = 8,
    QPU_A_ADD = 12,
    QPU_A_SUB = 13,
    QPU_A_SHR = 14,
    QPU_A_ASR = 15,
    QPU_A_ROR = 16,
    QPU_A_SHL = 17,
    QPU_A_MIN = 18,
    QPU_A_MAX = 19,
    QPU_A_AND = 20,
    QPU_A_OR = 21,
    QPU_A_XOR = 22,
    QPU_A_NOT = 23,
    QPU_A_CLZ = 24,
    QPU_A_V8ADDS = 30,
    QPU_A_V8SUBS = 31,
};

enum qpu_mul_op {
    QPU_M_NOP,
    QPU_M_FMUL,
    QPU_M_MUL24,
    QPU_M_V8MULD,
    QPU_M_V8MIN,
    QPU_M_V8MAX,
    QPU_M_V8ADDS,
    QPU_M_V8SUBS,
};

enum qpu_mux {
    QPU_MUX_R0,
    QPU_MUX_R1,
    QPU_MUX_R2,
    QPU_MUX_R3,
    QPU_MUX_R4,
    QPU_MUX_R5,
    QPU_MUX_A, /* the value read by raddr_a */
    QPU_MUX_B, /* the value read by raddr_b, or the small immediate */
};

enum qpu_unpack { /* applies to file A when pm = 0, to r4 when pm = 1 */
    QPU_UNPACK_NONE,
    QPU_UNPACK_16A,
    QPU_UNPACK_16B,
    QPU_UNPACK_8D_REP,
    QPU_UNPACK_8A,
    QPU_UNPACK_8B,
    QPU_UNPACK_8C,
    QPU_UNPACK_8D,
};

enum qpu_pack_a { /* pm = 0 */
    QPU_PACK_A_NONE,
    QPU_PACK_A_16A,
    QPU_PACK_A_16B,
    QPU_PACK_A_8888,
    QPU_PACK_A_8A,
    QPU_PACK_A_8B,
    QPU_PACK_A_8C,
    QPU_PACK_A_8D,
    QPU_PACK_A_32_SAT,
    QPU_PACK_A_16A_SAT,
    QPU_PACK_A_16B_SAT,
    QPU_PACK_A_8888_SAT,
    QPU_PACK_A_8A_SAT,
    QPU_PACK_A_8B_SAT,
    QPU_PACK_A_8C_SAT,
    QPU_PACK_A_8D_SAT,
};

enum qpu_pack_mul { /* pm = 1 */
    QPU_PACK_MUL_NONE = 0,
    QPU_PACK_MUL_8888 = 3,
    QPU_PACK_MUL_8A = 4,
    QPU_PACK_MUL_8B = 5,
    QPU_PACK_MUL_8C = 6,
    QPU_PACK_MUL_8D = 7,
};

enum qpu_load_imm { /* bits 59:57 of a load-immediate */
    QPU_LOAD_IMM_32 = 0,
    QPU_LOAD_IMM_PER_LANE_SIGNED = 1,
    QPU_LOAD_IMM_PER_LANE_UNSIGNED = 3,
    QPU_LOAD_IMM_SEMAPHORE = 4,
};

enum qpu_raddr { /* 0..31 are file registers */
    QPU_R_UNIFORM = 32,
    QPU_R_VARYING = 35,
    QPU_R_ELEMENT_QPU = 38, /* A: element number, B: QPU number */
    QPU_R_NOP = 39,
    QPU_R_XY_PIXEL_COORD = 41, /* A: x, B: y */
    QPU_R_MS_REV_FLAGS = 42,   /* A: coverage, B: back facing */
    QPU_R_VPM = 48,
    QPU_R_VPM_BUSY = 49,
    QPU_R_VPM_WAIT = 50,
    QPU_R_MUTEX_ACQUIRE = 51,
};

enum qpu_waddr { /* 0..31 are file registers */
    QPU_W_ACC0 = 32,
    QPU_W_ACC1,
    QPU_W_ACC2,
    QPU_W_ACC3,
    QPU_W_TMU_NOSWAP = 36,
    QPU_W_ACC5 = 37,
    QPU_W_HOST_INT = 38,
    QPU_W_NOP = 39,
    QPU_W_UNIFORMS_ADDRESS = 40,
    QPU_W_QUAD_XY = 41,
    QPU_W_MS_REV_FLAGS = 42,
    QPU_W_TLB_STENCIL_SETUP = 43,
    QPU_W_TLB_Z = 44,
    QPU_W_TLB_COLOR_MS = 45,
    QPU_W_TLB_COLOR_ALL = 46,
    QPU_W_TLB_ALPHA_MASK = 47,
    QPU_W_VPM = 48,
    QPU_W_VPMVCD_SETUP = 49, /* A: read setup, B: write setup */
    QPU_W_VPM_ADDR = 50,     /* A: starts a DMA load, B: a DMA store */
    QPU_W_MUTEX_RELEASE = 51,
    QPU_W_SFU_RECIP = 52,
    QPU_W_SFU_RSQRT,
    QPU_W_SFU_EXP,
    QPU_W_SFU_LOG,
    QPU_W_TMU0_S = 56,
    QPU_W_TMU0_T,
    QPU_W_TMU0_R,
    QPU_W_TMU0_B,
    QPU_W_TMU1_S = 60,
    QPU_W_TMU1_T,
    QPU_W_TMU1_R,
    QPU_W_TMU1_B,
};

/* CPU engine: VPM setups of horizontal words with this bit address rows that each QPU has for itself, not the VPM. They
 * keep what they hold as long as a request runs. */
#define QPU_VPM_OWN_ROWS 0x20000000u
#define QPU_OWN_ROWS     256u
/* CPU engine: a DMA setup with this bit, and not bit 31, is for a transfer between own row `setup & 255` and the word
 * at each lane's address. The lanes of the address register all count; the highest lane stores last. Stores may be of
 * the low halves or bytes of the words. */
#define QPU_DMA_LANES  0x40000000u
#define QPU_DMA_HALVES 0x100u
#define QPU_DMA_BYTES  0x200u
#define QPU_DMA_ROW    0x400u /* 16 words from lane 0's address on */

/* CPU engine: a semaphore instruction takes or gives this many more times than once, all at once. */
#define QPU_SEMAPHORE_MORE(n) ((uint32_t)(n) << 8)

/* Small immediate codes of raddr_b with QPU_SIG_SMALL_IMM [guide p.29 table 5]. */
#define QPU_SMALL_IMM_ROTATE_R5 48u /* mul result rotated by r5 */
#define QPU_SMALL_IMM_ROTATE(n) (48u + (n)) /* by n = 1..15 */

struct qpu_instr {
    uint8_t sig;                /* enum qpu_sig */
    uint8_t unpack;             /* enum qpu_unpack; enum qpu_load_imm in a load immediate */
    uint8_t pm;                 /* 0 file A pack/unpack, 1 mul pack and r4 unpack */
    uint8_t pack;               /* enum qpu_pack_a or qpu_pack_mul; branch: enum qpu_branch_cond */
    uint8_t cond_add, cond_mul; /* enum qpu_cond */
    uint8_t sf;                 /* set flags */
    uint8_t ws;                 /* 1: add result to file B, mul result to file A */
    uint8_t waddr_add, waddr_mul;
    uint8_t op_add, op_mul;
    uint8_t raddr_a, raddr_b;   /* raddr_b: small immediate code with QPU_SIG_SMALL_IMM */
    uint8_t add_a, add_b, mul_a, mul_b; /* enum qpu_mux */
    uint8_t branch_rel, branch_reg; /* branch: relative to the instruction + 4; plus file A register raddr_a (0..31) */
    uint32_t imm;               /* load immediate; branch: signed byte offset */
};

/* An ALU instruction that does nothing: signal none, conditions never, all addresses NOP. */
struct qpu_instr qpu_nop(void);

uint64_t qpu_encode(const struct qpu_instr *instr);
/* Every word decodes, and qpu_encode(qpu_decode(w)) == w except for bits that belong to no field. */
struct qpu_instr qpu_decode(uint64_t word);

/* Value of a small immediate code 0..47 (and 48..63, which read as -16..-1) as a word at mux B. */
uint32_t qpu_small_imm_value(unsigned code);
/* Code whose value is `word`, or -1. */
int qpu_small_imm_code(uint32_t word);

const char *qpu_add_op_name(unsigned op); /* NULL when reserved */
const char *qpu_mul_op_name(unsigned op);
/* Number of operands that an op reads: 0, 1 or 2. */
unsigned qpu_add_op_args(unsigned op);
unsigned qpu_mul_op_args(unsigned op);
bool qpu_add_op_is_float(unsigned op); /* operands are floats: decides what file A unpack yields */
bool qpu_mul_op_is_float(unsigned op);

static inline bool qpu_waddr_is_tmu(unsigned waddr)
{
    return waddr >= QPU_W_TMU0_S;
}

static inline bool qpu_waddr_is_tmu_s(unsigned waddr)
{
    return waddr == QPU_W_TMU0_S || waddr == QPU_W_TMU1_S;
}

static inline bool qpu_waddr_is_sfu(unsigned waddr)
{
    return waddr >= QPU_W_SFU_RECIP && waddr <= QPU_W_SFU_LOG;
}

/* Prints one line without newline, which qpu_parse reads back. Returns the length, like snprintf. */
int qpu_print(const struct qpu_instr *instr, char *out, size_t size_B);
void qpu_dump(FILE *to, const uint64_t *words, uint32_t count);

/* Parses one line (without comment). Returns false with a message in `error` (error_B bytes) on bad text. */
bool qpu_parse(const char *line, struct qpu_instr *out, char *error, size_t error_B) UTIL_MUST_CHECK;

/* The kind of program: some rules apply to one kind only. */
enum qpu_program_kind { QPU_PROGRAM_VERTEX, QPU_PROGRAM_FRAGMENT, QPU_PROGRAM_USER };

struct qpu_violation {
    const char *rule;  /* "H1" ... "H27", numbered as in the project's hardware notes; "end", "memory" */
    uint32_t index;    /* of the instruction that breaks the rule */
    char text[160];
};

/* Checks the hazards and restrictions of a whole program, up to the two instructions after its program end. Returns
 * false and fills `out` at the first violation. */
bool qpu_check(const uint64_t *words, uint32_t count, enum qpu_program_kind kind, struct qpu_violation *out)
    UTIL_MUST_CHECK;

#endif
