/* SPDX-License-Identifier: MIT
 *
 * Evaluates arithmetic on single words as a program on the chip would. The compiler folds constants with it; the driver
 * computes uniform words with it when a job is issued.
 *
 * Operations that the chip has give the chip's result bit for bit (floats rounded toward zero, denormals flushed),
 * whatever the host's rounding mode and excess precision, so folding does not change a value. Operations that the chip
 * only approximates (reciprocals, roots, exponents, trigonometry) are rounded to nearest.
 */
#ifndef HW_EXPR_H
#define HW_EXPR_H

#include <stdbool.h>
#include <stdint.h>

enum hw_expr_op {
    HW_EXPR_WORD, /* not an operation: a word supplied by the caller */
    HW_EXPR_FADD, HW_EXPR_FSUB, HW_EXPR_FMUL, HW_EXPR_FMIN, HW_EXPR_FMAX, HW_EXPR_FMINABS, HW_EXPR_FMAXABS,
    HW_EXPR_FTOI, HW_EXPR_FTOU, HW_EXPR_ITOF, HW_EXPR_UTOF,
    HW_EXPR_FNEG, HW_EXPR_FABS, HW_EXPR_FSAT, HW_EXPR_FRCP, HW_EXPR_FRSQ, HW_EXPR_FSQRT, HW_EXPR_FEXP2,
    HW_EXPR_FLOG2, HW_EXPR_FDIV, HW_EXPR_FPOW, HW_EXPR_FSIN, HW_EXPR_FCOS, HW_EXPR_FFLOOR, HW_EXPR_FCEIL,
    HW_EXPR_FTRUNC, HW_EXPR_FROUND, HW_EXPR_FFRACT, HW_EXPR_FMOD,
    HW_EXPR_IADD, HW_EXPR_ISUB, HW_EXPR_SHR, HW_EXPR_ASR, HW_EXPR_ROR, HW_EXPR_SHL, HW_EXPR_IMIN, HW_EXPR_IMAX,
    HW_EXPR_UMIN, HW_EXPR_UMAX, HW_EXPR_AND, HW_EXPR_OR, HW_EXPR_XOR, HW_EXPR_NOT, HW_EXPR_CLZ, HW_EXPR_MUL24,
    HW_EXPR_IMUL, HW_EXPR_IMULH, HW_EXPR_UMULH, HW_EXPR_IDIV, HW_EXPR_UDIV, HW_EXPR_IREM, HW_EXPR_IMOD, HW_EXPR_UMOD,
    HW_EXPR_BITCOUNT, HW_EXPR_BITREV, HW_EXPR_V8ADDS, HW_EXPR_V8SUBS,
    /* truth values: 0 or 1 */
    HW_EXPR_FEQ, HW_EXPR_FNE, HW_EXPR_FLT, HW_EXPR_FGE, HW_EXPR_IEQ, HW_EXPR_INE, HW_EXPR_ILT, HW_EXPR_IGE,
    HW_EXPR_ULT, HW_EXPR_UGE, HW_EXPR_BNOT,
    HW_EXPR_SEL, /* a ? b : c */
    HW_EXPR_OPS
};

/* Returns false where the result is undefined (integer division by zero, a root of a negative number, Inf - Inf); *out
 * is then what the chip is believed to give, or 0. Operations of one or two sources ignore the others. */
bool hw_expr(enum hw_expr_op op, uint32_t a, uint32_t b, uint32_t c, uint32_t *out);

#endif
