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

/* Adds a word that is popped from the uniform stream. A word can be popped once, for several sources. */
static bool pop(const struct qc_program *p, uint8_t *kind, struct qc_src *popped, struct qc_src src)
{
    if (*kind == QC_POP_CONFIG || (*kind == QC_POP_READ && !same_uniform(p, *popped, src)))
        return false;
    *kind = QC_POP_READ;
    *popped = src;
    return true;
}

static bool need_uniform(const struct qc_program *p, struct qc_needs *n, struct qc_src src)
{
    n->ports.uniform = true;
    return pop(p, &n->pop, &n->popped, src);
}

static bool need_constant(const struct qc_program *p, struct qc_needs *n, struct qc_src src, bool is_flexible)
{
    int code = qpu_small_imm_code(src.index);
    if (code < 0)
        return need_uniform(p, n, src);
    if (!is_flexible)
        return set_once(&n->ports.imm, (uint8_t)code);
    n->codes[n->flexible_count] = (uint8_t)code;
    n->flexible[n->flexible_count++] = src.index;
    return true;
}

static bool need_source(const struct qc_program *p, struct qc_needs *n, struct qc_src src, struct qc_place place,
                        bool is_flexible)
{
    switch (src.kind) {
    case QC_SRC_NONE:
        return true;
    case QC_SRC_TEMP:
        if (place.kind == QC_PLACE_A)
            return set_once(&n->ports.a, place.reg);
        if (place.kind == QC_PLACE_B)
            return set_once(&n->ports.b, place.reg);
        return true;
    case QC_SRC_UNIFORM:
        return need_uniform(p, n, src);
    case QC_SRC_CONST:
        return need_constant(p, n, src, is_flexible);
    default:
        if (src.files == QC_FILE_A)
            return set_once(&n->ports.read_a, src.raddr);
        if (src.files == QC_FILE_B)
            return set_once(&n->ports.read_b, src.raddr);
        return set_once(&n->ports.read_any, src.raddr);
    }
}

/* The signal that the operation wants, whatever its constants become. */
static uint8_t wanted_signal(const struct qc_instr *i)
{
    if (i->rotate)
        return QPU_SIG_SMALL_IMM;
    return i->kind == QC_SIGNAL || i->kind == QC_SWITCH ? i->sig : QPU_SIG_NONE;
}

static bool need_signal(struct qc_needs *n, const struct qc_instr *i)
{
    const uint8_t wanted = wanted_signal(i);
    const bool is_coupled = qc_is_closely_coupled(i);
    if ((wanted != QPU_SIG_NONE && n->sig != QPU_SIG_NONE) || (is_coupled && n->is_coupled))
        return false;
    if (wanted != QPU_SIG_NONE)
        n->sig = wanted;
    n->is_coupled |= is_coupled;
    /* [notes 9.6 rules 8, 13] the kernel requires these adds to have no small immediate */
    n->plain |= (i->rigid && i->op_add == QPU_A_ADD) || i->reset == 2;
    return true;
}

/* Adds what the operation needs. False when it certainly does not fit beside the others. */
static bool add_needs(const struct qc_program *p, struct qc_needs *n, const struct qc_slot *s, bool uniforms_allowed)
{
    const struct qc_instr *i = s->instr;
    for (unsigned k = 0; k < 2; k++) {
        if (!need_source(p, n, i->src[k], s->src[k], uniforms_allowed && !i->rigid))
            return false;
    }
    if (i->config != QC_NONE) {
        if (n->pop != QC_POP_NONE)
            return false;
        n->pop = QC_POP_CONFIG;
        n->popped = (struct qc_src){.kind = QC_SRC_UNIFORM, .index = i->config};
    }
    n->rotate |= i->rotate;
    n->packs |= i->pack || i->src[0].unpack || i->src[1].unpack;
    return need_signal(n, i) && (uniforms_allowed || n->pop == QC_POP_NONE);
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

/* The pack and unpack fields share `pm`: 0 unpacks and packs file A, 1 unpacks r4 and packs the mul result. */
static bool resolve_packing(const struct qc_draft *d, unsigned count, struct qc_fit *f)
{
    bool want[2] = {false, false}, rigid = false;
    bool not_unpacked[2] = {false, false}; /* file A, r4: something reads it without unpacking */
    uint8_t unpack = 0, pack = 0, unpack_reg = QC_NO_REG;
    int a_float = -1;
    for (unsigned k = 0; k < count; k++) {
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

static const struct qc_ports empty_ports = {
    .a = QC_NO_REG, .b = QC_NO_REG, .imm = QC_NO_REG, .read_a = QC_NO_REG, .read_b = QC_NO_REG, .read_any = QC_NO_REG};

void qc_draft_begin(struct qc_draft *d)
{
    d->count = 0;
    d->fit = (struct qc_fit){.ports = empty_ports, .add = -1, .mul = -1, .sig = QPU_SIG_NONE};
    d->needs = (struct qc_needs){.ports = empty_ports, .sig = QPU_SIG_NONE};
}

/* Finds ports and signal. Flexible constant k becomes a uniform if bit k of `as_uniform` is set, else a small
 * immediate. */
static bool resolve_sources(const struct qc_program *p, const struct qc_needs *n, unsigned as_uniform, struct qc_fit *f)
{
    f->ports = n->ports;
    f->pop = n->pop;
    f->popped = n->popped;
    for (unsigned k = 0; k < n->flexible_count; k++) {
        const struct qc_src constant = {.kind = QC_SRC_CONST, .index = n->flexible[k]};
        if (!(as_uniform >> k & 1)) {
            if (!set_once(&f->ports.imm, n->codes[k]))
                return false;
            continue;
        }
        f->ports.uniform = true;
        if (!pop(p, &f->pop, &f->popped, constant))
            return false;
    }
    const bool has_imm = f->ports.imm != QC_NO_REG;
    if (has_imm && n->sig != QPU_SIG_NONE)
        return false;
    f->sig = has_imm ? QPU_SIG_SMALL_IMM : n->sig;
    f->plain = n->plain;
    if (f->plain &&
        (f->sig == QPU_SIG_SMALL_IMM || f->sig == QPU_SIG_THREAD_SWITCH || f->sig == QPU_SIG_LAST_THREAD_SWITCH))
        return false;
    if (n->rotate)
        f->ports.imm = (uint8_t)QPU_SMALL_IMM_ROTATE(n->rotate);
    return assign_ports(&f->ports);
}

bool qc_draft_offer(const struct qc_program *p, struct qc_draft *d, const struct qc_slot *slot, bool uniforms_allowed)
{
    struct qc_fit *f = &d->offered_fit;
    if (d->count == QC_DRAFT_SLOTS)
        return false;
    d->slots[d->count] = *slot;
    if (slot->instr->kind == QC_LOAD_IMM) {
        *f = (struct qc_fit){.ports = empty_ports, .sig = QPU_SIG_LOAD_IMM};
        d->offered_needs = d->needs;
        return d->count == 0;
    }
    if (d->count && d->slots[0].instr->kind == QC_LOAD_IMM)
        return false;
    d->offered_needs = d->needs;
    if (!add_needs(p, &d->offered_needs, slot, uniforms_allowed))
        return false;
    f->pm = f->pack = f->unpack = 0;
    if (d->offered_needs.packs && !resolve_packing(d, d->count + 1, f))
        return false;
    const unsigned choices = 1u << d->offered_needs.flexible_count;
    for (unsigned as_uniform = 0; as_uniform < choices; as_uniform++) {
        if (resolve_sources(p, &d->offered_needs, as_uniform, f))
            return true;
    }
    return false;
}

static bool resolve_units(const struct qc_draft *d, unsigned count, struct qc_fit *f)
{
    int slots[QC_DRAFT_SLOTS], units = 0;
    for (unsigned k = 0; k < count; k++) {
        if (d->slots[k].instr->kind == QC_ALU)
            slots[units++] = (int)k;
    }
    f->add = f->mul = -1;
    f->ws = 0;
    if (units == 0)
        return true;
    if (units == 2)
        return place_on_units(d, f, slots[0], slots[1]) || place_on_units(d, f, slots[1], slots[0]);
    return units == 1 && (place_on_units(d, f, slots[0], -1) || place_on_units(d, f, -1, slots[0]));
}

bool qc_draft_accept(struct qc_draft *d, struct qc_place dst)
{
    d->slots[d->count].dst = dst;
    if (!resolve_units(d, d->count + 1, &d->offered_fit))
        return false;
    d->fit = d->offered_fit;
    d->needs = d->offered_needs;
    d->count++;
    return true;
}

/* ---------------------------------------------------------------- quick test */

/* False when the draft certainly pops another uniform. A popped constant may still become a small immediate. */
bool qc_draft_has_uniform(const struct qc_program *p, const struct qc_draft *d, struct qc_src uniform)
{
    const struct qc_fit *f = &d->fit;
    return f->pop == QC_POP_NONE ||
           (f->pop == QC_POP_READ && (f->popped.kind != QC_SRC_UNIFORM || same_uniform(p, f->popped, uniform)));
}
