/* SPDX-License-Identifier: MIT
 *
 * The fixed instruction sequences of CPU-engine programs (docs/cpu-engine.md): atomics and barriers. Operands are in
 * file registers; sequences may clobber r0 to r5 and the flags. No sequence pops a uniform.
 *
 * A DMA transfer takes its address from lane 0 and the VPM column from its setup word. So data is kept in a row of the
 * VPM, one column per lane. The code rotates the addresses through lane 0 and increments the column in the setup word.
 * [guide p.56-60; rows and setup words: hardware.md 6.4, 6.5]
 */
#include "compiler/qpu/qc_engine.h"

/* Operands for the functions that write instructions. */
#define ACC(n)     ((unsigned)(n))
#define FROM_A     0x40u /* plus an address of port A */
#define FROM_B     0x80u
#define SMALL(imm) (0x100u + (unsigned)(imm)) /* 0 to 15 */

#define TO_ACC(n) (QPU_W_ACC0 + (n))
#define TO_A      0x40u /* plus a write address of file A or its peripherals; neither bit: either file is fine */
#define TO_B      0x80u

/* Setup words. The code adds a row number to each, counted from the upper half of the VPM: vertex programs use the
 * lower half. */
#define VPM_WRITE_ROW      0x00001a40u /* horizontal words, the row advances after each */
#define VPM_WRITE_SAME_ROW 0x00000a40u
#define VPM_READ_ROW       0x00101a40u /* one vector */
#define DMA_LOAD_WORD      0x80111400u /* plus row << 4 and column */
#define DMA_STORE_WORD     0x80816000u /* plus row << 7 and column << 3 */
#define DMA_LOAD_ROW       0x80011400u /* 16 words */
#define DMA_STORE_ROW      0x80906000u

struct writer {
    struct qpu_instr *out;
    unsigned count;
};

static struct qpu_instr *next(struct writer *w)
{
    assert(w->count < QC_SEQUENCE_ROOM);
    w->out[w->count] = qpu_nop();
    return &w->out[w->count++];
}

static uint8_t mux(struct qpu_instr *i, unsigned src)
{
    if (src >= SMALL(0)) {
        i->sig = QPU_SIG_SMALL_IMM;
        i->raddr_b = (uint8_t)(src - SMALL(0));
        return QPU_MUX_B;
    }
    if (src >= FROM_B) {
        i->raddr_b = (uint8_t)(src - FROM_B);
        return QPU_MUX_B;
    }
    if (src >= FROM_A) {
        i->raddr_a = (uint8_t)(src - FROM_A);
        return QPU_MUX_A;
    }
    return (uint8_t)src;
}

static struct qpu_instr *add(struct writer *w, enum qpu_add_op op, unsigned dst, unsigned x, unsigned y)
{
    struct qpu_instr *i = next(w);
    i->op_add = (uint8_t)op;
    i->cond_add = QPU_COND_ALWAYS;
    i->waddr_add = dst & 0x3f;
    i->ws = (dst & TO_B) != 0;
    i->add_a = mux(i, x);
    i->add_b = mux(i, y);
    return i;
}

static struct qpu_instr *mov(struct writer *w, unsigned dst, unsigned x)
{
    return add(w, QPU_A_OR, dst, x, x);
}

/* Adds a move on the mul unit to an instruction whose add writes an accumulator: the move's destination selects
 * `ws`. */
static void with_mov(struct qpu_instr *i, unsigned dst, unsigned acc)
{
    i->op_mul = QPU_M_V8MIN;
    i->cond_mul = QPU_COND_ALWAYS;
    i->waddr_mul = dst & 0x3f;
    i->ws = (dst & TO_A) != 0;
    i->mul_a = i->mul_b = (uint8_t)acc;
}

/* Moves lane l of an accumulator to lane 0 of the destination. */
static void mov_lane(struct writer *w, unsigned dst, unsigned acc, unsigned l)
{
    struct qpu_instr *i = next(w);
    with_mov(i, dst, acc);
    if (l) {
        i->sig = QPU_SIG_SMALL_IMM;
        i->raddr_b = (uint8_t)QPU_SMALL_IMM_ROTATE(16 - l);
    }
}

static void load_imm(struct writer *w, unsigned dst, uint32_t word)
{
    struct qpu_instr *i = next(w);
    i->sig = QPU_SIG_LOAD_IMM;
    i->unpack = QPU_LOAD_IMM_32;
    i->imm = word;
    i->cond_add = QPU_COND_ALWAYS;
    i->waddr_add = dst & 0x3f;
    i->ws = (dst & TO_B) != 0;
}

static void wait_load(struct writer *w)
{
    next(w)->raddr_a = QPU_R_VPM_WAIT;
}

static void wait_store(struct writer *w)
{
    next(w)->raddr_b = QPU_R_VPM_WAIT;
}

static unsigned from(unsigned place)
{
    return place & VC4C_SITE_FILE_B ? FROM_B + (place & 31) : FROM_A + place;
}

static unsigned to(unsigned place)
{
    return place & VC4C_SITE_FILE_B ? TO_B + (place & 31) : TO_A + place;
}

/* Computes the QPU's first VPM row: each of 16 QPUs has four rows. The engine numbers QPUs across its threads; each set
 * of 16 has a VPM of its own. */
static void load_own_row(struct writer *w, unsigned acc)
{
    mov(w, TO_ACC(acc), FROM_B + QPU_R_ELEMENT_QPU);
    add(w, QPU_A_AND, TO_ACC(acc), ACC(acc), SMALL(15));
    add(w, QPU_A_SHL, TO_ACC(acc), ACC(acc), SMALL(2));
}

/* ---------------------------------------------------------------- branches */

static void branch(struct writer *w, enum qpu_branch_cond cond, unsigned target)
{
    struct qpu_instr *i = next(w);
    i->sig = QPU_SIG_BRANCH;
    i->pack = (uint8_t)cond;
    i->branch_rel = 1;
    i->raddr_a = 0;
    i->imm = (uint32_t)(((int)target - (int)(w->count + 3)) * 8);
}

static void nops(struct writer *w, unsigned count)
{
    while (count--)
        next(w);
}

/* When the lanes' addresses are consecutive (lane 0's plus 4 * lane), one transfer serves all lanes. Emits a branch to
 * the code for that case; set_target() sets its target. The caller emits the last two delay slots. Clobbers r0 and
 * r5. */
static struct qpu_instr *begin_branch_for_row(struct writer *w, unsigned address)
{
    mov(w, TO_ACC(0), FROM_A + QPU_R_ELEMENT_QPU);
    add(w, QPU_A_SHL, TO_ACC(0), ACC(0), SMALL(2));
    add(w, QPU_A_SUB, TO_ACC(0), address, ACC(0));
    mov(w, TO_B + QPU_W_ACC5, ACC(0)); /* lane 0 to all */
    add(w, QPU_A_SUB, QPU_W_NOP, ACC(0), ACC(5))->sf = 1;
    branch(w, QPU_BRANCH_ALL_ZS, 0);
    nops(w, 1);
    return &w->out[w->count - 2];
}

static struct qpu_instr *begin_branch(struct writer *w)
{
    branch(w, QPU_BRANCH_ALWAYS, 0);
    nops(w, 3);
    return &w->out[w->count - 4];
}

/* Makes the next instruction the target of the branch. */
static void set_target(struct writer *w, struct qpu_instr *from_branch)
{
    from_branch->imm = (uint32_t)(((int)w->count - (int)(from_branch - w->out) - 4) * 8);
}

/* ---------------------------------------------------------------- rows */

/* Reads the row in r3 to `dst`. */
static void row_to(struct writer *w, unsigned dst)
{
    load_imm(w, TO_ACC(2), VPM_READ_ROW);
    add(w, QPU_A_ADD, TO_A + QPU_W_VPMVCD_SETUP, ACC(2), ACC(3));
    mov(w, dst, FROM_A + QPU_R_VPM);
}

static void load_setup(struct writer *w, uint32_t setup)
{
    load_own_row(w, 3);
    add(w, QPU_A_SHL, TO_ACC(2), ACC(3), SMALL(4));
    load_imm(w, TO_ACC(1), setup);
    add(w, QPU_A_ADD, TO_ACC(1), ACC(1), ACC(2));
}

/* ---------------------------------------------------------------- atomics */

static const struct {
    uint8_t op;   /* add unit operation that computes the new word, or 0 */
    uint8_t keep; /* if op is 0: condition, after old - data or old ^ compare, under which data replaces the old word */
} updates[VC4C_SITE_KINDS] = {
    [VC4C_SITE_ATOMIC_ADD] = {QPU_A_ADD, 0},
    [VC4C_SITE_ATOMIC_SUB] = {QPU_A_SUB, 0},
    [VC4C_SITE_ATOMIC_IMIN] = {QPU_A_MIN, 0},
    [VC4C_SITE_ATOMIC_IMAX] = {QPU_A_MAX, 0},
    [VC4C_SITE_ATOMIC_UMIN] = {0, QPU_COND_CC}, /* carry set: borrow, the old word is less */
    [VC4C_SITE_ATOMIC_UMAX] = {0, QPU_COND_CS},
    [VC4C_SITE_ATOMIC_AND] = {QPU_A_AND, 0},
    [VC4C_SITE_ATOMIC_OR] = {QPU_A_OR, 0},
    [VC4C_SITE_ATOMIC_XOR] = {QPU_A_XOR, 0},
    [VC4C_SITE_ATOMIC_EXCHANGE] = {0, QPU_COND_ALWAYS},
    [VC4C_SITE_ATOMIC_COMPARE] = {0, QPU_COND_ZS},
};

static const uint8_t float_ops[VC4C_SITE_KINDS] = {
    [VC4C_SITE_ATOMIC_FADD] = QPU_A_FADD,
    [VC4C_SITE_ATOMIC_FMIN] = QPU_A_FMIN,
    [VC4C_SITE_ATOMIC_FMAX] = QPU_A_FMAX,
};

/* The float units take NaN for infinity. So a NaN in memory, whose magnitude is larger than infinity, stays where data
 * is added, and makes way for the data otherwise. */
static void update_floats(struct writer *w, const struct vc4c_site *s)
{
    add(w, QPU_A_FMAXABS, QPU_W_NOP, ACC(3), from(s->compare))->sf = 1; /* carry: the old word is a NaN */
    add(w, float_ops[s->kind], TO_ACC(3), ACC(3), from(s->data))->cond_add = QPU_COND_CC;
    if (s->kind != VC4C_SITE_ATOMIC_FADD)
        mov(w, TO_ACC(3), from(s->data))->cond_add = QPU_COND_CS;
    mov(w, TO_A + QPU_W_VPM, ACC(3));
}

/* Computes new words from the old ones in r3 and writes them to the VPM. */
static void update(struct writer *w, const struct vc4c_site *s)
{
    if (updates[s->kind].op) {
        add(w, updates[s->kind].op, TO_A + QPU_W_VPM, ACC(3), from(s->data));
        return;
    }
    if (float_ops[s->kind]) {
        update_floats(w, s);
        return;
    }
    if (s->kind == VC4C_SITE_ATOMIC_COMPARE)
        add(w, QPU_A_XOR, QPU_W_NOP, ACC(3), from(s->compare))->sf = 1;
    else if (s->kind != VC4C_SITE_ATOMIC_EXCHANGE)
        add(w, QPU_A_SUB, QPU_W_NOP, ACC(3), from(s->data))->sf = 1;
    mov(w, TO_ACC(3), from(s->data))->cond_add = updates[s->kind].keep;
    mov(w, TO_A + QPU_W_VPM, ACC(3));
}

/* One lane per round: the lane's word is loaded to its column of the first row, all new words are computed from that
 * row into the second row, and the lane's column of the second row is stored. Addresses rotate by one lane per round,
 * so after 16 rounds they are back in place. */
static void atomic_by_lane(struct writer *w, const struct vc4c_site *s)
{
    next(w)->raddr_a = QPU_R_MUTEX_ACQUIRE;
    load_own_row(w, 3);
    load_imm(w, TO_ACC(2), VPM_WRITE_SAME_ROW + 1);
    add(w, QPU_A_ADD, TO_B + QPU_W_VPMVCD_SETUP, ACC(2), ACC(3));
    load_imm(w, TO_ACC(2), VPM_READ_ROW);
    add(w, QPU_A_ADD, to(s->scratch), ACC(2), ACC(3));
    add(w, QPU_A_SHL, TO_ACC(2), ACC(3), SMALL(4));
    load_imm(w, TO_ACC(1), DMA_LOAD_WORD);
    add(w, QPU_A_ADD, TO_ACC(1), ACC(1), ACC(2));
    add(w, QPU_A_SHL, TO_ACC(3), ACC(3), SMALL(7));
    load_imm(w, TO_ACC(2), DMA_STORE_WORD + (1u << 7));
    add(w, QPU_A_ADD, TO_ACC(2), ACC(2), ACC(3));
    mov(w, TO_ACC(0), from(s->address));
    load_imm(w, TO_A + QPU_W_ACC5, QPU_LANES);

    unsigned round = w->count;
    with_mov(add(w, QPU_A_ADD, TO_ACC(1), ACC(1), SMALL(1)), TO_A + QPU_W_VPMVCD_SETUP, 1);
    mov(w, TO_A + QPU_W_VPM_ADDR, ACC(0));
    wait_load(w);
    mov(w, TO_A + QPU_W_VPMVCD_SETUP, from(s->scratch));
    mov(w, TO_ACC(3), FROM_A + QPU_R_VPM);
    update(w, s);
    with_mov(add(w, QPU_A_ADD, TO_ACC(2), ACC(2), SMALL(8)), TO_B + QPU_W_VPMVCD_SETUP, 2);
    mov(w, TO_B + QPU_W_VPM_ADDR, ACC(0));
    wait_store(w);
    add(w, QPU_A_SUB, TO_A + QPU_W_ACC5, ACC(5), SMALL(1))->sf = 1;
    branch(w, QPU_BRANCH_ANY_ZC, round);
    mov_lane(w, TO_ACC(0), 0, 1); /* delay slots */
    next(w);
    next(w);

    mov(w, TO_A + QPU_W_MUTEX_RELEASE, ACC(0));
    if (s->result != VC4C_SITE_NO_REGISTER) {
        mov(w, TO_A + QPU_W_VPMVCD_SETUP, from(s->scratch));
        mov(w, to(s->result), FROM_A + QPU_R_VPM);
    }
}

/* Consecutive addresses: all lanes at once. */
static void atomic_row(struct writer *w, const struct vc4c_site *s)
{
    next(w)->raddr_a = QPU_R_MUTEX_ACQUIRE;
    load_setup(w, DMA_LOAD_ROW);
    mov(w, TO_A + QPU_W_VPMVCD_SETUP, ACC(1));
    mov(w, TO_A + QPU_W_VPM_ADDR, from(s->address));
    load_imm(w, TO_ACC(2), VPM_WRITE_SAME_ROW + 1);
    add(w, QPU_A_ADD, TO_B + QPU_W_VPMVCD_SETUP, ACC(2), ACC(3));
    load_imm(w, TO_ACC(2), DMA_STORE_ROW + (1u << 7));
    add(w, QPU_A_SHL, TO_ACC(1), ACC(3), SMALL(7));
    add(w, QPU_A_ADD, TO_ACC(1), ACC(1), ACC(2));
    wait_load(w);
    row_to(w, TO_ACC(0));
    mov(w, TO_ACC(3), ACC(0));
    update(w, s);
    mov(w, TO_B + QPU_W_VPMVCD_SETUP, ACC(1));
    mov(w, TO_B + QPU_W_VPM_ADDR, from(s->address));
    wait_store(w);
    mov(w, TO_A + QPU_W_MUTEX_RELEASE, ACC(0));
    if (s->result != VC4C_SITE_NO_REGISTER)
        mov(w, to(s->result), ACC(0));
}

static void atomic(struct writer *w, const struct vc4c_site *s)
{
    struct qpu_instr *row = begin_branch_for_row(w, from(s->address));
    nops(w, 2);
    atomic_by_lane(w, s);
    struct qpu_instr *end = begin_branch(w);
    set_target(w, row);
    atomic_row(w, s);
    set_target(w, end);
}

/* ---------------------------------------------------------------- barriers */

/* Takes or gives a semaphore `count` times, all at once. */
static void semaphore(struct writer *w, unsigned number, bool take, unsigned count)
{
    struct qpu_instr *i = next(w);
    i->sig = QPU_SIG_LOAD_IMM;
    i->unpack = QPU_LOAD_IMM_SEMAPHORE;
    i->imm = number | (take ? 16u : 0u) | QPU_SEMAPHORE_MORE(count - 1);
}

/* A barrier has two phases, with semaphores 0, 1 and 2, 3; docs/cpu-engine.md explains why. Writes phases `begin` to
 * `end` - 1. */
static void barrier(struct writer *w, const struct vc4c_site *s, unsigned subgroups, unsigned begin, unsigned end)
{
    mov(w, QPU_W_NOP, from(s->data))->sf = 1;
    branch(w, QPU_BRANCH_ANY_ZC, 0);
    nops(w, 3);
    struct qpu_instr *is_other = &w->out[w->count - 4];
    for (unsigned phase = begin; phase < end; phase++) {
        semaphore(w, 2 * phase, true, subgroups - 1);
        semaphore(w, 2 * phase + 1, false, subgroups - 1);
    }
    struct qpu_instr *end_master = begin_branch(w);
    set_target(w, is_other);
    for (unsigned phase = begin; phase < end; phase++) {
        semaphore(w, 2 * phase, false, 1);
        semaphore(w, 2 * phase + 1, true, 1);
    }
    set_target(w, end_master);
    nops(w, 2); /* the next instruction may be a branch */
}

/* ---------------------------------------------------------------- public functions */

bool qc_sequence_has_address(enum vc4c_site_kind kind)
{
    return kind < VC4C_SITE_BARRIER;
}

bool qc_sequence_has_scratch(enum vc4c_site_kind kind)
{
    return kind >= VC4C_SITE_ATOMIC_ADD && kind <= VC4C_SITE_ATOMIC_COMPARE;
}

unsigned qc_sequence_write(const struct vc4c_site *site, unsigned subgroups, struct qpu_instr out[QC_SEQUENCE_ROOM])
{
    struct writer w = {.out = out};
    switch ((enum vc4c_site_kind)site->kind) {
    case VC4C_SITE_BARRIER:
        barrier(&w, site, subgroups, 0, 2);
        break;
    case VC4C_SITE_BARRIER_ARRIVE:
        barrier(&w, site, subgroups, 0, 1);
        break;
    case VC4C_SITE_BARRIER_LEAVE:
        barrier(&w, site, subgroups, 1, 2);
        break;
    case VC4C_SITE_MUTEX_ACQUIRE:
        next(&w)->raddr_a = QPU_R_MUTEX_ACQUIRE;
        break;
    case VC4C_SITE_MUTEX_RELEASE:
        mov(&w, TO_A + QPU_W_MUTEX_RELEASE, ACC(0));
        break;
    default:
        atomic(&w, site);
        break;
    }
    return w.count;
}
