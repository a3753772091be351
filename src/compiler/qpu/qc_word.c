/* SPDX-License-Identifier: MIT
 *
 * Fits operations into one instruction word [notes 2.2]. A word has one add and one mul operation; one register of file
 * A and one of file B, or peripheral reads instead, or a small immediate instead of B; one signal; one pack and one
 * unpack field whose meaning `pm` selects. The two results go to opposite files.
 */
#include "compiler/qpu/qc_word.h"

#include <string.h>

static bool set_once(uint8_t *field, uint8_t value)
{
    if (*field != QC_NO_REG && *field != value)
        return false;
    *field = value;
    return true;
}

static bool same_uniform(const struct qc_program *p, struct qc_src a, struct qc_src b)
{
    if (a.kind != b.kind)
        return false;
    if (a.kind == QC_SRC_CONST || a.index == b.index)
        return a.index == b.index;
    return memcmp(&p->uniforms[a.index], &p->uniforms[b.index], sizeof(struct vc4c_uniform)) == 0;
}

static bool pop(const struct qc_program *p, struct qc_fit *f, struct qc_src src)
{
    if (f->pop == QC_POP_CONFIG || (f->pop == QC_POP_READ && !same_uniform(p, f->popped, src)))
        return false;
    f->pop = QC_POP_READ;
    f->popped = src;
    return true;
}

static bool need_source(const struct qc_program *p, struct qc_fit *f, struct qc_src src, struct qc_place place,
                        bool as_uniform)
{
    struct qc_ports *need = &f->ports;
    switch (src.kind) {
    case QC_SRC_NONE:
        return true;
    case QC_SRC_TEMP:
        if (place.kind == QC_PLACE_A)
            return set_once(&need->a, place.reg);
        if (place.kind == QC_PLACE_B)
            return set_once(&need->b, place.reg);
        return true;
    case QC_SRC_UNIFORM:
        need->uniform = true;
        return pop(p, f, src);
    case QC_SRC_CONST: {
        int code = qpu_small_imm_code(src.index);
        if (code >= 0 && !as_uniform)
            return set_once(&need->imm, (uint8_t)code);
        need->uniform = true;
        return pop(p, f, src);
    }
    default:
        if (src.files == QC_FILE_A)
            return set_once(&need->read_a, src.raddr);
        if (src.files == QC_FILE_B)
            return set_once(&need->read_b, src.raddr);
        return set_once(&need->read_any, src.raddr);
    }
}

/* Assigns ports to the uniform and to the read that can use either port. */
static bool assign_ports(struct qc_ports *n)
{
    bool a_taken = n->a != QC_NO_REG || n->read_a != QC_NO_REG;
    bool b_taken = n->b != QC_NO_REG || n->read_b != QC_NO_REG || n->imm != QC_NO_REG;
    if ((n->a != QC_NO_REG && n->read_a != QC_NO_REG) ||
        (n->b != QC_NO_REG) + (n->read_b != QC_NO_REG) + (n->imm != QC_NO_REG) > 1)
        return false;
    if (n->uniform) {
        if (!b_taken)
            n->uniform_port = QPU_MUX_B, b_taken = true;
        else if (!a_taken)
            n->uniform_port = QPU_MUX_A, a_taken = true;
        else
            return false;
    }
    if (n->read_any != QC_NO_REG) {
        if (!b_taken)
            n->any_port = QPU_MUX_B;
        else if (!a_taken)
            n->any_port = QPU_MUX_A;
        else
            return false;
    }
    return true;
}

static uint8_t mux_of(const struct qc_ports *n, struct qc_src src, struct qc_place place)
{
    switch (src.kind) {
    case QC_SRC_TEMP:
        switch (place.kind) {
        case QC_PLACE_ACC:
            return QPU_MUX_R0 + place.reg;
        case QC_PLACE_A:
            return QPU_MUX_A;
        case QC_PLACE_B:
            return QPU_MUX_B;
        case QC_PLACE_R4:
            return QPU_MUX_R4;
        default:
            return QPU_MUX_R5;
        }
    case QC_SRC_UNIFORM:
        return n->uniform_port;
    case QC_SRC_CONST: {
        int code = qpu_small_imm_code(src.index);
        return code >= 0 && n->imm == code ? QPU_MUX_B : n->uniform_port;
    }
    case QC_SRC_READ:
        return src.files == QC_FILE_A ? QPU_MUX_A : src.files == QC_FILE_B ? QPU_MUX_B : n->any_port;
    default:
        return QPU_MUX_R0;
    }
}

static bool has_packing(const struct qc_draft *d)
{
    bool any = false;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_instr *i = d->slots[k].instr;
        any |= i->pack || i->src[0].unpack || i->src[1].unpack;
    }
    return any;
}

/* The pack and unpack fields share `pm`: 0 unpacks and packs file A, 1 unpacks r4 and packs the mul result. */
static bool resolve_packing(const struct qc_draft *d, struct qc_fit *f)
{
    bool want[2] = {false, false}, rigid = false;
    bool not_unpacked[2] = {false, false}; /* file A, r4: something reads it without unpacking */
    uint8_t unpack = 0, pack = 0, unpack_reg = QC_NO_REG;
    int a_float = -1;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_slot *s = &d->slots[k];
        const struct qc_instr *i = s->instr;
        rigid |= i->rigid || i->reset;
        if (i->pack) {
            if (pack)
                return false;
            pack = i->pack;
            want[i->pm] = true;
        }
        bool is_float = qpu_add_op_is_float(i->op_add) || qpu_mul_op_is_float(i->op_mul);
        for (unsigned j = 0; j < 2; j++) {
            if (i->src[j].kind == QC_SRC_READ && i->src[j].files != QC_FILE_B)
                not_unpacked[0] |= i->src[j].files == QC_FILE_A;
            if (i->src[j].kind != QC_SRC_TEMP)
                continue;
            struct qc_place at = s->src[j];
            if (!i->src[j].unpack) {
                not_unpacked[0] |= at.kind == QC_PLACE_A;
                not_unpacked[1] |= at.kind == QC_PLACE_R4;
                continue;
            }
            if (at.kind != QC_PLACE_A && at.kind != QC_PLACE_R4)
                return false;
            if (unpack && (unpack != i->src[j].unpack || unpack_reg != (at.kind == QC_PLACE_A ? at.reg : 32)))
                return false;
            if (at.kind == QC_PLACE_A) {
                if (a_float >= 0 && a_float != is_float)
                    return false;
                a_float = is_float;
            }
            unpack = i->src[j].unpack;
            unpack_reg = at.kind == QC_PLACE_A ? at.reg : 32;
            want[at.kind == QC_PLACE_R4] = true;
        }
    }
    if ((want[0] && want[1]) || (unpack && not_unpacked[want[1]]) || (rigid && (pack || unpack)))
        return false;
    f->pm = want[1];
    f->unpack = unpack;
    f->pack = pack;
    return true;
}

static bool resolve_signal(const struct qc_draft *d, struct qc_fit *f, bool has_imm)
{
    unsigned coupled = 0;
    bool plain = false; /* [notes 9.6 rules 8, 13] the kernel requires these adds to have no small immediate */
    uint8_t sig = has_imm ? QPU_SIG_SMALL_IMM : QPU_SIG_NONE;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_instr *i = d->slots[k].instr;
        coupled += qc_is_closely_coupled(i);
        plain |= (i->rigid && i->op_add == QPU_A_ADD) || i->reset == 2;
        uint8_t wanted = i->kind == QC_SIGNAL || i->kind == QC_SWITCH ? i->sig : QPU_SIG_NONE;
        if (i->rotate)
            wanted = QPU_SIG_SMALL_IMM;
        if (wanted == QPU_SIG_NONE)
            continue;
        if (sig != QPU_SIG_NONE)
            return false;
        sig = wanted;
    }
    f->sig = sig;
    f->plain = plain;
    if (plain && (sig == QPU_SIG_SMALL_IMM || sig == QPU_SIG_THREAD_SWITCH || sig == QPU_SIG_LAST_THREAD_SWITCH))
        return false;
    return coupled <= 1;
}

/* The file that the result must be written through: enum qc_files, 0: either. */
static unsigned wanted_space(const struct qc_slot *s)
{
    if (s->instr->waddr != QPU_W_NOP)
        return s->instr->waddr_files == QC_FILE_ANY ? 0 : s->instr->waddr_files;
    return s->dst.kind == QC_PLACE_A ? QC_FILE_A : s->dst.kind == QC_PLACE_B ? QC_FILE_B : 0;
}

static uint8_t waddr_of(const struct qc_slot *s)
{
    if (s->instr->waddr != QPU_W_NOP)
        return s->instr->waddr;
    switch (s->dst.kind) {
    case QC_PLACE_A:
    case QC_PLACE_B:
        return s->dst.reg;
    case QC_PLACE_ACC:
        return QPU_W_ACC0 + s->dst.reg;
    default:
        return QPU_W_NOP;
    }
}

static bool writes_anything(const struct qc_slot *s)
{
    return s->instr->waddr != QPU_W_NOP || s->dst.kind != QC_PLACE_NONE;
}

/* Puts slots[add] on the add unit and slots[mul] on the mul unit; -1 = the unit idles. */
static bool place_on_units(const struct qc_draft *d, struct qc_fit *f, int add, int mul)
{
    const struct qc_slot *sa = add >= 0 ? &d->slots[add] : NULL, *sm = mul >= 0 ? &d->slots[mul] : NULL;
    if ((sa && !sa->instr->op_add) || (sm && !sm->instr->op_mul))
        return false;
    if (sa && (sa->instr->rotate || (sa->instr->pack && sa->instr->pm)))
        return false;
    if (sm && sm->instr->sf && sa) /* the flags come from the add unit whenever that has an operation */
        return false;
    unsigned space_a = sa ? wanted_space(sa) : 0, space_m = sm ? wanted_space(sm) : 0;
    if (space_a && space_m && space_a == space_m)
        return false;
    f->ws = space_a == QC_FILE_B || space_m == QC_FILE_A;
    if (sa && sm && writes_anything(sa) && writes_anything(sm) && !space_a && !space_m && waddr_of(sa) == waddr_of(sm))
        return false;
    /* A file A pack must not apply to the other unit's result. */
    if (f->pack && !f->pm) {
        const struct qc_slot *packed = sa && sa->instr->pack ? sa : sm;
        if (!packed || !packed->instr->pack || packed->dst.kind != QC_PLACE_A)
            return false;
    }
    f->add = (int8_t)add;
    f->mul = (int8_t)mul;
    return true;
}

/* ---------------------------------------------------------------- filling the word */

static void fill_unit(struct qpu_instr *hw, const struct qc_ports *n, const struct qc_slot *s, bool on_add)
{
    const struct qc_instr *i = s->instr;
    uint8_t m0 = mux_of(n, i->src[0], s->src[0]);
    uint8_t m1 = i->src[1].kind == QC_SRC_NONE ? m0 : mux_of(n, i->src[1], s->src[1]);
    uint8_t cond = i->cond;
    if (on_add) {
        hw->op_add = i->op_add, hw->add_a = m0, hw->add_b = m1;
        hw->cond_add = cond, hw->waddr_add = waddr_of(s);
    } else {
        hw->op_mul = i->op_mul, hw->mul_a = m0, hw->mul_b = m1;
        hw->cond_mul = cond, hw->waddr_mul = waddr_of(s);
    }
    hw->sf |= i->sf;
}

static void fill_ports(struct qpu_instr *hw, const struct qc_ports *n)
{
    hw->raddr_a = n->a != QC_NO_REG ? n->a : n->read_a != QC_NO_REG ? n->read_a : QPU_R_NOP;
    hw->raddr_b = n->imm != QC_NO_REG      ? n->imm
                  : n->b != QC_NO_REG      ? n->b
                  : n->read_b != QC_NO_REG ? n->read_b
                                           : QPU_R_NOP;
    if (n->uniform)
        *(n->uniform_port == QPU_MUX_A ? &hw->raddr_a : &hw->raddr_b) = QPU_R_UNIFORM;
    if (n->read_any != QC_NO_REG)
        *(n->any_port == QPU_MUX_A ? &hw->raddr_a : &hw->raddr_b) = n->read_any;
}

static void fill_load_imm(struct qpu_instr *hw, const struct qc_slot *s)
{
    hw->imm = s->instr->imm;
    hw->cond_add = s->instr->cond;
    hw->waddr_add = waddr_of(s);
    hw->ws = wanted_space(s) == QC_FILE_B;
}

void qc_draft_finish(const struct qc_draft *d, struct qc_word *out)
{
    const struct qc_fit *f = &d->fit;
    *out = (struct qc_word){.hw = qpu_nop(), .pop = f->pop, .plain = f->plain, .popped = f->popped, .lookup = QC_NONE};
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_instr *i = d->slots[k].instr;
        out->reset |= i->reset;
        if (i->lookup != QC_NONE)
            out->lookup = i->lookup;
        if (!out->origin || (i->origin && qc_is_closely_coupled(i)))
            out->origin = i->origin;
    }
    out->hw.sig = f->sig;
    if (f->sig == QPU_SIG_LOAD_IMM) {
        fill_load_imm(&out->hw, &d->slots[0]);
        return;
    }
    out->hw.pm = f->pm;
    out->hw.pack = f->pack;
    out->hw.unpack = f->unpack;
    out->hw.ws = f->ws;
    fill_ports(&out->hw, &f->ports);
    if (f->add >= 0)
        fill_unit(&out->hw, &f->ports, &d->slots[f->add], true);
    if (f->mul >= 0)
        fill_unit(&out->hw, &f->ports, &d->slots[f->mul], false);
}

/* ---------------------------------------------------------------- the whole draft */

static const struct qc_fit empty_fit = {
    .ports = {.a = QC_NO_REG, .b = QC_NO_REG, .imm = QC_NO_REG, .read_a = QC_NO_REG, .read_b = QC_NO_REG,
              .read_any = QC_NO_REG},
    .add = -1,
    .mul = -1,
    .sig = QPU_SIG_NONE,
};

static bool resolve_units(const struct qc_draft *d, struct qc_fit *f)
{
    int slots[QC_DRAFT_SLOTS], units = 0;
    for (unsigned k = 0; k < d->count; k++) {
        if (d->slots[k].instr->kind == QC_ALU)
            slots[units++] = (int)k;
    }
    if (units == 0)
        return true;
    if (units == 2)
        return place_on_units(d, f, slots[0], slots[1]) || place_on_units(d, f, slots[1], slots[0]);
    return units == 1 && (place_on_units(d, f, slots[0], -1) || place_on_units(d, f, -1, slots[0]));
}

static bool resolve_config(const struct qc_draft *d, struct qc_fit *f)
{
    for (unsigned k = 0; k < d->count; k++) {
        if (d->slots[k].instr->config == QC_NONE)
            continue;
        if (f->pop != QC_POP_NONE)
            return false;
        f->pop = QC_POP_CONFIG;
        f->popped = (struct qc_src){.kind = QC_SRC_UNIFORM, .index = d->slots[k].instr->config};
    }
    return true;
}

/* Constant k of the word becomes a uniform if bit k of `as_uniform` is set, else a small immediate where possible. */
static bool resolve_sources(const struct qc_program *p, const struct qc_draft *d, unsigned as_uniform,
                            bool uniforms_allowed, struct qc_fit *f)
{
    int rotate = 0;
    unsigned constant = 0;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_slot *s = &d->slots[k];
        const struct qc_instr *i = s->instr;
        for (unsigned j = 0; j < 2; j++) {
            if (i->src[j].kind == QC_SRC_NONE)
                continue;
            bool uni = i->src[j].kind == QC_SRC_CONST && as_uniform >> constant++ & 1;
            if (!need_source(p, f, i->src[j], s->src[j], uni))
                return false;
        }
        rotate |= i->rotate;
    }
    if (!resolve_config(d, f) || (f->pop != QC_POP_NONE && !uniforms_allowed))
        return false;
    if (rotate) {
        if (f->ports.imm != QC_NO_REG)
            return false;
        f->ports.imm = (uint8_t)QPU_SMALL_IMM_ROTATE(rotate);
    }
    return assign_ports(&f->ports) && resolve_signal(d, f, f->ports.imm != QC_NO_REG && !rotate);
}

/* Mask of the word's constants that can be either a small immediate or a uniform. */
static unsigned constants_with_choice(const struct qc_draft *d, bool uniforms_allowed)
{
    unsigned mask = 0, constant = 0;
    for (unsigned k = 0; k < d->count; k++) {
        const struct qc_instr *i = d->slots[k].instr;
        for (unsigned j = 0; j < 2; j++) {
            if (i->src[j].kind != QC_SRC_CONST)
                continue;
            if (uniforms_allowed && !i->rigid && qpu_small_imm_code(i->src[j].index) >= 0)
                mask |= BIT(constant);
            constant++;
        }
    }
    return mask;
}

static bool resolve(const struct qc_program *p, const struct qc_draft *d, bool uniforms_allowed, struct qc_fit *f)
{
    *f = empty_fit;
    if (d->slots[0].instr->kind == QC_LOAD_IMM || d->slots[d->count - 1].instr->kind == QC_LOAD_IMM) {
        f->sig = QPU_SIG_LOAD_IMM;
        return d->count == 1;
    }
    if ((has_packing(d) && !resolve_packing(d, f)) || !resolve_units(d, f))
        return false;
    const struct qc_fit units = *f;
    const unsigned choice = constants_with_choice(d, uniforms_allowed);
    unsigned as_uniform = 0;
    do {
        if (resolve_sources(p, d, as_uniform, uniforms_allowed, f))
            return true;
        *f = units;
        as_uniform = (as_uniform - choice) & choice;
    } while (as_uniform);
    return false;
}

void qc_draft_begin(struct qc_draft *d)
{
    d->count = 0;
    d->fit = empty_fit;
}

bool qc_draft_add(const struct qc_program *p, struct qc_draft *d, struct qc_slot slot, bool uniforms_allowed)
{
    struct qc_fit fit;
    if (d->count == QC_DRAFT_SLOTS)
        return false;
    d->slots[d->count++] = slot;
    if (!resolve(p, d, uniforms_allowed, &fit)) {
        d->count--;
        return false;
    }
    d->fit = fit;
    return true;
}

/* ---------------------------------------------------------------- quick tests */

/* True when the draft certainly pops another uniform. A popped constant may still become a small immediate. */
static bool pops_other(const struct qc_program *p, const struct qc_fit *f, struct qc_src uniform)
{
    return f->pop == QC_POP_CONFIG || (f->pop == QC_POP_READ && f->popped.kind == QC_SRC_UNIFORM &&
                                       !same_uniform(p, f->popped, uniform));
}

bool qc_draft_has_ports(const struct qc_program *p, const struct qc_draft *d, const struct qc_slot *slot)
{
    const struct qc_ports *n = &d->fit.ports;
    for (unsigned k = 0; k < 2; k++) {
        struct qc_place at = slot->src[k];
        if ((at.kind == QC_PLACE_A && n->a != QC_NO_REG && n->a != at.reg) ||
            (at.kind == QC_PLACE_B && n->b != QC_NO_REG && n->b != at.reg))
            return false;
        if (slot->instr->src[k].kind == QC_SRC_UNIFORM && pops_other(p, &d->fit, slot->instr->src[k]))
            return false;
    }
    return true;
}
