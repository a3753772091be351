/* SPDX-License-Identifier: MIT
 *
 * Integer dot products: OpSDot, OpUDot, OpSUDot and those that add to an accumulator with saturation. Components are
 * extended, multiplied and added as words, or as pairs of words where the result has 64 bits.
 *
 * Bytes are the fast case: the chip unpacks them for free, and a product of bytes is one 24-bit multiplication. Its
 * 8-bit vector operations do not help: their product is divided by 255.
 */
#include "compiler/lower/lower_i64.h"
#include "compiler/spirv/spv_small.h"

struct dot {
    struct spv *s;
    const struct spv_type *result;
    uint32_t components, bits; /* of the vectors */
    bool is_packed, is_signed[2];
    struct ir_instr **x[2];
};

static struct ir_instr *op2(struct ir_builder *b, enum ir_op op, struct ir_instr *x, struct ir_instr *y)
{
    return ir_build2(b, op, x, y);
}

static struct ir_instr *op_c(struct ir_builder *b, enum ir_op op, struct ir_instr *x, uint32_t word)
{
    return ir_build2(b, op, x, ir_const(b, word));
}

/* ---------------------------------------------------------------- components */

/* Byte `i` of a word. The chip extends bytes with zeros only, so signed ones are moved to 0 to 255 and back. */
static struct ir_instr *packed_byte(struct ir_builder *b, struct ir_instr *word, uint32_t i, bool is_signed)
{
    struct ir_instr *byte = ir_build1(b, IR_UNPACK_I, is_signed ? op_c(b, IR_XOR, word, 0x80808080) : word);
    byte->imm = 2 + i;
    return is_signed ? op_c(b, IR_ISUB, byte, 128) : byte;
}

/* Component `i` of vector `which`, as a word; of components with 64 bits the low one. */
static struct ir_instr *component(const struct dot *d, uint32_t which, uint32_t i)
{
    struct ir_builder *b = &d->s->b;
    if (d->is_packed)
        return packed_byte(b, d->x[which][0], i, d->is_signed[which]);
    return spv_extended(b, d->x[which][i * (d->bits == 64 ? 2 : 1)], d->bits, d->is_signed[which]);
}

static struct ir_f64 wide_component(const struct dot *d, uint32_t which, uint32_t i)
{
    struct ir_builder *b = &d->s->b;
    struct ir_f64 w = {.lo = component(d, which, i)};
    if (d->bits == 64)
        w.hi = d->x[which][2 * i + 1];
    else
        w.hi = d->is_signed[which] ? op_c(b, IR_ASR, w.lo, 31) : ir_const(b, 0);
    return w;
}

/* ---------------------------------------------------------------- sums of words */

/* Products of bytes need 17 bits with their sign, sums of four 19. So the low 24 bits of 24-bit products, which do not
 * know signs, hold the whole sum. */
static struct ir_instr *byte_products(const struct dot *d)
{
    struct ir_builder *b = &d->s->b;
    struct ir_instr *sum = NULL;
    for (uint32_t i = 0; i < d->components; i++) {
        struct ir_instr *product = op2(b, IR_MUL24, component(d, 0, i), component(d, 1, i));
        sum = sum ? op2(b, IR_IADD, sum, product) : product;
    }
    return d->is_signed[0] || d->is_signed[1] ? spv_extended(b, sum, 24, true) : sum;
}

static struct ir_instr *word_products(const struct dot *d)
{
    struct ir_builder *b = &d->s->b;
    struct ir_instr *sum = NULL;
    for (uint32_t i = 0; i < d->components; i++) {
        struct ir_instr *product = op2(b, IR_IMUL, component(d, 0, i), component(d, 1, i));
        sum = sum ? op2(b, IR_IADD, sum, product) : product;
    }
    return sum;
}

/* x + y of results below 32 bits, kept in the range of the result. */
static struct ir_instr *saturated_narrow(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, uint32_t bits,
                                         bool is_signed)
{
    struct ir_instr *sum = op2(b, IR_IADD, spv_extended(b, x, bits, is_signed), spv_extended(b, y, bits, is_signed));
    const uint32_t top = (1u << (is_signed ? bits - 1 : bits)) - 1;
    if (is_signed)
        sum = op_c(b, IR_IMAX, sum, ~top);
    return op_c(b, IR_IMIN, sum, top);
}

/* All bits set where the signed sum of x and y overflows: both have the sign that the sum has not. */
static struct ir_instr *overflow(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, struct ir_instr *sum)
{
    return op_c(b, IR_ASR, op2(b, IR_AND, op2(b, IR_XOR, x, sum), op2(b, IR_XOR, y, sum)), 31);
}

static struct ir_instr *saturated(struct ir_builder *b, struct ir_instr *x, struct ir_instr *y, bool is_signed)
{
    struct ir_instr *sum = op2(b, IR_IADD, x, y);
    if (!is_signed)
        return ir_build3(b, IR_SEL, op2(b, IR_ULT, sum, x), ir_const(b, UINT32_MAX), sum);
    struct ir_instr *limit = op_c(b, IR_XOR, op_c(b, IR_ASR, x, 31), INT32_MAX);
    return ir_build3(b, IR_SEL, op_c(b, IR_INE, overflow(b, x, y, sum), 0), limit, sum);
}

/* ---------------------------------------------------------------- sums of pairs of words */

static struct ir_f64 wide_products(const struct dot *d)
{
    struct ir_builder *b = &d->s->b;
    struct ir_f64 sum = {NULL, NULL};
    for (uint32_t i = 0; i < d->components; i++) {
        struct ir_f64 product = ir_i64_mul(b, wide_component(d, 0, i), wide_component(d, 1, i));
        sum = sum.lo ? ir_i64_add(b, sum, product) : product;
    }
    return sum;
}

static struct ir_f64 saturated_wide(struct ir_builder *b, struct ir_f64 x, struct ir_f64 y, bool is_signed)
{
    struct ir_f64 sum = ir_i64_add(b, x, y), limit = {ir_const(b, UINT32_MAX), ir_const(b, UINT32_MAX)};
    struct ir_instr *overflows;
    if (is_signed) {
        struct ir_instr *sign = op_c(b, IR_ASR, x.hi, 31);
        overflows = op_c(b, IR_INE, overflow(b, x.hi, y.hi, sum.hi), 0);
        limit = (struct ir_f64){ir_build1(b, IR_NOT, sign), op_c(b, IR_XOR, sign, INT32_MAX)};
    } else {
        overflows = ir_i64_ult(b, sum, x);
    }
    return ir_f64_sel(b, overflows, limit, sum);
}

/* ---------------------------------------------------------------- instructions */

static bool accumulates(uint16_t op)
{
    return op == SpvOpSDotAccSat || op == SpvOpUDotAccSat || op == SpvOpSUDotAccSat;
}

static void read_vectors(struct dot *d, const struct spv_instr *in)
{
    struct spv *s = d->s;
    const struct spv_type *x = spv_type_of(s, in->words[3]), *y = spv_type_of(s, in->words[4]);
    const struct spv_type *number = x->kind == SPV_TYPE_VECTOR ? x->elem : x;
    const uint32_t format = accumulates(in->op) ? 6 : 5;
    if (x->kind != y->kind || x->scalars != y->scalars || number->kind != SPV_TYPE_INT ||
        spv_scalar_of(y)->kind != SPV_TYPE_INT || spv_scalar_of(y)->bits != number->bits)
        spv_invalid(s, "the operands are not two vectors of integers of one size");
    d->is_packed = x->kind == SPV_TYPE_INT;
    if (d->is_packed && (number->bits != 32 || in->count <= format || in->words[format] != 0))
        spv_invalid(s, "packed operands must be 32-bit integers with the format PackedVectorFormat4x8Bit");
    d->components = d->is_packed ? 4 : x->count;
    d->bits = d->is_packed ? 8 : number->bits;
    d->x[0] = spv_value(s, in->words[3]);
    d->x[1] = spv_value(s, in->words[4]);
}

/* Sums of words have no high word. */
static struct ir_f64 sum_of(const struct dot *d)
{
    if (d->result->bits == 64)
        return wide_products(d);
    return (struct ir_f64){.lo = d->bits == 8 ? byte_products(d) : word_products(d)};
}

static struct ir_f64 accumulated(const struct dot *d, struct ir_f64 sum, struct ir_instr *const *more)
{
    struct ir_builder *b = &d->s->b;
    const bool is_signed = d->is_signed[0];
    if (d->result->bits == 64)
        return saturated_wide(b, sum, (struct ir_f64){more[0], more[1]}, is_signed);
    if (d->result->bits == 32)
        return (struct ir_f64){.lo = saturated(b, sum.lo, more[0], is_signed)};
    return (struct ir_f64){.lo = saturated_narrow(b, sum.lo, more[0], d->result->bits, is_signed)};
}

bool spv_translate_dot(struct spv *s, const struct spv_instr *in)
{
    if (in->op < SpvOpSDot || in->op > SpvOpSUDotAccSat)
        return false;
    struct dot d = {.s = s, .result = spv_type(s, in->words[1])};
    d.is_signed[0] = in->op != SpvOpUDot && in->op != SpvOpUDotAccSat;
    d.is_signed[1] = in->op == SpvOpSDot || in->op == SpvOpSDotAccSat;
    read_vectors(&d, in);
    if (d.result->kind != SPV_TYPE_INT || d.result->bits < d.bits)
        spv_invalid(s, "the result is not an integer at least as wide as the components");
    struct ir_f64 sum = sum_of(&d);
    if (accumulates(in->op)) {
        if (spv_type_of(s, in->words[5])->kind != SPV_TYPE_INT || spv_type_of(s, in->words[5])->bits != d.result->bits)
            spv_invalid(s, "the accumulator has another type than the result");
        sum = accumulated(&d, sum, spv_value(s, in->words[5]));
    }
    struct ir_instr **out = spv_define(s, in->words[2], d.result, NULL);
    out[0] = spv_extended(&s->b, sum.lo, d.result->bits, d.result->is_signed);
    if (d.result->bits == 64)
        out[1] = sum.hi;
    return true;
}
