/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: products. The multiplier gives the low word of 24 by 24 bits. With limbs of 14 bits a whole column of
 * partial products fits a word, so that carries are only looked at once a column.
 */
#include "compiler/lower/lower_f64_parts.h"

#define LIMB_MASK 0x3fffu

void ir_f64_limbs(struct ir_builder *b, struct ir_f64 x, uint32_t first, struct ir_instr *limbs[4])
{
    struct ir_instr *low = first ? f64_opc(b, IR_SHR, x.lo, first) : x.lo;
    struct ir_instr *middle = f64_op(b, IR_OR, f64_opc(b, IR_SHR, x.lo, first + 14),
                                     f64_opc(b, IR_SHL, x.hi, 18 - first));
    limbs[0] = f64_opc(b, IR_AND, low, LIMB_MASK);
    limbs[1] = f64_opc(b, IR_AND, middle, LIMB_MASK);
    /* bits 28 to 41 */
    struct ir_instr *upper = first ? f64_opc(b, IR_SHR, x.hi, first - 4)
                                   : f64_op(b, IR_OR, f64_opc(b, IR_SHR, x.lo, 28), f64_opc(b, IR_SHL, x.hi, 4));
    limbs[2] = f64_opc(b, IR_AND, upper, LIMB_MASK);
    limbs[3] = f64_opc(b, IR_SHR, x.hi, first + 10);
}

void ir_f64_columns(struct ir_builder *b, struct ir_instr *const x[4], struct ir_instr *const y[4],
                    struct ir_instr *columns[7])
{
    struct ir_instr *carry = NULL;
    for (uint32_t k = 0; k < 7; k++) {
        struct ir_instr *sum = carry;
        for (uint32_t i = k > 3 ? k - 3 : 0; i <= k && i < 4; i++) {
            struct ir_instr *product = f64_op(b, IR_MUL24, x[i], y[k - i]);
            sum = sum ? f64_op(b, IR_IADD, sum, product) : product;
        }
        carry = f64_opc(b, IR_SHR, sum, 14);
        columns[k] = k < 6 ? f64_opc(b, IR_AND, sum, LIMB_MASK) : sum;
    }
}

/* Bits 42 and up of the product, with a 1 in bit 0 if any bit below is set. */
static struct ir_f64 product(struct ir_builder *b, struct ir_instr *const x[4], struct ir_instr *const y[4])
{
    struct ir_instr *c[7];
    ir_f64_columns(b, x, y, c);
    struct ir_instr *lost = f64_op(b, IR_OR, f64_op(b, IR_OR, c[0], c[1]), c[2]);
    lost = f64_opc(b, IR_SHR, f64_opc(b, IR_IADD, lost, LIMB_MASK), 14);
    struct ir_instr *lo = f64_op(b, IR_OR, f64_op(b, IR_OR, c[3], lost), f64_opc(b, IR_SHL, c[4], 14));
    return (struct ir_f64){
        .lo = f64_op(b, IR_OR, lo, f64_opc(b, IR_SHL, c[5], 28)),
        .hi = f64_op(b, IR_OR, f64_opc(b, IR_SHR, c[5], 4), f64_opc(b, IR_SHL, c[6], 10)),
    };
}

/* Only the smaller factor's significand is shifted to its place. If the larger one is a denormal, too, the product is
 * too small for its digits to matter. */
struct ir_f64 ir_f64_mul(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y)
{
    struct ir_instr *sign = f64_opc(b, IR_AND, f64_op(b, IR_XOR, x.hi, y.hi), F64_SIGN);
    struct ir_instr *x_class = ir_f64_class(b, x), *y_class = ir_f64_class(b, y);
    struct ir_instr *is_less = f64_op(b, IR_ILT, x_class, y_class);
    struct ir_f64 large = ir_f64_sel(b, is_less, y, x), small = ir_f64_sel(b, is_less, x, y);
    struct ir_instr *top = f64_op(b, IR_IMAX, x_class, y_class), *bottom = f64_op(b, IR_IMIN, x_class, y_class);
    struct ir_instr *field = f64_opc(b, IR_SHR, top, 20), *exponent, *small_exponent;

    struct ir_instr *m[4], *n[4];
    ir_f64_limbs(b, ir_f64_significand(b, large, field), 0, m);
    ir_f64_limbs(b, ir_f64_aligned(b, small, f64_opc(b, IR_SHR, bottom, 20), false, &small_exponent), 11, n);
    struct ir_f64 p = product(b, m, n);

    /* Infinity times anything but 0 overflows. */
    exponent = f64_sel(b, f64_opc(b, IR_IEQ, field, 2047), ir_const(b, F64_INF_EXPONENT), field);
    struct ir_instr *below = f64_opc(b, IR_ISUB, f64_op(b, IR_IADD, exponent, small_exponent), F64_BIAS);
    struct ir_instr *count = ir_build1(b, IR_CLZ, p.hi); /* 0 or 1 */
    below = f64_op(b, IR_ISUB, below, count);
    struct ir_f64 out = ir_f64_round(b, sign, ir_i64_shl_near(b, p, count), below);
    /* NaN times anything, infinity times 0 */
    struct ir_instr *is_zero = f64_opc(b, IR_SHR, f64_opc(b, IR_ISUB, bottom, 1), 31);
    struct ir_instr *is_nan = f64_op(b, IR_ILT, ir_const(b, F64_INF), f64_op(b, IR_OR, top, is_zero));
    out.hi = f64_sel(b, is_nan, ir_const(b, F64_NAN), out.hi);
    return out;
}
