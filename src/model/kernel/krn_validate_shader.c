/* SPDX-License-Identifier: MIT
 *
 * The kernel's check of a program [kernel vc4_validate_shaders.c, as restated in the project's hardware notes 9.6]. It
 * ensures that the program accesses memory only through textures, bounded direct lookups and the uniform stream, and
 * cannot leave its buffer. It does not check hazards. Rule numbers below are those of the notes.
 *
 * Two passes in instruction order: the first finds the end and the branch targets, the second tracks clamps,
 * immediates, texture setups and the position in the uniform stream.
 *
 * Known bugs of the kernel are reproduced if drivers can notice them (the direct flag of a texture unit is never
 * cleared, rule 16). Where the kernel would read past a buffer, this file refuses the program.
 */
#include <errno.h>
#include <stdlib.h>
#include "hw/qpu.h"
#include "model/kernel/krn_refuse.h"
#include "model/kernel/krn_shader.h"
#include "util/bitset.h"

/* Registers whose contents are tracked: r0..r3, file A, file B. */
enum { SLOT_NONE = -1, SLOT_ACC = 0, SLOT_A = 4, SLOT_B = 36, SLOT_COUNT = 68 };

struct reg_state {
    bool is_immediate; /* last written by an unconditional, unpacked load-immediate */
    uint32_t immediate;
    bool at_least_0;          /* max(x, 0) */
    uint32_t clamp_uniform_B; /* min(max(x, 0), uniform): which uniform; else KRN_NO_UNIFORM */
};

struct tmu_state {
    uint32_t writes; /* parameters of the request being set up */
    bool direct;     /* never cleared once set: rule 16 */
    uint32_t word_B[4];
};

struct walk {
    const uint64_t *code;
    uint32_t end;        /* after the delay slots of program end */
    uint64_t *is_target; /* bit set: the target of a branch, or where it falls through to */
    struct krn_shader *shader;
    uint32_t ip;
    struct reg_state reg[SLOT_COUNT];
    struct tmu_state tmu[2];
    bool needs_reset;        /* no uniforms may be read before a reset, since a branch target was passed (rule 8) */
    bool needs_loop_address; /* no reset has followed a backward branch yet (rule 10) */
    bool uses_upper_half;
    int64_t last_switch;
    uint32_t sample_capacity, address_capacity;
};

/* -- first pass: end and branches (rules 1 and 3) -- */

static int check_branch_form(struct walk *w, const struct qpu_instr *in, int64_t last_branch, uint32_t limit,
                             uint32_t *fall_through_max)
{
    if ((int64_t)w->ip - last_branch < 4)
        return krn_refuse(KRN_RULE_CODE_BRANCH,
                          "instruction %u: within 4 instructions of another branch or of the start", w->ip);
    if (in->branch_reg)
        return krn_refuse(KRN_RULE_CODE_BRANCH, "instruction %u: target from a register", w->ip);
    if (!in->branch_rel)
        return krn_refuse(KRN_RULE_CODE_BRANCH, "instruction %u: not relative", w->ip);
    if (in->imm % 8)
        return krn_refuse(KRN_RULE_CODE_BRANCH, "instruction %u: offset %d is not a multiple of 8", w->ip,
                          (int32_t)in->imm);
    int64_t fall_through = (int64_t)w->ip + 4, target = fall_through + (int32_t)in->imm / 8;
    if (target < 0 || target >= limit || fall_through >= limit)
        return krn_refuse(KRN_RULE_CODE_BRANCH, "instruction %u: leaves the program", w->ip);
    util_bitset_set(w->is_target, (uint32_t)target);
    util_bitset_set(w->is_target, (uint32_t)fall_through);
    *fall_through_max = MAX2(*fall_through_max, (uint32_t)fall_through);
    return 0;
}

static int find_end_and_branches(struct walk *w, uint32_t count)
{
    bool found_end = false;
    int64_t last_branch = -2;
    uint32_t limit = count, fall_through_max = 0;
    for (w->ip = 0; w->ip < limit; w->ip++) {
        struct qpu_instr in = qpu_decode(w->code[w->ip]);
        if (in.sig == QPU_SIG_PROGRAM_END) {
            found_end = true;
            limit = w->ip + 3;
            if (limit > count)
                return krn_refuse(KRN_RULE_CODE_END, "its delay slots lie outside the buffer");
        } else if (in.sig == QPU_SIG_BRANCH) {
            int err = check_branch_form(w, &in, last_branch, limit, &fall_through_max);
            if (err)
                return err;
            last_branch = w->ip;
        }
    }
    if (!found_end)
        return krn_refuse(KRN_RULE_CODE_END, "none in %u instructions", count);
    if (fall_through_max > limit - 3)
        return krn_refuse(KRN_RULE_CODE_BRANCH, "instruction %u: falls through past program end", fall_through_max - 4);
    w->end = limit;
    return 0;
}

/* -- registers -- */

static int written_slot(unsigned waddr, bool to_b)
{
    if (waddr < 32)
        return (to_b ? SLOT_B : SLOT_A) + (int)waddr;
    return waddr <= QPU_W_ACC3 ? SLOT_ACC + (int)(waddr - QPU_W_ACC0) : SLOT_NONE;
}

static int operand_slot(const struct qpu_instr *in, unsigned mux)
{
    if (mux <= QPU_MUX_R3)
        return SLOT_ACC + (int)mux;
    if (mux == QPU_MUX_A && in->raddr_a < 32)
        return SLOT_A + in->raddr_a;
    if (mux == QPU_MUX_B && in->sig != QPU_SIG_SMALL_IMM && in->raddr_b < 32)
        return SLOT_B + in->raddr_b;
    return SLOT_NONE;
}

static bool operand_is_uniform(const struct qpu_instr *in, unsigned mux)
{
    return (mux == QPU_MUX_A && in->raddr_a == QPU_R_UNIFORM) ||
           (mux == QPU_MUX_B && in->sig != QPU_SIG_SMALL_IMM && in->raddr_b == QPU_R_UNIFORM);
}

/* [notes 9.10] The kernel checks these fields even in a load-immediate, where they are bits of the immediate. */
static bool reads_uniform(const struct walk *w, const struct qpu_instr *in)
{
    uint64_t word = w->code[w->ip];
    unsigned raddr_a = word >> 18 & 63, raddr_b = word >> 12 & 63;
    return raddr_a == QPU_R_UNIFORM || (in->sig != QPU_SIG_SMALL_IMM && raddr_b == QPU_R_UNIFORM);
}

static void reset_registers(struct walk *w, int from, int to)
{
    for (int i = from; i < to; i++)
        w->reg[i] = (struct reg_state){.clamp_uniform_B = KRN_NO_UNIFORM};
}

/* Updates what is known about the registers that this instruction writes (rules 8 and 14). */
static void track_registers(struct walk *w, const struct qpu_instr *in)
{
    int add = written_slot(in->waddr_add, in->ws), mul = written_slot(in->waddr_mul, !in->ws);
    int a = operand_slot(in, in->add_a);
    bool is_alu = in->sig != QPU_SIG_LOAD_IMM;
    bool a_at_least_0 = is_alu && a != SLOT_NONE && w->reg[a].at_least_0;
    bool is_immediate = in->sig == QPU_SIG_LOAD_IMM && in->pack == 0;

    if (mul != SLOT_NONE) {
        reset_registers(w, mul, mul + 1);
        w->reg[mul].is_immediate = is_immediate && in->cond_mul == QPU_COND_ALWAYS;
        w->reg[mul].immediate = in->imm;
    }
    if (add == SLOT_NONE)
        return;
    reset_registers(w, add, add + 1);
    w->reg[add].is_immediate = is_immediate && in->cond_add == QPU_COND_ALWAYS;
    w->reg[add].immediate = in->imm;
    if (!is_alu || in->cond_add != QPU_COND_ALWAYS)
        return;
    if (in->op_add == QPU_A_MAX)
        w->reg[add].at_least_0 =
            in->sig == QPU_SIG_SMALL_IMM && in->raddr_b == 0 && (in->add_a == QPU_MUX_B || in->add_b == QPU_MUX_B);
    else if (in->op_add == QPU_A_MIN && a_at_least_0 && operand_is_uniform(in, in->add_b))
        w->reg[add].clamp_uniform_B = w->shader->uniforms_B;
}

static bool is_upper_half(unsigned addr)
{
    return addr >= 16 && addr < 32;
}

/* -- the uniform stream -- */

static int add_address_word(struct walk *w)
{
    struct krn_shader *s = w->shader;
    if (s->address_count == w->address_capacity) {
        uint32_t capacity = MAX2(2 * w->address_capacity, 8);
        uint32_t *grown = realloc(s->address_B, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        s->address_B = grown;
        w->address_capacity = capacity;
    }
    s->address_B[s->address_count++] = s->uniforms_B;
    return 0;
}

static int consume_uniform(struct walk *w)
{
    if (w->needs_reset)
        return krn_refuse(KRN_RULE_CODE_UNIFORM_UNSET, "instruction %u", w->ip);
    w->shader->uniforms_B += 4;
    return 0;
}

/* The only form allowed: add UNIFORMS_ADDRESS, register holding (bytes consumed so far + 4), uniform */
static int check_uniforms_address(struct walk *w, const struct qpu_instr *in, bool from_mul, bool to_b)
{
    if (to_b || from_mul)
        return krn_refuse(KRN_RULE_CODE_UNIFORM_RESET, "instruction %u: not the add ALU through file A", w->ip);
    switch (in->sig) {
    case QPU_SIG_NONE:
    case QPU_SIG_UNLOCK_SCOREBOARD:
    case QPU_SIG_COLOR_LOAD:
    case QPU_SIG_LOAD_TMU0:
    case QPU_SIG_LOAD_TMU1:
        break;
    default:
        return krn_refuse(KRN_RULE_CODE_UNIFORM_RESET, "instruction %u: signal %u", w->ip, in->sig);
    }
    if (in->op_add != QPU_A_ADD || in->cond_add != QPU_COND_ALWAYS || (in->pack && !in->pm))
        return krn_refuse(KRN_RULE_CODE_UNIFORM_RESET, "instruction %u: not an unconditional add without pack", w->ip);
    int a = operand_slot(in, in->add_a);
    if (a == SLOT_NONE || !w->reg[a].is_immediate || w->reg[a].immediate != w->shader->uniforms_B + 4)
        return krn_refuse(KRN_RULE_CODE_UNIFORM_RESET, "instruction %u: operand A does not hold %u", w->ip,
                          w->shader->uniforms_B + 4);
    if (!operand_is_uniform(in, in->add_b))
        return krn_refuse(KRN_RULE_CODE_UNIFORM_RESET, "instruction %u: operand B is not a uniform", w->ip);
    w->needs_reset = false;
    w->needs_loop_address = false;
    return add_address_word(w);
}

/* -- texture requests -- */

static int add_sample(struct walk *w, struct tmu_state *tmu)
{
    struct krn_shader *s = w->shader;
    if (s->sample_count == w->sample_capacity) {
        uint32_t capacity = MAX2(2 * w->sample_capacity, 8);
        struct krn_tex_sample *grown = realloc(s->samples, capacity * sizeof *grown);
        if (!grown)
            return -ENOMEM;
        s->samples = grown;
        w->sample_capacity = capacity;
    }
    struct krn_tex_sample *sample = &s->samples[s->sample_count++];
    sample->direct = tmu->direct;
    for (int i = 0; i < 4; i++) {
        sample->word_B[i] = tmu->word_B[i];
        tmu->word_B[i] = KRN_NO_UNIFORM;
    }
    tmu->writes = 0;
    return 0;
}

/* The only form allowed: add S, clamped register, uniform. This uniform is word 0 of the lookup, the clamp's word 1. */
static int check_direct_lookup(struct walk *w, const struct qpu_instr *in, bool from_mul, struct tmu_state *tmu)
{
    if (in->sig == QPU_SIG_SMALL_IMM || in->sig == QPU_SIG_LOAD_IMM || from_mul || in->op_add != QPU_A_ADD)
        return krn_refuse(KRN_RULE_CODE_TMU_DIRECT, "instruction %u: not a plain add by the add ALU", w->ip);
    int a = operand_slot(in, in->add_a);
    if (a == SLOT_NONE || w->reg[a].clamp_uniform_B == KRN_NO_UNIFORM)
        return krn_refuse(KRN_RULE_CODE_TMU_CLAMP, "instruction %u: operand A is not clamped", w->ip);
    if (!operand_is_uniform(in, in->add_b))
        return krn_refuse(KRN_RULE_CODE_TMU_DIRECT, "instruction %u: operand B is not a uniform", w->ip);
    tmu->direct = true;
    tmu->word_B[0] = w->shader->uniforms_B;
    tmu->word_B[1] = w->reg[a].clamp_uniform_B;
    return add_sample(w, tmu);
}

static int check_tmu_write(struct walk *w, const struct qpu_instr *in, unsigned waddr, bool from_mul)
{
    struct tmu_state *tmu = &w->tmu[waddr >= QPU_W_TMU1_S];
    bool is_s = qpu_waddr_is_tmu_s(waddr);
    if (is_s && !tmu->writes)
        return check_direct_lookup(w, in, from_mul, tmu);
    if (reads_uniform(w, in))
        return krn_refuse(KRN_RULE_CODE_TMU_UNIFORM, "instruction %u", w->ip);
    if (tmu->writes == 4)
        return krn_refuse(KRN_RULE_CODE_TMU_COUNT, "instruction %u", w->ip);
    tmu->word_B[tmu->writes++] = w->shader->uniforms_B;
    int err = consume_uniform(w);
    if (err)
        return err;
    return is_s ? add_sample(w, tmu) : 0;
}

/* -- second pass -- */

static int check_write(struct walk *w, const struct qpu_instr *in, bool from_mul)
{
    unsigned waddr = from_mul ? in->waddr_mul : in->waddr_add;
    bool to_b = from_mul != (bool)in->ws;
    w->uses_upper_half |= is_upper_half(waddr);
    if (qpu_waddr_is_tmu(waddr))
        return check_tmu_write(w, in, waddr, from_mul);
    switch (waddr) {
    case QPU_W_UNIFORMS_ADDRESS:
        return check_uniforms_address(w, in, from_mul, to_b);
    case QPU_W_TMU_NOSWAP:
    case QPU_W_HOST_INT:
    case QPU_W_TLB_ALPHA_MASK:
    case QPU_W_MUTEX_RELEASE:
        return krn_refuse(KRN_RULE_CODE_WRITE, "instruction %u: register %u", w->ip, waddr);
    case QPU_W_VPM_ADDR:
        return krn_refuse(KRN_RULE_CODE_WRITE, "instruction %u: register %u (VPM DMA %s)", w->ip, waddr,
                          to_b ? "store" : "load");
    default:
        return 0;
    }
}

static int check_writes(struct walk *w, const struct qpu_instr *in)
{
    if (qpu_waddr_is_tmu(in->waddr_add) && qpu_waddr_is_tmu(in->waddr_mul))
        return krn_refuse(KRN_RULE_CODE_TMU_BOTH, "instruction %u", w->ip);
    int err = check_write(w, in, false);
    if (!err)
        err = check_write(w, in, true);
    track_registers(w, in);
    return err;
}

static int check_reads(struct walk *w, const struct qpu_instr *in)
{
    w->uses_upper_half |= is_upper_half(in->raddr_a);
    if (in->sig != QPU_SIG_SMALL_IMM)
        w->uses_upper_half |= is_upper_half(in->raddr_b);
    return reads_uniform(w, in) ? consume_uniform(w) : 0;
}

static int check_branch(struct walk *w, const struct qpu_instr *in)
{
    if (in->waddr_add != QPU_W_NOP || in->waddr_mul != QPU_W_NOP)
        return krn_refuse(KRN_RULE_CODE_BRANCH_WRITES, "instruction %u", w->ip);
    if (w->ip < w->last_switch + 3)
        return krn_refuse(KRN_RULE_CODE_THREADS, "instruction %u: a branch less than 3 instructions after a switch",
                          w->ip);
    if ((int32_t)in->imm < 0)
        w->needs_loop_address = true;
    return 0;
}

static int check_thread_switch(struct walk *w)
{
    w->shader->threaded = true;
    if (w->ip < w->last_switch + 3)
        return krn_refuse(KRN_RULE_CODE_THREADS, "instruction %u: less than 3 instructions after another switch",
                          w->ip);
    w->last_switch = w->ip;
    return 0;
}

static int enter_branch_target(struct walk *w)
{
    for (int i = 0; i < 2; i++) {
        if (w->tmu[i].writes)
            return krn_refuse(KRN_RULE_CODE_TMU_SPAN, "instruction %u", w->ip);
    }
    reset_registers(w, 0, SLOT_COUNT);
    w->needs_reset = true;
    return 0;
}

static int check_instruction(struct walk *w)
{
    struct qpu_instr in = qpu_decode(w->code[w->ip]);
    int err = util_bitset_test(w->is_target, w->ip) ? enter_branch_target(w) : 0;
    if (err)
        return err;
    if (w->ip == w->last_switch + 3) /* the other thread has used the accumulators */
        reset_registers(w, SLOT_ACC, SLOT_ACC + 4);

    switch ((enum qpu_sig)in.sig) {
    case QPU_SIG_NONE:
    case QPU_SIG_PROGRAM_END:
    case QPU_SIG_WAIT_SCOREBOARD:
    case QPU_SIG_UNLOCK_SCOREBOARD:
    case QPU_SIG_COLOR_LOAD:
    case QPU_SIG_LOAD_TMU0:
    case QPU_SIG_LOAD_TMU1:
    case QPU_SIG_SMALL_IMM:
    case QPU_SIG_THREAD_SWITCH:
    case QPU_SIG_LAST_THREAD_SWITCH:
        err = check_writes(w, &in);
        if (!err)
            err = check_reads(w, &in);
        if (!err && (in.sig == QPU_SIG_THREAD_SWITCH || in.sig == QPU_SIG_LAST_THREAD_SWITCH))
            err = check_thread_switch(w);
        return err;
    case QPU_SIG_LOAD_IMM:
        return check_writes(w, &in);
    case QPU_SIG_BRANCH:
        return check_branch(w, &in);
    case QPU_SIG_BREAKPOINT:
    case QPU_SIG_COVERAGE_LOAD:
    case QPU_SIG_COLOR_LOAD_END:
    case QPU_SIG_ALPHA_MASK_LOAD:
        break;
    }
    return krn_refuse(KRN_RULE_CODE_SIGNAL, "instruction %u: signal %u", w->ip, in.sig);
}

static int walk_program(struct walk *w)
{
    reset_registers(w, 0, SLOT_COUNT);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 4; j++)
            w->tmu[i].word_B[j] = KRN_NO_UNIFORM;
    }
    w->last_switch = -3;
    for (w->ip = 0; w->ip < w->end; w->ip++) {
        int err = check_instruction(w);
        if (err)
            return err;
    }
    if (w->shader->threaded && w->uses_upper_half)
        return krn_refuse(KRN_RULE_CODE_THREAD_REGISTERS, "file A or B");
    if (w->needs_loop_address) {
        int err = add_address_word(w);
        if (err)
            return err;
        w->shader->uniforms_B += 4;
    }
    return 0;
}

int krn_shader_validate(const uint64_t *code, uint32_t count, struct krn_shader **out)
{
    struct walk w = {.code = code};
    w.shader = calloc(1, sizeof *w.shader);
    w.is_target = calloc(UTIL_BITSET_WORDS(MAX2(count, 1u)), sizeof *w.is_target);
    int err = w.shader && w.is_target ? find_end_and_branches(&w, count) : -ENOMEM;
    if (!err)
        err = walk_program(&w);
    free(w.is_target);
    if (err) {
        krn_shader_destroy(w.shader);
        return err;
    }
    *out = w.shader;
    return 0;
}

void krn_shader_destroy(struct krn_shader *shader)
{
    if (!shader)
        return;
    free(shader->samples);
    free(shader->address_B);
    free(shader);
}
