/* SPDX-License-Identifier: MIT
 *
 * What must come before what in one block.
 */
#ifndef QPU_QC_DAG_H
#define QPU_QC_DAG_H

#include "compiler/qpu/qc_ir.h"

struct qc_edge {
    uint32_t from, to; /* nodes */
    uint32_t next_out, next_in;
    uint32_t temp;   /* the value that flows, QC_NONE: order only */
    uint8_t latency; /* words between issue and issue at the least; 0: the same word will do */
    uint8_t soft;    /* words after which `to` no longer stalls the chip */
};

struct qc_node {
    struct qc_instr *instr;
    uint32_t out, in; /* heads of edge lists, QC_NONE at the end */
    uint32_t in_count;
    uint32_t height; /* longest way to the block's end, by soft latencies */
};

struct qc_dag {
    struct qc_node *nodes;
    uint32_t node_count;
    struct qc_edge *edges;
    uint32_t edge_count, edge_room;
    uint32_t *group_readers; /* by flag group: how many read it in this block (the branch counts) */
    uint32_t branch_setter;  /* node that sets the flags of the block's branch, QC_NONE */
};

/* For all blocks: fills block->dag. Needs qc_analyse. False when a thread switch cannot stand where it does: a branch
 * needs the flags that texture requests need, too. */
bool qc_dags_build(struct qc_program *p);

#define qc_for_each_out(e, dag, n)                                                                                     \
    for (const struct qc_edge *e = (dag)->nodes[n].out == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].out]; e;      \
         e = e->next_out == QC_NONE ? NULL : &(dag)->edges[e->next_out])
#define qc_for_each_in(e, dag, n)                                                                                      \
    for (const struct qc_edge *e = (dag)->nodes[n].in == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].in]; e;        \
         e = e->next_in == QC_NONE ? NULL : &(dag)->edges[e->next_in])

#endif
