/* SPDX-License-Identifier: MIT
 *
 * Add and multiply units. Each operation is one loop over the lanes, simple enough for the compiler to vectorise.
 *
 * Floats: operands are first converted to what the chip sees (denormals and -0 become +0, NaN becomes infinity of the
 * same sign). The host then computes with rounding toward zero, and the result is fixed up: denormals and -0 become +0;
 * a sum or product of at least 2^128, which the host truncates to the largest finite number, becomes infinity.
 * Sources: rounding [measured: GPU_FFT's errors on a Raspberry Pi, docs/model-gpu.md]; results [guide p.35-36 tables
 * 12, 13]; results and flags for special values are what the VC4C project measured on a Pi. Callers must have called
 * gpu_fp_enter(); compiled with -frounding-math -ffp-contract=off.
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

/* The value that the chip's float units see in a word. */
static inline float operand(uint32_t word)
{
    uint32_t exponent = word & EXPONENT;
    uint32_t kept = word & (mask_if(exponent != EXPONENT) | SIGN | EXPONENT);

    return util_uif(kept & mask_if(exponent != 0));
}

static inline uint32_t flush_denormal(float value)
{
    uint32_t word = util_fui(value);

    return word & mask_if((word & EXPONENT) != 0);
}

/* Results that need a fix-up: overflow (the host gives the largest finite number) and Inf - Inf (NaN). */
static inline uint32_t is_special(uint32_t word)
{
    return mask_if((word & ~SIGN) == LARGEST) | mask_if((word & ~SIGN) > EXPONENT);
}

/* Inf - Inf is not documented; by analogy with two NaNs, the sign of the second operand decides. UNVERIFIED, decided
 * here. */
static void fix_special_sums(const union gpu_vec *a, const union gpu_vec *b, uint32_t b_flip, union gpu_vec *out)
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
    uint32_t special = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flush_denormal(operand(a->u[l]) + operand(b->u[l]));
        special |= is_special(out->u[l]);
    }
    if (UTIL_UNLIKELY(special))
        fix_special_sums(a, b, 0, out);
}

static void add_fsub(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    uint32_t special = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flush_denormal(operand(a->u[l]) - operand(b->u[l]));
        special |= is_special(out->u[l]);
    }
    if (UTIL_UNLIKELY(special))
        fix_special_sums(a, b, SIGN, out);
}

/* 0 * x is 0, also for infinite x. */
static void mul_fmul(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    uint32_t special = 0;

    for (unsigned l = 0; l < QPU_LANES; l++) {
        out->u[l] = flush_denormal(operand(a->u[l]) * operand(b->u[l]));
        special |= is_special(out->u[l]);
    }
    if (UTIL_LIKELY(!special))
        return;
    for (unsigned l = 0; l < QPU_LANES; l++) {
        float x = operand(a->u[l]), y = operand(b->u[l]);
        if ((out->u[l] & ~SIGN) > EXPONENT)
            out->u[l] = 0;
        else if ((out->u[l] & ~SIGN) == LARGEST && fabs((double)x * (double)y) >= 0x1p128)
            out->u[l] = EXPONENT | (out->u[l] & SIGN);
    }
}

/* Maps a float to an integer so that -NaN < -Inf < ... < +Inf < +NaN; both zeros are equal. */
static inline int32_t float_order(uint32_t word)
{
    int32_t magnitude = (int32_t)(word & ~SIGN);

    return word & SIGN ? -magnitude : magnitude;
}

/* The chosen operand is returned unchanged. When both are equal, fmin returns the first and fmax the second. */
static void add_fmin(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = float_order(a->u[l]) > float_order(b->u[l]) ? b->u[l] : a->u[l];
}

static void add_fmax(const union gpu_vec *a, const union gpu_vec *b, union gpu_vec *out)
{
    for (unsigned l = 0; l < QPU_LANES; l++)
        out->u[l] = float_order(a->u[l]) > float_order(b->u[l]) ? a->u[l] : b->u[l];
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

/* Values out of range, infinity and NaN give 0, but magnitudes below 2^32 give their low 32 bits, as if the result were
 * unsigned [VC4C, which also has 0x80000000 for the largest numbers; measured on a Raspberry Pi 3: Mesa's integer
 * division by 1 computes ftoi(4294966784.0) and passes dEQP-GLES2]. UNVERIFIED for negative values. */
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

/* (x * y + 127) / 255. The division uses a form without multiplication, exact for dividends below 65535. */
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

/* The last bit shifted out; 0 for a shift by 0. */
static inline uint32_t carry_of_shift(uint32_t a, uint32_t b, bool left)
{
    uint32_t by = b & 31;

    return by ? a >> (left ? 32 - by : by - 1) & 1 : 0;
}

#define CARRY(condition)                                                                                               \
    for (unsigned l = 0; l < QPU_LANES; l++)                                                                           \
    carry_out->u[l] = mask_if(condition)

/* itof: sources disagree between "operand > 0" and 0. UNVERIFIED, decided here. */
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
        CARRY(float_order(a->u[l]) > float_order(b->u[l]));
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

/* mul24: carry means that the product needs more than 32 bits; another source says more than 24. UNVERIFIED, decided
 * here. */
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
