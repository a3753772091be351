/* SPDX-License-Identifier: MIT
 *
 * Recognises the loop with which CPU-engine programs do atomic operations lane by lane (atomic_by_lane() of
 * src/compiler/qpu/qc_engine.c). Does not use LLVM.
 */
#include "model/jit/jit_program.h"

#define SETUP QPU_W_VPMVCD_SETUP /* in file A: for reads and loads; in file B: for writes and stores */

/* Cursor over instructions. `good` stays false after the first mismatch. */
struct reader {
    const struct jit_program *program;
    uint32_t at;
    bool good;
};

static const struct qpu_instr *next_instr(struct reader *r)
{
    static const struct qpu_instr none;

    r->good = r->good && r->at < r->program->count;
    return r->good ? &r->program->ops[r->at++].instr : &none;
}

static void expect(struct reader *r, struct qpu_instr wanted)
{
    const struct qpu_instr *i = next_instr(r);

    r->good = r->good && qpu_encode(i) == qpu_encode(&wanted);
}

/* An unconditional add-ALU instruction. `side`: register file of the destination. */
static struct qpu_instr add(unsigned op, unsigned waddr, unsigned side, unsigned a, unsigned b)
{
    struct qpu_instr i = qpu_nop();

    i.op_add = (uint8_t)op;
    i.cond_add = QPU_COND_ALWAYS;
    i.waddr_add = (uint8_t)waddr;
    i.ws = side & 1;
    i.add_a = (uint8_t)a;
    i.add_b = (uint8_t)b;
    return i;
}

static struct qpu_instr with_small(struct qpu_instr i, unsigned imm)
{
    i.sig = QPU_SIG_SMALL_IMM;
    i.raddr_b = (uint8_t)imm;
    return i;
}

/* Adds a mul-ALU move of the accumulator's old value to a setup register. */
static struct qpu_instr with_setup(struct qpu_instr i, unsigned side, unsigned acc)
{
    i.op_mul = QPU_M_V8MIN;
    i.cond_mul = QPU_COND_ALWAYS;
    i.waddr_mul = SETUP;
    i.ws = !side;
    i.mul_a = i.mul_b = (uint8_t)acc;
    return i;
}

/* Matches the next instruction against `wanted`, whose QPU_MUX_A operands stand for any file register. Returns that
 * register. */
static uint8_t match_register(struct reader *r, struct qpu_instr wanted)
{
    const struct qpu_instr *i = next_instr(r);
    bool is_b = i->add_b == QPU_MUX_B;
    unsigned address = is_b ? i->raddr_b : i->raddr_a;

    if (wanted.add_a == QPU_MUX_A)
        wanted.add_a = i->add_b;
    wanted.add_b = i->add_b;
    *(is_b ? &wanted.raddr_b : &wanted.raddr_a) = (uint8_t)address;
    r->good = r->good && (is_b || i->add_b == QPU_MUX_A) && address < 32 && qpu_encode(i) == qpu_encode(&wanted);
    return (uint8_t)(address + 32 * is_b);
}

static struct qpu_instr conditional(struct qpu_instr i, unsigned cond)
{
    i.cond_add = (uint8_t)cond;
    return i;
}

static struct qpu_instr with_flags(struct qpu_instr i)
{
    i.sf = 1;
    return i;
}

/* The new word is one ALU operation on the old word in r3 and the data. */
static bool read_operation(struct reader *r, struct jit_atomic *out)
{
    static const uint8_t ops[] = {
        [GPU_ATOMIC_ADD] = QPU_A_ADD,  [GPU_ATOMIC_SUB] = QPU_A_SUB, [GPU_ATOMIC_IMIN] = QPU_A_MIN,
        [GPU_ATOMIC_IMAX] = QPU_A_MAX, [GPU_ATOMIC_AND] = QPU_A_AND, [GPU_ATOMIC_OR] = QPU_A_OR,
        [GPU_ATOMIC_XOR] = QPU_A_XOR};

    out->compare = 0;
    for (unsigned n = 0; n < ARRAY_SIZE(ops); n++) {
        struct reader one = *r;
        if (!ops[n])
            continue;
        out->what = n;
        out->data = match_register(&one, add(ops[n], QPU_W_VPM, 0, QPU_MUX_R3, QPU_MUX_A));
        if (one.good) {
            *r = one;
            return true;
        }
    }
    return false;
}

/* The new word is a float operation on the old word and the data, except where the old word's magnitude is larger than
 * that of another register. */
static bool read_float_operation(struct reader *r, struct jit_atomic *out)
{
    static const struct {
        enum gpu_atomic what;
        uint8_t op;
    } kinds[] = {{GPU_ATOMIC_FADD, QPU_A_FADD}, {GPU_ATOMIC_FMIN, QPU_A_FMIN}, {GPU_ATOMIC_FMAX, QPU_A_FMAX}};

    for (unsigned n = 0; n < ARRAY_SIZE(kinds); n++) {
        struct reader one = *r;
        out->what = kinds[n].what;
        out->compare = match_register(&one, with_flags(add(QPU_A_FMAXABS, QPU_W_NOP, 0, QPU_MUX_R3, QPU_MUX_A)));
        out->data =
            match_register(&one, conditional(add(kinds[n].op, QPU_W_ACC3, 0, QPU_MUX_R3, QPU_MUX_A), QPU_COND_CC));
        const struct qpu_instr replace = conditional(add(QPU_A_OR, QPU_W_ACC3, 0, QPU_MUX_A, QPU_MUX_A), QPU_COND_CS);
        if (kinds[n].what != GPU_ATOMIC_FADD && match_register(&one, replace) != out->data)
            continue;
        expect(&one, add(QPU_A_OR, QPU_W_VPM, 0, QPU_MUX_R3, QPU_MUX_R3));
        if (one.good) {
            *r = one;
            return true;
        }
    }
    return false;
}

/* The data replaces the old word, always or if a comparison of the two has the right flag. */
static bool read_replacement(struct reader *r, struct jit_atomic *out)
{
    static const struct {
        enum gpu_atomic what;
        uint8_t op, cond;
    } kinds[] = {{GPU_ATOMIC_EXCHANGE, 0, QPU_COND_ALWAYS},
                 {GPU_ATOMIC_UMIN, QPU_A_SUB, QPU_COND_CC},
                 {GPU_ATOMIC_UMAX, QPU_A_SUB, QPU_COND_CS},
                 {GPU_ATOMIC_COMPARE, QPU_A_XOR, QPU_COND_ZS}};

    for (unsigned n = 0; n < ARRAY_SIZE(kinds); n++) {
        struct reader one = *r;
        out->what = kinds[n].what;
        out->compare = 0;
        if (kinds[n].op)
            out->compare = match_register(&one, with_flags(add(kinds[n].op, QPU_W_NOP, 0, QPU_MUX_R3, QPU_MUX_A)));
        out->data =
            match_register(&one, conditional(add(QPU_A_OR, QPU_W_ACC3, 0, QPU_MUX_A, QPU_MUX_A), kinds[n].cond));
        expect(&one, add(QPU_A_OR, QPU_W_VPM, 0, QPU_MUX_R3, QPU_MUX_R3));
        if (one.good && (kinds[n].what == GPU_ATOMIC_COMPARE || !kinds[n].op || out->compare == out->data)) {
            *r = one;
            return true;
        }
    }
    return false;
}

bool jit_program_is_atomic(const struct jit_program *program, uint32_t at, struct jit_atomic *out)
{
    struct reader r = {program, at, true};
    struct qpu_instr wait_load = qpu_nop(), wait_store = qpu_nop(), from_vpm, rotate = qpu_nop();

    wait_load.raddr_a = wait_store.raddr_b = QPU_R_VPM_WAIT;
    if (!program->has_user)
        return false;
    expect(&r, with_setup(with_small(add(QPU_A_ADD, QPU_W_ACC1, 0, QPU_MUX_R1, QPU_MUX_B), 1), 0, QPU_MUX_R1));
    expect(&r, add(QPU_A_OR, QPU_W_VPM_ADDR, 0, QPU_MUX_R0, QPU_MUX_R0));
    expect(&r, wait_load);
    if (!r.good)
        return false;
    out->scratch = match_register(&r, add(QPU_A_OR, SETUP, 0, QPU_MUX_A, QPU_MUX_A));
    from_vpm = add(QPU_A_OR, QPU_W_ACC3, 0, QPU_MUX_A, QPU_MUX_A);
    from_vpm.raddr_a = QPU_R_VPM;
    expect(&r, from_vpm);
    if (!r.good || (!read_operation(&r, out) && !read_float_operation(&r, out) && !read_replacement(&r, out)))
        return false;
    expect(&r, with_setup(with_small(add(QPU_A_ADD, QPU_W_ACC2, 0, QPU_MUX_R2, QPU_MUX_B), 8), 1, QPU_MUX_R2));
    expect(&r, add(QPU_A_OR, QPU_W_VPM_ADDR, 1, QPU_MUX_R0, QPU_MUX_R0));
    expect(&r, wait_store);
    expect(&r, with_flags(with_small(add(QPU_A_SUB, QPU_W_ACC5, 0, QPU_MUX_R5, QPU_MUX_B), 1)));
    const struct qpu_instr *branch = next_instr(&r);
    if (!r.good || branch->sig != QPU_SIG_BRANCH || branch->pack != QPU_BRANCH_ANY_ZC ||
        program->ops[r.at - 1].target != at)
        return false;
    rotate.op_mul = QPU_M_V8MIN;
    rotate.cond_mul = QPU_COND_ALWAYS;
    rotate.waddr_mul = QPU_W_ACC0;
    rotate.mul_a = rotate.mul_b = QPU_MUX_R0;
    expect(&r, with_small(rotate, QPU_SMALL_IMM_ROTATE(QPU_LANES - 1)));
    expect(&r, qpu_nop());
    expect(&r, qpu_nop());
    for (uint32_t n = at + 1; r.good && n < r.at; n++)
        r.good = !program->ops[n].leader; /* no branch enters the middle */
    out->count = r.at - at;
    return r.good;
}
