/* SPDX-License-Identifier: MIT
 *
 * Runs between selection and scheduling: finds the blocks in which each temporary is used, and inserts uniforms-address
 * resets.
 *
 * Leaves: temps' counts, def, global, first, last. Temporaries that arrive in r4 or r5 are used in their own block
 * only. Every block that is a branch target and pops uniforms begins with a reset [notes 9.6 rule 8].
 */
#include "compiler/qpu/qc_ir.h"

#include <string.h>

static void extend_range(struct qc_program *p, uint32_t temp, uint32_t block)
{
    if (temp == QC_NONE)
        return;
    struct qc_temp *t = &p->temps[temp];
    if (!t->def_count && !t->use_count)
        t->first = t->payload ? 0 : block;
    t->last = block;
}

static void record_def(struct qc_program *p, uint32_t temp, uint32_t block, struct qc_instr *i)
{
    if (temp == QC_NONE)
        return;
    extend_range(p, temp, block);
    p->temps[temp].def = p->temps[temp].def_count++ ? NULL : i;
}

void qc_count_uses(struct qc_program *p)
{
    for (uint32_t t = 0; t < p->temp_count; t++) {
        p->temps[t].def_count = p->temps[t].use_count = 0;
        p->temps[t].def = NULL;
        p->temps[t].first = p->temps[t].last = 0;
        p->temps[t].held = 0;
    }
    qc_for_each_block(b, p) {
        qc_for_each_instr(i, b) {
            for (unsigned k = 0; k < 2; k++) {
                if (i->src[k].kind == QC_SRC_TEMP) {
                    extend_range(p, i->src[k].index, b->index);
                    p->temps[i->src[k].index].use_count++;
                }
            }
            record_def(p, i->dst, b->index, i);
            record_def(p, i->result, b->index, i);
        }
    }
}

/* A value that is live at a loop's head and used inside the loop is live until the loop ends. */
static void extend_over_loops(struct qc_program *p)
{
    util_list_for_each(struct qc_loop, l, &p->loops, link) {
        uint32_t head = l->head->index, last = l->last->index;
        for (uint32_t k = 0; k < p->temp_count; k++) {
            struct qc_temp *t = &p->temps[k];
            if (!t->def_count && !t->payload)
                continue;
            if (t->first < head && t->last >= head && t->last <= last) {
                t->last = last;
                t->held = 1;
            }
            if (t->carried && t->first >= head && t->first <= last) {
                t->first = head;
                t->last = MAX2(t->last, last);
                t->held |= t->last == last;
            }
            if (t->kept_in_loop && t->first > head && t->first <= last && t->last > last)
                t->first = head;
        }
    }
}

/* Copies values that arrive in a latch (r4, r5) and are used in other blocks to temporaries of their own. */
static void keep_latches_local(struct qc_program *p)
{
    qc_for_each_block(b, p) {
        qc_for_each_instr_safe(i, b) {
            if (i->result == QC_NONE || p->temps[i->result].first == p->temps[i->result].last)
                continue;
            uint32_t latch = qc_temp_new(p, p->temps[i->result].classes);
            struct qc_instr *m = qc_instr_new(p, QC_ALU);
            m->op_add = QPU_A_OR;
            m->op_mul = QPU_M_V8MIN;
            m->src[0] = qc_src_temp(latch);
            m->dst = i->result;
            p->temps[i->result].classes &= (uint8_t) ~(QC_IN_R4 | QC_IN_R5);
            i->result = latch;
            util_list_add_after(&i->link, &m->link);
        }
    }
}

bool qc_pops_uniform(const struct qc_instr *i)
{
    if (i->config != QC_NONE)
        return true;
    for (unsigned k = 0; k < 2; k++) {
        if (i->src[k].kind == QC_SRC_UNIFORM ||
            (i->src[k].kind == QC_SRC_CONST && qpu_small_imm_code(i->src[k].index) < 0))
            return true;
    }
    return false;
}

/* Inserts a reset: a load-immediate of an offset that the emitter fills in, and an add of the stream's address, which
 * is the next uniform. */
static void insert_reset(struct qc_program *p, struct qc_block *b)
{
    struct qc_instr *load = qc_instr_new(p, QC_LOAD_IMM), *add = qc_instr_new(p, QC_ALU);
    load->dst = qc_temp_new(p, QC_IN_ACC | QC_IN_A | QC_IN_B);
    p->temps[load->dst].pinned = 1;
    load->reset = 1;
    add->op_add = QPU_A_ADD;
    add->src[0] = qc_src_temp(load->dst);
    add->src[1] = (struct qc_src){
        .kind = QC_SRC_UNIFORM, .index = qc_uniform_new(p, (struct vc4c_uniform){.kind = VC4C_UNIFORM_STREAM_ADDRESS})};
    add->waddr = QPU_W_UNIFORMS_ADDRESS;
    add->waddr_files = QC_FILE_A;
    add->reset = 2;
    util_list_add_head(&b->instrs, &add->link);
    util_list_add_head(&b->instrs, &load->link);
    b->has_reset = true;
}

void qc_analyse(struct qc_program *p)
{
    qc_count_uses(p);
    keep_latches_local(p);
    bool falls_into_target = false;
    qc_for_each_block(b, p) {
        bool pops = false;
        b->is_target |= falls_into_target;
        qc_for_each_instr(i, b)
            pops |= qc_pops_uniform(i);
        if (b->is_target && pops)
            insert_reset(p, b);
        falls_into_target = b->is_target && !b->has_reset;
    }
    qc_count_uses(p);
    extend_over_loops(p);
    for (uint32_t t = 0; t < p->temp_count; t++)
        p->temps[t].global = p->temps[t].first != p->temps[t].last;
}
