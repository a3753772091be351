/* SPDX-License-Identifier: MIT
 *
 * Encodes and decodes QPU instruction words and small immediates, and holds the tables of ALU operations: name, number
 * of operands, type. Encodings [guide p.26 figure 3, p.27 table 1, p.33, p.34 table 10].
 */
#include "hw/qpu.h"

struct qpu_instr qpu_nop(void)
{
    return (struct qpu_instr){
        .sig = QPU_SIG_NONE,
        .cond_add = QPU_COND_NEVER,
        .cond_mul = QPU_COND_NEVER,
        .waddr_add = QPU_W_NOP,
        .waddr_mul = QPU_W_NOP,
        .raddr_a = QPU_R_NOP,
        .raddr_b = QPU_R_NOP,
    };
}

static uint64_t put(uint64_t value, unsigned shift, unsigned bits)
{
    assert(value < BIT64(bits));
    return (value & (BIT64(bits) - 1)) << shift;
}

static unsigned get(uint64_t word, unsigned shift, unsigned bits)
{
    return (unsigned)(word >> shift & (BIT64(bits) - 1));
}

uint64_t qpu_encode(const struct qpu_instr *i)
{
    uint64_t word = put(i->sig, 60, 4) | put(i->ws, 44, 1) | put(i->waddr_add, 38, 6) | put(i->waddr_mul, 32, 6);

    if (i->sig == QPU_SIG_BRANCH)
        return word | put(i->pack, 52, 4) | put(i->branch_rel, 51, 1) | put(i->branch_reg, 50, 1) |
               put(i->raddr_a, 45, 5) | i->imm;

    word |= put(i->unpack, 57, 3) | put(i->pm, 56, 1) | put(i->pack, 52, 4) | put(i->cond_add, 49, 3) |
            put(i->cond_mul, 46, 3) | put(i->sf, 45, 1);
    if (i->sig == QPU_SIG_LOAD_IMM)
        return word | i->imm;

    return word | put(i->op_mul, 29, 3) | put(i->op_add, 24, 5) | put(i->raddr_a, 18, 6) | put(i->raddr_b, 12, 6) |
           put(i->add_a, 9, 3) | put(i->add_b, 6, 3) | put(i->mul_a, 3, 3) | put(i->mul_b, 0, 3);
}

struct qpu_instr qpu_decode(uint64_t w)
{
    struct qpu_instr i = {
        .sig = (uint8_t)get(w, 60, 4),
        .ws = (uint8_t)get(w, 44, 1),
        .waddr_add = (uint8_t)get(w, 38, 6),
        .waddr_mul = (uint8_t)get(w, 32, 6),
    };

    if (i.sig == QPU_SIG_BRANCH) {
        i.pack = (uint8_t)get(w, 52, 4);
        i.branch_rel = (uint8_t)get(w, 51, 1);
        i.branch_reg = (uint8_t)get(w, 50, 1);
        i.raddr_a = (uint8_t)get(w, 45, 5);
        i.imm = (uint32_t)w;
        return i;
    }

    i.unpack = (uint8_t)get(w, 57, 3);
    i.pm = (uint8_t)get(w, 56, 1);
    i.pack = (uint8_t)get(w, 52, 4);
    i.cond_add = (uint8_t)get(w, 49, 3);
    i.cond_mul = (uint8_t)get(w, 46, 3);
    i.sf = (uint8_t)get(w, 45, 1);
    if (i.sig == QPU_SIG_LOAD_IMM) {
        i.imm = (uint32_t)w;
        return i;
    }

    i.op_mul = (uint8_t)get(w, 29, 3);
    i.op_add = (uint8_t)get(w, 24, 5);
    i.raddr_a = (uint8_t)get(w, 18, 6);
    i.raddr_b = (uint8_t)get(w, 12, 6);
    i.add_a = (uint8_t)get(w, 9, 3);
    i.add_b = (uint8_t)get(w, 6, 3);
    i.mul_a = (uint8_t)get(w, 3, 3);
    i.mul_b = (uint8_t)get(w, 0, 3);
    return i;
}

/* -- small immediates [guide p.29 table 5] ------------------------------------------------------------------------ */

uint32_t qpu_small_imm_value(unsigned code)
{
    assert(code < 64);
    if (code < 16)
        return code;
    if (code < 32)
        return code - 32u;
    if (code < 40) /* 1.0, 2.0 ... 128.0 */
        return (127u + code - 32u) << 23;
    if (code < 48) /* 1/256 ... 1/2 */
        return (127u - 8u + code - 40u) << 23;
    return code - 64u; /* rotations: a B operand reads them as -16 ... -1 [addendum] */
}

/* Computed rather than searched: the compiler calls this very often, for every constant. */
int qpu_small_imm_code(uint32_t word)
{
    if (word < 16)
        return (int)word;
    if (word >= (uint32_t)-16)
        return (int)(word + 32);
    if (word & 0x7fffff)
        return -1;
    uint32_t exponent = word >> 23; /* including the sign, which is clear in all codes */
    if (exponent >= 127 && exponent < 135)
        return (int)(exponent - 127 + 32);
    return exponent >= 119 && exponent < 127 ? (int)(exponent - 119 + 40) : -1;
}

/* -- operations [guide p.35 table 12, p.36 table 13] -------------------------------------------------------------- */

struct op_info {
    const char *name;
    uint8_t args;
    bool is_float;
};

static const struct op_info add_ops[32] = {
    [QPU_A_NOP] = {"nop", 0, false},        [QPU_A_FADD] = {"fadd", 2, true},
    [QPU_A_FSUB] = {"fsub", 2, true},       [QPU_A_FMIN] = {"fmin", 2, true},
    [QPU_A_FMAX] = {"fmax", 2, true},       [QPU_A_FMINABS] = {"fminabs", 2, true},
    [QPU_A_FMAXABS] = {"fmaxabs", 2, true}, [QPU_A_FTOI] = {"ftoi", 1, true},
    [QPU_A_ITOF] = {"itof", 1, false},      [QPU_A_ADD] = {"add", 2, false},
    [QPU_A_SUB] = {"sub", 2, false},        [QPU_A_SHR] = {"shr", 2, false},
    [QPU_A_ASR] = {"asr", 2, false},        [QPU_A_ROR] = {"ror", 2, false},
    [QPU_A_SHL] = {"shl", 2, false},        [QPU_A_MIN] = {"min", 2, false},
    [QPU_A_MAX] = {"max", 2, false},        [QPU_A_AND] = {"and", 2, false},
    [QPU_A_OR] = {"or", 2, false},          [QPU_A_XOR] = {"xor", 2, false},
    [QPU_A_NOT] = {"not", 1, false},        [QPU_A_CLZ] = {"clz", 1, false},
    [QPU_A_V8ADDS] = {"v8adds", 2, false},  [QPU_A_V8SUBS] = {"v8subs", 2, false},
};

static const struct op_info mul_ops[8] = {
    [QPU_M_NOP] = {"nop", 0, false},       [QPU_M_FMUL] = {"fmul", 2, true},      [QPU_M_MUL24] = {"mul24", 2, false},
    [QPU_M_V8MULD] = {"v8muld", 2, false}, [QPU_M_V8MIN] = {"v8min", 2, false},   [QPU_M_V8MAX] = {"v8max", 2, false},
    [QPU_M_V8ADDS] = {"v8adds", 2, false}, [QPU_M_V8SUBS] = {"v8subs", 2, false},
};

const char *qpu_add_op_name(unsigned op)
{
    return op < ARRAY_SIZE(add_ops) ? add_ops[op].name : NULL;
}

const char *qpu_mul_op_name(unsigned op)
{
    return op < ARRAY_SIZE(mul_ops) ? mul_ops[op].name : NULL;
}

unsigned qpu_add_op_args(unsigned op)
{
    return op < ARRAY_SIZE(add_ops) ? add_ops[op].args : 0;
}

unsigned qpu_mul_op_args(unsigned op)
{
    return op < ARRAY_SIZE(mul_ops) ? mul_ops[op].args : 0;
}

bool qpu_add_op_is_float(unsigned op)
{
    return op < ARRAY_SIZE(add_ops) && add_ops[op].is_float;
}

bool qpu_mul_op_is_float(unsigned op)
{
    return op < ARRAY_SIZE(mul_ops) && mul_ops[op].is_float;
}
