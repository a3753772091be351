/* SPDX-License-Identifier: MIT
 *
 * Operations on constants. Integers as the chip computes them. Floats are rounded to nearest, where the chip rounds
 * toward zero: never less exact than the chip, and Vulkan asks for no particular rounding. Denormals are flushed, 0 times
 * anything is 0, and where an operation would give a NaN nothing is folded.
 *
 * Not used by the evaluator of the tests, which has its own arithmetic.
 */
#include <math.h>
#include "compiler/ir/ir_pass.h"

static bool float_result(double value, uint32_t *out)
{
    float f = (float)value;
    if (isnan(f))
        return false;
    *out = util_fui(fpclassify(f) == FP_SUBNORMAL ? 0 : f);
    return true;
}

static double in(uint32_t word)
{
    float f = util_uif(word);
    return fpclassify(f) == FP_SUBNORMAL ? 0 : (double)f;
}

static uint32_t to_int(double f)
{
    return f > -2147483649.0 && f < 2147483648.0 ? (uint32_t)(int32_t)f : 0;
}

static uint32_t to_uint(double f)
{
    return f > -1.0 && f < 4294967296.0 ? (uint32_t)f : 0;
}

static bool fold_float(enum ir_op op, double a, double b, uint32_t *out)
{
    switch (op) {
    case IR_FADD:
        return float_result(a + b, out);
    case IR_FSUB:
        return float_result(a - b, out);
    case IR_FMUL:
        return float_result(a == 0 || b == 0 ? 0 : a * b, out);
    case IR_FMIN:
        return float_result(a < b ? a : b, out);
    case IR_FMAX:
        return float_result(a > b ? a : b, out);
    case IR_FMINABS:
        return float_result(fmin(fabs(a), fabs(b)), out);
    case IR_FMAXABS:
        return float_result(fmax(fabs(a), fabs(b)), out);
    case IR_FNEG:
        return float_result(-a, out);
    case IR_FABS:
        return float_result(fabs(a), out);
    case IR_FSAT:
        return float_result(CLAMP(a, 0.0, 1.0), out);
    case IR_FRCP:
        return float_result(1 / a, out);
    case IR_FRSQ:
        return float_result(1 / sqrt(a), out);
    case IR_FSQRT:
        return float_result(sqrt(a), out);
    case IR_FEXP2:
        return float_result(exp2(a), out);
    case IR_FLOG2:
        return float_result(log2(a), out);
    case IR_FDIV:
        return float_result(a / b, out);
    case IR_FPOW:
        return a >= 0 && float_result(pow(a, b), out);
    case IR_FSIN:
        return float_result(sin(a), out);
    case IR_FCOS:
        return float_result(cos(a), out);
    case IR_FFLOOR:
        return float_result(floor(a), out);
    case IR_FCEIL:
        return float_result(ceil(a), out);
    case IR_FTRUNC:
        return float_result(trunc(a), out);
    case IR_FROUND:
        return float_result(a - remainder(a, 1), out);
    case IR_FFRACT:
        return float_result(a - floor(a), out);
    case IR_FMOD:
        return float_result(a - b * floor(a / b), out);
    case IR_FTOI:
        *out = to_int(a);
        return true;
    case IR_FTOU:
        *out = to_uint(a);
        return true;
    case IR_FEQ:
        *out = a == b;
        return true;
    case IR_FNE:
        *out = a != b;
        return true;
    case IR_FLT:
        *out = a < b;
        return true;
    case IR_FGE:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

static uint32_t count_bits(uint32_t x)
{
    return (uint32_t)__builtin_popcount(x);
}

static uint32_t reverse_bits(uint32_t x)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i++)
        out |= (x >> i & 1) << (31 - i);
    return out;
}

static uint32_t saturate_bytes(uint32_t a, uint32_t b, bool subtract)
{
    uint32_t out = 0;
    for (int i = 0; i < 32; i += 8) {
        int x = (int)(a >> i & 0xff), y = (int)(b >> i & 0xff), r = subtract ? x - y : x + y;
        out |= (uint32_t)CLAMP(r, 0, 255) << i;
    }
    return out;
}

static bool fold_int(enum ir_op op, uint32_t a, uint32_t b, uint32_t *out)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    bool overflows = a == 0x80000000 && b == UINT32_MAX;
    switch (op) {
    case IR_IADD:
        *out = a + b;
        return true;
    case IR_ISUB:
        *out = a - b;
        return true;
    case IR_SHR:
        *out = a >> (b & 31);
        return true;
    case IR_ASR:
        *out = (uint32_t)(sa >> (b & 31));
        return true;
    case IR_ROR:
        *out = a >> (b & 31) | a << (-b & 31);
        return true;
    case IR_SHL:
        *out = a << (b & 31);
        return true;
    case IR_IMIN:
        *out = sa < sb ? a : b;
        return true;
    case IR_IMAX:
        *out = sa > sb ? a : b;
        return true;
    case IR_UMIN:
        *out = MIN2(a, b);
        return true;
    case IR_UMAX:
        *out = MAX2(a, b);
        return true;
    case IR_AND:
    case IR_BAND:
        *out = a & b;
        return true;
    case IR_OR:
    case IR_BOR:
        *out = a | b;
        return true;
    case IR_XOR:
    case IR_BXOR:
        *out = a ^ b;
        return true;
    case IR_NOT:
        *out = ~a;
        return true;
    case IR_BNOT:
        *out = !a;
        return true;
    case IR_CLZ:
        *out = a ? (uint32_t)__builtin_clz(a) : 32;
        return true;
    case IR_V8ADDS:
    case IR_V8SUBS:
        *out = saturate_bytes(a, b, op == IR_V8SUBS);
        return true;
    case IR_MUL24:
        *out = (a & 0xffffff) * (b & 0xffffff);
        return true;
    case IR_IMUL:
        *out = a * b;
        return true;
    case IR_UMULH:
        *out = (uint32_t)((uint64_t)a * b >> 32);
        return true;
    case IR_IMULH:
        *out = (uint32_t)((int64_t)sa * sb >> 32);
        return true;
    case IR_UDIV:
        *out = b ? a / b : 0;
        return b != 0;
    case IR_UMOD:
        *out = b ? a % b : 0;
        return b != 0;
    case IR_IDIV:
        *out = !b || overflows ? 0 : (uint32_t)(sa / sb);
        return b && !overflows;
    case IR_IREM:
        *out = !b || overflows ? 0 : (uint32_t)(sa % sb);
        return b && !overflows;
    case IR_IMOD:
        if (!b || overflows)
            return false;
        *out = (uint32_t)(sa % sb);
        if (*out && (*out ^ b) >> 31)
            *out += b;
        return true;
    case IR_BITCOUNT:
        *out = count_bits(a);
        return true;
    case IR_BITREV:
        *out = reverse_bits(a);
        return true;
    case IR_IEQ:
        *out = a == b;
        return true;
    case IR_INE:
        *out = a != b;
        return true;
    case IR_ILT:
        *out = sa < sb;
        return true;
    case IR_IGE:
        *out = sa >= sb;
        return true;
    case IR_ULT:
        *out = a < b;
        return true;
    case IR_UGE:
        *out = a >= b;
        return true;
    case IR_ITOF:
        return float_result(sa, out);
    case IR_UTOF:
        return float_result(a, out);
    case IR_MOV:
        *out = a;
        return true;
    default:
        return false;
    }
}

bool ir_fold(const struct ir_instr *instr, const uint32_t *srcs, uint32_t *word_out)
{
    uint32_t a = instr->src_count > 0 ? srcs[0] : 0, b = instr->src_count > 1 ? srcs[1] : 0;
    if (instr->src_count == 0)
        return false;
    if (instr->op == IR_SEL) {
        *word_out = a ? b : srcs[2];
        return true;
    }
    if (instr->src_count > 2)
        return false;
    if (ir_op_infos[instr->op].flags & IR_F)
        return fold_float(instr->op, in(a), in(b), word_out);
    return fold_int(instr->op, a, b, word_out);
}
