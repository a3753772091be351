/* SPDX-License-Identifier: MIT
 *
 * Folds operations on constants with the arithmetic of hw/expr.h: as the chip computes them, or more exactly. An
 * operation without a defined result, such as a division by zero, is not folded.
 *
 * The evaluator of the tests does not use this; it has its own arithmetic.
 */
#include "compiler/ir/ir_pass.h"

enum hw_expr_op ir_expr_op(enum ir_op op)
{
    static const uint8_t ops[IR_OP_COUNT] = {
        [IR_FADD] = HW_EXPR_FADD, [IR_FSUB] = HW_EXPR_FSUB, [IR_FMUL] = HW_EXPR_FMUL, [IR_FMIN] = HW_EXPR_FMIN,
        [IR_FMAX] = HW_EXPR_FMAX, [IR_FMINABS] = HW_EXPR_FMINABS, [IR_FMAXABS] = HW_EXPR_FMAXABS,
        [IR_FTOI] = HW_EXPR_FTOI, [IR_FTOU] = HW_EXPR_FTOU, [IR_ITOF] = HW_EXPR_ITOF, [IR_UTOF] = HW_EXPR_UTOF,
        [IR_FNEG] = HW_EXPR_FNEG, [IR_FABS] = HW_EXPR_FABS, [IR_FSAT] = HW_EXPR_FSAT, [IR_FRCP] = HW_EXPR_FRCP,
        [IR_FRSQ] = HW_EXPR_FRSQ, [IR_FSQRT] = HW_EXPR_FSQRT, [IR_FEXP2] = HW_EXPR_FEXP2, [IR_FLOG2] = HW_EXPR_FLOG2,
        [IR_FDIV] = HW_EXPR_FDIV, [IR_FPOW] = HW_EXPR_FPOW, [IR_FSIN] = HW_EXPR_FSIN, [IR_FCOS] = HW_EXPR_FCOS,
        [IR_FFLOOR] = HW_EXPR_FFLOOR, [IR_FCEIL] = HW_EXPR_FCEIL, [IR_FTRUNC] = HW_EXPR_FTRUNC,
        [IR_FROUND] = HW_EXPR_FROUND, [IR_FFRACT] = HW_EXPR_FFRACT, [IR_FMOD] = HW_EXPR_FMOD,
        [IR_IADD] = HW_EXPR_IADD, [IR_ISUB] = HW_EXPR_ISUB, [IR_SHR] = HW_EXPR_SHR, [IR_ASR] = HW_EXPR_ASR,
        [IR_ROR] = HW_EXPR_ROR, [IR_SHL] = HW_EXPR_SHL, [IR_IMIN] = HW_EXPR_IMIN, [IR_IMAX] = HW_EXPR_IMAX,
        [IR_UMIN] = HW_EXPR_UMIN, [IR_UMAX] = HW_EXPR_UMAX, [IR_AND] = HW_EXPR_AND, [IR_OR] = HW_EXPR_OR,
        [IR_XOR] = HW_EXPR_XOR, [IR_NOT] = HW_EXPR_NOT, [IR_CLZ] = HW_EXPR_CLZ, [IR_MUL24] = HW_EXPR_MUL24,
        [IR_IMUL] = HW_EXPR_IMUL, [IR_IMULH] = HW_EXPR_IMULH, [IR_UMULH] = HW_EXPR_UMULH, [IR_IDIV] = HW_EXPR_IDIV,
        [IR_UDIV] = HW_EXPR_UDIV, [IR_IREM] = HW_EXPR_IREM, [IR_IMOD] = HW_EXPR_IMOD, [IR_UMOD] = HW_EXPR_UMOD,
        [IR_BITCOUNT] = HW_EXPR_BITCOUNT, [IR_BITREV] = HW_EXPR_BITREV, [IR_V8ADDS] = HW_EXPR_V8ADDS,
        [IR_V8SUBS] = HW_EXPR_V8SUBS, [IR_FEQ] = HW_EXPR_FEQ, [IR_FNE] = HW_EXPR_FNE, [IR_FLT] = HW_EXPR_FLT,
        [IR_FGE] = HW_EXPR_FGE, [IR_IEQ] = HW_EXPR_IEQ, [IR_INE] = HW_EXPR_INE, [IR_ILT] = HW_EXPR_ILT,
        [IR_IGE] = HW_EXPR_IGE, [IR_ULT] = HW_EXPR_ULT, [IR_UGE] = HW_EXPR_UGE, [IR_BNOT] = HW_EXPR_BNOT,
        [IR_SEL] = HW_EXPR_SEL, [IR_BAND] = HW_EXPR_AND, [IR_BOR] = HW_EXPR_OR, [IR_BXOR] = HW_EXPR_XOR,
    };
    return ops[op];
}

bool ir_fold(const struct ir_instr *instr, const uint32_t *srcs, uint32_t *word_out)
{
    enum hw_expr_op op = ir_expr_op(instr->op);
    uint32_t a = instr->src_count > 0 ? srcs[0] : 0, b = instr->src_count > 1 ? srcs[1] : 0;
    if (instr->op == IR_MOV) {
        *word_out = a;
        return true;
    }
    return op != HW_EXPR_WORD && hw_expr(op, a, b, instr->src_count > 2 ? srcs[2] : 0, word_out);
}
