/* SPDX-License-Identifier: MIT
 *
 * Proves that a program is solid, and finds its colour.
 *
 * The proof tracks what each value depends on. For a flat varying (both slopes 0) VARYING is 0 in every lane; the sign
 * of that zero depends on the signs of the pixel's distances. A factor such as W can only change the sign again,
 * because on this chip 0 * x = 0 for all x (gpu_alu.c). So everything else that a straight-line program computes lane
 * by lane from such zeros, uniforms, constants and coefficients depends on these signs alone. There are at most twelve
 * kinds of lanes: both signs of each distance; and W positive, negative, or infinite or NaN (the product is then +0).
 * One run with a lane of each kind computes every colour that can occur. If all are equal, all pixels have that colour.
 */
#include <math.h>
#include <string.h>
#include "model/gpu/gpu_qpu_state.h"
#include "model/gpu/gpu_solid.h"

/* What a value depends on. */
enum depends {
    ON_PIXEL, /* unknown: anything, per pixel */
    ON_SIGNS, /* at most on the signs of zeros */
    IS_ZERO,  /* like ON_SIGNS, and the value is +0 or -0 */
    IS_W,
    IS_Z, /* the pixel's depth, unchanged */
};

struct proof {
    uint8_t file[2][32], acc[6], flags; /* enum depends */
    uint8_t fresh[2];                   /* file registers written by the last instruction */
    struct gpu_solid_program found;
};

static bool is_sign_only(unsigned depends)
{
    return depends == ON_SIGNS || depends == IS_ZERO;
}

static unsigned merge(unsigned a, unsigned b)
{
    return is_sign_only(a) && is_sign_only(b) ? ON_SIGNS : ON_PIXEL;
}

/* -- operands -- */

/* False if the program reads anything else, or a register too early. */
static bool read_port(const struct proof *p, unsigned side, unsigned raddr, unsigned *out)
{
    if (raddr < 32) {
        *out = p->file[side][raddr];
        return raddr != p->fresh[side];
    }
    *out = raddr == QPU_R_VARYING ? IS_ZERO : ON_SIGNS;
    return raddr == QPU_R_VARYING || raddr == QPU_R_UNIFORM || raddr == QPU_R_NOP;
}

static bool read_operands(const struct proof *p, const struct qpu_instr *i, unsigned mux[8])
{
    for (unsigned n = 0; n < 6; n++)
        mux[n] = p->acc[n];
    if (!read_port(p, 0, i->raddr_a, &mux[QPU_MUX_A]))
        return false;
    mux[QPU_MUX_B] = ON_SIGNS;
    if (i->sig != QPU_SIG_SMALL_IMM && !read_port(p, 1, i->raddr_b, &mux[QPU_MUX_B]))
        return false;
    if (i->unpack) {
        unsigned *unpacked = &mux[i->pm ? QPU_MUX_R4 : QPU_MUX_A];
        *unpacked = merge(*unpacked, ON_SIGNS);
    }
    return true;
}

/* -- results -- */

static unsigned add_result(const struct qpu_instr *i, const unsigned mux[8])
{
    const unsigned a = mux[i->add_a], b = mux[i->add_b]; /* equal if the operation has one operand */
    if (i->op_add == QPU_A_OR && i->add_a == i->add_b)
        return a;
    return merge(a, b);
}

static unsigned mul_result(const struct qpu_instr *i, const unsigned mux[8])
{
    const unsigned a = mux[i->mul_a], b = mux[i->mul_b];
    if (i->op_mul == QPU_M_V8MIN && i->mul_a == i->mul_b)
        return a;
    if (i->op_mul == QPU_M_FMUL && ((a == IS_ZERO && (b == IS_W || is_sign_only(b))) || (b == IS_ZERO && a == IS_W)))
        return IS_ZERO;
    return merge(a, b);
}

/* Records the write of one ALU half; its result depends on `value`. `part`: only some bits or lanes are written. False
 * if the program cannot be solid. */
static bool write_result(struct proof *p, unsigned side, unsigned waddr, unsigned value, bool part)
{
    uint8_t *to = waddr < 32 ? &p->file[side][waddr] : waddr <= QPU_W_ACC3 ? &p->acc[waddr - QPU_W_ACC0] : NULL;
    if (to) {
        *to = (uint8_t)(part ? merge(*to, value) : value);
        if (waddr < 32)
            p->fresh[side] = (uint8_t)waddr;
        return true;
    }
    if (waddr == QPU_W_NOP)
        return true;
    if (part)
        return false;
    if (qpu_waddr_is_sfu(waddr)) {
        p->acc[4] = (uint8_t)merge(value, ON_SIGNS);
        return true;
    }
    if (waddr == QPU_W_TLB_Z && value == IS_Z && !p->found.tests_z && !p->found.stores_color)
        return p->found.tests_z = true;
    if (waddr == QPU_W_TLB_COLOR_ALL && is_sign_only(value) && !p->found.stores_color)
        return p->found.stores_color = true;
    return false;
}

/* [addendum] Like update_flags() and run_load_imm(): flags come from the mul half only if the add half does nothing (a
 * nop, or a load immediate with condition never), and change where the condition of that half holds. */
static void set_flags(struct proof *p, const struct gpu_qpu_op *op, unsigned add, unsigned mul)
{
    const struct qpu_instr *i = &op->instr;
    const bool from_mul = i->sig == QPU_SIG_LOAD_IMM ? !i->cond_add : i->op_add == QPU_A_NOP;
    const unsigned cond = from_mul ? i->cond_mul : i->cond_add, flags = merge(add, mul);
    if (cond)
        p->flags = (uint8_t)(cond == QPU_COND_ALWAYS ? flags : merge(p->flags, flags));
}

/* Records the writes of both halves; `add` and `mul` are what their results depend on. Packs that write only part of a
 * register are those to file A, and those of the mul unit except 8888. */
static bool write_results(struct proof *p, const struct gpu_qpu_op *op, unsigned add, unsigned mul)
{
    const struct qpu_instr *i = &op->instr;
    const unsigned flags = p->flags;
    const bool some_add = i->cond_add > QPU_COND_ALWAYS, some_mul = i->cond_mul > QPU_COND_ALWAYS;
    const bool part_add = op->pack_file && !i->ws && i->waddr_add < 32;
    const bool part_mul = op->pack_mul ? op->pack_mul != QPU_PACK_MUL_8888
                                       : op->pack_file && i->ws && i->waddr_mul < 32;
    if (i->sf)
        set_flags(p, op, add, mul);
    if (some_add || part_add)
        add = merge(add, some_add ? flags : ON_SIGNS);
    if (some_mul || part_mul || op->pack_mul)
        mul = merge(mul, some_mul ? flags : ON_SIGNS);
    p->fresh[0] = p->fresh[1] = 0xff;
    if (i->cond_add && !write_result(p, i->ws, i->waddr_add, add, some_add || part_add))
        return false;
    return !i->cond_mul || write_result(p, !i->ws, i->waddr_mul, mul, some_mul || part_mul);
}

static bool track_alu(struct proof *p, const struct gpu_qpu_op *op)
{
    const struct qpu_instr *i = &op->instr;
    unsigned mux[8];
    if (op->rotate || !read_operands(p, i, mux))
        return false;
    const bool reads_varying = i->raddr_a == QPU_R_VARYING ||
                               (i->sig != QPU_SIG_SMALL_IMM && i->raddr_b == QPU_R_VARYING);
    if ((i->cond_add && !op->add) || (i->cond_mul && !op->mul))
        return false; /* reserved operations */
    const unsigned add = op->add ? add_result(i, mux) : ON_SIGNS, mul = op->mul ? mul_result(i, mux) : ON_SIGNS;
    if (!write_results(p, op, add, mul))
        return false;
    if (reads_varying)
        p->acc[5] = ON_SIGNS;
    return true;
}

static bool track(struct proof *p, const struct gpu_qpu_op *op)
{
    switch (op->instr.sig) {
    case QPU_SIG_NONE:
    case QPU_SIG_SMALL_IMM:
    case QPU_SIG_PROGRAM_END:
    case QPU_SIG_WAIT_SCOREBOARD:
    case QPU_SIG_UNLOCK_SCOREBOARD:
        return track_alu(p, op);
    case QPU_SIG_LOAD_IMM:
        return op->instr.unpack == QPU_LOAD_IMM_32 && write_results(p, op, ON_SIGNS, ON_SIGNS);
    default:
        return false;
    }
}

static struct gpu_solid_program prove(const struct gpu_qpu_program *program)
{
    struct proof p = {.flags = ON_PIXEL, .fresh = {0xff, 0xff}};
    memset(p.file, ON_SIGNS, sizeof p.file); /* unwritten registers hold a constant */
    memset(p.acc, ON_SIGNS, sizeof p.acc);
    p.file[0][15] = IS_W;
    p.file[1][15] = IS_Z;
    for (uint32_t n = 0; n < program->count; n++)
        if (!track(&p, &program->ops[n]))
            return (struct gpu_solid_program){false};
    p.found.is_solid = true;
    return p.found;
}

struct gpu_solid_program gpu_solid_find(const struct gpu_qpu_program *program)
{
    struct gpu_qpu_program *own = (struct gpu_qpu_program *)program; /* the program belongs to the calling core */
    if (!own->solid_checked)
        own->solid = prove(program);
    own->solid_checked = true;
    return own->solid;
}

/* -- colours -- */

bool gpu_solid_is_flat(const struct gpu_varying *varying, unsigned count)
{
    uint32_t slopes = 0;
    for (unsigned n = 0; n < count; n++)
        slopes |= util_fui(varying[n].a) | util_fui(varying[n].b);
    return !(slopes & ~(UINT32_C(1) << 31)) && count <= GPU_SOLID_VARYINGS_MAX;
}

void gpu_solid_set_varyings(struct gpu_solid_color *color, const struct gpu_varying *varying, unsigned count)
{
    if (color->varying_count == count && !memcmp(color->varying, varying, count * sizeof *varying))
        return;
    color->is_known = false;
    color->requested_px = 0;
    color->varying_count = count;
    memcpy(color->varying, varying, count * sizeof *varying);
}

/* A trial run: a lane of each kind, and the colours that the program computes for them. */
struct trial {
    struct gpu_fragment_io io;
    uint32_t color[QPU_LANES];
};

static void pass_z(struct gpu_fragment_io *io, const uint32_t z[QPU_LANES], uint32_t lanes)
{
}

static void take_color(struct gpu_fragment_io *io, const uint32_t color[QPU_LANES], uint32_t lanes, bool all_samples)
{
    struct trial *t = container_of(io, struct trial, io);
    memcpy(t->color, color, sizeof t->color);
}

static void begin_trial(struct trial *t, const struct gpu_varying *varying, unsigned count)
{
    static const float w[4] = {1, -1, (float)INFINITY, -(float)INFINITY};
    memset(t, 0, sizeof *t);
    for (unsigned l = 0; l < QPU_LANES; l++) {
        t->io.dx[l] = l & 1 ? -1 : 1;
        t->io.dy[l] = l & 2 ? -1 : 1;
        t->io.w[l] = w[l >> 2];
        t->io.ms_flags[l] = 15;
    }
    for (unsigned q = 0; q < GPU_QUADS; q++)
        t->io.varyings[q] = varying;
    t->io.varying_count = count;
    t->io.z_test = pass_z;
    t->io.color_store = take_color;
}

void gpu_solid_run(struct gpu_qpu_core *core, const struct gpu_qpu_program *program, uint32_t uniforms_addr,
                   struct util_work_limit *limit, struct gpu_solid_color *color)
{
    struct trial t;
    const char *message;
    begin_trial(&t, color->varying, color->varying_count);
    const struct gpu_qpu_run run = {.program = program,
                                    .kind = QPU_PROGRAM_FRAGMENT,
                                    .uniforms_addr = uniforms_addr,
                                    .limit = limit,
                                    .fragment = &t.io};
    color->is_known = true;
    color->is_solid = gpu_qpu_run(core, &run, &message) == GPU_OK;
    for (unsigned l = 1; l < QPU_LANES; l++)
        color->is_solid &= t.color[l] == t.color[0];
    color->color = t.color[0];
}
