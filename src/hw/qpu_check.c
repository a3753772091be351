/* SPDX-License-Identifier: MIT
 *
 * Checks QPU programs against the hardware's restrictions, one function per rule, numbered as in the project's hardware
 * notes [guide p.18-25, p.37 "Summary of Instruction Restrictions"; addendum where a comment says so].
 * tests/unit/hw_qpu/check.c has for each rule a program that obeys it and one that breaks this rule alone.
 *
 * H22 and H23 (what may share an instruction with a VPM access, how soon VPM data can be read) are not enforced:
 * programs that work on the chip break them. Rules over several instructions follow the program order and taken
 * branches with a known target.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hw/qpu.h"

#define NO_INSTR UINT32_MAX

struct checker {
    const struct qpu_instr *i;
    uint32_t count;
    enum qpu_program_kind kind;
    struct qpu_violation *out;
    const char *rule; /* the one being checked */
    bool broken;
};

static void violation(struct checker *c, uint32_t index, const char *text)
{
    if (c->broken)
        return;
    c->broken = true;
    c->out->rule = c->rule;
    c->out->index = index;
    snprintf(c->out->text, sizeof c->out->text, "%s", text);
}

/* -- effects of one instruction ----------------------------------------------------------------------------------- */

static bool is_alu(const struct qpu_instr *i)
{
    return i->sig != QPU_SIG_LOAD_IMM && i->sig != QPU_SIG_BRANCH;
}

static bool has_raddr_b(const struct qpu_instr *i)
{
    return is_alu(i) && i->sig != QPU_SIG_SMALL_IMM;
}

/* The read address alone triggers a peripheral read, whether or not an operand uses the value. */
static bool reads_address(const struct qpu_instr *i, unsigned raddr)
{
    return (is_alu(i) && i->raddr_a == raddr) || (has_raddr_b(i) && i->raddr_b == raddr);
}

static bool uses_mux(const struct qpu_instr *i, unsigned mux)
{
    if (!is_alu(i))
        return false;
    return (i->op_add != QPU_A_NOP && (i->add_a == mux || i->add_b == mux)) ||
           (i->op_mul != QPU_M_NOP && (i->mul_a == mux || i->mul_b == mux));
}

static bool add_writes(const struct qpu_instr *i)
{
    return i->waddr_add != QPU_W_NOP && (i->sig == QPU_SIG_BRANCH || i->cond_add != QPU_COND_NEVER);
}

static bool mul_writes(const struct qpu_instr *i)
{
    return i->waddr_mul != QPU_W_NOP && (i->sig == QPU_SIG_BRANCH || i->cond_mul != QPU_COND_NEVER);
}

/* How many of the two results are written to addresses from..to. */
static unsigned writes_range(const struct qpu_instr *i, unsigned from, unsigned to)
{
    return (add_writes(i) && i->waddr_add >= from && i->waddr_add <= to) +
           (mul_writes(i) && i->waddr_mul >= from && i->waddr_mul <= to);
}

static bool writes(const struct qpu_instr *i, unsigned waddr)
{
    return writes_range(i, waddr, waddr);
}

/* The register of file A (side 0) or B (side 1) that is written, or -1. */
static int file_write(const struct qpu_instr *i, unsigned side)
{
    if (i->ws != side) /* the mul result */
        return mul_writes(i) && i->waddr_mul < 32 ? i->waddr_mul : -1;
    return add_writes(i) && i->waddr_add < 32 ? i->waddr_add : -1;
}

static bool reads_file(const struct qpu_instr *i, unsigned side, unsigned number)
{
    if (i->sig == QPU_SIG_BRANCH)
        return side == 0 && i->branch_reg && i->raddr_a == number;
    if (side == 0)
        return uses_mux(i, QPU_MUX_A) && i->raddr_a == number;
    return has_raddr_b(i) && uses_mux(i, QPU_MUX_B) && i->raddr_b == number;
}

static bool writes_sfu(const struct qpu_instr *i)
{
    return writes_range(i, QPU_W_SFU_RECIP, QPU_W_SFU_LOG);
}

static bool writes_color(const struct qpu_instr *i)
{
    return writes_range(i, QPU_W_TLB_COLOR_MS, QPU_W_TLB_COLOR_ALL);
}

static bool loads_tlb(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_COVERAGE_LOAD || i->sig == QPU_SIG_COLOR_LOAD || i->sig == QPU_SIG_COLOR_LOAD_END ||
           i->sig == QPU_SIG_ALPHA_MASK_LOAD;
}

static bool loads_tmu(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_LOAD_TMU0 || i->sig == QPU_SIG_LOAD_TMU1;
}

static bool loads_r4(const struct qpu_instr *i)
{
    return loads_tlb(i) || loads_tmu(i);
}

/* Depth, colour and alpha mask. Stencil setup does not count [recorded jobs pair it with a colour load]. */
static unsigned tlb_accesses(const struct qpu_instr *i)
{
    return writes_range(i, QPU_W_TLB_Z, QPU_W_TLB_ALPHA_MASK) + loads_tlb(i);
}

static bool touches_vpm(const struct qpu_instr *i)
{
    return writes_range(i, QPU_W_VPM, QPU_W_VPM_ADDR) || reads_address(i, QPU_R_VPM) ||
           reads_address(i, QPU_R_VPM_BUSY) || reads_address(i, QPU_R_VPM_WAIT);
}

static bool is_program_end(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_PROGRAM_END || i->sig == QPU_SIG_COLOR_LOAD_END;
}

static bool is_thread_switch(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_THREAD_SWITCH || i->sig == QPU_SIG_LAST_THREAD_SWITCH;
}

static bool is_semaphore(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_LOAD_IMM && i->unpack == QPU_LOAD_IMM_SEMAPHORE;
}

static bool rotates(const struct qpu_instr *i)
{
    return i->sig == QPU_SIG_SMALL_IMM && i->raddr_b >= QPU_SMALL_IMM_ROTATE_R5 && i->op_mul != QPU_M_NOP;
}

/* Whether instruction n writes a texture parameter that consumes a uniform: every parameter but an S without others
 * before it (a direct lookup). Looks back in program order; a request never spans a branch. */
static bool texture_write_takes_uniform(const struct checker *c, uint32_t n)
{
    const struct qpu_instr *i = &c->i[n];

    for (unsigned s = QPU_W_TMU0_S; s <= QPU_W_TMU1_S; s += 4) {
        if (writes_range(i, s + 1, s + 3))
            return true;
        if (!writes(i, s))
            continue;
        for (uint32_t before = n; before-- > 0 && !writes(&c->i[before], s);) {
            if (writes_range(&c->i[before], s + 1, s + 3))
                return true;
        }
    }
    return false;
}

static bool takes_uniform(const struct checker *c, uint32_t n)
{
    return reads_address(&c->i[n], QPU_R_UNIFORM) || texture_write_takes_uniform(c, n);
}

/* -- iteration over the program ----------------------------------------------------------------------------------- */

/* The target of the branch at n. NO_INSTR when it depends on a register, is absolute, or lies outside the program. */
static uint32_t branch_target(const struct checker *c, uint32_t n)
{
    const struct qpu_instr *i = &c->i[n];
    int64_t target;

    if (!i->branch_rel || i->branch_reg)
        return NO_INSTR;
    target = (int64_t)n + 4 + (int32_t)i->imm / 8;
    return target >= 0 && target < c->count ? (uint32_t)target : NO_INSTR;
}

/* Instructions that may run directly after n. Unused entries are NO_INSTR. */
static void successors(const struct checker *c, uint32_t n, uint32_t next[2])
{
    next[0] = n + 1 < c->count ? n + 1 : NO_INSTR;
    next[1] = NO_INSTR;
    if (n < 3 || c->i[n - 3].sig != QPU_SIG_BRANCH)
        return;
    next[1] = branch_target(c, n - 3);
    if (c->i[n - 3].pack == QPU_BRANCH_ALWAYS)
        next[0] = NO_INSTR;
}

typedef void (*pair_rule)(struct checker *c, uint32_t first, uint32_t second);

/* Calls `rule` for `first` and each instruction that may run 1..depth instructions after n. */
static void look_ahead(struct checker *c, uint32_t first, uint32_t n, unsigned depth, pair_rule rule)
{
    uint32_t next[2];

    if (!depth)
        return;
    successors(c, n, next);
    for (unsigned k = 0; k < 2; k++) {
        if (next[k] == NO_INSTR)
            continue;
        rule(c, first, next[k]);
        look_ahead(c, first, next[k], depth - 1, rule);
    }
}

static void for_each_pair(struct checker *c, unsigned depth, pair_rule rule)
{
    for (uint32_t n = 0; n < c->count; n++)
        look_ahead(c, n, n, depth, rule);
}

typedef void (*tail_rule)(struct checker *c, uint32_t n, unsigned after_end);

/* Calls `rule` for each program end and the two instructions after it. */
static void for_each_program_tail(struct checker *c, tail_rule rule)
{
    for (uint32_t n = 0; n < c->count; n++) {
        for (uint32_t k = 0; is_program_end(&c->i[n]) && k < 3 && n + k < c->count; k++)
            rule(c, n + k, k);
    }
}

/* -- registers and accumulators ----------------------------------------------------------------------------------- */

static void file_latency(struct checker *c, uint32_t first, uint32_t second)
{
    for (unsigned side = 0; side < 2; side++) {
        int written = file_write(&c->i[first], side);
        if (written >= 0 && reads_file(&c->i[second], side, (unsigned)written))
            violation(c, second, "reads a file register in the instruction after its write");
    }
}

static void h1(struct checker *c)
{
    for_each_pair(c, 1, file_latency);
}

static void sfu_latency(struct checker *c, uint32_t first, uint32_t second)
{
    if (!writes_sfu(&c->i[first]))
        return;
    if (uses_mux(&c->i[second], QPU_MUX_R4))
        violation(c, second, "reads r4 in the two instructions after an SFU write");
    if (loads_r4(&c->i[second]) || writes_sfu(&c->i[second]))
        violation(c, second, "writes r4 in the two instructions after an SFU write");
}

static void h2(struct checker *c)
{
    for_each_pair(c, 2, sfu_latency);
}

static void rotation_by_fresh_r5(struct checker *c, uint32_t first, uint32_t second)
{
    if (!rotates(&c->i[second]) || c->i[second].raddr_b != QPU_SMALL_IMM_ROTATE_R5)
        return;
    if (writes(&c->i[first], QPU_W_ACC5) || reads_address(&c->i[first], QPU_R_VARYING))
        violation(c, second, "rotates by r5 directly after r5 was written");
}

static void h3(struct checker *c)
{
    for_each_pair(c, 1, rotation_by_fresh_r5);
}

static void rotation_of_fresh_value(struct checker *c, uint32_t first, uint32_t second)
{
    const struct qpu_instr *i = &c->i[second];

    if (!rotates(i))
        return;
    for (unsigned acc = 0; acc < 4; acc++) {
        if ((i->mul_a == acc || i->mul_b == acc) && writes(&c->i[first], QPU_W_ACC0 + acc))
            violation(c, second, "rotates an accumulator directly after its write");
    }
}

static void h4(struct checker *c)
{
    for_each_pair(c, 1, rotation_of_fresh_value);
}

static void h18(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        unsigned w = i->waddr_add;
        bool two_registers = w == QPU_W_QUAD_XY || w == QPU_W_MS_REV_FLAGS || w == QPU_W_VPMVCD_SETUP ||
                             w == QPU_W_VPM_ADDR; /* side A and side B differ */
        if (w > 31 && w == i->waddr_mul && add_writes(i) && mul_writes(i) && !two_registers)
            violation(c, n, "both results go to the same accumulator or peripheral");
    }
}

/* The result of an SFU or colour load must be read before r4 is overwritten. A texture result may be discarded:
 * programs empty the FIFO this way. */
static void h26(struct checker *c)
{
    bool unread = false;

    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        if (uses_mux(i, QPU_MUX_R4))
            unread = false;
        if (unread && (loads_r4(i) || writes_sfu(i)))
            violation(c, n, "overwrites r4 before its last value was read");
        if (i->sig == QPU_SIG_BRANCH)
            unread = false;
        else if (loads_tlb(i) || writes_sfu(i))
            unread = true;
        else if (loads_tmu(i))
            unread = false;
    }
}

/* -- tile buffer -------------------------------------------------------------------------------------------------- */

static void coverage_after_z(struct checker *c, uint32_t first, uint32_t second)
{
    const struct qpu_instr *i = &c->i[second];

    if (writes(&c->i[first], QPU_W_TLB_Z) && is_alu(i) && i->raddr_a == QPU_R_MS_REV_FLAGS)
        violation(c, second, "reads the coverage in the two instructions after a depth write");
}

static void h5(struct checker *c)
{
    for_each_pair(c, 2, coverage_after_z);
}

static void h6(struct checker *c)
{
    for (uint32_t n = 0; n < 2 && n < c->count; n++) {
        if (c->kind == QPU_PROGRAM_FRAGMENT && (c->i[n].sig == QPU_SIG_WAIT_SCOREBOARD || tlb_accesses(&c->i[n])))
            violation(c, n, "waits for the scoreboard in the first two instructions (HW-2796)");
    }
}

static void late_z(struct checker *c, uint32_t n, unsigned after_end)
{
    if (after_end == 2 && writes(&c->i[n], QPU_W_TLB_Z))
        violation(c, n, "writes depth in the last instruction (HW-2806)");
}

static void h11(struct checker *c)
{
    for_each_program_tail(c, late_z);
}

static void h16(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        bool pair = i->sig == QPU_SIG_COLOR_LOAD && writes(i, QPU_W_TLB_COLOR_MS);
        if (tlb_accesses(i) > 1u + pair)
            violation(c, n, "more than one tile buffer access");
    }
}

static void h17(struct checker *c)
{
    bool color = false, depth = false;

    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        if (writes(i, QPU_W_TLB_Z) && color)
            violation(c, n, "writes depth after colour");
        if (writes(i, QPU_W_TLB_STENCIL_SETUP) && depth)
            violation(c, n, "sets up the stencil after the depth write");
        color |= writes_color(i);
        depth |= writes(i, QPU_W_TLB_Z);
    }
}

static void access_at_end(struct checker *c, uint32_t n, unsigned after_end)
{
    if (after_end == 0 && tlb_accesses(&c->i[n]))
        violation(c, n, "program end accesses the tile buffer");
}

static void h24(struct checker *c)
{
    for_each_program_tail(c, access_at_end);
}

/* -- textures and uniforms ---------------------------------------------------------------------------------------- */

static void h7(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        for (uint32_t t = 0; writes(&c->i[n], QPU_W_TMU_NOSWAP) && t < MIN2(n + 3, c->count); t++) {
            if (writes_range(&c->i[t], QPU_W_TMU0_S, QPU_W_TMU1_B))
                violation(c, n, "TMU_NOSWAP is written less than three instructions before a texture write");
        }
    }
}

static void h13(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        if (reads_address(&c->i[n], QPU_R_UNIFORM) && texture_write_takes_uniform(c, n))
            violation(c, n, "a texture write takes a uniform, and so does a read port");
    }
}

static void uniform_after_address(struct checker *c, uint32_t first, uint32_t second)
{
    if (writes(&c->i[first], QPU_W_UNIFORMS_ADDRESS) && takes_uniform(c, second))
        violation(c, second, "takes a uniform in the two instructions after a write of its address");
}

static void h14(struct checker *c)
{
    for_each_pair(c, 2, uniform_after_address);
}

/* [addendum] The write triggers the access in all lanes; lanes where the condition is false supply garbage. */
static void h19(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        bool add = i->waddr_add == QPU_W_VPM || qpu_waddr_is_tmu_s(i->waddr_add);
        bool mul = i->waddr_mul == QPU_W_VPM || qpu_waddr_is_tmu_s(i->waddr_mul);
        if (i->sig != QPU_SIG_BRANCH &&
            ((add && i->cond_add != QPU_COND_ALWAYS) || (mul && i->cond_mul != QPU_COND_ALWAYS)))
            violation(c, n, "conditional write of TMU S or the VPM happens in all lanes");
    }
}

/* -- one access per instruction ----------------------------------------------------------------------------------- */

static void h12(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        unsigned accesses = writes_range(i, QPU_W_TMU0_S, QPU_W_TMU1_B) + loads_tmu(i) + (tlb_accesses(i) > 0) +
                            writes_range(i, QPU_W_SFU_RECIP, QPU_W_SFU_LOG) + reads_address(i, QPU_R_MUTEX_ACQUIRE);
        if (!is_semaphore(i) && accesses > 1) /* semaphores: H25 */
            violation(c, n, "more than one access to texture unit, tile buffer, SFU or mutex");
    }
}

static void h25(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        if (is_semaphore(i) && (writes_range(i, QPU_W_TLB_STENCIL_SETUP, QPU_W_TLB_ALPHA_MASK) ||
                                writes_range(i, QPU_W_SFU_RECIP, QPU_W_TMU1_B)))
            violation(c, n, "semaphore writes tile buffer, SFU or texture unit");
    }
}

/* -- end, branches, threads --------------------------------------------------------------------------------------- */

static void late_reads(struct checker *c, uint32_t n, unsigned after_end)
{
    const struct qpu_instr *i = &c->i[n];

    if (takes_uniform(c, n))
        violation(c, n, "takes a uniform in the last three instructions");
    if (reads_address(i, QPU_R_VARYING))
        violation(c, n, "reads a varying in the last three instructions");
    if (touches_vpm(i))
        violation(c, n, "accesses the VPM in the last three instructions");
}

static void h8(struct checker *c)
{
    for_each_program_tail(c, late_reads);
}

static void write_at_end(struct checker *c, uint32_t n, unsigned after_end)
{
    if (after_end == 0 && (file_write(&c->i[n], 0) >= 0 || file_write(&c->i[n], 1) >= 0))
        violation(c, n, "program end writes a file register");
}

static void h9(struct checker *c)
{
    for_each_program_tail(c, write_at_end);
}

static void register_14(struct checker *c, uint32_t n, unsigned after_end)
{
    const struct qpu_instr *i = &c->i[n];

    if (file_write(i, 0) == 14 || file_write(i, 1) == 14 || reads_file(i, 0, 14) || reads_file(i, 1, 14))
        violation(c, n, "uses register 14 in the last three instructions");
}

static void h10(struct checker *c)
{
    for_each_program_tail(c, register_14);
}

static void h15(struct checker *c)
{
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->kind == QPU_PROGRAM_FRAGMENT && touches_vpm(&c->i[n]))
            violation(c, n, "fragment program accesses the VPM");
    }
}

static void h20(struct checker *c)
{
    uint32_t last = NO_INSTR;

    for (uint32_t n = 0; n < c->count; n++) {
        if (c->i[n].sig != QPU_SIG_BRANCH)
            continue;
        if (last != NO_INSTR && n - last < 3)
            violation(c, n, "less than two instructions between branches");
        if (n + 3 >= c->count)
            violation(c, n, "branch without three delay slots");
        last = n;
    }
}

static void h21(struct checker *c)
{
    uint32_t last = NO_INSTR;
    bool locked = false, after_last = false;

    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        locked |= i->sig == QPU_SIG_WAIT_SCOREBOARD || tlb_accesses(i);
        if (i->sig == QPU_SIG_UNLOCK_SCOREBOARD)
            locked = false;
        if (!is_thread_switch(i))
            continue;
        if (locked)
            violation(c, n, "thread switch with the scoreboard locked");
        if (after_last)
            violation(c, n, "thread switch after the last one");
        if (last != NO_INSTR && n - last < 3)
            violation(c, n, "thread switch in the delay slots of another");
        after_last = i->sig == QPU_SIG_LAST_THREAD_SWITCH;
        last = n;
    }
    if (last != NO_INSTR && !after_last)
        violation(c, last, "the last thread switch does not carry the last-thread-switch signal");
}

/* Checks only programs without branches whose VPM read setups are immediates. */
static void h27(struct checker *c)
{
    uint32_t outstanding = 0;

    for (uint32_t n = 0; n < c->count; n++) {
        const struct qpu_instr *i = &c->i[n];
        bool setup = (add_writes(i) && i->waddr_add == QPU_W_VPMVCD_SETUP && !i->ws) ||
                     (mul_writes(i) && i->waddr_mul == QPU_W_VPMVCD_SETUP && i->ws);
        if (i->sig == QPU_SIG_BRANCH || (setup && i->sig != QPU_SIG_LOAD_IMM))
            return;
        if (outstanding && reads_address(i, QPU_R_VPM))
            outstanding--;
        if (setup && !(i->imm >> 30))
            outstanding = i->imm >> 20 & 15 ? i->imm >> 20 & 15 : 16;
        if (outstanding && is_program_end(i))
            violation(c, n, "ends with VPM reads outstanding");
    }
}

static void has_end(struct checker *c)
{
    for (uint32_t n = 0; n + 2 < c->count; n++) {
        if (is_program_end(&c->i[n]))
            return;
    }
    violation(c, c->count ? c->count - 1 : 0, "no program end with two instructions after it");
}

/* -- all rules ---------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*check)(struct checker *c);
} rules[] = {
    {"end", has_end}, {"H1", h1},   {"H2", h2},   {"H3", h3},   {"H4", h4},   {"H5", h5},   {"H6", h6},
    {"H7", h7},       {"H8", h8},   {"H9", h9},   {"H10", h10}, {"H11", h11}, {"H12", h12}, {"H13", h13},
    {"H14", h14},     {"H15", h15}, {"H16", h16}, {"H17", h17}, {"H18", h18}, {"H19", h19}, {"H20", h20},
    {"H21", h21},     {"H24", h24}, {"H25", h25}, {"H26", h26}, {"H27", h27},
};

bool qpu_check(const uint64_t *words, uint32_t count, enum qpu_program_kind kind, struct qpu_violation *out)
{
    struct qpu_instr *instrs = malloc(count * sizeof *instrs + 1);
    struct checker c = {.i = instrs, .count = count, .kind = kind, .out = out};

    memset(out, 0, sizeof *out);
    if (!instrs) {
        c.rule = "memory";
        violation(&c, 0, "out of memory");
        return false;
    }
    for (uint32_t n = 0; n < count; n++)
        instrs[n] = qpu_decode(words[n]);
    for (unsigned r = 0; r < ARRAY_SIZE(rules) && !c.broken; r++) {
        c.rule = rules[r].name;
        rules[r].check(&c);
    }
    free(instrs);
    return !c.broken;
}
