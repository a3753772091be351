/* SPDX-License-Identifier: MIT
 *
 * Special function unit: reciprocal, reciprocal square root, 2^x, log2 x, no better than the chip's worst case.
 */
#ifndef GPU_SFU_H
#define GPU_SFU_H

#include "model/gpu/gpu_alu.h"

/* `waddr`: QPU_W_SFU_RECIP ... QPU_W_SFU_LOG. */
void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out);
uint32_t gpu_sfu_log2(uint32_t word); /* one lane of the last */

/* For who computes the same elsewhere: points of lines of 32, twice 16 (of exponents even and odd), 16 and 32 segments.
 */
struct gpu_sfu_tables {
    const uint32_t *recip, *rsqrt, *exp2, *log2;
    uint32_t log2_negative_error; /* added to the logarithm of what is less than 1 */
};
extern const struct gpu_sfu_tables gpu_sfu_tables;

#endif
