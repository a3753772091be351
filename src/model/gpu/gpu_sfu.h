/* SPDX-License-Identifier: MIT
 *
 * Special function unit: reciprocal, reciprocal square root, 2^x, log2 x, about as precise as the chip.
 */
#ifndef GPU_SFU_H
#define GPU_SFU_H

#include "model/gpu/gpu_alu.h"

/* A function on [0, 1) as 2^log2_count straight lines between 2^log2_count + 1 points in 0.31 fixed point. A function
 * with two parts has a second set of points after the first. */
struct gpu_sfu_lines {
    const uint32_t *points;
    uint32_t log2_count, parts;
};

#define GPU_SFU_LOG2_LINES_MAX 6u /* all parts of a function together */

struct gpu_sfu_tables {
    struct gpu_sfu_lines recip, rsqrt, exp2, log2; /* rsqrt: parts for even and odd exponents */
    uint32_t log2_mask;                            /* computed bits of the logarithm's fraction, in 0.31 */
    uint32_t log2_below_1;                         /* added to the logarithm of numbers below 1, in 0.31 */
};

/* The tables that VC4VK_DEBUG selects. */
const struct gpu_sfu_tables *gpu_sfu_tables(void);

/* `waddr`: QPU_W_SFU_RECIP ... QPU_W_SFU_LOG. */
void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out);
uint32_t gpu_sfu_log2(const struct gpu_sfu_tables *tables, uint32_t word); /* the logarithm for one lane */

#endif
