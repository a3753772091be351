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

enum qc_node_flag {
    QC_NODE_WRITES_R4 = 1,
    QC_NODE_VARYING = 2,
    QC_NODE_FETCH = 4,      /* of a constant or uniform: can be done at any time */
    QC_NODE_TWO_PORTS = 8, /* its sources may want one read port twice */
    QC_NODE_SWITCH = 16,
};

struct qc_node {
    struct qc_instr *instr;
    uint32_t reads[2]; /* temporaries, each once; QC_NONE */
    uint8_t read_count[2];
    uint8_t flags;     /* enum qc_node_flag */
    uint32_t out, in;  /* heads of edge lists, QC_NONE at the end */
    uint32_t in_count;
    uint32_t height;   /* longest way to the block's end, by soft latencies */
    uint32_t head;     /* words of the block before its own, at the least */
    uint32_t tail;     /* words from its own to the last that the block becomes, at the least */
    uint64_t demand;   /* what it adds to the counts of enum qc_demand */
};

/* What a word has little of, as bits where a count of such operations stands. */
enum qc_demand {
    QC_DEMAND_ALU = 0,      /* both units together */
    QC_DEMAND_ADD = 12,     /* an operation that can go on that unit only */
    QC_DEMAND_MUL = 24,
    QC_DEMAND_COUPLED = 36, /* one of them to a word at most */
    QC_DEMAND_ALONE = 48,   /* takes a word of its own */
};
#define QC_DEMAND_MAX (1u << 12) /* no count reaches it */

struct qc_tail {
    uint32_t node, head;
    uint32_t tail;       /* as in the node; 0: a thread switch, which may still go on an earlier word */
    uint64_t demand;     /* as in the node */
};

/* A temporary in a block. */
struct qc_use {
    uint32_t temp, count; /* of operands and results */
};

struct qc_dag {
    struct qc_node *nodes;
    uint32_t node_count;
    struct qc_edge *edges;
    uint32_t edge_count, edge_room;
    struct qc_use *uses;
    uint32_t use_count;
    uint32_t *group_readers; /* by flag group: how many read it in this block (the branch counts) */
    uint32_t branch_setter;  /* node that sets the flags of the block's branch, QC_NONE */
    struct qc_tail *by_tail; /* all nodes, the longest tail first */
    uint64_t demand;         /* of all of them */
    uint32_t words_behind;   /* what follows the last operation's word in any case */
};

/* For all blocks: fills block->dag. Needs qc_analyse. False when a thread switch cannot stand where it does: a branch
 * needs the flags that texture requests need, too. */
bool qc_dags_build(struct qc_program *p);

/* Without edges yet (qc_node.c). */
void qc_node_init(struct qc_node *node, struct qc_instr *i);

/* -- lengths (qc_critical_path.c) -- */

#define QC_SWITCH_SLOTS 2 /* words behind a thread switch that still run before the other thread does */

/* Fills heights, tails, by_tail and words_behind of a block whose graph is complete. False when operations wait for
 * each other in a circle. */
bool qc_find_heights(struct qc_program *p, struct qc_block *block);

#define qc_for_each_out(e, dag, n)                                                                                     \
    for (const struct qc_edge *e = (dag)->nodes[n].out == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].out]; e;      \
         e = e->next_out == QC_NONE ? NULL : &(dag)->edges[e->next_out])
#define qc_for_each_in(e, dag, n)                                                                                      \
    for (const struct qc_edge *e = (dag)->nodes[n].in == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].in]; e;        \
         e = e->next_in == QC_NONE ? NULL : &(dag)->edges[e->next_in])

#endif
