/* SPDX-License-Identifier: MIT
 *
 * Decodes and analyses a program before it is compiled: reachable instructions, basic-block leaders, live registers.
 * Refuses programs that the compiler does not support, with the reason.
 */
#include <stdlib.h>
#include <string.h>
#include "model/jit/jit_program.h"

#define DELAY_SLOTS 3u

unsigned jit_op_cond(const struct qpu_instr *i, bool mul)
{
    if (!jit_op_is_alu(i))
        return mul ? i->cond_mul : i->cond_add;
    if (mul)
        return i->op_mul == QPU_M_NOP ? QPU_COND_NEVER : i->cond_mul;
    return i->op_add == QPU_A_NOP ? QPU_COND_NEVER : i->cond_add;
}

static bool reads_port(const struct qpu_instr *i, unsigned raddr)
{
    return jit_op_is_alu(i) && (i->raddr_a == raddr || (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == raddr));
}

static bool is_semaphore(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_LOAD_IMM && i->unpack == QPU_LOAD_IMM_SEMAPHORE;
}

bool jit_program_ends(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_PROGRAM_END || i->sig == QPU_SIG_COLOR_LOAD_END;
}

/* -- unsupported code ---------------------------------------------------------------------------------------------- */

static const char *refuse_branch(const struct qpu_instr *i)
{
    if (i->branch_reg || !i->branch_rel || i->imm % 8)
        return "an indirect, absolute or misaligned branch";
    if (i->pack > QPU_BRANCH_ANY_CC && i->pack != QPU_BRANCH_ALWAYS)
        return "a branch with a reserved condition";
    if (i->raddr_a & 1 || i->waddr_add != QPU_W_NOP || i->waddr_mul != QPU_W_NOP)
        return "a branch that writes a link address";
    return NULL;
}

static const char *refuse(const struct jit_program *p, const struct qpu_instr *i)
{
    if (i->sig == QPU_SIG_BRANCH)
        return refuse_branch(i);
    if (i->sig == QPU_SIG_BREAKPOINT)
        return "a breakpoint";
    if (is_semaphore(i) && p->kind != QPU_PROGRAM_USER)
        return "a semaphore outside of a user program";
    if (i->sig == QPU_SIG_LOAD_IMM && i->unpack != QPU_LOAD_IMM_32 && i->unpack != QPU_LOAD_IMM_PER_LANE_SIGNED &&
        i->unpack != QPU_LOAD_IMM_PER_LANE_UNSIGNED && i->unpack != QPU_LOAD_IMM_SEMAPHORE)
        return "a load immediate in an undocumented mode";
    if (reads_port(i, QPU_R_MUTEX_ACQUIRE) && !p->has_user)
        return "the mutex in a program that cannot access it";
    return NULL;
}

/* -- reachability -------------------------------------------------------------------------------------------------- */

struct walk {
    struct jit_program *p;
    uint32_t *stack;
    unsigned depth;
};

static void push(struct walk *w, uint32_t at, bool leader)
{
    struct jit_op *op = &w->p->ops[at];
    op->leader |= leader;
    if (!op->reached) {
        op->reached = true;
        w->stack[w->depth++] = at;
    }
}

/* Follows the code from `at` up to the program's end, an unconditional branch or a visited instruction. Pushes
 * targets. */
static const char *walk_from(struct walk *w, uint32_t at)
{
    struct jit_program *p = w->p;
    uint32_t slots = 0, end = 0, target = 0;
    bool always = false;

    for (;; at++) {
        if (at >= p->count)
            return "the program runs past its end";
        struct jit_op *op = &p->ops[at];
        const struct qpu_instr *i = &op->instr;
        op->reached = true;
        const char *message = refuse(p, i);
        if (message)
            return message;
        op->waits = is_semaphore(i) || reads_port(i, QPU_R_MUTEX_ACQUIRE);
        if (op->waits && p->kind == QPU_PROGRAM_USER) {
            if (slots)
                return "a wait in the delay slots of a branch";
            op->leader = true;
        }
        if (i->sig == QPU_SIG_BRANCH) {
            int64_t to = (int64_t)at + 4 + (int32_t)i->imm / 8;
            if (slots)
                return "a branch in the delay slots of a branch";
            if (to < 0 || to >= p->count)
                return "a branch that leaves the program";
            target = op->target = (uint32_t)to;
            always = i->pack == QPU_BRANCH_ALWAYS;
            slots = DELAY_SLOTS + 1;
        }
        if (jit_program_ends(i))
            end = 3;
        if (end && --end == 0)
            return NULL;
        if (slots && --slots == 0) {
            push(w, target, true);
            if (always)
                return NULL;
            if (at + 1 >= p->count)
                return "the program runs past its end";
            if (p->ops[at + 1].reached) { /* already visited */
                p->ops[at + 1].leader = true;
                return NULL;
            }
            p->ops[at + 1].leader = true;
        }
    }
}

static const char *find_reached(struct jit_program *p)
{
    struct walk w = {.p = p, .stack = malloc(p->count * sizeof(uint32_t))};
    const char *message = NULL;

    if (!w.stack)
        return "out of memory";
    push(&w, 0, true);
    while (w.depth && !message)
        message = walk_from(&w, w.stack[--w.depth]);
    free(w.stack);
    return message;
}

/* Refuses branches to delay slots: the same instruction would be a delay slot on one path only. */
static const char *refuse_targets(const struct jit_program *p)
{
    for (uint32_t n = 0; n < p->count; n++) {
        if (!p->ops[n].reached || p->ops[n].instr.sig != QPU_SIG_BRANCH)
            continue;
        uint32_t target = p->ops[n].target;
        for (uint32_t back = 1; back <= DELAY_SLOTS && back <= target; back++) {
            const struct jit_op *before = &p->ops[target - back];
            if (before->reached &&
                (before->instr.sig == QPU_SIG_BRANCH || (back < 3 && jit_program_ends(&before->instr))))
                return "a branch into delay slots";
        }
    }
    return NULL;
}

/* -- liveness ------------------------------------------------------------------------------------------------------ */

static void use_mux(struct jit_live *live, const struct qpu_instr *i, unsigned mux)
{
    if (mux < QPU_MUX_A)
        live->acc |= BIT(mux);
    else if (mux == QPU_MUX_A && i->raddr_a < 32)
        live->file |= UINT64_C(1) << i->raddr_a;
    else if (mux == QPU_MUX_B && i->sig != QPU_SIG_SMALL_IMM && i->raddr_b < 32)
        live->file |= UINT64_C(1) << (32 + i->raddr_b);
}

static void kill_write(struct jit_live *live, unsigned side, unsigned waddr)
{
    if (waddr < 32)
        live->file &= ~(UINT64_C(1) << (32 * side + waddr));
    else if (waddr <= QPU_W_ACC3)
        live->acc &= ~BIT(waddr - QPU_W_ACC0);
    else if (waddr == QPU_W_ACC5)
        live->acc &= ~BIT(5);
}

/* Turns the live set after an instruction into the one before it. Conservative: may keep dead registers live. */
static void live_before(const struct qpu_instr *i, struct jit_live *live)
{
    unsigned add = jit_op_cond(i, false), mul = jit_op_cond(i, true);

    if (i->sig == QPU_SIG_BRANCH) {
        live->acc |= BIT(JIT_LIVE_FLAGS);
        return;
    }
    if (!i->pack || (jit_op_is_alu(i) && i->pm)) { /* a pack may keep bits of the old value */
        if (add == QPU_COND_ALWAYS)
            kill_write(live, i->ws, i->waddr_add);
        if (mul == QPU_COND_ALWAYS && !i->pack)
            kill_write(live, !i->ws, i->waddr_mul);
    }
    if (i->sig == QPU_SIG_LOAD_TMU0 || i->sig == QPU_SIG_LOAD_TMU1 || i->sig == QPU_SIG_COLOR_LOAD)
        live->acc &= ~BIT(4);
    if (add > QPU_COND_ALWAYS || mul > QPU_COND_ALWAYS)
        live->acc |= BIT(JIT_LIVE_FLAGS);
    if (!jit_op_is_alu(i))
        return;
    if (i->op_add != QPU_A_NOP) {
        use_mux(live, i, i->add_a);
        use_mux(live, i, i->add_b);
    }
    if (i->op_mul != QPU_M_NOP) {
        use_mux(live, i, i->mul_a);
        use_mux(live, i, i->mul_b);
    }
    if (i->sig == QPU_SIG_SMALL_IMM && i->raddr_b == QPU_SMALL_IMM_ROTATE_R5)
        live->acc |= BIT(5);
}

static void join(struct jit_live *into, const struct jit_live *from)
{
    into->file |= from->file;
    into->acc |= from->acc;
}

/* The live set after instruction `at`: from the next instruction, and from a branch whose last delay slot this is. */
static struct jit_live live_after(const struct jit_program *p, uint32_t at)
{
    struct jit_live live = {0};
    bool falls = true;

    if (at >= DELAY_SLOTS && p->ops[at - DELAY_SLOTS].instr.sig == QPU_SIG_BRANCH && p->ops[at - DELAY_SLOTS].reached)
        join(&live, &p->ops[p->ops[at - DELAY_SLOTS].target].live);
    for (uint32_t back = 0; back < 3 && back <= at; back++) /* the second instruction after an end is the last */
        falls &= !(back == 2 && jit_program_ends(&p->ops[at - 2].instr));
    if (falls && at + 1 < p->count && p->ops[at + 1].reached)
        join(&live, &p->ops[at + 1].live);
    if (p->keeps_all)
        live = (struct jit_live){~UINT64_C(0), ~0u};
    return live;
}

static void find_liveness(struct jit_program *p)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t at = p->count; at--;) {
            struct jit_op *op = &p->ops[at];
            if (!op->reached)
                continue;
            struct jit_live live = live_after(p, at);
            live_before(&op->instr, &live);
            if (p->keeps_all)
                live = (struct jit_live){~UINT64_C(0), ~0u};
            if (live.file != op->live.file || live.acc != op->live.acc) {
                op->live = live;
                changed = true;
            }
        }
    }
}

/* -- lane-by-lane DMA ---------------------------------------------------------------------------------------------- */

/* The sequence has two instructions per lane. The first writes r1 to the setup register and adds r2 to it for the next
 * lane. The second writes the lane's word of r0 to the address register (store() and load() in
 * src/compiler/qpu/qc_engine.c). */
static struct qpu_instr setup_of_lane(bool store)
{
    struct qpu_instr i = qpu_nop();

    i.op_add = QPU_A_ADD;
    i.cond_add = QPU_COND_ALWAYS;
    i.waddr_add = QPU_W_ACC1;
    i.add_a = QPU_MUX_R1;
    i.add_b = QPU_MUX_R2;
    i.op_mul = QPU_M_V8MIN;
    i.cond_mul = QPU_COND_ALWAYS;
    i.waddr_mul = QPU_W_VPMVCD_SETUP;
    i.mul_a = i.mul_b = QPU_MUX_R1;
    i.ws = !store;
    *(store ? &i.raddr_b : &i.raddr_a) = QPU_R_VPM_WAIT;
    return i;
}

static struct qpu_instr address_of_lane(bool store, unsigned l)
{
    struct qpu_instr i = qpu_nop();

    i.op_mul = QPU_M_V8MIN;
    i.cond_mul = QPU_COND_ALWAYS;
    i.waddr_mul = QPU_W_VPM_ADDR;
    i.mul_a = i.mul_b = QPU_MUX_R0;
    i.ws = !store;
    if (l) {
        i.sig = QPU_SIG_SMALL_IMM;
        i.raddr_b = (uint8_t)QPU_SMALL_IMM_ROTATE(QPU_LANES - l);
    }
    return i;
}

static bool is_instr(const struct jit_op *op, struct qpu_instr wanted)
{
    return qpu_encode(&op->instr) == qpu_encode(&wanted);
}

bool jit_program_moves_lanes(const struct jit_program *p, uint32_t at, bool *store_out)
{
    if (!p->has_user || p->count - at < JIT_MOVE_INSTRS)
        return false;
    bool store = is_instr(&p->ops[at], setup_of_lane(true));
    if (!store && !is_instr(&p->ops[at], setup_of_lane(false)))
        return false;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        const struct jit_op *pair = &p->ops[at + 2 * l];
        if ((l && pair[0].leader) || pair[1].leader || !is_instr(&pair[0], setup_of_lane(store)) ||
            !is_instr(&pair[1], address_of_lane(store, l)))
            return false;
    }
    *store_out = store;
    return true;
}

/* -- whole programs ----------------------------------------------------------------------------------------------- */

bool jit_program_read(const struct jit_source *source, struct jit_program *out, const char **message_out)
{
    *out = (struct jit_program){
        .kind = source->kind, .has_user = source->has_user, .keeps_all = source->keeps_all, .count = source->count};
    if (!source->count || source->count > JIT_MAX_INSTRS) {
        *message_out = "the program has no instructions or too many";
        return false;
    }
    out->ops = calloc(source->count, sizeof out->ops[0]);
    if (!out->ops) {
        *message_out = "out of memory";
        return false;
    }
    for (uint32_t n = 0; n < source->count; n++)
        out->ops[n].instr = qpu_decode(source->words[n]);
    *message_out = find_reached(out);
    if (!*message_out)
        *message_out = refuse_targets(out);
    if (*message_out) {
        jit_program_free(out);
        return false;
    }
    find_liveness(out);
    return true;
}

void jit_program_free(struct jit_program *program)
{
    free(program->ops);
    program->ops = NULL;
}
