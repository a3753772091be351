/* SPDX-License-Identifier: MIT
 *
 * Special function unit: reciprocal, reciprocal square root, 2^x, log2 x, about as exact as the chip.
 */
#ifndef GPU_SFU_H
#define GPU_SFU_H

#include "model/gpu/gpu_alu.h"

/* A function on [0, 1) as 2^log2_count straight lines between points, one more than lines, in 0.31 fixed point. With two
 * parts a second set of points follows the first. */
struct gpu_sfu_lines {
    const uint32_t *points;
    uint32_t log2_count, parts;
};

#define GPU_SFU_LOG2_LINES_MAX 6u /* of all parts of a function together */

struct gpu_sfu_tables {
    struct gpu_sfu_lines recip, rsqrt, exp2, log2; /* rsqrt: of even and of odd exponents */
    uint32_t log2_mask;                            /* which bits of the logarithm's fraction there are, in 0.31 */
    uint32_t log2_below_1;                         /* added to the logarithm of what is less than 1, in 0.31 */
};

/* The set that VC4VK_DEBUG selects. */
const struct gpu_sfu_tables *gpu_sfu_tables(void);

/* `waddr`: QPU_W_SFU_RECIP ... QPU_W_SFU_LOG. */
void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out);
uint32_t gpu_sfu_log2(const struct gpu_sfu_tables *tables, uint32_t word); /* one lane of the last */

#endif
