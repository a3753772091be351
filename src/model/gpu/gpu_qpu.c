/* SPDX-License-Identifier: MIT
 *
 * The QPU interpreter: the reference for what programs do. The steps of one instruction are: read ports, both ALUs,
 * rotation, flags, load signals, writes. Written for clarity; the loops over lanes vectorise.
 *
 * State that a correct program never reads is poisoned, so that errors show: registers at the start, r0-r5 and the
 * flags after a thread switch, r4 in the two instructions after an SFU write, and a file register in the instruction
 * after its write.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "model/gpu/gpu_qpu_state.h"
#include "model/gpu/gpu_sfu.h"
#include "model/jit/jit_cache.h"

#define BRANCHES_PER_LIMIT_CHECK 256
#define BRANCHES_PER_RUN         16 /* loop iterations that the JIT's hotness counter takes as one run */

static const union gpu_vec poison = {.u = {GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON,
                                           GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON,
                                           GPU_POISON, GPU_POISON, GPU_POISON, GPU_POISON}};
static const union gpu_vec all_ones = {
    .u = {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u}};

/* -- conditions and flags ----------------------------------------------------------------------------------------- */

/* Mask of the lanes for which a condition holds. Points to a flag, to a constant or to `storage`. NULL for never. */
static const union gpu_vec *cond_mask(const struct gpu_flags *flags, unsigned cond, union gpu_vec *storage)
{
    const union gpu_vec *flag;

    if (cond == QPU_COND_ALWAYS)
        return &all_ones;
    if (cond == QPU_COND_NEVER)
        return NULL;
    flag = cond <= QPU_COND_ZC ? &flags->z : cond <= QPU_COND_NC ? &flags->n : &flags->c;
    if (!(cond & 1))
        return flag;
    for (unsigned l = 0; l < QPU_LANES; l++)
        storage->u[l] = ~flag->u[l];
    return storage;
}

static void blend(union gpu_vec *dst, const union gpu_vec *value, const union gpu_vec *mask)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        dst->u[l] = (dst->u[l] & ~mask->u[l]) | (value->u[l] & mask->u[l]);
}

static void set_flags(struct gpu_flags *flags, const union gpu_vec *result, const union gpu_vec *carry,
                      const union gpu_vec *mask)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t m = mask->u[l], zero = 0u - (uint32_t)(result->u[l] == 0), negative = (uint32_t)(result->i[l] >> 31);
        flags->z.u[l] = (flags->z.u[l] & ~m) | (zero & m);
        flags->n.u[l] = (flags->n.u[l] & ~m) | (negative & m);
        flags->c.u[l] = (flags->c.u[l] & ~m) | (carry->u[l] & m);
    }
}

/* -- writing results ---------------------------------------------------------------------------------------------- */

struct result {
    union gpu_vec value;
    const union gpu_vec *mask; /* lanes to write; NULL: none */
    uint32_t bits;             /* bits to write in each lane */
};

static void write_register(union gpu_vec *dst, const struct result *r)
{
    if (r->mask == &all_ones && r->bits == ~0u) {
        *dst = r->value;
        return;
    }
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t m = r->mask->u[l] & r->bits;
        dst->u[l] = (dst->u[l] & ~m) | (r->value.u[l] & m);
    }
}

static void write_result(struct gpu_qpu_core *core, unsigned side, unsigned waddr, const struct result *r)
{
    if (waddr == QPU_W_NOP)
        return;
    if (waddr < 32) {
        core->fresh_write[side] = (uint8_t)waddr;
        if (r->mask)
            write_register(&core->file[side][waddr], r);
        return;
    }
    if (!r->mask)
        return;
    if (waddr <= QPU_W_ACC3) {
        write_register(&core->acc[waddr - QPU_W_ACC0], r);
    } else if (waddr == QPU_W_ACC5) {
        /* [guide p.37 table 14]: side A replicates lane 0 of each quad over the quad, side B lane 0 over all lanes. */
        union gpu_vec spread;
        for (unsigned l = 0; l < QPU_LANES; l++)
            spread.u[l] = r->value.u[side ? 0 : l & ~3u];
        blend(&core->acc[5], &spread, r->mask);
    } else if (qpu_waddr_is_sfu(waddr)) {
        gpu_sfu(waddr, &r->value, &core->sfu_result);
        core->acc[4] = poison;
        core->sfu_delay = 3;
    } else {
        gpu_qpu_write_peripheral(core, side, waddr, &r->value, r->mask);
    }
}

/* Packs the result of one half and sets r->bits. */
static void pack_result(const struct gpu_qpu_op *op, bool mul, unsigned side, unsigned waddr, bool is_float,
                        struct result *r)
{
    union gpu_vec in;

    r->bits = ~0u;
    if (mul && op->pack_mul) {
        in = r->value;
        r->bits = gpu_pack_mul(op->pack_mul, &in, &r->value);
    } else if (op->pack_file && side == 0 && waddr < 32) {
        in = r->value;
        r->bits = gpu_pack_a(op->pack_file, is_float, &in, &r->value);
    }
}

/* -- ALU instructions --------------------------------------------------------------------------------------------- */

/* Values of the eight mux codes. `mux` points to registers, or to `a`, `b` and `r4`. */
struct operands {
    const union gpu_vec *mux[8];
    union gpu_vec a, b, r4;
};

static void read_file(struct gpu_qpu_core *core, unsigned side, unsigned raddr, const uint8_t fresh[2],
                      const union gpu_vec **out)
{
    *out = fresh[side] == raddr ? &poison : &core->file[side][raddr];
}

/* Uniforms, varyings and VPM words are popped once, even if both ports name them. A small immediate replaces port B. */
static void read_ports(struct gpu_qpu_core *core, const struct gpu_qpu_op *op, const uint8_t fresh[2],
                       struct operands *in)
{
    const struct qpu_instr *i = &op->instr;

    in->mux[QPU_MUX_A] = &poison;
    in->mux[QPU_MUX_B] = &poison;
    if (i->raddr_a < 32) {
        read_file(core, 0, i->raddr_a, fresh, &in->mux[QPU_MUX_A]);
    } else if (i->raddr_a != QPU_R_NOP) {
        gpu_qpu_read_peripheral(core, 0, i->raddr_a, &in->a);
        in->mux[QPU_MUX_A] = &in->a;
    }
    if (i->sig == QPU_SIG_SMALL_IMM) {
        gpu_vec_splat(&in->b, op->small_imm);
        in->mux[QPU_MUX_B] = &in->b;
    } else if (i->raddr_b < 32) {
        read_file(core, 1, i->raddr_b, fresh, &in->mux[QPU_MUX_B]);
    } else if (i->raddr_b != QPU_R_NOP) {
        bool shared = i->raddr_b == i->raddr_a &&
                      (i->raddr_b == QPU_R_UNIFORM || i->raddr_b == QPU_R_VARYING || i->raddr_b == QPU_R_VPM);
        if (!shared)
            gpu_qpu_read_peripheral(core, 1, i->raddr_b, &in->b);
        in->mux[QPU_MUX_B] = shared ? &in->a : &in->b;
    }
}

/* Whether the file A unpacker applies to peripherals is not known; here it does not. UNVERIFIED, decided here. */
static void unpack_operands(const struct gpu_qpu_op *op, struct operands *in)
{
    const struct qpu_instr *i = &op->instr;

    if (i->pm) {
        gpu_unpack_r4(i->unpack, in->mux[QPU_MUX_R4], &in->r4);
        in->mux[QPU_MUX_R4] = &in->r4;
    } else if (op->reads_a && i->raddr_a < 32) {
        gpu_unpack_a(i->unpack, op->unpack_float, in->mux[QPU_MUX_A], &in->a);
        in->mux[QPU_MUX_A] = &in->a;
    }
}

static void rotate_result(struct gpu_qpu_core *core, const struct gpu_qpu_op *op, union gpu_vec *value)
{
    unsigned by = op->rotate == 16 ? core->acc[5].u[0] & 15 : op->rotate;
    union gpu_vec in = *value;

    gpu_rotate(&in, by, op->rotate_full, value);
}

/* [addendum] Flags come from the mul half only if the add operation is nop. They change in the lanes where the
 * condition of that half holds. */
static void update_flags(struct gpu_qpu_core *core, const struct qpu_instr *i, const struct operands *in,
                         const struct result *add, const struct result *mul)
{
    bool from_mul = i->op_add == QPU_A_NOP;
    const struct result *r = from_mul ? mul : add;
    union gpu_vec carry;

    if (!r->mask)
        return;
    if (from_mul)
        gpu_mul_carry(i->op_mul, in->mux[i->mul_a], in->mux[i->mul_b], &carry);
    else
        gpu_add_carry(i->op_add, in->mux[i->add_a], in->mux[i->add_b], &r->value, &carry);
    set_flags(&core->flags, &r->value, &carry, r->mask);
}

static bool add_result_is_float(unsigned op)
{
    return (qpu_add_op_is_float(op) && op != QPU_A_FTOI) || op == QPU_A_ITOF;
}

static void run_alu(struct gpu_qpu_core *core, const struct gpu_qpu_op *op)
{
    const struct qpu_instr *i = &op->instr;
    const uint8_t fresh[2] = {core->fresh_write[0], core->fresh_write[1]};
    union gpu_vec add_storage, mul_storage;
    struct gpu_flags old_flags;
    const struct gpu_flags *flags = &core->flags;
    struct result add, mul;
    struct operands in;

    for (unsigned m = 0; m < 6; m++)
        in.mux[m] = &core->acc[m];
    read_ports(core, op, fresh, &in);
    if (i->unpack)
        unpack_operands(op, &in);
    core->fresh_write[0] = core->fresh_write[1] = 0xff;

    if (i->sf && (i->cond_add > QPU_COND_ALWAYS || i->cond_mul > QPU_COND_ALWAYS)) {
        old_flags = core->flags; /* conditions use the flags from before this instruction */
        flags = &old_flags;
    }
    add.mask = cond_mask(flags, i->cond_add, &add_storage);
    mul.mask = cond_mask(flags, i->cond_mul, &mul_storage);
    if (op->add)
        op->add(in.mux[i->add_a], in.mux[i->add_b], &add.value);
    else if (add.mask)
        add.value = poison;
    if (op->mul) {
        op->mul(in.mux[i->mul_a], in.mux[i->mul_b], &mul.value);
        if (op->rotate)
            rotate_result(core, op, &mul.value);
    } else if (mul.mask) {
        mul.value = poison;
    }
    if (i->sf)
        update_flags(core, i, &in, &add, &mul);
    if (i->pack) {
        if (op->pack_file && op->add && add.mask && !i->ws && i->waddr_add < 32)
            gpu_add_saturate(i->op_add, op->pack_file, in.mux[i->add_a], in.mux[i->add_b], &add.value);
        pack_result(op, false, i->ws, i->waddr_add, add_result_is_float(i->op_add), &add);
        pack_result(op, true, !i->ws, i->waddr_mul, i->op_mul == QPU_M_FMUL, &mul);
    } else {
        add.bits = mul.bits = ~0u;
    }
    if (op->special) {
        if (core->r5_pending)
            core->acc[5] = core->varying_c;
        core->r5_pending = false;
        gpu_qpu_signal(core, i->sig);
    }
    write_result(core, i->ws, i->waddr_add, &add);
    write_result(core, !i->ws, i->waddr_mul, &mul);
}

/* -- load immediate ----------------------------------------------------------------------------------------------- */

static void run_load_imm(struct gpu_qpu_core *core, const struct gpu_qpu_op *op)
{
    static const union gpu_vec no_carry;
    const struct qpu_instr *i = &op->instr;
    union gpu_vec add_storage, mul_storage, value;
    struct gpu_flags old_flags = core->flags;
    struct result add, mul;

    switch (i->unpack) {
    case QPU_LOAD_IMM_32:
        gpu_vec_splat(&value, i->imm);
        break;
    case QPU_LOAD_IMM_PER_LANE_SIGNED:
    case QPU_LOAD_IMM_PER_LANE_UNSIGNED:
        for (unsigned l = 0; l < QPU_LANES; l++) {
            uint32_t high = i->imm >> (16 + l) & 1, low = i->imm >> l & 1;
            value.u[l] = (i->unpack == QPU_LOAD_IMM_PER_LANE_SIGNED ? 0u - 2 * high : 2 * high) + low;
        }
        break;
    case QPU_LOAD_IMM_SEMAPHORE: /* [guide p.33]; the immediate is also the result of both ALUs */
        gpu_qpu_semaphore(core, i->imm);
        gpu_vec_splat(&value, i->imm);
        break;
    default:
        core->fault = "QPU load immediate in a mode that is not documented";
        return;
    }
    core->fresh_write[0] = core->fresh_write[1] = 0xff;
    add.value = mul.value = value;
    add.mask = cond_mask(&old_flags, i->cond_add, &add_storage);
    mul.mask = cond_mask(&old_flags, i->cond_mul, &mul_storage);
    if (i->sf && (add.mask || mul.mask))
        set_flags(&core->flags, &value, &no_carry, add.mask ? add.mask : mul.mask);
    pack_result(op, false, i->ws, i->waddr_add, false, &add);
    pack_result(op, true, !i->ws, i->waddr_mul, false, &mul);
    write_result(core, i->ws, i->waddr_add, &add);
    write_result(core, !i->ws, i->waddr_mul, &mul);
}

/* -- branch ------------------------------------------------------------------------------------------------------- */

static bool branch_taken(const struct gpu_flags *flags, unsigned cond)
{
    const union gpu_vec *flag;
    unsigned set = 0;

    if (cond == QPU_BRANCH_ALWAYS)
        return true;
    flag = cond < 4 ? &flags->z : cond < 8 ? &flags->n : &flags->c;
    for (unsigned l = 0; l < QPU_LANES; l++)
        set += flag->u[l] & 1;
    switch (cond & 3) {
    case 0: /* all set */
        return set == QPU_LANES;
    case 1: /* all clear */
        return set == 0;
    case 2: /* any set */
        return set > 0;
    default: /* any clear */
        return set < QPU_LANES;
    }
}

static void check_limit(struct gpu_qpu_core *core)
{
    if (++core->branches % BRANCHES_PER_LIMIT_CHECK)
        return;
    if (core->run->limit && util_work_limit_is_reached(core->run->limit))
        core->fault = "QPU program runs past the job's time limit";
}

/* [guide p.34]; [addendum]: a register target is read from lane 15; link values are written and flags set only if the
 * branch is taken; bit 45 is both the low bit of raddr_a and set-flags. */
static void run_branch(struct gpu_qpu_core *core, const struct gpu_qpu_op *op)
{
    static const union gpu_vec no_carry;
    const struct qpu_instr *i = &op->instr;
    uint32_t after = core->program->code_addr + 8 * core->pc + 32, target = i->imm;
    struct result link = {.mask = &all_ones, .bits = ~0u};
    const uint8_t fresh[2] = {core->fresh_write[0], core->fresh_write[1]};
    uint32_t index;

    if (i->pack > QPU_BRANCH_ANY_CC && i->pack != QPU_BRANCH_ALWAYS) {
        core->fault = "QPU branch with a reserved condition";
        return;
    }
    core->fresh_write[0] = core->fresh_write[1] = 0xff;
    if (!branch_taken(&core->flags, i->pack))
        return;
    if (core->branch_delay) {
        core->fault = "QPU branch in the delay slots of a branch";
        return;
    }
    if (i->branch_rel)
        target += after;
    if (i->branch_reg)
        target += fresh[0] == i->raddr_a ? GPU_POISON : core->file[0][i->raddr_a].u[15];
    gpu_vec_splat(&link.value, after);
    if (i->raddr_a & 1)
        set_flags(&core->flags, &link.value, &no_carry, &all_ones);
    write_result(core, i->ws, i->waddr_add, &link);
    write_result(core, !i->ws, i->waddr_mul, &link);

    core->branch_delay = 4;
    core->next_program = core->program;
    if (core->run->kind == QPU_PROGRAM_USER) {
        core->next_program = gpu_qpu_code_page(core, target, &core->fault);
        core->next_pc = target % GPU_CODE_PAGE_B / 8;
        check_limit(core);
        return;
    }
    index = (target - core->program->code_addr) / 8;
    if (target % 8 || index >= core->program->count) {
        core->fault = "QPU branch leaves the program";
        return;
    }
    core->next_pc = index;
    if (index <= core->pc)
        check_limit(core);
}

/* -- running ------------------------------------------------------------------------------------------------------ */

static void poison_accumulators(struct gpu_qpu_core *core)
{
    for (unsigned n = 0; n < ARRAY_SIZE(core->acc); n++)
        core->acc[n] = poison;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        core->flags.z.u[l] = 0u - (l & 1); /* a pattern that no program can rely on */
        core->flags.n.u[l] = 0u - (l >> 1 & 1);
        core->flags.c.u[l] = 0u - (l >> 2 & 1);
    }
    core->acc_valid = 0;
    core->flags_valid = false;
}

/* Counts delay slots down and performs what is due: thread switch, branch, program end. False at the end of the
 * program. */
static bool count_delays(struct gpu_qpu_core *core)
{
    if (core->switch_delay && --core->switch_delay == 0)
        poison_accumulators(core);
    if (core->branch_delay && --core->branch_delay == 0) {
        core->pc = core->next_pc;
        core->program = core->next_program;
    }
    return !(core->end_delay && --core->end_delay == 0);
}

static bool step(struct gpu_qpu_core *core)
{
    const struct gpu_qpu_op *op = &core->program->ops[core->pc];

    core->steps++;
    if (core->sfu_delay && --core->sfu_delay == 0) {
        core->acc[4] = core->sfu_result;
        core->acc_valid |= BIT(4);
    }
    if (core->run->strict) {
        gpu_strict_before(core, op);
        if (core->fault)
            return false;
    }
    if (op->instr.sig == QPU_SIG_BRANCH)
        run_branch(core, op);
    else if (op->instr.sig == QPU_SIG_LOAD_IMM)
        run_load_imm(core, op);
    else
        run_alu(core, op);
    if (core->run->strict)
        gpu_strict_after(core, op);
    core->pc++;
    if (core->switch_delay | core->branch_delay | core->end_delay)
        return count_delays(core);
    return true;
}

/* Initialises everything except the registers, which host code does not keep in the core. */
static void start_units(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    core->run = run;
    core->native = NULL;
    core->pc = 0;
    core->branch_delay = core->switch_delay = core->end_delay = core->sfu_delay = 0;
    core->uniforms_addr = run->uniforms_addr;
    core->uniforms_end = run->uniforms_count ? (run->uniforms_addr & ~3u) + 4 * run->uniforms_count : 1;
    if (run->uniforms_count) /* the window was computed for another uniforms_end */
        core->uniforms_window.words_B = 0;
    core->varying = 0;
    core->r5_pending = false;
    core->branches = 0;
    core->fault = NULL;
    core->vpm_read.valid = core->vpm_write.valid = false;
    memset(&core->dma, 0, sizeof core->dma);
    for (unsigned n = 0; n < 2; n++) {
        core->tmu_port[n].request.configs = 0;
        core->tmu_port[n].outstanding_params = 0;
        core->tmu_port[n].head = core->tmu_port[n].count = 0;
        memset(core->tmu_port[n].params, 0, sizeof core->tmu_port[n].params);
    }
}

static void start(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, const struct gpu_qpu_program *program)
{
    bool user = run->kind == QPU_PROGRAM_USER;

    for (unsigned side = 0; side < 2; side++) {
        for (uint32_t left = user ? ~0u : program->named[side]; left; left &= left - 1)
            core->file[side][__builtin_ctz(left)] = poison;
        core->fresh_write[side] = 0xff;
    }
    poison_accumulators(core);
    core->program = program;
    start_units(core, run);
    if (run->kind == QPU_PROGRAM_FRAGMENT) { /* [guide p.51 table 29] */
        memcpy(&core->file[0][15], run->fragment->w, sizeof core->file[0][15]);
        memcpy(&core->file[1][15], run->fragment->z, sizeof core->file[1][15]);
    }
    gpu_strict_start(core);
}

/* Takes the mutex if it is free. True on success. */
static bool take_mutex(const struct gpu_qpu_core *core)
{
    const struct gpu_user_io *io = core->run->user;
    unsigned holder = GPU_MUTEX_FREE;

    return atomic_compare_exchange_strong(&io->share->mutex_holder, &holder, core->run->qpu);
}

static bool semaphore_waits(const struct gpu_user_io *io, uint32_t word)
{
    const unsigned count = io->semaphores->count[word & 15], times = gpu_qpu_semaphore_times(word, io->is_engine);

    return word & QPU_SEMAPHORE_DECREMENT ? count < times : count + times > io->semaphores->max;
}

/* Whether the instruction stalls, because of a semaphore at its limit or the mutex held by another program. Takes the
 * mutex if it is free. */
static bool must_wait(const struct gpu_qpu_core *core, const struct qpu_instr *i)
{
    const struct gpu_user_io *io = core->run->user;

    if (i->sig == QPU_SIG_BRANCH)
        return false;
    if (i->sig == QPU_SIG_LOAD_IMM)
        return i->unpack == QPU_LOAD_IMM_SEMAPHORE && semaphore_waits(io, i->imm);
    return (i->raddr_a == QPU_R_MUTEX_ACQUIRE ||
            (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == QPU_R_MUTEX_ACQUIRE)) &&
           !take_mutex(core);
}

/* Waits for the mutex in a bin or render program. Unlike user programs these do not run in slices, so the thread stalls
 * until another thread releases the mutex. */
static void wait_for_mutex(struct gpu_qpu_core *core, const struct qpu_instr *i)
{
    const struct gpu_qpu_run *run = core->run;

    while (must_wait(core, i)) {
        if (atomic_load(&run->user->share->stop))
            core->fault = "QPU program stopped: another one has failed";
        check_limit(core);
        if (core->fault)
            return;
        sched_yield();
    }
}

/* Interprets from the core's current state up to the end of the program, or an instruction outside of [begin, end):
 * true. `executed`: counters per instruction, or NULL. */
static inline __attribute__((always_inline)) bool interpret(struct gpu_qpu_core *core, const struct gpu_qpu_run *run,
                                                            uint32_t begin, uint32_t end, uint64_t *executed)
{
    while (!core->fault) {
        if (core->pc - begin >= end - begin) {
            if (core->pc < run->program->count)
                return true;
            core->fault = "QPU program runs past its end";
            break;
        }
        if (executed)
            executed[core->pc]++;
        if (run->user && run->program->ops[core->pc].pops)
            wait_for_mutex(core, &run->program->ops[core->pc].instr);
        if (core->fault || !step(core))
            break;
    }
    return false;
}

static void interpret_all(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    interpret(core, run, 0, run->program->count, NULL);
}

/* -- counting ----------------------------------------------------------------------------------------------------- */

static void count_instrs(struct gpu_stats *stats, enum model_stage stage, uint64_t count)
{
    gpu_stats_add(stats, MODEL_COST_COORDINATE_INSTRS + stage, count);
    stats->out->interpreted += count;
}

static unsigned covered_pixels(const struct gpu_fragment_io *io)
{
    unsigned count = 0;

    for (unsigned l = 0; l < QPU_LANES; l++)
        count += io->ms_flags[l] != 0;
    return count;
}

static void interpret_counted(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    const enum model_stage stage = run->kind == QPU_PROGRAM_FRAGMENT ? MODEL_STAGE_FRAGMENT : core->stats->vertices;
    const uint64_t steps = core->steps;
    struct model_program_stats *program =
        gpu_stats_program(core->stats, stage, run->program->code_addr, run->program->count, core->mem);

    if (stage == MODEL_STAGE_FRAGMENT)
        gpu_stats_add(core->stats, MODEL_COST_PIXELS, covered_pixels(run->fragment));
    gpu_stats_add(core->stats, MODEL_COST_RUNS, 1);
    if (program)
        program->runs++;
    interpret(core, run, 0, run->program->count, program ? program->executed : NULL);
    count_instrs(core->stats, stage, core->steps - steps);
}

enum gpu_status gpu_qpu_run_as(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native,
                               const char **message_out)
{
    const uint64_t begin_ns = gpu_part_begin(core->times);
    if (native) {
        core->program = run->program;
        start_units(core, run);
        if (native(core, 0) == JIT_BAILOUT)
            interpret_all(core, run);
    } else {
        start(core, run, run->program);
        if (core->stats)
            interpret_counted(core, run);
        else
            interpret_all(core, run);
        jit_unit_count(core->jit, run->program->unit, core->branches / BRANCHES_PER_RUN);
    }
    gpu_part_end(core->times, run->kind == QPU_PROGRAM_FRAGMENT ? GPU_PART_FRAGMENTS : core->vertex_part, begin_ns);
    if (!core->fault && run->kind == QPU_PROGRAM_FRAGMENT && core->varying != run->fragment->varying_count)
        core->fault = "fragment program does not read all varyings";
    if (core->fault) {
        *message_out = core->fault;
        gpu_qpu_report(core);
    }
    return core->fault ? GPU_HANG : GPU_OK;
}

enum gpu_status gpu_qpu_run(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, const char **message_out)
{
    if (run->kind == QPU_PROGRAM_USER) {
        *message_out = "user programs run in slices only";
        return GPU_HANG;
    }
    return gpu_qpu_run_as(core, run, gpu_qpu_native_code(core, run), message_out);
}

/* -- user programs ------------------------------------------------------------------------------------------------ */

uint32_t gpu_qpu_pc(const struct gpu_qpu_core *core)
{
    if (core->native)
        return core->run->code_addr + 8 * core->pc;
    return core->program->code_addr + 8 * core->pc;
}

void gpu_qpu_start_native(struct gpu_qpu_core *core, const struct gpu_qpu_run *run, gpu_qpu_native native)
{
    core->program = NULL;
    start_units(core, run);
    core->native = native;
    core->native_point = 0;
    core->native_progressed = 1;
}

static void count_user(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    const char *message;
    const uint32_t count = gpu_qpu_program_length(core->mem, run->code_addr, &message);

    core->counted = count ? gpu_stats_program(core->stats, MODEL_STAGE_USER, run->code_addr, count, core->mem) : NULL;
    gpu_stats_add(core->stats, MODEL_COST_RUNS, 1);
    if (core->counted)
        core->counted->runs++;
}

static void count_user_instr(struct gpu_qpu_core *core)
{
    const uint32_t n = (gpu_qpu_pc(core) - core->run->code_addr) / 8;

    count_instrs(core->stats, MODEL_STAGE_USER, 1);
    if (core->counted && n < core->counted->count)
        core->counted->executed[n]++;
}

enum gpu_qpu_progress gpu_qpu_start_user(struct gpu_qpu_core *core, const struct gpu_qpu_run *run,
                                         const char **message_out)
{
    const struct gpu_qpu_program *program;
    gpu_qpu_native native = gpu_qpu_native_user_code(core, run);

    if (native) {
        gpu_qpu_start_native(core, run, native);
        return GPU_QPU_RUNNING;
    }
    program = gpu_qpu_code_page(core, run->code_addr, message_out);
    if (!program)
        return GPU_QPU_FAULT;
    start(core, run, program);
    core->user_counted = core->steps;
    core->pc = run->code_addr % GPU_CODE_PAGE_B / 8;
    if (core->stats)
        count_user(core, run);
    return GPU_QPU_RUNNING;
}

/* Moves to instruction `index` of the whole user program, which may be on another code page. */
static bool enter_page(struct gpu_qpu_core *core, uint32_t index, const char **message_out)
{
    const uint32_t addr = core->run->code_addr + 8 * index;

    core->program = gpu_qpu_code_page(core, addr, message_out);
    core->pc = addr % GPU_CODE_PAGE_B / 8;
    return core->program != NULL;
}

/* Runs host code. It returns at the end, on a fault, where it must wait, after many backward branches, and where the
 * interpreter must take over. */
static enum gpu_qpu_progress advance_native(struct gpu_qpu_core *core, const char **message_out)
{
    switch (core->native(core, core->native_point)) {
    case JIT_ENDED:
        return GPU_QPU_ENDED;
    case JIT_FAULT:
        *message_out = core->fault;
        return GPU_QPU_FAULT;
    case JIT_WAITS: {
        bool progressed = core->native_progressed;
        core->native_progressed = 0;
        return progressed ? GPU_QPU_RUNNING : GPU_QPU_BLOCKED;
    }
    case JIT_NO_SUCH_POINT:
        core->native = NULL;
        return GPU_QPU_RUNNING;
    case JIT_BAILOUT:
        core->native = NULL;
        return enter_page(core, core->pc, message_out) ? GPU_QPU_RUNNING : GPU_QPU_FAULT;
    default:
        core->native_progressed = 1;
        return GPU_QPU_RUNNING;
    }
}

/* Whether host code can take over here: no delayed effect and no texture request is pending, and the next instruction
 * does not read a register written by the last one. */
static bool can_enter_native(const struct gpu_qpu_core *core)
{
    const struct qpu_instr *i = &core->program->ops[core->pc].instr;
    bool clean = !(core->sfu_delay | core->branch_delay | core->switch_delay | core->end_delay);

    for (unsigned n = 0; n < 2; n++) {
        const struct gpu_tmu_port *port = &core->tmu_port[n];
        clean &= !port->count && !port->outstanding_params && !port->request.configs;
        clean &= core->fresh_write[n] != (n ? i->raddr_b : i->raddr_a);
    }
    return clean;
}

void gpu_qpu_enter_native(struct gpu_qpu_core *core, gpu_qpu_native native)
{
    if (core->native || core->pc >= core->program->count || !can_enter_native(core))
        return;
    core->native_point = JIT_LOOP_POINT((gpu_qpu_pc(core) - core->run->code_addr) / 8);
    core->native_progressed = 1;
    core->native = native;
}

/* Called after each backward branch. Lets a program that loops for a long time be compiled, and switch to its host
 * code, before it ends. */
static void count_loop(struct gpu_qpu_core *core)
{
    struct jit_unit *unit = core->user_addr == core->run->code_addr ? core->user_unit : NULL;

    if (!unit || !core->jit || core->run->strict || core->stats)
        return;
    const unsigned per_run = jit_unit_instrs_per_run(unit);
    if (core->steps - core->user_counted >= per_run) {
        core->user_counted = core->steps;
        jit_unit_count(core->jit, unit, 1);
    }
    gpu_qpu_native native = jit_unit_entry(unit);
    if (native) {
        core->pieces = jit_unit_pieces(unit);
        gpu_qpu_enter_native(core, native);
    }
}

enum gpu_qpu_progress gpu_qpu_advance_user(struct gpu_qpu_core *core, unsigned instrs, const char **message_out)
{
    if (core->native)
        return advance_native(core, message_out);
    for (unsigned done = 0; done < instrs; done++) {
        if (core->pc == core->program->count) {
            const struct gpu_qpu_program *next = gpu_qpu_code_page(core, gpu_qpu_pc(core), message_out);
            if (!next)
                return GPU_QPU_FAULT;
            core->program = next;
            core->pc = 0;
        }
        if (must_wait(core, &core->program->ops[core->pc].instr))
            return done ? GPU_QPU_RUNNING : GPU_QPU_BLOCKED;
        if (UTIL_UNLIKELY(core->stats))
            count_user_instr(core);
        const struct gpu_qpu_program *program = core->program;
        const uint32_t from = core->branch_delay == 1 ? gpu_qpu_pc(core) : 0;
        uint32_t pc = core->pc;
        bool more = step(core);
        if (core->fault) {
            core->program = program; /* so that gpu_qpu_pc() reports the faulting instruction */
            core->pc = pc;
            *message_out = core->fault;
            return GPU_QPU_FAULT;
        }
        if (!more)
            return GPU_QPU_ENDED;
        if (from && gpu_qpu_pc(core) <= from) {
            count_loop(core);
            if (core->native)
                break;
        }
    }
    return GPU_QPU_RUNNING;
}

/* -- what host code calls ----------------------------------------------------------------------------------------- */

static bool mutex_waits(const struct gpu_qpu_core *core)
{
    return !take_mutex(core);
}

static void stall_for_mutex(struct gpu_qpu_core *core)
{
    static const struct qpu_instr acquire = {.sig = QPU_SIG_NONE, .raddr_a = QPU_R_MUTEX_ACQUIRE, .raddr_b = QPU_R_NOP};

    wait_for_mutex(core, &acquire);
}

static void run_float_op(struct gpu_qpu_core *core, uint32_t op, const union gpu_vec *a, const union gpu_vec *b,
                         union gpu_vec *out)
{
    (void)core;
    (op == QPU_A_NOP ? gpu_mul_fn(QPU_M_FMUL) : gpu_add_fn(op))(a, b, out);
}

static void leave_native(struct gpu_qpu_core *core, uint32_t pc, uint32_t flight, uint32_t uniforms_addr,
                         uint32_t varying)
{
    core->pc = pc;
    core->branch_delay = 0;
    core->sfu_delay = flight & 15;
    core->switch_delay = flight >> 4 & 15;
    core->end_delay = flight >> 8 & 15;
    core->fresh_write[0] = flight >> 16 & 255;
    core->fresh_write[1] = flight >> 24;
    core->uniforms_addr = uniforms_addr;
    core->varying = varying;
    core->tmu_port[0].request.configs = core->tmu_port[1].request.configs = 0;
}

static void interpret_instrs(struct gpu_qpu_core *core, uint32_t pc, uint32_t count, uint32_t flight,
                             uint32_t uniforms_addr, uint32_t varying)
{
    const struct gpu_qpu_program *program = core->program;
    const bool user = core->run->kind == QPU_PROGRAM_USER;

    leave_native(core, pc, flight, uniforms_addr, varying);
    if (user && !enter_page(core, pc, &core->fault))
        return;
    while (count-- && !core->fault) {
        if (user && core->pc == core->program->count && !enter_page(core, pc, &core->fault))
            return;
        step(core);
        pc++;
    }
    core->program = program;
}

static void start_in_core(struct gpu_qpu_core *core)
{
    start(core, core->run, core->program);
}

static bool interpret_range(struct gpu_qpu_core *core, uint32_t begin, uint32_t end)
{
    return interpret(core, core->run, begin, end, NULL);
}

const struct jit_calls *gpu_qpu_jit_calls(void)
{
    static const struct jit_calls calls = {
        .sfu_tables = gpu_sfu_tables,
        .read = gpu_qpu_read_peripheral,
        .write = gpu_qpu_write_peripheral,
        .signal = gpu_qpu_signal,
        .uniform_at = gpu_qpu_uniform_at,
        .uniforms_at = gpu_qpu_uniforms_at,
        .interpret = interpret_instrs,
        .exact = run_float_op,
        .rotate = gpu_rotate,
        .load_words = gpu_qpu_load_words,
        .load_word = gpu_qpu_load_word,
        .sample = gpu_qpu_sample,
        .find_texture = gpu_qpu_find_texture,
        .misuse_tmu = gpu_qpu_misuse_tmu,
        .vpm_setup_read = gpu_vpm_setup_read,
        .vpm_setup_write = gpu_vpm_setup_write,
        .vpm_read = gpu_vpm_read,
        .vpm_write = gpu_vpm_write,
        .dma_load = gpu_vpm_dma_load,
        .dma_store = gpu_vpm_dma_store,
        .dma_load_lanes = gpu_vpm_dma_load_lanes,
        .dma_store_lanes = gpu_vpm_dma_store_lanes,
        .atomic_lanes = gpu_qpu_atomic_lanes,
        .semaphore = gpu_qpu_semaphore,
        .mutex_waits = mutex_waits,
        .take_mutex = stall_for_mutex,
        .check_limit = check_limit,
        .start = start_in_core,
        .interpret_range = interpret_range,
    };

    return &calls;
}

/* -- cores -------------------------------------------------------------------------------------------------------- */

void gpu_qpu_set_times(struct gpu_qpu_core *core, struct gpu_times *times, enum gpu_part vertex_part)
{
    core->times = times;
    core->vertex_part = vertex_part;
}

void gpu_qpu_set_stats(struct gpu_qpu_core *core, struct gpu_stats *stats)
{
    core->stats = stats;
    core->counted = NULL;
    gpu_tmu_set_stats(core->tmu, stats);
}

struct gpu_stats *gpu_qpu_stats(const struct gpu_qpu_core *core)
{
    return core->stats;
}

int gpu_qpu_core_create(const struct gpu_memory *mem, struct gpu_qpu_core **out)
{
    struct gpu_qpu_core *core = aligned_alloc(64, util_align((uint32_t)sizeof *core, 64));

    if (!core)
        return -ENOMEM;
    memset(core, 0, sizeof *core);
    core->mem = mem;
    core->tmu = gpu_tmu_create(mem);
    if (!core->tmu) {
        free(core);
        return -ENOMEM;
    }
    core->simd = gpu_simd_best();
    core->calls = gpu_qpu_jit_calls();
    core->jit = jit_cache_acquire(core->calls);
    core->user_addr = core->uniforms_page = 1;
    *out = core;
    return 0;
}

void gpu_qpu_core_destroy(struct gpu_qpu_core *core)
{
    if (!core)
        return;
    gpu_qpu_forget_programs(core);
    jit_unit_drop(core->jit, core->user_unit);
    jit_cache_release(core->jit);
    free(core->programs);
    gpu_tmu_destroy(core->tmu);
    free(core);
}

void gpu_qpu_begin_job(struct gpu_qpu_core *core)
{
    gpu_qpu_forget_programs(core);
    memset(core->window, 0, sizeof core->window);
    memset(core->near, 0, sizeof core->near); /* entries with `usable` 0 */
    core->uniforms_page = 1;
    core->uniforms_window.words_B = 0;
    gpu_tmu_begin_job(core->tmu);
}
