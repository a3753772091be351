/* SPDX-License-Identifier: MIT
 *
 * Arithmetic of the QPU on 16 lanes: add and multiply units, pack and unpack, and the host's floating-point mode that
 * they rely on. Exact to what is known of the chip: rounding toward zero, denormals flushed, no NaN, 0 * x = 0
 * (sources at each function in gpu_alu.c).
 */
#ifndef GPU_ALU_H
#define GPU_ALU_H

#include "hw/qpu.h"

/* Sets the calling thread to round toward zero with denormals flushed, and back. Only ever on the model's threads. */
struct gpu_fp_mode {
    uint64_t saved;
};
struct gpu_fp_mode gpu_fp_enter(void);
void gpu_fp_leave(struct gpu_fp_mode mode);

#endif
