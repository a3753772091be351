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

static bool has_two_plain_temps(const struct qc_instr *i)
{
    bool plain = i->kind == QC_ALU && !i->pack && !i->rotate && !i->rigid && !i->reset && i->config == QC_NONE;
    for (unsigned k = 0; k < 2; k++)
        plain &= i->src[k].kind == QC_SRC_TEMP && !i->src[k].unpack;
    return plain;
}

static bool is_restricted(const struct qc_instr *i)
{
    return i->uses || i->sets || i->kind == QC_SIGNAL || qpu_waddr_is_sfu(i->waddr) || i->chains & QC_CHAIN_VARYING;
}

static uint16_t flags_of(const struct qc_instr *i)
{
    const struct {
        bool is_set;
        uint16_t flag;
    } list[] = {
        {i->kind == QC_SIGNAL || qpu_waddr_is_sfu(i->waddr), QC_NODE_WRITES_R4},
        {i->chains & QC_CHAIN_VARYING, QC_NODE_VARYING},
        {is_fetch(i), QC_NODE_FETCH},
        {may_have_port_conflict(i), QC_NODE_TWO_PORTS},
        {i->kind == QC_SWITCH, QC_NODE_SWITCH},
        {is_restricted(i), QC_NODE_RESTRICTED},
        {i->rotate, QC_NODE_ROTATES},
        {i->src[0].unpack || i->src[1].unpack, QC_NODE_UNPACKS},
        {i->src[0].kind == QC_SRC_UNIFORM || i->src[1].kind == QC_SRC_UNIFORM, QC_NODE_UNIFORM},
        {has_two_plain_temps(i), QC_NODE_TWO_TEMPS},
    };
    uint16_t flags = 0;
    for (unsigned k = 0; k < ARRAY_SIZE(list); k++)
        flags |= list[k].is_set ? list[k].flag : 0;
    return flags;
}

void qc_node_init(struct qc_node *node, struct qc_instr *i)
{
    *node = (struct qc_node){
        .instr = i, .flags = flags_of(i), .reads = {QC_NONE, QC_NONE}, .out = QC_NONE, .in = QC_NONE};
    find_reads(node);
}
