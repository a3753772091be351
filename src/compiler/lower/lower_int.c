/* SPDX-License-Identifier: MIT
 *
 * Lowers integer operations: the chip multiplies 24 by 24 bits, compares signed, and has no division. Exact conversions
 * of halves are made of such operations, too.
 */
#include "compiler/lower/lower.h"

static struct ir_instr *op2(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, op, x, y);
}

static struct ir_instr *op_c(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t c)
{
    return ir_build2(b, op, x, ir_const(b, c));
}

/* ---------------------------------------------------------------- value ranges */

#define MAX_DEPTH 4

/* An upper bound on the bits of the unsigned value. */
static uint32_t max_bits(const struct ir_instr *x, uint32_t depth)
{
    if (ir_is_const(x))
        return x->imm ? util_log2(x->imm) + 1 : 0;
    if (depth == MAX_DEPTH)
        return 32;
    switch (x->op) {
    case IR_AND:
        return MIN2(max_bits(x->src[0].def, depth + 1), max_bits(x->src[1].def, depth + 1));
    case IR_OR:
    case IR_XOR:
        return MAX2(max_bits(x->src[0].def, depth + 1), max_bits(x->src[1].def, depth + 1));
    case IR_SHR:
        if (ir_is_const(x->src[1].def)) {
            uint32_t bits = max_bits(x->src[0].def, depth + 1), shift = x->src[1].def->imm & 31;
            return bits > shift ? bits - shift : 0;
        }
        return 32;
    case IR_UNPACK_I:
        return x->imm >= 2 ? 8 : 32;
    case IR_FRAG_X:
    case IR_FRAG_Y:
        return 11;
    case IR_FRAG_Z:
        return 24;
    case IR_ELEMENT:
    case IR_MS_FLAGS:
        return 4;
    case IR_SEL:
        return MAX2(max_bits(x->src[1].def, depth + 1), max_bits(x->src[2].def, depth + 1));
    default:
        return 32;
    }
}

/* ---------------------------------------------------------------- products */

/* x y mod 2^32, with x = xh 2^24 + xl: the product of the low parts, plus cross products if there are bits above 24. */
static struct ir_instr *product(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *low = op2(b, IR_MUL24, x, y), *high = NULL;
    if (max_bits(x, 0) > 24)
        high = op2(b, IR_MUL24, op_c(b, IR_SHR, x, 24), y);
    if (max_bits(y, 0) > 24) {
        struct ir_instr *other = op2(b, IR_MUL24, x, op_c(b, IR_SHR, y, 24));
        high = high ? op2(b, IR_IADD, high, other) : other;
    }
    return high ? op2(b, IR_IADD, low, op_c(b, IR_SHL, high, 24)) : low;
}

/* The high word, from 16-bit halves. */
static struct ir_instr *high_product(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *xl = op_c(b, IR_AND, x, 0xffff), *xh = op_c(b, IR_SHR, x, 16);
    struct ir_instr *yl = op_c(b, IR_AND, y, 0xffff), *yh = op_c(b, IR_SHR, y, 16);
    struct ir_instr *lh = op2(b, IR_MUL24, xl, yh), *hl = op2(b, IR_MUL24, xh, yl);
    struct ir_instr *carry = op_c(b, IR_SHR, op2(b, IR_MUL24, xl, yl), 16);
    carry = op2(b, IR_IADD, carry, op_c(b, IR_AND, lh, 0xffff));
    carry = op2(b, IR_IADD, carry, op_c(b, IR_AND, hl, 0xffff));
    struct ir_instr *sum = op2(b, IR_IADD, op2(b, IR_MUL24, xh, yh), op_c(b, IR_SHR, carry, 16));
    return op2(b, IR_IADD, op2(b, IR_IADD, sum, op_c(b, IR_SHR, lh, 16)), op_c(b, IR_SHR, hl, 16));
}

/* y where x is negative, else 0 */
static struct ir_instr *if_negative(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    return op2(b, IR_AND, op_c(b, IR_ASR, x, 31), y);
}

static struct ir_instr *high_product_signed(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y)
{
    struct ir_instr *h = op2(b, IR_ISUB, high_product(b, x, y), if_negative(b, x, y));
    return op2(b, IR_ISUB, h, if_negative(b, y, x));
}

/* ---------------------------------------------------------------- division */

struct quotient {
    struct ir_instr *q, *r;
};

/* One guess: trunc(n * scale), where scale is slightly less than 1/d, so the guess is never too large. */
static void guess(struct ir_builder *b, struct quotient *out, struct ir_instr *d, struct ir_instr *scale)
{
    struct ir_instr *n = ir_build1(b, IR_UTOF, out->r);
    struct ir_instr *q = ir_build1(b, IR_FTOU, ir_fmul(b, n, scale));
    out->q = out->q ? op2(b, IR_IADD, out->q, q) : q;
    out->r = op2(b, IR_ISUB, out->r, product(b, q, d));
}

/* Divides unsigned numbers. The refined reciprocal has 20 bits and is reduced by 2^-19. The first guess leaves a
 * remainder of at most n 2^-18, the second, for any n below 2^32, a remainder below 2 d. One compare-and-subtract
 * corrects that; the second one covers the rounding of the conversions. */
static struct quotient divide(struct ir_builder *b, struct ir_instr *n, struct ir_instr *d)
{
    struct ir_instr *df = ir_build1(b, IR_UTOF, d), *scale = ir_build1(b, IR_FRCP, df);
    struct quotient out = {NULL, n};
    scale = ir_fmul(b, scale, ir_const_f(b, 1 - 1 / 524288.0f));
    guess(b, &out, d, scale);
    guess(b, &out, d, scale);
    for (int i = 0; i < 2; i++) {
        struct ir_instr *more = op2(b, IR_UGE, out.r, d);
        out.q = ir_sel(b, more, op_c(b, IR_IADD, out.q, 1), out.q);
        out.r = ir_sel(b, more, op2(b, IR_ISUB, out.r, d), out.r);
    }
    return out;
}

/* x with the sign of `negative`'s bit 31: (x ^ m) - m */
static struct ir_instr *with_sign(struct ir_builder *b, struct ir_instr *x, struct ir_instr *negative)
{
    struct ir_instr *m = op_c(b, IR_ASR, negative, 31);
    return op2(b, IR_ISUB, op2(b, IR_XOR, x, m), m);
}

static struct ir_instr *signed_division(struct ir_builder *b, enum ir_op op, struct ir_instr *n, struct ir_instr *d)
{
    struct quotient u = divide(b, with_sign(b, n, n), with_sign(b, d, d));
    if (op == IR_IDIV)
        return with_sign(b, u.q, op2(b, IR_XOR, n, d));
    struct ir_instr *remainder = with_sign(b, u.r, n);
    if (op == IR_IREM)
        return remainder;
    /* IMOD: adds the divisor where the remainder has the opposite sign */
    struct ir_instr *other = op2(b, IR_ILT, op2(b, IR_XOR, remainder, d), ir_const(b, 0));
    struct ir_instr *is_not_zero = op2(b, IR_INE, remainder, ir_const(b, 0));
    return ir_sel(b, op2(b, IR_BAND, other, is_not_zero), op2(b, IR_IADD, remainder, d), remainder);
}

/* ---------------------------------------------------------------- bits */

/* Sums adjacent fields: pairs, nibbles, bytes, then all bytes with two shifts and adds. */
static struct ir_instr *bit_count(struct ir_builder *b, struct ir_instr *x)
{
    x = op2(b, IR_ISUB, x, op_c(b, IR_AND, op_c(b, IR_SHR, x, 1), 0x55555555));
    x = op2(b, IR_IADD, op_c(b, IR_AND, x, 0x33333333), op_c(b, IR_AND, op_c(b, IR_SHR, x, 2), 0x33333333));
    x = op_c(b, IR_AND, op2(b, IR_IADD, x, op_c(b, IR_SHR, x, 4)), 0x0f0f0f0f);
    x = op2(b, IR_IADD, x, op_c(b, IR_SHR, x, 8));
    x = op2(b, IR_IADD, x, op_c(b, IR_SHR, x, 16));
    return op_c(b, IR_AND, x, 0x3f);
}

static struct ir_instr *swap(struct ir_builder *b, struct ir_instr *x, uint32_t mask, uint32_t shift)
{
    struct ir_instr *down = op_c(b, IR_AND, op_c(b, IR_SHR, x, shift), mask);
    return op2(b, IR_OR, down, op_c(b, IR_SHL, op_c(b, IR_AND, x, mask), shift));
}

static struct ir_instr *bit_reverse(struct ir_builder *b, struct ir_instr *x)
{
    x = swap(b, x, 0x55555555, 1);
    x = swap(b, x, 0x33333333, 2);
    x = swap(b, x, 0x0f0f0f0f, 4);
    x = swap(b, x, 0x00ff00ff, 8);
    return op_c(b, IR_ROR, x, 16);
}

/* ---------------------------------------------------------------- the pass */

static struct ir_instr *lower(struct ir_builder *b, const struct ir_instr *instr)
{
    struct ir_instr *x = instr->src_count > 0 ? instr->src[0].def : NULL;
    struct ir_instr *y = instr->src_count > 1 ? instr->src[1].def : NULL;
    switch ((enum ir_op)instr->op) {
    case IR_IMUL:
        return product(b, x, y);
    case IR_UMULH:
        return high_product(b, x, y);
    case IR_IMULH:
        return high_product_signed(b, x, y);
    case IR_UDIV:
        return divide(b, x, y).q;
    case IR_UMOD:
        return divide(b, x, y).r;
    case IR_IDIV:
    case IR_IREM:
    case IR_IMOD:
        return signed_division(b, instr->op, x, y);
    case IR_UMIN:
        return ir_sel(b, op2(b, IR_ULT, x, y), x, y);
    case IR_UMAX:
        return ir_sel(b, op2(b, IR_ULT, x, y), y, x);
    case IR_BITCOUNT:
        return bit_count(b, x);
    case IR_BITREV:
        return bit_reverse(b, x);
    case IR_HALF_TO_FLOAT:
        return ir_half_to_float(b, x);
    case IR_FLOAT_TO_HALF:
        return ir_float_to_half(b, x, false);
    default:
        return NULL;
    }
}

bool ir_lower_int(struct ir_shader *shader)
{
    bool changed = false;
    ir_for_each_block(block, shader) {
        ir_for_each_instr_safe(instr, block) {
            if (!(ir_op_infos[instr->op].flags & IR_H))
                continue;
            struct ir_builder b = ir_before(shader, instr);
            b.relaxed = false; /* integers are exact, including the conversions within a division */
            struct ir_instr *by = lower(&b, instr);
            if (!by)
                continue;
            ir_replace_uses(instr, by);
            ir_remove(instr);
            changed = true;
        }
    }
    return changed;
}
