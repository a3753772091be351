/* SPDX-License-Identifier: MIT
 *
 * 64-bit floats: rounding to integral values, and numbers as a fraction and a power of two. The integral functions work
 * on the bits: those below the units are cleared after something has been added to the magnitude, and a carry into the
 * exponent is as it should be.
 */
#include "compiler/lower/lower_f64_parts.h"

/* The bits below the units: 2^places - 1 in two words, for places from 0 to 52. Where |x| < 1 (places above 52), all
 * but the sign. */
static struct ir_f64 fraction_bits(struct ir_builder *b, struct ir_f64 x, struct ir_instr **places_out)
{
    struct ir_instr *field = f64_opc(b, IR_AND, f64_opc(b, IR_SHR, x.hi, 20), 0x7ff);
    struct ir_instr *places = f64_op(b, IR_ISUB, ir_const(b, F64_BIAS + 52), field), *ones = ir_const(b, ~0u);
    places = f64_opc(b, IR_IMAX, places, 0);
    struct ir_instr *high = f64_opc(b, IR_IMAX, f64_opc(b, IR_ISUB, places, 32), 0);
    high = f64_sel(b, f64_opc(b, IR_ILT, places, 53), high, ir_const(b, 31));
    struct ir_instr *lo = f64_sel(b, f64_opc(b, IR_ILT, places, 32), f64_op(b, IR_SHL, ones, places), ir_const(b, 0));
    *places_out = places;
    return (struct ir_f64){ir_build1(b, IR_NOT, lo), ir_build1(b, IR_NOT, f64_op(b, IR_SHL, ones, high))};
}

static struct ir_f64 clear(struct ir_builder *b, struct ir_f64 x, struct ir_f64 bits)
{
    return (struct ir_f64){f64_op(b, IR_AND, x.lo, ir_build1(b, IR_NOT, bits.lo)),
                           f64_op(b, IR_AND, x.hi, ir_build1(b, IR_NOT, bits.hi))};
}

struct ir_f64 ir_f64_trunc(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *places;
    return clear(b, x, fraction_bits(b, x, &places));
}

/* x, or where |x| < 1 a number without digits: the sign of x, or -1 or 1 if `away` holds. */
static struct ir_f64 or_small(struct ir_builder *b, struct ir_f64 rounded, struct ir_f64 x, struct ir_instr *places,
                              struct ir_instr *away)
{
    struct ir_instr *sign = f64_opc(b, IR_AND, x.hi, F64_SIGN);
    struct ir_instr *small = f64_sel(b, away, f64_opc(b, IR_OR, sign, F64_BIAS << 20), sign);
    struct ir_instr *is_small = f64_op(b, IR_ILT, ir_const(b, 52), places);
    return ir_f64_sel(b, is_small, (struct ir_f64){ir_const(b, 0), small}, rounded);
}

/* Negative numbers are rounded away from zero. */
struct ir_f64 ir_f64_floor(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *places, *negative = f64_opc(b, IR_ASR, x.hi, 31);
    struct ir_f64 bits = fraction_bits(b, x, &places);
    struct ir_f64 up = {f64_op(b, IR_AND, bits.lo, negative), f64_op(b, IR_AND, bits.hi, negative)};
    struct ir_f64 rounded = clear(b, ir_i64_add(b, x, up), bits);
    /* negative and not -0 */
    struct ir_instr *away = f64_op(b, IR_ULT, ir_const(b, F64_SIGN), f64_op(b, IR_OR, x.hi, ir_f64_jam(b, x.lo)));
    return or_small(b, rounded, x, places, away);
}

struct ir_f64 ir_f64_ceil(struct ir_builder *b, struct ir_f64 x)
{
    return ir_f64_neg(b, ir_f64_floor(b, ir_f64_neg(b, x)));
}

/* Adds half of a unit, less the last bit if the unit's bit is even. */
struct ir_f64 ir_f64_round_even(struct ir_builder *b, struct ir_f64 x)
{
    struct ir_instr *places;
    struct ir_f64 bits = fraction_bits(b, x, &places), half = {
        .lo = f64_op(b, IR_OR, f64_opc(b, IR_SHR, bits.lo, 1), f64_opc(b, IR_SHL, bits.hi, 31)),
        .hi = f64_opc(b, IR_SHR, bits.hi, 1),
    };
    struct ir_instr *word = f64_sel(b, f64_opc(b, IR_ILT, places, 32), x.lo, x.hi);
    struct ir_instr *unit = f64_opc(b, IR_AND, f64_op(b, IR_SHR, word, places), 1);
    /* without digits after the point nothing may be added */
    unit = f64_op(b, IR_AND, unit, bits.lo);
    half = ir_i64_add(b, half, (struct ir_f64){unit, ir_const(b, 0)});
    struct ir_f64 rounded = clear(b, ir_i64_add(b, x, half), bits);
    struct ir_instr *away = f64_op(b, IR_ILT, ir_const(b, (F64_BIAS - 1) << 20), ir_f64_class(b, x)); /* above 0.5 */
    return or_small(b, rounded, x, places, away);
}

struct ir_f64 ir_f64_frexp(struct ir_builder *b, struct ir_f64 x, struct ir_instr **exponent_out)
{
    struct ir_instr *class = ir_f64_class(b, x), *exponent, *zero = ir_const(b, 0);
    struct ir_f64 s = ir_f64_aligned(b, x, f64_opc(b, IR_SHR, class, 20), false, &exponent);
    struct ir_f64 half = {
        .lo = f64_op(b, IR_OR, f64_opc(b, IR_SHR, s.lo, 11), f64_opc(b, IR_SHL, s.hi, 21)),
        .hi = f64_op(b, IR_OR, f64_opc(b, IR_AND, x.hi, F64_SIGN),
                     f64_opc(b, IR_IADD, f64_opc(b, IR_SHR, s.hi, 11), (F64_BIAS - 2) << 20)),
    };
    struct ir_instr *is_number = f64_op(b, IR_ULT, f64_opc(b, IR_ISUB, class, 1), ir_const(b, F64_INF - 1));
    *exponent_out = f64_sel(b, is_number, f64_opc(b, IR_ISUB, exponent, F64_BIAS - 1), zero);
    return ir_f64_sel(b, is_number, half, x);
}

struct ir_f64 ir_f64_ldexp(struct ir_builder *b, struct ir_f64 x, struct ir_instr *exponent)
{
    struct ir_instr *class = ir_f64_class(b, x), *own;
    struct ir_f64 s = ir_f64_aligned(b, x, f64_opc(b, IR_SHR, class, 20), false, &own);
    /* from the least number to above the greatest takes less than 2200 */
    exponent = f64_opc(b, IR_IMIN, f64_opc(b, IR_IMAX, exponent, -2200u), 2200);
    struct ir_instr *below = f64_opc(b, IR_ISUB, f64_op(b, IR_IADD, own, exponent), 1);
    struct ir_f64 out = ir_f64_round(b, f64_opc(b, IR_AND, x.hi, F64_SIGN), s, below);
    return ir_f64_sel(b, f64_opc(b, IR_ILT, class, F64_INF), out, x);
}
