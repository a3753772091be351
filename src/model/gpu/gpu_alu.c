/* SPDX-License-Identifier: MIT
 *
 * Add and multiply units. Each operation is one loop over the lanes, plain enough for the compiler to vectorise.
 *
 * Floats: operands are first made what the chip sees (denormals and -0 as +0, NaN as infinity of its sign), the host
 * computes with rounding toward zero, and the result is cleaned up: denormals and -0 become +0; a sum or product of at
 * least 2^128, which the host truncates to the largest finite number, becomes infinity.
 * Sources: rounding [measured: GPU_FFT's errors on a Raspberry Pi, docs/model-gpu.md]; results [guide p.35-36 tables 12,
 * 13]; values and flags of the corners are what the VC4C project measured on a Pi. Relies on gpu_fp_enter(); compiled with -frounding-math -ffp-contract=off.
 */
#include <math.h>
#include "model/gpu/gpu_alu.h"

#define SIGN     0x80000000u
#define EXPONENT 0x7f800000u
#define LARGEST  0x7f7fffffu

static inline uint32_t mask_if(bool condition)
{
    return 0u - (uint32_t)condition;
}

/* -- floats ------------------------------------------------------------------------------------------------------- */

/* What the chip's float units see in a word. */
static inline float operand(uint32_t word)
{
    uint32_t exponent = word & EXPONENT;
    uint32_t kept = word & (mask_if(exponent != EXPONENT) | SIGN | EXPONENT);

    return util_uif(kept & mask_if(exponent != 0));
}

static inline uint32_t flushed(float value)
{
    uint32_t word = util_fui(value);

    return word & mask_if((word & EXPONENT) != 0);
}

/* Lanes that need more than the host's operation gives: overflow (seen as the largest number) and Inf - Inf. */
static inline uint32_t is_corner(uint32_t word)
{
    return mask_if((word & ~SIGN) == LARGEST) | mask_if((word & ~SIGN) > EXPONENT);
}

/* Inf - Inf: no source says; by analogy with two NaNs the second operand decides. UNVERIFIED, decided here. */
static void fix_sum(const union gpu_vec *a, const union gpu_vec *b, uint32_t b_flip, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t b_word = b->u[l] ^ b_flip;
        if ((out->u[l] & ~SIGN) > EXPONENT)
            out->u[l] = EXPONENT | (b_word & SIGN);
        else if ((out->u[l] & ~SIGN) == LARGEST && fabs((double)operand(a->u[l]) + (double)operand(b_word)) >= 0x1p128)
            out->u[l] = EXPONENT | (out->u[l] & SIGN);
    }
}

static void add_fadd(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    uint32_t corner = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flushed(operand(a->u[l]) + operand(b->u[l]));
        corner |= is_corner(out->u[l]);
    }
    if (UTIL_UNLIKELY(corner))
        fix_sum(a, b, 0, out);
}

static void add_fsub(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    uint32_t corner = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flushed(operand(a->u[l]) - operand(b->u[l]));
        corner |= is_corner(out->u[l]);
    }
    if (UTIL_UNLIKELY(corner))
        fix_sum(a, b, SIGN, out);
}

/* 0 * x is 0 even for infinities. */
static void mul_fmul(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    uint32_t corner = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flushed(operand(a->u[l]) * operand(b->u[l]));
        corner |= is_corner(out->u[l]);
    }
    if (UTIL_LIKELY(!corner))
        return;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        float x = operand(a->u[l]), y = operand(b->u[l]);
        if ((out->u[l] & ~SIGN) > EXPONENT)
            out->u[l] = 0;
        else if ((out->u[l] & ~SIGN) == LARGEST && fabs((double)x * (double)y) >= 0x1p128)
            out->u[l] = EXPONENT | (out->u[l] & SIGN);
    }
}

/* Words in the order -NaN < -Inf < ... < +Inf < +NaN, both zeros equal. */
static inline int32_t order(uint32_t word)
{
    int32_t magnitude = (int32_t)(word & ~SIGN);

    return word & SIGN ? -magnitude : magnitude;
}

/* The operand chosen is passed on unchanged; of equals fmin gives the first and fmax the second. */
static void add_fmin(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = order(a->u[l]) > order(b->u[l]) ? b->u[l] : a->u[l];
}

static void add_fmax(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = order(a->u[l]) > order(b->u[l]) ? a->u[l] : b->u[l];
}

static void add_fminabs(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = MIN2(a->u[l] & ~SIGN, b->u[l] & ~SIGN);
}

static void add_fmaxabs(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = MAX2(a->u[l] & ~SIGN, b->u[l] & ~SIGN);
}

/* Out of range, infinity and NaN give 0, but magnitudes below 2^32 give their low 32 bits, as if the result were
 * unsigned [VC4C, which also has 0x80000000 for the largest numbers; measured on a Raspberry Pi 3: Mesa's integer
 * division by 1 takes ftoi(4294966784.0) and passes dEQP-GLES2]. UNVERIFIED: the negative ones. */
static void add_ftoi(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint32_t magnitude = a->u[l] & ~SIGN;
        uint32_t small = (uint32_t)(int32_t)util_uif(a->u[l] & mask_if(magnitude < 0x4f000000u)); /* 2^31 */
        uint32_t large = (a->u[l] << 8 | SIGN) & mask_if(magnitude >= 0x4f000000u && magnitude < 0x4f800000u);
        uint32_t flip = mask_if(a->u[l] >> 31);
        out->u[l] = small | ((large ^ flip) - flip);
    }
}

static void add_itof(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->f[l] = (float)a->i[l];
}

/* -- integers ----------------------------------------------------------------------------------------------------- */

#define LANEWISE(name, expression)                                                                                     \
    static void name(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)                               \
    {                                                                                                                  \
        for (unsigned l = 0; l < QPU_LANES; l++)                                                                       \
            out->u[l] = (uint32_t)(expression);                                                                        \
    }

LANEWISE(add_add, a->u[l] + b->u[l])
LANEWISE(add_sub, a->u[l] - b->u[l])
LANEWISE(add_shr, a->u[l] >> (b->u[l] & 31))
LANEWISE(add_asr, a->i[l] >> (b->u[l] & 31))
LANEWISE(add_ror, a->u[l] >> (b->u[l] & 31) | a->u[l] << (-b->u[l] & 31))
LANEWISE(add_shl, a->u[l] << (b->u[l] & 31))
LANEWISE(add_min, MIN2(a->i[l], b->i[l]))
LANEWISE(add_max, MAX2(a->i[l], b->i[l]))
LANEWISE(add_and, a->u[l] & b->u[l])
LANEWISE(add_or, a->u[l] | b->u[l])
LANEWISE(add_xor, a->u[l] ^ b->u[l])
LANEWISE(add_not, ~a->u[l])
LANEWISE(add_clz, a->u[l] ? __builtin_clz(a->u[l]) : 32)
LANEWISE(mul_mul24, (a->u[l] & 0xffffff) * (b->u[l] & 0xffffff))

#define BYTEWISE(name, expression)                                                                                     \
    static void name(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)                               \
    {                                                                                                                  \
        for (unsigned n = 0; n < 4 * QPU_LANES; n++) {                                                                 \
            unsigned x = a->byte[n], y = b->byte[n];                                                                   \
            out->byte[n] = (uint8_t)(expression);                                                                      \
        }                                                                                                              \
    }

BYTEWISE(v8adds, MIN2(x + y, 255))
BYTEWISE(v8subs, x > y ? x - y : 0)
BYTEWISE(v8min, MIN2(x, y))
BYTEWISE(v8max, MAX2(x, y))

/* (x * y + 127) / 255, the division as an exact multiplication-free form for dividends below 65535. */
static void mul_v8muld(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned n = 0; n < 4 * QPU_LANES; n++) {
        unsigned dividend = a->byte[n] * b->byte[n] + 127u;
        out->byte[n] = (uint8_t)((dividend + 1 + (dividend >> 8)) >> 8);
    }
}

gpu_alu_fn gpu_add_fn(unsigned op)
{
    static const gpu_alu_fn fns[32] = {
        [QPU_A_FADD] = add_fadd,       [QPU_A_FSUB] = add_fsub,       [QPU_A_FMIN] = add_fmin, [QPU_A_FMAX] = add_fmax,
        [QPU_A_FMINABS] = add_fminabs, [QPU_A_FMAXABS] = add_fmaxabs, [QPU_A_FTOI] = add_ftoi, [QPU_A_ITOF] = add_itof,
        [QPU_A_ADD] = add_add,         [QPU_A_SUB] = add_sub,         [QPU_A_SHR] = add_shr,   [QPU_A_ASR] = add_asr,
        [QPU_A_ROR] = add_ror,         [QPU_A_SHL] = add_shl,         [QPU_A_MIN] = add_min,   [QPU_A_MAX] = add_max,
        [QPU_A_AND] = add_and,         [QPU_A_OR] = add_or,           [QPU_A_XOR] = add_xor,   [QPU_A_NOT] = add_not,
        [QPU_A_CLZ] = add_clz,         [QPU_A_V8ADDS] = v8adds,       [QPU_A_V8SUBS] = v8subs,
    };

    return op < ARRAY_SIZE(fns) ? fns[op] : NULL;
}

gpu_alu_fn gpu_mul_fn(unsigned op)
{
    static const gpu_alu_fn fns[8] = {
        [QPU_M_FMUL] = mul_fmul, [QPU_M_MUL24] = mul_mul24, [QPU_M_V8MULD] = mul_v8muld, [QPU_M_V8MIN] = v8min,
        [QPU_M_V8MAX] = v8max,   [QPU_M_V8ADDS] = v8adds,   [QPU_M_V8SUBS] = v8subs,
    };

    return op < ARRAY_SIZE(fns) ? fns[op] : NULL;
}

/* -- flags -------------------------------------------------------------------------------------------------------- */

/* The last bit that leaves; 0 for a shift by 0. */
static inline uint32_t carry_of_shift(uint32_t a, uint32_t b, bool left)
{
    uint32_t by = b & 31;

    return by ? a >> (left ? 32 - by : by - 1) & 1 : 0;
}

#define CARRY(condition)                                                                                               \
    for (unsigned l = 0; l < QPU_LANES; l++)                                                                           \
    carry_out->u[l] = mask_if(condition)

/* itof: sources differ between "operand > 0" and 0. UNVERIFIED, decided here. */
void gpu_add_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, const union gpu_vec *result,
                   union gpu_vec *carry_out)
{
    switch (op) {
    case QPU_A_FADD:
    case QPU_A_FSUB:
        CARRY(result->i[l] > 0);
        break;
    case QPU_A_FMIN:
    case QPU_A_FMAX:
        CARRY(order(a->u[l]) > order(b->u[l]));
        break;
    case QPU_A_FMINABS:
    case QPU_A_FMAXABS:
        CARRY((a->u[l] & ~SIGN) > (b->u[l] & ~SIGN));
        break;
    case QPU_A_ITOF:
        CARRY(a->i[l] > 0);
        break;
    case QPU_A_ADD:
        CARRY(result->u[l] < a->u[l]);
        break;
    case QPU_A_SUB:
        CARRY(a->u[l] < b->u[l]);
        break;
    case QPU_A_SHR:
    case QPU_A_ASR:
        CARRY(carry_of_shift(a->u[l], b->u[l], false));
        break;
    case QPU_A_SHL:
        CARRY(carry_of_shift(a->u[l], b->u[l], true));
        break;
    case QPU_A_MIN:
    case QPU_A_MAX:
        CARRY(a->i[l] > b->i[l]);
        break;
    default:
        CARRY(false);
        break;
    }
}

/* mul24: the product needs more than 32 bits; another source says more than 24. UNVERIFIED, decided here. */
void gpu_mul_carry(unsigned op, const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *carry_out)
{
    if (op != QPU_M_MUL24) {
        gpu_vec_splat(carry_out, 0);
        return;
    }
    for (unsigned l = 0; l < QPU_LANES; l++) {
        uint64_t product = (uint64_t)(a->u[l] & 0xffffff) * (b->u[l] & 0xffffff);
        carry_out->u[l] = mask_if(product >> 32);
    }
}

void gpu_add_saturate(unsigned op, unsigned pack, const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *result)
{
    bool halves = pack == QPU_PACK_A_16A || pack == QPU_PACK_A_16B;
    int32_t low = halves ? INT16_MIN : INT32_MIN, high = halves ? INT16_MAX : INT32_MAX;

    if (op != QPU_A_ADD && op != QPU_A_SUB)
        return;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        int64_t exact = op == QPU_A_ADD ? (int64_t)a->i[l] + b->i[l] : (int64_t)a->i[l] - b->i[l];
        if (exact != result->i[l])
            result->i[l] = b->i[l] < 0 ? low : high;
    }
}

void gpu_rotate(const union gpu_vec *in, unsigned by, bool full, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++) {
        unsigned to = full ? (l + by) & 15 : (l & ~3u) | ((l + by) & 3);
        out->u[to] = in->u[l];
    }
}
