/* SPDX-License-Identifier: MIT
 *
 * Special function unit: reciprocal, reciprocal square root, 2^x, log2 x, no better than the chip's worst case.
 */
#ifndef GPU_SFU_H
#define GPU_SFU_H

#include "model/gpu/gpu_alu.h"

/* `waddr`: QPU_W_SFU_RECIP ... QPU_W_SFU_LOG. */
void gpu_sfu(unsigned waddr, const union gpu_vec *in, union gpu_vec *out);

#endif
