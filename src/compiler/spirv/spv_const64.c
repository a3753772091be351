/* SPDX-License-Identifier: MIT
 *
 * OpSpecConstantOp on 64-bit integers, computed with the host's. Their code cannot be folded like that of words
 * (spv_const.c), because it contains loops.
 */
#include "compiler/spirv/spv_int64.h"

/* ---------------------------------------------------------------- operations */

static uint64_t divided(uint16_t op, uint64_t x, uint64_t y)
{
    const bool is_negative = x >> 63 && op != SpvOpUDiv && op != SpvOpUMod;
    const bool by_negative = y >> 63 && op != SpvOpUDiv && op != SpvOpUMod;
    if (!y)
        return 0;
    const uint64_t n = is_negative ? 0 - x : x, d = by_negative ? 0 - y : y, q = n / d, r = n % d;
    if (op == SpvOpUDiv || op == SpvOpSDiv)
        return is_negative != by_negative ? 0 - q : q;
    const uint64_t rest = is_negative ? 0 - r : r;
    return op == SpvOpSMod && r && is_negative != by_negative ? rest + y : rest;
}

static uint64_t shifted(uint16_t op, uint64_t x, uint64_t y)
{
    const uint32_t count = y & 63;
    if (op == SpvOpShiftLeftLogical)
        return x << count;
    return op == SpvOpShiftRightArithmetic && x >> 63 ? ~(~x >> count) : x >> count;
}

/* Of signed numbers the order is that of unsigned ones with the sign inverted. */
static uint64_t ordered(uint64_t x)
{
    return x ^ UINT64_C(1) << 63;
}

static bool computed(uint16_t op, uint64_t x, uint64_t y, uint64_t *out)
{
    switch (op) {
    case SpvOpUConvert: case SpvOpSConvert: *out = x; return true;
    case SpvOpSNegate: *out = 0 - x; return true;
    case SpvOpNot: *out = ~x; return true;
    case SpvOpIAdd: *out = x + y; return true;
    case SpvOpISub: *out = x - y; return true;
    case SpvOpIMul: *out = x * y; return true;
    case SpvOpUDiv: case SpvOpSDiv: case SpvOpUMod: case SpvOpSRem: case SpvOpSMod:
        *out = divided(op, x, y);
        return true;
    case SpvOpBitwiseOr: *out = x | y; return true;
    case SpvOpBitwiseXor: *out = x ^ y; return true;
    case SpvOpBitwiseAnd: *out = x & y; return true;
    case SpvOpShiftLeftLogical: case SpvOpShiftRightLogical: case SpvOpShiftRightArithmetic:
        *out = shifted(op, x, y);
        return true;
    case SpvOpIEqual: *out = x == y; return true;
    case SpvOpINotEqual: *out = x != y; return true;
    case SpvOpULessThan: *out = x < y; return true;
    case SpvOpULessThanEqual: *out = x <= y; return true;
    case SpvOpUGreaterThan: *out = x > y; return true;
    case SpvOpUGreaterThanEqual: *out = x >= y; return true;
    case SpvOpSLessThan: *out = ordered(x) < ordered(y); return true;
    case SpvOpSLessThanEqual: *out = ordered(x) <= ordered(y); return true;
    case SpvOpSGreaterThan: *out = ordered(x) > ordered(y); return true;
    case SpvOpSGreaterThanEqual: *out = ordered(x) >= ordered(y); return true;
    default: return false;
    }
}

/* ---------------------------------------------------------------- operands and results */

/* Component `i` of a constant, extended to 64 bits. */
static uint64_t component(struct spv *s, uint32_t id, uint32_t i, bool is_signed)
{
    const struct spv_id *v = &s->ids[id];
    const struct spv_type *number = spv_scalar_of(v->type);
    if (v->kind == SPV_UNDEF)
        return 0;
    if (number->bits == 64)
        return v->words[2 * i] | (uint64_t)v->words[2 * i + 1] << 32;
    const uint64_t top = (uint64_t)v->words[i] << (64 - number->bits);
    return shifted(is_signed ? SpvOpShiftRightArithmetic : SpvOpShiftRightLogical, top, 64 - number->bits);
}

static uint32_t components(const struct spv_type *t)
{
    return t->kind == SPV_TYPE_VECTOR ? t->count : 1;
}

static void check_operand(struct spv *s, uint32_t id, const struct spv_type *result)
{
    const struct spv_id *v = &s->ids[id];
    if (v->kind != SPV_CONSTANT && v->kind != SPV_UNDEF)
        spv_invalid(s, "an operand of OpSpecConstantOp is not a constant");
    const bool has_shape = v->type->kind == SPV_TYPE_INT || v->type->kind == SPV_TYPE_VECTOR;
    if (!has_shape || spv_scalar_of(v->type)->kind != SPV_TYPE_INT || components(v->type) != components(result))
        spv_invalid(s, "an operand is no integer, or has another size than the result");
}

static bool extends_sign(uint16_t op)
{
    return op == SpvOpSConvert || op == SpvOpShiftRightArithmetic;
}

uint32_t *spv_fold_int64(struct spv *s, const struct spv_instr *in)
{
    uint64_t number = 0;
    if (!s->has_64_bit_ints || !computed(in->op, 0, 0, &number) || !spv_uses(s, in, SPV_TYPE_INT, 64))
        return NULL;
    const struct spv_type *type = spv_type(s, in->words[1]), *to = spv_scalar_of(type);
    const bool is_comparison = in->op >= SpvOpIEqual && in->op <= SpvOpSLessThanEqual;
    if ((!spv_is_scalar(type) && type->kind != SPV_TYPE_VECTOR) ||
        to->kind != (is_comparison ? SPV_TYPE_BOOL : SPV_TYPE_INT))
        spv_invalid(s, "the result is not %s", is_comparison ? "a boolean" : "an integer");
    const bool is_unary = in->count == 4;
    for (uint32_t i = 3; i < in->count; i++)
        check_operand(s, in->words[i], type);
    uint32_t *out = util_arena_new_array(s->arena, uint32_t, type->scalars);
    for (uint32_t i = 0; i < components(type); i++) {
        const uint64_t x = component(s, in->words[3], i, extends_sign(in->op));
        computed(in->op, x, is_unary ? 0 : component(s, in->words[4], i, false), &number);
        out[i * to->scalars] = (uint32_t)number;
        if (to->scalars == 2)
            out[2 * i + 1] = (uint32_t)(number >> 32);
    }
    return out;
}
