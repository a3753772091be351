/* SPDX-License-Identifier: MIT
 *
 * The fast evaluator of f64_eval.h. Its inner loops are over lanes, so that the host's compiler vectorises them.
 */
#include <string.h>
#include "f64_eval.h"

#define LANES(expression)                                                                                              \
    do {                                                                                                               \
        for (uint32_t l = 0; l < F64_LANES; l++)                                                                       \
            o[l] = (expression);                                                                                       \
        return;                                                                                                        \
    } while (0)

static uint32_t clz(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}

static uint32_t to_int(float x)
{
    return x > -2147483648.0f && x < 2147483648.0f ? (uint32_t)(int32_t)x : 0;
}

static void words_op(struct f64_eval *e, enum ir_op op, const uint32_t *restrict x, const uint32_t *restrict y,
                     const uint32_t *restrict z, uint32_t *restrict o)
{
    switch (op) {
    case IR_MOV: LANES(x[l]);
    case IR_SEL: LANES(x[l] ? y[l] : z[l]);
    case IR_IADD: LANES(x[l] + y[l]);
    case IR_ISUB: LANES(x[l] - y[l]);
    case IR_SHR: LANES(x[l] >> (y[l] & 31));
    case IR_ASR: LANES((uint32_t)((int32_t)x[l] >> (y[l] & 31)));
    case IR_SHL: LANES(x[l] << (y[l] & 31));
    case IR_IMIN: LANES((int32_t)x[l] < (int32_t)y[l] ? x[l] : y[l]);
    case IR_IMAX: LANES((int32_t)x[l] > (int32_t)y[l] ? x[l] : y[l]);
    case IR_AND: case IR_BAND: LANES(x[l] & y[l]);
    case IR_OR: case IR_BOR: LANES(x[l] | y[l]);
    case IR_XOR: case IR_BXOR: LANES(x[l] ^ y[l]);
    case IR_NOT: LANES(~x[l]);
    case IR_BNOT: LANES(x[l] ^ 1);
    case IR_CLZ: LANES(clz(x[l]));
    case IR_IMUL: LANES(x[l] * y[l]);
    case IR_MUL24: LANES((x[l] & 0xffffff) * (y[l] & 0xffffff));
    case IR_IEQ: LANES(x[l] == y[l]);
    case IR_INE: LANES(x[l] != y[l]);
    case IR_ILT: LANES((int32_t)x[l] < (int32_t)y[l]);
    case IR_IGE: LANES((int32_t)x[l] >= (int32_t)y[l]);
    case IR_ULT: LANES(x[l] < y[l]);
    case IR_UGE: LANES(x[l] >= y[l]);
    case IR_ITOF: LANES(util_fui((float)(int32_t)x[l]));
    case IR_FTOI: LANES(to_int(util_uif(x[l])));
    case IR_FMUL: LANES(util_fui(util_uif(x[l]) * util_uif(y[l])));
    case IR_FRCP: LANES(util_fui(1 / util_uif(x[l])));
    default: e->trouble = ir_op_infos[op].text;
    }
}

static void copy(uint32_t *to, const uint32_t *from)
{
    memcpy(to, from, F64_LANES * sizeof *to);
}

static void fill(uint32_t *to, uint32_t word)
{
    for (uint32_t l = 0; l < F64_LANES; l++)
        to[l] = word;
}

static void run_instr(struct f64_eval *e, const struct ir_instr *i)
{
    uint32_t *o = e->values[i->value.index];
    const uint32_t *s[3] = {o, o, o};
    for (uint32_t k = 0; k < i->src_count && k < 3; k++)
        s[k] = e->values[i->src[k].def->value.index];
    e->instructions++;
    switch (i->op) {
    case IR_CONST:
        fill(o, i->imm);
        return;
    case IR_LOAD_INPUT:
        copy(o, e->in[i->imm2]);
        return;
    case IR_STORE_OUTPUT:
        copy(e->out[i->imm2], s[0]);
        return;
    case IR_BREAK:
        e->left = true;
        return;
    default:
        words_op(e, i->op, s[0], i->src_count > 1 ? s[1] : s[0], i->src_count > 2 ? s[2] : s[0], o);
    }
}

/* Phis are all read before any is written. */
static void run_phis(struct f64_eval *e, struct ir_block *block)
{
    static _Thread_local uint32_t read[16][F64_LANES];
    uint32_t edge = 0, at = 0;
    while (edge < block->pred_count && block->preds[edge] != e->from)
        edge++;
    ir_for_each_instr(i, block) {
        if (i->op != IR_PHI)
            break;
        if (at == ARRAY_SIZE(read) || edge >= i->src_count) {
            e->trouble = "phis";
            return;
        }
        copy(read[at++], e->values[i->src[edge].def->value.index]);
    }
    at = 0;
    ir_for_each_instr(i, block) {
        if (i->op != IR_PHI)
            break;
        copy(e->values[i->value.index], read[at++]);
    }
}

static void run_list(struct f64_eval *e, struct util_list *list)
{
    util_list_for_each(struct ir_node, node, list, link) {
        if (e->trouble || e->left)
            return;
        if (node->kind == IR_NODE_BLOCK) {
            run_phis(e, ir_node_as_block(node));
            ir_for_each_instr(i, ir_node_as_block(node))
                if (i->op != IR_PHI && !e->trouble)
                    run_instr(e, i);
            e->from = ir_node_as_block(node);
        } else if (node->kind == IR_NODE_IF) {
            const uint32_t *cond = e->values[ir_node_as_if(node)->cond.def->value.index];
            for (uint32_t l = 1; l < F64_LANES; l++)
                if (cond[l] != cond[0])
                    e->trouble = "a branch that diverges";
            run_list(e, cond[0] ? &ir_node_as_if(node)->then_list : &ir_node_as_if(node)->else_list);
        } else {
            while (!e->left && !e->trouble)
                run_list(e, &ir_node_as_loop(node)->body);
            e->left = false;
        }
    }
}

void f64_eval_run(struct f64_eval *e, struct ir_shader *shader)
{
    e->from = NULL;
    e->left = false;
    run_list(e, &shader->body);
}
