/* SPDX-License-Identifier: MIT
 *
 * How many registers an IR program wants, and what is done when they are more than there are: new orders
 * (qc_reorder.c), values computed anew (qc_remat.c), values in memory (qc_spill.c).
 */
#ifndef QPU_QC_PRESSURE_H
#define QPU_QC_PRESSURE_H

#include "compiler/ir/ir.h"

/* One value's life, in positions: instructions in program order, and a place of its own at each block's end. */
struct qc_range {
    struct ir_instr *value; /* NULL: takes no register */
    uint32_t first, last, uses;
};

struct qc_pressure {
    struct ir_shader *shader;
    struct qc_range *ranges;           /* by value */
    uint32_t *position;                /* by value: of its instruction */
    uint32_t *block_start, *block_end; /* by block */
    uint32_t *live;                    /* by position: values that are live behind it */
    uint32_t position_count, value_count;
};

/* Renumbers the program and finds predecessors. Relies on values leaving loops through phis (ir_lower_loop_exits). */
void qc_pressure_measure(struct qc_pressure *p, struct ir_shader *shader);
/* Where the most values are live. */
uint32_t qc_pressure_worst(const struct qc_pressure *p);

/* Where a use happens: phis read at the end of the block that they come from, ifs behind the block before them. */
struct ir_block *qc_block_of_use(const struct ir_src *src);
/* In front of the use, as above. */
struct ir_builder qc_before_use(struct ir_shader *shader, const struct ir_src *src);
uint32_t qc_position_of_use(const struct qc_pressure *p, const struct ir_src *src);
/* Is the node inside the other, or that itself? */
bool qc_contains(const struct ir_node *outer, const struct ir_node *node);
/* The same operation once more, on the same sources. */
struct ir_instr *qc_clone(struct ir_builder *b, const struct ir_instr *i);

/* A comparison whose result never leaves the flags: it is made where it is used. */
bool qc_is_test(const struct ir_instr *i);

/* Parts of words cost nothing where they are used, but keep the word: each use gets its own, right in front of it, and
 * of a copy when the word has lived for a while. */
void qc_localise_unpacks(struct ir_shader *shader);
/* Orders each block for few live values. */
void qc_reorder(struct ir_shader *shader);
/* Values that are live where more than `limit` are, and cheap, are computed anew for their later uses. False: there are
 * none that it would help. Gives up where more than `hopeless` stay. */
bool qc_remat(struct ir_shader *shader, uint32_t limit, uint32_t hopeless);
/* CPU engine: values go to memory until about `limit` of them are live anywhere. False likewise. */
bool qc_spill(struct ir_shader *shader, uint32_t limit);

#endif
