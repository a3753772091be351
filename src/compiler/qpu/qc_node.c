/* SPDX-License-Identifier: MIT
 *
 * Precomputes the properties of an operation that the scheduler needs often.
 */
#include "compiler/qpu/qc_dag.h"

static void find_reads(struct qc_node *node)
{
    const struct qc_instr *i = node->instr;
    unsigned count = 0;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind != QC_SRC_TEMP)
            continue;
        if (count && node->reads[0] == i->src[k].index) {
            node->read_count[0]++;
        } else {
            node->reads[count] = i->src[k].index;
            node->read_count[count++] = 1;
        }
    }
}

static bool is_fetch(const struct qc_instr *i)
{
    if (i->kind != QC_ALU || i->dst == QC_NONE || i->chains || i->sf || i->uses || i->reset)
        return false;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_TEMP || i->src[k].kind == QC_SRC_READ)
            return false;
    }
    return true;
}

/* Two sources can only conflict over a read port when neither is missing or a uniform, which can use either port. */
static bool may_have_port_conflict(const struct qc_instr *i)
{
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_NONE || i->src[k].kind == QC_SRC_UNIFORM)
            return false;
    }
    return true;
}

static uint8_t flags_of(const struct qc_instr *i)
{
    return (uint8_t)((i->kind == QC_SIGNAL || qpu_waddr_is_sfu(i->waddr) ? QC_NODE_WRITES_R4 : 0) |
                     (i->chains & QC_CHAIN_VARYING ? QC_NODE_VARYING : 0) | (is_fetch(i) ? QC_NODE_FETCH : 0) |
                     (may_have_port_conflict(i) ? QC_NODE_TWO_PORTS : 0) |
                     (i->kind == QC_SWITCH ? QC_NODE_SWITCH : 0));
}

void qc_node_init(struct qc_node *node, struct qc_instr *i)
{
    *node = (struct qc_node){
        .instr = i, .flags = flags_of(i), .reads = {QC_NONE, QC_NONE}, .out = QC_NONE, .in = QC_NONE};
    find_reads(node);
}
