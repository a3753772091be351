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
};

/* An instruction in the making. */
#define QC_DRAFT_SLOTS 4
struct qc_draft {
    struct qc_slot slots[QC_DRAFT_SLOTS];
    unsigned count;
    struct qc_word word; /* filled by qc_draft_resolve */
};

/* Finds units, ports, signal and packing for all slots. False when they do not fit one instruction. */
bool qc_draft_resolve(struct qc_program *p, struct qc_draft *d, bool uniforms_allowed);

#endif
