/* SPDX-License-Identifier: MIT
 *
 * The functions of the special function unit as lines between points, in two sets: one as precise as the chip was
 * measured to be, and one, selected by VC4VK_DEBUG=worst-sfu, as imprecise as the available notes allow. gpu_sfu.c and
 * jit_sfu.c use the selected set.
 *
 * What is known of the chip:
 *   - Tests written on it require relative errors of at most 1e-4 of the reciprocal, the inverse root and 2^x for
 *     random numbers between 0 and 1, and pass there [py-videocore, test_sfu.py]. The first set achieves that.
 *   - Measured values [VC4C, accuracy.txt] have relative errors of up to 3.5e-5 for 2^x, and errors of up to 6.8e-5 for
 *     log2. recip(recip(2)) is 2.000183, so a reciprocal has an error of at least 4.6e-5; recip(recip(1)) is 1. 2^x is
 *     not exact for integers (2^1 = 2.00006); log2 is exact for 1, 2, 4, and 2^-16 too large for numbers below 1. The
 *     worst errors of the first set are no smaller than these.
 *   - The same page counts the leading bits that a value and its reference have in common: 10 for recip, 12 for rsqrt
 *     and log2, 11 for 2^x. This is no bound on the error (0.9999 and 1 have few bits in common), but it is the most
 *     pessimistic reading. The second set has errors of that size, so that the compiler's refinement is tested against
 *     them.
 *
 * In which bits the results are wrong is not known. Points are in 0.31 fixed point.
 */
#include "model/gpu/gpu_sfu.h"
#include "util/debug.h"

/* -- as measured -------------------------------------------------------------------------------------------------- */

/* 1 / (1 + x): 64 lines, relative error up to 6.1e-5 */
static const uint32_t recip_points[] = {
    0x80000000, 0x7e07e07e, 0x7c1f07c1, 0x7a44c6af, 0x78787878, 0x76b981da, 0x75075075, 0x73615a24, 0x71c71c71,
    0x70381c0e, 0x6eb3e453, 0x6d3a06d3, 0x6bca1af2, 0x6a63bd81, 0x69069069, 0x67b23a54, 0x66666666, 0x6522c3f3,
    0x63e7063e, 0x62b2e43d, 0x61861861, 0x60606060, 0x5f417d05, 0x5e293205, 0x5d1745d1, 0x5c0b8170, 0x5b05b05b,
    0x5a05a05a, 0x590b2164, 0x58160581, 0x572620ae, 0x563b48c2, 0x55555555, 0x54741fab, 0x5397829c, 0x52bf5a81,
    0x51eb851e, 0x511be195, 0x50505050, 0x4f88b2f3, 0x4ec4ec4e, 0x4e04e04e, 0x4d4873ec, 0x4c8f8d28, 0x4bda12f6,
    0x4b27ed36, 0x4a7904a7, 0x49cd42e2, 0x49249249, 0x487ede04, 0x47dc11f7, 0x473c1ab6, 0x469ee584, 0x46046046,
    0x456c797d, 0x44d72044, 0x44444444, 0x43b3d5af, 0x4325c53e, 0x429a0429, 0x42108421, 0x4189374b, 0x41041041,
    0x40810204, 0x40000000,
};

/* 1 / sqrt(1 + x), then 1 / sqrt(2 + 2x): 32 lines each. All points except the first and the last are lowered by half
 * of a line's error: up to 6.9e-5 next to the first, 4.6e-5 elsewhere. */
static const uint32_t rsqrt_points[] = {
    0x80000000, 0x7e0a4e8f, 0x7c2c5724, 0x7a63007d, 0x78acd969, 0x770893dc, 0x757500c0, 0x73f10c5f, 0x727bbb46,
    0x7114279c, 0x6fb97ec9, 0x6e6aff74, 0x6d27f7ba, 0x6befc3a2, 0x6ac1cbbc, 0x699d83ef, 0x68826a66, 0x677006a0,
    0x6665e892, 0x6563a7ed, 0x6468e371, 0x6375404f, 0x628869a4, 0x61a20ff8, 0x60c1e8d1, 0x5fe7ae4d, 0x5f131ec6,
    0x5e43fc7e, 0x5d7a0d55, 0x5cb51a87, 0x5bf4f067, 0x5b395e2b, 0x5a8235b8, 0x5a816a12, 0x591fb972, 0x57cdc045,
    0x568a5d29, 0x55548b0f, 0x542b5dc2, 0x530dfef2, 0x51fbaba8, 0x50f3b21a, 0x4ff56fbf, 0x4f004fad, 0x4e13c92f,
    0x4d2f5e79, 0x4c529b9b, 0x4b7d157e, 0x4aae6914, 0x49e63a8d, 0x492434b3, 0x4868084e, 0x47b16b9b, 0x470019d6,
    0x4653d2ca, 0x45ac5a6e, 0x45097893, 0x446af88f, 0x43d0a8f8, 0x433a5b61, 0x42a7e422, 0x42191a23, 0x418dd6a8,
    0x4105f529, 0x40815324, 0x40000000,
};

/* 2^x * (1 + 2^-15) - 1: 64 lines, relative error up to 4.6e-5 */
static const uint32_t exp2_points[] = {
    0x00010000, 0x0165d4bd, 0x02ce8c33, 0x043b3137, 0x05abcebd, 0x07206fd5, 0x08991fb0, 0x0a15e99e, 0x0b96d90f,
    0x0d1bf991, 0x0ea556d3, 0x1032fca6, 0x11c4f6fb, 0x135b51e3, 0x14f61992, 0x16955a5f, 0x183920c1, 0x19e17953,
    0x1b8e70d4, 0x1d401424, 0x1ef6704a, 0x20b19270, 0x227187e3, 0x24365e18, 0x260022a7, 0x27cee350, 0x29a2adf7,
    0x2b7b90aa, 0x2d59999a, 0x2f3cd724, 0x312557c9, 0x33132a36, 0x35065d3d, 0x36feffde, 0x38fd213e, 0x3b00d0b0,
    0x3d0a1db0, 0x3f1917e5, 0x412dcf23, 0x43485367, 0x4568b4df, 0x478f03e3, 0x49bb50f9, 0x4bedacd7, 0x4e26285e,
    0x5064d4a1, 0x52a9c2e2, 0x54f50492, 0x5746ab54, 0x599ec8fc, 0x5bfd6f8f, 0x5e62b144, 0x60cea085, 0x63414ff1,
    0x65bad259, 0x683b3ac3, 0x6ac29c69, 0x6d510abd, 0x6fe69965, 0x72835c3f, 0x75276760, 0x77d2cf14, 0x7a85a7e2,
    0x7d400689, 0x7fffffff,
};

/* log2(1 + x): 64 lines, error up to 4.4e-5, plus the truncation to 15 fraction bits */
static const uint32_t log2_points[] = {
    0x00000000, 0x02dcf2d0, 0x05aeb4dd, 0x08759c4f, 0x0b31fb7d, 0x0de42120, 0x108c588c, 0x132ae9e2, 0x15c01a39,
    0x184c2bd0, 0x1acf5e2d, 0x1d49ee4c, 0x1fbc16b9, 0x22260fb5, 0x24880f56, 0x26e2499d, 0x2934f097, 0x2b803473,
    0x2dc4439b, 0x30014ac6, 0x32377512, 0x3466ec14, 0x368fd7ee, 0x38b25f5a, 0x3acea7c0, 0x3ce4d543, 0x3ef50ad1,
    0x40ff6a2e, 0x43041403, 0x450327ea, 0x46fcc47a, 0x48f10750, 0x4ae00d1c, 0x4cc9f1aa, 0x4eaecfea, 0x508ec1fa,
    0x5269e12f, 0x5440461c, 0x5612089a, 0x57df3fd0, 0x59a80239, 0x5b6c65a9, 0x5d2c7f59, 0x5ee863e4, 0x60a02756,
    0x6253dd2c, 0x64039858, 0x65af6b4a, 0x675767f5, 0x68fb9fce, 0x6a9c23d6, 0x6c39049a, 0x6dd2523d, 0x6f681c73,
    0x70fa728b, 0x72896372, 0x7414fdb4, 0x759d4f80, 0x772266ac, 0x78a450b8, 0x7a231acd, 0x7b9ed1c6, 0x7d17822f,
    0x7e8d3845, 0x80000000,
};

/* -- the worst case ----------------------------------------------------------------------------------------------- */

/* 32 lines, relative error up to 2^-12.0 */
static const uint32_t worst_recip_points[] = {
    0x80000000, 0x7c1f07c1, 0x78787878, 0x75075075, 0x71c71c71, 0x6eb3e453, 0x6bca1af2, 0x69069069, 0x66666666,
    0x63e7063e, 0x61861861, 0x5f417d05, 0x5d1745d1, 0x5b05b05b, 0x590b2164, 0x572620ae, 0x55555555, 0x5397829c,
    0x51eb851e, 0x50505050, 0x4ec4ec4e, 0x4d4873ec, 0x4bda12f6, 0x4a7904a7, 0x49249249, 0x47dc11f7, 0x469ee584,
    0x456c797d, 0x44444444, 0x4325c53e, 0x42108421, 0x41041041, 0x40000000,
};

/* 16 lines each, relative error up to 2^-11.4 */
static const uint32_t worst_rsqrt_points[] = {
    0x80000000, 0x7c2da123, 0x78adf777, 0x7575faa4, 0x727c9716, 0x6fba415b, 0x6d28a4f0, 0x6ac266ba, 0x6882f5c0,
    0x66666666, 0x64695585, 0x6288d173, 0x60c2479a, 0x5f137598, 0x5d7a5d1a, 0x5bf539e4, 0x5a827999, 0x5a827999,
    0x57cea99c, 0x55555555, 0x530eafa4, 0x50f44d89, 0x4f00d943, 0x4d2fd8f4, 0x4b7d8317, 0x49e69d16, 0x48686147,
    0x47006a80, 0x45aca3d5, 0x446b3b95, 0x433a98c5, 0x4219528b, 0x41062920, 0x40000000,
};

/* 16 lines, relative error up to 2^-11.8 */
static const uint32_t worst_exp2_points[] = {
    0x00010000, 0x05abcebd, 0x0b96d90f, 0x11c4f6fb, 0x183920c1, 0x1ef6704a, 0x260022a7, 0x2d59999a, 0x35065d3d,
    0x3d0a1db0, 0x4568b4df, 0x4e26285e, 0x5746ab54, 0x60cea085, 0x6ac29c69, 0x75276760, 0x7fffffff,
};

/* 32 lines, error up to 2^-12.5 */
static const uint32_t worst_log2_points[] = {
    0x00000000, 0x05aeb4dd, 0x0b31fb7d, 0x108c588c, 0x15c01a39, 0x1acf5e2d, 0x1fbc16b9, 0x24880f56, 0x2934f097,
    0x2dc4439b, 0x32377512, 0x368fd7ee, 0x3acea7c0, 0x3ef50ad1, 0x43041403, 0x46fcc47a, 0x4ae00d1c, 0x4eaecfea,
    0x5269e12f, 0x5612089a, 0x59a80239, 0x5d2c7f59, 0x60a02756, 0x64039858, 0x675767f5, 0x6a9c23d6, 0x6dd2523d,
    0x70fa728b, 0x7414fdb4, 0x772266ac, 0x7a231acd, 0x7d17822f, 0x80000000,
};

#define LOG2_BELOW_1 (1u << (31 - 16)) /* log2(0.5) = -0.99998 */

static const struct gpu_sfu_tables measured = {
    .recip = {recip_points, 6, 1},
    .rsqrt = {rsqrt_points, 5, 2},
    .exp2 = {exp2_points, 6, 1},
    .log2 = {log2_points, 6, 1},
    .log2_mask = ~((1u << (31 - 15)) - 1),
    .log2_below_1 = LOG2_BELOW_1,
};

static const struct gpu_sfu_tables worst = {
    .recip = {worst_recip_points, 5, 1},
    .rsqrt = {worst_rsqrt_points, 4, 2},
    .exp2 = {worst_exp2_points, 4, 1},
    .log2 = {worst_log2_points, 5, 1},
    .log2_mask = ~0u,
    .log2_below_1 = LOG2_BELOW_1,
};

const struct gpu_sfu_tables *gpu_sfu_tables(void)
{
    return util_debug(UTIL_DEBUG_WORST_SFU) ? &worst : &measured;
}
