/* SPDX-License-Identifier: MIT
 *
 * The dependence graph of a block: which operations must come before which, and how far apart.
 */
#ifndef QPU_QC_DAG_H
#define QPU_QC_DAG_H

#include "compiler/qpu/qc_ir.h"

struct qc_edge {
    uint32_t from, to; /* nodes */
    uint32_t next_out, next_in;
    uint32_t temp;   /* the value that `to` reads from `from`; QC_NONE: order only */
    uint8_t latency; /* minimum distance in words; 0: both may be in the same word */
    uint8_t soft;    /* distance in words from which `to` does not stall the chip */
};

enum qc_node_flag {
    QC_NODE_WRITES_R4 = 1,
    QC_NODE_VARYING = 2,
    QC_NODE_FETCH = 4,     /* loads a constant or uniform: can be done at any time */
    QC_NODE_TWO_PORTS = 8, /* its sources may need the same read port */
    QC_NODE_SWITCH = 16,
    QC_NODE_RESTRICTED = 32, /* it uses or changes flags or latches, so it has to wait for other operations */
    QC_NODE_ROTATES = 64,
    QC_NODE_UNPACKS = 128,
    QC_NODE_UNIFORM = 256,   /* has a source of kind QC_SRC_UNIFORM */
    QC_NODE_TWO_TEMPS = 512, /* both sources are temporaries, and nothing but their registers can keep it from a word
                              * of its own */
};

struct qc_node {
    struct qc_instr *instr;
    uint32_t reads[2]; /* temporaries that it reads, each listed once; QC_NONE: none */
    uint8_t read_count[2];
    uint16_t flags;    /* enum qc_node_flag */
    uint32_t out, in;  /* heads of edge lists, QC_NONE at the end */
    uint32_t in_count;
    uint32_t height;   /* length of the critical path to the block's end, by soft latencies */
    uint32_t head;     /* minimum number of words of the block before its own */
    uint32_t tail;     /* minimum number of words from its own to the block's last */
    uint64_t demand;   /* what it adds to the counters of enum qc_demand */
};

/* Scarce resources of a word. Each value is the bit position of a counter of operations that need the resource. */
enum qc_demand {
    QC_DEMAND_ALU = 0,      /* both units together */
    QC_DEMAND_ADD = 12,     /* operations that only the add unit can do */
    QC_DEMAND_MUL = 24,     /* operations that only the mul unit can do */
    QC_DEMAND_COUPLED = 36, /* at most one per word */
    QC_DEMAND_ALONE = 48,   /* takes a word of its own */
};
#define QC_DEMAND_MAX (1u << 12) /* blocks with this many operations or more are not bounded */

struct qc_tail {
    uint32_t node, head;
    uint32_t tail;       /* as in the node; 0: a thread switch, which may still be put on an earlier word */
    uint64_t demand;     /* as in the node */
};

/* A temporary that the block uses. */
struct qc_use {
    uint32_t temp, count; /* count: how often it is an operand or a result */
};

struct qc_dag {
    struct qc_node *nodes;
    uint32_t node_count;
    struct qc_edge *edges;
    uint32_t edge_count, edge_room;
    struct qc_use *uses;
    uint32_t use_count;
    uint32_t *group_readers; /* by flag group: readers in this block, the branch included */
    uint32_t branch_setter;  /* node that sets the flags of the block's branch, QC_NONE */
    struct qc_tail *by_tail; /* all nodes, the longest tail first */
    uint64_t demand;         /* of all nodes */
    uint32_t words_after;   /* words that follow the last operation's word in any case */
};

/* Fills block->dag for all blocks. Needs qc_analyse. Returns false when a graph is cyclic because of a thread switch: a
 * branch and texture requests need the same flags. */
bool qc_dags_build(struct qc_program *p);

/* Initialises a node without edges (qc_node.c). */
void qc_node_init(struct qc_node *node, struct qc_instr *i);

/* -- critical paths (qc_critical_path.c) -- */

#define QC_SWITCH_SLOTS 2 /* delay slots: words after a thread switch that run before the other thread does */

/* Fills heights, heads, tails, by_tail and words_after of a block whose graph is complete. Returns false when the
 * graph is cyclic. */
bool qc_find_critical_paths(struct qc_program *p, struct qc_block *block);

#define qc_for_each_out(e, dag, n)                                                                                     \
    for (const struct qc_edge *e = (dag)->nodes[n].out == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].out]; e;      \
         e = e->next_out == QC_NONE ? NULL : &(dag)->edges[e->next_out])
#define qc_for_each_in(e, dag, n)                                                                                      \
    for (const struct qc_edge *e = (dag)->nodes[n].in == QC_NONE ? NULL : &(dag)->edges[(dag)->nodes[n].in]; e;        \
         e = e->next_in == QC_NONE ? NULL : &(dag)->edges[e->next_in])

#endif
