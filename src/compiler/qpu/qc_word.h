/* SPDX-License-Identifier: MIT
 *
 * An instruction word in the making: up to one operation for each unit, a signal, and the ports they share.
 */
#ifndef QPU_QC_WORD_H
#define QPU_QC_WORD_H

#include "compiler/qpu/qc_ir.h"

enum qc_place_kind { QC_PLACE_NONE, QC_PLACE_ACC, QC_PLACE_A, QC_PLACE_B, QC_PLACE_R4, QC_PLACE_R5, QC_PLACE_KINDS };

/* Where a temporary is. */
struct qc_place {
    uint8_t kind; /* enum qc_place_kind */
    uint8_t reg;
};

/* One operation in a word, its temporaries replaced by places. */
struct qc_slot {
    const struct qc_instr *instr;
    struct qc_place src[2], dst; /* of sources that are temporaries; of the destination unless it is a peripheral */
};

/* What a word pops from the uniform stream. */
enum qc_pop { QC_POP_NONE, QC_POP_READ, QC_POP_CONFIG };

/* A finished instruction and what goes with it. */
struct qc_word {
    struct qpu_instr hw;
    uint8_t pop;          /* enum qc_pop */
    uint8_t reset;        /* as in qc_instr */
    bool plain;           /* takes no small immediate and no thread switch */
    bool drained;         /* nothing stands in accumulators, r4, r5 and flags at its end */
    struct qc_src popped; /* QC_SRC_UNIFORM or QC_SRC_CONST */
    uint32_t lookup;      /* or QC_NONE */
    uint32_t origin;      /* of its first operation that has one */
    uint32_t done;        /* operations of the block in this word and before */
};

/* What the word needs of the read ports; file registers, peripherals and codes, QC_NO_REG where nothing. */
struct qc_ports {
    uint8_t a, b;           /* file registers */
    uint8_t imm;            /* small immediate code */
    uint8_t read_a, read_b; /* peripheral reads that need that port */
    uint8_t read_any;       /* peripheral read that takes either */
    bool uniform;
    uint8_t uniform_port, any_port; /* QPU_MUX_A or QPU_MUX_B */
};
#define QC_NO_REG 0xff

/* How the operations of a draft share one instruction. */
struct qc_fit {
    struct qc_ports ports;
    int8_t add, mul; /* slots on the units, -1: idle; with one operation for either, it moves when another comes */
    uint8_t sig, pm, pack, unpack, ws;
    uint8_t pop; /* enum qc_pop */
    bool plain;
    struct qc_src popped;
};

/* An instruction in the making. */
#define QC_DRAFT_SLOTS 4
struct qc_draft {
    struct qc_slot slots[QC_DRAFT_SLOTS];
    unsigned count;
    struct qc_fit fit;
};

void qc_draft_begin(struct qc_draft *d);
/* Both units have work. */
static inline bool qc_draft_is_full(const struct qc_draft *d)
{
    return d->fit.add >= 0 && d->fit.mul >= 0;
}

/* Quick looks: false when qc_draft_add would surely refuse the operation, wherever its result went. */
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
bool qc_draft_has_ports(const struct qc_program *p, const struct qc_draft *d, const struct qc_slot *slot);
/* Finds units, ports, signal and packing for one operation more. False, the draft as it was, when they do not fit one
 * instruction. */
bool qc_draft_add(const struct qc_program *p, struct qc_draft *d, struct qc_slot slot, bool uniforms_allowed);
void qc_draft_finish(const struct qc_draft *d, struct qc_word *out);

#endif
