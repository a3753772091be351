/* SPDX-License-Identifier: MIT
 *
 * Builds one instruction word: up to one operation for each unit, a signal, and the ports that they share.
 */
#ifndef QPU_QC_WORD_H
#define QPU_QC_WORD_H

#include "compiler/qpu/qc_ir.h"

enum qc_place_kind { QC_PLACE_NONE, QC_PLACE_ACC, QC_PLACE_A, QC_PLACE_B, QC_PLACE_R4, QC_PLACE_R5, QC_PLACE_KINDS };

/* The register that holds a temporary. */
struct qc_place {
    uint8_t kind; /* enum qc_place_kind */
    uint8_t reg;
};

/* One operation in a word, with the registers of its temporaries. */
struct qc_slot {
    const struct qc_instr *instr;
    struct qc_place src[2], dst; /* src: for temporaries only; dst: unless it is a peripheral */
};

/* What a word pops from the uniform stream. */
enum qc_pop { QC_POP_NONE, QC_POP_READ, QC_POP_CONFIG };

/* A finished instruction and its uniform, lookup and so on. */
struct qc_word {
    struct qpu_instr hw;
    uint8_t pop;          /* enum qc_pop */
    uint8_t reset;        /* as in qc_instr */
    bool plain;           /* must not get a small immediate or a thread switch */
    bool drained;         /* nothing in accumulators, r4, r5 and flags is live after it */
    struct qc_src popped; /* QC_SRC_UNIFORM or QC_SRC_CONST */
    uint32_t lookup;      /* entry of program->lookups, or QC_NONE */
    uint32_t origin;      /* of its closely coupled operation, else the first one known */
    uint32_t done;        /* number of operations of the block in this word and earlier ones */
};

/* What the word reads through its ports. QC_NO_REG: nothing. */
struct qc_ports {
    uint8_t a, b;           /* file registers */
    uint8_t imm;            /* small immediate code */
    uint8_t read_a, read_b; /* peripheral reads that need that port */
    uint8_t read_any;       /* peripheral read that can use either port */
    bool uniform;
    uint8_t uniform_port, any_port; /* ports of the uniform and of read_any: QPU_MUX_A or QPU_MUX_B */
};
#define QC_NO_REG 0xff

/* How the operations of a draft share one instruction. */
struct qc_fit {
    struct qc_ports ports;
    int8_t add, mul; /* slots on the units, -1: idle. An operation may change units when another one is added */
    uint8_t sig, pm, pack, unpack, ws;
    uint8_t pop; /* enum qc_pop */
    bool plain;
    struct qc_src popped;
};

#define QC_DRAFT_SLOTS 4

/* What the operations of a draft need together, whatever their destinations are. Operations are added one by one. */
struct qc_needs {
    struct qc_ports ports; /* without the flexible constants; uniform_port and any_port are not assigned yet */
    uint8_t pop;           /* enum qc_pop, without the flexible constants */
    uint8_t sig;           /* QPU_SIG_NONE: none is needed, unless a constant becomes a small immediate */
    uint8_t rotate;
    bool plain, packs, is_coupled;
    struct qc_src popped;
    /* Constants that can be either a small immediate or a uniform. */
    uint8_t flexible_count, codes[2 * QC_DRAFT_SLOTS];
    uint32_t flexible[2 * QC_DRAFT_SLOTS];
};

/* The instruction being built. */
struct qc_draft {
    struct qc_slot slots[QC_DRAFT_SLOTS];
    unsigned count;
    struct qc_fit fit;
    struct qc_needs needs;
    /* The same with the operation that was offered, in slots[count]. */
    struct qc_fit offered_fit;
    struct qc_needs offered_needs;
};

void qc_draft_begin(struct qc_draft *d);
/* True when both units have an operation. */
static inline bool qc_draft_is_full(const struct qc_draft *d)
{
    return d->fit.add >= 0 && d->fit.mul >= 0;
}

/* Quick tests: false when qc_draft_add() would certainly refuse the operation, whatever its destination. */
static inline bool qc_draft_has_unit(const struct qc_draft *d, const struct qc_instr *i)
{
    if (d->count == 0 || i->kind != QC_ALU)
        return d->count < QC_DRAFT_SLOTS;
    if (qc_draft_is_full(d))
        return false;
    int8_t other = MAX2(d->fit.add, d->fit.mul);
    if (other < 0)
        return true;
    const struct qc_instr *o = d->slots[other].instr;
    return (i->op_mul || o->op_mul) && (i->op_add || o->op_add);
}
static inline bool qc_draft_has_port(const struct qc_draft *d, struct qc_place source)
{
    const struct qc_ports *n = &d->fit.ports;
    return (source.kind != QC_PLACE_A || n->a == QC_NO_REG || n->a == source.reg) &&
           (source.kind != QC_PLACE_B || n->b == QC_NO_REG || n->b == source.reg);
}
bool qc_draft_has_uniform(const struct qc_program *p, const struct qc_draft *d, struct qc_src uniform);
/* Adding an operation takes two steps, because several destinations may be tried for the same sources. The first step
 * finds ports, signal and packing for all operations of the draft and the one that is offered. False when they do not
 * fit one instruction, whatever the destination. Does not read slot->dst. */
bool qc_draft_offer(const struct qc_program *p, struct qc_draft *d, const struct qc_slot *slot, bool uniforms_allowed);
/* The second step finds units for all operations and adds the one that was offered last. Returns false and leaves the
 * draft unchanged when they do not fit; then another destination may be tried. */
bool qc_draft_accept(struct qc_draft *d, struct qc_place dst);
void qc_draft_finish(const struct qc_draft *d, struct qc_word *out);

#endif
