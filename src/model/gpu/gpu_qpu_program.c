/* SPDX-License-Identifier: MIT
 *
 * Decoded programs: each instruction is decoded once per job, together with everything that does not change from run to
 * run. Also finds the host code of programs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "model/gpu/gpu_qpu_state.h"
#include "model/jit/jit_cache.h"

/* -- one instruction ---------------------------------------------------------------------------------------------- */

static bool mux_is(const struct qpu_instr *i, unsigned mux, bool add, bool mul)
{
    return (add && (i->add_a == mux || i->add_b == mux)) || (mul && (i->mul_a == mux || i->mul_b == mux));
}

/* A nop writes nothing, whatever its condition and address: public programs that ran on the chip contain nops that name
 * r0 with the condition "always". */
static void decode_alu(struct gpu_qpu_op *op)
{
    struct qpu_instr *i = &op->instr;
    bool small_imm = i->sig == QPU_SIG_SMALL_IMM;

    if (i->op_add == QPU_A_NOP)
        i->cond_add = QPU_COND_NEVER;
    if (i->op_mul == QPU_M_NOP)
        i->cond_mul = QPU_COND_NEVER;

    op->add = gpu_add_fn(i->op_add);
    op->mul = gpu_mul_fn(i->op_mul);
    op->reads_a = mux_is(i, QPU_MUX_A, op->add, op->mul);
    op->reads_b = mux_is(i, QPU_MUX_B, op->add, op->mul);
    op->unpack_float = (op->add && qpu_add_op_is_float(i->op_add) && mux_is(i, QPU_MUX_A, true, false)) ||
                       (op->mul && qpu_mul_op_is_float(i->op_mul) && mux_is(i, QPU_MUX_A, false, true));
    op->pops =
        (i->raddr_a > 31 && i->raddr_a != QPU_R_NOP) || (!small_imm && i->raddr_b > 31 && i->raddr_b != QPU_R_NOP);
    if (small_imm) {
        op->small_imm = qpu_small_imm_value(i->raddr_b);
        if (i->raddr_b == QPU_SMALL_IMM_ROTATE_R5)
            op->rotate = 16;
        else if (i->raddr_b > QPU_SMALL_IMM_ROTATE_R5)
            op->rotate = i->raddr_b - QPU_SMALL_IMM_ROTATE_R5;
        op->rotate_full = i->mul_a < QPU_MUX_R4 && i->mul_b < QPU_MUX_R4; /* [addendum] else inside each quad */
    }
    op->special = op->pops || (i->sig != QPU_SIG_NONE && i->sig != QPU_SIG_SMALL_IMM);
}

static void decode_op(struct gpu_qpu_op *op, uint64_t word)
{
    const struct qpu_instr *i = &op->instr;

    memset(op, 0, sizeof *op);
    op->instr = qpu_decode(word);
    if (i->sig == QPU_SIG_BRANCH || i->sig == QPU_SIG_LOAD_IMM)
        op->special = true;
    else
        decode_alu(op);
    if (i->sig != QPU_SIG_BRANCH) {
        if (i->pm)
            op->pack_mul = i->pack;
        else
            op->pack_file = i->pack;
    }
}

/* Bit of a file register; 0 for any other address. */
static uint32_t register_bit(unsigned address)
{
    return address < 32 ? 1u << address : 0;
}

static void mark_registers(struct gpu_qpu_program *program, const struct qpu_instr *i)
{
    program->named[i->ws] |= register_bit(i->waddr_add);
    program->named[!i->ws] |= register_bit(i->waddr_mul);
    program->named[0] |= register_bit(i->raddr_a);
    program->named[1] |= register_bit(i->raddr_b);
}

/* -- whole programs ----------------------------------------------------------------------------------------------- */

static bool fetch(const struct gpu_memory *mem, uint32_t addr, uint64_t *out)
{
    if (addr % 8 || addr > mem->size_B - 8 || !mem->is_mapped(mem, addr, 8))
        return false;
    memcpy(out, mem->base + addr, 8);
    return true;
}

/* Counts instructions up to the first program end that no earlier branch with a known target jumps over, and the two
 * delay slots after it. */
uint32_t gpu_qpu_program_length(const struct gpu_memory *mem, uint32_t code_addr, const char **message_out)
{
    uint32_t furthest = 0;
    uint64_t word;

    for (uint32_t n = 0; n < QPU_MAX_PROGRAM; n++) {
        if (!fetch(mem, code_addr + 8 * n, &word)) {
            *message_out = "QPU program without end runs into memory that is not mapped";
            return 0;
        }
        struct qpu_instr i = qpu_decode(word);
        if (i.sig == QPU_SIG_BRANCH && i.branch_rel && !i.branch_reg) {
            int64_t target = (int64_t)n + 4 + (int32_t)i.imm / 8;
            if (target > furthest && target < QPU_MAX_PROGRAM)
                furthest = (uint32_t)target;
        }
        if ((i.sig == QPU_SIG_PROGRAM_END || i.sig == QPU_SIG_COLOR_LOAD_END) && n >= furthest)
            return n + 3;
    }
    *message_out = "QPU program has no program end";
    return 0;
}

static bool add_program(struct gpu_qpu_core *core, struct gpu_qpu_program *program)
{
    if (core->program_count == core->program_capacity) {
        unsigned capacity = MAX2(16u, 2 * core->program_capacity);
        void *bigger = realloc(core->programs, capacity * sizeof(core->programs[0]));
        if (!bigger)
            return false;
        core->programs = bigger;
        core->program_capacity = capacity;
    }
    core->programs[core->program_count++] = program;
    return true;
}

static const struct gpu_qpu_program *lookup_program(const struct gpu_qpu_core *core, uint32_t code_addr)
{
    for (unsigned n = core->program_count; n--;) {
        if (core->programs[n]->code_addr == code_addr)
            return core->programs[n];
    }
    return NULL;
}

/* `gap`: instruction used for unmapped words. */
static const struct gpu_qpu_program *decode(struct gpu_qpu_core *core, uint32_t code_addr, uint32_t count, uint64_t gap,
                                            const char **message_out)
{
    struct gpu_qpu_program *program = malloc(sizeof *program + count * sizeof(program->ops[0]));
    if (!program || !add_program(core, program)) {
        free(program);
        *message_out = "out of memory for a decoded QPU program";
        return NULL;
    }
    program->unit = NULL;
    program->unit_requested = program->solid_checked = false;
    program->code_addr = code_addr;
    program->count = count;
    program->named[0] = program->named[1] = 0;
    for (uint32_t n = 0; n < count; n++) {
        uint64_t word = 0;
        if (!fetch(core->mem, code_addr + 8 * n, &word))
            word = gap;
        decode_op(&program->ops[n], word);
        mark_registers(program, &program->ops[n].instr);
    }
    return program;
}

const struct gpu_qpu_program *gpu_qpu_program_get(struct gpu_qpu_core *core, uint32_t code_addr,
                                                  const char **message_out)
{
    const struct gpu_qpu_program *program = lookup_program(core, code_addr);
    uint32_t count;

    if (program)
        return program;
    count = gpu_qpu_program_length(core->mem, code_addr, message_out);
    /* the two delay slots after the end may be unmapped */
    return count ? decode(core, code_addr, count, UINT64_C(0x100009e7009e7000), message_out) : NULL;
}

const struct gpu_qpu_program *gpu_qpu_code_page(struct gpu_qpu_core *core, uint32_t addr, const char **message_out)
{
    uint32_t page = addr & ~(GPU_CODE_PAGE_B - 1);
    const struct gpu_qpu_program *program = lookup_program(core, page);
    uint64_t word;

    if (!fetch(core->mem, addr, &word)) {
        *message_out = "QPU program leaves mapped memory";
        return NULL;
    }
    return program ? program : decode(core, page, GPU_CODE_PAGE_B / 8, 0, message_out);
}

void gpu_qpu_forget_programs(struct gpu_qpu_core *core)
{
    for (unsigned n = 0; n < core->program_count; n++) {
        jit_unit_drop(core->jit, core->programs[n]->unit);
        free(core->programs[n]);
    }
    core->program_count = 0;
    core->user_checked = false;
}

/* -- host code ---------------------------------------------------------------------------------------------------- */

static struct jit_unit *unit_at(struct gpu_qpu_core *core, uint32_t code_addr, uint32_t count,
                                const struct gpu_qpu_run *run)
{
    const struct gpu_memory *mem = core->mem;
    struct jit_source source = {.count = count, .kind = run->kind, .has_user = run->user != NULL};

    if (!core->jit || !count || code_addr % 8 || !mem->is_mapped(mem, code_addr, 8 * count))
        return NULL;
    source.words = (const uint64_t *)(const void *)(mem->base + code_addr);
    return jit_unit_get(core->jit, &source);
}

gpu_qpu_native gpu_qpu_native_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    struct gpu_qpu_program *program = (struct gpu_qpu_program *)run->program; /* the core owns it */

    if (!core->jit || run->strict || core->stats)
        return NULL;
    if (!program->unit_requested) {
        program->unit_requested = true;
        program->unit_kind = (uint8_t)run->kind;
        program->unit_user = run->user != NULL;
        program->unit = unit_at(core, program->code_addr, program->count, run);
    }
    if (program->unit_kind != run->kind || program->unit_user != (run->user != NULL))
        return NULL;
    core->pieces = jit_unit_pieces(program->unit);
    return jit_unit_use(core->jit, program->unit);
}

/* The unit of the last user program is kept from job to job, because mostly the same code is run again. */
gpu_qpu_native gpu_qpu_native_user_code(struct gpu_qpu_core *core, const struct gpu_qpu_run *run)
{
    const struct gpu_memory *mem = core->mem;
    const char *message;

    if (!core->jit || run->strict || core->stats)
        return NULL;
    if (core->user_addr != run->code_addr || !core->user_checked) {
        const struct jit_source *source = core->user_unit ? jit_unit_source(core->user_unit) : NULL;
        bool same = source && core->user_addr == run->code_addr &&
                    mem->is_mapped(mem, run->code_addr, 8 * source->count) &&
                    !memcmp(source->words, mem->base + run->code_addr, 8 * source->count);
        core->user_checked = true;
        core->user_addr = run->code_addr;
        if (!same) {
            jit_unit_drop(core->jit, core->user_unit);
            core->user_unit =
                unit_at(core, run->code_addr, gpu_qpu_program_length(mem, run->code_addr, &message), run);
        }
    }
    core->pieces = jit_unit_pieces(core->user_unit);
    return jit_unit_use(core->jit, core->user_unit);
}
