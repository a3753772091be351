/* SPDX-License-Identifier: MIT
 *
 * Estimates the register pressure of an IR program, and reduces it: by reordering (qc_reorder.c), rematerialisation
 * (qc_remat.c) and spilling (qc_spill.c).
 */
#ifndef QPU_QC_PRESSURE_H
#define QPU_QC_PRESSURE_H

#include "compiler/ir/ir.h"

/* The live range of a value. Positions number the instructions in program order, plus one at each block's end. */
struct qc_range {
    struct ir_instr *value; /* NULL: the value needs no register */
    uint32_t first, last, uses;
};

struct qc_pressure {
    struct ir_shader *shader;
    struct qc_range *ranges;           /* by value */
    uint32_t *position;                /* by value: position of its instruction */
    uint32_t *block_start, *block_end; /* by block */
    uint32_t *live;                    /* by position: number of values that are live after it */
    uint32_t position_count, value_count;
};

/* Measures live ranges and pressure. Renumbers the program and finds predecessors. Requires that values leave loops
 * through phis (ir_lower_loop_exits). */
void qc_pressure_measure(struct qc_pressure *p, struct ir_shader *shader);
/* The position where most values are live. */
uint32_t qc_pressure_worst(const struct qc_pressure *p);

/* The block of a use: phis read at the end of the predecessor, ifs at the end of the block before them. */
struct ir_block *qc_block_of_use(const struct ir_src *src);
/* A builder that inserts right before the use, as defined above. */
struct ir_builder qc_before_use(struct ir_shader *shader, const struct ir_src *src);
uint32_t qc_position_of_use(const struct qc_pressure *p, const struct ir_src *src);
/* True when `node` is inside `outer` or is that node. */
bool qc_contains(const struct ir_node *outer, const struct ir_node *node);
/* Copies an instruction, with the same sources. */
struct ir_instr *qc_clone(struct ir_builder *b, const struct ir_instr *i);

/* True for a comparison whose result stays in the flags: it is emitted where it is used. */
bool qc_is_test(const struct ir_instr *i);

/* Unpacking a part of a word is free where the part is used, but keeps the word live. Gives each use its own unpack,
 * right before it. If the word is older, the unpack reads a copy of it. */
void qc_localise_unpacks(struct ir_shader *shader);
/* Reorders each block so that fewer values are live. */
void qc_reorder(struct ir_shader *shader);
/* Rematerialises cheap values for their later uses, where more than `limit` values are live. Returns false when nothing
 * changed. Gives up at a position where more than `give_up_above` values stay live. */
bool qc_remat(struct ir_shader *shader, uint32_t limit, uint32_t give_up_above);
/* CPU engine: spills values until at most about `limit` are live anywhere. Returns false when nothing changed. */
bool qc_spill(struct ir_shader *shader, uint32_t limit);

#endif
